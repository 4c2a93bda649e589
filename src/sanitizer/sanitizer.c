/* The sanitizer's events: warps in their slots, CTAs, and instructions in flight. */
#include "sanitizer/state.h"

enum { ORDER_BITS = 24 };
_Static_assert(HD_MAX_CODE <= 1 << ORDER_BITS, "the order of an instruction holds its word address");

/* -- instructions in flight ---------------------------------------------------------------------------------------------------------------- */

static hd_san_record *find(hd_san_warp *warp, uint32_t number)
{
	for (size_t i = warp->live.n; i-- > 0;)
		if (warp->live.at[i].moment.number == number)
			return &warp->live.at[i];
	return NULL;
}

/* Entry `i` of the past; entry 0 is the youngest. */
static const hd_san_past *past(const hd_san_warp *warp, uint32_t i) { return &warp->past[(warp->n_past - 1 - i) % HD_SAN_PAST]; }

static uint32_t past_count(const hd_san_warp *warp) { return warp->n_past < HD_SAN_PAST ? warp->n_past : HD_SAN_PAST; }

hd_moment hd_san_moment(const hd_san_warp *warp, uint64_t order)
{
	for (size_t i = 0; i < warp->live.n; i++)
		if (warp->live.at[i].order == order)
			return warp->live.at[i].moment;
	for (uint32_t i = 0; i < past_count(warp); i++)
		if (past(warp, i)->order == order)
			return past(warp, i)->moment;
	return (hd_moment){.word = order & ((1u << ORDER_BITS) - 1)};
}

bool hd_san_order(const hd_san_warp *warp, uint32_t number, uint64_t *order)
{
	for (uint32_t i = 0; i < past_count(warp); i++) {
		*order = past(warp, i)->order;
		if (past(warp, i)->moment.number == number)
			return true;
	}
	for (size_t i = 0; i < warp->live.n; i++) {
		*order = warp->live.at[i].order;
		if (warp->live.at[i].moment.number == number)
			return true;
	}
	return false;
}

static void issue(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	const hd_san_inst *inst = &s->insts[e->pc];
	if (inst->nop)
		return;
	if (warp->live.n == warp->live.cap)
		warp->live.at = hd_vec_grow(warp->live.at, &warp->live.cap, sizeof *warp->live.at);
	hd_san_record *record = &warp->live.at[warp->live.n++];
	record->order = warp->segment << ORDER_BITS | e->pc;
	record->moment = (hd_moment){.word = e->pc, .number = e->number, .issued = e->cycle};
	record->active = e->mask;
	record->performed = record->late = false;
	record->unwritten = 0;
	if (inst->bytes)
		memcpy(record->clock, warp->clock, sizeof record->clock);
	hd_san_issue(s, warp, record);
	warp->segment += inst->flow;
}

static void retire(hd_san_warp *warp, hd_san_record *record)
{
	warp->past[warp->n_past++ % HD_SAN_PAST] = (hd_san_past){record->order, record->moment};
	*record = warp->live.at[--warp->live.n];
}

static void enter(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	hd_san_record *record = find(warp, e->number);
	if (!record)
		return;
	record->lanes = e->mask;
	record->moment.entered = e->cycle;
	hd_san_enter(s, warp, record);
	if (e->parts == 1)
		hd_san_read(s, warp, record, record->lanes);
}

static void narrow(hd_san_warp *warp, const hd_trace_event *e)
{
	hd_san_record *record = find(warp, e->number);
	if (!record)
		return;
	record->active = e->mask;
	record->unwritten &= e->mask;
}

static void drop(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	hd_san_record *record = find(warp, e->number);
	if (!record)
		return;
	record->moment.entered = e->cycle;
	if (e->squashed)
		hd_san_squash(s, warp, record);
	else
		hd_san_drop(s, warp, record);
	hd_san_performed(warp, record);
	retire(warp, record);
}

