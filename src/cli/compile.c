/* heddle compile, asm and disasm. */
#include "cli/cli.h"

#include "passes/passes.h"

typedef enum emission { EMIT_OBJECT, EMIT_ASSEMBLY, EMIT_IR, EMIT_PTX } emission;

typedef struct compiling {
	const char *input, *output, *config, *dump_after;
	emission emit;
	bool emit_given, serial;
	HD_VEC(const char *) settings;
	const char *arguments[HD_CLANG_ARGUMENTS_MAX + 1];
	unsigned n_arguments;
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
	hd_usage("compile: --emit cannot be '%s', expected ptx, ir, asm or obj", text);
	return false;
}

/* False after a message. */
static bool parse(compiling *c, int argc, char **argv)
{
	hd_options options = {.argc = argc, .argv = argv, .command = "compile"};
	while (hd_options_next(&options)) {
		const char **value = hd_options_is(&options, "-o")             ? &c->output
		                     : hd_options_is(&options, "--config")     ? &c->config
		                     : hd_options_is(&options, "--dump-after") ? &c->dump_after
		                                                               : NULL;
		if (value) {
			if (!(*value = hd_options_value(&options)))
				return false;
		} else if (hd_options_is(&options, "--set")) {
			const char *setting = hd_options_value(&options);
			if (!setting)
				return false;
			hd_vec_push(&c->settings, setting);
		} else if (hd_options_is(&options, "--emit")) {
			const char *what = hd_options_value(&options);
			c->emit_given = true;
			if (!what || !parse_emit(what, &c->emit))
				return false;
		} else if (hd_options_is(&options, "--serial")) {
			c->serial = true;
		} else if (hd_options_clang(&options, c->arguments, &c->n_arguments, HD_CLANG_ARGUMENTS_MAX)) {
			continue;
		} else if (!hd_options_word(&options)) {
			hd_options_unknown(&options);
			return false;
		} else if (c->input) {
			hd_usage("compile: one input at a time, got %s and %s", c->input, options.word);
			return false;
		} else {
			c->input = options.word;
		}
	}
	if (!c->input)
		hd_usage("compile: no input, expected a .cl, .cu, .ptx or .hasm file");
	return c->input != NULL;
}

/* NAME.hko beside nothing: in the current directory, as compilers do. */
static void default_output(const char *input, hd_text *out)
{
	const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input;
	const char *dot = strrchr(base, '.');
	hd_text_printf(out, "%.*s.hko", dot ? (int)(dot - base) : (int)strlen(base), base);
}

static bool write_object(const hd_object *object, const char *path, hd_diag *diag)
{
	size_t size;
	unsigned char *bytes = hd_object_write(object, &size);
	bool ok = hd_write_file(path, bytes, size, diag);
	free(bytes);
	return ok;
}

static void compile(const compiling *c, const hd_machine *machine, hd_diag *diag)
{
	hd_text text = {0}, dump = {0};
	hd_build_options build = {.machine = machine, .serial = c->serial, .arguments = c->arguments, .dump_after = c->dump_after, .dump = &dump};
	if (c->emit == EMIT_PTX || c->emit == EMIT_IR) {
		if (hd_build_stage(c->input, c->emit == EMIT_PTX ? HD_STAGE_PTX : HD_STAGE_IR, &build, &text, diag))
			hd_put_text(c->output, text.at, text.n, diag);
		hd_text_free(&text);
		return;
	}
	hd_object *object = hd_build(c->input, &build, diag);
	if (dump.n)
		hd_put_text(NULL, dump.at, dump.n, diag);
	if (object && c->emit == EMIT_ASSEMBLY) {
		hd_disassemble(object, &text);
		hd_put_text(c->output, text.at, text.n, diag);
	} else if (object && (c->output || c->emit_given || !c->dump_after)) {
		default_output(c->input, &text);
		write_object(object, c->output ? c->output : text.at, diag);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&text);
	hd_text_free(&dump);
}

int hd_cli_compile(int argc, char **argv)
{
	compiling c = {0};
	if (!parse(&c, argc, argv)) {
		hd_vec_free(&c.settings);
		return HD_EXIT_USAGE;
	}
	hd_machine machine;
	hd_diag diag = {0};
	if (hd_options_machine(&machine, c.config, c.settings.at, c.settings.n, &diag))
		compile(&c, &machine, &diag);
	hd_vec_free(&c.settings);
	return hd_flush(&diag);
}

/* IN and -o OUT of asm and disasm. */
static bool parse_pair(const char *command, int argc, char **argv, const char **input, const char **output)
{
	hd_options options = {.argc = argc, .argv = argv, .command = command};
	while (hd_options_next(&options)) {
		if (hd_options_is(&options, "-o")) {
			if (!(*output = hd_options_value(&options)))
				return false;
		} else if (!hd_options_word(&options)) {
			hd_options_unknown(&options);
			return false;
		} else if (*input) {
			hd_usage("%s: one input at a time, got %s and %s", command, *input, options.word);
			return false;
		} else {
			*input = options.word;
		}
	}
	if (!*input)
		hd_usage("%s: no input", command);
	return *input != NULL;
}

int hd_cli_asm(int argc, char **argv)
{
	const char *input = NULL, *output = NULL;
	if (!parse_pair("asm", argc, argv, &input, &output))
		return HD_EXIT_USAGE;
	if (!output)
		return hd_usage("asm: no output, expected -o OUT.hko");
	hd_diag diag = {0};
	size_t size;
	char *text = hd_read_file(input, HD_SOURCE_MAX, &size, &diag);
	hd_object *object = text ? hd_assemble(text, size, input, &diag) : NULL;
	if (object) {
		write_object(object, output, &diag);
		hd_object_free(object);
	}
	free(text);
	return hd_flush(&diag);
}

int hd_cli_disasm(int argc, char **argv)
{
	const char *input = NULL, *output = NULL;
	if (!parse_pair("disasm", argc, argv, &input, &output))
		return HD_EXIT_USAGE;
	hd_diag diag = {0};
	size_t size;
	char *bytes = hd_read_file(input, HD_SOURCE_MAX, &size, &diag);
	hd_object *object = bytes ? hd_object_read((const unsigned char *)bytes, size, input, &diag) : NULL;
	if (object) {
		hd_text text = {0};
		hd_disassemble(object, &text);
		hd_put_text(output, text.at, text.n, &diag);
		hd_text_free(&text);
		hd_object_free(object);
	}
	free(bytes);
	return hd_flush(&diag);
}
