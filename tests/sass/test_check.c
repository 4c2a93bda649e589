/* The checker of real code: each rule proves and refutes (SA-4, SA-5, SA-7). */
#include "words.h"

#include "sass/judge.h"

static words sm80(void) { return begin(80); }

/* A fixed latency is covered by distance: ALU to ALU 4, ALU to FMA 5, ALU to an address 5. */
TEST(sa_4_raw_by_distance)
{
	(void)state;
	for (unsigned cycles = 1; cycles < 7; cycles++) {
		words w = sm80();
		iadd3(&w, 4, 2, 3);
		stall(&w, cycles);
		iadd3(&w, 5, 4, 3);
		assert_int_equal(verdict(&w), cycles >= 4 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
		w = sm80();
		iadd3(&w, 4, 2, 3);
		stall(&w, cycles);
		ffma(&w, 5, 4, 3, 3);
		assert_int_equal(verdict(&w), cycles >= 5 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
		w = sm80();
		iadd3(&w, 4, 2, 3);
		stall(&w, cycles);
		stg(&w, 4, 8);
		assert_int_equal(verdict(&w), cycles >= 5 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* The cycles of instructions between count; those of other registers do not matter. */
TEST(sa_4_distance_sums)
{
	(void)state;
	for (unsigned between = 0; between < 5; between++) {
		words w = sm80();
		iadd3(&w, 4, 2, 3);
		for (unsigned i = 0; i < between; i++)
			iadd3(&w, 20 + i, 2, 3);
		iadd3(&w, 5, 4, 3);
		assert_int_equal(verdict(&w), between >= 3 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* A stall of more than 11 without yield is one cycle; a stall of 0 without it, too. */
TEST(sa_4_stalls_that_do_not_hold)
{
	(void)state;
	for (unsigned yield = 0; yield < 2; yield++) {
		words w = sm80();
		iadd3(&w, 4, 2, 3);
		stall(&w, 12);
		hd_sass_control c = control_of(&w);
		c.yield = yield;
		set_control(&w, c);
		iadd3(&w, 5, 4, 3);
		assert_int_equal(verdict(&w), yield ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
	words w = sm80();
	iadd3(&w, 4, 2, 3);
	stall(&w, 0);
	iadd3(&w, 5, 4, 3);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	/* None with yield is a pause, which ptxas has in ERRBAR: UPOPC, ERRBAR and a reader of the result follow each other. */
	for (unsigned yield = 0; yield < 2; yield++) {
		w = sm80();
		isetp(&w, 0, 4);
		errbar(&w);
		stall(&w, 0);
		if (yield)
			pause_(&w);
		iadd3(&w, 5, 4, 3);
		guard(&w, 0);
		assert_int_equal(verdict(&w), yield ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* A guard reads its predicate later than an operand does: 13 cycles. */
TEST(sa_4_guard_latency)
{
	(void)state;
	for (unsigned cycles = 12; cycles < 15; cycles++) {
		words w = sm80();
		isetp(&w, 0, 4);
		stall(&w, cycles);
		iadd3(&w, 5, 4, 3);
		guard(&w, 0);
		assert_int_equal(verdict(&w), cycles >= 13 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* A variable latency is covered by a wait for the write barrier: of the reader, or of an instruction before it. */
TEST(sa_4_raw_by_counter)
{
	(void)state;
	for (unsigned kind = 0; kind < 5; kind++) {
		words w = sm80();
		ldg(&w, 4, 2);
		if (kind != 3)
			raise_write(&w, 1);
		stall(&w, kind == 4 ? 1 : 2);
		nop(&w);
		if (kind == 1)
			wait_for(&w, 2);
		iadd3(&w, 5, 4, 3);
		if (kind != 1 && kind != 2)
			wait_for(&w, kind == 3 ? 63 : 2);
		/* 0: waits itself; 1: the one before waits; 2: nothing waits; 3: nothing raises; 4: a stall of 1, and one instruction between */
		assert_int_equal(verdict(&w), kind == 2 || kind == 3 ? HD_SASS_REFUTED : HD_SASS_PROVEN);
	}
}

/* A wait in the cycle of the raise does not see it. */
TEST(sa_4_wait_needs_a_stall_of_two)
{
	(void)state;
	for (unsigned cycles = 1; cycles < 4; cycles++) {
		words w = sm80();
		ldg(&w, 4, 2);
		raise_write(&w, 1);
		stall(&w, cycles);
		iadd3(&w, 5, 4, 3);
		wait_for(&w, 2);
		exit_(&w);
		assert_int_equal(check(&w), cycles >= 2 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
		if (cycles == 1)
			assert_int_equal(w.result.findings.at[0].lack, HD_SASS_LACK_STALL);
		end(&w);
	}
}

/* The read barrier says nothing of the result. */
TEST(sa_4_read_barrier_is_no_write_barrier)
{
	(void)state;
	words w = sm80();
	ldg(&w, 4, 2);
	raise_read(&w, 1);
	stall(&w, 2);
	iadd3(&w, 5, 4, 3);
	wait_for(&w, 2);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
}

TEST(sa_4_other_counter)
{
	(void)state;
	words w = sm80();
	ldg(&w, 4, 2);
	raise_write(&w, 1);
	stall(&w, 2);
	iadd3(&w, 5, 4, 3);
	wait_for(&w, 63 & ~2);
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_REFUTED);
	assert_int_equal(w.result.findings.at[0].lack, HD_SASS_LACK_WAIT);
	assert_int_equal(w.result.findings.at[0].counters, 2);
	end(&w);
}

TEST(sa_4_waw)
{
	(void)state;
	for (unsigned waits = 0; waits < 2; waits++) { /* behind a load */
		words w = sm80();
		ldg(&w, 4, 2);
		raise_write(&w, 1);
		stall(&w, 2);
		iadd3(&w, 4, 6, 3);
		wait_for(&w, waits ? 2 : 0);
		assert_int_equal(verdict(&w), waits ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
	for (unsigned cycles = 4; cycles < 7; cycles++) { /* a load behind a fixed latency: 5 */
		words w = sm80();
		iadd3(&w, 4, 6, 3);
		stall(&w, cycles);
		ldg(&w, 4, 2);
		raise_write(&w, 1);
		assert_int_equal(verdict(&w), cycles >= 5 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* A memory instruction reads its registers some time: the read barrier says when, and so does the write barrier. */
TEST(sa_4_war)
{
	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		words w = sm80();
		if (kind < 2)
			stg(&w, 2, 8);
		else
			ldg(&w, 4, 2);
		if (kind == 0 || kind == 3)
			raise_read(&w, 3);
		if (kind == 2)
			raise_write(&w, 3);
		stall(&w, 2);
		iadd3(&w, 2, 6, 7);
		wait_for(&w, 8);
		assert_int_equal(verdict(&w), kind == 1 ? HD_SASS_REFUTED : HD_SASS_PROVEN);
	}
}

/* Opposite guards: no lane executes both, as long as the predicate is the same. */
TEST(sa_4_opposite_guards)
{
	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		words w = sm80();
		ldg(&w, 4, 2);
		guard(&w, 0);
		raise_write(&w, 1);
		stall(&w, 2);
		if (kind == 1)
			isetp(&w, 0, 9), stall(&w, 13);
		iadd3(&w, 4, 6, 3);
		guard(&w, kind == 2 ? 0 : 0 | NOT);
		assert_int_equal(verdict(&w), kind == 0 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* A write without guard ends what was outstanding; one with a guard does not. */
TEST(sa_4_overwritten)
{
	(void)state;
	for (unsigned guarded = 0; guarded < 2; guarded++) {
		words w = sm80();
		ldg(&w, 4, 2);
		raise_write(&w, 1);
		stall(&w, 2);
		iadd3(&w, 4, 6, 3); /* refuted once, for the WAW */
		if (guarded)
			guard(&w, 0);
		stall(&w, 4);
		iadd3(&w, 5, 4, 3);
		exit_(&w);
		assert_int_equal(check(&w), HD_SASS_REFUTED);
		assert_int_equal(w.result.n_findings, guarded ? 2 : 1);
		end(&w);
	}
}

/* Where ways meet the least distance counts, and a wait on one way is none on the other. */
TEST(sa_4_ways_meet)
{
	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		words w = sm80();
		ldg(&w, 4, 2); /* 0 */
		raise_write(&w, 1);
		stall(&w, 2);
		iadd3(&w, 6, 2, 3); /* 1 */
		bra(&w, 5);         /* 2 */
		guard(&w, 0);
		nop(&w); /* 3 */
		wait_for(&w, kind & 1 ? 2 : 0);
		stall(&w, 5);
		bra(&w, 6); /* 4 */
		nop(&w);    /* 5 */
		wait_for(&w, kind & 2 ? 2 : 0);
		stall(&w, 2);
		ffma(&w, 5, 4, 4, 6); /* 6: R6 is 1 + 1 + 2 = 4 cycles old on the short way, and needs 5 */
		exit_(&w);
		assert_int_equal(check(&w), HD_SASS_REFUTED);
		assert_int_equal(w.result.n_findings, kind == 3 ? 1 : 2);
		end(&w);
	}
}

/* A loop: the load of one round is waited for in the next. */
TEST(sa_4_loop)
{
	(void)state;
	for (unsigned waits = 0; waits < 2; waits++) {
		words w = sm80();
		ldg(&w, 4, 2);
		raise_write(&w, 0);
		stall(&w, 2);
		iadd3(&w, 5, 4, 3); /* 1 */
		stall(&w, 2);
		wait_for(&w, 1);
		ldg(&w, 4, 2);
		raise_write(&w, waits ? 0 : 1);
		stall(&w, 2);
		bra(&w, 1);
		stall(&w, 5);
		guard(&w, 0);
		assert_int_equal(verdict(&w), waits ? HD_SASS_PROVEN : HD_SASS_REFUTED);
	}
}

/* DEPBAR.LE SB0, n: the oldest of n + 1 loads is over, under A8; with 0 all are, under none. It needs a stall of 4. */
TEST(sa_4_depbar)
{
	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		words w = sm80();
		for (unsigned i = 0; i < 3; i++) {
			ldg(&w, 4 + i, 2);
			raise_write(&w, 0);
			stall(&w, 2);
		}
		depbar(&w, 0, kind == 3 ? 0 : 1);
		stall(&w, kind == 2 ? 3 : 4);
		iadd3(&w, 9, kind == 1 ? 6 : 5, 3);
		exit_(&w);
		assert_int_equal(check(&w), kind == 0 || kind == 3 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
		if (kind == 0)
			assert_int_equal(w.result.needed, HD_SASS_ASSUME(COUNT_IN_ORDER));
		if (kind == 3)
			assert_int_equal(w.result.needed, 0);
		end(&w);
	}
}

static void expect_under(words *w, hd_sass_assumed needed)
{
	exit_(w);
	if (check(w) != HD_SASS_PROVEN) {
		hd_text text = {0};
		if (w->result.doubts.n)
			hd_sass_doubt_print(&text, code_of(w), &w->result.doubts.at[0]);
		if (w->result.findings.n)
			hd_sass_finding_print(&text, code_of(w), &w->result.findings.at[0]);
		fail_msg("%s", text.at);
	}
	assert_int_equal(w->result.needed, needed);
	assert_int_equal(check_under(w, (hd_sass_assumed)(HD_SASS_ASSUME_ALL & ~needed)), HD_SASS_REFUTED);
	assert_int_equal(w->result.findings.at[0].lack, HD_SASS_LACK_ASSUMPTION);
	assert_int_equal(w->result.findings.at[0].under, needed);
	end(w);
}

/* Each assumption: what needs it is proven with it, names it, and is refuted without it. */
TEST(sa_5_assumptions)
{
	(void)state;
	words w = sm80(); /* A1: the counter of the second load covers the first */
	lds(&w, 4, 2);
	lds(&w, 5, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 4, 5);
	wait_for(&w, 1);
	expect_under(&w, HD_SASS_ASSUME(SHARED_IN_ORDER));
	w = sm80(); /* A2 */
	stg(&w, 2, 8);
	stg(&w, 2, 9);
	raise_read(&w, 0);
	stall(&w, 2);
	iadd3(&w, 8, 6, 7);
	wait_for(&w, 1);
	expect_under(&w, HD_SASS_ASSUME(READS_IN_ORDER));
	w = sm80(); /* A3 */
	stg(&w, 2, 8);
	ldg(&w, 8, 6);
	raise_write(&w, 0);
	expect_under(&w, HD_SASS_ASSUME(RESULT_BEHIND_READS));
	w = begin(75); /* A4 */
	sts(&w, 2, 8);
	bar(&w);
	iadd3(&w, 8, 6, 7);
	expect_under(&w, HD_SASS_ASSUME(BARRIER_READS));
	w = sm80(); /* a real GPU refuted it there */
	sts(&w, 2, 8);
	bar(&w);
	iadd3(&w, 8, 6, 7);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = sm80(); /* A5 */
	stg(&w, 2, 8);
	uiadd3(&w, 4, 6);
	expect_under(&w, HD_SASS_ASSUME(UNIFORM_READS));
	w = sm80(); /* A6 */
	dadd(&w, 4, 2, 2);
	stall(&w, 15);
	iadd3(&w, 9, 4, 4);
	expect_under(&w, HD_SASS_ASSUME(DOUBLE_FIXED));
	w = sm80(); /* A7 */
	hmma(&w, 4, 16, 20, 8);
	stall(&w, 15);
	nop(&w);
	stall(&w, 15);
	iadd3(&w, 9, 4, 4);
	expect_under(&w, HD_SASS_ASSUME(MATRIX_FIXED));
	w = begin(75); /* not on sm_75 */
	put_word(&w, registers(0x23c, 4, 16, 20), 0x1000 | 8);
	stall(&w, 15);
	nop(&w);
	stall(&w, 15);
	iadd3(&w, 9, 4, 4);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = sm80(); /* A10 */
	mufu(&w, 4, 2);
	raise_write(&w, 0);
	iadd3(&w, 2, 6, 7);
	expect_under(&w, HD_SASS_ASSUME(SLOW_READS));
	w = sm80(); /* A11 */
	mufu(&w, 4, 2);
	popc(&w, 5, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 4, 5);
	wait_for(&w, 1);
	expect_under(&w, HD_SASS_ASSUME(SLOW_IN_ORDER));
	w = begin(86); /* A12 */
	dadd(&w, 4, 2, 2);
	dadd(&w, 6, 2, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 4, 4);
	wait_for(&w, 1);
	expect_under(&w, HD_SASS_ASSUME(DOUBLE_IN_ORDER));
	w = begin(86); /* A15 */
	dadd(&w, 4, 2, 2);
	raise_write(&w, 0);
	iadd3(&w, 2, 6, 7);
	expect_under(&w, HD_SASS_ASSUME(DOUBLE_READS));
	w = sm80(); /* A11: a result in order says that the operands are read */
	mufu(&w, 4, 2);
	popc(&w, 5, 8);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 2, 9, 5);
	wait_for(&w, 1);
	exit_(&w);
	assert_int_equal(check_under(&w, HD_SASS_ASSUME_DEFAULT), HD_SASS_PROVEN);
	assert_int_equal(w.result.needed, HD_SASS_ASSUME(SLOW_IN_ORDER));
	end(&w);
	w = sm80(); /* A10 is allowed on demand only */
	mufu(&w, 4, 2);
	raise_write(&w, 0);
	iadd3(&w, 2, 6, 7);
	exit_(&w);
	assert_int_equal(check_under(&w, HD_SASS_ASSUME_DEFAULT), HD_SASS_REFUTED);
	end(&w);
	w = sm80(); /* A13 */
	tex(&w, 4, 2);
	tex(&w, 6, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 4, 4);
	wait_for(&w, 1);
	expect_under(&w, HD_SASS_ASSUME(TEXTURE_IN_ORDER));
}

/* Orders have their limits: a load of global memory comes in no order, and a counter that was raised before covers nothing. */
TEST(sa_5_no_order)
{
	(void)state;
	words w = sm80();
	ldg(&w, 4, 2);
	ldg(&w, 5, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 4, 5);
	wait_for(&w, 1);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = sm80();
	lds(&w, 5, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	lds(&w, 4, 2);
	stall(&w, 2);
	iadd3(&w, 9, 4, 5);
	wait_for(&w, 1);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = sm80(); /* the second raise is in the cycle before the wait */
	lds(&w, 4, 2);
	stall(&w, 2);
	lds(&w, 5, 2);
	raise_write(&w, 0);
	iadd3(&w, 9, 4, 3);
	wait_for(&w, 1);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = begin(86); /* double precision has no fixed latency there */
	dadd(&w, 4, 2, 2);
	stall(&w, 15);
	iadd3(&w, 9, 4, 4);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
}

/* An assumption that is enabled but not needed is not named; of two that would do, one is. */
TEST(sa_5_least_set)
{
	(void)state;
	hd_sass_clauses clauses = {0};
	assert_int_equal(hd_sass_clauses_least(&clauses), 0);
	hd_sass_clauses_add(&clauses, 3);
	hd_sass_clauses_add(&clauses, 6);
	hd_sass_clauses_add(&clauses, 3);
	assert_int_equal(clauses.list.n, 2);
	assert_int_equal(hd_sass_clauses_least(&clauses), 2);
	hd_sass_clauses_add(&clauses, 1);
	assert_int_equal(hd_sass_clauses_least(&clauses), 3);
	hd_vec_free(&clauses.list);
	words w = sm80();
	iadd3(&w, 4, 2, 3);
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	assert_int_equal(w.result.needed, 0);
	end(&w);
}

TEST(sa_5_sets_as_text)
{
	(void)state;
	hd_sass_assumed set = 0;
	hd_text text = {0};
	assert_true(hd_sass_assumed_read("A1,A3", &set));
	assert_int_equal(set, 5);
	hd_sass_assumed_print(&text, set);
	assert_string_equal(text.at, "A1, A3");
	hd_text_free(&text);
	assert_true(hd_sass_assumed_read("none", &set));
	assert_int_equal(set, 0);
	assert_true(hd_sass_assumed_read("all", &set));
	assert_int_equal(set, HD_SASS_ASSUME_ALL);
	static const char *const bad[] = {"", "A0", "A99", "A1,", ",A1", "a1", "A1 A2", "1", "some"};
	for (size_t i = 0; i < HD_COUNT(bad); i++)
		assert_false(hd_sass_assumed_read(bad[i], &set));
	assert_int_equal(hd_sass_published(), HD_SASS_ASSUME(COUNT_IN_ORDER));
}

/* A distance that nobody measured is unknown: on sm_90 that to a barrier in shared memory. Others are judged, and so are counters. */
TEST(sa_4_no_figure)
{
	(void)state;
	words w = begin(90);
	iadd3(&w, 5, 2, 3);
	stall(&w, 15);
	put_word(&w, UINT64_C(0x00000005ff0005a7), 0x08000148); /* SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R5 */
	raise_write(&w, 0);
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_UNKNOWN);
	assert_int_equal(w.result.doubts.at[0].kind, HD_SASS_DOUBT_TABLE);
	end(&w);
	w = begin(90);
	ldg(&w, 4, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 5, 4, 3);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
	w = begin(90);
	iadd3(&w, 4, 2, 3);
	stall(&w, 4);
	iadd3(&w, 5, 4, 3);
	assert_int_equal(verdict(&w), HD_SASS_PROVEN);
	w = begin(90);
	iadd3(&w, 4, 2, 3);
	stall(&w, 3);
	iadd3(&w, 5, 4, 3);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
}

/* An access that ptxas leaves without a counter on sm_90 is unknown, not refuted: matrix products of groups, the predicate of an atomic, S2UR, and
 * two loads of constants to one register. */
TEST(sa_4_unmeasured_on_sm_90)
{
	(void)state;
	words w = begin(90);
	put_word(&w, UINT64_C(0x00000000000409c3), 0x2500); /* S2UR UR4, SR_CTAID.X */
	stall(&w, 15);
	iadd3_uniform(&w, 4, 2, 4);
	assert_int_equal(verdict(&w), HD_SASS_UNKNOWN);
	w = begin(90);
	put_word(&w, UINT64_C(0x00000a00ff040b82), 0x0800); /* LDC R4, c[0x0][0x28] */
	stall(&w, 15);
	put_word(&w, UINT64_C(0x00000a00ff040b82), 0x0800);
	assert_int_equal(verdict(&w), HD_SASS_UNKNOWN);
	w = begin(90);
	put_word(&w, UINT64_C(0x00000a00ff040b82), 0x0800);
	stall(&w, 15);
	iadd3(&w, 5, 4, 3);
	assert_int_equal(verdict(&w), HD_SASS_REFUTED);
}

/* An instruction that the table does not know makes the function unknown; nothing is claimed across it. */
TEST(sa_3_unknown_instruction)
{
	(void)state;
	words w = sm80();
	ldg(&w, 4, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	put_word(&w, UINT64_C(0xfff), 0);
	iadd3(&w, 5, 4, 3);
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_UNKNOWN);
	assert_int_equal(w.result.n_doubts, 1);
	assert_int_equal(w.result.doubts.at[0].kind, HD_SASS_DOUBT_INSTRUCTION);
	assert_int_equal(w.result.doubts.at[0].at, 1);
	end(&w);
}

TEST(sa_4_steps_are_bounded)
{
	(void)state;
	words w = sm80();
	for (unsigned i = 0; i < 200; i++)
		stg(&w, i, i + 1);
	exit_(&w);
	hd_sass_options options = {.assume = HD_SASS_ASSUME_ALL, .steps = 100};
	w.checked = true;
	assert_int_equal(hd_sass_check(code_of(&w), &options, &w.result), HD_SASS_UNKNOWN);
	assert_int_equal(w.result.doubts.at[0].kind, HD_SASS_DOUBT_WORK);
	end(&w);
}

/* A finding names both instructions, the registers, the missing cycles and the way. */
TEST(sa_7_finding)
{
	(void)state;
	words w = sm80();
	hd_text text = {0};
	iadd3(&w, 4, 2, 3); /* 0 */
	bra(&w, 3);
	guard(&w, 0);
	nop(&w);
	iadd3(&w, 5, 4, 3); /* 3 */
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_REFUTED);
	assert_int_equal(w.result.n_findings, 1);
	const hd_sass_finding *f = &w.result.findings.at[0];
	assert_int_equal(f->hazard, HD_SASS_RAW);
	assert_int_equal(f->lack, HD_SASS_LACK_CYCLES);
	assert_int_equal(f->producer, 0);
	assert_int_equal(f->consumer, 3);
	assert_int_equal(f->first, 4);
	assert_int_equal(f->needed, 4);
	assert_int_equal(f->missing, 2);
	assert_int_equal(f->path.n, 2);
	hd_sass_finding_print(&text, code_of(&w), f);
	assert_non_null(strstr(text.at, "RAW on R4 is not covered: 2 of 4 cycles between the two are missing"));
	assert_non_null(strstr(text.at, "0x0000 `IADD3 R4, R2, R3, RZ`"));
	assert_non_null(strstr(text.at, "0x0030 `IADD3 R5, R4, R3, RZ`"));
	assert_non_null(strstr(text.at, "path: 0x0000 -> 0x0030"));
	hd_text_free(&text);
	end(&w);
}

TEST(sa_7_way_through_blocks)
{
	(void)state;
	words w = sm80();
	ldg(&w, 4, 2); /* 0 */
	raise_write(&w, 0);
	stall(&w, 2);
	bra(&w, 4); /* 1 */
	guard(&w, 0);
	nop(&w); /* 2: waits, so no way leads through it */
	wait_for(&w, 1);
	bra(&w, 4); /* 3 */
	bra(&w, 6); /* 4 */
	guard(&w, 1);
	nop(&w);            /* 5 */
	iadd3(&w, 9, 3, 3); /* 6 */
	iadd3(&w, 5, 4, 3); /* 7 */
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_REFUTED);
	const hd_sass_finding *f = &w.result.findings.at[0];
	static const uint32_t way[] = {0, 4, 6, 7};
	assert_int_equal(f->path.n, 4);
	assert_memory_equal(f->path.at, way, sizeof way);
	end(&w);
}
