/* State shared by the random generator's files: the program in the making, and the instructions that they put into it. */
#ifndef HD_RANDOM_GENERATOR_H
#define HD_RANDOM_GENERATOR_H

#include "random_ir.h"

enum { RANDOM_INTS = 10, RANDOM_WIDES = 4, RANDOM_PREDS = 6, RANDOM_CROWD = 64 /* words that the threads of a CTA update together */ };

typedef struct generator {
	hd_ir_module *m;
	hd_ir_function *f;
	uint32_t block;
	uint64_t seed;
	uint32_t ints[RANDOM_INTS], wides[RANDOM_WIDES], preds[RANDOM_PREDS];
	/* Kernel only: the thread's words of global memory, its word of shared memory, that of a thread of another warp, the CTA's
	 * first thread's words of global memory. */
	uint32_t base, own_shared, neighbour_shared, crowd_global;
	bool kernel;
	int32_t functions; /* that may be called */
	unsigned budget;
	unsigned n_preds; /* in use */
	unsigned guarded; /* one in so many instructions has a guard */
	unsigned logic;   /* of 16 arithmetic instructions so many make or combine predicates */
	bool divergent;   /* every lane accesses memory at an address of its own */
} generator;

static inline unsigned any(generator *g, unsigned n) { return (unsigned)(hd_random(&g->seed) >> 16) % n; }
static inline hd_opd int_of(generator *g) { return hd_opd_reg(g->ints[any(g, RANDOM_INTS)], 1); }
static inline hd_opd wide_of(generator *g) { return hd_opd_reg(g->wides[any(g, RANDOM_WIDES)], 2); }
static inline hd_opd pred_of(generator *g, bool neg) { return hd_opd_pred(g->preds[any(g, g->n_preds)], neg && any(g, 2)); }

/* random_operations.c */
/* An instruction at the end of the block. */
hd_ir_inst *random_put(generator *g, unsigned op, unsigned nd, unsigned ns);
/* d = op(a, b, c); c of kind NONE: of two sources. */
void random_three(generator *g, unsigned op, hd_opd d, hd_opd a, hd_opd b, hd_opd c);
/* A register or a constant. */
hd_opd random_int_source(generator *g);
hd_opd random_wide_source(generator *g);
/* One instruction, or a few that belong together. */
void random_arithmetic(generator *g);
void random_memory(generator *g);

#endif
