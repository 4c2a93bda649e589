#ifndef HD_ANNOTATE_H
#define HD_ANNOTATE_H

#include "passes/passes.h"

/* The serial mode: every instruction waits for the one before. To bisect with. */
bool hd_annotate_serial(hd_ir_module *module, const hd_machine *machine, hd_diag *diag);

#endif
