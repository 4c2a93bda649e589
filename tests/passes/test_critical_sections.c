/* RC-17: the section of a lock stands in the loop that waits for the lock. What such code does is seen in cli/spin_locks. */
#include "../ir_builder.h"
#include "passes/lower/critical_sections.h"

static const char head[] = ".kernel \"k\"\n.info 0 0 0 0 0 0\n.vregs 2 1 0 1 0 2\n";

/* `functions` follow the kernel. */
static void expect_with(const char *blocks, const char *functions, const char *expected)
{
	hd_text in = {0};
	hd_text_printf(&in, "%s%s%s", head, blocks, functions);
	ir_builder b = ir_read(in.at);
	hd_pass_context context = {0};
	assert_true(hd_pass_critical_sections(b.m, &context));
	hd_text out = ir_text(&b);
	const char *from = strstr(out.at, "b0:"), *to = strstr(out.at, ".function");
	char *kernel = hd_xcalloc(strlen(from) + 1, 1);
	memcpy(kernel, from, to ? (size_t)(to - from) : strlen(from));
	assert_string_equal(kernel, expected ? expected : blocks);
	free(kernel);
	hd_text_free(&out);
	hd_text_free(&in);
	ir_free(&b);
}

/* `expected` NULL: stays as it is. */
static void expect(const char *blocks, const char *expected) { expect_with(blocks, "", expected); }

#define ENTER "b0:\nmov64 %0:2 = c[0x40]:2\n.jump b1\n"
#define TAKE "casg %1 = %0:2, 0x0, 0x1\nisetp{cmp=ne} %p2 = %1, 0x0\n"
#define SPIN "b1:\n" TAKE ".branch %p2 b1 b2\n"
#define RELEASE "atomg{sub=6} %3 = %0:2, 0x0\n"
#define WORK "ldg{sub=4} %3 = c[0x48]:2\n"
#define MOVED "b1:\n" TAKE "plop{sub=255} %p6 = _, _, _\n.branch %p2 b3 b2\n"
#define DONE "plop %p6 = _, _, _\n.jump b3\n"
#define LATCH "b3:\n.branch %p6 b1 b4\n"

TEST(the_section_moves_into_the_loop)
{
	expect(ENTER SPIN "b2:\n" WORK RELEASE WORK ".exit\n", ENTER MOVED "b2:\n" WORK RELEASE DONE LATCH "b4:\n" WORK ".exit\n");
	/* the side that leaves is the first one */
	expect(ENTER "b1:\ncasg %1 = %0:2, 0x0, 0x1\nisetp{cmp=eq} %p2 = %1, 0x0\n.branch %p2 b2 b1\nb2:\n" RELEASE ".exit\n", ENTER
	       "b1:\ncasg %1 = %0:2, 0x0, 0x1\nisetp{cmp=eq} %p2 = %1, 0x0\nplop{sub=255} %p6 = _, _, _\n.branch %p2 b2 b3\nb2:\n" RELEASE DONE LATCH
	       "b4:\n.exit\n");
}

/* An exchange takes a lock, too. The way goes on behind the section as before. */
TEST(other_operations_and_ways)
{
	expect(ENTER "b1:\natomg{sub=6} %1 = %0:2, 0x1\nisetp{cmp=ne} %p2 = %1, 0x0\n.branch %p2 b1 b2\nb2:\n" RELEASE ".jump b3\nb3:\n.exit\n",
	       ENTER "b1:\natomg{sub=6} %1 = %0:2, 0x1\nisetp{cmp=ne} %p2 = %1, 0x0\nplop{sub=255} %p6 = _, _, _\n.branch %p2 b4 b2\nb2:\n" RELEASE
	             "plop %p6 = _, _, _\n.jump b4\nb3:\n.exit\nb4:\n.branch %p6 b1 b5\nb5:\n.jump b3\n");
	/* Others come to what stands behind. */
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n.branch %p4 b1 b4\n" SPIN "b2:\n.jump b3\nb3:\n" RELEASE ".jump b4\nb4:\n.exit\n",
	       "b0:\nmov64 %0:2 = c[0x40]:2\n.branch %p4 b1 b4\nb1:\n" TAKE
	       "plop{sub=255} %p6 = _, _, _\n.branch %p2 b5 b2\nb2:\n.jump b3\nb3:\n" RELEASE
	       "plop %p6 = _, _, _\n.jump b5\nb4:\n.exit\nb5:\n.branch %p6 b1 b6\nb6:\n.jump b4\n");
}

