/* Assembly text (docs/assembly.md) to an object. One statement a line: a label, a directive or an instruction. The assembler makes the scheduling
 * word of each line of code from the hints of the line's instructions (PD-1). */
#include "isa/compact.h"
#include "isa/names.h"
#include "object/scan.h"

typedef struct label {
	char *name;
	uint32_t word;
	uint64_t hash;
} label;

/* What a label stands for: the target of the instruction at `word`, the entry of kernel number `word`, or an end of order number `word`. */
typedef enum reference_kind { TARGET, ENTRY, ORDER_FIRST, ORDER_SECOND } reference_kind;

/* A use of a label. */
typedef struct reference {
	char *name;
	uint32_t word;
	reference_kind kind;
	hd_pos pos;
} reference;

typedef struct assembler {
	hd_scan scan;
	hd_object *o;
	HD_VEC(label) labels;
	HD_VEC(reference) references;
	HD_VEC(hd_pos) places;  /* position in the text of each word of code */
	hd_pos counters, split; /* positions of the numbers of .counters and .high_latency */
	hd_text machine;        /* what .machine says so far */
	bool open;              /* inside a .function */
	bool stop;              /* a limit was passed: assembly ends */
} assembler;

static bool refuse(assembler *a, const char *text)
{
	hd_error(a->scan.diag, hd_scan_pos(&a->scan), "%s", text);
	return false;
}

/* -- code -------------------------------------------------------------------------------------------------------------------------------- */

static void put_word(assembler *a, uint64_t word, hd_pos pos)
{
	hd_vec_push(&a->o->code, word);
	hd_vec_push(&a->places, pos);
}

static bool at_ss(const assembler *a) { return hd_is_ss(a->o->geometry, (uint32_t)a->o->code.n); }

static void put_blank(assembler *a) { put_word(a, hd_line_blank(a->o->geometry, (uint32_t)a->o->code.n, 0), hd_scan_pos(&a->scan)); }

/* Leaves the last word of a line empty (PD-33). */
static void end_line(assembler *a)
{
	if (hd_is_compact(a->o->geometry) && !at_ss(a) && hd_line_rest(a->o->geometry, (uint32_t)a->o->code.n) == 1)
		put_word(a, 0, hd_scan_pos(&a->scan));
}

/* What was to stand before the next instruction, at `from`, moves with it to the end of the code. */
static void move_marks(assembler *a, uint32_t from)
{
	uint32_t to = (uint32_t)a->o->code.n;
	for (size_t i = a->labels.n; i-- > 0 && a->labels.at[i].word == from;)
		a->labels.at[i].word = to;
	if (a->o->targets.n && a->o->targets.at[a->o->targets.n - 1] == from)
		a->o->targets.at[a->o->targets.n - 1] = to;
}

/* Makes room for an instruction of so many words. */
static void begin_instruction(assembler *a, unsigned words)
{
	uint32_t from = (uint32_t)a->o->code.n;
	if (words > 1)
		end_line(a);
	bool moves = a->o->code.n > from;
	while (at_ss(a))
		put_blank(a);
	if (moves)
		move_marks(a, from);
}

static bool same(const char *word, size_t n, const char *text) { return strlen(text) == n && memcmp(word, text, n) == 0; }

static bool only_bits(const char *word, size_t n)
{
	while (n && (word[n - 1] == '0' || word[n - 1] == '1'))
		n--;
	return n == 0;
}

/* p1.w, p12.r */
static bool primary(const char *word, size_t n, hd_inst *inst)
{
	unsigned counter = 0;
	size_t at = 1;
	if (n < 4 || n > 5 || word[0] != 'p' || word[n - 2] != '.' || (word[n - 1] != 'w' && word[n - 1] != 'r'))
		return false;
	for (; at < n - 2 && word[at] >= '0' && word[at] <= '9'; at++)
		counter = 10 * counter + (unsigned)(word[at] - '0');
	if (at < n - 2 || counter > HD_MAX_COUNTERS)
		return false;
	inst->primary = (uint8_t)counter;
	inst->release = word[n - 1] == 'r';
	return true;
}

