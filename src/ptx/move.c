/* mov: registers, constants, special registers, addresses, packing; cvta and isspacep. */
#include "ptx/lower.h"

/* -- special registers ---------------------------------------------------------------------------------------------------------------- */

typedef struct special {
	const char *name;
	int sreg; /* hd_sreg, or -1 */
	int bank; /* byte of the constant bank, or -1 */
	int high; /* hd_sreg of the upper half, -1 = 32 bits */
} special;

static const special specials[] = {
    {"%laneid", HD_SREG_LANEID, -1, -1},
    {"%warpid", HD_SREG_WARPID, -1, -1},
    {"%nwarpid", HD_SREG_NWARPID, -1, -1},
    {"%smid", HD_SREG_SMID, -1, -1},
    {"%nsmid", HD_SREG_NSMID, -1, -1},
    {"%gridid", HD_SREG_GRIDID, -1, -1},
    {"%heddle_task", HD_SREG_TASK, -1, -1},
    {"%heddle_entry", HD_SREG_ENTRY, -1, HD_SREG_ENTRYHI},
    {"%lanemask_eq", HD_SREG_LANEMASK_EQ, -1, -1},
    {"%lanemask_le", HD_SREG_LANEMASK_LE, -1, -1},
    {"%lanemask_lt", HD_SREG_LANEMASK_LT, -1, -1},
    {"%lanemask_ge", HD_SREG_LANEMASK_GE, -1, -1},
    {"%lanemask_gt", HD_SREG_LANEMASK_GT, -1, -1},
    {"%clock", HD_SREG_CLOCK, -1, -1},
    {"%clock_hi", HD_SREG_CLOCKHI, -1, -1},
    {"%clock64", HD_SREG_CLOCK, -1, HD_SREG_CLOCKHI},
    {"%globaltimer", HD_SREG_GLOBALTIMER, -1, HD_SREG_GLOBALTIMERHI},
    {"%globaltimer_lo", HD_SREG_GLOBALTIMER, -1, -1},
    {"%globaltimer_hi", HD_SREG_GLOBALTIMERHI, -1, -1},
    {"%dynamic_smem_size", -1, HD_BANK_DYNAMIC_SHARED, -1},
};

static hd_opd read_special(ptx_fn *fn, unsigned sreg)
{
	hd_opd d = ptx_temp(fn, 1);
	ptx_emit(fn, HD_OP_S2R, 1, 0)->d[0] = d;
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	block->insts.at[block->insts.n - 1]->sub = (uint8_t)sreg;
	return d;
}

/* %tid.x and similar registers: three components each; .w is 0. */
static bool find_vector(const ptx_opd *opd, special *out)
{
	static const struct {
		const char *name;
		int sreg, bank;
	} vectors[] = {{"%tid", HD_SREG_TIDX, -1}, {"%ctaid", HD_SREG_CTAIDX, -1}, {"%ntid", -1, HD_BANK_NTID}, {"%nctaid", -1, HD_BANK_NCTAID}};
	int component = opd->component == 'x' ? 0 : opd->component == 'y' ? 1 : opd->component == 'z' ? 2 : 3;
	for (size_t i = 0; opd->component && i < HD_COUNT(vectors); i++)
		if (strcmp(opd->name->text, vectors[i].name) == 0) {
			*out = (special){vectors[i].name, -1, -1, -1};
			if (component < 3 && vectors[i].sreg >= 0)
				out->sreg = vectors[i].sreg + component;
			else if (component < 3)
				out->bank = vectors[i].bank + 4 * component;
			return true;
		}
	return false;
}

