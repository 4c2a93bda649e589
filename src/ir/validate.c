/* Checks all promises of the IR at its current stage (see ir.h). Runs between passes in tests and debug builds, and on parsed text. */
#include "ir/ir.h"

typedef struct context {
	const hd_ir_module *module;
	const hd_ir_function *function;
	const hd_ir_inst *inst; /* NULL while the check concerns a terminator or the function itself */
	uint32_t block;
	hd_ir_loc loc;
	hd_diag *diag;
	int operand; /* number of the destination or source that is checked, or -1 */
	char name[32];
	bool ok;
} context;

static void fail(context *c, const char *format, ...) HD_PRINTF(2, 3);
static void fail(context *c, const char *format, ...)
{
	char what[200];
	va_list args;
	hd_text inst = {0};
	hd_pos pos = {"ir", c->loc.line, c->loc.column};
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (c->loc.line && c->loc.file < c->module->files.n)
		pos.file = c->module->files.at[c->loc.file];
	if (c->inst)
		hd_ir_print_inst(c->inst, c->function->allocated, &inst);
	hd_error(c->diag, pos, "%s, block %u: %s%s%s", c->function->name, c->block, what, c->inst ? " in: " : "", c->inst ? inst.at : "");
	hd_text_free(&inst);
	c->ok = false;
}

/* A role with the operand's number. The text is made only for messages, which are rare. */
static const char *named(context *c, const char *role)
{
	if (c->operand < 0)
		return role;
	snprintf(c->name, sizeof c->name, "%s %d", role, c->operand);
	return c->name;
}

static void check_reg(context *c, const hd_opd *o, unsigned words, const char *role)
{
	if (words != 0 && o->words != words)
		fail(c, "%s has %u words, %u expected", named(c, role), o->words, words);
	if (o->words != 1 && o->words != 2 && o->words != 4) {
		fail(c, "%s has %u words, expected 1, 2 or 4", named(c, role), o->words);
		return;
	}
	if (c->function->allocated) {
		if (o->sub != 0)
			fail(c, "%s of an allocated function has a sub-register", named(c, role));
		if (o->reg != HD_RZ && (o->reg % o->words != 0 || o->reg + o->words > HD_RZ))
			fail(c, "%s is register %u of %u words, which does not exist or is misaligned", named(c, role), o->reg, o->words);
		return;
	}
	if (o->reg >= c->function->vregs.n) {
		fail(c, "%s names virtual register %u of %zu", named(c, role), o->reg, c->function->vregs.n);
		return;
	}
	unsigned have = c->function->vregs.at[o->reg].words;
	if (o->sub % o->words != 0 || o->sub + o->words > have)
		fail(c, "%s takes words %u..%u of a register of %u", named(c, role), o->sub, o->sub + o->words - 1, have);
}

static void check_pred(context *c, const hd_opd *o, bool optional, bool destination, const char *role)
{
	if (o->kind == HD_OPD_NONE && optional)
		return;
	if (o->kind != HD_OPD_PRED) {
		fail(c, "%s is no predicate", named(c, role));
		return;
	}
	if (destination && o->neg)
		fail(c, "%s is negated", named(c, role));
	if (c->function->allocated) {
		if (o->reg > HD_PT)
			fail(c, "%s is predicate %u", named(c, role), o->reg);
	} else if (o->reg >= c->function->vregs.n) {
		fail(c, "%s names virtual register %u of %zu", named(c, role), o->reg, c->function->vregs.n);
	} else if (c->function->vregs.at[o->reg].words != 0) {
		fail(c, "%s names a register that is no predicate", named(c, role));
	}
}

