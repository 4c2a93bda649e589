#include "study/page.h"

#include "report/html/page.h"
#include "study/effects.h"
#include "study/plot.h"
#include "study/query.h"

#include <math.h>

enum { FRONT_ROWS = 40, HEAT_MAX = 64 };

/* Colours of Okabe and Ito, which people with any colour vision tell apart. */
static const char style[] =
    "<style>:root{--ink:#222;--soft:#5f6670;--line:#d9dde3;--back:#fff;--point:#9aa7b4;--front:#d55e00}"
    "body{background:var(--back);color:var(--ink)}.sub,.card span,svg .axis{color:var(--soft);fill:var(--soft)}"
    "svg.plot{min-width:36em;max-width:46em}svg.plot.small{min-width:17em;max-width:26em}svg text{fill:var(--ink);font-size:13px}svg "
    ".axis{fill:var(--soft);"
    "font-size:12.5px}svg .grid{stroke:var(--line);fill:none}svg .point{fill:var(--point);fill-opacity:.65}svg "
    ".front{fill:var(--front);stroke:var(--back)}"
    "svg .steps{fill:none;stroke:var(--front);stroke-width:1.6}svg .line{fill:none;stroke-width:2}svg .none{fill:var(--line)}"
    ".s0{stroke:#0072b2;fill:#0072b2;background:#0072b2}.s1{stroke:#d55e00;fill:#d55e00;background:#d55e00}.s2{stroke:#009e73;fill:#009e73;"
    "background:#009e73}"
    ".s3{stroke:#cc79a7;fill:#cc79a7;background:#cc79a7}.s4{stroke:#e69f00;fill:#e69f00;background:#e69f00}.s5{stroke:#56b4e9;fill:#56b4e9;"
    "background:#56b4e9}"
    "svg .line{fill:none!important}.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(17em,1fr));gap:1em}.plots h4{margin:.2em "
    "0;font-size:1em}"
    "td.text,th.text{text-align:left;white-space:normal;min-width:16em}td.text{overflow-wrap:break-word}pre.study{white-space:pre-wrap}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#a4adb8;--line:#3a424c;--back:#14181d;--point:#66717d;--front:#f0873a}"
    "h2{border-color:#5b8fc4}th{color:#c9d0d8;border-color:#66707c}td{border-color:#2c333b}nav "
    "a{color:#8ab8e6}.card{border-color:#3a424c}pre{background:#1c2229}"
    ".s0{stroke:#56a8e0;fill:#56a8e0;background:#56a8e0}.s1{stroke:#f0873a;fill:#f0873a;background:#f0873a}small{color:#a4adb8}}"
    "th{overflow-wrap:normal}@media(max-width:40em){th{white-space:normal}td.text,th.text{min-width:9em}td,th{padding:.22em .5em}body{margin:.6em "
    "auto 3em;padding:0 "
    ".7em}h1{font-size:1.35em}.cards{grid-template-columns:repeat(2,1fr)}}</style>\n";

static void escaped(hd_text *out, const char *before, const char *text, const char *after)
{
	hd_text_printf(out, "%s", before);
	hd_page_escape(out, text);
	hd_text_printf(out, "%s", after);
}

static void number_cell(hd_text *out, double value)
{
	hd_text_printf(out, "<td>");
	hd_plot_number(out, value);
	hd_text_printf(out, "</td>");
}

/* The name of a figure: means over launches are ratios to the best. */
static void figure_name(const hd_sheet *sheet, unsigned figure, char text[80])
{
	snprintf(text, 80, hd_sheet_of_machine(sheet, figure) ? "%s" : "%s, to the best", sheet->figures.at[figure]);
	for (char *at = text; *at; at++)
		*at = *at == '_' ? ' ' : *at;
}

static void cards(const hd_sheet *sheet, hd_text *out)
{
	const struct {
		uint64_t number;
		const char *name;
	} all[] = {{sheet->machines.n, "machines"},
	           {sheet->launches.n, "launches"},
	           {sheet->done, "runs that ended well"},
	           {sheet->runs - sheet->done - sheet->missing, "runs with another end"},
	           {sheet->missing, "runs missing"}};
	char digits[32];
	hd_text_printf(out, "<div class=\"cards\">");
	for (size_t i = 0; i < HD_COUNT(all); i++)
		hd_text_printf(out, "<div class=\"card\"><b>%s</b><span>%s</span></div>", hd_grouped_digits(all[i].number, digits), all[i].name);
	hd_text_printf(out, "</div>\n");
}

