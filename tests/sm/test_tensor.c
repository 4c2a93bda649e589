/* Matrix products against the sums of their elements, with fragments as the PTX ISA draws them. */
#include "sm/half.h"
#include "sm/op.h"

#include "../test.h"

typedef struct product {
	hd_vec32 a[8], b[8], c[8];
	int64_t left[16][64], right[64][8], sum[16][8];
	unsigned rows, depth;
} product;

/* Figures of mma.m16n8k16 and its like: lane 4 * g + t has rows g, g + 8, and `each` neighbours from t * each on in every fourth of the depth. */
static void fill(product *p, unsigned rows, unsigned depth, unsigned each, int64_t least, int64_t most, uint32_t (*bits)(int64_t), uint64_t *random)
{
	*p = (product){.rows = rows, .depth = depth};
	unsigned width = 32 / each, halves = rows / 8;
	uint32_t keep = width == 32 ? UINT32_MAX : (1u << width) - 1;
	for (unsigned k = 0; k < depth; k++) {
		unsigned group = k / (4 * each), t = k / each % 4, shift = k % each * width;
		for (unsigned row = 0; row < rows; row++) {
			p->left[row][k] = least + (int64_t)(hd_random(random) % (uint64_t)(most - least + 1));
			p->a[group * halves + row / 8].v[row % 8 * 4 + t] |= (bits(p->left[row][k]) & keep) << shift;
		}
		for (unsigned column = 0; column < 8; column++) {
			p->right[k][column] = least + (int64_t)(hd_random(random) % (uint64_t)(most - least + 1));
			p->b[group].v[column * 4 + t] |= (bits(p->right[k][column]) & keep) << shift;
		}
	}
	for (unsigned row = 0; row < rows; row++)
		for (unsigned column = 0; column < 8; column++) {
			p->sum[row][column] = (int64_t)(hd_random(random) % 2000) - 1000;
			p->c[row / 8 * 2 + column % 2].v[row % 8 * 4 + column / 2] = bits == NULL ? 0 : (uint32_t)p->sum[row][column];
			for (unsigned k = 0; k < depth; k++)
				p->sum[row][column] =
				    (int64_t)((uint64_t)p->sum[row][column] + (uint64_t)p->left[row][k] * (uint64_t)p->right[k][column]);
		}
}

static uint32_t as_integer(int64_t x) { return (uint32_t)x; }
static uint32_t as_half(int64_t x) { return hd_sm_to_half((double)x, false, HD_RN); }
static uint32_t as_brain(int64_t x) { return hd_sm_to_half((double)x, true, HD_RN); }
static uint32_t as_float(int64_t x) { return hd_bits_of_f32((float)x); }

static void run(const product *p, hd_sm_op *op, hd_sm_fn *fn, hd_sm_out *out)
{
	hd_sm_in in = {.s = {p->a, p->b, p->c}, .mask = UINT32_MAX};
	op->n_sources = 3;
	memset(out, 0, sizeof *out);
	fn(op, &in, out);
}

static uint32_t result(const hd_sm_out *out, unsigned row, unsigned column) { return out->d[row / 8 * 2 + column % 2].v[row % 8 * 4 + column / 2]; }

TEST(sr_16_integers)
{
	(void)state;
	static const struct {
		unsigned shape, type, rows, depth, each;
		int64_t least, most;
	} kinds[] = {
	    {0, 1, 8, 16, 4, -128, 127}, {4, 1, 16, 16, 4, -128, 127}, {5, 0, 16, 32, 4, 0, 255}, {2, 3, 8, 32, 8, -8, 7}, {6, 2, 16, 64, 8, 0, 15}};
	uint64_t random = 1;
	for (unsigned i = 0; i < HD_COUNT(kinds) * 20; i++) {
		static product p;
		hd_sm_out out;
		unsigned kind = i % HD_COUNT(kinds);
		hd_sm_op op = {.m = {(uint8_t)kinds[kind].shape, (uint8_t)kinds[kind].type, (uint8_t)kinds[kind].type}};
		fill(&p, kinds[kind].rows, kinds[kind].depth, kinds[kind].each, kinds[kind].least, kinds[kind].most, as_integer, &random);
		run(&p, &op, hd_sm_imma, &out);
		for (unsigned row = 0; row < p.rows; row++)
			for (unsigned column = 0; column < 8; column++)
				assert_int_equal(result(&out, row, column), (uint32_t)p.sum[row][column]);
	}
}

/* Small integers are exact in every format, however they are summed. */
TEST(sr_16_floats)
{
	(void)state;
	static const struct {
		unsigned shape, in, depth, each;
		uint32_t (*bits)(int64_t);
	} kinds[] = {{0, 0, 8, 2, as_half}, {1, 0, 16, 2, as_half}, {1, 1, 16, 2, as_brain}, {0, 2, 8, 1, as_float}, {2, 2, 4, 1, as_float}};
	uint64_t random = 2;
	for (unsigned i = 0; i < HD_COUNT(kinds) * 10; i++) {
		static product p;
		hd_sm_out out;
		unsigned kind = i % HD_COUNT(kinds);
		hd_sm_op op = {.m = {(uint8_t)kinds[kind].shape, 1, (uint8_t)kinds[kind].in}, .architecture = i % 2 ? 80 : 90};
		fill(&p, 16, kinds[kind].depth, kinds[kind].each, -60, 60, kinds[kind].bits, &random);
		for (unsigned v = 0; v < 4; v++)
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				p.c[v].v[lane] = as_float((int32_t)p.c[v].v[lane]);
		run(&p, &op, hd_sm_hmma, &out);
		for (unsigned row = 0; row < 16; row++)
			for (unsigned column = 0; column < 8; column++)
				assert_int_equal(result(&out, row, column), as_float(p.sum[row][column]));
	}
}

