/* The task manager's decisions (PD-19, PD-36), one call at a time: lists of ready grids, the order of the table, eviction, and which grid gets room.
 * The core never ticks, so no CTA ends. */
#include "../core/stage_rig.h"

#include "device/manager.h"

enum { GRIDS = 8, MANY = 1000 /* CTAs: more than fit */ };

typedef struct bed {
	stage_rig *stage;
	hd_task list[GRIDS];
	uint32_t n;
	hd_manager manager;
	hd_child_grids *child_grids;
} bed;

/* A core with 16 warp slots for at most 8 CTAs, and a table of `slots` places. */
static bed *bed_new(uint32_t slots, hd_evict evict)
{
	bed *b = hd_xaligned(sizeof *b);
	rig *r = rig_new(1);
	r->machine.machine_cores = 1;
	r->machine.grids_slots = slots;
	r->machine.grids_evict = evict;
	rig_put(r, inst_(HD_OP_NOP), 0);
	b->stage = stage_new(r);
	hd_vec_push(&r->object.kernels, r->kernel);
	return b;
}

/* Adds a grid of `ctas` CTAs with `warps` warps each. */
static hd_task *add(bed *b, uint32_t priority, uint64_t arrival, uint32_t ctas, uint32_t warps)
{
	hd_task *task = &b->list[b->n++];
	*task = (hd_task){.launch = b->stage->rig->launch, .priority = priority, .arrival = arrival};
	task->launch.grid[0] = ctas;
	task->launch.block[0] = 32 * warps;
	return task;
}

static void begin(bed *b)
{
	stage_rig *t = b->stage;
	hd_diag diag = {0};
	hd_tasks_free(&t->tasks);
	assert_true(hd_tasks_init(&t->tasks, b->list, b->n, (hd_task_limits){24, 100, 100}, &diag));
	hd_manager_init(&b->manager, &t->rig->machine, &t->tasks, &t->core, &t->context.l2, &t->rig->stats, &t->watch);
}

static hd_grid *grid(const bed *b, uint32_t i) { return b->stage->tasks.at.at[i]; }

static void bed_free(bed *b)
{
	hd_manager_free(&b->manager);
	hd_vec_free(&b->stage->rig->object.kernels);
	stage_free(b->stage);
	free(b);
}

/* Numbers of grids, in hexadecimal and in order. */
static void expect_table(const bed *b, const char *expected)
{
	char got[GRIDS + 1] = "";
	for (uint32_t i = 0; i < b->manager.distributor->n_table; i++)
		snprintf(got + i, 2, "%x", b->manager.distributor->table[i]->handle);
	assert_string_equal(got, expected);
}

static void expect_list(const bed *b, unsigned priority, const char *expected)
{
	char got[GRIDS + 1] = "";
	unsigned n = 0;
	for (const hd_grid *one = b->manager.distributor->waiting[priority].first; one; one = one->next)
		snprintf(got + n++, 2, "%x", one->handle);
	assert_string_equal(got, expected);
}

static uint64_t given(const bed *b, uint32_t i) { return grid(b, i)->given; }

/* Places go to the highest priority first, from 7 to 0, and among grids of one priority to the one that has waited longest. */
TEST(the_table_is_by_priority_and_by_arrival)
{
	static const uint8_t priorities[] = {2, 5, 0, 5, 7, 2};
	static const char *const tables[] = {"4", "413", "413052"};
	for (unsigned i = 0; i < 3; i++) {
		bed *b = bed_new((uint32_t)strlen(tables[i]), HD_EVICT_NONE);
		for (unsigned k = 0; k < HD_COUNT(priorities); k++)
			add(b, priorities[k], 1, MANY, 16);
		begin(b);
		hd_manager_step(&b->manager, 1);
		expect_table(b, tables[i]);
		expect_list(b, 5, i == 0 ? "13" : "");
		expect_list(b, 2, i < 2 ? "05" : "");
		expect_list(b, 0, i < 2 ? "2" : "");
		bed_free(b);
	}
}

/* A grid that arrives later stands behind those of its priority that are in the table, and before lower ones. */
TEST(a_late_grid_finds_its_place_in_the_table)
{
	bed *b = bed_new(8, HD_EVICT_NONE);
	add(b, 3, 1, MANY, 16);
	add(b, 1, 1, MANY, 16);
	add(b, 3, 5, MANY, 16);
	add(b, 7, 9, MANY, 16);
	begin(b);
	assert_int_equal(hd_manager_step(&b->manager, 1), 1); /* a CTA has begun */
	expect_table(b, "01");
	assert_int_equal(b->manager.next, 5);
	assert_int_equal(hd_manager_step(&b->manager, 4), 5);
	expect_table(b, "01");
	hd_manager_step(&b->manager, 5);
	expect_table(b, "021");
	hd_manager_step(&b->manager, 9);
	expect_table(b, "3021");
	bed_free(b);
}

