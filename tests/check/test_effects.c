/* An instruction's sources, results, waits and memory as the checker takes them (HZ-27): every operand that the tables of src/isa name, and every
 * word of a pair, is one that something can be outstanding for. Each program lacks one wait, and is wrong on the machine. */
#include "programs.h"

#define STORE "stg.32 [r2:r3], r20 {w000001 delay 1}\nexit\n"
#define LATE(reg) "ldg.32 " reg ", [r4:r5+512] {p5.w}\n"
/* p3 is made late: the comparison waits for memory. */
#define LATE_P3 "isetp.eq p1, rz, rz {p4.w}\nisetp.eq p2, rz, rz {p4.w}\n" LATE("r10") "isetp.hs p3, r10, #0 {w000010 p4.w}\n"

TEST(every_operand_is_a_source)
{
	static const program list[] = {
	    {OBJECTED("a", LATE("r10") "iadd r20, r10, r0 {p6.w}\n" STORE, "RAW r10 ldg -> iadd")},
	    {OBJECTED("b", LATE("r10") "iadd r20, r0, r10 {p6.w}\n" STORE, "RAW r10 ldg -> iadd")},
	    {OBJECTED("c", LATE("r10") "imad r20, r0, r0, r10 {p6.w}\n" STORE, "RAW r10 ldg -> imad")},
	    {OBJECTED("the second half of a pair",
	              "mov r10, r0 {p4.w delay 4}\n" LATE("r11") "mov64 r20:r21, r10:r11 {p6.w w000100}\nstg.32 [r2:r3], r21 {w000001}\nexit\n",
	              "RAW r11 ldg -> mov64")},
	    {OBJECTED("the last word of a quad",
	              "mov r12, r0 {p4.w}\nmov r13, r0 {p4.w}\nmov r14, r0 {p4.w}\nshl r21, r0, #4 {p4.w}\n"
	              "iadd64 r24:r25, r2:r3, r8:r9 {p3.w}\n" LATE(
	                  "r15") "stl.128 [rz], r12:r15 {w001100 p1.w}\nldl.32 r20, [rz+12] {p6.w w100000}\n" STORE,
	              "RAW r15 ldg -> stl")},
	    {OBJECTED("the data of a store", LATE("r10") "stg.32 [r2:r3], r10\nexit\n", "RAW r10 ldg -> stg")},
	    {OBJECTED("the upper half of an address",
	              "mov r10, r4 {p4.w delay 4}\nmovi r11, 9 {p4.w delay 4}\n" LATE("r21") "mov r11, r5 {w000010 p3.w}\n"
	                                                                                     "ldg.32 r20, [r10:r11] {w000100 p6.w}\n" STORE,
	              "RAW r11 mov -> ldg")},
	    {OBJECTED("a guard", "mov r20, r0 {p1.w}\n" LATE_P3 "@p3 i2f.f32.u32 r20, r0 {p6.w w100000}\n" STORE, "RAW p3 isetp -> i2f")},
	    {OBJECTED("a selector", LATE_P3 "ballot r20, rz, p3 {p6.w}\n" STORE, "RAW p3 isetp -> ballot"), .harmless = true /* of no lanes */},
	    {OBJECTED("a carry", "iaddc r11, r0, r0, pt, p3 {delay 1}\niaddc r20, r0, r0, p3, pt {p6.w}\n" STORE, "RAW p3 iaddc -> iaddc")},
	    {OBJECTED("the first predicate of plop", "isetp.lo p1, r0, #9\nplop p4, p1, pt, pt, 128 {delay 4}\nsel r20, r0, r1, p4 {p6.w}\n" STORE,
	              "RAW p1 isetp -> plop")},
	    {OBJECTED("the second predicate of plop", "isetp.lo p1, r0, #9\nplop p4, pt, p1, pt, 128 {delay 4}\nsel r20, r0, r1, p4 {p6.w}\n" STORE,
	              "RAW p1 isetp -> plop")},
	    {OBJECTED("the third predicate of plop", "isetp.lo p1, r0, #9\nplop p4, pt, pt, p1, 128 {delay 4}\nsel r20, r0, r1, p4 {p6.w}\n" STORE,
	              "RAW p1 isetp -> plop")},
	    {PROVEN("plop in time", "isetp.lo p1, r0, #9 {delay 4}\nplop p4, pt, pt, p1, 128 {delay 4}\nsel r20, r0, r1, p4 {p6.w}\n" STORE)},
	    {OBJECTED("the threads of a barrier",
	              "movi r10, 64 {p4.w}\nldg.32 r11, [r4:r5+512] {p5.w w000100}\nmovi r10, 0 {w000010}\niadd r10, r10, #64 {wait 3}\n"
	              "bar.sync 1, r10 {w000010}\nexit\n",
	              "RAW r10 iadd -> bar"),
	     .harmless = true /* a wrong number of warps only ends the barrier sooner, or never */},
	    {OBJECTED("the target of an indirect call",
	              "movi r10, 99 {p4.w}\n@!pt bra START {w000100}\n" LATE("r11") "movi r10, 15 {w000010 p4.w}\ncallx r10 {w000010}\nexit\n"
	                                                                            "FUNCTION:\nF: ret\n",
	              "RAW r10 movi -> callx"),
	     .targets = {15}},
	};
	programs_expect(list, HD_COUNT(list));
}

