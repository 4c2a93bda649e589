#include "cli/sweep_launch.h"

#include "backend_heddle.h"
#include "cli/launch_list.h"
#include "report/energy_error.h"
#include "study/points.h"

#include <inttypes.h>

enum { PROGRAM_MAX = 256 << 20 };

void hd_sweep_outcome_status(hd_sweep_outcome *outcome, const char *status) { snprintf(outcome->status, sizeof outcome->status, "%s", status); }

void hd_sweep_outcome_measured(hd_sweep_outcome *outcome, const hd_machine *machine, const hd_stats *stats)
{
	outcome->measured = true;
	outcome->stats = *stats;
	outcome->energy = hd_energy_of(machine, stats);
	hd_energy_error error = hd_energy_error_of(machine, stats);
	outcome->energy_uncertainty_fj = hd_energy_error_sum(&error, hd_energy_set_of_all());
}

static uint64_t code_bytes(const hd_object *object) { return (uint64_t)hd_geometries[object->geometry].word_bytes * object->code.n; }

/* The status of a run that ended like this. */
static const char *status_of(hd_trap_kind kind)
{
	switch (kind) {
	case HD_TRAP_NONE:
		return "done";
	case HD_TRAP_DEADLOCK:
		return "deadlock";
	case HD_TRAP_CYCLES:
		return "limit";
	default:
		return "trap";
	}
}

/* -- launches as on the command line -------------------------------------------------------------------------------------------------------- */

/* Cuts the line into words, which hd_launching_option takes. */
static bool parse_line(hd_sweep_launch *launch, hd_launching *into)
{
	const hd_pos *pos = &launch->from->pos;
	hd_options options = {.command = HD_COMMAND_LAUNCH_LINE,
	                      .argc = launch->n_words,
	                      .argv = launch->words,
	                      .file = pos->file,
	                      .line = pos->line,
	                      .columns = launch->columns};
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;)
		if (hd_launching_option(into, &options, option) != HD_TAKEN)
			return false;
	options.at = 0;
	if (into->program.settings.n)
		return hd_options_refuse(&options, "--set in a launch of a study, expected an axis");
	return into->program.input || hd_options_refuse(&options, "no input, expected a .cl, .cu, .spv, .ptx, .hasm or .hko file");
}

/* Takes the program's text, so that clang runs once for all machines: PTX, or the file as it is. */
static bool take_program(hd_sweep_launch *launch, hd_diag *diag)
{
	const hd_program_options *program = &launch->launching.program;
	bool source = hd_ends_with(program->input, ".cl") || hd_ends_with(program->input, ".cu") || hd_ends_with(program->input, ".spv");
	hd_machine machine;
	hd_machine_default(&machine);
	hd_text_printf(&launch->name, "%s%s", program->input, source ? ".ptx" : "");
	if (source)
		return hd_build_stage(program->input, HD_STAGE_PTX, &(hd_build_options){.machine = &machine, .arguments = program->arguments},
		                      &launch->text, diag);
	size_t size;
	char *text = hd_read_file(program->input, PROGRAM_MAX, &size, diag);
	if (text)
		hd_text_put(&launch->text, text, size);
	free(text);
	return text != NULL;
}

/* Builds and places the launch once, on the first machine of the study: what is wrong with it is bad input, not a run. */
static bool try_line(hd_sweep_launch *launch, const hd_plan *plan)
{
	hd_launching tried = {0};
	heddle *h = heddle_new();
	bool ok = parse_line(launch, &tried);
	if (ok) {
		ok = hd_launching_build(&tried, plan->axes.at[0].values.at[0].text, h) && hd_launching_place(&tried, h) &&
		     hd_api_check_launch(h, &tried.launch);
		if (ok && tried.launch.kernel)
			launch->symbol = hd_xstrdup(tried.launch.kernel);
		hd_launch_list_place(hd_api_diag(h), 0, launch->from->pos.file, launch->from->pos.line);
		hd_flush(hd_api_diag(h));
	}
	hd_launching_free(&tried);
	heddle_free(h);
	return ok;
}

