/* Parameters. Those of a kernel lie in the constant bank. Arguments and results of a function travel in registers; large ones travel through the
 * caller's frame, by address. The size alone decides, so that both sides agree. */
#include "ptx/lower.h"

static uint32_t words_of(const ptx_var *var) { return (uint32_t)((var->bytes + 3) / 4); }
static bool by_address(const ptx_var *var) { return var->bytes > PTX_MAX_REGISTER_ARGUMENT; }

/* -- homes --------------------------------------------------------------------------------------------------------------------------- */

static ptx_param_home *new_home(ptx_fn *fn, ptx_home_kind kind)
{
	ptx_param_home *home = hd_arena_alloc(&fn->lw->ast->arena, sizeof *home);
	home->kind = (uint8_t)kind;
	return home;
}

static ptx_param_home *word_home(ptx_fn *fn, const ptx_var *var)
{
	ptx_param_home *home = new_home(fn, PTX_HOME_WORDS);
	if (var->bytes == 8) {
		home->reg = hd_ir_vreg_new(fn->f, 2);
		return home;
	}
	for (uint32_t i = 0; i < words_of(var); i++) {
		uint32_t reg = hd_ir_vreg_new(fn->f, 1);
		home->reg = i ? home->reg : reg;
	}
	return home;
}

static hd_opd home_word(const ptx_var *var, uint32_t word)
{
	return var->bytes == 8 ? hd_opd_sub(var->home->reg, word, 1) : hd_opd_reg(var->home->reg + word, 1);
}

/* The registers of a home, in the form that a call carries. */
static uint32_t piece_count(const ptx_var *var) { return by_address(var) || var->bytes == 8 ? 1 : words_of(var); }

static hd_opd piece(const ptx_var *var, uint32_t i) { return var->bytes == 8 ? hd_opd_reg(var->home->reg, 2) : hd_opd_reg(var->home->reg + i, 1); }

static void clear_if_partial(ptx_fn *fn, const ptx_var *var)
{
	for (uint32_t i = 0; i < words_of(var); i++)
		if (var->partial >> i & 1)
			ptx_move(fn, home_word(var, i), ptx_imm(0));
}

void ptx_declare_param(ptx_fn *fn, ptx_var *var)
{
	fn->inst = NULL;
	if (var->unsized) {
		ptx_wrong(fn, fn->pos, "%.80s has no size, expected name[N]", var->sym.name->text);
		return;
	}
	if (var->printed) {
		var->home = new_home(fn, PTX_HOME_PRINTED);
		return;
	}
	if (by_address(var)) {
		var->home = new_home(fn, PTX_HOME_FRAME);
		var->home->at = ptx_frame(fn, fn->pos, words_of(var) * UINT64_C(4), hd_max_u32(var->align, 16));
		return;
	}
	var->home = word_home(fn, var);
	clear_if_partial(fn, var);
}

hd_opd ptx_param_address(ptx_fn *fn, const ptx_var *var)
{
	const ptx_param_home *home = var->home;
	switch ((ptx_home_kind)home->kind) {
	case PTX_HOME_BANK:
		return ptx_imm(home->at);
	case PTX_HOME_FRAME:
		return (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = home->at};
	case PTX_HOME_POINTER:
		return hd_opd_reg(home->reg, 1);
	case PTX_HOME_WORDS:
	case PTX_HOME_PRINTED:
		break;
	}
	ptx_wrong(fn, fn->pos, "the address of %.80s cannot be taken here", var->sym.name->text);
	return ptx_imm(0);
}

/* -- what the body does with parameters -------------------------------------------------------------------------------------------------- */

static ptx_var *param_of(const ptx_opd *opd)
{
	ptx_symbol *symbol = opd->kind == PTX_O_SYMBOL ? opd->sym : NULL;
	return symbol && symbol->kind == PTX_SYM_VAR && ((ptx_var *)symbol)->space == PTX_S_PARAM ? (ptx_var *)symbol : NULL;
}

