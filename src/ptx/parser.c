/* Module level: directives and functions, and the helpers that the other parts of the parser share. */
#include "ptx/parser.h"

#include "object/object.h"

void ptx_advance(ptx_parser *p)
{
	p->tok = p->next;
	ptx_lex(&p->lexer, &p->next);
}

static hd_pos position(const ptx_parser *p, ptx_place at) { return (hd_pos){p->module->file, at.line, at.column}; }

void ptx_fail(ptx_parser *p, ptx_place at, const char *format, ...)
{
	char what[300];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	hd_error(p->diag, position(p, at), "%s", what);
}

bool ptx_expected(ptx_parser *p, const char *what)
{
	const ptx_token *t = &p->tok;
	int length = (int)hd_min_u64(t->length, 40);
	if (t->kind == PTX_T_END)
		ptx_fail(p, t->pos, "expected %s, found the end of the file", what);
	else if (t->kind == PTX_T_BAD)
		ptx_fail(p, t->pos, "expected %s, found %s", what, t->why);
	else
		ptx_fail(p, t->pos, "expected %s, found '%s%.*s'", what, t->kind == PTX_T_DOT ? "." : "", length, t->text);
	return false;
}

bool ptx_is_dot(const ptx_parser *p, const char *word)
{
	return p->tok.kind == PTX_T_DOT && strlen(word) == p->tok.length && memcmp(word, p->tok.text, p->tok.length) == 0;
}

bool ptx_take(ptx_parser *p, char punct)
{
	char what[4] = {'\'', punct, '\'', 0};
	if (!ptx_is(p, punct))
		return ptx_expected(p, what);
	ptx_advance(p);
	return true;
}

bool ptx_take_count(ptx_parser *p, uint64_t limit, uint64_t *value)
{
	if (p->tok.kind != PTX_T_INT)
		return ptx_expected(p, "a number");
	if (p->tok.value > limit) {
		ptx_fail(p, p->tok.pos, "%llu is too large, expected at most %llu", (unsigned long long)p->tok.value, (unsigned long long)limit);
		return false;
	}
	*value = p->tok.value;
	ptx_advance(p);
	return true;
}

bool ptx_parse_offset(ptx_parser *p, uint64_t *offset)
{
	while (ptx_is(p, '+') || ptx_is(p, '-')) {
		bool minus = ptx_is(p, '-');
		ptx_advance(p);
		if (ptx_is(p, '-')) {
			minus = !minus;
			ptx_advance(p);
		}
		if (p->tok.kind != PTX_T_INT)
			return ptx_expected(p, "a number");
		*offset = minus ? *offset - p->tok.value : *offset + p->tok.value;
		ptx_advance(p);
	}
	return true;
}

ptx_name *ptx_take_name(ptx_parser *p, const char *what)
{
	if (p->tok.kind != PTX_T_WORD) {
		ptx_expected(p, what);
		return NULL;
	}
	ptx_name *name = ptx_intern(p->module, p->tok.text, p->tok.length);
	ptx_advance(p);
	return name;
}

void ptx_skip_statement(ptx_parser *p)
{
	while (p->tok.kind != PTX_T_END && !ptx_is(p, '}') && !ptx_is(p, '{')) {
		bool done = ptx_is(p, ';');
		ptx_advance(p);
		if (done)
			return;
	}
}

/* -- scopes ----------------------------------------------------------------------------------------------------------------------- */

void ptx_push_scope(ptx_parser *p)
{
	p->depth++;
	hd_invariant(p->depth < HD_COUNT(p->scope), "scope %u", p->depth);
	p->scope[p->depth] = NULL;
}

void ptx_pop_scope(ptx_parser *p)
{
	for (ptx_symbol *s = p->scope[p->depth]; s; s = s->next) {
		if (s->kind == PTX_SYM_RANGE)
			s->name->range = s->shadows;
		else
			s->name->symbol = s->shadows;
	}
	p->depth--;
}

static void enter(ptx_parser *p, ptx_symbol *symbol, unsigned depth)
{
	ptx_symbol **top = symbol->kind == PTX_SYM_RANGE ? &symbol->name->range : &symbol->name->symbol;
	symbol->depth = (uint8_t)depth;
	symbol->shadows = *top;
	*top = symbol;
	symbol->next = p->scope[depth];
	p->scope[depth] = symbol;
}

