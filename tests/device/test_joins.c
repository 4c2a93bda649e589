/* CTAs that wait for their child grids (PD-32): with and without their places, stopped, saved and resumed, evicted on top of that; barriers that are
 * joins for some warps; who is waited for, and who is not; faults below a join. The same values in the interpreter and on every preset. */
#include "world.h"

static const char *const joins[] = {"grids.join=save", "grids.join=stay"};

static int ascending(const void *a, const void *b)
{
	int32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x < y ? -1 : x > y;
}

/* A recursion in which every CTA uses what its children have done. */
TEST(pd_32_parents_merge_what_children_sorted)
{
	enum { N = 900 };
	int32_t expected[N];
	for (unsigned m = 0; hd_machine_presets[m]; m++) {
		for (unsigned k = 0; k < HD_COUNT(joins); k++) {
			world *w = world_with(hd_machine_presets[m], joins[k], "examples/grids/grids.cl");
			w->machine.grids_slots = 32; /* parents that stay keep theirs */
			ADD(w, "mergesort", 1, 64, at(w, 0), at(w, N), heddle_u32(0), heddle_u32(N));
			for (unsigned functional = 0; functional < 2; functional++) {
				uint64_t seed = 5;
				memset(words(w), 0, WORDS * 4);
				for (unsigned i = 0; i < N; i++)
					words(w)[i] = (uint32_t)hd_random(&seed) % 1000 - 500;
				memcpy(expected, words(w), sizeof expected);
				qsort(expected, N, 4, ascending);
				if (!run_with(w, functional, NULL))
					fail_msg("%s, %s: %s", hd_machine_presets[m], joins[k], w->message.at);
				assert_memory_equal(words(w), expected, sizeof expected);
				assert_int_equal(w->stats.grids_launched, 2 + 4 + 8 + 16);
				assert_int_equal(w->stats.grids_joins, 1 + 2 + 4 + 8);
				assert_int_equal(w->stats.stall_other, 0);
				if (!functional) {
					assert_int_equal(w->stats.grids_ctas_saved, k ? 0 : 15);
					assert_int_equal(w->stats.grids_join_saved > 0, k == 0);
					assert_int_equal(w->stats.grids_join_kept > 0, k == 1);
				}
			}
			world_free(w);
		}
	}
}

/* The sum of `tree` (examples/grids/grids.cl). */
static uint32_t tree(uint32_t node, uint32_t seed, uint32_t depth, uint32_t *grids)
{
	uint32_t x = (seed ^ node) * 2654435761u, children = depth ? x >> 30 : 0, rounds = x >> 20 & 255;
	for (uint32_t k = 0; k < rounds; k++)
		x = x * 1664525u + 1013904223u;
	uint32_t sum = x >> 16;
	*grids += 1;
	for (uint32_t k = 0; k < children; k++)
		sum += tree(3 * node + 1 + k, seed, depth - 1, grids);
	return sum;
}

/* Random trees. One place in the table and room for one CTA are enough, because nobody waits with a place. */
TEST(pd_32_random_trees_end_with_one_place)
{
	world *w = world_new("heddle", "examples/grids/grids.cl");
	w->machine.machine_cores = 1;
	for (uint32_t seed = 1; seed < 25; seed++) {
		uint32_t grids = 0, sum = tree(0, seed, 6, &grids);
		w->n = 0;
		ADD(w, "tree", 1, 1, at(w, 0), heddle_u32(0), heddle_u32(seed), heddle_u32(6));
		w->machine.grids_slots = 1 + seed % 3;
		w->machine.machine_max_ctas = 1 + seed % 2;
		w->machine.grids_evict = (hd_evict)(seed % 3);
		w->machine.grids_launch_latency = 1 + seed % 5 * 100;
		for (unsigned functional = 0; functional < 2; functional++) {
			run(w, functional);
			assert_int_equal(words(w)[0], sum);
			assert_int_equal(w->stats.grids_launched + 1, grids);
		}
	}
	world_free(w);
}

