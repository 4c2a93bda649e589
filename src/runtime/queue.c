/* Queues. A queue's commands run one at a time. An in-order queue runs them in order. An out-of-order queue runs the first command whose wait
 * list has ended.
 *
 * Who runs them. A thread of the program that waits for an event of the queue runs the commands itself, because a switch to another thread costs more
 * than a small launch. For programs that do not wait, each queue has a thread of its own. It begins when a command is as old as PATIENCE_NS and no
 * thread has come, or at once when the queue is urged: another queue waits for it, or the program asks for the status of an event or registers a
 * callback. While it has had work lately, it looks at the queue at that interval, so that an enqueue need not wake it.
 *
 * Functions of the program (callbacks, destructors, notifications) are called on the queue's thread only: a thread of the program may
 * hold a lock that such a function takes. For the same reason they are called when no command runs on the queue's thread: the program may wait for
 * that command with the lock. Programs rely on it that a blocking call returns after the callbacks of earlier commands. So it waits for
 * them, but not for ever.
 *
 * While the queue's thread is in such a function, it runs no command, and the function may need the end of one: it may wait for the command, or for a
 * lock that a waiting thread holds. Any thread that waits for an event of the queue, or of a queue that waits for this one, may then be the one that
 * has to run it. So each of them looks again after LOOK_NS. */
#include "runtime/event.h"

#include <errno.h>
#include <fenv.h>
#include <time.h>

enum {
	PATIENCE_NS = 500 * 1000,
	IDLE_TURNS = 8,               /* times that the queue's thread finds nothing before it waits without a limit */
	DEPTH = 4,                    /* of queues that wait for each other, in which a thread that waits runs commands */
	LOOK_NS = 2 * 1000 * 1000,    /* after which a thread that waits looks again whether it can run a command */
	CALLS_NS = 100 * 1000 * 1000, /* how long a blocking call waits for functions of the program */
	SECOND_NS = 1000 * 1000 * 1000,
};

void hr_queue_destroy(hr_queue *queue)
{
	pthread_cond_destroy(&queue->wake);
	pthread_cond_destroy(&queue->ended);
}

/* True when every event for which the command waits has ended. *failed is true when one of them failed. hr_lock is held. */
static bool ready(const hr_command *command, bool *failed)
{
	*failed = false;
	for (unsigned i = 0; i < command->n_wait; i++) {
		if (command->wait[i]->status > HR_COMPLETE)
			return false;
		*failed = *failed || command->wait[i]->status < 0;
	}
	return true;
}

/* The next command that may run, or NULL. It stays in the list. hr_lock is held. */
static hr_command *choose(hr_queue *queue, bool *failed)
{
	bool in_order = !queue->out_of_order;
	for (hr_command *command = queue->first; command; command = command->next) {
		if ((command == queue->first || !command->after_all) && ready(command, failed))
			return command;
		if (in_order || command->before_all)
			return NULL;
	}
	return NULL;
}

static void unlink_command(hr_queue *queue, hr_command *command)
{
	hr_command **at = &queue->first;
	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
	if (!*at)
		queue->last = at;
}

/* The functions of this section require hr_lock. */
static void signal_thread(hr_queue *queue)
{
	queue->asleep = false;
	pthread_cond_signal(&queue->wake);
}

/* Wakes the queue's thread if it would not look at the queue soon. */
static void rouse(hr_queue *queue)
{
	if (queue->asleep)
		signal_thread(queue);
}

void hr_queue_urge(hr_queue *queue)
{
	if (!queue->urgent || queue->asleep)
		signal_thread(queue);
	queue->urgent = true;
}

/* -- functions of the program --------------------------------------------------------------------------------------------------------------- */

/* Leaves a call to the queue's thread. hr_lock is held. */
static void call_later(hr_queue *queue, void (*call)(void *data), void *data)
{
	hr_call *one = hd_xmalloc(sizeof *one);
	*one = (hr_call){.call = call, .data = data};
	*queue->last_call = one;
	queue->last_call = &one->next;
	queue->posted++;
	signal_thread(queue);
}

void hr_queue_call(hr_queue *queue, void (*call)(void *data), void *data)
{
	pthread_mutex_lock(&hr_lock);
	call_later(queue, call, data);
	pthread_mutex_unlock(&hr_lock);
}

/* The functions from here to hr_queue_await_calls require hr_lock. */
static void call_ended(hr_queue *queue)
{
	queue->made++;
	if (queue->awaiting)
		pthread_cond_broadcast(&queue->ended);
}

