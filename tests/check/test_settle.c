/* The proof by a wait and its limits (HZ-27): the rules S1 to S9 of src/check/settle.c, each with a program that relies on it and is right, and with
 * one that relies on a little more and is wrong. */
#include "programs.h"

#define STORE "stg.32 [r2:r3], r20 {w000001 delay 1}\nexit\n"

/* S1 */
TEST(a_wait_is_for_the_counter_that_was_raised)
{
	static const program list[] = {
	    {PROVEN("waits for its counter", "ldg.32 r10, [r4:r5] {p1.w}\niadd r20, r10, #1 {w100000 p6.w delay 4}\n" STORE)},
	    {OBJECTED("waits for another", "ldg.32 r10, [r4:r5] {p1.w}\niadd r20, r10, #1 {w010000 p6.w delay 4}\n" STORE, "RAW r10 ldg -> iadd")},
	    {OBJECTED("no primary", "ldg.32 r10, [r4:r5]\niadd r20, r10, #1 {w100000 p6.w delay 4}\n" STORE, "RAW r10 ldg -> iadd")},
	    /* The load behind it raises the counter, but is another. */
	    {PROVEN("two primaries of one counter",
	            "ldg.32 r10, [r4:r5] {p1.w}\nldg.32 r11, [r4:r5+4] {p1.w}\niadd r20, r10, r11 {w100000 p6.w delay 4}\n" STORE)},
	    {OBJECTED("the wait before the primary",
	              "ldg.32 r11, [r4:r5] {p1.w}\nmov r12, r11 {w100000 delay 4}\nldg.32 r10, [r4:r5+4] {p1.w}\n"
	              "iadd r20, r10, r12 {p6.w delay 4}\n" STORE,
	              "RAW r10 ldg -> iadd")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S2 */
TEST(a_release_by_read_tells_of_the_read_alone)
{
	static const program list[] = {
	    {PROVEN("by write: read and written",
	            "movi r20, 5 {p2.w delay 1}\nldg.32 r4, [r4:r5] {p1.w w010000}\nmov r20, r4 {w100000 p6.w delay 4}\n" STORE)},
	    {OBJECTED("by read: not written",
	              "movi r20, 5 {p2.w delay 1}\nldg.32 r10, [r4:r5] {p1.r w010000}\nmov r20, r10 {w100000 p6.w delay 4}\n" STORE,
	              "RAW r10 ldg -> mov")},
	    {PROVEN(
	        "by read: read",
	        "ldg.32 r11, [r4:r5] {p2.w}\nmovi r12, 9 {p4.w delay 4}\nstg.32 [r2:r3+256], r12 {w010100 p1.r}\nmovi r12, 7 {w100000 p6.w delay 4}\n"
	        "mov r20, r12 {p6.w delay 4}\n" STORE)},
	    {OBJECTED("not even read",
	              "ldg.32 r11, [r4:r5] {p2.w}\nmovi r12, 9 {p4.w delay 4}\nstg.32 [r2:r3+256], r12 {w010100}\nmovi r12, 7 {delay 4}\n"
	              "mov r20, r12 {p6.w delay 4}\n" STORE,
	              "WAR r12 stg -> movi")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S3, S4, S5: where it waits, and whom that holds back. */
TEST(a_wait_holds_back_a_pipe_or_everyone)
{
#define LOAD_THEN_WAIT "ldg.32 r10, [r4:r5] {p5.w}\nmov r11, r10 {w000010 delay 4}\n"
#define OTHER_PIPE "i2f.f32.u32 r20, r10 {p6.w delay 1}\n" STORE
#define SAME_PIPE "iadd r20, r10, #3 {p6.w delay 1}\n" STORE
	static const program list[] = {
	    {PROVEN("in a queue: its own pipe", LOAD_THEN_WAIT SAME_PIPE)},
	    {OBJECTED("in a queue: no other pipe", LOAD_THEN_WAIT OTHER_PIPE, "RAW r10 ldg -> i2f")},
	    {PROVEN("in the decoder: its own pipe", LOAD_THEN_WAIT "iadd r20, r10, #3 {p4.w delay 4}\nstg.32 [r2:r3], r20 {w000100}\nexit\n"),
	     .high = 2},
	    {PROVEN("in the decoder: everyone", LOAD_THEN_WAIT OTHER_PIPE), .high = 2},
	    {PROVEN("in the decoder: everyone, in a window", LOAD_THEN_WAIT OTHER_PIPE), .settings = "multi_issue.window=4", .high = 2},
	    {OBJECTED("in the decoder, with pass_waits: no other pipe", LOAD_THEN_WAIT OTHER_PIPE, "RAW r10 ldg -> i2f"),
	     .settings = "multi_issue.window=4 multi_issue.pass_waits=true", .high = 2},
	    {PROVEN("in the decoder, with pass_waits: its own pipe",
	            LOAD_THEN_WAIT "iadd r20, r10, #3 {p4.w delay 4}\nstg.32 [r2:r3], r20 {w000100}\nexit\n"),
	     .settings = "multi_issue.window=4 multi_issue.pass_waits=true", .high = 2},
	    {PROVEN("pass_waits without a window is nothing", LOAD_THEN_WAIT OTHER_PIPE), .settings = "multi_issue.pass_waits=true", .high = 2},
	    {PROVEN("in the flow unit: everyone", "ldg.32 r10, [r4:r5] {p5.w}\n@!pt bra START {w000010}\n" OTHER_PIPE)},
	    {PROVEN("in the flow unit, with pass_waits: everyone", "ldg.32 r10, [r4:r5] {p5.w}\n@!pt bra START {w000010}\n" OTHER_PIPE),
	     .settings = "multi_issue.window=4 multi_issue.pass_waits=true"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S6: whatever entered P's pipe before P has read. */
TEST(waiting_for_p_tells_of_reads_before_it)
{
#define LATE_READER "ldg.32 r11, [r4:r5] {p2.w}\nmovi r12, 9 {p4.w delay 4}\nstg.32 [r2:r3+256], r12 {w010100}\n"
#define OVERWRITE "movi r12, 7 {w100000 p6.w delay 4}\nmov r20, r12 {p6.w delay 4}\n" STORE
	static const program list[] = {
	    {PROVEN("P of the reader's pipe", LATE_READER "ldg.32 r13, [r4:r5+4] {p1.w}\n" OVERWRITE)},
	    {PROVEN("released by its read", LATE_READER "ldg.32 r13, [r4:r5+4] {p1.r}\n" OVERWRITE)},
	    {PROVEN("guarded, and dropped",
	            "isetp.ne p1, rz, rz {p3.w delay 4}\n" LATE_READER "@p1 ldg.32 r13, [r4:r5+4] {p1.w w001000}\n" OVERWRITE)},
	    {OBJECTED("P of another pipe", LATE_READER "i2f.f32.u32 r13, r0 {p1.w}\n" OVERWRITE, "WAR r12 stg -> movi")},
	    {OBJECTED("a reader behind P", "lds.32 r13, [r1] {p1.w}\n" LATE_READER OVERWRITE, "WAR r12 stg -> movi")},
	    {OBJECTED("only for the pipe that waits",
	              LATE_READER "ldg.32 r13, [r4:r5+4] {p1.w}\nfex2 r14, rz {w100000}\nmovi r12, 7 {p6.w delay 4}\n"
	                          "mov r20, r12 {p6.w delay 4}\n" STORE,
	              "WAR r12 stg -> movi")},
	    {OBJECTED("P in another block", LATE_READER "ldg.32 r13, [r4:r5+4] {p1.w}\nbra L\nL: " OVERWRITE, "WAR r12 stg -> movi"),
	     .harmless = true},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S7: and has written, when P's own write is waited for and comes late enough. Latencies: alu 4, alu64 5, mul64 8. */
TEST(waiting_for_p_tells_of_writes_before_it)
{
#define PAUSE "nop {delay 15}\nnop {delay 15}\nnop {delay 15}\nnop {delay 15}\nnop {delay 15}\n"
#define LONG "latency.alu64.interval=1 latency.cvt.latency=300 "
#define USE "i2f.f32.u32 r20, r10 {w100000 p6.w}\n" STORE
	static const program list[] = {
	    {PROVEN("as long as P", "iadd r10, r0, #1\niadd r11, r0, #2 {p1.w}\n" USE)},
	    {PROVEN("a cycle longer than P", "iadd64 r10:r11, r2:r3, r4:r5\niadd r12, r0, #2 {p1.w}\n" USE), .settings = "latency.alu64.interval=1"},
	    {OBJECTED("two cycles longer than P", "iadd64 r10:r11, r2:r3, r4:r5\niadd r12, r0, #2 {p1.w}\n" USE, "RAW r10 iadd64 -> i2f"),
	     .settings = "latency.alu64.latency=6 latency.alu64.interval=1"},
	    {PROVEN("nine cycles longer, and nine before P", "iadd64 r10:r11, r2:r3, r4:r5 {delay 9}\niadd r12, r0, #2 {p1.w}\n" USE),
	     .settings = "latency.alu64.latency=13 latency.alu64.interval=1"},
	    {PROVEN("with others between", "iadd64 r10:r11, r2:r3, r4:r5 {delay 5}\niadd r13, r0, #2 {delay 4}\niadd r12, r0, #2 {p1.w}\n" USE),
	     .settings = "latency.alu64.latency=13 latency.alu64.interval=1"},
	    {OBJECTED("nine cycles longer, and eight before P", "iadd64 r10:r11, r2:r3, r4:r5 {delay 8}\niadd r12, r0, #2 {p1.w}\n" USE,
	              "RAW r10 iadd64 -> i2f"),
	     .settings = "latency.alu64.latency=13 latency.alu64.interval=1"},
	/* P enters 63 cycles behind O at the latest, whatever was counted: O has waited in the queue, and P was issued long ago. */
#define LATE "i2f.f32.u32 r21, r0 {p2.w}\niadd64 r10:r11, r2:r3, r4:r5 {w010000}\n" PAUSE "iadd r12, r0, #2 {p1.w}\n" USE
	    {PROVEN("as much longer as a queue keeps", LATE), .settings = LONG "latency.alu64.latency=67"},
	    {OBJECTED("a cycle longer than a queue keeps", LATE, "RAW r10 iadd64 -> i2f"), .settings = LONG "latency.alu64.latency=68"},
	    {OBJECTED("released by its read", "imul64 r10:r11, r2:r3, r4:r5\nimul64 r12:r13, r2:r3, r4:r5 {p1.r}\n" USE, "RAW r10 imul64 -> i2f")},
	    {OBJECTED("guarded, and dropped",
	              "isetp.ne p1, rz, rz {p3.w delay 4}\nimul64 r10:r11, r2:r3, r4:r5\n@p1 imul64 r12:r13, r2:r3, r4:r5 {p1.w}\n" USE,
	              "RAW r10 imul64 -> i2f")},
	    {OBJECTED("memory writes when it likes", "ldg.32 r10, [r4:r5]\nlds.32 r11, [r1] {p1.w}\n" USE, "RAW r10 ldg -> i2f")},
	    {OBJECTED("another pipe", "fex2 r10, rz\niadd r11, r0, #2 {p1.w}\n" USE, "RAW r10 fex2 -> i2f")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S8: what P's pipe had waited for. */
TEST(waiting_for_p_tells_of_what_its_pipe_had_waited_for)
{
#define USE_IN_CVT "i2f.f32.u32 r20, r10 {w010000 p6.w}\n" STORE
	static const program list[] = {
	    {PROVEN("P itself waited", "ldg.32 r10, [r4:r5] {p1.w}\niadd r11, r0, #1 {w100000 p2.w}\n" USE_IN_CVT)},
	    {PROVEN("one before P, of its pipe", "ldg.32 r10, [r4:r5] {p1.w}\niadd r11, r0, #1 {w100000}\niadd r12, r0, #1 {p2.w}\n" USE_IN_CVT)},
	    {PROVEN("guarded P", "isetp.ne p1, rz, rz {delay 4}\nldg.32 r10, [r4:r5] {p1.w}\n@p1 iadd r11, r0, #1 {w100000 p2.w}\n" USE_IN_CVT)},
	    {PROVEN("before the block", "ldg.32 r10, [r4:r5] {p1.w}\niadd r11, r0, #1 {w100000}\nbra L\nL: iadd r12, r0, #1 {p2.w}\n" USE_IN_CVT)},
	    {OBJECTED("one behind P", "ldg.32 r10, [r4:r5] {p1.w}\niadd r12, r0, #1 {p2.w}\niadd r11, r0, #1 {w100000}\n" USE_IN_CVT,
	              "RAW r10 ldg -> i2f")},
	    {OBJECTED("one of another pipe", "ldg.32 r10, [r4:r5] {p1.w}\nfex2 r11, rz {w100000}\niadd r12, r0, #1 {p2.w}\n" USE_IN_CVT,
	              "RAW r10 ldg -> i2f")},
	    {OBJECTED("read before P, written behind it",
	              "ldg.32 r10, [r4:r5+512] {p1.w}\nlds.32 r13, [r1] {p3.r}\niadd r11, r0, #1 {w001000}\niadd r12, r0, #1 {p2.w}\niadd r11, r0, "
	              "#1 {w100000}\n" USE_IN_CVT,
	              "RAW r10 ldg -> i2f")},
	    {OBJECTED("P in another block, one behind P in that block",
	              "ldg.32 r10, [r4:r5+512] {p1.w}\niadd r12, r0, #1 {p2.w}\niadd r11, r0, #1 {w100000}\nbra L\nL: " USE_IN_CVT,
	              "RAW r10 ldg -> i2f")},
	    {OBJECTED(
	        "one behind P, for a read",
	        "ldg.32 r11, [r4:r5+512] {p4.w}\nmovi r12, 9 {p5.w delay 4}\nstg.32 [r2:r3+256], r12 {w000110 p3.r}\niadd r13, r0, #1 {p2.w}\n"
	        "iadd r14, r0, #1 {w001000}\ni2f.f32.u32 r12, r0 {w010000 p6.w}\nmov r20, r12 {w000001 p5.w}\nstg.32 [r2:r3], r20 {w000010}\nexit\n",
	        "WAR r12 stg -> i2f")},
	    {OBJECTED("that it had read is not that it has written", "ldg.32 r10, [r4:r5] {p1.r}\niadd r11, r0, #1 {w100000 p2.w}\n" USE_IN_CVT,
	              "RAW r10 ldg -> i2f")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* S9; more of it in test_hints.c. */
TEST(a_hold_tells_of_memory_alone)
{
	static const program list[] = {
	    {PROVEN("memory, for all pipes", "ldg.32 r10, [r4:r5]\nfex2 r11, rz {hold 1}\niadd r20, r10, #1 {p6.w}\n" STORE)},
	    {OBJECTED("nothing else", "imul64 r10:r11, r2:r3, r4:r5\nfex2 r12, rz {hold 1}\ni2f.f32.u32 r20, r10 {p6.w}\n" STORE,
	              "RAW r10 imul64 -> i2f")},
	};
	programs_expect(list, HD_COUNT(list));
}
