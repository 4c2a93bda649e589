#include "study/plan.h"

#include "config/yaml.h"
#include "study/axes.h"

enum { FILE_MAX = 16 << 20 };

#define ARROW " -> "

static const char *keep(hd_plan *plan, const char *text) { return hd_arena_strndup(&plan->arena, text, strlen(text)); }

/* "LAUNCH" or "LABEL -> LAUNCH". */
static bool add_launch(hd_plan *plan, hd_launch_kind kind, const char *value, hd_pos at, hd_diag *diag)
{
	const char *arrow = strstr(value, ARROW), *text = arrow ? arrow + strlen(ARROW) : value;
	hd_plan_launch launch = {.kind = kind, .text = keep(plan, text), .pos = at};
	launch.name = arrow ? hd_arena_strndup(&plan->arena, value, (size_t)(arrow - value)) : launch.text;
	launch.pos.column += (uint32_t)(text - value);
	for (size_t i = 0; arrow && i < plan->launches.n; i++) {
		if (strcmp(plan->launches.at[i].name, launch.name) == 0) {
			hd_error(diag, at, "the launch of line %u is '%.60s', too, expected another label", plan->launches.at[i].pos.line,
			         launch.name);
			return false;
		}
	}
	if (plan->launches.n == HD_STUDY_LAUNCHES_MAX) {
		hd_error(diag, at, "one launch too many, expected at most %d", HD_STUDY_LAUNCHES_MAX);
		return false;
	}
	hd_vec_push(&plan->launches, launch);
	return true;
}

static bool add_column(hd_plan *plan, const char *name, const char *value, hd_pos key, hd_pos at, hd_diag *diag)
{
	const char *arrow = strstr(value, ARROW);
	hd_plan_table *last = plan->tables.n ? &plan->tables.at[plan->tables.n - 1] : NULL;
	if (!arrow) {
		hd_error(diag, at, "'%.60s' is no column of a table, expected HEAD -> EXPRESSION", value);
		return false;
	}
	if (strlen(value) > HD_COLUMN_MAX) {
		hd_error(diag, at, "a column of a table has more than %d characters", HD_COLUMN_MAX);
		return false;
	}
	if (!last || strcmp(last->name, name) != 0) {
		hd_plan_table table = {.name = keep(plan, name), .pos = key};
		hd_vec_push(&plan->tables, table);
		last = &plan->tables.at[plan->tables.n - 1];
	}
	hd_plan_column column = {.head = hd_arena_strndup(&plan->arena, value, (size_t)(arrow - value)),
	                         .text = {.text = keep(plan, arrow + strlen(ARROW)), .pos = at}};
	hd_vec_push(&last->columns, column);
	return true;
}

static bool add_number(uint64_t *to, const char *path, const char *value, uint64_t maximum, hd_pos at, hd_diag *diag)
{
	if (hd_read_number(value, strlen(value), maximum, to) == HD_NUMBER_GOOD)
		return true;
	hd_error(diag, at, "%s cannot be '%.60s', expected a number up to %llu", path, value, (unsigned long long)maximum);
	return false;
}

static bool add_sampling(hd_plan *plan, const char *value, hd_pos at, hd_diag *diag)
{
	static const char *const names[] = {"product", "list", "random", "latin"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		if (i != HD_SAMPLE_LIST && strcmp(value, names[i]) == 0) {
			plan->sampling = (hd_sampling)i;
			return true;
		}
	}
	hd_error(diag, at, "sample.kind cannot be '%.60s', expected product, random or latin", value);
	return false;
}

static bool add_name(hd_plan *plan, const char *value, hd_pos at, hd_diag *diag)
{
	if (*value && strlen(value) <= 80 && !strpbrk(value, "\n\r\t/")) {
		plan->name = keep(plan, value);
		return true;
	}
	hd_error(diag, at, "name cannot be '%.*s', expected a line of at most 80 characters without a slash",
	         (int)hd_min_u64(strcspn(value, "\n"), 60), value);
	return false;
}

static bool is_section(const char *path)
{
	return strcmp(path, "axes") == 0 || strcmp(path, "tables") == 0 || strcmp(path, "sample") == 0 || strcmp(path, "limits") == 0;
}

