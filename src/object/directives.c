/* Directives of assembly text (docs/isa.md): one row a directive, at the end. */
#include "isa/names.h"
#include "object/assembler.h"

static bool numbers(hd_scan *s, const char *what, uint32_t *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if ((i && !hd_scan_want(s, ",")) || !hd_scan_u32(s, what, &values[i]))
			return false;
	}
	return true;
}

/* The type in the source and the element of a pointer, both optional: `, "float *", f32`. */
static bool parameter_source(hd_assembler *a, hd_param *p)
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
	return p->element != HD_ELEMENT_UNKNOWN ||
	       hd_assembler_refuse(a, "bad element of a pointer, expected i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 or f64");
}

static bool parameter(hd_assembler *a, hd_kernel *k)
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
		while (p.space < HD_COUNT(spaces) && !hd_scan_same(word, n, spaces[p.space]))
			p.space++;
		s->at = p.space < HD_COUNT(spaces) ? s->at : word;
		ok = p.space < HD_COUNT(spaces) || hd_assembler_refuse(a, "bad address space, expected none, global, shared, const or local");
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
static bool label_use(hd_assembler *a, uint32_t number, hd_reference_kind kind, const char *without)
{
	hd_scan *s = &a->scan;
	hd_scan_space(s);
	hd_pos pos = hd_scan_pos(s);
	const char *word;
	size_t length = hd_scan_word(s, true, &word);
	if (length == 0)
		return hd_assembler_refuse(a, without);
	hd_text text = {0};
	hd_text_put(&text, word, length);
	hd_vec_push(&a->references, (hd_reference){text.at, number, kind, pos});
	return true;
}

/* -- of the last .kernel ------------------------------------------------------------------------------------------------------------------- */

static hd_kernel *last_kernel(hd_assembler *a) { return &a->o->kernels.at[a->o->kernels.n - 1]; }

static bool parameter_of_last(hd_assembler *a) { return parameter(a, last_kernel(a)); }

static bool required_block(hd_assembler *a) { return numbers(&a->scan, "size of a block", last_kernel(a)->required_block, 3); }

static bool source_name(hd_assembler *a)
{
	hd_kernel *k = last_kernel(a);
	return k->source_name ? hd_assembler_refuse(a, "a second name, expected one .source_name a kernel")
	                      : hd_scan_name(&a->scan, "name", &k->source_name);
}

static bool priority(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	hd_kernel *k = last_kernel(a);
	int64_t value, step = 0;
	if (!hd_scan_number(s, "priority", 0, HD_PRIORITY_MAX, &value) ||
	    (hd_scan_is(s, ",") && !hd_scan_number(s, "step of the priority", -HD_PRIORITY_MAX, HD_PRIORITY_MAX, &step)))
		return false;
	k->priority = (uint32_t)value;
	k->priority_step = (int32_t)step;
	return true;
}

static bool call_depth(hd_assembler *a)
{
	hd_kernel *k = last_kernel(a);
	if (hd_scan_is(&a->scan, "unbounded")) {
		k->call_depth = UINT32_MAX;
		return true;
	}
	return hd_scan_u32(&a->scan, "depth of calls", &k->call_depth);
}

static bool entry(hd_assembler *a) { return label_use(a, (uint32_t)a->o->kernels.n - 1, HD_LABEL_ENTRY, "no entry, expected a label"); }

/* -- data ---------------------------------------------------------------------------------------------------------------------------------- */

static bool too_much_data(hd_assembler *a) { return hd_assembler_refuse(a, "too much data, expected at most 268435456 bytes"); }

static bool bytes(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	int64_t value;
	do {
		if (!hd_scan_number(s, "byte", 0, 255, &value))
			return false;
		hd_vec_push(&a->o->data, (uint8_t)value);
	} while (hd_scan_is(s, ","));
	return a->o->data.n <= HD_DATA_MAX || too_much_data(a);
}

static bool zeros(hd_assembler *a)
{
	hd_object *o = a->o;
	int64_t value;
	if (!hd_scan_number(&a->scan, "number of bytes", 0, HD_DATA_MAX, &value))
		return false;
	if ((size_t)value > HD_DATA_MAX - o->data.n)
		return too_much_data(a);
	if (o->data.n + (size_t)value > o->data.cap) {
		o->data.cap = o->data.n + (size_t)value;
		o->data.at = hd_xrealloc(o->data.at, o->data.cap);
	}
	if (value)
		memset(o->data.at + o->data.n, 0, (size_t)value);
	o->data.n += (size_t)value;
	return true;
}

static bool literal(hd_assembler *a)
{
	uint32_t value;
	if (!hd_scan_u32(&a->scan, "literal", &value))
		return false;
	hd_vec_push(&a->o->literals, value);
	return true;
}

