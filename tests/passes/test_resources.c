/* Resources of an instruction (HZ-23): registers word by word, predicates, the guard; its order in memory; which instructions can pair (PD-7). */
#include "../ir_builder.h"
#include "passes/analysis/resources.h"

static hd_resource_use use_in(const hd_ir_inst *inst, bool subroutine)
{
	hd_machine machine;
	hd_resource_use use;
	hd_machine_default(&machine);
	hd_resource_use_of(inst, subroutine, &machine, &use);
	return use;
}

static hd_resource_use use_of(const hd_ir_inst *inst) { return use_in(inst, false); }

static void expect_list(const uint16_t *list, unsigned n, const uint16_t *expected, unsigned count)
{
	assert_int_equal(n, count);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(list[i], expected[i]);
}

TEST(registers_are_counted_by_words)
{
	static const uint16_t reads[] = {4, 5, 6, 7, HD_RES_PRED + 3}, writes[] = {8, 9};
	ir_builder b = ir_new_allocated(1);
	hd_ir_inst *inst = ir_put(&b, HD_OP_IADD64, rr(8), rr(4), rr(6));
	inst->guard = p(3);
	hd_resource_use use = use_of(inst);
	expect_list(use.reads, use.n_reads, reads, HD_COUNT(reads));
	expect_list(use.writes, use.n_writes, writes, HD_COUNT(writes));
	ir_free(&b);
}

/* The zero register, the predicate "always", constants. */
TEST(what_never_changes_is_no_resource)
{
	static const uint16_t writes[] = {HD_RES_PRED + 2};
	ir_builder b = ir_new_allocated(1);
	hd_ir_inst *compare = ir_put(&b, HD_OP_ISETP, p(2), r(HD_RZ), imm(5));
	compare->guard = p(HD_PT);
	hd_resource_use use = use_of(compare);
	assert_int_equal(use.n_reads, 0);
	expect_list(use.writes, use.n_writes, writes, 1);
	use = use_of(ir_put(&b, HD_OP_IADD, r(HD_RZ), r(1), hd_opd_const(64, 1)));
	assert_int_equal(use.n_writes, 0);
	assert_int_equal(use.n_reads, 1);
	ir_free(&b);
}

TEST(pipes_latencies_and_drains)
{
	hd_machine machine;
	hd_machine_default(&machine);
	ir_builder b = ir_new_allocated(1);
	hd_resource_use use = use_of(ir_put(&b, HD_OP_FRCP, r(1), r(2), none));
	assert_int_equal(use.pipe, HD_PIPE_SFU);
	assert_int_equal(use.latency, machine.latency[HD_CLASS_SFU].latency);
	assert_false(use.variable || use.drains);
	assert_true(use_of(ir_put(&b, HD_OP_LDG, r(1), rr(2), none)).variable);
	assert_true(use_of(ir_put(&b, HD_OP_CALL, none, none, none)).drains);
	assert_true(use_of(ir_put(&b, HD_OP_RET, none, none, none)).drains);
	/* RC-16: behind an `exit` of a subroutine the warp may go on in a caller. */
	assert_false(use_in(ir_put(&b, HD_OP_EXIT, none, none, none), false).drains);
	assert_true(use_in(ir_put(&b, HD_OP_EXIT, none, none, none), true).drains);
	assert_false(use_of(ir_put_bra(&b, 0, none)).drains);
	/* With convergence barriers it may do so behind a `bar`. */
	hd_ir_inst *bar = ir_put(&b, HD_OP_BAR, none, none, none);
	assert_false(use_in(bar, true).drains);
	machine.divergence_mode = HD_DIV_BARRIERS;
	for (unsigned may_leave = 0; may_leave < 2; may_leave++) {
		hd_resource_use_of(bar, may_leave, &machine, &use);
		assert_int_equal(use.drains, may_leave);
	}
	b.f->kernel = true;
	assert_false(hd_may_leave_function(b.f));
	b.f->switches = true;
	assert_true(hd_may_leave_function(b.f));
	b.f->kernel = b.f->switches = false;
	assert_true(hd_may_leave_function(b.f));
	ir_free(&b);
}

