#include "core/observe/diagnosis.h"

#include "core/execute/shared_pipes.h"
#include "core/flow/groups.h"
#include "core/flow/stack.h"
#include "core/observe/livelock.h"
#include "core/observe/stop.h"

static void print_counters(uint32_t mask, hd_text *text)
{
	for (uint32_t left = mask; left; left &= left - 1)
		hd_text_printf(text, "%s%u", left == mask ? "" : ", ", hd_lowest_bit(left) + 1);
}

/* The barrier at which a waiting warp waits. */
static int barrier_of(const hd_cta *cta, uint32_t number)
{
	for (int i = 0; i < HD_BARRIERS; i++)
		if (cta->barriers.waiting[i] >> number & 1)
			return i;
	return -1;
}

void hd_core_print_waiting(const hd_core *core, const hd_warp_flow *flow, hd_text *text)
{
	uint32_t seen = hd_flow_synced(flow), where[HD_LANES];
	if (seen)
		hd_sync_explain(flow->sync, flow->alive, core->context->tasks->program, "      ", text);
	if (core->flow.mode == HD_DIV_STACK)
		hd_stack_waiting(flow, where);
	else if (core->flow.mode == HD_DIV_BARRIERS)
		hd_groups_waiting(flow, where);
	else
		hd_flow_waiting(flow, where);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		if (where[lane] == HD_INF || seen >> lane & 1)
			continue;
		uint32_t same = 0;
		for (unsigned other = lane; other < HD_LANES; other++)
			same |= (uint32_t)(where[other] == where[lane] && !(seen >> other & 1)) << other;
		seen |= same;
		hd_text_printf(text, "      lanes 0x%08x wait to resume at ", same);
		hd_core_print_place(core, where[lane], text);
		hd_text_printf(text, "\n");
	}
}

static void print_warp(const hd_core *core, const hd_scheduler *s, unsigned slot, hd_text *text)
{
	const hd_warp *warp = &s->warp[slot];
	const hd_cta *cta = warp->cta;
	const hd_warp_flow *flow = &s->flow[slot];
	uint32_t bit = 1u << slot;
	hd_text_printf(text, "    warp %u of CTA (%u,%u,%u): ", warp->number, cta->at[0], cta->at[1], cta->at[2]);
	if (!(s->live & bit)) {
		hd_text_printf(text, "has ended; %u instructions in flight\n", warp->in_flight);
		return;
	}
	if (hd_livelock_spins(core, (unsigned)(s - core->scheduler), slot))
		hd_text_printf(text, "spins; ");
	if (s->at_barrier & bit && cta->barriers.joining >> warp->number & 1) {
		hd_text_printf(text, "waits for the child grids of its CTA (grids.join), ");
	} else if (s->at_barrier & bit) {
		hd_text_printf(text, "waits at barrier %d, ", barrier_of(cta, warp->number));
	} else if (s->for_waiters & bit) {
		hd_text_printf(text, "waits until the secondaries of counter ");
		print_counters(s->watch[slot] & s->waiters.flags[slot], text);
		hd_text_printf(text, " have left their queues (wait counters) at ");
	} else if (s->for_room & bit) {
		hd_text_printf(text, "waits until fence counter ");
		print_counters(s->watch[slot] & s->fence.full[slot], text);
		hd_text_printf(text, " can count one more primary at ");
	} else if (s->descheduled & bit) {
		hd_text_printf(text, "waits for fence counter ");
		print_counters(s->watch[slot] & s->fence.flags[slot], text);
		hd_text_printf(text, " at ");
	} else if (s->deciding & bit) {
		hd_text_printf(text, "waits for its flow instruction at ");
	} else if (s->full & s->next_pipe[slot]) {
		hd_text_printf(text, "finds the queue of pipe %s full at ", hd_pipe_names[hd_lowest_bit(s->next_pipe[slot])]);
	} else {
		hd_text_printf(text, "is at ");
	}
	hd_core_print_place(core, s->at_barrier & bit ? warp->barrier_pc : flow->pc, text);
	hd_text_printf(text, ", active lanes 0x%08x\n", flow->active);
	hd_core_print_waiting(core, flow, text);
	uint32_t outstanding = s->fence.flags[slot] & (s->guessing & bit ? ~(uint32_t)HD_UNDECIDED : ~0u);
	if (outstanding) {
		hd_text_printf(text, "      outstanding fence counters:");
		for (uint32_t left = outstanding; left; left &= left - 1)
			hd_text_printf(text, " %u (%d lane groups)", hd_lowest_bit(left) + 1, s->fence.value[slot][hd_lowest_bit(left)]);
		hd_text_printf(text, "\n");
	}
}