/* The arguments of a printf are what is stored to them. */
static void note_printed(const ptx_inst *inst)
{
	bool behind = false;
	for (unsigned o = 0; o < inst->nopds; o++) {
		const ptx_opd *opd = &inst->opds[o];
		for (unsigned i = 0; behind && opd->kind == PTX_O_LIST && i < opd->n; i++) {
			ptx_var *var = param_of(&opd->list[i]);
			if (var)
				var->printed = true;
		}
		bool function = opd->kind == PTX_O_SYMBOL && opd->sym && opd->sym->kind == PTX_SYM_FUNC;
		behind = behind || (function && !((const ptx_func *)opd->sym)->defined && strcmp(opd->name->text, "printf") == 0);
	}
}

/* The words in registers that a store of small elements touches. */
static uint16_t partial_words(const ptx_var *var, const ptx_inst *inst, uint64_t at)
{
	unsigned lanes = ptx_has(inst, PTX_M_V2) ? 2 : ptx_has(inst, PTX_M_V4) ? 4 : 1;
	unsigned end = (unsigned)(at & 0xff) + lanes * ptx_types[inst->types[0]].bits / 8;
	uint16_t mask = 0;
	for (unsigned byte = (unsigned)(at & 0xff); at < var->bytes && byte < end && byte < PTX_MAX_REGISTER_ARGUMENT; byte++)
		mask |= (uint16_t)(1u << (byte / 4));
	return mask;
}

static void note_uses(const ptx_func *func)
{
	for (size_t i = 0; i < func->body.n; i++) {
		const ptx_inst *inst = func->body.at[i].kind == PTX_INST ? func->body.at[i].inst : NULL;
		if (inst && strcmp(inst->op->text, "call") == 0)
			note_printed(inst);
		if (!inst || strcmp(inst->op->text, "call") == 0)
			continue;
		bool partial = strcmp(inst->op->text, "st") == 0 && inst->ntypes && ptx_types[inst->types[0]].bits < 32;
		for (unsigned o = 0; o < inst->nopds; o++) {
			const ptx_opd *opd = &inst->opds[o];
			bool bracket = opd->kind == PTX_O_ADDRESS && opd->n == 1;
			ptx_var *var = param_of(bracket ? &opd->list[0] : opd);
			if (var && bracket && partial)
				var->partial |= partial_words(var, inst, opd->imm);
			else if (var && bracket)
				continue;
			else if (var)
				var->indirect = true;
		}
	}
}

/* The function receives the address of `var` in a register. */
static void bind_pointer(ptx_fn *fn, ptx_var *var)
{
	var->home = new_home(fn, PTX_HOME_POINTER);
	var->home->reg = hd_ir_vreg_new(fn->f, 1);
	hd_vec_push(&fn->f->params, hd_opd_reg(var->home->reg, 1));
}

/* Results and arguments of a callable function. */
static void bind_function(ptx_fn *fn)
{
	uint32_t total = 0;
	for (size_t i = 0; i < fn->func->proto.results.n; i++) {
		ptx_var *var = fn->func->proto.results.at[i];
		if (by_address(var)) {
			bind_pointer(fn, var);
			continue;
		}
		var->home = word_home(fn, var);
		clear_if_partial(fn, var);
		for (uint32_t p = 0; p < piece_count(var); p++)
			hd_vec_push(&fn->f->results, piece(var, p));
	}
	for (size_t i = 0; i < fn->func->proto.params.n; i++) {
		ptx_var *var = fn->func->proto.params.at[i];
		total += piece_count(var);
		if (var->unsized || total > PTX_MAX_CALL_WORDS) {
			ptx_wrong(fn, var->sym.pos,
			          var->unsized ? "parameter %.80s has no size: variable arguments are not supported"
			                       : "parameter %.80s is one too many: a function takes 128 words",
			          var->sym.name->text);
			return;
		}
		if (by_address(var)) {
			bind_pointer(fn, var);
			continue;
		}
		var->home = word_home(fn, var);
		for (uint32_t p = 0; p < piece_count(var); p++)
			hd_vec_push(&fn->f->params, piece(var, p));
		if (!var->indirect)
			continue;
		/* The address of the variable is taken: it moves to the frame. */
		uint32_t at = ptx_frame(fn, var->sym.pos, words_of(var) * UINT64_C(4), hd_max_u32(var->align, 8));
		for (uint32_t w = 0; w < words_of(var); w++) {
			hd_ir_inst *inst = ptx_emit(fn, HD_OP_STL, 0, 2);
			inst->sub = HD_SIZE_32;
			inst->s[0] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = at + 4 * w};
			inst->s[1] = home_word(var, w);
		}
		var->home = new_home(fn, PTX_HOME_FRAME);
		var->home->at = at;
	}
}

