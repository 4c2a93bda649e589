/* HZ-28, HW-4: decode_check.sv against hd_decoder_check of src/core/issue/decode.h (HZ-18, HZ-21). MACHINE_WARPS and FENCE_COUNTERS are the module's
 * parameters. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/issue/decode.h"

enum { WARP_BITS = RTL_CLOG2(MACHINE_WARPS), COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1), ALL = (1 << FENCE_COUNTERS) - 1 };

enum { SENT, SENT_PRIMARY, HIGH_LATENCY, WAITERS, ROOM, BOTH, ALL_THREE, NO_ROOM_IN_QUEUE, OTHER_WARP };
lockstep_bin bench_bins[] = {
    [SENT] = {"an instruction without a primary is sent"},
    [SENT_PRIMARY] = {"a primary is sent"},
    [HIGH_LATENCY] = {"a high-latency counter is outstanding"},
    [WAITERS] = {"secondaries wait for the own counter"},
    [ROOM] = {"the own counter is full"},
    [BOTH] = {"the own counter is full and waited for"},
    [ALL_THREE] = {"all three causes at once"},
    [NO_ROOM_IN_QUEUE] = {"the queue has no room"},
    [OTHER_WARP] = {"only flags of other warps are set"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static lockstep_port *valid, *warp_port, *pc, *at_issue, *primary, *queue_ready, *outstanding, *full, *waited;
static lockstep_port *send, *deschedule, *deschedule_warp, *deschedule_pc, *verdict_port, *watch_port;

#ifdef LOCKSTEP_REPLAY
/* The flags of all warps, as the events of the counters tell them. */
static uint16_t rows[3][MACHINE_WARPS];
#endif

void bench_start(void)
{
#ifdef LOCKSTEP_REPLAY
	memset(rows, 0, sizeof rows);
#endif
	valid = lockstep_find("valid");
	warp_port = lockstep_find("warp");
	pc = lockstep_find("pc");
	at_issue = lockstep_find("at_issue");
	primary = lockstep_find("primary");
	queue_ready = lockstep_find("queue_ready");
	outstanding = lockstep_find("outstanding");
	full = lockstep_find("full");
	waited = lockstep_find("waited");
	send = lockstep_find("send");
	deschedule = lockstep_find("deschedule");
	deschedule_warp = lockstep_find("deschedule_warp");
	deschedule_pc = lockstep_find("deschedule_pc");
	verdict_port = lockstep_find("verdict");
	watch_port = lockstep_find("watch");
}

/* Random flags of all warp slots, on the port and in flags[]. */
static void put_flags(lockstep_port *port, uint32_t flags[MACHINE_WARPS])
{
	unsigned kind = lockstep_below(3);
	for (unsigned w = 0; w < MACHINE_WARPS; w++) {
		flags[w] = (uint32_t)lockstep_random() & ALL & (kind == 0 ? 0 : kind == 1 ? (uint32_t)(lockstep_random() & lockstep_random()) : ALL);
		lockstep_put(port, w * FENCE_COUNTERS, FENCE_COUNTERS, flags[w]);
	}
}

