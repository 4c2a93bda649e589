/* Generic address space (PD-21): windows lead to local and shared memory, exactly up to their borders, for loads, stores and atomics; an address that
 * no window or buffer holds traps, and so does a window's address in an instruction that is for global memory only. Machine and interpreter agree. */
#include "../core/rig.h"
#include "interp/interp.h"

enum { SHARED = 1024, LOCAL = 64, R_AT = 4, R_DATA = 8, R_GOT = 16, R_SWAP = 12 };

typedef struct outcome {
	bool ok;
	hd_trap_kind kind;
	uint64_t address;
	uint32_t bytes, store, got[4];
} outcome;

/* The thread's 64-bit address is in out[2 * tid]; what is loaded goes to out[128 + 4 * tid ...]. */
static rig *window_rig(const hd_inst *body, unsigned n, const uint64_t *address, unsigned threads, unsigned result_words)
{
	rig *r = rig_new(256);
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->kernel.shared_bytes = SHARED;
	r->kernel.local_bytes = LOCAL;
	r->launch.block[0] = threads;
	for (unsigned i = 0; i < threads; i++)
		hd_store_lane(hd_memory_at(r->memory, r->out + 8 * i, 8), HD_SIZE_64,
		              (uint32_t[4]){(uint32_t)address[i], (uint32_t)(address[i] >> 32)});
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, alui(HD_OP_SHL, 1, 0, 3), 0);
	rig_put(r, alu(HD_OP_IADD, 20, 2, 1, HD_RZ), 0);
	rig_put(r, alu(HD_OP_MOV, 21, 3, HD_RZ, HD_RZ), 0);
	hd_inst fetch = load(HD_OP_LDG, R_AT, 20, 0);
	fetch.sub = HD_SIZE_64;
	rig_put(r, fetch, 0);
	for (unsigned i = 0; i < 4; i++) {
		rig_put(r, alui(HD_OP_IADD, R_DATA + i, 0, 1000 + 100 * (int32_t)i), 0);
		rig_put(r, movi(R_SWAP + i, 7), 0);
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t at = rig_put(r, body[i], 0);
		if (r->slots[at].words[1] && hd_ops[body[i].op].format == HD_F_ST) /* the rig knows no sizes of data */
			r->slots[at].words[1] = (uint8_t)((hd_size_bytes(body[i].sub) + 3) / 4);
	}
	rig_put(r, alui(HD_OP_SHL, 1, 0, 4), 0);
	rig_put(r, alu(HD_OP_IADD, 20, 2, 1, HD_RZ), 0);
	for (unsigned i = 0; i < result_words; i++)
		rig_put(r, store(HD_OP_STG, 20, (int32_t)(512 + 4 * i), R_GOT + i), 0);
	rig_exit(r);
	return r;
}

/* On the machine or in the interpreter. */
static outcome run(const hd_inst *body, unsigned n, const uint64_t *address, unsigned threads, unsigned words, bool functional)
{
	rig *r = window_rig(body, n, address, threads, words);
	outcome o = {.ok = rig_run(r)};
	if (functional) {
		hd_trap_free(&r->trap);
		for (unsigned i = 0; i < threads; i++)
			memset(hd_memory_at(r->memory, r->out + 512 + 16 * i, 16), 0, 16);
		o.ok = hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 16}, &r->stats, &r->trap);
	}
	o.kind = r->trap.kind;
	o.address = r->trap.address;
	o.bytes = r->trap.bytes;
	o.store = r->trap.store;
	for (unsigned i = 0; i < 4; i++)
		o.got[i] = rig_out(r, 128 + i);
	rig_free(r);
	return o;
}

static outcome both(const hd_inst *body, unsigned n, uint64_t address, unsigned words)
{
	outcome machine = run(body, n, &address, 1, words, false), oracle = run(body, n, &address, 1, words, true);
	assert_int_equal(machine.ok, oracle.ok);
	assert_int_equal(machine.kind, oracle.kind);
	assert_memory_equal(machine.got, oracle.got, sizeof machine.got);
	if (!machine.ok) {
		assert_true(machine.address == oracle.address);
		assert_int_equal(machine.bytes, oracle.bytes);
		assert_int_equal(machine.store, oracle.store);
	}
	return machine;
}

