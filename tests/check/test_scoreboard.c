/* J11: a scoreboard orders registers and memory whatever the program says. What it does not order, last uses and types, is judged all the same. */
#include "programs.h"

#define STORE "stg.32 [r2:r3], r20\nexit\n"
#define SCOREBOARD "fence.mode=scoreboard"
/* The store reads r12 late, because the load's result is its address. */
#define LATE_READER "ldg.32 r11, [r4:r5]\nmovi r12, 9\nstg.32 [r2:r3+256], r12\n"

TEST(no_annotation_is_needed)
{
	static const program list[] = {
	    {PROVEN("a load and its reader", "ldg.32 r20, [r4:r5]\niadd r20, r20, #1\n" STORE), .settings = SCOREBOARD},
	    {PROVEN("a result of fixed latency", "iadd r10, r0, #1\niadd r20, r10, #2\n" STORE), .settings = SCOREBOARD},
	    {PROVEN("a second write", "fex2 r20, r0\nmovi r20, 3\n" STORE), .settings = SCOREBOARD},
	    {PROVEN("an overwrite behind a late reader", LATE_READER "movi r12, 7\nmov r20, r12\n" STORE), .settings = SCOREBOARD},
	    {PROVEN("one reader can be tracked", LATE_READER "stg.32 [r2:r3+512], r12\nmovi r12, 7\nmov r20, r12\n" STORE),
	     .settings = SCOREBOARD " fence.consumers=1"},
	    {PROVEN("shared memory through two pipes", "sts.32 [r1], r0\natoms.add.u32 r20, [r1], r0\nlds.32 r20, [r1]\n" STORE),
	     .settings = SCOREBOARD},
	    {PROVEN("a barrier behind a store", "sts.32 [r1], r0\nbar.sync 0\nlds.32 r20, [r1]\n" STORE), .settings = SCOREBOARD},
	    {PROVEN("a call with a load outstanding", "ldg.32 r20, [r4:r5]\ncall F\n" STORE "FUNCTION:\nF: iadd r20, r20, #1\nret\n"),
	     .settings = SCOREBOARD},
	    {PROVEN("a counter of the other latency set", "ldg.32 r20, [r4:r5] {p1.w}\n" STORE), .settings = SCOREBOARD, .high = 2},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J10: R may still have to read when the producer of the flagged value issues, and no counter says that it has. */
TEST(a_reader_before_the_producer_has_read)
{
	static const program list[] = {
	    {PROVEN(
	         "a guarded reader in another pipe",
	         "isetp.lt p0, r0, #16\nldg.32 r11, [r4:r5]\nmovi r12, 9\n@p0 stg.32 [r2:r3+256], r12\nmovi r12, 7\niadd r20, r12.lu, r11\n" STORE),
	     .settings = SCOREBOARD},
	    {PROVEN("under the other guard",
	            "isetp.lt p0, r0, #16\nldg.32 r11, [r4:r5]\nmovi r12, 9\n@p0 stg.32 [r2:r3+256], r12\n@!p0 movi r12, 7\nmovi r20, 1\n"
	            "@!p0 iadd r20, r12.lu, r11\n" STORE),
	     .settings = SCOREBOARD},
	};
	programs_expect(list, HD_COUNT(list));
}

TEST(last_uses_are_proven)
{
	static const program list[] = {
	    {OBJECTED("a value that is read again", "iadd r10, r0, #1\niadd r11, r10.lu, #1\niadd r20, r10, r11\n" STORE,
	              "last use r10 iadd -> iadd"),
	     .settings = SCOREBOARD},
	    {PROVEN("flags that the machine ignores", "iadd r10, r0, #1\niadd r11, r10.lu, #1\niadd r20, r10, r11\n" STORE),
	     .settings = SCOREBOARD " last_use.flags=false"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* MI-1 */
TEST(types_are_judged)
{
	static const program list[] = {
	    {OBJECTED("the type of another pipe", "iadd r20, r0, #1 {delay.lsu 1}\n" STORE, "type iadd"),
	     .settings = SCOREBOARD " multi_issue.window=4 multi_issue.types=predecode",
	     .harmless = true /* the machine takes the type of the instruction here */},
	};
	programs_expect(list, HD_COUNT(list));
}
