#include "study/axes.h"

hd_axis *hd_axes_find(hd_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->axes.n; i++)
		if (strcmp(plan->axes.at[i].name, name) == 0)
			return &plan->axes.at[i];
	return NULL;
}

void hd_axes_begin(hd_plan *plan)
{
	hd_axis axis = {.name = "machine", .pos = {.file = plan->file}};
	hd_vec_push(&plan->axes, axis);
}

static hd_axis *find_or_add(hd_plan *plan, const char *name, hd_pos pos, hd_diag *diag)
{
	hd_axis *axis = hd_axes_find(plan, name);
	if (axis)
		return axis;
	if (plan->axes.n == HD_AXES_MAX) {
		hd_error(diag, pos, "one axis too many, expected at most %d", HD_AXES_MAX);
		return NULL;
	}
	hd_axis added = {.name = hd_arena_strndup(&plan->arena, name, strlen(name)), .pos = pos};
	hd_vec_push(&plan->axes, added);
	return &plan->axes.at[plan->axes.n - 1];
}

/* Whether a path is what a pattern says: an asterisk stands for one part of a path. */
static bool matches(const char *pattern, const char *path)
{
	while (*pattern && *path) {
		size_t n = strcspn(pattern, "."), m = strcspn(path, ".");
		bool any = n == 1 && *pattern == '*';
		if (!any && (n != m || memcmp(pattern, path, n) != 0))
			return false;
		pattern += n;
		path += m;
		if (*pattern != *path)
			return false;
		pattern += *pattern == '.';
		path += *path == '.';
	}
	return *pattern == *path;
}

static bool set(hd_plan *plan, hd_axis_value *to, const hd_key *key, const char *value, hd_pos at, hd_diag *diag)
{
	hd_machine scratch;
	hd_machine_default(&scratch);
	if (!hd_key_store(&scratch, key, value, at, diag))
		return false;
	if (to->settings.n == HD_SETTINGS_MAX) {
		hd_error(diag, at, "one setting too many, expected at most %d", HD_SETTINGS_MAX);
		return false;
	}
	hd_setting setting = {.key = *key, .value = hd_arena_strndup(&plan->arena, value, strlen(value))};
	hd_vec_push(&to->settings, setting);
	return true;
}

/* The settings of all keys that a path names. *named: it names any. */
static bool set_named(hd_plan *plan, hd_axis_value *to, const char *path, const char *value, hd_pos at, bool *named, hd_diag *diag)
{
	hd_key key;
	*named = hd_key_find(path, &key);
	if (*named)
		return set(plan, to, &key, value, at, diag);
	for (unsigned i = 0; strchr(path, '*') && i < hd_key_count(); i++) {
		key = hd_key_at(i);
		if (!matches(path, key.path))
			continue;
		*named = true;
		if (!set(plan, to, &key, value, at, diag))
			return false;
	}
	return *named;
}

typedef struct places {
	hd_pos path, value;
} places;

/* The same with a message for a path that names no key. */
static bool set_all(hd_plan *plan, hd_axis_value *to, const char *path, const char *value, places at, bool *named, hd_diag *diag)
{
	char nearest[48];
	bool ok = set_named(plan, to, path, value, at.value, named, diag);
	if (!*named && hd_key_nearest(path, false, nearest))
		hd_error(diag, at.path, "%.60s is no key of a machine description, did you mean %s?", path, nearest);
	else if (!*named)
		hd_error(diag, at.path, "%.60s is no key of a machine description, expected one that `heddle config heddle` prints", path);
	return ok;
}

/* "KEY=VALUE KEY=VALUE": the value of an axis with a name of its own. */
static bool set_list(hd_plan *plan, hd_axis_value *to, const char *words, hd_pos at, hd_diag *diag)
{
	char *copy = hd_arena_strndup(&plan->arena, words, strlen(words)), *save = NULL;
	bool ok = true, named;
	for (char *word = strtok_r(copy, " \t\n", &save); ok && word; word = strtok_r(NULL, " \t\n", &save)) {
		char *equals = strchr(word, '=');
		if (!equals || equals == word) {
			hd_error(diag, at, "'%.60s' is no setting, expected KEY=VALUE", word);
			return false;
		}
		*equals = '\0';
		ok = set_all(plan, to, word, equals + 1, (places){at, at}, &named, diag);
	}
	return ok;
}

static bool is_machine(const hd_axis *axis) { return strcmp(axis->name, "machine") == 0; }

