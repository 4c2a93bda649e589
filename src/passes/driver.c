/* The whole pipeline on one screen. */
#include "passes/passes.h"

const char *const hd_pass_names[] = {"read",     "switches",   "expand",     "simplify", "legalise", "schedule", "layout",
                                     "allocate", "reschedule", "reconverge", "branches", "annotate", NULL};

typedef struct pipeline {
	hd_ir_module *module;
	const hd_compile_options *options;
	hd_diag *diag;
} pipeline;

static void dump(const pipeline *p, const char *name)
{
	const hd_compile_options *o = p->options;
	if (o->dump_after && o->dump && strcmp(o->dump_after, name) == 0)
		hd_ir_print(p->module, o->dump);
}

/* The IR that comes in may be anybody's: what is wrong with it is an error of the input. */
static bool take(const pipeline *p)
{
	dump(p, "read");
	return hd_ir_validate(p->module, p->diag);
}

/* After each pass: the dump that was asked for, and the IR's promises. A pass that breaks them is a fault of ours. */
static bool after(const pipeline *p, const char *name)
{
	dump(p, name);
	hd_diag broken = {0};
	if (!hd_ir_validate(p->module, &broken))
		hd_panic("the IR after %s: %s", name, broken.text.at);
	hd_diag_free(&broken);
	return true;
}

hd_object *hd_compile_module(hd_ir_module *module, const hd_compile_options *options, hd_diag *diag)
{
	pipeline p = {module, options, diag};
	hd_machine mine = *options->machine, *machine = &mine; /* annotate may choose another split of the counters */
	bool ok = take(&p) && hd_pass_recursion(module, machine, diag) && hd_pass_switches(module, diag) && after(&p, "switches") &&
	          hd_pass_expand(module, diag) && after(&p, "expand") && hd_pass_simplify(module, diag) && after(&p, "simplify") &&
	          hd_pass_legalise(module, machine, diag) && after(&p, "legalise") && hd_pass_schedule(module, machine, diag) &&
	          after(&p, "schedule") && hd_pass_layout(module, diag) && after(&p, "layout") && hd_pass_allocate(module, machine, diag) &&
	          after(&p, "allocate") && hd_pass_schedule(module, machine, diag) && after(&p, "reschedule") &&
	          hd_pass_reconverge(module, machine, diag) && after(&p, "reconverge") && hd_pass_branches(module, diag) && after(&p, "branches") &&
	          hd_pass_annotate(module, machine, options->serial, diag) && after(&p, "annotate");
	return ok ? hd_pass_emit(module, machine, diag) : NULL;
}
