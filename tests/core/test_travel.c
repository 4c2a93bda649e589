/* Memory in time (MT-1, MT-2): two CTAs on two cores, annotated by hand. What the program waits for is there; where it forgets an annotation before a
 * fence, another core sees a wrong value. */
#include "rig.h"

#include "launch/watch.h"

enum { PASSED = 64, STEP = 15 };

/* The places of the two words, and where each CTA leaves what it has read. */
typedef struct places {
	int32_t x, y, seen;
} places;

static rig *two_cores(uint32_t words)
{
	rig *r = rig_new(words);
	r->machine.machine_cores = 2;
	r->machine.machine_clusters = 1;
	r->launch.grid[0] = 2;
	return r;
}

/* r2:r3 = out, p0 = this is the first CTA. */
static void begin(rig *r)
{
	rig_put(r, primary(sreg(0, HD_SREG_CTAIDX), 1), delay(15));
	rig_put(r, waits(movc(2, 16), 1), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, setpi(HD_CMP_EQ, 0, 0, 0), delay(15));
	rig_put(r, movi(5, 1), delay(15));
}

static void pass(rig *r, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(STEP));
}

static hd_inst volatile_load(unsigned d, int32_t place)
{
	hd_inst i = load(HD_OP_LDG, d, 2, place);
	i.mod = HD_CACHE_VOLATILE;
	return i;
}

static hd_inst fence(void)
{
	hd_inst i = inst_(HD_OP_MEMBAR);
	i.sub = 1;
	return i;
}

static void run_to_the_end(rig *r)
{
	if (!rig_run(r))
		fail_msg("%s", r->trap.text ? r->trap.text : "trap");
}

/* Each CTA stores to its word, fences, and reads the other's. True when none has seen the other's store. */
static bool none_sees_the_other(places at, bool waits_for_the_store, uint32_t far_latency)
{
	rig *r = two_cores(1024);
	r->machine.memory_far_latency = far_latency;
	begin(r);
	for (unsigned cta = 0; cta < 2; cta++) {
		hd_inst st = store(HD_OP_STG, 2, cta ? at.y : at.x, 5), ld = volatile_load(6, cta ? at.x : at.y);
		rig_put(r, guarded(waits_for_the_store ? primary(st, 1) : st, 0, cta), 0);
		rig_put(r, guarded(waits_for_the_store ? waits(fence(), 1) : fence(), 0, cta), 0);
		rig_put(r, guarded(primary(ld, 2), 0, cta), 0);
		rig_put(r, guarded(waits(store(HD_OP_STG, 2, at.seen + (int32_t)cta * 4, 6), 2), 0, cta), 0);
	}
	rig_exit(r);
	run_to_the_end(r);
	bool none = !rig_out(r, (uint32_t)at.seen / 4) && !rig_out(r, (uint32_t)at.seen / 4 + 1);
	assert_int_equal(rig_out(r, (uint32_t)at.x / 4), 1);
	assert_int_equal(rig_out(r, (uint32_t)at.y / 4), 1);
	rig_free(r);
	return none;
}

/* MT-2: a fence waits for a store by its counter alone. */
TEST(a_fence_without_its_wait_lets_a_load_pass_a_store)
{
	const places one = {0, 128, 512}, other = {128, 0, 512};
	assert_false(none_sees_the_other(one, true, 300));
	assert_false(none_sees_the_other(other, true, 300));
	assert_true(none_sees_the_other(one, false, 300) || none_sees_the_other(other, false, 300));
}

/* CTA 0 stores x, fences, stores y; CTA 1 waits `steps`, loads y, fences, loads x. The words that CTA 1 has seen: x in bit 0, y in bit 1. */
static unsigned message(places at, bool writer_waits, bool reader_waits, unsigned steps, void (*machine)(hd_machine *))
{
	rig *r = two_cores(8192);
	machine(&r->machine);
	begin(r);
	/* Both know the pages of both words but for x, which the writer does not know. First caches hold the old x. */
	rig_put(r, primary(volatile_load(8, at.y), 1), 0);
	hd_inst early = primary(load(HD_OP_LDG, 9, 2, at.x), 2);
	rig_put(r, r->machine.pages_kib ? guarded(early, 0, 1) : early, 0);
	rig_put(r, waits(waits(inst_(HD_OP_NOP), 1), 2), 0);
	hd_inst st = store(HD_OP_STG, 2, at.x, 5), ld = volatile_load(7, at.y);
	rig_put(r, guarded(writer_waits ? primary(st, 1) : st, 0, 0), 0);
	rig_put(r, guarded(writer_waits ? waits(fence(), 1) : fence(), 0, 0), 0);
	rig_put(r, guarded(store(HD_OP_STG, 2, at.y, 5), 0, 0), 0);
	pass(r, steps);
	rig_put(r, guarded(primary(ld, 1), 0, 1), 0);
	rig_put(r, guarded(reader_waits ? waits(fence(), 1) : fence(), 0, 1), 0);
	rig_put(r, guarded(primary(load(HD_OP_LDG, 6, 2, at.x), 2), 0, 1), 0);
	rig_put(r, guarded(waits(store(HD_OP_STG, 2, at.seen, 6), 2), 0, 1), 0);
	rig_put(r, guarded(waits(store(HD_OP_STG, 2, at.seen + 4, 7), 1), 0, 1), 0);
	rig_exit(r);
	run_to_the_end(r);
	unsigned seen = rig_out(r, (uint32_t)at.seen / 4) | rig_out(r, (uint32_t)at.seen / 4 + 1) << 1;
	rig_free(r);
	return seen;
}

