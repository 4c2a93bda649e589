/* Launches and pushes of running kernels (PD-19). They are performed at the memory stage, so a child sees earlier stores of its parent's warp in
 * program order. They reach the task manager grids.launch_latency cycles later. */
#include "core/residency/spawn.h"

#include "tasks/enqueue.h"
#include "tasks/stream.h"

static bool refused(hd_trap *trap, unsigned lane, char *why)
{
	*trap = (hd_trap){.kind = HD_TRAP_LAUNCH, .lane = lane, .text = why};
	return false;
}

/* Who reads what a lane asks for. */
typedef struct lane_reader {
	hd_lsu *lsu;
	const hd_access *access;
	unsigned lane;
	hd_trap *trap;
} lane_reader;

static const uint8_t *read_for(void *context, uint64_t address, uint32_t bytes, uint32_t align)
{
	const lane_reader *r = context;
	return hd_lsu_bytes(r->lsu, r->access, r->lane, address, bytes, align, r->trap);
}

static bool call(hd_core *core, hd_cta *cta, uint64_t ready, lane_reader *own, uint64_t address, uint32_t *number)
{
	hd_reader reader = {.at = read_for, .context = own};
	const uint8_t *bytes = read_for(own, address, HD_CALL_SIZE, 8);
	int32_t answer = 0;
	bool ok = bytes && hd_tasks_call(core->context->tasks, cta->grid, &cta->child_grids, bytes, ready, &reader, &answer);
	*number = (uint32_t)answer;
	return ok;
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
	if (child.flags == HD_CHILD_CALL)
		return call(core, cta, ready, &(lane_reader){core->lsu, access, lane, trap}, address, number);
	if (child.flags & HD_CHILD_ANSWERS)
		hd_stream_measure(core->context->tasks, &child);
	const uint8_t *params = child.bytes ? hd_lsu_bytes(core->lsu, access, lane, child.params, child.bytes, 4, trap) : bytes;
	if (!params)
		return false;
	hd_grid *grid;
	if (child.flags & HD_CHILD_ANSWERS) {
		*number = hd_stream_call(core->context->tasks, cta->grid, &cta->child_grids, &child, params, ready, &grid);
		return true;
	}
	grid = hd_tasks_launch(core->context->tasks, cta->grid, &cta->child_grids, &child, params, ready, &why);
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
		if (access->op->kind == HD_ACCESS_LAUNCH) {
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
