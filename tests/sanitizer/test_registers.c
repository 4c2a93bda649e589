/* The sanitizer's rules for registers and predicates (R1 to R5 in src/sanitizer/registers.c), on programs annotated by hand: each kind of report with
 * its cycles, and its twin whose annotation is right, about which nothing is said. Latencies are the defaults: alu 4, sfu 14, cvt and coord 6
 * (HZ-27). */
#include "hazards.h"

/* Sixteen lanes have p1, the others not. */
static rig *begin_halves(void)
{
	rig *r = begin(1, 1);
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 16), delay(15)); /* a */
	return r;
}

static hd_inst cvt(unsigned d, unsigned a)
{
	hd_inst i = alu(HD_OP_F2F, d, a, HD_RZ, HD_RZ);
	i.sub = HD_SUB_F2F(HD_F32, HD_F32, 0, 0, 0);
	return i;
}

static hd_inst last(hd_inst i, unsigned operand)
{
	i.last_use |= (uint8_t)(1u << operand);
	return i;
}

/* -- R1 --------------------------------------------------------------------------------------------------------------------------------- */

static void raw_in_one_pipe(unsigned distance, const char *expected)
{
	rig *r = begin(1, 1);
	rig_put(r, movi(8, 5), delay(distance));
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(15));
	hazards(r, expected);
}

TEST(a_delay_that_is_too_short)
{
	raw_in_one_pipe(1, "RAW r8 a 0 1 5, b 1 2 6");
	raw_in_one_pipe(2, "RAW r8 a 0 1 5, b 2 3 7");
	raw_in_one_pipe(3, "RAW r8 a 0 1 5, b 3 4 8");
	raw_in_one_pipe(4, "");
}

/* Right bytes are no excuse: the register held the value already. */
TEST(a_value_that_happens_to_be_the_old_one)
{
	rig *r = begin(1, 1);
	rig_put(r, movi(8, 5), delay(15));
	rig_put(r, movi(8, 5), delay(1));
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(15));
	hazards(r, "RAW r8 b 0 1 5, c 1 2 6");
}

static void raw_between_pipes(bool covered, const char *expected)
{
	rig *r = begin(1, 1);
	rig_put(r, covered ? primary(coord(8), 1) : coord(8), delay(1));
	rig_put(r, covered ? waits(alui(HD_OP_IADD, 9, 8, 1), 1) : alui(HD_OP_IADD, 9, 8, 1), delay(15));
	hazards(r, expected);
}

TEST(a_wait_that_is_missing)
{
	raw_between_pipes(false, "RAW r8 a 0 1 7, b 1 2 6");
	raw_between_pipes(true, "");
}

static void raw_from_memory(bool covered, const char *expected)
{
	rig *r = begin(1, 1);
	hd_inst ld = load(HD_OP_LDG, 8, 2, 0), use = alui(HD_OP_IADD, 9, 8, 1);
	rig_put(r, covered ? primary(ld, 5) : ld, delay(1));
	rig_put(r, covered ? waits(use, 5) : use, delay(15));
	hazards(r, expected);
}

TEST(a_load_that_is_not_waited_for)
{
	raw_from_memory(false, "RAW r8 a 0 1 389, b 1 2 6");
	raw_from_memory(true, "");
}

/* Words of a pair count one by one, and the carry is a result, too. */
TEST(a_pair_and_a_carry)
{
	rig *r = begin(1, 1);
	rig_put(r, alu(HD_OP_IMULWU, 8, 0, 1, HD_RZ), delay(1));
	rig_put(r, alui(HD_OP_IADD, 10, 9, 1), delay(15));
	hazards(r, "RAW r9 a 0 1 6, b 1 3 7"); /* imulw.u32 takes two cycles of the pipe's entry */
	for (unsigned distance = 1; distance < 5; distance += 3) {
		r = begin(1, 1);
		hd_inst low = alu(HD_OP_IADDC, 8, 0, 1, HD_RZ), high = alu(HD_OP_IADDC, 9, HD_RZ, HD_RZ, HD_RZ);
		low.sub = HD_PT | 2 << 3;
		high.sub = 2 | HD_PT << 3;
		rig_put(r, low, delay(distance));
		r->slots[9].dpred = 2;
		rig_put(r, high, delay(15));
		hazards(r, distance < 4 ? "RAW p2 a 0 1 5, b 1 2 6" : "");
	}
}

/* -- predicates and lanes -------------------------------------------------------------------------------------------------------------------- */

