/* ST-2: the file of a study's results, an SQLite database in WAL mode (docs/studies.md describes the tables).
 *
 * Each run is committed when it ends, so whatever ends the process keeps all runs before. One process at a time writes to a file; others may read. */
#ifndef HD_STUDY_STORE_H
#define HD_STUDY_STORE_H

#include "report/energy.h"
#include "study/digest.h"

#include <sqlite3.h>

enum { HD_STORE_VERSION = 3, HD_STORE_APPLICATION = 0x48644c73 };

typedef enum hd_store_mode { HD_STORE_READ, HD_STORE_WRITE /* the file is made if it is not there */ } hd_store_mode;

/* The statements that a study runs for each row, prepared once. */
typedef enum hd_store_row {
	HD_STORE_STUDY,
	HD_STORE_MACHINE,
	HD_STORE_DESIGN,
	HD_STORE_LAUNCH,
	HD_STORE_POINT,
	HD_STORE_MEMBER,
	HD_STORE_RUN,
	HD_STORE_HAS_RUN,
	HD_STORE_ROWS
} hd_store_row;

typedef struct hd_store {
	const char *path;
	sqlite3 *db;
	sqlite3_stmt *rows[HD_STORE_ROWS]; /* NULL: not used yet */
	int lock;                          /* of the writing process; -1 = none */
	bool tidy;                         /* files that reading makes beside the database go when it is closed */
	bool failed;                       /* after the first error, which is in diag; nothing is written then */
	hd_diag *diag;
} hd_store;

/* A row of the table `run`. */
typedef struct hd_run_row {
	char id[HD_DIGEST_TEXT];
	const char *machine, *launch; /* digests */
	const char *status, *message; /* message may be NULL */
	const char *version, *build;
	const char *outputs; /* digest; NULL: none */
	bool measured;       /* the columns of statistics and energy are known */
	hd_stats stats;
	hd_energy energy;
	uint64_t energy_uncertainty_fj, code_bytes;
	/* columns that depend on the host */
	const char *host, *log;
	double seconds;
	int64_t started; /* seconds since 1970 */
} hd_run_row;

typedef struct hd_machine_row {
	const char *id, *name, *text, *refused; /* refused NULL: the machine can be */
	const hd_machine *machine;              /* NULL when refused */
} hd_machine_row;

/* The value of an axis at a machine of a study. */
typedef struct hd_point_row {
	const char *study;
	unsigned number; /* of the machine in the study */
	const char *machine;
	unsigned axis_number;
	const char *axis;
	unsigned value_number;
	const char *value;
} hd_point_row;

typedef struct hd_launch_row {
	const char *id, *name, *kind, *program, *inputs;
} hd_launch_row;

/* Opens the file. The path and diag must outlive the store. False and an error in diag when it is no file of studies, was written by another version,
 * is in use by another sweep, or cannot be opened. The store must be closed in every case. */
bool hd_store_open(hd_store *store, const char *path, hd_store_mode mode, hd_diag *diag);
/* Makes a store without rows in memory. `name` is that of errors. */
bool hd_store_open_empty(hd_store *store, const char *name, hd_diag *diag);
void hd_store_close(hd_store *store);

/* Runs statements without a result. False and an error in diag on failure. */
bool hd_store_do(hd_store *store, const char *sql);
/* Prepares a statement with text parameters (NULL for none behind the last one). NULL and an error on failure. */
sqlite3_stmt *hd_store_prepare(hd_store *store, const char *sql);
/* Steps a statement: true for a row. False at the end, and after an error, which goes to diag. */
bool hd_store_step(hd_store *store, sqlite3_stmt *statement);

/* The text of a column until the next step, "" for NULL, which a file can have anywhere. hd_store_text is a copy, which the caller frees. */
const char *hd_store_peek(sqlite3_stmt *statement, int column);
char *hd_store_text(sqlite3_stmt *statement, int column);
/* The study of this name, or whose number begins so; NULL: the last one. Its number, name and text (NULL: not wanted) are the caller's to free. False
 * and an error in diag when there is none. */
bool hd_store_find_study(hd_store *store, const char *wanted, char **id, char **name, char **text, hd_diag *diag);

/* The study becomes the last one of the file. Of a row that is there only the time changes: to `time`, or to what makes it the last one. */
bool hd_store_put_study(hd_store *store, const char *id, const char *name, const char *file, const char *text, int64_t time);
/* They do nothing if the row is there. */
bool hd_store_put_machine(hd_store *store, const hd_machine_row *row);
/* Stores the data of a machine that belong to a study. Two studies that share one can name it differently and know different areas; area -1:
 * unknown. */
bool hd_store_put_design(hd_store *store, const char *study, unsigned number, const char *machine, const char *name, int64_t area);
/* Of a row that is there only the name changes. */
bool hd_store_put_launch(hd_store *store, const hd_launch_row *row);
bool hd_store_put_point(hd_store *store, const hd_point_row *row);
bool hd_store_put_member(hd_store *store, const char *study, unsigned number, const char *machine, const char *launch, const char *run);
bool hd_store_put_run(hd_store *store, const hd_run_row *row);
bool hd_store_has_run(hd_store *store, const char *id);
/* Forgets runs that the host ended: out of time, out of memory, died. */
bool hd_store_forget_failed(hd_store *store);
/* ST-3: takes the rows of another file. False and an error in diag when both have a run with different results. A run that the host ended gives way
 * to one that it did not. */
bool hd_store_merge(hd_store *store, const char *path, uint64_t *runs);

/* The columns of the table `machine` that are parts of the bits of a mechanism; NULL behind the last one. */
const char *hd_store_part_name(unsigned index);
/* The columns of statistics and energy of the table `run`, in its order. */
unsigned hd_store_figure_count(void);
const char *hd_store_figure_name(unsigned index);

#endif
