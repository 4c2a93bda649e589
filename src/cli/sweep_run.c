/* Runs what is missing of a study (ST-1 to ST-4). */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"

#include "cli/color.h"
#include "cli/progress.h"
#include "cli/sweep_launch.h"
#include "cli/timeout.h"
#include "study/points.h"
#include "study/pool.h"
#include "study/table.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct sweep {
	const hd_sweep_options *options;
	hd_plan plan;
	hd_points points;
	HD_VEC(hd_sweep_launch) launches;
	hd_store store;
	hd_diag diag;
	char study[HD_DIGEST_TEXT], build[HD_DIGEST_TEXT], host[65];
	char *ids;              /* HD_DIGEST_TEXT bytes for each run of the study */
	HD_VEC(size_t) missing; /* numbers of runs */
	size_t next;
	uint64_t present, done, faults; /* runs that were there; that ended now, and those of them with another status than done and refused */
	char folder[64];                /* for files of applications */
	bool terminal, shown;
	double begin, last;
} sweep;

/* The runs of a study are numbered by machine, then by launch. */
static size_t run_count(const sweep *s) { return s->points.list.n * s->launches.n; }
static const hd_point *point_of(const sweep *s, size_t number) { return &s->points.list.at[number / s->launches.n]; }
static hd_sweep_launch *launch_of(const sweep *s, size_t number) { return &s->launches.at[number % s->launches.n]; }
static char *id_of(const sweep *s, size_t number) { return s->ids + number * HD_DIGEST_TEXT; }

/* -- reading the study ----------------------------------------------------------------------------------------------------------------------- */

/* The name of a run: the digest of all that determines it. The limit in seconds is not in it: it ends a run, and changes no result. */
static void name_runs(sweep *s)
{
	hd_digest study;
	s->ids = hd_xcalloc(run_count(s), HD_DIGEST_TEXT);
	hd_digest_begin(&study);
	hd_digest_text(&study, s->plan.text);
	for (size_t i = 0; i < run_count(s); i++) {
		hd_digest digest;
		hd_digest_begin(&digest);
		hd_digest_text(&digest, "heddle-run-1");
		hd_digest_text(&digest, heddle_version());
		hd_digest_text(&digest, s->build);
		hd_digest_text(&digest, point_of(s, i)->id);
		hd_digest_text(&digest, launch_of(s, i)->id);
		hd_digest_number(&digest, s->plan.cycles);
		hd_digest_end(&digest, id_of(s, i));
		hd_digest_text(&study, id_of(s, i));
	}
	hd_digest_end(&study, s->study);
}

static bool read_study(sweep *s)
{
	bool ok = hd_plan_read(&s->plan, s->options->study, &s->diag) && hd_table_check(&s->plan, &s->diag) &&
	          hd_sweep_launch_choose(&s->plan, s->options->sized ? s->options->size + 1 : 0, s->options->only, &s->diag) &&
	          hd_digest_file("/proc/self/exe", s->build, &s->diag);
	for (size_t i = 0; ok && i < s->plan.launches.n; i++) {
		hd_sweep_launch launch;
		ok = hd_sweep_launch_prepare(&launch, &s->plan, &s->plan.launches.at[i]);
		hd_vec_push(&s->launches, launch);
	}
	ok = ok && hd_points_make(&s->points, &s->plan, &s->diag);
	for (size_t i = 0; ok && i < s->launches.n; i++) {
		for (size_t k = 0; ok && k < i; k++) {
			ok = strcmp(s->launches.at[i].id, s->launches.at[k].id) != 0;
			if (!ok)
				hd_error(&s->diag, s->plan.launches.at[i].pos, "is the same launch as line %u", s->plan.launches.at[k].pos.line);
		}
	}
	if (ok)
		name_runs(s);
	return ok;
}

/* -- writing what the study is --------------------------------------------------------------------------------------------------------------- */

