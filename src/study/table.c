#include "study/table.h"

#include "study/query.h"

#include <ctype.h>
#include <math.h>

enum { KINDS_MAX = 8, SEPARATOR = 31 /* of values of several axes in a text */ };

/* What a column is, by the function that its expression begins with. */
typedef enum style { NUMBER, RATIO, PERCENT, CHANGE, MEAN, SUM } style;
static const char *const style_names[] = {
    [NUMBER] = "", [RATIO] = "ratio(", [PERCENT] = "percent(", [CHANGE] = "change(", [MEAN] = "mean(", [SUM] = "sum_of("};

typedef struct column {
	char *head, *sql;
	hd_pos pos;
	style style;
} column;

/* A row of the query: a launch at a point of the axes that are rows, and, where the rows are machines, at a value of the table's axis. */
typedef struct row {
	char *rest, *point, *launch;
	unsigned kind;
	double *values; /* NAN: none */
} row;

typedef struct table {
	hd_store *store;
	const char *study;
	const hd_plan *plan;
	const hd_axis *axis; /* its values are the machines that expressions name */
	unsigned axis_number;
	bool machines; /* each row is a machine */
	HD_VEC(column) columns;
	HD_VEC(row) rows;
	HD_VEC(char *) kinds;
	HD_VEC(size_t) others; /* axes that are rows */
} table;

/* -- SQL -------------------------------------------------------------------------------------------------------------------------------------- */

static void quotient(sqlite3_context *context, int n, sqlite3_value **values)
{
	double factor = *(const double *)sqlite3_user_data(context);
	double part = sqlite3_value_double(values[0]), whole = sqlite3_value_double(values[1]);
	if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL || whole == 0)
		sqlite3_result_null(context);
	else
		sqlite3_result_double(context, factor < 0 ? 100 * (part / whole - 1) : factor * part / whole);
}

static void same(sqlite3_context *context, int n, sqlite3_value **values) { sqlite3_result_value(context, values[0]); }

static void add_functions(sqlite3 *db)
{
	static double factors[] = {1, 100, -1};
	static const char *const names[] = {"ratio", "percent", "change"};
	for (unsigned i = 0; i < HD_COUNT(names); i++)
		sqlite3_create_function(db, names[i], 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, &factors[i], quotient, NULL, NULL);
	sqlite3_create_function(db, "mean", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, same, NULL, NULL);
	sqlite3_create_function(db, "sum_of", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, same, NULL, NULL);
}

/* Copies `text` with each `word` replaced, if it stands for itself. */
static char *replace(const char *text, const char *word, const char *by)
{
	hd_text out = {0};
	size_t n = strlen(word);
	for (const char *at = text; *at;) {
		bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
		bool ends = begins && strncmp(at, word, n) == 0 && (word[n - 1] == '.' || !isalnum((unsigned char)at[n]));
		hd_text_printf(&out, ends ? "%s" : "%.1s", ends ? by : at);
		at += ends ? n : 1;
	}
	hd_text_printf(&out, "%s", "");
	return out.at;
}

/* The machine with a value of the axis as a qualifier of columns. The quotes are those of any label; expressions can have brackets in their place. */
static void put_machine_name(const table *t, size_t value, hd_text *out)
{
	hd_query_quote(out, t->axis->values.at[value].text, '"');
	hd_text_put(out, ".", 1);
}

static void add_column(table *t, const char *head, const char *sql, hd_pos pos)
{
	column c = {.head = hd_xstrdup(head), .pos = pos};
	hd_text base = {0};
	put_machine_name(t, 0, &base);
	c.sql = replace(sql, "base.", base.at);
	hd_text_free(&base);
	for (unsigned i = 1; i < HD_COUNT(style_names); i++)
		if (strncmp(c.sql, style_names[i], strlen(style_names[i])) == 0)
			c.style = (style)i;
	hd_vec_push(&t->columns, c);
}

