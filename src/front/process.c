#include "front/process.h"

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

static void close_pair(const int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

/* Runs in the child and makes only calls that are safe after fork. Reports errno through `report` when the program cannot be started. */
static void start(char *const argv[], int out, int err, int report)
{
	int in = open("/dev/null", O_RDONLY);
	if (in >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
		execv(argv[0], argv);
	int why = errno;
	ssize_t ignored = write(report, &why, sizeof why);
	(void)ignored;
	_exit(127);
}

/* Reads once from a pipe into `text`, which keeps at most `limit` bytes. False at the end of the pipe. */
static bool drain(int fd, hd_text *text, size_t limit, bool *over)
{
	char chunk[65536];
	ssize_t n = read(fd, chunk, sizeof chunk);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	size_t room = limit - text->n;
	if ((size_t)n > room)
		*over = true;
	hd_text_put(text, chunk, hd_min_u64((size_t)n, room));
	return true;
}

static void collect(pid_t child, int out, int err, size_t out_limit, size_t err_limit, hd_process_result *result)
{
	struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	bool err_over = false;
	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (fds[0].revents && !drain(out, &result->out, out_limit, &result->truncated))
			fds[0].fd = -1;
		if (fds[1].revents && !drain(err, &result->err, err_limit, &err_over))
			fds[1].fd = -1;
		if (result->truncated) {
			kill(child, SIGKILL);
			break;
		}
	}
}

bool hd_process_run(char *const argv[], size_t out_limit, size_t err_limit, hd_process_result *result, const char **failure)
{
	int out[2], err[2], report[2];
	*result = (hd_process_result){0};
	if (pipe(out) != 0)
		return *failure = strerror(errno), false;
	if (pipe(err) != 0)
		return *failure = strerror(errno), close_pair(out), false;
	if (pipe(report) != 0)
		return *failure = strerror(errno), close_pair(out), close_pair(err), false;
	/* The child must not inherit our ends, and the pipe `report` must close when the program starts. */
	const int ours[] = {out[0], err[0], report[0], out[1], err[1], report[1]};
	for (size_t i = 0; i < HD_COUNT(ours); i++)
		fcntl(ours[i], F_SETFD, FD_CLOEXEC);
	pid_t child = fork();
	if (child == 0)
		start(argv, out[1], err[1], report[1]);
	int why = child < 0 ? errno : 0;
	close(out[1]);
	close(err[1]);
	close(report[1]);
	if (child >= 0) {
		ssize_t n;
		do
			n = read(report[0], &why, sizeof why);
		while (n < 0 && errno == EINTR);
		if (n != (ssize_t)sizeof why)
			why = 0;
		if (!why)
			collect(child, out[0], err[0], out_limit, err_limit, result);
		int status = 0;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	close(out[0]);
	close(err[0]);
	close(report[0]);
	if (why)
		*failure = strerror(why);
	return why == 0;
}

void hd_process_result_free(hd_process_result *result)
{
	hd_text_free(&result->out);
	hd_text_free(&result->err);
}
