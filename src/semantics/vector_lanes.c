#include "semantics/vector.h"

/* PTX shfl: lane i reads from lane j when j is within its segment. `in_range` and the source lane for each lane, by mode. */
INLINE uint32_t shuffle_source(unsigned mode, uint32_t i, uint32_t b, uint32_t c, bool *in_range)
{
	uint32_t segment = c >> 8 & 31, least = i & segment, most = least | (c & 31 & ~segment), value = b & 31, j;
	switch (mode) {
	case HD_SHFL_UP:
		/* An index below the segment wraps to a large number. The clamp of an upward shuffle is a lower bound. */
		j = i - value;
		*in_range = (int32_t)j >= (int32_t)most;
		break;
	case HD_SHFL_DOWN:
		j = i + value;
		*in_range = j <= most;
		break;
	case HD_SHFL_BFLY:
		j = i ^ value;
		*in_range = j <= most;
		break;
	default:
		j = least | (value & ~segment);
		*in_range = j <= most;
		break;
	}
	return *in_range ? j & 31 : i;
}

INLINE void shuffle(unsigned mode, const hd_sem_in *restrict in, hd_sem_out *restrict out)
{
	LANES
	{
		bool in_range;
		uint32_t j = shuffle_source(mode, i, in->b->v[i], in->c->v[i], &in_range);
		out->r[0].v[i] = in->a->v[in->mask >> j & 1 ? j : i];
	}
}

INLINE void shuffle_range(unsigned mode, const hd_sem_in *restrict in, hd_sem_out *restrict out)
{
	uint32_t p = 0;
	LANES
	{
		bool in_range;
		shuffle_source(mode, i, in->b->v[i], in->c->v[i], &in_range);
		p |= in_range ? lane_bit[i] : 0;
	}
	out->p = p;
}

SEM_FN(TO_R, shfl_up) { shuffle(HD_SHFL_UP, in, out); }
SEM_FN(TO_R, shfl_down) { shuffle(HD_SHFL_DOWN, in, out); }
SEM_FN(TO_R, shfl_bfly) { shuffle(HD_SHFL_BFLY, in, out); }
SEM_FN(TO_R, shfl_idx) { shuffle(HD_SHFL_IDX, in, out); }
SEM_FN(TO_P, shflp_up) { shuffle_range(HD_SHFL_UP, in, out); }
SEM_FN(TO_P, shflp_down) { shuffle_range(HD_SHFL_DOWN, in, out); }
SEM_FN(TO_P, shflp_bfly) { shuffle_range(HD_SHFL_BFLY, in, out); }
SEM_FN(TO_P, shflp_idx) { shuffle_range(HD_SHFL_IDX, in, out); }

SEM_FN(TO_P | OF_P, vote_all)
{
	uint32_t against = in->mask & ~in->p[0], p = 0;
	LANES p |= in->a->v[i] & against ? 0 : lane_bit[i];
	out->p = p;
}

SEM_FN(TO_P | OF_P, vote_any)
{
	uint32_t in_favour = in->mask & in->p[0], p = 0;
	LANES p |= in->a->v[i] & in_favour ? lane_bit[i] : 0;
	out->p = p;
}

SEM_FN(TO_P | OF_P, vote_uni)
{
	uint32_t in_favour = in->mask & in->p[0], against = in->mask & ~in->p[0], p = 0;
	LANES p |= (in->a->v[i] & in_favour) && (in->a->v[i] & against) ? 0 : lane_bit[i];
	out->p = p;
}

SEM_FN(TO_R | OF_P, ballot)
{
	uint32_t in_favour = in->mask & in->p[0];
	LANES out->r[0].v[i] = in->a->v[i] & in_favour;
}

SEM_FN(TO_R, match_any)
{
	hd_vec32 found = {{0}};
	for (unsigned j = 0; j < HD_LANES; j++) {
		uint32_t value = in->a->v[j], bit = in->mask & 1u << j;
		LANES found.v[i] |= in->a->v[i] == value ? bit : 0;
	}
	LANES out->r[0].v[i] = found.v[i] & in->b->v[i];
}

SEM_FN(TO_R, match_any64)
{
	hd_vec32 found = {{0}};
	for (unsigned j = 0; j < HD_LANES; j++) {
		uint32_t low = in->a[0].v[j], high = in->a[1].v[j], bit = in->mask & 1u << j;
		LANES found.v[i] |= (in->a[0].v[i] ^ low) | (in->a[1].v[i] ^ high) ? 0 : bit;
	}
	LANES out->r[0].v[i] = found.v[i] & in->b->v[i];
}

/* The lanes that a mask names agree when none of them differs from the lowest one. */
INLINE void match_all_words(unsigned words, const hd_sem_in *restrict in, hd_sem_out *restrict out)
{
	LANES
	{
		uint32_t members = in->b->v[i] & in->mask;
		bool same = true;
		unsigned first = members ? (unsigned)__builtin_ctz(members) : 0;
		for (uint32_t rest = members; rest; rest &= rest - 1)
			for (unsigned k = 0; k < words; k++)
				same &= in->a[k].v[__builtin_ctz(rest)] == in->a[k].v[first];
		out->r[0].v[i] = same ? in->b->v[i] : 0;
	}
}

SEM_FN(TO_R, match_all) { match_all_words(1, in, out); }
SEM_FN(TO_R, match_all64) { match_all_words(2, in, out); }

SEM_FN(TO_R, xlane) { LANES out->r[0].v[i] = in->a->v[i] < HD_LANES ? in->special[0].v[in->a->v[i]] : in->special[1].v[i]; }

SEM_FN(TO_R, actmask) { LANES out->r[0].v[i] = in->mask; }

/* By operation. An operation that needs more than its number, and one of another unit, have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_BALLOT] = ballot,      [HD_OP_MATCHANY] = match_any,     [HD_OP_MATCHANY64] = match_any64,
    [HD_OP_MATCHALL] = match_all, [HD_OP_MATCHALL64] = match_all64, [HD_OP_ACTMASK] = actmask,
    [HD_OP_XLANE] = xlane,
};

const hd_sem_code *HD_SEM(lanes)(const hd_inst *inst)
{
	static const hd_sem_code *const shfl[4] = {shfl_up, shfl_down, shfl_bfly, shfl_idx}, *const shflp[4] = {shflp_up, shflp_down, shflp_bfly,
	                                                                                                        shflp_idx};
	switch (inst->op) {
	case HD_OP_SHFL:
		return shfl[inst->mod & 3];
	case HD_OP_SHFLP:
		return shflp[inst->mod & 3];
	case HD_OP_VOTE:
		return inst->mod == HD_VOTE_ALL ? vote_all : inst->mod == HD_VOTE_ANY ? vote_any : vote_uni;
	default:
		return functions[inst->op];
	}
}
