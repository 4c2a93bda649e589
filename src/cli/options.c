#include "cli/cli.h"
#include "cli/timeout.h"
#include "cli/color.h"

#include "base/plain.h"

#include <errno.h>

const char *hd_command_name(hd_command command)
{
	return command < HD_COMMAND_COUNT          ? hd_commands[command].name
	       : command == HD_COMMAND_LAUNCH_LINE ? hd_commands[HD_COMMAND_COMPARE].name
	                                           : hd_commands[HD_COMMAND_RUN].name;
}

hd_command hd_command_find(const char *name)
{
	unsigned c = 0;
	while (c < HD_COMMAND_COUNT && strcmp(name, hd_commands[c].name) != 0)
		c++;
	return c;
}

bool hd_refuse_choice(const char *command, const char *option, const char *value, const char *choices, const char *expected)
{
	hd_arena arena = {0};
	size_t length = strcspn(value, ":"); /* of KIND:FILE only the kind counts */
	hd_suggestion suggestion = {.word = hd_arena_strndup(&arena, value, length + (value[length] == ':'))};
	for (const char *at = choices; *at; at += strspn(at, "| ")) {
		size_t n = strcspn(at, "| ");
		hd_suggest(&suggestion, hd_arena_strndup(&arena, at, n));
		at += n;
	}
	char *hint = hd_suggestion_text(&suggestion);
	hd_usage("%s: %s cannot be '%s'%s expected %s", command, option, value, *hint ? hint : ",", expected);
	free(hint);
	hd_arena_free(&arena);
	return false;
}

/* `heddle scale.cl` lacks the command. */
static bool is_program(const char *name)
{
	static const char *const endings[] = {".cl", ".cu", ".spv", ".ptx", ".hasm", ".hko"};
	for (size_t i = 0; i < HD_COUNT(endings); i++)
		if (hd_ends_with(name, endings[i]))
			return true;
	return false;
}

int hd_command_unknown(const char *name)
{
	if (is_program(name))
		return hd_usage("%s is no command, did you mean `heddle run %s`? `heddle --help` says more", name, name);
	hd_suggestion suggestion = {.word = name};
	hd_text all = {0};
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		hd_suggest(&suggestion, hd_commands[c].name);
		/* completion and help come after the commands that work on programs. */
		if (c <= HD_COMMAND_CONFIG)
			hd_text_printf(&all, "%s%s", c == 0 ? "" : c == HD_COMMAND_CONFIG ? " or " : ", ", hd_commands[c].name);
	}
	hd_usage("there is no command '%s', expected %s; %s%s%s`heddle --help` says more", name, all.at, suggestion.nearest ? "did you mean " : "",
	         suggestion.nearest ? suggestion.nearest : "", suggestion.nearest ? "? " : "");
	hd_text_free(&all);
	return HD_EXIT_USAGE;
}

/* The commands that take an option of this name. */
static void put_takers(hd_text *out, const char *name, size_t length)
{
	unsigned n = 0;
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++) {
			const hd_option_row *row = &hd_option_rows[i];
			if (hd_option_of(row, c) && strlen(row->name) == length && memcmp(row->name, name, length) == 0)
				hd_text_printf(out, "%s%s", n++ ? ", " : ", an option of ", hd_commands[c].name);
		}
	}
}

bool hd_options_refuse(const hd_options *options, const char *format, ...)
{
	va_list args;
	hd_text text = {0};
	va_start(args, format);
	hd_text_vprintf(&text, format, args);
	va_end(args);
	uint32_t column = options->columns && options->at ? options->columns[options->at - 1] : 1;
	hd_diag diag = {0};
	if (options->file) {
		hd_error(&diag, (hd_pos){options->file, options->line, column}, "%s", text.at);
		hd_flush(&diag);
	} else {
		hd_usage("%s: %s", hd_command_name(options->command), text.at);
	}
	hd_text_free(&text);
	return false;
}

static hd_option_id unknown(const hd_options *options, const char *word, size_t length)
{
	const char *command = hd_command_name(options->command);
	hd_text name = {0}, hint = {0};
	hd_text_put(&name, word, length);
	hd_suggestion suggestion = {.word = name.at};
	put_takers(&hint, word, length);
	for (unsigned i = 0; i < HD_OPTION_COUNT && !hint.n; i++)
		if (hd_option_of(&hd_option_rows[i], options->command))
			hd_suggest(&suggestion, hd_option_rows[i].name);
	if (suggestion.nearest)
		hd_text_printf(&hint, ", did you mean %s?", suggestion.nearest);
	hd_options_refuse(options, "unknown option %s%s%s `heddle %s --help` lists them", word, hint.n ? hint.at : "", suggestion.nearest ? "" : ",",
	                  command);
	hd_text_free(&name);
	hd_text_free(&hint);
	return HD_OPTION_REFUSED;
}

