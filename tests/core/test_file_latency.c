/* A register file that takes time to read and to write (LU-11): when results can be read, with paths that hide that time and without; loads, stores
 * and branches; writes that flags still save. */
#include "stage_rig.h"

enum { READ = 2, WRITE = 1, BOTH = READ + WRITE };

static rig *slow_rig(unsigned path_b, unsigned path_a, unsigned compensation)
{
	rig *r = rig_new(64);
	r->machine.machine_schedulers = 1;
	r->machine.register_file_read_latency = READ;
	r->machine.register_file_write_latency = WRITE;
	r->machine.last_use_path_b = path_b;
	r->machine.last_use_path_a = path_a;
	r->machine.last_use_compensation = compensation;
	return r;
}

/* The value that an addition reads from r5 when it issues `distance` cycles behind `movi r5, 7`. Before, r5 holds 1. */
static uint32_t value_at(rig *r, unsigned distance)
{
	rig_address(r);
	rig_put(r, movi(5, 1), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, movi(5, 7), delay(distance));
	rig_put(r, alui(HD_OP_IADD, 6, 5, 100), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(15));
	rig_exit(r);
	assert_true(rig_run(r));
	uint32_t value = rig_out(r, 0) - 100;
	rig_free(r);
	return value;
}

/* LU-11: values flow. Without paths that hide the file, a result can be read read_latency + write_latency cycles later, and not before. */
TEST(paths_hide_the_file)
{
	hd_machine machine;
	hd_machine_default(&machine);
	unsigned latency = machine.latency[HD_CLASS_ALU].latency;
	assert_int_equal(value_at(slow_rig(BOTH, 0, 0), latency), 7);
	assert_int_equal(value_at(slow_rig(BOTH, 0, 0), latency - 1), 1);
	assert_int_equal(value_at(slow_rig(0, BOTH, 0), latency), 7);
	assert_int_equal(value_at(slow_rig(1, 1, BOTH - 2), latency), 7); /* compensation registers count, too (LU-4) */
	assert_int_equal(value_at(slow_rig(1, 1, 0), latency), 1);        /* a cycle too short */
	assert_int_equal(value_at(slow_rig(1, 1, 0), latency + BOTH - 1), 1);
	assert_int_equal(value_at(slow_rig(1, 1, 0), latency + BOTH), 7);
	rig *r = slow_rig(BOTH, 0, 0); /* a counter falls for all pipes, so paths to one pipe hide nothing */
	r->machine.last_use_across = false;
	assert_int_equal(value_at(r, latency + BOTH - 1), 1);
	r = slow_rig(BOTH, 0, 0);
	r->machine.last_use_across = false;
	assert_int_equal(value_at(r, latency + BOTH), 7);
}

/* LU-11: accesses and decisions come read_latency later, because operands do, whatever the paths. Results of memory are late without paths alone. */
TEST(memory_and_flow_wait_for_their_operands)
{
	for (unsigned hidden = 0; hidden < 2; hidden++) {
		rig *r = slow_rig(hidden ? BOTH : 0, 0, 0);
		uint32_t a = rig_put(r, movi(5, 1), delay(1)), l = rig_put(r, load(HD_OP_LDG, 6, 2, 0), delay(1)),
		         s = rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(1)), n = rig_put(r, inst_(HD_OP_NOP), delay(1)),
		         b = rig_put(r, branch(HD_OP_BRA, rig_here(r)), delay(1));
		stage_rig *t = stage_new(r);
		const hd_static *code = t->core->code;
		const hd_timing *table = r->machine.latency;
		unsigned late = hidden ? 0 : BOTH;
		assert_int_equal(code[a].latency, table[HD_CLASS_ALU].latency + late);
		assert_int_equal(code[l].latency, table[HD_CLASS_LSU].latency + READ);
		assert_int_equal(code[b].latency, table[HD_CLASS_FLOW].latency + READ);
		assert_int_equal(code[n].latency, table[HD_CLASS_NOP].latency);
		assert_int_equal(code[l].late, late);
		assert_int_equal(code[s].late, 0); /* a store writes no register */
		assert_int_equal(t->core->stage_latency[0], table[HD_CLASS_LSU].latency + READ);
		assert_int_equal(t->core->stage_latency[1], table[HD_CLASS_LATOM].latency + READ);
		stage_free(t);
	}
}