/* The victim is the last of the table: of the lowest priority the youngest. It returns to the head of its list. */
TEST(the_last_of_the_table_is_evicted)
{
	bed *b = bed_new(2, HD_EVICT_DRAIN);
	add(b, 1, 1, MANY, 4);
	add(b, 1, 2, MANY, 4);
	add(b, 1, 5, MANY, 4);
	add(b, 3, 10, MANY, 4);
	add(b, 3, 20, MANY, 4);
	begin(b);
	for (uint64_t now = 1; now <= 5; now++)
		hd_manager_step(&b->manager, now);
	expect_table(b, "01"); /* a grid of the same priority evicts nobody */
	expect_list(b, 1, "2");
	hd_manager_step(&b->manager, 10);
	expect_table(b, "30");
	expect_list(b, 1, "12");
	assert_int_equal(grid(b, 1)->state, HD_GRID_WAITING);
	assert_int_equal(grid(b, 1)->result.evictions, 1);
	assert_int_equal(grid(b, 0)->result.evictions, 0);
	hd_manager_step(&b->manager, 20);
	expect_table(b, "34");
	expect_list(b, 1, "012");
	assert_int_equal(b->stage->rig->stats.grids_evictions, 2);
	bed_free(b);
}

TEST(nobody_is_evicted_when_that_is_off)
{
	bed *b = bed_new(1, HD_EVICT_NONE);
	add(b, 0, 1, MANY, 4);
	add(b, 7, 2, MANY, 4);
	begin(b);
	hd_manager_step(&b->manager, 1);
	hd_manager_step(&b->manager, 2);
	expect_table(b, "0");
	expect_list(b, 7, "1");
	bed_free(b);
}

/* A victim without a CTA to give needs no place in a list. */
TEST(a_victim_that_has_given_all_is_parked)
{
	bed *b = bed_new(1, HD_EVICT_DRAIN);
	add(b, 0, 1, 1, 4);
	add(b, 7, 2, 1, 4);
	begin(b);
	hd_manager_step(&b->manager, 1);
	hd_manager_step(&b->manager, 2);
	expect_table(b, "1");
	expect_list(b, 0, "");
	assert_int_equal(grid(b, 0)->state, HD_GRID_PARKED);
	bed_free(b);
}

/* While a grid waits for room, others of its priority get what is left, and lower ones nothing. */
TEST(room_is_for_the_highest_priority)
{
	bed *b = bed_new(8, HD_EVICT_NONE);
	add(b, 3, 1, 2, 12); /* the second CTA does not fit */
	add(b, 1, 1, 2, 1);
	add(b, 3, 1, 2, 1);
	begin(b);
	hd_manager_step(&b->manager, 1);
	assert_int_equal(given(b, 0), 1);
	assert_int_equal(given(b, 1), 0);
	assert_int_equal(given(b, 2), 2);
	bed_free(b);
	b = bed_new(8, HD_EVICT_NONE);
	add(b, 3, 1, 1, 12); /* all of it fits */
	add(b, 1, 1, 2, 1);
	begin(b);
	hd_manager_step(&b->manager, 1);
	assert_int_equal(given(b, 0), 1);
	assert_int_equal(given(b, 1), 2);
	bed_free(b);
}

/* Grids of the host that become ready in one cycle: in the order of the list, and the head is for those that ask for it. */
TEST(the_host_chooses_head_or_tail)
{
	bed *b = bed_new(1, HD_EVICT_NONE);
	add(b, 7, 1, MANY, 16);
	add(b, 1, 5, MANY, 1);
	add(b, 1, 5, MANY, 1);
	add(b, 1, 5, MANY, 1)->at_head = true;
	add(b, 1, 6, MANY, 1);
	begin(b);
	for (uint64_t now = 1; now <= 6; now++)
		hd_manager_step(&b->manager, now);
	expect_table(b, "0");
	expect_list(b, 1, "3124");
	bed_free(b);
}

