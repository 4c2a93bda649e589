/* The calling convention (docs/compiler.md). New virtual registers are shown by number; `fixed` checks what stands for which. */
#include "allocation_rig.h"
#include "passes/allocate/calls.h"

/* Lowers function `number` of the text. */
static void lower(rig *x, const char *text, unsigned number, bool stack)
{
	rig_start(x, text, 64);
	x->b.f = x->a.f = x->b.m->functions.at[number];
	x->a.info.n = 0;
	x->a.stack = stack;
	hd_lower_calls(&x->a);
}

static void fixed(const rig *x, uint32_t v, uint16_t expected) { assert_int_equal(x->a.info.at[v].fixed, expected); }

/* Registers 0 to 2 of the caller are %0, %1:2 and the result %2. */
static const char two[] = ".kernel \"k\"\n.vregs 1 2 1\nb0:\ncall.f{to=2} %2 = %0, %1:2\n.exit\n"
                          ".function \"f\"\n.vregs 1 2 1\n.params %0, %1:2\n.results %2\nb0:\nmov %2 = %0\n.ret\n";

TEST(arguments_and_results_in_registers)
{
	rig x;
	lower(&x, two, 0, false);
	/* %0 is never defined: it is passed as zero. */
	ir_expect(&x.b, "b0:\nmovi %3 = 0x0\nmovi %4 = 0x0\nmovi %4.1 = 0x0\ncall{to=2} %5 = %3, %4:2\nmov %2 = %5\n.exit\n");
	fixed(&x, 3, 4);
	fixed(&x, 4, 6); /* a pair is even */
	fixed(&x, 5, 4);
	rig_stop(&x);

	lower(&x, two, 1, false);
	ir_expect(&x.b, "b0:\nmov %0 = %4\nmov64 %1:2 = %5:2\nmov %2 = %0\nmov %3 = %2\n.ret\n");
	fixed(&x, 3, 4);
	fixed(&x, 4, 4);
	fixed(&x, 5, 6);
	assert_int_equal(x.b.f->results.at[0].reg, 3);
	rig_stop(&x);
}

/* 33 words do not fit r4 to r35. */
#define QUADS "%0:4, %0:4, %0:4, %0:4, %0:4, %0:4, %0:4, %0:4"
static const char many[] = ".kernel \"k\"\n.vregs 4 1\nb0:\nmov %1 = %0\nmovi %0 = 0x1\ncall.f{to=2} " QUADS ", %1 = " QUADS ", %1\n.exit\n"
                           ".function \"f\"\n.vregs 4 4 4 4 4 4 4 4 1\n.params %0:4, %1:4, %2:4, %3:4, %4:4, %5:4, %6:4, %7:4, %8\n"
                           ".results %0:4, %1:4, %2:4, %3:4, %4:4, %5:4, %6:4, %7:4, %8\n.frame 12 4\nb0:\nldl{sub=4} %8 = frame[0x4]\n.ret\n";

static unsigned count(const rig *x, unsigned op)
{
	unsigned n = 0;
	for (size_t k = 0; k < ir_block(&x->b, 0)->insts.n; k++)
		n += ir_block(&x->b, 0)->insts.at[k]->op == op;
	return n;
}

TEST(the_rest_is_in_the_frame_of_the_callee)
{
	rig x;
	lower(&x, many, 0, false);
	assert_int_equal(count(&x, HD_OP_STL), 1);
	assert_int_equal(count(&x, HD_OP_LDL), 1);
	const hd_ir_inst *address = ir_block(&x.b, 0)->insts.at[2], *store = ir_block(&x.b, 0)->insts.at[3];
	assert_int_equal(address->op, HD_OP_MOVI);
	assert_int_equal(address->s[0].kind, HD_OPD_FRAME);
	assert_int_equal(address->s[0].reg, HD_CALLEE_FRAME + 1);
	assert_int_equal(store->s[0].reg, address->d[0].reg);
	assert_int_equal(store->s[1].reg, 1);
	rig_stop(&x);

	lower(&x, many, 1, false);
	assert_int_equal(count(&x, HD_OP_LDL), 2);
	for (size_t k = 0; k < ir_block(&x.b, 0)->insts.n; k++) {
		const hd_ir_inst *load = ir_block(&x.b, 0)->insts.at[k];
		if (load->op == HD_OP_LDL)
			assert_true(load->offset == 0 || load->offset == 16 + 4);
	}
	assert_int_equal(count(&x, HD_OP_STL), 1);
	assert_int_equal(x.b.f->results.n, 8);
	assert_int_equal(x.b.f->frame_bytes, 12 + 16); /* the arguments lie before it */
	rig_stop(&x);
}

