/* Page tables (PD-38): which pages are mapped, to which frames, and what a walk reads. */
#include "../test.h"

#include "memory/l2.h"
#include "memory/pages.h"

enum { PAGE = 4096, FIRST_PAGE = HD_GLOBAL_BASE / PAGE };

static uint64_t frame_of(const hd_pages *pages, uint64_t address)
{
	uint64_t frame = UINT64_MAX;
	return hd_pages_find(pages, address / pages->bytes, &frame) ? frame : UINT64_MAX;
}

/* Device memory has the frames from 0 on, in the order of addresses; an allocation maps every page that it has a byte in. */
TEST(allocations_map_the_pages_that_they_touch)
{
	hd_memory *memory = hd_memory_new(1 << 24);
	hd_pages pages;
	uint64_t a = hd_memory_alloc(memory, PAGE, "a"), none = hd_memory_alloc(memory, 0, NULL), b = hd_memory_alloc(memory, PAGE + 1, "b");
	assert_int_equal(b % PAGE, 0xa00); /* so b ends in its second page */
	hd_pages_init(&pages, memory, PAGE, 4);
	assert_int_equal(frame_of(&pages, a), 0);
	assert_int_equal(frame_of(&pages, a + PAGE - 1), 0);
	assert_int_equal(frame_of(&pages, a + PAGE), UINT64_MAX);
	assert_int_equal(frame_of(&pages, a - 1), UINT64_MAX);
	assert_int_equal(frame_of(&pages, none), UINT64_MAX);
	assert_int_equal(frame_of(&pages, b), 1);
	assert_int_equal(frame_of(&pages, b + PAGE), 2);
	assert_int_equal(frame_of(&pages, b + 2 * PAGE), UINT64_MAX);
	assert_int_equal(frame_of(&pages, 0), UINT64_MAX);
	assert_int_equal(frame_of(&pages, UINT64_MAX), UINT64_MAX);
	hd_pages_free(&pages);
	hd_memory_free(memory);
}

TEST(neighbours_share_a_large_page)
{
	enum { LARGE = 2 << 20 };
	hd_memory *memory = hd_memory_new(1 << 26);
	hd_pages pages;
	uint64_t a = hd_memory_alloc(memory, 100, "a"), b = hd_memory_alloc(memory, LARGE, "b"), c = hd_memory_alloc(memory, 100, "c");
	hd_pages_init(&pages, memory, LARGE, 3);
	assert_int_equal(frame_of(&pages, a), 0);
	assert_int_equal(frame_of(&pages, b), 0);
	assert_int_equal(frame_of(&pages, b + LARGE - 1), 1);
	assert_int_equal(frame_of(&pages, c), 1);
	assert_int_equal(pages.ranges.n, 2);
	hd_pages_free(&pages);
	hd_memory_free(memory);
}

/* System memory has the frames of its own addresses on, so that the second level knows it by its physical address. */
TEST(system_memory_has_frames_of_its_own)
{
	hd_memory *memory = hd_memory_new(1 << 24);
	hd_pages pages;
	uint64_t a = hd_memory_alloc(memory, 3 * PAGE, "a"), s = hd_memory_alloc_system(memory, PAGE, "s"),
	         t = hd_memory_alloc_system(memory, PAGE, "t");
	assert_true(s >= HD_SYSTEM_BASE && t < HD_SHARED_BASE);
	hd_pages_init(&pages, memory, PAGE, 4);
	assert_int_equal(frame_of(&pages, a + 2 * PAGE), 2);
	assert_int_equal(frame_of(&pages, s), HD_SYSTEM_BASE / PAGE);
	assert_int_equal(frame_of(&pages, t), HD_SYSTEM_BASE / PAGE + 1);
	hd_pages_free(&pages);
	hd_memory_free(memory);
}

/* Many allocations, against a list of their pages. */
TEST(every_page_is_found)
{
	hd_memory *memory = hd_memory_new(1 << 28);
	hd_pages pages;
	uint64_t seed = 5, base[60], size[60];
	for (unsigned i = 0; i < 60; i++) {
		size[i] = 1 + hd_random(&seed) % (20 * PAGE);
		base[i] = i % 3 ? hd_memory_alloc(memory, size[i], NULL) : hd_memory_alloc_system(memory, size[i], NULL);
	}
	hd_pages_init(&pages, memory, PAGE, 2);
	for (unsigned is_system = 0; is_system < 2; is_system++) {
		uint64_t frame = is_system ? HD_SYSTEM_BASE / PAGE : 0;
		for (unsigned i = 0; i < 60; i++) {
			if ((i % 3 == 0) != is_system)
				continue;
			for (uint64_t page = base[i] / PAGE; page <= (base[i] + size[i] - 1) / PAGE; page++)
				assert_int_equal(frame_of(&pages, page * PAGE), frame++);
			assert_int_equal(frame_of(&pages, (base[i] + size[i] - 1) / PAGE * PAGE + PAGE), UINT64_MAX);
		}
	}
	hd_pages_free(&pages);
	hd_memory_free(memory);
}

