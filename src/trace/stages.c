/* Stages: text to read. A line is a cycle of a warp in which an instruction enters or leaves a pipe, or a result is written or left out (LU-4 to
 * LU-8): the instructions in stage A (their cycle of entry), B (in the pipe) and C (their result reaches the first path), where those in A take their
 * operands from, and the registers that are written to the register file in this cycle, or left out for a last use. */
#include "trace/trace_writer.h"

typedef enum cell { CELL_A, CELL_B, CELL_C, CELL_OPERANDS, CELL_WRITTEN, CELL_LEFT_OUT, CELL_INSTRUCTION, CELLS } cell;

static const struct {
	const char *name;
	int width;
} columns[CELLS] = {{"A", 7}, {"B", 7}, {"C", 7}, {"operands from", 25}, {"written", 7}, {"left out", 10}, {"instruction in A", 0}};

typedef struct row {
	uint64_t cycle;
	bool any;
	hd_text cell[CELLS];
} row;

/* A register of a result that is not in the register file. */
typedef struct held {
	uint64_t since; /* cycle in which it reached the first path */
	uint32_t lanes; /* 0: none */
	uint8_t pipe;
} held;

/* Of each warp slot. A result that leaves its last place in a cycle was written in the cycle before, whose row waits for it. */
typedef struct slot_rows {
	row before, now;
	held *held; /* by register; NULL until the first result */
} slot_rows;

typedef struct stages {
	slot_rows *slots;
	uint64_t at;
	bool begun;
} stages;

static void append(row *r, cell which, const char *format, ...) HD_PRINTF(3, 4);
static void append(row *r, cell which, const char *format, ...)
{
	hd_text *text = &r->cell[which];
	va_list args;
	r->any = true;
	if (text->n)
		hd_text_printf(text, which == CELL_INSTRUCTION ? "; " : " ");
	va_start(args, format);
	hd_text_vprintf(text, format, args);
	va_end(args);
}

/* An instruction by its result; by its label without one. */
static void append_instruction(hd_trace_file *f, row *r, cell which, uint32_t pc)
{
	const hd_slot *slot = &f->program->slots[pc];
	unsigned d = slot->inst.d;
	if (!slot->dwords)
		append(r, which, "L%u", pc);
	else if (slot->dwords == 1)
		append(r, which, "r%u", d);
	else
		append(r, which, "r%u:r%u", d, d + slot->dwords - 1);
}

/* -- time ----------------------------------------------------------------------------------------------------------------------------- */

static void print_row(hd_trace_file *f, size_t index, row *r)
{
	size_t slots = HD_WARP_SLOTS, core = index / slots / HD_MAX_SCHEDULERS;
	if (r->any && hd_trace_in_range(f, r->cycle)) {
		hd_text line = {0};
		hd_text_printf(&line, "%8llu  %zu.%zu.%-4zu", (unsigned long long)r->cycle, core, index / slots % HD_MAX_SCHEDULERS, index % slots);
		for (unsigned i = 0; i < CELLS; i++)
			hd_text_printf(&line, "  %-*s", columns[i].width, r->cell[i].n ? r->cell[i].at : i == CELL_INSTRUCTION ? "" : "-");
		while (line.at[line.n - 1] == ' ')
			line.n--;
		fprintf(f->out, "%.*s\n", (int)line.n, line.at);
		hd_text_free(&line);
	}
	for (unsigned i = 0; i < CELLS; i++)
		r->cell[i].n = 0;
	r->any = false;
}

static bool enters_before(const hd_trace_live *a, const hd_trace_live *b)
{
	return a->entry != b->entry ? a->entry < b->entry : a->number < b->number;
}

/* Fills in the instructions that are in the pipes behind the cycle of entry. */
static void fill_b(hd_trace_file *f, size_t index, row *r)
{
	const hd_trace_warp *warp = &f->warps[index];
	bool any = r->any;
	for (const hd_trace_live *last = NULL, *next;; last = next) { /* in the order of entry */
		next = NULL;
		for (size_t i = 0; i < warp->live.n; i++) {
			const hd_trace_live *live = &warp->live.at[i];
			bool in_b = live->entered && !live->accessed && live->entry < r->cycle;
			if (in_b && (!last || enters_before(last, live)) && (!next || enters_before(live, next)))
				next = live;
		}
		if (!next)
			break;
		append_instruction(f, r, CELL_B, next->pc);
	}
	r->any = any; /* time alone is no reason for a line */
}

