/* The memory side of a core: coalescing, shared memory with banks, and the first data cache. All cores share the second level and DRAM behind it.
 *
 * Reservations model time. Every resource keeps the cycle from which it is free, so one call computes the time of an access. Nothing is ticked, and
 * idle time costs nothing. The caller delivers a load's data to the register file at `done`, not before.
 *
 * An access to global memory changes or reads bytes where docs/memory.md says: in the first cache in the call, and at a slice of the second level
 * when the packet arrives there, which is after the call and not after `done` (crossbar.h, MT-1). All other accesses take effect in the call. Without
 * hd_lsu_set_outbox all of them do; the order of calls is then the memory order. */
#ifndef HD_MEMORY_TIMING_H
#define HD_MEMORY_TIMING_H

#include "base/region.h"
#include "config/machine.h"
#include "launch/launch.h"
#include "launch/watch.h"
#include "memory/coalesce.h"

/* Second level and DRAM, one for the machine. */
typedef struct hd_l2 hd_l2;
hd_l2 *hd_l2_new(const hd_machine *machine);
void hd_l2_free(hd_l2 *l2);
/* Requests one line of instructions (64 or 32 bytes at code byte address `address`) from the second level. Returns the cycle in which it is present.
 */
uint64_t hd_l2_fetch_line(hd_l2 *l2, uint64_t now, uint64_t address, uint32_t bytes, hd_stats *stats);

/* Virtual memory of one core (mmu.h). */
typedef struct hd_mmu hd_mmu;

/* One core's load/store unit. `constants` (constant.h) may be NULL: constant loads then always hit. */
typedef struct hd_lsu hd_lsu;
struct hd_constants;
hd_lsu *hd_lsu_new(const hd_machine *machine, hd_l2 *l2, hd_memory *memory, struct hd_constants *constants, hd_region *region);
void hd_lsu_free(hd_lsu *lsu);
/* Requests to the second level go through `mmu`, which outlives the unit (PD-38). Without this call, or with NULL, addresses need no translation. */
void hd_lsu_set_mmu(hd_lsu *lsu, hd_mmu *mmu);
/* Accesses to global memory travel from now on (MT-1). The outbox outlives the unit. Without this call they take effect at once. */
struct hd_outbox;
void hd_lsu_set_outbox(hd_lsu *lsu, struct hd_outbox *outbox);
/* Where the core stands among the slices (memory.far_latency): even and odd cores have different near ones. Without this call: core 0. */
void hd_lsu_set_core(hd_lsu *lsu, uint32_t core);
/* Requests to the second level wait while `requests`, which outlives the unit, lets them (PA-2, requests.h). Without this call they never do. */
struct hd_requests;
void hd_lsu_set_requests(hd_lsu *lsu, struct hd_requests *requests);
/* Empties the first cache, where it has bytes: another core may have written what it holds (MT-2). */
void hd_lsu_invalidate(hd_lsu *lsu);
/* While watch->on, a byte that changes its value is a sign of progress. Without this call the unit reports no progress. */
void hd_lsu_set_watch(hd_lsu *lsu, hd_watch *watch);

/* One memory instruction of one warp, at its memory stage. */
typedef struct hd_access {
	const hd_access_op *op;
	uint32_t mask;       /* lanes */
	bool may_refuse;     /* the unit may leave lanes undone that it cannot serve in its cycle (PD-15) */
	bool again;          /* a replay: the statistics already count the access */
	hd_vec32 address[2]; /* source a as read at entry: D (global, generic) or R (shared, local, constant) */
	hd_vec32 data[4];    /* source b: store data, atomic value, CAS comparand */
	hd_vec32 swap[2];    /* source c: CAS new value */
	uint8_t *shared;     /* the CTA's shared memory */
	uint32_t shared_bytes;
	uint8_t *local; /* the warp's local memory: HD_LANES consecutive thread areas of local_bytes each */
	uint32_t local_bytes;
	uint64_t local_id; /* number of the warp in the launch; gives its local memory a place in the caches */
	const hd_bank *bank;
} hd_access;

/* The reason why a unit refused an instruction or some of its lanes (PD-16). */
typedef enum hd_refusal {
	HD_REFUSED_NOT,
	HD_REFUSED_MISSES, /* the table of outstanding misses is full */
	HD_REFUSED_BANKS,  /* conflict of shared-memory banks */
	HD_REFUSED_PORTS,  /* no read port of a register file bank is free (core/execute/pipeline.c) */
	HD_REFUSED_ORDER,  /* it must not pass a refused instruction of its warp (core/execute/replay.h) */
	/* PD-26, by keys of their own: */
	HD_REFUSED_BUSY,      /* the entry of the pipe is busy */
	HD_REFUSED_ATOMICS,   /* conflict of atomics in shared memory */
	HD_REFUSED_CONSTANTS, /* a constant is absent, or another address of the load is served first */
	HD_REFUSED_L1,        /* sectors are not in the first cache yet */
} hd_refusal;

