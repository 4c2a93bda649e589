#include "random_ir.h"

enum { INTS = 10, WIDES = 4, PREDS = 3, MAX_DEPTH = 3 };

typedef struct generator {
	hd_ir_module *m;
	hd_ir_function *f;
	uint32_t block;
	uint64_t seed;
	uint32_t ints[INTS], wides[WIDES], preds[PREDS];
	uint32_t base, own_shared, neighbour_shared; /* kernel only */
	bool kernel;
	int32_t functions; /* that may be called */
	unsigned budget;
} generator;

static unsigned any(generator *g, unsigned n) { return (unsigned)(hd_random(&g->seed) >> 16) % n; }

static hd_ir_inst *put(generator *g, unsigned op, unsigned nd, unsigned ns)
{
	hd_ir_inst *inst = hd_ir_inst_new(g->m, op, nd, ns);
	hd_vec_push(&g->f->blocks.at[g->block]->insts, inst);
	return inst;
}

static hd_opd int_of(generator *g) { return hd_opd_reg(g->ints[any(g, INTS)], 1); }
static hd_opd wide_of(generator *g) { return hd_opd_reg(g->wides[any(g, WIDES)], 2); }
static hd_opd pred_of(generator *g, bool neg) { return hd_opd_pred(g->preds[any(g, PREDS)], neg && any(g, 2)); }

static hd_opd int_source(generator *g)
{
	switch (any(g, 8)) {
	case 0:
		return hd_opd_imm(any(g, 100), 1);
	case 1:
		return hd_opd_imm((uint32_t)hd_random(&g->seed), 1);
	case 2:
		return hd_opd_sub(g->wides[any(g, WIDES)], any(g, 2), 1);
	default:
		return int_of(g);
	}
}

static hd_opd wide_source(generator *g) { return any(g, 8) ? wide_of(g) : hd_opd_imm(any(g, 2) ? hd_random(&g->seed) : any(g, 50), 2); }

static void maybe_guard(generator *g, hd_ir_inst *inst)
{
	if (any(g, 8) == 0)
		inst->guard = pred_of(g, true);
}

static void arithmetic(generator *g)
{
	static const uint16_t two[] = {HD_OP_IADD,  HD_OP_ISUB,    HD_OP_IMUL, HD_OP_XOR,  HD_OP_AND,  HD_OP_OR,   HD_OP_SHL,  HD_OP_SHRU,
	                               HD_OP_IMINS, HD_OP_IMULHIU, HD_OP_FADD, HD_OP_FMUL, HD_OP_FMIN, HD_IR_UDIV, HD_IR_SREM, HD_IR_FDIV};
	static const uint16_t three[] = {HD_OP_IMAD, HD_OP_FFMA, HD_OP_BITSEL, HD_OP_PRMT, HD_OP_FSHLW};
	static const uint16_t one[] = {HD_OP_FRCP, HD_OP_FEX2, HD_OP_FSIN, HD_OP_POPC, HD_OP_CLZ, HD_OP_BREV, HD_OP_INEG, HD_OP_MOV, HD_IR_FSQRT};
	static const uint16_t wide_two[] = {HD_OP_IADD64, HD_OP_ISUB64, HD_OP_IMUL64, HD_OP_XOR64, HD_OP_DADD, HD_OP_DMUL, HD_IR_UDIV64};
	hd_ir_inst *inst;
	switch (any(g, 11)) {
	case 0:
	case 1:
	case 2:
		inst = put(g, two[any(g, HD_COUNT(two))], 1, 2);
		inst->d[0] = int_of(g);
		inst->s[0] = int_source(g);
		inst->s[1] = int_source(g);
		if (inst->op < HD_OP_COUNT)
			maybe_guard(g, inst);
		break;
	case 3:
		inst = put(g, three[any(g, HD_COUNT(three))], 1, 3);
		inst->d[0] = int_of(g);
		for (unsigned i = 0; i < 3; i++)
			inst->s[i] = int_source(g);
		maybe_guard(g, inst);
		break;
	case 4:
		inst = put(g, one[any(g, HD_COUNT(one))], 1, 1);
		inst->d[0] = int_of(g);
		inst->s[0] = int_of(g);
		break;
	case 5:
	case 6:
		inst = put(g, wide_two[any(g, HD_COUNT(wide_two))], 1, 2);
		inst->d[0] = wide_of(g);
		inst->s[0] = wide_source(g);
		inst->s[1] = wide_source(g);
		if (inst->op < HD_OP_COUNT)
			maybe_guard(g, inst);
		break;
	case 7:
		inst = put(g, HD_OP_IMULWU, 1, 2);
		inst->d[0] = wide_of(g);
		inst->s[0] = int_source(g);
		inst->s[1] = int_source(g);
		break;
	case 8:
		inst = put(g, HD_OP_I2F_DR, 1, 1);
		inst->sub = HD_SUB_I2F(HD_F64, HD_S32);
		inst->d[0] = wide_of(g);
		inst->s[0] = int_of(g);
		break;
	case 9:
		inst = put(g, HD_OP_SEL, 1, 3);
		inst->d[0] = int_of(g);
		inst->s[0] = int_source(g);
		inst->s[1] = int_source(g);
		inst->s[2] = pred_of(g, true);
		break;
	default:
		inst = put(g, any(g, 4) ? HD_OP_ISETP : HD_OP_FSETP, 1, 2);
		inst->sub = inst->op == HD_OP_ISETP ? (uint8_t)any(g, HD_CMP_HS + 1) : HD_CMP_LTU;
		inst->d[0] = hd_opd_pred(g->preds[any(g, PREDS)], false);
		inst->s[0] = int_of(g);
		inst->s[1] = int_source(g);
		maybe_guard(g, inst);
		break;
	}
}

