/* The machine description: presets, YAML files, single settings, what is refused and with which words (HZ-1, HZ-15 and HZ-20: sizes and the
 * split of the counters are configuration). */
#include "../test.h"

#include "base/output.h"
#include "config/keys.h"
#include "config/mechanisms.h"

#include <unistd.h>

/* Loads `yaml` from a file; the caller frees diag. */
static bool load(const char *yaml, hd_machine *machine, hd_diag *diag)
{
	char path[40];
	snprintf(path, sizeof path, "heddle-test-%ld.yaml", (long)getpid());
	assert_true(hd_write_file(path, yaml, strlen(yaml), diag));
	bool ok = hd_machine_load(machine, path, diag);
	unlink(path);
	return ok;
}

static void refused(const char *yaml, const char *expected)
{
	hd_machine machine;
	hd_diag diag = {0};
	assert_false(load(yaml, &machine, &diag));
	assert_non_null(diag.text.at);
	if (!strstr(diag.text.at, expected))
		fail_msg("expected: %s\nin: %s", expected, diag.text.at);
	hd_diag_free(&diag);
}

TEST(every_preset_loads_and_prints_what_reads_back)
{
	for (unsigned i = 0; hd_machine_presets[i]; i++) {
		hd_machine machine = {0}, again = {0};
		hd_diag diag = {0};
		hd_text text = {0};
		assert_true(hd_machine_load(&machine, hd_machine_presets[i], &diag));
		assert_string_equal(machine.name, hd_machine_presets[i]);
		hd_machine_print(&machine, &text);
		if (!load(text.at, &again, &diag))
			fail_msg("%s", diag.text.at);
		assert_memory_equal(&machine, &again, sizeof machine);
		hd_text_free(&text);
		hd_diag_free(&diag);
	}
}

/* Every single key, at its smallest and largest, survives printing and reading. */
TEST(every_value_reads_back)
{
	hd_machine machine, again = {0};
	hd_diag diag = {0};
	hd_text text = {0};
	hd_machine_default(&machine);
	for (uint32_t i = 0; i < HD_CLASS_COUNT; i++)
		machine.latency[i] = (hd_timing){.latency = 2 + i, .interval = 40 + i};
	for (uint32_t i = 0; i < HD_PIPE_COUNT; i++)
		machine.queue[i] = (hd_queue_sizes){.fifo = 1 + i, .hazard = 64 - i};
	machine.fence_wait_counters = 0;
	machine.predecode_priority = HD_PRIORITY_PROGRAM;
	machine.divergence_membership = HD_MEMBER_RANGE;
	machine.memory_dram_partitions = 64;
	machine.energy_alu = 1;
	machine.energy_fma = 10;
	machine.energy_mul = 1000000000;
	machine.energy_sfu = 0;
	hd_machine_print(&machine, &text);
	if (!load(text.at, &again, &diag))
		fail_msg("%s", diag.text.at);
	assert_memory_equal(&machine, &again, sizeof machine);
	hd_text_free(&text);
	hd_diag_free(&diag);
}

/* LU-9: picojoule with up to three decimals, and nothing else. */
TEST(energies_are_picojoule)
{
	static const struct {
		const char *text;
		uint32_t fj;
	} good[] = {
	    {"energy.alu=0", 0}, {"energy.alu=1.5", 1500}, {"energy.alu=0.001", 1}, {"energy.alu=12.340", 12340}, {"energy.alu=1000000", 1000000000}};
	static const char *const bad[] = {
	    "energy.alu=",    "energy.alu=.5",  "energy.alu=1.",    "energy.alu=1.2345",      "energy.alu=-1",
	    "energy.alu=1e3", "energy.alu=1,5", "energy.alu=1.2.3", "energy.alu=1000000.001", "energy.alu=0000000000001"};
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned i = 0; i < HD_COUNT(good); i++) {
		hd_diag diag = {0};
		assert_true(hd_machine_set(&machine, good[i].text, &diag));
		assert_int_equal(machine.energy_alu, good[i].fj);
	}
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		hd_diag diag = {0};
		assert_false(hd_machine_set(&machine, bad[i], &diag));
		if (!strstr(diag.text.at, "expected a number from 0 to 1000000 with at most three decimals (pJ)"))
			fail_msg("%s", diag.text.at);
		hd_diag_free(&diag);
	}
}

