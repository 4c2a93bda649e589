/* Operands, temporaries and emission, which every instruction family uses. */
#include "ptx/lower.h"

void ptx_wrong(ptx_fn *fn, ptx_place at, const char *format, ...)
{
	char what[300];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	fn->bad = true;
	if (fn->inst)
		ptx_report(fn->lw, at, "%.*s: %s", (int)fn->inst->length, fn->inst->text, what);
	else
		ptx_report(fn->lw, at, "%s", what);
}

bool ptx_mod_used(ptx_fn *fn, ptx_mod mod)
{
	fn->used[mod >> 6] |= UINT64_C(1) << (mod & 63);
	return ptx_has(fn->inst, mod);
}

ptx_type ptx_type_at(ptx_fn *fn, unsigned which, uint32_t set)
{
	hd_text list = {0};
	ptx_type type = which < fn->inst->ntypes ? (ptx_type)fn->inst->types[which] : PTX_NONE;
	if (type != PTX_NONE && (set >> type & 1))
		return type;
	for (unsigned t = 1; t < PTX_TYPE_COUNT; t++)
		if (set >> t & 1)
			hd_text_printf(&list, "%s.%s", list.n ? " " : "", ptx_types[t].name);
	if (fn->bad)
		;
	else if (type == PTX_NONE)
		ptx_wrong(fn, fn->pos, "a type is missing, expected one of %s", list.at);
	else
		ptx_wrong(fn, fn->pos, "type .%s is not supported here, expected one of %s", ptx_types[type].name, list.at);
	hd_text_free(&list);
	for (unsigned t = 1; t < PTX_TYPE_COUNT; t++)
		if (set >> t & 1)
			return (ptx_type)t;
	return PTX_B32;
}

/* -- emission ----------------------------------------------------------------------------------------------------------------------- */

hd_opd ptx_temp(ptx_fn *fn, unsigned words)
{
	uint32_t reg = hd_ir_vreg_new(fn->f, words);
	return words ? hd_opd_reg(reg, words) : hd_opd_pred(reg, false);
}

hd_ir_inst *ptx_emit(ptx_fn *fn, unsigned op, unsigned nd, unsigned ns)
{
	hd_ir_inst *inst = hd_ir_inst_new(fn->lw->ir, op, nd, ns);
	inst->loc = fn->loc;
	hd_vec_push(&fn->f->blocks.at[fn->block]->insts, inst);
	return inst;
}

hd_ir_inst *ptx_emit1(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a)
{
	hd_ir_inst *inst = ptx_emit(fn, op, 1, 1);
	inst->d[0] = d;
	inst->s[0] = a;
	return inst;
}

hd_ir_inst *ptx_emit2(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a, hd_opd b)
{
	hd_ir_inst *inst = ptx_emit(fn, op, 1, 2);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->s[1] = b;
	return inst;
}

hd_ir_inst *ptx_emit3(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a, hd_opd b, hd_opd c)
{
	hd_ir_inst *inst = ptx_emit(fn, op, 1, 3);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->s[1] = b;
	inst->s[2] = c;
	return inst;
}

hd_opd ptx_make1(ptx_fn *fn, unsigned op, unsigned words, hd_opd a)
{
	hd_opd d = ptx_temp(fn, words);
	ptx_emit1(fn, op, d, a);
	return d;
}

hd_opd ptx_make2(ptx_fn *fn, unsigned op, unsigned words, hd_opd a, hd_opd b)
{
	hd_opd d = ptx_temp(fn, words);
	ptx_emit2(fn, op, d, a, b);
	return d;
}

hd_opd ptx_make3(ptx_fn *fn, unsigned op, unsigned words, hd_opd a, hd_opd b, hd_opd c)
{
	hd_opd d = ptx_temp(fn, words);
	ptx_emit3(fn, op, d, a, b, c);
	return d;
}

