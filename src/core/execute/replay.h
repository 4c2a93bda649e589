/* Replay buffer of a scheduler (PD-16). An instruction that the load/store unit refuses, or part of whose lanes it could not serve, leaves the unit
 * to others and stays here, decoded, with what operands it has read. It issues again, in an issue slot that no instruction gets then, without
 * fetch or decode, and goes past the queues straight to the pipe's entry.
 *
 *  - Only instructions with the hint may-replay are refused for what the unit lacks (PD-10); others the unit works off where they stand.
 *  - An entry is taken when a memory instruction enters the pipe, and given back when it is served: a refusal always finds room. Without a free
 *    entry the queue waits.
 *  - Accesses of one warp keep their order: one that comes to the unit behind a refused one of its warp is refused, too, unless both are plain loads
 * or the spaces differ (docs/timing.md, "Replays"). One that has not read its operands lets nothing of its warp into the pipe before it.
 *  - The unit refuses one instruction at most HD_REPLAY_LIMIT times without serving a lane; then it works it off, so that every replay ends. */
#ifndef HD_CORE_REPLAY_H
#define HD_CORE_REPLAY_H

#include "core/execute/events.h"
#include "core/execute/queue.h"

enum { HD_REPLAY_MAX = 32, HD_REPLAY_LIMIT = 8 };

/* An instruction that was refused and is not served yet. */
typedef struct hd_refused {
	hd_flight *flight; /* with its operands; NULL: not read yet */
	hd_sent sent;      /* as it came from its queue */
	uint64_t ready;    /* it makes sense to issue it again from this cycle on */
	uint32_t times;    /* replays to issue; 0: on their way through the pipe */
} hd_refused;

typedef struct hd_replays {
	uint32_t size;     /* entries; 0: nothing is ever refused */
	uint32_t reserved; /* taken: refused ones, and those in the pipe */
	uint32_t n;        /* refused ones, in order of age within each warp */
	uint64_t next;     /* first cycle in which one may issue, HD_NEVER = none */
	bool latched;      /* one was issued and has not entered the pipe */
	uint32_t latch;    /* its place in at[] */
	uint16_t unread;   /* warps with one that has not read its operands */
	hd_refused at[HD_REPLAY_MAX];
} hd_replays;

struct hd_core;
struct hd_scheduler;

static inline void hd_replay_init(hd_replays *r, uint32_t size) { *r = (hd_replays){.size = size, .next = HD_NEVER}; }
/* No further memory instruction may enter the pipe. */
static inline bool hd_replay_full(const hd_replays *r) { return r->size && r->reserved >= r->size; }

/* A replay takes an issue slot in cycle `now` >= next. */
void hd_replay_issue(struct hd_core *core, struct hd_scheduler *s, uint64_t now);
/* What was issued enters the pipe when that takes it; before the queue has its turn. */
void hd_replay_enter(struct hd_core *core, unsigned scheduler, uint64_t now);
/* A memory instruction is about to enter the pipe from its queue. True: it was refused at the entry, for the register file's ports or for its order.
 */
bool hd_replay_parks(struct hd_core *core, struct hd_scheduler *s, const hd_sent *sent, uint64_t now);
/* An entry is free again. */
void hd_replay_release(struct hd_scheduler *s, uint64_t now);
/* At the memory stage in cycle `now`: `flight` is an instruction, or a replay of one. Returns the instruction, or NULL if it was turned away for its
 * order; says whether the unit may refuse it. */
hd_flight *hd_replay_arrives(struct hd_core *core, hd_flight *flight, uint64_t now);
/* What the unit made of it: true when it was served; then its entry is free. */
bool hd_replay_served(struct hd_core *core, hd_flight *flight, uint64_t now);

#endif
