/* Memory instructions whose lanes are looked at together (block.c) beside the same instructions lane by lane (access.c), in all code paths: random
 * addresses of many patterns, masks, faults. */
#include "rig.h"

#include "interp/state.h"

enum { BYTES = 512, SHARED = 256, ROUNDS = 4000, IMMEDIATE = -16, PATTERNS = 7 };

typedef bool access_function(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask);

static access_function *const paths[] = {
    hd_oracle_access_block_generic,
#if defined(__x86_64__)
    hd_oracle_access_block_v3,
#endif
};

/* Those that the host can run. */
static size_t n_paths(void) { return strcmp(hd_sem_host_path(), "generic") == 0 ? 1 : HD_COUNT(paths); }

typedef struct bench {
	rig *r;
	hd_oracle *o;
	hd_oracle_warp w;
	uint64_t other; /* a second buffer */
	uint8_t *bytes[2];
	hd_stats stats;
	hd_trap trap;
	uint32_t state;
} bench;

/* What an instruction may change. */
typedef struct memory {
	hd_vec32 registers[8];
	uint8_t bytes[2][BYTES], shared[SHARED];
	hd_stats stats;
} memory;

static uint32_t draw(bench *b, uint32_t n)
{
	b->state = b->state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(b->state >> 4) * n >> 28);
}

static void open_bench(bench *b)
{
	static const hd_op loads[] = {HD_OP_LDG, HD_OP_LDS}, stores[] = {HD_OP_STG, HD_OP_STS};
	memset(b, 0, sizeof *b);
	b->state = 7;
	b->r = rig_new();
	emit(&b->r->b, I(.op = HD_OP_EXIT));
	for (unsigned i = 0; i < 2; i++) {
		emit(&b->r->b, I(.op = loads[i], .d = 4, .a = 2, .imm = IMMEDIATE, .sub = HD_SIZE_32));
		emit(&b->r->b, I(.op = stores[i], .a = 2, .b = 6, .imm = IMMEDIATE, .sub = HD_SIZE_32));
	}
	assert_true(rig_run(b->r));
	b->r->out = hd_memory_alloc(b->r->memory, BYTES, "first");
	b->other = hd_memory_alloc(b->r->memory, BYTES, "second");
	b->bytes[0] = hd_memory_at(b->r->memory, b->r->out, BYTES);
	b->bytes[1] = hd_memory_at(b->r->memory, b->other, BYTES);
	b->o = hd_interp_new(b->r->program);
	b->o->launch = &b->r->launch;
	b->o->memory = b->r->memory;
	b->o->stats = &b->stats;
	b->o->trap = &b->trap;
	b->o->shared = hd_xmalloc(SHARED);
	b->o->shared_bytes = SHARED;
	b->w.registers = hd_xaligned(8 * sizeof(hd_vec32));
}

static void close_bench(bench *b)
{
	free(b->w.registers);
	hd_interp_free(b->o);
	rig_free(b->r);
}

static void put(bench *b, const memory *m)
{
	memcpy(b->w.registers, m->registers, sizeof m->registers);
	memcpy(b->bytes[0], m->bytes[0], BYTES);
	memcpy(b->bytes[1], m->bytes[1], BYTES);
	memcpy(b->o->shared, m->shared, SHARED);
	b->stats = m->stats;
}

static void get(const bench *b, memory *m)
{
	memset(m, 0, sizeof *m);
	memcpy(m->registers, b->w.registers, sizeof m->registers);
	memcpy(m->bytes[0], b->bytes[0], BYTES);
	memcpy(m->bytes[1], b->bytes[1], BYTES);
	memcpy(m->shared, b->o->shared, SHARED);
	m->stats = b->stats;
}

/* Addresses in `size` bytes at `base` (`other`: a second place of that size), for a displacement of IMMEDIATE. */
static void draw_addresses(bench *b, memory *m, uint64_t base, uint64_t other, uint32_t size)
{
	uint32_t pattern = draw(b, PATTERNS), begin = 4 * draw(b, size / 4), step = 4 * draw(b, 3), strange = draw(b, 8 * HD_LANES);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t address = base + (pattern == 0 ? begin : pattern == 1 ? begin % (size - 4 * HD_LANES) + 4 * lane : 4 * draw(b, size / 4));
		if (pattern == 2)
			address = base + begin + (uint64_t)step * lane; /* beyond the end in part */
		if (pattern == 3 && lane == strange)
			address += 1 + draw(b, 3);
		if (pattern == 4 && lane == strange)
			address = base + size - draw(b, 8);
		if (pattern == 5 && lane == strange)
			address = other + begin;
		if (pattern == 6 && lane == strange)
			address += UINT64_C(1) << (32 + draw(b, 32));
		address -= (uint64_t)IMMEDIATE;
		m->registers[2].v[lane] = (uint32_t)address;
		m->registers[3].v[lane] = (uint32_t)(address >> 32);
	}
}

