/* ST-3: a study as an array of Slurm jobs. Each job runs a shard into a file of its own, beside the file of results, which takes them in when all
 * jobs have ended. A second call takes in what an earlier one has left, and submits what is missing. */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"

#include "cli/progress.h"
#include "cli/timeout.h"
#include "study/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARDS = 8, POLL_MICROSECONDS = 200000, QUEUE_SECONDS = 2 };

/* A word for the shell. */
static void put_quoted(hd_text *out, const char *word)
{
	hd_text_put(out, "'", 1);
	hd_put_quoted(word, "", out);
	hd_text_put(out, "'", 1);
}

static void put_folder(hd_text *out, const hd_sweep_options *o) { hd_text_printf(out, "%s.slurm", o->db); }

/* Whether a file is one of a shard: "shard-3.db". */
static bool is_shard(const char *name)
{
	if (strncmp(name, "shard-", 6) != 0)
		return false;
	size_t digits = strspn(name + 6, "0123456789");
	return digits && strcmp(name + 6 + digits, ".db") == 0;
}

/* Takes in the files of shards: all that are there, as an earlier call can have had more of them. */
static bool collect(const hd_sweep_options *o, hd_diag *diag)
{
	hd_store store;
	struct stat status;
	uint64_t rows = 0;
	hd_text folder = {0};
	put_folder(&folder, o);
	DIR *listing = opendir(folder.at);
	bool ok = !listing || hd_store_open(&store, o->db, HD_STORE_WRITE, diag);
	for (struct dirent *entry; ok && listing && (entry = readdir(listing));) {
		hd_text path = {0};
		hd_text_printf(&path, "%s/%s", folder.at, entry->d_name);
		if (is_shard(entry->d_name) && stat(path.at, &status) == 0 && status.st_size)
			ok = hd_store_merge(&store, path.at, &rows);
		hd_text_free(&path);
	}
	if (listing) {
		hd_store_close(&store);
		closedir(listing);
	}
	hd_text_free(&folder);
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

/* -- the array ------------------------------------------------------------------------------------------------------------------------------ */

/* The file that has the number of the array. It is there from submission until all jobs have ended. */
static void put_number_path(hd_text *out, const hd_sweep_options *o)
{
	put_folder(out, o);
	hd_text_printf(out, "/array");
}

typedef struct submission {
	pid_t pid; /* of sbatch */
	int out;   /* what it prints: the number of the array */
	hd_text number;
} submission;

/* Starts sbatch, which waits for the jobs. */
static bool submit(const hd_sweep_options *o, unsigned shards, const char *script, const char *logs, submission *to)
{
	char array[32];
	int ends[2];
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
	bool ok = pipe(ends) == 0;
	*to = (submission){.pid = ok ? fork() : -1, .out = ok ? ends[0] : -1};
	if (to->pid == 0) {
		setpgid(0, 0); /* Ctrl-C is for us: the jobs go on */
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp(words.at[0], (char *const *)(uintptr_t)words.at);
		fprintf(stderr, "heddle: error: sbatch cannot be started: %s\n", strerror(errno));
		_exit(127);
	}
	if (ok) {
		close(ends[1]);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
	}
	hd_vec_free(&words);
	return to->pid > 0;
}

/* Reads the number of the array as soon as sbatch prints it, "17" or "17;cluster", and writes it into the folder. */
static void note_number(const hd_sweep_options *o, submission *s)
{
	char part[64];
	hd_diag unused = {0};
	hd_text path = {0};
	ssize_t n = s->number.n && strchr(s->number.at, '\n') ? 0 : read(s->out, part, sizeof part);
	if (n <= 0)
		return;
	hd_text_put(&s->number, part, (size_t)n);
	size_t digits = strspn(s->number.at, "0123456789");
	if (!digits || !strchr(s->number.at, '\n'))
		return;
	put_number_path(&path, o);
	hd_write_file(path.at, s->number.at, digits, &unused);
	printf("array %.*s of jobs is submitted\n", (int)digits, s->number.at);
	fflush(stdout);
	hd_text_free(&path);
	hd_diag_free(&unused);
}

/* Waits for sbatch. Its exit status is that of the worst job; 127: it is not there; -1: interrupted. */
static int await(const hd_sweep_options *o, submission *s)
{
	int status = 0;
	hd_progress progress;
	hd_progress_begin(&progress, false);
	pid_t got;
	while ((got = waitpid(s->pid, &status, WNOHANG)) == 0 && !hd_progress_interrupted()) {
		note_number(o, s);
		usleep(POLL_MICROSECONDS);
	}
	bool interrupted = got == 0;
	note_number(o, s);
	if (interrupted) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, &status, 0);
	}
	hd_progress_end(&progress);
	close(s->out);
	hd_text_free(&s->number);
	if (interrupted)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Whether jobs of an array are still in the queue. */
