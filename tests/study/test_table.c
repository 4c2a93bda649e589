/* ST-5: tables of a study: columns over machines, means by kind of launch, and what is refused. */
#include "study/table.h"

#include "config/state_bits.h"

#include <unistd.h>

#include "../test.h"

static char path[] = "/tmp/heddle-table-XXXXXX";
static hd_store store;

/* Two axes, so four machines: `issue` with the values one and two, and `vary`. Two regular launches and an unstructured one. */
static const char study[] =
    "examples: [a, b, c]\naxes:\n  issue: [one -> multi_issue.window=1, two -> multi_issue.window=2]\n"
    "  vary: [0 ->, 1 -> memory.dram_latency=300]\n%s"
    "tables:\n  speed:\n    - cycles -> base.cycles\n    - each -> ratio(base.cycles, each.cycles)\n"
    "    - share %% -> percent([two].run_issued, [two].cycles)\n    - more %% -> change([two].cycles, base.cycles)\n"
    "  machines:\n    - change -> ratio(own.cycles, base.cycles)\n    - all -> sum_of(own.cycles)\n    - bits -> own.fence_warp\n"
    "  wrong:\n    - x -> base.nothing\n  writes:\n    - x -> load_extension('x')\n";

static void put(const char *id, const char *text)
{
	static const char *const launches[] = {"a", "b", "c"}, *const machines[] = {"m0", "m1", "m2", "m3"};
	hd_machine machine;
	hd_machine_default(&machine);
	hd_store_put_study(&store, id, id, NULL, text, 1);
	for (unsigned l = 0; l < 3; l++)
		hd_store_put_launch(&store, &(hd_launch_row){launches[l], launches[l], l < 2 ? "regular" : "unstructured", "p", "i"});
	for (unsigned m = 0; m < 4; m++) {
		hd_store_put_machine(&store, &(hd_machine_row){.id = machines[m], .name = machines[m], .text = "", .machine = &machine});
		hd_store_put_point(&store, &(hd_point_row){id, m, machines[m], 1, "issue", m / 2, m / 2 ? "two" : "one"});
		hd_store_put_point(&store, &(hd_point_row){id, m, machines[m], 2, "vary", m % 2, m % 2 ? "1" : "0"});
		for (unsigned l = 0; l < 3; l++) {
			hd_run_row run = {
			    .machine = machines[m], .launch = launches[l], .status = m == 3 && l == 1 ? "trap" : "done", .measured = true};
			snprintf(run.id, sizeof run.id, "r%u%u", m, l);
			/* 100 and 200 cycles by machine, doubled for the second launch; half of them for the machines behind. */
			run.stats.run_cycles = (m < 2 ? 200u : 100u) * (l == 1 ? 4 : 1) + m % 2 * 100;
			run.stats.run_issued = 50;
			hd_store_put_run(&store, &run);
			hd_store_put_member(&store, id, m * 3 + l, machines[m], launches[l], run.id);
		}
	}
}

static int begin(void **state)
{
	hd_diag diag = {0};
	char rows[2000], means[2000];
	close(mkstemp(path));
	snprintf(rows, sizeof rows, study, "");
	snprintf(means, sizeof means, study, "average: [vary]\n");
	bool ok = hd_store_open(&store, path, HD_STORE_WRITE, &diag);
	put("rows", rows);
	put("means", means);
	hd_store_close(&store);
	return ok && hd_store_open(&store, path, HD_STORE_READ, &diag) ? 0 : 1;
}

static int end(void **state)
{
	hd_store_close(&store);
	return unlink(path);
}

static void expect(const char *name, const char *table, const char *expected)
{
	hd_text text = {0};
	hd_diag diag = {0};
	if (!hd_table_markdown(&store, name, table, &text, &diag))
		fail_msg("%s", diag.text.at);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
}

TEST(other_axes_are_rows)
{
	expect("rows", "speed",
	       "| example | vary | cycles | two | share % | more % |\n|---|--:|--:|--:|--:|--:|\n"
	       "| a | 0 | 200 | 2.000 | 50.0 | -50.0 |\n| b | 0 | 800 | 2.000 | 12.5 | -50.0 |\n| c | 0 | 200 | 2.000 | 50.0 | -50.0 |\n"
	       "| **regular, mean of 2** | 0 | | 2.000 | 31.2 | -50.0 |\n"
	       "| a | 1 | 300 | 1.500 | 25.0 | -33.3 |\n| b | 1 | 900 | - | - | - |\n| c | 1 | 300 | 1.500 | 25.0 | -33.3 |\n"
	       "| **regular, mean of 2** | 1 | | 1.500 | 25.0 | -33.3 |\n");
}

/* The mean of a ratio is geometric: of 250 / 150 and 850 / 400. A run that trapped is no part of a mean over machines. */
TEST(means_over_an_axis)
{
	expect("means", "speed",
	       "| example | cycles | two | share % | more % |\n|---|--:|--:|--:|--:|\n| a | 250 | 1.667 | 33.3 | -40.0 |\n| b | 850 | 2.125 | 12.5 | "
	       "-52.9 |\n"
	       "| c | 250 | 1.667 | 33.3 | -40.0 |\n| **regular, mean of 2** | | 1.882 | 22.9 | -46.5 |\n");
}

TEST(machines_are_rows)
{
	hd_machine machine;
	hd_state_bits bits;
	char expected[600];
	hd_machine_default(&machine);
	hd_state_bits_of(&machine, &bits);
	snprintf(expected, sizeof expected,
	         "| issue | change, regular | change, unstructured | all | bits |\n|---|--:|--:|--:|--:|\n| one | 1.000 | 1.000 | 1350 | %u |\n"
	         "| two | 0.531 | 0.600 | 700 | %u |\n",
	         bits.fence_warp, bits.fence_warp);
	expect("means", "machines", expected);
}

static void refuse(const char *name, const char *table, const char *message)
{
	hd_text text = {0};
	hd_diag diag = {0};
	assert_false(hd_table_markdown(&store, name, table, &text, &diag));
	if (!strstr(diag.text.at, message))
		fail_msg("%s, expected %s", diag.text.at, message);
	hd_diag_free(&diag);
	hd_text_free(&text);
}

TEST(what_is_no_table)
{
	refuse("rows", "none", "the study has no table none");
	refuse("nowhere", NULL, "has no study nowhere");
	refuse("rows", "wrong", "nothing");
	refuse("rows", "writes", "is no query");
}

TEST_AROUND(begin, end)
