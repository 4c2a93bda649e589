/* Text of source files that an object names, for listings. */
#ifndef HD_REPORT_SOURCE_H
#define HD_REPORT_SOURCE_H

#include "base/base.h"

enum { HD_LISTED_MAX = 1 << 20 /* bytes of a file; larger ones are not read */ };

/* The input of the build. Zeroed: unknown. */
typedef struct hd_input {
	const char *path;
	const char *text; /* its content, for a program that came as a string; NULL: it is in the file */
} hd_input;

/* Reads the source file `path` of an object, or returns NULL. Compilers write names relative to their own directories. The input stands for such a
 * name if its file name is the same. The function reads regular files with the ending of a source only, because the name comes from an object. The
 * caller frees the text. */
char *hd_source_read(const char *path, const hd_input *input);

#endif
