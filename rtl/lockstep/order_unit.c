/* HZ-28, HW-4: order_unit.sv against fence counters, wait counters, decoder's check, queues and monitor in C (HZ-5 to HZ-18, HZ-21, HZ-22), in the
 * order of docs/architecture.md, "A cycle". The bench plays scheduler and pipes, narrow ones too, with random instructions: it says which lanes an
 * instruction has, and reads and writes each lane group once. Nobody tells the module what a counter must fall by at an entry, so `wrong` stays 0
 * only when active logic, monitor and counters agree. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/operands.h"
#include "core/execute/queue.h"
#include "core/issue/decode.h"
#include "core/issue/monitor.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1),
	PIPE_BITS = RTL_CLOG2(PIPES),
	SPACING_BITS = RTL_CLOG2(QUEUE_SPACING + 1),
	ALL = (1 << FENCE_COUNTERS) - 1,
	ALL_GROUPS = (1 << HD_GROUPS) - 1,
	IN_FLIGHT = 1024, /* more than queues and pipes hold */
};

#ifdef QUEUE_SPACINGS
#define SPACING_OF(p) (QUEUE_SPACINGS >> 8 * (p)&255)
#else
#define SPACING_OF(p) QUEUE_SPACING
#endif

enum {
	SENT,
	BACK_FENCE,
	BACK_WAITERS,
	BACK_ROOM,
	FULL_QUEUE,
	SAME_CYCLE,
	READ,
	READ_LATER,
	DROPPED,
	FLOW,
	PARTS,
	WRITTEN,
	WAKES,
	WAKE_PICKED,
	BEGINS,
	DRAINED,
	TOO_MUCH
};
lockstep_bin bench_bins[] = {
    [SENT] = {"an instruction is sent"},
    [BACK_FENCE] = {"de-scheduled for a high-latency counter"},
    [BACK_WAITERS] = {"de-scheduled for a wait counter"},
    [BACK_ROOM] = {FENCE_BITS < 7 ? "de-scheduled for a full counter" : NULL},
    [FULL_QUEUE] = {"the queue is full"},
    [SAME_CYCLE] = {"a secondary leaves in the cycle of the write that it waited for"},
    [READ] = {"operands are read at entry, which lowers a counter"},
    [READ_LATER] = {"a narrow pipe reads operands, which lowers a counter"},
    [DROPPED] = {"a primary is dropped"},
    [FLOW] = {"a flow instruction enters although its guard holds for no lane"},
    [PARTS] = {"idle lane groups lower the counter at entry"},
    [WRITTEN] = {"lane groups are written, which lowers a counter"},
    [WAKES] = {"a warp wakes"},
    [WAKE_PICKED] = {"a warp is decoded in the cycle in which it wakes"},
    [BEGINS] = {"another warp begins in a slot"},
    [DRAINED] = {"all queues become empty"},
    [TOO_MUCH] = {"illegal: a write that no instruction owes"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static lockstep_port *valid, *warp_port, *pc, *at_issue, *at_queue, *primary, *pipe, *payload, *advance_cycles, *send, *deschedule, *deschedule_warp,
    *deschedule_pc, *verdict_port, *watch_port, *wake, *asleep, *begin_warps, *leave_ready, *leave_valid, *leave_warp, *leave_payload, *entry_active,
    *entry_guard, *entry_flow, *entry_primary, *entry_by_read, *entry_narrow, *enter, *drop, *lanes, *lane_groups, *read_valid, *read_warp,
    *read_counter, *read_groups, *write_valid, *write_warp, *write_counter, *write_groups, *outstanding, *full, *waited, *waiting, *idle, *wrong;

static void find_ports(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(valid),
	    LOCKSTEP_PORT(pc),
	    LOCKSTEP_PORT(at_issue),
	    LOCKSTEP_PORT(at_queue),
	    LOCKSTEP_PORT(primary),
	    LOCKSTEP_PORT(pipe),
	    LOCKSTEP_PORT(payload),
	    LOCKSTEP_PORT(advance_cycles),
	    LOCKSTEP_PORT(send),
	    LOCKSTEP_PORT(deschedule),
	    LOCKSTEP_PORT(deschedule_warp),
	    LOCKSTEP_PORT(deschedule_pc),
	    LOCKSTEP_PORT(wake),
	    LOCKSTEP_PORT(asleep),
	    LOCKSTEP_PORT(begin_warps),
	    LOCKSTEP_PORT(leave_ready),
	    LOCKSTEP_PORT(leave_valid),
	    LOCKSTEP_PORT(leave_warp),
	    LOCKSTEP_PORT(leave_payload),
	    LOCKSTEP_PORT(entry_active),
	    LOCKSTEP_PORT(entry_guard),
	    LOCKSTEP_PORT(entry_flow),
	    LOCKSTEP_PORT(entry_primary),
	    LOCKSTEP_PORT(entry_by_read),
	    LOCKSTEP_PORT(entry_narrow),
	    LOCKSTEP_PORT(enter),
	    LOCKSTEP_PORT(drop),
	    LOCKSTEP_PORT(lanes),
	    LOCKSTEP_PORT(lane_groups),
	    LOCKSTEP_PORT(read_valid),
	    LOCKSTEP_PORT(read_warp),
	    LOCKSTEP_PORT(read_counter),
	    LOCKSTEP_PORT(read_groups),
	    LOCKSTEP_PORT(write_valid),
	    LOCKSTEP_PORT(write_warp),
	    LOCKSTEP_PORT(write_counter),
	    LOCKSTEP_PORT(write_groups),
	    LOCKSTEP_PORT(outstanding),
	    LOCKSTEP_PORT(full),
	    LOCKSTEP_PORT(waited),
	    LOCKSTEP_PORT(waiting),
	    LOCKSTEP_PORT(idle),
	    LOCKSTEP_PORT(wrong),
	    {&warp_port, "warp"},
	    {&verdict_port, "verdict"},
	    {&watch_port, "watch"},
	};
	lockstep_find_all(names, HD_COUNT(names));
}

/* An instruction that is sent: what the module gets of it at its entry. */
typedef struct arrival {
	unsigned primary;
	uint32_t active, guard;
	bool flow, by_read, narrow;
} arrival;

static void put_arrival(unsigned p, const arrival *a)
{
	lockstep_put(entry_active, p * HD_LANES, HD_LANES, a->active);
	lockstep_put(entry_guard, p * HD_LANES, HD_LANES, a->guard);
	lockstep_put(entry_flow, p, 1, a->flow);
	lockstep_put(entry_primary, p * COUNTER_BITS, COUNTER_BITS, a->primary);
	lockstep_put(entry_by_read, p, 1, a->by_read);
	lockstep_put(entry_narrow, p, 1, a->narrow);
}

/* Lane groups that are written (port_of = 0) or read later. */
static void put_groups(lockstep_port *const ports[4], unsigned i, unsigned warp, unsigned counter, unsigned groups)
{
	lockstep_put(ports[0], i, 1, 1);
	lockstep_put(ports[1], i * WARP_BITS, WARP_BITS, warp);
	lockstep_put(ports[2], i * COUNTER_BITS, COUNTER_BITS, counter);
	lockstep_put(ports[3], i * HD_GROUPS, HD_GROUPS, groups);
}

static void compare_flags(const lockstep_port *port, const uint16_t *flags)
{
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_expect(port, w * FENCE_COUNTERS, FENCE_COUNTERS, flags[w]);
}

#ifndef LOCKSTEP_REPLAY
typedef struct flight {
	uint64_t next; /* cycle in which a part of it is read or written; 0: in the queue */
	arrival of;
	uint8_t warp, groups; /* lane groups that are still due */
	bool used;
} flight;

static hd_core *core;
static hd_scheduler *s;
static hd_queue queues[PIPES];
static flight flights[IN_FLIGHT]; /* the payload is the number of the flight */
static uint64_t now = 1000, counted[MACHINE_WARPS];
static unsigned issuing, ready_chance, latency, warps;
static bool draining, was_idle;

void bench_start(void)
{
	find_ports();
	free(core);
	free(s);
	core = hd_xcalloc(1, sizeof *core);
	s = core->scheduler = hd_xaligned(sizeof *s);
	core->n_schedulers = 1;
	hd_fence_init(&s->fence, FENCE_BITS, HD_GROUPS);
	for (unsigned p = 0; p < PIPES; p++) {
		hd_queue_free(&queues[p], NULL);
		memset(&queues[p], 0, sizeof queues[p]);
		hd_queue_init(&queues[p], (hd_queue_sizes){QUEUE_FIFO, QUEUE_HAZARD}, SPACING_OF(p), NULL);
	}
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		counted[w] = 500;
}

static unsigned ones(unsigned mask) { return (unsigned)hd_count_bits(mask); }

static unsigned groups_of(uint32_t mask)
{
	unsigned groups = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		groups |= (mask >> lane & 1) << lane / (HD_LANES / HD_GROUPS);
	return groups;
}

/* Some lane groups of a flight that is due: all of them, or a part. */
static unsigned a_part(flight *f)
{
	unsigned part = lockstep_chance(60) ? f->groups : f->groups & (unsigned)lockstep_random();
	part = part ? part : f->groups & -(unsigned)f->groups;
	f->groups = (uint8_t)(f->groups & ~part);
	f->used = f->groups != 0;
	f->next = now + 1 + lockstep_below(4);
	return part;
}

/* Phase 1: results are written. Returns the warps that are asleep no longer, or of which a counter is clear. */
static uint32_t write_back(void)
{
	lockstep_port *const ports[4] = {write_valid, write_warp, write_counter, write_groups};
	unsigned n = 0;
	uint32_t clear = 0;
	lockstep_zero(write_valid);
	for (unsigned i = 0; i < IN_FLIGHT && n < WRITES; i++) {
		flight *f = &flights[i];
		if (!f->used || !f->next || f->next > now || f->of.by_read)
			continue;
		unsigned part = a_part(f);
		put_groups(ports, n++, f->warp, f->of.primary, part);
		hd_monitor_written(core, 0, f->warp, f->of.primary, ones(part), now);
		clear |= (uint32_t) !(s->fence.flags[f->warp] >> (f->of.primary - 1) & 1) << f->warp;
		lockstep_cover(WRITTEN);
	}
	return clear;
}

/* Phase 2: what narrow pipes read. */
static void read_later(void)
{
	lockstep_port *const ports[4] = {read_valid, read_warp, read_counter, read_groups};
	unsigned n = 0;
	lockstep_zero(read_valid);
	for (unsigned i = 0; i < IN_FLIGHT && n < READS; i++) {
		flight *f = &flights[i];
		if (!f->used || !f->next || f->next > now || !f->of.by_read)
			continue;
		unsigned part = a_part(f);
		put_groups(ports, n++, f->warp, f->of.primary, part);
		hd_monitor_read(s, f->warp, f->of.primary, ones(part));
		lockstep_cover(READ_LATER);
	}
}

/* An instruction enters pipe `p`, or is dropped (HZ-16). */
static void enter_pipe(unsigned p, flight *f)
{
	const arrival *a = &f->of;
	uint32_t held = a->active & a->guard;
	bool none = !held && !a->flow;
	unsigned groups = a->flow ? ALL_GROUPS : groups_of(held), at_once = HD_GROUPS - ones(groups);
	put_arrival(p, a);
	lockstep_eval();
	lockstep_expect(enter, p, 1, !none);
	lockstep_expect(drop, p, 1, none);
	lockstep_expect(lanes, p * HD_LANES, HD_LANES, a->flow ? a->active : held);
	lockstep_expect(lane_groups, p * HD_GROUPS, HD_GROUPS, groups);
	lockstep_cover_if(FLOW, a->flow && !held);
	f->used = false;
	if (!a->primary)
		return;
	if (none || (a->by_read && !a->narrow))
		at_once = HD_GROUPS;
	else if (a->by_read)
		at_once = 0;
	lockstep_cover_if(DROPPED, none);
	lockstep_cover_if(READ, !none && a->by_read && !a->narrow);
	lockstep_cover_if(PARTS, !none && !a->by_read && at_once);
	if (at_once)
		hd_monitor_read(s, f->warp, a->primary, at_once);
	if (at_once == HD_GROUPS)
		return;
	f->groups = (uint8_t)(a->by_read ? ALL_GROUPS : groups);
	f->next = now + 1 + lockstep_below(latency);
	f->used = true;
}

/* Phase 2: queues and entries. */
static void queue_stage(uint32_t clear)
{
	hd_sent out[PIPES];
	bool leaves[PIPES];
	for (unsigned p = 0; p < PIPES; p++) {
		bool ready = lockstep_chance(ready_chance);
		hd_queue_times times;
		lockstep_put(leave_ready, p, 1, ready);
		leaves[p] = hd_queue_tick(&queues[p], s->fence.flags, now, ready ? now : now + 1, &out[p], &times);
		if (!leaves[p])
			continue;
		lockstep_cover_if(SAME_CYCLE, out[p].wait && clear >> out[p].warp & 1 && times.waited);
		if (hd_waiters_lower(&s->waiters, out[p].warp, out[p].wait))
			hd_monitor_waiters(s, out[p].warp);
	}
	lockstep_eval();
	for (unsigned p = 0; p < PIPES; p++) {
		lockstep_expect(leave_valid, p, 1, leaves[p]);
		lockstep_expect(waiting, p, 1, queues[p].waiting);
		lockstep_expect(enter, p, 1, leaves[p] && lockstep_get(enter, p, 1));
		if (!leaves[p])
			continue;
		lockstep_expect(leave_warp, p * WARP_BITS, WARP_BITS, out[p].warp);
		lockstep_expect(leave_payload, p * PAYLOAD_BITS, PAYLOAD_BITS, out[p].pc);
		enter_pipe(p, &flights[out[p].pc]);
	}
	read_later();
}

/* Behind phase 2: flags, and who sleeps. `before`: the warps that were asleep at the beginning of the cycle. */
static void compare_sleep(uint32_t before)
{
	hd_monitor_commit(core, 0, now);
	lockstep_eval();
	compare_flags(outstanding, s->fence.flags);
	compare_flags(full, s->fence.full);
	compare_flags(waited, s->waiters.flags);
	lockstep_expect(wake, 0, MACHINE_WARPS, before & ~s->descheduled);
	lockstep_expect(asleep, 0, MACHINE_WARPS, s->descheduled);
	lockstep_cover_if(WAKES, before & ~s->descheduled);
}

static void sleep_now(unsigned w, hd_verdict verdict, uint16_t watch)
{
	s->descheduled |= 1u << w;
	s->for_waiters |= (uint32_t)(verdict == HD_WAIT_WAITERS) << w;
	s->for_room |= (uint32_t)(verdict == HD_WAIT_ROOM) << w;
	s->watch[w] = watch;
}

static uint32_t some_lanes(void)
{
	const uint32_t sets[] = {UINT32_MAX, UINT32_MAX, 0, (uint32_t)lockstep_random(),
	                         (uint32_t)(lockstep_random() & lockstep_random() & lockstep_random())};
	return sets[lockstep_below(5)];
}

static arrival some_instruction(void)
{
	arrival a = {.primary = lockstep_chance(60) ? lockstep_below(FENCE_COUNTERS + 1) : 0, .active = some_lanes(), .guard = some_lanes()};
	a.flow = !a.primary && lockstep_chance(20);
	a.by_read = lockstep_chance(40);
	a.narrow = !a.flow && lockstep_chance(40);
	return a;
}

static void put_decoded(bool on, unsigned w, unsigned p, const hd_static *row, uint32_t address, unsigned number, uint64_t cycles)
{
	lockstep_put(valid, 0, 1, on);
	lockstep_put(warp_port, 0, WARP_BITS, w);
	lockstep_put(pc, 0, 32, address);
	lockstep_put(at_issue, 0, FENCE_COUNTERS, row->at_issue);
	lockstep_put(at_queue, 0, FENCE_COUNTERS, row->at_queue);
	lockstep_put(primary, 0, COUNTER_BITS, row->primary);
	lockstep_put(pipe, 0, PIPE_BITS, p);
	lockstep_put(payload, 0, PAYLOAD_BITS, number);
	lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(cycles, QUEUE_SPACING));
	lockstep_eval();
}

