/* The parts of the bounded exhaustion (exhaust.c): the enumeration is complete and has nothing twice, the frame hides nothing, and a trial tells
 * right from wrong (HZ-27). */
#include "../test.h"

#include "families.h"
#include "tally.h"

#define O(id) (1u << TINY_##id)

static void machine_of(unsigned number, hd_machine *machine)
{
	static subject s;
	subject_init(&s, number);
	*machine = s.machine;
}

typedef struct cores {
	HD_VEC(tiny) list;
} cores;

static bool collect(void *context, const tiny *core, bool fresh)
{
	cores *c = context;
	hd_vec_push(&c->list, *core);
	return true;
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(tiny)); }

static void sort(cores *c)
{
	if (c->list.n)
		qsort(c->list.at, c->list.n, sizeof(tiny), by_bytes);
}

static void enumerate_all(const family *f, const hd_machine *machine, cores *c)
{
	visitor v = {.visit = collect, .context = c, .sequences = 1, .programs = 1};
	enumerated e = enumerate(f, machine, &v);
	assert_int_equal(e.programs, c->list.n);
	sort(c);
}

/* -- the enumeration against all combinations of all fields ------------------------------------------------------------------------------- */

/* Registers in the order of their first use, the source before the destination; what one instruction alone names is its own. */
static bool registers_in_order(const tiny *core)
{
	unsigned named[TINY_SHARED] = {0}, next = 0;
	for (unsigned i = 0; i < core->n; i++) {
		const uint8_t operands[2] = {core->at[i].a, core->at[i].d};
		for (unsigned k = 0; k < 2; k++) {
			if (operands[k] >= TINY_SHARED)
				continue;
			if (!named[operands[k]]++ && operands[k] != next++)
				return false;
		}
	}
	for (unsigned r = 0; r < next; r++)
		if (named[r] < 2)
			return false;
	return true;
}

static bool registers_written(const tiny *core)
{
	unsigned used = 0, written = 0;
	for (unsigned i = 0; i < core->n; i++) {
		used |= core->at[i].a < TINY_SHARED ? 1u << core->at[i].a : 0;
		written |= core->at[i].d < TINY_SHARED ? 1u << core->at[i].d : 0;
	}
	return !(used & ~written);
}

static bool counters_in_order(const tiny *core, const hd_machine *machine)
{
	unsigned next[2] = {1, 4};
	for (unsigned i = 0; i < core->n; i++) {
		const tiny_inst *inst = &core->at[i];
		bool high = hd_machine_high_latency(machine, tiny_class(inst));
		if (inst->release && (!inst->primary || (!tiny_info_of(inst)->a && inst->guard == GUARD_NONE)))
			return false;
		if (!inst->primary)
			continue;
		if ((inst->primary > 3) != high || inst->primary > next[high])
			return false;
		next[high] += inst->primary == next[high];
	}
	return true;
}

/* Who raises a counter is waited for, who waits is waiting for somebody, and nobody for himself. */
static bool waits_match(const tiny *core)
{
	for (unsigned i = 0; i < core->n; i++) {
		unsigned raised = 0, waited = 0, own = core->at[i].primary ? 1u << (core->at[i].primary - 1) : 0;
		for (unsigned k = 0; k < i; k++)
			raised |= core->at[k].primary ? 1u << (core->at[k].primary - 1) : 0;
		for (unsigned k = i + 1; k < core->n; k++)
			waited |= core->at[k].wait;
		if (core->at[i].wait & (~raised | own) || own & ~waited)
			return false;
	}
	return true;
}

static bool guards_in_order(const tiny *core)
{
	unsigned i = 0;
	while (i < core->n && core->at[i].guard == GUARD_NONE)
		i++;
	return i == core->n || core->at[i].guard == GUARD_P0;
}

static bool is_wanted(const tiny *core, const hd_machine *machine)
{
	return registers_in_order(core) && registers_written(core) && counters_in_order(core, machine) && waits_match(core) &&
	       guards_in_order(core) && tiny_depends(&core->at[0], &core->at[1]);
}

enum { FIRST_WAITS_FOR_NOBODY = 1, WAITS = 1 << 5 };

