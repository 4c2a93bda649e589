/* CTAs of a grid on several threads of the host: memory, statistics and traps are those of one thread. */
#include "rig.h"

#define S2R(reg, which) I(.op = HD_OP_S2R, .d = reg, .sub = HD_SREG_##which)
#define IMM(operation, reg, from, value) I(.op = HD_OP_##operation, .d = reg, .a = from, .ksel = 3, .imm = value)
#define OP2(operation, reg, x, y) I(.op = HD_OP_##operation, .d = reg, .a = x, .b = y)
#define MOVI(reg, value) I(.op = HD_OP_MOVI, .d = reg, .imm = value)
#define EXIT I(.op = HD_OP_EXIT)
#define SETP(p, x, cmp, value) I(.op = HD_OP_ISETP, .d = p, .a = x, .ksel = 3, .imm = value, .sub = HD_CMP_##cmp)

enum { CTAS = 4 * 3 * 2, TURNS = 4000, ADDS = 50, WORDS = OUT_BYTES / 4 };

/* r5 = number of the CTA, r6 = what a loop of TURNS makes of thread and CTA, r62:r63 = the thread's word of the buffer. More instructions than a grid
 * has before its CTAs go to threads, after some CTAs. */
static void put_work(rig *r)
{
	build *b = &r->b;
	r->launch.grid[0] = 4;
	r->launch.grid[1] = 3;
	r->launch.grid[2] = 2;
	emit(b, S2R(2, CTAIDX));
	emit(b, S2R(3, CTAIDY));
	emit(b, S2R(4, CTAIDZ));
	emit(b, MOVI(9, 3));
	emit(b, I(.op = HD_OP_IMAD, .d = 5, .a = 4, .b = 9, .c = 3));
	emit(b, MOVI(9, 4));
	emit(b, I(.op = HD_OP_IMAD, .d = 5, .a = 5, .b = 9, .c = 2));
	emit(b, S2R(1, TIDX));
	emit(b, IMM(SHL, 7, 5, 5));
	emit(b, OP2(IADD, 7, 7, 1));
	emit(b, I(.op = HD_OP_IMADWU, .d = 62, .a = 7, .b = 9, .c = R_OUT));
	emit(b, OP2(IADD, 6, 7, HD_RZ));
	emit(b, MOVI(8, TURNS));
	emit(b, MOVI(9, 5));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_IMAD, .d = 6, .a = 6, .b = 9, .c = 8));
	emit(b, IMM(IADD, 8, 8, -1));
	emit(b, SETP(0, 8, NE, 0));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
}

static void put_end(rig *r)
{
	emit(&r->b, I(.op = HD_OP_STG, .a = 62, .b = 6, .sub = HD_SIZE_32));
	emit(&r->b, EXIT);
}

typedef struct outcome {
	bool ok;
	uint32_t words[WORDS];
	hd_stats stats;
	hd_text message;
	hd_task_result result;
} outcome;

static void run_with(rig *r, const hd_interp_options *options, outcome *o)
{
	hd_task task = {.launch = r->launch};
	hd_interp_options own = *options;
	hd_interp *interp = hd_interp_new(r->program);
	hd_trap trap;
	uint8_t *bytes = hd_memory_at(r->memory, r->out, OUT_BYTES);
	memset(bytes, 0, OUT_BYTES);
	memset(o, 0, sizeof *o);
	own.results = &o->result;
	o->ok = hd_interp_run_again(interp, &task, 1, r->memory, &own, &o->stats, &trap);
	if (!o->ok)
		hd_trap_print(&o->message, &trap, &r->launch, r->memory);
	hd_trap_free(&trap);
	hd_interp_free(interp);
	memcpy(o->words, bytes, OUT_BYTES);
}

static void run_on(rig *r, uint32_t threads, uint64_t limit, outcome *o)
{
	run_with(r, &(hd_interp_options){.call_depth = 16, .grid_depth = 1, .max_instructions = limit, .threads = threads}, o);
}

