/* The named assumptions A1, A2, ... (SA-5). */
#ifndef HD_SASS_ASSUMPTIONS_H
#define HD_SASS_ASSUMPTIONS_H

#include "base/base.h"

typedef enum hd_sass_assumption {
#define HD_SASS_ASSUMPTION(id, text, evidence, source) HD_SASS_A_##id,
#include "sass/assumptions.def"
#undef HD_SASS_ASSUMPTION
	HD_SASS_ASSUMPTIONS
} hd_sass_assumption;

/* Bit i: assumption i, which is written A(i + 1). */
typedef uint16_t hd_sass_assumed;
#define HD_SASS_ASSUME(id) ((hd_sass_assumed)(1u << HD_SASS_A_##id))
#define HD_SASS_ASSUME_ALL ((hd_sass_assumed)((1u << HD_SASS_ASSUMPTIONS) - 1))
/* The assumptions of a proof unless --assume says otherwise: all but those that a real GPU refuted. */
#define HD_SASS_ASSUME_DEFAULT ((hd_sass_assumed)(HD_SASS_ASSUME_ALL & ~HD_SASS_ASSUME(SLOW_READS)))

typedef struct hd_sass_assumption_row {
	const char *id, *text, *evidence, *source;
} hd_sass_assumption_row;
extern const hd_sass_assumption_row hd_sass_assumption_rows[HD_SASS_ASSUMPTIONS];

/* Those with a published source: what --strict allows. */
hd_sass_assumed hd_sass_published(void);
/* Reads "A1,A3", "all" or "none". False: the text is none of these. */
bool hd_sass_assumed_read(const char *text, hd_sass_assumed *set);
/* Appends "A1, A3"; nothing for the empty set. */
void hd_sass_assumed_print(hd_text *text, hd_sass_assumed set);

/* A dependence is covered when one of a set of assumptions holds. A function needs a set that meets all its clauses. */
typedef struct hd_sass_clauses {
	HD_VEC(hd_sass_assumed) list; /* distinct */
} hd_sass_clauses;
void hd_sass_clauses_add(hd_sass_clauses *clauses, hd_sass_assumed any_of);
/* The least set that has a member of each clause; of several the one with the lowest numbers. Requires: no clause is empty. */
hd_sass_assumed hd_sass_clauses_least(const hd_sass_clauses *clauses);

#endif
