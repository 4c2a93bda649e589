/* TLBs of two levels and the walker (PD-38). Times are worked out by hand: a sector of the page table takes 100 cycles where the second level has it,
 * 150 where it comes from DRAM. What reserves the one partition of DRAM in the same cycle comes a cycle later. */
#include "../test.h"

#include "memory/constant.h"
#include "memory/l2.h"
#include "memory/mmu.h"
#include "memory/pages.h"

enum { PAGE = 4096, PAGES = 64, HIT = 100, MISS = 150, SECOND = 30 };

typedef struct world {
	hd_machine m;
	hd_memory *memory;
	hd_l2 *l2;
	hd_walker *walker;
	hd_mmu *mmu[2];
	hd_stats stats;
	uint64_t buffer;
} world;

static hd_machine small(void)
{
	hd_machine m;
	hd_machine_default(&m);
	m.memory_l2_latency = HIT;
	m.memory_l2_sectors_per_cycle = 64;
	m.memory_dram_latency = MISS - HIT;
	m.memory_dram_partitions = 1;
	m.memory_dram_cycles_per_sector = 1;
	m.pages_kib = PAGE / 1024;
	m.pages_levels = 1;
	m.pages_tlb_entries = 4;
	m.pages_tlb_ways = 4;
	m.pages_tlb2_entries = 8;
	m.pages_tlb2_ways = 8;
	m.pages_tlb2_latency = SECOND;
	return m;
}

static world *world_of(hd_machine m)
{
	world *w = hd_xcalloc(1, sizeof *w);
	w->m = m;
	w->memory = hd_memory_new(1 << 24);
	w->buffer = hd_memory_alloc(w->memory, PAGES * PAGE, "buffer");
	w->l2 = hd_l2_new(&w->m);
	w->walker = hd_walker_new(&w->m, w->memory, w->l2);
	for (unsigned i = 0; i < 2; i++)
		w->mmu[i] = hd_mmu_new(&w->m, w->walker);
	return w;
}

static void world_free(world *w)
{
	for (unsigned i = 0; i < 2; i++)
		hd_mmu_free(w->mmu[i]);
	hd_walker_free(w->walker);
	hd_l2_free(w->l2);
	hd_memory_free(w->memory);
	free(w);
}

/* How much later a request of the core for a byte of page `page` comes; its frame is the page's number. */
static uint64_t late(world *w, unsigned core, uint64_t now, uint64_t page)
{
	uint64_t address = w->buffer + page * PAGE + 12 * page, cycles = hd_mmu_late(w->mmu[core], now, &address, &w->stats);
	assert_int_equal(address, page * PAGE + 12 * page);
	return cycles;
}

TEST(a_miss_asks_the_second_level_and_then_walks)
{
	world *w = world_of(small());
	assert_int_equal(late(w, 0, 1000, 0), SECOND + MISS);
	assert_int_equal(late(w, 0, 1050, 0), SECOND + MISS - 50); /* on its way: no further request */
	assert_int_equal(late(w, 0, 1180, 0), 0);
	assert_int_equal(late(w, 0, 2000, 0), 0);
	assert_int_equal(late(w, 1, 3000, 0), SECOND);            /* another core finds it in the second TLB */
	assert_int_equal(late(w, 1, 4000, 1), SECOND + HIT);      /* four entries of the table are in one sector */
	assert_int_equal(late(w, 0, 4010, 1), SECOND + HIT - 10); /* the walk is under way: 4130 */
	assert_int_equal(late(w, 1, 4125, 2), SECOND + HIT);
	assert_int_equal(late(w, 0, 4126, 2), SECOND + HIT - 1);
	assert_int_equal(late(w, 0, 4300, 3), SECOND + HIT);
	assert_int_equal(w->stats.pages_tlb_hits, 3);
	assert_int_equal(w->stats.pages_tlb_misses, 7);
	assert_int_equal(w->stats.pages_tlb2_hits, 3);
	assert_int_equal(w->stats.pages_walks, 4);
	assert_int_equal(w->stats.pages_walk_sectors, 4);
	assert_int_equal(w->stats.pages_walk_cycles, MISS + 3 * HIT);
	world_free(w);
}