/* The program on 1, 2, 3 and 40 threads. After a trap, later CTAs may have written. */
static void expect_same(rig *r, uint64_t limit, bool ends_well)
{
	static const uint32_t threads[] = {2, 3, 40, 2};
	outcome one, many;
	rig_run(r);
	run_on(r, 1, limit, &one);
	assert_int_equal(one.ok, ends_well);
	for (unsigned i = 0; i < HD_COUNT(threads); i++) {
		run_on(r, threads[i], limit, &many);
		assert_int_equal(many.ok, ends_well);
		if (ends_well)
			assert_memory_equal(many.words, one.words, sizeof one.words);
		else
			assert_string_equal(many.message.at, one.message.at);
		assert_memory_equal(&many.stats, &one.stats, sizeof one.stats);
		assert_memory_equal(&many.result, &one.result, sizeof one.result);
		hd_text_free(&many.message);
	}
	hd_text_free(&one.message);
}

TEST(values_and_statistics_are_those_of_one_thread)
{
	rig *r = rig_new();
	put_work(r);
	put_end(r);
	expect_same(r, 0, true);
	uint32_t x = 77;
	for (uint32_t n = TURNS; n; n--)
		x = x * 5 + n;
	assert_int_equal(rig_word(r, 77), x);
	assert_int_equal(r->stats.run_ctas, CTAS);
	rig_free(r);
}

/* CTAs 15 and 19 store outside of every buffer, and CTA 19 does so after fewer instructions. */
TEST(the_first_trap_counts)
{
	for (int early = 0; early < 2; early++) {
		rig *r = rig_new();
		build *b = &r->b;
		if (early) {
			emit(b, S2R(10, CTAIDZ));
			emit(b, S2R(11, CTAIDY));
			emit(b, IMM(SHL, 11, 11, 1));
			emit(b, OP2(IADD, 10, 10, 11));
			emit(b, S2R(11, CTAIDX));
			emit(b, IMM(SHL, 11, 11, 3));
			emit(b, OP2(IADD, 10, 10, 11));
			emit(b, SETP(1, 10, EQ, 1 + 2 * 1 + 8 * 3)); /* CTA (3,1,1): 19 */
			emit(b, I(.op = HD_OP_STG, .guard = 1, .a = HD_RZ, .b = 10, .sub = HD_SIZE_32));
		}
		put_work(r);
		emit(b, SETP(1, 5, EQ, 15));
		emit(b, I(.op = HD_OP_STG, .guard = 1, .a = HD_RZ, .b = 6, .sub = HD_SIZE_32));
		emit(b, SETP(1, 5, EQ, 19));
		emit(b, I(.op = HD_OP_STG, .guard = 1, .a = HD_RZ, .b = 6, .sub = HD_SIZE_32));
		put_end(r);
		expect_same(r, 0, false);
		assert_int_equal(r->trap.kind, HD_TRAP_ADDRESS);
		assert_int_equal(r->trap.cta[0], 3);
		assert_int_equal(r->trap.cta[1], 0);
		assert_int_equal(r->trap.cta[2], 1);
		rig_free(r);
	}
}

/* CTA 17 spins for ever. */
TEST(a_livelock_is_found_with_the_same_words)
{
	rig *r = rig_new();
	put_work(r);
	uint32_t top = here(&r->b);
	emit(&r->b, SETP(1, 5, EQ, 17));
	emit(&r->b, I(.op = HD_OP_BRA, .guard = 1, .imm = (int32_t)top));
	put_end(r);
	expect_same(r, 0, false);
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_free(r);
}

/* The order of CTAs decides what an atomic gives back and what the clock says, so these have one thread. */
TEST(atomics_and_clocks_keep_the_order_of_ctas)
{
	for (int clock = 0; clock < 2; clock++) {
		rig *r = rig_new();
		put_work(r);
		if (clock)
			emit(&r->b, S2R(6, CLOCK));
		else
			emit(&r->b, I(.op = HD_OP_ATOMG, .d = 6, .a = R_OUT, .b = 1, .imm = OUT_BYTES - 4, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
		put_end(r);
		expect_same(r, 0, true);
		rig_free(r);
	}
}

/* A CTA that waits for an earlier one reads with .volatile: with one thread the other has ended. */
TEST(ctas_that_wait_for_earlier_ones_do_not_spin)
{
	rig *r = rig_new();
	build *b = &r->b;
	put_work(r);
	emit(b, IMM(ISUB, 10, 5, 1)); /* the CTA before; for the first, itself */
	emit(b, SETP(1, 5, EQ, 0));
	emit(b, I(.op = HD_OP_MOV, .guard = 1, .d = 10, .a = 5));
	emit(b, IMM(SHL, 10, 10, 5));
	emit(b, MOVI(9, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 12, .a = 10, .b = 9, .c = R_OUT));
	emit(b, I(.op = HD_OP_STG, .guard = 1, .a = 62, .b = 9, .sub = HD_SIZE_32));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 11, .a = 12, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, SETP(0, 11, EQ, 0));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, IMM(IADD, 6, 11, 1));
	put_end(r);
	expect_same(r, 0, true);
	rig_free(r);
}

