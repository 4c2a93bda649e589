#include "tasks/stream.h"
#include "tasks/enqueue.h"

static uint32_t what_of(const hd_child *child) { return child->flags >> HD_STREAM_WHAT & 3; }

void hd_stream_measure(const hd_tasks *tasks, hd_child *child)
{
	const hd_kernel *kernel = what_of(child) == HD_STREAM_LAUNCH ? hd_tasks_kernel_at(tasks, child->kernel) : NULL;
	child->bytes = kernel ? kernel->param_bytes : 0;
}

/* -- order --------------------------------------------------------------------------------------------------------------------------------------- */

/* Where the last grid of a named stream of the parent is noted. */
static hd_grid **last_of(hd_grid *parent, uint32_t stream)
{
	for (size_t i = 0; i < parent->streams.n; i++)
		if (parent->streams.at[i]->stream == stream)
			return &parent->streams.at[i];
	return NULL;
}

static void wait_for(hd_grid *grid, hd_grid *before)
{
	grid->waits++;
	hd_vec_push(&before->behind, grid);
}

/* Puts the grid at the end of its stream. */
static void enter(hd_grid *parent, hd_grid *grid)
{
	if (grid->stream == HD_STREAM_NONE)
		return;
	hd_grid **last = grid->stream == HD_STREAM_CTA ? &grid->siblings->last : last_of(parent, grid->stream);
	if (last && *last)
		wait_for(grid, *last);
	if (last)
		*last = grid;
	else
		hd_vec_push(&parent->streams, grid);
}

/* Nothing holds the grid any more. */
static void let_go(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	grid->arrival = hd_max_u64(now, grid->arrival);
	if (grid->total) {
		hd_tasks_make_ready(tasks, grid);
		return;
	}
	grid->state = HD_GRID_READY;
	hd_vec_push(&tasks->lapsed, grid);
}

void hd_stream_leave(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	hd_grid **last = grid->parent && grid->stream > HD_STREAM_CTA ? last_of(grid->parent, grid->stream) : NULL;
	if (grid->stream == HD_STREAM_CTA && grid->siblings->last == grid)
		grid->siblings->last = NULL;
	if (last && *last == grid)
		*last = grid->parent->streams.at[--grid->parent->streams.n];
	for (size_t i = 0; i < grid->behind.n; i++)
		if (!--grid->behind.at[i]->waits)
			let_go(tasks, grid->behind.at[i], now);
	grid->behind.n = 0;
}

/* -- what kernels ask for ----------------------------------------------------------------------------------------------------------------------- */

static void add(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, hd_grid *grid, uint32_t stream)
{
	grid->stream = stream;
	parent->children++;
	hd_child_grids_add(tasks, child_grids, grid);
	enter(parent, grid);
}

static uint32_t mark(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, uint64_t ready, hd_grid **made)
{
	hd_grid *before = child->kernel <= UINT32_MAX ? hd_tasks_find(tasks, (uint32_t)child->kernel) : NULL;
	if (!hd_tasks_room(tasks, 1))
		return 0;
	hd_grid *grid = *made = hd_tasks_new_grid(tasks);
	hd_tasks_make_child(tasks, parent, grid, &parent->launch, ready);
	grid->total = 0;
	add(tasks, parent, child_grids, grid, child->stream);
	/* Only grids that run beside this one: an ancestor would wait for itself. */
	if (before && before->parent == parent)
		wait_for(grid, before);
	uint32_t handle = grid->handle;
	if (!grid->waits) {
		grid->state = HD_GRID_READY;
		hd_tasks_settle(tasks, grid, ready);
	}
	return handle;
}

static uint32_t launch_child(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, const uint8_t *params,
                             uint64_t ready, hd_grid **made)
{
	static const uint32_t errors[] = {[HD_REFUSAL_NONE] = 0,
	                                  [HD_REFUSAL_KERNEL] = HD_STREAM_BAD_KERNEL,
	                                  [HD_REFUSAL_SIZES] = HD_STREAM_BAD_SIZES,
	                                  [HD_REFUSAL_DEPTH] = HD_STREAM_TOO_DEEP,
	                                  [HD_REFUSAL_PENDING] = HD_STREAM_TOO_MANY,
	                                  [HD_REFUSAL_RESOURCES] = HD_STREAM_NO_RESOURCES};
	hd_text why = {0};
	hd_launch launch;
	hd_child_refusal refusal = hd_tasks_refuses(tasks, parent, child, &launch, &why);
	hd_text_free(&why);
	if (refusal != HD_REFUSAL_NONE)
		return errors[refusal];
	hd_grid *grid = *made = hd_tasks_add_child(tasks, parent, child, &launch, params, ready);
	if (child->flags & HD_CHILD_TAIL)
		return 0;
	add(tasks, parent, child_grids, grid, child->stream);
	if (!grid->waits)
		hd_tasks_make_ready(tasks, grid);
	return 0;
}

uint32_t hd_stream_call(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, const uint8_t *params, uint64_t ready,
                        hd_grid **grid)
{
	const hd_kernel *kernel = hd_tasks_kernel_at(tasks, child->kernel);
	*grid = NULL;
	switch (what_of(child)) {
	case HD_STREAM_LAUNCH:
		return launch_child(tasks, parent, child_grids, child, params, ready, grid);
	case HD_STREAM_MARKER:
		return mark(tasks, parent, child_grids, child, ready, grid);
	default:
		return kernel ? kernel->param_bytes : UINT32_MAX;
	}
}
