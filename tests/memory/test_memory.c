/* Units of src/memory: tags, coalescing, bank conflicts, second level and DRAM, the load/store unit. Times below are worked out by hand
 * from the latencies that `small` sets. */
#include "../test.h"

#include "memory/cache.h"
#include "memory/coalesce.h"
#include "memory/constant.h"
#include "memory/crossbar.h"
#include "memory/l2.h"

static hd_machine small(void)
{
	hd_machine m;
	hd_machine_default(&m);
	m.memory_l1_bytes = 1024;
	m.memory_l1_ways = 2;
	m.memory_l1_latency = 10;
	m.memory_l1_misses = 2;
	m.memory_l2_bytes = 16384;
	m.memory_l2_ways = 4;
	m.memory_l2_latency = 100;
	m.memory_l2_sectors_per_cycle = 1;
	m.memory_dram_latency = 50;
	m.memory_dram_partitions = 2;
	m.memory_dram_cycles_per_sector = 4;
	m.memory_shared_latency = 20;
	m.memory_constant_latency = 7;
	return m;
}

typedef struct world {
	hd_machine m;
	hd_l2 *l2;
	hd_memory *memory;
	hd_constants *constants;
	hd_lsu *lsu;
	hd_stats stats;
	hd_trap trap;
	hd_access access;
	hd_access_result result;
	hd_access_op op;
	uint64_t buffer;
	uint8_t shared[4096];
	uint8_t local[HD_LANES * 64];
} world;

static world *world_of(hd_machine m)
{
	world *w = hd_xaligned(sizeof *w);
	w->m = m;
	w->l2 = hd_l2_new(&w->m);
	w->memory = hd_memory_new(1 << 20);
	w->constants = hd_constants_new(&w->m, w->l2, 2);
	w->lsu = hd_lsu_new(&w->m, w->l2, w->memory, w->constants, NULL);
	w->buffer = hd_memory_alloc(w->memory, 8192, "buffer");
	w->access =
	    (hd_access){.op = &w->op, .mask = ~0u, .shared = w->shared, .shared_bytes = sizeof w->shared, .local = w->local, .local_bytes = 64};
	return w;
}

static world *world_new(void) { return world_of(small()); }

static void world_free(world *w)
{
	hd_lsu_free(w->lsu);
	hd_constants_free(w->constants);
	hd_l2_free(w->l2);
	hd_memory_free(w->memory);
	free(w);
}

static void address_all(world *w, uint64_t base, uint64_t stride)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t address = base + lane * stride;
		w->access.address[0].v[lane] = (uint32_t)address;
		w->access.address[1].v[lane] = (uint32_t)(address >> 32);
	}
}

static bool go(world *w, hd_op op, unsigned sub, uint64_t now)
{
	w->op = hd_access_op_of(&(hd_inst){.op = (uint8_t)op, .guard = HD_PT, .sub = (uint8_t)sub});
	return hd_lsu_access(w->lsu, now, &w->access, &w->result, &w->stats, &w->trap);
}

static void constants_at(world *w, hd_bank *bank, const uint32_t *offset, unsigned n)
{
	w->access.bank = bank;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->access.address[0].v[lane] = offset[lane % n];
}

