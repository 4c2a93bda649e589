/* Objects on other machines (docs/checker.md, HZ-27): heddle_run refuses annotations that are not proven for the machine of the run. */
#include <stdio.h>
#include <stdlib.h>
#include "../test.h"

#include "config/record.h"
#include "heddle/heddle.h"

/* Two additions of one pipe, as far apart as the machine `heddle` needs: 4 cycles. */
static const char chain[] = ".kernel k\n.entry L1\n.registers 4\n.param_bytes 8\n.param out, 0, 8, 8, pointer, global\n.function k\nL1:\n"
                            "\tmov r2, c[0x40] {delay 1}\n\tmov r3, c[0x44] {delay 1}\n\tiadd r0, rz, #20 {delay 4}\n\tiadd r0, r0, #22 {delay 8}\n"
                            "%s\tmov r1, r0 {p1.w delay 1}\n\tstg.32 [r2:r3], r1 {w100000}\n\texit\n.end\n";
enum { SUM = 42 };
/* Drops the sum, which is read again. */
static const char wrong_flag[] = "\tmov r1, r0.lu {delay 8}\n";

/* The program as a file, for the machine that `record` describes; NULL: for no machine. `more`: instructions behind the additions. */
static const char *file_of(const char *record, const char *more)
{
	static char path[64];
	static unsigned number;
	snprintf(path, sizeof path, "heddle-compatible-%u.hasm", number++);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	if (record)
		fprintf(file, ".machine %s\n", record);
	fprintf(file, chain, more);
	fclose(file);
	return path;
}

static heddle *built_with(const char *more, const char *record, bool unproven)
{
	const heddle_build_options options = {.unproven = unproven};
	const char *path = file_of(record, more);
	heddle *h = heddle_new();
	bool ok = heddle_set(h, "multi_issue.window=1") && heddle_build(h, path, &options);
	remove(path);
	if (!ok)
		fail_msg("%s", heddle_messages(h));
	return h;
}

static heddle *built(const char *record, bool unproven) { return built_with("", record, unproven); }

/* Runs the program; *sum: what it stored. */
static heddle_status run(heddle *h, bool functional, uint32_t *sum)
{
	*sum = 0;
	uint64_t out = heddle_buffer(h, "out", sum, sizeof *sum);
	const heddle_arg args[] = {heddle_pointer(out)};
	const heddle_launch launch = {.grid = {1}, .block = {1}, .args = args, .n_args = 1, .functional = functional};
	heddle_clear(h);
	heddle_status status = heddle_run(h, &launch);
	assert_true(heddle_read(h, out, sum, sizeof *sum));
	heddle_release(h, out);
	return status;
}

/* A record that names one key is not the machine's: the checker decides. */
static const char some[] = "latency.alu.latency=4";

