/* Matrix products of a warp: D = A * B + C with fragments as PTX lays them out. Lane 4 * g + t has rows g and g + 8, columns or elements from t on.
 */
#include "semantics/round.h"
#include "sm/half.h"
#include "sm/lane.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 256 };

/* Register and place of element (row, k) of A, or (k, column) of B, where a register has `each` elements: the words of the four lanes of a row follow
 * each other, and the registers of A are rows first, then further elements. */
static uint32_t element(const hd_vec32 *s, unsigned line, unsigned k, unsigned each, unsigned halves)
{
	unsigned group = k / (4 * each), lane = line % 8 * 4 + k / each % 4, bits = 32 / each;
	uint32_t word = s[group * halves + line / 8].v[lane] >> k % each * bits;
	return bits == 32 ? word : word & ((1u << bits) - 1);
}

/* The accumulator's element (row, column) in 32 bits: its lane, and its register. */
static unsigned lane_of(unsigned row, unsigned column) { return row % 8 * 4 + column / 2; }
static unsigned register_of(unsigned row, unsigned column) { return row / 8 * 2 + column % 2; }

/* -- floats ------------------------------------------------------------------------------------------------------------------------ */

typedef struct term {
	int64_t m; /* with its sign */
	int e;     /* the value is m * 2^e */
	int top;   /* exponent of the number that takes part in the alignment */
} term;

/* A float of the format as an integer times a power of two; its exponent field decides the alignment, also that of a denormal. */
static term term_of(uint32_t bits, int mantissa, int exponent)
{
	int bias = (1 << (exponent - 1)) - 1, field = (int)(bits >> mantissa & ((1u << exponent) - 1));
	int64_t m = (int64_t)(bits & ((1u << mantissa) - 1)) | (field ? INT64_C(1) << mantissa : 0);
	int e = (field ? field : 1) - bias;
	return (term){bits >> (mantissa + exponent) & 1 ? -m : m, e - mantissa, e};
}

typedef struct multiplication {
	int mantissa, exponent; /* of the factors */
	unsigned each;          /* factors in a register */
	unsigned depth, step;   /* elements of a row; so many are summed at once */
	int fraction;           /* bits below the largest exponent that the sum keeps */
	bool halves;            /* result of 16 bits */
} multiplication;

static double value_of(uint32_t bits, const multiplication *x)
{
	if (x->mantissa == 10 && x->exponent == 5)
		return hd_sm_of_half(bits, false);
	return hd_f32_of_bits(x->exponent == 8 && x->mantissa == 7 ? bits << 16 : bits << 13);
}

/* The sum of the products and c: each is cut to `fraction` bits below the largest exponent; the result is rounded to zero, to a half to nearest. */
static uint32_t summed(const uint32_t *a, const uint32_t *b, unsigned n, uint32_t c, const multiplication *x)
{
	term terms[ROWS + 1];
	double special = x->halves ? hd_sm_of_half(c, false) : hd_f32_of_bits(c);
	bool is_special = special - special != 0;
	int top = INT32_MIN;
	for (unsigned k = 0; k < n; k++) {
		double p = value_of(a[k], x), q = value_of(b[k], x);
		is_special |= p - p != 0 || q - q != 0;
		special += p * q;
		term s = term_of(a[k], x->mantissa, x->exponent), t = term_of(b[k], x->mantissa, x->exponent);
		terms[k] = (term){s.m * t.m, s.e + t.e, s.top + t.top};
	}
	if (is_special) { /* NaN or an infinity: ordinary arithmetic finds which */
		if (special != special)
			return x->halves ? 0x7fff : HD_F32_NAN;
		return x->halves ? hd_sm_to_half(special, false, HD_RN) : hd_bits_of_f32((float)special);
	}
	terms[n] = x->halves ? term_of(c, 10, 5) : term_of(c, 23, 8);
	for (unsigned k = 0; k <= n; k++)
		if (terms[k].m && terms[k].top > top)
			top = terms[k].top;
	if (top == INT32_MIN)
		return 0;
	int64_t sum = 0;
	int unit = top - x->fraction;
	for (unsigned k = 0; k <= n; k++) {
		int shift = terms[k].m ? terms[k].e - unit : 0; /* a zero may have a larger exponent */
		uint64_t m = (uint64_t)(terms[k].m < 0 ? -terms[k].m : terms[k].m);
		m = shift >= 0 ? m << shift : shift > -64 ? m >> -shift : 0;
		sum += terms[k].m < 0 ? -(int64_t)m : (int64_t)m;
	}
	bool minus = sum < 0;
	uint64_t m = (uint64_t)(minus ? -sum : sum);
	return (uint32_t)hd_round_pack(x->halves ? HD_FORMAT_F16 : HD_FORMAT_F32, x->halves ? HD_RN : HD_RZ_, minus, m, unit);
}