/* Constant cache (PD-21): one address is one access however many lanes want it, different ones go one after the other, each to its line. */
TEST(the_constant_cache_serves_one_address_a_cycle)
{
	hd_machine m = small();
	m.memory_constant_bytes = 256;
	m.memory_constant_ways = 2;
	m.memory_constant_line = 64; /* two sets of two */
	world *w = world_of(m);
	hd_bank *bank = hd_xaligned(sizeof *bank);
	bank->bytes = 1024;
	constants_at(w, bank, (uint32_t[]){8}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 1000));
	/* Two sectors one after the other: 50 there, 1 for the second, 50 of DRAM, 4 of its channel, 50 back; then 7. */
	uint64_t cold = w->result.done;
	assert_in_range(cold, 1000 + 150 + 7, 1000 + 160 + 7);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 1001);
	assert_int_equal(w->stats.memory_constant_misses, 1);
	assert_int_equal(w->stats.memory_constant_passes, 1);
	/* Everything there: the hit latency. */
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 2000));
	assert_int_equal(w->result.done, 2007);
	assert_int_equal(w->stats.memory_constant_hits, 1);
	/* Four addresses of one line: four passes, and the stage is busy for as long. */
	constants_at(w, bank, (uint32_t[]){0, 4, 8, 60}, 4);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 3000));
	assert_int_equal(w->result.done, 3003 + 7);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 3004);
	assert_int_equal(w->stats.memory_constant_passes, 1 + 1 + 4);
	assert_int_equal(w->stats.memory_constant_misses, 1);
	/* The set of line 0 holds lines 0 and 2; line 4 drives out the one that was used longest ago. */
	constants_at(w, bank, (uint32_t[]){128}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 4000));
	constants_at(w, bank, (uint32_t[]){256}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 5000));
	assert_int_equal(w->stats.memory_constant_misses, 3);
	constants_at(w, bank, (uint32_t[]){128}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 6000));
	assert_int_equal(w->result.done, 6007);
	constants_at(w, bank, (uint32_t[]){0}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 7000));
	assert_int_equal(w->stats.memory_constant_misses, 4);
	/* Two loads of one line under way wait for the same fill. */
	constants_at(w, bank, (uint32_t[]){512}, 1);
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 8000));
	uint64_t first = w->result.done;
	assert_true(go(w, HD_OP_LDC, HD_SIZE_32, 8001));
	assert_int_equal(w->result.done, first);
	assert_int_equal(w->stats.memory_constant_misses, 5);
	free(bank);
	world_free(w);
}

/* A line that a reader waits for stays in the miss buffer, for the reader alone, until its instruction takes it (PD-21). */
TEST(a_fill_serves_its_reader_until_it_is_taken)
{
	hd_machine m = small();
	m.memory_constant_bytes = m.memory_constant_line = 32;
	m.memory_constant_ways = 1;
	world *w = world_of(m);
	uint64_t there = hd_constants_operand(w->constants, 0, 10, 0, &w->stats);
	assert_true(there > 10);
	assert_int_equal(hd_constants_operand(w->constants, 0, 11, 4, &w->stats), there); /* the same line */
	uint64_t other = hd_constants_operand(w->constants, 1, 12, 32, &w->stats);        /* drives it out */
	assert_int_equal(hd_constants_operand(w->constants, 0, 13, 0, &w->stats), there);
	assert_int_equal(hd_constants_operand(w->constants, 0, there, 0, &w->stats), there);
	assert_int_equal(w->stats.memory_constant_misses, 2);
	assert_int_equal(w->stats.memory_constant_hits, 1);
	assert_int_equal(hd_constants_operand(w->constants, 0, other, 32, &w->stats), other); /* of the cache, in the first cycle */
	assert_int_equal(w->stats.memory_constant_hits, 2);
	assert_true(hd_constants_operand(w->constants, 1, other + 2, 0, &w->stats) > other + 2); /* the entry is not reader 1's */
	assert_int_equal(w->stats.memory_constant_misses, 3);
	uint64_t now = other + 1000;
	assert_int_equal(hd_constants_operand(w->constants, 1, now, 64, &w->stats) > now, 1); /* the cache has neither now */
	assert_int_equal(hd_constants_operand(w->constants, 0, now + 1, 0, &w->stats), now + 1);
	hd_constants_take(w->constants, 0, 0);
	assert_true(hd_constants_operand(w->constants, 0, now + 2, 0, &w->stats) > now + 2);
	assert_int_equal(w->stats.memory_constant_misses, 5);
	hd_constants_forget(w->constants, 0);
	assert_true(hd_constants_operand(w->constants, 1, now + 1000, 96, &w->stats) > now + 1000);
	assert_true(hd_constants_operand(w->constants, 0, now + 1001, 0, &w->stats) > now + 1001); /* another warp's line */
	assert_int_equal(w->stats.memory_constant_misses, 7);
	world_free(w);
}

