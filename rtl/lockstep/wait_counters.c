/* HW-4: wait_counters.sv against src/core/issue/wait_counters.h (HZ-17, HZ-22). The macros MACHINE_WARPS to SENDS are the parameters of the module.
 */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/issue/wait_counters.h"

enum { WARP_BITS = RTL_CLOG2(MACHINE_WARPS), MOST = (1 << WAIT_BITS) - 1, ALL = (1 << FENCE_COUNTERS) - 1 };

enum { RISES, FALLS, NET_ZERO, TWO_LEAVE, SEVERAL, LAST, ABOVE, BELOW, AGAIN };
lockstep_bin bench_bins[] = {
    [RISES] = {"a wait counter leaves zero"},
    [FALLS] = {"a wait counter becomes zero"},
    [NET_ZERO] = {"a secondary leaves and another one is sent"},
    [TWO_LEAVE] = {"two secondaries of one warp leave"},
    [SEVERAL] = {"one secondary waits for several counters"},
    [LAST] = {"a wait counter is at the end of its range"},
    [ABOVE] = {"illegal: a wait counter rises above its range"},
    [BELOW] = {"illegal: a wait counter falls below zero"},
    [AGAIN] = {"a wait counter becomes zero and rises in one cycle"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_waiters waiters;
static lockstep_port *leave_valid, *leave_warp, *leave_mask, *send_valid, *send_warp, *send_mask, *waited, *waited_left, *cleared, *value, *wrong;
static unsigned rising, falling, hot;

void bench_start(void)
{
	leave_valid = lockstep_find("leave_valid");
	leave_warp = lockstep_find("leave_warp");
	leave_mask = lockstep_find("leave_mask");
	send_valid = lockstep_find("send_valid");
	send_warp = lockstep_find("send_warp");
	send_mask = lockstep_find("send_mask");
	waited = lockstep_find("waited");
	waited_left = lockstep_find("waited_left");
	cleared = lockstep_find("cleared");
	value = lockstep_find("value");
	wrong = lockstep_find("wrong");
	memset(&waiters, 0, sizeof waiters);
}

static void put(lockstep_port *valid, lockstep_port *warps, lockstep_port *masks, unsigned i, bool on, unsigned warp, uint32_t mask)
{
	lockstep_put(valid, i, 1, on);
	lockstep_put(warps, i * WARP_BITS, WARP_BITS, warp);
	lockstep_put(masks, i * FENCE_COUNTERS, FENCE_COUNTERS, mask);
}

static unsigned some_warp(void) { return hot && lockstep_chance(90) ? 0 : lockstep_below(MACHINE_WARPS); }

/* Instructions leave. Returns true when an illegal one does; the C unit would stop the process, so it does not see it. */
static bool leave(uint32_t clear[MACHINE_WARPS], uint32_t fell[MACHINE_WARPS])
{
	bool illegal = false;
	unsigned of[MACHINE_WARPS] = {0};
	for (unsigned i = 0; i < LEAVES; i++) {
		unsigned warp = some_warp();
		uint32_t mask = (uint32_t)lockstep_random() & ALL, legal = mask & waiters.flags[warp];
		bool on = lockstep_chance(falling);
		if (!on || lockstep_below(2000) || legal == mask)
			mask = on ? legal : mask;
		else
			illegal = true;
		put(leave_valid, leave_warp, leave_mask, i, on, warp, mask);
		if (!on)
			continue;
		lockstep_cover_if(TWO_LEAVE, mask && of[warp]++);
		uint32_t now = hd_waiters_lower(&waiters, warp, legal);
		clear[warp] |= now;
		fell[warp] |= legal;
		lockstep_cover_if(FALLS, now != 0);
	}
	return illegal;
}

static bool send(const uint32_t clear[MACHINE_WARPS], const uint32_t fell[MACHINE_WARPS])
{
	bool illegal = false;
	for (unsigned i = 0; i < SENDS; i++) {
		unsigned warp = some_warp();
		uint32_t mask = (uint32_t)lockstep_random() & (lockstep_chance(30) ? ALL : (uint32_t)lockstep_random()) & ALL, over = 0;
		bool on = lockstep_chance(rising);
		for (unsigned c = 0; c < FENCE_COUNTERS; c++)
			over |= (uint32_t)(waiters.value[warp][c] >= MOST) << c;
		if (on && over & mask && !lockstep_below(50))
			illegal = true;
		else if (on)
			mask &= ~over;
		put(send_valid, send_warp, send_mask, i, on, warp, mask);
		if (!on)
			continue;
		lockstep_cover_if(RISES, mask & ~waiters.flags[warp]);
		lockstep_cover_if(SEVERAL, (mask & (mask - 1)) != 0);
		lockstep_cover_if(NET_ZERO, mask & fell[warp]);
		lockstep_cover_if(AGAIN, mask & clear[warp]);
		hd_waiters_raise(&waiters, warp, mask);
		for (unsigned c = 0; c < FENCE_COUNTERS; c++)
			lockstep_cover_if(LAST, waiters.value[warp][c] == MOST);
	}
	return illegal;
}

static void compare(const lockstep_port *port, const uint16_t *flags)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		lockstep_expect(port, warp * FENCE_COUNTERS, FENCE_COUNTERS, flags[warp]);
}

void bench_cycle(void)
{
	uint32_t clear[MACHINE_WARPS] = {0}, fell[MACHINE_WARPS] = {0};
	hd_waiters before = waiters, after;
	if (lockstep_chance(1)) {
		rising = lockstep_below(101);
		falling = lockstep_below(101);
		hot = lockstep_chance(50);
	}
	bool below = leave(clear, fell);
	after = waiters;
	bool above = send(clear, fell);
	lockstep_eval();
	compare(waited, before.flags);
	lockstep_expect(wrong, 0, 1, below || above);
	lockstep_cover_if(BELOW, below);
	lockstep_cover_if(ABOVE, above);
	if (below || above) {
		lockstep_reset();
		memset(&waiters, 0, sizeof waiters);
	} else {
		compare(waited_left, after.flags);
		for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
			lockstep_expect(cleared, warp * FENCE_COUNTERS, FENCE_COUNTERS, clear[warp]);
		lockstep_clock();
	}
	compare(waited, waiters.flags);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		for (unsigned c = 0; c < FENCE_COUNTERS; c++)
			lockstep_expect(value, (warp * FENCE_COUNTERS + c) * WAIT_BITS, WAIT_BITS, waiters.value[warp][c]);
	}
}

