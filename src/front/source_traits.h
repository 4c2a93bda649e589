/* The libraries of built-in functions that a program needs, by the words of its source. Reading all of them takes clang several times as long as all
 * else that it does for a small kernel. So clang reads those that the words speak for, and once more all of them if the PTX then lacks a function.
 * The output is the same in both cases. */
#ifndef HD_SOURCE_TRAITS_H
#define HD_SOURCE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>

/* A level has the functions of those before it. */
typedef enum hd_library_level {
	HD_LIBRARY_CORE,    /* heddle_core.bc: work-item functions */
	HD_LIBRARY_OURS,    /* heddle_builtins.bc */
	HD_LIBRARY_SCALARS, /* libclc's functions of scalars but conversions (heddle_scalars.bc) */
	HD_LIBRARY_ALL,     /* libclc */
} hd_library_level;

typedef struct hd_source_traits {
	hd_library_level library; /* a guess, */
	bool opencl3;             /* so is whether the program calls functions of OpenCL C 3.0, */
	bool queues;              /* whether it enqueues kernels, */
	bool half;                /* and whether it uses half arithmetic (cl_khr_fp16), or includes files that may */
	bool gnu_inline;          /* `inline` alone makes a function that can be called, as in GNU C before C99 and as OpenCL programs expect */
	bool unoptimised;         /* clang's optimiser makes of it what its back end cannot translate */
	bool inlined;             /* every call, because clang failed otherwise */
} hd_source_traits;

/* For a source of `size` bytes. */
hd_source_traits hd_source_traits_of(const char *source, size_t size);

/* True if PTX of clang declares a function that it does not define and that is no operation of the machine (docs/ptx.md). */
bool hd_ptx_lacks_functions(const char *ptx);
/* The next such function, or variable, from *at on, at first the text itself: its name of *n characters. NULL after the last. */
const char *hd_front_undefined(const char *ptx, const char **at, size_t *n);

#endif