/* MI-14: every class of fixed latency can run in every pipe of fixed latency, and nowhere else. */
TEST(classes_run_in_pipes_of_fixed_latency)
{
	static const char *const bad[] = {"pipe.fma=lsu", "pipe.fma=latom", "pipe.fma=flow", "pipe.fma=none",
	                                  "pipe.lsu=alu", "pipe.flow=alu",  "pipe.nop=alu"};
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
#define CLASS(id, in, ...) assert_int_equal(hd_machine_pipe(&machine, HD_CLASS_##id), HD_PIPE_##in);
	HD_CLASSES(CLASS)
#undef CLASS
	for (unsigned klass = 0; klass <= HD_CLASS_TEX; klass++)
		for (unsigned pipe = 0; pipe < HD_PIPE_LATOM; pipe++) {
			char setting[64];
			snprintf(setting, sizeof setting, "pipe.%s=%s", hd_class_names[klass], hd_pipe_names[pipe]);
			assert_true(hd_machine_set(&machine, setting, &diag));
			assert_int_equal(hd_machine_pipe(&machine, (hd_class)klass), pipe);
		}
	for (unsigned i = 0; i < HD_COUNT(bad); i++)
		assert_false(hd_machine_set(&machine, bad[i], &diag));
	hd_diag_free(&diag);
	/* Properties that follow from the pipe: how long an entry takes, and the longest distance that its queue keeps. */
	hd_machine_default(&machine);
	machine.pipe[HD_CLASS_FMA] = HD_PIPE_TEX;
	machine.lanes[HD_PIPE_TEX] = 4;
	machine.latency[HD_CLASS_FMA].latency = 30;
	assert_int_equal(hd_machine_interval(&machine, HD_CLASS_FMA), 8);
	assert_int_equal(hd_machine_latency(&machine, HD_CLASS_FMA, true), 37);
	assert_int_equal(hd_machine_spacing(&machine, HD_PIPE_TEX), 37);
	assert_int_equal(hd_machine_spacing(&machine, HD_PIPE_ALU), 8);
}

