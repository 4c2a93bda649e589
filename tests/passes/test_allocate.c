/* Layout, branches, registers, spills, calls (RC-15; docs/compiler.md): random programs do the same before and after, with plenty of
 * registers and with very few. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "ir_run.h"
#include "passes/allocate/allocate.h"
#include "passes/lower/branches.h"
#include "passes/lower/switches.h"
#include "passes/schedule/layout.h"

enum { MAX_POOL = 48, FUEL = 3 };

/* -- random programs -------------------------------------------------------------------------------------------------------------------------- */

typedef enum call_style { CALLS_NONE, CALLS_DIRECT, CALLS_RECURSIVE, CALLS_INDIRECT } call_style;

typedef struct shape {
	unsigned pool, predicates, statements, functions, many; /* many: words of arguments */
	call_style calls;
	unsigned frame;
} shape;

typedef struct maker {
	ir_builder b;
	const shape *s;
	uint64_t seed;
	uint32_t number;
	uint32_t pool[MAX_POOL], preds[16], fuel;
	unsigned depth;
} maker;

static unsigned pick(maker *g, unsigned n) { return (unsigned)(hd_random(&g->seed) % n); }

static hd_ir_inst *add(maker *g, unsigned op, hd_opd d, hd_opd x, hd_opd y) { return ir_put(&g->b, op, d, x, y); }

/* Some part of some register, `words` wide. */
static hd_opd part(maker *g, unsigned words)
{
	for (;;) {
		uint32_t v = g->pool[pick(g, g->s->pool)];
		unsigned have = g->b.f->vregs.at[v].words;
		if (have >= words)
			return hd_opd_sub(v, words * pick(g, have / words), words);
	}
}

static hd_opd predicate(maker *g) { return hd_opd_pred(g->preds[pick(g, g->s->predicates)], pick(g, 2)); }
static hd_opd target(maker *g) { return hd_opd_pred(g->preds[pick(g, g->s->predicates)], false); }

static hd_opd source(maker *g, unsigned words)
{
	return pick(g, 8) ? part(g, words) : pick(g, 2) ? hd_opd_imm(pick(g, 1000), words) : hd_opd_const(8 * pick(g, 20), words);
}

static hd_ir_inst *memory(maker *g, unsigned op, hd_opd d, hd_opd address, hd_opd data, int32_t offset)
{
	hd_ir_inst *inst = add(g, op, d, address, data);
	inst->offset = offset;
	return inst;
}

static void show(maker *g, hd_opd value) { memory(g, HD_OP_STG, none, part(g, 2), value, 0); }

static void simple(maker *g)
{
	hd_ir_inst *inst = NULL;
	unsigned words = 1u << pick(g, 3);
	switch (pick(g, 16)) {
	case 0:
	case 1:
	case 2:
		inst = add(g, pick(g, 2) ? HD_OP_IADD : HD_OP_XOR, part(g, 1), source(g, 1), source(g, 1));
		break;
	case 3:
	case 4:
		inst = add(g, pick(g, 2) ? HD_OP_IADD64 : HD_OP_XOR64, part(g, 2), part(g, 2), source(g, 2));
		break;
	case 5:
		inst = add(g, HD_OP_IMULWU, part(g, 2), part(g, 1), source(g, 1));
		break;
	case 6:
		inst = add(g, pick(g, 2) ? HD_OP_MOV : HD_OP_MOVI, part(g, 1), none, none);
		inst->s = hd_arena_alloc(&g->b.m->arena, sizeof *inst->s);
		inst->s[inst->ns++] = inst->op == HD_OP_MOV ? part(g, 1) : hd_opd_imm(pick(g, 1u << 30), 1);
		break;
	case 7:
		inst = add(g, HD_OP_MOV64, part(g, 2), part(g, 2), none);
		break;
	case 8:
	case 9:
		inst = add(g, HD_OP_ISETP, target(g), part(g, 1), source(g, 1));
		inst->sub = pick(g, 2) ? HD_CMP_LO : HD_CMP_EQ;
		break;
	case 10:
		inst = ir_put3(&g->b, HD_OP_SEL, part(g, 1), part(g, 1), source(g, 1), predicate(g));
		break;
	case 11:
		inst = hd_ir_inst_new(g->b.m, HD_OP_IADDC, 2, 3);
		inst->d[0] = part(g, 1);
		inst->d[1] = target(g);
		inst->s[0] = part(g, 1);
		inst->s[1] = source(g, 1);
		inst->s[2] = target(g);
		hd_vec_push(&g->b.f->blocks.at[g->b.block]->insts, inst);
		break;
	case 12:
		inst = hd_ir_inst_new(g->b.m, HD_OP_PLOP, 1, 3);
		inst->d[0] = target(g);
		for (unsigned i = 0; i < 3; i++)
			inst->s[i] = predicate(g);
		inst->sub = (uint8_t)pick(g, 256);
		hd_vec_push(&g->b.f->blocks.at[g->b.block]->insts, inst);
		break;
	case 13:
		inst = memory(g, HD_OP_LDG, part(g, words), part(g, 2), none, 0);
		break;
	case 14: {
		hd_opd frame = {.kind = HD_OPD_FRAME, .words = 1, .imm = 16 * pick(g, g->s->frame / 16 - 1)};
		inst = pick(g, 2) ? memory(g, HD_OP_STL, none, frame, part(g, words), 0) : memory(g, HD_OP_LDL, part(g, words), frame, none, 0);
		break;
	}
	default:
		show(g, part(g, words));
		return;
	}
	if (pick(g, 5) == 0)
		inst->guard = predicate(g);
}

