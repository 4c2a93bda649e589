/* The parts of `heddle sweep` (ST-1 to ST-5). Each returns the exit status of the command. */
#ifndef HD_CLI_SWEEP_H
#define HD_CLI_SWEEP_H

#include "cli/cli.h"
#include "study/store.h"

typedef struct hd_sweep_options {
	const char *study; /* YAML */
	const char *db;
	unsigned jobs;          /* 0: one a processor */
	unsigned shard, shards; /* shard 1 to shards; shards 0: all runs */
	const char *done;       /* a file whose runs are not run again; NULL: none */
	bool retry, dry;
	unsigned array;              /* --slurm: tasks of the array */
	HD_VEC(const char *) sbatch; /* options for sbatch */
	HD_VEC(const char *) words;  /* behind the first one */
	const char *report, *name, *pareto, *heat, *figure, *sql, *table;
	const char *only; /* launches; NULL: all */
	bool sized;       /* examples have at most this size */
	unsigned size;
} hd_sweep_options;

typedef struct hd_sweep_size {
	char study[HD_DIGEST_TEXT];
	bool known;       /* the file has the study */
	uint64_t missing; /* runs that neither the file nor the other one has */
} hd_sweep_size;

/* sweep_run.c: runs what is missing. A dry run only counts, into *size if that is not NULL. */
int hd_sweep_run(const hd_sweep_options *options, hd_sweep_size *size);
/* Prints how many runs of a study a file has, by status. */
bool hd_sweep_counts(hd_store *store, const char *study);
/* sweep_slurm.c: runs what is missing as an array of Slurm jobs, and collects the results. */
int hd_sweep_slurm(const hd_sweep_options *options);
/* sweep_report.c */
int hd_sweep_report(const hd_sweep_options *options);

#endif
