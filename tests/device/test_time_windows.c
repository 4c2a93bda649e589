/* Windows of time (PA-2): a run with windows has the bytes, cycles and statistics of one that is simulated cycle by cycle, for any number of threads
 * of the host (PA-1). */
#include "window_rig.h"

/* Much room and hardly any, few and many CTAs at a time, near and far slices, short and long ways, kinds of caches. */
static void windows_change_nothing(void **state)
{
	static const struct {
		uint32_t misses, writes, ctas, latency, far, l1, copies, stride;
	} rows[] = {
	    {64, 256, 16, 160, 0, 32768, 1, 1444}, {1, 1, 16, 160, 0, 32768, 1, 1444},     {3, 2, 2, 160, 0, 1024, 1, 132},
	    {64, 256, 1, 128, 0, 32768, 1, 4},     {8, 4, 4, 131, 40, 1024, 1, 1444},      {40, 33, 8, 700, 200, 32768, 1, 36},
	    {64, 256, 16, 2000, 0, 4096, 2, 1444}, {5, 256, 16, 160, 1000, 32768, 2, 260}, {20, 20, 16, 150, 7, 2048, 1, 4100},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = walker((int32_t)rows[i].stride, 0);
		r->machine.memory_l1_misses = rows[i].misses;
		r->machine.memory_l1_writes = rows[i].writes;
		r->machine.machine_max_ctas = rows[i].ctas;
		r->machine.memory_l2_latency = rows[i].latency;
		r->machine.memory_far_latency = rows[i].far;
		r->machine.memory_l1_bytes = rows[i].l1;
		r->machine.memory_l1_ways = 2;
		r->machine.copies[HD_PIPE_LSU] = rows[i].copies;
		agrees(r);
		rig_free(r);
	}
}

/* Each instruction waits for the one before. */
static void chain(rig *r)
{
	uint8_t counter = 1;
	r->machine.fence_mode = HD_DEP_FENCE;
	for (uint32_t i = 0; i < r->words; i++) {
		if (r->slots[i].is_ss)
			continue;
		r->slots[i].inst.wait = counter;
		counter ^= 3;
		r->slots[i].inst.primary = counter;
	}
}

/* Instructions that the load/store unit refuses come again while their answers are pending (PD-15). */
static void replays_in_windows(void **state)
{
	for (uint32_t misses = 1; misses < 40; misses += 4) {
		rig *r = walker(1444, HD_HINT_MAY_REPLAY << 4 | 1);
		r->machine.fence_mode = HD_DEP_FENCE;
		r->machine.memory_l1_misses = misses;
		r->machine.predecode_replay_order = misses % 3 ? HD_REPLAY_PROMISED : HD_REPLAY_ARRIVAL;
		if (misses % 8 == 1) { /* a replay that has issued waits for a stage that a store has closed, and nothing else happens */
			r->machine.memory_l1_writes = 1;
			r->machine.machine_schedulers = 1;
			r->machine.machine_max_ctas = 2;
		}
		chain(r);
		assert_true(agrees(r).predecode_refused_misses);
		rig_free(r);
	}
}

/* Lanes of a load that was refused find their sectors there, because an access that stopped the cluster has brought them, while lanes that were
 * served before still await their answers. Even CTAs load words that may be refused, and odd ones follow them with lanes that go to shared memory,
 * too. */