/* The columns of a table. `each` makes one for every value of the axis but the first. */
static void add_columns(table *t, const hd_plan_table *from)
{
	for (size_t i = 0; i < from->columns.n && t->columns.n <= HD_COLUMNS_MAX; i++) {
		const char *head = from->columns.at[i].head, *sql = from->columns.at[i].text.text;
		char *found = replace(sql, "each.", ""), *own = replace(sql, "own.", "");
		bool each = strcmp(found, sql) != 0;
		t->machines = t->machines || strcmp(own, sql) != 0;
		for (size_t k = 1; each && k < t->axis->values.n && t->columns.n <= HD_COLUMNS_MAX; k++) {
			const char *label = t->axis->values.at[k].text;
			hd_text point = {0};
			put_machine_name(t, k, &point);
			char *its_head = replace(head, "each", label), *its_sql = replace(sql, "each.", point.at);
			add_column(t, its_head, its_sql, from->columns.at[i].text.pos);
			hd_text_free(&point);
			free(its_head);
			free(its_sql);
		}
		if (!each)
			add_column(t, head, sql, from->columns.at[i].text.pos);
		free(found);
		free(own);
	}
}

/* Whether a column names the figure. */
static bool named(const table *t, const char *figure)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (strstr(t->columns.at[i].sql, figure))
			return true;
	return false;
}

static void put_figure(const table *t, const char *from, const char *name, const char *suffix, hd_text *sql)
{
	char figure[64];
	snprintf(figure, sizeof figure, "%s%s", name, suffix);
	if (named(t, figure))
		hd_text_printf(sql, ", avg(%s.%s) AS %s", from, figure, figure);
}

/* The results by launch, value of the table's axis and values of the axes that are rows: means over the other axes. */
static void put_results(const table *t, hd_text *sql)
{
	static const char *const groups[] = {
#define GROUP(name, doc) #name,
#include "report/energy.def"
	};
	static const char *const units[] = {
#define UNIT(name, group, doc) #name,
#include "report/energy.def"
	};
	static const char *const bits[] = {"state", "fence", "scoreboard", "window", "divergence", "result"};
	hd_text_printf(sql, "WITH result AS MATERIALIZED (SELECT m.launch AS launch, a.value AS point, ''");
	for (size_t i = 0; i < t->others.n; i++)
		hd_text_printf(sql,
		               "||(SELECT o.value||char(%d) FROM point o WHERE o.study = m.study AND o.machine = m.machine AND o.axis_number = %zu)",
		               SEPARATOR, t->others.at[i]);
	hd_text_printf(sql, " AS rest, min(m.number) AS number, avg(r.run_cycles) AS cycles, avg(r.energy_total_fj) AS energy");
	for (unsigned g = 0; g < HD_COUNT(groups); g++) {
		hd_text_printf(sql, ", avg(0");
		for (unsigned u = 0; u < HD_COUNT(units); u++)
			if (hd_energy_group_of[u] == (hd_energy_group)g)
				hd_text_printf(sql, " + r.energy_%s_fj", units[u]);
		hd_text_printf(sql, ") AS energy_%s", groups[g]);
	}
	for (unsigned i = 0; i < HD_COUNT(bits); i++)
		put_figure(t, "c", bits[i], "_bits", sql);
	for (unsigned i = 0; hd_store_part_name(i); i++)
		put_figure(t, "c", hd_store_part_name(i), "", sql);
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		put_figure(t, "r", hd_store_figure_name(i), "", sql);
	hd_text_printf(sql,
	               " FROM member m JOIN point a ON a.study = m.study AND a.machine = m.machine AND a.axis_number = %u "
	               "JOIN machine c ON c.id = m.machine LEFT JOIN run r ON r.id = m.run AND r.status = 'done' WHERE m.study = ",
	               t->axis_number);
	hd_query_quote(sql, t->study, '\'');
	hd_text_printf(sql, " GROUP BY m.launch, a.value, rest)");
}

