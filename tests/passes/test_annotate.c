/* Fence counters and delays that hd_pass_annotate places: HZ-3, HZ-20, HZ-23, HZ-24, HZ-25, PD-5, PD-6; the hints that it chooses: PD-7 to PD-10,
 * PD-22. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "passes/annotate/annotate.h"

typedef struct fixture {
	hd_ir_module *module;
	hd_ir_function *f;
	hd_machine machine;
	hd_diag diag;
} fixture;

static fixture start(unsigned blocks)
{
	fixture x = {.module = hd_ir_module_new()};
	hd_machine_default(&x.machine);
	x.f = hd_ir_function_new(x.module, "test");
	x.f->kernel = true;
	x.f->allocated = true;
	for (unsigned b = 0; b < blocks; b++) {
		hd_ir_block_new(x.module, x.f);
		x.f->blocks.at[b]->term = HD_TERM_EXIT;
	}
	return x;
}

static void stop(fixture *x)
{
	hd_ir_module_free(x->module);
	hd_diag_free(&x->diag);
}

static hd_opd r(unsigned reg) { return hd_opd_reg(reg, 1); }
static hd_opd rr(unsigned reg) { return hd_opd_reg(reg, 2); }

static hd_ir_inst *put(fixture *x, unsigned block, unsigned op, hd_opd d, hd_opd a, hd_opd b)
{
	bool has_d = d.kind != HD_OPD_NONE;
	hd_ir_inst *inst = hd_ir_inst_new(x->module, op, has_d, (a.kind != HD_OPD_NONE) + (b.kind != HD_OPD_NONE));
	if (has_d)
		inst->d[0] = d;
	if (inst->ns > 0)
		inst->s[0] = a;
	if (inst->ns > 1)
		inst->s[1] = b;
	if (hd_ops[op].format == HD_F_LD || hd_ops[op].format == HD_F_ST)
		inst->sub = HD_SIZE_32;
	hd_vec_push(&x->f->blocks.at[block]->insts, inst);
	return inst;
}

static const hd_opd none = {0};

static void jump(fixture *x, unsigned from, hd_term_kind term, unsigned to, int other)
{
	hd_ir_block *block = x->f->blocks.at[from];
	block->term = term;
	hd_vec_push(&block->succ, to);
	if (other >= 0)
		hd_vec_push(&block->succ, (uint32_t)other);
	if (term == HD_TERM_BRANCH)
		block->pred = hd_opd_pred(0, false);
}

static void annotate(fixture *x)
{
	const hd_pass_context context = {.machine = &x->machine, .diag = &x->diag};
	assert_true(hd_pass_annotate(x->module, &context));
}

static void raw_inside_a_pipeline_is_a_delay(void **state)
{
	/* PD-5, PD-22: latency 4, so the reader issues 4 cycles later; one instruction stands in between */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *between = put(&x, 0, HD_OP_IADD, r(5), r(2), r(3));
	hd_ir_inst *c = put(&x, 0, HD_OP_IADD, r(4), r(1), r(1));
	annotate(&x);
	assert_int_equal(p->primary, 0);
	assert_int_equal(c->wait, 0);
	assert_int_equal(p->hint, HD_HINT_DELAY);
	assert_int_equal(p->delay + between->delay, x.machine.latency[HD_CLASS_ALU].latency);
	stop(&x);
}

static void waw_inside_a_pipeline_keeps_the_order_of_writes(void **state)
{
	/* mul takes 5, alu 4: the second must issue more than 1 later */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IMUL, r(1), r(2), r(3));
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	annotate(&x);
	assert_int_equal(p->delay, 2);
	stop(&x);
}

static void between_pipelines_a_counter(void **state)
{
	/* HZ-20, HZ-23: RAW from ALU to SFU, RAW from load (high latency) to ALU, WAR from store to ALU */
	fixture x = start(1);
	hd_ir_inst *add = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *rcp = put(&x, 0, HD_OP_FRCP, r(6), r(1), none);
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(10), rr(8), none);
	hd_ir_inst *use = put(&x, 0, HD_OP_IADD, r(11), r(10), r(3));
	hd_ir_inst *store = put(&x, 0, HD_OP_STG, none, rr(8), r(2));
	hd_ir_inst *war = put(&x, 0, HD_OP_MOVI, r(2), hd_opd_imm(7, 1), none);
	annotate(&x);
	assert_in_range(add->primary, 1, 4);
	assert_int_equal(add->release, 0);
	assert_int_equal(rcp->wait, 1u << (add->primary - 1));
	assert_in_range(load->primary, 5, 6);
	assert_int_equal(use->wait, 1u << (load->primary - 1));
	assert_in_range(store->primary, 5, 6);
	assert_int_equal(store->release, 1);
	assert_int_equal(war->wait, 1u << (store->primary - 1));
	assert_int_not_equal(store->primary, load->primary); /* HZ-24: in rotation */
	stop(&x);
}