hd_opd ptx_plop2(ptx_fn *fn, hd_opd d, hd_opd a, hd_opd b, unsigned truth)
{
	/* The third predicate repeats the second, so that both of its values select the same table entries. */
	unsigned table = 0;
	for (unsigned i = 0; i < 8; i++)
		table |= (truth >> (i >> 1) & 1) << i;
	hd_ir_inst *inst = ptx_emit3(fn, HD_OP_PLOP, d, a, b, b);
	inst->sub = (uint8_t)table;
	return d;
}

void ptx_move(ptx_fn *fn, hd_opd d, hd_opd s)
{
	if (d.kind == HD_OPD_NONE)
		return;
	if (d.kind == HD_OPD_PRED) {
		ptx_plop2(fn, d, s, s, 0x8);
	} else if (d.words == 4) {
		ptx_emit1(fn, HD_OP_MOV64, ptx_part(d, 0, 2), ptx_part(s, 0, 2));
		ptx_emit1(fn, HD_OP_MOV64, ptx_part(d, 2, 2), s.kind == HD_OPD_IMM ? ptx_imm64(0) : ptx_part(s, 2, 2));
	} else if (s.kind == HD_OPD_REG && s.reg == d.reg && s.sub == d.sub) {
		return;
	} else {
		ptx_emit1(fn, d.words == 2 ? HD_OP_MOV64 : HD_OP_MOV, d, s);
	}
}

hd_opd ptx_compare(ptx_fn *fn, unsigned op, hd_cmp cmp, hd_opd a, hd_opd b)
{
	hd_opd p = ptx_temp(fn, 0);
	ptx_emit2(fn, op, p, a, b)->sub = (uint8_t)cmp;
	return p;
}

void ptx_select(ptx_fn *fn, hd_opd d, hd_opd yes, hd_opd no, hd_opd pred)
{
	if (d.words == 4) {
		for (unsigned i = 0; i < 4; i += 2)
			ptx_emit3(fn, HD_OP_SEL64, ptx_part(d, i, 2), ptx_part(yes, i, 2), ptx_part(no, i, 2), pred);
		return;
	}
	ptx_emit3(fn, d.words == 2 ? HD_OP_SEL64 : HD_OP_SEL, d, yes, no, pred);
}

/* -- values -------------------------------------------------------------------------------------------------------------------------- */

hd_opd ptx_extract(ptx_fn *fn, hd_opd word, unsigned position, unsigned bits, bool is_signed)
{
	unsigned right = is_signed ? HD_OP_SHRS : HD_OP_SHRU;
	if (bits == 32)
		return word;
	if (position + bits < 32)
		word = ptx_make2(fn, HD_OP_SHL, 1, word, ptx_imm(32 - position - bits));
	return ptx_make2(fn, right, 1, word, ptx_imm(32 - bits));
}

hd_opd ptx_extend(ptx_fn *fn, hd_opd value, ptx_type type)
{
	unsigned bits = ptx_bits(type);
	if (bits >= 32)
		return value;
	if (value.kind == HD_OPD_IMM) {
		uint32_t v = (uint32_t)value.imm & ((1u << bits) - 1);
		return ptx_imm(ptx_signed(type) && (v >> (bits - 1)) ? v | ~((1u << bits) - 1) : v);
	}
	/* A nibble of prmt with bit 3 set repeats the sign of a byte. */
	if (ptx_signed(type))
		return ptx_make3(fn, HD_OP_PRMT, 1, value, value, ptx_imm(bits == 8 ? 0x8880 : 0x9910));
	return ptx_make2(fn, HD_OP_AND, 1, value, ptx_imm(bits == 8 ? 0xff : 0xffff));
}

