/* Fence counters: HZ-5 to HZ-8, HZ-18. */
#include "core/issue/fence_counters.h"
#include "../test.h"

enum { BITS = 6, LIMIT = 63 };

/* HZ-5: a counter is named by warp slot and number; rows are independent. */
TEST(counters_are_independent)
{
	hd_fence fence;
	hd_fence_init(&fence, BITS, HD_GROUPS);
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++) {
		for (unsigned counter = 1; counter <= HD_MAX_COUNTERS; counter++) {
			hd_fence_raise(&fence, warp, counter, HD_GROUPS);
			for (unsigned other = 0; other < HD_WARP_SLOTS; other++)
				assert_int_equal(fence.flags[other], other == warp ? 1u << (counter - 1) : 0);
			assert_int_equal(hd_fence_lower(&fence, warp, counter, HD_GROUPS), HD_FENCE_CLEAR);
		}
	}
}

/* HZ-6: the amounts of several primaries add. HZ-7: lowered a group at a time or all at once. */
TEST(amounts_add_and_fall_by_groups)
{
	hd_fence fence;
	hd_fence_init(&fence, BITS, HD_GROUPS);
	hd_fence_raise(&fence, 3, 2, 8);
	hd_fence_raise(&fence, 3, 2, 8);
	assert_int_equal(fence.value[3][1], 16);
	assert_int_equal(hd_fence_lower(&fence, 3, 2, 8), 0);
	for (unsigned group = 0; group < 7; group++) {
		assert_int_equal(hd_fence_lower(&fence, 3, 2, 1), 0);
		assert_int_equal(fence.flags[3], 2);
	}
	assert_int_equal(hd_fence_lower(&fence, 3, 2, 1), HD_FENCE_CLEAR);
	assert_int_equal(fence.flags[3], 0);
}

/* HZ-18: full as long as not all groups of one more primary can be counted. */
TEST(full_counters_say_so)
{
	for (unsigned bits = 4; bits <= 15; bits++) {
		unsigned warp, counter, limit = (1u << bits) - 1;
		hd_fence fence;
		hd_fence_init(&fence, bits, HD_GROUPS);
		for (unsigned value = 8; value <= limit; value += 8) {
			assert_int_equal(fence.full[5], 0);
			hd_fence_raise(&fence, 5, 7, HD_GROUPS);
		}
		assert_int_equal(fence.full[5], 1u << 6);
		assert_int_equal(fence.full[4] | fence.full[6], 0);
		/* It holds the highest multiple of 8, which leaves room for 7 groups: the next one to go makes room. */
		unsigned change = hd_fence_lower(&fence, 5, 7, 1);
		assert_int_equal(change & HD_FENCE_ROOM, HD_FENCE_ROOM);
		assert_int_equal(fence.full[5], 0);
		assert_int_equal(hd_fence_lower(&fence, 5, 7, 1) & HD_FENCE_ROOM, 0);
		assert_false(hd_fence_wrong(&fence, &warp, &counter));
	}
}

typedef struct change {
	unsigned warp, counter;
	int by;
} change;

static void adjust(hd_fence *fence, change c)
{
	if (c.by >= 0)
		hd_fence_raise(fence, c.warp, c.counter, (unsigned)c.by);
	else
		hd_fence_lower(fence, c.warp, c.counter, (unsigned)-c.by);
}

/* HZ-8: any order of the adjustments of a cycle gives the same result, at both ends of the range, too, and where a counter is out of range in the
 * end. */
TEST(order_does_not_matter)
{
	uint64_t seed = 1;
	unsigned wrongs = 0;
	for (int round = 0; round < 2000; round++) {
		enum { CHANGES = 6, ORDERS = 6 };
		change changes[CHANGES];
		hd_fence first;
		bool first_wrong = false;
		int begin = round % 3 == 0 ? 0 : round % 3 == 1 ? LIMIT : (int)(hd_random(&seed) % (LIMIT + 1));
		for (int i = 0; i < CHANGES; i++)
			changes[i] =
			    (change){1 + (unsigned)(hd_random(&seed) % 2), 1 + (unsigned)(hd_random(&seed) % 2), (int)(hd_random(&seed) % 17) - 8};
		for (int order = 0; order < ORDERS; order++) {
			hd_fence fence;
			unsigned warp = 0, counter = 0;
			hd_fence_init(&fence, BITS, HD_GROUPS);
			for (unsigned w = 1; w <= 2; w++)
				for (unsigned c = 1; c <= 2; c++)
					hd_fence_raise(&fence, w, c, (unsigned)begin);
			for (int i = 0; i < CHANGES; i++)
				adjust(&fence, changes[i]);
			bool wrong = hd_fence_wrong(&fence, &warp, &counter);
			fence.suspect = 0;
			if (order == 0) {
				first = fence;
				first_wrong = wrong;
				wrongs += wrong;
			}
			assert_int_equal(wrong, first_wrong);
			assert_memory_equal(&fence, &first, sizeof fence);
			for (int i = CHANGES - 1; i > 0; i--) {
				int k = (int)(hd_random(&seed) % (unsigned)(i + 1));
				change moved = changes[i];
				changes[i] = changes[k];
				changes[k] = moved;
			}
		}
	}
	assert_in_range(wrongs, 200, 1800);
}

