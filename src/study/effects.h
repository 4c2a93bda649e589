/* ST-5: what a sheet says: the best machine of a launch, means, Pareto fronts, effects of axes. Means are geometric and never mix kinds of launches.
 * A value that is not known is NAN and counts nowhere. */
#ifndef HD_STUDY_EFFECTS_H
#define HD_STUDY_EFFECTS_H

#include "study/sheet.h"

enum { HD_CELLS_MAX = 1 << 16 };

/* The machine with the least value of a launch; of equal ones the one with the fewest state bits, then the first. -1: no run ended well. */
int hd_best_machine(const hd_sheet *sheet, unsigned figure, size_t launch);

/* A value for each machine: over the launches of a kind, the geometric mean of the ratio to the best machine of each launch, so 1 is a machine that
 * is best everywhere. A figure of machines is itself. NAN for a machine that lacks a run. Launches in which a machine has 0 are left out, and so
 * are those that ended well on no machine. The caller frees. */
double *hd_means(const hd_sheet *sheet, unsigned figure, unsigned kind);

/* Marks in `front` (a flag a machine) the machines that no other machine beats: none is as good in all of the n figures (at most 3) and better in
 * one. values[i] has a value for each machine. Of machines with equal values the first is in the front. The time is that of sorting. */
void hd_pareto(const double *const *values, unsigned n, size_t machines, bool *front);

/* The main effect of an axis: for each of its values the geometric mean of `means` over the machines that have it. The caller frees. */
double *hd_main_effect(const hd_sheet *sheet, const double *means, size_t axis);
/* For each pair of values of two axes, by the first axis, the geometric mean over the machines that have both; NAN: there is none. The caller frees.
 */
double *hd_cell_means(const hd_sheet *sheet, const double *means, size_t axis, size_t other);
/* How far the worst cell of two axes is from the product of their main effects, as a ratio minus 1: 0 = the axes do not interact. NAN: unknown,
 * or more than HD_CELLS_MAX cells. */
double hd_interaction(const hd_sheet *sheet, const double *means, size_t axis, size_t other);

#endif
