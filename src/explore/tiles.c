#include "explore/tiles.h"

typedef struct record {
	uint64_t issue, enter, access, end; /* cycles; enter and access where the flags say so */
	uint64_t since, until;              /* of the wait before the issue */
	uint64_t arrival;                   /* of the last packet at its slice; 0: no packet */
	uint64_t released;                  /* its fence counter is down as far as it is concerned; 0: it raises none, or it is not */
	uint32_t sectors, hits, dram;       /* of memory (HD_TRACE_ACCESS) */
	size_t place;
	uint32_t number, pc, lanes, executing;
	uint32_t links, n_links; /* in the tile */
	uint16_t counters;       /* of the wait before the issue */
	uint8_t cause;           /* of it; HD_NO_CAUSE */
	uint8_t flags, spared;   /* spared: registers that its last uses kept from the register file */
} record;

/* An instruction under way. Its links are its own until it goes to a tile. */
typedef struct open_record {
	record r;
	hd_link links[HD_LINKS_MAX];
} open_record;

/* Issue slots that a scheduler lost, one after the other, for one cause and one instruction; or, with 0 slots, cycles in which a warp waited. */
typedef struct stretch {
	size_t scheduler; /* core, scheduler */
	uint64_t first, cycles, slots;
	uint32_t pc;
	uint8_t cause, slot;
} stretch;

struct hd_tiles {
	hd_blocks *blocks;
	const hd_follow *follow;
	const hd_program *program;
	uint32_t schedulers;
	uint64_t count;
	HD_VEC(record) records;
	HD_VEC(hd_link) links;
	HD_VEC(stretch) lost;
	stretch *now; /* by core and scheduler; cycles 0: none */
	size_t n_now;
	HD_VEC(struct under_way { HD_VEC(open_record) at; }) live; /* by place */
};

hd_tiles *hd_tiles_new(hd_blocks *blocks, const hd_follow *follow, const hd_program *program, uint32_t schedulers)
{
	hd_tiles *t = hd_xcalloc(1, sizeof *t);
	*t = (hd_tiles){.blocks = blocks, .follow = follow, .program = program, .schedulers = schedulers};
	for (size_t i = 0; i < hd_follow_places(follow); i++)
		hd_vec_push(&t->live, (struct under_way){0});
	t->n_now = hd_follow_places(follow);
	t->now = hd_xcalloc(t->n_now, sizeof *t->now);
	return t;
}

uint64_t hd_tiles_count(const hd_tiles *t) { return t->count; }

/* -- a tile --------------------------------------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const record *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A column of numbers: the value of `expression` for each element `r` at `i` of a vector. */
#define COLUMN(bytes, type, vec, expression)                  \
	for (size_t i = 0; i < (vec).n; i++) {                \
		const type *r = &(vec).at[i];                 \
		hd_put_number(bytes, (uint64_t)(expression)); \
	}
/* A column of differences to the element before. */
#define CHANGES(bytes, type, vec, expression)              \
	for (size_t i = 0, before = 0; i < (vec).n; i++) { \
		const type *r = &(vec).at[i];              \
		uint64_t value = (uint64_t)(expression);   \
		hd_put_change(bytes, value, before);       \
		before = value;                            \
	}

static void put_records(hd_tiles *t, hd_text *bytes)
{
	CHANGES(bytes, record, t->records, r->place)
	CHANGES(bytes, record, t->records, r->number)
	CHANGES(bytes, record, t->records, r->pc)
	CHANGES(bytes, record, t->records, r->issue)
	COLUMN(bytes, record, t->records, r->flags)
	COLUMN(bytes, record, t->records, r->flags & HD_TILE_ENTERED ? r->enter - r->issue : 0)
	COLUMN(bytes, record, t->records, r->flags & HD_TILE_ACCESSED ? r->access - r->enter : 0)
	COLUMN(bytes, record, t->records, r->end - r->issue)
	CHANGES(bytes, record, t->records, r->lanes)
	COLUMN(bytes, record, t->records, r->lanes ^ r->executing)
	COLUMN(bytes, record, t->records, r->cause == HD_NO_CAUSE ? 0 : r->cause + 1u)
	COLUMN(bytes, record, t->records, r->cause == HD_NO_CAUSE ? 0 : r->issue - r->since)
	COLUMN(bytes, record, t->records, r->cause == HD_NO_CAUSE ? 0 : r->issue - r->until)
	COLUMN(bytes, record, t->records, r->counters)
	COLUMN(bytes, record, t->records, r->spared)
	COLUMN(bytes, record, t->records, r->sectors)
	COLUMN(bytes, record, t->records, r->hits)
	COLUMN(bytes, record, t->records, r->dram)
	COLUMN(bytes, record, t->records, r->arrival ? r->arrival - r->enter : 0)
	COLUMN(bytes, record, t->records, r->released ? r->released - r->issue : 0)
	COLUMN(bytes, record, t->records, r->n_links)
	for (size_t i = 0; i < t->records.n; i++) {
		const record *r = &t->records.at[i];
		for (uint32_t k = r->links; k < r->links + r->n_links; k++) {
			const hd_link *link = &t->links.at[k];
			hd_put_number(bytes, (uint64_t)link->kind | link->counter << 3);
			hd_put_change(bytes, link->place, r->place);
			hd_put_change(bytes, r->number, link->number);
		}
	}
}

