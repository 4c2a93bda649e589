/* Instruction caches (PD-11): tags of a set-associative cache, with the cycle from which each line is present. A line has the bytes of a line of
 * code. An L1.5 cache can hold constants, too (PD-37). Their line numbers have the bit HD_ICACHE_CONSTANT. */
#ifndef HD_ICACHE_H
#define HD_ICACHE_H

#include "memory/tag_array.h"

#define HD_ICACHE_CONSTANT (UINT64_C(1) << 63)

typedef struct hd_icache {
	hd_tag_array array;
	uint64_t *there; /* of each tag: cycle from which the line is present; in the future until the line arrives */
} hd_icache;

void hd_icache_init(hd_icache *cache, uint32_t lines, uint32_t ways);
void hd_icache_free(hd_icache *cache);
/* Uses the line. Returns the cycle from which it is present, or NULL without the line. */
uint64_t *hd_icache_find(hd_icache *cache, uint64_t line);
/* Inserts the line. It is present from cycle `there` on. */
void hd_icache_fill(hd_icache *cache, uint64_t line, uint64_t there);
/* The line becomes known to be present from cycle `there` on, if it is there with `pending` in place of that cycle. It counts as no use. */
void hd_icache_settle(hd_icache *cache, uint64_t line, uint64_t pending, uint64_t there);

#endif
