/* Several instructions of one warp in one cycle: what is sent in which cycle, written out (MI-2 to MI-9); MINRC with parked threads; a window of one
 * (MI-10). Instructions are letters in the order of the program; "0:ab 1:c" = a and b in the first cycle, c in the next; "*" at the end = and so on.
 */
#include "core/core.h"
#include "core/state.h"
#include "rig.h"

enum { CYCLES = 3000 };

/* Runs one warp and writes down what is sent from the first instruction on. The letters begin at word 9, in a line of its own. */
static void expect(rig *r, unsigned window, const char *expected)
{
	hd_text got = {0};
	hd_diag diag = {0};
	hd_trap trap = {0};
	hd_stats stats = {0};
	r->machine.multi_issue_window = window;
	r->machine.machine_schedulers = 1;
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
	r->launch.program = &r->program;
	r->launch.kernel = &r->kernel;
	r->launch.params = r->params;
	hd_task task = {.launch = r->launch};
	hd_tasks tasks;
	assert_true(hd_tasks_init(&tasks, &task, 1, (hd_task_limits){0}, &diag));
	hd_code *code = hd_code_new(&r->machine, &r->program, true);
	hd_l2 *l2 = hd_l2_new(&r->machine);
	hd_icache l15;
	hd_icache_init(&l15, 64, 8);
	hd_watch watch = {.from = UINT64_MAX};
	hd_core_signal signal;
	hd_context context = {
	    .machine = &r->machine,
	    .tasks = &tasks,
	    .code = code,
	    .memory = r->memory,
	    .l2 = l2,
	    .stats = &stats,
	    .trap = &trap,
	    .signal = &signal,
	    .cores = 1,
	    .window = window,
	    .watch = &watch,
	};
	hd_core *core = hd_core_new(&context, 0, (hd_core_size){1, 1, 32}, &l15);
	const hd_scheduler *s = &core->scheduler[0];
	uint64_t before = 0, first = 0; /* bit i: word 9 + i was sent */
	uint32_t cta[3];
	uint64_t number, item;
	hd_tasks_give(&tasks, tasks.at.at[0], 1, cta, &number, &item);
	hd_core_start(core, 1, tasks.at.at[0], cta, number, item);
	for (uint64_t cycle = 1; cycle < CYCLES && hd_core_resident(core); cycle++) {
		assert_true(hd_core_tick(core, cycle));
		uint32_t pc = s->flow[0].pc + (s->deciding & 1);
		if (!(s->live & 1) || pc < 9)
			continue;
		uint64_t now = (UINT64_C(1) << (pc - 9)) - 1;
		for (uint32_t at = s->flow[0].pc, left = s->window.sent[0]; left; left >>= 1, at = hd_code_next(code, at))
			now |= (uint64_t)(left & 1) << (at - 9);
		if (now == before)
			continue;
		first = first ? first : cycle;
		hd_text_printf(&got, "%s%llu:", got.n ? " " : "", (unsigned long long)(cycle - first));
		for (unsigned i = 0; i < 26; i++)
			if (now >> i & 1 && !(before >> i & 1) && (i + 9) % HD_LINE_WORDS)
				hd_text_printf(&got, "%c", 'a' + (int)(i - i / 8));
		before = now;
	}
	size_t n = strcspn(expected, "*");
	if (expected[n] ? strncmp(got.at ? got.at : "", expected, n) != 0 : strcmp(got.at ? got.at : "", expected) != 0)
		fail_msg("window %u: %s, expected %s", window, got.at ? got.at : "nothing", expected);
	hd_text_free(&got);
	hd_core_free(core);
	hd_icache_free(&l15);
	hd_l2_free(l2);
	hd_code_free(code);
	hd_tasks_free(&tasks);
	hd_diag_free(&diag);
}

