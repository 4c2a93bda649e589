/* Macro scheduler: PD-12, against the network written down pair by pair. */
#include "core/issue/macro_scheduler.h"
#include "../test.h"

/* The specification's pairs, literally. */
static const uint8_t network[4][8][2] = {
    {{0}},
    {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}},
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}},
    {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {0, 0}},
};

typedef struct model {
	unsigned order[16];
	int sampled[16];
} model;

static void model_step(model *m, const int priority[16], uint64_t cycle)
{
	if (cycle % 4 == 0) {
		for (int i = 0; i < 16; i++)
			m->sampled[i] = priority[m->order[i]];
		return;
	}
	for (int i = 0; i < 8; i++) {
		int low = network[cycle % 4][i][0], high = network[cycle % 4][i][1];
		if (m->sampled[low] >= m->sampled[high])
			continue;
		int p = m->sampled[low];
		unsigned s = m->order[low];
		m->sampled[low] = m->sampled[high];
		m->order[low] = m->order[high];
		m->sampled[high] = p;
		m->order[high] = s;
	}
}

/* PD-12: step by step equal to the model, which never rests, while warps come and go at random. */
TEST(equals_the_network_cycle_by_cycle)
{
	hd_macro macro;
	model m;
	uint64_t seed = 7, born = 0;
	hd_macro_init(&macro, 6, false);
	memset(&m, 0, sizeof m);
	for (unsigned i = 0; i < 16; i++)
		m.order[i] = i;
	for (uint64_t cycle = 0; cycle < 4000; cycle++) {
		if (cycle < 64 || hd_random(&seed) % 40 == 0) {
			unsigned slot = (unsigned)(hd_random(&seed) % 16);
			hd_macro_warp(&macro, slot, hd_random(&seed) % 4 ? ++born : 0, 0);
		}
		int priority[16];
		for (unsigned i = 0; i < 16; i++)
			priority[i] = hd_macro_priority(&macro, i);
		hd_macro_advance(&macro, cycle, cycle);
		model_step(&m, priority, cycle);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(macro.order[i], m.order[i]);
	}
}

/* PD-12: one round is only a partial sort; repeated rounds sort, and then cost nothing. */
TEST(a_round_is_partial_and_rounds_converge)
{
	hd_macro macro;
	hd_macro_init(&macro, 6, false);
	for (unsigned i = 0; i < 16; i++)
		hd_macro_warp(&macro, i, 16 - i, 0); /* the last slot is the oldest */
	hd_macro_advance(&macro, 0, 3);
	assert_int_not_equal(macro.order[0], 15);
	hd_macro_advance(&macro, 4, 200);
	assert_true(macro.settled);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(macro.order[i], 15 - i);
	assert_int_equal(hd_macro_priority(&macro, 15), 47);
	assert_int_equal(hd_macro_priority(&macro, 0), 32);
}

/* One round from a given order with given priorities, by the program: all four cycles compared. */
static void compare_round(hd_macro *macro, const uint8_t order[16], const uint16_t priority[16])
{
	model m;
	int values[16];
	for (unsigned i = 0; i < 16; i++) {
		macro->order[i] = macro->next[i] = order[i];
		m.order[i] = order[i];
		macro->base[i] = priority[i];
		values[i] = priority[i];
	}
	macro->settled = macro->moved = false;
	macro->changed = true;
	for (uint64_t cycle = 0; cycle < 4; cycle++) {
		hd_macro_advance(macro, cycle, cycle);
		model_step(&m, values, cycle);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(macro->order[i], m.order[i]);
	}
}

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t c = *a;
	*a = *b;
	*b = c;
}

static void shuffle(uint8_t order[16], uint64_t *seed)
{
	for (unsigned i = 15; i > 0; i--)
		swap(&order[i], &order[hd_random(seed) % (i + 1)]);
}

/* Heap's algorithm: every order of the first n. */
static void every_order(hd_macro *macro, uint8_t order[16], const uint16_t priority[16], unsigned n)
{
	if (n == 1) {
		compare_round(macro, order, priority);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		every_order(macro, order, priority, n - 1);
		swap(&order[n % 2 ? 0 : i], &order[n - 1]);
	}
}

/* PD-12, priorities from the program, 6 and 10 bits: given a permutation of priorities, all four cycles are those of the network from every starting
 * order. A comparator network does to any order what it does to the orders of two values (its 0-1 principle), so all 65536 of them stand for all 16!
 * orders; besides, every order of eight warps, with the other eight in place, and random orders of random permutations. */