static bool relocation(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	uint32_t offset;
	int64_t addend;
	if (!hd_scan_u32(s, "offset", &offset) || !hd_scan_want(s, ",") || !hd_scan_number(s, "addend", INT64_MIN, INT64_MAX, &addend))
		return false;
	hd_vec_push(&a->o->relocs, (hd_reloc){offset, addend});
	return true;
}

/* .variable OFFSET, SIZE, NAME and .managed, the same for a managed variable. */
static bool put_variable(hd_assembler *a, bool managed)
{
	hd_scan *s = &a->scan;
	hd_variable v = {.managed = managed};
	if (!hd_scan_u32(s, "offset", &v.offset) || !hd_scan_want(s, ",") || !hd_scan_u32(s, "size", &v.size) || !hd_scan_want(s, ",") ||
	    !hd_scan_name(s, "variable", &v.name))
		return false;
	hd_vec_push(&a->o->variables, v);
	return true;
}

static bool variable(hd_assembler *a) { return put_variable(a, false); }
static bool managed(hd_assembler *a) { return put_variable(a, true); }

/* -- where the code comes from --------------------------------------------------------------------------------------------------------------- */

static bool file(hd_assembler *a)
{
	char *text;
	if (a->o->files.n > UINT16_MAX)
		return hd_assembler_refuse(a, "too many files, expected at most 65536");
	if (!hd_scan_name(&a->scan, "file", &text))
		return false;
	hd_vec_push(&a->o->files, text);
	return true;
}

static bool line(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	hd_object *o = a->o;
	int64_t number, at, column;
	if (!hd_scan_number(s, "number of a .file", 0, (int64_t)o->files.n - 1, &number) || !hd_scan_want(s, ",") ||
	    !hd_scan_number(s, "line", 0, UINT32_MAX, &at) || !hd_scan_want(s, ",") || !hd_scan_number(s, "column", 0, UINT16_MAX, &column))
		return false;
	hd_vec_push(&o->lines, (hd_line){(uint32_t)o->code.n, (uint16_t)number, (uint16_t)column, (uint32_t)at});
	return true;
}

/* -- code and the machine ---------------------------------------------------------------------------------------------------------------------- */

static bool kernel(hd_assembler *a)
{
	char *name;
	if (!hd_scan_name(&a->scan, "kernel", &name))
		return false;
	hd_vec_push(&a->o->kernels, (hd_kernel){.name = name});
	return true;
}

static bool function(hd_assembler *a)
{
	char *name;
	if (a->open)
		return hd_assembler_refuse(a, "a function inside a function, expected .end before this");
	if (!hd_scan_name(&a->scan, "function", &name))
		return false;
	a->open = true;
	hd_vec_push(&a->o->functions, (hd_function){name, (uint32_t)a->o->code.n, 0});
	return true;
}

static bool function_end(hd_assembler *a)
{
	if (!a->open)
		return hd_assembler_refuse(a, "no function to end, expected .function before this");
	a->open = false;
	a->o->functions.at[a->o->functions.n - 1].end = (uint32_t)a->o->code.n;
	return true;
}

static bool target(hd_assembler *a)
{
	hd_vec_push(&a->o->targets, hd_assembler_next_instruction(a));
	return true;
}

static bool config(hd_assembler *a)
{
	char *name;
	if (!hd_scan_name(&a->scan, "machine", &name))
		return false;
	free(a->o->config);
	a->o->config = name;
	return true;
}

static bool high_latency(hd_assembler *a)
{
	int64_t number;
	hd_scan_space(&a->scan);
	a->split = hd_scan_pos(&a->scan);
	if (!hd_scan_number(&a->scan, "number of counters", 0, HD_MAX_COUNTERS, &number))
		return false;
	a->o->split = (uint32_t)number + 1;
	return true;
}

static bool nonuniform(hd_assembler *a)
{
	a->o->nonuniform = true;
	return true;
}

static bool counters(hd_assembler *a)
{
	hd_scan_space(&a->scan);
	a->counters = hd_scan_pos(&a->scan);
	return hd_scan_u32(&a->scan, "number of counters", &a->o->counters);
}

static bool geometry(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	const char *word;
	hd_scan_space(s);
	size_t n = hd_scan_word(s, false, &word);
	unsigned which = 0;
	while (which < HD_GEOMETRY_COUNT && !hd_scan_same(word, n, hd_geometries[which].name))
		which++;
	if (which == HD_GEOMETRY_COUNT) {
		s->at = word;
		return hd_assembler_refuse(a, "bad line geometry, expected line, wide, short, combined, front, compact or plain");
	}
	if (a->o->code.n || a->o->functions.n || a->labels.n)
		return hd_assembler_refuse(a, "a line geometry behind code, expected .geometry before all of it");
	a->o->geometry = which;
	return true;
}

