/* HZ-28, HW-4: order_core.sv against fence counters, wait counters, decoder's check and queues in C, in the order of docs/architecture.md, "A cycle".
 * The bench plays scheduler and pipes, with random instructions. It lowers exactly what instructions in flight raised, so `wrong` stays 0: this is the
 * assumption of the proofs of fence_counters and wait_counters. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/queue.h"
#include "core/issue/decode.h"
#include "core/issue/fence_counters.h"
#include "core/issue/wait_counters.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1),
	PIPE_BITS = RTL_CLOG2(PIPES),
	SPACING_BITS = RTL_CLOG2(QUEUE_SPACING + 1),
	GROUP_BITS = 4,
	ALL = (1 << FENCE_COUNTERS) - 1,
	IN_FLIGHT = 1024, /* more than queues and pipes hold */
};

#ifdef QUEUE_SPACINGS
#define SPACING_OF(p) (QUEUE_SPACINGS >> 8 * (p)&255)
#else
#define SPACING_OF(p) QUEUE_SPACING
#endif

enum { SENT, BACK_FENCE, BACK_WAITERS, BACK_ROOM, FULL_QUEUE, WAITED, SAME_CYCLE, READ, DROPPED, PARTS, WAITING, SEVERAL, DRAINED, TOO_MUCH };
lockstep_bin bench_bins[] = {
    [SENT] = {"an instruction is sent"},
    [BACK_FENCE] = {"de-scheduled for a high-latency counter"},
    [BACK_WAITERS] = {"de-scheduled for a wait counter"},
    [BACK_ROOM] = {FENCE_BITS < 7 ? "de-scheduled for a full counter" : NULL},
    [FULL_QUEUE] = {"the queue is full"},
    [WAITED] = {"a secondary leaves its queue"},
    [SAME_CYCLE] = {"a secondary leaves in the cycle of the write that it waited for"},
    [READ] = {"operands are read, which lowers a counter"},
    [DROPPED] = {"a primary is dropped"},
    [PARTS] = {"inactive lane groups lower the counter at entry"},
    [WAITING] = {"a hazard waits for a full hazard queue"},
    [SEVERAL] = {"instructions enter several pipes in one cycle"},
    [DRAINED] = {"all queues become empty"},
    [TOO_MUCH] = {"illegal: a write that no instruction owes"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

typedef struct flight {
	uint64_t write; /* cycle of the write; 0: in the queue, or free */
	uint8_t warp, primary, units;
	bool used, by_read;
} flight;

static hd_fence fence;
static hd_waiters waiters;
static hd_queue queues[PIPES];
static flight flights[IN_FLIGHT]; /* the payload is the number of the flight */
static uint64_t now = 1000, counted[MACHINE_WARPS];
static unsigned issuing, ready_chance, latency, warps;
static bool draining, was_idle;
static lockstep_port *valid, *warp_port, *pc, *at_issue, *at_queue, *primary, *pipe, *payload, *advance_cycles, *send, *deschedule, *deschedule_warp,
    *deschedule_pc, *verdict_port, *watch_port, *leave_ready, *leave_valid, *leave_warp, *leave_payload, *released_valid, *released_warp,
    *released_counter, *released_groups, *written_valid, *written_warp, *written_counter, *written_groups, *outstanding, *full, *waited, *waiting,
    *idle, *wrong, *begin_warps;
#ifdef LOCKSTEP_REPLAY
/* The machine's recording is the reference; the C units are not used. The machine issues one instruction of the scheduler in a cycle. */
static struct {
	uint16_t outstanding[MACHINE_WARPS], full[MACHINE_WARPS], waited[MACHINE_WARPS];
	unsigned inside[PIPES]; /* instructions in each queue */
	uint64_t counted[MACHINE_WARPS];
} rows;
#endif

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(valid),
	    LOCKSTEP_PORT(begin_warps),
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
	    LOCKSTEP_PORT(leave_ready),
	    LOCKSTEP_PORT(leave_valid),
	    LOCKSTEP_PORT(leave_warp),
	    LOCKSTEP_PORT(leave_payload),
	    LOCKSTEP_PORT(released_valid),
	    LOCKSTEP_PORT(released_warp),
	    LOCKSTEP_PORT(released_counter),
	    LOCKSTEP_PORT(released_groups),
	    LOCKSTEP_PORT(written_valid),
	    LOCKSTEP_PORT(written_warp),
	    LOCKSTEP_PORT(written_counter),
	    LOCKSTEP_PORT(written_groups),
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
#ifdef LOCKSTEP_REPLAY
	memset(&rows, 0, sizeof rows);
#endif
	hd_fence_init(&fence, FENCE_BITS, HD_GROUPS);
	for (unsigned p = 0; p < PIPES; p++) {
		hd_queue_free(&queues[p], NULL);
		memset(&queues[p], 0, sizeof queues[p]);
		hd_queue_init(&queues[p], (hd_queue_sizes){QUEUE_FIFO, QUEUE_HAZARD}, SPACING_OF(p), NULL);
	}
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		counted[w] = 500;
}

static void put_event(lockstep_port *ports[4], unsigned i, const flight *f, unsigned groups)
{
	lockstep_put(ports[0], i, 1, 1);
	lockstep_put(ports[1], i * WARP_BITS, WARP_BITS, f->warp);
	lockstep_put(ports[2], i * COUNTER_BITS, COUNTER_BITS, f->primary);
	lockstep_put(ports[3], i * GROUP_BITS, GROUP_BITS, groups);
}

/* Phase 1: results are written. Returns the warps of which a counter became clear. */
static uint32_t write_back(void)
{
	lockstep_port *ports[4] = {written_valid, written_warp, written_counter, written_groups};
	unsigned n = 0;
	uint32_t clear = 0;
	lockstep_zero(written_valid);
	for (unsigned i = 0; i < IN_FLIGHT && n < WRITES; i++) {
		flight *f = &flights[i];
		if (!f->used || !f->write || f->write > now)
			continue;
		put_event(ports, n++, f, f->units);
		clear |= (uint32_t)(hd_fence_lower(&fence, f->warp, f->primary, f->units) & HD_FENCE_CLEAR) << f->warp;
		f->used = false;
	}
	return clear;
}

/* An instruction enters pipe `p`, or is dropped. Returns the lane groups that its entry lowers. */
static unsigned enter(flight *f)
{
	bool dropped = lockstep_chance(10);
	f->used = false;
	if (!f->primary)
		return 0;
	lockstep_cover_if(DROPPED, dropped);
	lockstep_cover_if(READ, !dropped && f->by_read);
	if (dropped || f->by_read)
		return HD_GROUPS;
	f->units = (uint8_t)(lockstep_chance(70) ? HD_GROUPS : 1 + lockstep_below(HD_GROUPS));
	f->write = now + 1 + lockstep_below(latency);
	f->used = true;
	lockstep_cover_if(PARTS, f->units < HD_GROUPS);
	return HD_GROUPS - f->units;
}

/* Phase 2: queues, pipes and what they release. The outputs of this phase are compared here. */
static void queue_stage(uint32_t clear)
{
	lockstep_port *ports[4] = {released_valid, released_warp, released_counter, released_groups};
	unsigned groups[PIPES] = {0}, entered = 0;
	flight of[PIPES];
	hd_sent out[PIPES];
	bool leaves[PIPES];
	lockstep_zero(released_valid);
	for (unsigned p = 0; p < PIPES; p++) {
		bool ready = lockstep_chance(ready_chance);
		hd_queue_times times;
		lockstep_put(leave_ready, p, 1, ready);
		leaves[p] = hd_queue_tick(&queues[p], fence.flags, now, ready ? now : now + 1, &out[p], &times);
		lockstep_cover_if(WAITING, queues[p].waiting);
		if (!leaves[p])
			continue;
		entered++;
		lockstep_cover_if(WAITED, out[p].wait != 0);
		lockstep_cover_if(SAME_CYCLE, out[p].wait && clear >> out[p].warp & 1 && times.waited);
		hd_waiters_lower(&waiters, out[p].warp, out[p].wait);
		groups[p] = enter(&flights[out[p].pc]);
		of[p] = flights[out[p].pc];
	}
	for (unsigned p = 0; p < PIPES; p++) {
		if (!groups[p])
			continue;
		put_event(ports, p, &of[p], groups[p]);
		hd_fence_lower(&fence, of[p].warp, of[p].primary, groups[p]);
	}
	lockstep_cover_if(SEVERAL, entered > 1);
	lockstep_eval();
	for (unsigned p = 0; p < PIPES; p++) {
		lockstep_expect(leave_valid, p, 1, leaves[p]);
		lockstep_expect(waiting, p, 1, queues[p].waiting);
		if (leaves[p]) {
			lockstep_expect(leave_warp, p * WARP_BITS, WARP_BITS, out[p].warp);
			lockstep_expect(leave_payload, p * PAYLOAD_BITS, PAYLOAD_BITS, out[p].pc);
		}
	}
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_expect(full, w * FENCE_COUNTERS, FENCE_COUNTERS, fence.full[w]);
}

/* Phase 3: the decoder. The first counters are low-latency ones. */
static void decode(void)
{
	unsigned w = lockstep_below(warps), p = lockstep_below(PIPES), number = 0;
	uint32_t low = (1u << (FENCE_COUNTERS + 1) / 2) - 1, mask = (uint32_t)(lockstep_random() & lockstep_random()) & ALL;
	hd_static row = {.primary = (uint8_t)(lockstep_chance(60) ? lockstep_below(FENCE_COUNTERS + 1) : 0)};
	uint16_t watch = 0;
	while (number < IN_FLIGHT && flights[number].used)
		number++;
	bool on = number < IN_FLIGHT && !draining && lockstep_chance(issuing);
	if (row.primary)
		mask &= ~(1u << (row.primary - 1)); /* HZ-3 */
	if (lockstep_chance(40))
		mask = 0;
	row.at_issue = (uint16_t)(mask & ~low);
	row.at_queue = (uint16_t)(mask & low);
	uint64_t cycles = hd_min_u64(lockstep_below(5), now - counted[w]);
	uint32_t address = (uint32_t)lockstep_random();
	lockstep_put(valid, 0, 1, on);
	lockstep_put(warp_port, 0, WARP_BITS, w);
	lockstep_put(pc, 0, 32, address);
	lockstep_put(at_issue, 0, FENCE_COUNTERS, row.at_issue);
	lockstep_put(at_queue, 0, FENCE_COUNTERS, row.at_queue);
	lockstep_put(primary, 0, COUNTER_BITS, row.primary);
	lockstep_put(pipe, 0, PIPE_BITS, p);
	lockstep_put(payload, 0, PAYLOAD_BITS, number);
	lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(cycles, QUEUE_SPACING));
	hd_verdict verdict = hd_decoder_check(&row, fence.flags[w], fence.full[w], waiters.flags[w], &watch);
	bool room = !hd_queue_full(&queues[p]), sent = on && room && verdict == HD_SEND, back = on && room && verdict != HD_SEND;
	lockstep_eval();
	lockstep_expect(send, 0, 1, sent);
	lockstep_expect(deschedule, 0, 1, back);
	lockstep_expect(wrong, 0, 1, 0);
	if (back) {
		lockstep_expect(verdict_port, 0, 2, verdict);
		lockstep_expect(watch_port, 0, FENCE_COUNTERS, watch);
		lockstep_expect(deschedule_warp, 0, WARP_BITS, w);
		lockstep_expect(deschedule_pc, 0, 32, address);
	}
	lockstep_cover_if(FULL_QUEUE, on && !room);
	lockstep_cover_if(SENT, sent);
	lockstep_cover_if(BACK_FENCE, back && verdict == HD_WAIT_FENCE);
	lockstep_cover_if(BACK_WAITERS, back && verdict == HD_WAIT_WAITERS);
	lockstep_cover_if(BACK_ROOM, back && verdict == HD_WAIT_ROOM);
	if (!sent)
		return;
	if (row.primary)
		hd_fence_raise(&fence, w, row.primary, HD_GROUPS);
	hd_waiters_raise(&waiters, w, row.at_queue);
	counted[w] += cycles;
	hd_sent instruction = {.cycle = now, .pc = number, .wait = row.at_queue, .warp = (uint8_t)w};
	hd_queue_push(&queues[p], &instruction, counted[w]);
	flights[number] = (flight){.warp = (uint8_t)w, .primary = row.primary, .used = true, .by_read = lockstep_chance(40)};
}

