/* Forwarding and the write controller alone (LU-4 to LU-8). Stage A's view of the five sub-instructions of DP4, latency 2 to the first path:
 * R0 = X*X, R1 = Y*Y, R2 = Z*Z + R0, R3 = W*W + R1, R4 = R2 + R3. */
#include "core/execute/write_controller.h"
#include "../test.h"

enum { LATENCY = 2, CYCLES = 16, REGISTERS = 8 };

typedef struct bench {
	hd_machine machine;
	hd_register_file file;
	hd_vec32 registers[REGISTERS];
	hd_pool pool;
	hd_stats stats;
	hd_write_controller wc;
	uint64_t written[REGISTERS]; /* last cycle of the write, 0 = not (yet) */
	hd_path path[REGISTERS][2];  /* where the instruction that makes a register had its operands from */
	uint32_t value[REGISTERS];
} bench;

static bench *new_bench(bool flags, unsigned compensation)
{
	bench *b = hd_xaligned(sizeof *b);
	hd_machine_default(&b->machine);
	b->machine.last_use_flags = flags;
	b->machine.last_use_compensation = compensation;
	hd_rf_warp(&b->file, 0, b->registers, REGISTERS);
	for (unsigned r = 0; r < REGISTERS; r++)
		b->registers[r].v[0] = 1000 + r;
	hd_wc_init(&b->wc, &b->machine, &b->file, &b->stats, &b->pool);
	return b;
}

static void free_bench(bench *b)
{
	hd_pool_free(&b->pool);
	free(b);
}

typedef struct step {
	unsigned cycle; /* in which stage A has it */
	int d, a, b;    /* registers, -1 = no register */
	uint32_t mask;
} step;

/* Runs the steps; a result is the sum of the operands and 1. */
static void go(bench *b, const step *steps, unsigned n, bool flags)
{
	hd_flight *flying[CYCLES + LATENCY + 1] = {0};
	for (uint64_t now = 0; now < CYCLES; now++) {
		for (hd_flight *flight = flying[now], *next; flight; flight = next) {
			next = flight->next;
			hd_wc_take(&b->wc, flight);
		}
		for (unsigned i = 0; i < n; i++) {
			if (steps[i].cycle != now)
				continue;
			hd_flight *flight = hd_pool_flight(&b->pool);
			hd_reading reading;
			memset(flight, 0, sizeof *flight);
			hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, steps[i].mask, now);
			uint32_t sum = 1;
			for (unsigned k = 0; k < 2; k++) {
				int reg = k ? steps[i].b : steps[i].a;
				if (reg < 0)
					continue;
				sum += hd_wc_read(&b->wc, &reading, k, (unsigned)reg, 1, flags)->v[0];
				b->path[steps[i].d][k] = reading.path[k];
			}
			hd_wc_end_reading(&b->wc, &reading);
			flight->exit = now + LATENCY;
			flight->reg = (uint8_t)steps[i].d;
			flight->words = 1;
			flight->pipe = HD_PIPE_ALU;
			flight->mask = steps[i].mask;
			flight->out.r[0].v[0] = b->value[steps[i].d] = sum;
			flight->next = flying[flight->exit];
			flying[flight->exit] = flight;
		}
		/* The end of the cycle. */
		hd_wc_settle(&b->wc, now + 1);
		for (unsigned r = 0; r < REGISTERS; r++)
			if (!b->written[r] && b->value[r] && b->registers[r].v[0] == b->value[r])
				b->written[r] = now;
	}
	hd_wc_end(&b->wc, 0, CYCLES);
}

static const step dp4[] = {{0, 0, -1, -1, ~0u}, {1, 1, -1, -1, ~0u}, {2, 2, 0, -1, ~0u}, {3, 3, 1, -1, ~0u}, {6, 4, 2, 3, ~0u}};

/* LU-8: without flags all five are written, R0 to R3 in cycles 4 to 7; paths C-B, C-B, C-A and C-B. */
TEST(golden_timeline_without_flags)
{
	bench *b = new_bench(false, 0);
	go(b, dp4, HD_COUNT(dp4), true);
	assert_int_equal(b->path[2][0], HD_PATH_B); /* R0, cycle 2 */
	assert_int_equal(b->path[3][0], HD_PATH_B); /* R1, cycle 3 */
	assert_int_equal(b->path[4][0], HD_PATH_A); /* R2, into A's latch in cycle 5, used in 6 */
	assert_int_equal(b->path[4][1], HD_PATH_B); /* R3, cycle 6 */
	for (unsigned r = 0; r < 4; r++)
		assert_int_equal(b->written[r], 4 + r);
	assert_int_equal(b->written[4], 10);
	assert_int_equal(b->stats.register_file_writes, 5);
	assert_int_equal(b->stats.register_file_writes_skipped, 0);
	assert_int_equal(b->stats.register_file_reads_forwarded, 4);
	assert_int_equal(b->stats.register_file_reads_path_b, 3); /* LU-13 */
	assert_int_equal(b->stats.register_file_reads_path_a, 1);
	assert_int_equal(b->stats.register_file_writes_flagged, 0);
	assert_int_equal(b->value[4], 5);
	free_bench(b);
}

