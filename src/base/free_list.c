#include "base/free_list.h"

enum { ITEMS = 32 };

void hd_free_list_more(hd_free_list *list, size_t size)
{
	char *block = hd_take_any(list->region, ITEMS * size);
	if (!list->region)
		hd_vec_push(&list->blocks, (void *)block);
	for (size_t i = ITEMS; i-- > 0;)
		hd_free_list_give(list, block + i * size);
}

void hd_free_list_free(hd_free_list *list)
{
	for (size_t i = 0; i < list->blocks.n; i++)
		free(list->blocks.at[i]);
	hd_vec_free(&list->blocks);
	list->first = NULL;
}
