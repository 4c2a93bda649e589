/* Declarations: registers, variables with their initialisers, parameters, prototypes. */
#include "ptx/parser.h"

bool ptx_space_of(const ptx_parser *p, ptx_space *space)
{
	static const struct {
		const char *word;
		ptx_space space;
	} spaces[] = {{"global", PTX_S_GLOBAL}, {"const", PTX_S_CONST}, {"shared", PTX_S_SHARED}, {"local", PTX_S_LOCAL}, {"param", PTX_S_PARAM}};
	for (size_t i = 0; i < HD_COUNT(spaces); i++)
		if (ptx_is_dot(p, spaces[i].word)) {
			*space = spaces[i].space;
			return true;
		}
	return false;
}

bool ptx_parse_registers(ptx_parser *p)
{
	ptx_type type = p->tok.kind == PTX_T_DOT ? ptx_find_type(p->tok.text, p->tok.length) : PTX_NONE;
	if (type == PTX_NONE)
		return ptx_expected(p, "the type of a register");
	ptx_advance(p);
	for (;;) {
		ptx_reg *reg = hd_arena_alloc(&p->module->arena, sizeof *reg);
		ptx_place pos = p->tok.pos;
		ptx_name *name = ptx_take_name(p, "the name of a register");
		uint64_t count;
		if (!name)
			return false;
		reg->type = (uint8_t)type;
		if (ptx_is(p, '<')) {
			ptx_advance(p);
			if (!ptx_take_count(p, 100000000, &count) || !ptx_take(p, '>'))
				return false;
			reg->count = (uint32_t)count;
			ptx_declare(p, &reg->sym, PTX_SYM_RANGE, name, pos);
		} else {
			reg->id = p->func->registers++;
			ptx_declare(p, &reg->sym, PTX_SYM_REG, name, pos);
		}
		if (!ptx_is(p, ','))
			return ptx_take(p, ';');
		ptx_advance(p);
	}
}

static bool take_align(ptx_parser *p, uint32_t *align)
{
	ptx_place at = p->next.pos;
	uint64_t value;
	ptx_advance(p);
	if (!ptx_take_count(p, 1 << 20, &value))
		return false;
	if (value == 0 || (value & (value - 1)) != 0) {
		ptx_fail(p, at, "an alignment of %llu, expected a power of two", (unsigned long long)value);
		return false;
	}
	*align = (uint32_t)value;
	return true;
}

/* name, name[N], name[N][M], name[]; `element` bytes each */
static bool take_extent(ptx_parser *p, ptx_var *var, uint64_t element)
{
	uint64_t bytes = element, n;
	while (ptx_is(p, '[')) {
		ptx_place at = p->next.pos;
		ptx_advance(p);
		if (ptx_is(p, ']')) {
			if (var->array)
				return ptx_expected(p, "the size of the array");
			var->unsized = true;
			n = 1;
		} else if (!ptx_take_count(p, UINT64_MAX, &n)) {
			return false;
		}
		if (!ptx_take(p, ']'))
			return false;
		var->array = true;
		if (n != 0 && bytes > PTX_MAX_BYTES / n) {
			ptx_fail(p, at, "%.80s is larger than the %u bytes that a variable may have", var->sym.name->text, (unsigned)PTX_MAX_BYTES);
			return false;
		}
		bytes *= n;
	}
	var->bytes = var->unsized ? 0 : bytes;
	return true;
}

/* The modifiers between a space and a name; the type is required. */
static bool take_qualifiers(ptx_parser *p, ptx_var *var, unsigned *lanes)
{
	*lanes = 1;
	for (; p->tok.kind == PTX_T_DOT; ptx_advance(p)) {
		ptx_type type = ptx_find_type(p->tok.text, p->tok.length);
		ptx_space space;
		while (ptx_is_dot(p, "align"))
			if (!take_align(p, &var->align))
				return false;
		if (p->tok.kind != PTX_T_DOT)
			break;
		type = ptx_find_type(p->tok.text, p->tok.length);
		if (type != PTX_NONE && type != PTX_PRED) {
			var->type = (uint8_t)type;
		} else if (ptx_is_dot(p, "v2") || ptx_is_dot(p, "v4") || ptx_is_dot(p, "v8")) {
			*lanes = (unsigned)(p->tok.text[1] - '0');
		} else if (ptx_is_dot(p, "ptr") && var->space == PTX_S_PARAM) {
			var->pointer = true;
			for (ptx_advance(p); p->tok.kind == PTX_T_DOT;) {
				if (ptx_is_dot(p, "align")) {
					if (!take_align(p, &var->target_align))
						return false;
				} else if (ptx_space_of(p, &space)) {
					var->points = (uint8_t)space;
					ptx_advance(p);
				} else {
					return ptx_expected(p, "what the pointer points to");
				}
			}
			break;
		} else if (ptx_is_dot(p, "attribute")) {
			for (; p->tok.kind != PTX_T_END && !ptx_is(p, ')'); ptx_advance(p))
				var->managed = var->managed || ptx_is_dot(p, "managed");
		} else if (!(ptx_is_dot(p, "visible") || ptx_is_dot(p, "weak") || ptx_is_dot(p, "ptr"))) {
			return ptx_expected(p, "the type of the variable (textures, samplers and surfaces are not part of the machine)");
		}
	}
	if (var->type == PTX_NONE)
		return ptx_expected(p, "the type of the variable");
	return true;
}

