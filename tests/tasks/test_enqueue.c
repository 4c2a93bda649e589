/* Tasks that kernels enqueue, in the table of tasks (device queues). No machine runs here: the test gives and ends CTAs itself. */
#include "../test.h"

#include "tasks/enqueue.h"

enum { PARENT_AT = 1, BLOCK_AT = 2, SMALL_AT = 3, QUEUE_BYTES = 512 };

static hd_param params[2] = {{.size = 8}, {.offset = 8, .size = 8}};
static hd_kernel kernels[3] = {
    {.name = (char *)(uintptr_t) "k", .entry = PARENT_AT, .registers = 8},
    {.name = (char *)(uintptr_t) "__k_block_invoke_kernel", .entry = BLOCK_AT, .registers = 8, .param_bytes = 8, .params = {.at = params, .n = 1}},
    {.name = (char *)(uintptr_t) "__k_block_invoke_2_kernel",
     .entry = SMALL_AT,
     .registers = 8,
     .param_bytes = 16,
     .shared_bytes = 20,
     .params = {.at = params, .n = 2}},
};
static hd_object object;
static hd_program program = {.object = &object};
static const hd_task_limits limits = {.depth = 1, .pending = 4, .entries = 2};

static size_t group_max(const hd_kernel *kernel) { return kernel->entry == SMALL_AT ? 64 : 256; }

/* A run of one parent of two CTAs, and memory for what it asks. */
typedef struct stage {
	hd_memory *memory;
	hd_clk_events events;
	hd_device_queue queue;
	hd_enqueuing enqueuing;
	hd_task task[2];
	hd_tasks tasks;
	hd_grid *parent;
	hd_child_grids *child_grids;
	uint64_t scratch; /* address of 512 bytes: literal at 0, wait list at 64, sizes at 256 */
	uint8_t call[HD_CALL_SIZE];
} stage;

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static void open_parts(stage *s, uint32_t parts)
{
	hd_diag diag = {0};
	memset(s, 0, sizeof *s);
	object.kernels.at = kernels;
	object.kernels.n = 3;
	object.nonuniform = false;
	s->memory = hd_memory_new(1 << 20);
	s->queue = (hd_device_queue){hd_memory_alloc(s->memory, QUEUE_BYTES, "queue"), QUEUE_BYTES};
	s->scratch = hd_memory_alloc(s->memory, 512, "scratch");
	s->enqueuing = (hd_enqueuing){
	    .queues = &s->queue, .n_queues = 1, .default_queue = 1, .events = &s->events, .group_max = group_max, .shared = 1024, .clock_mhz = 500};
	for (uint32_t i = 0; i < 2; i++)
		s->task[i] = (hd_task){.launch = {.program = &program, .kernel = &kernels[0], .grid = {2, 1, 1}, .block = {32, 1, 1}, .work_dim = 1},
		                       .priority = 5,
		                       .with_previous = i > 0};
	assert_true(hd_tasks_init(&s->tasks, s->task, parts, limits, &diag));
	s->tasks.without_banks = true;
	s->tasks.memory = s->memory;
	s->tasks.enqueuing = &s->enqueuing;
	s->parent = s->tasks.at.at[0];
	for (uint32_t i = 0; i < parts; i++) {
		hd_grid *grid = s->tasks.at.at[i];
		hd_tasks_arrive(&s->tasks, grid);
		hd_grid_take(&s->tasks.ready, grid);
		grid->state = HD_GRID_RUNNING;
	}
	put(hd_memory_at(s->memory, s->scratch, 8), 24 | (uint64_t)8 << 32, 8);
	put(hd_memory_at(s->memory, s->scratch + 16, 8), UINT64_C(0x1122334455667788), 8);
}

static void open_stage(stage *s) { open_parts(s, 1); }

static void close_stage(stage *s)
{
	hd_tasks_free(&s->tasks);
	hd_clk_events_free(&s->events);
	hd_memory_free(s->memory);
}

static const uint8_t *read_memory(void *context, uint64_t address, uint32_t bytes, uint32_t align)
{
	return address % align ? NULL : hd_memory_at(context, address, bytes);
}

static int32_t call(stage *s, hd_task_call what)
{
	int32_t answer = 12345;
	hd_reader reader = {.at = read_memory, .context = s->memory};
	put(s->call + HD_CALL_FLAGS, HD_CHILD_CALL, 4);
	put(s->call + HD_CALL_WHAT, what, 4);
	assert_true(hd_tasks_call(&s->tasks, s->parent, &s->child_grids, s->call, 100, &reader, &answer));
	return answer;
}

