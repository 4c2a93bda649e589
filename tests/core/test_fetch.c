/* Fetch and instruction caches: PD-11. */
#include "core/fetch/fetch.h"

#include "../test.h"

#include "memory/l2.h"
#include "memory/requests.h"

typedef struct bed {
	hd_machine machine;
	hd_stats stats;
	hd_l2 *l2;
	hd_icache l15;
	hd_fetch_port port;
	hd_fetch fetch[2];
	hd_fetch *buffers[2];
	uint64_t now;
} bed;

static bed *bed_new(uint32_t words)
{
	bed *b = hd_xcalloc(1, sizeof *b);
	hd_machine_default(&b->machine);
	b->l2 = hd_l2_new(&b->machine);
	hd_icache_init(&b->l15, b->machine.fetch_l15_lines, 8);
	hd_fetch_port_init(&b->port, &b->machine, &b->l15, b->l2, &b->stats, words);
	for (int i = 0; i < 2; i++) {
		hd_fetch_init(&b->fetch[i], &b->machine, &b->stats);
		b->buffers[i] = &b->fetch[i];
	}
	return b;
}

static void bed_free(bed *b)
{
	hd_fetch_port_free(&b->port);
	hd_icache_free(&b->l15);
	hd_l2_free(b->l2);
	free(b);
}

static void tick(bed *b)
{
	b->now++;
	for (int i = 0; i < 2; i++)
		hd_fetch_arrive(&b->fetch[i], b->now, &(uint32_t){0});
	hd_fetch_request(&b->port, b->buffers, 2, b->now);
}

/* Cycles until warp 0 of buffer 0 has its next instruction. */
static unsigned until_fed(bed *b)
{
	unsigned cycles = 0;
	while (b->fetch[0].starved & 1) {
		tick(b);
		cycles++;
		assert_true(cycles < 10000);
	}
	return cycles;
}

/* The levels: far the first time, near the second; a line in the L1.5 in between. */
TEST(lines_come_from_the_nearest_level)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 3);
	unsigned far = until_fed(b);
	assert_true(far > b->machine.fetch_l15_latency);
	assert_int_equal(b->fetch[0].have[0], 8);
	for (int i = 0; i < 2000; i++)
		tick(b);
	hd_fetch_restart(&b->fetch[0], 0, 3);
	assert_int_equal(until_fed(b), 1 + b->machine.fetch_l1i_latency);
	/* Push line 0 out of the first cache, not out of the second. */
	uint32_t sets = b->port.l1.array.sets;
	for (uint32_t i = 1; i <= b->port.l1.array.ways; i++) {
		hd_fetch_restart(&b->fetch[0], 0, i * sets * HD_LINE_WORDS + 1);
		until_fed(b);
		for (int j = 0; j < 2000; j++)
			tick(b);
	}
	hd_fetch_restart(&b->fetch[0], 0, 3);
	assert_int_equal(until_fed(b), 1 + b->machine.fetch_l15_latency);
	assert_int_equal(b->stats.predecode_lines, b->stats.predecode_l1i_hits + b->stats.predecode_l1i_misses);
	assert_true(b->stats.predecode_l15_misses < b->stats.predecode_l1i_misses);
	bed_free(b);
}

/* It runs ahead on its own, by so much as the buffer holds, and no further. */
TEST(fetch_runs_ahead_of_issue)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	for (int i = 0; i < 3000; i++)
		tick(b);
	assert_int_equal(b->fetch[0].have[0], 16); /* two lines of 7 fill a buffer of 16 */
	uint32_t pc = 1;
	unsigned starved = 0;
	for (int i = 0; i < 3000; i++) { /* an instruction a cycle: lines from afar cannot keep up, those ahead were asked for in time */
		if (b->fetch[0].starved & 1) {
			starved++;
		} else {
			pc = hd_after(HD_GEOMETRY_LINE, pc);
			hd_fetch_consume(&b->fetch[0], 0, 1, pc);
			assert_true(b->fetch[0].buffered[0] <= b->machine.predecode_buffer);
		}
		tick(b);
	}
	assert_true(starved > 0);
	/* Once more, from the cache: no gap at all. */
	hd_fetch_restart(&b->fetch[0], 0, 1);
	until_fed(b);
	uint32_t end = pc < 128 * 8 ? pc : 128 * 8;
	for (pc = 1; pc < end - 8;) {
		assert_false(b->fetch[0].starved & 1);
		pc = hd_after(HD_GEOMETRY_LINE, pc);
		hd_fetch_consume(&b->fetch[0], 0, 1, pc);
		tick(b);
	}
	bed_free(b);
}

