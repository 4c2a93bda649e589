/* The same launches on several machines, side by side. */
#ifndef HD_COMPARISON_H
#define HD_COMPARISON_H

#include "config/machine.h"
#include "launch/launch.h"

typedef struct hd_compared {
	const char *launch, *kernel, *machine;
	const char *result; /* hd_report_result */
	hd_stats stats;
	uint32_t state_bits; /* a core's, for keeping registers in order (config/state_bits.h) */
	bool same;           /* outputs equal those of the first machine */
} hd_compared;

/* n_launches x n_machines results, those of a launch one after the other; ratios are to the first machine. */
typedef struct hd_comparison {
	const hd_compared *at;
	unsigned n_launches, n_machines;
} hd_comparison;

void hd_comparison_text(const hd_comparison *comparison, hd_text *out);
void hd_comparison_json(const hd_comparison *comparison, hd_text *out);
void hd_comparison_csv(const hd_comparison *comparison, hd_text *out);
void hd_comparison_html(const hd_comparison *comparison, hd_text *out);

#endif
