/* The activity of a run over its cycles, as SVG. All charts of the page share one axis. */
#include "report/html/html.h"
#include "report/html/page.h"

enum { LEFT = 96, WIDTH = 900, RIGHT = LEFT + WIDTH, ROW = 11, AXIS = 34 /* height */ };

static double x_of(const hd_report *r, uint64_t cycle)
{
	if (cycle > r->stats->run_cycles)
		cycle = r->stats->run_cycles;
	return LEFT + (double)WIDTH * (double)cycle / (double)(r->stats->run_cycles ? r->stats->run_cycles : 1);
}

static unsigned bins_of(const hd_report *r, const hd_profile *p)
{
	uint64_t bins = (r->stats->run_cycles + p->bin) / p->bin;
	return (unsigned)hd_min_u64(bins, HD_PROFILE_BINS);
}

/* The number of cycles of the run that are in a bin. */
static uint64_t bin_cycles(const hd_report *r, const hd_profile *p, unsigned bin)
{
	uint64_t begin = bin * p->bin, end = r->stats->run_cycles + 1;
	return end <= begin ? 1 : hd_min_u64(end - begin, p->bin);
}

/* The distance of the axis's marks: 1, 2 or 5 times a power of ten, so that the axis has about five steps. */
static uint64_t step_of(uint64_t whole)
{
	uint64_t step = 1;
	while (whole / step > 50)
		step *= 10;
	return whole / step > 25 ? step * 5 : whole / step > 10 ? step * 2 : step;
}

static void axis(const hd_report *r, unsigned y, hd_text *out)
{
	char number[32];
	uint64_t step = step_of(r->stats->run_cycles);
	for (uint64_t at = 0; at <= r->stats->run_cycles; at += step * 2)
		hd_text_printf(
		    out,
		    "<path d=\"M%.1f %uv4\" class=\"tick\"/><text class=\"axis%s\" x=\"%.1f\" y=\"%u\" dy=\".8em\" text-anchor=\"%s\">%s%s</text>",
		    x_of(r, at), y, at / step / 2 % 2 ? " wide" : "", x_of(r, at), y + 7,
		    at == 0                    ? "start"
		    : x_of(r, at) > RIGHT - 30 ? "end"
		                               : "middle",
		    at ? "" : "cycle ", hd_grouped_digits(at, number));
	hd_text_printf(out, "\n");
}

/* Writes the name, top and bottom of a chart. */
static void frame(hd_text *out, const char *title, unsigned height, const char *top, const char *bottom)
{
	hd_text_printf(out, "<h3>%s</h3>\n", title);
	hd_page_picture(out, 1010, height + AXIS, title);
	hd_text_printf(out,
	               "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"%u\" class=\"frame\"/><text class=\"axis\" x=\"%d\" y=\"1\" dy=\".8em\" "
	               "text-anchor=\"end\">%s</text><text class=\"axis\" x=\"%d\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
	               LEFT, WIDTH, height, LEFT - 6, top, LEFT - 6, height, bottom);
}

static void slots(const hd_report *r, const hd_profile *p, hd_text *out)
{
	enum { HEIGHT = 150 };
	uint64_t sum[HD_STALL_COUNT + 1] = {0};
	char title[96];
	snprintf(title, sizeof title, "Issue slots by cause, in steps of %llu cycles", (unsigned long long)p->bin);
	frame(out, title, HEIGHT, "100 %", "0 %");
	for (unsigned b = 0; b < bins_of(r, p); b++) {
		uint64_t total = 0;
		double y = HEIGHT, x = x_of(r, b * p->bin), width = x_of(r, (b + 1) * p->bin) - x;
		for (unsigned i = 0; i <= HD_STALL_COUNT; i++)
			total += p->slots[b][i];
		for (int i = HD_STALL_COUNT; total && i >= 0; i--) {
			double height = HEIGHT * (double)p->slots[b][i] / (double)total;
			y -= height;
			sum[i] += p->slots[b][i];
			if (p->slots[b][i])
				hd_text_printf(out,
				               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"><title>cycle %llu: %s %.0f "
				               "%%</title></rect>\n",
				               x, y, width + 0.1, height, hd_page_colour((unsigned)i), (unsigned long long)(b * p->bin),
				               hd_page_cause((unsigned)i), 100 * height / HEIGHT);
		}
	}
	axis(r, HEIGHT, out);
	hd_page_picture_end(out);
	hd_page_legend(out, sum);
}

