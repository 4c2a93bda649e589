/* The oracle on small programs: memory of every kind, barriers, deadlocks (RC-17), traps with their places, limits. */
#include "rig.h"

#define S2R(reg, which) I(.op = HD_OP_S2R, .d = reg, .sub = HD_SREG_##which)
#define IMM(operation, reg, from, value) I(.op = HD_OP_##operation, .d = reg, .a = from, .ksel = 3, .imm = value)
#define OP2(operation, reg, x, y) I(.op = HD_OP_##operation, .d = reg, .a = x, .b = y)
#define MOVI(reg, value) I(.op = HD_OP_MOVI, .d = reg, .imm = value)
#define EXIT I(.op = HD_OP_EXIT)
#define SETP(p, x, cmp, value) I(.op = HD_OP_ISETP, .d = p, .a = x, .ksel = 3, .imm = value, .sub = HD_CMP_##cmp)

/* r1 = number of the thread in its CTA, r62:r63 = its word of the buffer. */
static void thread_address(rig *r)
{
	build *b = &r->b;
	emit(b, S2R(1, TIDX));
	emit(b, MOVI(2, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 1, .b = 2, .c = R_OUT));
}

static void put_result(rig *r, unsigned reg)
{
	emit(&r->b, I(.op = HD_OP_STG, .a = 62, .b = (uint8_t)reg, .sub = HD_SIZE_32));
	emit(&r->b, EXIT);
}

TEST(special_registers_number_threads_and_ctas)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 5;
	r->launch.block[1] = 3;
	r->launch.block[2] = 4;
	r->launch.grid[0] = 2;
	r->launch.grid[1] = 3;
	emit(b, S2R(1, TIDX));
	emit(b, S2R(2, TIDY));
	emit(b, S2R(3, TIDZ));
	emit(b, S2R(4, CTAIDX));
	emit(b, S2R(5, CTAIDY));
	/* word ((ctaid.y * 2 + ctaid.x) * 60 + tid.z * 15 + tid.y * 5 + tid.x) += 1 + laneid + warpid * 32 */
	emit(b, MOVI(10, 120));
	emit(b, I(.op = HD_OP_IMUL, .d = 6, .a = 5, .b = 10));
	emit(b, MOVI(10, 60));
	emit(b, I(.op = HD_OP_IMAD, .d = 6, .a = 4, .b = 10, .c = 6));
	emit(b, MOVI(10, 15));
	emit(b, I(.op = HD_OP_IMAD, .d = 6, .a = 3, .b = 10, .c = 6));
	emit(b, MOVI(10, 5));
	emit(b, I(.op = HD_OP_IMAD, .d = 6, .a = 2, .b = 10, .c = 6));
	emit(b, OP2(IADD, 6, 6, 1));
	emit(b, MOVI(10, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 6, .b = 10, .c = R_OUT));
	emit(b, S2R(7, WARPID));
	emit(b, IMM(SHL, 7, 7, 5));
	emit(b, S2R(8, LANEID));
	emit(b, OP2(IADD, 7, 7, 8));
	emit(b, IMM(IADD, 7, 7, 1));
	emit(b, I(.op = HD_OP_ATOMG, .a = 62, .b = 7, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, EXIT);
	assert_true(rig_run(r));
	for (unsigned i = 0; i < 6 * 60; i++)
		assert_int_equal(rig_word(r, i), 1 + i % 60);
	assert_int_equal(r->stats.run_ctas, 6);
	assert_int_equal(r->stats.run_warps, 12);
	assert_int_equal(r->stats.memory_global_atomics, 12);
	rig_free(r);
}

