/* Exclusive guards (issue of the false alarm on complementary guards): the rules X1 to X5 of src/check/guards.c and J9, J10 of src/check/judge.c.
 * Every program that is proven so runs under all timings, so that it is also shown that the machine merges the lanes of both instructions. */
#include "programs.h"

#include "check/guards.h"
#include "semantics/semantics.h"

#define STORE_BOTH "stg.32 [r2:r3], r20 {w000011 delay 1}\nexit\n"
/* p1: some lanes of both warps. Settled for all pipes. */
#define CONDITION "and r21, r0, #5 {p4.w delay 4}\nisetp.eq p1, r21, rz {p4.w delay 4}\n@!pt bra START {w000100}\n"
/* r20 is loaded for the lanes of p1, late; the others get a number soon. */
#define LOAD "@p1 ldg.32 r20, [r4:r5+512] {p6.w}\n"

/* The program of a review to which the checker objected. */
TEST(complementary_guards)
{
	static const program harmless = {PROVEN("complementary guards", NULL)};
	static const program alike = {OBJECTED("the same guard", NULL, "WAW r9 ldg -> movi")};
	program_file_expect("complementary_guards.hasm", NULL, NULL, &harmless);
	program_file_expect("complementary_guards.hasm", "@!p0 movi", "@p0 movi", &alike);
}