static uint64_t immediate_bits(ptx_fn *fn, const ptx_opd *opd, ptx_type type)
{
	double d;
	float f;
	uint32_t word;
	uint64_t bits = opd->imm;
	unsigned width = ptx_bits(type);
	bool is_float = type == PTX_F32 || type == PTX_F64;
	if (opd->kind == PTX_O_F64 && width == 32 && (is_float || ptx_types[type].kind == 'B')) {
		memcpy(&d, &opd->imm, 8);
		f = (float)d;
		memcpy(&word, &f, 4);
		return word;
	}
	if (opd->kind == PTX_O_F32 && width == 64 && is_float) {
		word = (uint32_t)opd->imm;
		memcpy(&f, &word, 4);
		d = f;
		memcpy(&bits, &d, 8);
		return bits;
	}
	if (opd->kind == PTX_O_INT && is_float)
		ptx_wrong(fn, opd->pos, "an integer, expected a float such as %s", width == 32 ? "0f3F800000" : "0d3FF0000000000000");
	else if (opd->kind != PTX_O_INT && ptx_types[type].kind != 'B' && !is_float)
		ptx_wrong(fn, opd->pos, "a float, expected an integer");
	else if (opd->kind != PTX_O_INT && width != (opd->kind == PTX_O_F32 ? 32u : 64u))
		ptx_wrong(fn, opd->pos, "a float of another width than .%s", ptx_types[type].name);
	return bits;
}

bool ptx_register(ptx_fn *fn, const ptx_opd *opd, hd_opd *reg, ptx_type *type)
{
	if (opd->kind != PTX_O_REG) {
		if ((opd->kind == PTX_O_SPECIAL || opd->kind == PTX_O_SYMBOL) && opd->name) {
			if (!opd->name->complained)
				ptx_wrong(fn, opd->pos, "%.80s is not a declared register", opd->name->text);
			fn->bad = opd->name->complained = true;
		} else {
			ptx_wrong(fn, opd->pos, "expected a register");
		}
		return false;
	}
	const ptx_reg *r = (const ptx_reg *)opd->sym;
	unsigned words = ptx_words((ptx_type)r->type);
	if (opd->part) {
		ptx_wrong(fn, opd->pos, "%.80s.%.80s: a part of a register has no meaning here", opd->name->text, opd->part->text);
		return false;
	}
	hd_invariant(r->id < fn->func->registers, "register %s has number %u of %u", r->sym.name->text, r->id, fn->func->registers);
	if (!fn->regs[r->id])
		fn->regs[r->id] = hd_ir_vreg_new(fn->f, words) + 1;
	uint32_t vreg = fn->regs[r->id] - 1;
	*reg = words ? hd_opd_reg(vreg, words) : hd_opd_pred(vreg, false);
	*type = (ptx_type)r->type;
	return true;
}

static bool fits(ptx_fn *fn, const ptx_opd *opd, unsigned have, ptx_type type)
{
	static const char *const names[] = {"a predicate", "at most 32 bits", "64 bits", "", "128 bits"};
	unsigned want = ptx_words(type);
	if (have == want)
		return true;
	ptx_wrong(fn, opd->pos, "%.80s has %s, expected %s", opd->name ? opd->name->text : "the operand", names[have], names[want]);
	return false;
}

hd_opd ptx_source(ptx_fn *fn, const ptx_opd *opd, ptx_type type)
{
	unsigned words = ptx_words(type);
	ptx_type declared;
	hd_opd reg;
	hd_opd dummy = words == 4 ? hd_opd_reg(0, 4) : hd_opd_imm(0, words);
	if (opd->neg) {
		ptx_wrong(fn, opd->pos, "'!' in front of something that is no predicate");
		return dummy;
	}
	switch ((ptx_opd_kind)opd->kind) {
	case PTX_O_INT:
	case PTX_O_F32:
	case PTX_O_F64: {
		uint64_t bits = immediate_bits(fn, opd, type);
		if (words == 4) {
			hd_opd quad = ptx_temp(fn, 4);
			ptx_emit1(fn, HD_OP_MOV64, ptx_part(quad, 0, 2), ptx_imm64(bits));
			ptx_emit1(fn, HD_OP_MOV64, ptx_part(quad, 2, 2), ptx_imm64(0));
			return quad;
		}
		return words == 2 ? ptx_imm64(bits) : ptx_imm((uint32_t)bits);
	}
	case PTX_O_SYMBOL: {
		ptx_symbol *symbol = ptx_symbol_of(opd);
		if (symbol && (symbol->kind == PTX_SYM_VAR || symbol->kind == PTX_SYM_FUNC)) {
			hd_opd address = ptx_address_of(fn, opd);
			return words == 2 ? address : words == 1 ? ptx_part(address, 0, 1) : dummy;
		}
		break;
	}
	default:
		break;
	}
	if (!ptx_register(fn, opd, &reg, &declared) || !fits(fn, opd, reg.words, type))
		return dummy;
	return reg;
}