void ptx_bind_params(ptx_fn *fn)
{
	fn->inst = NULL;
	note_uses(fn->func);
	if (!fn->kernel) {
		bind_function(fn);
		return;
	}
	if (fn->func->proto.results.n)
		ptx_wrong(fn, fn->pos, "a kernel has no results");
	for (size_t i = 0; i < fn->func->proto.params.n && i < fn->f->info.params.n; i++) {
		ptx_var *var = fn->func->proto.params.at[i];
		var->home = new_home(fn, PTX_HOME_BANK);
		var->home->at = HD_BANK_PARAMS + fn->f->info.params.at[i].offset;
	}
}

/* -- ld.param and st.param ------------------------------------------------------------------------------------------------------------------ */

/* The word of a bank or register home at byte `byte`, a multiple of 4. */
static hd_opd word_at(const ptx_var *var, uint64_t byte)
{
	if (var->home->kind == PTX_HOME_BANK)
		return hd_opd_const(var->home->at + (uint32_t)byte, 1);
	return home_word(var, (uint32_t)byte / 4);
}

static bool in_range(ptx_fn *fn, const ptx_opd *opd, const ptx_var *var, unsigned bytes, unsigned total)
{
	uint64_t at = opd->imm;
	if (at > var->bytes || total > var->bytes - at)
		ptx_wrong(fn, opd->pos, "bytes %lld to %lld of %.80s, which has %llu", (long long)at, (long long)(at + total - 1),
		          var->sym.name->text, (unsigned long long)var->bytes);
	else if ((at + (var->home->kind == PTX_HOME_BANK ? var->home->at : 0)) % hd_min_u32(bytes, 4))
		ptx_wrong(fn, opd->pos, "byte %llu of %.80s is misaligned for .%s", (unsigned long long)at, var->sym.name->text,
		          ptx_types[fn->inst->types[0]].name);
	return !fn->bad;
}

/* The element of `bytes` bytes at `byte`, extended to the words of its type. */
static hd_opd read_element(ptx_fn *fn, const ptx_var *var, uint64_t byte, ptx_type type)
{
	unsigned bits = ptx_bits(type), words = ptx_words(type);
	if (bits < 32) {
		/* A parameter of one or two bytes may begin inside a word of the bank. */
		uint64_t begin = var->home->kind == PTX_HOME_BANK ? var->home->at & 3 : 0, in_word = (begin + byte) & 3;
		hd_opd word = var->home->kind == PTX_HOME_BANK ? hd_opd_const(var->home->at + (uint32_t)(byte - in_word), 1)
		                                               : word_at(var, byte & ~UINT64_C(3));
		return ptx_extract(fn, word, (unsigned)in_word * 8, bits, ptx_signed(type));
	}
	if (words == 1)
		return word_at(var, byte);
	if (words == 2 && var->home->kind == PTX_HOME_BANK && (var->home->at + byte) % 8 == 0)
		return hd_opd_const(var->home->at + (uint32_t)byte, 2);
	if (words == 2 && var->home->kind == PTX_HOME_WORDS && var->bytes == 8)
		return hd_opd_reg(var->home->reg, 2);
	hd_opd value = ptx_temp(fn, words);
	for (unsigned i = 0; i < words; i++)
		ptx_move(fn, ptx_part(value, i, 1), word_at(var, byte + 4 * i));
	return value;
}

