#include "report/html/html_roofline.h"

#include "report/html/page.h"

#include <math.h>

enum { NAMED = 12 /* points with a name */, LETTERS = 24 /* of a name in the picture */, LETTER = 7 /* its width */ };

/* Where a name stands: from left to right on a base line. */
typedef struct named_box {
	double left, right, y;
} named_box;

typedef struct names {
	named_box at[NAMED];
	unsigned n;
} names;

static const char *const level_colours[HD_LEVELS] = {
    [HD_LEVEL_SHARED] = "#76b7b2", [HD_LEVEL_L1] = "#59a14f", [HD_LEVEL_L2] = "#f28e2b", [HD_LEVEL_DRAM] = "#e15759"};

/* The places of a picture: its size, the frame in it, and the distance of lines of text. */
typedef struct places {
	int width, height, left, right, top, bottom, line;
} places;

static const places wide = {1010, 424, 70, 860, 14, 380, 14}, narrow = {480, 430, 46, 385, 14, 380, 16};

/* Powers of ten at the ends of both axes. */
typedef struct scale {
	const places *at;
	double x0, x1, y0, y1;
} scale;

static double x_of(const scale *s, double intensity)
{
	return s->at->left + (s->at->right - s->at->left) * (log10(intensity) - s->x0) / (s->x1 - s->x0);
}
static double y_of(const scale *s, double rate) { return s->at->bottom - (s->at->bottom - s->at->top) * (log10(rate) - s->y0) / (s->y1 - s->y0); }

static void widen(double *low, double *high, double value)
{
	if (value <= 0)
		return;
	*low = fmin(*low, floor(log10(value)));
	*high = fmax(*high, ceil(log10(value)));
}

static scale scale_of(const places *at, const hd_ceilings *c, const hd_roofline_point *points, size_t n)
{
	scale s = {at, -1, 2, 0, 1};
	for (unsigned i = 0; i < HD_PEAKS; i++)
		widen(&s.y0, &s.y1, c->operations[i]);
	for (size_t i = 0; i < n; i++) {
		widen(&s.y0, &s.y1, hd_roofline_rate(&points[i]));
		for (hd_level level = 0; level < HD_LEVELS; level++)
			widen(&s.x0, &s.x1, hd_roofline_intensity(&points[i], level));
	}
	return s;
}

static void grid(const scale *s, hd_text *out)
{
	const places *at = s->at;
	hd_text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n", at->left, at->top, at->right - at->left,
	               at->bottom - at->top);
	for (double power = s->x0; power <= s->x1; power++)
		hd_text_printf(out,
		               "<path d=\"M%.1f %dv4\" class=\"tick\"/><text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>",
		               x_of(s, pow(10, power)), at->bottom, x_of(s, pow(10, power)), at->bottom + 17, pow(10, power));
	for (double power = s->y0; power <= s->y1; power++)
		hd_text_printf(out, "<path d=\"M%d %.1fh-4\" class=\"tick\"/><text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>",
		               at->left, y_of(s, pow(10, power)), at->left - 7, y_of(s, pow(10, power)) + 4, pow(10, power));
	hd_text_printf(
	    out,
	    "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"end\">operations a byte</text><text class=\"axis\" x=\"%d\" y=\"%d\">operations "
	    "a cycle</text>\n",
	    at->right, at->bottom + 36, at->left + 6, at->top + 14);
}

/* Ceilings: levels as slopes up to the fastest pipe, pipes as level lines. */
static void ceilings(const scale *s, const hd_ceilings *c, hd_text *out)
{
	double peak = 0, left = pow(10, s->x0), right = pow(10, s->x1), floor_of = pow(10, s->y0), below = -100;
	for (unsigned i = 0; i < HD_PEAKS; i++)
		peak = fmax(peak, c->operations[i]);
	for (unsigned i = 0; i < HD_LEVELS; i++) {
		if (c->bytes[i] <= 0)
			continue;
		double from = fmax(left, floor_of / c->bytes[i]), to = fmin(right, peak / c->bytes[i]);
		if (from < to)
			hd_text_printf(out,
			               "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"2\" fill=\"none\"><title>%s: %.1f bytes a "
			               "cycle</title></path>\n",
			               x_of(s, from), y_of(s, from * c->bytes[i]), x_of(s, to), y_of(s, to * c->bytes[i]), level_colours[i],
			               hd_level_names[i], c->bytes[i]);
	}
	bool done[HD_PEAKS] = {false};
	for (unsigned turn = 0; turn < HD_PEAKS; turn++) {
		unsigned most = HD_PEAKS; /* of those that are left: names stand from above to below, none on another */
		for (unsigned i = 0; i < HD_PEAKS; i++)
			if (!done[i] && c->operations[i] > 0 && (most == HD_PEAKS || c->operations[i] > c->operations[most]))
				most = i;
		if (most == HD_PEAKS)
			break;
		double y = y_of(s, c->operations[most]);
		done[most] = true;
		below = fmax(below + s->at->line, y);
		hd_text_printf(out, "<path d=\"M%d %.1fH%d\" class=\"tick\" stroke-dasharray=\"%s\" fill=\"none\"/>", s->at->left, y, s->at->right,
		               turn ? "5 4" : "none");
		hd_text_printf(out, "<text class=\"axis\" x=\"%d\" y=\"%.1f\">%s %.1f</text>\n", s->at->right + 8, below + 4, hd_peak_names[most],
		               c->operations[most]);
	}
}

