#include "memory/deferred.h"

/* A sector. */
typedef struct part {
	hd_room *room;
	hd_fill *fill;
	uint32_t lanes, further; /* further: to its slice, beyond the way to a near one */
} part;

struct hd_deferred {
	hd_lsu *lsu;
	hd_work work;
	hd_packet *packet[2]; /* of the access, to near and to far slices, that are not complete */
	uint64_t stage;       /* cycle in which the next part leaves at the earliest */
	uint32_t n, lines;
	part part[HD_LANES];
};

void hd_deferred_free(hd_deferred *deferred) { free(deferred); }

void hd_deferred_begin(hd_lsu *lsu, const hd_work *work)
{
	if (!lsu->deferred)
		lsu->deferred = hd_xcalloc(1, sizeof *lsu->deferred);
	lsu->deferred->lsu = lsu;
	lsu->deferred->work = *work;
	lsu->deferred->packet[0] = lsu->deferred->packet[1] = NULL;
}

bool hd_deferred_any(const hd_lsu *lsu) { return lsu->deferred && lsu->deferred->n; }

uint32_t hd_deferred_add(hd_lsu *lsu, hd_room *room, uint64_t stage, uint32_t lanes, uint32_t further, hd_fill *fill)
{
	hd_deferred *deferred = lsu->deferred;
	if (!deferred->n)
		deferred->stage = stage;
	deferred->part[deferred->n] = (part){room, fill, lanes, further};
	return deferred->n++;
}

void hd_deferred_end(hd_lsu *lsu, uint32_t lines) { lsu->deferred->lines = lines; }

uint64_t hd_deferred_departure(hd_deferred *deferred, uint32_t number)
{
	hd_lsu *lsu = deferred->lsu;
	const part *p = &deferred->part[number];
	deferred->stage = hd_max_u64(hd_room_from(p->room, deferred->stage), lsu->left);
	lsu->left = deferred->stage;
	uint64_t at = deferred->stage + p->further, arrival = hd_deferred_arrival(deferred, at);
	hd_packet **packet = &deferred->packet[p->further != 0];
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, &deferred->work);
	(*packet)->work.mask |= p->lanes;
	if (p->fill)
		hd_packet_add(*packet, p->fill);
	return at;
}

uint64_t hd_deferred_arrival(const hd_deferred *deferred, uint64_t at) { return at + deferred->lsu->there; }

uint64_t hd_deferred_hit(const hd_deferred *deferred) { return deferred->stage + deferred->lsu->l1_latency; }

bool hd_lsu_release(hd_lsu *lsu)
{
	if (!hd_deferred_any(lsu))
		return false;
	lsu->deferred->n = 0;
	hd_lsu_reopen(lsu, lsu->deferred->stage + lsu->deferred->lines);
	return true;
}
