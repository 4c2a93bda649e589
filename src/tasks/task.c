#include "tasks/enqueue.h"
#include "tasks/stream.h"

enum { INDEX_BITS = 20, OPEN_MAX = (1 << INDEX_BITS) - 1024 /* leaves room for grids that have ended and are not swept yet */ };

void hd_grid_put(hd_grid_list *list, hd_grid *grid, bool at_head)
{
	grid->next = at_head ? list->first : NULL;
	grid->previous = at_head ? NULL : list->last;
	*(grid->previous ? &grid->previous->next : &list->first) = grid;
	*(grid->next ? &grid->next->previous : &list->last) = grid;
}

void hd_grid_take(hd_grid_list *list, hd_grid *grid)
{
	*(grid->previous ? &grid->previous->next : &list->first) = grid->next;
	*(grid->next ? &grid->next->previous : &list->last) = grid->previous;
	grid->next = grid->previous = NULL;
}

static uint64_t ctas_of(const hd_launch *launch) { return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]; }

hd_grid *hd_tasks_new_grid(hd_tasks *tasks)
{
	hd_grid *grid = hd_xcalloc(1, sizeof *grid);
	uint32_t index;
	if (tasks->unused.n) {
		index = tasks->unused.at[--tasks->unused.n];
		tasks->at.at[index] = grid;
	} else {
		index = (uint32_t)tasks->at.n;
		hd_vec_push(&tasks->at, grid);
		hd_vec_push(&tasks->generation, 0);
	}
	grid->handle = tasks->generation.at[index] << INDEX_BITS | index;
	grid->root = grid;
	tasks->open++;
	return grid;
}

static void free_grid(hd_grid *grid)
{
	if (!grid)
		return;
	hd_enqueued_drop(grid->command);
	free(grid->bank);
	free(grid->params);
	free(grid->items.at);
	hd_vec_free(&grid->behind);
	hd_vec_free(&grid->streams);
	free(grid);
}

void hd_tasks_make_ready(hd_tasks *tasks, hd_grid *grid)
{
	grid->state = HD_GRID_READY;
	hd_grid_put(&tasks->ready, grid, false);
}

/* -- child grids -------------------------------------------------------------------------------------------------------------------------------- */

static hd_child_grids *new_child_grids(hd_tasks *tasks)
{
	hd_child_grids *child_grids = hd_xcalloc(1, sizeof *child_grids);
	child_grids->next = tasks->child_grids;
	if (child_grids->next)
		child_grids->next->previous = child_grids;
	tasks->child_grids = child_grids;
	return child_grids;
}

hd_child_grids *hd_tasks_child_grids(hd_tasks *tasks, hd_child_grids **child_grids)
{
	*child_grids = *child_grids ? *child_grids : new_child_grids(tasks);
	return *child_grids;
}

void hd_child_grids_add(hd_tasks *tasks, hd_child_grids **child_grids, hd_grid *grid)
{
	grid->siblings = hd_tasks_child_grids(tasks, child_grids);
	grid->siblings->open++;
}

static void free_child_grids(hd_tasks *tasks, hd_child_grids *child_grids)
{
	*(child_grids->previous ? &child_grids->previous->next : &tasks->child_grids) = child_grids->next;
	if (child_grids->next)
		child_grids->next->previous = child_grids->previous;
	free(child_grids);
}

void hd_child_grids_leave(hd_tasks *tasks, hd_child_grids *child_grids, uint64_t now)
{
	if (!child_grids)
		return;
	child_grids->left = true;
	if (child_grids->after.first) {
		hd_enqueued_release(tasks, &child_grids->after, now);
		hd_enqueued_flush(tasks, now);
	}
	if (!child_grids->open)
		free_child_grids(tasks, child_grids);
}

/* One of the child grids has ended. */
static void one_less(hd_tasks *tasks, hd_child_grids *child_grids)
{
	if (!child_grids || --child_grids->open)
		return;
	if (child_grids->left)
		free_child_grids(tasks, child_grids);
	else if (child_grids->joining != HD_JOINING_NOT)
		hd_vec_push(&tasks->joined, child_grids);
}

bool hd_child_grids_have(const hd_child_grids *child_grids, const hd_grid *grid)
{
	while (grid && grid->siblings != child_grids)
		grid = grid->parent;
	return grid;
}

/* -- the table ----------------------------------------------------------------------------------------------------------------------------------- */

