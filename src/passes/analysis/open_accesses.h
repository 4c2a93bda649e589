/* Accesses that a warp may have under way at a point of a function: the facts of the analysis in hazards.c.
 *
 * An access of an instruction P is open for a pipe while the pipe's next instruction could come before the access: before P's write, or before P
 * reads its operands. Only accesses that matter are kept:
 *
 *  - A write of a resource that is certain (without a guard) replaces all earlier accesses to it. The write was itself ordered behind them, so
 * whoever waits for the write is behind them, too.
 *  - A read that is certain replaces earlier reads of the resource in its pipe, as a pipe reads its operands in order.
 *
 * So a path without guards and branches has one writer of each resource, and one reader in each pipe. */
#ifndef HD_OPEN_ACCESSES_H
#define HD_OPEN_ACCESSES_H

#include "passes/analysis/resources.h"

enum { HD_ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

/* The open accesses of one instruction. */
typedef struct hd_open_fact {
	uint32_t inst;
	uint16_t writes, reads; /* masks of pipes for which they are open */
	uint32_t current;       /* its accesses that no later one has replaced; a mask of open_accesses.c */
} hd_open_fact;

/* A set of facts, ascending by instruction. Zeroed = empty. */
typedef struct hd_open_set {
	hd_open_fact *at;
	size_t n, cap;
} hd_open_set;

void hd_open_set_free(hd_open_set *set);
/* into |= more. True: this changed `into`. */
bool hd_open_set_join(hd_open_set *into, const hd_open_set *more);

typedef HD_VEC(uint32_t) hd_inst_list;

/* The facts at the current point. */
typedef struct hd_open_accesses {
	const hd_resource_use *uses; /* by instruction */
	bool order_matters;          /* the function waits for memory accesses as such: it has a fence or a call, or is called */
	/* By instruction. */
	uint16_t *writes, *reads;
	uint32_t *current;
	/* Instructions with open accesses. An instruction stays in these lists for a while when its accesses are closed. */
	hd_inst_list all;                       /* in order of arrival */
	size_t loaded;                          /* so many of `all`, at its beginning, are from hd_open_load */
	hd_inst_list of_pipe[HD_PIPE_COUNT];    /* those that a wait for a younger instruction of the pipe can close */
	hd_inst_list on_resource[HD_RES_COUNT]; /* those that access the resource */
	hd_inst_list ordered;                   /* those with a part in the order of memory */
} hd_open_accesses;

/* `uses` of n instructions must outlive the state. The caller frees the result with hd_open_free. */
hd_open_accesses hd_open_new(const hd_resource_use *uses, uint32_t n, bool order_matters);
void hd_open_free(hd_open_accesses *s);

/* Replaces the state by the facts of the set. */
void hd_open_load(hd_open_accesses *s, const hd_open_set *set);
/* Replaces the set by the facts of the state. */
void hd_open_store(hd_open_accesses *s, hd_open_set *set);
/* Closes all accesses. */
void hd_open_clear(hd_open_accesses *s);

/* An instruction issues: its accesses are open for all pipes. `certain`: it has no guard. Requires: its own waits were applied. */
void hd_open_issue(hd_open_accesses *s, uint32_t inst, bool certain);

/* Is the instruction's write, or read, of the resource one that nothing has replaced? */
bool hd_open_writes(const hd_open_accesses *s, uint32_t inst, uint32_t resource);
bool hd_open_reads(const hd_open_accesses *s, uint32_t inst, uint32_t resource);

/* Takes out of a list the instructions that have nothing to do there any more, and returns the list. */
const hd_inst_list *hd_open_all(hd_open_accesses *s);
const hd_inst_list *hd_open_of_pipe(hd_open_accesses *s, unsigned pipe);
const hd_inst_list *hd_open_on_resource(hd_open_accesses *s, uint32_t resource);
const hd_inst_list *hd_open_ordered(hd_open_accesses *s);

#endif
