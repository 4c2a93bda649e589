#include "passes/annotate/waiting_branches.h"

enum { MAX_GUARDED = 512 };

/* The counter that an instruction both waits for and raises, as a wait mask; 0 = none. */
static uint16_t own_counter(const hd_ir_inst *inst) { return inst->primary ? inst->wait & (uint16_t)(1u << (inst->primary - 1)) : 0; }

/* To its own block, under the guard "never". */
static hd_ir_inst *waiting_branch(hd_ir_module *module, uint32_t block, uint16_t wait, hd_ir_loc loc)
{
	hd_ir_inst *inst = hd_ir_inst_new(module, HD_OP_BRA, 0, 0);
	inst->guard = hd_opd_pred(HD_PT, true);
	inst->callee = (int32_t)block;
	inst->wait = wait;
	inst->loc = loc;
	return inst;
}

static bool is_needed(const hd_ir_block *block)
{
	for (size_t i = 0; i < block->insts.n; i++)
		if (own_counter(block->insts.at[i]))
			return true;
	return false;
}

void hd_insert_waiting_branches(hd_ir_module *module, hd_ir_function *function)
{
	for (uint32_t b = 0; b < function->blocks.n; b++) {
		hd_ir_block *block = function->blocks.at[b];
		hd_ir_insts out = {0};
		if (!is_needed(block))
			continue;
		for (size_t i = 0; i < block->insts.n; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			uint16_t own = own_counter(inst);
			if (own) {
				hd_vec_push(&out, waiting_branch(module, b, own, inst->loc));
				inst->wait &= (uint16_t)~own;
			}
			hd_vec_push(&out, inst);
		}
		hd_ir_replace_insts(block, &out);
	}
}

static size_t count_guarded(const hd_ir_block *block)
{
	size_t n = 0;
	for (size_t i = 0; i < block->insts.n; i++)
		n += block->insts.at[i]->guard.kind != HD_OPD_NONE;
	return n;
}

void hd_insert_places_to_wait(hd_ir_module *module, hd_ir_function *function)
{
	for (uint32_t b = 0; b < function->blocks.n; b++) {
		hd_ir_block *block = function->blocks.at[b];
		hd_ir_insts out = {0};
		if (count_guarded(block) <= MAX_GUARDED)
			continue;
		for (size_t i = 0, guarded = 0; i < block->insts.n; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			hd_vec_push(&out, inst);
			guarded += inst->guard.kind != HD_OPD_NONE;
			if (guarded % MAX_GUARDED == 0 && inst->guard.kind != HD_OPD_NONE && i + 1 < block->insts.n)
				hd_vec_push(&out, waiting_branch(module, b, 0, inst->loc));
		}
		hd_ir_replace_insts(block, &out);
	}
}
