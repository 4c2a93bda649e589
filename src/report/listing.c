#include "base/plain.h"
#include "report/profile.h"

/* -- the walk ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct walk {
	const hd_profile *p;
	const hd_input *input;
	const hd_listing *to;
	bool *shown; /* by word address */
} walk;

static bool line_of(const walk *l, uint32_t pc, const char **file, uint32_t *line)
{
	uint32_t column;
	return hd_object_line(l->p->program->object, pc, file, line, &column);
}

static void instruction(walk *l, uint32_t pc)
{
	l->shown[pc] = true;
	l->to->instruction(l->to->context, pc, &l->p->rows[pc]);
}

/* An instruction of the line that has not been shown. */
static bool is_of(const walk *l, uint32_t pc, const char *path, uint32_t number)
{
	const char *file;
	uint32_t line;
	return !l->p->program->slots[pc].is_ss && !l->shown[pc] && line_of(l, pc, &file, &line) && line == number && strcmp(file, path) == 0;
}

static void source_line(walk *l, const char *path, uint32_t number, const char *text, size_t length, bool code)
{
	uint32_t n = code ? l->p->program->n_slots : 0;
	hd_profile_row sum = {0};
	bool any = false;
	for (uint32_t pc = 0; pc < n; pc++) {
		if (!is_of(l, pc, path, number))
			continue;
		hd_profile_add(&sum, &l->p->rows[pc]);
		any = true;
	}
	l->to->line(l->to->context, number, text, length, any ? &sum : NULL);
	for (uint32_t pc = 0; pc < n; pc++)
		if (is_of(l, pc, path, number))
			instruction(l, pc);
}

static void source(walk *l, const char *path)
{
	const hd_object *object = l->p->program->object;
	char *text = hd_source_read(path, l->input);
	if (!text)
		return;
	bool *code = hd_xcalloc(HD_LISTED_MAX + 2, sizeof *code);
	for (size_t i = 0; i < object->lines.n; i++)
		if (object->lines.at[i].line <= HD_LISTED_MAX)
			code[object->lines.at[i].line] = true;
	l->to->file(l->to->context, path);
	uint32_t number = 1;
	for (const char *at = text; *at; number++) {
		size_t n = strcspn(at, "\r\n");
		source_line(l, path, number, at, n, code[number]);
		at += n;
		at += *at == '\r';
		at += *at == '\n';
	}
	free(code);
	free(text);
}

void hd_profile_list(const hd_profile *p, const hd_input *input, const hd_listing *to)
{
	const hd_program *program = p->program;
	walk l = {.p = p, .input = input, .to = to, .shown = hd_xcalloc(program->n_slots + 1u, sizeof(bool))};
	for (size_t i = 0; i < program->object->files.n; i++)
		source(&l, program->object->files.at[i]);
	bool titled = false;
	for (uint32_t pc = 0; pc < program->n_slots; pc++) {
		if (l.shown[pc] || program->slots[pc].is_ss || (program->slots[pc].inst.op == HD_OP_NOP && !hd_profile_slots(&p->rows[pc])))
			continue;
		if (!titled)
			to->file(to->context, NULL);
		titled = true;
		instruction(&l, pc);
	}
	to->none(to->context, &p->rows[program->n_slots]);
	free(l.shown);
}

/* -- as text ---------------------------------------------------------------------------------------------------------------------------------- */

typedef struct page {
	const hd_profile *p;
	hd_text *out;
	uint64_t total, cycles;
} page;

static void charge(const page *l, const hd_profile_row *row)
{
	uint64_t slots = hd_profile_slots(row);
	hd_text_printf(l->out, "%12llu %5.1f%% %12llu %12llu %14.1f %14.1f %10llu", (unsigned long long)slots,
	               l->total ? 100.0 * (double)slots / (double)l->total : 0.0, (unsigned long long)row->issued, (unsigned long long)row->lanes,
	               hd_profile_share(slots, l->total, l->cycles), hd_profile_share(hd_profile_lost(row), l->total, l->cycles),
	               (unsigned long long)row->sectors);
}

static void causes(const page *l, const hd_profile_row *row)
{
	const char *sep = "  ; lost: ";
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		if (!row->lost[i])
			continue;
		hd_text_printf(l->out, "%s%s %llu", sep, hd_stalls[i].name, (unsigned long long)row->lost[i]);
		sep = ", ";
	}
	for (size_t i = 0; i < row->waits.n; i++) {
		const hd_profile_wait *w = &row->waits.at[i];
		hd_text_printf(l->out, "%s%llu for counter %u of L%u", i ? ", " : " (", (unsigned long long)w->slots, w->counter, w->raiser);
	}
	if (row->waits.n)
		hd_text_printf(l->out, ")");
}

static void text_file(void *context, const char *path) { hd_text_printf(((page *)context)->out, "\n%s\n", path ? path : "without a source line"); }

static void text_line(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum)
{
	const page *l = context;
	if (sum)
		charge(l, sum);
	else
		hd_text_printf(l->out, "%12s %6s %12s %12s %14s %14s %10s", "", "", "", "", "", "", "");
	hd_text_printf(l->out, " %4u| %.*s\n", number, (int)length, text);
}

static void text_instruction(void *context, uint32_t pc, const hd_profile_row *row)
{
	const page *l = context;
	charge(l, row);
	hd_text_printf(l->out, "    L%-5u ", pc);
	size_t before = l->out->n;
	hd_inst_print(l->out, &l->p->program->slots[pc].inst);
	hd_text_printf(l->out, "%*s", l->out->n - before < 40 ? (int)(40 - (l->out->n - before)) : 0, "");
	causes(l, row);
	hd_text_printf(l->out, "\n");
}

static void text_none(void *context, const hd_profile_row *row)
{
	const page *l = context;
	hd_text_printf(l->out, "\n");
	charge(l, row);
	hd_text_printf(l->out, "    no instruction");
	causes(l, row);
	hd_text_printf(l->out, "\n%12llu 100.0%%    all\n", (unsigned long long)l->total);
}

void hd_profile_listing(const hd_profile *p, const hd_input *input, uint64_t cycles, hd_text *out)
{
	size_t begin = out->n;
	page l = {p, out, hd_profile_total(p), cycles};
	hd_text_printf(
	    out, "; slots: issue slots that the line or instruction took, issued and lost while it was the next to issue; lanes: active when it ran\n"
	         "; cycles, stalled: its share of the run's cycles, and the lost part of it; sectors: of 32 bytes, of global and local memory\n");
	hd_text_printf(out, "%12s %6s %12s %12s %14s %14s %10s\n", "slots", "share", "issued", "lanes", "cycles", "stalled", "sectors");
	hd_profile_list(p, input, &(hd_listing){&l, text_file, text_line, text_instruction, text_none});
	hd_text_make_plain(out, begin);
}
