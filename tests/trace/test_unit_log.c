/* A log of units: what a reader of the JSON object gets back is what the watcher was told, in each cycle, and the log keeps its bound. */
#include "trace/unit_log.h"

#include <jansson.h>
#include "../test.h"

static const hd_unit_sizes sizes = {.schedulers = 1, .banks = 2, .entries = 2, .hazards = 2, .buffers = 1, .replays = 1};

/* -- a reader of the JSON object, on its own ------------------------------------------------------------------------------------------------- */
typedef struct reader {
	json_t *root;
	uint8_t *bytes;
	size_t n, at;
} reader;

static int digit_of(char c)
{
	return (int)(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c) -
	             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

static reader read_log(const hd_unit_log *log)
{
	hd_machine machine;
	hd_text text = {0};
	json_error_t error;
	hd_machine_default(&machine);
	hd_unit_log_json(log, &machine, &text);
	assert_null(strchr(text.at, '<'));
	assert_null(strchr(text.at, '&'));
	assert_null(strchr(text.at, '\n'));
	reader r = {.root = json_loads(text.at, 0, &error)};
	if (!r.root)
		fail_msg("%s at %d", error.text, error.position);
	const char *data = json_string_value(json_object_get(r.root, "data"));
	r.bytes = hd_xcalloc(strlen(data) + 1, 1);
	for (size_t i = 0; data[i]; i += 4) {
		uint32_t word = 0;
		for (unsigned k = 0; k < 4; k++)
			word = word << 6 | (data[i + k] == '=' ? 0 : (uint32_t)digit_of(data[i + k]));
		for (unsigned k = 0; k < 3; k++)
			if (k == 0 || data[i + k + 1] != '=')
				r.bytes[r.n++] = (uint8_t)(word >> (16 - 8 * k));
	}
	hd_text_free(&text);
	return r;
}

static uint64_t number(reader *r)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		assert_true(r->at < r->n);
		uint8_t byte = r->bytes[r->at++];
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
}

/* Takes a cycle: adds its differences to the cells. Returns the cycles since the one before. */
static uint64_t next_cycle(reader *r, int64_t *cells, uint32_t n)
{
	uint64_t passed = number(r), left = number(r);
	uint32_t at = UINT32_MAX;
	for (; left; left--) {
		at += (uint32_t)number(r);
		assert_true(at < n);
		uint64_t by = number(r);
		cells[at] += by & 1 ? -(int64_t)(by >> 1) - 1 : (int64_t)(by >> 1);
	}
	return passed;
}

static void end(reader *r, hd_unit_log *log, hd_units *units)
{
	json_decref(r->root);
	free(r->bytes);
	hd_unit_log_free(log);
	hd_units_free(units);
}

static int64_t of(const reader *r, const char *key) { return json_integer_value(json_object_get(r->root, key)); }

/* -- tests ---------------------------------------------------------------------------------------------------------------------------------- */

TEST(what_comes_back_is_what_was_told)
{
	enum { CYCLES = 300 };
	uint64_t seed = 7, first, last;
	hd_units units;
	hd_units_init(&units, &sizes);
	hd_unit_log *log = hd_unit_log_new(3, 40, 1000, HD_UNIT_LOG_BYTES);
	hd_unit_watch *watch = hd_unit_log_watch(log);
	assert_int_equal(watch->core, 3);
	assert_int_equal(watch->first, 40);
	assert_int_equal(watch->last, 1000);
	int64_t *told = hd_xcalloc(CYCLES * (size_t)units.n, sizeof *told), *cells = hd_xcalloc(units.n, sizeof *cells);
	static const int64_t values[] = {0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, UINT32_MAX, -1 - (int64_t)UINT32_MAX, INT64_C(1) << 52};
	for (unsigned k = 0; k < CYCLES; k++) {
		for (unsigned i = 0; i < k % 7; i++)
			units.cells[i == 5 ? units.n - 1 : i == 4 ? 0 : hd_random(&seed) % units.n] = values[hd_random(&seed) % HD_COUNT(values)];
		units.cycle = 40 + k * 2 + (k > 50);
		units.hidden = k == 9;
		watch->cycle(watch, &units);
		memcpy(told + (size_t)k * units.n, units.cells, units.n * sizeof *told);
	}
	assert_int_equal(hd_unit_log_cycles(log, &first, &last), CYCLES);
	assert_int_equal(first, 40);
	assert_int_equal(last, 40 + (CYCLES - 1) * 2 + 1);
	reader r = read_log(log);
	assert_int_equal(of(&r, "core"), 3);
	assert_int_equal(of(&r, "first"), 40);
	assert_int_equal(of(&r, "last"), last);
	assert_int_equal(of(&r, "cycles"), CYCLES);
	assert_int_equal(of(&r, "hidden"), 1);
	assert_true(json_is_true(json_object_get(r.root, "complete")));
	for (unsigned k = 0; k < CYCLES; k++) {
		assert_int_equal(next_cycle(&r, cells, units.n), k == 0 ? 0 : k == 51 ? 3 : 2);
		assert_memory_equal(cells, told + (size_t)k * units.n, units.n * sizeof *cells);
	}
	assert_int_equal(r.at, r.n);
	free(told);
	free(cells);
	end(&r, log, &units);
}

