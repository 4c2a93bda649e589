/* VCD (IEEE 1364-2005, chapter 18): one time unit is one cycle. The scopes heddle.coreC.schedulerS hold the instructions issued in a cycle (by
 * port: the first, the second instruction of the cycle), one wire for each cause of lost slots, the numbers of registers that are written and left
 * out, a scope for each pipe (entry, memory access, results) and a scope for each warp slot. A wire that marks an event is 1 in its cycle. The values
 * of a cycle are collected and written when the next cycle begins. */
#include "trace/trace_writer.h"

enum { CORES_MAX = 16, ISSUE_PORTS_MAX = 16, DONE_FIXED = 3, DONE_MEMORY = 8, NO_VARIABLE = UINT32_MAX };

typedef struct variable {
	uint32_t value, written;
	uint8_t bits;
	bool dirty, strobe;
} variable;

/* First variables of groups. The members of a group follow in the order of these enumerations. */
enum { ISSUE_VALID, ISSUE_WARP, ISSUE_PC, ISSUE_NUMBER, ISSUE_LANES, ISSUE_SIZE };
enum { PIPE_FLIGHT, PIPE_ENTER, PIPE_DROP, PIPE_WARP, PIPE_PC, PIPE_NUMBER, PIPE_LANES, PIPE_ACCESS, PIPE_ACCESS_NUMBER, PIPE_DONE_COUNT, PIPE_SIZE };
enum { RESULT_WRITTEN, RESULT_LEFT_OUT };
enum { DONE_VALID, DONE_NUMBER, DONE_SIZE };
enum {
	WARP_RESIDENT,
	WARP_PC,
	WARP_LANES,
	WARP_FLIGHT,
	WARP_DESCHEDULED,
	WARP_WAITS,
	WARP_WAIT,
	WARP_ACTIVE,
	WARP_MEMBERS,
	WARP_MINRC,
	WARP_DEPTH,
	WARP_SIZE
};

typedef struct scheduler {
	uint32_t lost;    /* HD_STALL_COUNT wires */
	uint32_t results; /* numbers of registers: written, left out */
	uint32_t issue, pipe[HD_PIPE_COUNT], done[HD_PIPE_COUNT], warp[HD_WARP_SLOTS];
	uint32_t resume[HD_WARP_SLOTS]; /* a variable for each lane */
	uint32_t fence[HD_WARP_SLOTS];  /* a variable for each fence counter */
	uint32_t resident;
	uint32_t replay;                                    /* a wire and a number for each slot of a cycle */
	unsigned issued, replayed, finished[HD_PIPE_COUNT]; /* in this cycle */
} scheduler;

typedef struct vcd {
	HD_VEC(variable) variables;
	HD_VEC(uint32_t) dirty, strobes; /* strobes: 1 in this cycle */
	scheduler *schedulers;           /* by core, scheduler */
	unsigned ports;
	bool begun;
	uint64_t at;
} vcd;

/* -- variables ---------------------------------------------------------------------------------------------------------------------------- */

/* An identifier code is the number of the variable, in printable characters. */
static const char *code(uint32_t index, char text[8])
{
	unsigned n = 0;
	do {
		text[n++] = (char)('!' + index % 94);
		index /= 94;
	} while (index && n < 7);
	text[n] = '\0';
	return text;
}

static uint32_t declare(hd_trace_file *f, unsigned bits, bool strobe, const char *name)
{
	vcd *v = f->state;
	char text[8], range[16] = "";
	if (bits > 1)
		snprintf(range, sizeof range, " [%u:0]", bits - 1);
	fprintf(f->out, "$var wire %u %s %s%s $end\n", bits, code((uint32_t)v->variables.n, text), name, range);
	hd_vec_push(&v->variables, (variable){.bits = (uint8_t)bits, .strobe = strobe});
	return (uint32_t)v->variables.n - 1;
}

static void scope(hd_trace_file *f, const char *format, unsigned number)
{
	fprintf(f->out, "$scope module ");
	fprintf(f->out, format, number);
	fprintf(f->out, " $end\n");
}

static void leave(hd_trace_file *f) { fprintf(f->out, "$upscope $end\n"); }

