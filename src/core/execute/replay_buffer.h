/* The replay buffer of a scheduler (PD-16). The load/store unit can refuse an instruction, entirely or for some lanes; by keys of their own the other
 * units can, too (PD-26). The instruction then frees the unit for others and stays here, decoded, with the operands that it has read. It issues
 * again, in its own issue slot, without fetch or decode. It bypasses the queues and goes straight to the pipe's entry.
 *
 *  - A unit refuses an instruction for lack of resources only if it has the hint may-replay (PD-10). Other instructions wait until they are served.
 *  - A memory stage that can refuse needs room for it: an instruction takes an entry when it enters that pipe and frees the entry when it is served.
 *    Without a free entry the queue waits. What a pipe refuses at its entry takes an entry only then; without a free one it waits in its queue.
 *  - Instructions of one warp enter one pipe in their order and with their distance (docs/timing.md, rules 1 and 2). An instruction behind one that
 *    was refused at the entry of its pipe and has not read its operands is refused, too.
 *  - Accesses of one warp keep their order. A memory stage also refuses an access that arrives behind a refused one of its warp, unless both are
 *    plain loads or the spaces differ (docs/timing.md, "Replays").
 *  - A memory stage refuses one instruction at most HD_REPLAY_LIMIT times without serving a lane. Then it serves the instruction in full, so every
 *    replay ends. */
#ifndef HD_CORE_REPLAY_BUFFER_H
#define HD_CORE_REPLAY_BUFFER_H

#include "core/execute/events.h"
#include "core/execute/queue.h"

enum { HD_REPLAY_MAX = 32, HD_REPLAY_LIMIT = 8 };

/* An instruction that was refused and has not been served. */
typedef struct hd_refused {
	hd_flight *flight; /* with its operands; NULL: the operands have not been read */
	hd_sent sent;      /* the instruction as it came from its queue */
	uint64_t ready;    /* first cycle in which another issue can succeed */
	uint32_t times;    /* number of replays to issue; 0: all replays are in the pipe */
	bool behind;       /* an older entry of its warp keeps it back */
	uint64_t asked;    /* the request that `ready` waits for: HD_PENDING and its number; 0: `ready` is known */
} hd_refused;

typedef struct hd_replays {
	uint32_t size;                  /* entries; 0: no unit refuses anything */
	uint32_t reserved;              /* entries taken: refused instructions, and those in a pipe whose memory stage can refuse */
	uint32_t requests;              /* entries whose `ready` waits for a request */
	uint32_t n;                     /* number of refused instructions, in order of age within each warp */
	uint32_t warps, several;        /* warps with an entry, with several */
	uint64_t next;                  /* first cycle in which an entry may issue, HD_NEVER = none */
	bool latched;                   /* an entry was issued and has not entered its pipe */
	uint32_t latch;                 /* its place in at[] */
	uint64_t enters;                /* while an entry is latched: its pipe takes it no earlier, unless a stage takes an access before */
	uint16_t unread[HD_PIPE_COUNT]; /* by pipe: warps with an entry that has not read its operands */
	hd_refused at[HD_REPLAY_MAX];
} hd_replays;

static inline void hd_replay_init(hd_replays *r, uint32_t size) { *r = (hd_replays){.size = size, .next = HD_NEVER}; }
/* True when nothing more can be refused, and no further instruction may enter a pipe whose memory stage can refuse. */
static inline bool hd_replay_full(const hd_replays *r) { return r->size && r->reserved >= r->size; }
/* True when the pipe of the issued entry may accept it in cycle `now`. */
static inline bool hd_replay_enters(const hd_replays *r, uint64_t now) { return r->latched && r->enters <= now; }

#endif
