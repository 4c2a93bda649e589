/* Entry points. The tables device.def, stream.def, memory.def, module.def and graph.def have a row for each function of the two interfaces: its name,
 * its parameters, and the expression that is its result, mostly a call of a function of core.h. api.h and driver.h make functions of the rows, for
 * which a file of each interface includes the table, and driver_entry.c makes the list that cuGetProcAddress searches.
 *
 *   TWIN(name, suffix, version, needs, (parameters), result)                   cudaNAME and cuNAME, whose result is the same
 *   TWIN_STREAM(name, suffix, version, (parameters), result)                   the same for functions with a default stream
 *   RUNTIME(name, (parameters), result)                                        a function of the runtime interface alone
 *   RUNTIME_STREAM(name, thread, (parameters), result)
 *   DRIVER(name, suffix, version, needs, (parameters), result)                 cuNAME, of the driver interface alone
 *   DRIVER_STREAM(name, suffix, thread, version, (parameters), result)
 *
 * `suffix` ends the symbol of the driver interface, and `version` is the first one in which cuNAME means this symbol. `needs` is `initialized`
 * (cuInit) or `ready` (a context, too). `thread` ends the symbol whose default stream is that of the thread. Results are numbers of cudaError_t. */
#ifndef HU_ENTRY_H
#define HU_ENTRY_H

#include "cuda/core.h"

#include <string.h>

/* The stream of a handle of a function with a default stream, or NULL. */
#define STREAM(handle) hu_stream_of(handle, per_thread)
/* The address that a pointer or a CUdeviceptr holds. */
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))
/* Gives a value to the program. */
#define PUT(to, value) ((to) ? (*(to) = (value), cudaSuccess) : cudaErrorInvalidValue)
/* There is one device. */
#define ONLY(device) ((device) ? cudaErrorInvalidDevice : cudaSuccess)
/* Both interfaces describe edges by the same bytes. */
#define DATA(edges) ((const cudaGraphEdgeData *)(edges))
/* The parameters of functions that add a node to a graph, and how they are handed on. */
#define ADDED hu_node **node, hu_graph *graph, hu_node *const *needs, size_t n
#define ADD(work) hu_api_add(graph, (hu_dependency_view){needs, NULL, n}, work, node)
#define WORK(kind, parameters) hu_work_of(cudaGraphNodeType##kind, parameters, sizeof *(parameters))

static inline cudaError_t hu_api_add(hu_graph *graph, hu_dependency_view needs, hu_work work, hu_node **node)
{
	return hu_graph_add(graph, needs, &work, node);
}
static inline cudaError_t hu_api_set(hu_node *node, hu_work work) { return hu_node_set(node, &work); }
static inline cudaError_t hu_api_exec_set(hu_exec *exec, hu_node *node, hu_work work) { return hu_exec_set(exec, node, &work); }

#endif
