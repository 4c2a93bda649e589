#define _DEFAULT_SOURCE /* flock */
#include "study/store.h"

#include "config/state_bits.h"
#include "heddle/heddle.h"
#include "study/points.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MILLISECONDS = 10000 };

/* The figures of a run: names of columns, and where the statistics are. */
static const struct {
	const char *name;
	size_t offset;
} statistics[] = {
#define STAT(group, name, doc) {#group "_" #name, offsetof(hd_stats, group##_##name)},
#include "launch/stats.def"
#undef STAT
};

static const char *const energies[] = {
#define UNIT(name, group, doc) "energy_" #name "_fj",
#include "report/energy.def"
};
static const char *const sums[] = {"energy_total_fj", "energy_uncertainty_fj"};

unsigned hd_store_figure_count(void) { return HD_COUNT(statistics) + HD_COUNT(energies) + HD_COUNT(sums); }

const char *hd_store_figure_name(unsigned index)
{
	if (index < HD_COUNT(statistics))
		return statistics[index].name;
	index -= HD_COUNT(statistics);
	return index < HD_COUNT(energies) ? energies[index] : sums[index - HD_COUNT(energies)];
}

static uint64_t figure(const hd_run_row *row, unsigned index)
{
	uint64_t value;
	if (index < HD_COUNT(statistics)) {
		memcpy(&value, (const char *)&row->stats + statistics[index].offset, sizeof value);
		return value;
	}
	index -= HD_COUNT(statistics);
	if (index < HD_COUNT(energies))
		return row->energy.fj[index];
	return index == HD_COUNT(energies) ? hd_energy_total(&row->energy) : row->energy_uncertainty_fj;
}

static bool fail(hd_store *store, const char *what)
{
	if (!store->failed)
		hd_error(store->diag, (hd_pos){.file = store->path}, "%s: %s", what, store->db ? sqlite3_errmsg(store->db) : "out of memory");
	store->failed = true;
	return false;
}

bool hd_store_do(hd_store *store, const char *sql)
{
	if (store->failed)
		return false;
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store, "cannot be written");
}