/* A line of waiting first, so that fetch is far ahead. */
static rig *begin(void)
{
	rig *r = rig_new(64);
	for (unsigned i = 1; i < HD_LINE_WORDS; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

static hd_inst sfu(unsigned d) { return alu(HD_OP_FEX2, d, HD_RZ, HD_RZ, HD_RZ); }
static hd_inst coord(unsigned d) { return sreg(d, HD_SREG_LANEID); }

/* MI-1, MI-3, MI-7: independent instructions of four types are sent in one cycle; the exit alone and behind them (MI-9). */
TEST(different_types_are_sent_together)
{
	static const char *const expected[] = {"0:a 1:b 2:c 3:d 4:e", "0:ab 1:cd 2:e", "0:abc 1:d 2:e", "0:abcd 1:e"};
	for (unsigned window = 1; window <= 4; window++) {
		rig *r = begin();
		r->kernel.shared_bytes = 128;
		rig_put(r, movi(5, 1), delay(1));
		rig_put(r, coord(6), delay(1));
		rig_put(r, sfu(7), delay(1));
		rig_put(r, load(HD_OP_LDS, 8, HD_RZ, 0), delay(1));
		rig_exit(r);
		expect(r, window, expected[window - 1]);
		rig_free(r);
	}
}

/* MI-4: of two of one type the nearer one; the other is sent in the next cycle, though a third type was sent past it. */
TEST(of_one_type_the_nearer_is_sent)
{
	rig *r = begin();
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, movi(6, 1), delay(1));
	rig_put(r, coord(7), delay(1));
	rig_put(r, sfu(8), delay(1));
	rig_exit(r);
	expect(r, 4, "0:acd 1:b 2:e");
	rig_free(r);
}

/* MI-6, MI-15: a dependent pair of two types is sent in one cycle where counters keep its order. A scoreboard holds the second instruction back. */
TEST(a_dependent_pair_goes_together_with_counters_alone)
{
	static const char *const expected[] = {"0:ab *", "0:a *"};
	for (unsigned scoreboard = 0; scoreboard < 2; scoreboard++) {
		rig *r = begin();
		r->machine.fence_mode = scoreboard ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
		rig_put(r, primary(sfu(7), 1), delay(1));
		rig_put(r, waits(alui(HD_OP_IADD, 5, 7, 1), 1), delay(1));
		rig_exit(r);
		expect(r, 4, expected[scoreboard]);
		rig_free(r);
	}
}

/* A warp has one turn in a cycle, whatever the issue width: it sends what its window held when the cycle began. */
TEST(a_window_has_one_turn_in_a_cycle)
{
	for (unsigned width = 1; width <= 4; width *= 2) {
		rig *r = begin();
		r->machine.predecode_issue_width = width;
		r->kernel.shared_bytes = 128;
		rig_put(r, movi(5, 1), delay(1));
		rig_put(r, coord(6), delay(1));
		rig_put(r, sfu(7), delay(1));
		rig_put(r, load(HD_OP_LDS, 8, HD_RZ, 0), delay(1));
		rig_exit(r);
		expect(r, 2, "0:ab 1:cd 2:e");
		rig_free(r);
	}
}

/* c raises the counter for which b waits, so it goes a cycle later, also on a machine whose decoder does not know who waits. */
TEST(a_counter_is_raised_after_those_that_wait_for_it)
{
	for (unsigned wait_counters = 0; wait_counters < 2; wait_counters++) {
		rig *r = begin();
		r->machine.fence_wait_counters = wait_counters;
		rig_put(r, sfu(7), delay(1));
		rig_put(r, waits(movi(5, 1), 1), delay(1));
		rig_put(r, primary(coord(6), 1), delay(1));
		rig_exit(r);
		expect(r, 4, "0:ab 1:c 2:d");
		rig_free(r);
	}
}

/* MI-5, MI-6: primary and secondary in one cycle, the counter raised before the secondary's queue looks. What depends on an instruction that has to
 * stay, stays. */
TEST(a_dependent_pair_is_sent_together)
{
	rig *r = begin();
	rig_put(r, primary(sfu(5), 1), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 1), delay(1));
	rig_put(r, inst_(HD_OP_EXIT), delay(1));
	expect(r, 2, "0:ab 1:c");
	rig_free(r);

	r = begin();
	rig_put(r, sfu(5), delay(1));
	rig_put(r, primary(sfu(6), 1), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 7, 6, 1), 1), delay(1));
	rig_put(r, coord(8), delay(1));
	rig_exit(r);
	expect(r, 4, "0:ad 1:bc 2:e");
	rig_free(r);
}