static void best(const hd_sheet *sheet, hd_text *out)
{
	escaped(out, "<h2 id=\"best\">Best machine of each launch</h2><p>The machine with the least <b>", sheet->figures.at[0],
	        "</b>; of equal ones the one with the fewest state bits. The ratio is to the first machine of the study that ran the launch to its "
	        "end.</p><div class=\"scroll\"><table><tr>"
	        "<th class=\"text\">launch</th><th>kind</th><th>value</th><th>ratio</th><th>state bits</th><th class=\"text\">machine</th></tr>\n");
	bool none = false;
	for (size_t l = 0; l < sheet->launches.n; l++) {
		int m = hd_best_machine(sheet, 0, l);
		escaped(out, "<tr><td class=\"text\">", sheet->launches.at[l].name, "</td>");
		escaped(out, "<td>", sheet->kinds.at[sheet->launches.at[l].kind], "</td>");
		double value = m < 0 ? (double)NAN : hd_sheet_cell(sheet, 0, (size_t)m, l);
		number_cell(out, value);
		size_t first = 0;
		while (m >= 0 && isnan(hd_sheet_cell(sheet, 0, first, l)))
			first++;
		number_cell(out, m < 0 ? (double)NAN : value / hd_sheet_cell(sheet, 0, first, l));
		number_cell(out, m < 0 ? (double)NAN : sheet->machines.at[m].state_bits);
		escaped(out, "<td class=\"text\">", m < 0 ? "no run ended well" : sheet->machines.at[m].name, "</td></tr>\n");
		none |= m < 0;
	}
	hd_text_printf(out, "</table></div>\n%s",
	               none ? "<p class=\"sub\">A launch that ended well on no machine is left out of all that follows.</p>\n" : "");
}

/* Whether any machine has a mean of its kind; if not, says why there is no picture. */
static bool any_mean(const hd_sheet *sheet, const double *means, hd_text *out)
{
	for (size_t m = 0; m < sheet->machines.n; m++)
		if (!isnan(means[m]))
			return true;
	hd_text_printf(out, "<p class=\"sub\">No machine ran all launches of this kind to their ends.</p>\n");
	return false;
}

/* The rows of a front, by the second figure. */
static void front_table(const hd_study_page *page, const double *const *values, const bool *front, hd_text *out)
{
	const hd_sheet *sheet = page->sheet;
	bool *shown = hd_xcalloc(sheet->machines.n + 1, sizeof *shown);
	unsigned rows = 0;
	char name[80];
	hd_text_printf(out, "<div class=\"scroll\"><table><tr>");
	for (unsigned i = 0; i < page->n_pareto; i++) {
		figure_name(sheet, i + 1, name);
		escaped(out, "<th>", name, "</th>");
	}
	hd_text_printf(out, "<th class=\"text\">machine</th></tr>\n");
	for (; rows < FRONT_ROWS; rows++) {
		size_t next = sheet->machines.n;
		for (size_t m = 0; m < sheet->machines.n; m++)
			if (front[m] && !shown[m] && (next == sheet->machines.n || values[1][m] < values[1][next]))
				next = m;
		if (next == sheet->machines.n)
			break;
		shown[next] = true;
		hd_text_printf(out, "<tr>");
		for (unsigned i = 0; i < page->n_pareto; i++)
			number_cell(out, values[i][next]);
		escaped(out, "<td class=\"text\">", sheet->machines.at[next].name, "</td></tr>\n");
	}
	hd_text_printf(out, "</table></div>\n%s", rows == FRONT_ROWS ? "<p class=\"sub\">Further machines of the front are left out.</p>\n" : "");
	free(shown);
}

static void pareto(const hd_study_page *page, const double *runs, unsigned kind, hd_text *out)
{
	const hd_sheet *sheet = page->sheet;
	size_t n = sheet->machines.n;
	double *values[3] = {0};
	char names[3][80];
	bool *front = hd_xcalloc(n + 1, sizeof *front);
	const char **machines = hd_xcalloc(n + 1, sizeof *machines);
	for (unsigned i = 0; i < page->n_pareto; i++) {
		values[i] = hd_means(sheet, i + 1, kind);
		figure_name(sheet, i + 1, names[i]);
	}
	/* A machine whose runs did not all end well is in no front, whatever its bits. */
	for (size_t m = 0; m < n; m++) {
		machines[m] = sheet->machines.at[m].name;
		if (isnan(runs[m]))
			values[0][m] = NAN;
	}
	hd_pareto((const double *const *)values, page->n_pareto, n, front);
	hd_plot_points(&(hd_points_plot){.x_name = names[1],
	                                 .y_name = names[0],
	                                 .z_name = page->n_pareto == 3 ? names[2] : NULL,
	                                 .x = values[1],
	                                 .y = values[0],
	                                 .z = values[2],
	                                 .front = front,
	                                 .names = machines,
	                                 .n = n},
	               out);
	front_table(page, (const double *const *)values, front, out);
	for (unsigned i = 0; i < 3; i++)
		free(values[i]);
	free(front);
	free(machines);
}

