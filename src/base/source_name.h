/* Names of functions as people write them: `transpose`, `transpose<float>`, `ns::f(int*)`. */
#ifndef HD_BASE_SOURCE_NAME_H
#define HD_BASE_SOURCE_NAME_H

#include "base/base.h"

typedef enum hd_name_match {
	HD_NAME_OTHER, /* another function */
	HD_NAME_PART,  /* what is written fits, and other functions may have it, too */
	HD_NAME_WHOLE  /* name and template arguments are written out; the parameters may be left out */
} hd_name_match;

/* Whether `wanted` stands for the function `full`, such as "ns::f<int>(int *)" (the parameters are "" where they are not known).
 * `wanted` may leave out namespaces from the left, the template arguments or the last ones of them, and the parameters. Blanks do not count, and
 * `float const *` is `const float *`. Any text may be given. */
hd_name_match hd_source_name_match(const char *wanted, const char *full);

/* Suggests `full` or its name alone, "f" of "ns::f<int>(int *)", whichever is nearer. The arena keeps the text of the second. */
void hd_source_name_suggest(hd_suggestion *suggestion, const char *full, hd_arena *arena);

#endif
