#include "tiny.h"

const tiny_info tiny_infos[TINY_OPS] = {
#define TINY(id, name, op, d, a, defines, uses, common, flow) [TINY_##id] = {name, HD_OP_##op, d, a, defines, uses, common, flow},
#include "tiny.def"
#undef TINY
};

static bool same_register(uint8_t a, uint8_t b) { return a == b && a < TINY_SHARED; }

unsigned tiny_depends(const tiny_inst *first, const tiny_inst *second)
{
	const tiny_info *a = tiny_info_of(first), *b = tiny_info_of(second);
	unsigned how = 0;
	if (same_register(first->d, second->a) || (a->defines & tiny_reads(second)))
		how |= TINY_RAW;
	if (same_register(first->d, second->d) || (a->defines & b->defines))
		how |= TINY_WAW;
	if (same_register(first->a, second->d) || (tiny_reads(first) & b->defines))
		how |= TINY_WAR;
	if (a->common && b->common)
		how |= TINY_ORDER;
	return how;
}

/* Of the lanes `here` that reach the instruction, those that execute it. */
static unsigned lanes_of(const tiny_inst *inst, unsigned here, bool known)
{
	if (!known || inst->guard == GUARD_NONE)
		return here;
	return here & (tiny_guard_is_p0(inst->guard) ? 2 : 1);
}

/* Of the lanes `here` that reach it, those that go on behind it; the others leave by a branch or an exit. */
static unsigned lanes_behind(const tiny_inst *inst, unsigned here, bool known)
{
	bool leaves = inst->op == TINY_BRA || inst->op == TINY_EXIT;
	return leaves && (known || inst->guard == GUARD_NONE) ? here & ~lanes_of(inst, here, known) : here;
}

/* The subroutine, called by the lanes `here`; returns those that come back. */
static unsigned callee_lanes(const tiny *core, unsigned here, bool known, uint8_t lanes[TINY_LENGTH])
{
	for (unsigned i = tiny_main(core); i < core->n; i++) {
		lanes[i] = (uint8_t)lanes_of(&core->at[i], here, known);
		here = lanes_behind(&core->at[i], here, known);
	}
	return here;
}

unsigned tiny_lanes(const tiny *core, uint8_t lanes[TINY_LENGTH])
{
	uint8_t come[TINY_LENGTH + 1] = {3}; /* lanes that reach each instruction */
	unsigned main = tiny_main(core);
	bool known = true;
	for (unsigned i = 0; i < core->n; i++)
		known &= !(tiny_info_of(&core->at[i])->defines & TINY_P0);
	for (unsigned i = 0; i < main; i++) {
		const tiny_inst *inst = &core->at[i];
		unsigned behind = lanes_behind(inst, come[i], known);
		lanes[i] = (uint8_t)lanes_of(inst, come[i], known);
		if (inst->op == TINY_BRA)
			come[inst->target == core->n ? main : inst->target] |= lanes[i];
		if (inst->op == TINY_CALL)
			behind = (come[i] & ~lanes[i] & 3u) | callee_lanes(core, lanes[i], known, lanes);
		come[i + 1] |= (uint8_t)behind;
	}
	return come[main];
}
