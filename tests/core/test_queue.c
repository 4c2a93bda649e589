/* The queue before a pipeline: HZ-10 to HZ-15, and the distance rule of docs/timing.md. */
#include "core/execute/queue.h"
#include "core/issue/counted.h"
#include "../test.h"

typedef struct bed {
	hd_queue queue;
	uint16_t flags[HD_WARP_SLOTS];
	uint64_t now;
	hd_sent out;
	hd_queue_times times;
} bed;

static bed *bed_new(uint32_t fifo, uint32_t hazard)
{
	bed *b = hd_xaligned(sizeof *b);
	hd_queue_init(&b->queue, (hd_queue_sizes){fifo, hazard}, HD_MAX_SPACING, NULL);
	b->now = 100;
	return b;
}

static void bed_free(bed *b)
{
	hd_queue_free(&b->queue, NULL);
	free(b);
}

static void send(bed *b, unsigned warp, uint32_t pc, unsigned wait)
{
	assert_false(hd_queue_full(&b->queue));
	hd_queue_push(&b->queue, &(hd_sent){.cycle = b->now, .pc = pc, .mask = ~0u, .wait = (uint16_t)wait, .warp = (uint8_t)warp}, b->now);
}

/* The next cycle; the address of what leaves in it, 0 if nothing. */
static uint32_t tick(bed *b)
{
	b->now++;
	return hd_queue_tick(&b->queue, b->flags, b->now, 0, &b->out, &b->times) ? b->out.pc : 0;
}

/* HZ-10: one in, one out a cycle; entry is the cycle after issue at the earliest. */
TEST(an_instruction_without_hazard_leaves_in_the_next_cycle)
{
	bed *b = bed_new(4, 4);
	send(b, 0, 10, 0);
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 0);
	send(b, 0, 11, 2); /* a secondary whose counter is clear */
	assert_int_equal(tick(b), 11);
	assert_true(hd_queue_empty(&b->queue));
	bed_free(b);
}

/* HZ-11, HZ-12, HZ-13: a secondary waits; its warp's instructions stay in order behind it; another warp's passes. */
TEST(hazards_wait_and_others_pass)
{
	bed *b = bed_new(4, 4);
	b->flags[0] = 1;
	send(b, 0, 10, 1);
	send(b, 0, 11, 0);
	send(b, 1, 20, 0);
	assert_int_equal(tick(b), 0);
	assert_int_equal(b->queue.hazard_n, 1);
	assert_true(b->queue.info[b->queue.age[0]].counters);
	assert_int_equal(tick(b), 0);
	assert_int_equal(b->queue.hazard_n, 2);
	assert_false(b->queue.info[b->queue.age[1]].counters);
	assert_int_equal(b->queue.info[b->queue.age[1]].older, b->queue.age[0]);
	assert_int_equal(tick(b), 20);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(b->times.waited, 3);
	assert_int_equal(tick(b), 11);
	assert_int_equal(b->times.waited, 0);
	bed_free(b);
}

/* HZ-14: the hazard queue goes first when both offer. */
TEST(the_hazard_queue_goes_first)
{
	bed *b = bed_new(4, 4);
	b->flags[0] = 4;
	send(b, 0, 10, 4);
	assert_int_equal(tick(b), 0);
	send(b, 1, 20, 0);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 20);
	bed_free(b);
}

/* HZ-15: finite; a full hazard queue holds the FIFO's head, and the FIFO fills up; all goes on when the counter clears. */
TEST(full_queues_push_back)
{
	bed *b = bed_new(2, 2);
	b->flags[0] = b->flags[1] = b->flags[2] = 1;
	send(b, 0, 10, 1);
	tick(b);
	send(b, 1, 11, 1);
	tick(b);
	assert_int_equal(b->queue.hazard_n, 2);
	send(b, 2, 12, 1);
	assert_int_equal(tick(b), 0);
	send(b, 3, 13, 0); /* no hazard of its own, but behind one */
	assert_true(hd_queue_full(&b->queue));
	assert_int_equal(tick(b), 0);
	assert_true(b->queue.waiting);
	b->flags[1] = 0;
	assert_int_equal(tick(b), 11); /* leaves past the older warp 0 */
	assert_int_equal(tick(b), 0);  /* 12 goes into the hazard queue */
	assert_int_equal(tick(b), 13);
	b->flags[0] = b->flags[2] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 12);
	bed_free(b);
}