/* All of a CTA's state comes back, and it is evicted at many moments while it waits or returns, too. */
TEST(pd_32_state_survives_joins_and_evictions)
{
	static uint32_t expected[WORDS];
	uint64_t saved = 0;
	for (unsigned m = 0; hd_machine_presets[m]; m++) {
		for (unsigned k = 0; k < HD_COUNT(joins); k++) {
			world *w = world_with(hd_machine_presets[m], joins[k], "tests/device/grids.cl");
			w->machine.machine_cores = 2;
			w->machine.grids_evict = HD_EVICT_SAVE;
			ADD(w, "family", 1, 64, at(w, 0), heddle_u32(0), heddle_u32(3), heddle_u32(2));
			for (uint32_t i = 0; i < 10; i++) {
				hd_task *task = ADD(w, "twisty", 4, 64, at(w, 2560 + 256 * i), heddle_u32(1));
				task->priority = 1 + i % 7;
				task->arrival = 200 + (271 + 13 * m) * i;
			}
			run(w, true);
			memcpy(expected, words(w), sizeof expected);
			for (unsigned round = 0; round < 2; round++) {
				w->machine.grids_slots = round ? 16 : 2 + 14 * k;
				w->machine.machine_max_ctas = round == 1 ? 2 + 6 * k : 8;
				run(w, false);
				assert_memory_equal(words(w), expected, sizeof expected);
				assert_int_equal(w->stats.grids_launched, 3 + 9);
				assert_int_equal(w->stats.stall_other, 0);
				saved += k ? w->result[0].saved : 0;
			}
			world_free(w);
		}
	}
	assert_true(saved > 0); /* some that kept their places were evicted */
}

TEST(pd_32_skipping_idle_cycles_changes_nothing)
{
	for (unsigned k = 0; k < HD_COUNT(joins); k++) {
		hd_stats stats[2];
		for (unsigned every = 0; every < 2; every++) {
			world *w = world_with("heddle", joins[k], "tests/device/grids.cl");
			ADD(w, "family", 1, 64, at(w, 0), heddle_u32(0), heddle_u32(3), heddle_u32(2));
			memset(words(w), 0, WORDS * 4);
			assert_true(run_with(w, false, &(hd_run_options){.tick_every_cycle = every}));
			stats[every] = w->stats;
			world_free(w);
		}
		assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
		assert_int_equal(stats[0].grids_joins, 4);
	}
}

/* Each CTA of a grid waits for its own children alone, and one without children does not wait. A second join finds none. */
TEST(pd_32_a_cta_waits_for_its_own_children)
{
	for (unsigned k = 0; k < HD_COUNT(joins); k++) {
		world *w = world_with("heddle", joins[k], "tests/device/grids.cl");
		ADD(w, "child_grids", 4, 32, at(w, 0));
		for (unsigned functional = 0; functional < 2; functional++) {
			run(w, functional);
			for (uint32_t c = 0; c < 4; c++)
				assert_int_equal(words(w)[64 * c + 63], 100 + 6 * (3 - c));
			assert_int_equal(w->stats.grids_joins, 3);
		}
		world_free(w);
	}
}

/* A warp that has ended is not waited for; one that arrives without waiting goes on; one that waits at the same barrier without a join waits for the
 * children, too. */
TEST(pd_32_one_warp_that_joins_is_enough)
{
	for (unsigned k = 0; k < HD_COUNT(joins); k++) {
		for (uint32_t which = 0; which < 3; which++) {
			world *w = world_with("heddle", joins[k], "tests/device/grids.cl");
			ADD(w, "uneven", 1, 64, at(w, 0), heddle_u32(which));
			for (unsigned functional = 0; functional < 2; functional++) {
				run(w, functional);
				for (uint32_t i = 0; i < (which == 2 ? 64 : 32); i++)
					assert_int_equal(words(w)[64 + i], 1 + 2 + 3 + 4);
				assert_int_equal(words(w)[40], which == 1 ? 9 : 0);
				assert_int_equal(w->stats.grids_joins, 1);
			}
			world_free(w);
		}
	}
}

