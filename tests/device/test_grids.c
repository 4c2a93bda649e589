/* Task manager (PD-19): priorities, head and tail, a table with slots, eviction and resumption, dependences, child grids, queues; the same values in
 * the interpreter and on every preset. CTAs of several grids on a core (PD-20). */
#include "world.h"

/* -- eviction --------------------------------------------------------------------------------------------------------------------------------- */

/* A long grid that fills the machine, and urgent ones at odd moments. */
static void urgent_list(world *w, uint32_t urgent)
{
	ADD(w, "twisty", 16, 64, at(w, 0), heddle_u32(3));
	for (uint32_t i = 0; i < urgent; i++) {
		hd_task *task = ADD(w, "twisty", 4, 64, at(w, 2560 + 256 * i), heddle_u32(1));
		task->priority = 1 + i % 7;
		task->arrival = 331 * (i + 1) + 20 * i * i;
	}
}

/* Saved CTAs go on exactly where they were: on every preset and with convergence barriers, at many moments, with registers, calls, parked lanes,
 * barriers, local and shared memory. */
TEST(evicted_grids_resume_and_end_right)
{
	bool last = false;
	for (unsigned m = 0; !last; m++) {
		last = !hd_machine_presets[m];
		world *w = world_with(last ? "heddle" : hd_machine_presets[m], last ? "divergence.mode=barriers" : NULL, "tests/device/grids.cl");
		static uint32_t expected[WORDS];
		w->machine.machine_cores = 1;
		w->machine.machine_max_ctas = 4;
		urgent_list(w, 12);
		run(w, true);
		memcpy(expected, words(w), sizeof expected);
		for (uint32_t slots = 1; slots <= 16; slots += 15) {
			for (unsigned evict = HD_EVICT_NONE; evict <= HD_EVICT_SAVE; evict++) {
				if (m && (evict != HD_EVICT_SAVE || slots == 1))
					continue; /* once is enough */
				w->machine.grids_slots = slots;
				w->machine.grids_evict = (hd_evict)evict;
				run(w, false);
				assert_memory_equal(words(w), expected, sizeof expected);
				assert_int_equal(w->stats.stall_other, 0);
				assert_int_equal(w->stats.run_ctas, 16 + 12 * 4);
				if (evict == HD_EVICT_SAVE)
					assert_true(w->result[0].saved >= 4);
				else
					assert_int_equal(w->stats.grids_ctas_saved, 0);
			}
		}
		world_free(w);
	}
}

/* The urgent grid's turnaround, with and without eviction. */
TEST(eviction_shortens_the_urgent_turnaround)
{
	uint64_t turnaround[2][3], total[3];
	for (unsigned many = 0; many < 2; many++) {
		for (unsigned evict = HD_EVICT_NONE; evict <= HD_EVICT_SAVE; evict++) {
			world *w = world_new("heddle", "tests/device/grids.cl");
			w->machine.machine_cores = 1;
			w->machine.machine_max_ctas = 4;
			w->machine.grids_slots = many ? 8 : 1;
			w->machine.grids_evict = (hd_evict)evict;
			ADD(w, "twisty", 20, 64, at(w, 0), heddle_u32(4));
			ADD(w, "twisty", 4, 64, at(w, 2560), heddle_u32(1))->priority = 3;
			w->list[1].arrival = 3000;
			run(w, false);
			turnaround[many][evict] = w->result[1].end - w->result[1].arrival;
			total[evict] = w->result[0].end;
			assert_int_equal(w->result[0].evictions, many == 0 && evict != HD_EVICT_NONE);
			assert_int_equal(w->result[0].saved > 0, evict == HD_EVICT_SAVE);
			assert_true(w->result[1].arrival == 3000 && w->result[1].begin > 3000);
			world_free(w);
		}
		assert_true(turnaround[many][HD_EVICT_SAVE] * 2 < turnaround[many][HD_EVICT_DRAIN]);
	}
	/* With one place in the table and no eviction it waits for the whole of the long grid; with places left, for the first CTA to end. */
	assert_true(turnaround[0][HD_EVICT_DRAIN] * 2 < turnaround[0][HD_EVICT_NONE]);
	assert_true(turnaround[1][HD_EVICT_NONE] == turnaround[1][HD_EVICT_DRAIN]);
	assert_true(total[HD_EVICT_SAVE] < total[HD_EVICT_NONE] + total[HD_EVICT_NONE] / 4);
}