static void cover_decoded(bool on, bool room, hd_verdict verdict)
{
	lockstep_cover_if(FULL_QUEUE, on && !room);
	lockstep_cover_if(SENT, on && room && verdict == HD_SEND);
	lockstep_cover_if(BACK_FENCE, on && room && verdict == HD_WAIT_FENCE);
	lockstep_cover_if(BACK_WAITERS, on && room && verdict == HD_WAIT_WAITERS);
	lockstep_cover_if(BACK_ROOM, on && room && verdict == HD_WAIT_ROOM);
}

/* Phase 3: the decoder. The first counters are low-latency ones. */
static void decode(uint32_t before)
{
	unsigned w = lockstep_below(warps), p = lockstep_below(PIPES), number = 0;
	uint32_t low = (1u << (FENCE_COUNTERS + 1) / 2) - 1, mask = (uint32_t)(lockstep_random() & lockstep_random()) & ALL;
	arrival a = some_instruction();
	hd_static row = {.primary = (uint8_t)a.primary};
	uint16_t watch = 0;
	while (number < IN_FLIGHT && flights[number].used)
		number++;
	bool on = number < IN_FLIGHT && !draining && !(s->descheduled >> w & 1) && lockstep_chance(issuing);
	if (a.primary)
		mask &= ~(1u << (a.primary - 1)); /* HZ-3 */
	mask = lockstep_chance(40) ? 0 : mask;
	row.at_issue = (uint16_t)(mask & ~low);
	row.at_queue = (uint16_t)(mask & low);
	uint64_t cycles = hd_min_u64(lockstep_below(5), now - counted[w]);
	uint32_t address = (uint32_t)lockstep_random();
	put_decoded(on, w, p, &row, address, number, cycles);
	hd_verdict verdict = hd_decoder_check(&row, s->fence.flags[w], s->fence.full[w], s->waiters.flags[w], &watch);
	bool room = !hd_queue_full(&queues[p]), sent = on && room && verdict == HD_SEND, back = on && room && verdict != HD_SEND;
	lockstep_expect(send, 0, 1, sent);
	lockstep_expect(deschedule, 0, 1, back);
	lockstep_expect(wrong, 0, 1, 0);
	cover_decoded(on, room, verdict);
	lockstep_cover_if(WAKE_PICKED, on && before >> w & 1);
	if (back) {
		lockstep_expect(verdict_port, 0, 2, verdict);
		lockstep_expect(watch_port, 0, FENCE_COUNTERS, watch);
		lockstep_expect(deschedule_warp, 0, WARP_BITS, w);
		lockstep_expect(deschedule_pc, 0, 32, address);
		sleep_now(w, verdict, watch);
	}
	if (!sent)
		return;
	if (a.primary)
		hd_fence_raise(&s->fence, w, a.primary, HD_GROUPS);
	hd_waiters_raise(&s->waiters, w, row.at_queue);
	counted[w] += cycles;
	hd_sent instruction = {.cycle = now, .pc = number, .wait = row.at_queue, .warp = (uint8_t)w};
	hd_queue_push(&queues[p], &instruction, counted[w]);
	flights[number] = (flight){.of = a, .warp = (uint8_t)w, .used = true};
}

