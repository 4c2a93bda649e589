/* Vector code over the addresses of all lanes: each path of the host against plain loops. */
#include "../test.h"

#include "memory/coalesce.h"
#include "semantics/semantics.h"

enum { ROUNDS = 2000, BYTES = 4096 };

static const hd_lanes *const *paths(unsigned *n)
{
#ifdef HD_HOST_PATHS
	static const hd_lanes *const all[] = {&hd_lanes_generic, &hd_lanes_v3, &hd_lanes_v4};
	const hd_lanes *best = hd_lanes_of_host();
	for (*n = 1; all[*n - 1] != best; ++*n)
		assert_true(*n < HD_COUNT(all));
#else
	static const hd_lanes *const all[] = {&hd_lanes_generic};
	*n = 1;
#endif
	return all;
}

/* Rows, one address, few words, and anything: what programs do. All are below BYTES - 16 and aligned to 4. */
static void make(uint64_t address[HD_LANES], uint64_t *random)
{
	uint64_t first = hd_random(random) % 256 * 4, step = hd_random(random) % 6 * 4, kind = hd_random(random) % 4;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = kind == 0 ? hd_random(random) % (BYTES / 4 - 4) * 4 : kind == 1 ? hd_random(random) % 3 * 128 : first + lane * step;
	if (kind == 2) /* a row with one lane that leaves it */
		address[hd_random(random) % HD_LANES] = hd_random(random) % (BYTES / 4 - 4) * 4;
}

TEST(addresses_are_computed)
{
	unsigned n;
	const hd_lanes *const *path = paths(&n);
	uint64_t random = 1, to[HD_LANES];
	for (unsigned round = 0; round < ROUNDS; round++) {
		hd_vec32 from[2];
		uint64_t offset = hd_random(&random);
		uint32_t mask = (uint32_t)hd_random(&random) | 1u << round % HD_LANES;
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			from[0].v[lane] = (uint32_t)hd_random(&random);
			from[1].v[lane] = (uint32_t)hd_random(&random);
		}
		for (unsigned i = 0; i < n; i++) {
			path[i]->narrow(to, from, (uint32_t)offset);
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				assert_int_equal(to[lane], (uint32_t)(from->v[lane] + (uint32_t)offset));
			path[i]->wide(to, from, offset);
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				assert_int_equal(to[lane], (from[0].v[lane] | (uint64_t)from[1].v[lane] << 32) + offset);
			path[i]->repeat(to, mask);
			for (unsigned lane = 0; lane < HD_LANES; lane++) {
				unsigned of = mask >> lane & 1 ? lane : hd_lowest_bit(mask);
				assert_int_equal(to[lane], (from[0].v[of] | (uint64_t)from[1].v[of] << 32) + offset);
			}
		}
	}
}

TEST(spans_and_places_are_found)
{
	static uint8_t base[2 * BYTES];
	unsigned n;
	const hd_lanes *const *path = paths(&n);
	uint64_t random = 2, address[HD_LANES];
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t least = UINT64_MAX, most = 0, bits = 0, first = round % 3;
		uint32_t mask = round % 2 ? ~0u : (uint32_t)hd_random(&random);
		size_t apart = round % 5 ? 0 : 64;
		make(address, &random);
		address[round % HD_LANES] |= round % 7 ? 0 : UINT64_C(1) << 63; /* no signed comparison finds the most */
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			least = hd_min_u64(least, address[lane]);
			most = hd_max_u64(most, address[lane]);
			bits |= address[lane];
		}
		for (unsigned i = 0; i < n; i++) {
			hd_span span = path[i]->span(address);
			assert_int_equal(span.least, least);
			assert_int_equal(span.most, most);
			assert_int_equal(span.bits, bits);
			uint8_t *at[HD_LANES] = {0};
			address[round % HD_LANES] &= ~(UINT64_C(1) << 63);
			path[i]->places(at, address, mask, base + first, first, apart);
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				assert_ptr_equal(at[lane], mask >> lane & 1 ? base + address[lane] + lane * apart : NULL);
			address[round % HD_LANES] |= round % 7 ? 0 : UINT64_C(1) << 63;
		}
	}
}

