/* The control flow of a function of real code: blocks, and the ways that a lane can go (SA-6). Each lane has its own registers and sees the
 * instructions on its own way, with at least the stalls between them. When a warp's groups of lanes take turns, more time passes, and counters are
 * waited for longer. So the ways of one lane suffice.
 *
 *   F1  A branch goes to its target, and on to the next instruction when a guard, a predicate or a uniform register decides.
 *   F2  An indirect branch goes to the targets that the file lists for it.
 *   F3  A call inside the section goes to its target. A return goes behind each call that can have reached it. A call that leaves the section goes to
 *       the next instruction (call_out).
 *   F4  BSYNC goes to the target of each BSSY of the same barrier that can reach it without another BSSY of this barrier between. When BMOV
 *       writes a barrier, each target of the function counts.
 *   F5  EXIT and BPT.TRAP under a guard go on; ptxas places other functions behind a trap. BREAK, WARPSYNC and YIELD go on. WARPSYNC with a target
 *       goes there, too.
 *   F6  Control enters at the section's first instruction, and at each label to which nothing in the section calls. */
#ifndef HD_SASS_GRAPH_H
#define HD_SASS_GRAPH_H

#include "base/flow.h"
#include "sass/container.h"
#include "sass/instruction.h"

/* A function's code as the analysis wants it. */
typedef struct hd_sass_code {
	unsigned architecture;
	uint32_t n;
	hd_sass_instruction *at;          /* n; instruction i lies at 16 * i */
	const hd_sass_function *function; /* names, tables of branches, relocations */
} hd_sass_code;

/* Decodes. `function` outlives the code. */
void hd_sass_code_init(hd_sass_code *code, unsigned architecture, const hd_sass_function *function);
void hd_sass_code_free(hd_sass_code *code);

/* Why nothing is claimed of a function. */
typedef enum hd_sass_doubt_kind {
	HD_SASS_DOUBT_INSTRUCTION, /* the table has no row for the word (SA-3) */
	HD_SASS_DOUBT_BRANCH,      /* an indirect branch without a list of targets */
	HD_SASS_DOUBT_TARGET,      /* a branch goes out of the function, or between two instructions */
	HD_SASS_DOUBT_RETURN,      /* a return of a function that nothing in the section calls, in a kernel */
	HD_SASS_DOUBT_END,         /* control runs behind the last instruction */
	HD_SASS_DOUBT_TABLE,       /* no latency is published for a pair of instructions */
	HD_SASS_DOUBT_WORK,        /* the analysis gave up after a number of steps */
	HD_SASS_DOUBT_CALL,        /* a call leaves the section, and no assumption about it is allowed */
	HD_SASS_DOUBT_EMPTY,       /* the function has no instruction */
	HD_SASS_DOUBTS
} hd_sass_doubt_kind;
typedef struct hd_sass_doubt {
	hd_sass_doubt_kind kind;
	uint32_t at, other; /* instructions; equal when one is meant */
} hd_sass_doubt;
typedef HD_VEC(hd_sass_doubt) hd_sass_doubt_list;

typedef struct hd_sass_graph {
	const hd_sass_code *code;
	uint32_t n;           /* blocks, in order of address */
	uint32_t *begin;      /* n + 1: block b has the instructions [begin[b], begin[b + 1]) */
	uint32_t *block_of;   /* by instruction */
	uint32_t *succ_first; /* n + 1 offsets into succ */
	uint32_t *succ;
	bool *reached;    /* by block: control can come here */
	bool *entered;    /* by block: control comes from outside of the section */
	bool *call_out;   /* by block: it ends with a call that leaves the section */
	bool *return_out; /* by block: it ends with a return of a function that code of other sections calls, too */
	uint64_t *steps;  /* steps of work that are left */
} hd_sass_graph;

/* `steps` outlives the graph. Doubts are appended to `doubts`. */
void hd_sass_graph_init(hd_sass_graph *graph, const hd_sass_code *code, uint64_t *steps, hd_sass_doubt_list *doubts);
void hd_sass_graph_free(hd_sass_graph *graph);
static inline hd_flow_graph hd_sass_flow_of(const hd_sass_graph *g)
{
	return (hd_flow_graph){.n = g->n, .succ_first = g->succ_first, .succ = g->succ, .steps = g->steps};
}
static inline bool hd_sass_unguarded(const hd_sass_instruction *x) { return x->guard == HD_SASS_PT && !x->guard_not; }
/* No lane executes the instruction: @!PT. */
static inline bool hd_sass_never(const hd_sass_instruction *x) { return x->guard == HD_SASS_PT && x->guard_not; }

#endif
