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

/* Columns of a machine that are parts of the others, as config/state_bits.h has them. */
#define PARTS(X)            \
	X(fence_warp)       \
	X(scoreboard_warp)  \
	X(divergence_warp)  \
	X(divergence_lanes) \
	X(divergence_minrc) X(divergence_members) X(divergence_calls) X(divergence_tokens) X(resume_comparators) X(result_comparators)
#define COLUMN(name) ", " #name " INTEGER"
#define PARAMETER(name) ", ?"
#define VALUE(name) bits.name,
#define NAME(name) #name,
static const char *const parts[] = {PARTS(NAME)};

static const char *const energies[] = {
#define UNIT(name, group, doc) "energy_" #name "_fj",
#include "report/energy.def"
};
static const char *const sums[] = {"energy_total_fj", "energy_uncertainty_fj", "code_bytes"};

const char *hd_store_part_name(unsigned index) { return index < HD_COUNT(parts) ? parts[index] : NULL; }

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
	const uint64_t others[HD_COUNT(sums)] = {hd_energy_total(&row->energy), row->energy_uncertainty_fj, row->code_bytes};
	return others[index - HD_COUNT(energies)];
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
    "scoreboard_bits INTEGER, window_bits INTEGER, divergence_bits INTEGER, result_bits INTEGER, comparators INTEGER" PARTS(
        COLUMN) ") WITHOUT ROWID;"
                "CREATE TABLE design(study TEXT, number INTEGER, machine TEXT NOT NULL, name TEXT NOT NULL, area INTEGER, PRIMARY KEY(study, "
                "number)) "
                "WITHOUT ROWID;"
                "CREATE INDEX design_machine ON design(study, machine);"
                "CREATE TABLE launch(id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, program TEXT, inputs TEXT) WITHOUT ROWID;"
                "CREATE TABLE point(study TEXT, number INTEGER, machine TEXT NOT NULL, axis_number INTEGER, axis TEXT NOT NULL, value_number "
                "INTEGER, value "
                "TEXT, PRIMARY KEY(study, number, axis_number)) WITHOUT ROWID;"
                "CREATE INDEX point_machine ON point(study, machine, axis_number);"
                "CREATE TABLE member(study TEXT, number INTEGER, machine TEXT NOT NULL, launch TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY(study, "
                "number)) "
                "WITHOUT ROWID;";

static void put_run_table(hd_text *out)
{
	hd_text_printf(out, "CREATE TABLE run(id TEXT PRIMARY KEY, machine TEXT NOT NULL, launch TEXT NOT NULL, status TEXT NOT NULL, message TEXT, "
	                    "version TEXT, build TEXT, outputs TEXT");
	for (unsigned i = 0; i < hd_store_figure_count(); i++)
		hd_text_printf(out, ", %s INTEGER", hd_store_figure_name(i));
	hd_text_printf(out, ", worker_host TEXT, worker_log TEXT, worker_seconds REAL, worker_started INTEGER) WITHOUT ROWID;");
}

static int64_t number(hd_store *store, const char *sql)
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

/* Whether the file has a table or an index that is exactly this one. */
static bool has_object(hd_store *store, const char *sql, size_t n)
{
	sqlite3_stmt *statement = hd_store_prepare(store, "SELECT 1 FROM sqlite_schema WHERE sql = ?");
	if (statement)
		sqlite3_bind_text(statement, 1, sql, (int)n, SQLITE_STATIC);
	bool same = statement && hd_store_step(store, statement);
	sqlite3_finalize(statement);
	return same;
}

/* The statistics of the file must be those of this program: a column of one name could mean something else otherwise. */
static bool same_figures(hd_store *store)
{
	hd_text mine = {0};
	put_run_table(&mine);
	bool same = has_object(store, mine.at, mine.n - 1 /* the semicolon */);
	hd_text_free(&mine);
	return same;
}

/* A view in place of a table could have any number of rows. */
static bool same_tables(hd_store *store)
{
	bool same = true;
	for (const char *at = tables, *end; same && (end = strchr(at, ';')); at = end + 1)
		same = has_object(store, at, (size_t)(end - at));
	return same;
}

/* The identity of a file. It is read in one transaction, because another process can be making it. */
typedef struct identity {
	int64_t application, version, tables;
	bool same_figures, same_tables; /* statistics and tables are those of this program */
} identity;

