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

void hd_read_others(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_slot *slot, hd_sem_in *in, uint64_t now, hd_vec32 *value)
{
	const hd_inst *inst = &slot->inst;
	switch (slot->format) {
	case HD_F_SEL:
	case HD_F_VOTE:
		in->p[0] = hd_read_predicate(s, warp, inst->sub);
		break;
	case HD_F_CARRY:
		in->p[0] = (inst->sub & 7) == HD_PT ? 0 : hd_read_predicate(s, warp, inst->sub & 7);
		break;
	case HD_F_PLOP:
		in->p[0] = hd_read_predicate(s, warp, inst->sub2 & 15);
		in->p[1] = hd_read_predicate(s, warp, inst->sub2 >> 4);
		in->p[2] = hd_read_predicate(s, warp, inst->b);
		break;
	default:
		break;
	}
	if (inst->op == HD_OP_S2R)
		in->special = hd_special_operand(core, &s->warp[warp], (hd_sreg)inst->sub, now, value);
	else if (inst->op == HD_OP_XLANE)
		in->special = s->flow[warp].sync->exchange;
}

uint32_t hd_units_done(const hd_core *core, uint32_t now, uint32_t later)
{
	return (uint32_t)__builtin_popcount(hd_bit_groups(now, core->unit_lanes) & ~hd_bit_groups(later, core->unit_lanes));
}