static hd_inst sized(hd_inst i, unsigned size)
{
	i.sub = (uint8_t)size;
	return i;
}
static hd_inst atomic_add(hd_op op)
{
	hd_inst i = alu(op, R_GOT, R_AT, R_DATA, HD_RZ);
	i.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	return i;
}
static hd_inst swap_(hd_op op) { return alu(op, R_GOT, R_AT, R_DATA, R_SWAP); }

/* A generic access of `bytes` at `address`: right, or the trap. */
static void expect(hd_inst access, uint64_t address, unsigned bytes, hd_trap_kind kind)
{
	outcome o = both(&access, 1, address, 0);
	if (o.ok != (kind == HD_TRAP_NONE) || o.kind != kind)
		fail_msg("%s of %u bytes at 0x%llx: trap %d, expected %d", hd_ops[access.op].mnemonic, bytes, (unsigned long long)address, o.kind,
		         kind);
	if (!o.ok) {
		assert_true(o.address == address);
		assert_int_equal(o.bytes, bytes);
		assert_int_equal(o.store, hd_ops[access.op].format != HD_F_LD);
	}
}

static void borders_of(hd_inst access, unsigned bytes, uint64_t window, uint64_t size)
{
	expect(access, window, bytes, HD_TRAP_NONE);
	expect(access, window + size - bytes, bytes, HD_TRAP_NONE);
	expect(access, window + size, bytes, HD_TRAP_ADDRESS);
	expect(access, window - bytes, bytes, HD_TRAP_ADDRESS);                   /* below the window it is global */
	expect(access, window + HD_WINDOW_BYTES - bytes, bytes, HD_TRAP_ADDRESS); /* inside the window, beyond the memory */
	expect(access, window + HD_WINDOW_BYTES, bytes, HD_TRAP_ADDRESS);         /* behind it: global again */
	if (bytes > 1) {
		expect(access, window + 1, bytes, HD_TRAP_ALIGNMENT);
		expect(access, window + size - bytes / 2, bytes, HD_TRAP_ALIGNMENT); /* would cross the end, too */
	}
}

TEST(loads_and_stores_reach_exactly_to_the_borders)
{
	static const unsigned sizes[] = {HD_SIZE_U8, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128};
	for (unsigned i = 0; i < HD_COUNT(sizes); i++) {
		unsigned bytes = hd_size_bytes(sizes[i]);
		borders_of(sized(load(HD_OP_LD, R_GOT, R_AT, 0), sizes[i]), bytes, HD_WINDOW_SHARED, SHARED);
		borders_of(sized(load(HD_OP_LD, R_GOT, R_AT, 0), sizes[i]), bytes, HD_WINDOW_LOCAL, LOCAL);
		borders_of(sized(store(HD_OP_ST, R_AT, 0, R_DATA), sizes[i]), bytes, HD_WINDOW_SHARED, SHARED);
		borders_of(sized(store(HD_OP_ST, R_AT, 0, R_DATA), sizes[i]), bytes, HD_WINDOW_LOCAL, LOCAL);
	}
}

TEST(atomics_reach_exactly_to_the_borders)
{
	borders_of(atomic_add(HD_OP_ATOM), 4, HD_WINDOW_SHARED, SHARED);
	borders_of(atomic_add(HD_OP_ATOM), 4, HD_WINDOW_LOCAL, LOCAL);
	borders_of(swap_(HD_OP_CAS), 4, HD_WINDOW_SHARED, SHARED);
	borders_of(swap_(HD_OP_CAS), 4, HD_WINDOW_LOCAL, LOCAL);
}

/* The offset of the instruction counts: it can lead out of a window, and into one. */
TEST(offsets_count_before_the_window_is_chosen)
{
	hd_inst over = load(HD_OP_LD, R_GOT, R_AT, 4), under = load(HD_OP_LD, R_GOT, R_AT, -4);
	outcome o = both(&over, 1, HD_WINDOW_SHARED + SHARED - 4, 0);
	assert_int_equal(o.kind, HD_TRAP_ADDRESS);
	assert_true(both(&over, 1, HD_WINDOW_SHARED - 4, 0).ok);
	assert_true(both(&under, 1, HD_WINDOW_LOCAL + LOCAL, 0).ok);
	assert_int_equal(both(&under, 1, HD_WINDOW_LOCAL, 0).kind, HD_TRAP_ADDRESS);
}

