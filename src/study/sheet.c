#include "study/sheet.h"

#include "study/plan.h"

#include <math.h>

/* Names that people use, and columns. */
static const char *column_of(const char *figure)
{
	return strcmp(figure, "cycles") == 0 ? "run_cycles" : strcmp(figure, "energy") == 0 ? "energy_total_fj" : figure;
}

bool hd_sheet_of_machine(const hd_sheet *sheet, unsigned figure)
{
	const char *name = sheet->figures.at[figure];
	return strcmp(name, "state_bits") == 0 || strcmp(name, "area") == 0;
}

static double number_of(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(q, column);
}

static sqlite3_stmt *select_of(hd_sheet *sheet, hd_store *store, const char *sql)
{
	sqlite3_stmt *q = hd_store_prepare(store, sql);
	if (q)
		sqlite3_bind_text(q, 1, sheet->id, -1, SQLITE_STATIC);
	return q;
}

static void load_axes(hd_sheet *sheet, hd_store *store)
{
	sqlite3_stmt *q = select_of(sheet, store,
	                            "SELECT DISTINCT axis_number, axis, value_number, value FROM point WHERE study = ? AND value IS NOT NULL "
	                            "ORDER BY axis_number, value_number");
	int64_t last = -1;
	while (q && hd_store_step(store, q)) {
		if (sqlite3_column_int64(q, 0) != last) {
			hd_sheet_axis axis = {.name = hd_store_text(q, 1)};
			hd_vec_push(&sheet->axes, axis);
		}
		last = sqlite3_column_int64(q, 0);
		hd_vec_push(&sheet->axes.at[sheet->axes.n - 1].values, hd_store_text(q, 3));
	}
	sqlite3_finalize(q);
}

static unsigned kind_of(hd_sheet *sheet, const char *kind)
{
	unsigned i = 0;
	while (i < sheet->kinds.n && strcmp(sheet->kinds.at[i], kind) != 0)
		i++;
	if (i == sheet->kinds.n)
		hd_vec_push(&sheet->kinds, hd_xstrdup(kind));
	return i;
}

/* Machines in the order of their points, launches in the order of the first machine's runs. */
static void load_sides(hd_sheet *sheet, hd_store *store)
{
	sqlite3_stmt *q = select_of(sheet, store,
	                            "SELECT d.number, d.name, m.state_bits, d.area FROM design d JOIN machine m ON m.id = d.machine "
	                            "WHERE d.study = ? ORDER BY d.number");
	while (q && hd_store_step(store, q)) {
		hd_sheet_machine machine = {.name = hd_store_text(q, 1), .state_bits = number_of(q, 2), .area = number_of(q, 3)};
		machine.value = hd_xcalloc(sheet->axes.n + 1, sizeof *machine.value);
		for (size_t i = 0; i < sheet->axes.n; i++)
			machine.value[i] = -1;
		hd_vec_push(&sheet->machines, machine);
	}
	sqlite3_finalize(q);
	q = select_of(sheet, store,
	              "SELECT l.name, l.kind FROM member m JOIN launch l ON l.id = m.launch WHERE m.study = ?1 AND m.machine = "
	              "(SELECT machine FROM member WHERE study = ?1 ORDER BY number LIMIT 1) ORDER BY m.number");
	while (q && hd_store_step(store, q)) {
		char *kind = hd_store_text(q, 1);
		hd_sheet_launch launch = {.name = hd_store_text(q, 0), .kind = kind_of(sheet, kind)};
		free(kind);
		hd_vec_push(&sheet->launches, launch);
	}
	sqlite3_finalize(q);
}

static void load_values(hd_sheet *sheet, hd_store *store)
{
	sqlite3_stmt *q =
	    select_of(sheet, store, "SELECT number, axis, value FROM point WHERE study = ? AND value IS NOT NULL ORDER BY number, axis_number");
	while (q && hd_store_step(store, q)) {
		int64_t number = sqlite3_column_int64(q, 0);
		const char *axis = (const char *)sqlite3_column_text(q, 1), *value = (const char *)sqlite3_column_text(q, 2);
		for (size_t i = 0; axis && value && number >= 0 && (size_t)number < sheet->machines.n && i < sheet->axes.n; i++) {
			if (strcmp(sheet->axes.at[i].name, axis) != 0)
				continue;
			for (size_t k = 0; k < sheet->axes.at[i].values.n; k++)
				if (strcmp(sheet->axes.at[i].values.at[k], value) == 0)
					sheet->machines.at[number].value[i] = (int)k;
		}
	}
	sqlite3_finalize(q);
}