static void a_dependence_already_waited_for_is_not_marked_again(void **state)
{
	/* HZ-25: the second reader is behind the first in the same queue */
	fixture x = start(1);
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
	hd_ir_inst *first = put(&x, 0, HD_OP_FRCP, r(6), r(7), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_FRSQ, r(5), r(1), none);
	annotate(&x);
	assert_int_equal(first->wait, 1u << (last->primary - 1));
	assert_int_equal(second->wait, 0);
	stop(&x);
}

static void another_queue_must_wait_for_itself(void **state)
{
	/* The SFU's wait does not hold back the conversion queue. */
	fixture x = start(1);
	hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *sfu = put(&x, 0, HD_OP_FRCP, r(6), r(1), none);
	hd_ir_inst *cvt = put(&x, 0, HD_OP_I2F, r(5), r(1), none);
	annotate(&x);
	assert_int_equal(sfu->wait, 1u << (p->primary - 1));
	assert_int_equal(cvt->wait, 1u << (p->primary - 1));
	stop(&x);
}

static void a_guarded_producer_settles_nothing_older(void **state)
{
	/* It may be dropped before older results are written (HZ-16). */
	fixture x = start(1);
	hd_ir_inst *old = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	hd_ir_inst *guarded = put(&x, 0, HD_OP_IADD, r(7), r(2), r(3));
	guarded->guard = hd_opd_pred(0, false);
	hd_ir_inst *first = put(&x, 0, HD_OP_FRCP, r(6), r(7), none);
	hd_ir_inst *second = put(&x, 0, HD_OP_FRSQ, r(5), r(1), none);
	annotate(&x);
	assert_int_equal(first->wait, 1u << (guarded->primary - 1));
	assert_int_not_equal(old->primary, 0);
	assert_int_equal(second->wait, 1u << (old->primary - 1));
	stop(&x);
}

static void the_other_side_of_a_branch_is_physically_behind(void **state)
{
	/* 0: if p0 goto 2; 1: then, load r1, jump 3; 2: else writes r1: WAW although no path of a thread has both. */
	fixture x = start(4);
	hd_ir_inst *branch = put(&x, 0, HD_OP_BRA, none, none, none);
	branch->guard = hd_opd_pred(0, false);
	jump(&x, 0, HD_TERM_BRANCH, 2, 1);
	hd_ir_inst *load = put(&x, 1, HD_OP_LDG, r(1), rr(8), none);
	put(&x, 1, HD_OP_BRA, none, none, none);
	jump(&x, 1, HD_TERM_JUMP, 3, -1);
	hd_ir_inst *other = put(&x, 2, HD_OP_MOVI, r(1), hd_opd_imm(7, 1), none);
	jump(&x, 2, HD_TERM_JUMP, 3, -1);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	annotate(&x);
	assert_int_not_equal(load->primary, 0);
	assert_int_equal(other->wait, 1u << (load->primary - 1));
	stop(&x);
}

static void loop_carried_dependences_are_found(void **state)
{
	/* block 1 loops: reads r1 in the SFU at its start, writes r1 in the ALU at its end */
	fixture x = start(3);
	jump(&x, 0, HD_TERM_JUMP, 1, -1);
	hd_ir_inst *use = put(&x, 1, HD_OP_FRCP, r(2), r(1), none);
	hd_ir_inst *def = put(&x, 1, HD_OP_IADD, r(1), r(3), r(3));
	hd_ir_inst *branch = put(&x, 1, HD_OP_BRA, none, none, none);
	branch->guard = hd_opd_pred(0, false);
	jump(&x, 1, HD_TERM_BRANCH, 1, 2);
	put(&x, 2, HD_OP_EXIT, none, none, none);
	annotate(&x);
	assert_int_not_equal(def->primary, 0);
	assert_true(use->wait >> (def->primary - 1) & 1);
	assert_int_not_equal(use->primary, 0); /* WAR from use to def */
	assert_int_equal(use->release, 1);
	assert_true(def->wait >> (use->primary - 1) & 1);
	assert_int_not_equal(use->primary, def->primary); /* HZ-3 */
	stop(&x);
}

