/* HZ-28, HW-4: hazard_monitor.sv against src/core/issue/monitor.c (HZ-9, HZ-18, HZ-21, HZ-22). The C unit works on a scheduler with fence counters
 * and wait counters; the module gets their flags. The macros MACHINE_WARPS to READS are the parameters of the module. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/operands.h"
#include "core/issue/monitor.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	COUNTER_BITS = RTL_CLOG2(FENCE_COUNTERS + 1),
	GROUP_BITS = 4,
	ALL = (1 << FENCE_COUNTERS) - 1,
	BITS = 5, /* width of a counter: three primaries make it full */
};

enum {
	WRITTEN,
	READ,
	PART,
	NO_COUNTER,
	FENCE_WAKES,
	WAITERS_WAKE,
	ROOM_WAKES,
	ONE_OF_TWO,
	WRITE_WAKES,
	READ_WAKES,
	SEVERAL_WAKE,
	BEGINS,
	OTHER_FLAG,
	TWO_MESSAGES
};
lockstep_bin bench_bins[] = {
    [WRITTEN] = {"lane groups are written"},
    [READ] = {"lane groups are read"},
    [PART] = {"only some lane groups of a warp"},
    [NO_COUNTER] = {"what is written or read raised no counter"},
    [FENCE_WAKES] = {"a warp wakes because high-latency counters are clear"},
    [WAITERS_WAKE] = {"a warp wakes because nobody waits for its counter"},
    [ROOM_WAKES] = {"a warp wakes because its counter has room"},
    [ONE_OF_TWO] = {"one of two watched counters falls"},
    [WRITE_WAKES] = {"a write wakes a warp in its cycle"},
    [READ_WAKES] = {"a read wakes a warp in its cycle"},
    [SEVERAL_WAKE] = {"several warps wake in one cycle"},
    [BEGINS] = {"another warp begins in the slot of one that waits"},
    [OTHER_FLAG] = {"a warp sleeps while flags of other kinds of its counter are down"},
    [TWO_MESSAGES] = {MESSAGES > 1 ? "two warps are sent back in one cycle" : NULL},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

/* A group of ports that carries lane groups. */
typedef struct port_set {
	lockstep_port *valid, *warp, *counter, *groups, *out_valid, *out_warp, *out_counter, *out_groups;
} port_set;

static hd_core *core;
static hd_scheduler *s;
static port_set writes, reads;
static lockstep_port *outstanding, *full, *waited, *deschedule, *deschedule_warp, *verdict_port, *watch_port, *begin_warps, *wake, *waiting,
    *for_waiters, *for_room, *watching;
static unsigned falling, rising;
static uint64_t now;

static port_set find(const char *in, const char *out)
{
	static const char *const names[4] = {"valid", "warp", "counter", "groups"};
	lockstep_port *ports[8];
	for (unsigned i = 0; i < 8; i++) {
		char name[40];
		snprintf(name, sizeof name, "%s_%s", i < 4 ? in : out, names[i % 4]);
		ports[i] = lockstep_find(name);
	}
	return (port_set){ports[0], ports[1], ports[2], ports[3], ports[4], ports[5], ports[6], ports[7]};
}

void bench_start(void)
{
	writes = find("write", "written");
	reads = find("read", "released");
	outstanding = lockstep_find("outstanding");
	full = lockstep_find("full");
	waited = lockstep_find("waited");
	deschedule = lockstep_find("deschedule");
	deschedule_warp = lockstep_find("deschedule_warp");
	verdict_port = lockstep_find("verdict");
	watch_port = lockstep_find("watch");
	begin_warps = lockstep_find("begin_warps");
	wake = lockstep_find("wake");
	waiting = lockstep_find("waiting");
	for_waiters = lockstep_find("for_waiters");
	for_room = lockstep_find("for_room");
	watching = lockstep_find("watching");
	free(core);
	free(s);
	core = hd_xcalloc(1, sizeof *core);
	s = core->scheduler = hd_xaligned(sizeof *s);
	core->n_schedulers = 1;
	hd_fence_init(&s->fence, BITS, HD_GROUPS);
}

/* Puts `groups` lane groups on port i, any of them, and compares the port behind it. */
static void put_groups(const port_set *port, unsigned i, unsigned warp, unsigned counter, unsigned groups)
{
	unsigned mask = 0, left = groups;
	while (left) { /* any of those that are left, each as likely */
		unsigned g = lockstep_below(HD_GROUPS);
		left -= !(mask >> g & 1);
		mask |= 1u << g;
	}
	lockstep_put(port->valid, i, 1, 1);
	lockstep_put(port->warp, i * WARP_BITS, WARP_BITS, warp);
	lockstep_put(port->counter, i * COUNTER_BITS, COUNTER_BITS, counter);
	lockstep_put(port->groups, i * HD_GROUPS, HD_GROUPS, mask);
	lockstep_eval();
	lockstep_expect(port->out_valid, i, 1, counter != 0);
	lockstep_expect(port->out_warp, i * WARP_BITS, WARP_BITS, warp);
	lockstep_expect(port->out_counter, i * COUNTER_BITS, COUNTER_BITS, counter);
	lockstep_expect(port->out_groups, i * GROUP_BITS, GROUP_BITS, groups);
}

static void put_flags(lockstep_port *port, const uint16_t *flags)
{
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_put(port, w * FENCE_COUNTERS, FENCE_COUNTERS, flags[w]);
}

static void put_message(unsigned i, bool on, unsigned warp, unsigned verdict, unsigned watch)
{
	lockstep_put(deschedule, i, 1, on);
	lockstep_put(deschedule_warp, i * WARP_BITS, WARP_BITS, warp);
	lockstep_put(verdict_port, i * 2, 2, verdict);
	lockstep_put(watch_port, i * FENCE_COUNTERS, FENCE_COUNTERS, watch);
}

/* Compares what wakes and what waits, behind phase 2. `before`: the warps that waited at the beginning of the cycle. */
static void compare(uint32_t before)
{
	put_flags(outstanding, s->fence.flags);
	put_flags(full, s->fence.full);
	put_flags(waited, s->waiters.flags);
	lockstep_eval();
	lockstep_expect(wake, 0, MACHINE_WARPS, before & ~s->descheduled);
	lockstep_expect(waiting, 0, MACHINE_WARPS, s->descheduled);
	lockstep_expect(for_waiters, 0, MACHINE_WARPS, s->for_waiters);
	lockstep_expect(for_room, 0, MACHINE_WARPS, s->for_room);
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_expect(watching, w * FENCE_COUNTERS, FENCE_COUNTERS, s->descheduled >> w & 1 ? s->watch[w] : 0);
}

/* The C unit's part of hd_deschedule. */
static void send_back(unsigned i, unsigned warp, unsigned verdict, unsigned watch)
{
	uint32_t bit = 1u << warp;
	s->descheduled |= bit;
	s->for_waiters |= verdict == HD_WAIT_WAITERS ? bit : 0;
	s->for_room |= verdict == HD_WAIT_ROOM ? bit : 0;
	s->watch[warp] = (uint16_t)watch;
	put_message(i, true, warp, verdict, watch);
}

/* The writes (phase 1) or reads (phase 2) of the pipes. Returns the warps of which a counter became clear. */
static void resolve(const port_set *port, unsigned n, bool by_write)
{
	lockstep_zero(port->valid);
	lockstep_eval();
	for (unsigned i = 0; i < n; i++) {
		unsigned warp = lockstep_below(MACHINE_WARPS), counter = lockstep_below(FENCE_COUNTERS + 1), groups = 0;
		unsigned due = counter ? (unsigned)s->fence.value[warp][counter - 1] : HD_GROUPS;
		for (unsigned j = 0; !by_write && j < s->n_releases; j++)
			due -= s->release[j].warp == warp && s->release[j].counter == counter ? s->release[j].units : 0;
		if (!lockstep_chance(falling) || !due)
			continue;
		groups = hd_min_u32(due, lockstep_chance(60) ? HD_GROUPS : 1 + lockstep_below(HD_GROUPS));
		put_groups(port, i, warp, counter, groups);
		lockstep_cover_if(NO_COUNTER, !counter);
		lockstep_cover_if(PART, counter && groups < HD_GROUPS);
		lockstep_cover_if(by_write ? WRITTEN : READ, counter != 0);
		unsigned up = s->descheduled >> warp & 1 ? s->fence.flags[warp] & s->watch[warp] : 0;
		if (counter && by_write)
			hd_monitor_written(core, 0, warp, counter, groups, now);
		else if (counter)
			hd_monitor_read(s, warp, counter, groups);
		lockstep_cover_if(ONE_OF_TWO, up && s->descheduled >> warp & 1 && up != (s->fence.flags[warp] & s->watch[warp]));
	}
	for (unsigned i = 0; i < n; i++) /* other signals of a port do not matter */
		if (!lockstep_get(port->valid, i, 1))
			lockstep_expect(port->out_valid, i, 1, 0);
}

static void decode(unsigned i)
{
	unsigned warp = lockstep_below(MACHINE_WARPS), counter = 1 + lockstep_below(FENCE_COUNTERS), verdict = 1 + lockstep_below(3);
	unsigned up = verdict == HD_WAIT_FENCE ? s->fence.flags[warp] : verdict == HD_WAIT_WAITERS ? s->waiters.flags[warp] : s->fence.full[warp];
	unsigned watch = up & (verdict == HD_WAIT_FENCE ? (unsigned)lockstep_random() : 1u << (counter - 1));
	put_message(i, false, lockstep_below(MACHINE_WARPS), lockstep_below(4), (unsigned)lockstep_random() & ALL);
	if (lockstep_chance(30) && watch && !(s->descheduled >> warp & 1)) {
		send_back(i, warp, verdict, watch);
		return;
	}
	if (!lockstep_chance(rising) || s->descheduled >> warp & 1)
		return;
	if (!(s->fence.full[warp] >> (counter - 1) & 1))
		hd_fence_raise(&s->fence, warp, counter, HD_GROUPS);
	if (lockstep_chance(40))
		hd_waiters_raise(&s->waiters, warp, 1u << lockstep_below(FENCE_COUNTERS));
}

static void leave_queues(void)
{
	unsigned warp = lockstep_below(MACHINE_WARPS);
	uint32_t mask = s->waiters.flags[warp] & (uint32_t)lockstep_random();
	if (lockstep_chance(falling) && mask && hd_waiters_lower(&s->waiters, warp, mask))
		hd_monitor_waiters(s, warp);
}

void bench_cycle(void)
{
	uint32_t before = s->descheduled, by_waiters = s->for_waiters, by_room = s->for_room;
	now++;
	if (lockstep_chance(1) || !rising) {
		rising = 20 + lockstep_below(81);
		falling = 10 + lockstep_below(91);
	}
	resolve(&writes, WRITES, true);
	uint32_t behind_writes = s->descheduled;
	leave_queues();
	uint32_t behind_queues = s->descheduled;
	resolve(&reads, READS, false);
	hd_monitor_commit(core, 0, now);
	compare(before);
	uint32_t woke = before & ~s->descheduled;
	lockstep_cover_if(WAITERS_WAKE, woke & by_waiters);
	lockstep_cover_if(ROOM_WAKES, woke & by_room);
	lockstep_cover_if(FENCE_WAKES, woke & ~by_waiters & ~by_room);
	lockstep_cover_if(WRITE_WAKES, before & ~behind_writes);
	lockstep_cover_if(READ_WAKES, behind_queues & ~s->descheduled);
	lockstep_cover_if(SEVERAL_WAKE, woke & (woke - 1));
	for (unsigned w = 0; w < MACHINE_WARPS; w++)
		lockstep_cover_if(OTHER_FLAG, s->for_room >> w & 1 && !(s->waiters.flags[w] & s->watch[w]));
	uint32_t asleep = s->descheduled;
	for (unsigned i = 0; i < MESSAGES; i++)
		decode(i);
	asleep = s->descheduled & ~asleep;
	lockstep_cover_if(TWO_MESSAGES, asleep & (asleep - 1));
	lockstep_zero(begin_warps);
	for (unsigned w = 0; lockstep_chance(1) && w < MACHINE_WARPS; w++) {
		if (asleep >> w & 1 || lockstep_chance(50))
			continue;
		lockstep_cover_if(BEGINS, s->descheduled >> w & 1);
		lockstep_put(begin_warps, w, 1, 1);
		s->descheduled &= ~(1u << w);
		s->for_waiters &= ~(1u << w);
		s->for_room &= ~(1u << w);
	}
	lockstep_clock();
}

#ifdef LOCKSTEP_REPLAY
static void replay_groups(const replay_event *event, const port_set *port, unsigned *used, unsigned n)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS), counter = replay_value(event, 1, FENCE_COUNTERS + 1);
	if (*used == n)
		replay_refuse("more adjustments in a cycle than the module has ports");
	put_groups(port, (*used)++, warp, counter, replay_value(event, 2, HD_GROUPS + 1));
}

