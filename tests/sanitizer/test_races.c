/* The parts of the race detector (MT-5): clocks, the accesses that memory remembers, and what events order. Whole kernels: tests/cli/races.py. */
#include "sanitizer/races_state.h"
#include "../test.h"

/* -- clocks ----------------------------------------------------------------------------------------------------------------------------------- */

static bool knows(const hd_clock *c, uint64_t time) { return hd_clock_knows(c, time, 7, 3, 5); }

TEST(spans_join_where_they_touch)
{
	hd_clocks clocks = {0};
	hd_clock *a = hd_clock_with_span(&clocks, NULL, 10, 20), *b = hd_clock_with_span(&clocks, NULL, 30, 40), *both = hd_clock_join(&clocks, a, b);
	hd_clock *all = hd_clock_with_span(&clocks, both, 20, 30);
	assert_true(knows(both, 10) && knows(both, 19) && knows(both, 30) && knows(both, 39));
	assert_false(knows(both, 9) || knows(both, 20) || knows(both, 29) || knows(both, 40) || knows(NULL, 10));
	assert_int_equal(both->n_spans, 2);
	assert_int_equal(all->n_spans, 1);
	assert_true(knows(all, 25) && !knows(all, 40));
	hd_clock *same = hd_clock_join(&clocks, all, both), *turned = hd_clock_join(&clocks, both, all);
	assert_ptr_equal(same, all);
	assert_ptr_equal(turned, all);
	hd_clock *const used[] = {a, b, both, all, same, turned};
	for (size_t i = 0; i < HD_COUNT(used); i++)
		hd_clock_drop(&clocks, used[i]);
	hd_clocks_end(&clocks);
	assert_int_equal(clocks.bytes, 0);
}

TEST(parts_are_of_lanes)
{
	hd_clocks clocks = {0};
	hd_clock_part part = {.from = 10, .to = 20, .cta = 7, .warp = 3, .lanes = 0xf0},
	              later = {.from = 10, .to = 25, .cta = 7, .warp = 3, .lanes = 0x20};
	hd_clock *a = hd_clock_with_part(&clocks, NULL, part), *b = hd_clock_with_part(&clocks, NULL, later), *c = hd_clock_join(&clocks, a, b);
	assert_true(knows(a, 19) && hd_clock_knows(a, 0, 7, 3, 7));
	assert_false(knows(a, 20) || hd_clock_knows(a, 12, 7, 3, 8) || hd_clock_knows(a, 12, 7, 2, 5) || hd_clock_knows(a, 12, 6, 3, 5));
	assert_true(knows(c, 24) && hd_clock_knows(c, 19, 7, 3, 4) && !hd_clock_knows(c, 20, 7, 3, 4) && !knows(c, 25));
	assert_int_equal(c->n_parts, 2);
	hd_clock *d = hd_clock_with_span(&clocks, c, 10, 25); /* has all of both */
	assert_int_equal(d->n_parts, 0);
	hd_clock *e = hd_clock_with_span(&clocks, c, 10, 24);
	assert_int_equal(e->n_parts, 1);
	hd_clock *const used[] = {a, b, c, d, e};
	for (size_t i = 0; i < HD_COUNT(used); i++)
		hd_clock_drop(&clocks, used[i]);
	hd_clocks_end(&clocks);
	assert_int_equal(clocks.bytes, 0);
}

/* A clock that is too long knows more than it should, never less. */
TEST(clocks_are_bounded)
{
	hd_clocks clocks = {0};
	hd_clock *spans = NULL, *parts = NULL;
	for (uint32_t i = 0; i < HD_CLOCK_MOST + 10; i++) {
		hd_clock_part part = {.from = 3 * i, .to = 3 * i + 1, .cta = i, .warp = 0, .lanes = 1};
		hd_clock_set(&clocks, &spans, hd_clock_with_span(&clocks, spans, 3 * i, 3 * i + 1));
		hd_clock_set(&clocks, &parts, hd_clock_with_part(&clocks, parts, part));
		assert_true(spans->n_spans <= HD_CLOCK_MOST && parts->n_parts <= HD_CLOCK_MOST);
	}
	assert_int_equal(clocks.widened, 2);
	for (uint32_t i = 0; i < HD_CLOCK_MOST + 10; i++)
		assert_true(hd_clock_knows(spans, 3 * i, 0, 0, 0) && hd_clock_knows(parts, 3 * i, i, 0, 0));
	assert_false(hd_clock_knows(spans, 3 * HD_CLOCK_MOST - 1, 0, 0, 0) || hd_clock_knows(parts, 3 * HD_CLOCK_MOST, 0, 0, 0));
	hd_clock_drop(&clocks, spans);
	hd_clock_drop(&clocks, parts);
	hd_clocks_end(&clocks);
	assert_int_equal(clocks.bytes, 0);
}

