/* Definitions shared by the entry points of the driver interface for graphs. */
#ifndef HU_DRIVER_GRAPH_H
#define HU_DRIVER_GRAPH_H

#define GRAPH(handle) ((hu_graph *)(handle))
#define NODE(handle) ((hu_node *)(handle))
#define NODES(list) ((hu_node *const *)(list))
#define EXEC(handle) ((hu_exec *)(handle))
/* Both interfaces describe edges by the same bytes. */
#define DATA(list) ((const cudaGraphEdgeData *)(list))

#endif
