#include "cli/cli.h"

#include <errno.h>

bool hd_options_next(hd_options *options)
{
	if (options->at >= options->argc)
		return false;
	options->word = options->argv[options->at++];
	const char *equals = strncmp(options->word, "--", 2) == 0 ? strchr(options->word, '=') : NULL;
	options->length = equals ? (size_t)(equals - options->word) : strlen(options->word);
	options->value = equals ? equals + 1 : NULL;
	return true;
}

bool hd_options_is(const hd_options *options, const char *name)
{
	return strlen(name) == options->length && strncmp(options->word, name, options->length) == 0;
}

bool hd_options_word(const hd_options *options) { return options->word[0] != '-' || options->word[1] == '\0'; }

const char *hd_options_value(hd_options *options)
{
	if (options->value)
		return options->value;
	if (options->at < options->argc)
		return options->argv[options->at++];
	hd_usage("%s: option %s wants a value", options->command, options->word);
	return NULL;
}

bool hd_options_clang(hd_options *options, const char **arguments, unsigned *n, unsigned max)
{
	const char *word = options->word;
	if (word[0] != '-' || !strchr("DIU", word[1]) || word[1] == '\0' || *n + 2 > max)
		return false;
	arguments[(*n)++] = word;
	if (word[2] == '\0' && options->at < options->argc)
		arguments[(*n)++] = options->argv[options->at++];
	return true;
}

int hd_options_unknown(const hd_options *options)
{
	return hd_usage("%s: unknown option %s, `heddle --help` lists them", options->command, options->word);
}

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
	fputs("heddle: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return HD_EXIT_USAGE;
}

int hd_flush(hd_diag *diag)
{
	int status = diag->errors ? HD_EXIT_USAGE : HD_EXIT_DONE;
	if (diag->text.n)
		fwrite(diag->text.at, 1, diag->text.n, stderr);
	if (diag->errors > HD_DIAG_MAX)
		fprintf(stderr, "heddle: %u more errors\n", diag->errors - HD_DIAG_MAX);
	hd_diag_free(diag);
	return status;
}

bool hd_put_text(const char *path, const char *text, size_t size, hd_diag *diag)
{
	if (path && strcmp(path, "-") != 0)
		return hd_write_file(path, text, size, diag);
	bool ok = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
	if (!ok)
		hd_error(diag, (hd_pos){.file = "standard output"}, "cannot be written: %s", strerror(errno));
	return ok;
}

bool hd_parse_number(const char *text, uint64_t maximum, uint64_t *value)
{
	uint64_t sum = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned)(unsigned char)*text - '0';
		if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return sum <= maximum;
}
