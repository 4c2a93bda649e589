#include "cli/cli.h"
#include "config/verilog.h"

static int list_presets(void)
{
	for (unsigned i = 0; hd_machine_presets[i]; i++) {
		hd_text text = {0};
		hd_machine_summary(hd_machine_presets[i], &text);
		printf("%-12s %s\n", hd_machine_presets[i], text.at);
		hd_text_free(&text);
	}
	return HD_EXIT_DONE;
}

static bool parse_emit(const char *text, bool *verilog)
{
	*verilog = strcmp(text, "verilog") == 0;
	return *verilog || strcmp(text, "yaml") == 0 ||
	       hd_refuse_choice("config", "--emit", text, hd_option_rows[HD_OPTION_EMIT_MACHINE].value, "yaml or verilog");
}

int hd_cli_config(int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_CONFIG, .argc = argc, .argv = argv};
	HD_VEC(const char *) settings = {0};
	const char *name = NULL;
	bool markdown = false, verilog = false;
	int status = HD_EXIT_DONE;
	for (hd_option_id option; status == HD_EXIT_DONE && (option = hd_options_next(&options)) != HD_OPTION_END;) {
		if (option == HD_OPTION_SET)
			hd_vec_push(&settings, options.value);
		else if (option == HD_OPTION_MARKDOWN)
			markdown = true; /* docs/configuration.md */
		else if (option == HD_OPTION_EMIT_MACHINE)
			status = parse_emit(options.value, &verilog) ? HD_EXIT_DONE : HD_EXIT_USAGE;
		else if (option != HD_OPTION_WORD)
			status = HD_EXIT_USAGE;
		else if (name)
			status = hd_usage("config: one machine at a time, got %s and %s", name, options.value);
		else
			name = options.value;
	}
	if (status == HD_EXIT_DONE && !name && !settings.n && !markdown && !verilog) {
		status = list_presets();
	} else if (status == HD_EXIT_DONE) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_text text = {0};
		bool ok = hd_options_machine(&machine, name, settings.at, settings.n, &diag);
		if (ok && markdown)
			hd_machine_document(&text);
		else if (ok && verilog)
			hd_machine_print_verilog(&machine, &text);
		else if (ok)
			hd_machine_print(&machine, &text);
		if (ok)
			hd_put_text(NULL, text.at, text.n, &diag);
		hd_text_free(&text);
		status = hd_flush(&diag);
	}
	hd_vec_free(&settings);
	return status;
}
