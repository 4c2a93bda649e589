/* Functions are allocated from callees to callers, so that for each call it is known what it changes. For each function, assignment and spilling
 * alternate until every register has a place; then the result is verified and applied. */
#include "passes/allocate/allocate.h"

#include "passes/allocate/calls.h"
#include "passes/allocate/frames.h"
#include "passes/allocate/linear_scan.h"
#include "passes/allocate/spill.h"
#include "passes/allocate/verify.h"
#include "passes/analysis/call_graph.h"

enum {
	SPILL_ALL_ROUND = 12, /* from this round on all registers are spilled that can be */
	MAX_ROUNDS = 60,
	MIN_REGISTERS = 16,
	MIN_FREE_REGISTERS = 24, /* are used even where they cost occupancy */
};

static const hd_clobber clobbers_all = {.registers = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, .predicates = (1u << HD_PREDS) - 1};

static void apply_operand(const hd_allocation *a, hd_opd *o)
{
	if (o->kind == HD_OPD_PRED) {
		uint16_t place = a->info.at[o->reg].place;
		o->reg = place == HD_NOT_FIXED ? HD_PT : place - HD_FIRST_PREDICATE_PLACE;
	} else if (o->kind == HD_OPD_REG) {
		uint16_t place = a->info.at[o->reg].place;
		o->reg = place == HD_NOT_FIXED || place == HD_RZ ? HD_RZ : (uint32_t)place + o->sub;
		o->sub = 0;
	}
}

static bool copies_to_itself(const hd_ir_inst *inst)
{
	return (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG && inst->s[0].reg == inst->d[0].reg;
}

/* Virtual registers become physical ones. */
static void apply(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		size_t kept = 0;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++)
				apply_operand(a, &inst->s[i]);
			for (unsigned i = 0; i < inst->nd; i++)
				apply_operand(a, &inst->d[i]);
			apply_operand(a, &inst->guard);
			if (!copies_to_itself(inst))
				block->insts.at[kept++] = inst;
		}
		block->insts.n = kept;
		apply_operand(a, &block->pred);
	}
	for (size_t i = 0; i < f->results.n; i++)
		apply_operand(a, &f->results.at[i]);
}

static void add_clobber(hd_clobber *to, const hd_clobber *more)
{
	for (unsigned w = 0; w < HD_COUNT(to->registers); w++)
		to->registers[w] |= more->registers[w];
	to->predicates |= more->predicates;
}

/* The registers that an allocated function, and all that it calls, may change. */
static hd_clobber collect_clobbers(const hd_ir_function *f, const hd_clobber *clobbers)
{
	hd_clobber all = {{0}, 0};
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->nd; i++) {
				const hd_opd *d = &inst->d[i];
				if (d->kind == HD_OPD_PRED && d->reg < HD_PREDS)
					all.predicates |= (uint8_t)(1u << d->reg);
				for (uint32_t r = d->reg; d->kind == HD_OPD_REG && d->reg != HD_RZ && r < d->reg + d->words; r++)
					all.registers[r >> 6] |= UINT64_C(1) << (r & 63);
			}
			if (inst->op == HD_OP_CALL)
				add_clobber(&all, &clobbers[inst->callee]);
			if (inst->op == HD_OP_CALLX)
				add_clobber(&all, &clobbers_all);
		}
	}
	return all;
}

/* Registers that the largest block leaves a thread. */
static uint32_t register_limit(const hd_ir_module *module, const hd_machine *machine)
{
	uint32_t threads = 1;
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_kernel *k = &module->functions.at[i]->info;
		uint32_t required = k->required_block[0] * k->required_block[1] * k->required_block[2];
		threads = hd_max_u32(threads, required ? required : k->max_threads);
	}
	uint32_t warps = hd_divide_up_u32(threads, machine->machine_lanes), limit = machine->machine_registers / (warps * machine->machine_lanes);
	return hd_max_u32(hd_min_u32(limit, HD_RZ), MIN_REGISTERS);
}

/* The number of registers used. */
static uint32_t allocate_function(hd_allocation *a)
{
	uint32_t used = 0;
	hd_text why = {0};
	hd_ir_link(a->f);
	hd_ir_loops(a->f);
	hd_lower_calls(a);
	for (unsigned round = 0; !hd_assign_places(a, round >= SPILL_ALL_ROUND, &used); round++) {
		hd_invariant(round < MAX_ROUNDS, "allocation of %s does not end", a->f->name);
		hd_rewrite_spills(a);
	}
	hd_invariant(hd_verify_allocation(a, &why), "%s", why.at);
	apply(a);
	return used;
}

bool hd_allocate_limited(hd_ir_module *module, const hd_machine *machine, uint32_t registers, uint32_t predicates, hd_diag *diag)
{
	size_t n = module->functions.n;
	bool *recursive, stack = hd_module_needs_stack(module);
	uint32_t *order = hd_call_order(module, &recursive);
	hd_clobber *clobbers = hd_xcalloc(n + 1, sizeof *clobbers);
	for (size_t i = 0; i < n; i++) {
		if (recursive[i])
			clobbers[i] = clobbers_all;
	}
	uint32_t full_occupancy = machine->machine_registers / (machine->machine_schedulers * machine->machine_warps * machine->machine_lanes);
	for (size_t i = 0; i < n; i++) {
		hd_ir_function *f = module->functions.at[order[i]];
		hd_allocation a = {.module = module,
		                   .f = f,
		                   .clobbers = clobbers,
		                   .limit = registers,
		                   .predicates = predicates,
		                   .free_registers = hd_max_u32(full_occupancy, MIN_FREE_REGISTERS),
		                   .stack = stack,
		                   .stack_pointer = UINT32_MAX,
		                   .zero = UINT32_MAX};
		f->registers = allocate_function(&a);
		f->allocated = true;
		if (!recursive[order[i]])
			clobbers[order[i]] = collect_clobbers(f, clobbers);
		hd_vec_free(&a.info);
	}
	free(order);
	free(recursive);
	free(clobbers);
	return hd_finish_frames(module, stack, diag);
}

bool hd_pass_allocate(hd_ir_module *module, const hd_pass_context *context)
{
	return hd_allocate_limited(module, context->machine, register_limit(module, context->machine), HD_PREDS, context->diag);
}