/* MI-5: c overtakes b, which waits for its pipe, unless they depend. */
TEST(what_depends_on_an_unsent_one_stays)
{
	hd_inst reads_5 = alu(HD_OP_FEX2, 7, 5, HD_RZ, HD_RZ), reads_6 = alu(HD_OP_FEX2, 7, 6, HD_RZ, HD_RZ);
	const struct {
		hd_inst b, c;
		bool depends;
	} rows[] = {
	    {movi(6, 1), reads_5, false},
	    {movi(6, 1), reads_6, true},                                 /* RAW */
	    {movi(6, 1), sfu(6), true},                                  /* WAW */
	    {alui(HD_OP_IADD, 8, 6, 1), sfu(6), true},                   /* WAR */
	    {alui(HD_OP_IADD, 8, 6, 1), sfu(7), false},                  /* */
	    {setpi(HD_CMP_LT, 1, 9, 1), guarded(sfu(7), 1, 0), true},    /* RAW of a predicate */
	    {setpi(HD_CMP_LT, 1, 9, 1), guarded(sfu(7), 2, 0), false},   /* */
	    {guarded(movi(6, 1), 1, 0), setpi(HD_CMP_LT, 1, 9, 1), true} /* (one pipe) */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin();
		rig_put(r, movi(10, 1), delay(1));
		rig_put(r, rows[i].b, delay(1));
		rig_put(r, rows[i].c, delay(1));
		rig_exit(r);
		expect(r, 8, i == HD_COUNT(rows) - 1 ? "0:a 1:b 2:c 3:d" : rows[i].depends ? "0:a 1:bc 2:d" : "0:ac 1:b 2:d");
		rig_free(r);
	}
	/* Rule 8: what raises a counter comes in a cycle behind what waits for it. */
	rig *r = begin();
	rig_put(r, movi(10, 1), delay(1));
	rig_put(r, waits(movi(6, 1), 1), delay(1));
	rig_put(r, primary(coord(7), 1), delay(1));
	rig_exit(r);
	r->machine.fence_wait_counters = false;
	expect(r, 8, "0:a 1:b 2:c 3:d");
	rig_free(r);
	/* Accesses to memory, of two pipes. */
	r = begin();
	r->kernel.shared_bytes = 128;
	rig_put(r, load(HD_OP_LDS, 5, HD_RZ, 0), delay(1));
	rig_put(r, load(HD_OP_LDS, 6, HD_RZ, 0), delay(1));
	hd_inst atomic = alu(HD_OP_ATOMS, 7, HD_RZ, HD_RZ, HD_RZ);
	atomic.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	rig_put(r, atomic, delay(1));
	rig_exit(r);
	expect(r, 8, "0:a 1:bc 2:d");
	rig_free(r);
}

/* The pair's value is right: the queue holds the secondary back. MI-11: the histogram and the use of the pipes tell of it. */
TEST(the_secondary_of_a_pair_reads_the_new_value)
{
	rig *r = rig_new(32);
	r->machine.multi_issue_window = 4;
	rig_address(r);
	rig_put(r, primary(sfu(5), 1), delay(1));
	rig_put(r, primary(waits(alui(HD_OP_IADD, 6, 5, 1), 1), 2), delay(1));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 6), 2), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < 32; t++)
		assert_int_equal(rig_out(r, t), 0x3f800001);
	assert_int_equal(r->stats.multi_issue_sent_3, 1);
	assert_int_equal(r->stats.pipe_sfu, 1);
	rig_free(r);
}

/* MI-8: the window slides over what was sent; nothing is sent twice. */
TEST(what_was_sent_beyond_the_pc_is_passed_over)
{
	rig *r = begin();
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, movi(6, 1), delay(1));
	rig_put(r, sfu(7), delay(1));
	rig_put(r, sfu(8), delay(1));
	rig_put(r, coord(9), delay(1));
	rig_put(r, movi(10, 1), delay(1));
	rig_exit(r);
	expect(r, 3, "0:ac 1:bde 2:f 3:g");
	rig_free(r);
	r = begin();
	for (unsigned i = 0; i < 3; i++)
		rig_put(r, movi(5 + i, 1), delay(1));
	rig_put(r, sfu(8), delay(1));
	rig_put(r, coord(9), delay(1));
	rig_exit(r);
	expect(r, 3, "0:a 1:bd 2:ce 3:f");
	expect(r, 8, "0:ade 1:b 2:c 3:f");
	rig_free(r);
}

