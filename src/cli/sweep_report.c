/* `heddle sweep report FILE.db`: the page, the table, or the rows of a query (ST-5). */
#include "cli/sweep.h"

#include "study/page.h"
#include "study/query.h"
#include "study/table.h"

/* Cuts "A,B,C" into at most `most` words, which lie in `text`. The number of words; 0 after a message. */
static unsigned cut(const char *option, char *text, const char **words, unsigned least, unsigned most)
{
	unsigned n = 0;
	char *save = NULL;
	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (n < most)
			words[n] = word;
		n++;
	}
	if (n >= least && n <= most)
		return n;
	hd_usage("sweep: %s takes %u%s%s names with commas between them", option, least, most > least ? " or " : "", most > least ? "3" : "");
	return 0;
}

/* The numbers of the two axes of the heat map. */
static bool find_axes(const hd_sheet *sheet, const char *const *names, int axes[2])
{
	for (unsigned i = 0; i < 2; i++) {
		hd_suggestion suggestion = {.word = names[i]};
		axes[i] = -1;
		for (size_t k = 0; k < sheet->axes.n; k++) {
			hd_suggest(&suggestion, sheet->axes.at[k].name);
			if (strcmp(sheet->axes.at[k].name, names[i]) == 0)
				axes[i] = (int)k;
		}
		if (axes[i] >= 0)
			continue;
		char *hint = hd_suggestion_text(&suggestion);
		hd_usage("sweep: the study has no axis '%s'%s", names[i], *hint ? hint : "");
		free(hint);
		return false;
	}
	return true;
}

static bool write_report(const hd_sweep_options *o, hd_store *store, hd_diag *diag)
{
	const char *figures[HD_FIGURES_MAX] = {o->figure ? o->figure : "cycles"}, *axes[2];
	char *pareto = hd_xstrdup(o->pareto ? o->pareto : "cycles,state_bits"), *heat = hd_xstrdup(o->heat ? o->heat : "");
	hd_sheet sheet = {0};
	hd_text text = {0};
	hd_study_page page = {.sheet = &sheet, .heat = {-1, -1}, .sql = o->sql};
	page.n_pareto = cut("--pareto", pareto, figures + 1, 2, 3);
	bool ok = page.n_pareto && (!o->heat || cut("--heat", heat, axes, 2, 2));
	ok = ok && hd_sheet_load(&sheet, store, o->name, figures, page.n_pareto + 1, diag) && (!o->heat || find_axes(&sheet, axes, page.heat));
	if (ok && sheet.kinds.n > HD_SHEET_KINDS) {
		hd_error(diag, (hd_pos){.file = store->path}, "has %zu kinds of launches, expected at most %d", sheet.kinds.n, HD_SHEET_KINDS);
		ok = false;
	}
	if (ok && hd_ends_with(o->report, ".csv"))
		ok = hd_query_study(store, sheet.id, &text, diag);
	else
		ok = ok && hd_study_html(&page, store, &text, diag);
	ok = ok && hd_write_file(o->report, text.at, text.n, diag);
	hd_sheet_free(&sheet);
	hd_text_free(&text);
	free(pareto);
	free(heat);
	return ok;
}

/* Prints the rows of a query. */
static bool print_query(const hd_sweep_options *o, hd_store *store, hd_diag *diag)
{
	hd_text text = {0};
	bool ok = hd_query_csv(store, o->sql, HD_QUERY_SECONDS, &text, diag) && hd_put_text(NULL, text.at, text.n, diag);
	hd_text_free(&text);
	return ok;
}

static bool print_table(const hd_sweep_options *o, hd_store *store, hd_diag *diag)
{
	hd_text text = {0};
	const char *name = strcmp(o->table, "all") == 0 ? NULL : o->table;
	bool ok = hd_table_markdown(store, o->name, name, &text, diag) && hd_put_text(NULL, text.at, text.n, diag);
	hd_text_free(&text);
	return ok;
}

int hd_sweep_report(const hd_sweep_options *o)
{
	hd_diag diag = {0};
	hd_store store;
	if (!o->report && !o->sql && !o->table)
		return hd_usage("sweep: nothing to report, expected --report FILE.html, --report FILE.csv, --table NAME or --sql QUERY");
	bool ok = hd_store_open(&store, o->study, HD_STORE_READ, &diag);
	ok = ok && (o->report ? write_report(o, &store, &diag) : o->table ? print_table(o, &store, &diag) : print_query(o, &store, &diag));
	hd_store_close(&store);
	return hd_flush(&diag) == HD_EXIT_DONE && ok ? HD_EXIT_DONE : HD_EXIT_USAGE;
}
