/* Registers that hold rows (rows.c) beside vectors, which a warp has when it runs alone: the same memory and statistics. */
#include "ways.h"

#define S2R(reg, which) I(.op = HD_OP_S2R, .d = reg, .sub = HD_SREG_##which)
#define IMM(operation, reg, from, value) I(.op = HD_OP_##operation, .d = reg, .a = from, .ksel = 3, .imm = (int32_t)(value))
#define MOVI(reg, value) I(.op = HD_OP_MOVI, .d = reg, .imm = (int32_t)(value))
#define EXIT I(.op = HD_OP_EXIT)

enum {
	THREAD = 1,
	SUM = 2,
	FACTOR = 3,
	PLACE = 4,
	MIXED = 8 /* registers r8 to r19 */,
	WORD = 62,
	PAIR = 58,
	REGISTERS = 12,
	PROGRAMS = 600,
	LENGTH = 40,
	PAIRS = 2048 /* where they begin, from R_OUT */
};

static uint8_t any(uint64_t *seed) { return (uint8_t)(MIXED + hd_random(seed) % REGISTERS); }
static uint8_t even(uint64_t *seed) { return (uint8_t)(MIXED + 2 * (hd_random(seed) % (REGISTERS / 2))); }

/* Numbers at which rows wrap, carry or change their sign. */
static uint32_t corner(uint64_t *seed)
{
	static const uint32_t corners[] = {0,          1,          2,          4,          8,          31,
	                                   32,         33,         63,         0xffffffff, 0xfffffff0, 0xffffff80,
	                                   0x80000000, 0x7fffffff, 0x7ffffff0, 0x7fffff00, 0x04000000, 0x03ffffff};
	return hd_random(seed) % 4 ? corners[hd_random(seed) % HD_COUNT(corners)] : (uint32_t)hd_random(seed);
}

/* An instruction whose result begins as a row, or as none. */
static hd_inst draw_source(uint64_t *seed)
{
	uint8_t d = any(seed);
	switch (hd_random(seed) % 8) {
	case 0:
		return S2R(d, TIDX);
	case 1:
		return S2R(d, TIDY);
	case 2:
		return S2R(d, TIDZ);
	case 3:
		return S2R(d, CTAIDX);
	case 4:
		return S2R(d, LANEID);
	case 5:
		return I(.op = HD_OP_IMAD, .d = d, .a = THREAD, .b = THREAD, .c = any(seed));
	default:
		return MOVI(d, corner(seed));
	}
}

/* Operations of which rows make rows, with registers, immediates and constants (the block's size) as their second operand. */
static hd_inst draw_linear(uint64_t *seed)
{
	static const uint8_t sums[] = {HD_OP_IADD, HD_OP_ISUB, HD_OP_IMUL, HD_OP_IMAD},
	                     wide[] = {HD_OP_IADD64, HD_OP_ISUB64, HD_OP_IMUL64, HD_OP_AND64},
	                     products[] = {HD_OP_IMULWS, HD_OP_IMULWU, HD_OP_IMADWS, HD_OP_IMADWU},
	                     shifts[] = {HD_OP_SHL, HD_OP_SHL64, HD_OP_SHRS, HD_OP_SHRU, HD_OP_SHRS64};
	hd_inst inst;
	switch (hd_random(seed) % 6) {
	case 0:
		inst = I(.op = sums[hd_random(seed) % 4], .d = any(seed), .a = any(seed), .b = any(seed), .c = any(seed));
		break;
	case 1:
		return I(.op = wide[hd_random(seed) % 4], .d = even(seed), .a = even(seed), .b = even(seed));
	case 2:
		inst = I(.op = products[hd_random(seed) % 4], .d = even(seed), .a = any(seed), .b = any(seed), .c = even(seed));
		break;
	case 3:
		return I(.op = shifts[hd_random(seed) % 5], .d = even(seed), .a = even(seed), .ksel = 3, .imm = (int32_t)(hd_random(seed) % 40));
	case 4:
		return hd_random(seed) % 2 ? I(.op = HD_OP_MOV, .d = any(seed), .a = any(seed))
		                           : I(.op = HD_OP_MOV64, .d = even(seed), .a = even(seed));
	default:
		return I(.op = sums[hd_random(seed) % 3], .d = any(seed), .a = any(seed), .ksel = 3, .imm = (int32_t)corner(seed));
	}
	if (hd_random(seed) % 2) {
		inst.ksel = 2;
		inst.b = 0;
	}
	if (hd_ops[inst.op].c == HD_W_N)
		inst.c = HD_RZ;
	return inst;
}

