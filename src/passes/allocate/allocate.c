/* Register allocation: functions from callees to callers, so that what a call changes is known; rounds of assignment (assign.c) and rewriting
 * (spill.c) until everything has its place; a proof of the result (verify_allocation.c). */
#include "passes/allocate/allocate.h"
#include "passes/passes.h"

enum { PATIENCE = 12 /* rounds after which all that can be spilled is */, MAX_ROUNDS = 60, PREDICATES = 256, MIN_REGISTERS = 16 };

static void apply(const hd_allocation *a, hd_opd *o)
{
	if (o->kind == HD_OPD_PRED) {
		uint16_t reg = a->info.at[o->reg].reg;
		o->reg = reg == HD_NOT_FIXED ? HD_PT : reg - PREDICATES;
	} else if (o->kind == HD_OPD_REG) {
		uint16_t reg = a->info.at[o->reg].reg;
		o->reg = reg == HD_NOT_FIXED ? HD_RZ : reg == HD_RZ ? HD_RZ : (uint32_t)reg + o->sub;
		o->sub = 0;
	}
}

static void apply_all(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		size_t kept = 0;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++)
				apply(a, &inst->s[i]);
			for (unsigned i = 0; i < inst->nd; i++)
				apply(a, &inst->d[i]);
			apply(a, &inst->guard);
			bool itself =
			    (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG && inst->s[0].reg == inst->d[0].reg;
			if (!itself)
				block->insts.at[kept++] = inst;
		}
		block->insts.n = kept;
		apply(a, &block->pred);
	}
	for (size_t i = 0; i < f->results.n; i++)
		apply(a, &f->results.at[i]);
}

static void collect_clobbers(const hd_ir_function *f, const hd_clobber *clobbers, hd_clobber *out)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->nd; i++) {
				const hd_opd *d = &inst->d[i];
				if (d->kind == HD_OPD_PRED && d->reg < HD_PREDS)
					out->predicates |= (uint8_t)(1u << d->reg);
				for (uint32_t r = d->reg; d->kind == HD_OPD_REG && d->reg != HD_RZ && r < d->reg + d->words; r++)
					out->registers[r >> 6] |= UINT64_C(1) << (r & 63);
			}
			const hd_clobber *c = inst->op == HD_OP_CALL ? &clobbers[inst->callee] : NULL;
			for (unsigned w = 0; w < 4; w++)
				out->registers[w] |= inst->op == HD_OP_CALLX ? UINT64_MAX : c ? c->registers[w] : 0;
			out->predicates |= inst->op == HD_OP_CALLX ? 0x7f : c ? c->predicates : 0;
		}
	}
}

/* Registers that the widest block allows a thread. */
static uint32_t register_limit(const hd_ir_module *module, const hd_machine *machine)
{
	uint32_t threads = 1;
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_kernel *k = &module->functions.at[i]->info;
		uint32_t required = k->required_block[0] * k->required_block[1] * k->required_block[2];
		uint32_t wants = required ? required : k->max_threads;
		threads = wants > threads ? wants : threads;
	}
	uint32_t warps = (threads + HD_LANES - 1) / HD_LANES, limit = machine->machine_registers / (warps * HD_LANES);
	limit = limit > HD_RZ ? HD_RZ : limit;
	return limit < MIN_REGISTERS ? MIN_REGISTERS : limit;
}

bool hd_allocate_limited(hd_ir_module *module, const hd_machine *machine, uint32_t limit, uint32_t predicates, hd_diag *diag)
{
	size_t n = module->functions.n;
	bool *recursive, ok = true, stack = hd_module_needs_stack(module);
	uint32_t *order = hd_call_order(module, &recursive);
	hd_clobber *clobbers = hd_xcalloc(n + 1, sizeof *clobbers);
	for (size_t i = 0; i < n; i++) {
		if (recursive[i])
			clobbers[i] = (hd_clobber){.registers = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, .predicates = 0x7f};
	}
	uint32_t aim = machine->machine_registers / (machine->machine_schedulers * machine->machine_warps * HD_LANES);
	for (size_t i = 0; i < n && ok; i++) {
		hd_ir_function *f = module->functions.at[order[i]];
		hd_allocation a = {.module = module,
		                   .f = f,
		                   .clobbers = clobbers,
		                   .limit = limit,
		                   .predicates = predicates,
		                   .aim = aim < 24 ? 24 : aim,
		                   .stack = stack,
		                   .stack_pointer = UINT32_MAX,
		                   .zero = UINT32_MAX};
		hd_ir_link(f);
		hd_ir_loops(f);
		hd_lower_calls(&a);
		uint32_t used = 0;
		for (unsigned round = 0; ok && !hd_assign(&a, round >= PATIENCE, &used); round++) {
			hd_invariant(round < MAX_ROUNDS, "allocation of %s does not end", f->name);
			hd_rewrite_spills(&a);
		}
		hd_text why = {0};
		hd_invariant(!ok || hd_verify_allocation(&a, &why), "%s", why.at);
		if (ok)
			apply_all(&a);
		f->allocated = ok;
		f->registers = used;
		if (!recursive[order[i]])
			collect_clobbers(f, clobbers, &clobbers[order[i]]);
		hd_vec_free(&a.info);
	}
	ok = ok && hd_finish_frames(module, stack, diag);
	free(order);
	free(recursive);
	free(clobbers);
	return ok;
}

bool hd_pass_allocate(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	return hd_allocate_limited(module, machine, register_limit(module, machine), HD_PREDS, diag);
}
