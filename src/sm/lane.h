/* Shorthand of the lane code. */
#ifndef HD_SM_LANE_H
#define HD_SM_LANE_H

#include "sm/op.h"

#define EACH for (unsigned i = 0; i < HD_LANES; i++)
/* A function whose body is computed for each lane: a, b, c are the first words of the sources, and the value goes to the result. */
#define LANE(name, ...)                                                                      \
	void hd_sm_##name(const hd_sm_op *op, const hd_sm_in *in, hd_sm_out *out)            \
	{                                                                                    \
		(void)op;                                                                    \
		EACH                                                                         \
		{                                                                            \
			uint32_t a = in->s[0]->v[i], b = in->s[1]->v[i], c = in->s[2]->v[i]; \
			(void)a, (void)b, (void)c;                                           \
			out->d[0].v[i] = (uint32_t)(__VA_ARGS__);                            \
		}                                                                            \
	}
#define FUNCTION(name) void hd_sm_##name(const hd_sm_op *op, const hd_sm_in *in, hd_sm_out *out)

static inline uint64_t hd_sm_wide(const hd_vec32 *s, unsigned i) { return s[0].v[i] | (uint64_t)s[1].v[i] << 32; }
static inline void hd_sm_put_wide(hd_vec32 *d, unsigned i, uint64_t value)
{
	d[0].v[i] = (uint32_t)value;
	d[1].v[i] = (uint32_t)(value >> 32);
}
/* The shared lane code of an operation of one source. */
static inline void hd_sm_shared(hd_op op, unsigned sub, unsigned mode, const hd_vec32 *a, hd_vec32 d[2])
{
	hd_inst inst = {.op = (uint8_t)op, .guard = HD_PT, .sub = (uint8_t)sub, .mod = (uint8_t)mode};
	hd_sem_fn *fn = hd_sem_find(&inst);
	hd_sem_out result;
	fn(&inst, &(hd_sem_in){.a = a, .b = a, .c = a, .mask = UINT32_MAX}, &result);
	d[0] = result.r[0];
	d[1] = result.r[1];
}
/* A predicate source, or `absent` where the instruction has none. */
static inline uint32_t hd_sm_p(const hd_sm_op *op, const hd_sm_in *in, unsigned i, uint32_t absent)
{
	return i < op->n_predicates ? in->p[i] : absent;
}
/* .AND .OR .XOR */
static inline uint32_t hd_sm_combine(unsigned how, uint32_t a, uint32_t b) { return how == 0 ? a & b : how == 1 ? a | b : a ^ b; }
/* ROUND's values as hd_round's. */
static inline unsigned hd_sm_round(unsigned value)
{
	static const uint8_t modes[4] = {HD_RN, HD_RM, HD_RP, HD_RZ_};
	return modes[value & 3];
}
/* Which of less, equal, greater, unordered satisfy the comparison: bits 0 to 3 of COMPARE_3 and COMPARE_4 are that set. */
static inline bool hd_sm_holds(unsigned comparison, bool less, bool equal, bool unordered)
{
	return comparison >> (unordered ? 3 : less ? 0 : equal ? 1 : 2) & 1;
}

#endif
