/* Streams of kernels, markers, and refusals that are values (tasks/stream.h). No machine runs here. */
#include "../test.h"

#include "tasks/stream.h"

static hd_object object;
static hd_program program = {.object = &object};
static hd_kernel kernel = {.name = (char *)(uintptr_t) "k", .entry = 1, .registers = 8, .param_bytes = 12};

typedef struct stage {
	hd_task list[1];
	hd_tasks tasks;
	hd_grid *parent;
	hd_child_grids *child_grids;
} stage;

static int begin(void **state)
{
	static stage s;
	hd_diag diag = {0};
	hd_vec_push(&object.kernels, kernel);
	s = (stage){.list = {{.launch = {.program = &program, .kernel = &kernel, .grid = {2, 1, 1}, .block = {32, 1, 1}, .work_dim = 1}}}};
	bool good = hd_tasks_init(&s.tasks, s.list, 1, (hd_task_limits){.depth = 2, .pending = 100, .entries = 2}, &diag);
	s.parent = s.tasks.at.at[0];
	hd_tasks_arrive(&s.tasks, s.parent);
	hd_grid_take(&s.tasks.ready, s.parent);
	*state = &s;
	return !good;
}

static int end(void **state)
{
	stage *s = *state;
	hd_tasks_free(&s->tasks);
	hd_vec_free(&object.kernels);
	return 0;
}

static uint32_t call(stage *s, hd_child_grids **child_grids, uint32_t what, uint32_t stream, uint64_t kernel_or_handle, uint64_t ready,
                     hd_grid **grid)
{
	hd_child child = {
	    .kernel = kernel_or_handle, .grid = {1, 1, 1}, .block = {32, 1, 1}, .flags = HD_CHILD_ANSWERS | what << HD_STREAM_WHAT, .stream = stream};
	static const uint8_t params[12] = {7};
	hd_stream_measure(&s->tasks, &child);
	assert_int_equal(child.bytes, what == HD_STREAM_LAUNCH && kernel_or_handle == 1 ? 12 : 0);
	return hd_stream_call(&s->tasks, s->parent, child_grids, &child, params, ready, grid);
}

static hd_grid *launch(stage *s, uint32_t stream, uint64_t ready)
{
	hd_grid *grid = NULL;
	assert_int_equal(call(s, &s->child_grids, HD_STREAM_LAUNCH, stream, 1, ready, &grid), 0);
	assert_non_null(grid);
	assert_int_equal(grid->params[0], 7);
	return grid;
}

static bool is_ready(const stage *s, const hd_grid *grid)
{
	const hd_grid *at = s->tasks.ready.first;
	while (at && at != grid)
		at = at->next;
	return at;
}

static void run(stage *s, hd_grid *grid, uint64_t now)
{
	uint32_t at[3];
	uint64_t number, item;
	assert_true(is_ready(s, grid));
	hd_grid_take(&s->tasks.ready, grid);
	hd_tasks_give(&s->tasks, grid, 1, at, &number, &item);
	hd_tasks_done(&s->tasks, grid, now);
}

TEST_WITH(children_of_a_stream_run_one_after_the_other, begin, end)
{
	stage *s = *state;
	for (uint32_t stream = HD_STREAM_CTA; stream < 20; stream += 16) {
		hd_grid *first = launch(s, stream, 50), *second = launch(s, stream, 60), *third = launch(s, stream, 900);
		assert_true(is_ready(s, first));
		assert_false(is_ready(s, second));
		run(s, first, 100);
		assert_true(is_ready(s, second));
		assert_int_equal(second->arrival, 100);
		assert_false(is_ready(s, third));
		run(s, second, 200);
		assert_int_equal(third->arrival, 900); /* still on its way */
		run(s, third, 1000);
		assert_int_equal(s->parent->streams.n, 0);
		/* Nobody is left to wait for. */
		hd_tasks_sweep(&s->tasks);
		hd_grid *later = launch(s, stream, 1100);
		assert_true(is_ready(s, later));
		run(s, later, 1200);
	}
	assert_int_equal(s->parent->children, 0);
	assert_int_equal(s->child_grids->open, 0);
}

