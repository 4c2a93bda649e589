/* Bins of a run: whatever happens to their width, no slot and no cycle is lost. */
#include "../test.h"

#include "explore_page.h"

#include "explore/levels.h"

enum { SCHEDULERS = 2, SLOTS = 4 };

typedef struct fixture {
	hd_machine machine;
	hd_levels levels;
	hd_waited waited;
	uint64_t lost[HD_STALL_COUNT], used;
} fixture;

static fixture *begin(void)
{
	fixture *x = hd_xcalloc(1, sizeof *x);
	hd_machine_default(&x->machine);
	x->machine.machine_devices = x->machine.machine_clusters = x->machine.machine_cores = 1;
	x->machine.machine_schedulers = SCHEDULERS;
	x->machine.machine_warps = SLOTS;
	hd_levels_begin(&x->levels, &x->machine);
	x->waited.wait.cause = HD_NO_CAUSE;
	return x;
}

static void lose(fixture *x, unsigned scheduler, unsigned slot, hd_stall cause, uint64_t cycle, uint64_t cycles)
{
	hd_trace_event e = {.kind = HD_TRACE_LOST, .scheduler = (uint8_t)scheduler, .slot = (uint8_t)slot, .cause = (uint8_t)cause, .cycle = cycle};
	e.cycles = cycles;
	e.slots = 2 * cycles;
	x->lost[cause] += e.slots;
	hd_levels_event(&x->levels, &e, &x->waited);
}

static void issue(fixture *x, unsigned scheduler, unsigned slot, uint64_t cycle, uint64_t slots)
{
	hd_trace_event e = {.kind = HD_TRACE_ISSUE, .scheduler = (uint8_t)scheduler, .slot = (uint8_t)slot, .cycle = cycle, .slots = slots};
	x->used += slots;
	hd_levels_event(&x->levels, &e, &x->waited);
}

/* A level as the page reads it: sums of all its bins, of schedulers and slots apart. */
typedef struct level {
	uint64_t width, bins, schedulers[HD_LEVEL_COLUMNS], slots[HD_LEVEL_COLUMNS];
} level;

static level read_level(const explore_bytes *block, unsigned schedulers, unsigned slots)
{
	size_t at = 0;
	level l = {.width = UINT64_C(1) << explore_number(block->bytes, &at)};
	l.bins = explore_number(block->bytes, &at);
	for (unsigned row = 0; row < schedulers + slots; row++) {
		uint64_t columns = explore_number(block->bytes, &at);
		for (unsigned c = 0; c < HD_LEVEL_COLUMNS; c++)
			for (uint64_t i = 0; columns >> c & 1 && i < l.bins; i++)
				*(row < schedulers ? &l.schedulers[c] : &l.slots[c]) += explore_number(block->bytes, &at);
	}
	assert_int_equal(at, block->n);
	return l;
}

static explore_page end(fixture *x)
{
	hd_blocks blocks = {.out = tmpfile()};
	hd_levels_write(&x->levels, &blocks);
	explore_page page = explore_read(blocks.out);
	assert_int_equal(blocks.rows.n, page.blocks.n);
	hd_blocks_free(&blocks);
	hd_levels_free(&x->levels);
	return page;
}

TEST(every_level_has_every_slot)
{
	fixture *x = begin();
	uint32_t random = 7;
	uint64_t cycle = 0;
	for (unsigned i = 0; i < 30000; i++) {
		random = random * 1664525 + 1013904223;
		cycle += random >> 28;
		if (random & 1)
			issue(x, random >> 8 & 1, random >> 9 & 3, cycle, random >> 12 & 1);
		else
			lose(x, random >> 8 & 1, random >> 9 & 1 ? HD_TRACE_NO_WARP : random >> 10 & 3, (hd_stall)((random >> 16) % HD_STALL_COUNT),
			     cycle, 1 + (random >> 20 & 255));
	}
	uint64_t last = x->levels.last;
	explore_page page = end(x);
	assert_true(page.blocks.n >= 3);
	for (size_t i = 0; i < page.blocks.n; i++) {
		level l = read_level(&page.blocks.at[i], SCHEDULERS, SCHEDULERS * SLOTS);
		for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
			assert_int_equal(l.schedulers[cause], x->lost[cause]);
		assert_int_equal(l.schedulers[HD_LEVEL_USED], x->used);
		assert_int_equal(l.schedulers[HD_LEVEL_MORE], l.slots[HD_LEVEL_USED]);
		assert_int_equal(l.bins, last / l.width + 1);
		assert_true(l.bins <= HD_LEVEL_BINS);
		if (i == 0)
			assert_true(l.bins <= HD_LEVEL_COARSEST);
		else
			assert_int_equal(l.width * 4, read_level(&page.blocks.at[i - 1], SCHEDULERS, SCHEDULERS * SLOTS).width);
	}
	explore_release(&page);
	free(x);
}

