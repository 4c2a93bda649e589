/* Runs a program and collects what it writes. No shell is involved. */
#ifndef HD_PROCESS_H
#define HD_PROCESS_H

#include "base/base.h"

typedef struct hd_process_result {
	hd_text out, err; /* standard output and standard error */
	int status;       /* exit status, or -1 when a signal ended it */
	int signal;       /* number of that signal, 0 otherwise */
	bool truncated;   /* standard output passed the limit: the program was ended */
} hd_process_result;

/* Full path of a program: `name` itself when it contains a slash, otherwise the first executable of that name in PATH. NULL when there is none.
 * The caller frees. */
char *hd_process_find(const char *name);

/* Runs argv[0] (a path) with empty standard input until it ends. Keeps at most out_limit bytes of output and err_limit bytes of messages. If the
 * program cannot be started: false, the reason in *failure, and an empty result. Otherwise the caller calls hd_process_result_free. */
bool hd_process_run(char *const argv[], size_t out_limit, size_t err_limit, hd_process_result *result, const char **failure);
void hd_process_result_free(hd_process_result *result);

#endif