bool ptx_declare(ptx_parser *p, ptx_symbol *symbol, ptx_symbol_kind kind, ptx_name *name, ptx_place pos)
{
	const ptx_symbol *old = kind == PTX_SYM_RANGE ? name->range : name->symbol;
	symbol->kind = (uint8_t)kind;
	symbol->name = name;
	symbol->pos = pos;
	if (old && old->depth == p->depth) {
		ptx_fail(p, pos, "%.80s is declared twice, first in line %u", name->text, old->pos.line);
		return false;
	}
	enter(p, symbol, p->depth);
	return true;
}

ptx_symbol *ptx_lookup(ptx_parser *p, ptx_name *name)
{
	ptx_symbol *symbol = name->symbol;
	uint32_t digits = 0, number = 0;
	while (digits < name->length && digits < 9 && name->text[name->length - 1 - digits] >= '0' && name->text[name->length - 1 - digits] <= '9')
		digits++;
	const char *first = name->text + name->length - digits;
	if (digits == 0 || digits == name->length || (digits > 1 && *first == '0'))
		return symbol;
	ptx_name *prefix = ptx_intern(p->module, name->text, name->length - digits);
	ptx_reg *range = (ptx_reg *)prefix->range;
	if (!range || (symbol && symbol->depth >= range->sym.depth))
		return symbol;
	for (uint32_t i = 0; i < digits; i++)
		number = number * 10 + (uint32_t)(first[i] - '0');
	if (number >= range->count)
		return symbol;
	ptx_reg *reg = hd_arena_alloc(&p->module->arena, sizeof *reg);
	reg->type = range->type;
	reg->id = p->func->registers++;
	reg->sym.kind = PTX_SYM_REG;
	reg->sym.name = name;
	reg->sym.pos = range->sym.pos;
	enter(p, &reg->sym, range->sym.depth);
	return &reg->sym;
}

/* -- directives --------------------------------------------------------------------------------------------------------------------- */

/* Skips a directive without meaning here, to the end of its line. */
static void skip_line(ptx_parser *p)
{
	ptx_advance(p);
	while (p->tok.kind != PTX_T_END && !p->tok.first)
		ptx_advance(p);
}

static bool skip_section(ptx_parser *p)
{
	ptx_place start = p->tok.pos;
	unsigned open = 0;
	while (p->tok.kind != PTX_T_END && !ptx_is(p, '{'))
		ptx_advance(p);
	for (; p->tok.kind != PTX_T_END; ptx_advance(p)) {
		if (ptx_is(p, '{'))
			open++;
		if (ptx_is(p, '}') && --open == 0) {
			ptx_advance(p);
			return true;
		}
	}
	ptx_fail(p, start, "this section never ends, expected '}'");
	return false;
}

/* The text of a string token, in which clang writes quotes and backslashes behind a backslash, and bytes that are no ASCII as \NNN, octal. Any other
 * backslash stands for itself. */
static const char *unescaped(ptx_parser *p)
{
	const char *from = p->tok.text, *end = from + p->tok.length;
	char *text = hd_arena_strndup(&p->module->arena, from, p->tok.length), *to = text;
	while (from < end) {
		unsigned byte = 0, digits = 0;
		if (*from != '\\' || end - from < 2) {
			*to++ = *from++;
			continue;
		}
		while (digits < 3 && end - from > digits + 1 && from[1 + digits] >= '0' && from[1 + digits] <= '7')
			byte = 8 * byte + (unsigned)(from[1 + digits++] - '0');
		bool octal = digits == 3 && byte > 0 && byte < 256;
		*to++ = octal ? (char)byte : from[1] == '"' || from[1] == '\\' ? from[1] : *from;
		from += octal ? 4 : from[1] == '"' || from[1] == '\\' ? 2 : 1;
	}
	*to = '\0';
	return text;
}

