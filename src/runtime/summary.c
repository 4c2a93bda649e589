/* A table of everything that a process ran, with a row for each kernel. It is written when the process ends (HEDDLE_SUMMARY). */
#include "runtime/summary.h"

#include "api/ceilings.h"
#include "report/energy_error.h"
#include "report/html/application_html.h"
#include "report/json_string.h"
#include "report/report.h"

#include <unistd.h>

/* A number for the code of a program (hd_hash): one source that is built twice has one row, other kernels of one name have rows of their own.
 */
static uint64_t code_number(const hd_object *object)
{
	uint64_t hash = hd_hash(HD_HASH, object->code.at, object->code.n * sizeof *object->code.at);
	hash = hd_hash(hash, object->data.at, object->data.n * sizeof *object->data.at);
	return hd_hash(hash, object->literals.at, object->literals.n * sizeof *object->literals.at);
}

void hr_summary_add(const hr_outcome *outcome)
{
	const char *name = outcome->launch->kernel->name;
	size_t i = 0;
	unsigned program = 1;
	if (!hr_device.summary)
		return;
	uint64_t code = code_number(outcome->launch->program->object);
	pthread_mutex_lock(&hr_lock);
	for (; i < hr_device.rows.n; i++) {
		bool same = strcmp(hr_device.rows.at[i].kernel, name) == 0;
		if (same && hr_device.rows.at[i].code == code)
			break;
		program += same;
	}
	if (i == hr_device.rows.n) {
		hr_summary_row row = {.kernel = hd_xstrdup(name),
		                      .source_name = hd_xstrdup(hd_kernel_name(outcome->launch->kernel)),
		                      .code = code,
		                      .program = program,
		                      .first = (unsigned)i};
		hd_vec_push(&hr_device.rows, row);
	}
	hr_summary_row *row = &hr_device.rows.at[i];
	row->launches++;
	row->failed += outcome->ended != HD_TRAP_NONE;
	row->seconds += outcome->seconds;
	hd_stats_add(&row->stats, outcome->stats);
	if (hr_device.launched.n < HD_APPLICATION_MOST) {
		hd_application_launch launch = {
		    .number = outcome->launch->grid_id, .kernel = row->first, .result = hd_report_result(outcome->ended), .stats = *outcome->stats};
		memcpy(launch.grid, outcome->launch->grid, sizeof launch.grid);
		memcpy(launch.block, outcome->launch->block, sizeof launch.block);
		hd_vec_push(&hr_device.launched, launch);
	}
	pthread_mutex_unlock(&hr_lock);
}

