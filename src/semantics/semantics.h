/* The effect of an operation on the 32 lanes of a warp. Functions are pure: registers in, registers out. Memory, flow and time belong to the
 * callers, the interpreter and the machine. Both use this code, so that a difference between them is a difference in timing. */
#ifndef HD_SEMANTICS_H
#define HD_SEMANTICS_H

#include "isa/isa.h"

/* One 32-bit register of one warp, a word a lane. A 64-bit value is two neighbouring vectors, low word first. */
typedef struct hd_vec32 {
	_Alignas(64) uint32_t v[HD_LANES];
} hd_vec32;

typedef struct hd_sem_in {
	const hd_vec32 *a, *b, *c; /* operands, 1, 2 or 4 vectors each by the row; immediates and constants are already broadcast */
	uint32_t mask;             /* lanes for which the instruction executes (active and guard holds) */
	uint32_t p[3]; /* SEL, VOTE, BALLOT: p[0] = selector, negation applied; CARRY: p[0] = carry-in (any value when there is none); PLOP: pa pb pc,
	                  negation applied */
	const hd_vec32 *special; /* S2R: value of the special register; else unused */
} hd_sem_in;

typedef struct hd_sem_out {
	hd_vec32 r[2]; /* result; lanes outside `mask` are unspecified */
	uint32_t p;    /* predicate result or carry-out; lanes outside `mask` are unspecified */
} hd_sem_out;

/* Executes one instruction. `inst` is the instruction that was given to hd_sem_find. `out` must not overlap an operand. */
typedef void hd_sem_fn(const hd_inst *inst, const hd_sem_in *in, hd_sem_out *out);

/* The function for an instruction, specialised by comparison, rounding and conversion where that pays off; NULL for operations without a pure part
 * (flow, memory, barriers, nop, trap). Never fails for what hd_decode accepts. */
hd_sem_fn *hd_sem_find(const hd_inst *inst);

/* One lane of an atomic: the new memory value for `old`; types and operations as in the ATOM and CAS rows. Values are zero-extended. */
uint64_t hd_sem_atomic(hd_atom_op op, hd_atom_type type, uint64_t old, uint64_t value);

/* Name of the code path of this host ("generic", "x86-64-v3"). All paths give the same bits. */
const char *hd_sem_host_path(void);

#endif