/* Shared, local, constant memory and the generic windows, with every size of load. */
TEST(memories_keep_what_they_are_given)
{
	rig *r = rig_new();
	build *b = &r->b;
	thread_address(r);
	emit(b, IMM(SHL, 3, 1, 2));
	emit(b, MOVI(4, (int32_t)0x8182f3f4u));
	emit(b, OP2(XOR, 4, 4, 1));
	emit(b, I(.op = HD_OP_STS, .a = 3, .b = 4, .sub = HD_SIZE_32, .imm = 128));
	emit(b, I(.op = HD_OP_MOVI, .d = 5, .imm = 0));
	emit(b, I(.op = HD_OP_STL, .a = HD_RZ, .b = 4, .sub = HD_SIZE_32, .imm = 8));
	/* Generic addresses: lanes below 16 look at shared memory, the others at local memory. */
	emit(b, SETP(0, 1, LO, 16));
	emit(b, IMM(IADD, 6, 3, 128));
	emit(b, MOVI(7, 8));
	emit(b, I(.op = HD_OP_SEL, .d = 6, .a = 6, .b = 7, .sub = 0));
	emit(b, MOVI(8, 1));
	emit(b, MOVI(9, 2));
	emit(b, I(.op = HD_OP_SEL, .d = 7, .a = 8, .b = 9, .sub = 0));
	emit(b, I(.op = HD_OP_LD, .d = 10, .a = 6, .sub = HD_SIZE_S8, .imm = 1));
	emit(b, I(.op = HD_OP_LD, .d = 11, .a = 6, .sub = HD_SIZE_U16, .imm = 2));
	emit(b, I(.op = HD_OP_LDS, .d = 12, .a = 3, .sub = HD_SIZE_U8, .imm = 128));
	emit(b, I(.op = HD_OP_LDL, .d = 13, .a = HD_RZ, .sub = HD_SIZE_32, .imm = 8));
	emit(b, I(.op = HD_OP_LDC, .d = 14, .a = HD_RZ, .sub = HD_SIZE_32, .imm = HD_BANK_NTID));
	emit(b, OP2(XOR, 10, 10, 11));
	emit(b, OP2(IADD, 10, 10, 12));
	emit(b, OP2(IADD, 10, 10, 13));
	emit(b, OP2(IADD, 10, 10, 14));
	put_result(r, 10);
	assert_true(rig_run(r));
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t v = 0x8182f3f4u ^ t;
		assert_int_equal(rig_word(r, t), ((0xfffffff3u ^ 0x8182u) + (v & 255) + v + 32));
	}
	assert_int_equal(r->stats.memory_shared_accesses, 4);
	assert_int_equal(r->stats.memory_local_accesses, 4);
	assert_int_equal(r->stats.memory_constant_accesses, 1);
	rig_free(r);
}

/* Each thread hands its value to the thread of the next warp through shared memory, several times: every barrier counts. */
TEST(barriers_order_the_warps_of_a_cta)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 128;
	r->launch.grid[0] = 2;
	thread_address(r);
	emit(b, MOVI(5, 20));
	emit(b, OP2(MOV, 6, 1, HD_RZ));
	emit(b, IMM(SHL, 3, 1, 2));
	emit(b, IMM(IADD, 4, 1, 32));
	emit(b, IMM(AND, 4, 4, 127));
	emit(b, IMM(SHL, 4, 4, 2));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_STS, .a = 4, .b = 6, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_BAR, .a = 3, .b = HD_RZ));
	emit(b, I(.op = HD_OP_LDS, .d = 6, .a = 3, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_BAR, .a = 3, .b = HD_RZ));
	emit(b, IMM(IADD, 6, 6, 1));
	emit(b, IMM(IADD, 5, 5, -1));
	emit(b, SETP(0, 5, GT, 0));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	put_result(r, 6);
	assert_true(rig_run(r));
	for (uint32_t t = 0; t < 128; t++) /* 20 turns = 5 rounds of 4 warps */
		assert_int_equal(rig_word(r, t), t + 20);
	rig_free(r);
}