static double per(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static double nanojoules(const hd_stats *stats)
{
	hd_energy energy = hd_energy_of(&hr_device.machine, stats);
	return (double)hd_energy_total(&energy) * 1e-6;
}

/* One standard deviation of the energy. */
static double uncertainty(const hd_stats *stats)
{
	hd_energy_error error = hd_energy_error_of(&hr_device.machine, stats);
	return (double)hd_energy_error_sum(&error, hd_energy_set_of_all()) * 1e-6;
}

static void total(hr_summary_row *all)
{
	for (size_t i = 0; i < hr_device.rows.n; i++) {
		const hr_summary_row *row = &hr_device.rows.at[i];
		all->launches += row->launches;
		all->failed += row->failed;
		all->seconds += row->seconds;
		hd_stats_add(&all->stats, &row->stats);
	}
}

/* Its name in the source, or its symbol where kernels of another symbol have that name, too. */
static const char *shown_name(const hr_summary_row *row)
{
	for (size_t i = 0; i < hr_device.rows.n; i++) {
		const hr_summary_row *other = &hr_device.rows.at[i];
		if (strcmp(other->source_name, row->source_name) == 0 && strcmp(other->kernel, row->kernel) != 0)
			return row->kernel;
	}
	return row->source_name;
}

/* The kernel, and its program unless that is the first one with a kernel of this name. */
static void put_name(const hr_summary_row *row, hd_text *out)
{
	hd_text_printf(out, "%s", shown_name(row));
	if (row->program > 1)
		hd_text_printf(out, " (program %u)", row->program);
}

static void put_text(const hr_summary_row *row, uint64_t cycles, hd_text *out)
{
	hd_text name = {0};
	put_name(row, &name);
	hd_text_printf(out, "%-32.32s %8llu %6llu ", name.at, (unsigned long long)row->launches, (unsigned long long)row->failed);
	hd_text_free(&name);
	if (hr_device.functional)
		hd_text_printf(out, "%14s %7s %14llu %6s %12s", "-", "-", (unsigned long long)row->stats.run_warp_instructions, "-", "-");
	else
		hd_text_printf(out, "%14llu %6.1f%% %14llu %6.3f %12.1f", (unsigned long long)row->stats.run_cycles,
		               100 * per(row->stats.run_cycles, cycles), (unsigned long long)row->stats.run_warp_instructions,
		               per(row->stats.run_warp_instructions, row->stats.run_cycles), nanojoules(&row->stats));
	hd_text_printf(out, " %9.3f\n", row->seconds);
}

static json_t *timed(json_t *value) { return hd_json_timed(hr_device.functional, value); }

static json_t *row_json(const hr_summary_row *row)
{
	const hd_stats *s = &row->stats;
	return json_pack("{s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:f}", "kernel", hd_json_string(row->kernel), "program",
	                 (json_int_t)row->program, "launches", (json_int_t)row->launches, "failed", (json_int_t)row->failed, "cycles",
	                 timed(json_integer((json_int_t)s->run_cycles)), "warp_instructions", (json_int_t)s->run_warp_instructions,
	                 "thread_instructions", (json_int_t)s->run_thread_instructions, "ipc",
	                 timed(json_real(per(s->run_warp_instructions, s->run_cycles))), "energy_nj", timed(json_real(nanojoules(s))),
	                 "energy_uncertainty_nj", timed(json_real(uncertainty(s))), "host_seconds", row->seconds);
}

static int by_cycles(const void *left, const void *right)
{
	const hr_summary_row *a = left, *b = right;
	if (a->stats.run_cycles != b->stats.run_cycles)
		return a->stats.run_cycles > b->stats.run_cycles ? -1 : 1;
	int order = strcmp(a->kernel, b->kernel);
	return order ? order : a->program < b->program ? -1 : a->program > b->program;
}

/* The first launches, one by one. */
static json_t *launch_list(void)
{
	json_t *list = json_array();
	for (size_t i = 0; i < hr_device.launched.n; i++) {
		const hd_application_launch *l = &hr_device.launched.at[i];
		const hd_stats *s = &l->stats;
		hd_json_append(
		    list, json_pack("{s:I, s:o, s:I, s:[I, I, I], s:[I, I, I], s:s, s:o, s:I, s:o, s:o, s:o}", "number", (json_int_t)l->number,
		                    "kernel", hd_json_string(hr_device.rows.at[l->kernel].kernel), "program",
		                    (json_int_t)hr_device.rows.at[l->kernel].program, "grid", (json_int_t)l->grid[0], (json_int_t)l->grid[1],
		                    (json_int_t)l->grid[2], "block", (json_int_t)l->block[0], (json_int_t)l->block[1], (json_int_t)l->block[2],
		                    "result", l->result, "cycles", timed(json_integer((json_int_t)s->run_cycles)), "warp_instructions",
		                    (json_int_t)s->run_warp_instructions, "issue_slots", timed(json_integer((json_int_t)s->run_issue_slots)),
		                    "slots_used", timed(json_integer((json_int_t)s->run_slots_used)), "energy_nj", timed(json_real(nanojoules(s)))));
	}
	return list;
}

/* Every statistic, in the order of stats.def. */
static json_t *statistics(const hd_stats *stats)
{
	json_t *object = json_object();
#define STAT(group, name, doc) hd_json_set(object, #group "." #name, hd_json_counter(hr_device.functional, #group, #name, stats->group##_##name));
#include "launch/stats.def"
#undef STAT
	return object;
}

static void as_json(const hr_summary_row *all, hd_text *out)
{
	json_t *kernels = json_array();
	for (size_t i = 0; i < hr_device.rows.n; i++)
		hd_json_append(kernels, row_json(&hr_device.rows.at[i]));
	json_t *root = json_pack("{s:s, s:o, s:b, s:o, s:o}", "schema", "heddle-summary-1", "machine", hd_json_string(hr_device.machine.name),
	                         "functional", (int)hr_device.functional, "kernels", kernels, "total", row_json(all));
	hd_json_set(root, "statistics", statistics(&all->stats));
	hd_json_set(root, "launch_list", launch_list());
	hd_json_dump(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9), out);
	json_decref(root);
}

