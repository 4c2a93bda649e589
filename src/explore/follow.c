#include "explore/follow.h"

/* An instruction under way. */
typedef struct under_way {
	uint32_t number, pc;
	bool entered, released; /* released: its fence counter is down as far as it is concerned */
} under_way;

typedef struct followed {
	hd_resident resident;
	unsigned cause; /* of the wait now; HD_NO_CAUSE */
	uint64_t since;
	uint32_t barrier;                 /* number, where it waits at one */
	uint32_t barred;                  /* number of its last `bar` */
	hd_wait wait;                     /* HD_TRACE_WAIT; cause HD_NO_CAUSE: none */
	bool undecided;                   /* a flow instruction is: `flow`, since `flow_since` */
	uint32_t flow;                    /* its number */
	uint64_t flow_since;              /* first cycle behind its issue */
	hd_reason reason;                 /* for its next issue */
	uint16_t up;                      /* fence counters that are not zero; bit 0 = counter 1 */
	uint16_t awaited;                 /* those of them for which the warp is de-scheduled */
	uint32_t raiser[HD_MAX_COUNTERS]; /* numbers of those that raised the fence counters last; 0: nobody */
	uint32_t scoreboard;              /* pc of the last instruction that the scoreboard held, of which the links are known; UINT32_MAX: none */
	HD_VEC(under_way) live;
} followed;

struct hd_follow {
	const hd_program *program;
	uint32_t schedulers, slots;
	size_t n;
	followed *at;
	hd_waited waited;
};

static const hd_reason no_reason = {.cause = HD_NO_CAUSE};
static const hd_wait no_wait = {.cause = HD_NO_CAUSE};

hd_follow *hd_follow_new(const hd_machine *machine, const hd_program *program)
{
	hd_follow *f = hd_xcalloc(1, sizeof *f);
	f->program = program;
	f->schedulers = machine->machine_schedulers;
	f->slots = machine->machine_warps;
	f->n = (size_t)hd_machine_cores(machine) * f->schedulers * f->slots;
	f->at = hd_xcalloc(f->n, sizeof *f->at);
	for (size_t i = 0; i < f->n; i++)
		f->at[i].cause = f->at[i].wait.cause = HD_NO_CAUSE;
	return f;
}

void hd_follow_free(hd_follow *f)
{
	for (size_t i = 0; i < f->n; i++)
		hd_vec_free(&f->at[i].live);
	free(f->at);
	free(f);
}

uint32_t hd_follow_slots(const hd_follow *f) { return f->slots; }
size_t hd_follow_places(const hd_follow *f) { return f->n; }
size_t hd_follow_place(const hd_follow *f, const hd_trace_event *e) { return ((size_t)e->core * f->schedulers + e->scheduler) * f->slots + e->slot; }

static const hd_inst *inst_at(const hd_follow *f, uint32_t pc) { return pc < f->program->n_slots ? &f->program->slots[pc].inst : NULL; }
static unsigned pipe_at(const hd_follow *f, uint32_t pc) { return pc < f->program->n_slots ? f->program->slots[pc].pipe : HD_PIPE_NONE; }

/* -- waits and links ------------------------------------------------------------------------------------------------------------------------ */

/* Takes the core's report of a wait: the wait before is over. */
static void waits(hd_follow *f, size_t place, unsigned cause, uint32_t pc, uint64_t cycle)
{
	followed *w = &f->at[place];
	f->waited.wait = w->wait;
	f->waited.wait.until = cycle;
	if (cycle <= w->wait.since)
		f->waited.wait.cause = HD_NO_CAUSE;
	w->wait = (hd_wait){.place = place, .cause = cause, .pc = pc, .since = cycle};
}

static void end_wait(hd_follow *f, size_t place, uint64_t cycle)
{
	followed *w = &f->at[place];
	if (w->cause != HD_NO_CAUSE)
		w->reason.until = cycle;
	w->cause = HD_NO_CAUSE;
	w->awaited = 0;
}

