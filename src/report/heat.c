#include "report/heat.h"

static int compare(const void *a, const void *b)
{
	const hd_heat_line *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* One entry an instruction, sorted, then joined. */
static void join(hd_heat *heat)
{
	size_t n = 0;
	if (heat->lines.n)
		qsort(heat->lines.at, heat->lines.n, sizeof *heat->lines.at, compare);
	for (size_t i = 0; i < heat->lines.n; i++) {
		if (n && compare(&heat->lines.at[n - 1], &heat->lines.at[i]) == 0)
			hd_profile_add(&heat->lines.at[n - 1].sum, &heat->lines.at[i].sum);
		else
			heat->lines.at[n++] = heat->lines.at[i];
	}
	heat->lines.n = n;
}

static char *copy(const char *text, size_t n)
{
	char *own = hd_xcalloc(n + 1, 1);
	memcpy(own, text, n);
	return own;
}

/* Reads the file of lines `from` to `to` - 1, and gives them their text. */
static void texts(hd_heat *heat, size_t from, size_t to, const hd_input *input)
{
	char *source = hd_source_read(heat->lines.at[from].file, input);
	uint32_t number = 1;
	for (const char *at = source; at && *at && from < to; number++) {
		size_t n = strcspn(at, "\r\n");
		if (heat->lines.at[from].line == number)
			heat->lines.at[from++].text = copy(at, n);
		at += n;
		at += *at == '\r';
		at += *at == '\n';
	}
	free(source);
}

void hd_heat_make(hd_heat *heat, const hd_program *program, const hd_profile *profile, const hd_input *input, uint64_t cycles)
{
	static const hd_profile_row nothing;
	*heat = (hd_heat){.program = program, .profile = profile, .cycles = cycles, .slots = profile ? hd_profile_total(profile) : 0};
	for (uint32_t word = 0; word < program->n_slots; word++) {
		const hd_profile_row *row = profile ? &profile->rows[word] : &nothing;
		hd_heat_line line = {0};
		uint32_t column;
		if (program->slots[word].is_ss)
			continue;
		if (!hd_object_line(program->object, word, &line.file, &line.line, &column)) {
			hd_profile_add(&heat->no_line, row);
			continue;
		}
		hd_profile_add(&line.sum, row);
		hd_vec_push(&heat->lines, line);
	}
	if (profile)
		hd_profile_add(&heat->no_instruction, &profile->rows[program->n_slots]);
	join(heat);
	for (size_t from = 0, to; from < heat->lines.n; from = to) {
		for (to = from; to < heat->lines.n && strcmp(heat->lines.at[to].file, heat->lines.at[from].file) == 0;)
			to++;
		texts(heat, from, to, input);
	}
}

void hd_heat_free(hd_heat *heat)
{
	for (size_t i = 0; i < heat->lines.n; i++)
		free(heat->lines.at[i].text);
	hd_vec_free(&heat->lines);
}

const hd_heat_line *hd_heat_find(const hd_heat *heat, const char *file, uint32_t line)
{
	hd_heat_line key = {.file = file, .line = line};
	return heat->lines.n ? bsearch(&key, heat->lines.at, heat->lines.n, sizeof key, compare) : NULL;
}