/* -- cells ------------------------------------------------------------------------------------------------------------------------------------ */

enum { R = HD_SHADOW_LOADS, W = HD_SHADOW_STORES, SR = R | HD_SHADOW_STRONG, SW = W | HD_SHADOW_STRONG, ATOM = R | SW };

static unsigned put(hd_shadow_cell *cell, uint64_t time, unsigned cta, unsigned warp, unsigned lane, unsigned kind, const hd_clock *clock,
                    bool uniform)
{
	hd_shadow_race races[HD_SHADOW_SLOTS];
	hd_shadow_access now = {
	    .when = time << 24 | 9, .cta = cta, .thread = (uint16_t)(warp << 5 | lane), .other = HD_SHADOW_NOBODY, .kind = (uint8_t)kind};
	return hd_shadow_access_cell(cell, &now, clock, uniform, races);
}

/* Two accesses by two threads that know nothing of each other. */
static unsigned pair(unsigned first, unsigned second, bool uniform)
{
	hd_shadow_cell cell = {0};
	put(&cell, 5, 0, 0, 0, first, NULL, false);
	return put(&cell, 5, 0, 0, 1, second, NULL, uniform);
}

TEST(which_kinds_race)
{
	const unsigned kinds[] = {R, W, SR, SW, ATOM};
	static const char *const rows[] = {".x.xx", "xxxxx", ".x...", "xx...", "xx..."};
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 5; k++) {
			bool expected = rows[i][k] == 'x';
			assert_int_equal(pair(kinds[i], kinds[k], false), expected);
		}
	assert_int_equal(pair(W, W, true), 0);
	assert_int_equal(pair(R, W, true), 1);
	assert_int_equal(pair(ATOM, W, true), 1);
	assert_int_equal(pair(SW, W, true), 0);
}

/* An access that an ordered one makes superfluous goes; any other stays. */
TEST(ordered_accesses_replace)
{
	hd_clocks clocks = {0};
	hd_clock *all = hd_clock_with_span(&clocks, NULL, 0, 6);
	struct {
		unsigned first, second, third;
		unsigned races;
	} rows[] = {{W, W, R, 1},       {W, R, R, 1},     {W, R, W, 2},   {R, R, W, 1},   {R, W, R, 1},     {R, W, W, 1},
	            {ATOM, ATOM, W, 1}, {R, ATOM, SW, 1}, {SR, R, SW, 1}, {R, SR, SW, 1}, {W, ATOM, SR, 1}, {ATOM, W, ATOM, 1}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_shadow_cell cell = {0};
		put(&cell, 5, 0, 0, 0, rows[i].first, NULL, false);
		assert_int_equal(put(&cell, 6, 0, 1, 0, rows[i].second, all, false), 0);
		assert_int_equal(put(&cell, 6, 0, 2, 0, rows[i].third, NULL, false), rows[i].races);
	}
	hd_clock_drop(&clocks, all);
	hd_clocks_end(&clocks);
}

TEST(lanes_of_an_instruction_share_a_place)
{
	hd_shadow_cell cell = {0};
	for (unsigned lane = 0; lane < 32; lane++)
		put(&cell, 5, 0, 0, lane, R, NULL, false);
	assert_int_equal(cell.slot[3].kind + cell.slot[2].kind + cell.slot[1].kind + cell.slot[0].kind, R);
	assert_int_equal(put(&cell, 5, 0, 0, 0, W, NULL, false), 1); /* lane 0 is one of them, and not alone */
}