static bool add_item(hd_tasks *tasks, hd_grid *grid, uint64_t value, uint64_t ready, bool limited)
{
	if (limited && grid->items.n >= tasks->limits.entries)
		return false;
	if (grid->items.n == grid->items.cap) {
		uint32_t cap = grid->items.cap ? 2 * grid->items.cap : 16;
		hd_item *at = hd_xcalloc(cap, sizeof *at);
		for (uint32_t i = 0; i < grid->items.n; i++)
			at[i] = grid->items.at[(grid->items.head + i) % grid->items.cap];
		free(grid->items.at);
		grid->items.at = at;
		grid->items.cap = cap;
		grid->items.head = 0;
	}
	grid->items.at[(grid->items.head + grid->items.n++) % grid->items.cap] = (hd_item){value, ready};
	grid->total++;
	grid->result.pushed++;
	return true;
}

/* Makes a grid of the host's list a part of its neighbour's command. */
static void join_command(hd_grid *first, hd_grid *grid) { hd_enqueued_add(hd_enqueued_of(first), grid); }

static bool check_task(const hd_task *list, uint32_t i, uint32_t n, hd_diag *diag)
{
	const hd_task *task = &list[i];
	bool ok = task->priority < HD_PRIORITIES;
	if (!ok)
		hd_error(diag, (hd_pos){0}, "kernel '%s': priority %u, expected one from 0 to %d", hd_kernel_name(task->launch.kernel),
		         task->priority, HD_PRIORITIES - 1);
	if (task->kind >= HD_TASK_KINDS)
		hd_error(diag, (hd_pos){0}, "kernel '%s': kind %u, expected one from 0 to %d", hd_kernel_name(task->launch.kernel), task->kind,
		         HD_TASK_KINDS - 1);
	ok = ok && task->kind < HD_TASK_KINDS;
	for (uint32_t k = 0; k < task->n_after; k++)
		ok &= task->after[k] < i; /* so the dependences have no cycles */
	for (uint32_t k = 0; k < task->n_producers; k++)
		ok &= task->producers[k] < n;
	hd_invariant(ok || diag->errors, "launch %u depends on one that is not before it", i);
	return hd_launch_check(&task->launch, diag) && ok;
}

bool hd_tasks_init(hd_tasks *tasks, const hd_task *list, uint32_t n, hd_task_limits limits, hd_diag *diag)
{
	*tasks = (hd_tasks){.program = list[0].launch.program, .limits = limits};
	for (uint32_t i = 0; i < n; i++)
		if (!check_task(list, i, n, diag))
			return false;
	for (uint32_t i = 0; i < n; i++) {
		hd_grid *grid = hd_tasks_new_grid(tasks);
		grid->launch = list[i].launch;
		grid->launch.handle = grid->handle;
		grid->task = &list[i];
		grid->priority = list[i].priority;
		grid->kind = list[i].kind;
		grid->device = list[i].device;
		grid->at_head = list[i].at_head;
		grid->queue = list[i].queue;
		grid->arrival = list[i].arrival;
		grid->waits = list[i].n_after + 1; /* and its arrival */
		grid->total = grid->queue ? 0 : ctas_of(&grid->launch);
		tasks->queues += grid->queue;
		if (list[i].with_previous)
			join_command(tasks->at.at[i - 1], grid);
	}
	tasks->n_host = n;
	return true;
}

void hd_tasks_free(hd_tasks *tasks)
{
	for (size_t i = 0; i < tasks->at.n; i++)
		free_grid(tasks->at.at[i]);
	hd_vec_free(&tasks->at);
	hd_vec_free(&tasks->generation);
	hd_vec_free(&tasks->unused);
	hd_vec_free(&tasks->ended);
	hd_vec_free(&tasks->joined);
	hd_vec_free(&tasks->lapsed);
	hd_enqueued_free(tasks);
	while (tasks->child_grids)
		free_child_grids(tasks, tasks->child_grids);
}

void hd_tasks_arrive(hd_tasks *tasks, hd_grid *grid)
{
	grid->result.arrival = grid->arrival;
	if (grid->queue)
		for (uint64_t i = 0; i < grid->task->n_items; i++)
			add_item(tasks, grid, grid->task->items[i], grid->arrival, false);
	tasks->queues_may_end |= grid->queue;
	if (!--grid->waits)
		hd_tasks_make_ready(tasks, grid);
}

