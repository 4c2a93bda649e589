/* Programs of a given shape and any size, as PTX: what the time of compilation is measured on. */
#ifndef HD_BENCH_SHAPES_H
#define HD_BENCH_SHAPES_H

#include "base/base.h"

typedef struct shape {
	const char *name;
	const char *what;
	/* Appends the body of the kernel: about n instructions. */
	void (*body)(hd_text *out, unsigned n);
	/* Appends the functions that the body calls; or NULL. */
	void (*functions)(hd_text *out, unsigned n);
	bool one_thread; /* threads would write each other's words */
} shape;

extern const shape shapes[];
extern const size_t shape_count;

/* Appends a whole PTX module of one kernel. The kernel stays in bounds with buffers of n + 128 words and
 * 64 threads. */
void shape_write(hd_text *out, const shape *s, unsigned n);

#endif
