/* For tests of windows of time (PA-2): kernels that wait for memory, on machines without and with slices of the second level, and what a run in
 * windows has in common with one that is simulated cycle by cycle. */
#ifndef HD_WINDOW_RIG_H
#define HD_WINDOW_RIG_H

#include "../core/rig.h"
#include "device/windows.h"

/* Slices with much room, banks with rows and refresh; and hardly any room anywhere, so that requests wait in the crossbar (MT-4). */
static const char *const wide[] = {"memory.slices=8", "memory.dram_partitions=2", "memory.dram_banks=8", "memory.dram_refresh_interval=400", NULL};
static const char *const narrow[] = {"memory.slices=2",         "memory.slice_queue=1",
                                     "memory.slice_banks=1",    "memory.slice_bank_cycles=9",
                                     "memory.request_bytes=10", "memory.request_queue=1",
                                     "memory.answer_bytes=5",   "memory.l2_misses=2",
                                     "memory.l2_bytes=16384",   "memory.l2_ways=2",
                                     "memory.dram_queue=5",     "memory.dram_partitions=1",
                                     "memory.dram_banks=2",     "memory.dram_refresh_interval=600",
                                     "memory.dram_patience=40", NULL};
/* Those of the present test: each runs without slices and with each kind of them. */
static const char *const *settings;

enum { CTAS = 90, TABLE = 1 << 14, OUT = TABLE + CTAS * 32 + 64 };

static inline rig *new_rig(void)
{
	rig *r = rig_new(OUT);
	hd_diag diag = {0};
	for (const char *const *s = settings; s && *s; s++)
		assert_true(hd_machine_set(&r->machine, *s, &diag));
	return r;
}

/* Each CTA goes through the table from a place of its own, as often as its number says, and adds up what it reads. It stores each sum and adds it to
 * a word that all CTAs share. `stride`: bytes between two places. `fewer`: what is left to do after a place; 0: it never ends. */
static inline rig *walker_with(int32_t stride, unsigned hint, int32_t fewer)
{
	rig *r = new_rig();
	hd_inst add = alu(HD_OP_ATOM, 11, 2, 5, HD_RZ);
	add.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->machine.machine_clusters = 4;
	r->machine.machine_cores = 2;
	r->launch.grid[0] = CTAS;
	uint32_t *table = hd_memory_at(r->memory, r->out, OUT * 4);
	for (uint32_t i = 0; i < TABLE; i++)
		table[i] = i * 2654435761u;
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, sreg(1, HD_SREG_CTAIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, alu(HD_OP_MOV, 9, 3, HD_RZ, HD_RZ), 0);
	rig_put(r, alui(HD_OP_AND, 4, 1, 15), 0);
	rig_put(r, movi(5, 0), 0);
	rig_put(r, alui(HD_OP_SHL, 6, 0, 7), 0);
	rig_put(r, alui(HD_OP_SHL, 7, 1, 5), 0);
	rig_put(r, alu(HD_OP_IADD, 6, 6, 7, HD_RZ), 0);
	uint32_t loop = rig_put(r, alui(HD_OP_IADD, 6, 6, stride), 0);
	rig_put(r, alui(HD_OP_AND, 7, 6, TABLE * 4 - 4), 0);
	rig_put(r, alu(HD_OP_IADD, 8, 2, 7, HD_RZ), 0);
	rig_put(r, load(HD_OP_LDG, 10, 8, 0), (uint16_t)hint);
	rig_put(r, alu(HD_OP_IADD, 5, 5, 10, HD_RZ), 0);
	rig_put(r, alui(HD_OP_IADD, 4, 4, fewer), 0);
	rig_put(r, setpi(HD_CMP_GT, 0, 4, 0), 0);
	rig_put(r, guarded(branch(HD_OP_BRA, loop), 0, 0), 0);
	add.imm = TABLE * 4 + CTAS * 128;
	rig_put(r, add, 0);
	rig_put(r, alui(HD_OP_SHL, 7, 1, 7), 0);
	rig_put(r, alui(HD_OP_SHL, 6, 0, 2), 0);
	rig_put(r, alu(HD_OP_IADD, 8, 2, 7, HD_RZ), 0);
	rig_put(r, alu(HD_OP_IADD, 8, 8, 6, HD_RZ), 0);
	rig_put(r, store(HD_OP_STG, 8, TABLE * 4, 5), 0);
	rig_exit(r);
	return r;
}

static inline rig *walker(int32_t stride, unsigned hint) { return walker_with(stride, hint, -1); }

/* Everything that an observer is told, one event after the other. */
typedef struct observer {
	hd_trace trace; /* first */
	uint64_t kinds[HD_TRACE_LOST + 1];
	HD_VEC(hd_trace_event) events;
	HD_VEC(uint32_t) more; /* addresses and resume counters */
} observer;

