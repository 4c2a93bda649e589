/* Blocks of a page (src/explore/README.md): compressed bytes as text in an element of their own, and the table that the page finds them by. */
#ifndef HD_EXPLORE_BLOCK_H
#define HD_EXPLORE_BLOCK_H

#include "base/base.h"

#include <stdio.h>

typedef enum hd_block_kind {
	HD_BLOCK_CODE,
	HD_BLOCK_LEVEL,
	HD_BLOCK_WARPS,
	HD_BLOCK_TILE,
	HD_BLOCK_UNITS,
	HD_BLOCK_INDEX,
	HD_BLOCK_KINDS
} hd_block_kind;
extern const char *const hd_block_names[HD_BLOCK_KINDS];

typedef struct hd_block_row {
	hd_block_kind kind;
	uint64_t first, last, count; /* cycles that the block says something about, inclusive; its records */
} hd_block_row;

typedef struct hd_blocks {
	FILE *out;
	uint64_t written; /* bytes of all elements */
	HD_VEC(hd_block_row) rows;
} hd_blocks;

/* Writes a block to blocks->out. What it is goes to the table, in which the index is not. Errors of the stream stay in the stream. */
void hd_block_put(hd_blocks *blocks, hd_block_row row, const void *bytes, size_t n);
void hd_blocks_free(hd_blocks *blocks);

/* -- numbers of binary blocks ------------------------------------------------------------------------------------------------------------ */
void hd_put_number(hd_text *bytes, uint64_t value);
/* A number that may be below zero, as the difference of two. */
void hd_put_change(hd_text *bytes, uint64_t value, uint64_t before);

#endif
