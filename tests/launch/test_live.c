/* Live memory: which functions find it, and each access of every size. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "launch/live.h"

#include <pthread.h>
#include "../test.h"
#include <sys/mman.h>

enum { BYTES = 4096 };

TEST(only_one_function_finds_it)
{
	hd_memory *memory = hd_memory_new(1 << 20);
	void *live = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *open = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uintptr_t)live, other = (uintptr_t)open, base, size, plain = hd_memory_alloc(memory, 64, NULL);
	const char *name;
	bool is_live = false;
	assert_true(hd_memory_share_live(memory, live, 1000, "live"));
	assert_true(hd_memory_share(memory, open, 1000, "open"));
	assert_false(hd_memory_share_live(memory, live, 8, "again"));
	assert_null(hd_memory_at(memory, at, 1));
	assert_null(hd_memory_find(memory, at, &base, &size));
	assert_ptr_equal(hd_memory_any_at(memory, at + 999, 1, &is_live), (uint8_t *)live + 999);
	assert_true(is_live);
	assert_null(hd_memory_any_at(memory, at + 999, 2, &is_live));
	assert_null(hd_memory_any_at(memory, at + 1000, 1, &is_live));
	assert_null(hd_memory_any_at(memory, 0, 1, &is_live));
	is_live = false;
	assert_ptr_equal(hd_memory_any_at(memory, other, 1000, &is_live), open);
	assert_non_null(hd_memory_any_at(memory, plain, 64, &is_live));
	assert_false(is_live);
	/* Messages and pages know it. */
	assert_true(hd_memory_describe(memory, at + 5, &name, &base, &size));
	assert_true(base == at && size == 1000);
	assert_string_equal(name, "live");
	hd_memory_set_page(memory, 4096);
	assert_int_equal(hd_memory_fault(memory, at + 2000), HD_TRAP_ADDRESS);
	assert_true(hd_memory_release(memory, at));
	assert_null(hd_memory_any_at(memory, at, 1, &is_live));
	hd_memory_free(memory);
	munmap(live, BYTES);
	munmap(open, BYTES);
}

/* Live accesses do the same as plain ones. */
TEST(every_size_as_in_plain_memory)
{
	static const unsigned sizes[] = {HD_SIZE_U8, HD_SIZE_S8, HD_SIZE_U16, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128};
	_Alignas(16) uint8_t plain[48], live[48];
	const uint32_t data[4] = {0x8899aabb, 0xccddeeff, 0x01234567, 0xfedcba98};
	for (unsigned i = 0; i < HD_COUNT(sizes); i++) {
		uint32_t expected[4] = {1, 2, 3, 4}, found[4] = {1, 2, 3, 4};
		for (unsigned k = 0; k < 48; k++)
			plain[k] = live[k] = (uint8_t)(0x91 + 5 * k);
		hd_access_op load = {.kind = HD_ACCESS_LOAD, .size = sizes[i] & 7}, store = {.kind = HD_ACCESS_STORE, .size = sizes[i] & 7};
		hd_live_access read = {.op = &load}, write = {.op = &store, .data = data};
		hd_load_lane(plain + 16, sizes[i], expected);
		hd_live_perform(&read, live + 16, found);
		assert_memory_equal(expected, found, sizeof found);
		hd_store_lane(plain + 16, sizes[i], data);
		hd_live_perform(&write, live + 16, found);
		assert_memory_equal(plain, live, sizeof live);
	}
}

TEST(atomics_and_swaps)
{
	_Alignas(16) uint8_t bytes[8];
	for (unsigned type = 0; type < HD_ATOM_TYPE_COUNT; type++) {
		bool wide = type == HD_ATOM_U64 || type == HD_ATOM_S64 || type == HD_ATOM_F64;
		for (unsigned op = 0; op < HD_ATOM_OP_COUNT; op++) {
			const uint64_t old = wide ? UINT64_C(0xc00800000000000f) : 0xc0a0000f,
			               operand = wide ? UINT64_C(0x4014000000000007) : 0x40000007;
			hd_access_op what = {.kind = HD_ACCESS_ATOMIC, .size = wide ? HD_SIZE_64 : HD_SIZE_32, .atom = op & 15, .type = type & 7};
			hd_live_access x = {.op = &what, .b = operand};
			uint32_t before[4] = {0}, after[2] = {0};
			uint64_t expected = hd_sem_atomic((hd_atom_op)op, (hd_atom_type)type, true, old, operand);
			memcpy(bytes, &old, 8);
			hd_live_perform(&x, bytes, before);
			memcpy(after, bytes, 8);
			assert_int_equal(before[0], (uint32_t)old);
			assert_int_equal(after[0], (uint32_t)expected);
			assert_int_equal(before[1], wide ? old >> 32 : 0);
			assert_int_equal(after[1], wide ? expected >> 32 : old >> 32);
		}
	}
	static const unsigned sizes[] = {HD_SIZE_U16, HD_SIZE_32, HD_SIZE_64};
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t mask = i == 0 ? 0xffff : i == 1 ? UINT32_MAX : UINT64_MAX, old = UINT64_C(0x1122334455667788);
		for (unsigned same = 0; same < 2; same++) {
			hd_access_op cas = {.kind = HD_ACCESS_CAS, .size = sizes[i] & 7};
			/* The expected value has other bits above 16. */
			hd_live_access x = {.op = &cas, .b = (old & mask) ^ (i ? 0 : 0xabcd0000) ^ (same ? 0 : 1), .c = UINT64_C(0x99) << (8 * i)};
			uint32_t before[4] = {0};
			uint64_t after;
			memcpy(bytes, &old, 8);
			hd_live_perform(&x, bytes, before);
			memcpy(&after, bytes, 8);
			assert_true((before[0] | (uint64_t)before[1] << 32) == (old & mask));
			assert_true(after == (same ? (old & ~mask) | x.c : old));
		}
	}
}

enum { ADDS = 4000000 };

static void *add(void *at)
{
	hd_access_op what = {.kind = HD_ACCESS_ATOMIC, .size = HD_SIZE_64, .atom = HD_ATOM_ADD, .type = HD_ATOM_U64};
	hd_live_access x = {.op = &what, .b = 1};
	for (unsigned i = 0; i < ADDS; i++)
		hd_live_perform(&x, at, (uint32_t[4]){0});
	return NULL;
}

/* Long enough that the host's scheduler interrupts a thread between a load and a store that were not one operation. */
TEST(nothing_is_lost)
{
	_Alignas(8) uint64_t sum = 0;
	pthread_t other;
	assert_int_equal(pthread_create(&other, NULL, add, &sum), 0);
	add(&sum);
	pthread_join(other, NULL);
	assert_int_equal(sum, 2 * ADDS);
}
