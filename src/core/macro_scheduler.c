#include "core/macro_scheduler.h"

void hd_macro_init(hd_macro *macro, unsigned bits)
{
	memset(macro, 0, sizeof *macro);
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
		macro->order[i] = (uint8_t)i;
	macro->top = (uint16_t)((1u << bits) - 1);
	macro->settled = true;
}

void hd_macro_warp(hd_macro *macro, unsigned slot, uint64_t born)
{
	macro->born[slot] = born;
	macro->changed = true;
	macro->settled = false;
}

uint16_t hd_macro_priority(const hd_macro *macro, unsigned slot)
{
	uint16_t older = 0;
	if (!macro->born[slot])
		return 0;
	for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
		older = (uint16_t)(older + (macro->born[i] && macro->born[i] < macro->born[slot]));
	return (uint16_t)(macro->top - older);
}

/* The higher priority goes to the lower position; equal ones stay. */
static void exchange(hd_macro *macro, unsigned low, unsigned high)
{
	if (macro->sampled[low] >= macro->sampled[high])
		return;
	uint16_t priority = macro->sampled[low];
	uint8_t slot = macro->order[low];
	macro->sampled[low] = macro->sampled[high];
	macro->order[low] = macro->order[high];
	macro->sampled[high] = priority;
	macro->order[high] = slot;
	macro->moved = true;
}

void hd_macro_step(hd_macro *macro, uint64_t cycle)
{
	switch (cycle & 3) {
	case 0:
		/* A round that exchanged nothing compared all neighbours: the order is sorted, and stays so while no priority changes. */
		macro->settled = !macro->changed && !macro->moved;
		macro->changed = macro->moved = false;
		for (unsigned i = 0; i < HD_WARP_SLOTS; i++)
			macro->sampled[i] = hd_macro_priority(macro, macro->order[i]);
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
}
