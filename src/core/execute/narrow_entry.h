/* The instructions in the entry of narrow pipes (narrow.h). */
#ifndef HD_CORE_NARROW_ENTRY_H
#define HD_CORE_NARROW_ENTRY_H

#include "core/state.h"

/* An instruction that is entering a pipe. */
typedef struct hd_entering {
	hd_sent sent;
	uint32_t mask;             /* lanes for which it executes */
	uint32_t pass;             /* number of completed cycles of its entry */
	unsigned idle;             /* units that fall with the last lanes although they have no active lane: without active logic (HZ-30) */
	bool counted;              /* the statistics have counted a part of it */
	hd_flight *whole;          /* latch of an instruction that needs all lanes at once; else NULL */
	hd_vec32 a[2], b[4], c[2]; /* operands that have been collected */
	uint32_t p[3];
} hd_entering;

struct hd_narrow {
	hd_entering in[HD_PIPE_COUNT];
};

/* NULL when every pipe of the machine takes a whole warp in a cycle. */
hd_narrow *hd_narrow_new(const hd_machine *machine);
void hd_narrow_free(hd_narrow *narrow);
/* The instruction that is entering a narrow pipe; NULL = none. */
const hd_sent *hd_narrow_entering(const hd_scheduler *s, unsigned pipe);
/* A hash of the warp's instructions that are entering pipes, for livelock detection. */
uint64_t hd_narrow_hash(const hd_scheduler *s, unsigned warp);

#endif
