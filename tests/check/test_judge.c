/* Dependences and their cover (HZ-23, HZ-27): the rules J1 to J10 of src/check/judge.c, each with a program that just satisfies it and is right, and
 * with one that just does not and is wrong. */
#include "programs.h"

#define STORE_BOTH "stg.32 [r2:r3], r20 {w000011 delay 1}\nexit\n"
#define STORE "stg.32 [r2:r3], r20 {w000001 delay 1}\nexit\n"
/* r12 is read late: the store waits for memory. */
#define LATE_READER "ldg.32 r11, [r4:r5] {p2.w}\nmovi r12, 9 {p4.w delay 4}\nstg.32 [r2:r3+256], r12 {w010100 p3.r}\n"

/* J3. Latencies: alu 4, mul 5, alu64 5, mul64 8, sfu 14. */
TEST(a_result_is_there_after_the_latency)
{
/* The first ones can keep the fourth waiting in the queue until the fifth has come, too. */
#define SFU_75_CYCLES                                                                                                                         \
	"fex2 r11, rz\nfex2 r11, rz\nfex2 r11, rz\nfex2 r10, rz {delay 15}\nnop {delay 15}\nnop {delay 15}\nnop {delay 15}\nnop {delay 15}\n" \
	"fex2 r20, r10 {p6.w}\n" STORE
#define NARROW "lanes.alu=8"
	static const program list[] = {
	    {PROVEN("alu, 4", "iadd r10, r0, #1 {delay 4}\niadd r20, r10, #2 {p6.w}\n" STORE)},
	    {OBJECTED("alu, 3", "iadd r10, r0, #1 {delay 3}\niadd r20, r10, #2 {p6.w}\n" STORE, "RAW r10 iadd -> iadd")},
	    {PROVEN("mul, 5", "imul r10, r0, r0 {delay 5}\niadd r20, r10, #2 {p6.w}\n" STORE)},
	    {OBJECTED("mul, 4", "imul r10, r0, r0 {delay 4}\niadd r20, r10, #2 {p6.w}\n" STORE, "RAW r10 imul -> iadd")},
	    {PROVEN("mul64, 8, the second half", "imul64 r10:r11, r4:r5, r4:r5 {delay 8}\niadd r20, r11, #2 {p6.w}\n" STORE)},
	    {OBJECTED("mul64, 7, the second half", "imul64 r10:r11, r4:r5, r4:r5 {delay 7}\niadd r20, r11, #2 {p6.w}\n" STORE,
	              "RAW r11 imul64 -> iadd")},
	    {PROVEN("sfu, 14", "mov r9, r0 {p1.w delay 4}\nfex2 r10, r9 {w100000 delay 14}\nfex2 r20, r10 {p6.w}\n" STORE)},
	    {OBJECTED("sfu, 13", "mov r9, r0 {p1.w delay 4}\nfex2 r10, r9 {w100000 delay 13}\nfex2 r20, r10 {p6.w}\n" STORE, "RAW r10 fex2 -> fex2")},
	    {PROVEN("a predicate, 4", "isetp.lo p1, r0, #9 {delay 4}\nsel r20, r0, r1, p1 {p6.w}\n" STORE)},
	    {OBJECTED("a predicate, 3", "isetp.lo p1, r0, #9 {delay 3}\nsel r20, r0, r1, p1 {p6.w}\n" STORE, "RAW p1 isetp -> sel")},
	    {PROVEN("a guard, 4", "mov r20, r0 {p5.w delay 4}\nisetp.lo p1, r0, #9 {delay 4}\n@p1 mov r20, r1 {p6.w}\n" STORE_BOTH)},
	    {OBJECTED("a guard, 3", "mov r20, r0 {p5.w delay 4}\nisetp.lo p1, r0, #9 {delay 3}\n@p1 mov r20, r1 {p6.w}\n" STORE_BOTH,
	              "RAW p1 isetp -> mov")},
	    /* Four cycles for an entry: the last lanes of the predicate are written three cycles after the first ones. */
	    {PROVEN("a narrow pipe, a register, 4", "iadd r10, r0, #1 {delay 4}\niadd r20, r10, #2 {p6.w}\n" STORE), .settings = NARROW},
	    {PROVEN("a narrow pipe, a predicate operand, 4", "isetp.lo p1, r0, #9 {delay 4}\nsel r20, r0, r1, p1 {p6.w}\n" STORE),
	     .settings = NARROW},
	    {PROVEN("a narrow pipe, a guard, 7", "mov r20, r0 {p5.w delay 4}\nisetp.lo p1, r0, #9 {delay 7}\n@p1 mov r20, r1 {p6.w}\n" STORE_BOTH),
	     .settings = NARROW},
	    {OBJECTED("a narrow pipe, a guard, 6", "mov r20, r0 {p5.w delay 4}\nisetp.hs p1, r0, #9 {delay 6}\n@p1 mov r20, r1 {p6.w}\n" STORE_BOTH,
	              "RAW p1 isetp -> mov"),
	     .settings = NARROW},
	    {OBJECTED("a narrow pipe, an operand and the guard, 6",
	              "mov r20, r0 {p5.w delay 4}\nisetp.hs p1, r0, #9 {delay 6}\n@p1 sel r20, r1, r0, p1 {p6.w}\n" STORE_BOTH,
	              "RAW p1 isetp -> sel"),
	     .settings = NARROW},
	    {OBJECTED("no distance reaches into another pipe", "iadd r10, r0, #1 {delay 15}\ni2f.f32.u32 r20, r10 {p6.w}\n" STORE,
	              "RAW r10 iadd -> i2f"),
	     .harmless = true},
	    {OBJECTED("nor is there one for memory", "lds.32 r19, [r1] {delay 15}\nlds.32 r20, [r19] {p6.w}\n" STORE, "RAW r19 lds -> lds")},
	    /* MI-14 */
	    {OBJECTED("floats in a pipe of their own",
	              "i2f.f32.u32 r9, r0 {p1.w}\nfadd r10, r9, r9 {w100000 delay 15}\niadd r20, r10, #2 {p6.w}\n" STORE, "RAW r10 fadd -> iadd"),
	     .settings = "pipe.fma=tex", .harmless = true},
	    {PROVEN("conversions in the pipe of integers, 4", "iadd r10, r0, #1 {delay 4}\ni2f.f32.u32 r20, r10 {p6.w}\n" STORE),
	     .settings = "pipe.cvt=alu"},
	    {OBJECTED("conversions in the pipe of integers, 3", "iadd r10, r0, #1 {delay 3}\ni2f.f32.u32 r20, r10 {p6.w}\n" STORE,
	              "RAW r10 iadd -> i2f"),
	     .settings = "pipe.cvt=alu"},
	    {OBJECTED("a queue keeps 63 cycles and no more", SFU_75_CYCLES, "RAW r10 fex2 -> fex2"), .settings = "latency.sfu.latency=64"},
	    {PROVEN("63 cycles", SFU_75_CYCLES), .settings = "latency.sfu.latency=63"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J4: the second write must be the later one. */
TEST(the_second_write_comes_after_the_first)
{
#define LATER "mov r20, r10 {p6.w}\n" STORE
	static const program list[] = {
	    {PROVEN("alike: a cycle", "iadd r10, r0, #1 {delay 1}\niadd r10, r0, #2 {delay 9}\n" LATER)},
	    {PROVEN("a longer second: a cycle", "iadd r10, r0, #1 {delay 1}\nimul r10, r0, r0 {delay 9}\n" LATER)},
	    {PROVEN("8 and 4: 5 cycles", "imul64 r10:r11, r4:r5, r4:r5 {delay 5}\niadd r10, r0, #2 {delay 9}\n" LATER)},
	    {OBJECTED("8 and 4: 4 cycles", "imul64 r10:r11, r4:r5, r4:r5 {delay 4}\niadd r10, r0, #2 {delay 9}\n" LATER, "WAW r10 imul64 -> iadd"),
	     .harmless = true /* both write in one cycle: which of them stays is nobody's to rely on */},
	    {OBJECTED("8 and 4: 3 cycles", "imul64 r10:r11, r4:r5, r4:r5 {delay 3}\niadd r10, r0, #2 {delay 9}\n" LATER, "WAW r10 imul64 -> iadd"),
	     .settings = "latency.mul64.interval=1"},
	    {OBJECTED("other pipes: none", "fex2 r20, r0 {delay 1}\niadd r20, r0, #2 {p6.w delay 15}\n" STORE, "WAW r20 fex2 -> iadd")},
	    {OBJECTED("predicates", "isetp64.lo p1, r4:r5, r2:r3 {delay 1}\nisetp.lo p1, r0, #9 {delay 4}\nsel r20, r0, r1, p1 {p6.w}\n" STORE,
	              "WAW p1 isetp64 -> isetp"),
	     .harmless = true /* both in one cycle */},
	    {OBJECTED("memory, twice", "ldg.32 r20, [r4:r5+512] {delay 15}\nlds.32 r20, [r1] {p6.w}\nldg.32 r21, [r4:r5+1024] {p5.w}\n" STORE_BOTH,
	              "WAW r20 ldg -> lds")},
	    {PROVEN("memory, waited for",
	            "ldg.32 r20, [r4:r5+512] {p1.w delay 15}\nlds.32 r20, [r1] {p6.w w100000}\nldg.32 r21, [r4:r5+1024] {p5.w}\n" STORE_BOTH)},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J5 */
TEST(an_overwrite_waits_for_the_reader_of_another_pipe)
{
	static const program list[] = {
	    {PROVEN("one pipe: its order",
	            "movi r12, 5 {p4.w}\nldg.32 r11, [r4:r5] {p2.w}\nstg.32 [r2:r3+256], r12 {w010100}\nldg.32 r12, [r4:r5+4] {p1.w}\n"
	            "mov r20, r12 {w100000 p6.w}\n" STORE)},
	    {OBJECTED("another pipe: nothing", LATE_READER "movi r12, 7 {delay 15}\nmov r20, r12 {p6.w}\n" STORE, "WAR r12 stg -> movi")},
	    {PROVEN("another pipe: a counter", LATE_READER "movi r12, 7 {w001000 delay 15}\nmov r20, r12 {p6.w}\n" STORE)},
	    {OBJECTED("a guard is read, too",
	              "isetp.lo p1, r0, #9 {p1.w delay 4}\nldg.32 r11, [r4:r5] {p2.w}\n@p1 stg.32 [r2:r3], r11 {w110000}\nisetp.hs p1, r0, #9 {delay "
	              "15}\nexit\n",
	              "WAR p1 stg -> isetp")},
	    {PROVEN("and released when it is read",
	            "isetp.lo p1, r0, #9 {p1.w delay 4}\nldg.32 r11, [r4:r5] {p2.w}\n@p1 stg.32 [r2:r3], r11 {w110000 p3.r}\n"
	            "isetp.hs p1, r0, #9 {w001000 delay 15}\nexit\n")},
	    {OBJECTED(
	        "a predicate operand is read",
	        "isetp.lo p1, r0, #9 {p1.w delay 4}\nldg.32 r11, [r4:r5] {p2.w}\nballot r12, r11, p1 {w110000 p3.w}\nisetp.hs p1, r0, #9 {delay 15}\n"
	        "mov r20, r12 {w001000 p6.w}\n" STORE,
	        "WAR p1 ballot -> isetp")},
	    {OBJECTED("the address of a load is read",
	              "ldg.32 r11, [r4:r5] {p2.w}\nand r11, r11, #60 {w010000 p4.w delay 4}\nmov r13, r1 {p4.w delay 4}\n"
	              "ldg.32 r14, [r4:r5+8] {p1.w}\nlds.32 r12, [r13] {w100100 p3.w}\nmovi r13, 8 {delay 15}\n"
	              "mov r20, r12 {w001000 p6.w}\n" STORE,
	              "WAR r13 lds -> movi"),
	     .harmless = true /* shared memory is zero */},
	};
	programs_expect(list, HD_COUNT(list));
}

/* Programs of a review: each was proven by a checker that forgot a rule, and is wrong on the machine. */
TEST(programs_that_a_weaker_checker_proves)
{
	static const program guard = {OBJECTED("J1, J5: a guard is a source", NULL, "WAR p0 stg -> isetp")};
	static const program guard_kept = {PROVEN("J1, J5: a guard that is waited for", NULL)};
	static const program shared = {OBJECTED("J7: shared memory", NULL, "memory atoms -> lds"), .one_warp = true};
	static const program shared_in_order = {PROVEN("J7: shared memory that is waited for", NULL), .one_warp = true};
	program_file_expect("guard_overwritten_before_it_is_read.hasm", NULL, NULL, &guard);
	program_file_expect("guard_overwritten_before_it_is_read.hasm", "{w110001 delay.lsu 1}\n\tisetp.ne p0, rz, rz {",
	                    "{w110001 p3.r delay.lsu 1}\n\tisetp.ne p0, rz, rz {w001000 ", &guard_kept);
	program_file_expect("shared_memory_by_two_pipes.hasm", NULL, NULL, &shared);
	program_file_expect("shared_memory_by_two_pipes.hasm", "lds.32 r8, [rz] {", "lds.32 r8, [rz] {w010000 ", &shared_in_order);
}

/* J6 */
TEST(without_forwarding_or_hints_distance_is_nothing)
{
	static const program list[] = {
	    {OBJECTED("counters inside pipelines, too (HZ-26)", "iadd r10, r0, #1 {delay 4}\niadd r20, r10, #2 {p6.w}\n" STORE,
	              "RAW r10 iadd -> iadd"),
	     .settings = "fence.within_pipeline=true", .harmless = true},
	    {OBJECTED("no carrier (PD-3)", "iadd r10, r0, #1 {delay 4}\niadd r20, r10, #2 {p6.w}\n" STORE, "RAW r10 iadd -> iadd"),
	     .settings = "predecode.carrier=none predecode.decode_cycles=0"},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J7 */
TEST(barriers_and_fences_wait_for_memory)
{
	/* Every thread gives its number to another warp, through shared memory. */
#define OTHER_WARP "xor r9, r1, #128 {p2.w delay 4}\n"
#define GIVE(mark) OTHER_WARP "ldg.32 r10, [r4:r5] {p3.w}\nsts.32 [r1], r10 {w001000 " mark "}\n"
#define TAKE "lds.32 r20, [r9] {p6.w}\n" STORE
	static const program list[] = {
	    {PROVEN("a barrier that waits", GIVE("p1.w") "bar.sync 0 {w110000}\n" TAKE)},
	    {OBJECTED("a barrier that does not", GIVE("p1.w") "bar.sync 0 {w010000}\n" TAKE, "memory ldg -> bar; memory sts -> bar")},
	    {OBJECTED("released by its read", GIVE("p1.r") "bar.sync 0 {w110000}\n" TAKE, "memory sts -> bar"), .harmless = true},
	    {OBJECTED("an arrival that does not", GIVE("p1.w") "bar.arrive 1, rz {w010000}\nbar.sync 0 {w100000}\n" TAKE,
	              "memory ldg -> bar; memory sts -> bar"),
	     .harmless = true},
	    {OBJECTED("a fence that does not", GIVE("p1.w") "membar.cta {p4.w}\nbar.sync 0 {w110100}\n" TAKE, "memory sts -> membar"),
	     .harmless = true /* an access is performed when it reaches the unit, in order */},
	    {PROVEN("a fence that waits", GIVE("p1.w") "membar.cta {w100000 p4.w}\nbar.sync 0 {w110100}\n" TAKE)},
	    {OBJECTED("a barrier that passes a fence", GIVE("p1.w") "membar.cta {w100000}\nbar.sync 0 {w110000}\n" TAKE, "memory membar -> bar"),
	     .harmless = true /* nobody else stores */},
	    {OBJECTED("an arrival that passes a fence",
	              GIVE("p1.w") "membar.cta {w100000 p4.w}\nbar.arrive 1, rz {w110000}\nbar.sync 0 {w000100}\n" TAKE, "memory membar -> bar"),
	     .harmless = true},
	    {PROVEN("two fences: one pipe", GIVE("p1.w") "membar.cta {w100000 p4.w}\nmembar.gl {p4.w}\nbar.sync 0 {w110100}\n" TAKE)},
	    /* PD-32: a join orders what a barrier orders; a launch that has not been performed is no child yet. */
	    {PROVEN("a join that waits", GIVE("p1.w") "bar.join 0 {w110000}\n" TAKE)},
	    {OBJECTED("a join that does not", GIVE("p1.w") "bar.join 0 {w010000}\n" TAKE, "memory ldg -> bar; memory sts -> bar")},
	    {PROVEN("a join behind a launch",
	            GIVE("p1.w") "isetp.lo p1, r0, #0 {p5.w}\n@p1 launch r21, r2:r3 {w100010 p6.w}\nbar.join 0 {w110001}\n" TAKE)},
	    {OBJECTED("a launch that passes a store, which the child may read",
	              GIVE("p1.w") "isetp.lo p1, r0, #0 {p5.w}\n@p1 launch r21, r2:r3 {w000010 p6.w}\nbar.join 0 {w110001}\n" TAKE,
	              "memory sts -> launch"),
	     .harmless = true /* no lane launches */},
	    {OBJECTED("a push that passes a store",
	              GIVE("p1.w") "isetp.lo p1, r0, #0 {p5.w}\n@p1 qpush r21, r0, r2:r3 {w000010 p6.w}\nbar.sync 0 {w110001}\n" TAKE,
	              "memory sts -> qpush"),
	     .harmless = true},
	    {OBJECTED("a join too soon behind a launch",
	              GIVE("p1.w") "isetp.lo p1, r0, #0 {p5.w}\n@p1 launch r21, r2:r3 {w100010}\nbar.join 0 {w110000}\n" TAKE,
	              "memory launch -> bar"),
	     .harmless = true /* no lane launches */},
	    {PROVEN("what nobody else sees",
	            OTHER_WARP "stl.32 [rz], r0\nldl.32 r11, [rz]\nldc.32 r12, [rz]\nbar.sync 0 {w010000}\nlds.32 r20, [r9] {p6.w}\n" STORE)},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J7: shared memory by way of two pipes. */
TEST(shared_memory_in_two_pipes_needs_a_counter)
{
#define LATE_ATOMIC(mark) "ldg.32 r10, [r4:r5] {p1.w}\natoms.add.u32 rz, [r1], r10 {w100000 " mark "}\n"
	static const program list[] = {
	    {OBJECTED("an atomic, then a load", LATE_ATOMIC("") "lds.32 r20, [r1] {p6.w}\n" STORE, "memory atoms -> lds")},
	    {PROVEN("an atomic, then a load that waits", LATE_ATOMIC("p2.w") "lds.32 r20, [r1] {p6.w w010000}\n" STORE)},
	    {OBJECTED("an atomic, then a generic load",
	              "mov64 r12:r13, r8:r9 {delay 5}\nmovi r13, 1 {p3.w delay 4}\n" LATE_ATOMIC("") "ld.32 r20, [r12:r13] {p6.w w001000}\n" STORE,
	              "memory atoms -> ld")},
	    {OBJECTED("a store, then an atomic", "ldg.32 r10, [r4:r5] {p1.w}\nsts.32 [r1], r10 {w100000}\natoms.add.u32 r20, [r1], r0 {p6.w}\n" STORE,
	              "memory sts -> atoms")},
	    {PROVEN("a global store, then an atomic",
	            "ldg.32 r10, [r4:r5] {p1.w}\nstg.32 [r2:r3+512], r10 {w100000}\natoms.add.u32 r20, [r1], r0 {p6.w}\n" STORE)},
	    {PROVEN("an atomic, then a local load", LATE_ATOMIC("") "ldl.32 r12, [rz]\nstl.32 [rz], r0\nmovi r20, 3 {p6.w}\n" STORE)},
	    {OBJECTED("a fence orders, and is ordered",
	              "ldg.32 r10, [r4:r5] {p1.w}\nsts.32 [r1], r10 {w100000 p2.w}\nmembar.cta {w010000}\natoms.add.u32 r20, [r1], r0 {p6.w}\n" STORE,
	              "memory sts -> atoms; memory membar -> atoms"),
	     .harmless = true},
	    {PROVEN("two atomics: one pipe", LATE_ATOMIC("") "atoms.add.u32 r20, [r1], r0 {p6.w}\n" STORE)},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J8; exit in test_graph.c */
TEST(nothing_is_outstanding_at_calls_and_returns)
{
	static const program list[] = {
	    {PROVEN("a call that waits",
	            "ldg.32 r20, [r4:r5] {p1.w}\ncall F {w100000}\n" STORE "FUNCTION:\nF: iadd r20, r20, #1 {p6.w}\nret {w000001}\n")},
	    {OBJECTED("a call that does not", "ldg.32 r20, [r4:r5] {p1.w}\ncall F\n" STORE "FUNCTION:\nF: iadd r20, r20, #1 {p6.w}\nret {w000001}\n",
	              "call ldg -> call")},
	    {OBJECTED("a return that does not", "call F\nstg.32 [r2:r3], r20\nexit\nFUNCTION:\nF: ldg.32 r20, [r4:r5] {p1.w}\nret\n",
	              "call ldg -> ret")},
	    {OBJECTED(
	         "an indirect call that does not",
	         "movi r9, 14 {p1.w delay 4}\nldg.32 r20, [r4:r5] {p2.w}\ncallx r9 {w100000}\nstg.32 [r2:r3], r20\nexit\nFUNCTION:\nF: nop\nret\n",
	         "call ldg -> callx"),
	     .targets = {14}},
	    {OBJECTED("a read alone that is outstanding",
	              "ldg.32 r11, [r4:r5+512] {p2.w}\nmovi r12, 9 {p4.w delay 4}\n@!pt bra START {w000100}\nstl.32 [rz], r12 {w010000}\nstl.32 "
	              "[rz+4], r12\ncall F {w010000}\n"
	              "ldl.32 r20, [rz+4] {p6.w}\nstg.32 [r2:r3], r20 {w000001}\nexit\nFUNCTION:\nF: movi r12, 7 {p4.w}\nret {w000100}\n",
	              "call stl -> call"),
	     .settings = "latency.lsu.interval=16"},
	    {PROVEN("a return that waits", "call F\nstg.32 [r2:r3], r20\nexit\nFUNCTION:\nF: ldg.32 r20, [r4:r5] {p1.w}\nret {w100000}\n")},
	    {OBJECTED("a read that is outstanding", LATE_READER "call F\nexit\nFUNCTION:\nF: movi r12, 7 {p1.w}\nret {w100000}\n",
	              "call ldg -> call; call movi -> call; call stg -> call")},
	    {OBJECTED("a fixed latency does not run out in a queue",
	              "iadd r20, r0, #1 {delay 15}\ncall F {delay 15}\n" STORE "FUNCTION:\nF: nop\nret\n", "call iadd -> call"),
	     .harmless = true},
	    {OBJECTED("an indirect jump that does not wait",
	              "movi r9, 13 {p1.w delay 4}\nldg.32 r20, [r4:r5] {p2.w}\nbrx r9 {w100000}\nnop\nL: stg.32 [r2:r3], r20\nexit\n",
	              "call ldg -> brx"),
	     .targets = {13}},
	    {PROVEN("a call that nobody makes is a wait",
	            "ldg.32 r20, [r4:r5] {p1.w}\n@!pt call F\nmov r20, r20 {w100000 p6.w}\n" STORE "FUNCTION:\nF: ret\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* HZ-20, and the machine's number of counters. */
TEST(counters_are_those_of_the_machine)
{
	static const program list[] = {
	    {OBJECTED("a load on a low-latency counter",
	              "ldg.32 r20, [r4:r5] {p4.w}\nmov r20, r20 {w000100 p1.w delay 4}\nstg.32 [r2:r3], r20 {w100000}\nexit\n", "counter ldg"),
	     .high = 2, .harmless = true},
	    {PROVEN("a load on the lowest high-latency counter",
	            "ldg.32 r20, [r4:r5] {p5.w}\nmov r20, r20 {w000010 p1.w delay 4}\nstg.32 [r2:r3], r20 {w100000}\nexit\n"),
	     .high = 2},
	    {OBJECTED("an addition on a high-latency counter", "iadd r20, r0, #1 {p5.w}\nstg.32 [r2:r3], r20 {w000010}\nexit\n", "counter iadd"),
	     .high = 2, .harmless = true},
	    {PROVEN("an addition on the highest low-latency counter", "iadd r20, r0, #1 {p4.w}\nstg.32 [r2:r3], r20 {w000100}\nexit\n"), .high = 2},
	};
	programs_expect(list, HD_COUNT(list));
}

/* A program for more counters than the machine has: each that it waits for is named. */
TEST(a_machine_with_fewer_counters)
{
	const program p = {.what = "fewer counters", .body = "iadd r20, r0, #1 {w000010}\nexit\n"};
	hd_object *object = program_assemble(&p);
	hd_machine machine;
	hd_check_report report;
	hd_machine_default(&machine);
	program_set(&machine, PROGRAM_MACHINE " fence.counters=4");
	assert_false(hd_check(object, &machine, &report));
	char *found = program_findings(object, &report);
	assert_string_equal(found,
	                    "counter s2r; counter imulw.u32; counter shl; counter iadd64; counter iadd64; counter ldg; counter bra; counter iadd");
	free(found);
	hd_check_report_free(&report);
	hd_object_free(object);
}

/* J12 (HZ-33). The machine keeps accesses of one pipe in order, so no timing shows what is missing. */
TEST(orders_of_the_programmer_are_kept)
{
#define ORDER ".order first, second\n"
	static const program list[] = {
	    {PROVEN("a counter",
	            "first: stg.32 [r2:r3], r0 {p1.w}\nsecond: ldg.32 r20, [r2:r3] {w100000 p2.w}\nmov r21, r20 {w010000}\nexit\n" ORDER)},
	    {OBJECTED("none", "first: stg.32 [r2:r3], r0\nsecond: ldg.32 r20, [r2:r3] {p2.w}\nmov r21, r20 {w010000}\nexit\n" ORDER,
	              "order stg -> ldg"),
	     .harmless = true},
	    {OBJECTED("by read", "first: stg.32 [r2:r3], r0 {p1.r}\nsecond: ldg.32 r20, [r2:r3] {w100000 p2.w}\nmov r21, r20 {w010000}\nexit\n" ORDER,
	              "order stg -> ldg"),
	     .harmless = true},
	    {OBJECTED("on one of two paths",
	              "isetp.lo p0, r0, #9 {p4.w}\nfirst: stg.32 [r2:r3], r0 {p1.w}\n@p0 bra over {w000100}\nmov r22, r0 {w100000}\nover: "
	              "nop\nsecond: ldg.32 "
	              "r20, [r2:r3] {p2.w}\nmov r21, r20 {w010000}\nexit\n" ORDER,
	              "order stg -> ldg"),
	     .harmless = true},
	    {PROVEN("a distance in one pipe", "first: iadd r20, r0, #1 {delay 4}\nsecond: iadd r21, r0, #2\nexit\n" ORDER)},
	    {OBJECTED("a distance that is too short", "first: iadd r20, r0, #1 {delay 3}\nsecond: iadd r21, r0, #2\nexit\n" ORDER,
	              "order iadd -> iadd"),
	     .harmless = true},
	    /* Neither the first one with itself, nor two first ones. */
	    {PROVEN("a loop",
	            "mov r20, r0 {delay 4}\nback: nop\nfirst: stg.32 [r2:r3], r0 {p1.w}\nisetp.lo p0, r20, #1 {p4.w}\niadd r20, r20, #1 {delay "
	            "5}\n@p0 bra back {w000100}\nsecond: bar.sync 0 {w100000}\nexit\n" ORDER)},
	    {PROVEN("the first one of the next round, in another pipe",
	            "mov r20, r0 {delay 4}\nback: nop\nfirst: stg.32 [r2:r3], r0 {p1.w}\nisetp.lo p0, r20, #1 {p4.w}\niadd r20, r20, #1 {delay "
	            "5}\nsecond: i2f.f32.u32 r21, r0 {w100000}\n@p0 bra back {w000100}\nexit\n" ORDER)},
	    {PROVEN("two of them",
	            "first: stg.32 [r2:r3], r0 {p1.w}\nthird: stg.32 [r2:r3+256], r0 {p2.w}\nsecond: nop\nfourth: ldg.32 r20, [r2:r3] {w010000 "
	            "p3.w}\nmov r21, r20 {w101000}\nexit\n.order third, fourth\n.order first, fifth\nfifth: exit {w110000}\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J9 excuses registers alone. Every pair of kinds of instructions and of guards: none of them replaces a wait. */
TEST(guards_excuse_no_order)
{
	static const char *const guards[] = {"", "@p0 ", "@!p0 ", "@p2 "}; /* p2 is the complement of p0 */
	static const char *const insts[][2] = {
	    {"iadd", "r20, r0, #1"},     {"i2f", ".f32.u32 r21, r0"}, {"s2r", "r22, tid.x"},
	    {"fex2", "r23, r0"},         {"isetp", ".lo p3, r0, #4"}, {"stg", ".32 [r2:r3], r0"},
	    {"ldg", ".32 r24, [r4:r5]"}, {"lds", ".32 r25, [r1]"},    {"atoms", ".add.u32 r26, [r1], r0"},
	};
	enum { INSTS = HD_COUNT(insts), GUARDS = HD_COUNT(guards) };
	for (unsigned i = 0; i < 2 * INSTS * INSTS * GUARDS * GUARDS; i++) {
		bool waits = i & 1;
		const char *const *first = insts[i / 2 % INSTS], *const *second = insts[i / 2 / INSTS % INSTS];
		const char *p = guards[i / 2 / INSTS / INSTS % GUARDS], *c = guards[i / 2 / INSTS / INSTS / GUARDS];
		char body[600], found[100];
		if (first == second)
			continue;
		snprintf(found, sizeof found, "order %s -> %s", first[0], second[0]);
		snprintf(body, sizeof body,
		         "isetp.lo p0, r0, #9 {p2.w}\nisetp.hs p2, r0, #9 {p2.w}\n@!pt bra START {w010000}\nfirst: %s%s%s%s {p1.w}\nsecond: "
		         "%s%s%s%s {p3.w%s}\n@!pt bra START {w101000}\nexit\n.order first, second\n",
		         p, first[0], *first[1] == '.' ? "" : " ", first[1], c, second[0], *second[1] == '.' ? "" : " ", second[1],
		         waits ? " w100000" : "");
		program_expect(&(program){.what = body, .body = body, .findings = waits ? "" : found, .harmless = true});
	}
}
