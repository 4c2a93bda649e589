/* printf: the print buffer of a launch, and its records as text. object.h describes the layout of the buffer. */
#ifndef HD_API_PRINT_H
#define HD_API_PRINT_H

#include "launch/launch.h"

/* The longest text of one launch. A record of 24 bytes can name a string of a gigabyte. */
enum { HD_PRINT_TEXT_MAX = 1 << 26 };

/* Gives the launch a buffer with `bytes` bytes for records if its program prints. False when memory has no room for it. */
bool hd_print_open(hd_launch *launch, hd_memory *memory, uint64_t bytes, hd_diag *diag);
/* Appends the formatted records to `out`, in their order, and releases the buffer. It also works after a failed launch. It does nothing without a
 * buffer. It skips records that no kernel of ours writes. No contents of memory make it fail. The text is cut off after HD_PRINT_TEXT_MAX bytes, and
 * a line says so. */
void hd_print_close(hd_launch *launch, hd_memory *memory, hd_text *out);

/* Formats one format with `n` arguments of sizes[i] bytes each, each padded to 4 bytes in `bytes`. For hd_print_close and for tests. Conversions are
 * those of OpenCL C (6.15.14.2). The sizes state the width of each argument, so length modifiers only shorten it. */
void hd_print_format(hd_text *out, hd_memory *memory, const char *format, const uint8_t *sizes, const uint8_t *bytes, unsigned n);

#endif
