/* The host's work for a run, by counts, which depend on no clock: ticks of cores (hd_core_tick), windows of time, and the pieces of work that threads
 * share out. PA-3: a warp instruction costs as many ticks on 80 cores as on 2, and idle cores cost none. PA-4: the longest chain of ticks that one
 * thread has to do after the other bounds the speed-up over threads.
 *
 * The linker puts the functions __wrap_* in the place of those that they count (`-Wl,--wrap`). */
#include "../core/rig.h"
#include "device/windows.h"

enum { MOST_CLUSTERS = 64, MEMBERS = 4 /* kinds of teams: 2, 4, 8 and 16 threads */, BUFFER = 1 << 16 /* words */, CACHED = 1 << 11 };

static struct {
	uint64_t ticks, windows, pieces;
	uint64_t mapped; /* pieces of memory that the host gave */
	uint64_t alone;  /* ticks outside of pieces */
	uint64_t chain[MEMBERS];
	bool shared; /* in a piece */
} work;

bool __real_hd_core_tick(hd_core *core, uint64_t now);
bool __wrap_hd_core_tick(hd_core *core, uint64_t now);
bool __wrap_hd_core_tick(hd_core *core, uint64_t now)
{
	work.ticks++;
	work.alone += !work.shared;
	return __real_hd_core_tick(core, now);
}

bool __real_hd_windows_run(hd_windows *windows, uint64_t end, uint64_t *now, hd_trap *trap);
bool __wrap_hd_windows_run(hd_windows *windows, uint64_t end, uint64_t *now, hd_trap *trap);
bool __wrap_hd_windows_run(hd_windows *windows, uint64_t end, uint64_t *now, hd_trap *trap)
{
	work.windows++;
	return __real_hd_windows_run(windows, end, now, trap);
}

int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice)
{
	work.mapped++;
	return __real_madvise(at, bytes, advice);
}

/* Does all items in one thread, and adds to each chain the ticks of the member that had most to do: members begin with equal parts of the items. */
void __wrap_hd_team_run(hd_team *team, uint32_t n, void (*item)(void *context, uint32_t number), void *context);
void __wrap_hd_team_run(hd_team *team, uint32_t n, void (*item)(void *context, uint32_t number), void *context)
{
	uint64_t after[MOST_CLUSTERS + 1] = {work.ticks};
	assert_in_range(n, 1, MOST_CLUSTERS);
	work.shared = true;
	for (uint32_t i = 0; i < n; i++) {
		item(context, i);
		after[i + 1] = work.ticks;
	}
	work.shared = false;
	work.pieces++;
	for (unsigned k = 0; k < MEMBERS; k++) {
		uint64_t members = 2u << k, most = 0;
		for (uint64_t m = 0; m < members; m++)
			most = hd_max_u64(after[(m + 1) * n / members] - after[m * n / members], most);
		work.chain[k] += most;
	}
}

/* Each thread goes `rounds` times through a loop of loads, arithmetic and a store, through a table of its CTA that fits the first cache, or through
 * scattered words. */