/* The state of the C unit is the recorded one. */
void bench_replay(const replay_event *all, unsigned n)
{
	uint32_t before = s->descheduled;
	unsigned used[2] = {0}, messages = 0;
	lockstep_zero(writes.valid);
	lockstep_zero(reads.valid);
	lockstep_zero(begin_warps);
	lockstep_zero(deschedule);
	for (unsigned i = 0; i < n; i++) {
		const replay_event *event = &all[i];
		unsigned warp = event->n ? replay_value(event, 0, UINT32_MAX) % MACHINE_WARPS : 0;
		if (event->kind == HD_RECORD_FENCE_WRITTEN)
			replay_groups(event, &writes, &used[0], WRITES);
		else if (event->kind == HD_RECORD_FENCE_RELEASED)
			replay_groups(event, &reads, &used[1], READS);
		if (event->kind >= HD_RECORD_FENCE_WRITTEN && event->kind <= HD_RECORD_FENCE_RAISED) {
			s->fence.flags[warp] = (uint16_t)event->values[4];
			s->fence.full[warp] = (uint16_t)event->values[5];
		}
		if (event->kind == HD_RECORD_WAIT_LEFT || event->kind == HD_RECORD_WAIT_SENT)
			s->waiters.flags[warp] = (uint16_t)event->values[2];
		if (event->kind == HD_RECORD_MONITOR) {
			s->descheduled = replay_value(event, 0, 1u << MACHINE_WARPS);
			s->for_waiters = replay_value(event, 1, 1u << MACHINE_WARPS);
			s->for_room = replay_value(event, 2, 1u << MACHINE_WARPS);
			compare(before);
		} else if (event->kind == HD_RECORD_DESCHEDULED) {
			if (messages == MESSAGES)
				replay_refuse("more messages in a cycle than the module has ports");
			send_back(messages++, warp, replay_value(event, 1, 4), replay_value(event, 2, ALL + 1));
		} else if (event->kind == HD_RECORD_WARP) {
			lockstep_put(begin_warps, warp, 1, 1);
			s->descheduled &= ~(1u << warp);
		}
	}
	lockstep_clock();
}
#endif