/* -- groups of values ------------------------------------------------------------------------------------------------------------------------- */

typedef struct numbered {
	double number;
	size_t value, machines;
} numbered;

static int by_number(const void *a, const void *b)
{
	const numbered *one = a, *other = b;
	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return one->value < other->value ? -1 : 1;
}

/* The values of an axis in the order of their numbers, with the machines that have each. NULL: not all values are numbers. The caller frees. */
static numbered *number_values(const hd_sheet *sheet, size_t a)
{
	const hd_sheet_axis *axis = &sheet->axes.at[a];
	numbered *all = hd_xcalloc(axis->values.n + 1, sizeof *all);
	for (size_t i = 0; i < axis->values.n; i++) {
		char *end;
		all[i] = (numbered){.number = strtod(axis->values.at[i], &end), .value = i};
		if (!isfinite(all[i].number) || *end || end == axis->values.at[i]) {
			free(all);
			return NULL;
		}
	}
	for (size_t m = 0; m < sheet->machines.n; m++)
		if (sheet->machines.at[m].value[a] >= 0)
			all[sheet->machines.at[m].value[a]].machines++;
	qsort(all, axis->values.n, sizeof *all, by_number);
	return all;
}

/* A sample of a long range has a machine or two for each value, whose mean says more about the other axes. Such an axis has groups of neighbours in
 * place of its values, with about as many machines each. */
static void group_axis(hd_sheet *sheet, size_t a)
{
	hd_sheet_axis *axis = &sheet->axes.at[a], groups = {.name = axis->name};
	numbered *all = axis->values.n > HD_SHEET_VALUES ? number_values(sheet, a) : NULL;
	if (!all)
		return;
	size_t n = axis->values.n, total = 0;
	int *group = hd_xcalloc(n, sizeof *group);
	for (size_t i = 0; i < n; i++)
		total += all[i].machines;
	for (size_t i = 0, next; i < n; i = next) {
		hd_text label = {0};
		size_t machines = 0;
		for (next = i; next < n && machines * HD_SHEET_GROUPS < total; machines += all[next++].machines)
			group[all[next].value] = (int)groups.values.n;
		hd_text_printf(&label, next - i > 1 ? "%s..%s" : "%s", axis->values.at[all[i].value], axis->values.at[all[next - 1].value]);
		hd_vec_push(&groups.values, label.at);
	}
	for (size_t m = 0; m < sheet->machines.n; m++)
		if (sheet->machines.at[m].value[a] >= 0)
			sheet->machines.at[m].value[a] = group[sheet->machines.at[m].value[a]];
	for (size_t i = 0; i < n; i++)
		free(axis->values.at[i]);
	hd_vec_free(&axis->values);
	*axis = groups;
	free(group);
	free(all);
}

/* The cells of figures that are columns of `run`, from runs that ended well. */
static void load_runs(hd_sheet *sheet, hd_store *store)
{
	hd_text sql = {0};
	size_t launches = sheet->launches.n, machines = sheet->machines.n;
	hd_text_printf(&sql, "SELECT m.number, r.status");
	for (unsigned i = 0; i < sheet->figures.n; i++)
		hd_text_printf(&sql, hd_sheet_of_machine(sheet, i) ? ", NULL" : ", r.%s", column_of(sheet->figures.at[i]));
	hd_text_printf(&sql, " FROM member m LEFT JOIN run r ON r.id = m.run WHERE m.study = ?");
	sqlite3_stmt *q = select_of(sheet, store, sql.at);
	while (q && hd_store_step(store, q)) {
		int64_t number = sqlite3_column_int64(q, 0);
		const char *status = (const char *)sqlite3_column_text(q, 1);
		bool done = status && strcmp(status, "done") == 0;
		sheet->runs++;
		sheet->missing += !status;
		sheet->done += done;
		if (!done || number < 0 || (size_t)number >= machines * launches)
			continue;
		for (unsigned i = 0; i < sheet->figures.n; i++) {
			const hd_sheet_machine *machine = &sheet->machines.at[(size_t)number / launches];
			const char *name = sheet->figures.at[i];
			sheet->cells[i * machines * launches + (size_t)number] = strcmp(name, "state_bits") == 0 ? machine->state_bits
			                                                         : strcmp(name, "area") == 0     ? machine->area
			                                                                                         : number_of(q, (int)i + 2);
		}
	}
	sqlite3_finalize(q);
	hd_text_free(&sql);
}