static void put_machine(sweep *s, unsigned number)
{
	const hd_point *point = &s->points.list.at[number];
	hd_machine machine;
	hd_diag unused = {0};
	hd_text name = {0}, text = {0};
	bool can_be = hd_plan_machine(&s->plan, point->choice, &machine, &unused);
	hd_point_text(&s->plan, point->choice, &name);
	if (can_be)
		hd_machine_content(&machine, &text);
	hd_store_put_machine(
	    &s->store,
	    &(hd_machine_row){.id = point->id, .name = name.at, .text = text.at, .refused = point->refused, .machine = can_be ? &machine : NULL});
	hd_store_put_design(&s->store, s->study, number, point->id, name.at, point->area);
	for (size_t i = 0; i < s->plan.axes.n; i++) {
		const hd_axis *axis = &s->plan.axes.at[i];
		int value = i == 0 && point->choice[i] < 0 ? 0 : point->choice[i];
		if (axis->values.n > 1 || (s->plan.axes.n == 1 && i == 0))
			hd_store_put_point(&s->store, &(hd_point_row){.study = s->study,
			                                              .number = number,
			                                              .machine = point->id,
			                                              .axis_number = (unsigned)i,
			                                              .axis = axis->name,
			                                              .value_number = (unsigned)(value < 0 ? 0 : value),
			                                              .value = value < 0 ? NULL : axis->values.at[value].text});
	}
	hd_text_free(&name);
	hd_text_free(&text);
	hd_diag_free(&unused);
}

static bool put_study(sweep *s)
{
	hd_store_do(&s->store, "BEGIN IMMEDIATE");
	hd_store_put_study(&s->store, s->study, s->plan.name, s->options->study, s->plan.text, (int64_t)time(NULL));
	for (size_t i = 0; i < s->launches.n && !s->store.failed; i++) {
		const hd_sweep_launch *l = &s->launches.at[i];
		hd_store_put_launch(&s->store, &(hd_launch_row){l->id, l->from->name, l->kind, l->program, l->inputs});
	}
	for (size_t i = 0; i < s->points.list.n && !s->store.failed; i++)
		put_machine(s, (unsigned)i);
	for (size_t i = 0; i < run_count(s) && !s->store.failed; i++)
		hd_store_put_member(&s->store, s->study, (unsigned)i, point_of(s, i)->id, launch_of(s, i)->id, id_of(s, i));
	return hd_store_do(&s->store, "COMMIT");
}

/* Finds the runs that are neither in the file nor in the other one. */
static bool find_missing(sweep *s)
{
	hd_store other = {.lock = -1};
	bool ok = !s->options->done || hd_store_open(&other, s->options->done, HD_STORE_READ, &s->diag);
	for (size_t i = 0; ok && i < run_count(s); i++) {
		bool mine = !s->options->shards || i % s->options->shards == s->options->shard - 1;
		if (!mine)
			continue;
		bool there = s->store.db && hd_store_has_run(&s->store, id_of(s, i));
		if (there || (s->options->done && hd_store_has_run(&other, id_of(s, i))))
			s->present++;
		else
			hd_vec_push(&s->missing, i);
	}
	hd_store_close(&other);
	return ok && !s->store.failed;
}

/* -- running --------------------------------------------------------------------------------------------------------------------------------- */

static bool stop(void *context) { return hd_progress_interrupted(); }

static bool put_row(sweep *s, size_t number, hd_run_row *row)
{
	snprintf(row->id, sizeof row->id, "%s", id_of(s, number));
	row->machine = point_of(s, number)->id;
	row->launch = launch_of(s, number)->id;
	row->version = heddle_version();
	row->build = s->build;
	row->host = s->host;
	s->done++;
	s->faults += strcmp(row->status, "done") != 0 && strcmp(row->status, "refused") != 0;
	return hd_store_put_run(&s->store, row);
}

/* The next run. A machine that cannot be is a row at once. */
static bool next(void *context, size_t *task)
{
	sweep *s = context;
	while (s->next < s->missing.n) {
		*task = s->missing.at[s->next++];
		const char *refused = point_of(s, *task)->refused;
		if (!refused)
			return true;
		if (!put_row(s, *task, &(hd_run_row){.status = "refused", .message = refused, .started = (int64_t)time(NULL)}))
			return false;
	}
	return false;
}

static void folder_of(const sweep *s, size_t task, char folder[96]) { snprintf(folder, 96, "%s/%zu", s->folder, task); }

static void work(void *context, size_t task, hd_text *result)
{
	sweep *s = context;
	hd_sweep_outcome outcome;
	hd_text message = {0};
	char folder[96];
	folder_of(s, task, folder);
	hd_sweep_launch_run(launch_of(s, task), &s->plan, point_of(s, task)->choice, folder, &outcome, &message);
	hd_text_put(result, (const char *)&outcome, sizeof outcome);
	hd_text_put(result, message.at ? message.at : "", message.n + 1);
}

