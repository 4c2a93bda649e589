/* Hints beyond delays, waits and pairs: PD-8 to PD-10, PD-22. */
#include "annotate_rig.h"
#include "passes/annotate/delays.h"
#include "passes/annotate/hints.h"
#include "passes/annotate/last_use.h"

static void choose(fixture *x)
{
	link_blocks(x);
	hd_place_delays(x->b.f, &x->machine);
	hd_mark_last_uses(x->b.m, &x->machine);
	hd_choose_hints(x->b.f, &x->machine);
}

/* The compiler's choice for the first of two instructions, `d = op a, b` each, on a machine that issues in order. */
typedef struct two {
	unsigned op[2];
	hd_opd d[2], a[2], b[2];
} two;

static void expect_first(const two *t, const char *const *settings, hd_hint hint, unsigned number)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 1;
	hd_diag diag = {0};
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&x.machine, *settings, &diag));
	hd_ir_inst *first = put(&x, 0, t->op[0], t->d[0], t->a[0], t->b[0]);
	put(&x, 0, t->op[1], t->d[1], t->a[1], t->b[1]);
	choose(&x);
	assert_int_equal(first->hint, hint);
	assert_int_equal(first->delay, number);
	stop(&x);
}

TEST(a_unit_that_is_busy_lowers)
{
	/* PD-9, PD-22: as long as the next instruction goes to it, too */
	static const char *const equal[] = {"predecode.priority=program", NULL},
	                         *const off[] = {"predecode.priority=program", "predecode.boost=false", NULL},
	                         *const seven[] = {"predecode.priority=program", "latency.sfu.interval=7", NULL},
	                         *const three_bits[] = {"predecode.priority=program", "predecode.carrier=instruction", NULL},
	                         *const window[] = {"predecode.priority=program", "multi_issue.window=4", NULL};
	const two t = {{HD_OP_FRCP, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(5)}, {none, none}},
	          other = {{HD_OP_FRCP, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {none, r(5)}},
	          quick = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(5)}, {r(3), r(5)}};
	expect_first(&t, equal, HD_HINT_LOWER, 4);
	expect_first(&t, NULL, HD_HINT_DELAY, 1); /* by age the warps have an order, against which it would work */
	expect_first(&t, seven, HD_HINT_LOWER, 7);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, three_bits, HD_HINT_DELAY, 1);
	expect_first(&t, window, HD_HINT_DELAY, 1);
	expect_first(&other, equal, HD_HINT_DELAY, 1);
	expect_first(&quick, equal, HD_HINT_DELAY, 1);
}

/* PD-9, PD-23: a warp with a load of global memory among its next four instructions is boosted, where the key says so, all warps are equal and the
 * delay is that of `default`. */
TEST(a_load_ahead_boosts)
{
	static const char *const on[] = {"predecode.priority=program", "predecode.boost_loads=true", NULL},
	                         *const by_age[] = {"predecode.boost_loads=true", NULL}, *const off[] = {"predecode.priority=program", NULL},
	                         *const no_boost[] = {"predecode.priority=program", "predecode.boost_loads=true", "predecode.boost=false", NULL},
	                         *const window[] = {"predecode.priority=program", "predecode.boost_loads=true", "multi_issue.window=4", NULL};
	const two t = {{HD_OP_IADD, HD_OP_LDG}, {r(1), r(4)}, {r(2), rr(8)}, {r(3), none}},
	          shared = {{HD_OP_IADD, HD_OP_LDS}, {r(1), r(4)}, {r(2), r(8)}, {r(3), none}},
	          dependent = {{HD_OP_IADD, HD_OP_IADD}, {r(1), r(4)}, {r(2), r(1)}, {r(3), r(5)}};
	expect_first(&t, on, HD_HINT_BOOST, 15);
	expect_first(&t, by_age, HD_HINT_DELAY, 1);
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, no_boost, HD_HINT_DELAY, 1);
	expect_first(&t, window, HD_HINT_DELAY, 1);
	expect_first(&shared, on, HD_HINT_DELAY, 1);
	for (unsigned between = 2; between < 6; between++) { /* the load is so many instructions behind the first */
		fixture x = start(1);
		hd_diag diag = {0};
		x.machine.multi_issue_window = 1;
		for (unsigned i = 0; on[i]; i++)
			assert_true(hd_machine_set(&x.machine, on[i], &diag));
		hd_ir_inst *first = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		for (unsigned i = 1; i < between; i++)
			put(&x, 0, HD_OP_IADD, r(10 + i), r(2), r(3));
		put(&x, 0, HD_OP_LDG, r(4), rr(8), none);
		choose(&x);
		assert_int_equal(first->hint, between <= 4 ? HD_HINT_BOOST : HD_HINT_DELAY);
		stop(&x);
	}
	/* The delay that a consumer needs stays. */
	fixture x = start(1);
	hd_diag diag = {0};
	x.machine.multi_issue_window = 1;
	for (unsigned i = 0; on[i]; i++)
		assert_true(hd_machine_set(&x.machine, on[i], &diag));
	hd_ir_inst *first = put(&x, 0, dependent.op[0], dependent.d[0], dependent.a[0], dependent.b[0]);
	put(&x, 0, dependent.op[1], dependent.d[1], dependent.a[1], dependent.b[1]);
	put(&x, 0, HD_OP_LDG, r(6), rr(8), none);
	choose(&x);
	assert_int_equal(first->hint, HD_HINT_DELAY);
	assert_true(first->delay > 1);
	stop(&x);
}

