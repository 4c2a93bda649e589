/* The sanitizer's rules for memory (M1 and M2 in src/sanitizer/memory.c), on programs annotated by hand. A shared atomic goes by a pipe of its own:
 * an access of the load/store pipe can pass it while it waits (HZ-27). */
#include "hazards.h"

static hd_inst atomic(unsigned address, int32_t offset)
{
	hd_inst i = alu(HD_OP_ATOMS, HD_RZ, address, 0, HD_RZ);
	i.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	i.imm = offset;
	return i;
}

static hd_inst sized(hd_inst i, hd_size size)
{
	i.sub = (uint8_t)size;
	return i;
}

/* Latencies of which the lines below count: the atomic waits for 100 cycles. */
static rig *begin_memory(unsigned warps)
{
	rig *r = begin(warps, 1);
	r->machine.latency[HD_CLASS_SFU] = (hd_timing){100, 1};
	r->machine.latency[HD_CLASS_LATOM] = (hd_timing){4, 1};
	r->machine.latency[HD_CLASS_LSU] = (hd_timing){4, 1};
	r->machine.fence_high_latency = 0;
	return r;
}

/* -- M1 --------------------------------------------------------------------------------------------------------------------------------- */

/* The atomic waits for a; `access` is issued two cycles behind it and takes effect first, unless it waits. */
static void passed(hd_inst access, bool covered, const char *expected)
{
	rig *r = begin_memory(1);
	hd_inst late = waits(atomic(1, 0), 1);
	rig_put(r, primary(sfu(12), 1), delay(1));                  /* a */
	rig_put(r, covered ? primary(late, 2) : late, delay(2));    /* b */
	rig_put(r, covered ? waits(access, 2) : access, delay(15)); /* c */
	rig_put(r, waits(waits(inst_(HD_OP_NOP), 1), 2), delay(15));
	hazards(r, expected);
}

TEST(an_access_of_another_pipe)
{
	passed(load(HD_OP_LDS, 8, 1, 0), false, "memory order shared memory at 0x0 b 0 100 104, c 2 3 7");
	passed(load(HD_OP_LDS, 8, 1, 0), true, "");
	passed(store(HD_OP_STS, 1, 0, 0), false, "memory order shared memory at 0x0 b 0 100 104, c 2 3 7");
	passed(store(HD_OP_STS, 1, 0, 0), true, "");
}

/* A candidate window issues accesses in order (MI-5), here both in one cycle; the load's pipe comes first. */
TEST(an_access_that_is_issued_beside_another)
{
	rig *r = begin_memory(1);
	r->machine.multi_issue_window = 4;
	r->machine.multi_issue_pass_waits = true;
	r->machine.fence_high_latency = 2;
	rig_put(r, primary(sfu(12), 5), delay(1));         /* a */
	rig_put(r, waits(atomic(1, 0), 5), delay(1));      /* b: waits in the decoder */
	rig_put(r, load(HD_OP_LDS, 8, 1, 0), delay(1));    /* c */
	rig_put(r, waits(inst_(HD_OP_NOP), 5), delay(15)); /* d */
	hazards(r, "memory order shared memory at 0x0 b 0 1 5, c 0 1 5");
}

/* Bytes count, not words: the lanes' words lie side by side. */
TEST(bytes_that_both_touch)
{
	passed(load(HD_OP_LDS, 8, 1, 128), false, "");
	passed(load(HD_OP_LDS, 8, 1, 124), false, "memory order shared memory at 0x7c/80000000 b 0 100 104, c 2 3 7");
	passed(sized(store(HD_OP_STS, 1, 127, 0), HD_SIZE_U8), false, "memory order shared memory at 0x7f/80000000 b 0 100 104, c 2 3 7");
	passed(sized(store(HD_OP_STS, 1, 128, 0), HD_SIZE_U8), false, "");
	passed(sized(load(HD_OP_LDS, 8, HD_RZ, 0), HD_SIZE_64), false, "memory order shared memory at 0x0/00000003 b 0 100 104, c 2 3 7");
}

/* The same bytes through the generic window; and global memory, which is not shared memory at the same number. */
TEST(spaces_by_their_addresses)
{
	rig *r = begin_memory(1);
	rig_put(r, movi(6, 0), delay(5));
	rig_put(r, movi(7, (int32_t)(HD_WINDOW_SHARED >> 32)), delay(15));
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, waits(atomic(HD_RZ, 4), 1), delay(1));
	rig_put(r, load(HD_OP_LD, 8, 6, 4), delay(15));
	rig_put(r, load(HD_OP_LDG, 9, 2, 4), delay(15));
	rig_put(r, waits(inst_(HD_OP_NOP), 1), delay(15));
	hazards(r, "memory order shared memory at 0x4 d 0 100 104, e 1 2 6");
}

