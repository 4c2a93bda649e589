#include "memory/held.h"

/* A sector. */
typedef struct part {
	hd_room *room;
	hd_fill *fill;
	uint32_t lanes, further; /* further: to its slice, beyond the way to a near one */
} part;

struct hd_held {
	hd_lsu *lsu;
	hd_work work;
	hd_packet *packet[2]; /* of the access, to near and to far slices, that are not complete */
	uint64_t stage;       /* cycle in which the next part leaves at the earliest */
	uint32_t n, lines;
	part part[HD_LANES];
};

void hd_held_free(hd_held *held) { free(held); }

void hd_held_begin(hd_lsu *lsu, const hd_work *work)
{
	if (!lsu->held)
		lsu->held = hd_xcalloc(1, sizeof *lsu->held);
	lsu->held->lsu = lsu;
	lsu->held->work = *work;
	lsu->held->packet[0] = lsu->held->packet[1] = NULL;
}

bool hd_held_any(const hd_lsu *lsu) { return lsu->held && lsu->held->n; }

uint32_t hd_held_add(hd_lsu *lsu, hd_room *room, uint64_t stage, uint32_t lanes, uint32_t further, hd_fill *fill)
{
	hd_held *held = lsu->held;
	if (!held->n)
		held->stage = stage;
	held->part[held->n] = (part){room, fill, lanes, further};
	return held->n++;
}

void hd_held_end(hd_lsu *lsu, uint32_t lines) { lsu->held->lines = lines; }

uint64_t hd_held_leaves(hd_held *held, uint32_t number)
{
	hd_lsu *lsu = held->lsu;
	const part *p = &held->part[number];
	held->stage = hd_max_u64(hd_room_from(p->room, held->stage), lsu->left);
	lsu->left = held->stage;
	uint64_t at = held->stage + p->further, arrival = hd_held_arrival(held, at);
	hd_packet **packet = &held->packet[p->further != 0];
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, &held->work);
	(*packet)->work.mask |= p->lanes;
	if (p->fill)
		hd_packet_add(*packet, p->fill);
	return at;
}

uint64_t hd_held_arrival(const hd_held *held, uint64_t at) { return at + held->lsu->there; }

uint64_t hd_held_hit(const hd_held *held) { return held->stage + held->lsu->l1_latency; }

bool hd_lsu_release(hd_lsu *lsu)
{
	if (!hd_held_any(lsu))
		return false;
	lsu->held->n = 0;
	hd_lsu_reopen(lsu, lsu->held->stage + lsu->held->lines);
	return true;
}