/* A write that no instruction owes shows in `wrong` in the same cycle. Nothing of it reaches the clock's edge. */
static void write_too_much(void)
{
	lockstep_port *const ports[4] = {write_valid, write_warp, write_counter, write_groups};
	unsigned w = lockstep_below(MACHINE_WARPS), counter = 1 + lockstep_below(FENCE_COUNTERS);
	if (lockstep_get(write_valid, WRITES - 1, 1) || s->fence.value[w][counter - 1] || lockstep_get(valid, 0, 1))
		return;
	put_groups(ports, WRITES - 1, w, counter, 1);
	lockstep_eval();
	lockstep_expect(wrong, 0, 1, 1);
	lockstep_put(write_valid, WRITES - 1, 1, 0);
	lockstep_eval();
	lockstep_cover(TOO_MUCH);
}

/* Another warp begins in a slot that has nothing in a queue or a pipe, so that nobody there is asleep. */
static void begin_a_warp(void)
{
	unsigned w = lockstep_below(MACHINE_WARPS);
	bool busy = lockstep_get(valid, 0, 1) && lockstep_get(warp_port, 0, WARP_BITS) == w;
	for (unsigned i = 0; i < IN_FLIGHT && !busy; i++)
		busy = flights[i].used && flights[i].warp == w;
	if (busy || !lockstep_chance(20))
		return;
	lockstep_put(begin_warps, w, 1, 1);
	for (unsigned p = 0; p < PIPES; p++)
		hd_queue_warp(&queues[p], w);
	hd_invariant(!(s->descheduled >> w & 1), "warp %u waits for nobody", w);
	lockstep_cover(BEGINS);
}

