/* One annotation of an encoded program, removed or changed. */
#ifndef HD_TESTS_MUTATION_H
#define HD_TESTS_MUTATION_H

#include "object/object.h"

typedef enum mutation {
	MUTATION_WAIT,     /* a bit of a wait mask removed */
	MUTATION_DELAY,    /* a delay or wait one cycle shorter */
	MUTATION_PRIMARY,  /* a primary that raises nothing */
	MUTATION_RELEASE,  /* released by the reads instead of the write */
	MUTATION_LAST_USE, /* a last-use flag more */
	MUTATION_COUNTER,  /* a primary that raises another counter */
	MUTATIONS
} mutation;

extern const char *const mutation_names[MUTATIONS];

/* The state from which a word is restored. */
typedef struct mutation_saved {
	uint32_t word; /* the first of its line */
	uint64_t line[HD_LINE_WORDS];
} mutation_saved;

/* False, and nothing changed, if `word` has no such annotation; otherwise to be taken back. `random` picks one where there are several. */
bool mutation_make(hd_object *object, uint32_t word, mutation kind, uint64_t random, mutation_saved *saved);
void mutation_take_back(hd_object *object, const mutation_saved *saved);

#endif