TEST(each_level_is_read_after_the_one_above)
{
	hd_machine m = small();
	m.pages_levels = 4;
	world *w = world_of(m);
	assert_int_equal(late(w, 0, 1000, 0), SECOND + 4 * MISS + 1 + 2 + 3);
	assert_int_equal(late(w, 0, 5000, 1), SECOND + 4 * HIT);
	assert_int_equal(w->stats.pages_walk_sectors, 8);
	assert_int_equal(w->stats.memory_l2_misses, 4);
	world_free(w);
}

TEST(the_second_tlb_takes_a_request_a_cycle)
{
	world *w = world_of(small());
	for (unsigned page = 0; page < 4; page++)
		late(w, 0, 1000, page);
	for (unsigned page = 0; page < 4; page++)
		assert_int_equal(late(w, 1, 9000, page), SECOND + page);
	assert_int_equal(late(w, 1, 9100, 4), SECOND + MISS);
	world_free(w);
}

/* A second level that is busy until cycle 1000 + 500 serves nothing before. The request waits for its turn once: while it does, its walk goes on. */
TEST(the_wait_for_the_second_level_counts_once)
{
	hd_machine m = small();
	m.memory_l2_sectors_per_cycle = 1;
	m.pages_levels = 2;
	world *w = world_of(m);
	late(w, 0, 0, 0); /* its walk's sectors are there for the next one */
	for (unsigned i = 0; i < 500; i++)
		hd_l2_sector(w->l2, 1000, HD_OWN_BASE, false, &w->stats);
	assert_int_equal(hd_l2_backlog(w->l2, 1000), 500);
	/* The walk takes its turn in 500 and 501, so its end is 500 + 100 + 100; the sector's own turn is 502. */
	assert_int_equal(late(w, 0, 1000, 1), 2 * HIT - 2);
	assert_int_equal(hd_l2_backlog(w->l2, 1000), 502);
	assert_int_equal(hd_l2_backlog(w->l2, 1400), 102);
	assert_int_equal(hd_l2_backlog(w->l2, 1502), 0);
	assert_int_equal(hd_l2_backlog(w->l2, 2000), 0);
	world_free(w);
}

/* MT-1: the second level has taken a store when its packet has arrived, not before, even where the slice is farther away than the others. */
TEST(a_farther_slice_has_its_store_when_it_arrives)
{
	for (uint64_t further = 0; further <= 600; further += 100) {
		hd_machine m = small();
		m.memory_l2_sectors_per_cycle = 1;
		world *w = world_of(m);
		uint64_t address = w->buffer, wait;
		for (unsigned i = 0; i < 300; i++)
			hd_l2_sector(w->l2, 1000, HD_OWN_BASE, false, &w->stats);
		uint64_t leaves = hd_mmu_leaves(w->mmu[0], 1000, further, &address, &wait, &w->stats), arrival = leaves + HIT / 2 + further;
		uint64_t taken = hd_l2_sector(w->l2, 1000 + further, address, true, &w->stats) + wait;
		assert_in_range(taken, arrival, arrival + 1);
		world_free(w);
	}
}

/* MT-1: a second walk would end before the first one, and a later access would overtake an earlier one to the same page. */
TEST(a_walk_under_way_serves_a_page_that_lost_its_place)
{
	hd_machine m = small();
	m.pages_levels = 4;
	m.pages_tlb_entries = m.pages_tlb_ways = 1;
	m.pages_tlb2_entries = 0;
	world *w = world_of(m);
	assert_int_equal(late(w, 0, 1000, 0), 4 * MISS + 1 + 2 + 3);
	late(w, 0, 1100, 1); /* takes the only place */
	assert_int_equal(w->stats.pages_walks, 2);
	assert_int_equal(late(w, 0, 1210, 0), 4 * MISS + 1 + 2 + 3 - 210);
	late(w, 0, 1211, 1); /* and page 0 has taken it back */
	assert_int_equal(w->stats.pages_walks, 2);
	late(w, 0, 9000, 0);
	assert_int_equal(w->stats.pages_walks, 3); /* of what is over nothing is left */
	world_free(w);
}