/* 2^12 + 2^-12 of one product is cut 24 bits below the largest exponent; a float keeps the rest when it is near. */
TEST(sr_16_sums_are_cut)
{
	(void)state;
	static product p;
	hd_sm_out out;
	hd_sm_op op = {.m = {0, 1, 0}, .architecture = 80};
	p = (product){.rows = 16};
	p.a[0].v[0] = as_half(64) | hd_sm_to_half(0x1p-12, false, HD_RN) << 16;
	p.b[0].v[0] = as_half(64) | as_half(1) << 16;
	p.c[0].v[0] = hd_bits_of_f32(-4096);
	run(&p, &op, hd_sm_hmma, &out);
	assert_int_equal(out.d[0].v[0], hd_bits_of_f32(0x1p-12f));
	p.a[0].v[0] = as_half(64) | hd_sm_to_half(0x1p-13, false, HD_RN) << 16;
	run(&p, &op, hd_sm_hmma, &out);
	assert_int_equal(out.d[0].v[0], 0);
	op.architecture = 90; /* one bit more */
	run(&p, &op, hd_sm_hmma, &out);
	assert_int_equal(out.d[0].v[0], hd_bits_of_f32(0x1p-13f));
	/* A product of zero aligns nothing, however large its other factor is. */
	p.a[0].v[0] = hd_sm_to_half(0x1p-12, false, HD_RN) << 16;
	p.b[0].v[0] = as_half(1 << 15) | hd_sm_to_half(0x1p-14, false, HD_RN) << 16;
	p.c[0].v[0] = 0;
	run(&p, &op, hd_sm_hmma, &out);
	assert_int_equal(out.d[0].v[0], hd_bits_of_f32(0x1p-26f));
}

/* m8n8k4 of doubles: a register pair of A and B is one element, and a lane has two neighbours of C. */
TEST(sr_16_doubles)
{
	(void)state;
	hd_vec32 a[2], b[2], c[4];
	double left[8][4], right[4][8], sum[8][8];
	uint64_t random = 4;
	hd_sm_op op = {.n_sources = 3, .source = {[1] = {.minus = true}}};
	hd_sm_out out;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		double x = (double)(hd_random(&random) % 200) / 8 - 9, y = (double)(hd_random(&random) % 200) / 8 - 9;
		left[lane / 4][lane % 4] = x, right[lane % 4][lane / 4] = y;
		a[0].v[lane] = (uint32_t)hd_bits_of_f64(x), a[1].v[lane] = (uint32_t)(hd_bits_of_f64(x) >> 32);
		b[0].v[lane] = (uint32_t)hd_bits_of_f64(y), b[1].v[lane] = (uint32_t)(hd_bits_of_f64(y) >> 32);
		for (unsigned k = 0; k < 2; k++) {
			double z = (double)(hd_random(&random) % 100);
			sum[lane / 4][lane % 4 * 2 + k] = z;
			c[2 * k].v[lane] = (uint32_t)hd_bits_of_f64(z), c[2 * k + 1].v[lane] = (uint32_t)(hd_bits_of_f64(z) >> 32);
		}
	}
	hd_sm_dmma(&op, &(hd_sm_in){.s = {a, b, c}, .mask = UINT32_MAX}, &out);
	for (unsigned row = 0; row < 8; row++)
		for (unsigned column = 0; column < 8; column++) {
			unsigned lane = row * 4 + column / 2, reg = column % 2 * 2;
			for (unsigned k = 0; k < 4; k++)
				sum[row][column] -= left[row][k] * right[k][column];
			assert_true(hd_bits_of_f64(sum[row][column]) == (out.d[reg].v[lane] | (uint64_t)out.d[reg + 1].v[lane] << 32));
		}
}

/* Bits: elements of 32 of them, of which a product counts those that differ, or those of both. */
TEST(sr_16_bits)
{
	(void)state;
	uint64_t random = 5;
	for (unsigned i = 0; i < 60; i++) {
		static product p;
		hd_sm_out out;
		unsigned shape = i % 3, conjunction = i / 3 % 2;
		hd_sm_op op = {.m = {(uint8_t)shape, (uint8_t)conjunction}};
		fill(&p, shape ? 16 : 8, shape == 2 ? 8 : 4, 1, 0, UINT32_MAX, as_integer, &random);
		run(&p, &op, hd_sm_bmma, &out);
		for (unsigned row = 0; row < p.rows; row++)
			for (unsigned column = 0; column < 8; column++) {
				uint32_t sum = p.c[row / 8 * 2 + column % 2].v[row % 8 * 4 + column / 2];
				for (unsigned bit = 0; bit < 32 * p.depth; bit++) {
					bool x = p.left[row][bit / 32] >> bit % 32 & 1, y = p.right[bit / 32][column] >> bit % 32 & 1;
					sum += conjunction ? x && y : x != y;
				}
				assert_int_equal(result(&out, row, column), sum);
			}
	}
}

TEST(sr_16_transposed)
{
	(void)state;
	hd_vec32 matrix;
	hd_sm_in in = {.s = {&matrix}, .mask = UINT32_MAX};
	hd_sm_out out;
	hd_sm_op op = {0};
	for (unsigned lane = 0; lane < HD_LANES; lane++) /* element (row, column) is 8 * row + column */
		matrix.v[lane] = (lane / 4 * 8 + lane % 4 * 2) | (lane / 4 * 8 + lane % 4 * 2 + 1) << 16;
	hd_sm_movm(&op, &in, &out);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		assert_int_equal(out.d[0].v[lane], (lane % 4 * 16 + lane / 4) | (lane % 4 * 16 + 8 + lane / 4) << 16);
}
