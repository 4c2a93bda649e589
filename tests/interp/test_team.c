/* The warps of a CTA side by side (team.c) beside each of them alone: memory, statistics and traps. test_flow.c has their control flow. */
#include "ways.h"

#define S2R(reg, which) I(.op = HD_OP_S2R, .d = reg, .sub = HD_SREG_##which)
#define IMM(operation, reg, from, value) I(.op = HD_OP_##operation, .d = reg, .a = from, .ksel = 3, .imm = value)
#define OP2(operation, reg, x, y) I(.op = HD_OP_##operation, .d = reg, .a = x, .b = y)
#define MOVI(reg, value) I(.op = HD_OP_MOVI, .d = reg, .imm = (int32_t)(value))
#define EXIT I(.op = HD_OP_EXIT)
#define SETP(p, x, cmp, value) I(.op = HD_OP_ISETP, .d = p, .a = x, .ksel = 3, .imm = value, .sub = HD_CMP_##cmp)

enum { MIXED = 8 /* registers r8 to r15 */, PROGRAMS = 300, LENGTH = 60 };

/* r62:r63 = the thread's word of the buffer, r1 = thread. */
static void put_begin(rig *r)
{
	build *b = &r->b;
	emit(b, S2R(1, TIDX));
	emit(b, MOVI(2, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 1, .b = 2, .c = R_OUT));
}

static void put_end(rig *r, unsigned value)
{
	emit(&r->b, I(.op = HD_OP_STG, .a = 62, .b = (uint8_t)value, .sub = HD_SIZE_32));
	emit(&r->b, EXIT);
}

static uint8_t any(uint64_t *seed) { return (uint8_t)(MIXED + hd_random(seed) % 8); }
static uint8_t even(uint64_t *seed) { return (uint8_t)(MIXED + 2 * (hd_random(seed) % 4)); }

/* An instruction on r8 to r15 and p0 to p3, with a guard or without. The destination is often a source. */
static hd_inst draw(uint64_t *seed)
{
	uint8_t d = any(seed), a = hd_random(seed) % 3 ? any(seed) : d, guard = hd_random(seed) % 3 ? HD_PT : hd_random(seed) % 4,
	        p = hd_random(seed) % 4;
	hd_inst inst = I(.op = HD_OP_IADD, .d = d, .a = a, .b = any(seed));
	switch (hd_random(seed) % 12) {
	case 0:
		inst.op = HD_OP_XOR;
		break;
	case 1:
		inst = I(.op = HD_OP_IMAD, .d = d, .a = a, .b = any(seed), .c = d);
		break;
	case 2:
		inst = IMM(SHL, d, a, 3);
		break;
	case 3:
		inst = I(.op = HD_OP_ISETP, .d = p, .a = a, .b = any(seed), .sub = HD_CMP_LO);
		break;
	case 4:
		inst = I(.op = HD_OP_SEL, .d = d, .a = a, .b = any(seed), .sub = (uint8_t)(p | (hd_random(seed) % 2) << 3));
		break;
	case 5:
		inst = I(.op = HD_OP_IADDC, .d = d, .a = a, .b = any(seed), .sub = (uint8_t)(p | (hd_random(seed) % 4) << 3));
		break;
	case 6:
		inst = I(.op = HD_OP_IADD64, .d = even(seed), .a = even(seed), .b = even(seed));
		break;
	case 7:
		inst = I(.op = HD_OP_IMULWU, .d = even(seed), .a = a, .b = any(seed));
		break;
	case 8:
		inst = I(.op = HD_OP_SHFL, .d = d, .a = a, .b = any(seed), .c = 3, .mod = HD_SHFL_BFLY);
		break;
	case 9:
		inst = I(.op = HD_OP_PLOP, .d = p, .b = 1, .sub = 0x6a, .sub2 = 0x20);
		break;
	case 10:
		inst = I(.op = HD_OP_IADD64, .d = HD_RZ, .a = even(seed), .b = even(seed)); /* dropped */
		break;
	default:
		break;
	}
	inst.guard = guard;
	inst.guard_neg = guard != HD_PT && hd_random(seed) % 2;
	return inst;
}

