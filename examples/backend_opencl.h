/* Runs examples on an OpenCL platform of this host (PoCL, for instance): an independent opinion on what a kernel puts out. */
#ifndef HEDDLE_BACKEND_OPENCL_H
#define HEDDLE_BACKEND_OPENCL_H

#include "example.h"

/* Compiles the file for the first device of the platform whose name contains EX_OPENCL_PLATFORM (environment), or of the first one. NULL with an
 * error in diag; NULL and no error when there is no platform at all (then *why says what is missing). */
ex_backend *ex_opencl_new(const char *source, hd_diag *diag, const char **why);
void ex_opencl_free(ex_backend *backend);

#endif