/* A reader that waits for more lines than it has entries for overwrites the oldest ones, in turn. */
TEST(a_full_miss_buffer_is_overwritten_in_turn)
{
	hd_machine m = small();
	m.memory_constant_bytes = m.memory_constant_line = 32;
	m.memory_constant_ways = 1;
	world *w = world_of(m);
	unsigned depth = m.multi_issue_window + HD_PIPE_COUNT;
	for (unsigned i = 0; i < depth + 2; i++)
		assert_true(hd_constants_operand(w->constants, 0, 1, 32 * i, &w->stats) > 1);
	uint64_t now = 100000;
	assert_true(hd_constants_operand(w->constants, 1, now, 32 * 1000, &w->stats) > now);
	for (unsigned i = 2; i < depth + 2; i++)
		assert_int_equal(hd_constants_operand(w->constants, 0, now + 1, 32 * i, &w->stats), now + 1);
	assert_int_equal(w->stats.memory_constant_misses, depth + 3);
	assert_true(hd_constants_operand(w->constants, 0, now + 1, 0, &w->stats) > now + 1);
	world_free(w);
}

/* Constant variables (ldk) go the same way; without a constant cache, the way of any load. */
TEST(constant_variables_use_it_too)
{
	for (unsigned on = 0; on < 2; on++) {
		hd_machine m = small();
		m.memory_constant_bytes = on ? 1024 : 0;
		world *w = world_of(m);
		hd_store_lane(hd_memory_at(w->memory, w->buffer + 64, 4), HD_SIZE_32, (uint32_t[4]){77});
		address_all(w, w->buffer + 64, 0);
		assert_true(go(w, HD_OP_LDK, HD_SIZE_32, 1000));
		assert_int_equal(w->result.data[0].v[31], 77);
		assert_int_equal(w->stats.memory_constant_accesses, 1);
		assert_int_equal(w->stats.memory_global_loads, 0);
		assert_int_equal(w->stats.memory_constant_misses, on);
		assert_int_equal(w->stats.memory_l1_misses, !on);
		assert_true(go(w, HD_OP_LDK, HD_SIZE_32, 2000));
		assert_int_equal(w->result.done, 2000 + (on ? 7 : 10));
		address_all(w, w->buffer + 8192, 0);
		assert_false(go(w, HD_OP_LDK, HD_SIZE_32, 3000));
		assert_int_equal(w->trap.kind, HD_TRAP_ADDRESS);
		world_free(w);
	}
}

/* PD-37: a line that the constant cache lacks comes from the L1.5, which another core has filled, after its latency; otherwise from the second level.
 * Lines of the two caches need not be of one size. */
TEST(constants_come_through_the_l15)
{
	enum { FAR = 16, NEAR_LATENCY = 20 };
	static const uint32_t lines[] = {32, 64, 256};
	for (unsigned i = 0; i < HD_COUNT(lines); i++) {
		hd_machine m = small();
		m.memory_constant_bytes = 2048;
		m.memory_constant_line = lines[i];
		world *w = world_of(m);
		hd_icache l15;
		hd_icache_init(&l15, 64, 8);
		hd_constants_behind(w->constants, &l15, 64, NEAR_LATENCY);
		hd_constants *other = hd_constants_new(&m, w->l2, 1);
		hd_constants_behind(other, &l15, 64, NEAR_LATENCY);
		uint32_t of_l15 = lines[i] > 64 ? lines[i] / 64 : 1;
		uint64_t cold = hd_constants_line(w->constants, 1000, 512 + FAR, &w->stats);
		assert_in_range(cold, 1000 + 150, 1000 + 200);
		assert_int_equal(w->stats.memory_constant_l15, of_l15);
		assert_int_equal(w->stats.memory_constant_l15_misses, of_l15);
		assert_int_equal(w->stats.memory_l2_misses, 2 * of_l15); /* whole lines of the L1.5 */
		/* On its way: the other core waits for the same fill. */
		assert_int_equal(hd_constants_line(other, 1010, 512 + FAR, &w->stats), cold);
		assert_int_equal(w->stats.memory_constant_l15, 2 * of_l15);
		assert_int_equal(w->stats.memory_constant_l15_misses, of_l15);
		/* A third core, later: the latency of the L1.5. The last byte of the line is there, and what is behind the line of the L1.5 is not.
		 */
		hd_constants *third = hd_constants_new(&m, w->l2, 1);
		hd_constants_behind(third, &l15, 64, NEAR_LATENCY);
		assert_int_equal(hd_constants_line(third, 5000, 512 + lines[i] - 1, &w->stats), 5000 + NEAR_LATENCY);
		assert_int_equal(w->stats.memory_constant_l15_misses, of_l15);
		assert_true(hd_constants_line(third, 6000, 512 + hd_max_u32(lines[i], 64), &w->stats) > 6000 + NEAR_LATENCY);
		/* A line of instructions has another name. */
		assert_null(hd_icache_find(&l15, 512 / 64));
		hd_constants_free(third);
		hd_constants_free(other);
		hd_icache_free(&l15);
		world_free(w);
	}
	hd_constants_behind(NULL, NULL, 64, NEAR_LATENCY); /* a machine without a constant cache */
}