TEST(loads_of_global_memory_may_be_replayed)
{
	/* PD-10, PD-22 */
	static const char *const off[] = {"predecode.replay=0", NULL}, *const three_bits[] = {"predecode.carrier=instruction", NULL},
	                         *const window[] = {"multi_issue.window=4", NULL};
	const two t = {{HD_OP_LDG, HD_OP_IADD}, {r(1), r(4)}, {rr(8), r(5)}, {none, r(5)}},
	          shared = {{HD_OP_LDS, HD_OP_IADD}, {r(1), r(4)}, {r(8), r(5)}, {none, r(5)}},
	          store = {{HD_OP_STG, HD_OP_IADD}, {none, r(4)}, {rr(8), r(5)}, {r(1), r(5)}};
	expect_first(&t, NULL, HD_HINT_MAY_REPLAY, 1);
	expect_first(&t, window, HD_HINT_MAY_REPLAY, 1); /* PD-24 */
	expect_first(&t, off, HD_HINT_DELAY, 1);
	expect_first(&t, three_bits, HD_HINT_DELAY, 1);
	expect_first(&shared, NULL, HD_HINT_DELAY, 1);
	expect_first(&store, NULL, HD_HINT_DELAY, 1);
}

/* PD-7, PD-10: the byte of a load holds may_replay or a pair. Without may_replay the load holds back hits behind it, so it opens no pair. It can be
 * the second of one. */
TEST(a_load_that_may_be_refused_opens_no_pair)
{
	static const char *const wide[] = {"predecode.issue_width=2", NULL}, *const kept[] = {"predecode.issue_width=2", "predecode.replay=0", NULL};
	const two load_first = {{HD_OP_LDG, HD_OP_IADD}, {r(1), r(4)}, {rr(8), r(5)}, {none, r(5)}},
	          load_second = {{HD_OP_IADD, HD_OP_LDG}, {r(4), r(1)}, {r(5), rr(8)}, {r(5), none}},
	          shared = {{HD_OP_LDS, HD_OP_IADD}, {r(1), r(4)}, {r(8), r(5)}, {none, r(5)}};
	expect_first(&load_first, wide, HD_HINT_MAY_REPLAY, 1);
	expect_first(&load_first, kept, HD_HINT_PAIR, 1);
	expect_first(&load_second, wide, HD_HINT_PAIR, 1);
	expect_first(&shared, wide, HD_HINT_PAIR, 1);
}

/* PD-24: where an entry holds two hints. */
static void expect_both(const two *t, const char *const *settings, unsigned first, unsigned second)
{
	fixture x = start(1);
	hd_diag diag = {0};
	x.machine.multi_issue_window = 1;
	x.machine.predecode_geometry = HD_GEOMETRY_COMBINED;
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&x.machine, *settings, &diag));
	hd_ir_inst *inst = put(&x, 0, t->op[0], t->d[0], t->a[0], t->b[0]);
	put(&x, 0, t->op[1], t->d[1], t->a[1], t->b[1]);
	choose(&x);
	assert_int_equal(inst->delay | inst->hint << 4, first);
	assert_int_equal(inst->second, second);
	stop(&x);
}

