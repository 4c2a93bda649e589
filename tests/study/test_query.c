/* ST-5: any query as a table: it reads, and nothing else, for a bounded time. */
#include "study/query.h"

#include <unistd.h>

#include "../test.h"

static char path[] = "/tmp/heddle-query-XXXXXX";
static hd_store store;

static int begin(void **state)
{
	hd_diag diag = {0};
	close(mkstemp(path));
	bool ok = hd_store_open(&store, path, HD_STORE_WRITE, &diag) && hd_store_put_study(&store, "s", "a,\"b\"\n<c>", NULL, "x", 1);
	hd_store_close(&store);
	return ok && hd_store_open(&store, path, HD_STORE_READ, &diag) ? 0 : 1;
}

static int end(void **state)
{
	hd_store_close(&store);
	return unlink(path);
}

TEST(rows_as_csv)
{
	hd_text text = {0};
	hd_diag diag = {0};
	if (!hd_query_csv(&store, "SELECT name, 7 AS n, NULL AS empty, 'plain' FROM study;", 5, &text, &diag))
		fail_msg("%s", diag.text.at);
	assert_string_equal(text.at, "name,n,empty,'plain'\n\"a,\"\"b\"\"\n<c>\",7,,plain\n");
	text.n = 0;
	assert_true(hd_query_html(&store, "SELECT name FROM study", 5, &text, &diag));
	assert_non_null(strstr(text.at, "<th class=\"text\">name</th>"));
	assert_non_null(strstr(text.at, "<td class=\"text\">a,&#34;b&#34;\n&#60;c&#62;</td>"));
	hd_text_free(&text);
}

static void refuse(const char *sql, const char *message)
{
	hd_text text = {0};
	hd_diag diag = {0};
	assert_false(hd_query_csv(&store, sql, 0.3, &text, &diag));
	if (!strstr(diag.text.at, message))
		fail_msg("%s: %s, expected %s", sql, diag.text.at, message);
	hd_diag_free(&diag);
	hd_text_free(&text);
}

TEST(it_reads_and_nothing_else)
{
	refuse("DELETE FROM study", "does more than read");
	refuse("ATTACH '/tmp/heddle-other.db' AS o", "does more than read");
	refuse("PRAGMA user_version = 3", "does more than read");
	refuse("CREATE TABLE t(x)", "does more than read");
	refuse("SELECT load_extension('x')", "is no query");
	refuse("SELECT * FROM nowhere", "no such table");
	refuse("SELECT 1; SELECT 2", "expected one query");
	refuse("", "expected one query");
	refuse("SELEC 1", "syntax error");
	assert_int_not_equal(access("/tmp/heddle-other.db", F_OK), 0);
}

TEST(its_time_and_rows_are_bounded)
{
	refuse("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "took longer than 0.3 s");
	hd_text text = {0};
	hd_diag diag = {0};
	assert_false(hd_query_csv(&store, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", 60, &text, &diag));
	assert_non_null(strstr(diag.text.at, "more than 1000000 rows"));
	hd_text_free(&text);
	hd_diag_free(&diag);
}

TEST_AROUND(begin, end)