TEST(memory_is_ordered_by_space)
{
	static const struct {
		unsigned op, order;
	} rows[] = {{HD_OP_BAR, HD_ORDER_FENCE},
	            {HD_OP_MEMBAR, HD_ORDER_FENCE | HD_ORDER_SHARED},
	            {HD_OP_LAUNCH, HD_ORDER_FENCE | HD_ORDER_SHARED},
	            {HD_OP_QPUSH, HD_ORDER_FENCE | HD_ORDER_SHARED},
	            {HD_OP_LDG, HD_ORDER_ACCESS},
	            {HD_OP_ATOMG, HD_ORDER_ACCESS},
	            {HD_OP_STL, HD_ORDER_NONE},
	            {HD_OP_LDC, HD_ORDER_NONE},
	            {HD_OP_LDS, HD_ORDER_ACCESS | HD_ORDER_SHARED},
	            {HD_OP_ATOMS, HD_ORDER_ACCESS | HD_ORDER_SHARED},
	            {HD_OP_LD, HD_ORDER_ACCESS | HD_ORDER_SHARED},
	            {HD_OP_IADD, HD_ORDER_NONE}};
	ir_builder b = ir_new_allocated(1);
	for (unsigned i = 0; i < HD_COUNT(rows); i++)
		assert_int_equal(use_of(ir_put(&b, rows[i].op, none, none, none)).order, rows[i].order);
	ir_free(&b);
}

static bool can_pair(const hd_ir_inst *first, const hd_ir_inst *second)
{
	hd_resource_use x = use_of(first), y = use_of(second);
	return hd_can_pair(first, &x, second, &y);
}

TEST(pairs_are_independent)
{
	ir_builder b = ir_new_allocated(1);
	hd_ir_inst *add = ir_put(&b, HD_OP_IADD, r(1), r(2), r(3)), *rcp = ir_put(&b, HD_OP_FRCP, r(4), r(5), none);
	assert_true(can_pair(add, rcp));
	assert_false(can_pair(add, ir_put(&b, HD_OP_IADD, r(6), r(7), r(8)))); /* one pipe */
	assert_false(can_pair(add, ir_put(&b, HD_OP_FRCP, r(4), r(1), none))); /* RAW */
	assert_false(can_pair(add, ir_put(&b, HD_OP_FRCP, r(1), r(5), none))); /* WAW */
	assert_false(can_pair(add, ir_put(&b, HD_OP_FRCP, r(3), r(5), none))); /* WAR */
	assert_false(can_pair(ir_put_bra(&b, 0, none), rcp));
	assert_true(can_pair(rcp, ir_put_bra(&b, 0, none)));
	assert_false(can_pair(rcp, ir_put(&b, HD_OP_RET, none, none, none)));
	assert_false(can_pair(ir_put(&b, HD_OP_ATOMS, none, r(1), r(2)), ir_put(&b, HD_OP_LDS, r(9), r(1), none))); /* order of memory */
	ir_free(&b);
}

/* The second must neither wait for the counter of the first nor raise a counter that the first raises or waits for. */
TEST(pairs_share_no_counter)
{
	ir_builder b = ir_new_allocated(1);
	hd_ir_inst *add = ir_put(&b, HD_OP_IADD, r(1), r(2), r(3)), *rcp = ir_put(&b, HD_OP_FRCP, r(4), r(5), none);
	add->primary = 2;
	rcp->primary = 1;
	assert_true(can_pair(add, rcp));
	rcp->wait = 1u << 1;
	assert_false(can_pair(add, rcp));
	rcp->wait = 0;
	rcp->primary = 2;
	assert_false(can_pair(add, rcp));
	rcp->primary = 1;
	add->wait = 1u << 0;
	assert_false(can_pair(add, rcp));
	ir_free(&b);
}

/* HZ-16: a pipe of 8 lanes takes four cycles for a warp. Each lane's result comes after the latency; all results, three cycles later. A reader of
 * other lanes' operands begins when all are there. */
TEST(latencies_of_narrow_pipes)
{
	static const struct {
		uint16_t op;
		uint8_t more_latency, more_delay;
	} rows[] = {{HD_OP_IADD, 0, 0}, {HD_OP_ISETP, 0, 3}, {HD_OP_SHFL, 3, 3}};
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		machine.lanes[pipe] = 8;
	ir_builder b = ir_new_allocated(1);
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_resource_use use;
		hd_ir_inst *inst = ir_put(&b, rows[i].op, rows[i].op == HD_OP_ISETP ? p(1) : r(1), r(2), r(3));
		hd_resource_use_of(inst, false, &machine, &use);
		uint32_t lane = machine.latency[hd_ops[rows[i].op].klass].latency;
		assert_int_equal(use.lane_latency, lane);
		assert_int_equal(use.latency, lane + rows[i].more_latency);
		assert_int_equal(use.delay_latency, lane + rows[i].more_delay);
	}
	ir_free(&b);
}