static void refused_loads_beside_direct_ones(void **state)
{
	for (uint32_t misses = 2; misses < 40; misses += 3) {
		for (int32_t stride = 36; stride < 2000; stride *= 7) {
			rig *r = new_rig();
			r->machine.memory_l1_misses = misses;
			r->kernel.shared_bytes = 1024;
			rig_put(r, movi(4, 12), 0);
			rig_put(r, alui(HD_OP_SHL, 6, 0, 6), 0);
			rig_put(r, alui(HD_OP_SHRU, 7, 1, 2), 0);
			rig_put(r, alui(HD_OP_SHL, 7, 7, 5), 0);
			rig_put(r, alu(HD_OP_IADD, 6, 6, 7, HD_RZ), 0);
			rig_put(r, alui(HD_OP_AND, 5, 1, 1), 0);
			rig_put(r, setpi(HD_CMP_EQ, 1, 5, 1), 0); /* an odd CTA */
			rig_put(r, alui(HD_OP_AND, 5, 0, 7), 0);
			rig_put(r, alui(HD_OP_SHL, 5, 5, 1), 0);
			rig_put(r, alui(HD_OP_AND, 12, 1, 1), 0);
			rig_put(r, alu(HD_OP_IADD, 5, 5, 12, HD_RZ), 0);
			rig_put(r, setpi(HD_CMP_EQ, 2, 5, 3), 0); /* a lane of it that goes to shared memory */
			rig_put(r, movi(11, 0), 0);
			uint32_t loop = rig_put(r, alui(HD_OP_IADD, 6, 6, stride), 0);
			rig_put(r, alui(HD_OP_AND, 7, 6, TABLE * 4 - 4), 0);
			rig_put(r, alu(HD_OP_IADD, 8, 2, 7, HD_RZ), 0);
			rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
			rig_put(r, guarded(alui(HD_OP_SHL, 8, 0, 2), 2, 0), 0);
			rig_put(r, guarded(movi(9, (int32_t)(HD_WINDOW_SHARED >> 32)), 2, 0), 0);
			rig_put(r, guarded(load(HD_OP_LD, 10, 8, 0), 1, 0), 0);
			rig_put(r, guarded(load(HD_OP_LDG, 10, 8, 0), 1, 1), HD_HINT_MAY_REPLAY << 4 | 1);
			rig_put(r, alu(HD_OP_IADD, 11, 11, 10, HD_RZ), 0);
			rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
			rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
			rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
			own_word(r, 8);
			rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
			store_and_exit(r, 8, 11);
			chain(r);
			outcome slow = outcome_of(r, true, 1);
			assert_true(slow.ok);
			runs_alike(r, &slow, 1);
			free(slow.out);
			rig_free(r);
		}
	}
}

/* Loads of a warp are on their way together: each waits for what is before the first one, and everything else for all of them, except what stands in
 * a run of hints `delay 0`. */
static void chain_but_loads(rig *r, unsigned loads)
{
	unsigned load = 0;
	chain(r);
	for (uint32_t i = 0; i < r->words; i++) {
		hd_inst *inst = &r->slots[i].inst;
		if (r->slots[i].is_ss)
			continue;
		if (inst->op == HD_OP_LDG) {
			inst->wait = 3;
			inst->primary = (uint8_t)(3 + load++);
		} else if (r->slots[i].predecode == delay(0)) {
			inst->wait = inst->primary = 0;
		} else {
			inst->wait |= (uint16_t)(((1u << loads) - 1) << 2);
		}
	}
}

static uint32_t draw(uint64_t *seed, uint32_t from, uint32_t to) { return from + (uint32_t)(hd_random(seed) >> 16) % (to - from + 1); }