#ifdef LOCKSTEP_REPLAY
/* The values of the counters are not recorded: the C unit here has the machine's inputs, and its flags are compared with the machine's. */
static uint32_t replay_adjustment(const replay_event *event, unsigned *used)
{
	bool leaves = event->kind == HD_RECORD_WAIT_LEFT;
	unsigned warp = replay_value(event, 0, MACHINE_WARPS), mask = replay_value(event, 1, ALL + 1), clear = 0;
	if (*used == (leaves ? LEAVES : SENDS))
		replay_refuse("more adjustments in a cycle than the module has ports");
	if (leaves && mask & ~waiters.flags[warp])
		replay_refuse("a secondary leaves that was not sent");
	put(leaves ? leave_valid : send_valid, leaves ? leave_warp : send_warp, leaves ? leave_mask : send_mask, (*used)++, true, warp, mask);
	if (leaves)
		clear = hd_waiters_lower(&waiters, warp, mask);
	else
		hd_waiters_raise(&waiters, warp, mask);
	replay_expect("waited", waiters.flags[warp], event->values[2]);
	return clear;
}

void bench_replay(const replay_event *all, unsigned n)
{
	uint32_t clear[MACHINE_WARPS] = {0};
	hd_waiters before = waiters, after;
	unsigned used = 0, sent = 0;
	lockstep_zero(leave_valid);
	lockstep_zero(send_valid);
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_WAIT_LEFT)
			clear[replay_value(&all[i], 0, MACHINE_WARPS)] |= replay_adjustment(&all[i], &used);
	after = waiters;
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_WAIT_SENT)
			replay_adjustment(&all[i], &sent);
	lockstep_eval();
	compare(waited, before.flags);
	compare(waited_left, after.flags);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		lockstep_expect(cleared, warp * FENCE_COUNTERS, FENCE_COUNTERS, clear[warp]);
	lockstep_expect(wrong, 0, 1, 0);
	lockstep_clock();
	compare(waited, waiters.flags);
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		for (unsigned c = 0; c < FENCE_COUNTERS; c++)
			lockstep_expect(value, (warp * FENCE_COUNTERS + c) * WAIT_BITS, WAIT_BITS, waiters.value[warp][c]);
	}
}
#endif
