/* An object as complete assembly text (docs/isa.md): assembling the text gives the same object. */
#include "isa/compact.h"
#include "isa/names.h"
#include "object/object.h"

static void put_name(hd_text *t, const char *name)
{
	if (!name) {
		hd_text_printf(t, "none");
		return;
	}
	hd_text_printf(t, "\"");
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		if (c == '"' || c == '\\')
			hd_text_printf(t, "\\%c", c);
		else if (c < 32 || c > 126)
			hd_text_printf(t, "\\x%02x", c);
		else
			hd_text_put(t, name, 1);
	}
	hd_text_printf(t, "\"");
}

static void put_kernel(hd_text *t, const hd_kernel *k)
{
	static const char *const spaces[] = {"none", "global", "shared", "const", "local"};
	hd_text_printf(t, "\n.kernel ");
	put_name(t, k->name);
	if (k->source_name) {
		hd_text_printf(t, "\n.source_name ");
		put_name(t, k->source_name);
	}
	hd_text_printf(t, "\n.entry L%u\n.registers %u\n.shared %u\n.local %u\n.param_bytes %u\n", k->entry, k->registers, k->shared_bytes,
	               k->local_bytes, k->param_bytes);
	if (k->max_threads)
		hd_text_printf(t, ".max_threads %u\n", k->max_threads);
	if (k->required_block[0] || k->required_block[1] || k->required_block[2])
		hd_text_printf(t, ".required_block %u, %u, %u\n", k->required_block[0], k->required_block[1], k->required_block[2]);
	if (k->call_depth == UINT32_MAX)
		hd_text_printf(t, ".call_depth unbounded\n");
	else if (k->call_depth)
		hd_text_printf(t, ".call_depth %u\n", k->call_depth);
	if (k->priority || k->priority_step)
		hd_text_printf(t, ".priority %u, %d\n", k->priority, k->priority_step);
	static const char *const types[HD_PARAM_TYPES] = {"value", "integer", "float"};
	for (size_t i = 0; i < k->params.n; i++) {
		const hd_param *p = &k->params.at[i];
		hd_text_printf(t, ".param ");
		put_name(t, p->name);
		hd_text_printf(t, ", %u, %u, %u, %s, %s", p->offset, p->size, p->align, p->pointer ? "pointer" : types[p->type], spaces[p->space]);
		if (p->source_type || p->element) {
			hd_text_printf(t, ", ");
			put_name(t, p->source_type);
		}
		if (p->element)
			hd_text_printf(t, ", %s", hd_element_names[p->element]);
		hd_text_printf(t, "\n");
	}
}

static void put_data(hd_text *t, const hd_object *o)
{
	for (size_t i = 0; i < o->literals.n; i++)
		hd_text_printf(t, ".literal 0x%08x\n", o->literals.at[i]);
	for (size_t i = 0; i < o->data.n;) {
		size_t zeros = 0, n = 0;
		while (i + zeros < o->data.n && o->data.at[i + zeros] == 0)
			zeros++;
		if (zeros >= 16 || i + zeros == o->data.n) {
			if (zeros) {
				hd_text_printf(t, ".zero %zu\n", zeros);
				i += zeros;
				continue;
			}
		}
		hd_text_printf(t, ".byte ");
		for (; n < 16 && i < o->data.n; n++, i++)
			hd_text_printf(t, "%s0x%02x", n ? ", " : "", o->data.at[i]);
		hd_text_printf(t, "\n");
	}
	for (size_t i = 0; i < o->relocs.n; i++)
		hd_text_printf(t, ".reloc %u, %lld\n", o->relocs.at[i].offset, (long long)o->relocs.at[i].addend);
	for (size_t i = 0; i < o->variables.n; i++) {
		const hd_variable *v = &o->variables.at[i];
		hd_text_printf(t, "%s %u, %u, ", v->managed ? ".managed" : ".variable", v->offset, v->size);
		put_name(t, v->name);
		hd_text_printf(t, "\n");
	}
}

