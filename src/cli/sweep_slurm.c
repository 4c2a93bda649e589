/* ST-3: a study as an array of Slurm jobs. Each job runs a shard into a file of its own, beside the file of results, which takes them in when all
 * jobs have ended. A second call takes in what an earlier one has left, and submits what is missing. */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"

#include "cli/progress.h"
#include "cli/timeout.h"
#include "study/plan.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARDS = 8, POLL_MICROSECONDS = 200000 };

/* A word for the shell. */
static void put_quoted(hd_text *out, const char *word)
{
	hd_text_put(out, "'", 1);
	for (; *word; word++)
		hd_text_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
	hd_text_put(out, "'", 1);
}

static void put_folder(hd_text *out, const hd_sweep_options *o) { hd_text_printf(out, "%s.slurm", o->db); }

/* Takes in the files of shards. */
static bool collect(const hd_sweep_options *o, unsigned shards, hd_diag *diag)
{
	hd_store store;
	struct stat status;
	uint64_t rows = 0;
	bool ok = hd_store_open(&store, o->db, HD_STORE_WRITE, diag);
	for (unsigned i = 1; ok && i <= shards; i++) {
		hd_text path = {0};
		put_folder(&path, o);
		hd_text_printf(&path, "/shard-%u.db", i);
		if (stat(path.at, &status) == 0 && status.st_size)
			ok = hd_store_merge(&store, path.at, &rows);
		hd_text_free(&path);
	}
	hd_store_close(&store);
	return ok;
}

/* The script of a job. The array's number says which shard it runs. */
static bool write_script(const hd_sweep_options *o, unsigned shards, const char *path, hd_diag *diag)
{
	char program[4096];
	hd_text text = {0};
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	hd_text_printf(&text, "#!/bin/sh\n# Written by `heddle sweep --slurm`.\n#SBATCH --job-name=heddle-sweep\nexec ");
	put_quoted(&text, program);
	hd_text_printf(&text, " sweep ");
	put_quoted(&text, o->study);
	hd_text_printf(&text, " --shard \"$SLURM_ARRAY_TASK_ID\"/%u --done ", shards);
	put_quoted(&text, o->db);
	hd_text_printf(&text, " --db ");
	hd_text folder = {0};
	put_folder(&folder, o);
	put_quoted(&text, folder.at);
	hd_text_printf(&text, "/shard-\"$SLURM_ARRAY_TASK_ID\".db --jobs \"${SLURM_CPUS_PER_TASK:-1}\"%s\n", o->retry ? " --retry" : "");
	bool ok = hd_write_file(path, text.at, text.n, diag);
	hd_text_free(&text);
	hd_text_free(&folder);
	return ok;
}

/* Starts sbatch, which waits for the jobs. */
static pid_t submit(const hd_sweep_options *o, unsigned shards, const char *script, const char *logs)
{
	char array[32];
	HD_VEC(const char *) words = {0};
	snprintf(array, sizeof array, "--array=1-%u", shards);
	const char *const first[] = {"sbatch", "--wait", "--parsable", array, logs};
	for (size_t i = 0; i < HD_COUNT(first); i++)
		hd_vec_push(&words, first[i]);
	for (size_t i = 0; i < o->sbatch.n; i++)
		hd_vec_push(&words, o->sbatch.at[i]);
	hd_vec_push(&words, script);
	hd_vec_push(&words, NULL);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0); /* Ctrl-C is for us: the jobs go on */
		execvp(words.at[0], (char *const *)(uintptr_t)words.at);
		fprintf(stderr, "heddle: error: sbatch cannot be started: %s\n", strerror(errno));
		_exit(127);
	}
	hd_vec_free(&words);
	return pid;
}

/* Waits for sbatch. Its exit status is that of the worst job; 127: it is not there. */
static int await(pid_t pid)
{
	int status = 0;
	hd_progress progress;
	hd_progress_begin(&progress, false);
	pid_t got;
	while ((got = waitpid(pid, &status, WNOHANG)) == 0 && !hd_progress_interrupted())
		usleep(POLL_MICROSECONDS);
	bool interrupted = got == 0;
	if (interrupted) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	hd_progress_end(&progress);
	if (interrupted)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Runs the array: the exit status of sbatch; 127: it did not start, or a message is in diag; -1: interrupted. */
static int run_array(const hd_sweep_options *o, unsigned shards, hd_diag *diag)
{
	hd_text script = {0}, logs = {0};
	put_folder(&script, o);
	hd_text_printf(&logs, "--output=%s/shard-%%a.log", script.at);
	bool ok = mkdir(script.at, 0777) == 0 || errno == EEXIST;
	if (!ok)
		hd_error(diag, (hd_pos){.file = script.at}, "cannot be made: %s", strerror(errno));
	hd_text_printf(&script, "/job.sh");
	ok = ok && write_script(o, shards, script.at, diag);
	pid_t pid = ok ? submit(o, shards, script.at, logs.at) : -1;
	int status = pid > 0 ? await(pid) : 127;
	hd_text_free(&script);
	hd_text_free(&logs);
	return status;
}

/* Whether the last study of the file, or the file, lacks runs. */
static bool left_over(hd_store *store)
{
	sqlite3_stmt *q =
	    hd_store_prepare(store, "SELECT count(*) = 0 OR count(*) > count(r.id) FROM member m LEFT JOIN run r ON r.id = m.run WHERE m.study = "
	                            "(SELECT id FROM study ORDER BY worker_time DESC, id LIMIT 1)");
	bool missing = q && hd_store_step(store, q) && sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return missing;
}

int hd_sweep_slurm(const hd_sweep_options *options)
{
	hd_diag diag = {0};
	hd_sweep_options dry = *options;
	unsigned shards = options->array ? options->array : SHARDS;
	dry.dry = true;
	int status = hd_sweep_run(&dry);
	if (status != HD_EXIT_DONE)
		return status;
	if (!collect(options, shards, &diag)) {
		hd_flush(&diag);
		return HD_EXIT_USAGE;
	}
	int jobs = run_array(options, shards, &diag);
	if (jobs == -1) {
		fprintf(stderr, "heddle: the jobs go on (squeue shows them); the same command collects their results\n");
		return hd_timeout_status();
	}
	if (jobs == 127 || !collect(options, shards, &diag)) {
		hd_flush(&diag);
		return HD_EXIT_USAGE;
	}
	hd_store store;
	bool ok = hd_store_open(&store, options->db, HD_STORE_READ, &diag) && hd_sweep_counts(&store, NULL);
	/* sbatch ends with the exit status of the worst job, or with one of its own: what counts is whether runs are missing. */
	bool missing = ok && left_over(&store);
	hd_store_close(&store);
	if (missing)
		hd_error(&diag, (hd_pos){.file = options->db},
		         "jobs ended with exit status %d and left runs; %s.slurm has the logs, and the same command runs what is missing", jobs,
		         options->db);
	return hd_flush(&diag) != HD_EXIT_DONE || !ok ? HD_EXIT_USAGE : jobs ? HD_EXIT_FAULT : HD_EXIT_DONE;
}