/* words 0 = predicate; `any` = every width is allowed. */
static void check_source(context *c, const hd_opd *o, unsigned words, bool any, bool optional, const char *role)
{
	if (!any && words == 0) {
		check_pred(c, o, true, false, role);
		return;
	}
	switch ((hd_opd_kind)o->kind) {
	case HD_OPD_NONE:
		if (!optional)
			fail(c, "%s is missing", named(c, role));
		return;
	case HD_OPD_REG:
		check_reg(c, o, any ? 0 : words, role);
		return;
	case HD_OPD_PRED:
		fail(c, "%s is a predicate, %u words expected", named(c, role), words);
		return;
	case HD_OPD_IMM:
		if (o->words != 1 && o->words != 2)
			fail(c, "%s is an immediate of %u words", named(c, role), o->words);
		if (o->words == 1 && o->imm > UINT32_MAX)
			fail(c, "%s is wider than its 32 bits", named(c, role));
		break;
	case HD_OPD_CONST:
		if (o->imm % 4 != 0 || o->imm > HD_BANK_MAX || o->imm + 4u * o->words > HD_BANK_MAX)
			fail(c, "%s is outside the constant bank or misaligned", named(c, role));
		break;
	case HD_OPD_FRAME:
		if (c->function->allocated)
			fail(c, "%s is a frame address after allocation", named(c, role));
		break;
	case HD_OPD_FUNC:
		if (o->imm >= c->module->functions.n)
			fail(c, "%s names function %llu", named(c, role), (unsigned long long)o->imm);
		else if (c->inst && c->inst->op != HD_IR_FADDR && c->inst->op != HD_OP_MOVI)
			fail(c, "%s is a function, expected in faddr and movi only", named(c, role));
		break;
	}
	if (!any && o->words != words)
		fail(c, "%s has %u words, %u expected", named(c, role), o->words, words);
}

static void check_sub(context *c, const hd_ir_inst *inst, const hd_op_info *row)
{
	unsigned limit = 256;
	bool integer = row->klass == HD_CLASS_ALU64 || inst->op == HD_OP_ISETP;
	switch (row->format) {
	case HD_F_SETP:
		limit = HD_CMP_COUNT;
		if (integer ? inst->sub > HD_CMP_HS : inst->sub >= HD_CMP_LO && inst->sub <= HD_CMP_HS)
			fail(c, "comparison %u does not fit the type", inst->sub);
		break;
	case HD_F_SREG:
		limit = HD_SREG_COUNT;
		break;
	case HD_F_LD:
	case HD_F_ST:
		limit = HD_SIZE_128 + 1;
		break;
	case HD_F_ATOM:
		limit = HD_ATOM_TYPE_COUNT << 4;
		if ((inst->sub & 15) >= HD_ATOM_OP_COUNT)
			fail(c, "atomic operation %u does not exist", inst->sub & 15);
		break;
	default:
		break;
	}
	if (inst->sub >= limit)
		fail(c, "sub-operation %u is out of range", inst->sub);
	if (inst->mod > 3)
		fail(c, "modifier %u is out of range", inst->mod);
	if (row->format == HD_F_CAS && inst->mod > 2)
		fail(c, "compare and swap of size %u", inst->mod);
	if ((row->format == HD_F_BAR || row->format == HD_F_CBAR || row->format == HD_F_HINTS) && (inst->offset < 0 || inst->offset > 15))
		fail(c, "%s %d, expected 0 to 15",
		     row->format == HD_F_HINTS   ? "hints for an instruction at a distance of"
		     : inst->op == HD_OP_SETPRIO ? "priority"
		                                 : "barrier",
		     inst->offset);
}

