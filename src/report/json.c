#include "config/scheduler_bits.h"
#include "config/state_bits.h"
#include "report/energy_error.h"
#include "report/evenness.h"
#include "report/heat_json.h"
#include "report/json_string.h"
#include "report/report.h"
#include "report/roofline_json.h"

/* Groups of stats.def whose objects have another name in the report. */
static const char *const group_names[][2] = {{"stall", "stall_cycles"}, {"fence", "fence_counters"}, {"pipe", "pipelines"}};

/* Adds a counter to the object of its group. The first counter of a group makes the object, so the report has the order of stats.def. */
static void put(json_t *root, bool functional, const char *group, const char *name, uint64_t value)
{
	json_t *counter = hd_json_counter(functional, group, name, value);
	for (unsigned i = 0; i < HD_COUNT(group_names); i++) {
		if (strcmp(group, group_names[i][0]) == 0)
			group = group_names[i][1];
	}
	json_t *object = json_object_get(root, group);
	if (!object) {
		object = json_object();
		hd_json_set(root, group, object);
	}
	hd_json_set(object, name, counter);
}

static json_t *sizes(const uint32_t size[3]) { return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]); }

static double ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0.0; }

static json_t *divergence_bits(const hd_machine *machine)
{
	hd_state_bits bits;
	hd_state_bits_of(machine, &bits);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "warp", (json_int_t)bits.divergence_warp, "core",
	                 (json_int_t)bits.divergence_core, "lanes", (json_int_t)bits.divergence_lanes, "minrc", (json_int_t)bits.divergence_minrc,
	                 "members", (json_int_t)bits.divergence_members, "calls", (json_int_t)bits.divergence_calls, "tokens",
	                 (json_int_t)bits.divergence_tokens, "gather", (json_int_t)bits.gather_warp, "resume_comparators",
	                 (json_int_t)bits.resume_comparators);
}

/* The state bits of this machine's fence counters, of a scoreboard in their place, and of the candidate window. */
static json_t *state_bits(const hd_machine *machine)
{
	hd_state_bits bits;
	hd_state_bits_of(machine, &bits);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "warp", (json_int_t)bits.fence_warp, "core", (json_int_t)bits.fence_core,
	                 "scoreboard_warp", (json_int_t)bits.scoreboard_warp, "scoreboard_core", (json_int_t)bits.scoreboard_core, "window_warp",
	                 (json_int_t)bits.window_warp, "window_core", (json_int_t)bits.window_core, "window_register_comparators",
	                 (json_int_t)bits.register_comparators, "window_predicate_comparators", (json_int_t)bits.predicate_comparators);
}

/* PD-39: the state bits of a scheduler by pre-decode data, and what a scheduler that decodes ahead keeps in place of `data`. */
static json_t *scheduler_bits(const hd_machine *machine)
{
	hd_scheduler_bits bits = hd_scheduler_bits_of(machine);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "data", (json_int_t)bits.data, "hints", (json_int_t)bits.hints, "order",
	                 (json_int_t)bits.order, "replay", (json_int_t)bits.replay, "replay_operands", (json_int_t)bits.replay_operands, "predictor",
	                 (json_int_t)bits.predictor, "scheduler", (json_int_t)bits.total, "ahead", (json_int_t)bits.ahead);
}

/* The number of CTAs that a core holds at once, the limit that allows no more, and the number that each limit alone would allow (null: not needed).
 */
static json_t *occupancy(const hd_occupancy *o)
{
	static const char *const keys[HD_LIMIT_COUNT] = {"by_ctas", "by_warp_slots", "by_registers", "by_shared_memory", "by_local_memory"};
	json_t *object = json_pack("{s:I, s:I, s:I, s:s}", "ctas", (json_int_t)o->ctas, "warps", (json_int_t)o->warps, "warp_slots",
	                           (json_int_t)o->slots, "limited_by", hd_occupancy_name(o->limit));
	for (unsigned i = 0; i < HD_LIMIT_COUNT; i++)
		hd_json_set(object, keys[i], o->by[i] == HD_UNLIMITED ? json_null() : json_integer(o->by[i]));
	return object;
}