/* A dropped instruction accesses nothing; lanes that are off neither. */
TEST(lanes_that_access)
{
	rig *r = begin_memory(1);
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 16), delay(15));
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, guarded(waits(atomic(1, 0), 1), 1, 0), delay(1));
	rig_put(r, guarded(load(HD_OP_LDS, 8, 1, 0), 1, 1), delay(1));   /* the other half's words */
	rig_put(r, guarded(load(HD_OP_LDS, 8, 1, 64), 1, 0), delay(1));  /* as well */
	rig_put(r, guarded(store(HD_OP_STS, 1, 0, 0), 4, 0), delay(15)); /* dropped */
	rig_put(r, waits(inst_(HD_OP_NOP), 1), delay(15));
	hazards(r, "");
}

/* -- M2 --------------------------------------------------------------------------------------------------------------------------------- */

/* Warps of a CTA. Each lane adds to its word, late; behind the barrier it reads the word of the next warp (the last warp: behind them all). */
static void over_a_barrier(hd_inst late, bool barrier, bool covered, const char *expected)
{
	rig *r = begin_memory(2);
	late = waits(late, 1);
	rig_put(r, primary(sfu(12), 1), delay(1));               /* a */
	rig_put(r, covered ? primary(late, 2) : late, delay(1)); /* b */
	hd_inst meet = barrier ? bar(3) : inst_(HD_OP_NOP);
	rig_put(r, covered ? waits(meet, 2) : meet, delay(1)); /* c */
	rig_put(r, load(HD_OP_LDS, 8, 1, 128), delay(15));     /* d */
	rig_put(r, waits(waits(inst_(HD_OP_NOP), 1), 2), delay(15));
	hazards(r, expected);
}

TEST(an_access_that_a_barrier_does_not_wait_for)
{
	/* Warp 1 comes to the barrier a cycle behind warp 0, whose load is issued then. */
	over_a_barrier(atomic(1, 0), true, false, "fence memory b 0 100 104, c 1 2 4 x2; barrier shared memory at 0x80 b 0 100 104, d 4 5 9");
	over_a_barrier(atomic(1, 0), true, true, "");
	over_a_barrier(atomic(1, 0), false, false, ""); /* no barrier: the program's own affair */
	over_a_barrier(store(HD_OP_STS, 1, 0, 0), true, false,
	               "fence memory b 0 100 104, c 1 2 4 x2; barrier shared memory at 0x80 b 0 100 104, d 4 98 102");
	over_a_barrier(load(HD_OP_LDS, 9, 1, 0), true, false, "fence memory b 0 100 104, c 1 2 4 x2"); /* both read */
}

/* Barriers carry on: warp 0 arrives at one, warp 1 waits there and arrives at another, warp 2 waits there. `arrive` of warp 1: it does not wait at
 * the first, so nothing is ordered by way of it. */
static void put_bar(rig *r, hd_inst i) { rig_put(r, i, delay(1)); }

static void a_chain(bool arrive, unsigned number, const char *expected)
{
	rig *r = begin_memory(3);
	hd_inst first = bar(1), second = bar(number), last = bar(number);
	rig_put(r, movi(5, 64), delay(5));                 /* a: threads of two warps */
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 32), delay(5));  /* b: warp 0 */
	rig_put(r, setpi(HD_CMP_LT, 2, 0, 64), delay(15)); /* c: warp 0 or 1 */
	first.b = second.b = last.b = 5;
	uint32_t other = rig_put(r, guarded(branch(HD_OP_BRA, 0), 1, 1), 0); /* d */
	first.mod = 1;
	rig_put(r, primary(sfu(12), 1), delay(1));         /* e */
	rig_put(r, waits(atomic(1, 0), 1), delay(1));      /* f */
	put_bar(r, first);                                 /* g: arrives */
	rig_put(r, waits(inst_(HD_OP_NOP), 1), delay(15)); /* h */
	rig_put(r, inst_(HD_OP_EXIT), 0);                  /* i */
	r->slots[other].inst.imm = (int32_t)rig_here(r);
	other = rig_put(r, guarded(branch(HD_OP_BRA, 0), 2, 1), 0); /* j */
	first.mod = arrive;
	put_bar(r, first); /* k */
	second.mod = 1;
	put_bar(r, second);               /* l */
	rig_put(r, inst_(HD_OP_EXIT), 0); /* m */
	r->slots[other].inst.imm = (int32_t)rig_here(r);
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	put_bar(r, last);                                   /* p */
	rig_put(r, load(HD_OP_LDS, 8, 1, -256), delay(15)); /* q: word of warp 0 */
	hazards(r, expected);
}

TEST(barriers_carry_on)
{
	a_chain(true, 2, "fence memory f 0 100 104, g 1 2 4");
	a_chain(false, 2, "fence memory f 0 100 104, g 1 2 4; barrier shared memory at 0x0 f 0 100 104, q 47 48 52");
	a_chain(true, 1, "fence memory f 0 100 104, g 1 2 4"); /* the same barrier again: what its first round knew is forgotten */
}