static bool take_address(ptx_parser *p, ptx_init *init)
{
	bool generic = p->tok.kind == PTX_T_WORD && p->tok.length == 7 && memcmp(p->tok.text, "generic", 7) == 0 && p->next.punct == '(';
	if (generic) {
		ptx_advance(p);
		ptx_advance(p);
	}
	init->kind = PTX_I_SYMBOL;
	init->name = ptx_take_name(p, "the name of a variable or function");
	if (!init->name || (generic && !ptx_take(p, ')')))
		return false;
	return ptx_parse_offset(p, &init->value);
}

/* 0xFF00(symbol): one byte of the address */
static bool take_masked(ptx_parser *p, ptx_init *init)
{
	uint64_t mask = p->tok.value;
	unsigned shift = 0;
	while (shift < 64 && mask != UINT64_C(0xff) << shift)
		shift += 8;
	if (shift == 64)
		return ptx_expected(p, "a mask of one byte, such as 0xFF00,");
	ptx_advance(p);
	ptx_advance(p);
	init->value = 0;
	init->masked = true;
	init->shift = (uint8_t)shift;
	return take_address(p, init) && ptx_take(p, ')');
}

static bool take_initialiser(ptx_parser *p, ptx_var *var)
{
	ptx_init init = {.pos = p->tok.pos};
	bool minus = false;
	while (ptx_is(p, '-') || ptx_is(p, '+')) {
		minus ^= ptx_is(p, '-');
		ptx_advance(p);
	}
	init.value = p->tok.value;
	if (p->tok.kind == PTX_T_INT && p->next.punct == '(') {
		if (!take_masked(p, &init))
			return false;
	} else if (p->tok.kind == PTX_T_WORD) {
		if (!take_address(p, &init))
			return false;
	} else if (p->tok.kind == PTX_T_INT || p->tok.kind == PTX_T_F32 || p->tok.kind == PTX_T_F64) {
		init.kind = p->tok.kind == PTX_T_INT ? PTX_I_INT : p->tok.kind == PTX_T_F32 ? PTX_I_F32 : PTX_I_F64;
		if (minus)
			init.value =
			    init.kind == PTX_I_INT ? 0 - init.value : init.value ^ (init.kind == PTX_I_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63);
		ptx_advance(p);
	} else {
		return ptx_expected(p, "a value");
	}
	ptx_push(p->module, &var->init, init);
	return true;
}

/* = value or = {value, {value, ...}, ...}: nested braces are flattened. */
static bool take_initialisers(ptx_parser *p, ptx_var *var, unsigned element)
{
	unsigned open = 0;
	ptx_place at = p->tok.pos;
	do {
		if (ptx_is(p, '{')) {
			if (++open > 8)
				return ptx_expected(p, "at most 8 nested braces");
			ptx_advance(p);
			continue;
		}
		if (!(open && ptx_is(p, '}')) && !take_initialiser(p, var))
			return false;
		while (open && ptx_is(p, '}')) {
			open--;
			ptx_advance(p);
		}
		if (open && !ptx_is(p, '}') && !ptx_take(p, ','))
			return false;
	} while (open);
	if (var->unsized) {
		var->unsized = false;
		var->bytes = (uint64_t)var->init.n * element;
	}
	if ((uint64_t)var->init.n * element > var->bytes) {
		ptx_fail(p, at, "%zu values for %.80s, which has room for %llu", var->init.n, var->sym.name->text,
		         (unsigned long long)(var->bytes / element));
		return false;
	}
	return true;
}

