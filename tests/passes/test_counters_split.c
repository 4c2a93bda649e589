/* HZ-20, fence.split: the compiler's choice of how many counters are for high latency goes into the object and its text, comes back unchanged, is
 * refused where it makes no sense, and is what machine and checker go by, whatever they are configured for. */
#include "../test.h"

#include "../run_object.h"
#include "check/check.h"
#include "config/record.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { THREADS = 64, BYTES = THREADS * 64 };

#define HEAD                                                                                                                                      \
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global p)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<32>;\n" \
	".reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 64;\nadd.s64 %rd3, %rd1, %rd2;\n"              \
	"mov.u32 %r2, 0;\nmov.u32 %r3, %r1;\nL:\n"
#define TAIL "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 4;\n@%p1 bra L;\nst.global.u32 [%rd3], %r3;\nret;\n}\n"
#define LOAD(i, at) "ld.global.u32 %r1" #i ", [%rd3+" #at "];\n"
#define USE(i) "xor.b32 %r3, %r3, %r1" #i ";\nmad.lo.u32 %r3, %r3, 5, %r2;\n"
#define BRANCH(i) "setp.eq.u32 %p2, %r3, " #i ";\nadd.u32 %r3, %r3, " #i ";\n@%p2 bra M" #i ";\nxor.b32 %r3, %r3, 77;\nM" #i ":\n"

/* Six loads are outstanding at once, each with a reader of its own; and nothing but predicates for the flow unit. */
static const char loads[] = HEAD LOAD(0, 4) LOAD(1, 8) LOAD(2, 12) LOAD(3, 16) LOAD(4, 20) LOAD(5, 24) USE(0) USE(1) USE(2) USE(3) USE(4) USE(5) TAIL;
static const char branches[] = HEAD BRANCH(3) BRANCH(70) BRANCH(5) BRANCH(9) TAIL;

static hd_machine machine_of(uint32_t counters, uint32_t high, hd_split split)
{
	hd_machine m;
	hd_machine_default(&m);
	m.fence_counters = counters;
	m.fence_high_latency = high;
	m.fence_split = split;
	m.predecode_geometry = counters > HD_WORD_COUNTERS ? HD_GEOMETRY_WIDE : HD_GEOMETRY_LINE;
	return m;
}

static hd_object *compiled(const char *ptx, const hd_machine *machine)
{
	hd_diag diag = {0};
	hd_ir_module *module = hd_ptx_read(ptx, strlen(ptx), "split.ptx", &diag);
	hd_object *object = module ? hd_compile_module(module, &(hd_compile_options){.machine = machine}, &diag) : NULL;
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_ir_module_free(module);
	return object;
}

/* False when it traps. Cycles lost to waits in the decoder, for high-latency counters (HZ-21), come out in *waits. */
static bool run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t out[BYTES], uint64_t *waits)
{
	hd_stats stats;
	for (unsigned i = 0; i < BYTES; i++)
		out[i] = (uint8_t)(i * 37 + 11);
	bool ok = run_object(object, machine, timed, 1, THREADS, out, BYTES, &stats);
	*waits = stats.stall_high_latency;
	return ok;
}

static bool proven(const hd_object *object, const hd_machine *machine)
{
	hd_check_report report;
	bool ok = hd_check(object, machine, &report);
	hd_check_report_free(&report);
	return ok;
}

/* Proven, and the machine's bytes are the interpreter's. Returns the cycles lost to high-latency counters. */
static uint64_t runs_right(const hd_object *object, const hd_machine *machine)
{
	uint8_t right[BYTES], timed[BYTES];
	uint64_t waits;
	assert_true(proven(object, machine));
	assert_true(run(object, machine, false, right, &waits));
	assert_true(run(object, machine, true, timed, &waits));
	assert_memory_equal(right, timed, BYTES);
	return waits;
}

