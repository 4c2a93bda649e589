/* `heddle completion SHELL`: a script that completes the command line of options.def. */
#include "cli/cli.h"

#include "config/keys.h"
#include "passes/passes.h"

/* -- the words that values are made of ------------------------------------------------------------------------------------------------------ */

static void put_presets(hd_text *out)
{
	for (unsigned i = 0; hd_machine_presets[i]; i++)
		hd_text_printf(out, "%s%s", i ? " " : "", hd_machine_presets[i]);
}

static void put_keys(hd_text *out)
{
	for (unsigned i = 0; i < hd_key_count(); i++)
		hd_text_printf(out, "%s%s=", i ? " " : "", hd_key_at(i).path);
}

static void put_passes(hd_text *out)
{
	for (size_t i = 0; hd_pass_name(i); i++)
		hd_text_printf(out, "%s%s", i ? " " : "", hd_pass_name(i));
}

/* "in:FILE.npy" gives "in:". Several forms may share a row: "i32:N u32:N". */
static void put_beginnings(const char *forms, const char *separators, hd_text *out)
{
	while (*forms) {
		size_t length = strcspn(forms, separators), colon = strcspn(forms, ":");
		hd_text_printf(out, "%s%.*s", out->n ? " " : "", (int)(colon < length ? colon + 1 : length), forms);
		forms += length;
		forms += strspn(forms, separators);
	}
}

/* The words that the value of an option can be or begin with. */
static void put_words(const hd_option_row *row, hd_text *out)
{
	switch (row->kind) {
	case HD_VALUE_MACHINE:
		put_presets(out);
		break;
	case HD_VALUE_SETTING:
		put_keys(out);
		break;
	case HD_VALUE_PASS:
		put_passes(out);
		break;
	case HD_VALUE_CHOICE:
	case HD_VALUE_TRACE:
		put_beginnings(row->value, "|", out);
		break;
	case HD_VALUE_ARGUMENT:
		for (const hd_phrase_row *form = hd_argument_forms; form->text; form++)
			put_beginnings(form->text, " ", out);
		break;
	default:
		break;
	}
	if (!out->n)
		hd_text_put(out, "", 0);
}

static bool takes_file(const hd_option_row *row) { return row->kind == HD_VALUE_FILE || row->kind == HD_VALUE_MACHINE; }
/* The value goes on behind the word: "in:", "fence.counters=". */
static bool goes_on(const hd_option_row *row)
{
	return row->kind == HD_VALUE_SETTING || row->kind == HD_VALUE_TRACE || row->kind == HD_VALUE_ARGUMENT;
}

static void put_commands(hd_text *out)
{
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++)
		hd_text_printf(out, "%s%s", c ? " " : "", hd_commands[c].name);
}

/* The words that a command takes where no option stands, besides files. */
static void put_plain_words(hd_command command, hd_text *out)
{
	if (command == HD_COMMAND_CONFIG)
		put_presets(out);
	else if (command == HD_COMMAND_HELP)
		put_commands(out);
	else if (command == HD_COMMAND_COMPLETION)
		hd_text_printf(out, "bash zsh fish");
	else if (command == HD_COMMAND_SWEEP)
		hd_text_printf(out, "status report merge");
}

static bool plain_files(hd_command command) { return command != HD_COMMAND_HELP && command != HD_COMMAND_COMPLETION; }

void hd_put_quoted(const char *text, const char *also, hd_text *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			hd_text_printf(out, "'\\''");
		else
			hd_text_printf(out, "%s%c", strchr(also, *text) ? "\\" : "", *text);
	}
}

/* -- bash ----------------------------------------------------------------------------------------------------------------------------------- */

/* bash cuts words at ':' and '='; the script puts the word before them into `before`. */
static const char bash_head[] = "# bash completion for heddle, made by `heddle completion bash`\n"
                                "_heddle()\n"
                                "{\n"
                                "\tlocal current=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) before= words= files= options=\n"
                                "\tif [[ $current == [:=] ]]; then\n"
                                "\t\tcurrent=\n"
                                "\t\tat=$COMP_CWORD\n"
                                "\tfi\n"
                                "\tif [[ ${COMP_WORDS[at]} == [:=] && ${COMP_WORDS[at - 1]} != --* ]]; then\n"
                                "\t\tbefore=${COMP_WORDS[at - 1]}${COMP_WORDS[at]}\n"
                                "\t\tat=$((at - 2))\n"
                                "\tfi\n"
                                "\t[[ ${COMP_WORDS[at]} == '=' ]] && at=$((at - 1))\n"
                                "\tCOMPREPLY=()\n"
                                "\tif ((COMP_CWORD == 1)); then\n";

