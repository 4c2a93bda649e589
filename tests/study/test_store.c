/* ST-2, ST-3: the file of results: rows, what a second row does, merging, locks, and files that are none. */
#include "study/store.h"

#include <unistd.h>

#include "../test.h"

static char folder[] = "/tmp/heddle-store-XXXXXX", path[2][64];
static hd_diag diag;

static int begin(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/%u.db", folder, i);
		unlink(path[i]);
	}
	return 0;
}

static int end(void **state)
{
	hd_diag_free(&diag);
	diag = (hd_diag){0};
	for (unsigned i = 0; i < 2; i++)
		unlink(path[i]);
	return 0;
}

static hd_run_row row(const char *id, const char *status, uint64_t cycles)
{
	hd_run_row r = {
	    .machine = "m", .launch = "l", .status = status, .measured = cycles != 0, .version = "1", .host = "here", .seconds = 2.5, .started = 77};
	snprintf(r.id, sizeof r.id, "%s", id);
	r.stats.run_cycles = cycles;
	r.stats.memory_l1_hits = 7;
	r.energy.fj[0] = 5;
	r.energy.fj[1] = 6;
	r.energy_uncertainty_fj = 3;
	return r;
}

static void put(hd_store *store, const char *id, const char *status, uint64_t cycles)
{
	hd_run_row r = row(id, status, cycles);
	assert_true(hd_store_put_run(store, &r));
}

static int64_t ask(hd_store *store, const char *sql)
{
	sqlite3_stmt *q = hd_store_prepare(store, sql);
	assert_non_null(q);
	int64_t value = hd_store_step(store, q) ? sqlite3_column_int64(q, 0) : -1;
	sqlite3_finalize(q);
	return value;
}

static void rows_come_back(void **state)
{
	hd_store store;
	hd_machine machine;
	hd_machine_default(&machine);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_true(hd_store_put_study(&store, "s", "name", "file", "text", 5));
	assert_true(hd_store_put_study(&store, "s", "name", "file", "text", 6)); /* it is there, and last */
	/* The last study is the one that was put last, also within a second and with a clock that goes back. */
	assert_true(hd_store_put_study(&store, "u", "other", "file", "more", 6));
	assert_int_equal(ask(&store, "SELECT worker_time FROM study WHERE id = 'u'"), 7);
	assert_true(hd_store_put_study(&store, "s", "name", "file", "text", 2));
	assert_int_equal(ask(&store, "SELECT worker_time FROM study WHERE id = 's'"), 8);
	assert_int_equal(ask(&store, "SELECT count(*) FROM study WHERE id = 's' AND name = 'name' AND text = 'text'"), 1);
	assert_true(hd_store_do(&store, "DELETE FROM study WHERE id = 'u'"));
	assert_true(hd_store_put_machine(&store, &(hd_machine_row){.id = "m", .name = "heddle", .text = "t", .machine = &machine}));
	assert_true(hd_store_put_machine(&store, &(hd_machine_row){.id = "n", .name = "none", .refused = "why"}));
	/* A study's description of a machine is its own: another study can give the same machine another name and another area. */
	assert_true(hd_store_put_design(&store, "s", 0, "m", "first", 12));
	assert_true(hd_store_put_design(&store, "t", 3, "m", "second", 13));
	assert_true(hd_store_put_design(&store, "t", 4, "n", "none", -1));
	assert_true(hd_store_put_launch(&store, &(hd_launch_row){"l", "saxpy", "regular", "p", "i"}));
	assert_true(hd_store_put_point(&store, &(hd_point_row){"s", 0, "m", 0, "machine", 0, "heddle"}));
	assert_true(hd_store_put_member(&store, "s", 0, "m", "l", "r1"));
	put(&store, "r1", "done", 100);
	put(&store, "r2", "timeout", 0);
	assert_true(hd_store_has_run(&store, "r1"));
	assert_false(hd_store_has_run(&store, "r3"));
	assert_int_equal(ask(&store, "SELECT count(*) FROM study"), 1);
	assert_int_equal(ask(&store, "SELECT worker_time FROM study"), 8);
	assert_int_equal(ask(&store, "SELECT area FROM design WHERE study = 's' AND number = 0 AND machine = 'm' AND name = 'first'"), 12);
	assert_int_equal(ask(&store, "SELECT area FROM design WHERE study = 't' AND number = 3"), 13);
	assert_int_equal(ask(&store, "SELECT area IS NULL FROM design WHERE machine = 'n'"), 1);
	assert_int_equal(ask(&store, "SELECT count(*) FROM machine WHERE state_bits IS NULL AND refused = 'why'"), 1);
	assert_true(ask(&store, "SELECT state_bits FROM machine WHERE id = 'm'") ==
	            ask(&store, "SELECT fence_bits + scoreboard_bits + window_bits + result_bits FROM machine WHERE id = 'm'"));
	assert_int_equal(ask(&store, "SELECT run_cycles FROM run WHERE id = 'r1'"), 100);
	assert_int_equal(ask(&store, "SELECT memory_l1_hits FROM run WHERE id = 'r1'"), 7);
	assert_int_equal(ask(&store, "SELECT energy_total_fj FROM run WHERE id = 'r1'"), 11);
	assert_int_equal(ask(&store, "SELECT energy_uncertainty_fj FROM run WHERE id = 'r1'"), 3);
	assert_int_equal(ask(&store, "SELECT worker_started FROM run WHERE id = 'r1'"), 77);
	assert_int_equal(ask(&store, "SELECT count(*) FROM run WHERE run_cycles IS NULL"), 1);
	assert_true(hd_store_forget_failed(&store));
	assert_int_equal(ask(&store, "SELECT count(*) FROM run"), 1);
	hd_store_close(&store);
	assert_true(hd_store_open(&store, path[0], HD_STORE_READ, &diag));
	assert_true(hd_store_has_run(&store, "r1"));
	assert_false(hd_store_do(&store, "DELETE FROM run"));
	hd_store_close(&store);
}

