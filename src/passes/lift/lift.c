#include "passes/lift/lift.h"

typedef struct lifter {
	const hd_object *object;
	const hd_machine *machine;
	hd_ir_module *module;
	bool strip;
	hd_inst *insts;     /* by word */
	bool *leader;       /* by word: a block begins there */
	bool *kept;         /* by word: it becomes an instruction of the IR */
	uint32_t *block_at; /* by word: number of the block in its function */
	hd_ir_inst **at;    /* by word */
	size_t line;        /* the next entry of the object's line table */
	hd_ir_loc loc;
} lifter;

/* -- operands ------------------------------------------------------------------------------------------------------------------------------ */

static hd_opd predicate(unsigned field, bool neg) { return field < HD_PREDS || neg ? hd_opd_pred(field, neg) : (hd_opd){0}; }

/* A predicate of four bits: the number and, above it, "negated". */
static hd_opd predicate_field(unsigned field) { return predicate(field & 7, field >> 3 & 1); }

static hd_opd source(const hd_inst *inst, unsigned i, bool strip)
{
	const uint8_t fields[3] = {inst->a, inst->b, inst->c};
	unsigned words = hd_operand_words(inst, i);
	if (inst->ksel == i + 1)
		return hd_opd_const(4u * fields[i], words);
	if (inst->ksel == 3 && i == 1 && hd_op_takes_imm16((hd_op)inst->op))
		return hd_opd_imm(hd_imm16_value(inst), words);
	hd_opd o = hd_opd_reg(fields[i], words);
	o.last_use = !strip && (inst->last_use >> i & 1);
	return o;
}

static hd_opd destination(const hd_inst *inst)
{
	if (hd_ops[inst->op].d == HD_W_P)
		return predicate(inst->d, false);
	return inst->d == HD_RZ ? (hd_opd){0} : hd_opd_reg(inst->d, hd_operand_words(inst, 4));
}

/* The operands behind those of the row (hd_ir_inst), and the fields that are no operands. */
static void lift_format(hd_ir_inst *out, const hd_inst *inst, unsigned sources)
{
	switch ((hd_format)hd_ops[inst->op].format) {
	case HD_F_SEL:
	case HD_F_VOTE:
		out->s[sources] = predicate_field(inst->sub);
		out->sub = 0;
		break;
	case HD_F_CARRY:
		out->s[sources] = predicate(inst->sub & 7, false);
		out->d[1] = predicate(inst->sub >> 3 & 7, false);
		out->sub = 0;
		break;
	case HD_F_PLOP:
		out->s[0] = predicate_field(inst->sub2);
		out->s[1] = predicate_field(inst->sub2 >> 4);
		out->s[2] = predicate_field(inst->b);
		break;
	case HD_F_MOVI:
		out->s[0] = hd_opd_imm((uint32_t)inst->imm, 1);
		break;
	case HD_F_HINTS:
		out->s[0] = hd_opd_imm((uint32_t)inst->imm, 1);
		out->offset = inst->a;
		break;
	case HD_F_LD:
	case HD_F_ST:
		out->offset = inst->imm;
		break;
	case HD_F_BAR:
		out->offset = inst->a;
		out->s[0] = inst->b == HD_RZ ? (hd_opd){0} : hd_opd_reg(inst->b, 1);
		break;
	case HD_F_CBAR:
		out->offset = inst->a;
		break;
	default:
		break;
	}
}

static hd_ir_inst *lift_inst(const lifter *l, uint32_t word)
{
	const hd_inst *inst = &l->insts[word];
	const hd_op_info *row = &hd_ops[inst->op];
	hd_ir_inst probe = {.op = inst->op, .mod = inst->mod, .sub = inst->sub};
	hd_ir_shape shape;
	hd_ir_shape_of(&probe, &shape);
	if (shape.any) /* arguments are no operands here: at a call nothing is outstanding */
		shape.ns = inst->op == HD_OP_CALLX;
	hd_ir_inst *out = hd_ir_inst_new(l->module, inst->op, shape.nd, shape.ns);
	out->mod = inst->mod;
	out->sub = inst->sub;
	out->guard = hd_is_unguarded(inst) ? (hd_opd){0} : hd_opd_pred(inst->guard, inst->guard_neg);
	if (row->d != HD_W_N)
		out->d[0] = destination(inst);
	for (unsigned i = 0; i < row->sources; i++)
		out->s[i] = source(inst, i, l->strip);
	lift_format(out, inst, row->sources);
	if (!l->strip) {
		out->primary = inst->primary;
		out->release = inst->release;
		out->wait = inst->wait;
	}
	out->loc = l->loc;
	out->word = word;
	return out;
}

