/* A DRAM partition (MT-4): row hits, misses and conflicts, refresh, the order of requests, banks side by side. Each test drives one partition by
 * hand. */
#include "../test.h"

#include "base/base.h"
#include "memory/dram.h"

enum {
	LATENCY = 220,
	INTERVAL = 2,
	ACTIVATE = 30,
	PRECHARGE = 20,
	LEAST = 70,
	BANKS = 4,
	ROW = 1024,
	MOST = 400,
};

typedef struct world {
	hd_dram dram;
	hd_stats stats;
	uint64_t now; /* cycle of the last tick */
	uint64_t there[MOST];
	uint32_t order[MOST], n; /* tickets in the order of their data */
} world;

static world *world_new(void (*change)(hd_machine *m))
{
	world *w = hd_xcalloc(1, sizeof *w);
	hd_machine m;
	hd_machine_default(&m);
	m.memory_dram_latency = LATENCY;
	m.memory_dram_cycles_per_sector = INTERVAL;
	m.memory_dram_banks = BANKS;
	m.memory_dram_row_bytes = ROW;
	m.memory_dram_activate = ACTIVATE;
	m.memory_dram_precharge = PRECHARGE;
	m.memory_dram_row_least = LEAST;
	m.memory_dram_refresh_interval = 0;
	if (change)
		change(&m);
	hd_dram_init(&w->dram, &m);
	return w;
}

static void world_free(world *w)
{
	hd_dram_free(&w->dram);
	free(w);
}

/* Ticks up to cycle `until`, in the cycles that the partition asks for. */
static void pass(world *w, uint64_t until)
{
	for (;;) {
		uint64_t next = hd_min_u64(w->dram.next, hd_dram_there(&w->dram));
		if (next > until)
			break;
		uint32_t ticket;
		w->now = next;
		while (hd_dram_take(&w->dram, next, &ticket)) {
			w->there[ticket] = next;
			w->order[w->n++] = ticket;
		}
		hd_dram_tick(&w->dram, next, &w->stats);
	}
	w->now = until;
}

static void put(world *w, uint64_t now, uint64_t address, uint32_t ticket)
{
	pass(w, now - 1);
	hd_dram_put(&w->dram, now, address, ticket, &w->stats);
}

/* The address of a row of a bank. Rows of one number lie in different banks, shifted by that number. */
static uint64_t place(uint64_t row, uint32_t bank) { return (row * BANKS + (bank + BANKS - row % BANKS) % BANKS) * ROW; }

TEST(rows_hit_miss_and_conflict)
{
	world *w = world_new(NULL);
	put(w, 10, place(3, 1), 0);        /* no row is open */
	put(w, 1000, place(3, 1) + 64, 1); /* the row is open */
	put(w, 2000, place(4, 1), 2);      /* another row is open */
	put(w, 3000, place(4, 2), 3);      /* another bank */
	pass(w, 10000);
	assert_int_equal(w->there[0], 10 + ACTIVATE + LATENCY);
	assert_int_equal(w->there[1], 1000 + LATENCY);
	assert_int_equal(w->there[2], 2000 + PRECHARGE + ACTIVATE + LATENCY);
	assert_int_equal(w->there[3], 3000 + ACTIVATE + LATENCY);
	assert_int_equal(w->stats.memory_dram_row_hits, 1);
	assert_int_equal(w->stats.memory_dram_row_misses, 2);
	assert_int_equal(w->stats.memory_dram_row_conflicts, 1);
	assert_int_equal(w->stats.memory_dram_reads, 4);
	world_free(w);
}

/* A row stays open for its least time, and until its last sector has passed. */
TEST(a_row_stays_open)
{
	world *w = world_new(NULL);
	put(w, 10, place(0, 0), 0);
	put(w, 45, place(1, 0), 1);
	pass(w, 10000);
	assert_int_equal(w->there[1], 10 + LEAST + PRECHARGE + ACTIVATE + LATENCY);
	put(w, 20000, place(1, 0), 2); /* a hit in 20000 keeps the row until it has passed */
	put(w, 20001, place(2, 0), 3);
	pass(w, 30000);
	assert_int_equal(w->there[3], 20000 + INTERVAL + PRECHARGE + ACTIVATE + LATENCY);
	world_free(w);
}

/* One bus: sectors of an open row, and rows that open side by side. */
TEST(banks_share_the_bus)
{
	world *w = world_new(NULL);
	for (uint32_t i = 0; i < BANKS; i++)
		put(w, 10, place(0, i), i);
	for (uint32_t i = 0; i < 8; i++)
		put(w, 1000, place(0, 2) + 32 * i, BANKS + i);
	pass(w, 10000);
	for (uint32_t i = 0; i < BANKS; i++)
		assert_int_equal(w->there[i], 10 + ACTIVATE + i * INTERVAL + LATENCY);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(w->there[BANKS + i], 1000 + i * INTERVAL + LATENCY);
	world_free(w);
}

static void often(hd_machine *m)
{
	m->memory_dram_refresh_interval = 1000;
	m->memory_dram_refresh = 100;
}