/* A flush forgets lines on their way. */
TEST(a_restart_forgets_what_is_on_its_way)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	tick(b);
	assert_true(b->fetch[0].coming & 1);
	hd_fetch_restart(&b->fetch[0], 0, 8005);
	assert_false(b->fetch[0].coming & 1);
	until_fed(b);
	assert_int_equal(b->fetch[0].have[0], 8008);
	hd_fetch_stop(&b->fetch[0], 0);
	assert_int_equal(b->fetch[0].want, 0);
	bed_free(b);
}

/* Starved warps go first, and all get their turn. */
TEST(every_warp_gets_its_turn)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned warp = 0; warp < 16; warp++)
			hd_fetch_restart(&b->fetch[s], warp, 1);
	for (int i = 0; i < 32; i++)
		tick(b);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned warp = 0; warp < 16; warp++)
			assert_true(b->fetch[s].buffered[warp] >= 7);
	for (int i = 0; i < 1000; i++)
		tick(b);
	assert_int_equal(b->fetch[0].starved | b->fetch[1].starved, 0);
	/* All warps wait for one and the same line: one miss. */
	assert_int_equal(b->stats.predecode_l1i_misses, 2);
	bed_free(b);
}

/* Behind the end of the code there is something to trap on, without a fetch. */
TEST(the_end_of_the_code)
{
	bed *b = bed_new(1 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 7);
	until_fed(b);
	hd_fetch_consume(&b->fetch[0], 0, 1, 9);
	until_fed(b);
	assert_int_equal(b->stats.predecode_lines, 1);
	bed_free(b);
}

/* -- one request at a time ------------------------------------------------------------------------------------------------------------------ */

/* A warp that has issued everything it has is starved, whether its new PC lies in the next line or begins it. */
TEST(a_warp_without_an_instruction_is_starved)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	until_fed(b);
	assert_int_equal(b->fetch[0].have[0], 8);
	hd_fetch_consume(&b->fetch[0], 0, 6, 7);
	assert_int_equal(b->fetch[0].starved & 1, 0);
	hd_fetch_consume(&b->fetch[0], 0, 1, 8);
	assert_int_equal(b->fetch[0].starved & 1, 1);
	bed_free(b);
}

static void request(bed *b) { hd_fetch_request(&b->port, b->buffers, 2, b->now); }

/* A line is wanted while the buffer has room for it, and while fewer lines than `prefetch` are ahead. The first line counts from the PC on. */
TEST(lines_are_wanted_while_there_is_room)
{
	static const struct {
		uint32_t buffer, prefetch, pc;
		unsigned lines;
	} rows[] = {
	    {64, 2, 1, 3}, /* the needed line and two ahead */
	    {64, 0, 1, 1}, /* none ahead */
	    {22, 8, 1, 3}, /* 7 + 7 + 7: one place is left over */
	    {21, 8, 1, 3}, /* they just fit */
	    {20, 8, 1, 2}, /* 14 are requested, and 6 places are left */
	    {16, 8, 1, 2}, /* 7 + 7 */
	    {16, 8, 6, 3}, /* 2 + 7 + 7: the first line has only two instructions from the PC on */
	    {16, 8, 5, 2}, /* 3 + 7: 6 places are left */
	    {8, 8, 7, 2},  /* 1 + 7 */
	    {8, 8, 6, 1},  /* 2: 6 places are left */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		bed *b = bed_new(64 * HD_LINE_WORDS);
		b->machine.predecode_buffer = rows[i].buffer;
		b->machine.predecode_prefetch = rows[i].prefetch;
		hd_fetch_init(&b->fetch[0], &b->machine, &b->stats);
		hd_fetch_restart(&b->fetch[0], 0, rows[i].pc);
		for (unsigned n = 0; n < 20; n++)
			request(b);
		if (b->fetch[0].n[0] != rows[i].lines)
			fail_msg("row %u: %u lines", i, b->fetch[0].n[0]);
		bed_free(b);
	}
}