static void bash_option(const hd_option_row *row, hd_command command, hd_text *out)
{
	hd_text words = {0};
	if (row->kind == HD_VALUE_NONE || hd_option_joined(row))
		return;
	put_words(row, &words);
	hd_text_printf(out, "\t'%s %s') words='%s'%s%s ;;\n", hd_commands[command].name, row->name, words.at, takes_file(row) ? " files=1" : "",
	               goes_on(row) ? " open=1" : "");
	hd_text_free(&words);
}

static void bash(hd_text *out)
{
	hd_text commands = {0};
	put_commands(&commands);
	hd_text_printf(out, "%s\t\tCOMPREPLY=($(compgen -W '%s --help --version' -- \"$current\"))\n\t\treturn\n\tfi\n", bash_head, commands.at);
	hd_text_printf(out, "\tlocal open=\n\tcase \"${COMP_WORDS[1]} ${COMP_WORDS[at]}\" in\n");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++)
			if (hd_option_of(&hd_option_rows[i], c))
				bash_option(&hd_option_rows[i], c, out);
	}
	hd_text_printf(out, "\t*)\n\t\tcase ${COMP_WORDS[1]} in\n");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		hd_text words = {0};
		put_plain_words(c, &words);
		hd_text_printf(out, "\t\t%s) words='%s'%s options='", hd_commands[c].name, words.n ? words.at : "", plain_files(c) ? " files=1" : "");
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++)
			if (hd_option_of(&hd_option_rows[i], c))
				hd_text_printf(out, "%s ", hd_option_rows[i].name);
		hd_text_printf(out, "' ;;\n");
		hd_text_free(&words);
	}
	hd_text_printf(out, "\t\tesac\n\t\t[[ $current == -* ]] && words=$options files=\n\t\t;;\n\tesac\n"
	                    "\t# Behind \"in:\" and the like stands the name of a file.\n"
	                    "\t[[ $before == *: ]] && words= files=1 open=\n"
	                    "\t[[ $before == *= ]] && words= open=\n"
	                    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	                    "\t[[ $files ]] && COMPREPLY+=($(compgen -f -- \"$current\"))\n"
	                    "\t[[ $open ]] && compopt -o nospace 2>/dev/null\n"
	                    "\t[[ $files ]] && compopt -o filenames 2>/dev/null\n"
	                    "\treturn 0\n}\ncomplete -F _heddle heddle\n");
	hd_text_free(&commands);
}

/* -- zsh ------------------------------------------------------------------------------------------------------------------------------------ */

/* The text behind the option's name and help: ":value:action". */
static void zsh_action(const hd_option_row *row, hd_text *out)
{
	hd_text words = {0};
	if (row->kind == HD_VALUE_NONE)
		return;
	put_words(row, &words);
	hd_text_printf(out, ":");
	hd_put_quoted(row->value, ":[]", out);
	if (row->kind == HD_VALUE_JOINED_FOLDER)
		hd_text_printf(out, ":_files -/");
	else if (row->kind == HD_VALUE_FILE)
		hd_text_printf(out, ":_files");
	else if (row->kind == HD_VALUE_MACHINE)
		hd_text_printf(out, ":_heddle_words_or_files %s", words.at);
	else if (goes_on(row)) {
		hd_text_printf(out, ":_heddle_beginnings ");
		hd_put_quoted(words.at, ":", out); /* a bare colon would end the action */
	} else if (words.n)
		hd_text_printf(out, ":(%s)", words.at);
	else
		hd_text_printf(out, ": ");
	hd_text_free(&words);
}

