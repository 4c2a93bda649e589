/* A core's units as the events of a run tell of them, against the state that an observer of the units gets (launch/units.h). The two come by
 * different paths: events from the places where something happens, the state from the units behind each cycle. */
#ifndef HD_TEST_UNITS_MODEL_H
#define HD_TEST_UNITS_MODEL_H

#include "config/machine.h"
#include "launch/trace.h"
#include "launch/units.h"

#include <stdarg.h>
#include <stdio.h>

enum { MODEL_ISSUED = 1, MODEL_ENTERED, MODEL_MADE /* a part of its result is there */, MODEL_DONE, MODEL_GONE };

typedef struct model_warp {
	bool live, flow;
	uint32_t cta, number, active, minrc, members, depth, resume[HD_LANES];
	uint16_t counter[HD_MAX_COUNTERS];
} model_warp;

typedef struct units_model {
	hd_trace trace; /* first */
	hd_unit_watch watch;
	const hd_program *program;
	HD_VEC(uint8_t) state; /* by number of an instruction */
	model_warp warp[HD_MAX_SCHEDULERS][HD_WARP_SLOTS];
	uint64_t lost[HD_MAX_SCHEDULERS][HD_STALL_COUNT], issued[HD_MAX_SCHEDULERS], sent_back[HD_MAX_SCHEDULERS], written[HD_MAX_SCHEDULERS];
	uint64_t cycle, cycles, seen[HD_UNITS_COUNT], forwarded, refused, calls; /* of what was compared */
	char wrong[256];                                                         /* the first difference */
} units_model;

static inline units_model *model_of(hd_unit_watch *watch) { return (units_model *)(void *)((char *)watch - offsetof(units_model, watch)); }

static inline void HD_PRINTF(2, 3) model_differs(units_model *m, const char *format, ...)
{
	va_list args;
	if (*m->wrong)
		return;
	int n = snprintf(m->wrong, sizeof m->wrong, "cycle %llu: ", (unsigned long long)m->cycle);
	va_start(args, format);
	vsnprintf(m->wrong + n, sizeof m->wrong - (size_t)n, format, args);
	va_end(args);
}

/* -- from the events ------------------------------------------------------------------------------------------------------------------------- */

static inline void model_state(units_model *m, uint32_t number, uint8_t state)
{
	while (m->state.n <= number)
		hd_vec_push(&m->state, (uint8_t)0);
	m->state.at[number] = state;
}

/* A number for a set of registers: the sum of those of its parts. */
static inline uint64_t model_registers(int64_t first, int64_t words, uint32_t lanes)
{
	uint64_t sum = 0;
	for (int64_t i = 0; i < words; i++)
		sum += (uint64_t)(first + i + 1) * lanes;
	return sum;
}

static inline void model_flow(model_warp *warp, const hd_trace_event *e)
{
	warp->flow = true;
	warp->active = e->mask;
	warp->minrc = e->minrc;
	warp->members = e->members;
	warp->depth = e->depth;
	memcpy(warp->resume, e->resume, sizeof warp->resume);
}

static inline void model_begins(units_model *m, uint64_t cycle)
{
	if (m->cycle == cycle)
		return;
	m->cycle = cycle;
	memset(m->lost, 0, sizeof m->lost);
	memset(m->issued, 0, sizeof m->issued);
	memset(m->sent_back, 0, sizeof m->sent_back);
	memset(m->written, 0, sizeof m->written);
}

