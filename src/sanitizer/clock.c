#include "sanitizer/clock.h"

static size_t bytes_of(const hd_clock *c) { return sizeof *c + c->n_spans * sizeof *c->spans + c->n_parts * sizeof *c->parts; }

hd_clock *hd_clock_use(hd_clock *clock)
{
	if (clock)
		clock->uses++;
	return clock;
}

void hd_clock_drop(hd_clocks *clocks, hd_clock *clock)
{
	if (!clock || --clock->uses)
		return;
	clocks->bytes -= bytes_of(clock);
	free(clock->spans);
	free(clock->parts);
	free(clock);
}

void hd_clock_set(hd_clocks *clocks, hd_clock **to, hd_clock *clock)
{
	hd_clock *old = *to;
	*to = clock;
	hd_clock_drop(clocks, old);
}

static void forget(hd_clocks *clocks)
{
	hd_clock_set(clocks, &clocks->left, NULL);
	hd_clock_set(clocks, &clocks->right, NULL);
	hd_clock_set(clocks, &clocks->result, NULL);
}

void hd_clocks_end(hd_clocks *clocks) { forget(clocks); }

/* The last span that begins at or before `time`; NULL: there is none. */
static const hd_clock_span *span_at(const hd_clock_span *spans, uint32_t n, uint64_t time)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (spans[middle].from <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &spans[low - 1] : NULL;
}

static bool covers(const hd_clock_span *spans, uint32_t n, uint64_t from, uint64_t to)
{
	const hd_clock_span *span = span_at(spans, n, from);
	return span && to <= span->to;
}

