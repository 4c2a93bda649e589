/* Two machines side by side, line by line: the heat of one launch on both. */
#ifndef HD_LINE_PAIRS_H
#define HD_LINE_PAIRS_H

#include "report/heat.h"

/* A source line; or, with `file` NULL, what belongs to none: `text` says what. */
typedef struct hd_line_pair {
	const char *file, *text; /* text NULL: the source cannot be read */
	uint32_t line;
	double cycles[2], stalled[2]; /* shares of each run's cycles (hd_profile_share); 0 where a machine has no code of the line */
	uint64_t issued[2];
} hd_line_pair;

typedef HD_VEC(hd_line_pair) hd_line_pairs;

typedef enum hd_line_order { HD_LINES_BY_SOURCE, HD_LINES_BY_DIFFERENCE } hd_line_order;

/* Every line that ran on one of the two, in the order of the source, or with the largest difference of cycles first. The cycles of all pairs add up
 * to those of each run. The pairs point into the heats. */
void hd_line_pairs_make(hd_line_pairs *pairs, const hd_heat *first, const hd_heat *second, hd_line_order order);

/* The pairs as a table with the names of the machines. */
void hd_line_pairs_text(const hd_line_pairs *pairs, const char *first, const char *second, hd_text *out);

#endif
