#include "machines.h"

#define END NULL

/* Small, so that a run takes little. Short latencies, so that few delays lie around each. */
static const char *const common[] = {
    "machine.cores=1",
    "machine.schedulers=1",
    "machine.warps=2",
    "machine.max_ctas=1",
    "fence.counters=6",
    "fence.high_latency=3",
    "fence.split=fixed",
    "multi_issue.window=1",
    "multi_issue.types=opcode",
    "multi_issue.hold=255",
    "predecode.replay=0",
    "latency.alu.latency=3",
    "latency.mul.latency=5",
    "latency.mul.interval=1",
    "latency.alu64.latency=3",
    "latency.mul64.latency=6",
    "latency.mul64.interval=1",
    "latency.cvt.latency=4",
    "latency.cvt.interval=1",
    "latency.coord.latency=4",
    "latency.coord.interval=1",
    "latency.latom.latency=2",
    "latency.latom.interval=1",
    "latency.lsu.latency=2",
    "latency.lsu.interval=1",
    "fetch.l1i_lines=32",
    "fetch.l1i_latency=1",
    "fetch.l15_lines=32",
    "fetch.l15_latency=1",
    "memory.shared_latency=4",
    "memory.l1_latency=4",
    "memory.l1_bytes=4096",
    "memory.l2_bytes=16384",
    "memory.l2_latency=2",
    "memory.l2_sectors_per_cycle=64",
    "memory.dram_latency=2",
    "memory.dram_partitions=32",
    "memory.dram_cycles_per_sector=1",
    "divergence.call_depth=2",
    END,
};

static const struct {
	const char *name;
	const char *settings[TIMING_SETTINGS];
	bool full_warps;
} machines[MACHINES] = {
    [MACHINE_SINGLE] = {"single issue", {END}, false},
    [MACHINE_NO_SPLIT] = {"no split",
                          {"fence.high_latency=0", "latency.alu.latency=2", "latency.mul.latency=6", "latency.cvt.latency=3", END},
                          false},
    [MACHINE_WINDOW] = {"window of four",
                        {"multi_issue.window=4", "multi_issue.types=predecode", "latency.cvt.latency=6", "latency.latom.latency=6",
                         "predecode.replay=4", END},
                        false},
    [MACHINE_PASSES] = {"window, waits passed", {"multi_issue.window=4", "multi_issue.pass_waits=true", END}, false},
    [MACHINE_PAIRS] = {"pairs, replays", {"predecode.issue_width=2", "predecode.replay=4", "memory.shared_banks=4", END}, false},
    /* By throughput alu and latom are high latency, cvt and lsu low. */
    [MACHINE_NARROW] = {"narrow pipes",
                        {"lanes.alu=8", "lanes.cvt=16", "lanes.coord=8", "lanes.lsu=4", "lanes.latom=4", "fence.memory_high=false",
                         "fence.classify=throughput", END},
                        true},
    /* imul alone is high latency, in a pipe with others. */
    [MACHINE_BY_LATENCY] = {"high by latency", {"fence.classify=latency", "fence.threshold=5", "fence.memory_high=false", END}, false},
    /* A pause and what stands around it count up to 77 cycles more than the difference of alu's two latencies, and queues keep 63 of them. */
    [MACHINE_LONG] = {"latencies that no queue keeps",
                      {"latency.alu.latency=1", "latency.mul.latency=70", "latency.cvt.latency=200", "latency.coord.latency=66",
                       "fence.high_latency=0", END},
                      false},
    [MACHINE_SHORT] = {"shortest latencies",
                       {"latency.alu.latency=1", "latency.mul.latency=2", "latency.cvt.latency=1", "latency.coord.latency=2",
                        "latency.latom.latency=1", "latency.lsu.latency=1", END},
                       false},
};

#define ALU_BUSY "latency.alu.interval=40", "latency.mul.interval=40"
#define CVT_BUSY "latency.cvt.interval=40"
#define LSU_BUSY "latency.lsu.interval=40"
#define LATOM_BUSY "latency.latom.interval=40"
#define SLOW_GLOBAL "memory.l1_latency=70", "memory.l2_latency=70"
#define SLOW_SHARED "memory.shared_latency=50"