/* The distance to what an earlier block made. PD-5: where that leads nowhere else, its last delay keeps it. */
static void delays_reach_across_blocks(void **state)
{
	fixture x = start(2);
	hd_ir_inst *p = put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	jump(&x, 0, HD_TERM_JUMP, 1, -1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(8), rr(2), rr(2));
	annotate(&x);
	assert_int_equal(p->delay, x.machine.latency[HD_CLASS_F64].latency);
	assert_int_equal(c->hint, HD_HINT_DELAY);
	assert_int_equal(c->delay, 1);
	stop(&x);
}

/* PD-6: where it may lead elsewhere, the consumer waits. */
static void a_wait_stays_where_the_way_divides(void **state)
{
	fixture x = start(4);
	put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	hd_ir_inst *branch = put(&x, 0, HD_OP_BRA, none, none, none);
	branch->guard = hd_opd_pred(0, false);
	jump(&x, 0, HD_TERM_BRANCH, 3, 1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(8), rr(2), rr(2));
	jump(&x, 1, HD_TERM_JUMP, 3, -1);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	annotate(&x);
	assert_int_equal(c->hint, HD_HINT_WAIT);
	/* Behind the producer: its own cycle, the branch's, and the decision. */
	assert_int_equal(c->delay, x.machine.latency[HD_CLASS_F64].latency - 2 - x.machine.latency[HD_CLASS_FLOW].latency);
	stop(&x);
}

/* divergent waited at the head of a loop, in every turn, for what was made before the loop. With a value of the turn before it has to. */
static void a_loop_does_not_wait_for_what_was_made_before_it(void **state)
{
	for (unsigned carried = 0; carried < 2; carried++) {
		fixture x = start(3);
		hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(3), r(3));
		jump(&x, 0, HD_TERM_JUMP, 1, -1);
		hd_ir_inst *c = put(&x, 1, HD_OP_IADD, r(2), r(1), r(1));
		if (carried)
			put(&x, 1, HD_OP_IMULHIU, r(1), r(4), r(4));
		put(&x, 1, HD_OP_BRA, none, none, none)->guard = hd_opd_pred(0, false);
		jump(&x, 1, HD_TERM_BRANCH, 1, 2);
		put(&x, 2, HD_OP_EXIT, none, none, none);
		x.machine.latency[HD_CLASS_MUL].latency = 7;
		annotate(&x);
		assert_int_equal(c->hint, carried ? HD_HINT_WAIT : HD_HINT_DELAY);
		if (carried)
			assert_int_equal(c->delay, 7 - 2 - x.machine.latency[HD_CLASS_FLOW].latency);
		else
			assert_int_equal(p->delay, x.machine.latency[HD_CLASS_ALU].latency);
		stop(&x);
	}
}

/* What is left at the end of a block counts from where its own dependences must have pushed the end. */
static void the_chain_behind_a_result_counts(void **state)
{
	fixture x = start(4);
	put(&x, 0, HD_OP_DADD, rr(2), rr(4), rr(6));
	put(&x, 0, HD_OP_IADD, r(12), r(13), r(13));
	put(&x, 0, HD_OP_DADD, rr(8), rr(2), rr(2)); /* 12 cycles later */
	put(&x, 0, HD_OP_BRA, none, none, none)->guard = hd_opd_pred(0, false);
	jump(&x, 0, HD_TERM_BRANCH, 3, 1);
	hd_ir_inst *c = put(&x, 1, HD_OP_DADD, rr(10), rr(2), rr(2));
	jump(&x, 1, HD_TERM_JUMP, 3, -1);
	put(&x, 3, HD_OP_EXIT, none, none, none);
	annotate(&x);
	assert_int_equal(c->hint, HD_HINT_DELAY);
	stop(&x);
}

