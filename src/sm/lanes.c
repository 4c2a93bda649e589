/* Operations across the lanes of a warp. */
#include "sm/lane.h"

/* The lowest lane that executes. */
FUNCTION(elect)
{
	(void)op;
	uint32_t lane = hd_lowest_bit(in->mask);
	EACH out->d[0].v[i] = lane;
	out->p[0] = in->mask & (0u - in->mask);
}

/* The value of the lowest lane; the predicate says that others differ (as ptxas uses it before BRA.CONV). */
FUNCTION(r2ur)
{
	(void)op;
	uint32_t value = in->s[0]->v[hd_lowest_bit(in->mask)];
	out->p[0] = 0;
	EACH
	{
		out->d[0].v[i] = value;
		if (in->mask >> i & 1 && in->s[0]->v[i] != value)
			out->p[0] = UINT32_MAX;
	}
}

FUNCTION(shfl)
{
	static const uint8_t modes[4] = {HD_SHFL_IDX, HD_SHFL_UP, HD_SHFL_DOWN, HD_SHFL_BFLY};
	hd_inst inst = {.op = HD_OP_SHFL, .guard = HD_PT, .mod = modes[op->m[0]]};
	hd_sem_in to = {.a = in->s[0], .b = in->s[1], .c = in->s[2], .mask = in->mask};
	hd_sem_out result;
	hd_sem_find (&inst)(&inst, &to, &result);
	out->d[0] = result.r[0];
	inst.op = HD_OP_SHFLP;
	hd_sem_find (&inst)(&inst, &to, &result);
	out->p[0] = result.p;
}

/* The lanes with the same value; .ALL: all of them, if they have one value. */
FUNCTION(match)
{
	bool any = op->m[0], wide = op->m[1], all = true;
	unsigned first = hd_lowest_bit(in->mask);
	uint64_t value[HD_LANES];
	EACH value[i] = wide ? hd_sm_wide(in->s[0], i) : in->s[0]->v[i];
	EACH
	{
		uint32_t same = 0;
		for (unsigned k = 0; k < HD_LANES; k++)
			same |= (uint32_t)(value[k] == value[i]) << k;
		out->d[0].v[i] = same & in->mask;
		all = all && (!(in->mask >> i & 1) || value[i] == value[first]);
	}
	if (!any)
		EACH out->d[0].v[i] = all ? in->mask : 0;
	out->p[0] = all ? UINT32_MAX : 0;
}

FUNCTION(redux)
{
	bool begun = false;
	uint32_t r = 0;
	for (uint32_t rest = in->mask; rest; rest &= rest - 1, begun = true) {
		uint32_t x = in->s[0]->v[hd_lowest_bit(rest)];
		bool less = op->m[1] ? (int32_t)x < (int32_t)r : x < r;
		switch (begun ? op->m[0] : 6) {
		case 0:
			r &= x;
			break;
		case 1:
			r |= x;
			break;
		case 2:
			r ^= x;
			break;
		case 3:
			r += x;
			break;
		case 4:
			r = less ? x : r;
			break;
		case 5:
			r = less ? r : x;
			break;
		default:
			r = x;
		}
	}
	EACH out->d[0].v[i] = r;
}
