#include "config/state_bits.h"

/* The ranges of registers and the predicates that one candidate reads and writes at most. */
enum { REGISTERS_READ = 3, REGISTERS_WRITTEN = 1, PREDICATES_READ = 4, PREDICATES_WRITTEN = 1, RANGE_COMPARATORS = 2 };
enum { ADDRESS_BITS = 24, STACK_SIDES = 32, TOKEN_KIND_BITS = 2, CONVERGENCE_BARRIERS = 16, PATIENCE_BITS = 6 };
enum { SCOREBOARD_ENTRIES = 332, HINT_MOST = 15, WAIT_BITS = 4 };

/* The number of bits that hold 0 to `most`. */
static uint32_t width(uint32_t most)
{
	uint32_t bits = 0;
	for (; most; most >>= 1)
		bits++;
	return bits;
}

/* The number of comparisons of a pair of candidates: RAW, WAR and WAW. */
static uint32_t comparisons(uint32_t reads, uint32_t writes) { return 2 * reads * writes + writes * writes; }

static void add_window(const hd_machine *machine, uint32_t longest_delay, hd_state_bits *bits)
{
	uint32_t n = machine->multi_issue_window, pairs = machine->machine_schedulers * (n * (n - 1) / 2);
	bits->window_warp = bits->window_core = bits->register_comparators = bits->predicate_comparators = 0;
	if (!hd_machine_has_window(machine))
		return;
	bits->window_warp = HD_WINDOW_SPAN - 1 + (HD_PIPE_COUNT - 1) * (WAIT_BITS + width(longest_delay)) + HD_PIPE_COUNT;
	bits->window_core = machine->machine_schedulers * machine->machine_warps * bits->window_warp;
	bits->register_comparators = pairs * RANGE_COMPARATORS * comparisons(REGISTERS_READ, REGISTERS_WRITTEN);
	bits->predicate_comparators = pairs * comparisons(PREDICATES_READ, PREDICATES_WRITTEN);
}

/* Divergence, by part (RC-22). */
static void add_divergence(const hd_machine *machine, hd_state_bits *bits)
{
	uint32_t lanes = machine->machine_lanes, lane_number = width(lanes - 1), calls = machine->divergence_call_depth,
	         tokens = hd_min_u32(machine->divergence_tokens, STACK_SIDES + calls);
	const uint32_t members[] = {
	    [HD_MEMBER_FLAG] = lanes, [HD_MEMBER_RANGE] = 2 * ADDRESS_BITS, [HD_MEMBER_ENTRY] = ADDRESS_BITS, [HD_MEMBER_NONE] = lanes};
	uint32_t activation = members[machine->divergence_membership];
	switch (machine->divergence_mode) {
	case HD_DIV_RESUME:
		bits->divergence_lanes = lanes * ADDRESS_BITS;
		bits->divergence_minrc = ADDRESS_BITS;
		bits->divergence_members = activation;
		bits->divergence_calls =
		    width(calls) + calls * ((machine->divergence_membership == HD_MEMBER_NONE ? 1 : 2) * ADDRESS_BITS + activation);
		bits->resume_comparators = machine->machine_schedulers * hd_machine_resume_checks(machine);
		break;
	case HD_DIV_STACK:
		bits->divergence_tokens = tokens * (TOKEN_KIND_BITS + ADDRESS_BITS + lanes) + width(tokens);
		break;
	case HD_DIV_BARRIERS:
		/* of a lane: its address, its place among the groups, and whether it waits, at which barrier or at a `bar` */
		bits->divergence_lanes = lanes * (ADDRESS_BITS + lane_number + width(CONVERGENCE_BARRIERS + 2));
		bits->divergence_tokens = CONVERGENCE_BARRIERS * lanes + PATIENCE_BITS;
		bits->divergence_calls = width(calls) + calls * (ADDRESS_BITS + lanes);
		break;
	}
	bits->gather_warp = lanes * (32 + lanes + (machine->divergence_mode != HD_DIV_STACK));
	bits->divergence_warp =
	    bits->divergence_lanes + bits->divergence_minrc + bits->divergence_members + bits->divergence_calls + bits->divergence_tokens;
	bits->divergence_core = machine->machine_schedulers * machine->machine_warps * bits->divergence_warp;
}

