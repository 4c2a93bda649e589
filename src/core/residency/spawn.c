/* Launches and pushes of running kernels (PD-19). They are performed at the memory stage, so a child sees earlier stores of its parent's warp in
 * program order. They reach the task manager grids.launch_latency cycles later. */
#include "core/residency/spawn.h"

static bool refused(hd_trap *trap, unsigned lane, char *why)
{
	*trap = (hd_trap){.kind = HD_TRAP_LAUNCH, .lane = lane, .text = why};
	return false;
}

static bool launch(hd_core *core, hd_cta *cta, unsigned lane, uint64_t ready, const hd_access *access, uint32_t *number, hd_trap *trap)
{
	uint64_t address = access->address[0].v[lane] | (uint64_t)access->address[1].v[lane] << 32;
	hd_child child;
	char *why;
	const uint8_t *bytes = hd_lsu_bytes(core->lsu, access, lane, address, HD_CHILD_SIZE, 8, trap);
	if (!bytes)
		return false;
	hd_child_read(bytes, &child);
	const uint8_t *params = child.bytes ? hd_lsu_bytes(core->lsu, access, lane, child.params, child.bytes, 4, trap) : bytes;
	if (!params)
		return false;
	hd_grid *grid = hd_tasks_launch(core->context->tasks, cta->grid, &cta->brood, &child, params, ready, &why);
	if (!grid)
		return refused(trap, lane, why);
	*number = grid->handle;
	return true;
}

bool hd_core_spawn(hd_core *core, hd_cta *cta, uint64_t now, const hd_access *access, hd_access_result *result, hd_trap *trap)
{
	uint64_t ready = now;
	for (uint32_t rest = access->mask; rest; rest &= rest - 1, ready++) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t then = ready + core->context->machine->grids_launch_latency;
		if (access->inst->op == HD_OP_LAUNCH) {
			if (!launch(core, cta, lane, then, access, &result->data[0].v[lane], trap))
				return false;
			continue;
		}
		char *why;
		uint64_t value = access->data[0].v[lane] | (uint64_t)access->data[1].v[lane] << 32;
		if (!hd_tasks_push(core->context->tasks, access->address[0].v[lane], value, then, &result->data[0].v[lane], &why))
			return refused(trap, lane, why);
		core->stats->grids_pushes++;
	}
	hd_lsu_busy(core->lsu, ready);
	result->left = 0; /* the unit never refuses a launch or push */
	result->done = ready + core->context->machine->memory_l2_latency;
	return true;
}