static uint32_t block_new(maker *g) { return hd_ir_block_new(g->b.m, g->b.f); }

static void end(maker *g, hd_term_kind kind, hd_opd pred, uint32_t a, uint32_t b)
{
	hd_ir_block *block = g->b.f->blocks.at[g->b.block];
	block->term = kind;
	block->pred = pred;
	if (a != UINT32_MAX)
		hd_vec_push(&block->succ, a);
	if (b != UINT32_MAX)
		hd_vec_push(&block->succ, b);
}

static void statements(maker *g, unsigned n);

static void body(maker *g, uint32_t block, uint32_t join, unsigned n)
{
	g->b.block = block;
	statements(g, n);
	end(g, HD_TERM_JUMP, none, join, UINT32_MAX);
}

static void compound(maker *g)
{
	uint32_t a = block_new(g), b = block_new(g), join = block_new(g);
	unsigned kind = pick(g, 3);
	g->depth++;
	if (kind == 0) {
		end(g, HD_TERM_BRANCH, predicate(g), a, b);
		body(g, a, join, 3);
		body(g, b, join, 3);
	} else if (kind == 1) {
		/* for (i = 0; i < n; i++) with an early end */
		hd_opd i = hd_opd_reg(hd_ir_vreg_new(g->b.f, 1), 1), p = hd_opd_pred(hd_ir_vreg_new(g->b.f, 0), false);
		add(g, HD_OP_MOVI, i, hd_opd_imm(0, 1), none);
		end(g, HD_TERM_JUMP, none, a, UINT32_MAX);
		g->b.block = a;
		statements(g, 4);
		end(g, HD_TERM_BRANCH, predicate(g), b, pick(g, 2) ? join : b);
		g->b.block = b;
		add(g, HD_OP_IADD, i, i, hd_opd_imm(1, 1));
		add(g, HD_OP_ISETP, p, i, hd_opd_imm(1 + pick(g, 3), 1))->sub = HD_CMP_LO;
		end(g, HD_TERM_BRANCH, p, a, join);
	} else {
		hd_opd index = hd_opd_reg(hd_ir_vreg_new(g->b.f, 1), 1);
		uint32_t c = block_new(g);
		add(g, HD_OP_AND, index, part(g, 1), hd_opd_imm(3, 1));
		g->b.f->blocks.at[g->b.block]->index = index;
		end(g, HD_TERM_SWITCH, none, a, b);
		hd_vec_push(&g->b.f->blocks.at[g->b.block]->succ, c);
		hd_vec_push(&g->b.f->blocks.at[g->b.block]->succ, a);
		body(g, a, b, 2); /* falls through to the next case */
		body(g, b, join, 2);
		body(g, c, join, 2);
	}
	g->depth--;
	g->b.block = join;
}