/* HZ-32: without a hazard queue the head of the FIFO waits, for a counter or a distance, and everything behind it waits, too. */
TEST(a_plain_fifo_stalls_behind_its_head)
{
	bed *b = bed_new(3, 0);
	b->flags[0] = 1;
	send(b, 0, 10, 1);
	send(b, 1, 20, 0);
	send(b, 0, 11, 0);
	assert_true(hd_queue_full(&b->queue));
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(tick(b), 0);
	assert_true(b->queue.waiting);
	assert_true(b->queue.next == HD_NEVER); /* nothing but the counter can change that */
	assert_int_equal(b->queue.hazard_n, 0);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 20);
	assert_int_equal(tick(b), 11);
	assert_true(hd_queue_empty(&b->queue));
	b->now += 3;
	uint64_t entered = b->now + 1;
	hd_queue_push(&b->queue, &(hd_sent){.cycle = b->now, .pc = 12, .mask = ~0u}, 101);
	assert_int_equal(tick(b), 12);
	hd_queue_push(&b->queue, &(hd_sent){.cycle = b->now, .pc = 13, .mask = ~0u}, 105); /* 4 counted cycles behind it */
	assert_int_equal(tick(b), 0);
	assert_int_equal(b->queue.next, entered + 4);
	b->now = entered + 3;
	assert_int_equal(tick(b), 13);
	bed_free(b);
}

/* An entry of the hazard queue does not enter a busy pipe, either. */
TEST(a_busy_pipe_holds_the_hazard_queue)
{
	bed *b = bed_new(4, 4);
	b->flags[0] = 1;
	send(b, 0, 10, 1);
	assert_int_equal(tick(b), 0);
	b->flags[0] = 0;
	uint64_t accept = b->now + 4;
	while (++b->now < accept) {
		assert_false(hd_queue_tick(&b->queue, b->flags, b->now, accept, &b->out, &b->times));
		assert_int_equal(b->queue.next, accept);
	}
	assert_true(hd_queue_tick(&b->queue, b->flags, b->now, accept, &b->out, &b->times));
	bed_free(b);
}

/* A warp that begins in a slot keeps no distance from the last one there. */
TEST(a_new_warp_keeps_no_distance)
{
	bed *b = bed_new(4, 4);
	send(b, 0, 10, 0);
	assert_int_equal(tick(b), 10);
	hd_queue_warp(&b->queue, 0);
	hd_queue_push(&b->queue, &(hd_sent){.cycle = b->now, .pc = 11, .mask = ~0u}, 20);
	assert_int_equal(tick(b), 11);
	bed_free(b);
}

/* docs/timing.md rule 2: issued g cycles apart, they enter at least g cycles apart, however the queue held them. */
TEST(distances_are_kept)
{
	bed *b = bed_new(4, 4);
	b->flags[0] = 1;
	send(b, 0, 10, 1);
	tick(b);
	tick(b);
	tick(b);
	tick(b);
	send(b, 0, 11, 0); /* 4 cycles later */
	tick(b);
	tick(b);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 0);
	assert_int_equal(tick(b), 0);
	assert_int_equal(tick(b), 0);
	assert_int_equal(tick(b), 11);
	assert_int_equal(b->times.spaced, 3);
	b->now += 500; /* more than the 63 that an entry can carry */
	b->flags[0] = 1;
	send(b, 0, 12, 1);
	tick(b);
	b->now += 100;
	send(b, 0, 13, 0);
	tick(b);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 12);
	unsigned cycles = 1;
	while (!tick(b))
		cycles++;
	assert_int_equal(cycles, HD_MAX_SPACING);
	bed_free(b);
}

