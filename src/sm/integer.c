/* Integers, logic and predicates. */
#include "sm/lane.h"

LANE(mov, a)
LANE(sel, in->p[0] >> i & 1 ? a : b)
LANE(iabs, (int32_t)a < 0 ? 0 - a : a)
LANE(viadd, a + b)
FUNCTION(popc)
{
	(void)op;
	hd_sm_shared(HD_OP_POPC, 0, 0, in->s[0], out->d);
}
FUNCTION(brev)
{
	(void)op;
	hd_sm_shared(HD_OP_BREV, 0, 0, in->s[0], out->d);
}
LANE(imnmx, ((op->m[0] ? (int32_t)a < (int32_t)b : a < b) == (in->p[0] >> i & 1)) ? a : b)
LANE(vabsdiff, ((op->m[0] ? (int32_t)a < (int32_t)b : a < b) ? b - a : a - b) + c)

/* The place of the highest bit that differs from the sign; .SH counts from the top. */
static uint32_t leading(uint32_t a, bool is_signed, bool from_top)
{
	if (is_signed && a >> 31)
		a = ~a;
	if (!a)
		return UINT32_MAX;
	uint32_t place = 31u - (uint32_t)__builtin_clz(a);
	return from_top ? 31 - place : place;
}
LANE(flo, leading(a, op->m[0], op->m[1]))

/* The predicates P0 to P6 under a mask, into a byte of `a`. */
FUNCTION(p2r)
{
	unsigned shift = 8u * op->m[0];
	EACH
	{
		uint32_t bits = 0, mask = (in->s[1]->v[i] & 0x7f) << shift;
		for (unsigned k = 0; k < op->n_predicates; k++)
			bits |= (in->p[k] >> i & 1) << (k + shift);
		out->d[0].v[i] = (in->s[0]->v[i] & ~mask) | (bits & mask);
	}
}

FUNCTION(r2p)
{
	for (unsigned k = 0; k < op->n_results; k++) {
		uint32_t p = 0;
		EACH p |= (in->s[0]->v[i] >> (8 * op->source[0].select + k) & 1) << i;
		out->p[k] = p;
	}
}

/* A set of the lanes that execute; the predicate is about all of them. */
FUNCTION(vote)
{
	uint32_t yes = in->p[0] & in->mask;
	bool all = op->m[0] == 0 ? yes == in->mask : op->m[0] == 1 ? yes != 0 : yes == 0 || yes == in->mask;
	EACH out->d[0].v[i] = yes;
	out->p[0] = all ? UINT32_MAX : 0;
}

FUNCTION(isetp)
{
	uint32_t p = 0, low = hd_sm_p(op, in, 1, 0), other = in->p[0];
	EACH
	{
		uint32_t a = in->s[0]->v[i], b = in->s[1]->v[i];
		bool holds = hd_sm_holds(op->m[0], op->m[1] ? (int32_t)a < (int32_t)b : a < b, a == b, false);
		/* Of a number in several words, the lower ones decide when the upper ones are equal. */
		if (op->m[3] && a == b && op->m[0] != 0 && op->m[0] != 7)
			holds = low >> i & 1;
		p |= (uint32_t)holds << i;
	}
	out->p[0] = hd_sm_combine(op->m[2], p, other);
	out->p[1] = hd_sm_combine(op->m[2], ~p, other);
}

/* -a is ~a + 1, which carries for 0. With .X the sources are inverted alone, and the carries come from predicates. */
FUNCTION(iadd3)
{
	uint32_t first = 0, second = 0;
	uint32_t carry0 = op->m[0] ? hd_sm_p(op, in, 0, 0) : 0, carry1 = op->m[0] ? hd_sm_p(op, in, 1, 0) : 0;
	EACH
	{
		uint64_t sum = (carry0 >> i & 1) + (carry1 >> i & 1);
		for (unsigned k = 0; k < 3; k++) {
			uint32_t x = in->s[k]->v[i];
			sum += op->source[k].minus ? (uint64_t)~x + 1 : op->source[k].invert ? ~x : x;
		}
		out->d[0].v[i] = (uint32_t)sum;
		first |= (uint32_t)(sum >> 32 >= 1) << i;
		second |= (uint32_t)(sum >> 32 >= 2) << i;
	}
	out->p[0] = first;
	out->p[1] = second;
}

FUNCTION(iadd3_64)
{
	(void)op;
	EACH hd_sm_put_wide(out->d, i, hd_sm_wide(in->s[0], i) + hd_sm_wide(in->s[1], i) + hd_sm_wide(in->s[2], i));
}