static bool identify(hd_store *store, identity *who)
{
	*who = (identity){0};
	if (!hd_store_do(store, "BEGIN"))
		return false;
	who->tables = number(store, "SELECT count(*) FROM sqlite_schema");
	who->application = number(store, "PRAGMA application_id");
	who->version = number(store, "PRAGMA user_version");
	who->same_figures = same_figures(store);
	who->same_tables = same_tables(store);
	return hd_store_do(store, "COMMIT");
}

/* Looks at the file before anything is written: a database of somebody else stays as it is. A sweep that was killed while it made its file, or whose
 * disk was full, leaves a database without tables and without an owner, which is as good as none. */
static bool check(hd_store *store, hd_store_mode mode)
{
	identity who;
	hd_pos pos = {.file = store->path};
	if (!identify(store, &who))
		return false;
	bool begun = who.application == 0 && who.version == 0 && who.tables == 0;
	if (begun && mode == HD_STORE_WRITE)
		return hd_store_do(store, write_ahead) && create(store);
	if (begun)
		hd_error(store->diag, pos, "has no results yet, expected a file that `heddle sweep` has written");
	else if (who.application != HD_STORE_APPLICATION)
		hd_error(store->diag, pos, "is an SQLite database, but none that `heddle sweep` has written");
	else if (who.version != HD_STORE_VERSION)
		hd_error(store->diag, pos, "was written in version %lld of the format, expected %d", (long long)who.version, HD_STORE_VERSION);
	else if (!who.same_tables)
		hd_error(store->diag, pos, "has other tables than `heddle sweep` makes");
	else if (!who.same_figures)
		hd_error(store->diag, pos, "was written by a version of Heddle with other statistics than %s: name another file", HEDDLE_VERSION);
	else
		return mode == HD_STORE_READ || hd_store_do(store, write_ahead);
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

/* Whether a log with content is beside the file: a sweep is writing, or was killed. */
static bool has_log(const char *path)
{
	hd_text log = {0};
	struct stat status;
	hd_text_printf(&log, "%s-wal", path);
	bool there = stat(log.at, &status) == 0 && status.st_size;
	hd_text_free(&log);
	return there;
}

static bool can_be_written(const char *path)
{
	char *folder = hd_xstrdup(path), *slash = strrchr(folder, '/');
	if (slash)
		slash[1] = '\0';
	bool can = access(path, W_OK) == 0 && access(slash ? folder : ".", W_OK) == 0;
	free(folder);
	return can;
}

/* The file as a URI, which says whether it is written: SQLite takes that for a database that it attaches in no other way. */
static void put_uri(hd_text *uri, const char *path, const char *mode)
{
	hd_text_printf(uri, *path == '/' ? "file://" : "file:");
	for (const unsigned char *at = (const unsigned char *)path; *at; at++)
		hd_text_printf(uri, strchr("?#%", *at) ? "%%%02X" : "%c", *at);
	hd_text_printf(uri, "?%s", mode);
}

/* Whoever reads a database in WAL mode makes files beside it, which only a connection that can write deletes. Where there is none, the database is
 * read as one that nobody changes. */
static const char *reading_mode(const char *path) { return can_be_written(path) || has_log(path) ? "mode=ro" : "mode=ro&immutable=1"; }

static int open_database(const char *path, const char *mode, sqlite3 **db)
{
	hd_text uri = {0};
	put_uri(&uri, path, mode);
	int status = sqlite3_open_v2(uri.at, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL);
	hd_text_free(&uri);
	return status;
}

/* The last connection that closes deletes the files beside the database if it can write, so one opens and closes. If another process uses the file,
 * it deletes nothing. */
static void tidy(const char *path)
{
	sqlite3 *db;
	if (open_database(path, "mode=rw", &db) == SQLITE_OK)
		sqlite3_exec(db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
	sqlite3_close(db);
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
	store->tidy = mode == HD_STORE_READ && can_be_written(path) && !has_log(path);
	if (open_database(path, mode == HD_STORE_READ ? reading_mode(path) : "mode=rw", &store->db) != SQLITE_OK)
		return fail(store, "cannot be opened");
	sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
	/* A database of anybody is read, so triggers and views of its own must do no harm. */
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (!check(store, mode))
		return false;
	/* The log of a foreign database is not ours to finish, that of a killed sweep is. */
	store->tidy = mode == HD_STORE_READ && can_be_written(path);
	/* What a query sorts stays in memory, which is bounded. */
	return mode == HD_STORE_WRITE || hd_store_do(store, "PRAGMA temp_store = MEMORY");
}

bool hd_store_open_empty(hd_store *store, const char *name, hd_diag *diag)
{
	*store = (hd_store){.path = name, .diag = diag, .lock = -1};
	return sqlite3_open(":memory:", &store->db) == SQLITE_OK ? create(store) : fail(store, "no memory");
}

void hd_store_close(hd_store *store)
{
	for (unsigned i = 0; i < HD_STORE_ROWS; i++) {
		sqlite3_finalize(store->rows[i]);
		store->rows[i] = NULL;
	}
	sqlite3_close(store->db);
	if (store->tidy)
		tidy(store->path);
	if (store->lock >= 0)
		close(store->lock);
	store->db = NULL;
	store->tidy = false;
	store->lock = -1;
}

const char *hd_store_peek(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);
	return text ? (const char *)text : "";
}

char *hd_store_text(sqlite3_stmt *statement, int column) { return hd_xstrdup(hd_store_peek(statement, column)); }

bool hd_store_find_study(hd_store *store, const char *wanted, char **id, char **name, char **text, hd_diag *diag)
{
	sqlite3_stmt *q = hd_store_prepare(store, "SELECT id, name, text FROM study WHERE ?1 IS NULL OR name = ?1 OR substr(id, 1, length(?1)) = ?1 "
	                                          "ORDER BY worker_time DESC, id LIMIT 1");
	if (q)
		sqlite3_bind_text(q, 1, wanted, -1, SQLITE_STATIC);
	bool found = q && hd_store_step(store, q);
	char **const into[] = {id, name, text};
	for (int i = 0; found && i < 3; i++)
		if (into[i])
			*into[i] = hd_store_text(q, i);
	if (!found && !store->failed)
		hd_error(diag, (hd_pos){.file = store->path}, "has no study%s%.80s", wanted ? " " : "", wanted ? wanted : "");
	sqlite3_finalize(q);
	return found;
}

/* -- rows ------------------------------------------------------------------------------------------------------------------------------------ */

static void put_row_text(hd_store_row row, hd_text *sql)
{
	static const char *const texts[HD_STORE_ROWS] = {
	    /* Each call is later than all before, also within one second: the last study is the one that somebody ran last. */
	    [HD_STORE_STUDY] = ("INSERT INTO study VALUES(?, ?, ?, ?, max(?, (SELECT coalesce(max(worker_time), 0) + 1 FROM study))) "
	                        "ON CONFLICT(id) DO UPDATE SET worker_time = excluded.worker_time"),
	    [HD_STORE_MACHINE] = "INSERT OR IGNORE INTO machine VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?" PARTS(PARAMETER) ")",
	    [HD_STORE_DESIGN] = "INSERT OR IGNORE INTO design VALUES(?, ?, ?, ?, ?)",
	    /* The same launch can have another label. */
	    [HD_STORE_LAUNCH] = "INSERT INTO launch VALUES(?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET name = excluded.name",
	    [HD_STORE_POINT] = "INSERT OR IGNORE INTO point VALUES(?, ?, ?, ?, ?, ?, ?)",
	    [HD_STORE_MEMBER] = "INSERT OR IGNORE INTO member VALUES(?, ?, ?, ?, ?)",
	    [HD_STORE_RUN] = "INSERT OR REPLACE INTO run VALUES(?",
	    [HD_STORE_HAS_RUN] = "SELECT 1 FROM run WHERE id = ?"};
	hd_text_printf(sql, "%s", texts[row]);
	for (unsigned i = 1; row == HD_STORE_RUN && i < 8 + hd_store_figure_count() + 4; i++)
		hd_text_printf(sql, ",?");
	hd_text_printf(sql, row == HD_STORE_RUN ? ")" : "");
}

/* The statement of a row, with nothing bound. NULL after an error. */
static sqlite3_stmt *begin_row(hd_store *store, hd_store_row row)
{
	hd_text sql = {0};
	if (!store->rows[row]) {
		put_row_text(row, &sql);
		store->rows[row] = hd_store_prepare(store, sql.at);
		hd_text_free(&sql);
	}
	return store->failed ? NULL : store->rows[row];
}

/* Runs the statement of a row. True for a row that it gives. Nothing stays bound: the texts are the caller's. */
static bool end_row(hd_store *store, sqlite3_stmt *statement)
{
	bool row = hd_store_step(store, statement);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return row;
}

static bool write_row(hd_store *store, sqlite3_stmt *statement)
{
	end_row(store, statement);
	return !store->failed;
}

/* NULL binds NULL. */
static void bind_texts(sqlite3_stmt *statement, const char *const *texts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sqlite3_bind_text(statement, (int)i + 1, texts[i], -1, SQLITE_STATIC);
}

bool hd_store_put_study(hd_store *store, const char *id, const char *name, const char *file, const char *text, int64_t time)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_STUDY);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){id, name, text, file}, 4);
	sqlite3_bind_int64(s, 5, time);
	return write_row(store, s);
}

