#include "core/execute/queue.h"

void hd_queue_init(hd_queue *queue, hd_queue_sizes sizes, uint32_t spacing, hd_region *region)
{
	uint32_t fifo = hd_clamp_u32(sizes.fifo, 1, HD_MAX_QUEUE);
	uint32_t hazard = hd_min_u32(sizes.hazard, HD_MAX_QUEUE - 1);
	memset(queue, 0, offsetof(hd_queue, last));
	queue->next = HD_NEVER;
	queue->spacing = (uint8_t)hd_min_u32(spacing, HD_MAX_SPACING);
	queue->fifo_size = queue->check_from = (uint8_t)fifo;
	queue->hazard_size = (uint8_t)hazard;
	queue->fifo = hd_take(region, fifo * sizeof *queue->fifo + hazard * (sizeof *queue->hazard + sizeof *queue->info + 1));
	queue->hazard = queue->fifo + fifo;
	queue->info = (hd_info *)(queue->hazard + hazard);
	queue->age = (uint8_t *)(queue->info + hazard);
	for (uint32_t i = 0; i < hazard; i++)
		queue->age[i] = (uint8_t)i;
	memset(queue->last, HD_NO_ENTRY, sizeof queue->last);
}

void hd_queue_free(hd_queue *queue, const hd_region *region) { hd_give(region, queue->fifo); }

void hd_queue_warp(hd_queue *queue, unsigned warp)
{
	queue->last[warp] = HD_NO_ENTRY;
	queue->of[warp].counted = queue->of[warp].entered = 0;
}

static hd_sent pop(hd_queue *queue)
{
	hd_sent head = queue->fifo[queue->fifo_head];
	queue->fifo_head = (uint8_t)(queue->fifo_head + 1 == queue->fifo_size ? 0 : queue->fifo_head + 1);
	queue->fifo_n--;
	return head;
}

/* Moves the head of the FIFO into the hazard queue. */
static void put_by(hd_queue *queue, uint64_t now)
{
	uint8_t entry = queue->age[queue->hazard_n++];
	hd_sent sent = pop(queue);
	hd_info *info = &queue->info[entry];
	*info = (hd_info){.since = now, .clear = HD_NEVER, .counters = sent.wait != 0, .older = queue->last[sent.warp], .younger = HD_NO_ENTRY};
	if (info->older != HD_NO_ENTRY)
		queue->info[info->older].younger = entry;
	queue->last[sent.warp] = entry;
	queue->hazard[entry] = sent;
}

/* Removes the entry at position `at` of the age order from the hazard queue. */
static void take(hd_queue *queue, unsigned at)
{
	uint8_t entry = queue->age[at];
	const hd_info *info = &queue->info[entry];
	unsigned warp = queue->hazard[entry].warp;
	if (info->younger != HD_NO_ENTRY)
		queue->info[info->younger].older = HD_NO_ENTRY;
	if (queue->last[warp] == entry)
		queue->last[warp] = HD_NO_ENTRY;
	queue->hazard_n--;
	memmove(queue->age + at, queue->age + at + 1, queue->hazard_n - at);
	queue->age[queue->hazard_n] = entry;
}

static inline uint64_t not_before(const hd_queue *queue, const hd_sent *sent) { return queue->of[sent->warp].entered + sent->gap; }

bool hd_queue_tick(hd_queue *queue, const uint16_t *flags, uint64_t now, uint64_t accept, hd_sent *out, hd_queue_times *times)
{
	uint64_t soonest = HD_NEVER; /* first cycle in which a hazard entry that waits only for time may leave */
	int chosen = -1;
	for (unsigned i = 0; i < queue->hazard_n; i++) {
		hd_sent *sent = &queue->hazard[queue->age[i]];
		hd_info *info = &queue->info[queue->age[i]];
		if (info->older != HD_NO_ENTRY || (sent->wait & flags[sent->warp]))
			continue;
		uint64_t earliest = not_before(queue, sent);
		if (info->clear == HD_NEVER)
			info->clear = now;
		if (earliest < accept)
			earliest = accept;
		if (earliest <= now) {
			chosen = (int)i;
			break;
		}
		if (earliest < soonest)
			soonest = earliest;
	}

	bool moved = false, head_ready = false;
	queue->waiting = false;
	if (queue->fifo_n) {
		const hd_sent *head = &queue->fifo[queue->fifo_head];
		if (queue->last[head->warp] != HD_NO_ENTRY || (head->wait & flags[head->warp]) || not_before(queue, head) > now) { /* HZ-11 */
			if (queue->hazard_n < queue->hazard_size) {
				put_by(queue, now);
				moved = true;
			} else {
				/* The head needs no place in the hazard queue once its distance is reached. */
				queue->waiting = true;
				if (not_before(queue, head) > now && not_before(queue, head) < soonest)
					soonest = not_before(queue, head);
			}
		} else {
			head_ready = true;
		}
	}

	if (chosen >= 0) { /* HZ-14: before the FIFO's head */
		uint8_t entry = queue->age[chosen];
		const hd_info *info = &queue->info[entry];
		*out = queue->hazard[entry];
		uint64_t spaced = not_before(queue, out);
		times->waited = info->counters ? now - info->since : 0;
		times->ready = hd_max_u64(spaced, info->clear);
		times->spaced = spaced > info->clear ? spaced - info->clear : 0;
		take(queue, (unsigned)chosen);
	} else if (head_ready && accept <= now) {
		*out = pop(queue);
		*times = (hd_queue_times){.ready = hd_max_u64(not_before(queue, out), out->cycle + 1)};
	} else {
		if (moved)
			queue->next = now + 1;
		else if (head_ready && accept < soonest)
			queue->next = accept;
		else
			queue->next = soonest;
		return false;
	}
	queue->of[out->warp].entered = now;
	queue->next = queue->fifo_n | queue->hazard_n ? now + 1 : HD_NEVER;
	return true;
}