/* LU-8, LU-5: with flags one write is left of five, and the result is the same. */
TEST(golden_timeline_with_flags)
{
	bench *b = new_bench(true, 0);
	go(b, dp4, HD_COUNT(dp4), true);
	for (unsigned r = 0; r < 4; r++) {
		assert_int_equal(b->written[r], 0);
		assert_int_equal(b->registers[r].v[0], 1000 + r); /* the value from before */
	}
	assert_int_equal(b->written[4], 10);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(b->stats.register_file_writes_skipped, 4);
	assert_int_equal(b->value[4], 5);
	free_bench(b);
}

/* LU-8, LU-6: a fetch delay of three cycles before the third sub-instruction: R0 is written, though flagged; R1 and what follows alike.
 * With a compensation register more for each cycle it is not. */
TEST(a_delayed_last_use_is_written)
{
	static const step late[] = {{0, 0, -1, -1, ~0u}, {1, 1, -1, -1, ~0u}, {5, 2, 0, -1, ~0u}, {6, 3, 1, -1, ~0u}, {9, 4, 2, 3, ~0u}};
	for (unsigned compensation = 0; compensation < 3; compensation++) {
		bench *b = new_bench(true, compensation);
		go(b, late, HD_COUNT(late), true);
		assert_int_equal(b->written[0], compensation ? 0 : 4);
		assert_int_equal(b->path[2][0], compensation ? HD_PATH_COMPENSATION : HD_PATH_FILE);
		assert_int_equal(b->stats.register_file_writes, compensation ? 1 : 3);
		assert_int_equal(b->stats.register_file_writes_flagged, compensation ? 0 : 2); /* LU-13: R0 and R1 */
		assert_int_equal(b->stats.register_file_compensation_reads, compensation ? 2 : 0);
		assert_int_equal(b->value[4], 5);
		free_bench(b);
	}
}

/* LU-8, LU-14: R4 where the pseudo-code has it, with R2 and R3 from the two compensation registers, R2 from the second. With fewer R2 is written, and R3
 * as well with none. */
TEST(both_sums_come_from_compensation_registers)
{
	static const step apart[] = {{0, 0, -1, -1, ~0u}, {1, 1, -1, -1, ~0u}, {2, 2, 0, -1, ~0u}, {3, 3, 1, -1, ~0u}, {8, 4, 2, 3, ~0u}};
	for (unsigned compensation = 0; compensation < 3; compensation++) {
		bench *b = new_bench(true, compensation);
		go(b, apart, HD_COUNT(apart), true);
		assert_int_equal(b->path[4][0], compensation > 1 ? HD_PATH_COMPENSATION : HD_PATH_FILE);
		assert_int_equal(b->path[4][1], compensation > 0 ? HD_PATH_COMPENSATION : HD_PATH_FILE);
		assert_int_equal(b->stats.register_file_compensation_reads, compensation);
		assert_int_equal(b->stats.register_file_writes, 3 - compensation);
		assert_int_equal(b->value[4], 5);
		free_bench(b);
	}
}

/* LU-7: lanes act alike. A value that was written for some lanes is dropped for those; the others keep what they had, and readers see both. */
TEST(a_value_of_some_lanes)
{
	bench *b = new_bench(true, 0);
	static const step some[] = {{0, 0, -1, -1, 0xfffffffe}, {2, 1, 0, -1, ~0u}};
	go(b, some, HD_COUNT(some), true);
	assert_int_equal(b->value[1], 1001); /* lane 0 reads the file's 1000 */
	assert_int_equal(b->registers[0].v[0], 1000);
	assert_int_equal(b->stats.register_file_writes_skipped, 1);
	free_bench(b);
}