/* The option's name as `word` would have it: nvcc's long options may have one dash. */
static const char *name_for(const hd_option_row *row, const char *word)
{
	return row->name + (row->commands == 1u << HD_COMMAND_CC && row->name[1] == '-' && word[1] != '-');
}

/* Whether the first `length` characters of `word` name the option; of a joined one, whether the word begins with it. */
static bool names(const hd_option_row *row, const char *word, size_t length)
{
	const char *name = name_for(row, word);
	size_t n = strlen(name);
	return strncmp(word, name, n) == 0 && (hd_option_joined(row) || (row->name[1] == '-' ? n == length : word[n] == '\0'));
}

hd_option_id hd_options_next(hd_options *options)
{
	if (options->at >= options->argc)
		return HD_OPTION_END;
	options->first = options->at;
	const char *word = options->argv[options->at++];
	options->value = word;
	if (word[0] != '-' || word[1] == '\0')
		return HD_OPTION_WORD;
	const char *equals = strncmp(word, "--", 2) == 0 || options->command == HD_COMMAND_CC ? strchr(word, '=') : NULL;
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	unsigned i = 0;
	while (i < HD_OPTION_COUNT && !(hd_option_of(&hd_option_rows[i], options->command) && names(&hd_option_rows[i], word, length)))
		i++;
	if (i == HD_OPTION_COUNT)
		return unknown(options, word, length);
	const hd_option_row *row = &hd_option_rows[i];
	size_t rest = strlen(name_for(row, word));
	options->value = equals && !hd_option_joined(row) ? equals + 1 : word[rest] ? word + rest : NULL;
	if (row->kind == HD_VALUE_NONE && equals) {
		hd_options_refuse(options, "option %s takes no value", row->name);
		return HD_OPTION_REFUSED;
	}
	if (row->kind != HD_VALUE_NONE && !options->value) {
		if (options->at >= options->argc) {
			hd_options_refuse(options, "option %s wants a value", row->name);
			return HD_OPTION_REFUSED;
		}
		options->value = options->argv[options->at++];
	}
	/* It belongs to no command. */
	if (i == HD_OPTION_TIMEOUT)
		return hd_timeout_begin(options->value) ? hd_options_next(options) : HD_OPTION_REFUSED;
	if (i == HD_OPTION_COLOR) {
		if (hd_color_choose(options->value))
			return hd_options_next(options);
		hd_refuse_choice(hd_command_name(options->command), row->name, options->value, row->value, "auto, always or never");
		return HD_OPTION_REFUSED;
	}
	return (hd_option_id)i;
}

/* Adds words for clang. */
static hd_taken for_clang(hd_program_options *program, const hd_options *options, const char *const *words, unsigned n)
{
	if (program->n_arguments + n > HD_CLANG_ARGUMENTS_MAX) {
		hd_options_refuse(options, "more than %d options for the compiler of the source", HD_CLANG_ARGUMENTS_MAX / 2);
		return HD_REFUSED;
	}
	for (unsigned i = 0; i < n; i++)
		program->arguments[program->n_arguments++] = words[i];
	return HD_TAKEN;
}

static hd_taken language(hd_program_options *program, const hd_options *options)
{
	static const char *const versions[] = {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
	const hd_option_row *row = &hd_option_rows[HD_OPTION_STD];
	for (size_t i = 0; i < HD_COUNT(versions); i++)
		if (strcmp(versions[i] + sizeof "-cl-std=" - 1, options->value) == 0)
			return for_clang(program, options, &versions[i], 1);
	hd_refuse_choice(hd_command_name(options->command), row->name, options->value, row->value, "CL1.2, CL2.0 or CL3.0");
	return HD_REFUSED;
}

hd_taken hd_program_option(hd_program_options *program, const hd_options *options, hd_option_id option)
{
	switch (option) {
	case HD_OPTION_WORD:
		if (program->input) {
			hd_options_refuse(options, "one input at a time, got %s and %s", program->input, options->value);
			return HD_REFUSED;
		}
		program->input = options->value;
		return HD_TAKEN;
	case HD_OPTION_CONFIG:
		program->config = options->value;
		return HD_TAKEN;
	case HD_OPTION_SET:
		hd_vec_push(&program->settings, options->value);
		return HD_TAKEN;
	case HD_OPTION_SERIAL:
		program->serial = true;
		return HD_TAKEN;
	case HD_OPTION_STD:
		return language(program, options);
	case HD_OPTION_DEFINE:
	case HD_OPTION_UNDEFINE:
	case HD_OPTION_INCLUDE:
		return for_clang(program, options, (const char *const[]){hd_option_rows[option].name, options->value}, 2);
	default:
		return option == HD_OPTION_REFUSED ? HD_REFUSED : HD_NOT_MINE;
	}
}

bool hd_program_parse(hd_program_options *program, hd_command command, int argc, char **argv, hd_own_option *own, void *context, const char *expected)
{
	hd_options options = {.command = command, .argc = argc, .argv = argv};
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		hd_taken taken = hd_program_option(program, &options, option);
		if (taken == HD_REFUSED || (taken == HD_NOT_MINE && !own(context, option, options.value)))
			return false;
	}
	if (!program->input)
		hd_usage("%s: no input%s", hd_command_name(command), expected);
	return program->input != NULL;
}