hd_opd ptx_extended(ptx_fn *fn, const ptx_opd *opd, ptx_type type) { return ptx_extend(fn, ptx_source(fn, opd, type), type); }

hd_opd ptx_pred(ptx_fn *fn, const ptx_opd *opd)
{
	ptx_type declared;
	hd_opd reg;
	if (opd->kind == PTX_O_INT) {
		/* A constant predicate, as a comparison of two equal constants. */
		bool value = (opd->imm != 0) != opd->neg;
		return ptx_compare(fn, HD_OP_ISETP, value ? HD_CMP_EQ : HD_CMP_NE, ptx_imm(0), ptx_imm(0));
	}
	if (!ptx_register(fn, opd, &reg, &declared) || !fits(fn, opd, reg.words, PTX_PRED))
		return hd_opd_pred(0, false);
	reg.neg = opd->neg;
	return reg;
}

hd_opd ptx_dest(ptx_fn *fn, const ptx_opd *opd, ptx_type type)
{
	ptx_type declared;
	hd_opd reg;
	if (opd->kind == PTX_O_SINK)
		return ptx_none();
	if (!ptx_register(fn, opd, &reg, &declared) || !fits(fn, opd, reg.words, type))
		return ptx_none();
	return reg;
}

hd_opd ptx_dest_pred(ptx_fn *fn, const ptx_opd *opd) { return ptx_dest(fn, opd, PTX_PRED); }

void ptx_store_wide(ptx_fn *fn, const ptx_opd *opd, hd_opd value, ptx_type type, bool extended)
{
	ptx_type declared;
	hd_opd reg;
	unsigned words = ptx_words(type);
	if (opd->kind == PTX_O_SINK)
		return;
	if (!ptx_register(fn, opd, &reg, &declared))
		return;
	/* Integers and bits are extended, floats have no wider form. */
	bool real = 1u << type & (PTX_SET_FLOAT | PTX_SET_HALF);
	if (declared == PTX_PRED || reg.words < words || (real && reg.words > words)) {
		fits(fn, opd, reg.words, type);
		return;
	}
	if (!extended && ptx_bits(declared) > ptx_bits(type))
		value = ptx_extend(fn, value, type);
	ptx_move(fn, ptx_part(reg, 0, words), value);
	if (reg.words == words)
		return;
	hd_opd high = ptx_imm(0);
	if (ptx_signed(type))
		high = ptx_make2(fn, HD_OP_SHRS, 1, ptx_part(reg, words - 1, 1), ptx_imm(31));
	for (unsigned i = words; i < reg.words; i++)
		ptx_move(fn, ptx_part(reg, i, 1), high);
}

/* -- addresses ----------------------------------------------------------------------------------------------------------------------- */

static hd_opd zero_extended(ptx_fn *fn, hd_opd low)
{
	hd_opd pair = ptx_temp(fn, 2);
	ptx_move(fn, ptx_part(pair, 0, 1), low);
	ptx_move(fn, ptx_part(pair, 1, 1), ptx_imm(0));
	return pair;
}

uint32_t ptx_frame(ptx_fn *fn, ptx_place at, uint64_t bytes, uint32_t align)
{
	hd_ir_function *f = fn->f;
	uint64_t offset = ((uint64_t)f->frame_bytes + align - 1) & ~(uint64_t)(align - 1);
	if (offset + bytes > HD_WINDOW_BYTES) {
		ptx_wrong(fn, at, "local memory of this function is more than the %u bytes of a thread", (unsigned)HD_WINDOW_BYTES);
		return 0;
	}
	f->frame_bytes = (uint32_t)(offset + bytes);
	f->frame_align = hd_max_u32(f->frame_align, align);
	return (uint32_t)offset;
}

