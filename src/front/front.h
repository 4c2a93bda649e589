/* Source files to PTX text through clang, run as a process. */
#ifndef HD_FRONT_H
#define HD_FRONT_H

#include "base/base.h"

typedef struct hd_front_options {
	const char *const *arguments; /* extra arguments for clang (-D, -I, -cl-...), NULL-terminated, or NULL */
	bool debug_lines;             /* -gline-tables-only; on unless there is a reason */
	bool without_builtins;        /* of a unit that is linked later */
} hd_front_options;

/* PTX of an OpenCL C (.cl) or CUDA (.cu) file; the caller frees. clang's own messages go to diag. NULL on failure. */
char *hd_front_ptx(const char *path, const hd_front_options *options, size_t *size, hd_diag *diag);

#endif