static hd_grid *launch(bed *b, uint32_t flags, uint64_t ready)
{
	hd_child child = {.kernel = 1, .grid = {MANY, 1, 1}, .block = {32, 1, 1}, .bytes = 8, .flags = flags};
	uint8_t params[8] = {0};
	char *why = NULL;
	hd_grid *made = hd_tasks_launch(&b->stage->tasks, grid(b, 0), &b->child_grids, &child, params, ready, &why);
	assert_non_null(made);
	return made;
}

/* A child is in a list from the cycle on in which its launch reaches the task manager, at the head if it asks for that. */
TEST(children_arrive_after_the_launch_latency)
{
	bed *b = bed_new(1, HD_EVICT_NONE);
	add(b, 2, 1, MANY, 16);
	begin(b);
	hd_manager_step(&b->manager, 1);
	launch(b, 0, 50);
	launch(b, HD_CHILD_HEAD, 60);
	launch(b, 0, 60);
	b->manager.changed = true;
	assert_int_equal(hd_manager_step(&b->manager, 20), 50);
	expect_list(b, 2, "");
	assert_int_equal(hd_manager_step(&b->manager, 50), 60);
	expect_list(b, 2, "1");
	hd_manager_step(&b->manager, 60);
	expect_list(b, 2, "213");
	/* Ready at once, as a tail child is: the same. */
	launch(b, HD_CHILD_HEAD, 60);
	launch(b, 0, 60);
	b->manager.changed = true;
	hd_manager_step(&b->manager, 61);
	expect_list(b, 2, "42135");
	bed_free(b);
}

/* PD-37: the task manager reads the descriptor of a grid that enters the table through the second level; until it is there no CTA of the grid begins,
 * and a grid of a lower priority gets the room. */
TEST(a_grid_waits_for_its_descriptor)
{
	bed *b = bed_new(2, HD_EVICT_NONE);
	b->stage->rig->machine.grids_descriptor_bytes = 96;
	add(b, 3, 1, 1, 4);
	add(b, 2, 90, 1, 4);
	begin(b);
	assert_int_equal(hd_manager_step(&b->manager, 1), 90); /* the second grid arrives before the descriptor */
	assert_true(grid(b, 0)->described > 1 + b->stage->rig->machine.memory_l2_latency);
	assert_int_equal(b->stage->rig->stats.grids_descriptor_sectors, 3);
	assert_int_equal(b->stage->rig->stats.memory_dram_reads, 3);
	expect_table(b, "0");
	hd_manager_step(&b->manager, 90);
	expect_table(b, "01");
	assert_int_equal(b->stage->rig->stats.grids_descriptor_sectors, 6);
	uint64_t first = grid(b, 0)->described, second = grid(b, 1)->described;
	assert_int_equal(b->manager.next, first);
	assert_true(first < second);
	hd_manager_step(&b->manager, first - 1);
	assert_int_equal(given(b, 0), 0);
	assert_int_equal(hd_manager_step(&b->manager, first), first);
	assert_int_equal(given(b, 0), 1);
	assert_int_equal(given(b, 1), 0);
	hd_manager_step(&b->manager, second);
	assert_int_equal(given(b, 1), 1);
	bed_free(b);
}

/* PD-37: a child's descriptor is written before it is read. */
TEST(a_childs_descriptor_is_written)
{
	bed *b = bed_new(8, HD_EVICT_NONE);
	b->stage->rig->machine.grids_descriptor_bytes = 64;
	add(b, 2, 1, MANY, 16);
	begin(b);
	hd_manager_step(&b->manager, 1);
	assert_int_equal(b->stage->rig->stats.grids_descriptor_sectors, 2);
	launch(b, 0, 50);
	b->manager.changed = true;
	hd_manager_step(&b->manager, 20);
	assert_int_equal(b->stage->rig->stats.grids_descriptor_sectors, 4);
	assert_int_equal(b->stage->rig->stats.memory_dram_reads, 2);
	hd_manager_step(&b->manager, 50);
	assert_int_equal(b->stage->rig->stats.grids_descriptor_sectors, 6);
	assert_int_equal(b->stage->rig->stats.memory_dram_reads, 2); /* the second level has what was written */
	bed_free(b);
}

