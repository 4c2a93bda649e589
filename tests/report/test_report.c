/* Reports: the keys that the interface page promises, deterministic bytes, text that can be read (MI-11 and LU-9: what is reported). */
#include "../test.h"
#include <jansson.h>

#include "report/report.h"

static hd_machine machine;
static hd_kernel kernel;
static hd_stats stats;

static hd_report example(void)
{
	hd_machine_default(&machine);
	kernel = (hd_kernel){.name = (char *)"saxpy", .registers = 12};
	stats = (hd_stats){.run_cycles = 2000,
	                   .run_warp_instructions = 1500,
	                   .run_thread_instructions = 36000,
	                   .run_lane_slots = 48000,
	                   .run_issue_slots = 4000,
	                   .run_issued = 1600,
	                   .run_slots_used = 1600,
	                   .stall_fetch = 2400,
	                   .register_file_writes_skipped = 7,
	                   .multi_issue_sent_1 = 5};
	return (hd_report){.machine = &machine,
	                   .settings = "",
	                   .kernel = &kernel,
	                   .grid = {2, 1, 1},
	                   .block = {64, 1, 1},
	                   .result = "done",
	                   .message = "",
	                   .stats = &stats,
	                   .seconds = 0.5,
	                   .peak_rss_bytes = 1 << 20};
}

TEST(json_has_the_keys_of_the_interface)
{
	static const char *const keys[] = {
	    "schema",       "kernel",         "config",    "cycles",     "warp_instructions", "thread_instructions", "ipc",    "simd_efficiency",
	    "stall_cycles", "fence_counters", "predecode", "divergence", "multi_issue",       "register_file",       "memory", "energy_pj",
	    "host"};
	static const char *const in_register_file[] = {"reads", "writes", "writes_skipped", "reads_forwarded", "port_conflicts"};
	static const char *const in_host[] = {"seconds", "warp_instructions_per_second", "peak_rss_bytes"};
	hd_report report = example();
	hd_text text = {0};
	hd_report_json(&report, &text);
	json_t *root = json_loads(text.at, 0, NULL);
	assert_non_null(root);
	for (unsigned i = 0; i < HD_COUNT(keys); i++) {
		if (!json_object_get(root, keys[i]))
			fail_msg("no key %s", keys[i]);
	}
	for (unsigned i = 0; i < HD_COUNT(in_register_file); i++)
		assert_non_null(json_object_get(json_object_get(root, "register_file"), in_register_file[i]));
	for (unsigned i = 0; i < HD_COUNT(in_host); i++)
		assert_non_null(json_object_get(json_object_get(root, "host"), in_host[i]));
	json_t *bits = json_object_get(json_object_get(root, "fence_counters"), "state_bits");
	/* Six counters of 12 bits and a flag, as many wait counters of 7 and a flag, nine bits of the monitor, two hint fields of 4 and 5 bits,
	 * distances in six queues and in all; 332 + 332 * 7 with 108 queue entries. */
	assert_int_equal(json_integer_value(json_object_get(bits, "warp")), 6 * 13 + 6 * 8 + 9 + 9 + 2 * 24 + 5);
	assert_int_equal(json_integer_value(json_object_get(bits, "scoreboard_warp")), 332 * 8);
	assert_int_equal(json_integer_value(json_object_get(bits, "scoreboard_core")), 332 * 8 * 32);
	/* Two schedulers' queues: 12 entries of nine queues with masks of six bits, distances of 24 bits in all nine, the hazard entries' order and
	 * number. */
	assert_int_equal(json_integer_value(json_object_get(bits, "core")),
	                 32 * (6 * 13 + 6 * 8 + 9 + 9 + 2 * 24 + 5) + 2 * (12 * (9 * 6 + 24) + 9 * (8 * 5 + 4)));
	assert_true(json_integer_value(json_object_get(bits, "core")) * 9 < 332 * 8 * 32);
	bits = json_object_get(json_object_get(root, "predecode"), "state_bits"); /* PD-39 */
	assert_int_equal(json_integer_value(json_object_get(bits, "data")), 16 * 16 * 8);
	assert_int_equal(json_integer_value(json_object_get(bits, "hints")), 16 * (20 + 4 + 5));
	assert_int_equal(json_integer_value(json_object_get(bits, "order")), 16 * (4 + 6) + 2 + 16 * 6);
	assert_int_equal(json_integer_value(json_object_get(bits, "replay")), 8 * (64 + 4 + 4 + 32 + 5 + 2));
	assert_int_equal(json_integer_value(json_object_get(bits, "replay_operands")), 8 * 32 * 192);
	assert_int_equal(json_integer_value(json_object_get(bits, "scheduler")), 2048 + 464 + 258 + 888 + 49152);
	assert_int_equal(json_integer_value(json_object_get(bits, "ahead")), 16 * 16 * 64);
	bits = json_object_get(json_object_get(root, "divergence"), "state_bits");
	assert_int_equal(json_integer_value(json_object_get(bits, "warp")), 33 * 24 + 32 + 7 + 64 * 80); /* RC-22 */
	assert_int_equal(json_integer_value(json_object_get(bits, "core")), 32 * (33 * 24 + 32 + 7 + 64 * 80));
	assert_int_equal(json_integer_value(json_object_get(bits, "lanes")), 32 * 24);
	assert_int_equal(json_integer_value(json_object_get(bits, "minrc")), 24);
	assert_int_equal(json_integer_value(json_object_get(bits, "members")), 32);
	assert_int_equal(json_integer_value(json_object_get(bits, "calls")), 7 + 64 * 80);
	assert_int_equal(json_integer_value(json_object_get(bits, "tokens")), 0);
	assert_int_equal(json_integer_value(json_object_get(bits, "gather")), 32 * 65);
	assert_int_equal(json_integer_value(json_object_get(bits, "resume_comparators")), 2);
	assert_string_equal(json_string_value(json_object_get(root, "kernel")), "saxpy");
	assert_int_equal(json_integer_value(json_object_get(root, "cycles")), 2000);
	assert_float_equal(json_real_value(json_object_get(root, "ipc")), 0.75, 1e-12);
	assert_float_equal(json_real_value(json_object_get(root, "simd_efficiency")), 0.75, 1e-12);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "stall_cycles"), "fetch")), 2400);
	assert_float_equal(json_real_value(json_object_get(json_object_get(root, "host"), "warp_instructions_per_second")), 3000, 1e-6);
	json_decref(root);
	hd_text_free(&text);
}

