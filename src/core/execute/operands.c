#include "core/execute/operands.h"

const hd_vec32 *hd_special_operand(const hd_core *core, const hd_warp *warp, hd_sreg which, uint64_t now, hd_vec32 *value)
{
	uint32_t word;
	hd_watch *watch = core->context->watch;
	if (watch->on && (which == HD_SREG_CLOCK || which == HD_SREG_CLOCKHI || which == HD_SREG_GLOBALTIMER || which == HD_SREG_GLOBALTIMERHI))
		hd_watch_progress(watch, now); /* a warp that reads a clock never repeats a state */
	switch (which) {
	case HD_SREG_CLOCK:
	case HD_SREG_GLOBALTIMER:
		word = (uint32_t)now;
		break;
	case HD_SREG_CLOCKHI:
	case HD_SREG_GLOBALTIMERHI:
		word = (uint32_t)(now >> 32);
		break;
	case HD_SREG_ENTRY:
		word = (uint32_t)warp->cta->item;
		break;
	case HD_SREG_ENTRYHI:
		word = (uint32_t)(warp->cta->item >> 32);
		break;
	case HD_SREG_SMID:
		word = core->number;
		break;
	case HD_SREG_NSMID:
		word = core->context->cores;
		break;
	default:
		hd_special(&warp->cta->grid->launch, warp->cta->at, warp->number, which, value);
		return value;
	}
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		value->v[lane] = word;
	return value;
}

/* A bit for each unit with a lane in the mask: that of the unit's lowest lane. */
static uint32_t units_in(unsigned lanes, uint32_t mask)
{
	uint32_t lowest = 1;
	for (unsigned width = 1; width < lanes; width *= 2)
		mask |= mask >> width;
	for (unsigned width = lanes; width < HD_LANES; width *= 2)
		lowest |= lowest << width;
	return mask & lowest;
}

uint32_t hd_units_done(const hd_core *core, uint32_t now, uint32_t later)
{
	return (uint32_t)__builtin_popcount(units_in(core->unit_lanes, now) & ~units_in(core->unit_lanes, later));
}
