/* Comparisons of machines: bases, ratios and means. */
#include "../test.h"
#include <jansson.h>

#include "report/comparison.h"

static hd_compared results[2][4];

static hd_comparison fill(bool ablation)
{
	static const uint64_t cycles[2][4] = {{100, 200, 400, 100}, {100, 50, 100, 400}};
	static const char *const machines[] = {"a", "b", "c", "d"};
	for (unsigned l = 0; l < 2; l++)
		for (unsigned m = 0; m < 4; m++) {
			results[l][m] = (hd_compared){
			    .launch = "l", .kernel = "k", .symbol = "_Z1k", .machine = machines[m], .result = "done", .outputs = HD_OUTPUTS_SAME};
			results[l][m].stats.run_cycles = cycles[l][m];
		}
	return (hd_comparison){.at = results[0], .n_launches = 2, .n_machines = 4, .ablation = ablation};
}

TEST(results_are_found_by_launch_and_machine)
{
	hd_comparison c = fill(false);
	assert_ptr_equal(hd_compared_of(&c, 1, 2), &results[1][2]);
	results[1][3].stats.stall_fetch = 5;
	for (unsigned i = 0; i < hd_compared_row_count; i++) {
		bool fetch = strcmp(hd_compared_rows[i].name, "stall.fetch") == 0,
		     time = strstr(hd_compared_rows[i].name, "cycles") == hd_compared_rows[i].name;
		assert_int_equal(hd_compared_value(&results[1][3], &hd_compared_rows[i]) == 5, fetch);
		assert_int_equal(hd_compared_any(&c, 1, &hd_compared_rows[i]), fetch || time || strcmp(hd_compared_rows[i].name, "run.cycles") == 0);
	}
}

TEST(ratios_are_to_the_base_of_the_half)
{
	hd_comparison c = fill(false);
	assert_int_equal(hd_compared_base(&c, 3), 0);
	c.ablation = true;
	assert_int_equal(hd_compared_base(&c, 1), 0);
	assert_int_equal(hd_compared_base(&c, 2), 2);
	assert_int_equal(hd_compared_base(&c, 3), 2);
}

static bool near_to(double got, double expected) { return got > expected - 1e-9 && got < expected + 1e-9; }

TEST(means_are_geometric_over_runs_that_ended)
{
	hd_comparison c = fill(false);
	assert_true(near_to(hd_compared_mean(&c, 1), 1.0)); /* 2 and 1/2 */
	assert_true(near_to(hd_compared_mean(&c, 2), 2.0)); /* 4 and 1 */
	c.ablation = true;
	assert_true(near_to(hd_compared_mean(&c, 3), 1.0)); /* 1/4 and 4, to machine c */
	c.ablation = false;
	results[1][1].result = "cycle_limit";
	assert_true(near_to(hd_compared_mean(&c, 1), 2.0));
	results[0][0].stats.run_cycles = 0;
	assert_true(near_to(hd_compared_mean(&c, 1), 0.0));
}

/* The uncertainty of an energy, and that of the ratio of energies, are in every table for people and in JSON. */
TEST(energies_have_their_uncertainty)
{
	hd_comparison c = fill(false);
	hd_text text = {0}, json = {0}, csv = {0};
	for (unsigned m = 0; m < 4; m++) {
		results[0][m].energy_pj = 1000 * (m + 1);
		results[0][m].energy_uncertainty_pj = 100 * (m + 1);
		results[0][m].energy_order_pj = 10 * (m + 1); /* HZ-38 */
		results[0][m].energy_ratio_uncertainty = 0.125 * m;
	}
	hd_comparison_text(&c, &text);
	hd_comparison_json(&c, &json);
	hd_comparison_csv(&c, &csv);
	char *line = strstr(text.at, "energy ratio, uncertainty");
	assert_non_null(line);
	*strchr(line, '\n') = 0;
	assert_true(strstr(line, " 0.125 ") && strstr(line, " 0.250 ") && strstr(line, " 0.375"));
	line = strstr(line + strlen(line) + 1, "result, outputs");
	assert_non_null(line);
	*strchr(line, '\n') = 0;
	assert_non_null(strstr(line, hd_compared_outputs(results[0][1].outputs)));
	json_t *root = json_loads(json.at, 0, NULL);
	json_t *machines = json_object_get(json_array_get(json_object_get(root, "launches"), 0), "machines");
	for (unsigned m = 0; m < 4; m++) {
		json_t *machine = json_array_get(machines, m);
		assert_int_equal(json_integer_value(json_object_get(machine, "energy_uncertainty_pj")), 100 * (m + 1));
		assert_int_equal(json_integer_value(json_object_get(machine, "energy_order_pj")), 10 * (m + 1));
		assert_true(near_to(json_real_value(json_object_get(machine, "energy_ratio_uncertainty")), 0.125 * m));
	}
	assert_non_null(strstr(csv.at, "energy_uncertainty_pj"));
	json_decref(root);
	hd_text_free(&text);
	hd_text_free(&json);
	hd_text_free(&csv);
}

TEST(a_ratio_to_nothing_is_a_dash)
{
	char text[24];
	assert_string_equal(hd_compared_ratio(1, 3, text), "0.333");
	assert_string_equal(hd_compared_ratio(0, 3, text), "0.000");
	assert_string_equal(hd_compared_ratio(3, 0, text), "-");
}
