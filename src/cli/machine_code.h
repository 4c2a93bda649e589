/* heddle check and heddle disasm of machine code of real GPUs: cubins, and files that have cubins in them (SA-7). */
#ifndef HD_CLI_MACHINE_CODE_H
#define HD_CLI_MACHINE_CODE_H

#include "api/machine_code.h"

typedef struct hd_machine_code_options {
	const char *architecture, *kernel, *assume, *fix, *report; /* as they were written; NULL: not given */
	bool strict, slack, quiet;
} hd_machine_code_options;

/* Whether any of them was given, `quiet` aside: they are for machine code only. The first one's name, or NULL. */
const char *hd_machine_code_option(const hd_machine_code_options *options); /* Reads the value of --arch, "80" or "sm_80". False after a message. */
bool hd_machine_code_architecture(const char *command, const char *text, unsigned *architecture);
/* Prints the file's machine code to `output` (NULL, "-": standard output); of the options, --arch and --kernel count. Returns the exit status. */
int hd_disasm_machine_code(const char *path, const char *output, const hd_machine_code_options *options);
/* Checks the file. Returns the exit status: 0 proven, 1 refuted, 3 unknown, 2 bad input. */
int hd_check_machine_code(const char *path, const hd_machine_code_options *options);

#endif
