#define _GNU_SOURCE /* pipe2 */
#include "front/process.h"
#include "front/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool executable(const char *path) { return access(path, X_OK) == 0; }

char *hd_process_find(const char *name)
{
	if (strchr(name, '/'))
		return executable(name) ? hd_xstrdup(name) : NULL;
	const char *path = getenv("PATH");
	while (path && *path) {
		size_t n = strcspn(path, ":");
		hd_text candidate = {0};
		hd_text_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (executable(candidate.at))
			return candidate.at;
		hd_text_free(&candidate);
		path += n;
		path += *path == ':';
	}
	return NULL;
}

typedef struct pipes {
	int out[2], err[2], report[2], lifeline[2]; /* -1: closed */
} pipes;

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipes(pipes *p)
{
	int *const all[] = {p->out, p->err, p->report, p->lifeline};
	for (size_t i = 0; i < HD_COUNT(all); i++) {
		close_end(&all[i][0]);
		close_end(&all[i][1]);
	}
}

/* False and errno on failure, with no pipe left open. */
static bool open_pipes(pipes *p)
{
	*p = (pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0 && pipe2(p->report, O_CLOEXEC) == 0 && pipe2(p->lifeline, O_CLOEXEC) == 0)
		return true;
	int why = errno;
	close_pipes(p);
	errno = why;
	return false;
}

/* Starts the supervisor. -1 and errno on failure. */
static pid_t start(const hd_process *process, const pipes *p, int *moved)
{
	hd_supervision s = {
	    .process = process, .out = p->out[1], .err = p->err[1], .report = p->report[1], .lifeline = p->lifeline[0], .moved = moved};
	sigset_t all, before;
	sigfillset(&all);
	/* The supervisor must run no signal handler of this process. */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t supervisor = fork();
	if (supervisor == 0)
		hd_supervise(&s);
	int why = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return supervisor;
}

static uint64_t milliseconds(void) { return (uint64_t)(1000 * hd_now()); }

/* Reads once from a pipe into `text`, which keeps at most `limit` bytes. False at the end of the pipe, and with errno in *why on failure. */
static bool drain(int fd, hd_text *text, size_t limit, bool *overflow, int *why)
{
	char chunk[65536];
	ssize_t n = read(fd, chunk, sizeof chunk);
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0)
		*why = errno;
	if (n <= 0)
		return false;
	size_t room = limit - text->n;
	if ((size_t)n > room)
		*overflow = true;
	hd_text_put(text, chunk, hd_min_u64((size_t)n, room));
	return true;
}

enum { OUT, ERR, REPORT, STREAMS };

/* Reads of 64 KiB that empty any pipe: the kernel's limit is 1 MiB. */
enum { PIPE_READS = 16 };

/* Reads what is there. A stream that is at its end gets the number -1. A failure leaves errno in *why. */
static void take(struct pollfd fds[STREAMS], const hd_process *process, hd_process_result *result, hd_text *reports, int *why)
{
	bool overflow = false, ignored = false;
	size_t most = process->limits->output ? process->limits->output : SIZE_MAX;
	size_t messages = process->messages_max ? process->messages_max : HD_PROCESS_MESSAGES_MAX;
	if (fds[OUT].revents && !drain(fds[OUT].fd, &result->out, most, &overflow, why))
		fds[OUT].fd = -1;
	if (fds[ERR].revents && !drain(fds[ERR].fd, &result->err, messages, &ignored, why))
		fds[ERR].fd = -1;
	if (fds[REPORT].revents && !drain(fds[REPORT].fd, reports, SIZE_MAX, &ignored, why))
		fds[REPORT].fd = -1;
	if (overflow)
		result->limit = HD_PROCESS_LIMIT_OUTPUT;
}

/* Reads until the supervisor has ended, and what is in the pipes then. A process that left the program's group may hold them open, and write on.
 * 0, or errno: then not all was read. */
