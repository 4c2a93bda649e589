/* How the checker counts time and joins ways: the rules T1 to T6 of src/check/facts.h, each with a program that just satisfies it and is right, and
 * with one that is a cycle, or a way, short of it and is wrong (PD-5, PD-6, HZ-27). */
#include "programs.h"

#include "check/facts.h"

#define STORE "stg.32 [r2:r3], r20 {w000001 delay 1}\nexit\n"
#define USE "iadd r20, r10, #2 {p6.w}\n" STORE

/* T1, T2: latency of the alu 4, of flow 2. */
TEST(what_counts_between_two_instructions)
{
#define THREE_OTHERS "fex2 r11, rz\ni2f.f32.u32 r12, r0\nlds.32 r13, [r1]\n"
	static const program list[] = {
	    {PROVEN("instructions of other pipes", "iadd r10, r0, #1\n" THREE_OTHERS USE)},
	    {OBJECTED("one of them less", "iadd r10, r0, #1\nfex2 r11, rz\ni2f.f32.u32 r12, r0\n" USE, "RAW r10 iadd -> iadd")},
	    {OBJECTED("with a window they do not count", "iadd r10, r0, #1\n" THREE_OTHERS USE, "RAW r10 iadd -> iadd"),
	     .settings = "multi_issue.window=4"},
	    {OBJECTED("nor do their delays", "iadd r10, r0, #1\nfex2 r11, rz {delay 9}\n" USE, "RAW r10 iadd -> iadd"),
	     .settings = "multi_issue.window=4"},
	    {PROVEN("with a window its own delay does", "iadd r10, r0, #1 {delay 4}\n" THREE_OTHERS USE), .settings = "multi_issue.window=4"},
	    {OBJECTED("which must be long enough", "iadd r10, r0, #1 {delay 3}\n" THREE_OTHERS USE, "RAW r10 iadd -> iadd"),
	     .settings = "multi_issue.window=4"},
	    {PROVEN("delays of its pipe add", "iadd r10, r0, #1 {delay 2}\nfex2 r11, rz\niadd r14, r0, #1 {delay 2}\n" USE),
	     .settings = "multi_issue.window=4"},
	    {PROVEN("nops count", "iadd r10, r0, #1\nnop\nnop {delay 2}\n" USE)},
	    {PROVEN("nops count in a window", "iadd r10, r0, #1\nnop\nnop {delay 2}\n" USE), .settings = "multi_issue.window=4"},
	    {OBJECTED("one cycle less of them", "iadd r10, r0, #1\nnop\nnop\n" USE, "RAW r10 iadd -> iadd"), .settings = "multi_issue.window=4"},
	    {PROVEN("a branch: its latency and a cycle", "iadd r10, r0, #1\nbra L\nL: " USE)},
	    {OBJECTED("a branch: no more", "iadd r10, r0, #1\nbra L\nL: " USE, "RAW r10 iadd -> iadd"), .settings = "latency.alu.latency=5"},
	    {OBJECTED("a branch: its delay is nothing", "iadd r10, r0, #1\nbra L {delay 9}\nL: " USE, "RAW r10 iadd -> iadd"),
	     .settings = "latency.alu.latency=5", .harmless = true /* the scheduler keeps it all the same */},
	    {PROVEN("a branch in a window", "iadd r10, r0, #1\nbra L\nL: " USE), .settings = "multi_issue.window=4"},
	    {OBJECTED("a branch in a window: no more", "iadd r10, r0, #1\nbra L\nL: " USE, "RAW r10 iadd -> iadd"),
	     .settings = "multi_issue.window=4 latency.alu.latency=5"},
	    {PROVEN("a barrier", "iadd r10, r0, #1\nbar.sync 0\n" USE)},
	    {PROVEN("a slower branch", "iadd r10, r0, #1\nbra L\nL: " USE), .settings = "latency.alu.latency=5 latency.flow.latency=3"},
	};
	programs_expect(list, HD_COUNT(list));
}

#define CONDITION "isetp.lo p1, r0, #9 {p5.w delay 4}\n"

