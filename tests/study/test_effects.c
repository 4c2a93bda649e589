/* ST-5: best machines, means by kind, Pareto fronts, main effects and interactions, on a sheet whose values are known. */
#include "study/effects.h"

#include <math.h>

#include "../test.h"

enum { MACHINES = 4, LAUNCHES = 3 };

/* Two axes of two values. Launches 0 and 1 are of kind 0, launch 2 of kind 1. Figure 0 is cycles, 1 state_bits, 2 area. */
static hd_sheet_machine machines[MACHINES] = {
    {"a0 b0", (int[]){0, 0}, 10, 1}, {"a0 b1", (int[]){0, 1}, 20, 2}, {"a1 b0", (int[]){1, 0}, 30, 3}, {"a1 b1", (int[]){1, 1}, 40, 4}};
static hd_sheet_launch launches[LAUNCHES] = {{"x", 0}, {"y", 0}, {"z", 1}};
static char *values[2] = {"0", "1"}, *kinds[2] = {"regular", "unstructured"}, *figures[3] = {"cycles", "state_bits", "area"};
static hd_sheet_axis axes[2] = {{"a", {values, 2, 2}}, {"b", {values, 2, 2}}};
static double cells[3][MACHINES][LAUNCHES];

static hd_sheet sheet(void)
{
	static const double cycles[MACHINES][LAUNCHES] = {{400, 80, 7}, {200, 40, 7}, {200, 40, 5}, {100, 20, 5}};
	for (size_t m = 0; m < MACHINES; m++) {
		for (size_t l = 0; l < LAUNCHES; l++) {
			cells[0][m][l] = cycles[m][l];
			cells[1][m][l] = machines[m].state_bits;
			cells[2][m][l] = machines[m].area;
		}
	}
	return (hd_sheet){.machines = {machines, MACHINES, MACHINES},
	                  .launches = {launches, LAUNCHES, LAUNCHES},
	                  .axes = {axes, 2, 2},
	                  .kinds = {kinds, 2, 2},
	                  .figures = {figures, 3, 3},
	                  .cells = &cells[0][0][0]};
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%.12g, expected %.12g", value, expected);
}

TEST(the_best_machine)
{
	hd_sheet s = sheet();
	assert_int_equal(hd_best_machine(&s, 0, 0), 3);
	/* Of equal ones the one with the fewest bits. */
	assert_int_equal(hd_best_machine(&s, 0, 2), 2);
	machines[2].state_bits = 99;
	assert_int_equal(hd_best_machine(&s, 0, 2), 3);
	machines[2].state_bits = 30;
	for (size_t m = 0; m < MACHINES; m++)
		cells[0][m][1] = NAN;
	assert_int_equal(hd_best_machine(&s, 0, 1), -1);
}

TEST(means_by_kind)
{
	hd_sheet s = sheet();
	double *regular = hd_means(&s, 0, 0), *other = hd_means(&s, 0, 1), *bits = hd_means(&s, 1, 0), *area = hd_means(&s, 2, 1);
	const double expected[] = {4, 2, 2, 1}, expected_other[] = {1.4, 1.4, 1, 1};
	for (size_t m = 0; m < MACHINES; m++) {
		near(regular[m], expected[m]);
		near(other[m], expected_other[m]);
		near(bits[m], machines[m].state_bits);
		near(area[m], machines[m].area);
	}
	free(regular);
	free(other);
	free(bits);
	free(area);
	/* A run that is missing: the machine has no mean in this kind alone. Zeros leave their launch out. */
	cells[0][1][0] = NAN;
	regular = hd_means(&s, 0, 0);
	other = hd_means(&s, 0, 1);
	assert_true(isnan(regular[1]) && !isnan(other[1]));
	near(regular[0], 4);
	free(regular);
	free(other);
	cells[0][3][1] = 0;
	regular = hd_means(&s, 0, 0);
	near(regular[0], 4);
	near(regular[2], 2);
	free(regular);
	/* A launch that ended well nowhere takes no mean away from the others. */
	s = sheet();
	for (size_t m = 0; m < MACHINES; m++)
		cells[0][m][1] = NAN;
	cells[0][1][0] = NAN;
	regular = hd_means(&s, 0, 0);
	near(regular[0], 4);
	assert_true(isnan(regular[1]));
	near(regular[2], 2);
	free(regular);
	for (size_t m = 0; m < MACHINES; m++)
		cells[0][m][0] = NAN;
	regular = hd_means(&s, 0, 0);
	for (size_t m = 0; m < MACHINES; m++)
		assert_true(isnan(regular[m]));
	free(regular);
}

