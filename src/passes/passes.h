/* The back end of the compiler: from IR to a kernel object. This header is the face of the room. driver.c has the table of passes in their order;
 * each folder holds one kind of unit, and each unit's header states its contract. */
#ifndef HD_PASSES_H
#define HD_PASSES_H

#include "config/machine.h"
#include "ir/ir.h"
#include "object/object.h"

/* Reports that step `number` of `count` begins. The steps before it usually take `percent_done` of the time of all `count` steps. */
typedef void hd_stage_call(void *context, const char *step, unsigned number, unsigned count, unsigned percent_done);

typedef struct hd_compile_options {
	const hd_machine *machine;
	bool serial;            /* every instruction waits for the one before it: to find out whether an annotation is wrong */
	const char *dump_after; /* name of a pass, or NULL */
	hd_text *dump;          /* receives the IR as it is after that pass */
	hd_stage_call *stage;   /* called before each pass, or NULL */
	void *stage_context;
} hd_compile_options;

/* Changes the module, which stays the caller's. The caller frees the object. NULL, with errors in diag, if the module breaks a promise of the IR or
 * cannot be compiled for the machine. */
hd_object *hd_compile_module(hd_ir_module *module, const hd_compile_options *options, hd_diag *diag);

/* Annotates finished machine code for the machine (HZ-33), whatever made it: fence counters, waits, delays, last uses, hints. Marks that the code has
 * stay; with `strip` they are forgotten first. Orders of the programmer (hd_object.orders) are kept. The result is to be proven (check/check.h),
 * because wrong marks stay, too. `file` is for messages. The caller frees the object. NULL with an error in diag where a mark contradicts what is
 * needed, or where code moves whose address the program may hold as a number. Requires: a valid object. */
hd_object *hd_annotate_object(const hd_object *object, const hd_machine *machine, bool strip, const char *file, hd_diag *diag);

/* Names for dump_after: the input, then the passes in their order. NULL behind the last one. */
const char *hd_pass_name(size_t index);

#endif
