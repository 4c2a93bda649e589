/* Happens-before with vector clocks (clock.h), as FastTrack has them: each thread has a clock, each cell of memory the accesses that a later one can
 * race with (shadow.h).
 *
 *  K0 A run begins when all that was before it has ended.
 *  K1 A thread knows its own accesses.
 *  K2 A CTA begins with what the launch of its grid knew; a grid of the host with all that ran below the launches it waited for; a tail child with
 *     all that ran below the launch by the host; a command of a device queue that waited with all that ran.
 *  K3 A complete barrier tells every lane that waits at it what all lanes knew that came to it, and their accesses. With a barrier of the
 *     whole CTA, lanes that have ended count as having come.
 *  K4 A fence of a warp (bar.warp.sync) does that for its lanes.
 *  K5 Any other fence makes ready to be released what the lane knows, and its accesses. A strong store or an atomic behind it hands that to its
 *     address. A strong store in front of which there is no fence takes away what was there; an atomic leaves it.
 *  K6 A strong load or an atomic takes what its address holds, and a fence behind it makes that known. What a fence of the scope of a CTA released
 *     or makes known comes from threads of that CTA.
 *  K7 After a join, the lanes that waited know everything that ran meanwhile. */
#include "sanitizer/races_state.h"

static uint32_t lanes_of(const hd_race_cta *cta, uint32_t warp) { return warp < cta->n_warps ? hd_warp_lanes(cta->launch, warp) : 0; }

uint64_t hd_races_bytes(const hd_races *r)
{
	uint64_t bytes = r->clocks.bytes + r->global.bytes + r->n_flags * (sizeof(hd_race_flag) + 2 * sizeof(struct hd_san_entry));
	bytes += r->rows.cap * sizeof *r->rows.at + (r->children.room + r->flags.room) * sizeof(struct hd_san_entry);
	bytes += r->children.n * sizeof(hd_race_child);
	for (const hd_race_cta *cta = r->cta; cta; cta = cta->below)
		bytes += sizeof *cta + cta->shared.bytes + cta->n_warps * HD_LANES * sizeof *cta->threads;
	return bytes;
}

static uint64_t limit(const hd_races *r) { return r->options.bytes ? r->options.bytes : HD_RACES_BYTES; }

static hd_clock_part own_part(const hd_race_cta *cta, uint32_t warp, uint32_t lanes, uint64_t to)
{
	return (hd_clock_part){.from = cta->begin, .to = to, .cta = cta->number, .warp = warp, .lanes = lanes};
}

static hd_race_thread *thread_of(hd_race_cta *cta, uint32_t warp, uint32_t lane) { return &cta->threads[warp * HD_LANES + lane]; }

static void learn(hd_races *r, hd_clock **knows, hd_clock *more) { hd_clock_set(&r->clocks, knows, hd_clock_join(&r->clocks, *knows, more)); }

static void learn_part(hd_races *r, hd_clock **knows, hd_clock_part part)
{
	hd_clock_set(&r->clocks, knows, hd_clock_with_part(&r->clocks, *knows, part));
}

static void learn_span(hd_races *r, hd_clock **knows, uint64_t from, uint64_t to)
{
	hd_clock_set(&r->clocks, knows, hd_clock_with_span(&r->clocks, *knows, from, to));
}

static void forget(hd_races *r, hd_clock **knows) { hd_clock_set(&r->clocks, knows, NULL); }

/* -- grids and CTAs (K2, K7) --------------------------------------------------------------------------------------------------------------- */

static hd_race_root *root_of(hd_races *r, uint32_t number)
{
	while (r->roots.n <= number)
		hd_vec_push(&r->roots, (hd_race_root){0});
	return &r->roots.at[number];
}

static void forget_roots(hd_races *r)
{
	for (size_t i = 0; i < r->roots.n; i++) {
		forget(r, &r->roots.at[i].start);
		forget(r, &r->roots.at[i].ran);
	}
	r->roots.n = 0;
}

static void forget_children(hd_races *r)
{
	for (size_t i = 0; i < r->children.room; i++) {
		hd_race_child *child = r->children.at[i].value;
		if (child)
			forget(r, &child->clock);
		free(child);
	}
	hd_san_table_free(&r->children);
}