/* A call for a grid of `groups` CTAs of 32 threads. */
static void fill(stage *s, uint32_t groups, uint32_t after, bool wanted)
{
	memset(s->call, 0, sizeof s->call);
	put(s->call + HD_CALL_KERNEL, BLOCK_AT, 8);
	put(s->call + HD_CALL_LITERAL, s->scratch, 8);
	put(s->call + HD_CALL_QUEUE_AT, 1, 8);
	put(s->call + HD_CALL_AFTER, after, 4);
	put(s->call + HD_CALL_WANTED, wanted, 4);
	put(s->call + HD_CALL_DIMS, 1, 4);
	put(s->call + HD_CALL_GLOBAL, (uint64_t)groups * 32, 8);
	put(s->call + HD_CALL_BLOCK, 32, 8);
}

static int32_t enqueue(stage *s, uint32_t groups, uint32_t after, bool wanted)
{
	fill(s, groups, after, wanted);
	return call(s, HD_CALL_ENQUEUE);
}

/* The call waits for these events. */
static void wait_for(stage *s, const int32_t *events, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put(hd_memory_at(s->memory, s->scratch + 64 + 8 * i, 8), (uint32_t)events[i], 8);
	put(s->call + HD_CALL_WAIT, s->scratch + 64, 8);
	put(s->call + HD_CALL_N_WAIT, n, 4);
}

static int32_t about(stage *s, hd_task_call what, int32_t event, int32_t status)
{
	memset(s->call, 0, sizeof s->call);
	put(s->call + HD_CALL_EVENT, (uint32_t)event, 8);
	put(s->call + HD_CALL_WANTED, (uint32_t)status, 4);
	return call(s, what);
}

/* Runs `n` CTAs of a grid; none of them has child grids. */
static void run(stage *s, hd_grid *grid, uint32_t n, uint64_t from, uint64_t to)
{
	uint32_t at[3];
	uint64_t number, item;
	for (uint32_t i = 0; i < n; i++) {
		hd_tasks_give(&s->tasks, grid, from, at, &number, &item);
		hd_tasks_done(&s->tasks, grid, to);
	}
}

/* The next grid that is ready. */
static hd_grid *next(stage *s)
{
	hd_grid *grid = s->tasks.ready.first;
	assert_non_null(grid);
	hd_grid_take(&s->tasks.ready, grid);
	grid->state = HD_GRID_RUNNING;
	return grid;
}

static int32_t status_of(const stage *s, int32_t event) { return hd_clk_event_find(&s->events, (uint32_t)event)->status; }

TEST(a_command_begins_at_once)
{
	stage s;
	open_stage(&s);
	int32_t event = enqueue(&s, 3, HD_CALL_NOW, true);
	assert_true(event > 0);
	hd_grid *grid = next(&s);
	assert_int_equal(grid->total, 3);
	assert_int_equal(grid->launch.block[0], 32);
	assert_int_equal(grid->priority, 5);
	assert_int_equal(grid->arrival, 100);
	assert_int_equal(grid->launch.handle, grid->handle);
	/* The parameter is the address of a copy of the literal, in the queue. */
	uint64_t literal = get64(grid->launch.params);
	assert_int_equal(literal, s.queue.address);
	assert_memory_equal(hd_memory_at(s.memory, literal, 24), hd_memory_at(s.memory, s.scratch, 24), 24);
	assert_int_equal(status_of(&s, event), HD_EVENT_SUBMITTED);
	run(&s, grid, 3, 110, 150);
	assert_int_equal(status_of(&s, event), HD_EVENT_COMPLETE);
	run(&s, s.parent, 2, 1, 200);
	assert_int_equal(s.tasks.open, 0);
	assert_int_equal(s.tasks.pending, 0);
	close_stage(&s);
}