static void barriers_wait_for_memory(void **state)
{
	fixture x = start(1);
	hd_ir_inst *store = put(&x, 0, HD_OP_STS, none, r(1), r(2));
	hd_ir_inst *load = put(&x, 0, HD_OP_LDS, r(3), r(1), none);
	hd_ir_inst *bar = put(&x, 0, HD_OP_BAR, none, none, none);
	annotate(&x);
	assert_int_not_equal(store->primary, 0);
	assert_int_equal(store->release, 0);
	assert_int_equal(bar->wait, 1u << (store->primary - 1) | 1u << (load->primary - 1));
	stop(&x);
}

static void calls_settle_everything(void **state)
{
	fixture x = start(1);
	hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	put(&x, 0, HD_OP_IADD, r(5), r(6), r(6));
	hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(7), r(6), r(6));
	hd_ir_inst *call = put(&x, 0, HD_OP_CALL, none, none, none);
	hd_ir_inst *after = put(&x, 0, HD_OP_FRCP, r(2), r(1), none);
	annotate(&x);
	assert_int_equal(call->wait, 1u << (load->primary - 1) | 1u << (last->primary - 1));
	assert_int_equal(after->wait, 0);
	stop(&x);
}

static void two_counters_are_enough(void **state)
{
	/* HZ-3 with K = 2, one low, one high: a chain through three pipelines, every link primary and secondary. */
	fixture x = start(1);
	x.machine.fence_counters = 2;
	x.machine.fence_high_latency = 1;
	x.machine.fence_threshold = 1000; /* all of them low */
	put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
	put(&x, 0, HD_OP_FRCP, r(4), r(1), none);
	put(&x, 0, HD_OP_I2F, r(5), r(4), none);
	put(&x, 0, HD_OP_IADD, r(6), r(5), r(5));
	annotate(&x);
	const hd_ir_block *block = x.f->blocks.at[0];
	unsigned branches = 0;
	for (size_t i = 0; i < block->insts.n; i++) {
		const hd_ir_inst *inst = block->insts.at[i];
		assert_true(inst->primary <= 2);
		assert_false(inst->primary && inst->wait >> (inst->primary - 1) & 1);
		branches += inst->op == HD_OP_BRA;
	}
	assert_int_equal(branches, 2);
	stop(&x);
}

/* What the compiler chooses for the first of two instructions, `d = op a, b` each, on a machine that issues in order. */
typedef struct two {
	unsigned op[2];
	hd_opd d[2], a[2], b[2];
} two;

static void expect_first(const two *t, const char *const *settings, hd_hint hint, unsigned number)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&x.machine, *settings, &x.diag));
	hd_ir_inst *first = put(&x, 0, t->op[0], t->d[0], t->a[0], t->b[0]);
	put(&x, 0, t->op[1], t->d[1], t->a[1], t->b[1]);
	annotate(&x);
	assert_int_equal(first->hint, hint);
	assert_int_equal(first->delay, number);
	stop(&x);
}

static void the_delay_is_that_of_the_table(void **state)
{
	/* PD-5, PD-22 */
	static const char *const nine[] = {"latency.alu.latency=9", NULL};
	const two t = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(1)}, {r(3), r(1)}};
	expect_first(&t, NULL, HD_HINT_DELAY, 4);
	expect_first(&t, nine, HD_HINT_DELAY, 9);
}

static void pairs_are_independent_and_of_different_pipes(void **state)
{
	/* PD-7, PD-22 */
	static const char *const wide[] = {"predecode.issue_width=2", NULL}, *const off[] = {"predecode.issue_width=2", "predecode.pair=false", NULL},
	                         *const window[] = {"predecode.issue_width=2", "multi_issue.window=4", NULL};
	const two t = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(5)}, {r(3), none}},
	          raw = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(1)}, {r(3), none}},
	          war = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(2)}, {r(2), r(5)}, {r(3), none}},
	          waw = {{HD_OP_IADD, HD_OP_FRCP}, {r(1), r(1)}, {r(2), r(5)}, {r(3), none}},
	          same = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {r(3), r(3)}};
	expect_first(&t, wide, HD_HINT_PAIR, 1);
	expect_first(&t, NULL, HD_HINT_DELAY, 1);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, window, HD_HINT_DELAY, 1);
	expect_first(&raw, wide, HD_HINT_DELAY, 1);
	expect_first(&war, wide, HD_HINT_DELAY, 1);
	expect_first(&waw, wide, HD_HINT_DELAY, 1);
	expect_first(&same, wide, HD_HINT_DELAY, 1);
}

