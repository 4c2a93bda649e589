#define _DEFAULT_SOURCE
#include "study/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200, LOG_BYTES = 2000 };

static const char whole[] = "whole"; /* the end of a result */

typedef struct worker {
	pid_t pid;
	int pipe;
	FILE *log;
	size_t task;
	double begin;
	int64_t started;
	bool late;
	hd_text result;
} worker;

typedef struct running {
	const hd_pool *pool;
	hd_diag *diag;
	worker workers[HD_POOL_JOBS_MAX];
	unsigned n;
} running;

static bool write_all(int file, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = write(file, bytes, n);
		if (put < 0 && errno != EINTR)
			return false;
		bytes += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

/* The life of a worker. It leaves the terminal's process group, so that Ctrl-C reaches the caller alone, which decides. */
static void live(const hd_pool *pool, size_t task, int out, int log, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGALRM, SIG_IGN);
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	struct rlimit core = {0, 0}, memory = {pool->memory << 20, pool->memory << 20};
	setrlimit(RLIMIT_CORE, &core);
	if (pool->memory)
		setrlimit(RLIMIT_DATA, &memory);
	hd_text result = {0};
	pool->work(pool->context, task, &result);
	hd_text_put(&result, whole, sizeof whole);
	write_all(out, result.at, result.n);
	_exit(0);
}

static bool start(running *r, size_t task)
{
	int ends[2] = {-1, -1};
	worker w = {.task = task, .begin = hd_now(), .started = (int64_t)time(NULL), .log = tmpfile()};
	pid_t parent = getpid();
	fflush(NULL);
	bool ok = w.log && pipe(ends) == 0;
	w.pid = ok ? fork() : -1;
	if (w.pid == 0) {
		for (unsigned i = 0; i < r->n; i++)
			close(r->workers[i].pipe);
		close(ends[0]);
		fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		fcntl(fileno(w.log), F_SETFD, FD_CLOEXEC);
		live(r->pool, task, ends[1], fileno(w.log), parent);
	}
	if (w.pid < 0) {
		hd_error(r->diag, (hd_pos){.file = "heddle"}, "a worker cannot be started: %s", strerror(errno));
		if (ok) {
			close(ends[0]);
			close(ends[1]);
		}
		if (w.log)
			fclose(w.log);
		return false;
	}
	setpgid(w.pid, w.pid);
	close(ends[1]);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	w.pipe = ends[0];
	r->workers[r->n++] = w;
	return true;
}

static void read_log(FILE *log, char text[LOG_BYTES + 1])
{
	long size = fseek(log, 0, SEEK_END) == 0 ? ftell(log) : 0;
	fseek(log, size > LOG_BYTES ? size - LOG_BYTES : 0, SEEK_SET);
	text[fread(text, 1, LOG_BYTES, log)] = '\0';
}

/* Takes the worker out of the list, kills what it has started, and waits for it. */
static worker take(running *r, unsigned i, int *status)
{
	worker w = r->workers[i];
	r->workers[i] = r->workers[--r->n];
	close(w.pipe);
	while (waitpid(w.pid, status, 0) < 0 && errno == EINTR)
		;
	kill(-w.pid, SIGKILL);
	return w;
}

static bool is_whole(const hd_text *result)
{
	return result->n >= sizeof whole && memcmp(result->at + result->n - sizeof whole, whole, sizeof whole) == 0;
}

/* Reports a worker that has closed its pipe. */
static bool end(running *r, unsigned i)
{
	char log[LOG_BYTES + 1];
	int status = 0;
	if (is_whole(&r->workers[i].result) || r->workers[i].late)
		kill(-r->workers[i].pid, SIGKILL);
	worker w = take(r, i, &status);
	read_log(w.log, log);
	hd_pool_end e = {.seconds = hd_now() - w.begin, .started = w.started, .log = log};
	if (is_whole(&w.result))
		e.ended = HD_POOL_DONE;
	else if (w.late)
		e.ended = HD_POOL_TIMEOUT;
	else if (WIFEXITED(status) && WEXITSTATUS(status) == r->pool->memory_status)
		e.ended = HD_POOL_MEMORY;
	else
		e.ended = HD_POOL_DIED;
	e.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	e.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	bool ok = r->pool->done(r->pool->context, w.task, &e, w.result.at, e.ended == HD_POOL_DONE ? w.result.n - sizeof whole : 0);
	fclose(w.log);
	hd_text_free(&w.result);
	return ok;
}

/* Reads what a worker has written. False at the end. */
static bool receive(worker *w)
{
	char part[65536];
	ssize_t n = read(w->pipe, part, sizeof part);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n > 0 && w->result.n + (size_t)n <= HD_POOL_RESULT_MAX)
		hd_text_put(&w->result, part, (size_t)n);
	return n > 0;
}

/* Waits for something to happen. False when `done` ended the pool. */
static bool wait_for_some(running *r)
{
	struct pollfd files[HD_POOL_JOBS_MAX];
	for (unsigned i = 0; i < r->n; i++) {
		worker *w = &r->workers[i];
		files[i] = (struct pollfd){.fd = w->pipe, .events = POLLIN};
		if (r->pool->seconds > 0 && !w->late && hd_now() - w->begin > r->pool->seconds) {
			w->late = true;
			kill(-w->pid, SIGKILL);
			kill(w->pid, SIGKILL);
		}
	}
	if (poll(files, r->n, POLL_MILLISECONDS) < 0)
		return true;
	bool ok = true;
	for (unsigned i = r->n; ok && i-- > 0;)
		if (files[i].revents && !receive(&r->workers[i]))
			ok = end(r, i);
	return ok;
}

static void kill_all(running *r)
{
	int status;
	while (r->n) {
		kill(-r->workers[0].pid, SIGKILL);
		kill(r->workers[0].pid, SIGKILL);
		worker w = take(r, 0, &status);
		fclose(w.log);
		hd_text_free(&w.result);
	}
}

bool hd_pool_run(const hd_pool *pool, hd_diag *diag)
{
	running *r = hd_xcalloc(1, sizeof *r);
	r->pool = pool;
	r->diag = diag;
	bool more = true, ok = true;
	while (ok) {
		size_t task;
		while (ok && more && r->n < pool->jobs && r->n < HD_POOL_JOBS_MAX) {
			more = !pool->stop(pool->context) && pool->next(pool->context, &task);
			ok = !more || start(r, task);
		}
		ok = ok && !pool->stop(pool->context);
		if (!ok || !r->n)
			break;
		ok = wait_for_some(r);
		if (pool->tick)
			pool->tick(pool->context);
	}
	kill_all(r);
	free(r);
	return ok;
}
