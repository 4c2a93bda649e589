/* Pre-decode buffers and FIFOs of warps (PD-34): what moves when, and what it keeps back. */
#include "core/fetch/fetch.h"
#include "../test.h"

typedef struct bed {
	hd_machine machine;
	hd_stats stats;
	hd_l2 *l2;
	hd_icache l15;
	hd_fetch_port port;
	hd_fetch fetch;
	uint64_t now;
} bed;

/* Every line is in the first cache from cycle 1 on, so that it arrives the cache's latency after its request. */
static bed *bed_new(uint32_t fifo, uint32_t rate, uint32_t data_buffer)
{
	bed *b = hd_xcalloc(1, sizeof *b);
	hd_machine_default(&b->machine);
	b->machine.predecode_fifo = fifo;
	b->machine.predecode_fifo_rate = rate;
	b->machine.predecode_data_buffer = data_buffer;
	b->machine.predecode_buffer = 64;
	b->machine.predecode_prefetch = 8;
	b->machine.fetch_l1i_latency = 1;
	b->l2 = hd_l2_new(&b->machine);
	hd_icache_init(&b->l15, b->machine.fetch_l15_lines, 8);
	hd_fetch_port_init(&b->port, &b->machine, &b->l15, b->l2, &b->stats, 64 * HD_LINE_WORDS);
	hd_fetch_init(&b->fetch, &b->machine, &b->stats);
	for (uint32_t line = 0; line < 64; line++)
		hd_icache_fill(&b->port.l1, line, 1);
	b->now = 10;
	return b;
}

static void bed_free(bed *b)
{
	hd_fetch_free(&b->fetch);
	hd_fetch_port_free(&b->port);
	hd_icache_free(&b->l15);
	hd_l2_free(b->l2);
	free(b);
}

static void request(bed *b)
{
	hd_fetch *buffers[] = {&b->fetch};
	hd_fetch_request(&b->port, buffers, 1, b->now);
}

static uint32_t arrive(bed *b)
{
	uint32_t fed;
	b->now++;
	hd_fetch_arrive(&b->fetch, b->now, &fed);
	return fed;
}

/* The line arrives in the cycle after its request, and its entries move from the next cycle on, `rate` in each. */
TEST(entries_move_at_the_rate)
{
	static const struct {
		uint32_t rate, have[5];
	} rows[] = {{1, {1, 1, 2, 3, 4}}, {2, {1, 1, 3, 5, 7}}, {3, {1, 1, 4, 7, 9}}, {8, {1, 1, 9, 9, 9}}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *b = bed_new(16, rows[i].rate, 16);
		hd_fetch_restart(&b->fetch, 0, 1);
		request(b);
		for (unsigned k = 0; k < 5; k++) {
			assert_int_equal(b->fetch.have[0], rows[i].have[k]);
			assert_int_equal(b->fetch.starved & 1, k < 2);
			uint32_t fed = arrive(b);
			assert_int_equal(fed & 1, k >= 1 && rows[i].have[k] < 9);
		}
		assert_int_equal(b->stats.predecode_fifo_refills, 1);
		bed_free(b);
	}
}

/* A line that is still on its way gives nothing: its entries have their room in the pre-decode buffer alone. While entries wait, every cycle is
 * examined (soonest is 0), and then the next one is that of the line. */
TEST(only_what_has_arrived_moves)
{
	bed *b = bed_new(16, 2, 16);
	*hd_icache_find(&b->port.l1, 1) = 500;
	hd_fetch_restart(&b->fetch, 0, 1);
	request(b);
	request(b);
	for (unsigned k = 0; k < 5; k++) {
		arrive(b);
		assert_true(b->fetch.soonest == (k < 4 ? 0 : 500));
	}
	assert_int_equal(b->stats.predecode_fifo_entries, 7);
	assert_int_equal(b->fetch.have[0], 9);
	assert_int_equal(arrive(b), 0);
	b->now = 499;
	arrive(b);
	assert_true(b->fetch.soonest == 0);
	arrive(b);
	assert_int_equal(b->fetch.have[0], 11);
	bed_free(b);
}