static hd_inst draw_other(uint64_t *seed)
{
	uint8_t p = hd_random(seed) % 4, d = any(seed), a = any(seed), b = any(seed);
	switch (hd_random(seed) % 8) {
	case 0:
		return I(.op = HD_OP_ISETP, .d = p, .a = a, .b = b, .sub = HD_CMP_LO);
	case 1:
		return I(.op = HD_OP_ISETP64, .d = p, .a = even(seed), .b = even(seed), .sub = HD_CMP_LT);
	case 2:
		return I(.op = HD_OP_SEL, .d = d, .a = a, .b = b, .sub = p);
	case 3:
		return I(.op = HD_OP_IADDC, .d = d, .a = a, .b = b, .sub = (uint8_t)(p | (hd_random(seed) % 4) << 3));
	case 4:
		return I(.op = HD_OP_SHFL, .d = d, .a = a, .b = b, .c = FACTOR, .mod = HD_SHFL_BFLY);
	case 5:
		return I(.op = HD_OP_XOR, .d = d, .a = a, .b = b);
	case 6:
		return I(.op = HD_OP_FFMA, .d = d, .a = a, .b = b, .c = any(seed));
	default:
		return I(.op = HD_OP_DADD, .d = even(seed), .a = even(seed), .b = even(seed));
	}
}

static hd_inst draw(uint64_t *seed)
{
	hd_inst inst = hd_random(seed) % 4 == 0 ? draw_source(seed) : hd_random(seed) % 4 ? draw_linear(seed) : draw_other(seed);
	if (hd_random(seed) % 5 == 0) {
		inst.guard = hd_random(seed) % 4;
		inst.guard_neg = hd_random(seed) % 2;
	}
	return inst;
}

/* Loads of rows, of one value for a warp, and of neither, from the buffer (which holds what an earlier CTA left) and from shared memory; stores of
 * rows into a thread's own words. Sizes of 1 to 16 bytes. */
static void put_memory(rig *r, uint64_t *seed)
{
	static const uint8_t sizes[] = {HD_SIZE_U8, HD_SIZE_S8, HD_SIZE_U16, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128};
	build *b = &r->b;
	uint8_t size = sizes[hd_random(seed) % 7], data = (uint8_t)(MIXED + 4 * (hd_random(seed) % (REGISTERS / 4)));
	uint32_t bytes = hd_size_bytes(size);
	bool masked = hd_random(seed) % 2 || bytes * hd_launch_threads(&r->launch) > 1024;
	emit(b, IMM(IMUL, PLACE, THREAD, hd_random(seed) % 3 ? bytes : 0));
	if (hd_random(seed) % 3 == 0) /* a word for each warp */
		emit(b, IMM(AND, PLACE, PLACE, 0x1e0));
	if (masked)
		emit(b, IMM(AND, PLACE, PLACE, 0x3f0 | (bytes < 16 ? 15 & (0 - bytes) : 0)));
	emit(b, I(.op = HD_OP_LDS, .d = data, .a = PLACE, .sub = size));
	emit(b, I(.op = HD_OP_BAR, .a = 0));
	emit(b, IMM(SHL, PLACE, THREAD, 2));
	emit(b, I(.op = HD_OP_STS, .a = PLACE, .b = any(seed), .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_BAR, .a = 0));
	emit(b, I(.op = HD_OP_LDG, .d = any(seed), .a = WORD, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_STG, .a = WORD, .b = any(seed), .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_STG, .a = PAIR, .b = even(seed), .imm = PAIRS, .sub = HD_SIZE_64));
	emit(b, I(.op = HD_OP_LDG, .d = any(seed), .a = PAIR, .imm = PAIRS + 4, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_LDG, .d = even(seed), .a = PAIR, .imm = PAIRS, .sub = HD_SIZE_64));
	emit(b, I(.op = HD_OP_LDG, .d = any(seed), .a = R_OUT, .imm = OUT_BYTES - 2052, .sub = HD_SIZE_32));
}

