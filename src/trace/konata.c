/* Konata: Kanata log format 0004. One row for each instruction, in the order in which warps came to them. Stages: W the warp's next instruction
 * waits for issue (D: de-scheduled for a counter), Q in the queue of its pipe, X in the pipe, M memory access under way. An instruction that no
 * lane executes is marked as flushed. Arrows lead from the instruction that raised a fence counter to the one that waited for it. The time of the
 * file only moves forward, so a row that begins in the next cycle is delayed until then. */
#include "trace/trace_writer.h"

enum { NO_ROW = UINT32_MAX, PENDING_MAX = 4096 };

/* A delayed action in cycle `due`: a row to begin (waiting for issue), or an instruction without a pipe to retire. */
typedef struct pending {
	uint64_t due;
	hd_trace_warp *warp; /* to begin */
	uint32_t row;        /* to retire */
} pending;

typedef struct konata {
	bool begun;
	uint64_t at; /* current cycle of the file */
	uint32_t rows, retired;
	HD_VEC(pending) pending; /* by due; at most one for each warp slot and one for each instruction of a cycle */
} konata;

static void go_to(hd_trace_file *f, uint64_t cycle)
{
	konata *k = f->state;
	if (!k->begun)
		fprintf(f->out, "C=\t%llu\n", (unsigned long long)cycle);
	else if (cycle > k->at)
		fprintf(f->out, "C\t%llu\n", (unsigned long long)(cycle - k->at));
	k->begun = true;
	k->at = cycle;
}

static uint32_t thread_of(const hd_trace_file *f, const hd_trace_warp *warp) { return (uint32_t)(warp - f->warps); }

static uint32_t begin_row(hd_trace_file *f, const hd_trace_warp *warp, uint32_t number)
{
	konata *k = f->state;
	fprintf(f->out, "I\t%u\t%u\t%u\n", k->rows, number, thread_of(f, warp));
	return k->rows++;
}

static void retire(hd_trace_file *f, uint32_t row, bool flushed)
{
	konata *k = f->state;
	fprintf(f->out, "R\t%u\t%u\t%d\n", row, k->retired, flushed);
	k->retired += !flushed;
}

/* Writes the delayed rows of cycles before `cycle`. */
static void catch_up(hd_trace_file *f, uint64_t cycle)
{
	konata *k = f->state;
	size_t kept = 0;
	for (size_t i = 0; i < k->pending.n; i++) {
		pending p = k->pending.at[i];
		if (p.due >= cycle) {
			k->pending.at[kept++] = p;
			continue;
		}
		go_to(f, p.due);
		if (p.warp) {
			p.warp->waiting = begin_row(f, p.warp, 0);
			p.warp->stage = 'W';
			fprintf(f->out, "S\t%u\t0\tW\n", p.warp->waiting);
		} else {
			fprintf(f->out, "E\t%u\t0\tN\n", p.row);
			retire(f, p.row, false);
		}
	}
	k->pending.n = kept;
}

static void keep(hd_trace_file *f, pending p)
{
	konata *k = f->state;
	if (p.warp && !hd_trace_in_range(f, p.due))
		return;
	hd_vec_push(&k->pending, p);
	for (size_t i = k->pending.n - 1; i > 0 && k->pending.at[i - 1].due > k->pending.at[i].due; i--) {
		k->pending.at[i] = k->pending.at[i - 1];
		k->pending.at[i - 1] = p;
	}
}

/* The row in which the warp waits, if there is one. It is no longer delayed. */
static uint32_t waiting_row(hd_trace_file *f, hd_trace_warp *warp)
{
	konata *k = f->state;
	uint32_t row = warp->waiting;
	for (size_t i = 0; i < k->pending.n; i++) {
		if (k->pending.at[i].warp != warp)
			continue;
		memmove(&k->pending.at[i], &k->pending.at[i + 1], (k->pending.n - i - 1) * sizeof *k->pending.at);
		k->pending.n--;
		break;
	}
	warp->waiting = NO_ROW;
	return row;
}

static bool is_flow(const hd_trace_file *f, uint32_t pc) { return pc < f->program->n_slots && f->program->slots[pc].pipe == HD_PIPE_FLOW; }

