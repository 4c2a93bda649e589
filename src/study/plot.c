#include "study/plot.h"

#include "report/html/page.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 360, LEFT = 88, RIGHT = 30, TOP = 14, BOTTOM = 52, SMALL_WIDTH = 320, SMALL_HEIGHT = 220, CELL_HEIGHT = 34 };

hd_scale hd_scale_for(double low, double high)
{
	if (!isfinite(low) || !isfinite(high))
		return (hd_scale){0, 1, 0.25};
	if (low >= high) {
		double around = low != 0 ? fabs(low) * 0.1 : 1;
		low -= around;
		high = low + 2 * around;
	}
	double raw = (high - low) / 4, power = pow(10, floor(log10(raw))), part = raw / power;
	double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
	return (hd_scale){floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step};
}

void hd_plot_number(hd_text *out, double value)
{
	char digits[32];
	if (isnan(value))
		hd_text_printf(out, "-");
	else if (fabs(value) >= 1e7)
		hd_text_printf(out, "%.4g", value);
	else if (fabs(value) >= 1000)
		hd_text_printf(out, "%s%s", value < 0 ? "-" : "", hd_grouped_digits((uint64_t)llround(fabs(value)), digits));
	else if (value == floor(value) && (fabs(value) >= 10 || value == 0))
		hd_text_printf(out, "%.0f", value);
	else
		hd_text_printf(out, "%.3f", value);
}

static void put_mark(hd_text *out, double value, double step)
{
	char digits[32];
	if (fabs(value) >= 1000 && fabs(value) < 1e7)
		hd_text_printf(out, "%s%s", value < 0 ? "-" : "", hd_grouped_digits((uint64_t)llround(fabs(value)), digits));
	else if (fabs(value) >= 1e7)
		hd_text_printf(out, "%.3g", value);
	else
		hd_text_printf(out, "%.*f", step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9), value);
}

/* The frame of a plot: from values to places. */
typedef struct frame {
	double width, height, left;
	hd_scale x, y;
	bool logarithmic; /* x: the ends of the scale are logarithms to base 10 */
} frame;

static double place_x(const frame *f, double value)
{
	value = f->logarithmic ? log10(value) : value;
	return f->left + (value - f->x.low) / (f->x.high - f->x.low) * (f->width - f->left - RIGHT);
}
static double place_y(const frame *f, double value)
{
	return f->height - BOTTOM - (value - f->y.low) / (f->y.high - f->y.low) * (f->height - TOP - BOTTOM);
}

static void begin(const frame *f, const char *label, hd_text *out)
{
	hd_text_printf(out, "<svg class=\"plot%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", f->width < WIDTH ? " small" : "", f->width,
	               f->height);
	hd_page_escape(out, label);
	hd_text_printf(out, "\">");
}

static void marks_y(const frame *f, const char *name, hd_text *out)
{
	for (double at = f->y.low; at <= f->y.high + f->y.step / 2; at += f->y.step) {
		double y = place_y(f, at);
		hd_text_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
		               f->left, y, f->width - RIGHT, f->left - 6, y + 4);
		put_mark(out, at, f->y.step);
		hd_text_printf(out, "</text>");
	}
	if (!name)
		return;
	double middle = (f->height - BOTTOM + TOP) / 2;
	hd_text_printf(out, "<text class=\"name\" x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">", middle, middle);
	hd_page_escape(out, name);
	hd_text_printf(out, "</text>");
}

static void name_x(const frame *f, const char *name, hd_text *out)
{
	hd_text_printf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (f->left + f->width - RIGHT) / 2, f->height - 10);
	hd_page_escape(out, name);
	hd_text_printf(out, "</text>");
}

static void widen(double value, double *low, double *high)
{
	if (isnan(value))
		return;
	if (!(*low <= value))
		*low = value;
	if (!(*high >= value))
		*high = value;
}

/* The radius of a point: the figure z from the least (3) to the most (9). */
static double radius(const hd_points_plot *p, size_t i, double low, double high)
{
	if (!p->z)
		return p->front[i] ? 5 : 3.5;
	return high > low ? 3 + 6 * (p->z[i] - low) / (high - low) : 4;
}

static void points(const hd_points_plot *p, const frame *f, bool front, hd_text *out)
{
	double low = (double)NAN, high = (double)NAN;
	for (size_t i = 0; p->z && i < p->n; i++)
		widen(p->z[i], &low, &high);
	for (size_t i = 0; i < p->n; i++) {
		if (p->front[i] != front || isnan(p->x[i]) || isnan(p->y[i]))
			continue;
		hd_text_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>", front ? "front" : "point", place_x(f, p->x[i]),
		               place_y(f, p->y[i]), radius(p, i, low, high));
		hd_page_escape(out, p->names[i]);
		hd_text_printf(out, "\n");
		const double values[] = {p->y[i], p->x[i], p->z ? p->z[i] : 0};
		const char *const names[] = {p->y_name, p->x_name, p->z_name};
		for (unsigned k = 0; k < (p->z ? 3 : 2); k++) {
			hd_text_printf(out, "%s%s ", k ? ", " : "", names[k]);
			hd_plot_number(out, values[k]);
		}
		hd_text_printf(out, "</title></circle>\n");
	}
}