/* {p2.w w010100 delay 4 h3}, where every part is optional. A geometry with room for two hints takes two (PD-24). */
static bool annotation(assembler *a, hd_inst *inst, unsigned *predecode, bool *is_long)
{
	hd_scan *s = &a->scan;
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	unsigned hints = 0;
	int64_t number;
	if (!hd_scan_is(s, "{"))
		return true;
	while (!hd_scan_is(s, "}")) {
		const char *word;
		size_t n = hd_scan_word(s, true, &word);
		unsigned hint = 0;
		while (hint < HD_HINT_COUNT && !same(word, n, hd_hint_names[hint]))
			hint++;
		if (hint < HD_HINT_COUNT && hints == geometry->hints) {
			s->at = word;
			return refuse(a, geometry->hints > 1 ? "a third hint, expected at most two"
			                                     : "a second hint, which lines of this geometry have no room for");
		}
		if (hint < HD_HINT_COUNT) {
			unsigned shift = 8 * hints++;
			*predecode |= hint << (shift + 4);
			hd_scan_space(s);
			if (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
				if (!hd_scan_number(s, "number of cycles", 0, 15, &number))
					return false;
				*predecode |= (unsigned)number << shift;
			}
		} else if (n == 4 && memcmp(word, "long", n) == 0 && hd_is_compact(a->o->geometry)) {
			*is_long = true;
		} else if (primary(word, n, inst)) {
			continue;
		} else if (n >= 2 && n <= 1 + HD_MAX_COUNTERS && word[0] == 'w' && only_bits(word + 1, n - 1)) {
			inst->wait = 0;
			for (size_t bit = 1; bit < n; bit++) /* HZ-2: leftmost is counter 1 */
				inst->wait |= (uint16_t)((unsigned)(word[bit] - '0') << (bit - 1));
		} else if (n == 4 && memcmp(word, "pass", n) == 0 && !inst->primary) {
			inst->release = 1;
		} else if (n == 2 && word[0] == 'h' && word[1] >= '0' && word[1] <= '7') {
			inst->hint3 = (uint8_t)(word[1] - '0');
		} else {
			s->at = word;
			return refuse(a, "bad annotation, expected p1.w or p1.r, w and a bit a counter, a hint such as `delay 4`, h0 to h7, or }");
		}
	}
	return true;
}

/* PD-33. A branch to a label is short unless the text says `long`. */
static bool is_short(const assembler *a, const hd_inst *inst, unsigned predecode)
{
	uint32_t bits;
	return hd_compact_encode(inst, &bits) && hd_object_short_hint(a->o, predecode) < HD_SHORT_HINTS;
}

static bool instruction(assembler *a)
{
	hd_scan *s = &a->scan;
	hd_inst inst;
	const char *name, *why;
	size_t length;
	unsigned predecode = 0;
	bool is_long = false;
	hd_scan_space(s);
	hd_pos pos = hd_scan_pos(s);
	if (!hd_parse_inst(s, &inst, &name, &length) || !annotation(a, &inst, &predecode, &is_long))
		return false;
	if (inst.op == HD_OP_MOVI && inst.release) {
		hd_error(s->diag, pos, "movi cannot be released by a read, as it has no sources; expected .w (HZ-4)");
		return false;
	}
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	if (!hd_line_holds(a->o->geometry, &inst)) {
		hd_error(s->diag, pos, "an annotation that lines of geometry %s have no room for, expected counters up to %u%s", geometry->name,
		         geometry->counters, geometry->mask_at || hd_is_compact(a->o->geometry) ? " and of h1 to h7 h4 alone" : "");
		return false;
	}
	if (a->o->code.n + HD_LINE_WORDS >= HD_MAX_CODE) {
		a->stop = true;
		return refuse(a, "too much code, expected fewer than 16777216 words");
	}
	unsigned words = hd_is_compact(a->o->geometry) && (is_long || !is_short(a, &inst, predecode)) ? 2 : 1;
	begin_instruction(a, words);
	uint32_t at = (uint32_t)a->o->code.n;
	for (unsigned i = 0; i < words; i++)
		put_word(a, words == 1, pos);
	hd_line_put(a->o->geometry, a->o->code.at, at, &inst);
	hd_object_put_hint(a->o, at, predecode);
	if (!hd_line_get(a->o->geometry, a->o->code.at, at, &inst, &why)) {
		hd_error(s->diag, pos, "%s: %s", hd_ops[inst.op].mnemonic, why);
		return false;
	}
	if (name) {
		hd_text text = {0};
		hd_text_put(&text, name, length);
		hd_vec_push(&a->references, (reference){text.at, at, TARGET, pos});
	}
	return true;
}