/* Every counter of stats.def is in the report under its group. */
TEST(json_has_every_counter)
{
	hd_report report = example();
	hd_text text = {0};
	uint64_t n = 1000;
#define STAT(group, name, doc) stats.group##_##name = n++;
#include "launch/stats.def"
#undef STAT
	hd_report_json(&report, &text);
	json_t *root = json_loads(text.at, 0, NULL);
	n = 1000;
#define STAT(group, name, doc)                                                                              \
	do {                                                                                                \
		const char *of = strcmp(#group, "stall") == 0   ? "stall_cycles"                            \
		                 : strcmp(#group, "fence") == 0 ? "fence_counters"                          \
		                 : strcmp(#group, "pipe") == 0  ? "pipelines"                               \
		                                                : #group;                                    \
		assert_int_equal(json_integer_value(json_object_get(json_object_get(root, of), #name)), n); \
		n++;                                                                                        \
	} while (0);
#include "launch/stats.def"
#undef STAT
	json_decref(root);
	hd_text_free(&text);
}

TEST(same_run_same_bytes_outside_host)
{
	hd_report report = example(), again = example();
	hd_text a = {0}, b = {0};
	again.seconds = 77;
	again.peak_rss_bytes = 1;
	hd_report_json(&report, &a);
	hd_report_json(&again, &b);
	json_t *one = json_loads(a.at, 0, NULL), *two = json_loads(b.at, 0, NULL);
	assert_false(json_equal(one, two));
	json_object_del(one, "host");
	json_object_del(two, "host");
	assert_true(json_equal(one, two));
	/* host comes last, so the bytes before it are the same, too. */
	size_t head = (size_t)(strstr(a.at, "\"host\"") - a.at);
	assert_memory_equal(a.at, b.at, head);
	json_decref(one);
	json_decref(two);
	hd_text_free(&a);
	hd_text_free(&b);
}

TEST(empty_and_functional_runs_have_no_division_by_zero)
{
	hd_report report = example();
	hd_text text = {0};
	stats = (hd_stats){0};
	report.seconds = 0;
	for (unsigned functional = 0; functional < 2; functional++) {
		report.functional = functional;
		text.n = 0;
		hd_report_json(&report, &text);
		assert_null(strstr(text.at, "nan"));
		assert_null(strstr(text.at, "inf"));
		assert_non_null(strstr(text.at, functional ? "\"ipc\": null" : "\"ipc\": 0.0"));
	}
	text.n = 0;
	hd_report_text(&report, &text);
	assert_null(strstr(text.at, "nan"));
	assert_null(strstr(text.at, "inf"));
	hd_text_free(&text);
}

/* Names come from hostile objects: any bytes must give a report. */
TEST(names_that_are_not_utf8)
{
	hd_report report = example();
	hd_text text = {0};
	kernel.name = (char *)"sa\xff\xfepy\"\n\\";
	report.message = "\x80";
	hd_report_json(&report, &text);
	json_t *root = json_loads(text.at, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "kernel")), "sa??py\"\n\\");
	json_decref(root);
	hd_text_free(&text);
}

TEST(text_is_for_people)
{
	hd_report report = example();
	hd_text text = {0};
	stats.run_cycles = 1234567;
	report.settings = "fence.counters=4";
	hd_report_text(&report, &text);
	assert_non_null(strstr(text.at, "kernel    saxpy\n"));
	assert_non_null(strstr(text.at, "machine   heddle, with fence.counters=4\n"));
	assert_non_null(strstr(text.at, "1,234,567"));
	assert_non_null(strstr(text.at, "bits a warp, 84992 a core"));
	assert_non_null(strstr(text.at, "75.0 % of the lanes active"));
	assert_non_null(strstr(text.at, "60.0 %   instruction buffer empty"));
	/* Events that did not happen take no line. */
	assert_null(strstr(text.at, "Divergence"));
	hd_text_free(&text);
}