/* A word or, for 64 bits, a pair; false for a name that is no special register. */
static bool special_value(ptx_fn *fn, const ptx_opd *opd, hd_opd *value)
{
	special s;
	if (ptx_is_workspace(opd->name->text)) {
		ptx_opd address = {
		    .kind = PTX_O_SYMBOL, .name = fn->lw->ast->workspace->sym.name, .sym = &fn->lw->ast->workspace->sym, .pos = opd->pos};
		*value = ptx_part(ptx_address_of(fn, &address), opd->name->text[7] == '1', 1);
		return true;
	}
	if (ptx_is_reserved(opd->name->text)) {
		const char *which = opd->name->text + 22;
		uint32_t begin = fn->lw->ast->reserved->offset;
		if (strcmp(which, "begin") == 0 || strcmp(which, "0") == 0 || strcmp(which, "1") == 0)
			*value = ptx_imm(begin);
		else if (strcmp(which, "end") == 0 || strcmp(which, "cap") == 0)
			*value = ptx_imm(which[0] == 'e' ? begin + PTX_RESERVED_BYTES : PTX_RESERVED_BYTES);
		else
			return false;
		return true;
	}
	bool found = find_vector(opd, &s);
	for (size_t i = 0; !found && !opd->component && i < HD_COUNT(specials); i++)
		if (strcmp(opd->name->text, specials[i].name) == 0) {
			s = specials[i];
			found = true;
		}
	if (!found)
		return false;
	if (s.sreg < 0) {
		*value = s.bank < 0 ? ptx_imm(0) : hd_opd_const((uint32_t)s.bank, 1);
	} else if (s.high < 0) {
		*value = read_special(fn, (unsigned)s.sreg);
	} else {
		/* The code reads one half after the other. If the upper half changed in between, the lower half has just wrapped to 0. */
		hd_opd before = read_special(fn, (unsigned)s.high), low = read_special(fn, (unsigned)s.sreg),
		       after = read_special(fn, (unsigned)s.high);
		hd_opd same = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, before, after);
		*value = ptx_temp(fn, 2);
		ptx_select(fn, ptx_part(*value, 0, 1), low, ptx_imm(0), same);
		ptx_move(fn, ptx_part(*value, 1, 1), after);
	}
	return true;
}

static void move_special(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	const ptx_opd *from = &inst->opds[1];
	hd_opd value, d = ptx_dest(fn, &inst->opds[0], type);
	unsigned words = ptx_words(type);
	if (!special_value(fn, from, &value)) {
		char component[3] = {'.', from->component, 0};
		ptx_wrong(fn, from->pos, "%.80s%s is neither a declared register nor a special register", from->name->text,
		          from->component ? component : "");
		return;
	}
	if (d.kind == HD_OPD_NONE)
		return;
	if (words < value.words)
		value = ptx_part(value, 0, words);
	ptx_move(fn, ptx_part(d, 0, value.words), value);
	if (words > value.words)
		ptx_move(fn, ptx_part(d, 1, 1), ptx_imm(0));
}

/* -- packing ------------------------------------------------------------------------------------------------------------------------------ */

/* Bits of each of the `n` elements of a value of the type; 0 with an error. */
static unsigned element_bits(ptx_fn *fn, const ptx_opd *vector, ptx_type type)
{
	unsigned bits = vector->n ? ptx_bits(type) / vector->n : 0;
	if ((vector->n == 2 || vector->n == 4 || vector->n == 8) && bits >= 8)
		return bits;
	ptx_wrong(fn, vector->pos, "%u elements in a value of type .%s", vector->n, ptx_types[type].name);
	return 0;
}

static ptx_type bits_type(unsigned bits) { return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : PTX_B64; }

static void pack(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	const ptx_opd *vector = &inst->opds[1];
	unsigned bits = element_bits(fn, vector, type), words = ptx_words(type);
	hd_opd d = ptx_dest(fn, &inst->opds[0], type), value[4] = {{0}};
	if (!bits || d.kind == HD_OPD_NONE)
		return;
	for (unsigned i = 0; i < vector->n; i++) {
		unsigned word = i * bits / 32, at = i * bits % 32;
		hd_opd x = ptx_source(fn, &vector->list[i], bits_type(bits));
		if (bits == 64) {
			value[word] = ptx_part(x, 0, 1);
			value[word + 1] = ptx_part(x, 1, 1);
		} else if (bits == 32) {
			value[word] = x;
		} else if (at == 0) {
			value[word] = ptx_extend(fn, x, bits == 8 ? PTX_U8 : PTX_U16);
		} else if (bits == 16) {
			value[word] = ptx_make3(fn, HD_OP_PRMT, 1, value[word], x, ptx_imm(0x5410));
		} else {
			hd_opd shifted = ptx_make2(fn, HD_OP_SHL, 1, ptx_extend(fn, x, PTX_U8), ptx_imm(at));
			value[word] = ptx_make2(fn, HD_OP_OR, 1, value[word], shifted);
		}
	}
	/* A source word may be a part of the destination. The move then goes through a temporary. */
	bool overlap = false;
	for (unsigned i = 0; i < words; i++)
		overlap |= words > 1 && value[i].kind == HD_OPD_REG && value[i].reg == d.reg;
	hd_opd to = overlap ? ptx_temp(fn, words) : d;
	for (unsigned i = 0; i < words; i++)
		ptx_move(fn, words == 1 ? to : ptx_part(to, i, 1), value[i]);
	if (overlap)
		ptx_move(fn, d, to);
}

