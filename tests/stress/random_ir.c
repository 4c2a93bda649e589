#include "random_generator.h"

enum { MAX_DEPTH = 3 };

static void call(generator *g)
{
	if (g->functions == 0) {
		random_arithmetic(g);
		return;
	}
	int32_t callee = (int32_t)any(g, (unsigned)g->functions);
	const hd_ir_function *f = g->m->functions.at[callee];
	hd_ir_inst *inst = random_put(g, HD_IR_CALLF, (unsigned)f->results.n, (unsigned)f->params.n);
	inst->callee = callee;
	for (unsigned i = 0; i < inst->ns; i++)
		inst->s[i] = f->params.at[i].words == 2 ? random_wide_source(g) : random_int_source(g);
	for (unsigned i = 0; i < inst->nd; i++)
		inst->d[i] = f->results.at[i].words == 2 ? wide_of(g) : int_of(g);
}

static void jump(generator *g, uint32_t to)
{
	hd_ir_block *block = g->f->blocks.at[g->block];
	block->term = HD_TERM_JUMP;
	hd_vec_push(&block->succ, to);
}

static void branch(generator *g, hd_opd pred, uint32_t taken, uint32_t other)
{
	hd_ir_block *block = g->f->blocks.at[g->block];
	block->term = HD_TERM_BRANCH;
	block->pred = pred;
	hd_vec_push(&block->succ, taken);
	hd_vec_push(&block->succ, other);
}

static void body(generator *g, unsigned depth);

