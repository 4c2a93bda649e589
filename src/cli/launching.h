/* Code shared by `heddle run` and `heddle compare`: the options that describe the launch, and the launch itself as far as it concerns one machine. */
#ifndef HD_CLI_LAUNCHING_H
#define HD_CLI_LAUNCHING_H

#include "cli/operands.h"

typedef struct hd_launching {
	hd_program_options program;
	bool unproven; /* --unproven */
	bool any_type; /* --any-type */
	heddle_launch launch;
	HD_VEC(hd_operand) operands;
	HD_VEC(heddle_arg) args;
} hd_launching;

/* Takes what hd_options_next has found, if it belongs to a launch. */
hd_taken hd_launching_option(hd_launching *launching, const hd_options *options, hd_option_id option);
/* --config and --set in effect, and the program built for that machine. */
bool hd_launching_build(hd_launching *launching, const char *config, heddle *h);
/* Finds the kernel, puts arrays into device memory and compares their types with the kernel's parameters; launching->launch is complete afterwards.
 */
bool hd_launching_place(hd_launching *launching, heddle *h);
/* Outputs out of device memory; into their files, the first of which is written when all were fetched. */
bool hd_launching_fetch(hd_launching *launching, heddle *h);
bool hd_launching_save(const hd_launching *launching, hd_output_set *outputs, hd_diag *diag);
void hd_launching_free(hd_launching *launching);

#endif