static bool indirect_access(ptx_fn *fn, const ptx_opd *opd, const ptx_var *var, bool store, ptx_access *access)
{
	if (var) {
		access->base = ptx_param_address(fn, var);
		if (access->base.kind == HD_OPD_FRAME)
			access->base.imm += opd->imm;
		else
			access->offset = (int32_t)opd->imm;
	} else if (opd->n == 1 && opd->list[0].kind == PTX_O_REG) {
		ptx_type declared;
		if (!ptx_register(fn, &opd->list[0], &access->base, &declared))
			return false;
		if (access->base.kind != HD_OPD_REG || opd->imm + 32768 > 65535) {
			ptx_wrong(fn, opd->pos, "expected the address of a parameter and a small offset");
			return false;
		}
		access->base = ptx_part(access->base, 0, 1);
		access->offset = (int32_t)(int64_t)opd->imm;
	} else {
		ptx_wrong(fn, opd->pos, "expected a parameter in brackets");
		return false;
	}
	if (store && fn->kernel && !var) {
		ptx_wrong(fn, opd->pos, "the parameters of a kernel cannot be stored to");
		return false;
	}
	access->op = store ? HD_OP_STL : fn->kernel && !var ? HD_OP_LDC : HD_OP_LDL;
	return !fn->bad;
}

static ptx_var *access_var(ptx_fn *fn, const ptx_opd *opd)
{
	ptx_var *var = opd->kind == PTX_O_ADDRESS && opd->n == 1 ? param_of(&opd->list[0]) : NULL;
	if (opd->kind != PTX_O_ADDRESS)
		ptx_wrong(fn, opd->pos, "expected a parameter in brackets");
	else if (var && !var->home)
		ptx_wrong(fn, opd->pos, "parameter %.80s is not usable because of an earlier error", var->sym.name->text);
	else if (opd->n == 1 && opd->list[0].kind == PTX_O_SYMBOL && !var)
		ptx_wrong(fn, opd->list[0].pos, "%.80s is no parameter", opd->list[0].name->text);
	return var;
}

void ptx_load_param(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned lanes)
{
	const ptx_opd *from = &inst->opds[1], *into = &inst->opds[0];
	unsigned bytes = ptx_bits(type) / 8;
	ptx_var *var = access_var(fn, from);
	ptx_access access = {0};
	if (!fn->bad && var && var->home->kind == PTX_HOME_PRINTED)
		ptx_wrong(fn, from->pos, "%.80s is an argument of printf, which is written only", var->sym.name->text);
	if (fn->bad || (var && !in_range(fn, from, var, bytes, bytes * lanes)))
		return;
	if (lanes > 1 && (into->kind != PTX_O_VECTOR || into->n != lanes)) {
		ptx_wrong(fn, into->pos, "expected a vector of %u elements", lanes);
		return;
	}
	if (!var || var->home->kind == PTX_HOME_FRAME || var->home->kind == PTX_HOME_POINTER) {
		if (indirect_access(fn, from, var, false, &access))
			ptx_load(fn, &access, into, type, lanes);
		return;
	}
	for (unsigned i = 0; i < lanes && !fn->bad; i++) {
		hd_opd value = read_element(fn, var, from->imm + (uint64_t)i * bytes, type);
		ptx_store_wide(fn, lanes == 1 ? into : &into->list[i], value, type, true);
	}
}

/* Replaces bits [at, at + bits) of a word by the low bits of a value. */
static void insert(ptx_fn *fn, hd_opd word, unsigned at, unsigned bits, hd_opd value)
{
	uint32_t mask = ((1u << bits) - 1) << at;
	if (at)
		value = ptx_make2(fn, HD_OP_SHL, 1, value, ptx_imm(at));
	ptx_emit3(fn, HD_OP_BITSEL, word, value, word, ptx_imm(mask));
}

/* The low bits of a register that is wider than the type, or any other value of the type. */
static hd_opd stored_value(ptx_fn *fn, const ptx_opd *element, ptx_type type)
{
	ptx_type declared;
	hd_opd value;
	if (element->kind == PTX_O_REG && ptx_register(fn, element, &value, &declared) && declared != PTX_PRED && value.words > ptx_words(type))
		return ptx_part(value, 0, ptx_words(type));
	return ptx_source(fn, element, type);
}