static void check_callee(context *c, const hd_ir_inst *inst)
{
	const hd_ir_function *callee;
	unsigned first = inst->callee == -1;
	if (inst->op == HD_OP_BRA || inst->op == HD_OP_BRK || inst->op == HD_OP_PUSH) {
		if (inst->callee < 0 || (size_t)inst->callee >= c->function->blocks.n)
			fail(c, "branch to block %d", inst->callee);
		return;
	}
	if (inst->op == HD_IR_CALLF && inst->callee == -1) {
		if (inst->ns < 1)
			fail(c, "indirect call without an address");
		return;
	}
	if (inst->callee < 0 || (size_t)inst->callee >= c->module->functions.n) {
		fail(c, "call of function %d of %zu", inst->callee, c->module->functions.n);
		return;
	}
	callee = c->module->functions.at[inst->callee];
	if (callee->kernel)
		fail(c, "call of kernel %s", callee->name);
	if (inst->op != HD_IR_CALLF)
		return;
	if (inst->ns - first != callee->params.n || inst->nd != callee->results.n) {
		fail(c, "call with %u arguments and %u results of %s, which has %zu and %zu", inst->ns - first, inst->nd, callee->name,
		     callee->params.n, callee->results.n);
		return;
	}
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind == HD_OPD_REG && inst->d[i].words != callee->results.at[i].words)
			fail(c, "result %u has another width than in %s", i, callee->name);
	for (unsigned i = first; i < inst->ns; i++)
		if (inst->s[i].words != callee->params.at[i - first].words)
			fail(c, "argument %u has another width than in %s", i - first, callee->name);
}

static void check_inst(context *c, const hd_ir_inst *inst)
{
	const hd_op_info *row;
	hd_ir_shape shape;
	c->inst = NULL;
	c->loc = inst->loc;
	if (inst->op >= HD_IR_OP_COUNT) {
		fail(c, "operation %u does not exist", inst->op);
		return;
	}
	c->inst = inst;
	row = hd_ir_info(inst->op);
	hd_ir_shape_of(inst, &shape);
	check_pred(c, &inst->guard, true, false, "guard");
	check_sub(c, inst, row);
	if (!shape.any && (inst->nd != shape.nd || inst->ns != shape.ns)) {
		fail(c, "%u destinations and %u sources, expected %u and %u", inst->nd, inst->ns, shape.nd, shape.ns);
		return;
	}
	for (unsigned i = 0; i < inst->nd; i++) {
		const hd_opd *o = &inst->d[i];
		c->operand = (int)i;
		if (o->kind == HD_OPD_NONE)
			continue;
		if (!shape.any && shape.d[i] == 0)
			check_pred(c, o, true, true, "destination");
		else if (o->kind != HD_OPD_REG)
			fail(c, "%s is no register", named(c, "destination"));
		else
			check_reg(c, o, shape.any ? 0 : shape.d[i], "destination");
	}
	for (unsigned i = 0; i < inst->ns; i++) {
		c->operand = (int)i;
		check_source(c, &inst->s[i], shape.any ? 0 : shape.s[i], shape.any, row->format == HD_F_BAR, "source");
	}
	c->operand = -1;
	if (inst->op == HD_OP_MOVI && inst->s[0].kind != HD_OPD_IMM && inst->s[0].kind != HD_OPD_FUNC && inst->s[0].kind != HD_OPD_FRAME)
		fail(c, "movi of an operand that is not an immediate");
	if (inst->op == HD_IR_FADDR && inst->s[0].kind != HD_OPD_FUNC)
		fail(c, "faddr of an operand that is not a function");
	if (inst->op == HD_IR_CALLF || row->format == HD_F_BRANCH)
		check_callee(c, inst);
	if ((row->flags & HD_OPF_FLOW) && row->format != HD_F_BAR && !c->function->laid_out && inst->op != HD_OP_CALL && inst->op != HD_OP_CALLX &&
	    inst->op != HD_OP_TRAP && inst->op != HD_OP_EXIT && inst->op != HD_OP_PUSH && inst->op != HD_OP_SYNC && row->format != HD_F_CBAR &&
	    inst->op != HD_OP_YIELD && inst->op != HD_OP_WSYNC)
		fail(c, "control flow among the instructions before layout");
	c->inst = NULL;
}

/* Lanes go on behind it, so that the next instruction begins a block. */
static bool ends_block(const hd_ir_inst *inst) { return inst->op == HD_OP_SYNC || inst->op == HD_OP_BSYNC || inst->op == HD_OP_YIELD; }

