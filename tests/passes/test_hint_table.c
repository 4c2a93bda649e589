/* The table of eight hints of the three-bit carrier (PD-28): what stands for a hint that it lacks, and which it gets. */
#include "annotate_rig.h"
#include "passes/emit/hint_table.h"

static unsigned byte(hd_hint hint, unsigned number) { return (unsigned)hint << 4 | number; }

TEST(what_stands_for_a_hint)
{
	const uint8_t table[] = {(uint8_t)byte(HD_HINT_DELAY, 1), (uint8_t)byte(HD_HINT_DELAY, 4), (uint8_t)byte(HD_HINT_PAIR, 1),
	                         (uint8_t)byte(HD_HINT_DELAY, 9)};
	static const struct {
		hd_hint hint;
		unsigned number;
		hd_table_fit fit;
	} rows[] = {
	    {HD_HINT_DELAY, 1, {0, 0, 0, 0}},      {HD_HINT_PAIR, 1, {2, 0, 0, 0}},
	    {HD_HINT_DELAY, 4, {1, 0, 0, 0}},      {HD_HINT_DELAY, 3, {1, 0, 0, 1}},  /* a cycle longer */
	    {HD_HINT_DELAY, 2, {0, 0, 1, 2}},                                         /* two cycles longer cost as much as a no-op of one */
	    {HD_HINT_DELAY, 5, {1, 0, 1, 2}},                                         /* 4 and a no-op */
	    {HD_HINT_DELAY, 8, {3, 0, 0, 1}},                                         /* 9 */
	    {HD_HINT_DELAY, 15, {3, 0, 6, 6}},                                        /* 9, 4, 1, 1 */
	    {HD_HINT_DELAY, 0, {0, 0, 0, 1}},                                         /* the consecutive cycle is lost */
	    {HD_HINT_WAIT, 5, {0, 5, 0, 4}},                                          /* 4, 1 before it */
	    {HD_HINT_PAIR, 0, {0, 0, 0, 1}},                                          /* a strict pair is lost */
	    {HD_HINT_HOLD_MEM, 4, {1, 0, 0, 1}},                                      /* its delay stays */
	    {HD_HINT_MAY_REPLAY, 1, {0, 0, 0, 1}}, {HD_HINT_LOWER, 15, {0, 0, 0, 1}}, /* its delay is that of `default` */
	};
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_table_fit fit = hd_fit_hint(table, HD_COUNT(table), byte(rows[i].hint, rows[i].number), &machine);
		assert_int_equal(fit.entry, rows[i].fit.entry);
		assert_int_equal(fit.before, rows[i].fit.before);
		assert_int_equal(fit.after, rows[i].fit.after);
		assert_int_equal(fit.cost, rows[i].fit.cost);
	}
	machine.predecode_default_delay = 4;
	assert_int_equal(hd_fit_hint(table, HD_COUNT(table), byte(HD_HINT_LOWER, 15), &machine).entry, 1);
	machine.predecode_default_hint = HD_DEFAULT_WAIT;
	assert_int_equal(hd_fit_hint(table, HD_COUNT(table), byte(HD_HINT_LOWER, 15), &machine).entry, 0);
}

TEST(a_no_op_takes_the_longest_delay_that_fits)
{
	const uint8_t table[] = {(uint8_t)byte(HD_HINT_DELAY, 1), (uint8_t)byte(HD_HINT_HOLD, 3), (uint8_t)byte(HD_HINT_DELAY, 3),
	                         (uint8_t)byte(HD_HINT_DELAY, 2)};
	static const unsigned entry[] = {0, 3, 2, 2};
	for (unsigned cycles = 1; cycles <= 4; cycles++) {
		unsigned passed;
		assert_int_equal(hd_fit_nop(table, HD_COUNT(table), cycles, &passed), entry[cycles - 1]);
		assert_int_equal(passed, cycles < 3 ? cycles : 3);
	}
}

/* More than seven hints: those that run most are there, a loop counts more than what is beside it, and entry 0 is a delay of one cycle. */
TEST(the_table_has_what_runs_most)
{
	fixture x = start(2);
	uint8_t table[HD_HINT_TABLE];
	bool has[256] = {false};
	for (unsigned k = 0; k < 9; k++) {
		for (unsigned n = 0; n < (k == 8 ? 1 : 2 + k); n++) {
			hd_ir_inst *inst = put(&x, k == 8, HD_OP_IADD, r(1), r(2), r(3));
			inst->hint = HD_HINT_WAIT;
			inst->delay = (uint8_t)(2 + k);
		}
	}
	x.b.f->blocks.at[1]->loop_depth = 2;
	hd_choose_hint_table(x.b.m, &x.machine, table);
	for (unsigned i = 0; i < HD_HINT_TABLE; i++)
		has[table[i]] = true;
	assert_int_equal(table[0], byte(HD_HINT_DELAY, 1));
	assert_int_equal(table[1], byte(HD_HINT_WAIT, 10)); /* in the loop */
	for (unsigned k = 2; k < 8; k++)
		assert_true(has[byte(HD_HINT_WAIT, 2 + k)]);
	assert_false(has[byte(HD_HINT_WAIT, 2)]);
	stop(&x);
}

/* A program of few hints has each of them, and nothing is lost. */
TEST(few_hints_all_fit)
{
	fixture x = start(1);
	uint8_t table[HD_HINT_TABLE];
	static const unsigned bytes[] = {HD_HINT_DELAY << 4 | 4, HD_HINT_PAIR << 4 | 1, HD_HINT_MAY_REPLAY << 4 | 1, HD_HINT_DELAY << 4 | 1};
	for (unsigned i = 0; i < HD_COUNT(bytes); i++) {
		hd_ir_inst *inst = put(&x, 0, HD_OP_IADD, r(1), r(2), r(3));
		inst->hint = (uint8_t)(bytes[i] >> 4);
		inst->delay = bytes[i] & 15;
	}
	hd_choose_hint_table(x.b.m, &x.machine, table);
	for (unsigned i = 0; i < HD_COUNT(bytes); i++)
		assert_int_equal(hd_fit_hint(table, HD_HINT_TABLE, bytes[i], &x.machine).cost, 0);
	stop(&x);
}