static void put(hd_trace_file *f, uint32_t index)
{
	vcd *v = f->state;
	variable *x = &v->variables.at[index];
	char name[8], digits[33];
	x->written = x->value;
	if (x->bits == 1) {
		fprintf(f->out, "%u%s\n", x->value, code(index, name));
		return;
	}
	unsigned n = 0;
	for (int bit = 31; bit >= 0; bit--)
		if (n || x->value >> bit & 1 || bit == 0)
			digits[n++] = (char)('0' + (x->value >> bit & 1));
	digits[n] = '\0';
	fprintf(f->out, "b%s %s\n", digits, code(index, name));
}

static void set(hd_trace_file *f, uint32_t index, uint32_t value)
{
	vcd *v = f->state;
	variable *x = &v->variables.at[index];
	if (x->strobe && value && !x->value)
		hd_vec_push(&v->strobes, index);
	x->value = value;
	if (x->dirty || value == x->written)
		return;
	x->dirty = true;
	hd_vec_push(&v->dirty, index);
}

static uint32_t get(const hd_trace_file *f, uint32_t index) { return ((const vcd *)f->state)->variables.at[index].value; }

/* -- time --------------------------------------------------------------------------------------------------------------------------------- */

static void write_cycle(hd_trace_file *f)
{
	vcd *v = f->state;
	bool stamped = false;
	for (size_t i = 0; i < v->dirty.n; i++) {
		variable *x = &v->variables.at[v->dirty.at[i]];
		x->dirty = false;
		if (x->value == x->written)
			continue;
		if (!stamped)
			fprintf(f->out, "#%llu\n", (unsigned long long)v->at);
		stamped = true;
		put(f, v->dirty.at[i]);
	}
	v->dirty.n = 0;
}

static void new_cycle(hd_trace_file *f, uint64_t cycle)
{
	vcd *v = f->state;
	size_t n = v->strobes.n;
	v->at = cycle;
	v->strobes.n = 0;
	for (size_t i = 0; i < n; i++)
		set(f, v->strobes.at[i], 0);
	for (size_t i = 0; i < (size_t)f->cores * f->machine->machine_schedulers; i++) {
		v->schedulers[i].issued = v->schedulers[i].replayed = 0;
		memset(v->schedulers[i].finished, 0, sizeof v->schedulers[i].finished);
	}
}

static void comes(hd_trace_file *f, scheduler *s, unsigned slot)
{
	s->resident += !get(f, s->warp[slot] + WARP_RESIDENT);
	set(f, s->warp[slot] + WARP_RESIDENT, 1);
}

/* RC-24 */
static void flow_state(hd_trace_file *f, const scheduler *s, unsigned slot, const hd_trace_flow *flow)
{
	uint32_t w = s->warp[slot];
	set(f, w + WARP_ACTIVE, flow->active);
	set(f, w + WARP_MEMBERS, flow->members);
	set(f, w + WARP_MINRC, flow->minrc);
	set(f, w + WARP_DEPTH, flow->depth);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		set(f, s->resume[slot] + lane, flow->resume[lane]);
}

/* Writes the state before the first event, in the cycle before it, with the warps that began earlier. */
static void first_cycle(hd_trace_file *f, uint64_t cycle)
{
	vcd *v = f->state;
	const hd_machine *m = f->machine;
	for (uint32_t core = 0; core < f->cores; core++) {
		for (uint32_t i = 0; i < m->machine_schedulers * m->machine_warps; i++) {
			uint32_t s = i / m->machine_warps, slot = i % m->machine_warps;
			const hd_trace_warp *warp = &f->warps[(core * HD_MAX_SCHEDULERS + s) * HD_WARP_SLOTS + slot];
			if (warp->resident && warp->since < cycle) {
				comes(f, &v->schedulers[core * m->machine_schedulers + s], slot);
				flow_state(f, &v->schedulers[core * m->machine_schedulers + s], slot, &warp->flow);
				set(f, v->schedulers[core * m->machine_schedulers + s].warp[slot] + WARP_WAIT, warp->wait);
				for (unsigned n = 0; n < m->fence_counters; n++)
					set(f, v->schedulers[core * m->machine_schedulers + s].fence[slot] + n, warp->fence[n]);
			}
		}
	}
	v->begun = true;
	v->at = cycle ? cycle - 1 : 0;
	fprintf(f->out, "#%llu\n$dumpvars\n", (unsigned long long)v->at);
	for (uint32_t i = 0; i < v->variables.n; i++)
		put(f, i);
	fprintf(f->out, "$end\n");
}

