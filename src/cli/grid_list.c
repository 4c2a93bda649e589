#include "cli/color.h"
#include "cli/grid_list.h"
#include "cli/result.h"

enum { NAMES_MAX = 64 };

/* An argument that is another line's array or number. */
typedef struct reference {
	size_t operand;
	bool queue;       /* queue:NAME, else as:NAME:N */
	const char *name; /* up to a colon */
	uint64_t number;  /* N, from 1 */
} reference;

struct hd_grid_line {
	uint32_t number;
	const char *name;
	hd_launching launching;
	heddle_grid grid;
	HD_VEC(reference) references;
	const char *after, *producers, *entries; /* as given */
	unsigned after_at[NAMES_MAX], producers_at[NAMES_MAX];
	HD_VEC(uint64_t) values;
};

/* `text` is a word of the line, or the value in one. */
static bool wrong(const hd_grid_list_file *file, const hd_grid_line *line, const char *what, const char *text)
{
	const hd_launch_line *words = &file->list.lines.at[line - file->lines];
	uint32_t column = 1;
	for (int i = 0; i < words->n_words; i++)
		if (text >= words->words[i] && text <= words->words[i] + strlen(words->words[i]))
			column = words->columns[i];
	hd_say(stderr, "%s:%u:%u: error: %s '%.400s'\n", file->list.path, line->number, column, what, text);
	return false;
}

/* Line of that name, or of that number, counted from 0. UINT_MAX: none. */
static unsigned find(const hd_grid_list_file *file, const char *name, size_t length)
{
	for (unsigned i = 0; i < file->n; i++) {
		char number[16];
		snprintf(number, sizeof number, "%u", i);
		const char *own = file->lines[i].name ? file->lines[i].name : number;
		if (strlen(own) == length && memcmp(own, name, length) == 0)
			return i;
	}
	return UINT32_MAX;
}

static bool parse_number(const hd_options *options, const char *option, uint64_t maximum, uint64_t *number)
{
	return hd_parse_number(options->value, maximum, number) ||
	       hd_options_refuse(options, "%s cannot be '%s', expected a number from 0 to %llu", option, options->value, (unsigned long long)maximum);
}

static bool parse_reference(hd_grid_line *line, const hd_options *options, const char *value)
{
	bool queue = strncmp(value, "queue:", 6) == 0;
	reference r = {.operand = line->launching.operands.n, .queue = queue, .name = value + (queue ? 6 : 3)};
	const char *colon = strrchr(r.name, ':');
	if (!queue && (!colon || !hd_parse_number(colon + 1, 1024, &r.number) || r.number == 0))
		return hd_options_refuse(options, "--arg %s: expected as:NAME:N, the array that is argument N of the launch NAME", value);
	hd_vec_push(&line->references, r);
	hd_pos pos = {options->file, options->line, options->columns ? options->columns[options->at - 1] : 0};
	hd_vec_push(&line->launching.operands, ((hd_operand){.text = value, .pos = pos}));
	return true;
}

/* The options that only a list has, and the arguments that only a list has. */
static hd_taken own_option(hd_grid_line *line, const hd_options *options, hd_option_id option)
{
	const char *value = options->value;
	uint64_t number = 0;
	bool ok = true;
	switch (option) {
	case HD_OPTION_GRID_NAME:
		line->name = value;
		break;
	case HD_OPTION_GRID_AFTER:
		line->after = value;
		break;
	case HD_OPTION_GRID_PRODUCERS:
		line->producers = value;
		break;
	case HD_OPTION_GRID_ENTRIES:
		line->entries = value;
		break;
	case HD_OPTION_GRID_QUEUE:
		line->grid.queue = true;
		break;
	case HD_OPTION_GRID_AT_HEAD:
		line->grid.at_head = true;
		break;
	case HD_OPTION_GRID_PRIORITY:
		ok = parse_number(options, "--priority", 7, &number);
		line->grid.priority = (unsigned)number;
		break;
	case HD_OPTION_GRID_KIND:
		ok = parse_number(options, "--kind", 3, &number);
		line->grid.kind = (unsigned)number;
		break;
	case HD_OPTION_GRID_DEVICE:
		ok = parse_number(options, "--device", 7, &number);
		line->grid.device = (unsigned)number;
		break;
	case HD_OPTION_GRID_ARRIVAL:
		ok = parse_number(options, "--arrival", UINT64_MAX / 2, &line->grid.arrival);
		break;
	case HD_OPTION_ARG:
		if (strncmp(value, "as:", 3) != 0 && strncmp(value, "queue:", 6) != 0)
			return HD_NOT_MINE;
		ok = parse_reference(line, options, value);
		break;
	default:
		return HD_NOT_MINE;
	}
	return ok ? HD_TAKEN : HD_REFUSED;
}

