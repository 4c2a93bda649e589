/* A stream whose content goes into another stream in compressed form (RFC 1952), for traces whose name ends in .gz. */
#ifndef HD_TRACE_GZIP_H
#define HD_TRACE_GZIP_H

#include <stdio.h>

/* Opens a stream for writing. Its bytes reach `out` compressed, the same bytes for the same content. The caller closes the stream before `out`:
 * fclose writes the end, leaves `out` open, and returns EOF when something could not be written. NULL when there is no memory for it. */
FILE *hd_gzip_open(FILE *out);

#endif