static void go_to(hd_trace_file *f, uint64_t cycle)
{
	stages *s = f->state;
	size_t n = (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS;
	if (s->begun && cycle <= s->at)
		return;
	for (size_t i = 0; i < n; i++) {
		if (s->begun)
			fill_b(f, i, &s->slots[i].now);
		print_row(f, i, &s->slots[i].before);
	}
	for (size_t i = 0; i < n; i++) {
		slot_rows *rows = &s->slots[i];
		if (s->begun && cycle > s->at + 1)
			print_row(f, i, &rows->now);
		row next = rows->before;
		rows->before = rows->now;
		rows->now = next;
		if (!s->begun || cycle > s->at + 1) {
			rows->before.cycle = cycle ? cycle - 1 : 0;
			fill_b(f, i, &rows->before);
		}
		rows->now.cycle = cycle;
	}
	s->at = cycle;
	s->begun = true;
}

/* -- events --------------------------------------------------------------------------------------------------------------------------- */

/* The place of an operand, by the age of its youngest register that is not in the register file. */
static void append_operand(hd_trace_file *f, slot_rows *rows, const hd_use *use, unsigned pipe, uint64_t now)
{
	const hd_machine *m = f->machine;
	uint64_t age = UINT64_MAX;
	bool buffer = hd_machine_has_operand_buffer(m);
	uint32_t reach = hd_machine_reach(m), b = hd_min_u32(m->last_use_path_b, reach),
	         paths = hd_min_u32(m->last_use_path_b + m->last_use_path_a, reach);
	for (unsigned w = 0; rows->held && w < use->words; w++) {
		const held *h = &rows->held[use->reg + w];
		if (h->lanes && (m->last_use_across || h->pipe == pipe))
			age = hd_min_u64(now - h->since, age);
	}
	const char *place = age == UINT64_MAX ? "file" : age < b ? "C-B" : age < paths ? "C-A" : buffer ? "buffer" : NULL;
	if (place)
		append(&rows->now, CELL_OPERANDS, "r%u:%s", use->reg, place);
	else
		append(&rows->now, CELL_OPERANDS, "r%u:comp%llu", use->reg, (unsigned long long)(age - paths + 1));
}

static void enters(hd_trace_file *f, const hd_trace_event *e, slot_rows *rows)
{
	const hd_inst *inst = &f->program->slots[e->pc].inst;
	hd_use uses[HD_MAX_USES];
	unsigned n = hd_inst_reads(inst, uses);
	append_instruction(f, &rows->now, CELL_A, e->pc);
	append(&rows->now, CELL_INSTRUCTION, "%s", hd_trace_label(f, e->pc));
	for (unsigned i = 0; i < n; i++)
		if (uses[i].words)
			append_operand(f, rows, &uses[i], f->program->slots[e->pc].pipe, e->cycle);
}

static void done(hd_trace_file *f, const hd_trace_event *e, slot_rows *rows)
{
	const hd_slot *slot = &f->program->slots[e->pc];
	append_instruction(f, &rows->now, CELL_C, e->pc);
	if (!rows->held)
		rows->held = hd_xcalloc(HD_REGISTERS, sizeof *rows->held);
	for (unsigned w = 0; slot->pipe != HD_PIPE_FLOW && e->mask && w < slot->dwords; w++) {
		held *h = &rows->held[slot->inst.d + w];
		*h = (held){e->cycle, h->lanes | e->mask, slot->pipe};
	}
}

static void leaves(const hd_trace_event *e, slot_rows *rows, row *r, cell which)
{
	for (unsigned reg = e->reg; reg < (unsigned)e->reg + e->words; reg++) {
		append(r, which, "r%u", reg);
		if (rows->held)
			rows->held[reg].lanes &= ~e->mask;
	}
}

static void event(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	stages *s = f->state;
	if (e->kind == HD_TRACE_LOST || e->kind == HD_TRACE_WAIT)
		return;
	go_to(f, e->cycle);
	slot_rows *rows = &s->slots[hd_trace_index(e)];
	(void)warp;
	(void)live;
	switch (e->kind) {
	case HD_TRACE_ENTER:
		enters(f, e, rows);
		break;
	case HD_TRACE_DONE:
		done(f, e, rows);
		break;
	case HD_TRACE_REGISTERS:
		leaves(e, rows, &rows->before, CELL_WRITTEN);
		break;
	case HD_TRACE_SKIP:
		leaves(e, rows, &rows->now, CELL_LEFT_OUT);
		break;
	case HD_TRACE_REPLACED:
		leaves(e, rows, &rows->now, CELL_LEFT_OUT);
		append(&rows->now, CELL_LEFT_OUT, "(replaced)");
		break;
	case HD_TRACE_LATE:
		append(&rows->now, CELL_LEFT_OUT, "(r%u late)", e->reg);
		break;
	default:
		break;
	}
}

static void end(hd_trace_file *f)
{
	stages *s = f->state;
	go_to(f, s->at + 2);
	for (size_t i = 0; i < (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS; i++) {
		for (unsigned c = 0; c < CELLS; c++) {
			hd_text_free(&s->slots[i].before.cell[c]);
			hd_text_free(&s->slots[i].now.cell[c]);
		}
		free(s->slots[i].held);
	}
	free(s->slots);
	free(s);
}

bool hd_trace_stages(hd_trace_file *f, hd_diag *diag)
{
	stages *s = hd_xcalloc(1, sizeof *s);
	s->slots = hd_xcalloc((size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS, sizeof *s->slots);
	f->state = s;
	f->event = event;
	f->end = end;
	fprintf(f->out, "%8s  %-8s", "cycle", "warp");
	for (unsigned i = 0; i < CELLS; i++)
		fprintf(f->out, "  %-*s", columns[i].width, columns[i].name);
	fputc('\n', f->out);
	(void)diag;
	return true;
}
