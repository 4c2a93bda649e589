/* Accesses that leave after their window of time (PA-2): each part leaves when its room has a place and in the order of the parts, parts that leave
 * together are one packet, and the memory stage opens behind the last one. */
#include "../test.h"

#include "memory/deferred.h"

enum { FAR = 30, L1_LATENCY = 21, ADDRESS = 0x4000 };

typedef struct world {
	hd_machine machine;
	hd_l2 *l2;
	hd_memory *memory;
	hd_lsu *lsu;
	hd_outbox *outbox;
	hd_access_op op;
	hd_access access;
	hd_access_result result;
	hd_work work;
	uint64_t there;
} world;

static world *world_new(void)
{
	world *w = hd_xaligned(sizeof *w);
	memset(w, 0, sizeof *w);
	hd_machine_default(&w->machine);
	w->machine.memory_l1_latency = L1_LATENCY;
	w->machine.memory_l1_misses = w->machine.memory_l1_writes = 2;
	w->l2 = hd_l2_new(&w->machine);
	w->memory = hd_memory_new(1 << 20);
	w->lsu = hd_lsu_new(&w->machine, w->l2, w->memory, NULL, NULL);
	w->outbox = hd_outbox_new(3, NULL);
	hd_lsu_set_outbox(w->lsu, w->outbox);
	w->op = (hd_access_op){.kind = HD_ACCESS_LOAD, .space = HD_SPACE_GLOBAL, .size = HD_SIZE_32, .wide = true};
	w->access.op = &w->op;
	w->work = (hd_work){.access = &w->access, .result = &w->result, .kind = HD_ACCESS_LOAD, .size = HD_SIZE_32, .mask = ~0u};
	w->there = w->machine.memory_l2_latency / 2;
	return w;
}

static void world_free(world *w)
{
	hd_lsu_free(w->lsu);
	hd_outbox_free(w->outbox);
	hd_memory_free(w->memory);
	hd_l2_free(w->l2);
	free(w);
}

/* The shared side lets the part leave, and its answer comes in cycle `end`. Returns the cycle in which it leaves, the way to a far slice included. */
static uint64_t leave(world *w, hd_room *room, uint32_t part, uint64_t end)
{
	uint64_t at = hd_deferred_departure(w->lsu->deferred, part);
	assert_int_equal(hd_deferred_arrival(w->lsu->deferred, at), at + w->there);
	hd_room_take(room, end);
	return at;
}

static uint32_t packets(const world *w)
{
	uint32_t n = 0;
	for (const hd_packet *p = w->outbox->first; p; p = p->later)
		n++;
	return n;
}

TEST(nothing_is_held_at_first)
{
	world *w = world_new();
	assert_false(hd_deferred_any(w->lsu));
	assert_false(hd_lsu_release(w->lsu));
	hd_deferred_begin(w->lsu, &w->work);
	assert_false(hd_deferred_any(w->lsu));
	assert_false(hd_lsu_release(w->lsu));
	assert_int_equal(hd_deferred_add(w->lsu, &w->lsu->misses, 10, 1, 0, NULL), 0);
	assert_true(hd_deferred_any(w->lsu));
	assert_int_equal(hd_deferred_add(w->lsu, &w->lsu->misses, 10, 2, 0, NULL), 1);
	world_free(w);
}

/* Two places, which are free in 50 and in 80: the third part has the place of the first one. */
TEST(parts_wait_for_room)
{
	world *w = world_new();
	hd_room *room = &w->lsu->misses;
	hd_room_take(room, 80);
	hd_room_take(room, 50);
	hd_deferred_begin(w->lsu, &w->work);
	for (uint32_t i = 0; i < 4; i++)
		hd_deferred_add(w->lsu, room, 10 + i, 1u << i, 0, NULL);
	hd_deferred_end(w->lsu, 1);
	assert_int_equal(leave(w, room, 0, 210), 50);
	assert_int_equal(leave(w, room, 1, 120), 80);
	assert_int_equal(leave(w, room, 2, 300), 120);
	assert_int_equal(hd_deferred_hit(w->lsu->deferred), 120 + L1_LATENCY);
	assert_int_equal(leave(w, room, 3, 400), 210);
	assert_int_equal(hd_deferred_hit(w->lsu->deferred), 210 + L1_LATENCY);
	assert_int_equal(w->lsu->left, 210);
	assert_int_equal(packets(w), 4);
	world_free(w);
}

/* A place that is free earlier does not let a part overtake the one before, nor what an earlier access has sent. */
TEST(parts_leave_in_order)
{
	world *w = world_new();
	hd_room *misses = &w->lsu->misses, *writes = &w->lsu->writes;
	hd_room_take(misses, 90);
	hd_room_take(misses, 91);
	hd_deferred_begin(w->lsu, &w->work);
	hd_deferred_add(w->lsu, misses, 10, 1, 0, NULL);
	hd_deferred_add(w->lsu, writes, 10, 1, 0, NULL); /* the write of an atomic: there is room for it at once */
	assert_int_equal(leave(w, misses, 0, 300), 90);
	assert_int_equal(leave(w, writes, 1, 300), 90);
	w->lsu->left = 500;
	hd_deferred_end(w->lsu, 1);
	hd_lsu_release(w->lsu);
	hd_deferred_begin(w->lsu, &w->work);
	hd_deferred_add(w->lsu, misses, 120, 1, 0, NULL);
	assert_int_equal(leave(w, misses, 0, 700), 500);
	world_free(w);
}