/* -- blocks -------------------------------------------------------------------------------------------------------------------------------- */

/* With convergence barriers the lanes of a warp gather at a `bar`. */
static bool gathers(const lifter *l, const hd_inst *inst)
{
	return inst->op == HD_OP_BAR && l->machine->divergence_mode == HD_DIV_BARRIERS && !hd_is_never(inst);
}

/* Lanes of a token wait before the instruction (RC-21). */
static bool meets(const lifter *l, const hd_inst *inst) { return hd_machine_pops_by_flag(l->machine) && inst->hint3 & HD_MEETS; }

static bool ends_block(const lifter *l, const hd_inst *inst)
{
	static const uint8_t ends[] = {HD_OP_BRA,  HD_OP_BRK,  HD_OP_BRX,   HD_OP_EXIT,  HD_OP_RET,
	                               HD_OP_TRAP, HD_OP_SYNC, HD_OP_BSYNC, HD_OP_YIELD, HD_OP_WSYNC};
	return gathers(l, inst) || (memchr(ends, inst->op, sizeof ends) && !hd_is_never(inst));
}

static void mark_leaders(lifter *l)
{
	const hd_object *o = l->object;
	uint32_t words = (uint32_t)o->code.n;
	for (size_t i = 0; i < o->kernels.n; i++)
		l->leader[o->kernels.at[i].entry] = true;
	for (size_t i = 0; i < o->targets.n; i++)
		l->leader[o->targets.at[i]] = true;
	for (size_t i = 0; i < o->functions.n; i++)
		l->leader[hd_function_first(o, &o->functions.at[i])] = true;
	for (uint32_t word = 0; word < words; word++) {
		const hd_inst *inst = &l->insts[word];
		if (!hd_object_begins(o, word))
			continue;
		if (hd_ops[inst->op].format == HD_F_BRANCH && !hd_is_never(inst))
			l->leader[inst->imm] = true;
		l->leader[word] |= gathers(l, inst) || meets(l, inst);
		if (ends_block(l, inst))
			l->leader[hd_object_after(o, word)] = true; /* at the end of a function it is padding, or the next function */
	}
}

/* Instructions that only carry annotations. */
static bool is_carrier(const hd_inst *inst)
{
	return (inst->op == HD_OP_NOP && hd_is_unguarded(inst)) || inst->op == HD_OP_HINTS || (inst->op == HD_OP_BRA && hd_is_never(inst));
}

/* Marks the instructions of a function that stay. No-ops behind its last instruction are padding. Where a block begins with an instruction that does
 * not stay, it begins with the next one that stays: what a branch leads to never falls out of a function. */
static void choose_kept(lifter *l, const hd_function *f)
{
	uint32_t end = f->end;
	while (end > f->begin && (!hd_object_begins(l->object, end - 1) || l->insts[end - 1].op == HD_OP_NOP))
		end--;
	for (uint32_t word = f->begin; word < end; word++)
		l->kept[word] |= hd_object_begins(l->object, word) && (!l->strip || !is_carrier(&l->insts[word]) || meets(l, &l->insts[word]));
}

/* The position in the source of the instruction at `word`; words ascend from call to call. */
static void find_source(lifter *l, uint32_t word)
{
	for (; l->line < l->object->lines.n && l->object->lines.at[l->line].word <= word; l->line++) {
		const hd_line *line = &l->object->lines.at[l->line];
		l->loc = (hd_ir_loc){.file = line->file, .column = line->line ? line->column : HD_IR_NO_LINE, .line = line->line};
	}
}

static void fill_blocks(lifter *l, hd_ir_function *out, const hd_function *f)
{
	bool begins = true;
	for (uint32_t word = f->begin; word < f->end; word++) {
		begins |= l->leader[word];
		l->block_at[word] = (uint32_t)out->blocks.n - !begins;
		if (!l->kept[word])
			continue;
		if (begins) {
			uint32_t fresh = hd_ir_block_new(l->module, out);
			out->blocks.at[fresh]->meets = meets(l, &l->insts[word]);
		}
		begins = false;
		find_source(l, word);
		l->at[word] = lift_inst(l, word);
		hd_vec_push(&out->blocks.at[out->blocks.n - 1]->insts, l->at[word]);
	}
}