/* A warp that only arrives goes on; the one that waits for both goes on when both have come. */
TEST(a_barrier_can_be_arrived_at_without_waiting)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 96;
	thread_address(r);
	emit(b, S2R(3, WARPID));
	emit(b, SETP(0, 3, EQ, 2));
	emit(b, SETP(1, 3, EQ, 0));
	emit(b, MOVI(4, 64));
	emit(b, I(.op = HD_OP_BRA, .guard = 0));
	uint32_t to_third = here(b) - 1;
	emit(b, I(.op = HD_OP_BAR, .guard = 1, .a = 1, .b = 4, .mod = 0));                 /* warp 0 waits for two */
	emit(b, I(.op = HD_OP_BAR, .guard = 1, .guard_neg = 1, .a = 1, .b = 4, .mod = 1)); /* warp 1 arrives */
	uint32_t third = here(b);
	put_result(r, 4);
	aim(b, to_third, third);
	assert_true(rig_run(r));
	for (uint32_t t = 0; t < 96; t++)
		assert_int_equal(rig_word(r, t), 64);
	rig_free(r);
}

/* Warp 1 ends, or waits at another barrier. */
/* The last warp that the others wait for comes by another way, at a higher address, and ends. */
TEST(rc_17_a_barrier_opens_when_the_last_warp_ends)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 96;
	emit(b, S2R(3, WARPID));
	emit(b, SETP(0, 3, EQ, 1));
	uint32_t away = emit(b, I(.op = HD_OP_BRA, .guard = 0));
	emit(b, I(.op = HD_OP_BAR, .a = 7, .b = HD_RZ));
	emit(b, EXIT);
	b->object->code.at[away] = hd_encode(&I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)here(b)));
	emit(b, MOVI(4, 1));
	emit(b, EXIT);
	assert_true(rig_run(r));
	rig_free(r);
}

TEST(rc_17_a_barrier_that_a_warp_never_reaches_is_a_deadlock)
{
	for (int ends = 0; ends < 2; ends++) {
		rig *r = rig_new();
		build *b = &r->b;
		r->launch.block[0] = 96;
		emit(b, S2R(3, WARPID));
		emit(b, SETP(0, 3, EQ, 1));
		emit(b, ends ? I(.op = HD_OP_EXIT, .guard = 0) : I(.op = HD_OP_BAR, .guard = 0, .a = 5, .b = HD_RZ));
		uint32_t bar = emit(b, I(.op = HD_OP_BAR, .a = 0, .b = HD_RZ));
		emit(b, EXIT);
		assert_int_equal(rig_run(r), ends);
		if (!ends) {
			assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
			assert_int_equal(r->trap.pc, bar);
			char line[200];
			snprintf(line, sizeof line, "k.cl:%u:3: error: kernel 'k': deadlock", 100 + bar);
			rig_says(r, line);
			snprintf(line, sizeof line, "warp 0 (lanes 0xffffffff) waits at barrier 0, 2 of 3 warps there, word 0x%x (k.cl:%u)", bar,
			         100 + bar);
			rig_says(r, line);
			rig_says(r, "warp 1 (lanes 0xffffffff) waits at barrier 5, 1 of 3");
			rig_says(r, "warp 2 (lanes 0xffffffff) waits at barrier 0");
		}
		rig_free(r);
	}
}

/* A barrier with a number of threads does not care who is left: warp 1 is one of the two that it wants, and has ended. */
TEST(rc_17_a_counted_barrier_waits_for_warps_that_have_ended)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 64;
	emit(b, S2R(3, WARPID));
	emit(b, SETP(0, 3, EQ, 1));
	emit(b, MOVI(4, 64));
	emit(b, I(.op = HD_OP_EXIT, .guard = 0));
	emit(b, I(.op = HD_OP_BAR, .a = 0, .b = 4));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_says(r, "warp 1 has ended");
	rig_free(r);
}