static inline void observe(hd_trace *trace, const hd_trace_event *event)
{
	observer *o = (observer *)trace;
	hd_trace_event plain = *event;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		if (event->kind == HD_TRACE_ACCESS) {
			hd_vec_push(&o->more, event->address[0].v[lane]);
			hd_vec_push(&o->more, event->address[1].v[lane]);
		} else if (event->kind == HD_TRACE_FLOW) {
			hd_vec_push(&o->more, event->resume[lane]);
		}
	}
	plain.address = NULL;
	plain.resume = NULL;
	hd_vec_push(&o->events, plain);
	o->kinds[event->kind]++;
}

static inline void forget(observer *o)
{
	hd_vec_free(&o->events);
	hd_vec_free(&o->more);
}

typedef struct outcome {
	bool ok;
	hd_stats stats;
	hd_trap trap;
	uint32_t *out;
} outcome;

static inline outcome outcome_of(rig *r, bool cycle_by_cycle, uint32_t threads)
{
	outcome o;
	uint8_t *bytes = hd_memory_at(r->memory, r->out, OUT * 4);
	uint32_t *before = hd_xmalloc(OUT * 4);
	memcpy(before, bytes, OUT * 4);
	r->options.cycle_by_cycle = cycle_by_cycle;
	r->options.threads = threads;
	o.ok = rig_run(r);
	o.stats = r->stats;
	o.trap = r->trap;
	o.trap.text = NULL;
	o.out = hd_xmalloc(OUT * 4);
	memcpy(o.out, bytes, OUT * 4);
	memcpy(bytes, before, OUT * 4);
	free(before);
	return o;
}

static inline void same(const outcome *a, const outcome *b)
{
	assert_int_equal(a->ok, b->ok);
	assert_int_equal(a->stats.run_cycles, b->stats.run_cycles);
	assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
	assert_memory_equal(a->out, b->out, OUT * 4);
	assert_int_equal(a->trap.kind, b->trap.kind);
	assert_int_equal(a->trap.cycle, b->trap.cycle);
	assert_int_equal(a->trap.core, b->trap.core);
	assert_int_equal(a->trap.pc, b->trap.pc);
	assert_memory_equal(a->trap.cta, b->trap.cta, sizeof a->trap.cta);
}

static const uint32_t threads_of[] = {1, 2, 3, 8, 1000};

/* All of them without slices; with slices, of which there are several kinds, one and another of the others each time. */
static inline bool is_tried(size_t which)
{
	static size_t turn;
	return !settings || !which || which == 1 + turn++ / (HD_COUNT(threads_of) - 1) % (HD_COUNT(threads_of) - 1);
}

static inline void same_events(const observer *a, const observer *b)
{
	assert_int_equal(a->events.n, b->events.n);
	assert_int_equal(memcmp(a->events.at, b->events.at, a->events.n * sizeof *a->events.at), 0);
	assert_int_equal(a->more.n, b->more.n);
	assert_int_equal(memcmp(a->more.at, b->more.at, a->more.n * sizeof *a->more.at), 0);
}

/* The rig's machine with an observer: the same events in the same order. */
static inline void tells_the_same(rig *r, const outcome *unobserved)
{
	static const hd_trace_kind always[] = {HD_TRACE_BEGIN, HD_TRACE_END,    HD_TRACE_ISSUE, HD_TRACE_ENTER, HD_TRACE_ACCESS,
	                                       HD_TRACE_FLOW,  HD_TRACE_MEMORY, HD_TRACE_DONE,  HD_TRACE_LOST,  HD_TRACE_REGISTERS};
	observer slow = {.trace.event = observe};
	r->options.trace = &slow.trace;
	outcome o = outcome_of(r, true, 1);
	same(unobserved, &o);
	free(o.out);
	for (size_t i = 0; i < HD_COUNT(threads_of); i++) {
		if (settings ? !is_tried(i) : i & 1)
			continue;
		observer fast = {.trace.event = observe};
		r->options.trace = &fast.trace;
		o = outcome_of(r, false, threads_of[i]);
		same(unobserved, &o);
		same_events(&slow, &fast);
		forget(&fast);
		free(o.out);
	}
	for (size_t i = 0; i < HD_COUNT(always); i++)
		assert_true(slow.kinds[always[i]]);
	forget(&slow);
	r->options.trace = NULL;
}

/* The rig's machine, in windows on any number of threads and cycle by cycle. */
static inline void agrees(rig *r)
{
	outcome slow = outcome_of(r, true, 1);
	assert_true(slow.ok);
	for (size_t i = 0; i < HD_COUNT(threads_of); i++) {
		if (!is_tried(i))
			continue;
		outcome fast = outcome_of(r, false, threads_of[i]);
		same(&slow, &fast);
		free(fast.out);
	}
	tells_the_same(r, &slow);
	free(slow.out);
}

static inline int with_wide_slices(void **state)
{
	settings = wide;
	return 0;
}

static inline int with_narrow_slices(void **state)
{
	settings = narrow;
	return 0;
}

static inline int without_slices(void **state)
{
	settings = NULL;
	return 0;
}

#define KINDS(test)                                                                                     \
	cmocka_unit_test(test), {#test " (wide slices)", test, with_wide_slices, without_slices, NULL}, \
	{                                                                                               \
#test " (narrow slices)", test, with_narrow_slices, without_slices, NULL                \
	}

#endif
