/* A litmus test (MT-3): some threads with some accesses each, made from a row of shapes and a row of forms, a scope and a placement. What it may give
 * (model.h), its PTX (program.h), and runs on the machine (timings.h). */
#ifndef LITMUS_H
#define LITMUS_H

#include "base/base.h"

enum { LITMUS_THREADS = 4, LITMUS_ACCESSES = 3 /* of a thread */, LITMUS_LOCATIONS = 3, LITMUS_REGISTERS = 5, LITMUS_OUTCOMES = 1 << 16 };

typedef enum litmus_fence {
	LITMUS_NONE,
	LITMUS_ACQ_REL,
	LITMUS_SC,
	LITMUS_MEMBAR,
	LITMUS_MIXED /* SC and ACQ_REL, alternately by thread */
} litmus_fence;
typedef enum litmus_strength {
	LITMUS_WEAK,
	LITMUS_WEAK_CG, /* past the first cache */
	LITMUS_VOLATILE,
	LITMUS_RELAXED,
	LITMUS_RELAXED_SYS,   /* whatever the scope of the test */
	LITMUS_SYNCHRONISING, /* loads acquire, stores release */
	LITMUS_ATOMIC,        /* loads and stores are atomics themselves */
	LITMUS_ATOMIC_HALF,   /* such that those in place of loads acquire, and those in place of stores release */
	LITMUS_ATOMIC_SYNCHRONISING,
} litmus_strength;
typedef enum litmus_scope { LITMUS_CTA, LITMUS_GPU, LITMUS_SYS, LITMUS_SCOPES } litmus_scope;
/* Threads of one warp, warps of one CTA, two and two in a CTA, CTAs. */
typedef enum litmus_place { LITMUS_IN_WARP, LITMUS_IN_CTA, LITMUS_PAIRS, LITMUS_APART, LITMUS_PLACES } litmus_place;

typedef struct litmus_shape {
	const char *name, *program, *outcome;
	bool shown;
} litmus_shape;
typedef struct litmus_form {
	const char *name;
	litmus_strength outer, inner;
	litmus_fence fence;
	bool scoped;
} litmus_form;
extern const litmus_shape litmus_shapes[];
extern const unsigned litmus_shape_count;
extern const litmus_form litmus_forms[];
extern const unsigned litmus_form_count;
extern const char *const litmus_scope_names[LITMUS_SCOPES], *const litmus_place_names[LITMUS_PLACES];

/* From LITMUS_SYNC on barriers: threads of a CTA arrive and wait, or arrive; threads of the grid arrive and wait. */
typedef enum litmus_kind { LITMUS_LOAD, LITMUS_STORE, LITMUS_ADD, LITMUS_EXCHANGE, LITMUS_SYNC, LITMUS_ARRIVE, LITMUS_GRID } litmus_kind;
enum { LITMUS_GRID_BARRIER = 15 /* its number */ };
typedef struct litmus_access {
	litmus_kind kind;
	litmus_strength strength;
	uint8_t location, value; /* value: of a barrier its number; 0 is for the whole CTA */
	bool depends;
	int8_t reg; /* -1: what it reads is no part of the outcome */
} litmus_access;

typedef struct litmus_test {
	const litmus_shape *shape;
	const litmus_form *form;
	litmus_scope scope;
	litmus_place place;
	unsigned n_threads, n_registers, n_locations, n[LITMUS_THREADS];
	litmus_access access[LITMUS_THREADS][LITMUS_ACCESSES];
	uint16_t wanted, mask; /* the outcome of the shape: `wanted` in the bits of `mask` */
	uint8_t forgotten;     /* by thread: nothing orders its first access before its second, neither a fence nor acquire nor release, nor, where
	                          the second is a barrier, that */
	bool barriers;
} litmus_test;

/* An outcome has two bits for each register, and two for the final value of each location. */
static inline unsigned litmus_shift_register(unsigned reg) { return 2 * reg; }
static inline unsigned litmus_shift_location(unsigned location) { return 2 * (LITMUS_REGISTERS + location); }

/* False where the combination says nothing of its own: scopes of a form without any, places for which the shape has too few threads. */
bool litmus_make(litmus_test *test, unsigned shape, unsigned form, litmus_scope scope, litmus_place place);
/* Puts the name of the test into `name`. */
void litmus_name(const litmus_test *test, char name[128]);
/* True when the two threads are in one CTA. */
bool litmus_together(const litmus_test *test, unsigned one, unsigned other);
static inline bool litmus_is_barrier(const litmus_access *access) { return access->kind >= LITMUS_SYNC; }
/* True when there is a fence before access `i` of the thread, if the form has fences. A barrier orders what is behind it, and a fence there would
 * hide from a load what the barrier forgot. */
bool litmus_fenced(const litmus_test *test, unsigned thread, unsigned i);
/* The number of threads that come to the barrier in the CTA of the thread. *first is the first of them. */
unsigned litmus_company(const litmus_test *test, unsigned thread, const litmus_access *barrier, unsigned *first);
/* The scope that an access or fence of the test names; system for `volatile`. */
litmus_scope litmus_scope_of(const litmus_test *test, const litmus_access *access);

#endif
