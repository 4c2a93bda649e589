#include "trace/gzip.h"
#include "trace/trace_writer.h"

#include <errno.h>

enum { BUFFER = 1 << 18 };

const hd_trace_limits hd_trace_no_limits = {0, UINT64_MAX, HD_TRACE_ALL, HD_TRACE_ALL, HD_TRACE_ALL, HD_TRACE_PAGE_BYTES};

/* -- options -------------------------------------------------------------------------------------------------------------------------- */

bool hd_trace_parse_cycles(hd_trace_limits *limits, const char *text)
{
	uint64_t first = 0, last = UINT64_MAX;
	const char *at = text;
	if (*at != ':' && *at != '.' && !hd_take_number(&at, UINT64_MAX - 1, &first))
		return false;
	size_t between = *at == ':' ? 1 : strncmp(at, "..", 2) == 0 ? 2 : 0;
	if (!between || strlen(text) == between)
		return false;
	at += between;
	if ((*at && !hd_take_number(&at, UINT64_MAX - 1, &last)) || *at || first > last)
		return false;
	limits->first = first;
	limits->last = last;
	return true;
}

bool hd_trace_parse_core(hd_trace_limits *limits, const char *text)
{
	uint64_t core;
	if (!hd_take_number(&text, UINT32_MAX - 1, &core) || *text)
		return false;
	limits->core = (uint32_t)core;
	return true;
}

bool hd_trace_parse_warp(hd_trace_limits *limits, const char *text)
{
	uint64_t scheduler = HD_TRACE_ALL, slot;
	if (!hd_take_number(&text, UINT32_MAX - 1, &slot))
		return false;
	if (*text == '.') {
		scheduler = slot;
		text++;
		if (!hd_take_number(&text, UINT32_MAX - 1, &slot))
			return false;
	}
	if (*text || slot >= HD_WARP_SLOTS || (scheduler != HD_TRACE_ALL && scheduler >= HD_MAX_SCHEDULERS))
		return false;
	limits->scheduler = (uint32_t)scheduler;
	limits->slot = (uint32_t)slot;
	return true;
}

bool hd_trace_parse(const char *text, hd_trace_format *format, const char **path)
{
	static const char *const kinds[] = {[HD_TRACE_KONATA] = "konata:",
	                                    [HD_TRACE_PERFETTO] = "perfetto:",
	                                    [HD_TRACE_VCD] = "vcd:",
	                                    [HD_TRACE_STAGES] = "stages:",
	                                    [HD_TRACE_EXPLORE] = "explore:"};
	for (unsigned i = 0; i < HD_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i]);
		if (strncmp(text, kinds[i], n) != 0 || !text[n])
			continue;
		*format = (hd_trace_format)i;
		*path = text + n;
		return true;
	}
	return false;
}

/* -- events --------------------------------------------------------------------------------------------------------------------------- */

bool hd_trace_wants(const hd_trace_file *f, uint32_t core, uint32_t scheduler, uint32_t slot)
{
	const hd_trace_limits *l = &f->limits;
	return (l->core == HD_TRACE_ALL || l->core == core) && (l->scheduler == HD_TRACE_ALL || l->scheduler == scheduler) &&
	       (l->slot == HD_TRACE_ALL || l->slot == slot);
}

const char *hd_trace_label(hd_trace_file *f, uint32_t pc)
{
	static const char none[] = "?";
	if (pc >= f->program->n_slots)
		return none;
	if (!f->labels[pc]) {
		hd_text text = {0};
		hd_text_printf(&text, "L%u ", pc);
		hd_inst_print(&text, &f->program->slots[pc].inst);
		f->labels[pc] = text.at;
	}
	return f->labels[pc];
}

static hd_trace_live *find(hd_trace_warp *warp, uint32_t number)
{
	for (size_t i = 0; i < warp->live.n; i++)
		if (warp->live.at[i].number == number)
			return &warp->live.at[i];
	return NULL;
}

