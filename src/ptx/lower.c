/* The driver of lowering: modules, functions, blocks, statements, guards. */
#include "ptx/lower.h"

#include "ptx/ptx.h"

/* -- blocks ----------------------------------------------------------------------------------------------------------------------- */

uint32_t ptx_new_block(ptx_fn *fn) { return hd_ir_block_new(fn->lw->ir, fn->f); }

static hd_ir_block *present(ptx_fn *fn) { return fn->f->blocks.at[fn->block]; }

void ptx_end(ptx_fn *fn, hd_term_kind kind)
{
	hd_ir_block *block = present(fn);
	hd_invariant(fn->open, "block %u of %s ends twice", fn->block, fn->f->name);
	block->term = kind;
	block->loc = fn->loc;
	fn->open = false;
}

void ptx_end_jump(ptx_fn *fn, uint32_t to)
{
	ptx_end(fn, HD_TERM_JUMP);
	hd_vec_push(&present(fn)->succ, to);
}

void ptx_end_branch(ptx_fn *fn, hd_opd pred, uint32_t yes, uint32_t no)
{
	ptx_end(fn, HD_TERM_BRANCH);
	present(fn)->pred = pred;
	hd_vec_push(&present(fn)->succ, yes);
	hd_vec_push(&present(fn)->succ, no);
}

void ptx_begin_block(ptx_fn *fn, uint32_t block)
{
	if (fn->open)
		ptx_end_jump(fn, block);
	fn->block = block;
	fn->open = true;
	hd_vec_push(&fn->order, block);
}

uint32_t ptx_label(ptx_fn *fn, const ptx_opd *opd)
{
	ptx_name *name = opd->name;
	if (!name || opd->sym || opd->imm || opd->kind != PTX_O_SYMBOL) {
		ptx_wrong(fn, opd->pos, "expected a label");
		return fn->block;
	}
	if (!name->block) {
		name->block = ptx_new_block(fn) + 1;
		name->used = opd->pos;
		hd_vec_push(&fn->labels, name);
	}
	return name->block - 1;
}

/* Debug information adds labels that nothing jumps to. They are ignored, because they would only split blocks. */
static void note_labels(ptx_fn *fn)
{
	uint32_t serial = ++fn->lw->serial;
	for (size_t i = 0; i < fn->func->body.n; i++) {
		const ptx_inst *inst = fn->func->body.at[i].kind == PTX_INST ? fn->func->body.at[i].inst : NULL;
		for (unsigned o = 0; inst && o < inst->nopds; o++) {
			const ptx_opd *opd = &inst->opds[o];
			if (opd->kind != PTX_O_SYMBOL)
				continue;
			opd->name->wanted = serial;
			if (!opd->sym || opd->sym->kind != PTX_SYM_TABLE)
				continue;
			const ptx_table *table = (const ptx_table *)opd->sym;
			for (size_t l = 0; l < table->labels.n; l++)
				table->labels.at[l].name->wanted = serial;
		}
	}
}

static void define_label(ptx_fn *fn, ptx_name *name, ptx_place pos)
{
	if (name->wanted != fn->lw->serial)
		return;
	if (name->block && name->used.line == 0) {
		ptx_report(fn->lw, pos, "label %.80s is defined twice in this function", name->text);
		return;
	}
	if (!name->block) {
		name->block = ptx_new_block(fn) + 1;
		hd_vec_push(&fn->labels, name);
	}
	name->used = (ptx_place){0};
	ptx_begin_block(fn, name->block - 1);
}

/* Reports labels that have no definition, and forgets all labels. */
static void close_labels(ptx_fn *fn)
{
	for (size_t i = 0; i < fn->labels.n; i++) {
		ptx_name *name = fn->labels.at[i];
		if (name->used.line)
			ptx_report(fn->lw, name->used, "label %.80s is not defined in this function", name->text);
		name->block = 0;
		name->used = (ptx_place){0};
	}
}

