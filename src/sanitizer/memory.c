/* Accesses to global and shared memory. An access takes effect at its memory stage. An access of another pipe or of another warp can reach its stage
 * earlier.
 *
 *   M1  Two accesses of one warp touch the same bytes, and one of them writes. They must take effect in program order.
 *   M2  Two accesses of two warps of a CTA touch the same bytes, and one of them writes. If barriers order them, they must take effect in this order.
 *       Barriers order access A before access B if A's warp arrived at a barrier after A, and B issued after this barrier or a later one had released
 *       B's warp.
 *   M3  A fence takes effect. Accesses of its warp before it must be done, and before a `bar` fences of its warp as well (docs/timing.md, Memory).
 *
 * Each warp has a vector clock that records the order of barriers. An arrival joins the warp's clock into the clock of the barrier's phase and then
 * adds one to the warp's own component. A release joins the clock of the phase into the clocks of the warps that waited. The sanitizer does not judge
 * accesses that no barrier orders, because their order is the program's matter.
 *
 * Only a late access can be overtaken. An access is late for M2 once its warp has arrived at a barrier, and for M1 while a later access of its warp
 * takes effect. The warp's log keeps the accesses that take effect meanwhile, as long as they can overtake another access. */
#include "sanitizer/state.h"

enum { LOG_MAX = 1 << 14 };

/* -- one access ------------------------------------------------------------------------------------------------------------------------- */

static bool describe(const hd_san_inst *inst, const hd_inst *word, const hd_san_record *record, const hd_trace_event *e, hd_san_access *to)
{
	bool pair = hd_ops[word->op].a == HD_W_D;
	uint64_t low = UINT64_MAX, high = 0;
	to->order = record->order;
	to->moment = record->moment;
	to->bytes = inst->bytes;
	to->stores = inst->stores;
	to->lanes = 0;
	for (uint32_t left = e->mask; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t address = e->address[0].v[lane];
		if (pair)
			address = (address | (uint64_t)e->address[1].v[lane] << 32) + (uint64_t)(int64_t)word->imm;
		else
			address = HD_WINDOW_SHARED + (uint32_t)(address + (uint32_t)word->imm);
		if (hd_window(address) == HD_SPACE_LOCAL) /* local memory belongs to one thread, and one pipe performs its accesses in order */
			continue;
		to->address[lane] = address;
		to->lanes |= 1u << lane;
		low = address < low ? address : low;
		high = address + to->bytes > high ? address + to->bytes : high;
	}
	to->low = low;
	to->high = high;
	memcpy(to->clock, record->clock, sizeof to->clock);
	return to->lanes != 0;
}

/* The lanes of `a` that touch a byte of `b`, if `a` or `b` writes. *address receives the first such byte of the lowest lane. */
static uint32_t conflict(const hd_san_access *a, const hd_san_access *b, uint64_t *address)
{
	uint32_t found = 0;
	if (!(a->stores | b->stores) || a->low >= b->high || b->low >= a->high)
		return 0;
	for (uint32_t mine = a->lanes; mine; mine &= mine - 1) {
		uint64_t at = a->address[__builtin_ctz(mine)];
		for (uint32_t others = b->lanes; others; others &= others - 1) {
			uint64_t other = b->address[__builtin_ctz(others)];
			if (at >= other + b->bytes || other >= at + a->bytes)
				continue;
			if (!found)
				*address = at > other ? at : other;
			found |= mine & -mine;
			break;
		}
	}
	return found;
}

/* -- the log ------------------------------------------------------------------------------------------------------------------------------ */

/* True when an access of the warp that is earlier than `order` has not been performed. */
static bool overtakes(const hd_sanitizer *s, const hd_san_warp *warp, uint64_t order)
{
	for (size_t i = 0; i < warp->live.n; i++) {
		const hd_san_record *r = &warp->live.at[i];
		if (r->order < order && !r->performed && s->insts[r->moment.word].bytes)
			return true;
	}
	return false;
}

/* True when an earlier access that has not been performed may conflict with the entry. It is enough to look at accesses that have issued, because a
 * candidate window issues accesses that may conflict in order (MI-5). */
static bool matters(const hd_sanitizer *s, const hd_san_warp *warp, const hd_san_access *a)
{
	return warp->cta->late || overtakes(s, warp, a->order);
}

