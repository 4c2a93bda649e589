/* Work distribution: PD-19 (CTAs to cores as room appears), PD-20 (limits of a core), HZ-15. */
#include "../core/rig.h"

enum { CTAS = 40 };

/* Every CTA (one warp) writes its core and its first and last clock to out[8 * cta + 0..2]; some run much longer than others. */
static rig *recorder(void)
{
	rig *r = rig_new(CTAS * 8);
	r->launch.grid[0] = CTAS;
	r->launch.block[0] = 1;
	rig_put(r, primary(sreg(7, HD_SREG_CLOCK), 1), 0);
	rig_put(r, primary(sreg(6, HD_SREG_SMID), 1), 0);
	rig_put(r, primary(sreg(0, HD_SREG_CTAIDX), 1), 0);
	rig_put(r, waits(movc(2, 16), 1), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, alui(HD_OP_SHL, 1, 0, 5), delay(15));
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
	rig_put(r, alui(HD_OP_AND, 5, 0, 3), delay(15));
	uint32_t loop = rig_put(r, alui(HD_OP_IADD, 5, 5, -1), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, setpi(HD_CMP_GE, 0, 5, 0), delay(15));
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	rig_put(r, primary(store(HD_OP_STG, 2, 0, 6), 5), 0);
	rig_put(r, primary(store(HD_OP_STG, 2, 4, 7), 5), 0);
	rig_put(r, primary(sreg(8, HD_SREG_CLOCK), 1), 0);
	rig_put(r, waits(waits(store(HD_OP_STG, 2, 8, 8), 1), 5), 0);
	rig_exit(r);
	return r;
}

/* Most CTAs that were on one core at one time. */
static unsigned most_at_once(rig *r, uint32_t cores)
{
	unsigned most = 0;
	for (unsigned i = 0; i < CTAS; i++) {
		unsigned at_once = 0;
		assert_true(rig_out(r, 8 * i) < cores);
		for (unsigned j = 0; j < CTAS; j++)
			at_once += rig_out(r, 8 * j) == rig_out(r, 8 * i) && rig_out(r, 8 * j + 1) <= rig_out(r, 8 * i + 1) &&
			           rig_out(r, 8 * j + 2) >= rig_out(r, 8 * i + 1);
		most = at_once > most ? at_once : most;
	}
	return most;
}

TEST(limits_hold_and_are_reached)
{
	static const struct {
		uint32_t ctas, registers, shared, schedulers, warps, expected;
	} rows[] = {
	    {16, 32, 0, 2, 16, 16},    {5, 32, 0, 2, 16, 5}, {16, 512, 0, 2, 16, 4},
	    {16, 32, 30000, 2, 16, 2}, {16, 32, 0, 1, 3, 3}, {16, 32, 65536, 2, 16, 1},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = recorder();
		r->machine.machine_clusters = 1;
		r->machine.machine_cores = 2;
		r->machine.machine_max_ctas = rows[i].ctas;
		r->machine.machine_schedulers = rows[i].schedulers;
		r->machine.machine_warps = rows[i].warps;
		r->kernel.registers = rows[i].registers;
		r->kernel.shared_bytes = rows[i].shared;
		assert_true(rig_run(r));
		assert_int_equal(most_at_once(r, 2), rows[i].expected);
		assert_int_equal(r->stats.run_ctas, CTAS);
		assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
		rig_free(r);
	}
}

TEST(the_first_ctas_go_round_robin_and_the_others_where_room_is)
{
	rig *r = recorder();
	uint32_t on[4] = {0};
	r->machine.machine_clusters = 2;
	r->machine.machine_cores = 2;
	r->machine.machine_max_ctas = 2;
	assert_true(rig_run(r));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(rig_out(r, 8 * i), i % 4);
	for (unsigned i = 0; i < CTAS; i++)
		on[rig_out(r, 8 * i)]++;
	for (unsigned core = 0; core < 4; core++)
		assert_in_range(on[core], 5, 16);
	rig_free(r);
}

/* PD-20, PD-11: the cores of a cluster share one L1.5: a line comes to it once for each cluster, however many cores ask. */
TEST(cores_of_a_cluster_share_the_l15)
{
	uint64_t misses[3];
	for (unsigned i = 0; i < 3; i++) {
		rig *r = recorder();
		r->machine.machine_clusters = 1u << i;
		r->machine.machine_cores = 4u >> i;
		assert_true(rig_run(r));
		misses[i] = r->stats.predecode_l15_misses;
		rig_free(r);
	}
	assert_true(misses[0] > 0);
	assert_int_equal(misses[1], 2 * misses[0]);
	assert_int_equal(misses[2], 4 * misses[0]);
}

TEST(what_never_fits_is_refused)
{
	rig *r = recorder();
	r->kernel.shared_bytes = 65537;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_RESOURCES);
	assert_non_null(strstr(r->trap.text, "machine.shared_memory"));
	r->kernel.shared_bytes = 0;
	r->kernel.local_bytes = 1u << 24;
	r->launch.block[0] = 1024;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_RESOURCES);
	assert_non_null(strstr(r->trap.text, "local memory"));
	r->kernel.local_bytes = 0;
	r->launch.block[0] = 1024;
	r->machine.machine_warps = 8;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_RESOURCES);
	assert_non_null(strstr(r->trap.text, "machine.warps"));
	rig_free(r);
}

static bool stop_now(void *context, uint64_t cycle, uint64_t done, uint64_t ctas)
{
	(*(unsigned *)context)++;
	assert_int_equal(ctas, CTAS);
	return cycle > 200000;
}

/* The caller is asked now and then, and can stop an endless run. */
TEST(a_run_can_be_interrupted)
{
	rig *r = recorder();
	unsigned asked = 0;
	r->slots[r->words - 1].inst = branch(HD_OP_BRA, r->kernel.entry); /* it looks at the clock: no livelock */
	r->options.poll = stop_now;
	r->options.context = &asked;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_INTERRUPTED);
	assert_true(asked >= 3 && r->trap.cycle < 400000);
	rig_free(r);
}