/* Releases the lock meanwhile. */
static void make_call(hr_queue *queue)
{
	hr_call *one = queue->calls;
	queue->calls = one->next;
	if (!queue->calls)
		queue->last_call = &queue->calls;
	pthread_mutex_unlock(&hr_lock);
	one->call(one->data);
	free(one);
	pthread_mutex_lock(&hr_lock);
	call_ended(queue);
}

/* On the clock of the conditions. */
static struct timespec in_ns(long ns)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / SECOND_NS;
	t.tv_nsec %= SECOND_NS;
	return t;
}

void hr_queue_await_calls(hr_queue *queue)
{
	uint64_t all = queue->posted;
	if (queue->made >= all || pthread_equal(queue->thread, pthread_self()))
		return;
	struct timespec until = in_ns(CALLS_NS);
	queue->awaiting++;
	while (queue->made < all && pthread_cond_timedwait(&queue->ended, &hr_lock, &until) == 0)
		continue;
	queue->awaiting--;
}

typedef struct callbacks {
	hr_event *event; /* used */
	hr_callback *list;
	int status;
} callbacks;

static void call_callbacks(void *data)
{
	callbacks *c = data;
	hr_event_call(c->event, c->list, c->status);
	hr_unuse(c->event);
	free(c);
}

static void free_command(void *data) { hr_command_free(data); }

/* -- running commands ----------------------------------------------------------------------------------------------------------------------- */

/* A new status for the command's event. hr_lock is held. */
static void advance(hr_command *command, int status, uint64_t ns)
{
	hr_callback *list = hr_event_change(command->event, status, hr_device.clock += ns);
	if (!list)
		return;
	callbacks *c = hd_xmalloc(sizeof *c);
	*c = (callbacks){.event = hr_use(command->event), .list = list, .status = status};
	call_later(command->queue, call_callbacks, c);
}

/* Kernels compute in the default floating-point environment, whatever that of the calling thread is. */
static int run_command(hr_command *command, uint64_t *ns)
{
	fenv_t environment;
	if (!command->run)
		return 0;
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	int status = command->run(command, ns);
	fesetenv(&environment);
	return status;
}

/* Runs a command to its end. hr_lock is held before and after, not in between. */
static void execute(hr_queue *queue, hr_command *command, bool failed, bool on_caller)
{
	int status = queue->error_of_wait;
	uint64_t ns = 0;
	queue->busy = true;
	advance(command, HR_SUBMITTED, 0);
	if (!failed || command->despite_errors) {
		advance(command, HR_RUNNING, 0);
		pthread_mutex_unlock(&hr_lock);
		status = run_command(command, &ns);
		pthread_mutex_lock(&hr_lock);
		queue->failed = status < 0 ? status : queue->failed;
	}
	unlink_command(queue, command);
	queue->busy = false;
	queue->served++;
	/* The command is in no list any more, and the queue's thread may end when it has no calls. */
	bool later = on_caller && queue->destructors && atomic_load(queue->destructors);
	if (later)
		call_later(queue, free_command, command);
	advance(command, status < 0 ? status : HR_COMPLETE, ns);
	if (later)
		return;
	queue->posted++; /* the end of the command may call destructors */
	pthread_mutex_unlock(&hr_lock);
	hr_command_free(command);
	pthread_mutex_lock(&hr_lock);
	call_ended(queue);
}

/* Has this thread run a command that the queue waits for, in another queue. `depth`: of queues that wait for each other. */
static bool help_others(hr_queue *queue, unsigned depth);

static bool help(hr_queue *queue, unsigned depth)
{
	bool failed;
	if (queue->busy)
		return false;
	hr_command *command = choose(queue, &failed);
	if (!command)
		return depth && help_others(queue, depth - 1);
	hr_use(queue); /* its last command may be this one */
	execute(queue, command, failed, true);
	/* The thread may have what it waited for. What is left is for others. */
	if (queue->first && (queue->urgent || queue->asleep))
		signal_thread(queue);
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(queue);
	pthread_mutex_lock(&hr_lock);
	return true;
}

static bool help_others(hr_queue *queue, unsigned depth)
{
	for (const hr_command *command = queue->first; command; command = command->next) {
		for (unsigned i = 0; i < command->n_wait; i++) {
			hr_event *event = command->wait[i];
			if (event->status > HR_COMPLETE && event->queue && event->queue != queue && help(event->queue, depth))
				return true;
		}
		if (!queue->out_of_order)
			break;
	}
	return false;
}

