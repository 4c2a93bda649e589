/* The table of eight meanings that the compiler gives the three bits of an instruction (PD-28).
 *
 * Entry 0 is a delay of one cycle. The seven others are the pre-decode bytes that cost the program most if they were missing, each weighted by how
 * often its instructions run. A byte that the table lacks is replaced: a hint by the delay that it keeps, a delay by a longer one, or by a shorter
 * one and no-ops, and a wait by no-ops. */
#ifndef HD_HINT_TABLE_H
#define HD_HINT_TABLE_H

#include "config/machine.h"
#include "ir/ir.h"

/* The substitute for an instruction's hint: an entry of the table, and no-ops. */
typedef struct hd_table_fit {
	uint8_t entry;         /* of the instruction */
	uint8_t before, after; /* cycles of no-ops */
	uint8_t cost;          /* lost cycles, two for each no-op, and one for a hint that is no delay; 0: the table has the byte */
} hd_table_fit;

/* Chooses the table. Requires: hints are chosen, and hd_ir_loops was called. */
void hd_choose_hint_table(const hd_ir_module *module, const hd_machine *machine, uint8_t table[HD_HINT_TABLE]);
/* The substitute for the byte `hint` (delay | hint << 4) with the first `n` entries of the table. Requires: entry 0 is a delay of one cycle. */
hd_table_fit hd_fit_hint(const uint8_t *table, unsigned n, unsigned hint, const hd_machine *machine);
/* The entry of a no-op that stands for up to `cycles` cycles. *passed: how many it stands for. Requires: cycles > 0. */
unsigned hd_fit_nop(const uint8_t *table, unsigned n, unsigned cycles, unsigned *passed);

#endif