static void put_lost(hd_tiles *t, hd_text *bytes)
{
	CHANGES(bytes, stretch, t->lost, r->scheduler)
	COLUMN(bytes, stretch, t->lost, r->slot == HD_TRACE_NO_WARP ? 0 : r->slot + 1u)
	COLUMN(bytes, stretch, t->lost, r->cause)
	CHANGES(bytes, stretch, t->lost, r->first)
	COLUMN(bytes, stretch, t->lost, r->cycles)
	COLUMN(bytes, stretch, t->lost, r->slots)
	CHANGES(bytes, stretch, t->lost, r->slot == HD_TRACE_NO_WARP ? 0 : r->pc)
}

static void write_tile(hd_tiles *t)
{
	hd_text bytes = {0};
	hd_block_row row = {.kind = HD_BLOCK_TILE, .first = UINT64_MAX, .count = t->records.n + t->lost.n};
	if (!row.count)
		return;
	if (t->records.n)
		qsort(t->records.at, t->records.n, sizeof *t->records.at, by_place);
	for (size_t i = 0; i < t->records.n; i++) {
		const record *r = &t->records.at[i];
		row.first = hd_min_u64(r->cause == HD_NO_CAUSE ? r->issue : hd_min_u64(r->since, r->issue), row.first);
		row.last = hd_max_u64(r->end, row.last);
	}
	for (size_t i = 0; i < t->lost.n; i++) {
		row.first = hd_min_u64(t->lost.at[i].first, row.first);
		row.last = hd_max_u64(t->lost.at[i].first + t->lost.at[i].cycles - 1, row.last);
	}
	hd_put_number(&bytes, t->records.n);
	hd_put_number(&bytes, t->lost.n);
	put_records(t, &bytes);
	put_lost(t, &bytes);
	hd_block_put(t->blocks, row, bytes.at, bytes.n);
	hd_text_free(&bytes);
	t->records.n = t->links.n = t->lost.n = 0;
}