/* The parent has two CTAs, and is a part of a command of two grids. */
TEST(a_command_waits_for_all_of_its_parents_command)
{
	stage s;
	open_parts(&s, 2);
	assert_int_equal(enqueue(&s, 1, HD_CALL_AFTER_KERNEL, false), 0);
	assert_int_equal(enqueue(&s, 2, HD_CALL_AFTER_KERNEL, false), 0);
	run(&s, s.parent, 2, 1, 2);
	assert_null(s.tasks.ready.first);
	run(&s, s.tasks.at.at[1], 1, 1, 2);
	assert_null(s.tasks.ready.first);
	run(&s, s.tasks.at.at[1], 1, 1, 300);
	hd_grid *first = next(&s), *second = next(&s);
	assert_int_equal(first->total, 1);
	assert_int_equal(second->total, 2);
	assert_int_equal(first->arrival, 300);
	assert_int_not_equal(s.tasks.open, 0); /* the parent has ended when its children have */
	run(&s, first, 1, 301, 302);
	run(&s, second, 2, 301, 302);
	assert_int_equal(s.tasks.open, 0);
	close_stage(&s);
}

TEST(a_command_waits_for_its_cta)
{
	stage s;
	open_stage(&s);
	assert_int_equal(enqueue(&s, 1, HD_CALL_AFTER_CTA, false), 0);
	assert_int_equal(enqueue(&s, 2, HD_CALL_AFTER_CTA, false), 0);
	assert_false(hd_child_grids_open(s.child_grids)); /* a join does not wait for what waits for the CTA */
	assert_null(s.tasks.ready.first);
	hd_child_grids_leave(&s.tasks, s.child_grids, 120);
	assert_int_equal(next(&s)->total, 1);
	hd_grid *second = next(&s);
	assert_int_equal(second->total, 2);
	assert_int_equal(second->arrival, 120);
	close_stage(&s);
}

/* A queue of entries has no end that its entries could wait for: to them, the kernel is the CTA. */
TEST(an_entry_of_a_queue_waits_for_its_cta)
{
	stage s;
	open_stage(&s);
	s.parent->queue = true;
	assert_int_equal(enqueue(&s, 3, HD_CALL_AFTER_KERNEL, false), 0);
	assert_null(s.tasks.ready.first);
	hd_child_grids_leave(&s.tasks, s.child_grids, 120);
	assert_int_equal(next(&s)->total, 3);
	s.parent->queue = false;
	close_stage(&s);
}

TEST(events_and_markers_hold_commands_back)
{
	stage s;
	open_stage(&s);
	int32_t events[3];
	for (unsigned i = 0; i < 2; i++)
		events[i] = enqueue(&s, 1, HD_CALL_NOW, true);
	hd_grid *first = next(&s), *second = next(&s);
	fill(&s, 0, 0, false);
	wait_for(&s, events, 2);
	events[2] = call(&s, HD_CALL_MARKER);
	fill(&s, 7, HD_CALL_NOW, false);
	wait_for(&s, events + 2, 1);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), 0);
	run(&s, first, 1, 130, 140);
	assert_int_equal(status_of(&s, events[2]), HD_EVENT_SUBMITTED);
	assert_null(s.tasks.ready.first);
	run(&s, second, 1, 130, 150);
	assert_int_equal(status_of(&s, events[2]), HD_EVENT_COMPLETE);
	hd_grid *last = next(&s);
	assert_int_equal(last->total, 7);
	assert_int_equal(last->arrival, 150);
	/* A complete event holds nobody back. */
	fill(&s, 5, HD_CALL_NOW, false);
	wait_for(&s, events, 3);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), 0);
	assert_int_equal(next(&s)->total, 5);
	close_stage(&s);
}

/* An event of a kernel is complete when the children of the kernel have ended. Its times are written then, in nanoseconds. */
TEST(an_event_has_the_times_of_its_command)
{
	stage s;
	open_stage(&s);
	int32_t event = enqueue(&s, 1, HD_CALL_NOW, true);
	hd_grid *grid = next(&s), *parent = s.parent;
	uint8_t *times = hd_memory_at(s.memory, s.scratch + 400, 16);
	memset(s.call, 0, sizeof s.call);
	put(s.call + HD_CALL_TARGET, s.scratch + 400, 8);
	put(s.call + HD_CALL_EVENT, (uint32_t)event, 8);
	call(&s, HD_CALL_CAPTURE);
	s.parent = grid;
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	s.parent = parent;
	hd_grid *child = next(&s);
	run(&s, grid, 1, 1000, 1500);
	assert_int_equal(get64(times), 0);
	assert_int_equal(status_of(&s, event), HD_EVENT_SUBMITTED);
	run(&s, child, 1, 1600, 1750);
	assert_int_equal(get64(times), 1000);
	assert_int_equal(get64(times + 8), 1500);
	memset(s.call, 0, sizeof s.call);
	put(s.call + HD_CALL_TARGET, s.scratch + 424, 8);
	put(s.call + HD_CALL_EVENT, (uint32_t)event, 8);
	call(&s, HD_CALL_CAPTURE); /* complete: at once */
	assert_memory_equal(hd_memory_at(s.memory, s.scratch + 424, 16), times, 16);
	put(s.call + HD_CALL_TARGET, s.scratch + 444, 8); /* no place for numbers of 64 bits */
	call(&s, HD_CALL_CAPTURE);
	assert_int_equal(get64(hd_memory_at(s.memory, s.scratch + 444, 8)), 0);
	close_stage(&s);
}