static hd_trace_live *issue(hd_trace_file *f, hd_trace_warp *warp, const hd_trace_event *e)
{
	uint32_t primary = e->pc < f->program->n_slots ? f->program->slots[e->pc].inst.primary : 0;
	if (primary)
		warp->raiser[primary - 1] = e->pc;
	if (!hd_trace_in_range(f, e->cycle))
		return NULL;
	hd_vec_push(&warp->live, (hd_trace_live){.number = e->number, .pc = e->pc, .mask = e->mask, .issued = e->cycle});
	return &warp->live.at[warp->live.n - 1];
}

static bool is_nop(const hd_trace_file *f, uint32_t pc) { return pc < f->program->n_slots && f->program->slots[pc].pipe == HD_PIPE_NONE; }

static void forget(hd_trace_warp *warp, hd_trace_live *live) { *live = warp->live.at[--warp->live.n]; }

static void begins(hd_trace_warp *warp, const hd_trace_event *e)
{
	warp->resident = true;
	warp->descheduled = false;
	warp->wait = 0;
	warp->since = e->cycle;
	warp->warp = e->warp;
	memcpy(warp->cta, e->cta, sizeof warp->cta);
	memset(warp->raiser, 0, sizeof warp->raiser);
}

uint32_t hd_trace_waiting(const uint32_t resume[HD_LANES])
{
	uint32_t lanes = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		lanes |= (uint32_t)(resume[lane] != HD_TRACE_NO_ADDRESS) << lane;
	return lanes;
}

uint32_t hd_trace_same_resume(const uint32_t resume[HD_LANES], uint32_t lanes)
{
	uint32_t same = 0, address = resume[hd_lowest_bit(lanes)];
	for (uint32_t left = lanes; left; left &= left - 1)
		if (resume[hd_lowest_bit(left)] == address)
			same |= left & -left;
	return same;
}

static void keep_wait(hd_trace_warp *warp, const hd_trace_event *e)
{
	warp->wait = e->cause == HD_STALL_COUNT ? 0 : e->cause + 1;
	warp->wait_since = e->cycle;
	warp->wait_pc = e->pc;
}

static void keep_flow(hd_trace_warp *warp, const hd_trace_event *e)
{
	warp->flow = (hd_trace_flow){.active = e->mask, .minrc = e->minrc, .members = e->members, .depth = e->depth};
	memcpy(warp->flow.resume, e->resume, sizeof warp->flow.resume);
}

static void hand_on(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	if (e->kind != HD_TRACE_LOST)
		f->now = e->cycle;
	f->event(f, e, warp, live);
}

/* An event of an instruction under way. Instructions that were issued outside of the limits are unknown here. */
static void of_instruction(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp)
{
	hd_trace_live *live = find(warp, e->number);
	if (!live)
		return;
	if (e->kind == HD_TRACE_ENTER || e->kind == HD_TRACE_DROP) {
		live->entered = true;
		live->entry = e->cycle;
		live->mask = e->mask;
	} else if (e->kind == HD_TRACE_MEMORY) {
		if (live->accessed) /* a later pass of an access in several passes (PD-16), whose replay was an event */
			return;
		live->accessed = e->cycle;
	}
	hand_on(f, e, warp, live);
	if (e->kind == HD_TRACE_DROP || e->kind == HD_TRACE_DONE)
		forget(warp, live);
}

/* The part of a stretch of lost slots that lies within the limits. */
static void lost(hd_trace_file *f, const hd_trace_event *e)
{
	hd_trace_event part = *e;
	uint64_t end = e->cycle + e->cycles - 1, each = e->slots / e->cycles;
	if (end < f->limits.first || e->cycle > f->limits.last || (e->slot == HD_TRACE_NO_WARP && f->limits.slot != HD_TRACE_ALL))
		return;
	if (part.cycle < f->limits.first)
		part.cycle = f->limits.first;
	if (end > f->limits.last)
		end = f->limits.last;
	part.cycles = end - part.cycle + 1;
	part.slots = part.cycles * each;
	hand_on(f, &part, e->slot == HD_TRACE_NO_WARP ? NULL : &f->warps[hd_trace_index(e)], NULL);
}

