/* Streams of kernels: child grids of one parent that run one after the other, and events between streams (CUDA's device runtime, docs/grids.md).
 *
 * A kernel asks with the instruction `launch`, on a descriptor with the flag HD_CHILD_ANSWERS. The answer is a value, also where the table says no:
 * CUDA has errors for what is a trap otherwise. A *marker* is a child without CTAs. It is a place in a stream, and its handle is an event: what
 * waits for it goes on when everything before it in its stream has ended. */
#ifndef HD_STREAM_H
#define HD_STREAM_H

#include "tasks/task.h"

/* The request of a descriptor, at the place of HD_CHILD_KIND. */
enum {
	HD_STREAM_LAUNCH,  /* a child; HD_CHILD_TAIL may be set. 0, or CUDA's number of the error */
	HD_STREAM_MARKER,  /* a marker behind the grid whose handle is at HD_CHILD_KERNEL, if there is one that has not ended. Its handle; 0: no room
	                    */
	HD_STREAM_MEASURE, /* the bytes of the kernel's parameters; UINT32_MAX: no kernel is there */
	HD_STREAM_WHAT = 18, /* shift, two bits */
};
/* Streams: each child waits for the end of the one before it in the same stream of its parent. */
enum {
	HD_STREAM_NONE, /* waits for nothing */
	HD_STREAM_CTA,  /* a stream that each CTA has; the others belong to the grid */
};
/* CUDA's numbers of errors. */
enum {
	HD_STREAM_BAD_SIZES = 9,
	HD_STREAM_TOO_DEEP = 65,
	HD_STREAM_TOO_MANY = 69,
	HD_STREAM_BAD_KERNEL = 98,
	HD_STREAM_NO_RESOURCES = 701,
};

/* Sets child->bytes, so that the caller can read the parameters: 0 when there is nothing to read. */
void hd_stream_measure(const hd_tasks *tasks, hd_child *child);
/* Answers. `params` holds child->bytes bytes; the grid can begin in cycle `ready`. *child_grids is that of the CTA that asks, NULL before its first
 * child. *grid: the child, or NULL. */
uint32_t hd_stream_call(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, const uint8_t *params, uint64_t ready,
                        hd_grid **grid);

/* -- for task.c ---------------------------------------------------------------------------------------------------------------------------------- */

/* The grid has ended: what waits for it goes on. */
void hd_stream_leave(hd_tasks *tasks, hd_grid *grid, uint64_t now);
/* Whether a child is refused, and then why; else *launch. */
hd_child_refusal hd_tasks_refuses(const hd_tasks *tasks, const hd_grid *parent, const hd_child *child, hd_launch *launch, hd_text *why);
/* Adds a child that is neither ready nor counted by its parent, except a tail child, which is whole. */
hd_grid *hd_tasks_add_child(hd_tasks *tasks, hd_grid *parent, const hd_child *child, hd_launch *launch, const uint8_t *params, uint64_t ready);
/* A join of the CTA waits for the grid. */
void hd_child_grids_add(hd_tasks *tasks, hd_child_grids **child_grids, hd_grid *grid);

#endif