static void call(maker *g)
{
	unsigned n = g->s->functions, self = g->number;
	bool recursive = g->s->calls == CALLS_RECURSIVE;
	if (!recursive && self + 1 >= n)
		return;
	uint32_t callee = recursive ? 1 + pick(g, n - 1) : self + 1 + pick(g, n - self - 1);
	const hd_ir_function *to = g->b.m->functions.at[callee];
	bool indirect = g->s->calls == CALLS_INDIRECT && pick(g, 2);
	hd_ir_inst *inst = hd_ir_inst_new(g->b.m, HD_IR_CALLF, (unsigned)to->results.n, (unsigned)to->params.n + indirect);
	if (indirect) {
		hd_opd address = hd_opd_reg(hd_ir_vreg_new(g->b.f, 1), 1);
		add(g, HD_OP_MOVI, address, (hd_opd){.kind = HD_OPD_FUNC, .words = 1, .imm = callee}, none);
		inst->s[0] = address;
		g->b.m->functions.at[callee]->address_taken = true;
	}
	inst->callee = indirect ? -1 : (int32_t)callee;
	/* The first argument is what is left of the depth of calls. */
	hd_opd left = hd_opd_reg(g->fuel, 1);
	for (unsigned i = 0; i < to->params.n; i++)
		inst->s[i + indirect] = i == 0                                          ? left
		                        : to->params.at[i].words < 4 && pick(g, 4) == 0 ? source(g, to->params.at[i].words)
		                                                                        : part(g, to->params.at[i].words);
	for (unsigned i = 0; i < to->results.n; i++)
		inst->d[i] = part(g, to->results.at[i].words);
	/* Two results in one register would be a race. */
	for (unsigned i = 0; i < to->results.n; i++) {
		for (unsigned k = 0; k < i; k++) {
			if (inst->d[k].reg == inst->d[i].reg)
				inst->d[k] = none, inst->d[k].words = to->results.at[k].words;
		}
	}
	hd_vec_push(&g->b.f->blocks.at[g->b.block]->insts, inst);
}

static void statements(maker *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (g->depth < 3 && pick(g, 7) == 0)
			compound(g);
		else if (g->s->calls != CALLS_NONE && g->depth < 2 && pick(g, 12) == 0)
			call(g);
		else
			simple(g);
	}
}

static unsigned random_words(maker *g) { return 1u << pick(g, 3); }

static void signature(maker *g, unsigned words)
{
	uint32_t v = g->fuel = hd_ir_vreg_new(g->b.f, 1);
	hd_vec_push(&g->b.f->params, hd_opd_reg(v, 1));
	for (unsigned used = 0; used < words;) {
		unsigned w = random_words(g);
		hd_vec_push(&g->b.f->params, hd_opd_reg(hd_ir_vreg_new(g->b.f, w), w));
		used += w;
	}
	for (unsigned used = 0; used < words / 2;) {
		unsigned w = random_words(g);
		hd_vec_push(&g->b.f->results, hd_opd_reg(hd_ir_vreg_new(g->b.f, w), w));
		used += w;
	}
}

