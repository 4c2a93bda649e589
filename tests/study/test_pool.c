/* ST-3: workers are processes: results, deaths, limits, and an end in which nobody is left. */
#include "study/pool.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../test.h"

enum { TASKS = 12, OUT_OF_MEMORY = 71 };

typedef struct outcome {
	unsigned times;
	hd_pool_ended ended;
	int signal, status;
	size_t size;
	char text[64], log[64];
} outcome;

typedef struct testing {
	size_t next, stop_at;
	unsigned done, most_running, running;
	bool stopped;
	outcome outcomes[TASKS];
} testing;

static bool next(void *context, size_t *task)
{
	testing *t = context;
	if (t->next == TASKS)
		return false;
	*task = t->next++;
	t->running++;
	if (t->running > t->most_running)
		t->most_running = t->running;
	return true;
}

static void work(void *context, size_t task, hd_text *result)
{
	switch (task) {
	case 3:
		fprintf(stderr, "a last word");
		fflush(stderr);
		signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
		raise(SIGSEGV);
		break;
	case 4:
		_exit(9);
	case 5:
		_exit(OUT_OF_MEMORY);
	case 6:
		for (;;)
			pause();
	case 7:
		for (unsigned i = 0; i < 100000; i++)
			hd_text_put(result, "0123456789", 10);
		break;
	default:
		printf("not in the result");
		hd_text_printf(result, "task %zu", task);
	}
}

static bool done(void *context, size_t task, const hd_pool_end *end, const void *result, size_t size)
{
	testing *t = context;
	outcome *o = &t->outcomes[task];
	t->done++;
	t->running--;
	o->times++;
	o->ended = end->ended;
	o->signal = end->signal;
	o->status = end->status;
	o->size = size;
	snprintf(o->text, sizeof o->text, "%.*s", size < 60 ? (int)size : 60, size ? (const char *)result : "");
	snprintf(o->log, sizeof o->log, "%.60s", end->log);
	return task != t->stop_at;
}

static bool stop(void *context) { return ((testing *)context)->stopped; }

/* The memory limit of a worker. No sanitizer needs as much. */
enum { MEMORY = 1 << 30 };

static void tell_limit(void *context, size_t task, hd_text *result)
{
	struct rlimit memory, core;
	getrlimit(RLIMIT_DATA, &memory);
	getrlimit(RLIMIT_CORE, &core);
	hd_text_printf(result, "%llu %llu", (unsigned long long)memory.rlim_cur >> 20, (unsigned long long)core.rlim_cur);
}

TEST(limits_of_a_worker)
{
	hd_diag diag = {0};
	testing t = {.next = TASKS - 1, .stop_at = TASKS};
	hd_pool pool = {.jobs = 1, .memory = MEMORY, .context = &t, .next = next, .work = tell_limit, .done = done, .stop = stop};
	assert_true(hd_pool_run(&pool, &diag));
	assert_string_equal(t.outcomes[TASKS - 1].text, "1073741824 0");
}

static bool run(testing *t, unsigned jobs)
{
	hd_diag diag = {0};
	hd_pool pool = {
	    .jobs = jobs, .seconds = 1, .memory_status = OUT_OF_MEMORY, .context = t, .next = next, .work = work, .done = done, .stop = stop};
	bool ok = hd_pool_run(&pool, &diag);
	assert_int_equal(diag.errors, 0);
	return ok;
}

TEST(every_task_has_an_end)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		testing t = {.stop_at = TASKS};
		assert_true(run(&t, jobs));
		assert_int_equal(t.done, TASKS);
		assert_int_equal(t.most_running, jobs);
		for (size_t i = 0; i < TASKS; i++) {
			const outcome *o = &t.outcomes[i];
			char expected[64];
			snprintf(expected, sizeof expected, "task %zu", i);
			assert_int_equal(o->times, 1);
			assert_int_equal(o->ended, i == 3 || i == 4 ? HD_POOL_DIED
			                           : i == 5         ? HD_POOL_MEMORY
			                           : i == 6         ? HD_POOL_TIMEOUT
			                                            : HD_POOL_DONE);
			if (i < 3 || i > 7)
				assert_string_equal(o->text, expected);
		}
		assert_int_equal(t.outcomes[3].signal, SIGSEGV);
		assert_string_equal(t.outcomes[3].log, "a last word");
		assert_int_equal(t.outcomes[4].signal, 0);
		assert_int_equal(t.outcomes[4].status, 9);
		assert_int_equal(t.outcomes[7].size, 1000000);
	}
}

TEST(done_can_end_it)
{
	testing t = {.stop_at = 2};
	assert_false(run(&t, 1));
	assert_int_equal(t.done, 3);
	/* A worker that would never end is not waited for. */
	testing paused = {.stop_at = 7, .next = 6};
	assert_false(run(&paused, 2));
	assert_int_equal(paused.outcomes[6].times, 0);
	testing stopped = {.stop_at = TASKS, .stopped = true};
	assert_false(run(&stopped, 2));
	assert_int_equal(stopped.done, 0);
}