/* Warps go through the table with several loads at a time, which may be refused, and with instructions that go before a replay (PD-30). */
static void put_random_loads(rig *r, uint64_t *seed)
{
	enum { ADDRESS = 12, DATA = 20 };
	unsigned loads = draw(seed, 1, 4);
	rig_put(r, alui(HD_OP_SHL, 6, 0, (int32_t)draw(seed, 2, 7)), 0);
	rig_put(r, alui(HD_OP_SHL, 7, 1, (int32_t)draw(seed, 4, 9)), 0);
	rig_put(r, alu(HD_OP_IADD, 6, 6, 7, HD_RZ), 0);
	rig_put(r, alui(HD_OP_AND, 4, 1, 7), 0);
	rig_put(r, movi(5, 0), 0);
	uint32_t loop = rig_here(r);
	for (unsigned i = 0; i < loads; i++) {
		rig_put(r, alui(HD_OP_IADD, 6, 6, (int32_t)draw(seed, 1, 4000) * 4), 0);
		rig_put(r, alui(HD_OP_AND, 7, 6, TABLE * 4 - 4), 0);
		rig_put(r, alu(HD_OP_IADD, ADDRESS + 2 * i, 2, 7, HD_RZ), 0);
		rig_put(r, alu(HD_OP_MOV, ADDRESS + 1 + 2 * i, 3, HD_RZ, HD_RZ), 0);
	}
	for (unsigned i = 0; i < loads; i++)
		rig_put(r, load(HD_OP_LDG, DATA + i, ADDRESS + 2 * i, 0), (uint16_t)(HD_HINT_MAY_REPLAY << 4 | draw(seed, 0, 3)));
	for (unsigned i = draw(seed, 0, 60); i-- > 0;)
		rig_put(r, movi(24 + i % 4, (int32_t)i), delay(0));
	for (unsigned i = 0; i < loads; i++)
		rig_put(r, alu(HD_OP_IADD, 5, 5, DATA + i, HD_RZ), 0);
	rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
	own_word(r, 8);
	store_and_exit(r, 8, 5);
	chain_but_loads(r, loads);
}

/* Random machines of several clusters whose loads are refused: many replays of a scheduler stand in line when a window ends. HEDDLE_WINDOW_SEEDS: so
 * many machines in place of the suite's. */
static void random_replays(void **state)
{
	const char *longer = getenv("HEDDLE_WINDOW_SEEDS");
	uint32_t seeds = longer ? (uint32_t)strtoul(longer, NULL, 10) : getenv("HEDDLE_SANITIZED") ? 4 : 16;
	uint64_t refused = 0;
	for (uint32_t i = 0; i < seeds; i++) {
		rig *r = new_rig();
		uint64_t seed = i * 977 + (settings == wide) + 2 * (settings == narrow);
		hd_machine *m = &r->machine;
		m->machine_clusters = draw(&seed, 2, 5);
		m->machine_cores = draw(&seed, 1, 3);
		m->machine_schedulers = draw(&seed, 1, 3);
		m->machine_max_ctas = draw(&seed, 8, 16);
		m->memory_l1_misses = draw(&seed, 4, 64);
		m->memory_l1_writes = draw(&seed, 1, 8);
		m->memory_l1_bytes = 1024u << draw(&seed, 0, 3);
		m->memory_l1_ways = 2;
		m->memory_l2_latency = draw(&seed, 140, 240);
		m->memory_far_latency = draw(&seed, 0, 1) ? draw(&seed, 1, 90) : 0;
		m->predecode_replay = draw(&seed, 4, 32);
		m->fetch_l1i_lines = 8;
		m->predecode_consecutive = draw(&seed, 0, 3) > 0;
		m->predecode_replay_order = draw(&seed, 0, 1) ? HD_REPLAY_PROMISED : HD_REPLAY_ARRIVAL;
		put_random_loads(r, &seed);
		outcome slow = outcome_of(r, true, 1);
		assert_true(slow.ok);
		runs_alike(r, &slow, i % 4 ? 1 : several_threads());
		refused += slow.stats.predecode_refused_misses;
		free(slow.out);
		rig_free(r);
	}
	assert_true(refused);
}

/* Clusters of one core and of many, and cores that share an L1.5 cache without room for the program. */
static void clusters_of_any_size(void **state)
{
	static const uint32_t rows[][3] = {{2, 1, 1024}, {8, 1, 8}, {3, 5, 8}, {16, 2, 1024}, {2, 16, 8}, {64, 1, 1024}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = walker(1444, 0);
		r->machine.machine_clusters = rows[i][0];
		r->machine.machine_cores = rows[i][1];
		r->machine.fetch_l1i_lines = 8;
		r->machine.fetch_l15_lines = rows[i][2];
		r->machine.machine_max_ctas = 2;
		agrees(r);
		rig_free(r);
	}
}

