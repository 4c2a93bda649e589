/* Names of C++ as the source writes them: the part of the Itanium ABI's mangling that functions of device code use
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling). */
#ifndef HD_BASE_DEMANGLE_H
#define HD_BASE_DEMANGLE_H

#include "base/base.h"

enum { HD_DEMANGLED_PARAMS_MAX = 64 };

typedef struct hd_demangled {
	hd_arena arena;                              /* of the texts */
	const char *name;                            /* "render::scale<float>" */
	const char *params[HD_DEMANGLED_PARAMS_MAX]; /* "const float *" */
	unsigned n_params;                           /* 0 where the parameters are not understood */
	bool whole;                                  /* the parameters are understood, too */
} hd_demangled;

/* Demangles the symbol of a function. False when the symbol is not mangled, or its name uses what this unit does not know: the caller then keeps it.
 * On success the caller calls hd_demangled_free. Any text may be given. */
bool hd_demangle(const char *symbol, hd_demangled *result);
void hd_demangled_free(hd_demangled *result);
/* "render::scale<float>(const float *)", in the arena. */
char *hd_demangled_signature(const hd_demangled *demangled, hd_arena *arena);

#endif
