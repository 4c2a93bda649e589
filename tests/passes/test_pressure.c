/* Register pressure while a block is scheduled. */
#include "../ir_builder.h"
#include "passes/schedule/pressure.h"

/* %0 and the pair %4 are live into b0, %2 and a predicate out of it; %1 lives in it. */
static const char program[] =
    ".function \"f\"\n.vregs 1 1 1 0 2 0\n.params %0, %4:2\n.results %2\n"
    "b0:\n	iadd %1 = %0, 0x1\n	isetp{cmp=eq} %p3 = %1, 0x1\n	iadd %2 = %1, %4.1\n	@%p3 movi %2 = 0x1\n	.branch %p5 b1 b1\n"
    "b1:\n	.branch %p5 b2 b2\nb2:\n	.ret\n";

static const hd_ir_inst *inst(const ir_builder *b, size_t k) { return ir_block(b, 0)->insts.at[k]; }

/* A whole block begins. */
static void start(hd_pressure *p, uint32_t block)
{
	hd_bits behind = hd_live_set(&p->liveness);
	hd_live_out(&p->liveness, block, &behind);
	hd_pressure_start(p, &p->f->blocks.at[block]->insts, &behind);
	hd_bits_free(&behind);
}

TEST(words_are_counted)
{
	ir_builder b = ir_read(program);
	hd_pressure p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(p.live, 2); /* %0 and the upper word of %4 */
	hd_pressure_advance(&p, inst(&b, 0));
	assert_int_equal(p.live, 2); /* %1 for %0 */
	hd_pressure_advance(&p, inst(&b, 1));
	assert_int_equal(p.live, 2); /* predicates do not count */
	hd_pressure_advance(&p, inst(&b, 2));
	assert_int_equal(p.live, 1); /* %2 for the rest */
	hd_pressure_advance(&p, inst(&b, 3));
	assert_int_equal(p.live, 1);
	hd_pressure_free(&p);
	ir_free(&b);
}

TEST(growth_is_known_before)
{
	ir_builder b = ir_read(program);
	hd_pressure p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(hd_pressure_growth(&p, inst(&b, 0)), 0);
	assert_int_equal(hd_pressure_growth(&p, inst(&b, 2)), 0); /* %1 is not live yet: one more, one less */
	hd_pressure_advance(&p, inst(&b, 0));
	assert_int_equal(hd_pressure_growth(&p, inst(&b, 2)), 0); /* %1 has another reader */
	hd_pressure_advance(&p, inst(&b, 1));
	assert_int_equal(hd_pressure_growth(&p, inst(&b, 2)), -1);
	assert_int_equal(p.live, 2); /* asking changes nothing */
	hd_pressure_free(&p);
	ir_free(&b);
}

/* A register that is live behind the block stays live after its last read, and counts although the block does not read it. */
TEST(live_out)
{
	ir_builder b = ir_read(
	    ".function \"f\"\n.vregs 1 1 4\n.params %0, %1, %2:4\n.results %1, %2:4\nb0:\n	sts{sub=4} %0, %1\n	.jump b1\nb1:\n	.ret\n");
	hd_pressure p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(p.live, 6);
	assert_int_equal(hd_pressure_growth(&p, inst(&b, 0)), -1);
	hd_pressure_advance(&p, inst(&b, 0));
	assert_int_equal(p.live, 5);
	start(&p, 1); /* results are read by the terminator, not in the block */
	assert_int_equal(p.live, 0);
	hd_pressure_free(&p);
	ir_free(&b);
}

/* The last read of a predicate frees no register. */
TEST(predicates)
{
	ir_builder b =
	    ir_read(".function \"f\"\n.vregs 1 1 0\n.params %0\n.results %1\nb0:\n	sel %1 = %0, %0, %p2\n	sel %1 = %0, %1, %p2\n	.ret\n");
	hd_pressure p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(p.live, 1);
	hd_pressure_advance(&p, inst(&b, 0));
	assert_int_equal(p.live, 2);
	hd_pressure_advance(&p, inst(&b, 1));
	assert_int_equal(p.live, 0); /* both were read; the result is read by the terminator */
	hd_pressure_free(&p);
	ir_free(&b);
}

/* A definition under a guard needs the old value. */
TEST(guards)
{
	ir_builder b = ir_read(".function \"f\"\n.vregs 1 0\n.params %0\nb0:\n	@%p1 movi %0 = 0x1\n	sts{sub=4} %0, %0\n	.ret\n");
	hd_pressure p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(p.live, 1);
	hd_pressure_free(&p);
	ir_free(&b);
	b = ir_read(".function \"f\"\n.vregs 1 0\n.params %0\nb0:\n	movi %0 = 0x1\n	sts{sub=4} %0, %0\n	.ret\n");
	p = hd_pressure_new(b.f);
	start(&p, 0);
	assert_int_equal(p.live, 0);
	hd_pressure_free(&p);
	ir_free(&b);
}
