#include "tasks/enqueue.h"

enum {
	GRANULE = 64,        /* bytes of the smallest place for a literal */
	CLASSES = 16,        /* of places: each twice as large as the one before it */
	WAIT_MAX = 65536,    /* events in a list */
	LITERAL_MAX = 65536, /* bytes */
	LITERAL_HEAD = 8,    /* its size and alignment */
};

/* The memory of a queue: places that have been in use, by class, and where the rest begins. */
typedef struct hd_shelf {
	HD_VEC(uint64_t) unused[CLASSES];
	uint64_t used;
} hd_shelf;

static uint32_t get32(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }
static uint64_t get64(const uint8_t *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }

static void put64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* -- memory of queues ------------------------------------------------------------------------------------------------------------------------- */

static bool take_place(hd_tasks *tasks, uint32_t queue, uint32_t bytes, hd_enqueued *command)
{
	const hd_device_queue *q = &tasks->enqueuing->queues[queue - 1];
	uint32_t class = 0;
	while (((uint32_t)GRANULE << class) < bytes)
		class ++;
	if (!tasks->shelves)
		tasks->shelves = hd_xcalloc(tasks->enqueuing->n_queues, sizeof *tasks->shelves);
	hd_shelf *shelf = &tasks->shelves[queue - 1];
	uint64_t size = (uint64_t)GRANULE << class;
	if (shelf->unused[class].n) {
		command->literal = shelf->unused[class].at[--shelf->unused[class].n];
	} else if (q->bytes - shelf->used >= size) {
		command->literal = q->address + shelf->used;
		shelf->used += size;
	} else {
		return false;
	}
	command->queue = queue;
	command->size_class = class;
	return true;
}

static void leave_place(hd_tasks *tasks, hd_enqueued *command)
{
	if (command->queue)
		hd_vec_push(&tasks->shelves[command->queue - 1].unused[command->size_class], command->literal);
	command->queue = 0;
}

void hd_enqueued_free(hd_tasks *tasks)
{
	for (uint32_t i = 0; tasks->shelves && i < tasks->enqueuing->n_queues; i++)
		for (unsigned c = 0; c < CLASSES; c++)
			hd_vec_free(&tasks->shelves[i].unused[c]);
	free(tasks->shelves);
	tasks->shelves = NULL;
	hd_vec_free(&tasks->due);
	if (tasks->enqueuing)
		hd_clk_events_settle(tasks->enqueuing->events);
}

/* -- commands ---------------------------------------------------------------------------------------------------------------------------------- */

void hd_enqueued_add(hd_enqueued *command, hd_grid *grid)
{
	grid->command = command;
	command->part[command->n_parts++] = grid;
	command->grids++;
	command->bodies++;
	command->open++;
}

hd_enqueued *hd_enqueued_of(hd_grid *grid)
{
	if (!grid->command)
		hd_enqueued_add(hd_xcalloc(1, sizeof *grid->command), grid);
	return grid->command;
}

void hd_enqueued_drop(hd_enqueued *command)
{
	if (command && !--command->grids)
		free(command);
}

void hd_enqueued_begin(hd_enqueued *command, uint64_t now)
{
	if (!command->begun)
		command->begin = now;
	command->begun = true;
}

/* -- ends of commands and events --------------------------------------------------------------------------------------------------------------- */

static uint64_t in_ns(const hd_tasks *tasks, uint64_t cycles)
{
	uint32_t mhz = tasks->enqueuing->clock_mhz;
	return mhz ? cycles / mhz * 1000 + cycles % mhz * 1000 / mhz : cycles;
}

static void capture(hd_tasks *tasks, const hd_clk_event *event, uint64_t address)
{
	bool live = false;
	uint8_t *to = address % 8 ? NULL : hd_memory_any_at(tasks->memory, address, 16, &live);
	if (!to) /* there is nobody left to trap */
		return;
	put64(to, in_ns(tasks, event->end - event->begin));
	put64(to + 8, in_ns(tasks, event->complete - event->begin));
}

