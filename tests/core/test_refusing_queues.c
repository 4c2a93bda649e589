/* Units beside the load/store unit that refuse an instruction with may-replay, and replays after a miss in the first cache (PD-26; docs/timing.md,
 * "Replays"), issue by issue. */
#include "timeline.h"

enum { MOST_REFUSALS = 8 /* in a row */ };

/* A rig in which every lane has its number in r21 and `scale` times it in r20, and r2:r3 is the lane's own word of out. */
static rig *lanes(unsigned width, unsigned scale)
{
	rig *r = begin(1, width);
	r->machine.predecode_replay = 8;
	r->words = 1; /* in place of the line of `begin` */
	rig_put(r, movc(2, 16), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, sreg(21, HD_SREG_LANEID), delay(15));
	rig_put(r, alui(HD_OP_IMUL, 20, 21, (int32_t)scale), delay(15));
	rig_put(r, alui(HD_OP_SHL, 1, 21, 2), delay(15));
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

static uint8_t replayed(unsigned number) { return with(HD_HINT_MAY_REPLAY, number); }
static void store_result(rig *r, unsigned reg) { rig_put(r, waits(store(HD_OP_STG, 2, 0, reg), 1), delay(1)); }

/* The words that the lanes stored are start + step * lane. */
static void results_are(rig *r, uint32_t start, uint32_t step)
{
	for (uint32_t lane = 0; lane < 32; lane++)
		assert_int_equal(rig_out(r, lane), start + step * lane);
}

/* The transcendental unit takes an instruction every four cycles. The second one comes in cycle 2, and the unit is free in 5. A third one, which is
 * not marked, must not pass the second. */
TEST(a_busy_unit_refuses)
{
	static const struct {
		unsigned key, entries, marked;
		const char *expected;
		unsigned busy, order;
	} rows[] = {
	    {0, 8, 1, "0:0a 1:0b 2:0c", 0, 0},           {1, 0, 1, "0:0a 1:0b 2:0c", 0, 0},      {1, 8, 0, "0:0a 1:0b 2:0c", 0, 0},
	    {1, 8, 1, "0:0a 1:0b 2:0c 4:0B 5:0C", 1, 1}, {1, 1, 1, "0:0a 1:0b 2:0c 4:0B", 1, 0}, /* c finds no entry and waits in its queue */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, 1);
		r->machine.predecode_refuse_busy = rows[i].key;
		r->machine.predecode_replay = rows[i].entries;
		rig_put(r, sfu(5), delay(1));
		rig_put(r, sfu(6), rows[i].marked ? replayed(1) : delay(1));
		rig_put(r, sfu(7), delay(1));
		rig_exit(r);
		expect(r, 3, rows[i].expected);
		assert_int_equal(r->stats.predecode_refused_busy, rows[i].busy);
		assert_int_equal(r->stats.predecode_refused_order, rows[i].order);
		assert_int_equal(r->stats.predecode_replays, rows[i].busy + rows[i].order);
		rig_free(r);
	}
}

/* Rule 2 of docs/timing.md. The entry is busy for `busy` cycles, so b enters as a replay in 1 + busy and not in 2. Its consumer c issues five cycles
 * behind b, as the delay says, and enters five cycles behind it: from its queue, or as a replay where it comes before b has entered. */
TEST(a_replay_keeps_the_distance_behind_it)
{
	static const struct {
		unsigned busy, order;
	} rows[] = {{3, 0}, {5, 0}, {8, 1}, {12, 1}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = lanes(1, 1);
		r->machine.predecode_refuse_busy = 1;
		r->machine.latency[HD_CLASS_MUL] = (hd_timing){.latency = 5, .interval = rows[i].busy};
		r->machine.latency[HD_CLASS_ALU].latency = 5;
		rig_put(r, movi(6, 7), delay(8));
		rig_put(r, alui(HD_OP_IMUL, 5, 21, 0), delay(1));
		rig_put(r, alui(HD_OP_IADD, 6, 21, 3), replayed(5));
		rig_put(r, primary(alui(HD_OP_IADD, 7, 6, 100), 1), delay(1));
		store_result(r, 7);
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_busy, 1);
		assert_int_equal(r->stats.predecode_refused_order, rows[i].order);
		results_are(r, 103, 1);
		rig_free(r);
	}
}

