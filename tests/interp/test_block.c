/* Memory instructions whose lanes are looked at together (block.c) beside the same instructions lane by lane (access.c), in all code paths: random
 * addresses of many patterns, masks, faults. */
#include "rig.h"

#include "interp/state.h"

enum { BYTES = 1024, SHARED = 768, LOCAL = 64, BANK = 512, ROUNDS = 1500, IMMEDIATE = -16, PATTERNS = 8, REGISTERS = 12 };

static hd_oracle_block_fn *const paths[] = {
    hd_oracle_access_block_generic,
#ifdef HD_HOST_PATHS
    hd_oracle_access_block_v3,
    hd_oracle_access_block_v4,
#endif
};

/* Those that the host can run. */
static size_t n_paths(void)
{
	const char *host = hd_sem_host_path();
	return strcmp(host, "generic") == 0 ? 1 : strcmp(host, "x86-64-v3") == 0 ? 2 : HD_COUNT(paths);
}

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

/* The state that an instruction may change. */
typedef struct memory {
	hd_vec32 registers[REGISTERS];
	uint8_t bytes[2][BYTES], shared[SHARED], local[HD_LANES * LOCAL];
	hd_stats stats;
} memory;

static uint32_t draw(bench *b, uint32_t n)
{
	b->state = b->state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(b->state >> 4) * n >> 28);
}

static void open_bench(bench *b)
{
	static const hd_op loads[] = {HD_OP_LDG, HD_OP_LDS, HD_OP_LDL, HD_OP_LDK, HD_OP_LDC}, stores[] = {HD_OP_STG, HD_OP_STS, HD_OP_STL};
	memset(b, 0, sizeof *b);
	b->state = 7;
	b->r = rig_new();
	emit(&b->r->b, I(.op = HD_OP_EXIT));
	for (uint8_t size = HD_SIZE_U8; size <= HD_SIZE_128; size++) {
		for (unsigned i = 0; i < HD_COUNT(loads); i++) {
			emit(&b->r->b, I(.op = loads[i], .d = 4, .a = 2, .imm = IMMEDIATE, .sub = size));
			emit(&b->r->b,
			     I(.op = loads[i], .d = size == HD_SIZE_128 ? 0 : 2, .a = 2, .imm = IMMEDIATE, .sub = size)); /* over the address */
		}
		for (unsigned i = 0; i < HD_COUNT(stores) && size != HD_SIZE_S8 && size != HD_SIZE_S16; i++)
			emit(&b->r->b, I(.op = stores[i], .a = 2, .b = 8, .imm = IMMEDIATE, .sub = size));
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
	b->o->bank->bytes = BANK;
	for (unsigned i = 0; i < BANK; i++)
		b->o->bank->raw[i] = (uint8_t)draw(b, 256);
	b->w.registers = hd_xaligned(REGISTERS * sizeof(hd_vec32));
	b->w.local = hd_xmalloc(HD_LANES * LOCAL);
	assert_int_equal(b->r->launch.kernel->local_bytes, LOCAL);
}

static void close_bench(bench *b)
{
	free(b->w.registers);
	free(b->w.local);
	hd_interp_free(b->o);
	rig_free(b->r);
}

static void put(bench *b, const memory *m)
{
	memcpy(b->w.registers, m->registers, sizeof m->registers);
	memcpy(b->bytes[0], m->bytes[0], BYTES);
	memcpy(b->bytes[1], m->bytes[1], BYTES);
	memcpy(b->o->shared, m->shared, SHARED);
	memcpy(b->w.local, m->local, sizeof m->local);
	b->stats = m->stats;
}

static void get(const bench *b, memory *m)
{
	memset(m, 0, sizeof *m);
	memcpy(m->registers, b->w.registers, sizeof m->registers);
	memcpy(m->bytes[0], b->bytes[0], BYTES);
	memcpy(m->bytes[1], b->bytes[1], BYTES);
	memcpy(m->shared, b->o->shared, SHARED);
	memcpy(m->local, b->w.local, sizeof m->local);
	m->stats = b->stats;
}

/* Addresses of values of `n` bytes in `size` bytes at `base` (`other`: a second place of that size), for a displacement of IMMEDIATE. The halves of
 * the warp have different patterns, or one begin. */
static void draw_addresses(bench *b, memory *m, uint64_t base, uint64_t other, uint32_t size, uint32_t n)
{
	uint32_t pattern = 0, begin = 0, step = n * draw(b, 3), strange = draw(b, 8 * HD_LANES), joined = draw(b, 2);
	base += draw(b, 16) == 0; /* rows that are not aligned */
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		if (lane == 0 || (lane == HD_LANES / 2 && !joined)) {
			pattern = draw(b, PATTERNS);
			begin = n * draw(b, size / n);
			if (draw(b, 2) && size > n * HD_LANES)
				begin = size - n * HD_LANES / 2; /* half a warp ends where the memory does */
		}
		uint64_t address = base + (pattern == 0 || pattern == 7 ? begin : pattern == 1 ? begin + n * (lane % 16) : n * draw(b, size / n));
		if (pattern == 2)
			address = base + begin + (uint64_t)step * lane; /* beyond the end in part */
		if (pattern == 3 && lane == strange)
			address += 1 + draw(b, 3);
		if (pattern == 4 && lane == strange)
			address = base + size - draw(b, 8);
		if (pattern == 5 && lane == strange)
			address = other + begin;
		if ((pattern == 6 || (pattern == 1 && strange % 2)) && lane == strange)
			address += UINT64_C(1) << (32 + draw(b, 32));
		if (pattern == 7 && lane == strange)
			address += n;
		address -= (uint64_t)IMMEDIATE;
		m->registers[2].v[lane] = (uint32_t)address;
		m->registers[3].v[lane] = (uint32_t)(address >> 32);
	}
}