void hd_sweep_digest_setting(hd_digest *digest, const char *name, const char *usual)
{
	const char *value = getenv(name);
	hd_digest_text(digest, value && strcmp(value, usual) == 0 ? NULL : value);
}

static bool digest_line(hd_sweep_launch *launch, hd_diag *diag)
{
	const heddle_launch *l = &launch->launching.launch;
	hd_digest inputs, all;
	hd_digest_of(launch->text.at, launch->text.n, launch->program);
	hd_digest_begin(&inputs);
	for (size_t i = 0; i < launch->launching.operands.n; i++) {
		const hd_operand *operand = &launch->launching.operands.at[i];
		char content[HD_DIGEST_TEXT] = "";
		if (operand->input && !hd_digest_file(operand->input, content, diag))
			return false;
		/* Of files the content counts, not the name. */
		hd_digest_text(&inputs, operand->output && !operand->input ? strchr(operand->text + 4, ':') : *content ? "file" : operand->text);
		hd_digest_text(&inputs, content);
		hd_digest_number(&inputs, operand->output != NULL);
	}
	hd_digest_end(&inputs, launch->inputs);
	hd_digest_begin(&all);
	hd_digest_text(&all, launch->program);
	hd_digest_text(&all, launch->inputs);
	hd_digest_text(&all, launch->symbol);
	for (int i = 0; i < 3; i++) {
		hd_digest_number(&all, l->grid[i]);
		hd_digest_number(&all, l->block[i]);
		hd_digest_number(&all, l->offset[i]);
	}
	hd_digest_number(&all, l->dynamic_shared);
	hd_digest_number(&all, l->max_cycles);
	hd_digest_number(&all, launch->launching.program.serial);
	hd_digest_number(&all, launch->launching.unproven);
	hd_sweep_digest_setting(&all, "HEDDLE_BOUNDS", "trap");
	hd_digest_end(&all, launch->id);
	return true;
}

static bool cut_words(hd_sweep_launch *launch, hd_diag *diag)
{
	launch->words_text = hd_xstrdup(launch->from->text);
	launch->words = hd_xcalloc(HD_LAUNCH_WORDS_MAX + 1, sizeof *launch->words);
	launch->columns = hd_xcalloc(HD_LAUNCH_WORDS_MAX + 1, sizeof *launch->columns);
	if (!hd_launch_list_cut(launch->words_text, launch->words, launch->columns, &launch->n_words) || !launch->n_words) {
		hd_error(diag, launch->from->pos, "has no word, a quote without its partner, or more than %d words", HD_LAUNCH_WORDS_MAX);
		return false;
	}
	launch->words[launch->n_words] = NULL;
	for (int i = 0; i < launch->n_words; i++)
		launch->columns[i] += launch->from->pos.column - 1;
	return true;
}

static bool prepare_line(hd_sweep_launch *launch, const hd_plan *plan, hd_diag *diag)
{
	launch->kind = "launch";
	return cut_words(launch, diag) && parse_line(launch, &launch->launching) && try_line(launch, plan) && take_program(launch, diag) &&
	       digest_line(launch, diag);
}

static void digest_outputs(const hd_launching *launching, char text[HD_DIGEST_TEXT])
{
	hd_digest digest;
	bool any = false;
	hd_digest_begin(&digest);
	for (size_t i = 0; i < launching->operands.n; i++) {
		const hd_operand *operand = &launching->operands.at[i];
		if (!operand->output)
			continue;
		any = true;
		hd_digest_number(&digest, operand->content.count);
		hd_digest_add(&digest, operand->content.data, operand->content.count * operand->content.bytes);
	}
	hd_digest_end(&digest, text);
	if (!any)
		text[0] = '\0';
}

