/* The table of task descriptors (PD-19): order, dependences, queues, and handles. No machine runs here. */
#include "../test.h"

#include "tasks/task.h"

static hd_object object;
static hd_program program = {.object = &object};
static hd_kernel kernel = {.name = (char *)(uintptr_t) "k", .entry = 1, .registers = 8};
static const hd_task_limits limits = {.depth = 2, .pending = 4, .entries = 2};

static hd_task task(uint32_t x, uint32_t y)
{
	return (hd_task){.launch = {.program = &program, .kernel = &kernel, .grid = {x, y, 1}, .block = {32, 1, 1}, .work_dim = 1}};
}

static void init(hd_tasks *tasks, const hd_task *list, uint32_t n)
{
	hd_diag diag = {0};
	assert_true(hd_tasks_init(tasks, list, n, limits, &diag));
	assert_int_equal(diag.errors, 0);
}

TEST(lists_keep_head_and_tail)
{
	hd_grid a = {0}, b = {0}, c = {0};
	hd_grid_list list = {0};
	hd_grid_put(&list, &a, false);
	hd_grid_put(&list, &b, false);
	hd_grid_put(&list, &c, true);
	assert_ptr_equal(list.first, &c);
	assert_ptr_equal(c.next, &a);
	assert_ptr_equal(list.last, &b);
	hd_grid_take(&list, &a);
	assert_ptr_equal(c.next, &b);
	assert_ptr_equal(b.previous, &c);
	hd_grid_take(&list, &c);
	hd_grid_take(&list, &b);
	assert_null(list.first);
	assert_null(list.last);
}

TEST(ctas_are_given_in_order_x_first)
{
	hd_task list[] = {task(2, 2)};
	hd_tasks tasks;
	init(&tasks, list, 1);
	hd_grid *grid = tasks.at.at[0];
	assert_false(hd_tasks_signal(&tasks));
	hd_tasks_arrive(&tasks, grid);
	assert_true(hd_tasks_signal(&tasks));
	assert_ptr_equal(tasks.ready.first, grid);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at[3];
		uint64_t number, item;
		assert_true(hd_grid_has(grid, 0));
		hd_tasks_give(&tasks, grid, 7, at, &number, &item);
		assert_int_equal(number, i);
		assert_int_equal(at[0], i % 2);
		assert_int_equal(at[1], i / 2);
		assert_int_equal(at[2], 0);
	}
	assert_false(hd_grid_has(grid, 0));
	assert_int_equal(grid->result.begin, 7);
	for (uint32_t i = 0; i < 3; i++)
		hd_tasks_done(&tasks, grid, 8 + i);
	assert_false(grid->result.ended);
	hd_tasks_done(&tasks, grid, 20);
	assert_true(grid->result.ended);
	assert_int_equal(grid->result.end, 20);
	assert_int_equal(tasks.open, 0);
	hd_tasks_free(&tasks);
}

/* A grid is ready when it has arrived and every grid of `after` has ended, in whatever order that happens. */
TEST(dependences_hold_a_grid_back)
{
	const uint32_t after[] = {0, 1};
	hd_task list[] = {task(1, 1), task(1, 1), task(1, 1)};
	hd_tasks tasks;
	uint32_t at[3];
	uint64_t number, item;
	list[2].after = after;
	list[2].n_after = 2;
	init(&tasks, list, 3);
	hd_grid **grids = tasks.at.at;
	hd_tasks_arrive(&tasks, grids[2]);
	assert_null(tasks.ready.first);
	for (uint32_t i = 0; i < 2; i++) {
		hd_tasks_arrive(&tasks, grids[i]);
		hd_grid_take(&tasks.ready, grids[i]);
		hd_tasks_give(&tasks, grids[i], 1, at, &number, &item);
		assert_null(tasks.ready.first);
		hd_tasks_done(&tasks, grids[i], 2);
	}
	assert_ptr_equal(tasks.ready.first, grids[2]);
	hd_tasks_free(&tasks);
}

TEST(bad_lists_are_refused)
{
	hd_task list[] = {task(1, 1)};
	hd_tasks tasks;
	hd_diag diag = {0};
	list[0].priority = HD_PRIORITIES;
	assert_false(hd_tasks_init(&tasks, list, 1, limits, &diag));
	assert_non_null(strstr(diag.text.at, "priority 8, expected one from 0 to 7"));
	hd_tasks_free(&tasks);
	hd_diag_free(&diag);
	list[0] = task(0, 1);
	assert_false(hd_tasks_init(&tasks, list, 1, limits, &diag));
	assert_non_null(strstr(diag.text.at, "is empty"));
	hd_tasks_free(&tasks);
	hd_diag_free(&diag);
}