/* Of many readers, some of two CTAs stay: a store by any thread races with one of them. */
TEST(readers_of_two_ctas_stay)
{
	for (unsigned writer = 0; writer < 8; writer++) {
		hd_shadow_cell cell = {0};
		for (unsigned cta = 0; cta < 4; cta++)
			for (unsigned warp = 0; warp < 8; warp++)
				put(&cell, 5 + cta, cta, warp, 0, R, NULL, false);
		hd_shadow_cell copy = cell;
		assert_true(put(&copy, 8, 3, writer, 0, W, NULL, false) >= 1);
		/* It may know all that its own CTA did: behind a barrier. */
		hd_clocks clocks = {0};
		hd_clock *own = hd_clock_with_span(&clocks, NULL, 8, 9);
		assert_true(put(&cell, 9, 3, writer, 0, W, own, false) >= 1);
		hd_clock_drop(&clocks, own);
		hd_clocks_end(&clocks);
	}
	/* And a store stays beside any number of readers that follow it. */
	hd_clocks clocks = {0};
	hd_clock *all = hd_clock_with_span(&clocks, NULL, 0, 6);
	hd_shadow_cell cell = {0};
	put(&cell, 5, 0, 0, 0, W, NULL, false);
	for (unsigned warp = 1; warp < 32; warp++)
		put(&cell, 6, 0, warp, 0, R, all, false);
	assert_int_equal(put(&cell, 6, 1, 0, 0, R, NULL, false), 1);
	hd_clock_drop(&clocks, all);
	hd_clocks_end(&clocks);
}

TEST(pages_split_into_bytes)
{
	hd_shadow shadow = {0};
	hd_shadow_page *page = hd_shadow_page_at(&shadow, 1024, false, UINT64_MAX);
	assert_false(page->bytes);
	put(&page->cells[1], 5, 0, 0, 0, W, NULL, false);
	assert_null(hd_shadow_page_at(&shadow, 1028, true, 0)); /* no room */
	assert_ptr_equal(hd_shadow_page_at(&shadow, 1028, false, 0), page);
	uint64_t before = shadow.bytes;
	assert_ptr_equal(hd_shadow_page_at(&shadow, 1028, true, UINT64_MAX), page);
	assert_true(page->bytes && shadow.bytes > before);
	for (unsigned i = 0; i < HD_SHADOW_PAGE; i++)
		assert_int_equal(page->cells[i].slot[3].kind, i / 4 == 1 ? W : 0);
	assert_ptr_equal(hd_shadow_page_at(&shadow, 1024 + HD_SHADOW_PAGE - 1, true, 0), page);
	assert_null(hd_shadow_page_at(&shadow, 1024 + HD_SHADOW_PAGE, true, 0));
	hd_shadow_free(&shadow);
}

/* -- the table -------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_table_finds_what_was_put_in)
{
	hd_san_table table = {0};
	static char values[1000];
	assert_null(hd_san_table_find(&table, 3));
	for (uint64_t i = 0; i < HD_COUNT(values); i++)
		*hd_san_table_at(&table, i << 9) = &values[i];
	for (uint64_t i = 0; i < HD_COUNT(values); i++)
		assert_ptr_equal(hd_san_table_find(&table, i << 9), &values[i]);
	assert_null(hd_san_table_find(&table, 5));
	assert_int_equal(table.n, HD_COUNT(values));
	hd_san_table_free(&table);
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */

static void send(hd_races *r, hd_order_event e) { hd_races_observer(r)->event(hd_races_observer(r), &e); }

