/* PD-36: tasks in round robin, clusters for kinds of program, a task manager for each cluster, and several devices; the same values in the
 * interpreter. */
#include "world.h"

/* Four clusters of one core, which holds at most two CTAs. */
static world *four_clusters(const char *const *settings)
{
	world *w = world_new("heddle", "tests/device/grids.cl");
	hd_diag diag = {0};
	w->machine.machine_clusters = 4;
	w->machine.machine_cores = 1;
	w->machine.machine_max_ctas = 2;
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&w->machine, *settings, &diag));
	if (!hd_machine_validate(&w->machine, "test", &diag))
		fail_msg("%s", diag.text.at);
	return w;
}
#define FOUR(...) four_clusters((const char *const[]){__VA_ARGS__, NULL})

/* Adds a grid whose CTAs write their core to the words from `to` on. */
static hd_task *where(world *w, uint32_t ctas, uint32_t to, uint32_t length) { return ADD(w, "where", ctas, 32, at(w, to), heddle_u32(length)); }

/* The cores on which the CTAs of a grid were, as a set. */
static uint32_t cores(world *w, uint32_t from, uint32_t ctas)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < ctas; i++)
		set |= 1u << words(w)[from + i];
	return set;
}

TEST(kinds_have_clusters_of_their_own)
{
	world *w = FOUR("grids.clusters_1=1", "grids.clusters_3=1");
	for (uint32_t kind = 0; kind < 4; kind++)
		where(w, 8, 8 * kind, 20)->kind = kind;
	run(w, false);
	assert_int_equal(cores(w, 0, 8), 3); /* kind 0 has the first clusters, and those without an own one join it */
	assert_int_equal(cores(w, 8, 8), 4);
	assert_int_equal(cores(w, 16, 8), 3);
	assert_int_equal(cores(w, 24, 8), 8);
	assert_int_equal(w->stats.grids_helped, 0);
	world_free(w);
}

/* An urgent grid that waits for room does not hold back kinds that have other clusters, but kinds that share its own. */
TEST(kinds_do_not_wait_for_each_other)
{
	for (unsigned own = 0; own < 2; own++) {
		world *w = FOUR(own ? "grids.clusters_1=1" : "grids.clusters_2=1");
		where(w, 40, 0, 200)->priority = 7;
		where(w, 2, 64, 20)->kind = 1;
		run(w, false);
		assert_int_equal(w->result[1].end < w->result[0].end / 2, own);
		assert_int_equal(cores(w, 0, 40), 7);
		world_free(w);
	}
}

TEST(a_child_has_its_parents_kind_or_another)
{
	world *w = FOUR("grids.clusters_1=1", "grids.clusters_2=1");
	ADD(w, "where_children", 1, 1, at(w, 0))->kind = 1;
	run(w, false);
	assert_int_equal(cores(w, 0, 4), 1 << 2);
	assert_int_equal(cores(w, 4, 4), 1 << 3);
	world_free(w);
}

/* A cluster of kind 1 takes other CTAs only while kind 1 has none to begin. */
TEST(idle_clusters_are_lent)
{
	world *w = FOUR("grids.clusters_1=1", "grids.lend=true");
	where(w, 40, 0, 20);
	run(w, false);
	assert_int_equal(cores(w, 0, 40), 15);
	assert_in_range(w->stats.grids_helped, 2, 12);
	where(w, 40, 64, 20)->kind = 1;
	run(w, false);
	assert_true(cores(w, 0, 40) & 7);
	assert_true(cores(w, 64, 40) & 8);
	assert_in_range(w->result[1].end, w->result[0].end / 2, w->result[0].end * 2);
	w->list[1].arrival = 1;
	w->list[0].arrival = 2;
	w->list[0].launch.grid[0] = 6; /* fits the clusters of kind 0 */
	run(w, false);
	assert_int_equal(cores(w, 0, 6), 7);
	world_free(w);
}

/* Each cluster gets whole grids, the one with the least to do first. */
TEST(a_cluster_has_its_own_task_manager)
{
	world *w = FOUR("grids.managers=cluster");
	where(w, 20, 0, 20);
	for (uint32_t i = 0; i < 5; i++)
		where(w, 4, 32 + 4 * i, 20)->arrival = 10 + i;
	run(w, false);
	assert_int_equal(cores(w, 0, 20), 1);
	assert_int_equal(cores(w, 32, 4), 2);
	assert_int_equal(cores(w, 36, 4), 4);
	assert_int_equal(cores(w, 40, 4), 8);
	assert_int_equal(cores(w, 44, 4), 2);
	assert_int_equal(cores(w, 48, 4), 4);
	assert_int_equal(w->stats.grids_helped, 0);
	/* A grid that has ended is no load any more. */
	w->n = 5;
	for (uint32_t i = 1; i < 5; i++)
		w->list[i].arrival = 100000 + i;
	run(w, false);
	assert_in_range(w->result[0].end, 1, 100000);
	for (uint32_t i = 1; i < 5; i++)
		assert_int_equal(cores(w, 28 + 4 * i, 4), 1u << i % 4);
	world_free(w);
}

