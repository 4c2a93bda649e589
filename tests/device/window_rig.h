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

/* More than new_rig's machine holds at a time, so that others begin in windows. With hardly any room a request takes long, so fewer CTAs are as many
 * cycles. */
enum { CTAS = 60, NARROW_CTAS = 40, TABLE = 1 << 14, OUT = TABLE + CTAS * 32 + 64 };

/* Four clusters, and a kernel that begins: R0 is the thread, R1 the CTA, R2 and R3 the address of the table. */
static inline rig *new_rig(void)
{
	rig *r = rig_new(OUT);
	hd_diag diag = {0};
	for (const char *const *s = settings; s && *s; s++)
		assert_true(hd_machine_set(&r->machine, *s, &diag));
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	r->machine.machine_clusters = 4;
	r->machine.machine_max_ctas = 8;
	r->launch.grid[0] = settings == narrow ? NARROW_CTAS : CTAS;
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, sreg(1, HD_SREG_CTAIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	return r;
}

/* Puts the low word of the address of the thread's word into register `at`; TABLE words lie between that one and the one for its result. */
static inline void own_word(rig *r, unsigned at)
{
	rig_put(r, alui(HD_OP_SHL, 7, 1, 7), 0);
	rig_put(r, alui(HD_OP_SHL, 6, 0, 2), 0);
	rig_put(r, alu(HD_OP_IADD, at, 2, 7, HD_RZ), 0);
	rig_put(r, alu(HD_OP_IADD, at, at, 6, HD_RZ), 0);
}

/* The kernel ends with a store of register `value` to the word of the thread. Requires own_word(r, at). */
static inline void store_and_exit(rig *r, unsigned at, unsigned value)
{
	rig_put(r, store(HD_OP_STG, at, TABLE * 4, value), 0);
	rig_exit(r);
}

/* Each CTA goes through the table from a place of its own, as often as its number says, and adds up what it reads. It stores each sum and adds it to
 * a word that all CTAs share. `stride`: bytes between two places. `fewer`: what is left to do after a place; 0: it never ends. */
static inline rig *walker_with(int32_t stride, unsigned hint, int32_t fewer)
{
	rig *r = new_rig();
	hd_inst add = alu(HD_OP_ATOM, 11, 2, 5, HD_RZ);
	add.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	r->machine.machine_cores = 2;
	uint32_t *table = hd_memory_at(r->memory, r->out, OUT * 4);
	for (uint32_t i = 0; i < TABLE; i++)
		table[i] = i * 2654435761u;
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
	own_word(r, 8);
	store_and_exit(r, 8, 5);
	return r;
}

static inline rig *walker(int32_t stride, unsigned hint) { return walker_with(stride, hint, -1); }

/* The events that an observer gets: of each a number that depends on all of it, its addresses and resume counters included. So few bytes an event are
 * written once, where the events themselves would take more time than the machine. */
typedef struct observer {
	hd_trace trace; /* first */
	uint64_t kinds[HD_TRACE_LOST + 1];
	hd_trace_event first;
	HD_VEC(uint64_t) events;
} observer;

/* `hash`, and that many bytes more, a multiple of 8. */
static inline uint64_t hash_of(uint64_t hash, const void *from, size_t bytes)
{
	const char *at = from;
	for (uint64_t word; bytes; bytes -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static inline void observe(hd_trace *trace, const hd_trace_event *event)
{
	observer *o = (observer *)trace;
	hd_trace_event plain = *event;
	plain.address = NULL;
	plain.resume = NULL;
	_Static_assert(sizeof plain % sizeof(uint64_t) == 0 && sizeof *event->address % sizeof(uint64_t) == 0, "whole words");
	uint64_t hash = hash_of(0, &plain, sizeof plain);
	if (event->kind == HD_TRACE_ACCESS)
		hash = hash_of(hash, event->address, 2 * sizeof *event->address);
	else if (event->kind == HD_TRACE_FLOW)
		hash = hash_of(hash, event->resume, HD_LANES * sizeof *event->resume);
	if (!o->events.n)
		o->first = plain;
	hd_vec_push(&o->events, hash);
	o->kinds[event->kind]++;
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

/* A run in windows on that many threads does what `reference` did. */
static inline void runs_alike(rig *r, const outcome *reference, uint32_t threads)
{
	outcome o = outcome_of(r, false, threads);
	same(reference, &o);
	free(o.out);
}

/* One thread serves a stop when all clusters have come as far as they can, several when all have come to the stop. Two and three share the four
 * clusters of most machines evenly and unevenly. There are no more threads than clusters, so with 1000 each cluster has one of its own; eight threads
 * are the same for four clusters, and are several clusters a thread for many, as two and three are. */
static const uint32_t threads_of[] = {1, 2, 3, 1000};
static size_t turn;

/* One of the numbers of several threads, and another one the next time. */
static inline uint32_t several_threads(void) { return threads_of[1 + turn++ % (HD_COUNT(threads_of) - 1)]; }

static inline void same_events(const observer *a, const observer *b)
{
	assert_int_equal(a->events.n, b->events.n);
	for (size_t i = 0; i < a->events.n; i++)
		if (a->events.at[i] != b->events.at[i])
			fail_msg("event %zu is another one", i);
}

/* The rig's machine in windows, on one thread and on several, with an observer and without, and cycle by cycle: the same results, and the same events
 * in the same order. Returns the statistics. The reference has an observer; cases that compare otherwise have one without. */
static inline hd_stats agrees(rig *r)
{
	static const hd_trace_kind always[] = {HD_TRACE_BEGIN, HD_TRACE_END,    HD_TRACE_ISSUE, HD_TRACE_ENTER, HD_TRACE_ACCESS,
	                                       HD_TRACE_FLOW,  HD_TRACE_MEMORY, HD_TRACE_DONE,  HD_TRACE_LOST,  HD_TRACE_REGISTERS};
	const uint32_t threads[] = {1, several_threads()};
	observer slow = {.trace.event = observe};
	r->options.trace = &slow.trace;
	outcome reference = outcome_of(r, true, 1);
	assert_true(reference.ok);
	for (size_t i = 0; i < HD_COUNT(always); i++)
		assert_true(slow.kinds[always[i]]);
	for (size_t i = 0; i < HD_COUNT(threads); i++) {
		observer fast = {.trace.event = observe};
		r->options.trace = NULL;
		runs_alike(r, &reference, threads[i]);
		r->options.trace = &fast.trace;
		runs_alike(r, &reference, threads[i]);
		same_events(&slow, &fast);
		hd_vec_free(&fast.events);
	}
	hd_vec_free(&slow.events);
	free(reference.out);
	r->options.trace = NULL;
	return reference.stats;
}

/* Before each case; with a turn of its own, so that the case does the same alone as after others. */
static inline int of_kind(const char *const *kind, size_t first)
{
	settings = kind;
	turn = first;
	return 0;
}
static inline int without_slices(void **state) { return of_kind(NULL, 0); }
static inline int with_wide_slices(void **state) { return of_kind(wide, 1); }
static inline int with_narrow_slices(void **state) { return of_kind(narrow, 2); }

#define KINDS(test)                                                                                                        \
	{#test, test, without_slices, NULL, NULL}, {#test " (wide slices)", test, with_wide_slices, without_slices, NULL}, \
	{                                                                                                                  \
#test " (narrow slices)", test, with_narrow_slices, without_slices, NULL                                   \
	}

#endif
