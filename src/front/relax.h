/* Options by which a program allows inexact arithmetic, for its own instructions alone.
 *
 * clang's back end takes -ffp-contract=fast (the default of CUDA), -cl-unsafe-math-optimizations and their kin for the whole module, and so for the
 * library that is linked in: it fuses and reorders the steps with which fmod or the reduction of sin keep what a rounding loses. Each has a form that
 * marks the instructions of the source instead. Quotients stay correctly rounded. */
#ifndef HD_RELAX_H
#define HD_RELAX_H

#include "base/base.h"

typedef HD_VEC(const char *) hd_front_words;

/* Appends the options of clang (NULL-terminated, or NULL) in these forms. */
void hd_front_relax(const char *const *options, bool cuda, hd_front_words *out);

#endif