/* X1, J9 */
TEST(a_predicate_and_its_negation)
{
	static const program list[] = {
	    {PROVEN("WAW", CONDITION LOAD "@!p1 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH)},
	    {PROVEN("WAW, the other way round", CONDITION "@!p1 ldg.32 r20, [r4:r5+512] {p6.w}\n@p1 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH)},
	    {OBJECTED("the same guard", CONDITION LOAD "@p1 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH, "WAW r20 ldg -> movi")},
	    {OBJECTED("another guard", CONDITION LOAD "@!p2 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH, "WAW r20 ldg -> movi")},
	    {OBJECTED("no guard", CONDITION LOAD "movi r20, 7 {p5.w delay 4}\n" STORE_BOTH, "WAW r20 ldg -> movi")},
	    {OBJECTED("no guard first", CONDITION "ldg.32 r20, [r4:r5+512] {p6.w}\n@!p1 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi")},
	    {PROVEN("RAW", CONDITION
	            "movi r20, 3 {p5.w delay 4}\n@p1 ldg.32 r20, [r4:r5+512] {p6.w w000010}\n@!p1 iadd r20, r20, #1 {p5.w delay 4}\n" STORE_BOTH)},
	    {OBJECTED("RAW, the same guard",
	              CONDITION
	              "movi r20, 3 {p5.w delay 4}\n@p1 ldg.32 r20, [r4:r5+512] {p6.w w000010}\n@p1 iadd r20, r20, #1 {p5.w delay 4}\n" STORE_BOTH,
	              "RAW r20 ldg -> iadd")},
	    {PROVEN("RAW across lanes: only of lanes that execute it",
	            CONDITION "movi r20, 3 {p5.w delay 4}\nmovi r24, 31 {p5.w}\nmovi r25, 1 {p5.w}\n@p1 ldg.32 r20, [r4:r5+512] {p6.w w000010}\n"
	                      "@!p1 shfl.bfly r20, r20, r25, r24 {w000010 p4.w}\nstg.32 [r2:r3], r20 {w000101}\nexit\n")},
	    {PROVEN("WAR", CONDITION "ldg.32 r22, [r4:r5+512] {p2.w}\nmovi r23, 5 {p3.w delay 4}\n@p1 stg.32 [r2:r3+512], r23 {w011000}\n"
	                             "@!p1 movi r23, 6 {p5.w delay 4}\nmov r20, r23 {p6.w}\n" STORE_BOTH)},
	    {OBJECTED("WAR, the same guard",
	              CONDITION "ldg.32 r22, [r4:r5+512] {p2.w}\nmovi r23, 5 {p3.w delay 4}\n@p1 stg.32 [r2:r3+512], r23 {w011000}\n"
	                        "@p1 movi r23, 6 {p5.w delay 4}\nmov r20, r23 {p6.w}\n" STORE_BOTH,
	              "WAR r23 stg -> movi")},
	    {PROVEN("predicates", CONDITION
	            "isetp.lo p2, r0, #40 {p4.w delay 4}\n@p1 shflp.bfly p2, r0, r0, rz {w000100 p6.w}\n@!p1 isetp.lo p2, r0, #9 {p5.w delay 4}\n"
	            "movi r20, 1 {p5.w delay 4}\n@p2 movi r20, 2 {w000001 p4.w}\nstg.32 [r2:r3], r20 {w000110}\nexit\n")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* J9: a guard is read for all lanes; it must be the same for both. */
TEST(the_guard_itself)
{
/* r20 is 3 at first. */
#define THREE CONDITION "movi r20, 3 {p5.w}\nmovi r23, 5 {p3.w}\n"
	static const program list[] = {
	    {PROVEN("not made anew", THREE "@p1 ldg.32 r20, [r4:r5+512] {w000010 p6.w}\n@!p1 movi r20, 7 {p5.w}\n" STORE_BOTH)},
	    {OBJECTED("made anew in between",
	              THREE "@p1 ldg.32 r20, [r4:r5+512] {w000010 p2.r}\nisetp.ne p1, r21, rz {w010000 p4.w delay 4}\n@!p1 movi r20, 7 {p5.w}\n"
	                    "ldg.32 r22, [r4:r5+1024] {p6.w}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi; RAW r20 ldg -> stg")},
	    {OBJECTED(
	        "made anew in between for some lanes",
	        THREE
	        "isetp.lo p2, r0, #40 {p4.w delay 4}\n@p1 ldg.32 r20, [r4:r5+512] {w000010 p2.r}\n@p2 isetp.ne p1, r21, rz {w010000 p4.w delay 4}\n"
	        "@!p1 movi r20, 7 {p5.w}\nldg.32 r22, [r4:r5+1024] {p6.w}\n" STORE_BOTH,
	        "WAW r20 ldg -> movi; RAW r20 ldg -> stg")},
	    {OBJECTED("P writes the guard of C: RAW",
	              THREE "@p1 shflp.bfly p1, r0, rz, rz {w000010 p6.w}\n@!p1 movi r20, 7 {p5.w delay 4}\n" STORE_BOTH, "RAW p1 shflp -> movi")},
	    {OBJECTED("C writes the guard of P: WAR",
	              THREE "ldg.32 r22, [r4:r5+512] {p2.w}\n@p1 stg.32 [r2:r3+512], r22 {w010010}\n"
	                    "@!p1 isetp.eq p1, rz, rz {p6.w delay 4}\nstg.32 [r2:r3], r20 {w000001}\nexit\n",
	              "WAR p1 stg -> isetp")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* X2 to X5 */
TEST(two_predicates)
{
/* r21 = 0, 1, 4 or 5; p1: r21 < 4. Settled. */
#define FIRST                                                                                                                                     \
	"movi r20, 3 {p4.w}\nand r21, r0, #5 {p4.w delay 4}\nisetp.lt p1, r21, #4 {p4.w delay 4}\nisetp.lo p3, r0, #40 {p4.w delay 4}\n@!pt bra " \
	"START {w000100}\n"
#define THEN(second, guard) FIRST second LOAD guard " movi r20, 7 {p5.w}\n" STORE_BOTH
	static const program list[] = {
	    {PROVEN("the opposite comparison", THEN("isetp.ge p2, r21, #4 {delay 4}\n", "@p2"))},
	    {OBJECTED("not quite the opposite", THEN("isetp.ge p2, r21, #4 {delay 4}\n", "@!p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED("comparisons that do not exclude each other", THEN("isetp.le p2, r21, #4 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {PROVEN("one that implies the other", THEN("isetp.le p2, r21, #4 {delay 4}\n", "@!p2"))},
	    {OBJECTED("with another number", THEN("isetp.ge p2, r21, #1 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED("with another register",
	              FIRST
	              "movi r24, 4 {delay 1}\nmovi r25, 1 {delay 4}\nisetp.lt p1, r21, r24 {p4.w delay 4}\nisetp.ge p2, r21, r25 {p4.w delay 4}\n"
	              "@!pt bra START {w000100}\n" LOAD "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi")},
	    {OBJECTED("of another register", THEN("isetp.ge p2, r0, #4 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED(
	        "of another kind",
	        FIRST
	        "movi r24, 4 {delay 4}\nisetp.eq p1, r24, #4 {p4.w delay 4}\nfsetp.lt p2, r24, #4 {p4.w delay 4}\n@!pt bra START {w000100}\n" LOAD
	        "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH,
	        "WAW r20 ldg -> movi")},
	    {OBJECTED("under a guard", THEN("isetp.hs p2, r0, #0 {delay 4}\n@p3 isetp.ge p2, r21, #4 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED("of a changed operand", THEN("iadd r21, r21, #3 {delay 4}\nisetp.ge p2, r21, #4 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED("of an operand that some lanes changed", THEN("@p3 iadd r21, r21, #3 {delay 4}\nisetp.ge p2, r21, #4 {delay 4}\n", "@p2"),
	              "WAW r20 ldg -> movi")},
	    {PROVEN("an operand that changes later", THEN("isetp.ge p2, r21, #4 {delay 4}\niadd r21, r21, #1 {delay 4}\n", "@p2"))},
	    {OBJECTED("made, and made anew", THEN("isetp.ge p2, r21, #4 {delay 4}\nisetp.lo p2, r0, #40 {delay 4}\n", "@p2"), "WAW r20 ldg -> movi")},
	    {OBJECTED("made, and made anew for some lanes", THEN("isetp.ge p2, r21, #4 {delay 4}\n@p3 isetp.lo p2, r0, #40 {delay 4}\n", "@p2"),
	              "WAW r20 ldg -> movi")},
	    {OBJECTED("the first made anew", THEN("isetp.ge p2, r21, #4 {delay 4}\nisetp.lo p1, r0, #40 {p4.w}\n@!pt bra START {w000100}\n", "@p2"),
	              "WAW r20 ldg -> movi")},
	    {OBJECTED("the first made anew before P",
	              FIRST "isetp.ge p2, r21, #4 {p4.w}\n@!pt bra START {w000100}\nisetp.lo p1, r0, #40 {p4.w}\n@!pt bra START {w000100}\n" LOAD
	                    "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi")},
	    {PROVEN("made behind P", FIRST LOAD "isetp.ge p2, r21, #4 {delay 4}\n@p2 movi r20, 7 {p5.w}\n" STORE_BOTH)},
	    {OBJECTED("the guard of P made anew behind P",
	              FIRST "movi r20, 3 {p5.w delay 4}\n@p1 ldg.32 r20, [r4:r5+512] {w000010 p2.r}\n"
	                    "isetp.ge p1, r21, #4 {w010000 delay 4}\nisetp.lt p2, r21, #4 {p4.w delay 4}\n@p2 movi r20, 7 {p5.w}\n"
	                    "ldg.32 r22, [r4:r5+1024] {p6.w}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi; RAW r20 ldg -> stg")},
	    {OBJECTED(
	        "a call in between",
	        "and r21, r0, #5 {p4.w delay 4}\nisetp.lt p1, r21, #4 {p4.w delay 4}\nisetp.ge p2, r21, #4 {p4.w delay 4}\ncall F {w000100}\n" LOAD
	        "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH "FUNCTION:\nF: isetp.lo p2, r0, #40 {p4.w delay 4}\nret {w000100}\n",
	        "WAW r20 ldg -> movi")},
	    {PROVEN("on both ways", FIRST "@p3 bra K\nisetp.ge p2, r21, #4 {p4.w delay 4}\nbra L\nK: isetp.ge p2, r21, #4 {p4.w delay 4}\nL: " LOAD
	                                  "@p2 movi r20, 7 {p5.w w000100}\n" STORE_BOTH)},
	    {OBJECTED("on one way",
	              FIRST "@p3 bra K\nisetp.ge p2, r21, #4 {p4.w delay 4}\nbra L\nK: isetp.ge p2, r21, #1 {p4.w delay 4}\nL: " LOAD
	                    "@p2 movi r20, 7 {p5.w w000100}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi")},
	    {OBJECTED("on the other way",
	              FIRST "@p3 bra K\nisetp.ge p2, r21, #1 {p4.w delay 4}\nbra L\nK: isetp.ge p2, r21, #4 {p4.w delay 4}\nL: " LOAD
	                    "@p2 movi r20, 7 {p5.w w000100}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi")},
	    {PROVEN("the first on both ways",
	            "and r21, r0, #5 {p4.w delay 4}\nisetp.lo p3, r0, #40 {p4.w delay 4}\n@p3 bra K {w000100}\nisetp.lt p1, r21, #4 {p4.w delay 4}\n"
	            "bra L\nK: isetp.lt p1, r21, #4 {p4.w delay 4}\nL: isetp.ge p2, r21, #4 {p4.w delay 4}\n@!pt bra START {w000100}\n" LOAD
	            "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH)},
	    {OBJECTED(
	        "the first on one way",
	        "and r21, r0, #5 {p4.w delay 4}\nisetp.lo p3, r0, #40 {p4.w delay 4}\n@p3 bra K {w000100}\nisetp.lt p1, r21, #4 {p4.w delay 4}\n"
	        "bra L\nK: isetp.le p1, r21, #4 {p4.w delay 4}\nL: isetp.ge p2, r21, #4 {p4.w delay 4}\n@!pt bra START {w000100}\n" LOAD
	        "@p2 movi r20, 7 {p5.w}\n" STORE_BOTH,
	        "WAW r20 ldg -> movi")},
	    {OBJECTED(
	        "lost in a loop, when the operands are gone",
	        FIRST
	        "movi r24, 2 {p4.w}\nisetp.ge p2, r21, #4 {p4.w delay 4}\nmovi r21, 0 {p4.w}\n@!pt bra START {w000100}\nM: bra Q\nQ: " LOAD
	        "@p2 movi r20, 7 {p5.w}\nstg.32 [r2:r3], r20 {w000011 p3.r}\niadd r24, r24, #-1 {delay 4}\nisetp.ne p4, r24, rz {p4.w delay 4}\n"
	        "isetp.lo p2, r0, #40 {w001001 p4.w delay 4}\n@p4 bra M {w000100}\nexit\n",
	        "WAW r20 ldg -> movi")},
	    {OBJECTED("on the way of an indirect branch",
	              FIRST "movi r24, 20 {p4.w}\nisetp.lo p2, r0, #40 {p4.w}\n@p3 brx r24 {w000100}\nisetp.ge p2, r21, #4 {p4.w delay 4}\nnop\n" LOAD
	                    "@p2 movi r20, 7 {p5.w w000100}\n" STORE_BOTH,
	              "WAW r20 ldg -> movi"),
	     .targets = {20}},
	    {OBJECTED("lost in a loop",
	              FIRST
	              "movi r24, 2 {p4.w delay 4}\nisetp.ge p2, r21, #4 {p4.w delay 4}\n@!pt bra START {w000100}\nM: " LOAD
	              "@p2 movi r20, 7 {p5.w}\nstg.32 [r2:r3], r20 {w000011}\niadd r24, r24, #-1 {delay 4}\nisetp.ne p4, r24, rz {p4.w delay 4}\n"
	              "isetp.lo p2, r0, #40 {w000001 p4.w}\n@p4 bra M {w000100}\nexit\n",
	              "WAR r20 stg -> movi; WAW r20 ldg -> movi")},
	};
	programs_expect(list, HD_COUNT(list));
}

/* X2: the table of outcomes is what the operations do, NaN and the sign included. */
TEST(comparisons_exclude_what_no_value_satisfies)
{
	static const struct {
		hd_op op;
		uint64_t value[6];
	} kinds[] = {
	    {HD_OP_ISETP, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 5}},
	    {HD_OP_ISETP64, {0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, 5}},
	    {HD_OP_FSETP, {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000}},
	    {HD_OP_DSETP,
	     {0, UINT64_C(1) << 63, UINT64_C(0x3ff0000000000000), UINT64_C(0xbff0000000000000), UINT64_C(0x7ff0000000000000),
	      UINT64_C(0x7ff8000000000000)}},
	};
	static hd_vec32 a[2], b[2];
	for (size_t k = 0; k < HD_COUNT(kinds); k++) {
		bool is_float = kinds[k].op == HD_OP_FSETP || kinds[k].op == HD_OP_DSETP;
		uint64_t holds[HD_CMP_COUNT] = {0};
		for (unsigned cmp = 0; cmp < HD_CMP_COUNT; cmp++) {
			const hd_inst inst = {.op = (uint8_t)kinds[k].op, .guard = HD_PT, .d = 1, .a = 2, .b = 4, .c = HD_RZ, .sub = (uint8_t)cmp};
			for (unsigned half = 0; half < 2; half++) {
				hd_sem_out out;
				for (unsigned lane = 0; lane < HD_LANES; lane++) {
					unsigned n = half * HD_LANES + lane;
					uint64_t x = kinds[k].value[n % 6], y = kinds[k].value[n / 6 % 6];
					a[0].v[lane] = (uint32_t)x, a[1].v[lane] = (uint32_t)(x >> 32);
					b[0].v[lane] = (uint32_t)y, b[1].v[lane] = (uint32_t)(y >> 32);
				}
				if (is_float ? cmp >= HD_CMP_LO && cmp <= HD_CMP_HS : cmp > HD_CMP_HS)
					continue;
				hd_sem_find (&inst)(&inst, &(hd_sem_in){.a = a, .b = b, .c = a, .mask = ~0u}, &out);
				holds[cmp] |= (uint64_t)out.p << 32 * half;
			}
		}
		for (unsigned n = 0; n < HD_CMP_COUNT * HD_CMP_COUNT * 4; n++) {
			unsigned first = n / 4 % HD_CMP_COUNT, second = n / 4 / HD_CMP_COUNT;
			if (!holds[first] || !holds[second])
				continue;
			hd_inst insts[3] = {[1] = {.op = (uint8_t)kinds[k].op, .guard = HD_PT, .d = 1, .a = 2, .b = 4, .sub = (uint8_t)first},
			                    [2] = {.op = (uint8_t)kinds[k].op, .guard = HD_PT, .d = 5, .a = 2, .b = 4, .sub = (uint8_t)second}};
			const hd_code_graph graph = {.insts = insts, .words = 3};
			const hd_inst x = {.guard = 1, .guard_neg = n & 1}, y = {.guard = 5, .guard_neg = n >> 1 & 1};
			hd_guards guards = {.reached = true};
			hd_guards_step(&guards, &graph, 1);
			hd_guards_step(&guards, &graph, 2);
			uint64_t of_x = x.guard_neg ? ~holds[first] : holds[first], of_y = y.guard_neg ? ~holds[second] : holds[second];
			assert_int_equal(hd_guards_exclude(&guards, &x, &y), (of_x & of_y) == 0);
			assert_int_equal(hd_guards_exclude(&guards, &y, &x), (of_x & of_y) == 0);
		}
	}
}

/* J10: nobody waits for a reader of other lanes before its register is written for the rest; a last use then drops what that reader still wants. */
TEST(a_last_use_waits_for_readers_of_other_lanes)
{
/* The store reads r23 late; the last use comes while the addition for the lanes of p1 is on a forwarding path. */
#define OF_TWO(guard)                                                                   \
	CONDITION "ldg.32 r22, [r4:r5+512] {p2.w}\n@p1 iadd r23, r0, #1 {p3.w}\n" guard \
	          " stg.32 [r2:r3+512], r23 {w011000 p1.r}\n@!p1 iadd r23, r0, #2 {delay 4}\n"
#define OTHERS "ldg.32 r22, [r4:r5+1024] {p5.w}\n" STORE_BOTH
	static const program list[] = {
	    {PROVEN("no last use", OF_TWO("@p1") "iadd r20, r23, #3 {p6.w}\n" OTHERS)},
	    {OBJECTED("a last use before the store reads", OF_TWO("@p1") "iadd r20, r23.lu, #3 {p6.w}\n" OTHERS, "last use r23 stg -> iadd")},
	    {PROVEN("before the store reads, on a machine without last-use flags", OF_TWO("@p1") "iadd r20, r23.lu, #3 {p6.w}\n" OTHERS),
	     .settings = "last_use.flags=false"},
	    {PROVEN("a last use that waits for the store", OF_TWO("@p1") "iadd r20, r23.lu, #3 {p6.w w100000}\n" OTHERS)},
	    {OBJECTED("a store for all lanes", OF_TWO("") "iadd r20, r23.lu, #3 {p6.w}\n" OTHERS, "WAR r23 stg -> iadd")},
	    {PROVEN("a last use of the other lanes alone",
	            CONDITION "movi r20, 3 {p5.w}\nldg.32 r22, [r4:r5+512] {p2.w w000010}\n@p1 iadd r23, r0, #1 {p3.w}\n"
	                      "@p1 stg.32 [r2:r3+512], r23 {w011000}\n@!p1 iadd r23, r0, #2 {delay 4}\n"
	                      "@!p1 iadd r20, r23.lu, #3 {p6.w}\n" OTHERS)},
	    {PROVEN("a reader of the pipe of the last use",
	            CONDITION "@p1 iadd r23, r0, #1 {delay 4}\n@p1 iadd r20, r23, #1 {p5.w}\n@!p1 iadd r23, r0, #2 {delay 4}\n"
	                      "@!p1 movi r20, 9 {p5.w}\niadd r24, r23.lu, #3 {p6.w}\n" STORE_BOTH)},
	};
	programs_expect(list, HD_COUNT(list));
}
