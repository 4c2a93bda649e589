/* `heddle --help` and `heddle COMMAND --help`: options.def in columns. */
#include "cli/cli.h"

enum { PAGE_WIDTH = 110, COLUMN_MAX = 30 /* of the left column; a longer entry has a line of its own */ };

/* The words of `text`, in lines of at most PAGE_WIDTH columns that begin at column `indent`. The first line has `used` columns already. */
static void put_wrapped(FILE *out, const char *text, unsigned indent, unsigned used)
{
	while (*text) {
		unsigned length = (unsigned)strcspn(text, " ");
		if (used > indent && used + 1 + length > PAGE_WIDTH) {
			fputc('\n', out);
			used = 0;
		}
		if (used < indent)
			used += (unsigned)fprintf(out, "%*s", (int)(indent - used), "");
		else if (used > indent)
			used += (unsigned)fprintf(out, " ");
		used += (unsigned)fprintf(out, "%.*s", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* A row of two columns, the right one at column `column`. */
static void put_row(FILE *out, const char *left, const char *right, unsigned column)
{
	unsigned used = (unsigned)fprintf(out, "  %s", left);
	if (used + 2 > column) {
		fputc('\n', out);
		used = 0;
	}
	put_wrapped(out, right, column, used);
}

/* "--config C", "-DNAME". */
static const char *option_text(const hd_option_row *row, char text[80])
{
	snprintf(text, 80, "%s%s%s", row->name, *row->value && !hd_option_joined(row) ? " " : "", row->value);
	return text;
}

static bool is_shown(const hd_option_row *row, hd_command command, unsigned group)
{
	/* The options of a line of --launches are explained with run. */
	bool of_lines = group == HD_GROUP_GRIDS && command == HD_COMMAND_RUN;
	return row->group == group && (of_lines || hd_option_of(row, command));
}

static unsigned column_of_options(hd_command command)
{
	char text[80];
	unsigned column = 0;
	for (unsigned i = 0; i < HD_OPTION_COUNT; i++) {
		unsigned length = (unsigned)strlen(option_text(&hd_option_rows[i], text)) + 4;
		if (length <= COLUMN_MAX && is_shown(&hd_option_rows[i], command, hd_option_rows[i].group))
			column = hd_max_u32(column, length);
	}
	return column;
}

static void put_options(hd_command command, FILE *out)
{
	char text[80];
	unsigned column = column_of_options(command);
	for (unsigned group = 0; group < HD_GROUP_COUNT; group++) {
		bool begun = false;
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++) {
			const hd_option_row *row = &hd_option_rows[i];
			if (!is_shown(row, command, group))
				continue;
			if (!begun)
				fprintf(out, "\n%s:\n", hd_group_names[group]);
			begun = true;
			put_row(out, option_text(row, text), row->help, column);
		}
	}
}

static void put_phrases(const char *title, const hd_phrase_row *rows, unsigned column, FILE *out)
{
	fprintf(out, "\n%s:\n", title);
	for (; rows->text; rows++)
		put_row(out, rows->text, rows->help, column);
}

static void put_examples(hd_command command, FILE *out)
{
	bool begun = false;
	for (const hd_phrase_row *row = hd_examples; row->text; row++) {
		if (row->command != command)
			continue;
		if (!begun)
			fputs("\nExamples:\n", out);
		begun = true;
		fprintf(out, "  %s\n      %s\n", row->text, row->help);
	}
}

static void put_command(hd_command command, FILE *out)
{
	const hd_command_row *row = &hd_commands[command];
	fprintf(out, "Usage: heddle %s %s\n\n", row->name, row->arguments);
	hd_text summary = {0};
	hd_text_printf(&summary, "%c%s. %s", row->summary[0] - 'a' + 'A', row->summary + 1, row->description);
	put_wrapped(out, summary.at, 0, 0);
	hd_text_free(&summary);
	put_options(command, out);
	if (hd_option_of(&hd_option_rows[HD_OPTION_ARG], command))
		put_phrases("Forms of --arg", hd_argument_forms, COLUMN_MAX, out);
	put_examples(command, out);
}

static void put_overview(FILE *out)
{
	fprintf(out, "%s\n\n", hd_about);
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++)
		fprintf(out, "heddle %s %s\n      %s\n", hd_commands[c].name, hd_commands[c].arguments, hd_commands[c].summary);
	fputs("heddle --version\n      print the version\n", out);
	put_phrases("Exit status", hd_exit_statuses, 8, out);
	fputs("\n`heddle COMMAND --help` explains the options of a command.\n", out);
}

void hd_help(hd_command command, FILE *out)
{
	if (command < HD_COMMAND_COUNT)
		put_command(command, out);
	else
		put_overview(out);
}

int hd_cli_help(int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_HELP, .argc = argc, .argv = argv};
	hd_command command = HD_COMMAND_COUNT;
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		if (option != HD_OPTION_WORD)
			return HD_EXIT_USAGE;
		if (command != HD_COMMAND_COUNT)
			return hd_usage("help: one command at a time, got %s and %s", hd_commands[command].name, options.value);
		command = hd_command_find(options.value);
		if (command == HD_COMMAND_COUNT)
			return hd_command_unknown(options.value);
	}
	hd_help(command, stdout);
	return HD_EXIT_DONE;
}