static inline void model_event(hd_trace *trace, const hd_trace_event *e)
{
	units_model *m = (units_model *)trace;
	if (e->core != m->watch.core)
		return;
	model_warp *warp = e->slot < HD_WARP_SLOTS ? &m->warp[e->scheduler][e->slot] : NULL;
	model_begins(m, e->cycle);
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		*warp = (model_warp){.live = true, .number = e->warp};
		break;
	case HD_TRACE_END:
		warp->live = false;
		break;
	case HD_TRACE_ISSUE:
		m->issued[e->scheduler]++;
		model_state(m, e->number, m->program->slots[e->pc].pipe < HD_PIPE_COUNT ? MODEL_ISSUED : MODEL_GONE);
		break;
	case HD_TRACE_ENTER:
		model_state(m, e->number, MODEL_ENTERED);
		break;
	case HD_TRACE_WRITE:
		model_state(m, e->number, MODEL_MADE);
		break;
	case HD_TRACE_DONE:
		model_state(m, e->number, MODEL_DONE);
		break;
	case HD_TRACE_DROP:
		model_state(m, e->number, MODEL_GONE);
		break;
	case HD_TRACE_REGISTERS:
		m->written[e->scheduler] += model_registers(e->reg, e->words, e->mask);
		break;
	case HD_TRACE_FLOW:
		model_flow(warp, e);
		break;
	case HD_TRACE_COUNTER:
		warp->counter[e->counter - 1] = e->value;
		break;
	case HD_TRACE_DESCHEDULE:
		m->sent_back[e->scheduler]++;
		break;
	case HD_TRACE_LOST:
		m->lost[e->scheduler][e->cause] += e->cycle + e->cycles > m->cycle ? e->slots / e->cycles : 0;
		break;
	default:
		break;
	}
}

/* -- from the units -------------------------------------------------------------------------------------------------------------------------- */

static inline uint8_t model_state_of(const units_model *m, int64_t number)
{
	return number > 0 && (uint64_t)number < m->state.n ? m->state.at[number] : 0;
}

static inline void model_equal(units_model *m, const char *what, unsigned scheduler, unsigned at, int64_t got, int64_t expected)
{
	if (got != expected)
		model_differs(m, "%s of %u.%u is %lld, by the events %lld", what, scheduler, at, (long long)got, (long long)expected);
}

static inline int64_t model_address(uint32_t address) { return address == HD_TRACE_NO_ADDRESS ? -1 : (int64_t)address; }

static inline void model_compare_warp(units_model *m, unsigned s, unsigned slot, const hd_unit_warp *got)
{
	const model_warp *warp = &m->warp[s][slot];
	model_equal(m, "live", s, slot, got->live[0], warp->live);
	if (!warp->live)
		return;
	m->seen[HD_UNITS_warp]++;
	model_equal(m, "number in the CTA", s, slot, got->warp[0], warp->number);
	for (unsigned i = 0; i < HD_MAX_COUNTERS; i++) {
		model_equal(m, "fence counter", s, slot * 100 + i + 1, got->counter[i], (int16_t)warp->counter[i]);
		if (warp->counter[i] && !(got->outstanding[0] >> i & 1))
			model_differs(m, "counter %u of %u.%u is raised and its flag is not", i + 1, s, slot);
	}
	if (!warp->flow || got->effects[0] & HD_UNIT_GUESSING) /* a guess has moved the PC, and MINRC for it */
		return;
	model_equal(m, "active lanes", s, slot, got->active[0], warp->active);
	model_equal(m, "members", s, slot, got->members[0], warp->members);
	model_equal(m, "MINRC", s, slot, got->minrc[0], model_address(warp->minrc));
	model_equal(m, "depth", s, slot, got->depth[0], warp->depth);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		model_equal(m, "resume counter", s, slot * 100 + lane, got->resume[lane], model_address(warp->resume[lane]));
	for (unsigned i = 0; i < HD_UNIT_CALLS; i++)
		if ((got->back[i] != -1) != (i < warp->depth) && got->minrc[0] + got->back[i] != -2)
			model_differs(m, "caller %u of %u.%u is %lld, and the depth is %u", i, s, slot, (long long)got->back[i], warp->depth);
	m->calls += warp->depth > 0;
}

/* The instructions in a unit are at the stage that the events say. Notes them in `met`. */
static inline void model_is_at(units_model *m, const char *unit, int64_t number, uint8_t low, uint8_t high, uint8_t *met)
{
	uint8_t state = model_state_of(m, number);
	if (state < low || state > high)
		model_differs(m, "instruction %lld in the %s is at stage %u", (long long)number, unit, state);
	else
		met[number] = 1;
}