static void complete(hd_tasks *tasks, hd_clk_event *event, int32_t status, uint64_t now)
{
	event->status = status;
	event->complete = now;
	hd_vec_push(&tasks->due, event);
}

/* All of the command's conditions are met. Where an event has failed, its grids end without a CTA. */
static void begin(hd_tasks *tasks, hd_enqueued *command, uint64_t now)
{
	for (uint32_t i = 0; i < command->n_parts; i++) {
		hd_grid *grid = command->part[i];
		if (command->failure == 0) {
			grid->arrival = hd_max_u64(now, grid->arrival);
			hd_tasks_make_ready(tasks, grid);
			continue;
		}
		grid->state = HD_GRID_RUNNING;
		grid->total = 0;
		hd_enqueued_begin(command, now);
		hd_enqueued_body_ended(tasks, grid, now);
	}
	for (uint32_t i = 0, n = command->n_parts; command->failure && i < n; i++)
		hd_tasks_settle(tasks, command->part[i], now); /* the last one frees no command: hd_tasks_sweep does */
}

static void one_wait_less(hd_tasks *tasks, hd_enqueued *command, int32_t failure, uint64_t now)
{
	if (failure)
		command->failure = failure;
	if (!--command->waits)
		begin(tasks, command, now);
}

void hd_enqueued_release(hd_tasks *tasks, hd_enqueued_list *list, uint64_t now)
{
	hd_enqueued *command = list->first;
	*list = (hd_enqueued_list){NULL, NULL};
	for (hd_enqueued *next; command; command = next) {
		next = command->next;
		command->next = NULL;
		one_wait_less(tasks, command, 0, now);
	}
}

void hd_enqueued_body_ended(hd_tasks *tasks, hd_grid *grid, uint64_t now)
{
	hd_enqueued *command = grid->command;
	if (--command->bodies)
		return;
	command->end = now;
	leave_place(tasks, command);
	hd_enqueued_release(tasks, &command->after, now);
}

void hd_enqueued_part_ended(hd_tasks *tasks, hd_enqueued *command, uint64_t now)
{
	hd_clk_event *event = command->event;
	if (--command->open || !event)
		return;
	event->begin = command->begin;
	event->end = command->end;
	command->event = NULL;
	complete(tasks, event, command->failure ? HD_EVENT_ERROR_IN_LIST : HD_EVENT_COMPLETE, now);
}

void hd_enqueued_flush(hd_tasks *tasks, uint64_t now)
{
	for (size_t i = 0; i < tasks->due.n; i++) {
		hd_clk_event *event = tasks->due.at[i];
		int32_t failure = event->status < 0 ? HD_EVENT_ERROR_IN_LIST : 0;
		for (size_t k = 0; k < event->captures.n; k++)
			capture(tasks, event, event->captures.at[k]);
		for (size_t k = 0; k < event->commands.n; k++)
			one_wait_less(tasks, event->commands.at[k], failure, now);
		for (size_t k = 0; k < event->markers.n; k++) {
			hd_clk_event *marker = event->markers.at[k];
			marker->failure = failure ? failure : marker->failure;
			if (!--marker->waits)
				complete(tasks, marker, marker->failure, now);
		}
		event->commands.n = event->markers.n = event->captures.n = 0;
		hd_clk_event_tidy(tasks->enqueuing->events, event);
	}
	tasks->due.n = 0;
}

/* -- asks ---------------------------------------------------------------------------------------------------------------------------------------- */

/* Who asks, and what. */
typedef struct asker {
	hd_tasks *tasks;
	const hd_enqueuing *with;
	hd_grid *parent;
	hd_child_grids **child_grids;
	uint8_t bytes[HD_CALL_SIZE]; /* a copy: what the reader gives is good until it is asked again */
	const hd_reader *reader;
	uint64_t ready;
	HD_VEC(hd_clk_event *) wait; /* the list */
	bool trapped;
} asker;

