/* Heat of source lines: the rows of a profile joined by file and line, with the source's text; nothing is lost on the way. */
#include "../test.h"

#include "api/api.h"
#include "report/heat_json.h"

/* Lines 3 and 4 of scale.cl, with line 4 of address.h in between; code of scale.cl:3 comes twice. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 .ptr .global .align 4 out)\n{\n"
                          "\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<4>;\n"
                          "\t.loc 1 3 0\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %r4, %tid.x;\n"
                          "\t.loc 2 4 0\n\tmul.wide.u32 %rd2, %r4, 4;\n"
                          "\t.loc 1 3 0\n\tadd.u64 %rd3, %rd1, %rd2;\n"
                          "\t.loc 1 4 0\n\tld.global.u32 %r5, [%rd3];\n\tmul.lo.u32 %r5, %r5, 7;\n\tst.global.u32 [%rd3], %r5;\n\tret;\n}\n"
                          "\t.file 1 \"scale.cl\"\n\t.file 2 \"address.h\"\n";

static heddle *built(const char *text)
{
	heddle *h = heddle_new();
	if (!heddle_build_text(h, "scale.ptx", text, strlen(text), NULL))
		fail_msg("%s", heddle_messages(h));
	return h;
}

static void run(heddle *h)
{
	heddle_arg arg = heddle_pointer(heddle_alloc(h, "out", 4096));
	heddle_launch launch = {.grid = {4}, .block = {64}, .args = &arg, .n_args = 1};
	heddle_profile(h, true);
	if (heddle_run(h, &launch) != HEDDLE_DONE)
		fail_msg("%s", heddle_messages(h));
}

TEST(lines_have_the_sums_of_their_instructions)
{
	static const char source[] = "one\ntwo\nthird line\r\nthe fourth\n";
	heddle *h = built(ptx);
	run(h);
	const hd_profile *p = hd_api_profile(h);
	const hd_stats *stats = hd_api_stats(h);
	hd_heat heat;
	hd_heat_make(&heat, hd_api_program(h), p, &(hd_input){"folder/scale.cl", source}, stats->run_cycles);
	assert_int_equal(heat.lines.n, 3);
	assert_string_equal(heat.lines.at[0].file, "address.h");
	assert_null(heat.lines.at[0].text);
	assert_int_equal(heat.lines.at[1].line, 3);
	assert_string_equal(heat.lines.at[1].text, "third line");
	assert_int_equal(heat.lines.at[2].line, 4);
	assert_string_equal(heat.lines.at[2].text, "the fourth");
	assert_ptr_equal(hd_heat_find(&heat, "scale.cl", 4), &heat.lines.at[2]);
	assert_ptr_equal(hd_heat_find(&heat, "address.h", 4), &heat.lines.at[0]);
	assert_null(hd_heat_find(&heat, "scale.cl", 5));
	assert_null(hd_heat_find(&heat, "scale.c", 4));
	hd_profile_row all = {0};
	for (size_t i = 0; i < heat.lines.n; i++)
		hd_profile_add(&all, &heat.lines.at[i].sum);
	assert_true(all.issued > heat.lines.at[2].sum.issued && heat.lines.at[2].sum.sectors == stats->memory_sectors && stats->memory_sectors > 0);
	hd_profile_add(&all, &heat.no_line);
	hd_profile_add(&all, &heat.no_instruction);
	assert_int_equal(hd_profile_slots(&all), stats->run_issue_slots);
	assert_int_equal(all.issued, stats->run_issued);
	assert_int_equal(all.slots, stats->run_slots_used);
	assert_int_equal(all.dropped, stats->run_dropped);
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		assert_int_equal(all.lost[i], stats->stall[i]);
	assert_int_equal(heat.slots, stats->run_issue_slots);
	assert_int_equal(hd_profile_lost(&all), stats->run_issue_slots - stats->run_slots_used);
	assert_true(heat.no_instruction.issued == 0 && hd_profile_lost(&heat.no_instruction) == stats->stall_no_warp);
	assert_true(hd_profile_share(heat.slots, heat.slots, heat.cycles) == (double)stats->run_cycles && hd_profile_share(1, 0, 9) == 0);
	hd_heat_free(&heat);
	heddle_free(h);
}

TEST(instructions_without_a_line_have_a_row_together)
{
	heddle *other = built(ptx), *h = heddle_new();
	char *text = heddle_assembly(other);
	hd_text plain = {0};
	for (const char *at = text, *next; *at; at = next) {
		next = strchr(at, '\n') + 1;
		if (strncmp(at, ".file", 5) != 0 && strncmp(at, ".loc", 4) != 0 && strncmp(at, ".line", 5) != 0)
			hd_text_put(&plain, at, (size_t)(next - at));
	}
	if (!heddle_build_text(h, "plain.hasm", plain.at, plain.n, NULL))
		fail_msg("%s", heddle_messages(h));
	hd_text_free(&plain);
	heddle_text_free(text);
	heddle_free(other);
	run(h);
	hd_heat heat;
	hd_heat_make(&heat, hd_api_program(h), hd_api_profile(h), &(hd_input){0}, hd_api_stats(h)->run_cycles);
	assert_int_equal(heat.lines.n, 0);
	assert_null(hd_heat_find(&heat, "scale.cl", 3));
	assert_int_equal(heat.no_line.issued, hd_api_stats(h)->run_issued);
	assert_int_equal(hd_profile_slots(&heat.no_line) + hd_profile_slots(&heat.no_instruction), heat.slots);
	hd_heat_free(&heat);
	heddle_free(h);
}

TEST(a_program_has_lines_without_a_run)
{
	heddle *h = built(ptx);
	hd_heat heat;
	hd_heat_make(&heat, hd_api_program(h), NULL, &(hd_input){0}, 0);
	assert_int_equal(heat.lines.n, 3);
	assert_int_equal(heat.slots, 0);
	for (size_t i = 0; i < heat.lines.n; i++)
		assert_true(!heat.lines.at[i].text && heat.lines.at[i].sum.issued == 0);
	hd_heat_free(&heat);
	heddle_free(h);
}

TEST(the_document_has_every_instruction_once)
{
	heddle *h = built(ptx);
	run(h);
	hd_heat heat;
	hd_heat_make(&heat, hd_api_program(h), hd_api_profile(h), &(hd_input){"scale.cl", "\n\n3\n4\n"}, hd_api_stats(h)->run_cycles);
	json_t *root = hd_heat_json(&heat), *instructions = json_object_get(root, "instructions"), *lines = json_object_get(root, "lines"), *one;
	size_t i, waits = 0;
	json_int_t slots = 0, of_lines = 0, words = 0;
	json_array_foreach(instructions, i, one)
	{
		uint32_t word = (uint32_t)json_integer_value(json_object_get(one, "word"));
		const hd_profile_row *row = &heat.profile->rows[word];
		assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "counts"), "slots")), hd_profile_slots(row));
		assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "counts"), "issued")), row->issued);
		assert_int_equal(json_array_size(json_object_get(one, "waits")), row->waits.n);
		waits += row->waits.n;
		slots += (json_int_t)hd_profile_slots(row);
		words++;
	}
	json_array_foreach(lines, i, one)
	{
		of_lines += json_integer_value(json_object_get(json_object_get(one, "counts"), "slots"));
		assert_string_equal(json_is_null(json_object_get(one, "text")) ? "" : json_string_value(json_object_get(one, "text")), i == 0 ? ""
		                                                                                                                       : i == 1
		                                                                                                                           ? "3"
		                                                                                                                           : "4");
	}
	json_int_t none = json_integer_value(json_object_get(json_object_get(root, "no_instruction"), "slots"));
	json_int_t no_line = json_integer_value(json_object_get(json_object_get(root, "no_line"), "slots"));
	assert_true(waits > 0);
	for (uint32_t word = 0; word < heat.program->n_slots; word++)
		words -= !heat.program->slots[word].is_ss;
	assert_int_equal(words, 0);
	assert_int_equal(slots + none, heat.slots);
	assert_int_equal(of_lines + no_line + none, heat.slots);
	json_decref(root);
	hd_heat_free(&heat);
	heddle_free(h);
}
