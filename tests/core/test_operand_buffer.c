/* LU-4, LU-15: operand buffers of warp slots. */
#include "core/execute/write_controller.h"
#include "../test.h"

enum { WARPS = 4, REGISTERS = 16 };

typedef struct bench {
	hd_machine machine;
	hd_register_file file;
	hd_vec32 registers[WARPS][REGISTERS];
	hd_pool pool;
	hd_stats stats;
	hd_write_controller wc;
	uint64_t now;
} bench;

static bench *new_bench(unsigned capacity, unsigned share, bool last_result)
{
	bench *b = hd_xaligned(sizeof *b);
	hd_machine_default(&b->machine);
	b->machine.last_use_path_b = 1;
	b->machine.last_use_path_a = 0;
	b->machine.last_use_compensation = capacity;
	b->machine.last_use_compensation_of = HD_OWNER_WARP;
	b->machine.last_use_compensation_share = share;
	b->machine.last_use_last_result = last_result;
	for (unsigned warp = 0; warp < WARPS; warp++) {
		hd_rf_warp(&b->file, warp, b->registers[warp], REGISTERS);
		for (unsigned r = 0; r < REGISTERS; r++)
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				b->registers[warp][r].v[lane] = 1000 + r;
	}
	hd_wc_init(&b->wc, &b->machine, &b->file, &b->stats, &b->pool);
	b->now = 10;
	return b;
}

static void count_register(void *n, hd_buffer_register *at, bool is_last_result) { *(unsigned *)n += !is_last_result; }

/* The number of registers that a warp has in its buffer. */
static unsigned held(bench *b, unsigned warp)
{
	unsigned n = 0;
	hd_operand_buffer_each(b->wc.buffer, warp, count_register, &n);
	return n;
}

static void free_bench(bench *b)
{
	for (unsigned warp = 0; warp < WARPS; warp++)
		hd_wc_end(&b->wc, warp, b->now);
	for (unsigned warp = 0; warp < WARPS; warp++)
		assert_int_equal(held(b, warp), 0);
	hd_wc_free(&b->wc);
	hd_pool_free(&b->pool);
	free(b);
}

/* A result of some words, value and value + 1, completes; then it has left the paths. Each call takes two cycles. */
static void make_wide(bench *b, unsigned warp, unsigned reg, unsigned words, uint32_t value, uint32_t mask, bool passes_by)
{
	hd_flight *flight = hd_pool_flight(&b->pool);
	memset(flight, 0, sizeof *flight);
	*flight = (hd_flight){.exit = b->now,
	                      .warp = (uint8_t)warp,
	                      .reg = (uint8_t)reg,
	                      .words = (uint8_t)words,
	                      .pipe = HD_PIPE_ALU,
	                      .mask = mask,
	                      .passes_by = passes_by};
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		flight->out.r[0].v[lane] = value;
		flight->out.r[1].v[lane] = value + 1;
	}
	hd_wc_take(&b->wc, flight);
	b->now += 2;
	hd_wc_settle(&b->wc, b->now);
}

static void make(bench *b, unsigned warp, unsigned reg, uint32_t value) { make_wide(b, warp, reg, 1, value, ~0u, false); }

/* Reads one word for some lanes; the value of the first and of the last lane, and where it comes from. */
static hd_path read_lanes(bench *b, unsigned warp, unsigned reg, uint32_t mask, bool last, uint32_t first_lane, uint32_t last_lane)
{
	hd_reading reading;
	hd_wc_begin(&b->wc, &reading, warp, HD_PIPE_SFU, mask, ++b->now);
	const hd_vec32 *value = hd_wc_read(&b->wc, &reading, 0, reg, 1, last);
	assert_int_equal(value->v[0], first_lane);
	assert_int_equal(value->v[31], last_lane);
	hd_wc_end_reading(&b->wc, &reading);
	return reading.path[0];
}

static void expect(bench *b, unsigned warp, unsigned reg, uint32_t value, hd_path path)
{
	assert_int_equal(read_lanes(b, warp, reg, ~0u, false, value, value), path);
}

