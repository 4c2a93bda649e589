#define _DEFAULT_SOURCE /* setitimer */
#include "cli/timeout.h"

#include "cli/cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 5 };

/* The signal handler reaches them. All are free of locks. */
static atomic_bool watched, passed;
static char message[96];
static size_t message_length;

static void on_alarm(int number)
{
	if (watched && !passed) {
		passed = true;
		return;
	}
	ssize_t ignored = write(STDERR_FILENO, message, message_length);
	(void)ignored;
	_exit(HD_EXIT_TIMEOUT);
}

/* The timer sends SIGALRM when the time is over, and again after the grace. */
static void arm(double seconds)
{
	struct itimerval timer = {.it_interval = {.tv_sec = GRACE_SECONDS}};
	timer.it_value.tv_sec = (time_t)seconds;
	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
		timer.it_value.tv_usec = 1;
	setitimer(ITIMER_REAL, &timer, NULL);
}

bool hd_timeout_begin(const char *seconds)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	char *end = NULL;
	double value = strtod(seconds, &end);
	if (*end || !*seconds || seconds[strspn(seconds, "0123456789.")] || value <= 0 || value > 1e8) {
		hd_usage("--timeout cannot be '%s', expected a number of seconds above 0, such as 10 or 0.5", seconds);
		return false;
	}
	int n = snprintf(message, sizeof message, "heddle: error: stopped after %g seconds (--timeout)\n", value);
	message_length = hd_min_u64((uint64_t)n, sizeof message - 1);
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	arm(value);
	return true;
}

bool hd_timeout_passed(void) { return passed; }

void hd_timeout_watch(void) { watched = true; }

void hd_timeout_unwatch(void)
{
	static const struct itimerval never = {{0, 0}, {0, 0}};
	watched = false;
	if (passed)
		setitimer(ITIMER_REAL, &never, NULL);
}

int hd_timeout_status(void)
{
	if (!passed)
		return HD_EXIT_INTERRUPTED;
	fputs(message, stderr);
	return HD_EXIT_TIMEOUT;
}