/* In each run a grid launches a child, which has the same handle. What the child of one run waits for says nothing about that of the next. */
TEST(handles_begin_anew_in_each_run)
{
	static const hd_order_begin begins[] = {HD_ORDER_WAITS, HD_ORDER_NOW, HD_ORDER_TAIL, HD_ORDER_NOW};
	static const uint64_t total[] = {0, 1, 1, 2};
	const hd_order_event store = {.kind = HD_ORDER_ACCESS, .mask = 1, .address = 0x1000000000, .bytes = 4, .stores = true};
	hd_object object = {0};
	hd_program program = {.object = &object};
	hd_kernel kernel = {0};
	hd_launch launch = {.program = &program, .kernel = &kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	hd_memory *memory = hd_memory_new(1 << 16);
	hd_races *r = hd_races_new(&program, memory, &(hd_races_options){0});
	for (unsigned i = 0; i < HD_COUNT(begins); i++) {
		send(r, (hd_order_event){.kind = HD_ORDER_RUN});
		send(r, (hd_order_event){.kind = HD_ORDER_GRID});
		send(r, (hd_order_event){.kind = HD_ORDER_CTA, .launch = &launch});
		send(r, (hd_order_event){.kind = HD_ORDER_LAUNCH, .mask = 1, .grid = 1, .begin = begins[i]});
		send(r, store);
		send(r, (hd_order_event){.kind = HD_ORDER_END});
		send(r, (hd_order_event){.kind = HD_ORDER_GRID, .grid = 1});
		send(r, (hd_order_event){.kind = HD_ORDER_CTA, .grid = 1, .launch = &launch});
		send(r, store);
		send(r, (hd_order_event){.kind = HD_ORDER_END});
		assert_int_equal(hd_races_found_of(r)->total, total[i]);
	}
	hd_races_free(r);
	hd_memory_free(memory);
}

/* A detector and launches of two warps, fed by hand. */
typedef struct rig {
	hd_object object;
	hd_program program;
	hd_kernel kernel;
	hd_launch launch;
	hd_memory *memory;
	hd_races *r;
} rig;

enum { X = 0, F = 64 };

static void begin_run(rig *g)
{
	g->program.object = &g->object;
	g->launch = (hd_launch){.program = &g->program, .kernel = &g->kernel, .grid = {2, 1, 1}, .block = {64, 1, 1}};
	g->memory = hd_memory_new(1 << 16);
	g->r = hd_races_new(&g->program, g->memory, &(hd_races_options){0});
	send(g->r, (hd_order_event){.kind = HD_ORDER_RUN});
}

static uint64_t end_run(rig *g)
{
	uint64_t total = hd_races_found_of(g->r)->total;
	hd_races_free(g->r);
	hd_memory_free(g->memory);
	return total;
}

static void begin_cta(rig *g, uint32_t grid, uint32_t x)
{
	send(g->r, (hd_order_event){.kind = HD_ORDER_CTA, .grid = grid, .cta = {x}, .launch = &g->launch});
}

static void end_cta(rig *g) { send(g->r, (hd_order_event){.kind = HD_ORDER_END}); }

static void access_by(rig *g, uint32_t warp, uint32_t lane, unsigned kind, unsigned place, uint8_t bytes)
{
	send(g->r, (hd_order_event){.kind = HD_ORDER_ACCESS,
	                            .warp = warp,
	                            .lane = lane,
	                            .mask = 1u << lane,
	                            .address = 0x1000000000 + place,
	                            .bytes = bytes,
	                            .loads = kind & HD_SHADOW_LOADS,
	                            .stores = kind & HD_SHADOW_STORES,
	                            .strong = kind & HD_SHADOW_STRONG});
}

static void fence_by(rig *g, uint32_t lane, uint8_t scope)
{
	send(g->r, (hd_order_event){.kind = HD_ORDER_FENCE, .mask = 1u << lane, .scope = scope});
}

/* Lane 0 of the CTA that runs launches grid 1, and its warp waits for that. */
static void launch_and_join(rig *g)
{
	send(g->r, (hd_order_event){.kind = HD_ORDER_LAUNCH, .mask = 1, .grid = 1});
	send(g->r, (hd_order_event){.kind = HD_ORDER_JOIN});
	send(g->r, (hd_order_event){.kind = HD_ORDER_GRID, .grid = 1});
	begin_cta(g, 1, 0);
	end_cta(g);
	send(g->r, (hd_order_event){.kind = HD_ORDER_JOINED, .warps = 1});
}

/* A barrier behind a join orders what the CTA did in front of the join, for warps that did not wait for children, too. */
TEST(a_barrier_knows_what_was_before_a_join)
{
	rig g = {0};
	begin_run(&g);
	send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
	begin_cta(&g, 0, 0);
	access_by(&g, 0, 3, W, X, 4);
	launch_and_join(&g);
	for (uint32_t warp = 0; warp < 2; warp++)
		send(g.r, (hd_order_event){.kind = HD_ORDER_ARRIVE, .warp = warp, .mask = ~0u, .alive = ~0u, .waits = true, .whole = true});
	send(g.r, (hd_order_event){.kind = HD_ORDER_OPEN, .warps = 3, .whole = true});
	access_by(&g, 1, 3, W, X, 4);
	end_cta(&g);
	assert_int_equal(end_run(&g), 0);
}

/* A grid of a list comes after all that a parent did in the grid that it waits for: in front of the join, too. */
TEST(a_list_knows_what_was_before_a_join)
{
	const uint32_t after[] = {0};
	for (unsigned waits = 0; waits < 2; waits++) {
		rig g = {0};
		begin_run(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
		begin_cta(&g, 0, 0);
		access_by(&g, 0, 3, W, X, 4);
		launch_and_join(&g);
		end_cta(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID, .grid = 2, .root = 1, .after = after, .n_after = waits});
		send(g.r, (hd_order_event){.kind = HD_ORDER_CTA, .grid = 2, .root = 1, .launch = &g.launch});
		access_by(&g, 1, 3, W, X, 4);
		end_cta(&g);
		assert_int_equal(end_run(&g), !waits);
	}
}

TEST(parts_of_a_word_are_apart)
{
	for (uint8_t bytes = 1; bytes <= 2; bytes++) {
		rig g = {0};
		begin_run(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
		begin_cta(&g, 0, 0);
		access_by(&g, 0, 0, W, X, bytes);
		access_by(&g, 0, 1, W, X + bytes, bytes);
		assert_int_equal(hd_races_found_of(g.r)->total, 0);
		access_by(&g, 0, 2, W, X + bytes, bytes);
		end_cta(&g);
		assert_int_equal(end_run(&g), bytes);
	}
}

/* Lane 0 releases its store to a flag. Lane 1 may store, too, if it has read the flag, not if it has written over it. */
TEST(stores_acquire_nothing)
{
	static const unsigned kinds[] = {SR, SW, ATOM};
	for (unsigned i = 0; i < HD_COUNT(kinds); i++) {
		rig g = {0};
		begin_run(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
		begin_cta(&g, 0, 0);
		access_by(&g, 0, 0, W, X, 4);
		fence_by(&g, 0, HD_SCOPE_DEVICE);
		access_by(&g, 0, 0, SW, F, 4);
		access_by(&g, 0, 1, kinds[i], F, 4);
		fence_by(&g, 1, HD_SCOPE_DEVICE);
		access_by(&g, 0, 1, W, X, 4);
		end_cta(&g);
		assert_int_equal(end_run(&g), kinds[i] == SW);
	}
}

/* The release of the first CTA to itself is no longer there when the second one has released something to the same flag. */
TEST(a_flag_of_another_cta)
{
	static const uint8_t scopes[] = {HD_SCOPE_CTA, HD_SCOPE_DEVICE};
	for (unsigned i = 0; i < HD_COUNT(scopes); i++) {
		rig g = {0};
		begin_run(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
		begin_cta(&g, 0, 0);
		access_by(&g, 0, 0, W, X, 4);
		fence_by(&g, 0, scopes[i]);
		access_by(&g, 0, 0, ATOM, F, 4);
		end_cta(&g);
		begin_cta(&g, 0, 1);
		fence_by(&g, 0, HD_SCOPE_CTA);
		access_by(&g, 0, 0, ATOM, F, 4);
		access_by(&g, 0, 1, ATOM, F, 4);
		fence_by(&g, 1, scopes[i]);
		access_by(&g, 0, 1, W, X, 4);
		end_cta(&g);
		assert_int_equal(end_run(&g), scopes[i] == HD_SCOPE_CTA);
	}
}

/* Accesses between two fences belong to the second release. */
TEST(a_second_fence_releases_more)
{
	for (unsigned again = 0; again < 2; again++) {
		rig g = {0};
		begin_run(&g);
		send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
		begin_cta(&g, 0, 0);
		fence_by(&g, 0, HD_SCOPE_DEVICE);
		access_by(&g, 0, 0, SW, F, 4);
		access_by(&g, 0, 0, W, X, 4);
		if (again)
			fence_by(&g, 0, HD_SCOPE_DEVICE);
		access_by(&g, 0, 0, SW, F, 4);
		access_by(&g, 0, 1, SR, F, 4);
		fence_by(&g, 1, HD_SCOPE_DEVICE);
		access_by(&g, 0, 1, W, X, 4);
		end_cta(&g);
		assert_int_equal(end_run(&g), !again);
	}
}

/* The CTAs of a launch that is a part of a range have their numbers in the range. */
TEST(ctas_have_numbers_of_the_range)
{
	const hd_range range = {.first = {5, 3, 2}};
	rig g = {0};
	begin_run(&g);
	g.launch.range = &range;
	send(g.r, (hd_order_event){.kind = HD_ORDER_GRID});
	for (uint32_t x = 0; x < 2; x++) {
		begin_cta(&g, 0, x);
		access_by(&g, 0, 0, W, X, 4);
		end_cta(&g);
	}
	const hd_races_found *found = hd_races_found_of(g.r);
	assert_int_equal(found->list.n, 1);
	const hd_race *race = &found->list.at[0];
	assert_int_equal(race->first.cta[0], 5);
	assert_int_equal(race->second.cta[0], 6);
	assert_true(race->first.cta[1] == 3 && race->first.cta[2] == 2 && race->second.cta[1] == 3 && race->second.cta[2] == 2);
	end_run(&g);
}
