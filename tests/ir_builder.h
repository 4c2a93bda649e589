/* Small IR modules for tests: built instruction by instruction, or read from text (docs/compiler.md). */
#ifndef TEST_IR_BUILDER_H
#define TEST_IR_BUILDER_H

#include "test.h"

#include "ir/ir.h"

typedef struct ir_builder {
	hd_ir_module *m;
	hd_ir_function *f; /* the current function */
	uint32_t block;    /* the current block: instructions are appended to it */
} ir_builder;

static const hd_opd none = {0};

/* Physical registers, once a function is allocated; virtual ones before. */
static inline hd_opd r(uint32_t reg) { return hd_opd_reg(reg, 1); }
static inline hd_opd rr(uint32_t reg) { return hd_opd_reg(reg, 2); }
static inline hd_opd p(uint32_t reg) { return hd_opd_pred(reg, false); }
static inline hd_opd imm(uint32_t value) { return hd_opd_imm(value, 1); }

/* Adds a function of so many blocks, which end with EXIT or, if it is no kernel, with RET, and makes it the current one. */
static inline hd_ir_function *ir_add_function(ir_builder *b, const char *name, bool kernel, unsigned blocks)
{
	b->f = hd_ir_function_new(b->m, name);
	b->f->kernel = kernel;
	b->block = 0;
	for (unsigned i = 0; i < blocks; i++) {
		hd_ir_block_new(b->m, b->f);
		b->f->blocks.at[i]->term = kernel ? HD_TERM_EXIT : HD_TERM_RET;
	}
	return b->f;
}

/* A module with one kernel. */
static inline ir_builder ir_new(unsigned blocks)
{
	ir_builder b = {.m = hd_ir_module_new()};
	ir_add_function(&b, "test", true, blocks);
	return b;
}

/* The same with physical registers and final block order. */
static inline ir_builder ir_new_allocated(unsigned blocks)
{
	ir_builder b = ir_new(blocks);
	b.f->allocated = b.f->laid_out = true;
	return b;
}

/* A module from text; its first function is the current one. */
static inline ir_builder ir_read(const char *text)
{
	hd_diag diag = {0};
	ir_builder b = {.m = hd_ir_parse(text, strlen(text), "test.ir", &diag)};
	if (!b.m || !hd_ir_validate(b.m, &diag))
		fail_msg("%s", diag.text.at);
	b.f = b.m->functions.at[0];
	return b;
}

static inline void ir_free(ir_builder *b) { hd_ir_module_free(b->m); }

static inline hd_ir_block *ir_block(const ir_builder *b, uint32_t block) { return b->f->blocks.at[block]; }

/* A new virtual register as an operand; words 0: a predicate. */
static inline hd_opd ir_vreg(ir_builder *b, unsigned words)
{
	uint32_t v = hd_ir_vreg_new(b->f, words);
	return words ? hd_opd_reg(v, words) : hd_opd_pred(v, false);
}

/* Appends `op`. The destination and the sources end with kind NONE. Loads and stores get the size of their data. */
static inline hd_ir_inst *ir_put3(ir_builder *b, unsigned op, hd_opd d, hd_opd x, hd_opd y, hd_opd z)
{
	const hd_opd sources[] = {x, y, z};
	unsigned ns = 0;
	while (ns < HD_COUNT(sources) && sources[ns].kind != HD_OPD_NONE)
		ns++;
	hd_ir_inst *inst = hd_ir_inst_new(b->m, op, d.kind != HD_OPD_NONE, ns);
	for (unsigned i = 0; i < ns; i++)
		inst->s[i] = sources[i];
	if (inst->nd)
		inst->d[0] = d;
	unsigned format = hd_ir_info(op)->format;
	if (format == HD_F_LD || format == HD_F_ST)
		inst->sub = hd_size_of_words(format == HD_F_LD ? d.words : y.words);
	hd_vec_push(&b->f->blocks.at[b->block]->insts, inst);
	return inst;
}

static inline hd_ir_inst *ir_put(ir_builder *b, unsigned op, hd_opd d, hd_opd x, hd_opd y) { return ir_put3(b, op, d, x, y, none); }

/* A branch as an instruction, under a guard or always (kind NONE). */
static inline hd_ir_inst *ir_put_bra(ir_builder *b, uint32_t target, hd_opd guard)
{
	hd_ir_inst *inst = ir_put(b, HD_OP_BRA, none, none, none);
	inst->guard = guard;
	inst->callee = (int32_t)target;
	return inst;
}

/* The terminators of a block; its successors are those given. */
static inline void ir_jump(ir_builder *b, uint32_t from, uint32_t to)
{
	hd_ir_block *block = ir_block(b, from);
	block->term = HD_TERM_JUMP;
	block->succ.n = 0;
	hd_vec_push(&block->succ, to);
}

static inline void ir_branch(ir_builder *b, uint32_t from, hd_opd condition, uint32_t taken, uint32_t otherwise)
{
	ir_jump(b, from, taken);
	hd_vec_push(&ir_block(b, from)->succ, otherwise);
	ir_block(b, from)->term = HD_TERM_BRANCH;
	ir_block(b, from)->pred = condition;
}

/* The blocks of the current function as text, from "b0:" on, without tabs. The caller frees it. */
static inline hd_text ir_text(const ir_builder *b)
{
	hd_text all = {0}, out = {0}, name = {0};
	hd_text_printf(&name, "\"%s\"", b->f->name);
	hd_ir_print(b->m, &all);
	const char *at = strstr(strstr(all.at, name.at), "b0:"), *end = strstr(at, "\n.");
	while (end && (strncmp(end, "\n.kernel", 8) != 0 && strncmp(end, "\n.function", 10) != 0))
		end = strstr(end + 1, "\n.");
	for (; *at && at != end; at++)
		if (*at != '\t')
			hd_text_put(&out, at, 1);
	if (end)
		hd_text_put(&out, "\n", 1);
	hd_text_free(&all);
	hd_text_free(&name);
	return out;
}

static inline void ir_expect(const ir_builder *b, const char *expected)
{
	hd_text text = ir_text(b);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
}

#endif