static void print_sent(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, const char *where, hd_text *text)
{
	hd_text_printf(text, "      %s: warp %u, ", where, s->warp[sent->warp].number);
	hd_core_print_place(core, sent->pc, text);
	hd_text_printf(text, " \"");
	hd_inst_print(text, &core->slots[sent->pc].inst);
	hd_text_printf(text, "\"");
	if (sent->wait & s->fence.flags[sent->warp]) {
		hd_text_printf(text, " waits for counter ");
		print_counters(sent->wait & s->fence.flags[sent->warp], text);
	}
	if (core->code[sent->pc].primary)
		hd_text_printf(text, " and will release counter %u", core->code[sent->pc].primary);
	hd_text_printf(text, "\n");
}

static void print_queues(const hd_core *core, const hd_scheduler *s, hd_text *text)
{
	for (uint32_t left = s->occupied & ~(core->pipes ? core->pipes->shared : 0); left; left &= left - 1) {
		const hd_queue *queue = &s->queue[hd_lowest_bit(left)];
		hd_text_printf(text, "    queue of pipe %s:\n", hd_pipe_names[hd_lowest_bit(left)]);
		for (unsigned i = 0; i < queue->hazard_n; i++)
			print_sent(core, s, &queue->hazard[queue->age[i]], "hazard queue", text);
		for (unsigned i = 0; i < queue->fifo_n; i++)
			print_sent(core, s, &queue->fifo[(queue->fifo_head + i) % queue->fifo_size], "FIFO", text);
	}
}

static void print_shared(const hd_core *core, hd_sent sent, const char *where, hd_text *text)
{
	const hd_scheduler *s = &core->scheduler[sent.warp / HD_WARP_SLOTS];
	sent.warp %= HD_WARP_SLOTS;
	print_sent(core, s, &sent, where, text);
}

/* HZ-37 */
static void print_shared_queues(const hd_core *core, hd_text *text)
{
	for (uint32_t left = core->pipes ? core->pipes->shared : 0; left; left &= left - 1) {
		const hd_queue *queue = &core->pipes->queue[hd_lowest_bit(left)];
		if (hd_queue_empty(queue))
			continue;
		hd_text_printf(text, "    queue of all schedulers before pipe %s:\n", hd_pipe_names[hd_lowest_bit(left)]);
		for (unsigned i = 0; i < queue->hazard_n; i++)
			print_shared(core, queue->hazard[queue->age[i]], "hazard queue", text);
		for (unsigned i = 0; i < queue->fifo_n; i++)
			print_shared(core, queue->fifo[(queue->fifo_head + i) % queue->fifo_size], "FIFO", text);
	}
}

static void print_warps(const char *label, uint32_t warps, hd_text *text)
{
	for (uint32_t left = warps; left; left &= left - 1)
		hd_text_printf(text, "%s %u", left == warps ? label : "", hd_lowest_bit(left));
}

static void print_barriers(const hd_cta *cta, uint32_t warps, hd_text *text)
{
	for (unsigned i = 0; i < HD_BARRIERS; i++) {
		if (!cta->barriers.arrived[i])
			continue;
		hd_text_printf(text, "    barrier %u of CTA (%u,%u,%u)", i, cta->at[0], cta->at[1], cta->at[2]);
		print_warps(": arrived", cta->barriers.came[i], text);
		if (cta->barriers.expected[i])
			hd_text_printf(text, " of %u warps", cta->barriers.expected[i]);
		print_warps("; missing", ~(cta->barriers.came[i] | cta->barriers.ended) & (UINT32_MAX >> (HD_LANES - warps)), text);
		if (cta->barriers.expected[i])
			print_warps("; ended without coming", cta->barriers.ended & ~cta->barriers.came[i], text);
		hd_text_printf(text, "\n");
	}
}

bool hd_core_place(const hd_core *core, hd_trap *trap)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		const hd_scheduler *s = &core->scheduler[i];
		uint32_t pick = s->at_barrier ? s->at_barrier : s->live;
		if (!pick)
			continue;
		unsigned slot = hd_lowest_bit(pick);
		const hd_warp_flow *flow = &s->flow[slot];
		uint32_t pc = s->at_barrier ? s->warp[slot].barrier_pc : flow->pc;
		hd_core_fill_place(core, core->last, i, slot, pc, flow->active ? hd_lowest_bit(flow->active) : 0, trap);
		return true;
	}
	return false;
}

void hd_core_explain(const hd_core *core, uint64_t now, hd_trap *trap, hd_text *text)
{
	hd_core_place(core, trap);
	trap->cycle = now;
	hd_text_printf(text, "  core %u at cycle %llu:\n", core->number, (unsigned long long)now);
	for (uint32_t i = 0; i < core->size.ctas; i++)
		if (core->ctas[i].used && !core->ctas[i].begins)
			print_barriers(&core->ctas[i], core->ctas[i].warps, text);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		const hd_scheduler *s = &core->scheduler[i];
		for (unsigned slot = 0; slot < HD_WARP_SLOTS; slot++)
			if (s->warp[slot].cta)
				print_warp(core, s, slot, text);
		print_queues(core, s, text);
	}
	print_shared_queues(core, text);
}
