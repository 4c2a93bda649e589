/* The resources of a core that a kernel needs: registers, local memory and depth of calls, over everything that it can call. */
#ifndef HD_KERNEL_RESOURCES_H
#define HD_KERNEL_RESOURCES_H

#include "ir/ir.h"
#include "object/object.h"

typedef struct hd_function_resources {
	uint32_t registers, local_bytes;
	uint32_t call_depth; /* UINT32_MAX: not bounded */
} hd_function_resources;

/* By function, callees included. An indirect call can reach every function whose address is taken. The functions of a cycle of calls need what all
 * functions together need, which is a bound. `stack_bytes`: local memory of a thread for frames where calls recurse or are indirect, beside every
 * frame once (docs/compiler.md). Requires: allocated. The caller frees the result with free. */
hd_function_resources *hd_find_resources(const hd_ir_module *module, uint32_t stack_bytes);

/* Adds to the object every function, and a record for each kernel. `order`: the functions in order of address; `begin`: the first word of each;
 * `words`: of all code; `stack_bytes`: as in hd_find_resources. */
void hd_emit_kernels(const hd_ir_module *module, const uint32_t *order, const uint32_t *begin, uint32_t words, uint32_t stack_bytes,
                     hd_object *object);

#endif
