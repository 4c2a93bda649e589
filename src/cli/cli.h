/* The command's parts. Each command takes the arguments that follow its name and returns the exit status of the interface page:
 * 0 done, 1 the program is at fault, 2 bad usage or bad input; 130 ended by Ctrl-C. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include "api/api.h"
#include "api/build.h"
#include "base/base.h"

enum { HD_EXIT_DONE = 0, HD_EXIT_FAULT = 1, HD_EXIT_USAGE = 2, HD_EXIT_INTERRUPTED = 130 };

int hd_cli_compile(int argc, char **argv);
int hd_cli_asm(int argc, char **argv);
int hd_cli_disasm(int argc, char **argv);
int hd_cli_run(int argc, char **argv);
int hd_cli_check(int argc, char **argv);
int hd_cli_compare(int argc, char **argv);
int hd_cli_config(int argc, char **argv);

/* Walks a command's arguments: options with their values, and plain words. */
typedef struct hd_options {
	int argc;
	char **argv;
	int at;
	const char *command;
	const char *word;  /* the argument now looked at */
	const char *value; /* "--key=VALUE" */
	size_t length;     /* of the option's name in word */
} hd_options;

bool hd_options_next(hd_options *options);                       /* false at the end */
bool hd_options_is(const hd_options *options, const char *name); /* the argument is this option */
bool hd_options_word(const hd_options *options);                 /* the argument is no option */
/* The option's value: after `=` or the next argument. NULL and a message if there is none. */
const char *hd_options_value(hd_options *options);
enum { HD_CLANG_ARGUMENTS_MAX = 64 };
/* -D, -I and -U in one or two words, for clang; appended to `arguments`. */
bool hd_options_clang(hd_options *options, const char **arguments, unsigned *n, unsigned max);
int hd_options_unknown(const hd_options *options); /* says so; HD_EXIT_USAGE */

/* --config and --set in effect: the machine, validated. False and errors in diag. */
bool hd_options_machine(hd_machine *machine, const char *config, const char *const *settings, size_t n_settings, hd_diag *diag);

/* Prints a message about usage; HD_EXIT_USAGE. */
int hd_usage(const char *format, ...) HD_PRINTF(1, 2);
/* Prints diag's text to standard error, frees it; HD_EXIT_USAGE when it holds an error, HD_EXIT_DONE otherwise. */
int hd_flush(hd_diag *diag);
/* Writes text to a file, or to standard output for "-" or NULL. */
bool hd_put_text(const char *path, const char *text, size_t size, hd_diag *diag);

/* Decimal number of at most `maximum`; the whole text must be one. */
bool hd_parse_number(const char *text, uint64_t maximum, uint64_t *value);

#endif
