/* Fence counters: HZ-5 to HZ-8. */
#include "core/fence_counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* HZ-5: a counter is named by warp slot and number; rows are independent. */
static void counters_are_independent(void **state)
{
	hd_fence fence;
	hd_fence_init(&fence, HD_FENCE_LIMIT);
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++) {
		for (unsigned counter = 1; counter <= HD_MAX_COUNTERS; counter++) {
			assert_int_equal(hd_fence_raise(&fence, warp, counter, HD_GROUPS), HD_FENCE_OUTSTANDING);
			for (unsigned other = 0; other < HD_WARP_SLOTS; other++)
				assert_int_equal(fence.flags[other], other == warp ? 1u << (counter - 1) : 0);
			assert_int_equal(hd_fence_lower(&fence, warp, counter, HD_GROUPS), HD_FENCE_CLEAR);
		}
	}
}

/* HZ-6: the amounts of several primaries add. HZ-7: lowered a group at a time or all at once. */
static void amounts_add_and_fall_by_groups(void **state)
{
	hd_fence fence;
	hd_fence_init(&fence, HD_FENCE_LIMIT);
	hd_fence_raise(&fence, 3, 2, 8);
	hd_fence_raise(&fence, 3, 2, 8);
	assert_int_equal(fence.value[3][1], 16);
	assert_int_equal(hd_fence_lower(&fence, 3, 2, 8), HD_FENCE_OUTSTANDING);
	for (unsigned group = 0; group < 7; group++) {
		assert_int_equal(hd_fence_lower(&fence, 3, 2, 1), HD_FENCE_OUTSTANDING);
		assert_int_equal(fence.flags[3], 2);
	}
	assert_int_equal(hd_fence_lower(&fence, 3, 2, 1), HD_FENCE_CLEAR);
	assert_int_equal(fence.flags[3], 0);
}

static hd_fence_status adjust(hd_fence *fence, int by)
{
	return by >= 0 ? hd_fence_raise(fence, 1, 1, (unsigned)by) : hd_fence_lower(fence, 1, 1, (unsigned)-by);
}

/* HZ-8: any order of the adjustments of a cycle gives the same result. */
static void order_does_not_matter(void **state)
{
	uint64_t seed = 1;
	for (int round = 0; round < 200; round++) {
		int change[6];
		hd_fence a, b;
		hd_fence_init(&a, HD_FENCE_LIMIT);
		hd_fence_init(&b, HD_FENCE_LIMIT);
		hd_fence_raise(&a, 1, 1, 64);
		hd_fence_raise(&b, 1, 1, 64);
		for (int i = 0; i < 6; i++)
			change[i] = (int)(hd_random(&seed) % 17) - 8;
		for (int i = 0; i < 6; i++) {
			assert_int_not_equal(adjust(&a, change[i]), HD_FENCE_BAD);
			assert_int_not_equal(adjust(&b, change[5 - i]), HD_FENCE_BAD);
		}
		assert_int_equal(a.value[1][0], b.value[1][0]);
		assert_int_equal(a.flags[1], b.flags[1]);
	}
}

/* HZ-8: out of range is reported, never clamped, and changes nothing. */
static void out_of_range_is_never_clamped(void **state)
{
	hd_fence fence;
	hd_fence_init(&fence, 20);
	assert_int_equal(hd_fence_lower(&fence, 0, 1, 1), HD_FENCE_BAD);
	assert_int_equal(fence.value[0][0], 0);
	hd_fence_raise(&fence, 0, 1, 8);
	hd_fence_raise(&fence, 0, 1, 8);
	assert_int_equal(hd_fence_raise(&fence, 0, 1, 8), HD_FENCE_BAD);
	assert_int_equal(fence.value[0][0], 16);
	assert_int_equal(hd_fence_raise(&fence, 0, 1, 4), HD_FENCE_OUTSTANDING);
	assert_int_equal(hd_fence_lower(&fence, 0, 1, 21), HD_FENCE_BAD);
	assert_int_equal(fence.value[0][0], 20);
	assert_int_equal(fence.flags[0], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counters_are_independent),
	    cmocka_unit_test(amounts_add_and_fall_by_groups),
	    cmocka_unit_test(order_does_not_matter),
	    cmocka_unit_test(out_of_range_is_never_clamped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
