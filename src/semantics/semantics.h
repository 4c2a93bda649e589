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
	const hd_vec32 *special; /* S2R: value of the special register; XLANE: what lanes gave, and with whom they were let go; else unused */
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

/* The same for several warps at the same instruction. Warp k has its registers `at[k]` vectors behind those of the warp that the pointers are of, and
 * writes its result and predicates itself: lanes outside mask[k] keep their value, but when mask[k] is alive[k] the others may get any. A
 * destination may be a source, too. */
typedef struct hd_sem_team {
	uint32_t n;
	const uint32_t *at, *mask, *alive;
	uint32_t *const *predicates; /* of each warp: HD_PREDS and, behind them, one that is always true */
	const hd_vec32 *a, *b, *c;
	uint32_t step_a, step_b, step_c; /* UINT32_MAX: an operand for each warp; 0: one for all */
	hd_vec32 *d;                     /* NULL: the result is dropped */
	unsigned p;                      /* predicate that gets the predicate result; HD_PT: it is dropped */
} hd_sem_team;

typedef void hd_sem_team_fn(const hd_inst *inst, const hd_sem_team *team);

/* The code of an operation. S2R has no use for `team`. */
typedef struct hd_sem_code {
	hd_sem_fn *alone;
	hd_sem_team_fn *team;
} hd_sem_code;

/* Both for an instruction; NULL as hd_sem_find. */
const hd_sem_code *hd_sem_find_code(const hd_inst *inst);

/* The predicates that an instruction reads as operands, as hd_sem_in has them. */
static inline void hd_sem_predicates(const hd_inst *inst, const uint32_t *predicates, uint32_t p[3])
{
	p[1] = p[2] = 0;
	const uint8_t plop[3] = {inst->sub2 & 15, inst->sub2 >> 4, inst->b}, one = inst->sub & 15;
	if (inst->op == HD_OP_PLOP) {
		for (unsigned i = 0; i < 3; i++)
			p[i] = predicates[plop[i] & 7] ^ (plop[i] & 8 ? UINT32_MAX : 0);
	} else if (inst->op == HD_OP_IADDC || inst->op == HD_OP_ISUBC) {
		p[0] = (inst->sub & 7) == HD_PT ? 0 : predicates[inst->sub & 7];
	} else {
		p[0] = predicates[one & 7] ^ (one & 8 ? UINT32_MAX : 0);
	}
}

/* One lane of an atomic: the new memory value for `old`; types and operations as in the ATOM and CAS rows. Values are zero-extended. In global memory
 * sums of f32 take denormal numbers for zeros, in shared memory they do not: PTX says so of both. */
uint64_t hd_sem_atomic(hd_atom_op op, hd_atom_type type, bool global, uint64_t old, uint64_t value);

/* Name of the code path of this host ("generic", "x86-64-v3", "x86-64-v4"). All paths give the same bits. HD_GENERIC_ONLY: the others are not built. */
#if defined(__x86_64__) && !defined(HD_GENERIC_ONLY)
#define HD_HOST_PATHS
#endif
const char *hd_sem_host_path(void);

#endif
