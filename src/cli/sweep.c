/* heddle sweep: launches on many machines, with the results in a file (docs/studies.md). */
#include "cli/color.h"
#include "cli/sweep.h"

#include "study/pool.h"

#include "example.h"

enum { SHARDS_MAX = 10000 };

typedef struct parsing {
	hd_sweep_options options;
	const char *mode; /* "status", "report", "merge"; NULL: run */
	bool slurm;
	hd_text db; /* the default */
} parsing;

/* "I/N" */
static bool shard(hd_sweep_options *options, const char *value)
{
	uint64_t first = 0, all = 0;
	const char *slash = strchr(value, '/');
	bool ok = slash && hd_read_number(value, (size_t)(slash - value), SHARDS_MAX, &first) == HD_NUMBER_GOOD &&
	          hd_parse_number(slash + 1, SHARDS_MAX, &all) && first && first <= all;
	options->shard = (unsigned)first;
	options->shards = (unsigned)all;
	if (!ok)
		hd_usage("sweep: --shard cannot be '%s', expected I/N, with I from 1 to N and N at most %d", value, SHARDS_MAX);
	return ok;
}

static bool word(parsing *p, const char *value)
{
	static const char *const modes[] = {"status", "report", "merge"};
	hd_sweep_options *o = &p->options;
	for (unsigned i = 0; !p->mode && !o->study && i < HD_COUNT(modes); i++) {
		if (strcmp(value, modes[i]) == 0) {
			p->mode = modes[i];
			return true;
		}
	}
	if (!o->study)
		o->study = value;
	else
		hd_vec_push(&o->words, value);
	return true;
}

static bool option(parsing *p, hd_option_id id, const char *value)
{
	hd_sweep_options *o = &p->options;
	switch (id) {
	case HD_OPTION_WORD:
		return word(p, value);
	case HD_OPTION_DB:
		o->db = value;
		return true;
	case HD_OPTION_JOBS_SWEEP:
		return hd_option_number("sweep", "--jobs", value, 1, HD_POOL_JOBS_MAX, &o->jobs);
	case HD_OPTION_SHARD:
		return shard(o, value);
	case HD_OPTION_SLURM:
		p->slurm = true;
		return true;
	case HD_OPTION_SHARDS:
		return hd_option_number("sweep", "--shards", value, 1, SHARDS_MAX, &o->array);
	case HD_OPTION_SBATCH:
		hd_vec_push(&o->sbatch, value);
		return true;
	case HD_OPTION_DONE:
		o->done = value;
		return true;
	case HD_OPTION_RETRY:
		o->retry = true;
		return true;
	case HD_OPTION_DRY_RUN:
		o->dry = true;
		return true;
	case HD_OPTION_REPORT_SWEEP:
		return hd_option_report("sweep", value, ".html or .csv", &o->report);
	case HD_OPTION_STUDY:
		o->name = value;
		return true;
	case HD_OPTION_PARETO:
		o->pareto = value;
		return true;
	case HD_OPTION_HEAT:
		o->heat = value;
		return true;
	case HD_OPTION_FIGURE:
		o->figure = value;
		return true;
	case HD_OPTION_TABLE:
		o->table = value;
		return true;
	case HD_OPTION_SIZE:
		o->sized = true;
		return hd_option_number("sweep", "--size", value, 0, EX_SIZES_MAX - 1, &o->size);
	case HD_OPTION_ONLY:
		o->only = value;
		return true;
	case HD_OPTION_SQL:
		o->sql = value;
		return true;
	default:
		return false;
	}
}

/* bits.db for studies/bits.yaml, in the current folder. */
static const char *default_db(parsing *p)
{
	const char *base = strrchr(p->options.study, '/') ? strrchr(p->options.study, '/') + 1 : p->options.study, *dot = strrchr(base, '.');
	int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
	hd_text_printf(&p->db, "%.*s", length, base);
	if (p->options.shards)
		hd_text_printf(&p->db, ".shard-%u-of-%u", p->options.shard, p->options.shards);
	hd_text_printf(&p->db, ".db");
	return p->db.at;
}

/* The file of results; a study's name stands for the file that a sweep of it writes. */
static int status(const hd_sweep_options *o)
{
	hd_diag diag = {0};
	hd_store store;
	bool ok = hd_store_open(&store, o->study, HD_STORE_READ, &diag) && hd_sweep_counts(&store, NULL);
	hd_store_close(&store);
	return hd_flush(&diag) == HD_EXIT_DONE && ok ? HD_EXIT_DONE : HD_EXIT_USAGE;
}

static int merge(const hd_sweep_options *o)
{
	hd_diag diag = {0};
	hd_store store;
	uint64_t runs = 0;
	bool ok = hd_store_open(&store, o->study, HD_STORE_WRITE, &diag);
	for (size_t i = 0; ok && i < o->words.n; i++)
		ok = hd_store_merge(&store, o->words.at[i], &runs);
	hd_store_close(&store);
	if (ok)
		hd_say(stdout, "%llu rows are new in %s\n", (unsigned long long)runs, o->study);
	return hd_flush(&diag) == HD_EXIT_DONE && ok ? HD_EXIT_DONE : HD_EXIT_USAGE;
}

static int usage(const parsing *p)
{
	const hd_sweep_options *o = &p->options;
	bool merging = p->mode && strcmp(p->mode, "merge") == 0;
	if (!o->study)
		return hd_usage("sweep: no input, expected %s", p->mode ? "a file that `heddle sweep` has written" : "STUDY.yaml");
	if (merging && !o->words.n)
		return hd_usage("sweep: nothing to merge, expected OUT.db IN.db...");
	if (!merging && o->words.n)
		return hd_usage("sweep: one input at a time, got %s and %s", o->study, o->words.at[0]);
	if (p->slurm && o->shards)
		return hd_usage("sweep: --shard beside --slurm, which has shards of its own: --shards N");
	return HD_EXIT_DONE;
}

int hd_cli_sweep(int argc, char **argv)
{
	parsing p = {0};
	hd_options options = {.command = HD_COMMAND_SWEEP, .argc = argc, .argv = argv};
	bool ok = true;
	for (hd_option_id id; ok && (id = hd_options_next(&options)) != HD_OPTION_END;)
		ok = option(&p, id, options.value);
	int result = ok ? usage(&p) : HD_EXIT_USAGE;
	if (result == HD_EXIT_DONE && p.mode) {
		result = strcmp(p.mode, "status") == 0  ? status(&p.options)
		         : strcmp(p.mode, "merge") == 0 ? merge(&p.options)
		                                        : hd_sweep_report(&p.options);
	} else if (result == HD_EXIT_DONE) {
		if (!p.options.db)
			p.options.db = default_db(&p);
		result = p.slurm ? hd_sweep_slurm(&p.options) : hd_sweep_run(&p.options, NULL);
	}
	hd_text_free(&p.db);
	hd_vec_free(&p.options.sbatch);
	hd_vec_free(&p.options.words);
	return result;
}
