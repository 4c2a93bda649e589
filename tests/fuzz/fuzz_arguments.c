/* Any text as a word of the command line: an argument specification, a setting, the limits of a trace, or (lines of words) the options of a command.
 * The first byte says which. Understood, or refused with a message. */
#include "fuzz.h"

#include "cli/operands.h"
#include "config/machine.h"
#include "trace/trace_file.h"

enum { WORDS_MAX = 64 };

static void operand(const char *text)
{
	hd_diag diag = {0};
	hd_operand operand;
	bool ok = hd_operand_parse(text, (hd_pos){0}, &operand, &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	hd_operand_free(&operand);
	hd_diag_free(&diag);
}

static void setting(const char *text)
{
	hd_diag diag = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	bool ok = hd_machine_set(&machine, text, &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	hd_diag_free(&diag);
}

static void trace(const char *text)
{
	hd_trace_limits limits = hd_trace_no_limits;
	hd_trace_format format;
	const char *path = NULL;
	hd_trace_parse_cycles(&limits, text);
	hd_trace_parse_core(&limits, text);
	hd_trace_parse_warp(&limits, text);
	if (hd_trace_parse(text, &format, &path))
		hd_invariant(path >= text && path <= text + strlen(text), "the path is no part of the text");
}

static bool ignore_option(void *context, hd_option_id option, const char *value) { return true; }

static void options(char *text)
{
	hd_program_options program = {0};
	char *words[WORDS_MAX + 1] = {NULL}, *rest = NULL;
	int n = 0;
	for (char *word = strtok_r(text, "\n", &rest); word && n < WORDS_MAX; word = strtok_r(NULL, "\n", &rest))
		words[n++] = word;
	hd_program_parse(&program, HD_COMMAND_COMPILE, n, words, ignore_option, NULL, "a program");
	hd_program_options_free(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (!size)
		return 0;
	char *text = hd_xmalloc(size);
	memcpy(text, bytes + 1, size - 1);
	text[size - 1] = '\0';
	switch (bytes[0] % 4) {
	case 0:
		operand(text);
		break;
	case 1:
		setting(text);
		break;
	case 2:
		trace(text);
		break;
	default:
		options(text);
		break;
	}
	free(text);
	return 0;
}
