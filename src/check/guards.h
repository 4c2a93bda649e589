/* Which guards no lane satisfies together, at a place of a program. */
#ifndef HD_CHECK_GUARDS_H
#define HD_CHECK_GUARDS_H

#include "check/graph.h"

enum { HD_LITERALS = 2 * HD_PREDS }; /* a literal: predicate p as it is, 2 p, or negated, 2 p + 1 */

/* What holds of every lane that is active here; the rules are in guards.c. */
typedef struct hd_guards {
	bool reached;                /* false: no way leads here, and nothing below means anything */
	uint32_t compared[HD_PREDS]; /* the unguarded comparison that gives the predicate's value, its operands being what they were; 0 = not known */
	uint16_t excludes[HD_LITERALS]; /* bit m of [l]: no lane satisfies both literals. A predicate and its negation are left out */
} hd_guards;

/* At the entry of every block; the caller frees the array. */
hd_guards *hd_guards_new(const hd_code_graph *graph);
/* The instruction at `word` is executed. */
void hd_guards_step(hd_guards *guards, const hd_code_graph *graph, uint32_t word);
/* No lane executes both an instruction that is guarded like `a` and one that is guarded like `b`, while the predicates are what they are here. */
bool hd_guards_exclude(const hd_guards *guards, const hd_inst *a, const hd_inst *b);

#endif
