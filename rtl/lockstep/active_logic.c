/* HZ-28, HW-4: active_logic.sv against hd_pipeline_enter of src/core/execute/pipeline.c (HZ-16). The bench has a whole core (tests/core/stage_rig.h),
 * of which it calls the entry of a pipe alone. MACHINE_WARPS and FENCE_COUNTERS are the parameters of the module. */
#ifndef LOCKSTEP_REPLAY
#include "stage_rig.h"
#endif
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/operands.h"
#include "core/observe/recording.h"

enum { WARP_BITS = RTL_CLOG2(MACHINE_WARPS), COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1), GROUP_BITS = 4, STEP = 64 };

enum { DROPPED, DROPPED_PRIMARY, ENTERS, BY_WRITE, BY_WRITE_ALL, BY_READ, NARROW, NARROW_BY_READ, NARROW_DROPPED, FLOW, FLOW_WITHOUT, NO_LANE };
lockstep_bin bench_bins[] = {
    [DROPPED] = {"an instruction without a counter is dropped"},
    [DROPPED_PRIMARY] = {"a primary is dropped"},
    [ENTERS] = {"an instruction without a counter enters"},
    [BY_WRITE] = {"a primary enters with idle lane groups"},
    [BY_WRITE_ALL] = {"a primary enters without idle lane groups"},
    [BY_READ] = {"a primary enters whose counter falls by its reads"},
    [NARROW] = {"a primary enters a narrow pipe, with idle lane groups"},
    [NARROW_BY_READ] = {"a primary enters a narrow pipe, its counter falls by reads"},
    [NARROW_DROPPED] = {"a primary is dropped before a narrow pipe"},
    [FLOW] = {"a flow instruction enters"},
    [FLOW_WITHOUT] = {"a flow instruction enters although its guard holds for no lane"},
    [NO_LANE] = {"no lane was active at issue"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static lockstep_port *valid, *warp_port, *active, *guard, *flow_port, *primary_port, *by_read_port, *narrow_port, *enter, *drop, *lanes, *lane_groups,
    *released_valid, *released_warp, *released_counter, *released_groups;

static void find_ports(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(valid),
	    LOCKSTEP_PORT(active),
	    LOCKSTEP_PORT(guard),
	    LOCKSTEP_PORT(enter),
	    LOCKSTEP_PORT(drop),
	    LOCKSTEP_PORT(lanes),
	    LOCKSTEP_PORT(lane_groups),
	    LOCKSTEP_PORT(released_valid),
	    LOCKSTEP_PORT(released_warp),
	    LOCKSTEP_PORT(released_counter),
	    LOCKSTEP_PORT(released_groups),
	    {&warp_port, "warp"},
	    {&flow_port, "flow"},
	    {&primary_port, "primary"},
	    {&by_read_port, "by_read"},
	    {&narrow_port, "narrow"},
	};
	lockstep_find_all(names, HD_COUNT(names));
}

/* An instruction that reaches its pipe. */
typedef struct arrival {
	unsigned warp, primary;
	uint32_t active, guard;
	bool flow, by_read, narrow;
} arrival;

static void put(const arrival *a)
{
	lockstep_put(valid, 0, 1, 1);
	lockstep_put(warp_port, 0, WARP_BITS, a->warp);
	lockstep_put(active, 0, 32, a->active);
	lockstep_put(guard, 0, 32, a->guard);
	lockstep_put(flow_port, 0, 1, a->flow);
	lockstep_put(primary_port, 0, COUNTER_BITS, a->primary);
	lockstep_put(by_read_port, 0, 1, a->by_read);
	lockstep_put(narrow_port, 0, 1, a->narrow);
	lockstep_eval();
}

#ifdef LOCKSTEP_REPLAY
void bench_start(void) { find_ports(); }

void bench_replay(const replay_event *all, unsigned n)
{
	unsigned release = 0;
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind != HD_RECORD_ENTERS)
			continue;
		arrival a = {.warp = replay_value(event, 1, MACHINE_WARPS),
		             .active = replay_value(event, 2, UINT64_C(1) << 32),
		             .guard = replay_value(event, 3, UINT64_C(1) << 32),
		             .flow = replay_value(event, 4, 2),
		             .primary = replay_value(event, 5, FENCE_COUNTERS + 1),
		             .by_read = replay_value(event, 6, 2)};
		if (event->values[7] != 1)
			replay_refuse("a narrow pipe");
		put(&a);
		lockstep_expect(enter, 0, 1, event->values[8]);
		lockstep_expect(drop, 0, 1, !event->values[8]);
		if (event->values[8])
			lockstep_expect(lanes, 0, 32, event->values[9]);
		if (!lockstep_get(released_valid, 0, 1))
			continue;
		/* The releases of the cycle come in the order of the entries. */
		while (release < n && all[release].kind != HD_RECORD_FENCE_RELEASED)
			release++;
		if (release == n) {
			lockstep_expect(released_valid, 0, 1, 0);
			continue;
		}
		lockstep_expect(released_warp, 0, WARP_BITS, all[release].values[0]);
		lockstep_expect(released_counter, 0, COUNTER_BITS, all[release].values[1]);
		lockstep_expect(released_groups, 0, GROUP_BITS, all[release++].values[2]);
	}
	while (release < n && all[release].kind != HD_RECORD_FENCE_RELEASED)
		release++;
	replay_expect("releases that no entry explains", 0, release < n);
	lockstep_clock();
}
#else
static void expect_released(const arrival *a, unsigned groups)
{
	lockstep_expect(released_valid, 0, 1, groups != 0);
	if (!groups)
		return;
	lockstep_expect(released_warp, 0, WARP_BITS, a->warp);
	lockstep_expect(released_counter, 0, COUNTER_BITS, a->primary);
	lockstep_expect(released_groups, 0, GROUP_BITS, groups);
}

