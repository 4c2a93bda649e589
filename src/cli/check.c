/* heddle check: proves the annotations of a program, or says where they fail (HZ-27). */
#include "cli/cli.h"

#include "check/check.h"

typedef struct checking {
	const char *input, *config;
	bool serial, quiet;
	HD_VEC(const char *) settings;
	const char *arguments[HD_CLANG_ARGUMENTS_MAX + 1];
	unsigned n_arguments;
} checking;

static bool parse(checking *c, int argc, char **argv)
{
	hd_options options = {.argc = argc, .argv = argv, .command = "check"};
	while (hd_options_next(&options)) {
		if (hd_options_is(&options, "--config")) {
			if (!(c->config = hd_options_value(&options)))
				return false;
		} else if (hd_options_is(&options, "--set")) {
			const char *setting = hd_options_value(&options);
			if (!setting)
				return false;
			hd_vec_push(&c->settings, setting);
		} else if (hd_options_is(&options, "--serial")) {
			c->serial = true;
		} else if (hd_options_is(&options, "--quiet")) {
			c->quiet = true;
		} else if (hd_options_clang(&options, c->arguments, &c->n_arguments, HD_CLANG_ARGUMENTS_MAX)) {
			continue;
		} else if (!hd_options_word(&options)) {
			hd_options_unknown(&options);
			return false;
		} else if (c->input) {
			hd_usage("check: one input at a time, got %s and %s", c->input, options.word);
			return false;
		} else {
			c->input = options.word;
		}
	}
	if (!c->input)
		hd_usage("check: no input, expected an object .hko, or a .cl, .cu, .ptx or .hasm file");
	return c->input != NULL;
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
	hd_build_options build = {.machine = machine, .serial = c->serial, .arguments = c->arguments};
	hd_object *object = hd_build(c->input, &build, diag);
	if (!object)
		return hd_flush(diag);
	hd_check_report report;
	bool proven = hd_check(object, machine, &report);
	say(&report, object, c->input, c->quiet);
	if (proven && !c->quiet)
		printf("%s: proven for machine %s: %llu dependences, %llu by fence counters, %llu by delays, %llu by a pipeline's own order\n",
		       c->input, machine->name, (unsigned long long)report.dependences, (unsigned long long)report.by_counter,
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
		bool ok = hd_options_machine(&machine, c.config, c.settings.at, c.settings.n, &diag);
		status = ok ? check(&c, &machine, &diag) : hd_flush(&diag);
	}
	hd_vec_free(&c.settings);
	return status;
}
