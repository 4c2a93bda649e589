/* The public interface as a client sees it: each function of heddle/heddle.h, what it returns, and what it says of bad input. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../test.h"

#include "heddle/heddle.h"

enum { N = 256 };

/* One launch parameter of each kind, and code of two lines of one file and of one line of another. */
static const char assembly[] = ".kernel scale .regs 8 .block_max 1024\n"
                               ".param out 8 pointer\n";

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 .ptr .global .align 4 out, .param .u32 factor)\n{\n"
                          "\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<4>;\n"
                          "\t.loc 1 3 0\n"
                          "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [factor];\n"
                          "\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n\tmad.lo.u32 %r4, %r2, %r3, %r4;\n"
                          "\t.loc 2 4 0\n"
                          "\tmul.wide.u32 %rd2, %r4, 4;\n"
                          "\t.loc 1 3 0\n"
                          "\tadd.u64 %rd3, %rd1, %rd2;\n"
                          "\t.loc 1 4 0\n"
                          "\tld.global.u32 %r5, [%rd3];\n\tmul.lo.u32 %r5, %r5, %r1;\n\tst.global.u32 [%rd3], %r5;\n\tret;\n}\n"
                          ".visible .entry nothing()\n{\n\tret;\n}\n"
                          "\t.file 1 \"scale.cl\"\n\t.file 2 \"address.h\"\n";

static heddle *built(void)
{
	heddle *h = heddle_new();
	if (!heddle_build_text(h, "scale.ptx", ptx, sizeof ptx - 1, NULL))
		fail_msg("%s", heddle_messages(h));
	return h;
}

static uint64_t numbers(heddle *h)
{
	uint32_t words[N];
	for (unsigned i = 0; i < N; i++)
		words[i] = i;
	uint64_t at = heddle_buffer(h, "numbers", words, sizeof words);
	assert_true(at != 0);
	return at;
}

static heddle_status scale(heddle *h, uint64_t at, bool functional)
{
	const heddle_arg args[] = {heddle_pointer(at), heddle_u32(3)};
	const heddle_launch launch = {.kernel = "scale", .grid = {N / 64}, .block = {64}, .args = args, .n_args = 2, .functional = functional};
	return heddle_run(h, &launch);
}

TEST(the_version_is_that_of_the_header) { assert_string_equal(heddle_version(), HEDDLE_VERSION); }

TEST(messages_stay_until_they_are_cleared)
{
	heddle *h = heddle_new();
	assert_string_equal(heddle_messages(h), "");
	assert_false(heddle_set(h, "no.such_key=1"));
	assert_non_null(strstr(heddle_messages(h), "no.such_key"));
	assert_false(heddle_config(h, "no-such-machine"));
	assert_non_null(strstr(heddle_messages(h), "no.such_key"));
	assert_non_null(strstr(heddle_messages(h), "no-such-machine"));
	heddle_clear(h);
	assert_string_equal(heddle_messages(h), "");
	heddle_free(h);
	heddle_free(NULL);
}

TEST(every_preset_loads)
{
	heddle *h = heddle_new();
	const char *const *presets = heddle_presets();
	unsigned n = 0, known = 0;
	for (; presets[n]; n++) {
		if (!heddle_config(h, presets[n]))
			fail_msg("%s", heddle_messages(h));
		known += strcmp(presets[n], "heddle") == 0;
	}
	assert_true(n > 3);
	assert_int_equal(known, 1);
	heddle_free(h);
}

/* The value of every key, as text, can be stored again; numbers have limits, and nothing is cut off. */
TEST(every_key_is_described)
{
	heddle *h = heddle_new();
	heddle_key key;
	bool counters = false;
	unsigned flags = 0;
	assert_true(heddle_key_count() > 100);
	assert_false(heddle_key_at(heddle_key_count(), &key));
	for (unsigned i = 0; i < heddle_key_count(); i++) {
		assert_true(heddle_key_at(i, &key));
		assert_true(strlen(key.documentation) > 5);
		assert_in_range(strlen(key.expected), 5, sizeof key.expected - 2);
		assert_true(!key.number || key.minimum <= key.maximum);
		assert_false(key.number && key.flag);
		char *value = heddle_get(h, key.path), assignment[128];
		assert_non_null(value);
		snprintf(assignment, sizeof assignment, "%s=%s", key.path, value);
		if (!heddle_set(h, assignment))
			fail_msg("%s", heddle_messages(h));
		assert_true(!key.flag || strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
		assert_true(!key.number || (strtoul(value, NULL, 10) >= key.minimum && strtoul(value, NULL, 10) <= key.maximum));
		flags += key.flag;
		counters |= strcmp(key.path, "fence.counters") == 0 && key.number && strcmp(key.unit, "counters") == 0 && key.minimum == 2;
		heddle_text_free(value);
	}
	assert_true(counters && flags > 10);
	assert_null(heddle_get(h, "fence.counter"));
	assert_non_null(strstr(heddle_messages(h), "fence.counters?"));
	heddle_free(h);
}

TEST(a_key_that_was_set_shows_in_the_description)
{
	heddle *h = heddle_new();
	assert_true(heddle_set(h, "fence.counters=4"));
	char *value = heddle_get(h, "fence.counters"), *yaml = heddle_machine(h);
	assert_string_equal(value, "4");
	assert_non_null(strstr(yaml, "counters: 4"));
	heddle_text_free(value);
	heddle_text_free(yaml);
	heddle_free(h);
}

/* 40,384 and 46,728 are the figures of docs/studies.md for the preset with three counters and no window, and for the preset. */
TEST(a_machine_has_state_bits)
{
	heddle *h = heddle_new();
	assert_int_equal(heddle_state_bits(h), 46728);
	assert_true(heddle_set(h, "fence.counters=3") && heddle_set(h, "multi_issue.window=1"));
	assert_int_equal(heddle_state_bits(h), 40384);
	assert_true(heddle_set(h, "fence.counters=2"));
	assert_int_equal(heddle_state_bits(h), 0);
	assert_non_null(strstr(heddle_messages(h), "fence.high_latency"));
	heddle_free(h);
}

TEST(a_program_can_be_a_text)
{
	heddle *h = built();
	heddle_kernel kernel;
	heddle_param param;
	assert_int_equal(heddle_kernel_count(h), 2);
	assert_true(heddle_kernel_at(h, 1, &kernel));
	assert_string_equal(kernel.name, "nothing");
	assert_int_equal(kernel.n_params, 0);
	assert_false(heddle_kernel_at(h, 2, &kernel));
	assert_true(heddle_kernel_find(h, "scale", &kernel));
	assert_int_equal(kernel.n_params, 2);
	assert_true(heddle_param_at(h, "scale", 0, &param));
	assert_string_equal(param.name, "out");
	assert_true(param.size == 8 && param.pointer && !param.local);
	assert_true(heddle_param_at(h, "scale", 1, &param));
	assert_true(param.size == 4 && !param.pointer);
	assert_false(heddle_param_at(h, "scale", 2, &param));
	assert_false(heddle_param_at(h, "scales", 0, &param));
	assert_string_equal(heddle_messages(h), "");
	assert_false(heddle_kernel_find(h, "scales", &kernel));
	assert_non_null(strstr(heddle_messages(h), "scale"));
	heddle_free(h);
}

/* The text stands for a file of its name: messages name it, and its end says what it is. */
TEST(a_text_that_is_wrong_has_a_place)
{
	heddle *h = heddle_new();
	assert_false(heddle_build_text(h, "mine.ptx", ".version 7.0\nnonsense\n", 22, NULL));
	assert_non_null(strstr(heddle_messages(h), "mine.ptx:"));
	heddle_clear(h);
	assert_false(heddle_build_text(h, "mine.hasm", assembly, sizeof assembly - 1, NULL));
	assert_non_null(strstr(heddle_messages(h), "mine.hasm:"));
	heddle_clear(h);
	assert_false(heddle_build_text(h, "mine.hko", "not an object", 13, NULL));
	assert_non_null(strstr(heddle_messages(h), "mine.hko"));
	heddle_clear(h);
	assert_false(heddle_build_text(h, "mine.txt", ptx, sizeof ptx - 1, NULL));
	assert_non_null(strstr(heddle_messages(h), ".ptx"));
	assert_false(heddle_build_text(h, "mine.ptx", NULL, 0, NULL));
	heddle_free(h);
}

TEST(opencl_c_can_be_a_text)
{
	static const char source[] = "kernel void twice(global int *x)\n{\n\tx[get_global_id(0)] *= FACTOR;\n}\n";
	static const char *const arguments[] = {"-DFACTOR=2", NULL};
	const heddle_build_options options = {.arguments = arguments};
	heddle *h = heddle_new();
	if (!heddle_build_text(h, "folder/twice.cl", source, sizeof source - 1, &options))
		fail_msg("%s", heddle_messages(h));
	int32_t values[32], back[32];
	for (int i = 0; i < 32; i++)
		values[i] = i - 5;
	uint64_t at = heddle_buffer(h, "values", values, sizeof values);
	const heddle_arg args[] = {heddle_pointer(at)};
	const heddle_launch launch = {.grid = {1}, .block = {32}, .args = args, .n_args = 1};
	heddle_profile(h, true);
	assert_int_equal(heddle_run(h, &launch), HEDDLE_DONE);
	assert_true(heddle_read(h, at, back, sizeof back));
	for (int i = 0; i < 32; i++)
		assert_int_equal(back[i], 2 * (i - 5));
	heddle_line line;
	bool third = false;
	uint64_t sectors = 0, all = 0;
	for (unsigned i = 0; heddle_line_at(h, i, &line); i++) {
		sectors += line.counts.sectors;
		third |= line.line == 3 && line.text && strcmp(line.text, "\tx[get_global_id(0)] *= FACTOR;") == 0 &&
		         strcmp(line.file, "folder/twice.cl") == 0 && line.counts.issued > 0;
	}
	assert_true(third && heddle_stat(h, "memory.sectors", &all));
	assert_int_equal(sectors, all);
	char *listing = heddle_listing(h);
	assert_non_null(strstr(listing, "*= FACTOR;")); /* the text that was built, without a file */
	heddle_text_free(listing);
	assert_false(heddle_build_text(h, "twice.cl", source, sizeof source - 1, NULL)); /* FACTOR is missing */
	assert_non_null(strstr(heddle_messages(h), "twice.cl:3:"));
	/* A name is a name, whatever is in it, and a byte order mark is no code. */
	heddle_clear(h);
	assert_true(heddle_build_text(h, "a \"quoted\" \\ name\n.cl", "\xef\xbb\xbfkernel void k(void) {}\n", 27, NULL));
	assert_false(heddle_build_text(h, "a \"quoted\" name.cl", "\nkernel void k(void) {error}\n", 29, NULL));
	assert_non_null(strstr(heddle_messages(h), "a \"quoted\" name.cl:2:"));
	heddle_free(h);
}

TEST(a_program_is_saved_and_is_the_same_again)
{
	heddle *h = built(), *again = heddle_new();
	char folder[] = "/tmp/heddle-library-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/scale.hko", folder);
	assert_true(heddle_save(h, path));
	assert_true(heddle_build(again, path, NULL));
	char *one = heddle_assembly(h), *other = heddle_assembly(again);
	assert_string_equal(one, other);
	assert_non_null(strstr(one, "scale"));
	heddle_text_free(one);
	heddle_text_free(other);
	assert_false(heddle_save(h, folder));
	assert_true(strlen(heddle_messages(h)) > 0);
	/* The bytes of the object are a program, too. */
	char bytes[16384];
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	size_t n = fread(bytes, 1, sizeof bytes, in);
	fclose(in);
	assert_in_range(n, 1, sizeof bytes - 1);
	if (!heddle_build_text(again, "same.hko", bytes, n, NULL))
		fail_msg("%s", heddle_messages(again));
	assert_int_equal(scale(again, numbers(again), false), HEDDLE_DONE);
	unlink(path);
	rmdir(folder);
	heddle_free(again);
	heddle_free(h);
}

/* Without a program or a run nothing can be asked for, and the message says so. */
TEST(nothing_without_a_program)
{
	heddle *h = heddle_new();
	heddle_instruction instruction;
	heddle_finding finding;
	heddle_proof proof;
	heddle_line line;
	assert_false(heddle_save(h, "/nowhere/x.hko"));
	assert_non_null(strstr(heddle_messages(h), "no program was built"));
	assert_null(heddle_assembly(h));
	assert_null(heddle_listing(h));
	assert_null(heddle_report(h, HEDDLE_JSON));
	assert_int_equal(heddle_check(h, &proof), HEDDLE_UNDECIDED);
	assert_false(heddle_finding_at(h, 0, &finding));
	assert_int_equal(heddle_word_count(h), 0);
	assert_false(heddle_instruction_at(h, 0, &instruction));
	assert_int_equal(heddle_line_count(h), 0);
	assert_false(heddle_line_at(h, 0, &line));
	assert_int_equal(heddle_kernel_count(h), 0);
	heddle_free(h);
}

TEST(memory_is_allocated_written_read_and_released)
{
	heddle *h = heddle_new();
	uint32_t word = 7, back = 0;
	uint64_t at = heddle_alloc(h, "x", 8);
	assert_true(at != 0);
	assert_true(heddle_read(h, at, &back, 4));
	assert_int_equal(back, 0);
	assert_true(heddle_write(h, at + 4, &word, 4));
	assert_true(heddle_read(h, at + 4, &back, 4));
	assert_int_equal(back, 7);
	assert_false(heddle_write(h, at + 6, &word, 4));
	assert_non_null(strstr(heddle_messages(h), "not inside one allocation"));
	uint32_t *mapped = heddle_map(h, at, 8);
	assert_non_null(mapped);
	assert_int_equal(mapped[1], 7);
	mapped[0] = 9;
	assert_true(heddle_read(h, at, &back, 4));
	assert_int_equal(back, 9);
	heddle_clear(h);
	assert_null(heddle_map(h, at, 0));
	assert_true(strlen(heddle_messages(h)) > 0);
	assert_null(heddle_map(h, at + 4, 8));
	assert_true(heddle_release(h, at));
	assert_false(heddle_release(h, at));
	assert_false(heddle_read(h, at, &back, 4));
	heddle_free(h);
}

TEST(a_run_is_counted_and_timed)
{
	heddle *h = built();
	uint64_t at = numbers(h), cycles = 0, again = 0, unknown;
	uint32_t back[N];
	size_t printed = 1;
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_true(heddle_read(h, at, back, sizeof back));
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(back[i], 3 * i);
	assert_true(heddle_stat(h, "run.cycles", &cycles) && cycles > 50);
	assert_false(heddle_stat(h, "run.cicles", &unknown));
	assert_true(heddle_seconds(h) > 0 && heddle_seconds(h) < 60);
	assert_string_equal(heddle_printed(h, &printed), "");
	assert_int_equal(printed, 0);
	assert_int_equal(scale(h, at, true), HEDDLE_DONE);
	assert_true(heddle_stat(h, "run.cycles", &again) && again == 0);
	heddle_free(h);
}

/* A grid that waits for another, and results of each. */
TEST(grids_run_in_one_run)
{
	static const unsigned first[] = {0};
	heddle *h = built();
	uint64_t at = numbers(h);
	uint32_t back[N];
	const heddle_arg args[] = {heddle_pointer(at), heddle_u32(3)};
	const heddle_launch launch = {.kernel = "scale", .grid = {N / 64}, .block = {64}, .args = args, .n_args = 2};
	heddle_grid grids[2] = {{.launch = launch}, {.launch = launch, .after = first, .n_after = 1}};
	heddle_grid_result results[2] = {{0}};
	assert_int_equal(heddle_run_grids(h, grids, 2, results), HEDDLE_DONE);
	assert_true(heddle_read(h, at, back, sizeof back));
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(back[i], 9 * i);
	for (unsigned i = 0; i < 2; i++)
		assert_true(results[i].begun && results[i].ended && results[i].ctas == N / 64 && results[i].children == 0 && results[i].pushed == 0);
	assert_true(results[0].begin < results[0].end && results[0].end <= results[1].begin && results[1].begin < results[1].end);
	grids[1].launch.kernel = "scael";
	assert_int_equal(heddle_run_grids(h, grids, 2, results), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "scael"));
	assert_int_equal(heddle_run_grids(h, grids, 0, NULL), HEDDLE_BAD_INPUT);
	heddle_free(h);
}