/* A section's beginning. */
static bool begin(const char *path, hd_pos key, hd_diag *diag)
{
	if (is_section(path))
		return true;
	hd_error(diag, key, "%.80s is no section of a study, expected axes, sample, tables or limits", path);
	return false;
}

static void unknown(const char *path, hd_pos key, hd_diag *diag)
{
	static const char *const keys[] = {"name",   "launches", "examples",    "commands",      "inputs",         "machines",
	                                   "axes",   "points",   "where",       "area",          "sample.kind",    "sample.count",
	                                   "tables", "average",  "sample.seed", "limits.cycles", "limits.seconds", "limits.memory"};
	hd_suggestion suggestion = {.word = path};
	for (unsigned i = 0; i < HD_COUNT(keys); i++)
		hd_suggest(&suggestion, keys[i]);
	char *hint = hd_suggestion_text(&suggestion);
	hd_error(diag, key, "%.80s is no key of a study%s", path, *hint ? hint : "; docs/studies.md lists them");
	free(hint);
}

static bool add_rule(hd_plan *plan, hd_plan_text rule, hd_diag *diag)
{
	size_t characters = strlen(rule.text);
	for (size_t i = 0; i < plan->rules.n; i++)
		characters += strlen(plan->rules.at[i].text);
	hd_vec_push(&plan->rules, rule);
	if (characters > HD_RULES_MAX && characters - strlen(rule.text) <= HD_RULES_MAX)
		hd_error(diag, rule.pos, "constraints have more than %d characters", HD_RULES_MAX);
	return characters <= HD_RULES_MAX;
}

static bool store(void *context, const char *path, const char *value, hd_pos key, hd_pos at, hd_diag *diag)
{
	hd_plan *plan = context;
	if (!value)
		return begin(path, key, diag);
	if (strncmp(path, "axes.", 5) == 0)
		return hd_axes_add(plan, path + 5, value, key, at, diag);
	if (strncmp(path, "tables.", 7) == 0)
		return add_column(plan, path + 7, value, key, at, diag);
	if (strcmp(path, "machines") == 0)
		return hd_axes_add(plan, "machine", value, key, at, diag);
	if (strcmp(path, "points") == 0)
		return hd_axes_point(plan, value, at, diag);
	if (strcmp(path, "launches") == 0)
		return add_launch(plan, HD_LAUNCH_LINE, value, at, diag);
	if (strcmp(path, "examples") == 0)
		return add_launch(plan, HD_LAUNCH_EXAMPLE, value, at, diag);
	if (strcmp(path, "commands") == 0)
		return add_launch(plan, HD_LAUNCH_COMMAND, value, at, diag);
	hd_plan_text text = {.text = keep(plan, value), .pos = at};
	if (strcmp(path, "where") == 0)
		return add_rule(plan, text, diag);
	else if (strcmp(path, "inputs") == 0)
		hd_vec_push(&plan->inputs, text);
	else if (strcmp(path, "average") == 0)
		hd_vec_push(&plan->averages, text);
	else if (is_section(path))
		hd_error(diag, at, "%s: expected a mapping", path);
	else if (strcmp(path, "area") == 0)
		plan->area = text;
	else if (strcmp(path, "name") == 0)
		return add_name(plan, value, at, diag);
	else if (strcmp(path, "sample.kind") == 0)
		return add_sampling(plan, value, at, diag);
	else if (strcmp(path, "sample.count") == 0)
		return add_number(&plan->count, path, value, HD_MACHINES_MAX, at, diag);
	else if (strcmp(path, "sample.seed") == 0)
		return add_number(&plan->seed, path, value, UINT64_MAX, at, diag);
	else if (strcmp(path, "limits.cycles") == 0)
		return add_number(&plan->cycles, path, value, INT64_MAX, at, diag);
	else if (strcmp(path, "limits.seconds") == 0)
		return add_number(&plan->seconds, path, value, 10000000, at, diag);
	else if (strcmp(path, "limits.memory") == 0)
		return add_number(&plan->memory, path, value, 1 << 24, at, diag);
	else
		unknown(path, key, diag);
	return diag->errors == 0;
}

