/* Programs that Heddle starts: their bounds, what they inherit, and that nothing of them outlives its time. The program is this one, by its name in
 * /proc, or a shell. */
#include "base/region.h"
#include "front/process.h"
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char self[] = "/proc/self/exe";

static hd_process_result run(char *const argv[], hd_process_limits limits, const int *files, size_t n_files)
{
	hd_process_result result;
	const char *failure = NULL;
	hd_process process = {.argv = argv, .limits = &limits, .files = files, .n_files = n_files};
	if (!hd_process_run(&process, &result, &failure))
		fail_msg("%s: %s", argv[0], failure);
	return result;
}

static hd_process_result shell(char *command, hd_process_limits limits) { return run((char *[]){"/bin/sh", "-c", command, NULL}, limits, NULL, 0); }

static void expect_output(char *command, const char *wanted)
{
	hd_process_result r = shell(command, (hd_process_limits){0});
	assert_string_equal(r.out.at ? r.out.at : "", wanted);
	hd_process_result_free(&r);
}

/* -- bounds ---------------------------------------------------------------------------------------------------------------------------------- */
static void expect_limit(char *mode, hd_process_limits limits, hd_process_limit wanted)
{
	hd_process_result r = run((char *[]){self, mode, NULL}, limits, NULL, 0);
	assert_int_equal(r.limit, wanted);
	hd_process_result_free(&r);
}

static void each_bound_ends_a_program(void **state)
{
#if !HD_REGION_APART /* under AddressSanitizer this program needs more, and says it in other words */
	expect_limit("memory", (hd_process_limits){.memory = 64 << 20}, HD_PROCESS_LIMIT_MEMORY);
#endif
	expect_limit("cpu", (hd_process_limits){.cpu = 1}, HD_PROCESS_LIMIT_CPU);
	expect_limit("cpu", (hd_process_limits){.time = 1}, HD_PROCESS_LIMIT_TIME);
	expect_limit("sleep", (hd_process_limits){.time = 1}, HD_PROCESS_LIMIT_TIME);
	expect_limit("output", (hd_process_limits){.output = 100000}, HD_PROCESS_LIMIT_OUTPUT);
	expect_limit("file", (hd_process_limits){.output = 100000}, HD_PROCESS_LIMIT_OUTPUT);
}

static void a_program_within_its_bounds_ends_by_itself(void **state)
{
	expect_limit("nothing", (hd_process_limits){.memory = 1 << 30, .cpu = 60, .time = 60, .output = 1 << 20}, HD_PROCESS_LIMIT_NONE);
	expect_limit("fails", (hd_process_limits){.memory = 1 << 30, .cpu = 60, .time = 60, .output = 1 << 20}, HD_PROCESS_LIMIT_NONE);
	expect_limit("liar", (hd_process_limits){.output = 1 << 20}, HD_PROCESS_LIMIT_NONE);
}

static void a_program_that_ends_soon_after_its_bound_is_past_it_too(void **state)
{
	expect_limit("deaf", (hd_process_limits){.cpu = 1}, HD_PROCESS_LIMIT_CPU);
}

static void a_script_between_us_and_the_program_hides_no_bound(void **state)
{
	hd_process_result r = shell("/proc/self/exe -c 'while :; do :; done'; exit $?", (hd_process_limits){.cpu = 1});
	assert_int_equal(r.limit, HD_PROCESS_LIMIT_CPU);
	hd_process_result_free(&r);
}

/* -- inheritance by a program ------------------------------------------------------------------------------------------------------------------ */
static void a_program_inherits_its_files_alone(void **state)
{
	int leaked[2], pair[2][2];
	/* The second file gets the lowest free number, usually that which the first one has in the program. */
	for (int i = 1; i >= 0; i--) {
		assert_int_equal(pipe(pair[i]), 0);
		assert_int_equal(write(pair[i][1], i ? "second" : "first ", 6), 6);
		close(pair[i][1]);
	}
	assert_int_equal(pipe(leaked), 0);                                 /* without FD_CLOEXEC */
	const int files[2] = {fcntl(pair[0][0], F_DUPFD, 20), pair[1][0]}; /* without FD_CLOEXEC, too */
	close(pair[0][0]);
	hd_process_result r = run((char *[]){"/bin/cat", "/proc/self/fd/3", "/proc/self/fd/4", NULL}, (hd_process_limits){0}, files, 2);
	assert_string_equal(r.out.at, "first second");
	hd_process_result_free(&r);
	/* The last is the folder that ls reads. */
	r = run((char *[]){"/bin/ls", "/proc/self/fd", NULL}, (hd_process_limits){0}, files, 2);
	assert_string_equal(r.out.at, "0\n1\n2\n3\n4\n5\n");
	hd_process_result_free(&r);
	close(files[0]);
	close(files[1]);
	close(leaked[0]);
	close(leaked[1]);
	expect_output("cat; echo end", "end\n");
}

