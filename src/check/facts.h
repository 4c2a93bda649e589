/* What may still be outstanding at a place of a program, and how long ago it was issued. How time is counted (the contract is docs/timing.md):
 *
 *   T1  Every pipe has a clock. An instruction of the pipe is issued at a reading of it; the difference between two readings is what rule 2
 *       calls the cycles counted between two instructions, so they enter the pipe at least that far apart, up to the pipe's longest latency.
 *   T2  An instruction's spacing (its delay; 0 before the second of a pair; 1 + latency for a flow instruction, rule 5) is added behind it.
 *       Without a window it is added to all clocks. With one it is added to the clock of its own pipe, as rule 7 counts; only flow instructions
 *       and nops are issued alone and are added to all.
 *   T3  A wait is added before its instruction. Without a window it begins one cycle after the issue of the one before: what the delay of that
 *       one lasts longer is part of it and is not added twice. With a window it begins behind that delay (rule 7). The wait of a block's first
 *       instruction is added on the way into the block, because the instruction before it is another one on each way.
 *   T4  Where ways meet, the least distance counts.
 *   T5  Nothing relies on more than HD_SPACING_LIMIT cycles: no queue keeps more (rule 2). */
#ifndef HD_CHECK_FACTS_H
#define HD_CHECK_FACTS_H

#include "check/effects.h"

/* Of one earlier instruction P. When P is issued again its older instance is forgotten: that one entered the same pipe before, so that it reads
 * and, with a fixed latency, writes before the newer one does, and it has the same counter. (Where memory decides, the two are judged as producer
 * and consumer.) Only `guard_changed` is passed on, as it speaks of the lanes of any instance. */
typedef struct hd_fact {
	uint32_t word;      /* P */
	uint16_t unwritten; /* bit p: an instruction of pipe p issued here may enter before P has written, or before its access is performed */
	uint16_t unread;    /* bit p: ... before P has read its sources */
	uint8_t pipe, primary;
	uint8_t guard;      /* predicate, HD_PT = none */
	bool guard_changed; /* the predicate may have been written since P was issued */
	uint32_t issued;    /* clock of P's pipe at P's issue; at a block's entry: cycles counted since, behind the wait of
	                       the block's first instruction, at most HD_SPACING_LIMIT */
} hd_fact;

typedef HD_VEC(hd_fact) hd_fact_list;

/* Behind which instruction of the current block a bit of `unwritten` and `unread` was cleared; 0: it was clear when the block began. */
typedef struct hd_settled {
	uint32_t written[HD_PIPE_COUNT], read[HD_PIPE_COUNT];
} hd_settled;

typedef struct hd_facts {
	hd_fact_list list;
	HD_VEC(hd_settled) settled; /* of each fact in `list` */
	uint32_t *place;            /* by word: index into `list` + 1; 0 = none */
	uint32_t begin;             /* of the current block */
	uint32_t clock[HD_PIPE_COUNT];
	uint32_t delay_ahead; /* of the instruction before (T3); UINT32_MAX at the beginning of a block, whose first wait has passed */
	bool any_gone;        /* a fact has no bit left since the last hd_facts_issue */
} hd_facts;

/* `words`: of the program. */
void hd_facts_init(hd_facts *facts, uint32_t words);
void hd_facts_free(hd_facts *facts);
/* Begins a block: the facts `in` at its entry; `begin` is its first word. */
void hd_facts_begin(hd_facts *facts, const hd_fact_list *in, uint32_t begin);
/* An instruction is the next one: its wait passes. */
void hd_facts_wait(hd_facts *facts, const hd_effects *fx);
/* The instruction was issued: its spacing passes. */
void hd_facts_pass(hd_facts *facts, const hd_effects *fx);
/* Cycles counted since the issue of a fact's instruction, in its pipe, at most HD_SPACING_LIMIT. */
uint32_t hd_facts_elapsed(const hd_facts *facts, const hd_fact *fact);
/* For hd_facts_settle. */
void hd_facts_clear(hd_facts *facts, size_t at, uint16_t pipes, bool written, uint32_t word);
/* Fact `at` has read, and if `written` also written, before anything enters `pipes` that is issued with or after the instruction at `word`. */
static inline void hd_facts_settle(hd_facts *facts, size_t at, uint16_t pipes, bool written, uint32_t word)
{
	const hd_fact *fact = &facts->list.at[at];
	if ((fact->unread | (written ? fact->unwritten : 0)) & pipes)
		hd_facts_clear(facts, at, pipes, written, word);
}
/* The instruction at `word` is issued. */
void hd_facts_issue(hd_facts *facts, uint32_t word, const hd_effects *fx, const hd_inst *inst);
/* After the last instruction of a block: `issued` of every fact becomes the cycles counted since. */
void hd_facts_end(hd_facts *facts);
/* By pipe, the cycles that the wait of the first instruction of block `to` adds on the way from block `from` (T3). */
typedef struct hd_entry_waits {
	uint32_t cycles[HD_PIPE_COUNT];
} hd_entry_waits;
hd_entry_waits hd_entry_waits_of(const hd_code_graph *graph, const hd_effects *effects, uint32_t from, uint32_t to);
/* `issued` at the entry of a block of a fact at the end of another one. */
static inline uint32_t hd_issued_at_entry(const hd_fact *fact, const hd_entry_waits *waits)
{
	return hd_min_u32(fact->issued + waits->cycles[fact->pipe], HD_SPACING_LIMIT);
}
/* Adds the facts at the end of a block to those at the entry of another block; true when these changed. */
bool hd_facts_join(hd_fact_list *in, hd_facts *facts, const hd_entry_waits *waits);

#endif
