#include "cli/cli.h"

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

int hd_cli_config(int argc, char **argv)
{
	hd_options options = {.argc = argc, .argv = argv, .command = "config"};
	HD_VEC(const char *) settings = {0};
	const char *name = NULL;
	bool markdown = false;
	int status = HD_EXIT_DONE;
	while (status == HD_EXIT_DONE && hd_options_next(&options)) {
		if (hd_options_is(&options, "--set")) {
			const char *value = hd_options_value(&options);
			if (value)
				hd_vec_push(&settings, value);
			else
				status = HD_EXIT_USAGE;
		} else if (hd_options_is(&options, "--markdown")) {
			markdown = true; /* docs/configuration.md */
		} else if (!hd_options_word(&options)) {
			status = hd_options_unknown(&options);
		} else if (name) {
			status = hd_usage("config: one machine at a time, got %s and %s", name, options.word);
		} else {
			name = options.word;
		}
	}
	if (status == HD_EXIT_DONE && !name && !settings.n && !markdown) {
		status = list_presets();
	} else if (status == HD_EXIT_DONE) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_text text = {0};
		bool ok = hd_options_machine(&machine, name, settings.at, settings.n, &diag);
		if (ok && markdown)
			hd_machine_document(&text);
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
