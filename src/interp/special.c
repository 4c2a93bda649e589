/* S2R and XLANE of the interpreter. */
#include "interp/state.h"

/* True when all lanes of all warps of the CTA read *value. */
static bool same_for_all(const hd_oracle *o, hd_sreg which, uint32_t *value)
{
	uint64_t clock = o->stats->run_warp_instructions;
	switch (which) {
	case HD_SREG_CLOCK:
	case HD_SREG_GLOBALTIMER:
		*value = (uint32_t)clock;
		return true;
	case HD_SREG_CLOCKHI:
	case HD_SREG_GLOBALTIMERHI:
		*value = (uint32_t)(clock >> 32);
		return true;
	case HD_SREG_ENTRY:
		*value = (uint32_t)o->item;
		return true;
	case HD_SREG_ENTRYHI:
		*value = (uint32_t)(o->item >> 32);
		return true;
	case HD_SREG_SMID:
		*value = 0;
		return true;
	case HD_SREG_NSMID:
		*value = 1;
		return true;
	case HD_SREG_CTAIDX:
	case HD_SREG_CTAIDY:
	case HD_SREG_CTAIDZ:
		*value = o->cta[which - HD_SREG_CTAIDX];
		return true;
	default:
		return false;
	}
}

/* Thread coordinates are the same in every CTA of a launch. */
static const hd_vec32 *coordinates(hd_oracle *o, hd_oracle_warp *w, hd_sreg which)
{
	unsigned i = (unsigned)(which - HD_SREG_TIDX);
	if (!(w->coordinates_known >> i & 1)) {
		hd_special(o->launch, o->cta, w->number, which, &w->coordinates[i]);
		w->coordinates_known |= 1u << i;
	}
	return &w->coordinates[i];
}

void hd_oracle_special(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask)
{
	hd_sreg which = (hd_sreg)op->inst->sub;
	hd_vec32 room, set;
	const hd_vec32 *value = &room;
	uint32_t all;
	if (op->inst->op == HD_OP_XLANE) {
		const hd_vec32 *from = hd_oracle_source(op, w, 0);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			room.v[lane] = from->v[lane] < HD_LANES ? w->sync.exchange[0].v[from->v[lane]] : w->sync.exchange[1].v[lane];
	} else if (same_for_all(o, which, &all)) {
		o->changed |= which < HD_SREG_CTAIDX || which > HD_SREG_CTAIDZ;
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			room.v[lane] = all;
	} else if (which >= HD_SREG_TIDX && which <= HD_SREG_TIDZ) {
		value = coordinates(o, w, which);
	} else {
		hd_special(o->launch, o->cta, w->number, which, &room);
	}
	if (op->dwords && mask == w->alive) {
		w->registers[op->dst] = *value;
	} else if (op->dwords) {
		hd_oracle_spread(mask, &set);
		hd_oracle_merge(&w->registers[op->dst], value, &set);
	}
}