/* A write that no instruction owes shows in `wrong` in the same cycle. Nothing of it reaches the clock's edge. */
static void write_too_much(void)
{
	lockstep_port *ports[4] = {written_valid, written_warp, written_counter, written_groups};
	unsigned w = lockstep_below(MACHINE_WARPS), counter = 1 + lockstep_below(FENCE_COUNTERS);
	if (lockstep_get(written_valid, WRITES - 1, 1) || fence.value[w][counter - 1])
		return;
	put_event(ports, WRITES - 1, &(flight){.warp = (uint8_t)w, .primary = (uint8_t)counter}, 1);
	lockstep_eval();
	lockstep_expect(wrong, 0, 1, 1);
	lockstep_put(written_valid, WRITES - 1, 1, 0);
	lockstep_eval();
	lockstep_cover(TOO_MUCH);
}

void bench_cycle(void)
{
	if (lockstep_chance(1) || !warps) {
		issuing = 20 + lockstep_below(81);
		ready_chance = 30 + lockstep_below(71);
		latency = 1 + lockstep_below(lockstep_chance(50) ? 6 : 60);
		warps = 1 + lockstep_below(MACHINE_WARPS);
		draining = lockstep_chance(30);
	}
	queue_stage(write_back());
	decode();
	if (lockstep_chance(1))
		write_too_much();
	lockstep_clock();
	now++;
	bool empty = true;
	for (unsigned p = 0; p < PIPES; p++)
		empty &= hd_queue_empty(&queues[p]);
	lockstep_expect(idle, 0, 1, empty);
	lockstep_cover_if(DRAINED, empty && !was_idle);
	was_idle = empty;
	for (unsigned w = 0; w < MACHINE_WARPS; w++) {
		lockstep_expect(outstanding, w * FENCE_COUNTERS, FENCE_COUNTERS, fence.flags[w]);
		lockstep_expect(waited, w * FENCE_COUNTERS, FENCE_COUNTERS, waiters.flags[w]);
	}
}

