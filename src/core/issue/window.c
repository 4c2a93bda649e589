#include "core/issue/decode.h"
#include "core/issue/dispatch.h"
#include "core/observe/tracing.h"

/* -- static dependences ------------------------------------------------------------------------------------------------------------ */

enum { RESOURCES = 256 + HD_PREDS, WORDS = (RESOURCES + 63) / 64 };

typedef struct accesses {
	uint64_t reads[WORDS], writes[WORDS];
} accesses;

static void mark(uint64_t *set, const hd_use *uses, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned first = uses[i].words ? uses[i].reg : 256u + uses[i].reg, count = uses[i].words ? uses[i].words : 1u;
		for (unsigned r = first; r < first + count && r < RESOURCES; r++)
			set[r / 64] |= UINT64_C(1) << r % 64;
	}
}

static bool registers_meet(const accesses *first, const accesses *second)
{
	uint64_t both = 0;
	for (unsigned i = 0; i < WORDS; i++)
		both |= (first->writes[i] & (second->reads[i] | second->writes[i])) | (first->reads[i] & second->writes[i]);
	return both != 0;
}

/* The type as far as the scheduler knows it: the pipe, or what the pre-decode byte says of it; 0 = nothing. */
static unsigned type_of(const hd_code *code, bool typed_hints, uint32_t pc)
{
	return typed_hints ? hd_hint_type(code->slots[pc].predecode >> 4) : code->at[pc].pipe + 1u;
}

/* Sent alone, when everything before has been sent (MI-9). */
static bool is_alone(const hd_static *row) { return row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP || row->kind == HD_KIND_BAD; }

static uint32_t counter_of(const hd_static *row) { return row->primary ? 1u << (row->primary - 1) : 0; }

static void relate(const hd_code *code, const accesses *sets, const hd_machine *machine, uint32_t first, uint32_t second, uint32_t bit,
                   hd_window_row *out)
{
	bool typed_hints = hd_machine_typed_hints(machine);
	unsigned a_type = type_of(code, typed_hints, first), b_type = type_of(code, typed_hints, second);
	const hd_static *a = &code->at[first], *b = &code->at[second];
	const hd_op_info *ia = &hd_ops[code->slots[first].inst.op], *ib = &hd_ops[code->slots[second].inst.op];
	uint32_t a_waits = (uint32_t)a->at_queue | a->at_issue, b_waits = (uint32_t)b->at_queue | b->at_issue;
	/* What enters one pipe enters it in the order of the program: rules 1 and 2 stand on it. What is of no known type goes alone. */
	if (a_type == b_type || !a_type || !b_type || (a_waits & counter_of(b)))
		out->behind |= bit;
	if (registers_meet(&sets[first], &sets[second]) || (counter_of(a) & (b_waits | counter_of(b))) ||
	    (ia->flags & ib->flags & (HD_OPF_MEM | HD_OPF_SIDE)) || (a->at_issue && !machine->multi_issue_pass_waits))
		out->after |= bit;
}

hd_window_row *hd_window_rows(const hd_code *code, const hd_machine *machine)
{
	hd_window_row *rows = hd_xcalloc((size_t)code->n_words + HD_LINE_WORDS, sizeof *rows);
	accesses *sets = hd_xcalloc((size_t)code->n_words + 1, sizeof *sets);
	hd_use uses[HD_MAX_USES];
	for (uint32_t pc = code->n_words + HD_LINE_WORDS; pc-- > 0;) {
		rows[pc].next = code->at[pc].next;
		rows[pc].alone = is_alone(&code->at[pc]) ? pc : rows[rows[pc].next].alone;
	}
	for (uint32_t pc = 0; pc < code->n_words; pc++) {
		if (is_alone(&code->at[pc]))
			continue;
		const hd_inst *inst = &code->slots[pc].inst;
		mark(sets[pc].reads, uses, hd_inst_reads(inst, uses));
		mark(sets[pc].writes, uses, hd_inst_writes(inst, uses));
		uint32_t bit = 1;
		for (uint32_t before = pc; before-- > 0 && bit;) {
			if (code->slots[before].is_ss)
				continue;
			if (is_alone(&code->at[before]))
				break;
			relate(code, sets, machine, before, pc, bit, &rows[pc]);
			rows[before].with |= rows[pc].behind & bit ? 0 : bit << 1;
			rows[before].before |= (rows[pc].behind | rows[pc].after) & bit ? 0 : bit << 1;
			bit <<= 1;
		}
	}
	free(sets);
	return rows;
}

