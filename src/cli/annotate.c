/* heddle annotate: writes annotations into finished machine code (HZ-33). */
#include "cli/cli.h"

#include "passes/passes.h"

typedef struct annotating {
	hd_program_options program;
	const char *output;
	bool strip, quiet;
} annotating;

static bool own_option(void *context, hd_option_id option, const char *value)
{
	annotating *a = context;
	if (option == HD_OPTION_OUTPUT)
		a->output = value;
	if (option == HD_OPTION_STRIP)
		a->strip = true;
	if (option == HD_OPTION_QUIET_CHECK)
		a->quiet = true;
	return true;
}

static void put(const hd_object *object, const char *output, hd_diag *diag)
{
	if (output && hd_ends_with(output, ".hko")) {
		hd_object_save(object, output, diag);
		return;
	}
	hd_text text = {0};
	hd_disassemble(object, &text);
	hd_put_text(output, text.at, text.n, diag);
	hd_text_free(&text);
}

/* Writes nothing that is not proven. */
static int annotate(const annotating *a, const hd_build_options *build, hd_diag *diag)
{
	const char *input = a->program.input;
	hd_object *object = hd_build(input, build, diag), *out = NULL;
	if (object)
		out = hd_annotate_object(object, build->machine, a->strip, input, diag);
	bool proven = out && hd_prove(out, build->machine, input, a->quiet, stderr);
	if (proven)
		put(out, a->output, diag);
	bool refuted = out && !proven;
	if (object)
		hd_object_free(object);
	if (out)
		hd_object_free(out);
	int status = hd_flush(diag);
	return refuted ? HD_EXIT_FAULT : status;
}

int hd_cli_annotate(int argc, char **argv)
{
	static const char expected[] = ", expected assembly .hasm or an object .hko";
	annotating a = {0};
	hd_machine machine;
	hd_build_options build;
	hd_diag diag = {0};
	int status = HD_EXIT_USAGE;
	if (hd_program_parse(&a.program, HD_COMMAND_ANNOTATE, argc, argv, own_option, &a, expected)) {
		if (!hd_ends_with(a.program.input, ".hasm") && !hd_ends_with(a.program.input, ".hko"))
			status = hd_usage("annotate: %s is no machine code%s; `heddle compile` annotates what it builds", a.program.input, expected);
		else
			status = hd_program_machine(&a.program, &machine, &build, &diag) ? annotate(&a, &build, &diag) : hd_flush(&diag);
	}
	hd_program_options_free(&a.program);
	return status;
}
