/* HW-4: the reader of recordings gives each cycle its events, and refuses a file that is not a recording. The bench is a stand-in. */
#include "../test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../rtl/lockstep/replay.h"

static unsigned resets, starts, cycles, seen[HD_RECORD_COUNT], warp_limit = 16;
static uint64_t last_value;

void lockstep_reset(void) { resets++; }
void bench_start(void) { starts++; }
void bench_replay(const replay_event *events, unsigned n)
{
	cycles++;
	for (unsigned i = 0; i < n; i++) {
		seen[events[i].kind]++;
		if (events[i].kind == HD_RECORD_COUNTED) {
			replay_value(&events[i], 0, warp_limit);
			last_value = events[i].values[1];
		}
	}
}

#define HEAD RECORDING_MAGIC "pipes 9\nqueue.0.fifo 4\n\n"

/* Writes a file, and replays it in a process of its own. Returns the exit status. */
static int status_of(const void *head, size_t n_head, const uint8_t *bytes, size_t n)
{
	char path[] = "/tmp/heddle-recording-XXXXXX";
	int file = mkstemp(path), status = -1;
	assert_true(file >= 0);
	assert_int_equal(write(file, head, n_head), n_head);
	assert_int_equal(write(file, bytes, n), n);
	close(file);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		replay_run(path, UINT64_MAX);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int status_of_events(const uint8_t *bytes, size_t n) { return status_of(HEAD, strlen(HEAD), bytes, n); }
#define STATUS(...) status_of_events((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

TEST(each_cycle_has_its_events)
{
	/* two launches: 2 cycles, of which the second comes behind 3 idle ones; then 1 */
	const uint8_t bytes[] = {
	    HD_RECORD_BEGIN, HD_RECORD_WARP, 1, HD_RECORD_TICK, 5, HD_RECORD_COUNTED, 2, 0x80 | 1, 2, HD_RECORD_WARP, 3, HD_RECORD_TICK, 3,
	    HD_RECORD_BEGIN, HD_RECORD_TICK, 0};
	char path[] = "/tmp/heddle-recording-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, HEAD, strlen(HEAD)), strlen(HEAD));
	assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
	close(file);
	replay_run(path, UINT64_MAX);
	assert_int_equal(resets, 2);
	assert_int_equal(starts, 2);
	assert_int_equal(cycles, 2 + 3 + 1);
	assert_int_equal(seen[HD_RECORD_COUNTED], 1);
	assert_int_equal(seen[HD_RECORD_WARP], 2); /* a warp that begins before the first cycle is a part of this cycle */
	assert_int_equal(last_value, 1 + (2 << 7));
	assert_int_equal(replay_head("queue.0.fifo"), 4);
	cycles = 0;
	replay_run(path, 3);
	assert_int_equal(cycles, 4); /* up to the end of the idle cycles */
	unlink(path);
}

TEST(values_have_as_many_places_as_their_row)
{
	assert_int_equal(recording_values(HD_RECORD_BEGIN), 0);
	assert_int_equal(recording_values(HD_RECORD_TICK), 1);
	assert_int_equal(recording_values(HD_RECORD_CHECKED), 10);
	assert_int_equal(recording_values(HD_RECORD_SCORE_CHECK), 13);
	for (unsigned kind = 0; kind < HD_RECORD_COUNT; kind++)
		assert_true(recording_values((hd_record_kind)kind) <= HD_RECORD_VALUES_MAX);
}

TEST(hostile_files_are_refused)
{
	assert_int_equal(STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK, 0), 0);
	assert_int_equal(status_of("", 0, NULL, 0), 2);
	assert_int_equal(status_of("heddle-recording 2\n\n", 20, NULL, 0), 2);
	assert_int_equal(status_of(RECORDING_MAGIC "pipes 9\n", strlen(RECORDING_MAGIC) + 8, NULL, 0), 2); /* no empty line */
	assert_int_equal(STATUS(HD_RECORD_TICK, 0), 2);                                                    /* no launch */
	assert_int_equal(STATUS(HD_RECORD_BEGIN, HD_RECORD_COUNT), 2);
	assert_int_equal(STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK), 2);
	assert_int_equal(STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK, 0x80), 2);
	/* 64 bits, and one more */
	assert_int_equal(
	    STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK, 0, HD_RECORD_COUNTED, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, HD_RECORD_TICK, 0), 0);
	assert_int_equal(
	    STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK, 0, HD_RECORD_COUNTED, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, HD_RECORD_TICK, 0), 2);
	assert_int_equal(STATUS(HD_RECORD_BEGIN, HD_RECORD_TICK, 0, HD_RECORD_COUNTED, 16, 0, HD_RECORD_TICK, 0), 2); /* slot 16 of 16 */
	static char long_line[1000];
	memset(long_line, 'a', sizeof long_line);
	memcpy(long_line, RECORDING_MAGIC, strlen(RECORDING_MAGIC));
	assert_int_equal(status_of(long_line, sizeof long_line, NULL, 0), 2);
	/* more events in a cycle than are kept, and more of a head */
	static uint8_t many[3 + 2 * 70000];
	memset(many, 0, sizeof many);
	many[0] = HD_RECORD_BEGIN;
	many[1] = HD_RECORD_TICK;
	for (size_t i = 3; i + 1 < sizeof many; i += 2)
		many[i] = HD_RECORD_WARP;
	assert_int_equal(status_of_events(many, sizeof many), 2);
	static char head[70000];
	memset(head, '\n', sizeof head);
	memcpy(head, RECORDING_MAGIC, strlen(RECORDING_MAGIC));
	for (size_t i = strlen(RECORDING_MAGIC); i + 2 < sizeof head; i += 2)
		head[i] = 'a';
	assert_int_equal(status_of(head, sizeof head, NULL, 0), 2);
}
