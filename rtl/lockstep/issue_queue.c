/* HZ-28, HW-4: issue_queue.sv against src/core/execute/queue.c (HZ-10 to HZ-15, docs/timing.md rule 2). The C unit keeps 64-bit cycle numbers, the
 * module counters that stop at QUEUE_SPACING. The bench compares them in every cycle. The macros MACHINE_WARPS to PAYLOAD_BITS are the parameters of
 * the module. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/queue.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	SPACING_BITS = QUEUE_SPACING ? RTL_CLOG2(QUEUE_SPACING + 1) : 1,
	HAZARD_BITS = RTL_CLOG2(QUEUE_HAZARD + 1),
	FIFO_BITS = RTL_CLOG2(QUEUE_FIFO + 1),
	ENTRY_BITS = WARP_BITS + FENCE_COUNTERS + SPACING_BITS + PAYLOAD_BITS,
	ALL = (1 << FENCE_COUNTERS) - 1,
};

enum {
	PASSES,
	SECONDARY_PASSES,
	FIFO_FULL,
	HAZARD_FULL,
	WAITING,
	OVERTAKES,
	BOTH_OFFER,
	MOVES_AND_TAKES,
	CHAIN,
	SPACED,
	LONG,
	BEGINS,
	SEVERAL_BEGIN,
	LAST_AND_NEXT,
	ROOM_NOW,
	HELD,
	EMPTY
};
lockstep_bin bench_bins[] = {
    [PASSES] = {"an instruction without a mask passes from the FIFO"},
    [SECONDARY_PASSES] = {"a secondary with clear counters passes from the FIFO"},
    [FIFO_FULL] = {"the FIFO is full"},
    [HAZARD_FULL] = {"the hazard queue is full"},
    [WAITING] = {"a hazard waits in the FIFO for a full hazard queue"},
    [OVERTAKES] = {QUEUE_HAZARD > 1 ? "a hazard entry leaves before an older one of another warp" : NULL},
    [BOTH_OFFER] = {"FIFO and hazard queue offer an instruction"},
    [MOVES_AND_TAKES] = {QUEUE_HAZARD > 1 ? "one instruction enters the hazard queue and another one leaves it" : NULL},
    [CHAIN] = {QUEUE_HAZARD > 2 ? "three hazard entries of one warp" : NULL},
    [SPACED] = {QUEUE_SPACING ? "only its distance holds an instruction back" : NULL},
    [LONG] = {QUEUE_SPACING ? "a distance longer than what the queue keeps" : NULL},
    [BEGINS] = {"another warp begins in a slot"},
    [SEVERAL_BEGIN] = {"other warps begin in several slots"},
    [LAST_AND_NEXT] = {QUEUE_HAZARD > 1 ? "an entry leaves while the next of its warp moves behind it" : NULL},
    [ROOM_NOW] = {"a full FIFO takes an instruction because its head leaves"},
    [HELD] = {"the pipe takes nothing while an instruction could leave"},
    [EMPTY] = {"the queue becomes empty"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_queue queue;
static uint16_t flags[HD_WARP_SLOTS];
static uint64_t now = 1000, counted[MACHINE_WARPS];              /* counted <= now, as in the machine */
static unsigned inside[MACHINE_WARPS];                           /* instructions of each warp in the queue */
static unsigned pushing, clearing, setting, ready_chance, warps; /* percent; the last: warps in use */
static lockstep_port *push_valid, *push_ready, *push_warp, *push_wait, *push_payload, *advance_valid, *advance_warp, *advance_cycles, *begin_warps,
    *outstanding, *leave_valid, *leave_ready, *leave_warp, *leave_wait, *leave_payload, *fifo_n, *hazard_n, *waiting, *fifo, *hazard, *behind, *older,
    *since, *distance;

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(push_valid),   LOCKSTEP_PORT(push_ready),    LOCKSTEP_PORT(push_warp),     LOCKSTEP_PORT(push_wait),
	    LOCKSTEP_PORT(push_payload), LOCKSTEP_PORT(advance_valid), LOCKSTEP_PORT(advance_warp),  LOCKSTEP_PORT(advance_cycles),
	    LOCKSTEP_PORT(begin_warps),  LOCKSTEP_PORT(outstanding),   LOCKSTEP_PORT(leave_valid),   LOCKSTEP_PORT(leave_ready),
	    LOCKSTEP_PORT(leave_warp),   LOCKSTEP_PORT(leave_wait),    LOCKSTEP_PORT(leave_payload), LOCKSTEP_PORT(fifo_n),
	    LOCKSTEP_PORT(hazard_n),     LOCKSTEP_PORT(waiting),       LOCKSTEP_PORT(fifo),          LOCKSTEP_PORT(hazard),
	    LOCKSTEP_PORT(behind),       LOCKSTEP_PORT(older),         LOCKSTEP_PORT(since),         LOCKSTEP_PORT(distance),
	};
	lockstep_find_all(names, HD_COUNT(names));
	hd_queue_free(&queue, NULL);
	memset(&queue, 0, sizeof queue);
	memset(flags, 0, sizeof flags);
	hd_queue_init(&queue, (hd_queue_sizes){QUEUE_FIFO, QUEUE_HAZARD}, QUEUE_SPACING, NULL);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		counted[warp] = 500;
}

