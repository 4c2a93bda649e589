/* Parses the text that print.c writes (docs/compiler.md). The result is validated, so that it keeps all promises of the IR. */
#include "ir/ir.h"

#include <ctype.h>

enum { MAX_OPERANDS = 255, MAX_WORD = 63 };

typedef struct reader {
	const char *at, *end, *file, *line_start;
	uint32_t line;
	hd_diag *diag;
	hd_ir_module *module;
	hd_ir_function *function; /* NULL before the first function */
	hd_ir_block *block;       /* NULL before the first block of a function */
	bool failed;
} reader;

static void fail(reader *r, const char *what)
{
	if (r->failed)
		return;
	hd_error(r->diag, (hd_pos){r->file, r->line, (uint32_t)(r->at - r->line_start) + 1}, "%s", what);
	r->failed = true;
}

static char peek(const reader *r) { return r->at < r->end && !r->failed ? *r->at : '\n'; }

static void blanks(reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool accept(reader *r, char c)
{
	blanks(r);
	if (r->at >= r->end || peek(r) != c)
		return false;
	r->at++;
	return true;
}

static void expect(reader *r, char c, const char *what)
{
	if (!accept(r, c))
		fail(r, what);
}

/* True at the end of a line, comments skipped. */
static bool at_line_end(reader *r)
{
	blanks(r);
	if (peek(r) == '#')
		while (r->at < r->end && *r->at != '\n')
			r->at++;
	return peek(r) == '\n';
}

static uint64_t number(reader *r, uint64_t limit)
{
	uint64_t value = 0;
	unsigned base = 10, digits = 0;
	blanks(r);
	if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x') {
		base = 16;
		r->at += 2;
	}
	for (; r->at < r->end; r->at++, digits++) {
		unsigned char c = (unsigned char)*r->at;
		unsigned digit = isdigit(c) ? c - 48u : c >= 'a' && c <= 'f' ? c - 87u : 99u;
		if (digit >= base)
			break;
		if (value > (limit - digit) / base || digit > limit) {
			fail(r, "number is too large here");
			return 0;
		}
		value = value * base + digit;
	}
	if (digits == 0)
		fail(r, "expected a number");
	return r->failed ? 0 : value;
}

static uint32_t number32(reader *r) { return (uint32_t)number(r, UINT32_MAX); }

static int64_t signed_number(reader *r, uint64_t limit)
{
	bool minus = accept(r, '-');
	uint64_t value = number(r, limit);
	return minus ? (int64_t)(0 - value) : (int64_t)value;
}

/* Letters, digits, points and underscores. */
static void word(reader *r, char out[MAX_WORD + 1])
{
	size_t n = 0;
	blanks(r);
	while (r->at < r->end && n < MAX_WORD && (isalnum((unsigned char)*r->at) || *r->at == '.' || *r->at == '_'))
		out[n++] = *r->at++;
	out[n] = 0;
	if (n == 0)
		fail(r, "expected a name");
}

static char *string(reader *r)
{
	hd_text text = {0};
	char *copy;
	expect(r, '"', "expected a quoted string");
	hd_text_put(&text, "", 0);
	while (!r->failed && r->at < r->end && *r->at != '"' && *r->at != '\n') {
		char c = *r->at++;
		if (c == '\\') {
			char digits[3] = {0};
			if (r->end - r->at < 2 || !isxdigit((unsigned char)r->at[0]) || !isxdigit((unsigned char)r->at[1])) {
				fail(r, "expected two hexadecimal digits after the backslash");
				break;
			}
			memcpy(digits, r->at, 2);
			r->at += 2;
			c = (char)strtoul(digits, NULL, 16);
		}
		if (c == 0)
			fail(r, "string with a zero byte");
		hd_text_put(&text, &c, 1);
	}
	if (!r->failed)
		expect(r, '"', "unterminated string");
	copy = hd_arena_strndup(&r->module->arena, text.n ? text.at : "", text.n);
	hd_text_free(&text);
	return copy;
}