static void check_block(context *c, const hd_ir_block *block)
{
	static const uint8_t wanted[] = {[HD_TERM_JUMP] = 1, [HD_TERM_BRANCH] = 2, [HD_TERM_RET] = 0, [HD_TERM_EXIT] = 0, [HD_TERM_TRAP] = 0};
	for (size_t i = 0; i < block->insts.n; i++)
		check_inst(c, block->insts.at[i]);
	c->loc = block->loc;
	if (block->term == HD_TERM_SWITCH) {
		if (block->succ.n == 0)
			fail(c, "switch without targets");
		if (block->index.kind != HD_OPD_REG)
			fail(c, "switch on an operand that is not a register");
		else
			check_reg(c, &block->index, 1, "switch index");
	} else if ((unsigned)block->term > HD_TERM_TRAP) {
		fail(c, "terminator %d does not exist", (int)block->term);
	} else if (block->succ.n != wanted[block->term]) {
		fail(c, "%zu successors, expected %u", block->succ.n, wanted[block->term]);
	}
	for (size_t i = 0; i + 1 < block->insts.n; i++)
		if (ends_block(block->insts.at[i]) || (c->function->laid_out && block->insts.at[i]->op == HD_OP_WSYNC))
			fail(c, "%s in the middle of a block", hd_ops[block->insts.at[i]->op].mnemonic);
	if (block->meets && !block->insts.n)
		fail(c, "lanes meet in a block without instructions");
	if (block->term == HD_TERM_BRANCH)
		check_pred(c, &block->pred, false, false, "branch condition");
	for (size_t i = 0; i < block->succ.n; i++)
		if (block->succ.at[i] >= c->function->blocks.n)
			fail(c, "successor %u of %zu blocks", block->succ.at[i], c->function->blocks.n);
}

static void check_function(context *c)
{
	const hd_ir_function *function = c->function;
	for (size_t v = 0; v < function->vregs.n; v++) {
		unsigned words = function->vregs.at[v].words;
		if (words != 0 && words != 1 && words != 2 && words != 4)
			fail(c, "virtual register %zu has %u words", v, words);
	}
	/* After allocation the first block takes the arguments from the registers and frame slots of the calling convention. */
	for (size_t i = 0; i < function->params.n && !function->allocated; i++)
		check_source(c, &function->params.at[i], 0, true, false, "parameter");
	for (size_t i = 0; i < function->results.n; i++)
		check_source(c, &function->results.at[i], 0, true, false, "result");
	if (function->kernel && (function->params.n || function->results.n))
		fail(c, "kernel with register parameters or results");
	if (function->frame_align == 0 || (function->frame_align & (function->frame_align - 1)) != 0)
		fail(c, "frame alignment %u is no power of two", function->frame_align);
	if (function->blocks.n == 0)
		fail(c, "no blocks");
	for (c->block = 0; c->block < function->blocks.n; c->block++)
		check_block(c, function->blocks.at[c->block]);
}

bool hd_ir_validate(const hd_ir_module *module, hd_diag *diag)
{
	bool ok = true;
	for (size_t f = 0; f < module->functions.n; f++) {
		context c = {.module = module, .function = module->functions.at[f], .diag = diag, .operand = -1, .ok = true};
		c.loc = c.function->loc;
		check_function(&c);
		ok &= c.ok;
	}
	for (size_t i = 0; i < module->relocs.n; i++)
		if (module->relocs.at[i].offset > module->data.n || module->data.n - module->relocs.at[i].offset < 8) {
			hd_error(diag, (hd_pos){"ir", 0, 0}, "relocation %zu lies outside the data segment", i);
			ok = false;
		}
	for (size_t i = 0; i < module->code_refs.n; i++) {
		const hd_ir_code_ref *ref = &module->code_refs.at[i];
		if (ref->function >= module->functions.n || (ref->bytes != 4 && ref->bytes != 8) || ref->offset > module->data.n ||
		    module->data.n - ref->offset < ref->bytes) {
			hd_error(diag, (hd_pos){"ir", 0, 0}, "code reference %zu lies outside the data segment or names no function", i);
			ok = false;
		}
	}
	return ok;
}