static hd_object *assembled(const char *text)
{
	hd_diag diag = {0};
	hd_object *object = hd_assemble(text, strlen(text), "t.hasm", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	return object;
}

/* The text names the split; text and file keep it, to the byte. */
static void keeps_its_split(const hd_object *object)
{
	hd_diag diag = {0};
	hd_text text = {0}, second = {0}, line = {0};
	size_t n, m;
	hd_disassemble(object, &text);
	hd_text_printf(&line, "\n.counters %u\n.high_latency %u\n", object->counters, object->split - 1);
	if (object->split ? !strstr(text.at, line.at) : strstr(text.at, "\n.high_latency") != NULL)
		fail_msg("split %u: %.200s", object->split, text.at);
	hd_object *again = assembled(text.at);
	assert_int_equal(again->split, object->split);
	hd_disassemble(again, &second);
	assert_string_equal(text.at, second.at);
	unsigned char *x = hd_object_write(object, &n), *y = hd_object_write(again, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
	hd_object *read = hd_object_read(x, n, "t.hko", &diag);
	assert_non_null(read);
	assert_int_equal(read->split, object->split);
	assert_int_equal(read->counters, object->counters);
	free(x);
	free(y);
	hd_object_free(read);
	hd_object_free(again);
	hd_text_free(&line);
	hd_text_free(&text);
	hd_text_free(&second);
}

/* Primaries that use the last `high` of the counters; all others use the first. */
static unsigned primaries_above(const hd_object *object, uint32_t low)
{
	unsigned n = 0;
	for (uint32_t word = 0; word < object->code.n; word++) {
		hd_inst inst;
		const char *why;
		if (hd_object_begins(object, word) && hd_line_get(object->geometry, object->code.at, word, &inst, &why))
			n += inst.primary > low;
	}
	return n;
}

/* The object records the machine as it was given, whatever the program chose. */
static void records(const hd_object *object, const hd_machine *machine)
{
	hd_text record = {0};
	hd_machine_record(machine, &record);
	assert_non_null(object->machine);
	assert_string_equal(object->machine, record.at);
	hd_text_free(&record);
}

TEST(programs_choose_for_themselves)
{
	const hd_machine machine = machine_of(6, 2, HD_SPLIT_PROGRAM);
	hd_object *many = compiled(loads, &machine), *few = compiled(branches, &machine);
	/* Five loads cannot share two counters without waiting for one another; predicates leave no use for more than are configured. */
	assert_true(many->split > few->split);
	assert_int_equal(few->split, 3);
	keeps_its_split(many);
	keeps_its_split(few);
	records(many, &machine);
	records(few, &machine);
	assert_true(primaries_above(many, many->counters - (many->split - 1)) > 0);
	runs_right(many, &machine);
	runs_right(few, &machine);
	hd_object_free(many);
	hd_object_free(few);
}

/* HZ-3: branches that wait, for want of a second low-latency counter, cost too much where nothing else orders what is inside a pipe. */
TEST(branches_that_wait_are_not_free)
{
	hd_machine machine = machine_of(6, 2, HD_SPLIT_PROGRAM);
	machine.predecode_carrier = HD_CARRIER_NONE;
	machine.divergence_mode = HD_DIV_STACK;
	hd_object *object = compiled(loads, &machine);
	hd_text text = {0};
	hd_disassemble(object, &text);
	if (strstr(text.at, "@!pt"))
		fail_msg("%s", text.at);
	runs_right(object, &machine);
	hd_text_free(&text);
	hd_object_free(object);
}

TEST(any_number_of_counters_is_split)
{
	/* HZ-1: with more than six in the line geometry that has room for them */
	static const uint32_t numbers[] = {2, 3, 8, 16};
	for (unsigned i = 0; i < HD_COUNT(numbers); i++) {
		const hd_machine machine = machine_of(numbers[i], 1, HD_SPLIT_PROGRAM);
		hd_object *object = compiled(loads, &machine);
		assert_int_equal(object->counters, numbers[i]);
		assert_in_range(object->split, 2, numbers[i]); /* one at least for each side */
		assert_true(numbers[i] == 2 || object->split > 2);
		keeps_its_split(object);
		assert_true(runs_right(object, &machine) > 0);
		hd_object_free(object);
	}
}

TEST(machine_and_checker_follow_the_program)
{
	/* Compiled for a fixed split and without a word about it, a program is not proven for machines of fewer; when it says so, for all, and runs
	 * alike. */
	for (uint32_t high = 1; high < 6; high++) {
		const hd_machine maker = machine_of(6, high, HD_SPLIT_FIXED);
		hd_object *silent = compiled(loads, &maker), *told = compiled(loads, &maker);
		told->split = high + 1;
		uint64_t waits = runs_right(silent, &maker);
		for (uint32_t other = 0; other < 6; other++) {
			const hd_machine fixed = machine_of(6, other, HD_SPLIT_FIXED), free = machine_of(6, other, HD_SPLIT_PROGRAM);
			/* The loads use all of `high`: fewer are not enough; without a split every counter will do. */
			assert_true(other == 0 || other >= high || !proven(silent, &fixed));
			assert_int_equal(runs_right(told, &fixed), waits);
			assert_int_equal(runs_right(told, &free), waits);
		}
		hd_object_free(silent);
		hd_object_free(told);
	}
}

TEST(a_machine_with_more_counters_uses_the_program_s)
{
	const hd_machine maker = machine_of(8, 2, HD_SPLIT_PROGRAM);
	hd_machine more = machine_of(16, 3, HD_SPLIT_PROGRAM), fewer = machine_of(7, 3, HD_SPLIT_PROGRAM);
	hd_object *object = compiled(loads, &maker);
	uint8_t out[BYTES];
	uint64_t waits;
	assert_int_equal(runs_right(object, &more), runs_right(object, &maker));
	/* A counter that is not there cannot be raised: refused before anything runs (HZ-5). */
	assert_false(proven(object, &fewer));
	assert_false(run(object, &fewer, true, out, &waits));
	fewer.fence_mode = HD_DEP_SCOREBOARD; /* which looks at no counter */
	assert_true(run(object, &fewer, true, out, &waits));
	hd_object_free(object);
}

TEST(fixed_leaves_it_to_the_machine)
{
	const hd_machine fixed = machine_of(6, 2, HD_SPLIT_FIXED);
	hd_object *object = compiled(loads, &fixed);
	assert_int_equal(object->split, 0);
	keeps_its_split(object);
	assert_true(primaries_above(object, 4) > 0);
	assert_true(runs_right(object, &fixed) > 0);
	hd_object_free(object);
}

TEST(no_high_latency_is_no_split)
{
	/* HZ-21 off: every wait stands in a queue, on machines that are configured otherwise, too, since the program says 0. */
	const hd_machine none = machine_of(6, 0, HD_SPLIT_PROGRAM), two = machine_of(6, 2, HD_SPLIT_PROGRAM);
	hd_object *object = compiled(loads, &none), *usual = compiled(loads, &two);
	assert_int_equal(object->split, 1);
	keeps_its_split(object);
	assert_int_equal(runs_right(object, &none), 0);
	assert_int_equal(runs_right(object, &two), 0);
	assert_true(runs_right(usual, &none) > 0);
	hd_object_free(object);
	hd_object_free(usual);
}

static void refused(const char *text, const char *error)
{
	hd_diag diag = {0};
	hd_object *object = hd_assemble(text, strlen(text), "t.hasm", &diag);
	if (object || strncmp(diag.text.at, error, strlen(error)) != 0)
		fail_msg("%s\n%s\nexpected %s", text, object ? "accepted" : diag.text.at, error);
	hd_diag_free(&diag);
}

TEST(text_that_makes_no_sense_is_refused)
{
	static const char *const good[] = {".high_latency 0\nnop\n", ".high_latency 5\nnop\n", ".counters 2\n.high_latency 1\nnop\n",
	                                   ".high_latency 7\n.counters 8\n.geometry wide\nnop\n", ".high_latency 0x3 ; of 6\nnop\n"};
	static const uint32_t split[] = {1, 6, 2, 8, 4};
	for (unsigned i = 0; i < HD_COUNT(good); i++) {
		hd_object *object = assembled(good[i]);
		assert_int_equal(object->split, split[i]);
		hd_object_free(object);
	}
	refused("nop\n  .high_latency 6\n", "t.hasm:2:17: error: 6 of 6 fence counters for high latency, expected at least one for low");
	refused(".high_latency 2\n.counters 2\nnop\n", "t.hasm:1:15: error: 2 of 2 fence counters for high latency");
	refused(".counters 16\n.geometry wide\n.high_latency 16\nnop\n", "t.hasm:3:15: error: 16 of 16 fence counters");
	refused(".high_latency 17\nnop\n", "t.hasm:1:15: error: bad number of counters, expected a number from 0 to 16");
	refused(".high_latency -1\nnop\n", "t.hasm:1:15: error: bad number of counters");
	refused(".high_latency 18446744073709551617\nnop\n", "t.hasm:1:15: error: bad number of counters");
	refused(".high_latency\nnop\n", "t.hasm:1:14: error: bad number of counters");
	refused(".high_latency many\nnop\n", "t.hasm:1:15: error: bad number of counters");
	refused(".high_latency 2x\nnop\n", "t.hasm:1:15: error: bad number of counters");
	refused(".high_latency 2 3\nnop\n", "t.hasm:1:17: error: more on the line");
	refused("nop\n.counters 1\n", "t.hasm:2:11: error: 1 fence counters in lines of geometry line, expected 2 to 6");
	refused(".counters 4294967295\nnop\n", "t.hasm:1:11: error: 4294967295 fence counters in lines of geometry line, expected 2 to 6");
}

TEST(files_that_make_no_sense_are_refused)
{
	/* hd_object_write writes what it is given. */
	static const uint32_t bad[] = {7, 8, 255, 0x7fff, 0xffff};
	const hd_machine machine = machine_of(6, 2, HD_SPLIT_PROGRAM);
	hd_object *object = compiled(loads, &machine);
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		hd_diag diag = {0};
		size_t n;
		hd_text error = {0};
		object->split = bad[i];
		hd_text_printf(&error, "t.hko: error: %u of 6 fence counters for high latency, expected at least one for low", bad[i] - 1);
		unsigned char *file = hd_object_write(object, &n);
		assert_null(hd_object_read(file, n, "t.hko", &diag));
		assert_memory_equal(diag.text.at, error.at, error.n);
		free(file);
		hd_text_free(&error);
		hd_diag_free(&diag);
	}
	hd_object_free(object);
}
