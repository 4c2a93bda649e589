/* Inspection of the last run: counters, reports, and counts by instruction and by source line (heddle/heddle.h). */
#include "api/ceilings.h"
#include "api/state.h"

#include "report/energy_error.h"
#include "report/html/html.h"

#include <sys/resource.h>

bool heddle_stat(const heddle *h, const char *name, uint64_t *value)
{
#define STAT(group, key, doc)                     \
	if (strcmp(name, #group "." #key) == 0) { \
		*value = h->stats.group##_##key;  \
		return true;                      \
	}
#include "launch/stats.def"
#undef STAT
	static const char energy_of[] = "energy_fj.", error_of[] = "energy_uncertainty_fj.";
	bool is_error = strncmp(name, error_of, sizeof error_of - 1) == 0;
	if (!is_error && strncmp(name, energy_of, sizeof energy_of - 1) != 0)
		return false;
	const char *unit = name + (is_error ? sizeof error_of : sizeof energy_of) - 1;
	hd_energy energy = hd_energy_of(&h->machine, &h->stats);
	hd_energy_error error = hd_energy_error_of(&h->machine, &h->stats);
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		if (strcmp(unit, hd_energy_names[i]) != 0)
			continue;
		*value = is_error ? hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i)) : energy.fj[i];
		return true;
	}
	if (strcmp(unit, "total") != 0)
		return false;
	*value = is_error ? hd_energy_error_sum(&error, hd_energy_set_of_all()) : hd_energy_total(&energy);
	return true;
}

const char *heddle_printed(const heddle *h, size_t *n)
{
	if (n)
		*n = h->printed.n;
	return h->printed.at ? h->printed.at : "";
}

hd_profile *hd_api_profile(heddle *h) { return h->profile; }

bool heddle_roofline(heddle *h)
{
	if (!h->has_ceilings)
		h->has_ceilings =
		    hd_machine_validate(&h->machine, h->machine.name, &h->diag) && hd_ceilings_measure(&h->machine, &h->ceilings, &h->diag);
	return h->has_ceilings;
}

double heddle_seconds(const heddle *h) { return h->seconds; }

bool hd_api_report(heddle *h, hd_report *report)
{
	if (!h->ran) {
		hd_error(&h->diag, (hd_pos){0}, "there was no run to report");
		return false;
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	*report = (hd_report){
	    .machine = &h->machine,
	    .settings = h->settings.at ? h->settings.at : "",
	    .kernel = h->kernel,
	    .functional = h->functional,
	    .result = hd_report_result(h->ended),
	    .message = h->trap_text.at ? h->trap_text.at : "",
	    .stats = &h->stats,
	    .energy = &h->energy,
	    .hazards = h->sanitizer ? hd_sanitizer_found(h->sanitizer) : NULL,
	    .races = h->race_detector ? hd_races_found_of(h->race_detector) : NULL,
	    .program = h->program,
	    .input = {h->path, h->source},
	    .profile = h->profile,
	    .seconds = h->seconds,
	    .peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
	    .shared_bytes = hd_launch_shared(&h->launch),
	};
	hd_occupancy_of(&h->machine, &h->launch, &report->occupancy);
	report->ceilings = h->has_ceilings && !h->functional ? &h->ceilings : NULL;
	report->grids = h->tasks;
	report->results = h->results;
	report->n_grids = h->n_tasks;
	memcpy(report->grid, h->launch.grid, sizeof report->grid);
	memcpy(report->block, h->launch.block, sizeof report->block);
	return true;
}

char *heddle_report(heddle *h, heddle_format format)
{
	hd_report report;
	hd_text text = {0};
	if (!hd_api_report(h, &report))
		return NULL;
	if (format == HEDDLE_JSON)
		hd_report_json(&report, &text);
	else if (format == HEDDLE_HTML)
		hd_report_html(&report, &text);
	else
		hd_report_text(&report, &text);
	return text.at;
}

/* -- by instruction and by line ---------------------------------------------------------------------------------------------------------------- */

const char *const *heddle_causes(void)
{
	static const char *const names[] = {
#define STALL(id, name, ...) #name,
#include "launch/stall.def"
#undef STALL
	    NULL};
	return names;
}

static const hd_profile_row nothing;

/* Counts of an instruction; all are 0 without a profile. */
static const hd_profile_row *row_of(const heddle *h, uint32_t word) { return h->profile ? &h->profile->rows[word] : &nothing; }

static heddle_counts counts_of(const hd_profile_row *row)
{
	return (heddle_counts){.issued = row->issued,
	                       .dropped = row->dropped,
	                       .lanes = row->lanes,
	                       .slots = row->slots,
	                       .descheduled = row->descheduled,
	                       .queue_cycles = row->queue_cycles,
	                       .pipe_cycles = row->pipe_cycles,
	                       .sectors = row->sectors,
	                       .lost = row->lost};
}

unsigned heddle_word_count(const heddle *h) { return h->program ? h->program->n_slots : 0; }

bool heddle_instruction_at(heddle *h, unsigned word, heddle_instruction *instruction)
{
	*instruction = (heddle_instruction){.word = word};
	if (word >= heddle_word_count(h) || h->program->slots[word].is_ss)
		return false;
	if (!hd_object_line(h->object, word, &instruction->file, &instruction->line, &instruction->column))
		instruction->file = NULL;
	hd_text_free(&h->text);
	hd_inst_print(&h->text, &h->program->slots[word].inst);
	instruction->text = h->text.at;
	instruction->counts = counts_of(row_of(h, word));
	return true;
}

/* The heat, made when somebody first asks. */
static const hd_heat *heat_of(heddle *h)
{
	if (!h->heat.program && h->program)
		hd_heat_make(&h->heat, h->program, h->profile, &(hd_input){h->path, h->source}, h->stats.run_cycles);
	return &h->heat;
}

unsigned heddle_line_count(heddle *h) { return (unsigned)heat_of(h)->lines.n; }

bool heddle_line_at(heddle *h, unsigned index, heddle_line *line)
{
	const hd_heat *heat = heat_of(h);
	if (index >= heat->lines.n)
		return false;
	const hd_heat_line *from = &heat->lines.at[index];
	*line = (heddle_line){.file = from->file, .line = from->line, .counts = counts_of(&from->sum), .text = from->text};
	return true;
}

char *heddle_listing(heddle *h)
{
	hd_text text = {0};
	if (!h->profile) {
		hd_error(&h->diag, (hd_pos){0}, "there is no listing: heddle_profile must be on before a timed run");
		return NULL;
	}
	hd_profile_listing(h->profile, &(hd_input){h->path, h->source}, h->stats.run_cycles, &text);
	return text.at;
}

char *heddle_assembly(heddle *h)
{
	hd_text text = {0};
	if (!hd_api_has_own_code(h))
		return NULL;
	hd_disassemble(h->object, &text);
	return text.at;
}
