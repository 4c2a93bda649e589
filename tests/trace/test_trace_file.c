/* Limits and names of traces as the command line has them, and several observers as one. tests/cli checks the files. */
#include "../test.h"

#include "trace/trace_writer.h"

static void cycles(const char *text, bool ok, uint64_t first, uint64_t last)
{
	hd_trace_limits limits = {.first = 123, .last = 456};
	assert_int_equal(hd_trace_parse_cycles(&limits, text), ok);
	assert_true(limits.first == (ok ? first : 123) && limits.last == (ok ? last : 456));
}

TEST(ranges_of_cycles)
{
	cycles("10:20", true, 10, 20);
	cycles("7:7", true, 7, 7);
	cycles("10:", true, 10, UINT64_MAX);
	cycles(":20", true, 0, 20);
	cycles("10..20", true, 10, 20);
	cycles("10..", true, 10, UINT64_MAX);
	cycles("..20", true, 0, 20);
	static const char *const bad[] = {
	    ":", "", "10", "20:10", "10:20x", "x:20", "-1:5", "1:2:3", "..", "1.2", "1...2", "2..1", ".", "1..2..3", "99999999999999999999:"};
	for (unsigned i = 0; i < HD_COUNT(bad); i++)
		cycles(bad[i], false, 0, 0);
}

TEST(cores_and_warps)
{
	hd_trace_limits limits = hd_trace_no_limits;
	assert_true(hd_trace_parse_core(&limits, "3"));
	assert_int_equal(limits.core, 3);
	assert_false(hd_trace_parse_core(&limits, "3x"));
	assert_false(hd_trace_parse_core(&limits, ""));
	assert_true(hd_trace_parse_warp(&limits, "15"));
	assert_int_equal(limits.slot, 15);
	assert_int_equal(limits.scheduler, HD_TRACE_ALL);
	assert_true(hd_trace_parse_warp(&limits, "7.2"));
	assert_int_equal(limits.scheduler, 7);
	assert_int_equal(limits.slot, 2);
	static const char *const bad[] = {"16", "8.0", "0.16", "1.", ".1", "1.2.3", ""};
	for (unsigned i = 0; i < HD_COUNT(bad); i++)
		assert_false(hd_trace_parse_warp(&limits, bad[i]));
}

TEST(kinds_of_files)
{
	hd_trace_format format;
	const char *path;
	assert_true(hd_trace_parse("konata:a:b", &format, &path));
	assert_int_equal(format, HD_TRACE_KONATA);
	assert_string_equal(path, "a:b");
	assert_true(hd_trace_parse("vcd:x", &format, &path));
	assert_int_equal(format, HD_TRACE_VCD);
	assert_true(hd_trace_parse("perfetto:x", &format, &path));
	assert_int_equal(format, HD_TRACE_PERFETTO);
	assert_true(hd_trace_parse("stages:x", &format, &path));
	assert_int_equal(format, HD_TRACE_STAGES);
	assert_false(hd_trace_parse("vcd:", &format, &path));
	assert_false(hd_trace_parse("vcd", &format, &path));
	assert_false(hd_trace_parse("VCD:x", &format, &path));
}

typedef struct counter {
	hd_trace trace;
	unsigned n;
	uint64_t last;
} counter;

static void count(hd_trace *trace, const hd_trace_event *event)
{
	counter *c = (counter *)trace;
	c->n++;
	c->last = event->cycle;
}

TEST(every_observer_receives_every_event)
{
	counter a = {.trace = {.event = count}}, b = {.trace = {.event = count}};
	hd_watchers watchers = {0};
	hd_watchers_add(&watchers, &a.trace);
	hd_watchers_add(&watchers, &b.trace);
	watchers.trace.event(&watchers.trace, &(hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 5});
	watchers.trace.event(&watchers.trace, &(hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 9});
	assert_int_equal(a.n, 2);
	assert_int_equal(b.n, 2);
	assert_int_equal(a.last, 9);
	assert_int_equal(b.last, 9);
}

/* The warning of a trace of a run whose instructions were issued in cycles 5 and 9, in slot 3; NULL: there is none. */
static void expect_warning(hd_trace_format format, uint64_t first, uint64_t last, uint32_t slot, const char *expected)
{
	hd_trace_limits limits = hd_trace_no_limits;
	hd_machine machine;
	hd_object object = {0};
	hd_slot slots[1] = {{.pipe = HD_PIPE_NONE}};
	hd_program program = {.object = &object, .slots = slots, .n_slots = 1};
	hd_diag diag = {0};
	FILE *out = tmpfile();
	limits.first = first;
	limits.last = last;
	limits.slot = slot;
	hd_machine_default(&machine);
	hd_trace_file *file = hd_trace_open(format, out, "t", &limits, &machine, &program, &diag);
	assert_non_null(file);
	hd_trace *trace = hd_trace_watcher(file);
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = 1, .slot = 3, .mask = 1});
	for (uint32_t i = 0; i < 2; i++)
		trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 5 + 4 * i, .slot = 3, .number = i + 1, .mask = 1, .slots = 1});
	assert_true(hd_trace_close(file, &diag));
	assert_int_equal(diag.errors, 0);
	if (expected)
		assert_string_equal(diag.text.at, expected);
	else
		assert_int_equal(diag.text.n, 0);
	hd_diag_free(&diag);
	fclose(out);
}

