/* Packets between the cores and the slices of the second level (MT-1). A core's memory stage sends a packet into the outbox of the core. The crossbar
 * takes the outboxes between cycles and performs each packet when it arrives, in the order of (cycle of arrival, core, number). A packet has the
 * operands of its instruction by reference: they stay in place until the instruction is done, which is never before its packets have arrived. */
#ifndef HD_CROSSBAR_H
#define HD_CROSSBAR_H

#include "memory/first_cache.h"

typedef struct hd_packet {
	struct hd_packet *later; /* of the same core, in the order in which they leave */
	uint64_t arrival;
	uint64_t number;    /* of the core: packets of one core and one cycle take effect in this order */
	hd_work work;       /* its mask has the lanes of this packet */
	hd_fill *fills;     /* sectors that it brings into the first cache */
	hd_fill *last_fill; /* the last of these */
	bool arrived;
} hd_packet;

typedef struct hd_outbox {
	uint32_t core;
	uint64_t number;         /* of packets so far */
	hd_packet *first, *last; /* those that may not have arrived, and before them arrived ones that are not free yet */
	hd_packet *fresh;        /* the first that the crossbar has not taken; NULL: none */
	hd_free_list packets;
	hd_fills fills;
	HD_VEC(uint8_t) copy; /* hd_outbox_over */
} hd_outbox;

hd_outbox *hd_outbox_new(uint32_t core);
void hd_outbox_free(hd_outbox *outbox);
/* Appends a packet for the cycle of arrival, without lanes and sectors. The packet stays the outbox's own. */
hd_packet *hd_outbox_send(hd_outbox *outbox, uint64_t arrival, const hd_work *work);
/* A sector that the packet is to bring. */
hd_fill *hd_outbox_fill(hd_outbox *outbox, hd_packet *packet, uint64_t address, const uint8_t *host);
/* `bytes` host bytes as the core sees them behind its own packets that have not arrived. The answer is `host`, or a copy that the next call ends. */
const uint8_t *hd_outbox_over(hd_outbox *outbox, const uint8_t *host, uint32_t bytes);

typedef struct hd_crossbar {
	hd_memory *memory;
	hd_watch *watch;
	uint64_t next; /* the first arrival; UINT64_MAX: none */
	struct hd_arrival *heap;
	size_t n, cap;
} hd_crossbar;
/* `memory` and `watch` outlive it. `watch` may be NULL: nobody asks for progress. */
hd_crossbar *hd_crossbar_new(hd_memory *memory, hd_watch *watch);
void hd_crossbar_free(hd_crossbar *crossbar);
/* Takes the packets that the core has sent since the last call. */
void hd_crossbar_take_fresh(hd_crossbar *crossbar, hd_outbox *outbox);
static inline void hd_crossbar_take(hd_crossbar *crossbar, hd_outbox *outbox)
{
	if (outbox->fresh)
		hd_crossbar_take_fresh(crossbar, outbox);
}
/* Performs all packets that arrive in cycle `now` or before, in order. */
void hd_crossbar_perform(hd_crossbar *crossbar, uint64_t now);
static inline void hd_crossbar_arrive(hd_crossbar *crossbar, uint64_t now)
{
	if (crossbar->next <= now)
		hd_crossbar_perform(crossbar, now);
}

#endif