static json_t *picojoule(uint64_t fj) { return json_real((double)fj / 1000.0); }

/* The energy of every unit, zeros included. A script can then see that a mechanism that is off costs nothing. */
static json_t *energy(const hd_report *report)
{
	json_t *units = json_object();
	if (report->functional)
		return units;
	hd_energy all = hd_energy_of(report->machine, report->stats);
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		hd_json_set(units, hd_energy_names[i], picojoule(all.fj[i]));
	hd_json_set(units, "total", picojoule(hd_energy_total(&all)));
	return units;
}

/* One standard deviation of the energy of every unit and of their sum, with the keys of energy_pj (energy_error.h says how they combine). */
static json_t *uncertainty(const hd_report *report)
{
	json_t *units = json_object();
	if (report->functional)
		return units;
	hd_energy_error error = hd_energy_error_of(report->machine, report->stats);
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		hd_json_set(units, hd_energy_names[i], picojoule(hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i))));
	hd_json_set(units, "total", picojoule(hd_energy_error_sum(&error, hd_energy_set_of_all())));
	return units;
}

/* A list of the steps of each unit that was used, and a list of their sums. */
static json_t *over_time(const hd_energy_series *series)
{
	json_t *units = json_object(), *total = json_array();
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		if (!series->so_far.fj[i])
			continue;
		json_t *steps = json_array();
		for (size_t step = 0; step < series->steps.n; step++)
			hd_json_append(steps, picojoule(series->steps.at[step].fj[i]));
		hd_json_set(units, hd_energy_names[i], steps);
	}
	for (size_t step = 0; step < series->steps.n; step++)
		hd_json_append(total, picojoule(hd_energy_total(&series->steps.at[step])));
	hd_json_set(units, "total", total);
	return json_pack("{s:I, s:I, s:o}", "interval", (json_int_t)series->interval, "cycles", (json_int_t)series->cycles, "pj", units);
}

/* The result of each grid of a list (docs/grids.md). */
static json_t *grid_list(const hd_report *report)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < report->n_grids; i++) {
		const hd_task *t = &report->grids[i];
		const hd_task_result *r = &report->results[i];
		json_t *grid = json_pack("{s:o, s:I, s:b, s:b, s:I, s:I, s:I, s:I}", "kernel", hd_json_string(t->launch.kernel->name), "priority",
		                         (json_int_t)t->priority, "queue", t->queue, "ended", r->ended, "ctas", (json_int_t)r->ctas, "children",
		                         (json_int_t)r->children, "pushed", (json_int_t)r->pushed, "evictions", (json_int_t)r->evictions);
		hd_json_set(grid, "ctas_saved", json_integer((json_int_t)r->saved));
		if (!report->functional) {
			hd_json_set(grid, "arrival", json_integer((json_int_t)r->arrival));
			hd_json_set(grid, "begin", json_integer((json_int_t)r->begin));
			hd_json_set(grid, "end", json_integer((json_int_t)r->end));
			hd_json_set(grid, "turnaround", json_integer((json_int_t)(r->ended ? r->end - r->arrival : 0)));
		}
		hd_json_append(list, grid);
	}
	return list;
}

/* An instruction of a violation. A cycle that did not occur, or is no longer known, is null. */
static json_t *moment(const hd_report *report, const hd_moment *m)
{
	hd_text text = {0};
	const char *file;
	uint32_t line, column;
	const struct {
		const char *key;
		uint64_t cycle;
	} cycles[] = {{"issued", m->issued}, {"entered", m->entered}, {"performed", m->performed}, {"written", m->done}};
	hd_inst_print(&text, &report->program->slots[m->word].inst);
	json_t *object = json_pack("{s:I, s:o}", "word", (json_int_t)m->word, "instruction", hd_json_string(text.at));
	hd_text_free(&text);
	if (hd_object_line(report->program->object, m->word, &file, &line, &column)) {
		hd_json_set(object, "file", hd_json_string(file));
		hd_json_set(object, "line", json_integer(line));
		hd_json_set(object, "column", json_integer(column));
	}
	for (unsigned i = 0; i < HD_COUNT(cycles); i++)
		hd_json_set(object, cycles[i].key, cycles[i].cycle ? json_integer((json_int_t)cycles[i].cycle) : json_null());
	return object;
}

