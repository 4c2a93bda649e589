#ifndef HD_SWITCHES_H
#define HD_SWITCHES_H

#include "passes/pass.h"

/* SWITCH terminators become balanced trees of comparisons and branches. Requires: virtual registers. */
bool hd_pass_switches(hd_ir_module *module, const hd_pass_context *context);

#endif
