/* printf: the buffer of a launch that prints, and its records as text. The buffer's layout is in object.h. */
#ifndef HD_API_PRINT_H
#define HD_API_PRINT_H

#include "launch/launch.h"

/* Gives the launch a buffer with `bytes` bytes for records, if its program prints. False when there is no room in memory. */
bool hd_print_open(hd_launch *launch, hd_memory *memory, uint64_t bytes, hd_diag *diag);
/* Appends what was printed to `out`, in the order of the records, and takes the buffer back. Also of launches that failed; nothing if there is no
 * buffer. Records that no kernel of ours writes are left out; nothing that is in memory makes this fail. */
void hd_print_close(hd_launch *launch, hd_memory *memory, hd_text *out);

/* One format with its arguments, `n` of them with sizes[i] bytes each, each padded to 4 bytes in `bytes`; for tests, and for hd_print_close.
 * Conversions are those of OpenCL C (6.15.14.2): the sizes tell how wide an argument is, so that length modifiers only shorten. */
void hd_print_format(hd_text *out, hd_memory *memory, const char *format, const uint8_t *sizes, const uint8_t *bytes, unsigned n);

#endif
