/* The trace `stages` (LU-13): a line for each cycle of a warp in which an instruction enters or leaves a pipe, or a register is written or left out.
 * The events are made by hand; tests/cli/last_use.py has whole runs. */
#include "../test.h"

#include "trace/trace_file.h"

enum { SLOTS = 8, OUTPUT = 4096 };

typedef struct run {
	hd_machine machine;
	hd_object object;
	hd_slot slots[SLOTS];
	hd_program program;
	hd_trace_limits limits;
	FILE *out;
	hd_trace_file *file;
	char text[OUTPUT];
} run;

static void put(run *r, unsigned at, hd_op op, unsigned d, unsigned a, unsigned b, unsigned words)
{
	r->slots[at] = (hd_slot){.pipe = hd_ops[op].pipe, .dwords = (uint8_t)words};
	r->slots[at].inst = (hd_inst){.op = op, .guard = HD_PT, .d = (uint8_t)d, .a = (uint8_t)a, .b = (uint8_t)b, .c = HD_RZ};
}

static run *new_run(void)
{
	run *r = hd_xcalloc(1, sizeof *r);
	hd_machine_default(&r->machine);
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = SLOTS};
	r->limits = hd_trace_no_limits;
	put(r, 1, HD_OP_FMUL, 20, 4, HD_RZ, 1);
	put(r, 2, HD_OP_FADD, 21, 20, 5, 1);
	put(r, 3, HD_OP_IADD64, 22, 24, HD_RZ, 2);
	put(r, 4, HD_OP_BRA, HD_RZ, HD_RZ, HD_RZ, 0);
	return r;
}

static void begin(run *r)
{
	hd_diag diag = {0};
	r->out = tmpfile();
	assert_non_null(r->out);
	r->file = hd_trace_open(HD_TRACE_STAGES, r->out, "stages", &r->limits, &r->machine, &r->program, &diag);
	assert_non_null(r->file);
}

/* Reports an event of the second warp slot of scheduler 1. */
static void tell(run *r, hd_trace_event event)
{
	hd_trace *trace = hd_trace_watcher(r->file);
	event.scheduler = 1;
	event.slot = 2;
	event.mask = event.mask ? event.mask : ~0u;
	trace->event(trace, &event);
}

static void issues(run *r, uint32_t pc, uint64_t cycle)
{
	tell(r, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = cycle, .pc = pc, .number = pc, .slots = 1});
}
static void enters(run *r, uint32_t pc, uint64_t cycle) { tell(r, (hd_trace_event){.kind = HD_TRACE_ENTER, .cycle = cycle, .pc = pc, .number = pc}); }
static void is_done(run *r, uint32_t pc, uint64_t cycle) { tell(r, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = cycle, .pc = pc, .number = pc}); }
static void goes(run *r, hd_trace_kind kind, unsigned reg, unsigned words, uint64_t cycle, uint32_t reader)
{
	tell(r, (hd_trace_event){.kind = kind, .cycle = cycle, .reg = (uint8_t)reg, .words = (uint8_t)words, .number = reader});
}

/* The lines behind the first one, without the spaces between columns. */
static void expect(run *r, const char *expected)
{
	hd_diag diag = {0};
	char got[OUTPUT] = "";
	assert_true(hd_trace_close(r->file, &diag));
	rewind(r->out);
	r->text[fread(r->text, 1, OUTPUT - 1, r->out)] = '\0';
	assert_int_equal(strncmp(r->text, "   cycle  warp ", 15), 0);
	const char *at = strchr(r->text, '\n') + 1;
	for (size_t n = 0; *at; at++) {
		bool space = *at == ' ';
		if (space && (at[1] == ' ' || n == 0 || got[n - 1] == '\n'))
			continue;
		got[n++] = *at;
	}
	assert_string_equal(got, expected);
	fclose(r->out);
	free(r);
}

/* A value is read on path C-A and left out. The next one is written, in the cycle before the one in which it is in the register file. */
TEST(a_value_is_left_out_and_one_is_written)
{
	run *r = new_run();
	begin(r);
	issues(r, 1, 9);
	enters(r, 1, 10);
	issues(r, 2, 12);
	is_done(r, 1, 13);
	enters(r, 2, 15);
	goes(r, HD_TRACE_SKIP, 20, 1, 15, 2);
	is_done(r, 2, 18);
	goes(r, HD_TRACE_REGISTERS, 21, 1, 23, 0);
	expect(r, "10 0.1.2 r20 - - r4:file - - L1 fmul r20, r4, rz\n"
	          "13 0.1.2 - - r20 - - -\n"
	          "15 0.1.2 r21 - - r20:C-A r5:file - r20 L2 fadd r21, r20, r5\n"
	          "18 0.1.2 - - r21 - - -\n"
	          "22 0.1.2 - - - - r21 -\n");
}

/* The place of an operand follows from its age. A flag in vain is named. */
TEST(a_place_for_each_age)
{
	static const char *const places[] = {"C-B", "C-B", "C-A", "comp1", "comp2"};
	for (unsigned age = 0; age < HD_COUNT(places); age++) {
		char expected[256];
		run *r = new_run();
		begin(r);
		issues(r, 1, 9);
		enters(r, 1, 10);
		issues(r, 2, 11);
		is_done(r, 1, 13);
		enters(r, 2, 13 + age);
		goes(r, HD_TRACE_LATE, 20, 1, 13 + age, 2);
		snprintf(expected, sizeof expected,
		         "10 0.1.2 r20 - - r4:file - - L1 fmul r20, r4, rz\n%s%u 0.1.2 r21 - %s r20:%s r5:file - (r20 late) L2 fadd r21, r20, r5\n",
		         age ? "13 0.1.2 - - r20 - - -\n" : "", 13 + age, age ? "-" : "r20", places[age]);
		expect(r, expected);
	}
}

/* Instructions are in stage B between their cycle of entry and their result, in the order of entry. Limits apply to cycles, too. */
TEST(stage_b_in_the_order_of_entry)
{
	run *r = new_run();
	r->limits.last = 12;
	begin(r);
	issues(r, 3, 8);
	enters(r, 3, 9);
	issues(r, 1, 9);
	issues(r, 4, 10);
	enters(r, 1, 10);
	enters(r, 4, 11);
	is_done(r, 3, 12);
	goes(r, HD_TRACE_REPLACED, 22, 2, 12, 0);
	is_done(r, 4, 13);
	expect(r, "9 0.1.2 r22:r23 - - r24:file - - L3 iadd64 r22:r23, r24:r25, rz\n"
	          "10 0.1.2 r20 r22:r23 - r4:file - - L1 fmul r20, r4, rz\n"
	          "11 0.1.2 L4 r22:r23 r20 - - - - L4 bra 0\n"
	          "12 0.1.2 - r20 L4 r22:r23 - - r22 r23 (replaced)\n");
}
