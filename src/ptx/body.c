/* Function bodies: statements and operands. */
#include "ptx/parser.h"

bool ptx_parse_loc(ptx_parser *p, ptx_stmt *stmt)
{
	uint64_t number[3] = {0};
	*stmt = (ptx_stmt){.kind = PTX_LOC, .pos = p->tok.pos};
	if (!ptx_is_dot(p, "loc"))
		return false;
	ptx_advance(p);
	for (unsigned i = 0; i < 3; i++)
		if (!ptx_take_count(p, UINT32_MAX, &number[i]))
			return true;
	/* `, function_name $L__info_string0, inlined_at 1 2 3`: the innermost position counts. */
	while (ptx_is(p, ',') && p->next.kind == PTX_T_WORD) {
		ptx_advance(p);
		ptx_advance(p);
		while (!p->tok.first && (p->tok.kind == PTX_T_INT || p->tok.kind == PTX_T_WORD || ptx_is(p, '+')))
			ptx_advance(p);
	}
	stmt->loc.file = (uint32_t)number[0] + p->module->file_base;
	stmt->loc.line = (uint32_t)number[1];
	stmt->loc.column = (uint32_t)number[2];
	p->module->locs = true;
	return true;
}

/* With debug information clang puts labels and line directives between the words of a call. */
static void skip_noise(ptx_parser *p)
{
	ptx_stmt ignored;
	for (;;) {
		if (p->tok.kind == PTX_T_WORD && p->next.punct == ':') {
			ptx_advance(p);
			ptx_advance(p);
		} else if (!ptx_parse_loc(p, &ignored)) {
			return;
		}
	}
}

/* -- operands ------------------------------------------------------------------------------------------------------------------------ */

static bool parse_operand(ptx_parser *p, ptx_opd *opd, unsigned depth);

/* Operands from the current opening token to `close`. */
static bool parse_list(ptx_parser *p, ptx_opd *opd, char close, unsigned depth)
{
	HD_VEC(ptx_opd) list = {0};
	if (depth >= PTX_MAX_DEPTH)
		return ptx_expected(p, "operands that are not nested so deeply");
	ptx_advance(p);
	skip_noise(p);
	while (!ptx_is(p, close)) {
		ptx_opd element = {0};
		if (list.n == PTX_MAX_LIST)
			return ptx_expected(p, "a shorter operand list");
		if (!parse_operand(p, &element, depth + 1))
			return false;
		ptx_push(p->module, &list, element);
		skip_noise(p);
		if (ptx_is(p, close))
			break;
		if (!ptx_take(p, ','))
			return false;
		skip_noise(p);
	}
	ptx_advance(p);
	opd->list = list.at;
	opd->n = (uint16_t)list.n;
	return true;
}

static void parse_name(ptx_parser *p, ptx_opd *opd)
{
	ptx_name *name = ptx_intern(p->module, p->tok.text, p->tok.length);
	opd->name = name;
	opd->sym = ptx_lookup(p, name);
	ptx_advance(p);
	if (opd->sym) {
		opd->kind = opd->sym->kind == PTX_SYM_REG ? PTX_O_REG : PTX_O_SYMBOL;
		if (opd->kind == PTX_O_REG && p->tok.kind == PTX_T_DOT) {
			opd->part = ptx_intern(p->module, p->tok.text, p->tok.length);
			ptx_advance(p);
		}
	} else if (name->length == 1 && name->text[0] == '_') {
		opd->kind = PTX_O_SINK;
	} else if (name->length == 7 && memcmp(name->text, "WARP_SZ", 7) == 0) {
		opd->kind = PTX_O_INT;
		opd->imm = 32;
	} else if (name->text[0] == '%') {
		opd->kind = PTX_O_SPECIAL;
		if (p->tok.kind == PTX_T_DOT && p->tok.length == 1 && strchr("xyzw", p->tok.text[0])) {
			opd->component = p->tok.text[0];
			ptx_advance(p);
		}
	} else {
		opd->kind = PTX_O_SYMBOL;
	}
}

static bool parse_address(ptx_parser *p, ptx_opd *opd, unsigned depth)
{
	opd->kind = PTX_O_ADDRESS;
	if (depth >= PTX_MAX_DEPTH)
		return ptx_expected(p, "operands that are not nested so deeply");
	ptx_advance(p);
	if (p->tok.kind == PTX_T_WORD) {
		opd->list = hd_arena_alloc(&p->module->arena, sizeof *opd->list);
		opd->n = 1;
		opd->list[0].pos = p->tok.pos;
		parse_name(p, &opd->list[0]);
		if (!ptx_parse_offset(p, &opd->imm))
			return false;
	} else if (ptx_is(p, '-') || ptx_is(p, '+')) {
		if (!ptx_parse_offset(p, &opd->imm))
			return false;
	} else if (p->tok.kind == PTX_T_INT) {
		opd->imm = p->tok.value;
		ptx_advance(p);
		if (!ptx_parse_offset(p, &opd->imm))
			return false;
	} else {
		return ptx_expected(p, "an address");
	}
	/* The coordinates of a texture instruction: parsed here, rejected by lowering. */
	while (ptx_is(p, ',')) {
		ptx_opd ignored = {0};
		ptx_advance(p);
		opd->n = 2;
		if (!parse_operand(p, &ignored, depth + 1))
			return false;
	}
	return ptx_take(p, ']');
}