static bool parse_line(const hd_grid_list_file *file, hd_grid_line *line, hd_options options)
{
	hd_launching *l = &line->launching;
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		hd_taken taken = own_option(line, &options, option);
		if (taken == HD_NOT_MINE)
			taken = hd_launching_option(l, &options, option);
		if (taken == HD_NOT_MINE)
			return wrong(file, line, "no option of a launch in a list:", options.argv[options.at - 1]);
		if (taken == HD_REFUSED)
			return false;
	}
	const hd_program_options *program = &l->program;
	if (program->input || program->settings.n || program->n_arguments || program->serial || l->launch.max_cycles)
		return wrong(file, line,
		             "expected only what belongs to one launch; the command line has the program and the settings of the machine, not",
		             program->input        ? program->input
		             : program->settings.n ? "--set"
		                                   : "an option for all");
	return true;
}

/* A,B,C: places of lines. */
static bool resolve(const hd_grid_list_file *file, const hd_grid_line *line, const char *names, unsigned *at, unsigned *n)
{
	for (const char *name = names; name && *name;) {
		size_t length = strcspn(name, ",");
		unsigned found = find(file, name, length);
		if (found == UINT32_MAX || *n == NAMES_MAX)
			return wrong(file, line, "no line of the list has this name, or there are too many, in", names);
		at[(*n)++] = found;
		name += length + (name[length] == ',');
	}
	return true;
}

static bool parse_entries(const hd_grid_list_file *file, hd_grid_line *line)
{
	for (const char *at = line->entries; at && *at;) {
		char number[24] = "";
		size_t length = strcspn(at, ",");
		uint64_t value;
		if (length < sizeof number)
			memcpy(number, at, length);
		if (!hd_parse_number(number, UINT64_MAX, &value))
			return wrong(file, line, "expected whole numbers with commas between them, not", line->entries);
		hd_vec_push(&line->values, value);
		at += length + (at[length] == ',');
	}
	return true;
}

static bool finish_line(const hd_grid_list_file *file, hd_grid_line *line)
{
	heddle_grid *g = &line->grid;
	if (!resolve(file, line, line->after, line->after_at, &g->n_after) ||
	    !resolve(file, line, line->producers, line->producers_at, &g->n_producers) || !parse_entries(file, line))
		return false;
	for (unsigned k = 0; k < g->n_after; k++)
		if (line->after_at[k] >= (unsigned)(line - file->lines))
			return wrong(file, line, "a launch can wait for earlier lines only, not", line->after);
	if (!g->queue && (g->n_producers || line->values.n))
		return wrong(file, line, "entries and producers belong to a --queue:", line->entries ? line->entries : line->producers);
	return true;
}

/* True when the option --name of no line is the name of another one, nor the number of a line without a name. */
static bool names_differ(const hd_grid_list_file *file)
{
	for (unsigned i = 0; i < file->n; i++) {
		const char *name = file->lines[i].name;
		unsigned first = name ? find(file, name, strlen(name)) : i;
		if (first < i)
			return wrong(file, &file->lines[i], "an earlier line has this name, expected another one, not", name);
		for (unsigned other = i + 1; name && other < file->n; other++) {
			char number[16];
			snprintf(number, sizeof number, "%u", other);
			if (!file->lines[other].name && strcmp(number, name) == 0)
				return wrong(file, &file->lines[i], "a later line without a name has this number, expected another name, not", name);
		}
	}
	return true;
}

/* An output of a line. */
typedef struct output {
	const char *file, *text;
	unsigned line;
} output;