/* -- a cycle ----------------------------------------------------------------------------------------------------------------------- */

void hd_window_start(hd_windows *window, unsigned warp)
{
	window->sent[warp] = 0;
	memset(window->time[warp], 0, sizeof window->time[warp]);
}

void hd_window_enter(hd_windows *window, unsigned warp, uint64_t now)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		window->time[warp][pipe].wait = now;
}

static uint64_t earliest(const hd_windows *window, unsigned warp, unsigned pipe, unsigned wait)
{
	const struct hd_window_time *time = &window->time[warp][pipe];
	return time->ready > time->wait + wait ? time->ready : time->wait + wait;
}

/* When an instruction that is sent alone may be: the time of every pipe has come. */
static uint64_t all_ready(const hd_windows *window, unsigned warp, unsigned wait)
{
	uint64_t at = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		uint64_t one = earliest(window, warp, pipe, wait);
		at = one > at ? one : at;
	}
	return at;
}

static void was_sent(hd_windows *window, unsigned warp, const hd_static *row, uint64_t now, uint64_t delay)
{
	/* Delay and wait of different pipes' instructions do not overlap. */
	window->time[warp][row->pipe] = (struct hd_window_time){.ready = now + delay, .wait = now + delay};
}

/* The same when it counts for every pipe: they do overlap, as without a window. */
static void was_sent_alone(hd_windows *window, unsigned warp, uint64_t now, uint64_t delay)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		window->time[warp][pipe] = (struct hd_window_time){.ready = now + delay, .wait = now + 1};
}

/* MI-8. Nothing beyond MINRC was sent, so the lanes that resume there miss nothing. */
static void pass(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	uint32_t sent = s->window.sent[warp], pc = s->flow[warp].pc, last = pc;
	unsigned n = 0;
	for (; sent & 1; sent >>= 1, n++) {
		last = pc;
		pc = core->window_rows[pc].next;
	}
	if (n) {
		s->window.sent[warp] = sent;
		hd_flow_load(&core->flow, &s->flow[warp], pc);
		if (last < s->fetch.have[warp])
			hd_fetch_consume(&s->fetch, warp, n, pc);
		else /* sent before the warp was de-scheduled, which emptied its buffer: they are not fetched a second time */
			hd_fetch_restart(&s->fetch, warp, pc);
	}
	const hd_static *row = &core->code[pc];
	s->next_pipe[warp] = (uint16_t)(1u << row->pipe);
	uint64_t next = is_alone(row) ? all_ready(&s->window, warp, row->wait) : earliest(&s->window, warp, row->pipe, row->wait);
	if (next > now + 1)
		s->asleep |= 1u << warp; /* for the cause of the slots that are left */
}

