/* PTX text, compiled and run by the oracle: what the tests of values have in common. */
#ifndef HD_TEST_PTX_RUN_H
#define HD_TEST_PTX_RUN_H

#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"
#include "../test.h"

/* Runs kernel `name` of the text: one CTA of `threads`, parameters: addresses of `in` and `out` (bytes each, both copied), then two u32 of
 * `extra`. Fails the test with everything there is to say when any step fails. */
static void run_ptx(const char *text, const char *name, uint32_t threads, const void *in, size_t in_bytes, void *out, size_t out_bytes,
                    const uint32_t extra[2], uint32_t dynamic_shared)
{
	hd_diag diag = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	hd_ir_module *module = hd_ptx_read(text, strlen(text), "test.ptx", &diag);
	if (!module || !hd_ir_validate(module, &diag))
		fail_msg("%s", diag.text.at);
	hd_compile_options options = {.machine = &machine};
	hd_object *object = hd_compile_module(module, &options, &diag);
	hd_ir_module_free(module);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_memory *memory = hd_memory_new(1 << 28);
	hd_program *program = hd_program_new(object, memory, &diag);
	if (!program)
		fail_msg("%s", diag.text.at);
	uint64_t params[3] = {hd_memory_alloc(memory, in_bytes, "in"), hd_memory_alloc(memory, out_bytes, "out"), 0};
	if (extra)
		memcpy(&params[2], extra, 8);
	memcpy(hd_memory_at(memory, params[0], in_bytes), in, in_bytes);
	memcpy(hd_memory_at(memory, params[1], out_bytes), out, out_bytes);
	const hd_kernel *kernel = hd_object_kernel(object, name);
	assert_non_null(kernel);
	uint8_t bytes[256] = {0};
	assert_true(kernel->param_bytes <= sizeof bytes);
	memcpy(bytes, params, sizeof params);
	hd_launch launch = {.program = program,
	                    .kernel = kernel,
	                    .grid = {1, 1, 1},
	                    .block = {threads, 1, 1},
	                    .work_dim = 1,
	                    .params = bytes,
	                    .dynamic_shared = dynamic_shared};
	hd_stats stats;
	hd_trap trap = {0};
	memset(&stats, 0, sizeof stats);
	if (!hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = 64, .max_instructions = 10000000}, &stats, &trap)) {
		hd_text why = {0};
		hd_trap_print(&why, &trap, &launch, memory);
		fail_msg("%s", why.at);
	}
	memcpy(out, hd_memory_at(memory, params[1], out_bytes), out_bytes);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_object_free(object);
	hd_diag_free(&diag);
}

#endif