/* Every value of every field of instruction `i`, and those behind it. */
static void put_all(cores *c, tiny *core, unsigned i, const family *f, const hd_machine *machine)
{
	if (i == core->n) {
		if (is_wanted(core, machine))
			hd_vec_push(&c->list, *core);
		return;
	}
	static const uint8_t counters[] = {0, 1, 2, 4, 5};
	tiny_inst *inst = &core->at[i];
	for (unsigned op = 0; op < TINY_OPS; op++) {
		if (!(f->ops[i] >> op & 1))
			continue;
		const tiny_info *info = &tiny_infos[op];
		for (unsigned choice = 0; choice < 3 * 3 * 3 * HD_COUNT(counters) * 2 * (i ? WAITS : FIRST_WAITS_FOR_NOBODY); choice++) {
			unsigned rest = choice;
			*inst = (tiny_inst){.op = (uint8_t)op, .d = OPERAND_NONE, .a = OPERAND_NONE, .hint = HD_HINT_DELAY, .cycles = 1};
			unsigned d = rest % 3, a = (rest /= 3) % 3;
			if ((d && !info->d) || (a && !info->a))
				continue;
			if (info->d)
				inst->d = (uint8_t)(d == 2 ? OPERAND_OWN : d);
			if (info->a)
				inst->a = (uint8_t)(a == 2 ? OPERAND_OWN : a);
			inst->guard = (uint8_t)((rest /= 3) % 3); /* none, p0, not p0 */
			inst->primary = counters[(rest /= 3) % HD_COUNT(counters)];
			inst->release = (rest /= HD_COUNT(counters)) % 2;
			inst->wait = (uint8_t)(rest / 2);
			put_all(c, core, i + 1, f, machine);
		}
	}
	*inst = (tiny_inst){0};
}

TEST(enumeration_is_complete)
{
	const uint32_t ops = O(XOR) | O(I2F) | O(ISETP) | O(LDS) | O(ATOMS);
	const family f = {.name = "test", .length = 2, .ops = {ops, ops}, .guards = GUARDS_ALL, .shared = 2};
	hd_machine machine;
	cores found = {{0}}, all = {{0}};
	tiny core = {.n = 2};
	machine_of(MACHINE_SINGLE, &machine);
	enumerate_all(&f, &machine, &found);
	put_all(&all, &core, 0, &f, &machine);
	sort(&all);
	assert_int_equal(found.list.n, all.list.n);
	assert_memory_equal(found.list.at, all.list.at, all.list.n * sizeof(tiny));
	assert_true(all.list.n > 500);
	hd_vec_free(&found.list);
	hd_vec_free(&all.list);
}

TEST(nothing_comes_twice)
{
	static const char *const names[] = {"two-hints", "two-counters", "branch", "three-predicates", "exit"};
	hd_machine machine;
	machine_of(MACHINE_WINDOW, &machine);
	for (unsigned i = 0; i < n_families; i++) {
		cores c = {{0}};
		bool wanted = false;
		for (unsigned k = 0; k < HD_COUNT(names); k++)
			wanted |= strcmp(names[k], families[i].name) == 0;
		if (!wanted)
			continue;
		enumerate_all(&families[i], &machine, &c);
		for (size_t k = 1; k < c.list.n; k++)
			assert_memory_not_equal(&c.list.at[k - 1], &c.list.at[k], sizeof(tiny));
		hd_vec_free(&c.list);
	}
}

TEST(shards_are_the_whole)
{
	const uint32_t ops = O(XOR) | O(IMUL) | O(STS);
	const family f = {.name = "test", .length = 3, .ops = {ops, ops, ops}, .guards = GUARDS_NONE, .shared = 1, .hints = HINT_DELAYS};
	hd_machine machine;
	cores whole = {{0}}, shards = {{0}};
	machine_of(MACHINE_PAIRS, &machine);
	enumerate_all(&f, &machine, &whole);
	for (unsigned shard = 0; shard < 3; shard++) {
		visitor v = {.visit = collect, .context = &shards, .sequences = 1, .programs = 3, .shard = shard};
		assert_int_equal(enumerate(&f, &machine, &v).programs, whole.list.n);
	}
	sort(&shards);
	assert_int_equal(shards.list.n, whole.list.n);
	assert_memory_equal(shards.list.at, whole.list.at, whole.list.n * sizeof(tiny));
	visitor v = {.visit = collect, .context = &shards, .sequences = 1, .programs = 1, .limit = 7};
	assert_int_equal(enumerate(&f, &machine, &v).visited, 7);
	hd_vec_free(&whole.list);
	hd_vec_free(&shards.list);
}

/* -- lanes -------------------------------------------------------------------------------------------------------------------------------- */