/* A reader of another pipe: the value is written in time for it, and older results for the same register before it. */
TEST(another_pipe_makes_it_write)
{
	bench *b = new_bench(true, 6);
	b->wc.across = false;
	hd_reading reading;
	for (unsigned i = 0; i < 2; i++) {
		hd_flight *flight = hd_pool_flight(&b->pool);
		memset(flight, 0, sizeof *flight);
		*flight = (hd_flight){.exit = 2 + i, .reg = (uint8_t)(1 + i), .words = (uint8_t)(2 - i), .pipe = HD_PIPE_ALU, .mask = ~0u};
		flight->out.r[0].v[0] = 70 + i;
		flight->out.r[1].v[0] = 80 + i;
		hd_wc_take(&b->wc, flight);
	}
	/* r1:r2 = 70, 80; then r2 = 71. */
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, ~0u, 4);
	assert_int_equal(hd_wc_read(&b->wc, &reading, 0, 2, 1, true)->v[0], 71);
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(b->registers[1].v[0], 70);
	assert_int_equal(b->registers[2].v[0], 71);
	assert_int_equal(b->stats.register_file_writes, 3);
	assert_int_equal(b->stats.register_file_reads_forwarded, 0);
	free_bench(b);
}

/* LU-4, LU-5: with paths to every pipe it reads them there, and its flag counts, for a load's four registers as for a sum. */
TEST(another_pipe_is_served)
{
	bench *b = new_bench(true, 5);
	hd_memory_operands *loaded = hd_pool_operands(&b->pool);
	hd_reading reading;
	memset(loaded, 0, sizeof *loaded);
	for (unsigned i = 0; i < 2; i++) {
		hd_flight *flight = hd_pool_flight(&b->pool);
		memset(flight, 0, sizeof *flight);
		*flight = (hd_flight){.exit = 2 + i, .reg = i ? 6 : 1, .words = i ? 1 : 4, .pipe = i ? HD_PIPE_ALU : HD_PIPE_LSU, .mask = ~0u};
		flight->memory = i ? NULL : loaded;
		for (unsigned r = 0; r < 4; r++)
			loaded->result.data[r].v[0] = 70 + r;
		flight->out.r[0].v[0] = 80;
		hd_wc_take(&b->wc, flight);
	}
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, ~0u, 4);
	assert_int_equal(hd_wc_read(&b->wc, &reading, 0, 4, 1, false)->v[0], 73);
	assert_int_equal(hd_wc_read(&b->wc, &reading, 1, 6, 1, true)->v[0], 80);
	hd_wc_end_reading(&b->wc, &reading);
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_LSU, ~0u, 5);
	assert_int_equal(hd_wc_read(&b->wc, &reading, 0, 1, 4, true)[2].v[0], 72);
	hd_wc_end_reading(&b->wc, &reading);
	hd_wc_settle(&b->wc, 20);
	assert_int_equal(b->stats.register_file_writes, 0);
	assert_int_equal(b->stats.register_file_writes_skipped, 5);
	assert_int_equal(b->stats.register_file_reads_forwarded, 6);
	for (unsigned r = 1; r < 7; r++)
		assert_int_equal(b->registers[r].v[0], 1000 + r);
	free_bench(b);
}

/* LU-3: what was made on the other side of a branch is of other lanes, and stays when this side's last use comes. */
TEST(the_other_side_keeps_its_value)
{
	bench *b = new_bench(true, 2);
	hd_reading reading;
	for (unsigned i = 0; i < 2; i++) {
		hd_flight *flight = hd_pool_flight(&b->pool);
		memset(flight, 0, sizeof *flight);
		*flight = (hd_flight){.exit = 2 + i, .reg = 3, .words = 1, .pipe = HD_PIPE_ALU, .mask = i ? 0xffff0000 : 0x0000ffff};
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			flight->out.r[0].v[lane] = 50 + i;
		hd_wc_take(&b->wc, flight);
	}
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, 0xffff0000, 4);
	assert_int_equal(hd_wc_read(&b->wc, &reading, 0, 3, 1, true)->v[31], 51);
	hd_wc_end_reading(&b->wc, &reading);
	hd_wc_settle(&b->wc, 20);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(b->stats.register_file_writes_skipped, 1);
	assert_int_equal(b->registers[3].v[0], 50);
	assert_int_not_equal(b->registers[3].v[31], 51);
	free_bench(b);
}

/* LU-15: wherever the cycles lie, on C-B, on C-A or in compensation registers, a last use saves the write if and only if it comes within their sum;
 * and each position serves the cycles that are its own. */