static void fill(maker *g)
{
	g->b.block = block_new(g);
	hd_opd fuel = hd_opd_reg(g->fuel, 1), stop = hd_opd_pred(hd_ir_vreg_new(g->b.f, 0), false);
	if (g->b.f->kernel)
		add(g, HD_OP_MOVI, fuel, hd_opd_imm(FUEL, 1), none);
	for (unsigned i = 0; i < g->s->pool; i++) {
		unsigned words = i < 3 ? 1u << i : random_words(g);
		g->pool[i] = hd_ir_vreg_new(g->b.f, words);
		for (unsigned w = 0; w < words; w++)
			add(g, HD_OP_MOVI, hd_opd_sub(g->pool[i], w, 1), hd_opd_imm(pick(g, 1u << 30), 1), none);
	}
	for (unsigned i = 0; i < g->s->predicates; i++) {
		g->preds[i] = hd_ir_vreg_new(g->b.f, 0);
		add(g, HD_OP_ISETP, hd_opd_pred(g->preds[i], false), part(g, 1), part(g, 1))->sub = HD_CMP_LO;
	}
	for (uint32_t at = 0; at < g->s->frame; at += 16)
		memory(g, HD_OP_STL, none, (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = at}, part(g, 4), 0);
	for (size_t i = 0; i < g->b.f->params.n; i++)
		show(g, g->b.f->params.at[i]);
	for (size_t i = 0; i < g->b.f->results.n; i++) {
		for (unsigned w = 0; w < g->b.f->results.at[i].words; w++)
			add(g, HD_OP_MOVI, hd_opd_sub(g->b.f->results.at[i].reg, w, 1), hd_opd_imm(pick(g, 1u << 30), 1), none);
	}
	uint32_t work = block_new(g), done = block_new(g);
	add(g, HD_OP_ISETP, stop, fuel, hd_opd_imm(0, 1))->sub = HD_CMP_EQ;
	end(g, HD_TERM_BRANCH, stop, done, work);
	g->b.block = work;
	add(g, HD_OP_ISUB, fuel, fuel, hd_opd_imm(1, 1));
	statements(g, g->s->statements);
	for (size_t i = 0; i < g->b.f->results.n; i++) {
		for (unsigned w = 0; w < g->b.f->results.at[i].words; w++)
			add(g, HD_OP_MOV, hd_opd_sub(g->b.f->results.at[i].reg, w, 1), part(g, 1), none);
	}
	for (unsigned i = 0; i < g->s->pool; i++)
		show(g, hd_opd_reg(g->pool[i], g->b.f->vregs.at[g->pool[i]].words));
	end(g, HD_TERM_JUMP, none, done, UINT32_MAX);
	g->b.block = done;
	end(g, g->b.f->kernel ? HD_TERM_EXIT : HD_TERM_RET, none, UINT32_MAX, UINT32_MAX);
}

static hd_ir_module *make(const shape *s, uint64_t seed)
{
	maker g = {.b = {.m = hd_ir_module_new()}, .s = s, .seed = seed};
	for (unsigned i = 0; i < s->functions; i++) {
		g.b.f = hd_ir_function_new(g.b.m, i == 0 ? "main" : "sub");
		g.b.f->kernel = i == 0;
		g.b.f->frame_bytes = s->frame;
		g.b.f->frame_align = 16;
		if (i > 0)
			signature(&g, s->many);
	}
	for (unsigned i = 0; i < s->functions; i++) {
		g.b.f = g.b.m->functions.at[i];
		g.number = i;
		g.fuel = i == 0 ? hd_ir_vreg_new(g.b.f, 1) : g.b.f->params.at[0].reg;
		fill(&g);
	}
	return g.b.m;
}

/* -- the comparison --------------------------------------------------------------------------------------------------------------------------- */

static void check_valid(const hd_ir_module *m, const char *when)
{
	hd_diag diag = {0};
	if (!hd_ir_validate(m, &diag))
		fail_msg("%s: %s", when, diag.text.at);
	hd_diag_free(&diag);
}

static void same(const shape *s, uint64_t seed, uint32_t limit, uint32_t predicates)
{
	hd_machine machine;
	hd_diag diag = {0};
	ir_run before, after;
	hd_machine_default(&machine);
	hd_ir_module *plain = make(s, seed), *m = make(s, seed);
	check_valid(plain, "made");
	assert_true(run_module(&before, plain));
	run_pass(hd_pass_switches, m, NULL);
	run_pass(hd_pass_layout, m, NULL);
	assert_true(hd_allocate_limited(m, &machine, limit, predicates, &diag));
	for (size_t i = 0; i < m->functions.n; i++)
		assert_true(m->functions.at[i]->registers <= limit || s->many > 4);
	run_pass(hd_pass_branches, m, NULL);
	bool ok = run_module(&after, m);
	bool equal =
	    ok && before.trace.n == after.trace.n && (before.trace.n == 0 || memcmp(before.trace.at, after.trace.at, before.trace.n * 4) == 0);
	if (!equal) {
		hd_text text = {0};
		if (getenv("HEDDLE_DUMP")) {
			hd_ir_print(plain, &text);
			hd_ir_print(m, &text);
			fputs(text.at, stderr);
		}
		hd_text_free(&text);
		fail_msg("seed %llu: %u registers, %u predicates, %s", (unsigned long long)seed, limit, predicates,
		         ok ? "other values" : "went wrong");
	}
	run_free(&before);
	run_free(&after);
	hd_ir_module_free(plain);
	hd_ir_module_free(m);
	hd_diag_free(&diag);
}

