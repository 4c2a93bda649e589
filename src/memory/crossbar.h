/* Packets between the cores and the slices of the second level (MT-1). A core's memory stage sends a packet into the outbox of the core. The crossbar
 * takes the outboxes between cycles and performs each packet when it arrives, in the order of (cycle of arrival, core, number). A packet has the
 * operands of its instruction by reference: they stay in place until the instruction is done, which is never before its packets have arrived. */
#ifndef HD_CROSSBAR_H
#define HD_CROSSBAR_H

#include "memory/first_cache.h"

struct hd_slice_request;
struct hd_slices;

typedef struct hd_packet {
	struct hd_packet *later; /* of the same core, in the order in which they leave */
	uint64_t arrival;
	uint64_t number;    /* of the core: packets of one core and one cycle take effect in this order */
	hd_work work;       /* its mask has the lanes of this packet */
	hd_fill *fills;     /* sectors that it brings into the first cache */
	hd_fill *last_fill; /* the last of these */
	uint64_t line;      /* with memory.slices: it asks for a line of instructions, with this number (hd_outbox_line); 0: it does not */
	bool arrived;
} hd_packet;

typedef struct hd_outbox {
	uint32_t core;
	uint64_t number;         /* of packets so far */
	hd_packet *first, *last; /* those that may not have arrived, and before them arrived ones that are not free yet */
	hd_packet *fresh;        /* the first that the crossbar has not taken; NULL: none */
	hd_free_list packets;
	hd_fills fills;
	HD_VEC(uint8_t) copy; /* hd_outbox_read */
	/* With memory.slices, else NULL and 0: */
	struct hd_slices *slices;
	struct hd_slice_request *entering; /* the first request of a packet that its slice has not taken */
	HD_VEC(hd_packet *) waiting;
	size_t passed;                                     /* of those that wait behind it, in the crossbar: the first that still does */
	struct hd_outbox *behind;                          /* the next one that waits for the same slice */
	uint64_t stuck;                                    /* cycle from which `entering` waits; 0: it does not */
	uint64_t port;                                     /* for answers: next free byte, cycle * bytes a cycle + byte of the cycle */
	struct hd_slice_request *answered, *last_answered; /* for hd_lsu_answers */
	struct hd_outbox *next_answered;                   /* the next one with answers */
} hd_outbox;

/* `region`: for the outbox and its packets, or NULL. */
hd_outbox *hd_outbox_new(uint32_t core, hd_region *region);
void hd_outbox_free(hd_outbox *outbox);
/* Appends a packet for the cycle of arrival, without lanes and sectors. The packet stays the outbox's own. */
hd_packet *hd_outbox_send(hd_outbox *outbox, uint64_t arrival, const hd_work *work);
static inline void hd_packet_add(hd_packet *packet, hd_fill *fill)
{
	if (packet->fills)
		packet->last_fill->next = fill;
	else
		packet->fills = fill;
	packet->last_fill = fill;
}
/* A sector that the packet is to bring. */
hd_fill *hd_outbox_fill(hd_outbox *outbox, hd_packet *packet, uint64_t address, const uint8_t *host);
/* With memory.slices: asks for a line of instructions, `bytes` bytes at code address `address`, whose look-up is in cycle `arrival`. `number` is the
 * caller's, and not 0. The answer is that of hd_crossbar_waker.line. */
void hd_outbox_line(hd_outbox *outbox, uint64_t arrival, uint64_t number, uint64_t address, uint32_t bytes);
/* `bytes` host bytes as the core sees them behind its own packets that have not arrived. The answer is `host`, or a copy that the next call ends. */
const uint8_t *hd_outbox_read(hd_outbox *outbox, const uint8_t *host, uint32_t bytes);

/* With memory.slices: whom the crossbar notifies. */
typedef struct hd_crossbar_waker {
	uint64_t *next; /* receives hd_crossbar.next; NULL: no one is notified */
	/* An answer lies in the core's outbox, from cycle `now` on. It is the first one there. */
	void (*answered)(void *context, uint32_t core, uint64_t now);
	/* The line that the core has asked for by this number is there in cycle `there`. That is later than now by the way back at least. */
	void (*line)(void *context, uint32_t core, uint64_t number, uint64_t there);
	void *context;
} hd_crossbar_waker;

typedef struct hd_crossbar {
	hd_memory *memory;
	hd_watch *watch;
	uint64_t next; /* the first arrival; UINT64_MAX: none */
	struct hd_arrival *heap;
	size_t n, cap;
	/* With memory.slices: */
	struct hd_slices *slices[HD_MAX_DEVICES]; /* of each device */
	uint32_t devices;                         /* 0: packets have no requests */
	uint64_t serves;                          /* the first cycle in which the slices have something to do */
	hd_crossbar_waker waker;
} hd_crossbar;
/* `memory` and `watch` outlive it. `watch` may be NULL: nobody asks for progress. */
hd_crossbar *hd_crossbar_new(hd_memory *memory, hd_watch *watch);
/* With memory.slices, before the first packet: requests go on to the slices of each device, which outlive the crossbar. */
void hd_crossbar_set_slices(hd_crossbar *crossbar, struct hd_slices *slices);
void hd_crossbar_set_waker(hd_crossbar *crossbar, hd_crossbar_waker waker);
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