/* Ends block b, from which control may fall into the next one. Only code that nothing reaches falls out of its function (hd_object_validate), and
 * then there is no next block. */
static void end_with(hd_ir_function *out, uint32_t b, hd_term_kind term, bool falls)
{
	hd_ir_block *block = out->blocks.at[b];
	block->term = term;
	if (falls && b + 1 < out->blocks.n)
		hd_vec_push(&block->succ, b + 1);
	else if (falls && term == HD_TERM_BRANCH)
		block->term = HD_TERM_JUMP;
	else if (falls && term == HD_TERM_JUMP)
		block->term = HD_TERM_EXIT;
}

/* Where control goes from the end of block b. */
static void find_successors(const lifter *l, hd_ir_function *out, uint32_t b, const hd_function *f)
{
	hd_ir_block *block = out->blocks.at[b];
	const hd_ir_inst *last = block->insts.at[block->insts.n - 1];
	const hd_inst *inst = &l->insts[last->word];
	bool falls = !hd_is_unguarded(inst);
	block->loc = last->loc;
	switch (hd_is_never(inst) ? HD_OP_NOP : (hd_op)inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
		block->pred = last->guard;
		hd_vec_push(&block->succ, l->block_at[inst->imm]);
		end_with(out, b, falls ? HD_TERM_BRANCH : HD_TERM_JUMP, falls);
		break;
	case HD_OP_BRX:
		for (size_t i = 0; i < l->object->targets.n; i++)
			if (l->object->targets.at[i] >= f->begin && l->object->targets.at[i] < f->end)
				hd_vec_push(&block->succ, l->block_at[l->object->targets.at[i]]);
		end_with(out, b, HD_TERM_SWITCH, falls);
		break;
	case HD_OP_EXIT:
		end_with(out, b, falls ? HD_TERM_JUMP : HD_TERM_EXIT, falls);
		break;
	case HD_OP_RET:
		end_with(out, b, HD_TERM_RET, falls);
		break;
	case HD_OP_TRAP:
		end_with(out, b, falls ? HD_TERM_JUMP : HD_TERM_TRAP, falls);
		break;
	default:
		end_with(out, b, HD_TERM_JUMP, true);
		break;
	}
}

/* A branch that no lane takes gets its own block as its target. */
static void set_targets(const lifter *l, hd_ir_function *out)
{
	for (uint32_t b = 0; b < out->blocks.n; b++) {
		const hd_ir_block *block = out->blocks.at[b];
		for (size_t i = 0; i < block->insts.n; i++) {
			hd_ir_inst *to = block->insts.at[i];
			const hd_inst *inst = &l->insts[to->word];
			if (hd_ops[inst->op].format != HD_F_BRANCH)
				continue;
			if (inst->op == HD_OP_CALL)
				to->callee = (int32_t)(hd_object_function(l->object, (uint32_t)inst->imm) - l->object->functions.at);
			else
				to->callee = (int32_t)(hd_is_never(inst) ? b : l->block_at[inst->imm]);
		}
	}
}

static void lift_function(lifter *l, const hd_function *f)
{
	hd_ir_function *out = hd_ir_function_new(l->module, f->name);
	uint32_t first = hd_function_first(l->object, f);
	out->kernel = hd_function_is_kernel(l->object, f);
	out->allocated = out->laid_out = true;
	out->frame_base = UINT32_MAX;
	for (size_t i = 0; i < l->object->targets.n; i++)
		out->address_taken |= l->object->targets.at[i] == first;
	fill_blocks(l, out, f);
	for (uint32_t b = 0; b < out->blocks.n; b++)
		find_successors(l, out, b, f);
	set_targets(l, out);
}

/* -- the object ---------------------------------------------------------------------------------------------------------------------------- */

static void copy_tables(const hd_object *o, hd_ir_module *module)
{
	for (size_t i = 0; i < o->files.n; i++)
		hd_vec_push(&module->files, hd_arena_strndup(&module->arena, o->files.at[i], strlen(o->files.at[i])));
	for (size_t i = 0; i < o->data.n; i++)
		hd_vec_push(&module->data, o->data.at[i]);
	for (size_t i = 0; i < o->relocs.n; i++)
		hd_vec_push(&module->relocs, o->relocs.at[i]);
	for (size_t i = 0; i < o->variables.n; i++) {
		hd_variable variable = o->variables.at[i];
		variable.name = hd_arena_strndup(&module->arena, variable.name, strlen(variable.name));
		hd_vec_push(&module->variables, variable);
	}
	for (size_t i = 0; i < o->literals.n; i++)
		hd_vec_push(&module->literals, o->literals.at[i]);
}