static bool in_queue(const char *number)
{
	char command[80], line[8];
	snprintf(command, sizeof command, "squeue --noheader --jobs=%.20s 2>/dev/null", number);
	FILE *queue = popen(command, "r");
	bool any = queue && fgets(line, sizeof line, queue);
	if (queue)
		pclose(queue);
	return any;
}

/* Waits for the array of an earlier call, whose jobs hold the files of their shards. False: interrupted. */
static bool await_earlier(const hd_sweep_options *o)
{
	char number[24] = "";
	hd_text path = {0};
	hd_progress progress;
	put_number_path(&path, o);
	FILE *file = fopen(path.at, "r");
	bool there = file && fgets(number, sizeof number, file) && *number && !number[strspn(number, "0123456789")];
	if (file)
		fclose(file);
	if (there && in_queue(number)) {
		printf("waiting for array %s of jobs, which an earlier call submitted\n", number);
		fflush(stdout);
	}
	hd_progress_begin(&progress, false);
	while (there && !hd_progress_interrupted() && in_queue(number))
		sleep(QUEUE_SECONDS);
	bool interrupted = hd_progress_interrupted();
	hd_progress_end(&progress);
	if (!interrupted)
		unlink(path.at);
	hd_text_free(&path);
	return !interrupted;
}

/* Runs the array: the exit status of sbatch; 127: it did not start, or a message is in diag; -1: interrupted. */
static int run_array(const hd_sweep_options *o, unsigned shards, hd_diag *diag)
{
	hd_text script = {0}, logs = {0};
	submission s;
	hd_store store;
	/* The jobs read the file for what is done. */
	bool ok = hd_store_open(&store, o->db, HD_STORE_WRITE, diag);
	hd_store_close(&store);
	put_folder(&script, o);
	hd_text_printf(&logs, "--output=%s/shard-%%a.log", script.at);
	bool made = mkdir(script.at, 0777) == 0 || errno == EEXIST;
	if (!made)
		hd_error(diag, (hd_pos){.file = script.at}, "cannot be made: %s", strerror(errno));
	hd_text_printf(&script, "/job.sh");
	ok = ok && made && write_script(o, shards, script.at, diag) && submit(o, shards, script.at, logs.at, &s);
	int status = ok ? await(o, &s) : 127;
	hd_text_free(&script);
	hd_text_free(&logs);
	if (status >= 0 && status != 127) {
		put_number_path(&script, o);
		unlink(script.at);
		hd_text_free(&script);
	}
	return status;
}

static int interrupted(void)
{
	fprintf(stderr, "heddle: the jobs go on (squeue shows them); the same command collects their results\n");
	return hd_timeout_status();
}

/* Whether the study lacks runs, or the file lacks the study. */
static bool left_over(hd_store *store, const char *study)
{
	sqlite3_stmt *q =
	    hd_store_prepare(store, "SELECT count(*) = 0 OR count(*) > count(r.id) FROM member m LEFT JOIN run r ON r.id = m.run WHERE m.study = ?");
	if (q)
		sqlite3_bind_text(q, 1, study, -1, SQLITE_STATIC);
	bool missing = q && hd_store_step(store, q) && sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return missing;
}

/* Prints how the runs of the study ended, and says what is missing. */
static int conclude(const hd_sweep_options *o, const char *study, int jobs, hd_diag *diag)
{
	hd_store store;
	bool ok = hd_store_open(&store, o->db, HD_STORE_READ, diag) && hd_sweep_counts(&store, study);
	/* sbatch ends with the exit status of the worst job, or with one of its own: what counts is whether runs are missing. */
	bool missing = ok && left_over(&store, study);
	hd_store_close(&store);
	if (missing)
		hd_error(diag, (hd_pos){.file = o->db},
		         "jobs ended with exit status %d and left runs; %s.slurm has the logs, and the same command runs what is missing", jobs,
		         o->db);
	return hd_flush(diag) != HD_EXIT_DONE || !ok ? HD_EXIT_USAGE : jobs ? HD_EXIT_FAULT : HD_EXIT_DONE;
}

int hd_sweep_slurm(const hd_sweep_options *options)
{
	hd_diag diag = {0};
	hd_sweep_options dry = *options;
	hd_sweep_size size;
	dry.dry = true;
	if (!await_earlier(options))
		return interrupted();
	if (!collect(options, &diag)) {
		hd_flush(&diag);
		return HD_EXIT_USAGE;
	}
	int jobs = 0, status = hd_sweep_run(&dry, &size);
	if (status != HD_EXIT_DONE)
		return status;
	if (size.missing || !size.known || options->retry)
		jobs = run_array(options, options->array ? options->array : SHARDS, &diag);
	if (jobs == -1)
		return interrupted();
	if (jobs == 127 || !collect(options, &diag)) {
		hd_flush(&diag);
		return HD_EXIT_USAGE;
	}
	return conclude(options, size.study, jobs, &diag);
}
