#include "report/profile.h"

enum { SCHEDULERS = 8, SLOTS = 16 }; /* of a core, of a scheduler: the most that machine.def allows */

const char *const hd_cause_names[HD_CAUSE_COUNT] = {"no_warp", "fetch",   "delay",      "high_latency", "wait_counter", "queue_full", "unit_busy",
                                                    "flow",    "barrier", "scoreboard", "hold",         "replay",       "constant",   "other"};

static uint32_t *raiser_of(hd_profile *p, const hd_trace_event *e, unsigned counter)
{
	return &p->raiser[((e->core * SCHEDULERS + e->scheduler) * SLOTS + e->slot) * HD_MAX_COUNTERS + counter];
}

static unsigned bin_of(hd_profile *p, uint64_t cycle)
{
	while (cycle / p->bin >= HD_PROFILE_BINS) {
		for (unsigned i = 0; i < HD_PROFILE_BINS; i++) {
			bool there = 2 * i < HD_PROFILE_BINS;
			for (unsigned k = 0; k <= HD_CAUSE_COUNT; k++)
				p->slots[i][k] = there ? p->slots[2 * i][k] + p->slots[2 * i + 1][k] : 0;
			p->warps[i] = there ? p->warps[2 * i] + p->warps[2 * i + 1] : 0;
		}
		p->bin *= 2;
	}
	return (unsigned)(cycle / p->bin);
}

/* `each` for every one of `cycles` cycles from `cycle` on. */
static void spread(hd_profile *p, uint64_t cycle, uint64_t cycles, uint64_t each, uint64_t *column, size_t stride)
{
	bin_of(p, cycle + cycles);
	while (cycles) {
		uint64_t n = p->bin - cycle % p->bin;
		if (n > cycles)
			n = cycles;
		column[cycle / p->bin * stride] += n * each;
		cycle += n;
		cycles -= n;
	}
}

static void residency(hd_profile *p, uint64_t cycle)
{
	if (p->resident && cycle > p->since)
		spread(p, p->since, cycle - p->since, p->resident, p->warps, 1);
	p->since = cycle;
}

static void waited(hd_profile *p, hd_profile_row *row, const hd_trace_event *e)
{
	unsigned counter = (unsigned)__builtin_ctz(e->counters);
	uint32_t raiser = *raiser_of(p, e, counter);
	for (size_t i = 0; i < row->waits.n; i++) {
		if (row->waits.at[i].raiser == raiser && row->waits.at[i].counter == counter + 1) {
			row->waits.at[i].slots += e->slots;
			return;
		}
	}
	hd_vec_push(&row->waits, (hd_profile_wait){raiser, counter + 1, e->slots});
}

static void event(hd_trace *trace, const hd_trace_event *e)
{
	hd_profile *p = (hd_profile *)trace;
	uint32_t none = p->program->n_slots;
	hd_profile_row *row = &p->rows[e->pc < none ? e->pc : none];
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		residency(p, e->cycle);
		p->resident++;
		break;
	case HD_TRACE_END:
		residency(p, e->cycle);
		p->resident--;
		break;
	case HD_TRACE_ISSUE:
		row->issued++;
		row->slots += e->slots;
		p->slots[bin_of(p, e->cycle)][HD_CAUSE_COUNT] += e->slots;
		if (e->pc < none && p->program->slots[e->pc].inst.primary)
			*raiser_of(p, e, p->program->slots[e->pc].inst.primary - 1u) = e->pc;
		break;
	case HD_TRACE_DROP:
		row->dropped++;
		row->queue_cycles += e->cycle - e->since;
		break;
	case HD_TRACE_ENTER:
		row->lanes += (unsigned)__builtin_popcount(e->mask);
		row->queue_cycles += e->cycle - e->since;
		break;
	case HD_TRACE_DONE:
		row->pipe_cycles += e->cycle - e->since;
		break;
	case HD_TRACE_DESCHEDULE:
		row->descheduled++;
		break;
	case HD_TRACE_LOST:
		if (e->slot == HD_TRACE_NO_WARP)
			row = &p->rows[none];
		row->lost[e->cause] += e->slots;
		if (e->counters && e->slot != HD_TRACE_NO_WARP)
			waited(p, row, e);
		spread(p, e->cycle, e->cycles, e->slots / e->cycles, &p->slots[0][e->cause], HD_CAUSE_COUNT + 1);
		break;
	default:
		break;
	}
}

hd_profile *hd_profile_new(const hd_machine *machine, const hd_program *program)
{
	hd_profile *p = hd_xcalloc(1, sizeof *p);
	p->trace.event = event;
	p->program = program;
	p->cores = machine->machine_clusters * machine->machine_cores;
	p->rows = hd_xcalloc((size_t)program->n_slots + 1, sizeof *p->rows);
	p->raiser = hd_xcalloc((size_t)p->cores * SCHEDULERS * SLOTS, HD_MAX_COUNTERS * sizeof *p->raiser);
	p->bin = 1;
	return p;
}

void hd_profile_free(hd_profile *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i <= p->program->n_slots; i++)
		hd_vec_free(&p->rows[i].waits);
	free(p->raiser);
	free(p->rows);
	free(p);
}

uint64_t hd_profile_slots(const hd_profile_row *row)
{
	uint64_t sum = row->slots;
	for (unsigned i = 0; i < HD_CAUSE_COUNT; i++)
		sum += row->lost[i];
	return sum;
}
