/* Any bytes as an object: valid, or a message. A valid one survives writing and disassembling unchanged, the checker has an answer, and
 * its first kernel can be run for a while by interpreter and machine: whatever it does is a trap at worst. */
#include "fuzz.h"

#include "check/check.h"
#include "config/record.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"

enum { PARAMS_MAX = 1 << 16, WARP_INSTRUCTIONS = 2000, CYCLES = 2000, STEPS = 10000000 };

/* The checker's answer, its messages and the differences of the recorded machine. */
static void check(const hd_object *object)
{
	hd_machine machine;
	hd_check_report report;
	hd_text text = {0};
	hd_machine_default(&machine);
	bool proven = hd_check_within(object, &machine, STEPS, &report);
	hd_invariant(proven == (!report.total && !report.gave_up), "proven with %llu findings", (unsigned long long)report.total);
	for (size_t i = 0; i < report.findings.n; i++)
		hd_finding_print(&text, &report.findings.at[i], object, "fuzz");
	for (size_t i = 0; i < report.notes.n; i++)
		hd_note_print(&text, &report.notes.at[i], object, "fuzz");
	if (object->machine)
		hd_machine_record_differences(&machine, object->machine, 1000, &text);
	hd_text_free(&text);
	hd_check_report_free(&report);
}

static void run(const hd_object *object)
{
	hd_diag diag = {0};
	hd_machine machine;
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_memory *memory = hd_memory_new(1 << 24);
	hd_program *program = hd_program_new(object, memory, &diag);
	const hd_kernel *kernel = hd_object_kernel(object, NULL);
	hd_machine_default(&machine);
	if (program && kernel && kernel->param_bytes <= PARAMS_MAX) {
		uint8_t *params = hd_xcalloc(1, kernel->param_bytes);
		hd_launch launch = {.program = program, .kernel = kernel, .grid = {2, 1, 1}, .block = {40, 1, 1}, .work_dim = 1, .params = params};
		hd_bank *bank = hd_bank_new(&launch, &diag);
		if (bank) {
			hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = 16, .max_instructions = WARP_INSTRUCTIONS}, &stats, &trap);
			hd_trap_free(&trap);
			hd_run_options options = {.max_cycles = CYCLES};
			hd_device_run(&machine, &launch, memory, &options, &stats, &trap);
			hd_trap_free(&trap);
		}
		free(bank);
		free(params);
	}
	if (program)
		hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
}

/* Annotated anew it is valid, or there is a message (HZ-33). */
static void annotate(const hd_object *object, bool strip)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	hd_object *out = hd_annotate_object(object, &machine, strip, "fuzz.hko", &diag);
	hd_invariant((out == NULL) == (diag.errors > 0), "an object and %u errors", diag.errors);
	if (out)
		hd_invariant(hd_object_validate(out, "fuzz.hko", &diag), "what was annotated is not valid: %s", diag.text.at);
	if (out)
		hd_object_free(out);
	hd_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_object *object = hd_object_read(bytes, size, "fuzz.hko", &diag);
	hd_invariant((object == NULL) == (diag.errors > 0), "an object and %u errors", diag.errors);
	if (object) {
		hd_text text = {0};
		size_t n, m;
		unsigned char *once = hd_object_write(object, &n);
		hd_disassemble(object, &text);
		hd_object *again = hd_assemble(text.at, text.n, "fuzz.hasm", &diag);
		hd_invariant(again, "what was disassembled cannot be assembled: %s", diag.text.at);
		unsigned char *twice = hd_object_write(again, &m);
		hd_invariant(n == m && memcmp(once, twice, n) == 0, "asm(disasm(x)) is not x");
		check(object);
		annotate(object, bytes[size - 1] & 1);
		run(object);
		free(once);
		free(twice);
		hd_text_free(&text);
		hd_object_free(again);
		hd_object_free(object);
	}
	hd_diag_free(&diag);
	return 0;
}
