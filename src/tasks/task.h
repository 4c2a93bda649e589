/* Task descriptors (PD-19): the grids of a run and their relations - dependences between the host's launches, child grids of running kernels, queues
 * whose entries arrive while they run. The table has no policy and no time: the task manager of the machine (device/manager.h) and the interpreter
 * decide when a grid runs. Both use this table, so that they agree on the meaning of a program.
 *
 * A grid has ended when all its CTAs and all its child grids have ended. Tail children begin after everything else of their parent has ended, one
 * after the other in the order of their launch. */
#ifndef HD_TASK_H
#define HD_TASK_H

#include "launch/launch.h"

enum {
	HD_PRIORITIES = 8, /* 0 lowest */
	HD_TASK_KINDS = 4, /* of programs (PD-36); the machine may give clusters to some of them (grids.clusters_1) */
};

/* A launch by the host: one element of a list. */
typedef struct hd_task {
	hd_launch launch;
	uint32_t priority;
	uint32_t kind;         /* of program; children have their parent's unless they say otherwise */
	uint32_t device;       /* on which it runs, with its children; the interpreter has one device with every number */
	bool at_head;          /* goes to the head of the list of its priority, not to the tail */
	uint64_t arrival;      /* cycle in which it reaches the task manager */
	const uint32_t *after; /* indices in the list: grids that must have ended first */
	uint32_t n_after;
	bool queue;                /* each entry of a queue starts a CTA; launch.grid is 1,1,1 */
	const uint32_t *producers; /* indices in the list: the queue ends when these have ended and it has no entry or CTA left */
	uint32_t n_producers;
	const uint64_t *items; /* entries that the host pushes at the arrival */
	uint64_t n_items;
	bool with_previous; /* a part of the same command as the task before it: of one range (docs/opencl.md) */
} hd_task;

/* A queue into which kernels enqueue commands (enqueue.h): memory for what commands need until their CTAs have ended. */
typedef struct hd_device_queue {
	uint64_t address, bytes;
} hd_device_queue;

/* A run's state for such queues. */
typedef struct hd_enqueuing {
	const hd_device_queue *queues;
	uint32_t n_queues;
	uint32_t default_queue;                       /* its number, from 1; 0: there is none */
	struct hd_clk_events *events;                 /* tasks/event.h; not NULL */
	size_t (*group_max)(const hd_kernel *kernel); /* threads of the largest group */
	uint32_t shared;                              /* bytes of shared memory that a CTA may have */
	uint32_t clock_mhz;                           /* cycles become nanoseconds by it; 0: a cycle is one */
} hd_enqueuing;

/* The outcome of one launch of the list. */
typedef struct hd_task_result {
	uint64_t arrival, begin, end; /* cycles: at the task manager, first CTA, end */
	uint64_t ctas, children;      /* children: grids launched by its CTAs, and by theirs */
	uint64_t evictions, saved;    /* number of evictions from the table; CTAs whose state was saved and restored */
	uint64_t pushed;              /* entries of a queue */
	bool begun, ended;
} hd_task_result;

typedef enum hd_grid_state { HD_GRID_BLOCKED, HD_GRID_READY, HD_GRID_WAITING, HD_GRID_RUNNING, HD_GRID_PARKED, HD_GRID_ENDED } hd_grid_state;

/* The state of a CTA that has come to a join: none, or none any more; it waits in its place; it waits without a place; its children have ended, and
 * it waits for a place. */
typedef enum hd_joining { HD_JOINING_NOT, HD_JOINING_RESIDENT, HD_JOINING_SAVED, HD_JOINING_RETURNING } hd_joining;

typedef struct hd_item {
	uint64_t value, ready; /* cycle from which it can start a CTA */
} hd_item;

/* Commands of kernels (enqueue.h) that wait for the same thing, in the order in which they were enqueued. */
typedef struct hd_enqueued_list {
	struct hd_enqueued *first, *last;
} hd_enqueued_list;

/* The child grids that a CTA has launched and that have not ended (PD-32). Tail children and queues are not among them, because they end after the
 * CTA. The CTA and each of these grids hold a pointer to it. */
typedef struct hd_child_grids {
	uint32_t open;                          /* number of these grids */
	bool left;                              /* the CTA has ended */
	hd_joining joining;                     /* owned by the machine */
	uint64_t since;                         /* owned by the machine: cycle in which `joining` last changed */
	uint32_t core, cta;                     /* owned by the machine, RESIDENT: the place of the CTA */
	struct hd_saved *saved;                 /* owned by the machine, SAVED: the state of the CTA */
	struct hd_child_grids *next, *previous; /* in hd_tasks.child_grids */
	hd_enqueued_list after;                 /* commands that wait for the end of the CTA */
	struct hd_grid *last;                   /* of the CTA's own stream (stream.h): its last grid that has not ended; NULL: none */
} hd_child_grids;

