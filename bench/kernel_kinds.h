/* Means over regular kernels and over unstructured ones. No table has a mean over both: what a mechanism for divergence brings on six unstructured
 * kernels says nothing about the others, and the other way round. ex_example.unstructured is the only list of them. */
#ifndef HEDDLE_BENCH_KERNEL_KINDS_H
#define HEDDLE_BENCH_KERNEL_KINDS_H

#include "example.h"

enum { REGULAR, UNSTRUCTURED, KINDS };

static inline unsigned kind_of(const ex_example *example) { return example->unstructured ? UNSTRUCTURED : REGULAR; }
static inline const char *kind_name(unsigned kind) { return kind == UNSTRUCTURED ? "unstructured" : "regular"; }

/* One column of a table. For a geometric mean the logarithms are added, and the mean is that of the logarithms. */
typedef struct kind_sums {
	double sum[KINDS];
	unsigned n[KINDS];
} kind_sums;

static inline void kind_add(kind_sums *sums, const ex_example *example, double value)
{
	sums->sum[kind_of(example)] += value;
	sums->n[kind_of(example)]++;
}

/* 0 if no kernel of this kind was added. */
static inline double kind_mean(const kind_sums *sums, unsigned kind) { return sums->n[kind] ? sums->sum[kind] / sums->n[kind] : 0; }

#endif
