/* Records of instructions: what is put into tiles is what the page reads, in tiles of bounded size. */
#include "../test.h"

#include "explore_page.h"

#include "explore/tiles.h"

enum { WORDS = 4, ADD = 1, LOAD, NOP, COLUMNS = 21, LOST_COLUMNS = 7 };
enum {
	PLACE,
	NUMBER,
	PC,
	ISSUE,
	FLAGS,
	ENTER,
	ACCESS,
	END,
	LANES,
	EXECUTING,
	CAUSE,
	SINCE,
	UNTIL,
	COUNTERS,
	SPARED,
	SECTORS,
	HITS,
	DRAM,
	ARRIVAL,
	RELEASED,
	LINKS
};

typedef struct fixture {
	hd_machine machine;
	hd_object object;
	hd_slot slots[WORDS];
	hd_program program;
	hd_blocks blocks;
	hd_follow *follow;
	hd_tiles *tiles;
	hd_reason reason;
} fixture;

static fixture *begin(void)
{
	static const hd_op ops[] = {[ADD] = HD_OP_IADD, [LOAD] = HD_OP_LDG, [NOP] = HD_OP_NOP};
	fixture *x = hd_xcalloc(1, sizeof *x);
	hd_machine_default(&x->machine);
	x->machine.machine_schedulers = 2;
	x->machine.machine_warps = 4;
	for (unsigned i = ADD; i <= NOP; i++) {
		x->slots[i] = (hd_slot){.pipe = hd_ops[ops[i]].pipe};
		x->slots[i].inst = (hd_inst){.op = (uint8_t)ops[i], .guard = HD_PT};
	}
	x->program = (hd_program){.object = &x->object, .slots = x->slots, .n_slots = WORDS};
	x->blocks.out = tmpfile();
	x->follow = hd_follow_new(&x->machine, &x->program);
	x->tiles = hd_tiles_new(&x->blocks, x->follow, &x->program, x->machine.machine_schedulers);
	x->reason.cause = HD_NO_CAUSE;
	return x;
}

static explore_page end(fixture *x, uint64_t cycle)
{
	hd_tiles_end(x->tiles, cycle);
	hd_follow_free(x->follow);
	return explore_read(x->blocks.out);
}

static void release(fixture *x, explore_page *page)
{
	explore_release(page);
	hd_blocks_free(&x->blocks);
	free(x);
}

/* Tells of scheduler 1, slot `slot`. */
static void tell(fixture *x, unsigned slot, hd_trace_event e, bool detailed)
{
	e.scheduler = 1;
	e.slot = (uint8_t)slot;
	hd_tiles_event(x->tiles, &e, &x->reason, detailed);
}

typedef struct tile {
	uint64_t n, n_lost, *at[COLUMNS], *lost[LOST_COLUMNS];
	size_t bytes, read;
} tile;

static uint64_t *column(const char *bytes, size_t *at, uint64_t n, bool changes)
{
	uint64_t *to = hd_xcalloc(n + 1, sizeof *to);
	for (uint64_t i = 0; i < n; i++)
		to[i] = changes ? explore_change(bytes, at, i ? to[i - 1] : 0) : explore_number(bytes, at);
	return to;
}

static tile read_tile(const explore_bytes *block)
{
	tile t = {.bytes = block->n};
	t.n = explore_number(block->bytes, &t.read);
	t.n_lost = explore_number(block->bytes, &t.read);
	for (unsigned c = 0; c < COLUMNS; c++)
		t.at[c] = column(block->bytes, &t.read, t.n, c <= ISSUE || c == LANES);
	return t;
}

static void read_lost(tile *t, const explore_bytes *block)
{
	for (unsigned c = 0; c < LOST_COLUMNS; c++)
		t->lost[c] = column(block->bytes, &t->read, t->n_lost, c == 0 || c == 3 || c == 6);
	assert_int_equal(t->read, t->bytes);
}

static void forget(tile *t)
{
	for (unsigned c = 0; c < COLUMNS; c++)
		free(t->at[c]);
	for (unsigned c = 0; c < LOST_COLUMNS; c++)
		free(t->lost[c]);
}

static void expect(const tile *t, uint64_t i, const uint64_t values[COLUMNS])
{
	for (unsigned c = 0; c < COLUMNS; c++)
		assert_int_equal(t->at[c][i], values[c]);
}

