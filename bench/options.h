/* The options of the programs in this folder: a machine, a size, keys of the description, and examples. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "backend_heddle.h"

enum { MOST_SETTINGS = 16, MOST_EXAMPLES = 128 };

typedef struct options {
	const char *machine; /* a preset or a file; NULL: the default machine */
	int size;            /* -1: the largest */
	const char *settings[MOST_SETTINGS];
	unsigned n_settings;
	char *examples; /* the folder of the examples */
	const ex_example *chosen[MOST_EXAMPLES];
	unsigned n;
} options;

/* Options with nothing chosen. options_free releases them. */
options options_new(void);
void options_free(options *o);
/* Takes --machine, --size or --set with its value at argv[*i], and moves *i to the value. False when it is none of them. */
bool options_take(options *o, int argc, char **argv, int *i);
/* Chooses the examples of the names from argv[first] on; without a name all of them. */
void options_choose(options *o, int argc, char **argv, int first);
/* The machine with its keys set. False and errors in diag on failure. */
bool options_machine(const options *o, hd_machine *machine, hd_diag *diag);

#endif
