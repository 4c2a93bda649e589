/* ST-5: plots as SVG, with the colours of the page's style (page.c), so that they are right in light and in dark. A value that is NAN is not drawn.
 */
#ifndef HD_STUDY_PLOT_H
#define HD_STUDY_PLOT_H

#include "base/base.h"

enum { HD_PLOT_SERIES_MAX = 8 };

/* An axis of a plot: its ends, and the distance of two marks. */
typedef struct hd_scale {
	double low, high, step;
} hd_scale;
/* A scale with round marks for values between the two. Equal values, and none (NAN), get a scale, too. */
hd_scale hd_scale_for(double low, double high);

/* A value for people: 1.034, 45,654, 2.1M. */
void hd_plot_number(hd_text *out, double value);

typedef struct hd_points_plot {
	const char *x_name, *y_name, *z_name; /* z_name NULL: two figures */
	const double *x, *y, *z;              /* n values each; z is shown by the size of the point */
	const bool *front;                    /* the points of the front are marked, and joined if there is no z */
	const char *const *names;             /* shown when a pointer is over the point */
	size_t n;
} hd_points_plot;
void hd_plot_points(const hd_points_plot *plot, hd_text *out);

/* Lines over the values of an axis. */
typedef struct hd_lines_plot {
	const char *name; /* of the axis */
	const char *const *values;
	size_t n;
	const char *series[HD_PLOT_SERIES_MAX];
	const double *y[HD_PLOT_SERIES_MAX]; /* n values each */
	unsigned n_series;
	hd_scale scale; /* one for all plots of a page, so that they can be compared */
} hd_lines_plot;
void hd_plot_lines(const hd_lines_plot *plot, hd_text *out);

/* A field of cells: rows by columns. */
typedef struct hd_heat_plot {
	const char *x_name, *y_name;
	const char *const *columns, *const *rows;
	size_t n_columns, n_rows;
	const double *cells; /* by row */
} hd_heat_plot;
void hd_plot_heat(const hd_heat_plot *plot, hd_text *out);

#endif