static void put_branch(build *b, uint64_t *seed)
{
	uint8_t p = hd_random(seed) % 4;
	uint32_t over = emit(b, I(.op = HD_OP_BRA, .guard = p));
	for (unsigned i = 0; i < 3; i++)
		emit(b, draw(seed));
	aim(b, over, here(b));
}

static void put_loop(build *b, uint64_t *seed)
{
	emit(b, MOVI(5, 3));
	uint32_t top = here(b);
	for (unsigned i = 0; i < 4; i++)
		emit(b, draw(seed));
	emit(b, IMM(IADD, 5, 5, -1));
	emit(b, I(.op = HD_OP_ISETP, .d = 5, .a = 5, .ksel = 3, .imm = 0, .sub = HD_CMP_GT));
	emit(b, I(.op = HD_OP_BRA, .guard = 5, .imm = (int32_t)top));
}

/* The number of the thread in THREAD, and the addresses of words and of pairs of words that nobody else has. All are rows where a warp is one row of
 * threads. */
static void put_places(rig *r)
{
	build *b = &r->b;
	uint32_t row = r->launch.block[0], plane = row * r->launch.block[1];
	emit(b, S2R(THREAD, TIDX));
	emit(b, S2R(5, TIDY));
	emit(b, S2R(6, TIDZ));
	emit(b, I(.op = HD_OP_MOV64, .d = R_OUT, .a = HD_BANK_PARAMS / 4, .ksel = 1));
	emit(b, MOVI(FACTOR, 31));
	emit(b, IMM(IMUL, 5, 5, row));
	emit(b, IMM(IMUL, 6, 6, plane));
	emit(b, I(.op = HD_OP_IADD, .d = THREAD, .a = THREAD, .b = 5));
	emit(b, I(.op = HD_OP_IADD, .d = THREAD, .a = THREAD, .b = 6));
	emit(b, IMM(IMUL, WORD, THREAD, 4));
	emit(b, MOVI(WORD + 1, 0));
	emit(b, I(.op = HD_OP_IADD64, .d = PAIR, .a = WORD, .b = WORD));
	emit(b, I(.op = HD_OP_IADD64, .d = WORD, .a = WORD, .b = R_OUT));
	emit(b, I(.op = HD_OP_IADD64, .d = PAIR, .a = PAIR, .b = R_OUT));
}

/* Stores a sum of r8 to r19. */
static void put_end(build *b)
{
	emit(b, MOVI(SUM, 0));
	for (unsigned i = 0; i < REGISTERS; i++)
		emit(b, I(.op = HD_OP_IMAD, .d = SUM, .a = SUM, .b = FACTOR, .c = (uint8_t)(MIXED + i)));
	emit(b, I(.op = HD_OP_STG, .a = WORD, .b = SUM, .sub = HD_SIZE_32));
	emit(b, EXIT);
}

static void put_program(rig *r, uint64_t *seed)
{
	static const uint32_t blocks[][3] = {{64, 1, 1}, {100, 1, 1}, {256, 1, 1}, {32, 4, 1}, {64, 2, 2},
	                                     {16, 8, 1}, {48, 2, 1},  {8, 4, 4},   {32, 1, 3}, {20, 1, 1}};
	build *b = &r->b;
	memcpy(r->launch.block, blocks[hd_random(seed) % HD_COUNT(blocks)], sizeof r->launch.block);
	r->launch.grid[0] = 1 + (uint32_t)hd_random(seed) % 2;
	put_places(r);
	for (unsigned i = 0; i < REGISTERS; i++) {
		hd_inst inst = draw_source(seed);
		inst.d = (uint8_t)(MIXED + i);
		emit(b, inst);
	}
	/* A barrier for a number of threads in a register, before threads end. */
	emit(b, I(.op = HD_OP_IMAD, .d = 7, .a = THREAD, .b = THREAD, .c = FACTOR)); /* a vector that says something else */
	emit(b, MOVI(7, hd_launch_warps(&r->launch) * HD_LANES));
	emit(b, I(.op = HD_OP_BAR, .a = 1, .b = 7));
	for (unsigned i = 0; i < LENGTH; i++) {
		uint64_t what = hd_random(seed) % 24;
		if (what == 0)
			put_memory(r, seed);
		else if (what == 1)
			put_branch(b, seed);
		else if (what == 2)
			put_loop(b, seed);
		else if (what == 3 && i > LENGTH / 2)
			emit(b, I(.op = HD_OP_EXIT, .guard = hd_random(seed) % 4, .guard_neg = 1, .imm = 0));
		else
			emit(b, draw(seed));
	}
	put_end(b);
}

