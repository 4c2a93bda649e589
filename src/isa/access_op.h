/* What an access to memory does, apart from its lanes and operands. The load/store unit and the memory below it read this and no instruction. */
#ifndef HD_ACCESS_OP_H
#define HD_ACCESS_OP_H

#include "base/base.h"

/* Spaces of memory. NONE: the address tells the space (PD-21), or there is no access. */
typedef enum hd_space { HD_SPACE_NONE, HD_SPACE_GLOBAL, HD_SPACE_SHARED, HD_SPACE_CONST, HD_SPACE_LOCAL } hd_space;

typedef enum hd_size { HD_SIZE_U8, HD_SIZE_S8, HD_SIZE_U16, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128 } hd_size;
/* Bytes per lane for a size; 0 for an invalid size. */
static inline unsigned hd_size_bytes(unsigned size)
{
	static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
	return bytes[size & 7];
}
typedef enum hd_cache { HD_CACHE_ALL, HD_CACHE_GLOBAL, HD_CACHE_STREAM, HD_CACHE_VOLATILE } hd_cache; /* .ca .cg .cs; .volatile/.cv bypasses L1 */

/* Scopes of MEMBAR. That of a warp orders accesses of its lanes, as `bar.warp.sync` of PTX does; to the machine it is one of the CTA. */
typedef enum hd_scope { HD_SCOPE_CTA, HD_SCOPE_DEVICE, HD_SCOPE_SYSTEM, HD_SCOPE_WARP, HD_SCOPE_COUNT } hd_scope;
static inline bool hd_scope_in_core(unsigned scope) { return scope == HD_SCOPE_CTA || scope == HD_SCOPE_WARP; }

typedef enum hd_atom_op {
	HD_ATOM_ADD,
	HD_ATOM_MIN,
	HD_ATOM_MAX,
	HD_ATOM_AND,
	HD_ATOM_OR,
	HD_ATOM_XOR,
	HD_ATOM_EXCH,
	HD_ATOM_INC,
	HD_ATOM_DEC,
	HD_ATOM_OP_COUNT
} hd_atom_op;
typedef enum hd_atom_type { HD_ATOM_U32, HD_ATOM_S32, HD_ATOM_U64, HD_ATOM_S64, HD_ATOM_F32, HD_ATOM_F64, HD_ATOM_TYPE_COUNT } hd_atom_type;

typedef enum hd_access_kind {
	HD_ACCESS_LOAD,
	HD_ACCESS_STORE,
	HD_ACCESS_ATOMIC,
	HD_ACCESS_CAS,
	HD_ACCESS_FENCE,
	/* for the task manager (PD-19): */
	HD_ACCESS_LAUNCH,
	HD_ACCESS_PUSH,
} hd_access_kind;

typedef struct hd_access_op {
	int32_t offset;         /* added to the address of each lane */
	unsigned kind : 3;      /* hd_access_kind */
	unsigned space : 3;     /* hd_space; HD_SPACE_NONE: the address of each lane tells it */
	unsigned size : 3;      /* hd_size of what each lane accesses */
	unsigned cache : 2;     /* hd_cache of a load or store */
	unsigned scope : 2;     /* hd_scope of a fence */
	unsigned atom : 4;      /* hd_atom_op of an atomic */
	unsigned type : 3;      /* hd_atom_type of an atomic */
	unsigned wide : 1;      /* addresses have 64 bits */
	unsigned constant : 1;  /* a load from global memory through the constant cache */
	unsigned own_stage : 1; /* it has the stage of atomics on shared memory, beside that of the load/store pipe */
} hd_access_op;

#endif