static void go_to(hd_trace_file *f, uint64_t cycle)
{
	vcd *v = f->state;
	if (!v->begun)
		first_cycle(f, cycle);
	if (cycle <= v->at)
		return;
	write_cycle(f);
	if (v->strobes.n && cycle > v->at + 1) {
		new_cycle(f, v->at + 1);
		write_cycle(f);
	}
	new_cycle(f, cycle);
}

/* -- events ------------------------------------------------------------------------------------------------------------------------------ */

static scheduler *scheduler_of(hd_trace_file *f, const hd_trace_event *e)
{
	return &((vcd *)f->state)->schedulers[e->core * f->machine->machine_schedulers + e->scheduler];
}

static void no_slot_lost(hd_trace_file *f, const scheduler *s)
{
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		set(f, s->lost + i, 0);
}

static void issued(hd_trace_file *f, const hd_trace_event *e, scheduler *s, const hd_trace_warp *warp)
{
	const vcd *v = f->state;
	uint32_t w = s->warp[e->slot];
	if (s->issued == 0)
		no_slot_lost(f, s);
	if (s->issued < v->ports) {
		uint32_t port = s->issue + s->issued * ISSUE_SIZE;
		set(f, port + ISSUE_VALID, 1);
		set(f, port + ISSUE_WARP, e->slot);
		set(f, port + ISSUE_PC, e->pc);
		set(f, port + ISSUE_NUMBER, e->number);
		set(f, port + ISSUE_LANES, e->mask);
	}
	s->issued++;
	set(f, w + WARP_PC, e->pc);
	set(f, w + WARP_LANES, e->mask);
	set(f, w + WARP_DESCHEDULED, 0);
	set(f, w + WARP_WAITS, 0);
	if (f->program->slots[e->pc].pipe != HD_PIPE_NONE)
		set(f, w + WARP_FLIGHT, (uint32_t)warp->live.n);
}

static void entered(hd_trace_file *f, const hd_trace_event *e, scheduler *s, unsigned pipe)
{
	uint32_t p = s->pipe[pipe];
	set(f, p + (e->kind == HD_TRACE_DROP ? PIPE_DROP : PIPE_ENTER), 1);
	set(f, p + PIPE_WARP, e->slot);
	set(f, p + PIPE_PC, e->pc);
	set(f, p + PIPE_NUMBER, e->number);
	set(f, p + PIPE_LANES, e->mask);
	if (e->kind == HD_TRACE_ENTER)
		set(f, p + PIPE_FLIGHT, get(f, p + PIPE_FLIGHT) + 1);
}

static bool in_memory(unsigned pipe) { return pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM; }

static void done(hd_trace_file *f, const hd_trace_event *e, scheduler *s, unsigned pipe)
{
	uint32_t p = s->pipe[pipe];
	set(f, p + PIPE_FLIGHT, get(f, p + PIPE_FLIGHT) - 1);
	if (s->finished[pipe] < (in_memory(pipe) ? DONE_MEMORY : DONE_FIXED)) {
		uint32_t port = s->done[pipe] + s->finished[pipe] * DONE_SIZE;
		set(f, port + DONE_VALID, 1);
		set(f, port + DONE_NUMBER, e->number);
	}
	s->finished[pipe]++;
	set(f, p + PIPE_DONE_COUNT, s->finished[pipe]);
}