TEST(tags_replace_the_least_recently_used)
{
	hd_tags tags;
	hd_victim victim;
	hd_tags_init(&tags, 2 * 128, 2, NULL); /* one set of two ways */
	assert_null(hd_tags_find(&tags, 0));
	hd_tags_place(&tags, 0, &victim);
	assert_int_equal(victim.line, 0);
	hd_tags_place(&tags, 1280, &victim);
	assert_non_null(hd_tags_find(&tags, 0)); /* 1280 is the older one now */
	hd_tags_place(&tags, 2560, &victim);
	assert_int_equal(victim.line, 10);
	assert_non_null(hd_tags_find(&tags, 64));
	assert_null(hd_tags_find(&tags, 1280));
	hd_tags_free(&tags, NULL);
}

TEST(coalescing_makes_sectors)
{
	const hd_lanes *lanes = hd_lanes_of_host();
	uint64_t address[HD_LANES];
	hd_sectors s;
	for (unsigned i = 0; i < HD_LANES; i++)
		address[i] = 0x1000 + 4 * i;
	hd_coalesce(lanes, address, ~0u, &s);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.lines, 1);
	hd_coalesce(lanes, address, 0x000000ffu, &s);
	assert_int_equal(s.n, 1);
	for (unsigned i = 0; i < HD_LANES; i++)
		address[i] = 0x1010 + 4 * i; /* not aligned to the line */
	hd_coalesce(lanes, address, ~0u, &s);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.lines, 2);
	for (unsigned i = 0; i < HD_LANES; i++)
		address[i] = 128 * (HD_LANES - i);
	hd_coalesce(lanes, address, ~0u, &s);
	assert_int_equal(s.n, 32);
	assert_int_equal(s.lines, 32);
	assert_int_equal(s.at[0], 128 * 32);
	for (unsigned i = 0; i < HD_LANES; i++)
		address[i] = 64;
	hd_coalesce(lanes, address, ~0u, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(hd_same_address(address, 0xffu), 8);
}

TEST(banks_conflict_by_distinct_words)
{
	uint32_t address[HD_LANES];
	static const struct {
		unsigned stride, bytes, passes, atomic;
	} cases[] = {
	    {4, 4, 1, 1}, {8, 4, 2, 2}, {128, 4, 32, 32}, {0, 4, 1, 32}, {132, 4, 1, 1}, {8, 8, 2, 2}, {16, 16, 4, 4}, {1, 1, 1, 4}, {256, 8, 32, 32},
	};
	for (size_t c = 0; c < HD_COUNT(cases); c++) {
		for (unsigned i = 0; i < HD_LANES; i++)
			address[i] = i * cases[c].stride;
		assert_int_equal(hd_bank_passes(address, ~0u, cases[c].bytes, 32, false), cases[c].passes);
		assert_int_equal(hd_bank_passes(address, ~0u, cases[c].bytes, 32, true), cases[c].atomic);
	}
	assert_int_equal(hd_bank_passes(address, 0, 4, 32, false), 1);
}

TEST(second_level_has_finite_bandwidth)
{
	hd_machine m = small();
	hd_l2 *l2 = hd_l2_new(&m);
	hd_stats s = {0};
	/* 50 there, 50 DRAM, 50 back */
	assert_int_equal(hd_l2_sector(l2, 0, 0, false, &s), 150);
	/* same partition, a slot later: DRAM is busy until 54 */
	assert_int_equal(hd_l2_sector(l2, 0, 32, false, &s), 154);
	/* the other partition: slot 52 */
	assert_int_equal(hd_l2_sector(l2, 0, 256, false, &s), 152);
	/* a hit whose data is under way comes with it */
	assert_int_equal(hd_l2_sector(l2, 0, 32, false, &s), 154);
	assert_int_equal(hd_l2_sector(l2, 1000, 32, false, &s), 1100);
	assert_int_equal(s.memory_l2_hits, 2);
	assert_int_equal(s.memory_l2_misses, 3);
	assert_int_equal(s.memory_dram_reads, 3);
	/* a written sector goes to DRAM when its line is replaced: 32 sets of 4 ways */
	assert_int_equal(hd_l2_sector(l2, 2000, 64, true, &s), 2050);
	for (unsigned i = 1; i <= 4; i++)
		hd_l2_sector(l2, 3000, i * 4096, false, &s);
	assert_int_equal(s.memory_dram_writes, 1);
	hd_l2_free(l2);
}

