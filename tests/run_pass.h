/* Runs one pass on a module, for tests. */
#ifndef TEST_RUN_PASS_H
#define TEST_RUN_PASS_H

#include "test.h"

#include "passes/pass.h"

/* The pass must succeed and keep what the IR promises. `machine` NULL: the default one. */
static inline void run_pass(hd_pass *pass, hd_ir_module *module, hd_machine *machine)
{
	hd_machine usual;
	hd_diag diag = {0};
	hd_machine_default(&usual);
	const hd_pass_context context = {.machine = machine ? machine : &usual, .diag = &diag};
	if (!pass(module, &context) || !hd_ir_validate(module, &diag))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
}

#endif