static bool parse_file(ptx_parser *p)
{
	uint64_t number = 0, ignored;
	ptx_advance(p);
	if (!ptx_take_count(p, UINT16_MAX - hd_min_u32(p->module->file_base, UINT16_MAX), &number))
		return false;
	number += p->module->file_base;
	if (p->tok.kind != PTX_T_STRING)
		return ptx_expected(p, "a file name in quotes");
	/* With two strings the first is the directory of the compilation, and the second is the path that the user gave. */
	if (p->next.kind == PTX_T_STRING)
		ptx_advance(p);
	ptx_push(p->module, &p->module->files, (ptx_file){(uint32_t)number, unescaped(p)});
	ptx_advance(p);
	while (ptx_is(p, ',')) {
		ptx_advance(p);
		if (!ptx_take_count(p, UINT64_MAX, &ignored))
			return false;
	}
	return true;
}

/* `BASE` or `BASE, STEP`, as of the assembler's directive .priority. */
static bool parse_priority(ptx_parser *p, const char *text, ptx_func *func)
{
	int base = -1, step = 0, end = 0;
	int found = sscanf(text, "%4d %n, %5d %n", &base, &end, &step, &end);
	if (found < 1 || text[end] || base < 0 || base > HD_PRIORITY_MAX || step > HD_PRIORITY_MAX || step < -HD_PRIORITY_MAX)
		return ptx_expected(p, "heddle.priority BASE or heddle.priority BASE, STEP with numbers up to 1023");
	func->priority = (uint32_t)base;
	func->priority_step = step;
	return true;
}

bool ptx_parse_pragma(ptx_parser *p, ptx_func *func)
{
	static const char own[] = "heddle.priority ";
	for (ptx_advance(p); p->tok.kind != PTX_T_END && !ptx_is(p, ';'); ptx_advance(p)) {
		if (p->tok.kind != PTX_T_STRING || p->tok.length < sizeof own - 1 || memcmp(p->tok.text, own, sizeof own - 1) != 0)
			continue; /* a pragma that is not known means nothing */
		const char *text = hd_arena_strndup(&p->module->arena, p->tok.text, p->tok.length);
		if (!parse_priority(p, text + sizeof own - 1, func))
			return false;
	}
	return ptx_take(p, ';');
}

/* Up to three numbers; a missing number is 1. */
static bool parse_extent(ptx_parser *p, uint32_t extent[3])
{
	uint64_t value = 0;
	extent[0] = extent[1] = extent[2] = 1;
	for (unsigned i = 0; i < 3; i++) {
		if (!ptx_take_count(p, 1 << 30, &value))
			return false;
		extent[i] = (uint32_t)value;
		if (!ptx_is(p, ','))
			return true;
		ptx_advance(p);
	}
	return ptx_expected(p, "at most three numbers");
}

static bool parse_performance(ptx_parser *p, ptx_func *func)
{
	uint32_t extent[3];
	uint64_t ignored;
	if (ptx_is_dot(p, "maxntid") || ptx_is_dot(p, "reqntid")) {
		bool required = ptx_is_dot(p, "reqntid");
		ptx_advance(p);
		if (!parse_extent(p, extent))
			return false;
		uint64_t threads = (uint64_t)extent[0] * extent[1];
		threads = threads > UINT32_MAX / 2 ? UINT32_MAX / 2 : threads * extent[2];
		func->max_threads = (uint32_t)hd_min_u64(threads, UINT32_MAX);
		if (required)
			memcpy(func->required, extent, sizeof extent);
		return true;
	}
	if (ptx_is_dot(p, "minnctapersm") || ptx_is_dot(p, "maxnreg") || ptx_is_dot(p, "maxnctapersm")) {
		ptx_advance(p);
		return ptx_take_count(p, UINT32_MAX, &ignored);
	}
	if (ptx_is_dot(p, "noreturn")) {
		ptx_advance(p);
		return true;
	}
	if (ptx_is_dot(p, "pragma"))
		return ptx_parse_pragma(p, func);
	return ptx_expected(p, "'{', ';' or one of .maxntid .reqntid .minnctapersm .maxnctapersm .maxnreg .noreturn .pragma");
}

