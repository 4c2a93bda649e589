/* heddle-record [OPTION]... EXAMPLE FILE: runs an example on the timed machine and writes what goes into and out of the units of one scheduler (HW-4,
 * recording.h). rtl/run.py replay compares the hardware description with it.
 *
 *   --list               prints the names of the examples, and does nothing else
 *   --machine M          a preset or a YAML file; the default machine without it
 *   --set KEY=VALUE      changes one key of the machine; may be repeated
 *   --size N             size of the example, 0 (default) is the smallest; an example with fewer sizes runs with its last one
 *   --scheduler C.S      the scheduler S of core C; default 0.0
 *   --cycles N           records at most about N cycles; the run goes on to its end
 *
 * HEDDLE_SOURCE names the folder that holds examples/. Exit status: 0, 1 on failure, 2 on bad usage. */
#include "recording.h"

#include "backend_heddle.h"
#include "base/output.h"
#include "core/issue/scoreboard.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct writer {
	hd_recorder recorder; /* first */
	FILE *out;
	uint64_t ticks, most, events;
	bool over;
} writer;

static void write_event(hd_recorder *recorder, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	writer *w = (writer *)recorder;
	hd_invariant(n == recording_values(kind), "event %d has %u values, its row has %u", (int)kind, n, recording_values(kind));
	if (kind == HD_RECORD_TICK)
		w->over = w->ticks++ >= w->most;
	if (w->over)
		return;
	w->events++;
	putc((int)kind, w->out);
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = values[i];
		for (; value > 127; value >>= 7)
			putc((int)(value & 127) | 128, w->out);
		putc((int)value, w->out);
	}
}

/* Machines that no module of rtl/ describes. A recording of one would only show that it differs. */
static bool counts_otherwise(const hd_machine *m) { return m->fence_unit != HD_UNIT_GROUP; }

static bool has_other_groups(const hd_machine *m) { return m->fence_group_lanes != 4; }

static bool publishes_seldom(const hd_machine *m) { return m->fence_status_period != 1; }

static bool has_no_active_logic(const hd_machine *m) { return !m->fence_active_logic; }

static bool shares_queues(const hd_machine *m) { return m->multi_issue_queues == HD_QUEUES_SHARED; }

static const struct refusal {
	const char *key, *expected, *why;
	bool (*holds)(const hd_machine *);
} refusals[] = {
    {"fence.unit", "group", "fence_counters.sv counts lane groups", counts_otherwise},
    {"fence.group_lanes", "4", "a lane group of active_logic.sv has 4 lanes", has_other_groups},
    {"fence.status_period", "1", "fence_counters.sv shows its flags in each cycle", publishes_seldom},
    {"fence.active_logic", "true", "active_logic.sv drops what has no active lane", has_no_active_logic},
    {"multi_issue.queues", "typed", "issue_queue.sv is the queue of one pipe", shares_queues},
};

/* False, with an error for each key, if the modules cannot do what the machine does. A scoreboard's machine has nothing of the rows of `refusals`. */
static bool can_be_replayed(const hd_machine *m, hd_diag *diag)
{
	unsigned before = diag->errors;
	bool fence = m->fence_mode == HD_DEP_FENCE;
	for (unsigned i = 0; fence && i < HD_COUNT(refusals); i++)
		if (refusals[i].holds(m))
			hd_error(diag, (hd_pos){0}, "%s must be %s for a recording: %s", refusals[i].key, refusals[i].expected, refusals[i].why);
	if (m->predecode_speculate)
		hd_error(diag, (hd_pos){0}, "predecode.speculate must be off for a recording: no module predicts branches");
	if (m->machine_shared_pipes)
		hd_error(diag, (hd_pos){0}, "machine.shared_pipes must be none for a recording: issue_queue.sv is the queue of one scheduler");
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (!m->queue[pipe].hazard)
			hd_error(diag, (hd_pos){0}, "queue.%s.hazard must be at least 1 for a recording: issue_queue.sv has a hazard queue",
			         hd_pipe_names[pipe]);
		if (m->copies[pipe] > 1)
			hd_error(diag, (hd_pos){0}, "copies.%s must be 1 for a recording: one instruction leaves issue_queue.sv in a cycle",
			         hd_pipe_names[pipe]);
	}
	return diag->errors == before;
}