TEST(lanes_follow_branches)
{
	uint8_t lanes[TINY_LENGTH];
	/* @p0 bra 2; xor; @!p0 exit; @p0 xor */
	tiny core = {.n = 4,
	             .at = {{.op = TINY_BRA, .guard = GUARD_P0, .target = 2},
	                    {.op = TINY_XOR},
	                    {.op = TINY_EXIT, .guard = GUARD_NOT_P0},
	                    {.op = TINY_XOR, .guard = GUARD_P0}}};
	assert_int_equal(tiny_lanes(&core, lanes), 2);
	assert_int_equal(lanes[0], 2);
	assert_int_equal(lanes[1], 1);
	assert_int_equal(lanes[2], 1);
	assert_int_equal(lanes[3], 2);
	/* Behind a jump of all nobody comes; the end is reached by the jump. */
	core.at[0].guard = GUARD_NONE;
	core.at[0].target = 4;
	assert_int_equal(tiny_lanes(&core, lanes), 3);
	assert_int_equal(lanes[1], 0);
	/* Nothing is known of a p0 that the core writes. */
	core.at[0] = (tiny_inst){.op = TINY_ISETP};
	assert_int_equal(tiny_lanes(&core, lanes), 3);
	assert_int_equal(lanes[3], 3);
	/* A subroutine has the lanes of its call. */
	tiny call = {.n = 3, .callee = 2, .at = {{.op = TINY_CALL, .guard = GUARD_P0}, {.op = TINY_XOR}, {.op = TINY_RET}}};
	assert_int_equal(tiny_lanes(&call, lanes), 3);
	assert_int_equal(lanes[1], 2);
}

/* -- the frame ---------------------------------------------------------------------------------------------------------------------------- */

TEST(an_empty_frame_is_proven_and_right)
{
	const tiny core = {0};
	for (unsigned machine = 0; machine < MACHINES; machine++) {
		trial *t = trial_new(machine, EFFORT_FULL);
		for (unsigned i = 0; i < n_timings; i++) { /* each timing of the wider set in turn */
			verdict v = trial_run(t, &core, true);
			assert_true(v.proven);
			assert_int_equal(v.wrong, -1);
		}
		trial_free(t);
	}
}

static void expect_text(const tiny *core, const char *expected)
{
	hd_machine machine;
	hd_text text = {0};
	frame f;
	machine_of(MACHINE_SINGLE, &machine);
	frame_init(&f, &machine);
	frame_put(&f, core);
	frame_print(&f, &text);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
	frame_free(&f);
}

TEST(cores_become_assembly)
{
	/* The frame's plop belongs to the target of a loop. */
	const tiny loop = {
	    .n = 3,
	    .at = {{.op = TINY_LDS, .d = OPERAND_X, .a = OPERAND_NONE, .primary = 4, .hint = HD_HINT_DELAY, .cycles = 1},
	           {.op = TINY_XOR, .d = OPERAND_OWN, .a = OPERAND_X, .guard = GUARD_NOT_P0, .wait = 8, .hint = HD_HINT_DELAY, .cycles = 3},
	           {.op = TINY_LOOP, .target = 1, .hint = HD_HINT_DELAY, .cycles = 1}}};
	expect_text(&loop, "  17\tlds.32 r4, [r0+1024]  {p4.w delay 1}\n"
	                   "  18\tplop p1, p1, pt, pt, 0x0f  {p3.w delay 1}\n"
	                   "  19\t@!p0 xor r11, r4, #-4643  {w000100 delay 3}\n"
	                   "  20\t@p1 bra 18  {w001000 delay 1}\n");
	const tiny call = {.n = 4,
	                   .callee = 2,
	                   .at = {{.op = TINY_I2F, .d = OPERAND_X, .a = OPERAND_Y, .primary = 1, .release = 1, .hint = HD_HINT_DELAY, .cycles = 1},
	                          {.op = TINY_CALL, .wait = 1, .hint = HD_HINT_DELAY, .cycles = 1},
	                          {.op = TINY_STS, .a = OPERAND_X, .d = OPERAND_NONE, .hint = HD_HINT_MAY_REPLAY, .cycles = 1, .last_use = 1},
	                          {.op = TINY_RET, .hint = HD_HINT_DELAY, .cycles = 1}}};
	expect_text(&call, "  17\ti2f.f32.u32 r4, r5  {p1.r delay 1}\n"
	                   "  18\tcall 33  {w100000 delay 1}\n"
	                   "  33\tsts.32 [r0], r4.lu  {may_replay 1}\n"
	                   "  34\tret  {delay 1}\n");
}

/* -- trials ------------------------------------------------------------------------------------------------------------------------------- */

#define INST(...)                                                                                     \
	{                                                                                             \
		.d = OPERAND_NONE, .a = OPERAND_NONE, .hint = HD_HINT_DELAY, .cycles = 1, __VA_ARGS__ \
	}
#pragma GCC diagnostic ignored "-Woverride-init"

