/* Lists that are in order each by itself, merged: a heap of them by the key of their next element. */
#ifndef HD_TURNS_H
#define HD_TURNS_H

#include "base/base.h"

/* A list, and the key of the element that is next in it. */
typedef struct hd_turn {
	uint64_t key;
	uint32_t list;
} hd_turn;

/* Makes a heap of n turns: the first has the least key. */
void hd_turns_order(hd_turn *heap, uint32_t n);
/* The key of the first turn has grown, or another turn took its place. Requires: n turns, of which only the first may be out of place. */
void hd_turns_sink(hd_turn *heap, uint32_t n);

#endif