/* A long loop through caches that hold a part of it, so that lines of instructions are on their way all the time, some of them twice. Warps share the
 * lines, and leave them by branches to come back for them. */
static void lines_of_instructions(void **state)
{
	static const uint32_t rows[][6] = {/* clusters, cores, lines of the first cache, of the L1.5 cache, latencies of both */
	                                   {4, 1, 8, 8, 5, 20},  {3, 3, 8, 16, 5, 20},  {2, 2, 16, 8, 30, 10},
	                                   {4, 2, 2, 32, 1, 70}, {4, 2, 8, 8, 70, 300}, {5, 1, 64, 64, 5, 20}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = new_rig();
		r->machine.machine_clusters = rows[i][0];
		r->machine.machine_cores = rows[i][1];
		r->machine.fetch_l1i_lines = rows[i][2];
		r->machine.fetch_l1i_ways = 2;
		r->machine.fetch_l15_lines = rows[i][3];
		r->machine.fetch_l1i_latency = rows[i][4];
		r->machine.fetch_l15_latency = rows[i][5];
		r->machine.machine_max_ctas = 6;
		r->launch.grid[0] /= 2;
		rig_put(r, alui(HD_OP_AND, 4, 1, 3), 0);
		own_word(r, 2);
		uint32_t loop = rig_put(r, load(HD_OP_LDG, 10, 2, 0), 0);
		for (unsigned block = 0; block < 6; block++) {
			rig_put(r, setpi(HD_CMP_GT, 0, 4, (int32_t)block % 3), 0);
			uint32_t skip = rig_put(r, guarded(branch(HD_OP_BRA, 0), 0, 0), 0);
			for (unsigned k = 0; k < 20; k++)
				rig_put(r, alui(HD_OP_IADD, 11 + k % 3, 11 + k % 3, 1), 0);
			r->slots[skip].inst.imm = (int32_t)rig_here(r);
		}
		rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
		rig_put(r, setpi(HD_CMP_GT, 0, 4, -1), 0);
		rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
		store_and_exit(r, 2, 11);
		agrees(r);
		rig_free(r);
	}
}

