/* Accesses to live memory (hd_memory_share_live), which threads of the host may read and change while a kernel runs: each is one atomic operation of
 * the host, sequentially consistent, so nothing is torn or lost, and what either side wrote before is there when the other side sees it. */
#ifndef HD_LIVE_H
#define HD_LIVE_H

#include "launch/launch.h"

/* The access of one lane. Places are aligned to their size; 16 bytes are two accesses of 8. */
typedef struct hd_live_access {
	const hd_access_op *op; /* no fence, launch or push */
	const uint32_t *data;   /* of a store: its words */
	uint64_t b, c;          /* of an atomic: its operand; of a compare and swap: what is expected, and what takes its place */
} hd_live_access;

/* Performs the access at host bytes. `out` receives what a load reads, or what was there before an atomic, as words. */
void hd_live_perform(const hd_live_access *access, void *at, uint32_t out[4]);

#endif