TEST(walks_wait_for_the_walker)
{
	hd_machine m = small();
	m.pages_walks = 2;
	m.pages_tlb2_entries = 0; /* a miss goes to the page table */
	world *w = world_of(m);
	assert_int_equal(late(w, 0, 1000, 0), MISS);
	assert_int_equal(late(w, 0, 1000, 4), MISS + 1);
	assert_int_equal(late(w, 0, 1000, 8), MISS + MISS + 2);
	assert_int_equal(late(w, 1, 1100, 0), MISS + 1 - 100 + HIT);
	assert_int_equal(w->stats.pages_walk_cycles, MISS + MISS + 1 + MISS + MISS + 2 + MISS + 1 - 100 + HIT);
	assert_int_equal(w->stats.pages_tlb2_hits, 0);
	world_free(w);
}

/* Four entries in one set: the one that was not used for the longest time goes. */
TEST(tlbs_replace_the_least_recently_used)
{
	hd_machine m = small();
	world *w = world_of(m);
	for (unsigned page = 0; page < 4; page++)
		late(w, 0, 1000 * page, page);
	assert_int_equal(late(w, 0, 8000, 0), 0);
	assert_int_not_equal(late(w, 0, 9000, 4), 0); /* takes the place of 1 */
	assert_int_equal(late(w, 0, 10000, 0), 0);
	assert_int_equal(late(w, 0, 11000, 2), 0);
	assert_int_equal(late(w, 0, 12000, 1), SECOND); /* the second one still has it; takes the place of 3 */
	assert_int_equal(late(w, 0, 13000, 3), SECOND);
	for (unsigned page = 5; page < 9; page++) /* nine pages: 0 goes from the second TLB, in which it was not used since */
		late(w, 0, 20000 + 1000 * page, page);
	assert_int_equal(late(w, 0, 40000, 0), SECOND + HIT);
	world_free(w);
}

TEST(pages_lie_in_their_sets)
{
	hd_machine m = small();
	m.pages_tlb_ways = 1; /* page 0 and page 4 have one place */
	world *w = world_of(m);
	late(w, 0, 0, 0);
	late(w, 0, 1000, 1);
	assert_int_equal(late(w, 0, 2000, 0), 0);
	late(w, 0, 3000, 4);
	assert_int_equal(late(w, 0, 4000, 1), 0);
	assert_int_equal(late(w, 0, 5000, 0), SECOND);
	world_free(w);
}

TEST(the_machine_s_own_addresses_are_physical)
{
	world *w = world_of(small());
	uint64_t address = HD_OWN_BASE + 5;
	assert_int_equal(hd_mmu_late(w->mmu[0], 7, &address, &w->stats), 0);
	assert_int_equal(address, HD_OWN_BASE + 5);
	assert_int_equal(w->stats.pages_tlb_misses, 0);
	assert_int_equal(hd_mmu_late(NULL, 7, &address, &w->stats), 0);
	w->m.pages_kib = 0;
	assert_null(hd_walker_new(&w->m, w->memory, w->l2));
	assert_null(hd_mmu_new(&w->m, NULL));
	world_free(w);
}

/* -- the load/store unit and the constant cache ---------------------------------------------------------------------------------------------- */

static uint64_t access(world *w, hd_lsu *lsu, uint64_t now, hd_op op, unsigned cache, uint64_t offset, uint64_t stride)
{
	hd_inst inst = {.op = (uint8_t)op, .guard = HD_PT, .sub = HD_SIZE_32, .mod = (uint8_t)cache};
	hd_access *a = hd_xaligned(sizeof *a);
	hd_access_result *result = hd_xaligned(sizeof *result);
	hd_trap trap;
	if (op == HD_OP_ATOMG)
		inst.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	hd_access_op what = hd_access_op_of(&inst);
	*a = (hd_access){.op = &what, .mask = ~0u};
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		a->address[0].v[lane] = (uint32_t)(w->buffer + offset + lane * stride);
		a->address[1].v[lane] = (uint32_t)((w->buffer + offset + lane * stride) >> 32);
	}
	assert_true(hd_lsu_access(lsu, now, a, result, &w->stats, &trap));
	uint64_t done = result->done;
	free(a);
	free(result);
	return done - now;
}

/* A miss in the first cache is translated, a hit is not; what misses comes as much later as the translation does. Stores and atomics are translated,
 * an atomic once. */
