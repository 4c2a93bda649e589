#include "device/merge_heap.h"

static void sink(hd_merge_entry *heap, uint32_t n, uint32_t at)
{
	hd_merge_entry item = heap[at];
	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		child += child + 1 < n && heap[child + 1].key < heap[child].key;
		if (heap[child].key >= item.key)
			break;
		heap[at] = heap[child];
	}
	heap[at] = item;
}

void hd_merge_heap_build(hd_merge_entry *heap, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sink(heap, n, i);
}

void hd_merge_heap_sink(hd_merge_entry *heap, uint32_t n)
{
	if (n)
		sink(heap, n, 0);
}