/* A task that waits for an event that has failed ends without a CTA, and its own event fails, and so on. */
TEST(failures_pass_on)
{
	stage s;
	open_stage(&s);
	memset(s.call, 0, sizeof s.call);
	int32_t user = call(&s, HD_CALL_USER_EVENT), done = enqueue(&s, 1, HD_CALL_NOW, true);
	hd_grid *other = next(&s);
	fill(&s, 3, HD_CALL_AFTER_KERNEL, true);
	wait_for(&s, (int32_t[]){user, done}, 2);
	int32_t first = call(&s, HD_CALL_ENQUEUE);
	fill(&s, 0, 0, false);
	wait_for(&s, &first, 1);
	int32_t marker = call(&s, HD_CALL_MARKER);
	fill(&s, 3, HD_CALL_NOW, true);
	wait_for(&s, &marker, 1);
	int32_t last = call(&s, HD_CALL_ENQUEUE);
	about(&s, HD_CALL_STATUS, user, -9);
	assert_int_equal(status_of(&s, user), -9);
	about(&s, HD_CALL_STATUS, user, 0); /* once only */
	assert_int_equal(status_of(&s, user), -9);
	about(&s, HD_CALL_STATUS, done, 0); /* no event of the program's */
	assert_int_equal(status_of(&s, done), HD_EVENT_SUBMITTED);
	run(&s, other, 1, 110, 120);
	assert_int_equal(status_of(&s, first), HD_EVENT_SUBMITTED); /* it waits for its parent, too */
	run(&s, s.parent, 2, 1, 130);
	assert_int_equal(status_of(&s, first), HD_EVENT_ERROR_IN_LIST);
	assert_int_equal(status_of(&s, marker), HD_EVENT_ERROR_IN_LIST);
	assert_int_equal(status_of(&s, last), HD_EVENT_ERROR_IN_LIST);
	assert_null(s.tasks.ready.first);
	assert_int_equal(s.tasks.open, 0);
	assert_int_equal(s.tasks.pending, 0);
	close_stage(&s);
}

TEST(an_event_lives_while_somebody_needs_it)
{
	stage s;
	open_stage(&s);
	int32_t event = enqueue(&s, 1, HD_CALL_NOW, true);
	hd_grid *grid = next(&s);
	about(&s, HD_CALL_RETAIN, event, 0);
	about(&s, HD_CALL_RELEASE, event, 0);
	assert_int_equal(about(&s, HD_CALL_VALID, event, 0), 1);
	about(&s, HD_CALL_RELEASE, event, 0);
	assert_int_equal(about(&s, HD_CALL_VALID, event, 0), 1); /* submitted */
	about(&s, HD_CALL_RELEASE, event, 0);                    /* once too often */
	run(&s, grid, 1, 110, 120);
	assert_int_equal(about(&s, HD_CALL_VALID, event, 0), 0);
	int32_t other = enqueue(&s, 1, HD_CALL_NOW, true);
	assert_int_not_equal(other, event); /* the handle is not used again soon */
	assert_int_equal(about(&s, HD_CALL_VALID, -1, 0), 0);
	assert_int_equal(about(&s, HD_CALL_VALID, 0, 0), 0);
	/* The end of the run fails what it should have completed. */
	hd_tasks_free(&s.tasks);
	assert_int_equal(status_of(&s, other), HD_EVENT_ERROR_IN_LIST);
	assert_int_equal(s.events.at.at[0]->commands.n, 0);
	s.tasks = (hd_tasks){0};
	close_stage(&s);
}