void ptx_store_param(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned lanes)
{
	const ptx_opd *into = &inst->opds[0], *from = &inst->opds[1];
	unsigned bits = ptx_bits(type), bytes = bits / 8;
	ptx_var *var = access_var(fn, into);
	ptx_access access = {0};
	bool printed = !fn->bad && var && var->home->kind == PTX_HOME_PRINTED;
	if (fn->bad || (var && !printed && !in_range(fn, into, var, bytes, bytes * lanes)))
		return;
	if (lanes > 1 && (from->kind != PTX_O_VECTOR || from->n != lanes)) {
		ptx_wrong(fn, from->pos, "expected a vector of %u elements", lanes);
		return;
	}
	if (var && var->home->kind == PTX_HOME_BANK) {
		ptx_wrong(fn, into->pos, "the parameters of a kernel cannot be stored to");
		return;
	}
	if (!printed && (!var || var->home->kind != PTX_HOME_WORDS)) {
		if (indirect_access(fn, into, var, true, &access))
			ptx_store(fn, &access, from, type, lanes);
		return;
	}
	for (unsigned i = 0; i < lanes && !fn->bad; i++) {
		const ptx_opd *element = lanes == 1 ? from : &from->list[i];
		uint64_t byte = into->imm + (uint64_t)i * bytes;
		hd_opd value = stored_value(fn, element, type);
		if (fn->bad)
			return;
		if (printed) {
			ptx_print_argument(fn, var, byte, type, value);
		} else if (bits < 32) {
			insert(fn, home_word(var, (uint32_t)byte / 4), (unsigned)(byte & 3) * 8, bits, value);
		} else if (bits == 64 && var->bytes == 8) {
			ptx_move(fn, hd_opd_reg(var->home->reg, 2), value);
		} else {
			for (unsigned w = 0; w < ptx_words(type); w++)
				ptx_move(fn, home_word(var, (uint32_t)byte / 4 + w), ptx_words(type) == 1 ? value : ptx_part(value, w, 1));
		}
	}
}

/* -- calls ------------------------------------------------------------------------------------------------------------------------------------- */

typedef HD_VEC(hd_opd) operands;

static void push_home(ptx_fn *fn, operands *list, const ptx_var *var)
{
	if (by_address(var)) {
		hd_vec_push(list, ptx_param_address(fn, var));
		return;
	}
	for (uint32_t i = 0; i < piece_count(var); i++)
		hd_vec_push(list, piece(var, i));
}

/* An argument or result must be a variable of the size that the callee declares; an argument may also be a register or number. */
static bool actual(ptx_fn *fn, const ptx_opd *opd, const ptx_var *formal, bool argument, operands *list)
{
	ptx_var *var = param_of(opd);
	if (formal->unsized) {
		ptx_wrong(fn, opd->pos, "variable arguments are not supported");
		return false;
	}
	if (!var && argument && !formal->array && opd->kind != PTX_O_LIST && opd->kind != PTX_O_VECTOR) {
		hd_vec_push(list, ptx_source(fn, opd, (ptx_type)formal->type));
		return !fn->bad;
	}
	if (!var || !var->home || (var->home->kind != PTX_HOME_WORDS && var->home->kind != PTX_HOME_FRAME)) {
		ptx_wrong(fn, opd->pos, "expected a .param variable that is declared in this function");
		return false;
	}
	if (var->bytes != formal->bytes) {
		ptx_wrong(fn, opd->pos, "%.80s has %llu bytes, the function's prototype says %llu", var->sym.name->text,
		          (unsigned long long)var->bytes, (unsigned long long)formal->bytes);
		return false;
	}
	push_home(fn, list, var);
	return true;
}

typedef struct call_parts {
	const ptx_opd *results, *callee, *arguments, *proto;
} call_parts;

static bool split(ptx_fn *fn, const ptx_inst *inst, call_parts *parts)
{
	unsigned at = 0;
	*parts = (call_parts){0};
	if (at < inst->nopds && inst->opds[at].kind == PTX_O_LIST)
		parts->results = &inst->opds[at++];
	if (at < inst->nopds && inst->opds[at].kind != PTX_O_LIST)
		parts->callee = &inst->opds[at++];
	if (at < inst->nopds && inst->opds[at].kind == PTX_O_LIST)
		parts->arguments = &inst->opds[at++];
	if (at < inst->nopds && inst->opds[at].kind == PTX_O_SYMBOL)
		parts->proto = &inst->opds[at++];
	if (at == inst->nopds && parts->callee)
		return true;
	ptx_wrong(fn, fn->pos, "expected (results), function, (arguments) and for an indirect call a prototype");
	return false;
}

