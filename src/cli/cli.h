/* The command's parts. Each command takes the arguments that follow its name and returns the exit status of the interface page:
 * 0 done, 1 the program is at fault, 2 bad usage or bad input, 3 neither proven nor refuted, 71 the host is out of memory, 124 ended by --timeout,
 * 130 ended by Ctrl-C. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include "api/api.h"
#include "api/build.h"
#include "base/base.h"
#include "base/output.h"
#include "cli/table.h"

enum {
	HD_EXIT_DONE = 0,
	HD_EXIT_FAULT = 1,
	HD_EXIT_USAGE = 2,
	HD_EXIT_UNKNOWN = 3,
	HD_EXIT_MEMORY = 71,
	HD_EXIT_TIMEOUT = 124,
	HD_EXIT_INTERRUPTED = 130
};

int hd_cli_compile(int argc, char **argv);
int hd_cli_asm(int argc, char **argv);
int hd_cli_disasm(int argc, char **argv);
int hd_cli_run(int argc, char **argv);
int hd_cli_annotate(int argc, char **argv);
int hd_cli_check(int argc, char **argv);
int hd_cli_compare(int argc, char **argv);
int hd_cli_coverage(int argc, char **argv);
int hd_cli_sweep(int argc, char **argv);
int hd_cli_cc(int argc, char **argv);
int hd_cli_cudart(int argc, char **argv);
int hd_cli_config(int argc, char **argv);
int hd_cli_completion(int argc, char **argv);
int hd_cli_help(int argc, char **argv);

/* Walks the arguments of a command, or of a line that is written like one. Zero but for `command`, `argc` and `argv` at first. */
typedef struct hd_options {
	hd_command command;
	int argc;
	char **argv;
	int first, at;     /* the first argument of the option, and the next one behind it */
	const char *value; /* of the option; of HD_OPTION_WORD: the word */
	/* Where the words stand in a file of launches; NULL: they are from the command line. */
	const char *file;
	uint32_t line;
	const uint32_t *columns; /* by word, from 1 */
} hd_options;

/* Prints a message about the word that hd_options_next has taken last: `heddle: error: COMMAND: ...` or `FILE:LINE:COLUMN: error: ...`. Returns
 * false. */
bool hd_options_refuse(const hd_options *options, const char *format, ...) HD_PRINTF(2, 3);

/* The next option, which the command takes and whose value is there if it wants one; or HD_OPTION_WORD, HD_OPTION_END, HD_OPTION_REFUSED. */
hd_option_id hd_options_next(hd_options *options);
/* The name of the command in messages. */
const char *hd_command_name(hd_command command);
/* Prints that `option` of `command` cannot be `value`: with the nearest of the words in `choices`, which bars or blanks separate, and what was
 * expected. Returns false. */
bool hd_refuse_choice(const char *command, const char *option, const char *value, const char *choices, const char *expected);
/* HD_COMMAND_COUNT: there is none of this name. */
hd_command hd_command_find(const char *name);
/* Prints that there is no such command, and what might be meant; HD_EXIT_USAGE. */
int hd_command_unknown(const char *name);

typedef enum hd_taken { HD_TAKEN, HD_NOT_MINE, HD_REFUSED /* after a message */ } hd_taken;

/* A program and the machine that it is for. All zero: nothing is given. */
enum { HD_CLANG_ARGUMENTS_MAX = 64 };
typedef struct hd_program_options {
	const char *input, *config;
	bool serial;
	HD_VEC(const char *) settings;
	const char *arguments[HD_CLANG_ARGUMENTS_MAX + 1]; /* for clang, NULL-terminated */
	unsigned n_arguments;
} hd_program_options;
/* Takes IN, --config, --set, --serial, --std, -D, -U and -I, as hd_options_next has found them. */
hd_taken hd_program_option(hd_program_options *program, const hd_options *options, hd_option_id option);
/* An option that belongs to one command. False after a message. */
typedef bool hd_own_option(void *context, hd_option_id option, const char *value);
/* Parses the arguments of compile, check, asm or disasm. `own` receives each option that hd_program_option does not take. The message about a missing
 * input ends with `expected`. False after a message. */
bool hd_program_parse(hd_program_options *program, hd_command command, int argc, char **argv, hd_own_option *own, void *context,
                      const char *expected);
/* Loads the machine with --config and --set in effect. `build` receives the options to build the program for this machine. False and errors in diag.
 */
bool hd_program_machine(const hd_program_options *program, hd_machine *machine, hd_build_options *build, hd_diag *diag);
void hd_program_options_free(hd_program_options *program);

/* Checks the object and prints the findings to standard error; unless `quiet`, notes too, and to `out` what was proven. True when it is proven. */
bool hd_prove(const hd_object *object, const hd_machine *machine, const char *input, bool quiet, FILE *out);

/* --config and --set in effect: the machine, validated. False and errors in diag. */
bool hd_options_machine(hd_machine *machine, const char *config, const char *const *settings, size_t n_settings, hd_diag *diag);

/* The help of one command; of all with HD_COMMAND_COUNT. */
void hd_help(hd_command command, FILE *out);

/* Prints a message about usage; HD_EXIT_USAGE. */
int hd_usage(const char *format, ...) HD_PRINTF(1, 2);
/* Prints diag's text to standard error, frees it; HD_EXIT_USAGE when it holds an error, HD_EXIT_DONE otherwise. */
int hd_flush(hd_diag *diag);
/* Writes text to a file, or to standard output for "-" or NULL. */
bool hd_put_text(const char *path, const char *text, size_t size, hd_diag *diag);

/* The folders of the CUDA libraries, with colons between them: those of the build directory, of the installation around this program, or of the one
 * that was configured. */
void hd_cudart_folders(hd_text *to);

/* hd_read_number for a whole text; false for anything but a good number. */
bool hd_parse_number(const char *text, uint64_t maximum, uint64_t *value);
/* The readers of values that options of several commands have. Each prints a message and returns false if the value is none.
 * A number from `minimum` to `maximum`. */
bool hd_option_number(const char *command, const char *option, const char *value, uint32_t minimum, uint32_t maximum, uint32_t *number);
/* A file for --report. `endings` are those of its name as the message has them: ".txt, .json or .html, or -"; with a hyphen standard output is one.
 */
bool hd_option_report(const char *command, const char *value, const char *endings, const char **path);
/* --trace-cycles, --trace-core and --trace-warp. */
bool hd_option_limit(const char *command, hd_option_id option, const char *value, hd_trace_limits *limits);
/* Puts a word that stands in '...' of a shell; the characters of `also` get a backslash. */
void hd_put_quoted(const char *text, const char *also, hd_text *out);

#endif