static bool keyword(reader *r, const char *text)
{
	size_t n = strlen(text);
	blanks(r);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static hd_opd operand(reader *r)
{
	hd_opd o = {0};
	bool negated, virtual;
	o.last_use = accept(r, '^');
	negated = accept(r, '!');
	if (!negated && accept(r, '_'))
		return o;
	virtual = accept(r, '%');
	if (accept(r, 'p')) {
		o.kind = HD_OPD_PRED;
		o.neg = negated;
		o.reg = number32(r);
		return o;
	}
	if (negated)
		fail(r, "expected a predicate after '!'");
	if (virtual || accept(r, 'r')) {
		o.kind = HD_OPD_REG;
		o.reg = number32(r);
		if (accept(r, '.'))
			o.sub = (uint8_t)number(r, 3);
	} else if (keyword(r, "c[")) {
		o.kind = HD_OPD_CONST;
		o.imm = number32(r);
		expect(r, ']', "expected ']'");
	} else if (keyword(r, "frame[")) {
		o.kind = HD_OPD_FRAME;
		o.imm = number32(r);
		expect(r, ']', "expected ']'");
	} else if (accept(r, 'f')) {
		o.kind = HD_OPD_FUNC;
		o.imm = number32(r);
	} else {
		o.kind = HD_OPD_IMM;
		o.imm = number(r, UINT64_MAX);
	}
	o.words = 1;
	if (accept(r, ':'))
		o.words = (uint8_t)number(r, 4);
	return o;
}

/* Operands up to the end of the line, '=' or '@'. Returns their number. */
static unsigned operands(reader *r, hd_opd out[MAX_OPERANDS])
{
	unsigned n = 0;
	if (at_line_end(r) || peek(r) == '=' || peek(r) == '@' || peek(r) == 'b')
		return 0;
	do {
		if (n == MAX_OPERANDS) {
			fail(r, "too many operands");
			return 0;
		}
		out[n++] = operand(r);
	} while (!r->failed && accept(r, ','));
	return n;
}

static void location(reader *r, hd_ir_loc *loc)
{
	if (!accept(r, '@'))
		return;
	loc->file = (uint16_t)number(r, UINT16_MAX);
	expect(r, ':', "expected FILE:LINE:COLUMN");
	loc->line = number32(r);
	expect(r, ':', "expected FILE:LINE:COLUMN");
	loc->column = (uint16_t)number(r, UINT16_MAX);
}

static uint8_t cmp_named(reader *r, const char *name)
{
	static const char *const names[HD_CMP_COUNT] = {
#define X(id, text) text,
	    HD_CMPS(X)
#undef X
	};
	for (unsigned i = 0; i < HD_CMP_COUNT; i++)
		if (strcmp(name, names[i]) == 0)
			return (uint8_t)i;
	fail(r, "unknown comparison");
	return 0;
}

static uint8_t sreg_named(reader *r, const char *name)
{
	static const char *const names[HD_SREG_COUNT] = {
#define X(id, text) text,
	    HD_SREGS(X)
#undef X
	};
	for (unsigned i = 0; i < HD_SREG_COUNT; i++)
		if (strcmp(name, names[i]) == 0)
			return (uint8_t)i;
	fail(r, "unknown special register");
	return 0;
}

static void field(reader *r, hd_ir_inst *inst)
{
	char name[MAX_WORD + 1], value[MAX_WORD + 1];
	word(r, name);
	expect(r, '=', "expected FIELD=VALUE");
	if (strcmp(name, "cmp") == 0 || strcmp(name, "sreg") == 0) {
		word(r, value);
		inst->sub = *name == 'c' ? cmp_named(r, value) : sreg_named(r, value);
	} else if (strcmp(name, "sub") == 0) {
		inst->sub = (uint8_t)number(r, UINT8_MAX);
	} else if (strcmp(name, "mod") == 0) {
		inst->mod = (uint8_t)number(r, UINT8_MAX);
	} else if (strcmp(name, "offset") == 0) {
		inst->offset = (int32_t)signed_number(r, INT32_MAX);
	} else if (strcmp(name, "to") == 0) {
		inst->callee = (int32_t)number(r, INT32_MAX) - 1;
	} else if (strcmp(name, "primary") == 0) {
		inst->primary = (uint8_t)number(r, HD_MAX_COUNTERS);
	} else if (strcmp(name, "release") == 0) {
		inst->release = (uint8_t)number(r, 1);
	} else if (strcmp(name, "wait") == 0) {
		inst->wait = (uint16_t)number(r, UINT16_MAX);
	} else if (strcmp(name, "hint") == 0) {
		inst->hint = (uint8_t)number(r, HD_HINT_COUNT - 1);
	} else if (strcmp(name, "delay") == 0) {
		inst->delay = (uint8_t)number(r, 15);
	} else if (strcmp(name, "second") == 0) {
		inst->second = (uint8_t)number(r, UINT8_MAX);
	} else if (strcmp(name, "lu") == 0) {
		inst->last_use = (uint8_t)number(r, 7);
	} else {
		fail(r, "unknown field");
	}
}

static void instruction(reader *r)
{
	hd_opd first[MAX_OPERANDS], second[MAX_OPERANDS];
	hd_ir_inst head = {.callee = -1};
	char name[MAX_WORD + 1];
	unsigned nd = 0, ns, op = 0;
	if (accept(r, '@'))
		head.guard = operand(r);
	word(r, name);
	while (op < HD_IR_OP_COUNT && strcmp(hd_ir_info(op)->mnemonic, name) != 0)
		op++;
	if (op == HD_IR_OP_COUNT) {
		fail(r, "unknown operation");
		return;
	}
	if (accept(r, '{'))
		while (!r->failed && !accept(r, '}'))
			field(r, &head);
	ns = operands(r, first);
	bool has_destination = accept(r, '=');
	if (has_destination) {
		nd = ns;
		ns = operands(r, second);
	}
	location(r, &head.loc);
	if (r->failed)
		return;
	hd_ir_inst *inst = hd_ir_inst_new(r->module, op, nd, ns);
	hd_opd *d = inst->d, *s = inst->s;
	*inst = head;
	inst->op = (uint16_t)op;
	inst->nd = (uint8_t)nd;
	inst->ns = (uint8_t)ns;
	inst->d = d;
	inst->s = s;
	memcpy(d, first, nd * sizeof *d);
	memcpy(s, has_destination ? second : first, ns * sizeof *s);
	hd_vec_push(&r->block->insts, inst);
}

static bool terminator(reader *r, const char *name)
{
	static const char *const names[] = {"jump", "branch", "switch", "ret", "exit", "trap"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		if (r->block == NULL) {
			fail(r, "terminator outside a block");
			return true;
		}
		r->block->term = (hd_term_kind)i;
		if (i == HD_TERM_BRANCH)
			r->block->pred = operand(r);
		if (i == HD_TERM_SWITCH)
			r->block->index = operand(r);
		while (!r->failed && accept(r, 'b'))
			hd_vec_push(&r->block->succ, number32(r));
		location(r, &r->block->loc);
		r->block = NULL; /* the next line must open a block */
		return true;
	}
	return false;
}

static void param(reader *r)
{
	static const char *const spaces[] = {"none", "global", "shared", "const", "local"};
	hd_param p = {0};
	char name[MAX_WORD + 1];
	unsigned space = 0;
	p.name = string(r);
	p.offset = number32(r);
	p.size = number32(r);
	p.align = number32(r);
	word(r, name);
	while (space < HD_COUNT(spaces) && strcmp(spaces[space], name) != 0)
		space++;
	if (space == HD_COUNT(spaces))
		fail(r, "unknown address space");
	p.space = (uint8_t)space;
	unsigned kind = (unsigned)number(r, 2 * HD_PARAM_TYPES - 1);
	p.pointer = kind & 1;
	p.type = (uint8_t)(kind >> 1);
	if (!r->failed && !at_line_end(r)) {
		p.source_type = string(r);
		if (!*p.source_type)
			p.source_type = NULL;
		p.element = (uint8_t)number(r, HD_ELEMENTS - 1);
	}
	hd_vec_push(&r->function->info.params, p);
}

static void function_directive(reader *r, const char *name)
{
	hd_ir_function *function = r->function;
	hd_opd list[MAX_OPERANDS];
	unsigned n;
	if (strcmp(name, "address_taken") == 0) {
		function->address_taken = true;
	} else if (strcmp(name, "allocated") == 0) {
		function->allocated = true;
		function->registers = number32(r);
	} else if (strcmp(name, "laid_out") == 0) {
		function->laid_out = true;
	} else if (strcmp(name, "frame") == 0) {
		function->frame_bytes = number32(r);
		function->frame_align = number32(r);
	} else if (strcmp(name, "info") == 0) {
		hd_kernel *k = &function->info;
		k->shared_bytes = number32(r);
		k->param_bytes = number32(r);
		k->max_threads = number32(r);
		for (unsigned i = 0; i < 3; i++)
			k->required_block[i] = number32(r);
	} else if (strcmp(name, "priority") == 0) {
		function->info.priority = number32(r);
		function->info.priority_step = (int32_t)signed_number(r, HD_PRIORITY_MAX);
	} else if (strcmp(name, "source_name") == 0) {
		function->info.source_name = string(r);
	} else if (strcmp(name, "param") == 0) {
		param(r);
	} else if (strcmp(name, "vregs") == 0) {
		while (!r->failed && !at_line_end(r))
			hd_ir_vreg_new(function, (unsigned)number(r, 4));
	} else if (strcmp(name, "params") == 0) {
		n = operands(r, list);
		for (unsigned i = 0; i < n; i++)
			hd_vec_push(&function->params, list[i]);
	} else if (strcmp(name, "results") == 0) {
		n = operands(r, list);
		for (unsigned i = 0; i < n; i++)
			hd_vec_push(&function->results, list[i]);
	} else {
		fail(r, "unknown directive");
	}
}

static void data_bytes(reader *r)
{
	blanks(r);
	while (r->end - r->at >= 2 && isxdigit((unsigned char)r->at[0]) && isxdigit((unsigned char)r->at[1])) {
		char digits[3] = {r->at[0], r->at[1], 0};
		hd_vec_push(&r->module->data, (uint8_t)strtoul(digits, NULL, 16));
		r->at += 2;
	}
}

static void directive(reader *r)
{
	char name[MAX_WORD + 1];
	hd_ir_module *module = r->module;
	word(r, name);
	if (strcmp(name, "file") == 0) {
		char *text = string(r);
		hd_vec_push(&module->files, text);
	} else if (strcmp(name, "data") == 0) {
		data_bytes(r);
	} else if (strcmp(name, "reloc") == 0) {
		hd_reloc reloc = {.offset = number32(r)};
		reloc.addend = signed_number(r, INT64_MAX);
		hd_vec_push(&module->relocs, reloc);
	} else if (strcmp(name, "literal") == 0) {
		hd_vec_push(&module->literals, number32(r));
	} else if (strcmp(name, "code_ref") == 0) {
		hd_ir_code_ref ref = {.offset = number32(r)};
		expect(r, 'f', "expected a function");
		ref.function = number32(r);
		ref.bytes = number32(r);
		hd_vec_push(&module->code_refs, ref);
	} else if (strcmp(name, "kernel") == 0 || strcmp(name, "function") == 0) {
		r->function = hd_ir_function_new(module, string(r));
		r->function->kernel = *name == 'k';
		r->function->info.name = r->function->kernel ? r->function->name : NULL;
		r->block = NULL;
		location(r, &r->function->loc);
	} else if (r->function == NULL) {
		fail(r, "directive outside a function");
	} else if (!terminator(r, name)) {
		function_directive(r, name);
	}
}

static void label(reader *r)
{
	uint32_t block = number32(r);
	expect(r, ':', "expected ':' after the block's number");
	if (r->function == NULL)
		fail(r, "block outside a function");
	else if (r->block)
		fail(r, "the block before has no terminator");
	else if (block != r->function->blocks.n)
		fail(r, "blocks must be numbered in order");
	if (r->failed)
		return;
	hd_ir_block_new(r->module, r->function);
	r->block = r->function->blocks.at[block];
	if (at_line_end(r))
		return;
	char name[MAX_WORD + 1];
	word(r, name);
	r->block->meets = strcmp(name, "meets") == 0;
	if (!r->block->meets)
		fail(r, "expected `meets` or the end of the line");
}

static void line(reader *r)
{
	if (at_line_end(r))
		return;
	if (accept(r, '.'))
		directive(r);
	else if (peek(r) == 'b' && r->end - r->at > 1 && isdigit((unsigned char)r->at[1]) && accept(r, 'b'))
		label(r);
	else if (r->block == NULL)
		fail(r, "instruction outside a block");
	else
		instruction(r);
	if (!at_line_end(r))
		fail(r, "unexpected text at the end of the line");
}

hd_ir_module *hd_ir_parse(const char *text, size_t size, const char *file, hd_diag *diag)
{
	reader r = {.at = text, .end = text + size, .file = file, .line_start = text, .line = 1, .diag = diag, .module = hd_ir_module_new()};
	while (!r.failed && r.at < r.end) {
		line(&r);
		r.at += r.at < r.end;
		r.line_start = r.at;
		r.line++;
	}
	if (!r.failed && r.block)
		fail(&r, "the last block has no terminator");
	if (r.failed || !hd_ir_validate(r.module, diag)) {
		hd_ir_module_free(r.module);
		return NULL;
	}
	return r.module;
}
