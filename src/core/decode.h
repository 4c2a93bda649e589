/* The decoder's checks (HZ-18, HZ-21): may this instruction be sent to its queue, or has its warp to be de-scheduled? */
#ifndef HD_CORE_DECODE_H
#define HD_CORE_DECODE_H

#include "core/code.h"

typedef enum hd_verdict {
	HD_SEND,
	HD_WAIT_FENCE,   /* outstanding high-latency counters: *watch */
	HD_WAIT_WAITERS, /* its own counter still has secondaries of an earlier primary on the way: *watch */
} hd_verdict;

/* `fence` and `waiters` are the flags of the warp. With wait counters off, `waiters` is always 0. */
static inline hd_verdict hd_decoder_check(const hd_static *row, uint32_t fence, uint32_t waiters, uint16_t *watch)
{
	uint32_t outstanding = row->at_issue & fence;
	if (outstanding) {
		*watch = (uint16_t)outstanding;
		return HD_WAIT_FENCE;
	}
	if (row->primary && (waiters >> (row->primary - 1) & 1)) {
		*watch = (uint16_t)(1u << (row->primary - 1));
		return HD_WAIT_WAITERS;
	}
	return HD_SEND;
}

#endif