/* A value stays for any time, and the file keeps the old one. What was not used for the longest time is written when a register is needed. */
TEST(values_stay_until_displaced)
{
	bench *b = new_bench(2, 1, false);
	make(b, 0, 1, 71);
	make(b, 0, 2, 72);
	b->now += 1000;
	expect(b, 0, 1, 71, HD_PATH_COMPENSATION);
	assert_int_equal(b->registers[0][1].v[0], 1001);
	make(b, 0, 3, 73); /* R1 was read after R2 was made */
	assert_int_equal(b->registers[0][2].v[0], 72);
	expect(b, 0, 1, 71, HD_PATH_COMPENSATION);
	expect(b, 0, 3, 73, HD_PATH_COMPENSATION);
	expect(b, 0, 2, 72, HD_PATH_FILE);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(b->stats.register_file_compensation_evictions, 1);
	assert_int_equal(b->stats.register_file_compensation_writes, 3);
	assert_int_equal(b->stats.register_file_compensation_reads, 3);
	make(b, 1, 4, 74); /* another slot has registers of its own */
	assert_int_equal(b->stats.register_file_writes, 1);
	free_bench(b);
}

/* LU-5: a last use frees the register and leaves the write out. A wrong flag shows: the file has the old value. */
TEST(a_last_use_frees_its_register)
{
	bench *b = new_bench(1, 1, false);
	make(b, 0, 1, 71);
	assert_int_equal(read_lanes(b, 0, 1, ~0u, true, 71, 71), HD_PATH_COMPENSATION);
	assert_int_equal(held(b, 0), 0);
	expect(b, 0, 1, 1001, HD_PATH_FILE);
	make(b, 0, 2, 72);
	assert_int_equal(b->stats.register_file_writes, 0);
	assert_int_equal(b->stats.register_file_writes_skipped, 1);
	free_bench(b);
}

/* A later result for all lanes takes the place of a value: a loop counter is written once, when the warp ends (LU-6). */
TEST(a_new_value_replaces_the_old_one)
{
	bench *b = new_bench(1, 1, false);
	for (unsigned i = 0; i < 5; i++)
		make(b, 0, 1, 80 + i);
	assert_int_equal(b->stats.register_file_writes, 0);
	assert_int_equal(b->stats.register_file_writes_replaced, 4);
	expect(b, 0, 1, 84, HD_PATH_COMPENSATION);
	hd_wc_end(&b->wc, 0, b->now);
	assert_int_equal(b->registers[0][1].v[0], 84);
	assert_int_equal(b->stats.register_file_writes, 1);
	free_bench(b);
}

/* LU-3: two sides of a branch share a register of the buffer. Each drops its own lanes; what is left is written, the newest value of each lane. */
TEST(lanes_share_a_register)
{
	bench *b = new_bench(1, 1, false);
	make_wide(b, 0, 1, 1, 71, 0x0000ffff, false);
	make_wide(b, 0, 1, 1, 72, 0xffff0000, false);
	assert_int_equal(held(b, 0), 1);
	assert_int_equal(read_lanes(b, 0, 1, ~0u, false, 71, 72), HD_PATH_COMPENSATION);
	assert_int_equal(read_lanes(b, 0, 1, 0xffff0000, true, 71, 72), HD_PATH_COMPENSATION);
	assert_int_equal(held(b, 0), 1);
	assert_int_equal(read_lanes(b, 0, 1, ~0u, false, 71, 1001), HD_PATH_FILE);
	make_wide(b, 0, 1, 1, 73, 0x000000ff, false);
	make(b, 0, 2, 74); /* displaces both values of R1 with one write, in their order */
	assert_int_equal(b->registers[0][1].v[0], 73);
	assert_int_equal(b->registers[0][1].v[8], 71);
	assert_int_equal(b->registers[0][1].v[31], 1001);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(b->stats.register_file_writes_replaced, 2);
	free_bench(b);
}

/* LU-5, lane by lane: both sides of a branch use a value for the last time. The second one frees its register, and nothing is written. */
TEST(each_side_drops_its_lanes)
{
	bench *b = new_bench(1, 1, false);
	make(b, 0, 1, 71);
	read_lanes(b, 0, 1, 0x0000ffff, true, 71, 71);
	assert_int_equal(read_lanes(b, 0, 1, 0xffff0000, false, 1001, 71), HD_PATH_COMPENSATION);
	assert_int_equal(b->stats.register_file_writes_skipped, 0);
	read_lanes(b, 0, 1, 0xffff0000, true, 1001, 71);
	assert_int_equal(held(b, 0), 0);
	assert_int_equal(b->stats.register_file_writes_skipped, 1);
	free_bench(b);
}

