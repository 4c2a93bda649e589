/* A program, one annotation of which is changed at a time, and what came of it. */
#ifndef HD_STRESS_MUTANT_H
#define HD_STRESS_MUTANT_H

#include "config/machine.h"
#include "mutation.h"
#include "sanitizer/sanitizer.h"

enum { TIMINGS = 4 };

typedef struct tally {
	unsigned wrong, missed, silent, harmless, unsound;
	unsigned seen_wrong, seen_missed, seen_silent; /* of these: the sanitizer has seen a hazard violated */
	unsigned seen_proven;                          /* and of what is proven */
	unsigned dropped_nothing;                      /* of `silent` */
} tally;

/* The outcome of a run. */
typedef struct outcome {
	uint64_t skipped; /* register writes that were saved */
	uint64_t seen;    /* hazards violated, as the sanitizer says */
	bool *issued;     /* NULL, or by word: some lane executes it */
	hd_text text;     /* of the first violation */
} outcome;

/* A program, and how it is run. */
typedef struct subject {
	hd_object *object;
	const char *name;
	hd_machine machine[TIMINGS];
	uint64_t limit; /* cycles until it counts as hung */
	uint64_t usual; /* register writes that last-use flags save, before any mutation */
	bool *issued;   /* by word: some lane executes it, without a mutation */
	/* Whether the run ended, with the interpreter's bytes; and what else it showed. */
	bool (*right)(const struct subject *s, const hd_machine *machine, outcome *o);
	const void *context;
} subject;

/* Watches a run: the sanitizer, and which instructions are issued. */
typedef struct watch {
	hd_trace trace;
	hd_sanitizer *sanitizer;
	bool *issued;
} watch;

watch watch_begin(const hd_program *program, const outcome *o);
void watch_end(watch *w, const hd_program *program, outcome *o);

/* The machines of a subject: `machine` and others that differ in timing alone. */
void mutant_machines(subject *s, const hd_machine *machine);
/* Without a mutation all is well, with every timing; fills in s->issued, which the caller frees, and s->usual. */
void mutant_expect_right(subject *s);
/* The program has a mutation: asks the checker, runs it, and counts. */
void mutant_judge(const subject *s, mutation kind, uint32_t word, tally *t);

#endif