/* The distance is that between two instructions of one warp, whatever others send. */
TEST(distances_are_those_of_a_warp)
{
	bed *b = bed_new(4, 4);
	send(b, 0, 10, 0);
	assert_int_equal(tick(b), 10);
	send(b, 1, 20, 0);
	assert_int_equal(tick(b), 20);
	assert_int_equal(tick(b), 0);
	send(b, 1, 21, 0);
	assert_int_equal(tick(b), 21);
	assert_int_equal(b->out.gap, 2);
	send(b, 0, 11, 0);
	assert_int_equal(tick(b), 11);
	assert_int_equal(b->out.gap, 4);
	bed_free(b);
}

/* A pipe that is not free holds everything back, but the FIFO's hazards still move on; `next` says when to look. */
TEST(a_busy_pipe_holds_back)
{
	bed *b = bed_new(4, 4);
	b->queue.spacing = 0;
	send(b, 0, 10, 0);
	b->now++;
	assert_false(hd_queue_tick(&b->queue, b->flags, b->now, b->now + 5, &b->out, &b->times));
	assert_int_equal(b->queue.next, b->now + 5);
	b->now += 5;
	assert_true(hd_queue_tick(&b->queue, b->flags, b->now, b->now, &b->out, &b->times));
	assert_true(b->queue.next == HD_NEVER);
	bed_free(b);
}

/* HZ-13, random: the order of each warp is kept, nothing is lost, secondaries leave only with clear counters; looking only at `next` or when
 * a counter clears gives the same as looking in every cycle. */
TEST(random_traffic)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		bed *b = bed_new(1 + seed % 5, seed % 8), *lazy = bed_new(1 + seed % 5, seed % 8);
		uint32_t next_sent[HD_WARP_SLOTS], next_left[HD_WARP_SLOTS], left = 0, sent = 0;
		for (uint32_t w = 0; w < HD_WARP_SLOTS; w++)
			next_sent[w] = next_left[w] = w * 1000;
		for (int cycle = 0; cycle < 3000; cycle++) {
			bool changed = false;
			for (unsigned w = 0; w < HD_WARP_SLOTS; w++) {
				uint16_t before = b->flags[w];
				if (hd_random(&random) % 8 == 0)
					b->flags[w] &= (uint16_t)hd_random(&random); /* only falls: wait counters see to that */
				if (cycle > 2500)
					b->flags[w] = 0;
				lazy->flags[w] = b->flags[w];
				changed |= before != b->flags[w];
			}
			uint32_t pc = tick(b), lazily = 0;
			lazy->now++;
			if (changed || lazy->queue.next <= lazy->now)
				lazily = hd_queue_tick(&lazy->queue, lazy->flags, lazy->now, 0, &lazy->out, &lazy->times) ? lazy->out.pc : 0;
			assert_int_equal(pc, lazily);
			if (pc) {
				unsigned w = b->out.warp;
				assert_int_equal(pc, ++next_left[w]);
				assert_int_equal(b->out.wait & b->flags[w], 0);
				assert_int_equal(b->times.waited, lazy->times.waited);
				assert_int_equal(b->times.spaced, lazy->times.spaced);
				left++;
			}
			unsigned w = (unsigned)(hd_random(&random) % HD_WARP_SLOTS);
			if (cycle < 2500 && hd_random(&random) % 3 && !hd_queue_full(&b->queue)) {
				unsigned wait = (unsigned)(hd_random(&random) & hd_random(&random) & 15);
				/* Raise a counter that nobody waits for, then perhaps wait for it. */
				bool idle = next_left[w] == next_sent[w];
				if (idle)
					b->flags[w] = lazy->flags[w] = (uint16_t)wait;
				send(b, w, ++next_sent[w], wait);
				send(lazy, w, next_sent[w], wait);
				sent++;
			}
		}
		assert_int_equal(sent, left);
		assert_true(sent > 60);
		bed_free(b);
		bed_free(lazy);
	}
}

