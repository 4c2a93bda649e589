/* Device memory: allocation, bounds, and what a trap says about an address (PD-21). */
#include "launch/launch.h"
#include "../test.h"

TEST(allocations_are_zeroed_apart_and_bounded)
{
	hd_memory *memory = hd_memory_new(1 << 20);
	uint64_t a = hd_memory_alloc(memory, 1000, "first"), b = hd_memory_alloc(memory, 4096, NULL), none = hd_memory_alloc(memory, 0, "empty");
	assert_true(a && b && none);
	assert_int_equal(a & 255, 0);
	assert_int_equal(b & 255, 0);
	assert_true(hd_window(a) == HD_SPACE_GLOBAL);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(*(uint8_t *)hd_memory_at(memory, a + i, 1), 0);
	assert_non_null(hd_memory_at(memory, a, 1000));
	assert_non_null(hd_memory_at(memory, a + 999, 1));
	assert_null(hd_memory_at(memory, a, 1001));
	assert_null(hd_memory_at(memory, a + 999, 2));
	assert_null(hd_memory_at(memory, a + 1000, 1));
	assert_null(hd_memory_at(memory, a - 1, 1));
	assert_null(hd_memory_at(memory, b - 1, 1));
	assert_null(hd_memory_at(memory, none, 1));
	assert_null(hd_memory_at(memory, 0, 1));
	assert_null(hd_memory_at(memory, UINT64_MAX, 16));
	assert_null(hd_memory_at(memory, a, UINT64_MAX));
	assert_ptr_equal(hd_memory_at(memory, b + 8, 4), (uint8_t *)hd_memory_at(memory, b, 4096) + 8);
	const char *name;
	uint64_t base, size;
	assert_true(hd_memory_describe(memory, a + 1200, &name, &base, &size));
	assert_string_equal(name, "first");
	assert_int_equal(base, a);
	assert_int_equal(size, 1000);
	assert_false(hd_memory_describe(memory, a - 1, &name, &base, &size));
	assert_true(hd_memory_describe_above(memory, a - 1, &name, &base, &size));
	assert_int_equal(base, a);
	assert_true(hd_memory_describe_above(memory, a, &name, &base, &size));
	assert_int_equal(base, b);
	assert_false(hd_memory_describe_above(memory, UINT64_MAX, &name, &base, &size));
	hd_memory_free(memory);
}

TEST(the_limit_holds_and_release_gives_back)
{
	hd_memory *memory = hd_memory_new(1000);
	assert_int_equal(hd_memory_alloc(memory, UINT64_MAX, NULL), 0);
	uint64_t a = hd_memory_alloc(memory, 600, NULL);
	assert_true(a);
	assert_int_equal(hd_memory_alloc(memory, 401, NULL), 0);
	uint64_t b = hd_memory_alloc(memory, 400, NULL);
	assert_true(b);
	assert_non_null(hd_memory_at(memory, a, 1));
	assert_false(hd_memory_release(memory, a + 4));
	assert_true(hd_memory_release(memory, a));
	assert_false(hd_memory_release(memory, a));
	assert_null(hd_memory_at(memory, a, 1));
	assert_non_null(hd_memory_at(memory, b, 400));
	uint64_t c = hd_memory_alloc(memory, 600, NULL);
	assert_true(c > b);
	hd_memory_free(memory);
}

/* Random accesses agree with a plain search over all allocations. */
TEST(lookups_agree_with_a_plain_search)
{
	enum { N = 40 };
	hd_memory *memory = hd_memory_new(1 << 24);
	uint64_t base[N], size[N], seed = 1;
	for (unsigned i = 0; i < N; i++) {
		size[i] = hd_random(&seed) % 200000;
		base[i] = hd_memory_alloc(memory, size[i], NULL);
		assert_true(base[i]);
	}
	for (unsigned k = 0; k < 200000; k++) {
		unsigned i = hd_random(&seed) % N;
		uint64_t address = base[i] + hd_random(&seed) % (size[i] + 512) - 256, bytes = 1 + hd_random(&seed) % 16;
		const uint8_t *expected = NULL;
		for (unsigned j = 0; j < N; j++)
			if (address >= base[j] && address + bytes <= base[j] + size[j])
				expected = (const uint8_t *)hd_memory_at(memory, base[j], size[j]) + (address - base[j]);
		assert_ptr_equal(hd_memory_at(memory, address, bytes), expected);
	}
	hd_memory_free(memory);
}