static void purge(const hd_sanitizer *s, hd_san_warp *warp)
{
	size_t n = 0;
	for (size_t i = 0; i < warp->log.n; i++)
		if (matters(s, warp, &warp->log.at[i]))
			warp->log.at[n++] = warp->log.at[i];
	warp->log.n = n;
}

static void put(const hd_sanitizer *s, hd_san_warp *warp, const hd_san_access *a)
{
	if (warp->log.n == warp->log.cap)
		purge(s, warp);
	if (warp->log.n >= LOG_MAX) { /* drop the older half */
		memmove(warp->log.at, warp->log.at + LOG_MAX / 2, LOG_MAX / 2 * sizeof *warp->log.at);
		warp->log.n = LOG_MAX / 2;
	}
	hd_vec_push(&warp->log, *a);
}

/* -- events ------------------------------------------------------------------------------------------------------------------------------- */

static void against(hd_sanitizer *s, hd_san_warp *warp, const hd_san_access *a, hd_san_warp *other)
{
	bool own = warp == other;
	for (size_t i = 0; i < other->log.n; i++) {
		const hd_san_access *b = &other->log.at[i];
		uint64_t address = 0;
		bool ordered = own ? b->order > a->order : b->clock[warp->number] >= a->clock[warp->number];
		uint32_t lanes = ordered ? conflict(a, b, &address) : 0;
		hd_violation_kind kind = own ? HD_VIOLATION_ORDER : HD_VIOLATION_BARRIER;
		hd_violation *v = lanes ? hd_san_report(s, other, kind, -1, lanes, &a->moment, &b->moment) : NULL;
		if (!v)
			continue;
		v->address = address;
		v->first_warp = warp->number;
	}
}

void hd_san_perform(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, const hd_trace_event *e)
{
	hd_san_cta *cta = warp->cta;
	bool logged = cta->late || overtakes(s, warp, record->order);
	hd_san_access a;
	record->moment.performed = e->cycle;
	if (!logged && !warp->log.n)
		return;
	if (!describe(&s->insts[e->pc], &s->program->slots[e->pc].inst, record, e, &a))
		return;
	against(s, warp, &a, warp);
	for (unsigned i = 0; record->late && i < HD_SAN_CTA_WARPS; i++)
		if (cta->warp[i] && cta->warp[i] != warp)
			against(s, warp, &a, cta->warp[i]);
	if (logged)
		put(s, warp, &a);
	else
		purge(s, warp);
}

void hd_san_performed(hd_san_warp *warp, hd_san_record *record)
{
	record->performed = true;
	warp->cta->late -= record->late;
	record->late = false;
}

void hd_san_fence(hd_sanitizer *s, hd_san_warp *warp, uint64_t order, const hd_moment *fence)
{
	for (size_t i = 0; i < warp->live.n; i++) {
		const hd_san_record *r = &warp->live.at[i];
		const hd_san_inst *inst = &s->insts[r->moment.word];
		if (r->order < order && (inst->bytes || (inst->fence && s->insts[fence->word].flow)))
			(void)hd_san_report(s, warp, HD_VIOLATION_FENCE, -1, r->active, &r->moment, fence);
	}
}

void hd_san_arrive(hd_sanitizer *s, hd_san_warp *warp, unsigned barrier)
{
	hd_san_cta *cta = warp->cta;
	uint32_t *phase = cta->phase[barrier % HD_SAN_BARRIERS];
	for (unsigned i = 0; i < HD_SAN_CTA_WARPS; i++)
		phase[i] = phase[i] > warp->clock[i] ? phase[i] : warp->clock[i];
	warp->clock[warp->number]++;
	for (size_t i = 0; i < warp->live.n; i++) {
		hd_san_record *r = &warp->live.at[i];
		if (r->late || r->performed || !s->insts[r->moment.word].bytes)
			continue;
		r->late = true;
		cta->late++;
	}
}

void hd_san_release(hd_san_cta *cta, unsigned barrier, uint32_t warps)
{
	uint32_t *phase = cta->phase[barrier % HD_SAN_BARRIERS];
	for (uint32_t left = warps; left; left &= left - 1) {
		hd_san_warp *warp = cta->warp[__builtin_ctz(left)];
		for (unsigned i = 0; warp && i < HD_SAN_CTA_WARPS; i++)
			warp->clock[i] = warp->clock[i] > phase[i] ? warp->clock[i] : phase[i];
	}
	memset(phase, 0, sizeof cta->phase[0]);
}