void bench_cycle(void)
{
	uint32_t before = s->descheduled;
	if (lockstep_chance(1) || !warps) {
		issuing = 20 + lockstep_below(81);
		ready_chance = 30 + lockstep_below(71);
		latency = 1 + lockstep_below(lockstep_chance(50) ? 6 : 60);
		warps = 1 + lockstep_below(MACHINE_WARPS);
		draining = lockstep_chance(30);
	}
	lockstep_put(valid, 0, 1, 0);
	lockstep_zero(begin_warps);
	queue_stage(write_back());
	compare_sleep(before);
	decode(before);
	if (lockstep_chance(1))
		write_too_much();
	begin_a_warp();
	lockstep_clock();
	now++;
	bool empty = true;
	for (unsigned p = 0; p < PIPES; p++)
		empty &= hd_queue_empty(&queues[p]);
	lockstep_expect(idle, 0, 1, empty);
	lockstep_cover_if(DRAINED, empty && !was_idle);
	was_idle = empty;
}
#else
/* The machine's recording is the reference; the C units are not used. The machine issues one instruction of the scheduler in a cycle. */
static struct {
	uint16_t outstanding[MACHINE_WARPS], full[MACHINE_WARPS], waited[MACHINE_WARPS];
	uint32_t asleep;
	unsigned inside[PIPES]; /* instructions in each queue */
	uint64_t counted[MACHINE_WARPS];
} rows;