/* A replay that has entered its pipe leaves its entry to the next one. */
TEST(an_entry_is_used_again)
{
	rig *r = begin(1, 1);
	r->machine.predecode_refuse_busy = 1;
	r->machine.predecode_replay = 1;
	for (unsigned i = 0; i < 3; i++) {
		rig_put(r, sfu(5), delay(1));
		rig_put(r, sfu(6), replayed(15));
	}
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.predecode_refused_busy, 3);
	rig_free(r);
}

/* One queue for all units (MI-12): the instruction that the busy unit refuses no longer holds back what is behind it. */
TEST(a_refusal_frees_the_shared_queue)
{
	uint32_t clock[2];
	for (unsigned refuses = 0; refuses < 2; refuses++) {
		rig *r = lanes(1, 1);
		r->machine.multi_issue_queues = HD_QUEUES_SHARED;
		r->machine.predecode_refuse_busy = refuses;
		rig_put(r, primary(sreg(6, HD_SREG_CLOCK), 3), delay(1));
		rig_put(r, sfu(5), delay(1));
		rig_put(r, sfu(5), replayed(1));
		rig_put(r, primary(sreg(7, HD_SREG_CLOCK), 2), delay(1));
		rig_put(r, waits(waits(primary(alu(HD_OP_ISUB, 8, 7, 6, HD_RZ), 1), 2), 3), delay(1));
		store_result(r, 8);
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_busy, refuses);
		clock[refuses] = rig_out(r, 0);
		rig_free(r);
	}
	assert_int_equal(clock[0], 6); /* behind the second one, which enters in the fifth cycle behind the first */
	assert_int_equal(clock[1], 4); /* when its own unit is free again */
}

/* Lanes of a warp add one to a word that `sharers` of them share. Each finds the sum of the lanes below it. */
TEST(conflicts_of_atomics_are_replayed)
{
	static const struct {
		unsigned key, sharers, replays;
	} rows[] = {{0, 4, 0}, {1, 1, 0}, {1, 2, 1}, {1, 4, 3}, {1, 32, 31}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = lanes(1, 1);
		hd_inst add = alu(HD_OP_ATOMS, 7, 20, 6, HD_RZ), exchange = alu(HD_OP_ATOMS, 8, 20, 21, HD_RZ);
		add.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
		exchange.sub = HD_ATOM_EXCH | HD_ATOM_U32 << 4;
		r->machine.predecode_refuse_atomics = rows[i].key;
		rig_put(r, movi(6, 1), delay(15));
		rig_put(r, alui(HD_OP_SHRU, 20, 21, __builtin_ctz(rows[i].sharers)), delay(15));
		rig_put(r, alui(HD_OP_SHL, 20, 20, 2), delay(15));
		rig_put(r, primary(add, 6), replayed(1));
		rig_put(r, primary(exchange, 5), delay(1)); /* not marked; it comes behind every lane of the one before */
		rig_put(r, waits(waits(primary(alu(HD_OP_IADD, 9, 7, 8, HD_RZ), 1), 6), 5), delay(1));
		store_result(r, 9);
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_atomics, rows[i].replays);
		assert_int_equal(r->stats.predecode_replays, rows[i].replays + r->stats.predecode_refused_order);
		assert_true(!rows[i].replays || r->stats.predecode_refused_order);
		assert_int_equal(r->stats.memory_shared_accesses, 2);
		for (unsigned lane = 0; lane < 32; lane++) {
			unsigned before = lane % rows[i].sharers;
			assert_int_equal(rig_out(r, lane), before + (before ? lane - 1 : rows[i].sharers));
		}
		rig_free(r);
	}
}

/* Word 3 of the constant bank is in a line that nothing has used. The decoder holds the warp until the line is there; with the key the instruction
 * goes to its pipe, which refuses it, and what is behind it in another pipe goes on. */