/* The ring of requested lines is never overrun, also with short lines, of which the largest buffer holds more than the ring. */
TEST(the_ring_of_lines_is_not_overrun)
{
	bed *b = bed_new(256 * 4);
	b->machine.predecode_geometry = HD_GEOMETRY_SHORT;
	b->machine.predecode_buffer = 64;
	b->machine.predecode_prefetch = 32;
	hd_fetch_init(&b->fetch[0], &b->machine, &b->stats);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	for (unsigned n = 0; n < 40; n++)
		request(b);
	assert_in_range(b->fetch[0].n[0], 10, HD_LINES_COMING);
	bed_free(b);
}

/* Behind the last line nothing is wanted. The request that finds the end counts as no line. */
TEST(no_line_behind_the_code_is_wanted)
{
	bed *b = bed_new(2 * HD_LINE_WORDS);
	b->machine.predecode_buffer = 64;
	b->machine.predecode_prefetch = 8;
	hd_fetch_init(&b->fetch[0], &b->machine, &b->stats);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	for (unsigned n = 0; n < 10; n++)
		request(b);
	assert_int_equal(b->fetch[0].n[0], 3);
	assert_int_equal(b->fetch[0].want & 1, 0);
	assert_int_equal(b->stats.predecode_lines, 2);
	bed_free(b);
}

/* The lines of a warp arrive in order: a line from afar holds back the one behind it, which is near. Two can arrive in one cycle. */
TEST(lines_arrive_in_order)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	hd_fetch *fetch = &b->fetch[0];
	uint32_t fed;
	b->now = 10;
	hd_icache_fill(&b->port.l1, 0, 1);
	hd_icache_fill(&b->port.l1, 2, 1);
	hd_fetch_restart(fetch, 0, 6);
	for (unsigned n = 0; n < 3; n++, b->now++)
		request(b);
	assert_int_equal(fetch->n[0], 3);
	uint64_t far = fetch->arrival[0][fetch->first[0] + 1];
	assert_true(far > 10 + b->machine.fetch_l15_latency);
	assert_int_equal(fetch->arrival[0][fetch->first[0] + 2], far);
	assert_int_equal(fetch->soonest, 10 + b->machine.fetch_l1i_latency);
	assert_true(hd_fetch_arrive(fetch, fetch->soonest, &fed));
	assert_int_equal(fetch->have[0], 8);
	assert_int_equal(fetch->soonest, far);
	hd_fetch_arrive(fetch, far - 1, &fed);
	assert_int_equal(fed, 0);
	hd_fetch_arrive(fetch, far, &fed);
	assert_int_equal(fed, 1);
	assert_int_equal(fetch->have[0], 24);
	assert_int_equal(fetch->soonest, UINT64_MAX);
	bed_free(b);
}

/* A later line that is behind the last of three: the bound is the last requested line, not the first. */
TEST(a_line_follows_the_one_requested_last)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	hd_fetch *fetch = &b->fetch[0];
	b->machine.predecode_buffer = 64;
	b->machine.predecode_prefetch = 8;
	hd_fetch_init(fetch, &b->machine, &b->stats);
	b->now = 10;
	for (uint32_t line = 0; line < 5; line++)
		if (line != 1)
			hd_icache_fill(&b->port.l1, line, 1);
	hd_fetch_restart(fetch, 0, 1);
	for (unsigned n = 0; n < 5; n++, b->now++)
		request(b);
	for (unsigned n = 1; n < 5; n++)
		assert_true(fetch->arrival[0][n] >= fetch->arrival[0][n - 1]);
	bed_free(b);
}

