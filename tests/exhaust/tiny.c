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
	if (same_register(first->d, second->a) || (a->defines && tiny_reads_p0(second)))
		how |= TINY_RAW;
	if (same_register(first->d, second->d) || (a->defines && b->defines))
		how |= TINY_WAW;
	if (same_register(first->a, second->d) || (tiny_reads_p0(first) && b->defines))
		how |= TINY_WAR;
	if (a->common && b->common)
		how |= TINY_ORDER;
	return how;
}

/* Of the lanes `here` that come to the instruction, those that execute it. */
static unsigned lanes_of(const tiny_inst *inst, unsigned here, bool known)
{
	if (!known || inst->guard == GUARD_NONE)
		return here;
	return here & (inst->guard == GUARD_P0 ? 2 : 1);
}

unsigned tiny_lanes(const tiny *core, uint8_t lanes[TINY_LENGTH])
{
	uint8_t come[TINY_LENGTH + 1] = {3}; /* lanes that come to each instruction */
	unsigned main = tiny_main(core), called = 0;
	bool known = true;
	for (unsigned i = 0; i < core->n; i++)
		known &= !tiny_info_of(&core->at[i])->defines;
	for (unsigned i = 0; i < main; i++) {
		const tiny_inst *inst = &core->at[i];
		bool leaves = inst->op == TINY_BRA || inst->op == TINY_EXIT;
		lanes[i] = (uint8_t)lanes_of(inst, come[i], known);
		if (inst->op == TINY_BRA)
			come[inst->target == core->n ? main : inst->target] |= lanes[i];
		come[i + 1] |= leaves && (known || inst->guard == GUARD_NONE) ? come[i] & ~lanes[i] : come[i];
		if (inst->op == TINY_CALL)
			called = lanes[i];
	}
	unsigned end = come[main];
	for (unsigned i = main; i < core->n; i++)
		lanes[i] = (uint8_t)lanes_of(&core->at[i], called, known);
	return end;
}