TEST(skipping_idle_cycles_changes_nothing)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		hd_stats stats[2];
		hd_task_result result[2][LIST];
		for (unsigned every = 0; every < 2; every++) {
			world *w = world_new("heddle", "tests/device/grids.cl");
			w->machine.machine_cores = 2;
			w->machine.machine_max_ctas = 4;
			w->machine.grids_evict = HD_EVICT_SAVE;
			if (kind)
				ADD(w, "pipeline", 1, 1, at(w, 0), heddle_u32(8));
			else
				urgent_list(w, 4);
			memset(words(w), 0, WORDS * 4);
			assert_true(run_with(w, false, &(hd_run_options){.tick_every_cycle = every}));
			stats[every] = w->stats;
			memcpy(result[every], w->result, sizeof w->result);
			world_free(w);
		}
		assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
		assert_memory_equal(result[0], result[1], sizeof result[0]);
	}
}

/* -- order ------------------------------------------------------------------------------------------------------------------------------------- */

static void order(world *w, const uint32_t *expected)
{
	run(w, false);
	for (uint32_t i = 0; i < w->n; i++)
		if (words(w)[1 + expected[i]] != i)
			fail_msg("grid %u began as number %u, expected %u", expected[i], words(w)[1 + expected[i]], i);
}

TEST(lists_are_by_priority_with_head_and_tail)
{
	world *w = world_new("heddle", "tests/device/grids.cl");
	static const struct {
		uint32_t priority;
		bool head;
	} grids[] = {{0, false}, {2, false}, {2, false}, {5, false}, {2, true}, {0, true}};
	w->machine.machine_cores = 1;
	w->machine.grids_slots = 1;
	w->machine.grids_evict = HD_EVICT_NONE;
	for (uint32_t i = 0; i < HD_COUNT(grids); i++) {
		hd_task *task = ADD(w, "stamp", 1, 32, at(w, 0), at(w, 1), heddle_u32(i));
		task->priority = grids[i].priority;
		task->at_head = grids[i].head;
	}
	order(w, (uint32_t[]){3, 4, 1, 2, 5, 0});
	/* A grid that arrives later cannot overtake a running one, without eviction. */
	w->list[3].arrival = 50;
	order(w, (uint32_t[]){4, 3, 1, 2, 5, 0});
	world_free(w);
}

TEST(dependences_hold)
{
	world *w = world_new("heddle", "tests/device/grids.cl");
	static const uint32_t zero[] = {0}, both[] = {0, 1};
	for (uint32_t i = 0; i < 4; i++)
		ADD(w, "stamp", 1, 32, at(w, 0), at(w, 1), heddle_u32(i));
	w->list[0].arrival = 5000;
	w->list[1].after = zero; /* 1 after 0, 2 after both, 3 at once */
	w->list[1].n_after = 1;
	w->list[2].after = both;
	w->list[2].n_after = 2;
	w->list[2].priority = 7;
	order(w, (uint32_t[]){3, 0, 1, 2});
	assert_true(w->result[1].begin > w->result[0].end && w->result[2].begin > w->result[1].end);
	run(w, true);
	assert_true(words(w)[2] > words(w)[1] && words(w)[3] > words(w)[2]);
	world_free(w);
}

/* -- children ----------------------------------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	int32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x < y ? -1 : x > y;
}

/* A recursive work list that ends right: in the interpreter and on every preset the same bytes, those of a sorted array. */
TEST(recursion_sorts)
{
	enum { N = 700 };
	int32_t expected[N];
	for (unsigned m = 0; hd_machine_presets[m]; m++) {
		world *w = world_new(hd_machine_presets[m], "examples/grids/grids.cl");
		w->machine.grids_descriptor_bytes = 40 * m; /* PD-37 */
		ADD(w, "quicksort", 1, 64, at(w, 0), at(w, N), heddle_u32(0), heddle_u32(N));
		for (unsigned functional = 0; functional < 2; functional++) {
			uint64_t seed = 5;
			memset(words(w), 0, WORDS * 4);
			for (unsigned i = 0; i < N; i++)
				words(w)[i] = (uint32_t)hd_random(&seed) % 1000 - 500;
			memcpy(expected, words(w), sizeof expected);
			qsort(expected, N, 4, ascending);
			if (!run_with(w, functional, NULL))
				fail_msg("%s: %s", hd_machine_presets[m], w->message.at);
			assert_memory_equal(words(w), expected, sizeof expected);
			assert_true(w->stats.grids_launched > 10 && w->stats.grids_launched == w->result[0].children && w->stats.grids_deepest > 3);
			assert_true(w->result[0].ctas == 1 && w->stats.run_ctas == 1 + w->stats.grids_launched);
			if (!functional) /* the host's grid is read, children are written, too */
				assert_int_equal(w->stats.grids_descriptor_sectors, (40 * m + 31) / 32 * (1 + 2 * w->stats.grids_launched));
		}
		world_free(w);
	}
}

