/* Pairs of guards that no lane satisfies together at a place of a program. */
#ifndef HD_CHECK_GUARDS_H
#define HD_CHECK_GUARDS_H

#include "check/graph.h"

enum { HD_LITERALS = 2 * HD_PREDS }; /* literal 2 p is predicate p, literal 2 p + 1 is its negation */

/* Facts that hold for every active lane at a place. The rules are in guards.c. */
typedef struct hd_guards {
	bool reached;                   /* false: no path leads to the place, and the other fields have no meaning */
	uint32_t compared[HD_PREDS];    /* word of the unguarded comparison that made the predicate, while its operands are unchanged; 0 = unknown */
	uint16_t excludes[HD_LITERALS]; /* bit m of [l]: no lane satisfies both literals; the pair of a predicate and its negation is left out */
} hd_guards;

/* The guards at the entry of every block. The caller frees the array. */
hd_guards *hd_guards_new(const hd_code_graph *graph);
/* Executes the instruction at `word`. */
void hd_guards_step(hd_guards *guards, const hd_code_graph *graph, uint32_t word);
/* True when no lane executes both an instruction with the guard of `a` and one with the guard of `b`, given the present values of the predicates. */
bool hd_guards_exclude(const hd_guards *guards, const hd_inst *a, const hd_inst *b);

#endif
