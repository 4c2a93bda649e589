/* `wsync`: lanes of a warp meet from different places. A lane waits until every lane that its mask names, and that has not ended, waits with the same
 * mask. Then they are let go together, each at its own next instruction. This is the record of who waits; the flow units and the interpreter decide
 * where lanes go on. */
#ifndef HD_LAUNCH_SYNC_H
#define HD_LAUNCH_SYNC_H

#include "launch/launch.h"
#include "semantics/semantics.h"

typedef struct hd_sync {
	uint32_t lanes;        /* that wait */
	uint32_t pc[HD_LANES]; /* where they go on */
	/* Of each lane's last `wsync`: its b; and the lanes that it names while it waits, then those with which it was let go (XLANE). */
	hd_vec32 exchange[2];
} hd_sync;

/* The lanes `taken` begin to wait with the masks operands[0]; they go on at `next`. */
void hd_sync_arrive(hd_sync *sync, uint32_t taken, const hd_vec32 *masks, const hd_vec32 *values, uint32_t next);
/* Lets the lanes go for which nobody is missing any more, and returns them. */
uint32_t hd_sync_release(hd_sync *sync, uint32_t alive);
/* Appends who waits, where and for whom, when none of them can go on: lines that begin with `indent`. */
void hd_sync_explain(const hd_sync *sync, uint32_t alive, const hd_program *program, const char *indent, hd_text *out);

#endif
