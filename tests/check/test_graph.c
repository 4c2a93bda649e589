/* Where a warp can go (HZ-27, RC-5, RC-14, RC-16): the rules G1 to G6 of src/check/graph.c. The programs of tests/regressions/programs are those of a
 * review, each proven once and wrong on the machine. */
#include "programs.h"

#include "check/graph.h"

/* G3, G4: lanes wait behind an exit, or within a branch, while others of their warp have stored. */
TEST(lanes_that_wait_take_over)
{
	static const char file_exit[] = "lanes_wait_behind_exit.hasm", file_branch[] = "lanes_wait_within_a_branch.hasm";
	static const program wrong = {OBJECTED("lanes wait", NULL, "memory ldg -> bar; memory sts -> bar; memory ldg -> bar; memory sts -> bar")};
	static const program right = {PROVEN("lanes wait, the warp too", NULL)};
	program_file_expect(file_exit, NULL, NULL, &wrong);
	program_file_expect(file_exit, "exit\nL:", "exit {w010000}\nL:", &right);
	program_file_expect(file_branch, NULL, NULL, &wrong);
	program_file_expect(file_branch, "bra T", "bra T {w010000}", &right);
}

/* G5: what waits behind a guarded backward branch, and the target of a branch that all lanes take. */
TEST(where_lanes_wait)
{
	/* Warp 0 exchanges with warp 1 through shared memory: r9 = the other warp's word. Half of the lanes store and exit; the others wait. */
#define HALF "and r21, r0, #16 {p1.w delay 4}\nxor r9, r1, #128 {p1.w delay 4}\nisetp.eq p1, r21, rz {p1.w delay 4}\n"
#define GIVE "ldg.32 r10, [r4:r5+512] {p2.w}\nsts.32 [r1], r10 {w010000 p3.w}\n"
#define MEET "bar.sync 0\nxor r9, r9, #64 {p1.w delay 4}\nlds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\nexit {w000100}\n"
	static const program list[] = {
	    /* The warp that waits at M has waited for the stores; one that waits behind the branch has not. */
	    {OBJECTED("behind a backward branch, and nowhere else",
	              HALF "bra M {w100000}\nK: " GIVE "exit\nM: nop\n@!pt bra START {w011000}\n@p1 bra K\n" MEET,
	              "memory ldg -> bar; memory sts -> bar")},
	    {OBJECTED("behind a backward branch", HALF "bra M {w100000}\nK: " GIVE "exit\nM: @p1 bra K\n" MEET "",
	              "memory ldg -> bar; memory sts -> bar")},
	    {PROVEN("behind a backward branch, waited for", HALF "bra M {w100000}\nK: " GIVE "exit {w001000}\nM: @p1 bra K\n" MEET "")},
	    {OBJECTED("at the target of a branch of all", HALF "@!p1 bra K {w100000}\n" GIVE "exit\nnop\nK: bra L\nnop\nL: " MEET "",
	              "memory ldg -> bar; memory sts -> bar")},
	    {OBJECTED("at the target of a branch that has no guard", HALF "@p1 bra M {w100000}\nbra L\nM: " GIVE "exit\nL: " MEET,
	              "memory ldg -> bar; memory sts -> bar")},
	    {OBJECTED("between a guarded branch and its target",
	              HALF "isetp.lo p2, r0, #90 {p1.w delay 4}\n@!p1 bra L {w100000}\n" GIVE "@p2 bra T\nexit\nL: " MEET "T: exit\n",
	              "memory ldg -> bar; memory sts -> bar")},
	    {PROVEN("not before the exit", HALF "bra M {w100000}\nL: bar.sync 0\nexit\nM: @!p1 bra L\nnop\n" GIVE "exit\n")},
	    {PROVEN("nor in another function",
	            GIVE "exit\nFUNCTION:\nF: isetp.lo p2, r0, #9 {p1.w delay 4}\n@p2 bra L {w100000}\nnop\nL: bar.sync 0\nret\n")},
	    {PROVEN("nor is anything of the function before it", "call F\nexit\nFUNCTION:\nF: " GIVE "ret {w001000}\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* G4: an exit lets lanes go that wait at a `wsync` before it, in a function that has one. */
TEST(lanes_at_a_wsync_of_the_function)
{
#define BACK(first) HALF "movi r22, -1 {p1.w delay 4}\n@p1 bra FAR {w100000}\n" first "FAR: " GIVE "exit\n"
#define NOT_BACK BACK("bra L\nnop\nL: bar.sync 0\nexit\n")
	static const program list[] = {
	    {OBJECTED("behind an exit, what waits at a wsync", BACK("wsync r22, rz\n" MEET), "memory ldg -> bar; memory sts -> bar")},
	    {PROVEN("nobody waits at a wsync", NOT_BACK)},
	    {PROVEN("nor in another function", NOT_BACK "FUNCTION:\nF: wsync r1, rz\nret\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* RC-14: a lane waits at its own listed target, or behind the branch if it does not take part. Words: the body begins at word 9. */
TEST(where_lanes_of_an_indirect_branch_wait)
{
	/* Lanes of p1 go to word 19, which stores and exits, the others to word 25. */
#define JUMP                                                                                                                                         \
	"movi r22, 25 {p1.w}\nand r21, r0, #16 {p1.w delay 4}\nxor r9, r1, #128 {p1.w delay 4}\nisetp.eq p1, r21, rz {p1.w delay 4}\n@p1 movi r22, " \
	"19 {p1.w}\n"
	static const char jump[] = JUMP "brx r22 {w100000}\nnop\nnop\nnop\n" GIVE "exit\nnop\nnop\n" MEET;
	static const char jump_that_waits[] = JUMP "brx r22 {w100000}\nnop\nnop\nnop\n" GIVE "exit {w001000}\nnop\nnop\n" MEET;
	/* Lanes of p1 go back to word 11, the others do not take part. */
	static const char back[] = "movi r22, 11 {p1.w}\nbra L\n" GIVE "exit\nL: " HALF "@p1 brx r22 {w100000}\n" MEET;
	static const program list[] = {
	    {OBJECTED("at a listed target", jump, "memory ldg -> bar; memory sts -> bar"), .targets = {19, 25}},
	    {PROVEN("at a listed target, waited for", jump_that_waits), .targets = {19, 25}},
	    {OBJECTED("behind the branch", back, "call ldg -> brx; call sts -> brx; memory ldg -> bar; memory sts -> bar"), .targets = {11}},
	};
	programs_expect(list, HD_COUNT(list));
}

/* RC-16: with the stack a warp takes up whatever waits innermost. */
TEST(where_lanes_wait_with_a_stack)
{
	static const char back_from_exit[] = HALF "push Z\n@!p1 bra L {w100000}\nbra FAR\nL: " MEET "FAR: " GIVE "exit\nZ: exit\n";
	static const char back_from_sync[] =
	    HALF "push M\n@!p1 bra L {w100000}\n" GIVE "bra M\nL: bar.sync 0\nxor r9, r9, #64 {p1.w delay 4}\n"
	         "lds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\n@!pt bra START {w000100}\nM: sync\nexit\n";
	static const char to_a_meeting_place[] = HALF "push M\n@!p1 bra L {w100000}\nnop\nM: sync\n" MEET "L: " GIVE "exit\n";
	/* The sides go on without a branch: K runs into the sync, and only that leads behind the branch back. */
	static const char forth_from_sync[] = HALF "push M\nbra D\nK: " GIVE "M: sync\nexit {w011000}\nD: @!pt bra START {w111000}\n@p1 bra K\n" MEET;
	/* The block of the meeting place begins there: what stands before it does not run again. */
	static const char to_a_block_of_its_own[] = HALF "push M\n@!p1 bra L {w100000}\n@!pt bra START {w011000}\nM: sync\n" MEET "L: " GIVE "exit\n";
	/* A sync that no lane executes is passed, and yet the lanes of its token go on behind it. */
	static const char behind_a_sync_of_nobody[] =
	    HALF "push M\n@!p1 bra L {w100000}\nbrk M\nnop\nM: @!pt sync {w011000}\n" MEET "L: " GIVE "exit\n";
	/* RC-21: the side behind the branch goes on when the other has exited. */
	static const char behind_the_branch[] = HALF "push Z\n@!p1 bra L {w100000}\n" MEET "L: " GIVE "exit\nZ: exit\n";
	/* RC-21: the lanes that go back to L wait for others at the flag M, and so do those that run into it. */
#define FLAGGED(back)                                                                                     \
	HALF "push M\n@!p1 bra L {w100000}\n" GIVE back "L: bar.sync 0\nxor r9, r9, #64 {p1.w delay 4}\n" \
	     "lds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\n@!pt bra START {w000100}\nM: nop {h4}\nexit\n"
	static const char
	    back_from_a_flag[] = FLAGGED("bra M\n"),
	    no_flag[] = HALF
	    "push M\n@!p1 bra L {w100000}\n" GIVE "M: nop\nexit {w011000}\n"
	    "L: bar.sync 0\nxor r9, r9, #64 {p1.w delay 4}\nlds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\nexit {w000100}\n";
	static const char falls_into_a_flag[] = HALF
	    "push M\n@!p1 bra L {w100000}\n" GIVE "M: nop {h4}\nexit {w011000}\n"
	    "L: bar.sync 0\nxor r9, r9, #64 {p1.w delay 4}\nlds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\nexit {w000100}\n";
	static const char back_to_the_other_side[] =
	    HALF "push M\n@!p1 bra L {w100000}\nbra FAR\nL: " MEET "FAR: " GIVE "M: nop {h4}\nexit {w011000}\n";
	/* Lanes that have met go on at the flag, before its instruction: the side that comes last exits. */
	static const char on_at_a_flag[] = HALF
	    "push M\n@!p1 bra L {w100000}\nnop\nM: bar.sync 0 {h4}\n"
	    "xor r9, r9, #64 {p1.w delay 4}\nlds.32 r20, [r9] {p6.w w100000}\nstg.32 [r2:r3], r20 {w000001 p4.w}\nexit {w000100}\nL: " GIVE "exit\n";
	static const char flags[] = "divergence.mode=stack divergence.pop=flag";
	static const char stack[] = "divergence.mode=stack", taken[] = "divergence.mode=stack divergence.first=taken";
	static const program list[] = {
	    {OBJECTED("behind an exit, what lies before it", back_from_exit, "memory ldg -> bar; memory sts -> bar"), .settings = stack},
	    {PROVEN("without a stack it has been there",
	            HALF "push Z\n@!p1 bra L {w100000}\nbra FAR\nL: bar.sync 0\nexit\nFAR: " GIVE "exit\nZ: exit\n")},
	    {OBJECTED("behind a sync, the other side", back_from_sync, "memory ldg -> bar; memory sts -> bar"), .settings = stack},
	    {OBJECTED("behind an exit, the target of a push", to_a_meeting_place, "memory ldg -> bar; memory sts -> bar"), .settings = stack},
	    {OBJECTED("behind a sync of nobody", behind_a_sync_of_nobody, "memory ldg -> bar; memory sts -> bar"), .settings = stack},
	    {OBJECTED("behind a sync, the other side behind it", forth_from_sync, "memory ldg -> bar; memory sts -> bar"), .settings = stack},
	    {OBJECTED("behind an exit, the target of a push and not before it", to_a_block_of_its_own, "memory ldg -> bar; memory sts -> bar"),
	     .settings = stack},
	    {OBJECTED("behind an exit, the side behind the branch", behind_the_branch, "memory ldg -> bar; memory sts -> bar"), .settings = taken},
	    {OBJECTED("behind a branch to a flag, the other side", back_from_a_flag, "memory ldg -> bar; memory sts -> bar"), .settings = flags},
	    {OBJECTED("before a flag, the other side", falls_into_a_flag, "memory ldg -> bar; memory sts -> bar"), .settings = flags},
	    {OBJECTED("before a flag, the other side before it", back_to_the_other_side, "memory ldg -> bar; memory sts -> bar"), .settings = flags},
	    {PROVEN("without a flag nobody waits", no_flag), .settings = flags},
	    {PROVEN("a flag means nothing to a stack with syncs", falls_into_a_flag), .settings = stack},
	    {OBJECTED("behind an exit, at a flag", on_at_a_flag, "memory ldg -> bar; memory sts -> bar"), .settings = flags},
	};
	programs_expect(list, HD_COUNT(list));
}

/* RC-16: with convergence barriers lanes that wait go on behind their `bsync`, and not at it. */
TEST(where_lanes_wait_with_barriers)
{
	static const char behind_a_bsync[] = HALF "bssy 0\n@!p1 bra L {w100000}\nbra M\nL: " GIVE "exit\nM: bsync 0 {w011000}\n" MEET;
	static const char waits[] = HALF "bssy 0\n@!p1 bra L {w100000}\nbra M\nL: " GIVE "exit {w011000}\nM: bsync 0\n" MEET;
	static const char barriers[] = "divergence.mode=barriers";
	static const program list[] = {
	    {OBJECTED("behind a bsync", behind_a_bsync, "memory ldg -> bar; memory sts -> bar"), .settings = barriers},
	    {PROVEN("behind a bsync, waited for", waits), .settings = barriers},
	};
	programs_expect(list, HD_COUNT(list));
}

/* RC-16, RC-17: with convergence barriers lanes gather at a `bar` and go on there, not before or behind it. */
TEST(where_lanes_gather)
{
	/* Lanes that wait at M wait for the stores; those that gather at the `bar` have been there before. */
#define AROUND(wait) HALF "@p1 bra K {w100000}\nbra M\nK: " GIVE "exit " wait "\nM: @!pt bra START {w011000}\n" MEET
	static const char gather[] = AROUND(""), waits[] = AROUND("{w011000}");
	static const char others_run[] = HALF "@!p1 bra L {w100000}\n" GIVE "bar.sync 1\nexit {w011000}\nL: " MEET;
	static const char barriers[] = "divergence.mode=barriers";
	static const program list[] = {
	    {OBJECTED("at a bar", gather, "memory ldg -> bar; memory sts -> bar"), .settings = barriers},
	    {PROVEN("at a bar, waited for", waits), .settings = barriers},
	    {PROVEN("lanes do not gather with resume counters", gather)},
	    {OBJECTED("others run while lanes wait at a bar", others_run,
	              "memory ldg -> bar; memory sts -> bar; memory ldg -> bar; memory sts -> bar"),
	     .settings = barriers, .harmless = true},
	};
	programs_expect(list, HD_COUNT(list));
}

/* G6: where groups of different functions take turns, nothing is outstanding where one of them stops. */
TEST(groups_of_different_functions_take_turns)
{
#define CALLS "call F {w100000}\n"
#define RETURNS "FUNCTION:\nF: ret\n"
#define LEFT(op) "call ldg -> " op "; call sts -> " op
	static const char barriers[] = "divergence.mode=barriers";
	static const program list[] = {
	    {OBJECTED("a yield", CALLS GIVE "yield\nexit {w011000}\n" RETURNS, LEFT("yield")), .settings = barriers, .harmless = true},
	    {PROVEN("a yield, waited for", CALLS GIVE "yield {w011000}\nexit\n" RETURNS), .settings = barriers},
	    {PROVEN("a yield, without calls", GIVE "yield\nexit {w011000}\n"), .settings = barriers},
	    {PROVEN("a yield, with resume counters", CALLS GIVE "yield\nexit {w011000}\n" RETURNS)},
	    {OBJECTED("an exit, where there is a yield", CALLS "yield\n" GIVE "exit\n" RETURNS, LEFT("exit")), .settings = barriers,
	     .harmless = true},
	    {OBJECTED("an exit, where there is a bar", CALLS "bar.sync 0\n" GIVE "exit\n" RETURNS, LEFT("exit")), .settings = barriers,
	     .harmless = true},
	    {PROVEN("an exit, where there is neither", CALLS GIVE "exit\n" RETURNS), .settings = barriers},
	    {OBJECTED("a bsync, where there is a bar", CALLS "bar.sync 0\nbssy 0\n" GIVE "bsync 0\nexit {w011000}\n" RETURNS, LEFT("bsync")),
	     .settings = barriers, .harmless = true},
	    {OBJECTED("a bar", CALLS "ldc.32 r10, [rz] {p2.w}\nbar.sync 0\nexit {w010000}\n" RETURNS, "call ldc -> bar"), .settings = barriers,
	     .harmless = true},
	};
	programs_expect(list, HD_COUNT(list));
}

/* docs/timing.md, Calls: an exit in a subroutine is like a return, in a kernel it is not. */
TEST(an_exit_in_a_subroutine)
{
	static const char file[] = "exit_in_a_subroutine.hasm";
	static const program wrong = {OBJECTED("exit in a subroutine", NULL, "call ldg -> exit; call sts -> exit")};
	static const program right = {PROVEN("exit in a subroutine, waited for", NULL)};
	program_file_expect(file, NULL, NULL, &wrong);
	program_file_expect(file, "p2.w delay.lsu 1}\n\texit", "p2.w delay.lsu 1}\n\texit {w010000}", &right);
	static const program list[] = {
	    {OBJECTED("of some lanes", HALF "call F {w100000}\nbar.sync 0\nexit\nFUNCTION:\nF: " GIVE "@p1 exit\nret {w001000}\n",
	              "call ldg -> exit; call sts -> exit"),
	     .harmless = true},
	    {PROVEN("of no lane", "call F\nexit\nFUNCTION:\nF: " GIVE "@!pt exit\nret {w001000}\n")},
	    {PROVEN("in a kernel", GIVE "exit\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* Every function in which a kernel begins is a kernel's; what is called has to be listed for callx. */
TEST(whose_functions_there_are)
{
	/* Functions at words 1, 3, 5 and 8, where the last one's scheduling word is. */
	static const char text[] =
	    ".kernel \"a\"\n.entry A\n.kernel \"b\"\n.entry B\n.function \"a\"\nA: nop\nexit\n.end\n.function \"f\"\nF: nop\nret\n.end\n"
	    ".function \"b\"\nnop\nB: nop\nexit\n.end\n.function \"g\"\nG: ret\n.end\n";
	hd_diag diag = {0};
	hd_object *object = hd_assemble(text, strlen(text), "functions", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	assert_int_equal(object->functions.n, 4);
	assert_int_equal(object->functions.at[3].begin, 8);
	hd_vec_push(&object->targets, 1); /* A */
	hd_vec_push(&object->targets, 4); /* behind F */
	hd_vec_push(&object->targets, 5); /* the function of B */
	hd_vec_push(&object->targets, 9); /* G */
	hd_code_graph *graph = hd_code_graph_new(object, (hd_meeting){0}, NULL);
	static const bool subroutine[] = {false, true, false, true}, may_call[] = {false, false, false, true};
	static const uint32_t begins[] = {1, 3, 5, 9};
	for (uint32_t f = 0; f < 4; f++) {
		assert_int_equal(graph->begin[hd_function_entry(graph, f)], begins[f]);
		assert_int_equal(hd_in_subroutine(graph, hd_function_entry(graph, f)), subroutine[f]);
		assert_int_equal(hd_may_call(graph, f), may_call[f]);
	}
	hd_code_graph_free(graph);
	hd_object_free(object);
}