void hr_queue_wait(hr_queue *queue)
{
	if (help(queue, DEPTH))
		return;
	hr_queue_urge(queue);
	struct timespec until = in_ns(LOOK_NS);
	pthread_cond_timedwait(&queue->ended, &hr_lock, &until);
}

/* Waits for `wake`, at most PATIENCE_NS. True when the time is over. */
static bool wait_a_while(hr_queue *queue)
{
	struct timespec until = in_ns(PATIENCE_NS);
	return pthread_cond_timedwait(&queue->wake, &hr_lock, &until) == ETIMEDOUT;
}

static void wait_for_signal(hr_queue *queue)
{
	queue->asleep = true;
	while (queue->asleep)
		pthread_cond_wait(&queue->wake, &hr_lock);
}

static void *serve(void *argument)
{
	hr_queue *queue = argument;
	bool late = false; /* a command has waited for long */
	unsigned idle = 0;
	pthread_mutex_lock(&hr_lock);
	while (queue->first || queue->calls || !queue->closing) {
		bool failed, busy = queue->busy;
		hr_command *command = busy ? NULL : choose(queue, &failed);
		if (queue->calls) {
			make_call(queue);
		} else if (command && (late || queue->urgent)) {
			execute(queue, command, failed, false);
		} else if (command || idle < IDLE_TURNS) {
			uint64_t served = queue->served;
			queue->urgent = queue->urgent && busy;
			late = wait_a_while(queue) && command && served == queue->served;
			idle = command || served != queue->served ? 0 : idle + 1;
		} else {
			queue->urgent = queue->urgent && busy;
			late = false;
			wait_for_signal(queue);
			idle = 0;
		}
	}
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(queue);
	return NULL;
}

/* The conditions of a queue. The time of waits is not the one that an administrator can set. */
static void init_conditions(hr_queue *queue)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->wake, &attributes);
	pthread_cond_init(&queue->ended, &attributes);
	pthread_condattr_destroy(&attributes);
}

bool hr_queue_start(hr_queue *queue)
{
	pthread_attr_t detached;
	queue->last = &queue->first;
	queue->last_call = &queue->calls;
	init_conditions(queue);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	hr_use(queue);
	int failure = pthread_create(&queue->thread, &detached, serve, queue);
	pthread_attr_destroy(&detached);
	if (failure)
		hr_unuse(queue);
	return !failure;
}

void hr_queue_close(hr_queue *queue)
{
	queue->closing = true;
	hr_queue_urge(queue);
}

/* -- commands ------------------------------------------------------------------------------------------------------------------------------- */
void hr_command_init(hr_command *command, hr_queue *queue, hr_event *event, unsigned n_wait, hr_event *const *wait)
{
	command->queue = queue;
	command->event = event;
	command->n_wait = n_wait;
	command->wait = n_wait ? hd_xmalloc(n_wait * sizeof *command->wait) : NULL;
	for (unsigned i = 0; i < n_wait; i++)
		command->wait[i] = hr_use(wait[i]);
}

void hr_command_free(hr_command *command)
{
	if (command->drop)
		command->drop(command);
	for (unsigned i = 0; i < command->n_wait; i++)
		hr_unuse(command->wait[i]);
	free(command->wait);
	hr_unuse(command->event);
	free(command);
}

/* Has the end of what the command waits for wake its queue. hr_lock is held. */
static void follow(hr_command *command)
{
	for (unsigned i = 0; i < command->n_wait; i++) {
		hr_event *event = command->wait[i];
		if (event->status > HR_COMPLETE && event->queue != command->queue)
			hd_vec_push(&event->followers, command->queue);
	}
}

void hr_queue_put_locked(hr_command *command)
{
	hr_queue *queue = command->queue;
	command->event->times[HR_QUEUED] = hr_device.clock;
	*queue->last = command;
	queue->last = &command->next;
	follow(command);
	rouse(queue);
}

void hr_queue_put(hr_command *command)
{
	pthread_mutex_lock(&hr_lock);
	hr_queue_put_locked(command);
	pthread_mutex_unlock(&hr_lock);
}

int hr_queue_take_failure(hr_queue *queue)
{
	pthread_mutex_lock(&hr_lock);
	int failed = queue->failed;
	queue->failed = 0;
	pthread_mutex_unlock(&hr_lock);
	return failed;
}