/* A parameter is an operand of loads and a copy for stores. */
TEST(copies_are_one_address)
{
	expect(ENTER "b1:\nldg{sub=4 mod=3} %1 = c[0x40]:2\nisetp{cmp=ne} %p2 = %1, 0x0\n.branch %p2 b1 b2\nb2:\nstg{sub=4} %0:2, 0x1\n.exit\n",
	       ENTER "b1:\nldg{sub=4 mod=3} %1 = c[0x40]:2\nisetp{cmp=ne} %p2 = %1, 0x0\nplop{sub=255} %p6 = _, _, _\n.branch %p2 b3 b2\nb2:\n"
	             "stg{sub=4} %0:2, 0x1\n" DONE LATCH "b4:\n.exit\n");
	/* another parameter */
	expect(ENTER "b1:\nldg{sub=4 mod=3} %1 = c[0x48]:2\nisetp{cmp=ne} %p2 = %1, 0x0\n.branch %p2 b1 b2\nb2:\nstg{sub=4} %0:2, 0x1\n.exit\n",
	       NULL);
	/* undefined registers that are copies of each other: any result, in bounded time */
	expect("b0:\n.jump b1\nb1:\n" TAKE ".branch %p2 b1 b2\nb2:\nmov64 %0:2 = %5:2\nmov64 %5:2 = %0:2\n.exit\n", NULL);
}

/* An atomic operation has the sum as its address, and the store beside it an offset. */
TEST(sums_are_one_address)
{
#define SUM(distance) "b0:\nmov64 %5:2 = c[0x40]:2\niadd64 %0:2 = %5:2, " distance ":2\n.jump b1\n"
#define STORE "stg{sub=4 mod=3 offset=8} %5:2, 0x0\n"
	expect(SUM("0x8") SPIN "b2:\n" STORE ".exit\n", SUM("0x8") MOVED "b2:\n" STORE DONE LATCH "b4:\n.exit\n");
	expect(SUM("0x4") SPIN "b2:\n" STORE ".exit\n", NULL);
	/* below the value */
#define BELOW "stg{sub=4 mod=3 offset=-8} %5:2, 0x0\n"
	expect(SUM("0xfffffffffffffff8") SPIN "b2:\n" BELOW ".exit\n", SUM("0xfffffffffffffff8") MOVED "b2:\n" BELOW DONE LATCH "b4:\n.exit\n");
	/* a sum of a value that changes is still the sum */
	expect("b0:\nmov64 %5:2 = c[0x40]:2\nmov64 %5:2 = c[0x48]:2\niadd64 %0:2 = %5:2, 0x8:2\n.jump b1\n" SPIN "b2:\n" STORE ".exit\n", NULL);
}

/* Where the release lies on one side of a branch alone, the section ends where the sides meet. */
TEST(a_section_ends_where_its_ways_meet)
{
#define SIDES "b3:\n" RELEASE ".jump b5\nb4:\n" WORK RELEASE ".jump b5\n"
	expect(ENTER SPIN "b2:\n.branch %p4 b3 b4\n" SIDES "b5:\n" WORK RELEASE "bar 0x0\n.exit\n",
	       ENTER "b1:\n" TAKE "plop{sub=255} %p6 = _, _, _\n.branch %p2 b6 b2\nb2:\n.branch %p4 b3 b4\n" SIDES
	             "b5:\nplop %p6 = _, _, _\n.jump b6\nb6:\n.branch %p6 b1 b7\nb7:\n" WORK RELEASE "bar 0x0\n.exit\n");
	/* One side ends the thread. */
	expect(ENTER SPIN "b2:\n.branch %p4 b3 b4\nb3:\n.exit\nb4:\n" RELEASE ".exit\n",
	       ENTER "b1:\n" TAKE "plop{sub=255} %p6 = _, _, _\n.branch %p2 b5 b2\nb2:\n.branch %p4 b3 b4\nb3:\n.exit\nb4:\n" RELEASE
	             "plop %p6 = _, _, _\n.jump b5\nb5:\n.branch %p6 b1 b6\nb6:\n.exit\n");
	/* The release lies in a loop. */
	expect(ENTER SPIN "b2:\n" WORK ".jump b3\nb3:\n" RELEASE ".branch %p4 b3 b4\nb4:\n.exit\n",
	       ENTER "b1:\n" TAKE "plop{sub=255} %p6 = _, _, _\n.branch %p2 b5 b2\nb2:\n" WORK ".jump b3\nb3:\n" RELEASE
	             ".branch %p4 b3 b4\nb4:\nplop %p6 = _, _, _\n.jump b5\nb5:\n.branch %p6 b1 b6\nb6:\n.exit\n");
	/* The ways meet lanes that do not wait. */
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n.branch %p4 b1 b4\n" SPIN "b2:\n.branch %p4 b3 b4\nb3:\n" RELEASE ".jump b4\nb4:\n.exit\n", NULL);
	/* A barrier stands on one of them, or lanes have to be together before the branch. */
	expect(ENTER SPIN "b2:\n.branch %p4 b3 b4\nb3:\nbar 0x0\n.jump b4\nb4:\n" RELEASE ".exit\n", NULL);
}