/* LU-5: so does the last-result register. */
TEST(the_last_result_drops_lanes)
{
	bench *b = new_bench(1, 1, true);
	make(b, 0, 1, 71);
	read_lanes(b, 0, 1, 0x0000ffff, true, 71, 71);
	assert_int_equal(read_lanes(b, 0, 1, 0xffff0000, true, 1001, 71), HD_PATH_LAST_RESULT);
	assert_null(hd_operand_buffer_find_last(b->wc.buffer, 0, 1));
	assert_int_equal(b->stats.register_file_writes_skipped, 1);
	free_bench(b);
}

/* One operand is read for other lanes from the last-result register, from the buffer and from the file. */
TEST(an_operand_has_three_sources)
{
	bench *b = new_bench(2, 1, true);
	make_wide(b, 0, 1, 1, 71, 0x00ffff00, false);
	make_wide(b, 0, 1, 1, 72, 0xfff00000, false);
	hd_reading reading;
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, ++b->now);
	const hd_vec32 *value = hd_wc_read(&b->wc, &reading, 0, 1, 1, false);
	static const uint32_t lanes[] = {0, 8, 19, 20, 31}, expected[] = {1001, 71, 71, 72, 72};
	for (unsigned i = 0; i < HD_COUNT(lanes); i++)
		assert_int_equal(value->v[lanes[i]], expected[i]);
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(reading.path[0], HD_PATH_FILE); /* lane 0 */
	assert_int_equal(b->stats.register_file_reads, 1);
	free_bench(b);
}

/* Two words take two registers and leave one by one. More words than registers are written at once; other lanes stay. */
TEST(words_are_held_one_by_one)
{
	bench *b = new_bench(2, 1, false);
	make_wide(b, 0, 2, 2, 70, ~0u, false);
	assert_int_equal(held(b, 0), 2);
	make(b, 0, 5, 75);
	assert_int_equal(b->registers[0][2].v[0], 70);
	expect(b, 0, 3, 71, HD_PATH_COMPENSATION);
	free_bench(b);
	b = new_bench(1, 1, false);
	make_wide(b, 0, 2, 1, 60, 0x0000ffff, false);
	make_wide(b, 0, 2, 2, 70, 0x000000ff, false);
	assert_int_equal(held(b, 0), 1); /* other lanes stay */
	assert_int_equal(b->registers[0][2].v[0], 70);
	assert_int_equal(b->registers[0][2].v[8], 1002);
	assert_int_equal(read_lanes(b, 0, 2, 0x0000ff00, false, 70, 1002), HD_PATH_COMPENSATION);
	assert_int_equal(b->registers[0][3].v[0], 71);
	free_bench(b);
}

/* last_use.compensation_share: slots of a group displace each other, others do not. */
TEST(slots_share_registers)
{
	bench *b = new_bench(2, 2, false);
	make(b, 0, 1, 71);
	make(b, 1, 1, 72);
	make(b, 2, 1, 73);
	assert_int_equal(b->stats.register_file_writes, 0);
	make(b, 1, 2, 74);
	assert_int_equal(b->registers[0][1].v[0], 71);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(held(b, 0), 0);
	assert_int_equal(held(b, 1), 2);
	assert_int_equal(held(b, 2), 1);
	expect(b, 1, 1, 72, HD_PATH_COMPENSATION);
	expect(b, 2, 1, 73, HD_PATH_COMPENSATION);
	make(b, 3, 5, 75);
	make(b, 3, 6, 76);
	assert_int_equal(b->registers[2][1].v[0], 73);
	assert_int_equal(b->stats.register_file_writes, 2);
	expect(b, 1, 1, 72, HD_PATH_COMPENSATION);
	free_bench(b);
}

