/* Items that are allocated in blocks and used again. */
#include "../test.h"

#include "base/free_list.h"

typedef struct item {
	void *pointer;
	uint64_t number, more[3];
} item;

enum { ITEMS = 100 };

/* No two items overlap, whatever block they are from, and an item keeps what is in it while it is in use. */
TEST(items_are_apart)
{
	(void)state;
	hd_free_list list = {0};
	item *at[ITEMS];
	for (unsigned i = 0; i < ITEMS; i++) {
		at[i] = hd_free_list_take(&list, sizeof **at);
		*at[i] = (item){&at[i], i, {i, i, i}};
	}
	for (unsigned i = 0; i < ITEMS; i++)
		assert_true(at[i]->pointer == &at[i] && at[i]->number == i && at[i]->more[2] == i);
	hd_free_list_free(&list);
	assert_true(!list.first && !list.blocks.n);
}

/* The item given back last is taken first, and no more are allocated before all are in use. */
TEST(items_are_used_again)
{
	(void)state;
	hd_free_list list = {0};
	item *first = hd_free_list_take(&list, sizeof *first), *second = hd_free_list_take(&list, sizeof *second);
	hd_free_list_give(&list, first);
	hd_free_list_give(&list, second);
	assert_ptr_equal(hd_free_list_take(&list, sizeof *first), second);
	assert_ptr_equal(hd_free_list_take(&list, sizeof *first), first);
	while (list.first)
		hd_free_list_take(&list, sizeof *first);
	assert_int_equal(list.blocks.n, 1);
	hd_free_list_take(&list, sizeof *first);
	assert_int_equal(list.blocks.n, 2);
	hd_free_list_free(&list);
}
