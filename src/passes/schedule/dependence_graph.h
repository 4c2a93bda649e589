/* The dependence graph of a block's instructions, for list scheduling.
 *
 *  1. Registers and predicates: RAW with the latency of the writer, WAR and WAW with a cycle.
 *  2. An instruction that overwrites a source of a load counts as a reader of its result: a primary has one release, and where the load's result is
 *     also waited for, the overwriting instruction has to wait as long (docs/timing.md).
 *  3. Two memory instructions of which one stores keep their order if they may touch one byte. Barriers, fences, clocks and volatile accesses keep
 *     their order among each other and with all memory instructions, side effects (stores and atomics are some) theirs among each other.
 *  4. Nothing moves over a call or another flow instruction. */
#ifndef HD_DEPENDENCE_GRAPH_H
#define HD_DEPENDENCE_GRAPH_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_dependence_node {
	hd_ir_inst *inst;
	uint32_t latency;      /* expected, in cycles */
	uint32_t height;       /* critical path: cycles from its issue to the end of the block, at best */
	uint32_t first_edge;   /* to the instructions that depend on it; 0 = none */
	uint32_t predecessors; /* edges that end here; the scheduler counts them down */
	uint32_t earliest;     /* cycle in which its operands are ready; 0, for the scheduler */
	uint8_t pipe;
} hd_dependence_node;

typedef struct hd_dependence_edge {
	uint32_t to, latency;
	uint32_t next; /* of the same node; 0 = none */
} hd_dependence_edge;

typedef struct hd_dependence_graph {
	const hd_machine *machine;
	const hd_ir_function *f;
	HD_VEC(hd_dependence_node) nodes; /* in the order of the block */
	HD_VEC(hd_dependence_edge) edges; /* edges.at[0] is no edge */
	struct hd_dependence_state *state;
} hd_dependence_graph;

/* A graph without nodes. The caller frees it with hd_dependence_graph_free. */
hd_dependence_graph hd_dependence_graph_new(const hd_ir_function *f, const hd_machine *machine);
void hd_dependence_graph_free(hd_dependence_graph *graph);
/* Makes it the graph of a block of the function, as the block is now. */
void hd_dependence_graph_build(hd_dependence_graph *graph, const hd_ir_block *block);

/* Words of register or predicate that the operand names, numbered *first and on: 4 numbers for a virtual register; after allocation the physical
 * register's number, predicates behind. Returns how many; 0 for other operands. Numbers are below hd_word_range_end. */
uint32_t hd_word_range(const hd_ir_function *f, const hd_opd *o, uint32_t *first);
size_t hd_word_range_end(const hd_ir_function *f);

#endif