typedef struct hd_grid {
	hd_launch launch;
	hd_bank *bank;   /* from its first CTA on */
	uint8_t *params; /* of a child: a copy of its own */
	uint32_t handle, priority, kind, device, depth;
	hd_grid_state state;
	bool at_head, queue, closed, child;
	struct hd_grid *parent, *root;          /* root: the grid of the host's list */
	struct hd_grid *tail_first, *tail_last; /* tail children that still wait */
	struct hd_grid *next, *previous;        /* neighbours in the list that holds it */
	const hd_task *task;                    /* of the host's list, else NULL */
	hd_child_grids *siblings;               /* those of the CTA that launched it, with it; NULL when no join waits for it */
	struct hd_enqueued *command;            /* that it is a part of (enqueue.h); NULL: nobody asked yet */
	uint32_t children;                      /* children that have not ended, without waiting tail children */
	uint32_t waits;                         /* number of events that must happen before it is ready */
	uint32_t stream;                        /* of its parent's streams (stream.h); HD_STREAM_NONE: in no order */
	HD_VEC(struct hd_grid *) behind;        /* children of the same parent that wait for its end */
	HD_VEC(struct hd_grid *) streams;       /* of a parent: the last grid that has not ended, of each named stream that has one */
	uint64_t arrival;
	uint64_t began;              /* serial number among the grids that have begun; 0: it has not */
	uint64_t total, given, done; /* CTAs; for a queue: of its entries so far */
	struct {
		hd_item *at;
		uint32_t head, n, cap;
	} items;
	hd_task_result result;
	struct hd_saved *saved; /* owned by the machine: stopped CTAs that wait to continue */
	uint32_t n_saved;
	uint32_t joining;     /* owned by the machine: CTAs that wait for child grids and have no place (HD_JOINING_SAVED) */
	uint32_t transit;     /* owned by the machine: CTAs under way between a core and memory */
	uint32_t distributor; /* owned by the machine: number of its task manager + 1, 0 = none yet (PD-36) */
	uint64_t entered;     /* owned by the machine: cycle in which it came into the table */
	uint64_t described;   /* owned by the machine: cycle from which its descriptor is in the table (PD-37) */
} hd_grid;

typedef struct hd_grid_list {
	hd_grid *first, *last;
} hd_grid_list;
void hd_grid_put(hd_grid_list *list, hd_grid *grid, bool at_head);
void hd_grid_take(hd_grid_list *list, hd_grid *grid);

typedef struct hd_task_limits {
	uint32_t depth;   /* nesting of child grids */
	uint32_t pending; /* grids that have not begun, children and tail children */
	uint32_t entries; /* waiting entries of a queue */
} hd_task_limits;

typedef struct hd_tasks {
	const hd_program *program;
	hd_task_limits limits;
	/* Static text that says why a launch can never run; NULL if it can. */
	const char *(*refuse)(const void *machine, const hd_launch *launch);
	const void *machine;
	HD_VEC(hd_grid *) at;        /* by index, the host's first; NULL = free */
	HD_VEC(uint32_t) generation; /* of each index, so that handles are not reused soon */
	HD_VEC(uint32_t) unused;     /* free indices */
	bool without_banks;          /* the user of the table makes the banks of grids itself */
	uint32_t n_host;
	uint32_t open;                   /* grids that have not ended */
	uint32_t pending;                /* open children whose first CTA has not begun */
	uint32_t queues;                 /* queues that have not ended */
	bool queues_may_end;             /* something happened that may end a queue */
	hd_grid_list ready;              /* grids that have become ready; the user of the table removes them */
	HD_VEC(hd_grid *) ended;         /* children that have ended; hd_tasks_sweep frees them */
	hd_child_grids *child_grids;     /* all of them */
	HD_VEC(hd_child_grids *) joined; /* whose last child has ended while `joining` was set; the user of the table empties it */
	uint64_t spawned, deepest;
	hd_memory *memory;                 /* of the run, for `enqueuing` */
	const hd_enqueuing *enqueuing;     /* NULL: what kernels enqueue fails */
	struct hd_shelf *shelves;          /* of each of its queues: memory in use */
	HD_VEC(struct hd_clk_event *) due; /* complete events whose waiters do not know yet */
	uint64_t began;                    /* grids that have begun */
	HD_VEC(hd_grid *) lapsed;          /* markers (stream.h) that nothing holds any more, for hd_tasks_settle */
} hd_tasks;

/* Makes the table for the host's list. `list` outlives the table. False and errors in diag for an impossible launch. */
bool hd_tasks_init(hd_tasks *tasks, const hd_task *list, uint32_t n, hd_task_limits limits, hd_diag *diag);
void hd_tasks_free(hd_tasks *tasks);
/* A grid of the host's list has arrived. */
void hd_tasks_arrive(hd_tasks *tasks, hd_grid *grid);
/* The grid of a handle; NULL when no open grid has it. */
hd_grid *hd_tasks_find(const hd_tasks *tasks, uint32_t handle);
/* True when the grid has a CTA that can begin now, saved CTAs aside. */
bool hd_grid_has(const hd_grid *grid, uint64_t now);
/* Takes the next CTA: coordinates, number, and the entry's value for a queue. Requires hd_grid_has. The first call makes the bank,
 * unless `without_banks` is set. */