void bench_start(void)
{
	find_ports();
	memset(&rows, 0, sizeof rows);
}

/* Phases 1 and 2: what the pipes write, and the flags behind it. */
static void replay_flags(const replay_event *event, unsigned *used)
{
	lockstep_port *const ports[4] = {write_valid, write_warp, write_counter, write_groups};
	unsigned w = replay_value(event, 0, MACHINE_WARPS), counter = replay_value(event, 1, FENCE_COUNTERS + 1);
	if (event->kind == HD_RECORD_FENCE_WRITTEN) {
		replay_ports(*used < WRITES);
		put_groups(ports, (*used)++, w, counter, (1u << replay_value(event, 2, HD_GROUPS + 1)) - 1);
	}
	rows.outstanding[w] = (uint16_t)event->values[4];
	rows.full[w] = (uint16_t)event->values[5];
}

static void replay_entry(const replay_event *event)
{
	arrival a = {.active = replay_value(event, 2, UINT64_C(1) << 32),
	             .guard = replay_value(event, 3, UINT64_C(1) << 32),
	             .flow = replay_value(event, 4, 2),
	             .primary = replay_value(event, 5, FENCE_COUNTERS + 1),
	             .by_read = replay_value(event, 6, 2)};
	if (event->values[7] != 1)
		replay_refuse("a narrow pipe");
	put_arrival(replay_value(event, 0, PIPES), &a);
}