TEST(every_starting_order)
{
	for (unsigned bits = 6; bits <= 10; bits += 4) {
		hd_macro macro;
		uint8_t order[16];
		uint16_t priority[16];
		uint64_t seed = bits;
		hd_macro_init(&macro, bits, true);
		for (unsigned i = 0; i < 16; i++) {
			hd_macro_warp(&macro, i, i + 1, 0);
			order[i] = (uint8_t)i;
		}
		for (unsigned two = 0; two < 1u << 16; two++) {
			for (unsigned i = 0; i < 16; i++)
				priority[i] = (uint16_t)(1 + (two >> i & 1));
			compare_round(&macro, order, priority);
		}
		for (unsigned i = 0; i < 16; i++)
			priority[i] = (uint16_t)(((1u << bits) - 1) - 3 * (i * 7 % 16));
		every_order(&macro, order, priority, 8);
		for (unsigned n = 0; n < 20000; n++) {
			uint8_t permutation[16];
			for (unsigned i = 0; i < 16; i++)
				permutation[i] = (uint8_t)i;
			shuffle(permutation, &seed);
			shuffle(order, &seed);
			for (unsigned i = 0; i < 16; i++)
				priority[i] = (uint16_t)(1 + permutation[i] * ((1u << bits) / 16 - 1));
			compare_round(&macro, order, priority);
		}
	}
}

/* PD-9, PD-12: what a boost and a lower make of a priority, at the ends of the range, and when they end. */
TEST(boosts_and_lowers)
{
	static const struct {
		unsigned bits;
		int64_t base;
		uint16_t neutral, boosted, lowered;
	} rows[] = {
	    {6, 0, 32, 48, 16},     {6, 60, 60, 63, 44},         {6, 5, 5, 21, 1}, {6, 1000, 63, 63, 47}, {6, -9, 1, 17, 1},
	    {10, 0, 512, 768, 256}, {10, 1023, 1023, 1023, 767},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_macro macro;
		hd_macro_init(&macro, rows[i].bits, true);
		hd_macro_warp(&macro, 3, 1, rows[i].base);
		assert_int_equal(hd_macro_priority(&macro, 3), rows[i].neutral);
		hd_macro_adjust(&macro, 3, 1, 100, 5);
		assert_int_equal(hd_macro_priority(&macro, 3), rows[i].boosted);
		hd_macro_adjust(&macro, 3, -1, 100, 5);
		hd_macro_advance(&macro, 100, 104);
		assert_int_equal(hd_macro_priority(&macro, 3), rows[i].lowered);
		hd_macro_advance(&macro, 105, 105);
		assert_int_equal(hd_macro_priority(&macro, 3), rows[i].neutral);
		hd_macro_warp(&macro, 3, 0, 0);
		assert_int_equal(hd_macro_priority(&macro, 3), 0);
	}
	/* By age there is room for both. */
	hd_macro macro;
	hd_macro_init(&macro, 6, false);
	for (unsigned i = 0; i < 16; i++)
		hd_macro_warp(&macro, i, i + 1, 9);
	assert_int_equal(hd_macro_priority(&macro, 0), 47);
	hd_macro_adjust(&macro, 15, 1, 0, 9);
	assert_int_equal(hd_macro_priority(&macro, 15), 48); /* the youngest, before the oldest */
	hd_macro_adjust(&macro, 0, -1, 0, 9);
	assert_int_equal(hd_macro_priority(&macro, 0), 31);
}

/* Advancing many cycles at once is the same as one by one, with priorities that return to neutral in between. */
TEST(skipping_is_the_same)
{
	hd_macro slow, fast;
	uint64_t seed = 5, cycle = 0;
	hd_macro_init(&slow, 10, true);
	for (unsigned i = 0; i < 16; i++)
		hd_macro_warp(&slow, i, i + 1, 1 + (int64_t)(hd_random(&seed) % 1023));
	fast = slow;
	for (unsigned n = 0; n < 3000; n++) {
		uint64_t to = cycle + hd_random(&seed) % 40;
		unsigned slot = (unsigned)(hd_random(&seed) % 16);
		int sign = hd_random(&seed) % 2 ? 1 : -1;
		unsigned cycles = 1 + (unsigned)(hd_random(&seed) % 15);
		hd_macro_adjust(&slow, slot, sign, cycle, cycles);
		hd_macro_adjust(&fast, slot, sign, cycle, cycles);
		for (uint64_t one = cycle; one <= to; one++)
			hd_macro_run(&slow, one, one);
		hd_macro_advance(&fast, cycle, to);
		assert_memory_equal(slow.order, fast.order, sizeof slow.order);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(hd_macro_priority(&slow, i), hd_macro_priority(&fast, i));
		cycle = to + 1;
	}
}

/* PD-31: sixteenths of the range, at least 1. By age they change nothing. A boost goes on top (PD-9). */
TEST(an_instruction_sets_the_priority)
{
	static const struct {
		unsigned bits, level, expected;
	} rows[] = {{6, 0, 1}, {6, 1, 4}, {6, 8, 32}, {6, 15, 60}, {10, 0, 1}, {10, 12, 768}, {10, 15, 960}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_macro macro;
		hd_macro_init(&macro, rows[i].bits, true);
		hd_macro_warp(&macro, 3, 1, 20);
		hd_macro_warp(&macro, 5, 2, 20);
		hd_macro_set_priority(&macro, 3, rows[i].level);
		assert_int_equal(hd_macro_priority(&macro, 3), rows[i].expected);
		assert_int_equal(hd_macro_priority(&macro, 5), 20);
	}
	hd_macro macro;
	hd_macro_init(&macro, 6, true);
	hd_macro_warp(&macro, 3, 1, 20);
	hd_macro_adjust(&macro, 3, 1, 0, 4);
	hd_macro_set_priority(&macro, 3, 4);
	assert_int_equal(hd_macro_priority(&macro, 3), 16 + 16);
	hd_macro_init(&macro, 6, false);
	hd_macro_warp(&macro, 3, 1, 0);
	hd_macro_set_priority(&macro, 3, 1);
	assert_int_equal(hd_macro_priority(&macro, 3), 47);
}

