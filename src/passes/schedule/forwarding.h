/* Bringing last uses near (LU-3): which of the instructions that could go in a cycle reads values that are on the forwarding paths still, and may not
 * be there later. A helper of the scheduler behind allocation, which asks it only where the answer costs no cycle; switch: last_use.schedule. */
#ifndef HD_NEAR_H
#define HD_NEAR_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_near hd_near;

/* For a block with physical registers; instructions are named by their place in it, as it is now. NULL when the machine forwards nothing, or the
 * switch is off. */
hd_near *hd_near_new(const hd_machine *machine, const hd_ir_block *block);
void hd_near_free(hd_near *near);
/* The instruction goes in `cycle`. */
void hd_near_issue(hd_near *near, uint32_t inst, uint32_t cycle);
/* What it saves to send the instruction in `cycle`: a read of the register file for each register that is forwarded, and as much again for a value
 * that nobody else waits for, whose write may be skipped. */
unsigned hd_near_gain(const hd_near *near, uint32_t inst, uint32_t cycle);

#endif
