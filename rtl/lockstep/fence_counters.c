/* HZ-28, HW-4: fence_counters.sv against src/core/issue/fence_counters.h (HZ-5 to HZ-8). The macros MACHINE_WARPS to RAISES are the parameters of the
 * module. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/issue/fence_counters.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1),
	GROUP_BITS = 4,
	LIMIT = (1 << FENCE_BITS) - 1,
};

enum { RISES, FALLS_BY_WRITE, FALLS_BY_RELEASE, FULL, ROOM, LIMIT_REACHED, ALL_UP, NET_ZERO, BOTH_LOWER, TWO_WRITES, AGAIN, BELOW, ABOVE };
lockstep_bin bench_bins[] = {
    [RISES] = {"a counter leaves zero"},
    [FALLS_BY_WRITE] = {"a write makes a counter zero"},
    [FALLS_BY_RELEASE] = {"a read or drop makes a counter zero"},
    [FULL] = {"a counter becomes full"},
    [ROOM] = {"a full counter has room again"},
    [LIMIT_REACHED] = {"a counter is at the end of its range"},
    [ALL_UP] = {"all counters are outstanding"},
    [NET_ZERO] = {"raise and lower of one counter cancel out"},
    [BOTH_LOWER] = {"write and release lower one counter"},
    [TWO_WRITES] = {"two writes lower one counter"},
    [AGAIN] = {"a counter becomes zero and is raised in one cycle"},
    [BELOW] = {"illegal: a counter falls below zero"},
    [ABOVE] = {"illegal: a counter rises above its range"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

/* A group of input ports. */
typedef struct events {
	lockstep_port *valid, *warp, *counter, *groups;
} events;

static hd_fence fence;
static events written, released, raised;
static lockstep_port *outstanding, *outstanding_written, *outstanding_released, *full_released, *value, *wrong;
static unsigned rising, falling; /* percent, of the present phase of the stimulus */
static unsigned hot;             /* only the first counters are used; 0 = all */
static bool filling;             /* only counters that are zero are raised */

static events find(const char *valid, const char *warp, const char *counter, const char *groups)
{
	return (events){lockstep_find(valid), lockstep_find(warp), lockstep_find(counter), lockstep_find(groups)};
}

void bench_start(void)
{
	written = find("written_valid", "written_warp", "written_counter", "written_groups");
	released = find("released_valid", "released_warp", "released_counter", "released_groups");
	raised = find("raise_valid", "raise_warp", "raise_counter", "raise_groups");
	outstanding = lockstep_find("outstanding");
	outstanding_written = lockstep_find("outstanding_written");
	outstanding_released = lockstep_find("outstanding_released");
	full_released = lockstep_find("full_released");
	value = lockstep_find("value");
	wrong = lockstep_find("wrong");
	hd_fence_init(&fence, FENCE_BITS, HD_GROUPS);
}

static void put(const events *port, unsigned i, unsigned warp, unsigned counter, unsigned groups)
{
	lockstep_put(port->valid, i, 1, 1);
	lockstep_put(port->warp, i * WARP_BITS, WARP_BITS, warp);
	lockstep_put(port->counter, i * COUNTER_BITS, COUNTER_BITS, counter);
	lockstep_put(port->groups, i * GROUP_BITS, GROUP_BITS, groups);
}

/* Fills unused ports with what must not matter. */
static void noise(const events *port, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(port, i, lockstep_below(MACHINE_WARPS), lockstep_below(FENCE_COUNTERS + 1), lockstep_below(HD_GROUPS + 1));
	lockstep_zero(port->valid);
}

static void choose(unsigned *warp, unsigned *counter)
{
	unsigned of = hot && lockstep_chance(90) ? hot : MACHINE_WARPS * FENCE_COUNTERS, at = lockstep_below(of);
	*warp = at / FENCE_COUNTERS;
	*counter = at % FENCE_COUNTERS + 1;
}

/* Lowers counters in C, and puts the same on the ports. `illegal`: more than there is. */
static void lower(const events *port, unsigned n, unsigned bin, bool illegal, unsigned *seen)
{
	noise(port, n);
	for (unsigned i = 0; i < n; i++) {
		unsigned warp, counter;
		if (!lockstep_chance(falling))
			continue;
		choose(&warp, &counter);
		unsigned left = (unsigned)fence.value[warp][counter - 1], groups = 1 + lockstep_below(HD_GROUPS);
		if (fence.value[warp][counter - 1] < 0)
			continue;
		if (!illegal && left < groups)
			groups = left;
		if (!groups)
			continue;
		put(port, i, warp, counter, groups);
		unsigned change = hd_fence_lower(&fence, warp, counter, groups);
		lockstep_cover_if(bin, change & HD_FENCE_CLEAR);
		lockstep_cover_if(ROOM, change & HD_FENCE_ROOM);
		seen[warp * FENCE_COUNTERS + counter - 1] += 1u << 8 * (bin == FALLS_BY_RELEASE);
	}
}

