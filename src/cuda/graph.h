/* Graphs inside: what the units that make, change, launch and print them share. Everything is guarded by the device's lock of graphs, where nothing
 * else is said. */
#ifndef HU_GRAPH_H
#define HU_GRAPH_H

#include "cuda/state.h"

/* Memory of a node. Its address stays the same for every launch. */
typedef struct hu_allocation {
	hr_object object;
	uint64_t address, size, number /* of the block */;
	uint64_t graph;    /* number of the graph whose node allocates it */
	uint64_t freed_in; /* number of the graph that has a node which frees it; 0: none */
	bool live;         /* a launch has allocated it, and nothing has freed it since */
} hu_allocation;

/* The work of a node, with all that the node owns for it. */
typedef struct hu_payload {
	hu_work work;
	hu_function *function;     /* used: of a kernel */
	void *owned;               /* what a kernel's arguments lie in */
	hu_allocation *allocation; /* used: that the node allocates or frees */
} hu_payload;

struct CUgraphNode_st {
	hr_object object;
	hu_graph *graph;
	size_t place; /* in the graph's list */
	hu_payload does;
	hu_dependencies needs;
	const hu_node *origin; /* the node of which this one is a copy: its number tells whether it is the same still */
	uint64_t origin_number;
	bool disabled;
};

typedef struct hu_kept {
	hu_user *user; /* used */
	unsigned n;
} hu_kept;

struct CUgraph_st {
	hr_object object;
	hu_node *parent; /* whose child it is; or NULL */
	HD_VEC(hu_node *) nodes;
	HD_VEC(hu_node *) order; /* of a graph in a hu_exec: one in which they can run */
	HD_VEC(hu_kept) kept;
	uint64_t origin;            /* number of the graph of which it is a copy */
	struct hu_capture *capture; /* that makes it now; or NULL */
	uint64_t exec;              /* number of the hu_exec of a graph with memory, of which there may be one; 0: none */
};

struct CUgraphExec_st {
	hr_object object;
	hu_graph *body;
	unsigned long long flags;
	hu_mark *last; /* used: the end of the last launch; or NULL */
};

static inline void hu_graphs_lock(void) { pthread_mutex_lock(&hu.graphs); }
static inline void hu_graphs_unlock(void) { pthread_mutex_unlock(&hu.graphs); }

/* The functions below require the lock, but for those that say so. */
bool hu_graph_is(const void *graph);
bool hu_node_is_of(const void *node, const hu_graph *graph);
/* The nodes are the graph's, none is there twice, and the data means something. */
bool hu_dependencies_are_valid(const hu_graph *graph, hu_dependency_view needs);
void hu_dependencies_add(hu_dependencies *needs, hu_node *node, cudaGraphEdgeData data);
/* Adds those that are not there yet. */
void hu_dependencies_join(hu_dependencies *needs, hu_dependency_view more);
void hu_dependencies_clear(hu_dependencies *needs);
static inline hu_dependency_view hu_dependencies_view(const hu_dependencies *needs)
{
	return (hu_dependency_view){needs->nodes.at, needs->data.at, needs->nodes.n};
}

/* A copy of a graph, or NULL and an error. `memory`: nodes of memory are copied, too. */
cudaError_t hu_graph_copy(const hu_graph *graph, bool memory, hu_graph **copy);
void hu_graph_drop(hu_graph *graph);
bool hu_graph_has(const hu_graph *graph, enum cudaGraphNodeType kind);
static inline bool hu_graph_has_memory(const hu_graph *graph)
{
	return hu_graph_has(graph, cudaGraphNodeTypeMemAlloc) || hu_graph_has(graph, cudaGraphNodeTypeMemFree);
}
/* As hu_graph_add, with a payload that the node takes if there is no error. */
cudaError_t hu_graph_insert(hu_graph *graph, hu_dependency_view needs, hu_payload *payload, hu_node **node);

/* Checks and takes the work that the caller describes, with copies of what its pointers lead to. A child is not copied: hu_graph_insert copies or
 * takes it. Without the lock. */
cudaError_t hu_payload_take(hu_payload *payload, hu_work *work);
cudaError_t hu_payload_copy(hu_payload *payload, const hu_payload *from);
void hu_payload_drop(hu_payload *payload);

/* Memory for a node; without the lock. */
cudaError_t hu_allocation_new(struct cudaMemAllocNodeParams *params, hu_allocation **allocation);
/* The allocation that begins at the address, used; or NULL. Without the lock. */
hu_allocation *hu_allocation_at(const void *address);
void hu_allocation_set(hu_allocation *allocation, bool live);

#endif