static void is_full(hd_tiles *t)
{
	t->count++;
	if (t->records.n + t->lost.n >= HD_TILE_RECORDS)
		write_tile(t);
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */

static const hd_inst *inst_of(const hd_tiles *t, const record *r) { return &t->program->slots[r->pc].inst; }

/* The counter falls to zero: with the result, a cycle before it (docs/timing.md), or with the read of operands. */
static void fell(hd_tiles *t, struct under_way *live, const hd_trace_event *e)
{
	for (size_t i = 0; e->value == 0 && i < live->at.n; i++) {
		record *r = &live->at.at[i].r;
		if (inst_of(t, r)->primary == e->counter && !r->released)
			r->released = e->cycle;
	}
}

/* The end of an instruction: if others have raised its counter, too, so that it is not zero, its own part is down now. */
static void released(hd_tiles *t, record *r)
{
	const hd_inst *inst = inst_of(t, r);
	if (inst->primary && !r->released)
		r->released = inst->release && r->flags & HD_TILE_ENTERED ? r->enter : r->end;
}

static void finish(hd_tiles *t, const open_record *o)
{
	record r = o->r;
	r.links = (uint32_t)t->links.n;
	for (unsigned i = 0; i < r.n_links; i++)
		hd_vec_push(&t->links, o->links[i]);
	hd_vec_push(&t->records, r);
	is_full(t);
}

static void issued(hd_tiles *t, struct under_way *live, const hd_trace_event *e, const hd_reason *reason)
{
	open_record o = {.r = {.issue = e->cycle,
	                       .end = e->cycle + 1,
	                       .place = hd_follow_place(t->follow, e),
	                       .number = e->number,
	                       .pc = e->pc,
	                       .lanes = e->mask,
	                       .executing = e->mask,
	                       .n_links = reason->n_links,
	                       .cause = (uint8_t)reason->cause,
	                       .since = reason->since,
	                       .until = reason->until,
	                       .counters = reason->counters,
	                       .flags = e->slots ? 0 : HD_TILE_BESIDE}};
	memcpy(o.links, reason->links, reason->n_links * sizeof *o.links);
	if (e->pc < t->program->n_slots && t->program->slots[e->pc].pipe != HD_PIPE_NONE) {
		hd_vec_push(&live->at, o);
		return;
	}
	o.r.flags |= HD_TILE_NO_PIPE;
	finish(t, &o);
}

static void moved(hd_tiles *t, struct under_way *live, const hd_trace_event *e)
{
	size_t i = 0;
	while (i < live->at.n && live->at.at[i].r.number != e->number)
		i++;
	if (i == live->at.n)
		return;
	record *r = &live->at.at[i].r;
	switch (e->kind) {
	case HD_TRACE_ENTER:
		r->flags |= HD_TILE_ENTERED;
		r->enter = e->cycle;
		r->executing = e->mask;
		return;
	case HD_TRACE_MEMORY:
		if (!(r->flags & HD_TILE_ACCESSED))
			r->access = e->cycle;
		r->flags |= HD_TILE_ACCESSED;
		return;
	case HD_TRACE_ACCESS:
		r->sectors += e->sectors;
		r->hits += e->hits;
		r->dram += e->dram;
		r->arrival = hd_max_u64(e->arrival, r->arrival);
		return;
	case HD_TRACE_REPLAY:
		r->flags |= HD_TILE_REPLAYED;
		return;
	case HD_TRACE_SKIP:
		r->spared += e->words;
		return;
	case HD_TRACE_DROP:
		r->flags |= e->squashed ? HD_TILE_SQUASHED : HD_TILE_DROPPED;
		break;
	default:
		break;
	}
	r->end = e->cycle;
	released(t, r);
	finish(t, &live->at.at[i]);
	live->at.n--;
	memmove(&live->at.at[i], &live->at.at[i + 1], (live->at.n - i) * sizeof *live->at.at);
}

static void keep_stretch(hd_tiles *t, stretch *now)
{
	if (now->cycles) {
		hd_vec_push(&t->lost, *now);
		now->cycles = 0;
		is_full(t);
	}
}

static void lost(hd_tiles *t, const hd_trace_event *e)
{
	size_t scheduler = (size_t)e->core * t->schedulers + e->scheduler;
	stretch *now = &t->now[scheduler];
	bool same = now->cycles && now->cause == e->cause && now->slot == e->slot && (now->pc == e->pc || e->slot == HD_TRACE_NO_WARP);
	if (same && now->first + now->cycles == e->cycle) {
		now->cycles += e->cycles;
		now->slots += e->slots;
		return;
	}
	keep_stretch(t, now);
	*now = (stretch){scheduler, e->cycle, e->cycles, e->slots, e->pc, e->cause, e->slot};
}

void hd_tiles_wait(hd_tiles *t, const hd_wait *wait)
{
	uint32_t slots = hd_follow_slots(t->follow);
	hd_vec_push(&t->lost, (stretch){.scheduler = wait->place / slots,
	                                .first = wait->since,
	                                .cycles = wait->until - wait->since,
	                                .pc = wait->pc,
	                                .cause = (uint8_t)wait->cause,
	                                .slot = (uint8_t)(wait->place % slots)});
	is_full(t);
}

void hd_tiles_event(hd_tiles *t, const hd_trace_event *e, const hd_reason *reason, bool detailed)
{
	switch (e->kind) {
	case HD_TRACE_LOST:
		if (detailed)
			lost(t, e);
		return;
	case HD_TRACE_ISSUE:
		if (detailed)
			issued(t, &t->live.at[hd_follow_place(t->follow, e)], e, reason);
		return;
	case HD_TRACE_COUNTER:
		fell(t, &t->live.at[hd_follow_place(t->follow, e)], e);
		return;
	case HD_TRACE_ENTER:
	case HD_TRACE_MEMORY:
	case HD_TRACE_ACCESS:
	case HD_TRACE_REPLAY:
	case HD_TRACE_SKIP:
	case HD_TRACE_DROP:
	case HD_TRACE_DONE:
		moved(t, &t->live.at[hd_follow_place(t->follow, e)], e);
		return;
	default:
		return;
	}
}

void hd_tiles_end(hd_tiles *t, uint64_t end)
{
	for (size_t place = 0; place < t->live.n; place++) {
		struct under_way *live = &t->live.at[place];
		for (size_t i = 0; i < live->at.n; i++) {
			live->at.at[i].r.flags |= HD_TILE_UNFINISHED;
			live->at.at[i].r.end = hd_max_u64(end, live->at.at[i].r.issue + 1);
			finish(t, &live->at.at[i]);
		}
		hd_vec_free(&live->at);
	}
	for (size_t i = 0; i < t->n_now; i++)
		keep_stretch(t, &t->now[i]);
	write_tile(t);
	hd_vec_free(&t->live);
	hd_vec_free(&t->records);
	hd_vec_free(&t->links);
	hd_vec_free(&t->lost);
	free(t->now);
	free(t);
}
