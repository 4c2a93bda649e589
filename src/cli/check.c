/* heddle check: proves the annotations of a program, or says where they fail (HZ-27). */
#include "cli/cli.h"

#include "check/check.h"

typedef struct checking {
	hd_program_options program;
	bool quiet;
} checking;

static bool parse(checking *c, int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_CHECK, .argc = argc, .argv = argv};
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		hd_taken taken = hd_program_option(&c->program, &options, option);
		if (taken == HD_REFUSED)
			return false;
		if (option == HD_OPTION_QUIET)
			c->quiet = true;
	}
	if (!c->program.input)
		hd_usage("check: no input, expected an object .hko, or a .cl, .cu, .ptx or .hasm file");
	return c->program.input != NULL;
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
	if (text.n)
		fputs(text.at, stderr);
	hd_text_free(&text);
}

static int check(const checking *c, const hd_machine *machine, hd_diag *diag)
{
	const char *input = c->program.input;
	hd_build_options build = {.machine = machine, .serial = c->program.serial, .arguments = c->program.arguments};
	hd_object *object = hd_build(input, &build, diag);
	if (!object)
		return hd_flush(diag);
	hd_check_report report;
	bool proven = hd_check(object, machine, &report);
	say(&report, object, input, c->quiet);
	if (proven && !c->quiet)
		printf("%s: proven for machine %s: %llu dependences, %llu by fence counters, %llu by delays, %llu by a pipeline's own order\n", input,
		       machine->name, (unsigned long long)report.dependences, (unsigned long long)report.by_counter,
		       (unsigned long long)report.by_delay, (unsigned long long)report.by_order);
	hd_check_report_free(&report);
	hd_object_free(object);
	hd_flush(diag);
	return proven ? HD_EXIT_DONE : HD_EXIT_FAULT;
}

int hd_cli_check(int argc, char **argv)
{
	checking c = {0};
	hd_machine machine;
	hd_diag diag = {0};
	int status = HD_EXIT_USAGE;
	if (parse(&c, argc, argv)) {
		bool ok = hd_options_machine(&machine, c.program.config, c.program.settings.at, c.program.settings.n, &diag);
		status = ok ? check(&c, &machine, &diag) : hd_flush(&diag);
	}
	hd_program_options_free(&c.program);
	return status;
}
