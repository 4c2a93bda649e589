/* Rewriting: loads before uses, stores behind definitions, of registers that live for one instruction. */
#include "allocation_rig.h"
#include "passes/allocate/spill.h"
#include "passes/allocate/spill_costs.h"

/* Spills the registers whose digits are given; new ones are %8 and up. */
static void expect(const char *body, const char *spilled, const char *expected)
{
	rig x;
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.vregs 1 1 2 4 0 0 1 1\n.frame 4 4\nb0:\n%s", body);
	hd_text_printf(&out, "b0:\n%s", expected);
	rig_start(&x, in.at, 32);
	hd_find_spill_costs(&x.a);
	for (; *spilled; spilled++)
		x.a.info.at[*spilled - '0'].spilled = true;
	hd_rewrite_spills(&x.a);
	ir_expect(&x.b, out.at);
	for (size_t v = 0; v < x.a.info.n; v++)
		assert_false(x.a.info.at[v].spilled);
	rig_stop(&x);
	hd_text_free(&in);
	hd_text_free(&out);
}

TEST(uses_load_and_definitions_store)
{
	expect("iadd %0 = %1, %6\niadd %7 = %0, %1\n.exit\n", "0",
	       "iadd %8 = %1, %6\nstl{sub=4 offset=4} frame[0x0], %8\nldl{sub=4 offset=4} %9 = frame[0x0]\niadd %7 = %9, %1\n.exit\n");
	/* A pair and a quad are aligned in the frame; a part is loaded alone. */
	expect("iadd64 %2:2 = %2:2, 0x1:2\niadd %0 = %3.2, %2.1\n.exit\n", "23",
	       "ldl{sub=5 offset=8} %8:2 = frame[0x0]\niadd64 %9:2 = %8:2, 0x1:2\nstl{sub=5 offset=8} frame[0x0], %9:2\n"
	       "ldl{sub=4 offset=24} %10 = frame[0x0]\nldl{sub=4 offset=12} %11 = frame[0x0]\niadd %0 = %10, %11\n.exit\n");
}

/* A slot is as large as its register. */
TEST(slots_do_not_overlap)
{
	expect("iadd64 %2:2 = %2:2, 0x1:2\niadd %6 = %6, %1\n.exit\n", "26",
	       "ldl{sub=5 offset=8} %8:2 = frame[0x0]\niadd64 %9:2 = %8:2, 0x1:2\nstl{sub=5 offset=8} frame[0x0], %9:2\n"
	       "ldl{sub=4 offset=16} %10 = frame[0x0]\niadd %11 = %10, %1\nstl{sub=4 offset=16} frame[0x0], %11\n.exit\n");
}

TEST(equal_operands_are_loaded_once)
{
	/* Two words of one register are not equal. */
	expect("iadd %7 = %3.1, %3.2\n.exit\n", "3",
	       "ldl{sub=4 offset=20} %8 = frame[0x0]\nldl{sub=4 offset=24} %9 = frame[0x0]\niadd %7 = %8, %9\n.exit\n");
	expect("imad %7 = %0, %0, %1\n.exit\n", "0", "ldl{sub=4 offset=4} %8 = frame[0x0]\nimad %7 = %8, %8, %1\n.exit\n");
}

TEST(copies_become_loads_and_stores)
{
	expect("mov %0 = %1\nmov %7 = %0\n@%p4 mov %0 = %1\n.exit\n", "0",
	       "stl{sub=4 offset=4} frame[0x0], %1\nldl{sub=4 offset=4} %7 = frame[0x0]\n@%p4 stl{sub=4 offset=4} frame[0x0], %1\n.exit\n");
	expect("mov %0 = %1\n.exit\n", "01", "ldl{sub=4 offset=8} %8 = frame[0x0]\nmov %9 = %8\nstl{sub=4 offset=4} frame[0x0], %9\n.exit\n");
}

/* Under the guard of the definition. If that is overwritten by it, under a copy. */
TEST(stores_are_guarded)
{
	expect("@!%p4 iadd %0 = %1, %6\n.exit\n", "0", "@!%p4 iadd %8 = %1, %6\n@!%p4 stl{sub=4 offset=4} frame[0x0], %8\n.exit\n");
	expect("@%p4 iaddc %0, %p4 = %1, %6, _\n.exit\n", "0",
	       "plop{sub=240} %p8 = %p4, _, _\n@%p4 iaddc %9, %p4 = %1, %6, _\n@%p8 stl{sub=4 offset=4} frame[0x0], %9\n.exit\n");
}

TEST(constants_are_computed_again)
{
	expect("movi %0 = 0x7\nmov64 %2:2 = c[0x40]:2\niadd %7 = %0, %1\n@%p4 mov %7 = %0\nstg{sub=4} %2:2, %0\n.exit\n", "02",
	       "movi %8 = 0x7\niadd %7 = %8, %1\n@%p4 movi %7 = 0x7\nmov64 %9:2 = c[0x40]:2\nmovi %10 = 0x7\nstg{sub=4} %9:2, %10\n.exit\n");
}

/* A predicate lives in a register, which may be spilled later: %8. The condition of a branch is reloaded, too. %11 is the zero register. */
TEST(predicates_move_to_registers)
{
	expect("isetp{cmp=eq} %p4 = %0, %1\n@!%p4 mov %7 = %0\n.branch %p4 b0 b1\nb1:\n.exit\n", "4",
	       "isetp{cmp=eq} %p9 = %0, %1\nmovi %10 = 0x1\nsel %8 = %10, %11, %p9\nisetp{cmp=ne} %p12 = %8, 0x0\n@!%p12 mov %7 = %0\n"
	       "isetp{cmp=ne} %p13 = %8, 0x0\n.branch %p13 b0 b1\nb1:\n.exit\n");
}

/* Beyond what an offset reaches. */
TEST(far_slots)
{
	for (unsigned stack = 0; stack < 2; stack++) {
		rig x;
		rig_start(&x, ".kernel \"k\"\n.vregs 1 1\n.frame 8192 4\nb0:\nsts{sub=4} %0, %1\n.exit\n", 32);
		x.a.stack = stack;
		x.a.info.at[0].spilled = true;
		hd_rewrite_spills(&x.a);
		ir_expect(&x.b, stack ? "b0:\nmovi %3 = 0x2000\niadd %3 = %4, %3\nldl{sub=4} %2 = %3\nsts{sub=4} %2, %1\n.exit\n"
		                      : "b0:\nmovi %3 = frame[0x2000]\nldl{sub=4} %2 = %3\nsts{sub=4} %2, %1\n.exit\n");
		assert_int_equal(x.b.f->frame_bytes, 8196);
		rig_stop(&x);
	}
}