static void event(hd_trace_file *f, const hd_trace_event *e, hd_trace_warp *warp, hd_trace_live *live)
{
	vcd *v = f->state;
	scheduler *s = scheduler_of(f, e);
	unsigned pipe = live ? hd_machine_pipe(f->machine, (hd_class)f->program->slots[live->pc].klass) : 0;
	/* Lost slots of skipped cycles come afterwards. The wire of their cause has been 1 since the last cycle that was not skipped. */
	if (e->kind == HD_TRACE_LOST && v->begun && e->cycle < v->at)
		return;
	go_to(f, e->cycle);
	switch (e->kind) {
	case HD_TRACE_LOST:
		if (!s->issued)
			no_slot_lost(f, s);
		set(f, s->lost + e->cause, 1);
		return;
	case HD_TRACE_BEGIN:
		comes(f, s, e->slot);
		return;
	case HD_TRACE_END:
		if (s->resident && !--s->resident)
			no_slot_lost(f, s);
		set(f, s->warp[e->slot] + WARP_RESIDENT, 0);
		set(f, s->warp[e->slot] + WARP_WAIT, 0);
		return;
	case HD_TRACE_COUNTER:
		set(f, s->fence[e->slot] + e->counter - 1, e->value);
		return;
	case HD_TRACE_FLOW: {
		hd_trace_flow flow = {.active = e->mask, .minrc = e->minrc, .members = e->members, .depth = e->depth};
		memcpy(flow.resume, e->resume, sizeof flow.resume);
		flow_state(f, s, e->slot, &flow);
		return;
	}
	case HD_TRACE_DESCHEDULE:
		set(f, s->warp[e->slot] + WARP_DESCHEDULED, 1);
		set(f, s->warp[e->slot] + WARP_WAITS, e->counters);
		return;
	case HD_TRACE_WAIT:
		set(f, s->warp[e->slot] + WARP_WAIT, e->cause == HD_STALL_COUNT ? 0 : e->cause + 1u);
		return;
	case HD_TRACE_ISSUE:
		issued(f, e, s, warp);
		return;
	case HD_TRACE_ENTER:
		entered(f, e, s, pipe);
		return;
	case HD_TRACE_REPLAY:
		if (s->replayed < f->machine->predecode_issue_width) {
			set(f, s->replay + s->replayed * DONE_SIZE + DONE_VALID, 1);
			set(f, s->replay + s->replayed * DONE_SIZE + DONE_NUMBER, e->number);
		}
		s->replayed++;
		return;
	case HD_TRACE_MEMORY:
		set(f, s->pipe[pipe] + PIPE_ACCESS, 1);
		set(f, s->pipe[pipe] + PIPE_ACCESS_NUMBER, e->number);
		return;
	case HD_TRACE_REGISTERS:
		set(f, s->results + RESULT_WRITTEN, get(f, s->results + RESULT_WRITTEN) + e->words);
		return;
	case HD_TRACE_SKIP:
	case HD_TRACE_REPLACED:
		set(f, s->results + RESULT_LEFT_OUT, get(f, s->results + RESULT_LEFT_OUT) + e->words);
		return;
	case HD_TRACE_LATE:
		return;
	case HD_TRACE_DROP:
		entered(f, e, s, pipe);
		break;
	default:
		done(f, e, s, pipe);
		break;
	}
	set(f, s->warp[e->slot] + WARP_FLIGHT, (uint32_t)warp->live.n - 1);
}

/* -- the head ----------------------------------------------------------------------------------------------------------------------------- */

static void declare_pipe(hd_trace_file *f, scheduler *s, unsigned pipe)
{
	static const struct {
		const char *name;
		uint8_t bits, strobe;
	} members[PIPE_SIZE] = {{"in_flight", 8, 0}, {"enter", 1, 1},  {"drop", 1, 1},   {"warp", 4, 0},           {"pc", 32, 0},
	                        {"number", 32, 0},   {"lanes", 32, 0}, {"access", 1, 1}, {"access_number", 32, 0}, {"done_count", 5, 1}};
	char name[24];
	fprintf(f->out, "$scope module pipe_%s $end\n", hd_pipe_names[pipe]);
	for (unsigned i = 0; i < PIPE_SIZE; i++) {
		uint32_t index = declare(f, members[i].bits, members[i].strobe, members[i].name);
		if (i == 0)
			s->pipe[pipe] = index;
	}
	for (unsigned i = 0; i < (in_memory(pipe) ? DONE_MEMORY : DONE_FIXED); i++) {
		snprintf(name, sizeof name, "done%u", i);
		uint32_t index = declare(f, 1, true, name);
		if (i == 0)
			s->done[pipe] = index;
		snprintf(name, sizeof name, "done%u_number", i);
		declare(f, 32, false, name);
	}
	leave(f);
}

static void declare_warp(hd_trace_file *f, scheduler *s, unsigned slot)
{
	static const struct {
		const char *name;
		uint8_t bits;
	} members[WARP_SIZE] = {{"resident", 1}, {"pc", 32},     {"lanes", 32},   {"in_flight", 8}, {"descheduled", 1}, {"waits_for_counters", 16},
	                        {"waits", 5},    {"active", 32}, {"members", 32}, {"minrc", 32},    {"call_depth", 13}};
	scope(f, "warp%02u", slot);
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint32_t index = declare(f, members[i].bits, false, members[i].name);
		if (i == 0)
			s->warp[slot] = index;
	}
	for (unsigned i = 0; i < f->machine->fence_counters; i++) {
		char name[16];
		snprintf(name, sizeof name, "fence%u", i + 1);
		uint32_t index = declare(f, f->machine->fence_bits, false, name);
		if (i == 0)
			s->fence[slot] = index;
	}
	fprintf(f->out, "$scope module resume $end\n");
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		char name[16];
		snprintf(name, sizeof name, "lane%02u", lane);
		uint32_t index = declare(f, 32, false, name);
		if (lane == 0)
			s->resume[slot] = index;
	}
	leave(f);
	leave(f);
}