static void a_unit_that_is_busy_lowers(void **state)
{
	/* PD-9, PD-22: as long as the next instruction goes to it, too */
	static const char *const off[] = {"predecode.boost=false", NULL}, *const seven[] = {"latency.sfu.interval=7", NULL},
	                         *const three_bits[] = {"predecode.carrier=instruction", NULL}, *const window[] = {"multi_issue.window=4", NULL};
	const two t = {{HD_OP_FRCP, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(5)}, {none, none}},
	          other = {{HD_OP_FRCP, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {none, r(5)}},
	          quick = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {r(3), r(5)}};
	expect_first(&t, NULL, HD_HINT_LOWER, 4);
	expect_first(&t, seven, HD_HINT_LOWER, 7);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, three_bits, HD_HINT_DELAY, 1);
	expect_first(&t, window, HD_HINT_DELAY, 1);
	expect_first(&other, NULL, HD_HINT_DELAY, 1);
	expect_first(&quick, NULL, HD_HINT_DELAY, 1);
}

static void loads_of_global_memory_may_be_replayed(void **state)
{
	/* PD-10, PD-22 */
	static const char *const off[] = {"predecode.replay=0", NULL}, *const three_bits[] = {"predecode.carrier=instruction", NULL};
	const two t = {{HD_OP_LDG, HD_OP_IADD}, {r(1), r(4)}, {rr(8), r(5)}, {none, r(5)}},
	          shared = {{HD_OP_LDS, HD_OP_IADD}, {r(1), r(4)}, {r(8), r(5)}, {none, r(5)}},
	          store = {{HD_OP_STG, HD_OP_IADD}, {none, r(4)}, {rr(8), r(5)}, {r(1), r(5)}};
	expect_first(&t, NULL, HD_HINT_MAY_REPLAY, 1);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, three_bits, HD_HINT_DELAY, 1);
	expect_first(&shared, NULL, HD_HINT_DELAY, 1);
	expect_first(&store, NULL, HD_HINT_DELAY, 1);
}

static void the_last_reader_holds(void **state)
{
	/* PD-8, PD-22: it ends the value's life by its flag; a reader before it, and the producer, do not */
	for (unsigned hold = 0; hold < 2; hold++) {
		fixture x = start(1);
		x.machine.multi_issue_window = 1;
		x.machine.predecode_hold = hold;
		hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		hd_ir_inst *reader = put(&x, 0, HD_OP_IADD, r(4), r(1), r(2));
		hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(5), r(1), r(3));
		annotate(&x);
		assert_true(last->s[0].last_use);
		assert_int_equal(p->hint, HD_HINT_DELAY);
		assert_int_equal(reader->hint, HD_HINT_DELAY);
		assert_int_equal(last->hint, hold ? HD_HINT_HOLD_REPLAY_MEM : HD_HINT_DELAY);
		stop(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(raw_inside_a_pipeline_is_a_delay),
	    cmocka_unit_test(waw_inside_a_pipeline_keeps_the_order_of_writes),
	    cmocka_unit_test(between_pipelines_a_counter),
	    cmocka_unit_test(a_dependence_already_waited_for_is_not_marked_again),
	    cmocka_unit_test(another_queue_must_wait_for_itself),
	    cmocka_unit_test(a_guarded_producer_settles_nothing_older),
	    cmocka_unit_test(the_other_side_of_a_branch_is_physically_behind),
	    cmocka_unit_test(loop_carried_dependences_are_found),
	    cmocka_unit_test(delays_reach_across_blocks),
	    cmocka_unit_test(a_wait_stays_where_the_way_divides),
	    cmocka_unit_test(a_loop_does_not_wait_for_what_was_made_before_it),
	    cmocka_unit_test(the_chain_behind_a_result_counts),
	    cmocka_unit_test(barriers_wait_for_memory),
	    cmocka_unit_test(calls_settle_everything),
	    cmocka_unit_test(two_counters_are_enough),
	    cmocka_unit_test(the_delay_is_that_of_the_table),
	    cmocka_unit_test(pairs_are_independent_and_of_different_pipes),
	    cmocka_unit_test(a_unit_that_is_busy_lowers),
	    cmocka_unit_test(loads_of_global_memory_may_be_replayed),
	    cmocka_unit_test(the_last_reader_holds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