hd_grid *hd_tasks_find(const hd_tasks *tasks, uint32_t handle)
{
	uint32_t index = handle & ((1u << INDEX_BITS) - 1);
	hd_grid *grid = index < tasks->at.n ? tasks->at.at[index] : NULL;
	return grid && grid->handle == handle && grid->state != HD_GRID_ENDED ? grid : NULL;
}

bool hd_grid_has(const hd_grid *grid, uint64_t now)
{
	if (!grid->queue)
		return grid->given < grid->total;
	return grid->items.n && grid->items.at[grid->items.head].ready <= now;
}

void hd_tasks_give(hd_tasks *tasks, hd_grid *grid, uint64_t now, uint32_t at[3], uint64_t *number, uint64_t *item)
{
	if (!grid->bank && !tasks->without_banks) {
		hd_diag diag = {0};
		grid->bank = hd_bank_new(&grid->launch, &diag);
		hd_invariant(grid->bank, "a launch that was checked has no bank: %s", diag.text.at);
	}
	if (!grid->result.begun) {
		grid->result.begun = true;
		grid->result.begin = now;
		grid->began = ++tasks->began;
		tasks->pending -= grid->child;
		if (grid->command)
			hd_enqueued_begin(grid->command, now);
	}
	*number = grid->given++;
	grid->result.ctas++;
	*item = 0;
	if (grid->queue) {
		*item = grid->items.at[grid->items.head].value;
		grid->items.head = (grid->items.head + 1) % grid->items.cap;
		grid->items.n--;
		at[0] = (uint32_t)*number;
		at[1] = at[2] = 0;
		return;
	}
	uint64_t rest = *number / grid->launch.grid[0];
	at[0] = (uint32_t)(*number % grid->launch.grid[0]);
	at[1] = (uint32_t)(rest % grid->launch.grid[1]);
	at[2] = (uint32_t)(rest / grid->launch.grid[1]);
}

/* -- the end of grids --------------------------------------------------------------------------------------------------------------------------- */

static bool body_ended(const hd_grid *grid) { return grid->queue ? grid->closed : grid->done == grid->total; }

static void release_dependents(hd_tasks *tasks, const hd_grid *ended)
{
	for (uint32_t i = 0; i < tasks->n_host; i++) {
		hd_grid *grid = tasks->at.at[i];
		for (uint32_t k = 0; k < grid->task->n_after; k++)
			if (tasks->at.at[grid->task->after[k]] == ended && !--grid->waits)
				hd_tasks_make_ready(tasks, grid);
	}
}

static void settle(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	while (grid && grid->state != HD_GRID_ENDED && grid->state != HD_GRID_BLOCKED && body_ended(grid) && !grid->children) {
		hd_grid *parent = grid->parent, *tail = grid->tail_first;
		tasks->queues_may_end |= tasks->queues != 0;
		if (tail) {
			grid->tail_first = tail->next;
			tail->next = NULL;
			grid->children++;
			tail->arrival = hd_max_u64(now, tail->arrival);
			hd_tasks_make_ready(tasks, tail);
			return;
		}
		grid->state = HD_GRID_ENDED;
		grid->result.ended = true;
		grid->result.end = now;
		tasks->open--;
		tasks->queues -= grid->queue;
		tasks->pending -= grid->child && !grid->result.begun; /* a queue that never had an entry */
		free(grid->bank);
		grid->bank = NULL;
		hd_stream_leave(tasks, grid, now);
		if (grid->command)
			hd_enqueued_part_ended(tasks, grid->command, now);
		if (!parent) {
			release_dependents(tasks, grid);
			return;
		}
		parent->children--;
		one_less(tasks, grid->siblings);
		hd_vec_push(&tasks->ended, grid);
		grid = parent;
	}
}

/* Draws the conclusions from a change of this grid, of the grids above it, and of markers that this sets free. */
void hd_tasks_settle(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	settle(tasks, grid, now);
	while (tasks->lapsed.n)
		settle(tasks, tasks->lapsed.at[--tasks->lapsed.n], now);
}

void hd_tasks_done(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	grid->done++;
	tasks->queues_may_end |= tasks->queues != 0;
	if (grid->queue || grid->done != grid->total)
		return;
	if (grid->command)
		hd_enqueued_body_ended(tasks, grid, now);
	hd_tasks_settle(tasks, grid, now);
	hd_enqueued_flush(tasks, now);
}