static void draw_all(bench *b, memory *m)
{
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			m->registers[i].v[lane] = draw(b, 1u << 27) * 31;
	for (unsigned i = 0; i < BYTES; i++) {
		m->bytes[0][i] = (uint8_t)draw(b, 256);
		m->bytes[1][i] = (uint8_t)draw(b, 256);
		m->shared[i % SHARED] = (uint8_t)draw(b, 256);
	}
}

static uint32_t draw_mask(bench *b)
{
	uint32_t mask = draw(b, 2) ? UINT32_MAX : (draw(b, 1u << 16) | draw(b, 1u << 16) << 16);
	return mask & ~(draw(b, 4) ? 0 : UINT32_MAX >> draw(b, 32)) ? mask : 1u << draw(b, 32);
}

static void test_lanes_together_and_one_by_one(void **state)
{
	bench b;
	unsigned together = 0, faults = 0;
	open_bench(&b);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint32_t word = 0; word < b.o->n_ops; word++) {
			const hd_oracle_op *op = &b.o->ops[word];
			if (op->kind != HD_ORACLE_MEMORY)
				continue;
			assert_int_not_equal(op->block, HD_ORACLE_BLOCK_NONE);
			memory before, one, all;
			bool global = op->inst->op == HD_OP_LDG || op->inst->op == HD_OP_STG;
			uint32_t mask = draw_mask(&b);
			draw_all(&b, &before);
			draw_addresses(&b, &before, global ? b.r->out : 0, b.other, global ? BYTES : SHARED);
			put(&b, &before);
			bool ok = hd_oracle_access(b.o, &b.w, op, mask);
			get(&b, &one);
			faults += !ok;
			for (size_t i = 0; i < n_paths(); i++) {
				put(&b, &before);
				bool done = paths[i](b.o, &b.w, op, mask);
				get(&b, &all);
				together += done;
				assert_true(ok || !done);
				assert_memory_equal(&all, done ? &one : &before, sizeof all);
			}
		}
	}
	/* Neither all nor none. */
	assert_in_range(together, ROUNDS * n_paths(), (4 * ROUNDS - faults) * n_paths());
	assert_in_range(faults, ROUNDS / 8, 2 * ROUNDS);
	close_bench(&b);
}

/* Rows, single words and scattered words of whole and partial masks are accessed together. */
static void test_what_lies_in_one_piece_is_accessed_together(void **state)
{
	static const uint32_t masks[] = {UINT32_MAX, 0x7fffffff, 0xfffffffe, 1, 0x80000000, 0x00ff0000};
	bench b;
	memory before;
	open_bench(&b);
	draw_all(&b, &before);
	for (unsigned i = 0; i < 3 * HD_COUNT(masks); i++) {
		uint32_t mask = masks[i / 3];
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			uint64_t address = b.r->out - (uint64_t)IMMEDIATE + (i % 3 == 0 ? 4 * lane : i % 3 == 1 ? BYTES - 4 : lane * 44 % BYTES);
			before.registers[2].v[lane] = mask >> lane & 1 ? (uint32_t)address : 3;
			before.registers[3].v[lane] = mask >> lane & 1 ? (uint32_t)(address >> 32) : 9;
		}
		for (uint32_t word = 0; word < b.o->n_ops; word++) {
			for (size_t k = 0; k < n_paths() && b.o->ops[word].kind == HD_ORACLE_MEMORY; k++) {
				if (b.o->ops[word].inst->op != HD_OP_LDG && b.o->ops[word].inst->op != HD_OP_STG)
					continue;
				put(&b, &before);
				assert_true(paths[k](b.o, &b.w, &b.o->ops[word], mask));
			}
		}
	}
	/* A store while livelock.c watches is noted byte by byte. */
	for (uint32_t word = 0; word < b.o->n_ops; word++) {
		b.o->watching = true;
		if (b.o->ops[word].kind == HD_ORACLE_MEMORY && b.o->ops[word].inst->op == HD_OP_STG)
			assert_false(paths[0](b.o, &b.w, &b.o->ops[word], masks[HD_COUNT(masks) - 1]));
	}
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes_together_and_one_by_one),
	                                   cmocka_unit_test(test_what_lies_in_one_piece_is_accessed_together)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