/* (a << n) + b; .HI: the upper word of (c:a) << n, where .SX32 makes c of the sign of a. */
FUNCTION(lea)
{
	bool x = op->m[0], high = op->m[1], extended = op->m[2];
	unsigned shift = op->number[0] & 31;
	uint32_t overflow = 0, carry = x ? hd_sm_p(op, in, 0, 0) : 0;
	EACH
	{
		uint32_t a = in->s[0]->v[i], b = in->s[1]->v[i], c = extended ? (int32_t)a < 0 ? UINT32_MAX : 0 : in->s[2]->v[i];
		uint32_t shifted = high ? (uint32_t)(((uint64_t)c << 32 | a) >> (32 - shift)) : a << shift;
		uint64_t sum, over = 0;
		if (op->source[0].minus) {
			over |= shifted == 0;
			shifted = 0 - shifted;
		} else if (op->source[0].invert) {
			shifted = ~shifted;
		}
		if (op->source[1].minus) {
			over |= b == 0;
			b = 0 - b;
		} else if (op->source[1].invert) {
			b = ~b;
		}
		sum = (uint64_t)shifted + b + (carry >> i & 1);
		out->d[0].v[i] = (uint32_t)sum;
		overflow |= (uint32_t)(sum >> 32 | over) << i;
	}
	out->p[0] = overflow;
}

/* Bit (a << 2 | b << 1 | c) of the table, for all bits at once. */
static uint32_t looked_up(unsigned table, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t r = 0;
	for (unsigned k = 0; k < 8; k++)
		if (table >> k & 1)
			r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	return r;
}

FUNCTION(lop3)
{
	uint32_t some = 0;
	EACH
	{
		uint32_t r = looked_up((unsigned)op->number[0], in->s[0]->v[i], in->s[1]->v[i], in->s[2]->v[i]);
		out->d[0].v[i] = r;
		some |= (uint32_t)(r != 0) << i;
	}
	out->p[0] = op->m[0] ? some & in->p[0] : some | in->p[0];
}

FUNCTION(plop3)
{
	for (unsigned k = 0; k < 2; k++)
		out->p[k] = looked_up((unsigned)op->number[k], in->p[0], in->p[1], in->p[2]);
}

FUNCTION(plop3_sign)
{
	uint32_t p[3] = {0};
	for (unsigned k = 0; k < 3; k++)
		EACH p[k] |= (in->s[k]->v[i] >> 31) << i;
	for (unsigned k = 0; k < 2; k++)
		out->p[k] = looked_up((unsigned)op->number[k], p[0], p[1], p[2]);
}

/* The number of the byte of c:a that goes to byte `to`; bit 3: eight times its sign. */
static unsigned chosen(unsigned mode, uint32_t selector, unsigned to)
{
	unsigned n = selector & 3;
	switch (mode) {
	case 1: /* .F4E */
		return (n + to) & 7;
	case 2: /* .B4E */
		return (n + 8 - to) & 7;
	case 3: /* .RC8 */
		return n;
	case 4: /* .ECL */
		return to > n ? to : n;
	case 5: /* .ECR */
		return to < n ? to : n;
	case 6: /* .RC16 */
		return (selector & 1) * 2 + (to & 1);
	default:
		return selector >> 4 * to & 15;
	}
}

FUNCTION(prmt)
{
	EACH
	{
		uint64_t bytes = in->s[0]->v[i] | (uint64_t)in->s[2]->v[i] << 32;
		uint32_t r = 0;
		for (unsigned to = 0; to < 4; to++) {
			unsigned from = chosen(op->m[0], in->s[1]->v[i], to);
			uint32_t byte = (uint32_t)(bytes >> 8 * (from & 7)) & 0xff;
			r |= (from & 8 ? byte >> 7 ? 0xffu : 0 : byte) << 8 * to;
		}
		out->d[0].v[i] = r;
	}
}

/* Of c:a. Without .W a shift is at most the width; the signed right shift is one of 64 bits. */
FUNCTION(shf)
{
	bool right = op->m[0] & 1, wraps = op->m[0] & 2, is_signed = op->m[1] == 0 || op->m[1] == 2, high = op->m[2];
	uint32_t bits = op->m[1] < 2 ? 64 : 32;
	EACH
	{
		uint64_t x = in->s[0]->v[i] | (uint64_t)in->s[2]->v[i] << 32;
		uint32_t by = wraps ? in->s[1]->v[i] & (bits - 1) : hd_min_u32(in->s[1]->v[i], bits);
		uint64_t sign = is_signed && x >> 63 ? UINT64_MAX : 0;
		if (right)
			x = by > 63 ? sign : by ? x >> by | sign << (64 - by) : x;
		else
			x = by > 63 ? 0 : x << by;
		out->d[0].v[i] = (uint32_t)(high ? x >> 32 : x);
	}
}

/* The low n bits, extended. */
static uint32_t extended(uint32_t a, uint32_t n, bool wraps, bool is_signed)
{
	n = wraps ? n & 31 : hd_min_u32(n, 32);
	if (n == 0)
		return 0;
	uint32_t low = a & UINT32_MAX >> (32 - n);
	return is_signed && n < 32 && low >> (n - 1) ? low | UINT32_MAX << n : low;
}
LANE(sgxt, extended(a, b, op->m[0], op->m[1]))