static void a_program_has_plain_signals_and_no_core_file(void **state)
{
	sigset_t mask, old;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mask, &old), 0);
	/* Whatever the caller blocks or ignores. */
	hd_process_result r = run((char *[]){"/bin/grep", "-E", "SigIgn|SigBlk", "/proc/self/status", NULL}, (hd_process_limits){0}, NULL, 0);
	unsigned long long blocked = 1, ignored = 1;
	assert_int_equal(sscanf(r.out.at, "SigBlk:\t%llx\nSigIgn:\t%llx", &blocked, &ignored), 2);
	assert_int_equal(blocked, 0);
	/* The C library keeps signals 32 and 33 for itself. Where it starts a program (posix_spawn), it has them ignored. */
	assert_int_equal(ignored & ~0x180000000ull, 0);
	hd_process_result_free(&r);
	struct rlimit core, most;
	assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
	most = (struct rlimit){.rlim_cur = core.rlim_max, .rlim_max = core.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_CORE, &most), 0);
	expect_output("ulimit -c", "0\n");
	assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
	r = shell("exit 3", (hd_process_limits){0});
	assert_int_equal(r.status, 3); /* though the kernel drops the status of children for SIG_IGN */
	hd_process_result_free(&r);
	r = shell("kill -9 $$", (hd_process_limits){0});
	assert_int_equal(r.signal, SIGKILL);
	assert_int_equal(r.limit, HD_PROCESS_LIMIT_NONE);
	hd_process_result_free(&r);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

/* -- ends ------------------------------------------------------------------------------------------------------------------------------------------
 */
static bool is_alive(pid_t pid)
{
	char path[64], line[256] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	bool read = fgets(line, sizeof line, file) != NULL;
	fclose(file);
	const char *behind_name = strrchr(line, ')');
	return read && behind_name && behind_name[2] != 'Z';
}

static bool ends_soon(pid_t pid)
{
	for (int tries = 0; tries < 500 && is_alive(pid); tries++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	return !is_alive(pid);
}

/* A program that leaves a child, which holds its standard output open. */
static char leaves_a_child[] = "sleep 1000 & echo $!";
static char waits_with_a_child[] = "sleep 1000 & echo $$ $!; echo >&2; wait";

static void what_a_program_leaves_ends_with_it(void **state)
{
	hd_process_result r = shell(leaves_a_child, (hd_process_limits){0});
	pid_t child = (pid_t)atol(r.out.at);
	assert_true(child > 0);
	assert_true(ends_soon(child));
	hd_process_result_free(&r);
	r = shell(waits_with_a_child, (hd_process_limits){.time = 1});
	assert_int_equal(r.limit, HD_PROCESS_LIMIT_TIME);
	assert_true(ends_soon((pid_t)atol(r.out.at)));
	assert_true(ends_soon((pid_t)atol(strchr(r.out.at, ' '))));
	hd_process_result_free(&r);
}

static void a_child_that_has_left_the_group_does_not_hold_us_up(void **state)
{
	static char *const leaves[] = {"setsid sleep 20 & sleep 0.3", "setsid sh -c 'while echo more; do :; done' & sleep 0.3"};
	for (size_t i = 0; i < HD_COUNT(leaves); i++) {
		time_t begin = time(NULL);
		hd_process_result r = shell(leaves[i], (hd_process_limits){0});
		assert_true(time(NULL) - begin < 10);
		hd_process_result_free(&r);
	}
	/* It keeps the pipe full, so that there is something to read after the end. */
	hd_process_result r = shell("setsid yes & sleep 1000", (hd_process_limits){.output = 1 << 20});
	assert_int_equal(r.limit, HD_PROCESS_LIMIT_OUTPUT);
	assert_int_equal(r.out.n, 1 << 20);
	hd_process_result_free(&r);
}

static int told; /* the end of a pipe into which programs write their numbers */

static void *in_a_thread(void *unused)
{
	const hd_process_limits limits = {0};
	hd_process_result r;
	const char *failure;
	hd_process_run(
	    &(hd_process){
	        .argv = (char *[]){"/bin/sh", "-c", "sleep 1000 & echo $$ $! >&3; wait", NULL}, .limits = &limits, .files = &told, .n_files = 1},
	    &r, &failure);
	return NULL;
}

/* Two programs at a time, so that a supervisor that keeps the other's lifeline is noticed. The main thread has ended meanwhile. */
static void a_program_ends_when_we_are_killed(void **state)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT};
	for (size_t i = 0; i < HD_COUNT(signals); i++) {
		int pair[2], pids[4];
		assert_int_equal(pipe(pair), 0);
		pid_t us = fork();
		assert_true(us >= 0);
		if (us == 0) {
			pthread_t threads[2];
			told = pair[1];
			setpgid(0, 0);
			signal(signals[i], SIG_DFL);                 /* a shell starts programs in the background with some of them ignored */
			setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* SIGQUIT writes one otherwise */
			for (int t = 0; t < 2; t++)
				pthread_create(&threads[t], NULL, in_a_thread, NULL);
			pthread_exit(NULL);
		}
		close(pair[1]);
		FILE *in = fdopen(pair[0], "r");
		for (int n = 0; n < 4; n++)
			assert_int_equal(fscanf(in, "%d", &pids[n]), 1);
		fclose(in);
		for (int n = 0; n < 4; n++)
			assert_true(is_alive(pids[n]));
		/* To the whole group, as a terminal does. */
		kill(-us, signals[i]);
		assert_int_equal(waitpid(us, NULL, 0), us);
		for (int n = 0; n < 4; n++)
			assert_true(ends_soon(pids[n]));
	}
}