TEST(a_record_has_what_happened)
{
	fixture *x = begin();
	x->reason = (hd_reason){.cause = HD_STALL_HIGH_LATENCY, .since = 4, .until = 8, .counters = 9, .n_links = 2};
	x->reason.links[0] = (hd_link){HD_LINK_ISSUE, 5, 6, 70};
	x->reason.links[1] = (hd_link){HD_LINK_BARRIER, 1, 4, 90};
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 10, .pc = LOAD, .number = 80, .mask = 0xff, .slots = 1}, true);
	x->reason = (hd_reason){.cause = HD_NO_CAUSE};
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 11, .pc = ADD, .number = 81, .mask = 1, .slots = 0}, true);
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 12, .pc = NOP, .number = 82, .mask = 3, .slots = 1}, true);
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 12, .pc = ADD, .number = 83, .mask = 3, .slots = 1}, false);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_ENTER, .cycle = 13, .number = 80, .mask = 0x0f}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_SKIP, .cycle = 13, .number = 80, .words = 2}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_REPLAY, .cycle = 14, .number = 80}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_ACCESS, .cycle = 15, .number = 80, .sectors = 8, .hits = 3, .dram = 1, .arrival = 25}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_MEMORY, .cycle = 15, .number = 80}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_ACCESS, .cycle = 17, .number = 80, .sectors = 3, .hits = 1, .dram = 2, .arrival = 20}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_MEMORY, .cycle = 17, .number = 80}, true);
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_DROP, .cycle = 18, .number = 81, .squashed = true}, true);
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 18, .number = 83}, true);
	tell(x, 2, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 40, .number = 80}, false);
	tell(x, 3, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 30, .pc = ADD, .number = 84, .slots = 1}, true);
	assert_int_equal(hd_tiles_count(x->tiles), 3);
	explore_page page = end(x, 50);
	tile t = read_tile(&page.blocks.at[0]);
	assert_int_equal(t.n, 4);
	/* By slot, then in the order of issue. Slot 1 of scheduler 1 is place 5. */
	expect(&t, 0, (uint64_t[]){5, 81, ADD, 11, HD_TILE_SQUASHED | HD_TILE_BESIDE, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
	expect(&t, 1, (uint64_t[]){5, 82, NOP, 12, HD_TILE_NO_PIPE, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
	expect(&t, 2, (uint64_t[]){6,
	                           80,
	                           LOAD,
	                           10,
	                           HD_TILE_ENTERED | HD_TILE_ACCESSED | HD_TILE_REPLAYED,
	                           3,
	                           2,
	                           30,
	                           0xff,
	                           0xf0,
	                           HD_STALL_HIGH_LATENCY + 1,
	                           6,
	                           2,
	                           9,
	                           2,
	                           11,
	                           4,
	                           3,
	                           12,
	                           0,
	                           2});
	expect(&t, 3, (uint64_t[]){7, 84, ADD, 30, HD_TILE_UNFINISHED, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
	const char *bytes = page.blocks.at[0].bytes;
	assert_int_equal(explore_number(bytes, &t.read), HD_LINK_ISSUE | 5 << 3);
	assert_int_equal(explore_change(bytes, &t.read, 6), 6);
	assert_int_equal(explore_change(bytes, &t.read, 0), 10);
	assert_int_equal(explore_number(bytes, &t.read), HD_LINK_BARRIER | 1 << 3);
	assert_int_equal(explore_change(bytes, &t.read, 6), 4);
	assert_int_equal((int64_t)explore_change(bytes, &t.read, 0), -10);
	read_lost(&t, &page.blocks.at[0]);
	assert_int_equal(x->blocks.rows.at[0].first, 4);
	assert_int_equal(x->blocks.rows.at[0].last, 50);
	forget(&t);
	release(x, &page);
}

static void count(fixture *x, unsigned slot, unsigned counter, unsigned value, uint64_t cycle)
{
	tell(x, slot, (hd_trace_event){.kind = HD_TRACE_COUNTER, .cycle = cycle, .counter = (uint8_t)counter, .value = (uint16_t)value}, true);
}

static void raise_it(fixture *x, unsigned slot, uint32_t pc, uint32_t number, uint64_t cycle, unsigned value)
{
	tell(x, slot, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = cycle, .pc = pc, .number = number, .slots = 1}, true);
	count(x, slot, x->slots[pc].inst.primary, value, cycle);
	tell(x, slot, (hd_trace_event){.kind = HD_TRACE_ENTER, .cycle = cycle + 3, .number = number}, true);
}

/* Who lets others go, and when: a counter at zero, perhaps a cycle before the write, tells it of all that raised it. Where others keep it up, an
 * instruction lowers its part by its write or its read. */
TEST(an_instruction_is_released_with_its_counter)
{
	fixture *x = begin();
	x->slots[LOAD].inst.primary = 2;
	x->slots[ADD].inst.primary = 3;
	x->slots[ADD].inst.release = 1;
	raise_it(x, 0, LOAD, 1, 10, 8);
	raise_it(x, 0, LOAD, 2, 11, 16);
	raise_it(x, 0, LOAD, 3, 12, 24);
	raise_it(x, 0, ADD, 4, 13, 8);
	raise_it(x, 1, LOAD, 5, 14, 8);
	count(x, 0, 5, 0, 15);
	count(x, 0, 2, 16, 20);
	tell(x, 0, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 20, .number = 1}, true);
	tell(x, 0, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 21, .number = 4}, true);
	count(x, 0, 2, 0, 30);
	tell(x, 0, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 31, .number = 3}, true);
	raise_it(x, 0, LOAD, 6, 32, 8);
	count(x, 0, 2, 0, 33);
	explore_page page = end(x, 40);
	tile t = read_tile(&page.blocks.at[0]);
	static const uint64_t expected[] = {10, 19, 18, 3, 1, 0};
	assert_int_equal(t.n, HD_COUNT(expected));
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		static const uint64_t numbers[] = {1, 2, 3, 4, 6, 5};
		assert_int_equal(t.at[NUMBER][i], numbers[i]);
		assert_int_equal(t.at[RELEASED][i], expected[i]);
	}
	read_lost(&t, &page.blocks.at[0]);
	forget(&t);
	release(x, &page);
}

