/* Perfetto: Chrome's JSON trace events, which the Perfetto UI opens. A process is a core. A thread is a warp slot, with its warps and their waits
 * for counters. Below it, further threads ("lanes" of the display) show its instructions; there are as many as were under way at once, because
 * slices of one thread must nest. An instruction is a slice from issue to end, which contains slices for its queue, its pipe and memory. One
 * thread for each scheduler has the lost issue slots by cause. One microsecond on the screen is one cycle. */
#include "trace/trace_writer.h"

enum { SCHEDULER_TIDS = 4096, WARP_TIDS = 128 };

typedef struct stretch {
	uint64_t begin, end, slots; /* end: first cycle behind the stretch */
	uint32_t pc;
	uint8_t cause, slot;
} stretch;

typedef struct lanes {
	uint64_t used[2]; /* of WARP_TIDS */
	uint32_t named;   /* threads with a name: the slot's own and lanes */
} lanes;

typedef struct perfetto {
	bool any;
	bool *core_named; /* by core */
	lanes *lanes;     /* by warp slot */
	stretch *lost;    /* by core and scheduler: lost slots that are not written yet */
} perfetto;

/* Numbers are unique across processes and never 0, which has a meaning of its own for readers. */
static unsigned scheduler_tid(uint32_t core, unsigned scheduler)
{
	return (core + 1) * HD_MAX_SCHEDULERS * SCHEDULER_TIDS + scheduler * SCHEDULER_TIDS;
}
static unsigned tid_of(const hd_trace_event *e, unsigned lane) { return scheduler_tid(e->core, e->scheduler) + (e->slot + 1u) * WARP_TIDS + lane; }