/* docs/timing.md, rule 7: a delay holds back the next one of its pipe, and everything that is sent alone; other pipes go on. */
TEST(a_delay_is_that_of_its_pipe)
{
	rig *r = begin();
	rig_put(r, movi(5, 1), delay(4));
	rig_put(r, alui(HD_OP_IADD, 6, 5, 1), delay(6));
	rig_put(r, coord(7), delay(1));
	rig_put(r, sfu(8), delay(1));
	rig_exit(r);
	expect(r, 8, "0:acd 4:b 10:e");
	expect(r, 1, "0:a 4:b 10:c 11:d 12:e");
	rig_free(r);
	r = begin();
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, alui(HD_OP_IADD, 6, 5, 1), hold_back(5));
	rig_put(r, coord(7), delay(1));
	rig_exit(r);
	expect(r, 8, "0:ac 6:b 7:d");
	rig_free(r);
}

/* The shortest delay holds back what is sent alone, too. */
TEST(a_delay_of_two_before_the_end)
{
	rig *r = begin();
	rig_put(r, movi(5, 1), delay(2));
	rig_exit(r);
	expect(r, 8, "0:a 2:b");
	rig_free(r);
}

/* PD-12: the window ends where the buffer does. The third line comes late, as the buffer holds one line. */
TEST(what_is_not_fetched_is_no_candidate)
{
	for (unsigned lines = 1; lines <= 4; lines += 3) {
		rig *r = begin();
		r->machine.predecode_buffer = lines * hd_line_instructions(r->machine.predecode_geometry);
		for (unsigned i = 0; i < 6; i++)
			rig_put(r, movi(5 + i, 1), delay(1));
		rig_put(r, movi(11, 1), delay(1));
		rig_put(r, coord(12), delay(1)); /* h: the first one of the line */
		rig_exit(r);
		expect(r, 8, lines == 1 ? "0:a 1:b 2:c 3:d 4:e 5:f 6:g *" : "0:ah 1:b 2:c 3:d 4:e 5:f 6:g 7:i");
		rig_free(r);
	}
}

/* MI-5, uses of one counter: who raises it again is not sent before, nor with, one that waits for it. */
TEST(a_counter_is_used_in_order)
{
	rig *r = begin();
	uint32_t latency = r->machine.latency[HD_CLASS_SFU].latency;
	char expected[64];
	rig_put(r, primary(sfu(5), 1), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 1), delay(1));
	rig_put(r, primary(coord(7), 1), delay(1));
	rig_put(r, primary(load(HD_OP_LDC, 8, HD_RZ, 0), 5), delay(1));
	rig_exit(r);
	/* a enters at 1; b leaves its queue when a is written, and the wait counter falls that holds c. */
	snprintf(expected, sizeof expected, "0:abd %u:c %u:e", 1 + latency, 2 + latency);
	expect(r, 4, expected);
	rig_free(r);
}

/* MI-2: nothing is sent past what waits for a high-latency counter; with multi_issue.pass_waits it keeps its place in the window, and other types are
 * (docs/timing.md, rule 8). */
TEST(a_high_latency_wait_holds_back_the_rest_or_its_own_kind)
{
	rig *r = begin();
	uint32_t there = 1 + r->machine.latency[HD_CLASS_LSU].latency + r->machine.memory_constant_latency;
	char expected[64];
	rig_put(r, primary(load(HD_OP_LDC, 5, HD_RZ, 0), 5), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 5), delay(1));
	rig_put(r, coord(7), delay(1));
	rig_put(r, movi(8, 1), delay(1));
	rig_exit(r);
	snprintf(expected, sizeof expected, "0:a %u:bc %u:d %u:e", there, there + 1, there + 2);
	expect(r, 2, expected);
	expect(r, 8, expected);
	r->machine.multi_issue_pass_waits = true;
	snprintf(expected, sizeof expected, "0:a 1:c %u:b %u:d %u:e", there, there + 1, there + 2);
	expect(r, 2, expected);
	snprintf(expected, sizeof expected, "0:ac %u:b %u:d %u:e", there, there + 1, there + 2);
	expect(r, 8, expected);
	snprintf(expected, sizeof expected, "0:a %u:b %u:c %u:d %u:e", there, there + 1, there + 2, there + 3);
	expect(r, 1, expected);
	rig_free(r);
}