/* The value that decides may come from a guarded instruction. */
TEST(a_guard_decides)
{
#define BY_GUARD "b1:\n" TAKE "movi %3 = 0x0\n@%p2 movi %3 = 0x1\nisetp{cmp=ne} %p4 = %3, 0x0\n"
	expect(ENTER BY_GUARD ".branch %p4 b1 b2\nb2:\n" RELEASE ".exit\n",
	       ENTER BY_GUARD "plop{sub=255} %p6 = _, _, _\n.branch %p4 b3 b2\nb2:\n" RELEASE DONE LATCH "b4:\n.exit\n");
}

/* Lanes that find the lock free leave from before the loop. */
TEST(a_rotated_loop_has_its_section_too)
{
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n" TAKE ".branch %p2 b1 b2\n" SPIN "b2:\n" RELEASE ".exit\n",
	       "b0:\nmov64 %0:2 = c[0x40]:2\n" TAKE ".branch %p2 b6 b7\n" MOVED "b2:\n" RELEASE DONE
	       "b3:\nplop %p7 = _, _, _\n.branch %p6 b5 b4\nb4:\n.exit\nb5:\n.branch %p7 b2 b1\n"
	       "b6:\nplop %p7 = _, _, _\n.jump b5\nb7:\nplop{sub=255} %p7 = _, _, _\n.jump b5\n");
	/* The first try is a load. */
#define LOOK "ldg{sub=4 mod=3} %1 = %0:2\nisetp{cmp=ne} %p2 = %1, 0x0\n"
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n" LOOK ".branch %p2 b1 b2\nb1:\n" LOOK ".branch %p2 b1 b2\nb2:\n" RELEASE ".exit\n",
	       "b0:\nmov64 %0:2 = c[0x40]:2\n" LOOK ".branch %p2 b6 b7\nb1:\n" LOOK
	       "plop{sub=255} %p6 = _, _, _\n.branch %p2 b3 b2\nb2:\n" RELEASE DONE
	       "b3:\nplop %p7 = _, _, _\n.branch %p6 b5 b4\nb4:\n.exit\nb5:\n.branch %p7 b2 b1\n"
	       "b6:\nplop %p7 = _, _, _\n.jump b5\nb7:\nplop{sub=255} %p7 = _, _, _\n.jump b5\n");
}

/* A loop that reads until the lock seems free belongs to the loop around it, which takes the lock. */
TEST(the_outer_loop_has_the_section)
{
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n.jump b1\nb1:\n.jump b2\nb2:\nldg{sub=4 mod=3} %3 = %0:2\nisetp{cmp=ne} %p4 = %3, 0x0\n.branch %p4 b2 "
	       "b3\nb3:\n" TAKE ".branch %p2 b1 b4\nb4:\n" RELEASE ".exit\n",
	       "b0:\nmov64 %0:2 = c[0x40]:2\n.jump b1\nb1:\n.jump b2\nb2:\nldg{sub=4 mod=3} %3 = %0:2\nisetp{cmp=ne} %p4 = %3, 0x0\n.branch %p4 b2 "
	       "b3\nb3:\n" TAKE "plop{sub=255} %p6 = _, _, _\n.branch %p2 b5 b4\nb4:\n" RELEASE
	       "plop %p6 = _, _, _\n.jump b5\nb5:\n.branch %p6 b1 b6\nb6:\n.exit\n");
}