TEST(instructions_for_global_memory_have_no_windows)
{
	expect(load(HD_OP_LDG, R_GOT, R_AT, 0), HD_WINDOW_SHARED, 4, HD_TRAP_ADDRESS);
	expect(load(HD_OP_LDK, R_GOT, R_AT, 0), HD_WINDOW_SHARED, 4, HD_TRAP_ADDRESS);
	expect(store(HD_OP_STG, R_AT, 0, R_DATA), HD_WINDOW_LOCAL, 4, HD_TRAP_ADDRESS);
	expect(atomic_add(HD_OP_ATOMG), HD_WINDOW_SHARED, 4, HD_TRAP_ADDRESS);
	expect(swap_(HD_OP_CASG), HD_WINDOW_LOCAL, 4, HD_TRAP_ADDRESS);
	expect(load(HD_OP_LD, R_GOT, R_AT, 0), 0, 4, HD_TRAP_ADDRESS);
	expect(load(HD_OP_LD, R_GOT, R_AT, 0), UINT64_MAX - 3, 4, HD_TRAP_ADDRESS);
}

/* The space's own instructions see what a window writes, and the other way round. */
TEST(windows_and_spaces_are_the_same_memory)
{
	hd_inst shared[] = {
	    store(HD_OP_ST, R_AT, 8, R_DATA),   movi(24, 40),           load(HD_OP_LDS, R_GOT, 24, 0),     store(HD_OP_STS, 24, 0, R_SWAP),
	    load(HD_OP_LD, R_GOT + 1, R_AT, 8), atomic_add(HD_OP_ATOM), load(HD_OP_LDS, R_GOT + 2, 24, -8)};
	outcome o = both(shared, HD_COUNT(shared), HD_WINDOW_SHARED + 32, 3);
	assert_true(o.ok);
	assert_int_equal(o.got[0], 0); /* the atomic's old value came last into this register */
	assert_int_equal(o.got[1], 7);
	assert_int_equal(o.got[2], 1000);
	hd_inst local[] = {store(HD_OP_ST, R_AT, 0, R_DATA), movi(24, 60), load(HD_OP_LDL, R_GOT, 24, 0), store(HD_OP_STL, 24, -4, R_SWAP),
	                   load(HD_OP_LD, R_GOT + 1, R_AT, -4)};
	o = both(local, HD_COUNT(local), HD_WINDOW_LOCAL + 60, 2);
	assert_true(o.ok);
	assert_int_equal(o.got[0], 1000);
	assert_int_equal(o.got[1], 7);
}

/* Lanes of one instruction go to global, shared and local memory; local memory is each thread's own. */
TEST(lanes_may_go_to_different_windows)
{
	uint64_t address[32];
	hd_inst body[] = {store(HD_OP_ST, R_AT, 0, R_DATA), load(HD_OP_LD, R_GOT, R_AT, 0), atomic_add(HD_OP_ATOM),
	                  load(HD_OP_LD, R_GOT + 1, R_AT, 0)};
	uint32_t got[2][32][2];
	for (unsigned functional = 0; functional < 2; functional++) {
		rig *probe = rig_new(256);
		for (unsigned i = 0; i < 32; i++)
			address[i] = i % 3 == 0 ? probe->out + 256 + 4 * i : i % 3 == 1 ? HD_WINDOW_SHARED + 4 * i : HD_WINDOW_LOCAL + 16;
		rig_free(probe); /* addresses depend on the order of allocations only */
		rig *r = window_rig(body, HD_COUNT(body), address, 32, 2);
		assert_true(rig_run(r));
		if (functional) {
			memset(hd_memory_at(r->memory, r->out + 256, 768), 0, 768);
			assert_true(hd_interp_run(&r->launch, r->memory, &(hd_interp_options){.call_depth = 16}, &r->stats, &r->trap));
		}
		for (unsigned i = 0; i < 32; i++)
			for (unsigned k = 0; k < 2; k++)
				got[functional][i][k] = rig_out(r, 128 + 4 * i + k);
		rig_free(r);
	}
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(got[0][i][0], 1000 + i);
		assert_int_equal(got[0][i][1], 2 * (1000 + i));
	}
	assert_memory_equal(got[0], got[1], sizeof got[0]);
}