static void pareto_all(const hd_study_page *page, double *const *means, hd_text *out)
{
	const hd_sheet *sheet = page->sheet;
	hd_text_printf(
	    out,
	    "<h2 id=\"pareto\">Pareto front</h2><p>Each point is a machine; those that no other machine beats are in colour%s. A figure of runs is "
	    "the geometric mean, over the launches of one kind, of the ratio to the best machine of each launch: 1 is best everywhere.</p>\n",
	    page->n_pareto == 3 ? "; a larger point has more of the third figure" : ", joined by a line");
	for (unsigned kind = 0; kind < sheet->kinds.n; kind++) {
		escaped(out, "<h3>Launches: ", sheet->kinds.at[kind], "</h3>\n");
		if (any_mean(sheet, means[kind], out))
			pareto(page, means[kind], kind, out);
	}
}

/* -- effects ---------------------------------------------------------------------------------------------------------------------------------- */

static void main_effects(const hd_sheet *sheet, double *const *means, hd_text *out)
{
	double low = (double)NAN, high = (double)NAN;
	unsigned kinds = hd_min_u32((uint32_t)sheet->kinds.n, HD_PLOT_SERIES_MAX);
	double **effects = hd_xcalloc(sheet->axes.n * kinds + 1, sizeof *effects);
	for (size_t a = 0; a < sheet->axes.n; a++) {
		for (unsigned k = 0; k < kinds; k++) {
			double *effect = effects[a * kinds + k] = hd_main_effect(sheet, means[k], a);
			for (size_t v = 0; v < sheet->axes.at[a].values.n; v++) {
				low = !isnan(effect[v]) && !(low <= effect[v]) ? effect[v] : low;
				high = !isnan(effect[v]) && !(high >= effect[v]) ? effect[v] : high;
			}
		}
	}
	escaped(
	    out, "<h2 id=\"effects\">Main effect of each axis</h2><p>The geometric mean of <b>", sheet->figures.at[0],
	    "</b>, as a ratio to the best machine of each launch, over all machines with one value. All plots have one scale. Kinds of launches are "
	    "apart.</p>\n<p class=\"legend\">");
	for (unsigned k = 0; k < kinds; k++) {
		hd_text_printf(out, "<span><i class=\"s%u\"></i>", k);
		escaped(out, "", sheet->kinds.at[k], "</span>");
	}
	hd_text_printf(out, "</p><div class=\"plots\">\n");
	for (size_t a = 0; a < sheet->axes.n; a++) {
		hd_lines_plot plot = {.name = sheet->axes.at[a].name,
		                      .values = (const char *const *)sheet->axes.at[a].values.at,
		                      .n = sheet->axes.at[a].values.n,
		                      .n_series = kinds,
		                      .scale = hd_scale_for(low, high)};
		for (unsigned k = 0; k < kinds; k++) {
			plot.series[k] = sheet->kinds.at[k];
			plot.y[k] = effects[a * kinds + k];
		}
		hd_plot_lines(&plot, out);
	}
	hd_text_printf(out, "</div>\n");
	for (size_t i = 0; i < sheet->axes.n * kinds; i++)
		free(effects[i]);
	free(effects);
}

/* Effects are apart from each other only where each value meets all values of the other axes. */
static void unbalanced(const hd_sheet *sheet, hd_text *out)
{
	size_t product = 1;
	for (size_t a = 0; a < sheet->axes.n && product <= sheet->machines.n; a++)
		product *= sheet->axes.at[a].values.n;
	if (product != sheet->machines.n)
		hd_text_printf(
		    out, "<p class=\"sub\">The machines are not the full product of all axes, so the effect of a value also has what the other axes "
		         "do in its machines, the more so the fewer they are.</p>\n");
}