sqlite3_stmt *hd_store_prepare(hd_store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	if (!store->failed && sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail(store, "cannot be read");
	return statement;
}

bool hd_store_step(hd_store *store, sqlite3_stmt *statement)
{
	int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		fail(store, "cannot be used");
	return status == SQLITE_ROW;
}

/* -- opening --------------------------------------------------------------------------------------------------------------------------------- */

static const char tables[] =
    "CREATE TABLE study(id TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, worker_file TEXT, worker_time INTEGER) WITHOUT ROWID;"
    "CREATE TABLE machine(id TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT, refused TEXT, state_bits INTEGER, fence_bits INTEGER, "
    "scoreboard_bits INTEGER, window_bits INTEGER, divergence_bits INTEGER, result_bits INTEGER, comparators INTEGER) WITHOUT ROWID;"
    "CREATE TABLE design(study TEXT, number INTEGER, machine TEXT NOT NULL, name TEXT NOT NULL, area INTEGER, PRIMARY KEY(study, number)) "
    "WITHOUT ROWID;"
    "CREATE INDEX design_machine ON design(study, machine);"
    "CREATE TABLE launch(id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, program TEXT, inputs TEXT) WITHOUT ROWID;"
    "CREATE TABLE point(study TEXT, number INTEGER, machine TEXT NOT NULL, axis_number INTEGER, axis TEXT NOT NULL, value_number INTEGER, value "
    "TEXT, PRIMARY KEY(study, number, axis_number)) WITHOUT ROWID;"
    "CREATE INDEX point_machine ON point(study, machine, axis_number);"
    "CREATE TABLE member(study TEXT, number INTEGER, machine TEXT NOT NULL, launch TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY(study, number)) "
    "WITHOUT ROWID;";

static void put_run_table(hd_text *out)
{
	hd_text_printf(out, "CREATE TABLE run(id TEXT PRIMARY KEY, machine TEXT NOT NULL, launch TEXT NOT NULL, status TEXT NOT NULL, message TEXT, "
	                    "version TEXT, build TEXT, outputs TEXT");
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		hd_text_printf(out, ", %s INTEGER", hd_store_figure_name(i));
	hd_text_printf(out, ", worker_host TEXT, worker_log TEXT, worker_seconds REAL, worker_started INTEGER) WITHOUT ROWID;");
}

static int64_t pragma(hd_store *store, const char *sql)
{
	sqlite3_stmt *statement = hd_store_prepare(store, sql);
	int64_t value = statement && hd_store_step(store, statement) ? sqlite3_column_int64(statement, 0) : -1;
	sqlite3_finalize(statement);
	return value;
}

static const char write_ahead[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

static bool create(hd_store *store)
{
	hd_text text = {0};
	hd_text_printf(&text, "BEGIN IMMEDIATE; %s", tables);
	put_run_table(&text);
	hd_text_printf(&text, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;", HD_STORE_APPLICATION, HD_STORE_VERSION);
	bool ok = hd_store_do(store, text.at);
	hd_text_free(&text);
	return ok;
}

/* The statistics of the file must be those of this program: a column of one name could mean something else otherwise. */
static bool same_figures(hd_store *store)
{
	hd_text mine = {0};
	put_run_table(&mine);
	mine.at[mine.n - 1] = '\0'; /* the semicolon */
	sqlite3_stmt *statement = hd_store_prepare(store, "SELECT sql FROM sqlite_schema WHERE name = 'run'");
	bool same = statement && hd_store_step(store, statement) && sqlite3_column_text(statement, 0) &&
	            strcmp((const char *)sqlite3_column_text(statement, 0), mine.at) == 0;
	sqlite3_finalize(statement);
	hd_text_free(&mine);
	return same;
}

/* Looks at the file before anything is written: a database of somebody else stays as it is. A sweep that was killed while it made its file, or whose
 * disk was full, leaves a database without tables and without an owner, which is as good as none. */
static bool check(hd_store *store, hd_store_mode mode)
{
	int64_t application = pragma(store, "PRAGMA application_id"), version = pragma(store, "PRAGMA user_version");
	hd_pos pos = {.file = store->path};
	bool begun = application == 0 && version == 0 && pragma(store, "SELECT count(*) FROM sqlite_schema") == 0;
	if (store->failed)
		return false;
	if (begun && mode == HD_STORE_WRITE)
		return hd_store_do(store, write_ahead) && create(store);
	store->failed = application != HD_STORE_APPLICATION || version != HD_STORE_VERSION;
	if (application != HD_STORE_APPLICATION)
		hd_error(store->diag, pos, "is an SQLite database, but none that `heddle sweep` has written");
	else if (version != HD_STORE_VERSION)
		hd_error(store->diag, pos, "was written in version %lld of the format, expected %d", (long long)version, HD_STORE_VERSION);
	else if (!same_figures(store) && !store->failed)
		hd_error(store->diag, pos, "was written by a version of Heddle with other statistics than %s: name another file", HEDDLE_VERSION);
	else
		return !store->failed && (mode == HD_STORE_READ || hd_store_do(store, write_ahead));
	store->failed = true;
	return false;
}

/* One sweep at a time writes to a file. The lock ends with the process, whatever ends it. */
static bool take_lock(hd_store *store)
{
	store->lock = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (store->lock < 0)
		hd_error(store->diag, (hd_pos){.file = store->path}, "cannot be written: %s", strerror(errno));
	else if (flock(store->lock, LOCK_EX | LOCK_NB) != 0)
		hd_error(store->diag, (hd_pos){.file = store->path},
		         errno == EWOULDBLOCK
		             ? "is in use by another sweep, expected to be the only one; --shard lets several work with files of their own"
		             : "cannot be locked");
	else
		return true;
	store->failed = true;
	return false;
}

/* A database in WAL mode can be read in a folder that cannot be written, as long as no log is beside it. */
static int open_read(hd_store *store)
{
	hd_text uri = {0};
	int status = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READONLY, NULL);
	if (status == SQLITE_OK && sqlite3_exec(store->db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_CANTOPEN)
		return status;
	struct stat log;
	hd_text_printf(&uri, "%s-wal", store->path);
	bool has_log = stat(uri.at, &log) == 0 && log.st_size;
	hd_text_free(&uri);
	if (has_log)
		return status == SQLITE_OK ? SQLITE_CANTOPEN : status;
	hd_text_printf(&uri, "file:");
	for (const unsigned char *at = (const unsigned char *)store->path; *at; at++)
		hd_text_printf(&uri, strchr("?#%", *at) ? "%%%02X" : "%c", *at);
	hd_text_printf(&uri, "?immutable=1");
	sqlite3_close(store->db);
	status = sqlite3_open_v2(uri.at, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	hd_text_free(&uri);
	return status;
}

bool hd_store_open(hd_store *store, const char *path, hd_store_mode mode, hd_diag *diag)
{
	*store = (hd_store){.path = path, .diag = diag, .lock = -1};
	struct stat status;
	bool there = stat(path, &status) == 0, empty = !there || status.st_size == 0;
	if (mode == HD_STORE_READ && (!there || !S_ISREG(status.st_mode) || empty)) {
		hd_error(diag, (hd_pos){.file = path}, "%s",
		         there ? "is no file of `heddle sweep`" : "is not there, expected a file that `heddle sweep` has written");
		return !(store->failed = true);
	}
	if (mode == HD_STORE_WRITE && !take_lock(store))
		return false;
	int opened = mode == HD_STORE_READ ? open_read(store) : sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE, NULL);
	if (opened != SQLITE_OK)
		return fail(store, "cannot be opened");
	sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
	/* A database of anybody is read, so triggers and views of its own must do no harm. */
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return check(store, mode);
}

void hd_store_close(hd_store *store)
{
	sqlite3_finalize(store->run);
	sqlite3_close(store->db);
	if (store->lock >= 0)
		close(store->lock);
	store->db = NULL;
	store->run = NULL;
	store->lock = -1;
}

/* -- rows ------------------------------------------------------------------------------------------------------------------------------------ */

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

/* Ends a statement that writes. */
static bool write_row(hd_store *store, sqlite3_stmt *statement)
{
	bool row = !store->failed && hd_store_step(store, statement);
	sqlite3_finalize(statement);
	return !row && !store->failed;
}

bool hd_store_put_study(hd_store *store, const char *id, const char *name, const char *file, const char *text, int64_t time)
{
	/* Each call is later than all before, also within one second: the last study is the one that somebody ran last. */
	sqlite3_stmt *s =
	    hd_store_prepare(store, "INSERT INTO study VALUES(?, ?, ?, ?, max(?, (SELECT coalesce(max(worker_time), 0) + 1 FROM study))) "
	                            "ON CONFLICT(id) DO UPDATE SET worker_time = excluded.worker_time");
	sqlite3_bind_int64(s, 5, time);
	const char *const texts[] = {id, name, text, file};
	for (unsigned i = 0; i < HD_COUNT(texts); i++)
		bind_text(s, (int)i + 1, texts[i]);
	return write_row(store, s);
}

bool hd_store_put_machine(hd_store *store, const hd_machine_row *row)
{
	sqlite3_stmt *s = hd_store_prepare(store, "INSERT OR IGNORE INTO machine VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	const char *const texts[] = {row->id, row->name, row->text, row->refused};
	for (unsigned i = 0; i < HD_COUNT(texts); i++)
		bind_text(s, (int)i + 1, texts[i]);
	if (row->machine) {
		hd_state_bits bits;
		hd_state_bits_of(row->machine, &bits);
		bool scoreboard = hd_machine_has_scoreboard(row->machine);
		const int64_t numbers[] = {hd_machine_state_bits(row->machine),
		                           scoreboard ? 0 : bits.fence_core,
		                           scoreboard ? bits.scoreboard_core : 0,
		                           bits.window_core,
		                           bits.divergence_core,
		                           bits.results_core,
		                           bits.register_comparators};
		for (unsigned i = 0; i < HD_COUNT(numbers); i++)
			sqlite3_bind_int64(s, (int)i + 5, numbers[i]);
	}
	return write_row(store, s);
}

bool hd_store_put_design(hd_store *store, const char *study, unsigned number, const char *machine, const char *name, int64_t area)
{
	sqlite3_stmt *s = hd_store_prepare(store, "INSERT OR IGNORE INTO design VALUES(?, ?, ?, ?, ?)");
	bind_text(s, 1, study);
	sqlite3_bind_int64(s, 2, number);
	bind_text(s, 3, machine);
	bind_text(s, 4, name);
	if (area >= 0)
		sqlite3_bind_int64(s, 5, area);
	return write_row(store, s);
}

bool hd_store_put_launch(hd_store *store, const hd_launch_row *row)
{
	sqlite3_stmt *s = hd_store_prepare(store, "INSERT OR IGNORE INTO launch VALUES(?, ?, ?, ?, ?)");
	const char *const texts[] = {row->id, row->name, row->kind, row->program, row->inputs};
	for (unsigned i = 0; i < HD_COUNT(texts); i++)
		bind_text(s, (int)i + 1, texts[i]);
	return write_row(store, s);
}

bool hd_store_put_point(hd_store *store, const char *study, unsigned number, const char *machine, unsigned axis_number, const char *axis,
                        unsigned value_number, const char *value)
{
	sqlite3_stmt *s = hd_store_prepare(store, "INSERT OR IGNORE INTO point VALUES(?, ?, ?, ?, ?, ?, ?)");
	bind_text(s, 1, study);
	sqlite3_bind_int64(s, 2, number);
	bind_text(s, 3, machine);
	sqlite3_bind_int64(s, 4, axis_number);
	bind_text(s, 5, axis);
	sqlite3_bind_int64(s, 6, value_number);
	bind_text(s, 7, value);
	return write_row(store, s);
}

bool hd_store_put_member(hd_store *store, const char *study, unsigned number, const char *machine, const char *launch, const char *run)
{
	sqlite3_stmt *s = hd_store_prepare(store, "INSERT OR IGNORE INTO member VALUES(?, ?, ?, ?, ?)");
	bind_text(s, 1, study);
	sqlite3_bind_int64(s, 2, number);
	bind_text(s, 3, machine);
	bind_text(s, 4, launch);
	bind_text(s, 5, run);
	return write_row(store, s);
}

static bool prepare_run(hd_store *store)
{
	hd_text sql = {0};
	hd_text_printf(&sql, "INSERT OR REPLACE INTO run VALUES(?");
	for (unsigned i = 1; i < 8 + hd_store_figure_count() + 4; i++)
		hd_text_printf(&sql, ",?");
	hd_text_printf(&sql, ")");
	store->run = hd_store_prepare(store, sql.at);
	hd_text_free(&sql);
	return store->run != NULL;
}

bool hd_store_put_run(hd_store *store, const hd_run_row *row)
{
	if (!store->run && !prepare_run(store))
		return false;
	sqlite3_stmt *s = store->run;
	const char *const texts[] = {row->id, row->machine, row->launch, row->status, row->message, row->version, row->build, row->outputs};
	int at = 1;
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	for (unsigned i = 0; i < HD_COUNT(texts); i++)
		bind_text(s, at++, texts[i]);
	for (unsigned i = 0; i < hd_store_figure_count(); i++, at++)
		if (row->measured)
			sqlite3_bind_int64(s, at, (sqlite3_int64)figure(row, i));
	bind_text(s, at++, row->host);
	bind_text(s, at++, row->log);
	sqlite3_bind_double(s, at++, row->seconds);
	sqlite3_bind_int64(s, at, row->started);
	bool ok = !hd_store_step(store, s) && !store->failed;
	sqlite3_reset(s);
	return ok;
}

bool hd_store_has_run(hd_store *store, const char *id)
{
	sqlite3_stmt *s = hd_store_prepare(store, "SELECT 1 FROM run WHERE id = ?");
	bind_text(s, 1, id);
	bool there = s && hd_store_step(store, s);
	sqlite3_finalize(s);
	return there;
}

/* The states of a run that the host ended. */
#define BY_HOST "('timeout', 'memory', 'died')"

bool hd_store_forget_failed(hd_store *store) { return hd_store_do(store, "DELETE FROM run WHERE status IN " BY_HOST); }

/* -- merging --------------------------------------------------------------------------------------------------------------------------------- */

/* True when both files have the same results for all runs that both have. */
static bool agree(hd_store *store, const char *other)
{
	hd_text sql = {0};
	hd_text_printf(&sql, "SELECT a.id FROM main.run a JOIN other.run b USING(id) WHERE a.status NOT IN " BY_HOST " AND b.status NOT IN " BY_HOST
	                     " AND (a.status IS NOT b.status OR a.message IS NOT b.message OR a.outputs IS NOT b.outputs");
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		hd_text_printf(&sql, " OR a.%s IS NOT b.%s", hd_store_figure_name(i), hd_store_figure_name(i));
	hd_text_printf(&sql, ") LIMIT 1");
	sqlite3_stmt *s = hd_store_prepare(store, sql.at);
	bool differ = s && hd_store_step(store, s);
	if (differ)
		hd_error(store->diag, (hd_pos){.file = other}, "has run %.16s with other results than %s, expected the same",
		         sqlite3_column_text(s, 0), store->path);
	sqlite3_finalize(s);
	hd_text_free(&sql);
	return !differ && !store->failed;
}

static bool same_file(const char *a, const char *b)
{
	struct stat one, other;
	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool hd_store_merge(hd_store *store, const char *path, uint64_t *runs)
{
	static const char take[] = "INSERT OR IGNORE INTO study SELECT * FROM other.study;"
	                           "INSERT OR IGNORE INTO machine SELECT * FROM other.machine;"
	                           "INSERT OR IGNORE INTO design SELECT * FROM other.design;"
	                           "INSERT OR IGNORE INTO launch SELECT * FROM other.launch;"
	                           "INSERT OR IGNORE INTO point SELECT * FROM other.point;"
	                           "INSERT OR IGNORE INTO member SELECT * FROM other.member;"
	                           "INSERT OR REPLACE INTO run SELECT b.* FROM other.run b LEFT JOIN main.run a USING(id) WHERE a.id IS NULL OR "
	                           "(a.status IN " BY_HOST " AND b.status NOT IN " BY_HOST ");";
	hd_store other;
	bool ok = hd_store_open(&other, path, HD_STORE_READ, store->diag);
	hd_store_close(&other);
	if (ok && same_file(store->path, path)) {
		hd_error(store->diag, (hd_pos){.file = path}, "is the file that is merged into, expected another one");
		ok = false;
	}
	if (!ok || store->failed)
		return false;
	sqlite3_stmt *s = hd_store_prepare(store, "ATTACH ? AS other");
	bind_text(s, 1, path);
	if (!write_row(store, s))
		return false;
	ok = agree(store, path) && hd_store_do(store, "BEGIN IMMEDIATE;") && hd_store_do(store, take);
	int64_t taken = ok ? sqlite3_changes64(store->db) : 0;
	ok = ok && hd_store_do(store, "COMMIT;");
	*runs += (uint64_t)taken;
	if (!ok)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_exec(store->db, "DETACH other", NULL, NULL, NULL);
	return ok;
}
