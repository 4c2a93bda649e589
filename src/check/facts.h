/* The instructions that may be outstanding at a place of a program, and the time since their issue. The contract is docs/timing.md.
 *
 *   T1  Every pipe has a clock, and an instruction issues at a reading of its pipe's clock. The difference of two readings is the number of cycles
 *       counted between two instructions (rule 2). The instructions enter the pipe at least that far apart, up to the pipe's longest latency.
 *   T2  The spacing of an instruction is added after it. The spacing is the delay, or 0 for the first instruction of a pair, or 1 + latency for a
 *       flow instruction (rule 5). Without a window it is added to all clocks. With a window it is added to the clock of the instruction's own pipe
 *       (rule 7). Flow instructions and nops issue alone, so their spacing is always added to all clocks.
 *   T3  A wait is added before its instruction. Without a window it begins one cycle after the previous issue. The rest of the previous instruction's
 *       delay overlaps the wait and is not added twice. With a window the wait begins after that delay (rule 7). The wait of a block's first
 *       instruction is added on each edge into the block, because each edge has another previous instruction.
 *   T4  Where paths meet, the least distance counts.
 *   T5  No proof uses more than HD_SPACING_LIMIT cycles, because no queue keeps a larger distance (rule 2).
 *   T6  An unguarded W replaces all earlier accesses to what W writes: W was judged against them, so what comes behind W's write comes behind them.
 * An unguarded R replaces the reads of its pipe of what R reads, because these instructions entered before R (rule 1). Later instructions are judged
 * against W and R. A replaced access counts no more, unless there is a path on which nothing has replaced it. */
#ifndef HD_CHECK_FACTS_H
#define HD_CHECK_FACTS_H

#include "check/effects.h"

/* A fact about one earlier instruction P. Only the newest instance of P has a fact. An older instance entered the same pipe earlier, so it reads
 * earlier and, with a fixed latency, writes earlier. It has the same counter. If memory decides the latency, the two instances are judged as producer
 * and consumer. `guard_changed` alone is passed on, because it concerns the lanes of every instance. */
typedef struct hd_fact {
	uint32_t word;      /* P */
	uint16_t unwritten; /* bit p: an instruction of pipe p that issues here may enter before P has written or has performed its access */
	uint16_t unread;    /* bit p: an instruction of pipe p that issues here may enter before P has read its sources */
	uint32_t replaced_reads, replaced_writes; /* bit i: resource i of the list in P's effects counts no more (T6) */
	uint8_t pipe, primary;
	uint8_t guard;      /* predicate, HD_PT = none */
	bool guard_changed; /* the predicate may have been written since P was issued */
	uint32_t issued;    /* clock of P's pipe at P's issue; at a block's entry: cycles counted since then, including the wait of the block's first
	                       instruction, at most HD_SPACING_LIMIT */
} hd_fact;

typedef HD_VEC(hd_fact) hd_fact_list;

/* The word of the current block behind which a bit of `unread` or `unwritten` was cleared. 0: the bit was clear at the block's entry. */
typedef struct hd_settled {
	uint32_t written[HD_PIPE_COUNT], read[HD_PIPE_COUNT];
} hd_settled;

typedef struct hd_facts {
	hd_fact_list list;
	HD_VEC(hd_settled) settled; /* one entry for each fact in `list` */
	uint32_t *place;            /* by word: index into `list` + 1; 0 = none */
	uint32_t begin;             /* first word of the current block */
	uint32_t clock[HD_PIPE_COUNT];
	uint32_t delay_ahead; /* of the previous instruction (T3); UINT32_MAX at a block's entry, because the edge already added the first wait */
	bool any_gone;        /* a fact has lost its last bit since the last hd_facts_issue */
} hd_facts;

/* `words`: number of words of the program. */
void hd_facts_init(hd_facts *facts, uint32_t words);
void hd_facts_free(hd_facts *facts);
/* Begins a block with the facts `in` at its entry. `begin` is its first word. */
void hd_facts_begin(hd_facts *facts, const hd_fact_list *in, uint32_t begin);
/* Adds the wait of the next instruction. */
void hd_facts_wait(hd_facts *facts, const hd_effects *fx);
/* Adds the spacing of the instruction that issued. */
void hd_facts_pass(hd_facts *facts, const hd_effects *fx);
/* Cycles counted between two readings of one clock, as far as a queue keeps them (T5). */
static inline uint32_t hd_kept_distance(uint32_t from, uint32_t to) { return hd_min_u32(to - from, HD_SPACING_LIMIT); }
/* Cycles counted in the pipe of the fact's instruction since its issue. */
static inline uint32_t hd_facts_elapsed(const hd_facts *facts, const hd_fact *fact)
{
	return hd_kept_distance(fact->issued, facts->clock[fact->pipe]);
}
/* Cycles counted between two instructions of one pipe. */
static inline uint32_t hd_facts_apart(const hd_fact *first, const hd_fact *second) { return hd_kept_distance(first->issued, second->issued); }
/* Clears the bits of a fact and notes the word. Called by hd_facts_settle. */
void hd_facts_clear(hd_facts *facts, size_t at, uint16_t pipes, bool written, uint32_t word);
/* Notes that the instruction of fact `at` has read before an instruction that issues with or after `word` enters one of `pipes`. With `written` it
 * has also written before. */
static inline void hd_facts_settle(hd_facts *facts, size_t at, uint16_t pipes, bool written, uint32_t word)
{
	const hd_fact *fact = &facts->list.at[at];
	if ((fact->unread | (written ? fact->unwritten : 0)) & pipes)
		hd_facts_clear(facts, at, pipes, written, word);
}
/* Adds the fact of the instruction that issues at `word`. `effects`: of all words. */
void hd_facts_issue(hd_facts *facts, uint32_t word, const hd_effects *effects, const hd_inst *inst);
/* Ends a block: `issued` of every fact becomes the cycles counted since the issue. */
void hd_facts_end(hd_facts *facts);
/* By pipe: the cycles that the wait of block `to`'s first instruction adds on the edge from block `from` (T3). */
typedef struct hd_entry_waits {
	uint32_t cycles[HD_PIPE_COUNT];
} hd_entry_waits;
hd_entry_waits hd_entry_waits_of(const hd_code_graph *graph, const hd_effects *effects, uint32_t from, uint32_t to);
/* Converts `issued` of a fact at the end of one block to its value at the entry of the next block. */
static inline uint32_t hd_issued_at_entry(const hd_fact *fact, const hd_entry_waits *waits)
{
	return hd_min_u32(fact->issued + waits->cycles[fact->pipe], HD_SPACING_LIMIT);
}
/* Joins the facts at the end of one block to the facts at the entry of another block. Returns true when the latter changed. */
bool hd_facts_join(hd_fact_list *in, hd_facts *facts, const hd_entry_waits *waits);

#endif