/* A point of a front, with its number. */
typedef struct corner {
	double x;
	size_t at;
} corner;

static int by_x(const void *a, const void *b)
{
	const corner *one = a, *other = b;
	if (one->x != other->x)
		return one->x < other->x ? -1 : 1;
	return one->at < other->at ? -1 : 1;
}

/* Joins the points of a front of two figures by steps: each point is the best up to the next one. */
static void steps(const hd_points_plot *p, const frame *f, hd_text *out)
{
	corner *corners = hd_xcalloc(p->n + 1, sizeof *corners);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (p->front[i])
			corners[n++] = (corner){p->x[i], i};
	qsort(corners, n, sizeof *corners, by_x);
	hd_text_printf(out, "<path class=\"steps\" d=\"");
	for (size_t i = 0; i < n; i++) {
		double x = place_x(f, corners[i].x), y = place_y(f, p->y[corners[i].at]);
		hd_text_printf(out, i ? "H%.1fV%.1f" : "M%.1f %.1f", x, y);
	}
	hd_text_printf(out, n ? "H%.1f\"/>" : "M0 0\"/>", f->width - RIGHT);
	free(corners);
}

static void mark_x(const frame *f, double at, double step, hd_text *out)
{
	hd_text_printf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", place_x(f, at), HEIGHT - BOTTOM + 18);
	put_mark(out, at, step);
	hd_text_printf(out, "</text>");
}

/* Marks at 1, 2 and 5 times the powers of ten. */
static void marks_logarithmic(const frame *f, hd_text *out)
{
	static const double parts[] = {1, 2, 5};
	for (double power = floor(f->x.low); power <= f->x.high; power++) {
		for (size_t i = 0; i < HD_COUNT(parts); i++) {
			double at = parts[i] * pow(10, power);
			if (log10(at) >= f->x.low && log10(at) <= f->x.high)
				mark_x(f, at, at < 1 ? at : 1, out);
		}
	}
}

void hd_plot_points(const hd_points_plot *p, hd_text *out)
{
	double low[2] = {(double)NAN, (double)NAN}, high[2] = {(double)NAN, (double)NAN};
	for (size_t i = 0; i < p->n; i++) {
		if (isnan(p->x[i]) || isnan(p->y[i]))
			continue;
		widen(p->x[i], &low[0], &high[0]);
		widen(p->y[i], &low[1], &high[1]);
	}
	frame f = {WIDTH, HEIGHT, LEFT, hd_scale_for(low[0], high[0]), hd_scale_for(low[1], high[1]), false};
	/* Machines differ by orders of magnitude in their bits: the small ones would be one point. */
	f.logarithmic = low[0] > 0 && high[0] > 20 * low[0];
	if (f.logarithmic)
		f.x = (hd_scale){log10(low[0]) - 0.05, log10(high[0]) + 0.05, 1};
	hd_text_printf(out, "<div class=\"scroll\">");
	begin(&f, p->z_name ? "Pareto front of three figures" : "Pareto front", out);
	marks_y(&f, p->y_name, out);
	if (f.logarithmic)
		marks_logarithmic(&f, out);
	for (double at = f.x.low; !f.logarithmic && at <= f.x.high + f.x.step / 2; at += f.x.step)
		mark_x(&f, at, f.x.step, out);
	name_x(&f, p->x_name, out);
	if (!p->z)
		steps(p, &f, out);
	points(p, &f, false, out);
	points(p, &f, true, out);
	hd_text_printf(out, "</svg></div>\n");
}

/* -- lines ------------------------------------------------------------------------------------------------------------------------------------ */

static void line(const hd_lines_plot *p, const frame *f, unsigned series, hd_text *out)
{
	const double *y = p->y[series];
	bool drawn = false;
	hd_text_printf(out, "<path class=\"line s%u\" d=\"", series);
	for (size_t i = 0; i < p->n; i++) {
		if (!isnan(y[i]))
			hd_text_printf(out, "%s%.1f %.1f", drawn ? "L" : "M", place_x(f, (double)i), place_y(f, y[i]));
		drawn = drawn || !isnan(y[i]);
	}
	hd_text_printf(out, drawn ? "\"/>" : "M0 0\"/>");
	for (size_t i = 0; i < p->n; i++) {
		if (isnan(y[i]))
			continue;
		hd_text_printf(out, "<circle class=\"dot s%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", series, place_x(f, (double)i),
		               place_y(f, y[i]));
		hd_page_escape(out, p->series[series]);
		hd_text_printf(out, ", ");
		hd_page_escape(out, p->values[i]);
		hd_text_printf(out, ": ");
		hd_plot_number(out, y[i]);
		hd_text_printf(out, "</title></circle>\n");
	}
}