static rig *kernel(uint32_t clusters, uint32_t cores, uint32_t ctas, int32_t rounds, bool scattered)
{
	rig *r = rig_new(BUFFER);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->machine.machine_clusters = clusters;
	r->machine.machine_cores = cores;
	r->launch.grid[0] = ctas;
	r->launch.block[0] = 128;
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, sreg(1, HD_SREG_CTAIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
	rig_put(r, movi(4, rounds), 0);
	rig_put(r, movi(5, 0), 0);
	rig_put(r, alui(HD_OP_SHL, 6, 0, 2), 0);
	rig_put(r, alui(HD_OP_SHL, 7, 1, scattered ? 12 : 7), 0);
	rig_put(r, alu(HD_OP_IADD, 6, 6, 7, HD_RZ), 0);
	uint32_t loop = rig_put(r, alui(HD_OP_IADD, 6, 6, scattered ? 1444 : 128), 0);
	rig_put(r, alui(HD_OP_AND, 7, 6, (scattered ? BUFFER : CACHED) * 4 - 4), 0);
	rig_put(r, alu(HD_OP_IADD, 8, 2, 7, HD_RZ), 0);
	rig_put(r, load(HD_OP_LDG, 10, 8, 0), 0);
	for (unsigned i = 0; i < 12; i++)
		rig_put(r, alui(HD_OP_IADD, 11 + i % 3, 11 + i % 3, 1), 0);
	rig_put(r, alu(HD_OP_IADD, 5, 5, 10, HD_RZ), 0);
	rig_put(r, alui(HD_OP_IADD, 4, 4, -1), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	rig_put(r, store(HD_OP_STG, 8, 0, 5), 0);
	rig_exit(r);
	return r;
}

/* Runs it on `threads` threads, cycle by cycle or in windows, and counts anew. The caller frees it. */
static void count(rig *r, bool cycle_by_cycle, uint32_t threads)
{
	memset(&work, 0, sizeof work);
	r->options.cycle_by_cycle = cycle_by_cycle;
	r->options.threads = threads;
	assert_true(rig_run(r));
}

static void at_most(double measured, double bound, const char *what)
{
	if (!(measured <= bound))
		fail_msg("%s: %.3f, more than %.3f", what, measured, bound);
}

/* PA-3: cores without a CTA are ticked once at most, while others run. */
TEST(idle_cores_cost_nothing)
{
	for (int slow = 0; slow < 2; slow++) {
		uint64_t ticks[2];
		for (uint32_t many = 0; many < 2; many++) {
			rig *r = kernel(many ? 40 : 1, 2, 1, 200, true);
			count(r, slow, 1);
			ticks[many] = work.ticks;
			rig_free(r);
		}
		at_most((double)ticks[1], (double)ticks[0] + 80, "ticks with 79 idle cores");
	}
}

/* PA-3: ticks for a warp instruction. A core that has nothing to issue is ticked only when something may have changed. */
TEST(warp_instructions_cost_the_same)
{
	static const double most[2][2] = {{0.65, 0.65}, {1.15, 1.9}}; /* scattered loads of 80 cores wait longer, and come back one by one */
	for (uint32_t scattered = 0; scattered < 2; scattered++) {
		for (uint32_t many = 0; many < 2; many++) {
			rig *r = kernel(many ? 40 : 1, 2, many ? 320 : 8, 60, scattered);
			count(r, false, 1);
			double each = (double)work.ticks / (double)r->stats.run_warp_instructions;
			print_message("%s loads, %u cores: %.2f ticks for a warp instruction\n", scattered ? "scattered" : "near", many ? 80 : 2,
			              each);
			at_most(each, most[scattered][many], "ticks for a warp instruction");
			rig_free(r);
		}
	}
}

/* PA-3: nearly all cycles are simulated in whole windows, so that the state of a cluster is visited once for many cycles. */
TEST(windows_are_long)
{
	for (uint32_t scattered = 0; scattered < 2; scattered++) {
		rig *r = kernel(40, 2, 320, 60, scattered);
		uint32_t length = r->machine.memory_l2_latency / 2 - 1 - hd_machine_class_latency(&r->machine, HD_CLASS_LSU);
		count(r, false, 1);
		at_most((double)work.windows * length, 1.05 * (double)r->stats.run_cycles + length, "cycles of all windows");
		rig_free(r);
	}
}

/* PA-4: with 16 clusters of 2 busy cores the ticks could be done by 2, 4, 8 and 16 threads in so much less time, if all ticks took the same time and
 * meetings none. With a grids.cta_latency no end of a CTA makes threads meet. */
TEST(threads_share_the_work)
{
	static const double least[2][MEMBERS] = {{1.9, 3.7, 7.2, 14}, {1.95, 3.85, 7.6, 15}};
	for (uint32_t late = 0; late < 2; late++) {
		rig *r = kernel(16, 2, 320, 60, false);
		r->machine.grids_cta_latency = 100 * late;
		count(r, false, 2);
		for (unsigned k = 0; k < MEMBERS; k++)
			print_message("%u threads%s: %.2f\n", 2u << k, late ? ", CTAs that begin later" : "",
			              (double)work.ticks / (double)(work.alone + work.chain[k]));
		for (unsigned k = 0; k < MEMBERS; k++)
			at_most(least[late][k] * (double)(work.alone + work.chain[k]), (double)work.ticks,
			        "ticks one after the other, times the speed-up");
		at_most((double)work.pieces, (late ? 1.05 : 2) * (double)work.windows, "meetings of threads");
		at_most((double)work.alone, (late ? 0.001 : 0.005) * (double)work.ticks, "ticks that only one thread can do");
		rig_free(r);
	}
}

/* PA-3: a launch whose caller keeps the storage of the cores has the statistics of one that makes its own, whatever the storage served before. The
 * host gives no memory for it, and so clears none. */
TEST(kept_storage_changes_nothing)
{
	static const struct {
		uint32_t clusters, ctas, lanes;
		bool scattered;
	} launches[] = {{40, 320, 32, true}, {1, 8, 32, false}, {40, 200, 16, false}, {40, 320, 32, true}, {1, 8, 32, true}, {40, 320, 32, false}};
	hd_region *storage = hd_region_new(0);
	for (unsigned i = 0; i < HD_COUNT(launches); i++) {
		hd_stats alone;
		rig *r = kernel(launches[i].clusters, 2, launches[i].ctas, 20, launches[i].scattered);
		r->machine.machine_lanes = r->launch.lanes = launches[i].lanes;
		count(r, false, 1);
		assert_true(HD_REGION_APART || launches[i].clusters == 1 || work.mapped > 0);
		alone = r->stats;
		r->options.storage = storage;
		count(r, false, 1);
		assert_memory_equal(&alone, &r->stats, sizeof alone);
		if (i)
			assert_int_equal(work.mapped, 0);
		rig_free(r);
	}
	hd_region_free(storage);
}
