/* A launch of a study (ST-1): what determines it, as digests, and a run of it on one machine. */
#ifndef HD_CLI_SWEEP_LAUNCH_H
#define HD_CLI_SWEEP_LAUNCH_H

#include "cli/launching.h"
#include "study/plan.h"
#include "study/store.h"

#include "example.h"

typedef struct hd_sweep_launch {
	const hd_plan_launch *from;
	const char *kind; /* "launch", "regular", "unstructured", "application": means never mix them */
	char id[HD_DIGEST_TEXT], program[HD_DIGEST_TEXT], inputs[HD_DIGEST_TEXT];
	char *words_text; /* what the words lie in */
	char **words;     /* of a line or a command */
	uint32_t *columns;
	int n_words;
	hd_launching launching; /* of a line */
	char *symbol;           /* of its kernel; NULL: the first one */
	hd_text name, text;     /* the program's name and its text: PTX, assembly or an object */
	const ex_example *example;
	unsigned size;
} hd_sweep_launch;

/* A worker's report of a run. It goes through a pipe between two processes of one program. */
typedef struct hd_sweep_outcome {
	char status[16];
	char outputs[HD_DIGEST_TEXT]; /* "": none */
	bool measured;
	hd_stats stats;
	hd_energy energy;
	uint64_t energy_uncertainty_fj;
	uint64_t code_bytes; /* 0: an application, whose programs are its own */
} hd_sweep_outcome;

/* Makes the launches of a plan those that run: an example `every` becomes all examples, no example is larger than `sizes` - 1 allows (0: any is), and
 * with `only` the others go. False and an error in diag when none is left. */
bool hd_sweep_launch_choose(hd_plan *plan, unsigned sizes, const char *only, hd_diag *diag);
/* Reads the launch and everything that it needs. False after messages. */
bool hd_sweep_launch_prepare(hd_sweep_launch *launch, const hd_plan *plan, const hd_plan_launch *from);
void hd_sweep_launch_free(hd_sweep_launch *launch);
/* Runs it on the machine of a point. `message` receives what went wrong. `folder` is an own folder of the run, for a command. */
void hd_sweep_launch_run(hd_sweep_launch *launch, const hd_plan *plan, const int *choice, const char *folder, hd_sweep_outcome *outcome,
                         hd_text *message);
/* Fills in statistics and energy. */
void hd_sweep_outcome_measured(hd_sweep_outcome *outcome, const hd_machine *machine, const hd_stats *stats);
void hd_sweep_outcome_status(hd_sweep_outcome *outcome, const char *status);

/* Adds an environment variable that decides about runs. Its usual value counts like none. */
void hd_sweep_digest_setting(hd_digest *digest, const char *name, const char *usual);

/* sweep_command.c: a whole application under the OpenCL device or the CUDA device. */
bool hd_sweep_command_prepare(hd_sweep_launch *launch, const hd_plan *plan, hd_diag *diag);
void hd_sweep_command_run(const hd_sweep_launch *launch, const hd_plan *plan, const hd_machine *machine, const char *folder,
                          hd_sweep_outcome *outcome, hd_text *message);
/* Removes the folder of a run with the files in it, and the folder of all runs. */
void hd_sweep_command_clean(const char *folder);
void hd_sweep_command_clean_all(const char *folder);

/* sweep_device.c: adds what decides about the device of an application beside its machine: the drivers that OpenCL's loader finds, the shared
 * libraries that the program and the programs among its words load, such as libcudart.so, and the settings of both devices. */
bool hd_sweep_device_digest(hd_digest *digest, const char *program, char *const *words, hd_diag *diag);
/* Adds a word: of a file that can be read its content, too. */
bool hd_sweep_digest_word(hd_digest *digest, const char *word, hd_diag *diag);

#endif