TEST(positions_reach_as_far_as_their_sum)
{
	for (unsigned at = 0; at < 4 * 4 * 4 * 8; at++) {
		unsigned path_b = at % 4, path_a = at / 4 % 4, compensation = at / 16 % 4, late = at / 64;
		bench *b = new_bench(true, compensation);
		b->machine.last_use_path_b = path_b;
		b->machine.last_use_path_a = path_a;
		hd_wc_init(&b->wc, &b->machine, &b->file, &b->stats, &b->pool);
		const step steps[] = {{0, 0, -1, -1, ~0u}, {LATENCY + late, 1, 0, -1, ~0u}};
		go(b, steps, 2, true);
		assert_int_equal(b->stats.register_file_writes_skipped, late < path_b + path_a + compensation);
		assert_int_equal(b->stats.register_file_writes_flagged, late >= path_b + path_a + compensation);
		assert_int_equal(b->stats.register_file_reads_path_b, late < path_b);
		assert_int_equal(b->stats.register_file_reads_path_a, late >= path_b && late < path_b + path_a);
		assert_int_equal(b->stats.register_file_compensation_reads, late >= path_b + path_a && late < path_b + path_a + compensation);
		assert_int_equal(b->value[1], 2);
		free_bench(b);
	}
}

/* LU-9: a value is put into a compensation register once, when it leaves C-A, and not at all when it was dropped before. */
TEST(compensation_is_counted)
{
	static const struct {
		unsigned read; /* cycle of the last use; 0 = none */
		unsigned writes, reads, into;
	} cases[] = {{0, 1, 0, 1}, {2, 0, 0, 0}, {4, 0, 0, 0}, {5, 0, 1, 1}, {6, 0, 1, 1}, {7, 1, 0, 1}};
	for (unsigned i = 0; i < HD_COUNT(cases); i++) {
		bench *b = new_bench(true, 2);
		step steps[] = {{0, 0, -1, -1, ~0u}, {cases[i].read, 1, 0, -1, ~0u}};
		go(b, steps, cases[i].read ? 2 : 1, true);
		unsigned last = cases[i].read ? 1 : 0; /* the last value is written, by way of its compensation register */
		assert_int_equal(b->stats.register_file_writes, cases[i].writes + last);
		assert_int_equal(b->stats.register_file_compensation_reads, cases[i].reads);
		assert_int_equal(b->stats.register_file_compensation_writes, cases[i].into + last);
		free_bench(b);
	}
}

/* LU-10: three reads of one bank, one port: two cycles lost, and nothing enters in them. */
TEST(ports_conflict)
{
	bench *b = new_bench(true, 0);
	hd_reading reading;
	b->wc.ports.banks = 2;
	b->wc.ports.ports[HD_PORT_READ] = b->wc.ports.ports[HD_PORT_WRITE] = 1;
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 8);
	for (unsigned i = 0; i < 3; i++)
		hd_wc_read(&b->wc, &reading, i, 2 * i, 1, false);
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(b->stats.register_file_port_conflicts, 2);
	assert_int_equal(b->wc.ports.free_at, 11);
	free_bench(b);
}

/* LU-10: fewer writes free ports. One bank with one port: the same five sub-instructions, with and without their flags. */
TEST(fewer_writes_fewer_conflicts)
{
	uint64_t conflicts[2], free_at[2];
	for (unsigned flags = 0; flags < 2; flags++) {
		bench *b = new_bench(flags, 0);
		b->wc.ports.banks = b->wc.ports.ports[HD_PORT_READ] = b->wc.ports.ports[HD_PORT_WRITE] = 1;
		/* R0 and R1 are made in one cycle, and so are R2 and R3: two writes of a bank with one port. */
		static const step steps[] = {{0, 0, 5, -1, ~0u}, {0, 1, 5, -1, ~0u}, {2, 2, 0, -1, ~0u},
		                             {2, 3, 1, -1, ~0u}, {4, 4, 2, 3, ~0u},  {7, 7, 5, 6, ~0u}};
		go(b, steps, HD_COUNT(steps), true);
		conflicts[flags] = b->stats.register_file_port_conflicts;
		free_at[flags] = b->wc.ports.free_at;
		free_bench(b);
	}
	assert_true(conflicts[1] < conflicts[0]);
	assert_true(free_at[1] <= free_at[0]);
}

static hd_flight *result(bench *b, unsigned warp, unsigned reg, unsigned pipe, uint32_t mask, uint32_t value, uint64_t exit)
{
	hd_flight *flight = hd_pool_flight(&b->pool);
	memset(flight, 0, sizeof *flight);
	*flight = (hd_flight){.exit = exit, .warp = (uint8_t)warp, .reg = (uint8_t)reg, .words = 1, .pipe = (uint8_t)pipe, .mask = mask};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		flight->out.r[0].v[lane] = value;
	return flight;
}