/* The lane that gets the lock leaves the loop and waits, at a higher address, for the others, which wait for the lock. */
TEST(rc_17_a_spin_lock_within_a_warp_is_a_deadlock)
{
	rig *r = rig_new();
	build *b = &r->b;
	emit(b, MOVI(1, 1));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_CASG, .d = 2, .a = R_OUT, .b = HD_RZ, .c = 1));
	emit(b, SETP(0, 2, NE, 0));
	uint32_t spin = emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	uint32_t release = emit(b, I(.op = HD_OP_STG, .a = R_OUT, .b = HD_RZ, .sub = HD_SIZE_32));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	assert_in_range(r->trap.pc, top, spin);
	char line[200];
	rig_says(r, "warp 0 (lanes 0xfffffffe) runs at ");
	snprintf(line, sizeof line, "lanes 0x00000001 wait for them at word 0x%x (k.cl:%u)", release, 100 + release);
	rig_says(r, line);
	rig_free(r);
}

/* The same lock between warps, one lane of each, works: warps take turns. */
TEST(warps_can_spin_for_one_another)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 128;
	emit(b, S2R(1, WARPID));
	uint32_t top = here(b); /* warps go in the order 3 2 1 0: word 0 counts down */
	emit(b, I(.op = HD_OP_LDG, .d = 2, .a = R_OUT, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, MOVI(3, 3));
	emit(b, OP2(ISUB, 3, 3, 1));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .b = 3, .sub = HD_CMP_NE));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, IMM(IADD, 2, 2, 1));
	emit(b, I(.op = HD_OP_STG, .a = R_OUT, .b = 2, .sub = HD_SIZE_32));
	emit(b, EXIT);
	assert_true(rig_run(r));
	assert_int_equal(rig_word(r, 0), 4);
	rig_free(r);
}

/* RC-17: warps that meet at a barrier for ever make no progress by that. */
TEST(warps_that_meet_for_ever_are_a_deadlock)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 128;
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_BAR, .a = 0, .b = HD_RZ));
	emit(b, I(.op = HD_OP_BRA, .imm = (int32_t)top));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_free(r);
}

/* RC-17: nor is it progress that one of them waits there in most rounds, because the other one has a longer way. */
TEST(a_warp_that_waits_is_no_progress)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 64;
	r->limit = 1 << 24;
	emit(b, S2R(1, WARPID));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_BAR, .a = 0, .b = HD_RZ));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 1, .b = HD_RZ, .sub = HD_CMP_EQ));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	for (unsigned i = 0; i < 8; i++)
		emit(b, MOVI(2, 7));
	emit(b, I(.op = HD_OP_BRA, .imm = (int32_t)top));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_free(r);
}

/* Warp 0 arrives at a barrier again and again without waiting, and nothing else of it changes. One day warp 1, which waits there, is released, and
 * tells warp 0 to stop. */
TEST(arrivals_at_a_barrier_are_a_change)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 64;
	emit(b, S2R(1, WARPID));
	emit(b, MOVI(6, 32 * 400000));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 1, .b = HD_RZ, .sub = HD_CMP_NE));
	uint32_t away = emit(b, I(.op = HD_OP_BRA, .guard = 0));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_BAR, .a = 1, .b = 6, .mod = 1));
	emit(b, I(.op = HD_OP_LDG, .d = 2, .a = R_OUT, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .b = HD_RZ, .sub = HD_CMP_EQ));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, EXIT);
	b->object->code.at[away] = hd_encode(&I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)here(b)));
	emit(b, I(.op = HD_OP_BAR, .a = 1, .b = 6));
	emit(b, I(.op = HD_OP_STG, .a = R_OUT, .b = 1, .sub = HD_SIZE_32));
	emit(b, EXIT);
	assert_true(rig_run(r));
	assert_int_equal(rig_word(r, 0), 1);
	rig_free(r);
}