static bool parse_number(ptx_parser *p, ptx_opd *opd)
{
	bool minus = false, inverted = false;
	while (ptx_is(p, '-') || ptx_is(p, '+') || (ptx_is(p, '~') && !inverted)) {
		minus ^= ptx_is(p, '-');
		inverted |= ptx_is(p, '~');
		ptx_advance(p);
	}
	opd->imm = p->tok.value;
	switch (p->tok.kind) {
	case PTX_T_INT:
		opd->kind = PTX_O_INT;
		opd->imm = inverted ? ~opd->imm : opd->imm;
		opd->imm = minus ? 0 - opd->imm : opd->imm;
		break;
	case PTX_T_F32:
		opd->kind = PTX_O_F32;
		opd->imm ^= minus ? UINT64_C(1) << 31 : 0;
		break;
	case PTX_T_F64:
		opd->kind = PTX_O_F64;
		opd->imm ^= minus ? UINT64_C(1) << 63 : 0;
		break;
	default:
		return ptx_expected(p, "a register, a number, an address or a name");
	}
	ptx_advance(p);
	return true;
}

static bool parse_pair(ptx_parser *p, ptx_opd *opd)
{
	ptx_opd first = *opd;
	ptx_advance(p);
	*opd = (ptx_opd){.kind = PTX_O_PAIR, .pos = first.pos, .n = 2};
	opd->list = hd_arena_alloc(&p->module->arena, 2 * sizeof *opd->list);
	opd->list[0] = first;
	opd->list[1].pos = p->tok.pos;
	if (p->tok.kind != PTX_T_WORD)
		return ptx_expected(p, "the second destination");
	parse_name(p, &opd->list[1]);
	return true;
}

static bool parse_operand(ptx_parser *p, ptx_opd *opd, unsigned depth)
{
	skip_noise(p);
	*opd = (ptx_opd){.pos = p->tok.pos};
	switch (p->tok.punct) {
	case '{':
		opd->kind = PTX_O_VECTOR;
		if (!parse_list(p, opd, '}', depth))
			return false;
		if (opd->n == 1)
			*opd = opd->list[0]; /* braces around one element mean nothing */
		return true;
	case '(':
		opd->kind = PTX_O_LIST;
		return parse_list(p, opd, ')', depth);
	case '[':
		return parse_address(p, opd, depth);
	case '!':
		opd->neg = true;
		ptx_advance(p);
		break;
	default:
		break;
	}
	if (p->tok.kind != PTX_T_WORD)
		return parse_number(p, opd);
	parse_name(p, opd);
	if (ptx_is(p, '|'))
		return parse_pair(p, opd);
	return opd->kind != PTX_O_SYMBOL || ptx_parse_offset(p, &opd->imm);
}

/* -- statements ---------------------------------------------------------------------------------------------------------------------- */

static void parse_suffixes(ptx_parser *p, ptx_inst *inst)
{
	while (p->tok.kind == PTX_T_DOT) {
		ptx_type type = ptx_find_type(p->tok.text, p->tok.length);
		ptx_mod mod = type == PTX_NONE ? ptx_find_mod(p->tok.text, p->tok.length) : PTX_MOD_COUNT;
		if (type != PTX_NONE && inst->ntypes < HD_COUNT(inst->types)) {
			inst->types[inst->ntypes++] = (uint8_t)type;
		} else if (mod != PTX_MOD_COUNT) {
			inst->mods[mod >> 6] |= UINT64_C(1) << (mod & 63);
		} else if (!inst->unknown) {
			inst->unknown = p->tok.text;
			inst->unknown_length = (uint16_t)hd_min_u32(p->tok.length, 100);
		}
		size_t length = (size_t)(p->tok.text + p->tok.length - inst->text);
		inst->length = (uint16_t)hd_min_u64(length, 100);
		ptx_advance(p);
	}
}

static bool parse_inst(ptx_parser *p, ptx_place pos, const ptx_opd *guard)
{
	HD_VEC(ptx_opd) opds = {0};
	ptx_inst *inst = hd_arena_alloc(&p->module->arena, sizeof *inst);
	if (p->tok.kind != PTX_T_WORD)
		return ptx_expected(p, "an instruction");
	inst->text = p->tok.text;
	inst->length = (uint16_t)hd_min_u32(p->tok.length, 100);
	inst->op = ptx_intern(p->module, p->tok.text, p->tok.length);
	inst->guarded = guard != NULL;
	if (guard)
		inst->guard = *guard;
	ptx_advance(p);
	parse_suffixes(p, inst);
	while (!ptx_is(p, ';')) {
		ptx_opd opd;
		if (!parse_operand(p, &opd, 0))
			return false;
		if (opds.n == 16)
			return ptx_expected(p, "at most 16 operands");
		ptx_push(p->module, &opds, opd);
		skip_noise(p);
		if (ptx_is(p, ';'))
			break;
		if (!ptx_is(p, ','))
			return ptx_expected(p, "',' or ';'");
		ptx_advance(p);
	}
	ptx_advance(p);
	inst->opds = opds.at;
	inst->nopds = (uint8_t)opds.n;
	ptx_push(p->module, &p->func->body, (ptx_stmt){.kind = PTX_INST, .pos = pos, .inst = inst});
	return true;
}