TEST(queues_give_their_entries_and_end_when_empty)
{
	hd_task list[] = {task(1, 1)};
	hd_tasks tasks;
	uint32_t at[3], n;
	uint64_t number, item;
	char *why = NULL;
	list[0].queue = true;
	init(&tasks, list, 1);
	hd_grid *queue = tasks.at.at[0];
	hd_tasks_arrive(&tasks, queue);
	assert_false(hd_grid_has(queue, 100));
	assert_true(hd_tasks_push(&tasks, queue->handle, 11, 50, &n, &why));
	assert_true(hd_tasks_push(&tasks, queue->handle, 12, 60, &n, &why));
	assert_int_equal(n, 1);
	assert_false(hd_tasks_push(&tasks, queue->handle, 13, 60, &n, &why)); /* grids.entries */
	assert_non_null(why);
	free(why);
	why = NULL;
	assert_false(hd_tasks_push(&tasks, queue->handle ^ 1, 13, 60, &n, &why)); /* no such queue */
	free(why);
	assert_false(hd_grid_has(queue, 49)); /* the entry is on its way */
	assert_true(hd_grid_has(queue, 50));
	hd_tasks_give(&tasks, queue, 50, at, &number, &item);
	assert_int_equal(item, 11);
	hd_tasks_give(&tasks, queue, 60, at, &number, &item);
	assert_int_equal(item, 12);
	assert_int_equal(at[0], 1);
	hd_tasks_done(&tasks, queue, 70);
	hd_tasks_close(&tasks, 70);
	assert_false(queue->result.ended);
	hd_tasks_done(&tasks, queue, 80);
	hd_tasks_close(&tasks, 80);
	assert_true(queue->result.ended);
	assert_null(hd_tasks_find(&tasks, queue->handle));
	hd_tasks_free(&tasks);
}

/* Entries leave a queue in the order in which they came, also when it has grown while its first entry was not at the beginning of its memory. */
TEST(entries_keep_their_order_while_a_queue_grows)
{
	static uint64_t items[40];
	hd_task list[] = {task(1, 1)};
	hd_tasks tasks;
	uint32_t at[3], n;
	uint64_t number, item;
	char *why = NULL;
	for (unsigned i = 0; i < HD_COUNT(items); i++)
		items[i] = 100 + i;
	list[0].queue = true;
	list[0].items = items;
	list[0].n_items = 16;
	init(&tasks, list, 1);
	tasks.limits.entries = 100;
	hd_grid *queue = tasks.at.at[0];
	hd_tasks_arrive(&tasks, queue);
	for (unsigned i = 0; i < 5; i++) {
		hd_tasks_give(&tasks, queue, 1, at, &number, &item);
		assert_int_equal(item, 100 + i);
	}
	for (unsigned i = 16; i < HD_COUNT(items); i++) {
		assert_true(hd_tasks_push(&tasks, queue->handle, items[i], 1, &n, &why));
		assert_int_equal(n, i);
	}
	for (unsigned i = 5; i < HD_COUNT(items); i++) {
		hd_tasks_give(&tasks, queue, 1, at, &number, &item);
		assert_int_equal(item, 100 + i);
		assert_int_equal(number, i);
	}
	hd_tasks_free(&tasks);
}

/* -- children ------------------------------------------------------------------------------------------------------------------------------- */

static hd_grid *launch_for(hd_tasks *tasks, hd_grid *parent, hd_child_grids **child_grids, uint32_t flags, uint64_t ready)
{
	hd_child child = {.kernel = 1, .grid = {1, 1, 1}, .block = {32, 1, 1}, .flags = flags};
	char *why = NULL;
	if (!object.kernels.n)
		hd_vec_push(&object.kernels, kernel);
	static const hd_range range = {.block = {7, 1, 1}};
	parent->launch.range = &range;
	hd_grid *grid = hd_tasks_launch(tasks, parent, child_grids, &child, (const uint8_t *)"", ready, &why);
	parent->launch.range = NULL;
	assert_true(!grid || !grid->launch.range); /* a child is a range of its own */
	assert_non_null(grid);
	return grid;
}