static void compare_entry(const replay_event *event)
{
	unsigned p = (unsigned)event->values[0];
	lockstep_expect(enter, p, 1, event->values[8]);
	lockstep_expect(drop, p, 1, !event->values[8]);
	if (event->values[8])
		lockstep_expect(lanes, p * HD_LANES, HD_LANES, event->values[9]);
}

static void replay_pipes(const replay_event *all, unsigned n)
{
	unsigned used = 0;
	const replay_event *ticks[PIPES] = {0}, *leaves[PIPES] = {0}, *entries[PIPES] = {0};
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind == HD_RECORD_FENCE_WRITTEN || event->kind == HD_RECORD_FENCE_RELEASED)
			replay_flags(event, &used);
		else if (event->kind == HD_RECORD_WAIT_LEFT)
			rows.waited[replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[2];
		else if (event->kind == HD_RECORD_QUEUE)
			ticks[replay_value(event, 0, PIPES)] = event;
		else if (event->kind == HD_RECORD_LEAVES)
			leaves[replay_value(event, 0, PIPES)] = event;
		else if (event->kind == HD_RECORD_ENTERS)
			replay_entry(entries[replay_value(event, 0, PIPES)] = event);
	}
	for (unsigned p = 0; p < PIPES; p++)
		lockstep_put(leave_ready, p, 1, !ticks[p] || ticks[p]->values[1]);
	lockstep_eval();
	for (unsigned p = 0; p < PIPES; p++) {
		lockstep_expect(leave_valid, p, 1, leaves[p] != NULL);
		lockstep_expect(waiting, p, 1, ticks[p] && ticks[p]->values[3]);
		if (ticks[p])
			rows.inside[p] = (unsigned)(ticks[p]->values[4] + ticks[p]->values[5]);
		replay_expect("an instruction that leaves its queue and does not reach the pipe", leaves[p] != NULL, entries[p] != NULL);
		if (!leaves[p])
			continue;
		lockstep_expect(leave_warp, p * WARP_BITS, WARP_BITS, leaves[p]->values[1]);
		lockstep_expect(leave_payload, p * PAYLOAD_BITS, PAYLOAD_BITS, leaves[p]->values[3]);
		compare_entry(entries[p]);
	}
	compare_flags(outstanding, rows.outstanding);
	compare_flags(full, rows.full);
	compare_flags(waited, rows.waited);
}