void hd_tasks_sweep(hd_tasks *tasks)
{
	for (size_t i = 0; i < tasks->ended.n; i++) {
		hd_grid *grid = tasks->ended.at[i];
		uint32_t index = grid->handle & ((1u << INDEX_BITS) - 1);
		tasks->generation.at[index] = (tasks->generation.at[index] + 1) & ((1u << (32 - INDEX_BITS)) - 1);
		tasks->at.at[index] = NULL;
		hd_vec_push(&tasks->unused, index);
		free_grid(grid);
	}
	tasks->ended.n = 0;
}

/* -- the end of queues: nothing in it, nothing of it running, and nobody left who could push ------------------------------------------------ */

static bool idle(const hd_grid *queue)
{
	return queue->queue && !queue->closed && queue->state != HD_GRID_ENDED && queue->state != HD_GRID_BLOCKED && !queue->items.n &&
	       queue->done == queue->total;
}

/* True when a grid other than the queues of `set` can still push to this one: its own children; for a child queue, its parent and the other
 * children of the parent; for a queue of the host, the producers that it names. */
static bool has_producer(const hd_tasks *tasks, const hd_grid *queue, hd_grid *const *set, size_t n)
{
	uint32_t among = 0, below = 0;
	for (size_t i = 0; i < n; i++) {
		among += set[i] && set[i]->parent == queue->parent;
		below += set[i] && set[i]->parent == queue;
	}
	if (queue->children != below)
		return true;
	if (queue->parent)
		return !body_ended(queue->parent) || queue->parent->children != among;
	for (uint32_t k = 0; k < queue->task->n_producers; k++) {
		const hd_grid *producer = tasks->at.at[queue->task->producers[k]];
		bool found = producer->state == HD_GRID_ENDED;
		for (size_t i = 0; i < n && !found; i++)
			found = set[i] == producer;
		if (!found)
			return true;
	}
	return false;
}

void hd_tasks_close(hd_tasks *tasks, uint64_t now)
{
	HD_VEC(hd_grid *) set = {0};
	while (tasks->queues_may_end) {
		tasks->queues_may_end = false;
		set.n = 0;
		for (size_t i = 0; i < tasks->at.n; i++)
			if (tasks->at.at[i] && idle(tasks->at.at[i]))
				hd_vec_push(&set, tasks->at.at[i]);
		/* Queues that feed each other end together: the largest set of idle queues without a producer outside. */
		for (bool changed = true; changed;) {
			changed = false;
			for (size_t i = 0; i < set.n; i++) {
				if (set.at[i] && has_producer(tasks, set.at[i], set.at, set.n)) {
					set.at[i] = NULL;
					changed = true;
				}
			}
		}
		for (size_t i = 0; i < set.n; i++)
			if (set.at[i])
				set.at[i]->closed = true;
		for (size_t i = 0; i < set.n; i++)
			if (set.at[i])
				hd_tasks_settle(tasks, set.at[i], now);
		hd_enqueued_flush(tasks, now);
	}
	hd_vec_free(&set);
}

void hd_tasks_explain(const hd_tasks *tasks, hd_text *text)
{
	static const char *const states[] = {"waits for others",  "is ready", "waits for a place in the table", "runs",
	                                     "waits for entries", "has ended"};
	unsigned shown = 0;
	for (size_t i = 0; i < tasks->at.n; i++) {
		const hd_grid *grid = tasks->at.at[i];
		if (!grid || grid->state == HD_GRID_ENDED)
			continue;
		if (shown++ == 16) {
			hd_text_printf(text, "  ... and others\n");
			return;
		}
		hd_text_printf(text, "  %s %u ('%s') %s: %llu of %llu CTAs ended", grid->queue ? "queue" : "grid", grid->handle,
		               hd_kernel_name(grid->launch.kernel), states[grid->state], (unsigned long long)grid->done,
		               (unsigned long long)grid->total);
		if (grid->children)
			hd_text_printf(text, ", %u child grids have not", grid->children);
		if (grid->joining)
			hd_text_printf(text, ", %u CTAs wait for child grids without a place", grid->joining);
		hd_text_printf(text, "\n");
	}
}

/* -- children and pushes ------------------------------------------------------------------------------------------------------------------------ */

static uint32_t get32(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }

