/* Fetch (PD-11). It brings undecoded lines from the instruction caches into the instruction buffers of a scheduler's warps, ahead of issue. The fetch
 * unit of a core requests one line a cycle. With predecode.fifo pre-decode data has buffers of its own (warp_fifo.h). Warps without an instruction to
 * issue go first, then warps with room in their buffer, each group in turn.
 *
 * A buffer holds the instructions from the warp's PC up to `have`; `next_line` is the next one to request. The lines of a warp arrive in order. */
#ifndef HD_CORE_FETCH_H
#define HD_CORE_FETCH_H

#include "memory/icache.h"
#include "core/fetch/warp_fifo.h"
#include "memory/crossbar.h"
#include "memory/memory.h"

enum { HD_LINES_COMING = 16 }; /* largest number of requested lines of a warp that have not arrived; more than the largest buffer holds */

/* The instruction buffers of one scheduler. */
typedef struct hd_fetch {
	uint32_t starved;                               /* warps whose next instruction has not arrived */
	uint32_t want;                                  /* warps whose instruction buffer has room for another line */
	uint32_t closed;                                /* warps whose pre-decode buffer has none; 0 without FIFOs */
	uint32_t coming;                                /* warps with requested lines that have not arrived */
	uint64_t soonest;                               /* first arrival of any line; UINT64_MAX = none; 0 = entries move to FIFOs in every cycle */
	uint32_t have[HD_WARP_SLOTS];                   /* first address that the scheduler does not see: not arrived, or not in the FIFO */
	uint32_t next_line[HD_WARP_SLOTS];              /* next line to request */
	uint16_t buffered[HD_WARP_SLOTS];               /* instructions, or words of 32 bits, that have arrived or are requested */
	uint16_t room;                                  /* another line is requested while `buffered` is at most this */
	uint8_t geometry;                               /* hd_geometry of the lines */
	uint8_t line_shift;                             /* base-2 logarithm of the number of words of a line */
	uint8_t first[HD_WARP_SLOTS], n[HD_WARP_SLOTS]; /* ring of requested lines */
	/* Cycles, or in place of one that nobody knows the number of a request (hd_line_wait). */
	uint64_t arrival[HD_WARP_SLOTS][HD_LINES_COMING];
	hd_warp_fifos *fifos; /* NULL without FIFOs */
} hd_fetch;

/* With memory.slices: who waits for a line of instructions whose cycle nobody knows yet. In place of the cycle the number of the request stands
 * there, which is that of no other one. It is HD_PENDING or more, and so later than all cycles. */
typedef struct hd_line_wait {
	uint64_t number;
	uint64_t least;  /* no earlier than this */
	hd_fetch *fetch; /* the buffer of a warp, NULL: the first cache */
	uint32_t line;
	uint8_t warp, slot; /* place in hd_fetch.arrival */
	bool asked;         /* this core has asked for the line: the L1.5 cache waits, too */
} hd_line_wait;

/* A core's path to instructions: its own first cache, the L1.5 of its cluster, the second level. */
typedef struct hd_fetch_port {
	hd_icache l1;
	hd_icache *l15;
	hd_l2 *l2;
	hd_stats *stats;
	struct hd_requests *requests; /* of the cluster; NULL: the second level answers at once */
	hd_outbox *outbox;            /* hd_fetch_port_request, else NULL */
	uint32_t there;               /* cycles to a slice */
	uint32_t asked;               /* lines so far */
	HD_VEC(hd_line_wait) waits;
	struct {
		hd_fetch *fetch; /* NULL: at nothing */
		unsigned warp;
		uint32_t line;
	} stopped; /* what hd_fetch_request stopped at */
	uint32_t l1_latency, l15_latency;
	uint32_t lines; /* number of lines of the program */
	uint32_t line_words, line_bytes;
	uint32_t decode;  /* cycles of a decoder ahead of the scheduler (PD-39), else 0 */
	uint64_t free;    /* until then the port is busy with lines for replays (PD-39) */
	uint32_t turn[2]; /* round-robin position for starved and for other warps: scheduler * HD_WARP_SLOTS + slot */
} hd_fetch_port;

/* `stats` counts for the FIFOs. hd_fetch_free frees what it allocates. */
void hd_fetch_init(hd_fetch *fetch, const hd_machine *machine, hd_stats *stats);
void hd_fetch_free(hd_fetch *fetch);
/* The warps for which a line can be requested. */
static inline uint32_t hd_fetch_wanting(const hd_fetch *fetch) { return fetch->want & ~fetch->closed; }
/* Empties the buffer of a warp and starts again at `pc`. */
void hd_fetch_restart(hd_fetch *fetch, unsigned warp, uint32_t pc);
/* Stops fetching for a warp that has ended. */
void hd_fetch_stop(hd_fetch *fetch, unsigned warp);
/* Takes the lines that arrive in this cycle. *fed receives their warps. True when a warp that had no instruction to issue has one now. */
bool hd_fetch_arrive(hd_fetch *fetch, uint64_t now, uint32_t *fed);

/* Removes issued instructions that take `n` places (hd_static.room). `pc` is the warp's new PC, further on in sequence. */
static inline void hd_fetch_consume(hd_fetch *fetch, unsigned warp, unsigned n, uint32_t pc)
{
	uint32_t bit = 1u << warp;
	fetch->buffered[warp] = (uint16_t)(fetch->buffered[warp] - n);
	if (fetch->buffered[warp] <= fetch->room)
		fetch->want |= bit;
	if (pc >= fetch->have[warp])
		fetch->starved |= bit;
}

void hd_fetch_port_init(hd_fetch_port *port, const hd_machine *machine, hd_icache *l15, hd_l2 *l2, hd_stats *stats, uint32_t words);
void hd_fetch_port_free(hd_fetch_port *port);
/* Lines that no cache has are asked of the slices from now on, `there` cycles away, and answered by hd_fetch_learn. `outbox` outlives the port. */
void hd_fetch_port_request(hd_fetch_port *port, hd_outbox *outbox, uint32_t there);
/* The line with this number is there in cycle `there`, which is to come. Returns the first arrival of those that follow from it; UINT64_MAX: none. */
uint64_t hd_fetch_learn(hd_fetch_port *port, uint64_t number, uint64_t there);
/* Fetches the line of the instruction at `pc` again, for a replay (PD-39), behind others of this kind. Returns the cycle in which the decoder has it.
 */
uint64_t hd_fetch_again(hd_fetch_port *port, uint32_t pc, uint64_t now);
/* One cycle of the port, unless it is busy with lines for replays. It requests one line for one warp of the `n` buffers. False:
 * the line has to come from the second level, and the cluster stops for it (PA-2). The next call then completes the request. */
bool hd_fetch_request(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now);
#endif
