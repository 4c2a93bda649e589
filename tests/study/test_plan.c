/* ST-1: the plan of a study and its axes. */
#include "study/plan.h"
#include "../test.h"

static hd_plan plan;

static bool read_plan(const char *text, hd_diag *diag) { return hd_plan_read_text(&plan, text, strlen(text), "dir/s.yaml", diag); }

static void good(const char *text)
{
	hd_diag diag = {0};
	if (!read_plan(text, &diag))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
}

static void bad(const char *text, const char *message)
{
	hd_diag diag = {0};
	if (read_plan(text, &diag) || !strstr(diag.text.at, message))
		fail_msg("%s\n%s, expected %s", text, diag.text.at ? diag.text.at : "", message);
	hd_diag_free(&diag);
	hd_plan_free(&plan);
}

static const hd_axis *axis(const char *name)
{
	for (size_t i = 0; i < plan.axes.n; i++)
		if (strcmp(plan.axes.at[i].name, name) == 0)
			return &plan.axes.at[i];
	fail_msg("no axis %s", name);
	return NULL;
}

TEST(all_keys)
{
	good("name: mine\nlaunches: [a b, c]\nexamples: saxpy\ncommands:\n  - ./app 1\ninputs: [f]\nmachines: [baseline, fence]\n"
	     "axes:\n  fence.counters: [2, 4]\nwhere: [fence.counters > 1]\narea: 3\nlimits: {cycles: 7, seconds: 8, memory: 9}\n");
	assert_string_equal(plan.name, "mine");
	assert_int_equal(plan.launches.n, 4);
	assert_int_equal(plan.launches.at[0].kind, HD_LAUNCH_LINE);
	assert_string_equal(plan.launches.at[1].text, "c");
	assert_string_equal(plan.launches.at[1].name, "c");
	assert_int_equal(plan.launches.at[2].kind, HD_LAUNCH_EXAMPLE);
	assert_int_equal(plan.launches.at[3].kind, HD_LAUNCH_COMMAND);
	assert_int_equal(plan.launches.at[3].pos.line, 5);
	assert_int_equal(plan.inputs.n, 1);
	assert_int_equal(plan.axes.n, 2);
	assert_string_equal(plan.axes.at[0].name, "machine");
	assert_int_equal(plan.axes.at[0].values.n, 2);
	assert_int_equal(plan.rules.n, 1);
	assert_string_equal(plan.area.text, "3");
	assert_true(plan.cycles == 7 && plan.seconds == 8 && plan.memory == 9 && plan.seed == 1);
	assert_int_equal(plan.sampling, HD_SAMPLE_PRODUCT);
	hd_plan_free(&plan);
	good("examples: [one -> saxpy 1, two -> saxpy 2]\n");
	assert_string_equal(plan.launches.at[1].name, "two");
	assert_string_equal(plan.launches.at[1].text, "saxpy 2");
	assert_int_equal(plan.launches.at[1].pos.column, 35);
	hd_plan_free(&plan);
	bad("examples: [saxpy]\ntables:\n  cycles: [base.cycles]\n", "'base.cycles' is no column of a table, expected HEAD -> EXPRESSION");
	bad("examples: [one -> saxpy 1, one -> saxpy 2]\n", "the launch of line 1 is 'one', too");
	good("examples: [saxpy]\n");
	assert_string_equal(plan.name, "s");
	assert_string_equal(plan.axes.at[0].values.at[0].text, "heddle");
	hd_plan_free(&plan);
}

TEST(ranges)
{
	good("examples: [saxpy]\naxes:\n  fence.counters: 2..4\n  multi_issue.window: [1, 2..8 times 2]\n  memory.dram_latency: 100..400 step 150\n");
	assert_int_equal(axis("fence.counters")->values.n, 3);
	assert_string_equal(axis("fence.counters")->values.at[2].text, "4");
	assert_int_equal(axis("multi_issue.window")->values.n, 4);
	assert_string_equal(axis("multi_issue.window")->values.at[3].text, "8");
	assert_int_equal(axis("memory.dram_latency")->values.n, 3);
	assert_string_equal(axis("memory.dram_latency")->values.at[2].text, "400");
	hd_plan_free(&plan);
	static const char *const none[] = {"4..2", "1..x", "1..4 step 0", "0..4 times 2", "1..4 times 1", "1..4 by 2", "1..", "1..99999999999"};
	for (size_t i = 0; i < HD_COUNT(none); i++) {
		char text[120];
		snprintf(text, sizeof text, "examples: [saxpy]\naxes:\n  fence.counters: %s\n", none[i]);
		bad(text, "dir/s.yaml:3:19: error: '");
	}
	bad("examples: [saxpy]\naxes:\n  memory.dram_latency: 1..5000\n", "at most 4096");
}

