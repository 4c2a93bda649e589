/* The decoder's checks (HZ-18, HZ-21). They decide whether an instruction goes to its queue or its warp is de-scheduled. The decoder decodes the
 * instruction again when the warp is back, unless it decodes ahead of the scheduler (PD-39). Then the scheduler knows the verdict, and no issue slot
 * is lost. */
#ifndef HD_CORE_DECODE_H
#define HD_CORE_DECODE_H

#include "core/code.h"

typedef enum hd_verdict {
	HD_SEND,
	HD_WAIT_FENCE,   /* waits until the high-latency counters *watch are clear */
	HD_WAIT_WAITERS, /* waits until no secondary of an earlier primary waits in a queue for the instruction's own counter *watch */
	HD_WAIT_ROOM,    /* waits until its own counter *watch is no longer full */
} hd_verdict;

/* `flags` and `full` are the flags of the warp's fence counters. `waiters` holds the flags of its wait counters (0 when these are off). */
static inline hd_verdict hd_decoder_check(const hd_static *row, uint32_t flags, uint32_t full, uint32_t waiters, uint16_t *watch)
{
	uint32_t outstanding = row->at_issue & flags;
	if (outstanding) {
		*watch = (uint16_t)outstanding;
		return HD_WAIT_FENCE;
	}
	if (row->primary && ((waiters | full) >> (row->primary - 1) & 1)) {
		*watch = (uint16_t)(1u << (row->primary - 1));
		return waiters & *watch ? HD_WAIT_WAITERS : HD_WAIT_ROOM;
	}
	return HD_SEND;
}

/* The cause of the issue slot that is lost with this verdict. Requires a verdict other than HD_SEND. */
static inline hd_stall hd_stall_of_verdict(hd_verdict verdict)
{
	return verdict == HD_WAIT_FENCE ? HD_STALL_HIGH_LATENCY : verdict == HD_WAIT_WAITERS ? HD_STALL_WAIT_COUNTER : HD_STALL_COUNTER_FULL;
}

/* True for an instruction that may be sent while a branch ahead of it is not decided (PD-27). */
static inline bool hd_may_speculate(const hd_static *row)
{
	return row->kind <= HD_KIND_MEMORY || (row->kind == HD_KIND_NOP && !(row->effects & HD_EFFECT_PRIORITY) && !row->writes_hints);
}

#endif
