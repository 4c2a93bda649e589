#include "study/query.h"

#include "report/html/page.h"

enum { STEPS = 10000 /* of the database's machine between two looks at the clock */ };

static int too_late(void *context)
{
	const double *end = context;
	return hd_now() > *end;
}

/* Lets a query read tables and call functions, and nothing else: no other file can be attached. */
static int authorize(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
	bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
	bool calls = action == SQLITE_FUNCTION && b && strcmp(b, "load_extension") != 0;
	return reads || calls ? SQLITE_OK : SQLITE_DENY;
}

static bool refuse(hd_store *store, const char *what, hd_pos pos, hd_diag *diag)
{
	hd_error(diag, pos, "%s: %.300s", what, sqlite3_errmsg(store->db));
	return false;
}

/* One statement, and nothing behind it. */
static sqlite3_stmt *prepare(hd_store *store, const char *sql, hd_pos pos, hd_diag *diag)
{
	sqlite3_stmt *q = NULL;
	const char *rest = "";
	int status = sqlite3_prepare_v2(store->db, sql, -1, &q, &rest);
	if (status == SQLITE_OK && q && !rest[strspn(rest, " \t\r\n;")])
		return q;
	if (status == SQLITE_AUTH)
		hd_error(diag, pos, "the query does more than read, expected SELECT");
	else if (status == SQLITE_OK)
		hd_error(diag, pos, "expected one query");
	else
		refuse(store, "is no query", pos, diag);
	sqlite3_finalize(q);
	return NULL;
}

void hd_query_quote(hd_text *out, const char *text, char quote)
{
	hd_text_put(out, &quote, 1);
	for (; *text; text++) {
		hd_text_put(out, text, 1);
		if (*text == quote)
			hd_text_put(out, text, 1);
	}
	hd_text_put(out, &quote, 1);
}

static void put_csv(hd_text *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		hd_text_printf(out, "%s", text);
		return;
	}
	hd_query_quote(out, text, '"');
}

/* A row: names of columns, or values. On a page, columns of text stand left and are broken into lines. */
static void put_row(sqlite3_stmt *q, bool names, bool html, hd_text *out)
{
	hd_text_printf(out, html ? "<tr>" : "");
	for (int i = 0; i < sqlite3_column_count(q); i++) {
		const char *text = names ? sqlite3_column_name(q, i) : hd_store_peek(q, i);
		if (html) {
			int type = sqlite3_column_type(q, i);
			hd_text_printf(out, "<%s%s>", names ? "th" : "td", type == SQLITE_INTEGER || type == SQLITE_FLOAT ? "" : " class=\"text\"");
			hd_page_escape(out, text);
			hd_text_printf(out, names ? "</th>" : "</td>");
		} else {
			hd_text_printf(out, i ? "," : "");
			put_csv(out, text);
		}
	}
	hd_text_printf(out, html ? "</tr>\n" : "\n");
}

typedef struct listing {
	hd_text *out;
	size_t most; /* bytes of out */
	bool html;
} listing;

static bool put_next(void *context, sqlite3_stmt *q, bool head)
{
	listing *l = context;
	put_row(q, head, l->html, l->out);
	return l->out->n <= l->most;
}

/* Steps through the rows. The head comes after the first step, because the first row says which columns are text. */
static bool step(hd_store *store, sqlite3_stmt *q, double seconds, hd_query_fn *row, void *context, hd_pos pos, hd_diag *diag)
{
	size_t rows = 0;
	int status = sqlite3_step(q);
	for (bool ok = row(context, q, true); status == SQLITE_ROW; status = sqlite3_step(q)) {
		ok = ok && row(context, q, false);
		if (!ok || ++rows == HD_QUERY_ROWS_MAX) {
			hd_error(diag, pos, "the query has more than %d rows or %d MiB", HD_QUERY_ROWS_MAX, HD_QUERY_BYTES_MAX >> 20);
			return false;
		}
	}
	if (status == SQLITE_DONE)
		return true;
	if (status == SQLITE_NOMEM)
		hd_error(diag, pos, "the query takes more than %d MiB", HD_QUERY_MEMORY_MAX >> 20);
	else if (status == SQLITE_INTERRUPT)
		hd_error(diag, pos, "the query took longer than %g s", seconds);
	else
		refuse(store, "the query failed", pos, diag);
	return false;
}