TEST(refreshes_close_rows)
{
	world *w = world_new(often);
	put(w, 900, place(0, 0), 0);
	put(w, 1010, place(0, 0) + 32, 1); /* its row was closed in cycle 1000, and the bank is busy */
	put(w, 1500, place(0, 0) + 64, 2);
	put(w, 5001, place(0, 0), 3); /* those of idle cycles are over, except the last one */
	put(w, 7500, place(0, 0), 4);
	pass(w, 10000);
	assert_int_equal(w->there[0], 900 + ACTIVATE + LATENCY);
	assert_int_equal(w->there[1], 1100 + ACTIVATE + LATENCY);
	assert_int_equal(w->there[2], 1500 + LATENCY);
	assert_int_equal(w->there[3], 5100 + ACTIVATE + LATENCY);
	assert_int_equal(w->there[4], 7500 + ACTIVATE + LATENCY);
	assert_int_equal(w->stats.memory_dram_refreshes, 3);
	world_free(w);
}

/* A row that is open until late in the interval is closed before the refresh begins. */
TEST(a_refresh_waits_for_the_row)
{
	world *w = world_new(often);
	put(w, 990, place(0, 0), 0); /* the row is to stay open until 1060 */
	put(w, 1005, place(1, 1), 1);
	pass(w, 10000);
	assert_int_equal(w->there[0], 990 + LEAST + 100 + ACTIVATE + LATENCY);
	assert_int_equal(w->there[1], 1100 + ACTIVATE + LATENCY);
	world_free(w);
}

static void in_order(hd_machine *m) { m->memory_dram_order = HD_DRAM_IN_ORDER; }

/* First ready, first come: what hits an open row goes before an older request for another row of the bank. */
TEST(the_first_ready_request_goes_first)
{
	static const uint32_t ready[] = {0, 2, 3, 1}, asked[] = {0, 1, 2, 3};
	for (int ordered = 0; ordered < 2; ordered++) {
		world *w = world_new(ordered ? in_order : NULL);
		put(w, 10, place(0, 0), 0);
		put(w, 300, place(1, 0), 1);
		put(w, 300, place(0, 0) + 32, 2);
		put(w, 300, place(0, 0) + 64, 3);
		pass(w, 10000);
		assert_memory_equal(w->order, ordered ? asked : ready, sizeof ready);
		if (ordered) {
			assert_int_equal(w->stats.memory_dram_row_conflicts, 2);
			assert_int_equal(w->there[1], 300 + PRECHARGE + ACTIVATE + LATENCY);
		} else {
			assert_int_equal(w->stats.memory_dram_row_conflicts, 1);
			assert_int_equal(w->there[2], 300 + LATENCY);
			assert_int_equal(w->there[3], 302 + LATENCY);
			assert_int_equal(w->there[1], 304 + PRECHARGE + ACTIVATE + LATENCY);
		}
		world_free(w);
	}
}

static void impatient(hd_machine *m) { m->memory_dram_patience = 50; }

/* A request does not wait for ever behind hits of younger ones. */
TEST(patience_ends)
{
	world *w = world_new(impatient);
	put(w, 10, place(0, 0), 0);
	put(w, 300, place(1, 0), 1);
	for (uint32_t i = 0; i < 60; i++)
		put(w, 300, place(0, 0) + i % 32 * 32, 2 + i);
	pass(w, 10000);
	assert_int_equal(w->there[1], 350 + PRECHARGE + ACTIVATE + LATENCY);
	world_free(w);
}

/* Any requests: the bus carries one sector at a time, each bank keeps to its times, and nothing is lost. */
TEST(any_requests_keep_to_the_times)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		world *w = world_new(seed % 2 ? often : NULL);
		uint64_t random = seed, now = 5, last = 0;
		for (uint32_t i = 0; i < MOST; i++) {
			now += hd_random(&random) % (seed % 8 * 8 + 1);
			while (!hd_dram_room(&w->dram))
				pass(w, now++);
			now = hd_max_u64(now, w->now + 1);
			put(w, now, place(hd_random(&random) % 6, (uint32_t)(hd_random(&random) % BANKS)) + hd_random(&random) % 32 * 32, i);
		}
		pass(w, now + 100000);
		assert_int_equal(w->n, MOST);
		for (uint32_t i = 0; i < MOST; i++) {
			uint64_t at = w->there[w->order[i]];
			assert_true(!i || at >= last + INTERVAL);
			last = at;
		}
		assert_int_equal(w->stats.memory_dram_row_hits + w->stats.memory_dram_row_misses + w->stats.memory_dram_row_conflicts, MOST);
		assert_int_equal(w->dram.n, 0);
		world_free(w);
	}
}

static void no_banks(hd_machine *m)
{
	m->memory_dram_banks = 0;
	m->memory_dram_refresh_interval = 1000;
}

TEST(without_banks_each_sector_is_alike)
{
	world *w = world_new(no_banks);
	put(w, 999, place(0, 0), 0);
	put(w, 1000, place(7, 3), 1);
	put(w, 1000, place(9, 2), HD_DRAM_WRITE); /* nobody waits for it, and it takes the bus */
	put(w, 1000, place(1, 3), 2);
	pass(w, 10000);
	assert_int_equal(w->there[0], 999 + LATENCY);
	assert_int_equal(w->there[1], 1001 + LATENCY);
	assert_int_equal(w->there[2], 1005 + LATENCY);
	assert_int_equal(w->stats.memory_dram_refreshes, 0);
	assert_int_equal(w->stats.memory_dram_writes, 1);
	assert_int_equal(w->stats.memory_dram_row_misses, 0);
	world_free(w);
}