static uint64_t hash_of(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h;
}

/* Address of the next instruction. */
static uint32_t next_instruction(const assembler *a)
{
	uint32_t word = (uint32_t)a->o->code.n;
	return at_ss(a) ? hd_after(a->o->geometry, word) : word;
}

static bool define(assembler *a, const char *name, size_t n)
{
	hd_text text = {0};
	hd_text_put(&text, name, n);
	hd_vec_push(&a->labels, (label){text.at, next_instruction(a), hash_of(text.at)});
	return true;
}

/* -- directives ---------------------------------------------------------------------------------------------------------------------------- */

static bool numbers(hd_scan *s, const char *what, uint32_t *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if ((i && !hd_scan_want(s, ",")) || !hd_scan_u32(s, what, &values[i]))
			return false;
	}
	return true;
}

/* The type in the source and the element of a pointer, both optional: `, "float *", f32`. */
static bool parameter_source(assembler *a, hd_param *p)
{
	hd_scan *s = &a->scan;
	const char *word;
	if (!hd_scan_is(s, ","))
		return true;
	if (!hd_scan_name(s, "type", &p->source_type))
		return false;
	if (!hd_scan_is(s, ","))
		return true;
	size_t n = hd_scan_word(s, false, &word);
	p->element = (uint8_t)hd_element_find(word, n);
	return p->element != HD_ELEMENT_UNKNOWN || refuse(a, "bad element of a pointer, expected i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 or f64");
}

static bool parameter(assembler *a, hd_kernel *k)
{
	static const char *const spaces[] = {"none", "global", "shared", "const", "local"};
	hd_scan *s = &a->scan;
	uint32_t v[3];
	const char *word;
	hd_param p = {0};
	bool ok =
	    hd_scan_name(s, "parameter", &p.name) && hd_scan_want(s, ",") && numbers(s, "offset, size or alignment", v, 3) && hd_scan_want(s, ",");
	if (ok) {
		p.offset = v[0];
		p.size = v[1];
		p.align = v[2];
		p.pointer = hd_scan_is(s, "pointer");
		p.type = p.pointer                  ? HD_PARAM_BYTES
		         : hd_scan_is(s, "integer") ? HD_PARAM_INTEGER
		         : hd_scan_is(s, "float")   ? HD_PARAM_FLOAT
		                                    : HD_PARAM_BYTES;
		ok = (p.pointer || p.type != HD_PARAM_BYTES || hd_scan_want(s, "value")) && hd_scan_want(s, ",");
	}
	if (ok) {
		size_t n = hd_scan_word(s, false, &word);
		while (p.space < HD_COUNT(spaces) && !same(word, n, spaces[p.space]))
			p.space++;
		s->at = p.space < HD_COUNT(spaces) ? s->at : word;
		ok = p.space < HD_COUNT(spaces) || refuse(a, "bad address space, expected none, global, shared, const or local");
	}
	ok = ok && parameter_source(a, &p);
	if (ok) {
		hd_vec_push(&k->params, p);
	} else {
		free(p.name);
		free(p.source_type);
	}
	return ok;
}