/* The state of a queue from outside, and its next actions. */
static void expect_same_queues(const hd_queue *x, const hd_queue *y)
{
	assert_true(x->next == y->next);
	assert_int_equal(x->waiting, y->waiting);
	assert_int_equal(x->fifo_n, y->fifo_n);
	assert_int_equal(x->hazard_n, y->hazard_n);
	assert_memory_equal(x->last, y->last, sizeof x->last);
	for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++) {
		assert_true(x->of[warp].counted == y->of[warp].counted);
		assert_true(x->of[warp].entered == y->of[warp].entered);
	}
}

static void expect_same_sent(const hd_sent *x, const hd_sent *y)
{
	assert_true(x->cycle == y->cycle);
	assert_int_equal(x->pc, y->pc);
	assert_int_equal(x->mask, y->mask);
	assert_int_equal(x->number, y->number);
	assert_int_equal(x->wait, y->wait);
	assert_int_equal(x->warp, y->warp);
	assert_int_equal(x->gap, y->gap);
}

/* One cycle as core.c has it: the short way where it applies, hd_queue_tick otherwise. */
static bool pass_or_tick(bed *b, uint64_t accept, bool *passed)
{
	bool passes = hd_queue_passes(&b->queue, b->flags, b->now);
	*passed = passes && hd_queue_pass(&b->queue, b->now, accept, &b->out);
	b->times = (hd_queue_times){0};
	return passes ? *passed : hd_queue_tick(&b->queue, b->flags, b->now, accept, &b->out, &b->times);
}

/* hd_queue_pass is hd_queue_tick for one case: in random traffic a queue that takes the short way hands out the same instructions, in the same cycles
 * and with the same times, as one that does not; and it takes the short way whenever the hazard queue is empty and the head may go. */
TEST(the_short_way_is_the_same)
{
	unsigned passes = 0, ticks = 0, wrapped = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		bed *ticked = bed_new(1 + seed % 5, 1 + seed % 3), *b = bed_new(1 + seed % 5, 1 + seed % 3);
		uint64_t accept = 0, counted[HD_WARP_SLOTS] = {0};
		ticked->queue.spacing = b->queue.spacing = (uint8_t)(seed % 4 ? seed % 9 : HD_MAX_SPACING);
		for (uint32_t cycle = 1; cycle <= 3000; cycle++) {
			unsigned warp = (unsigned)(hd_random(&random) % (1 + seed % HD_WARP_SLOTS)), hazards = ticked->queue.hazard_n;
			bool passed;
			ticked->now = ++b->now;
			if (hd_random(&random) % 8 == 0)
				accept = b->now + hd_random(&random) % 6;
			for (unsigned w = 0; w < HD_WARP_SLOTS; w++)
				if (hd_random(&random) % 4 == 0)
					ticked->flags[w] = b->flags[w] = (uint16_t)(hd_random(&random) & hd_random(&random) & 15);
			bool left = hd_queue_tick(&ticked->queue, ticked->flags, ticked->now, accept, &ticked->out, &ticked->times);
			assert_int_equal(pass_or_tick(b, accept, &passed), left);
			assert_int_equal(passed, left && hazards == 0);
			expect_same_queues(&ticked->queue, &b->queue);
			if (left) {
				expect_same_sent(&ticked->out, &b->out);
				assert_true(ticked->times.waited == b->times.waited && ticked->times.spaced == b->times.spaced);
				passes += passed;
				ticks += !passed;
				wrapped += b->queue.fifo_head == 0;
			}
			if (hd_random(&random) % 100 == 0 && hd_queue_empty(&b->queue)) { /* another warp begins */
				hd_queue_warp(&ticked->queue, warp);
				hd_queue_warp(&b->queue, warp);
				counted[warp] = 0;
			}
			if (hd_random(&random) % 3 == 0 || hd_queue_full(&b->queue))
				continue;
			hd_sent sent = {
			    .cycle = b->now, .pc = cycle, .mask = (uint32_t)hd_random(&random), .number = 3 * cycle, .warp = (uint8_t)warp};
			sent.wait = hd_random(&random) % 3 ? 0 : (uint16_t)(hd_random(&random) & 15);
			counted[warp] += hd_random(&random) % 12;
			hd_queue_push(&ticked->queue, &sent, counted[warp]);
			hd_queue_push(&b->queue, &sent, counted[warp]);
		}
		bed_free(ticked);
		bed_free(b);
	}
	assert_true(passes > 10000 && ticks > 10000 && wrapped > 1000);
}