#ifdef LOCKSTEP_REPLAY
static void replay_row(const lockstep_port *port, const uint16_t *flags)
{
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_expect(port, w * FENCE_COUNTERS, FENCE_COUNTERS, flags[w]);
}

static void replay_adjustment(const replay_event *event, lockstep_port *ports[4], unsigned *used, unsigned n)
{
	flight f = {.warp = (uint8_t)replay_value(event, 0, MACHINE_WARPS), .primary = (uint8_t)replay_value(event, 1, FENCE_COUNTERS + 1)};
	if (ports && *used == n)
		replay_refuse("more adjustments in a cycle than the module has ports");
	if (ports)
		put_event(ports, (*used)++, &f, replay_value(event, 2, HD_GROUPS + 1));
	rows.outstanding[f.warp] = (uint16_t)event->values[4];
	rows.full[f.warp] = (uint16_t)event->values[5];
}

/* Phases 1 and 2. */
static void replay_pipes(const replay_event *all, unsigned n)
{
	lockstep_port *writes[4] = {written_valid, written_warp, written_counter, written_groups};
	lockstep_port *releases[4] = {released_valid, released_warp, released_counter, released_groups};
	unsigned used[2] = {0};
	const replay_event *ticks[PIPES] = {0}, *leaves[PIPES] = {0};
	lockstep_zero(written_valid);
	lockstep_zero(released_valid);
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind == HD_RECORD_FENCE_WRITTEN)
			replay_adjustment(event, writes, &used[0], WRITES);
		else if (event->kind == HD_RECORD_FENCE_RELEASED)
			replay_adjustment(event, releases, &used[1], PIPES);
		else if (event->kind == HD_RECORD_WAIT_LEFT)
			rows.waited[replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[2];
		else if (event->kind == HD_RECORD_QUEUE)
			ticks[replay_value(event, 0, PIPES)] = event;
		else if (event->kind == HD_RECORD_LEAVES)
			leaves[replay_value(event, 0, PIPES)] = event;
	}
	for (unsigned p = 0; p < PIPES; p++)
		lockstep_put(leave_ready, p, 1, !ticks[p] || ticks[p]->values[1]);
	lockstep_eval();
	for (unsigned p = 0; p < PIPES; p++) {
		lockstep_expect(leave_valid, p, 1, leaves[p] != NULL);
		lockstep_expect(waiting, p, 1, ticks[p] && ticks[p]->values[3]);
		if (ticks[p])
			rows.inside[p] = (unsigned)(ticks[p]->values[4] + ticks[p]->values[5]);
		if (!leaves[p])
			continue;
		lockstep_expect(leave_warp, p * WARP_BITS, WARP_BITS, leaves[p]->values[1]);
		lockstep_expect(leave_payload, p * PAYLOAD_BITS, PAYLOAD_BITS, leaves[p]->values[3]);
	}
	replay_row(full, rows.full);
}

