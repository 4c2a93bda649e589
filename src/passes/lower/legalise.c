/* After this pass every operand can be encoded:
 *
 *  - an immediate is 0 (the zero register), or the 16-bit immediate of its operation, or a literal of the program (a constant-bank word, at most one
 *    bank operand an instruction), or was put into a register;
 *  - a bank operand is one that the format takes, within the first 256 words;
 *  - memory offsets fit 16 bits, and addresses are registers (loads: or bank words).
 *
 * Literals are few (they share 240 words with the parameters): those win that save most, by uses weighted with loop depth. */
#include "passes/lower/legalise.h"

typedef struct literal {
	uint64_t value;
	uint8_t words;
	uint64_t weight;
	uint32_t order; /* of first use */
} literal;

typedef struct legaliser {
	hd_ir_module *module;
	hd_ir_function *f;
	HD_VEC(hd_ir_inst *) out;
	HD_VEC(literal) table; /* sorted by (value, words) once counting is done */
	bool counting;
	uint32_t weight;
} legaliser;

static bool takes_bank(unsigned format)
{
	return format == HD_F_ALU || format == HD_F_SETP || format == HD_F_SUB || format == HD_F_SEL || format == HD_F_CARRY;
}

static uint32_t param_words(const hd_ir_module *module)
{
	uint32_t most = 0;
	for (size_t i = 0; i < module->functions.n; i++) {
		uint32_t bytes = module->functions.at[i]->kernel ? module->functions.at[i]->info.param_bytes : 0;
		most = bytes > most ? bytes : most;
	}
	return (HD_BANK_PARAMS + most + 3) / 4;
}

