/* Items of one size, which are allocated in blocks and used again. */
#ifndef HD_FREE_LIST_H
#define HD_FREE_LIST_H

#include "base/region.h"

/* All zero: empty. */
typedef struct hd_free_list {
	void *first; /* each free item begins with a pointer to the next one */
	HD_VEC(void *) blocks;
	hd_region *region; /* for the blocks; NULL: they are allocations, which `blocks` has */
} hd_free_list;

/* Adds a block of free items. */
void hd_free_list_more(hd_free_list *list, size_t size);
/* Frees all items, those in use among them, unless they are in a region. */
void hd_free_list_free(hd_free_list *list);

/* An item of `size` bytes with undefined content. Requires: `size` is that of a type, at least that of a pointer, and the same in all calls. */
static inline void *hd_free_list_take(hd_free_list *list, size_t size)
{
	if (!list->first)
		hd_free_list_more(list, size);
	void *item = list->first;
	memcpy(&list->first, item, sizeof list->first);
	return item;
}

static inline void hd_free_list_give(hd_free_list *list, void *item)
{
	memcpy(item, &list->first, sizeof list->first);
	list->first = item;
}

#endif
