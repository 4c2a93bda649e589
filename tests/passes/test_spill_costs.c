/* The cost of spilling a register, and which registers can be computed again instead. */
#include "allocation_rig.h"
#include "passes/allocate/spill_costs.h"

/* Uses and definitions, 8 times for each level of loops: guards, conditions, sources, destinations. */
TEST(weights)
{
	static const uint32_t expected[] = {1 + 8 + 64, 8 * 2, 8 + 64, 64 + 8};
	rig x;
	rig_start(&x,
	          ".kernel \"k\"\n.vregs 1 1 0 0\nb0:\nmovi %0 = 0x1\n.jump b1\nb1:\nmov %1 = %0\nsts{sub=4} %1, 0x0\n.jump b2\n"
	          "b2:\n@%p2 sts{sub=4} %0, 0x0\n.branch %p3 b2 b3\nb3:\n@%p3 nop\n.branch %p2 b1 b4\nb4:\n.exit\n",
	          32);
	x.a.info.at[0].weight = 99; /* from a round before */
	hd_find_spill_costs(&x.a);
	for (unsigned v = 0; v < 4; v++)
		assert_int_equal(x.a.info.at[v].weight, expected[v]);
	rig_stop(&x);
}

TEST(constants_are_computed_again)
{
	static const bool expected[] = {
	    true,  /* a constant */
	    true,  /* a bank word */
	    true,  /* a pair of bank words */
	    false, /* two definitions */
	    false, /* under a guard */
	    false, /* a copy of a register */
	    false, /* half of it is read */
	    false, /* half of it is defined */
	};
	rig x;
	rig_start(
	    &x,
	    ".kernel \"k\"\n.vregs 1 1 2 1 1 1 2 2 0\nb0:\nmovi %0 = 0x1\nmov %1 = c[0x40]\nmov64 %2:2 = c[0x48]:2\nmovi %3 = 0x1\nmovi %3 = 0x1\n"
	    "@%p8 movi %4 = 0x1\nmov %5 = %0\nmov64 %6:2 = c[0x48]:2\nsts{sub=4} %6, %0\nmovi %7 = 0x1\nstg{sub=4} %2:2, %0\n.exit\n",
	    32);
	x.a.info.at[5].rematerialise_from = ir_block(&x.b, 0)->insts.at[0]; /* from a round before */
	hd_find_spill_costs(&x.a);
	for (unsigned v = 0; v < HD_COUNT(expected); v++)
		assert_int_equal(x.a.info.at[v].rematerialise_from != NULL, expected[v]);
	assert_ptr_equal(x.a.info.at[1].rematerialise_from, ir_block(&x.b, 0)->insts.at[1]);
	rig_stop(&x);
}
