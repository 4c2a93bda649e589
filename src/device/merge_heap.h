/* Lists that are in order each by itself, merged: a heap of them by the key of their next element. */
#ifndef HD_MERGE_HEAP_H
#define HD_MERGE_HEAP_H

#include "base/base.h"

/* A list, and the key of the element that is next in it. */
typedef struct hd_merge_entry {
	uint64_t key;
	uint32_t list;
} hd_merge_entry;

/* Makes a heap of n entries: the first has the least key. */
void hd_merge_heap_build(hd_merge_entry *heap, uint32_t n);
/* The key of the first entry has grown, or another one took its place. Requires: n entries, of which only the first may be out of place. */
void hd_merge_heap_sink(hd_merge_entry *heap, uint32_t n);

#endif