/* PD-31: the network takes the new priority up, although it was at rest. */
TEST(the_order_follows_a_set_priority)
{
	hd_macro macro;
	hd_macro_init(&macro, 6, true);
	for (unsigned slot = 0; slot < 4; slot++)
		hd_macro_warp(&macro, slot, slot + 1, 20);
	hd_macro_advance(&macro, 0, 99);
	assert_true(macro.settled);
	hd_macro_set_priority(&macro, 2, 15);
	hd_macro_advance(&macro, 100, 199);
	assert_int_equal(macro.order[0], 2);
	hd_macro_set_priority(&macro, 2, 0);
	hd_macro_advance(&macro, 200, 299);
	assert_int_equal(macro.order[3], 2);
}

/* PD-35. Sixteen warps, the oldest in the last slot, so that every step of the first round exchanges. */
static void reversed(hd_macro *macro, unsigned period, unsigned sorted)
{
	hd_macro_init(macro, 6, false);
	hd_macro_resize(macro, period, sorted, false);
	for (unsigned i = 0; i < 16; i++)
		hd_macro_warp(macro, i, 16 - i, 0);
}

/* PD-35: a round of any length does the four steps, in their order. The next round begins `period` cycles later. */
TEST(a_round_takes_its_period)
{
	static const uint8_t steps[][4] = {{4}, {2, 4}, {1, 2, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}; /* steps that are done, by cycle */
	static const unsigned periods[] = {1, 2, 3, 4, 5, 64};
	for (unsigned p = 0; p < HD_COUNT(periods); p++) {
		hd_macro macro, single;
		reversed(&macro, periods[p], 16);
		reversed(&single, 4, 16);
		for (unsigned round = 0, done = 0; round < 20; round++) {
			for (unsigned cycle = 0; cycle < periods[p]; cycle++) {
				uint64_t now = (uint64_t)round * periods[p] + cycle;
				for (unsigned due = round * 4 + steps[p][cycle < 4 ? cycle : 3]; done < due; done++)
					hd_macro_step(&single, done % 4);
				hd_macro_advance(&macro, now, now);
				assert_memory_equal(macro.order, single.order, sizeof macro.order);
			}
		}
		assert_true(macro.settled);
		assert_int_equal(macro.order[0], 15);
	}
}

/* PD-12: with predecode.sort_whole the order is that of the last whole round, whatever the steps of this one have done. */
TEST(an_order_serves_after_its_round)
{
	for (unsigned period = 1; period < 7; period++) {
		hd_macro whole, steps;
		uint8_t last[16];
		reversed(&whole, period, 16);
		reversed(&steps, period, 16);
		hd_macro_resize(&whole, period, 16, true);
		memcpy(last, steps.order, sizeof last);
		unsigned differ = 0;
		for (uint64_t cycle = 0; cycle < 20 * period; cycle++) {
			hd_macro_advance(&whole, cycle, cycle);
			hd_macro_advance(&steps, cycle, cycle);
			if (cycle % period == (period < 4 ? period : 4) - 1)
				memcpy(last, steps.order, sizeof last);
			differ += memcmp(whole.order, steps.order, sizeof last) != 0;
			assert_memory_equal(whole.order, last, sizeof last);
		}
		assert_int_equal(differ != 0, period > 1);
		assert_int_equal(whole.order[0], 15);
	}
}

/* PD-35: the network orders the slots that it has positions for, an odd number too. The others follow in the order of their numbers. */
TEST(slots_beyond_the_network_stay)
{
	for (unsigned sorted = 2; sorted <= 16; sorted++) {
		hd_macro macro;
		reversed(&macro, 4, sorted);
		hd_macro_advance(&macro, 0, 200);
		assert_true(macro.settled);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(macro.order[i], i < sorted ? sorted - 1 - i : i);
	}
}

/* PD-12: the priority by age counts the older warps that are there, whichever begin and end. */
TEST(the_age_counts_those_that_are_there)
{
	hd_macro macro;
	uint64_t seed = 7, number = 0, born[16] = {0};
	hd_macro_init(&macro, 6, false);
	for (unsigned trial = 0; trial < 500; trial++) {
		unsigned slot = (unsigned)(hd_random(&seed) % 16);
		born[slot] = hd_random(&seed) % 3 ? ++number : 0; /* another one, or nobody */
		hd_macro_warp(&macro, slot, born[slot], 0);
		for (unsigned i = 0; i < 16; i++) {
			unsigned older = 0;
			for (unsigned other = 0; other < 16; other++)
				older += born[other] && born[other] < born[i];
			assert_int_equal(hd_macro_priority(&macro, i), born[i] ? 47 - older : 0);
		}
	}
}