static bool check_figure(const char *figure, hd_diag *diag)
{
	hd_suggestion suggestion = {.word = figure};
	static const char *const names[] = {"cycles", "energy", "state_bits", "area"};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		hd_suggest(&suggestion, names[i]);
		if (strcmp(figure, names[i]) == 0)
			return true;
	}
	for (unsigned i = 0; i < hd_store_figure_count(); i++) {
		hd_suggest(&suggestion, hd_store_figure_name(i));
		if (strcmp(figure, hd_store_figure_name(i)) == 0)
			return true;
	}
	char *hint = hd_suggestion_text(&suggestion);
	hd_error(diag, (hd_pos){.file = "heddle"}, "sweep: there is no figure '%.60s'%s", figure,
	         *hint ? hint : ", expected cycles, energy, state_bits, area, or a column of the table run");
	free(hint);
	return false;
}

/* A file can say anything. What no study can be would take any amount of memory and time. */
static bool within_bounds(const hd_sheet *sheet, hd_store *store, hd_diag *diag)
{
	bool ok = sheet->machines.n <= HD_MACHINES_MAX && sheet->launches.n <= HD_STUDY_LAUNCHES_MAX && sheet->axes.n <= HD_AXES_MAX &&
	          sheet->machines.n * sheet->launches.n <= HD_RUNS_MAX;
	for (size_t i = 0; i < sheet->axes.n; i++)
		ok = ok && sheet->axes.at[i].values.n <= HD_AXIS_VALUES_MAX;
	if (!ok && !store->failed)
		hd_error(diag, (hd_pos){.file = store->path}, "has more machines, launches or axes than a study can have");
	return ok && !store->failed;
}

bool hd_sheet_load(hd_sheet *sheet, hd_store *store, const char *name, const char *const *figures, unsigned n, hd_diag *diag)
{
	*sheet = (hd_sheet){0};
	for (unsigned i = 0; i < n; i++) {
		if (!check_figure(figures[i], diag))
			return false;
		hd_vec_push(&sheet->figures, hd_xstrdup(figures[i]));
	}
	if (!hd_store_find_study(store, name, &sheet->id, &sheet->study, NULL, diag))
		return false;
	load_axes(sheet, store);
	load_sides(sheet, store);
	if (!within_bounds(sheet, store, diag))
		return false;
	load_values(sheet, store);
	for (size_t a = 0; a < sheet->axes.n; a++)
		group_axis(sheet, a);
	size_t cells = n * sheet->machines.n * sheet->launches.n;
	sheet->cells = hd_xcalloc(cells + 1, sizeof *sheet->cells);
	for (size_t i = 0; i < cells; i++)
		sheet->cells[i] = NAN;
	load_runs(sheet, store);
	if (!store->failed && (!sheet->machines.n || !sheet->launches.n))
		hd_error(diag, (hd_pos){.file = store->path}, "has a study without machines or launches");
	return diag->errors == 0;
}

void hd_sheet_free(hd_sheet *sheet)
{
	for (size_t i = 0; i < sheet->machines.n; i++) {
		free(sheet->machines.at[i].name);
		free(sheet->machines.at[i].value);
	}
	for (size_t i = 0; i < sheet->launches.n; i++)
		free(sheet->launches.at[i].name);
	for (size_t i = 0; i < sheet->axes.n; i++) {
		for (size_t k = 0; k < sheet->axes.at[i].values.n; k++)
			free(sheet->axes.at[i].values.at[k]);
		hd_vec_free(&sheet->axes.at[i].values);
		free(sheet->axes.at[i].name);
	}
	for (size_t i = 0; i < sheet->kinds.n; i++)
		free(sheet->kinds.at[i]);
	for (size_t i = 0; i < sheet->figures.n; i++)
		free(sheet->figures.at[i]);
	hd_vec_free(&sheet->machines);
	hd_vec_free(&sheet->launches);
	hd_vec_free(&sheet->axes);
	hd_vec_free(&sheet->kinds);
	hd_vec_free(&sheet->figures);
	free(sheet->cells);
	free(sheet->study);
	free(sheet->id);
}