static void drop_cta(hd_races *r);

/* Handles of grids begin anew. */
static void begin_run(hd_races *r)
{
	while (r->cta)
		drop_cta(r);
	forget_roots(r);
	forget_children(r);
	r->time++;
	r->begin = r->time;
}

static void begin_grid(hd_races *r, const hd_order_event *e)
{
	hd_clock *start = NULL;
	if (root_of(r, e->root)->begun)
		return;
	learn_span(r, &start, 0, r->begin);
	for (uint32_t i = 0; i < e->n_after; i++) {
		learn(r, &start, root_of(r, e->after[i])->start);
		learn(r, &start, root_of(r, e->after[i])->ran);
	}
	root_of(r, e->root)->begun = true;
	root_of(r, e->root)->start = start;
}

/* The clock with which a CTA's threads begin. */
static hd_clock *first_clock(hd_races *r, const hd_order_event *e)
{
	hd_race_root *root = root_of(r, e->root);
	const hd_race_child *child = hd_san_table_find(&r->children, (uint64_t)e->grid + 1);
	hd_clock *clock = hd_clock_use(root->start);
	if (child)
		learn(r, &clock, child->clock);
	if (child && child->begin == HD_ORDER_TAIL)
		learn(r, &clock, root->ran);
	for (size_t i = 0; child && child->begin == HD_ORDER_WAITS && i < r->roots.n; i++)
		learn(r, &clock, r->roots.at[i].ran);
	return clock;
}

static void note_row(hd_races *r, const hd_order_event *e)
{
	const hd_launch *l = e->launch;
	uint64_t place = e->cta[0] + (uint64_t)l->grid[0] * (e->cta[1] + (uint64_t)l->grid[1] * e->cta[2]);
	const hd_race_row *last = r->rows.n ? &r->rows.at[r->rows.n - 1] : NULL;
	if (last && last->grid == e->grid && last->kernel == l->kernel && place == last->place + (r->n_ctas - last->first))
		return;
	hd_race_row row = {.first = r->n_ctas, .grid = e->grid, .kernel = l->kernel, .place = place, .lanes = hd_launch_lanes(l)};
	memcpy(row.size, l->grid, sizeof row.size);
	memcpy(row.block, l->block, sizeof row.block);
	for (unsigned i = 0; i < 3; i++)
		row.base[i] = l->range ? l->range->first[i] : 0;
	hd_vec_push(&r->rows, row);
}

static void begin_cta(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = hd_xcalloc(1, sizeof *cta);
	note_row(r, e);
	cta->below = r->cta;
	cta->launch = e->launch;
	cta->number = r->n_ctas++;
	cta->root = e->root;
	cta->grid = e->grid;
	cta->n_warps = hd_launch_warps(e->launch);
	cta->begin = cta->since = r->time;
	cta->threads = hd_xcalloc(cta->n_warps * HD_LANES, sizeof *cta->threads);
	hd_clock *clock = first_clock(r, e);
	for (uint32_t i = 0; i < cta->n_warps * HD_LANES; i++)
		cta->threads[i].knows = hd_clock_use(clock);
	forget(r, &clock);
	r->cta = cta;
}

static void drop_flag(hd_races *r, hd_race_flag *flag)
{
	for (unsigned s = 0; s < HD_RACE_SCOPES; s++)
		forget(r, &flag->clock[s]);
	free(flag);
	r->n_flags--;
}

static void drop_flags(hd_races *r, hd_san_table *flags)
{
	for (size_t i = 0; i < flags->room; i++)
		if (flags->at[i].value)
			drop_flag(r, flags->at[i].value);
	hd_san_table_free(flags);
}

static void drop_cta(hd_races *r)
{
	hd_race_cta *cta = r->cta;
	r->cta = cta->below;
	for (uint32_t i = 0; i < cta->n_warps * HD_LANES; i++) {
		hd_race_thread *t = &cta->threads[i];
		forget(r, &t->knows);
		for (unsigned s = 0; s < HD_RACE_SCOPES; s++) {
			forget(r, &t->release[s].clock);
			forget(r, &t->pending[s]);
		}
	}
	for (unsigned b = 0; b < HD_RACE_BARRIERS; b++)
		forget(r, &cta->barriers[b].clock);
	forget(r, &cta->own);
	hd_shadow_free(&cta->shared);
	drop_flags(r, &cta->flags);
	free(cta->threads);
	free(cta);
}