static hd_window_result send_alone(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_verdict *verdict, uint64_t *until)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t pc = s->flow[warp].pc;
	const hd_static *row = &core->code[pc];
	uint64_t ready = all_ready(&s->window, warp, row->wait);
	if (now < ready) {
		s->asleep |= 1u << warp;
		*until = ready;
		return HD_WINDOW_HELD;
	}
	if (s->blocked >> warp & 1)
		return HD_WINDOW_BLOCKED;
	if (row->kind == HD_KIND_FLOW && s->full >> row->pipe & 1) {
		s->held_by[row->pipe] |= 1u << warp;
		return HD_WINDOW_HELD;
	}
	if (row->kind == HD_KIND_BAD)
		return HD_WINDOW_BAD;
	if (core->needs && row->kind == HD_KIND_FLOW && !hd_scoreboard_ready(s->scoreboard, warp, &core->needs[pc]))
		return HD_WINDOW_BLOCKED;
	*verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &s->watch[warp]);
	if (*verdict != HD_SEND)
		return HD_WINDOW_REFUSED;
	if (core->trace)
		hd_tell_issue(core, scheduler, warp, pc, true, now);
	if (row->kind == HD_KIND_FLOW)
		hd_dispatch(core, scheduler, warp, pc, now);
	was_sent_alone(&s->window, warp, now, hd_delay_behind(s, row));
	if (row->kind == HD_KIND_NOP)
		hd_counted_issue(&s->counted, warp, row);
	if (row->kind == HD_KIND_FLOW) {
		s->deciding |= 1u << warp;
		return HD_WINDOW_SENT;
	}
	s->window.sent[warp] |= 1;
	pass(core, s, warp, now);
	return HD_WINDOW_SENT;
}

/* multi_issue.hold: it would only take a place there that others could use. Of a dependent pair the second one is not meant (MI-6): it is sent as
 * long as nobody waits. */
static bool crowds(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_static *row)
{
	return core->window > 1 && row->at_queue & s->fence.flags[warp] && s->queue[row->pipe].hazard_n >= core->hold;
}

/* First cycle in which it is worth sending. Its distance behind the one before it in its queue (rule 2) may have grown, as others held that one up;
 * as long as it lasts, the instruction would only be moved from the FIFO to the hazard queue, and a cycle of the pipe's entry is lost with that. */
static uint64_t apart(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	const hd_queue *queue = &s->queue[row->pipe];
	if (core->window == 1 || !queue->spacing || hd_queue_empty(queue))
		return now;
	uint64_t gap = s->counted.of[warp][row->pipe].next + row->wait - queue->of[warp].counted;
	uint64_t entry = queue->of[warp].entered + (gap < queue->spacing ? gap : queue->spacing), soonest = now + 1 + queue->fifo_n;
	return entry > soonest ? now + entry - soonest : now;
}

/* A look at a warp's window in a cycle. */
typedef struct look {
	uint64_t now, until; /* until: the first cycle in which a candidate that time holds back may go */
	unsigned scheduler, warp, n;
	bool held;          /* a candidate waits for less than a counter */
	hd_verdict verdict; /* of the candidate that was refused last */
	uint16_t watch;
} look;

/* May the candidate go in this cycle, as far as it is itself concerned? HELD: *until = from when it may, if it is time that holds it back; else
 * not before something of its queue or counters changes. LATE: a constant operand is not there before *until. */
static hd_window_result judge(hd_core *core, hd_scheduler *s, look *l, const hd_static *row, uint32_t pc, uint64_t *until)
{
	unsigned warp = l->warp;
	uint64_t ready = earliest(&s->window, warp, row->pipe, row->wait);
	if (l->now < ready) {
		*until = ready;
		return HD_WINDOW_HELD;
	}
	if (s->full >> row->pipe & 1 || crowds(core, s, warp, row)) {
		s->held_by[row->pipe] |= 1u << warp;
		return HD_WINDOW_HELD;
	}
	if ((ready = apart(core, s, warp, row, l->now)) > l->now) {
		*until = ready;
		return HD_WINDOW_HELD;
	}
	if (core->needs && !hd_scoreboard_ready(s->scoreboard, warp, &core->needs[pc]))
		return HD_WINDOW_BLOCKED;
	if (row->constant && (*until = hd_micro_constant(core, s, warp, row, l->now)) > l->now)
		return HD_WINDOW_LATE;
	l->verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &l->watch);
	return l->verdict == HD_SEND ? HD_WINDOW_SENT : HD_WINDOW_REFUSED;
}

