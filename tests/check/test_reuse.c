/* HZ-35: the checker proves that a program cannot deadlock without wait counters: the rules Q1 to Q4 of src/check/reuse.c. What it objects to hangs,
 * where the timing lets it. Counters 5 and 6 are for high latency. */
#include "programs.h"

#define MACHINE "fence.wait_counters=false fence.deadlock_free=true fence.classify=latency fence.threshold=1000"
#define CLAIM(name, instructions, found) OBJECTED(name, instructions, found), .settings = MACHINE, .high = 2
#define FREE(name, instructions) PROVEN(name, instructions), .settings = MACHINE, .high = 2
#define END "stg.32 [r2:r3], r21 {w110000 p6.w}\nexit\n"

/* Q1: r21 waits for counter 1 in the queue of the transcendentals. */
#define WAITS "movi r20, 7 {p1.w}\nfex2 r21, r20 {w100000 p2.w}\n"
#define WAITS_HIGH "movi r20, 7 {p1.w}\nfex2 r21, r20 {w100000 p5.w}\n"

TEST(in_one_block)
{
	static const program programs[] = {
	    {FREE("every counter once", WAITS "fex2 r22, r0 {p3.w}\n" END)},
	    {CLAIM("raised behind the instruction that waits, in its own queue", WAITS "fex2 r22, r0 {p1.w}\n" END, "reuse fex2 -> fex2")},
	    {CLAIM("raised in another pipe", WAITS "i2f.f32.s32 r22, r0 {p1.w}\n" END, "reuse fex2 -> i2f"), .harmless = true},
	    {FREE("a branch waits for the instruction itself (Q2, Q3)", WAITS "@!pt bra START {w010000}\nfex2 r22, r0 {p1.w}\n" END)},
	    {CLAIM("a branch waits for the same counter", WAITS "@!pt bra START {w100000}\nfex2 r22, r0 {p1.w}\n" END, "reuse fex2 -> fex2"),
	     .harmless = true},
	    {CLAIM("the branch waits for another pipe", WAITS "i2f.f32.s32 r23, r0 {p3.w}\n@!pt bra START {w001000}\nfex2 r22, r0 {p1.w}\n" END,
	           "reuse fex2 -> fex2"),
	     .harmless = true},
	    {FREE("the branch waits for one behind it", WAITS "fex2 r23, r0 {p3.w}\n@!pt bra START {w001000}\nfex2 r22, r0 {p1.w}\n" END)},
	    {CLAIM("the branch waits for one before it",
	           "movi r20, 7 {p1.w}\nfex2 r23, r0 {p3.w}\nfex2 r21, r20 {w100000 p2.w}\n@!pt bra START {w001000}\nfex2 r22, r0 {p1.w}\n" END,
	           "reuse fex2 -> fex2"),
	     .harmless = true},
	    {CLAIM("a queue waits for it", WAITS "i2f.f32.s32 r23, r21 {w010000}\nfex2 r22, r0 {p1.w}\n" END, "reuse fex2 -> fex2")},
	    {FREE("the decoder waits for it", WAITS_HIGH "mov r24, r21 {w000010 p4.w}\nfex2 r22, r0 {p1.w}\nstg.32 [r2:r3], r24 {w000100}\nexit\n")},
	    {FREE("flow instructions wait in no queue",
	          "isetp.lo p1, r0, #9 {p1.w}\n@p1 bra M {w100000}\nM: isetp.lo p1, r0, #8 {p1.w}\n@p1 bra N {w100000}\nN: exit\n")},
	    {FREE("high-latency counters",
	          "movi r20, 7 {p5.w}\nfex2 r21, r20 {w000010 p6.w}\nfex2 r22, r0 {p5.w}\nstg.32 [r2:r3], r21 {w000001}\nexit\n")},
	};
	programs_expect(programs, HD_COUNT(programs));
}

TEST(where_paths_meet)
{
	static const program programs[] = {
	    {CLAIM("around a loop",
	           "isetp.lo p1, r0, #0 {p3.w}\nL: iadd rz, r0, r0 {p1.w}\nfex2 r21, r0 {w100000 p5.w}\n@p1 bra L {w001000}\nstg.32 [r2:r3], r21 "
	           "{w000010}\nexit\n",
	           "reuse fex2 -> iadd"),
	     .harmless = true},
	    {FREE("around a loop whose branch waits", "isetp.lo p1, r0, #0 {p3.w}\nL: iadd rz, r0, r0 {p1.w}\nfex2 r21, r0 {w100000 p5.w}\n@p1 bra L "
	                                              "{w001010}\nstg.32 [r2:r3], r21\nexit\n")},
	    {CLAIM("one side of a branch has waited",
	           "isetp.lo p1, r0, #9 {p3.w}\n" WAITS "@p1 bra M {w001000}\n@!pt bra START {w010000}\nM: fex2 r22, r0 {p1.w}\n" END,
	           "reuse fex2 -> fex2"),
	     .harmless = true},
	};
	programs_expect(programs, HD_COUNT(programs));
}

/* Q3: with multi_issue.pass_waits an instruction of another pipe may issue before one that waits in the decoder. */
TEST(a_wait_that_is_passed_proves_nothing)
{
	static const char body[] = WAITS_HIGH "mov r24, r21 {w000010 p4.w}\nfex2 r22, r0 {p1.w}\nstg.32 [r2:r3], r24 {w000100}\nexit\n";
	const program passes = {OBJECTED("passed", body, "reuse fex2 -> fex2"),
	                        .settings = MACHINE " multi_issue.window=4 multi_issue.pass_waits=true", .high = 2, .harmless = true};
	program_expect(&passes);
}

/* Q4 */
TEST(with_calls_nothing_is_known)
{
	static const char body[] = "movi r20, 7 {p1.w}\n@!pt bra START {w100000}\ncall FUNCTION\nexit\n"
	                           "FUNCTION: movi r22, 1 {p2.w}\n@!pt bra FUNCTION {w010000}\nret\n";
	const program calls = {CLAIM("a call", body, "reuse imulw.u32; reuse shl; reuse iadd64; reuse iadd64; reuse movi; reuse movi"),
	                       .harmless = true};
	program_expect(&calls);
}

/* It is no error unless the machine asks for the proof. */
TEST(only_where_it_is_asked_for)
{
	const program waits = {
	    PROVEN("wait counters",
	           "movi r20, 7 {p1.w}\ni2f.f32.s32 r21, r20 {w100000 p5.w}\nmovi r22, 1 {p1.w}\nstg.32 [r2:r3], r21 {w000010}\nexit\n"),
	    .high = 2};
	program_expect(&waits);
}

TEST(it_is_said_in_words)
{
	const program p = {CLAIM("words", WAITS "fex2 r22, r0 {p1.w}\n" END, "")};
	hd_object *object = program_assemble(&p);
	hd_machine machine;
	hd_check_report report;
	hd_text text = {0};
	hd_machine_default(&machine);
	program_set(&machine, MACHINE);
	assert_false(hd_check(object, &machine, &report));
	const hd_finding *finding = &report.findings.at[0];
	assert_int_equal(finding->path.n, 2);
	assert_int_equal(finding->path.at[0], finding->producer);
	assert_int_equal(finding->path.at[1], finding->consumer);
	hd_finding_print(&text, finding, object, "x.hko");
	assert_non_null(strstr(text.at, "raises a counter for which `fex2 r21, r20"));
	assert_non_null(strstr(text.at, "may still wait in its queue: a deadlock without wait counters (HZ-35)\n"));
	hd_text_free(&text);
	hd_check_report_free(&report);
	hd_object_free(object);
}