static bool set_machine(const hd_plan *plan, const int *choice, heddle *h)
{
	bool ok = heddle_config(h, plan->axes.at[0].values.at[choice[0] < 0 ? 0 : choice[0]].text);
	for (size_t i = 1; ok && i < plan->axes.n; i++) {
		const hd_axis_value *value = choice[i] < 0 ? NULL : &plan->axes.at[i].values.at[choice[i]];
		for (size_t k = 0; value && ok && k < value->settings.n; k++) {
			hd_text text = {0};
			hd_text_printf(&text, "%s=%s", value->settings.at[k].key.path, value->settings.at[k].value);
			ok = heddle_set(h, text.at);
			hd_text_free(&text);
		}
	}
	return ok;
}

static void run_line(hd_sweep_launch *launch, const hd_plan *plan, const int *choice, hd_sweep_outcome *outcome, hd_text *message)
{
	hd_launching *l = &launch->launching;
	heddle *h = heddle_new();
	heddle_build_options build = {.serial = l->program.serial, .unproven = l->unproven};
	heddle_status status = HEDDLE_BAD_INPUT;
	l->launch.kernel = launch->symbol;
	l->any_type = true; /* the types were looked at once, with the source at hand */
	if (set_machine(plan, choice, h) && heddle_build_text(h, launch->name.at, launch->text.at, launch->text.n, &build) &&
	    hd_launching_place(l, h)) {
		if (plan->cycles && (!l->launch.max_cycles || plan->cycles < l->launch.max_cycles))
			l->launch.max_cycles = plan->cycles;
		status = heddle_run(h, &l->launch);
	}
	if (status == HEDDLE_BAD_INPUT) {
		hd_sweep_outcome_status(outcome, "refused");
	} else {
		const char *result = hd_api_result(h);
		hd_sweep_outcome_measured(outcome, hd_api_machine(h), hd_api_stats(h));
		outcome->code_bytes = code_bytes(hd_api_program(h)->object);
		hd_sweep_outcome_status(outcome, strcmp(result, "done") == 0          ? "done"
		                                 : strcmp(result, "deadlock") == 0    ? "deadlock"
		                                 : strcmp(result, "cycle_limit") == 0 ? "limit"
		                                                                      : "trap");
		if (status == HEDDLE_DONE && hd_launching_fetch(l, h))
			digest_outputs(l, outcome->outputs);
	}
	hd_text_printf(message, "%s", heddle_messages(h));
	heddle_free(h);
}

/* -- examples ------------------------------------------------------------------------------------------------------------------------------- */

/* A back end that runs nothing and takes the digest of all that the host program gives it. */
static bool dry_create(void *state, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	hd_digest_number(state, bytes);
	if (initial)
		hd_digest_add(state, initial, bytes);
	return true;
}

static bool dry_read(void *state, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	memset(into, 0, bytes);
	return true;
}

static bool dry_write(void *state, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	hd_digest_number(state, buffer);
	hd_digest_add(state, from, bytes);
	return true;
}