TEST(what_is_proven_runs)
{
	uint32_t sum;
	heddle *h = built(some, false);
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	assert_string_equal(heddle_messages(h), "");
	assert_true(heddle_set(h, "latency.alu.latency=3"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	assert_string_equal(heddle_messages(h), "");
	heddle_free(h);
}

/* heddle_build comes before the key: the run itself must look, again after each change. */
TEST(what_is_not_proven_is_refused)
{
	uint32_t sum;
	heddle *h = built(some, false);
	assert_true(heddle_set(h, "latency.alu.latency=5"));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
		assert_int_equal(sum, 0);
		assert_non_null(
		    strstr(heddle_messages(h), "hasm: error: is compiled for another machine, and not proven for this one (findings: 1): "));
		assert_non_null(strstr(heddle_messages(h), "; compile it anew, or run it all the same with --unproven\n"));
		assert_non_null(strstr(heddle_messages(h), "hasm: error: k: RAW on r0 is not covered: "));
	}
	assert_int_equal(run(h, true, &sum), HEDDLE_DONE); /* the interpreter relies on no annotation */
	assert_int_equal(sum, SUM);
	assert_true(heddle_set(h, "latency.alu.latency=4"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	assert_true(heddle_config(h, "predecode"));
	assert_true(heddle_set(h, "latency.alu.latency=9"));
	assert_true(heddle_set(h, "fence.mode=fence"));
	assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
	assert_true(heddle_config(h, "baseline"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE); /* a scoreboard needs no annotations */
	assert_int_equal(sum, SUM);
	heddle_free(h);
}

/* With last-use flags a scoreboard is not enough: a flag that is wrong loses a value. */
TEST(a_scoreboard_with_last_uses_is_looked_at)
{
	uint32_t sum;
	heddle *h = built(some, false);
	assert_true(heddle_config(h, "last-use"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	heddle_free(h);
	h = built_with(wrong_flag, some, false);
	assert_true(heddle_config(h, "baseline"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_true(heddle_config(h, "last-use"));
	assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "LU-3"));
	heddle_free(h);
}

TEST(an_unproven_program_runs_on_request)
{
	uint32_t sum;
	heddle *h = built(some, true);
	assert_true(heddle_set(h, "latency.alu.latency=40"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_not_equal(sum, SUM);
	assert_string_equal(heddle_messages(h), "");
	heddle_free(h);
}

/* Assembly written by hand names no machine: hazards on purpose run. */
TEST(a_program_without_a_machine_runs)
{
	uint32_t sum;
	heddle *h = built(NULL, false);
	assert_true(heddle_set(h, "latency.alu.latency=40"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_not_equal(sum, SUM);
	assert_string_equal(heddle_messages(h), "");
	heddle_free(h);
}

/* An annotation that is wrong on the very machine of the record: nothing looks, as when the text of an object was edited to see what happens. */
TEST(a_program_on_its_own_machine_runs)
{
	uint32_t sum;
	hd_machine machine;
	hd_text record = {0};
	hd_diag diag = {0};
	hd_machine_default(&machine);
	assert_true(hd_machine_set(&machine, "multi_issue.window=1", &diag) && hd_machine_set(&machine, "latency.alu.latency=9", &diag));
	hd_machine_record(&machine, &record);
	for (char *at = record.at; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	heddle *h = built(record.at, false);
	assert_true(heddle_set(h, "latency.alu.latency=9"));
	assert_true(heddle_set(h, "memory.l1_latency=2"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_not_equal(sum, SUM);
	assert_true(heddle_set(h, "latency.alu.latency=10"));
	assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
	hd_text_free(&record);
	heddle_free(h);
}

/* A program is compiled for the machine of its build. A key that changes later makes it an object for another machine. */
TEST(a_source_is_compiled_for_the_machine_of_its_build)
{
	static const char ptx[] =
	    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global p)\n{\n.reg .b32 %r<4>;\n"
	    ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %ntid.x;\nmul.lo.u32 %r2, %r1, %r1;\n"
	    "add.u32 %r3, %r2, 41;\nst.global.u32 [%rd1], %r3;\nret;\n}\n";
	static const char path[] = "heddle-compatible.ptx";
	uint32_t sum;
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(ptx, file);
	fclose(file);
	heddle *h = heddle_new();
	assert_true(heddle_set(h, "latency.mul.latency=40"));
	assert_true(heddle_build(h, path, NULL));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	assert_true(heddle_set(h, "latency.mul.latency=5"));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	assert_true(heddle_build(h, path, NULL));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_true(heddle_set(h, "latency.mul.latency=40"));
	assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "latency.mul.latency is 40, the object was compiled for 5; "));
	assert_true(heddle_build(h, path, NULL));
	assert_int_equal(run(h, false, &sum), HEDDLE_DONE);
	assert_int_equal(sum, SUM);
	remove(path);
	heddle_free(h);
}

/* At most three keys are named, and the number of the others. */
TEST(differences_are_few)
{
	uint32_t sum;
	heddle *h = built("latency.alu.latency=1 other.key=7", false);
	assert_true(heddle_set(h, "latency.alu.latency=40"));
	assert_int_equal(run(h, false, &sum), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "fence.mode is fence, the object does not say for which value it was compiled; "));
	assert_non_null(strstr(heddle_messages(h), " more keys differ; compile it anew"));
	heddle_free(h);
}