/* The end of a warp completes the barrier for the others. */
TEST(a_barrier_that_an_exit_completes)
{
	rig *r = begin_memory(3);
	rig_put(r, setpi(HD_CMP_GE, 1, 0, 64), delay(15));                  /* a */
	uint32_t away = rig_put(r, guarded(branch(HD_OP_BRA, 0), 1, 0), 0); /* b: warp 2 */
	rig_put(r, primary(sfu(12), 1), delay(1));                          /* c */
	rig_put(r, waits(atomic(1, 0), 1), delay(1));                       /* d */
	rig_put(r, bar(0), delay(1));                                       /* e */
	rig_put(r, load(HD_OP_LDS, 8, 1, 128), delay(15));                  /* f */
	rig_put(r, waits(inst_(HD_OP_NOP), 1), delay(15));
	rig_put(r, inst_(HD_OP_EXIT), 0);
	r->slots[away].inst.imm = (int32_t)rig_here(r);
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	hazards(r, "fence memory d 0 100 104, e 1 2 4 x2; barrier shared memory at 0x80 d 0 100 104, f 40 41 45");
}

/* The first run is stopped when warp 1 has read behind a barrier, and the additions before it have not been made. The second run has only one
 * warp, which reads nothing. */
TEST(a_cta_ends_with_its_run)
{
	rig *r = begin_memory(2);
	r->machine.latency[HD_CLASS_SFU].latency = 3000;
	rig_put(r, setpi(HD_CMP_GE, 1, 0, 32), delay(15));
	rig_put(r, primary(sfu(12), 1), delay(1));
	rig_put(r, waits(atomic(HD_RZ, 0), 1), delay(1));
	rig_put(r, bar(1), delay(1));
	rig_put(r, guarded(load(HD_OP_LDS, 8, HD_RZ, 0), 1, 0), delay(15)); /* warp 1 */
	rig_put(r, waits(inst_(HD_OP_NOP), 1), delay(15));
	rig_exit(r);
	r->options.max_cycles = 2500;
	assert_false(rig_run(r)); /* completes the program */
	hd_sanitizer *sanitizer = hd_sanitizer_new(&r->program);
	r->options.trace = hd_sanitizer_watcher(sanitizer);
	assert_false(rig_run(r));
	r->options.max_cycles = 0;
	r->launch.block[0] = 32;
	assert_true(rig_run(r));
	const hd_violations *found = hd_sanitizer_found(sanitizer);
	assert_int_equal(found->list.n, 1);
	assert_int_equal(found->list.at[0].kind, HD_VIOLATION_FENCE);
	assert_int_equal(found->total, 3);
	hd_sanitizer_free(sanitizer);
	rig_free(r);
}

/* CTAs that share a core, and one behind another in its slots, have nothing to do with each other. */
TEST(other_ctas)
{
	for (unsigned warps = 1; warps <= 16; warps += 15) {
		rig *r = begin_memory(1);
		r->machine.machine_warps = warps;
		r->launch.grid[0] = 5;
		rig_put(r, primary(sfu(12), 1), delay(1));
		rig_put(r, waits(atomic(HD_RZ, 0), 1), delay(1));
		rig_put(r, bar(0), delay(1));
		rig_put(r, load(HD_OP_LDS, 8, HD_RZ, 64), delay(15));
		hazards(r, "fence memory b 0 100 104, c 1 2 4 x5");
	}
}

/* -- M3 --------------------------------------------------------------------------------------------------------------------------------- */

/* `late` waits for a, and has no counter unless the fence behind it waits for it. */
static void before_a_fence(hd_inst late, hd_inst fence, bool covered, const char *expected)
{
	rig *r = begin_memory(1);
	late = waits(late, 1);
	rig_put(r, primary(sfu(12), 1), delay(1));                /* a */
	rig_put(r, covered ? primary(late, 2) : late, delay(1));  /* b */
	rig_put(r, covered ? waits(fence, 2) : fence, delay(15)); /* c */
	rig_put(r, waits(waits(inst_(HD_OP_NOP), 1), 2), delay(15));
	hazards(r, expected);
}

TEST(a_fence_that_passes_what_it_is_to_wait_for)
{
	hd_inst membar = inst_(HD_OP_MEMBAR), arrive = bar(2), device = membar;
	arrive.mod = HD_BAR_ARRIVE;
	arrive.b = HD_RZ;
	device.sub = HD_SCOPE_DEVICE;
	before_a_fence(membar, bar(2), false, "fence memory b 0 100 104, c 1 2 4");
	before_a_fence(membar, bar(2), true, "");
	before_a_fence(device, arrive, false, "fence memory b 0 100 104, c 1 2 4");
	before_a_fence(device, arrive, true, "");
	before_a_fence(membar, device, false, ""); /* one pipe */
	/* The store is on its way when the fence takes effect: the next cycle of the stage. */
	before_a_fence(store(HD_OP_STG, 2, 0, 0), membar, false, "fence memory b 0 100 104, c 1 101 105");
	before_a_fence(store(HD_OP_STG, 2, 0, 0), membar, true, "");
	before_a_fence(atomic(1, 0), membar, false, "fence memory b 0 100 104, c 1 2 6");
}