/* Arguments in memory do not overlap; a quad has four words. */
TEST(arguments_in_memory_and_quads)
{
	static const char text[] = ".kernel \"k\"\n.vregs 4 2 1\nb0:\nmov64 %0:2 = 0x1:2\nmov64 %0.2:2 = 0x1:2\nmov64 %1:2 = 0x1:2\nmovi %2 = 0x1\n"
	                           "call.f{to=2} " QUADS ", %1:2, %2\n.exit\n"
	                           ".function \"f\"\n.vregs 4 4 4 4 4 4 4 4 2 1\n"
	                           ".params %0:4, %1:4, %2:4, %3:4, %4:4, %5:4, %6:4, %7:4, %8:2, %9\nb0:\n.ret\n";
	rig x;
	lower(&x, text, 0, false);
	assert_int_equal(count(&x, HD_OP_STL), 2);
	assert_int_equal(count(&x, HD_OP_MOV64), 3 + 8 * 2);
	for (size_t k = 0, n = 0; k < ir_block(&x.b, 0)->insts.n; k++)
		if (ir_block(&x.b, 0)->insts.at[k]->op == HD_OP_STL)
			assert_int_equal(ir_block(&x.b, 0)->insts.at[k]->offset, n++ ? 8 : 0);
	rig_stop(&x);
}

TEST(with_a_stack_the_pointer_moves)
{
	static const char text[] = ".kernel \"k\"\n.vregs 1\nb0:\nmovi %0 = f1\ncall.f %0\n.exit\n.function \"f\"\n.address_taken\nb0:\n.ret\n";
	rig x;
	lower(&x, text, 0, true);
	/* %1 is the stack pointer, %2 the address in a register of its own. */
	ir_expect(&x.b, "b0:\nmovi %1 = 0x0\nmovi %0 = f1\nmov %2 = %0\niadd %1 = %1, frame[0x0]\ncallx %2\nisub %1 = %1, frame[0x0]\n.exit\n");
	fixed(&x, 1, HD_STACK_POINTER);
	rig_stop(&x);
}

TEST(frame_addresses)
{
	static const char text[] =
	    ".kernel \"k\"\n.vregs 1 1\n.frame 40000 16\nb0:\nldl{sub=4 offset=4} %0 = frame[0x10]\nldl{sub=4} %0 = frame[0x9000]\n"
	    "mov %1 = frame[0x8]\nsts{sub=4} %1, %0\n.exit\n";
	rig x;
	lower(&x, text, 0, false);
	ir_expect(&x.b,
	          "b0:\nldl{sub=4 offset=20} %0 = frame[0x0]\nmovi %2 = frame[0x9000]\nldl{sub=4} %0 = %2\nmovi{to=1} %1 = frame[0x8]\nsts{sub=4} "
	          "%1, %0\n.exit\n");
	rig_stop(&x);
	lower(&x, text, 0, true);
	ir_expect(&x.b, "b0:\nmovi %2 = 0x0\nldl{sub=4 offset=20} %0 = frame[0x0]\nmovi %4 = 0x9000\niadd %3 = %2, %4\nldl{sub=4} %0 = "
	                "%3\niadd{to=1} %1 = %2, 0x8\n"
	                "sts{sub=4} %1, %0\n.exit\n");
	rig_stop(&x);
}
