/* Floats of 32 and 64 bits. */
#include "semantics/float_bits.h"
#include "sm/lane.h"

#include <math.h>

static uint32_t flushed(uint32_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }
static uint32_t saturated(uint32_t bits) { return hd_f32_is_nan(bits) || bits >> 31 ? 0 : bits > 0x3f800000 ? 0x3f800000 : bits; }
/* The sources, with denormals as zeros where the instruction says so. */
static void flush_sources(const hd_sm_op *op, bool flush, const hd_sm_in *in, hd_sm_in *to, hd_vec32 room[3])
{
	*to = *in;
	for (unsigned k = 0; flush && k < op->n_sources && k < 3; k++) {
		EACH room[k].v[i] = flushed(in->s[k]->v[i]);
		to->s[k] = &room[k];
	}
}

static void shared_code(const hd_sm_op *op, const hd_sm_in *in, hd_vec32 d[2])
{
	hd_sem_out result;
	op->sem(&op->inst, &(hd_sem_in){.a = in->s[0], .b = in->s[1], .c = in->s[2], .mask = in->mask}, &result);
	d[0] = result.r[0];
	if (op->numbers == HD_SM_D)
		d[1] = result.r[1];
}

FUNCTION(float)
{
	hd_sm_in flushed_in;
	hd_vec32 room[3];
	flush_sources(op, op->m[0], in, &flushed_in, room);
	shared_code(op, &flushed_in, out->d);
	if (op->m[0])
		EACH out->d[0].v[i] = flushed(out->d[0].v[i]);
	if (op->m[1])
		EACH out->d[0].v[i] = saturated(out->d[0].v[i]);
}

FUNCTION(double) { shared_code(op, in, out->d); }

static uint32_t maybe_flushed(bool flush, uint32_t bits) { return flush ? flushed(bits) : bits; }
LANE(fsel, maybe_flushed(op->m[0], in->p[0] >> i & 1 ? a : b))

/* .NAN: a NaN wins. */
static uint32_t extreme(uint32_t a, uint32_t b, bool minimum, bool nan_wins)
{
	if (nan_wins && (hd_f32_is_nan(a) || hd_f32_is_nan(b)))
		return HD_F32_NAN;
	return minimum ? hd_f32_min(a, b) : hd_f32_max(a, b);
}
LANE(fmnmx, extreme(maybe_flushed(op->m[0], a), maybe_flushed(op->m[0], b), in->p[0] >> i & 1, op->m[1]))

static uint32_t compared(const hd_sm_op *op, const hd_sm_in *in)
{
	uint32_t p = 0;
	EACH
	{
		float a = hd_f32_of_bits(maybe_flushed(op->m[1], in->s[0]->v[i])), b = hd_f32_of_bits(maybe_flushed(op->m[1], in->s[1]->v[i]));
		p |= (uint32_t)hd_sm_holds(op->m[0], a < b, !(a < b) && !(a > b), a != a || b != b) << i;
	}
	return p;
}

FUNCTION(fsetp)
{
	uint32_t p = compared(op, in);
	out->p[0] = hd_sm_combine(op->m[2], p, in->p[0]);
	out->p[1] = hd_sm_combine(op->m[2], ~p, in->p[0]);
}

FUNCTION(fset)
{
	uint32_t p = hd_sm_combine(op->m[2], compared(op, in), in->p[0]);
	EACH out->d[0].v[i] = p >> i & 1 ? op->m[3] ? 0x3f800000 : UINT32_MAX : 0;
}

/* .MIN and .MAX: whether the first is the one, and whether both are NaN. */
static void chosen(const hd_sm_op *op, const hd_sm_in *in, uint32_t p[2])
{
	bool minimum = op->m[0] == 0;
	EACH
	{
		uint64_t a = hd_sm_wide(in->s[0], i), b = hd_sm_wide(in->s[1], i);
		bool first = !hd_f64_is_nan(a) && (hd_f64_is_nan(b) || (hd_f64_order(a) < hd_f64_order(b)) == minimum);
		p[0] |= (uint32_t)first << i;
		p[1] |= (uint32_t)(hd_f64_is_nan(a) && hd_f64_is_nan(b)) << i;
	}
}

FUNCTION(dsetp)
{
	uint32_t p[2] = {0};
	if (op->m[0] == 0 || op->m[0] == 15) {
		chosen(op, in, p);
	} else {
		EACH
		{
			double a = hd_f64_of_bits(hd_sm_wide(in->s[0], i)), b = hd_f64_of_bits(hd_sm_wide(in->s[1], i));
			p[0] |= (uint32_t)hd_sm_holds(op->m[0], a < b, !(a < b) && !(a > b), a != a || b != b) << i;
		}
		p[1] = ~p[0];
	}
	out->p[0] = hd_sm_combine(op->m[1], p[0], in->p[0]);
	out->p[1] = hd_sm_combine(op->m[1], p[1], in->p[0]);
}

/* Whether a / b needs the slow way. The hardware's exact set is not published. Every set that has it gives the same quotient: this one has all
 * quotients whose steps on the fast way could be denormal or overflow. */
FUNCTION(fchk)
{
	(void)op;
	uint32_t p = 0;
	EACH
	{
		int a = in->s[0]->v[i] >> 23 & 255, b = in->s[1]->v[i] >> 23 & 255;
		bool fast = b >= 3 && b <= 252 && a >= 28 && a <= 252 && a - b > -124 && a - b < 124;
		p |= (uint32_t)!fast << i;
	}
	out->p[0] = p;
}

/* What a double with the upper word `a` gives: its upper word. */
static uint32_t upper(double x, bool root) { return (uint32_t)(hd_f64_canonical(hd_bits_of_f64(1 / (root ? sqrt(x) : x))) >> 32); }

/* Sine and cosine take turns of the circle: at most an eighth of one is left for the shared code, and quarters choose which and its sign. */
static void circular(const hd_sm_in *in, unsigned quarters, hd_vec32 *d)
{
	hd_vec32 angle, of[2][2];
	unsigned quarter[HD_LANES];
	EACH
	{
		double x = hd_f32_of_bits(in->s[0]->v[i]), q = rint(4 * x);
		quarter[i] = quarters + (q - q == 0 ? (unsigned)(q - 4 * floor(q / 4)) : 0);
		angle.v[i] = hd_bits_of_f32((float)((x - q / 4) * 6.283185307179586));
	}
	hd_sm_shared(HD_OP_FSIN, 0, 0, &angle, of[0]);
	hd_sm_shared(HD_OP_FCOS, 0, 0, &angle, of[1]);
	EACH d->v[i] = hd_f32_canonical(of[quarter[i] & 1][0].v[i] ^ (quarter[i] & 2) << 30);
}

/* The tables of the hardware are not published. Results are those of the approximate operations of our own code, the same on every host. */
FUNCTION(mufu)
{
	static const uint8_t shared[16] = {[2] = HD_OP_FEX2, HD_OP_FLG2, HD_OP_FRCP, HD_OP_FRSQ, [8] = HD_OP_FSQRT, HD_OP_FTANH};
	unsigned which = op->m[0];
	if (which < 2)
		circular(in, !which, out->d);
	else if (which == 6 || which == 7)
		EACH out->d[0].v[i] = upper(hd_f64_of_bits((uint64_t)in->s[0]->v[i] << 32), which == 7);
	else
		hd_sm_shared((hd_op)shared[which], 0, 0, in->s[0], out->d);
}