/* LU-10: three writes of one bank in cycle 8, whose controller nobody asks before an entry in cycle 9. */
TEST(a_conflict_of_writes_holds_the_next_entry_back)
{
	bench *b = new_bench(true, 0);
	b->wc.ports.banks = 1;
	for (unsigned i = 0; i < 3; i++)
		hd_wc_take(&b->wc, result(b, 0, i, HD_PIPE_ALU + i, ~0u, 70, 5));
	assert_int_equal(hd_wc_ports_free(&b->wc, 8), 0);
	assert_int_equal(hd_wc_ports_free(&b->wc, 9), 11);
	assert_int_equal(b->stats.register_file_port_conflicts, 2);
	free_bench(b);
}

/* LU-5, LU-10: a write that is left out takes no port. */
TEST(a_dropped_word_takes_no_port)
{
	bench *b = new_bench(true, 0);
	b->wc.ports.banks = 1;
	hd_wc_take(&b->wc, result(b, 0, 1, HD_PIPE_ALU, ~0u, 70, 5));
	hd_flight *pair = result(b, 0, 2, HD_PIPE_ALU, ~0u, 71, 5);
	pair->words = 2;
	hd_wc_take(&b->wc, pair);
	for (unsigned i = 0; i < 2; i++) {
		hd_reading reading;
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 6);
		hd_wc_read(&b->wc, &reading, 0, 1 + i, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
	}
	assert_int_equal(hd_wc_ports_free(&b->wc, 9), 0);
	assert_int_equal(b->stats.register_file_port_conflicts, 0);
	assert_int_equal(b->stats.register_file_writes, 1);
	free_bench(b);
}

/* LU-4: a pipeline of two compensation registers holds two results, though three left C-A in one cycle, and a pair leaves no room for another. */
TEST(compensation_registers_have_a_capacity)
{
	bench *b = new_bench(true, 2);
	hd_wc_take(&b->wc, result(b, 0, 3, HD_PIPE_SFU, ~0u, 73, 5)); /* has registers of its own */
	for (unsigned i = 0; i < 3; i++)
		hd_wc_take(&b->wc, result(b, 0, i, HD_PIPE_ALU, ~0u, 70 + i, 5));
	hd_wc_settle(&b->wc, 8);
	assert_int_equal(b->wc.held[HD_PIPE_ALU], 2);
	assert_int_equal(b->wc.held[HD_PIPE_SFU], 1);
	assert_int_equal(b->stats.register_file_writes, 1);
	assert_int_equal(b->registers[0].v[0], 70); /* the oldest */
	assert_int_equal(b->registers[1].v[0], 1001);
	hd_flight *pair = result(b, 0, 4, HD_PIPE_ALU, ~0u, 74, 6);
	pair->words = 2;
	hd_wc_take(&b->wc, pair);
	hd_wc_settle(&b->wc, 9);
	assert_int_equal(b->wc.held[HD_PIPE_ALU], 2);
	assert_int_equal(b->stats.register_file_writes, 3);
	assert_int_equal(b->stats.register_file_compensation_evictions, 3);
	hd_wc_settle(&b->wc, 20);
	assert_int_equal(b->wc.held[HD_PIPE_ALU], 0);
	assert_int_equal(b->wc.held[HD_PIPE_SFU], 0);
	free_bench(b);
}

/* LU-4: a load of four registers does not fit into two. A result that leaves early is written behind an older one of its register. */
TEST(leaving_early_keeps_the_order)
{
	bench *b = new_bench(true, 2);
	hd_wc_take(&b->wc, result(b, 0, 2, HD_PIPE_SFU, ~0u, 60, 4));
	hd_flight *wide = result(b, 0, 2, HD_PIPE_ALU, ~0u, 70, 4);
	wide->words = 2;
	hd_wc_take(&b->wc, wide);
	hd_wc_take(&b->wc, result(b, 0, 6, HD_PIPE_ALU, ~0u, 71, 5)); /* displaces the pair, and the older value of R2 goes before */
	hd_wc_settle(&b->wc, 8);
	assert_int_equal(b->registers[2].v[0], 70);
	hd_wc_settle(&b->wc, 30);
	assert_int_equal(b->registers[2].v[0], 70);
	hd_flight *four = result(b, 0, 0, HD_PIPE_ALU, ~0u, 80, 31);
	hd_memory_operands *loaded = hd_pool_operands(&b->pool);
	memset(loaded, 0, sizeof *loaded);
	four->memory = loaded;
	four->words = 4;
	hd_wc_take(&b->wc, four);
	hd_wc_settle(&b->wc, 33);
	assert_non_null(b->wc.first);
	hd_wc_settle(&b->wc, 34); /* has left C-A */
	assert_null(b->wc.first);
	free_bench(b);
}

