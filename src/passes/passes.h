/* IR -> kernel object. driver.c is the whole pipeline on one screen; each pass has its own file and promises in this header. */
#ifndef HD_PASSES_H
#define HD_PASSES_H

#include "config/machine.h"
#include "ir/ir.h"
#include "object/object.h"

/* Local memory of a thread for frames where calls recurse or are indirect (docs/abi.md). */
enum { HD_DYNAMIC_STACK_BYTES = 16384 };

typedef struct hd_compile_options {
	const hd_machine *machine;
	bool serial;            /* every instruction waits for the one before (to bisect with) */
	const char *dump_after; /* pass name, or NULL */
	hd_text *dump;          /* receives the IR after that pass */
} hd_compile_options;

/* Consumes nothing: the module is changed, and still the caller's. NULL and errors in diag on failure. */
hd_object *hd_compile_module(hd_ir_module *module, const hd_compile_options *options, hd_diag *diag);
/* Names of the passes in order, NULL-terminated (for --dump-after). */
extern const char *const hd_pass_names[];

/* In order. Each returns false only for a program that cannot be compiled at all, with an error in diag. */
/* Refuses recursion where the machine's flow unit cannot have it (RC-10). */
bool hd_pass_recursion(hd_ir_module *module, const hd_machine *machine, hd_diag *diag);
bool hd_pass_expand(hd_ir_module *module, hd_diag *diag);   /* pseudo operations -> sub-instructions (LU-1); FADDR and CALLF stay */
bool hd_pass_simplify(hd_ir_module *module, hd_diag *diag); /* constants, copies, bank operands, address folding, dead code */
bool hd_pass_legalise(hd_ir_module *module, const hd_machine *machine,
                      hd_diag *diag);                       /* every operand encodable; literals chosen; hoist.c, advance.c */
bool hd_pass_switches(hd_ir_module *module, hd_diag *diag); /* SWITCH terminators become trees of comparisons; before allocation */
bool hd_pass_layout(hd_ir_module *module, hd_diag *diag);   /* block order for least-address-first (RC-15); before or after allocation */
bool hd_pass_reconverge(hd_ir_module *module, const hd_machine *machine,
                        hd_diag *diag);                     /* baseline only (RC-16): push and sync; between layout and branches */
bool hd_pass_branches(hd_ir_module *module, hd_diag *diag); /* terminators become instructions, too; block order is final; after allocation */
bool hd_pass_schedule(hd_ir_module *module, const hd_machine *machine, hd_diag *diag); /* list scheduling inside blocks; before or after allocation */
bool hd_pass_allocate(hd_ir_module *module, const hd_machine *machine, hd_diag *diag); /* registers, spills, frames, call sequences */
/* Counters, waits, delays, hints; block order is final. Sets machine->fence_high_latency to the split chosen for the program (fence.split). */
bool hd_pass_annotate(hd_ir_module *module, hd_machine *machine, bool serial, hd_diag *diag);
hd_object *hd_pass_emit(hd_ir_module *module, const hd_machine *machine, hd_diag *diag);

#endif
