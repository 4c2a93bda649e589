/* Findings as text (HZ-27): they name both instructions, the register, the cycles that are missing and the way between the two; one for each pair. */
#include "programs.h"

/* All findings of a body as text. */
static char *text_of(const char *body, hd_check_report *report, uint32_t target)
{
	const program p = {.what = "report", .body = body, .targets = {target}};
	hd_object *object = program_assemble(&p);
	hd_machine machine;
	hd_text text = {0};
	hd_machine_default(&machine);
	program_set(&machine, PROGRAM_MACHINE);
	hd_check(object, &machine, report);
	for (size_t i = 0; i < report->findings.n; i++)
		hd_finding_print(&text, &report->findings.at[i], object, "x");
	hd_object_free(object);
	return text.at;
}

TEST(what_a_finding_says)
{
	static const struct {
		const char *body, *text;
	} rows[] = {
	    {"iadd r10, r0, #1 {delay 2}\niadd r11, r10, #1\nexit\n",
	     "x: error: k: RAW on r10 is not covered: `iadd r10, r0, #1` at 9 and then `iadd r11, r10, #1` at 10; 2 cycles are missing, or a "
	     "counter; path 9 -> 10\n"},
	    {"ldg.32 r10, [r4:r5]\niadd r11, r10, #1\nexit\n", "x: error: k: RAW on r10 is not covered: `ldg.32 r10, [r4:r5]` at 9 and then `iadd "
	                                                       "r11, r10, #1` at 10; no counter waits for it; path 9 -> 10\n"},
	    {"imul64 r10:r11, r4:r5, r4:r5 {delay 2}\nmovi r11, 1\nexit\n",
	     "x: error: k: WAW on r11 is not covered: `imul64 r10:r11, r4:r5, r4:r5` at 9 and then `movi r11, 0x00000001` at 10; 3 cycles are "
	     "missing, or a counter; path 9 "
	     "-> 10\n"},
	    {"@p3 sts.32 [r1], r0\nisetp.eq p3, rz, rz\nexit\n", "x: error: k: WAR on p3 is not covered: `@p3 sts.32 [r1], r0` at 9 and then "
	                                                         "`isetp.eq p3, rz, rz` at 10; no counter waits for it; path 9 -> 10\n"},
	    {"sts.32 [r1], r0\nbar.sync 0\nexit\n",
	     "x: error: k: memory order is not covered: `sts.32 [r1], r0` at 9 and then `bar.sync 0` at 10; no counter waits for it; path 9 -> 10\n"},
	    {"sts.32 [r1], r0\ncall F\nexit\nFUNCTION:\nF: ret\n", "x: error: k: call is not covered: `sts.32 [r1], r0` at 9 may be outstanding at "
	                                                           "`call 12` at 10; no counter waits for it; path 9 -> 10\n"},
	    {"iadd r10, r0, #1 {delay 4}\niadd r11, r10.lu, #1\niadd r11, r10, #1\nexit\n",
	     "x: error: k: the last use of r10 in `iadd r11, r10.lu, #1` at 10 is not proven because of `iadd r11, r10, #1` at 11 (LU-3)\n"},
	    {"bra L\nL: iadd r11, r0.lu, #1\nexit\n", "x: error: k: the last use of r0 in `iadd r11, r0.lu, #1` at 10 is not proven: no instruction "
	                                              "of its pipeline and block makes the value (LU-3)\n"},
	    /* Several ways: a shortest one on which nothing covers it; of time, the one that brings the least. (imul64: 8 cycles, a branch: 3.) */
	    {"imul64 r10:r11, r4:r5, r4:r5\n@p0 bra M\nnop {delay 15}\nL: mov r11, r10\nexit\nM: bra L\n",
	     "x: error: k: RAW on r10 is not covered: `imul64 r10:r11, r4:r5, r4:r5` at 9 and then `mov r11, r10` at 12; 1 cycles are missing, or a "
	     "counter; path 9 -> 14 -> 12\n"},
	    /* The wait at L counts on the way. */
	    {"imul64 r10:r11, r4:r5, r4:r5\n@p0 bra M\nnop {delay 15}\nbra L\nM: nop\nL: mov r11, r10 {wait 2}\nexit\n",
	     "x: error: k: RAW on r10 is not covered: `imul64 r10:r11, r4:r5, r4:r5` at 9 and then `mov r11, r10` at 14; 1 cycles are missing, or a "
	     "counter; path 9 -> 13 -> 14\n"},
	    {"lds.32 r10, [r1] {p1.w}\n@p0 bra M\nmov r11, r10 {w100000}\nbra L\nM: nop\n@p1 bra N\nnop\nN: nop\nL: mov r11, r10\nexit\n",
	     "x: error: k: RAW on r10 is not covered: `lds.32 r10, [r1]` at 9 and then `mov r11, r10` at 18; no counter waits for it; path 9 -> 13 "
	     "-> 17 -> 18\n"},
	    {"L: mov r11, r10\n@p0 bra M\nlds.32 r10, [r1]\n@p1 bra L\nexit\nM: exit\n",
	     "x: error: k: RAW on r10 is not covered: `lds.32 r10, [r1]` at 11 and then `mov r11, r10` at 9; no counter waits for it; path 11 -> 9\n"
	     "x: error: k: WAR on r10 is not covered: `mov r11, r10` at 9 and then `lds.32 r10, [r1]` at 11; no counter waits for it; path 9 -> 11\n"
	     "x: error: k: WAW on r10 is not covered: `lds.32 r10, [r1]` at 11 and then `lds.32 r10, [r1]` at 11; no counter waits for it; path 11 "
	     "-> 9 -> 11\n"},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_check_report report;
		char *text = text_of(rows[i].body, &report, 0);
		if (!text || strcmp(text, rows[i].text) != 0)
			fail_msg("%s:\nfound    %s\nexpected %s", rows[i].body, text ? text : "nothing\n", rows[i].text);
		hd_check_report_free(&report);
		free(text);
	}
}