/* The first part of the warp, or of a later one. */
static uint32_t part_at(const hd_clock *c, uint32_t cta, uint32_t warp)
{
	uint32_t low = 0, high = c->n_parts;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const hd_clock_part *p = &c->parts[middle];
		if (p->cta < cta || (p->cta == cta && p->warp < warp))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool hd_clock_knows(const hd_clock *c, uint64_t time, uint32_t cta, uint32_t warp, uint32_t lane)
{
	if (!c)
		return false;
	if (covers(c->spans, c->n_spans, time, time + 1))
		return true;
	for (uint32_t i = part_at(c, cta, warp); i < c->n_parts && c->parts[i].cta == cta && c->parts[i].warp == warp; i++)
		if (c->parts[i].lanes >> lane & 1)
			return time < c->parts[i].to;
	return false;
}

/* True when a knows all that b knows. */
static bool contains(const hd_clock *a, const hd_clock *b)
{
	for (uint32_t i = 0; i < b->n_spans; i++)
		if (!covers(a->spans, a->n_spans, b->spans[i].from, b->spans[i].to))
			return false;
	for (uint32_t i = 0; i < b->n_parts; i++) {
		const hd_clock_part *p = &b->parts[i];
		if (covers(a->spans, a->n_spans, p->from, p->to))
			continue;
		for (uint32_t rest = p->lanes; rest; rest &= rest - 1)
			if (!hd_clock_knows(a, p->to - 1, p->cta, p->warp, hd_lowest_bit(rest)))
				return false;
	}
	return true;
}

/* -- making one ---------------------------------------------------------------------------------------------------------------------------- */

static void merge_spans(hd_clock *c, const hd_clock *a, const hd_clock *b)
{
	uint32_t i = 0, k = 0;
	c->spans = hd_xcalloc((size_t)a->n_spans + b->n_spans + 1, sizeof *c->spans);
	while (i < a->n_spans || k < b->n_spans) {
		bool left = k == b->n_spans || (i < a->n_spans && a->spans[i].from <= b->spans[k].from);
		hd_clock_span next = left ? a->spans[i++] : b->spans[k++];
		hd_clock_span *last = c->n_spans ? &c->spans[c->n_spans - 1] : NULL;
		if (last && next.from <= last->to)
			last->to = hd_max_u64(last->to, next.to);
		else
			c->spans[c->n_spans++] = next;
	}
}

static bool comes_first(const hd_clock_part *a, const hd_clock_part *b)
{
	if (a->cta != b->cta)
		return a->cta < b->cta;
	return a->warp != b->warp ? a->warp < b->warp : a->to >= b->to;
}

/* Requires the spans. A lane's latest part counts. */
static void merge_parts(hd_clock *c, const hd_clock *a, const hd_clock *b)
{
	uint32_t i = 0, k = 0, seen = 0;
	c->parts = hd_xcalloc((size_t)a->n_parts + b->n_parts + 1, sizeof *c->parts);
	while (i < a->n_parts || k < b->n_parts) {
		bool left = k == b->n_parts || (i < a->n_parts && comes_first(&a->parts[i], &b->parts[k]));
		hd_clock_part next = left ? a->parts[i++] : b->parts[k++];
		hd_clock_part *last = c->n_parts ? &c->parts[c->n_parts - 1] : NULL;
		bool same = last && last->cta == next.cta && last->warp == next.warp;
		seen = same ? seen : 0;
		next.lanes &= ~seen;
		seen |= next.lanes;
		if (!next.lanes || covers(c->spans, c->n_spans, next.from, next.to))
			continue;
		if (same && last->to == next.to)
			last->lanes |= next.lanes;
		else
			c->parts[c->n_parts++] = next;
	}
}

/* The older half of the spans becomes one. */
static void widen_spans(hd_clock *c)
{
	uint32_t half = c->n_spans / 2;
	c->spans[0].to = c->spans[half - 1].to;
	memmove(&c->spans[1], &c->spans[half], (c->n_spans - half) * sizeof *c->spans);
	c->n_spans -= half - 1;
}

static hd_clock *finish(hd_clocks *clocks, hd_clock *c)
{
	for (; c->n_spans > HD_CLOCK_MOST; clocks->widened++)
		widen_spans(c);
	clocks->bytes += bytes_of(c);
	return c;
}

static hd_clock *merge(hd_clocks *clocks, const hd_clock *a, const hd_clock *b)
{
	hd_clock *c = hd_xcalloc(1, sizeof *c);
	c->uses = 1;
	merge_spans(c, a, b);
	merge_parts(c, a, b);
	if (c->n_parts <= HD_CLOCK_MOST)
		return finish(clocks, c);
	/* The parts of the older half of the CTAs become one span. */
	uint32_t half = c->n_parts / 2;
	hd_clock_span all = {c->parts[0].from, c->parts[0].to};
	for (uint32_t i = 0; i < half; i++) {
		all.from = hd_min_u64(all.from, c->parts[i].from);
		all.to = hd_max_u64(all.to, c->parts[i].to);
	}
	memmove(c->parts, &c->parts[half], (c->n_parts - half) * sizeof *c->parts);
	c->n_parts -= half;
	clocks->widened++;
	clocks->bytes += bytes_of(c);
	hd_clock *wider = merge(clocks, c, &(hd_clock){.n_spans = 1, .spans = &all});
	hd_clock_drop(clocks, c);
	return wider;
}

hd_clock *hd_clock_join(hd_clocks *clocks, hd_clock *a, hd_clock *b)
{
	if (!a || !b || a == b)
		return hd_clock_use(a ? a : b);
	if (a == clocks->left && b == clocks->right)
		return hd_clock_use(clocks->result);
	hd_clock *made = contains(a, b) ? hd_clock_use(a) : contains(b, a) ? hd_clock_use(b) : merge(clocks, a, b);
	hd_clock_set(clocks, &clocks->left, hd_clock_use(a));
	hd_clock_set(clocks, &clocks->right, hd_clock_use(b));
	hd_clock_set(clocks, &clocks->result, hd_clock_use(made));
	return made;
}

static hd_clock *with(hd_clocks *clocks, hd_clock *clock, const hd_clock *more)
{
	static const hd_clock nothing = {0};
	if (clock && contains(clock, more))
		return hd_clock_use(clock);
	return merge(clocks, clock ? clock : &nothing, more);
}

hd_clock *hd_clock_with_span(hd_clocks *clocks, hd_clock *clock, uint64_t from, uint64_t to)
{
	hd_clock_span span = {from, to};
	return from < to ? with(clocks, clock, &(hd_clock){.n_spans = 1, .spans = &span}) : hd_clock_use(clock);
}

hd_clock *hd_clock_with_part(hd_clocks *clocks, hd_clock *clock, hd_clock_part part)
{
	return part.lanes && part.from < part.to ? with(clocks, clock, &(hd_clock){.n_parts = 1, .parts = &part}) : hd_clock_use(clock);
}