static void many(const shape *s, unsigned seeds, uint32_t limit, uint32_t predicates)
{
	for (uint64_t seed = 1; seed <= seeds; seed++)
		same(s, seed, limit, predicates);
}

TEST(test_plenty)
{
	(void)state;
	many(&(shape){.pool = 10, .predicates = 4, .statements = 60, .functions = 1, .frame = 64}, 60, 255, 7);
}

TEST(test_pressure)
{
	(void)state;
	many(&(shape){.pool = 40, .predicates = 12, .statements = 80, .functions = 1, .frame = 64}, 40, 64, 7);
	many(&(shape){.pool = 40, .predicates = 12, .statements = 80, .functions = 1, .frame = 64}, 40, 24, 5);
}

TEST(test_fewest_registers)
{
	(void)state;
	many(&(shape){.pool = 40, .predicates = 12, .statements = 80, .functions = 1, .frame = 64}, 60, 16, 4);
}

TEST(test_calls)
{
	(void)state;
	shape s = {.pool = 12, .predicates = 4, .statements = 40, .functions = 5, .many = 4, .calls = CALLS_DIRECT, .frame = 64};
	many(&s, 30, 255, 7);
	many(&s, 30, 20, 4);
	s.calls = CALLS_RECURSIVE;
	many(&s, 30, 255, 7);
	many(&s, 30, 20, 4);
	s.calls = CALLS_INDIRECT;
	many(&s, 30, 255, 7);
	many(&s, 30, 20, 4);
}

/* More arguments than registers are passed in memory. */
TEST(test_many_arguments)
{
	(void)state;
	shape s = {.pool = 20, .predicates = 4, .statements = 30, .functions = 4, .many = 100, .calls = CALLS_DIRECT, .frame = 64};
	many(&s, 15, 255, 7);
	many(&s, 15, 40, 4);
	s.calls = CALLS_RECURSIVE;
	many(&s, 15, 255, 7);
	s.calls = CALLS_INDIRECT;
	many(&s, 15, 40, 4);
}

/* Frames beyond what the offset of a load reaches. */
TEST(test_large_frames)
{
	(void)state;
	shape s = {.pool = 12, .predicates = 4, .statements = 30, .functions = 3, .many = 4, .calls = CALLS_DIRECT, .frame = 20000};
	many(&s, 6, 255, 7);
	s.frame = 40000;
	s.calls = CALLS_RECURSIVE;
	many(&s, 4, 20, 4);
	s.functions = 1;
	s.calls = CALLS_NONE;
	many(&s, 4, 16, 4);
}

/* sha256 waited for a load at an instruction that had nothing to do with it, but for the register of its address. As long as there are others,
 * registers that an access reads rest for 40 instructions. */
