/* Scheduling last uses early (LU-3): which ready instructions read values that are still on the forwarding paths. The scheduler uses it after
 * allocation, and only where the answer costs no cycle; key last_use.schedule. */
#ifndef HD_FORWARDING_H
#define HD_FORWARDING_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_forwarding hd_forwarding;

/* For a block with physical registers. Instructions are named by their place in it, as it is now. NULL if the machine forwards nothing or the key is
 * off. The caller frees the result with hd_forwarding_free. */
hd_forwarding *hd_forwarding_new(const hd_machine *machine, const hd_ir_block *block);
void hd_forwarding_free(hd_forwarding *f); /* or NULL */
/* The instruction issues in `cycle`. */
void hd_forwarding_issue(hd_forwarding *f, uint32_t inst, uint32_t cycle);
/* The saving if the instruction issues in `cycle`: a read of the register file for each register that is forwarded; and as much again if no other
 * instruction of the block is still to read that value, as its write may be skipped. */
unsigned hd_forwarding_gain(const hd_forwarding *f, uint32_t inst, uint32_t cycle);

#endif