TEST(faults_name_thread_address_and_buffer)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.block[0] = 8;
	r->launch.block[1] = 8;
	r->launch.grid[1] = 2;
	emit(b, S2R(1, TIDY));
	emit(b, S2R(2, CTAIDY));
	emit(b, OP2(AND, 1, 1, 2));
	emit(b, MOVI(2, OUT_BYTES));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 1, .b = 2, .c = R_OUT));
	uint32_t at = emit(b, I(.op = HD_OP_STG, .a = 62, .b = 1, .sub = HD_SIZE_64, .imm = 16));
	emit(b, EXIT);
	b->object->code.at[at] = hd_encode(&I(.op = HD_OP_STG, .a = 62, .b = HD_RZ, .sub = HD_SIZE_64, .imm = 16));
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(r->trap.pc, at);
	assert_int_equal(r->trap.address, r->out + OUT_BYTES + 16);
	assert_int_equal(r->trap.thread[1], 1);
	assert_int_equal(r->trap.cta[1], 1);
	char line[200];
	snprintf(line, sizeof line, "k.cl:%u:3: error: kernel 'k': store of 8 bytes", 100 + at);
	rig_says(r, line);
	rig_says(r, "the nearest below is 'out' of 4096 bytes");
	rig_says(r, "16 bytes past its end");
	rig_says(r, "stg");
	rig_says(r, "CTA (0,1,0), thread (0,1,0), warp 0, lane 8");
	rig_free(r);
}

static void run_to_trap(hd_inst inst, hd_trap_kind kind, const char *text)
{
	rig *r = rig_new();
	emit(&r->b, MOVI(1, 0x10));
	emit(&r->b, MOVI(2, 0x10000));
	uint32_t at = emit(&r->b, inst);
	emit(&r->b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, kind);
	assert_int_equal(r->trap.pc, at);
	rig_says(r, text);
	rig_free(r);
}

TEST(every_trap_has_its_kind_and_place)
{
	run_to_trap(I(.op = HD_OP_LDS, .d = 3, .a = 1, .sub = HD_SIZE_32, .imm = 2), HD_TRAP_ALIGNMENT, "not aligned, expected a multiple of 4");
	run_to_trap(I(.op = HD_OP_LDS, .d = 3, .a = 2, .sub = HD_SIZE_32), HD_TRAP_ADDRESS, "the CTA's shared memory of 1024 bytes");
	run_to_trap(I(.op = HD_OP_STS, .b = 3, .a = HD_RZ, .sub = HD_SIZE_32, .imm = 1024), HD_TRAP_ADDRESS, "shared memory");
	run_to_trap(I(.op = HD_OP_LDL, .d = 3, .a = 1, .sub = HD_SIZE_32, .imm = 48), HD_TRAP_ADDRESS, "the thread's local memory of 64 bytes");
	run_to_trap(I(.op = HD_OP_LDC, .d = 3, .a = 2, .sub = HD_SIZE_32), HD_TRAP_ADDRESS, "outside of the launch's constants and parameters");
	run_to_trap(I(.op = HD_OP_LD, .d = 4, .a = HD_RZ, .sub = HD_SIZE_32), HD_TRAP_ADDRESS, "address 0x0 is outside of every buffer");
	run_to_trap(I(.op = HD_OP_LDG, .d = 4, .a = R_OUT, .sub = HD_SIZE_128, .imm = OUT_BYTES), HD_TRAP_ADDRESS, "0 bytes past its end");
	run_to_trap(I(.op = HD_OP_RET), HD_TRAP_RETURN, "return outside of a subroutine");
	run_to_trap(I(.op = HD_OP_TRAP), HD_TRAP_INSTRUCTION, "executed a trap");
	run_to_trap(I(.op = HD_OP_BRX, .a = 2), HD_TRAP_PC, "control goes to word 0x10000");
	run_to_trap(I(.op = HD_OP_CALLX, .a = 1), HD_TRAP_PC, "control goes to word 0x10");
}

TEST(rc_13_calls_too_deep_are_a_trap)
{
	rig *r = rig_new();
	uint32_t call = emit(&r->b, I(.op = HD_OP_CALL)), f = call + 2;
	emit(&r->b, EXIT);
	build_function(&r->b, "k", 0);
	assert_int_equal(here(&r->b), f);
	emit(&r->b, I(.op = HD_OP_CALL, .imm = (int32_t)f));
	emit(&r->b, I(.op = HD_OP_RET));
	build_function(&r->b, "f", f);
	aim(&r->b, call, f);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_CALL_DEPTH);
	assert_int_equal(r->stats.divergence_max_depth, 16);
	rig_free(r);
}