TEST(every_result_is_written)
{
	static const program list[] = {
	    {OBJECTED("the second half of a pair", "ldl.64 r10:r11, [rz] {p5.w}\nmov r20, r11 {p6.w}\n" STORE, "RAW r11 ldl -> mov")},
	    {OBJECTED("a carry-out", "iaddc r11, r0, r0, pt, p3 {p5.w}\nballot r20, r0, p3 {p6.w}\n" STORE, "RAW p3 iaddc -> ballot"),
	     .harmless = true},
	    {OBJECTED("the old value that an atomic brings", "atoms.add.u32 r20, [r1], r0\nstg.32 [r2:r3], r20\nexit\n", "RAW r20 atoms -> stg")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* PD-2 to PD-7: what a hint means depends on what brings it and what the machine honours; more of it in test_hints.c. */
TEST(a_hint_is_what_its_carrier_says)
{
#define ADD_TWICE(hint) "iadd r10, r0, #1 {" hint "}\niadd r20, r10, #2 {p6.w}\n" STORE
	static const program list[] = {
	    {PROVEN("three bits: a delay", ADD_TWICE("h4 delay 1")), .settings = "predecode.carrier=instruction"},
	    {OBJECTED("three bits: too short", ADD_TWICE("h3 delay 9"), "RAW r10 iadd -> iadd"), .settings = "predecode.carrier=instruction"},
	    {PROVEN("three bits: the default", ADD_TWICE("h0")), .settings = "predecode.carrier=instruction predecode.default_delay=4"},
	    {OBJECTED("a line: the three bits are nothing", ADD_TWICE("h4 delay 3"), "RAW r10 iadd -> iadd")},
	    {PROVEN("a type is a delay", ADD_TWICE("delay.alu 4"))},
	    {PROVEN("a pair of one pipe is a delay", ADD_TWICE("pair 4")), .settings = "predecode.issue_width=2"},
	    {OBJECTED("a pair of one pipe: too short", ADD_TWICE("pair 3"), "RAW r10 iadd -> iadd"), .settings = "predecode.issue_width=2"},
	    {OBJECTED("a pair takes no time", "iadd r10, r0, #1 {delay 3}\nfex2 r11, rz {pair 9}\niadd r20, r10, #2 {p6.w}\n" STORE,
	              "RAW r10 iadd -> iadd"),
	     .settings = "predecode.issue_width=2"},
	    {PROVEN("a pair that the machine does not honour is a delay",
	            "iadd r10, r0, #1 {delay 3}\nfex2 r11, rz {pair 1}\niadd r20, r10, #2 {p6.w}\n" STORE)},
	};
	programs_expect(list, HD_COUNT(list));
}

/* A pipe has either fixed latencies or none: the rules on distance rely on it. */
TEST(no_pipe_mixes_latencies)
{
	int variable[HD_PIPE_COUNT + 1];
	memset(variable, -1, sizeof variable);
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		int varies = (hd_ops[op].flags & HD_OPF_VAR) != 0;
		assert_true(variable[hd_ops[op].pipe] < 0 || variable[hd_ops[op].pipe] == varies);
		variable[hd_ops[op].pipe] = varies;
	}
}