static void label(hd_trace_file *f, const hd_trace_warp *warp, const hd_trace_event *e, uint32_t row)
{
	const char *file;
	uint32_t line, column;
	fprintf(f->out, "L\t%u\t0\tc%u s%u w%u: %s\n", row, e->core, e->scheduler, e->slot, hd_trace_label(f, e->pc));
	fprintf(f->out, "L\t%u\t1\tcore %u, scheduler %u, warp slot %u: warp %u of CTA (%u,%u,%u), instruction %u, lanes at issue %08x\n", row,
	        e->core, e->scheduler, e->slot, warp->warp, warp->cta[0], warp->cta[1], warp->cta[2], e->number, e->mask);
	if (hd_object_line(f->program->object, e->pc, &file, &line, &column))
		fprintf(f->out, "L\t%u\t1\t\\n%s:%u\n", row, strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
}

/* RC-24. A warp whose lanes all execute, outside of subroutines, has no such line. */
static void flow_state(hd_trace_file *f, const hd_trace_warp *warp, uint32_t row)
{
	const hd_trace_flow *flow = &warp->flow;
	uint32_t waiting = hd_trace_waiting(flow->resume), same;
	if (!waiting && !flow->depth)
		return;
	fprintf(f->out, "L\t%u\t1\t\\ncall depth %u, members %08x, MINRC ", row, flow->depth, flow->members);
	if (flow->minrc == HD_TRACE_NO_ADDRESS)
		fprintf(f->out, "none");
	else
		fprintf(f->out, "L%u", flow->minrc);
	for (uint32_t left = waiting; left; left &= ~same) {
		same = hd_trace_same_resume(flow->resume, left);
		fprintf(f->out, ", %08x at L%u", same, flow->resume[hd_lowest_bit(same)]);
	}
	fputc('\n', f->out);
}

/* HZ-31: the fence counters that are not zero, as the decoder sees them. */
static void counters(hd_trace_file *f, const hd_trace_warp *warp, uint32_t row)
{
	bool any = false;
	for (unsigned i = 0; i < f->machine->fence_counters; i++) {
		if (!warp->fence[i])
			continue;
		if (!any)
			fprintf(f->out, "L\t%u\t1\t\\nfence counters", row);
		fprintf(f->out, "%s %u: %u", any ? "," : "", i + 1, warp->fence[i]);
		any = true;
	}
	if (any)
		fputc('\n', f->out);
}

static void issued(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	konata *k = f->state;
	const hd_inst *inst = &f->program->slots[e->pc].inst;
	uint32_t row = waiting_row(f, warp);
	bool waited = row != NO_ROW;
	if (!waited)
		row = begin_row(f, warp, e->number);
	label(f, warp, e, row);
	flow_state(f, warp, row);
	counters(f, warp, row);
	if (waited)
		fprintf(f->out, "E\t%u\t0\t%c\n", row, warp->stage);
	live->place = row;
	if (inst->primary)
		warp->raiser_row[inst->primary - 1] = row;
	if (hd_ops[inst->op].pipe == HD_PIPE_NONE) {
		fprintf(f->out, "S\t%u\t0\tN\n", row);
		keep(f, (pending){.due = k->at + 1, .row = row});
	} else {
		fprintf(f->out, "S\t%u\t0\tQ\n", row);
	}
	if (!is_flow(f, e->pc)) {
		/* Of several instructions that issue in one cycle the last one counts. */
		waiting_row(f, warp);
		keep(f, (pending){.due = k->at + 1, .warp = warp});
	}
}

static void arrows(hd_trace_file *f, const hd_trace_warp *warp, const hd_trace_live *live)
{
	for (uint32_t left = f->program->slots[live->pc].inst.wait; left; left &= left - 1) {
		uint32_t raiser = warp->raiser_row[hd_lowest_bit(left)];
		if (raiser != NO_ROW && raiser != live->place)
			fprintf(f->out, "W\t%u\t%u\t0\n", live->place, raiser);
	}
}

static void close_waiting(hd_trace_file *f, hd_trace_warp *warp, const char *why)
{
	uint32_t row = waiting_row(f, warp);
	if (row == NO_ROW)
		return;
	fprintf(f->out, "L\t%u\t0\t(%s)\nE\t%u\t0\t%c\n", row, why, row, warp->stage);
	retire(f, row, true);
}

static void event(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	if (e->kind == HD_TRACE_LOST || e->kind == HD_TRACE_WAIT)
		return;
	catch_up(f, e->cycle);
	go_to(f, e->cycle);
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		warp->waiting = NO_ROW;
		memset(warp->raiser_row, 0xff, sizeof warp->raiser_row);
		keep(f, (pending){.due = e->cycle, .warp = warp});
		break;
	case HD_TRACE_END:
		close_waiting(f, warp, "the warp ended");
		break;
	case HD_TRACE_ISSUE:
		issued(f, e, warp, live);
		break;
	case HD_TRACE_ENTER:
		fprintf(f->out, "E\t%u\t0\tQ\nS\t%u\t0\tX\nL\t%u\t1\t\\nlanes that execute %08x\n", live->place, live->place, live->place, e->mask);
		arrows(f, warp, live);
		break;
	case HD_TRACE_DROP:
		fprintf(f->out, "E\t%u\t0\tQ\nL\t%u\t1\t\\n%s\n", live->place, live->place,
		        e->squashed ? "squashed: the branch before it went elsewhere" : "dropped: no lane executes it");
		arrows(f, warp, live);
		retire(f, live->place, true);
		break;
	case HD_TRACE_REPLAY:
		fprintf(f->out, "L\t%u\t1\t\\nreplayed in cycle %llu\n", live->place, (unsigned long long)e->cycle);
		break;
	case HD_TRACE_SKIP:
		for (unsigned r = e->reg; r < (unsigned)e->reg + e->words; r++)
			fprintf(f->out, "L\t%u\t1\t\\nlast use: r%u of instruction %u is not written\n", live->place, r, e->maker);
		break;
	case HD_TRACE_LATE:
		fprintf(f->out, "L\t%u\t1\t\\nlast use of r%u, which is written all the same\n", live->place, e->reg);
		break;
	case HD_TRACE_MEMORY:
		fprintf(f->out, "E\t%u\t0\tX\nS\t%u\t0\tM\n", live->place, live->place);
		break;
	case HD_TRACE_DONE:
		fprintf(f->out, "E\t%u\t0\t%c\n", live->place, live->accessed ? 'M' : 'X');
		retire(f, live->place, false);
		if (is_flow(f, e->pc) && warp->resident)
			keep(f, (pending){.due = e->cycle, .warp = warp});
		break;
	case HD_TRACE_DESCHEDULE: {
		uint32_t row = waiting_row(f, warp);
		bool fresh = row == NO_ROW;
		if (fresh)
			row = begin_row(f, warp, 0);
		else
			fprintf(f->out, "E\t%u\t0\t%c\n", row, warp->stage);
		fprintf(f->out, "S\t%u\t0\tD\nL\t%u\t1\tde-scheduled for", row, row);
		for (uint32_t left = e->counters; left; left &= left - 1)
			fprintf(f->out, " counter %u (%s)", hd_lowest_bit(left) + 1, hd_trace_label(f, warp->raiser[hd_lowest_bit(left)]));
		fprintf(f->out, "\\n\n");
		warp->waiting = row;
		warp->stage = 'D';
		break;
	}
	default:
		break;
	}
}