/* Without an order of atomics no change is lost. */
TEST(unordered_atomics_lose_nothing)
{
	static const uint32_t threads[] = {1, 2, 4, 40};
	rig *r = rig_new();
	build *b = &r->b;
	put_work(r);
	emit(b, MOVI(8, WORDS - 2));
	emit(b, MOVI(9, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 16, .a = 8, .b = 9, .c = R_OUT));
	emit(b, MOVI(8, WORDS - 1));
	emit(b, I(.op = HD_OP_IMADWU, .d = 18, .a = 8, .b = 9, .c = R_OUT));
	emit(b, MOVI(8, ADDS));
	emit(b, MOVI(9, 1));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_ATOMG, .d = 10, .a = 18, .b = 9, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	/* The same by compare and swap. */
	uint32_t again = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 11, .a = 16, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, IMM(IADD, 13, 11, 1));
	emit(b, I(.op = HD_OP_CASG, .d = 14, .a = 16, .b = 11, .c = 13));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 14, .b = 11, .sub = HD_CMP_NE));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)again));
	emit(b, IMM(IADD, 8, 8, -1));
	emit(b, SETP(0, 8, NE, 0));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	put_end(r);
	rig_run(r);
	for (unsigned i = 0; i < HD_COUNT(threads); i++) {
		outcome o;
		run_with(r, &(hd_interp_options){.call_depth = 16, .grid_depth = 1, .threads = threads[i], .unordered = true}, &o);
		if (!o.ok)
			fail_msg("%s", o.message.at);
		assert_int_equal(o.words[WORDS - 1], CTAS * 32 * ADDS);
		assert_int_equal(o.words[WORDS - 2], CTAS * 32 * ADDS);
		assert_int_equal(o.stats.run_ctas, CTAS);
	}
	rig_free(r);
}