/* HZ-37, MI-14 */
TEST(shared_pipes_are_a_set)
{
	static const struct {
		const char *setting, *text;
		uint32_t set;
	} good[] = {{"machine.shared_pipes=none", "none", 0},
	            {"machine.shared_pipes=f64+sfu", "sfu+f64", 1 << HD_PIPE_F64 | 1 << HD_PIPE_SFU},
	            {"machine.shared_pipes=tex+cvt+f64+sfu+coord+alu", "alu+coord+sfu+f64+cvt+tex", 63}};
	static const char *const bad[] = {"machine.shared_pipes=",
	                                  "machine.shared_pipes=lsu",
	                                  "machine.shared_pipes=alu+",
	                                  "machine.shared_pipes=alu+alu",
	                                  "machine.shared_pipes=al",
	                                  "machine.shared_pipes=alu sfu",
	                                  "copies.alu=0",
	                                  "copies.alu=5",
	                                  "copies.latom=2"};
	static const struct {
		const char *settings[3], *message;
	} refused[] = {
	    {{"copies.alu=2", "lanes.alu=16"}, "copies.alu is 2, expected 1 with lanes.alu of 16"},
	    {{"copies.alu=2", "multi_issue.queues=shared"}, "copies.alu cannot be set with multi_issue.queues `shared`"},
	    {{"machine.shared_pipes=f64", "multi_issue.queues=shared"}, "machine.shared_pipes cannot be set with multi_issue.queues `shared`"},
	    {{"machine.shared_pipes=f64", "predecode.refuse_busy=true"}, "machine.shared_pipes cannot be set with predecode.refuse_busy, "},
	    {{"copies.f64=2", "predecode.refuse_ports=true"}, "copies.f64 cannot be set with predecode.refuse_busy, "},
	    {{"copies.f64=2", "predecode.refuse_constants=true"}, "copies.f64 cannot be set with predecode.refuse_busy, "},
	};
	hd_machine machine;
	char text[HD_KEY_VALUE_MAX];
	for (unsigned i = 0; i < HD_COUNT(good); i++) {
		hd_diag diag = {0};
		hd_key key;
		hd_machine_default(&machine);
		assert_true(hd_machine_set(&machine, good[i].setting, &diag));
		assert_int_equal(machine.machine_shared_pipes, good[i].set);
		assert_true(hd_machine_validate(&machine, NULL, &diag));
		assert_true(hd_key_find("machine.shared_pipes", &key));
		hd_key_format(&machine, &key, text);
		assert_string_equal(text, good[i].text);
		assert_int_equal(hd_machine_has_pipe_stage(&machine), good[i].set != 0);
	}
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		hd_diag diag = {0};
		assert_false(hd_machine_set(&machine, bad[i], &diag));
		hd_diag_free(&diag);
	}
	for (unsigned i = 0; i < HD_COUNT(refused); i++) {
		hd_diag diag = {0};
		hd_machine_default(&machine);
		for (unsigned k = 0; refused[i].settings[k]; k++)
			assert_true(hd_machine_set(&machine, refused[i].settings[k], &diag));
		assert_false(hd_machine_validate(&machine, NULL, &diag));
		if (!strstr(diag.text.at, refused[i].message))
			fail_msg("%s", diag.text.at);
		hd_diag_free(&diag);
	}
	/* Two copies do twice as much in a cycle: the program counts on it (HZ-20). */
	hd_machine_default(&machine);
	machine.fence_classify = HD_CLASSIFY_THROUGHPUT;
	machine.fence_throughput = 9;
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	assert_int_equal(hd_machine_spread(&machine, HD_CLASS_SFU), 4);
	machine.copies[HD_PIPE_SFU] = 3;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	assert_int_equal(hd_machine_spread(&machine, HD_CLASS_SFU), 2);
	assert_true(hd_machine_has_pipe_stage(&machine));
}

TEST(a_file_says_what_differs)
{
	hd_machine machine, baseline;
	hd_diag diag = {0};
	assert_true(load("name: mine\npreset: baseline\nfence: {counters: 4, high_latency: 1}\nlatency:\n  sfu: {latency: 20}\n", &machine, &diag));
	assert_true(hd_machine_load(&baseline, "baseline", &diag));
	assert_string_equal(machine.name, "mine");
	assert_int_equal(machine.fence_counters, 4);
	assert_int_equal(machine.fence_mode, HD_DEP_SCOREBOARD);
	assert_int_equal(machine.latency[HD_CLASS_SFU].latency, 20);
	assert_int_equal(machine.latency[HD_CLASS_SFU].interval, baseline.latency[HD_CLASS_SFU].interval);
	hd_diag_free(&diag);
}

TEST(each_preset_adds_one_mechanism_to_the_baseline)
{
	hd_machine base, one;
	hd_diag diag = {0};
	assert_true(hd_machine_load(&base, "baseline", &diag));
	assert_int_equal(base.fence_mode, HD_DEP_SCOREBOARD);
	assert_int_equal(base.divergence_mode, HD_DIV_STACK);
	assert_int_equal(base.multi_issue_window, 1);
	assert_int_equal(base.last_use_flags, 0);
	static const char *const names[] = {"fence", "predecode", "minrc", "multi-issue", "last-use"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		assert_true(hd_machine_load(&one, names[i], &diag));
		assert_int_equal(one.fence_mode != base.fence_mode, i == 0);
		assert_int_equal(one.predecode_carrier != base.predecode_carrier, i == 1);
		assert_int_equal(one.divergence_mode != base.divergence_mode, i == 2);
		assert_int_equal(one.multi_issue_window != base.multi_issue_window, i == 3);
		assert_int_equal(one.last_use_flags != base.last_use_flags, i == 4);
	}
	hd_diag_free(&diag);
}