/* MI-13: an instruction that waits for a high-latency counter keeps its place, or takes none. So does one whose counter an unsent instruction is to
 * raise. A window of one is single issue in both cases. */
TEST(what_waits_long_takes_a_place_or_none)
{
	rig *r = begin();
	uint32_t there = 1 + r->machine.latency[HD_CLASS_LSU].latency + r->machine.memory_constant_latency;
	char expected[64];
	r->machine.multi_issue_pass_waits = true;
	rig_put(r, primary(load(HD_OP_LDC, 5, HD_RZ, 0), 5), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 5), delay(1));
	rig_put(r, coord(7), delay(1));
	rig_put(r, coord(8), delay(1));
	rig_put(r, sfu(9), delay(1));
	rig_exit(r);
	snprintf(expected, sizeof expected, "0:a 1:c 2:d 3:e %u:b %u:f", there, there + 1);
	expect(r, 2, expected);
	r->machine.multi_issue_places = HD_PLACES_ELIGIBLE;
	snprintf(expected, sizeof expected, "0:ac 1:de %u:b %u:f", there, there + 1);
	expect(r, 2, expected);
	snprintf(expected, sizeof expected, "0:a %u:b %u:c %u:d %u:e %u:f", there, there + 1, there + 2, there + 3, there + 4);
	expect(r, 1, expected);
	r->machine.multi_issue_pass_waits = false;
	snprintf(expected, sizeof expected, "0:a %u:bc %u:de %u:f", there, there + 1, there + 2);
	expect(r, 3, expected);
	rig_free(r);
}

/* MI-13: the window reaches beyond as many waiting instructions as it has places. */
TEST(eligible_places_reach_beyond_what_waits)
{
	rig *r = begin();
	uint32_t there = 1 + r->machine.latency[HD_CLASS_LSU].latency + r->machine.memory_constant_latency;
	char expected[64];
	r->machine.multi_issue_pass_waits = true;
	r->machine.multi_issue_places = HD_PLACES_ELIGIBLE;
	rig_put(r, primary(load(HD_OP_LDC, 5, HD_RZ, 0), 5), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 5), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 7, 5, 1), 5), delay(1));
	rig_put(r, coord(8), delay(1));
	rig_put(r, coord(9), delay(1));
	rig_exit(r);
	snprintf(expected, sizeof expected, "0:ad 1:e %u:b %u:c %u:f", there, there + 1, there + 2);
	expect(r, 2, expected);
	rig_free(r);
}

TEST(what_will_wait_long_takes_no_place)
{
	for (unsigned places = HD_PLACES_UNSENT; places <= HD_PLACES_ELIGIBLE; places++) {
		rig *r = begin();
		r->machine.multi_issue_pass_waits = true;
		r->machine.multi_issue_places = (hd_places)places;
		rig_put(r, primary(load(HD_OP_LDC, 5, HD_RZ, 0), 5), delay(1));
		rig_put(r, primary(load(HD_OP_LDC, 6, HD_RZ, 0), 6), delay(1));
		rig_put(r, waits(alui(HD_OP_IADD, 7, 6, 1), 6), delay(1));
		rig_put(r, coord(8), delay(1));
		rig_put(r, sfu(9), delay(1)); /* beyond three places in both */
		rig_exit(r);
		expect(r, 3, places == HD_PLACES_ELIGIBLE ? "0:ad 1:be *" : "0:a 1:bd 2:e *");
		rig_free(r);
	}
}