/* Each CTA waits until the one before it has stored, also where that one runs on another thread. The wait is no livelock. */
TEST(unordered_ctas_wait_for_earlier_ones)
{
	rig *r = rig_new();
	build *b = &r->b;
	put_work(r);
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 11, .a = R_OUT, .imm = OUT_BYTES - 4, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, I(.op = HD_OP_ISETP, .d = 0, .a = 11, .b = 5, .sub = HD_CMP_NE));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, MOVI(8, 2000)); /* so that the next one waits for long */
	top = here(b);
	emit(b, IMM(IADD, 8, 8, -1));
	emit(b, SETP(0, 8, NE, 0));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	emit(b, IMM(IADD, 11, 5, 1));
	emit(b, I(.op = HD_OP_STG, .a = R_OUT, .b = 11, .imm = OUT_BYTES - 4, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	put_end(r);
	rig_run(r);
	for (uint32_t threads = 1; threads <= 4; threads += threads) {
		outcome o;
		run_with(r, &(hd_interp_options){.call_depth = 16, .grid_depth = 1, .threads = threads, .unordered = true}, &o);
		if (!o.ok)
			fail_msg("%s", o.message.at);
		assert_int_equal(o.words[WORDS - 1], CTAS);
	}
	rig_free(r);
}

/* A CTA that waits for all others, the later ones too, is served by the other threads. On one thread, and where atomics keep the order of CTAs, it
 * spins for ever, and is found. */
TEST(unordered_ctas_run_side_by_side)
{
	enum { WAITS = CTAS / 2 };
	rig *r = rig_new();
	build *b = &r->b;
	put_work(r);
	emit(b, MOVI(8, WORDS - 1));
	emit(b, MOVI(9, 4));
	emit(b, I(.op = HD_OP_IMADWU, .d = 18, .a = 8, .b = 9, .c = R_OUT));
	emit(b, MOVI(9, 1));
	emit(b, SETP(1, 5, NE, WAITS));
	emit(b, I(.op = HD_OP_ATOMG, .guard = 1, .d = 10, .a = 18, .b = 9, .sub = HD_ATOM_ADD | HD_ATOM_U32 << 4));
	emit(b, I(.op = HD_OP_EXIT, .guard = 1));
	uint32_t top = here(b);
	emit(b, I(.op = HD_OP_LDG, .d = 11, .a = 18, .sub = HD_SIZE_32, .mod = HD_CACHE_VOLATILE));
	emit(b, SETP(0, 11, NE, (CTAS - 1) * 32));
	emit(b, I(.op = HD_OP_BRA, .guard = 0, .imm = (int32_t)top));
	put_end(r);
	rig_run(r);
	for (uint32_t i = 0; i < 8; i++) {
		outcome o;
		bool unordered = i % 2, ends = unordered && i > 1;
		run_with(r, &(hd_interp_options){.call_depth = 16, .grid_depth = 1, .threads = 1 + i / 2, .unordered = unordered}, &o);
		assert_int_equal(o.ok, ends);
		assert_int_equal(o.words[WORDS - 1], (ends ? CTAS - 1 : WAITS) * 32);
		hd_text_free(&o.message);
	}
	rig_free(r);
}

/* Readings of the clock still have an order. */
TEST(unordered_atomics_leave_the_clock)
{
	outcome one, many;
	rig *r = rig_new();
	put_work(r);
	emit(&r->b, S2R(6, CLOCK));
	put_end(r);
	rig_run(r);
	run_on(r, 1, 0, &one);
	run_with(r, &(hd_interp_options){.call_depth = 16, .grid_depth = 1, .threads = 3, .unordered = true}, &many);
	assert_memory_equal(many.words, one.words, sizeof one.words);
	rig_free(r);
}

TEST(a_limit_ends_at_the_same_instruction)
{
	rig *r = rig_new();
	put_work(r);
	put_end(r);
	rig_run(r);
	r->limit = r->stats.run_warp_instructions * 3 / 4;
	outcome one, many;
	run_on(r, 1, r->limit, &one);
	run_on(r, 3, r->limit, &many);
	assert_false(one.ok || many.ok);
	assert_string_equal(many.message.at, one.message.at);
	assert_memory_equal(&many.stats, &one.stats, sizeof one.stats);
	assert_memory_equal(many.words, one.words, sizeof one.words);
	hd_text_free(&one.message);
	hd_text_free(&many.message);
	rig_free(r);
}

typedef struct polls {
	unsigned n;
	uint64_t last_now, last_done, all;
	bool wrong;
} polls;

static bool stop_soon(void *context, uint64_t now, uint64_t done, uint64_t all)
{
	polls *p = context;
	p->wrong |= now < p->last_now || done < p->last_done || done > all || all != 3 * CTAS * 1024;
	p->last_now = now;
	p->last_done = done;
	return ++p->n == 3;
}

/* The calls come from the thread that runs the grid, with numbers that grow, and the third ends the run long before its end. */
TEST(a_poll_sees_the_sum_of_all_threads_and_ends_them)
{
	rig *r = rig_new();
	put_work(r);
	emit(&r->b, EXIT);
	rig_run(r);
	r->launch.grid[0] = 4 * 1024;
	r->launch.grid[1] = 9;
	hd_task task = {.launch = r->launch};
	polls p = {0};
	hd_interp_options options = {.call_depth = 16, .grid_depth = 1, .threads = 3, .poll = stop_soon, .context = &p};
	hd_interp *interp = hd_interp_new(r->program);
	assert_false(hd_interp_run_again(interp, &task, 1, r->memory, &options, &r->stats, &r->trap));
	assert_int_equal(r->trap.kind, HD_TRAP_INTERRUPTED);
	assert_int_equal(p.n, 3);
	assert_false(p.wrong);
	assert_true(r->stats.run_ctas < 3 * CTAS * 1024 / 2);
	hd_interp_free(interp);
	rig_free(r);
}
