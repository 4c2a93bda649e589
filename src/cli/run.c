/* heddle run: build, place the arguments, launch, write outputs and report. */
#include "base/team.h"
#include "cli/color.h"
#include "cli/grid_list.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cli/result.h"

#include "report/html/html.h"

enum { TRACES_MAX = 8, REPEATS_MAX = 1000 };

typedef struct running {
	const char *report, *listing, *launches;
	hd_grid_list_file list; /* of --launches */
	struct {
		hd_trace_format format;
		const char *path;
	} traces[TRACES_MAX];
	unsigned n_traces;
	bool limited;
	hd_trace_limits limits;
	hd_output_set outputs;
	bool hazards, races, quiet, lines, roofline;
	uint32_t races_mib;          /* 0: the default */
	uint32_t repeat;             /* 0: without --repeat */
	heddle_grid_result *results; /* of each repetition */
	hd_launching launching;
} running;

static bool add_trace(running *r, hd_trace_format format, const char *path)
{
	if (r->n_traces == TRACES_MAX) {
		hd_usage("run: more than %d traces", TRACES_MAX);
		return false;
	}
	r->traces[r->n_traces].format = format;
	r->traces[r->n_traces++].path = path;
	return true;
}

static bool parse_trace(running *r, const char *text)
{
	hd_trace_format format;
	const char *path;
	if (hd_trace_parse(text, &format, &path))
		return add_trace(r, format, path);
	return hd_refuse_choice("run", "--trace", text,
	                        "konata: perfetto: vcd: stages: explore:", "konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE or explore:FILE");
}

/* An option that only run has. */
static bool parse_own(running *r, hd_option_id option, const char *value)
{
	switch (option) {
	case HD_OPTION_FUNCTIONAL:
		r->launching.launch.functional = true;
		return true;
	case HD_OPTION_THREADS:
		return hd_option_number("run", "--threads", value, 1, HD_THREADS_MAX, &r->launching.launch.threads);
	case HD_OPTION_REPEAT:
		return hd_option_number("run", "--repeat", value, 1, REPEATS_MAX, &r->repeat);
	case HD_OPTION_HAZARDS:
		r->hazards = true;
		return true;
	case HD_OPTION_RACES:
		r->races = true;
		return true;
	case HD_OPTION_RACES_MEMORY:
		return hd_option_number("run", "--races-memory", value, 1, UINT32_MAX, &r->races_mib);
	case HD_OPTION_LINES_RUN:
		r->lines = true;
		return true;
	case HD_OPTION_ROOFLINE_RUN:
		r->roofline = true;
		return true;
	case HD_OPTION_QUIET_RUN:
		r->quiet = true;
		return true;
	case HD_OPTION_REPORT_RUN:
		return hd_option_report("run", value, ".txt, .json or .html, or -", &r->report);
	case HD_OPTION_LISTING:
		r->listing = value;
		return true;
	case HD_OPTION_LAUNCHES_RUN:
		r->launches = value;
		return true;
	case HD_OPTION_EXPLORE_RUN:
		return add_trace(r, HD_TRACE_EXPLORE, value);
	case HD_OPTION_TRACE:
		return parse_trace(r, value);
	case HD_OPTION_TRACE_CYCLES:
	case HD_OPTION_TRACE_CORE:
	case HD_OPTION_TRACE_WARP:
		r->limited = true;
		return hd_option_limit("run", option, value, &r->limits);
	default:
		hd_panic("option %u of run is not handled", (unsigned)option);
	}
}

static bool parse(running *r, int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_RUN, .argc = argc, .argv = argv};
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;) {
		hd_taken taken = hd_launching_option(&r->launching, &options, option);
		if (taken == HD_REFUSED || (taken == HD_NOT_MINE && !parse_own(r, option, options.value)))
			return false;
	}
	if (!r->launching.program.input)
		hd_usage("run: no input, expected a .cl, .cu, .spv, .ptx, .hasm or .hko file");
	const hd_launching *l = &r->launching;
	if (r->launches && (l->operands.n || l->launch.kernel || l->launch.grid[0] || l->launch.block[0] || l->launch.dynamic_shared)) {
		hd_usage("run: --kernel, --grid, --block, --shared and --arg stand in the lines of %s, not beside --launches", r->launches);
		return false;
	}
	if (r->launches && r->repeat) {
		hd_usage("run: --repeat beside --launches, whose lines can repeat a launch");
		return false;
	}
	return l->program.input && (!r->launches || hd_grid_list_parse(&r->list, r->launches));
}

