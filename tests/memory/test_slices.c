/* Slices of the second level (MT-4): which slice has a line, look-ups in order, banks, queues that push back, the table of misses, the ways out. Each
 * test lets requests enter by hand. */
#include "../test.h"

#include "memory/slices.h"

enum { LATENCY = 100, DRAM = 200, BANK = 6, LINE = 128, CORES = 2, MOST = 300 };

typedef struct world {
	hd_machine machine;
	hd_slices *slices;
	hd_stats stats;
	hd_outbox *outbox[CORES];
	hd_slice_request request[MOST];
	unsigned n;
	hd_outbox *woken[MOST];
	unsigned n_woken;
} world;

static world *world_new(uint32_t slices, const char *const *settings)
{
	world *w = hd_xcalloc(1, sizeof *w);
	hd_diag diag = {0};
	hd_machine *m = &w->machine;
	hd_machine_default(m);
	m->memory_slices = slices;
	m->memory_l2_latency = LATENCY;
	m->memory_dram_latency = DRAM;
	m->memory_slice_bank_cycles = BANK;
	m->memory_dram_partitions = 1;
	m->memory_answer_bytes = 0;
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(m, *settings, &diag));
	if (!hd_machine_validate(m, NULL, &diag))
		fail_msg("%s", diag.text.at);
	w->slices = hd_slices_new(m);
	hd_slices_count(w->slices, &w->stats);
	for (uint32_t i = 0; i < CORES; i++) {
		w->outbox[i] = hd_outbox_new(i, NULL);
		w->outbox[i]->slices = w->slices;
	}
	return w;
}

static void world_free(world *w)
{
	for (uint32_t i = 0; i < CORES; i++)
		hd_outbox_free(w->outbox[i]);
	hd_slices_free(w->slices);
	free(w);
}

/* Ticks up to cycle `until`, in the cycles that the slices ask for. */
static void pass(world *w, uint64_t until)
{
	for (uint64_t next, now = 0; (next = hd_max_u64(hd_slices_next(w->slices), now)) <= until; now = next + 1) {
		hd_slices_tick(w->slices, next);
		for (hd_outbox *outbox; (outbox = hd_slices_woken(w->slices));)
			w->woken[w->n_woken++] = outbox;
		for (hd_outbox *outbox; (outbox = hd_slices_answered(w->slices));)
			outbox->answered = NULL;
	}
}

static bool enter(world *w, uint64_t now, uint32_t core, uint64_t address, hd_slice_request_kind kind, unsigned times)
{
	hd_slice_request *request = &w->request[w->n];
	*request = (hd_slice_request){.outbox = w->outbox[core], .physical = address, .times = times, .kind = (uint8_t)kind};
	assert_true(w->n < MOST);
	pass(w, now - 1);
	bool entered = hd_slices_enter(w->slices, now, request);
	w->n += entered;
	return entered;
}

static void reads(world *w, uint64_t now, uint64_t address) { assert_true(enter(w, now, 0, address, HD_SLICE_READ, 0)); }

/* Brings the sectors into the second level. */
static void warm(world *w, uint64_t address, unsigned sectors)
{
	for (unsigned i = 0; i < sectors; i++)
		reads(w, 1 + i * 1000, address + i * 32);
	pass(w, sectors * 1000 + 1000);
	w->n = 0;
	w->stats = (hd_stats){0};
}

TEST(hits_and_misses_take_their_time)
{
	world *w = world_new(1, NULL);
	reads(w, 10, 0);
	reads(w, 1000, 0);
	reads(w, 2000, 32); /* the line is there, the sector is not */
	assert_true(enter(w, 3000, 0, 64, HD_SLICE_WRITE, 0));
	reads(w, 4000, 64); /* the written data is there */
	pass(w, 10000);
	assert_int_equal(w->request[0].ready, 10 + DRAM + LATENCY / 2);
	assert_int_equal(w->request[1].ready, 1000 + LATENCY / 2);
	assert_int_equal(w->request[2].ready, 2000 + DRAM + LATENCY / 2);
	assert_int_equal(w->request[3].ready, 3000 + LATENCY / 2);
	assert_int_equal(w->request[4].ready, 4000 + LATENCY / 2);
	assert_int_equal(w->stats.memory_l2_hits, 2);
	assert_int_equal(w->stats.memory_l2_misses, 3);
	assert_int_equal(w->stats.memory_dram_reads, 2);
	world_free(w);
}

/* A far slice answers later. */
TEST(far_slices)
{
	static const char *const far[] = {"memory.far_latency=70", NULL};
	world *w = world_new(1, far);
	w->request[0] = (hd_slice_request){.outbox = w->outbox[0], .far = true};
	assert_true(hd_slices_enter(w->slices, 5, &w->request[0]));
	pass(w, 1000);
	assert_int_equal(w->request[0].ready, 5 + DRAM + LATENCY / 2 + 70);
	world_free(w);
}

