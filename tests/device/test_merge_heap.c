/* Lists that are merged: the elements of all lists come in the order of their keys. */
#include "../test.h"

#include "device/merge_heap.h"

enum { LISTS = 13, EACH = 40 };

static uint32_t random_number(uint64_t *state) { return (uint32_t)((*state = *state * 6364136223846793005u + 1442695040888963407u) >> 33); }

TEST(lists_are_merged)
{
	uint64_t seed = 7;
	for (uint32_t n = 0; n <= LISTS; n++) {
		uint64_t key[LISTS][EACH], last = 0;
		uint32_t next[LISTS] = {0}, merged = 0, left = 0;
		hd_merge_entry heap[LISTS];
		for (uint32_t i = 0; i < n; i++) {
			key[i][0] = random_number(&seed) % 100;
			for (uint32_t k = 1; k < EACH; k++)
				key[i][k] = key[i][k - 1] + random_number(&seed) % 50;
			heap[left++] = (hd_merge_entry){key[i][0], i};
		}
		hd_merge_heap_build(heap, left);
		while (left) {
			uint32_t i = heap[0].list;
			assert_true(heap[0].key == key[i][next[i]] && heap[0].key >= last);
			last = heap[0].key;
			merged++;
			if (++next[i] == EACH)
				heap[0] = heap[--left];
			else
				heap[0].key = key[i][next[i]];
			hd_merge_heap_sink(heap, left);
		}
		assert_int_equal(merged, n * EACH);
	}
}