/* MI-13: once the counter has fallen that an instruction of the window raised, who waits for it is a candidate. */
TEST(who_waited_long_takes_a_place_again)
{
	rig *r = begin();
	uint32_t there = 3 + r->machine.latency[HD_CLASS_LSU].latency + r->machine.memory_constant_latency; /* a keeps the pipe for two cycles */
	char expected[64];
	r->kernel.shared_bytes = 128;
	r->machine.memory_shared_latency = 100;
	r->machine.multi_issue_pass_waits = true;
	r->machine.multi_issue_places = HD_PLACES_ELIGIBLE;
	rig_put(r, primary(load(HD_OP_LDS, 5, HD_RZ, 0), 6), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 6), delay(1));
	rig_put(r, primary(load(HD_OP_LDC, 7, HD_RZ, 0), 5), delay(1));
	rig_put(r, waits(alu(HD_OP_FEX2, 8, 7, HD_RZ, HD_RZ), 5), delay(1));
	rig_put(r, coord(9), delay(15)); /* a candidate that waits for time alone keeps the warp from being de-scheduled */
	rig_put(r, coord(10), delay(15));
	rig_put(r, coord(11), delay(1));
	rig_exit(r);
	snprintf(expected, sizeof expected, "0:a 1:ce 16:f %u:d 31:g *", there);
	expect(r, 2, expected);
	rig_free(r);
}

/* multi_issue.hold: where so many wait already, one that would wait stays in the window; a dependent pair is sent all the same (MI-6). */
TEST(a_queue_is_not_filled_with_what_waits)
{
	rig *r = begin();
	uint32_t latency = r->machine.latency[HD_CLASS_SFU].latency;
	char expected[64];
	rig_put(r, primary(sfu(5), 1), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 1), delay(1));
	rig_put(r, primary(sfu(7), 2), delay(1));
	rig_put(r, waits(alui(HD_OP_IADD, 8, 7, 1), 2), delay(1));
	rig_exit(r);
	r->machine.multi_issue_hold = 2;
	expect(r, 4, "0:ab 1:cd 2:e");
	r->machine.multi_issue_hold = 1;
	/* b leaves its queue when a is written. */
	snprintf(expected, sizeof expected, "0:ab 1:c %u:d %u:e", 1 + latency, 2 + latency);
	expect(r, 4, expected);
	rig_free(r);
}

/* MI-1: the types come from the pre-decode bytes. What has none there is of no type that the scheduler knows: it goes alone. A queue takes
 * one instruction of a warp a cycle even if the bytes wrongly say that there are two of different types (PD-18: the checker finds that). */
TEST(types_come_from_the_predecode_byte)
{
	rig *r = begin();
	r->machine.multi_issue_types = HD_TYPES_PREDECODE;
	rig_put(r, movi(5, 1), typed(1, HD_PIPE_ALU));
	rig_put(r, coord(6), typed(1, HD_PIPE_COORD));
	rig_put(r, sfu(7), delay(1));
	rig_put(r, coord(8), typed(1, HD_PIPE_COORD));
	rig_put(r, sfu(9), typed(1, HD_PIPE_SFU));
	rig_put(r, movi(10, 1), hold_back(0));
	rig_exit(r);
	expect(r, 8, "0:ab 1:c 2:de 3:f 4:g");
	r->machine.multi_issue_types = HD_TYPES_OPCODE;
	expect(r, 8, "0:abc 1:def 2:g");
	rig_free(r);
	r = begin();
	r->machine.multi_issue_types = HD_TYPES_PREDECODE;
	rig_put(r, movi(5, 1), typed(1, HD_PIPE_ALU));
	rig_put(r, movi(6, 1), typed(1, HD_PIPE_LSU));
	rig_exit(r);
	expect(r, 8, "0:a 1:b 2:c");
	rig_free(r);
	/* PD-24: a wait does not name the type, and the second hint does. */
	for (unsigned second = 0; second < 2; second++) {
		r = begin();
		r->machine.multi_issue_types = HD_TYPES_PREDECODE;
		rig_put(r, movi(5, 1), typed(1, HD_PIPE_ALU));
		rig_put(r, coord(6), (uint16_t)(hold_back(0) | (second ? typed(1, HD_PIPE_COORD) << 8 : 0)));
		rig_exit(r);
		expect(r, 8, second ? "0:ab 1:c" : "0:a 1:b 2:c");
		rig_free(r);
	}
}

