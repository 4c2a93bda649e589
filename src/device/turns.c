#include "device/turns.h"

static void sink(hd_turn *heap, uint32_t n, uint32_t at)
{
	hd_turn item = heap[at];
	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		child += child + 1 < n && heap[child + 1].key < heap[child].key;
		if (heap[child].key >= item.key)
			break;
		heap[at] = heap[child];
	}
	heap[at] = item;
}

void hd_turns_order(hd_turn *heap, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sink(heap, n, i);
}

void hd_turns_sink(hd_turn *heap, uint32_t n)
{
	if (n)
		sink(heap, n, 0);
}
