/* What `heddle run` and `heddle compare` have in common: the options that say what is launched, and the launch itself as far as it is one
 * machine's. */
#ifndef HD_CLI_LAUNCHING_H
#define HD_CLI_LAUNCHING_H

#include "cli/operands.h"

typedef struct hd_launching {
	const char *command; /* for messages */
	const char *input;
	heddle_launch launch;
	heddle_build_options build;
	HD_VEC(const char *) settings;
	HD_VEC(hd_operand) operands;
	HD_VEC(heddle_arg) args;
	const char *arguments[HD_CLANG_ARGUMENTS_MAX + 1]; /* for clang */
	unsigned n_arguments;
} hd_launching;

typedef enum hd_taken { HD_TAKEN, HD_NOT_MINE, HD_REFUSED /* after a message */ } hd_taken;

/* Looks at the argument that hd_options_next has come to. */
hd_taken hd_launching_option(hd_launching *launching, hd_options *options);
/* --config and --set in effect, and the program built for that machine. */
bool hd_launching_build(hd_launching *launching, const char *config, heddle *h);
/* Arrays into device memory; launching->launch is complete afterwards. */
bool hd_launching_place(hd_launching *launching, heddle *h);
/* Outputs out of device memory; into their files, the first of which is written when all were fetched. */
bool hd_launching_fetch(hd_launching *launching, heddle *h);
bool hd_launching_save(const hd_launching *launching, hd_diag *diag);
void hd_launching_free(hd_launching *launching);

bool hd_ends_in(const char *text, const char *ending);

#endif