static void another_phase(void)
{
	pushing = lockstep_below(101);
	clearing = lockstep_below(60);
	setting = lockstep_below(30);
	ready_chance = lockstep_chance(50) ? 100 : 20 + lockstep_below(80);
	warps = lockstep_chance(50) ? 1 + lockstep_below(MACHINE_WARPS) : MACHINE_WARPS;
}

static void change_flags(void)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		uint64_t bits = lockstep_random();
		if (lockstep_chance(clearing))
			flags[warp] &= (uint16_t)bits;
		if (lockstep_chance(setting))
			flags[warp] |= (uint16_t)(bits >> 16 & bits >> 32 & ALL);
		lockstep_put(outstanding, warp * FENCE_COUNTERS, FENCE_COUNTERS, flags[warp]);
	}
}

/* The cycle's first phase in C. */
static bool tick(hd_sent *out)
{
	bool ready = lockstep_chance(ready_chance);
	uint32_t hazards = queue.hazard_n, fifos = queue.fifo_n;
	unsigned oldest = hazards ? queue.age[0] : 0;
	uint8_t entry_of_head = fifos ? queue.last[queue.fifo[queue.fifo_head].warp] : HD_NO_ENTRY;
	const hd_sent *head = &queue.fifo[queue.fifo_head];
	hd_sent first = fifos ? *head : (hd_sent){0};
	bool head_free = fifos && entry_of_head == HD_NO_ENTRY && !(head->wait & flags[head->warp]);
	bool head_near = fifos && queue.of[head->warp].entered + head->gap <= now;
	hd_queue_times times;
	lockstep_put(leave_ready, 0, 1, ready);
	uint64_t accept = ready ? now : now + 1;
	bool leaves = lockstep_chance(50) && hd_queue_passes(&queue, flags, now) ? hd_queue_pass(&queue, now, accept, out)
	                                                                         : hd_queue_tick(&queue, flags, now, accept, out, &times);

	bool moved = fifos - queue.fifo_n == 1 && !(leaves && hazards == queue.hazard_n && head_free && head_near && out->number == first.number);
	bool taken = leaves && !(fifos && out->number == first.number);
	lockstep_cover_if(PASSES, leaves && !taken && !out->wait);
	lockstep_cover_if(SECONDARY_PASSES, leaves && !taken && out->wait);
	lockstep_cover_if(HAZARD_FULL, queue.hazard_n == QUEUE_HAZARD);
	lockstep_cover_if(WAITING, queue.waiting);
	lockstep_cover_if(OVERTAKES, taken && hazards > 1 && queue.hazard[oldest].number < out->number && queue.hazard[oldest].warp != out->warp);
	lockstep_cover_if(BOTH_OFFER, taken && head_free && head_near);
	lockstep_cover_if(MOVES_AND_TAKES, taken && moved);
	lockstep_cover_if(LAST_AND_NEXT, taken && moved && first.warp == out->warp);
	lockstep_cover_if(SPACED, head_free && !head_near);
	lockstep_cover_if(HELD, !ready && head_free && head_near);
	lockstep_cover_if(EMPTY, leaves && hd_queue_empty(&queue));
	if (leaves)
		inside[out->warp]--;
	return leaves;
}

