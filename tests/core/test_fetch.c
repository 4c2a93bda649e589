/* Fetch and instruction caches: PD-11. */
#include "core/fetch/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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
		hd_fetch_init(&b->fetch[i], &b->machine);
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
	hd_fetch_ask(&b->port, b->buffers, 2, b->now);
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
static void lines_come_from_the_nearest_level(void **state)
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
	uint32_t sets = b->port.l1.sets;
	for (uint32_t i = 1; i <= b->port.l1.ways; i++) {
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
static void fetch_runs_ahead_of_issue(void **state)
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
static void a_restart_forgets_what_is_on_its_way(void **state)
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
static void every_warp_gets_its_turn(void **state)
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
static void the_end_of_the_code(void **state)
{
	bed *b = bed_new(1 * HD_LINE_WORDS);
	hd_fetch_restart(&b->fetch[0], 0, 7);
	until_fed(b);
	hd_fetch_consume(&b->fetch[0], 0, 1, 9);
	until_fed(b);
	assert_int_equal(b->stats.predecode_lines, 1);
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_come_from_the_nearest_level),
	    cmocka_unit_test(fetch_runs_ahead_of_issue),
	    cmocka_unit_test(a_restart_forgets_what_is_on_its_way),
	    cmocka_unit_test(every_warp_gets_its_turn),
	    cmocka_unit_test(the_end_of_the_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
