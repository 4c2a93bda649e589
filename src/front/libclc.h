/* Whether a program needs libclc. Reading libclc takes longer than all else that clang does for a small kernel, and Heddle's own library has what
 * many kernels call. So clang runs without libclc where nothing speaks for it, and once more with it if the PTX then lacks a function. What comes out
 * is the same in both cases. */
#ifndef HD_LIBCLC_H
#define HD_LIBCLC_H

#include <stdbool.h>
#include <stddef.h>

/* A guess from a source's text of `size` bytes: true if it calls a function by a name that libclc alone defines. */
bool hd_libclc_likely(const char *source, size_t size);

/* A guess whether the source uses half arithmetic (cl_khr_fp16), or includes files that may. */
bool hd_half_likely(const char *source, size_t size);

/* True if PTX of clang declares a function that it does not define and that is no operation of the machine (docs/builtins.md). */
bool hd_libclc_missing(const char *ptx);

#endif
