/* Runs examples on an OpenCL platform of this host (for instance PoCL), as an independent check of a kernel's output. */
#ifndef HEDDLE_BACKEND_OPENCL_H
#define HEDDLE_BACKEND_OPENCL_H

#include "example.h"

/* Compiles the file for the first device of the platform whose name contains `wanted`. With NULL it takes the first platform. NULL with an error in
 * diag on failure. NULL without an error when there is no such platform; *why then says what is missing. */
ex_backend *ex_opencl_new(const char *source, const char *wanted, hd_diag *diag, const char **why);
void ex_opencl_free(ex_backend *backend);

#endif