/* Every figure has a column of its own. */
static void figures_have_names(void **state)
{
	assert_true(hd_store_figure_count() > 200);
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(hd_store_figure_name(i), hd_store_figure_name(k));
	assert_string_equal(hd_store_figure_name(0), "run_cycles");
	assert_string_equal(hd_store_figure_name(hd_store_figure_count() - 1), "code_bytes");
}

static void two(const char *status0, uint64_t cycles0, const char *status1, uint64_t cycles1)
{
	hd_store store;
	for (unsigned i = 0; i < 2; i++) {
		unlink(path[i]);
		assert_true(hd_store_open(&store, path[i], HD_STORE_WRITE, &diag));
		put(&store, "r", i ? status1 : status0, i ? cycles1 : cycles0);
		put(&store, i ? "b" : "a", "done", 9);
		assert_true(hd_store_put_design(&store, i ? "t" : "s", 0, "m", "name", 5));
		hd_store_close(&store);
	}
}

static void merging(void **state)
{
	hd_store store;
	uint64_t runs = 0;
	two("done", 5, "done", 5);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_true(hd_store_merge(&store, path[1], &runs));
	assert_int_equal(runs, 1);
	assert_int_equal(ask(&store, "SELECT count(*) FROM run"), 3);
	assert_int_equal(ask(&store, "SELECT count(*) FROM design"), 2);
	hd_store_close(&store);
	/* A run that the host ended gives way, and does not come back. */
	two("timeout", 0, "done", 5);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_true(hd_store_merge(&store, path[1], &runs));
	assert_int_equal(ask(&store, "SELECT count(*) FROM run WHERE id = 'r' AND status = 'done'"), 1);
	hd_store_close(&store);
	two("done", 5, "died", 0);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_true(hd_store_merge(&store, path[1], &runs));
	assert_int_equal(ask(&store, "SELECT count(*) FROM run WHERE id = 'r' AND status = 'done'"), 1);
	hd_store_close(&store);
	/* A file is not merged into itself, whatever its path. */
	char same[80];
	snprintf(same, sizeof same, "%s/./0.db", folder);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_false(hd_store_merge(&store, same, &runs));
	assert_non_null(strstr(diag.text.at, "is the file that is merged into"));
	hd_store_close(&store);
	/* Two files that disagree. */
	two("done", 5, "done", 6);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_false(hd_store_merge(&store, path[1], &runs));
	assert_non_null(strstr(diag.text.at, "has run r with other results"));
	assert_int_equal(ask(&store, "SELECT count(*) FROM run"), 2);
	hd_store_close(&store);
}

static void one_writer(void **state)
{
	hd_store a, b;
	assert_true(hd_store_open(&a, path[0], HD_STORE_WRITE, &diag));
	assert_false(hd_store_open(&b, path[0], HD_STORE_WRITE, &diag));
	assert_non_null(strstr(diag.text.at, "in use by another sweep"));
	hd_store_close(&b);
	assert_true(hd_store_open(&b, path[0], HD_STORE_READ, &diag));
	hd_store_close(&b);
	hd_store_close(&a);
	assert_true(hd_store_open(&a, path[0], HD_STORE_WRITE, &diag));
	hd_store_close(&a);
}