TEST(an_absent_constant_operand_is_replayed)
{
	for (unsigned what = 0; what < 4; what++) {
		rig *r = lanes(1, 1);
		bool refuses = what == 3;
		r->machine.memory_constant_bytes = 1024;
		r->machine.predecode_refuse_constants = what & 1;
		rig_put(r, primary(sreg(6, HD_SREG_CLOCK), 3), delay(1));
		rig_put(r, primary(movc(5, 3), 4), what & 2 ? replayed(1) : delay(1));
		rig_put(r, primary(sreg(7, HD_SREG_CLOCK), 2), delay(1));
		rig_put(r, waits(waits(primary(alu(HD_OP_ISUB, 8, 7, 6, HD_RZ), 1), 2), 3), delay(1));
		store_result(r, 8);
		rig_put(r, waits(store(HD_OP_STG, 2, 128, 5), 4), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_constants, refuses);
		assert_int_equal(rig_out(r, 0) < 20, refuses); /* a line from the second level takes longer */
		assert_int_equal(r->stats.stall_constant > 0, what != 3 || r->stats.memory_constant_misses > 1);
		assert_int_equal(rig_out(r, 32), r->launch.grid[0]);
		rig_free(r);
	}
}

/* The cache has one line. What reads word 3 is refused and replayed, then word 16 takes the place of its line. The next that reads word 3 misses
 * again: the entry of the miss buffer has served the one that was refused, and nobody else. */
TEST(a_refused_constant_leaves_no_line_behind)
{
	rig *r = lanes(1, 1);
	r->machine.memory_constant_bytes = r->machine.memory_constant_line = 64;
	r->machine.memory_constant_ways = 1;
	r->machine.predecode_refuse_constants = true;
	rig_put(r, primary(movc(5, 3), 4), replayed(1));
	rig_put(r, primary(movc(6, 16), 3), delay(1)); /* the decoder looks it up while the other one waits */
	rig_put(r, primary(movc(7, 3), 2), delay(1));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 7), 2), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.predecode_refused_constants, 1);
	assert_int_equal(r->stats.memory_constant_misses, 4); /* and word 16, of which `lanes` makes an address */
	assert_int_equal(rig_out(r, 0), r->launch.grid[0]);
	rig_free(r);
}

/* Four words of the constant bank among the lanes of a warp. */
TEST(addresses_of_a_constant_load_are_replayed)
{
	for (unsigned what = 0; what < 4; what++) {
		rig *r = lanes(1, 1);
		bool refuses = what & 1, absent = what & 2;
		r->machine.memory_constant_bytes = absent ? 1024 : 0;
		r->machine.predecode_refuse_constants = refuses;
		rig_put(r, alui(HD_OP_AND, 20, 21, 3), delay(15));
		rig_put(r, alui(HD_OP_SHL, 20, 20, 2), delay(15));
		rig_put(r, primary(load(HD_OP_LDC, 5, 20, 0), 1), replayed(1));
		store_result(r, 5);
		rig_exit(r);
		assert_true(rig_run(r));
		/* Three further addresses, and once because the line is absent. */
		assert_int_equal(r->stats.predecode_refused_constants, refuses ? 3 + absent : 0);
		assert_int_equal(r->stats.memory_constant_passes, 4);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), rig_out(r, lane % 4));
		assert_int_equal(rig_out(r, 3), r->launch.grid[0]);
		rig_free(r);
	}
}

/* Thirty-two words in four lines of the constant cache, which are absent one after the other. The passes that were planned for a line that is absent
 * are in vain, more than MOST_REFUSALS of them, and the load is done once. */
TEST(passes_in_vain_end)
{
	rig *r = lanes(1, 4);
	r->machine.memory_constant_bytes = 1024;
	r->machine.memory_constant_line = 32;
	r->machine.predecode_refuse_constants = 1;
	uint64_t table = hd_memory_alloc(r->memory, 128, "table");
	for (uint32_t i = 0; i < 32; i++)
		((uint32_t *)hd_memory_at(r->memory, table, 128))[i] = 5 + i;
	rig_put(r, movi(4, (int32_t)(uint32_t)table), delay(15));
	rig_put(r, movi(5, (int32_t)(uint32_t)(table >> 32)), delay(15));
	rig_put(r, alu(HD_OP_IADD, 4, 4, 20, HD_RZ), delay(15));
	rig_put(r, primary(load(HD_OP_LDK, 6, 4, 0), 1), replayed(1));
	store_result(r, 6);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_true(r->stats.predecode_refused_constants > 31 + MOST_REFUSALS);
	assert_int_equal(r->stats.memory_constant_passes, 32);
	assert_int_equal(r->stats.memory_constant_misses, 4 + 1); /* and the line of the constant operands */
	results_are(r, 5, 1);
	rig_free(r);
}

