#include "sanitizer/table.h"

static size_t place(const hd_san_table *table, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (table->room - 1);
	while (table->at[i].value && table->at[i].key != key)
		i = (i + 1) & (table->room - 1);
	return i;
}

static void grow(hd_san_table *table)
{
	hd_san_table old = *table;
	table->room = old.room ? 2 * old.room : 64;
	table->at = hd_xcalloc(table->room, sizeof *table->at);
	for (size_t i = 0; i < old.room; i++)
		if (old.at[i].value)
			table->at[place(table, old.at[i].key)] = old.at[i];
	free(old.at);
}

void **hd_san_table_at(hd_san_table *table, uint64_t key)
{
	if (2 * (table->n + 1) > table->room)
		grow(table);
	struct hd_san_entry *entry = &table->at[place(table, key)];
	table->n += !entry->value;
	entry->key = key;
	return &entry->value;
}

void *hd_san_table_find(const hd_san_table *table, uint64_t key) { return table->room ? table->at[place(table, key)].value : NULL; }

void hd_san_table_free(hd_san_table *table)
{
	free(table->at);
	*table = (hd_san_table){0};
}