TEST(two_hints_where_there_is_room)
{
	static const char *const pairs[] = {"predecode.issue_width=2", NULL}, *const kept[] = {"predecode.issue_width=2", "predecode.replay=0", NULL},
	                         *const equal[] = {"predecode.priority=program", NULL},
	                         *const slow[] = {"predecode.priority=program", "latency.mul.interval=9", NULL},
	                         *const loads[] = {"predecode.priority=program", "predecode.boost_loads=true", NULL},
	                         *const by_register[] = {"predecode.carrier=register", "predecode.issue_width=2", NULL};
	const two load_first = {{HD_OP_LDG, HD_OP_IADD}, {r(1), r(4)}, {rr(8), r(5)}, {none, r(5)}},
	          loads_only = {{HD_OP_LDG, HD_OP_LDG}, {r(1), r(4)}, {rr(8), rr(10)}, {none, none}},
	          dependent = {{HD_OP_IMUL, HD_OP_IMUL}, {r(1), r(4)}, {r(2), r(1)}, {r(3), r(1)}},
	          ahead = {{HD_OP_IADD, HD_OP_LDG}, {r(1), r(4)}, {r(2), rr(10)}, {r(3), none}};
	expect_both(&load_first, pairs, HD_HINT_PAIR << 4 | 1, HD_HINT_MAY_REPLAY << 4);
	expect_both(&load_first, kept, HD_HINT_PAIR << 4 | 1, 0);
	expect_both(&load_first, NULL, HD_HINT_MAY_REPLAY << 4 | 1, 0);
	expect_both(&load_first, by_register, HD_HINT_MAY_REPLAY << 4 | 1, 0); /* a hint register brings one byte */
	expect_both(&loads_only, equal, HD_HINT_MAY_REPLAY << 4 | 1, HD_HINT_LOWER << 4 | 2);
	/* The delay covers a unit that is busy for two cycles, and five of nine. */
	expect_both(&dependent, equal, HD_HINT_DELAY << 4 | 5, 0);
	expect_both(&dependent, slow, HD_HINT_DELAY << 4 | 5, HD_HINT_LOWER << 4 | 5);
	expect_both(&ahead, loads, HD_HINT_BOOST << 4 | 15, 0);
}

/* PD-24: a load that waits can be refused, too, and open a pair; there is no room for both. With a window a wait does not name the pipe, and the
 * second hint does (MI-1). */
TEST(a_wait_has_company_where_there_is_room)
{
	static const struct {
		unsigned op, window, combined, hold, second;
	} rows[] = {
	    {HD_OP_LDG, 1, 1, 0, HD_HINT_MAY_REPLAY << 4}, {HD_OP_LDG, 1, 0, 0, 0},  {HD_OP_LDG, 4, 1, 0, HD_HINT_MAY_REPLAY << 4},
	    {HD_OP_IADD, 4, 1, 0, HD_HINT_DELAY_ALU << 4}, {HD_OP_IADD, 4, 0, 0, 0}, {HD_OP_IADD, 1, 1, 1, HD_HINT_HOLD_REPLAY_MEM << 4},
	    {HD_OP_LDG, 1, 1, 1, HD_HINT_MAY_REPLAY << 4}, /* a third hint has no room */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		fixture x = start(1);
		x.machine.multi_issue_window = rows[i].window;
		x.machine.predecode_geometry = rows[i].combined ? HD_GEOMETRY_COMBINED : HD_GEOMETRY_LINE;
		hd_ir_inst *inst = rows[i].op == HD_OP_LDG ? put(&x, 0, HD_OP_LDG, r(1), rr(8), none) : put(&x, 0, HD_OP_IADD, r(1), r(8), r(9));
		inst->hint = HD_HINT_WAIT;
		inst->delay = 3;
		inst->s[0].last_use = rows[i].hold;
		hd_choose_hints(x.b.f, &x.machine);
		assert_int_equal(inst->hint, HD_HINT_WAIT);
		assert_int_equal(inst->delay, 3);
		assert_int_equal(inst->second, rows[i].second);
		stop(&x);
	}
}

