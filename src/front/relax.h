/* Options by which a program allows inexact arithmetic, for its own instructions alone.
 *
 * clang's back end takes -ffp-contract=fast (the default of CUDA), -cl-unsafe-math-optimizations and their kin for the whole module, and so for the
 * library that is linked in: it fuses and reorders the steps with which fmod or the reduction of sin keep what a rounding loses. Each has a form that
 * marks the instructions of the source instead. Quotients stay correctly rounded, but for nvcc's -prec-div=false and -use_fast_math. */
#ifndef HD_RELAX_H
#define HD_RELAX_H

#include "base/base.h"

typedef HD_VEC(const char *) hd_front_words;

/* Appends the options of clang and, for CUDA, of nvcc (NULL-terminated, or NULL) in these forms. */
void hd_front_relax(const char *const *options, bool cuda, hd_front_words *out);

/* How PTX divides single-precision numbers of the source (div.MODE.f32): "full", "approx.ftz" and so on. NULL: correctly rounded. */
const char *hd_front_quotient(const char *const *options);
/* The text of a module (hd_front_options.module_text) with the quotients that clang marked for this (afn) in that mode. The caller frees. */
char *hd_front_mend_quotients(const char *module, const char *mode);

#endif