/* Any subset of the five can be switched on, by the name of the machine. */
TEST(mechanisms_are_switches)
{
	hd_machine base, machine, composed;
	hd_diag diag = {0};
	assert_true(hd_machine_load(&base, "baseline", &diag));
	for (unsigned set = 0; set < 1u << HD_MECHANISMS; set++) {
		hd_mechanism_subset(&machine, set);
		assert_true(hd_machine_validate(&machine, NULL, &diag));
		assert_int_equal(machine.fence_mode == HD_DEP_FENCE, set >> 0 & 1);
		assert_int_equal(machine.predecode_carrier != HD_CARRIER_NONE, set >> 1 & 1);
		assert_int_equal(machine.divergence_mode == HD_DIV_RESUME, set >> 2 & 1);
		assert_int_equal(machine.multi_issue_window > 1, set >> 3 & 1);
		assert_int_equal(machine.last_use_flags, set >> 4 & 1);
		assert_true(hd_machine_load(&composed, machine.name, &diag));
		assert_memory_equal(&machine, &composed, sizeof machine);
	}
	for (unsigned i = 0; i < HD_MECHANISMS; i++) { /* one mechanism alone is its preset */
		hd_machine preset;
		hd_mechanism_subset(&machine, 1u << i);
		assert_true(hd_machine_load(&preset, hd_mechanism_names[i], &diag));
		memcpy(machine.name, preset.name, sizeof machine.name);
		assert_memory_equal(&machine, &preset, sizeof machine);
	}
	hd_machine heddle; /* has all five */
	assert_true(hd_machine_load(&heddle, "heddle", &diag));
	hd_mechanism_subset(&machine, (1u << HD_MECHANISMS) - 1);
	memcpy(machine.name, heddle.name, sizeof machine.name);
	assert_memory_equal(&machine, &heddle, sizeof machine);
	assert_true(hd_machine_load(&machine, "heddle-multi-issue+minrc-last-use", &diag));
	assert_true(machine.multi_issue_window == 1 && machine.divergence_mode == HD_DIV_RESUME && !machine.last_use_flags);
	assert_string_equal(machine.name, "heddle-multi-issue+minrc-last-use");
	assert_false(hd_machine_load(&machine, "baseline+tea", &diag));
	assert_false(hd_machine_load(&machine, "baseline+", &diag));
	assert_non_null(strstr(diag.text.at, "baseline+tea: error: is no machine, did you mean baseline? expected one of heddle, baseline"));
	hd_diag_free(&diag);
}