TEST(test_addresses_rest)
{
	(void)state;
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	maker g = {.b = {.m = hd_ir_module_new()}};
	g.b.f = hd_ir_function_new(g.b.m, "main");
	g.b.f->kernel = true;
	g.b.block = block_new(&g);
	uint32_t kept[40], n_kept = 40;
	for (unsigned i = 0; i < n_kept; i++)
		add(&g, HD_OP_MOVI, hd_opd_reg(kept[i] = hd_ir_vreg_new(g.b.f, 1), 1), hd_opd_imm((int32_t)i, 1), none);
	uint32_t address = hd_ir_vreg_new(g.b.f, 2), loaded = hd_ir_vreg_new(g.b.f, 1);
	add(&g, HD_OP_MOV64, hd_opd_reg(address, 2), hd_opd_const(64, 2), none);
	hd_ir_inst *load = memory(&g, HD_OP_LDG, hd_opd_reg(loaded, 1), hd_opd_reg(address, 2), none, 0);
	uint32_t sum = loaded;
	for (unsigned i = 0; i < 60; i++) {
		uint32_t next = hd_ir_vreg_new(g.b.f, 1);
		add(&g, HD_OP_IADD, hd_opd_reg(next, 1), hd_opd_reg(sum, 1), hd_opd_imm(1, 1));
		sum = next;
	}
	uint32_t out = hd_ir_vreg_new(g.b.f, 2);
	add(&g, HD_OP_MOV64, hd_opd_reg(out, 2), hd_opd_const(64, 2), none);
	for (unsigned i = 0; i < n_kept; i++)
		memory(&g, HD_OP_STG, none, hd_opd_reg(out, 2), hd_opd_reg(kept[i], 1), 4 * (int32_t)i);
	memory(&g, HD_OP_STG, none, hd_opd_reg(out, 2), hd_opd_reg(sum, 1), 0);
	end(&g, HD_TERM_EXIT, none, UINT32_MAX, UINT32_MAX);
	check_valid(g.b.m, "made");
	assert_true(hd_allocate_limited(g.b.m, &machine, 64, 7, &diag));
	assert_true(g.b.f->registers <= 64);
	const hd_ir_block *block = g.b.f->blocks.at[0];
	size_t at = 0;
	while (block->insts.at[at] != load)
		at++;
	for (size_t i = at + 1; i <= at + 40; i++) {
		const hd_opd *d = &block->insts.at[i]->d[0];
		assert_true(d->reg + d->words <= load->s[0].reg || d->reg >= load->s[0].reg + 2);
	}
	hd_ir_module_free(g.b.m);
}

/* With registers enough nothing goes to memory, and a copy that can vanish does. */
TEST(test_nothing_needless)
{
	(void)state;
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 1 1\nb0:\nlds{sub=4} %0 = 0x0\nmov %1 = %0\nsts{sub=4} %1, %1\n.exit\n");
	run_pass(hd_pass_allocate, b.m, NULL);
	ir_expect(&b, "b0:\nlds{sub=4} r0 = 0x0\nsts{sub=4} r0, r0\n.exit\n");
	assert_int_equal(b.f->registers, 1);
	assert_int_equal(b.f->frame_bytes, 0);
	ir_free(&b);
}

/* The largest block of the module's kernels decides how many registers a thread can have; at least 16. */
TEST(test_registers_of_a_thread)
{
	(void)state;
	static const struct {
		uint32_t max_threads, required, expected;
	} rows[] = {{0, 0, 40}, {512, 0, 32}, {1024, 0, 16}, {1024, 512, 32}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		enum { N = 40 };
		hd_machine machine;
		hd_text text = {0};
		hd_text_printf(&text, ".kernel \"k\"\n.info 0 0 %u %u %u %u\n.vregs 1", rows[i].max_threads, rows[i].required, rows[i].required != 0,
		               rows[i].required != 0);
		for (unsigned v = 1; v < N; v++)
			hd_text_printf(&text, " 1");
		hd_text_printf(&text, "\nb0:\n");
		for (unsigned v = 0; v < N; v++)
			hd_text_printf(&text, "lds{sub=4 offset=%u} %%%u = 0x0\n", 4 * v, v);
		for (unsigned v = 0; v < N; v++)
			hd_text_printf(&text, "sts{sub=4 offset=%u} 0x0, %%%u\n", 4 * v, v);
		hd_text_printf(&text, ".exit\n");
		hd_machine_default(&machine);
		machine.machine_registers = 16384;
		ir_builder b = ir_read(text.at);
		run_pass(hd_pass_allocate, b.m, &machine);
		assert_int_equal(b.f->registers, rows[i].expected);
		ir_free(&b);
		hd_text_free(&text);
	}
}

/* A long function of the kind that unrolled hashes are: it takes about a second if anything here grows with the square of its length. */
TEST(test_long_function)
{
	(void)state;
	const shape s = {.pool = 48, .predicates = 6, .statements = 20000, .functions = 1, .frame = 64};
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	hd_ir_module *m = make(&s, 1);
	run_pass(hd_pass_switches, m, NULL);
	run_pass(hd_pass_layout, m, NULL);
	assert_true(hd_allocate_limited(m, &machine, 48, 7, &diag));
	check_valid(m, "allocated");
	hd_ir_module_free(m);
}
