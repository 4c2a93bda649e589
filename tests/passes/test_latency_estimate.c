/* The estimate by which counters are chosen (HZ-24): issue, entry and release of each instruction. */
#include "../ir_builder.h"
#include "passes/analysis/latency_estimate.h"

typedef struct fixture {
	ir_builder b;
	hd_machine m;
	hd_hazards *h;
	hd_latency_estimate e;
} fixture;

static fixture start(unsigned blocks)
{
	fixture x = {.b = ir_new_allocated(blocks)};
	hd_machine_default(&x.m);
	x.m.multi_issue_window = 1;
	return x;
}

static void estimate(fixture *x)
{
	x->h = hd_hazards_find(x->b.f, &x->m);
	x->e = hd_latency_estimate_new(x->h, &x->m);
}

static void stop(fixture *x)
{
	hd_latency_estimate_free(&x->e);
	hd_hazards_free(x->h);
	ir_free(&x->b);
}

TEST(latencies_by_operation)
{
	fixture x = start(1);
	const hd_timing *l = x.m.latency;
	uint32_t lsu = l[HD_CLASS_LSU].latency;
	assert_int_equal(hd_expected_latency(&x.m, HD_OP_IADD), l[HD_CLASS_ALU].latency);
	assert_int_equal(hd_expected_latency(&x.m, HD_OP_LDG), lsu + x.m.memory_l1_latency + x.m.memory_l2_latency / 2);
	assert_int_equal(hd_expected_latency(&x.m, HD_OP_LDS), lsu + x.m.memory_shared_latency);
	assert_int_equal(hd_expected_latency(&x.m, HD_OP_LDC), lsu + x.m.memory_constant_latency);
	assert_true(hd_expected_latency(&x.m, HD_IR_CALLF) > 0);
	ir_free(&x.b);
}

/* One instruction a cycle; a consumer in another pipe waits in its queue, one in the producer's pipe, or behind a high-latency counter, does not
 * issue. */
TEST(who_waits_where)
{
	fixture x = start(1);
	x.m.fence_classify = HD_CLASSIFY_LATENCY;
	x.m.fence_threshold = 100; /* no fixed latency is high */
	uint32_t alu = x.m.latency[HD_CLASS_ALU].latency;
	ir_put(&x.b, HD_OP_IADD, r(1), r(2), r(3)); /* 0: issues at 0, enters at 1, writes at 1 + alu */
	ir_put(&x.b, HD_OP_FRCP, r(4), r(1), none); /* 1: issues at 1 */
	ir_put(&x.b, HD_OP_IADD, r(5), r(1), r(1)); /* 2: issues when it can enter */
	estimate(&x);
	assert_int_equal(x.e.issue[0], 0);
	assert_int_equal(x.e.entry[0], 1);
	assert_int_equal(x.e.issue[1], 1);
	assert_int_equal(x.e.entry[1], 1 + alu);
	assert_int_equal(x.e.issue[2], alu);
	assert_int_equal(x.e.entry[2], alu + 1);
	assert_int_equal(x.e.release[0], 1 + alu);
	assert_int_equal(x.e.length[0], alu + 1);
	stop(&x);

	x = start(1);
	x.m.fence_classify = HD_CLASSIFY_LATENCY;
	x.m.fence_threshold = 1; /* all latencies are high: the decoder waits */
	ir_put(&x.b, HD_OP_IADD, r(1), r(2), r(3));
	ir_put(&x.b, HD_OP_FRCP, r(4), r(1), none);
	estimate(&x);
	assert_int_equal(x.e.issue[1], alu);
	stop(&x);
}