/* Values of events may outlive a run in a buffer. But nobody can complete a user event that the program has released. */
TEST(a_user_event_outlives_the_run_that_keeps_it)
{
	stage s;
	open_stage(&s);
	memset(s.call, 0, sizeof s.call);
	int32_t kept = call(&s, HD_CALL_USER_EVENT), left = call(&s, HD_CALL_USER_EVENT);
	about(&s, HD_CALL_RELEASE, left, 0);
	fill(&s, 1, HD_CALL_NOW, false);
	wait_for(&s, &left, 1);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), 0);
	assert_null(s.tasks.ready.first);
	hd_tasks_free(&s.tasks);
	assert_int_equal(status_of(&s, kept), HD_EVENT_SUBMITTED);
	assert_null(hd_clk_event_find(&s.events, (uint32_t)left));
	s.tasks = (hd_tasks){0};
	close_stage(&s);
}

TEST(the_number_of_events_is_bounded)
{
	stage s;
	int32_t event = 0;
	open_stage(&s);
	memset(s.call, 0, sizeof s.call);
	for (unsigned i = 0; i < HD_CLK_EVENTS_MAX; i++)
		assert_true((event = call(&s, HD_CALL_USER_EVENT)) > 0);
	assert_int_equal(call(&s, HD_CALL_USER_EVENT), HD_CALL_NO_EVENT);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, true), HD_CALL_NO_EVENT);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	about(&s, HD_CALL_STATUS, event, 1); /* running: that completes nothing */
	assert_int_equal(status_of(&s, event), HD_EVENT_SUBMITTED);
	about(&s, HD_CALL_STATUS, event, 0);
	about(&s, HD_CALL_RELEASE, event, 0);
	assert_true(enqueue(&s, 1, HD_CALL_NOW, true) > 0);
	close_stage(&s);
}

/* Asks that fail leave nothing behind. */
TEST(impossible_commands_are_refused)
{
	static const struct {
		unsigned at, bytes;
		uint64_t value;
		int32_t answer;
	} rows[] = {
	    {HD_CALL_QUEUE_AT, 8, 0, HD_CALL_INVALID_QUEUE},
	    {HD_CALL_QUEUE_AT, 8, 2, HD_CALL_INVALID_QUEUE},
	    {HD_CALL_KERNEL, 8, PARENT_AT, HD_CALL_FAILURE}, /* it has no parameter for a literal */
	    {HD_CALL_KERNEL, 8, 77, HD_CALL_FAILURE},
	    {HD_CALL_AFTER, 4, 3, HD_CALL_FAILURE},
	    {HD_CALL_DIMS, 4, 0, HD_CALL_INVALID_RANGE},
	    {HD_CALL_DIMS, 4, 4, HD_CALL_INVALID_RANGE},
	    {HD_CALL_GLOBAL, 8, 33, HD_CALL_INVALID_RANGE}, /* the program has groups of one size */
	    {HD_CALL_BLOCK, 8, 512, HD_CALL_INVALID_RANGE},
	    {HD_CALL_OFFSET, 8, UINT64_MAX, HD_CALL_INVALID_RANGE},
	    {HD_CALL_GLOBAL, 8, UINT64_C(32) << 32, HD_CALL_INVALID_RANGE},
	    {HD_CALL_N_SIZES, 4, 1, HD_CALL_INVALID_ARG_SIZE},
	    {HD_CALL_N_WAIT, 4, 1, HD_CALL_INVALID_WAIT_LIST},
	    {HD_CALL_WHAT, 4, HD_CALLS, HD_CALL_FAILURE},
	};
	stage s;
	open_stage(&s);
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		int32_t answer = 0;
		hd_reader reader = {.at = read_memory, .context = s.memory};
		fill(&s, 2, HD_CALL_NOW, true);
		put(s.call + rows[i].at, rows[i].value, rows[i].bytes);
		assert_true(hd_tasks_call(&s.tasks, s.parent, &s.child_grids, s.call, 100, &reader, &answer));
		if (answer != rows[i].answer)
			fail_msg("row %zu: %d, expected %d", i, answer, rows[i].answer);
	}
	/* A list that is there and empty; an event that there is not. */
	fill(&s, 1, HD_CALL_NOW, false);
	put(s.call + HD_CALL_WAIT, s.scratch + 64, 8);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), HD_CALL_INVALID_WAIT_LIST);
	wait_for(&s, (int32_t[]){4711}, 1);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), HD_CALL_INVALID_WAIT_LIST);
	/* A literal that says that it has no bytes. */
	put(hd_memory_at(s.memory, s.scratch, 4), 7, 4);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_FAILURE);
	/* One whose alignment no place has. */
	put(hd_memory_at(s.memory, s.scratch, 8), 24 | (uint64_t)128 << 32, 8);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_FAILURE);
	assert_int_equal(s.events.at.n, s.events.unused.n);
	assert_int_equal(s.tasks.open, 1);
	assert_null(s.tasks.ready.first);
	/* A kernel that requires another size of groups. */
	put(hd_memory_at(s.memory, s.scratch, 8), 24 | (uint64_t)8 << 32, 8);
	memcpy(kernels[1].required_block, (uint32_t[3]){16, 1, 1}, sizeof kernels[1].required_block);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_INVALID_RANGE);
	memset(kernels[1].required_block, 0, sizeof kernels[1].required_block);
	/* Nothing to run, but an event. */
	int32_t event = enqueue(&s, 0, HD_CALL_NOW, true);
	assert_int_equal(status_of(&s, event), HD_EVENT_COMPLETE);
	assert_int_equal(hd_clk_event_find(&s.events, (uint32_t)event)->begin, 100); /* when it was asked for */
	assert_int_equal(s.tasks.open, 1);
	close_stage(&s);
}