/* The types that share a form, f64, cvt, tex and latom, are one type then; with the opcode they are several. */
TEST(types_that_share_a_form_are_one)
{
	rig *r = begin();
	r->machine.multi_issue_types = HD_TYPES_PREDECODE;
	rig_put(r, alu(HD_OP_DABS, 6, 6, HD_RZ, HD_RZ), typed(1, HD_PIPE_F64));
	rig_put(r, alu(HD_OP_I2I, 8, 9, HD_RZ, HD_RZ), typed(1, HD_PIPE_CVT));
	rig_exit(r);
	expect(r, 8, "0:a 1:b 2:c");
	r->machine.multi_issue_types = HD_TYPES_OPCODE;
	expect(r, 8, "0:ab 1:c");
	rig_free(r);
}

/* MI-14: a class goes to the pipe that the machine gives it, and its type follows. Floats go together with integers only in a pipe of their own. */
TEST(classes_are_of_the_pipes_that_the_machine_says)
{
	rig *r = begin();
	r->machine.multi_issue_types = HD_TYPES_OPCODE;
	rig_put(r, movi(5, 1), typed(1, HD_PIPE_ALU));
	rig_put(r, alu(HD_OP_FADD, 6, HD_RZ, HD_RZ, HD_RZ), typed(1, HD_PIPE_TEX));
	rig_put(r, alu(HD_OP_IMUL, 7, HD_RZ, HD_RZ, HD_RZ), typed(1, HD_PIPE_ALU));
	rig_put(r, alu(HD_OP_I2I, 8, 9, HD_RZ, HD_RZ), typed(1, HD_PIPE_CVT));
	rig_exit(r);
	expect(r, 8, "0:ad 1:b 2:c 3:e");
	r->machine.pipe[HD_CLASS_FMA] = HD_PIPE_TEX;
	expect(r, 8, "0:abd 1:c 2:e");
	r->machine.pipe[HD_CLASS_CVT] = HD_PIPE_ALU;
	expect(r, 8, "0:ab 1:c 2:d 3:e");
	r->machine.pipe[HD_CLASS_CVT] = HD_PIPE_CVT;
	r->machine.multi_issue_types = HD_TYPES_PREDECODE; /* `rest` stands for tex and for cvt */
	expect(r, 8, "0:ab 1:cd 2:e");
	rig_free(r);
}

/* MI-9, RC-2: threads parked at the join miss nothing of what stands there, whatever its type. */
TEST(nothing_is_sent_at_or_beyond_minrc)
{
	uint64_t issued = 0; /* without a window: once for all lanes behind the join */
	for (unsigned layout = 0; layout < 8 * 7; layout++) {
		rig *r = rig_new(32);
		r->machine.multi_issue_window = 1 + layout % 8;
		for (unsigned i = 0; i < layout / 8; i++) /* the join stands at any place of a line */
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_address(r);
		rig_put(r, movi(5, 0x40000000), delay(15)); /* 2.0 */
		rig_put(r, primary(movi(6, 100), 1), delay(15));
		rig_put(r, waits(setpi(HD_CMP_LT, 0, 0, 16), 1), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		uint32_t skip = rig_put(r, guarded(branch(HD_OP_BRA, 0), 0, 0), 0);
		rig_put(r, movi(6, 200), delay(1)); /* lanes 16.. */
		rig_put(r, movi(10, 1), delay(1));
		r->slots[skip].inst.imm = (int32_t)rig_here(r);
		rig_put(r, primary(sfu(7), 1), delay(1)); /* all lanes: 1.0 */
		rig_put(r, primary(coord(8), 2), delay(1));
		rig_put(r, waits(waits(alu(HD_OP_IADD, 9, 7, 8, HD_RZ), 1), 2), delay(4));
		rig_put(r, primary(alu(HD_OP_IADD, 9, 9, 6, HD_RZ), 3), delay(1));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 9), 3), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		for (unsigned t = 0; t < 32; t++)
			assert_int_equal(rig_out(r, t), 0x3f800000 + t + (t < 16 ? 100 : 200));
		assert_int_equal(r->stats.divergence_resumes, 1);
		issued = layout % 8 ? issued : r->stats.run_issued;
		assert_int_equal(r->stats.run_issued, issued);
		rig_free(r);
	}
}