/* An instruction of the transcendental unit enters in the cycle of a pair's first, which takes the only port of the only bank. */
TEST(every_pipe_may_refuse_for_a_port)
{
	for (unsigned key = 0; key < 2; key++) {
		rig *r = lanes(2, 1);
		r->machine.register_file_banks = 1;
		r->machine.register_file_read_ports = 1;
		r->machine.predecode_refuse_ports = key;
		rig_put(r, alu(HD_OP_IADD, 6, 21, HD_RZ, HD_RZ), with(HD_HINT_PAIR, 0));
		rig_put(r, by_read(primary(alu(HD_OP_FEX2, 7, 20, HD_RZ, HD_RZ), 1)), replayed(1));
		rig_put(r, waits(movi(20, 77), 1), delay(1));
		rig_exit(r);
		expect(r, 3, key ? "0:0a 0:0b 1:0c 2:0B" : "0:0a 0:0b 1:0c");
		assert_int_equal(r->stats.predecode_refused_ports, key);
		rig_free(r);
	}
}

/* A load that misses the first cache is refused once, replayed when its sectors are there, and hits. Without the key it waits beside the pipe. A load
 * that goes past the first cache is not refused. */
TEST(a_miss_is_replayed)
{
	for (unsigned what = 0; what < 4; what++) {
		rig *r = lanes(1, 1);
		bool key = what & 1, past = what & 2;
		hd_inst first = load(HD_OP_LDG, 5, 2, 0), second = load(HD_OP_LDG, 6, 2, 0);
		first.mod = past ? HD_CACHE_GLOBAL : HD_CACHE_ALL;
		r->machine.predecode_replay_misses = key;
		for (uint32_t i = 0; i < 32; i++)
			((uint32_t *)hd_memory_at(r->memory, r->out, 128))[i] = 10 + i;
		rig_put(r, primary(first, 1), replayed(1));
		rig_put(r, waits(primary(alui(HD_OP_IADD, 5, 5, 1), 2), 1), delay(1));
		rig_put(r, past ? inst_(HD_OP_NOP) : waits(primary(second, 3), 1), replayed(1)); /* hits */
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 2), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_l1, key && !past);
		assert_int_equal(r->stats.predecode_replays, key && !past);
		assert_int_equal(r->stats.memory_l1_misses, past ? 0 : 4);
		assert_int_equal(r->stats.memory_global_loads, past ? 1 : 2);
		results_are(r, 11, 1);
		rig_free(r);
	}
}

/* A sector that was requested and has not come is no hit. */
TEST(a_requested_sector_is_not_there_yet)
{
	rig *r = lanes(1, 1);
	r->machine.predecode_replay_misses = 1;
	rig_put(r, primary(load(HD_OP_LDG, 5, 2, 0), 1), replayed(1));
	rig_put(r, primary(load(HD_OP_LDG, 6, 2, 0), 2), replayed(1));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.predecode_refused_l1, 2);
	assert_int_equal(r->stats.memory_l1_misses, 4);
	rig_free(r);
}

/* Without room in the table of misses the load is refused for that reason, until the room is there; then for the sectors that it requests. */
TEST(a_miss_without_room_is_replayed)
{
	rig *r = lanes(1, 1);
	r->machine.predecode_replay_misses = 1;
	r->machine.memory_l1_misses = 1;
	rig_put(r, primary(load(HD_OP_LDG, 5, 2, 0), 1), replayed(1));
	rig_put(r, primary(load(HD_OP_LDG, 6, 2, 256), 2), replayed(1));
	store_result(r, 5);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_true(r->stats.predecode_refused_misses >= 1);
	assert_true(r->stats.predecode_refused_l1 >= 2);
	assert_int_equal(r->stats.memory_l1_misses, 8);
	rig_free(r);
}