/* One value that is no range. */
static bool add_value(hd_plan *plan, hd_axis *axis, const char *text, hd_pos at, hd_diag *diag)
{
	/* "LABEL -> SETTINGS", or "LABEL ->" for none */
	const char *arrow = strstr(text, " -> "), *settings = arrow ? arrow + 4 : text;
	if (!arrow && hd_ends_with(text, " ->")) {
		arrow = text + strlen(text) - 3;
		settings = "";
	}
	hd_axis_value value = {.text = hd_arena_strndup(&plan->arena, text, arrow ? (size_t)(arrow - text) : strlen(text))};
	hd_machine machine;
	bool ok, named = true;
	if (axis->unknown)
		return false;
	if (axis->values.n == HD_AXIS_VALUES_MAX) {
		hd_error(diag, at, "axis %.60s has one value too many, expected at most %d", axis->name, HD_AXIS_VALUES_MAX);
		return false;
	}
	for (size_t i = 0; i < axis->values.n; i++) {
		if (strcmp(axis->values.at[i].text, value.text) == 0) {
			hd_error(diag, at, "axis %.60s has the value '%.60s' twice", axis->name, value.text);
			return false;
		}
	}
	if (is_machine(axis))
		ok = hd_machine_load(&machine, value.text, diag);
	else if (arrow || strchr(text, '='))
		ok = set_list(plan, &value, settings, at, diag);
	else
		ok = set_all(plan, &value, axis->name, text, (places){axis->pos, at}, &named, diag);
	axis->unknown = !named;
	hd_vec_push(&axis->values, value);
	return ok;
}

/* "A..B", "A..B step S" or "A..B times F". */
typedef struct range {
	uint64_t first, last, step, factor;
} range;

static bool is_range(const char *text)
{
	size_t n = strspn(text, "0123456789");
	return n && strncmp(text + n, "..", 2) == 0;
}

static bool read_range(const char *text, range *r)
{
	*r = (range){.step = 1, .factor = 1};
	bool ok = hd_take_number(&text, UINT32_MAX, &r->first) && strncmp(text, "..", 2) == 0;
	text += ok ? 2 : 0;
	ok = ok && hd_take_number(&text, UINT32_MAX, &r->last);
	if (ok && strncmp(text, " step ", 6) == 0) {
		text += 6;
		ok = hd_take_number(&text, UINT32_MAX, &r->step) && r->step;
	} else if (ok && strncmp(text, " times ", 7) == 0) {
		text += 7;
		r->step = 0;
		ok = hd_take_number(&text, UINT32_MAX, &r->factor) && r->factor > 1 && r->first;
	}
	return ok && !*text && r->first <= r->last;
}

bool hd_axes_add(hd_plan *plan, const char *name, const char *value, hd_pos key, hd_pos at, hd_diag *diag)
{
	range r;
	hd_axis *axis = find_or_add(plan, name, key, diag);
	if (!axis)
		return false;
	if (!is_range(value))
		return add_value(plan, axis, value, at, diag);
	if (!read_range(value, &r)) {
		hd_error(diag, at, "'%.60s' is no range, expected FIRST..LAST, FIRST..LAST step STEP, or FIRST..LAST times FACTOR", value);
		return false;
	}
	for (uint64_t n = r.first; n <= r.last; n = n * r.factor + r.step) {
		char text[24];
		snprintf(text, sizeof text, "%llu", (unsigned long long)n);
		if (!add_value(plan, axis, text, at, diag))
			return false;
	}
	return true;
}

/* The index of a value, which is added if it is new; -1 after an error. */
static int index_of(hd_plan *plan, hd_axis *axis, const char *text, hd_pos at, hd_diag *diag)
{
	for (size_t i = 0; i < axis->values.n; i++)
		if (strcmp(axis->values.at[i].text, text) == 0)
			return (int)i;
	return add_value(plan, axis, text, at, diag) ? (int)axis->values.n - 1 : -1;
}

bool hd_axes_point(hd_plan *plan, const char *words, hd_pos at, hd_diag *diag)
{
	char *copy = hd_arena_strndup(&plan->arena, words, strlen(words)), *save = NULL;
	size_t begin = plan->list.n;
	if (begin >= (size_t)HD_MACHINES_MAX * HD_AXES_MAX) {
		hd_error(diag, at, "one point too many, expected at most %d", HD_MACHINES_MAX);
		return false;
	}
	for (size_t i = 0; i < HD_AXES_MAX; i++)
		hd_vec_push(&plan->list, -1);
	for (char *word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
		char *equals = strchr(word, '=');
		if (!equals || equals == word) {
			hd_error(diag, at, "'%.60s' is no setting of a point, expected AXIS=VALUE", word);
			return false;
		}
		*equals = '\0';
		hd_axis *axis = find_or_add(plan, word, at, diag);
		int index = axis ? index_of(plan, axis, equals + 1, at, diag) : -1;
		if (index < 0)
			return false;
		plan->list.at[begin + (size_t)(axis - plan->axes.at)] = index;
	}
	return true;
}