bool hd_query_rows(hd_store *store, const char *sql, double seconds, hd_query_fn *row, void *context, hd_pos pos, hd_diag *diag)
{
	double end = hd_now() + seconds;
	/* A function of one long text is not interrupted. */
	int length = sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, HD_QUERY_TEXT_MAX);
	int64_t memory = sqlite3_hard_heap_limit64(HD_QUERY_MEMORY_MAX);
	sqlite3_set_authorizer(store->db, authorize, NULL);
	sqlite3_progress_handler(store->db, STEPS, too_late, &end);
	sqlite3_stmt *q = prepare(store, sql, pos, diag);
	bool ok = q && (!row || step(store, q, seconds, row, context, pos, diag));
	sqlite3_finalize(q);
	sqlite3_progress_handler(store->db, 0, NULL, NULL);
	sqlite3_set_authorizer(store->db, NULL, NULL);
	sqlite3_hard_heap_limit64(memory);
	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, length);
	return ok;
}

/* The rows as CSV, or as rows of a page's table. */
static bool list(hd_store *store, const char *sql, double seconds, bool html, hd_text *out, hd_diag *diag)
{
	listing l = {out, out->n + HD_QUERY_BYTES_MAX, html};
	return hd_query_rows(store, sql, seconds, put_next, &l, (hd_pos){.file = store->path}, diag);
}

bool hd_query_csv(hd_store *store, const char *sql, double seconds, hd_text *out, hd_diag *diag)
{
	return list(store, sql, seconds, false, out, diag);
}

bool hd_query_html(hd_store *store, const char *sql, double seconds, hd_text *out, hd_diag *diag)
{
	hd_text_printf(out, "<div class=\"scroll\"><table>\n");
	bool ok = list(store, sql, seconds, true, out, diag);
	hd_text_printf(out, "</table></div>\n");
	return ok;
}

bool hd_query_study(hd_store *store, const char *study, hd_text *out, hd_diag *diag)
{
	hd_text sql = {0};
	hd_text_printf(&sql, "SELECT m.number, l.name AS launch, l.kind, d.name AS name");
	sqlite3_stmt *q = hd_store_prepare(store, "SELECT DISTINCT axis_number, axis FROM point WHERE study = ? ORDER BY axis_number");
	if (q)
		sqlite3_bind_text(q, 1, study, -1, SQLITE_STATIC);
	while (q && hd_store_step(store, q)) {
		hd_text_printf(&sql, ", (SELECT value FROM point p WHERE p.study = m.study AND p.machine = m.machine AND p.axis_number = %lld) AS ",
		               sqlite3_column_int64(q, 0));
		hd_query_quote(&sql, hd_store_peek(q, 1), '"');
	}
	sqlite3_finalize(q);
	hd_text_printf(&sql, ", coalesce(r.status, 'missing') AS status, r.message, c.state_bits, c.fence_bits, c.scoreboard_bits, c.window_bits, "
	                     "c.divergence_bits, c.result_bits, d.area, r.outputs, l.program, l.inputs, c.id AS machine_id, m.run");
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		hd_text_printf(&sql, ", r.%s", hd_store_figure_name(i));
	hd_text_printf(&sql, " FROM member m JOIN launch l ON l.id = m.launch JOIN machine c ON c.id = m.machine "
	                     "JOIN design d ON d.study = m.study AND d.machine = m.machine LEFT JOIN run r ON r.id = m.run "
	                     "WHERE m.study = ");
	hd_query_quote(&sql, study, '\'');
	hd_text_printf(&sql, " ORDER BY m.number");
	bool ok = !store->failed && hd_query_csv(store, sql.at, HD_QUERY_SECONDS * 20, out, diag);
	hd_text_free(&sql);
	return ok;
}