/* A set of what is seen with all delays of the reader: bit 2 = the new y and the old x, which no fence allows. */
static unsigned outcomes(places at, bool writer_waits, bool reader_waits, void (*machine)(hd_machine *))
{
	unsigned set = 0;
	for (unsigned steps = 0; steps < PASSED; steps++)
		set |= 1u << message(at, writer_waits, reader_waits, steps * 2, machine);
	return set;
}

static void far_slices(hd_machine *m) { m->memory_far_latency = 300; }

/* MT-2: the load of the flag must be back before the fence empties the first cache and the next load leaves. */
TEST(a_fence_without_its_wait_lets_a_load_pass_a_load)
{
	const places one = {0, 128, 512}, other = {128, 0, 512};
	unsigned right = outcomes(one, true, true, far_slices) | outcomes(other, true, true, far_slices);
	unsigned wrong = outcomes(one, true, false, far_slices) | outcomes(other, true, false, far_slices);
	assert_true(right & 1u << 3);
	assert_false(right & 1u << 2);
	assert_true(wrong & 1u << 2);
}

/* Pages whose translation is not there, and no second TLB that one core could fill for the other. */
static void cold_pages(hd_machine *m)
{
	m->pages_kib = 4;
	m->pages_tlb2_entries = 0;
}

/* MT-2: the store before the fence waits for a page walk, the one behind it does not. */
TEST(a_fence_without_its_wait_lets_a_store_pass_a_store)
{
	const places at = {0, 8192, 16384};
	unsigned right = outcomes(at, true, true, cold_pages), wrong = outcomes(at, false, true, cold_pages);
	assert_true(right & 1u << 3);
	assert_false(right & 1u << 2);
	assert_true(wrong & 1u << 2);
}

/* CTA 1 reads x, waits until CTA 0 has stored to it, and reads it again: with a plain load, behind a fence, or past the first cache. */
static uint32_t read_again(bool fenced, bool past, hd_memory_values values)
{
	rig *r = two_cores(1024);
	r->machine.memory_values = values;
	begin(r);
	rig_put(r, guarded(primary(load(HD_OP_LDG, 8, 2, 0), 1), 0, 1), 0);
	rig_put(r, waits(inst_(HD_OP_NOP), 1), 0);
	pass(r, PASSED);
	rig_put(r, guarded(store(HD_OP_STG, 2, 0, 5), 0, 0), 0);
	pass(r, PASSED);
	if (fenced)
		rig_put(r, fence(), 0);
	rig_put(r, guarded(primary(past ? volatile_load(6, 0) : load(HD_OP_LDG, 6, 2, 0), 2), 0, 1), 0);
	rig_put(r, guarded(waits(store(HD_OP_STG, 2, 512, 6), 2), 0, 1), 0);
	rig_exit(r);
	run_to_the_end(r);
	uint32_t seen = rig_out(r, 128);
	rig_free(r);
	return seen;
}

/* MT-2: nothing but the program keeps first caches coherent. */
TEST(a_line_of_the_first_cache_stays_old_without_a_fence)
{
	assert_int_equal(read_again(false, false, HD_VALUES_TRAVEL), 0);
	assert_int_equal(read_again(true, false, HD_VALUES_TRAVEL), 1);
	assert_int_equal(read_again(false, true, HD_VALUES_TRAVEL), 1);
	assert_int_equal(read_again(false, false, HD_VALUES_AT_ONCE), 1);
}

/* CTA 1 has x in its first cache, sees the new x past it, and reads x again. */
static uint32_t read_after_a_volatile_load(void)
{
	rig *r = two_cores(1024);
	begin(r);
	rig_put(r, guarded(primary(load(HD_OP_LDG, 8, 2, 0), 1), 0, 1), 0);
	rig_put(r, waits(inst_(HD_OP_NOP), 1), 0);
	pass(r, PASSED);
	rig_put(r, guarded(store(HD_OP_STG, 2, 0, 5), 0, 0), 0);
	pass(r, PASSED);
	rig_put(r, guarded(volatile_load(7, 0), 0, 1), 0);
	rig_put(r, guarded(primary(load(HD_OP_LDG, 6, 2, 0), 2), 0, 1), 0);
	rig_put(r, guarded(waits(store(HD_OP_STG, 2, 512, 6), 2), 0, 1), 0);
	rig_exit(r);
	run_to_the_end(r);
	uint32_t seen = rig_out(r, 128);
	rig_free(r);
	return seen;
}