/* A FIFO takes no more than its size. An instruction that issues makes room for the next entry. In all the other warps nothing changes. */
TEST(a_full_fifo_takes_nothing)
{
	bed *b = bed_new(3, 2, 16);
	hd_fetch_restart(&b->fetch, 5, 1);
	request(b);
	for (unsigned k = 0; k < 9; k++)
		arrive(b);
	assert_int_equal(b->fetch.have[5], 4);
	assert_int_equal(b->stats.predecode_fifo_full, 1);
	assert_int_equal(b->stats.predecode_fifo_entries, 3);
	hd_fetch_consume(&b->fetch, 5, 1, 2);
	assert_int_equal(arrive(b), 1u << 5);
	assert_int_equal(b->fetch.have[5], 5);
	assert_int_equal(b->stats.predecode_fifo_full, 2);
	assert_int_equal(arrive(b), 0);
	hd_fetch_consume(&b->fetch, 5, 3, 5);
	assert_int_equal(b->fetch.starved, 1u << 5);
	arrive(b);
	assert_int_equal(b->fetch.starved, 0);
	assert_int_equal(b->fetch.have[5], 7);
	assert_int_equal(b->stats.predecode_fifo_refills, 2);
	arrive(b); /* the last one of the line */
	assert_int_equal(b->fetch.have[5], 9);
	assert_int_equal(b->stats.predecode_fifo_full, 2); /* it is full, and nothing waits */
	bed_free(b);
}

/* A line takes its room in the pre-decode buffer when it is requested, and gives it back entry by entry. */
TEST(the_predecode_buffer_limits_requests)
{
	static const struct {
		uint32_t buffer;
		unsigned lines;
	} rows[] = {{8, 1}, {13, 1}, {14, 2}, {20, 2}, {21, 3}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *b = bed_new(2, 1, rows[i].buffer);
		hd_fetch_restart(&b->fetch, 0, 1);
		for (unsigned n = 0; n < 10; n++)
			request(b);
		assert_int_equal(b->stats.predecode_lines, rows[i].lines);
		assert_int_equal(b->stats.predecode_data_buffer_full, 1);
		assert_int_equal(b->stats.predecode_buffer_full, 0);
		bed_free(b);
	}
	bed *b = bed_new(2, 2, 12);
	hd_fetch_restart(&b->fetch, 0, 1);
	request(b);
	for (unsigned n = 0; n < 9; n++)
		arrive(b);
	request(b); /* five entries are left, and room for seven */
	assert_int_equal(b->stats.predecode_lines, 2);
	assert_int_equal(b->fetch.closed, 1);
	hd_fetch_restart(&b->fetch, 0, 17); /* a flush empties everything */
	assert_int_equal(b->fetch.closed, 0);
	assert_int_equal(b->fetch.have[0], 17);
	arrive(b);
	assert_int_equal(b->fetch.have[0], 17);
	request(b);
	arrive(b);
	arrive(b);
	assert_int_equal(b->fetch.have[0], 19);
	bed_free(b);
}

/* PD-24 has lines with two scheduling words: entries are counted, not words. */
TEST(scheduling_words_are_no_entries)
{
	bed *b = bed_new(16, 4, 16);
	hd_fetch_free(&b->fetch);
	b->machine.predecode_geometry = HD_GEOMETRY_COMBINED;
	hd_fetch_init(&b->fetch, &b->machine, &b->stats);
	hd_fetch_restart(&b->fetch, 0, 2);
	request(b);
	arrive(b);
	arrive(b);
	assert_int_equal(b->fetch.have[0], 7); /* 2, 3, 5, 6 */
	arrive(b);
	assert_int_equal(b->fetch.have[0], 9);
	assert_int_equal(b->stats.predecode_fifo_entries, 5);
	bed_free(b);
}

/* Without FIFOs the statistics of theirs are 0, and a carrier that brings no lines of data has none. */
TEST(fifos_need_the_line)
{
	static const char *const carriers[] = {"predecode.carrier=instruction", "predecode.carrier=none", "predecode.carrier=register"};
	for (unsigned i = 0; i < HD_COUNT(carriers); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		machine.multi_issue_window = 1;
		assert_true(hd_machine_set(&machine, carriers[i], &diag));
		assert_true(hd_machine_validate(&machine, NULL, &diag));
		machine.predecode_fifo = 1;
		assert_false(hd_machine_validate(&machine, NULL, &diag));
		assert_non_null(strstr(diag.text.at, "predecode.fifo is 1, expected 0 where predecode.carrier is not `line` or `ahead`"));
		hd_diag_free(&diag);
	}
	bed *b = bed_new(0, 2, 16);
	hd_fetch_restart(&b->fetch, 0, 1);
	request(b);
	arrive(b);
	assert_int_equal(b->fetch.have[0], 8);
	assert_int_equal(b->stats.predecode_fifo_entries + b->stats.predecode_data_buffer_full, 0);
	bed_free(b);
}