/* The cycle's second phase in C, and its inputs. */
static void issue(bool was_full)
{
	static uint32_t number;
	unsigned warp = lockstep_below(warps);
	uint64_t cycles = hd_min_u64(lockstep_chance(70) ? lockstep_below(4) : lockstep_below(2 * QUEUE_SPACING + 3), now - counted[warp]);
	bool on = lockstep_chance(60), push = on && lockstep_chance(pushing), full = hd_queue_full(&queue);
	hd_sent sent = {.cycle = now, .number = ++number, .warp = (uint8_t)warp};
	sent.pc = (uint32_t)(number & ((UINT64_C(1) << PAYLOAD_BITS) - 1));
	sent.wait = (uint16_t)(lockstep_chance(60) ? lockstep_random() & lockstep_random() & ALL : 0);
	lockstep_put(push_valid, 0, 1, push);
	lockstep_put(push_warp, 0, WARP_BITS, warp);
	lockstep_put(push_wait, 0, FENCE_COUNTERS, sent.wait);
	lockstep_put(push_payload, 0, PAYLOAD_BITS, sent.pc);
	on = on && !(push && full); /* an instruction that its queue does not take does not issue */
	lockstep_put(advance_valid, 0, 1, on);
	lockstep_put(advance_warp, 0, WARP_BITS, warp);
	lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(cycles, QUEUE_SPACING));
	lockstep_cover_if(FIFO_FULL, full);
	if (on)
		counted[warp] += cycles;
	if (!push || full)
		return;
	lockstep_cover_if(ROOM_NOW, was_full);
	lockstep_cover_if(LONG, counted[warp] - queue.of[warp].counted > QUEUE_SPACING);
	hd_queue_push(&queue, &sent, counted[warp]);
	inside[warp]++;
}

static void begin(void)
{
	bool any = lockstep_chance(3);
	unsigned n = 0;
	lockstep_zero(begin_warps);
	for (unsigned warp = 0; any && warp < MACHINE_WARPS; warp++) {
		if (lockstep_chance(50) || inside[warp] || (lockstep_get(push_valid, 0, 1) && lockstep_get(push_warp, 0, WARP_BITS) == warp) ||
		    (lockstep_get(advance_valid, 0, 1) && lockstep_get(advance_warp, 0, WARP_BITS) == warp))
			continue;
		lockstep_put(begin_warps, warp, 1, 1);
		hd_queue_warp(&queue, warp);
		n++;
	}
	lockstep_cover_if(BEGINS, n == 1);
	lockstep_cover_if(SEVERAL_BEGIN, n > 1);
}

static void compare_entry(const lockstep_port *port, unsigned at, const hd_sent *sent)
{
	unsigned first = at * ENTRY_BITS;
	lockstep_expect(port, first, PAYLOAD_BITS, sent->pc);
	lockstep_expect(port, first + PAYLOAD_BITS, SPACING_BITS, sent->gap);
	lockstep_expect(port, first + PAYLOAD_BITS + SPACING_BITS, FENCE_COUNTERS, sent->wait);
	lockstep_expect(port, first + PAYLOAD_BITS + SPACING_BITS + FENCE_COUNTERS, WARP_BITS, sent->warp);
}