/* Behind phase 2: who sleeps. */
static void replay_sleep(const replay_event *monitor)
{
	uint32_t before = rows.asleep;
	if (!monitor)
		return;
	rows.asleep = replay_value(monitor, 0, 1u << MACHINE_WARPS);
	lockstep_expect(wake, 0, MACHINE_WARPS, before & ~rows.asleep);
	lockstep_expect(asleep, 0, MACHINE_WARPS, rows.asleep);
}

/* The instruction that is decoded, and, with `pushed`, sent. */
static void put_checked(const replay_event *check, const replay_event *pushed)
{
	unsigned w = replay_value(check, 0, MACHINE_WARPS), at = replay_value(check, 2, PIPES);
	if (!check->values[8] != (pushed != NULL))
		replay_refuse("an instruction that is sent and not pushed, or the reverse");
	lockstep_put(warp_port, 0, WARP_BITS, w);
	lockstep_put(pc, 0, 32, check->values[1]);
	lockstep_put(pipe, 0, PIPE_BITS, at);
	lockstep_put(at_issue, 0, FENCE_COUNTERS, replay_value(check, 3, ALL + 1));
	lockstep_put(primary, 0, COUNTER_BITS, replay_value(check, 4, FENCE_COUNTERS + 1));
	lockstep_put(payload, 0, PAYLOAD_BITS, check->values[1]);
	if (!pushed)
		return;
	if (replay_value(pushed, 0, PIPES) != at || replay_value(pushed, 1, MACHINE_WARPS) != w || pushed->values[4] < rows.counted[w])
		replay_refuse("the instruction that is pushed is not the one that was checked");
	lockstep_put(at_queue, 0, FENCE_COUNTERS, replay_value(pushed, 2, ALL + 1));
	lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(pushed->values[4] - rows.counted[w], QUEUE_SPACING));
	rows.counted[w] = pushed->values[4];
	rows.inside[at]++;
}