bool hd_program_machine(const hd_program_options *program, hd_machine *machine, hd_build_options *build, hd_diag *diag)
{
	*build = (hd_build_options){.machine = machine, .serial = program->serial, .arguments = program->arguments};
	return hd_options_machine(machine, program->config, program->settings.at, program->settings.n, diag);
}

void hd_program_options_free(hd_program_options *program) { hd_vec_free(&program->settings); }

bool hd_options_machine(hd_machine *machine, const char *config, const char *const *settings, size_t n_settings, hd_diag *diag)
{
	bool ok = hd_machine_load(machine, config, diag);
	for (size_t i = 0; ok && i < n_settings; i++)
		ok = hd_machine_set(machine, settings[i], diag);
	return ok && hd_machine_validate(machine, machine->name, diag);
}

int hd_usage(const char *format, ...)
{
	va_list args;
	hd_diag diag = {0};
	hd_text text = {0};
	va_start(args, format);
	hd_text_vprintf(&text, format, args);
	va_end(args);
	hd_error(&diag, (hd_pos){.file = "heddle"}, "%s", text.at);
	hd_text_free(&text);
	return hd_flush(&diag);
}

int hd_flush(hd_diag *diag)
{
	int status = diag->errors ? HD_EXIT_USAGE : HD_EXIT_DONE;
	hd_text_make_plain(&diag->text, 0);
	if (diag->text.n)
		hd_color_messages(diag->text.at);
	if (diag->errors > HD_DIAG_MAX)
		fprintf(stderr, "heddle: %u more errors\n", diag->errors - HD_DIAG_MAX);
	hd_diag_free(diag);
	return status;
}

bool hd_put_text(const char *path, const char *text, size_t size, hd_diag *diag) { return hd_write_file(path ? path : "-", text, size, diag); }

bool hd_parse_number(const char *text, uint64_t maximum, uint64_t *value)
{
	return hd_read_number(text, strlen(text), maximum, value) == HD_NUMBER_GOOD;
}

bool hd_option_number(const char *command, const char *option, const char *value, uint32_t minimum, uint32_t maximum, uint32_t *number)
{
	uint64_t wide;
	bool good = hd_parse_number(value, maximum, &wide) && wide >= minimum;
	if (good)
		*number = (uint32_t)wide;
	else
		hd_usage("%s: %s cannot be '%s', expected a number from %u to %u", command, option, value, minimum, maximum);
	return good;
}

bool hd_option_report(const char *command, const char *value, const char *endings, const char **path)
{
	*path = value;
	for (const char *at = endings; *at; at += strcspn(at, " ,") + strspn(at + strcspn(at, " ,"), " ,")) {
		size_t n = strcspn(at, " ,"), length = strlen(value);
		bool ends = *at == '.' && length > n && memcmp(value + length - n, at, n) == 0;
		if (ends || (*at == '-' && strcmp(value, "-") == 0))
			return true;
	}
	hd_usage("%s: --report cannot be '%s', expected a file that ends in %s", command, value, endings);
	return false;
}

bool hd_option_limit(const char *command, hd_option_id option, const char *value, hd_trace_limits *limits)
{
	bool cycles = option == HD_OPTION_TRACE_CYCLES, core = option == HD_OPTION_TRACE_CORE;
	if ((cycles ? hd_trace_parse_cycles : core ? hd_trace_parse_core : hd_trace_parse_warp)(limits, value))
		return true;
	hd_usage("%s: %s cannot be '%s', expected %s", command, hd_option_rows[option].name, value,
	         cycles ? "FIRST:LAST, either of them may be left out"
	         : core ? "the number of a core"
	                : "SLOT or SCHEDULER.SLOT");
	return false;
}
