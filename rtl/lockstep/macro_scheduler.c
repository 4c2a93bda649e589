/* HW-4: macro_scheduler.sv against src/core/issue/macro_scheduler.c (PD-12). The C unit has HD_WARP_SLOTS slots; those from MACHINE_WARPS on stay
 * empty, and so stay where they are. The bench also uses hd_macro_advance, which leaves out the steps of a settled order. The macros MACHINE_WARPS to
 * ADJUST_BITS are the parameters of the module. */
#include "lockstep.h"

#include "core/issue/macro_scheduler.h"

#include "replay.h"

enum { WARP_BITS = RTL_CLOG2(MACHINE_WARPS), P = PREDECODE_PRIORITY_BITS, TOP = (1 << P) - 1 };

enum {
	EXCHANGES,
	UNSORTED,
	SETTLED,
	EQUAL,
	BEGINS,
	ENDS,
	ENDS_OLDER,
	REPLACED,
	SEVERAL,
	FULL,
	BOOST,
	LOWER,
	NEUTRAL,
	AGAIN,
	AT_TOP,
	AT_BOTTOM,
	SET,
	MIDDLE
};
lockstep_bin bench_bins[] = {
    [EXCHANGES] = {"a step exchanges two warps"},
    [UNSORTED] = {MACHINE_WARPS > 4 ? "a round ends and the order is not sorted" : NULL},
    [SETTLED] = {"the C unit leaves out a step, because the order is settled"},
    [EQUAL] = {PREDECODE_PRIORITY ? "two warps have equal priorities" : NULL},
    [BEGINS] = {"a warp begins"},
    [ENDS] = {"a warp ends"},
    [ENDS_OLDER] = {"a warp ends that is older than another one"},
    [REPLACED] = {"a warp ends and another one begins in its slot"},
    [SEVERAL] = {"several warps begin in a cycle"},
    [FULL] = {"all slots are occupied"},
    [BOOST] = {"a boost begins"},
    [LOWER] = {"a lower begins"},
    [NEUTRAL] = {"a priority returns to neutral"},
    [AGAIN] = {"a boost or lower begins while another one lasts"},
    [AT_TOP] = {PREDECODE_PRIORITY ? "a priority is cut off at the top" : NULL},
    [AT_BOTTOM] = {PREDECODE_PRIORITY ? "a priority is cut off at the bottom" : NULL},
    [SET] = {"an instruction sets a priority"},
    [MIDDLE] = {"a warp begins in the middle of the range"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_macro macro;
static uint64_t now, born;
static unsigned beginning, ending, adjusting, setting; /* percent */
static lockstep_port *end_valid, *end_warp, *begin_warps, *begin_priority, *set_valid, *set_warp, *set_level, *boost, *lower, *adjust_cycles, *order,
    *adjusted, *step, *sampled, *occupied, *rank, *base, *left, *lowered;

void bench_start(void)
{
	const lockstep_name names[] = {
	    LOCKSTEP_PORT(end_valid), LOCKSTEP_PORT(end_warp),  LOCKSTEP_PORT(begin_warps), LOCKSTEP_PORT(begin_priority), LOCKSTEP_PORT(set_valid),
	    LOCKSTEP_PORT(set_warp),  LOCKSTEP_PORT(set_level), LOCKSTEP_PORT(boost),       LOCKSTEP_PORT(lower),          LOCKSTEP_PORT(order),
	    LOCKSTEP_PORT(adjusted),  LOCKSTEP_PORT(step),      LOCKSTEP_PORT(sampled),     LOCKSTEP_PORT(occupied),       LOCKSTEP_PORT(rank),
	    LOCKSTEP_PORT(base),      LOCKSTEP_PORT(left),      LOCKSTEP_PORT(lowered),     LOCKSTEP_PORT(adjust_cycles),
	};
	lockstep_find_all(names, HD_COUNT(names));
	hd_macro_init(&macro, P, PREDECODE_PRIORITY);
	now = born = 0;
}

static void another_phase(void)
{
	bool quiet = lockstep_chance(30);
	beginning = quiet ? 0 : lockstep_below(40);
	ending = quiet ? 0 : lockstep_below(20);
	adjusting = quiet ? 0 : lockstep_below(10);
	setting = quiet ? 0 : lockstep_below(20);
}

static void end_and_begin(void)
{
	unsigned ended = lockstep_below(MACHINE_WARPS), begun = lockstep_chance(20) ? ended : lockstep_below(MACHINE_WARPS);
	bool ends = lockstep_chance(ending);
	lockstep_put(end_valid, 0, 1, ends);
	lockstep_put(end_warp, 0, WARP_BITS, ended);
	for (unsigned i = 0; i < MACHINE_WARPS; i++)
		lockstep_cover_if(ENDS_OLDER, ends && macro.born[ended] && macro.born[i] > macro.born[ended]);
	lockstep_cover_if(ENDS, ends && macro.born[ended]);
	lockstep_cover_if(REPLACED, ends && begun == ended);
	if (ends)
		hd_macro_warp(&macro, ended, 0, 0);
	unsigned n = 0;
	bool begins = lockstep_chance(beginning), several = lockstep_chance(30);
	lockstep_zero(begin_warps);
	for (unsigned slot = 0; slot < MACHINE_WARPS; slot++) {
		unsigned priority = lockstep_chance(20) ? 0 : lockstep_chance(30) ? TOP - lockstep_below(3) : lockstep_below(TOP + 1);
		lockstep_put(begin_priority, slot * P, P, priority);
		bool starts = slot == begun ? begins || ends : begins && several && lockstep_chance(50);
		if (macro.born[slot] || !starts)
			continue;
		lockstep_put(begin_warps, slot, 1, 1);
		lockstep_cover(BEGINS);
		lockstep_cover_if(MIDDLE, !priority);
		hd_macro_warp(&macro, slot, ++born, priority);
		n++;
	}
	lockstep_cover_if(SEVERAL, n > 1);
}

static void change_priorities(void)
{
	unsigned slot = lockstep_below(MACHINE_WARPS), level = lockstep_below(16);
	bool sets = lockstep_chance(setting);
	lockstep_put(set_valid, 0, 1, sets);
	lockstep_put(set_warp, 0, WARP_BITS, slot);
	lockstep_put(set_level, 0, 4, level);
	lockstep_cover_if(SET, sets);
	if (sets)
		hd_macro_set_priority(&macro, slot, level);
	for (unsigned i = 0; i < MACHINE_WARPS; i++) {
		unsigned cycles = lockstep_below(1 << ADJUST_BITS);
		bool adjusts = lockstep_chance(adjusting), up = lockstep_chance(50);
		lockstep_put(boost, i, 1, adjusts && up);
		lockstep_put(lower, i, 1, adjusts && !up);
		lockstep_put(adjust_cycles, i * ADJUST_BITS, ADJUST_BITS, cycles);
		lockstep_cover_if(up ? BOOST : LOWER, adjusts && cycles && macro.born[i]);
		lockstep_cover_if(AGAIN, adjusts && cycles && macro.adjust[i]);
		if (adjusts)
			hd_macro_adjust(&macro, i, up ? 1 : -1, now, cycles);
		int step_of = (TOP + 1) / 4, value = macro.base[i] + macro.adjust[i] * step_of;
		lockstep_cover_if(AT_TOP, macro.born[i] && value > TOP);
		lockstep_cover_if(AT_BOTTOM, macro.born[i] && value < 1);
	}
}

/* The step in C. */
static void advance(void)
{
	uint8_t before[HD_WARP_SLOTS];
	int8_t adjust[HD_WARP_SLOTS];
	memcpy(before, macro.order, sizeof before);
	memcpy(adjust, macro.adjust, sizeof adjust);
	lockstep_cover_if(SETTLED, macro.settled && macro.neutral > now);
	hd_macro_advance(&macro, now, now);
	lockstep_cover_if(EXCHANGES, memcmp(before, macro.order, sizeof before));
	for (unsigned i = 0; i < MACHINE_WARPS; i++)
		lockstep_cover_if(NEUTRAL, adjust[i] && !macro.adjust[i]);
	for (unsigned i = 0; now % 4 == 3 && i + 1 < MACHINE_WARPS; i++) {
		lockstep_cover_if(UNSORTED, macro.sampled[i] < macro.sampled[i + 1]);
		lockstep_cover_if(EQUAL, macro.sampled[i] && macro.sampled[i] == macro.sampled[i + 1]);
	}
}

static void compare_state(void)
{
	lockstep_expect(step, 0, 2, (now + 1) % 4);
	for (unsigned i = 0; i < MACHINE_WARPS; i++) {
		unsigned older = 0;
		bool lasts = macro.adjust[i] && macro.born[i] && macro.until[i] > now + 1;
		for (unsigned j = 0; j < MACHINE_WARPS; j++)
			older += macro.born[j] && macro.born[j] < macro.born[i];
		lockstep_expect(order, i * WARP_BITS, WARP_BITS, macro.order[i]);
		lockstep_expect(sampled, i * P, P, macro.sampled[i]);
		lockstep_expect(occupied, i, 1, macro.born[i] != 0);
		if (macro.born[i]) {
			lockstep_expect(rank, i * WARP_BITS, WARP_BITS, older);
			lockstep_expect(base, i * P, P, macro.base[i]);
			lockstep_expect(left, i * ADJUST_BITS, ADJUST_BITS, lasts ? macro.until[i] - now - 1 : 0);
			lockstep_expect(adjusted, i, 1, lasts);
			if (lasts)
				lockstep_expect(lowered, i, 1, macro.adjust[i] < 0);
		}
	}
}

void bench_cycle(void)
{
	unsigned n = 0;
	if (now % 64 == 0)
		another_phase();
	end_and_begin();
	change_priorities();
	for (unsigned i = 0; i < MACHINE_WARPS; i++)
		n += macro.born[i] != 0;
	lockstep_cover_if(FULL, n == MACHINE_WARPS);
	advance();
	lockstep_clock();
	compare_state();
	now++;
}

#ifdef LOCKSTEP_REPLAY
/* The core's cycles in which it holds no CTA are not recorded, and the step of a round is the number of the cycle modulo 4. */
static void replay_until(unsigned number)
{
	while (now % 4 != number) {
		hd_macro_advance(&macro, now, now);
		lockstep_clock();
		compare_state();
		now++;
	}
}

static void replay_change(const replay_event *event)
{
	unsigned warp = replay_value(event, 0, MACHINE_WARPS);
	if (event->kind == HD_RECORD_MACRO_ENDS) {
		if (lockstep_get(end_valid, 0, 1))
			replay_refuse("more warps end in a cycle than the module has ports");
		lockstep_put(end_valid, 0, 1, 1);
		lockstep_put(end_warp, 0, WARP_BITS, warp);
		hd_macro_warp(&macro, warp, 0, 0);
	} else if (event->kind == HD_RECORD_MACRO_BEGINS) {
		unsigned priority = replay_value(event, 1, TOP + 1);
		lockstep_put(begin_warps, warp, 1, 1);
		lockstep_put(begin_priority, warp * P, P, priority);
		hd_macro_warp(&macro, warp, ++born, priority);
	} else if (event->kind == HD_RECORD_MACRO_SET) {
		unsigned level = replay_value(event, 1, 16);
		if (lockstep_get(set_valid, 0, 1))
			replay_refuse("more priorities are set in a cycle than the module has ports");
		lockstep_put(set_valid, 0, 1, 1);
		lockstep_put(set_warp, 0, WARP_BITS, warp);
		lockstep_put(set_level, 0, 4, level);
		hd_macro_set_priority(&macro, warp, level);
	} else {
		unsigned cycles = replay_value(event, 2, 1u << ADJUST_BITS);
		bool up = replay_value(event, 1, 2);
		lockstep_put(boost, warp, 1, up);
		lockstep_put(lower, warp, 1, !up);
		lockstep_put(adjust_cycles, warp * ADJUST_BITS, ADJUST_BITS, cycles);
		hd_macro_adjust(&macro, warp, up ? 1 : -1, now, cycles);
	}
}

void bench_replay(const replay_event *all, unsigned n)
{
	const replay_event *result = NULL;
	for (unsigned i = 0; i < n && !result; i++)
		result = all[i].kind == HD_RECORD_MACRO ? &all[i] : NULL;
	lockstep_zero(end_valid);
	lockstep_zero(begin_warps);
	lockstep_zero(set_valid);
	lockstep_zero(boost);
	lockstep_zero(lower);
	if (result)
		replay_until((unsigned)result->values[0]);
	for (unsigned i = 0; i < n && result; i++)
		if (all[i].kind >= HD_RECORD_MACRO_BEGINS && all[i].kind < HD_RECORD_MACRO)
			replay_change(&all[i]);
	if (!result)
		return;
	hd_macro_advance(&macro, now, now);
	lockstep_clock();
	compare_state();
	for (unsigned i = 0; i < MACHINE_WARPS; i++)
		replay_expect("the slot at a position", macro.order[i], result->values[1] >> 4 * i & 15);
	for (unsigned i = 0; i < MACHINE_WARPS; i++)
		lockstep_expect(adjusted, i, 1, result->values[2] >> i & 1);
	now++;
}
#endif