bool hd_store_put_machine(hd_store *store, const hd_machine_row *row)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_MACHINE);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){row->id, row->name, row->text, row->refused}, 4);
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
		                           bits.register_comparators,
		                           PARTS(VALUE)};
		for (unsigned i = 0; i < HD_COUNT(numbers); i++)
			sqlite3_bind_int64(s, (int)i + 5, numbers[i]);
	}
	return write_row(store, s);
}

bool hd_store_put_design(hd_store *store, const char *study, unsigned number, const char *machine, const char *name, int64_t area)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_DESIGN);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){study, NULL, machine, name}, 4);
	sqlite3_bind_int64(s, 2, number);
	if (area >= 0)
		sqlite3_bind_int64(s, 5, area);
	return write_row(store, s);
}

bool hd_store_put_launch(hd_store *store, const hd_launch_row *row)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_LAUNCH);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){row->id, row->name, row->kind, row->program, row->inputs}, 5);
	return write_row(store, s);
}

bool hd_store_put_point(hd_store *store, const hd_point_row *row)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_POINT);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){row->study, NULL, row->machine, NULL, row->axis, NULL, row->value}, 7);
	sqlite3_bind_int64(s, 2, row->number);
	sqlite3_bind_int64(s, 4, row->axis_number);
	sqlite3_bind_int64(s, 6, row->value_number);
	return write_row(store, s);
}