/* A roofline belongs to the machine that was measured, and to timed runs. */
TEST(a_roofline_is_of_this_machine)
{
	heddle *h = built();
	uint64_t at = numbers(h);
	for (unsigned i = 0; i < 4; i++) {
		/* not measured, measured, an interpreter's run, another machine */
		assert_true(i != 3 || heddle_set(h, "memory.l1_latency=30"));
		assert_true(i != 1 || heddle_roofline(h));
		assert_true(i != 3 || heddle_build_text(h, "scale.ptx", ptx, sizeof ptx - 1, NULL));
		assert_int_equal(scale(h, at, i == 2), HEDDLE_DONE);
		char *report = heddle_report(h, HEDDLE_JSON);
		assert_int_equal(strstr(report, "\"roofline\"") != NULL, i == 1);
		heddle_text_free(report);
	}
	heddle_free(h);
}

/* Every warp instruction of the run has a place, every issue slot an owner; the profile changes no cycle. */
TEST(a_profile_has_every_instruction)
{
	heddle *h = built();
	uint64_t at = numbers(h), cycles, watched, warp_instructions, used, issued = 0, slots = 0, lost = 0;
	heddle_instruction instruction;
	heddle_line line;
	unsigned causes = 0;
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_true(heddle_stat(h, "run.cycles", &cycles));
	for (unsigned i = 0; i < heddle_word_count(h); i++)
		if (heddle_instruction_at(h, i, &instruction))
			assert_true(instruction.counts.issued == 0 && instruction.counts.lost[0] == 0);
	assert_false(heddle_instruction_at(h, 0, &instruction)); /* a scheduling word */
	assert_null(heddle_listing(h));
	heddle_profile(h, true);
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_true(heddle_stat(h, "run.cycles", &watched));
	assert_int_equal(watched, cycles);
	assert_true(heddle_stat(h, "run.warp_instructions", &warp_instructions) && heddle_stat(h, "run.slots_used", &used));
	while (heddle_causes()[causes])
		causes++;
	assert_string_equal(heddle_causes()[0], "no_warp");
	bool store = false;
	for (unsigned i = 0; i < heddle_word_count(h); i++) {
		if (!heddle_instruction_at(h, i, &instruction))
			continue;
		assert_int_equal(instruction.word, i);
		issued += instruction.counts.issued;
		slots += instruction.counts.slots;
		for (unsigned k = 0; k < causes; k++)
			lost += instruction.counts.lost[k];
		store |= strncmp(instruction.text, "st", 2) == 0 && instruction.line == 4 && instruction.counts.lanes == N;
	}
	assert_int_equal(issued, warp_instructions);
	assert_int_equal(slots, used);
	assert_true(lost > 0 && store);
	/* address.h:4, scale.cl:3, scale.cl:4 */
	assert_int_equal(heddle_line_count(h), 3);
	for (unsigned i = 0; heddle_line_at(h, i, &line); i++) {
		uint64_t sum = 0, pipe_cycles = 0;
		assert_int_equal(line.line, i == 1 ? 3 : 4);
		assert_string_equal(line.file, i == 0 ? "address.h" : "scale.cl");
		for (unsigned word = 0; word < heddle_word_count(h); word++) {
			bool here = heddle_instruction_at(h, word, &instruction) && instruction.file && instruction.line == line.line &&
			            strcmp(instruction.file, line.file) == 0;
			sum += here ? instruction.counts.issued : 0;
			pipe_cycles += here ? instruction.counts.pipe_cycles : 0;
		}
		assert_true(sum > 0 && pipe_cycles > 0);
		assert_int_equal(line.counts.issued, sum);
		assert_int_equal(line.counts.pipe_cycles, pipe_cycles);
	}
	char *listing = heddle_listing(h);
	assert_non_null(strstr(listing, "slots"));
	heddle_text_free(listing);
	heddle_profile(h, false);
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_true(heddle_line_at(h, 0, &line) && line.counts.issued == 0);
	heddle_free(h);
}