/* A declaration and its definition are one function. */
static ptx_func *function_of(ptx_parser *p, const ptx_proto *proto, ptx_name *name, ptx_place pos, bool entry)
{
	if (name->symbol && name->symbol->kind == PTX_SYM_FUNC && name->symbol->depth == 0) {
		ptx_func *old = (ptx_func *)name->symbol;
		if (old->entry != entry) {
			ptx_fail(p, pos, "%.80s is both .entry and .func, first in line %u", name->text, old->proto.sym.pos.line);
			return NULL;
		}
		return old;
	}
	ptx_func *func = hd_arena_alloc(&p->module->arena, sizeof *func);
	func->proto = *proto;
	func->entry = entry;
	func->ir = func->ir_copy = -1;
	func->index = (uint32_t)p->module->funcs.n;
	if (!ptx_declare(p, &func->proto.sym, PTX_SYM_FUNC, name, pos))
		return NULL;
	ptx_push(p->module, &p->module->funcs, func);
	return func;
}

/* `as` says what the function is beyond its unit. */
static bool parse_function(ptx_parser *p, const ptx_symbol *as)
{
	bool entry = ptx_is_dot(p, "entry"), good;
	ptx_proto proto = {0};
	ptx_name *name = NULL;
	ptx_place pos;
	ptx_advance(p);
	if (ptx_is_dot(p, "attribute")) {
		while (p->tok.kind != PTX_T_END && !ptx_is(p, ')'))
			ptx_advance(p);
		ptx_advance(p);
	}
	ptx_push_scope(p);
	good = ptx_parse_proto(p, &proto, &name, &pos);
	entry = entry || (good && hd_kernel_is_block(name->text)) /* clang writes it as a function */;
	/* The names of parameters belong to the body, the name of the function to the module. */
	unsigned depth = p->depth;
	p->depth = 0;
	ptx_func *func = good ? function_of(p, &proto, name, pos, entry) : NULL;
	p->depth = depth;
	ptx_func scratch = {0};
	bool weak = as->weak && (!func || !func->defined || func->proto.sym.weak); /* not beside one that is not */
	if (func) {
		func->proto.sym.exported |= as->exported;
		func->proto.sym.weak |= as->weak;
	}
	while (good && !ptx_is(p, '{') && !ptx_is(p, ';'))
		good = parse_performance(p, func ? func : &scratch);
	if (!good)
		ptx_skip_statement(p);
	if (good && ptx_is(p, ';')) {
		ptx_advance(p);
	} else if (ptx_is(p, '{')) {
		/* The parser reads the body of a function that cannot be declared, too, to report the errors in it. */
		if (func && func->defined && weak) {
			func = NULL;
		} else if (func && func->defined) {
			ptx_fail(p, pos, "%.80s is defined twice, first in line %u", name->text, func->proto.sym.pos.line);
			func = NULL;
		}
		if (func) {
			func->defined = true;
			func->proto.results = proto.results;
			func->proto.params = proto.params;
			func->proto.sym.pos = pos;
		}
		p->func = func ? func : &scratch;
		ptx_advance(p);
		ptx_parse_body(p);
		p->func = NULL;
	}
	ptx_pop_scope(p);
	return true;
}

/* .alias name, function: the name was declared as a function, and the function is defined. */
static bool parse_alias(ptx_parser *p)
{
	ptx_func *func[2];
	for (unsigned i = 0; i < 2; i++) {
		ptx_advance(p); /* skips `.alias`, then the comma */
		ptx_place pos = p->tok.pos;
		ptx_name *name = ptx_take_name(p, "the name of a function");
		if (!name)
			return false;
		func[i] = name->symbol && name->symbol->kind == PTX_SYM_FUNC ? (ptx_func *)name->symbol : NULL;
		if (!func[i] || func[i]->defined != (i == 1)) {
			ptx_fail(p, pos, "%.80s is no function that is %s", name->text, i ? "defined" : "declared and not defined");
			return false;
		}
		if (i == 0 && !ptx_is(p, ','))
			return ptx_expected(p, "','");
	}
	func[0]->alias = func[1];
	return ptx_take(p, ';');
}

static bool parse_target(ptx_parser *p)
{
	static const char independent[] = "texmode_independent";
	do {
		ptx_advance(p);
		p->module->opencl |= p->tok.length == sizeof independent - 1 && memcmp(p->tok.text, independent, sizeof independent - 1) == 0;
		if (p->tok.kind != PTX_T_WORD)
			return ptx_expected(p, "a target");
		if (p->tok.length > 3 && memcmp(p->tok.text, "sm_", 3) == 0)
			p->module->volta |= strtoul(p->tok.text + 3, NULL, 10) >= 70;
		ptx_advance(p);
	} while (ptx_is(p, ','));
	return true;
}