/* A scheduler counts the slots that it lost, a warp slot the cycles in which its warp waited. */
TEST(a_wait_counts_in_its_slot_once)
{
	fixture *x = begin();
	x->waited.wait = (hd_wait){.cause = HD_STALL_HIGH_LATENCY, .since = 10, .until = 30};
	issue(x, 0, 1, 30, 1);
	x->waited.wait.cause = HD_NO_CAUSE;
	lose(x, 0, 1, HD_STALL_HIGH_LATENCY, 10, 20);
	lose(x, 0, 1, HD_STALL_DELAY, 31, 3);
	x->waited.ended = true;
	x->waited.warp.begun = 5;
	hd_trace_event over = {.kind = HD_TRACE_END, .slot = 1, .cycle = 40};
	hd_levels_event(&x->levels, &over, &x->waited);
	explore_page page = end(x);
	level l = read_level(&page.blocks.at[page.blocks.n - 1], 1, 1);
	assert_int_equal(l.width, 1);
	assert_int_equal(l.slots[HD_STALL_HIGH_LATENCY], 20);
	assert_int_equal(l.slots[HD_STALL_DELAY], 0);
	assert_int_equal(l.slots[HD_LEVEL_USED], 1);
	assert_int_equal(l.slots[HD_LEVEL_MORE], 35);
	assert_int_equal(l.schedulers[HD_STALL_HIGH_LATENCY], 40);
	explore_release(&page);
	free(x);
}

/* A bin has its own cycles. */
TEST(each_wait_is_in_its_own_slot_and_bins)
{
	fixture *x = begin();
	x->waited.wait = (hd_wait){.cause = HD_STALL_BARRIER, .since = 3, .until = 6};
	hd_trace_event over = {.kind = HD_TRACE_WAIT, .slot = 2, .cycle = 6, .cause = HD_STALL_COUNT};
	hd_levels_event(&x->levels, &over, &x->waited);
	x->waited.wait.cause = HD_NO_CAUSE;
	lose(x, 0, 1, HD_STALL_FLOW, 2, 3);
	assert_null(x->levels.slots_at[1]);
	const hd_level_cell *row = x->levels.slots_at[2];
	assert_non_null(row);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(row[i].count[HD_STALL_BARRIER], i >= 3 && i < 6);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(x->levels.schedulers_at[0][i].count[HD_STALL_FLOW], i >= 2 && i < 5 ? 2 : 0);
	hd_levels_free(&x->levels);
	free(x);
}

/* Memory has a bound: many rows have fewer bins. */
TEST(many_rows_have_fewer_bins)
{
	fixture *x = begin();
	hd_levels_free(&x->levels);
	x->machine.machine_cores = 16;
	x->machine.machine_schedulers = 4;
	x->machine.machine_warps = 16;
	hd_levels_begin(&x->levels, &x->machine);
	for (uint32_t core = 0; core < 16; core++)
		for (uint8_t scheduler = 0; scheduler < 4; scheduler++)
			for (uint8_t slot = 0; slot < 16; slot++) {
				hd_trace_event e = {.kind = HD_TRACE_ISSUE, .core = core, .scheduler = scheduler, .slot = slot, .slots = 1};
				e.cycle = 100000 * core + slot;
				hd_levels_event(&x->levels, &e, &x->waited);
				assert_true((uint64_t)x->levels.n_rows * x->levels.bins <= HD_LEVEL_CELLS);
			}
	assert_int_equal(x->levels.n_rows, 64 * 17);
	explore_page page = end(x);
	level l = read_level(&page.blocks.at[page.blocks.n - 1], 64, 1024);
	assert_int_equal(l.schedulers[HD_LEVEL_USED], 1024);
	assert_int_equal(l.slots[HD_LEVEL_USED], 1024);
	explore_release(&page);
	free(x);
}