static bool done(void *context, size_t task, const hd_pool_end *end, const void *result, size_t size)
{
	sweep *s = context;
	char message[80] = "", folder[96];
	hd_sweep_outcome outcome;
	hd_run_row row = {.log = *end->log ? end->log : NULL, .seconds = end->seconds, .started = end->started, .message = message};
	if (launch_of(s, task)->from->kind == HD_LAUNCH_COMMAND) {
		folder_of(s, task, folder);
		hd_sweep_command_clean(folder);
	}
	/* A worker that ends because everything ends has no row. */
	if (end->ended != HD_POOL_DONE && hd_progress_interrupted())
		return false;
	if (end->ended == HD_POOL_DONE && size > sizeof outcome) {
		memcpy(&outcome, result, sizeof outcome);
		row.status = outcome.status;
		row.message = (const char *)result + sizeof outcome;
		row.outputs = outcome.outputs[0] ? outcome.outputs : NULL;
		row.measured = outcome.measured;
		row.stats = outcome.stats;
		row.energy = outcome.energy;
		row.energy_uncertainty_fj = outcome.energy_uncertainty_fj;
		row.code_bytes = outcome.code_bytes;
	} else if (end->ended == HD_POOL_TIMEOUT) {
		row.status = "timeout";
		snprintf(message, sizeof message, "took longer than %llu s (limits.seconds)", (unsigned long long)s->plan.seconds);
	} else if (end->ended == HD_POOL_MEMORY) {
		row.status = "memory";
		snprintf(message, sizeof message, "ran out of memory");
	} else {
		row.status = "died";
		if (end->signal)
			snprintf(message, sizeof message, "ended by signal %d (%s)", end->signal, strsignal(end->signal));
		else
			snprintf(message, sizeof message, "ended with exit status %d", end->status);
	}
	if (!*row.message)
		row.message = NULL;
	return put_row(s, task, &row);
}

/* ST-4: a line with rate and time left. */
static void tick(void *context)
{
	sweep *s = context;
	double t = hd_now();
	char left[40];
	if (!s->terminal || t - s->last < 0.25)
		return;
	s->last = t;
	s->shown = true;
	double seconds = t - s->begin;
	fprintf(stderr, "\r\033[K%llu of %zu runs, %.1f a second%s", (unsigned long long)s->done, s->missing.n,
	        seconds > 0 ? (double)s->done / seconds : 0, hd_progress_left(seconds, (double)s->done, (double)s->missing.n, left));
	if (s->faults)
		fprintf(stderr, ", %llu faults", (unsigned long long)s->faults);
	fflush(stderr);
}

static bool has_commands(const sweep *s)
{
	for (size_t i = 0; i < s->launches.n; i++)
		if (s->launches.at[i].from->kind == HD_LAUNCH_COMMAND)
			return true;
	return false;
}