static uint32_t access_with(bench *b, size_t path, const hd_oracle_op *op, uint32_t mask)
{
	hd_oracle_list list = {.n = 1, .warp = {&b->w}, .mask = {mask}};
	return paths[path](b->o, op, &list, 0);
}

static void draw_all(bench *b, memory *m)
{
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < REGISTERS; i++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			m->registers[i].v[lane] = draw(b, 1u << 27) * 31;
	for (unsigned i = 0; i < BYTES; i++) {
		m->bytes[0][i] = (uint8_t)draw(b, 256);
		m->bytes[1][i] = (uint8_t)draw(b, 256);
		m->shared[i % SHARED] = (uint8_t)draw(b, 256);
	}
	for (unsigned i = 0; i < sizeof m->local; i++)
		m->local[i] = (uint8_t)draw(b, 256);
}

static uint32_t draw_mask(bench *b)
{
	uint32_t mask = draw(b, 2) ? UINT32_MAX : (draw(b, 1u << 16) | draw(b, 1u << 16) << 16);
	return mask & ~(draw(b, 4) ? 0 : UINT32_MAX >> draw(b, 32)) ? mask : 1u << draw(b, 32);
}

TEST(test_lanes_together_and_one_by_one)
{
	bench b;
	unsigned together = 0, faults = 0, runs = 0;
	open_bench(&b);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint32_t word = 0; word < b.o->n_ops; word++) {
			const hd_oracle_op *op = &b.o->ops[word];
			if (op->kind != HD_ORACLE_MEMORY)
				continue;
			assert_int_not_equal(op->block, HD_ORACLE_BLOCK_NONE);
			memory before, one, all;
			bool global = op->block == HD_ORACLE_BLOCK_GLOBAL || op->block == HD_ORACLE_BLOCK_GLOBAL_CONSTANT;
			uint32_t size = global                                ? BYTES
			                : op->block == HD_ORACLE_BLOCK_SHARED ? SHARED
			                : op->block == HD_ORACLE_BLOCK_LOCAL  ? LOCAL
			                                                      : BANK;
			uint32_t mask = draw_mask(&b);
			draw_all(&b, &before);
			draw_addresses(&b, &before, global ? b.r->out : 0, b.other, size, hd_size_bytes(op->inst->sub));
			put(&b, &before);
			bool ok = hd_oracle_access(b.o, &b.w, op, mask);
			get(&b, &one);
			faults += !ok;
			runs++;
			for (size_t i = 0; i < n_paths(); i++) {
				put(&b, &before);
				bool done = access_with(&b, i, op, mask);
				get(&b, &all);
				together += done;
				assert_true(ok || !done);
				assert_memory_equal(&all, done ? &one : &before, sizeof all);
			}
		}
	}
	/* Neither all nor none. */
	assert_in_range(together, runs / 3 * n_paths(), (runs - faults) * n_paths());
	assert_in_range(faults, runs / 16, runs / 2);
	close_bench(&b);
}