/* The sizes that the harness needs (rtl/configurations.py). */
static void write_head(FILE *out, const hd_machine *m)
{
	fprintf(out, RECORDING_MAGIC);
	fprintf(out, "machine.warps %u\nfence.scoreboard %u\n", m->machine_warps, m->fence_mode == HD_DEP_SCOREBOARD);
	fprintf(out, "fence.counters %u\nfence.bits %u\nfence.consumers %u\nfence.wait_counters %u\n", m->fence_counters, m->fence_bits,
	        m->fence_consumers, m->fence_wait_counters);
	fprintf(out, "scoreboard.resources %u\n", HD_SCORE_RESOURCES);
	fprintf(out, "predecode.issue_width %u\nmulti_issue.window %u\nmulti_issue.eligible %u\npipes %u\n", m->predecode_issue_width,
	        m->multi_issue_window, hd_machine_eligible_places(m), HD_PIPE_COUNT);
	fprintf(out, "predecode.priority_bits %u\npredecode.priority.program %u\n", m->predecode_priority_bits,
	        m->predecode_priority == HD_PRIORITY_PROGRAM);
	fprintf(out, "predecode.sort_period %u\npredecode.sort_warps %u\npredecode.sort_whole %u\n", m->predecode_sort_period,
	        m->predecode_sort_warps, m->predecode_sort_whole);
	fprintf(out, "divergence.resume %u\ndivergence.stack %u\ndivergence.flag %u\ndivergence.minrc %u\ndivergence.call_depth %u\n",
	        m->divergence_mode == HD_DIV_RESUME, m->divergence_mode == HD_DIV_STACK && m->divergence_pop == HD_POP_SYNC,
	        m->divergence_membership == HD_MEMBER_FLAG, m->divergence_minrc == HD_MINRC_ON, m->divergence_call_depth);
	fprintf(out, "divergence.taken %u\ndivergence.tokens %u\n", m->divergence_first == HD_FIRST_TAKEN, m->divergence_tokens);
	fprintf(out, "last_use.flags %u\nlast_use.path_b %u\nlast_use.path_a %u\nlast_use.across %u\n", m->last_use_flags, m->last_use_path_b,
	        m->last_use_path_a, m->last_use_across);
	fprintf(out, "last_use.compensation %u\nlast_use.of_warp %u\nlast_use.compensation_share %u\nlast_use.last_result %u\n",
	        m->last_use_compensation, m->last_use_compensation_of == HD_OWNER_WARP, m->last_use_compensation_share, m->last_use_last_result);
	fprintf(out, "register_file.latency %u\n", hd_machine_file_latency(m));
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		unsigned spacing = m->fence_mode == HD_DEP_SCOREBOARD ? 0 : hd_machine_spacing(m, (hd_pipe)pipe);
		fprintf(out, "queue.%u.fifo %u\nqueue.%u.hazard %u\nqueue.%u.spacing %u\n", pipe, m->queue[pipe].fifo, pipe, m->queue[pipe].hazard,
		        pipe, spacing);
	}
	fprintf(out, "\n");
}

static bool record(const ex_example *example, unsigned size, const hd_machine *machine, writer *w, hd_diag *diag)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text source = {0};
	ex_run run = {0};
	while (size > 0 && !example->sizes[size])
		size--;
	hd_text_printf(&source, "%s/examples/%s", root ? root : ".", example->source);
	hd_object *object = ex_heddle_compile(source.at, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	write_head(w->out, machine);
	if (backend)
		ex_heddle_options(backend)->recorder = &w->recorder;
	bool ok = backend && ex_run_example(&run, example, size, backend, diag);
	ex_run_free(&run);
	ex_heddle_free(backend);
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

static int usage(const char *what)
{
	fprintf(stderr,
	        "%s\nusage: heddle-record [--machine M] [--set KEY=VALUE]... [--size N] [--scheduler CORE.SCHEDULER] [--cycles N] EXAMPLE FILE\n",
	        what);
	return 2;
}

int main(int argc, char **argv)
{
	writer w = {.recorder = {.event = write_event}, .most = UINT64_MAX};
	const ex_example *example = NULL;
	const char *path = NULL, *name = NULL, *settings[16];
	unsigned size = 0, n_settings = 0;
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (const ex_example *const *e = ex_examples; *e; e++)
			printf("%s\n", (*e)->name);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;
		if (strcmp(argv[i], "--machine") == 0 && more)
			name = argv[++i];
		else if (strcmp(argv[i], "--set") == 0 && more && n_settings < HD_COUNT(settings))
			settings[n_settings++] = argv[++i];
		else if (strcmp(argv[i], "--size") == 0 && more)
			size = (unsigned)strtoul(argv[++i], NULL, 10) % EX_SIZES_MAX;
		else if (strcmp(argv[i], "--cycles") == 0 && more)
			w.most = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--scheduler") == 0 && more &&
		         sscanf(argv[++i], "%" SCNu32 ".%" SCNu32, &w.recorder.core, &w.recorder.scheduler) == 2)
			continue;
		else if (argv[i][0] == '-' || path)
			return usage("bad argument");
		else if (example)
			path = argv[i];
		else if (!(example = ex_find(argv[i])))
			return usage("no example of this name");
	}
	if (!path)
		return usage("an example and a file must be named");
	hd_diag diag = {0};
	hd_machine machine;
	bool ok = hd_machine_load(&machine, name, &diag);
	for (unsigned i = 0; ok && i < n_settings; i++)
		ok = hd_machine_set(&machine, settings[i], &diag);
	ok = ok && hd_machine_validate(&machine, name, &diag) && can_be_replayed(&machine, &diag);
	w.out = ok ? fopen(path, "wb") : NULL;
	if (ok && !w.out)
		hd_error(&diag, (hd_pos){.file = path}, "cannot be written");
	ok = w.out && record(example, size, &machine, &w, &diag);
	if (w.out && (ferror(w.out) | fclose(w.out))) {
		hd_error(&diag, (hd_pos){.file = path}, "cannot be written");
		ok = false;
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	if (ok)
		printf("%s: %" PRIu64 " cycles, %" PRIu64 " events\n", example->name, w.ticks, w.events);
	return ok ? 0 : 1;
}
