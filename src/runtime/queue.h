/* Queues of commands with their events, on which OpenCL's command queues and CUDA's streams rest. queue.c says who runs the commands.
 *
 * hr_lock (setting.h) guards what is marked [lock]. No lock is held while a function of the program runs. */
#ifndef HR_QUEUE_H
#define HR_QUEUE_H

#include "base/base.h"
#include "runtime/object.h"
#include "runtime/priority_mutex.h"
#include "runtime/setting.h"

/* The states of an event, those of OpenCL. An error is a negative number of the interface's choice. */
enum { HR_COMPLETE, HR_RUNNING, HR_SUBMITTED, HR_QUEUED };

typedef struct hr_queue hr_queue;
typedef struct hr_event hr_event;

typedef struct hr_callback {
	struct hr_callback *next;
	int status;
	void (*call)(void *event, int status, void *data);
	void *data;
} hr_callback;

struct hr_event {
	hr_object object;
	hr_queue *queue;        /* used; NULL: an event that the program completes */
	int status;             /* [lock] HR_QUEUED ... HR_COMPLETE, or an error */
	uint64_t times[4];      /* [lock] queued, submitted, started, ended: simulated nanoseconds */
	hr_callback *callbacks; /* [lock] */
	unsigned waiting;       /* [lock] threads of the program in hr_event_wait */
	/* [lock] Other queues that have a command that waits for the event. They live until the command has run, and so until the event has ended. */
	HD_VEC(hr_queue *) followers;
};

/* A command in a queue. `run` does the work without a lock and returns 0 or an error; *ns receives the simulated nanoseconds. An interface's
 * command begins with one of these. */
typedef struct hr_command {
	struct hr_command *next;
	hr_queue *queue; /* not counted as a use, because a queue outlives its commands */
	hr_event *event; /* used */
	hr_event **wait; /* used */
	unsigned n_wait;
	bool after_all;                                       /* waits for every command before it (marker and barrier without a list) */
	bool before_all;                                      /* every command after it waits for it (barrier) */
	bool despite_errors;                                  /* runs also if an event for which it waits has failed */
	int (*run)(struct hr_command *command, uint64_t *ns); /* NULL: nothing to do */
	void (*drop)(struct hr_command *command);             /* may be NULL: frees what the interface's command owns */
} hr_command;

/* A call of a function of the program that waits for the queue's thread. */
typedef struct hr_call {
	struct hr_call *next;
	void (*call)(void *data);
	void *data;
} hr_call;

struct hr_queue {
	hr_object object;
	bool out_of_order;
	hr_priority priority;           /* of its launches among those of the context */
	const atomic_bool *destructors; /* while it is true, the ends of commands may call functions of the program; or NULL */
	int error_of_wait;              /* the status of a command that did not run because an event for which it waited had failed */
	hr_command *first, **last;      /* [lock] the running command is HR_RUNNING; in an in-order queue it is the first */
	pthread_t thread;
	hr_call *calls, **last_call; /* [lock] for the queue's thread */
	uint64_t posted, made;       /* [lock] number of calls so far, left to the thread and made, with ends of commands */
	unsigned awaiting;           /* [lock] threads that wait for calls */
	pthread_cond_t wake;         /* the queue's thread has something to do */
	pthread_cond_t ended;        /* an event of the queue for which a thread of the program waits has ended */
	bool busy;                   /* [lock] a thread runs a command of the queue */
	bool urgent;                 /* [lock] the queue's thread does not leave the next command to a thread that may come and wait for it */
	bool asleep;                 /* [lock] the queue's thread waits without a limit for `wake` */
	bool closing;                /* [lock] the queue was released: the thread ends when the lists are empty */
	int failed;                  /* [lock] a command failed since hr_queue_take_failure */
	uint64_t served;             /* [lock] number of commands that have ended */
};

/* Makes the queue's thread and conditions. The object, zeroed but for what its interface has set, has one more use until the thread ends. False:
 * there is no thread; the caller then only drops the object. */
bool hr_queue_start(hr_queue *queue);
/* For the object's destroy(). */
void hr_queue_destroy(hr_queue *queue);
/* Has the queue's thread end when everything has run. hr_lock is held. */
void hr_queue_close(hr_queue *queue);
/* A command's parts, of which it owns one use. `event` is new: its use becomes the command's. The wait list is copied. */
void hr_command_init(hr_command *command, hr_queue *queue, hr_event *event, unsigned n_wait, hr_event *const *wait);
/* Drops and frees the command, which was allocated in one piece. */
void hr_command_free(hr_command *command);
/* Puts the command at the end of its queue, which then owns it. */
void hr_queue_put(hr_command *command);
/* The same with hr_lock held, for a caller that reads and changes more at once. */
void hr_queue_put_locked(hr_command *command);
/* Waits for the calls that have been left to the queue's thread, but not for ever; not on that thread itself. hr_lock is held before and after,
 * not in between. */
void hr_queue_await_calls(hr_queue *queue);
/* For a thread that waits for an event of the queue. Runs the next command of the queue, or of a queue that it waits for, on this thread. When none
 * can run, or another thread runs one, returns after a while, or when there may be something new. hr_lock is held before and after, not in between.
 */
void hr_queue_wait(hr_queue *queue);
/* Has the queue's thread run the commands of the queue now. hr_lock is held. */
void hr_queue_urge(hr_queue *queue);
/* Leaves a call of a function of the program to the queue's thread. Called without hr_lock, while a command of the queue runs. */
void hr_queue_call(hr_queue *queue, void (*call)(void *data), void *data);
/* The error of a command that failed since the last call, or 0. */
int hr_queue_take_failure(hr_queue *queue);

#endif