/* Begins an event. */
static void item(hd_trace_file *f, const char *phase, uint32_t core, unsigned tid)
{
	perfetto *p = f->state;
	fprintf(f->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", p->any ? "," : "", phase, core + 1, tid);
	p->any = true;
}

static void name_thread(hd_trace_file *f, uint32_t core, unsigned tid, const char *name)
{
	item(f, "M", core, tid);
	fprintf(f->out, ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", name);
	item(f, "M", core, tid);
	fprintf(f->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", tid);
}

static void name_core(hd_trace_file *f, uint32_t core)
{
	perfetto *p = f->state;
	char name[48];
	if (p->core_named[core])
		return;
	p->core_named[core] = true;
	item(f, "M", core, scheduler_tid(core, 0));
	fprintf(f->out, ",\"name\":\"process_name\",\"args\":{\"name\":\"core %u\"}}", core);
	for (uint32_t s = 0; s < f->machine->machine_schedulers; s++) {
		snprintf(name, sizeof name, "scheduler %u: lost slots", s);
		if (hd_trace_wants(f, core, s, f->limits.slot))
			name_thread(f, core, scheduler_tid(core, s), name);
	}
}

/* Names the threads of the warp slot: its own, and lanes up to `lane`. */
static void name_lanes(hd_trace_file *f, const hd_trace_event *e, unsigned last)
{
	perfetto *p = f->state;
	lanes *l = &p->lanes[hd_trace_index(e)];
	char name[64];
	name_core(f, e->core);
	for (; l->named <= last; l->named++) {
		snprintf(name, sizeof name, l->named ? "s%u w%02u instructions %u" : "s%u w%02u", e->scheduler, e->slot, l->named);
		name_thread(f, e->core, tid_of(e, l->named), name);
	}
}

/* A lane without an instruction under way. Instructions beyond the lanes share the last one. */
static unsigned take_lane(lanes *l)
{
	for (unsigned i = 1; i < WARP_TIDS - 1; i++) {
		if (l->used[i / 64] >> (i % 64) & 1)
			continue;
		l->used[i / 64] |= UINT64_C(1) << (i % 64);
		return i;
	}
	return WARP_TIDS - 1;
}

static void slice(hd_trace_file *f, const hd_trace_event *e, unsigned tid, uint64_t from, uint64_t to, const char *name)
{
	item(f, "X", e->core, tid);
	fprintf(f->out, ",\"ts\":%llu,\"dur\":%llu,\"name\":\"%s\"", (unsigned long long)from, (unsigned long long)(to - from), name);
}

/* Labels are ASCII without quotes and backslashes, except file names, which are escaped here. */
static void escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			fputc('?', out);
		else
			fputc(*text, out);
	}
}

static void instruction(hd_trace_file *f, const hd_trace_event *e, const hd_trace_live *live)
{
	perfetto *p = f->state;
	unsigned tid = tid_of(e, live->place);
	const hd_slot *slot = &f->program->slots[live->pc];
	bool nop = slot->pipe == HD_PIPE_NONE, dropped = e->kind == HD_TRACE_DROP, whole = dropped || e->kind == HD_TRACE_DONE;
	uint64_t end = nop ? live->issued + 1 : e->cycle;
	const char *file;
	uint32_t line, column;
	slice(f, e, tid, live->issued, end, hd_trace_label(f, live->pc));
	fprintf(f->out, ",\"cat\":\"instruction\",\"args\":{\"number\":%u,\"pc\":%u,\"lanes\":\"%08x\",\"issued\":%llu", live->number, live->pc,
	        live->mask, (unsigned long long)live->issued);
	if (live->entered)
		fprintf(f->out, ",\"%s\":%llu", e->squashed ? "squashed" : dropped ? "dropped" : "entered", (unsigned long long)live->entry);
	if (live->accessed)
		fprintf(f->out, ",\"accessed\":%llu", (unsigned long long)live->accessed);
	if (e->kind == HD_TRACE_DONE)
		fprintf(f->out, ",\"done\":%llu", (unsigned long long)e->cycle);
	if (hd_object_line(f->program->object, live->pc, &file, &line, &column)) {
		fprintf(f->out, ",\"source\":\"");
		escaped(f->out, strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
		fprintf(f->out, ":%u\"", line);
	}
	fprintf(f->out, "}}");
	if (!nop && (live->entered || !whole)) {
		char name[32];
		snprintf(name, sizeof name, "%s", hd_pipe_names[hd_machine_pipe(f->machine, (hd_class)slot->klass)]);
		slice(f, e, tid, live->issued, live->entered ? live->entry : e->cycle, "queue");
		fprintf(f->out, ",\"cat\":\"stage\"}");
		if (live->entered && !dropped) {
			uint64_t leaves = live->accessed ? live->accessed : e->cycle;
			slice(f, e, tid, live->entry, leaves, name);
			fprintf(f->out, ",\"cat\":\"stage\"}");
			if (live->accessed) {
				slice(f, e, tid, live->accessed, e->cycle, "memory");
				fprintf(f->out, ",\"cat\":\"stage\"}");
			}
		}
	}
	lanes *l = &p->lanes[hd_trace_index(e)];
	l->used[live->place / 64] &= ~(UINT64_C(1) << (live->place % 64));
}

static void write_lost(hd_trace_file *f, uint32_t core, unsigned scheduler)
{
	perfetto *p = f->state;
	stretch *s = &p->lost[core * HD_MAX_SCHEDULERS + scheduler];
	hd_trace_event e = {.core = core};
	if (s->end == s->begin)
		return;
	name_core(f, core);
	slice(f, &e, scheduler_tid(core, scheduler), s->begin, s->end, hd_stalls[s->cause].label);
	fprintf(f->out, ",\"cat\":\"lost\",\"args\":{\"slots\":%llu", (unsigned long long)s->slots);
	if (s->slot != HD_TRACE_NO_WARP)
		fprintf(f->out, ",\"warp_slot\":%u,\"instruction\":\"%s\"", s->slot, hd_trace_label(f, s->pc));
	fprintf(f->out, "}}");
	s->begin = s->end = s->slots = 0;
}

static void lost(hd_trace_file *f, const hd_trace_event *e)
{
	perfetto *p = f->state;
	stretch *s = &p->lost[e->core * HD_MAX_SCHEDULERS + e->scheduler];
	if (s->end != s->begin && s->end == e->cycle && s->cause == e->cause && s->slot == e->slot && s->pc == e->pc) {
		s->end += e->cycles;
		s->slots += e->slots;
		return;
	}
	if (s->end != s->begin && e->cycle < s->end) { /* a second cause in the same cycle: the cycle shows the first one */
		return;
	}
	write_lost(f, e->core, e->scheduler);
	*s = (stretch){e->cycle, e->cycle + e->cycles, e->slots, e->pc, e->cause, e->slot};
}

/* Shows the warp from `cycle` on. */
static void resident(hd_trace_file *f, const hd_trace_event *e, const hd_trace_warp *warp, uint64_t cycle)
{
	name_lanes(f, e, 0);
	item(f, "B", e->core, tid_of(e, 0));
	fprintf(f->out, ",\"ts\":%llu,\"cat\":\"warp\",\"name\":\"warp %u of CTA (%u,%u,%u)\"}", (unsigned long long)cycle, warp->warp, warp->cta[0],
	        warp->cta[1], warp->cta[2]);
}

static void descheduled(hd_trace_file *f, const hd_trace_event *e, const hd_trace_warp *warp, uint64_t until)
{
	uint64_t from = hd_max_u64(warp->descheduled_at, f->limits.first);
	name_lanes(f, e, 0);
	item(f, "X", e->core, tid_of(e, 0));
	fprintf(f->out, ",\"ts\":%llu,\"dur\":%llu,\"cat\":\"warp\",\"name\":\"de-scheduled\",\"args\":{\"before\":\"%s\"", (unsigned long long)from,
	        (unsigned long long)(until - from), hd_trace_label(f, warp->descheduled_pc));
	for (uint32_t left = warp->counters; left; left &= left - 1)
		fprintf(f->out, ",\"counter %u raised by\":\"%s\"", hd_lowest_bit(left) + 1, hd_trace_label(f, warp->raiser[hd_lowest_bit(left)]));
	fprintf(f->out, "}}");
}

/* Writes the warp's wait up to cycle `until`. */
static void waited(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, uint64_t until)
{
	uint64_t from = hd_max_u64(warp->wait_since, f->limits.first);
	if (!warp->wait || from >= until)
		return;
	slice(f, e, tid_of(e, 0), from, until, hd_stalls[warp->wait - 1].label);
	fprintf(f->out, ",\"cat\":\"wait\",\"args\":{\"before\":\"%s\"}}", hd_trace_label(f, warp->wait_pc));
	warp->wait = 0;
}

/* A warp that began before the first cycle is shown from the first cycle on. */
static void was_there(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp)
{
	if (!warp || warp->waiting || !warp->since)
		return;
	warp->waiting = 1;
	resident(f, e, warp, hd_max_u64(warp->since, f->limits.first));
}

/* HZ-31: a graph of all fence counters of the warp. */
static void counter(hd_trace_file *f, const hd_trace_event *e, const hd_trace_warp *warp)
{
	item(f, "C", e->core, tid_of(e, 0));
	fprintf(f->out, ",\"ts\":%llu,\"name\":\"s%u w%02u fence counters\",\"args\":{", (unsigned long long)e->cycle, e->scheduler, e->slot);
	for (unsigned i = 0; i < f->machine->fence_counters; i++)
		fprintf(f->out, "%s\"%u\":%u", i ? "," : "", i + 1, (unsigned)(i + 1 == e->counter ? e->value : warp->fence[i]));
	fprintf(f->out, "}}");
}

/* RC-24: a mark in the thread of the warp. */
static void flow_state(hd_trace_file *f, const hd_trace_event *e)
{
	uint32_t same;
	bool any = false;
	item(f, "i", e->core, tid_of(e, 0));
	fprintf(f->out, ",\"s\":\"t\",\"ts\":%llu,\"cat\":\"flow\",\"name\":\"flow\",\"args\":{\"active\":\"%08x\",\"members\":\"%08x\",\"depth\":%u",
	        (unsigned long long)e->cycle, e->mask, e->members, e->depth);
	if (e->minrc != HD_TRACE_NO_ADDRESS)
		fprintf(f->out, ",\"minrc\":\"L%u\"", e->minrc);
	fprintf(f->out, ",\"waiting\":{");
	for (uint32_t left = hd_trace_waiting(e->resume); left; left &= ~same) {
		same = hd_trace_same_resume(e->resume, left);
		fprintf(f->out, "%s\"L%u\":\"%08x\"", any ? "," : "", e->resume[hd_lowest_bit(same)], same);
		any = true;
	}
	fprintf(f->out, "}}}");
}

/* Registers of a result that are written, or left out. */
static void result(hd_trace_file *f, const hd_trace_event *e)
{
	static const char *const what[] = {[HD_TRACE_SKIP] = "last use", [HD_TRACE_REPLACED] = "replaced", [HD_TRACE_REGISTERS] = "written"};
	for (unsigned r = e->reg; r < (unsigned)e->reg + e->words; r++) {
		item(f, "i", e->core, tid_of(e, 0));
		fprintf(f->out, ",\"s\":\"t\",\"ts\":%llu,\"cat\":\"result\",\"name\":\"r%u %s\",\"args\":{\"maker\":%u,\"lanes\":\"%08x\"}}",
		        (unsigned long long)e->cycle, r, what[e->kind], e->maker, e->mask);
	}
}

static void event(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	perfetto *p = f->state;
	switch (e->kind) {
	case HD_TRACE_LOST:
		lost(f, e);
		return;
	case HD_TRACE_BEGIN:
		warp->waiting = 0;
		was_there(f, e, warp);
		return;
	case HD_TRACE_WAIT:
		was_there(f, e, warp);
		waited(f, e, warp, e->cycle);
		return;
	case HD_TRACE_END:
		was_there(f, e, warp);
		waited(f, e, warp, e->cycle);
		item(f, "E", e->core, tid_of(e, 0));
		fprintf(f->out, ",\"ts\":%llu}", (unsigned long long)e->cycle);
		warp->waiting = 0;
		return;
	case HD_TRACE_ISSUE:
		was_there(f, e, warp);
		if (warp->descheduled)
			descheduled(f, e, warp, e->cycle);
		live->place = take_lane(&p->lanes[hd_trace_index(e)]);
		name_lanes(f, e, live->place);
		if (f->program->slots[e->pc].pipe == HD_PIPE_NONE)
			instruction(f, e, live);
		return;
	case HD_TRACE_COUNTER:
		was_there(f, e, warp);
		counter(f, e, warp);
		return;
	case HD_TRACE_FLOW:
		was_there(f, e, warp);
		flow_state(f, e);
		return;
	case HD_TRACE_DROP:
	case HD_TRACE_DONE:
		instruction(f, e, live);
		return;
	case HD_TRACE_REPLAY:
		item(f, "i", e->core, tid_of(e, live->place));
		fprintf(f->out, ",\"s\":\"t\",\"ts\":%llu,\"cat\":\"replay\",\"name\":\"replay\",\"args\":{\"number\":%u,\"pc\":%u}}",
		        (unsigned long long)e->cycle, e->number, e->pc);
		return;
	case HD_TRACE_SKIP:
	case HD_TRACE_REPLACED:
	case HD_TRACE_REGISTERS:
		was_there(f, e, warp);
		result(f, e);
		return;
	default:
		return;
	}
}

static void end(hd_trace_file *f)
{
	perfetto *p = f->state;
	for (uint32_t core = 0; core < f->cores; core++)
		for (unsigned s = 0; s < HD_MAX_SCHEDULERS; s++)
			write_lost(f, core, s);
	/* Extends instructions and warps that are still open to the last known cycle. */
	for (size_t i = 0; i < (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS; i++) {
		hd_trace_event e = {.kind = HD_TRACE_LOST,
		                    .cycle = f->now + 1,
		                    .core = (uint32_t)(i / HD_WARP_SLOTS / HD_MAX_SCHEDULERS),
		                    .scheduler = (uint8_t)(i / HD_WARP_SLOTS % HD_MAX_SCHEDULERS),
		                    .slot = (uint8_t)(i % HD_WARP_SLOTS)};
		for (size_t n = 0; n < f->warps[i].live.n; n++)
			instruction(f, &e, &f->warps[i].live.at[n]);
		if (!f->warps[i].waiting)
			continue;
		waited(f, &e, &f->warps[i], f->now + 1);
		item(f, "E", e.core, tid_of(&e, 0));
		fprintf(f->out, ",\"ts\":%llu}", (unsigned long long)(f->now + 1));
	}
	fprintf(f->out, "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"time\":\"1 us is 1 cycle\"}}\n");
	free(p->core_named);
	free(p->lanes);
	free(p->lost);
	free(p);
}

bool hd_trace_perfetto(hd_trace_file *f, hd_diag *diag)
{
	perfetto *p = hd_xcalloc(1, sizeof *p);
	size_t warps = (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS;
	p->core_named = hd_xcalloc(f->cores, sizeof *p->core_named);
	p->lanes = hd_xcalloc(warps, sizeof *p->lanes);
	p->lost = hd_xcalloc((size_t)f->cores * HD_MAX_SCHEDULERS, sizeof *p->lost);
	f->state = p;
	f->event = event;
	f->end = end;
	fprintf(f->out, "{\"traceEvents\":[");
	(void)diag;
	return true;
}