static void end_cta(hd_races *r)
{
	hd_race_cta *cta = r->cta;
	r->time++;
	hd_races_check_copies(r);
	learn_span(r, &root_of(r, cta->root)->ran, cta->since, r->time);
	drop_cta(r);
}

static void begin_join(hd_races *r)
{
	hd_race_cta *cta = r->cta;
	r->time++;
	learn_span(r, &cta->own, cta->since, r->time);
	learn_span(r, &root_of(r, cta->root)->ran, cta->since, r->time);
	cta->join = r->time;
}

static void end_join(hd_races *r, uint32_t warps)
{
	hd_race_cta *cta = r->cta;
	r->time++;
	cta->since = r->time;
	for (uint32_t rest = warps; rest; rest &= rest - 1)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			learn_span(r, &thread_of(cta, hd_lowest_bit(rest), lane)->knows, cta->join, r->time);
}

static void launch(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = r->cta;
	void **at = hd_san_table_at(&r->children, (uint64_t)e->grid + 1);
	if (!*at)
		*at = hd_xcalloc(1, sizeof(hd_race_child));
	hd_race_child *child = *at;
	r->time++;
	child->begin = e->begin > child->begin ? e->begin : child->begin;
	learn(r, &child->clock, thread_of(cta, e->warp, e->lane)->knows);
	learn_part(r, &child->clock, own_part(cta, e->warp, 1u << e->lane, r->time));
}

/* -- barriers (K3) and fences of warps (K4) -------------------------------------------------------------------------------------------------- */

static void arrive(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = r->cta;
	hd_race_barrier *b = &cta->barriers[e->barrier];
	for (uint32_t rest = e->mask; rest; rest &= rest - 1)
		learn(r, &b->clock, thread_of(cta, e->warp, hd_lowest_bit(rest))->knows);
	b->came[e->warp] |= e->mask;
	b->alive[e->warp] = e->alive;
	if (e->waits) {
		b->pc[e->warp] = e->pc;
		b->takers[e->warp] |= e->mask;
		b->lanes[e->warp] |= e->mask | (e->whole ? lanes_of(cta, e->warp) & ~e->alive : 0);
		return;
	}
	r->time++;
	learn_part(r, &b->clock, own_part(cta, e->warp, e->mask, r->time));
}

/* Adds the accesses of lanes to the clock, at this time. */
static void add_own(hd_races *r, hd_clock **clock, const uint32_t lanes[HD_RACE_WARPS])
{
	hd_race_cta *cta = r->cta;
	bool all = true;
	for (uint32_t w = 0; w < cta->n_warps; w++)
		all = all && lanes[w] == lanes_of(cta, w);
	if (all) {
		learn(r, clock, cta->own);
		learn_span(r, clock, cta->since, r->time);
	}
	for (uint32_t w = 0; !all && w < cta->n_warps; w++)
		learn_part(r, clock, own_part(cta, w, lanes[w], r->time));
}

static void give(hd_races *r, uint32_t warp, uint32_t lanes, hd_clock *clock)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		hd_clock_set(&r->clocks, &thread_of(r->cta, warp, hd_lowest_bit(rest))->knows, hd_clock_use(clock));
}

static void open_barrier(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = r->cta;
	hd_race_barrier *b = &cta->barriers[e->barrier];
	r->time++;
	cta->events = 0;
	if (e->whole)
		hd_races_check_barrier(r, b);
	for (uint32_t rest = e->whole ? e->ended : 0; rest; rest &= rest - 1)
		b->lanes[hd_lowest_bit(rest)] = lanes_of(cta, hd_lowest_bit(rest));
	add_own(r, &b->clock, b->lanes);
	for (uint32_t w = 0; w < cta->n_warps; w++)
		give(r, w, b->takers[w], b->clock);
	forget(r, &b->clock);
	*b = (hd_race_barrier){0};
}