TEST(memory_that_cannot_be_read_is_a_trap)
{
	static const unsigned addresses[] = {HD_CALL_LITERAL, HD_CALL_WAIT};
	stage s;
	open_stage(&s);
	for (unsigned i = 0; i < 2; i++) {
		int32_t answer;
		hd_reader reader = {.at = read_memory, .context = s.memory};
		fill(&s, 1, HD_CALL_NOW, true);
		put(s.call + HD_CALL_FLAGS, HD_CHILD_CALL, 4);
		put(s.call + HD_CALL_N_WAIT, i, 4);
		put(s.call + addresses[i], 8, 8);
		assert_false(hd_tasks_call(&s.tasks, s.parent, &s.child_grids, s.call, 100, &reader, &answer));
		assert_int_equal(s.tasks.open, 1);
		assert_int_equal(s.events.at.n, 0);
	}
	close_stage(&s);
}

/* Local arguments follow the kernel's own memory, aligned to their sizes. */
TEST(local_arguments_have_places)
{
	static const struct {
		uint64_t size, place;
		int32_t answer;
	} rows[] = {{4, 32, 0},
	            {256, 128, 0},
	            {48, 32, 0},
	            {896, 128, 0},
	            {897, 0, 0},
	            {1024 - 31, 0, HD_CALL_OUT_OF_RESOURCES},
	            {0, 0, HD_CALL_INVALID_ARG_SIZE},
	            {UINT64_MAX, 0, HD_CALL_OUT_OF_RESOURCES}};
	stage s;
	open_stage(&s);
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		fill(&s, 1, HD_CALL_NOW, false);
		put(s.call + HD_CALL_KERNEL, SMALL_AT, 8);
		put(s.call + HD_CALL_N_SIZES, 1, 4);
		put(s.call + HD_CALL_SIZES, s.scratch + 256, 8);
		put(hd_memory_at(s.memory, s.scratch + 256, 8), rows[i].size, 8);
		assert_int_equal(call(&s, HD_CALL_ENQUEUE), rows[i].answer);
		if (rows[i].answer)
			continue;
		hd_grid *grid = next(&s);
		uint64_t place = get64(grid->launch.params + 8);
		assert_int_equal(place, rows[i].place ? rows[i].place : 32);
		assert_int_equal(grid->launch.dynamic_shared, place + rows[i].size - 32);
		run(&s, grid, 1, 101, 102);
	}
	/* The kernel's largest group is smaller. */
	fill(&s, 4, HD_CALL_NOW, false);
	put(s.call + HD_CALL_KERNEL, SMALL_AT, 8);
	put(s.call + HD_CALL_BLOCK, 128, 8);
	assert_int_equal(call(&s, HD_CALL_ENQUEUE), HD_CALL_INVALID_RANGE);
	assert_int_equal(call(&s, HD_CALL_GROUP), 64);
	put(s.call + HD_CALL_BLOCK, 0, 8);
	assert_int_equal(call(&s, HD_CALL_LOCAL), 64);
	put(s.call + HD_CALL_BLOCK, 16, 8);
	assert_int_equal(call(&s, HD_CALL_LOCAL), 16);
	assert_int_equal(call(&s, HD_CALL_QUEUE), 1);
	close_stage(&s);
}