/* Two hazards of one pair are one finding; beyond HD_MAX_FINDINGS they are counted only. */
TEST(findings_are_limited)
{
	hd_check_report report, before;
	free(text_of("exit\n", &before, 0));
	free(text_of("ldg.32 r10, [r4:r5]\niadd r10, r10, r10\nexit\n", &report, 0));
	assert_int_equal(report.total, 1);
	assert_int_equal(report.dependences - before.dependences, 2);
	hd_check_report_free(&before);
	hd_check_report_free(&report);
	hd_text body = {0};
	for (unsigned i = 0; i < HD_MAX_FINDINGS + 5; i++)
		hd_text_printf(&body, "sts.32 [r1], r0\n");
	hd_text_printf(&body, "bar.sync 0\nexit\n");
	free(text_of(body.at, &report, 0));
	assert_int_equal(report.findings.n, HD_MAX_FINDINGS);
	assert_int_equal(report.total, HD_MAX_FINDINGS + 5);
	hd_check_report_free(&report);
	hd_text_free(&body);
}

/* The kinds of cover in a proven program are counted. */
TEST(what_covers_is_counted)
{
	hd_check_report before, report;
	free(text_of("exit\n", &before, 0));
	free(text_of(
	    "iadd r10, r0, #1 {delay 4}\niadd r11, r10, #1 {p1.w}\nsts.32 [r1], r11 {w100000 p2.w}\nlds.32 r11, [r1]\nbar.sync 0 {w010000}\nexit\n",
	    &report, 0));
	assert_int_equal(report.by_delay - before.by_delay, 1);
	assert_int_equal(report.by_order - before.by_order, 1);
	assert_int_equal(report.by_counter - before.by_counter, 3); /* RAW and WAW of r11, the store before the barrier */
	hd_check_report_free(&before);
	hd_check_report_free(&report);
}