static bool put(running *r, heddle *h, const char *path, const hd_text *text)
{
	return hd_output_put(&r->outputs, path, text->at, text->n, hd_api_diag(h));
}

static bool write_report(running *r, heddle *h)
{
	hd_text page = {0};
	bool ok = true;
	if (r->listing) {
		hd_profile_listing(hd_api_profile(h), &(hd_input){.path = r->launching.program.input}, hd_api_stats(h)->run_cycles, &page);
		ok = put(r, h, r->listing, &page);
		hd_text_free(&page);
	}
	if (!r->report)
		return ok;
	bool html = hd_ends_with(r->report, ".html");
	hd_report report;
	if (!hd_api_report(h, &report))
		return false;
	if (html)
		hd_report_html(&report, &page);
	else
		(hd_ends_with(r->report, ".json") ? hd_report_json : hd_report_text)(&report, &page);
	ok &= put(r, h, r->report, &page);
	hd_text_free(&page);
	return ok;
}

static bool ask_for_traces(running *r, heddle *h)
{
	const hd_machine *m = hd_api_machine(h);
	if (r->limits.core != HD_TRACE_ALL && r->limits.core >= hd_machine_cores(m)) {
		hd_usage("run: --trace-core cannot be %u, the machine has %u cores", r->limits.core, hd_machine_cores(m));
		return false;
	}
	if ((r->limits.scheduler != HD_TRACE_ALL && r->limits.scheduler >= m->machine_schedulers) ||
	    (r->limits.slot != HD_TRACE_ALL && r->limits.slot >= m->machine_warps)) {
		hd_usage("run: --trace-warp names no warp, a core has %u schedulers of %u warp slots", m->machine_schedulers, m->machine_warps);
		return false;
	}
	hd_api_traces_into(h, &r->outputs);
	for (unsigned i = 0; i < r->n_traces; i++)
		if (!hd_api_trace_add(h, r->traces[i].format, r->traces[i].path, &r->limits))
			return false;
	return true;
}

/* Turns on counts instruction by instruction only where an option asks for them, because they cost time. */
static bool watch(running *r, heddle *h)
{
	bool functional = r->launching.launch.functional;
	if (r->roofline && functional) {
		hd_usage("run: --roofline shows operations a cycle, which a --functional run has none of");
		return false;
	}
	if (r->roofline && !r->report) {
		hd_usage("run: --roofline without --report FILE");
		return false;
	}
	if (r->lines && functional) {
		hd_usage("run: --lines counts issue slots, which a --functional run has none of");
		return false;
	}
	if (r->lines && !r->report) {
		hd_usage("run: --lines without --report FILE");
		return false;
	}
	if (r->listing && functional) {
		hd_usage("run: --listing counts issue slots, which a --functional run has none of");
		return false;
	}
	if (r->n_traces && functional) {
		hd_usage("run: --%s shows cycles, which a --functional run has none of",
		         r->traces[0].format == HD_TRACE_EXPLORE ? "explore" : "trace");
		return false;
	}
	if (r->hazards && functional) {
		hd_usage("run: --hazards watches what happens in which cycle, which a --functional run has none of");
		return false;
	}
	if (r->races && !functional) {
		hd_usage("run: --races looks at the order of accesses in the interpreter, expected --functional beside it");
		return false;
	}
	if (r->races_mib && !r->races) {
		hd_usage("run: --races-memory without --races");
		return false;
	}
	if (r->limited && !r->n_traces) {
		hd_usage("run: limits of a trace without --trace KIND:FILE");
		return false;
	}
	heddle_profile(h, !functional && (r->lines || r->listing || (r->report && hd_ends_with(r->report, ".html"))));
	heddle_hazards(h, r->hazards);
	if (r->roofline && !heddle_roofline(h))
		return false;
	return ask_for_traces(r, h);
}

/* Arguments that are outputs. */
static bool save(running *r, heddle *h)
{
	if (!hd_launching_fetch(&r->launching, h) || !hd_launching_save(&r->launching, &r->outputs, hd_api_diag(h)))
		return false;
	return !r->launches || (hd_grid_list_fetch(&r->list, h) && hd_grid_list_save(&r->list, &r->outputs, hd_api_diag(h)));
}