static int by_value(const void *left, const void *right)
{
	const literal *a = left, *b = right;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static int by_weight(const void *left, const void *right)
{
	const literal *a = left, *b = right;
	uint64_t wa = a->weight / a->words, wb = b->weight / b->words;
	if (wa != wb)
		return wa > wb ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool chosen(const legaliser *l, uint64_t value, unsigned words)
{
	literal key = {.value = value, .words = (uint8_t)words};
	return l->table.n && bsearch(&key, l->table.at, l->table.n, sizeof *l->table.at, by_value);
}

static void count(legaliser *l, uint64_t value, unsigned words)
{
	hd_vec_push(&l->table, (literal){value, (uint8_t)words, l->weight, (uint32_t)l->table.n});
}

/* Keeps the best, sorted, and gives them their words: pairs first, so that they stay even. */
static void choose(legaliser *l)
{
	size_t n = 0;
	if (l->table.n)
		qsort(l->table.at, l->table.n, sizeof *l->table.at, by_value);
	for (size_t i = 0; i < l->table.n; i++) {
		literal *last = n ? &l->table.at[n - 1] : NULL;
		if (last && last->value == l->table.at[i].value && last->words == l->table.at[i].words) {
			last->weight += l->table.at[i].weight;
			last->order = last->order < l->table.at[i].order ? last->order : l->table.at[i].order;
		} else {
			l->table.at[n++] = l->table.at[i];
		}
	}
	if (n)
		qsort(l->table.at, n, sizeof *l->table.at, by_weight);
	uint32_t room = HD_CONST_WORDS - param_words(l->module), used = 0;
	size_t kept = 0;
	if (param_words(l->module) >= HD_CONST_WORDS)
		room = 0;
	for (size_t i = 0; i < n; i++) {
		if (used + l->table.at[i].words + 1 > room) /* one word of padding at most */
			continue;
		used += l->table.at[i].words;
		l->table.at[kept++] = l->table.at[i];
	}
	l->table.n = kept;
	if (kept)
		qsort(l->table.at, kept, sizeof *l->table.at, by_value);
	hd_ir_module *m = l->module;
	m->literals.n = 0;
	for (size_t i = 0; i < kept; i++) {
		hd_vec_push(&m->literals, (uint32_t)l->table.at[i].value);
		if (l->table.at[i].words == 2)
			hd_vec_push(&m->literals, (uint32_t)(l->table.at[i].value >> 32));
	}
	if (m->literals.n % 2)
		hd_vec_push(&m->literals, 0);
}

static hd_ir_inst *emit(legaliser *l, unsigned op, hd_opd d, hd_opd a, const hd_ir_inst *like)
{
	hd_ir_inst *inst = hd_ir_inst_new(l->module, op, 1, 1);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->loc = like->loc;
	hd_vec_push(&l->out, inst);
	return inst;
}

/* A register that holds the operand. */
static hd_opd materialise(legaliser *l, const hd_opd *o, const hd_ir_inst *like)
{
	if (l->counting)
		return *o;
	uint32_t v = hd_ir_vreg_new(l->f, o->words);
	hd_opd reg = hd_opd_reg(v, o->words);
	if (o->kind == HD_OPD_IMM) {
		for (unsigned w = 0; w < o->words; w++)
			emit(l, HD_OP_MOVI, hd_opd_sub(v, w, 1), hd_opd_imm((uint32_t)(o->imm >> 32 * w), 1), like);
	} else if (o->kind == HD_OPD_CONST) {
		hd_ir_inst *load = emit(l, HD_OP_LDC, reg, hd_opd_imm(o->imm > INT16_MAX ? o->imm : 0, 1), like);
		load->offset = o->imm > INT16_MAX ? 0 : (int32_t)o->imm;
		load->sub = o->words == 1 ? HD_SIZE_32 : o->words == 2 ? HD_SIZE_64 : HD_SIZE_128;
		if (o->imm > INT16_MAX)
			load->s[0] = materialise(l, &load->s[0], like);
	} else {
		emit(l, HD_OP_MOV, reg, *o, like); /* FRAME: the allocator knows */
	}
	return reg;
}

static bool bank_operand(const hd_opd *o)
{
	return o->kind == HD_OPD_CONST && o->imm % (4u * o->words) == 0 && o->imm / 4 + o->words <= HD_CONST_WORDS && o->words <= 2;
}

/* The comparison with its sides exchanged. */
static uint8_t swapped(uint8_t cmp)
{
	static const uint8_t to[HD_CMP_COUNT] = {
	    [HD_CMP_EQ] = HD_CMP_EQ,   [HD_CMP_NE] = HD_CMP_NE,   [HD_CMP_LT] = HD_CMP_GT,   [HD_CMP_LE] = HD_CMP_GE,   [HD_CMP_GT] = HD_CMP_LT,
	    [HD_CMP_GE] = HD_CMP_LE,   [HD_CMP_LO] = HD_CMP_HI,   [HD_CMP_LS] = HD_CMP_HS,   [HD_CMP_HI] = HD_CMP_LO,   [HD_CMP_HS] = HD_CMP_LS,
	    [HD_CMP_EQU] = HD_CMP_EQU, [HD_CMP_NEU] = HD_CMP_NEU, [HD_CMP_LTU] = HD_CMP_GTU, [HD_CMP_LEU] = HD_CMP_GEU, [HD_CMP_GTU] = HD_CMP_LTU,
	    [HD_CMP_GEU] = HD_CMP_LEU, [HD_CMP_NUM] = HD_CMP_NUM, [HD_CMP_NAN] = HD_CMP_NAN,
	};
	return to[cmp];
}

static void legalise_alu(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	unsigned n = row->sources;
	int32_t field;
	bool commutes = (row->flags & HD_OPF_COMM) || row->format == HD_F_SETP;
	if (n >= 2 && commutes && inst->s[0].kind != HD_OPD_REG && inst->s[1].kind == HD_OPD_REG) {
		hd_opd swap = inst->s[0];
		inst->s[0] = inst->s[1];
		inst->s[1] = swap;
		if (row->format == HD_F_SETP)
			inst->sub = swapped(inst->sub);
	}
	bool bank = false; /* the one bank operand is taken */
	for (unsigned i = 0; i < n; i++) {
		hd_opd *o = &inst->s[i];
		if (o->kind == HD_OPD_REG || (o->kind == HD_OPD_IMM && o->imm == 0))
			continue;
		if (o->kind == HD_OPD_IMM && i == 1 && !bank && hd_op_takes_imm16((hd_op)inst->op) &&
		    hd_imm16_fits((hd_op)inst->op, o->imm, &field)) {
			bank = true;
			continue;
		}
		if (bank_operand(o) && !bank && takes_bank(row->format)) {
			bank = true;
			continue;
		}
		if (o->kind == HD_OPD_IMM && !bank && takes_bank(row->format)) {
			if (l->counting)
				count(l, o->imm, o->words);
			if (l->counting || chosen(l, o->imm, o->words)) {
				bank = true;
				continue;
			}
		}
		*o = materialise(l, o, inst);
	}
}

static void legalise_memory(legaliser *l, hd_ir_inst *inst, const hd_op_info *row)
{
	hd_opd *address = &inst->s[0];
	bool offset_free = row->format == HD_F_LD || row->format == HD_F_ST;
	if (address->kind == HD_OPD_IMM && address->imm != 0) {
		int64_t at = (int64_t)address->imm + inst->offset;
		if (offset_free && at >= 0 && at <= INT16_MAX) {
			inst->offset = (int32_t)at;
			address->imm = 0;
		} else {
			*address = materialise(l, address, inst);
		}
	} else if (address->kind == HD_OPD_CONST && !(row->format == HD_F_LD && bank_operand(address))) {
		*address = materialise(l, address, inst);
	} else if (address->kind == HD_OPD_FRAME && (inst->op != HD_OP_LDL && inst->op != HD_OP_STL)) {
		*address = materialise(l, address, inst);
	}
	bool bad_offset = offset_free ? inst->offset < INT16_MIN || inst->offset > INT16_MAX : inst->offset != 0;
	if (bad_offset && address->kind != HD_OPD_FRAME && !l->counting) {
		unsigned words = address->words;
		hd_opd by = hd_opd_imm(words == 2 ? (uint64_t)(int64_t)inst->offset : (uint32_t)inst->offset, words),
		       sum = hd_opd_reg(hd_ir_vreg_new(l->f, words), words);
		hd_opd base = *address;
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
	for (unsigned i = 1; i < inst->ns; i++) {
		if (inst->s[i].kind != HD_OPD_REG && !(inst->s[i].kind == HD_OPD_IMM && inst->s[i].imm == 0))
			inst->s[i] = materialise(l, &inst->s[i], inst);
	}
}

static void legalise_call(legaliser *l, hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		hd_opd *o = &inst->s[i];
		bool simple = o->kind == HD_OPD_REG || o->kind == HD_OPD_FRAME || (o->kind == HD_OPD_IMM && o->words == 1) || bank_operand(o);
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
		inst->op = HD_OP_MOVI; /* of kind FUNC: the emitter puts the address in */
	} else if (inst->op < HD_OP_COUNT && (row->flags & HD_OPF_MEM) && inst->op != HD_OP_MEMBAR) {
		legalise_memory(l, inst, row);
	} else if ((inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_IMM && inst->s[0].imm != 0 &&
	           inst->op == HD_OP_MOV) {
		inst->op = HD_OP_MOVI;
	} else if (inst->op == HD_OP_MOV && inst->s[0].kind == HD_OPD_FRAME) {
		/* stays */
	} else if (inst->op != HD_OP_MOVI && row->format != HD_F_BAR && row->sources) {
		legalise_alu(l, inst, row);
	} else if (row->format == HD_F_BAR && inst->ns > 0 && inst->s[0].kind != HD_OPD_NONE && inst->s[0].kind != HD_OPD_REG) {
		inst->s[0] = materialise(l, &inst->s[0], inst);
	}
	if (!l->counting)
		hd_vec_push(&l->out, inst);
}

static void run(legaliser *l)
{
	for (size_t i = 0; i < l->module->functions.n; i++) {
		l->f = l->module->functions.at[i];
		if (l->counting) {
			hd_ir_link(l->f);
			hd_ir_loops(l->f);
		}
		for (size_t b = 0; b < l->f->blocks.n; b++) {
			hd_ir_block *block = l->f->blocks.at[b];
			l->weight = 1u << 3 * (block->loop_depth < 6 ? block->loop_depth : 6);
			l->out.at = NULL;
			l->out.n = l->out.cap = 0;
			for (size_t k = 0; k < block->insts.n; k++) {
				hd_ir_inst *inst = block->insts.at[k];
				legalise(l, l->counting ? hd_ir_inst_copy(l->module, inst) : inst);
			}
			if (l->counting)
				continue;
			hd_vec_free(&block->insts);
			block->insts.at = l->out.at;
			block->insts.n = l->out.n;
			block->insts.cap = l->out.cap;
		}
	}
}

bool hd_pass_legalise(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	(void)machine;
	(void)diag;
	legaliser l = {.module = module, .counting = true};
	run(&l);
	choose(&l);
	l.counting = false;
	run(&l);
	hd_vec_free(&l.table);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_hoist_constants(module, module->functions.at[i]);
		hd_advance_steps(module->functions.at[i]);
	}
	return true;
}

bool hd_literal_word(const hd_ir_module *module, uint64_t value, unsigned words, uint32_t *word)
{
	for (size_t i = 0; i + words <= module->literals.n; i += words) {
		if (module->literals.at[i] != (uint32_t)value || (words == 2 && module->literals.at[i + 1] != (uint32_t)(value >> 32)))
			continue;
		*word = HD_CONST_WORDS - (uint32_t)module->literals.n + (uint32_t)i;
		return true;
	}
	return false;
}