typedef struct hd_access_result {
	hd_vec32 data[4];             /* loads and atomics: destination words, for the lanes of the mask; there at `done`, not before */
	uint8_t *at[HD_LANES];        /* host bytes of lanes that access global memory, until `done` */
	uint64_t lane_done[HD_LANES]; /* with memory.return_groups: of each lane served so far, `done` of its own data; else unset */
	void *owner;                  /* with memory.slices: what the caller gets back with the last answer (hd_answered) */
	uint64_t answered;            /* the latest answer so far, 0 before the first one; no data are there before that */
	uint32_t waits;               /* answers that are missing. The caller begins with 0 for these three */
	uint64_t done;    /* cycle in which the data can be written to the register file, or a store is performed for every thread that can see it */
	uint32_t outside; /* lanes outside of every buffer, which end nothing (launch/bounds.h): they read zeros; the trap is that of the first */
	/* With may_refuse: */
	uint32_t left; /* lanes not served; 0 = all done */
	hd_refusal why;
	uint32_t times; /* number of replays that these lanes need: passes left if known, else 1 */
	uint64_t retry; /* cycle from which another attempt can succeed */
	/* Where lanes were refused: what an earlier attempt found out, which holds for the next one. The caller begins with false. */
	bool kept;
	uint32_t promised; /* with predecode.replay_order: promised, the places of the table of misses that it waits for. The caller begins with 0 */
	hd_sectors sectors;
} hd_access_result;

/* The first cycle in which the memory stage accepts another instruction. The pipe's entry waits while this cycle is later than the pipe's exit. LATOM
 * (atoms, cass) has a memory stage of its own. */
static inline uint64_t hd_lsu_free_at(const hd_lsu *lsu, hd_pipe pipe)
{
	const uint64_t *free_at = (const void *)lsu; /* its first member, by stage: the core asks often */
	return free_at[pipe == HD_PIPE_LATOM];
}
/* The stage of the pipe takes an access in cycle `now` and refuses it because of its order. */
void hd_lsu_reject(hd_lsu *lsu, hd_pipe pipe, uint64_t now);
/* Performs the access in cycle `now` >= free_at. In a window of time (PA-2) it may find that it needs the shared side: then it sets `stops` of the
 * requests, and nothing has happened. `done` is only what is known: the requests that the access awaits may come later. A `retry` of HD_PENDING or
 * more is that of a request, too (memory/requests.h). On a bad address or
 * alignment it returns false, fills kind, lane, address, bytes and store of the trap, and writes nothing. */
bool hd_lsu_access(hd_lsu *lsu, uint64_t now, const hd_access *access, hd_access_result *result, hd_stats *stats, hd_trap *trap);

/* In windows of time the unit defers the part of an access that finds no room (memory/deferred.h); else such an access stops its cluster. */
void hd_lsu_set_deferral(hd_lsu *lsu);
/* At the end of a window, when all requests are priced. True: the stage was closed, because an access found no room, and is open again from
 * hd_lsu_free_at on. */
bool hd_lsu_release(hd_lsu *lsu);

/* True when answers of slices bring the cycle in which an access is done (memory.slices). */
bool hd_lsu_uses_slices(const hd_lsu *lsu);
/* After hd_lsu_access, with memory.slices: true when the access waits for answers, or has had some. An access can lack room that only an answer
 * brings. Then the rest of it stays with the unit, and the stage of the load/store pipe is closed: hd_lsu_free_at is UINT64_MAX. */
bool hd_lsu_awaits(hd_lsu *lsu, const hd_access_result *result);
/* The last answer has come for which an access of this owner waited. */
typedef void hd_answered(void *context, void *owner);
/* In cycle `now`: takes the answers that the core knows from that cycle on or before (hd_slice_request.reported). *next receives the cycle of the
 * next one in the outbox; UINT64_MAX: there is none. True: the stage was closed and is open again. */
bool hd_lsu_answers(hd_lsu *lsu, uint64_t now, uint64_t *next, hd_answered *done, void *context);

/* Keeps the memory stage of the load/store pipe, or the copy of it that takes the next access, busy until cycle `until`. */
void hd_lsu_busy(hd_lsu *lsu, uint64_t until);
/* The host bytes at a generic address of one lane: `bytes` bytes, aligned to `align`. On an error NULL, and the trap is filled as by hd_lsu_access.
 * For reads that bypass the caches: descriptors of launches and their parameters (PD-19). */
const uint8_t *hd_lsu_bytes(hd_lsu *lsu, const hd_access *access, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align, hd_trap *trap);

#endif