/* Other warps had their turn between two instructions of one: the second is not late because the first was. */
TEST(distances_by_chance_are_not_kept)
{
	bed *b = bed_new(4, 4);
	b->flags[0] = 1;
	send(b, 0, 10, 1);
	uint64_t counted = b->now;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(tick(b), 0);
	hd_queue_push(&b->queue, &(hd_sent){.cycle = b->now, .pc = 11, .mask = ~0u}, counted + 3); /* 20 cycles later, 3 of them counted */
	assert_int_equal(tick(b), 0);
	b->flags[0] = 0;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 0);
	assert_int_equal(tick(b), 0);
	assert_int_equal(tick(b), 11);
	bed_free(b);
}

/* Rule 2: what is counted between the instructions of a warp. */
TEST(counted_cycles)
{
	const hd_static plain = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 1},
	                slow = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 5},
	                short_wait = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 1, .wait = 2},
	                long_wait = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 1, .wait = 6},
	                flow = {.kind = HD_KIND_FLOW, .pipe = HD_PIPE_FLOW, .delay = 1, .latency = 3};
	hd_machine machine;
	hd_counted *counted = hd_xaligned(sizeof *counted);
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	hd_counted_init(counted, &machine);
	assert_int_equal(hd_counted_issue(counted, 3, &plain), 0);
	assert_int_equal(hd_counted_issue(counted, 3, &slow), 1);
	assert_int_equal(hd_counted_issue(counted, 3, &short_wait), 6); /* it begins in 2, and the delay is longer */
	assert_int_equal(hd_counted_issue(counted, 3, &slow), 7);
	assert_int_equal(hd_counted_issue(counted, 3, &long_wait), 14); /* from 8 on */
	assert_int_equal(hd_counted_issue(counted, 3, &flow), 15);
	assert_int_equal(hd_counted_issue(counted, 3, &short_wait), 21); /* from 19 on */
	assert_int_equal(hd_counted_issue(counted, 3, &slow), 22);
	hd_counted_pair(counted, 3, &slow);
	assert_int_equal(hd_counted_issue(counted, 3, &plain), 22); /* PD-7 */
	assert_int_equal(hd_counted_issue(counted, 3, &plain), 23);
	assert_int_equal(hd_counted_issue(counted, 2, &plain), 0);
	free(counted);
}

/* Rule 7: with a window each pipe counts for itself, what is sent alone for all. Delay and wait do not overlap. */
TEST(counted_cycles_of_a_window)
{
	const hd_static alu = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 5}, sfu = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_SFU, .delay = 1},
	                wait = {.kind = HD_KIND_PURE, .pipe = HD_PIPE_ALU, .delay = 1, .wait = 2},
	                flow = {.kind = HD_KIND_FLOW, .pipe = HD_PIPE_FLOW, .delay = 1, .latency = 3},
	                nop = {.kind = HD_KIND_NOP, .pipe = HD_PIPE_NONE, .delay = 4};
	hd_machine machine;
	hd_counted *counted = hd_xaligned(sizeof *counted);
	hd_machine_default(&machine);
	machine.multi_issue_window = 4;
	hd_counted_init(counted, &machine);
	assert_int_equal(hd_counted_issue(counted, 0, &alu), 0);
	assert_int_equal(hd_counted_issue(counted, 0, &sfu), 0);
	assert_int_equal(hd_counted_issue(counted, 0, &sfu), 1);
	assert_int_equal(hd_counted_issue(counted, 0, &wait), 7);
	hd_counted_issue(counted, 0, &flow);
	assert_int_equal(hd_counted_issue(counted, 0, &sfu), 6);
	assert_int_equal(hd_counted_issue(counted, 0, &alu), 12);
	hd_counted_issue(counted, 0, &nop);
	assert_int_equal(hd_counted_issue(counted, 0, &sfu), 11);
	assert_int_equal(hd_counted_issue(counted, 0, &alu), 21);
	free(counted);
}

