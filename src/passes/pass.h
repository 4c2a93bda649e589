/* Definitions shared by all passes. */
#ifndef HD_PASS_H
#define HD_PASS_H

#include "config/machine.h"
#include "ir/ir.h"

typedef struct hd_pass_context {
	hd_machine *machine; /* to compile for; hd_pass_annotate alone changes it */
	bool serial;         /* as hd_compile_options.serial */
	hd_diag *diag;       /* receives the errors of passes that can fail */
} hd_pass_context;

/* Changes the module in place. Keeps what the IR promises (hd_ir_validate) for a module that keeps it. False, with an error in context->diag, for a
 * program that cannot be compiled for this machine; most passes cannot fail, and their headers do not mention it. */
typedef bool hd_pass(hd_ir_module *module, const hd_pass_context *context);

#endif
