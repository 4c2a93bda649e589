/* Prints a manual page from options.def: `heddle-manual VERSION [COMMAND]`. meson makes heddle.1 and heddle-COMMAND.1 with it. */
#include "cli/table.h"

#include <stdio.h>
#include <string.h>

/* Text, with what troff would understand otherwise made plain. */
static void put(const char *text)
{
	/* A dot or an apostrophe that begins a line would begin a request. */
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		switch (*text) {
		case '\\':
			fputs("\\e", stdout);
			break;
		case '-':
			fputs("\\-", stdout);
			break;
		case '\'':
			fputs("\\(aq", stdout);
			break;
		case '`':
			fputs("\\(ga", stdout);
			break;
		case '^':
			fputs("\\(ha", stdout);
			break;
		case '~':
			fputs("\\(ti", stdout);
			break;
		default:
			putchar(*text);
		}
	}
}

/* A phrase as a sentence. */
static void put_sentence(const char *phrase)
{
	char first[2] = {phrase[0] >= 'a' && phrase[0] <= 'z' ? (char)(phrase[0] - 'a' + 'A') : phrase[0], '\0'};
	put(first);
	put(phrase + 1);
	puts(".");
}

static void put_item(const char *bold, const char *italic, const char *help)
{
	printf(".TP\n\\fB");
	put(bold);
	printf("\\fR");
	if (*italic) {
		printf("\\fI");
		put(italic);
		printf("\\fR");
	}
	printf("\n");
	put_sentence(help);
}

static void put_phrases(const hd_phrase_row *rows)
{
	for (; rows->text; rows++)
		put_item(rows->text, "", rows->help);
}

static void put_options(hd_command command)
{
	for (unsigned group = 0; group < HD_GROUP_COUNT; group++) {
		bool begun = false;
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++) {
			const hd_option_row *row = &hd_option_rows[i];
			bool of_lines = group == HD_GROUP_GRIDS && command == HD_COMMAND_RUN;
			if (row->group != group || !(hd_option_of(row, command) || of_lines))
				continue;
			if (!begun)
				printf(".SS %s\n", hd_group_names[group]);
			begun = true;
			char name[32], help[512];
			snprintf(name, sizeof name, "%s%s", row->name, *row->value && !hd_option_joined(row) ? " " : "");
			bool later = strcmp(row->since, "0.1") != 0;
			snprintf(help, sizeof help, "%s%s%s%s", row->help, later ? " (since " : "", later ? row->since : "", later ? ")" : "");
			put_item(name, row->value, help);
		}
	}
}

static void put_head(const char *name, const char *version)
{
	printf(".\\\" Made by heddle-manual from src/cli/options.def.\n.TH ");
	for (; *name; name++)
		putchar(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
	printf(" 1 2026-11-22 \"Heddle %s\" \"Heddle manual\"\n.SH NAME\n", version);
}

static void put_statuses(void)
{
	puts(".SH EXIT STATUS");
	put_phrases(hd_exit_statuses);
}

static void put_examples(unsigned command)
{
	bool begun = false;
	for (const hd_phrase_row *row = hd_examples; row->text; row++) {
		if (row->command != command)
			continue;
		if (!begun)
			puts(".SH EXAMPLES");
		else
			puts(".PP");
		begun = true;
		put_sentence(row->help);
		puts(".PP\n.RS 4\n.nf");
		put(row->text);
		puts("\n.fi\n.RE");
	}
}

static void put_see_also(unsigned except)
{
	puts(".SH SEE ALSO");
	if (except != HD_COMMAND_COUNT)
		puts(".BR heddle (1),");
	for (unsigned c = 0, last = HD_COMMAND_COUNT - 1; c <= last; c++)
		if (c != except)
			printf(".BR heddle\\-%s (1)%s\n", hd_commands[c].name, c == last || (except == last && c + 1 == last) ? "" : ",");
}

static void put_overview(const char *version)
{
	put_head("heddle", version);
	puts("heddle \\- GPU shader core in software: compiler, cycle\\-level machine, checker\n.SH SYNOPSIS");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		printf("%s.B heddle %s\n", c ? ".br\n" : "", hd_commands[c].name);
		put(hd_commands[c].arguments);
		puts("");
	}
	puts(".br\n.B heddle \\-\\-version\n.SH DESCRIPTION");
	put(hd_about);
	puts("\nEach command has a manual page of its own;\n.B heddle\n.I COMMAND\n.B \\-\\-help\nprints its options.\n.SH COMMANDS");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++)
		put_item(hd_commands[c].name, "", hd_commands[c].summary);
	put_statuses();
	put_see_also(HD_COMMAND_COUNT);
}

static void put_command(const char *version, unsigned command)
{
	const hd_command_row *row = &hd_commands[command];
	char name[40];
	snprintf(name, sizeof name, "heddle-%s", row->name);
	put_head(name, version);
	put(name);
	printf(" \\- ");
	put(row->summary);
	printf("\n.SH SYNOPSIS\n.B heddle %s\n", row->name);
	put(row->arguments);
	puts("\n.SH DESCRIPTION");
	put(row->description);
	puts("\n.SH OPTIONS");
	put_options(command);
	if (hd_option_of(&hd_option_rows[HD_OPTION_ARG], command)) {
		puts(".SH FORMS OF \\-\\-arg");
		put_phrases(hd_argument_forms);
	}
	put_statuses();
	put_examples(command);
	put_see_also(command);
}

int main(int argc, char **argv)
{
	const char *version = argc > 1 ? argv[1] : "", *command = argc > 2 ? argv[2] : "";
	if (argc == 2) {
		put_overview(version);
		return 0;
	}
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		if (strcmp(command, hd_commands[c].name) == 0) {
			put_command(version, c);
			return 0;
		}
	}
	fprintf(stderr, "usage: heddle-manual VERSION [COMMAND]\n");
	return 2;
}
