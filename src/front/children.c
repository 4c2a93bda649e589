#define _GNU_SOURCE /* get_current_dir_name */
#include "front/children.h"
#include "front/plain_code.h"

#include <unistd.h>

enum { SOURCE_LIMIT = 64 << 20 };

/* -- plain code --------------------------------------------------------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_at(const char *code, const char *word) { return strncmp(code, word, strlen(word)) == 0; }

static size_t skip_space(const char *code, size_t at)
{
	while (is_space(code[at]))
		at++;
	return at;
}

/* Where `end` stands outside of all parentheses that open behind `at`; or where the code ends, or a parenthesis that was open before. */
static size_t find_end(const char *code, size_t at, const char *end)
{
	unsigned depth = 0;
	while (code[at]) {
		if (!depth && is_at(code + at, end))
			break;
		if (strchr("([{", code[at]))
			depth++;
		else if (strchr(")]}", code[at]) && !depth--)
			break;
		at++;
	}
	return at;
}

/* Behind the list of template arguments that begins at `at`; `at` if none does. */
static size_t skip_angles(const char *code, size_t at)
{
	size_t begin = at;
	unsigned depth = 0;
	if (code[at] != '<' || is_at(code + at, "<<<"))
		return at;
	for (; code[at] && code[at] != ';'; at++) {
		depth += code[at] == '<';
		if (code[at] == '>' && !--depth)
			return at + 1;
	}
	return begin;
}

static size_t back_over_space(const char *code, size_t at)
{
	while (at && is_space(code[at - 1]))
		at--;
	return at;
}

/* Where the bracket opens that closes before `at`; `at` if there is none. */
static size_t back_over(const char *code, size_t at, char open, char close)
{
	unsigned depth = 0;
	for (size_t i = at; i; i--) {
		depth += code[i - 1] == close;
		if (code[i - 1] == open && !--depth)
			return i - 1;
		if (code[i - 1] == ';')
			break;
	}
	return at;
}

/* Where the expression begins that names the kernel and ends before `at`: ns::kernel<T>. */
static size_t begin_of_name(const char *code, size_t at)
{
	for (;;) {
		size_t end = back_over_space(code, at), begin = end;
		if (begin && code[begin - 1] == '>')
			begin = back_over_space(code, back_over(code, begin, '<', '>'));
		size_t word = begin;
		while (word && hd_is_in_word(code[word - 1]))
			word--;
		if (word == begin)
			return at;
		at = word;
		size_t before = back_over_space(code, word);
		if (before < 2 || !is_at(code + before - 2, "::"))
			return at;
		at = before - 2;
		size_t outer = back_over_space(code, at);
		if (!outer || !(hd_is_in_word(code[outer - 1]) || code[outer - 1] == '>'))
			return at;
	}
}

/* The parts of a launch. */
typedef struct parts {
	size_t name, open, close, arguments, end; /* of the name; <<<; >>>; behind the (; the ) */
} parts;

static bool take_apart(const char *code, size_t at, parts *p)
{
	p->open = at;
	p->name = begin_of_name(code, at);
	p->close = find_end(code, at + 3, ">>>");
	if (p->name == at || !is_at(code + p->close, ">>>"))
		return false;
	p->arguments = skip_space(code, p->close + 3);
	if (code[p->arguments] != '(')
		return false;
	p->arguments++;
	p->end = find_end(code, p->arguments, ")");
	return code[p->end] == ')';
}

/* Where <<< is of the launch whose name or <<< is at `at`; SIZE_MAX: no launch is there. */
static size_t launch_at(const char *code, size_t at)
{
	if (!is_at(code + at, "<<<")) {
		if (!hd_is_in_word(code[at]))
			return SIZE_MAX;
		for (;;) {
			while (hd_is_in_word(code[at]))
				at++;
			at = skip_space(code, at);
			if (!is_at(code + at, "::"))
				break;
			at = skip_space(code, at + 2);
		}
		at = skip_space(code, skip_angles(code, at));
	}
	parts p;
	return is_at(code + at, "<<<") && take_apart(code, at, &p) ? at : SIZE_MAX;
}

/* -- files -------------------------------------------------------------------------------------------------------------------------------------- */

static hd_child_file *file_of(hd_children *children, const char *path, size_t n)
{
	for (size_t i = 0; i < children->files.n; i++)
		if (strlen(children->files.at[i].path) == n && memcmp(children->files.at[i].path, path, n) == 0)
			return &children->files.at[i];
	hd_child_file file = {0};
	hd_diag quiet = {0};
	hd_text name = {0};
	hd_text_put(&name, path, n);
	file.path = name.at;
	file.text = name.at ? hd_read_file(name.at, SOURCE_LIMIT, &file.size, &quiet) : NULL;
	hd_diag_free(&quiet);
	/* A file with a zero in it is no text. */
	if (!file.text || strlen(file.text) != file.size) {
		free(file.text);
		free(file.path);
		return NULL;
	}
	file.code = hd_plain_code(file.text);
	hd_vec_push(&children->files, file);
	return &children->files.at[children->files.n - 1];
}