/* RC-14: an indirect branch or call goes to a listed target, or it is a trap (docs/timing.md, "Control flow of a program"). */
TEST(rc_14_indirect_targets_are_listed)
{
	for (unsigned call = 0; call < 2; call++) {
		for (unsigned listed = 0; listed < 2; listed++) {
			rig *r = rig_new();
			emit(&r->b, I(.op = HD_OP_MOVI, .d = 1, .imm = 9));
			emit(&r->b, I(.op = (uint8_t)(call ? HD_OP_CALLX : HD_OP_BRX), .a = 1));
			emit(&r->b, EXIT);
			if (call)
				build_function(&r->b, "k", 0);
			while (here(&r->b) < 9)
				emit(&r->b, I(.op = HD_OP_NOP));
			emit(&r->b, I(.op = HD_OP_MOVI, .d = 2, .imm = 77));
			emit(&r->b, I(.op = HD_OP_STG, .a = R_OUT, .b = 2, .sub = HD_SIZE_32));
			emit(&r->b, EXIT);
			build_function(&r->b, "f", call ? 9 : 0);
			if (listed)
				hd_vec_push(&r->b.object->targets, 9);
			assert_int_equal(rig_run(r), listed);
			if (!listed)
				assert_int_equal(r->trap.kind, HD_TRAP_PC);
			assert_int_equal(rig_word(r, 0), listed ? 77 : 0);
			rig_free(r);
		}
	}
}