static bool parse_branch_targets(ptx_parser *p, ptx_name *name, ptx_place pos)
{
	ptx_table *table = hd_arena_alloc(&p->module->arena, sizeof *table);
	do {
		ptx_opd label = {.kind = PTX_O_SYMBOL};
		ptx_advance(p);
		label.pos = p->tok.pos;
		label.name = ptx_take_name(p, "a label");
		if (!label.name)
			return false;
		ptx_push(p->module, &table->labels, label);
	} while (ptx_is(p, ','));
	ptx_declare(p, &table->sym, PTX_SYM_TABLE, name, pos);
	return ptx_take(p, ';');
}

static bool parse_call_prototype(ptx_parser *p, ptx_name *name, ptx_place pos)
{
	ptx_proto *proto = hd_arena_alloc(&p->module->arena, sizeof *proto);
	ptx_name *dummy;
	ptx_place ignored;
	ptx_advance(p);
	ptx_push_scope(p);
	bool good = ptx_parse_proto(p, proto, &dummy, &ignored);
	ptx_pop_scope(p);
	if (!good)
		return false;
	while (p->tok.kind == PTX_T_DOT)
		ptx_advance(p); /* .noreturn */
	ptx_declare(p, &proto->sym, PTX_SYM_PROTO, name, pos);
	return ptx_take(p, ';');
}

static bool parse_label(ptx_parser *p)
{
	ptx_place pos = p->tok.pos;
	ptx_name *name = ptx_take_name(p, "a label");
	ptx_advance(p);
	if (ptx_is_dot(p, "branchtargets"))
		return parse_branch_targets(p, name, pos);
	if (ptx_is_dot(p, "callprototype"))
		return parse_call_prototype(p, name, pos);
	if (ptx_is_dot(p, "calltargets")) {
		ptx_skip_statement(p);
		return true;
	}
	ptx_push(p->module, &p->func->body, (ptx_stmt){.kind = PTX_LABEL, .pos = pos, .label = name});
	return true;
}

static bool parse_directive(ptx_parser *p)
{
	ptx_space space;
	ptx_stmt stmt;
	if (ptx_is_dot(p, "reg")) {
		ptx_advance(p);
		return ptx_parse_registers(p);
	}
	if (ptx_parse_loc(p, &stmt)) {
		if (p->module->locs)
			ptx_push(p->module, &p->func->body, stmt);
		return true;
	}
	if (ptx_is_dot(p, "pragma"))
		return ptx_parse_pragma(p, p->func);
	if (ptx_space_of(p, &space)) {
		ptx_advance(p);
		return ptx_parse_variables(p, &(ptx_var){.space = (uint8_t)space});
	}
	return ptx_expected(p, "a declaration or an instruction");
}

static bool parse_guarded(ptx_parser *p)
{
	ptx_place pos = p->tok.pos;
	ptx_opd guard = {.pos = p->next.pos};
	ptx_advance(p);
	if (ptx_is(p, '!')) {
		guard.neg = true;
		ptx_advance(p);
	}
	if (p->tok.kind != PTX_T_WORD)
		return ptx_expected(p, "a predicate");
	parse_name(p, &guard);
	return parse_inst(p, pos, &guard);
}

void ptx_parse_body(ptx_parser *p)
{
	unsigned outer = p->depth;
	bool ended = false;
	while (p->tok.kind != PTX_T_END && !ended) {
		bool good = true;
		if (ptx_is(p, '}')) {
			ended = p->depth == outer;
			p->func->end = p->tok.pos;
			if (!ended)
				ptx_pop_scope(p);
			ptx_advance(p);
		} else if (ptx_is(p, '{') && p->depth < PTX_MAX_SCOPES) {
			ptx_push_scope(p);
			ptx_advance(p);
		} else if (ptx_is(p, ';')) {
			ptx_advance(p);
		} else if (ptx_is(p, '@')) {
			good = parse_guarded(p);
		} else if (p->tok.kind == PTX_T_DOT) {
			good = parse_directive(p);
		} else if (p->tok.kind == PTX_T_WORD && p->next.punct == ':') {
			good = parse_label(p);
		} else {
			good = parse_inst(p, p->tok.pos, NULL);
		}
		if (!good) {
			/* A brace inside a malformed statement belongs to the statement: a vector opens and closes on one line. */
			while (p->tok.kind != PTX_T_END && !ptx_is(p, ';') && !(ptx_is(p, '}') && p->tok.first))
				ptx_advance(p);
			if (ptx_is(p, ';'))
				ptx_advance(p);
		}
	}
	if (!ended) {
		ptx_fail(p, p->tok.pos, "expected '}' at the end of the function, found the end of the file");
		while (p->depth > outer)
			ptx_pop_scope(p);
	}
}
