/* The cycles that the compiler counted between the instructions of a warp (docs/timing.md, rule 2): what delays, waits and the flow unit make sure of
 * on the way that the warp took, whatever else held it back. A queue keeps this distance, and no more: a longer one that came about by chance,
 * because other warps had their turn, is nobody's to rely on.
 *
 * In hardware: a counter a warp of as many bits as the longest distance that is kept. */
#ifndef HD_CORE_COUNTED_H
#define HD_CORE_COUNTED_H

#include "core/code.h"

typedef struct hd_counted {
	bool by_pipe; /* each pipe's instructions are counted for themselves (rule 7) */
	/* [warp slot][pipe, 0 alone unless by_pipe]: count of the next instruction, and where the wait of its hint begins */
	uint64_t next[HD_WARP_SLOTS][HD_PIPE_COUNT], wait[HD_WARP_SLOTS][HD_PIPE_COUNT];
} hd_counted;

static inline void hd_counted_init(hd_counted *counted, const hd_machine *machine)
{
	memset(counted, 0, sizeof *counted);
	counted->by_pipe = machine->multi_issue_window > 1;
}

/* The instruction is issued: its count. */
static inline uint64_t hd_counted_issue(hd_counted *counted, unsigned warp, const hd_static *row)
{
	uint64_t *next = counted->next[warp], *wait = counted->wait[warp];
	unsigned pipe = counted->by_pipe && row->pipe < HD_PIPE_COUNT ? row->pipe : 0;
	uint64_t at = wait[pipe] + row->wait > next[pipe] ? wait[pipe] + row->wait : next[pipe];
	/* What follows a flow instruction comes no earlier than its decision (rule 5). */
	uint64_t passed = row->kind == HD_KIND_FLOW ? 1u + row->latency : row->delay;
	if (!counted->by_pipe) {
		next[0] = at + passed;
		wait[0] = row->kind == HD_KIND_FLOW ? at + passed : at + 1;
	} else if (row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP) {
		/* Sent alone. */
		for (unsigned p = 0; p < HD_PIPE_COUNT; p++)
			next[p] = wait[p] = next[p] + row->wait + passed;
	} else {
		next[pipe] = wait[pipe] = at + passed;
	}
	return at;
}

/* What has just been issued forms a pair with the next one: no cycle lies between them. */
static inline void hd_counted_pair(hd_counted *counted, unsigned warp, const hd_static *first)
{
	counted->next[warp][0] -= first->delay;
	counted->wait[warp][0] = counted->next[warp][0];
}

#endif