static void branching(generator *g, unsigned depth)
{
	uint32_t join = hd_ir_block_new(g->m, g->f);
	uint32_t arms[4], n = any(g, 4) == 0 ? 4 : 2;
	for (unsigned i = 0; i < n; i++)
		arms[i] = hd_ir_block_new(g->m, g->f);
	if (n == 2) {
		branch(g, pred_of(g, true), arms[0], any(g, 3) ? arms[1] : join);
	} else {
		uint32_t index = hd_ir_vreg_new(g->f, 1);
		hd_ir_inst *inst = random_put(g, HD_OP_AND, 1, 2);
		inst->d[0] = hd_opd_reg(index, 1);
		inst->s[0] = int_of(g);
		inst->s[1] = hd_opd_imm(3, 1);
		hd_ir_block *block = g->f->blocks.at[g->block];
		block->term = HD_TERM_SWITCH;
		block->index = hd_opd_reg(index, 1);
		for (unsigned i = 0; i < 4; i++)
			hd_vec_push(&block->succ, arms[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		g->block = arms[i];
		body(g, depth + 1);
		/* Sometimes into the next arm instead of to the join, as a switch falls through. */
		jump(g, n == 4 && i < 3 && any(g, 3) == 0 ? arms[i + 1] : join);
	}
	g->block = join;
}

static void looping(generator *g, unsigned depth)
{
	uint32_t counter = hd_ir_vreg_new(g->f, 1), more = hd_ir_vreg_new(g->f, 0);
	uint32_t top = hd_ir_block_new(g->m, g->f), out = hd_ir_block_new(g->m, g->f);
	hd_ir_inst *inst = random_put(g, HD_OP_AND, 1, 2);
	inst->d[0] = hd_opd_reg(counter, 1);
	inst->s[0] = int_of(g);
	inst->s[1] = hd_opd_imm(3, 1);
	jump(g, top);
	g->block = top;
	body(g, depth + 1);
	if (any(g, 2)) { /* a break */
		uint32_t next = hd_ir_block_new(g->m, g->f);
		branch(g, pred_of(g, true), out, next);
		g->block = next;
		body(g, depth + 1);
	}
	inst = random_put(g, HD_OP_IADD, 1, 2);
	inst->d[0] = inst->s[0] = hd_opd_reg(counter, 1);
	inst->s[1] = hd_opd_imm(UINT32_MAX, 1);
	inst = random_put(g, HD_OP_ISETP, 1, 2);
	inst->sub = HD_CMP_GE;
	inst->d[0] = hd_opd_pred(more, false);
	inst->s[0] = hd_opd_reg(counter, 1);
	inst->s[1] = hd_opd_imm(0, 1);
	branch(g, hd_opd_pred(more, false), top, out);
	g->block = out;
}

static void body(generator *g, unsigned depth)
{
	for (unsigned n = 2 + any(g, 8); n-- > 0 && g->budget > 0; g->budget--) {
		unsigned what = any(g, 14);
		if (depth < MAX_DEPTH && what == 0)
			looping(g, depth);
		else if (depth < MAX_DEPTH && what < 3)
			branching(g, depth);
		else if (what == 3 && depth < 2)
			call(g);
		else if (what < 7)
			random_memory(g);
		else
			random_arithmetic(g);
	}
}

static void registers(generator *g)
{
	for (unsigned i = 0; i < RANDOM_INTS; i++)
		g->ints[i] = hd_ir_vreg_new(g->f, 1);
	for (unsigned i = 0; i < RANDOM_WIDES; i++)
		g->wides[i] = hd_ir_vreg_new(g->f, 2);
	for (unsigned i = 0; i < RANDOM_PREDS; i++)
		g->preds[i] = hd_ir_vreg_new(g->f, 0);
}

/* Every register has a value before the body reads it. */
static void initialise(generator *g, hd_opd from)
{
	for (unsigned i = 0; i < RANDOM_INTS; i++) {
		hd_ir_inst *inst = random_put(g, HD_OP_IMAD, 1, 3);
		inst->d[0] = hd_opd_reg(g->ints[i], 1);
		inst->s[0] = from;
		inst->s[1] = hd_opd_imm(i * 7 + 3, 1);
		inst->s[2] = hd_opd_imm(hd_random(&g->seed) & 0xffffffff, 1);
	}
	for (unsigned i = 0; i < RANDOM_WIDES; i++) {
		hd_ir_inst *inst = random_put(g, HD_OP_IMULWS, 1, 2);
		inst->d[0] = hd_opd_reg(g->wides[i], 2);
		inst->s[0] = from;
		inst->s[1] = hd_opd_reg(g->ints[i], 1);
	}
	for (unsigned i = 0; i < RANDOM_PREDS; i++) {
		hd_ir_inst *inst = random_put(g, HD_OP_ISETP, 1, 2);
		inst->sub = HD_CMP_LT;
		inst->d[0] = hd_opd_pred(g->preds[i], false);
		inst->s[0] = hd_opd_reg(g->ints[i], 1);
		inst->s[1] = hd_opd_reg(g->ints[i + 1], 1);
	}
}

static void function(generator *g, unsigned number)
{
	char name[16];
	snprintf(name, sizeof name, "f%u", number);
	g->f = hd_ir_function_new(g->m, name);
	g->block = hd_ir_block_new(g->m, g->f);
	g->kernel = false;
	g->functions = (int32_t)number; /* those before it: no recursion */
	g->budget = 25;
	registers(g);
	uint32_t param = hd_ir_vreg_new(g->f, 1), wide = hd_ir_vreg_new(g->f, 2);
	hd_vec_push(&g->f->params, hd_opd_reg(param, 1));
	if (number % 2)
		hd_vec_push(&g->f->params, hd_opd_reg(wide, 2));
	initialise(g, hd_opd_reg(param, 1));
	body(g, 1);
	hd_vec_push(&g->f->results, hd_opd_reg(g->ints[0], 1));
	if (number % 2 == 0)
		hd_vec_push(&g->f->results, hd_opd_reg(g->wides[0], 2));
	g->f->blocks.at[g->block]->term = HD_TERM_RET;
}

/* Everyone writes a word, everyone reads another one's: wrong without the waits of the barriers. */
static void exchange(generator *g)
{
	hd_ir_inst *inst = random_put(g, HD_OP_STS, 0, 2);
	inst->sub = HD_SIZE_32;
	inst->s[0] = hd_opd_reg(g->own_shared, 1);
	inst->s[1] = int_of(g);
	random_put(g, HD_OP_BAR, 0, 1);
	inst = random_put(g, HD_OP_LDS, 1, 1);
	inst->sub = HD_SIZE_32;
	inst->d[0] = int_of(g);
	inst->s[0] = hd_opd_reg(g->neighbour_shared, 1);
	random_put(g, HD_OP_BAR, 0, 1);
}

static void special(generator *g, uint32_t d, hd_sreg which)
{
	hd_ir_inst *inst = random_put(g, HD_OP_S2R, 1, 0);
	inst->sub = (uint8_t)which;
	inst->d[0] = hd_opd_reg(d, 1);
}

/* Word `at` of those that a CTA updates together: loaded into `value`, or stored. */
static void shared_word(generator *g, unsigned op, uint32_t at, hd_opd value)
{
	hd_ir_inst *inst = random_put(g, op, op == HD_OP_LDS, op == HD_OP_LDS ? 1 : 2);
	inst->sub = HD_SIZE_32;
	inst->offset = RANDOM_THREADS * 4;
	inst->s[0] = hd_opd_reg(at, 1);
	*(op == HD_OP_LDS ? &inst->d[0] : &inst->s[1]) = value;
}

static void kernel(generator *g, unsigned functions)
{
	const hd_opd none = {0};
	g->f = hd_ir_function_new(g->m, "random");
	g->f->kernel = true;
	g->f->info.param_bytes = 8;
	g->f->info.shared_bytes = (RANDOM_THREADS + RANDOM_CROWD) * 4;
	g->f->info.max_threads = RANDOM_THREADS;
	g->f->frame_bytes = 16;
	g->f->frame_align = 16;
	hd_vec_push(&g->f->info.params,
	            (hd_param){.name = hd_arena_strndup(&g->m->arena, "out", 3), .size = 8, .align = 8, .space = HD_SPACE_GLOBAL, .pointer = 1});
	g->block = hd_ir_block_new(g->m, g->f);
	g->kernel = true;
	g->functions = (int32_t)functions;
	g->budget = 70;
	registers(g);
	uint32_t tid = hd_ir_vreg_new(g->f, 1), cta = hd_ir_vreg_new(g->f, 1), id = hd_ir_vreg_new(g->f, 1), next = hd_ir_vreg_new(g->f, 1);
	uint32_t first = hd_ir_vreg_new(g->f, 1), crowd = hd_ir_vreg_new(g->f, 1);
	uint32_t wrap = hd_ir_vreg_new(g->f, 0);
	g->base = hd_ir_vreg_new(g->f, 2);
	g->crowd_global = hd_ir_vreg_new(g->f, 2);
	g->own_shared = hd_ir_vreg_new(g->f, 1);
	g->neighbour_shared = hd_ir_vreg_new(g->f, 1);
	special(g, tid, HD_SREG_TIDX);
	special(g, cta, HD_SREG_CTAIDX);
	random_three(g, HD_OP_IMAD, hd_opd_reg(id, 1), hd_opd_reg(cta, 1), hd_opd_imm(RANDOM_THREADS, 1), hd_opd_reg(tid, 1));
	random_three(g, HD_OP_IMADWU, hd_opd_reg(g->base, 2), hd_opd_reg(id, 1), hd_opd_imm(RANDOM_WORDS * 4, 1), hd_opd_const(HD_BANK_PARAMS, 2));
	random_three(g, HD_OP_IMUL, hd_opd_reg(first, 1), hd_opd_reg(cta, 1), hd_opd_imm(RANDOM_THREADS, 1), none);
	random_three(g, HD_OP_IMADWU, hd_opd_reg(g->crowd_global, 2), hd_opd_reg(first, 1), hd_opd_imm(RANDOM_WORDS * 4, 1),
	             hd_opd_const(HD_BANK_PARAMS, 2));
	random_three(g, HD_OP_SHL, hd_opd_reg(g->own_shared, 1), hd_opd_reg(tid, 1), hd_opd_imm(2, 1), none);
	/* the lane of another warp: (tid + 37) mod threads */
	random_three(g, HD_OP_IADD, hd_opd_reg(next, 1), hd_opd_reg(tid, 1), hd_opd_imm(37, 1), none);
	hd_ir_inst *inst = random_put(g, HD_OP_ISETP, 1, 2);
	inst->sub = HD_CMP_HS;
	inst->d[0] = hd_opd_pred(wrap, false);
	inst->s[0] = hd_opd_reg(next, 1);
	inst->s[1] = hd_opd_imm(RANDOM_THREADS, 1);
	inst = random_put(g, HD_OP_IADD, 1, 2);
	inst->guard = hd_opd_pred(wrap, false);
	inst->d[0] = inst->s[0] = hd_opd_reg(next, 1);
	inst->s[1] = hd_opd_imm((uint32_t)-RANDOM_THREADS, 1);
	random_three(g, HD_OP_SHL, hd_opd_reg(g->neighbour_shared, 1), hd_opd_reg(next, 1), hd_opd_imm(2, 1), none);
	for (unsigned w = 0; w < 4; w++) {
		inst = random_put(g, HD_OP_STL, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->s[0] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = w * 4};
		inst->s[1] = hd_opd_reg(id, 1);
	}
	inst = random_put(g, HD_OP_STS, 0, 2);
	inst->sub = HD_SIZE_32;
	inst->s[0] = hd_opd_reg(g->own_shared, 1);
	inst->s[1] = hd_opd_reg(id, 1);
	/* The CTA's words begin as zeros. */
	random_three(g, HD_OP_AND, hd_opd_reg(crowd, 1), hd_opd_reg(tid, 1), hd_opd_imm(RANDOM_CROWD - 1, 1), none);
	random_three(g, HD_OP_SHL, hd_opd_reg(crowd, 1), hd_opd_reg(crowd, 1), hd_opd_imm(2, 1), none);
	shared_word(g, HD_OP_STS, crowd, hd_opd_imm(0, 1));
	random_put(g, HD_OP_BAR, 0, 1);
	initialise(g, hd_opd_reg(id, 1));
	body(g, 0);
	exchange(g);
	body(g, 0);
	exchange(g);
	shared_word(g, HD_OP_LDS, crowd, hd_opd_reg(next, 1));
	inst = random_put(g, HD_OP_STG, 0, 2);
	inst->sub = HD_SIZE_32;
	inst->offset = (RANDOM_OWN + 1) * 4;
	inst->s[0] = hd_opd_reg(g->base, 2);
	inst->s[1] = hd_opd_reg(next, 1);
	for (unsigned i = 0; i < RANDOM_INTS; i++) {
		inst = random_put(g, HD_OP_STG, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->offset = (int32_t)i * 4;
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = hd_opd_reg(g->ints[i], 1);
	}
	for (unsigned i = 0; i < RANDOM_WIDES; i++) {
		inst = random_put(g, HD_OP_STG, 0, 2);
		inst->sub = HD_SIZE_64;
		inst->offset = 64 + (int32_t)i * 8;
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = hd_opd_reg(g->wides[i], 2);
	}
	g->f->blocks.at[g->block]->term = HD_TERM_EXIT;
}

hd_ir_module *random_ir(uint64_t seed)
{
	generator g = {.m = hd_ir_module_new(), .seed = seed};
	unsigned functions = any(&g, 3);
	bool predicates = any(&g, 4) == 0;
	g.n_preds = predicates ? RANDOM_PREDS : 3;
	g.guarded = predicates ? 2 : 8;
	g.logic = predicates ? 6 : 1;
	g.divergent = any(&g, 2);
	for (unsigned i = 0; i < functions; i++)
		function(&g, i);
	kernel(&g, functions);
	return g.m;
}
