/* Macro scheduler: PD-12, against the network written down pair by pair. */
#include "core/macro_scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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
static void equals_the_network_cycle_by_cycle(void **state)
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
static void a_round_is_partial_and_rounds_converge(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equals_the_network_cycle_by_cycle),
	    cmocka_unit_test(a_round_is_partial_and_rounds_converge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
