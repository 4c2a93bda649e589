/* Reachability from the entries: functions to lower and variables to place. Unreachable functions stay out, whatever they contain. */
#include "ptx/lower.h"

void ptx_report(ptx_lower *lw, ptx_place at, const char *format, ...)
{
	char what[300];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	hd_error(lw->diag, (hd_pos){lw->ast->file, at.line, at.column}, "%s", what);
}

/* The functions and variables that one function mentions, each once. */
typedef struct mention {
	ptx_symbol *symbol;
	bool called; /* named as the target of a direct call, not by address */
} mention;

typedef struct mentions {
	HD_VEC(mention) list;
	bool indirect; /* has an indirect call */
} mentions;

typedef struct search {
	ptx_lower *lw;
	mentions *of;    /* by function */
	uint32_t *stamp; /* by function * 2 + called, then by variable: 1 + the last function that mentioned it */
	HD_VEC(ptx_symbol *) stack;
	bool *indirect; /* by kernel */
} search;

static void note(search *s, uint32_t func, ptx_symbol *symbol, bool called)
{
	size_t slot;
	if (!symbol || (symbol->kind != PTX_SYM_FUNC && symbol->kind != PTX_SYM_VAR))
		return;
	if (symbol->kind == PTX_SYM_VAR && ((ptx_var *)symbol)->space == PTX_S_PARAM)
		return;
	slot = symbol->kind == PTX_SYM_FUNC ? ((ptx_func *)symbol)->index * (size_t)2 + called : s->lw->ast->funcs.n * 2 + ((ptx_var *)symbol)->index;
	if (symbol->kind == PTX_SYM_VAR && ((ptx_var *)symbol)->space == PTX_S_SHARED && ((ptx_var *)symbol)->unsized)
		s->lw->ast->funcs.at[func]->dynamic = true;
	if (s->stamp[slot] == func + 1)
		return;
	s->stamp[slot] = func + 1;
	hd_vec_push(&s->of[func].list, (mention){symbol, called});
}

static void note_operand(search *s, uint32_t func, const ptx_opd *opd, bool callee)
{
	if (opd->kind == PTX_O_SYMBOL)
		note(s, func, ptx_symbol_of(opd), callee);
	if (opd->kind == PTX_O_SPECIAL && ptx_is_workspace(opd->name->text))
		note(s, func, &s->lw->ast->workspace->sym, false);
	if (opd->kind == PTX_O_SPECIAL && ptx_is_reserved(opd->name->text))
		note(s, func, &s->lw->ast->reserved->sym, false);
	for (unsigned i = 0; opd->list && i < opd->n && i < (opd->kind == PTX_O_ADDRESS ? 1 : opd->n); i++)
		note_operand(s, func, &opd->list[i], false);
}

/* In OpenCL the null pointer into shared memory is 0, as is the address of the first byte. What gives a comparison away: 64 bits against a 0, and
 * the question whether a generic address is one of shared memory, whose answer becomes such a pointer. */
static bool asks_null(const ptx_inst *inst)
{
	if (strcmp(inst->op->text, "isspacep") == 0)
		return ptx_has(inst, PTX_M_SHARED);
	if (strcmp(inst->op->text, "setp") != 0 || inst->ntypes == 0 || inst->nopds == 0 || ptx_types[inst->types[0]].bits != 64)
		return false;
	const ptx_opd *last = &inst->opds[inst->nopds - 1];
	return last->kind == PTX_O_INT && last->imm == 0;
}

static void collect(search *s, ptx_func *func)
{
	for (size_t i = 0; i < func->body.n; i++) {
		const ptx_stmt *stmt = &func->body.at[i];
		if (stmt->kind != PTX_INST)
			continue;
		const ptx_inst *inst = stmt->inst;
		bool call = strcmp(inst->op->text, "call") == 0;
		bool seen = false;
		func->asks_null |= asks_null(inst);
		if (ptx_has(inst, PTX_M_RED) && strncmp(inst->op->text, "bar", 3) == 0)
			note(s, func->index, &s->lw->ast->reduction->sym, false);
		for (unsigned o = 0; o < inst->nopds; o++) {
			bool callee = call && !seen && inst->opds[o].kind != PTX_O_LIST;
			seen |= callee;
			if (callee && inst->opds[o].kind == PTX_O_REG)
				s->of[func->index].indirect = true;
			note_operand(s, func->index, &inst->opds[o], callee);
		}
	}
}

static void visit(search *s, uint32_t kernel, ptx_symbol *symbol)
{
	hd_bits *set;
	if (!symbol || (symbol->kind != PTX_SYM_FUNC && symbol->kind != PTX_SYM_VAR))
		return;
	set = symbol->kind == PTX_SYM_FUNC ? &s->lw->func_kernels[((ptx_func *)symbol)->index] : &s->lw->var_kernels[((ptx_var *)symbol)->index];
	if (hd_bits_has(set, kernel))
		return;
	hd_bits_add(set, kernel);
	hd_vec_push(&s->stack, symbol);
}