/* The page finds a value by these names. */
TEST(the_object_names_the_cells)
{
	hd_units units;
	hd_units_init(&units, &sizes);
	hd_unit_log *log = hd_unit_log_new(0, 1, 9, HD_UNIT_LOG_BYTES);
	units.cycle = 1;
	units.warp[3].counter[4] = 77;
	hd_unit_log_watch(log)->cycle(hd_unit_log_watch(log), &units);
	reader r = read_log(log);
	int64_t *cells = hd_xcalloc(units.n, sizeof *cells);
	next_cycle(&r, cells, units.n);
	const json_t *groups = json_object_get(r.root, "groups");
	assert_int_equal(json_array_size(groups), HD_UNITS_COUNT);
	const json_t *warp = json_array_get(groups, HD_UNITS_warp), *fields = json_object_get(warp, "fields");
	assert_string_equal(json_string_value(json_object_get(warp, "name")), "warp");
	assert_int_equal(json_integer_value(json_object_get(warp, "count")), HD_UNIT_WARPS);
	size_t i = 0;
	while (strcmp(json_string_value(json_array_get(json_array_get(fields, i), 0)), "counter") != 0)
		i++;
	const json_t *counter = json_array_get(fields, i);
	assert_int_equal(json_integer_value(json_array_get(counter, 2)), HD_MAX_COUNTERS);
	int64_t at = json_integer_value(json_object_get(warp, "at")) + 3 * json_integer_value(json_object_get(warp, "cells")) +
	             json_integer_value(json_array_get(counter, 1)) + 4;
	assert_int_equal(cells[at], 77);
	assert_int_equal(json_array_size(json_object_get(r.root, "stalls")), HD_STALL_COUNT);
	assert_int_equal(json_array_size(json_object_get(r.root, "pipes")), HD_PIPE_COUNT);
	assert_int_equal(json_array_size(json_object_get(r.root, "outcomes")), HD_UNIT_STOPPED + 1);
	assert_int_equal(json_array_size(json_object_get(r.root, "places")), HD_UNIT_FILE + 1);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(r.root, "sizes"), "cells")), units.n);
	free(cells);
	end(&r, log, &units);
}

/* A log without room ends before the cycle that does not fit, and its watcher asks for no more. */
TEST(a_log_keeps_its_bound)
{
	uint64_t first, last;
	hd_units units;
	hd_units_init(&units, &sizes);
	hd_unit_log *log = hd_unit_log_new(0, 1, UINT64_MAX, 10);
	hd_unit_watch *watch = hd_unit_log_watch(log);
	assert_int_equal(hd_unit_log_cycles(log, &first, &last), 0);
	for (units.cycle = 1; units.cycle < 9; units.cycle++) { /* each takes four bytes: 0 or 1, 1, 1, 2 */
		units.cells[0]++;
		watch->cycle(watch, &units);
	}
	assert_int_equal(hd_unit_log_cycles(log, &first, &last), 2);
	assert_int_equal(last, 2);
	assert_int_equal(watch->last, 2);
	reader r = read_log(log);
	assert_true(json_is_false(json_object_get(r.root, "complete")));
	assert_int_equal(r.n, 8);
	end(&r, log, &units);
}