TEST(requests_to_the_second_level_are_translated)
{
	hd_machine m = small();
	m.memory_l1_latency = 20;
	world *w = world_of(m);
	hd_lsu *lsu = hd_lsu_new(&w->m, w->l2, w->memory, NULL, NULL);
	hd_lsu_set_mmu(lsu, w->mmu[0]);
	assert_int_equal(access(w, lsu, 1000, HD_OP_LDG, HD_CACHE_ALL, 0, 0), SECOND + MISS + MISS + 1);
	assert_int_equal(access(w, lsu, 2000, HD_OP_LDG, HD_CACHE_ALL, 4, 0), 20);
	assert_int_equal(w->stats.pages_tlb_hits + w->stats.pages_tlb_misses, 1);
	assert_int_equal(access(w, lsu, 3000, HD_OP_LDG, HD_CACHE_ALL, 32, 0), MISS); /* another sector of the page */
	assert_int_equal(access(w, lsu, 4000, HD_OP_LDG, HD_CACHE_GLOBAL, PAGE, 0), SECOND + HIT + MISS);
	assert_int_equal(access(w, lsu, 5000, HD_OP_STG, HD_CACHE_ALL, 2 * PAGE, 0), SECOND + HIT + HIT / 2);
	assert_int_equal(w->stats.pages_walks, 3);
	assert_int_equal(access(w, lsu, 6000, HD_OP_ATOMG, 0, 3 * PAGE, 0), SECOND + HIT + HIT + HD_LANES - 1);
	assert_int_equal(w->stats.pages_tlb_hits + w->stats.pages_tlb_misses, 5);
	/* Lanes of two pages: two translations, and the access is as late as the later one. Its 32 sectors are behind the walk's. */
	assert_int_equal(access(w, lsu, 7000, HD_OP_LDG, HD_CACHE_ALL, 4 * PAGE + 64, PAGE / 16), SECOND + 1 + MISS + MISS + 32);
	assert_int_equal(w->stats.pages_walks, 6);
	hd_lsu_free(lsu);
	world_free(w);
}

TEST(constant_variables_are_translated)
{
	hd_machine m = small();
	m.memory_constant_bytes = 1024;
	world *w = world_of(m);
	hd_constants *constants = hd_constants_new(&w->m, w->l2, 1);
	hd_constants_translate(constants, w->mmu[0]);
	hd_constants_translate(NULL, w->mmu[0]);
	assert_int_equal(hd_constants_line(constants, 1000, w->buffer, &w->stats), 1000 + SECOND + MISS + MISS + 2); /* two sectors */
	assert_int_equal(hd_constants_line(constants, 2000, w->buffer + 64, &w->stats), 2000 + MISS + 1);
	assert_int_equal(hd_constants_line(constants, 3000, UINT64_C(1) << 58, &w->stats), 3000 + MISS + 1); /* the bank */
	assert_int_equal(w->stats.pages_walks, 1);
	hd_constants_free(constants);
	world_free(w);
}

/* A hit renews a line of the constant cache, a request ahead does not. */
TEST(constant_lines_are_renewed_by_hits)
{
	for (unsigned ahead = 0; ahead < 2; ahead++) {
		hd_machine m = small();
		m.memory_constant_bytes = 2 * m.memory_constant_line;
		m.memory_constant_ways = 2;
		world *w = world_of(m);
		hd_constants *constants = hd_constants_new(&w->m, w->l2, 1);
		uint64_t bank = UINT64_C(1) << 58, line = m.memory_constant_line;
		hd_constants_line(constants, 1000, bank, &w->stats);
		uint64_t there = hd_constants_line(constants, 2000, bank + line, &w->stats);
		if (ahead)
			assert_int_equal(hd_constants_request(constants, there, bank, &w->stats), there);
		else
			assert_int_equal(hd_constants_operand(constants, 0, there, bank, &w->stats), there);
		hd_constants_line(constants, 4000, bank + 2 * line, &w->stats);
		assert_int_equal(w->stats.memory_constant_misses, 3);
		hd_constants_line(constants, 5000, bank, &w->stats);
		assert_int_equal(w->stats.memory_constant_misses, 3 + ahead);
		hd_constants_free(constants);
		world_free(w);
	}
}