/* Phase 3. */
static void replay_decoder(const replay_event *check, const replay_event *pushed)
{
	bool sent = check && !check->values[8];
	lockstep_put(valid, 0, 1, check != NULL);
	if (check) {
		unsigned w = replay_value(check, 0, MACHINE_WARPS), at = replay_value(check, 2, PIPES);
		if (sent != (pushed != NULL))
			replay_refuse("an instruction that is sent and not pushed, or the reverse");
		lockstep_put(warp_port, 0, WARP_BITS, w);
		lockstep_put(pc, 0, 32, check->values[1]);
		lockstep_put(pipe, 0, PIPE_BITS, at);
		lockstep_put(at_issue, 0, FENCE_COUNTERS, replay_value(check, 3, ALL + 1));
		lockstep_put(primary, 0, COUNTER_BITS, replay_value(check, 4, FENCE_COUNTERS + 1));
		lockstep_put(payload, 0, PAYLOAD_BITS, check->values[1]);
		if (pushed) {
			uint64_t cycles = pushed->values[4] - rows.counted[w];
			if (replay_value(pushed, 0, PIPES) != at || replay_value(pushed, 1, MACHINE_WARPS) != w ||
			    pushed->values[4] < rows.counted[w])
				replay_refuse("the instruction that is pushed is not the one that was checked");
			lockstep_put(at_queue, 0, FENCE_COUNTERS, replay_value(pushed, 2, ALL + 1));
			lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(cycles, QUEUE_SPACING));
			rows.counted[w] = pushed->values[4];
			rows.inside[at]++;
		}
	}
	lockstep_eval();
	lockstep_expect(send, 0, 1, sent);
	lockstep_expect(deschedule, 0, 1, check && !sent);
	lockstep_expect(wrong, 0, 1, 0);
	if (!check || sent)
		return;
	lockstep_expect(verdict_port, 0, 2, check->values[8]);
	lockstep_expect(watch_port, 0, FENCE_COUNTERS, check->values[9]);
	lockstep_expect(deschedule_warp, 0, WARP_BITS, check->values[0]);
	lockstep_expect(deschedule_pc, 0, 32, check->values[1]);
}

void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *check = NULL, *pushed = NULL;
	lockstep_put(valid, 0, 1, 0);
	lockstep_zero(begin_warps);
	replay_pipes(all, n);
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		if (event->kind == HD_RECORD_CHECKED && event->values[2] < PIPES) {
			if (check)
				replay_refuse("two instructions are decoded in a cycle");
			check = event;
		} else if (event->kind == HD_RECORD_PUSHED) {
			pushed = event;
		} else if (event->kind == HD_RECORD_FENCE_RAISED) {
			replay_adjustment(event, NULL, NULL, 0);
		} else if (event->kind == HD_RECORD_WAIT_SENT) {
			rows.waited[replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[2];
		} else if (event->kind == HD_RECORD_WARP) {
			lockstep_put(begin_warps, replay_value(event, 0, MACHINE_WARPS), 1, 1);
		}
	}
	replay_decoder(check, pushed);
	lockstep_clock();
	bool empty = true;
	for (unsigned p = 0; p < PIPES; p++)
		empty &= !rows.inside[p];
	lockstep_expect(idle, 0, 1, empty);
	replay_row(outstanding, rows.outstanding);
	replay_row(waited, rows.waited);
}
#endif