TEST(other_loops_stay)
{
	/* nothing is given back, or another word */
	expect(ENTER SPIN "b2:\n" WORK ".exit\n", NULL);
	expect(ENTER SPIN "b2:\natomg{sub=6 offset=4} %3 = %0:2, 0x0\n.exit\n", NULL);
	expect("b0:\niadd64 %0:2 = c[0x40]:2, 0x8:2\niadd64 %5:2 = c[0x40]:2, 0x10:2\n.jump b1\n" SPIN "b2:\natomg{sub=6} %3 = %5:2, 0x0\n.exit\n",
	       NULL);
	/* read, not written, behind the loop */
	expect(ENTER SPIN "b2:\nldg{sub=4 mod=3} %3 = %0:2\n.exit\n", NULL);
	/* the value that the loop reads does not decide when it ends, or is no volatile load */
	expect(ENTER "b1:\ncasg %1 = %0:2, 0x0, 0x1\nisetp{cmp=ne} %p2 = %3, 0x0\n.branch %p2 b1 b2\nb2:\n" RELEASE ".exit\n", NULL);
	expect(ENTER "b1:\nldg{sub=4} %1 = %0:2\nisetp{cmp=ne} %p2 = %1, 0x0\n.branch %p2 b1 b2\nb2:\nstg{sub=4} %0:2, 0x1\n.exit\n", NULL);
	/* the address changes in the loop, or has several values */
	expect("b0:\n.jump b1\nb1:\niadd64 %0:2 = %5:2, 0x4:2\n" TAKE ".branch %p2 b1 b2\nb2:\n" RELEASE ".exit\n", NULL);
	expect(ENTER SPIN "b2:\nmov64 %0:2 = c[0x48]:2\n" RELEASE ".exit\n", NULL);
	/* the release lies on one side, and the sides do not meet */
	expect(ENTER SPIN "b2:\n.branch %p4 b3 b4\nb3:\n" RELEASE ".jump b1\nb4:\n.exit\n", NULL);
	/* some lanes come to the store without the lock */
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n.branch %p4 b1 b2\n" SPIN "b2:\n" RELEASE ".exit\n", NULL);
	/* the function begins with the loop */
	expect("b0:\n" TAKE ".branch %p2 b0 b1\nb1:\n" RELEASE ".exit\n", NULL);
	/* a loop of two entries */
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n.branch %p4 b1 b2\nb1:\n" WORK ".jump b2\nb2:\n" TAKE ".branch %p2 b1 b3\nb3:\n" RELEASE ".exit\n",
	       NULL);
	/* no loop */
	expect("b0:\nmov64 %0:2 = c[0x40]:2\n" TAKE ".branch %p2 b1 b2\nb1:\n.exit\nb2:\n" RELEASE ".exit\n", NULL);
}

/* `inst` stands in the section. */
static void refused(const char *inst, const char *functions)
{
	hd_text in = {0};
	hd_text_printf(&in, "%s%s\n%s", ENTER SPIN "b2:\n", inst, RELEASE ".exit\n");
	expect_with(in.at, functions, NULL);
	hd_text_free(&in);
}

#define CALLED(inst) ".function \"f\"\n.vregs 1 0\nb0:\n" inst "\n.ret\n"
TEST(lanes_that_have_to_be_together_stay_so)
{
	refused("bar 0x0", "");
	refused("ballot %3 = %1, _", "");
	refused("call.f{to=2}", CALLED("bar 0x0"));
	refused("call.f{to=2}", CALLED("ballot %0 = %0, _"));
	refused("call.f{to=2}", ".function \"f\"\nb0:\ncall.f{to=3}\n.ret\n.function \"g\"\nb0:\nbar 0x0\n.ret\n");
	refused("call.f %3", "");
	expect_with(ENTER SPIN "b2:\ncall.f{to=2}\n" RELEASE ".exit\n", CALLED("movi %0 = 0x1"),
	            ENTER MOVED "b2:\ncall.f{to=2}\n" RELEASE DONE LATCH "b4:\n.exit\n");
	/* behind the release they may be together */
	expect(ENTER SPIN "b2:\n" RELEASE "bar 0x0\n.exit\n", ENTER MOVED "b2:\n" RELEASE DONE LATCH "b4:\nbar 0x0\n.exit\n");
}