/* `soonest` is the first arrival among all warps, whichever was requested last. */
TEST(the_first_arrival_is_known)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	b->now = 10;
	hd_icache_fill(&b->port.l1, 0, 1);
	hd_fetch_restart(&b->fetch[0], 0, 1);
	hd_fetch_restart(&b->fetch[0], 1, 81);
	request(b);
	request(b);
	assert_true(b->fetch[0].arrival[1][0] > b->fetch[0].arrival[0][0]);
	assert_int_equal(b->fetch[0].soonest, b->fetch[0].arrival[0][0]);
	bed_free(b);
}

/* A line that is on its way is no hit: it arrives for everybody in the same cycle, in this core and in others of the cluster. */
TEST(a_line_on_its_way_arrives_once)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	hd_fetch_port other;
	hd_fetch_port_init(&other, &b->machine, &b->l15, b->l2, &b->stats, 64 * HD_LINE_WORDS);
	b->now = 10;
	hd_fetch_restart(&b->fetch[0], 0, 1);
	hd_fetch_restart(&b->fetch[0], 1, 1);
	request(b);
	b->now = 11;
	request(b);
	uint64_t first = b->fetch[0].arrival[0][0];
	assert_true(first > 20 + b->machine.fetch_l15_latency);
	assert_int_equal(b->fetch[0].arrival[1][0], first);
	hd_fetch *of_the_other = &b->fetch[1];
	hd_fetch_restart(of_the_other, 0, 1);
	hd_fetch_request(&other, &of_the_other, 1, 12);
	assert_int_equal(of_the_other->arrival[0][0], first);
	hd_fetch_port_free(&other);
	bed_free(b);
}

/* A starved warp goes before those that only have room. Both groups have a turn of their own, across the schedulers of the core. */
TEST(starved_warps_go_first_in_turn)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS);
	b->machine.predecode_buffer = 64;
	b->machine.predecode_prefetch = 8;
	for (unsigned s = 0; s < 2; s++) {
		hd_fetch_init(&b->fetch[s], &b->machine, &b->stats);
		for (unsigned warp = 0; warp < 4; warp++) {
			hd_fetch_restart(&b->fetch[s], warp, 1);
			b->fetch[s].starved &= ~(1u << warp);
		}
	}
	request(b);
	request(b);
	assert_int_equal(b->fetch[0].n[0] + b->fetch[0].n[1], 2);
	hd_fetch_restart(&b->fetch[1], 9, 1);
	hd_fetch_restart(&b->fetch[1], 2, 1);
	request(b); /* the first of the two starved ones, then the other */
	assert_int_equal(b->fetch[1].n[2], 1);
	assert_int_equal(b->fetch[1].n[9], 0);
	request(b);
	assert_int_equal(b->fetch[1].n[9], 1);
	request(b); /* its buffer has room, and it is starved until the line arrives: again the first of the two */
	assert_int_equal(b->fetch[1].n[2], 2);
	b->fetch[1].starved = 0;
	static const uint8_t expected[][2] = {{0, 2}, {0, 3}, {1, 0}, {1, 1}};
	for (unsigned i = 0; i < HD_COUNT(expected); i++) { /* the others go on where they were */
		assert_int_equal(b->fetch[expected[i][0]].n[expected[i][1]], 0);
		request(b);
		assert_int_equal(b->fetch[expected[i][0]].n[expected[i][1]], 1);
	}
	bed_free(b);
}

/* A restart forgets the lines that were requested: the first line of the new place is the next one to arrive. */
TEST(a_restart_begins_with_an_empty_ring)
{
	bed *b = bed_new(64 * HD_LINE_WORDS);
	uint32_t fed;
	hd_icache_fill(&b->port.l1, 0, 1);
	b->now = 10;
	hd_fetch_restart(&b->fetch[0], 0, 1);
	request(b);
	hd_fetch_restart(&b->fetch[0], 0, 85);
	assert_int_equal(b->fetch[0].n[0], 0);
	request(b);
	hd_fetch_arrive(&b->fetch[0], 10 + b->machine.fetch_l1i_latency, &fed);
	assert_int_equal(fed, 0);
	assert_int_equal(b->fetch[0].have[0], 85);
	bed_free(b);
}