static void end(hd_trace_file *f)
{
	konata *k = f->state;
	catch_up(f, UINT64_MAX);
	/* Closes everything that the run left open, so that the file is complete. */
	for (size_t i = 0; i < (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS; i++) {
		hd_trace_warp *warp = &f->warps[i];
		for (size_t n = 0; n < warp->live.n; n++) {
			const hd_trace_live *live = &warp->live.at[n];
			fprintf(f->out, "L\t%u\t1\t\\nunder way when the trace ended\nE\t%u\t0\t%c\n", live->place, live->place,
			        live->accessed  ? 'M'
			        : live->entered ? 'X'
			                        : 'Q');
			retire(f, live->place, true);
		}
		close_waiting(f, warp, "not issued");
	}
	hd_vec_free(&k->pending);
	free(k);
}

bool hd_trace_konata(hd_trace_file *f, hd_diag *diag)
{
	f->state = hd_xcalloc(1, sizeof(konata));
	f->event = event;
	f->end = end;
	for (size_t i = 0; i < (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS; i++) {
		f->warps[i].waiting = NO_ROW;
		memset(f->warps[i].raiser_row, 0xff, sizeof f->warps[i].raiser_row);
	}
	fprintf(f->out, "Kanata\t0004\n");
	(void)diag;
	return true;
}