/* The latest result of one word stands before the buffer, and moves on when the next one comes. */
TEST(the_last_result_comes_first)
{
	bench *b = new_bench(1, 1, true);
	make(b, 0, 1, 71);
	expect(b, 0, 1, 71, HD_PATH_LAST_RESULT);
	assert_int_equal(held(b, 0), 0);
	make(b, 0, 2, 72);
	expect(b, 0, 1, 71, HD_PATH_COMPENSATION);
	expect(b, 0, 2, 72, HD_PATH_LAST_RESULT);
	assert_int_equal(b->stats.register_file_last_result_writes, 2);
	assert_int_equal(b->stats.register_file_last_result_reads, 2);
	assert_int_equal(b->stats.register_file_last_result_moves, 1);
	assert_int_equal(b->stats.register_file_compensation_writes, 1);
	read_lanes(b, 0, 2, ~0u, true, 72, 72);
	make(b, 0, 3, 73);
	assert_int_equal(b->stats.register_file_compensation_writes, 1); /* R2 was dropped and did not move */
	make_wide(b, 0, 3, 2, 80, 0x0000ffff, false);                    /* goes to the buffer, behind other lanes of R3 */
	hd_wc_end(&b->wc, 0, b->now);
	assert_int_equal(b->registers[0][3].v[0], 80);
	assert_int_equal(b->registers[0][3].v[31], 73);
	assert_int_equal(b->registers[0][1].v[0], 71);
	free_bench(b);
}

/* A result that passes by is written when it leaves the paths. It takes the place of its own lanes in the buffer, and displaces nothing. */
TEST(results_pass_by)
{
	for (unsigned last_result = 0; last_result < 2; last_result++) {
		bench *b = new_bench(2, 1, last_result);
		make_wide(b, 0, 1, 1, 71, 0xffff0000, false);
		make(b, 0, 2, 72);
		make_wide(b, 0, 1, 1, 73, 0xff000000, true);
		assert_int_equal(b->registers[0][1].v[0], 1001);
		assert_int_equal(b->registers[0][1].v[16], 1001);
		assert_int_equal(b->registers[0][1].v[31], 73);
		assert_int_equal(read_lanes(b, 0, 1, 0x00ff0000, false, 1001, 73), HD_PATH_COMPENSATION);
		make_wide(b, 0, 2, 1, 74, ~0u, true);
		assert_int_equal(b->registers[0][2].v[0], 74);
		expect(b, 0, 2, 74, HD_PATH_FILE);
		assert_null(hd_operand_buffer_find(b->wc.buffer, 0, 2));
		free_bench(b);
	}
}

/* The order of results for one register holds between last-result register, buffer and file, whatever lanes they have. */
TEST(random_results_keep_their_order)
{
	for (unsigned run = 0; run < 200; run++) {
		uint64_t random = 77 + run;
		bench *b = new_bench(1 + run % 5, 1 + run / 5 % 3, run & 1);
		uint32_t expected[2][8][HD_LANES];
		for (unsigned i = 0; i < 2 * 8 * HD_LANES; i++)
			expected[i / (8 * HD_LANES)][i / HD_LANES % 8][i % HD_LANES] = 1000 + i / HD_LANES % 8;
		for (unsigned i = 0; i < 60; i++) {
			uint32_t pick = (uint32_t)hd_random(&random), mask = (uint32_t)hd_random(&random) | (pick & 1 ? ~0u : 1);
			unsigned warp = pick >> 1 & 1, words = 1 + (pick >> 2 & 1), reg = (pick >> 3 & 7) / words * words;
			if (pick >> 6 & 1) {
				uint32_t lane0 = expected[warp][reg][0], lane31 = expected[warp][reg][31];
				read_lanes(b, warp, reg, mask, false, lane0, lane31);
				continue;
			}
			make_wide(b, warp, reg, words, 2000 + 2 * i, mask, pick >> 7 & 1);
			for (unsigned w = 0; w < words; w++)
				for (unsigned lane = 0; lane < HD_LANES; lane++)
					if (mask >> lane & 1)
						expected[warp][reg + w][lane] = 2000 + 2 * i + w;
			assert_true(held(b, 0) + (b->wc.buffer->share > 1 ? held(b, 1) : 0) <= b->wc.capacity && held(b, 1) <= b->wc.capacity);
		}
		hd_wc_end(&b->wc, 0, b->now);
		hd_wc_end(&b->wc, 1, b->now);
		for (unsigned warp = 0; warp < 2; warp++)
			for (unsigned r = 0; r < 8; r++)
				assert_memory_equal(b->registers[warp][r].v, expected[warp][r], sizeof expected[warp][r]);
		free_bench(b);
	}
}
