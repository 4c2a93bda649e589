/* The parts of the race detector (MT-5): clocks, the accesses that memory remembers, and what events order. Whole kernels: tests/cli/races.py. */
#include "sanitizer/races_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* -- clocks ----------------------------------------------------------------------------------------------------------------------------------- */

static bool knows(const hd_clock *c, uint64_t time) { return hd_clock_knows(c, time, 7, 3, 5); }

static void spans_join_where_they_touch(void **state)
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

static void parts_are_of_lanes(void **state)
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
static void clocks_are_bounded(void **state)
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

static void which_kinds_race(void **state)
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

/* What an ordered access makes superfluous goes; what it does not stays. */
static void ordered_accesses_replace(void **state)
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

static void lanes_of_an_instruction_share_a_place(void **state)
{
	hd_shadow_cell cell = {0};
	for (unsigned lane = 0; lane < 32; lane++)
		put(&cell, 5, 0, 0, lane, R, NULL, false);
	assert_int_equal(cell.slot[3].kind + cell.slot[2].kind + cell.slot[1].kind + cell.slot[0].kind, R);
	assert_int_equal(put(&cell, 5, 0, 0, 0, W, NULL, false), 1); /* lane 0 is one of them, and not alone */
}

/* Of many readers, some of two CTAs stay: a store by any thread races with one of them. */
static void readers_of_two_ctas_stay(void **state)
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

static void pages_split_into_bytes(void **state)
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

static void a_table_finds_what_was_put_in(void **state)
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
static void handles_begin_anew_in_each_run(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spans_join_where_they_touch),
	    cmocka_unit_test(parts_are_of_lanes),
	    cmocka_unit_test(clocks_are_bounded),
	    cmocka_unit_test(which_kinds_race),
	    cmocka_unit_test(ordered_accesses_replace),
	    cmocka_unit_test(lanes_of_an_instruction_share_a_place),
	    cmocka_unit_test(readers_of_two_ctas_stay),
	    cmocka_unit_test(pages_split_into_bytes),
	    cmocka_unit_test(a_table_finds_what_was_put_in),
	    cmocka_unit_test(handles_begin_anew_in_each_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