TEST(random_code_has_the_same_result)
{
	for (uint64_t number = 1; number <= PROGRAMS; number++) {
		uint64_t seed = number;
		rig *r = rig_new();
		outcome team;
		put_program(r, &seed);
		expect_same(r, &team);
		rig_free(r);
	}
}

/* Where rows end: r8 and r9 are a row of 64 bits, the operation's result is no row. */
TEST(rows_end_where_lanes_carry)
{
	const struct {
		const char *what;
		uint32_t shift, plus; /* r8 = thread << shift, + plus: the second warp passes the end */
		hd_inst inst;
	} rows[] = {
	    {"the low words carry in some lanes", 3, 0, I(.op = HD_OP_IADD64, .d = 10, .a = 8, .b = 12)},
	    {"a signed factor changes its sign", 0, 0x7fffffd0, I(.op = HD_OP_IMULWS, .d = 10, .a = 8, .ksel = 3, .imm = 3)},
	    {"a product is longer than a word", 16, 0, I(.op = HD_OP_IMULWU, .d = 10, .a = 8, .ksel = 3, .imm = 0x7ffff)},
	    {"a shift takes bits into the high word", 24, 0, I(.op = HD_OP_SHL64, .d = 10, .a = 8, .ksel = 3, .imm = 10)},
	    {"the bit beside the sign", 0, 0x3ffffff0, I(.op = HD_OP_SHRS, .d = 10, .a = 8, .ksel = 3, .imm = 30)},
	    {"the sign", 0, 0x7fffffd0, I(.op = HD_OP_SHRS, .d = 10, .a = 8, .ksel = 3, .imm = 31)},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = rig_new();
		build *b = &r->b;
		outcome team;
		r->launch.block[0] = 64;
		put_places(r);
		emit(b, MOVI(9, rows[i].plus)); /* too large for an immediate operand */
		emit(b, IMM(SHL, 8, THREAD, rows[i].shift));
		emit(b, I(.op = HD_OP_IADD, .d = 8, .a = 8, .b = 9));
		emit(b, MOVI(9, 0));
		emit(b, MOVI(11, 0));
		emit(b, MOVI(12, 0xffffff80));
		emit(b, MOVI(13, 0));
		emit(b, rows[i].inst);
		/* In use as a row of 64 bits. */
		emit(b, I(.op = HD_OP_IADD64, .d = 14, .a = 10, .b = 12));
		put_end(b);
		expect_same(r, &team);
		rig_free(r);
	}
}

/* The state of a loop is in rows alone. */
TEST(a_counter_is_no_livelock)
{
	rig *r = rig_new();
	build *b = &r->b;
	outcome team;
	r->launch.block[0] = 64;
	put_places(r);
	emit(b, MOVI(MIXED, 0));
	emit(b, MOVI(7, 400000));
	uint32_t top = here(b);
	emit(b, IMM(IADD, MIXED, MIXED, 1));
	emit(b, I(.op = HD_OP_ISETP, .d = 5, .a = MIXED, .b = 7, .sub = HD_CMP_LT));
	emit(b, I(.op = HD_OP_BRA, .guard = 5, .imm = (int32_t)top));
	put_end(b);
	expect_same(r, &team);
	rig_free(r);
}