/* Rows, single values and scattered values of whole and partial masks are accessed together. */
TEST(test_what_lies_in_one_piece_is_accessed_together)
{
	static const uint32_t masks[] = {UINT32_MAX, 0x7fffffff, 0xfffffffe, 1, 0x80000000, 0x00ff0000, 0x0000ffff};
	bench b;
	memory before;
	open_bench(&b);
	draw_all(&b, &before);
	for (uint32_t word = 0; word < b.o->n_ops; word++) {
		const hd_oracle_op *op = &b.o->ops[word];
		if (op->kind != HD_ORACLE_MEMORY)
			continue;
		uint32_t n = hd_size_bytes(op->inst->sub);
		bool global = op->block == HD_ORACLE_BLOCK_GLOBAL || op->block == HD_ORACLE_BLOCK_GLOBAL_CONSTANT;
		for (unsigned i = 0; i < 3 * HD_COUNT(masks); i++) {
			uint32_t mask = masks[i / 3], size = op->block == HD_ORACLE_BLOCK_LOCAL ? LOCAL : BANK;
			for (unsigned lane = 0; lane < HD_LANES; lane++) {
				uint64_t base = (global ? b.r->out : 0) - (uint64_t)IMMEDIATE;
				uint64_t address = base + (i % 3 == 0 ? n * lane % size : i % 3 == 1 ? size - n : n * (lane * 11 % (size / n)));
				before.registers[2].v[lane] = mask >> lane & 1 ? (uint32_t)address : 3;
				before.registers[3].v[lane] = mask >> lane & 1 ? (uint32_t)(address >> 32) : 9;
			}
			for (size_t k = 0; k < n_paths(); k++) {
				put(&b, &before);
				assert_int_equal(access_with(&b, k, op, mask), 1);
			}
		}
		/* A store while livelock.c watches is noted byte by byte. */
		put(&b, &before);
		b.o->watching = true;
		assert_int_equal(access_with(&b, 0, op, UINT32_MAX >> 16), hd_ops[op->inst->op].format == HD_F_LD);
		b.o->watching = false;
	}
	close_bench(&b);
}

/* A team of three warps, of which the second has a lane outside: the first one has its result, the second and third have none. */
TEST(test_the_first_warp_that_is_left)
{
	bench b;
	memory before, after;
	open_bench(&b);
	draw_all(&b, &before);
	for (uint32_t word = 0; word < b.o->n_ops; word++) {
		const hd_oracle_op *op = &b.o->ops[word];
		if (op->kind != HD_ORACLE_MEMORY || op->inst->op != HD_OP_LDG || op->inst->d != 4)
			continue;
		for (size_t k = 0; k < n_paths(); k++) {
			hd_oracle_warp warps[3];
			hd_oracle_list list = {.n = 3, .mask = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
			for (unsigned i = 0; i < 3; i++) {
				warps[i] = b.w;
				warps[i].registers = hd_xaligned(REGISTERS * sizeof(hd_vec32));
				list.warp[i] = &warps[i];
				for (unsigned lane = 0; lane < HD_LANES; lane++) {
					uint64_t address = b.r->out - (uint64_t)IMMEDIATE + (i == 1 && lane == 20 ? BYTES : 0);
					warps[i].registers[2].v[lane] = (uint32_t)address;
					warps[i].registers[3].v[lane] = (uint32_t)(address >> 32);
					warps[i].registers[4].v[lane] = 0x12345678;
				}
			}
			put(&b, &before);
			assert_int_equal(paths[k](b.o, op, &list, 0), 1);
			get(&b, &after);
			assert_int_equal(after.stats.memory_global_loads, 1);
			assert_int_equal(paths[k](b.o, op, &list, 2), 3);
			for (unsigned i = 0; i < 3; i++) {
				assert_int_equal(warps[i].registers[4].v[20] == 0x12345678, i == 1);
				free(warps[i].registers);
			}
		}
	}
	close_bench(&b);
}
