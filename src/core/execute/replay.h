/* The replay buffer of a scheduler (PD-16). The load/store unit can refuse an instruction, entirely or for some lanes. The instruction then frees the
 * unit for others and stays here, decoded, with the operands that it has read. It issues again, in its own issue slot, without fetch or decode. It
 * bypasses the queues and goes straight to the pipe's entry.
 *
 *  - The unit refuses an instruction for lack of resources only if it has the hint may-replay (PD-10). Other instructions wait in the unit until they
 *    are served.
 *  - A memory instruction takes an entry when it enters the pipe and frees the entry when it is served, so a refusal always finds room. Without a
 *    free entry the queue waits.
 *  - Accesses of one warp keep their order. The unit also refuses an access that arrives behind a refused one of its warp, unless both are plain
 *    loads or the spaces differ (docs/timing.md, "Replays"). While a refused access has not read its operands, no memory instruction of its warp
 *    enters the pipe.
 *  - The unit refuses one instruction at most HD_REPLAY_LIMIT times without serving a lane. Then it serves the instruction in full, so every replay
 *    ends. */
#ifndef HD_CORE_REPLAY_H
#define HD_CORE_REPLAY_H

#include "core/execute/events.h"
#include "core/execute/queue.h"

enum { HD_REPLAY_MAX = 32, HD_REPLAY_LIMIT = 8 };

/* An instruction that was refused and has not been served. */
typedef struct hd_refused {
	hd_flight *flight; /* with its operands; NULL: the operands have not been read */
	hd_sent sent;      /* the instruction as it came from its queue */
	uint64_t ready;    /* first cycle in which another issue can succeed */
	uint32_t times;    /* number of replays to issue; 0: all replays are in the pipe */
} hd_refused;

typedef struct hd_replays {
	uint32_t size;     /* entries; 0: the unit refuses nothing */
	uint32_t reserved; /* entries taken: refused instructions, and memory instructions in the pipe */
	uint32_t n;        /* number of refused instructions, in order of age within each warp */
	uint64_t next;     /* first cycle in which an entry may issue, HD_NEVER = none */
	bool latched;      /* an entry was issued and has not entered the pipe */
	uint32_t latch;    /* its place in at[] */
	uint16_t unread;   /* warps with an entry that has not read its operands */
	hd_refused at[HD_REPLAY_MAX];
} hd_replays;

struct hd_core;
struct hd_scheduler;

static inline void hd_replay_init(hd_replays *r, uint32_t size) { *r = (hd_replays){.size = size, .next = HD_NEVER}; }
/* True when no further memory instruction may enter the pipe. */
static inline bool hd_replay_full(const hd_replays *r) { return r->size && r->reserved >= r->size; }

/* Issues a replay in an issue slot of cycle `now` >= next. */
void hd_replay_issue(struct hd_core *core, struct hd_scheduler *s, uint64_t now);
/* Enters the issued entry into the pipe when the pipe accepts it, before the queue. */
void hd_replay_enter(struct hd_core *core, unsigned scheduler, uint64_t now);
/* Called before a memory instruction enters the pipe from its queue. True when it is refused at the entry, for register file ports or for its order.
 */
bool hd_replay_parks(struct hd_core *core, struct hd_scheduler *s, const hd_sent *sent, uint64_t now);
/* Frees an entry. */
void hd_replay_release(struct hd_scheduler *s, uint64_t now);
/* Called at the memory stage in cycle `now`. `flight` is an instruction or a replay of one. Returns the instruction, or NULL if it was refused for
 * its order. Sets whether the unit may refuse it. */
hd_flight *hd_replay_arrives(struct hd_core *core, hd_flight *flight, uint64_t now);
/* Handles the unit's result. True when the instruction was served; its entry is then free. */
bool hd_replay_served(struct hd_core *core, hd_flight *flight, uint64_t now);

#endif
