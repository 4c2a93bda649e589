#include "report/html/application_html.h"

#include "report/html/html_roofline.h"
#include "report/html/page.h"

enum { KERNELS_DRAWN = 24 };

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f"};

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static uint64_t energy_of(const hd_application *a, const hd_stats *stats)
{
	hd_energy energy = hd_energy_of(a->machine, stats);
	return a->functional ? 0 : hd_energy_total(&energy);
}

/* Cycles, instructions, IPC, lost slots and energy, as cells. */
static void numbers(const hd_application *a, const hd_stats *s, hd_text *out)
{
	char cycles[32], instructions[32];
	hd_text_printf(out, "<td>%s</td><td>%s</td><td>%.3f</td><td>%.1f&nbsp;%%</td><td>%.1f</td>", hd_grouped_digits(s->run_cycles, cycles),
	               hd_grouped_digits(s->run_warp_instructions, instructions),
	               s->run_cycles ? (double)s->run_warp_instructions / (double)s->run_cycles : 0.0,
	               percent(s->run_issue_slots - s->run_slots_used, s->run_issue_slots), (double)energy_of(a, s) * 1e-6);
}

static const char numbers_head[] = "<th>cycles</th><th>warp instructions</th><th>IPC</th><th>slots lost</th><th>energy, nJ</th>";

static void kernel_row(const hd_application *a, const hd_application_kernel *k, uint64_t cycles, hd_text *out)
{
	char launches[32];
	hd_text_printf(out, "<tr><td>");
	hd_page_escape(out, k->name);
	hd_text_printf(out, "</td><td>%s</td><td>%llu</td><td>%.1f&nbsp;%%</td>", hd_grouped_digits(k->launches, launches),
	               (unsigned long long)k->failed, percent(k->stats.run_cycles, cycles));
	numbers(a, &k->stats, out);
	hd_text_printf(out, "<td>%.3f</td></tr>\n", k->seconds);
}

static void kernels(const hd_application *a, const hd_application_kernel *all, hd_text *out)
{
	hd_text_printf(out,
	               "<section><h2 id=\"kernels\">Kernels</h2>\n<div class=\"scroll\"><table>\n<tr><th>kernel</th><th>launches</th><th>failed</th>"
	               "<th>of the cycles</th>%s<th>host, s</th></tr>\n",
	               numbers_head);
	for (size_t i = 0; i < a->n_kernels; i++)
		kernel_row(a, &a->kernels[i], all->stats.run_cycles, out);
	kernel_row(a, all, all->stats.run_cycles, out);
	hd_text_printf(out, "</table></div></section>\n");
}

/* The launches of a kernel, at their places among `cycles`. */
static void bars(const hd_application *a, size_t kernel, uint64_t cycles, hd_text *out)
{
	uint64_t at = 0;
	for (size_t i = 0; i < a->n_launches; i++) {
		const hd_application_launch *l = &a->launches[i];
		if (l->kernel == kernel)
			hd_text_printf(out,
			               "<a href=\"#launch%u\" style=\"left:%.3f%%;width:%.3f%%;background:%s\" title=\"launch %u, from cycle "
			               "%llu\"></a>",
			               l->number, percent(at, cycles), percent(l->stats.run_cycles, cycles), colours[kernel % HD_COUNT(colours)],
			               l->number, (unsigned long long)at);
		at += l->stats.run_cycles;
	}
}

/* Launches after each other in simulated cycles, a row a kernel. */
static void time_line(const hd_application *a, hd_text *out)
{
	uint64_t cycles = 0;
	char number[32];
	size_t rows = a->n_kernels < KERNELS_DRAWN ? a->n_kernels : KERNELS_DRAWN;
	for (size_t i = 0; i < a->n_launches; i++)
		cycles += a->launches[i].stats.run_cycles;
	if (!cycles)
		return;
	hd_text_printf(
	    out,
	    "<section class=\"keep\"><h2 id=\"timeline\">Time line</h2>\n<p>%s cycles of launches, one after the other; what the program does "
	    "between them takes none. A bar leads to its launch.</p>\n",
	    hd_grouped_digits(cycles, number));
	hd_text_printf(out, "<div class=\"rows plain\">\n");
	for (size_t k = 0; k < rows; k++) {
		hd_text name = {0};
		hd_text_printf(&name, "%.24s%s", a->kernels[k].name, strlen(a->kernels[k].name) > 24 ? "..." : "");
		hd_text_printf(out, "<div class=\"row\"><span class=\"name\">");
		hd_page_escape(out, name.at);
		hd_text_printf(out, "</span><span class=\"track places\">");
		bars(a, k, cycles, out);
		hd_text_printf(out, "</span></div>\n");
		hd_text_free(&name);
	}
	hd_text_printf(out, "</div></section>\n");
}