static void as_text(const hr_summary_row *all, hd_text *out)
{
	hd_text_printf(out, "process %ld on %s\n%-32s %8s %6s %14s %7s %14s %6s %12s %9s\n", (long)getpid(), hr_device.name, "kernel", "launches",
	               "failed", "cycles", "", "warp instr.", "ipc", "energy nJ", "host s");
	for (size_t i = 0; i < hr_device.rows.n; i++)
		put_text(&hr_device.rows.at[i], all->stats.run_cycles, out);
	put_text(all, all->stats.run_cycles, out);
}

static void as_html(const hr_summary_row *all, hd_text *out)
{
	size_t n = hr_device.rows.n;
	hd_application_kernel *kernels = hd_xcalloc(n, sizeof *kernels);
	hd_text *names = hd_xcalloc(n, sizeof *names);
	for (size_t i = 0; i < n; i++) {
		const hr_summary_row *row = &hr_device.rows.at[i];
		put_name(row, &names[i]);
		kernels[i] = (hd_application_kernel){
		    .name = names[i].at, .launches = row->launches, .failed = row->failed, .stats = row->stats, .seconds = row->seconds};
	}
	hd_application a = {.title = hr_device.name,
	                    .machine = &hr_device.machine,
	                    .functional = hr_device.functional,
	                    .kernels = kernels,
	                    .n_kernels = n,
	                    .launches = hr_device.launched.at,
	                    .n_launches = hr_device.launched.n,
	                    .all_launches = all->launches};
	hd_ceilings ceilings;
	hd_diag diag = {0};
	if (hr_device.roofline && !hr_device.functional && hd_ceilings_measure(&hr_device.machine, &ceilings, &diag))
		a.ceilings = &ceilings;
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	hd_application_html(&a, out);
	for (size_t i = 0; i < n; i++)
		hd_text_free(&names[i]);
	free(names);
	free(kernels);
}

static int by_number(const void *left, const void *right)
{
	const hd_application_launch *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

/* Sorts the rows by cycles, and the launches by number. Launches then know their kernel by its place in the sorted rows. */
static void sort(void)
{
	unsigned *place = hd_xcalloc(hr_device.rows.n, sizeof *place);
	qsort(hr_device.rows.at, hr_device.rows.n, sizeof *hr_device.rows.at, by_cycles);
	for (size_t i = 0; i < hr_device.rows.n; i++)
		place[hr_device.rows.at[i].first] = (unsigned)i;
	for (size_t i = 0; i < hr_device.launched.n; i++)
		hr_device.launched.at[i].kernel = place[hr_device.launched.at[i].kernel];
	if (hr_device.launched.n)
		qsort(hr_device.launched.at, hr_device.launched.n, sizeof *hr_device.launched.at, by_number);
	free(place);
}

/* Runs at the end of the process. The table has no row for commands that still run. */
__attribute__((destructor)) static void write_summary(void)
{
	pthread_mutex_lock(&hr_lock);
	if (hr_device.summary && hr_device.rows.n) {
		char all_name[] = "(all)";
		hr_summary_row all = {.kernel = all_name, .source_name = all_name};
		hd_text out = {0};
		bool json = hd_ends_with(hr_device.summary, ".json"), html = hd_ends_with(hr_device.summary, ".html");
		total(&all);
		sort();
		(json ? as_json : html ? as_html : as_text)(&all, &out);
		hr_put_file(hr_device.summary, "w", &out);
		hd_text_free(&out);
	}
	for (size_t i = 0; i < hr_device.rows.n; i++) {
		free(hr_device.rows.at[i].kernel);
		free(hr_device.rows.at[i].source_name);
	}
	hd_vec_free(&hr_device.rows);
	hd_vec_free(&hr_device.launched);
	pthread_mutex_unlock(&hr_lock);
}
