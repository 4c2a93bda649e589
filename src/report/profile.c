#include "report/profile.h"

static uint32_t *raiser_of(hd_profile *p, const hd_trace_event *e, unsigned counter)
{
	return &p->raiser[((e->core * HD_MAX_SCHEDULERS + e->scheduler) * HD_WARP_SLOTS + e->slot) * HD_MAX_COUNTERS + counter];
}

static void halve(hd_profile_lane *lane)
{
	for (unsigned i = 0; lane->used && i < HD_PROFILE_BINS; i++) {
		bool there = 2 * i < HD_PROFILE_BINS;
		for (unsigned k = 0; k < HD_WARP_STATES; k++)
			lane->cycles[i][k] = there ? lane->cycles[2 * i][k] + lane->cycles[2 * i + 1][k] : 0;
		lane->issued[i] = there ? lane->issued[2 * i] + lane->issued[2 * i + 1] : 0;
		lane->begins[i] = there && (lane->begins[2 * i] || lane->begins[2 * i + 1]);
	}
}

static unsigned bin_of(hd_profile *p, uint64_t cycle)
{
	while (cycle / p->bin >= HD_PROFILE_BINS) {
		for (unsigned i = 0; i < HD_PROFILE_BINS; i++) {
			bool there = 2 * i < HD_PROFILE_BINS;
			for (unsigned k = 0; k <= HD_STALL_COUNT; k++)
				p->slots[i][k] = there ? p->slots[2 * i][k] + p->slots[2 * i + 1][k] : 0;
			p->warps[i] = there ? p->warps[2 * i] + p->warps[2 * i + 1] : 0;
			p->accesses[i] = there ? p->accesses[2 * i] + p->accesses[2 * i + 1] : 0;
		}
		for (unsigned w = 0; w < HD_PROFILE_WARPS; w++)
			halve(&p->lanes[w]);
		p->bin *= 2;
	}
	return (unsigned)(cycle / p->bin);
}

/* Calls `each` for each cycle of `cycles` cycles from `cycle` on. */
static void add_to_bins(hd_profile *p, uint64_t cycle, uint64_t cycles, uint64_t each, uint64_t *column, size_t stride)
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

/* Adds the lane's cycles up to `cycle` to its current state. */
static void stay(hd_profile *p, hd_profile_lane *lane, uint64_t cycle)
{
	uint64_t at = lane->since;
	lane->since = cycle;
	if (!lane->resident || cycle <= at)
		return;
	bin_of(p, cycle);
	while (at < cycle) {
		uint64_t n = p->bin - at % p->bin;
		if (n > cycle - at)
			n = cycle - at;
		lane->cycles[at / p->bin][lane->state] += (uint32_t)n;
		at += n;
	}
}

static void change(hd_profile *p, hd_profile_lane *lane, uint64_t cycle, hd_warp_state state)
{
	if (lane->state == state)
		return;
	stay(p, lane, cycle);
	lane->state = state;
}

static void timeline(hd_profile *p, const hd_trace_event *e)
{
	uint64_t index = ((uint64_t)e->core * p->schedulers + e->scheduler) * p->slots_each + e->slot;
	if (e->slot == HD_TRACE_NO_WARP || index >= HD_PROFILE_WARPS)
		return;
	hd_profile_lane *lane = &p->lanes[index];
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		stay(p, lane, e->cycle);
		lane->resident = lane->used = true;
		lane->state = HD_WARP_RUNS;
		lane->begins[bin_of(p, e->cycle)] = true;
		break;
	case HD_TRACE_END:
		stay(p, lane, e->cycle);
		lane->resident = false;
		break;
	case HD_TRACE_ISSUE:
		change(p, lane, e->cycle, HD_WARP_RUNS);
		lane->issued[bin_of(p, e->cycle)]++;
		break;
	case HD_TRACE_DESCHEDULE:
		change(p, lane, e->cycle, HD_WARP_WAITS);
		break;
	case HD_TRACE_DONE:
		if (e->pc < p->program->n_slots && p->program->slots[e->pc].inst.op == HD_OP_BAR && lane->resident)
			change(p, lane, e->cycle, HD_WARP_BARRIER);
		break;
	default:
		break;
	}
}

void hd_profile_settle(hd_profile *p)
{
	for (unsigned i = 0; i < HD_PROFILE_WARPS; i++)
		stay(p, &p->lanes[i], p->last + 1);
}

static void residency(hd_profile *p, uint64_t cycle)
{
	if (p->resident && cycle > p->since)
		add_to_bins(p, p->since, cycle - p->since, p->resident, p->warps, 1);
	p->since = cycle;
}

static void waited(hd_profile *p, hd_profile_row *row, const hd_trace_event *e)
{
	unsigned counter = hd_lowest_bit(e->counters);
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
	hd_profile_row *row = &p->rows[hd_min_u32(e->pc, none)];
	if (e->kind != HD_TRACE_LOST && e->cycle > p->last)
		p->last = e->cycle;
	timeline(p, e);
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
		p->slots[bin_of(p, e->cycle)][HD_STALL_COUNT] += e->slots;
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
	case HD_TRACE_ACCESS:
		row->sectors += e->sectors;
		break;
	case HD_TRACE_MEMORY:
		p->accesses[bin_of(p, e->cycle)]++;
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
		add_to_bins(p, e->cycle, e->cycles, e->slots / e->cycles, &p->slots[0][e->cause], HD_STALL_COUNT + 1);
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
	p->cores = hd_machine_cores(machine);
	p->rows = hd_xcalloc((size_t)program->n_slots + 1, sizeof *p->rows);
	p->raiser = hd_xcalloc((size_t)p->cores * HD_MAX_SCHEDULERS * HD_WARP_SLOTS, HD_MAX_COUNTERS * sizeof *p->raiser);
	p->bin = 1;
	p->schedulers = machine->machine_schedulers;
	p->slots_each = machine->machine_warps;
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

uint64_t hd_profile_slots(const hd_profile_row *row) { return row->slots + hd_profile_lost(row); }

uint64_t hd_profile_lost(const hd_profile_row *row)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		sum += row->lost[i];
	return sum;
}

double hd_profile_share(uint64_t slots, uint64_t all, uint64_t cycles) { return all ? (double)slots * (double)cycles / (double)all : 0; }

void hd_profile_add(hd_profile_row *sum, const hd_profile_row *row)
{
	sum->issued += row->issued;
	sum->dropped += row->dropped;
	sum->lanes += row->lanes;
	sum->slots += row->slots;
	sum->descheduled += row->descheduled;
	sum->queue_cycles += row->queue_cycles;
	sum->pipe_cycles += row->pipe_cycles;
	sum->sectors += row->sectors;
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		sum->lost[i] += row->lost[i];
}

uint64_t hd_profile_total(const hd_profile *p)
{
	uint64_t total = 0;
	for (uint32_t pc = 0; pc <= p->program->n_slots; pc++)
		total += hd_profile_slots(&p->rows[pc]);
	return total;
}