/* PD-28: eight pre-decode bytes. PD-33: in the geometry `compact` 16. */
static bool hint_table(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	int64_t byte;
	if (a->o->hint_table.n)
		return hd_assembler_refuse(a, "a second table of hints");
	if (hd_is_compact(a->o->geometry) && a->o->code.n)
		return hd_assembler_refuse(a, "a table of hints behind code, expected .hints before all of it");
	for (unsigned i = 0; i < hd_object_table_size(a->o); i++) {
		if ((i && !hd_scan_want(s, ",")) || !hd_scan_number(s, "pre-decode byte", 0, UINT8_MAX, &byte))
			return false;
		hd_vec_push(&a->o->hint_table, (uint8_t)byte);
	}
	return true;
}

/* KEY=VALUE, one or more, added to what earlier lines say of the machine. */
static bool machine(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	const char *key, *value;
	do {
		size_t n = hd_scan_word(s, true, &key);
		if (!n || s->at == s->end || *s->at != '=')
			return hd_assembler_refuse(a, "no setting, expected KEY=VALUE");
		s->at++;
		size_t m = hd_scan_word(s, true, &value);
		if (!m || value != key + n + 1 || memchr(key, '$', n + 1 + m))
			return hd_assembler_refuse(a, "a setting without a value, expected KEY=VALUE");
		if (a->machine.n + n + 1 + m + 1 > HD_MACHINE_TEXT_MAX)
			return hd_assembler_refuse(a, "too many settings of the machine, expected at most 65535 characters");
		hd_text_printf(&a->machine, "%.*s\n", (int)(n + 1 + m), key);
	} while (!hd_scan_done(s));
	return true;
}

/* .order FIRST, SECOND (HZ-33) */
static bool order(hd_assembler *a)
{
	uint32_t number = (uint32_t)a->o->orders.n;
	if (number == HD_ORDERS_MAX)
		return hd_assembler_refuse(a, "too many orders, expected at most 4096");
	hd_vec_push(&a->o->orders, (hd_ordered){0});
	if (!label_use(a, number, HD_LABEL_ORDER_FIRST, "no instruction, expected the label of the one that comes first"))
		return false;
	if (!hd_scan_is(&a->scan, ","))
		return hd_assembler_refuse(a, "one instruction, expected a comma and the label of the one that comes second");
	return label_use(a, number, HD_LABEL_ORDER_SECOND, "one instruction, expected the label of the one that comes second");
}

/* A directive of the last kernel reads its number into a field, or has a function. */
static const struct directive {
	const char *name;
	bool (*read)(hd_assembler *);
	bool of_kernel;
	size_t field; /* where read is NULL: the uint32_t of hd_kernel */
} directives[] = {
    {".kernel", kernel, false, 0},
    {".entry", entry, true, 0},
    {".param", parameter_of_last, true, 0},
    {".required_block", required_block, true, 0},
    {".call_depth", call_depth, true, 0},
    {".priority", priority, true, 0},
    {".source_name", source_name, true, 0},
    {".registers", NULL, true, offsetof(hd_kernel, registers)},
    {".shared", NULL, true, offsetof(hd_kernel, shared_bytes)},
    {".local", NULL, true, offsetof(hd_kernel, local_bytes)},
    {".param_bytes", NULL, true, offsetof(hd_kernel, param_bytes)},
    {".max_threads", NULL, true, offsetof(hd_kernel, max_threads)},
    {".byte", bytes, false, 0},
    {".zero", zeros, false, 0},
    {".literal", literal, false, 0},
    {".reloc", relocation, false, 0},
    {".variable", variable, false, 0},
    {".managed", managed, false, 0},
    {".file", file, false, 0},
    {".line", line, false, 0},
    {".function", function, false, 0},
    {".end", function_end, false, 0},
    {".ss", hd_assembler_put_ss, false, 0},
    {".target", target, false, 0},
    {".order", order, false, 0},
    {".config", config, false, 0},
    {".machine", machine, false, 0},
    {".geometry", geometry, false, 0},
    {".hints", hint_table, false, 0},
    {".counters", counters, false, 0},
    {".high_latency", high_latency, false, 0},
    {".nonuniform", nonuniform, false, 0},
};

bool hd_assembler_directive(hd_assembler *a)
{
	const struct directive *d = directives, *end = d + HD_COUNT(directives);
	const char *name;
	uint32_t value;
	size_t n = hd_scan_word(&a->scan, true, &name);
	while (d < end && !hd_scan_same(name, n, d->name))
		d++;
	if (d == end) {
		a->scan.at = name;
		return hd_assembler_refuse(a, "unknown directive, expected .kernel, .function, .line, .byte or another of docs/isa.md");
	}
	if (d->of_kernel && a->o->kernels.n == 0)
		return hd_assembler_refuse(a, "no kernel yet, expected .kernel before this");
	if (d->read)
		return d->read(a);
	if (!hd_scan_u32(&a->scan, "number", &value))
		return false;
	memcpy((char *)last_kernel(a) + d->field, &value, sizeof value);
	return true;
}