/* PD-36: grids begin one CTA each in turn, and a turn at the table ends only when another grid waits. */
TEST(turns_are_short_and_end)
{
	bed *b = bed_new(2, HD_EVICT_DRAIN);
	hd_machine *machine = &b->stage->rig->machine;
	machine->grids_order = HD_ORDER_ROUND_ROBIN;
	machine->grids_time_slice = 1000;
	machine->grids_descriptor_bytes = 32;
	add(b, 7, 1, MANY, 4);
	add(b, 0, 1, MANY, 4);
	add(b, 3, 5000, MANY, 4);
	add(b, 1, 5000, MANY, 4);
	add(b, 1, 5000, MANY, 4);
	begin(b);
	assert_true(hd_manager_step(&b->manager, 1) < 5000); /* the descriptors */
	uint64_t first = grid(b, 0)->described, second = grid(b, 1)->described;
	assert_true(first > 1 && second >= first);
	expect_table(b, "01");
	hd_manager_step(&b->manager, second);
	assert_int_equal(given(b, 0), 2); /* of four that fit */
	assert_int_equal(given(b, 1), 2);
	assert_int_equal(b->manager.next, 5000); /* nobody waits: no turn ends */
	hd_manager_step(&b->manager, 5000);      /* both time slices ended long ago: 2 comes for 0, and then 3 for 1 */
	expect_table(b, "23");
	expect_list(b, 7, "0");
	expect_list(b, 0, "1");
	expect_list(b, 1, "4");
	assert_int_equal(grid(b, 0)->result.evictions, 1);
	assert_int_equal(grid(b, 1)->result.evictions, 1);
	uint64_t end = grid(b, 2)->described + 1000;
	assert_true(end > 6000 && end <= grid(b, 3)->described + 1000);
	for (uint64_t now = 5001; now < end;) {
		expect_table(b, "23");
		now = hd_manager_step(&b->manager, now) == now ? now + 1 : b->manager.next;
		assert_true(now <= end);
	}
	hd_manager_step(&b->manager, end);
	hd_manager_step(&b->manager, end + 10); /* 1 for 2, and 0 for 3, which goes behind 4 */
	expect_table(b, "10");
	expect_list(b, 3, "2");
	expect_list(b, 1, "43");
	bed_free(b);
}

/* PD-32: a CTA that waits for a child is out of the core, and its grid out of the table, until the child has ended. Then it comes back. The times
 * with and without a place are counted. */
TEST(a_cta_that_joins_gives_its_place_away)
{
	bed *b = bed_new(1, HD_EVICT_NONE);
	stage_rig *t = b->stage;
	uint8_t params[8] = {0};
	hd_child child = {.kernel = 1, .grid = {1, 1, 1}, .block = {32, 1, 1}, .bytes = 8};
	char *why = NULL;
	add(b, 2, 1, 1, 1);
	begin(b);
	hd_manager_step(&b->manager, 1);
	hd_cta *cta = &t->core->ctas[0];
	hd_grid *below = hd_tasks_launch(&t->tasks, grid(b, 0), &cta->child_grids, &child, params, 5, &why);
	hd_child_grids *child_grids = cta->child_grids;
	cta->barriers.joining = t->s->at_barrier = cta->waiting = t->watch.waiting = 1;
	child_grids->joining = HD_JOINING_RESIDENT; /* until it is evicted */
	child_grids->since = 5;
	hd_core_stop_cta(t->core, 0, 12);
	hd_manager_after(&b->manager, 0, 12);
	assert_int_equal(child_grids->joining, HD_JOINING_NOT);
	assert_int_equal(t->rig->stats.grids_join_kept, 7);
	uint64_t out = b->manager.transfers.at[0].cycle, back = out + 1000;
	hd_manager_step(&b->manager, out - 1);
	expect_table(b, "0");
	assert_int_equal(grid(b, 0)->joining, 0);
	hd_manager_step(&b->manager, out);
	expect_table(b, "1");
	assert_int_equal(child_grids->joining, HD_JOINING_SAVED);
	assert_int_equal(child_grids->since, out);
	assert_int_equal(grid(b, 0)->joining, 1);
	assert_int_equal(grid(b, 0)->state, HD_GRID_PARKED);
	assert_int_equal(grid(b, 0)->n_saved, 0);
	hd_tasks_done(&t->tasks, below, back - 1);
	b->manager.changed = true;
	hd_manager_step(&b->manager, back);
	expect_table(b, "0");
	assert_int_equal(child_grids->joining, HD_JOINING_NOT);
	assert_null(child_grids->saved);
	assert_int_equal(grid(b, 0)->joining, 0);
	assert_int_equal(t->rig->stats.grids_join_saved, 1000);
	assert_int_equal(t->rig->stats.grids_join_kept, 7);
	assert_int_equal(b->manager.transfers.n, 1);
	hd_manager_step(&b->manager, b->manager.transfers.at[0].cycle);
	assert_int_equal(t->s->at_barrier, 0);
	bed_free(b);
}