/* HZ-8: out of range is found and named, never clamped; what comes back into its range within the cycle is right. */
TEST(out_of_range_is_never_clamped)
{
	hd_fence fence;
	unsigned warp, counter;
	hd_fence_init(&fence, BITS, HD_GROUPS);
	hd_fence_lower(&fence, 2, 3, 1);
	assert_int_equal(fence.value[2][2], -1);
	assert_int_equal(fence.flags[2], 4);
	assert_true(hd_fence_wrong(&fence, &warp, &counter));
	assert_int_equal(warp, 2);
	assert_int_equal(counter, 3);
	hd_fence_raise(&fence, 2, 3, 1);
	assert_int_equal(fence.flags[2], 0);
	assert_false(hd_fence_wrong(&fence, &warp, &counter));
	assert_int_equal(fence.suspect, 0);
	hd_fence_raise(&fence, 9, 16, LIMIT);
	assert_false(hd_fence_wrong(&fence, &warp, &counter));
	hd_fence_raise(&fence, 9, 16, 1);
	assert_int_equal(fence.value[9][15], LIMIT + 1);
	assert_true(hd_fence_wrong(&fence, &warp, &counter));
	assert_int_equal(warp, 9);
	assert_int_equal(counter, 16);
}

/* HZ-31: a counter of b bits has room for (2^b - 1) / units primaries. */
TEST(room_follows_from_bits_and_units)
{
	static const struct {
		unsigned bits, units, primaries;
	} rows[] = {{12, 8, 511}, {1, 1, 1}, {2, 1, 3}, {6, 32, 1}, {7, 32, 3}, {5, 16, 1}, {15, 2, 16383}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_fence fence;
		hd_fence_init(&fence, rows[i].bits, rows[i].units);
		for (unsigned n = 0; n < rows[i].primaries; n++) {
			assert_int_equal(fence.full[3], 0);
			hd_fence_raise(&fence, 3, 2, rows[i].units);
		}
		assert_int_equal(fence.full[3], 2);
		assert_int_equal(hd_fence_lower(&fence, 3, 2, rows[i].units), HD_FENCE_ROOM | (rows[i].primaries == 1 ? HD_FENCE_CLEAR : 0));
	}
}

/* HZ-36: a counter at zero keeps its flag until it is published, and for longer if it was raised again. */
TEST(a_counter_at_zero_is_published_later)
{
	hd_fence *f = hd_xcalloc(1, sizeof *f);
	hd_fence_init(f, 12, HD_GROUPS);
	f->late.on = true;
	hd_fence_raise(f, 3, 2, HD_GROUPS);
	assert_int_equal(hd_fence_lower(f, 3, 2, HD_GROUPS), 0);
	assert_int_equal(f->flags[3], 2);
	assert_int_equal(f->late.any[0], 8);
	hd_fence_raise(f, 3, 1, HD_GROUPS);
	assert_int_equal(hd_fence_publish_late(f, 0, 3), 2);
	assert_int_equal(f->flags[3], 1);
	assert_int_equal(f->late.any[0], 0);
	assert_int_equal(hd_fence_lower(f, 3, 1, 1), 0); /* not at zero yet */
	assert_int_equal(f->late.mask[0][3], 0);
	assert_int_equal(hd_fence_lower(f, 3, 1, HD_GROUPS - 1), 0);
	hd_fence_raise(f, 3, 1, HD_GROUPS);
	assert_int_equal(hd_fence_publish_late(f, 0, 3), 0);
	assert_int_equal(f->flags[3], 1);
	assert_int_equal(hd_fence_lower(f, 3, 1, HD_GROUPS), 0);
	assert_int_equal(hd_fence_publish_late(f, 0, 3), 1);
	assert_int_equal(f->flags[3], 0);
	free(f);
}