static void memory(generator *g)
{
	hd_ir_inst *inst;
	if (!g->kernel) {
		arithmetic(g);
		return;
	}
	int32_t offset = (int32_t)any(g, RANDOM_WORDS / 2) * 8;
	switch (any(g, 9)) {
	case 0:
	case 1:
		inst = put(g, HD_OP_LDG, 1, 1);
		inst->sub = HD_SIZE_32;
		inst->d[0] = int_of(g);
		inst->s[0] = hd_opd_reg(g->base, 2);
		break;
	case 2:
		inst = put(g, HD_OP_LDG, 1, 1);
		inst->sub = HD_SIZE_64;
		inst->d[0] = wide_of(g);
		inst->s[0] = hd_opd_reg(g->base, 2);
		break;
	case 3:
		inst = put(g, HD_OP_STG, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = int_of(g);
		break;
	case 4:
		inst = put(g, HD_OP_STG, 0, 2);
		inst->sub = HD_SIZE_64;
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = wide_of(g);
		break;
	case 5:
		inst = put(g, any(g, 2) ? HD_OP_ATOMG : HD_OP_ATOMG, 1, 2);
		inst->sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
		inst->d[0] = int_of(g);
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = int_of(g);
		offset = 0;
		break;
	case 6:
		inst = put(g, HD_OP_ATOMS, 1, 2);
		inst->sub = HD_ATOM_XOR | HD_ATOM_U32 << 4;
		inst->d[0] = int_of(g);
		inst->s[0] = hd_opd_reg(g->own_shared, 1);
		inst->s[1] = int_of(g);
		offset = 0;
		break;
	case 7:
		inst = put(g, any(g, 2) ? HD_OP_LDS : HD_OP_LDL, 1, 1);
		inst->sub = HD_SIZE_32;
		inst->d[0] = int_of(g);
		inst->s[0] = inst->op == HD_OP_LDS ? hd_opd_reg(g->own_shared, 1) : (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = any(g, 4) * 4};
		offset = 0;
		break;
	default:
		inst = put(g, any(g, 2) ? HD_OP_STS : HD_OP_STL, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->s[0] = inst->op == HD_OP_STS ? hd_opd_reg(g->own_shared, 1) : (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = any(g, 4) * 4};
		inst->s[1] = int_of(g);
		offset = 0;
		break;
	}
	inst->offset = offset;
	maybe_guard(g, inst);
}

static void call(generator *g)
{
	if (g->functions == 0) {
		arithmetic(g);
		return;
	}
	int32_t callee = (int32_t)any(g, (unsigned)g->functions);
	const hd_ir_function *f = g->m->functions.at[callee];
	hd_ir_inst *inst = put(g, HD_IR_CALLF, (unsigned)f->results.n, (unsigned)f->params.n);
	inst->callee = callee;
	for (unsigned i = 0; i < inst->ns; i++)
		inst->s[i] = f->params.at[i].words == 2 ? wide_source(g) : int_source(g);
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
		hd_ir_inst *inst = put(g, HD_OP_AND, 1, 2);
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
	hd_ir_inst *inst = put(g, HD_OP_AND, 1, 2);
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
	inst = put(g, HD_OP_IADD, 1, 2);
	inst->d[0] = inst->s[0] = hd_opd_reg(counter, 1);
	inst->s[1] = hd_opd_imm(UINT32_MAX, 1);
	inst = put(g, HD_OP_ISETP, 1, 2);
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
			memory(g);
		else
			arithmetic(g);
	}
}

static void registers(generator *g)
{
	for (unsigned i = 0; i < INTS; i++)
		g->ints[i] = hd_ir_vreg_new(g->f, 1);
	for (unsigned i = 0; i < WIDES; i++)
		g->wides[i] = hd_ir_vreg_new(g->f, 2);
	for (unsigned i = 0; i < PREDS; i++)
		g->preds[i] = hd_ir_vreg_new(g->f, 0);
}

/* Every register has a value before the body reads it. */
static void initialise(generator *g, hd_opd from)
{
	for (unsigned i = 0; i < INTS; i++) {
		hd_ir_inst *inst = put(g, HD_OP_IMAD, 1, 3);
		inst->d[0] = hd_opd_reg(g->ints[i], 1);
		inst->s[0] = from;
		inst->s[1] = hd_opd_imm(i * 7 + 3, 1);
		inst->s[2] = hd_opd_imm(hd_random(&g->seed) & 0xffffffff, 1);
	}
	for (unsigned i = 0; i < WIDES; i++) {
		hd_ir_inst *inst = put(g, HD_OP_IMULWS, 1, 2);
		inst->d[0] = hd_opd_reg(g->wides[i], 2);
		inst->s[0] = from;
		inst->s[1] = hd_opd_reg(g->ints[i], 1);
	}
	for (unsigned i = 0; i < PREDS; i++) {
		hd_ir_inst *inst = put(g, HD_OP_ISETP, 1, 2);
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
	hd_ir_inst *inst = put(g, HD_OP_STS, 0, 2);
	inst->sub = HD_SIZE_32;
	inst->s[0] = hd_opd_reg(g->own_shared, 1);
	inst->s[1] = int_of(g);
	put(g, HD_OP_BAR, 0, 1);
	inst = put(g, HD_OP_LDS, 1, 1);
	inst->sub = HD_SIZE_32;
	inst->d[0] = int_of(g);
	inst->s[0] = hd_opd_reg(g->neighbour_shared, 1);
	put(g, HD_OP_BAR, 0, 1);
}

static void special(generator *g, uint32_t d, hd_sreg which)
{
	hd_ir_inst *inst = put(g, HD_OP_S2R, 1, 0);
	inst->sub = (uint8_t)which;
	inst->d[0] = hd_opd_reg(d, 1);
}

static void three(generator *g, unsigned op, hd_opd d, hd_opd a, hd_opd b, hd_opd c)
{
	hd_ir_inst *inst = put(g, op, 1, c.kind == HD_OPD_NONE ? 2 : 3);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->s[1] = b;
	if (c.kind != HD_OPD_NONE)
		inst->s[2] = c;
}

static void kernel(generator *g, unsigned functions)
{
	const hd_opd none = {0};
	g->f = hd_ir_function_new(g->m, "random");
	g->f->kernel = true;
	g->f->info.param_bytes = 8;
	g->f->info.shared_bytes = RANDOM_THREADS * 4;
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
	uint32_t wrap = hd_ir_vreg_new(g->f, 0);
	g->base = hd_ir_vreg_new(g->f, 2);
	g->own_shared = hd_ir_vreg_new(g->f, 1);
	g->neighbour_shared = hd_ir_vreg_new(g->f, 1);
	special(g, tid, HD_SREG_TIDX);
	special(g, cta, HD_SREG_CTAIDX);
	three(g, HD_OP_IMAD, hd_opd_reg(id, 1), hd_opd_reg(cta, 1), hd_opd_imm(RANDOM_THREADS, 1), hd_opd_reg(tid, 1));
	three(g, HD_OP_IMADWU, hd_opd_reg(g->base, 2), hd_opd_reg(id, 1), hd_opd_imm(RANDOM_WORDS * 4, 1), hd_opd_const(HD_BANK_PARAMS, 2));
	three(g, HD_OP_SHL, hd_opd_reg(g->own_shared, 1), hd_opd_reg(tid, 1), hd_opd_imm(2, 1), none);
	/* the lane of another warp: (tid + 37) mod threads */
	three(g, HD_OP_IADD, hd_opd_reg(next, 1), hd_opd_reg(tid, 1), hd_opd_imm(37, 1), none);
	hd_ir_inst *inst = put(g, HD_OP_ISETP, 1, 2);
	inst->sub = HD_CMP_HS;
	inst->d[0] = hd_opd_pred(wrap, false);
	inst->s[0] = hd_opd_reg(next, 1);
	inst->s[1] = hd_opd_imm(RANDOM_THREADS, 1);
	inst = put(g, HD_OP_IADD, 1, 2);
	inst->guard = hd_opd_pred(wrap, false);
	inst->d[0] = inst->s[0] = hd_opd_reg(next, 1);
	inst->s[1] = hd_opd_imm((uint32_t)-RANDOM_THREADS, 1);
	three(g, HD_OP_SHL, hd_opd_reg(g->neighbour_shared, 1), hd_opd_reg(next, 1), hd_opd_imm(2, 1), none);
	for (unsigned w = 0; w < 4; w++) {
		inst = put(g, HD_OP_STL, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->s[0] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = w * 4};
		inst->s[1] = hd_opd_reg(id, 1);
	}
	inst = put(g, HD_OP_STS, 0, 2);
	inst->sub = HD_SIZE_32;
	inst->s[0] = hd_opd_reg(g->own_shared, 1);
	inst->s[1] = hd_opd_reg(id, 1);
	initialise(g, hd_opd_reg(id, 1));
	body(g, 0);
	exchange(g);
	body(g, 0);
	exchange(g);
	for (unsigned i = 0; i < INTS; i++) {
		inst = put(g, HD_OP_STG, 0, 2);
		inst->sub = HD_SIZE_32;
		inst->offset = (int32_t)i * 4;
		inst->s[0] = hd_opd_reg(g->base, 2);
		inst->s[1] = hd_opd_reg(g->ints[i], 1);
	}
	for (unsigned i = 0; i < WIDES; i++) {
		inst = put(g, HD_OP_STG, 0, 2);
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
	for (unsigned i = 0; i < functions; i++)
		function(&g, i);
	kernel(&g, functions);
	return g.m;
}