void bench_cycle(void)
{
	uint32_t flags[3][MACHINE_WARPS];
	uint16_t watch = 0;
	unsigned warp = lockstep_below(MACHINE_WARPS);
	bool on = lockstep_chance(90), ready = lockstep_chance(80);
	uint32_t address = (uint32_t)lockstep_random();
	hd_static row = {.at_issue = (uint16_t)(lockstep_random() & lockstep_random() & ALL), .primary = (uint8_t)lockstep_below(FENCE_COUNTERS + 1)};
	if (lockstep_chance(30))
		row.at_issue = 0;
	put_flags(outstanding, flags[0]);
	put_flags(full, flags[1]);
	put_flags(waited, flags[2]);
	lockstep_put(valid, 0, 1, on);
	lockstep_put(warp_port, 0, WARP_BITS, warp);
	lockstep_put(pc, 0, 32, address);
	lockstep_put(at_issue, 0, FENCE_COUNTERS, row.at_issue);
	lockstep_put(primary, 0, COUNTER_BITS, row.primary);
	lockstep_put(queue_ready, 0, 1, ready);
	hd_verdict verdict = hd_decoder_check(&row, flags[0][warp], flags[1][warp], flags[2][warp], &watch);

	lockstep_clock();
	lockstep_expect(send, 0, 1, on && ready && verdict == HD_SEND);
	lockstep_expect(deschedule, 0, 1, on && ready && verdict != HD_SEND);
	lockstep_expect(deschedule_warp, 0, WARP_BITS, warp);
	lockstep_expect(deschedule_pc, 0, 32, address);
	lockstep_expect(verdict_port, 0, 2, verdict);
	lockstep_expect(watch_port, 0, FENCE_COUNTERS, watch);

	uint32_t own = row.primary ? 1u << (row.primary - 1) : 0;
	bool late = row.at_issue & flags[0][warp], is_full = own & flags[1][warp], is_waited = own & flags[2][warp], others = false;
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		others |= w != warp && row.at_issue & flags[0][w];
	lockstep_cover_if(SENT, verdict == HD_SEND && !own);
	lockstep_cover_if(SENT_PRIMARY, verdict == HD_SEND && own);
	lockstep_cover_if(HIGH_LATENCY, verdict == HD_WAIT_FENCE);
	lockstep_cover_if(WAITERS, verdict == HD_WAIT_WAITERS);
	lockstep_cover_if(ROOM, verdict == HD_WAIT_ROOM);
	lockstep_cover_if(BOTH, is_full && is_waited);
	lockstep_cover_if(ALL_THREE, late && is_full && is_waited);
	lockstep_cover_if(NO_ROOM_IN_QUEUE, on && !ready);
	lockstep_cover_if(OTHER_WARP, others && !late);
}

#ifdef LOCKSTEP_REPLAY
static void replay_check(const replay_event *event)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS);
	bool sent = !event->values[8];
	for (unsigned i = 0; i < 3; i++)
		replay_expect("flags of the warp", rows[i][warp], event->values[5 + i]);
	lockstep_put(valid, 0, 1, 1);
	lockstep_put(queue_ready, 0, 1, 1);
	lockstep_put(warp_port, 0, WARP_BITS, warp);
	lockstep_put(pc, 0, 32, event->values[1]);
	lockstep_put(at_issue, 0, FENCE_COUNTERS, replay_value(event, 3, ALL + 1));
	lockstep_put(primary, 0, COUNTER_BITS, replay_value(event, 4, FENCE_COUNTERS + 1));
	for (unsigned w = 0; w < MACHINE_WARPS; w++) {
		lockstep_put(outstanding, w * FENCE_COUNTERS, FENCE_COUNTERS, rows[0][w]);
		lockstep_put(full, w * FENCE_COUNTERS, FENCE_COUNTERS, rows[1][w]);
		lockstep_put(waited, w * FENCE_COUNTERS, FENCE_COUNTERS, rows[2][w]);
	}
	lockstep_eval();
	lockstep_expect(send, 0, 1, sent);
	lockstep_expect(deschedule, 0, 1, !sent);
	lockstep_expect(deschedule_warp, 0, WARP_BITS, warp);
	lockstep_expect(deschedule_pc, 0, 32, event->values[1]);
	lockstep_expect(verdict_port, 0, 2, event->values[8]);
	lockstep_expect(watch_port, 0, FENCE_COUNTERS, event->values[9]);
}

void bench_replay(const replay_event *all, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		switch (event->kind) {
		case HD_RECORD_FENCE_WRITTEN:
		case HD_RECORD_FENCE_RELEASED:
		case HD_RECORD_FENCE_RAISED:
			rows[0][replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[4];
			rows[1][replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[5];
			break;
		case HD_RECORD_WAIT_LEFT:
		case HD_RECORD_WAIT_SENT:
			rows[2][replay_value(event, 0, MACHINE_WARPS)] = (uint16_t)event->values[2];
			break;
		case HD_RECORD_CHECKED:
			replay_check(event);
			break;
		default:
			break;
		}
	}
	lockstep_clock();
}
#endif
