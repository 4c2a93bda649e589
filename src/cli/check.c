/* heddle check: proves the annotations of a program, or says where they fail (HZ-27). */
#include "cli/cli.h"
#include "cli/color.h"
#include "cli/machine_code.h"
#include "cli/progress.h"

#include "base/plain.h"
#include "check/check.h"

typedef struct checking {
	hd_program_options program;
	bool quiet;
	hd_machine_code_options machine_code;
} checking;

static bool own_option(void *context, hd_option_id option, const char *value)
{
	checking *c = context;
	c->quiet |= option == HD_OPTION_QUIET_CHECK;
	c->machine_code.strict |= option == HD_OPTION_STRICT;
	c->machine_code.slack |= option == HD_OPTION_SLACK;
	const char **text = option == HD_OPTION_ARCH           ? &c->machine_code.architecture
	                    : option == HD_OPTION_KERNEL_CHECK ? &c->machine_code.kernel
	                    : option == HD_OPTION_ASSUME       ? &c->machine_code.assume
	                    : option == HD_OPTION_FIX          ? &c->machine_code.fix
	                    : option == HD_OPTION_REPORT_CHECK ? &c->machine_code.report
	                                                       : NULL;
	if (text)
		*text = value;
	return true;
}

static void say(const hd_check_report *report, const hd_object *object, const char *input, bool quiet)
{
	hd_text text = {0};
	for (size_t i = 0; i < report->notes.n && !quiet; i++)
		hd_note_print(&text, &report->notes.at[i], object, input);
	for (size_t i = 0; i < report->findings.n; i++)
		hd_finding_print(&text, &report->findings.at[i], object, input);
	if (report->total > report->findings.n)
		hd_text_printf(&text, "%s: %llu more\n", input, (unsigned long long)(report->total - report->findings.n));
	if (report->gave_up)
		hd_gave_up_print(&text, report, input);
	hd_text_make_plain(&text, 0);
	if (text.n)
		hd_color_messages(text.at);
	hd_text_free(&text);
}

static void print_proof(const hd_check_report *report, const char *input, const hd_machine *machine, FILE *out)
{
	hd_say(out, "%s: proven for machine %s: ", input, machine->name);
	if (report->by_scoreboard)
		fprintf(out, "a scoreboard keeps registers and memory in order, so no annotation is needed%s\n",
		        machine->last_use_flags ? "; last-use flags are proven" : "");
	else
		fprintf(out, "%llu dependences, %llu by fence counters, %llu by delays, %llu by a pipeline's own order\n",
		        (unsigned long long)report->dependences, (unsigned long long)report->by_counter, (unsigned long long)report->by_delay,
		        (unsigned long long)report->by_order);
}

bool hd_prove(const hd_object *object, const hd_machine *machine, const char *input, bool quiet, FILE *out)
{
	hd_check_report report;
	hd_progress_work progress;
	hd_progress_work_begin(&progress, "checking", input);
	bool proven = hd_check(object, machine, &report);
	hd_progress_work_end(&progress);
	say(&report, object, input, quiet);
	if (proven && !quiet)
		print_proof(&report, input, machine, out);
	hd_check_report_free(&report);
	return proven;
}

static int check(const checking *c, hd_build_options *build, hd_diag *diag)
{
	const char *input = c->program.input;
	const hd_machine *machine = build->machine;
	hd_progress_work progress;
	build->stage = hd_progress_work_step;
	build->stage_context = &progress;
	hd_progress_work_begin(&progress, "compiling", input);
	hd_object *object = hd_build(input, build, diag);
	hd_progress_work_end(&progress);
	if (!object)
		return hd_flush(diag);
	bool proven = hd_prove(object, machine, input, c->quiet, stdout);
	hd_object_free(object);
	hd_flush(diag);
	return proven ? HD_EXIT_DONE : HD_EXIT_FAULT;
}

/* Machine code of a real GPU: no machine is described, and nothing is built. */
static int check_machine_code(checking *c)
{
	const hd_program_options *p = &c->program;
	if (p->config || p->settings.n || p->serial || p->n_arguments)
		return hd_usage("check: %s is machine code of a real GPU; --config, --set, --serial and options for clang are for programs of Heddle",
		                p->input);
	c->machine_code.quiet = c->quiet;
	return hd_check_machine_code(p->input, &c->machine_code);
}

static int check_program(checking *c)
{
	hd_machine machine;
	hd_build_options build;
	hd_diag diag = {0};
	const char *option = hd_machine_code_option(&c->machine_code);
	if (option)
		return hd_usage("check: %s is for machine code of real GPUs (cubins), which %s is not", option, c->program.input);
	return hd_program_machine(&c->program, &machine, &build, &diag) ? check(c, &build, &diag) : hd_flush(&diag);
}

int hd_cli_check(int argc, char **argv)
{
	static const char expected[] = ", expected an object .hko, a .cl, .cu, .spv, .ptx or .hasm file, or machine code of a real GPU";
	checking c = {0};
	int status = HD_EXIT_USAGE;
	if (hd_program_parse(&c.program, HD_COMMAND_CHECK, argc, argv, own_option, &c, expected))
		status = hd_is_machine_code(c.program.input) ? check_machine_code(&c) : check_program(&c);
	hd_program_options_free(&c.program);
	return status;
}
