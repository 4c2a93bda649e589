/* A watcher of a run that keeps a balance of results (LU-13): what an instruction makes for a lane of a register is written, replaced or left out
 * once, and not before it is made. The watcher passes each event on. */
#ifndef HD_TEST_RESULT_BALANCE_H
#define HD_TEST_RESULT_BALANCE_H

#include "launch/trace.h"

enum { BALANCE_LISTS = 1024 };

typedef struct balance_entry {
	uint32_t core, maker, lanes;
	uint8_t reg;
} balance_entry;

typedef struct balance {
	hd_trace trace; /* first */
	hd_trace *next; /* gets each event, too; NULL: none */
	const hd_program *program;
	uint64_t cycle, late, written;
	HD_VEC(balance_entry) open[BALANCE_LISTS]; /* made, and not yet gone; by the maker's number */
	const char *wrong;                         /* the first thing that was wrong; NULL: nothing */
	hd_trace_event event;                      /* at which it was wrong */
} balance;

static inline void balance_object(balance *b, const char *wrong, const hd_trace_event *e)
{
	if (!b->wrong)
		b->event = *e;
	b->wrong = b->wrong ? b->wrong : wrong;
}

static inline void balance_make(balance *b, const hd_trace_event *e)
{
	const hd_slot *slot = &b->program->slots[e->pc];
	for (unsigned w = 0; e->mask && slot->pipe != HD_PIPE_FLOW && w < slot->dwords; w++)
		hd_vec_push(&b->open[e->number % BALANCE_LISTS], ((balance_entry){e->core, e->number, e->mask, (uint8_t)(slot->inst.d + w)}));
}

/* A last use names all registers of its operand. The result may have some of them. */
static inline void balance_end(balance *b, const hd_trace_event *e)
{
	uint32_t lanes = 0, list = e->maker % BALANCE_LISTS;
	for (size_t i = 0; i < b->open[list].n; i++) {
		balance_entry *at = &b->open[list].at[i];
		if (at->core != e->core || at->maker != e->maker || at->reg < e->reg || at->reg >= e->reg + e->words)
			continue;
		if (e->mask & at->lanes && e->kind == HD_TRACE_REGISTERS)
			b->written++;
		lanes |= e->mask & at->lanes;
		at->lanes &= ~e->mask;
		if (!at->lanes)
			*at = b->open[list].at[--b->open[list].n], i--;
	}
	if (lanes != e->mask)
		balance_object(b, "lanes leave that are not there", e);
}

static inline void balance_event(hd_trace *trace, const hd_trace_event *e)
{
	balance *b = (balance *)trace;
	if (e->kind != HD_TRACE_LOST && e->cycle < b->cycle)
		balance_object(b, "an event comes after a later one", e);
	if (e->kind != HD_TRACE_LOST)
		b->cycle = e->cycle;
	b->late += e->kind == HD_TRACE_LATE;
	if (e->kind == HD_TRACE_DONE || e->kind == HD_TRACE_WRITE)
		balance_make(b, e);
	else if (e->kind == HD_TRACE_REGISTERS || e->kind == HD_TRACE_REPLACED || e->kind == HD_TRACE_SKIP)
		balance_end(b, e);
	if (b->next)
		b->next->event(b->next, e);
}

static inline balance balance_begin(const hd_program *program, hd_trace *next)
{
	return (balance){.trace = {.event = balance_event}, .next = next, .program = program};
}

/* Ends the balance of a run of these statistics. Returns what was wrong, NULL = nothing; b->event is the event. `whole`: every pipe takes 32 lanes in
 * a cycle, so that the statistics count what the events do. */
static inline const char *balance_close(balance *b, const hd_stats *stats, bool whole)
{
	bool open = false;
	for (unsigned i = 0; i < BALANCE_LISTS; i++) {
		open |= b->open[i].n != 0;
		hd_vec_free(&b->open[i]);
	}
	const char *wrong = b->wrong                                                  ? b->wrong
	                    : open                                                    ? "a result is neither written nor left out"
	                    : whole && b->late != stats->register_file_writes_flagged ? "register_file.writes_flagged is wrong"
	                    : whole && b->written < stats->register_file_writes       ? "register_file.writes is too many"
	                    : stats->register_file_reads_forwarded != stats->register_file_reads_path_b + stats->register_file_reads_path_a +
	                                                                  stats->register_file_compensation_reads +
	                                                                  stats->register_file_last_result_reads
	                        ? "the reads by path are not all that were forwarded"
	                        : NULL;
	return wrong;
}

static inline bool balance_is_whole(const hd_machine *machine)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		if (hd_machine_passes(machine, (hd_pipe)pipe) > 1)
			return false;
	return true;
}

#endif
