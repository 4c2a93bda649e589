#include "passes/annotate/serial.h"

static uint16_t mask_of(uint32_t counter) { return (uint16_t)(1u << (counter - 1)); }

void hd_annotate_serial(hd_ir_function *function, const hd_machine *machine)
{
	uint32_t counters[2][2]; /* low and high latency, two in turn */
	uint16_t all = 0;
	for (unsigned high = 0; high < 2; high++) {
		uint32_t lo, hi;
		hd_machine_counters(machine, high && machine->fence_high_latency, &lo, &hi);
		counters[high][0] = lo;
		counters[high][1] = lo < hi ? lo + 1 : lo;
		all |= mask_of(counters[high][0]) | mask_of(counters[high][1]);
	}
	unsigned turn = 0;
	for (size_t b = 0; b < function->blocks.n; b++) {
		uint16_t wait = all;
		for (size_t k = 0; k < function->blocks.at[b]->insts.n; k++) {
			hd_ir_inst *inst = function->blocks.at[b]->insts.at[k];
			unsigned pipe = hd_ops[inst->op].pipe;
			inst->hint = HD_HINT_DELAY;
			inst->delay = 1;
			inst->release = 0;
			if (pipe == HD_PIPE_NONE)
				continue;
			inst->wait = wait;
			wait = 0;
			if (pipe == HD_PIPE_FLOW)
				continue;
			/* Without wait counters the two low-latency ones in turn would deadlock (HZ-35). */
			bool high = machine->fence_deadlock_free || hd_machine_high_latency(machine, (hd_class)hd_ops[inst->op].klass);
			inst->primary = (uint8_t)counters[high][turn++ & 1];
			wait = mask_of(inst->primary);
		}
	}
}
