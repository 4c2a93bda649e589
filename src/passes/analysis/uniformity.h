/* Which branches can split a warp: for the baseline's push and sync (RC-16), so that it does not pay for branches that all lanes take alike. */
#ifndef HD_UNIFORM_H
#define HD_UNIFORM_H

#include "config/machine.h"
#include "ir/ir.h"

/* By function: a bit for each register and predicate (access.h) that it or what it calls writes. The caller frees. */
typedef struct hd_written {
	uint64_t set[5];
} hd_written;
hd_written *hd_module_written(const hd_ir_module *module, const hd_machine *machine);

/* Adds to `divergent` the blocks of an allocated function whose branch may be decided differently by lanes that come to it together. meet[b] is where
 * the sides of b's branch meet (a number that is no block: nowhere); lanes come together again nowhere else. */
void hd_find_divergent(const hd_ir_function *f, const hd_machine *machine, const hd_written *written, const uint32_t *meet, hd_bits *divergent);

#endif
