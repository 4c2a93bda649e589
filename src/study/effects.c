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

/* A launch counts if its best machine has a value above 0. One that ended well nowhere says nothing about machines. */
static double mean_of(const hd_sheet *sheet, unsigned figure, unsigned kind, size_t machine, const double *best)
{
	double sum = 0;
	unsigned n = 0;
	for (size_t l = 0; l < sheet->launches.n; l++) {
		double value = hd_sheet_cell(sheet, figure, machine, l);
		if (sheet->launches.at[l].kind != kind || isnan(best[l]))
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

enum { FRONT_FIGURES = 3 };

typedef struct candidate {
	double value[FRONT_FIGURES];
	size_t machine;
} candidate;

/* By the first figure, then the second, then the third; of equal ones the first machine. A machine is only beaten by machines before it. */
static int by_figures(const void *a, const void *b)
{
	const candidate *one = a, *other = b;
	for (unsigned i = 0; i < FRONT_FIGURES; i++)
		if (one->value[i] != other->value[i])
			return one->value[i] < other->value[i] ? -1 : 1;
	return one->machine < other->machine ? -1 : 1;
}

static int by_value(const void *a, const void *b)
{
	const double *one = a, *other = b;
	return (*one > *other) - (*one < *other);
}

/* How many of the sorted values are less. */
static size_t rank_of(const double *sorted, size_t n, double value)
{
	size_t low = 0;
	for (size_t high = n; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Machines come sorted by the first figure, so each meets all that could beat it before: it stays unless one of them is as good in the second and in
 * the third figure. `least` is a tree of prefix minima (NAN: none yet): of the third figure, by the rank of the second. */
static void mark_front(const candidate *sorted, const double *seconds, double *least, size_t n, bool *front)
{
	for (size_t c = 0; c < n; c++) {
		size_t rank = rank_of(seconds, n, sorted[c].value[1]) + 1;
		double third = sorted[c].value[2];
		bool beaten = false;
		for (size_t at = rank; at && !beaten; at &= at - 1)
			beaten = least[at] <= third;
		if (beaten)
			continue;
		front[sorted[c].machine] = true;
		for (size_t at = rank; at <= n; at += at & (~at + 1))
			least[at] = least[at] <= third ? least[at] : third;
	}
}

void hd_pareto(const double *const *values, unsigned n, size_t machines, bool *front)
{
	candidate *sorted = hd_xcalloc(machines + 1, sizeof *sorted);
	double *seconds = hd_xcalloc(machines + 1, sizeof *seconds), *least = hd_xcalloc(machines + 1, sizeof *least);
	size_t known = 0;
	for (size_t m = 0; m < machines; m++) {
		candidate c = {.machine = m};
		bool all = true;
		for (unsigned i = 0; i < n; i++) {
			c.value[i] = values[i][m];
			all = all && !isnan(c.value[i]);
		}
		front[m] = false;
		if (!all)
			continue;
		seconds[known] = c.value[1];
		sorted[known++] = c;
		least[known] = (double)NAN;
	}
	qsort(sorted, known, sizeof *sorted, by_figures);
	qsort(seconds, known, sizeof *seconds, by_value);
	mark_front(sorted, seconds, least, known, front);
	free(sorted);
	free(seconds);
	free(least);
}

double *hd_cell_means(const hd_sheet *sheet, const double *means, size_t axis, size_t other)
{
	size_t columns = sheet->axes.at[other].values.n, n = sheet->axes.at[axis].values.n * columns;
	double *sum = hd_xcalloc(n + 1, sizeof *sum);
	uint32_t *count = hd_xcalloc(n + 1, sizeof *count);
	for (size_t m = 0; m < sheet->machines.n; m++) {
		const int *values = sheet->machines.at[m].value;
		if (values[axis] < 0 || values[other] < 0 || !(means[m] > 0))
			continue;
		size_t cell = (size_t)values[axis] * columns + (size_t)values[other];
		sum[cell] += log(means[m]);
		count[cell]++;
	}
	for (size_t i = 0; i < n; i++)
		sum[i] = count[i] ? exp(sum[i] / count[i]) : (double)NAN;
	free(count);
	return sum;
}

double *hd_main_effect(const hd_sheet *sheet, const double *means, size_t axis)
{
	size_t n = sheet->axes.at[axis].values.n;
	double *sum = hd_xcalloc(n + 1, sizeof *sum);
	uint32_t *count = hd_xcalloc(n + 1, sizeof *count);
	for (size_t m = 0; m < sheet->machines.n; m++) {
		int value = sheet->machines.at[m].value[axis];
		if (value < 0 || !(means[m] > 0))
			continue;
		sum[value] += log(means[m]);
		count[value]++;
	}
	for (size_t i = 0; i < n; i++)
		sum[i] = count[i] ? exp(sum[i] / count[i]) : (double)NAN;
	free(count);
	return sum;
}

double hd_interaction(const hd_sheet *sheet, const double *means, size_t axis, size_t other)
{
	double all = 0, worst = (double)NAN;
	unsigned n = 0;
	for (size_t m = 0; m < sheet->machines.n; m++) {
		all += means[m] > 0 ? log(means[m]) : 0;
		n += means[m] > 0;
	}
	if (!n || sheet->axes.at[axis].values.n * sheet->axes.at[other].values.n > HD_CELLS_MAX)
		return worst;
	double *a = hd_main_effect(sheet, means, axis), *b = hd_main_effect(sheet, means, other);
	double *cells = hd_cell_means(sheet, means, axis, other);
	size_t columns = sheet->axes.at[other].values.n;
	for (size_t i = 0; i < sheet->axes.at[axis].values.n; i++) {
		for (size_t k = 0; k < columns; k++) {
			double distance = fabs(log(cells[i * columns + k]) - log(a[i]) - log(b[k]) + all / n);
			if (!isnan(distance) && !(distance <= worst))
				worst = distance;
		}
	}
	free(a);
	free(b);
	free(cells);
	return isnan(worst) ? worst : exp(worst) - 1;
}