/* MT-2, MT-3 (CoRR): what a thread has seen past the first cache, it sees there, too. */
TEST(a_load_is_no_older_than_a_volatile_one_before_it) { assert_int_equal(read_after_a_volatile_load(), 1); }

/* MT-1: a core sees its own stores and atomics, whether the sector is absent, on its way or present. */
TEST(own_stores_are_seen)
{
	for (unsigned apart = 0; apart < 2; apart++) {
		rig *r = rig_new(1024);
		hd_inst add = alu(HD_OP_ATOM, 10, 2, 5, HD_RZ);
		((uint32_t *)hd_memory_at(r->memory, r->out, 8))[1] = 77;
		add.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
		begin(r);
		rig_put(r, primary(load(HD_OP_LDG, 6, 2, 0), 1), 0); /* the sector leaves */
		pass(r, apart ? PASSED : 0);
		rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
		rig_put(r, primary(load(HD_OP_LDG, 7, 2, 0), 1), 0);
		rig_put(r, primary(load(HD_OP_LDG, 9, 2, 4), 1), 0);
		rig_put(r, primary(add, 1), 0);
		rig_put(r, primary(load(HD_OP_LDG, 8, 2, 0), 1), 0);
		rig_put(r, waits(inst_(HD_OP_NOP), 1), 0);
		for (int i = 0; i < 4; i++)
			rig_put(r, store(HD_OP_STG, 2, 512 + 4 * i, (unsigned)(6 + i)), 0);
		rig_exit(r);
		run_to_the_end(r);
		assert_int_equal(rig_out(r, 128), 0);
		assert_int_equal(rig_out(r, 129), 1);
		assert_int_equal(rig_out(r, 130), 33);
		assert_int_equal(rig_out(r, 131), 77);
		assert_int_equal(rig_out(r, 0), 33);
		rig_free(r);
	}
}

/* MT-1: what has left before a trap still arrives. */
TEST(stores_before_a_trap_arrive)
{
	rig *r = rig_new(1024);
	begin(r);
	rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
	rig_put(r, load(HD_OP_LDG, 6, 2, 8192), 0);
	rig_put(r, store(HD_OP_STG, 2, 4, 5), 0);
	rig_exit(r);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(rig_out(r, 0), 1);
	assert_int_equal(rig_out(r, 1), 0);
	rig_free(r);
}

/* CTA 0 counts, stores, and spins for ever. CTA 1 spins until it sees the store, and stores in turn. Returns the cycle in which the run ends. */
static uint64_t count_store_and_spin(unsigned rounds)
{
	rig *r = two_cores(1024);
	begin(r);
	uint32_t to_reader = rig_put(r, guarded(branch(HD_OP_BRA, 0), 0, 1), delay(15));
	rig_put(r, movi(6, (int32_t)rounds), delay(15));
	uint32_t count = rig_put(r, alui(HD_OP_IADD, 6, 6, -1), delay(15));
	rig_put(r, setpi(HD_CMP_NE, 1, 6, 0), delay(15));
	rig_put(r, guarded(branch(HD_OP_BRA, count), 1, 0), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(1));
	uint32_t spin = rig_put(r, branch(HD_OP_BRA, 0), 0);
	r->slots[spin].inst.imm = (int32_t)spin;
	uint32_t reader = rig_put(r, primary(volatile_load(7, 0), 1), delay(15));
	r->slots[to_reader].inst.imm = (int32_t)reader;
	rig_put(r, primary(waits(setpi(HD_CMP_EQ, 1, 7, 0), 1), 2), 0);
	rig_put(r, waits(guarded(branch(HD_OP_BRA, reader), 1, 0), 2), 0);
	rig_put(r, store(HD_OP_STG, 2, 512, 5), 0);
	rig_exit(r);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	assert_int_equal(rig_out(r, 128), 1);
	uint64_t end = r->stats.run_cycles;
	rig_free(r);
	return end;
}

/* RC-17: the store leaves some rounds after watching has begun. Both CTAs go through earlier states again while it is on its way. */
TEST(a_store_on_its_way_is_no_livelock)
{
	uint64_t round = (count_store_and_spin(200) - count_store_and_spin(100)) / 100;
	assert_in_range(round, 10, 200);
	for (unsigned more = 0; more < 18; more++)
		count_store_and_spin((unsigned)(HD_QUIET / round) + more);
}
