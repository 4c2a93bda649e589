#define _GNU_SOURCE /* ppoll, syscall */
#include "front/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_CLOSED_ONE_BY_ONE = 65536 };

static void on_child(int number) { (void)number; }

HD_NORETURN static void cannot_start(const hd_supervision *s, int why)
{
	hd_supervision_report report = {.failure = why};
	ssize_t ignored = write(s->report, &report, sizeof report);
	(void)ignored;
	_exit(127);
}

static void close_from_to(unsigned first, unsigned last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	for (unsigned fd = first; fd <= last && fd < FILES_CLOSED_ONE_BY_ONE; fd++)
		close((int)fd);
}

static bool is_kept(const hd_supervision *s, int fd)
{
	bool kept = fd == s->out || fd == s->err || fd == s->report || fd == s->lifeline;
	for (size_t i = 0; i < s->process->n_files; i++)
		kept |= fd == s->process->files[i];
	return kept;
}

static void close_others(const hd_supervision *s)
{
	int last = hd_max_u32(hd_max_u32((uint32_t)s->out, (uint32_t)s->err), hd_max_u32((uint32_t)s->report, (uint32_t)s->lifeline));
	for (size_t i = 0; i < s->process->n_files; i++)
		last = s->process->files[i] > last ? s->process->files[i] : last;
	for (int fd = 0; fd < last; fd++)
		if (!is_kept(s, fd))
			close(fd);
	close_from_to((unsigned)last + 1, ~0u);
}

/* The limit that is asked for, or the one that holds already where that is lower. */
static bool limit(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now;
	if (getrlimit(resource, &now) != 0)
		return false;
	struct rlimit wanted = {.rlim_cur = hd_min_u64(soft, now.rlim_cur), .rlim_max = hd_min_u64(hard, now.rlim_max)};
	return setrlimit(resource, &wanted) == 0;
}

/* RLIMIT_DATA counts memory that is private and can be written to. RLIMIT_AS would count the code of shared libraries and address space that is only
 * reserved, too. A soft limit of processor time that is as high as the hard one sends no SIGXCPU, for which clang would print its stack and go on. */
static bool set_limits(const hd_process_limits *limits)
{
	return limit(RLIMIT_CORE, 0, 0) && (!limits->memory || limit(RLIMIT_DATA, limits->memory, limits->memory)) &&
	       (!limits->cpu || limit(RLIMIT_CPU, limits->cpu, limits->cpu)) &&
	       (!limits->output || limit(RLIMIT_FSIZE, limits->output, limits->output));
}

/* Gives the files their numbers. All move above the highest of these numbers first, so that none is in the way of another. False and errno on
 * failure. */
static bool place_files(hd_supervision *s)
{
	const hd_process *p = s->process;
	int above = HD_PROCESS_FIRST_FILE + (int)p->n_files, in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int standard[] = {in, s->out, s->err};
	bool ok = in >= 0;
	for (size_t i = 0; ok && i < HD_COUNT(standard); i++)
		ok = (standard[i] = fcntl(standard[i], F_DUPFD_CLOEXEC, above)) >= 0;
	for (size_t i = 0; ok && i < p->n_files; i++)
		ok = (s->moved[i] = fcntl(p->files[i], F_DUPFD_CLOEXEC, above)) >= 0 && fcntl(p->files[i], F_SETFD, FD_CLOEXEC) == 0;
	int report = ok ? fcntl(s->report, F_DUPFD_CLOEXEC, above) : -1;
	if (report >= 0)
		s->report = report;
	ok = report >= 0;
	for (int i = 0; ok && i < (int)HD_COUNT(standard); i++)
		ok = dup2(standard[i], i) >= 0;
	for (size_t i = 0; ok && i < p->n_files; i++)
		ok = dup2(s->moved[i], HD_PROCESS_FIRST_FILE + (int)i) >= 0;
	return ok;
}

HD_NORETURN static void become_program(hd_supervision *s, pid_t supervisor)
{
	setpgid(0, 0);
	/* The supervisor may have ended before the signal was asked for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor)
		_exit(127);
	if (place_files(s) && set_limits(s->process->limits)) {
		for (int number = 1; number < NSIG; number++)
			signal(number, SIG_DFL);
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execv(s->process->argv[0], s->process->argv);
	}
	cannot_start(s, errno);
}

/* Waits until the program ends. Kills its group when the lifeline says so, and what is left of the group in the end. The number of the group belongs
 * to nobody else before the program is waited for. */
static int wait_for(const hd_supervision *s, pid_t program)
{
	int status = 0;
	siginfo_t ended = {0};
	struct pollfd lifeline = {.fd = s->lifeline, .events = POLLIN};
	sigset_t but_children;
	sigfillset(&but_children);
	sigdelset(&but_children, SIGCHLD);
	while (waitid(P_PID, (id_t)program, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
		if (ppoll(&lifeline, 1, NULL, &but_children) > 0) {
			kill(-program, SIGKILL);
			lifeline.fd = -1;
		}
	}
	kill(-program, SIGKILL);
	waitpid(program, &status, 0);
	return status;
}

void hd_supervise(const hd_supervision *given)
{
	hd_supervision s = *given;
	struct sigaction action = {.sa_handler = on_child};
	setsid();
	close_others(&s);
	sigaction(SIGCHLD, &action, NULL);
	pid_t supervisor = getpid(), program = fork();
	if (program == 0)
		become_program(&s, supervisor);
	if (program < 0)
		cannot_start(&s, errno);
	setpgid(program, program);
	close(s.out);
	close(s.err);
	for (size_t i = 0; i < s.process->n_files; i++)
		close(s.process->files[i]);
	hd_supervision_report report = {.status = wait_for(&s, program)};
	struct rusage used;
	if (getrusage(RUSAGE_CHILDREN, &used) == 0)
		report.cpu =
		    (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	ssize_t ignored = write(s.report, &report, sizeof report);
	(void)ignored;
	_exit(0);
}