static void copy(hd_child_file *file, hd_text *out, size_t from, size_t to)
{
	for (size_t i = 0; i <= file->braces.n; i++) {
		size_t end = i < file->braces.n ? file->braces.at[i] : to;
		if (end < from || end > to || (i < file->braces.n && end == to))
			continue;
		hd_vec_push(&file->edits, from);
		hd_vec_push(&file->edits, out->n);
		hd_text_put(out, file->text + from, end - from);
		if (i < file->braces.n)
			hd_text_printf(out, "dim3");
		from = end;
	}
}

/* Arguments once more, on one line and without comments. Line breaks of raw strings are blanks: the strings' types are the same. */
static void put_again(hd_text *out, const hd_child_file *file, size_t at, size_t end)
{
	for (size_t next; at < end; at = next) {
		next = skip_space(file->code, at);
		bool space = next > at || file->text[at] == '\n';
		hd_text_put(out, space ? " " : file->text + at, 1);
		next += next == at;
	}
}

static void change(hd_child_file *file)
{
	hd_text out = {0};
	size_t at = 0;
	file->edits.n = 0;
	for (size_t i = 0; i < file->sites.n; i++) {
		const hd_child_site *site = &file->sites.at[i];
		parts p;
		if (!take_apart(file->code, site->at, &p) || p.name < at)
			continue;
		copy(file, &out, at, p.name);
		hd_text_printf(&out, "::heddle::__child<");
		if (site->attempt > 1) {
			hd_text_printf(&out, "(decltype(::heddle::__types(");
			put_again(&out, file, p.arguments, p.end);
			hd_text_printf(&out, ")))");
		}
		copy(file, &out, p.name, p.open);
		hd_text_printf(&out, ">(");
		copy(file, &out, p.open + 3, p.close);
		hd_text_printf(&out, ")");
		copy(file, &out, p.close + 3, p.arguments);
		at = p.arguments;
	}
	copy(file, &out, at, file->size);
	free(file->changed);
	file->changed = out.at;
	file->changed_size = out.n;
}

/* -- messages ----------------------------------------------------------------------------------------------------------------------------------- */

/* The offset of a place that a message names, in the text as it is. */
static size_t offset_of(const hd_child_file *file, unsigned long line, unsigned long column)
{
	const char *text = file->changed ? file->changed : file->text, *at = text;
	size_t size = file->changed ? file->changed_size : file->size, offset;
	while (--line && (at = strchr(at, '\n')))
		at++;
	if (!at || (offset = (size_t)(at - text) + column - 1) >= size)
		return SIZE_MAX;
	if (!file->changed)
		return offset;
	size_t from = 0, to = 0;
	for (size_t i = 0; i < file->edits.n && file->edits.at[i + 1] <= offset; i += 2) {
		from = file->edits.at[i];
		to = file->edits.at[i + 1];
	}
	return from + (offset - to);
}

static bool insert(hd_child_file *file, size_t at)
{
	size_t i = 0;
	while (i < file->sites.n && file->sites.at[i].at < at)
		i++;
	if (i < file->sites.n && file->sites.at[i].at == at)
		return false;
	hd_vec_push(&file->sites, (hd_child_site){0});
	memmove(&file->sites.at[i + 1], &file->sites.at[i], (file->sites.n - 1 - i) * sizeof *file->sites.at);
	file->sites.at[i] = (hd_child_site){.at = at};
	return true;
}

/* An error within a launch that was changed: the other attempt. */
static bool try_again(hd_child_file *file, size_t at)
{
	for (size_t i = 0; i < file->sites.n; i++) {
		hd_child_site *site = &file->sites.at[i];
		parts p;
		if (site->attempt == 1 && take_apart(file->code, site->at, &p) && at >= p.name && at <= p.end) {
			site->attempt = 2;
			return true;
		}
	}
	return false;
}

/* Whether the message, which ends at `end` with its notes, is one about a launch in device code. */
static bool is_about_launch(const char *message, const char *end)
{
	static const char *const signs[] = {"reference to __global__ function '", "reference to __host__ function '__cudaPushCallConfiguration'",
	                                    "call to __global__ function from __"};
	for (size_t i = 0; i < HD_COUNT(signs); i++) {
		const char *at = strstr(message, signs[i]);
		if (at && at < end)
			return true;
	}
	return false;
}

/* Reads the number that ends before `end`, and its colon. */
static bool read_back(const char *begin, const char **end, unsigned long *number)
{
	const char *at = *end;
	while (at > begin && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == *end || at == begin || at[-1] != ':')
		return false;
	*number = strtoul(at, NULL, 10);
	*end = at - 1;
	return *number != 0;
}

/* -- spellings of launches that the vendor's compiler takes
 * ------------------------------------------------------------------------------------------ */

/* Exchanges the blank at `at` for the character behind it and other blanks. */
static bool close_gap(hd_child_file *file, size_t at, size_t character)
{
	if (at == character || strspn(file->text + at, " \t\r\n") != character - at)
		return false;
	char blank = file->text[at];
	file->text[at] = file->code[at] = file->text[character];
	file->text[character] = file->code[character] = blank;
	return true;
}