TEST(unknown_keys_and_bad_values_have_line_and_key)
{
	hd_machine hexadecimal;
	hd_diag diag = {0};
	refused("fence:\n  countres: 4\n", ":2:3: error: fence.countres is no key of a machine description, did you mean fence.counters?");
	refused("fence:\n  counters: 4\nfense:\n  mode: fence\n", ":3:1: error: fense is no section of a machine description, did you mean fence?");
	refused("fence:\n  counters: many\n", ":2:13: error: fence.counters cannot be 'many', expected a number from 2 to 16 (counters)");
	/* HZ-31 */
	refused("fence:\n  bits: 3\n",
	        "fence.bits is 3, expected more: a primary raises its counter by 8 with these fence.unit and fence.group_lanes");
	refused("fence: {unit: lane, bits: 5}\n", "fence.bits is 5, expected more: a primary raises its counter by 32");
	refused("energy: {gated_groups: 6}\n", "energy.gated_groups cannot be 6, expected 0, 1, 2, 4, 8, 16 or 32");
	refused("divergence: {mode: stack, pop: flag}\npredecode: {carrier: instruction}\n",
	        "divergence.pop cannot be `flag` with predecode.carrier `instruction`");
	refused("multi_issue: {places: eligible}\n", "multi_issue.places cannot be `eligible` without multi_issue.pass_waits");
	refused("multi_issue: {places: eligible, pass_waits: true}\nfence: {mode: scoreboard}\n",
	        "multi_issue.places cannot be `eligible` with fence.mode `scoreboard`");
	refused("fence: {group_lanes: 12}\n", "fence.group_lanes cannot be 12, expected 1, 2, 4, 8, 16 or 32");
	refused("machine:\n  cores: 80\n",
	        "machine.cores cannot be '80', expected a number from 1 to 64 (cores); a cluster has so many, and machine.clusters is the number of "
	        "clusters: machine.clusters=2 and machine.cores=40 make 80 cores");
	refused("machine:\n  cores: 65\n", "machine.clusters=5 and machine.cores=13 make 65 cores");
	refused("machine:\n  cores: 4096\n", "machine.clusters=64 and machine.cores=64 make 4096 cores");
	refused("machine:\n  cores: 97\n", "machine.clusters is the number of clusters\n");
	refused("machine:\n  cores: 0\n", "expected a number from 1 to 64 (cores)\n");
	refused("fence:\n  counters: 17\n", "fence.counters cannot be '17'");
	refused("fence:\n  counters: -4\n", "fence.counters cannot be '-4'");
	refused("fence:\n  counters: 0x\n", "fence.counters cannot be '0x'");
	assert_true(load("fence: {counters: 0x5}\n", &hexadecimal, &diag));
	assert_int_equal(hexadecimal.fence_counters, 5);
	refused("energy: {interval: 0x}\n", "energy.interval cannot be '0x'");
	refused("fence:\n  counters: 0x11\n", "fence.counters cannot be '0x11'");
	refused("fence:\n  counters: 99999999999999999999\n", "fence.counters cannot be '99999999999999999999'");
	refused("fence:\n  counters:\n", "fence.counters cannot be ''");
	refused("fence:\n  mode: tea\n", ":2:9: error: fence.mode cannot be 'tea', expected `fence` or `scoreboard`");
	refused("fence:\n  wait_counters: yes\n", "fence.wait_counters cannot be 'yes', expected `false` or `true`");
	refused("fence: 4\n", ":1:1: error: fence is a section, expected a mapping of keys");
	refused("fence:\n  counters:\n    low: 4\n", ":2:3: error: fence.counters is a key, expected a value");
	refused("latency:\n  sfu: {latancy: 3}\n",
	        ":2:9: error: latency.sfu.latancy is no key of a machine description, did you mean latency.sfu.latency?");
	refused("queue:\n  lsu: {fifo: 0}\n", "queue.lsu.fifo cannot be '0', expected a number from 1 to 64 (instructions)");
	refused("fence:\n  counters: 4\n  counters: 5\n", ":3:3: error: fence.counters is given twice");
	refused("fence: {}\nfence: {}\n", ":2:1: error: fence is given twice");
	refused("preset: nothing\n", "preset cannot be 'nothing', expected one of heddle, baseline");
	refused("fence: {counters: 4}\npreset: baseline\n", ":2:1: error: preset must come before all sections");
	refused("name: 'a b'\n", "name cannot be 'a b'");
}

TEST(what_is_no_mapping_is_refused)
{
	refused("", "is empty");
	refused("# nothing\n", "is empty");
	refused("fence\n", "expected a mapping of sections");
	refused("[1, 2]\n", "expected a mapping of sections");
	refused("fence: [1, 2]\n", ":1:8: error: fence: expected a value or a mapping, got a sequence");
	refused("fence: &a {counters: 4}\npredecode: *a\n", ":2:12: error: predecode: expected a value or a mapping, got an alias");
	refused("fence: {counters: 4\n", "is not YAML");
	refused("fence:\n\tcounters: 4\n", ":2:1: error: is not YAML");
	refused("? {a: b}\n: c\n", "is not a key");
	refused("fence: {counters: 4}\n---\nfence: {counters: 5}\n", "a second document begins here");
	refused("latency: {alu: {latency: {deep: 1}}}\n", "latency.alu.latency: expected a value or a mapping, got a deeper mapping");
	refused("fence: {counters: \"4\\0\"}\n", "contains a NUL");
	refused("\xff\xfe\xff\xff", "error:");
}