/* One line for one warp, of buffer `which`, in cycle `now`. */
static void ask_for(bed *b, unsigned which, unsigned warp, uint32_t line, uint64_t now)
{
	hd_fetch_restart(&b->fetch[which], warp, line * HD_LINE_WORDS + 1);
	b->fetch[0].want = b->fetch[1].want = 0;
	b->fetch[which].want = 1u << warp;
	assert_true(hd_fetch_request(&b->port, b->buffers, 2, now));
	b->fetch[which].want = 0;
}

/* MT-4: with slices nobody knows when a line comes until its slice has looked it up. Whoever finds it on its way learns the cycle with the first one,
 * and gets the line no earlier than its own way to it takes. */
TEST(a_line_of_the_slices)
{
	bed *b = bed_new(4096 * HD_LINE_WORDS), *other = bed_new(4096 * HD_LINE_WORDS);
	hd_outbox *outbox[] = {hd_outbox_new(0, NULL), hd_outbox_new(1, NULL)};
	b->machine.fetch_l1i_latency = other->machine.fetch_l1i_latency = 3;
	for (unsigned i = 0; i < 2; i++) {
		bed *own = i ? other : b;
		hd_fetch_port_free(&own->port);
		own->machine.fetch_l15_latency = 20;
		hd_fetch_port_init(&own->port, &own->machine, &b->l15, own->l2, &own->stats, 4096 * HD_LINE_WORDS);
		hd_fetch_port_request(&own->port, outbox[i], 80);
	}
	ask_for(b, 0, 0, 0, 1);
	const hd_packet *packet = outbox[0]->fresh;
	assert_int_equal(packet->arrival, 81);
	assert_int_equal(packet->fills->address, hd_l2_code(0));
	assert_int_equal(packet->last_fill->address, hd_l2_code(32));
	ask_for(b, 1, 2, 0, 5);
	ask_for(other, 0, 0, 0, 9);
	assert_null(packet->later);
	assert_null(outbox[1]->fresh);
	/* A line that is there already is taken behind it, and wakes nobody before. */
	hd_icache_fill(&b->port.l1, 1, 7);
	b->fetch[0].want = 1;
	assert_true(hd_fetch_request(&b->port, b->buffers, 2, 10));
	assert_int_equal(b->fetch[0].n[0], 2);
	assert_int_equal(b->fetch[0].soonest, UINT64_MAX);
	/* A warp goes elsewhere, to a line that is there. */
	ask_for(b, 1, 4, 0, 11);
	ask_for(b, 1, 4, 1, 12);
	assert_int_equal(b->fetch[1].arrival[4][0], 15);
	b->fetch[1].arrival[4][0] = 900;

	assert_int_equal(hd_fetch_learn(&b->port, packet->line, 10), 21); /* the way through the L1.5 cache: 1 + 20 */
	assert_int_equal(b->fetch[0].arrival[0][0], 21);
	assert_int_equal(b->fetch[1].arrival[2][0], 21);
	assert_int_equal(b->fetch[1].arrival[4][0], 900);
	assert_int_equal(*hd_icache_find(&b->port.l1, 0), 21);
	assert_int_equal(*hd_icache_find(&b->l15, 0), 21);
	assert_int_equal(hd_fetch_learn(&other->port, packet->line, 10), 29);
	assert_int_equal(*hd_icache_find(&other->port.l1, 0), 29);
	assert_int_equal(*hd_icache_find(&b->l15, 0), 21);
	assert_int_equal(b->port.waits.n + other->port.waits.n, 0);
	hd_fetch_arrive(&b->fetch[0], 21, &(uint32_t){0});
	assert_int_equal(b->fetch[0].have[0], 2 * HD_LINE_WORDS);

	ask_for(b, 0, 0, 9, 100); /* the next one has a number of its own */
	assert_int_equal(packet->later->arrival, 180);
	assert_int_equal(hd_fetch_learn(&b->port, packet->line, 400), UINT64_MAX);
	assert_int_equal(hd_fetch_learn(&b->port, packet->later->line, 500), 500);
	assert_int_equal(b->fetch[0].arrival[0][0], 500);
	for (unsigned i = 0; i < 2; i++)
		hd_outbox_free(outbox[i]);
	bed_free(other);
	bed_free(b);
}