/* Notes the braces that a grid or block is written in: the arguments that begin at `at`. */
static bool find_braces(hd_child_file *file, size_t at, size_t end)
{
	bool changed = false;
	for (unsigned i = 0; i < 2 && at < end; i++) {
		size_t begin = skip_space(file->code, at), known = 0;
		while (known < file->braces.n && file->braces.at[known] != begin)
			known++;
		if (file->code[begin] == '{' && known == file->braces.n) {
			hd_vec_push(&file->braces, begin);
			changed = true;
		}
		at = find_end(file->code, begin, ",") + 1;
	}
	return changed;
}

/* k << < grid, block >> > (...) and k<<<{...}, {...}>>>(...), all of the file. True if there was one. */
static bool respell(hd_child_file *file)
{
	const char *code = file->code;
	bool changed = false;
	for (size_t at = 0; code[at]; at++) {
		size_t open = is_at(code + at, "<<") ? skip_space(code, at + 2) : at;
		if (code[open] != '<' || open == at)
			continue;
		size_t close = find_end(code, open + 1, ">>"), last = is_at(code + close, ">>") ? skip_space(code, close + 2) : close;
		if (last == close || code[last] != '>' || code[skip_space(code, last + 1)] != '(')
			continue;
		changed |= close_gap(file, at + 2, open);
		changed |= close_gap(file, close + 2, last);
		changed |= find_braces(file, at + 3, close);
		at = close;
	}
	return changed;
}

/* One message: PATH:LINE:COLUMN: error: ... */
static bool learn(hd_children *children, const char *line, const char *error, const char *end)
{
	const char *place = error;
	unsigned long row, column;
	if (!read_back(line, &place, &column) || !read_back(line, &place, &row))
		return false;
	hd_child_file *file = file_of(children, line, (size_t)(place - line));
	size_t at = file ? offset_of(file, row, column) : SIZE_MAX;
	if (at == SIZE_MAX || at >= file->size)
		return false;
	if (strncmp(error, ": error: expected expression", 28) == 0)
		return respell(file) && (file->respelled = true);
	size_t launch = is_about_launch(error, end) ? launch_at(file->code, at) : SIZE_MAX;
	return launch != SIZE_MAX ? insert(file, launch) : try_again(file, at);
}

bool hd_children_learn(hd_children *children, const char *messages)
{
	static const char sign[] = ": error: ";
	bool changed = false;
	for (const char *error = strstr(messages, sign), *next; error; error = next) {
		const char *line = error;
		next = strstr(error + 1, sign);
		while (line > messages && line[-1] != '\n')
			line--;
		changed |= learn(children, line, error, next ? next : error + strlen(error));
	}
	for (size_t i = 0; changed && i < children->files.n; i++) {
		hd_child_file *file = &children->files.at[i];
		for (size_t k = 0; k < file->sites.n; k++)
			file->sites.at[k].attempt += !file->sites.at[k].attempt;
		if (file->sites.n || file->respelled)
			change(file);
	}
	return changed;
}

/* -- for clang ---------------------------------------------------------------------------------------------------------------------------------- */

/* The path from the root, without . and .., which clang's overlay does not have. */
static char *whole_path(hd_arena *arena, const char *folder, const char *path)
{
	char *joined = hd_arena_printf(arena, "%s/%s", path[0] == '/' ? "" : folder, path), *to = joined;
	for (const char *at = joined; *at;) {
		size_t n = strcspn(at + 1, "/") + 1;
		bool same = n == 1 || (n == 2 && at[1] == '.'), up = n == 3 && at[1] == '.' && at[2] == '.';
		if (up)
			while (to > joined && *--to != '/')
				;
		if (!same && !up) {
			memmove(to, at, n);
			to += n;
		}
		at += n;
	}
	*to = '\0';
	return joined;
}

void hd_children_list(const hd_children *children, hd_arena *arena, hd_memory_file_list *list)
{
	char *logical = get_current_dir_name(), *real = getcwd(NULL, 0); /* clang takes the first one */
	for (size_t i = 0; i < children->files.n; i++) {
		const hd_child_file *file = &children->files.at[i];
		if (!file->changed)
			continue;
		const char *name = whole_path(arena, logical ? logical : "", file->path), *other = whole_path(arena, real ? real : "", file->path);
		hd_vec_push(list, (hd_memory_file){.name = name, .bytes = file->changed, .size = file->changed_size});
		if (strcmp(name, other) != 0)
			hd_vec_push(list, (hd_memory_file){.name = other, .bytes = file->changed, .size = file->changed_size});
	}
	free(logical);
	free(real);
}

void hd_children_free(hd_children *children)
{
	for (size_t i = 0; i < children->files.n; i++) {
		hd_child_file *file = &children->files.at[i];
		free(file->path);
		free(file->text);
		free(file->code);
		free(file->changed);
		hd_vec_free(&file->sites);
		hd_vec_free(&file->edits);
		hd_vec_free(&file->braces);
	}
	hd_vec_free(&children->files);
}