static int collect(pipes *p, const hd_process *process, hd_process_result *result, hd_text *reports)
{
	struct pollfd fds[STREAMS] = {
	    {.fd = p->out[0], .events = POLLIN}, {.fd = p->err[0], .events = POLLIN}, {.fd = p->report[0], .events = POLLIN}};
	uint64_t begin = milliseconds(), most = process->limits->time * 1000;
	int why = 0;
	while (fds[REPORT].fd >= 0) {
		uint64_t gone = milliseconds() - begin;
		bool timed = most && p->lifeline[1] >= 0;
		int ready = poll(fds, STREAMS, timed ? (int)hd_min_u64(gone < most ? most - gone : 0, 1000) : -1);
		if (ready < 0 && errno != EINTR)
			break;
		if (ready > 0)
			take(fds, process, result, reports, &why);
		if (timed && result->limit == HD_PROCESS_LIMIT_NONE && milliseconds() - begin >= most)
			result->limit = HD_PROCESS_LIMIT_TIME;
		if (result->limit != HD_PROCESS_LIMIT_NONE || why)
			close_end(&p->lifeline[1]);
	}
	close_end(&p->lifeline[1]);
	fds[REPORT].revents = 0;
	for (int i = 0; i < PIPE_READS && poll(fds, REPORT, 0) > 0; i++)
		take(fds, process, result, reports, &why);
	return why;
}

static bool has(const hd_text *text, const char *words) { return text->n && strstr(text->at, words); }

/* Which bound ended a program that did not end well by itself. Shells give the number of a signal as 128 + NUMBER: HEDDLE_CLANG may name a script. */
static hd_process_limit limit_of(const hd_process_result *result, const hd_process_limits *limits, uint64_t cpu)
{
	static const char *const memory_messages[] = {"out of memory", "bad_alloc", "annot allocate memory", "cannot map"};
	if (result->limit != HD_PROCESS_LIMIT_NONE || result->status == 0)
		return result->limit;
	/* A limit of our own caller may be lower, and sends SIGXCPU. The kernel holds a limit against a sum of whole ticks, and `cpu` is a sum of time:
	 * on a busy host they differ by more than a tenth. */
	bool killed = (result->signal == SIGKILL || result->status == 128 + SIGKILL) && cpu >= limits->cpu * 500000;
	if (limits->cpu && (result->signal == SIGXCPU || result->status == 128 + SIGXCPU || killed))
		return HD_PROCESS_LIMIT_CPU;
	if (limits->output && (result->signal == SIGXFSZ || result->status == 128 + SIGXFSZ || has(&result->err, "File too large")))
		return HD_PROCESS_LIMIT_OUTPUT;
	for (size_t i = 0; limits->memory && i < HD_COUNT(memory_messages); i++)
		if (has(&result->err, memory_messages[i]))
			return HD_PROCESS_LIMIT_MEMORY;
	return HD_PROCESS_LIMIT_NONE;
}

/* Takes over what the supervisor said last. errno, if the program was not started. */
static int conclude(const hd_text *reports, const hd_process_limits *limits, hd_process_result *result)
{
	hd_supervision_report report = {.failure = ECHILD}; /* somebody has killed the supervisor */
	bool any = reports->n >= sizeof report;
	if (any)
		memcpy(&report, reports->at, sizeof report);
	if (report.failure)
		return report.failure;
	result->status = WIFEXITED(report.status) ? WEXITSTATUS(report.status) : -1;
	result->signal = WIFSIGNALED(report.status) ? WTERMSIG(report.status) : 0;
	result->limit = limit_of(result, limits, report.cpu);
	return 0;
}

bool hd_process_run(const hd_process *process, hd_process_result *result, const char **failure)
{
	pipes p;
	hd_text reports = {0};
	*result = (hd_process_result){.limit = HD_PROCESS_LIMIT_NONE};
	if (!open_pipes(&p))
		return *failure = strerror(errno), false;
	int *moved = hd_xcalloc(process->n_files, sizeof *moved);
	pid_t supervisor = start(process, &p, moved);
	int why = errno;
	if (supervisor >= 0) {
		close_end(&p.out[1]);
		close_end(&p.err[1]);
		close_end(&p.report[1]);
		close_end(&p.lifeline[0]);
		int unread = collect(&p, process, result, &reports);
		while (waitpid(supervisor, NULL, 0) < 0 && errno == EINTR)
			;
		why = unread ? unread : conclude(&reports, process->limits, result);
	}
	close_pipes(&p);
	free(moved);
	hd_text_free(&reports);
	if (!why)
		return true;
	hd_process_result_free(result);
	*failure = why == ECHILD ? "the process that watches over it was killed" : strerror(why);
	return false;
}

void hd_process_result_free(hd_process_result *result)
{
	hd_text_free(&result->out);
	hd_text_free(&result->err);
}