/* Tail children add up what the children below found; the parent has ended only when all of them have. */
TEST(tail_children_come_last)
{
	enum { N = 600 };
	world *w = world_new("heddle", "examples/grids/grids.cl");
	ADD(w, "sum", 1, 1, at(w, 0), at(w, 2000), heddle_u32(0), heddle_u32(0), heddle_u32(N));
	for (unsigned functional = 0; functional < 2; functional++) {
		uint64_t total = 0, got;
		memset(words(w), 0, WORDS * 4);
		for (unsigned i = 0; i < N; i++)
			total += words(w)[i] = i * i * 7919;
		assert_true(run_with(w, functional, NULL));
		memcpy(&got, words(w) + 2000, sizeof got);
		assert_true(got == total);
	}
	world_free(w);
	w = world_new("heddle", "tests/device/grids.cl");
	ADD(w, "late", 1, 1, at(w, 0));
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		assert_memory_equal(words(w), ((uint32_t[]){4, 0, 1, 3, 4}), 20);
	}
	world_free(w);
}

static void refused(world *w, hd_trap_kind kind, const char *text)
{
	for (unsigned functional = 0; functional < 2; functional++) {
		memset(words(w), 0, WORDS * 4);
		if (run_with(w, functional, NULL))
			fail_msg("%s %s: not refused", functional ? "interpreter" : "machine", text);
		assert_int_equal(w->trap.kind, kind);
		if (!strstr(w->message.at, text))
			fail_msg("%s, expected %s", w->message.at, text);
	}
}

TEST(limits_are_traps_with_a_name)
{
	world *w = world_new("heddle", "tests/device/grids.cl");
	ADD(w, "nest", 1, 1, at(w, 0), heddle_u32(5));
	w->machine.grids_depth = 5; /* exactly enough */
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		assert_memory_equal(words(w), ((uint32_t[]){1, 2, 3, 4, 5, 6, 0}), 28);
		assert_int_equal(w->stats.grids_deepest, 5);
	}
	w->machine.grids_depth = 4;
	refused(w, HD_TRAP_LAUNCH, "grids.depth");
	w->machine.grids_depth = 24;
	w->n = 0;
	ADD(w, "many", 1, 1, at(w, 0), heddle_u32(9));
	w->machine.grids_pending = 9; /* the first has not begun when the last is launched */
	w->machine.grids_launch_latency = 100000;
	run(w, false);
	w->machine.grids_pending = 8;
	assert_false(run_with(w, false, NULL));
	assert_non_null(strstr(w->message.at, "grids.pending"));
	run(w, true); /* that is a limit of the machine */
	world_free(w);
}

TEST(launches_that_are_not_possible_are_traps)
{
	static const struct {
		uint32_t which;
		const char *text;
		hd_trap_kind kind;
	} rows[] = {{1, "no kernel is at", HD_TRAP_LAUNCH},
	            {2, "bytes of parameters", HD_TRAP_LAUNCH},
	            {3, "is too large", HD_TRAP_LAUNCH},
	            {4, "is empty", HD_TRAP_LAUNCH},
	            {5, "flags", HD_TRAP_LAUNCH},
	            {7, "no queue", HD_TRAP_LAUNCH},
	            {8, "nothing that runs", HD_TRAP_LAUNCH},
	            {9, "0x40", HD_TRAP_ADDRESS},
	            {10, "flags", HD_TRAP_LAUNCH}};
	world *w = world_new("heddle", "tests/device/grids.cl");
	ADD(w, "bad", 1, 1, at(w, 0), heddle_u32(0));
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		assert_int_equal(words(w)[0], 1);
	}
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		w->n = 0;
		ADD(w, "bad", 1, 1, at(w, 0), heddle_u32(rows[i].which));
		refused(w, rows[i].kind, rows[i].text);
	}
	/* A grid that no core can hold: the machine alone has cores. */
	w->n = 0;
	ADD(w, "bad", 1, 1, at(w, 0), heddle_u32(6));
	assert_false(run_with(w, false, NULL));
	assert_non_null(strstr(w->message.at, "machine.shared_memory"));
	world_free(w);
}

