#include "study/effects.h"

#include <math.h>

int hd_best_machine(const hd_sheet *sheet, unsigned figure, size_t launch)
{
	int best = -1;
	for (size_t m = 0; m < sheet->machines.n; m++) {
		double value = hd_sheet_cell(sheet, figure, m, launch);
		if (isnan(value))
			continue;
		double least = best < 0 ? INFINITY : hd_sheet_cell(sheet, figure, (size_t)best, launch);
		bool fewer = best >= 0 && value == least && sheet->machines.at[m].state_bits < sheet->machines.at[best].state_bits;
		if (value < least || fewer)
			best = (int)m;
	}
	return best;
}

/* A launch counts if its best machine has a value above 0. */
static double mean_of(const hd_sheet *sheet, unsigned figure, unsigned kind, size_t machine, const double *best)
{
	double sum = 0;
	unsigned n = 0;
	for (size_t l = 0; l < sheet->launches.n; l++) {
		double value = hd_sheet_cell(sheet, figure, machine, l);
		if (sheet->launches.at[l].kind != kind)
			continue;
		if (isnan(value))
			return (double)NAN;
		if (!(best[l] > 0))
			continue;
		sum += log(value / best[l]);
		n++;
	}
	return n ? exp(sum / n) : (double)NAN;
}

double *hd_means(const hd_sheet *sheet, unsigned figure, unsigned kind)
{
	double *means = hd_xcalloc(sheet->machines.n + 1, sizeof *means), *best = hd_xcalloc(sheet->launches.n + 1, sizeof *best);
	for (size_t l = 0; l < sheet->launches.n; l++) {
		int machine = hd_best_machine(sheet, figure, l);
		best[l] = machine < 0 ? (double)NAN : hd_sheet_cell(sheet, figure, (size_t)machine, l);
	}
	for (size_t m = 0; m < sheet->machines.n; m++) {
		const hd_sheet_machine *machine = &sheet->machines.at[m];
		means[m] = !hd_sheet_of_machine(sheet, figure)                    ? mean_of(sheet, figure, kind, m, best)
		           : strcmp(sheet->figures.at[figure], "state_bits") == 0 ? machine->state_bits
		                                                                  : machine->area;
	}
	free(best);
	return means;
}

/* Whether machine a makes machine b superfluous. */
static bool beats(const double *const *values, unsigned n, size_t a, size_t b)
{
	bool better = a < b; /* of equal ones the first */
	for (unsigned i = 0; i < n; i++) {
		if (!(values[i][a] <= values[i][b]))
			return false;
		better = better || values[i][a] < values[i][b];
	}
	return better;
}

void hd_pareto(const double *const *values, unsigned n, size_t machines, bool *front)
{
	for (size_t m = 0; m < machines; m++) {
		front[m] = true;
		for (unsigned i = 0; i < n; i++)
			front[m] = front[m] && !isnan(values[i][m]);
		for (size_t k = 0; front[m] && k < machines; k++)
			front[m] = k == m || !beats(values, n, k, m);
	}
}

double *hd_main_effect(const hd_sheet *sheet, const double *means, size_t axis)
{
	double *effect = hd_xcalloc(sheet->axes.at[axis].values.n + 1, sizeof *effect);
	for (size_t v = 0; v < sheet->axes.at[axis].values.n; v++)
		effect[v] = hd_cell_mean(sheet, means, axis, v, axis, v);
	return effect;
}

double hd_cell_mean(const hd_sheet *sheet, const double *means, size_t axis, size_t value, size_t other, size_t other_value)
{
	double sum = 0;
	unsigned n = 0;
	for (size_t m = 0; m < sheet->machines.n; m++) {
		const int *values = sheet->machines.at[m].value;
		if (values[axis] != (int)value || values[other] != (int)other_value || !(means[m] > 0))
			continue;
		sum += log(means[m]);
		n++;
	}
	return n ? exp(sum / n) : (double)NAN;
}

double hd_interaction(const hd_sheet *sheet, const double *means, size_t axis, size_t other)
{
	double all = 0, worst = (double)NAN;
	unsigned n = 0;
	for (size_t m = 0; m < sheet->machines.n; m++) {
		all += means[m] > 0 ? log(means[m]) : 0;
		n += means[m] > 0;
	}
	if (!n)
		return worst;
	double *a = hd_main_effect(sheet, means, axis), *b = hd_main_effect(sheet, means, other);
	for (size_t i = 0; i < sheet->axes.at[axis].values.n; i++) {
		for (size_t k = 0; k < sheet->axes.at[other].values.n; k++) {
			double distance = fabs(log(hd_cell_mean(sheet, means, axis, i, other, k)) - log(a[i]) - log(b[k]) + all / n);
			if (!isnan(distance) && !(distance <= worst))
				worst = distance;
		}
	}
	free(a);
	free(b);
	return isnan(worst) ? worst : exp(worst) - 1;
}