void hd_child_read(const uint8_t bytes[HD_CHILD_SIZE], hd_child *child)
{
	child->kernel = get32(bytes + HD_CHILD_KERNEL) | (uint64_t)get32(bytes + HD_CHILD_KERNEL + 4) << 32;
	child->params = get32(bytes + HD_CHILD_PARAMS) | (uint64_t)get32(bytes + HD_CHILD_PARAMS + 4) << 32;
	for (unsigned i = 0; i < 3; i++) {
		child->grid[i] = get32(bytes + HD_CHILD_GRID + 4 * i);
		child->block[i] = get32(bytes + HD_CHILD_BLOCK + 4 * i);
	}
	child->shared = get32(bytes + HD_CHILD_SHARED);
	child->bytes = get32(bytes + HD_CHILD_BYTES);
	child->flags = get32(bytes + HD_CHILD_FLAGS);
	child->stream = get32(bytes + HD_CHILD_STREAM);
}

const hd_kernel *hd_tasks_kernel_at(const hd_tasks *tasks, uint64_t entry)
{
	const hd_object *object = tasks->program->object;
	for (size_t i = 0; i < object->kernels.n; i++)
		if (object->kernels.at[i].entry == entry)
			return &object->kernels.at[i];
	return NULL;
}

/* Priority and kind that the descriptor wants, + 1; 0 = the parent's. */
static uint32_t priority_of(uint32_t flags) { return flags >> HD_CHILD_PRIORITY & 15; }
static uint32_t kind_of(uint32_t flags) { return flags >> HD_CHILD_KIND; }

/* Whether the table takes the child; if not, the reason in *why. */
static hd_child_refusal check_child(const hd_tasks *tasks, const hd_grid *parent, const hd_child *child, const hd_kernel *kernel, hd_text *why)
{
	uint32_t flags = child->flags & ~(uint32_t)HD_CHILD_ANSWERS;
	bool stream = child->stream && flags == child->flags;
	if (!kernel) {
		hd_text_printf(why, "  no kernel is at 0x%llx\n", (unsigned long long)child->kernel);
		return HD_REFUSAL_KERNEL;
	}
	if (stream || flags & ~0xff07u || priority_of(flags) > HD_PRIORITIES || kind_of(flags) > HD_TASK_KINDS) {
		hd_text_printf(why, "  flags 0x%x of the descriptor, expected bits 0 to 2, a priority of at most %d and a kind of at most %d\n",
		               flags, HD_PRIORITIES - 1, HD_TASK_KINDS - 1);
		return HD_REFUSAL_SIZES;
	}
	if (child->bytes < kernel->param_bytes || child->bytes > ((kernel->param_bytes + 15) & ~15u)) {
		hd_text_printf(why, "  kernel '%s' was given %u bytes of parameters, expected %u\n", hd_kernel_name(kernel), child->bytes,
		               kernel->param_bytes);
		return HD_REFUSAL_SIZES;
	}
	if (parent->depth >= tasks->limits.depth) {
		hd_text_printf(why, "  child grids are nested %u deep, expected no more (grids.depth)\n", tasks->limits.depth);
		return HD_REFUSAL_DEPTH;
	}
	if (tasks->open >= OPEN_MAX)
		hd_text_printf(why, "  %d grids have not ended, expected no more\n", OPEN_MAX);
	else if (tasks->pending >= tasks->limits.pending)
		hd_text_printf(why, "  %u child grids wait for their first CTA, expected no more (grids.pending)\n", tasks->limits.pending);
	return why->n ? HD_REFUSAL_PENDING : HD_REFUSAL_NONE;
}

void hd_tasks_make_child(hd_tasks *tasks, hd_grid *parent, hd_grid *grid, const hd_launch *launch, uint64_t ready)
{
	grid->launch = *launch;
	grid->launch.grid_id = grid->launch.handle = grid->handle;
	grid->child = true;
	grid->parent = parent;
	grid->root = parent->root;
	grid->depth = parent->depth + 1;
	grid->device = parent->device;
	grid->total = grid->queue ? 0 : ctas_of(launch);
	grid->arrival = ready;
	grid->root->result.children++;
	tasks->pending++;
	tasks->spawned++;
	tasks->deepest = hd_max_u64(grid->depth, tasks->deepest);
}

bool hd_tasks_room(const hd_tasks *tasks, uint32_t grids) { return tasks->open + grids <= OPEN_MAX; }

