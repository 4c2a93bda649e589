/* Who calls whom, before and after calls are lowered. */
#ifndef HD_CALL_GRAPH_H
#define HD_CALL_GRAPH_H

#include "ir/ir.h"

enum { HD_NO_CALL = -2, HD_INDIRECT_CALL = -1 };

/* Number of the function that the instruction calls, HD_INDIRECT_CALL or HD_NO_CALL. */
int32_t hd_callee(const hd_ir_inst *inst);

typedef struct hd_call {
	uint32_t callee;
	const hd_ir_inst *inst;
} hd_call;

typedef struct hd_call_graph {
	uint32_t functions;
	struct {
		hd_call *at; /* in the order of the instructions */
		size_t n, cap;
	} * calls; /* by function */
} hd_call_graph;

/* An indirect call is an edge to every function whose address is taken. The result is valid until the module changes; the caller frees it with
 * hd_call_graph_free. */
hd_call_graph hd_call_graph_new(const hd_ir_module *module);
void hd_call_graph_free(hd_call_graph *graph);

/* The functions in an order in which callees come before their callers, except in recursion. Direct calls alone count. (*recursive)[f]: function f is
 * in a cycle of them. The caller frees both arrays. */
uint32_t *hd_call_order(const hd_ir_module *module, bool **recursive);
/* The functions in an order in which callers come before their callees, except in recursion (RC-20). Indirect calls count as in hd_call_graph_new.
 * The caller frees the array. */
uint32_t *hd_callers_first(const hd_ir_module *module);

#endif
