#include "replay.h"

#include <inttypes.h>

enum { HEAD_MAX = 1 << 16, EVENTS_MAX = 1 << 16, IDLE_MAX = 300 /* cycles: longer than any counter of a module counts */ };

unsigned replay_instance;

static const char *path_of_file;
static char head[HEAD_MAX];
static replay_event *events;
static FILE *file;
static uint8_t *body; /* the events */
static size_t body_n, body_at;
static unsigned values_of[HD_RECORD_COUNT]; /* by kind */
static uint64_t done;                       /* cycles */

void replay_refuse(const char *why)
{
	fprintf(stderr, "%s: %s\n", path_of_file, why);
	exit(2);
}

void replay_ports(bool free)
{
	if (!free)
		replay_refuse("more events in a cycle than the module has ports");
}

unsigned replay_value(const replay_event *event, unsigned i, uint64_t limit)
{
	if (event->values[i] >= limit) {
		fprintf(stderr, "%s: value %u of event %d is %" PRIu64 ", the module has room for %" PRIu64 "\n", path_of_file, i, (int)event->kind,
		        event->values[i], limit);
		exit(2);
	}
	return (unsigned)event->values[i];
}

void replay_expect(const char *what, uint64_t unit, uint64_t machine)
{
	if (unit == machine)
		return;
	printf("difference in cycle %" PRIu64 " of the recording: %s is 0x%" PRIx64 " with the recorded inputs, 0x%" PRIx64 " in the machine\n", done,
	       what, unit, machine);
	exit(1);
}

uint64_t replay_head(const char *key)
{
	size_t n = strlen(key);
	for (const char *line = head; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, key, n) == 0 && line[n] == ' ')
			return strtoull(line + n, NULL, 10);
	fprintf(stderr, "%s: the head has no %s\n", path_of_file, key);
	exit(2);
}

/* Reads lines up to an empty one, without the first. Each line in `head` then ends with a line feed. */
static void read_head(void)
{
	size_t n = 0;
	char line[256];
	if (!fgets(line, sizeof line, file) || strcmp(line, RECORDING_MAGIC) != 0)
		replay_refuse("not a recording");
	while (fgets(line, sizeof line, file) && strcmp(line, "\n") != 0) {
		size_t length = strlen(line);
		if (line[length - 1] != '\n' || n + length >= HEAD_MAX)
			replay_refuse("a line of the head is too long, or the head is");
		memcpy(head + n, line, length);
		n += length;
	}
	head[n] = 0;
	if (feof(file))
		replay_refuse("ends in its head");
}

static void read_body(void)
{
	size_t room = 1 << 16;
	body_n = body_at = 0;
	body = hd_xcalloc(room, 1);
	for (size_t got; (got = fread(body + body_n, 1, room - body_n, file)) > 0;) {
		body_n += got;
		if (body_n == room) {
			uint8_t *more = hd_xcalloc(room *= 2, 1);
			memcpy(more, body, body_n);
			free(body);
			body = more;
		}
	}
}

static int next_byte(void) { return body_at < body_n ? body[body_at++] : EOF; }

static uint64_t read_value(void)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		int byte = next_byte();
		if (byte == EOF)
			replay_refuse("ends within an event");
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	replay_refuse("a value has more than 64 bits");
	return 0;
}

/* False at the end of the file. */
static bool read_event(replay_event *event)
{
	int kind = next_byte();
	if (kind == EOF)
		return false;
	if (kind >= HD_RECORD_COUNT)
		replay_refuse("an event of an unknown kind");
	event->kind = (hd_record_kind)kind;
	event->n = values_of[kind];
	for (unsigned i = 0; i < event->n; i++)
		event->values[i] = read_value();
	return true;
}

void replay_run(const char *path, uint64_t cycles)
{
	unsigned n = 0, ended = 0; /* events; those of the cycle, if it is over: warps begin between two cycles, and are a part of the next one */
	bool begun = false, ticked = false;
	path_of_file = path;
	done = 0;
	file = fopen(path, "rb");
	if (!file)
		replay_refuse("cannot be read");
	events = hd_xcalloc(EVENTS_MAX, sizeof *events);
	read_head();
	read_body();
	for (unsigned kind = 0; kind < HD_RECORD_COUNT; kind++)
		values_of[kind] = recording_values((hd_record_kind)kind);
	while (done < cycles && read_event(&events[n])) {
		const replay_event *event = &events[n];
		if (!begun && event->kind != HD_RECORD_BEGIN)
			replay_refuse("an event before the first launch");
		if (event->kind == HD_RECORD_TICK) {
			uint64_t idle = ticked ? hd_min_u64(event->values[0], IDLE_MAX) : 0;
			unsigned its = ended ? ended : n;
			if (ticked) {
				bench_replay(events, its);
				done++;
				memmove(events, events + its, (n - its) * sizeof *events);
				n -= its;
			}
			for (; idle > 0; idle--, done++)
				bench_replay(NULL, 0);
			ended = 0;
			ticked = true;
		} else if (event->kind == HD_RECORD_BEGIN) {
			if (ticked) {
				bench_replay(events, n);
				done++;
			}
			lockstep_reset();
			bench_start();
			begun = true;
			ticked = false;
			n = ended = 0;
		} else if (++n == EVENTS_MAX) {
			replay_refuse("too many events in a cycle");
		} else if (event->kind == HD_RECORD_MACRO) {
			ended = n;
		}
	}
	if (ticked && done < cycles)
		bench_replay(events, n);
	free(events);
	free(body);
	fclose(file);
}