/* Parts that leave in one cycle and go equally far are one packet with the lanes and sectors of all. */
TEST(parts_that_leave_together)
{
	world *w = world_new();
	static const uint8_t bytes[3 * HD_SECTOR_BYTES];
	hd_room room;
	hd_fill *fill[3];
	hd_room_init(&room, 8);
	hd_deferred_begin(w->lsu, &w->work);
	for (uint32_t i = 0; i < 3; i++) {
		fill[i] = hd_fills_take(&w->outbox->fills);
		fill[i]->address = ADDRESS + i * HD_SECTOR_BYTES;
		fill[i]->host = bytes + i * HD_SECTOR_BYTES;
	}
	hd_deferred_add(w->lsu, &room, 10, 0x0f, 0, fill[0]);
	hd_deferred_add(w->lsu, &room, 10, 0xf0, FAR, fill[1]);
	hd_deferred_add(w->lsu, &room, 10, 0x300, 0, fill[2]);
	hd_deferred_add(w->lsu, &room, 10, 0xc00, FAR, NULL);
	assert_int_equal(leave(w, &room, 0, 300), 10);
	assert_int_equal(leave(w, &room, 1, 300), 10 + FAR);
	assert_int_equal(leave(w, &room, 2, 300), 10);
	assert_int_equal(leave(w, &room, 3, 300), 10 + FAR);
	assert_int_equal(packets(w), 2);
	const hd_packet *near = w->outbox->first, *far = near->later;
	assert_int_equal(near->arrival, 10 + w->there);
	assert_int_equal(far->arrival, 10 + FAR + w->there);
	assert_int_equal(near->work.mask, 0x30f);
	assert_int_equal(far->work.mask, 0xcf0);
	assert_ptr_equal(near->work.access, &w->access);
	assert_ptr_equal(near->fills, fill[0]);
	assert_ptr_equal(fill[0]->next, fill[2]);
	assert_ptr_equal(far->fills, fill[1]);
	assert_null(fill[1]->next);
	/* The next access begins packets of its own. */
	hd_deferred_end(w->lsu, 1);
	hd_lsu_release(w->lsu);
	hd_deferred_begin(w->lsu, &w->work);
	hd_deferred_add(w->lsu, &room, 10, 1, 0, NULL);
	assert_int_equal(leave(w, &room, 0, 300), 10);
	assert_int_equal(packets(w), 3);
	hd_room_free(&room);
	world_free(w);
}

/* A sector that the first cache has, behind parts that had to wait: it comes when these have left, or when the sector is there. */
TEST(hits_behind_parts)
{
	world *w = world_new();
	hd_requests requests = {.open = true, .window = 1};
	hd_stats stats = {0};
	hd_room_take(&w->lsu->misses, 500);
	hd_room_take(&w->lsu->misses, 600);
	hd_deferred_begin(w->lsu, &w->work);
	hd_request part = {.kind = HD_REQUEST_DEFERRED, .deferred = w->lsu->deferred, .room = &w->lsu->misses, .address = ADDRESS, .reads = true};
	hd_request hit = {.kind = HD_REQUEST_HIT, .deferred = w->lsu->deferred, .at = 30},
	           late = {.kind = HD_REQUEST_HIT, .deferred = w->lsu->deferred, .at = 5000};
	part.part = hd_deferred_add(w->lsu, &w->lsu->misses, 40, 1, 0, NULL);
	hd_deferred_end(w->lsu, 1);
	hd_requests_note(&requests, &part);
	hd_requests_note(&requests, &hit);
	hd_requests_note(&requests, &late);
	hit.at = HD_PENDING; /* a hit in the sector that the part brings */
	hd_requests_note(&requests, &hit);
	for (uint32_t i = 0; i < 4; i++)
		hd_requests_serve(&requests, i, w->l2, &stats);
	assert_int_equal(requests.list.at[0].at, 500);
	assert_int_equal(hd_request_arrival(&requests.list.at[0]), 500 + w->there);
	assert_int_equal(requests.list.at[1].answer, 500 + L1_LATENCY);
	assert_int_equal(requests.list.at[2].answer, 5000);
	assert_true(requests.list.at[0].answer > 500 + L1_LATENCY);
	assert_int_equal(requests.list.at[3].answer, requests.list.at[0].answer);
	assert_int_equal(hd_request_arrival(&requests.list.at[1]), 0);
	assert_int_equal(hd_room_from(&w->lsu->misses, 0), 600); /* the part has the place that was free in 500 */
	hd_requests_free(&requests);
	world_free(w);
}

/* The stage is closed until the parts have left and the lines have gone through it. */
TEST(the_stage_opens_again)
{
	world *w = world_new();
	for (uint32_t lines = 1; lines <= 5; lines += 4) {
		uint64_t room_at = 1000 * lines;
		w->lsu->free_at[0] = UINT64_MAX;
		hd_room_take(&w->lsu->misses, room_at);
		hd_room_take(&w->lsu->misses, room_at + 5);
		hd_deferred_begin(w->lsu, &w->work);
		hd_deferred_add(w->lsu, &w->lsu->misses, 40, 1, FAR, NULL);
		hd_deferred_end(w->lsu, lines);
		leave(w, &w->lsu->misses, 0, room_at + 10);
		assert_true(hd_lsu_release(w->lsu));
		assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), room_at + lines);
		assert_false(hd_deferred_any(w->lsu));
		assert_false(hd_lsu_release(w->lsu));
		assert_int_equal(hd_lsu_free_at(w->lsu, HD_PIPE_LSU), room_at + lines);
	}
	world_free(w);
}