/* HMMA_IN: halves, bfloat16, TF32 (19 bits of a float). HMMA_SHAPE: m16n8k8, k16, k4. */
FUNCTION(hmma)
{
	static const uint8_t depths[4] = {8, 16, 4, 8};
	multiplication x = {.mantissa = op->m[2] == 1 ? 7 : 10,
	                    .exponent = op->m[2] == 0 ? 5 : 8,
	                    .each = op->m[2] == 2 ? 1 : 2,
	                    .depth = depths[op->m[0] & 3],
	                    .fraction = op->architecture >= 90 ? 25 : 24,
	                    .halves = !op->m[1]};
	x.step = op->architecture >= 90 ? x.depth : hd_min_u32(x.depth, op->m[2] == 2 ? 4 : 8);
	memset(out->d, 0, 4 * sizeof out->d[0]);
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned column = 0; column < COLUMNS; column++) {
			uint32_t a[16], b[16];
			unsigned lane = lane_of(row, column), reg = x.halves ? row / 8 : register_of(row, column),
			         shift = x.halves ? column % 2 * 16 : 0;
			uint32_t c = in->s[2][reg].v[lane] >> shift & (x.halves ? 0xffff : UINT32_MAX);
			for (unsigned k = 0; k < x.depth; k++) {
				a[k] = element(in->s[0], row, k, x.each, 2) >> (op->m[2] == 2 ? 13 : 0);
				b[k] = element(in->s[1], column, k, x.each, 1) >> (op->m[2] == 2 ? 13 : 0);
			}
			for (unsigned k = 0; k < x.depth; k += x.step)
				c = summed(a + k, b + k, x.step, c, &x);
			out->d[reg].v[lane] |= c << shift;
		}
}

static double number(const hd_sm_op *op, const hd_sm_in *in, unsigned source, unsigned reg, unsigned lane)
{
	uint64_t bits = hd_sm_wide(in->s[source] + reg, lane), sign = UINT64_C(1) << 63;
	bits = op->source[source].absolute ? bits & ~sign : bits;
	return hd_f64_of_bits(op->source[source].minus ? bits ^ sign : bits);
}

/* A chain of fused additions. */
FUNCTION(dmma)
{
	for (unsigned row = 0; row < 8; row++)
		for (unsigned column = 0; column < COLUMNS; column++) {
			unsigned lane = lane_of(row, column), reg = column % 2 * 2;
			double sum = number(op, in, 2, reg, lane);
			for (unsigned k = 0; k < 4; k++)
				sum = __builtin_fma(number(op, in, 0, 0, row * 4 + k), number(op, in, 1, 0, column * 4 + k), sum);
			hd_sm_put_wide(out->d + reg, lane, hd_f64_canonical(hd_bits_of_f64(sum)));
		}
}

/* -- integers ---------------------------------------------------------------------------------------------------------------------- */

static int32_t integer(uint32_t bits, unsigned width, bool is_signed)
{
	return is_signed && bits >> (width - 1) & 1 ? (int32_t)(bits | UINT32_MAX << width) : (int32_t)bits;
}

static int32_t accumulated(int64_t sum, bool saturates)
{
	if (saturates)
		return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
	return (int32_t)(uint32_t)sum;
}

/* IMMA_SHAPE: 0 m8n8k16, 2 m8n8k32, 4 m16n8k16, 5 m16n8k32, 6 m16n8k64. IMMA_A, IMMA_B: .U8 .S8 .U4 .S4 */
FUNCTION(imma)
{
	static const uint8_t depths[8] = {16, 16, 32, 32, 16, 32, 64, 64};
	unsigned rows = op->m[0] >= 4 ? 16 : 8, depth = depths[op->m[0] & 7], width = op->m[1] & 2 ? 4 : 8, each = 32 / width;
	for (unsigned row = 0; row < rows; row++)
		for (unsigned column = 0; column < COLUMNS; column++) {
			unsigned lane = lane_of(row, column), reg = register_of(row, column);
			int64_t sum = (int32_t)in->s[2][reg].v[lane];
			for (unsigned k = 0; k < depth; k++)
				sum += (int64_t)integer(element(in->s[0], row, k, each, rows / 8), width, op->m[1] & 1) *
				       integer(element(in->s[1], column, k, each, 1), width, op->m[2] & 1);
			out->d[reg].v[lane] = (uint32_t)accumulated(sum, op->m[3]);
		}
}

/* Counts bits of the exclusive or, or of the conjunction. BMMA_SHAPE: m8n8k128, m16n8k128, m16n8k256. */
FUNCTION(bmma)
{
	unsigned rows = op->m[0] ? 16 : 8, words = op->m[0] == 2 ? 8 : 4;
	for (unsigned row = 0; row < rows; row++)
		for (unsigned column = 0; column < COLUMNS; column++) {
			unsigned lane = lane_of(row, column), reg = register_of(row, column);
			uint32_t sum = in->s[2][reg].v[lane];
			for (unsigned k = 0; k < words; k++) {
				uint32_t a = element(in->s[0], row, k, 1, rows / 8), b = element(in->s[1], column, k, 1, 1);
				sum += hd_count_bits(op->m[1] ? a & b : a ^ b);
			}
			out->d[reg].v[lane] = sum;
		}
}

/* Transposes a matrix of eight rows of eight halves. */
FUNCTION(movm)
{
	(void)op;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint32_t word = 0;
		for (unsigned half = 0; half < 2; half++) {
			unsigned row = lane / 4, column = lane % 4 * 2 + half;
			word |= (in->s[0]->v[column * 4 + row / 2] >> row % 2 * 16 & 0xffff) << 16 * half;
		}
		out->d[0].v[lane] = word;
	}
}