/* A value sets one key, all keys of a pattern, or what its settings say; a label stands for it. */
TEST(values_set_keys)
{
	good("examples: [saxpy]\naxes:\n  queue.*.hazard: [3]\n  pair: [few -> fence.counters=3 fence.high_latency=1, multi_issue.window=2]\n");
	const hd_axis *queue = axis("queue.*.hazard"), *pair = axis("pair");
	assert_int_equal(queue->values.at[0].settings.n, HD_PIPE_COUNT);
	assert_string_equal(pair->values.at[0].text, "few");
	assert_int_equal(pair->values.at[0].settings.n, 2);
	assert_string_equal(pair->values.at[1].text, "multi_issue.window=2");
	hd_machine machine;
	hd_diag diag = {0};
	assert_true(hd_plan_machine(&plan, (int[]){0, 0, 0}, &machine, &diag));
	assert_int_equal(machine.fence_counters, 3);
	assert_int_equal(machine.fence_high_latency, 1);
	assert_int_equal(machine.multi_issue_window, 4);
	for (unsigned i = 0; i < HD_PIPE_COUNT; i++) {
		assert_int_equal(machine.queue[i].hazard, 3);
		assert_int_equal(machine.queue[i].fifo, 4);
	}
	assert_true(hd_plan_machine(&plan, (int[]){0, -1, 1}, &machine, &diag));
	assert_int_equal(machine.queue[0].hazard, 8);
	assert_int_equal(machine.multi_issue_window, 2);
	assert_int_equal(machine.fence_counters, 6);
	hd_plan_free(&plan);
}

TEST(a_machine_that_cannot_be)
{
	hd_machine machine;
	hd_diag diag = {0};
	good("examples: [saxpy]\naxes:\n  fence.counters: [2]\n");
	assert_false(hd_plan_machine(&plan, (int[]){0, 0}, &machine, &diag));
	assert_non_null(strstr(diag.text.at, "fence.high_latency"));
	hd_diag_free(&diag);
	hd_plan_free(&plan);
}

TEST(points)
{
	good("examples: [saxpy]\npoints:\n  - machine=baseline\n  - machine=heddle fence.counters=4\n  - fence.counters=5\n");
	assert_int_equal(plan.sampling, HD_SAMPLE_LIST);
	assert_int_equal(plan.list.n, 3 * HD_AXES_MAX);
	assert_int_equal(plan.list.at[0], 0);
	assert_int_equal(plan.list.at[1], -1);
	assert_int_equal(plan.list.at[HD_AXES_MAX], 1);
	assert_int_equal(plan.list.at[HD_AXES_MAX + 1], 0);
	assert_int_equal(plan.list.at[2 * HD_AXES_MAX], -1);
	assert_int_equal(plan.list.at[2 * HD_AXES_MAX + 1], 1);
	hd_plan_free(&plan);
}

TEST(what_is_refused)
{
	bad("examples: [saxpy]\naxes:\n  fence.countres: [2]\n",
	    "dir/s.yaml:3:3: error: fence.countres is no key of a machine description, did you mean fence.counters?");
	bad("examples: [saxpy]\naxes:\n  fence.counters: [99]\n", "dir/s.yaml:3:20: error: fence.counters cannot be '99'");
	bad("examples: [saxpy]\naxes:\n  queue.*.hazrad: [2]\n", "is no key");
	bad("examples: [saxpy]\naxes:\n  queue.*.: [2]\n", "is no key");
	bad("examples: [saxpy]\naxes:\n  fence.counters: []\n", "the list is empty");
	bad("examples: [saxpy]\nsample: {kind: list, count: 2}\n", "sample.kind cannot be 'list'");
	bad("examples: [saxpy]\naxes:\n  fence.counters: [4, 4]\n", "has the value '4' twice");
	bad("examples: [saxpy]\naxes:\n  fence.counters: 1\naxis: 3\n", "axis is no key of a study");
	bad("examples: [saxpy]\naxes: {x: [fence.counters=2 y]}\n", "'y' is no setting");
	bad("examples: [saxpy]\npoints: [fence.counters]\n", "is no setting of a point");
	bad("examples: [saxpy]\npoints: [fence.counters=4]\nsample: {kind: random, count: 3}\n", "points beside sample.kind");
	bad("examples: [saxpy]\nsample: {count: 3}\n", "sample.count without sample.kind");
	bad("examples: [saxpy]\nsample: {kind: latin}\n", "has no sample.count");
	bad("examples: [saxpy]\nname: a/b\n", "name cannot be");
	bad("examples: [saxpy]\nfoo: {a: 1}\n", "foo is no section");
	bad("machines: [heddle]\n", "has no launch");
	bad("examples: [saxpy]\nmachines: [hedle]\n", "did you mean heddle");
	bad("examples: [saxpy]\nlimits: {seconds: -1}\n", "limits.seconds cannot be '-1'");
}

/* Bounds of what outside text can ask for. */
TEST(too_much)
{
	hd_text text = {0};
	hd_text_printf(&text, "examples:\n");
	for (int i = 0; i <= HD_STUDY_LAUNCHES_MAX; i++)
		hd_text_printf(&text, "  - saxpy %d\n", i);
	bad(text.at, "one launch too many");
	text.n = 0;
	hd_text_printf(&text, "examples: [saxpy]\naxes:\n");
	for (int i = 0; i <= HD_AXES_MAX; i++)
		hd_text_printf(&text, "  a%d: [fence.counters=4]\n", i);
	bad(text.at, "one axis too many");
	hd_text_free(&text);
}