static void interactions(const hd_sheet *sheet, double *const *means, hd_text *out)
{
	hd_text_printf(
	    out, "<h2 id=\"interactions\">Interaction of axes</h2><p>How far the worst pair of values is from the product of the two main effects, "
	         "in percent: 0 means that one axis can be chosen without the other.</p>\n");
	for (unsigned k = 0; k < sheet->kinds.n; k++) {
		escaped(out, "<h3>Launches: ", sheet->kinds.at[k], "</h3>\n");
		if (!any_mean(sheet, means[k], out))
			continue;
		hd_text_printf(out, "<div class=\"scroll\"><table><tr><th></th>");
		for (size_t a = 1; a < sheet->axes.n; a++)
			escaped(out, "<th>", sheet->axes.at[a].name, "</th>");
		hd_text_printf(out, "</tr>\n");
		for (size_t a = 0; a + 1 < sheet->axes.n; a++) {
			escaped(out, "<tr><td>", sheet->axes.at[a].name, "</td>");
			for (size_t b = 1; b < sheet->axes.n; b++) {
				double size = b > a ? hd_interaction(sheet, means[k], a, b) : (double)NAN;
				if (isnan(size))
					hd_text_printf(out, "<td></td>");
				else
					hd_text_printf(out, "<td>%.1f %%</td>", 100 * size);
			}
			hd_text_printf(out, "</tr>\n");
		}
		hd_text_printf(out, "</table></div>\n");
	}
}

/* The two axes that interact most. */
static void choose_heat(const hd_sheet *sheet, double *const *means, int axes[2])
{
	double most = -1;
	for (unsigned k = 0; k < sheet->kinds.n; k++) {
		for (size_t a = 0; a < sheet->axes.n; a++) {
			for (size_t b = a + 1; b < sheet->axes.n; b++) {
				bool few = sheet->axes.at[a].values.n <= HEAT_MAX && sheet->axes.at[b].values.n <= HEAT_MAX;
				double size = few ? hd_interaction(sheet, means[k], a, b) : (double)NAN;
				if (!(size > most))
					continue;
				most = size;
				axes[0] = (int)a;
				axes[1] = (int)b;
			}
		}
	}
}

static void heat(const hd_study_page *page, double *const *means, hd_text *out)
{
	const hd_sheet *sheet = page->sheet;
	int axes[2] = {page->heat[0], page->heat[1]};
	if (axes[0] < 0)
		choose_heat(sheet, means, axes);
	if (axes[0] < 0 || axes[1] < 0)
		return;
	if (sheet->axes.at[axes[0]].values.n > HEAT_MAX || sheet->axes.at[axes[1]].values.n > HEAT_MAX) {
		hd_text_printf(out, "<h2 id=\"heat\">Two axes</h2><p class=\"sub\">An axis with more than %d values has no heat map.</p>\n",
		               HEAT_MAX);
		return;
	}
	const hd_sheet_axis *y = &sheet->axes.at[axes[0]], *x = &sheet->axes.at[axes[1]];
	escaped(out, "<h2 id=\"heat\">Two axes</h2><p>The geometric mean of <b>", sheet->figures.at[0],
	        "</b>, as a ratio to the best machine of each launch. Darker is more.</p>\n");
	for (unsigned k = 0; k < sheet->kinds.n; k++) {
		escaped(out, "<h3>Launches: ", sheet->kinds.at[k], "</h3>\n");
		if (!any_mean(sheet, means[k], out))
			continue;
		double *cells = hd_cell_means(sheet, means[k], (size_t)axes[0], (size_t)axes[1]);
		hd_plot_heat(&(hd_heat_plot){.x_name = x->name,
		                             .y_name = y->name,
		                             .columns = (const char *const *)x->values.at,
		                             .rows = (const char *const *)y->values.at,
		                             .n_columns = x->values.n,
		                             .n_rows = y->values.n,
		                             .cells = cells},
		             out);
		free(cells);
	}
}

/* -- what did not end well -------------------------------------------------------------------------------------------------------------------- */

/* A machine that cannot be is refused for each launch with one message; other ends are those of a launch, whose messages have cycles and addresses.
 */