TEST(reports_come_in_three_formats)
{
	heddle *h = built();
	heddle_profile(h, true);
	assert_int_equal(scale(h, numbers(h), false), HEDDLE_DONE);
	char *text = heddle_report(h, HEDDLE_TEXT), *json = heddle_report(h, HEDDLE_JSON), *page = heddle_report(h, HEDDLE_HTML);
	assert_non_null(strstr(text, "cycles"));
	assert_int_equal(json[0], '{');
	assert_non_null(strstr(page, "</html>"));
	assert_non_null(strstr(page, "<svg"));
	heddle_instruction instruction;
	assert_true(heddle_instruction_at(h, 1, &instruction));
	assert_non_null(strstr(page, instruction.text));
	heddle_text_free(text);
	heddle_text_free(json);
	heddle_text_free(page);
	heddle_free(h);
}

TEST(the_checker_answers_with_data)
{
	const char *source = getenv("HEDDLE_SOURCE");
	char path[4096];
	heddle *h = built();
	heddle_proof proof;
	heddle_finding finding;
	assert_int_equal(heddle_check(h, &proof), HEDDLE_PROVEN);
	assert_true(proof.dependences > 0 && proof.findings == 0 && !proof.by_scoreboard);
	assert_int_equal(proof.dependences, proof.by_counter + proof.by_delay);
	snprintf(path, sizeof path, "%s/examples/reduce/reduce.cl", source ? source : ".");
	assert_true(heddle_build(h, path, NULL));
	assert_int_equal(heddle_check(h, &proof), HEDDLE_PROVEN);
	assert_true(proof.by_order > 0);
	assert_int_equal(proof.dependences, proof.by_counter + proof.by_delay + proof.by_order);
	assert_false(heddle_finding_at(h, 0, &finding));
	snprintf(path, sizeof path, "%s/tests/regressions/programs/%s", source ? source : ".", "shared_memory_by_two_pipes.hasm");
	assert_true(heddle_build(h, path, NULL));
	assert_int_equal(heddle_check(h, NULL), HEDDLE_REFUTED);
	assert_true(heddle_finding_at(h, 0, &finding));
	assert_string_equal(finding.kind, "memory");
	assert_true(finding.producer.word < finding.consumer.word && finding.n_path >= 2);
	assert_int_equal(finding.path[0], finding.producer.word);
	assert_int_equal(finding.path[finding.n_path - 1], finding.consumer.word);
	assert_non_null(strstr(finding.text, "shared_memory_by_two_pipes.hasm"));
	assert_false(heddle_finding_at(h, 100, &finding));
	assert_true(heddle_set(h, "fence.mode=scoreboard"));
	assert_int_equal(heddle_check(h, &proof), HEDDLE_PROVEN);
	assert_true(proof.by_scoreboard);
	heddle_free(h);
}