static uint32_t field32(const asker *a, unsigned at) { return get32(a->bytes + at); }
static uint64_t field64(const asker *a, unsigned at) { return get64(a->bytes + at); }

static const uint8_t *read(asker *a, uint64_t address, uint32_t bytes, uint32_t align)
{
	const uint8_t *at = a->reader->at(a->reader->context, address, bytes, align);
	a->trapped = a->trapped || !at;
	return at;
}

static int32_t read_wait_list(asker *a)
{
	uint64_t address = field64(a, HD_CALL_WAIT);
	uint32_t n = field32(a, HD_CALL_N_WAIT);
	if ((n != 0) != (address != 0) || n > WAIT_MAX)
		return HD_CALL_INVALID_WAIT_LIST;
	const uint8_t *handles = n ? read(a, address, 8 * n, 8) : NULL;
	for (uint32_t i = 0; handles && i < n; i++) {
		hd_clk_event *event = hd_clk_event_find(a->with->events, get64(handles + (size_t)8 * i));
		if (!event)
			return HD_CALL_INVALID_WAIT_LIST;
		hd_vec_push(&a->wait, event);
	}
	return 0;
}

/* Has a command or a marker wait for the events of the list. Returns the failure of one that has failed, or 0. */
static int32_t wait_for_list(const asker *a, hd_enqueued *command, hd_clk_event *marker)
{
	int32_t failure = 0;
	for (size_t i = 0; i < a->wait.n; i++) {
		hd_clk_event *event = a->wait.at[i];
		if (event->status < 0)
			failure = HD_EVENT_ERROR_IN_LIST;
		if (event->status <= HD_EVENT_COMPLETE)
			continue;
		if (command) {
			command->waits++;
			hd_vec_push(&event->commands, command);
		} else {
			marker->waits++;
			hd_vec_push(&event->markers, marker);
		}
	}
	return failure;
}

/* A marker that waits for the list. */
static int32_t make_marker(const asker *a)
{
	hd_clk_event *event = hd_clk_event_new(a->with->events);
	if (!event)
		return HD_CALL_NO_EVENT;
	event->failure = wait_for_list(a, NULL, event);
	event->begin = event->end = a->ready;
	if (!event->waits)
		complete(a->tasks, event, event->failure, a->ready);
	return (int32_t)event->handle;
}

static int32_t enqueue_marker(asker *a)
{
	int32_t error = read_wait_list(a);
	return error || a->trapped ? error : make_marker(a);
}

/* The range of the call, with a size of groups. */
static int32_t read_range(const asker *a, const hd_kernel *kernel, hd_range *range)
{
	uint32_t dims = field32(a, HD_CALL_DIMS);
	bool nonuniform = a->tasks->program->object->nonuniform, chosen = true;
	size_t most = a->with->group_max(kernel), global[3] = {1, 1, 1}, block[3] = {1, 1, 1}, threads = 1, groups = 1;
	*range = (hd_range){.size = {1, 1, 1}};
	if (dims < 1 || dims > 3)
		return HD_CALL_INVALID_RANGE;
	for (uint32_t d = 0; d < dims; d++) {
		global[d] = range->size[d] = field64(a, HD_CALL_GLOBAL + 8 * d);
		range->offset[d] = field64(a, HD_CALL_OFFSET + 8 * d);
		block[d] = field64(a, HD_CALL_BLOCK + 8 * d);
		chosen = chosen && block[d] == 0;
	}
	if (chosen)
		hd_range_choose(kernel, most, nonuniform, dims, global, block);
	for (uint32_t d = 0; d < 3; d++) {
		if (block[d] == 0 || block[d] > most || (global[d] % block[d] && !nonuniform) || range->offset[d] > UINT64_MAX - global[d] ||
		    (kernel->required_block[0] && kernel->required_block[d] != block[d]))
			return HD_CALL_INVALID_RANGE;
		size_t in_row = global[d] / block[d] + (global[d] % block[d] != 0);
		if (in_row > UINT32_MAX)
			return HD_CALL_INVALID_RANGE;
		threads *= block[d];
		groups = groups > UINT32_MAX ? groups : groups * in_row;
		range->block[d] = (uint32_t)block[d];
	}
	hd_range_count(range);
	return threads > most ? HD_CALL_INVALID_RANGE : groups > UINT32_MAX ? HD_CALL_OUT_OF_RESOURCES : 0;
}

