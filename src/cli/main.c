#include "cli/cli.h"
#include "cli/timeout.h"

#include <unistd.h>

static int (*const commands[HD_COMMAND_COUNT])(int argc, char **argv) = {
    [HD_COMMAND_COMPILE] = hd_cli_compile,
    [HD_COMMAND_ASM] = hd_cli_asm,
    [HD_COMMAND_DISASM] = hd_cli_disasm,
    [HD_COMMAND_ANNOTATE] = hd_cli_annotate,
    [HD_COMMAND_RUN] = hd_cli_run,
    [HD_COMMAND_CHECK] = hd_cli_check,
    [HD_COMMAND_COMPARE] = hd_cli_compare,
    [HD_COMMAND_COVERAGE] = hd_cli_coverage,
    [HD_COMMAND_CONFIG] = hd_cli_config,
    [HD_COMMAND_COMPLETION] = hd_cli_completion,
    [HD_COMMAND_HELP] = hd_cli_help,
    [HD_COMMAND_SWEEP] = hd_cli_sweep,
    [HD_COMMAND_CUDART] = hd_cli_cudart,
    [HD_COMMAND_CC] = hd_cli_cc,
};

/* In place of the library's, which aborts. */
void hd_out_of_memory(size_t bytes)
{
	fprintf(stderr,
	        bytes ? "heddle: error: the host is out of memory (%zu bytes were asked for)\n" : "heddle: error: the host is out of memory\n",
	        bytes);
	_exit(HD_EXIT_MEMORY);
}

static bool is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

int main(int argc, char **argv)
{
	if (argc < 2) {
		hd_help(HD_COMMAND_COUNT, stderr);
		return HD_EXIT_USAGE;
	}
	hd_command command = hd_command_find(argv[1]);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (is_help(argv[i])) {
			hd_help(command, stdout);
			return HD_EXIT_DONE;
		}
	}
	if (strcmp(argv[1], "--timeout") == 0 && argc > 3) {
		if (!hd_timeout_begin(argv[2]))
			return HD_EXIT_USAGE;
		argc -= 2;
		argv += 2;
		command = hd_command_find(argv[1]);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("heddle %s\n", heddle_version());
		return HD_EXIT_DONE;
	}
	return command < HD_COMMAND_COUNT ? commands[command](argc - 2, argv + 2) : hd_command_unknown(argv[1]);
}