void hd_tasks_give(hd_tasks *tasks, hd_grid *grid, uint64_t now, uint32_t at[3], uint64_t *number, uint64_t *item);
/* A CTA of the grid has ended. */
void hd_tasks_done(hd_tasks *tasks, hd_grid *grid, uint64_t now);
/* True when a grid has become ready, when something may have ended a queue, or when a join is over: the work distributor has to act. */
static inline bool hd_tasks_signal(const hd_tasks *tasks) { return tasks->ready.first || tasks->queues_may_end || tasks->joined.n; }
/* Ends queues that are empty and have no producer left. To be called when `queues_may_end` is set. */
void hd_tasks_close(hd_tasks *tasks, uint64_t now);
/* Frees children that have ended. Requires that nothing points to them any more. */
void hd_tasks_sweep(hd_tasks *tasks);
/* For a run that can never continue: the open grids and what each waits for, as lines of text. */
void hd_tasks_explain(const hd_tasks *tasks, hd_text *text);

/* -- launches and pushes of running kernels ------------------------------------------------------------------------------------------------- */

/* The descriptor of a launch in memory, which LAUNCH reads (a structure in lib/heddle_device.h). Little-endian. */
enum {
	HD_CHILD_KERNEL = 0,  /* 64 bits: address of the kernel */
	HD_CHILD_PARAMS = 8,  /* 64 bits: generic address of its parameters */
	HD_CHILD_GRID = 16,   /* 3 x 32 bits */
	HD_CHILD_BLOCK = 28,  /* 3 x 32 bits */
	HD_CHILD_SHARED = 40, /* 32 bits: dynamic shared memory */
	HD_CHILD_BYTES = 44,  /* 32 bits: bytes of parameters */
	HD_CHILD_FLAGS = 48,  /* 32 bits */
	HD_CHILD_STREAM = 52, /* 32 bits, 0 without HD_CHILD_ANSWERS */
	HD_CHILD_SIZE = 56,
	HD_CHILD_TAIL = 1,          /* flag: begins when everything else of its parent has ended */
	HD_CHILD_QUEUE = 2,         /* flag: a queue */
	HD_CHILD_HEAD = 4,          /* flag: to the head of its list */
	HD_CHILD_PRIORITY = 8,      /* shift: priority + 1, 0 = the parent's, four bits */
	HD_CHILD_KIND = 12,         /* shift: kind + 1, 0 = the parent's */
	HD_CHILD_CALL = 1 << 16,    /* flag: no launch, but a longer descriptor of enqueue.h */
	HD_CHILD_ANSWERS = 1 << 17, /* flag: a request of stream.h */
};
typedef struct hd_child {
	uint64_t kernel, params;
	uint32_t grid[3], block[3], shared, bytes, flags, stream;
} hd_child;
void hd_child_read(const uint8_t bytes[HD_CHILD_SIZE], hd_child *child);
/* Launches a child: `params` holds child->bytes bytes; the grid is ready in cycle `ready`. *child_grids is that of the CTA that launches, NULL before
 * its first child. NULL and *why (owned by the caller) when the launch is impossible. */
hd_grid *hd_tasks_launch(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, const uint8_t *params, uint64_t ready,
                         char **why);
/* Why a child is refused. */
typedef enum hd_child_refusal {
	HD_REFUSAL_NONE,
	HD_REFUSAL_KERNEL, /* no kernel is there */
	HD_REFUSAL_SIZES,  /* of grid, CTA or parameters; flags */
	HD_REFUSAL_DEPTH,
	HD_REFUSAL_PENDING,
	HD_REFUSAL_RESOURCES, /* no core can hold such a CTA */
} hd_child_refusal;
/* True when a join of the CTA has to wait (PD-32). */
static inline bool hd_child_grids_open(const hd_child_grids *child_grids) { return child_grids && child_grids->open; }
/* True when the grid is below the CTA of `child_grids`: one of its grids, or a child of one, tail children and queues included. */
bool hd_child_grids_have(const hd_child_grids *child_grids, const hd_grid *grid);
/* The CTA has ended. `child_grids` may be NULL. */
void hd_child_grids_leave(hd_tasks *tasks, hd_child_grids *child_grids, uint64_t now);
/* Puts an entry into a queue; its number goes to *number. False and *why otherwise. */
bool hd_tasks_push(hd_tasks *tasks, uint32_t handle, uint64_t value, uint64_t ready, uint32_t *number, char **why);

#endif