/* T3 */
TEST(a_wait_and_the_delay_before_it_overlap)
{
	static const program list[] = {
	    {PROVEN("a wait of 3", "iadd r10, r0, #1\niadd r20, r10, #2 {wait 3 p6.w}\n" STORE)},
	    {OBJECTED("a wait of 2", "iadd r10, r0, #1\niadd r20, r10, #2 {wait 2 p6.w}\n" STORE, "RAW r10 iadd -> iadd")},
	    {OBJECTED("a delay of 3 and a wait of 2", "iadd r10, r0, #1 {delay 3}\niadd r20, r10, #2 {wait 2 p6.w}\n" STORE, "RAW r10 iadd -> iadd")},
	    {PROVEN("a delay of 3 and a wait of 3", "iadd r10, r0, #1 {delay 3}\niadd r20, r10, #2 {wait 3 p6.w}\n" STORE)},
	    {PROVEN("a delay of 3 and a wait of 1 in a window", "iadd r10, r0, #1 {delay 3}\niadd r20, r10, #2 {wait 1 p6.w}\n" STORE),
	     .settings = "multi_issue.window=4"},
	    {OBJECTED("a delay of 2 and a wait of 1 in a window", "iadd r10, r0, #1 {delay 2}\niadd r20, r10, #2 {wait 1 p6.w}\n" STORE,
	              "RAW r10 iadd -> iadd"),
	     .settings = "multi_issue.window=4"},
	    {OBJECTED("into a block",
	              "movi r10, 5 {delay 15}\n" CONDITION
	              "@p1 bra L {w000010}\niadd r10, r0, #1 {delay 3}\nL: iadd r20, r10, #2 {wait 2 p6.w}\n" STORE,
	              "RAW r10 iadd -> iadd")},
	    {PROVEN("into a block, a cycle more", "movi r10, 5 {delay 15}\n" CONDITION
	                                          "@p1 bra L {w000010}\niadd r10, r0, #1 {delay 3}\nL: iadd r20, r10, #2 {wait 3 p6.w}\n" STORE)},
	    /* The delay before N does not shorten the wait of those that come from M. */
	    {PROVEN("each way into a block has its own delay",
	            "imul r10, r0, #3 {delay 15}\n" CONDITION "bra M\nN: mov r13, rz {w000100 delay 5}\nL: iadd r20, r10, #2 {wait 4 p6.w}\nstg.32 "
	            "[r2:r3], r20 {w000001 p4.r}\nexit\nM: @p1 bra N "
	            "{w000010}\nimul r10, r0, #1 {w000100}\nbra L\n"),
	     .settings = "latency.mul.latency=8"},
	    {OBJECTED("but the wait must be long enough",
	              "imul r10, r0, #3 {delay 15}\n" CONDITION "bra M\nN: mov r13, rz {w000100 delay 5}\nL: iadd r20, r10, #2 {wait 3 p6.w}\nstg.32 "
	              "[r2:r3], r20 {w000001 p4.r}\nexit\nM: @p1 bra N "
	              "{w000010}\nimul r10, r0, #1 {w000100}\nbra L\n",
	              "RAW r10 imul -> iadd"),
	     .settings = "latency.mul.latency=8"},
	    {PROVEN("behind a branch it begins with the decision", "iadd r10, r0, #1\nbra L\nL: iadd r20, r10, #2 {wait 1 p6.w}\n" STORE),
	     .settings = "latency.alu.latency=5"},
	    {PROVEN("behind a barrier, too", "iadd r10, r0, #1\nbar.sync 0\niadd r20, r10, #2 {wait 1 p6.w}\n" STORE),
	     .settings = "latency.alu.latency=5"},
	    {PROVEN("behind a pair", "iadd r10, r0, #1\nfex2 r11, rz {pair}\niadd r20, r10, #2 {wait 3 p6.w}\n" STORE),
	     .settings = "predecode.issue_width=2"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* T4 */
TEST(the_shortest_way_counts)
{
/* The first addition waits for the pipe until the second has come, so that nothing but the distance that is counted lies between the two. */
#define BUSY "imul64 r14:r15, r4:r5, r4:r5\nimul64 r14:r15, r4:r5, r4:r5\nimul64 r14:r15, r4:r5, r4:r5\nimul64 r14:r15, r4:r5, r4:r5\n"
	static const program list[] = {
	    {PROVEN("both long enough", CONDITION "iadd r10, r0, #1\n@p1 bra L {w000010}\nnop\nL: " USE)},
	    {OBJECTED("the one that jumps is short",
	              "isetp.hs p1, r0, #32 {p5.w delay 4}\n" BUSY "iadd r10, r0, #1\n@p1 bra L {w000010}\nnop\nL: " USE, "RAW r10 iadd -> iadd"),
	     .settings = "latency.alu.latency=5"},
	    {OBJECTED("the one that falls is short",
	              CONDITION "bra M\nK: iadd r10, r0, #2 {delay 9}\nbra L\nM: @!p1 bra K {w000010}\niadd r10, r0, #1 {delay 3}\nL: " USE,
	              "RAW r10 iadd -> iadd"),
	     .harmless = true /* lanes that wait at L are there first */},
	    {OBJECTED("the way back is short",
	              "movi r10, 5 {delay 15}\nmovi r21, 3 {delay 5}\nL: iadd r20, r10, #2 {p6.w delay 5}\niadd r21, r21, #-1 {delay 5}\n"
	              "isetp.ne p1, r21, rz {p5.w delay 5}\n" BUSY "iadd r10, r0, r21\n@p1 bra L {w000010}\n" STORE,
	              "RAW r10 iadd -> iadd"),
	     .settings = "latency.alu.latency=5"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* A way on which nothing waits is enough, be it seen first or last, and be it that of a write or of a read. */
TEST(ways_that_do_not_wait)
{
#define LATE_READER "ldg.32 r11, [r4:r5+512] {p2.w}\nmovi r12, 9 {p4.w delay 4}\nstg.32 [r2:r3+256], r12 {w010100 p3.r}\n"
#define OVERWRITE "movi r12, 7 {p6.w delay 4}\nmov r20, r12 {p6.w delay 4}\n" STORE
	static const program list[] = {
	    {PROVEN("write: both wait",
	            CONDITION "ldg.32 r10, [r4:r5+512] {p1.w}\n@p1 bra K {w000010}\nnop {delay 1}\nmov r14, r10 {w100000}\nbra L\n"
	                      "K: mov r14, r10 {w100000}\nL: " USE)},
	    {OBJECTED("write: the first does not",
	              CONDITION "ldg.32 r10, [r4:r5+512] {p1.w}\n@p1 bra K {w000010}\nnop\nbra L\nK: mov r14, r10 {w100000}\nL: " USE,
	              "RAW r10 ldg -> iadd")},
	    {OBJECTED("write: the second does not",
	              CONDITION "ldg.32 r10, [r4:r5+512] {p1.w}\n@p1 bra K {w000010}\nmov r14, r10 {w100000}\nbra L\nK: nop\nL: " USE,
	              "RAW r10 ldg -> iadd"),
	     .harmless = true /* the lanes that jump wait for the others */},
	    {PROVEN("read: both wait",
	            CONDITION LATE_READER "@p1 bra K {w000010}\nmov r14, r0 {w001000}\nbra L\nK: mov r14, r0 {w001000}\nL: " OVERWRITE)},
	    {OBJECTED("read: the first does not", CONDITION LATE_READER "@p1 bra K {w000010}\nnop\nbra L\nK: mov r14, r0 {w001000}\nL: " OVERWRITE,
	              "WAR r12 stg -> movi")},
	    {OBJECTED("read: the second does not", CONDITION LATE_READER "@p1 bra K {w000010}\nmov r14, r0 {w001000}\nbra L\nK: nop\nL: " OVERWRITE,
	              "WAR r12 stg -> movi"),
	     .harmless = true},
	    {OBJECTED("the way back",
	              "movi r10, 5 {p1.w delay 4}\nmovi r21, 3 {delay 4}\nL: mov r20, r10 {w100000 p6.w delay 4}\niadd r21, r21, #-1 {delay 4}\n"
	              "isetp.ne p1, r21, rz {p5.w delay 4}\nldg.32 r10, [r4:r5+512] {w000001}\n@p1 bra L {w000010}\n" STORE,
	              "RAW r10 ldg -> mov; WAW r10 ldg")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* An older instance of a guarded instruction speaks of other lanes than the newer one, if the guard has changed between the two. */
TEST(a_guard_that_changes_in_a_loop)
{
	static const char body[] = "movi r21, 2 {delay 4}\nmovi r10, 0 {p1.w delay 4}\nmovi r20, 0 {p1.w delay 4}\nL: xor r22, r0, r21 {delay 4}\n"
	                           "and r22, r22, #1 {delay 4}\nisetp.eq p1, r22, rz {w010001 p3.w delay 4}\niadd r21, r21, #-1 {delay 4}\n"
	                           "isetp.ne p2, r21, rz {p4.w delay 4}\n@p1 fex2 r10, rz {w101000 p2.r}\n@!p1 i2f.f32.u32 r20, r10 {w101000 p6.w}\n"
	                           "@p2 bra L {w000100}\n" STORE;
	static const program changes = {OBJECTED("the guard changes in the loop", body, "RAW r10 fex2 -> i2f"), .settings = "latency.sfu.latency=40"};
	static const program stays = {PROVEN("the guard is made before the loop",
	                                     "movi r21, 2 {delay 4}\nmovi r10, 0 {p1.w delay 4}\nmovi r20, 0 {p1.w delay 4}\nand r22, r0, #1 {delay "
	                                     "4}\nisetp.eq p1, r22, rz {p3.w delay 4}\n"
	                                     "L: iadd r21, r21, #-1 {delay 4}\nisetp.ne p2, r21, rz {p4.w delay 4}\n@p1 fex2 r10, rz {w101000 p2.r}\n"
	                                     "@!p1 i2f.f32.u32 r20, r10 {w101000 p6.w}\n@p2 bra L {w000100}\n" STORE)};
	/* The loop is one block, and who comes behind it meets the instances of all turns. */
	static const program behind = {
	    OBJECTED("the guard changes in the loop, read behind it",
	             "movi r21, 2 {delay 4}\nmovi r10, 0 {p1.w delay 4}\nmovi r20, 0 {p1.w delay 4}\n@!pt bra START {w100000}\nL: xor r22, r0, r21 "
	             "{delay 4}\n"
	             "and r22, r22, #1 {delay 4}\nisetp.eq p1, r22, rz {w010000 p3.w delay 4}\niadd r21, r21, #-1 {delay 4}\nisetp.ne p2, r21, rz "
	             "{p4.w delay 4}\n"
	             "@p1 fex2 r10, rz {w001000 p2.r}\n@p2 bra L {w000100}\n@!p1 i2f.f32.u32 r20, r10 {w001000 p6.w}\n" STORE,
	             "RAW r10 fex2 -> i2f"),
	    .settings = "latency.sfu.latency=60"};
	program_expect(&behind);
	program_expect(&changes);
	program_expect(&stays);
}

#define SLOW_WRITE "fex2 r20, r0 {p1.w}\n"
#define REPLACE "iadd r20, r0, #2 {w100000 p2.w delay 15}\n"
#define LATE_STORE "movi r12, 5 {p4.w}\nldg.32 r11, [r4:r5] {p2.w}\nstg.32 [r2:r3+256], r12 {w010100}\n"

/* T6: in another block a wait for the last access proves nothing of the one before it, and need not. */
TEST(a_later_access_replaces)
{
	static const program list[] = {
	    {PROVEN("a write", SLOW_WRITE REPLACE "bra L\nL: stg.32 [r2:r3], r20 {w010000}\nexit\n")},
	    {OBJECTED("but not under a guard",
	              "isetp.lo p1, r0, #0 {p5.w delay 4}\n" SLOW_WRITE
	              "@p1 iadd r20, r0, #2 {w100010 p2.w delay 15}\nbra L\nL: stg.32 [r2:r3], r20 {w010000}\nexit\n",
	              "RAW r20 fex2 -> stg"),
	     .harmless = true /* in the queue the instruction waits, dropped or not */},
	    {OBJECTED("and not where a way leads past it",
	              "isetp.lo p1, r0, #99 {p5.w delay 4}\n" SLOW_WRITE "@p1 bra L {w000010}\n" REPLACE "L: stg.32 [r2:r3], r20 {w010000}\nexit\n",
	              "RAW r20 fex2 -> stg")},
	    {OBJECTED("and not another register's",
	              "fex2 r19, r0 {p1.w}\n" REPLACE "bra L\nL: stg.32 [r2:r3], r20 {w010000}\nstg.32 [r2:r3+512], r19\nexit\n",
	              "RAW r19 fex2 -> stg"),
	     .harmless = true /* the checker does not carry what `iadd` waited for into the next block */},
	    {PROVEN("a read", LATE_STORE "stg.32 [r2:r3+512], r12 {p3.r}\nbra L\nL: movi r12, 7 {w001000 delay 15}\nexit\n")},
	    {OBJECTED("but not one of another pipe", LATE_STORE "iadd r13, r12, #1 {w000100 p3.r}\nbra L\nL: movi r12, 7 {w001000 delay 15}\nexit\n",
	              "WAR r12 stg -> movi")},
	    {PROVEN("a read, by a write", "movi r12, 5 {p4.w}\nldg.32 r11, [r4:r5] {p2.w}\nstg.32 [r2:r3+256], r12 {w010100 p5.r}\n"
	                                  "movi r12, 6 {w000010 p3.w}\nbra L\nL: fex2 r12, r0 {w001000}\nexit\n")},
	    {OBJECTED("an access stays one", "ldg.32 r20, [r4:r5] {p1.w}\nmov r20, rz {w100000 p6.w}\nbar.sync 0\n" STORE, "memory ldg -> bar"),
	     .harmless = true /* the barrier has other accesses to wait for than this load, which nobody sees */},
	};
	programs_expect(list, HD_COUNT(list));
}

/* Joined facts have what either has, the least distance, and are said to have changed when they have. */
TEST(joined_facts)
{
	hd_facts facts;
	hd_fact_list in = {0};
	hd_facts_init(&facts, 100);
	const hd_fact fact = {.word = 7, .unwritten = 0x0f, .unread = 0x05, .issued = 20};
	hd_vec_push(&in, fact);
	const struct {
		hd_fact with;
		bool changes;
	} rows[] = {
	    {{.word = 7, .unwritten = 0x0c, .unread = 0x01, .issued = 20}, false},
	    {{.word = 7, .unwritten = 0x1c, .issued = 20}, true},
	    {{.word = 7, .unread = 0x02, .issued = 20}, true},
	    {{.word = 7, .issued = 21}, false},
	    {{.word = 7, .issued = 19}, true},
	    {{.word = 7, .issued = 19, .guard_changed = true}, true},
	    {{.word = 7, .issued = 19, .guard_changed = true}, false},
	    {{.word = 9, .unread = 0x01, .issued = 3}, true},
	    {{.word = 9, .unread = 0x01, .issued = 3}, false},
	};
	const hd_entry_waits waits = {{0}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_fact_list one = {0};
		hd_vec_push(&one, rows[i].with);
		hd_facts_begin(&facts, &one, 1);
		hd_facts_end(&facts);
		assert_int_equal(hd_facts_join(&in, &facts, &waits), rows[i].changes);
		hd_vec_free(&one);
	}
	assert_int_equal(in.n, 2);
	assert_int_equal(in.at[0].unwritten, 0x1f);
	assert_int_equal(in.at[0].unread, 0x07);
	assert_int_equal(in.at[0].issued, 19);
	assert_true(in.at[0].guard_changed);
	assert_int_equal(in.at[1].word, 9);
	assert_int_equal(in.at[1].issued, 3);
	hd_vec_free(&in);
	hd_facts_free(&facts);
}