static void note_issue(hd_trace_file *f, const hd_trace_event *e)
{
	if (e->kind != HD_TRACE_ISSUE)
		return;
	f->issued += hd_trace_in_range(f, e->cycle) && hd_trace_wants(f, e->core, e->scheduler, e->slot);
	f->last_issue = hd_max_u64(e->cycle, f->last_issue);
}

static void event(hd_trace *trace, const hd_trace_event *e)
{
	hd_trace_file *f = (hd_trace_file *)trace;
	note_issue(f, e);
	if (f->watch) {
		f->watch(f, e);
		return;
	}
	if (!hd_trace_wants(f, e->core, e->scheduler, e->slot == HD_TRACE_NO_WARP ? f->limits.slot : e->slot))
		return;
	if (e->kind == HD_TRACE_LOST) {
		lost(f, e);
		return;
	}
	hd_trace_warp *warp = &f->warps[hd_trace_index(e)];
	hd_trace_live *live = NULL;
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		begins(warp, e);
		break;
	case HD_TRACE_END:
		warp->resident = false;
		break;
	case HD_TRACE_COUNTER:
		if (hd_trace_in_range(f, e->cycle))
			hand_on(f, e, warp, NULL);
		warp->fence[e->counter - 1] = e->value;
		return;
	case HD_TRACE_WAIT:
		if (hd_trace_in_range(f, e->cycle))
			hand_on(f, e, warp, NULL);
		keep_wait(warp, e);
		return;
	case HD_TRACE_FLOW:
		if (hd_trace_in_range(f, e->cycle))
			hand_on(f, e, warp, NULL);
		keep_flow(warp, e);
		return;
	case HD_TRACE_DESCHEDULE:
		warp->descheduled = true;
		warp->descheduled_at = e->cycle;
		warp->descheduled_pc = e->pc;
		warp->counters = e->counters;
		break;
	case HD_TRACE_ISSUE:
		live = issue(f, warp, e);
		if (live) {
			hand_on(f, e, warp, live);
			if (is_nop(f, e->pc))
				forget(warp, find(warp, e->number));
		}
		warp->descheduled = false;
		return;
	case HD_TRACE_READ:
	case HD_TRACE_NARROW:
	case HD_TRACE_WRITE:
	case HD_TRACE_ACCESS:
	case HD_TRACE_ARRIVE:
	case HD_TRACE_RELEASE: /* no format shows them */
		return;
	case HD_TRACE_REGISTERS:
	case HD_TRACE_REPLACED:
		break;
	default:
		of_instruction(f, e, warp);
		return;
	}
	if (hd_trace_in_range(f, e->cycle))
		hand_on(f, e, warp, NULL);
}

/* -- open and close --------------------------------------------------------------------------------------------------------------------- */