static void declare_scheduler(hd_trace_file *f, uint32_t core, uint32_t number)
{
	vcd *v = f->state;
	static const struct {
		const char *name;
		uint8_t bits, strobe;
	} members[ISSUE_SIZE] = {{"valid", 1, 1}, {"warp", 4, 0}, {"pc", 32, 0}, {"number", 32, 0}, {"lanes", 32, 0}};
	scheduler *s = &v->schedulers[core * f->machine->machine_schedulers + number];
	scope(f, "scheduler%u", number);
	for (unsigned port = 0; port < v->ports; port++) {
		scope(f, "issue%u", port);
		for (unsigned i = 0; i < ISSUE_SIZE; i++) {
			uint32_t index = declare(f, members[i].bits, members[i].strobe, members[i].name);
			if (i == 0 && port == 0)
				s->issue = index;
		}
		leave(f);
	}
	fprintf(f->out, "$scope module lost $end\n");
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		uint32_t index = declare(f, 1, false, hd_stalls[i].name);
		if (i == 0)
			s->lost = index;
	}
	leave(f);
	s->results = declare(f, 8, true, "registers_written");
	declare(f, 8, true, "registers_left_out");
	for (unsigned i = 0; i < f->machine->predecode_issue_width; i++) {
		char name[24];
		snprintf(name, sizeof name, "replay%u", i);
		uint32_t index = declare(f, 1, true, name);
		if (i == 0)
			s->replay = index;
		snprintf(name, sizeof name, "replay%u_number", i);
		declare(f, 32, false, name);
	}
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		declare_pipe(f, s, pipe);
	for (unsigned slot = 0; slot < f->machine->machine_warps; slot++)
		declare_warp(f, s, slot);
	leave(f);
}

static void end(hd_trace_file *f)
{
	vcd *v = f->state;
	if (!v->begun)
		first_cycle(f, f->limits.first);
	go_to(f, v->at + 1);
	write_cycle(f);
	fprintf(f->out, "#%llu\n", (unsigned long long)(v->at + 1)); /* the last values hold for one cycle, too */
	hd_vec_free(&v->variables);
	hd_vec_free(&v->dirty);
	hd_vec_free(&v->strobes);
	free(v->schedulers);
	free(v);
}

/* Number of instructions that a scheduler can issue in a cycle, up to the number of ports in the file. */
static unsigned issue_ports(const hd_machine *m)
{
	unsigned each = hd_machine_has_window(m) ? m->multi_issue_window : m->predecode_pair ? 2 : 1, n = m->predecode_issue_width * each;
	return hd_min_u32(n, ISSUE_PORTS_MAX);
}

bool hd_trace_vcd(hd_trace_file *f, hd_diag *diag)
{
	if (f->cores > CORES_MAX && f->limits.core == HD_TRACE_ALL) {
		hd_error(diag, (hd_pos){.file = f->path}, "a VCD file of %u cores would be too large, expected one core to be chosen (--trace-core)",
		         f->cores);
		return false;
	}
	vcd *v = hd_xcalloc(1, sizeof *v);
	v->schedulers = hd_xcalloc((size_t)f->cores * f->machine->machine_schedulers, sizeof *v->schedulers);
	v->ports = issue_ports(f->machine);
	f->state = v;
	f->event = event;
	f->end = end;
	fprintf(f->out, "$version Heddle $end\n$comment one time unit is one cycle $end\n$timescale 1 ns $end\n$scope module heddle $end\n");
	for (uint32_t core = 0; core < f->cores; core++) {
		if (!hd_trace_wants(f, core, f->limits.scheduler, f->limits.slot))
			continue;
		scope(f, "core%u", core);
		for (uint32_t s = 0; s < f->machine->machine_schedulers; s++)
			declare_scheduler(f, core, s);
		leave(f);
	}
	leave(f);
	fprintf(f->out, "$enddefinitions $end\n");
	return true;
}