static hd_grid *launch(hd_tasks *tasks, hd_grid *parent, uint32_t flags, uint64_t ready)
{
	hd_child_grids *child_grids = NULL;
	return launch_for(tasks, parent, &child_grids, flags, ready);
}

/* A parent of priority 5 that is ready and has one CTA, which ends with run_one. */
static hd_grid *begin_parent(hd_tasks *tasks, hd_task *list)
{
	list->priority = 5;
	list->kind = 2;
	list->device = 3;
	init(tasks, list, 1);
	hd_tasks_arrive(tasks, tasks->at.at[0]);
	hd_grid_take(&tasks->ready, tasks->at.at[0]);
	return tasks->at.at[0];
}

static void run_one(hd_tasks *tasks, hd_grid *grid, uint64_t end)
{
	uint32_t at[3];
	uint64_t number, item;
	hd_tasks_give(tasks, grid, 1, at, &number, &item);
	hd_tasks_done(tasks, grid, end);
}

TEST(children_have_a_priority_and_a_place_in_their_list)
{
	hd_task list[] = {task(1, 1)};
	hd_tasks tasks;
	hd_grid *parent = begin_parent(&tasks, list);
	tasks.limits.pending = 100;
	hd_grid *own = launch(&tasks, parent, 0, 50);
	assert_int_equal(own->priority, 5); /* the parent's */
	assert_false(own->at_head);
	assert_int_equal(own->arrival, 50);
	for (unsigned kind = 0; kind < HD_TASK_KINDS; kind++) { /* PD-36 */
		hd_grid *grid = launch(&tasks, parent, (kind + 1) << HD_CHILD_KIND, 50);
		assert_int_equal(grid->kind, kind);
		assert_int_equal(grid->priority, 5);
		assert_int_equal(grid->device, 3);
		grid = launch(&tasks, grid, 0, 50);
		assert_int_equal(grid->kind, kind);
	}
	assert_int_equal(own->kind, 2);
	for (unsigned priority = 0; priority < HD_PRIORITIES; priority++) {
		hd_grid *grid = launch(&tasks, parent, (priority + 1) << HD_CHILD_PRIORITY | HD_CHILD_HEAD, 50);
		assert_int_equal(grid->priority, priority);
		assert_true(grid->at_head);
	}
	/* They become ready in the order of their launch. */
	uint32_t expected = 1;
	for (const hd_grid *grid = tasks.ready.first; grid; grid = grid->next)
		assert_int_equal(grid->handle, expected++);
	assert_int_equal(expected, 10 + 8);
	hd_tasks_free(&tasks);
	hd_vec_free(&object.kernels);
}

/* Tail children begin one after the other, in the order of their launch, when everything else of their parent has ended. A launch that is still on
 * its way arrives in its own time. */
TEST(tail_children_come_one_by_one)
{
	hd_task list[] = {task(1, 1)};
	hd_tasks tasks;
	hd_grid *parent = begin_parent(&tasks, list);
	hd_grid *first = launch(&tasks, parent, HD_CHILD_TAIL, 20), *second = launch(&tasks, parent, HD_CHILD_TAIL, 500),
	        *third = launch(&tasks, parent, HD_CHILD_TAIL, 30);
	assert_null(tasks.ready.first);
	run_one(&tasks, parent, 100);
	assert_ptr_equal(tasks.ready.first, first);
	assert_null(first->next);
	assert_int_equal(first->arrival, 100);
	hd_grid_take(&tasks.ready, first);
	run_one(&tasks, first, 200);
	assert_ptr_equal(tasks.ready.first, second);
	assert_null(second->next);
	assert_int_equal(second->arrival, 500);
	hd_grid_take(&tasks.ready, second);
	run_one(&tasks, second, 600);
	assert_ptr_equal(tasks.ready.first, third);
	assert_int_equal(third->arrival, 600);
	assert_false(parent->result.ended);
	hd_grid_take(&tasks.ready, third);
	run_one(&tasks, third, 700);
	assert_true(parent->result.ended);
	assert_int_equal(parent->result.end, 700);
	hd_tasks_sweep(&tasks);
	hd_tasks_free(&tasks);
	hd_vec_free(&object.kernels);
}

/* Takes a child from the list of ready grids and ends it. */
static void end_child(hd_tasks *tasks, hd_grid *grid)
{
	hd_grid_take(&tasks->ready, grid);
	run_one(tasks, grid, 10);
}