/* A row has the columns rest, point, launch, kind, and those of the table. Each machine that an expression names is a join. */
static void put_query(const table *t, hd_text *sql)
{
	put_results(t, sql);
	hd_text_printf(sql, " SELECT b.rest, %s, l.name, l.kind", t->machines ? "own.point" : "''");
	for (size_t i = 0; i < t->columns.n; i++)
		hd_text_printf(sql, ",\n(%s)", t->columns.at[i].sql);
	hd_text_printf(sql,
	               "\nFROM (SELECT rest, launch, min(number) AS number FROM result GROUP BY rest, launch) b JOIN launch l ON l.id = b.launch");
	if (t->machines)
		hd_text_printf(sql, " JOIN result own ON own.launch = b.launch AND own.rest = b.rest");
	for (size_t v = 0; v < t->axis->values.n; v++) {
		const char *label = t->axis->values.at[v].text;
		hd_text name = {0}, brackets = {0};
		put_machine_name(t, v, &name);
		hd_text_printf(&brackets, "[%s].", label);
		if (named(t, name.at) || named(t, brackets.at)) {
			hd_text_printf(sql, " LEFT JOIN result %.*s ON %slaunch = b.launch AND %srest = b.rest AND %spoint = ", (int)name.n - 1,
			               name.at, name.at, name.at, name.at);
			hd_query_quote(sql, label, '\'');
		}
		hd_text_free(&name);
		hd_text_free(&brackets);
	}
	hd_text_printf(sql, " ORDER BY %s.number", t->machines ? "own" : "b");
}

/* NAN for texts and for what is beyond all numbers, too. */
static double number_of(sqlite3_stmt *q, int i)
{
	int type = sqlite3_column_type(q, i);
	double value = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(q, i) : (double)NAN;
	return isfinite(value) ? value : (double)NAN;
}

static bool add_row(void *context, sqlite3_stmt *q, bool head)
{
	table *t = context;
	if (head)
		return true;
	row r = {.rest = hd_store_text(q, 0), .point = hd_store_text(q, 1), .launch = hd_store_text(q, 2)};
	while (r.kind < t->kinds.n && strcmp(t->kinds.at[r.kind], hd_store_peek(q, 3)) != 0)
		r.kind++;
	if (r.kind == t->kinds.n)
		hd_vec_push(&t->kinds, hd_store_text(q, 3));
	r.values = hd_xcalloc(t->columns.n + 1, sizeof *r.values);
	for (size_t i = 0; i < t->columns.n; i++)
		r.values[i] = number_of(q, (int)i + 4);
	hd_vec_push(&t->rows, r);
	return t->kinds.n <= KINDS_MAX;
}

/* -- Markdown ---------------------------------------------------------------------------------------------------------------------------------- */

static void put_value(hd_text *out, double value, style as)
{
	static const char *const formats[] = {
	    [NUMBER] = " %.0f |", [RATIO] = " %.3f |", [PERCENT] = " %.1f |", [CHANGE] = " %+.1f |", [MEAN] = " %.1f |", [SUM] = " %.0f |"};
	if (isnan(value))
		hd_text_printf(out, " - |");
	else
		hd_text_printf(out, fabs(value) < 1e18 ? formats[as] : " %g |", value);
}

