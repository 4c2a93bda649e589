/* Uniformity analysis: which branches can split a warp. The baseline needs no push and sync for the others (RC-16). */
#ifndef HD_UNIFORMITY_H
#define HD_UNIFORMITY_H

#include "config/machine.h"
#include "ir/ir.h"
#include "passes/analysis/joins.h"

/* A bit for each resource (analysis/resources.h). */
typedef struct hd_resource_set {
	uint64_t words[5];
} hd_resource_set;

/* By function: the resources that it or a function that it calls writes. Requires: allocated. The caller frees the result with free. */
hd_resource_set *hd_written_resources(const hd_ir_module *module, const hd_machine *machine);

/* Adds to `divergent` the blocks whose branch may be decided differently by lanes that reach it together. Lanes that a branch has separated come
 * together at its joins and nowhere else. `written` is the result of hd_written_resources. Requires: allocated. */
void hd_find_divergent_branches(const hd_ir_function *f, const hd_machine *machine, const hd_resource_set *written, const hd_joins *joins,
                                hd_bits *divergent);

#endif
