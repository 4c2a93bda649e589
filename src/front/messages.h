/* The messages that a run of clang has written. */
#ifndef HD_MESSAGES_H
#define HD_MESSAGES_H

#include "front/limits.h"
#include "front/process.h"

/* The source, if it is in memory. */
#define HD_MEMORY_SOURCE "/proc/self/fd/3"

/* clang prints the module on its way to PTX among its messages. Moves the module from them to `module`. */
void hd_cut_module(hd_text *err, hd_text *module);

/* Takes the messages, and reports what ended `clang` before its time. The result is its output of *size bytes, which the caller frees; NULL on
 * failure. `writes`: an empty output is a failure. */
char *hd_take_result(const char *path, const char *clang, const hd_process_limits *limits, hd_process_result *result, bool writes, size_t *size,
                     hd_diag *diag);

#endif