static void release(hd_trace_file *f)
{
	for (uint32_t i = 0; i < f->program->n_slots; i++)
		free(f->labels[i]);
	for (size_t i = 0; i < (size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS; i++)
		hd_vec_free(&f->warps[i].live);
	free(f->labels);
	free(f->warps);
	free(f);
}

/* False when something could not be written. */
static bool end_stream(hd_trace_file *f)
{
	bool ok = fflush(f->out) == 0 && !ferror(f->out);
	if (f->out != f->under)
		ok = fclose(f->out) == 0 && fflush(f->under) == 0 && !ferror(f->under) && ok;
	return ok;
}

hd_trace_file *hd_trace_open(hd_trace_format format, FILE *out, const char *path, const hd_trace_limits *limits, const hd_machine *machine,
                             const hd_program *program, hd_diag *diag)
{
	static bool (*const writers[])(hd_trace_file *, hd_diag *) = {
	    [HD_TRACE_KONATA] = hd_trace_konata, [HD_TRACE_PERFETTO] = hd_trace_perfetto, [HD_TRACE_VCD] = hd_trace_vcd,
	    [HD_TRACE_STAGES] = hd_trace_stages, [HD_TRACE_EXPLORE] = hd_trace_explore,   [HD_TRACE_EXPLORE_PART] = hd_trace_explore,
	};
	hd_trace_file *f = hd_xcalloc(1, sizeof *f);
	f->trace.event = event;
	f->format = format;
	f->path = path;
	f->machine = machine;
	f->program = program;
	f->limits = limits ? *limits : hd_trace_no_limits;
	f->cores = hd_machine_cores(machine);
	f->labels = hd_xcalloc((size_t)program->n_slots + 1, sizeof *f->labels);
	f->warps = hd_xcalloc((size_t)f->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS, sizeof *f->warps);
	f->under = out;
	f->out = hd_ends_with(path, ".gz") ? hd_gzip_open(out) : out;
	if (!f->out) {
		hd_error(diag, (hd_pos){.file = path}, "cannot be compressed: %s", strerror(errno));
		release(f);
		return NULL;
	}
	setvbuf(f->out, NULL, _IOFBF, BUFFER);
	if (writers[format](f, diag))
		return f;
	end_stream(f);
	release(f);
	return NULL;
}

void hd_trace_input(hd_trace_file *file, const char *path, const char *text)
{
	if (!file)
		return;
	file->input = path;
	file->input_text = text;
}

void hd_trace_message(hd_trace_file *file, const char *message)
{
	if (file)
		file->message = message;
}

hd_trace *hd_trace_watcher(hd_trace_file *file) { return &file->trace; }

/* Limits that leave nothing are a mistake more often than not. */
static void warn_of_nothing(const hd_trace_file *f, hd_diag *diag)
{
	const hd_trace_limits *l = &f->limits;
	bool some = l->core != HD_TRACE_ALL || l->scheduler != HD_TRACE_ALL || l->slot != HD_TRACE_ALL;
	if (f->issued || !f->last_issue || (!some && l->first == 0 && l->last == UINT64_MAX))
		return;
	hd_text_printf(&diag->text, "%s: warning: the trace has no instruction: none was issued ", f->path);
	if (l->last == UINT64_MAX)
		hd_text_printf(&diag->text, "from cycle %llu on", (unsigned long long)l->first);
	else
		hd_text_printf(&diag->text, "in cycles %llu to %llu", (unsigned long long)l->first, (unsigned long long)l->last);
	hd_text_printf(&diag->text, "%s; the run issued its last one in cycle %llu\n", some ? " in the chosen warp slots" : "",
	               (unsigned long long)f->last_issue);
}

bool hd_trace_close(hd_trace_file *f, hd_diag *diag)
{
	if (!f)
		return true;
	f->end(f);
	warn_of_nothing(f, diag);
	bool ok = end_stream(f);
	if (!ok)
		hd_error(diag, (hd_pos){.file = f->path}, "cannot be written to its end: %s", strerror(errno));
	release(f);
	return ok;
}

static void to_all(hd_trace *trace, const hd_trace_event *e)
{
	const hd_watchers *w = (const hd_watchers *)trace;
	for (unsigned i = 0; i < w->n; i++)
		w->at[i]->event(w->at[i], e);
}

void hd_watchers_add(hd_watchers *watchers, hd_trace *trace)
{
	if (!watchers->trace.units)
		watchers->trace.units = trace->units;
	hd_invariant(watchers->n < HD_WATCHERS_MAX, "%u watchers", watchers->n);
	watchers->trace.event = to_all;
	watchers->at[watchers->n++] = trace;
}