/* Code that reads its highest register, r63, adds it and 1 to the buffer's first word, and then writes it. */
static void put_counting(build *b)
{
	emit(b, MOVI(3, 1));
	emit(b, I(.op = HD_OP_ATOMG, .a = R_OUT, .b = 3, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, I(.op = HD_OP_ATOMG, .a = R_OUT, .b = 63, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, MOVI(63, 1000));
	emit(b, EXIT);
}

/* That code is reached in every way. The second CTA has the registers of the first. */
TEST(registers_begin_as_zeros)
{
	static const hd_op ways[] = {HD_OP_BRA, HD_OP_CALL, HD_OP_BRX, HD_OP_CALLX, HD_OP_NOP};
	enum { FAR = 17 };
	for (unsigned i = 0; i < HD_COUNT(ways); i++) {
		rig *r = rig_new();
		build *b = &r->b;
		bool call = ways[i] == HD_OP_CALL || ways[i] == HD_OP_CALLX, indirect = ways[i] == HD_OP_BRX || ways[i] == HD_OP_CALLX;
		r->launch.grid[0] = 2;
		emit(b, MOVI(1, FAR));
		emit(b, I(.op = (uint8_t)ways[i], .a = indirect ? 1 : HD_RZ, .imm = indirect || ways[i] == HD_OP_NOP ? 0 : FAR));
		emit(b, ways[i] == HD_OP_NOP ? I(.op = HD_OP_EXIT, .guard = 0) : EXIT); /* the guard is false */
		if (call)
			build_function(b, "k", 0);
		while (here(b) < FAR)
			emit(b, I(.op = HD_OP_NOP));
		put_counting(b);
		build_function(b, "f", call ? FAR : 0);
		hd_vec_push(&b->object->targets, FAR);
		assert_true(rig_run(r));
		assert_int_equal(rig_word(r, 0), 2 * HD_LANES);
		rig_free(r);
	}
}

/* One interpreter runs a kernel of few registers and then another one. */
TEST(registers_of_each_kernel_begin_as_zeros)
{
	rig *r = rig_new();
	hd_stats stats;
	hd_trap trap;
	const hd_interp_options options = {.call_depth = 1, .grid_depth = 1};
	emit(&r->b, EXIT);
	uint32_t entry = here(&r->b);
	emit(&r->b, I(.op = HD_OP_MOV64, .d = R_OUT, .a = HD_BANK_PARAMS / 4, .ksel = 1));
	put_counting(&r->b);
	assert_true(rig_run(r));
	hd_kernel second = r->b.object->kernels.at[0];
	second.entry = entry;
	hd_task tasks[] = {{.launch = r->launch}, {.launch = r->launch}};
	tasks[1].launch.kernel = &second;
	tasks[1].launch.grid[0] = 2;
	hd_interp *interp = hd_interp_new(r->program);
	for (unsigned i = 0; i < 2; i++)
		assert_true(hd_interp_run_again(interp, &tasks[i], 1, r->memory, &options, &stats, &trap));
	assert_int_equal(rig_word(r, 0), 2 * HD_LANES);
	hd_interp_free(interp);
	rig_free(r);
}

/* A register that is written under a guard, and one that a loop reads before it writes it: in the second CTA, both begin as zeros again. */
TEST(registers_that_some_threads_write_begin_as_zeros)
{
	rig *r = rig_new();
	build *b = &r->b;
	r->launch.grid[0] = 2;
	emit(b, S2R(1, TIDX));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 1, .ksel = 3, .imm = 7, .sub = HD_CMP_LT));
	emit(b, I(.op = HD_OP_MOVI, .guard = 0, .d = 5, .imm = 100));
	emit(b, MOVI(7, 3));
	emit(b, MOVI(8, 0));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_IADD, .d = 8, .a = 8, .b = 6)); /* r6 is 0, then 10, then 10 */
	emit(b, MOVI(6, 10));
	emit(b, I(.op = HD_OP_IADD, .d = 7, .a = 7, .ksel = 3, .imm = -1));
	emit(b, I(.op = HD_OP_ISETP, .d = 1, .a = 7, .ksel = 3, .imm = 0, .sub = HD_CMP_GT));
	emit(b, I(.op = HD_OP_BRA, .guard = 1, .imm = (int32_t)top));
	emit(b, I(.op = HD_OP_IADD, .d = 8, .a = 8, .b = 5));
	emit(b, MOVI(2, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 1, .b = 2, .c = R_OUT));
	emit(b, I(.op = HD_OP_STG, .a = 62, .b = 8, .sub = HD_SIZE_32));
	emit(b, MOVI(5, 1000000));
	emit(b, MOVI(6, 1000000));
	emit(b, EXIT);
	assert_true(rig_run(r));
	for (unsigned i = 0; i < HD_LANES; i++)
		assert_int_equal(rig_word(r, i), i < 7 ? 120 : 20);
	rig_free(r);
}

TEST(a_launch_ends_at_its_limit)
{
	rig *r = rig_new();
	uint32_t at = here(&r->b);
	emit(&r->b, IMM(IADD, 1, 1, 1));
	emit(&r->b, I(.op = HD_OP_BRA, .imm = (int32_t)at));
	r->limit = 100001;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_CYCLES);
	assert_int_equal(r->stats.run_warp_instructions, 100001);
	rig_says(r, "warp 0 (lanes 0xffffffff) runs at word");
	rig_free(r);
}

/* Lanes of one instruction take their turns, lowest first; a destination of RZ wants no old value; the old values are all different. */
TEST(atomics_are_performed_lane_after_lane)
{
	rig *r = rig_new();
	build *b = &r->b;
	thread_address(r);
	emit(b, MOVI(3, 1));
	emit(b, I(.op = HD_OP_ATOMS, .a = HD_RZ, .b = 3, .d = 4, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, I(.op = HD_OP_ATOMS, .a = HD_RZ, .b = 3, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, I(.op = HD_OP_LDS, .d = 5, .a = HD_RZ, .sub = HD_SIZE_32));
	emit(b, IMM(SHL, 5, 5, 8));
	emit(b, OP2(OR, 4, 4, 5));
	put_result(r, 4);
	assert_true(rig_run(r));
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(rig_word(r, t), t | 64 << 8);
	rig_free(r);
}

static bool stop_at_once(void *context, uint64_t now, uint64_t done, uint64_t all)
{
	++*(unsigned *)context;
	return true;
}

TEST(a_poll_can_stop_a_launch)
{
	rig *r = rig_new();
	uint32_t at = here(&r->b);
	emit(&r->b, IMM(IADD, 1, 1, 1));
	emit(&r->b, I(.op = HD_OP_BRA, .imm = (int32_t)at));
	r->limit = 1;
	rig_run(r);
	unsigned calls = 0;
	hd_trap_free(&r->trap);
	assert_false(hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 16, .poll = stop_at_once, .context = &calls}, &r->stats,
	                           &r->trap));
	assert_int_equal(r->trap.kind, HD_TRAP_INTERRUPTED);
	assert_int_equal(calls, 1);
	rig_free(r);
}