static void faults(const hd_sheet *sheet, hd_store *store, hd_text *out)
{
	sqlite3_stmt *q = hd_store_prepare(
	    store,
	    "SELECT r.status, count(*), l.name, d.name, r.message, count(DISTINCT r.message), min(m.number) FROM member m JOIN run r ON r.id = "
	    "m.run JOIN launch l ON l.id = m.launch JOIN design d ON d.study = m.study AND d.machine = m.machine WHERE m.study = ? AND "
	    "r.status <> 'done' GROUP BY r.status, CASE r.status WHEN 'refused' THEN r.message ELSE m.launch END ORDER BY 2 DESC, 7 LIMIT 50");
	bool any = false;
	if (q)
		sqlite3_bind_text(q, 1, sheet->id, -1, SQLITE_STATIC);
	while (q && hd_store_step(store, q)) {
		if (!any)
			hd_text_printf(out, "<h2 id=\"faults\">Runs with another end</h2><div "
			                    "class=\"scroll\"><table><tr><th>end</th><th>runs</th><th class=\"text\">for instance</th>"
			                    "<th class=\"text\">message</th></tr>\n");
		any = true;
		escaped(out, "<tr><td>", hd_store_peek(q, 0), "</td>");
		hd_text_printf(out, "<td>%lld</td>", sqlite3_column_int64(q, 1));
		escaped(out, "<td class=\"text\">", hd_store_peek(q, 2), " on ");
		escaped(out, "", hd_store_peek(q, 3), "</td>");
		escaped(out, "<td class=\"text\">", hd_store_peek(q, 4), "");
		if (sqlite3_column_int64(q, 5) > 1)
			hd_text_printf(out, " <small>(one of %lld messages)</small>", sqlite3_column_int64(q, 5));
		hd_text_printf(out, "</td></tr>\n");
	}
	hd_text_printf(out, any ? "</table></div>\n" : "");
	sqlite3_finalize(q);
}

static void plan(const hd_sheet *sheet, hd_store *store, hd_text *out)
{
	sqlite3_stmt *q = hd_store_prepare(store, "SELECT text FROM study WHERE id = ?");
	if (q)
		sqlite3_bind_text(q, 1, sheet->id, -1, SQLITE_STATIC);
	if (q && hd_store_step(store, q))
		escaped(out, "<h2 id=\"plan\">The study</h2><pre class=\"study\">", hd_store_peek(q, 0), "</pre>\n");
	sqlite3_finalize(q);
}

/* Links to the parts that the page has. */
static void links(const hd_text *parts, hd_text *out)
{
	static const char *const names[][2] = {
	    {"best", "best machines"}, {"pareto", "Pareto front"},          {"effects", "effects"}, {"interactions", "interactions"},
	    {"heat", "two axes"},      {"faults", "runs with another end"}, {"query", "query"},     {"plan", "the study"}};
	hd_text_printf(out, "<nav>");
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		char heading[40];
		snprintf(heading, sizeof heading, "<h2 id=\"%s\"", names[i][0]);
		if (strstr(parts->at, heading))
			hd_text_printf(out, "<a href=\"#%s\">%s</a>", names[i][0], names[i][1]);
	}
	hd_text_printf(out, "</nav>\n");
}

bool hd_study_html(const hd_study_page *page, hd_store *store, hd_text *out, hd_diag *diag)
{
	const hd_sheet *sheet = page->sheet;
	double *means[HD_SHEET_KINDS] = {0};
	hd_text parts = {0};
	bool ok = true;
	hd_page_begin(out, sheet->study);
	hd_text_printf(out, "%s", style);
	escaped(out, "<h1>", sheet->study, "</h1>\n");
	hd_text_printf(out, "<p class=\"sub\">A study by Heddle, %.12s.</p>", sheet->id);
	for (unsigned k = 0; k < sheet->kinds.n; k++)
		means[k] = hd_means(sheet, 0, k);
	best(sheet, &parts);
	pareto_all(page, means, &parts);
	main_effects(sheet, means, &parts);
	unbalanced(sheet, &parts);
	if (sheet->axes.n > 1) {
		interactions(sheet, means, &parts);
		heat(page, means, &parts);
	}
	faults(sheet, store, &parts);
	if (page->sql) {
		escaped(&parts, "<h2 id=\"query\">Query</h2><pre class=\"study\">", page->sql, "</pre>\n");
		ok = hd_query_html(store, page->sql, HD_QUERY_SECONDS, &parts, diag);
	}
	plan(sheet, store, &parts);
	links(&parts, out);
	cards(sheet, out);
	hd_text_put(out, parts.at, parts.n);
	hd_text_free(&parts);
	hd_page_end(out);
	for (unsigned k = 0; k < sheet->kinds.n; k++)
		free(means[k]);
	return ok && !store->failed;
}
