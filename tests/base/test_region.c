/* Memory that is freed as a whole. */
#include "../test.h"

#include "base/region.h"
#include "base/team.h"

enum { SMALL = 0, LARGE = 5 << 20, PARTS = 300, THREADS = 3 };

/* Of sizes that fill pieces in part, entirely, and not at all. */
static size_t size_of(unsigned part) { return part % 50 == 49 ? 400000 : 1 + part * 37 % 5000; }

static void fill(uint8_t *at, unsigned part)
{
	for (size_t i = 0; i < size_of(part); i++)
		assert_int_equal(at[i], 0);
	memset(at, (int)part + 1, size_of(part));
}

static void check(const uint8_t *at, unsigned part)
{
	assert_int_equal((uintptr_t)at % 64, 0);
	for (size_t i = 0; i < size_of(part); i++)
		assert_int_equal(at[i], (uint8_t)(part + 1));
}

/* Leaves memory behind that the host's allocator gives out again, with something in it. The caller frees the result afterwards: it keeps what is
 * below it from going back to the host. */
static void *dirty_the_heap(void)
{
	void *at[8], *last = NULL;
	for (unsigned round = 0; round < 2; round++) { /* the first blocks that are freed tell the allocator to keep such blocks */
		free(last);
		for (unsigned i = 0; i < HD_COUNT(at); i++)
			at[i] = memset(hd_xmalloc(600000), 0xa5, 600000);
		for (unsigned i = 0; i + 1 < HD_COUNT(at); i++)
			free(at[i]);
		last = at[HD_COUNT(at) - 1];
	}
	return last;
}

/* Parts are zero, begin at a cache line, and do not overlap, in a small region and in one that is mapped and grows beyond what was expected. */
TEST(parts_are_zero_and_apart)
{
	(void)state;
	const size_t expected[] = {SMALL, LARGE};
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		hd_region *region = hd_region_new(expected[i]);
		uint8_t *at[PARTS];
		void *last = dirty_the_heap();
		for (unsigned round = 0; round < 2; round++) { /* memory of a former region is used again by the host's allocator */
			for (unsigned part = 0; part < PARTS; part++)
				fill(at[part] = hd_region_take(region, size_of(part)), part);
			for (unsigned part = 0; part < PARTS; part++)
				check(at[part], part);
			hd_region_free(region);
			region = hd_region_new(expected[i]);
		}
		hd_region_free(region);
		free(last);
	}
	hd_region_free(NULL);
}

/* A region that serves again gives out zeros again, whatever was left there, in pieces that were allocated or mapped and in one that grew. */
TEST(a_region_serves_again)
{
	(void)state;
	const size_t expected[] = {SMALL, LARGE, SMALL, 2 * LARGE};
	hd_region *region = hd_region_new(SMALL);
	for (unsigned round = 0; round < 3 * HD_COUNT(expected); round++) {
		uint8_t *at[PARTS];
		unsigned parts = round % 3 == 1 ? 10 : PARTS; /* little is written between two runs that write much */
		for (unsigned part = 0; part < parts; part++) {
			uint8_t *any = memset(hd_region_take_any(region, size_of(part)), 0xa5, size_of(part));
			fill(at[part] = hd_region_take(region, size_of(part)), part);
			assert_int_equal(any[size_of(part) - 1], 0xa5);
		}
		for (unsigned part = 0; part < parts; part++)
			check(at[part], part);
		hd_region_reset(region, expected[round % HD_COUNT(expected)]);
	}
	hd_region_free(region);
}

/* The memory of a region that serves again is that of the time before, when it was enough: the host clears no page for it. A part that goes beyond
 * what was written is zero as a whole. */
TEST(a_region_keeps_its_memory)
{
	(void)state;
	hd_region *region = hd_region_new(LARGE);
	memset(hd_region_take(region, 1000), 1, 1000);
	hd_region_reset(region, LARGE);
	const uint8_t *again = hd_region_take_any(region, 100);
	assert_true(HD_REGION_APART || again[99] == 1);
	hd_region_reset(region, 1);
	const uint8_t *beyond = hd_region_take(region, 3000);
	for (unsigned i = 0; i < 3000; i++)
		assert_int_equal(beyond[i], 0);
	hd_region_free(region);
}

typedef struct taken {
	hd_region *region;
	uint8_t *at[PARTS];
} taken;

static void take_one(void *context, uint32_t item)
{
	taken *t = context;
	t->at[item] = hd_region_take(t->region, size_of(item));
	memset(t->at[item], (int)item + 1, size_of(item));
}

TEST(several_threads_take_from_one_region)
{
	(void)state;
	taken t = {.region = hd_region_new(LARGE)};
	hd_team *team = hd_team_new(THREADS);
	hd_team_run(team, PARTS, take_one, &t);
	hd_team_free(team);
	for (unsigned part = 0; part < PARTS; part++)
		check(t.at[part], part);
	hd_region_free(t.region);
}

/* A unit without a region has allocations of its own, which are zero, too. */
TEST(a_unit_can_live_by_itself)
{
	(void)state;
	uint8_t *alone = hd_take(NULL, 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(alone[i], 0);
	hd_give(NULL, alone);
	hd_region *region = hd_region_new(0);
	hd_give(region, hd_take(region, 1000));
	hd_region_free(region);
}