static uint32_t ones(uint32_t at, uint32_t n, bool wraps)
{
	at = wraps ? at & 31 : hd_min_u32(at, 32);
	n = wraps ? n & 31 : hd_min_u32(n, 32);
	uint64_t mask = (UINT64_C(1) << n) - 1;
	return (uint32_t)(mask << at);
}
LANE(bmsk, ones(a, b, op->m[0]))

/* a * b as 64 bits. */
static inline uint64_t product(uint32_t a, uint32_t b, bool is_signed)
{
	return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

FUNCTION(imad)
{
	uint32_t carry = op->m[1] ? hd_sm_p(op, in, 0, 0) : 0;
	EACH out->d[0].v[i] = in->s[0]->v[i] * in->s[1]->v[i] + in->s[2]->v[i] + (carry >> i & 1);
}

static uint64_t wide_sum(const hd_sm_op *op, const hd_sm_in *in, unsigned i, uint32_t carry, uint32_t *over)
{
	uint64_t p = product(in->s[0]->v[i], in->s[1]->v[i], op->m[0]), c = hd_sm_wide(in->s[2], i), sum = p + c, more = sum + (carry >> i & 1);
	*over |= (uint32_t)((sum < p) | (more < sum)) << i;
	return more;
}

FUNCTION(imad_wide)
{
	uint32_t carry = op->m[1] ? hd_sm_p(op, in, 0, 0) : 0, over = 0;
	EACH hd_sm_put_wide(out->d, i, wide_sum(op, in, i, carry, &over));
	out->p[0] = over;
}

FUNCTION(imad_hi)
{
	uint32_t carry = op->m[1] ? hd_sm_p(op, in, 0, 0) : 0, over = 0;
	EACH out->d[0].v[i] = (uint32_t)(wide_sum(op, in, i, carry, &over) >> 32);
	out->p[0] = over;
}

/* The sum of products of four bytes (.4A), or of two halves and two bytes, with c. */
FUNCTION(idp)
{
	bool bytes = op->m[0] == 0, signed_a = op->m[1] & 1, signed_b = op->m[2] & 1;
	unsigned first = op->m[0] == 3 ? 2 : 0;
	EACH
	{
		uint32_t a = in->s[0]->v[i], b = in->s[1]->v[i], sum = in->s[2]->v[i];
		for (unsigned k = 0; k < (bytes ? 4u : 2u); k++) {
			uint32_t x = bytes ? a >> 8 * k & 0xff : a >> 16 * k & 0xffff, y = b >> 8 * (k + first) & 0xff;
			if (signed_a)
				x = bytes ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
			if (signed_b)
				y = (uint32_t)(int8_t)y;
			sum += x * y;
		}
		out->d[0].v[i] = sum;
	}
}

/* Minimum or maximum of one number, or of each half. VECTOR_TYPE: .U32, signed, .U16x2, .S16x2. */
static uint32_t least(uint32_t a, uint32_t b, bool minimum, unsigned type)
{
	if (type == 0)
		return (a < b) == minimum ? a : b;
	if (type == 1)
		return ((int32_t)a < (int32_t)b) == minimum ? a : b;
	uint32_t r = 0;
	for (unsigned k = 0; k < 32; k += 16) {
		uint16_t x = (uint16_t)(a >> k), y = (uint16_t)(b >> k);
		bool less = type == 3 ? (int16_t)x < (int16_t)y : x < y;
		r |= (uint32_t)(less == minimum ? x : y) << k;
	}
	return r;
}
/* What .RELU makes of negative numbers. */
static uint32_t rectified(uint32_t a, unsigned type)
{
	if (type < 2)
		return (int32_t)a < 0 ? 0 : a;
	return (a & 0x8000 ? 0 : a & 0xffff) | (a >> 31 ? 0 : a & 0xffff0000);
}
static uint32_t halves_or_one(uint32_t a, bool relu, unsigned type) { return relu ? rectified(a, type) : a; }
LANE(vimnmx, halves_or_one(least(a, b, in->p[0] >> i & 1, op->m[0]), op->m[1], op->m[0]))

FUNCTION(vimnmx3)
{
	unsigned type = op->m[0] & 2 || op->m[1] & 1 ? op->m[0] | 2 : op->m[0];
	EACH
	{
		bool minimum = in->p[0] >> i & 1;
		uint32_t r = least(least(in->s[0]->v[i], in->s[1]->v[i], minimum, type), in->s[2]->v[i], minimum, type);
		out->d[0].v[i] = halves_or_one(r, op->m[1] & 2, type);
	}
}

FUNCTION(viaddmnmx)
{
	unsigned type = op->m[0] & 2 || op->m[1] & 1 ? op->m[0] | 2 : op->m[0];
	EACH
	{
		uint32_t a = in->s[0]->v[i], b = in->s[1]->v[i];
		uint32_t sum = type < 2 ? a + b : ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
		out->d[0].v[i] = halves_or_one(least(sum, in->s[2]->v[i], in->p[0] >> i & 1, type), op->m[1] & 2, type);
	}
}
