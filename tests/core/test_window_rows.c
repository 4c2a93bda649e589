/* Dependences inside a candidate window (MI-5): bit j stands for the instruction j + 1 places before. */
#include "rig.h"

#include "core/issue/window_rows.h"

static hd_window_row rows[4];

/* The rows of a, b, c, d, which stand one behind the other. */
static void relate(hd_inst a, hd_inst b, hd_inst c)
{
	rig *r = rig_new(1);
	rig_put(r, a, delay(1));
	rig_put(r, b, delay(1));
	rig_put(r, c, delay(1));
	rig_exit(r);
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = 8};
	hd_code *code = hd_code_new(&r->machine, &r->program, true);
	memcpy(rows, code->window + 1, sizeof rows);
	hd_code_free(code);
	rig_free(r);
}

static hd_inst add(unsigned d, unsigned a, unsigned b) { return alu(HD_OP_IADD, d, a, b, HD_RZ); }
static hd_inst ex2(unsigned d, unsigned a) { return alu(HD_OP_FEX2, d, a, HD_RZ, HD_RZ); }

TEST(registers_order_instructions)
{
	relate(add(1, 2, 3), ex2(4, 1), sreg(5, HD_SREG_LANEID)); /* RAW */
	assert_int_equal(rows[1].after, 1);
	assert_int_equal(rows[2].after, 0);
	assert_int_equal(rows[0].before, 4); /* c may go before a, b may not, and may go with it */
	assert_int_equal(rows[0].with, 6);
	relate(add(1, 2, 3), ex2(2, 9), sreg(3, HD_SREG_LANEID)); /* WAR, twice */
	assert_int_equal(rows[1].after, 1);
	assert_int_equal(rows[2].after, 2);
	relate(add(1, 2, 3), ex2(1, 9), sreg(5, HD_SREG_LANEID)); /* WAW */
	assert_int_equal(rows[1].after, 1);
	relate(add(1, 2, 3), ex2(4, 2), sreg(5, HD_SREG_LANEID)); /* two reads */
	assert_int_equal(rows[1].after, 0);
}

TEST(predicates_and_guards_order_instructions)
{
	relate(setpi(HD_CMP_EQ, 1, 2, 0), guarded(ex2(4, 5), 1, 0), guarded(sreg(6, HD_SREG_LANEID), 2, 0));
	assert_int_equal(rows[1].after, 1);
	assert_int_equal(rows[2].after, 0);
}

TEST(one_pipe_keeps_the_order_of_the_program)
{
	relate(add(1, 2, 3), add(4, 5, 6), ex2(7, 8));
	assert_int_equal(rows[1].behind, 1);
	assert_int_equal(rows[2].behind, 0);
	assert_int_equal(rows[0].with, 4); /* c may go with a, b may not */
}

TEST(fence_counters_order_instructions)
{
	relate(primary(ex2(1, 2), 1), waits(add(3, 4, 5), 1), sreg(6, HD_SREG_LANEID));
	assert_int_equal(rows[1].after, 1);
	assert_int_equal(rows[2].after, 0);
	relate(primary(ex2(1, 2), 1), primary(sreg(6, HD_SREG_LANEID), 1), add(3, 4, 5));
	assert_int_equal(rows[1].after, 1);
	/* One that raises a counter comes in a later cycle than one that waits for it. */
	relate(waits(ex2(1, 2), 1), primary(sreg(6, HD_SREG_LANEID), 1), primary(add(3, 4, 5), 2));
	assert_int_equal(rows[1].behind, 1);
	assert_int_equal(rows[2].behind, 0);
	assert_int_equal(rows[0].with, 4);
}

/* Accesses to memory keep their order, in different pipes, too. */
TEST(memory_orders_instructions)
{
	relate(store(HD_OP_STS, 2, 0, 3), ex2(1, 9), alu(HD_OP_ATOMS, 4, 5, 6, HD_RZ));
	assert_int_equal(rows[2].after, 2);
	relate(load(HD_OP_LDS, 4, HD_RZ, 0), ex2(1, 9), alu(HD_OP_ATOMS, HD_RZ, 5, 6, HD_RZ));
	assert_int_equal(rows[2].after, 2);
	relate(alu(HD_OP_ATOMS, HD_RZ, 5, 6, HD_RZ), ex2(1, 9), load(HD_OP_LDS, 4, HD_RZ, 0));
	assert_int_equal(rows[2].after, 2);
}

/* MI-9 */
TEST(flow_is_sent_alone)
{
	relate(add(1, 2, 3), ex2(4, 5), sreg(6, HD_SREG_LANEID));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rows[i].alone, 4); /* the exit, at word 4 */
	relate(add(1, 2, 3), inst_(HD_OP_NOP), ex2(4, 1));
	assert_int_equal(rows[0].alone, 2);
	assert_int_equal(rows[2].after, 0); /* nothing before a nop is in a window with what is behind it */
}