/* Sends the candidate `place` places after the PC if it may go. */
static hd_window_result attempt(hd_core *core, look *l, uint32_t pc, unsigned place)
{
	hd_scheduler *s = &core->scheduler[l->scheduler];
	const hd_static *row = &core->code[pc];
	uint64_t until = HD_NEVER;
	hd_window_result can = judge(core, s, l, row, pc, &until);
	if (can != HD_WINDOW_SENT) {
		l->held |= can == HD_WINDOW_HELD || can == HD_WINDOW_LATE;
		l->until = until < l->until ? until : l->until;
		return can;
	}
	if (core->trace)
		hd_tell_issue(core, l->scheduler, l->warp, pc, l->n == 0, l->now);
	hd_dispatch(core, l->scheduler, l->warp, pc, l->now); /* raises its counter: later ones see it (MI-6) */
	if (core->window == 1)
		was_sent_alone(&s->window, l->warp, l->now, hd_delay_behind(s, row));
	else
		was_sent(&s->window, l->warp, row, l->now, hd_delay_behind(s, row));
	s->window.sent[l->warp] |= 1u << place;
	l->n++;
	return HD_WINDOW_SENT;
}

/* Places of a window of `n` instructions that are not sent. */
static uint32_t within(uint32_t sent, uint32_t n)
{
	uint32_t beyond = ~sent;
	while (n--)
		beyond &= beyond - 1;
	return beyond ? ~sent & ((beyond & -beyond) - 1) : ~sent;
}

hd_window_result hd_window_send(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, unsigned *n, hd_verdict *verdict, uint64_t *until)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp_flow *flow = &s->flow[warp];
	const hd_window_row *rows = core->window_rows;
	const uint32_t sent = s->window.sent[warp];
	uint32_t pc = flow->pc, end = rows[pc].alone;
	*until = HD_NEVER;
	if (end == pc) {
		hd_window_result alone = send_alone(core, scheduler, warp, now, verdict, until);
		*n = alone == HD_WINDOW_SENT;
		return alone;
	}
	end = end < flow->minrc ? end : flow->minrc;
	end = end < s->fetch.have[warp] ? end : s->fetch.have[warp];

	look l = {.now = now, .until = HD_NEVER, .scheduler = scheduler, .warp = warp};
	/* The scoreboard blocks it: nothing has changed for it since. */
	hd_window_result first = s->blocked >> warp & 1 ? HD_WINDOW_BLOCKED : attempt(core, &l, pc, 0);
	if (first == HD_WINDOW_HELD && l.until != HD_NEVER)
		s->asleep |= 1u << warp; /* names the cause of a lost slot */
	if (first == HD_WINDOW_REFUSED) {
		*verdict = l.verdict;
		s->watch[warp] = l.watch;
	}

	/* Mostly everything in the window depends on the instruction at the PC. */
	uint32_t may = (first == HD_WINDOW_SENT ? rows[pc].with : rows[pc].before) & within(sent, core->window);
	uint32_t unsent = first != HD_WINDOW_SENT; /* bit j: the instruction j + 1 places before is not sent and no target */
	uint32_t open = 1;                         /* likewise: was not sent when the cycle began */
	uint32_t candidates = may ? core->window - 1 : 0;
	pc = rows[pc].next;
	for (unsigned place = 1; candidates && pc < end && place < HD_WINDOW_SPAN; place++, pc = rows[pc].next) {
		uint32_t is_open = ~sent >> place & 1, stays = is_open;
		if (is_open && !((rows[pc].after & unsent) | (rows[pc].behind & open))) {
			hd_window_result can = attempt(core, &l, pc, place);
			stays = can != HD_WINDOW_SENT;
		}
		candidates -= is_open;
		unsent = unsent << 1 | stays;
		open = open << 1 | is_open;
	}
	*n = l.n;
	*until = l.until;
	if (l.n) {
		pass(core, s, warp, now);
		return HD_WINDOW_SENT;
	}
	/* A warp is not de-scheduled while another candidate waits for less than a counter. */
	return first == HD_WINDOW_REFUSED && l.held ? HD_WINDOW_HELD : first;
}
