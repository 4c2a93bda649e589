/* Pre-decode buffers and FIFOs of warps (PD-11, PD-34), with predecode.fifo. A line that arrives is split: its instructions stay in the warp's
 * instruction buffer (fetch.h) until they issue, and its pre-decode data goes to the warp's pre-decode buffer, an entry for each instruction. From
 * the next cycle on entries move in order to the warp's FIFO, predecode.fifo_rate of them a cycle while there is room. The micro scheduler sees the
 * instructions of entries in the FIFO alone. An entry leaves the FIFO when its instruction issues.
 *
 * With predecode.carrier: ahead an entry is an instruction, which a decoder decodes on its way to the FIFO (PD-39). The decoders of the scheduler
 * serve the warps in turn, those with an empty FIFO first.
 *
 * A line takes its room in both buffers when it is requested, so what arrives has room. Without FIFOs the scheduler sees every instruction that has
 * arrived, and the instruction buffer alone limits what is requested. */
#ifndef HD_CORE_WARP_FIFO_H
#define HD_CORE_WARP_FIFO_H

#include "core/code.h"

struct hd_fetch;

/* Those of one scheduler's warps. */
typedef struct hd_warp_fifos {
	hd_stats *stats;
	uint16_t size;                   /* entries of a FIFO */
	uint16_t rate;                   /* entries that move into a FIFO in a cycle; with `decodes`, into all FIFOs together */
	bool decodes;                    /* what moves is decoded (PD-39) */
	uint8_t turn;                    /* with `decodes`: the warp that comes first */
	uint16_t room;                   /* another line is requested while at most this many entries of a pre-decode buffer are taken */
	uint32_t pending;                /* warps with an entry in their pre-decode buffer */
	uint32_t arrived[HD_WARP_SLOTS]; /* first address that has not arrived; hd_fetch.have is the first one that is not in the FIFO */
	uint16_t held[HD_WARP_SLOTS];    /* entries in the pre-decode buffer */
	uint16_t taken[HD_WARP_SLOTS];   /* and those of lines that are requested */
} hd_warp_fifos;

/* The caller frees the result with free(). */
hd_warp_fifos *hd_warp_fifos_new(const hd_machine *machine, hd_stats *stats);
/* Empties both units of a warp that goes on at `pc`. */
void hd_warp_fifos_restart(hd_warp_fifos *fifos, unsigned warp, uint32_t pc);
/* A line with `n` instructions of the warp is requested. */
void hd_warp_fifos_request(hd_warp_fifos *fifos, struct hd_fetch *fetch, unsigned warp, unsigned n);
/* The warp's next line arrives. */
void hd_warp_fifos_arrive(hd_warp_fifos *fifos, const struct hd_fetch *fetch, unsigned warp);
/* Moves the entries of one cycle. Returns the warps that got one. */
uint32_t hd_warp_fifos_fill(hd_warp_fifos *fifos, struct hd_fetch *fetch);

#endif
