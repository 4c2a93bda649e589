/* Runs examples on an OpenCL platform of this host (PoCL, for instance): an independent check of a kernel's output. */
#ifndef HEDDLE_BACKEND_OPENCL_H
#define HEDDLE_BACKEND_OPENCL_H

#include "example.h"

/* Compiles the file for the first device of the platform whose name contains `wanted`, or of the first one if that is NULL. NULL with an
 * error in diag; NULL and no error when there is no such platform (then *why says what is missing). */
ex_backend *ex_opencl_new(const char *source, const char *wanted, hd_diag *diag, const char **why);
void ex_opencl_free(ex_backend *backend);

#endif