static void done(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	hd_san_record *record = find(warp, e->number);
	if (!record)
		return;
	record->moment.done = e->cycle;
	hd_san_done(s, warp, record);
	if (s->found.list.n)
		hd_san_complete(s, warp, &record->moment);
	retire(warp, record);
}

static void memory(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	hd_san_record *record = find(warp, e->number);
	if (!record)
		return;
	if (s->insts[e->pc].fence) {
		record->moment.performed = e->cycle;
		hd_san_fence(s, warp, record->order, &record->moment);
	}
	hd_san_performed(warp, record);
}

/* The `bar` has been decided, and is the youngest of the past. */
static void arrive(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	hd_moment bar = past(warp, 0)->moment;
	bar.performed = e->cycle;
	hd_san_fence(s, warp, past(warp, 0)->order, &bar);
	hd_san_arrive(s, warp, e->barrier);
}

/* -- warps and CTAs ------------------------------------------------------------------------------------------------------------------------ */

static void leave_cta(hd_sanitizer *s, hd_san_warp *warp)
{
	hd_san_cta *cta = warp->cta;
	if (!cta)
		return;
	if (cta->warp[warp->number] == warp)
		cta->warp[warp->number] = NULL;
	if (--cta->resident)
		return;
	cta->next = s->free;
	s->free = cta;
}

/* The CTA of the event. Another slot of the core may already have it; otherwise it is new. */
static hd_san_cta *cta_of(hd_sanitizer *s, const hd_trace_event *e)
{
	hd_san_warp **core = s->cores.at[e->core];
	for (unsigned i = 0; i < HD_SAN_SCHEDULERS * HD_SAN_SLOTS; i++)
		if (core[i] && core[i]->cta && core[i]->cta->serial == e->cta_serial)
			return core[i]->cta;
	hd_san_cta *cta = s->free;
	if (cta)
		s->free = cta->next;
	else
		cta = hd_xmalloc(sizeof *cta);
	memset(cta, 0, sizeof *cta);
	cta->serial = e->cta_serial;
	memcpy(cta->at, e->cta, sizeof cta->at);
	return cta;
}

/* A warp begins, or resumes after its CTA was saved. No instruction is in flight then, and no earlier event can violate a rule any more. */
static void begin(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	leave_cta(s, warp);
	warp->cta = NULL;
	warp->cta = cta_of(s, e);
	warp->cta->resident++;
	warp->number = e->warp % HD_SAN_CTA_WARPS;
	warp->cta->warp[warp->number] = warp;
	warp->core = e->core;
	warp->scheduler = e->scheduler;
	warp->slot = e->slot;
	warp->segment = 1;
	warp->live.n = warp->log.n = 0;
	warp->n_past = 0;
	for (uint32_t i = 0; i < s->resources; i++)
		warp->read[i] = warp->written[i] = (hd_san_latest){.lanes = ~0u};
	memset(warp->dropped, 0, s->resources * sizeof *warp->dropped);
	memset(warp->pending, 0, s->resources * sizeof *warp->pending);
	memset(warp->clock, 0, sizeof warp->clock);
	warp->clock[warp->number] = 1;
}

static hd_san_warp *new_warp(const hd_sanitizer *s)
{
	hd_san_warp *warp = hd_xcalloc(1, sizeof *warp);
	warp->read = hd_xcalloc(s->resources, sizeof *warp->read);
	warp->written = hd_xcalloc(s->resources, sizeof *warp->written);
	warp->read_lanes = hd_xcalloc(s->resources, sizeof *warp->read_lanes);
	warp->written_lanes = hd_xcalloc(s->resources, sizeof *warp->written_lanes);
	warp->dropped = hd_xcalloc(s->resources, sizeof *warp->dropped);
	warp->dropper = hd_xcalloc(s->resources, sizeof *warp->dropper);
	warp->pending = hd_xcalloc(s->resources, sizeof *warp->pending);
	return warp;
}