/* Functions that are declared and never defined: Heddle's own operations (docs/ptx.md). */
static bool intrinsic(ptx_fn *fn, const ptx_func *func, const call_parts *parts)
{
	/* clang-format off */
#define BY_DIMENSION(name, bank, words) {name "_x", 0, 0, bank, words}, {name "_y", 0, 0, (bank) + 4 * (words), words}, {name "_z", 0, 0, (bank) + 8 * (words), words}
	/* clang-format on */
	static const struct {
		const char *name;
		uint16_t op;
		uint8_t arguments;
		uint16_t bank;
		uint8_t words; /* of the result */
	} rows[] = {{"__heddle_print_buffer", HD_OP_LDC, 0, HD_BANK_PRINT, 2},
	            {"__heddle_print_room", HD_OP_LDC, 0, HD_BANK_PRINT + 8, 2},
	            {"__heddle_dp2", HD_IR_DP2, 4, 0, 1},
	            {"__heddle_dp3", HD_IR_DP3, 6, 0, 1},
	            {"__heddle_dp4", HD_IR_DP4, 8, 0, 1},
	            BY_DIMENSION("__heddle_global_offset", HD_BANK_OFFSET, 2),
	            BY_DIMENSION("__heddle_range_offset", HD_BANK_RANGE, 2),
	            BY_DIMENSION("__heddle_range_size", HD_BANK_RANGE_SIZE, 2),
	            BY_DIMENSION("__heddle_range_groups", HD_BANK_RANGE_GROUPS, 1),
	            BY_DIMENSION("__heddle_range_first", HD_BANK_RANGE_FIRST, 1),
	            BY_DIMENSION("__heddle_range_block", HD_BANK_RANGE_BLOCK, 1),
	            {"__heddle_work_dim", 0, 0, HD_BANK_WORK_DIM, 1}};
#undef BY_DIMENSION
	const char *name = func->proto.sym.name->text;
	size_t row = 0;
	while (row < HD_COUNT(rows) && strcmp(rows[row].name, name) != 0)
		row++;
	if (row == HD_COUNT(rows))
		return false;
	ptx_var *result = parts->results && parts->results->n == 1 ? param_of(&parts->results->list[0]) : NULL;
	unsigned n = parts->arguments ? parts->arguments->n : 0;
	uint64_t bytes = 4u * rows[row].words;
	if (n != rows[row].arguments || !result || !result->home || result->home->kind != PTX_HOME_WORDS || result->bytes != bytes) {
		ptx_wrong(fn, fn->pos, "%s takes %u arguments and has one result of %u bytes", name, rows[row].arguments, (unsigned)bytes);
		return true;
	}
	hd_opd d = piece(result, 0);
	if (!rows[row].op) {
		ptx_move(fn, d, hd_opd_const(rows[row].bank, rows[row].words));
		return true;
	}
	if (rows[row].op == HD_OP_LDC) {
		hd_ir_inst *load = ptx_emit1(fn, HD_OP_LDC, d, ptx_imm(0));
		load->sub = HD_SIZE_64;
		load->offset = rows[row].bank;
		return true;
	}
	hd_opd x[8];
	for (unsigned i = 0; i < n; i++) {
		ptx_var *var = param_of(&parts->arguments->list[i]);
		if (!var || !var->home || var->home->kind != PTX_HOME_WORDS || var->bytes != 4) {
			ptx_wrong(fn, parts->arguments->list[i].pos, "expected a .param variable of 4 bytes");
			return true;
		}
		x[i] = piece(var, 0);
	}
	hd_ir_inst *inst = ptx_emit(fn, rows[row].op, 1, n);
	inst->d[0] = d;
	for (unsigned i = 0; i < n; i++)
		inst->s[i] = x[i];
	return true;
}