static bool run_again(rig *r, hd_interp *interp)
{
	hd_task task = {.launch = r->launch};
	hd_interp_options options = {.call_depth = 16, .grid_depth = 1, .max_instructions = 100000};
	hd_trap_free(&r->trap);
	return hd_interp_run_again(interp, &task, 1, r->memory, &options, &r->stats, &r->trap);
}

/* Every run of a kept interpreter begins as the first one: registers and memories are zero, the constants are those of the launch, also after a run
 * that ended in a trap, and when so much memory was used that none of it is kept. */
TEST(a_kept_interpreter_begins_anew)
{
	const uint32_t sizes[] = {32, 256, 8, 1024, 96};
	rig *r = rig_new();
	build *b = &r->b;
	thread_address(r);
	emit(b, I(.op = HD_OP_LDC, .d = 14, .a = HD_RZ, .sub = HD_SIZE_32, .imm = HD_BANK_NTID));
	emit(b, I(.op = HD_OP_MOV, .d = 15, .a = HD_BANK_NTID / 4, .ksel = 1));
	emit(b, I(.op = HD_OP_LDL, .d = 16, .a = HD_RZ, .sub = HD_SIZE_32, .imm = 8));
	emit(b, I(.op = HD_OP_LDS, .d = 17, .a = HD_RZ, .sub = HD_SIZE_32, .imm = 128));
	emit(b, OP2(IADD, 18, 18, 1)); /* r18 was never written */
	emit(b, OP2(IADD, 18, 18, 14));
	emit(b, OP2(IADD, 18, 18, 15));
	emit(b, OP2(IADD, 18, 18, 16));
	emit(b, OP2(IADD, 18, 18, 17));
	emit(b, I(.op = HD_OP_BAR, .a = 3, .b = HD_RZ));
	emit(b, MOVI(20, 7));
	emit(b, I(.op = HD_OP_STL, .a = HD_RZ, .b = 20, .sub = HD_SIZE_32, .imm = 8));
	emit(b, I(.op = HD_OP_STS, .a = HD_RZ, .b = 20, .sub = HD_SIZE_32, .imm = 128));
	put_result(r, 18);
	assert_true(rig_run(r));
	hd_interp *interp = hd_interp_new(r->program);
	for (unsigned kept = 0; kept < 2; kept++) {
		r->b.object->kernels.at[0].local_bytes = kept ? 64 : 4096; /* 1024 threads: 4 MiB, more than is kept */
		for (unsigned i = 0; i < HD_COUNT(sizes); i++) {
			r->launch.block[0] = sizes[i];
			assert_true(run_again(r, interp));
			for (uint32_t t = 0; t < sizes[i]; t++)
				assert_int_equal(rig_word(r, t), t + 2 * sizes[i]);
			assert_int_equal(r->stats.run_ctas, 1);
			/* A buffer that is not there */
			const uint8_t byte = r->params[5];
			r->params[5] ^= 0x80;
			assert_false(run_again(r, interp));
			assert_int_equal(r->trap.kind, HD_TRAP_ADDRESS);
			r->params[5] = byte;
		}
	}
	hd_interp_free(interp);
	rig_free(r);
}
