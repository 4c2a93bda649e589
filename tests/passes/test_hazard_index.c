/* Hazards by producer and by consumer, and what waits cost that nothing needs. */
#include "annotate_rig.h"
#include "passes/annotate/hazard_index.h"

/* Three loads, of which 0 and 1 have consumers, in that order; block 1 is a loop. */
static fixture loads(void)
{
	fixture x = start(3);
	x.machine.multi_issue_window = 1;
	put(&x, 0, HD_OP_LDG, r(1), rr(8), none); /* 0 */
	put(&x, 0, HD_OP_LDG, r(2), rr(8), none); /* 1 */
	put(&x, 0, HD_OP_LDG, r(3), rr(8), none); /* 2 */
	put(&x, 0, HD_OP_IADD, r(4), r(1), r(1)); /* 3 */
	put(&x, 0, HD_OP_IADD, r(5), r(2), r(1)); /* 4 */
	ir_jump(&x.b, 0, 1);
	put(&x, 1, HD_OP_FRCP, r(6), r(7), none); /* 5 */
	put(&x, 1, HD_OP_I2F, r(10), r(6), none); /* 6 */
	branch(&x, 1, 1, 2);                      /* 7 */
	link_blocks(&x);
	return x;
}

TEST(edges_are_indexed_both_ways)
{
	fixture x = loads();
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	for (uint32_t n = 0; n < i.hazards->n; n++) {
		for (uint32_t e = i.by_consumer_first[n]; e < i.by_consumer_first[n + 1]; e++)
			assert_int_equal(i.hazards->edges.at[e].consumer, n);
		for (uint32_t e = i.by_producer_first[n]; e < i.by_producer_first[n + 1]; e++)
			assert_int_equal(i.hazards->edges.at[i.by_producer[e]].producer, n);
	}
	assert_int_equal(i.by_producer_first[1] - i.by_producer_first[0], 1);
	assert_int_equal(i.by_consumer_first[5] - i.by_consumer_first[4], 1);
	assert_int_equal(i.by_consumer_first[i.hazards->n], i.hazards->edges.n);
	assert_int_equal(i.by_producer_first[i.hazards->n], i.hazards->edges.n);
	hd_hazard_index_free(&i);
	stop(&x);
}

TEST(consumers_have_places)
{
	fixture x = loads();
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	for (uint32_t n = 0; n < i.hazards->n; n++) {
		uint32_t place = i.consumer_place[n];
		assert_true(place == 0 ? i.by_consumer_first[n] == i.by_consumer_first[n + 1] : i.hazards->consumers.at[place - 1] == n);
	}
	hd_hazard_index_free(&i);
	stop(&x);
}

/* While 3 waits for load 0, load 1 is outstanding, too; load 2 is no primary. 4 depends on load 1. */
TEST(waits_that_nothing_needs)
{
	fixture x = loads();
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	uint32_t place = i.consumer_place[3] - 1, from = i.unneeded_first[1], to = i.unneeded_first[2];
	bool found = false;
	for (uint32_t k = from; k < to; k++) {
		found |= i.unneeded[k] == place;
		assert_int_not_equal(i.unneeded[k], i.consumer_place[4] - 1);
	}
	assert_true(found);
	assert_int_equal(i.unneeded_first[3], i.unneeded_first[2]);
	assert_int_equal(hd_unneeded_wait_cost(&i, place, 1), hd_extra_wait(&i.estimate, 1, 3));
	hd_hazard_index_free(&i);
	stop(&x);
}

/* A producer that a consumer depends on is needed, though it is outstanding for other pipes: here a wait in the decoder holds back one pipe alone.
 * Edges are sorted. */
TEST(what_is_needed)
{
	fixture x = start(1);
	x.machine.multi_issue_window = 4;
	x.machine.multi_issue_pass_waits = true;
	put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	put(&x, 0, HD_OP_LDG, r(2), rr(8), none);
	put(&x, 0, HD_OP_IADD, r(4), r(1), r(2));
	link_blocks(&x);
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	assert_int_equal(i.hazards->edges.n, 2);
	assert_int_equal(i.hazards->edges.at[0].producer, 0);
	assert_int_equal(i.hazards->edges.at[1].producer, 1);
	assert_true(i.hazards->outstanding.n > 0);
	assert_int_equal(i.unneeded_first[i.hazards->n], 0);
	hd_hazard_index_free(&i);
	stop(&x);
}

/* A call depends on all that is outstanding. */
TEST(drains_need_everything)
{
	fixture x = start(1);
	put(&x, 0, HD_OP_LDG, r(1), rr(8), none);
	put(&x, 0, HD_OP_LDG, r(2), rr(8), none);
	put(&x, 0, HD_OP_CALL, none, none, none)->callee = 0;
	link_blocks(&x);
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	assert_int_equal(i.unneeded_first[i.hazards->n], 0);
	hd_hazard_index_free(&i);
	stop(&x);
}

TEST(loops_weigh)
{
	fixture x = loads();
	hd_hazard_index i = hd_hazard_index_new(x.b.f, &x.machine);
	assert_int_equal(i.weight[0], 1);
	assert_int_equal(i.weight[6], 8);
	uint32_t place = i.consumer_place[6] - 1;
	assert_int_equal(hd_unneeded_wait_cost(&i, place, 0), 8 * hd_extra_wait(&i.estimate, 0, 6));
	assert_true(hd_extra_wait(&i.estimate, 0, 6) > 0);
	hd_hazard_index_free(&i);
	stop(&x);
}