bool hd_store_put_member(hd_store *store, const char *study, unsigned number, const char *machine, const char *launch, const char *run)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_MEMBER);
	if (!s)
		return false;
	bind_texts(s, (const char *const[]){study, NULL, machine, launch, run}, 5);
	sqlite3_bind_int64(s, 2, number);
	return write_row(store, s);
}

bool hd_store_put_run(hd_store *store, const hd_run_row *row)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_RUN);
	const char *const texts[] = {row->id, row->machine, row->launch, row->status, row->message, row->version, row->build, row->outputs};
	const char *const host[] = {row->host, row->log};
	int at = HD_COUNT(texts) + 1;
	if (!s)
		return false;
	bind_texts(s, texts, HD_COUNT(texts));
	for (unsigned i = 0; i < hd_store_figure_count(); i++, at++)
		if (row->measured)
			sqlite3_bind_int64(s, at, (sqlite3_int64)figure(row, i));
	for (unsigned i = 0; i < HD_COUNT(host); i++)
		sqlite3_bind_text(s, at++, host[i], -1, SQLITE_STATIC);
	sqlite3_bind_double(s, at++, row->seconds);
	sqlite3_bind_int64(s, at, row->started);
	return write_row(store, s);
}

bool hd_store_has_run(hd_store *store, const char *id)
{
	sqlite3_stmt *s = begin_row(store, HD_STORE_HAS_RUN);
	if (!s)
		return false;
	bind_texts(s, &id, 1);
	return end_row(store, s);
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
		hd_error(store->diag, (hd_pos){.file = other}, "has run %.16s with other results than %s, expected the same", hd_store_peek(s, 0),
		         store->path);
	sqlite3_finalize(s);
	hd_text_free(&sql);
	return !differ && !store->failed;
}

static bool same_file(const char *a, const char *b)
{
	struct stat one, other;
	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static bool attach(hd_store *store, const char *path)
{
	hd_text uri = {0};
	put_uri(&uri, path, reading_mode(path));
	sqlite3_stmt *s = hd_store_prepare(store, "ATTACH ? AS other");
	bind_texts(s, &(const char *){uri.at}, 1);
	hd_store_step(store, s);
	sqlite3_finalize(s);
	hd_text_free(&uri);
	return !store->failed;
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
	if (ok && same_file(store->path, path)) {
		hd_error(store->diag, (hd_pos){.file = path}, "is the file that is merged into, expected another one");
		ok = false;
	}
	ok = ok && attach(store, path);
	/* One transaction: somebody may be writing to the other file, and what is taken must be what was compared. */
	ok = ok && hd_store_do(store, "BEGIN;") && agree(store, path) && hd_store_do(store, take);
	int64_t taken = ok ? sqlite3_changes64(store->db) : 0;
	ok = ok && hd_store_do(store, "COMMIT;");
	*runs += (uint64_t)taken;
	if (!ok)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_exec(store->db, "DETACH other", NULL, NULL, NULL);
	hd_store_close(&other);
	return ok;
}