/* A node has 512 entries of 8 bytes: pages beside each other have entries beside each other, and 512 of them one entry in the level above. */
TEST(a_walk_reads_an_entry_of_each_level)
{
	hd_pages pages = {.bytes = PAGE, .levels = 3};
	uint64_t leaf = hd_pages_entry(&pages, 0, 2);
	assert_true(hd_pages_entry(&pages, 0, 0) >= HD_OWN_BASE);
	assert_int_equal(hd_pages_entry(&pages, 1, 2), leaf + 8);
	assert_int_equal(hd_pages_entry(&pages, 511, 1), hd_pages_entry(&pages, 0, 1));
	assert_int_equal(hd_pages_entry(&pages, 512, 1), hd_pages_entry(&pages, 0, 1) + 8);
	assert_int_equal(hd_pages_entry(&pages, 512 * 512 - 1, 0), hd_pages_entry(&pages, 0, 0));
	assert_int_equal(hd_pages_entry(&pages, 512 * 512, 0), hd_pages_entry(&pages, 0, 0) + 8);
	/* No two entries have one address, however large the page number is. */
	uint64_t most = (HD_OWN_BASE - 1) / PAGE;
	for (uint32_t level = 0; level < 2; level++)
		assert_true(hd_pages_entry(&pages, most, level) < hd_pages_entry(&pages, 0, level + 1));
	pages.levels = 5;
	assert_true(hd_pages_entry(&pages, most, 4) < 2 * HD_OWN_BASE);
}

/* The kinds of fault: an access in no allocation, in a page that one maps or in none (hd_memory_fault). */
TEST(faults_name_what_is_missing)
{
	hd_memory *memory = hd_memory_new(1 << 24);
	uint64_t a = hd_memory_alloc(memory, 100, "a"), b = hd_memory_alloc(memory, 100, "b");
	assert_int_equal(hd_memory_fault(memory, a + 100), HD_TRAP_ADDRESS); /* without pages there is one kind */
	assert_int_equal(hd_memory_fault(memory, a + PAGE), HD_TRAP_ADDRESS);
	assert_int_equal(hd_memory_fault(memory, 0), HD_TRAP_ADDRESS);
	hd_memory_set_page(memory, PAGE);
	assert_int_equal(hd_memory_page(memory), PAGE);
	assert_int_equal(hd_memory_fault(memory, a + 100), HD_TRAP_ADDRESS);
	assert_int_equal(hd_memory_fault(memory, a + PAGE - 1), HD_TRAP_ADDRESS);
	assert_int_equal(hd_memory_fault(memory, a + PAGE), HD_TRAP_PAGE);
	assert_int_equal(hd_memory_fault(memory, a - 1), HD_TRAP_PAGE);
	assert_int_equal(hd_memory_fault(memory, b - 1), HD_TRAP_ADDRESS); /* b does not begin with its page */
	assert_int_equal(hd_memory_fault(memory, b / PAGE * PAGE), HD_TRAP_ADDRESS);
	assert_int_equal(hd_memory_fault(memory, b / PAGE * PAGE - 1), HD_TRAP_PAGE);
	assert_int_equal(hd_memory_fault(memory, 0), HD_TRAP_PAGE);
	assert_int_equal(hd_memory_fault(memory, UINT64_MAX), HD_TRAP_PAGE);
	uint64_t none = hd_memory_alloc(memory, 0, "none");
	assert_int_equal(hd_memory_fault(memory, none), HD_TRAP_PAGE); /* no byte, no page */
	hd_memory_release(memory, a);
	assert_int_equal(hd_memory_fault(memory, a), HD_TRAP_PAGE);
	uint64_t c = hd_memory_alloc(memory, PAGE, "c");
	hd_memory_set_page(memory, 2 << 20);
	assert_int_equal(hd_memory_fault(memory, c + PAGE), HD_TRAP_ADDRESS);
	hd_memory_release(memory, b);
	hd_memory_release(memory, c);
	c = hd_memory_alloc(memory, 1, "c");
	hd_memory_alloc(memory, 0, "none");
	assert_int_equal(hd_memory_fault(memory, c + 70000), HD_TRAP_ADDRESS); /* past the empty one, in the page of c */
	hd_memory_free(memory);
}