/* One look-up a cycle, and a bank that is busy holds back what is behind. */
TEST(banks_conflict)
{
	static const char *const banks[] = {"memory.slice_banks=2", NULL};
	world *w = world_new(1, banks);
	for (unsigned line = 0; line < 3; line++)
		warm(w, line * LINE, 1);
	reads(w, 10000, 0);
	reads(w, 10000, LINE);     /* the other bank */
	reads(w, 10000, 2 * LINE); /* the first bank again */
	reads(w, 10000, LINE);
	pass(w, 20000);
	assert_int_equal(w->request[0].ready, 10000 + LATENCY / 2);
	assert_int_equal(w->request[1].ready, 10001 + LATENCY / 2);
	assert_int_equal(w->request[2].ready, 10000 + BANK + LATENCY / 2);
	assert_int_equal(w->request[3].ready, 10001 + BANK + LATENCY / 2);
	assert_int_equal(w->stats.memory_bank_waits, BANK - 2);
	world_free(w);
}

/* The operations of an atomic on one address follow each other, in the bank and in the answer. */
TEST(atomics_hold_their_bank)
{
	world *w = world_new(1, NULL);
	warm(w, 0, 1);
	assert_true(enter(w, 10000, 0, 0, HD_SLICE_ATOMIC, 5));
	reads(w, 10000, 0);
	pass(w, 20000);
	assert_int_equal(w->request[0].ready, 10000 + LATENCY / 2 + 4);
	assert_int_equal(w->request[1].ready, 10000 + 5 * BANK + LATENCY / 2);
	world_free(w);
}

TEST(queues_push_back)
{
	static const char *const queue[] = {"memory.slice_queue=2", NULL};
	world *w = world_new(1, queue);
	warm(w, 0, 1);
	reads(w, 10000, 0);
	reads(w, 10000, 0);
	assert_false(enter(w, 10000, 1, 0, HD_SLICE_READ, 0));
	w->n_woken = 0;
	pass(w, 10000);
	assert_int_equal(w->n_woken, 1); /* the first one has left the queue */
	assert_ptr_equal(w->woken[0], w->outbox[1]);
	assert_true(enter(w, 10003, 1, 0, HD_SLICE_READ, 0));
	pass(w, 20000);
	assert_int_equal(w->request[2].ready, 10000 + 2 * BANK + LATENCY / 2);
	assert_int_equal(w->stats.memory_slice_waits, 3);
	world_free(w);
}

/* Without a free miss the slice stands still, also for hits behind. */
TEST(misses_are_finite)
{
	static const char *const one[] = {"memory.l2_misses=2", NULL};
	world *w = world_new(1, one);
	warm(w, 0, 1);
	reads(w, 10000, 1 * LINE);
	reads(w, 10000, 2 * LINE);
	reads(w, 10000, 3 * LINE);
	reads(w, 10000, 0);
	pass(w, 20000);
	assert_int_equal(w->request[0].ready, 10000 + DRAM + LATENCY / 2);
	assert_int_equal(w->request[1].ready, 10002 + DRAM + LATENCY / 2); /* the data bus */
	assert_int_equal(w->request[2].ready, 10000 + 2 * DRAM + LATENCY / 2);
	assert_int_equal(w->request[3].ready, 10000 + DRAM + 1 + LATENCY / 2);
	assert_int_equal(w->stats.memory_miss_waits, DRAM - 2);
	world_free(w);
}

TEST(a_sector_on_its_way_is_read_once)
{
	world *w = world_new(1, NULL);
	reads(w, 10, 0);
	assert_true(enter(w, 60, 1, 0, HD_SLICE_READ, 0));
	assert_true(enter(w, 70, 1, 0, HD_SLICE_ATOMIC, 2));
	pass(w, 1000);
	assert_int_equal(w->request[0].ready, 10 + DRAM + LATENCY / 2);
	assert_int_equal(w->request[1].ready, 10 + DRAM + LATENCY / 2);
	assert_int_equal(w->request[2].ready, 10 + DRAM + LATENCY / 2 + 1);
	assert_int_equal(w->stats.memory_dram_reads, 1);
	world_free(w);
}

/* Answers with data take turns at the port of their core. */
TEST(answers_have_a_width)
{
	static const char *const width[] = {"memory.answer_bytes=8", "memory.slice_bank_cycles=1", NULL};
	world *w = world_new(1, width);
	warm(w, 0, 1);
	for (unsigned i = 0; i < 3; i++)
		reads(w, 10000, 0);
	assert_true(enter(w, 10000, 1, 0, HD_SLICE_READ, 0));  /* another core */
	assert_true(enter(w, 10000, 0, 0, HD_SLICE_WRITE, 0)); /* takes no width */
	pass(w, 20000);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(w->request[i].ready, 10000 + LATENCY / 2 + i * 4);
	assert_int_equal(w->request[3].ready, 10003 + LATENCY / 2);
	assert_int_equal(w->request[4].ready, 10004 + LATENCY / 2);
	world_free(w);
}

