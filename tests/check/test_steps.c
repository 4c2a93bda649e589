/* The checker's work is bounded, whatever the object is: it gives up after a number of steps, and then nothing is proven (HZ-27). */
#include "check/check.h"
#include "check/last_use.h"
#include "../test.h"

static hd_object *assemble(const hd_text *text)
{
	hd_diag diag = {0};
	hd_object *object = hd_assemble(text->at, text->n, "steps", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	return object;
}

static void begin(hd_text *text) { hd_text_printf(text, ".counters 6\n.kernel \"k\"\n.entry K\n.function \"k\"\nK: nop\n"); }

/* Each guarded exit can be followed by each of the labels behind it: edges grow with the square. */
static hd_object *exits(unsigned n)
{
	hd_text text = {0};
	begin(&text);
	for (unsigned i = 0; i < n; i++)
		hd_text_printf(&text, "@p0 bra L%u\n@p1 exit\nL%u: nop\n", i, i);
	hd_text_printf(&text, "exit\n.end\n");
	hd_object *object = assemble(&text);
	hd_text_free(&text);
	return object;
}

/* Stores that nothing waits for, in loops within loops: facts grow with the square. */
static hd_object *loops(unsigned n)
{
	hd_text text = {0};
	begin(&text);
	for (unsigned i = 0; i < n; i++)
		hd_text_printf(&text, "L%u: stg.32 [r202:r203], r%u {p5.w}\n@p0 bra L%u\n", i, i % 200, i - i / 2);
	hd_text_printf(&text, "exit\n.end\n");
	hd_object *object = assemble(&text);
	hd_text_free(&text);
	return object;
}

/* Last uses of registers that no instruction writes or reads: each search visits every block. */
static hd_object *last_uses(unsigned n)
{
	hd_text text = {0};
	begin(&text);
	for (unsigned i = 0; i < n; i++)
		hd_text_printf(&text, "mov r1, r2 {delay 15}\nmov r3, r1.lu {delay 15}\n@p0 bra L%u\nL%u: nop\n", i, i);
	hd_text_printf(&text, "exit\n.end\n");
	hd_object *object = assemble(&text);
	hd_text_free(&text);
	return object;
}

static hd_object *lines(const char *line, unsigned n)
{
	hd_text text = {0};
	begin(&text);
	for (unsigned i = 0; i < n; i++)
		hd_text_put(&text, line, strlen(line));
	hd_text_printf(&text, "exit\n.end\n");
	hd_object *object = assemble(&text);
	hd_text_free(&text);
	return object;
}

/* Each exit looks for the resume points behind it. There is none. */
static hd_object *exits_alone(unsigned n) { return lines("@p1 exit\n", n); }

/* Accesses of one block, for which nothing waits. */
static hd_object *stores(unsigned n) { return lines("stg.32 [r202:r203], r1 {p5.w}\n", n); }

/* The search for a later reader of r1 goes to the end of the block, because no lane is sure to get a new value. */
static hd_object *guarded_last_uses(unsigned n) { return lines("@p0 mov r1, r2 {delay 15}\n@p0 mov r3, r1.lu {delay 15}\n", n); }

static bool check(const hd_object *object, uint64_t steps, hd_check_report *report)
{
	hd_machine machine;
	hd_machine_default(&machine);
	return hd_check_within(object, &machine, steps, report);
}

TEST(gives_up_after_its_steps)
{
	hd_object *(*const make[])(unsigned) = {exits, loops};
	for (size_t i = 0; i < HD_COUNT(make); i++) {
		hd_object *object = make[i](200);
		hd_check_report report;
		assert_true(check(object, HD_CHECK_STEPS, &report));
		assert_int_equal(report.gave_up, 0);
		hd_check_report_free(&report);
		for (uint64_t steps = 1; steps < 10000; steps *= 3) {
			assert_false(check(object, steps, &report));
			assert_int_equal(report.gave_up, steps);
			hd_check_report_free(&report);
		}
		hd_object_free(object);
	}
}

/* A program of eight times the size takes more than eight times the steps. The bound holds for all of them. */
TEST(large_programs_reach_the_bound)
{
	hd_object *(*const make[])(unsigned) = {exits, loops, last_uses, exits_alone, stores};
	const uint64_t steps = 3000000;
	for (size_t i = 0; i < HD_COUNT(make); i++) {
		hd_object *small = make[i](200), *large = make[i](8000);
		hd_check_report report;
		check(small, steps, &report);
		assert_int_equal(report.gave_up, 0);
		hd_check_report_free(&report);
		assert_false(check(large, steps, &report));
		assert_int_equal(report.gave_up, steps);
		hd_check_report_free(&report);
		hd_object_free(small);
		hd_object_free(large);
	}
}

static void nobody(void *context, uint32_t word, uint32_t other, int reg) {}

/* The search from 1000 flags visits 500 pairs of instructions on average. */
TEST(searches_for_readers_count)
{
	enum { FLAGS = 1000 };
	uint64_t left = HD_CHECK_STEPS;
	hd_machine machine;
	hd_machine_default(&machine);
	hd_object *object = guarded_last_uses(FLAGS);
	hd_code_graph *graph = hd_code_graph_new(object, (hd_meeting){0}, &left);
	assert_int_equal(hd_check_last_uses(graph, &machine, nobody, NULL), FLAGS);
	assert_true(HD_CHECK_STEPS - left > (uint64_t)FLAGS * FLAGS);
	hd_code_graph_free(graph);
	hd_object_free(object);
}

TEST(says_that_it_gave_up)
{
	hd_text text = {0};
	hd_check_report report = {.gave_up = 12};
	hd_gave_up_print(&text, &report, "x.hko");
	assert_string_equal(
	    text.at, "x.hko: error: is not proven: the checker gave up after 12 steps; the work can grow with the square of the instructions of "
	             "a function\n");
	hd_text_free(&text);
}

/* Validation looks up the kernel of each function: 100,000 of each took half a minute. */
TEST(many_kernels)
{
	hd_text text = {0};
	enum { KERNELS = 100000 };
	hd_text_printf(&text, ".counters 6\n");
	for (unsigned i = 0; i < KERNELS; i++)
		hd_text_printf(&text, ".kernel \"k%u\"\n.entry K%u\n", i, i);
	for (unsigned i = 0; i < KERNELS; i++)
		hd_text_printf(&text, ".function \"k%u\"\nK%u: exit\n.end\n", i, i);
	hd_object *object = assemble(&text);
	hd_check_report report;
	assert_true(check(object, 10 * KERNELS * 8, &report));
	hd_check_report_free(&report);
	hd_object_free(object);
	hd_text_free(&text);
}