/* PD-27: what is sent in a cycle is marked, of one warp alone. Marked instructions wait although no counter is outstanding that they name. */
TEST(marked_instructions_wait_for_the_branch)
{
	bed *b = bed_new(4, 4);
	b->queue.spacing = 0;
	send(b, 0, 10, 0);
	b->now++;
	send(b, 0, 11, 2);
	send(b, 1, 20, 0);
	assert_int_equal(hd_queue_mark(&b->queue, 0, b->now), 1);
	assert_int_equal(hd_queue_mark(&b->queue, 0, b->now + 1), 0);
	b->flags[0] = HD_UNDECIDED;
	assert_int_equal(tick(b), 10);
	assert_int_equal(tick(b), 0); /* 11 moves to the hazard queue */
	assert_int_equal(tick(b), 20);
	send(b, 0, 12, 0);
	assert_int_equal(hd_queue_mark(&b->queue, 0, b->now), 1);
	assert_int_equal(tick(b), 0);
	send(b, 0, 13, 0);
	assert_int_equal(hd_queue_mark(&b->queue, 0, b->now), 1);
	/* They go on with fewer lanes; the counter that 11 names still counts. */
	b->queue.next = HD_NEVER;
	b->flags[0] = 0;
	hd_queue_keep(&b->queue, 0, 0xff, b->now + 1);
	assert_int_equal(b->queue.next, b->now + 1);
	for (uint32_t pc = 11; pc <= 13; pc++) {
		assert_int_equal(tick(b), pc);
		assert_int_equal(b->out.mask, 0xff);
		assert_int_equal(b->out.wait, pc == 11 ? 2 : 0);
		assert_int_equal(b->times.waited != 0, pc == 11);
	}
	bed_free(b);
}

/* PD-27: the youngest goes first, from the FIFO and from the hazard queue; what stays keeps its order, and its place behind older ones. */
TEST(a_wrong_path_leaves_the_queue)
{
	for (unsigned fifo_first = 0; fifo_first < 2; fifo_first++) {
		bed *b = bed_new(6, 6);
		b->queue.spacing = 0;
		hd_sent out;
		b->flags[0] = HD_UNDECIDED | 4;
		b->flags[1] = 4;
		send(b, 0, 10, 4);
		send(b, 1, 20, 4);
		send(b, 0, 11, 2);
		b->queue.fifo[2].wait |= HD_UNDECIDED;
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(tick(b), 0);
		assert_int_equal(b->queue.hazard_n, 3);
		send(b, 0, 12, 0);
		hd_queue_mark(&b->queue, 0, b->now);
		send(b, 1, 21, 0);
		b->now += fifo_first; /* 13 is sent in another cycle than 21 */
		send(b, 0, 13, 0);
		hd_queue_mark(&b->queue, 0, b->now);
		for (uint32_t pc = 13; pc >= 11; pc--) {
			b->queue.next = HD_NEVER;
			assert_true(hd_queue_squash(&b->queue, 0, b->now, &out));
			assert_int_equal(out.pc, pc);
			assert_int_equal(b->queue.next, b->now);
		}
		assert_false(hd_queue_squash(&b->queue, 0, b->now, &out));
		assert_false(hd_queue_squash(&b->queue, 1, b->now, &out));
		assert_int_equal(b->queue.hazard_n, 2);
		assert_int_equal(b->queue.fifo_n, 1);
		b->flags[0] = 4;
		send(b, 0, 14, 0); /* behind 10, which is in the hazard queue */
		assert_int_equal(tick(b), 0);
		assert_int_equal(tick(b), 0);
		b->flags[0] = b->flags[1] = 0;
		assert_int_equal(tick(b), 10);
		assert_int_equal(tick(b), 20);
		assert_int_equal(tick(b), 21);
		assert_int_equal(tick(b), 14);
		assert_true(hd_queue_empty(&b->queue));
		bed_free(b);
	}
}