/* Fills in the parameters: the literal's address, and places in shared memory behind the kernel's own. */
static int32_t bind(asker *a, const hd_kernel *kernel, uint64_t literal, uint8_t *params, uint32_t *dynamic)
{
	uint32_t n = field32(a, HD_CALL_N_SIZES);
	uint64_t base = ((uint64_t)kernel->shared_bytes + 15) & ~UINT64_C(15), end = base;
	if (kernel->params.n != (size_t)n + 1 || kernel->params.at[0].size != 8)
		return HD_CALL_INVALID_ARG_SIZE;
	const uint8_t *sizes = n ? read(a, field64(a, HD_CALL_SIZES), 8 * n, 8) : NULL;
	put64(params + kernel->params.at[0].offset, literal);
	for (uint32_t i = 0; sizes && i < n; i++) {
		const hd_param *param = &kernel->params.at[i + 1];
		uint64_t size = get64(sizes + (size_t)8 * i);
		if (size == 0 || param->size != 8)
			return HD_CALL_INVALID_ARG_SIZE;
		if (size > a->with->shared)
			return HD_CALL_OUT_OF_RESOURCES;
		end = hd_shared_argument(param, end, size);
		put64(params + param->offset, end);
		end += size;
	}
	*dynamic = (uint32_t)(end - base);
	return end > a->with->shared ? HD_CALL_OUT_OF_RESOURCES : 0;
}

/* Puts a copy of the block's literal into the memory of the queue. */
static int32_t keep_literal(asker *a, uint32_t queue, hd_enqueued *command)
{
	uint64_t address = field64(a, HD_CALL_LITERAL);
	const uint8_t *head = read(a, address, LITERAL_HEAD, 4), *literal;
	uint32_t bytes = head ? get32(head) : 0;
	bool live = false;
	if (head && (bytes < LITERAL_HEAD || bytes > LITERAL_MAX || get32(head + 4) > GRANULE))
		return HD_CALL_FAILURE;
	literal = head ? read(a, address, bytes, 4) : NULL;
	if (!literal)
		return 0; /* a trap */
	if (!take_place(a->tasks, queue, bytes, command))
		return HD_CALL_QUEUE_FULL;
	uint8_t *to = hd_memory_any_at(a->tasks->memory, command->literal, bytes, &live);
	hd_invariant(to, "a queue has no memory");
	memcpy(to, literal, bytes);
	return 0;
}

/* Whether the part can run. */
static bool possible(const asker *a, const hd_launch *launch)
{
	hd_diag diag = {0};
	bool ok = hd_launch_check(launch, &diag) && !(a->tasks->refuse && a->tasks->refuse(a->tasks->machine, launch));
	hd_diag_free(&diag);
	return ok;
}

