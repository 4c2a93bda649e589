/* The baseline: a hardware scoreboard checks every register and predicate of every instruction at issue (`fence.mode: scoreboard`). Counters, waits
 * and delays of the program then have no effect.
 *
 * An instruction issues when
 *  - no write is pending to a register that it reads or writes (RAW, WAW),
 *  - no read is pending of a register that it writes (WAR),
 *  - the scoreboard can track one more reader for each register that it reads: with `limit` readers the next one waits,
 *  - for a barrier, fence or launch: the warp's accesses to memory, fences and launches are done; for an access to shared memory: those through the
 *    other memory pipe are done.
 *
 * A read ends when the instruction enters its pipe (or is dropped). A write by a pipe of fixed latency ends one cycle before it happens, so a
 * dependent instruction enters in the cycle of the write, as with exact delays. A write behind memory ends when it happens, because its time is not
 * known before. This is a scoreboard with perfect wake-up and forwarding: the strongest of its kind. */
#ifndef HD_CORE_SCOREBOARD_H
#define HD_CORE_SCOREBOARD_H

#include "core/code.h"

enum {
	HD_SCORE_PREDICATES = 256, /* registers are 0..254, predicates follow */
	HD_SCORE_RESOURCES = HD_SCORE_PREDICATES + HD_PREDS,
	HD_SCORE_WORDS = (HD_SCORE_RESOURCES + 63) / 64,
};

enum hd_score_order {
	HD_SCORE_ACCESS = 1, /* an access that other threads may see, a fence or a launch: barriers, fences and launches wait for it */
	HD_SCORE_FENCE = 2,  /* a barrier, fence or launch */
	HD_SCORE_SHARED = 4, /* may touch shared memory, or orders it */
	HD_SCORE_LATOM = 8,  /* goes through the pipe of shared-memory atomics */
};

/* The registers that one static instruction touches, and the order that it keeps. */
struct hd_footprint {
	uint64_t reads[HD_SCORE_WORDS], writes[HD_SCORE_WORDS];
	uint8_t order; /* mask of hd_score_order */
};

typedef struct hd_scoreboard {
	uint16_t limit; /* readers of one register that can be tracked */
	uint64_t writing[HD_WARP_SLOTS][HD_SCORE_WORDS];
	uint64_t reading[HD_WARP_SLOTS][HD_SCORE_WORDS]; /* readers > 0 */
	uint64_t full[HD_WARP_SLOTS][HD_SCORE_WORDS];    /* readers = limit */
	uint16_t readers[HD_WARP_SLOTS][HD_SCORE_RESOURCES];
	uint16_t accesses[HD_WARP_SLOTS];  /* outstanding, of HD_SCORE_ACCESS */
	uint16_t shared[HD_WARP_SLOTS][2]; /* of HD_SCORE_SHARED, by pipe: 0 load/store, 1 shared-memory atomics */
} hd_scoreboard;

void hd_footprint_of(const hd_inst *inst, hd_footprint *footprint);

/* `consumers`: fence.consumers, 0 = no limit. */
void hd_scoreboard_init(hd_scoreboard *board, uint32_t consumers);
/* True when the instruction may issue. Changes nothing. */
bool hd_scoreboard_ready(const hd_scoreboard *board, unsigned warp, const hd_footprint *footprint);
/* Records an instruction that issues. Requires: hd_scoreboard_ready is true. */
void hd_scoreboard_issue(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint);
/* Ends the reads of an instruction that has read its operands or was dropped. */
void hd_scoreboard_read(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint);
/* Ends the writes of an instruction whose results are reliable now, or that was dropped. */
void hd_scoreboard_written(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint);
/* Ends the accesses to memory of an instruction that has left the machine. */
void hd_scoreboard_done(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint);

#endif
