/* ST-3: workers are processes. Each task runs in a process of its own, so what it does to itself costs one task. */
#ifndef HD_STUDY_POOL_H
#define HD_STUDY_POOL_H

#include "base/base.h"

enum { HD_POOL_JOBS_MAX = 256, HD_POOL_RESULT_MAX = 1 << 20 };

typedef enum hd_pool_ended {
	HD_POOL_DONE,    /* the worker wrote a whole result */
	HD_POOL_DIED,    /* by a signal, or with an exit status and no result */
	HD_POOL_TIMEOUT, /* it took longer than `seconds` */
	HD_POOL_MEMORY   /* it ran out of memory */
} hd_pool_ended;

typedef struct hd_pool_end {
	hd_pool_ended ended;
	int signal, status; /* of a worker that died: signal, or 0 and the exit status */
	double seconds;
	int64_t started;
	const char *log; /* the end of what it wrote to standard error; "" for nothing */
} hd_pool_end;

typedef struct hd_pool {
	unsigned jobs;
	double seconds;    /* limit of a task; 0 = none */
	uint64_t memory;   /* MiB of a worker's memory; 0 = no limit */
	int memory_status; /* exit status of a worker that is out of memory */
	void *context;
	bool (*next)(void *context, size_t *task);                 /* false: no task is left */
	void (*work)(void *context, size_t task, hd_text *result); /* in the worker */
	/* In the caller's process. False ends the pool. */
	bool (*done)(void *context, size_t task, const hd_pool_end *end, const void *result, size_t size);
	bool (*stop)(void *context); /* asked some times a second; true kills the workers, whose tasks are not done */
	void (*tick)(void *context); /* called some times a second; may be NULL */
} hd_pool;

/* Runs all tasks. False when `stop` or `done` ended it, or a process cannot be made (an error in diag). No worker is left when it returns; workers
 * also end when this process is killed. */
bool hd_pool_run(const hd_pool *pool, hd_diag *diag);

#endif
