/* MT-4: a pointer chase takes the latency, and a stream the bandwidth, that the machine description gives, within 3 %. Each of its limits binds once.
 */
#include "../core/rig.h"

#include <math.h>

enum { WORDS = 1 << 20, LOADS = 8, CORES = 4, WARPS = 16 };

static void set_all(hd_machine *m, const char *const *settings)
{
	hd_diag diag = {0};
	for (; *settings; settings++)
		if (!hd_machine_set(m, *settings, &diag))
			fail_msg("%s", diag.text.at);
	if (!hd_machine_validate(m, NULL, &diag))
		fail_msg("%s", diag.text.at);
}

static uint64_t cycles_of(rig *r)
{
	if (!rig_run(r))
		fail_msg("trap");
	return r->stats.run_cycles;
}

/* -- latency ------------------------------------------------------------------------------------------------------------------------------------ */

/* One thread follows pointers through `n` places, `passes` times. The places are far from each other by `step` bytes and follow in a random cycle, or
 * in a `row`. Returns the cycles of the run. */
static uint64_t chase(const char *const *settings, uint32_t n, uint32_t step, bool row, uint32_t passes)
{
	rig *r = rig_new(WORDS);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->launch.block[0] = 1;
	set_all(&r->machine, settings);
	uint32_t *order = hd_xcalloc(n, sizeof *order);
	uint8_t *bytes = hd_memory_at(r->memory, r->out, (uint64_t)n * step);
	uint64_t random = 7;
	for (uint32_t i = 1; i < n; i++) { /* begins at place 0 */
		uint32_t at = i == 1 || row ? i : 1 + (uint32_t)(hd_random(&random) % i);
		order[i] = order[at];
		order[at] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t to = r->out + (uint64_t)order[(i + 1) % n] * step;
		memcpy(bytes + (uint64_t)order[i] * step, &to, sizeof to);
	}
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, movi(4, (int32_t)(n * passes / LOADS)), 0);
	uint32_t loop = rig_here(r);
	for (unsigned i = 0; i < LOADS; i++) {
		hd_inst next = load(HD_OP_LDG, 2, 2, 0);
		next.sub = HD_SIZE_64;
		rig_put(r, next, 0);
	}
	rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	rig_exit(r);
	uint64_t cycles = cycles_of(r);
	free(order);
	rig_free(r);
	return cycles;
}

/* The cycles of a load behind the first `passes`. */
static double latency(const char *const *settings, uint32_t n, uint32_t step, bool row)
{
	return (double)(chase(settings, n, step, row, 3) - chase(settings, n, step, row, 1)) / (2.0 * n);
}

static void near_to(double measured, double described, const char *what)
{
	if (fabs(measured / described - 1) > 0.03)
		fail_msg("%s: measured %.2f, described %.2f", what, measured, described);
}

TEST(a_chase_takes_the_latencies)
{
	static const struct {
		const char *settings[10];
		double first, second, dram; /* cycles of a level beyond those of an instruction */
		uint32_t step;              /* through DRAM in a row; 0: at random */
	} rows[] = {
	    {{"memory.slices=4", "memory.l2_bytes=131072"}, 30, 160, 160 + 220, 0},
	    {{"memory.slices=8", "memory.l2_bytes=131072", "memory.l1_latency=70", "memory.l2_latency=301", "memory.dram_latency=99"},
	     70,
	     301,
	     400,
	     0},
	    /* nearly each load finds another row open */
	    {{"memory.slices=2", "memory.l2_bytes=131072", "memory.dram_banks=1", "memory.dram_row_bytes=256", "memory.dram_refresh_interval=0"},
	     30,
	     160,
	     160 + 220 + 60,
	     0},
	    /* of 64 sectors of a row one opens it */
	    {{"memory.slices=1", "memory.dram_partitions=1", "memory.l2_bytes=131072", "memory.dram_banks=1", "memory.dram_row_bytes=2048",
	      "memory.dram_refresh_interval=0"},
	     30,
	     160,
	     160 + 220 + 60 / 64.0,
	     32},
	    /* at least one refresh between two loads closes the row, and a load in 27 waits for it */
	    {{"memory.slices=1", "memory.dram_partitions=1", "memory.l2_bytes=131072", "memory.dram_banks=1", "memory.dram_row_bytes=2048",
	      "memory.dram_row_least=0", "memory.dram_refresh_interval=270", "memory.dram_refresh=10"},
	     30,
	     160,
	     160 + 220 + 30 + 5 / 27.0,
	     32},
	};
	hd_machine m;
	hd_machine_default(&m);
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		const char *const *s = rows[i].settings;
		double first = latency(s, m.memory_l1_bytes / 256, 128, false), over = first - rows[i].first;
		assert_in_range(over, 1, 40); /* an instruction's way to the memory stage and back */
		near_to(latency(s, 640, 128, false), rows[i].second + over, "second level");
		near_to(rows[i].step ? latency(s, 8192, rows[i].step, true) : latency(s, 8192, 128, false), rows[i].dram + over, "DRAM");
	}
}

/* -- bandwidth ---------------------------------------------------------------------------------------------------------------------------------- */

typedef enum pattern { STREAM, COPY, SCATTER } pattern;

