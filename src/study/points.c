#include "study/points.h"

#include "config/state_bits.h"
#include "study/expression.h"

enum { TRIES = 1000 /* of a random point in a row that give no new machine */ };

typedef struct making {
	hd_points *points;
	const hd_plan *plan;
	hd_diag *diag;
	size_t *table; /* indices of points + 1 by digest; 0 = empty */
	size_t table_size;
	hd_machine *bases; /* of the axis `machine` */
} making;

/* The scope in which names in expressions are looked up. */
typedef struct scope {
	const hd_plan *plan;
	const hd_machine *machine;
	const int *choice;
} scope;

static bool find_name(void *context, const char *name, char value[40])
{
	const scope *s = context;
	hd_key key;
	if (hd_key_find(name, &key)) {
		char text[HD_KEY_VALUE_MAX];
		hd_key_format(s->machine, &key, text);
		snprintf(value, 40, "%s", text);
		return true;
	}
	if (strcmp(name, "state_bits") == 0) {
		snprintf(value, 40, "%u", hd_machine_state_bits(s->machine));
		return true;
	}
	for (size_t i = 0; i < s->plan->axes.n; i++) {
		const hd_axis *axis = &s->plan->axes.at[i];
		if (strcmp(axis->name, name) != 0 || s->choice[i] < 0)
			continue;
		snprintf(value, 40, "%.39s", axis->values.at[s->choice[i]].text);
		return true;
	}
	return false;
}

void hd_machine_content(const hd_machine *machine, hd_text *out)
{
	char value[HD_KEY_VALUE_MAX];
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		hd_key_format(machine, &key, value);
		hd_text_printf(out, "%s=%s\n", key.path, value);
	}
}

void hd_point_text(const hd_plan *plan, const int *choice, hd_text *out)
{
	hd_text_printf(out, "%s", plan->axes.at[0].values.at[choice[0] < 0 ? 0 : choice[0]].text);
	for (size_t i = 1; i < plan->axes.n; i++)
		if (choice[i] >= 0)
			hd_text_printf(out, " %s=%s", plan->axes.at[i].name, plan->axes.at[i].values.at[choice[i]].text);
}

/* Where the digest is in the table, or where it would be. */
static size_t *slot(making *m, const char *id)
{
	size_t at = (size_t)strtoull((char[]){id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], '\0'}, NULL, 16) % m->table_size;
	while (m->table[at] && strcmp(m->points->list.at[m->table[at] - 1].id, id) != 0)
		at = (at + 1) % m->table_size;
	return &m->table[at];
}

static void grow(making *m)
{
	free(m->table);
	m->table_size = m->table_size * 2 + 1021;
	m->table = hd_xcalloc(m->table_size, sizeof *m->table);
	for (size_t i = 0; i < m->points->list.n; i++)
		*slot(m, m->points->list.at[i].id) = i + 1;
}

static bool make_machine(making *m, const int *choice, hd_machine *machine, hd_diag *diag)
{
	*machine = m->bases[choice[0] < 0 ? 0 : choice[0]];
	for (size_t i = 1; i < m->plan->axes.n; i++) {
		const hd_axis_value *value = choice[i] < 0 ? NULL : &m->plan->axes.at[i].values.at[choice[i]];
		for (size_t k = 0; value && k < value->settings.n; k++)
			hd_key_store(machine, &value->settings.at[k].key, value->settings.at[k].value, (hd_pos){0}, diag);
	}
	return hd_machine_validate(machine, machine->name, diag);
}

/* Whether the constraints allow the point. An expression that is none ends the making. */
static bool allowed(making *m, const scope *s)
{
	int64_t value = 1;
	for (size_t i = 0; i < m->plan->rules.n && value; i++)
		if (!hd_expression(m->plan->rules.at[i].text, find_name, (void *)(uintptr_t)s, &value, m->plan->rules.at[i].pos, m->diag))
			return false;
	return value != 0;
}

/* Adds a point unless a constraint excludes it or its machine is there. True when it was added. */
static bool add(making *m, const int *choice)
{
	hd_machine machine;
	hd_diag refused = {0};
	hd_text text = {0};
	bool can_be = make_machine(m, choice, &machine, &refused), added = false;
	scope s = {m->plan, &machine, choice};
	hd_point point = {.area = -1};
	if (!allowed(m, &s)) {
		m->points->excluded++;
		hd_diag_free(&refused);
		return false;
	}
	hd_machine_content(&machine, &text);
	if (!can_be)
		hd_text_printf(&text, "%s", refused.text.at ? refused.text.at : "");
	hd_digest_of(text.at, text.n, point.id);
	hd_text_free(&text);
	if (m->points->list.n * 2 >= m->table_size)
		grow(m);
	size_t *at = slot(m, point.id);
	if (*at) {
		m->points->same++;
	} else {
		size_t bytes = m->plan->axes.n * sizeof *choice;
		point.choice = memcpy(hd_xmalloc(bytes), choice, bytes);
		hd_vec_push(&m->points->choices, point.choice);
		if (!can_be)
			point.refused = hd_xstrdup(refused.text.at ? refused.text.at : "");
		if (can_be && m->plan->area.text)
			hd_expression(m->plan->area.text, find_name, &s, &point.area, m->plan->area.pos, m->diag);
		hd_vec_push(&m->points->list, point);
		*at = m->points->list.n;
		added = true;
	}
	hd_diag_free(&refused);
	return added;
}

