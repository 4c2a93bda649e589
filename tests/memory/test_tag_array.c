/* The tag array against a naive model: for each set the list of its tags, the next victim first. */
#include "memory/cache.h"
#include "../test.h"

enum { MOST_SETS = 6, MOST_WAYS = 7, TAGS = 60 };

typedef struct model {
	struct {
		uint64_t tag[MOST_WAYS], entry[MOST_WAYS];
		uint32_t n;
	} set[MOST_SETS];
} model;

static uint64_t *find_in_model(model *m, uint32_t set, uint64_t tag)
{
	for (uint32_t i = 0; i < m->set[set].n; i++)
		if (m->set[set].tag[i] == tag)
			return &m->set[set].entry[i];
	return NULL;
}

static void remove_from_model(model *m, uint32_t set, uint32_t i)
{
	m->set[set].n--;
	memmove(&m->set[set].tag[i], &m->set[set].tag[i + 1], (m->set[set].n - i) * sizeof(uint64_t));
	memmove(&m->set[set].entry[i], &m->set[set].entry[i + 1], (m->set[set].n - i) * sizeof(uint64_t));
}

static void append_to_model(model *m, uint32_t set, uint64_t tag, uint64_t entry)
{
	m->set[set].tag[m->set[set].n] = tag;
	m->set[set].entry[m->set[set].n++] = entry;
}

/* A full set loses its first tag; returns that tag's entry, or 0. */
static uint64_t fill_model(model *m, uint32_t set, uint32_t ways, uint64_t tag, uint64_t entry)
{
	uint64_t old = 0;
	if (m->set[set].n == ways) {
		old = m->set[set].entry[0];
		remove_from_model(m, set, 0);
	}
	append_to_model(m, set, tag, entry);
	return old;
}

static void compare_with_model(uint64_t seed, uint32_t sets, uint32_t ways, const hd_replacement *policy)
{
	hd_tag_array array;
	model m = {0};
	uint64_t *entries = hd_tag_array_init(&array, sets * ways, ways, sizeof *entries, policy, NULL), steps = 3000;
	bool cleared = false; /* the entries of cleared tags are still there */
	for (uint64_t step = 1; step <= steps; step++) {
		uint64_t tag = hd_random(&seed) % TAGS, kind = hd_random(&seed) % 64;
		tag |= tag % 7 == 0 ? UINT64_C(1) << 63 : 0;
		uint32_t set = (uint32_t)(tag % sets), at = hd_tag_array_peek(&array, tag);
		uint64_t *known = find_in_model(&m, set, tag);
		if (kind == 0 && step > steps / 2) {
			hd_tag_array_clear(&array);
			m = (model){0};
			cleared = true;
			continue;
		}
		assert_int_equal(at != HD_ABSENT, known != NULL);
		if (known)
			assert_int_equal(entries[at], *known);
		if (kind < 16)
			continue;
		assert_int_equal(hd_tag_array_find(&array, tag), at);
		if (known && policy->renews) {
			uint64_t entry = *known;
			remove_from_model(&m, set, (uint32_t)(known - m.set[set].entry));
			append_to_model(&m, set, tag, entry);
		}
		if (!known) {
			at = hd_tag_array_victim(&array, tag);
			assert_in_range(at, set * ways, set * ways + ways - 1);
			uint64_t old = fill_model(&m, set, ways, tag, step);
			if (old || !cleared)
				assert_int_equal(entries[at], old);
			hd_tag_array_fill(&array, at, tag);
			entries[at] = step;
		}
	}
	hd_tag_array_free(&array, NULL);
}

TEST(the_array_is_that_of_a_naive_model)
{
	const hd_replacement *lru = &hd_replacements[HD_REPLACE_LRU], fifo = {.victim = lru->victim};
	uint64_t seed = 41;
	for (uint32_t sets = 1; sets <= MOST_SETS; sets++) {
		for (uint32_t ways = 1; ways <= MOST_WAYS; ways++) {
			compare_with_model(hd_random(&seed), sets, ways, lru);
			compare_with_model(hd_random(&seed), sets, ways, &fifo);
		}
	}
}

TEST(a_placed_line_is_empty_and_a_drop_takes_one_sector)
{
	hd_tags tags;
	hd_victim victim;
	hd_tags_init(&tags, HD_CACHE_LINE_BYTES, 1, NULL);
	hd_cache_line *line = hd_tags_place(&tags, 0, &victim);
	line->valid = line->dirty = 15;
	hd_tags_drop(&tags, HD_CACHE_LINE_BYTES); /* absent */
	assert_int_equal(line->valid, 15);
	hd_tags_drop(&tags, HD_SECTOR_BYTES);
	assert_int_equal(line->valid, 13);
	line = hd_tags_place(&tags, HD_CACHE_LINE_BYTES, &victim);
	assert_int_equal(victim.line, 0);
	assert_int_equal(victim.dirty, 15);
	assert_int_equal(line->valid | line->dirty, 0);
	hd_tags_free(&tags, NULL);
}