static bool dry_launch(void *state, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	hd_digest_text(state, kernel);
	for (int i = 0; i < 3; i++) {
		hd_digest_number(state, shape->groups[i]);
		hd_digest_number(state, shape->local[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		hd_digest_number(state, (uint64_t)args[i].kind);
		hd_digest_number(state, args[i].kind == EX_BUFFER ? args[i].buffer : args[i].size);
		if (args[i].kind == EX_VALUE)
			hd_digest_add(state, args[i].value, args[i].size);
	}
	return true;
}

static void digest_example(hd_sweep_launch *launch)
{
	hd_digest inputs, all;
	ex_run run;
	hd_diag unused = {0};
	ex_backend dry = {.state = &inputs, .create = dry_create, .read = dry_read, .write = dry_write, .launch = dry_launch};
	hd_digest_begin(&inputs);
	ex_run_example(&run, launch->example, launch->size, &dry, &unused);
	ex_run_free(&run);
	hd_diag_free(&unused);
	hd_digest_end(&inputs, launch->inputs);
	hd_digest_of(launch->text.at, launch->text.n, launch->program);
	hd_digest_begin(&all);
	hd_digest_text(&all, launch->example->name);
	hd_digest_number(&all, launch->size);
	hd_digest_text(&all, launch->program);
	hd_digest_text(&all, launch->inputs);
	hd_digest_end(&all, launch->id);
}

static bool unknown_example(const hd_sweep_launch *launch, const char *name, hd_diag *diag)
{
	hd_suggestion suggestion = {.word = name};
	for (const ex_example *const *e = ex_examples; *e; e++)
		hd_suggest(&suggestion, (*e)->name);
	char *hint = hd_suggestion_text(&suggestion);
	hd_error(diag, launch->from->pos, "there is no example '%.60s'%s", name, *hint ? hint : ", expected a name of examples/README.md and a size");
	free(hint);
	return false;
}

/* "NAME" or "NAME SIZE". */
static bool prepare_example(hd_sweep_launch *launch, hd_diag *diag)
{
	char name[64];
	const char *text = launch->from->text;
	size_t length = strcspn(text, " ");
	uint64_t size = 0;
	snprintf(name, sizeof name, "%.*s", (int)hd_min_u64(length, sizeof name - 1), text);
	launch->example = ex_find(name);
	if (!launch->example)
		return unknown_example(launch, name, diag);
	launch->kind = launch->example->unstructured ? "unstructured" : "regular";
	text += length + strspn(text + length, " ");
	if (*text && hd_read_number(text, strlen(text), EX_SIZES_MAX - 1, &size) != HD_NUMBER_GOOD)
		size = EX_SIZES_MAX;
	unsigned sizes = 0;
	while (sizes < EX_SIZES_MAX && launch->example->sizes[sizes])
		sizes++;
	if (size >= sizes) {
		hd_error(diag, launch->from->pos, "example %s has no size '%.20s', expected a number below %u", name, text, sizes);
		return false;
	}
	launch->size = (unsigned)size;
	hd_machine machine;
	hd_machine_default(&machine);
	const char *source = ex_source_text(launch->example->source);
	hd_invariant(source, "example %s has no source", name);
	hd_text_printf(&launch->name, "%s", launch->example->source);
	hd_build_options build = {.machine = &machine, .text = source, .text_size = strlen(source)};
	if (!hd_build_stage(launch->example->source, HD_STAGE_PTX, &build, &launch->text, diag))
		return false;
	digest_example(launch);
	return true;
}

static void run_example(const hd_sweep_launch *launch, const hd_plan *plan, const hd_machine *machine, hd_sweep_outcome *outcome, hd_text *message)
{
	hd_diag diag = {0};
	ex_run run = {0};
	hd_object *object = ex_heddle_compile_ptx(launch->text.at, launch->text.n, launch->name.at, machine, false, &diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, &diag) : NULL;
	hd_sweep_outcome_status(outcome, "refused");
	if (backend) {
		if (plan->cycles)
			ex_heddle_options(backend)->max_cycles = plan->cycles;
		bool right = ex_run_example(&run, launch->example, launch->size, backend, &diag);
		hd_trap_kind ended = ex_heddle_ended(backend);
		hd_sweep_outcome_status(outcome, right || ended != HD_TRAP_NONE ? status_of(ended) : "wrong");
		hd_sweep_outcome_measured(outcome, machine, ex_heddle_stats(backend));
		outcome->code_bytes = code_bytes(object);
		hd_digest digest;
		hd_digest_begin(&digest);
		for (size_t i = 0; i < run.outputs.n; i++)
			hd_digest_add(&digest, run.outputs.at[i].bytes, run.outputs.at[i].n);
		hd_digest_end(&digest, outcome->outputs);
		ex_run_free(&run);
	}
	ex_heddle_free(backend);
	if (object)
		hd_object_free(object);
	hd_text_printf(message, "%s", diag.text.at ? diag.text.at : "");
	hd_diag_free(&diag);
}

/* Adds an example in this size, or in its largest one below. */
static void add_example(hd_plan *plan, const hd_plan_launch *from, const char *name, const ex_example *example, uint64_t size)
{
	hd_plan_launch launch = *from;
	hd_text text = {0};
	while (size && !example->sizes[size])
		size--;
	hd_text_printf(&text, "%s %llu", example->name, (unsigned long long)size);
	launch.text = hd_arena_strndup(&plan->arena, text.at, text.n);
	launch.name = name;
	hd_vec_push(&plan->launches, launch);
	hd_text_free(&text);
}

/* Whether a list with commas has a name. */
static bool lists(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/* "every SIZE". */
static bool is_every(const char *text, uint64_t *size)
{
	return strncmp(text, "every ", 6) == 0 && hd_read_number(text + 6, strlen(text + 6), EX_SIZES_MAX - 1, size) == HD_NUMBER_GOOD;
}

bool hd_sweep_launch_choose(hd_plan *plan, unsigned sizes, const char *only, hd_diag *diag)
{
	hd_plan all = *plan;
	memset(&plan->launches, 0, sizeof plan->launches);
	for (size_t i = 0; i < all.launches.n; i++) {
		const hd_plan_launch *from = &all.launches.at[i];
		uint64_t size = 0;
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(from->text, " "), from->text);
		const ex_example *example = from->kind == HD_LAUNCH_EXAMPLE ? ex_find(name) : NULL;
		if (from->kind == HD_LAUNCH_EXAMPLE && is_every(from->text, &size)) {
			for (const ex_example *const *e = ex_examples; *e; e++)
				if (!only || lists(only, (*e)->name))
					add_example(plan, from, (*e)->name, *e, sizes && size >= sizes ? sizes - 1 : size);
		} else if (only && !lists(only, from->name) && !(example && lists(only, name))) {
			continue;
		} else if (example && sizes && sscanf(from->text, "%*s %" SCNu64, &size) == 1 && size >= sizes) {
			add_example(plan, from, from->name, example, sizes - 1);
		} else {
			hd_vec_push(&plan->launches, *from);
		}
	}
	hd_vec_free(&all.launches);
	if (!plan->launches.n)
		hd_error(diag, (hd_pos){.file = plan->file}, "has no launch %.60s", only ? only : "");
	return plan->launches.n;
}

/* -- all kinds ------------------------------------------------------------------------------------------------------------------------------ */

bool hd_sweep_launch_prepare(hd_sweep_launch *launch, const hd_plan *plan, const hd_plan_launch *from)
{
	hd_diag diag = {0};
	*launch = (hd_sweep_launch){.from = from};
	bool ok = false;
	if (from->kind == HD_LAUNCH_EXAMPLE) {
		ok = prepare_example(launch, &diag);
	} else if (from->kind == HD_LAUNCH_LINE) {
		ok = prepare_line(launch, plan, &diag);
	} else {
		launch->kind = "application";
		ok = cut_words(launch, &diag) && hd_sweep_command_prepare(launch, plan, &diag);
	}
	hd_flush(&diag);
	return ok;
}

void hd_sweep_launch_free(hd_sweep_launch *launch)
{
	hd_launching_free(&launch->launching);
	hd_text_free(&launch->name);
	hd_text_free(&launch->text);
	free(launch->symbol);
	free(launch->words_text);
	free(launch->words);
	free(launch->columns);
}

void hd_sweep_launch_run(hd_sweep_launch *launch, const hd_plan *plan, const int *choice, const char *folder, hd_sweep_outcome *outcome,
                         hd_text *message)
{
	hd_machine machine;
	hd_diag diag = {0};
	*outcome = (hd_sweep_outcome){0};
	if (!hd_plan_machine(plan, choice, &machine, &diag)) {
		hd_sweep_outcome_status(outcome, "refused");
		hd_text_printf(message, "%s", diag.text.at ? diag.text.at : "");
	} else if (launch->from->kind == HD_LAUNCH_LINE) {
		run_line(launch, plan, choice, outcome, message);
	} else if (launch->from->kind == HD_LAUNCH_EXAMPLE) {
		run_example(launch, plan, &machine, outcome, message);
	} else {
		hd_sweep_command_run(launch, plan, &machine, folder, outcome, message);
	}
	hd_diag_free(&diag);
}