TEST(hostile_sizes_end)
{
	hd_text text = {0};
	for (int i = 0; i < 100000; i++)
		hd_text_put(&text, "[", 1);
	refused(text.at, "error:");
	/* As a value: the time of the parser grows with the square of the nesting. */
	static const char *const nests[] = {"[", "{a: ", "- - "};
	for (size_t n = 0; n < HD_COUNT(nests); n++) {
		text.n = 0;
		hd_text_printf(&text, n == 2 ? "machine:\n  " : "machine: ");
		for (int i = 0; i < 200000; i++)
			hd_text_printf(&text, "%s", nests[n]);
		refused(text.at, ": error: is nested too deep");
	}
	text.n = 0;
	for (int i = 0; i < 20000; i++)
		hd_text_printf(&text, "k%d: 1\n", i);
	refused(text.at, "k19 is no key");
	text.n = 0;
	for (int i = 0; i < 100000; i++)
		hd_text_put(&text, "a", 1);
	hd_text_printf(&text, ": 1\n");
	refused(text.at, "error:");
	hd_text_free(&text);
}

TEST(keys_together_are_checked)
{
	refused("fence: {counters: 4, high_latency: 4}\n", "fence.high_latency is 4, expected fewer than fence.counters (4)");
	refused("predecode: {issue_width: 3}\n", "predecode.issue_width cannot be 3, expected 1, 2 or 4");
	refused("predecode: {priority_bits: 7}\n", "predecode.priority_bits cannot be 7");
	refused("memory: {l1_bytes: 1024, l1_ways: 32}\n", "memory.l1_bytes: a cache of 8 lines");
}

TEST(single_settings)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	assert_true(hd_machine_set(&machine, "fence.counters=3", &diag));
	assert_true(hd_machine_set(&machine, "latency.sfu.interval=9", &diag));
	assert_true(hd_machine_set(&machine, "queue.lsu.hazard=3", &diag));
	assert_true(hd_machine_set(&machine, "queue.sfu.hazard=0", &diag)); /* HZ-32 */
	assert_true(hd_machine_set(&machine, "predecode.pair=false", &diag));
	assert_int_equal(machine.fence_counters, 3);
	assert_int_equal(machine.latency[HD_CLASS_SFU].interval, 9);
	assert_int_equal(machine.queue[HD_PIPE_LSU].hazard, 3);
	assert_int_equal(machine.queue[HD_PIPE_SFU].hazard, 0);
	assert_int_equal(machine.predecode_pair, 0);
	static const char *const bad[] = {
	    "fence.counters",   "=3", "", "fence=3", "fence.countersx=3", "latency.alu=3", "fence.counters=", "a.b.c.d=1", "fence.counters =3",
	    "fence.counters=3 "};
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		if (hd_machine_set(&machine, bad[i], &diag))
			fail_msg("'%s' was taken", bad[i]);
	}
	assert_non_null(strstr(diag.text.at, "fence.counters: error: is no setting, expected KEY=VALUE"));
	assert_non_null(
	    strstr(diag.text.at, "fence.countersx=3: error: fence.countersx is no key of a machine description, did you mean fence.counters?"));
	hd_diag_free(&diag);
}

TEST(unknown_machine)
{
	hd_machine machine;
	hd_diag diag = {0};
	assert_false(hd_machine_load(&machine, "nonsense", &diag));
	assert_string_equal(diag.text.at, "nonsense: error: is no machine, expected one of heddle, baseline, fence, predecode, minrc, multi-issue, "
	                                  "last-use, one-queue, hints, one of them with +MECHANISM or -MECHANISM, or a YAML file\n");
	hd_diag_free(&diag);
	assert_false(hd_machine_load(&machine, "no/such.yaml", &diag));
	assert_non_null(strstr(diag.text.at, "no/such.yaml: error: cannot be opened"));
	hd_diag_free(&diag);
}

