/* Device queues: what a kernel asks of the task table beside plain launches (OpenCL's enqueue_kernel, docs/grids.md). A kernel asks with the
 * instruction `launch`, on a larger descriptor that has the flag HD_CHILD_CALL. The answer is a value, also where the table says no.
 *
 * A *command* is a kernel over a range. It is a grid, or up to eight where the groups of the range have several sizes. It waits for its events and
 * for the end of its parent's CTA or CTAs, in no place of the machine. It has ended when its grids have, with their children. */
#ifndef HD_ENQUEUE_H
#define HD_ENQUEUE_H

#include "launch/range.h"
#include "tasks/event.h"
#include "tasks/task.h"

/* The requests that a kernel can make. */
typedef enum hd_task_call {
	HD_CALL_ENQUEUE,    /* the event's handle, 0 without one, or an error */
	HD_CALL_MARKER,     /* the same */
	HD_CALL_USER_EVENT, /* the event's handle, or an error */
	HD_CALL_STATUS,     /* completes a user event */
	HD_CALL_RETAIN,
	HD_CALL_RELEASE,
	HD_CALL_VALID,   /* 1 for an event */
	HD_CALL_CAPTURE, /* writes the event's times when it is complete */
	HD_CALL_QUEUE,   /* the default queue's number, from 1; 0: there is none */
	HD_CALL_GROUP,   /* the largest group of the kernel */
	HD_CALL_LOCAL,   /* the threads of a full group of the range */
	HD_CALLS
} hd_task_call;

/* The answers that are errors, OpenCL's numbers. */
enum {
	HD_CALL_OUT_OF_RESOURCES = -5,
	HD_CALL_INVALID_ARG_SIZE = -51,
	HD_CALL_INVALID_WAIT_LIST = -57,
	HD_CALL_NO_EVENT = -100,
	HD_CALL_FAILURE = -101,
	HD_CALL_INVALID_QUEUE = -102,
	HD_CALL_INVALID_RANGE = -160,
	HD_CALL_QUEUE_FULL = -161,
};

/* The descriptor of a call in memory (a structure in lib/heddle_queue.cl). Little-endian. Numbers are 64 bits where nothing else is said. */
enum {
	HD_CALL_KERNEL = 0,    /* address of the kernel */
	HD_CALL_LITERAL = 8,   /* generic address of the block's literal, which begins with its size and alignment, 32 bits each */
	HD_CALL_QUEUE_AT = 16, /* number of the queue */
	HD_CALL_WAIT = 24,     /* generic address of handles of events, 64 bits each */
	HD_CALL_SIZES = 32,    /* generic address of the sizes of local arguments, 64 bits each */
	HD_CALL_N_WAIT = 40,   /* 32 bits */
	HD_CALL_N_SIZES = 44,  /* 32 bits */
	HD_CALL_FLAGS = 48,    /* 32 bits: HD_CHILD_CALL, at the place of HD_CHILD_FLAGS */
	HD_CALL_WHAT = 52,     /* 32 bits: hd_task_call */
	HD_CALL_AFTER = 56,    /* 32 bits: HD_CALL_NOW, ... */
	HD_CALL_WANTED = 60,   /* 32 bits: an event is wanted; of HD_CALL_STATUS: the status */
	HD_CALL_EVENT = 64,    /* handle of an event */
	HD_CALL_TARGET = 72,   /* of HD_CALL_CAPTURE: address in global memory */
	HD_CALL_DIMS = 80,     /* 32 bits */
	HD_CALL_OFFSET = 88,   /* 3 numbers, as the two that follow */
	HD_CALL_GLOBAL = 112,
	HD_CALL_BLOCK = 136, /* zeros: the table chooses */
	HD_CALL_SIZE = 160,
	HD_CALL_NOW = 0, /* when the command may begin: at once, after the CTAs of the parent's command, after the parent's CTA */
	HD_CALL_AFTER_KERNEL = 1,
	HD_CALL_AFTER_CTA = 2,
};