static unsigned groups_on_port(void)
{
	unsigned n = 0;
	for (unsigned g = 0; g < HD_GROUPS; g++)
		n += (unsigned)lockstep_get(lane_groups, g, 1);
	return n;
}

static stage_rig *stage;
static uint64_t now = 1000;
static uint32_t pcs[64], n_pcs;
static uint64_t entry[10]; /* the last ENTERS event */

static void see(hd_recorder *recorder, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	(void)recorder;
	if (kind == HD_RECORD_ENTERS)
		memcpy(entry, values, n * sizeof *values);
}

/* Instructions of each kind: plain, of a narrow pipe, flow; with and without a counter, by read and by write. */
void bench_start(void)
{
	static hd_recorder recorder = {.event = see};
	find_ports();
	rig *r = rig_new(64);
	r->machine.lanes[HD_PIPE_SFU] = 8;
	r->launch.block[0] = HD_LANES * MACHINE_WARPS;
	for (unsigned counter = 0; counter <= FENCE_COUNTERS; counter++) {
		for (unsigned reads = 0; reads < (counter ? 2 : 1); reads++) {
			const hd_op ops[] = {HD_OP_MOV, HD_OP_FEX2};
			for (unsigned i = 0; i < HD_COUNT(ops); i++) {
				hd_inst inst = guarded(alu(ops[i], 4, 5, HD_RZ, HD_RZ), 0, 0);
				if (counter)
					inst = primary(inst, counter);
				pcs[n_pcs++] = rig_put(r, reads ? by_read(inst) : inst, delay(1));
			}
		}
	}
	pcs[n_pcs++] = rig_put(r, guarded(branch(HD_OP_BRA, 1), 0, 0), delay(1));
	stage = stage_new(r);
	stage_start(stage);
	hd_recording_attach(stage->core, &recorder);
}

