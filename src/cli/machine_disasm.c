#include "base/plain.h"
#include "cli/cli.h"
#include "cli/machine_code.h"
#include "sass/listing.h"

bool hd_machine_code_architecture(const char *command, const char *text, unsigned *architecture)
{
	const char *number = strncmp(text, "sm_", 3) == 0 ? text + 3 : text;
	uint64_t value;
	if (!hd_parse_number(number, 999, &value) || !value) {
		hd_usage("%s: --arch cannot be '%s', expected a number such as 80", command, text);
		return false;
	}
	*architecture = (unsigned)value;
	return true;
}

int hd_disasm_machine_code(const char *path, const char *output, const hd_machine_code_options *o)
{
	hd_sass_selection selection = {.kernel = o->kernel};
	hd_diag diag = {0};
	hd_machine_code_file file;
	if (o->architecture && !hd_machine_code_architecture("disasm", o->architecture, &selection.architecture))
		return HD_EXIT_USAGE;
	bool opened = hd_machine_code_open(&file, path, &diag);
	hd_sass_binary *binary = opened ? hd_sass_binary_open_for(file.bytes, file.size, path, &selection, &diag) : NULL;
	hd_text text = {0};
	uint64_t unknown = 0;
	if (binary && hd_sass_list(binary, path, &selection, &text, &unknown, &diag)) {
		hd_text_make_plain(&text, 0);
		hd_put_text(output, text.at, text.n, &diag);
	}
	hd_text_free(&text);
	hd_sass_binary_free(binary);
	hd_machine_code_close(&file);
	return hd_flush(&diag);
}