TEST_WITH(streams_do_not_wait_for_each_other, begin, end)
{
	stage *s = *state;
	hd_child_grids *other = NULL;
	hd_grid *grid;
	hd_grid *all[] = {launch(s, HD_STREAM_CTA, 1), launch(s, 16, 1), launch(s, 17, 1), launch(s, HD_STREAM_NONE, 1),
	                  launch(s, HD_STREAM_NONE, 1)};
	assert_int_equal(call(s, &other, HD_STREAM_LAUNCH, HD_STREAM_CTA, 1, 1, &grid), 0); /* of another CTA */
	assert_true(is_ready(s, grid));
	for (size_t i = 0; i < HD_COUNT(all); i++)
		assert_true(is_ready(s, all[i]));
	/* The end of one stream is that of no other. */
	hd_grid *behind = launch(s, 17, 1);
	run(s, all[1], 10);
	assert_false(is_ready(s, behind));
	run(s, all[2], 10);
	assert_true(is_ready(s, behind));
	hd_child_grids_leave(&s->tasks, other, 5);
}

TEST_WITH(a_tail_child_is_in_no_stream, begin, end)
{
	stage *s = *state;
	hd_child child = {.kernel = 1, .grid = {1, 1, 1}, .block = {32, 1, 1}, .flags = HD_CHILD_ANSWERS | HD_CHILD_TAIL, .bytes = 12};
	hd_grid *tail, *first = launch(s, HD_STREAM_CTA, 1);
	assert_int_equal(hd_stream_call(&s->tasks, s->parent, &s->child_grids, &child, (const uint8_t *)"123456789012", 1, &tail), 0);
	assert_ptr_equal(s->parent->tail_first, tail);
	assert_false(is_ready(s, tail));
	assert_null(tail->siblings);
	run(s, first, 5);
	assert_false(is_ready(s, tail));
}

TEST_WITH(an_event_holds_another_stream_back, begin, end)
{
	stage *s = *state;
	hd_grid *first = launch(s, 16, 1), *grid;
	uint32_t event = call(s, &s->child_grids, HD_STREAM_MARKER, 16, 0, 1, &grid);
	assert_int_equal(event, grid->handle);
	assert_int_not_equal(event, 0);
	hd_grid *behind_event = launch(s, 16, 1);
	assert_int_not_equal(call(s, &s->child_grids, HD_STREAM_MARKER, 17, event, 1, &grid), 0);
	hd_grid *held = launch(s, 17, 1);
	assert_false(is_ready(s, held) || is_ready(s, behind_event));
	assert_int_equal(s->parent->children, 5);
	run(s, first, 70);
	assert_true(is_ready(s, held) && is_ready(s, behind_event));
	assert_int_equal(held->arrival, 70);
	hd_tasks_sweep(&s->tasks);
	/* An event that is over holds nothing back, and an ancestor is no event. */
	assert_int_not_equal(call(s, &s->child_grids, HD_STREAM_MARKER, 18, event, 1, &grid), 0);
	assert_int_not_equal(call(s, &s->child_grids, HD_STREAM_MARKER, 18, s->parent->handle, 1, &grid), 0);
	assert_true(is_ready(s, launch(s, 18, 1)));
	assert_int_equal(s->parent->children, 3);
}

TEST_WITH(refusals_are_values, begin, end)
{
	stage *s = *state;
	hd_child child = {.kernel = 1, .grid = {1, 1, 1}, .block = {32, 1, 1}, .flags = HD_CHILD_ANSWERS, .bytes = 12};
	hd_grid *grid = NULL;
	assert_int_equal(call(s, &s->child_grids, HD_STREAM_MEASURE, 0, 1, 1, &grid), 12);
	assert_int_equal(call(s, &s->child_grids, HD_STREAM_MEASURE, 0, 2, 1, &grid), UINT32_MAX);
	assert_int_equal(call(s, &s->child_grids, HD_STREAM_LAUNCH, 0, 2, 1, &grid), HD_STREAM_BAD_KERNEL);
	child.block[0] = 2000;
	assert_int_equal(hd_stream_call(&s->tasks, s->parent, &s->child_grids, &child, NULL, 1, &grid), HD_STREAM_BAD_SIZES);
	child.block[0] = 32;
	s->tasks.limits.depth = 0;
	assert_int_equal(hd_stream_call(&s->tasks, s->parent, &s->child_grids, &child, NULL, 1, &grid), HD_STREAM_TOO_DEEP);
	s->tasks.limits.depth = 2;
	s->tasks.limits.pending = 1;
	launch(s, 0, 1);
	assert_int_equal(hd_stream_call(&s->tasks, s->parent, &s->child_grids, &child, NULL, 1, &grid), HD_STREAM_TOO_MANY);
	assert_null(grid);
	assert_int_equal(s->parent->children, 1);
}
