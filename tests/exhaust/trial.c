#include "trial.h"

#include "device/device.h"
#include "interp/interp.h"

const char *const cause_names[CAUSES] = {
    [CAUSE_COUNTER] = "counter of the other set",
    [CAUSE_TYPE] = "hint of another type",
    [CAUSE_LAST_USE] = "last use without effect",
    [CAUSE_CALL] = "the callee does not need it",
    [CAUSE_FENCE] = "nobody reads too early behind the fence",
    [CAUSE_GUARDS] = "no lane executes both",
    [CAUSE_ENTERED] = "the first has entered, latencies do the rest",
    [CAUSE_ONE_CYCLE] = "written in one cycle, in order",
    [CAUSE_SAME_PATH] = "one way through memory",
    [CAUSE_FLOW] = "a branch lies between",
    [CAUSE_VALUE] = "the value has no effect",
};

enum { MAX_CYCLES = 20000, MAX_INSTRUCTIONS = 1000 };

trial *trial_new(unsigned number, effort most)
{
	trial *t = hd_xaligned(sizeof *t);
	t->most = most;
	subject_init(&t->s, number);
	frame_init(&t->frame, &t->s.machine);
	t->memory = hd_memory_new(FRAME_BYTES);
	t->address = hd_memory_alloc(t->memory, FRAME_BYTES, "buffer");
	t->bytes = hd_memory_at(t->memory, t->address, FRAME_BYTES);
	for (unsigned values = 0; values < FRAME_VALUES; values++)
		frame_fill(t->begin[values], (frame_values)values);
	return t;
}

void trial_free(trial *t)
{
	frame_free(&t->frame);
	hd_memory_free(t->memory);
	free(t);
}

static hd_launch launch_of(const trial *t, const hd_program *program, unsigned threads)
{
	return (hd_launch){.program = program,
	                   .kernel = &t->frame.object->kernels.at[0],
	                   .grid = {1, 1, 1},
	                   .block = {threads, 1, 1},
	                   .work_dim = 1,
	                   .params = (const uint8_t *)&t->address};
}

static const uint8_t *oracle_of(trial *t, const hd_program *program, unsigned values)
{
	hd_launch launch = launch_of(t, program, TINY_THREADS);
	hd_stats stats;
	hd_trap trap = {0};
	if (t->known[values])
		return t->oracle[values];
	memcpy(t->bytes, t->begin[values], FRAME_BYTES);
	hd_invariant(hd_interp_run(&launch, t->memory,
	                           &(hd_interp_options){.call_depth = t->s.machine.divergence_call_depth, .max_instructions = MAX_INSTRUCTIONS},
	                           &stats, &trap),
	             "the interpreter stops with trap %d", (int)trap.kind);
	memcpy(t->oracle[values], t->bytes, FRAME_BYTES);
	t->known[values] = true;
	return t->oracle[values];
}

static bool is_right(trial *t, const hd_program *program, unsigned with, unsigned threads)
{
	const uint8_t *oracle = oracle_of(t, program, timings[with].values);
	hd_launch launch = launch_of(t, program, threads);
	hd_run_options options = {.max_cycles = MAX_CYCLES, .junk = true};
	hd_stats stats;
	hd_trap trap = {0};
	memcpy(t->bytes, t->begin[timings[with].values], FRAME_BYTES);
	bool right = hd_device_run(&t->s.timed[with], &launch, t->memory, &options, &stats, &trap);
	for (unsigned plane = 0; plane < FRAME_RESULTS && right; plane += FRAME_PLANE)
		right = memcmp(t->bytes + plane, oracle + plane, (size_t)16 * threads) == 0;
	hd_trap_free(&trap);
	t->runs++;
	return right;
}

static unsigned narrow_timings(void)
{
	unsigned n = 0;
	while (n < n_timings && !timings[n].wide)
		n++;
	return n;
}

/* Whether this program runs with a timing. */
static bool is_chosen(const trial *t, unsigned with, bool proven)
{
	unsigned narrow = narrow_timings();
	unsigned others = t->most == EFFORT_SAMPLE ? 3 : 5;
	if (proven && t->most != EFFORT_WIDE)
		return with == 0 || (with + n_timings - t->number * others % n_timings) % n_timings < others;
	if (with < narrow || (t->most == EFFORT_WIDE && !proven))
		return true;
	return t->most != EFFORT_SAMPLE && with - narrow == t->number % (n_timings - narrow);
}

