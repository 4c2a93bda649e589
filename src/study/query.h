/* ST-5: rows of a database as CSV or as a table of a page: any query, which can read alone and takes a bounded time and memory. */
#ifndef HD_STUDY_QUERY_H
#define HD_STUDY_QUERY_H

#include "study/store.h"

enum {
	HD_QUERY_SECONDS = 30,
	HD_QUERY_ROWS_MAX = 1000000,
	HD_QUERY_BYTES_MAX = 256 << 20,
	HD_QUERY_TEXT_MAX = 1 << 20,
	HD_QUERY_MEMORY_MAX = 512 << 20
};

/* Appends the rows that `sql` selects, with the names of the columns first. False and an error in diag: it is no query, writes, or takes longer than
 * `seconds`. The database must be open for reading. */
bool hd_query_csv(hd_store *store, const char *sql, double seconds, hd_text *out, hd_diag *diag);
bool hd_query_html(hd_store *store, const char *sql, double seconds, hd_text *out, hd_diag *diag);

/* Calls `row` with `head` for the names of the columns, and then for each row. False means too much: it ends the query with an error. `pos` is the
 * place of errors. `row` NULL: the query is looked at, and does not run. */
typedef bool hd_query_fn(void *context, sqlite3_stmt *row, bool head);
bool hd_query_rows(hd_store *store, const char *sql, double seconds, hd_query_fn *row, void *context, hd_pos pos, hd_diag *diag);

/* Appends a name or a text between the quotes of SQL. */
void hd_query_quote(hd_text *out, const char *text, char quote);

/* The sheet of a study as CSV: a row for each run, with axes, status, message, figures of the machine and all statistics; no column of the host. */
bool hd_query_study(hd_store *store, const char *study, hd_text *out, hd_diag *diag);

#endif