/* Checks the conditions on the whole file. */
static void check(hd_plan *plan, hd_diag *diag)
{
	hd_pos pos = {.file = plan->file};
	bool sampled = plan->sampling == HD_SAMPLE_RANDOM || plan->sampling == HD_SAMPLE_LATIN;
	if (!plan->launches.n)
		hd_error(diag, pos, "has no launch, expected a list `launches`, `examples` or `commands`");
	if (plan->list.n && sampled)
		hd_error(diag, pos, "has points beside sample.kind, expected one or the other");
	if (sampled && !plan->count)
		hd_error(diag, pos, "has no sample.count, expected the number of machines to draw");
	if (!sampled && plan->count)
		hd_error(diag, pos, "has sample.count without sample.kind: random or latin");
	for (size_t i = 0; i < plan->averages.n; i++)
		if (!hd_axes_find(plan, plan->averages.at[i].text))
			hd_error(diag, plan->averages.at[i].pos, "there is no axis '%.60s'", plan->averages.at[i].text);
	if (plan->list.n)
		plan->sampling = HD_SAMPLE_LIST;
	if (!plan->axes.at[0].values.n)
		hd_axes_add(plan, "machine", "heddle", pos, pos, diag);
}

static void name_after_file(hd_plan *plan)
{
	const char *base = strrchr(plan->file, '/') ? strrchr(plan->file, '/') + 1 : plan->file, *dot = strrchr(base, '.');
	size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	plan->name = hd_arena_strndup(&plan->arena, base, length < 80 ? length : 80);
}

bool hd_plan_read_text(hd_plan *plan, const char *text, size_t size, const char *path, hd_diag *diag)
{
	unsigned before = diag->errors;
	*plan = (hd_plan){.file = path, .size = size, .seed = 1};
	plan->text = hd_xcalloc(size + 1, 1);
	memcpy(plan->text, text, size);
	name_after_file(plan);
	hd_axes_begin(plan);
	if (hd_yaml_read_lists(text, size, path, store, plan, diag))
		check(plan, diag);
	return diag->errors == before;
}

bool hd_plan_read(hd_plan *plan, const char *path, hd_diag *diag)
{
	size_t size;
	char *text = hd_read_file(path, FILE_MAX, &size, diag);
	*plan = (hd_plan){.file = path};
	bool ok = text && hd_plan_read_text(plan, text, size, path, diag);
	free(text);
	return ok;
}

void hd_plan_free(hd_plan *plan)
{
	for (size_t i = 0; i < plan->axes.n; i++) {
		for (size_t k = 0; k < plan->axes.at[i].values.n; k++)
			hd_vec_free(&plan->axes.at[i].values.at[k].settings);
		hd_vec_free(&plan->axes.at[i].values);
	}
	for (size_t i = 0; i < plan->tables.n; i++)
		hd_vec_free(&plan->tables.at[i].columns);
	hd_vec_free(&plan->tables);
	hd_vec_free(&plan->averages);
	hd_vec_free(&plan->axes);
	hd_vec_free(&plan->launches);
	hd_vec_free(&plan->inputs);
	hd_vec_free(&plan->list);
	hd_vec_free(&plan->rules);
	free(plan->text);
	hd_arena_free(&plan->arena);
}

bool hd_plan_machine(const hd_plan *plan, const int *choice, hd_machine *machine, hd_diag *diag)
{
	const hd_axis *bases = &plan->axes.at[0];
	if (!hd_machine_load(machine, bases->values.at[choice[0] < 0 ? 0 : choice[0]].text, diag))
		return false;
	for (size_t i = 1; i < plan->axes.n; i++) {
		const hd_axis *axis = &plan->axes.at[i];
		const hd_axis_value *value = choice[i] < 0 ? NULL : &axis->values.at[choice[i]];
		for (size_t k = 0; value && k < value->settings.n; k++)
			if (!hd_key_store(machine, &value->settings.at[k].key, value->settings.at[k].value, (hd_pos){.file = machine->name}, diag))
				return false;
	}
	return hd_machine_validate(machine, machine->name, diag);
}