/* Memory of the host has one address for both, between allocations of other kinds, and stays when it is released. */
TEST(shared_memory_has_the_hosts_address)
{
	hd_memory *memory = hd_memory_new(1000);
	uint8_t *host = malloc(600), *base;
	uint64_t address = (uintptr_t)host, found, size, first = hd_memory_alloc(memory, 100, "first");
	const char *name;
	assert_false(hd_memory_share(memory, host, 0, NULL));
	assert_false(hd_memory_share(memory, host, 901, NULL)); /* 100 of 1000 bytes are taken */
	assert_false(hd_memory_share(memory, (void *)(uintptr_t)(HD_SHARED_BASE - 16), 32, NULL));
	assert_true(hd_memory_share(memory, host + 100, 200, "shared"));
	assert_true(hd_memory_share(memory, host + 400, 100, NULL));
	/* An overlap with either end, inside, around. */
	assert_false(hd_memory_share(memory, host + 50, 51, NULL));
	assert_false(hd_memory_share(memory, host + 299, 10, NULL));
	assert_false(hd_memory_share(memory, host + 150, 10, NULL));
	assert_false(hd_memory_share(memory, host, 600, NULL));
	assert_true(hd_memory_share(memory, host + 300, 100, NULL));
	uint64_t second = hd_memory_alloc(memory, 300, NULL);
	assert_in_range(second, first + 100, HD_SHARED_BASE);
	assert_int_equal(hd_memory_alloc(memory, 301, NULL), 0); /* 800 of 1000 are taken */
	assert_ptr_equal(hd_memory_at(memory, address + 100, 200), host + 100);
	assert_null(hd_memory_at(memory, address + 99, 1));
	assert_null(hd_memory_at(memory, address + 100, 201));
	assert_ptr_equal(hd_memory_at(memory, address + 399, 1), host + 399);
	assert_non_null(hd_memory_at(memory, second, 300));
	base = hd_memory_find(memory, address + 120, &found, &size);
	assert_true(base == host + 100 && found == address + 100 && size == 200);
	assert_true(hd_memory_describe(memory, address + 110, &name, &found, &size));
	assert_string_equal(name, "shared");
	assert_true(hd_memory_release(memory, address + 100));
	assert_null(hd_memory_at(memory, address + 100, 1));
	host[100] = 1; /* still the owner's */
	assert_true(hd_memory_share(memory, host + 100, 200, NULL));
	hd_memory_free(memory);
	host[100] = 2;
	free(host);
}

TEST(lanes_load_and_store_little_endian)
{
	const uint8_t bytes[16] = {0x81, 0x92, 0xa3, 0xb4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x90};
	uint32_t out[4];
	hd_load_lane(bytes, HD_SIZE_U8, out);
	assert_int_equal(out[0], 0x81);
	hd_load_lane(bytes, HD_SIZE_S8, out);
	assert_int_equal(out[0], 0xffffff81u);
	hd_load_lane(bytes, HD_SIZE_U16, out);
	assert_int_equal(out[0], 0x9281);
	hd_load_lane(bytes, HD_SIZE_S16, out);
	assert_int_equal(out[0], 0xffff9281u);
	hd_load_lane(bytes, HD_SIZE_128, out);
	assert_int_equal(out[0], 0xb4a39281u);
	assert_int_equal(out[3], 0x900f0e0du);
	uint8_t back[16];
	hd_store_lane(back, HD_SIZE_128, out);
	assert_memory_equal(back, bytes, 16);
	memset(back, 0, sizeof back);
	hd_store_lane(back, HD_SIZE_S16, out);
	assert_int_equal(back[1], 0x92);
	assert_int_equal(back[2], 0);
}