TEST(limits_that_leave_nothing_are_warned_of)
{
	expect_warning(HD_TRACE_STAGES, 0, UINT64_MAX, HD_TRACE_ALL, NULL);
	expect_warning(HD_TRACE_STAGES, 9, UINT64_MAX, HD_TRACE_ALL, NULL);
	expect_warning(HD_TRACE_STAGES, 1, 5, 3, NULL);
	expect_warning(HD_TRACE_STAGES, 10, UINT64_MAX, HD_TRACE_ALL,
	               "t: warning: the trace has no instruction: none was issued from cycle 10 on; the run issued its last one in cycle 9\n");
	expect_warning(HD_TRACE_EXPLORE, 6, 8, HD_TRACE_ALL,
	               "t: warning: the trace has no instruction: none was issued in cycles 6 to 8; the run issued its last one in cycle 9\n");
	expect_warning(HD_TRACE_EXPLORE, 0, UINT64_MAX, 2,
	               "t: warning: the trace has no instruction: none was issued from cycle 0 on in the chosen warp slots; the run issued its last "
	               "one in cycle 9\n");
}

/* A run that issued nothing has other worries. */
TEST(a_run_without_an_issue_is_not_warned_of)
{
	hd_trace_limits limits = hd_trace_no_limits;
	hd_machine machine;
	hd_object object = {0};
	hd_slot slots[1] = {{.pipe = HD_PIPE_NONE}};
	hd_diag diag = {0};
	FILE *out = tmpfile();
	limits.first = 7;
	hd_machine_default(&machine);
	hd_trace_file *file = hd_trace_open(HD_TRACE_STAGES, out, "t", &limits, &machine, &(hd_program){&object, slots, .n_slots = 1}, &diag);
	assert_true(hd_trace_close(file, &diag));
	assert_int_equal(diag.text.n, 0);
	fclose(out);
}

/* RC-24 */
TEST(lanes_that_wait)
{
	uint32_t resume[HD_LANES];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		resume[lane] = lane < 2 || lane == 31 ? 7 : lane < 4 ? 5 : HD_TRACE_NO_ADDRESS;
	assert_int_equal(hd_trace_waiting(resume), 0x8000000fu);
	assert_int_equal(hd_trace_same_resume(resume, 0x8000000fu), 0x80000003u);
	assert_int_equal(hd_trace_same_resume(resume, 0xeu), 0x2u);
	assert_int_equal(hd_trace_same_resume(resume, 0xcu), 0xcu);
	resume[4] = 9;
	assert_int_equal(hd_trace_same_resume(resume, 0x8000001cu), 0xcu);
}

/* The waits of a warp in cycles 4 to 8 and from 10 to its end in 12, as a format writes it. The caller frees. */
static char *waits_in(hd_trace_format format)
{
	hd_machine machine;
	hd_object object = {0};
	hd_slot slots[1] = {{.pipe = HD_PIPE_NONE}};
	hd_program program = {.object = &object, .slots = slots, .n_slots = 1};
	hd_diag diag = {0};
	FILE *out = tmpfile();
	hd_machine_default(&machine);
	hd_trace_file *file = hd_trace_open(format, out, "t", &hd_trace_no_limits, &machine, &program, &diag);
	hd_trace *trace = hd_trace_watcher(file);
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = 1, .slot = 3, .mask = 1});
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_WAIT, .cycle = 4, .slot = 3, .cause = HD_STALL_BARRIER});
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_WAIT, .cycle = 9, .slot = 3, .cause = HD_STALL_COUNT});
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_WAIT, .cycle = 10, .slot = 3, .cause = HD_STALL_FETCH});
	trace->event(trace, &(hd_trace_event){.kind = HD_TRACE_END, .cycle = 12, .slot = 3});
	assert_true(hd_trace_close(file, &diag));
	long size = ftell(out);
	char *text = hd_xcalloc(1, (size_t)size + 1);
	rewind(out);
	assert_int_equal(fread(text, 1, (size_t)size, out), size);
	fclose(out);
	hd_diag_free(&diag);
	return text;
}

/* The value of a wire of five bits from a cycle on; the cycle has changes. */
static void expect_wire(const char *vcd, const char *wire, const char *cycle, unsigned value)
{
	char change[32] = "\nb", *at = change + 2;
	for (int bit = 4; bit >= 0; bit--)
		if (value >> bit || !bit)
			*at++ = (char)('0' + (value >> bit & 1));
	snprintf(at, sizeof change - (size_t)(at - change), " %s\n", wire);
	const char *from = strstr(vcd, cycle), *found = from ? strstr(from, change) : NULL, *next = from ? strchr(from + 2, '#') : NULL;
	while (next && next[-1] != '\n')
		next = strchr(next + 1, '#');
	assert_non_null(found);
	assert_true(!next || found < next);
}

TEST(what_a_warp_waits_for)
{
	char *perfetto = waits_in(HD_TRACE_PERFETTO), *vcd = waits_in(HD_TRACE_VCD), wire[8] = "";
	assert_non_null(strstr(perfetto, "\"ts\":4,\"dur\":5,\"name\":\"barrier\",\"cat\":\"wait\""));
	assert_non_null(strstr(perfetto, "\"ts\":10,\"dur\":2,\"name\":\"fetch\",\"cat\":\"wait\""));
	assert_int_equal(sscanf(strstr(strstr(strstr(vcd, "warp03"), "waits_for_counters"), "$var wire 5 "), "$var wire 5 %7s waits", wire), 1);
	expect_wire(vcd, wire, "\n#4\n", HD_STALL_BARRIER + 1);
	expect_wire(vcd, wire, "\n#9\n", 0);
	expect_wire(vcd, wire, "\n#10\n", HD_STALL_FETCH + 1);
	expect_wire(vcd, wire, "\n#12\n", 0);
	free(perfetto);
	free(vcd);
}