/* A filled step line with one value for each bin. */
static void area(const hd_report *r, const hd_profile *p, const char *title, const char *colour, const double *values, double full, hd_text *out)
{
	enum { HEIGHT = 80 };
	char top[48];
	double most = full;
	for (unsigned b = 0; b < bins_of(r, p); b++)
		most = values[b] > most ? values[b] : most;
	if (most <= 0)
		return;
	snprintf(top, sizeof top, most < 10 ? "%.2f" : "%.0f", most);
	frame(out, title, HEIGHT, top, "0");
	hd_text_printf(out, "<path fill=\"%s\" fill-opacity=\".35\" stroke=\"%s\" stroke-width=\"1.2\" d=\"M%d %d", colour, colour, LEFT, HEIGHT);
	for (unsigned b = 0; b < bins_of(r, p); b++)
		hd_text_printf(out, "V%.1fH%.1f", HEIGHT - (HEIGHT - 3) * values[b] / most, x_of(r, (b + 1) * p->bin));
	hd_text_printf(out, "V%dZ\"/>\n", HEIGHT);
	axis(r, HEIGHT, out);
	hd_page_picture_end(out);
}

/* Power: the energy of each step divided by its cycles, with a band for each group. */
static void power(const hd_report *r, hd_text *out)
{
	enum { HEIGHT = 110 };
	const hd_energy_series *series = r->energy;
	double most = 0, (*sums)[HD_ENERGY_GROUPS];
	char top[48], title[96];
	if (!series || !series->steps.n)
		return;
	sums = hd_xcalloc(series->steps.n, sizeof *sums);
	for (size_t i = 0; i < series->steps.n; i++) {
		uint64_t end = hd_min_u64((i + 1) * series->interval, series->cycles);
		double watt = (double)r->machine->machine_clock_mhz / 1e9 / (double)(end - i * series->interval), all = 0;
		for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++) {
			sums[i][hd_energy_group_of[unit]] += watt * (double)series->steps.at[i].fj[unit];
			all += watt * (double)series->steps.at[i].fj[unit];
		}
		most = all > most ? all : most;
	}
	if (most > 0) {
		snprintf(top, sizeof top, "%.2f", most);
		snprintf(title, sizeof title, "Power in watts, in steps of %llu cycles", (unsigned long long)series->interval);
		frame(out, title, HEIGHT, top, "0");
		for (unsigned g = 0; g < HD_ENERGY_GROUPS; g++) {
			hd_text_printf(out, "<path fill=\"%s\" d=\"M%d %d", hd_html_energy_colours[g], LEFT, HEIGHT);
			/* The sum of this band and all bands above it, which later cover it partly. */
			for (size_t i = 0; i < series->steps.n; i++) {
				double height = 0;
				for (unsigned k = g; k < HD_ENERGY_GROUPS; k++)
					height += sums[i][k];
				hd_text_printf(out, "V%.1fH%.1f", HEIGHT - (HEIGHT - 3) * height / most, x_of(r, (i + 1) * series->interval));
			}
			hd_text_printf(out, "V%dZ\"><title>%s</title></path>\n", HEIGHT, hd_energy_group_docs[g]);
		}
		axis(r, HEIGHT, out);
		hd_page_picture_end(out);
		hd_text_printf(out, "<p class=\"legend\">");
		for (unsigned g = 0; g < HD_ENERGY_GROUPS; g++)
			hd_text_printf(out, "<span><i style=\"background:%s\"></i>%s</span>", hd_html_energy_colours[g], hd_energy_group_docs[g]);
		hd_text_printf(out, "</p>\n");
	}
	free(sums);
}

void hd_html_over_time(const hd_report *r, const hd_profile *p, hd_text *out)
{
	double values[HD_PROFILE_BINS];
	char title[96];
	hd_text_printf(out, "<section><h2 id=\"time\">Over time</h2>\n");
	slots(r, p, out);
	for (unsigned b = 0; b < HD_PROFILE_BINS; b++)
		values[b] = (double)p->warps[b] / (double)bin_cycles(r, p, b);
	snprintf(title, sizeof title, "Occupancy: warps that are there, of %u slots on all cores", r->occupancy.slots * p->cores);
	area(r, p, title, "#4e79a7", values, r->occupancy.slots * p->cores, out);
	for (unsigned b = 0; b < HD_PROFILE_BINS; b++)
		values[b] = (double)p->accesses[b] / (double)bin_cycles(r, p, b);
	area(r, p, "Memory instructions performed, a cycle", "#b07aa1", values, 0, out);
	power(r, out);
	hd_text_printf(out, "</section>\n");
}

/* -- the timeline ------------------------------------------------------------------------------------------------------------------------ */

