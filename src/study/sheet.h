/* ST-5: the results of one study as a sheet: machines by launches, with a few figures of each run. */
#ifndef HD_STUDY_SHEET_H
#define HD_STUDY_SHEET_H

#include "study/store.h"

/* A numeric axis with more values than HD_SHEET_VALUES has groups of them in a sheet: at most HD_SHEET_GROUPS. */
enum { HD_FIGURES_MAX = 4, HD_SHEET_KINDS = 8, HD_SHEET_VALUES = 16, HD_SHEET_GROUPS = 8 };

typedef struct hd_sheet_machine {
	char *name;
	int *value;        /* of each axis; -1 = none */
	double state_bits; /* NAN: unknown, as below */
	double area;
} hd_sheet_machine;

typedef struct hd_sheet_launch {
	char *name;
	unsigned kind; /* index of sheet->kinds */
} hd_sheet_launch;

typedef struct hd_sheet_axis {
	char *name;
	HD_VEC(char *) values;
} hd_sheet_axis;

typedef struct hd_sheet {
	char *study, *id;
	HD_VEC(hd_sheet_machine) machines;
	HD_VEC(hd_sheet_launch) launches;
	HD_VEC(hd_sheet_axis) axes;
	HD_VEC(char *) kinds;
	HD_VEC(char *) figures; /* columns of `run`, or state_bits and area */
	double *cells;          /* [figure][machine][launch]; NAN: the run did not end well */
	uint64_t runs, done, missing;
} hd_sheet;

/* Loads the study of this name, or whose id begins so; NULL: the last one. The sheet has the figures in `figures` (n of them): "cycles", "energy",
 * "state_bits", "area", or a column of `run`. False and an error in diag. */
bool hd_sheet_load(hd_sheet *sheet, hd_store *store, const char *name, const char *const *figures, unsigned n, hd_diag *diag);
void hd_sheet_free(hd_sheet *sheet);

static inline double hd_sheet_cell(const hd_sheet *sheet, unsigned figure, size_t machine, size_t launch)
{
	return sheet->cells[(figure * sheet->machines.n + machine) * sheet->launches.n + launch];
}
/* True when the figure is one of a machine and not of a run. */
bool hd_sheet_of_machine(const hd_sheet *sheet, unsigned figure);

#endif