bool ptx_frame_operand(ptx_fn *fn, ptx_place at, ptx_var *var, uint64_t addend, hd_opd *operand)
{
	if (!var->placed) {
		var->offset = ptx_frame(fn, at, var->bytes, var->align ? var->align : 1);
		var->placed = true;
		hd_vec_push(&fn->locals, var);
	}
	uint64_t byte = var->offset + addend;
	*operand = (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = byte};
	if (byte > HD_WINDOW_BYTES)
		ptx_wrong(fn, at, "the address lies outside of local memory");
	return !fn->bad;
}

static hd_opd function_address(ptx_fn *fn, const ptx_opd *opd, const ptx_func *func)
{
	hd_opd word = ptx_temp(fn, 1);
	if (!func->defined) {
		ptx_wrong(fn, opd->pos, "function %.80s is declared but not defined in this file", func->proto.sym.name->text);
		return ptx_imm64(0);
	}
	if (func->ir < 0 || opd->imm) {
		ptx_wrong(fn, opd->pos, "the address of %.80s cannot be taken, expected that of a function or kernel of this file",
		          func->proto.sym.name->text);
		return ptx_imm64(0);
	}
	ptx_emit1(fn, HD_IR_FADDR, word, (hd_opd){.kind = HD_OPD_FUNC, .words = 1, .imm = (uint64_t)func->ir});
	return zero_extended(fn, word);
}

hd_opd ptx_address_of(ptx_fn *fn, const ptx_opd *opd)
{
	ptx_symbol *symbol = ptx_symbol_of(opd);
	/* A kernel may be named before its declaration: clang does not see names inside inline assembly. */
	for (size_t i = 0; !symbol && opd->name && i < fn->lw->ast->funcs.n; i++)
		if (fn->lw->ast->funcs.at[i]->proto.sym.name == opd->name)
			symbol = &fn->lw->ast->funcs.at[i]->proto.sym;
	if (symbol && symbol->kind == PTX_SYM_FUNC)
		return function_address(fn, opd, (const ptx_func *)symbol);
	if (!symbol || symbol->kind != PTX_SYM_VAR) {
		ptx_wrong(fn, opd->pos, "%.80s is not declared, expected a variable", opd->name ? opd->name->text : "the operand");
		return ptx_imm64(0);
	}
	ptx_var *var = (ptx_var *)symbol;
	hd_opd low;
	switch ((ptx_space)var->space) {
	case PTX_S_GLOBAL:
	case PTX_S_CONST:
		if (!var->placed) {
			ptx_wrong(fn, opd->pos, "variable %.80s is declared but not defined in this file", var->sym.name->text);
			return ptx_imm64(0);
		}
		if (var->offset + opd->imm == 0)
			return ptx_make1(fn, HD_OP_MOV64, 2, hd_opd_const(HD_BANK_DATA, 2));
		return ptx_make2(fn, HD_OP_IADD64, 2, hd_opd_const(HD_BANK_DATA, 2), ptx_imm64(var->offset + opd->imm));
	case PTX_S_SHARED:
		return ptx_imm64((var->unsized ? ptx_dynamic_shared(fn->lw, fn->func) : var->offset) + opd->imm);
	case PTX_S_LOCAL:
		if (var->sym.depth == 0) {
			ptx_wrong(fn, opd->pos, "%.80s is a .local variable outside a function, expected it inside", var->sym.name->text);
			return ptx_imm64(0);
		}
		if (!ptx_frame_operand(fn, opd->pos, var, opd->imm, &low))
			return ptx_imm64(0);
		return zero_extended(fn, low);
	case PTX_S_PARAM:
		if (!var->home) {
			ptx_wrong(fn, opd->pos, "%.80s cannot be used here", var->sym.name->text);
			return ptx_imm64(0);
		}
		low = ptx_param_address(fn, var);
		if (opd->imm)
			low = ptx_make2(fn, HD_OP_IADD, 1, low, ptx_imm((uint32_t)opd->imm));
		return zero_extended(fn, low);
	default:
		break;
	}
	ptx_wrong(fn, opd->pos, "%.80s has no address", var->sym.name->text);
	return ptx_imm64(0);
}