/* Cycles of a program in which an addition waits for a load by a counter, a store waits for the addition, and three jumps follow. */
static uint64_t cycles_of(rig *r, uint32_t *value)
{
	rig_address(r);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t here = rig_here(r);
		rig_put(r, branch(HD_OP_BRA, here % HD_LINE_WORDS == HD_LINE_WORDS - 1 ? here + 2 : here + 1), delay(1));
	}
	rig_put(r, primary(load(HD_OP_LDG, 6, 2, 0), 6), delay(1));
	rig_put(r, primary(waits(alui(HD_OP_IADD, 6, 6, 100), 6), 1), delay(1));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 6), 1), delay(15));
	rig_exit(r);
	assert_true(rig_run(r));
	*value = rig_out(r, 0);
	uint64_t cycles = r->stats.run_cycles;
	rig_free(r);
	return cycles;
}

/* LU-11: a counter falls when the register file, or a path, serves the result. */
TEST(counters_fall_when_the_result_can_be_read)
{
	uint32_t value;
	rig *r = slow_rig(BOTH, 0, 0);
	r->machine.register_file_read_latency = r->machine.register_file_write_latency = 0;
	uint64_t quick = cycles_of(r, &value);
	assert_int_equal(value, 100);
	uint64_t hidden = cycles_of(slow_rig(BOTH, 0, 0), &value);
	assert_int_equal(value, 100);
	uint64_t open = cycles_of(slow_rig(0, 0, 0), &value);
	assert_int_equal(value, 100);
	assert_true(hidden >= quick + 4 * READ); /* three jumps and a load */
	assert_true(hidden < quick + 4 * READ + 2 * BOTH);
	assert_true(open >= hidden + 2 * BOTH); /* the results of the load and of the addition */
}

/* LU-5, LU-11: the write begins as many cycles before the end of the paths as it takes, so a flagged reader saves it only before. */
TEST(a_write_begins_early)
{
	hd_machine machine;
	hd_machine_default(&machine);
	for (unsigned behind = 0; behind < 3; behind++) {
		rig *r = slow_rig(BOTH + 1, 0, 0); /* one cycle is left */
		rig_address(r);
		rig_put(r, movi(5, 1), delay(machine.latency[HD_CLASS_ALU].latency + behind));
		hd_inst reader = alui(HD_OP_IADD, 6, 5, 100);
		reader.last_use = 1;
		rig_put(r, reader, delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 0), 101);
		assert_int_equal(r->stats.register_file_writes_skipped, behind == 0);
		rig_free(r);
	}
}

/* LU-4, LU-11: a result that must leave its compensation register early is not in the register file yet, so nothing enters until it is. */
TEST(a_result_that_leaves_early_keeps_readers_out)
{
	rig *r = slow_rig(0, 0, BOTH + 1);
	stage_rig *t = stage_new(r);
	stage_start(t);
	hd_write_controller *wc = &t->s->results;
	assert_int_equal(wc->capacity, 1);
	for (unsigned i = 0; i < 2; i++) { /* two results of one pipe, in one cycle */
		hd_flight *flight = hd_pool_flight(&t->core->pool);
		flight->memory = NULL;
		flight->exit = 20;
		flight->mask = ~0u;
		flight->warp = 0;
		flight->pipe = HD_PIPE_ALU;
		flight->reg = (uint8_t)(5 + i);
		flight->words = 1;
		flight->passes_by = false;
		hd_wc_take(wc, flight);
	}
	hd_wc_settle(wc, 20);
	assert_int_equal(wc->ports.free_at, 20 + BOTH);
	stage_free(t);
}