/* True for an instruction of two words of 32 bits that would fit one: the assembler needs a mark (PD-33). */
static bool is_long(const hd_object *o, uint32_t word, const hd_inst *inst)
{
	uint32_t bits;
	return hd_is_compact(o->geometry) && hd_line_length(o->geometry, o->code.at, word) == 2 && hd_compact_encode(inst, &bits) &&
	       hd_object_short_hint(o, hd_object_hint(o, word)) < HD_SHORT_HINTS;
}

/* The braces behind an instruction: length, fence fields and hints. */
static void put_annotation(hd_text *t, const hd_inst *i, unsigned predecode, unsigned counters, bool is_long)
{
	const char *sep = "  {";
	if (is_long) {
		hd_text_printf(t, "%slong", sep);
		sep = " ";
	}
	if (hd_passes_by(i)) {
		hd_text_printf(t, "%spass", sep);
		sep = " ";
	} else if (i->primary || i->release) {
		hd_text_printf(t, "%sp%u.%c", sep, i->primary, i->release ? 'r' : 'w');
		sep = " ";
	}
	if (i->wait) {
		hd_text_printf(t, "%sw", sep);
		for (unsigned bit = 0; bit < counters; bit++) /* HZ-2: leftmost is counter 1 */
			hd_text_printf(t, "%u", i->wait >> bit & 1);
		sep = " ";
	}
	for (; predecode; predecode >>= 8) {
		hd_text_printf(t, "%s%s", sep, hd_hint_names[predecode >> 4 & 15]);
		if (predecode & 15)
			hd_text_printf(t, " %u", predecode & 15);
		sep = " ";
	}
	if (i->hint3) {
		hd_text_printf(t, "%sh%u", sep, i->hint3);
		sep = " ";
	}
	if (*sep == ' ' && sep[1] == '\0')
		hd_text_printf(t, "}");
}

void hd_annotation_print(const hd_object *o, uint32_t word, const hd_inst *inst, hd_text *out)
{
	put_annotation(out, inst, hd_object_hint(o, word), hd_max_u32(o->counters, HD_WORD_COUNTERS), is_long(o, word, inst));
}

/* Where the walk through the code stands in the tables that are sorted by address. */
typedef struct marks {
	size_t function, line, target;
	bool open;
} marks;

static bool mark_at(const hd_object *o, const marks *m, uint32_t word)
{
	if (m->line < o->lines.n && o->lines.at[m->line].word == word)
		return true;
	return m->function < o->functions.n && (m->open ? o->functions.at[m->function].end : o->functions.at[m->function].begin) == word;
}

static void put_marks(hd_text *t, const hd_object *o, marks *m, uint32_t word)
{
	while (m->function < o->functions.n) {
		const hd_function *f = &o->functions.at[m->function];
		if (!m->open && f->begin == word) {
			hd_text_printf(t, "\n.function ");
			put_name(t, f->name);
			hd_text_printf(t, "\n");
			m->open = true;
		} else if (m->open && f->end == word) {
			hd_text_printf(t, ".end\n");
			m->open = false;
			m->function++;
		} else {
			break;
		}
	}
	for (; m->line < o->lines.n && o->lines.at[m->line].word == word; m->line++) {
		const hd_line *l = &o->lines.at[m->line];
		hd_text_printf(t, ".line %u, %u, %u\n", l->file, l->line, l->column);
	}
}

/* The statements that follow `.ss` belong behind the scheduling word. In lines with two of them that is the first, or the last. */
static void put_scheduling_word(hd_text *t, const hd_object *o, const marks *m, uint32_t word)
{
	bool marked = mark_at(o, m, word + 1);
	hd_text_printf(t, "; word %u\n", word);
	for (uint32_t next = word + 1; !marked && hd_is_ss(o->geometry, next); next++)
		marked = mark_at(o, m, next + 1);
	if (marked && word + 1 < o->code.n)
		hd_text_printf(t, ".ss\n");
}