/* A guard is read for all active lanes, and by what it drops. */
TEST(a_guard_that_is_read_too_early)
{
	for (unsigned distance = 1; distance < 5; distance += 3) {
		rig *r = begin(1, 1);
		rig_put(r, setpi(HD_CMP_GE, 3, 0, 0), delay(distance));
		rig_put(r, guarded(movi(8, 1), 3, 0), delay(15));
		hazards(r, distance < 4 ? "RAW p3 a 0 1 5, b 1 2 -" : "");
	}
}

TEST(a_selector_that_is_read_too_early)
{
	for (unsigned distance = 1; distance < 5; distance += 3) {
		rig *r = begin(1, 1);
		hd_inst select = alu(HD_OP_SEL, 8, 0, 1, HD_RZ);
		select.sub = 3;
		rig_put(r, setpi(HD_CMP_GE, 3, 0, 0), delay(distance));
		rig_put(r, select, delay(15));
		hazards(r, distance < 4 ? "RAW p3 a 0 1 5, b 1 2 6" : "");
	}
}

/* Lanes that the reader needs and the writer makes: with the guard, without it, and with the other one. */
TEST(lanes_that_both_concern)
{
	static const char *const expected[] = {"RAW r8/0000ffff b 0 1 5, c 1 2 6", "RAW r8/0000ffff b 0 1 5, c 1 2 6", ""};
	for (unsigned i = 0; i < 3; i++) {
		rig *r = begin_halves();
		hd_inst use = alui(HD_OP_IADD, 9, 8, 1);
		rig_put(r, guarded(movi(8, 5), 1, 0), delay(1));
		rig_put(r, i ? guarded(use, 1, i == 2) : use, delay(15));
		hazards(r, expected[i]);
	}
}

/* A dropped instruction reads and writes nothing but its guard. */
TEST(what_is_dropped_says_nothing)
{
	rig *r = begin(1, 1);
	rig_put(r, guarded(coord(8), 4, 0), delay(1)); /* p4: false */
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(1));
	rig_put(r, movi(10, 1), delay(1));
	rig_put(r, guarded(alui(HD_OP_IADD, 11, 10, 1), 4, 0), delay(15));
	hazards(r, "");
}

/* RC-1: one side writes in its lanes while the other side, which runs behind it, reads in its own. The branch takes 3 cycles. */
TEST(sides_of_a_branch)
{
	rig *r = begin_halves();
	uint32_t away = rig_put(r, guarded(branch(HD_OP_BRA, 0), 1, 0), 0);
	rig_put(r, sfu(8), 0);
	uint32_t over = rig_put(r, branch(HD_OP_BRA, 0), 0);
	r->slots[away].inst.imm = (int32_t)rig_here(r);
	r->slots[over].inst.imm = (int32_t)rig_here(r) + 1;
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(1));
	rig_put(r, alui(HD_OP_IADD, 10, 8, 1), delay(15)); /* all lanes */
	hazards(r, "RAW r8/ffff0000 c 0 1 15, f 5 6 10");
}

/* -- R2: the writer waits in its queue, the reader in another pipe does not --------------------------------------------------------------- */

static void a_writer_that_comes_late(bool executes, bool covered, const char *expected)
{
	rig *r = begin(1, 1);
	rig_put(r, primary(sfu(12), 1), delay(1));
	hd_inst make = waits(movi(8, 5), 1), use = cvt(9, 8);
	make = covered ? primary(make, 2) : make;
	rig_put(r, executes ? make : guarded(make, 4, 0), delay(1));
	rig_put(r, covered ? waits(use, 2) : use, delay(15));
	hazards(r, expected);
}

/* It reads its own destination itself, in its own lanes; the reader that is ahead of it reads in the others. */
TEST(a_writer_that_reads_its_destination)
{
	rig *r = begin_halves();
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, guarded(waits(alui(HD_OP_IADD, 8, 8, 1), 1), 1, 0), delay(1));
	rig_put(r, guarded(cvt(9, 8), 1, 1), delay(15));
	hazards(r, "");
}

/* R2: with a guard it is not certain until then who is written. */
TEST(a_writer_whose_guard_comes_late)
{
	rig *r = begin_halves();
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, guarded(waits(movi(8, 5), 1), 1, 0), delay(1));
	rig_put(r, cvt(9, 8), delay(15));
	hazards(r, "RAW r8/0000ffff c 0 14 18, d 1 2 8");
}