/* MT-4: the second level waits for so many sectors at a time, and before a partition wait so many. Whoever comes then waits, hits included. */
TEST(the_second_level_pushes_back)
{
	hd_machine m = small();
	hd_stats s = {0};
	m.memory_l2_misses = 2;
	hd_l2 *l2 = hd_l2_new(&m);
	assert_int_equal(hd_l2_sector(l2, 0, 0, false, &s), 150);
	assert_int_equal(hd_l2_sector(l2, 0, 256, false, &s), 151);
	/* There at 52, its place is free at 100, when the first one's data comes: DRAM until 150, and back. */
	assert_int_equal(hd_l2_sector(l2, 0, 512, false, &s), 200);
	/* A hit behind it is served a slot later than it. */
	assert_int_equal(hd_l2_sector(l2, 0, 0, false, &s), 151);
	assert_int_equal(hd_l2_sector(l2, 300, 0, false, &s), 400);
	hd_l2_free(l2);

	m = small();
	m.memory_dram_queue = 1;
	l2 = hd_l2_new(&m);
	assert_int_equal(hd_l2_sector(l2, 0, 0, false, &s), 150);
	/* DRAM is busy with the first until 54; one waits. The third comes at 52, and may not wait before 54: DRAM takes it at 58. */
	assert_int_equal(hd_l2_sector(l2, 0, 32, false, &s), 154);
	assert_int_equal(hd_l2_sector(l2, 0, 64, false, &s), 158);
	/* A store, which needs no place there, is behind it all the same. */
	assert_int_equal(hd_l2_sector(l2, 0, 256, true, &s), 54 + 1);
	hd_l2_free(l2);
}

/* predecode.replay_order: promised. A refused load comes again when the places behind those are free that others wait for, and a new load takes none
 * of these. */
TEST(places_are_promised_in_the_order_of_refusals)
{
	enum { LOADS = 4 };
	static const struct {
		hd_replay_order order;
		bool later; /* each comes again later than the one before */
		bool takes; /* a new load finds a place when the first one is free */
		uint32_t replay_misses;
	} rows[] = {{HD_REPLAY_ARRIVAL, false, true, 0}, {HD_REPLAY_PROMISED, true, false, 0}, {HD_REPLAY_PROMISED, true, false, 1}};
	for (size_t row = 0; row < HD_COUNT(rows); row++) {
		hd_machine m = small();
		m.predecode_replay_order = rows[row].order;
		m.predecode_replay_misses = rows[row].replay_misses;
		m.memory_l1_misses = LOADS;
		world *w = world_of(m);
		uint64_t ends[LOADS], retry[LOADS], now = 0;
		hd_access_result refused[LOADS];
		w->access.mask = 1;
		for (unsigned i = 0; i < LOADS; i++) { /* fills the table, a place at a time */
			address_all(w, w->buffer + 128 * i, 0);
			assert_true(go(w, HD_OP_LDG, HD_SIZE_32, now));
			ends[i] = w->result.done;
			now += 7;
		}
		w->access.may_refuse = true;
		for (unsigned i = 0; i < LOADS; i++, now++) {
			w->result.kept = false;
			w->result.promised = 0;
			address_all(w, w->buffer + 128 * (LOADS + i), 0);
			assert_true(go(w, HD_OP_LDG, HD_SIZE_32, now));
			assert_int_equal(w->result.why, HD_REFUSED_MISSES);
			retry[i] = w->result.retry;
			refused[i] = w->result;
			assert_true(!i || (rows[row].later ? retry[i] > retry[i - 1] : retry[i] == retry[i - 1]));
		}
		assert_true(retry[0] <= ends[0]);
		if (!rows[row].later) { /* the cycle before, it is the next one */
			w->result = refused[0];
			address_all(w, w->buffer + 128 * LOADS, 0);
			assert_true(go(w, HD_OP_LDG, HD_SIZE_32, retry[0] - 1));
			assert_int_equal(w->result.retry, retry[0]);
		}
		/* A new load, when one place is free. */
		w->result.kept = false;
		w->result.promised = 0;
		address_all(w, w->buffer + 128 * 2 * LOADS, 0);
		assert_true(go(w, HD_OP_LDG, HD_SIZE_32, retry[0]));
		assert_int_equal(w->result.left == 0, rows[row].takes);
		/* The one that waits for it finds it. */
		if (!rows[row].takes) {
			w->result = refused[0];
			address_all(w, w->buffer + 128 * LOADS, 0);
			assert_true(go(w, HD_OP_LDG, HD_SIZE_32, retry[0] + 1));
			assert_int_equal(w->result.why, rows[row].replay_misses ? HD_REFUSED_L1 : HD_REFUSED_NOT);
		}
		world_free(w);
	}
}