/* A table for each cluster: with one place each, four grids run at a time. */
TEST(each_task_manager_has_a_table)
{
	for (unsigned own = 0; own < 2; own++) {
		world *w = FOUR("grids.slots=1", own ? "grids.managers=cluster" : "grids.managers=device");
		uint32_t together = 0;
		for (uint32_t i = 0; i < 4; i++)
			where(w, 1, i, 100);
		run(w, false);
		for (uint32_t i = 1; i < 4; i++)
			together += w->result[i].begin < w->result[0].end;
		assert_int_equal(together, own ? 3 : 0);
		world_free(w);
	}
}

TEST(a_cluster_without_work_helps)
{
	world *w = FOUR("grids.managers=help");
	where(w, 40, 0, 20);
	run(w, false);
	assert_int_equal(cores(w, 0, 40), 15);
	assert_in_range(w->stats.grids_helped, 20, 35);
	/* A cluster with work of its own does not. */
	for (uint32_t i = 0; i < 4; i++)
		where(w, 20, 64 + 20 * i, 20);
	for (uint32_t i = 0; i < 5; i++)
		w->list[i].launch.grid[0] = 20;
	w->list[4].arrival = 1000000;
	run(w, false);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(cores(w, i ? 44 + 20 * i : 0, 2) == 1u << i); /* its first CTAs are at home */
	world_free(w);
}

/* A grid with large CTAs gets its cluster, although small CTAs of others would fit at any time. */
TEST(help_ends_when_a_cluster_has_work)
{
	world *w = FOUR("grids.managers=help", "machine.clusters=2", "machine.max_ctas=4");
	where(w, 200, 0, 20);
	where(w, 1, 256, 20)->arrival = 3000;
	w->list[1].launch.block[0] = 1024;
	run(w, false);
	assert_true(w->result[1].begin < w->result[0].end / 4);
	assert_int_equal(cores(w, 256, 1), 2);
	world_free(w);
}

/* Kinds bind helpers, too, unless clusters are lent. */
TEST(helpers_stay_with_their_kind)
{
	for (unsigned lend = 0; lend < 2; lend++) {
		world *w = FOUR("grids.managers=help", "grids.clusters_1=2", lend ? "grids.lend=true" : "grids.lend=false");
		where(w, 40, 0, 20)->kind = 1;
		run(w, false);
		assert_int_equal(cores(w, 0, 40), lend ? 15 : 12);
		world_free(w);
	}
}

/* A grid and its children stay on the device that the host chose. Devices share memory, but no second-level cache. */
TEST(a_device_runs_its_own_grids)
{
	uint64_t reads[2];
	for (unsigned device = 0; device < 2; device++) {
		world *w = FOUR("machine.devices=2", "machine.clusters=2");
		ADD(w, "where_children", 1, 1, at(w, 0))->device = 1;
		where(w, 8, 8, 20);
		where(w, 8, 16, 20)->device = 1;
		run(w, false);
		assert_int_equal(cores(w, 0, 8), 12);
		assert_int_equal(cores(w, 8, 8), 3);
		assert_int_equal(cores(w, 16, 8), 12);
		w->n = 0;
		where(w, 1, 0, 1);
		where(w, 1, 0, 1)->device = device;
		w->list[1].arrival = 20000; /* the first one has ended, and its code is in the cache */
		run(w, false);
		reads[device] = w->stats.memory_l2_misses;
		world_free(w);
	}
	assert_true(reads[1] >= reads[0] + 2);
}

/* Help and lending end at the border of a device. */
TEST(devices_do_not_help_each_other)
{
	world *w = FOUR("machine.devices=2", "machine.clusters=2", "grids.managers=help", "grids.lend=true", "grids.clusters_1=1");
	where(w, 40, 0, 20)->device = 1;
	run(w, false);
	assert_int_equal(cores(w, 0, 40), 12);
	world_free(w);
}

TEST(a_device_that_is_not_there_is_refused)
{
	world *w = FOUR("machine.devices=3");
	where(w, 1, 0, 1)->device = 2;
	run(w, false);
	assert_int_equal(words(w)[0], 8);
	w->list[0].device = 3;
	assert_false(run_with(w, false, NULL));
	assert_int_equal(w->trap.kind, HD_TRAP_RESOURCES);
	assert_non_null(strstr(w->message.at, "device 3, expected one below machine.devices (3)"));
	world_free(w);
}

/* Lists take turns at the table, from high to low, whatever runs already. */
TEST(lists_take_turns)
{
	static const struct {
		uint32_t priority;
		bool head;
	} grids[] = {{0, false}, {2, false}, {2, false}, {5, false}, {2, true}, {0, true}};
	static const uint32_t expected[] = {3, 4, 5, 1, 0, 2};
	world *w = FOUR("grids.order=round_robin", "grids.slots=1");
	for (uint32_t i = 0; i < HD_COUNT(grids); i++) {
		hd_task *task = ADD(w, "stamp", 1, 32, at(w, 0), at(w, 1), heddle_u32(i));
		task->priority = grids[i].priority;
		task->at_head = grids[i].head;
	}
	run(w, false);
	for (uint32_t i = 0; i < w->n; i++)
		assert_int_equal(words(w)[1 + expected[i]], i);
	world_free(w);
}