static void refuse(hd_store_mode mode, const char *message)
{
	hd_store store;
	hd_diag_free(&diag);
	diag = (hd_diag){0};
	assert_false(hd_store_open(&store, path[0], mode, &diag));
	hd_store_close(&store);
	if (!strstr(diag.text.at, message))
		fail_msg("%s, expected %s", diag.text.at, message);
}

static void change(const char *sql)
{
	sqlite3 *db;
	unlink(path[0]);
	hd_store store;
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	hd_store_close(&store);
	sqlite3_open(path[0], &db);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static size_t content(char *bytes, size_t size)
{
	FILE *file = fopen(path[0], "rb");
	assert_non_null(file);
	size_t n = fread(bytes, 1, size, file);
	fclose(file);
	return n;
}

/* A database of another program stays as it is, byte by byte. */
static void foreign_databases(void **state)
{
	static char before[65536], after[65536];
	sqlite3 *db;
	sqlite3_open(path[0], &db);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(x); INSERT INTO t VALUES(1)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	size_t n = content(before, sizeof before);
	refuse(HD_STORE_WRITE, "none that `heddle sweep` has written");
	refuse(HD_STORE_READ, "none that `heddle sweep` has written");
	assert_int_equal(content(after, sizeof after), n);
	assert_memory_equal(before, after, n);
}

/* A file whose making was cut off: a database in WAL mode without tables. A sweep goes on with it; there is nothing to read yet. */
static void files_that_were_begun(void **state)
{
	sqlite3 *db;
	hd_store store;
	sqlite3_open(path[0], &db);
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refuse(HD_STORE_READ, "has no results yet");
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_int_equal(ask(&store, "SELECT count(*) FROM run"), 0);
	assert_int_equal(ask(&store, "PRAGMA synchronous"), 1);
	hd_store_close(&store);
	/* Writes of a program to a file of ours go to the log first, also when the file was there. */
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_int_equal(ask(&store, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
	assert_int_equal(ask(&store, "PRAGMA synchronous"), 1);
	hd_store_close(&store);
}

/* The act of another process between two statements of a reader. */
static struct {
	const char *behind; /* the beginning of the first one */
	void (*act)(void);
} meanwhile;

static int statement_ended(unsigned kind, void *context, void *statement, void *nanoseconds)
{
	const char *sql = sqlite3_sql(statement);
	if (meanwhile.act && sql && strncmp(sql, meanwhile.behind, strlen(meanwhile.behind)) == 0) {
		void (*act)(void) = meanwhile.act;
		meanwhile.act = NULL;
		act();
	}
	return 0;
}

static int watch(sqlite3 *db, const char **message, const struct sqlite3_api_routines *unused)
{
	return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, statement_ended, NULL);
}

static void make_tables(void)
{
	hd_store store;
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	hd_store_close(&store);
}

/* A sweep makes the file while somebody opens it: what the reader sees is the file before or after, and never a part of each. */
static void opened_while_it_is_made(void **state)
{
	static const char *const statements[] = {"SELECT count(*) FROM sqlite_schema", "PRAGMA application_id", "PRAGMA user_version"};
	sqlite3_auto_extension((void (*)(void))watch);
	for (unsigned i = 0; i < HD_COUNT(statements); i++) {
		sqlite3 *db;
		unlink(path[0]);
		sqlite3_open(path[0], &db);
		assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		meanwhile.behind = statements[i];
		meanwhile.act = make_tables;
		refuse(HD_STORE_READ, "has no results yet");
		assert_null(meanwhile.act);
	}
	sqlite3_reset_auto_extension();
}

static void take_rows(void)
{
	hd_store store;
	assert_true(hd_store_open(&store, path[1], HD_STORE_WRITE, &diag));
	put(&store, "r", "done", 6);
	hd_store_close(&store);
}

/* A sweep writes to the other file between comparing and taking: what is taken is what was compared. */
static void merged_while_it_is_written(void **state)
{
	hd_store store;
	uint64_t runs = 0;
	two("timeout", 0, "timeout", 0);
	sqlite3_auto_extension((void (*)(void))watch);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	meanwhile.behind = "SELECT a.id FROM main.run";
	meanwhile.act = take_rows;
	assert_true(hd_store_merge(&store, path[1], &runs));
	assert_null(meanwhile.act);
	assert_int_equal(runs, 1);
	assert_int_equal(ask(&store, "SELECT count(*) FROM run WHERE id = 'r' AND status = 'timeout'"), 1);
	hd_store_close(&store);
	sqlite3_reset_auto_extension();
}

/* Statements are used for many rows: a value that a row lacks is not that of the row before. */
static void rows_share_nothing(void **state)
{
	hd_store store;
	hd_machine machine;
	hd_machine_default(&machine);
	assert_true(hd_store_open(&store, path[0], HD_STORE_WRITE, &diag));
	assert_true(hd_store_put_machine(&store, &(hd_machine_row){.id = "m", .name = "heddle", .text = "t", .machine = &machine}));
	assert_true(hd_store_put_machine(&store, &(hd_machine_row){.id = "n", .name = "none"}));
	assert_int_equal(ask(&store, "SELECT count(*) FROM machine WHERE text IS NULL AND state_bits IS NULL"), 1);
	assert_true(hd_store_put_design(&store, "s", 0, "m", "a", 12));
	assert_true(hd_store_put_design(&store, "s", 1, "n", "b", -1));
	assert_int_equal(ask(&store, "SELECT count(*) FROM design WHERE area IS NULL"), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_true(hd_store_put_point(&store, &(hd_point_row){"s", i, "m", i, "axis", i, i == 1 ? "value" : NULL}));
	assert_int_equal(ask(&store, "SELECT count(*) FROM point WHERE value IS NULL"), 2);
	assert_int_equal(ask(&store, "SELECT sum(number + axis_number * 10 + value_number * 100) FROM point"), 333);
	put(&store, "a", "done", 100);
	put(&store, "b", "died", 0);
	assert_int_equal(ask(&store, "SELECT count(*) FROM run WHERE run_cycles IS NULL"), 1);
	/* A statement that has given a row can be used again. */
	for (unsigned i = 0; i < 3; i++) {
		assert_true(hd_store_has_run(&store, "b"));
		assert_false(hd_store_has_run(&store, "c"));
	}
	/* One statement each for machines, designs, points, runs and the question for a run. None is left open, which would hold a transaction. */
	unsigned prepared = 0;
	for (sqlite3_stmt *q = NULL; (q = sqlite3_next_stmt(store.db, q));) {
		assert_false(sqlite3_stmt_busy(q));
		prepared++;
	}
	assert_int_equal(prepared, 5);
	assert_true(hd_store_do(&store, "DROP TABLE point"));
	assert_false(hd_store_put_point(&store, &(hd_point_row){"s", 9, "m", 0, "axis", 0, "value"}));
	assert_true(store.failed);
	assert_false(hd_store_put_member(&store, "s", 0, "m", "l", "a"));
	assert_false(hd_store_put_design(&store, "s", 2, "m", "c", 1));
	store.failed = false;
	assert_int_equal(ask(&store, "SELECT count(*) FROM design"), 2);
	hd_store_close(&store);
}

static void files_that_are_none(void **state)
{
	refuse(HD_STORE_READ, "is not there");
	FILE *file = fopen(path[0], "w");
	fclose(file);
	refuse(HD_STORE_READ, "is no file of");
	file = fopen(path[0], "w");
	for (int i = 0; i < 1000; i++)
		fputs("text ", file);
	fclose(file);
	refuse(HD_STORE_READ, "not a database");
	refuse(HD_STORE_WRITE, "not a database");
	for (unsigned mode = 0; mode < 2; mode++) {
		change("PRAGMA application_id = 5");
		refuse((hd_store_mode)mode, "none that `heddle sweep` has written");
		change("PRAGMA user_version = 1");
		refuse((hd_store_mode)mode, "version 1 of the format, expected 3");
		change("ALTER TABLE design RENAME TO d; CREATE VIEW design AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
		       "SELECT '' AS study, n AS number, 'm' AS machine, '' AS name, 1 AS area FROM c");
		refuse((hd_store_mode)mode, "other tables");
		change("ALTER TABLE study ADD COLUMN x");
		refuse((hd_store_mode)mode, "other tables");
		change("DROP TABLE member");
		refuse((hd_store_mode)mode, "other tables");
		change("ALTER TABLE run ADD COLUMN x");
		refuse((hd_store_mode)mode, "other statistics");
		change("DROP TABLE run");
		refuse((hd_store_mode)mode, "other statistics");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(rows_come_back, begin, end),
	    cmocka_unit_test(figures_have_names),
	    cmocka_unit_test_setup_teardown(merging, begin, end),
	    cmocka_unit_test_setup_teardown(one_writer, begin, end),
	    cmocka_unit_test_setup_teardown(files_that_are_none, begin, end),
	    cmocka_unit_test_setup_teardown(foreign_databases, begin, end),
	    cmocka_unit_test_setup_teardown(files_that_were_begun, begin, end),
	    cmocka_unit_test_setup_teardown(opened_while_it_is_made, begin, end),
	    cmocka_unit_test_setup_teardown(merged_while_it_is_written, begin, end),
	    cmocka_unit_test_setup_teardown(rows_share_nothing, begin, end),
	};
	if (!mkdtemp(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
