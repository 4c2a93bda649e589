/* The cycles that the compiler counted between the instructions of a warp (docs/timing.md, rule 2). They are the distance that delays, waits and the
 * flow unit guarantee on the path that the warp took. A queue keeps exactly this distance. It does not keep a longer distance that arose because
 * other warps issued in between.
 *
 * In hardware: one counter for each warp, with as many bits as the longest distance that is kept. */
#ifndef HD_CORE_COUNTED_H
#define HD_CORE_COUNTED_H

#include "core/code.h"

typedef struct hd_counted {
	bool by_pipe; /* the instructions of each pipe are counted separately (rule 7) */
	struct hd_count {
		uint64_t next;              /* count of the next instruction */
		uint64_t wait;              /* start of the next instruction's wait; unused with by_pipe, where `next` serves */
	} of[HD_WARP_SLOTS][HD_PIPE_COUNT]; /* only pipe 0 unless by_pipe */
} hd_counted;

static inline void hd_counted_init(hd_counted *counted, const hd_machine *machine)
{
	memset(counted, 0, sizeof *counted);
	counted->by_pipe = hd_machine_has_window(machine);
}

/* Counts an instruction of a pipe, other than flow, with by_pipe. Returns its count. */
static inline uint64_t hd_counted_issue_one(hd_counted *counted, unsigned warp, const hd_static *row)
{
	struct hd_count *count = &counted->of[warp][row->pipe];
	uint64_t at = count->next + row->wait;
	count->next = at + row->delay;
	return at;
}

/* Counts an instruction that issues. Returns its count. */
static inline uint64_t hd_counted_issue(hd_counted *counted, unsigned warp, const hd_static *row)
{
	/* The instruction behind a flow instruction never issues before the decision (rule 5). */
	uint64_t passed = row->kind == HD_KIND_FLOW ? 1u + row->latency : row->delay;
	if (!counted->by_pipe) {
		uint64_t next = counted->of[warp][0].next, wait = counted->of[warp][0].wait;
		uint64_t at = hd_max_u64(wait + row->wait, next);
		counted->of[warp][0].next = at + passed;
		counted->of[warp][0].wait = row->kind == HD_KIND_FLOW ? at + passed : at + 1;
		return at;
	}
	if (row->kind != HD_KIND_FLOW && row->kind != HD_KIND_NOP)
		return hd_counted_issue_one(counted, warp, row);
	/* An instruction that is sent alone counts for every pipe. */
	uint64_t at = counted->of[warp][row->pipe < HD_PIPE_COUNT ? row->pipe : 0].next + row->wait;
	for (unsigned p = 0; p < HD_PIPE_COUNT; p++)
		counted->of[warp][p].next += row->wait + passed;
	return at;
}

/* Joins the instruction that has just issued with the next one to a pair: no cycle lies between them. */
static inline void hd_counted_pair(hd_counted *counted, unsigned warp, const hd_static *first)
{
	counted->of[warp][0].next -= first->delay;
	counted->of[warp][0].wait = counted->of[warp][0].next;
}

#endif