typedef struct hd_enqueued {
	uint32_t grids;  /* that are not freed */
	uint32_t bodies; /* grids whose CTAs have not all ended */
	uint32_t open;   /* grids that have not ended */
	uint32_t waits;  /* what must happen before it begins */
	int32_t failure; /* an event that it waited for has failed: its CTAs do not run */
	bool begun;
	uint32_t n_parts;
	hd_grid *part[HD_RANGE_PARTS];
	hd_range range[HD_RANGE_PARTS];
	hd_clk_event *event;      /* NULL: nobody asked for one */
	struct hd_enqueued *next; /* of the commands that wait for the same CTA, or for the same command's CTAs */
	hd_enqueued_list after;   /* commands that wait for the end of this one's CTAs */
	uint64_t begin, end;      /* cycles */
	uint32_t queue;           /* number of the queue that holds the literal, from 1; 0: none does */
	uint32_t size_class;
	uint64_t literal; /* address */
} hd_enqueued;

/* Reads `bytes` bytes of memory of the thread that asks, aligned to `align`. NULL: they cannot be read, and the reader has noted the trap.
 * `made`, unless NULL, receives each grid that the call makes, before it begins. `waits`: it begins behind events, or behind the end of CTAs. */
typedef struct hd_reader {
	const uint8_t *(*at)(void *context, uint64_t address, uint32_t bytes, uint32_t align);
	void *context;
	void (*made)(void *context, const hd_grid *grid, bool waits);
} hd_reader;

/* Answers what the descriptor at `bytes` (HD_CALL_SIZE) asks for. False on a trap that the reader has noted. `parent`, `child_grids` and `ready` as
 * in hd_tasks_launch. */
bool hd_tasks_call(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const uint8_t *bytes, uint64_t ready, const hd_reader *reader,
                   int32_t *answer);

/* For task.c. */
/* The command of a grid; made if nobody asked yet. */
hd_enqueued *hd_enqueued_of(hd_grid *grid);
/* Makes the grid a part of the command. */
void hd_enqueued_add(hd_enqueued *command, hd_grid *grid);
/* The first CTA of a grid of a command begins. */
void hd_enqueued_begin(hd_enqueued *command, uint64_t now);
/* The CTAs of a grid have ended. */
void hd_enqueued_body_ended(hd_tasks *tasks, hd_grid *grid, uint64_t now);
/* A grid has ended, with its children. */
void hd_enqueued_part_ended(hd_tasks *tasks, hd_enqueued *command, uint64_t now);
/* Releases the commands of a list, whose condition is met, and empties it. */
void hd_enqueued_release(hd_tasks *tasks, hd_enqueued_list *list, uint64_t now);
/* Does what the ends of commands have left to do. */
void hd_enqueued_flush(hd_tasks *tasks, uint64_t now);
/* A grid is freed. */
void hd_enqueued_drop(hd_enqueued *command);
void hd_enqueued_free(hd_tasks *tasks);

/* task.c, for enqueue.c */
hd_grid *hd_tasks_new_grid(hd_tasks *tasks);
void hd_tasks_make_child(hd_tasks *tasks, hd_grid *parent, hd_grid *grid, const hd_launch *launch, uint64_t ready);
void hd_tasks_make_ready(hd_tasks *tasks, hd_grid *grid);
hd_child_grids *hd_tasks_child_grids(hd_tasks *tasks, hd_child_grids **child_grids);
const hd_kernel *hd_tasks_kernel_at(const hd_tasks *tasks, uint64_t entry);
/* True if the table has room for so many grids more. */
bool hd_tasks_room(const hd_tasks *tasks, uint32_t grids);
/* Ends what has come to its end by a change of this grid. */
void hd_tasks_settle(hd_tasks *tasks, hd_grid *grid, uint64_t now);

#endif