/* PD-15: what a replay of a load finds in the first cache it takes, although the table of misses is full. */
TEST(a_refused_load_takes_what_came_meanwhile)
{
	world *w = world_new();
	w->access.mask = 3;
	address_all(w, w->buffer, 32);
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, 0));
	uint64_t full = w->result.done;
	/* Two lines, and no place in the table: nothing is served, and nothing in the next cycle. */
	address_all(w, w->buffer + 4096, 128);
	w->access.may_refuse = true;
	for (uint64_t now = 10; now < 12; now++) {
		assert_true(go(w, HD_OP_LDG, HD_SIZE_32, now));
		assert_int_equal(w->result.left, 3);
		assert_int_equal(w->result.why, HD_REFUSED_MISSES);
		assert_in_range(w->result.retry, now + 1, full);
	}
	hd_access refused = w->access;
	hd_access_result kept = w->result;
	/* Another load fetches the sector of the second lane and fills the table. Then that lane is served. */
	address_all(w, w->buffer + 4096 + 128, 32);
	w->access.may_refuse = w->result.kept = false;
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, full + 1));
	uint64_t again = w->result.done;
	w->access = refused;
	w->result = kept;
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, full + 10));
	assert_int_equal(w->result.left, 1);
	/* The other lane is served as soon as there is room. */
	w->access.mask = 1;
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, full + 11));
	assert_int_equal(w->result.left, 1);
	assert_in_range(w->result.retry, full + 12, again);
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, w->result.retry));
	assert_int_equal(w->result.left, 0);
	world_free(w);
}

/* MT-4: stores and atomics of a core find so many places, and without one hold back the stage. */
TEST(stores_wait_for_room)
{
	hd_machine m = small();
	m.memory_l1_writes = 2;
	world *w = world_of(m);
	address_all(w, w->buffer, 4);
	/* Four sectors: two are performed at 50 and 51, and the next two can leave then. */
	assert_true(go(w, HD_OP_STG, HD_SIZE_32, 0));
	assert_int_equal(w->result.done, 51 + 50);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 51 + 1);
	/* The same with atomics, which take a place until the old value is back; loads do not ask for these places. */
	address_all(w, w->buffer + 4096, 0);
	assert_true(go(w, HD_OP_ATOMG, HD_ATOM_ADD | HD_ATOM_U32 << 4, 1000));
	assert_true(go(w, HD_OP_ATOMG, HD_ATOM_ADD | HD_ATOM_U32 << 4, 1001));
	uint64_t first = hd_lsu_free_at(w->lsu, HD_PIPE_LSU);
	assert_int_equal(first, 1002);
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, 1002));
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 1003);
	assert_true(go(w, HD_OP_ATOMG, HD_ATOM_ADD | HD_ATOM_U32 << 4, 1003));
	assert_true(hd_lsu_free_at(w->lsu, HD_PIPE_LSU) > 1000 + 100);
	world_free(w);
}