/* Reads a label that is defined anywhere in the text. `without` is the message where there is none. */
static bool label_use(assembler *a, uint32_t number, reference_kind kind, const char *without)
{
	hd_scan *s = &a->scan;
	hd_scan_space(s);
	hd_pos pos = hd_scan_pos(s);
	const char *word;
	size_t length = hd_scan_word(s, true, &word);
	if (length == 0)
		return refuse(a, without);
	hd_text text = {0};
	hd_text_put(&text, word, length);
	hd_vec_push(&a->references, (reference){text.at, number, kind, pos});
	return true;
}

/* A directive that belongs to the last .kernel. *known is false for any other word. */
static bool kernel_directive(assembler *a, const char *name, size_t n, bool *known)
{
	static const struct {
		const char *name;
		size_t offset;
	} plain[] = {
	    {".registers", offsetof(hd_kernel, registers)},     {".shared", offsetof(hd_kernel, shared_bytes)},
	    {".local", offsetof(hd_kernel, local_bytes)},       {".param_bytes", offsetof(hd_kernel, param_bytes)},
	    {".max_threads", offsetof(hd_kernel, max_threads)},
	};
	hd_scan *s = &a->scan;
	unsigned which = 0;
	while (which < HD_COUNT(plain) && !same(name, n, plain[which].name))
		which++;
	*known = which < HD_COUNT(plain) || same(name, n, ".entry") || same(name, n, ".required_block") || same(name, n, ".call_depth") ||
	         same(name, n, ".param") || same(name, n, ".priority") || same(name, n, ".source_name");
	if (!*known)
		return false;
	if (a->o->kernels.n == 0)
		return refuse(a, "no kernel yet, expected .kernel before this");
	uint32_t number = (uint32_t)a->o->kernels.n - 1;
	hd_kernel *k = &a->o->kernels.at[number];
	if (which < HD_COUNT(plain)) {
		uint32_t value;
		if (!hd_scan_u32(s, "number", &value))
			return false;
		memcpy((char *)k + plain[which].offset, &value, sizeof value);
		return true;
	}
	if (same(name, n, ".required_block"))
		return numbers(s, "size of a block", k->required_block, 3);
	if (same(name, n, ".param"))
		return parameter(a, k);
	if (same(name, n, ".source_name"))
		return k->source_name ? refuse(a, "a second name, expected one .source_name a kernel") : hd_scan_name(s, "name", &k->source_name);
	if (same(name, n, ".priority")) {
		int64_t value, step = 0;
		if (!hd_scan_number(s, "priority", 0, HD_PRIORITY_MAX, &value) ||
		    (hd_scan_is(s, ",") && !hd_scan_number(s, "step of the priority", -HD_PRIORITY_MAX, HD_PRIORITY_MAX, &step)))
			return false;
		k->priority = (uint32_t)value;
		k->priority_step = (int32_t)step;
		return true;
	}
	if (same(name, n, ".call_depth")) {
		if (hd_scan_is(s, "unbounded")) {
			k->call_depth = UINT32_MAX;
			return true;
		}
		return hd_scan_u32(s, "depth of calls", &k->call_depth);
	}
	return label_use(a, number, ENTRY, "no entry, expected a label");
}