/* A cell may have neither lines nor bars of its own. */
static void put_cell(hd_text *out, const char *text, size_t n)
{
	hd_text_put(out, " ", 1);
	for (size_t i = 0; i < n; i++)
		hd_text_printf(out, text[i] == '|' ? "\\|" : "%c", (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	hd_text_put(out, " |", 2);
}

/* The cells of a row in front of those of columns. */
static void put_names(hd_text *out, const char *first, const char *rest)
{
	hd_text_put(out, "|", 1);
	put_cell(out, first, strlen(first));
	for (const char *end; (end = strchr(rest, SEPARATOR)); rest = end + 1)
		put_cell(out, rest, (size_t)(end - rest));
}

static bool beside(const table *t, const row *a, const row *b)
{
	return strcmp(a->rest, b->rest) == 0 && (!t->machines || strcmp(a->point, b->point) == 0);
}

/* The mean of a column over the rows of a kind that are beside `first`, geometric for ratios; NAN: no row has a value. */
static double mean_of(const table *t, const row *first, size_t i, unsigned kind, unsigned *rows)
{
	double sum = 0;
	unsigned n = 0;
	*rows = 0;
	for (size_t k = 0; k < t->rows.n; k++) {
		const row *r = &t->rows.at[k];
		if (r->kind != kind || !beside(t, first, r))
			continue;
		++*rows;
		if (isnan(r->values[i]) || (t->columns.at[i].style == RATIO && r->values[i] <= 0))
			continue;
		sum += t->columns.at[i].style == RATIO ? log(r->values[i]) : r->values[i];
		n++;
	}
	return !n ? (double)NAN : t->columns.at[i].style == SUM ? sum : t->columns.at[i].style == RATIO ? exp(sum / n) : sum / n;
}

static bool has_mean(style as) { return as != NUMBER && as != SUM; }

static void put_head(const table *t, hd_text *out)
{
	size_t n = 0;
	put_names(out, t->machines ? t->axis->name : "example", "");
	for (; n < t->others.n; n++)
		hd_text_printf(out, " %s |", t->plan->axes.at[t->others.at[n]].name);
	for (size_t i = 0; i < t->columns.n; i++) {
		bool kinds = t->machines && has_mean(t->columns.at[i].style);
		for (size_t k = 0; k < (kinds ? t->kinds.n : 1); k++, n++) {
			hd_text head = {0};
			hd_text_printf(&head, kinds ? "%s, %s" : "%s", t->columns.at[i].head, kinds ? t->kinds.at[k] : "");
			put_cell(out, head.at, head.n);
			hd_text_free(&head);
		}
	}
	hd_text_printf(out, "\n|---|");
	for (; n; n--)
		hd_text_printf(out, "--:|");
	hd_text_printf(out, "\n");
}

/* The means of the rows beside one; a kind of one launch has none. */
static void put_means(const table *t, const row *first, hd_text *out)
{
	bool any = false;
	for (size_t i = 0; i < t->columns.n; i++)
		any = any || has_mean(t->columns.at[i].style);
	for (unsigned kind = 0; kind < t->kinds.n; kind++) {
		unsigned rows;
		mean_of(t, first, 0, kind, &rows);
		if (!any || rows < 2)
			continue;
		hd_text name = {0};
		hd_text_printf(&name, "**%s, mean of %u**", t->kinds.at[kind], rows);
		put_names(out, name.at, first->rest);
		hd_text_free(&name);
		for (size_t i = 0; i < t->columns.n; i++) {
			double mean = mean_of(t, first, i, kind, &rows);
			if (has_mean(t->columns.at[i].style))
				put_value(out, mean, t->columns.at[i].style);
			else
				hd_text_printf(out, " |");
		}
		hd_text_printf(out, "\n");
	}
}

static void put_machine(const table *t, const row *first, hd_text *out)
{
	put_names(out, first->point, first->rest);
	for (size_t i = 0; i < t->columns.n; i++) {
		double sum = 0;
		for (unsigned kind = 0; kind < t->kinds.n; kind++) {
			unsigned rows;
			double mean = mean_of(t, first, i, kind, &rows);
			sum += isnan(mean) ? 0 : mean;
			if (has_mean(t->columns.at[i].style))
				put_value(out, mean, t->columns.at[i].style);
		}
		if (!has_mean(t->columns.at[i].style))
			put_value(out, t->columns.at[i].style == SUM ? sum : first->values[i], t->columns.at[i].style);
	}
	hd_text_printf(out, "\n");
}

static void put_table(const table *t, hd_text *out)
{
	put_head(t, out);
	for (size_t k = 0; k < t->rows.n; k++) {
		const row *r = &t->rows.at[k], *next = k + 1 < t->rows.n ? r + 1 : NULL;
		size_t first = 0;
		while (t->machines && !beside(t, &t->rows.at[first], r))
			first++;
		if (t->machines && first == k)
			put_machine(t, r, out);
		if (t->machines)
			continue;
		put_names(out, r->launch, r->rest);
		for (size_t i = 0; i < t->columns.n; i++)
			put_value(out, r->values[i], t->columns.at[i].style);
		hd_text_printf(out, "\n");
		if (!next || !beside(t, r, next))
			put_means(t, r, out);
	}
}

/* ---------------------------------------------------------------------------------------------------------------------------------------------- */

/* The table's axis is the first one with several values. Axes behind it are rows, unless the study averages over them. */
static bool find_axes(table *t)
{
	for (size_t i = 0; i < t->plan->axes.n; i++) {
		const hd_axis *axis = &t->plan->axes.at[i];
		bool mean = false;
		for (size_t k = 0; k < t->plan->averages.n; k++)
			mean = mean || strcmp(t->plan->averages.at[k].text, axis->name) == 0;
		if (axis->values.n < 2 || mean)
			continue;
		if (t->axis) {
			hd_vec_push(&t->others, i);
		} else {
			t->axis = axis;
			t->axis_number = (unsigned)i;
		}
	}
	return t->axis;
}

static void table_free(table *t)
{
	for (size_t i = 0; i < t->columns.n; i++) {
		free(t->columns.at[i].head);
		free(t->columns.at[i].sql);
	}
	for (size_t i = 0; i < t->rows.n; i++) {
		free(t->rows.at[i].rest);
		free(t->rows.at[i].point);
		free(t->rows.at[i].launch);
		free(t->rows.at[i].values);
	}
	for (size_t i = 0; i < t->kinds.n; i++)
		free(t->kinds.at[i]);
	hd_vec_free(&t->columns);
	hd_vec_free(&t->rows);
	hd_vec_free(&t->kinds);
	hd_vec_free(&t->others);
}

/* Each column alone, so that an error has the place of its column. */
static bool check(const table *t, const hd_plan_table *from, hd_diag *diag)
{
	hd_text all = {0};
	unsigned before = diag->errors;
	if (t->columns.n > HD_COLUMNS_MAX) {
		hd_error(diag, from->pos, "table %.60s has more than %d columns", from->name, HD_COLUMNS_MAX);
		return false;
	}
	for (size_t i = 0; i < t->columns.n; i++) {
		table one = *t;
		hd_text sql = {0};
		one.columns.at = &t->columns.at[i];
		one.columns.n = 1;
		put_query(&one, &sql);
		hd_query_rows(t->store, sql.at, HD_QUERY_SECONDS, NULL, NULL, t->columns.at[i].pos, diag);
		hd_text_free(&sql);
	}
	put_query(t, &all);
	if (diag->errors == before)
		hd_query_rows(t->store, all.at, HD_QUERY_SECONDS, NULL, NULL, from->pos, diag);
	hd_text_free(&all);
	return diag->errors == before;
}

static bool make(table *t, const hd_plan_table *from, hd_text *out, hd_diag *diag)
{
	hd_text sql = {0};
	put_query(t, &sql);
	bool ok = hd_query_rows(t->store, sql.at, HD_QUERY_SECONDS, add_row, t, from->pos, diag);
	if (ok)
		put_table(t, out);
	hd_text_free(&sql);
	return ok;
}

/* Makes a table, or checks it where `out` is NULL. */
static bool take(hd_store *store, const char *study, const hd_plan *plan, const hd_plan_table *from, hd_text *out, hd_diag *diag)
{
	table t = {.store = store, .study = study, .plan = plan};
	bool ok = find_axes(&t);
	if (ok) {
		add_columns(&t, from);
		ok = check(&t, from, diag) && (!out || make(&t, from, out, diag));
	} else if (out) {
		hd_error(diag, from->pos, "table %.60s is one of a study of one machine, expected an axis with several values", from->name);
	}
	table_free(&t);
	return ok || (!out && !t.axis);
}

bool hd_table_check(const hd_plan *plan, hd_diag *diag)
{
	hd_store empty;
	bool ok = hd_store_open_empty(&empty, plan->file, diag);
	if (ok)
		add_functions(empty.db);
	for (size_t i = 0; i < plan->tables.n; i++)
		ok = take(&empty, "", plan, &plan->tables.at[i], NULL, diag) && ok;
	hd_store_close(&empty);
	return ok;
}

bool hd_table_markdown(hd_store *store, const char *study, const char *name, hd_text *out, hd_diag *diag)
{
	hd_plan plan = {0};
	char *id = NULL, *title = NULL, *text = NULL;
	bool ok = hd_store_find_study(store, study, &id, &title, &text, diag) && hd_plan_read_text(&plan, text, strlen(text), store->path, diag);
	bool found = false;
	add_functions(store->db);
	for (size_t i = 0; ok && i < plan.tables.n; i++) {
		const hd_plan_table *from = &plan.tables.at[i];
		if (name && strcmp(name, from->name) != 0)
			continue;
		if (!name)
			hd_text_printf(out, "%s%s, %s\n\n", found ? "\n" : "", title, from->name);
		found = true;
		ok = take(store, id, &plan, from, out, diag);
	}
	if (ok && !found)
		hd_error(diag, (hd_pos){.file = store->path}, "the study has no table %.60s", name ? name : "");
	hd_plan_free(&plan);
	free(id);
	free(title);
	free(text);
	return ok && found;
}