static uint32_t read_lane_0(bench *b, uint64_t now, unsigned reg, unsigned words, unsigned word, bool last_use)
{
	hd_reading reading;
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, now);
	uint32_t value = hd_wc_read(&b->wc, &reading, 0, reg, words, last_use)[word].v[0];
	hd_wc_end_reading(&b->wc, &reading);
	return value;
}

/* LU-9: a reader of two words counts each where it comes from, and once. */
TEST(words_are_counted_where_they_come_from)
{
	bench *b = new_bench(true, 2);
	hd_reading reading;
	hd_wc_take(&b->wc, result(b, 0, 2, HD_PIPE_SFU, ~0u, 60, 4));
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 5);
	const hd_vec32 *both = hd_wc_read(&b->wc, &reading, 0, 2, 2, false);
	assert_int_equal(both[0].v[0], 60);
	assert_int_equal(both[1].v[0], 1003);
	assert_int_equal(reading.path[0], HD_PATH_FILE);
	hd_wc_end_reading(&b->wc, &reading);
	reading.part = true; /* the other lanes of a narrow pipe */
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(b->stats.register_file_reads, 1);
	assert_int_equal(b->stats.register_file_reads_forwarded, 1);
	assert_int_equal(b->stats.register_file_reads_across, 1);
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, ~0u, 8);
	hd_wc_read(&b->wc, &reading, 0, 2, 1, false);
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(b->stats.register_file_reads_forwarded, 2);
	assert_int_equal(b->stats.register_file_reads_across, 1);
	assert_int_equal(b->stats.register_file_compensation_reads, 1);
	hd_wc_take(&b->wc, result(b, 0, 5, HD_PIPE_SFU, 0x0000ffff, 61, 9));
	for (unsigned half = 0; half < 2; half++) { /* a lane of the file costs a read of the file */
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, half ? 0x000000ff : ~0u, 10);
		hd_wc_read(&b->wc, &reading, 0, 5, 1, false);
		assert_int_equal(reading.path[0], half ? HD_PATH_B : HD_PATH_FILE);
		hd_wc_end_reading(&b->wc, &reading);
	}
	assert_int_equal(b->stats.register_file_reads, 2);
	assert_int_equal(b->stats.register_file_reads_forwarded, 3);
	free_bench(b);
}

/* LU-9: a result is a part of the pair that is read, in its registers or in its lanes. */
TEST(a_part_of_a_pair_is_forwarded)
{
	bench *b = new_bench(true, 2);
	hd_wc_take(&b->wc, result(b, 0, 3, HD_PIPE_ALU, ~0u, 60, 4)); /* the second register alone */
	assert_int_equal(read_lane_0(b, 4, 2, 2, 0, false), 1002);
	assert_int_equal(read_lane_0(b, 4, 2, 2, 1, false), 60);
	assert_int_equal(b->stats.register_file_reads, 2);
	assert_int_equal(b->stats.register_file_reads_forwarded, 2);
	hd_wc_take(&b->wc, result(b, 0, 5, HD_PIPE_ALU, 0x0000ffff, 61, 5)); /* half the lanes: the other half is read from the file */
	assert_int_equal(read_lane_0(b, 5, 5, 2, 0, false), 61);
	assert_int_equal(b->stats.register_file_reads, 4);
	assert_int_equal(b->stats.register_file_reads_forwarded, 2);
	free_bench(b);
}