hd_child_refusal hd_tasks_refuses(const hd_tasks *tasks, const hd_grid *parent, const hd_child *child, hd_launch *launch, hd_text *why)
{
	const hd_kernel *kernel = hd_tasks_kernel_at(tasks, child->kernel);
	hd_child_refusal refusal = check_child(tasks, parent, child, kernel, why);
	if (refusal != HD_REFUSAL_NONE)
		return refusal;
	hd_diag diag = {0};
	*launch = parent->launch;
	memset(launch->offset, 0, sizeof launch->offset);
	memcpy(launch->grid, child->grid, sizeof launch->grid);
	memcpy(launch->block, child->block, sizeof launch->block);
	launch->range = NULL;
	launch->kernel = kernel;
	launch->dynamic_shared = child->shared;
	launch->work_dim = child->grid[2] > 1 || child->block[2] > 1 ? 3 : child->grid[1] > 1 || child->block[1] > 1 ? 2 : 1;
	if (child->flags & HD_CHILD_QUEUE)
		launch->grid[0] = launch->grid[1] = launch->grid[2] = 1;
	bool sizes = hd_launch_check(launch, &diag);
	const char *reason = !sizes ? diag.text.at : tasks->refuse ? tasks->refuse(tasks->machine, launch) : NULL;
	if (reason)
		hd_text_printf(why, "  %s%s", reason, strchr(reason, '\n') ? "" : "\n");
	hd_diag_free(&diag);
	return !reason ? HD_REFUSAL_NONE : sizes ? HD_REFUSAL_RESOURCES : HD_REFUSAL_SIZES;
}

hd_grid *hd_tasks_add_child(hd_tasks *tasks, hd_grid *parent, const hd_child *child, hd_launch *launch, const uint8_t *params, uint64_t ready)
{
	hd_grid *grid = hd_tasks_new_grid(tasks);
	uint32_t bytes = launch->kernel->param_bytes;
	grid->params = hd_xcalloc(1, bytes + 1);
	memcpy(grid->params, params, bytes);
	launch->params = grid->params;
	grid->priority = priority_of(child->flags) ? priority_of(child->flags) - 1 : parent->priority;
	grid->kind = (child->flags >> HD_CHILD_KIND & 15) ? (child->flags >> HD_CHILD_KIND & 15) - 1 : parent->kind;
	grid->at_head = child->flags & HD_CHILD_HEAD;
	grid->queue = child->flags & HD_CHILD_QUEUE;
	hd_tasks_make_child(tasks, parent, grid, launch, ready);
	tasks->queues += grid->queue;
	if (child->flags & HD_CHILD_TAIL) {
		grid->next = NULL;
		*(parent->tail_first ? &parent->tail_last->next : &parent->tail_first) = grid;
		parent->tail_last = grid;
	}
	return grid;
}

hd_grid *hd_tasks_launch(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const hd_child *child, const uint8_t *params, uint64_t ready,
                         char **why)
{
	hd_text text = {0};
	hd_launch launch;
	bool refused = hd_tasks_refuses(tasks, parent, child, &launch, &text) != HD_REFUSAL_NONE;
	*why = text.at;
	if (refused)
		return NULL;
	hd_grid *grid = hd_tasks_add_child(tasks, parent, child, &launch, params, ready);
	if (child->flags & HD_CHILD_TAIL)
		return grid;
	if (!grid->queue)
		hd_child_grids_add(tasks, child_grids, grid);
	parent->children++;
	hd_tasks_make_ready(tasks, grid);
	return grid;
}

bool hd_tasks_push(hd_tasks *tasks, uint32_t handle, uint64_t value, uint64_t ready, uint32_t *number, char **why)
{
	hd_text text = {0};
	hd_grid *queue = hd_tasks_find(tasks, handle);
	*why = NULL;
	if (!queue || !queue->queue || queue->closed) {
		hd_text_printf(&text, "  a push to %u, which is %s, expected a queue that has not ended\n", handle,
		               !queue         ? "nothing that runs"
		               : queue->queue ? "a queue that has ended"
		                              : "no queue");
	} else if (!add_item(tasks, queue, value, ready, true)) {
		hd_text_printf(&text, "  queue %u holds %u entries, expected no more (grids.entries)\n", handle, tasks->limits.entries);
	} else {
		*number = (uint32_t)(queue->total - 1);
		if (queue->state == HD_GRID_PARKED)
			hd_tasks_make_ready(tasks, queue);
		return true;
	}
	*why = text.at;
	return false;
}