const timing timings[] = {
    {"as described", {END}, 8, VALUES_MIXED, false},
    {"pipes alu and cvt busy", {ALU_BUSY, CVT_BUSY, END}, 8, VALUES_MIXED, false},
    {"pipes cvt and lsu busy", {CVT_BUSY, LSU_BUSY, END}, 8, VALUES_MIXED, false},
    {"slow memory, pipe latom busy, two warps", {SLOW_GLOBAL, SLOW_SHARED, LATOM_BUSY, END}, 40, VALUES_MIXED, false},
    {"pipe alu busy, two warps", {ALU_BUSY, END}, 40, VALUES_MIXED, false},
    {"slow shared memory", {SLOW_SHARED, END}, 8, VALUES_MIXED, false},
    {"a long way to the stage of lsu", {"latency.lsu.latency=20", END}, 8, VALUES_MIXED, false},
    {"a long way to the stage of latom", {"latency.latom.latency=20", END}, 8, VALUES_MIXED, false},
    {"as described, p0 false", {END}, 8, VALUES_P0_FALSE, false},
    {"as described, p0 true", {END}, 8, VALUES_P0_TRUE, false},
    {"pipe cvt busy, two warps", {CVT_BUSY, END}, 40, VALUES_MIXED, true},
    {"pipe lsu busy, two warps", {LSU_BUSY, END}, 40, VALUES_MIXED, true},
    {"pipe latom busy, two warps", {LATOM_BUSY, END}, 40, VALUES_MIXED, true},
    {"pipe alu a little busy", {"latency.alu.interval=7", "latency.mul.interval=7", END}, 8, VALUES_MIXED, true},
    {"two schedulers, fast memory", {"machine.schedulers=2", "memory.shared_latency=1", "memory.l1_latency=1", END}, 40, VALUES_MIXED, true},
    {"queues of one, two warps",
     {"queue.alu.fifo=1", "queue.alu.hazard=1", "queue.cvt.fifo=1", "queue.cvt.hazard=1", "queue.lsu.fifo=1", "queue.lsu.hazard=1",
      "queue.latom.fifo=1", "queue.latom.hazard=1", END},
     40,
     VALUES_MIXED,
     true},
    {"one miss at a time, two warps", {"memory.l1_misses=1", "memory.l1_writes=1", SLOW_GLOBAL, END}, 40, VALUES_MIXED, true},
    {"one bank, two warps", {"memory.shared_banks=1", END}, 40, VALUES_MIXED, true},
    {"counters of four bits", {"fence.bits=4", SLOW_SHARED, END}, 8, VALUES_MIXED, true},
    {"slow fetch", {"fetch.l1i_latency=7", "predecode.prefetch=0", END}, 8, VALUES_MIXED, true},
};
const unsigned n_timings = HD_COUNT(timings);

static void set_all(hd_machine *machine, const char *const *settings)
{
	hd_diag diag = {0};
	for (; *settings; settings++)
		hd_invariant(hd_machine_set(machine, *settings, &diag), "%s", diag.text.at);
	hd_invariant(hd_machine_validate(machine, NULL, &diag), "%s", diag.text.at);
}

void subject_init(subject *s, unsigned number)
{
	s->name = machines[number].name;
	s->full_warps = machines[number].full_warps;
	hd_machine_default(&s->machine);
	set_all(&s->machine, common);
	set_all(&s->machine, machines[number].settings);
	hd_invariant(n_timings <= MAX_TIMINGS, "%u timings", n_timings);
	for (unsigned t = 0; t < n_timings; t++) {
		s->timed[t] = s->machine;
		set_all(&s->timed[t], timings[t].settings);
	}
}

unsigned subject_threads(const subject *s, unsigned with)
{
	return s->full_warps ? (timings[with].threads + HD_LANES - 1u) / HD_LANES * HD_LANES : timings[with].threads;
}

static void print_all(hd_text *out, const char *const *settings)
{
	for (; *settings; settings++)
		hd_text_printf(out, " --set %s", *settings);
}

void subject_settings(unsigned number, unsigned with, hd_text *out)
{
	print_all(out, common);
	print_all(out, machines[number].settings);
	print_all(out, timings[with].settings);
}