static void sync_warp(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = r->cta;
	hd_clock *clock = NULL;
	uint32_t lanes[HD_RACE_WARPS] = {0};
	r->time++;
	for (uint32_t rest = e->mask; rest; rest &= rest - 1)
		learn(r, &clock, thread_of(cta, e->warp, hd_lowest_bit(rest))->knows);
	lanes[e->warp] = e->mask;
	add_own(r, &clock, lanes);
	give(r, e->warp, e->mask, clock);
	forget(r, &clock);
}

/* -- fences and flags (K5, K6) --------------------------------------------------------------------------------------------------------------- */

static void fence(hd_races *r, const hd_order_event *e)
{
	unsigned widest = e->scope == HD_SCOPE_CTA ? HD_RACE_CTA : HD_RACE_DEVICE;
	r->time++;
	for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
		hd_race_thread *t = thread_of(r->cta, e->warp, hd_lowest_bit(rest));
		for (unsigned s = 0; s <= widest; s++) {
			learn(r, &t->knows, t->pending[s]);
			forget(r, &t->pending[s]);
		}
		for (unsigned s = 0; s <= widest; s++) {
			hd_clock_set(&r->clocks, &t->release[s].clock, hd_clock_use(t->knows));
			t->release[s].time = r->time;
			t->release[s].own = false;
		}
	}
}

static hd_clock *released(hd_races *r, const hd_order_event *e, hd_race_release *release)
{
	if (release->time && !release->own)
		learn_part(r, &release->clock, own_part(r->cta, e->warp, 1u << e->lane, release->time));
	release->own = release->time != 0;
	return release->clock;
}

static void acquire(hd_races *r, hd_race_thread *t, const hd_race_flag *flag)
{
	if (flag->cta == r->cta->number)
		learn(r, &t->pending[HD_RACE_CTA], flag->clock[HD_RACE_CTA]);
	learn(r, &t->pending[HD_RACE_DEVICE], flag->clock[HD_RACE_DEVICE]);
}

static void release(hd_races *r, const hd_order_event *e, hd_race_thread *t, hd_race_flag *flag)
{
	if (flag->cta != r->cta->number)
		forget(r, &flag->clock[HD_RACE_CTA]);
	flag->cta = r->cta->number;
	for (unsigned s = 0; s < HD_RACE_SCOPES; s++) {
		if (!e->loads)
			forget(r, &flag->clock[s]);
		learn(r, &flag->clock[s], released(r, e, &t->release[s]));
	}
}

/* False: there is no memory left for another flag. */
static bool strong_access(hd_races *r, const hd_order_event *e)
{
	hd_race_thread *t = thread_of(r->cta, e->warp, e->lane);
	hd_san_table *flags = hd_window(e->address) == HD_SPACE_SHARED ? &r->cta->flags : &r->flags;
	hd_race_flag *flag = hd_san_table_find(flags, e->address);
	if (flag && e->loads)
		acquire(r, t, flag);
	if (!e->stores || (!flag && !t->release[HD_RACE_CTA].time))
		return true;
	if (!flag) {
		if (hd_races_bytes(r) > limit(r))
			return false;
		flag = *hd_san_table_at(flags, e->address) = hd_xcalloc(1, sizeof *flag);
		flag->cta = r->cta->number;
		r->n_flags++;
	}
	release(r, e, t, flag);
	return true;
}

/* -- accesses ------------------------------------------------------------------------------------------------------------------------------ */

/* Bytes that the shadow may have in all. */
static uint64_t room_for(const hd_races *r, const hd_shadow *shadow)
{
	uint64_t others = hd_races_bytes(r) - shadow->bytes;
	return limit(r) > others ? limit(r) - others : 0;
}

