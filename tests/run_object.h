/* Runs the first kernel of an object, whose one argument is a buffer, on the timed machine or in the interpreter. */
#ifndef HD_TEST_RUN_OBJECT_H
#define HD_TEST_RUN_OBJECT_H

#include "device/device.h"
#include "interp/interp.h"

/* `bytes`: `n` of them go into the buffer, and come out of it. False when the kernel traps or does not end. */
static inline bool run_object(const hd_object *object, const hd_machine *machine, bool timed, unsigned ctas, unsigned threads, uint8_t *bytes,
                              size_t n, hd_stats *stats)
{
	enum { MOST = 10000000 /* cycles, or instructions */ };
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	if (!program)
		fail_msg("%s", diag.text.at);
	uint64_t address = hd_memory_alloc(memory, n, "buffer");
	memcpy(hd_memory_at(memory, address, n), bytes, n);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {ctas, 1, 1},
	                    .block = {threads, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_trap trap = {0};
	hd_run_options options = {.max_cycles = MOST};
	*stats = (hd_stats){0};
	bool ok = timed ? hd_device_run(machine, &launch, memory, &options, stats, &trap)
	                : hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = MOST},
	                                stats, &trap);
	memcpy(bytes, hd_memory_at(memory, address, n), n);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	return ok;
}

#endif
