/* The pipeline: one table, run from the first row to the last, then emission. */
#include "config/record.h"
#include "passes/allocate/allocate.h"
#include "passes/analysis/recursion.h"
#include "passes/annotate/annotate.h"
#include "passes/emit/emit.h"
#include "passes/lower/branches.h"
#include "passes/lower/critical_sections.h"
#include "passes/lower/expand.h"
#include "passes/lower/legalise.h"
#include "passes/lower/reconvergence.h"
#include "passes/lower/switches.h"
#include "passes/passes.h"
#include "passes/schedule/layout.h"
#include "passes/schedule/schedule.h"
#include "passes/simplify/if_conversion.h"
#include "passes/simplify/simplify.h"

/* `percent` is the usual share of a pass in the time of a compilation: the mean of all shapes of `heddle-bench-compile --passes 16000`. Emission
 * counts as a part of annotate. */
static const struct {
	const char *name;
	hd_pass *run;
	unsigned percent;
} passes[] = {
    {"switches", hd_pass_switches, 1},     {"expand", hd_pass_expand, 1},
    {"simplify", hd_pass_simplify, 5},     {"critical-sections", hd_pass_critical_sections, 0},
    {"legalise", hd_pass_legalise, 6},     {"if-convert", hd_pass_if_convert, 0},
    {"schedule", hd_pass_schedule, 13},    {"layout", hd_pass_layout, 3},
    {"allocate", hd_pass_allocate, 19},    {"reschedule", hd_pass_schedule, 10},
    {"reconverge", hd_pass_reconverge, 1}, {"branches", hd_pass_branches, 1},
    {"annotate", hd_pass_annotate, 40},
};

static const char input[] = "read"; /* the module as it came in */

const char *hd_pass_name(size_t index) { return index == 0 ? input : index <= HD_COUNT(passes) ? passes[index - 1].name : NULL; }

static void dump(const hd_compile_options *options, const hd_ir_module *module, const char *name)
{
	if (options->dump_after && options->dump && strcmp(options->dump_after, name) == 0)
		hd_ir_print(module, options->dump);
}

/* A pass that breaks a promise of the IR is a fault of this program, not of the input. */
static void check_promises(const hd_ir_module *module, const char *pass)
{
	hd_diag broken = {0};
	if (!hd_ir_validate(module, &broken))
		hd_panic("the IR after %s: %s", pass, broken.text.at);
	hd_diag_free(&broken);
}

hd_object *hd_compile_module(hd_ir_module *module, const hd_compile_options *options, hd_diag *diag)
{
	hd_machine machine = *options->machine;
	hd_pass_context context = {.machine = &machine, .serial = options->serial, .diag = diag};
	dump(options, module, input);
	if (!hd_ir_validate(module, diag) || !hd_refuse_recursion(module, &context))
		return NULL;
	unsigned done = 0;
	for (size_t i = 0; i < HD_COUNT(passes); done += passes[i++].percent) {
		if (options->stage)
			options->stage(options->stage_context, passes[i].name, (unsigned)i + 1, HD_COUNT(passes), done);
		if (!passes[i].run(module, &context))
			return NULL;
		dump(options, module, passes[i].name);
		check_promises(module, passes[i].name);
	}
	hd_object *object = hd_emit_object(module, &machine, diag);
	if (object) {
		hd_text record = {0}; /* of the machine as it was given, without the choices for this program */
		hd_machine_record(options->machine, &record);
		object->machine = record.at;
	}
	return object;
}