static void a_supervisor_that_is_killed_takes_the_program_along(void **state)
{
	const hd_process_limits limits = {0};
	hd_process_result r;
	const char *failure = NULL;
	int pair[2], program = 0;
	assert_int_equal(pipe(pair), 0);
	FILE *in = fdopen(pair[0], "r");
	/* The program kills its parent. */
	hd_process process = {
	    .argv = (char *[]){"/bin/sh", "-c", "echo $$ >&3; kill -9 $PPID; sleep 1000", NULL}, .limits = &limits, .files = &pair[1], .n_files = 1};
	assert_false(hd_process_run(&process, &r, &failure));
	assert_string_equal(failure, "the process that watches over it was killed");
	assert_int_equal(fscanf(in, "%d", &program), 1);
	assert_true(ends_soon(program));
	fclose(in);
	close(pair[1]);
}

/* -- this program as another -----------------------------------------------------------------------------------------------------------------------
 */
static int misbehave(const char *mode)
{
	if (strcmp(mode, "memory") == 0) {
		for (int i = 0; i < 256; i++) {
			char *block = malloc(1 << 20);
			if (!block)
				return fputs("out of memory\n", stderr), 1;
			memset(block, i, 1 << 20);
		}
		return 1;
	}
	if (strcmp(mode, "liar") == 0)
		return fputs("out of memory\n", stderr), 1;
	if (strcmp(mode, "deaf") == 0)
		signal(SIGXCPU, SIG_IGN);
	for (volatile unsigned n = 0; strcmp(mode, "cpu") == 0 || (strcmp(mode, "deaf") == 0 && clock() < 3 * CLOCKS_PER_SEC / 2); n++)
		;
	if (strcmp(mode, "sleep") == 0)
		sleep(1000);
	while (strcmp(mode, "output") == 0)
		if (write(1, "0123456789", 10) < 0)
			return 1;
	if (strcmp(mode, "file") == 0) {
		FILE *file = tmpfile();
		for (int i = 0; file && i < 100000; i++)
			fputs("0123456789", file);
	}
	return strcmp(mode, "fails") == 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_bound_ends_a_program),
	    cmocka_unit_test(a_program_within_its_bounds_ends_by_itself),
	    cmocka_unit_test(a_program_that_ends_soon_after_its_bound_is_past_it_too),
	    cmocka_unit_test(a_script_between_us_and_the_program_hides_no_bound),
	    cmocka_unit_test(a_program_inherits_its_files_alone),
	    cmocka_unit_test(a_program_has_plain_signals_and_no_core_file),
	    cmocka_unit_test(what_a_program_leaves_ends_with_it),
	    cmocka_unit_test(a_child_that_has_left_the_group_does_not_hold_us_up),
	    cmocka_unit_test(a_program_ends_when_we_are_killed),
	    cmocka_unit_test(a_supervisor_that_is_killed_takes_the_program_along),
	};
	return argc > 1 ? misbehave(argv[1]) : cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