static void decode(lifter *l)
{
	for (uint32_t word = 0; word < l->object->code.n; word++) {
		const char *why = NULL;
		if (hd_object_begins(l->object, word))
			hd_invariant(hd_line_get(l->object->geometry, l->object->code.at, word, &l->insts[word], &why), "word %u does not decode: %s",
			             word, why);
	}
}

/* Groups of lanes in different functions take turns (docs/timing.md, "Calls"). */
static bool functions_take_turns(const lifter *l)
{
	bool calls = false, turns = false;
	for (uint32_t word = 0; word < l->object->code.n; word++) {
		calls |= l->insts[word].op == HD_OP_CALL || l->insts[word].op == HD_OP_CALLX;
		turns |= l->insts[word].op == HD_OP_YIELD || l->insts[word].op == HD_OP_WSYNC || l->insts[word].op == HD_OP_BAR;
	}
	return l->machine->divergence_mode == HD_DIV_BARRIERS && calls && turns;
}

static void mark_orders(lifter *l)
{
	for (size_t i = 0; i < l->object->orders.n; i++) {
		l->kept[l->object->orders.at[i].first] = true;
		l->kept[l->object->orders.at[i].second] = true;
	}
}

static void copy_orders(const lifter *l)
{
	for (size_t i = 0; i < l->object->orders.n; i++) {
		l->at[l->object->orders.at[i].first]->order_first = true;
		l->at[l->object->orders.at[i].second]->order_second = true;
	}
}

/* Emission gives every function an address, and every instruction a function. */
static bool all_in_functions(const lifter *l, const char *file, hd_diag *diag)
{
	for (uint32_t word = 0; word < l->object->code.n; word++) {
		if (!hd_object_begins(l->object, word) || l->insts[word].op == HD_OP_NOP || hd_object_function(l->object, word))
			continue;
		hd_error(diag, (hd_pos){.file = file}, "word %u lies in no function, expected .function before it and .end behind it", word);
		return false;
	}
	for (size_t i = 0; i < l->object->functions.n; i++) {
		const hd_function *f = &l->object->functions.at[i];
		if (hd_function_first(l->object, f) < f->end)
			continue;
		hd_error(diag, (hd_pos){.file = file}, "function %s has no instructions", f->name);
		return false;
	}
	return true;
}

bool hd_lift(const hd_object *object, const hd_machine *machine, bool strip, const char *file, hd_lifted *out, hd_diag *diag)
{
	size_t words = object->code.n + HD_LINE_WORDS;
	lifter l = {.object = object, .machine = machine, .strip = strip, .module = hd_ir_module_new()};
	l.insts = hd_xcalloc(words, sizeof *l.insts);
	l.leader = hd_xcalloc(words, sizeof *l.leader);
	l.kept = hd_xcalloc(words, sizeof *l.kept);
	l.block_at = hd_xcalloc(words, sizeof *l.block_at);
	l.at = hd_xcalloc(words, sizeof *l.at);
	decode(&l);
	bool ok = all_in_functions(&l, file, diag);
	if (ok) {
		mark_leaders(&l);
		mark_orders(&l);
		copy_tables(object, l.module);
		for (size_t i = 0; i < object->functions.n; i++)
			choose_kept(&l, &object->functions.at[i]);
		for (size_t i = 0; i < object->functions.n; i++)
			lift_function(&l, &object->functions.at[i]);
		copy_orders(&l);
		bool turns = functions_take_turns(&l);
		for (size_t i = 0; i < l.module->functions.n; i++)
			l.module->functions.at[i]->switches = turns;
	}
	*out = (hd_lifted){.module = l.module, .at = l.at};
	free(l.insts);
	free(l.leader);
	free(l.kept);
	free(l.block_at);
	return ok;
}

void hd_lifted_free(hd_lifted *lifted)
{
	hd_ir_module_free(lifted->module);
	free(lifted->at);
	*lifted = (hd_lifted){0};
}