/* The colours for the density of a warp's issues, and for the causes of its waits. */
static const char *const shades[] = {"#d7e3f0", "#a5c1de", "#6c98c6", "#2f62a0"};
static const char *const state_colours[HD_WARP_STATES] = {"", "#e15759", "#59a14f"};

static const char *cell(const hd_profile_lane *lane, unsigned bin, uint64_t cycles)
{
	const uint32_t *c = lane->cycles[bin];
	uint64_t there = (uint64_t)c[HD_WARP_RUNS] + c[HD_WARP_WAITS] + c[HD_WARP_BARRIER];
	if (there * 4 < cycles)
		return NULL;
	if (c[HD_WARP_WAITS] > c[HD_WARP_RUNS] && c[HD_WARP_WAITS] >= c[HD_WARP_BARRIER])
		return state_colours[HD_WARP_WAITS];
	if (c[HD_WARP_BARRIER] > c[HD_WARP_RUNS])
		return state_colours[HD_WARP_BARRIER];
	double density = (double)lane->issued[bin] / (double)there;
	return shades[density < 0.05 ? 0 : density < 0.15 ? 1 : density < 0.35 ? 2 : 3];
}

static void lane_row(const hd_report *r, const hd_profile *p, const hd_profile_lane *lane, unsigned y, hd_text *out)
{
	unsigned bins = bins_of(r, p), from = 0;
	const char *colour = NULL;
	for (unsigned b = 0; b <= bins; b++) {
		const char *next = b < bins ? cell(lane, b, bin_cycles(r, p, b)) : NULL;
		if (next == colour)
			continue;
		if (colour)
			hd_text_printf(out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x_of(r, from * p->bin), y,
			               x_of(r, b * p->bin) - x_of(r, from * p->bin), ROW - 1, colour);
		colour = next;
		from = b;
	}
	for (unsigned b = 0; b < bins; b++)
		if (lane->begins[b])
			hd_text_printf(out, "<rect x=\"%.1f\" y=\"%u\" width=\"1.2\" height=\"%d\" class=\"mark\"/>", x_of(r, b * p->bin), y,
			               ROW - 1);
	hd_text_printf(out, "\n");
}

void hd_html_warps(const hd_report *r, const hd_profile *p, hd_text *out)
{
	unsigned rows = 0, y = 0, named = 0, above = 0;
	uint64_t all = (uint64_t)p->cores * p->schedulers * p->slots_each;
	for (unsigned i = 0; i < HD_PROFILE_WARPS; i++)
		rows += p->lanes[i].used;
	hd_text_printf(out,
	               "<section><h2 id=\"warps\">Warps</h2>\n<p>A row a warp slot (core, scheduler, slot)%s; a black mark where a warp comes. Blue: "
	               "how densely it "
	               "issues; otherwise what it did for most of the step.</p>\n",
	               all > HD_PROFILE_WARPS ? ", the first 64" : "");
	hd_text_printf(out, "<p class=\"legend\">");
	static const char *const names[] = {"issues in less than 5 % of the cycles", "up to 15 %", "up to 35 %", "more"};
	for (unsigned i = 0; i < HD_COUNT(shades); i++)
		hd_text_printf(out, "<span><i style=\"background:%s\"></i>%s</span>", shades[i], names[i]);
	hd_text_printf(
	    out,
	    "<span><i style=\"background:%s\"></i>de-scheduled for a counter</span><span><i style=\"background:%s\"></i>at a barrier</span></p>\n",
	    state_colours[HD_WARP_WAITS], state_colours[HD_WARP_BARRIER]);
	hd_page_picture(out, 1010, rows * ROW + AXIS, "timeline of warps");
	for (unsigned i = 0; i < HD_PROFILE_WARPS; i++) {
		if (!p->lanes[i].used)
			continue;
		unsigned slot = i % p->slots_each, scheduler = i / p->slots_each % p->schedulers, core = i / p->slots_each / p->schedulers;
		hd_text_printf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\" class=\"small\">c%u s%u w%u</text>", LEFT - 6, y + 9, core,
		               scheduler, slot);
		if (y == 0 || (i / p->slots_each != named && y >= above + 3 * ROW)) { /* on a narrow screen, one name for a scheduler */
			hd_text_printf(out, "<text x=\"%d\" y=\"%u\" dy=\".8em\" text-anchor=\"end\" class=\"axis narrow\">c%u s%u</text>", LEFT - 6,
			               y, core, scheduler);
			above = y;
		}
		named = i / p->slots_each;
		lane_row(r, p, &p->lanes[i], y, out);
		y += ROW;
	}
	axis(r, y, out);
	hd_page_picture_end(out);
	hd_text_printf(out, "</section>\n");
}