/* The split of the counters follows the throughput of the primary's pipeline, or, as an option, its latency (HZ-20). */
TEST(counter_split)
{
	hd_machine machine;
	uint32_t lo, hi;
	hd_machine_default(&machine);
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_LSU));
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_LATOM));
	/* HZ-29: throughput decides. 8 lanes a cycle are below the threshold of 16. 32 lanes a cycle are not, whatever the latency. A latency of 5
	 * with one instruction in 64 cycles is below it. */
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	machine.latency[HD_CLASS_SFU] = (hd_timing){100, 1};
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	machine.latency[HD_CLASS_SFU] = (hd_timing){5, 64};
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	machine.latency[HD_CLASS_SFU] = (hd_timing){14, 4};
	machine.fence_throughput = 8;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	machine.fence_throughput = 16;
	/* A narrow pipe works off fewer lanes, too. */
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_ALU));
	machine.lanes[HD_PIPE_ALU] = 16;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_ALU));
	machine.lanes[HD_PIPE_ALU] = 8;
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_ALU));
	machine.lanes[HD_PIPE_ALU] = 32;
	machine.fence_memory_high = 0;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_LSU)); /* 16 lanes a cycle */
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_LATOM));
	machine.fence_memory_high = 1;
	machine.fence_classify = HD_CLASSIFY_LATENCY;
	machine.fence_threshold = 16;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_LSU));
	machine.fence_threshold = machine.latency[HD_CLASS_SFU].latency;
	assert_true(hd_machine_high_latency(&machine, HD_CLASS_SFU));
	machine.fence_memory_high = 0;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_LSU)); /* 8 cycles of the pipe */
	machine.fence_memory_high = 1;
	hd_machine_counters(&machine, false, &lo, &hi);
	assert_int_equal(lo, 1);
	assert_int_equal(hi, 4);
	hd_machine_counters(&machine, true, &lo, &hi);
	assert_int_equal(lo, 5);
	assert_int_equal(hi, 6);
	assert_int_equal(hd_machine_high_mask(&machine), 0x30);
	machine.fence_high_latency = 0;
	assert_false(hd_machine_high_latency(&machine, HD_CLASS_LSU));
}

/* LU-11: an operand buffer keeps no value for a certain time, so it cannot hide the time of a register file. Both keys are named. */
TEST(a_slow_register_file_refuses_an_operand_buffer)
{
	hd_machine machine;
	hd_diag diag = {0};
	assert_false(load("last_use: {compensation_of: warp, compensation: 6}\nregister_file: {read_latency: 1}\n", &machine, &diag));
	assert_non_null(strstr(diag.text.at, "last_use.compensation_of"));
	assert_non_null(strstr(diag.text.at, "register_file.read_latency"));
	hd_diag_free(&diag);
	assert_true(load("last_use: {compensation_of: warp, compensation: 0}\nregister_file: {read_latency: 1}\n", &machine, &diag));
	assert_true(load("last_use: {compensation_of: pipe, compensation: 6}\nregister_file: {write_latency: 1}\n", &machine, &diag));
	assert_int_equal(hd_machine_reach(&machine), 2 + 1 + 6 - 1);
	assert_true(load("last_use: {compensation: 0}\nregister_file: {read_latency: 2, write_latency: 2}\n", &machine, &diag));
	assert_int_equal(hd_machine_reach(&machine), 0);
	assert_int_equal(hd_machine_latency(&machine, HD_CLASS_ALU, false), machine.latency[HD_CLASS_ALU].latency + 4);
}

TEST(documentation_is_current)
{
	hd_text expected = {0}, path = {0};
	hd_diag diag = {0};
	size_t size;
	hd_machine_document(&expected);
	hd_text_printf(&path, "%s/docs/configuration.md", getenv("HEDDLE_SOURCE"));
	char *actual = hd_read_file(path.at, 1 << 20, &size, &diag);
	if (!actual || strcmp(actual, expected.at) != 0)
		fail_msg("docs/configuration.md is not what machine.def says: run tools/docs.sh");
	free(actual);
	hd_text_free(&expected);
	hd_text_free(&path);
}
