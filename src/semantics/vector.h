/* The vector code: plain loops over the 32 lanes, which the compiler vectorises. Every vector_*.c is compiled once for each path (HD_PATH). Its one
 * external function HD_SEM(room) returns the function for an instruction, or NULL for an operation of another unit.
 *
 * Lanes outside the mask hold arbitrary bits and are computed, too: no function may have undefined behaviour for any bits. */
#ifndef HD_VECTOR_H
#define HD_VECTOR_H

#include "semantics/float_bits.h"
#include "semantics/semantics.h"

#define HD_SEM_JOIN2(a, b) a##_##b
#define HD_SEM_JOIN(a, b) HD_SEM_JOIN2(a, b)
#define HD_SEM(room) HD_SEM_JOIN(hd_sem_##room, HD_PATH)

#define HD_SEM_ROOMS(X) X(integer) X(integer64) X(float) X(double) X(sfu) X(steps) X(convert) X(lanes)
#define X(room)                                                          \
	const hd_sem_code *hd_sem_##room##_generic(const hd_inst *inst); \
	const hd_sem_code *hd_sem_##room##_v3(const hd_inst *inst);      \
	const hd_sem_code *hd_sem_##room##_v4(const hd_inst *inst);
HD_SEM_ROOMS(X)
#undef X

/* directed.c: float arithmetic in a rounding mode other than to nearest; NULL for other operations. */
const hd_sem_code *hd_sem_directed(const hd_inst *inst);

/* find.c: the code of one path, for tests that compare paths. HD_SEM_PATHS lists their names, the best last. NULL on a host that cannot run it. */
enum { HD_SEM_PATHS = 3 };
extern const char *const hd_sem_paths[HD_SEM_PATHS];
const hd_sem_code *hd_sem_find_path(unsigned path, const hd_inst *inst);

#define LANES for (unsigned i = 0; i < HD_LANES; i++)
#define INLINE static inline __attribute__((always_inline))

/* The bit of each lane, so that vector code tests and gathers masks. */
static const _Alignas(64) uint32_t lane_bit[HD_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Values that an operation writes and reads beside its register operands. */
enum {
	TO_R = 1,        /* out->r[0] */
	TO_D = TO_R | 2, /* out->r[0] and out->r[1] */
	TO_P = 4,        /* out->p */
	OF_P = 8,        /* in->p */
};

/* Defines the code of an operation, `static const hd_sem_code name[1]`, from one body: void (inst, in, out). */
#define SEM_FN(kinds, name)                                                                                                                   \
	INLINE void name##_body(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out);                                 \
	static void name##_alone(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out) { name##_body(inst, in, out); } \
	static void name##_team(const hd_inst *inst, const hd_sem_team *team)                                                                 \
	{                                                                                                                                     \
		for (uint32_t k = 0; k < team->n; k++) {                                                                                      \
			hd_sem_in in;                                                                                                         \
			hd_sem_out out;                                                                                                       \
			team_in(inst, team, k, kinds, &in);                                                                                   \
			name##_body(inst, &in, &out);                                                                                         \
			team_out(team, k, kinds, &out);                                                                                       \
		}                                                                                                                             \
	}                                                                                                                                     \
	static const hd_sem_code name[1] = {{name##_alone, name##_team}};                                                                     \
	INLINE void name##_body(const hd_inst *inst, const hd_sem_in *restrict in, hd_sem_out *restrict out)

INLINE void team_in(const hd_inst *inst, const hd_sem_team *team, uint32_t k, unsigned kinds, hd_sem_in *in)
{
	uint32_t at = team->at[k];
	in->a = team->a + (at & team->step_a);
	in->b = team->b + (at & team->step_b);
	in->c = team->c + (at & team->step_c);
	in->mask = team->mask[k];
	in->special = NULL;
	if (kinds & OF_P)
		hd_sem_predicates(inst, team->predicates[k], in->p);
}

/* The results stay in registers of the host: every store is one to the warp's own register. */
INLINE void team_out(const hd_sem_team *team, uint32_t k, unsigned kinds, const hd_sem_out *out)
{
	uint32_t mask = team->mask[k];
	if (kinds & TO_R && team->d) {
		hd_vec32 *d = team->d + team->at[k];
		if (mask == team->alive[k]) {
			LANES d[0].v[i] = out->r[0].v[i];
			if ((kinds & TO_D) == TO_D)
				LANES d[1].v[i] = out->r[1].v[i];
		} else {
			LANES d[0].v[i] = mask & lane_bit[i] ? out->r[0].v[i] : d[0].v[i];
			if ((kinds & TO_D) == TO_D)
				LANES d[1].v[i] = mask & lane_bit[i] ? out->r[1].v[i] : d[1].v[i];
		}
	}
	if (kinds & TO_P && team->p != HD_PT) {
		uint32_t *p = &team->predicates[k][team->p];
		*p = (*p & ~mask) | (out->p & mask);
	}
}

/* A 64-bit operand as one array. */
typedef struct wide {
	_Alignas(64) uint64_t v[HD_LANES];
} wide;
typedef struct wide_f {
	_Alignas(64) double v[HD_LANES];
} wide_f;

INLINE void wide_load(wide *restrict to, const hd_vec32 *restrict from) { LANES to->v[i] = from[0].v[i] | (uint64_t)from[1].v[i] << 32; }

INLINE void wide_store(hd_vec32 *restrict to, const wide *restrict from)
{
	LANES to[0].v[i] = (uint32_t)from->v[i];
	LANES to[1].v[i] = (uint32_t)(from->v[i] >> 32);
}

INLINE void wide_load_f(wide_f *restrict to, const hd_vec32 *restrict from)
{
	LANES to->v[i] = hd_f64_of_bits(from[0].v[i] | (uint64_t)from[1].v[i] << 32);
}

/* Stores doubles and makes NaNs canonical. */
INLINE void wide_store_f(hd_vec32 *restrict to, const wide_f *restrict from)
{
	wide bits;
	LANES bits.v[i] = from->v[i] == from->v[i] ? hd_bits_of_f64(from->v[i]) : HD_F64_NAN;
	wide_store(to, &bits);
}

#endif
