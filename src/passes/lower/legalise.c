/* Two walks over the module: the first one counts the constants that would be literals, and changes only copies of instructions; the second one, when
 * the literals are chosen, rewrites. */
#include "passes/lower/legalise.h"

#include "passes/analysis/loop_weight.h"
#include "passes/lower/address_steps.h"
#include "passes/lower/hoist_constants.h"
#include "passes/lower/literal_pool.h"

typedef struct legaliser {
	hd_ir_module *module;
	hd_ir_function *f;
	hd_ir_insts out;
	hd_literal_pool pool;
	bool counting;   /* the first walk */
	uint32_t weight; /* of the current block */
} legaliser;

static bool takes_bank_operand(unsigned format)
{
	return format == HD_F_ALU || format == HD_F_SETP || format == HD_F_SUB || format == HD_F_SEL || format == HD_F_CARRY;
}

static bool is_zero(const hd_opd *o) { return o->kind == HD_OPD_IMM && o->imm == 0; }

static hd_ir_inst *append_unary(legaliser *l, unsigned op, hd_opd d, hd_opd a, const hd_ir_inst *like)
{
	hd_ir_inst *inst = hd_ir_inst_new(l->module, op, 1, 1);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->loc = like->loc;
	hd_vec_push(&l->out, inst);
	return inst;
}

/* A register that holds the operand; `like` gives the location. */
static hd_opd materialise(legaliser *l, const hd_opd *o, const hd_ir_inst *like)
{
	if (l->counting)
		return *o;
	uint32_t v = hd_ir_vreg_new(l->f, o->words);
	hd_opd reg = hd_opd_reg(v, o->words);
	if (o->kind == HD_OPD_IMM) {
		for (unsigned w = 0; w < o->words; w++)
			append_unary(l, HD_OP_MOVI, hd_opd_sub(v, w, 1), hd_opd_imm((uint32_t)(o->imm >> 32 * w), 1), like);
	} else if (o->kind == HD_OPD_CONST) {
		_Static_assert(HD_BANK_MAX <= UINT16_MAX, "a bank address fits the offset of a load without a register");
		hd_ir_inst *load = append_unary(l, HD_OP_LDC, reg, hd_opd_imm(0, 1), like);
		load->offset = (int32_t)o->imm;
		load->sub = hd_size_of_words(o->words);
	} else {
		append_unary(l, HD_OP_MOV, reg, *o, like); /* a frame address: the allocator lowers it */
	}
	return reg;
}

static bool is_bank_operand(const hd_opd *o)
{
	return o->kind == HD_OPD_CONST && o->imm % (4u * o->words) == 0 && o->imm / 4 + o->words <= HD_CONST_WORDS && o->words <= 2;
}

/* The comparison that holds when the operands are exchanged. */
static uint8_t exchanged(uint8_t cmp)
{
	static const uint8_t to[HD_CMP_COUNT] = {
	    [HD_CMP_EQ] = HD_CMP_EQ,   [HD_CMP_NE] = HD_CMP_NE,   [HD_CMP_LT] = HD_CMP_GT,   [HD_CMP_LE] = HD_CMP_GE,   [HD_CMP_GT] = HD_CMP_LT,
	    [HD_CMP_GE] = HD_CMP_LE,   [HD_CMP_LO] = HD_CMP_HI,   [HD_CMP_LS] = HD_CMP_HS,   [HD_CMP_HI] = HD_CMP_LO,   [HD_CMP_HS] = HD_CMP_LS,
	    [HD_CMP_EQU] = HD_CMP_EQU, [HD_CMP_NEU] = HD_CMP_NEU, [HD_CMP_LTU] = HD_CMP_GTU, [HD_CMP_LEU] = HD_CMP_GEU, [HD_CMP_GTU] = HD_CMP_LTU,
	    [HD_CMP_GEU] = HD_CMP_LEU, [HD_CMP_NUM] = HD_CMP_NUM, [HD_CMP_NAN] = HD_CMP_NAN,
	};
	return to[cmp];
}

/* Constants belong second: there is the 16-bit immediate. */
static void exchange_operands(hd_ir_inst *inst, const hd_op_info *row)
{
	bool commutes = (row->flags & HD_OPF_COMM) || row->format == HD_F_SETP;
	if (row->sources < 2 || !commutes || inst->s[0].kind == HD_OPD_REG || inst->s[1].kind != HD_OPD_REG)
		return;
	hd_opd swap = inst->s[0];
	inst->s[0] = inst->s[1];
	inst->s[1] = swap;
	if (row->format == HD_F_SETP)
		inst->sub = exchanged(inst->sub);
}

/* Can source i be encoded without a register, as the one constant of the instruction? Counts it as a literal in the first walk. */
static bool fits_constant(legaliser *l, const hd_ir_inst *inst, unsigned i, const hd_op_info *row)
{
	const hd_opd *o = &inst->s[i];
	int32_t field;
	if (o->kind == HD_OPD_IMM && i == 1 && hd_op_takes_imm16((hd_op)inst->op) && hd_imm16_fits((hd_op)inst->op, o->imm, &field))
		return true;
	if (!takes_bank_operand(row->format))
		return false;
	if (o->kind != HD_OPD_IMM)
		return is_bank_operand(o);
	if (l->counting)
		hd_literal_pool_want(&l->pool, o->imm, o->words, l->weight);
	return l->counting || hd_literal_pool_has(&l->pool, o->imm, o->words);
}

static void legalise_alu(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	bool has_constant = false;
	exchange_operands(inst, row);
	for (unsigned i = 0; i < row->sources; i++) {
		hd_opd *o = &inst->s[i];
		if (o->kind == HD_OPD_REG || is_zero(o))
			continue;
		if (!has_constant && fits_constant(l, inst, i, row))
			has_constant = true;
		else
			*o = materialise(l, o, inst);
	}
}