static bool make_folder(sweep *s)
{
	const char *temporary = getenv("TMPDIR");
	if (!has_commands(s))
		return true;
	int n = snprintf(s->folder, sizeof s->folder, "%s/heddle-sweep-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (n < (int)sizeof s->folder && mkdtemp(s->folder))
		return true;
	s->folder[0] = '\0';
	hd_error(&s->diag, (hd_pos){.file = "heddle"}, "no folder can be made in %s", temporary ? temporary : "/tmp");
	return false;
}

static bool run_missing(sweep *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	hd_progress progress;
	hd_pool pool = {.jobs = s->options->jobs          ? s->options->jobs
	                        : cpus < 1                ? 1
	                        : cpus > HD_POOL_JOBS_MAX ? HD_POOL_JOBS_MAX
	                                                  : (unsigned)cpus,
	                .seconds = (double)s->plan.seconds,
	                .memory = s->plan.memory,
	                .memory_status = HD_EXIT_MEMORY,
	                .context = s,
	                .next = next,
	                .work = work,
	                .done = done,
	                .stop = stop,
	                .tick = tick};
	s->terminal = hd_color_terminal(stderr);
	s->begin = hd_now();
	hd_progress_begin(&progress, false);
	bool ok = make_folder(s) && hd_pool_run(&pool, &s->diag);
	progress.shown = s->shown;
	hd_progress_end(&progress);
	if (s->folder[0])
		hd_sweep_command_clean_all(s->folder); /* runs that were cut off leave theirs */
	return ok;
}

bool hd_sweep_counts(hd_store *store, const char *study)
{
	sqlite3_stmt *q =
	    hd_store_prepare(store, "SELECT s.name, substr(s.id, 1, 12), coalesce(r.status, 'missing') AS status, count(*), s.id FROM member m "
	                            "JOIN study s ON s.id = m.study LEFT JOIN run r ON r.id = m.run WHERE ?1 IS NULL OR s.id = ?1 "
	                            "GROUP BY s.id, status ORDER BY s.worker_time, s.id, status <> 'done', status = 'missing', status");
	char last[HD_DIGEST_TEXT] = "";
	if (q)
		sqlite3_bind_text(q, 1, study, -1, SQLITE_STATIC);
	while (q && hd_store_step(store, q)) {
		const char *id = hd_store_peek(q, 4);
		if (strcmp(id, last) != 0)
			hd_say(stdout, "%sstudy %s (%s):", *last ? "\n" : "", hd_store_peek(q, 0), hd_store_peek(q, 1));
		else
			printf(",");
		snprintf(last, sizeof last, "%s", id);
		hd_say(stdout, " %lld %s", sqlite3_column_int64(q, 3), hd_store_peek(q, 2));
	}
	printf(*last ? "\n" : "no study\n");
	sqlite3_finalize(q);
	return !store->failed;
}

/* Prints the plan, before anything runs. */
static void describe(const sweep *s)
{
	printf("%zu machines, %zu launches, %zu runs", s->points.list.n, s->launches.n, run_count(s));
	if (s->points.excluded)
		printf("; constraints exclude %llu points", (unsigned long long)s->points.excluded);
	if (s->points.same)
		printf("; %llu points are machines that are there already", (unsigned long long)s->points.same);
	printf("\n");
}

static int finish(sweep *s, bool ran)
{
	bool bad = hd_flush(&s->diag) != HD_EXIT_DONE;
	if (!bad && s->options->shards)
		printf("shard %u of %u: %llu runs now, %llu were there\n", s->options->shard, s->options->shards, (unsigned long long)s->done,
		       (unsigned long long)s->present);
	else if (!bad)
		hd_say(stdout, "%llu runs now in %.0f s, %llu were there; results are in %s\n", (unsigned long long)s->done, hd_now() - s->begin,
		       (unsigned long long)s->present, s->options->db);
	if (!bad && !s->options->shards)
		hd_sweep_counts(&s->store, s->study);
	if (bad)
		return HD_EXIT_USAGE;
	if (!ran)
		return hd_timeout_status();
	return s->faults ? HD_EXIT_FAULT : HD_EXIT_DONE;
}

static void sweep_free(sweep *s)
{
	hd_store_close(&s->store);
	for (size_t i = 0; i < s->launches.n; i++)
		hd_sweep_launch_free(&s->launches.at[i]);
	hd_vec_free(&s->launches);
	hd_vec_free(&s->missing);
	hd_points_free(&s->points);
	hd_plan_free(&s->plan);
	hd_diag_free(&s->diag);
	free(s->ids);
}

/* Counts what is missing in the file, which need not be there, and writes nothing. */
static bool count_missing(sweep *s, hd_sweep_size *size)
{
	struct stat status;
	bool there = stat(s->options->db, &status) == 0 && status.st_size;
	bool ok = (!there || hd_store_open(&s->store, s->options->db, HD_STORE_READ, &s->diag)) && find_missing(s);
	if (ok)
		hd_say(stdout, "%zu of %zu runs are missing in %s\n", s->missing.n, s->missing.n + (size_t)s->present, s->options->db);
	snprintf(size->study, sizeof size->study, "%s", s->study);
	size->missing = s->missing.n;
	sqlite3_stmt *q = ok && there ? hd_store_prepare(&s->store, "SELECT 1 FROM study WHERE id = ?") : NULL;
	if (q)
		sqlite3_bind_text(q, 1, s->study, -1, SQLITE_STATIC);
	size->known = q && hd_store_step(&s->store, q);
	sqlite3_finalize(q);
	return ok;
}

int hd_sweep_run(const hd_sweep_options *options, hd_sweep_size *size)
{
	hd_sweep_size unused;
	sweep s = {.options = options, .store = {.lock = -1}};
	int status = HD_EXIT_USAGE;
	gethostname(s.host, sizeof s.host - 1);
	bool ok = read_study(&s);
	if (ok)
		describe(&s);
	if (ok && options->dry) {
		status = count_missing(&s, size ? size : &unused) ? HD_EXIT_DONE : HD_EXIT_USAGE;
	} else if (ok) {
		ok = hd_store_open(&s.store, options->db, HD_STORE_WRITE, &s.diag) && (!options->retry || hd_store_forget_failed(&s.store)) &&
		     put_study(&s) && find_missing(&s);
		fflush(stdout);
		if (ok)
			status = finish(&s, run_missing(&s));
	}
	hd_flush(&s.diag);
	sweep_free(&s);
	return status;
}