/* A load's counter falls as expected, its consumer is reckoned with a hit; a primary of readers that overwrite is released at entry. */
TEST(loads_and_reads)
{
	fixture x = start(1);
	uint32_t hit = x.m.latency[HD_CLASS_LSU].latency + x.m.memory_l1_latency;
	ir_put(&x.b, HD_OP_LDG, r(1), rr(2), none);   /* 0 */
	ir_put(&x.b, HD_OP_STG, none, rr(6), r(8));   /* 1 */
	ir_put(&x.b, HD_OP_MOVI, r(8), imm(1), none); /* 2: WAR on 1 */
	ir_put(&x.b, HD_OP_IADD, r(4), r(1), r(1));   /* 3 */
	estimate(&x);
	assert_int_equal(x.e.release[0], 1 + hd_expected_latency(&x.m, HD_OP_LDG));
	assert_int_equal(x.e.release[1], x.e.entry[1]);
	assert_int_equal(x.e.entry[3], 1 + hit);
	stop(&x);
}

/* The counter that a barrier waits for: a store is done when other threads could load it, an atomic where they meet. */
TEST(releases_of_stores_and_atomics)
{
	fixture x = start(1);
	x.m.memory_shared_latency = 50;
	x.m.register_file_write_latency = 3;
	x.m.last_use_across = false;
	const uint32_t meeting = hd_machine_class_latency(&x.m, HD_CLASS_LSU) + x.m.memory_l2_latency + hd_machine_late(&x.m);
	const struct {
		hd_op op;
		hd_opd result, address;
		uint32_t release;
	} rows[] = {
	    {HD_OP_STG, none, rr(2), hd_expected_latency(&x.m, HD_OP_LDG)},
	    {HD_OP_STS, none, r(2), hd_expected_latency(&x.m, HD_OP_LDS)},
	    {HD_OP_ATOMG, r(6), rr(2), meeting},
	    {HD_OP_ATOM, r(6), rr(2), meeting},
	    {HD_OP_ATOMS, r(6), r(2), hd_expected_latency(&x.m, HD_OP_ATOMS)},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		ir_free(&x.b);
		x.b = ir_new_allocated(1);
		ir_put(&x.b, rows[i].op, rows[i].result, rows[i].address, r(4));
		ir_put(&x.b, HD_OP_BAR, none, r(HD_RZ), none);
		estimate(&x);
		assert_int_equal(x.e.release[0], 1 + rows[i].release);
		hd_latency_estimate_free(&x.e);
		hd_hazards_free(x.h);
	}
	ir_free(&x.b);
}

TEST(extra_waits)
{
	fixture x = start(2);
	ir_put(&x.b, HD_OP_LDG, r(1), rr(2), none); /* 0 */
	ir_put(&x.b, HD_OP_FRCP, r(5), r(6), none); /* 1 */
	ir_put(&x.b, HD_OP_IADD, r(4), r(5), r(5)); /* 2 */
	ir_put_bra(&x.b, 0, p(0));                  /* 3 */
	ir_branch(&x.b, 0, p(0), 0, 1);
	x.b.block = 1;
	ir_put(&x.b, HD_OP_IADD, r(7), r(1), r(5)); /* 4 */
	estimate(&x);
	uint32_t release = x.e.release[0];
	assert_int_equal(hd_extra_wait(&x.e, 0, 2), release - x.e.entry[2]);
	/* In the next block, or in the next iteration: as if that followed. */
	assert_int_equal(hd_extra_wait(&x.e, 0, 4), release - x.e.length[0] - x.e.entry[4]);
	assert_int_equal(hd_extra_wait(&x.e, 0, 0), release - x.e.length[0] - x.e.entry[0]);
	assert_int_equal(hd_extra_wait(&x.e, 1, 2), 0);
	stop(&x);
}

/* HZ-36: the counter falls when its status is published: in the mean, half a period later. */
TEST(a_release_is_published)
{
	static const struct {
		uint32_t period, later;
	} rows[] = {{1, 0}, {2, 0}, {3, 1}, {8, 3}, {64, 31}, {0, 1}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		fixture x = start(1);
		x.m.fence_status_period = rows[i].period;
		ir_put(&x.b, HD_OP_IADD, r(1), r(2), r(3));
		ir_put(&x.b, HD_OP_FRCP, r(4), r(1), none);
		estimate(&x);
		assert_int_equal(x.e.release[0], 1 + x.m.latency[HD_CLASS_ALU].latency + rows[i].later);
		stop(&x);
	}
}
