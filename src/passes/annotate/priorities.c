/* Priorities of a kernel's warps (PD-12, PD-22). Warps of equal priority go in turn as their positions fall, run in step, and come to a slow unit
 * together: all wait for it, then it waits for all of them. In strict order one warp reaches it while the others still compute.
 *
 * That is worth something only where a unit other than the widest (the one that takes an instruction in the least time) limits the kernel: it has
 * more to do than any other, and is busy for at least half of the cycles that issuing takes. */
#include "passes/annotate/priorities.h"

enum { MOST_LEVELS = 6, WARP = 32, MOST_THREADS = 1024 };

/* For one warp: the cycles for which each pipe's entry is busy, and the instructions. */
static void measure(const hd_ir_function *function, const hd_machine *machine, uint64_t demand[HD_PIPE_COUNT + 1], uint64_t *issued)
{
	memset(demand, 0, (HD_PIPE_COUNT + 1) * sizeof *demand);
	*issued = 0;
	for (size_t b = 0; b < function->blocks.n; b++) {
		const hd_ir_block *block = function->blocks.at[b];
		/* 8 rounds a level, as for the choice of counters. */
		uint64_t weight = UINT64_C(1) << 3 * (block->loop_depth < MOST_LEVELS ? block->loop_depth : MOST_LEVELS);
		for (size_t i = 0; i < block->insts.n; i++) {
			const hd_op_info *op = &hd_ops[block->insts.at[i]->op];
			demand[op->pipe] += weight * machine->latency[op->klass].interval;
			*issued += weight;
		}
	}
}

/* The pipe whose fastest class is the fastest of all; of several, that of the lowest number: the ALU, unless the configuration says otherwise. */
static unsigned widest(const hd_machine *machine)
{
	unsigned best = HD_PIPE_ALU;
	uint32_t least = UINT32_MAX;
	static const uint8_t pipes[HD_CLASS_COUNT] = {
#define CLASS(id, pipe, ...) HD_PIPE_##pipe,
	    HD_CLASSES(CLASS)
#undef CLASS
	};
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (pipes[i] < HD_PIPE_FLOW && machine->latency[i].interval < least) {
			least = machine->latency[i].interval;
			best = pipes[i];
		}
	}
	return best;
}

/* Warps of a CTA: as the kernel says, or as many as the core has slots for. */
static uint32_t warps(const hd_kernel *info, const hd_machine *machine)
{
	uint64_t threads =
	    info->required_block[0] ? (uint64_t)info->required_block[0] * info->required_block[1] * info->required_block[2] : info->max_threads;
	uint32_t slots = machine->machine_schedulers * machine->machine_warps;
	if (!threads || threads > MOST_THREADS)
		threads = MOST_THREADS;
	return (threads + WARP - 1) / WARP < slots ? (uint32_t)((threads + WARP - 1) / WARP) : slots;
}

void hd_choose_priorities(hd_ir_function *function, const hd_machine *machine)
{
	uint64_t demand[HD_PIPE_COUNT + 1], issued;
	if (!function->kernel || machine->predecode_priority != HD_PRIORITY_PROGRAM)
		return;
	measure(function, machine, demand, &issued);
	unsigned most = 0;
	for (unsigned pipe = 1; pipe < HD_PIPE_FLOW; pipe++)
		if (demand[pipe] > demand[most])
			most = pipe;
	if (most == widest(machine) || 2 * demand[most] < issued / machine->predecode_issue_width)
		return;
	/* The middle half of the range: a boost or a lower is a quarter of it (PD-9). Warp 0 comes first, as it does by age. */
	int32_t quarter = 1 << (machine->predecode_priority_bits - 2), n = (int32_t)warps(&function->info, machine);
	int32_t step = n > 1 ? 2 * quarter / n : 0;
	function->info.priority = (uint32_t)(3 * quarter - 1);
	function->info.priority_step = -(step ? step : 1);
}