/* The short answer, where no report was asked for. It goes to standard error, because standard output has what the kernel printed. */
static void put_result(const running *r, heddle *h)
{
	hd_report report;
	hd_text text = {0};
	bool color = hd_color_on(stderr), written = false;
	if (r->report || r->quiet || !hd_api_report(h, &report))
		return;
	hd_result_title(&text, &report, color);
	for (unsigned i = 0; i < r->repeat && r->results && !report.functional; i++) {
		char cycles[32];
		if (r->results[i].ended)
			hd_text_printf(&text, "  launch %u: %s cycles\n", i + 1,
			               hd_grouped_digits(r->results[i].end - r->results[i].begin + 1, cycles));
	}
	if (r->launches)
		hd_grid_list_result(&r->list, h, &text);
	else if (strcmp(report.result, "done") == 0)
		hd_result_outputs(&text, &r->launching, report.kernel, h);
	for (size_t i = 0; i < r->launching.operands.n; i++)
		written |= r->launching.operands.at[i].output != NULL;
	hd_result_time(&text, &report, color);
	const char *dim = hd_color_begin(HD_STYLE_DIM, color), *end = hd_color_end(color);
	if (!r->launches && !written && r->launching.operands.n)
		hd_text_printf(&text, "%sNo array was kept; --arg out:FILE.npy:TYPE:COUNT in the place of an array writes it.%s\n", dim, end);
	if (!report.functional)
		hd_text_printf(&text, "%s--report - prints all counters; --report page.html shows them by source line; --quiet prints nothing.%s\n",
		               dim, end);
	fputs(text.at, stderr);
	hd_text_free(&text);
}

/* Each launch begins when the one before has ended. */
static heddle_status repeat(running *r, heddle *h)
{
	unsigned n = (unsigned)r->repeat, *before = hd_xcalloc(n, sizeof *before);
	heddle_grid *grids = hd_xcalloc(n, sizeof *grids);
	r->results = hd_xcalloc(n, sizeof *r->results);
	for (unsigned i = 0; i < n; i++) {
		before[i] = i - 1;
		grids[i] = (heddle_grid){.launch = r->launching.launch, .after = &before[i], .n_after = i > 0};
	}
	heddle_status status = heddle_run_grids(h, grids, n, r->results);
	free(grids);
	free(before);
	return status;
}

static heddle_status launch(running *r, heddle *h)
{
	if (r->launches)
		return heddle_run_grids(h, r->list.grids, r->list.n, NULL);
	return r->repeat ? repeat(r, h) : heddle_run(h, &r->launching.launch);
}

static int run(running *r, heddle *h)
{
	hd_progress progress;
	hd_launching *launching = &r->launching;
	launching->launch.poll = hd_progress_poll;
	launching->launch.context = &progress;
	hd_progress_work work;
	hd_api_on_stage(h, hd_progress_work_step, &work);
	hd_progress_work_begin(&work, "compiling", launching->program.input);
	heddle_races(h, r->races, (uint64_t)r->races_mib << 20);
	bool built = hd_launching_build(launching, launching->program.config, h);
	hd_progress_work_end(&work);
	if (!built || !(r->launches ? hd_grid_list_place(&r->list, h, &launching->launch) : hd_launching_place(launching, h)) || !watch(r, h))
		return HD_EXIT_USAGE;
	hd_progress_begin(&progress, launching->launch.functional);
	heddle_status status = launch(r, h);
	hd_progress_end(&progress);
	size_t n;
	const char *printed = heddle_printed(h, &n);
	fwrite(printed, 1, n, stdout);
	if (status == HEDDLE_BAD_INPUT || (status == HEDDLE_DONE && !save(r, h)) || !write_report(r, h) ||
	    !hd_output_commit(&r->outputs, hd_api_diag(h)))
		return HD_EXIT_USAGE;
	if (status == HEDDLE_DONE && (heddle_violations(h) || heddle_race_count(h)))
		return HD_EXIT_FAULT;
	return status == HEDDLE_DONE ? HD_EXIT_DONE : status == HEDDLE_FAULT ? HD_EXIT_FAULT : hd_timeout_status();
}

int hd_cli_run(int argc, char **argv)
{
	running r = {.limits = hd_trace_no_limits};
	int status = HD_EXIT_USAGE;
	if (parse(&r, argc, argv)) {
		heddle *h = heddle_new();
		status = run(&r, h);
		hd_output_discard(&r.outputs);
		hd_flush(hd_api_diag(h));
		if (status != HD_EXIT_USAGE)
			put_result(&r, h);
		heddle_free(h);
	}
	hd_launching_free(&r.launching);
	hd_grid_list_free(&r.list);
	free(r.results);
	return status;
}