static void begin_wait(hd_follow *f, size_t place, unsigned cause, uint64_t cycle)
{
	followed *w = &f->at[place];
	end_wait(f, place, cycle);
	w->cause = cause;
	w->since = cycle;
}

static void link_to(hd_reason *reason, hd_link_kind kind, uint32_t counter, size_t place, uint32_t number)
{
	for (unsigned i = 0; i < reason->n_links; i++)
		if (reason->links[i].kind == kind && reason->links[i].place == place && reason->links[i].number == number)
			return;
	if (reason->n_links < HD_LINKS_MAX)
		reason->links[reason->n_links++] = (hd_link){kind, counter, place, number};
}

/* Links to the primaries under way that raised one of `counters`, the youngest first. */
static void link_primaries(const hd_follow *f, size_t place, hd_link_kind kind, uint16_t counters, hd_reason *reason)
{
	const followed *w = &f->at[place];
	for (size_t i = w->live.n; i-- > 0;) {
		const hd_inst *inst = inst_at(f, w->live.at[i].pc);
		if (inst && inst->primary && counters >> (inst->primary - 1) & 1 && !w->live.at[i].released)
			link_to(reason, kind, inst->primary, place, w->live.at[i].number);
	}
}

/* A counter that is down but not published (HZ-36) holds, too: nothing under way keeps it up. The link is to the primary that raised it last. */
static void link_raisers(const hd_follow *f, size_t place, uint16_t counters, hd_reason *reason)
{
	const followed *w = &f->at[place];
	uint16_t linked = 0;
	for (unsigned i = 0; i < reason->n_links; i++)
		linked |= reason->links[i].counter ? (uint16_t)(1u << (reason->links[i].counter - 1)) : 0;
	for (uint32_t left = counters & ~(uint32_t)linked; left; left &= left - 1) {
		unsigned counter = hd_lowest_bit(left);
		if (counter < HD_MAX_COUNTERS && w->raiser[counter])
			link_to(reason, HD_LINK_ISSUE, counter + 1, place, w->raiser[counter]);
	}
}

/* Links to the secondaries that are in queues and wait for one of `counters`: they keep the wait counters up. */
static void link_secondaries(const hd_follow *f, size_t place, uint16_t counters, hd_reason *reason)
{
	const followed *w = &f->at[place];
	for (size_t i = w->live.n; i-- > 0;) {
		const hd_inst *inst = inst_at(f, w->live.at[i].pc);
		if (inst && inst->wait & counters && !w->live.at[i].entered)
			link_to(reason, HD_LINK_ISSUE, hd_lowest_bit(inst->wait & counters) + 1, place, w->live.at[i].number);
	}
}

static bool overlap(const hd_use *a, const hd_use *b)
{
	if (!a->words || !b->words)
		return !a->words && !b->words && a->reg == b->reg;
	return a->reg < b->reg + b->words && b->reg < a->reg + a->words;
}

static bool touches(const hd_inst *earlier, const hd_inst *later)
{
	hd_use writes[HD_MAX_USES], uses[2 * HD_MAX_USES];
	unsigned n = hd_inst_writes(earlier, writes), m = hd_inst_reads(later, uses);
	m += hd_inst_writes(later, uses + m);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			if (overlap(&writes[i], &uses[k]))
				return true;
	return false;
}

