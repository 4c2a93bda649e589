/* Sets of positions, compared with an array of flags. */
#include "../test.h"

#include "passes/allocate/position_map.h"

enum { POSITIONS = 20000, ROUNDS = 3000 };

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

TEST(as_flags)
{
	static bool flags[POSITIONS];
	hd_position_map map = hd_position_map_new(POSITIONS);
	uint32_t seed = 7, answers[2] = {0};
	for (unsigned round = 0; round < ROUNDS; round++) {
		/* Mostly short ranges, so that some long ones are free. */
		uint32_t length = next_random(&seed) % (round % 3 ? 20 : 700), from = next_random(&seed) % (POSITIONS - 700), to = from + length;
		bool is_free = true;
		for (uint32_t i = from; i <= to; i++)
			is_free &= !flags[i];
		assert_int_equal(hd_position_map_is_free(&map, from, to), is_free);
		answers[is_free]++;
		bool add = next_random(&seed) % 5 < 2;
		(add ? hd_position_map_add : hd_position_map_remove)(&map, from, to);
		for (uint32_t i = from; i <= to; i++)
			flags[i] = add;
	}
	assert_true(answers[0] > ROUNDS / 10 && answers[1] > ROUNDS / 10);
	hd_position_map_free(&map);
}

TEST(borders_of_words)
{
	static const uint32_t at[] = {0, 63, 64, 127, 128, 4095, 4096, 8191, 8192};
	for (unsigned k = 0; k < HD_COUNT(at); k++) {
		hd_position_map map = hd_position_map_new(POSITIONS);
		hd_position_map_add(&map, at[k], at[k]);
		for (unsigned i = 0; i < HD_COUNT(at); i++)
			for (unsigned j = i; j < HD_COUNT(at); j++)
				assert_int_equal(hd_position_map_is_free(&map, at[i], at[j]), k < i || k > j);
		hd_position_map_remove(&map, at[k], at[k]);
		assert_true(hd_position_map_is_free(&map, 0, POSITIONS - 1));
		hd_position_map_free(&map);
	}
}