/* LU-3, LU-5: a load's four registers are read and dropped one by one; what is left of them is written, and nothing else. */
TEST(registers_are_dropped_one_by_one)
{
	for (unsigned read = 0; read <= 4; read++) {
		bench *b = new_bench(true, 4);
		hd_memory_operands *loaded = hd_pool_operands(&b->pool);
		hd_flight *flight = hd_pool_flight(&b->pool);
		memset(loaded, 0, sizeof *loaded);
		memset(flight, 0, sizeof *flight);
		*flight = (hd_flight){.exit = 2, .reg = 1, .words = 4, .pipe = HD_PIPE_LSU, .mask = ~0u, .memory = loaded};
		for (unsigned r = 0; r < 4; r++)
			loaded->result.data[r].v[0] = 70 + r;
		hd_wc_take(&b->wc, flight);
		for (unsigned r = 0; r < read; r++) {
			hd_reading reading;
			hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 2 + r);
			assert_int_equal(hd_wc_read(&b->wc, &reading, 0, 1 + r, 1, true)->v[0], 70 + r);
			hd_wc_end_reading(&b->wc, &reading);
		}
		if (read && read < 4) { /* a reader of all four finds the file's where they were dropped: a wrong flag shows */
			hd_reading reading;
			hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, ~0u, 6);
			const hd_vec32 *all = hd_wc_read(&b->wc, &reading, 0, 1, 4, false);
			for (unsigned r = 0; r < 4; r++)
				assert_int_equal(all[r].v[0], r < read ? 1001 + r : 70 + r);
			hd_wc_end_reading(&b->wc, &reading);
		}
		hd_wc_settle(&b->wc, 20);
		assert_int_equal(b->stats.register_file_writes, 4 - read);
		assert_int_equal(b->stats.register_file_writes_skipped, read);
		for (unsigned r = 0; r < 4; r++)
			assert_int_equal(b->registers[1 + r].v[0], r < read ? 1001 + r : 70 + r);
		assert_null(b->wc.first);
		free_bench(b);
	}
}

/* LU-13: registers with a flag of which nothing is dropped. The value was made for more lanes, it is in the register file, or the reader is of
 * another pipe. Two operands may name one register, and the parts of a narrow instruction count once. */
TEST(flags_in_vain_are_counted)
{
	for (unsigned buffer = 0; buffer < 2; buffer++) {
		bench *b = new_bench(true, 2);
		hd_reading reading;
		if (buffer) {
			b->machine.last_use_compensation_of = HD_OWNER_WARP;
			hd_wc_init(&b->wc, &b->machine, &b->file, &b->stats, &b->pool);
		}
		/* r1 is in the register file: two operands name it, one value is late. The second part is not counted. */
		for (unsigned part = 0; part < 2; part++) {
			hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 2);
			reading.part = part;
			hd_wc_read(&b->wc, &reading, 0, 1, 1, true);
			hd_wc_read(&b->wc, &reading, 1, 1, 1, true);
			hd_wc_end_reading(&b->wc, &reading);
			assert_int_equal(b->stats.register_file_writes_flagged, 1);
		}
		/* Of r2:r3, r3 is on a path. */
		hd_wc_take(&b->wc, result(b, 0, 3, HD_PIPE_ALU, ~0u, 60, 4));
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 5);
		hd_wc_read(&b->wc, &reading, 0, 2, 2, true);
		hd_wc_read(&b->wc, &reading, 1, 3, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
		assert_int_equal(b->stats.register_file_writes_flagged, 2);
		assert_int_equal(b->stats.register_file_writes_skipped, 1);
		/* Made for more lanes than read: it stays on the path. In an operand buffer the lanes that read leave. */
		hd_wc_take(&b->wc, result(b, 0, 4, HD_PIPE_ALU, ~0u, 61, 6));
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, 0xff, buffer ? 9 : 7);
		hd_wc_read(&b->wc, &reading, 0, 4, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
		assert_int_equal(b->stats.register_file_writes_flagged, buffer ? 2 : 3);
		/* For fewer lanes: all that there is leaves. */
		hd_wc_take(&b->wc, result(b, 0, 5, HD_PIPE_ALU, 0xff, 62, 12));
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 12);
		hd_wc_read(&b->wc, &reading, 0, 5, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
		assert_int_equal(b->stats.register_file_writes_flagged, buffer ? 2 : 3);
		/* No path reaches the reader. */
		b->wc.across = false;
		hd_wc_take(&b->wc, result(b, 0, 6, HD_PIPE_ALU, ~0u, 63, 14));
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_SFU, ~0u, 14);
		hd_wc_read(&b->wc, &reading, 0, 6, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
		assert_int_equal(b->stats.register_file_writes_flagged, buffer ? 3 : 4);
		/* Flags without an effect are not counted. */
		b->wc.flags = false;
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 15);
		hd_wc_read(&b->wc, &reading, 0, 1, 1, true);
		hd_wc_end_reading(&b->wc, &reading);
		assert_int_equal(b->stats.register_file_writes_flagged, buffer ? 3 : 4);
		hd_wc_end(&b->wc, 0, 20);
		hd_wc_free(&b->wc);
		free_bench(b);
	}
}