/* R1: without a guard it is. */
TEST(a_writer_behind_its_reader)
{
	a_writer_that_comes_late(true, false, "RAW r8 b 0 14 18, c 1 2 8");
	a_writer_that_comes_late(true, true, "");
	a_writer_that_comes_late(false, false, "");
}

/* -- R3 ------------------------------------------------------------------------------------------------------------------------------------ */

static void war(bool covered, const char *expected)
{
	rig *r = begin(1, 1);
	rig_put(r, primary(sfu(12), 1), delay(1));
	hd_inst use = waits(cvt(9, 8), 1), over = movi(8, 5);
	rig_put(r, covered ? by_read(primary(use, 2)) : use, delay(1));
	rig_put(r, covered ? waits(over, 2) : over, delay(15));
	hazards(r, expected);
}

TEST(an_operand_that_is_overwritten)
{
	war(false, "WAR r8 b 0 14 20, c 1 2 6");
	war(true, "");
}

/* The overwriting instruction has entered, but not written: the old value is still there. */
TEST(an_operand_that_is_about_to_be_overwritten)
{
	rig *r = begin(1, 1);
	rig_put(r, sfu(8), delay(1));
	rig_put(r, cvt(9, 0), delay(1));
	rig_put(r, cvt(10, 1), delay(15));
	rig_put(r, sfu(1), delay(1));
	rig_put(r, cvt(11, 1), delay(1)); /* reads what d is making */
	hazards(r, "RAW r1 d 0 1 15, e 1 2 8");
	r = begin(1, 1);
	rig_put(r, cvt(11, 1), delay(1));
	rig_put(r, sfu(1), delay(1));
	rig_put(r, cvt(10, 0), delay(15));
	hazards(r, "");
}

/* -- R4 ------------------------------------------------------------------------------------------------------------------------------------ */

static void waw(bool covered, bool halves, const char *expected)
{
	rig *r = begin_halves();
	hd_inst slow = sfu(8), quick = halves ? guarded(movi(8, 5), 1, 0) : movi(8, 5);
	rig_put(r, covered ? primary(slow, 1) : slow, delay(1));
	rig_put(r, covered ? waits(quick, 1) : quick, delay(15));
	hazards(r, expected);
}

TEST(a_result_that_is_overwritten_by_an_earlier_one)
{
	waw(false, false, "WAW r8 b 0 1 15, c 1 2 6");
	waw(false, true, "WAW r8/0000ffff b 0 1 15, c 1 2 6");
	waw(true, false, "");
}

/* A third instruction has written in between: whoever reads then has what it needs. The late writer spoils it later. */
TEST(a_value_that_nobody_asks_for)
{
	rig *r = begin(1, 1);
	rig_put(r, sfu(8), delay(1));
	rig_put(r, movi(8, 5), delay(5));
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(15));
	hazards(r, "WAW r8 a 0 1 15, b 1 2 6");
	r = begin(1, 1);
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, waits(sfu(8), 1), delay(1)); /* enters behind all of these */
	rig_put(r, movi(8, 5), delay(5));
	rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(15));
	hazards(r, "WAW r8 b 0 14 28, c 1 2 6");
	r = begin_halves();
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, guarded(waits(movi(8, 5), 1), 1, 0), delay(1)); /* its result is certain when d has read */
	rig_put(r, coord(8), delay(7));
	rig_put(r, cvt(9, 8), delay(15));
	hazards(r, "WAW r8/0000ffff c 0 14 18, d 1 2 8");
}

/* -- R5 ------------------------------------------------------------------------------------------------------------------------------------ */

/* The reader b is served by a path, and says that it is the last one. `again`: c writes the register before d reads it. */
static void last_use(bool flag, bool again, unsigned distance, const char *expected)
{
	rig *r = begin(1, 1);
	hd_inst use = alui(HD_OP_IADD, 9, 8, 1);
	rig_put(r, movi(8, 5), delay(distance));
	rig_put(r, flag ? last(use, 0) : use, delay(1));
	rig_put(r, again ? movi(8, 6) : movi(10, 6), delay(4));
	rig_put(r, alui(HD_OP_IADD, 11, 8, 1), delay(15));
	hazards(r, expected);
}

TEST(a_value_that_was_dropped)
{
	last_use(true, false, 4, "last use r8 b 0 1 5, d 5 6 10");
	last_use(false, false, 4, "");
	last_use(true, true, 4, "");
	last_use(true, false, 15, ""); /* written before b reads: nothing is dropped (LU-5) */
}