static size_t size_of(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

TEST(traces_are_files_of_each_run)
{
	heddle *h = built();
	uint64_t at = numbers(h);
	char folder[] = "/tmp/heddle-library-XXXXXX", path[64], request[80];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/all.kanata", folder);
	snprintf(request, sizeof request, "konata:%s", path);
	assert_true(heddle_trace(h, request, NULL));
	assert_int_equal(scale(h, at, true), HEDDLE_DONE);
	assert_int_equal(size_of(path), 0);
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	size_t whole = size_of(path);
	assert_true(whole > 100);
	heddle_untrace(h);
	unlink(path);
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_int_equal(size_of(path), 0);
	/* The core that a trace is limited to, the warp, and the cycles. */
	const heddle_trace_limits limits[] = {{.one_core = true, .core = 1}, {.one_slot = true, .scheduler = 1, .slot = 0}, {.first = 5, .last = 20}};
	for (unsigned i = 0; i < 3; i++) {
		assert_true(heddle_trace(h, request, &limits[i]));
		assert_int_equal(scale(h, at, false), HEDDLE_DONE);
		assert_in_range(size_of(path), 1, i == 1 ? whole / 3 : whole - 1);
		heddle_untrace(h);
	}
	const heddle_trace_limits late = {.first = 20};
	assert_true(heddle_trace(h, request, &late));
	assert_int_equal(scale(h, at, false), HEDDLE_DONE);
	assert_in_range(size_of(path), whole / 4, whole - 1);
	unlink(path);
	rmdir(folder);
	heddle_free(h);
}

TEST(traces_that_cannot_be_are_refused)
{
	heddle *h = built();
	const heddle_trace_limits wrong[] = {
	    {.one_core = true, .core = 99}, {.one_slot = true, .slot = 99}, {.one_slot = true, .scheduler = 99}, {.first = 9, .last = 3}};
	assert_false(heddle_trace(h, "kanata:x", NULL));
	assert_non_null(strstr(heddle_messages(h), "konata:FILE"));
	for (unsigned i = 0; i < 4; i++)
		assert_false(heddle_trace(h, "vcd:x", &wrong[i]));
	for (unsigned i = 0; i < 8; i++)
		assert_true(heddle_trace(h, "vcd:/nowhere/at/all", NULL));
	heddle_clear(h);
	assert_false(heddle_trace(h, "vcd:/nowhere/at/all", NULL));
	assert_non_null(strstr(heddle_messages(h), "more than 8"));
	heddle_clear(h);
	assert_int_equal(scale(h, numbers(h), false), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "/nowhere/at/all"));
	heddle_free(h);
}
