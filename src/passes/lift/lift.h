/* From machine code back to the IR (HZ-33). */
#ifndef HD_LIFT_H
#define HD_LIFT_H

#include "ir/ir.h"
#include "config/machine.h"

typedef struct hd_lifted {
	hd_ir_module *module;
	hd_ir_inst **at; /* by word of the object: its instruction; NULL for a scheduling word, for padding, and for what `strip` leaves out */
} hd_lifted;

/* Makes of an object what the pass `branches` makes of a module: registers are physical, the order of the blocks is final, branches are instructions.
 * The instructions keep their counters, waits, last uses and `pass` marks; hints are left out. hd_ir_inst.word is the word in the object. Kernels are
 * functions without parameters, frames and registers: the object knows them.
 *
 * With `strip` the annotations are left out, and with them the instructions that only carry some: no-ops, `hints`, and branches under the guard
 * "never", unless an order names them.
 *
 * Requires: a valid object. False with an error in diag when instructions lie outside of all functions. The caller frees the result either way. */
bool hd_lift(const hd_object *object, const hd_machine *machine, bool strip, const char *file, hd_lifted *out, hd_diag *diag);
void hd_lifted_free(hd_lifted *lifted);

#endif