static bool data_directive(assembler *a, const char *name, size_t n, bool *known)
{
	hd_scan *s = &a->scan;
	hd_object *o = a->o;
	int64_t value;
	uint32_t v[3];
	*known = true;
	if (same(name, n, ".byte")) {
		do {
			if (!hd_scan_number(s, "byte", 0, 255, &value))
				return false;
			hd_vec_push(&o->data, (uint8_t)value);
		} while (hd_scan_is(s, ","));
		return o->data.n <= HD_DATA_MAX || refuse(a, "too much data, expected at most 268435456 bytes");
	}
	if (same(name, n, ".zero")) {
		if (!hd_scan_number(s, "number of bytes", 0, HD_DATA_MAX, &value))
			return false;
		if ((size_t)value > HD_DATA_MAX - o->data.n)
			return refuse(a, "too much data, expected at most 268435456 bytes");
		if (o->data.n + (size_t)value > o->data.cap) {
			o->data.cap = o->data.n + (size_t)value;
			o->data.at = hd_xrealloc(o->data.at, o->data.cap);
		}
		if (value)
			memset(o->data.at + o->data.n, 0, (size_t)value);
		o->data.n += (size_t)value;
		return true;
	}
	if (same(name, n, ".literal")) {
		if (!hd_scan_u32(s, "literal", v))
			return false;
		hd_vec_push(&o->literals, v[0]);
		return true;
	}
	if (same(name, n, ".reloc")) {
		if (!hd_scan_u32(s, "offset", v) || !hd_scan_want(s, ",") || !hd_scan_number(s, "addend", INT64_MIN, INT64_MAX, &value))
			return false;
		hd_vec_push(&o->relocs, (hd_reloc){v[0], value});
		return true;
	}
	if (same(name, n, ".line")) {
		int64_t f, line, column;
		if (!hd_scan_number(s, "number of a .file", 0, (int64_t)o->files.n - 1, &f) || !hd_scan_want(s, ",") ||
		    !hd_scan_number(s, "line", 0, UINT32_MAX, &line) || !hd_scan_want(s, ",") || !hd_scan_number(s, "column", 0, UINT16_MAX, &column))
			return false;
		hd_vec_push(&o->lines, (hd_line){(uint32_t)o->code.n, (uint16_t)f, (uint16_t)column, (uint32_t)line});
		return true;
	}
	*known = false;
	return false;
}

static bool geometry(assembler *a)
{
	hd_scan *s = &a->scan;
	const char *word;
	hd_scan_space(s);
	size_t n = hd_scan_word(s, false, &word);
	unsigned which = 0;
	while (which < HD_GEOMETRY_COUNT && !same(word, n, hd_geometries[which].name))
		which++;
	if (which == HD_GEOMETRY_COUNT) {
		s->at = word;
		return refuse(a, "bad line geometry, expected line, wide, short, combined, front or compact");
	}
	if (a->o->code.n || a->o->functions.n || a->labels.n)
		return refuse(a, "a line geometry behind code, expected .geometry before all of it");
	a->o->geometry = which;
	return true;
}

/* PD-28: eight pre-decode bytes. PD-33: in the geometry `compact` 16. */
static bool hint_table(assembler *a)
{
	hd_scan *s = &a->scan;
	int64_t byte;
	if (a->o->hint_table.n)
		return refuse(a, "a second table of hints");
	if (hd_is_compact(a->o->geometry) && a->o->code.n)
		return refuse(a, "a table of hints behind code, expected .hints before all of it");
	for (unsigned i = 0; i < hd_object_table_size(a->o); i++) {
		if ((i && !hd_scan_want(s, ",")) || !hd_scan_number(s, "pre-decode byte", 0, UINT8_MAX, &byte))
			return false;
		hd_vec_push(&a->o->hint_table, (uint8_t)byte);
	}
	return true;
}

/* KEY=VALUE, one or more, added to what earlier lines say of the machine. */
static bool machine(assembler *a)
{
	hd_scan *s = &a->scan;
	const char *key, *value;
	do {
		size_t n = hd_scan_word(s, true, &key);
		if (!n || s->at == s->end || *s->at != '=')
			return refuse(a, "no setting, expected KEY=VALUE");
		s->at++;
		size_t m = hd_scan_word(s, true, &value);
		if (!m || value != key + n + 1 || memchr(key, '$', n + 1 + m))
			return refuse(a, "a setting without a value, expected KEY=VALUE");
		if (a->machine.n + n + 1 + m + 1 > HD_MACHINE_TEXT_MAX)
			return refuse(a, "too many settings of the machine, expected at most 65535 characters");
		hd_text_printf(&a->machine, "%.*s\n", (int)(n + 1 + m), key);
	} while (!hd_scan_done(s));
	return true;
}