static void free_warp(hd_san_warp *warp)
{
	free(warp->read);
	free(warp->written);
	free(warp->read_lanes);
	free(warp->written_lanes);
	free(warp->dropped);
	free(warp->dropper);
	free(warp->pending);
	hd_vec_free(&warp->live);
	hd_vec_free(&warp->log);
	free(warp);
}

/* The warp in the event's slot. NULL when no warp has begun there. */
static hd_san_warp *warp_of(hd_sanitizer *s, const hd_trace_event *e)
{
	while (s->cores.n <= e->core)
		hd_vec_push(&s->cores, hd_xcalloc(HD_SAN_SCHEDULERS * HD_SAN_SLOTS, sizeof(hd_san_warp *)));
	hd_san_warp **at = &s->cores.at[e->core][e->scheduler * HD_SAN_SLOTS + e->slot];
	if (!*at && e->kind == HD_TRACE_BEGIN)
		*at = new_warp(s);
	return *at;
}

static void forget_run(hd_sanitizer *s)
{
	hd_san_end_run(s);
	for (size_t core = 0; core < s->cores.n; core++) {
		for (unsigned i = 0; i < HD_SAN_SCHEDULERS * HD_SAN_SLOTS; i++) {
			hd_san_warp *warp = s->cores.at[core][i];
			if (!warp)
				continue;
			leave_cta(s, warp);
			free_warp(warp);
			s->cores.at[core][i] = NULL;
		}
	}
}

static void event(hd_trace *trace, const hd_trace_event *e)
{
	hd_sanitizer *s = (hd_sanitizer *)trace;
	hd_san_record *record;
	if (e->kind == HD_TRACE_LOST)
		return;
	if (e->cycle < s->last) /* another run begins */
		forget_run(s);
	s->last = e->cycle;
	hd_san_warp *warp = warp_of(s, e);
	if (!warp)
		return;
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		begin(s, warp, e);
		break;
	case HD_TRACE_ISSUE:
		issue(s, warp, e);
		break;
	case HD_TRACE_ENTER:
		enter(s, warp, e);
		break;
	case HD_TRACE_READ:
		if ((record = find(warp, e->number)))
			hd_san_read(s, warp, record, e->mask);
		break;
	case HD_TRACE_WRITE:
		if ((record = find(warp, e->number)))
			hd_san_write(s, warp, record, e->mask);
		break;
	case HD_TRACE_NARROW:
		narrow(warp, e);
		break;
	case HD_TRACE_DROP:
		drop(s, warp, e);
		break;
	case HD_TRACE_DONE:
		done(s, warp, e);
		break;
	case HD_TRACE_SKIP:
		hd_san_skip(s, warp, e);
		break;
	case HD_TRACE_ACCESS:
		if ((record = find(warp, e->number)) && s->insts[e->pc].bytes)
			hd_san_perform(s, warp, record, e);
		break;
	case HD_TRACE_MEMORY:
		memory(s, warp, e);
		break;
	case HD_TRACE_ARRIVE:
		arrive(s, warp, e);
		break;
	case HD_TRACE_RELEASE:
		hd_san_release(warp->cta, e->barrier, e->mask);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------------------------------------------------------------------------ */

hd_sanitizer *hd_sanitizer_new(const hd_program *program)
{
	hd_sanitizer *s = hd_xcalloc(1, sizeof *s);
	s->trace.event = event;
	s->program = program;
	hd_san_decode(s);
	return s;
}

void hd_sanitizer_free(hd_sanitizer *s)
{
	if (!s)
		return;
	forget_run(s);
	for (size_t core = 0; core < s->cores.n; core++)
		free(s->cores.at[core]);
	for (hd_san_cta *cta = s->free, *next; cta; cta = next) {
		next = cta->next;
		free(cta);
	}
	hd_vec_free(&s->cores);
	hd_vec_free(&s->found.list);
	free(s->insts);
	free(s);
}

hd_trace *hd_sanitizer_watcher(hd_sanitizer *s) { return &s->trace; }
const hd_violations *hd_sanitizer_found(const hd_sanitizer *s) { return &s->found; }