/* -- queues -------------------------------------------------------------------------------------------------------------------------------------- */

/* A producer and a queue that feeds itself; each entry starts a CTA; it ends when it is empty and no producer is left. */
TEST(a_work_list_visits_every_node_once)
{
	enum { NODES = 300 };
	static const uint32_t producer[] = {1};
	for (unsigned m = 0; hd_machine_presets[m]; m++) {
		world *w = world_new(hd_machine_presets[m], "examples/grids/grids.cl");
		hd_task *list = ADD(w, "visit", 1, 32, at(w, 0), heddle_u32(NODES));
		list->queue = true;
		list->producers = producer;
		list->n_producers = 1;
		ADD(w, "produce", 1, 32, heddle_u32(0), heddle_u32(8))->arrival = 2000;
		for (unsigned functional = 0; functional < 2; functional++) {
			for (w->machine.grids_slots = 1; w->machine.grids_slots < 3; w->machine.grids_slots++) {
				run(w, functional);
				for (uint32_t i = 0; i < NODES; i++)
					assert_int_equal(words(w)[i], 3 * i + 1);
				assert_int_equal(w->result[0].ctas, NODES);
				assert_int_equal(w->result[0].pushed, NODES);
				assert_int_equal(w->stats.grids_pushes, NODES);
			}
		}
		world_free(w);
	}
}

/* MT-2: each CTA of a queue begins with an empty first cache. */
TEST(entries_hand_memory_on)
{
	enum { ENTRIES = 100 };
	static const uint64_t items[] = {0};
	world *w = world_new("heddle", "tests/device/grids.cl");
	hd_task *list = ADD(w, "relay", 1, 1, at(w, 0), heddle_u32(ENTRIES));
	list->queue = true;
	list->items = items;
	list->n_items = 1;
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		for (uint32_t i = 0; i <= ENTRIES; i++)
			assert_int_equal(words(w)[i], i);
	}
	world_free(w);
}

TEST(queues_of_running_kernels_end_together)
{
	enum { N = 9 };
	world *w = world_new("heddle", "tests/device/grids.cl");
	ADD(w, "pipeline", 1, 1, at(w, 0), heddle_u32(N));
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		for (uint32_t k = 0; k < N; k++)
			assert_int_equal(words(w)[k], (k + 1) * (k + 2) / 2); /* k + 1, k, ... 1 */
		assert_int_equal(w->result[0].children, 2);
	}
	world_free(w);
}

TEST(entries_of_the_host_and_their_limit)
{
	static const uint64_t items[] = {10, 200, 3000};
	static const uint32_t producer[] = {1};
	world *w = world_new("heddle", "tests/device/grids.cl");
	hd_task *queue = ADD(w, "drain", 1, 1, at(w, 0));
	queue->queue = true;
	queue->items = items;
	queue->n_items = 3;
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional); /* nobody else pushes: it ends with the third */
		assert_int_equal(words(w)[0], 3210);
	}
	queue->producers = producer;
	queue->n_producers = 1;
	queue->arrival = 100000; /* until then entries only wait */
	ADD(w, "flood", 1, 1, heddle_u32(0), heddle_u32(20));
	w->machine.grids_entries = 20;
	for (unsigned functional = 0; functional < 2; functional++) {
		run(w, functional);
		assert_int_equal(words(w)[0], 3210 + 190);
	}
	w->machine.grids_entries = 19;
	assert_false(run_with(w, false, NULL));
	assert_int_equal(w->trap.kind, HD_TRAP_LAUNCH);
	assert_non_null(strstr(w->message.at, "grids.entries"));
	world_free(w);
}

/* A queue that waits for a producer that waits for the queue: said, with who waits for what. */
TEST(a_circle_is_a_deadlock)
{
	static const uint32_t producer[] = {1}, queue[] = {0};
	world *w = world_new("heddle", "tests/device/grids.cl");
	hd_task *task = ADD(w, "drain", 1, 1, at(w, 0));
	task->queue = true;
	task->producers = producer;
	task->n_producers = 1;
	task = ADD(w, "flood", 1, 1, heddle_u32(0), heddle_u32(1));
	task->after = queue;
	task->n_after = 1;
	refused(w, HD_TRAP_DEADLOCK, "waits for others");
	world_free(w);
}
