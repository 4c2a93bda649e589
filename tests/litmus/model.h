/* The outcomes that the PTX memory model allows: all candidate executions of a test, against the model's axioms. */
#ifndef LITMUS_MODEL_H
#define LITMUS_MODEL_H

#include "litmus.h"

typedef struct litmus_outcomes {
	uint32_t bits[LITMUS_OUTCOMES / 32];
} litmus_outcomes;

static inline bool litmus_has(const litmus_outcomes *set, unsigned outcome) { return set->bits[outcome / 32] >> outcome % 32 & 1; }

/* Fills the set of what the test may give. */
void litmus_allowed(const litmus_test *test, litmus_outcomes *allowed);
/* True when the set has an outcome that is the shape's. */
bool litmus_wanted(const litmus_test *test, const litmus_outcomes *set);

#endif
