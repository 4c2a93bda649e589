/* Fetch (PD-11): brings lines from the instruction caches, undecoded, into the instruction buffers of a scheduler's warps, ahead of issue. A core's
 * fetch unit asks for one line a cycle; warps with nothing to issue go first, then those with room, each in turn.
 *
 * A buffer holds what lies between the warp's PC and `have`; `ask` is the next line to ask for. Lines of a warp arrive in order. */
#ifndef HD_CORE_FETCH_H
#define HD_CORE_FETCH_H

#include "core/fetch/icache.h"
#include "memory/memory.h"

enum { HD_LINES_COMING = 16 }; /* lines of a warp on their way, at most: more than the largest buffer holds */

/* The instruction buffers of one scheduler. */
typedef struct hd_fetch {
	uint32_t starved;                               /* warps whose next instruction is not there */
	uint32_t want;                                  /* warps with room for another line */
	uint32_t coming;                                /* warps with lines on their way */
	uint64_t soonest;                               /* first arrival of any, UINT64_MAX = none */
	uint32_t have[HD_WARP_SLOTS];                   /* first address not yet there */
	uint32_t ask[HD_WARP_SLOTS];                    /* line */
	uint16_t buffered[HD_WARP_SLOTS];               /* instructions there or coming */
	uint16_t room;                                  /* a further line is asked for while `buffered` is at most this */
	uint8_t geometry;                               /* hd_geometry of the lines */
	uint8_t line_shift;                             /* logarithm of their words */
	uint8_t first[HD_WARP_SLOTS], n[HD_WARP_SLOTS]; /* ring of lines coming */
	uint64_t arrival[HD_WARP_SLOTS][HD_LINES_COMING];
} hd_fetch;

/* One core's path to instructions: first cache of its own, L1.5 of its cluster, second level. */
typedef struct hd_fetch_port {
	hd_icache l1;
	hd_icache *l15;
	hd_l2 *l2;
	hd_stats *stats;
	uint32_t l1_latency, l15_latency;
	uint32_t lines; /* of the program */
	uint32_t line_bytes;
	uint32_t turn[2]; /* round robin position for starved and for other warps: scheduler * HD_WARP_SLOTS + slot */
} hd_fetch_port;

void hd_fetch_init(hd_fetch *fetch, const hd_machine *machine);
/* Empties the buffer of a warp and starts again at `pc`. */
void hd_fetch_restart(hd_fetch *fetch, unsigned warp, uint32_t pc);
/* The warp is gone: nothing more is fetched for it. */
void hd_fetch_stop(hd_fetch *fetch, unsigned warp);
/* Lines that arrive in this cycle, for the warps *fed. True when a warp that had nothing to issue now has. */
bool hd_fetch_arrive(hd_fetch *fetch, uint64_t now, uint32_t *fed);

/* `n` instructions issued; the warp's PC is `pc` now, further on in sequence. */
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
/* One cycle of the port: asks for one line, for one warp of the `n` buffers. */
void hd_fetch_ask(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now);

#endif