/* The highest base line up to `y` at which no other name stands between `left` and `right`. */
static double free_line(const scale *s, const names *placed, double left, double right, double y)
{
	for (unsigned i = 0; i < placed->n; i++) {
		const named_box *box = &placed->at[i];
		if (left < box->right && box->left < right && fabs(y - box->y) < s->at->line)
			return free_line(s, placed, left, right, box->y - s->at->line);
	}
	return y;
}

/* The name of a point at x, y, above its marks, which are in a row. */
static void name_of(const scale *s, const hd_roofline_point *p, double x, double y, double radius, names *placed, hd_text *out)
{
	size_t letters = strlen(p->name);
	bool left = 2 * x > s->at->left + s->at->right, cut = letters > LETTERS;
	hd_text name = {0};
	hd_text_printf(&name, "%.*s%s", LETTERS, p->name, cut ? "..." : "");
	double width = LETTER * (double)name.n, at = left ? x + radius : x - radius, from = left ? at - width : at;
	double line = free_line(s, placed, from, from + width, y - radius - 5);
	hd_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", at, line, left ? "end" : "start");
	hd_page_escape(out, name.at);
	hd_text_printf(out, "</text>");
	hd_text_free(&name);
	placed->at[placed->n++] = (named_box){from, from + width, line};
}

/* A mark for each level with traffic, so that one stands below the lowest roof. `placed`: names that stand already; NULL: it has none. */
static void point(const scale *s, const hd_roofline_point *p, names *placed, hd_text *out)
{
	double rate = hd_roofline_rate(p), radius = p->sum ? 7 : 4.5;
	for (hd_level level = HD_LEVELS; rate > 0 && level-- > 0;) {
		double intensity = hd_roofline_intensity(p, level);
		if (intensity <= 0)
			continue;
		double x = x_of(s, intensity), y = y_of(s, rate);
		bool full = level == HD_LEVEL_DRAM;
		hd_text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" fill=\"%s\"><title>", x, y, radius,
		               level_colours[level], full ? level_colours[level] : "none");
		hd_page_escape(out, p->name);
		hd_text_printf(out, ": %.3f operations a byte of %s, %.2f a cycle</title></circle>", intensity, hd_level_names[level], rate);
		if (placed && full)
			name_of(s, p, x, y, radius, placed, out);
	}
	hd_text_printf(out, "\n");
}

static void row(const hd_ceilings *c, const hd_roofline_point *p, hd_text *out)
{
	double rate = hd_roofline_rate(p);
	hd_level bound = hd_roofline_bound(c, p);
	hd_text_printf(out, "<tr><td>");
	hd_page_escape(out, p->name);
	hd_text_printf(out, "</td><td>%.2f</td>", rate);
	for (hd_level level = HD_LEVELS; level-- > 0;) {
		double roof = hd_roofline_roof(c, p, level);
		if (p->bytes[level])
			hd_text_printf(out, "<td>%.3f</td><td>%.1f&nbsp;%%</td>", hd_roofline_intensity(p, level), roof > 0 ? 100 * rate / roof : 0);
		else
			hd_text_printf(out, "<td></td><td></td>");
	}
	hd_text_printf(out, "<td class=\"left\">%s</td></tr>\n", bound == HD_LEVELS ? "pipes" : hd_level_names[bound]);
}

static void picture(const places *at, const hd_ceilings *c, const hd_roofline_point *points, size_t n, hd_text *out)
{
	scale s = scale_of(at, c, points, n);
	size_t sums = 0;
	grid(&s, out);
	ceilings(&s, c, out);
	for (size_t i = 0; i < n; i++)
		sums += points[i].sum;
	names placed = {.n = 0};
	for (size_t i = 0; i < n; i++)
		point(&s, &points[i], (sums ? points[i].sum && sums <= NAMED : n <= NAMED) ? &placed : NULL, out);
	hd_page_picture_end(out);
}

void hd_html_roofline(const hd_ceilings *c, const hd_roofline_point *points, size_t n, hd_text *out)
{
	hd_text_printf(
	    out, "<section class=\"keep\"><h2 id=\"roofline\">Roofline</h2>\n<p>Operations are lanes' parts of arithmetic instructions. The "
	         "ceilings are what micro-kernels reached on this machine. A point is full by bytes of DRAM, a ring by bytes of another level, "
	         "in its colour. The table has operations a byte of each level, and how much of the roof was reached.</p>\n<div class=\"wide\">");
	hd_page_picture(out, (unsigned)wide.width, (unsigned)wide.height, "roofline");
	picture(&wide, c, points, n, out);
	hd_text_printf(out, "</div>\n");
	hd_page_phone_picture(out, (unsigned)narrow.width, (unsigned)narrow.height, "roofline");
	picture(&narrow, c, points, n, out);
	hd_text_printf(out, "<p class=\"legend\">");
	for (unsigned i = 0; i < HD_LEVELS; i++)
		hd_text_printf(out, "<span><i style=\"background:%s\"></i>%s, %.1f bytes a cycle</span>", level_colours[i], hd_level_names[i],
		               c->bytes[i]);
	hd_text_printf(out, "</p>\n<div class=\"scroll\"><table><tr><th class=\"left\">kernel</th><th>operations a cycle</th>");
	for (hd_level level = HD_LEVELS; level-- > 0;)
		hd_text_printf(out, "<th>%s</th><th></th>", hd_level_names[level]);
	hd_text_printf(out, "<th class=\"left\">lowest roof</th></tr>\n");
	for (size_t i = 0; i < n; i++)
		row(c, &points[i], out);
	hd_text_printf(out, "</table></div></section>\n");
}