/* Grids begin one CTA each, whatever their priority. */
TEST(grids_take_turns)
{
	uint64_t begin[2];
	for (unsigned turns = 0; turns < 2; turns++) {
		world *w = FOUR(turns ? "grids.order=round_robin" : "grids.order=priority");
		where(w, 60, 0, 100)->priority = 7;
		where(w, 10, 64, 100)->arrival = 5;
		run(w, false);
		begin[turns] = w->result[1].begin;
		assert_int_equal(w->result[1].end < w->result[0].end / 2, turns);
		world_free(w);
	}
	assert_true(begin[1] < begin[0] / 4);
}

/* With a time limit, grids share even a table of one place. */
TEST(a_turn_ends)
{
	world *w = FOUR("grids.order=round_robin", "grids.slots=1", "grids.time_slice=20000");
	where(w, 60, 0, 100);
	where(w, 60, 64, 100);
	run(w, false);
	assert_in_range(w->result[0].evictions, 2, 60);
	assert_in_range(w->result[1].evictions, 2, 60);
	assert_in_range(w->result[1].begin, 20000, 60000);
	assert_in_range(w->stats.grids_evictions, w->result[0].evictions + w->result[1].evictions, UINT64_MAX);
	world_free(w);
}

/* The configuration refuses what cannot be, and names the keys. */
TEST(keys_that_exclude_each_other_are_refused)
{
	static const struct {
		const char *settings[4], *message;
	} rows[] = {
	    {{"grids.order=round_robin", "grids.evict=save"}, "grids.evict cannot be `save` with grids.order `round_robin`"},
	    {{"grids.time_slice=100"}, "grids.time_slice is 100, expected 0 with grids.order `priority`"},
	    {{"machine.clusters=3", "grids.clusters_1=1", "grids.clusters_3=2"},
	     "grids.clusters_1, clusters_2 and clusters_3 are 3 together, expected fewer than machine.clusters (3)"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		for (unsigned k = 0; k < 4 && rows[i].settings[k]; k++)
			assert_true(hd_machine_set(&machine, rows[i].settings[k], &diag));
		assert_false(hd_machine_validate(&machine, "test", &diag));
		assert_non_null(strstr(diag.text.at, rows[i].message));
		hd_diag_free(&diag);
	}
}

static uint32_t any(uint32_t *x, uint32_t n)
{
	*x = *x * 1664525u + 1013904223u;
	return (*x >> 16) % n;
}

/* Everything at once, drawn: the same values as in the interpreter. */
TEST(values_do_not_depend_on_task_managers)
{
	static uint32_t expected[WORDS];
	uint32_t x = 1;
	for (unsigned round = 0; round < 24; round++) {
		world *w = four_clusters(NULL);
		hd_machine *m = &w->machine;
		m->machine_devices = 1 + any(&x, 3);
		m->machine_clusters = 1 + any(&x, 4);
		m->machine_cores = 1 + any(&x, 2);
		m->grids_slots = 1 + any(&x, 3);
		m->grids_managers = (hd_managers)(any(&x, 3));
		m->grids_order = (hd_grid_order)(any(&x, 2));
		m->grids_time_slice = m->grids_order == HD_ORDER_ROUND_ROBIN ? any(&x, 3000) : 0;
		m->grids_evict = (hd_evict)(any(&x, m->grids_order == HD_ORDER_ROUND_ROBIN ? 2 : 3));
		m->grids_descriptor_bytes = any(&x, 200);
		m->grids_lend = any(&x, 2);
		m->pages_kib = 4 * any(&x, 2);
		m->grids_clusters_1 = any(&x, m->machine_clusters);
		m->grids_clusters_3 = any(&x, m->machine_clusters - m->grids_clusters_1);
		hd_diag diag = {0};
		if (!hd_machine_validate(m, "drawn", &diag))
			fail_msg("round %u: %s", round, diag.text.at);
		ADD(w, "twisty", 16, 64, at(w, 0), heddle_u32(2));
		ADD(w, "pipeline", 1, 1, at(w, 8000), heddle_u32(8));
		for (uint32_t i = 0; i < 8; i++) {
			hd_task *task = ADD(w, "twisty", 4, 64, at(w, 2560 + 256 * i), heddle_u32(1));
			task->priority = any(&x, 8);
			task->kind = any(&x, 4);
			task->device = any(&x, m->machine_devices);
			task->arrival = any(&x, 5000);
		}
		uint32_t children = 1 + any(&x, 3);
		ADD(w, "family", 1, 64, at(w, 5000), heddle_u32(0), heddle_u32(children), heddle_u32(2))->priority = any(&x, 8); /* PD-32 */
		ADD(w, "child_grids", 4, 32, at(w, 6000))->device = any(&x, m->machine_devices);
		run(w, true);
		memcpy(expected, words(w), sizeof expected);
		run(w, false);
		assert_memory_equal(words(w), expected, sizeof expected);
		assert_int_equal(w->stats.stall_other, 0);
		world_free(w);
	}
}