TEST(the_last_reader_holds)
{
	/* PD-8, PD-22: it ends the value's life by its flag; a reader before it, and the producer, do not */
	for (unsigned hold = 0; hold < 2; hold++) {
		fixture x = start(1);
		x.machine.multi_issue_window = 1;
		x.machine.predecode_hold = hold;
		hd_ir_inst *p = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		hd_ir_inst *reader = put(&x, 0, HD_OP_IADD, r(4), r(1), r(2));
		hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(5), r(1), r(3));
		choose(&x);
		assert_true(last->s[0].last_use);
		assert_int_equal(p->hint, HD_HINT_DELAY);
		assert_int_equal(reader->hint, HD_HINT_DELAY);
		assert_int_equal(last->hint, hold ? HD_HINT_HOLD_REPLAY_MEM : HD_HINT_DELAY);
		stop(&x);
	}
}

/* The hint keeps the number of the delay; what stands for `default` alone may be lowered. */
TEST(numbers_stay)
{
	static const char *const wait[] = {"predecode.priority=program", "predecode.default_hint=wait", NULL}, *const three[] = {
	                                                                                                           "predecode.priority=program",
	                                                                                                           "predecode.default_delay=3", NULL};
	const two load = {{HD_OP_LDG, HD_OP_LDG}, {r(1), r(4)}, {rr(8), rr(10)}, {none, none}},
	          dependent = {{HD_OP_FRCP, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(1)}, {none, none}},
	          free = {{HD_OP_FRCP, HD_OP_FRCP}, {r(1), r(4)}, {r(2), r(5)}, {none, none}};
	expect_first(&load, NULL, HD_HINT_MAY_REPLAY, 1);
	hd_machine machine;
	hd_machine_default(&machine);
	expect_first(&dependent, NULL, HD_HINT_DELAY, machine.latency[HD_CLASS_SFU].latency);
	expect_first(&free, wait, HD_HINT_DELAY, 1);
	expect_first(&free, three, HD_HINT_LOWER, 4);
}

/* A wait or a pair is needed as it is. */
TEST(other_hints_stay)
{
	static const hd_hint hints[] = {HD_HINT_WAIT, HD_HINT_PAIR};
	for (unsigned i = 0; i < HD_COUNT(hints); i++) {
		fixture x = start(1);
		x.machine.multi_issue_window = 1;
		hd_ir_inst *load = put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
		load->hint = (uint8_t)hints[i];
		load->delay = 3;
		hd_choose_hints(x.b.f, &x.machine);
		assert_int_equal(load->hint, hints[i]);
		assert_int_equal(load->delay, 3);
		stop(&x);
	}
}

TEST(a_scoreboard_needs_none)
{
	static const char *const scoreboard[] = {"fence.mode=scoreboard", NULL};
	const two load = {{HD_OP_LDG, HD_OP_IADD}, {r(1), r(4)}, {rr(8), r(5)}, {none, r(5)}};
	expect_first(&load, scoreboard, HD_HINT_DELAY, 1);
}

/* PD-26: what each key adds to the instructions that may be refused, and nothing else. Types in hints leave no room for it but in two hints an entry.
 */