TEST(fronts)
{
	const double a[] = {1, 2, 3, 2, NAN, 1}, b[] = {9, 5, 5, 4, 0, 9}, c[] = {5, 5, 1, 5, 0, 5};
	const bool two[] = {true, false, false, true, false, false}, three[] = {true, false, true, true, false, false};
	bool front[6];
	hd_pareto((const double *const[]){a, b}, 2, 6, front);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(front[i], two[i]);
	hd_pareto((const double *const[]){a, b, c}, 3, 6, front);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(front[i], three[i]);
}

/* Whether machine a makes machine b superfluous. */
static bool beats(const double *const *figure, unsigned n, size_t a, size_t b)
{
	bool better = a < b;
	for (unsigned i = 0; i < n; i++) {
		if (!(figure[i][a] <= figure[i][b]))
			return false;
		better = better || figure[i][a] < figure[i][b];
	}
	return better;
}

/* Few different values make many ties and equal machines; some values are unknown, or beyond all others. */
TEST(fronts_as_by_definition)
{
	enum { MOST = 60, ROUNDS = 400 };
	double figure[3][MOST];
	bool front[MOST];
	uint64_t seed = 5;
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t n = hd_random(&seed) % (MOST + 1);
		unsigned count = 1 + round % 3, different = round % 4 ? 2 + round % 9 : 1000000;
		for (size_t m = 0; m < n; m++) {
			for (unsigned i = 0; i < 3; i++) {
				double value = (double)(hd_random(&seed) % different) - 1;
				figure[i][m] = hd_random(&seed) % 16 ? value : hd_random(&seed) % 2 ? (double)NAN : (double)INFINITY;
			}
		}
		const double *const all[] = {figure[0], figure[1], figure[2]};
		hd_pareto(all, count, n, front);
		for (size_t m = 0; m < n; m++) {
			bool expected = true;
			for (unsigned i = 0; i < count; i++)
				expected = expected && !isnan(figure[i][m]);
			for (size_t k = 0; k < n; k++)
				expected = expected && (k == m || !beats(all, count, k, m));
			if (front[m] != expected)
				fail_msg("round %u, machine %zu of %zu, %u figures: %d, expected %d", round, m, n, count, front[m], expected);
		}
	}
}

TEST(effects_of_axes)
{
	hd_sheet s = sheet();
	double *means = hd_means(&s, 0, 0), *a = hd_main_effect(&s, means, 0), *b = hd_main_effect(&s, means, 1);
	near(a[0], sqrt(8));
	near(a[1], sqrt(2));
	near(b[0], sqrt(8));
	near(b[1], sqrt(2));
	double *both = hd_cell_means(&s, means, 0, 1);
	for (size_t i = 0; i < 4; i++)
		near(both[i], means[i]);
	free(both);
	/* Two factors of 2 multiply: the axes do not interact. */
	near(hd_interaction(&s, means, 0, 1), 0);
	free(a);
	free(b);
	means[3] = 4;
	/* Logarithms 2 1 1 2: main effects 1.5 each, mean 1.5, so each cell is off by 0.5. */
	near(hd_interaction(&s, means, 0, 1), sqrt(2) - 1);
	/* A value that no machine has, and a sheet without means. */
	machines[3].value = (int[]){-1, 1};
	means[3] = 1;
	both = hd_cell_means(&s, means, 0, 1);
	assert_true(isnan(both[3]));
	near(both[2], means[2]);
	free(both);
	a = hd_main_effect(&s, means, 0);
	near(a[1], means[2]);
	free(a);
	means[1] = NAN;
	a = hd_main_effect(&s, means, 0);
	near(a[0], means[0]);
	free(a);
	means[1] = 2;
	machines[3].value = (int[]){1, 1};
	for (size_t m = 0; m < MACHINES; m++)
		means[m] = NAN;
	assert_true(isnan(hd_interaction(&s, means, 0, 1)));
	free(means);
}