/* Sorts the blocks into the order of the text: a forward jump creates its block early. */
static void sort_blocks(ptx_fn *fn)
{
	hd_ir_function *f = fn->f;
	uint32_t *number = hd_xcalloc(f->blocks.n, sizeof *number);
	hd_ir_block **sorted = hd_xcalloc(f->blocks.n, sizeof(hd_ir_block *));
	hd_invariant(fn->order.n == f->blocks.n, "%zu blocks were begun of %zu", fn->order.n, f->blocks.n);
	for (uint32_t i = 0; i < fn->order.n; i++) {
		number[fn->order.at[i]] = i;
		sorted[i] = f->blocks.at[fn->order.at[i]];
	}
	for (size_t i = 0; i < f->blocks.n; i++)
		for (size_t j = 0; j < sorted[i]->succ.n; j++)
			sorted[i]->succ.at[j] = number[sorted[i]->succ.at[j]];
	memcpy(f->blocks.at, sorted, f->blocks.n * sizeof(hd_ir_block *));
	free(sorted);
	free(number);
}

/* -- positions ---------------------------------------------------------------------------------------------------------------------- */

static hd_ir_loc place_in_source(ptx_lower *lw, uint32_t file, uint32_t line, uint32_t column)
{
	if (line == 0)
		return (hd_ir_loc){.column = HD_IR_NO_LINE}; /* the source has no line for what follows: not the line before */
	if (lw->file_map && file <= UINT16_MAX && lw->file_map[file])
		return (hd_ir_loc){(uint16_t)(lw->file_map[file] - 1), (uint16_t)(column > UINT16_MAX ? 0 : column), line};
	return (hd_ir_loc){0};
}

/* Without line directives, the PTX text is the source. */
static hd_ir_loc place_in_ptx(ptx_lower *lw, ptx_place at)
{
	if (lw->ast->locs || !lw->own_file)
		return (hd_ir_loc){0};
	return (hd_ir_loc){(uint16_t)(lw->own_file - 1), (uint16_t)(at.column > UINT16_MAX ? 0 : at.column), at.line};
}

static void map_files(ptx_lower *lw)
{
	if (!lw->ast->locs) {
		hd_vec_push(&lw->ir->files, hd_arena_strndup(&lw->ir->arena, lw->ast->file, strlen(lw->ast->file)));
		lw->own_file = (uint16_t)lw->ir->files.n;
		return;
	}
	lw->file_map = hd_xcalloc(UINT16_MAX + 1, sizeof *lw->file_map);
	for (size_t i = 0; i < lw->ast->files.n && i < UINT16_MAX - 1; i++) {
		const ptx_file *file = &lw->ast->files.at[i];
		hd_vec_push(&lw->ir->files, hd_arena_strndup(&lw->ir->arena, file->path, strlen(file->path)));
		lw->file_map[file->number] = (uint16_t)lw->ir->files.n;
	}
}

/* -- statements --------------------------------------------------------------------------------------------------------------------- */

/* Reports a suffix that is unknown, or that no part of the instruction has used. */
static void check_suffixes(ptx_fn *fn, const ptx_inst *inst)
{
	if (fn->bad)
		return;
	for (unsigned m = 0; m < PTX_MOD_COUNT; m++)
		if (ptx_has(inst, (ptx_mod)m) && !(fn->used[m >> 6] >> (m & 63) & 1)) {
			ptx_wrong(fn, fn->pos, "suffix .%s has no meaning here or is not supported", ptx_mod_names[m]);
			return;
		}
}

/* The instruction without the policy of a cache hint (.L2::cache_hint), which means nothing here; in *copy, if it has one. */
static const ptx_inst *without_policy(const ptx_inst *inst, ptx_inst *copy)
{
	static const char *const names[] = {"ld", "st", "red", "atom"};
	unsigned plain = strcmp(inst->op->text, "atom") == 0 ? 3 + ptx_has(inst, PTX_M_CAS) : 2;
	bool has = false;
	for (size_t i = 0; i < HD_COUNT(names); i++)
		has = has || strcmp(inst->op->text, names[i]) == 0;
	if (!has || !ptx_has(inst, PTX_M_L2) || inst->nopds != plain + 1)
		return inst;
	*copy = *inst;
	copy->nopds--;
	return copy;
}

