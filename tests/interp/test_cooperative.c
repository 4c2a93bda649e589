/* Cooperative launches in the oracle: CTAs that wait for each other. */
#include "rig.h"

#define S2R(reg, which) I(.op = HD_OP_S2R, .d = reg, .sub = HD_SREG_##which)
#define IMM(operation, reg, from, value) I(.op = HD_OP_##operation, .d = reg, .a = from, .ksel = 3, .imm = value)
#define OP2(operation, reg, x, y) I(.op = HD_OP_##operation, .d = reg, .a = x, .b = y)
#define MOVI(reg, value) I(.op = HD_OP_MOVI, .d = reg, .imm = value)
#define EXIT I(.op = HD_OP_EXIT)

enum { CTAS = 4 };

/* CTAs go in the order 3 2 1 0: word 0 of the buffer counts them. Each has its number in a register and in shared memory, before it waits, and writes
 * their sum into the buffer, behind. */
static void emit_turns(build *b)
{
	emit(b, S2R(1, CTAIDX));
	emit(b, I(.op = HD_OP_STS, .a = HD_RZ, .b = 1, .sub = HD_SIZE_32));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 2, .a = R_OUT, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, MOVI(3, CTAS - 1));
	emit(b, OP2(ISUB, 3, 3, 1));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .b = 3, .sub = HD_CMP_NE));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, IMM(IADD, 2, 2, 1));
	emit(b, I(.op = HD_OP_STG, .a = R_OUT, .b = 2, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_LDS, .d = 4, .a = HD_RZ, .sub = HD_SIZE_32));
	emit(b, OP2(IADD, 4, 4, 1));
	emit(b, IMM(IADD, 5, 1, 1));
	emit(b, MOVI(6, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 5, .b = 6, .c = R_OUT));
	emit(b, I(.op = HD_OP_STG, .a = 62, .b = 4, .sub = HD_SIZE_32));
	emit(b, EXIT);
}

static rig *of_ctas(bool cooperative)
{
	rig *r = rig_new();
	r->launch.grid[0] = CTAS;
	r->launch.block[0] = 1;
	r->launch.cooperative = cooperative;
	return r;
}

TEST(ctas_can_spin_for_one_another)
{
	rig *r = of_ctas(true);
	emit_turns(&r->b);
	assert_true(rig_run(r));
	assert_int_equal(rig_word(r, 0), CTAS);
	for (unsigned i = 0; i < CTAS; i++)
		assert_int_equal(rig_word(r, 1 + i), 2 * i);
	assert_int_equal(r->stats.run_ctas, CTAS);
	rig_free(r);
}

/* One after the other the first one spins for ever. */
TEST(only_where_the_launch_says_so)
{
	rig *r = of_ctas(false);
	emit_turns(&r->b);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_free(r);
}

/* RC-17: nobody writes what all wait for. */
TEST(ctas_that_wait_for_nobody_are_a_livelock)
{
	rig *r = of_ctas(true);
	build *b = &r->b;
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 2, .a = R_OUT, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, MOVI(3, 7));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .b = 3, .sub = HD_CMP_NE));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_says(r, "livelock");
	rig_free(r);
}

/* One CTA counts in memory for a long time, while the others repeat their states: they do not spin for ever. */
TEST(ctas_that_wait_for_long_are_none)
{
	enum { LONG = 200000 };
	rig *r = of_ctas(true);
	build *b = &r->b;
	emit(b, S2R(1, CTAIDX));
	emit(b, MOVI(3, LONG));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 2, .a = R_OUT, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 1, .b = HD_RZ, .sub = HD_CMP_EQ));
	emit(b, IMM(IADD, 4, 2, 1));
	emit(b, I(.op = HD_OP_STG, .guard = 0, .a = R_OUT, .b = 4, .sub = HD_SIZE_32));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 2, .b = 3, .sub = HD_CMP_LT));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, EXIT);
	assert_true(rig_run(r));
	assert_in_range(rig_word(r, 0), LONG, LONG + 1);
	rig_free(r);
}

TEST(a_trap_names_its_cta)
{
	rig *r = of_ctas(true);
	build *b = &r->b;
	emit(b, S2R(1, CTAIDX));
	emit(b, MOVI(3, 2));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 1, .b = 3, .sub = HD_CMP_EQ));
	emit(b, I(.op = HD_OP_TRAP, .guard = 0));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_INSTRUCTION);
	assert_int_equal(r->trap.cta[0], 2);
	rig_free(r);
}

TEST(a_limit_ends_it)
{
	rig *r = of_ctas(true);
	r->limit = 50;
	build *b = &r->b;
	uint32_t top = here(b);
	emit(b, IMM(IADD, 2, 2, 1));
	emit(b, I(.op = HD_OP_BRA, .imm = (int32_t)top));
	emit(b, EXIT);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_CYCLES);
	rig_free(r);
}