/* Timing with which it is wrong, -1: none. */
static int run(trial *t, const tiny *core, const hd_program *program, bool proven)
{
	bool barrier = false;
	for (unsigned i = 0; i < core->n; i++)
		barrier |= core->at[i].op == TINY_BAR;
	for (unsigned i = 0; i < n_timings; i++) {
		/* A barrier that nobody comes to orders nothing: with another p0 the enumeration's care about races is in vain. */
		if (barrier && timings[i].values != VALUES_MIXED)
			continue;
		if (!is_chosen(t, i, proven) || is_right(t, program, i, barrier ? TINY_THREADS : subject_threads(&t->s, i)))
			continue;
		t->wrong_by[i]++;
		return (int)i;
	}
	return -1;
}

/* Place of the instruction of the core at a word; the core's length for the frame's. */
static unsigned place_of(const frame *f, const tiny *core, uint32_t word)
{
	unsigned i = 0;
	while (i < core->n && f->word[i] != word)
		i++;
	return i;
}

/* No lane executes both. */
static bool excluded(const tiny *core, unsigned a, unsigned b)
{
	const tiny_inst *first = &core->at[a], *second = &core->at[b];
	uint8_t lanes[TINY_LENGTH];
	tiny_lanes(core, lanes);
	return !(lanes[a] & lanes[b]) ||
	       (first->guard != GUARD_NONE && second->guard != GUARD_NONE && tiny_guard_is_p0(first->guard) != tiny_guard_is_p0(second->guard));
}

static bool waited_for(const tiny *core, unsigned counter)
{
	for (unsigned i = 0; i < core->n; i++)
		if (core->at[i].wait >> (counter - 1) & 1)
			return true;
	return false;
}

static cause cause_of(const frame *f, const tiny *core, const hd_finding *finding)
{
	unsigned first = place_of(f, core, finding->producer), second = place_of(f, core, finding->consumer);
	const tiny_inst *p = &core->at[first < core->n ? first : 0], *c = &core->at[second < core->n ? second : 0];
	if (finding->kind == HD_HAZARD_COUNTER)
		return CAUSE_COUNTER;
	if (finding->kind == HD_HAZARD_TYPE)
		return CAUSE_TYPE;
	if (finding->kind == HD_HAZARD_LAST_USE)
		return CAUSE_LAST_USE;
	if (finding->kind == HD_HAZARD_CALL)
		return CAUSE_CALL;
	if (second < core->n && (c->op == TINY_BAR || c->op == TINY_MEMBAR))
		return CAUSE_FENCE;
	if (first == core->n || second == core->n)
		return CAUSE_VALUE;
	if (excluded(core, first, second))
		return CAUSE_GUARDS;
	if (p->primary && p->release && waited_for(core, p->primary))
		return CAUSE_ENTERED;
	bool same_pipe = tiny_row(p)->pipe == tiny_row(c)->pipe;
	if (tiny_is_memory(p) && same_pipe && finding->kind != HD_HAZARD_RAW)
		return CAUSE_SAME_PATH;
	if (same_pipe && finding->kind == HD_HAZARD_WAW && finding->missing == 1)
		return CAUSE_ONE_CYCLE;
	for (unsigned i = 0; i < core->n; i++)
		if (tiny_info_of(&core->at[i])->flow)
			return CAUSE_FLOW;
	return CAUSE_VALUE;
}

verdict trial_run(trial *t, const tiny *core, bool fresh)
{
	hd_check_report report;
	hd_diag diag = {0};
	verdict v = {.wrong = -1, .cause = CAUSES};
	if (fresh)
		memset(t->known, 0, sizeof t->known);
	frame_put(&t->frame, core);
	v.proven = hd_check(t->frame.object, &t->s.machine, &report);
	v.kind = v.proven ? 0 : report.findings.at[0].kind;
	v.ran = v.proven || t->most != EFFORT_SAMPLE || t->number % 8 == 0;
	if (v.ran) {
		hd_program *program = hd_program_new(t->frame.object, t->memory, &diag);
		hd_invariant(program, "%s", diag.text.at);
		v.wrong = run(t, core, program, v.proven);
		hd_program_free(program);
	}
	if (v.ran && !v.proven && v.wrong < 0)
		v.cause = cause_of(&t->frame, core, &report.findings.at[0]);
	hd_check_report_free(&report);
	t->number++;
	return v;
}
