/* The record of a machine: the keys on which annotations rely, and no others; how another machine differs from it. */
#include "../test.h"

#include "config/keys.h"
#include "config/record.h"

static void set(hd_machine *machine, const char *assignment)
{
	hd_diag diag = {0};
	if (!hd_machine_set(machine, assignment, &diag))
		fail_msg("%s", diag.text.at);
}

static char *record_of(const hd_machine *machine)
{
	hd_text text = {0};
	hd_machine_record(machine, &text);
	return text.at;
}

/* The differences of the machine `heddle` with one setting from `heddle` itself. */
static unsigned differences(const char *setting, unsigned most, hd_text *out)
{
	hd_machine machine;
	hd_machine_default(&machine);
	char *record = record_of(&machine);
	set(&machine, setting);
	unsigned n = hd_machine_record_differences(&machine, record, most, out);
	free(record);
	return n;
}

TEST(the_record_is_lines_in_the_order_of_the_keys)
{
	hd_machine machine;
	hd_machine_default(&machine);
	char *record = record_of(&machine), *again = record_of(&machine);
	assert_string_equal(record, again);
	assert_memory_equal(record, "fence.mode=fence\nfence.counters=6\n", 34);
	assert_non_null(strstr(record, "\nlatency.alu.latency=4\nlatency.alu.interval=1\n"));
	assert_non_null(strstr(record, "\nlanes.alu=32\n"));
	assert_int_equal(record[strlen(record) - 1], '\n');
	free(record);
	free(again);
}

/* Every key that the checker reads changes the record. */
TEST(what_annotations_rely_on_is_recorded)
{
	static const char *const relied[] = {
	    "fence.mode=scoreboard",
	    "fence.counters=5",
	    "fence.high_latency=3",
	    "fence.classify=latency",
	    "fence.throughput=8",
	    "fence.threshold=7",
	    "fence.memory_high=false",
	    "fence.within_pipeline=true",
	    "fence.deadlock_free=true",
	    "predecode.carrier=none",
	    "predecode.geometry=wide",
	    "predecode.default_delay=2",
	    "predecode.default_hint=wait",
	    "predecode.issue_width=2",
	    "predecode.pair=false",
	    "predecode.hold=false",
	    "predecode.hint_table=true",
	    "divergence.mode=stack",
	    "multi_issue.window=1",
	    "multi_issue.types=opcode",
	    "multi_issue.pass_waits=true",
	    "divergence.first=taken",
	    "divergence.pop=flag",
	    "last_use.flags=false",
	    "latency.sfu.latency=13",
	    "latency.lsu.interval=1",
	    "lanes.f64=8",
	    "copies.lsu=2",
	};
	for (unsigned i = 0; i < HD_COUNT(relied); i++) {
		hd_text text = {0};
		if (differences(relied[i], 10, &text) != 1)
			fail_msg("%s is not recorded: %s", relied[i], text.at ? text.at : "");
		hd_text_free(&text);
	}
	unsigned checked = 0;
	for (unsigned i = 0; i < hd_key_count(); i++)
		checked += hd_key_at(i).checked;
	assert_int_equal(checked, 26 + 2 * HD_CLASS_COUNT + HD_PIPE_FLOW + HD_CLASS_TEX + 1 + HD_PIPE_LATOM + 1);
}

/* docs/timing.md: "t comes later, and nothing else changes", or the key has no part in time at all. */
TEST(what_annotations_do_not_rely_on_is_not_recorded)
{
	static const char *const free_of[] = {
	    "machine.cores=8",
	    "machine.registers=8192",
	    "memory.l1_latency=3",
	    "memory.shared_latency=1",
	    "memory.dram_latency=900",
	    "memory.l1_bytes=65536",
	    "memory.constant_bytes=4096",
	    "fetch.l1i_latency=9",
	    "queue.alu.fifo=1",
	    "queue.lsu.hazard=1",
	    "fence.bits=4",
	    "fence.assign=rotate",
	    "fence.active_logic=false",
	    "divergence.if_convert=8",
	    "fence.wait_counters=false",
	    "predecode.replay=0",
	    "predecode.boost=false",
	    "predecode.speculate=static",
	    "last_use.path_b=0",
	    "last_use.across=false",
	    "last_use.compensation=0",
	    "register_file.banks=1",
	    "multi_issue.hold=255",
	    "energy.alu=1",
	    "multi_issue.queues=shared",
	};
	for (unsigned i = 0; i < HD_COUNT(free_of); i++) {
		hd_text text = {0};
		if (differences(free_of[i], 10, &text))
			fail_msg("%s is recorded: %s", free_of[i], text.at);
		assert_null(text.at);
	}
}

/* LU-11: paths hide the time of a register file, so annotations rely on them where the file takes time. */
TEST(paths_are_recorded_beside_a_slow_register_file)
{
	static const char *const paths[] = {"last_use.path_b=1", "last_use.path_a=0", "last_use.compensation=1", "last_use.across=false"};
	for (unsigned i = 0; i < HD_COUNT(paths); i++) {
		hd_machine machine;
		hd_text text = {0};
		hd_machine_default(&machine);
		set(&machine, "register_file.write_latency=1");
		char *record = record_of(&machine);
		set(&machine, paths[i]);
		assert_int_equal(hd_machine_record_differences(&machine, record, 10, &text), 1);
		free(record);
		hd_text_free(&text);
	}
	for (unsigned i = 0; i < 2; i++) {
		hd_text text = {0};
		assert_int_equal(differences(i ? "register_file.read_latency=1" : "register_file.write_latency=1", 10, &text), 1 + HD_COUNT(paths));
		assert_non_null(strstr(text.at, "last_use.path_b is 2, the object does not say for which value it was compiled"));
		hd_text_free(&text);
	}
}

TEST(differences_name_key_and_both_values)
{
	hd_machine machine;
	hd_text text = {0}, few = {0}, none = {0}, foreign = {0};
	assert_int_equal(differences("latency.alu.latency=40", 3, &text), 1);
	assert_string_equal(text.at, "latency.alu.latency is 40, the object was compiled for 4");
	hd_machine_default(&machine);
	char *record = record_of(&machine);
	set(&machine, "latency.alu.latency=40");
	set(&machine, "lanes.alu=8");
	set(&machine, "fence.mode=scoreboard");
	assert_int_equal(hd_machine_record_differences(&machine, record, 2, &few), 3);
	assert_string_equal(few.at,
	                    "fence.mode is scoreboard, the object was compiled for fence; latency.alu.latency is 40, the object was compiled for 4");
	/* No other key hides behind the beginning or the end of a name or a value. */
	assert_int_equal(hd_machine_record_differences(
	                     &machine, "xfence.mode=scoreboard\nfence.mod=scoreboard\nfence.modes=scoreboard\nfence.mode=scoreboards\n", 1, &none),
	                 hd_machine_record_differences(&machine, "", 0, &none));
	assert_string_equal(none.at, "fence.mode is scoreboard, the object was compiled for scoreboards");
	hd_machine_record_differences(&machine, "unknown.key=1", 1, &foreign);
	assert_string_equal(foreign.at, "fence.mode is scoreboard, the object does not say for which value it was compiled");
	free(record);
	hd_text_free(&text);
	hd_text_free(&few);
	hd_text_free(&none);
	hd_text_free(&foreign);
}