/* The most machines that the launches of the plan leave room for. */
static uint64_t most_machines(const hd_plan *plan) { return hd_min_u64(HD_MACHINES_MAX, HD_RUNS_MAX / (plan->launches.n ? plan->launches.n : 1)); }

static bool too_many(making *m)
{
	hd_error(m->diag, (hd_pos){.file = m->plan->file},
	         "has more than %llu machines with %zu launches each, expected at most %d runs: draw a sample",
	         (unsigned long long)most_machines(m->plan), m->plan->launches.n, HD_RUNS_MAX);
	return false;
}

/* False and an error when one machine more would be too many. */
static bool room(making *m)
{
	if (m->points->list.n < most_machines(m->plan))
		return m->diag->errors == 0;
	return too_many(m);
}

/* The number of points of the full product; UINT64_MAX when it is beyond HD_CANDIDATES_MAX. */
static uint64_t candidates(const hd_plan *plan)
{
	uint64_t n = 1;
	for (size_t i = 0; i < plan->axes.n; i++) {
		n *= plan->axes.at[i].values.n;
		if (n > HD_CANDIDATES_MAX)
			return UINT64_MAX;
	}
	return n;
}

static void product(making *m)
{
	int choice[HD_AXES_MAX] = {0};
	if (candidates(m->plan) == UINT64_MAX) {
		hd_error(m->diag, (hd_pos){.file = m->plan->file},
		         "has a product of more than %d points, expected fewer values, or sample.kind: random or latin", HD_CANDIDATES_MAX);
		return;
	}
	if (!m->plan->rules.n && candidates(m->plan) > most_machines(m->plan)) {
		too_many(m);
		return;
	}
	for (size_t axis = m->plan->axes.n; axis;) {
		if (!room(m))
			return;
		add(m, choice);
		for (axis = m->plan->axes.n; axis; axis--) {
			if (++choice[axis - 1] < (int)m->plan->axes.at[axis - 1].values.n)
				break;
			choice[axis - 1] = 0;
		}
	}
}

static void list(making *m)
{
	for (size_t i = 0; i < m->plan->list.n && room(m); i += HD_AXES_MAX)
		add(m, &m->plan->list.at[i]);
}

static uint64_t below(uint64_t *seed, uint64_t n) { return hd_random(seed) % n; }

static void random_points(making *m)
{
	uint64_t seed = m->plan->seed;
	unsigned misses = 0;
	while (m->points->list.n < m->plan->count && misses < TRIES && room(m)) {
		int choice[HD_AXES_MAX];
		for (size_t i = 0; i < m->plan->axes.n; i++)
			choice[i] = (int)below(&seed, m->plan->axes.at[i].values.n);
		misses = add(m, choice) ? 0 : misses + 1;
	}
}

/* A Latin hypercube: each axis is cut into as many strata as there are points, and each stratum has one point. */
static void latin(making *m)
{
	uint64_t seed = m->plan->seed, n = m->plan->count;
	int *choices = hd_xcalloc(n * m->plan->axes.n, sizeof *choices);
	uint64_t *order = hd_xcalloc(n, sizeof *order);
	for (size_t i = 0; i < m->plan->axes.n; i++) {
		for (uint64_t k = 0; k < n; k++)
			order[k] = k;
		for (uint64_t k = n; k > 1; k--) {
			uint64_t other = below(&seed, k), moved = order[k - 1];
			order[k - 1] = order[other];
			order[other] = moved;
		}
		for (uint64_t k = 0; k < n; k++)
			choices[k * m->plan->axes.n + i] = (int)(order[k] * m->plan->axes.at[i].values.n / n);
	}
	for (uint64_t k = 0; k < n && room(m); k++)
		add(m, choices + k * m->plan->axes.n);
	free(order);
	free(choices);
}

bool hd_points_make(hd_points *points, const hd_plan *plan, hd_diag *diag)
{
	static void (*const ways[])(making *) = {
	    [HD_SAMPLE_PRODUCT] = product, [HD_SAMPLE_LIST] = list, [HD_SAMPLE_RANDOM] = random_points, [HD_SAMPLE_LATIN] = latin};
	unsigned before = diag->errors;
	*points = (hd_points){0};
	making m = {.points = points, .plan = plan, .diag = diag};
	const hd_axis *bases = &plan->axes.at[0];
	m.bases = hd_xcalloc(bases->values.n, sizeof *m.bases);
	bool ok = true;
	for (size_t i = 0; ok && i < bases->values.n; i++)
		ok = hd_machine_load(&m.bases[i], bases->values.at[i].text, diag);
	if (ok)
		ways[plan->sampling](&m);
	if (diag->errors == before && !points->list.n)
		hd_error(diag, (hd_pos){.file = plan->file}, "has no machine that its constraints allow");
	free(m.bases);
	free(m.table);
	return diag->errors == before;
}

void hd_points_free(hd_points *points)
{
	for (size_t i = 0; i < points->list.n; i++)
		free(points->list.at[i].refused);
	for (size_t i = 0; i < points->choices.n; i++)
		free(points->choices.at[i]);
	hd_vec_free(&points->list);
	hd_vec_free(&points->choices);
}