static void put_code(hd_text *t, const hd_object *o)
{
	hd_bits targets = hd_bits_new(o->code.n + 1);
	const char *why;
	hd_inst inst;
	marks m = {0};
	for (size_t i = 0; i < o->kernels.n; i++)
		hd_bits_add(&targets, o->kernels.at[i].entry);
	for (size_t i = 0; i < o->orders.n; i++) {
		hd_bits_add(&targets, o->orders.at[i].first);
		hd_bits_add(&targets, o->orders.at[i].second);
	}
	for (uint32_t word = 0; word < o->code.n; word++) {
		if (hd_object_begins(o, word) && hd_line_get(o->geometry, o->code.at, word, &inst, &why) && hd_ops[inst.op].format == HD_F_BRANCH)
			hd_bits_add(&targets, (size_t)inst.imm);
	}
	for (uint32_t word = 0; word < o->code.n; word++) {
		put_marks(t, o, &m, word);
		if (hd_is_ss(o->geometry, word)) {
			put_scheduling_word(t, o, &m, word);
			continue;
		}
		if (!hd_object_begins(o, word))
			continue;
		hd_invariant(hd_line_get(o->geometry, o->code.at, word, &inst, &why), "word %u of a valid object: %s", word, why);
		if (m.target < o->targets.n && o->targets.at[m.target] == word) {
			hd_text_printf(t, ".target\n");
			m.target++;
		}
		if (hd_bits_has(&targets, word))
			hd_text_printf(t, "L%u:\n", word);
		hd_text_printf(t, "\t");
		if (hd_ops[inst.op].format == HD_F_BRANCH) {
			size_t n = t->n;
			hd_inst_print(t, &inst);
			while (t->n > n && t->at[t->n - 1] != ' ')
				t->n--;
			hd_text_printf(t, "L%d", inst.imm);
		} else {
			hd_inst_print(t, &inst);
		}
		hd_annotation_print(o, word, &inst, t);
		hd_text_printf(t, "\n");
	}
	put_marks(t, o, &m, (uint32_t)o->code.n);
	for (size_t i = 0; i < o->orders.n; i++)
		hd_text_printf(t, ".order L%u, L%u\n", o->orders.at[i].first, o->orders.at[i].second);
	hd_bits_free(&targets);
}

/* As many settings on a line as fit. */
static void put_machine(hd_text *t, const char *machine)
{
	enum { WIDTH = 120 };
	size_t column = 0;
	while (*machine) {
		size_t n = strcspn(machine, "\n");
		bool next = !column || column + 1 + n > WIDTH;
		hd_text_printf(t, "%s%s%.*s", next && column ? "\n" : "", next ? ".machine " : " ", (int)n, machine);
		column = next ? strlen(".machine ") + n : column + 1 + n;
		machine += n + 1;
	}
	hd_text_printf(t, "\n");
}

void hd_disassemble(const hd_object *o, hd_text *t)
{
	hd_text_printf(t, ".config ");
	put_name(t, o->config);
	hd_text_printf(t, "\n");
	if (o->machine)
		put_machine(t, o->machine);
	hd_text_printf(t, ".counters %u\n", o->counters);
	if (o->split)
		hd_text_printf(t, ".high_latency %u\n", o->split - 1);
	if (o->nonuniform)
		hd_text_printf(t, ".nonuniform\n");
	if (o->geometry)
		hd_text_printf(t, ".geometry %s\n", hd_geometries[o->geometry].name);
	for (size_t i = 0; i < o->hint_table.n; i++)
		hd_text_printf(t, "%s0x%02x%s", i ? ", " : ".hints ", o->hint_table.at[i], i + 1 < o->hint_table.n ? "" : "\n");
	for (size_t i = 0; i < o->files.n; i++) {
		hd_text_printf(t, ".file ");
		put_name(t, o->files.at[i]);
		hd_text_printf(t, "\n");
	}
	put_data(t, o);
	for (size_t i = 0; i < o->kernels.n; i++)
		put_kernel(t, &o->kernels.at[i]);
	put_code(t, o);
}