/* Commands may be nested deeper than launches, and a command whose CTAs have ended keeps no memory of the queue. */
TEST(a_command_may_enqueue_its_like)
{
	stage s;
	open_stage(&s);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	run(&s, s.parent, 2, 1, 2);
	for (unsigned depth = 0; depth < 100; depth++) {
		s.parent = next(&s);
		assert_int_equal(enqueue(&s, 1, HD_CALL_AFTER_KERNEL, false), 0);
		assert_null(s.tasks.ready.first);
		run(&s, s.parent, 1, 101, 102);
	}
	assert_int_equal(s.tasks.open, 102);
	assert_int_equal(s.tasks.deepest, 101);
	run(&s, next(&s), 1, 101, 102);
	assert_int_equal(s.tasks.open, 0);
	close_stage(&s);
}

/* The memory of a queue is free again when the CTAs have ended. */
TEST(queues_have_room_for_so_many)
{
	enum { ROOM = QUEUE_BYTES / 64 };
	stage s;
	open_stage(&s);
	for (unsigned i = 0; i < ROOM; i++)
		assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_QUEUE_FULL);
	run(&s, next(&s), 1, 101, 102);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_QUEUE_FULL);
	/* A larger literal takes a larger place. */
	for (unsigned i = 0; i < ROOM; i++)
		run(&s, next(&s), 1, 101, 102);
	put(hd_memory_at(s.memory, s.scratch, 4), 65, 4);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_QUEUE_FULL);
	close_stage(&s);
	open_stage(&s);
	put(hd_memory_at(s.memory, s.scratch, 4), 65, 4);
	for (unsigned i = 0; i < ROOM / 2; i++)
		assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), 0);
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, false), HD_CALL_QUEUE_FULL);
	close_stage(&s);
}

/* A range whose groups have several sizes is several grids, and one command. */
TEST(a_range_is_one_command)
{
	stage s;
	open_stage(&s);
	object.nonuniform = true;
	fill(&s, 1, HD_CALL_NOW, true);
	put(s.call + HD_CALL_DIMS, 2, 4);
	put(s.call + HD_CALL_OFFSET + 8, 3, 8);
	put(s.call + HD_CALL_GLOBAL, 70, 8);
	put(s.call + HD_CALL_GLOBAL + 8, 5, 8);
	put(s.call + HD_CALL_BLOCK + 8, 2, 8);
	int32_t event = call(&s, HD_CALL_ENQUEUE);
	hd_grid *parts[4];
	static const uint32_t groups[4] = {4, 2, 2, 1}, width[4] = {32, 6, 32, 6}, height[4] = {2, 2, 1, 1};
	for (unsigned i = 0; i < 4; i++) {
		parts[i] = next(&s);
		assert_int_equal(parts[i]->total, groups[i]);
		assert_int_equal(parts[i]->launch.block[0], width[i]);
		assert_int_equal(parts[i]->launch.block[1], height[i]);
		assert_int_equal(parts[i]->launch.offset[1], height[i] == 2 ? 3 : 7);
		assert_int_equal(parts[i]->launch.range->size[0], 70);
		assert_int_equal(parts[i]->launch.work_dim, 2);
	}
	assert_null(s.tasks.ready.first);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(status_of(&s, event), HD_EVENT_SUBMITTED);
		run(&s, parts[i], groups[i], 110, 120 + i);
	}
	assert_int_equal(status_of(&s, event), HD_EVENT_COMPLETE);
	assert_int_equal(hd_clk_event_find(&s.events, (uint32_t)event)->end, 123);
	close_stage(&s);
}

/* A run without queues answers, too. */
TEST(without_queues_everything_fails)
{
	stage s;
	open_stage(&s);
	s.tasks.enqueuing = NULL;
	assert_int_equal(enqueue(&s, 1, HD_CALL_NOW, true), HD_CALL_INVALID_QUEUE);
	assert_int_equal(call(&s, HD_CALL_USER_EVENT), HD_CALL_INVALID_QUEUE);
	assert_int_equal(call(&s, HD_CALL_QUEUE), 0);
	assert_int_equal(call(&s, HD_CALL_VALID), 0);
	close_stage(&s);
}
