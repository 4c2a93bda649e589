/* The state of a load/store unit, which the files of the unit share: lsu.c, sectors.c and refuse.c. */
#ifndef HD_LSU_STATE_H
#define HD_LSU_STATE_H

#include "memory/constant.h"
#include "memory/crossbar.h"
#include "memory/mmu.h"
#include "memory/part.h"
#include "memory/requests.h"
#include "memory/slices.h"

typedef struct hd_slice_port hd_slice_port;
struct hd_deferred;

struct hd_lsu {
	uint64_t free_at[2]; /* memory stages: LSU (the first copy that is free), LATOM. They come first, for hd_lsu_free_at */
	const hd_lanes *lanes;
	hd_first_cache l1;
	hd_constants *constants; /* NULL: constant loads always hit */
	hd_l2 *l2;
	hd_mmu *mmu; /* NULL: addresses need no translation */
	hd_memory *memory;
	hd_memory_hits hits;
	hd_outbox *outbox;     /* NULL: an access takes effect in one step (memory.values: at_once) */
	hd_requests *requests; /* NULL: the second level answers at once */
	/* hd_sectors_access, or hd_slice_port_access with memory.slices */
	uint64_t (*sectors)(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool by_packet, uint64_t *stage, uint64_t *lane_done,
	                    hd_stats *stats);
	hd_slice_port *slice_port;    /* with memory.slices, else NULL */
	struct hd_deferred *deferred; /* NULL: no access was ever deferred (deferred.h) */
	bool defers;                  /* hd_lsu_set_deferral, and there is only one copy of the stage */
	bool scarce;                  /* in a window of time: the present access may find no room */
	uint32_t core;
	uint64_t now;         /* cycle of the present access */
	hd_watch *watch;      /* NULL: no livelock detection */
	const bool *watching; /* watch->on; never without a watch */
	uint32_t l1_latency, shared_latency, constant_latency, l2_latency, shared_banks;
	uint32_t there, far;          /* from the core to a slice of the second level; beyond that to a far one (memory.far_latency) */
	uint32_t side;                /* half of the slices that is near: 0 or 1 */
	uint64_t left;                /* the latest cycle in which a packet left: copies of the stage send in order */
	uint64_t copy[HD_MAX_COPIES]; /* of the LSU's stage (MI-14): the same for each */
	uint32_t copies;
	hd_room misses;                        /* sectors that loads wait for */
	hd_room writes;                        /* sectors of stores and atomics that are not performed yet */
	bool lane_by_lane;                     /* memory.return_groups */
	bool refuse_constants, replay_misses;  /* the keys of predecode (PD-26) */
	bool promises;                         /* predecode.replay_order: promised */
	uint32_t promised;                     /* places that refused loads wait for */
	uint32_t request_bytes, request_queue; /* the keys of memory */
	hd_bank_shape shapes[HD_BANK_SHAPES];
};

/* The memory stage, which was closed, is free again from cycle `end` on. */
void hd_lsu_reopen(hd_lsu *lsu, uint64_t end);

/* The places before the one that a load which was refused last waits for; of a full table the last place. */
static inline uint32_t hd_lsu_places_before(const hd_lsu *lsu)
{
	return hd_min_u32(lsu->promised, lsu->misses.places) - (lsu->promised && lsu->misses.places);
}

/* True when one pass of shared memory is known to serve all lanes. */
static inline bool hd_lsu_one_pass(hd_lsu *lsu, const hd_part *p, unsigned bytes, bool atomic)
{
	uint32_t banks = lsu->shared_banks;
	return !atomic && bytes <= 4 && !(banks & (banks - 1)) && lsu->lanes->conflict_free(p->address, banks, lsu->shapes);
}

/* True when the lanes go to the constant cache, or to the constant bank that is always there. */
static inline bool hd_lsu_is_constant(const hd_lsu *lsu, const hd_part *p, const hd_access_op *op)
{
	return p->space == HD_SPACE_CONST || (op->constant && lsu->constants);
}

#endif
