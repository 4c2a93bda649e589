/* The savings of issuing an instruction now, while its operands are on the forwarding paths (LU-3). */
#include "../ir_builder.h"
#include "passes/schedule/forwarding.h"

typedef struct fixture {
	ir_builder b;
	hd_machine m;
	hd_forwarding *f;
} fixture;

static fixture start(void)
{
	fixture x = {.b = ir_new_allocated(1)};
	hd_machine_default(&x.m);
	return x;
}

static void put(fixture *x, unsigned op, hd_opd d, hd_opd a, hd_opd b) { ir_put(&x->b, op, d, a, b); }
static void analyse(fixture *x) { x->f = hd_forwarding_new(&x->m, ir_block(&x->b, 0)); }

static void stop(fixture *x)
{
	hd_forwarding_free(x->f);
	ir_free(&x->b);
}

/* Two for the only reader, one for one of two; nothing before the producer has issued, or when the value has left the paths. */
TEST(the_only_reader_gains_twice)
{
	fixture x = start();
	put(&x, HD_OP_IADD, r(1), r(10), r(11)); /* 0 */
	put(&x, HD_OP_IADD, r(2), r(10), r(11)); /* 1 */
	put(&x, HD_OP_IADD, r(3), r(1), r(2));   /* 2: the only reader of r1, one of two of r2 */
	put(&x, HD_OP_IADD, r(4), r(2), r(10));  /* 3 */
	analyse(&x);
	assert_int_equal(hd_forwarding_gain(x.f, 2, 0), 0);
	hd_forwarding_issue(x.f, 0, 0);
	assert_int_equal(hd_forwarding_gain(x.f, 2, 4), 2);
	hd_forwarding_issue(x.f, 1, 1);
	assert_int_equal(hd_forwarding_gain(x.f, 2, 5), 3);
	assert_int_equal(hd_forwarding_gain(x.f, 3, 5), 1);
	hd_forwarding_issue(x.f, 2, 5);
	assert_int_equal(hd_forwarding_gain(x.f, 3, 6), 2); /* the other reader has issued */
	uint32_t reach = x.m.last_use_path_b + x.m.last_use_path_a + x.m.last_use_compensation;
	uint32_t until = 1 + x.m.latency[HD_CLASS_ALU].latency + reach;
	assert_int_equal(hd_forwarding_gain(x.f, 3, until - 1), 2);
	assert_int_equal(hd_forwarding_gain(x.f, 3, until), 0);
	stop(&x);
}

/* A pair counts twice. It must be one value, and the operand all of it. */
TEST(values_are_whole)
{
	fixture x = start();
	put(&x, HD_OP_IADD64, rr(2), rr(10), rr(12)); /* 0 */
	put(&x, HD_OP_IADD64, rr(4), rr(2), rr(10));  /* 1: all of it */
	put(&x, HD_OP_IADD, r(6), r(2), r(10));       /* 2: half of it */
	put(&x, HD_OP_IADD, r(3), r(10), r(10));      /* 3 */
	put(&x, HD_OP_IADD64, rr(8), rr(2), rr(10));  /* 4: halves of two */
	analyse(&x);
	hd_forwarding_issue(x.f, 0, 0);
	hd_forwarding_issue(x.f, 3, 0);
	assert_int_equal(hd_forwarding_gain(x.f, 1, 1), 4); /* 2 is no reader of the value as a whole */
	assert_int_equal(hd_forwarding_gain(x.f, 2, 1), 0);
	assert_int_equal(hd_forwarding_gain(x.f, 4, 1), 0);
	stop(&x);
}

/* Without last_use.across a pipe of fixed latency forwards to itself alone; the flow unit never takes part. */
TEST(pipes_forward_to_pipes)
{
	for (unsigned across = 0; across < 2; across++) {
		fixture x = start();
		x.m.last_use_across = across;
		put(&x, HD_OP_IADD, r(1), r(10), r(11));   /* 0 */
		put(&x, HD_OP_FRCP, r(2), r(1), none);     /* 1 */
		put(&x, HD_OP_IADD, r(3), r(1), r(HD_RZ)); /* 2 */
		put(&x, HD_OP_LDG, r(4), rr(12), none);    /* 3 */
		put(&x, HD_OP_STG, none, rr(12), r(4));    /* 4 */
		put(&x, HD_OP_IADD, r(5), r(10), r(11));   /* 5 */
		put(&x, HD_OP_CALLX, none, r(5), none);    /* 6 */
		analyse(&x);
		for (unsigned i = 0; i < 6; i++)
			hd_forwarding_issue(x.f, i, 0);
		assert_int_equal(hd_forwarding_gain(x.f, 1, 1) > 0, across);
		assert_true(hd_forwarding_gain(x.f, 2, 1) > 0);
		assert_int_equal(hd_forwarding_gain(x.f, 4, 1) > 0, across);
		assert_int_equal(hd_forwarding_gain(x.f, 6, 1), 0);
		stop(&x);
	}
}

TEST(it_has_its_switches)
{
	for (unsigned i = 0; i < 3; i++) {
		fixture x = start();
		put(&x, HD_OP_IADD, r(1), r(10), r(11));
		if (i == 0)
			x.m.last_use_schedule = false;
		if (i == 1)
			x.m.last_use_flags = false;
		if (i == 2)
			x.m.last_use_path_b = x.m.last_use_path_a = x.m.last_use_compensation = 0;
		analyse(&x);
		assert_null(x.f);
		stop(&x);
	}
}