/* Shared memory: each thread its own word, or one that another warp wrote before the last barrier. */
static void put_exchange(build *b, uint64_t *seed)
{
	emit(b, IMM(SHL, 4, 1, 2));
	emit(b, I(.op = HD_OP_STS, .a = 4, .b = any(seed), .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_BAR, .a = 0));
	emit(b, IMM(XOR, 4, 4, 4 * (int)(hd_random(seed) % 128)));
	emit(b, I(.op = HD_OP_LDS, .d = any(seed), .a = 4, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_BAR, .a = 0));
}

TEST(random_code_has_the_same_result)
{
	unsigned dropped = 0;
	for (uint64_t number = 1; number <= PROGRAMS; number++) {
		uint64_t seed = number;
		rig *r = rig_new();
		build *b = &r->b;
		outcome team;
		r->launch.block[0] = 32 * (1 + (uint32_t)hd_random(&seed) % 7) + (uint32_t)hd_random(&seed) % 32;
		put_begin(r);
		emit(b, MOVI(3, 31));
		for (unsigned i = 0; i < 8; i++) {
			emit(b, MOVI(MIXED + i, hd_random(&seed)));
			emit(b, I(.op = HD_OP_IMAD, .d = (uint8_t)(MIXED + i), .a = 1, .b = (uint8_t)(MIXED + i),
			          .c = (uint8_t)(i ? MIXED + i - 1 : 1)));
		}
		emit(b, I(.op = HD_OP_EXIT, .guard = 0)); /* nobody yet: p0 is false */
		for (unsigned i = 0; i < LENGTH; i++) {
			if (hd_random(&seed) % 16 == 0)
				put_exchange(b, &seed);
			else if (hd_random(&seed) % 10 == 0) {
				/* A loop of which each thread has its own number of turns, and the guard of each turn is odd. */
				emit(b, IMM(AND, 5, any(&seed), 7));
				uint32_t top = here(b);
				emit(b, draw(&seed));
				emit(b, draw(&seed));
				emit(b, IMM(IADD, 5, 5, -1));
				emit(b, SETP(6, 5, GT, 0));
				emit(b, I(.op = HD_OP_BRA, .guard = 6, .imm = (int32_t)top));
			} else {
				emit(b, draw(&seed));
			}
		}
		for (unsigned i = 1; i < 8; i++)
			emit(b, I(.op = HD_OP_IMAD, .d = MIXED, .a = MIXED, .b = 3, .c = (uint8_t)(MIXED + i)));
		put_end(r, MIXED);
		expect_same(r, &team);
		dropped += team.stats.run_dropped > 0;
		rig_free(r);
	}
	assert_true(dropped > 0);
}

/* Calls of which some warps make none, and recursion of a depth that each thread has for itself. */
TEST(calls_have_the_same_result)
{
	rig *r = rig_new();
	build *b = &r->b;
	outcome team;
	r->launch.block[0] = 200;
	put_begin(r);
	emit(b, IMM(ISUB, 5, 1, 40));
	emit(b, IMM(AND, 6, 1, 7));
	emit(b, SETP(0, 5, GT, 0));
	uint32_t call = emit(b, I(.op = HD_OP_CALL, .guard = 0));
	put_end(r, 5);
	uint32_t function = here(b);
	build_function(b, "k", 1);
	emit(b, I(.op = HD_OP_IMAD, .d = 5, .a = 5, .b = 6, .c = 1));
	emit(b, IMM(IADD, 6, 6, -1));
	emit(b, SETP(1, 6, GT, 0));
	uint32_t again = emit(b, I(.op = HD_OP_CALL, .guard = 1));
	emit(b, IMM(IADD, 5, 5, 1));
	emit(b, I(.op = HD_OP_RET));
	build_function(b, "f", function);
	aim(b, call, function);
	aim(b, again, function);
	expect_same(r, &team);
	assert_true(team.stats.divergence_calls > 7);
	rig_free(r);
}