bool ptx_parse_variables(ptx_parser *p, const ptx_var *first)
{
	ptx_var pattern = *first;
	const bool external = first->external;
	unsigned lanes;
	if (!take_qualifiers(p, &pattern, &lanes))
		return false;
	unsigned element = (unsigned)ptx_types[pattern.type].bits / 8;
	for (;;) {
		ptx_var *var = hd_arena_alloc(&p->module->arena, sizeof *var);
		ptx_place pos = p->tok.pos;
		ptx_name *name = ptx_take_name(p, "the name of the variable");
		if (!name)
			return false;
		*var = pattern;
		var->sym.name = name;
		if (var->align < element * lanes)
			var->align = var->align ? var->align : element * lanes;
		/* A wrong variable is declared all the same, so that its uses are no further errors. */
		bool ok = take_extent(p, var, (uint64_t)element * lanes);
		if (ok && ptx_is(p, '=')) {
			ptx_advance(p);
			ok = take_initialisers(p, var, element);
		}
		if (!ok) {
			/* Its values need not fit into its bytes. */
			var->bytes = element;
			var->init.n = 0;
		}
		const ptx_var *before = p->depth == 0 && name->symbol && name->symbol->kind == PTX_SYM_VAR ? (ptx_var *)name->symbol : NULL;
		/* The definition replaces an earlier declaration. */
		if (before && !before->external && !external && before->sym.weak && var->sym.weak) {
			/* The first definition of several units counts. */
		} else if (p->depth == 0 && name->symbol && name->symbol->kind == PTX_SYM_VAR && (external || ((ptx_var *)name->symbol)->external)) {
			ptx_var *old = (ptx_var *)name->symbol;
			if (!external) {
				ptx_symbol sym = old->sym;
				uint32_t index = old->index;
				*old = *var;
				old->sym = sym;
				old->sym.weak = var->sym.weak;
				old->index = index;
			}
		} else if (ptx_declare(p, &var->sym, PTX_SYM_VAR, name, pos)) {
			if (first->space == PTX_S_PARAM && p->func) {
				ptx_push(p->module, &p->func->body, (ptx_stmt){.kind = PTX_DECL, .pos = pos, .decl = var});
			} else {
				var->index = (uint32_t)p->module->vars.n;
				ptx_push(p->module, &p->module->vars, var);
			}
		}
		if (!ok)
			return false;
		if (!ptx_is(p, ','))
			return ptx_take(p, ';');
		ptx_advance(p);
	}
}

ptx_var *ptx_parse_param(ptx_parser *p)
{
	ptx_var *var = hd_arena_alloc(&p->module->arena, sizeof *var);
	unsigned lanes;
	var->space = PTX_S_PARAM;
	if (!ptx_is_dot(p, "param")) {
		ptx_expected(p, "'.param'");
		return NULL;
	}
	ptx_advance(p);
	if (!take_qualifiers(p, var, &lanes))
		return NULL;
	ptx_place pos = p->tok.pos;
	ptx_name *name = ptx_take_name(p, "the name of the parameter");
	if (!name)
		return NULL;
	unsigned element = (unsigned)ptx_types[var->type].bits / 8;
	var->sym.name = name;
	var->sym.pos = pos;
	if (var->align < element * lanes)
		var->align = var->align ? var->align : element * lanes;
	if (!take_extent(p, var, (uint64_t)element * lanes))
		return NULL;
	if (!(name->length == 1 && name->text[0] == '_'))
		ptx_declare(p, &var->sym, PTX_SYM_VAR, name, pos);
	else
		var->sym.kind = PTX_SYM_VAR;
	return var;
}

static bool take_params(ptx_parser *p, ptx_proto *proto, bool results)
{
	if (!ptx_take(p, '('))
		return false;
	while (!ptx_is(p, ')')) {
		ptx_var *var = ptx_parse_param(p);
		if (!var)
			return false;
		if (results)
			ptx_push(p->module, &proto->results, var);
		else
			ptx_push(p->module, &proto->params, var);
		if (ptx_is(p, ')'))
			break;
		if (!ptx_take(p, ','))
			return false;
	}
	ptx_advance(p);
	return true;
}

bool ptx_parse_proto(ptx_parser *p, ptx_proto *proto, ptx_name **name, ptx_place *pos)
{
	if (ptx_is(p, '(') && !take_params(p, proto, true))
		return false;
	*pos = p->tok.pos;
	*name = ptx_take_name(p, "the name of the function");
	if (!*name)
		return false;
	return !ptx_is(p, '(') || take_params(p, proto, false);
}