static int compare_outputs(const void *left, const void *right)
{
	const output *a = left, *b = right;
	int order = strcmp(a->file, b->file);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* True when no two lines write to one file. */
static bool outputs_differ(const hd_grid_list_file *file)
{
	HD_VEC(output) all = {0};
	const output *second = NULL; /* the first line that writes to a file of an earlier one */
	for (unsigned i = 0; i < file->n; i++) {
		const hd_launching *own = &file->lines[i].launching;
		for (size_t k = 0; k < own->operands.n; k++)
			if (own->operands.at[k].output)
				hd_vec_push(&all, ((output){own->operands.at[k].output, own->operands.at[k].text, i}));
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, compare_outputs);
	for (size_t i = 1; i < all.n; i++)
		if (strcmp(all.at[i - 1].file, all.at[i].file) == 0 && all.at[i - 1].line != all.at[i].line &&
		    (!second || all.at[i].line < second->line))
			second = &all.at[i];
	bool differ = !second || wrong(file, &file->lines[second->line], "an earlier line writes to this file, too:", second->text);
	hd_vec_free(&all);
	return differ;
}

bool hd_grid_list_parse(hd_grid_list_file *file, const char *path)
{
	hd_diag diag = {0};
	if (!hd_launch_list_read(&file->list, path, &diag)) {
		hd_flush(&diag);
		return false;
	}
	file->n = (unsigned)file->list.lines.n;
	file->lines = hd_xcalloc(file->n, sizeof *file->lines);
	for (unsigned i = 0; i < file->n; i++) {
		const hd_launch_line *from = &file->list.lines.at[i];
		file->lines[i].number = from->number;
		if (!parse_line(file, &file->lines[i], hd_launch_list_options(&file->list, from, HD_COMMAND_GRID_LINE)))
			return false;
	}
	if (!names_differ(file))
		return false;
	for (unsigned i = 0; i < file->n; i++)
		if (!finish_line(file, &file->lines[i]))
			return false;
	return outputs_differ(file);
}

static bool refer(hd_grid_list_file *file, unsigned own, const reference *r)
{
	hd_grid_line *line = &file->lines[own];
	hd_operand *operand = &line->launching.operands.at[r->operand];
	unsigned place = find(file, r->name, strcspn(r->name, ":"));
	if (place == UINT32_MAX || (r->queue && !file->lines[place].grid.queue))
		return wrong(file, line, "no such launch of the list, or no queue:", operand->text);
	if (r->queue) {
		operand->arg = heddle_u32(place);
		return true;
	}
	const hd_launching *other = &file->lines[place].launching;
	if (place >= own || r->number > other->operands.n)
		return wrong(file, line, "expected an argument of an earlier line, not", operand->text);
	const hd_operand *named = &other->operands.at[r->number - 1];
	operand->arg = named->arg;
	operand->content = (hd_npy){.kind = named->content.kind, .bytes = named->content.bytes}; /* its type, for the comparison with the parameter */
	return true;
}

bool hd_grid_list_place(hd_grid_list_file *file, heddle *h, const heddle_launch *whole)
{
	file->grids = hd_xcalloc(file->n, sizeof *file->grids);
	for (unsigned i = 0; i < file->n; i++) {
		hd_grid_line *line = &file->lines[i];
		for (size_t k = 0; k < line->references.n; k++)
			if (!refer(file, i, &line->references.at[k]))
				return false;
		size_t said = hd_api_diag(h)->text.n;
		if (!hd_launching_place(&line->launching, h)) {
			hd_launch_list_place(hd_api_diag(h), said, file->list.path, line->number);
			return false;
		}
		heddle_grid *g = &file->grids[i];
		*g = line->grid;
		g->launch = line->launching.launch;
		g->launch.functional = whole->functional;
		g->launch.max_cycles = whole->max_cycles;
		g->launch.poll = whole->poll;
		g->launch.context = whole->context;
		g->after = line->after_at;
		g->producers = line->producers_at;
		g->entries = line->values.at;
		g->n_entries = line->values.n;
		if (!hd_api_check_launch(h, &g->launch)) {
			hd_launch_list_place(hd_api_diag(h), said, file->list.path, line->number);
			return false;
		}
	}
	return true;
}

bool hd_grid_list_fetch(hd_grid_list_file *file, heddle *h)
{
	bool ok = true;
	for (unsigned i = 0; ok && i < file->n; i++)
		ok = hd_launching_fetch(&file->lines[i].launching, h);
	return ok;
}

bool hd_grid_list_save(const hd_grid_list_file *file, hd_output_set *outputs, hd_diag *diag)
{
	bool ok = true;
	for (unsigned i = 0; ok && i < file->n; i++)
		ok = hd_launching_save(&file->lines[i].launching, outputs, diag);
	return ok;
}

void hd_grid_list_result(const hd_grid_list_file *file, heddle *h, hd_text *out)
{
	for (unsigned i = 0; i < file->n; i++) {
		const hd_launching *l = &file->lines[i].launching;
		const hd_kernel *kernel = hd_object_kernel(hd_api_program(h)->object, l->launch.kernel);
		if (kernel)
			hd_result_outputs(out, l, kernel, NULL); /* a list can be long */
	}
}

void hd_grid_list_free(hd_grid_list_file *file)
{
	for (unsigned i = 0; i < file->n; i++) {
		hd_launching_free(&file->lines[i].launching);
		hd_vec_free(&file->lines[i].references);
		hd_vec_free(&file->lines[i].values);
	}
	free(file->lines);
	free(file->grids);
	hd_launch_list_free(&file->list);
}
