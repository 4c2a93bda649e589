#include "cli/launch_list.h"

enum { FILE_MAX = 16 << 20 };

bool hd_launch_list_cut(char *line, char **words, uint32_t *columns, int *n)
{
	char *from = line, *to = line;
	*n = 0;
	for (;;) {
		from += strspn(from, " \t\r");
		if (!*from || *from == '#')
			return true;
		if (*n == HD_LAUNCH_WORDS_MAX)
			return false;
		columns[*n] = (uint32_t)(from - line) + 1;
		words[(*n)++] = to;
		char quote = 0;
		while (*from && (quote || !strchr(" \t\r", *from))) {
			if (quote ? *from == quote : *from == '"' || *from == '\'')
				quote = quote ? 0 : *from;
			else
				*to++ = *from;
			from++;
		}
		if (quote)
			return false;
		from += *from != '\0';
		*to++ = '\0';
	}
}

void hd_launch_list_add(hd_launch_list *list, uint32_t number, char *const *words, const uint32_t *columns, int n)
{
	hd_text title = {0};
	hd_launch_line line = {.number = number, .n_words = n, .words = hd_xcalloc((size_t)n + 1, sizeof *line.words)};
	if (columns) {
		line.columns = hd_xcalloc((size_t)n + 1, sizeof *columns);
		memcpy(line.columns, columns, (size_t)n * sizeof *columns);
	}
	for (int i = 0; i < n; i++) {
		line.words[i] = words[i];
		hd_text_printf(&title, "%s%s", i ? " " : "", words[i]);
	}
	line.title = title.at ? title.at : hd_xstrdup("");
	hd_vec_push(&list->lines, line);
}

bool hd_launch_list_read(hd_launch_list *list, const char *path, hd_diag *diag)
{
	size_t size;
	uint32_t number = 0;
	int n;
	list->path = path;
	list->text = hd_read_file(path, FILE_MAX, &size, diag);
	if (!list->text)
		return false;
	char **words = hd_xcalloc(HD_LAUNCH_WORDS_MAX, sizeof *words);
	uint32_t *columns = hd_xcalloc(HD_LAUNCH_WORDS_MAX, sizeof *columns);
	bool ok = true;
	for (char *line = list->text, *next; ok && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		hd_pos pos = {path, ++number, 1};
		ok = hd_launch_list_cut(line, words, columns, &n);
		if (!ok) {
			hd_error(diag, pos, "a quote without its partner, or more than %d words, expected the words of one launch",
			         HD_LAUNCH_WORDS_MAX);
		} else if (n && list->lines.n == HD_LAUNCHES_MAX) {
			hd_error(diag, pos, "one launch too many, expected at most %d", HD_LAUNCHES_MAX);
			ok = false;
		} else if (n) {
			hd_launch_list_add(list, number, words, columns, n);
		}
	}
	free(words);
	free(columns);
	if (ok && !list->lines.n) {
		hd_error(diag, (hd_pos){.file = path}, "holds no launch, expected one a line, as on the command line");
		ok = false;
	}
	return ok;
}

hd_options hd_launch_list_options(const hd_launch_list *list, const hd_launch_line *line, hd_command command)
{
	return (hd_options){.command = command,
	                    .argc = line->n_words,
	                    .argv = line->words,
	                    .file = line->number ? list->path : NULL,
	                    .line = line->number,
	                    .columns = line->columns};
}

void hd_launch_list_place(hd_diag *diag, size_t from, const char *file, uint32_t line)
{
	if (!diag->text.n || from >= diag->text.n)
		return;
	hd_text old = {0};
	hd_text_put(&old, diag->text.at + from, diag->text.n - from);
	diag->text.n = from;
	for (const char *at = old.at; *at;) {
		size_t n = strcspn(at, "\n");
		n += at[n] == '\n';
		if (strncmp(at, "error: ", 7) == 0)
			hd_text_printf(&diag->text, "%s:%u:1: ", file, line);
		hd_text_put(&diag->text, at, n);
		at += n;
	}
	hd_text_free(&old);
}

void hd_launch_list_free(hd_launch_list *list)
{
	for (size_t i = 0; i < list->lines.n; i++) {
		free(list->lines.at[i].title);
		free(list->lines.at[i].words);
		free(list->lines.at[i].columns);
	}
	hd_vec_free(&list->lines);
	free(list->text);
}
