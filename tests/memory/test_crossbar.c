/* Packets (MT-1): order of arrival, what a packet does, what a core sees of its own. */
#include "../test.h"

#include "memory/crossbar.h"

enum { CORES = 3 };

typedef struct world {
	hd_memory *memory;
	hd_watch watch;
	hd_crossbar *crossbar;
	hd_outbox *outbox[CORES];
	uint64_t buffer;
	uint8_t *bytes;
} world;

/* One access with its operands, as a core keeps it until it is done. Lane i is at word i of the buffer. */
typedef struct kept {
	hd_access_op op;
	hd_access access;
	hd_access_result result;
	hd_work work;
} kept;

static world *world_new(void)
{
	world *w = hd_xaligned(sizeof *w);
	w->memory = hd_memory_new(1 << 20);
	w->crossbar = hd_crossbar_new(w->memory, &w->watch);
	for (uint32_t i = 0; i < CORES; i++)
		w->outbox[i] = hd_outbox_new(i, NULL);
	w->buffer = hd_memory_alloc(w->memory, 136, "buffer");
	w->bytes = hd_memory_at(w->memory, w->buffer, 136);
	return w;
}

static void world_free(world *w)
{
	for (uint32_t i = 0; i < CORES; i++)
		hd_outbox_free(w->outbox[i]);
	hd_crossbar_free(w->crossbar);
	hd_memory_free(w->memory);
	free(w);
}

static kept *make(world *w, hd_access_kind kind, uint32_t value)
{
	kept *k = hd_xaligned(sizeof *k);
	k->op = (hd_access_op){.kind = kind, .space = HD_SPACE_GLOBAL, .size = HD_SIZE_32, .atom = HD_ATOM_ADD, .type = HD_ATOM_U32, .wide = true};
	k->access.op = &k->op;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		k->access.address[0].v[lane] = (uint32_t)w->buffer + lane * 4;
		k->access.data[0].v[lane] = value;
		k->result.at[lane] = w->bytes + lane * 4;
	}
	k->work = (hd_work){
	    .access = &k->access, .result = &k->result, .lanes = hd_lanes_of_host(), .at = k->result.at, .kind = (uint8_t)kind, .size = HD_SIZE_32};
	return k;
}

static hd_packet *send(world *w, uint32_t core, uint64_t arrival, const kept *k, uint32_t lanes)
{
	hd_packet *packet = hd_outbox_send(w->outbox[core], arrival, &k->work);
	packet->work.mask = lanes;
	return packet;
}

static void take_all(world *w)
{
	for (uint32_t i = CORES; i-- > 0;)
		hd_crossbar_take(w->crossbar, w->outbox[i]);
}

static uint32_t word(const world *w, unsigned i) { return hd_load_word(w->bytes + 4 * i); }

/* MT-1: by cycle of arrival, then core, then number, whoever the crossbar took first. */
TEST(packets_take_effect_in_order)
{
	world *w = world_new();
	kept *k[6];
	for (uint32_t i = 0; i < 6; i++)
		k[i] = make(w, HD_ACCESS_STORE, i + 1);
	send(w, 2, 20, k[0], 1);
	send(w, 1, 20, k[1], 1);
	send(w, 1, 20, k[2], 3); /* behind the packet before it */
	send(w, 0, 21, k[3], 4);
	send(w, 2, 19, k[4], 8);
	take_all(w);
	send(w, 0, 19, k[5], 8); /* taken later, but of a lower core */
	take_all(w);
	hd_crossbar_arrive(w->crossbar, 18);
	assert_int_equal(word(w, 3), 0);
	hd_crossbar_arrive(w->crossbar, 20);
	assert_int_equal(word(w, 0), 1); /* core 2 comes last in cycle 20 */
	assert_int_equal(word(w, 1), 3);
	assert_int_equal(word(w, 2), 0);
	assert_int_equal(word(w, 3), 5);
	hd_crossbar_arrive(w->crossbar, UINT64_MAX);
	assert_int_equal(word(w, 2), 4);
	for (unsigned i = 0; i < 6; i++)
		free(k[i]);
	world_free(w);
}

/* Many packets, against the last one of each word in the plainest way. */
TEST(many_packets_take_effect_in_order)
{
	enum { N = 400 };
	world *w = world_new();
	uint64_t seed = 9, now = 0, cycle[N];
	uint32_t core[N], lane[N];
	kept *k[N];
	for (unsigned i = 0; i < N; i++) {
		now += hd_random(&seed) % 3;
		core[i] = (uint32_t)(hd_random(&seed) % CORES);
		lane[i] = (uint32_t)(hd_random(&seed) % 4);
		cycle[i] = now + 10 + hd_random(&seed) % 40;
		k[i] = make(w, HD_ACCESS_STORE, i + 1);
		send(w, core[i], cycle[i], k[i], 1u << lane[i]);
		take_all(w);
		if (i % 50 != 49)
			continue;
		hd_crossbar_arrive(w->crossbar, now);
		for (unsigned at = 0; at < 4; at++) {
			unsigned last = N;
			for (unsigned j = 0; j <= i; j++)
				if (lane[j] == at && cycle[j] <= now &&
				    (last == N || cycle[j] > cycle[last] || (cycle[j] == cycle[last] && core[j] >= core[last])))
					last = j;
			assert_int_equal(word(w, at), last == N ? 0 : last + 1);
		}
	}
	hd_crossbar_arrive(w->crossbar, UINT64_MAX);
	for (unsigned i = 0; i < N; i++)
		free(k[i]);
	world_free(w);
}