static void lower_plain(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_inst bare;
	const ptx_opcode *opcode = ptx_find_opcode(inst->op->text);
	inst = without_policy(inst, &bare);
	memset(fn->used, 0, sizeof fn->used);
	fn->bad = false;
	fn->inst = inst;
	if (!opcode) {
		const char *lacking = ptx_absent(inst->op->text);
		if (lacking)
			ptx_wrong(fn, fn->pos, "the machine has no %s", lacking);
		else
			ptx_wrong(fn, fn->pos, "this instruction is not supported");
	} else if (inst->unknown) {
		ptx_wrong(fn, fn->pos, "suffix .%.*s is unknown", (int)inst->unknown_length, inst->unknown);
	} else if (inst->nopds < opcode->least || inst->nopds > opcode->most) {
		if (opcode->least == opcode->most)
			ptx_wrong(fn, fn->pos, "%u operands, expected %u", inst->nopds, opcode->least);
		else
			ptx_wrong(fn, fn->pos, "%u operands, expected %u to %u", inst->nopds, opcode->least, opcode->most);
	} else {
		opcode->lower(fn, inst);
		check_suffixes(fn, inst);
	}
}

/* @p X: a single plain operation takes the guard itself. Any other instruction gets a block of its own, which the other lanes jump over.
 * Temporaries, cross-lane operations and control flow then need no guards. */
static void lower_guarded(ptx_fn *fn, const ptx_inst *inst)
{
	fn->bad = false;
	fn->inst = inst;
	hd_opd guard = ptx_pred(fn, &inst->guard);
	if (fn->bad)
		return;
	uint32_t before = fn->block;
	if (strcmp(inst->op->text, "bra") == 0 && inst->nopds == 1) {
		uint32_t next;
		memset(fn->used, 0, sizeof fn->used);
		ptx_mod_used(fn, PTX_M_UNI);
		uint32_t target = ptx_label(fn, &inst->opds[0]);
		next = ptx_new_block(fn);
		ptx_end_branch(fn, guard, target, next);
		ptx_begin_block(fn, next);
		check_suffixes(fn, inst);
		return;
	}
	uint32_t body = ptx_new_block(fn);
	size_t begun = fn->order.n;
	fn->open = false;
	ptx_begin_block(fn, body);
	lower_plain(fn, inst);
	hd_ir_block *block = fn->f->blocks.at[body];
	if (fn->open && fn->block == body && fn->f->blocks.n == body + 1u && block->insts.n <= 1 && !block->syncs &&
	    (block->insts.n == 0 || block->insts.at[0]->op != HD_IR_CALLF)) {
		fn->f->blocks.n--;
		fn->order.n = begun;
		fn->block = before;
		if (block->insts.n) {
			block->insts.at[0]->guard = guard;
			hd_vec_push(&present(fn)->insts, block->insts.at[0]);
		}
		hd_vec_free(&block->insts);
		return;
	}
	uint32_t join = ptx_new_block(fn), after = fn->block;
	bool open = fn->open;
	fn->block = before;
	fn->open = true;
	ptx_end_branch(fn, guard, body, join);
	fn->block = after;
	fn->open = open;
	ptx_begin_block(fn, join);
}

static void lower_statement(ptx_fn *fn, const ptx_stmt *stmt)
{
	fn->pos = stmt->pos;
	switch ((ptx_stmt_kind)stmt->kind) {
	case PTX_LABEL:
		define_label(fn, stmt->label, stmt->pos);
		return;
	case PTX_LOC:
		fn->loc = place_in_source(fn->lw, stmt->loc.file, stmt->loc.line, stmt->loc.column);
		return;
	case PTX_DECL:
	case PTX_INST:
		break;
	}
	if (!fn->open)
		ptx_begin_block(fn, ptx_new_block(fn)); /* behind a jump: unreachable, but it may have errors */
	if (!fn->lw->ast->locs)
		fn->loc = place_in_ptx(fn->lw, stmt->pos);
	if (stmt->kind == PTX_DECL)
		ptx_declare_param(fn, stmt->decl);
	else if (stmt->inst->guarded)
		lower_guarded(fn, stmt->inst);
	else
		lower_plain(fn, stmt->inst);
}

/* -- functions ---------------------------------------------------------------------------------------------------------------------- */