static void extent(const uint32_t size[3], hd_text *out) { hd_text_printf(out, "<td>%u &times; %u &times; %u</td>", size[0], size[1], size[2]); }

static void launches(const hd_application *a, hd_text *out)
{
	hd_text_printf(out, "<section><h2 id=\"launches\">Launches</h2>\n");
	if (a->all_launches > a->n_launches)
		hd_text_printf(out, "<p>The first %zu of %llu; the sums of the kernels have all.</p>\n", a->n_launches,
		               (unsigned long long)a->all_launches);
	hd_text_printf(
	    out,
	    "<div class=\"scroll\"><table>\n<tr><th>launch</th><th class=\"left\">kernel</th><th>grid</th><th>block</th>%s<th>result</th></tr>\n",
	    numbers_head);
	for (size_t i = 0; i < a->n_launches; i++) {
		const hd_application_launch *l = &a->launches[i];
		hd_text_printf(out, "<tr><td><a href=\"#launch%u\">%u</a></td><td class=\"left\">", l->number, l->number);
		hd_page_escape(out, a->kernels[l->kernel].name);
		hd_text_printf(out, "</td>");
		extent(l->grid, out);
		extent(l->block, out);
		numbers(a, &l->stats, out);
		hd_text_printf(out, "<td%s>%s</td></tr>\n", strcmp(l->result, "done") == 0 ? "" : " class=\"bad\"", l->result);
	}
	hd_text_printf(out, "</table></div></section>\n");
}

/* The section of a launch: the causes of its lost slots, and its traffic. */
static void section(const hd_application *a, const hd_application_launch *l, hd_text *out)
{
	const hd_stats *s = &l->stats;
	hd_text_printf(out, "<section class=\"keep\"><h3 id=\"launch%u\">Launch %u: ", l->number, l->number);
	hd_page_escape(out, a->kernels[l->kernel].name);
	hd_text_printf(
	    out,
	    "</h3><p class=\"sub\">%.1f &micro;s, %.1f %% of the lanes active, %llu sectors of memory, %.1f %% of them hit L1, %llu sectors of "
	    "DRAM. <a href=\"#launches\">All launches</a></p>\n",
	    (double)s->run_cycles / a->machine->machine_clock_mhz, percent(s->run_thread_instructions, s->run_lane_slots),
	    (unsigned long long)s->memory_sectors, percent(s->memory_l1_hits, s->memory_l1_hits + s->memory_l1_misses),
	    (unsigned long long)(s->memory_dram_reads + s->memory_dram_writes));
	hd_page_slots(out, s);
	hd_text_printf(out, "</section>\n");
}

static void roofline(const hd_application *a, hd_text *out)
{
	size_t n = a->n_kernels + a->n_launches;
	hd_roofline_point *points = hd_xcalloc(n + 1, sizeof *points);
	hd_text names = {0};
	for (size_t i = 0; i < a->n_kernels; i++) {
		points[i] = hd_roofline_point_of(a->kernels[i].name, &a->kernels[i].stats);
		points[i].sum = true;
	}
	size_t *at = hd_xcalloc(a->n_launches + 1, sizeof *at);
	for (size_t i = 0; i < a->n_launches; i++) {
		at[i] = names.n;
		hd_text_printf(&names, "launch %u, %s", a->launches[i].number, a->kernels[a->launches[i].kernel].name);
		hd_text_put(&names, "", 1);
	}
	for (size_t i = 0; i < a->n_launches; i++)
		points[a->n_kernels + i] = hd_roofline_point_of(names.at + at[i], &a->launches[i].stats);
	hd_html_roofline(a->ceilings, points, n, out);
	hd_text_free(&names);
	free(at);
	free(points);
}

void hd_application_html(const hd_application *a, hd_text *out)
{
	hd_application_kernel all = {.name = "(all)"};
	for (size_t i = 0; i < a->n_kernels; i++) {
		all.launches += a->kernels[i].launches;
		all.failed += a->kernels[i].failed;
		all.seconds += a->kernels[i].seconds;
		hd_stats_add(&all.stats, &a->kernels[i].stats);
	}
	hd_page_begin(out, a->title);
	hd_text_printf(out, "<h1>All launches</h1>\n<p class=\"sub\">%llu launch%s on ", (unsigned long long)a->all_launches,
	               a->all_launches == 1 ? "" : "es");
	hd_page_escape(out, a->title);
	hd_text_printf(out, "</p>\n<nav><a href=\"#kernels\">Kernels</a>%s<a href=\"#launches\">Launches</a></nav>\n",
	               a->ceilings ? "<a href=\"#roofline\">Roofline</a>" : "");
	kernels(a, &all, out);
	if (!a->functional)
		time_line(a, out);
	if (a->ceilings)
		roofline(a, out);
	launches(a, out);
	for (size_t i = 0; i < a->n_launches; i++)
		section(a, &a->launches[i], out);
	hd_page_end(out);
}