TEST(trials_tell_right_from_wrong)
{
	static const struct {
		const char *what;
		bool proven, wrong;
		tiny core;
	} cases[] = {
	    {"RAW, a cycle too near",
	     false,
	     true,
	     {.n = 2, .at = {INST(.op = TINY_XOR, .d = 0, .a = 3, .cycles = 2), INST(.op = TINY_XOR, .d = 3, .a = 0)}}},
	    {"RAW, far enough",
	     true,
	     false,
	     {.n = 2, .at = {INST(.op = TINY_XOR, .d = 0, .a = 3, .cycles = 3), INST(.op = TINY_XOR, .d = 3, .a = 0)}}},
	    {"WAW in one cycle, which happens to be in order",
	     false,
	     false,
	     {.n = 2, .at = {INST(.op = TINY_IMUL, .d = 0, .a = 3, .cycles = 2), INST(.op = TINY_XOR, .d = 0, .a = 3)}}},
	    {"WAW, two cycles too near",
	     false,
	     true,
	     {.n = 2, .at = {INST(.op = TINY_IMUL, .d = 0, .a = 3, .cycles = 1), INST(.op = TINY_XOR, .d = 0, .a = 3)}}},
	    {"WAW, far enough",
	     true,
	     false,
	     {.n = 2, .at = {INST(.op = TINY_IMUL, .d = 0, .a = 3, .cycles = 3), INST(.op = TINY_XOR, .d = 0, .a = 3)}}},
	    {"WAR between pipes", false, true, {.n = 2, .at = {INST(.op = TINY_STS, .a = 0), INST(.op = TINY_XOR, .d = 0, .a = 3)}}},
	    {"WAR, waited for",
	     true,
	     false,
	     {.n = 2, .at = {INST(.op = TINY_STS, .a = 0, .primary = 4, .release = 1), INST(.op = TINY_XOR, .d = 0, .a = 3, .wait = 8)}}},
	    {"RAW behind a release by read",
	     false,
	     true,
	     {.n = 2, .at = {INST(.op = TINY_I2F, .d = 0, .a = 3, .primary = 1, .release = 1), INST(.op = TINY_XOR, .d = 3, .a = 0, .wait = 1)}}},
	    {"RAW on p0", false, true, {.n = 2, .at = {INST(.op = TINY_ISETP, .a = 3), INST(.op = TINY_XOR, .d = 3, .a = 3, .guard = GUARD_P0)}}},
	    {"order of shared memory", false, true, {.n = 2, .at = {INST(.op = TINY_ATOMS, .d = 3, .a = 3), INST(.op = TINY_STS, .a = 3)}}},
	    {"a load without a counter: the frame waits for it", true, false, {.n = 1, .at = {INST(.op = TINY_LDG, .d = 0)}}},
	};
	trial *t = trial_new(MACHINE_SINGLE, EFFORT_WIDE);
	for (unsigned i = 0; i < HD_COUNT(cases); i++) {
		verdict v = trial_run(t, &cases[i].core, true);
		if (v.proven != cases[i].proven || (v.wrong >= 0) != cases[i].wrong)
			fail_msg("%s: proven %d, wrong with timing %d", cases[i].what, v.proven, v.wrong);
	}
	/* A proven program that gives other bytes than the interpreter is noticed: here the bytes of the program before. */
	trial_run(t, &cases[3].core, true);
	verdict v = trial_run(t, &cases[1].core, false);
	assert_true(v.proven);
	assert_int_equal(v.wrong, 0);
	trial_free(t);
}

TEST(tallies_fail_where_they_must)
{
	const tiny core = {.n = 2};
	tally t;
	tally_init(&t);
	tally_count(&t, &core, &(verdict){.proven = true, .ran = true, .wrong = -1, .cause = CAUSES});
	for (unsigned i = 0; i < 98; i++)
		tally_count(&t, &core,
		            &(verdict){.ran = true, .kind = HD_HAZARD_WAR, .wrong = i < 70 ? 3 : -1, .cause = i < 70 ? CAUSES : CAUSE_VALUE});
	assert_true(tally_holds(&t)); /* 71 %, of too few */
	for (unsigned i = 0; i < 41; i++)
		tally_count(&t, &core, &(verdict){.ran = true, .kind = HD_HAZARD_WAR, .wrong = 3, .cause = CAUSES});
	tally_count(&t, &core, &(verdict){.ran = true, .kind = HD_HAZARD_RAW, .wrong = -1, .cause = CAUSE_VALUE});
	assert_true(tally_holds(&t));
	assert_int_equal(t.never[CAUSE_VALUE], 29);
	assert_int_equal(t.example[CAUSE_VALUE].n, 2);
	tally poor = t;
	for (unsigned i = 0; i < 40; i++)
		tally_count(&poor, &core, &(verdict){.ran = true, .kind = HD_HAZARD_WAW, .wrong = -1, .cause = CAUSE_VALUE});
	assert_false(tally_holds(&poor));
	/* Refuted programs that did not run say nothing. */
	tally few = t;
	for (unsigned i = 0; i < 40; i++)
		tally_count(&few, &core, &(verdict){.kind = HD_HAZARD_WAW, .wrong = -1, .cause = CAUSES});
	assert_true(tally_holds(&few));
	tally_count(&t, &core, &(verdict){.proven = true, .ran = true, .wrong = 0, .cause = CAUSES});
	assert_int_equal(t.unsound, 1);
	assert_false(tally_holds(&t));
}