TEST(pd_32_tail_children_and_queues_end_later)
{
	for (unsigned k = 0; k < HD_COUNT(joins); k++) {
		world *w = world_with("heddle", joins[k], "tests/device/grids.cl");
		ADD(w, "not_waited_for", 1, 1, at(w, 0));
		ADD(w, "queue_below", 1, 1, at(w, 100));
		for (unsigned functional = 0; functional < 2; functional++) {
			run(w, functional);
			assert_memory_equal(words(w), ((uint32_t[]){2, 0, 1}), 12);
			assert_int_equal(words(w)[50], 0 + 1 + 2 + 3 + 10);
			for (uint32_t i = 0; i < 5; i++)
				assert_int_equal(words(w)[120 + i], (i + 1) * (i + 2) / 2 + 1);
		}
		world_free(w);
	}
}

/* The interpreter runs the grids of the CTA at its join, and other grids behind it, whatever became ready first. A barrier behind the join is none.
 */
TEST(pd_32_the_interpreter_runs_children_first)
{
	world *w = world_new("heddle", "tests/device/grids.cl");
	ADD(w, "launches_two", 1, 1, at(w, 0));
	run(w, false);
	assert_int_equal(words(w)[0], 4);
	assert_int_equal(w->stats.grids_joins, 1);
	run(w, true);
	assert_memory_equal(words(w), ((uint32_t[]){4, 1, 3, 2, 4}), 20);
	assert_int_equal(w->stats.grids_joins, 1);
	world_free(w);
}

/* -- failures -------------------------------------------------------------------------------------------------------------------------------- */

static void ends_with(world *w, bool functional, hd_trap_kind kind, const char *text)
{
	memset(words(w), 0, WORDS * 4);
	assert_false(run_with(w, functional, NULL));
	assert_int_equal(w->trap.kind, kind);
	if (!strstr(w->message.at, text))
		fail_msg("%s, expected %s", w->message.at, text);
	assert_int_equal(words(w)[0], 0);
}

/* A child's trap is the run's, and names the child's kernel. */
TEST(pd_32_a_trap_of_a_child_ends_the_run)
{
	static const struct {
		hd_trap_kind kind;
		const char *text;
	} rows[] = {{HD_TRAP_ADDRESS, "child_of_bad"}, {HD_TRAP_DEADLOCK, "livelock"}, {HD_TRAP_LAUNCH, "grids.depth"}};
	for (unsigned k = 0; k < HD_COUNT(joins); k++) {
		world *w = world_with("heddle", joins[k], "tests/device/grids.cl");
		w->machine.grids_depth = 6;
		for (uint32_t which = 0; which < HD_COUNT(rows); which++) {
			w->n = 0;
			ADD(w, "bad_join", 1, 1, at(w, 0), heddle_u32(which));
			for (unsigned functional = 0; functional < 2; functional++)
				ends_with(w, functional, rows[which].kind, rows[which].text);
		}
		world_free(w);
	}
}

/* With `stay` a parent can have the place that its child needs: room in the core, or a place in the table. */
TEST(pd_32_a_parent_that_stays_can_block_its_child)
{
	for (unsigned table = 0; table < 2; table++) {
		world *w = world_with("heddle", "grids.join=stay", "tests/device/grids.cl");
		w->machine.machine_cores = 1;
		w->machine.machine_max_ctas = table ? 8 : 1;
		w->machine.grids_slots = table ? 1 : 8;
		ADD(w, "bad_join", 1, 1, at(w, 0), heddle_u32(7));
		ends_with(w, false, HD_TRAP_DEADLOCK, "waits for the child grids of its CTA (grids.join)");
		assert_non_null(strstr(w->message.at, table ? "waits for a place in the table" : "grid 1 ('child_of_bad') runs: 0 of 1 CTAs ended"));
		w->machine.grids_join = HD_JOIN_SAVE;
		for (unsigned functional = 0; functional < 2; functional++) {
			run(w, functional);
			assert_int_equal(words(w)[0], 1);
		}
		world_free(w);
	}
}