/* MT-1: a load has what the slice holds when its packet arrives; an atomic returns the old value. */
TEST(a_load_has_the_value_of_its_arrival)
{
	world *w = world_new();
	kept *ld = make(w, HD_ACCESS_LOAD, 0), *st = make(w, HD_ACCESS_STORE, 7), *late = make(w, HD_ACCESS_STORE, 9),
	     *add = make(w, HD_ACCESS_ATOMIC, 5);
	send(w, 0, 30, ld, 2);
	send(w, 1, 29, st, ~0u);
	send(w, 1, 31, late, 2);
	send(w, 2, 32, add, 6);
	take_all(w);
	hd_crossbar_arrive(w->crossbar, 40);
	assert_int_equal(ld->result.data[0].v[1], 7);
	assert_int_equal(ld->result.data[0].v[0], 0); /* not its lane */
	assert_int_equal(add->result.data[0].v[1], 9);
	assert_int_equal(add->result.data[0].v[2], 7);
	assert_int_equal(word(w, 1), 14);
	assert_int_equal(word(w, 2), 12);
	free(ld);
	free(st);
	free(late);
	free(add);
	world_free(w);
}

/* The sector at the end of an allocation has bytes that nothing is behind. */
TEST(sectors_come_with_the_bytes_that_exist)
{
	world *w = world_new();
	hd_first_cache cache;
	hd_victim victim;
	kept *ld = make(w, HD_ACCESS_LOAD, 0), *hit = make(w, HD_ACCESS_LOAD, 0);
	uint64_t end = w->buffer + 128;
	hd_first_cache_init(&cache, 1024, 2, NULL);
	hd_first_cache_keep_bytes(&cache, &w->outbox[0]->fills);
	for (unsigned lane = 0; lane < 2; lane++) {
		hit->access.address[0].v[lane] = (uint32_t)end + lane * 4;
		ld->result.at[lane] = w->bytes + 128 + lane * 4;
	}
	hd_store_word(w->bytes + 128, 11);
	hd_store_word(w->bytes + 132, 12);
	hd_packet *packet = send(w, 0, 10, ld, 1);
	hd_cache_line *line = hd_tags_place(&cache.tags, end, &victim);
	line->valid = 15;
	hd_first_cache_attach(&cache, line, hd_outbox_fill(w->outbox[0], packet, end, NULL));
	take_all(w);
	hd_crossbar_arrive(w->crossbar, 10);
	assert_int_equal(ld->result.data[0].v[0], 11);
	hd_first_cache_load(&cache, line, end, &hit->work, 3);
	assert_int_equal(hit->result.data[0].v[0], 11);
	assert_int_equal(hit->result.data[0].v[1], 12);
	hd_first_cache_free(&cache);
	free(ld);
	free(hit);
	world_free(w);
}

/* PD-19: what a launch reads has the core's own stores and atomics on top that are on their way, and nobody else's. */
TEST(own_packets_lie_over_memory)
{
	world *w = world_new();
	kept *st = make(w, HD_ACCESS_STORE, 3), *add = make(w, HD_ACCESS_ATOMIC, 4), *other = make(w, HD_ACCESS_STORE, 8);
	assert_ptr_equal(hd_outbox_read(w->outbox[0], w->bytes, 16), w->bytes);
	send(w, 0, 10, st, 0x2);
	send(w, 0, 11, add, 0x6);
	send(w, 1, 9, other, 0x1);
	take_all(w);
	const uint8_t *seen = hd_outbox_read(w->outbox[0], w->bytes + 2, 12); /* from the middle of word 0 to the middle of word 3 */
	assert_int_equal(hd_load_word(seen + 2), 7);
	assert_int_equal(hd_load_word(seen + 6), 4);
	assert_int_equal(seen[0], 0);
	assert_int_equal(word(w, 1), 0);
	hd_crossbar_arrive(w->crossbar, 10);
	seen = hd_outbox_read(w->outbox[0], w->bytes, 16);
	assert_int_equal(hd_load_word(seen + 4), 7);
	assert_int_equal(hd_load_word(seen), 8);
	send(w, 1, 12, other, 0x2); /* behind all of core 0 */
	take_all(w);
	hd_crossbar_arrive(w->crossbar, 12);
	assert_int_equal(hd_load_word(hd_outbox_read(w->outbox[0], w->bytes, 16) + 4), 8);
	free(st);
	free(add);
	free(other);
	world_free(w);
}

/* RC-17: a byte that changes is progress, in the cycle of arrival. The watch knows when the last change can come. */
TEST(arrivals_are_progress)
{
	world *w = world_new();
	kept *st = make(w, HD_ACCESS_STORE, 3), *ld = make(w, HD_ACCESS_LOAD, 0);
	w->watch.on = true;
	send(w, 0, 50, st, 1);
	send(w, 0, 60, ld, 1);
	take_all(w);
	assert_int_equal(w->watch.due, 50);
	hd_crossbar_arrive(w->crossbar, 49);
	assert_true(w->watch.on);
	hd_crossbar_arrive(w->crossbar, 60);
	assert_false(w->watch.on);
	assert_int_equal(w->watch.from, 50 + HD_QUIET);
	w->watch.on = true;
	send(w, 0, 70, st, 1);
	take_all(w);
	hd_crossbar_arrive(w->crossbar, 70);
	assert_true(w->watch.on); /* the same value again */
	free(st);
	free(ld);
	world_free(w);
}