static hd_ir_loc first_loc(ptx_lower *lw, const ptx_func *func)
{
	for (size_t i = 0; i < func->body.n; i++)
		if (func->body.at[i].kind == PTX_LOC && func->body.at[i].loc.line)
			return place_in_source(lw, func->body.at[i].loc.file, func->body.at[i].loc.line, func->body.at[i].loc.column);
	return place_in_ptx(lw, func->proto.sym.pos);
}

static void lower_function(ptx_lower *lw, ptx_func *func, hd_ir_function *f, bool gathers)
{
	ptx_fn fn = {.lw = lw, .func = func, .f = f, .kernel = f->kernel, .gathers = gathers};
	fn.regs = hd_xcalloc(func->registers, sizeof *fn.regs);
	fn.loc = f->loc = first_loc(lw, func);
	fn.pos = func->proto.sym.pos;
	ptx_begin_block(&fn, ptx_new_block(&fn));
	ptx_bind_params(&fn);
	ptx_begin_stack(&fn);
	note_labels(&fn);
	for (size_t i = 0; i < func->body.n; i++)
		lower_statement(&fn, &func->body.at[i]);
	if (fn.open)
		ptx_end(&fn, fn.kernel ? HD_TERM_EXIT : HD_TERM_RET);
	close_labels(&fn);
	if (lw->diag->errors == 0)
		sort_blocks(&fn);
	for (size_t i = 0; i < fn.locals.n; i++)
		fn.locals.at[i]->placed = false;
	hd_vec_free(&fn.locals);
	hd_vec_free(&fn.order);
	hd_vec_free(&fn.labels);
	hd_vec_free(&fn.printed);
	free(fn.regs);
}

static void kernel_info(ptx_lower *lw, const ptx_func *func, hd_ir_function *f)
{
	uint64_t at = 0;
	f->kernel = true;
	f->info.name = f->name;
	f->info.shared_bytes = lw->shared_static[func->kernel];
	f->info.max_threads = func->max_threads;
	f->info.priority = func->priority;
	f->info.priority_step = func->priority_step;
	memcpy(f->info.required_block, func->required, sizeof func->required);
	for (size_t i = 0; i < func->proto.params.n; i++) {
		const ptx_var *var = func->proto.params.at[i];
		uint64_t align = var->align ? var->align : 1;
		hd_param param = {.name = hd_arena_strndup(&lw->ir->arena, var->sym.name->text, var->sym.name->length)};
		at = (at + align - 1) & ~(align - 1);
		if (var->unsized || at + var->bytes > HD_PARAM_BYTES_MAX) {
			if (var->unsized)
				ptx_report(lw, var->sym.pos, "parameter %.80s has no size", var->sym.name->text);
			else
				ptx_report(lw, var->sym.pos, "parameter %.80s ends at byte %llu, a kernel's parameters have at most %d bytes",
				           var->sym.name->text, (unsigned long long)(at + var->bytes), HD_PARAM_BYTES_MAX);
			return;
		}
		param.offset = (uint32_t)at;
		param.size = (uint32_t)var->bytes;
		param.align = var->points == PTX_S_SHARED && var->target_align ? var->target_align : (uint32_t)align;
		param.pointer = var->pointer;
		char kind = var->pointer || var->array ? 'B' : ptx_types[var->type].kind;
		param.type = kind == 'U' || kind == 'S' ? HD_PARAM_INTEGER : kind == 'F' ? HD_PARAM_FLOAT : HD_PARAM_BYTES;
		param.space = var->points == PTX_S_GLOBAL   ? HD_SPACE_GLOBAL
		              : var->points == PTX_S_SHARED ? HD_SPACE_SHARED
		              : var->points == PTX_S_CONST  ? HD_SPACE_CONST
		              : var->points == PTX_S_LOCAL  ? HD_SPACE_LOCAL
		                                            : HD_SPACE_NONE;
		at += var->bytes;
		hd_vec_push(&f->info.params, param);
	}
	f->info.param_bytes = (uint32_t)at;
}

static bool reached(const ptx_lower *lw, const ptx_func *func)
{
	const hd_bits *set = &lw->func_kernels[func->index];
	for (size_t i = 0; i < (set->bits + 63) / 64; i++)
		if (set->w[i])
			return func->defined;
	return false;
}