/* A text that is cut to what fits into a place of the plot. */
static void put_cut(hd_text *out, const char *text, size_t most)
{
	size_t n = strlen(text);
	char part[64];
	snprintf(part, sizeof part, n > most ? "%.*s…" : "%.*s", (int)(n > most ? most - 1 : n < 60 ? n : 60), text);
	hd_page_escape(out, part);
}

/* Few labels are cut to fit side by side, and of many each second, third and so on is shown, with at most *most characters. */
static size_t label_distance(const hd_lines_plot *p, size_t *most)
{
	enum { FEW = 6, ROOM = 38 /* characters */, LABEL_MAX = 12 };
	size_t longest = 1;
	for (size_t i = 0; i < p->n; i++)
		longest = strlen(p->values[i]) > longest ? strlen(p->values[i]) : longest;
	*most = p->n && p->n <= FEW ? (ROOM + 1) / p->n - 1 : LABEL_MAX;
	longest = longest < *most ? longest : *most;
	return (p->n * (longest + 1) + ROOM) / (ROOM + 1);
}

void hd_plot_lines(const hd_lines_plot *p, hd_text *out)
{
	frame f = {SMALL_WIDTH, SMALL_HEIGHT, 52, {-0.25, (double)p->n - 0.75, 1}, p->scale, false};
	size_t most, every = label_distance(p, &most);
	begin(&f, p->name, out);
	marks_y(&f, NULL, out);
	for (size_t i = 0; i < p->n; i += every) {
		hd_text_printf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", place_x(&f, (double)i),
		               SMALL_HEIGHT - BOTTOM + 18);
		put_cut(out, p->values[i], most);
		hd_text_printf(out, "</text>");
	}
	name_x(&f, p->name, out);
	for (unsigned s = 0; s < p->n_series; s++)
		line(p, &f, s, out);
	hd_text_printf(out, "</svg>\n");
}

/* -- cells ------------------------------------------------------------------------------------------------------------------------------------ */

typedef struct range {
	double low, high;
} range;

/* A colour between white-blue (least) and deep blue (most), by its lightness, so that it reads without colour, too. */
static void put_cell(double x, double y, double width, double value, range colours, hd_text *out)
{
	double part = colours.high > colours.low && !isnan(value) ? (value - colours.low) / (colours.high - colours.low) : 0;
	int red = (int)(236 - 212 * part), green = (int)(243 - 164 * part), blue = (int)(250 - 112 * part);
	if (isnan(value))
		hd_text_printf(out, "<rect class=\"none\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", x, y, width - 2, CELL_HEIGHT - 2);
	else
		hd_text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#%02x%02x%02x\"/>", x, y, width - 2,
		               CELL_HEIGHT - 2, red, green, blue);
	hd_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"%s>", x + width / 2 - 1, y + 21,
	               isnan(value)  ? " class=\"axis\""
	               : part > 0.55 ? " style=\"fill:#fff\""
	                             : " style=\"fill:#1a1a1a\"");
	if (width > 44 || isnan(value))
		hd_plot_number(out, value);
	hd_text_printf(out, "</text>\n");
}

void hd_plot_heat(const hd_heat_plot *p, hd_text *out)
{
	double low = (double)NAN, high = (double)NAN, left = 150, width = (WIDTH - left - RIGHT) / (double)p->n_columns;
	for (size_t i = 0; i < p->n_rows * p->n_columns; i++)
		widen(p->cells[i], &low, &high);
	/* Differences of less than 2 % are shown as such, not from white to black. */
	high = low > 0 && high < low * 1.02 ? low * 1.02 : high;
	frame f = {WIDTH, (double)(p->n_rows * CELL_HEIGHT + TOP + BOTTOM + 6), left, {0, 1, 1}, {0, 1, 1}, false};
	hd_text_printf(out, "<div class=\"scroll\">");
	begin(&f, "heat map", out);
	for (size_t r = 0; r < p->n_rows; r++) {
		double y = TOP + (double)r * CELL_HEIGHT;
		hd_text_printf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 8, y + 21);
		put_cut(out, p->rows[r], 14);
		hd_text_printf(out, "</text>");
		for (size_t c = 0; c < p->n_columns; c++)
			put_cell(left + (double)c * width, y, width, p->cells[r * p->n_columns + c], (range){low, high}, out);
	}
	for (size_t c = 0; c < p->n_columns; c++) {
		hd_text_printf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", left + ((double)c + 0.5) * width - 1,
		               f.height - BOTTOM + 12);
		put_cut(out, p->columns[c], (size_t)(width / 8) + 1);
		hd_text_printf(out, "</text>");
	}
	name_x(&f, p->x_name, out);
	double middle = (f.height - BOTTOM + TOP) / 2;
	hd_text_printf(out, "<text class=\"name\" x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">", middle, middle);
	put_cut(out, p->y_name, 4 + p->n_rows * 4);
	hd_text_printf(out, "</text></svg></div>\n");
}