static inline void model_compare_way(units_model *m, const hd_units *units)
{
	uint8_t *met = hd_xcalloc(m->state.n + 1, 1);
	for (uint32_t i = 0; i < units->count[HD_UNITS_entry]; i++)
		if (units->entry[i].number[0])
			m->seen[HD_UNITS_entry]++, model_is_at(m, "FIFO", units->entry[i].number[0], MODEL_ISSUED, MODEL_ISSUED, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_hazard]; i++)
		if (units->hazard[i].number[0])
			m->seen[HD_UNITS_hazard]++, model_is_at(m, "hazard queue", units->hazard[i].number[0], MODEL_ISSUED, MODEL_ISSUED, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_pipe]; i++)
		if (units->pipe[i].entering[0])
			model_is_at(m, "entry of a pipe", units->pipe[i].entering[0], MODEL_ENTERED, MODEL_MADE, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_replay]; i++)
		if (units->replay[i].number[0])
			m->seen[HD_UNITS_replay]++, m->refused++,
			    model_is_at(m, "replay buffer", units->replay[i].number[0], MODEL_ISSUED, MODEL_MADE, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_flight]; i++)
		if (units->flight[i].number[0])
			m->seen[HD_UNITS_flight]++, model_is_at(m, units->flight[i].stage[0] ? "memory stage" : "pipe", units->flight[i].number[0],
			                                        MODEL_ENTERED, units->flight[i].stage[0] == 2 ? MODEL_DONE : MODEL_MADE, met);
	for (size_t i = 0; i < m->state.n; i++) {
		if (!units->hidden && m->state.at[i] >= MODEL_ISSUED && m->state.at[i] <= MODEL_MADE && !met[i])
			model_differs(m, "instruction %zu, at stage %u, is in no unit", i, m->state.at[i]);
	}
	for (uint32_t i = 0; i < units->count[HD_UNITS_result]; i++)
		if (units->result[i].number[0])
			m->seen[HD_UNITS_result]++, model_is_at(m, "results", units->result[i].number[0], MODEL_MADE, MODEL_DONE, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_buffer]; i++)
		if (units->buffer[i].number[0])
			m->seen[HD_UNITS_buffer]++, model_is_at(m, "operand buffer", units->buffer[i].number[0], MODEL_MADE, MODEL_DONE, met);
	for (uint32_t i = 0; i < units->count[HD_UNITS_read]; i++)
		if (units->read[i].number[0])
			m->seen[HD_UNITS_read]++, m->forwarded += units->read[i].place[0] != HD_UNIT_FILE,
			    model_is_at(m, "reads", units->read[i].number[0], MODEL_ENTERED, MODEL_MADE, met);
	free(met);
}