/* The violations that the hazard sanitizer found (docs/sanitizer.md). */
static json_t *hazards(const hd_report *report)
{
	json_t *list = json_array();
	for (size_t i = 0; i < report->hazards->list.n; i++) {
		const hd_violation *v = &report->hazards->list.at[i];
		hd_text on = {0};
		char lanes[16];
		hd_violation_resource(&on, v);
		snprintf(lanes, sizeof lanes, "0x%08x", v->lanes);
		json_t *one = json_pack("{s:s, s:o, s:s, s:o, s:o}", "kind", hd_violation_name(v->kind), "on", hd_json_string(on.at), "lanes", lanes,
		                        "first", moment(report, &v->first), "second", moment(report, &v->second));
		hd_json_set(one, "count", json_integer((json_int_t)v->count));
		hd_json_set(one, "core", json_integer(v->core));
		hd_json_set(one, "scheduler", json_integer(v->scheduler));
		hd_json_set(one, "slot", json_integer(v->slot));
		hd_json_set(one, "cta", sizes(v->cta));
		hd_json_set(one, "warp", json_integer(v->warp));
		if (v->kind == HD_VIOLATION_BARRIER)
			hd_json_set(one, "first_warp", json_integer(v->first_warp));
		hd_json_append(list, one);
		hd_text_free(&on);
	}
	return json_pack("{s:I, s:o}", "violations", (json_int_t)report->hazards->total, "list", list);
}

static json_t *race_access(const hd_report *report, const hd_race_access *a)
{
	hd_text text = {0};
	const char *file;
	uint32_t line, column;
	hd_inst_print(&text, &report->program->slots[a->word].inst);
	json_t *object =
	    json_pack("{s:s, s:I, s:o}", "access", hd_race_access_name(a), "word", (json_int_t)a->word, "instruction", hd_json_string(text.at));
	hd_text_free(&text);
	if (hd_object_line(report->program->object, a->word, &file, &line, &column)) {
		hd_json_set(object, "file", hd_json_string(file));
		hd_json_set(object, "line", json_integer(line));
		hd_json_set(object, "column", json_integer(column));
	}
	hd_json_set(object, "kernel", hd_json_string(hd_kernel_name(a->kernel)));
	hd_json_set(object, "cta", sizes(a->cta));
	hd_json_set(object, "thread", sizes(a->thread));
	hd_json_set(object, "warp", json_integer(a->warp));
	hd_json_set(object, "lane", json_integer(a->lane));
	return object;
}

/* The data races of a functional run (docs/sanitizer.md). */
static json_t *races(const hd_report *report)
{
	json_t *list = json_array();
	for (size_t i = 0; i < report->races->list.n; i++) {
		const hd_race *race = &report->races->list.at[i];
		hd_text on = {0};
		hd_race_place(&on, race);
		hd_json_append(list, json_pack("{s:o, s:o, s:o, s:I}", "on", hd_json_string(on.at), "first", race_access(report, &race->first),
		                               "second", race_access(report, &race->second), "count", (json_int_t)race->count));
		hd_text_free(&on);
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "races", (json_int_t)report->races->total, "barriers", (json_int_t)report->races->barriers,
	                 "unwatched", (json_int_t)report->races->unwatched, "widened", (json_int_t)report->races->widened, "list", list);
}

/* The kernel's parameters, with what is known from its source. */
static json_t *parameters(const hd_kernel *kernel)
{
	json_t *list = json_array();
	for (size_t i = 0; i < kernel->params.n; i++) {
		const hd_param *param = &kernel->params.at[i];
		json_t *row = json_pack("{s:o, s:I}", "name", hd_json_string(param->name), "bytes", (json_int_t)param->size);
		if (param->source_type)
			json_object_set_new(row, "type", hd_json_string(param->source_type));
		if (param->element)
			json_object_set_new(row, "element", json_string(hd_element_names[param->element]));
		json_array_append_new(list, row);
	}
	return list;
}