void hd_queue_learn(hd_queue *queue, const uint16_t *flags, uint64_t unknown, uint64_t accept)
{
	if (queue->next != unknown) /* something else is waited for, or comes sooner */
		return;
	uint64_t soonest = queue->fifo_n && !queue->waiting ? accept : HD_NEVER;
	for (unsigned i = 0; i < queue->hazard_n; i++) {
		const hd_sent *sent = &queue->hazard[queue->age[i]];
		if (queue->info[queue->age[i]].older == HD_NO_ENTRY && !(sent->wait & flags[sent->warp]))
			soonest = hd_min_u64(hd_max_u64(not_before(queue, sent), accept), soonest);
	}
	queue->next = soonest;
}

const hd_sent *hd_queue_candidate(const hd_queue *queue, const uint16_t *flags, uint64_t now)
{
	for (unsigned i = 0; i < queue->hazard_n; i++) {
		const hd_sent *sent = &queue->hazard[queue->age[i]];
		if (queue->info[queue->age[i]].older == HD_NO_ENTRY && !(sent->wait & flags[sent->warp]) && not_before(queue, sent) <= now)
			return sent;
	}
	const hd_sent *head = &queue->fifo[queue->fifo_head];
	bool waits = !queue->fifo_n || queue->last[head->warp] != HD_NO_ENTRY || (head->wait & flags[head->warp]) || not_before(queue, head) > now;
	return waits ? NULL : head;
}

static hd_sent *in_fifo(const hd_queue *queue, unsigned i) { return &queue->fifo[(queue->fifo_head + i) % queue->fifo_size]; }

unsigned hd_queue_mark(hd_queue *queue, unsigned warp, uint64_t now)
{
	unsigned marked = 0;
	for (unsigned i = queue->fifo_n; i-- > 0 && in_fifo(queue, i)->cycle == now;) {
		if (in_fifo(queue, i)->warp == warp) {
			in_fifo(queue, i)->wait |= HD_UNDECIDED;
			marked++;
		}
	}
	return marked;
}

static void keep(hd_sent *sent, uint32_t lanes)
{
	sent->wait &= (uint16_t)~HD_UNDECIDED;
	sent->mask &= lanes;
}

void hd_queue_keep(hd_queue *queue, unsigned warp, uint32_t lanes, uint64_t now)
{
	for (unsigned i = 0; i < queue->hazard_n; i++) {
		hd_sent *sent = &queue->hazard[queue->age[i]];
		if (hd_is_marked(sent, warp)) {
			keep(sent, lanes);
			queue->info[queue->age[i]].counters = sent->wait != 0;
		}
	}
	for (unsigned i = 0; i < queue->fifo_n; i++)
		if (hd_is_marked(in_fifo(queue, i), warp))
			keep(in_fifo(queue, i), lanes);
	queue->next = hd_min_u64(queue->next, now);
}

/* Removes the FIFO's entry `at`. Those behind it move up. */
static void leave_fifo(hd_queue *queue, unsigned at)
{
	for (unsigned i = at; i + 1 < queue->fifo_n; i++)
		*in_fifo(queue, i) = *in_fifo(queue, i + 1);
	queue->fifo_n--;
}

/* Removes the entry at position `at` of the age order, the youngest of its warp, from the hazard queue. */
static void leave_hazards(hd_queue *queue, unsigned at)
{
	uint8_t entry = queue->age[at], older = queue->info[entry].older;
	if (older != HD_NO_ENTRY)
		queue->info[older].younger = HD_NO_ENTRY;
	queue->last[queue->hazard[entry].warp] = older;
	queue->hazard_n--;
	memmove(queue->age + at, queue->age + at + 1, queue->hazard_n - at);
	queue->age[queue->hazard_n] = entry;
}

bool hd_queue_squash(hd_queue *queue, unsigned warp, uint64_t now, hd_sent *out)
{
	for (unsigned i = queue->fifo_n; i-- > 0;) {
		if (hd_is_marked(in_fifo(queue, i), warp)) {
			*out = *in_fifo(queue, i);
			leave_fifo(queue, i);
			queue->next = now;
			return true;
		}
	}
	for (unsigned i = queue->hazard_n; i-- > 0;) {
		if (hd_is_marked(&queue->hazard[queue->age[i]], warp)) {
			*out = queue->hazard[queue->age[i]];
			leave_hazards(queue, i);
			queue->next = now;
			return true;
		}
	}
	return false;
}