/* PD-32: each CTA has child grids of its own. Tail children and queues are not among them, but below them. The set is empty when the last of its
 * grids has ended with all its children, and the table says so only to a CTA that waits. */
TEST(child_grids_are_what_a_cta_launched)
{
	hd_task list[] = {task(3, 1)};
	hd_tasks tasks;
	hd_grid *parent = begin_parent(&tasks, list);
	hd_child_grids *one = NULL, *other = NULL, *below = NULL, *none = NULL;
	tasks.limits.pending = 100;
	launch_for(&tasks, parent, &none, HD_CHILD_TAIL, 0);
	hd_grid *queue = launch_for(&tasks, parent, &none, HD_CHILD_QUEUE, 0);
	assert_null(none);
	assert_false(hd_child_grids_open(none));
	hd_grid *a = launch_for(&tasks, parent, &one, 0, 0), *b = launch_for(&tasks, parent, &one, 0, 0),
	        *c = launch_for(&tasks, parent, &other, 0, 0);
	hd_grid *d = launch_for(&tasks, a, &below, 0, 0), *e = launch_for(&tasks, a, &none, HD_CHILD_TAIL, 0);
	assert_true(one != other && one != below && one->open == 2 && other->open == 1 && below->open == 1);
	assert_true(hd_child_grids_have(one, a) && hd_child_grids_have(one, b) && hd_child_grids_have(one, d) && hd_child_grids_have(one, e) &&
	            hd_child_grids_have(below, d));
	assert_false(hd_child_grids_have(one, c) || hd_child_grids_have(one, queue) || hd_child_grids_have(one, parent) ||
	             hd_child_grids_have(below, a));
	other->joining = HD_JOINING_RESIDENT;
	end_child(&tasks, c);
	assert_int_equal(tasks.joined.n, 1);
	assert_ptr_equal(tasks.joined.at[0], other);
	assert_true(hd_tasks_signal(&tasks));
	tasks.joined.n = 0;
	hd_child_grids_leave(&tasks, other, 0); /* freed with its last grid, or with its CTA if that comes later */
	hd_child_grids_leave(&tasks, below, 0);
	hd_child_grids_leave(&tasks, NULL, 0);
	end_child(&tasks, b);
	assert_true(hd_child_grids_open(one));
	end_child(&tasks, a);
	end_child(&tasks, d);
	assert_true(hd_child_grids_open(one)); /* the tail child */
	end_child(&tasks, e);
	assert_false(hd_child_grids_open(one));
	assert_int_equal(tasks.joined.n, 0); /* nobody waits */
	assert_ptr_equal(tasks.child_grids, one);
	assert_null(one->next);
	hd_tasks_sweep(&tasks);
	hd_tasks_free(&tasks);
	hd_vec_free(&object.kernels);
}

TEST(grids_of_the_host_may_ask_for_the_head)
{
	hd_task list[] = {task(1, 1), task(1, 1), task(1, 1)};
	hd_tasks tasks;
	list[1].at_head = true;
	init(&tasks, list, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(tasks.at.at[i]->at_head, i == 1);
		hd_tasks_arrive(&tasks, tasks.at.at[i]);
	}
	/* Ready in the order of the list: the head is of another list, that of the task manager. */
	assert_ptr_equal(tasks.ready.first, tasks.at.at[0]);
	assert_ptr_equal(tasks.ready.last, tasks.at.at[2]);
	hd_tasks_free(&tasks);
}

TEST(descriptors_are_little_endian)
{
	uint8_t bytes[HD_CHILD_SIZE] = {0};
	hd_child child;
	bytes[HD_CHILD_KERNEL] = 0x12;
	bytes[HD_CHILD_KERNEL + 7] = 0x34;
	bytes[HD_CHILD_GRID + 4] = 5;
	bytes[HD_CHILD_BLOCK + 9] = 1;
	bytes[HD_CHILD_FLAGS] = HD_CHILD_TAIL | HD_CHILD_HEAD;
	hd_child_read(bytes, &child);
	assert_true(child.kernel == UINT64_C(0x3400000000000012));
	assert_int_equal(child.grid[1], 5);
	assert_int_equal(child.block[2], 256);
	assert_int_equal(child.flags, HD_CHILD_TAIL | HD_CHILD_HEAD);
	assert_int_equal(child.stream, 0);
}