static void flood(search *s, uint32_t kernel)
{
	while (s->stack.n) {
		ptx_symbol *symbol = s->stack.at[--s->stack.n];
		if (symbol->kind == PTX_SYM_VAR) {
			const ptx_var *var = (const ptx_var *)symbol;
			for (size_t i = 0; i < var->init.n; i++) {
				ptx_symbol *other = var->init.at[i].kind == PTX_I_SYMBOL ? ptx_resolved(var->init.at[i].name->symbol) : NULL;
				if (other && other->kind == PTX_SYM_FUNC)
					s->lw->address_taken[((ptx_func *)other)->index] = true;
				visit(s, kernel, other);
			}
			continue;
		}
		const mentions *m = &s->of[((ptx_func *)symbol)->index];
		s->indirect[kernel] |= m->indirect;
		for (size_t i = 0; i < m->list.n; i++) {
			ptx_symbol *other = m->list.at[i].symbol;
			if (other->kind == PTX_SYM_FUNC)
				*(m->list.at[i].called ? &s->lw->called[((ptx_func *)other)->index]
				                       : &s->lw->address_taken[((ptx_func *)other)->index]) = true;
			visit(s, kernel, other);
		}
	}
}

/* A variable that no text declares. */
static ptx_var *make_variable(ptx_module *ast, const char *name, ptx_space space, ptx_type type, uint32_t bytes, uint32_t align)
{
	ptx_var *var = hd_arena_alloc(&ast->arena, sizeof *var);
	var->sym.kind = PTX_SYM_VAR;
	var->sym.name = ptx_intern(ast, name, strlen(name));
	var->space = (uint8_t)space;
	var->type = (uint8_t)type;
	var->align = align;
	var->bytes = bytes;
	var->index = (uint32_t)ast->vars.n;
	ptx_push(ast, &ast->vars, var);
	return var;
}

void ptx_reach(ptx_lower *lw)
{
	lw->ast->reduction = make_variable(lw->ast, "bar.red", PTX_S_SHARED, PTX_B32, 4, 4);
	lw->ast->workspace = make_variable(lw->ast, "grid.barrier", PTX_S_GLOBAL, PTX_B64, 8, 8);
	lw->ast->reserved = make_variable(lw->ast, "reserved.shared", PTX_S_SHARED, PTX_B8, PTX_RESERVED_BYTES, 16);
	size_t nf = lw->ast->funcs.n, nv = lw->ast->vars.n;
	search s = {.lw = lw};
	bool again = true;
	for (size_t i = 0; i < nf; i++)
		if (lw->ast->funcs.at[i]->entry && lw->ast->funcs.at[i]->defined)
			lw->ast->funcs.at[i]->kernel = lw->kernels++;
	if (lw->kernels > PTX_MAX_ENTRIES) {
		ptx_report(lw, (ptx_place){0, 0}, "%u kernels, expected at most %u in one file", lw->kernels, (unsigned)PTX_MAX_ENTRIES);
		lw->kernels = 0;
	}
	lw->func_kernels = hd_xcalloc(nf, sizeof *lw->func_kernels);
	lw->var_kernels = hd_xcalloc(nv, sizeof *lw->var_kernels);
	lw->address_taken = hd_xcalloc(nf, sizeof(bool));
	lw->called = hd_xcalloc(nf, sizeof(bool));
	s.of = hd_xcalloc(nf, sizeof *s.of);
	s.stamp = hd_xcalloc(nf * 2 + nv, sizeof *s.stamp);
	s.indirect = hd_xcalloc(lw->kernels, sizeof(bool));
	for (size_t i = 0; i < nv; i++)
		lw->var_kernels[i] = hd_bits_new(lw->kernels);
	for (size_t i = 0; i < nf; i++) {
		lw->func_kernels[i] = hd_bits_new(lw->kernels);
		if (lw->kernels)
			collect(&s, lw->ast->funcs.at[i]);
	}
	/* A kernel that calls through a pointer may reach every function whose address is taken. */
	while (again) {
		again = false;
		for (size_t i = 0; lw->kernels && i < nf; i++) {
			ptx_func *func = lw->ast->funcs.at[i];
			uint32_t kernel = func->kernel;
			if (!func->entry || !func->defined)
				continue;
			visit(&s, kernel, &func->proto.sym);
			for (size_t j = 0; s.indirect[kernel] && j < nf; j++)
				if (lw->address_taken[j])
					visit(&s, kernel, &lw->ast->funcs.at[j]->proto.sym);
			again |= s.stack.n != 0;
			flood(&s, kernel);
		}
	}
	for (size_t i = 0; i < nf; i++)
		hd_vec_free(&s.of[i].list);
	free(s.of);
	free(s.stamp);
	free(s.indirect);
	hd_vec_free(&s.stack);
}
