/* Launches and pushes (PD-19): one lane after the other, the lowest first. */
#include "interp/state.h"

#include "tasks/enqueue.h"
#include "tasks/stream.h"

static const uint8_t *bytes_at(hd_oracle *o, const hd_oracle_warp *w, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align)
{
	const uint8_t *at = NULL;
	hd_space space = hd_window(address);
	uint32_t local = o->launch->kernel->local_bytes;
	if (address % align == 0) {
		if (space == HD_SPACE_SHARED && address - HD_WINDOW_SHARED + bytes <= o->shared_bytes)
			at = o->shared + (address - HD_WINDOW_SHARED);
		else if (space == HD_SPACE_LOCAL && address - HD_WINDOW_LOCAL + bytes <= local)
			at = w->local + (size_t)lane * local + (address - HD_WINDOW_LOCAL);
		else if (space == HD_SPACE_GLOBAL)
			at = hd_memory_any_at(o->memory, address, bytes, &(bool){false});
	}
	if (!at) {
		o->trap->kind = address % align            ? HD_TRAP_ALIGNMENT
		                : space == HD_SPACE_GLOBAL ? hd_memory_fault(o->memory, address)
		                                           : HD_TRAP_ADDRESS;
		o->trap->lane = lane;
		o->trap->address = address;
		o->trap->bytes = address % align ? align : bytes;
		o->trap->store = false;
	}
	return at;
}

static bool refused(hd_oracle *o, unsigned lane, char *why)
{
	o->trap->kind = HD_TRAP_LAUNCH;
	o->trap->lane = lane;
	o->trap->text = why;
	return false;
}

/* Who reads what a lane asks for. */
typedef struct lane_reader {
	hd_oracle *oracle;
	const hd_oracle_warp *warp;
	unsigned lane;
} lane_reader;

static const uint8_t *read_for(void *context, uint64_t address, uint32_t bytes, uint32_t align)
{
	const lane_reader *r = context;
	return bytes_at(r->oracle, r->warp, r->lane, address, bytes, align);
}

static void report_made(void *context, const hd_grid *grid, bool waits)
{
	const lane_reader *r = context;
	hd_oracle_report_child(r->oracle, r->warp, r->lane, grid->handle, waits ? HD_ORDER_WAITS : HD_ORDER_NOW);
}

static bool call(hd_oracle *o, const hd_oracle_warp *w, unsigned lane, uint64_t address, uint32_t *number)
{
	lane_reader own = {o, w, lane};
	hd_reader reader = {.at = read_for, .context = &own, .made = o->order ? report_made : NULL};
	const uint8_t *bytes = bytes_at(o, w, lane, address, HD_CALL_SIZE, 8);
	int32_t answer = 0;
	bool ok = bytes && hd_tasks_call(o->tasks, o->grid, &o->child_grids, bytes, o->stats->run_warp_instructions, &reader, &answer);
	*number = (uint32_t)answer;
	return ok;
}

static bool launch(hd_oracle *o, const hd_oracle_warp *w, unsigned lane, uint64_t address, uint32_t *number)
{
	const uint8_t *bytes = bytes_at(o, w, lane, address, HD_CHILD_SIZE, 8);
	hd_child child;
	char *why;
	if (!bytes)
		return false;
	hd_child_read(bytes, &child);
	if (child.flags == HD_CHILD_CALL)
		return call(o, w, lane, address, number);
	bool answers = child.flags & HD_CHILD_ANSWERS;
	if (answers)
		hd_stream_measure(o->tasks, &child);
	const uint8_t *params = child.bytes ? bytes_at(o, w, lane, child.params, child.bytes, 4) : bytes;
	if (!params)
		return false;
	hd_grid *grid;
	if (answers) {
		*number = hd_stream_call(o->tasks, o->grid, &o->child_grids, &child, params, o->stats->run_warp_instructions, &grid);
		if (grid && o->order)
			hd_oracle_report_child(o, w, lane, grid->handle,
			                       child.flags & HD_CHILD_TAIL ? HD_ORDER_TAIL
			                       : grid->waits               ? HD_ORDER_WAITS
			                                                   : HD_ORDER_NOW);
		return true;
	}
	grid = hd_tasks_launch(o->tasks, o->grid, &o->child_grids, &child, params, 0, &why);
	if (!grid)
		return refused(o, lane, why);
	*number = grid->handle;
	if (o->order)
		hd_oracle_report_child(o, w, lane, grid->handle, child.flags & HD_CHILD_TAIL ? HD_ORDER_TAIL : HD_ORDER_NOW);
	return true;
}

bool hd_oracle_spawn(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask)
{
	const hd_vec32 *a = hd_oracle_source(op, w, 0), *b = hd_oracle_source(op, w, 1);
	hd_vec32 *to = op->dwords ? w->registers + op->dst : NULL;
	bool push = op->inst->op == HD_OP_QPUSH;
	o->changed = true;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t number = 0;
		char *why;
		if (!push && !launch(o, w, lane, a[0].v[lane] | (uint64_t)a[1].v[lane] << 32, &number))
			return false;
		if (push && !hd_tasks_push(o->tasks, a->v[lane], b[0].v[lane] | (uint64_t)b[1].v[lane] << 32, 0, &number, &why))
			return refused(o, lane, why);
		o->stats->grids_pushes += push;
		if (push && o->order)
			hd_oracle_report_child(o, w, lane, a->v[lane], HD_ORDER_NOW);
		if (to)
			to->v[lane] = number;
	}
	return true;
}