static void compare_state(void)
{
	unsigned chain = 0;
	lockstep_expect(fifo_n, 0, FIFO_BITS, queue.fifo_n);
	lockstep_expect(hazard_n, 0, HAZARD_BITS, queue.hazard_n);
	for (unsigned i = 0; i < queue.fifo_n; i++)
		compare_entry(fifo, i, &queue.fifo[(queue.fifo_head + i) % queue.fifo_size]);
	for (unsigned i = 0; i < queue.hazard_n; i++) {
		const hd_info *info = &queue.info[queue.age[i]];
		compare_entry(hazard, i, &queue.hazard[queue.age[i]]);
		lockstep_expect(behind, i, 1, info->older != HD_NO_ENTRY);
		chain += info->older != HD_NO_ENTRY;
		for (unsigned j = 0; j < i; j++) {
			if (queue.age[j] == info->older)
				lockstep_expect(older, i * HAZARD_BITS, HAZARD_BITS, j);
		}
	}
	lockstep_cover_if(CHAIN, chain > 1 && queue.hazard_n == chain + 1);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		lockstep_expect(since, warp * SPACING_BITS, SPACING_BITS, hd_min_u64(now - queue.of[warp].entered, QUEUE_SPACING));
		lockstep_expect(distance, warp * SPACING_BITS, SPACING_BITS, hd_min_u64(counted[warp] - queue.of[warp].counted, QUEUE_SPACING));
	}
}

void bench_cycle(void)
{
	hd_sent out = {0};
	if (lockstep_chance(1) || !warps)
		another_phase();
	change_flags();
	bool was_full = hd_queue_full(&queue);
	bool leaves = tick(&out), ready_to_push = !hd_queue_full(&queue), is_waiting = queue.waiting;
	issue(was_full);
	begin();
	lockstep_eval();
	lockstep_expect(leave_valid, 0, 1, leaves);
	if (leaves) {
		lockstep_expect(leave_warp, 0, WARP_BITS, out.warp);
		lockstep_expect(leave_wait, 0, FENCE_COUNTERS, out.wait);
		lockstep_expect(leave_payload, 0, PAYLOAD_BITS, out.pc);
	}
	lockstep_expect(push_ready, 0, 1, ready_to_push);
	lockstep_expect(waiting, 0, 1, is_waiting);
	lockstep_clock();
	now++;
	compare_state();
}

#ifdef LOCKSTEP_REPLAY
/* The queue of pipe `replay_instance`. Its entries are not recorded: the C unit here has the machine's inputs. What leaves, `waiting` and the numbers
 * of entries are compared with the machine's. */
enum { BEFORE = 1000 }; /* counts begin here, so the first instruction of a warp has a distance that no queue keeps */

static void replay_tick(const replay_event *event, const replay_event *leaves)
{
	hd_sent out = {0};
	hd_queue_times times;
	bool ready = replay_value(event, 1, 2);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		lockstep_put(outstanding, warp * FENCE_COUNTERS, FENCE_COUNTERS, flags[warp]);
	lockstep_put(leave_ready, 0, 1, ready);
	bool left = hd_queue_tick(&queue, flags, now, ready ? now : now + 1, &out, &times);
	replay_expect("leave_valid", left, leaves != NULL);
	replay_expect("waiting", queue.waiting, event->values[3]);
	replay_expect("fifo_n", queue.fifo_n, event->values[4]);
	replay_expect("hazard_n", queue.hazard_n, event->values[5]);
	if (!leaves)
		return;
	replay_expect("leave_warp", out.warp, leaves->values[1]);
	replay_expect("leave_wait", out.wait, leaves->values[2]);
	replay_expect("leave_payload", out.pc, leaves->values[3]);
}

