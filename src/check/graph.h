/* The control flow of encoded code: blocks and the ways that a warp can go (docs/timing.md, "Physical control flow"). It is computed from the words
 * alone. */
#ifndef HD_CHECK_GRAPH_H
#define HD_CHECK_GRAPH_H

#include "config/machine.h"
#include "object/object.h"

typedef struct hd_code_graph {
	const hd_object *object;
	uint32_t words;
	hd_inst *insts;       /* by word address; the entries of scheduling words have no meaning */
	uint32_t n;           /* blocks, in order of address */
	uint32_t *begin;      /* n + 1 word addresses; block i has the words [begin[i], begin[i + 1]), scheduling words included */
	uint32_t *function;   /* by block: index into object->functions, or UINT32_MAX outside of all functions */
	bool *kernel;         /* by function: a kernel begins in it */
	uint32_t *succ_first; /* n + 1 offsets into succ */
	uint32_t *succ;       /* physical successors */
	uint32_t n_succ;
	uint64_t *steps; /* steps of work that are left to all parts of the checker; NULL: any number */
	bool switches;   /* G6 */
} hd_code_graph;

enum { HD_STEPS_OF_STORING = 16 }; /* what an edge or a fact that is stored counts, so that the bound on steps bounds the memory, too */
/* Counts `n` steps of work: visits of an instruction, an edge or a fact. Returns false when no step is left. The caller then ends soon, and the
 * program is not proven. */
static inline bool hd_spend_steps(const hd_code_graph *graph, uint64_t n)
{
	if (!graph->steps)
		return true;
	*graph->steps -= hd_min_u64(*graph->steps, n);
	return *graph->steps > 0;
}

/* How lanes meet again (RC-16). The others hold with the stack (RC-21). */
typedef struct hd_meeting {
	hd_divergence mode;
	bool taken_first; /* lanes that take a branch go first */
	bool flags;       /* lanes wait before an instruction with HD_MEETS */
} hd_meeting;
static inline hd_meeting hd_meeting_of(const hd_machine *m)
{
	bool stack = m->divergence_mode == HD_DIV_STACK;
	return (hd_meeting){m->divergence_mode, stack && m->divergence_first == HD_FIRST_TAKEN, hd_machine_pops_by_flag(m)};
}

/* Requires a valid object. `steps` may be NULL. It outlives the graph. When no step is left, the graph lacks edges. */
hd_code_graph *hd_code_graph_new(const hd_object *object, hd_meeting how, uint64_t *steps);
void hd_code_graph_free(hd_code_graph *graph);
/* The block that contains a word. */
uint32_t hd_block_at(const hd_code_graph *graph, uint32_t word);
/* The block of a function's first instruction. A function's `begin` can be a scheduling word, which belongs to the block before. */
uint32_t hd_function_entry(const hd_code_graph *graph, size_t function);
/* The listed targets in the function of `block`: the blocks to which a `brx` at its end can go. Each call returns one block and moves `*at`, which
 * begins at 0. UINT32_MAX: no further target. A block that is listed twice is returned twice. */
uint32_t hd_next_listed_target(const hd_code_graph *graph, uint32_t block, size_t *at);
/* The address of a block's last instruction. */
uint32_t hd_block_last(const hd_code_graph *graph, uint32_t block);
/* The block belongs to a subroutine, a function in which no kernel begins. */
bool hd_in_subroutine(const hd_code_graph *graph, uint32_t block);
/* `callx` may call the function: no kernel begins in it, and its first instruction is a listed target. */
bool hd_may_call(const hd_code_graph *graph, uint32_t function);
/* No instruction begins at the word. */
static inline bool hd_is_scheduling_word(const hd_code_graph *graph, uint32_t word) { return !hd_object_begins(graph->object, word); }

#endif
