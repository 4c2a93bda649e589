#include "launch/sync.h"

void hd_sync_arrive(hd_sync *sync, uint32_t taken, const hd_vec32 *masks, const hd_vec32 *values, uint32_t next)
{
	sync->lanes |= taken;
	for (uint32_t left = taken; left; left &= left - 1) {
		unsigned lane = hd_lowest_bit(left);
		sync->pc[lane] = next;
		sync->exchange[0].v[lane] = values->v[lane];
		sync->exchange[1].v[lane] = masks->v[lane];
	}
}

static uint32_t mask_of(const hd_sync *sync, unsigned lane) { return sync->exchange[1].v[lane]; }

/* The lanes of `left` whose mask is that of the lowest one. */
static uint32_t lowest_set(const hd_sync *sync, uint32_t left)
{
	uint32_t same = 0;
	for (uint32_t rest = left; rest; rest &= rest - 1)
		same |= mask_of(sync, hd_lowest_bit(rest)) == mask_of(sync, hd_lowest_bit(left)) ? rest & -rest : 0;
	return same;
}

uint32_t hd_sync_release(hd_sync *sync, uint32_t alive)
{
	uint32_t go = 0;
	for (uint32_t left = sync->lanes, same; left; left &= ~same) {
		same = lowest_set(sync, left);
		if (mask_of(sync, hd_lowest_bit(left)) & alive & ~same)
			continue;
		for (uint32_t rest = same; rest; rest &= rest - 1)
			sync->exchange[1].v[hd_lowest_bit(rest)] = same;
		go |= same;
	}
	sync->lanes &= ~go;
	return go;
}

void hd_sync_explain(const hd_sync *sync, uint32_t alive, const hd_program *program, const char *indent, hd_text *out)
{
	for (uint32_t left = sync->lanes, same, here; left; left &= ~here) {
		unsigned lane = hd_lowest_bit(left);
		here = 0;
		same = lowest_set(sync, sync->lanes & ~((1u << lane) - 1));
		for (uint32_t rest = same; rest; rest &= rest - 1)
			here |= sync->pc[hd_lowest_bit(rest)] == sync->pc[lane] ? rest & -rest : 0;
		hd_text_printf(out, "%slanes 0x%08x wait before ", indent, here);
		hd_program_print_place(program, sync->pc[lane], out);
		hd_text_printf(out, " for lanes 0x%08x of their mask 0x%08x, which do not come\n", mask_of(sync, lane) & alive & ~same,
		               mask_of(sync, lane));
	}
}