/* Written data goes to DRAM when its line is replaced, and takes the bus. */
TEST(dirty_lines_are_written_back)
{
	static const char *const small[] = {"memory.l2_bytes=16384", "memory.l2_ways=1", "memory.dram_cycles_per_sector=50", NULL};
	world *w = world_new(1, small);
	assert_true(enter(w, 10, 0, 0, HD_SLICE_WRITE, 0));
	assert_true(enter(w, 20, 0, 64, HD_SLICE_WRITE, 0));
	reads(w, 1000, 16384);
	pass(w, 10000);
	assert_int_equal(w->stats.memory_dram_writes, 2);
	assert_int_equal(w->request[2].ready, 1000 + 2 * 50 + DRAM + LATENCY / 2);
	world_free(w);
}

/* The queue of the DRAM partition holds back the slice. */
TEST(dram_queues_push_back)
{
	static const char *const small[] = {"memory.dram_queue=5", "memory.dram_cycles_per_sector=40", "memory.slice_bank_cycles=1", NULL};
	world *w = world_new(1, small);
	for (unsigned i = 0; i < 8; i++)
		reads(w, 10, i * LINE);
	pass(w, 10000);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(w->request[i].ready, 10 + i * 40 + DRAM + LATENCY / 2);
	assert_true(w->stats.memory_miss_waits > 100);
	world_free(w);
}

TEST(system_memory_is_behind_the_host_interface)
{
	static const char *const host[] = {"host.bytes_per_cycle=8", "host.latency=500", "host.system_memory=true", NULL};
	world *w = world_new(1, host);
	reads(w, 10, 0);
	assert_true(enter(w, 2000, 0, 0, HD_SLICE_WRITE, 0));
	pass(w, 10000);
	assert_int_equal(w->request[0].ready, 10 + 500 + 4 + LATENCY / 2);
	assert_int_equal(w->request[1].ready, 2000 + LATENCY / 2);
	assert_int_equal(w->stats.host_interface_sectors_read, 1);
	assert_int_equal(w->stats.host_interface_sectors_written, 1);
	assert_int_equal(w->stats.memory_dram_reads, 0);
	world_free(w);
}

/* Readers without packets: instructions, constants, page tables. */
TEST(a_peek_takes_the_latency)
{
	world *w = world_new(2, NULL);
	assert_int_equal(hd_slices_peek(w->slices, 100, 0, false, &w->stats), 100 + LATENCY + DRAM);
	assert_int_equal(hd_slices_peek(w->slices, 500, 0, false, &w->stats), 500 + LATENCY);
	assert_int_equal(hd_slices_peek(w->slices, 600, LINE, true, &w->stats), 600 + LATENCY / 2);
	assert_int_equal(w->stats.memory_l2_hits, 1);
	assert_int_equal(w->stats.memory_l2_misses, 2);
	assert_int_equal(w->stats.memory_dram_reads, 1);
	world_free(w);
}

/* The most lines that one of the slices has, of `n` lines at this stride. */
static unsigned fullest(const hd_slice_map *map, uint64_t stride, unsigned n)
{
	unsigned lines[64] = {0}, most = 0;
	for (unsigned i = 0; i < n; i++)
		lines[hd_slice_of(map, i * stride)]++;
	for (unsigned i = 0; i < map->slices; i++)
		most = hd_max_u32(most, lines[i]);
	return most;
}

/* The hash gives each slice its part of the lines at any stride, as far as chance does. Interleaving does not. */
TEST(the_hash_spreads_strides)
{
	enum { N = 4096 };
	hd_machine m;
	hd_machine_default(&m);
	for (uint32_t slices = 1; slices <= 64; slices *= 2) {
		m.memory_slices = slices;
		m.memory_slice_hash = HD_SLICE_HASHED;
		hd_slice_map map = hd_slice_map_of(&m);
		assert_int_equal(fullest(&map, LINE, N), N / slices);
		for (uint64_t lines = 2; lines < 200; lines++)
			assert_in_range(fullest(&map, lines * LINE, N), N / slices, N / slices * 8 / 5);
		for (uint64_t lines = 1; lines <= 1 << 24; lines *= 2)
			assert_in_range(fullest(&map, lines * LINE, N), N / slices, N / slices * 8 / 5);
		m.memory_slice_hash = HD_SLICE_INTERLEAVED;
		map = hd_slice_map_of(&m);
		assert_int_equal(fullest(&map, LINE, N), N / slices);
		assert_int_equal(fullest(&map, slices * LINE, N), N);
	}
}

/* No two lines share a place: each line that was read is there, as long as the second level has room. */
TEST(each_line_has_a_place)
{
	static const char *const both[][2] = {{"memory.slice_hash=hashed", NULL}, {"memory.slice_hash=interleaved", NULL}};
	for (unsigned i = 0; i < 2; i++) {
		world *w = world_new(8, both[i]);
		for (uint64_t line = 0; line < w->machine.memory_l2_bytes / LINE; line++)
			hd_slices_peek(w->slices, 0, line * LINE, false, &w->stats);
		assert_int_equal(w->stats.memory_l2_hits, 0);
		for (uint64_t line = 0; line < w->machine.memory_l2_bytes / LINE; line++)
			hd_slices_peek(w->slices, 0, line * LINE, false, &w->stats);
		assert_int_equal(w->stats.memory_l2_hits, w->machine.memory_l2_bytes / LINE);
		world_free(w);
	}
}