/* The parts of the range as launches. Returns an error if one of them cannot run. */
static int32_t make_parts(const asker *a, const hd_launch *whole, const hd_range *range, hd_enqueued *command, hd_launch *parts, uint32_t *n)
{
	*n = 0;
	if (hd_range_uniform(range)) {
		parts[0] = *whole;
		memcpy(parts[0].grid, range->groups, sizeof parts[0].grid);
		memcpy(parts[0].block, range->block, sizeof parts[0].block);
		memcpy(parts[0].offset, range->offset, sizeof parts[0].offset);
		*n = 1;
	}
	for (unsigned which = 0; which < HD_RANGE_PARTS && !hd_range_uniform(range); which++) {
		parts[*n] = *whole;
		*n += hd_range_part(range, which, &parts[*n], &command->range[*n]);
	}
	for (uint32_t i = 0; i < *n; i++)
		if (!possible(a, &parts[i]))
			return HD_CALL_OUT_OF_RESOURCES;
	return hd_tasks_room(a->tasks, *n) ? 0 : HD_CALL_QUEUE_FULL;
}

/* Puts the command where it waits or begins. */
static void admit(const asker *a, hd_enqueued *command, const hd_launch *parts, uint32_t n, const uint8_t *params)
{
	uint32_t after = field32(a, HD_CALL_AFTER);
	hd_enqueued_list *list = NULL;
	for (uint32_t i = 0; i < n; i++) {
		hd_grid *grid = hd_tasks_new_grid(a->tasks);
		hd_launch launch = parts[i];
		launch.params = grid->params = hd_xcalloc(1, launch.kernel->param_bytes + 1);
		memcpy(grid->params, params, launch.kernel->param_bytes);
		grid->priority = a->parent->priority;
		grid->kind = a->parent->kind;
		hd_tasks_make_child(a->tasks, a->parent, grid, &launch, a->ready);
		a->parent->children++;
		hd_enqueued_add(command, grid);
		if (a->reader->made)
			a->reader->made(a->reader->context, grid, after != HD_CALL_NOW || a->wait.n != 0);
	}
	command->failure = wait_for_list(a, command, NULL);
	if (after == HD_CALL_AFTER_KERNEL && !a->parent->queue)
		list = &hd_enqueued_of(a->parent)->after;
	else if (after != HD_CALL_NOW)
		list = &hd_tasks_child_grids(a->tasks, a->child_grids)->after;
	if (list) {
		*(list->last ? &list->last->next : &list->first) = command;
		list->last = command;
		command->waits++;
	}
	if (!command->waits)
		begin(a->tasks, command, a->ready);
}

static int32_t enqueue(asker *a)
{
	uint64_t queue = field64(a, HD_CALL_QUEUE_AT);
	const hd_kernel *kernel = hd_tasks_kernel_at(a->tasks, field64(a, HD_CALL_KERNEL));
	hd_range range;
	hd_launch parts[HD_RANGE_PARTS], whole = a->parent->launch;
	uint32_t n = 0;
	if (queue == 0 || queue > a->with->n_queues || !a->with->queues[queue - 1].bytes)
		return HD_CALL_INVALID_QUEUE;
	if (!kernel || kernel->params.n == 0 || field32(a, HD_CALL_AFTER) > HD_CALL_AFTER_CTA)
		return HD_CALL_FAILURE;
	int32_t error = read_range(a, kernel, &range);
	if (error == 0)
		error = read_wait_list(a);
	if (error || a->trapped)
		return error;
	if (range.size[0] == 0 || range.size[1] == 0 || range.size[2] == 0) /* there is nothing to run */
		return field32(a, HD_CALL_WANTED) ? make_marker(a) : 0;
	hd_enqueued *command = hd_xcalloc(1, sizeof *command);
	uint8_t *params = hd_xcalloc(1, kernel->param_bytes + 1);
	whole.kernel = kernel;
	whole.params = params;
	whole.range = NULL;
	whole.work_dim = field32(a, HD_CALL_DIMS);
	error = keep_literal(a, (uint32_t)queue, command);
	if (error == 0 && !a->trapped)
		error = bind(a, kernel, command->literal, params, &whole.dynamic_shared);
	if (error == 0 && !a->trapped)
		error = make_parts(a, &whole, &range, command, parts, &n);
	if (error == 0 && !a->trapped && field32(a, HD_CALL_WANTED)) {
		command->event = hd_clk_event_new(a->with->events);
		error = command->event ? (int32_t)command->event->handle : HD_CALL_NO_EVENT;
	}
	if (error >= 0 && !a->trapped) {
		admit(a, command, parts, n, params);
	} else {
		leave_place(a->tasks, command);
		free(command);
	}
	free(params);
	return error;
}