TEST(loads_hit_after_a_miss)
{
	world *w = world_new();
	uint32_t *at = hd_memory_at(w->memory, w->buffer, 128);
	for (unsigned i = 0; i < 32; i++)
		at[i] = i * 3;
	address_all(w, w->buffer, 4);
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, 0));
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(w->result.data[0].v[i], i * 3);
	assert_int_equal(w->stats.memory_l1_misses, 4);
	/* sectors 0 and 1 at 150 and 154; with two places in the miss table, sectors 2 and 3 leave at 150 and 154 and find DRAM free */
	assert_int_equal(w->result.done, 154 + 150);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 154 + 1);
	assert_true(go(w, HD_OP_LDG, HD_SIZE_32, 1000));
	assert_int_equal(w->stats.memory_l1_hits, 4);
	assert_int_equal(w->result.done, 1010);
	world_free(w);
}

TEST(stores_are_seen_by_later_loads)
{
	world *w = world_new();
	address_all(w, w->buffer + 4096, 2);
	for (unsigned i = 0; i < 32; i++)
		w->access.data[0].v[i] = 0xffff0000u | i;
	assert_true(go(w, HD_OP_STG, HD_SIZE_U16, 10));
	assert_int_equal(w->result.done, 10 + 50 + 1); /* two sectors, one a cycle */
	assert_true(go(w, HD_OP_LDG, HD_SIZE_S16, 2000));
	assert_int_equal(w->result.data[0].v[31], 31);
	assert_int_equal(w->stats.memory_global_stores, 1);
	world_free(w);
}

/* MI-14: an access takes the copy of the stage that has been free for the longest time. The stage is free when a copy is. Shared-memory atomics have
 * one stage of their own. */
TEST(mi_14_each_copy_of_the_stage_takes_an_access)
{
	hd_machine m = small();
	m.copies[HD_PIPE_LSU] = 2;
	world *w = world_of(m);
	address_all(w, 0, 128);
	assert_true(go(w, HD_OP_LDS, HD_SIZE_32, 5));
	assert_int_equal(w->result.done, 5 + 31 + 20);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 0);
	assert_true(go(w, HD_OP_LDS, HD_SIZE_32, 6));
	assert_int_equal(w->result.done, 6 + 31 + 20);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 5 + 32);
	assert_true(go(w, HD_OP_MEMBAR, 0, 37));
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 38);
	hd_lsu_busy(w->lsu, 100);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 38);
	hd_lsu_reject(w->lsu, HD_PIPE_LSU, 40);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 41);
	hd_lsu_reject(w->lsu, HD_PIPE_LATOM, 50);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LATOM), 51);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 41);
	world_free(w);
}

TEST(shared_conflicts_hold_the_stage)
{
	world *w = world_new();
	address_all(w, 0, 128);
	assert_true(go(w, HD_OP_LDS, HD_SIZE_32, 5));
	assert_int_equal(w->stats.memory_bank_conflicts, 31);
	assert_int_equal(w->result.done, 5 + 31 + 20);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), 5 + 32);
	assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LATOM), 0);
	address_all(w, 0, 0);
	assert_true(go(w, HD_OP_LDS, HD_SIZE_32, 100)); /* one word for all lanes: one pass */
	assert_int_equal(w->stats.memory_bank_conflicts, 31);
	assert_true(go(w, HD_OP_LDS, HD_SIZE_64, 200)); /* the halves of the warp, one after the other */
	assert_int_equal(w->stats.memory_bank_conflicts, 32);
	world_free(w);
}

TEST(atomics_work_lane_after_lane)
{
	world *w = world_new();
	address_all(w, 16, 0);
	for (unsigned i = 0; i < 32; i++)
		w->access.data[0].v[i] = i + 1;
	assert_true(go(w, HD_OP_ATOMS, HD_ATOM_ADD | HD_ATOM_U32 << 4, 0));
	assert_int_equal(w->stats.memory_bank_conflicts, 31);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(w->result.data[0].v[i], i * (i + 1) / 2);
	uint32_t sum;
	memcpy(&sum, w->shared + 16, 4);
	assert_int_equal(sum, 32 * 33 / 2);
	address_all(w, w->buffer + 64, 0);
	for (unsigned i = 0; i < 32; i++) {
		w->access.data[0].v[i] = i;     /* comparand */
		w->access.swap[0].v[i] = i + 1; /* new value: every lane's comparison succeeds in turn */
	}
	assert_true(go(w, HD_OP_CASG, 0, 100));
	assert_int_equal(*(uint32_t *)hd_memory_at(w->memory, w->buffer + 64, 4), 32);
	world_free(w);
}

