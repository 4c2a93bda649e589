/* How far stalls could fall, and which waits no register needs (SA-8). All of it concerns registers: a stall may be there for the throughput of a
 * unit, and a wait for the order of memory.
 *
 *   L1  A stall may fall alone by the least margin of the distances that lead over it. Of a distance from block to block the ways with the least
 * margin through the instruction count. L2  An instruction whose counter the next one waits for keeps a stall of 2, where that wait is needed. L3  A
 * bit of a wait mask is needed when a dependence hangs on an access that this wait alone ends, and no assumption covers it. */
#ifndef HD_SASS_SLACK_H
#define HD_SASS_SLACK_H

#include "sass/check.h"

typedef struct hd_sass_slack {
	uint32_t n;
	uint8_t *stall;     /* by instruction: cycles by which its stall could fall while all others stay */
	uint8_t *redundant; /* by instruction: bits of its wait mask that no register needs, each alone */
	uint64_t cycles;    /* of all stalls in blocks that control reaches */
	uint64_t won;       /* of them: what hd_sass_least_stalls takes away */
	uint64_t waits, redundant_waits;
} hd_sass_slack;

/* Requires a function that is proven with these options. The caller frees. */
void hd_sass_slack_find(hd_sass_slack *slack, const hd_sass_code *code, const hd_sass_options *options);
void hd_sass_slack_free(hd_sass_slack *slack);
/* Appends a line for each instruction: address, control fields, text, slack. */
void hd_sass_slack_print(hd_text *text, const hd_sass_code *code, const hd_sass_slack *slack);

#endif
