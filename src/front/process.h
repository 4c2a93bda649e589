/* Runs a program within bounds and collects what it writes. No shell is involved.
 *
 * A supervisor process stands between us and the program (supervise.h). The program and the processes that it starts end when a bound is passed, when
 * the program itself ends, and when we end, whatever signal ends us. */
#ifndef HD_PROCESS_H
#define HD_PROCESS_H

#include "base/base.h"
#include "front/limits.h"

typedef struct hd_process_result {
	hd_text out, err;       /* standard output and standard error */
	int status;             /* exit status, or -1 when a signal ended it */
	int signal;             /* number of that signal, 0 otherwise */
	hd_process_limit limit; /* the bound that ended the program, or HD_PROCESS_LIMIT_NONE */
} hd_process_result;

/* Bytes of standard error that are kept, unless hd_process.messages_max says otherwise. */
enum { HD_PROCESS_MESSAGES_MAX = 64 << 10 };

/* An open file that the program inherits with this number: FIRST for the first of `files`, FIRST + 1 for the second. */
enum { HD_PROCESS_FIRST_FILE = 3 };

typedef struct hd_process {
	char *const *argv; /* argv[0] is a path; NULL-terminated */
	const hd_process_limits *limits;
	const int *files; /* open files for the program, beside the standard ones; NULL if there are none */
	size_t n_files;
	size_t messages_max; /* bytes of standard error that are kept; 0 = HD_PROCESS_MESSAGES_MAX */
} hd_process;

/* Full path of a program: `name` itself when it contains a slash, otherwise the first executable of that name in PATH. NULL when there is none.
 * The caller frees. */
char *hd_process_find(const char *name);

/* Runs the program with empty standard input until it ends or passes a bound. If the program cannot be started: false, the reason in *failure, and
 * an empty result. Otherwise the caller calls hd_process_result_free. */
bool hd_process_run(const hd_process *process, hd_process_result *result, const char **failure);
void hd_process_result_free(hd_process_result *result);

#endif