static void watch(hd_races *r, const hd_order_event *e)
{
	hd_race_thread *t = thread_of(r->cta, e->warp, e->lane);
	bool shared = hd_window(e->address) == HD_SPACE_SHARED, part = e->bytes < 4;
	hd_shadow *shadow = shared ? &r->cta->shared : &r->global;
	hd_shadow_access now = {.when = r->time << 24 | e->pc, .cta = r->cta->number, .other = HD_SHADOW_NOBODY};
	now.thread = (uint16_t)(e->warp * HD_LANES + e->lane);
	now.kind = (uint8_t)((e->loads ? HD_SHADOW_LOADS : 0) | (e->stores ? HD_SHADOW_STORES : 0) | (e->strong ? HD_SHADOW_STRONG : 0));
	for (unsigned at = 0; at < e->bytes;) {
		hd_shadow_page *page = hd_shadow_page_at(shadow, e->address + at, part, 0);
		hd_shadow_race races[HD_SHADOW_SLOTS];
		if (!page)
			page = hd_shadow_page_at(shadow, e->address + at, part, room_for(r, shadow));
		if (!page) {
			r->found.unwatched++;
			return;
		}
		unsigned offset = (e->address + at) % HD_SHADOW_PAGE, step = page->bytes ? 1 : 4;
		unsigned n = hd_shadow_access_cell(&page->cells[offset / step], &now, t->knows, e->same && !r->options.uniform_writes, races);
		for (unsigned i = 0; i < n; i++)
			hd_races_report(r, e, &now, &races[i], e->address + at);
		at += step;
	}
}

static void access(hd_races *r, const hd_order_event *e)
{
	watch(r, e);
	/* Without room for the flag, whatever it orders would look like a race. */
	if (e->strong && !strong_access(r, e))
		r->stopped = true;
}

static void event(hd_order *order, const hd_order_event *e)
{
	hd_races *r = (hd_races *)order;
	if (r->stopped) {
		r->found.unwatched += e->kind == HD_ORDER_ACCESS;
		return;
	}
	switch (e->kind) {
	case HD_ORDER_RUN:
		begin_run(r);
		break;
	case HD_ORDER_GRID:
		begin_grid(r, e);
		break;
	case HD_ORDER_CTA:
		begin_cta(r, e);
		break;
	case HD_ORDER_END:
		end_cta(r);
		break;
	case HD_ORDER_ACCESS:
		access(r, e);
		break;
	case HD_ORDER_FENCE:
		if (e->scope == HD_SCOPE_WARP)
			sync_warp(r, e);
		else
			fence(r, e);
		break;
	case HD_ORDER_ARRIVE:
		arrive(r, e);
		break;
	case HD_ORDER_OPEN:
		open_barrier(r, e);
		break;
	case HD_ORDER_MEMBERS:
		hd_races_check_members(r, e);
		break;
	case HD_ORDER_SHUFFLE:
		hd_races_check_shuffle(r, e);
		break;
	case HD_ORDER_EVENTS:
		hd_races_check_events(r, e);
		break;
	case HD_ORDER_LAUNCH:
		launch(r, e);
		break;
	case HD_ORDER_JOIN:
		begin_join(r);
		break;
	case HD_ORDER_JOINED:
		end_join(r, e->warps);
		break;
	}
}

/* -- making one ------------------------------------------------------------------------------------------------------------------------------ */

hd_races *hd_races_new(const hd_program *program, const hd_memory *memory, const hd_races_options *options)
{
	hd_races *r = hd_xcalloc(1, sizeof *r);
	r->order.event = event;
	r->program = program;
	r->memory = memory;
	r->options = *options;
	return r;
}

void hd_races_free(hd_races *r)
{
	if (!r)
		return;
	while (r->cta)
		drop_cta(r);
	forget_roots(r);
	forget_children(r);
	hd_clocks_end(&r->clocks);
	drop_flags(r, &r->flags);
	hd_shadow_free(&r->global);
	for (size_t i = 0; i < r->found.list.n; i++)
		free(r->found.list.at[i].place);
	hd_vec_free(&r->found.list);
	hd_vec_free(&r->found.faults);
	hd_vec_free(&r->roots);
	hd_vec_free(&r->rows);
	free(r);
}

hd_order *hd_races_observer(hd_races *r) { return &r->order; }

const hd_races_found *hd_races_found_of(hd_races *r)
{
	r->found.widened = r->clocks.widened;
	return &r->found;
}