/* A new unit: what the one before has for itself alone is no longer known by its name. Units have numbers of files of their own. */
static void begin_unit(ptx_module *module)
{
	for (size_t i = 0; i < module->funcs.n; i++)
		module->funcs.at[i]->proto.sym.name->retired |= !module->funcs.at[i]->proto.sym.exported;
	for (size_t i = 0; i < module->vars.n; i++)
		module->vars.at[i]->sym.name->retired |= module->vars.at[i]->sym.depth == 0 && !module->vars.at[i]->sym.exported;
	for (size_t i = 0; i < module->files.n; i++)
		module->file_base = hd_max_u32(module->file_base, module->files.at[i].number);
}

static bool parse_version(ptx_parser *p)
{
	if (p->module->units++)
		begin_unit(p->module);
	ptx_advance(p);
	if (p->tok.kind != PTX_T_F64 && p->tok.kind != PTX_T_INT)
		return ptx_expected(p, "a version");
	ptx_advance(p);
	return true;
}

static bool parse_item(ptx_parser *p)
{
	bool external = false, visible = false;
	ptx_symbol as = {0};
	ptx_space space;
	while (ptx_is_dot(p, "extern") || ptx_is_dot(p, "visible") || ptx_is_dot(p, "weak") || ptx_is_dot(p, "common")) {
		external |= ptx_is_dot(p, "extern");
		visible |= ptx_is_dot(p, "visible") || ptx_is_dot(p, "weak");
		as.exported = true;
		as.weak |= ptx_is_dot(p, "weak") || ptx_is_dot(p, "common");
		ptx_advance(p);
	}
	if (ptx_is_dot(p, "target"))
		return parse_target(p);
	if (ptx_is_dot(p, "version"))
		return parse_version(p);
	if (ptx_is_dot(p, "loc")) {
		skip_line(p);
		return true;
	}
	if (ptx_is_dot(p, "address_size")) {
		ptx_place at = p->next.pos;
		uint64_t bits;
		ptx_advance(p);
		if (!ptx_take_count(p, 64, &bits))
			return false;
		if (bits != 64)
			ptx_fail(p, at, "addresses of %u bits, expected .address_size 64", (unsigned)bits);
		return true;
	}
	if (ptx_is_dot(p, "file"))
		return parse_file(p);
	if (ptx_is_dot(p, "section"))
		return skip_section(p);
	if (ptx_is_dot(p, "pragma")) {
		ptx_skip_statement(p);
		return true;
	}
	if (ptx_is_dot(p, "alias"))
		return parse_alias(p);
	if (ptx_is_dot(p, "entry") || ptx_is_dot(p, "func"))
		return parse_function(p, &as);
	if (ptx_space_of(p, &space)) {
		ptx_advance(p);
		return ptx_parse_variables(p, &(ptx_var){.sym = as, .space = (uint8_t)space, .external = external, .visible = visible});
	}
	return ptx_expected(p, "a function, a variable or a directive");
}

/* Skips to the place where the next item may begin: a directive at the beginning of a line, outside braces. */
static void recover(ptx_parser *p)
{
	unsigned open = 0;
	for (; p->tok.kind != PTX_T_END; ptx_advance(p)) {
		if (open == 0 && p->tok.first && p->tok.kind == PTX_T_DOT)
			return;
		if (ptx_is(p, '{'))
			open++;
		if (ptx_is(p, '}') && open > 0)
			open--;
	}
}

void ptx_parse(ptx_module *module, const char *text, size_t size, hd_diag *diag)
{
	ptx_parser p = {.module = module, .diag = diag};
	ptx_lexer_init(&p.lexer, text, size);
	ptx_advance(&p);
	ptx_advance(&p);
	while (p.tok.kind != PTX_T_END) {
		const char *before = p.tok.text;
		if (parse_item(&p))
			continue;
		if (p.tok.text == before)
			ptx_advance(&p);
		recover(&p);
	}
}

void ptx_module_done(ptx_module *module)
{
	free(module->names);
	hd_arena_free(&module->arena);
	*module = (ptx_module){0};
}