/* A warp that waits in a loop, at a lower address, for what another warp writes at a higher one, and the same the other way round. */
TEST(no_warp_is_kept_waiting)
{
	for (int waits = 0; waits < 2; waits++) {
		rig *r = rig_new();
		build *b = &r->b;
		r->launch.block[0] = 96;
		put_begin(r);
		emit(b, S2R(4, WARPID));
		emit(b, SETP(0, 4, EQ, waits ? 2 : 0));
		uint32_t over = emit(b, I(.op = HD_OP_BRA, .guard = 0));
		uint32_t top = here(b);
		emit(b, I(.op = HD_OP_LDS, .d = 5, .a = HD_RZ, .sub = HD_SIZE_32));
		emit(b, SETP(1, 5, EQ, 0));
		emit(b, I(.op = HD_OP_BRA, .guard = 1, .imm = (int32_t)top));
		aim(b, over, here(b));
		emit(b, MOVI(5, 77));
		emit(b, I(.op = HD_OP_STS, .a = HD_RZ, .b = 5, .sub = HD_SIZE_32));
		put_end(r, 5);
		if (!rig_run(r))
			fail_msg("%s", r->message.at);
		for (unsigned i = 0; i < 96; i++)
			assert_int_equal(rig_word(r, i), 77);
		rig_free(r);
	}
}

/* One thread of the third warp faults. */
TEST(a_trap_names_its_thread)
{
	for (int kind = 0; kind < 4; kind++) {
		outcome ways[2];
		rig *r = rig_new();
		build *b = &r->b;
		r->launch.block[0] = 160;
		put_begin(r);
		emit(b, SETP(0, 1, EQ, 77));
		emit(b, SETP(1, 1, GE, 64));
		uint32_t at = 0;
		if (kind == 0)
			at = emit(b, I(.op = HD_OP_TRAP, .guard = 0));
		emit(b, I(.op = HD_OP_IADD, .d = 62, .a = 62, .b = 1, .guard = kind == 1 ? 0 : 6)); /* not aligned */
		emit(b, I(.op = HD_OP_MOV, .d = 63, .a = 1, .guard = kind == 2 ? 0 : 6));           /* no memory there */
		if (kind == 1 || kind == 2)
			at = emit(b, I(.op = HD_OP_STG, .a = 62, .b = 1, .guard = 1, .sub = HD_SIZE_32));
		if (kind == 3)
			at = emit(b, I(.op = HD_OP_RET, .guard = 0));
		put_end(r, 1);
		rig_run(r);
		for (int alone = 0; alone < 2; alone++) {
			run_one_way(r, alone, 0, &ways[alone]);
			assert_false(ways[alone].ok);
			assert_int_equal(ways[alone].warp, 2);
			assert_int_equal(ways[alone].lane, 77 - 64);
			assert_int_equal(ways[alone].pc, at);
			hd_text_free(&ways[alone].message);
		}
		assert_int_equal(ways[0].kind, ways[1].kind);
		rig_free(r);
	}
}

/* The counts under a guard that holds for 7 threads of the second of three warps. */
TEST(lanes_are_counted)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 96;
	emit(b, S2R(1, TIDX));
	emit(b, IMM(ISUB, 2, 1, 40));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .ksel = 3, .imm = 7, .sub = HD_CMP_LO));
	emit(b, I(.op = HD_OP_IADD, .guard = 0, .d = 3, .a = 1, .b = 2));
	emit(b, EXIT);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.run_warp_instructions, 5 * 3 + 1);
	assert_int_equal(r->stats.run_thread_instructions, 5 * 96 + 7);
	assert_int_equal(r->stats.run_dropped, 2);
	rig_free(r);
}

/* The limit to instructions is exact for any number of warps, and comes after the same number of them. */
TEST(a_limit_is_exact)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 224;
	put_begin(r);
	uint32_t top = here(b);
	emit(b, IMM(IADD, 5, 5, 1));
	emit(b, I(.op = HD_OP_BRA, .imm = (int32_t)top));
	r->limit = 1;
	rig_run(r);
	for (uint64_t limit = 1; limit < 40000; limit = limit * 3 + 1) {
		outcome o;
		run_one_way(r, false, limit, &o);
		assert_false(o.ok);
		assert_int_equal(o.kind, HD_TRAP_CYCLES);
		assert_int_equal(o.stats.run_warp_instructions, limit);
		hd_text_free(&o.message);
	}
	rig_free(r);
}