static void legalise_address(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	hd_opd *address = &inst->s[0];
	bool has_offset = row->format == HD_F_LD || row->format == HD_F_ST;
	int64_t at = (int64_t)address->imm + inst->offset;
	if (address->kind == HD_OPD_IMM && address->imm != 0) {
		if (has_offset && at >= 0 && at <= (inst->op == HD_OP_LDC ? UINT16_MAX : INT16_MAX)) {
			inst->offset = (int32_t)at;
			address->imm = 0;
		} else {
			*address = materialise(l, address, inst);
		}
	} else if (address->kind == HD_OPD_CONST && !(row->format == HD_F_LD && is_bank_operand(address))) {
		*address = materialise(l, address, inst);
	} else if (address->kind == HD_OPD_FRAME && inst->op != HD_OP_LDL && inst->op != HD_OP_STL) {
		*address = materialise(l, address, inst);
	}
}

/* An offset that does not fit is added to the address. */
static void legalise_offset(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	hd_opd *address = &inst->s[0];
	bool has_offset = row->format == HD_F_LD || row->format == HD_F_ST;
	hd_inst form = {.op = (uint8_t)inst->op, .a = address->kind == HD_OPD_IMM ? HD_RZ : 0};
	bool fits = has_offset ? inst->offset >= hd_offset_least(&form) && inst->offset <= hd_offset_most(&form) : inst->offset == 0;
	if (fits || address->kind == HD_OPD_FRAME || l->counting)
		return;
	unsigned words = address->words;
	hd_opd by = hd_opd_imm(words == 2 ? (uint64_t)(int64_t)inst->offset : (uint32_t)inst->offset, words),
	       sum = hd_opd_reg(hd_ir_vreg_new(l->f, words), words), base = *address;
	if (base.kind == HD_OPD_CONST)
		base = materialise(l, &base, inst);
	by = materialise(l, &by, inst);
	hd_ir_inst *add = hd_ir_inst_new(l->module, words == 2 ? HD_OP_IADD64 : HD_OP_IADD, 1, 2);
	add->d[0] = sum;
	add->s[0] = base;
	add->s[1] = by;
	add->loc = inst->loc;
	hd_vec_push(&l->out, add);
	*address = sum;
	inst->offset = 0;
}

static void legalise_memory(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	legalise_address(l, inst, row);
	legalise_offset(l, inst, row);
	for (unsigned i = 1; i < inst->ns; i++) {
		if (inst->s[i].kind != HD_OPD_REG && !is_zero(&inst->s[i]))
			inst->s[i] = materialise(l, &inst->s[i], inst);
	}
}

/* The allocator copies arguments: it takes what a copy takes. */
static void legalise_call(legaliser *l, hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		hd_opd *o = &inst->s[i];
		bool simple = o->kind == HD_OPD_REG || o->kind == HD_OPD_FRAME || (o->kind == HD_OPD_IMM && o->words == 1) || is_bank_operand(o);
		if (!simple)
			*o = materialise(l, o, inst);
	}
}

static void legalise(legaliser *l, hd_ir_inst *inst)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	if (inst->op == HD_IR_CALLF) {
		legalise_call(l, inst);
	} else if (inst->op == HD_IR_FADDR) {
		inst->op = HD_OP_MOVI; /* of kind FUNC: the emitter knows the address */
	} else if (inst->op < HD_OP_COUNT && (row->flags & HD_OPF_MEM) && inst->op != HD_OP_MEMBAR) {
		legalise_memory(l, inst, row);
	} else if (inst->op == HD_OP_MOV && inst->s[0].kind == HD_OPD_IMM && inst->s[0].imm != 0) {
		inst->op = HD_OP_MOVI;
	} else if (inst->op == HD_OP_MOV && inst->s[0].kind == HD_OPD_FRAME) {
		/* stays: the allocator lowers it */
	} else if (inst->op != HD_OP_MOVI && row->format != HD_F_BAR && row->sources) {
		legalise_alu(l, inst, row);
	} else if (row->format == HD_F_BAR && inst->ns > 0 && inst->s[0].kind != HD_OPD_NONE && inst->s[0].kind != HD_OPD_REG) {
		inst->s[0] = materialise(l, &inst->s[0], inst);
	}
	if (!l->counting)
		hd_vec_push(&l->out, inst);
}

static void walk(legaliser *l)
{
	for (size_t i = 0; i < l->module->functions.n; i++) {
		l->f = l->module->functions.at[i];
		if (l->counting) {
			hd_ir_link(l->f);
			hd_ir_loops(l->f);
		}
		for (size_t b = 0; b < l->f->blocks.n; b++) {
			hd_ir_block *block = l->f->blocks.at[b];
			l->weight = hd_loop_weight(block);
			for (size_t k = 0; k < block->insts.n; k++) {
				hd_ir_inst *inst = block->insts.at[k];
				legalise(l, l->counting ? hd_ir_inst_copy(l->module, inst) : inst);
			}
			if (!l->counting)
				hd_ir_replace_insts(block, &l->out);
		}
	}
}

bool hd_pass_legalise(hd_ir_module *module, const hd_pass_context *context)
{
	(void)context;
	legaliser l = {.module = module, .counting = true};
	walk(&l);
	hd_literal_pool_choose(&l.pool, module);
	l.counting = false;
	walk(&l);
	hd_literal_pool_free(&l.pool);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_hoist_constants(module->functions.at[i]);
		hd_move_address_steps(module->functions.at[i]);
	}
	return true;
}