static void zsh(hd_text *out)
{
	hd_text_printf(out, "#compdef heddle\n# zsh completion for heddle, made by `heddle completion zsh`\n"
	                    "_heddle_words_or_files() { compadd -- \"$@\"; _files }\n"
	                    "# \"in:\" and the like stand before the name of a file, \"fence.counters=\" before a number.\n"
	                    "_heddle_beginnings() { if compset -P '*:'; then _files; else compadd -S '' -- \"$@\"; fi }\n"
	                    "_heddle()\n{\n\tlocal -a commands=(\n");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		hd_text_printf(out, "\t\t'%s:", hd_commands[c].name);
		hd_put_quoted(hd_commands[c].summary, ":", out);
		hd_text_printf(out, "'\n");
	}
	hd_text_printf(out, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	                    "\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $command in\n");
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		hd_text words = {0};
		hd_text_printf(out, "\t%s) _arguments \\\n", hd_commands[c].name);
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++) {
			const hd_option_row *row = &hd_option_rows[i];
			if (!hd_option_of(row, c))
				continue;
			bool dashes = row->name[1] == '-';
			hd_text_printf(out, "\t\t'*%s%s[", row->name,
			               row->kind == HD_VALUE_NONE ? ""
			               : hd_option_joined(row)    ? "+"
			               : dashes                   ? "="
			                                          : "");
			hd_put_quoted(row->help, ":[]", out);
			hd_text_printf(out, "]");
			zsh_action(row, out);
			hd_text_printf(out, "' \\\n");
		}
		put_plain_words(c, &words);
		if (words.n && plain_files(c))
			hd_text_printf(out, "\t\t'*:input:_heddle_words_or_files %s' ;;\n", words.at);
		else if (words.n)
			hd_text_printf(out, "\t\t'*:word:(%s)' ;;\n", words.at);
		else
			hd_text_printf(out, "\t\t'*:input:_files' ;;\n");
		hd_text_free(&words);
	}
	hd_text_printf(out, "\tesac\n}\nif [[ $funcstack[1] == _heddle ]]; then\n\t_heddle \"$@\"\nelse\n\tcompdef _heddle heddle\nfi\n");
}

/* -- fish ----------------------------------------------------------------------------------------------------------------------------------- */

/* Within '...' fish knows \\ and \'. */
static void fish_quoted(const char *text, hd_text *out)
{
	hd_text_printf(out, "'");
	for (; *text; text++)
		hd_text_printf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
	hd_text_printf(out, "'");
}

static void fish_option(const hd_option_row *row, const char *command, hd_text *out)
{
	hd_text words = {0};
	bool dashes = row->name[1] == '-';
	put_words(row, &words);
	hd_text_printf(out, "complete -c heddle -n '__fish_seen_subcommand_from %s' -%s %s", command, dashes ? "l" : "s", row->name + 1 + dashes);
	if (row->kind == HD_VALUE_FILE || row->kind == HD_VALUE_MACHINE || row->kind == HD_VALUE_JOINED_FOLDER)
		hd_text_printf(out, " -r -F");
	else if (row->kind != HD_VALUE_NONE)
		hd_text_printf(out, " -x");
	if (words.n)
		hd_text_printf(out, " -a '%s'", words.at);
	hd_text_printf(out, " -d ");
	fish_quoted(row->help, out);
	hd_text_printf(out, "\n");
	hd_text_free(&words);
}

static void fish(hd_text *out)
{
	hd_text commands = {0};
	put_commands(&commands);
	hd_text_printf(out,
	               "# fish completion for heddle, made by `heddle completion fish`\n"
	               "complete -c heddle -n 'not __fish_seen_subcommand_from %s' -f -l version -d 'print the version'\n",
	               commands.at);
	for (unsigned c = 0; c < HD_COMMAND_COUNT; c++) {
		hd_text words = {0};
		hd_text_printf(out, "complete -c heddle -n 'not __fish_seen_subcommand_from %s' -f -a %s -d ", commands.at, hd_commands[c].name);
		fish_quoted(hd_commands[c].summary, out);
		hd_text_printf(out, "\n");
		for (unsigned i = 0; i < HD_OPTION_COUNT; i++)
			if (hd_option_of(&hd_option_rows[i], c))
				fish_option(&hd_option_rows[i], hd_commands[c].name, out);
		put_plain_words(c, &words);
		if (words.n)
			hd_text_printf(out, "complete -c heddle -n '__fish_seen_subcommand_from %s' %s-a '%s'\n", hd_commands[c].name,
			               plain_files(c) ? "" : "-f ", words.at);
		hd_text_free(&words);
	}
	hd_text_free(&commands);
}

int hd_cli_completion(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*put)(hd_text *out);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	hd_options options = {.command = HD_COMMAND_COMPLETION, .argc = argc, .argv = argv};
	const char *name = NULL;
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		if (option != HD_OPTION_WORD)
			return HD_EXIT_USAGE;
		if (name)
			return hd_usage("completion: one shell at a time, got %s and %s", name, options.value);
		name = options.value;
	}
	for (unsigned i = 0; name && i < HD_COUNT(shells); i++) {
		if (strcmp(shells[i].name, name) != 0)
			continue;
		hd_text text = {0};
		hd_diag diag = {0};
		shells[i].put(&text);
		hd_put_text(NULL, text.at, text.n, &diag);
		hd_text_free(&text);
		return hd_flush(&diag);
	}
	if (!name)
		return hd_usage("completion: no shell, expected bash, zsh or fish");
	hd_refuse_choice("completion", "the shell", name, "bash zsh fish", "bash, zsh or fish");
	return HD_EXIT_USAGE;
}
