/* heddle compile, asm and disasm. */
#include "cli/cli.h"
#include "cli/machine_code.h"
#include "cli/progress.h"

#include "passes/passes.h"

typedef enum emission { EMIT_OBJECT, EMIT_ASSEMBLY, EMIT_IR, EMIT_PTX } emission;

typedef struct compiling {
	hd_program_options program;
	const char *output, *dump_after;
	emission emit;
	bool emit_given;
} compiling;

static bool parse_emit(const char *text, emission *emit)
{
	static const char *const names[] = {[EMIT_OBJECT] = "obj", [EMIT_ASSEMBLY] = "asm", [EMIT_IR] = "ir", [EMIT_PTX] = "ptx"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*emit = i;
			return true;
		}
	}
	return hd_refuse_choice("compile", "--emit", text, hd_option_rows[HD_OPTION_EMIT].value, "ptx, ir, asm or obj");
}

static bool own_option(void *context, hd_option_id option, const char *value)
{
	compiling *c = context;
	if (option == HD_OPTION_OUTPUT)
		c->output = value;
	if (option == HD_OPTION_DUMP_AFTER)
		c->dump_after = value;
	if (option == HD_OPTION_EMIT)
		c->emit_given = true;
	return option != HD_OPTION_EMIT || parse_emit(value, &c->emit);
}

/* NAME.hko in the current directory, as compilers do. */
static void default_output(const char *input, hd_text *out)
{
	const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input;
	const char *dot = strrchr(base, '.');
	hd_text_printf(out, "%.*s.hko", dot ? (int)(dot - base) : (int)strlen(base), base);
}

static void compile(const compiling *c, hd_build_options *build, hd_diag *diag)
{
	hd_text text = {0}, dump = {0};
	const char *input = c->program.input;
	hd_progress_work progress;
	build->dump_after = c->dump_after;
	build->dump = &dump;
	build->stage = hd_progress_work_step;
	build->stage_context = &progress;
	hd_progress_work_begin(&progress, "compiling", input);
	if (c->emit == EMIT_PTX || c->emit == EMIT_IR) {
		bool ok = hd_build_stage(input, c->emit == EMIT_PTX ? HD_STAGE_PTX : HD_STAGE_IR, build, &text, diag);
		hd_progress_work_end(&progress);
		if (ok)
			hd_put_text(c->output, text.at, text.n, diag);
		hd_text_free(&text);
		hd_text_free(&dump);
		return;
	}
	hd_object *object = hd_build(input, build, diag);
	hd_progress_work_end(&progress);
	if (dump.n)
		hd_put_text(NULL, dump.at, dump.n, diag);
	if (object && c->emit == EMIT_ASSEMBLY) {
		hd_disassemble(object, &text);
		hd_put_text(c->output, text.at, text.n, diag);
	} else if (object && (c->output || c->emit_given || !c->dump_after)) {
		default_output(input, &text);
		hd_object_save(object, c->output ? c->output : text.at, diag);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&text);
	hd_text_free(&dump);
}

int hd_cli_compile(int argc, char **argv)
{
	compiling c = {0};
	hd_machine machine;
	hd_build_options build;
	hd_diag diag = {0};
	int status = HD_EXIT_USAGE;
	if (hd_program_parse(&c.program, HD_COMMAND_COMPILE, argc, argv, own_option, &c, ", expected a .cl, .cu, .spv, .ptx or .hasm file")) {
		if (hd_program_machine(&c.program, &machine, &build, &diag))
			compile(&c, &build, &diag);
		status = hd_flush(&diag);
	}
	hd_program_options_free(&c.program);
	return status;
}

/* Where a command writes, and what it takes of machine code of real GPUs. */
typedef struct pair_options {
	const char *output;
	hd_machine_code_options machine_code;
} pair_options;

static bool output_option(void *context, hd_option_id option, const char *value)
{
	pair_options *o = context;
	if (option == HD_OPTION_OUTPUT)
		o->output = value;
	if (option == HD_OPTION_ARCH)
		o->machine_code.architecture = value;
	if (option == HD_OPTION_KERNEL_CHECK)
		o->machine_code.kernel = value;
	return true;
}

/* IN and the options of asm and disasm. */
static bool parse_pair(hd_command command, int argc, char **argv, const char **input, pair_options *options)
{
	hd_program_options program = {0};
	bool ok = hd_program_parse(&program, command, argc, argv, output_option, options, "");
	*input = program.input;
	return ok;
}

int hd_cli_asm(int argc, char **argv)
{
	const char *input = NULL;
	pair_options options = {0};
	if (!parse_pair(HD_COMMAND_ASM, argc, argv, &input, &options))
		return HD_EXIT_USAGE;
	if (!options.output)
		return hd_usage("asm: no output, expected -o OUT.hko");
	hd_diag diag = {0};
	size_t size;
	char *text = hd_read_file(input, HD_SOURCE_MAX, &size, &diag);
	hd_object *object = text ? hd_assemble(text, size, input, &diag) : NULL;
	if (object) {
		hd_object_save(object, options.output, &diag);
		hd_object_free(object);
	}
	free(text);
	return hd_flush(&diag);
}

int hd_cli_disasm(int argc, char **argv)
{
	const char *input = NULL;
	pair_options options = {0};
	if (!parse_pair(HD_COMMAND_DISASM, argc, argv, &input, &options))
		return HD_EXIT_USAGE;
	if (hd_is_machine_code(input))
		return hd_disasm_machine_code(input, options.output, &options.machine_code);
	if (hd_machine_code_option(&options.machine_code))
		return hd_usage("disasm: %s is no machine code of a real GPU, which %s is for", input, hd_machine_code_option(&options.machine_code));
	hd_diag diag = {0};
	size_t size;
	char *bytes = hd_read_file(input, HD_SOURCE_MAX, &size, &diag);
	hd_object *object = bytes ? hd_object_read((const unsigned char *)bytes, size, input, &diag) : NULL;
	if (object) {
		hd_text text = {0};
		hd_disassemble(object, &text);
		hd_put_text(options.output, text.at, text.n, &diag);
		hd_text_free(&text);
		hd_object_free(object);
	}
	free(bytes);
	return hd_flush(&diag);
}
