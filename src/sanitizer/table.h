/* A table from numbers to pointers, which only grows. */
#ifndef HD_SAN_TABLE_H
#define HD_SAN_TABLE_H

#include "base/base.h"

typedef struct hd_san_table {
	struct hd_san_entry {
		uint64_t key;
		void *value; /* NULL: no entry */
	} * at;
	size_t n, room; /* room: a power of 2, or 0 */
} hd_san_table;

/* The place of the key's value, which is NULL at first; valid until the next call. */
void **hd_san_table_at(hd_san_table *table, uint64_t key);
/* The value; NULL: none. */
void *hd_san_table_find(const hd_san_table *table, uint64_t key);
void hd_san_table_free(hd_san_table *table); /* not the values */

#endif
