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

/* The upper word of what a double with the upper word `a` gives. */
static uint32_t upper(double result) { return (uint32_t)(hd_f64_canonical(hd_bits_of_f64(result)) >> 32); }

/* Correctly rounded, as far as the host's library is; the tables of the hardware are not published. Sine and cosine take turns of the circle. */
static uint32_t transcendental(unsigned which, uint32_t bits)
{
	static const double turn = 6.283185307179586;
	double x = hd_f32_of_bits(bits), wide = hd_f64_of_bits((uint64_t)bits << 32), y = 0;
	switch (which) {
	case 0:
		y = cos(turn * (x - rint(x)));
		break;
	case 1:
		y = sin(turn * (x - rint(x)));
		break;
	case 2:
		y = exp2(x);
		break;
	case 3:
		y = log2(x);
		break;
	case 4:
		y = 1 / x;
		break;
	case 5:
		y = 1 / sqrt(x);
		break;
	case 6:
		return upper(1 / wide);
	case 7:
		return upper(1 / sqrt(wide));
	case 8:
		y = sqrt(x);
		break;
	case 9:
		y = tanh(x);
		break;
	default:
		break;
	}
	return hd_f32_canonical(hd_bits_of_f32((float)y));
}
LANE(mufu, transcendental(op->m[0], a))