static void cover(const arrival *a, bool enters, unsigned groups)
{
	bool wide = !a->narrow && !a->flow;
	lockstep_cover_if(DROPPED, !enters && !a->primary);
	lockstep_cover_if(DROPPED_PRIMARY, !enters && a->primary && wide);
	lockstep_cover_if(NARROW_DROPPED, !enters && a->primary && a->narrow);
	lockstep_cover_if(ENTERS, enters && !a->primary && wide);
	lockstep_cover_if(BY_WRITE, enters && a->primary && wide && !a->by_read && groups < HD_GROUPS);
	lockstep_cover_if(BY_WRITE_ALL, enters && a->primary && wide && !a->by_read && groups == HD_GROUPS);
	lockstep_cover_if(BY_READ, enters && a->primary && wide && a->by_read);
	lockstep_cover_if(NARROW, enters && a->primary && a->narrow && !a->by_read && groups < HD_GROUPS);
	lockstep_cover_if(NARROW_BY_READ, enters && a->primary && a->narrow && a->by_read);
	lockstep_cover_if(FLOW, a->flow && a->guard & a->active);
	lockstep_cover_if(FLOW_WITHOUT, a->flow && !(a->guard & a->active));
	lockstep_cover_if(NO_LANE, !a->active);
}

/* Compares the latches of the instruction with what the module lets in, and gives them back. */
static void compare_latches(const arrival *a, bool enters)
{
	unsigned n = 0;
	for (uint64_t cycle = now + 1; cycle < now + STEP; cycle++) {
		for (hd_flight *flight = hd_events_take(&stage->core->events, cycle), *next; flight; flight = next) {
			next = flight->next;
			if (!a->narrow && !a->flow)
				lockstep_expect(lanes, 0, 32, flight->mask);
			if (!a->narrow)
				hd_invariant(groups_on_port() == flight->units, "%u lane groups, %u in the latch", groups_on_port(), flight->units);
			hd_pool_return(&stage->core->pool, flight);
			n++;
		}
	}
	hd_invariant(a->narrow || n == enters, "%u latches of an instruction", n);
}

void bench_cycle(void)
{
	hd_scheduler *s = stage->s;
	uint32_t sets[] = {0, UINT32_MAX, (uint32_t)lockstep_random(), (uint32_t)(lockstep_random() & lockstep_random() & lockstep_random()),
	                   15u << 4 * lockstep_below(8)};
	uint32_t pc = pcs[lockstep_below(n_pcs)];
	const hd_static *row = &stage->core->code[pc];
	arrival a = {.warp = lockstep_below(MACHINE_WARPS),
	             .active = sets[lockstep_below(5)],
	             .guard = sets[lockstep_below(5)],
	             .flow = row->kind == HD_KIND_FLOW,
	             .primary = row->primary,
	             .by_read = row->by_read,
	             .narrow = row->passes > 1};
	now += STEP;
	s->warp[a.warp].in_flight = 2;
	s->registers.predicate[a.warp][0] = a.guard;
	hd_sent sent = {.cycle = now - 1, .pc = pc, .mask = a.active, .warp = (uint8_t)a.warp};
	uint64_t dropped = stage->rig->stats.run_dropped;
	stage->core->last = now;
	hd_pipeline_enter(stage->core, 0, &sent, now);
	bool enters = stage->rig->stats.run_dropped == dropped;
	unsigned groups = 0;
	for (uint32_t i = 0; i < s->n_releases; i++)
		groups += s->release[i].units;
	s->n_releases = 0;
	s->entering = 0;
	if (enters && a.narrow && a.by_read && a.primary)
		groups -= HD_GROUPS / row->passes; /* the monitor's part: what the first cycle reads */

	put(&a);
	lockstep_expect(enter, 0, 1, enters);
	lockstep_expect(drop, 0, 1, !enters);
	if (enters)
		lockstep_expect(lanes, 0, 32, entry[9]);
	hd_invariant(entry[8] == enters, "the recorded entry is another one");
	expect_released(&a, groups);
	compare_latches(&a, enters);
	cover(&a, enters, hd_groups_of(a.active & a.guard));
	lockstep_put(valid, 0, 1, 0);
	lockstep_eval();
	lockstep_expect(enter, 0, 1, 0);
	lockstep_expect(drop, 0, 1, 0);
	lockstep_expect(released_valid, 0, 1, 0);
	lockstep_clock();
}
#endif