/* Lanes leave a loop one after the other and wait: observers see each change of the resume counters. */
static void lanes_that_wait(void **state)
{
	rig *r = new_rig();
	rig_put(r, alu(HD_OP_IADD, 0, 0, 1, HD_RZ), 0);
	rig_put(r, alui(HD_OP_AND, 0, 0, 7), 0);
	uint32_t loop = rig_put(r, alui(HD_OP_IADD, 0, 0, -1), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 0, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	store_and_exit(r, 2, 1);
	agrees(r);
	rig_free(r);
}

/* grids.cta_latency: with a long one the end of a CTA is only noted in a window, with a short one it stops its cluster. A CTA begins that much later,
 * so the first ones do nothing before that. */
static void ctas_that_begin_later(void **state)
{
	static const uint32_t latencies[] = {1, 30, 69, 70, 71, 200, 1000};
	uint64_t cycles = 0;
	for (size_t i = 0; i < HD_COUNT(latencies); i++) {
		rig *r = walker(1444, 0);
		observer o = {.trace.event = observe};
		r->machine.grids_cta_latency = latencies[i];
		r->machine.machine_max_ctas = 1 + i % 3;
		agrees(r);
		r->options.trace = &o.trace;
		outcome with = outcome_of(r, false, 2);
		assert_int_equal(o.first.kind, HD_TRACE_BEGIN);
		assert_int_equal(o.first.cycle, 1 + latencies[i]);
		r->options.trace = NULL;
		r->machine.machine_max_ctas = 2;
		free(with.out);
		with = outcome_of(r, false, 2);
		assert_true(latencies[i] < 200 || with.stats.run_cycles > cycles || settings); /* less crowded slices can gain more */
		assert_int_equal(with.stats.run_ctas, r->launch.grid[0]);
		cycles = with.stats.run_cycles;
		free(with.out);
		hd_vec_free(&o.events);
		rig_free(r);
	}
}

/* The longest grids.cta_latency with which a CTA can still begin in the window in which another one ends. Only an end in the first cycles of a window
 * shows it, so many machines are tried. */
static void ctas_that_begin_at_the_end_of_a_window(void **state)
{
	const uint32_t length = settings ? 80 : 71;
	for (uint32_t ctas = 2; ctas <= 6; ctas++) {
		for (uint32_t less = 2; less <= 3; less++) {
			rig *r = walker(4, 0);
			r->machine.grids_cta_latency = length - less;
			r->machine.machine_max_ctas = ctas;
			outcome slow = outcome_of(r, true, 1);
			assert_true(slow.ok);
			runs_alike(r, &slow, 1);
			free(slow.out);
			rig_free(r);
		}
	}
}

/* Each device has a second level of its own; the list runs on the first. */
static void devices(void **state)
{
	rig *r = walker(1444, 0);
	r->machine.machine_devices = 2;
	r->machine.machine_clusters = 2;
	agrees(r);
	rig_free(r);
}

/* Lanes of one instruction that read global and shared memory need the shared side at once. */
static void mixed_spaces(void **state)
{
	rig *r = new_rig();
	r->kernel.shared_bytes = 1024;
	own_word(r, 2);
	rig_put(r, alu(HD_OP_MOV, 8, 2, HD_RZ, HD_RZ), 0);
	rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
	rig_put(r, alui(HD_OP_AND, 4, 0, 3), 0);
	rig_put(r, setpi(HD_CMP_EQ, 0, 4, 1), 0);
	rig_put(r, guarded(alu(HD_OP_MOV, 8, 6, HD_RZ, HD_RZ), 0, 0), 0);
	rig_put(r, guarded(movi(9, (int32_t)(HD_WINDOW_SHARED >> 32)), 0, 0), 0);
	rig_put(r, store(HD_OP_ST, 8, 0, 0), 0);
	rig_put(r, load(HD_OP_LD, 10, 8, 0), 0);
	store_and_exit(r, 2, 10);
	agrees(r);
	rig_free(r);
}

/* A store to local memory is done at once, also in a window; its sectors take room. Loads of what was driven out come from the second level. */
static void local_memory(void **state)
{
	for (uint32_t room = 1; room <= 64; room *= 8) {
		rig *r = new_rig();
		r->machine.memory_l1_bytes = 1024;
		r->machine.memory_l1_ways = 2;
		r->machine.memory_l1_misses = r->machine.memory_l1_writes = room;
		r->kernel.local_bytes = 256;
		own_word(r, 2);
		rig_put(r, movi(8, 0), 0);
		for (int32_t i = 0; i < 8; i++)
			rig_put(r, store(HD_OP_STL, 8, 32 * i, i % 2 ? 0 : 1), 0);
		rig_put(r, movi(9, 0), 0);
		for (int32_t i = 0; i < 8; i++) {
			rig_put(r, load(HD_OP_LDL, 10, 8, 32 * i), 0);
			rig_put(r, alu(HD_OP_IADD, 9, 9, 10, HD_RZ), 0);
		}
		rig_put(r, store(HD_OP_STG, 2, TABLE * 4, 9), 0);
		for (int32_t i = 0; i < 8; i++) /* these are done before the store above */
			rig_put(r, store(HD_OP_STL, 8, 32 * i, 0), 0);
		rig_exit(r);
		agrees(r);
		rig_free(r);
	}
}

/* RC-17: a livelock behind windows is found as without them, because it is known how many warps run. */
static void a_livelock_behind_windows(void **state)
{
	rig *r = walker(1444, 0);
	r->words = rig_here(r) - 1; /* in place of the exit */
	rig_put(r, setpi(HD_CMP_EQ, 0, 1, 17), 0);
	uint32_t spin = rig_here(r);
	rig_put(r, guarded(branch(HD_OP_BRA, spin), 0, 0), 0);
	rig_exit(r);
	r->options.max_cycles = 1000000;
	outcome slow = outcome_of(r, true, 1);
	assert_int_equal(slow.trap.kind, HD_TRAP_DEADLOCK);
	runs_alike(r, &slow, 3);
	free(slow.out);
	rig_free(r);
}

/* Loads that are done in one cycle are written in the order of their stages, whenever their answers come. */
static void results_of_one_cycle(void **state)
{
	for (uint32_t ports = 1; ports <= 2; ports++) {
		rig *r = walker(4, 0);
		r->machine.register_file_banks = 1;
		r->machine.register_file_read_ports = ports;
		r->machine.memory_l1_misses = 12;
		agrees(r);
		rig_free(r);
	}
}

/* The first trap by (cycle, core) is reported for any number of threads, and it is that of a run without windows. */
static void a_trap_in_one_cluster(void **state)
{
	rig *r = walker(1444, 0);
	for (uint32_t i = 0; i < r->words; i++)
		if (r->slots[i].inst.op == HD_OP_STG)
			r->slots[i].access.offset = r->slots[i].inst.imm = (int32_t)(OUT * 4 - 2000); /* the last CTAs store behind the buffer */
	outcome slow = outcome_of(r, true, 1), first = outcome_of(r, false, 1);
	assert_false(first.ok);
	assert_int_equal(first.trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(first.trap.cycle, slow.trap.cycle);
	assert_int_equal(first.trap.core, slow.trap.core);
	for (size_t i = 1; i < HD_COUNT(threads_of); i++)
		runs_alike(r, &first, threads_of[i]);
	free(slow.out);
	free(first.out);
	rig_free(r);
}

typedef struct samples {
	HD_VEC(hd_stats) list;
	HD_VEC(uint64_t) cycles;
} samples;

static void take_sample(void *context, uint64_t cycle, const hd_stats *stats)
{
	samples *s = context;
	hd_vec_push(&s->list, *stats);
	hd_vec_push(&s->cycles, cycle);
}

/* A limit of cycles and samples of counters cut windows short. */
static void limits_and_samples(void **state)
{
	rig *r = walker(1444, 0);
	samples by_cycle = {0}, by_window = {0};
	r->options.sample = take_sample;
	r->options.sample_interval = 37;
	r->options.max_cycles = 1234;
	r->options.sample_context = &by_cycle;
	outcome slow = outcome_of(r, true, 1);
	r->options.sample_context = &by_window;
	assert_int_equal(slow.trap.kind, HD_TRAP_CYCLES);
	assert_int_equal(slow.stats.run_cycles, 1234);
	runs_alike(r, &slow, 2);
	assert_int_equal(by_cycle.list.n, by_window.list.n);
	assert_memory_equal(by_cycle.cycles.at, by_window.cycles.at, by_cycle.cycles.n * sizeof *by_cycle.cycles.at);
	assert_memory_equal(by_cycle.list.at, by_window.list.at, by_cycle.list.n * sizeof *by_cycle.list.at);
	free(slow.out);
	hd_vec_free(&by_cycle.list);
	hd_vec_free(&by_cycle.cycles);
	hd_vec_free(&by_window.list);
	hd_vec_free(&by_window.cycles);
	rig_free(r);
}

/* Several grids: those that wait for each other, and those that run together, which have no windows. */
static void lists_of_grids(void **state)
{
	for (unsigned together = 0; together < 2; together++) {
		rig *r = walker(1444, 0);
		static const uint32_t after[] = {0, 1};
		hd_stats stats[2];
		rig_link(r);
		for (unsigned windows = 0; windows < 2; windows++) {
			hd_task list[3] = {{.launch = r->launch},
			                   {.launch = r->launch, .after = after, .n_after = together ? 0 : 1},
			                   {.launch = r->launch, .after = after, .n_after = 2, .arrival = 700}};
			hd_task_result result[3];
			hd_run_options options = {.cycle_by_cycle = !windows, .threads = 2, .results = result};
			assert_true(hd_device_run_list(&r->machine, list, 3, r->memory, &options, &stats[windows], &r->trap));
		}
		assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
		rig_free(r);
	}
}

/* PD-19: a grid of higher priority comes in the middle of a window, takes the place of the one that runs, and gives it back. */
static void an_urgent_grid_comes_in_a_window(void **state)
{
	static const uint64_t arrivals[] = {333, 700, 1501};
	enum { RUNS = 3 };
	for (unsigned evict = HD_EVICT_NONE; evict <= HD_EVICT_SAVE; evict++) {
		for (unsigned i = 0; i < HD_COUNT(arrivals); i++) {
			const uint32_t threads[RUNS] = {1, 1, several_threads()}; /* the first run is without windows */
			hd_stats stats[RUNS];
			hd_task_result result[RUNS][2];
			uint32_t *out[RUNS];
			for (unsigned k = 0; k < RUNS; k++) {
				rig *r = walker(1444, 0);
				r->machine.machine_max_ctas = 2;
				r->machine.grids_slots = 1;
				r->machine.grids_evict = (hd_evict)evict;
				rig_link(r);
				hd_task list[2] = {{.launch = r->launch}, {.launch = r->launch, .priority = 3, .arrival = arrivals[i]}};
				list[1].launch.grid[0] = 5;
				hd_run_options options = {.cycle_by_cycle = !k, .threads = threads[k], .results = result[k]};
				assert_true(hd_device_run_list(&r->machine, list, 2, r->memory, &options, &stats[k], &r->trap));
				out[k] = hd_xmalloc(OUT * 4);
				memcpy(out[k], hd_memory_at(r->memory, r->out, OUT * 4), OUT * 4);
				rig_free(r);
				assert_memory_equal(&stats[0], &stats[k], sizeof stats[0]);
				assert_memory_equal(result[0], result[k], sizeof result[0]);
				assert_memory_equal(out[0], out[k], OUT * 4);
			}
			assert_int_equal(result[0][0].evictions, evict != HD_EVICT_NONE);
			assert_int_equal(result[0][0].saved > 0, evict == HD_EVICT_SAVE);
			for (unsigned k = 0; k < RUNS; k++)
				free(out[k]);
		}
	}
}

/* The host asks to end the run (Ctrl-C). */
static bool end_at_once(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas)
{
	uint64_t *asked = context;
	*asked = cycle;
	return true;
}

/* A run that is interrupted ends at the end of a window, in the same cycle and with the same bytes for any number of threads. */
static void an_interrupted_run(void **state)
{
	rig *r = walker_with(1444, 0, 0);
	uint64_t asked = 0;
	r->options.max_cycles = 1 << 17; /* if nobody asks */
	r->options.poll = end_at_once;
	r->options.context = &asked;
	outcome first = outcome_of(r, false, 1);
	assert_int_equal(first.trap.kind, HD_TRAP_INTERRUPTED);
	assert_in_range(asked, 1 << 16, (1 << 16) + (settings ? 500 : 71)); /* a window is at most that long; then all may wait for DRAM */
	assert_int_equal(first.stats.run_cycles, asked);
	runs_alike(r, &first, several_threads());
	free(first.out);
	rig_free(r);
}

/* PA-2: there are windows where nothing couples the clusters, and they are as long as the way to the second level without that to the memory stage.
 */
static void where_there_are_windows(void **state)
{
	rig *r = walker(1444, 0);
	hd_program program = {0};
	hd_task task = {.launch = r->launch};
	hd_code code = {0};
	hd_run_options options = {0};
	uint32_t way = 1 + hd_machine_class_latency(&r->machine, HD_CLASS_LSU);
	task.launch.program = &program;
#define LENGTH hd_windows_length(&r->machine, &task, 1, &code, &options)
	assert_int_equal(LENGTH, 80 - way);
	r->machine.memory_l2_latency = 127;
	assert_int_equal(LENGTH, 0);
	r->machine.memory_l2_latency = 128;
	assert_int_equal(LENGTH, 64 - way);
	r->machine.latency[HD_CLASS_LSU].latency = 64; /* a warp that an answer wakes sets out before the window begins */
	assert_int_equal(LENGTH, 0);
	r->machine.latency[HD_CLASS_LSU].latency = way - 1;
	r->machine.machine_clusters = 1;
	assert_int_equal(LENGTH, 0);
	r->machine.machine_devices = 2;
	assert_int_equal(LENGTH, 64 - way);
	options.tick_every_cycle = true;
	assert_int_equal(LENGTH, 0);
	options = (hd_run_options){.trace = &(hd_trace){0}};
	assert_int_equal(LENGTH, 64 - way);
	options.trace->units = (struct hd_unit_watch *)&options; /* the units of a core are looked at while it runs */
	assert_int_equal(LENGTH, 0);
	options = (hd_run_options){0};
	uint32_t *const keys[] = {&r->machine.memory_constant_bytes, &r->machine.pages_kib, &r->machine.memory_return_groups};
	for (size_t i = 0; i < HD_COUNT(keys); i++) {
		*keys[i] = 1;
		assert_int_equal(LENGTH, 0);
		*keys[i] = 0;
	}
	program.launches = true;
	assert_int_equal(LENGTH, 0);
	program.launches = false;
	task.queue = true;
	assert_int_equal(LENGTH, 0);
	task.queue = false;
	r->machine.predecode_refetch = 1;
	assert_int_equal(LENGTH, 64 - way);
	code.replays = true;
	assert_int_equal(LENGTH, 0);
	r->machine.predecode_refetch = 0;
	r->machine.predecode_replay_misses = 1;
	assert_int_equal(LENGTH, 0);
	r->machine.memory_slices = 8; /* answers are known in time, so a window is as long as the way */
	assert_int_equal(LENGTH, 64);
	r->machine.predecode_refetch = 1;
	assert_int_equal(LENGTH, 0);
	r->machine.predecode_refetch = 0;
	r->machine.grids_descriptor_bytes = 64;
	assert_int_equal(LENGTH, 64);
	const hd_task both[2] = {task, task};
	assert_int_equal(hd_windows_length(&r->machine, both, 2, &code, &options), 0);
	r->machine.grids_descriptor_bytes = 0;
	assert_int_equal(hd_windows_length(&r->machine, both, 2, &code, &options), 64);
#undef LENGTH
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    KINDS(lines_of_instructions),
	    KINDS(windows_change_nothing),
	    KINDS(replays_in_windows),
	    KINDS(refused_loads_beside_direct_ones),
	    KINDS(random_replays),
	    KINDS(clusters_of_any_size),
	    KINDS(lanes_that_wait),
	    KINDS(ctas_that_begin_later),
	    KINDS(ctas_that_begin_at_the_end_of_a_window),
	    KINDS(devices),
	    KINDS(mixed_spaces),
	    KINDS(a_trap_in_one_cluster),
	    KINDS(limits_and_samples),
	    KINDS(lists_of_grids),
	    cmocka_unit_test(where_there_are_windows),
	    KINDS(local_memory),
	    KINDS(a_livelock_behind_windows),
	    KINDS(results_of_one_cycle),
	    KINDS(an_urgent_grid_comes_in_a_window),
	    KINDS(an_interrupted_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