static void lose(fixture *x, unsigned slot, hd_stall cause, uint32_t pc, uint64_t cycle, uint64_t cycles)
{
	tell(x, slot, (hd_trace_event){.kind = HD_TRACE_LOST, .cycle = cycle, .cycles = cycles, .slots = cycles, .cause = (uint8_t)cause, .pc = pc},
	     true);
}

TEST(lost_slots_are_stretches)
{
	fixture *x = begin();
	lose(x, 1, HD_STALL_DELAY, ADD, 10, 1);
	lose(x, 1, HD_STALL_DELAY, ADD, 11, 4);
	lose(x, 1, HD_STALL_DELAY, LOAD, 15, 1);
	lose(x, HD_TRACE_NO_WARP, HD_STALL_NO_WARP, ADD, 20, 1);
	lose(x, HD_TRACE_NO_WARP, HD_STALL_NO_WARP, LOAD, 21, 1);
	lose(x, HD_TRACE_NO_WARP, HD_STALL_NO_WARP, LOAD, 30, 1);
	explore_page page = end(x, 40);
	tile t = read_tile(&page.blocks.at[0]);
	read_lost(&t, &page.blocks.at[0]);
	static const uint64_t expected[][LOST_COLUMNS] = {
	    {1, 2, HD_STALL_DELAY, 10, 5, 5, ADD}, {1, 2, HD_STALL_DELAY, 15, 1, 1, LOAD}, {1, 0, 0, 20, 2, 2, 0}, {1, 0, 0, 30, 1, 1, 0}};
	assert_int_equal(t.n_lost, HD_COUNT(expected));
	for (unsigned i = 0; i < HD_COUNT(expected); i++)
		for (unsigned c = 0; c < LOST_COLUMNS; c++)
			assert_int_equal(t.lost[c][i], expected[i][c]);
	assert_int_equal(x->blocks.rows.at[0].first, 10);
	assert_int_equal(x->blocks.rows.at[0].last, 30);
	forget(&t);
	release(x, &page);
}

TEST(tiles_have_a_bound)
{
	enum { MANY = 2 * HD_TILE_RECORDS + 3 };
	fixture *x = begin();
	for (uint32_t i = 0; i < MANY; i++)
		tell(x, 0, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = i, .pc = NOP, .number = i + 1, .slots = 1}, true);
	explore_page page = end(x, MANY);
	uint64_t seen = 0;
	assert_int_equal(page.blocks.n, 3);
	for (size_t i = 0; i < page.blocks.n; i++) {
		tile t = read_tile(&page.blocks.at[i]);
		assert_true(t.n <= HD_TILE_RECORDS);
		for (uint64_t k = 0; k < t.n; k++)
			assert_int_equal(t.at[NUMBER][k], ++seen);
		read_lost(&t, &page.blocks.at[i]);
		forget(&t);
	}
	assert_int_equal(seen, MANY);
	release(x, &page);
}

/* Lost slots fill tiles, too, and those outside of the traced cycles are in none. */
TEST(lost_slots_have_a_bound)
{
	enum { MANY = HD_TILE_RECORDS + 2 };
	fixture *x = begin();
	for (uint32_t i = 0; i < MANY; i++)
		lose(x, 1, HD_STALL_DELAY, ADD, 2 * i, 1);
	tell(x, 1, (hd_trace_event){.kind = HD_TRACE_LOST, .cycle = 2 * MANY, .cycles = 1, .slots = 1, .cause = HD_STALL_FETCH}, false);
	explore_page page = end(x, 2 * MANY + 1);
	assert_int_equal(page.blocks.n, 2);
	assert_int_equal(x->blocks.rows.at[0].count, HD_TILE_RECORDS);
	assert_int_equal(x->blocks.rows.at[1].count, 2);
	release(x, &page);
}
