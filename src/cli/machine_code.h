/* heddle check and heddle disasm of machine code of real GPUs: cubins, and files that have cubins in them (SA-7). */
#ifndef HD_CLI_MACHINE_CODE_H
#define HD_CLI_MACHINE_CODE_H

#include "base/base.h"

/* The bytes of a file. A regular file of at most 4 GiB is mapped, so what nobody looks at is not read. Anything else is read, at most 1 GiB. */
typedef struct hd_machine_code_file {
	const uint8_t *bytes;
	size_t size;
	bool mapped;
} hd_machine_code_file;
/* False and an error in `diag`. */
bool hd_machine_code_open(hd_machine_code_file *file, const char *path, hd_diag *diag);
void hd_machine_code_close(hd_machine_code_file *file);

typedef struct hd_machine_code_options {
	const char *architecture, *kernel, *assume, *fix, *report; /* as they were written; NULL: not given */
	bool strict, slack, quiet;
} hd_machine_code_options;

/* Whether any of them was given, `quiet` aside: they are for machine code only. The first one's name, or NULL. */
const char *hd_machine_code_option(const hd_machine_code_options *options);
/* Whether the file is machine code of a real GPU, or a host's file that may have it: by its first bytes, and by its name (.cubin, .fatbin) where it
 * is a pipe. */
bool hd_is_machine_code(const char *path);
/* Reads the value of --arch, "80" or "sm_80". False after a message. */
bool hd_machine_code_architecture(const char *command, const char *text, unsigned *architecture);
/* Prints the file's machine code to `output` (NULL, "-": standard output); of the options, --arch and --kernel count. Returns the exit status. */
int hd_disasm_machine_code(const char *path, const char *output, const hd_machine_code_options *options);
/* Checks the file. Returns the exit status: 0 proven, 1 refuted, 3 unknown, 2 bad input. */
int hd_check_machine_code(const char *path, const hd_machine_code_options *options);

#endif
