/* ST-1: the machines of a plan: product, list, random, Latin hypercube, constraints. */
#include "config/state_bits.h"
#include "study/points.h"
#include "../test.h"

static hd_plan plan;
static hd_points points;

static void make(const char *text)
{
	hd_diag diag = {0};
	if (!hd_plan_read_text(&plan, text, strlen(text), "s.yaml", &diag) || !hd_points_make(&points, &plan, &diag))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
}

static void forget(void)
{
	hd_points_free(&points);
	hd_plan_free(&plan);
}

static void refuse(const char *text, const char *message)
{
	hd_diag diag = {0};
	assert_true(hd_plan_read_text(&plan, text, strlen(text), "s.yaml", &diag));
	if (hd_points_make(&points, &plan, &diag) || !strstr(diag.text.at, message))
		fail_msg("%s: expected %s", diag.text.at ? diag.text.at : "", message);
	hd_diag_free(&diag);
	forget();
}

static void expect_text(size_t point, const char *expected)
{
	hd_text text = {0};
	hd_point_text(&plan, points.list.at[point].choice, &text);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
}

TEST(a_product_has_all)
{
	make("examples: [saxpy]\nmachines: [heddle, baseline]\naxes:\n  multi_issue.window: [1, 2]\n  memory.dram_latency: 100..300 step 100\n");
	/* The baseline cannot have a window: its rows are refused, each a point of its own. */
	assert_int_equal(points.list.n, 12);
	expect_text(0, "heddle multi_issue.window=1 memory.dram_latency=100");
	expect_text(1, "heddle multi_issue.window=1 memory.dram_latency=200");
	expect_text(11, "baseline multi_issue.window=2 memory.dram_latency=300");
	for (size_t i = 0; i < points.list.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(points.list.at[i].id, points.list.at[k].id);
	forget();
}

TEST(refused_machines_are_points)
{
	make("examples: [saxpy]\naxes:\n  fence.counters: [2, 4]\narea: fence.counters * 5\n");
	assert_int_equal(points.list.n, 2);
	assert_non_null(strstr(points.list.at[0].refused, "fence.high_latency"));
	assert_int_equal(points.list.at[0].area, -1);
	assert_null(points.list.at[1].refused);
	assert_int_equal(points.list.at[1].area, 20);
	forget();
}

TEST(constraints_exclude)
{
	make("examples: [saxpy]\naxes:\n  multi_issue.window: 1..4\n  latency: [lo -> memory.dram_latency=100, hi -> memory.dram_latency=200]\n"
	     "where: [latency = hi or multi_issue.window < 3, multi_issue.window != 1]\n");
	assert_int_equal(points.list.n, 4);
	assert_int_equal(points.excluded, 4);
	expect_text(0, "heddle multi_issue.window=2 latency=lo");
	forget();
	refuse("examples: [saxpy]\nwhere: [fence.counters = 99]\n", "no machine that its constraints allow");
	refuse("examples: [saxpy]\nwhere: [fence.counters = ]\n", "is no expression");
	refuse("examples: [saxpy]\narea: x.y\n", "x.y is no key");
}

/* Two points with one machine are one point; the name of a machine makes no difference. */
TEST(each_machine_once)
{
	make("examples: [saxpy]\naxes:\n  a: [multi_issue.window=2, x -> fence.counters=6]\n  b: [fence.counters=6, multi_issue.window=2]\n");
	assert_int_equal(points.list.n, 2);
	assert_int_equal(points.same, 2);
	forget();
}

/* More machines than the first table of digests has room for. */
TEST(each_machine_of_many_once)
{
	make("examples: [saxpy]\naxes:\n  a: [multi_issue.window=4, x -> fence.counters=6]\n  memory.dram_latency: 1..600\n");
	assert_int_equal(points.list.n, 600);
	assert_int_equal(points.same, 600);
	forget();
}

TEST(state_bits_are_a_name)
{
	make("examples: [saxpy]\narea: state_bits\n");
	hd_machine machine;
	hd_machine_default(&machine);
	assert_int_equal(points.list.at[0].area, hd_machine_state_bits(&machine));
	assert_true(points.list.at[0].area > 1000);
	forget();
}

static const char sample[] = "examples: [saxpy]\naxes:\n  multi_issue.window: 1..8\n  fence.counters: 3..6\n  memory.dram_latency: 1..16\nsample: "
                             "{kind: %s, count: %d, seed: %d}\n";

static void draw(const char *kind, int count, int seed)
{
	char text[300];
	snprintf(text, sizeof text, sample, kind, count, seed);
	make(text);
}

TEST(a_seed_gives_the_same_machines)
{
	static const char *const kinds[] = {"random", "latin"};
	for (unsigned k = 0; k < 2; k++) {
		char ids[16][HD_DIGEST_TEXT];
		draw(kinds[k], 16, 7);
		assert_int_equal(points.list.n, 16);
		for (unsigned i = 0; i < 16; i++)
			memcpy(ids[i], points.list.at[i].id, sizeof ids[i]);
		forget();
		draw(kinds[k], 16, 7);
		for (unsigned i = 0; i < 16; i++)
			assert_string_equal(ids[i], points.list.at[i].id);
		forget();
		draw(kinds[k], 16, 8);
		bool same = points.list.n == 16;
		for (unsigned i = 0; same && i < 16; i++)
			same = strcmp(ids[i], points.list.at[i].id) == 0;
		assert_false(same);
		forget();
	}
}

/* Sixteen points: each value of an axis of n values has 16 / n of them. */
TEST(a_latin_hypercube_is_even)
{
	draw("latin", 16, 3);
	assert_int_equal(points.list.n + points.same, 16);
	for (size_t axis = 1; axis < plan.axes.n; axis++) {
		unsigned count[16] = {0};
		size_t values = plan.axes.at[axis].values.n;
		for (size_t i = 0; i < points.list.n; i++)
			count[points.list.at[i].choice[axis]]++;
		for (size_t v = 0; v < values && !points.same; v++)
			assert_int_equal(count[v], 16 / values);
	}
	forget();
}

TEST(random_points_end)
{
	make("examples: [saxpy]\naxes:\n  multi_issue.window: 1..3\nsample: {kind: random, count: 50}\n");
	assert_int_equal(points.list.n, 3);
	forget();
}

TEST(limits)
{
	refuse("examples: [saxpy]\naxes:\n  memory.dram_latency: 1..2000\n  memory.l2_latency: 2..2000\n", "product of more than 1000000 points");
	refuse("examples: [a, b, c, d, e, f]\naxes:\n  memory.dram_latency: 1..500\n  memory.l2_latency: 2..500\n", "expected at most 1000000 runs");
}