static void unpack(ptx_fn *fn, const ptx_inst *inst, ptx_type type)
{
	const ptx_opd *vector = &inst->opds[0];
	unsigned bits = element_bits(fn, vector, type);
	hd_opd x = ptx_source(fn, &inst->opds[1], type);
	if (!bits)
		return;
	/* A destination may be the source, or a part of it. */
	if (ptx_words(type) == 1 && x.kind == HD_OPD_REG) {
		hd_opd copy = ptx_temp(fn, 1);
		ptx_move(fn, copy, x);
		x = copy;
	}
	for (unsigned i = 0; i < vector->n; i++) {
		unsigned at = i * bits;
		hd_opd d = ptx_dest(fn, &vector->list[i], bits_type(bits));
		if (d.kind == HD_OPD_NONE)
			continue;
		if (bits == 64) {
			ptx_move(fn, d, ptx_part(x, at / 32, 2));
			continue;
		}
		hd_opd word = ptx_words(type) == 1 ? x : ptx_part(x, at / 32, 1);
		if (at % 32)
			ptx_emit2(fn, HD_OP_SHRU, d, word, ptx_imm(at % 32));
		else
			ptx_move(fn, d, word);
	}
}

void ptx_do_mov(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(
	    fn, 0, PTX_SET(PRED) | PTX_SET_BITS | PTX_SET(B8) | PTX_SET(B128) | PTX_SET_INT | PTX_SET_FLOAT | PTX_SET(F16) | PTX_SET(F16X2));
	const ptx_opd *from = &inst->opds[1];
	if (type == PTX_PRED) {
		hd_opd s = ptx_pred(fn, from);
		ptx_move(fn, ptx_dest_pred(fn, &inst->opds[0]), s);
	} else if (inst->opds[0].kind == PTX_O_VECTOR) {
		unpack(fn, inst, type);
	} else if (from->kind == PTX_O_VECTOR) {
		pack(fn, inst, type);
	} else if (from->kind == PTX_O_SPECIAL) {
		move_special(fn, inst, type);
	} else {
		hd_opd s = ptx_source(fn, from, type);
		ptx_move(fn, ptx_dest(fn, &inst->opds[0], type), s);
	}
}

/* -- generic addresses ------------------------------------------------------------------------------------------------------------------------ */

void ptx_do_cvta(ptx_fn *fn, const ptx_inst *inst)
{
	bool to = ptx_mod_used(fn, PTX_M_TO), global = ptx_mod_used(fn, PTX_M_GLOBAL), constant = ptx_mod_used(fn, PTX_M_CONST);
	bool shared = ptx_mod_used(fn, PTX_M_SHARED), local = ptx_mod_used(fn, PTX_M_LOCAL);
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(U64));
	hd_opd a = ptx_source(fn, &inst->opds[1], type), d = ptx_dest(fn, &inst->opds[0], type);
	if (global + constant + shared + local != 1)
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .global .const .shared .local");
	else if (global || constant)
		ptx_move(fn, d, a);
	else
		ptx_emit2(fn, to ? HD_OP_ISUB64 : HD_OP_IADD64, d, a, ptx_imm64(shared ? HD_WINDOW_SHARED : HD_WINDOW_LOCAL));
}

void ptx_do_isspacep(ptx_fn *fn, const ptx_inst *inst)
{
	bool global = ptx_mod_used(fn, PTX_M_GLOBAL), constant = ptx_mod_used(fn, PTX_M_CONST);
	bool shared = ptx_mod_used(fn, PTX_M_SHARED), local = ptx_mod_used(fn, PTX_M_LOCAL);
	hd_opd a = ptx_source(fn, &inst->opds[1], PTX_U64), d = ptx_dest_pred(fn, &inst->opds[0]), in[2];
	static const uint64_t windows[] = {HD_WINDOW_SHARED, HD_WINDOW_LOCAL};
	if (global + constant + shared + local != 1) {
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .global .const .shared .local");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		hd_opd distance = ptx_make2(fn, HD_OP_ISUB64, 2, a, ptx_imm64(windows[i]));
		in[i] = ptx_compare(fn, HD_OP_ISETP64, HD_CMP_LO, distance, ptx_imm64(HD_WINDOW_BYTES));
	}
	/* Constants lie in ordinary global memory: no address is in a constant window. */
	if (constant)
		ptx_plop2(fn, d, in[0], in[1], 0x0);
	else if (global)
		ptx_plop2(fn, d, in[0], in[1], 0x1);
	else
		ptx_move(fn, d, in[shared ? 0 : 1]);
}