TEST(generic_addresses_lead_to_their_windows)
{
	/* PD-21 */
	world *w = world_new();
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t address = lane % 3 == 0 ? w->buffer + 4 * lane : lane % 3 == 1 ? HD_WINDOW_SHARED + 4 * lane : HD_WINDOW_LOCAL + 8;
		w->access.address[0].v[lane] = (uint32_t)address;
		w->access.address[1].v[lane] = (uint32_t)(address >> 32);
		w->access.data[0].v[lane] = 100 + lane;
	}
	assert_true(go(w, HD_OP_ST, HD_SIZE_32, 0));
	uint32_t got;
	memcpy(&got, w->shared + 4 * 4, 4);
	assert_int_equal(got, 104);
	memcpy(&got, w->local + 5 * 64 + 8, 4);
	assert_int_equal(got, 105);
	assert_int_equal(*(uint32_t *)hd_memory_at(w->memory, w->buffer + 4 * 6, 4), 106);
	assert_int_equal(w->stats.memory_shared_accesses, 1);
	assert_int_equal(w->stats.memory_local_accesses, 1);
	assert_int_equal(w->stats.memory_global_stores, 1);
	world_free(w);
}

TEST(local_memory_of_the_lanes_is_interleaved_in_the_caches)
{
	world *w = world_new();
	address_all(w, 12, 0); /* every lane its own word 3 */
	assert_true(go(w, HD_OP_STL, HD_SIZE_32, 0));
	assert_int_equal(w->stats.memory_sectors, 4);
	world_free(w);
}

TEST(bad_addresses_trap_before_anything_is_written)
{
	world *w = world_new();
	address_all(w, w->buffer + 8192 - 31 * 4, 4); /* lane 31 is just outside */
	assert_false(go(w, HD_OP_STG, HD_SIZE_32, 0));
	assert_int_equal(w->trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(w->trap.lane, 31);
	assert_int_equal(w->trap.address, w->buffer + 8192);
	assert_true(w->trap.store);
	assert_int_equal(*(uint32_t *)hd_memory_at(w->memory, w->buffer + 8192 - 31 * 4, 4), 0);
	address_all(w, w->buffer + 2, 4);
	assert_false(go(w, HD_OP_LDG, HD_SIZE_32, 1));
	assert_int_equal(w->trap.kind, HD_TRAP_ALIGNMENT);
	address_all(w, 4094, 0);
	assert_false(go(w, HD_OP_LDS, HD_SIZE_32, 2));
	address_all(w, 4096, 0);
	assert_false(go(w, HD_OP_LDS, HD_SIZE_32, 3));
	assert_int_equal(w->trap.kind, HD_TRAP_ADDRESS);
	address_all(w, 64, 0);
	assert_false(go(w, HD_OP_STL, HD_SIZE_U8, 4));
	address_all(w, UINT64_MAX - 1, 0);
	assert_false(go(w, HD_OP_LDG, HD_SIZE_U16, 5));
	world_free(w);
}

/* PD-19: a launch reads its descriptor past the caches, behind the stores of its own core that are on their way (MT-1). */
TEST(launches_read_own_stores_on_their_way)
{
	world *w = world_new();
	hd_outbox *outbox = hd_outbox_new(0, NULL);
	hd_crossbar *crossbar = hd_crossbar_new(w->memory, NULL);
	hd_lsu_set_outbox(w->lsu, outbox);
	address_all(w, w->buffer, 4);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->access.data[0].v[lane] = 100 + lane;
	assert_true(go(w, HD_OP_STG, HD_SIZE_32, 0));
	assert_true(w->result.done >= 50);
	const uint8_t *memory = hd_memory_at(w->memory, w->buffer, 128);
	assert_int_equal(hd_load_word(memory + 12), 0);
	assert_int_equal(hd_load_word(hd_lsu_bytes(w->lsu, &w->access, 0, w->buffer + 8, 16, 8, &w->trap) + 4), 103);
	assert_int_equal(hd_load_word(memory + 12), 0);
	hd_crossbar_take(crossbar, outbox);
	hd_crossbar_arrive(crossbar, 49);
	assert_int_equal(hd_load_word(memory + 12), 0);
	hd_crossbar_arrive(crossbar, 50);
	assert_int_equal(hd_load_word(memory + 12), 103);
	hd_crossbar_free(crossbar);
	world_free(w);
	hd_outbox_free(outbox);
}
