#include "core/issue/macro_scheduler.h"

enum { HD_MACRO_STEPS = 4 /* of a round */ };

void hd_macro_init(hd_macro *macro, unsigned bits, bool by_program)
{
	memset(macro, 0, sizeof *macro);
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
		macro->order[i] = macro->next[i] = (uint8_t)i;
	macro->top = (uint16_t)((1u << bits) - 1);
	macro->period = HD_MACRO_STEPS;
	macro->sorted = HD_WARP_SLOTS;
	macro->by_program = by_program;
	macro->neutral = HD_MACRO_NEVER;
	macro->settled = true;
}

void hd_macro_resize(hd_macro *macro, unsigned period, unsigned sorted, bool whole)
{
	macro->period = (uint8_t)period;
	macro->sorted = (uint8_t)sorted;
	macro->whole = whole;
}

static void unsettle(hd_macro *macro)
{
	macro->changed = true;
	macro->settled = false;
}

/* The warp of a slot is another one. */
static void find_older(hd_macro *macro, unsigned slot, uint64_t born)
{
	uint64_t before = macro->born[slot];
	unsigned older = 0;
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++) {
		unsigned follows = born && macro->born[i] > born, followed = before && macro->born[i] > before;
		macro->older[i] = (uint8_t)(macro->older[i] + follows - followed);
		older += i != slot && macro->born[i] && macro->born[i] < born;
	}
	macro->older[slot] = (uint8_t)older;
	macro->born[slot] = born;
}

void hd_macro_warp(hd_macro *macro, unsigned slot, uint64_t born, int64_t base)
{
	int64_t middle = (macro->top + 1) / 2;
	base = base ? base : middle;
	find_older(macro, slot, born);
	macro->base[slot] = (uint16_t)(base < 1 ? 1 : base > macro->top ? macro->top : base);
	macro->adjust[slot] = 0;
	unsettle(macro);
}

void hd_macro_set_priority(hd_macro *macro, unsigned slot, unsigned level)
{
	macro->base[slot] = (uint16_t)(level * (macro->top + 1u) / 16);
	unsettle(macro);
}

static void find_neutral(hd_macro *macro)
{
	macro->neutral = HD_MACRO_NEVER;
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
		if (macro->adjust[i] && macro->until[i] < macro->neutral)
			macro->neutral = macro->until[i];
}

void hd_macro_adjust(hd_macro *macro, unsigned slot, int sign, uint64_t now, unsigned cycles)
{
	macro->adjust[slot] = (int8_t)sign;
	macro->until[slot] = now + cycles;
	find_neutral(macro);
	unsettle(macro);
}

uint16_t hd_macro_priority(const hd_macro *macro, unsigned slot)
{
	int step = (macro->top + 1) / 4, value = macro->base[slot];
	if (!macro->born[slot])
		return 0;
	if (!macro->by_program)
		value = 3 * step - 1 - macro->older[slot];
	value += macro->adjust[slot] * step;
	return (uint16_t)(value < 1 ? 1 : value > macro->top ? macro->top : value);
}

/* Moves the higher priority to the lower position. Equal priorities keep their order. */
static void exchange(hd_macro *macro, unsigned low, unsigned high)
{
	if (high >= macro->sorted || macro->sampled[low] >= macro->sampled[high])
		return;
	uint16_t priority = macro->sampled[low];
	uint8_t slot = macro->next[low];
	macro->sampled[low] = macro->sampled[high];
	macro->next[low] = macro->next[high];
	macro->sampled[high] = priority;
	macro->next[high] = slot;
	macro->moved = true;
}

void hd_macro_step(hd_macro *macro, unsigned step)
{
	switch (step) {
	case 0:
		/* A round without an exchange has compared all neighbours. The order is then sorted until a priority changes. */
		macro->settled = !macro->changed && !macro->moved;
		for (unsigned i = 0; macro->changed && i < HD_WARP_SLOTS; i++)
			macro->priority[i] = hd_macro_priority(macro, i);
		macro->changed = macro->moved = false;
		for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
			macro->sampled[i] = macro->priority[macro->next[i]];
		break;
	case 1:
		for (unsigned i = 0; i < HD_WARP_SLOTS; i += 4) {
			exchange(macro, i, i + 2);
			exchange(macro, i + 1, i + 3);
		}
		break;
	case 2:
		for (unsigned i = 0; i < HD_WARP_SLOTS; i += 2)
			exchange(macro, i, i + 1);
		break;
	default:
		for (unsigned i = 1; i < HD_WARP_SLOTS - 1; i += 2)
			exchange(macro, i, i + 1);
		break;
	}
	if (!macro->whole || step == HD_MACRO_STEPS - 1)
		memcpy(macro->order, macro->next, sizeof macro->order);
}

/* Does the steps of a cycle of its round: one in each of the first four cycles, or, in a shorter round, as many as are due. */
static void run_cycle(hd_macro *macro, uint64_t cycle)
{
	unsigned period = macro->period, place = (unsigned)(cycle % period), end = place + 1;
	if (period < HD_MACRO_STEPS) {
		end = (place + 1) * HD_MACRO_STEPS / period;
		place = place * HD_MACRO_STEPS / period;
	}
	for (; place < end && place < HD_MACRO_STEPS; place++)
		hd_macro_step(macro, place);
}

void hd_macro_run(hd_macro *macro, uint64_t from, uint64_t to)
{
	for (uint64_t cycle = from; cycle <= to; cycle++) {
		if (macro->neutral <= cycle) {
			for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
				if (macro->adjust[i] && macro->until[i] <= cycle)
					macro->adjust[i] = 0;
			find_neutral(macro);
			unsettle(macro);
		} else if (macro->settled) {
			if (macro->neutral > to)
				return;
			cycle = macro->neutral - 1;
			continue;
		}
		run_cycle(macro, cycle);
	}
}