/* Phase 3. */
static void replay_decoder(const replay_event *check, const replay_event *pushed, const replay_event *back)
{
	bool sent = check && !check->values[8];
	lockstep_put(valid, 0, 1, check != NULL);
	if (check)
		put_checked(check, pushed);
	lockstep_eval();
	replay_expect("warps that are sent back", check && !sent, back != NULL);
	lockstep_expect(send, 0, 1, sent);
	lockstep_expect(deschedule, 0, 1, check && !sent);
	lockstep_expect(wrong, 0, 1, 0);
	if (!check || sent)
		return;
	lockstep_expect(verdict_port, 0, 2, check->values[8]);
	lockstep_expect(watch_port, 0, FENCE_COUNTERS, check->values[9]);
	lockstep_expect(deschedule_warp, 0, WARP_BITS, check->values[0]);
	lockstep_expect(deschedule_pc, 0, 32, check->values[1]);
	rows.asleep |= 1u << check->values[0];
}

void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *check = NULL, *pushed = NULL, *back = NULL, *monitor = NULL;
	lockstep_port *const zero[] = {valid, begin_warps, write_valid, read_valid};
	for (unsigned i = 0; i < HD_COUNT(zero); i++)
		lockstep_zero(zero[i]);
	replay_pipes(all, n);
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind == HD_RECORD_CHECKED && event->values[2] < PIPES) {
			if (check)
				replay_refuse("two instructions are decoded in a cycle");
			check = event;
		} else if (event->kind == HD_RECORD_PUSHED) {
			pushed = event;
		} else if (event->kind == HD_RECORD_DESCHEDULED) {
			back = event;
		} else if (event->kind == HD_RECORD_MONITOR) {
			monitor = event;
		}
	}
	replay_sleep(monitor);
	replay_decoder(check, pushed, back);
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind == HD_RECORD_FENCE_RAISED) {
			replay_flags(event, NULL);
		} else if (event->kind == HD_RECORD_WAIT_SENT) {
			rows.waited[replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[2];
		} else if (event->kind == HD_RECORD_WARP) {
			lockstep_put(begin_warps, replay_value(event, 0, MACHINE_WARPS), 1, 1);
			rows.asleep &= ~(1u << event->values[0]);
		}
	}
	lockstep_eval();
	lockstep_clock();
	bool empty = true;
	for (unsigned p = 0; p < PIPES; p++)
		empty &= !rows.inside[p];
	lockstep_expect(idle, 0, 1, empty);
}
#endif