/* .order FIRST, SECOND (HZ-33) */
static bool order(assembler *a)
{
	uint32_t number = (uint32_t)a->o->orders.n;
	if (number == HD_ORDERS_MAX)
		return refuse(a, "too many orders, expected at most 4096");
	hd_vec_push(&a->o->orders, (hd_ordered){0});
	if (!label_use(a, number, ORDER_FIRST, "no instruction, expected the label of the one that comes first"))
		return false;
	if (!hd_scan_is(&a->scan, ","))
		return refuse(a, "one instruction, expected a comma and the label of the one that comes second");
	return label_use(a, number, ORDER_SECOND, "one instruction, expected the label of the one that comes second");
}

static bool directive(assembler *a)
{
	int64_t number;
	hd_scan *s = &a->scan;
	hd_object *o = a->o;
	const char *name;
	char *text;
	bool known, ok;
	size_t n = hd_scan_word(s, true, &name);
	ok = kernel_directive(a, name, n, &known);
	if (!known)
		ok = data_directive(a, name, n, &known);
	if (known)
		return ok;
	if (same(name, n, ".kernel")) {
		if (!hd_scan_name(s, "kernel", &text))
			return false;
		hd_vec_push(&o->kernels, (hd_kernel){.name = text});
		return true;
	}
	if (same(name, n, ".function")) {
		if (a->open)
			return refuse(a, "a function inside a function, expected .end before this");
		if (!hd_scan_name(s, "function", &text))
			return false;
		a->open = true;
		hd_vec_push(&o->functions, (hd_function){text, (uint32_t)o->code.n, 0});
		return true;
	}
	if (same(name, n, ".end")) {
		if (!a->open)
			return refuse(a, "no function to end, expected .function before this");
		a->open = false;
		o->functions.at[o->functions.n - 1].end = (uint32_t)o->code.n;
		return true;
	}
	if (same(name, n, ".ss")) {
		end_line(a);
		if (at_ss(a))
			put_blank(a);
		return true;
	}
	if (same(name, n, ".target")) {
		hd_vec_push(&o->targets, next_instruction(a));
		return true;
	}
	if (same(name, n, ".order"))
		return order(a);
	if (same(name, n, ".file")) {
		if (o->files.n > UINT16_MAX)
			return refuse(a, "too many files, expected at most 65536");
		if (!hd_scan_name(s, "file", &text))
			return false;
		hd_vec_push(&o->files, text);
		return true;
	}
	if (same(name, n, ".config")) {
		if (!hd_scan_name(s, "machine", &text))
			return false;
		free(o->config);
		o->config = text;
		return true;
	}
	if (same(name, n, ".machine"))
		return machine(a);
	if (same(name, n, ".geometry"))
		return geometry(a);
	if (same(name, n, ".hints"))
		return hint_table(a);
	if (same(name, n, ".high_latency")) {
		hd_scan_space(s);
		a->split = hd_scan_pos(s);
		if (!hd_scan_number(s, "number of counters", 0, HD_MAX_COUNTERS, &number))
			return false;
		o->split = (uint32_t)number + 1;
		return true;
	}
	if (same(name, n, ".nonuniform")) {
		o->nonuniform = true;
		return true;
	}
	if (same(name, n, ".counters")) {
		hd_scan_space(s);
		a->counters = hd_scan_pos(s);
		return hd_scan_u32(s, "number of counters", &o->counters);
	}
	s->at = name;
	return refuse(a, "unknown directive, expected .kernel, .function, .line, .byte or another of docs/assembly.md");
}

static bool statement(assembler *a)
{
	hd_scan *s = &a->scan;
	if (hd_scan_done(s))
		return true;
	const char *start = s->at, *word;
	size_t n = hd_scan_word(s, true, &word);
	if (n && s->at < s->end && *s->at == ':') {
		s->at++;
		define(a, word, n);
		if (hd_scan_done(s))
			return true;
		start = s->at;
	}
	s->at = start;
	if (!(*s->at == '.' ? directive(a) : instruction(a)))
		return false;
	return hd_scan_done(s) || refuse(a, "more on the line, expected its end or a comment after ';'");
}