/* The cost of each line and instruction. */
static json_t *heat(const hd_report *report)
{
	hd_heat made;
	hd_heat_make(&made, report->program, report->profile, &report->input, report->stats->run_cycles);
	json_t *object = hd_heat_json(&made);
	hd_heat_free(&made);
	return object;
}

void hd_report_json(const hd_report *report, hd_text *out)
{
	const hd_stats *stats = report->stats;
	json_t *root = json_object();
	hd_json_set(root, "schema", json_string("heddle-report-1"));
	hd_json_set(root, "kernel", hd_json_string(report->kernel->name));
	hd_json_set(root, "kernel_source_name", hd_json_string(hd_kernel_name(report->kernel)));
	hd_json_set(root, "parameters", parameters(report->kernel));
	hd_json_set(root, "config", hd_json_string(report->machine->name));
	hd_json_set(root, "settings", hd_json_string(report->settings));
	hd_json_set(root, "mode", json_string(report->functional ? "functional" : "timed"));
	hd_json_set(root, "result", json_string(report->result));
	hd_json_set(root, "message", hd_json_string(report->message));
	hd_json_set(root, "grid", sizes(report->grid));
	hd_json_set(root, "block", sizes(report->block));
	hd_json_set(root, "registers", json_integer(report->kernel->registers));
	hd_json_set(root, "shared_bytes", json_integer(report->shared_bytes));
	hd_json_set(root, "local_bytes", json_integer(report->kernel->local_bytes));
	if (!report->functional)
		hd_json_set(root, "occupancy", occupancy(&report->occupancy));
	hd_json_set(root, "cycles", hd_json_timed(report->functional, json_integer((json_int_t)stats->run_cycles)));
	hd_json_set(root, "warp_instructions", json_integer((json_int_t)stats->run_warp_instructions));
	hd_json_set(root, "thread_instructions", json_integer((json_int_t)stats->run_thread_instructions));
	hd_json_set(root, "ipc", hd_json_timed(report->functional, json_real(ratio(stats->run_warp_instructions, stats->run_cycles))));
	hd_json_set(root, "simd_efficiency", json_real(ratio(stats->run_thread_instructions, stats->run_lane_slots)));
#define STAT(group, name, doc) put(root, report->functional, #group, #name, stats->group##_##name);
#include "launch/stats.def"
#undef STAT
	hd_json_set(json_object_get(root, "fence_counters"), "state_bits", state_bits(report->machine));
	hd_json_set(json_object_get(root, "predecode"), "state_bits", scheduler_bits(report->machine));
	hd_json_set(json_object_get(root, "divergence"), "state_bits", divergence_bits(report->machine));
	hd_json_set(json_object_get(root, "entry"), "evenness", json_real(hd_evenness(report->machine, stats)));
	if (report->hazards)
		hd_json_set(root, "hazards", hazards(report));
	if (report->races)
		hd_json_set(root, "races", races(report));
	if (report->n_grids > 1)
		hd_json_set(root, "grid_list", grid_list(report));
	hd_json_set(root, "energy_pj", energy(report));
	hd_json_set(root, "energy_uncertainty_pj", uncertainty(report));
	if (report->energy && report->energy->steps.n)
		hd_json_set(root, "energy_over_time", over_time(report->energy));
	if (report->ceilings) {
		hd_roofline_point point = hd_roofline_point_of("", stats);
		hd_json_set(root, "roofline", hd_roofline_json(report->ceilings, &point));
	}
	if (report->profile)
		hd_json_set(root, "heat", heat(report));

	double speed = report->seconds > 0 ? (double)stats->run_warp_instructions / report->seconds : 0;
	hd_json_set(root, "host",
	            json_pack("{s:f, s:f, s:I}", "seconds", report->seconds, "warp_instructions_per_second", speed, "peak_rss_bytes",
	                      (json_int_t)report->peak_rss_bytes));
	hd_json_dump(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15), out);
	json_decref(root);
}
