#include "passes/annotate/priorities.h"

#include "passes/analysis/loop_weight.h"

enum { MAX_THREADS = 1024 /* of a CTA */ };

/* For one warp: the cycles for which each pipe's entry is busy, and the number of instructions. */
static void measure(const hd_ir_function *function, const hd_machine *machine, uint64_t busy[HD_PIPE_COUNT + 1], uint64_t *issued)
{
	memset(busy, 0, (HD_PIPE_COUNT + 1) * sizeof *busy);
	*issued = 0;
	for (size_t b = 0; b < function->blocks.n; b++) {
		const hd_ir_block *block = function->blocks.at[b];
		uint64_t weight = hd_loop_weight(block);
		for (size_t i = 0; i < block->insts.n; i++) {
			const hd_op_info *op = &hd_ops[block->insts.at[i]->op];
			busy[hd_machine_pipe(machine, (hd_class)op->klass)] += weight * hd_machine_spread(machine, (hd_class)op->klass);
			*issued += weight;
		}
	}
}

/* The pipe with the fastest class of all; of several, the one with the lowest number, which is the ALU unless the configuration says otherwise. */
static unsigned widest_pipe(const hd_machine *machine)
{
	unsigned best = HD_PIPE_ALU;
	uint32_t least = UINT32_MAX;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (hd_machine_pipe(machine, (hd_class)i) < HD_PIPE_FLOW && machine->latency[i].interval < least) {
			least = machine->latency[i].interval;
			best = hd_machine_pipe(machine, (hd_class)i);
		}
	}
	return best;
}

static unsigned busiest_pipe(const uint64_t busy[HD_PIPE_COUNT + 1])
{
	unsigned most = 0;
	for (unsigned pipe = 1; pipe < HD_PIPE_FLOW; pipe++)
		if (busy[pipe] > busy[most])
			most = pipe;
	return most;
}

/* Warps of a CTA: as the kernel says, or as many as the core has slots for. */
static uint32_t warps_of(const hd_kernel *info, const hd_machine *machine)
{
	const uint32_t *block = info->required_block;
	uint64_t threads = block[0] ? (uint64_t)block[0] * block[1] * block[2] : info->max_threads;
	if (!threads || threads > MAX_THREADS)
		threads = MAX_THREADS;
	return hd_min_u32(hd_divide_up_u32((uint32_t)threads, machine->machine_lanes), machine->machine_schedulers * machine->machine_warps);
}

void hd_choose_priorities(hd_ir_function *function, const hd_machine *machine)
{
	uint64_t busy[HD_PIPE_COUNT + 1], issued;
	if (function->info.priority || function->info.priority_step)
		return; /* the source has stated it (PD-31) */
	if (!function->kernel || machine->predecode_priority != HD_PRIORITY_PROGRAM || !machine->predecode_strict_order)
		return;
	measure(function, machine, busy, &issued);
	unsigned most = busiest_pipe(busy);
	if (most == widest_pipe(machine) || 2 * busy[most] < issued / machine->predecode_issue_width)
		return;
	/* The middle half of the range, as a boost or a lower is a quarter of it (PD-9). Warp 0 comes first, as it does by age. */
	int32_t quarter = 1 << (machine->predecode_priority_bits - 2), warps = (int32_t)warps_of(&function->info, machine);
	int32_t step = warps > 1 ? 2 * quarter / warps : 0;
	function->info.priority = (uint32_t)(3 * quarter - 1);
	function->info.priority_step = -(step ? step : 1);
}