/* Flags of the lanes that a value was made for: what half of them flag stays (LU-5, LU-7); of a value for that half it goes. */
TEST(lanes_that_were_dropped)
{
	rig *r = begin_halves();
	rig_put(r, movi(8, 5), delay(4));
	rig_put(r, guarded(last(alui(HD_OP_IADD, 9, 8, 1), 0), 1, 0), delay(1));
	rig_put(r, alui(HD_OP_IADD, 11, 8, 1), delay(15));
	hazards(r, "");
	r = begin_halves();
	rig_put(r, guarded(movi(8, 5), 1, 0), delay(4));
	rig_put(r, last(alui(HD_OP_IADD, 9, 8, 1), 0), delay(1));
	rig_put(r, alui(HD_OP_IADD, 11, 8, 1), delay(15));
	hazards(r, "last use r8/0000ffff c 0 1 5, d 1 2 6");
}

/* Two values of one register on the paths, in different lanes: the flag drops the one that its reader covers, the other one stays. */
TEST(only_the_value_that_was_dropped)
{
	rig *r = begin_halves();
	rig_put(r, guarded(movi(8, 5), 1, 0), delay(1));
	rig_put(r, guarded(movi(8, 6), 1, 1), delay(4));
	rig_put(r, guarded(last(alui(HD_OP_IADD, 9, 8, 1), 0), 1, 0), delay(1));
	rig_put(r, alui(HD_OP_IADD, 11, 8, 1), delay(15));
	hazards(r, "last use r8/0000ffff d 0 1 5, e 1 2 6");
}

/* -- program order --------------------------------------------------------------------------------------------------------------------------- */

/* Five turns: the result of one is read too early in the next, at a lower address. In the first turn nobody has made it. */
static void around_a_loop(bool covered, const char *expected)
{
	rig *r = begin(1, 1);
	rig_put(r, movi(20, 4), delay(15)); /* a */
	uint32_t top = rig_here(r);
	hd_inst use = alui(HD_OP_IADD, 9, 8, 1), make = sfu(8);
	rig_put(r, covered ? waits(use, 1) : use, delay(1));            /* b */
	rig_put(r, alui(HD_OP_IADD, 20, 20, -1), delay(4));             /* c */
	rig_put(r, primary(setpi(HD_CMP_GE, 2, 20, 0), 2), delay(4));   /* d */
	rig_put(r, covered ? primary(make, 1) : make, delay(1));        /* e */
	rig_put(r, waits(guarded(branch(HD_OP_BRA, top), 2, 0), 2), 0); /* f */
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	hazards(r, expected);
}

TEST(a_loop_that_carries_a_value)
{
	around_a_loop(false, "RAW r8 e 0 1 15, b 6 7 11 x4");
	around_a_loop(true, "");
}

/* MI-4: with a candidate window instructions issue together and past each other. c, which does not wait for a, goes with it; b waits, and is right.
 */
TEST(a_candidate_window)
{
	rig *r = begin(1, 1);
	r->machine.multi_issue_window = 4;
	r->machine.multi_issue_pass_waits = true;
	rig_put(r, primary(sfu(12), 5), delay(1));                   /* a: a high-latency counter */
	rig_put(r, waits(alui(HD_OP_IADD, 13, 12, 1), 5), delay(1)); /* b: waits in the decoder */
	rig_put(r, cvt(9, 12), delay(1));                            /* c */
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	hazards(r, "RAW r12 a 0 1 15, c 0 1 7");
}

/* A sanitizer can watch several runs: each begins with nothing outstanding. */
TEST(one_sanitizer_for_two_runs)
{
	rig *r = begin(1, 1);
	rig_put(r, sfu(8), delay(1));
	rig_put(r, movi(9, 1), delay(15));
	rig_put(r, alui(HD_OP_IADD, 10, 8, 1), delay(15));
	rig_exit(r);
	assert_true(rig_run(r));
	hd_sanitizer *sanitizer = hd_sanitizer_new(&r->program);
	r->options.trace = hd_sanitizer_watcher(sanitizer);
	for (unsigned run = 0; run < 3; run++)
		assert_true(rig_run(r));
	assert_int_equal(hd_sanitizer_found(sanitizer)->total, 0);
	hd_sanitizer_free(sanitizer);
	r->options.trace = NULL;
	rig_free(r);
}