uint32_t hd_result_comparators(const hd_machine *m)
{
	uint32_t pipes = m->last_use_across ? HD_PIPE_FLOW : 1, latches = m->last_use_path_b + m->last_use_path_a;
	if (hd_machine_has_operand_buffer(m))
		return latches * pipes + m->last_use_compensation + m->last_use_last_result;
	return (latches + m->last_use_compensation) * pipes;
}

static void add_results(const hd_machine *m, hd_state_bits *bits)
{
	enum { LANES_AND_VALUE = HD_LANES * 33, REGISTER = 8, OPERANDS = 3 };
	uint32_t word = LANES_AND_VALUE + REGISTER, share = hd_machine_compensation_share(m), k = m->last_use_compensation;
	if (hd_machine_has_operand_buffer(m)) {
		uint32_t groups = (m->machine_warps + share - 1) / share;
		/* Of each pair of registers: which one was used later. */
		bits->results_core = groups * (k * (word + width(share - 1)) + k * (k - 1) / 2) + m->machine_warps * m->last_use_last_result * word;
	} else {
		bits->results_core = HD_PIPE_FLOW * k * (word + width(m->machine_warps - 1));
	}
	bits->results_core *= m->machine_schedulers;
	bits->result_comparators = m->machine_schedulers * OPERANDS * hd_result_comparators(m);
}

void hd_state_bits_of(const hd_machine *machine, hd_state_bits *bits)
{
	uint32_t warps = machine->machine_schedulers * machine->machine_warps;
	/* Where the program chooses the split, any counter can be a low-latency one. */
	uint32_t low = machine->fence_counters - (machine->fence_split == HD_SPLIT_PROGRAM ? 0 : machine->fence_high_latency), queued = 0,
	         longest = 0, fifo = 1, saved = 0, whose = width(machine->machine_schedulers - 1);
	*bits = (hd_state_bits){0};
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		const hd_queue_sizes *q = &machine->queue[pipe];
		queued += q->fifo + q->hazard;
		fifo = hd_max_u32(q->fifo, fifo);
		uint32_t spacing = width(hd_machine_spacing(machine, (hd_pipe)pipe));
		uint32_t entries = (q->fifo + q->hazard) * (low + spacing) + q->hazard * (1 + width(q->hazard)) + width(q->hazard);
		bits->queue_entries += entries;
		if (machine->machine_shared_pipes >> pipe & 1) /* HZ-37: one queue a core, whose entries say of which scheduler they are */
			saved += (machine->machine_schedulers - 1) * entries - (q->fifo + q->hazard) * whose;
		/* Each queue has for each warp the count of the last instruction that was sent to it, and the cycles since one left it
		 * (docs/timing.md, rule 2). */
		bits->distances_warp += 2 * spacing;
		longest = hd_max_u32(spacing, longest);
	}
	bits->fence_counters_warp = machine->fence_counters * (machine->fence_bits + 1);
	bits->wait_counters_warp = machine->fence_wait_counters ? low * (width(queued) + 1) : 0;
	/* A warp waits for outstanding counters, for room in one, or, with wait counters, for the secondaries in queues. */
	bits->monitor_warp = machine->fence_counters + 1 + (machine->fence_wait_counters ? 2 : 1);
	bits->fence_warp = bits->fence_counters_warp + bits->wait_counters_warp + bits->monitor_warp + bits->distances_warp + longest + WAIT_BITS +
	                   width(HINT_MOST + fifo - 1);
	bits->fence_core = warps * bits->fence_warp + machine->machine_schedulers * bits->queue_entries - saved;

	uint32_t consumers = machine->fence_consumers ? machine->fence_consumers : queued;
	bits->scoreboard_warp = SCOREBOARD_ENTRIES + SCOREBOARD_ENTRIES * width(consumers);
	bits->scoreboard_core = warps * bits->scoreboard_warp;
	add_divergence(machine, bits);
	add_window(machine, HINT_MOST + fifo - 1, bits);
	add_results(machine, bits);
}

uint32_t hd_state_bits_of_core(const hd_machine *machine)
{
	hd_state_bits bits;
	hd_state_bits_of(machine, &bits);
	return (hd_machine_has_scoreboard(machine) ? bits.scoreboard_core : bits.fence_core) + bits.window_core;
}

uint32_t hd_machine_state_bits(const hd_machine *machine)
{
	hd_state_bits bits;
	hd_state_bits_of(machine, &bits);
	return hd_state_bits_of_core(machine) + bits.results_core;
}