TEST(words_are_moved)
{
	static uint8_t bytes[BYTES];
	unsigned n;
	const hd_lanes *const *path = paths(&n);
	uint64_t random = 3, address[HD_LANES];
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint8_t *at[HD_LANES];
		make(address, &random);
		for (unsigned i = 0; i < n; i++) {
			hd_vec32 value, read;
			for (unsigned lane = 0; lane < HD_LANES; lane++) {
				at[lane] = bytes + address[lane];
				value.v[lane] = (uint32_t)hd_random(&random);
			}
			path[i]->store(&value, at);
			path[i]->load(&read, at);
			for (unsigned lane = 0; lane < HD_LANES; lane++) {
				uint32_t last = 0;
				for (unsigned other = 0; other < HD_LANES; other++) /* of the lanes of a place the last one wins */
					last = address[other] == address[lane] ? value.v[other] : last;
				assert_int_equal(read.v[lane], last);
				assert_memory_equal(
				    at[lane], ((uint8_t[]){(uint8_t)last, (uint8_t)(last >> 8), (uint8_t)(last >> 16), (uint8_t)(last >> 24)}), 4);
			}
		}
	}
}

/* The sectors of the lanes of a mask, lane by lane. */
static void coalesce_slowly(const uint64_t address[HD_LANES], uint32_t mask, hd_sectors *out)
{
	*out = (hd_sectors){0};
	for (; mask; mask &= mask - 1) {
		unsigned lane = hd_lowest_bit(mask), i = 0;
		bool same_line = false;
		while (i < out->n && out->at[i] != address[lane] / 32 * 32)
			same_line |= out->at[i++] / 128 == address[lane] / 128;
		out->lanes[i] |= 1u << lane;
		if (i < out->n)
			continue;
		out->at[out->n++] = address[lane] / 32 * 32;
		out->lines += !same_line;
	}
}

static void same(const hd_sectors *a, const hd_sectors *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->lines, b->lines);
	assert_memory_equal(a->at, b->at, a->n * sizeof a->at[0]);
	assert_memory_equal(a->lanes, b->lanes, a->n * sizeof a->lanes[0]);
}

TEST(sectors_are_those_of_the_lanes)
{
	unsigned n;
	const hd_lanes *const *path = paths(&n);
	uint64_t random = 4, address[HD_LANES];
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t mask = round % 2 ? ~0u : (uint32_t)hd_random(&random) | (uint32_t)hd_random(&random);
		hd_sectors slow, fast, rest;
		make(address, &random);
		coalesce_slowly(address, mask, &slow);
		for (unsigned i = 0; i < n; i++) {
			hd_coalesce(path[i], address, mask, &fast);
			same(&fast, &slow);
		}
		/* A replay: some sectors are served already. */
		for (unsigned i = 0; i < slow.n; i++)
			mask &= hd_random(&random) % 2 ? ~0u : ~slow.lanes[i];
		hd_sectors_within(&fast, mask, &rest);
		coalesce_slowly(address, mask, &slow);
		same(&rest, &slow);
	}
}

TEST(conflicts_are_those_of_the_passes)
{
	unsigned n;
	const hd_lanes *const *path = paths(&n);
	uint64_t random = 5, address[HD_LANES];
	hd_bank_shape shapes[HD_LANES + 1][HD_BANK_SHAPES] = {0}; /* by banks, of all paths */
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t low[HD_LANES];
		make(address, &random);
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			low[lane] = (uint32_t)address[lane];
		for (unsigned banks = 1; banks <= HD_LANES; banks *= 2) {
			bool free = hd_bank_passes(low, ~0u, 4, banks, false) == 1;
			for (unsigned i = 0; i < n; i++) {
				hd_bank_shape none[HD_BANK_SHAPES] = {0};
				assert_int_equal(path[i]->conflict_free(address, banks, none), free);
				assert_int_equal(path[i]->conflict_free(address, banks, shapes[banks]), free);
			}
		}
	}
}