/* LU-13: the words of a pair that came on different paths are counted apart. */
TEST(words_are_counted_by_path)
{
	bench *b = new_bench(true, 2);
	hd_reading reading;
	hd_wc_take(&b->wc, result(b, 0, 2, HD_PIPE_ALU, ~0u, 60, 4)); /* C-B in cycles 4 and 5, C-A in 6, compensation in 7 and 8 */
	hd_wc_take(&b->wc, result(b, 0, 3, HD_PIPE_ALU, ~0u, 61, 6));
	for (uint64_t now = 6; now < 9; now++) {
		hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, now);
		hd_wc_read(&b->wc, &reading, 0, 2, 2, false);
		hd_wc_end_reading(&b->wc, &reading);
	}
	assert_int_equal(b->stats.register_file_reads_path_b, 2);
	assert_int_equal(b->stats.register_file_reads_path_a, 2);
	assert_int_equal(b->stats.register_file_compensation_reads, 2);
	assert_int_equal(b->stats.register_file_reads_forwarded, 6);
	/* A later result for r3 is on C-B where the older one is on C-A no more. */
	hd_wc_take(&b->wc, result(b, 0, 3, HD_PIPE_ALU, ~0u, 62, 8));
	hd_wc_begin(&b->wc, &reading, 0, HD_PIPE_ALU, ~0u, 8);
	hd_wc_read(&b->wc, &reading, 0, 3, 1, false);
	hd_wc_end_reading(&b->wc, &reading);
	assert_int_equal(b->stats.register_file_reads_path_b, 3);
	assert_int_equal(b->stats.register_file_reads_path_a, 2);
	read_lane_0(b, 8, 2, 2, 0, false); /* alike in a pair, whose first word comes from a compensation register */
	assert_int_equal(b->stats.register_file_reads_path_b, 4);
	assert_int_equal(b->stats.register_file_reads_path_a, 2);
	assert_int_equal(b->stats.register_file_compensation_reads, 3);
	free_bench(b);
}

static hd_flight *pair_of(bench *b, unsigned reg, uint32_t value, uint64_t exit)
{
	hd_flight *flight = hd_pool_flight(&b->pool);
	memset(flight, 0, sizeof *flight);
	*flight = (hd_flight){.exit = exit, .reg = (uint8_t)reg, .words = 2, .pipe = HD_PIPE_ALU, .mask = ~0u};
	flight->out.r[0].v[0] = value;
	flight->out.r[1].v[0] = value + 1;
	return flight;
}

/* A result that is written before its turn, because a part of it is overwritten, takes older ones that it meets along: each register ends with its
 * youngest value. */
TEST(writes_keep_their_order)
{
	bench *b = new_bench(false, 2);
	const hd_vec32 last = {{30}};
	hd_wc_take(&b->wc, pair_of(b, 2, 10, 2));
	hd_wc_take(&b->wc, pair_of(b, 3, 20, 3));
	hd_wc_write(&b->wc, &(hd_direct_write){0, 4, 1, ~0u, &last}, true, 4); /* meets the second result only */
	hd_wc_settle(&b->wc, 40);
	assert_int_equal(b->registers[2].v[0], 10);
	assert_int_equal(b->registers[3].v[0], 20);
	assert_int_equal(b->registers[4].v[0], 30);
	free_bench(b);
}

TEST(a_dropped_register_is_no_longer_forwarded)
{
	bench *b = new_bench(true, 0);
	hd_wc_take(&b->wc, pair_of(b, 2, 50, 2));
	assert_int_equal(read_lane_0(b, 2, 2, 1, 0, true), 50);
	assert_int_equal(read_lane_0(b, 2, 2, 1, 0, false), 1002); /* the register file's */
	assert_int_equal(read_lane_0(b, 2, 3, 1, 0, false), 51);
	assert_int_equal(read_lane_0(b, 2, 2, 2, 0, false), 1002);
	assert_int_equal(read_lane_0(b, 2, 2, 2, 1, false), 51);
	/* Nor where it is merged with a newer result of other lanes. */
	hd_wc_take(&b->wc, result(b, 0, 2, HD_PIPE_ALU, ~1u, 60, 3));
	assert_int_equal(read_lane_0(b, 3, 2, 1, 0, false), 1002);
	assert_int_equal(read_lane_0(b, 3, 2, 2, 0, false), 1002);
	free_bench(b);
}

TEST(the_newest_of_two_results_is_forwarded)
{
	bench *b = new_bench(true, 0);
	hd_wc_take(&b->wc, pair_of(b, 2, 50, 2));
	hd_wc_take(&b->wc, pair_of(b, 2, 60, 3));
	for (unsigned word = 0; word < 2; word++) {
		assert_int_equal(read_lane_0(b, 3, 2, 2, word, false), 60 + word);
		assert_int_equal(read_lane_0(b, 3, 2 + word, 1, 0, false), 60 + word);
	}
	free_bench(b);
}