static void undefined(ptx_fn *fn, const ptx_opd *callee)
{
	const char *name = callee->name->text;
	if (strncmp(name, "_Z", 2) == 0 && (strstr(name, "read_image") || strstr(name, "write_image") || strstr(name, "get_image")))
		ptx_wrong(fn, callee->pos, "%.80s: images and samplers are not part of the machine", name);
	else
		ptx_wrong(fn, callee->pos, "function %.80s is not defined in this file", name);
}

/* The called function and its prototype. *index is -1 for an indirect call, whose address is then added to the sources. */
static const ptx_proto *target(ptx_fn *fn, const call_parts *parts, int32_t *index, operands *sources)
{
	ptx_symbol *symbol = ptx_symbol_of(parts->callee);
	*index = -1;
	if (symbol && symbol->kind == PTX_SYM_FUNC) {
		const ptx_func *func = (const ptx_func *)symbol;
		if (!func->defined) {
			if (strcmp(func->proto.sym.name->text, "printf") == 0)
				ptx_print(fn, parts->results, parts->arguments);
			else if (!intrinsic(fn, func, parts))
				undefined(fn, parts->callee);
			return NULL;
		}
		*index = func->entry ? func->ir_copy : func->ir;
		if (*index < 0)
			ptx_wrong(fn, parts->callee->pos, "function %.80s cannot be called here", func->proto.sym.name->text);
		return &func->proto;
	}
	if (parts->callee->kind != PTX_O_REG) {
		if (parts->callee->kind == PTX_O_SYMBOL && parts->callee->name && !symbol)
			undefined(fn, parts->callee);
		else
			ptx_wrong(fn, parts->callee->pos, "expected a function, or a register with the address of one");
		return NULL;
	}
	ptx_symbol *proto = parts->proto ? parts->proto->sym : NULL;
	if (!proto || proto->kind != PTX_SYM_PROTO) {
		ptx_wrong(fn, parts->proto ? parts->proto->pos : fn->pos, "expected the name of a .callprototype for an indirect call");
		return NULL;
	}
	hd_opd address = ptx_source(fn, parts->callee, PTX_U64);
	hd_vec_push(sources, ptx_part(address, 0, 1));
	return (const ptx_proto *)proto;
}

static void emit_call(ptx_fn *fn, const ptx_proto *proto, const call_parts *parts, int32_t index, operands *sources, operands *results)
{
	unsigned n_results = parts->results ? parts->results->n : 0, n_arguments = parts->arguments ? parts->arguments->n : 0;
	if (n_results != proto->results.n || n_arguments != proto->params.n) {
		ptx_wrong(fn, fn->pos, "%u results and %u arguments, the function's prototype has %zu and %zu", n_results, n_arguments,
		          proto->results.n, proto->params.n);
		return;
	}
	for (unsigned i = 0; i < n_results; i++)
		if (!actual(fn, &parts->results->list[i], proto->results.at[i], false, by_address(proto->results.at[i]) ? sources : results))
			return;
	for (unsigned i = 0; i < n_arguments; i++)
		if (!actual(fn, &parts->arguments->list[i], proto->params.at[i], true, sources))
			return;
	if (sources->n > PTX_MAX_CALL_WORDS + 2 || results->n > PTX_MAX_CALL_WORDS) {
		ptx_wrong(fn, fn->pos, "%zu words of arguments, expected at most %u", sources->n, (unsigned)PTX_MAX_CALL_WORDS);
		return;
	}
	hd_ir_inst *inst = ptx_emit(fn, HD_IR_CALLF, (unsigned)results->n, (unsigned)sources->n);
	inst->callee = index;
	for (size_t i = 0; i < results->n; i++)
		inst->d[i] = results->at[i];
	for (size_t i = 0; i < sources->n; i++)
		inst->s[i] = sources->at[i];
}

void ptx_do_call(ptx_fn *fn, const ptx_inst *inst)
{
	call_parts parts;
	operands sources = {0}, results = {0};
	int32_t index;
	(void)ptx_mod_used(fn, PTX_M_UNI);
	if (!split(fn, inst, &parts))
		return;
	const ptx_proto *proto = target(fn, &parts, &index, &sources);
	if (proto && !fn->bad)
		emit_call(fn, proto, &parts, index, &sources, &results);
	hd_vec_free(&sources);
	hd_vec_free(&results);
}