/* The scheduler's choice: who was ready, who was picked, and what the account says. */
static inline void model_compare_choice(units_model *m, const hd_units *units, unsigned s)
{
	const hd_unit_scheduler *got = &units->scheduler[s];
	const hd_unit_look *look = &units->look[s * HD_UNIT_LOOKS];
	uint64_t sent_back = 0, written = 0, reads = 0, in_ports = 0;
	int64_t order = 0;
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		model_equal(m, hd_stalls[cause].name, s, 0, got->lost[cause], (int64_t)m->lost[s][cause]);
	model_equal(m, "instructions issued", s, 0, got->issued[0], (int64_t)m->issued[s]);
	for (unsigned i = 0; i < HD_UNIT_WARPS; i++)
		order |= INT64_C(1) << got->order[i];
	model_equal(m, "the set of all slots in order", s, 0, order, (1 << HD_UNIT_WARPS) - 1);
	for (unsigned i = 0; i < HD_UNIT_LOOKS && look[i].number[0]; i++) {
		m->seen[HD_UNITS_look]++;
		if (!(got->ready[0] >> look[i].warp[0] & 1))
			model_differs(m, "warp %u.%lld was picked, which was not ready", s, (long long)look[i].warp[0]);
		if ((look[i].outcome[0] == HD_UNIT_SENT) != (look[i].sent[0] > 0))
			model_differs(m, "warp %u.%lld sent %lld with outcome %lld", s, (long long)look[i].warp[0], (long long)look[i].sent[0],
			              (long long)look[i].outcome[0]);
		sent_back += look[i].outcome[0] == HD_UNIT_SENT_BACK;
	}
	if (sent_back > m->sent_back[s])
		model_differs(m, "scheduler %u: %llu warps were sent back, by the events %llu", s, (unsigned long long)sent_back,
		              (unsigned long long)m->sent_back[s]);
	/* A warp that is ready is picked, unless the slots are taken. */
	if (got->ready[0] && !look->number[0] && !got->lost[HD_STALL_REPLAY])
		model_differs(m, "scheduler %u: warps %llx are ready, and none is picked", s, (unsigned long long)got->ready[0]);
	for (unsigned i = 0; i < HD_UNIT_WRITES; i++) {
		const hd_unit_write *write = &units->write[s * HD_UNIT_WRITES + i];
		written += model_registers(write->reg[0], write->words[0], (uint32_t)write->lanes[0]);
	}
	if (!units->hidden)
		model_equal(m, "registers and lanes written", s, 0, (int64_t)written, (int64_t)m->written[s]);
	m->seen[HD_UNITS_write] += written;
	for (unsigned i = 0; i < HD_UNIT_READS; i++) {
		const hd_unit_read *read = &units->read[s * HD_UNIT_READS + i];
		reads += read->number[0] && read->place[0] == HD_UNIT_FILE; /* of several words one at least */
	}
	for (unsigned i = 0; i < units->sizes.banks; i++)
		in_ports += (uint64_t)units->port[s * units->sizes.banks + i].reads[0];
	if (!units->hidden && in_ports < reads)
		model_differs(m, "scheduler %u: %llu operands come from the file, and its banks served %llu", s, (unsigned long long)reads,
		              (unsigned long long)in_ports);
	m->seen[HD_UNITS_port] += in_ports;
}

/* A slot that is lost because nobody is ready has the cause of some warp. */
static inline void model_compare_cause(units_model *m, const hd_units *units, unsigned s)
{
	const hd_unit_scheduler *got = &units->scheduler[s];
	if (got->ready[0] || units->look[s * HD_UNIT_LOOKS].number[0])
		return;
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++) {
		bool named = !got->lost[cause] || cause == HD_STALL_NO_WARP || cause == HD_STALL_REPLAY;
		for (unsigned slot = 0; slot < HD_UNIT_WARPS; slot++)
			named |= units->warp[s * HD_UNIT_WARPS + slot].why[0] == (int64_t)cause ||
			         (cause == HD_STALL_DELAY && units->warp[s * HD_UNIT_WARPS + slot].why[0] == HD_UNIT_WINDOW);
		if (!named)
			model_differs(m, "scheduler %u loses slots for `%s`, and no warp waits for that", s, hd_stalls[cause].name);
	}
}

static inline void model_compare(hd_unit_watch *watch, const hd_units *units)
{
	units_model *m = model_of(watch);
	model_begins(m, units->cycle);
	m->cycles++;
	for (unsigned s = 0; s < units->sizes.schedulers; s++) {
		for (unsigned slot = 0; slot < HD_UNIT_WARPS; slot++)
			model_compare_warp(m, s, slot, &units->warp[s * HD_UNIT_WARPS + slot]);
		model_compare_choice(m, units, s);
		model_compare_cause(m, units, s);
	}
	model_compare_way(m, units);
}

/* A model of core `core` from cycle 1 on; it compares in cycles `first` to `last`. The caller hands m.trace to the run. */
static inline units_model *model_new(const hd_program *program, uint32_t core, uint64_t first, uint64_t last)
{
	units_model *m = hd_xcalloc(1, sizeof *m);
	m->trace.event = model_event;
	m->watch = (hd_unit_watch){.core = core, .first = first, .last = last, .cycle = model_compare};
	m->program = program;
	m->trace.units = &m->watch;
	return m;
}

static inline void model_free(units_model *m)
{
	hd_vec_free(&m->state);
	free(m);
}

#endif