/* An instruction issues, to this queue or, where a warp issues one instruction a cycle, to another one. */
static void replay_issue(const replay_event *event, bool here, bool *advanced)
{
	unsigned warp = replay_value(event, event->kind == HD_RECORD_PUSHED, MACHINE_WARPS);
	uint64_t count = event->values[event->kind == HD_RECORD_PUSHED ? 4 : 1] + BEFORE;
	if (*advanced || count < counted[warp])
		replay_refuse("two instructions in a cycle, or counts that fall");
	*advanced = true;
	lockstep_put(advance_valid, 0, 1, 1);
	lockstep_put(advance_warp, 0, WARP_BITS, warp);
	lockstep_put(advance_cycles, 0, SPACING_BITS, hd_min_u64(count - counted[warp], QUEUE_SPACING));
	counted[warp] = count;
	if (!here)
		return;
	bool first = !queue.of[warp].counted;
	hd_sent sent = {
	    .cycle = now, .warp = (uint8_t)warp, .wait = (uint16_t)replay_value(event, 2, ALL + 1), .pc = replay_value(event, 3, UINT32_MAX)};
	if (hd_queue_full(&queue))
		replay_refuse("an instruction for a full queue");
	lockstep_put(push_valid, 0, 1, 1);
	lockstep_put(push_warp, 0, WARP_BITS, warp);
	lockstep_put(push_wait, 0, FENCE_COUNTERS, sent.wait);
	lockstep_put(push_payload, 0, PAYLOAD_BITS, sent.pc);
	hd_queue_push(&queue, &sent, count);
	if (!first)
		replay_expect("gap", queue.fifo[(queue.fifo_head + queue.fifo_n - 1) % queue.fifo_size].gap, event->values[5]);
}

void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *tick_event = NULL, *leaves = NULL;
	bool advanced = false, together = replay_head("multi_issue.window") <= 1;
	lockstep_zero(push_valid);
	lockstep_zero(advance_valid);
	lockstep_zero(begin_warps);
	lockstep_put(leave_ready, 0, 1, 1);
	for (unsigned i = 0; i < n; i++) {
		if (all[i].kind == HD_RECORD_QUEUE && all[i].values[0] == replay_instance)
			tick_event = &all[i];
		if (all[i].kind == HD_RECORD_LEAVES && all[i].values[0] == replay_instance)
			leaves = &all[i];
	}
	/* Flags are those behind the writes of the cycle: reads and drops come behind the queues (HZ-8). */
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_FENCE_WRITTEN)
			flags[replay_value(&all[i], 0, MACHINE_WARPS)] = (uint16_t)all[i].values[4];
	if (tick_event)
		replay_tick(tick_event, leaves);
	bool room = !hd_queue_full(&queue), waits = tick_event && queue.waiting;
	for (unsigned i = 0; i < n; i++) {
		bool here = all[i].kind == HD_RECORD_PUSHED && all[i].values[0] == replay_instance;
		if (all[i].kind == HD_RECORD_FENCE_RELEASED || all[i].kind == HD_RECORD_FENCE_RAISED)
			flags[replay_value(&all[i], 0, MACHINE_WARPS)] = (uint16_t)all[i].values[4];
		if (here || (together && (all[i].kind == HD_RECORD_PUSHED || all[i].kind == HD_RECORD_COUNTED)))
			replay_issue(&all[i], here, &advanced);
		if (all[i].kind == HD_RECORD_WARP) {
			unsigned warp = replay_value(&all[i], 0, MACHINE_WARPS);
			lockstep_put(begin_warps, warp, 1, 1);
			hd_queue_warp(&queue, warp);
		}
	}
	lockstep_eval();
	lockstep_expect(leave_valid, 0, 1, leaves != NULL);
	if (leaves) {
		lockstep_expect(leave_warp, 0, WARP_BITS, leaves->values[1]);
		lockstep_expect(leave_wait, 0, FENCE_COUNTERS, leaves->values[2]);
		lockstep_expect(leave_payload, 0, PAYLOAD_BITS, leaves->values[3]);
	}
	lockstep_expect(push_ready, 0, 1, room);
	lockstep_expect(waiting, 0, 1, waits);
	lockstep_clock();
	now++;
	compare_state();
}
#endif