static void set_status(const asker *a, hd_clk_event *event)
{
	int32_t status = (int32_t)field32(a, HD_CALL_WANTED);
	if (event && event->user && event->status == HD_EVENT_SUBMITTED && status <= HD_EVENT_COMPLETE)
		complete(a->tasks, event, status, a->ready);
}

static int32_t make_user_event(const asker *a)
{
	hd_clk_event *event = hd_clk_event_new(a->with->events);
	if (!event)
		return HD_CALL_NO_EVENT;
	event->user = true;
	return (int32_t)event->handle;
}

static void release(const asker *a, hd_clk_event *event)
{
	if (!event || !event->refs)
		return;
	event->refs--;
	hd_clk_event_tidy(a->with->events, event);
}

static void capture_when_complete(const asker *a, hd_clk_event *event)
{
	if (!event || event->user)
		return;
	if (event->status > HD_EVENT_COMPLETE)
		hd_vec_push(&event->captures, field64(a, HD_CALL_TARGET));
	else
		capture(a->tasks, event, field64(a, HD_CALL_TARGET));
}

static int32_t local_size(const asker *a, const hd_kernel *kernel)
{
	hd_range range;
	return kernel && read_range(a, kernel, &range) == 0 ? (int32_t)(range.block[0] * range.block[1] * range.block[2]) : 0;
}

static int32_t answer_to(asker *a)
{
	hd_clk_event *event = hd_clk_event_find(a->with->events, field64(a, HD_CALL_EVENT));
	const hd_kernel *kernel = hd_tasks_kernel_at(a->tasks, field64(a, HD_CALL_KERNEL));
	switch (field32(a, HD_CALL_WHAT)) {
	case HD_CALL_ENQUEUE:
		return enqueue(a);
	case HD_CALL_MARKER:
		return enqueue_marker(a);
	case HD_CALL_USER_EVENT:
		return make_user_event(a);
	case HD_CALL_STATUS:
		set_status(a, event);
		return 0;
	case HD_CALL_RETAIN:
		if (event)
			event->refs++;
		return 0;
	case HD_CALL_RELEASE:
		release(a, event);
		return 0;
	case HD_CALL_VALID:
		return event != NULL;
	case HD_CALL_CAPTURE:
		capture_when_complete(a, event);
		return 0;
	case HD_CALL_QUEUE:
		return (int32_t)a->with->default_queue;
	case HD_CALL_GROUP:
		return kernel ? (int32_t)a->with->group_max(kernel) : 0;
	case HD_CALL_LOCAL:
		return local_size(a, kernel);
	default:
		return HD_CALL_FAILURE;
	}
}

bool hd_tasks_call(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, const uint8_t *bytes, uint64_t ready, const hd_reader *reader,
                   int32_t *answer)
{
	asker a = {.tasks = tasks, .with = tasks->enqueuing, .parent = parent, .child_grids = child_grids, .reader = reader, .ready = ready};
	memcpy(a.bytes, bytes, sizeof a.bytes);
	uint32_t what = field32(&a, HD_CALL_WHAT);
	if (!a.with) { /* there are no queues and no events */
		*answer =
		    what == HD_CALL_VALID || what == HD_CALL_QUEUE || what == HD_CALL_GROUP || what == HD_CALL_LOCAL ? 0 : HD_CALL_INVALID_QUEUE;
		return true;
	}
	*answer = answer_to(&a);
	hd_vec_free(&a.wait);
	hd_enqueued_flush(tasks, ready);
	return !a.trapped;
}