/* Creates IR functions in the order of the text. A kernel that is called also gets a callable copy. */
static void number_functions(ptx_lower *lw)
{
	for (size_t i = 0; i < lw->ast->funcs.n; i++) {
		ptx_func *func = lw->ast->funcs.at[i];
		const char *name = func->proto.sym.name->text;
		if (!reached(lw, func))
			continue;
		func->ir = (int32_t)lw->ir->functions.n;
		hd_ir_function *f = hd_ir_function_new(lw->ir, name);
		f->address_taken = lw->address_taken[i];
		if (!func->entry)
			continue;
		kernel_info(lw, func, f);
		f->address_taken = false;
		if (!lw->called[i])
			continue;
		func->ir_copy = (int32_t)lw->ir->functions.n;
		hd_ir_function_new(lw->ir, hd_arena_printf(&lw->ir->arena, "%s$call", name));
	}
}

static void forget_body(hd_ir_function *f)
{
	for (size_t b = 0; b < f->blocks.n; b++)
		hd_ir_block_empty(f->blocks.at[b]);
	f->blocks.n = f->vregs.n = f->params.n = f->results.n = 0;
	f->frame_bytes = 0;
	f->frame_align = 1;
}

/* All functions; or anew, gathering, those for which `gathering` is set. */
static void lower_functions(ptx_lower *lw, const bool *gathering)
{
	for (size_t i = 0; i < lw->ast->funcs.n; i++) {
		const int32_t of[2] = {lw->ast->funcs.at[i]->ir, lw->ast->funcs.at[i]->ir_copy};
		for (unsigned k = 0; k < 2; k++) {
			if (of[k] < 0 || (gathering && !gathering[of[k]]))
				continue;
			forget_body(lw->ir->functions.at[of[k]]);
			lower_function(lw, lw->ast->funcs.at[i], lw->ir->functions.at[of[k]], gathering != NULL);
		}
	}
}

bool ptx_lower_module(ptx_lower *lw)
{
	map_files(lw);
	ptx_reach(lw);
	ptx_place_shared(lw);
	number_functions(lw);
	ptx_place_data(lw);
	lower_functions(lw, NULL);
	if (lw->volta && lw->diag->errors == 0) {
		bool *gathering = ptx_find_gathering(lw->ir);
		lower_functions(lw, gathering);
		free(gathering);
	}
	if (lw->kernels == 0 && lw->diag->errors == 0)
		ptx_report(lw, (ptx_place){0, 0}, "there is no kernel in this file, expected at least one .entry with a body");
	return lw->diag->errors == 0;
}

static void lower_done(ptx_lower *lw)
{
	for (size_t i = 0; lw->func_kernels && i < lw->ast->funcs.n; i++)
		hd_bits_free(&lw->func_kernels[i]);
	for (size_t i = 0; lw->var_kernels && i < lw->ast->vars.n; i++)
		hd_bits_free(&lw->var_kernels[i]);
	free(lw->func_kernels);
	free(lw->var_kernels);
	free(lw->address_taken);
	free(lw->called);
	free(lw->shared_static);
	free(lw->shared_dynamic);
	free(lw->file_map);
}

hd_ir_module *hd_ptx_read(const char *text, size_t size, const char *file, hd_diag *diag)
{
	ptx_module ast = {.file = file};
	ptx_lower lw = {.ast = &ast, .diag = diag};
	unsigned before = diag->errors;
	bool good = false;
	if (size > (256u << 20)) {
		hd_error(diag, (hd_pos){.file = file}, "is larger than the 268435456 bytes that are accepted here");
		return NULL;
	}
	/* Only errors of this file count, whatever the caller's diag already holds. */
	diag->errors = 0;
	ptx_parse(&ast, text, size, diag);
	lw.volta = ast.volta && !ast.opencl; /* sub-groups of OpenCL are those who are there */
	ptx_add_system(&ast, diag);
	lw.ir = hd_ir_module_new();
	good = ptx_lower_module(&lw);
	diag->errors += before;
	lower_done(&lw);
	ptx_module_done(&ast);
	if (good)
		return lw.ir;
	hd_ir_module_free(lw.ir);
	return NULL;
}
