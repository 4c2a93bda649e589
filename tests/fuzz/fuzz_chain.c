/* Any text as PTX, all the way: read, compiled for a machine that the text itself chooses, written, read back, proven by the checker (what the
 * compiler makes is never in doubt), and run for a while as one warp by the interpreter and on the machine: a trap at worst, and when both come to an
 * end, the same bytes. */
#include "fuzz.h"

#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { BUFFER = 1 << 14, PARAMS_MAX = 4096, INSTRUCTIONS = 20000, CYCLES = 200000 };

static const char *const settings[][3] = {
    {NULL},
    {"divergence.mode=stack", NULL},
    {"predecode.geometry=wide", "fence.counters=9", NULL},
    {"multi_issue.window=4", NULL},
    {"fence.mode=scoreboard", NULL},
    {"predecode.geometry=short", NULL},
    {"divergence.membership=range", NULL},
    {"machine.registers=4096", "predecode.carrier=instruction", NULL},
};

/* A warp of 32 threads; every parameter of 8 bytes is a buffer, all others are small numbers. */
static bool run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t *bytes, hd_trap *trap)
{
	hd_diag diag = {0};
	hd_stats stats = {0};
	hd_memory *memory = hd_memory_new(1 << 24);
	hd_program *program = hd_program_new(object, memory, &diag);
	const hd_kernel *kernel = hd_object_kernel(object, NULL);
	uint64_t buffer = hd_memory_alloc(memory, BUFFER, "buffer");
	uint8_t params[PARAMS_MAX] = {0};
	bool ok = false;
	if (program && kernel && buffer && kernel->param_bytes <= PARAMS_MAX) {
		hd_launch launch = {
		    .program = program, .kernel = kernel, .grid = {1, 1, 1}, .block = {HD_LANES, 1, 1}, .work_dim = 1, .params = params};
		for (size_t i = 0; i < kernel->params.n; i++) {
			const hd_param *p = &kernel->params.at[i];
			uint32_t small = 20;
			memcpy(params + p->offset, p->size == 8 ? (const void *)&buffer : (const void *)&small,
			       p->size == 8  ? 8
			       : p->size < 4 ? p->size
			                     : 4);
		}
		uint8_t *at = hd_memory_at(memory, buffer, BUFFER);
		for (unsigned i = 0; i < BUFFER; i++)
			at[i] = (uint8_t)(i * 7 % 251);
		hd_run_options options = {.max_cycles = CYCLES};
		hd_bank *bank = hd_bank_new(&launch, &diag);
		ok = bank &&
		     (timed ? hd_device_run(machine, &launch, memory, &options, &stats, trap)
		            : hd_interp_run(&launch, memory,
		                            &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = INSTRUCTIONS},
		                            &stats, trap));
		free(bank);
		memcpy(bytes, at, BUFFER);
	}
	if (program)
		hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return ok;
}

/* False with results that another run need not repeat: of clocks, and of atomics and exchanges between lanes, whose order with other accesses is
 * nobody's promise. */
static bool comparable(const hd_object *object)
{
	hd_text text = {0};
	hd_disassemble(object, &text);
	bool ok = !text.at || (!strstr(text.at, "clock") && !strstr(text.at, "timer") && !strstr(text.at, "smid") && !strstr(text.at, "atom") &&
	                       !strstr(text.at, "cas") && !strstr(text.at, "lds") && !strstr(text.at, "sts"));
	hd_text_free(&text);
	return ok;
}

static void try_object(const hd_object *object, const hd_machine *machine)
{
	static uint8_t oracle[BUFFER], timed[BUFFER];
	hd_diag diag = {0};
	hd_check_report report = {0};
	hd_trap traps[2] = {{0}};
	size_t n;
	unsigned char *bytes = hd_object_write(object, &n);
	hd_object *again = hd_object_read(bytes, n, "fuzz.hko", &diag);
	hd_invariant(again, "what was written cannot be read: %s", diag.text.at);
	hd_text why = {0};
	if (!hd_check(again, machine, &report) && report.findings.n)
		hd_finding_print(&why, &report.findings.at[0], again, "fuzz");
	hd_invariant(!report.total, "not proven: %s", why.at ? why.at : "");
	hd_check_report_free(&report);
	if (again->kernels.n) {
		bool a = run(again, machine, false, oracle, &traps[0]), b = run(again, machine, true, timed, &traps[1]);
		hd_invariant(!a || !b || !comparable(again) || memcmp(oracle, timed, BUFFER) == 0,
		             "%zu bytes of object: interpreter and machine differ", n);
	}
	hd_trap_free(&traps[0]);
	hd_trap_free(&traps[1]);
	hd_text_free(&why);
	hd_object_free(again);
	free(bytes);
	hd_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_machine machine;
	uint32_t choice = (uint32_t)size;
	for (size_t i = 0; i < size; i++)
		choice = choice * 31 + bytes[i];
	hd_machine_default(&machine);
	for (const char *const *s = settings[(choice >> 8) % HD_COUNT(settings)]; *s; s++)
		hd_invariant(hd_machine_set(&machine, *s, &diag), "%s", diag.text.at);
	char *text = hd_xmalloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	hd_ir_module *module = hd_ptx_read(text, size, "fuzz.ptx", &diag);
	hd_invariant((module == NULL) == (diag.errors > 0), "a result and %u errors", diag.errors);
	if (module) {
		hd_compile_options options = {.machine = &machine, .serial = choice % 5 == 0};
		hd_object *object = hd_compile_module(module, &options, &diag);
		hd_invariant((object == NULL) == (diag.errors > 0), "an object and %u errors: %s", diag.errors, diag.text.at ? diag.text.at : "");
		if (object)
			try_object(object, &machine);
		if (object)
			hd_object_free(object);
		hd_ir_module_free(module);
	}
	free(text);
	hd_diag_free(&diag);
	return 0;
}