static void raise_counters(const unsigned *seen, const hd_fence *before, bool illegal)
{
	noise(&raised, RAISES);
	for (unsigned i = 0; i < RAISES; i++) {
		unsigned warp, counter, groups = lockstep_chance(80) ? HD_GROUPS : lockstep_below(HD_GROUPS + 1);
		if (!lockstep_chance(rising))
			continue;
		choose(&warp, &counter);
		for (unsigned at = 0; filling && at < MACHINE_WARPS * FENCE_COUNTERS && fence.value[warp][counter - 1]; at++) {
			warp = at / FENCE_COUNTERS;
			counter = at % FENCE_COUNTERS + 1;
		}
		for (unsigned at = 0; illegal && at < MACHINE_WARPS * FENCE_COUNTERS && !(fence.full[warp] >> (counter - 1) & 1); at++) {
			warp = at / FENCE_COUNTERS;
			counter = at % FENCE_COUNTERS + 1;
		}
		const int16_t *now = &fence.value[warp][counter - 1];
		if (lockstep_chance(20) && *now < LIMIT && LIMIT - *now < HD_GROUPS * 2)
			groups = hd_min_u32(HD_GROUPS, (unsigned)(LIMIT - *now)); /* to the end of the range */
		if (illegal && fence.full[warp] >> (counter - 1) & 1)
			groups = HD_GROUPS;
		else if (*now + (int)groups > LIMIT)
			continue;
		put(&raised, i, warp, counter, groups);
		unsigned at = warp * FENCE_COUNTERS + counter - 1;
		lockstep_cover_if(RISES, !*now && groups);
		lockstep_cover_if(AGAIN, seen[at] && !*now && groups);
		bool was_full = fence.full[warp] >> (counter - 1) & 1;
		hd_fence_raise(&fence, warp, counter, groups);
		lockstep_cover_if(FULL, !was_full && fence.full[warp] >> (counter - 1) & 1);
		lockstep_cover_if(NET_ZERO, seen[at] && *now == before->value[warp][counter - 1]);
		lockstep_cover_if(LIMIT_REACHED, *now == LIMIT);
	}
}

static void compare_flags(const lockstep_port *port, const uint16_t *flags)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		lockstep_expect(port, warp * FENCE_COUNTERS, FENCE_COUNTERS, flags[warp]);
}

static void compare_values(void)
{
	bool all = true;
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		for (unsigned i = 0; i < FENCE_COUNTERS; i++)
			lockstep_expect(value, (warp * FENCE_COUNTERS + i) * FENCE_BITS, FENCE_BITS, (uint64_t)fence.value[warp][i]);
		all &= fence.flags[warp] == (1u << FENCE_COUNTERS) - 1;
	}
	lockstep_cover_if(ALL_UP, all);
}

void bench_cycle(void)
{
	unsigned seen[MACHINE_WARPS * FENCE_COUNTERS] = {0};
	hd_fence before = fence, after[2];
	unsigned warp, counter;
	if (lockstep_chance(1)) {
		rising = lockstep_below(101);
		falling = lockstep_below(101);
		hot = lockstep_chance(50) ? 1 + lockstep_below(4) : 0;
		filling = lockstep_chance(5);
		if (filling) {
			rising = 100;
			falling = hot = 0;
		}
	}
	bool illegal = !lockstep_below(500);
	lower(&written, WRITES, FALLS_BY_WRITE, illegal, seen);
	after[0] = fence;
	lower(&released, RELEASES, FALLS_BY_RELEASE, illegal, seen);
	after[1] = fence;
	raise_counters(seen, &before, illegal);
	for (unsigned i = 0; i < MACHINE_WARPS * FENCE_COUNTERS; i++) {
		lockstep_cover_if(BOTH_LOWER, seen[i] >> 8 && seen[i] & 255);
		lockstep_cover_if(TWO_WRITES, (seen[i] & 255) > 1);
	}

	lockstep_eval();
	compare_flags(outstanding, before.flags);
	compare_flags(outstanding_written, after[0].flags);
	compare_flags(outstanding_released, after[1].flags);
	compare_flags(full_released, after[1].full);
	bool bad = hd_fence_wrong(&fence, &warp, &counter);
	lockstep_expect(wrong, 0, 1, bad);
	if (bad) { /* the run of a machine stops here */
		lockstep_cover(fence.value[warp][counter - 1] < 0 ? BELOW : ABOVE);
		lockstep_reset();
		hd_fence_init(&fence, FENCE_BITS, HD_GROUPS);
	} else {
		lockstep_clock();
	}
	compare_flags(outstanding, fence.flags);
	compare_values();
}

#ifdef LOCKSTEP_REPLAY
/* Puts an adjustment on the next free port, and takes over what the machine's unit held behind it. */
static void replay_adjustment(const replay_event *event, const events *port, unsigned *used, unsigned ports)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS), counter = replay_value(event, 1, FENCE_COUNTERS + 1);
	if (*used == ports || !counter)
		replay_refuse("more adjustments in a cycle than the module has ports, or one of counter 0");
	put(port, (*used)++, warp, counter, replay_value(event, 2, HD_GROUPS + 1));
	fence.value[warp][counter - 1] = (int16_t)(uint16_t)event->values[3];
	fence.flags[warp] = (uint16_t)event->values[4];
	fence.full[warp] = (uint16_t)event->values[5];
}

void bench_replay(const replay_event *all, unsigned n)
{
	static const hd_record_kind kinds[3] = {HD_RECORD_FENCE_WRITTEN, HD_RECORD_FENCE_RELEASED, HD_RECORD_FENCE_RAISED};
	const events *ports[3] = {&written, &released, &raised};
	const unsigned sizes[3] = {WRITES, RELEASES, RAISES};
	hd_fence states[4] = {fence};
	for (unsigned phase = 0; phase < 3; phase++) {
		unsigned used = 0;
		lockstep_zero(ports[phase]->valid);
		for (unsigned i = 0; i < n; i++)
			if (all[i].kind == kinds[phase])
				replay_adjustment(&all[i], ports[phase], &used, sizes[phase]);
		states[phase + 1] = fence;
	}
	lockstep_eval();
	compare_flags(outstanding, states[0].flags);
	compare_flags(outstanding_written, states[1].flags);
	compare_flags(outstanding_released, states[2].flags);
	compare_flags(full_released, states[2].full);
	lockstep_expect(wrong, 0, 1, 0);
	lockstep_clock();
	compare_flags(outstanding, fence.flags);
	compare_values();
}
#endif