/* -- the end -------------------------------------------------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	const label *a = x, *b = y;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void put_target(assembler *a, const reference *r, uint32_t target)
{
	if (!hd_line_put_target(a->o->geometry, a->o->code.at, r->word, target))
		hd_error(a->scan.diag, r->pos, "word %u is too far for an instruction of 32 bits, expected {long}", target);
}

static void resolve(assembler *a)
{
	hd_diag *diag = a->scan.diag;
	hd_pos end = {.file = a->scan.file, .line = a->scan.line, .column = 1};
	if (a->labels.n)
		qsort(a->labels.at, a->labels.n, sizeof *a->labels.at, by_name);
	for (size_t i = 1; i < a->labels.n; i++) {
		if (by_name(&a->labels.at[i - 1], &a->labels.at[i]) == 0) {
			uint32_t word = a->labels.at[i].word;
			hd_error(diag, word < a->places.n ? a->places.at[word] : end, "the label '%.60s' stands here and elsewhere, expected it once",
			         a->labels.at[i].name);
		}
	}
	for (size_t i = 0; i < a->references.n; i++) {
		reference *r = &a->references.at[i];
		label key = {r->name, 0, hash_of(r->name)},
		      *found = a->labels.n ? bsearch(&key, a->labels.at, a->labels.n, sizeof key, by_name) : NULL;
		if (!found)
			hd_error(diag, r->pos, "no label '%.60s', expected one that stands before an instruction", r->name);
		else if (r->kind == ENTRY)
			a->o->kernels.at[r->word].entry = found->word;
		else if (r->kind == ORDER_FIRST)
			a->o->orders.at[r->word].first = found->word;
		else if (r->kind == ORDER_SECOND)
			a->o->orders.at[r->word].second = found->word;
		else
			put_target(a, r, found->word);
	}
	if (a->open)
		hd_error(diag, end, "the last function has no end, expected .end");
}

/* hd_object_validate's checks of the counters, with positions in the text. They run at the end, because the line geometry may stand after the
 * counters. */
static void check_counters(assembler *a)
{
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	if (a->o->counters < 2 || a->o->counters > geometry->counters)
		hd_error(a->scan.diag, a->counters, "%u fence counters in lines of geometry %s, expected 2 to %u", a->o->counters, geometry->name,
		         geometry->counters);
	else if (a->o->split > a->o->counters)
		hd_error(a->scan.diag, a->split, "%u of %u fence counters for high latency, expected at least one for low", a->o->split - 1,
		         a->o->counters);
}

hd_object *hd_assemble(const char *text, size_t size, const char *file, hd_diag *diag)
{
	assembler a = {.scan = {.file = file, .diag = diag}, .o = hd_object_new()};
	unsigned before = diag->errors;
	a.o->counters = 6;
	a.o->config = hd_xstrdup("heddle");
	for (const char *at = text, *end = text + size; at < end && !a.stop && diag->errors < before + HD_DIAG_MAX;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		a.scan.begin = a.scan.at = at;
		a.scan.end = newline ? newline : end;
		a.scan.line++;
		statement(&a);
		at = newline ? newline + 1 : end;
	}
	a.o->machine = a.machine.at; /* NULL without .machine */
	while (a.o->code.n % hd_geometries[a.o->geometry].line_words)
		put_blank(&a);
	if (diag->errors == before)
		resolve(&a);
	if (diag->errors == before)
		check_counters(&a);
	if (diag->errors == before)
		hd_object_validate_text(a.o, file, a.places.at, diag);
	for (size_t i = 0; i < a.labels.n; i++)
		free(a.labels.at[i].name);
	for (size_t i = 0; i < a.references.n; i++)
		free(a.references.at[i].name);
	hd_vec_free(&a.labels);
	hd_vec_free(&a.references);
	hd_vec_free(&a.places);
	if (diag->errors != before) {
		hd_object_free(a.o);
		return NULL;
	}
	return a.o;
}