TEST(other_units_may_refuse)
{
	static const char *const keys[] = {"predecode.refuse_busy=true", "predecode.refuse_ports=true", "predecode.refuse_constants=true",
	                                   "predecode.refuse_atomics=true"};
	const hd_opd constant = hd_opd_const(64, 1);
	const two rows[] = {{{HD_OP_FRCP, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {none, r(5)}},
	                    {{HD_OP_IADD, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {r(3), r(5)}},
	                    {{HD_OP_IADD, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {constant, r(5)}},
	                    {{HD_OP_ATOMS, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {r(3), r(5)}},
	                    {{HD_OP_LDC, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {none, r(5)}},
	                    {{HD_OP_IADD, HD_OP_STS}, {r(1), none}, {r(2), r(4)}, {r(HD_RZ), r(5)}}};
	static const bool chosen[HD_COUNT(rows)][HD_COUNT(keys)] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}, {0}};
	for (unsigned row = 0; row < HD_COUNT(rows); row++) {
		for (unsigned key = 0; key < HD_COUNT(keys); key++) {
			bool memory = hd_ops[rows[row].op[0]].pipe == HD_PIPE_LSU;
			const char *const settings[] = {keys[key], "memory.constant_bytes=1024", NULL};
			const char *const none_left[] = {keys[key], "memory.constant_bytes=1024", "predecode.replay=0", NULL};
			const char *const typed[] = {keys[key], "memory.constant_bytes=1024", "multi_issue.window=4", NULL};
			const char *const by_opcode[] = {keys[key], "memory.constant_bytes=1024", "multi_issue.window=4", "multi_issue.types=opcode",
			                                 NULL};
			expect_first(&rows[row], settings, chosen[row][key] ? HD_HINT_MAY_REPLAY : HD_HINT_DELAY, 1);
			expect_first(&rows[row], by_opcode, chosen[row][key] ? HD_HINT_MAY_REPLAY : HD_HINT_DELAY, 1);
			expect_first(&rows[row], typed, chosen[row][key] && memory ? HD_HINT_MAY_REPLAY : HD_HINT_DELAY, 1);
			expect_first(&rows[row], none_left, HD_HINT_DELAY, 1);
		}
	}
	static const char *const combined[] = {"predecode.geometry=combined", "multi_issue.window=4", "predecode.refuse_busy=true", NULL};
	expect_both(&rows[0], combined, HD_HINT_DELAY << 4 | 1, HD_HINT_MAY_REPLAY << 4);
}

/* PD-29: four pipes, three of which can join; the instruction that goes to a pipe of the chain begins anew, and so does one that reads a register
 * that any of the chain writes. */
TEST(pairs_are_chained)
{
	static const struct {
		unsigned width, most, hint[4];
		bool reads_first;
	} rows[] = {
	    {4, 4, {HD_HINT_PAIR, HD_HINT_PAIR, HD_HINT_PAIR}, false},  {4, 3, {HD_HINT_PAIR, HD_HINT_PAIR, HD_HINT_DELAY}, false},
	    {4, 2, {HD_HINT_PAIR, HD_HINT_DELAY, HD_HINT_PAIR}, false}, {2, 4, {HD_HINT_PAIR, HD_HINT_DELAY, HD_HINT_PAIR}, false},
	    {4, 4, {HD_HINT_PAIR, HD_HINT_DELAY, HD_HINT_PAIR}, true},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		for (unsigned strict = 0; strict < 2; strict++) {
			fixture x = start(1);
			hd_ir_inst *inst[4];
			x.machine.multi_issue_window = 1;
			x.machine.predecode_issue_width = rows[i].width;
			x.machine.predecode_chain = rows[i].most;
			x.machine.predecode_strict_pairs = strict;
			inst[0] = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
			inst[1] = put(&x, 0, HD_OP_FRCP, r(4), r(5), none);
			inst[2] = put(&x, 0, HD_OP_DADD, rr(6), rr(8), rows[i].reads_first ? rr(0) : rr(10));
			inst[3] = put(&x, 0, HD_OP_STS, none, r(12), r(13));
			put(&x, 0, HD_OP_STS, none, r(12), r(13));
			choose(&x);
			for (unsigned k = 0; k < 3; k++) {
				assert_int_equal(inst[k]->hint, rows[i].hint[k]);
				assert_int_equal(inst[k]->delay, strict && inst[k]->hint == HD_HINT_PAIR ? 0 : 1);
			}
			assert_int_equal(inst[3]->hint, HD_HINT_DELAY);
			stop(&x);
		}
	}
}

/* PD-30: the last reader follows the instruction before it where that one has a delay of one cycle and no other hint, and holds otherwise. */
TEST(the_last_reader_follows)
{
	for (unsigned what = 0; what < 6; what++) {
		fixture x = start(1);
		x.machine.multi_issue_window = 1;
		x.machine.predecode_consecutive = what > 0;
		x.machine.predecode_hold = what != 4;
		x.machine.predecode_carrier = what == 5 ? HD_CARRIER_INSTRUCTION : HD_CARRIER_LINE;
		put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		for (unsigned i = 0; i < 2; i++)
			put(&x, 0, HD_OP_IADD, r(10), r(2), r(3));
		hd_ir_inst *before = put(&x, 0, what == 2 ? HD_OP_LDG : HD_OP_IADD, r(11), what == 2 ? rr(8) : r(2), what == 2 ? none : r(3));
		hd_ir_inst *last = put(&x, 0, HD_OP_IADD, r(12), what == 3 ? r(11) : r(1), r(3));
		put(&x, 0, HD_OP_IADD, r(13), r(12), r(3));
		choose(&x);
		bool follows = what == 1 || what == 4;
		assert_int_equal(before->hint, what == 2 ? HD_HINT_MAY_REPLAY : HD_HINT_DELAY);
		assert_int_equal(before->delay == 0, follows);
		assert_int_equal(last->hint, follows || what == 5 ? HD_HINT_DELAY : HD_HINT_HOLD_REPLAY_MEM);
		stop(&x);
	}
}