/* All threads of four cores read `bytes` bytes past the first caches, `rounds` times, in lines or in scattered sectors, and copy them. */
static uint64_t traffic(const char *const *settings, pattern how, uint32_t bytes, uint32_t rounds)
{
	enum { THREADS = CORES * WARPS * 32 };
	rig *r = rig_new(WORDS * 2);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->machine.machine_cores = CORES;
	r->machine.memory_l1_misses = 1024;
	r->machine.memory_l1_writes = 4096;
	r->machine.memory_l2_misses = 4096;
	r->launch.block[0] = WARPS * 32;
	r->launch.grid[0] = CORES;
	r->machine.machine_max_ctas = 1;
	set_all(&r->machine, settings);
	uint32_t per_round = THREADS * LOADS * 4;
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, sreg(1, HD_SREG_CTAIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, movi(4, (int32_t)(bytes / per_round * rounds)), 0);
	rig_put(r, alui(HD_OP_SHL, 5, 1, 9), 0);
	rig_put(r, alu(HD_OP_IADD, 5, 5, 0, HD_RZ), 0);
	rig_put(r, alui(HD_OP_SHL, 5, 5, 2), 0);
	rig_put(r, movi(7, 0x1e3779b1), 0);
	uint32_t loop = rig_here(r);
	rig_put(r, alu(HD_OP_MOV, 6, 5, HD_RZ, HD_RZ), 0);
	if (how == SCATTER) {
		rig_put(r, alu(HD_OP_IMUL, 6, 5, 7, HD_RZ), 0);
		rig_put(r, alui(HD_OP_AND, 6, 6, (int32_t)bytes - 32), 0);
	}
	rig_put(r, alu(HD_OP_IADD, 8, 2, 6, HD_RZ), 0);
	rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
	for (unsigned i = 0; i < LOADS; i++) {
		hd_inst read = load(HD_OP_LDG, 10 + i, 8, (int32_t)(i * THREADS * 4));
		read.mod = HD_CACHE_GLOBAL;
		rig_put(r, read, 0);
	}
	for (unsigned i = 0; i < LOADS && how == COPY; i++)
		rig_put(r, store(HD_OP_STG, 8, (int32_t)(WORDS * 4 + i * THREADS * 4), 10 + i), 0);
	rig_put(r, alui(HD_OP_IADD, 5, 5, (int32_t)per_round), 0);
	rig_put(r, alui(HD_OP_AND, 5, 5, (int32_t)bytes - 1), 0);
	rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	rig_exit(r);
	uint64_t cycles = cycles_of(r);
	rig_free(r);
	return cycles;
}

/* Bytes a cycle, read in rounds behind the first ones. A scattered load reads a sector a thread. */
static double bandwidth(const char *const *settings, pattern how, uint32_t bytes)
{
	if (how == SCATTER)
		return 8.0 * bytes / (double)(traffic(settings, how, bytes, 2) - traffic(settings, how, bytes, 1));
	return 2.0 * bytes / (double)(traffic(settings, how, bytes, 5) - traffic(settings, how, bytes, 3));
}

/* `expected`: bytes a cycle of the one limit that binds. */
TEST(streams_reach_the_bandwidths)
{
	enum { FITS = 128 << 10, EXCEEDS = 256 << 10 };
	static const struct {
		const char *name, *settings[8];
		uint32_t bytes;
		pattern how;
		double expected;
	} rows[] = {
	    {"look-ups of slices", {"memory.slices=2", "memory.slice_bank_cycles=1", "memory.slice_queue=256"}, FITS, STREAM, 2 * 32},
	    {"banks of slices", {"memory.slices=4", "memory.slice_bank_cycles=8", "memory.slice_queue=256"}, FITS, STREAM, 4 * 4 * 32 / 8.0},
	    {"one bank",
	     {"memory.slices=8", "memory.slice_banks=1", "memory.slice_bank_cycles=5", "memory.slice_queue=256"},
	     FITS,
	     STREAM,
	     8 * 32 / 5.0},
	    {"answers", {"memory.slices=16", "memory.answer_bytes=8"}, FITS, STREAM, CORES * 8},
	    {"requests", {"memory.slices=16", "memory.request_bytes=2"}, FITS, STREAM, CORES * 32 * 2 / 8.0},
	    {"requests of stores", {"memory.slices=16", "memory.request_bytes=12"}, FITS, COPY, CORES * 32 * 12 / 48.0},
	    {"misses of a core", {"memory.slices=16", "memory.l1_misses=16"}, FITS, STREAM, CORES * 16 * 32 / 160.0},
	    {"misses of slices", {"memory.slices=4", "memory.l2_misses=64", "memory.l2_bytes=65536"}, EXCEEDS, STREAM, 64 * 32 / 220.0},
	    {"DRAM", {"memory.slices=4", "memory.l2_bytes=65536"}, EXCEEDS, STREAM, 2 * 32 / 2.0},
	    {"DRAM with rows",
	     {"memory.slices=4", "memory.l2_bytes=65536", "memory.dram_banks=16", "memory.dram_queue=512", "memory.dram_refresh_interval=0"},
	     EXCEEDS,
	     STREAM,
	     2 * 32 / 2.0},
	    {"DRAM with refresh",
	     {"memory.slices=4", "memory.l2_bytes=65536", "memory.dram_banks=16", "memory.dram_queue=512"},
	     EXCEEDS,
	     STREAM,
	     2 * 32 / 2.0 * (1 - 280 / 3900.0)},
	    {"rows of scattered sectors",
	     {"memory.slices=4", "memory.l2_bytes=32768", "memory.dram_banks=4", "memory.dram_row_bytes=256", "memory.dram_refresh_interval=0",
	      "memory.dram_queue=48"},
	     EXCEEDS,
	     SCATTER,
	     2 * 4 * 32 / 100.0},
	    {"rows of one bank",
	     {"memory.slices=4", "memory.l2_bytes=32768", "memory.dram_banks=1", "memory.dram_row_bytes=256", "memory.dram_refresh_interval=0",
	      "memory.dram_queue=8"},
	     EXCEEDS,
	     SCATTER,
	     2 * 32 / 100.0},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		double measured = bandwidth(rows[i].settings, rows[i].how, rows[i].bytes);
		near_to(measured, rows[i].expected, rows[i].name);
	}
}
