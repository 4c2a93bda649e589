#ifndef HD_EMIT_H
#define HD_EMIT_H

#include "config/machine.h"
#include "ir/ir.h"
#include "object/object.h"

/* The kernel object of an annotated module: instruction words in lines, branch targets, hints, the line table, data, and what each kernel needs
 * (kernel_resources.h). Sets `word` of every instruction. The caller frees the object. NULL, with an error in diag: the program is too long. */
hd_object *hd_emit_object(hd_ir_module *module, const hd_machine *machine, hd_diag *diag);

#endif