/* The scoreboard holds the next instruction of the warp back. */
static void held(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	const hd_inst *later = inst_at(f, e->pc);
	if (!later || w->scoreboard == e->pc)
		return;
	w->scoreboard = e->pc;
	if (w->reason.cause == HD_NO_CAUSE) {
		w->reason.cause = HD_STALL_SCOREBOARD;
		w->reason.since = e->cycle;
	}
	for (size_t i = w->live.n; i-- > 0;) {
		const hd_inst *earlier = inst_at(f, w->live.at[i].pc);
		if (earlier && touches(earlier, later))
			link_to(&w->reason, HD_LINK_REGISTER, 0, place, w->live.at[i].number);
	}
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */

static void leaves(hd_follow *f, size_t place, uint64_t cycle)
{
	followed *w = &f->at[place];
	if (!w->resident.is_there)
		return;
	end_wait(f, place, cycle);
	waits(f, place, HD_NO_CAUSE, 0, cycle);
	w->undecided = false;
	f->waited.ended = true;
	f->waited.warp = w->resident;
	w->resident.is_there = false;
}

static void begins(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	leaves(f, place, e->cycle);
	w->resident = (hd_resident){.is_there = true, .begun = e->cycle, .serial = e->cta_serial, .warp = e->warp, .lanes = e->mask};
	memcpy(w->resident.cta, e->cta, sizeof e->cta);
	w->cause = HD_NO_CAUSE;
	w->reason = no_reason;
	w->scoreboard = UINT32_MAX;
	w->live.n = 0;
	memset(w->raiser, 0, sizeof w->raiser);
	w->up = w->awaited = 0;
}

static void issues(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	const hd_inst *inst = inst_at(f, e->pc);
	if (w->cause == HD_STALL_BARRIER) /* it only arrived */
		w->cause = HD_NO_CAUSE;
	end_wait(f, place, e->cycle);
	f->waited.reason = w->reason;
	if (w->reason.cause == HD_STALL_SCOREBOARD)
		f->waited.reason.until = e->cycle;
	w->reason = no_reason;
	w->scoreboard = UINT32_MAX;
	if (inst && inst->wait)
		link_primaries(f, place, HD_LINK_QUEUE, inst->wait, &f->waited.reason);
	if (pipe_at(f, e->pc) == HD_PIPE_NONE)
		return;
	hd_vec_push(&w->live, (under_way){.number = e->number, .pc = e->pc});
	if (inst && inst->primary)
		w->raiser[inst->primary - 1] = e->number;
	if (pipe_at(f, e->pc) != HD_PIPE_FLOW)
		return;
	w->undecided = true;
	w->flow = e->number;
	w->flow_since = e->cycle + 1;
}

static void decided(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	if (!w->undecided || w->flow != e->number)
		return;
	w->undecided = false;
	if (e->cycle > w->flow_since) {
		w->reason.cause = HD_STALL_FLOW;
		w->reason.since = w->flow_since;
		w->reason.until = e->cycle;
		link_to(&w->reason, HD_LINK_FLOW, 0, place, e->number);
	}
}

/* The wait for a wait counter is over when no secondary in a queue keeps it up (HZ-18). */
static void left_queue(hd_follow *f, size_t place, uint64_t cycle)
{
	const followed *w = &f->at[place];
	if (w->cause != HD_STALL_WAIT_COUNTER)
		return;
	for (size_t i = 0; i < w->live.n; i++) {
		const hd_inst *inst = inst_at(f, w->live.at[i].pc);
		if (inst && inst->wait & w->reason.counters && !w->live.at[i].entered)
			return;
	}
	end_wait(f, place, cycle);
}

static void moves(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	size_t i = 0;
	while (i < w->live.n && w->live.at[i].number != e->number)
		i++;
	if (i == w->live.n)
		return;
	under_way *live = &w->live.at[i];
	const hd_inst *inst = inst_at(f, live->pc);
	if (e->kind == HD_TRACE_ENTER) {
		live->entered = true;
		live->released |= inst && inst->release;
		left_queue(f, place, e->cycle);
		return;
	}
	if (inst && inst->op == HD_OP_BAR)
		w->barred = live->number;
	w->live.n--;
	memmove(live, live + 1, (w->live.n - i) * sizeof *live);
	if (e->kind == HD_TRACE_DROP)
		left_queue(f, place, e->cycle);
	decided(f, place, e);
}

static void descheduled(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	begin_wait(f, place, e->cause, e->cycle);
	w->reason.cause = e->cause;
	w->reason.since = e->cycle;
	w->reason.counters = e->counters;
	if (e->cause == HD_STALL_WAIT_COUNTER) {
		link_secondaries(f, place, e->counters, &w->reason);
		return;
	}
	link_primaries(f, place, HD_LINK_ISSUE, e->counters, &w->reason);
	link_raisers(f, place, e->counters, &w->reason);
	/* Of a counter that is down but not published (HZ-36) no event tells the end. */
	w->awaited = e->cause != HD_STALL_HIGH_LATENCY || e->counters & ~w->up ? 0 : e->counters;
}

/* The wait for high-latency counters is over when the last of them falls to zero. */
static void counts(hd_follow *f, size_t place, const hd_trace_event *e)
{
	followed *w = &f->at[place];
	uint16_t bit = (uint16_t)(1u << (e->counter - 1));
	w->up = (uint16_t)(e->value ? w->up | bit : w->up & ~bit);
	if (!(w->awaited & bit) || e->value)
		return;
	w->awaited &= (uint16_t)~bit;
	if (!w->awaited)
		end_wait(f, place, e->cycle);
}

static void arrives(hd_follow *f, size_t place, const hd_trace_event *e)
{
	begin_wait(f, place, HD_STALL_BARRIER, e->cycle);
	f->at[place].barrier = e->barrier;
}

/* The warps of a CTA that `e->mask` names go on. The last one that came, if it came in this cycle, let them. */
static void released(hd_follow *f, size_t place, const hd_trace_event *e)
{
	uint64_t serial = f->at[place].resident.serial;
	size_t first = (size_t)e->core * f->schedulers * f->slots, n = (size_t)f->schedulers * f->slots, last = f->n;
	for (size_t i = first; i < first + n; i++) {
		const followed *w = &f->at[i];
		if (w->resident.is_there && w->resident.serial == serial && w->cause == HD_STALL_BARRIER && w->barrier == e->barrier &&
		    w->since == e->cycle)
			last = i;
	}
	for (size_t i = first; i < first + n; i++) {
		followed *w = &f->at[i];
		if (!w->resident.is_there || w->resident.serial != serial || w->cause != HD_STALL_BARRIER || w->barrier != e->barrier ||
		    !(e->mask >> w->resident.warp & 1))
			continue;
		if (e->cycle > w->since) {
			w->reason = no_reason; /* the `bar` itself was decided long ago */
			w->reason.cause = HD_STALL_BARRIER;
			w->reason.since = w->since;
			if (last < f->n)
				link_to(&w->reason, HD_LINK_BARRIER, e->barrier, last, f->at[last].barred);
		}
		end_wait(f, i, e->cycle);
	}
}

const hd_waited *hd_follow_event(hd_follow *f, const hd_trace_event *e)
{
	f->waited.wait = no_wait;
	f->waited.ended = false;
	f->waited.reason = no_reason;
	if (e->slot >= f->slots)
		return &f->waited;
	size_t place = hd_follow_place(f, e);
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		begins(f, place, e);
		break;
	case HD_TRACE_END:
		leaves(f, place, e->cycle);
		break;
	case HD_TRACE_ISSUE:
		issues(f, place, e);
		break;
	case HD_TRACE_ENTER:
	case HD_TRACE_DROP:
	case HD_TRACE_DONE:
		moves(f, place, e);
		break;
	case HD_TRACE_DESCHEDULE:
		descheduled(f, place, e);
		break;
	case HD_TRACE_COUNTER:
		counts(f, place, e);
		break;
	case HD_TRACE_ARRIVE:
		arrives(f, place, e);
		break;
	case HD_TRACE_RELEASE:
		released(f, place, e);
		break;
	case HD_TRACE_WAIT:
		waits(f, place, e->cause, e->pc, e->cycle);
		break;
	case HD_TRACE_LOST:
		if (e->cause == HD_STALL_SCOREBOARD)
			held(f, place, e);
		break;
	default:
		break;
	}
	return &f->waited;
}

const hd_waited *hd_follow_end(hd_follow *f, size_t place, uint64_t end)
{
	f->waited.wait = no_wait;
	f->waited.ended = false;
	leaves(f, place, end);
	return &f->waited;
}
