/* Reports and traces of launches that the environment requests. */
#include "runtime/observe.h"

#include "report/html/html.h"
#include "report/report.h"
#include "runtime/summary.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *place)
{
	struct stat info;
	return hd_ends_with(place, "/") || (stat(place, &info) == 0 && S_ISDIR(info.st_mode));
}

/* In a directory the setting decides the kind of report. Otherwise the end of the file name decides. */
static hr_report_kind report_kind(void)
{
	const char *place = hr_device.report;
	if (is_directory(place))
		return hr_device.report_kind;
	return hd_ends_with(place, ".json") ? HR_REPORT_JSON : hd_ends_with(place, ".html") ? HR_REPORT_HTML : HR_REPORT_TEXT;
}

/* The program chooses the names of kernels, so they may be long. */
static void put_launch(hd_text *path, const hd_launch *launch) { hd_text_printf(path, "%05u-%.80s", launch->grid_id, launch->kernel->name); }

/* Changes FILE.END to FILE-NUMBER-KERNEL.END, so that each launch has its own file. */
static void numbered(const char *file, const hd_launch *launch, hd_text *path)
{
	const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
	size_t head = dot ? (size_t)(dot - file) : strlen(file);
	hd_text_put(path, file, head);
	hd_text_put(path, "-", 1);
	put_launch(path, launch);
	hd_text_put(path, file + head, strlen(file + head));
}

static void tell(hd_diag *diag)
{
	if (diag->text.at)
		fputs(diag->text.at, stderr);
	hd_diag_free(diag);
}

void hr_observe_begin(hr_observation *o, const hd_launch *launch)
{
	bool traced = hr_device.trace_launch == UINT64_MAX || hr_device.trace_launch == launch->grid_id;
	*o = (hr_observation){0};
	if (hr_device.functional)
		return;
	if (hr_device.report && report_kind() == HR_REPORT_HTML) {
		o->profile = hd_profile_new(&hr_device.machine, launch->program);
		hd_watchers_add(&o->watchers, &o->profile->trace);
	}
	for (unsigned i = 0; traced && i < hr_device.n_traces; i++) {
		const hr_trace_request *request = &hr_device.traces[i];
		hd_text *path = &o->trace_paths[i];
		hd_diag diag = {0};
		if (hr_device.trace_launch == UINT64_MAX)
			numbered(request->path, launch, path);
		else
			hd_text_printf(path, "%s", request->path);
		FILE *out = hd_output_open(&o->outputs, path->at, &diag);
		if (out)
			o->traces[i] =
			    hd_trace_open(request->format, out, path->at, &hr_device.trace_limits, &hr_device.machine, launch->program, &diag);
		if (o->traces[i])
			hd_watchers_add(&o->watchers, hd_trace_watcher(o->traces[i]));
		tell(&diag);
	}
	if (o->watchers.n)
		o->trace = o->watchers.n == 1 ? o->watchers.at[0] : &o->watchers.trace;
}

static void report_text(const hr_observation *o, const hr_outcome *outcome, hr_report_kind kind, hd_text *text)
{
	const hd_launch *launch = outcome->launch;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	hd_report report = {.machine = &hr_device.machine,
	                    .settings = "",
	                    .kernel = launch->kernel,
	                    .functional = hr_device.functional,
	                    .result = hd_report_result(outcome->ended),
	                    .message = outcome->message ? outcome->message : "",
	                    .stats = outcome->stats,
	                    .program = launch->program,
	                    .input = {outcome->file, outcome->source},
	                    .profile = o->profile,
	                    .seconds = outcome->seconds,
	                    .peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
	                    .shared_bytes = hd_launch_shared(launch)};
	hd_occupancy_of(&hr_device.machine, launch, &report.occupancy);
	memcpy(report.grid, launch->grid, sizeof report.grid);
	memcpy(report.block, launch->block, sizeof report.block);
	if (kind == HR_REPORT_HTML)
		hd_report_html(&report, text);
	else
		(kind == HR_REPORT_JSON ? hd_report_json : hd_report_text)(&report, text);
}

void hr_put_file(const char *path, const char *mode, const hd_text *text)
{
	/* One call writes the whole line, so that the lines of several processes do not mix. */
	FILE *file = fopen(path, mode);
	if (file)
		setvbuf(file, NULL, _IOFBF, text->n + 1);
	bool ok = file && fwrite(text->at, 1, text->n, file) == text->n;
	if (file)
		ok = fclose(file) == 0 && ok;
	if (!ok)
		fprintf(stderr, "%s: error: the report cannot be written\n", path);
}

static void write_report(const hr_observation *o, const hr_outcome *outcome)
{
	static const char *const endings[] = {[HR_REPORT_JSON] = "json", [HR_REPORT_TEXT] = "txt", [HR_REPORT_HTML] = "html"};
	const char *place = hr_device.report;
	hr_report_kind kind = report_kind();
	bool directory = is_directory(place);
	hd_text text = {0}, path = {0};
	report_text(o, outcome, kind, &text);
	if (directory) {
		mkdir(place, 0777);
		hd_text_printf(&path, "%s/%ld-", place, (long)getpid());
		put_launch(&path, outcome->launch);
		hd_text_printf(&path, ".%s", endings[kind]);
	} else if (kind == HR_REPORT_HTML) {
		numbered(place, outcome->launch, &path);
	} else {
		hd_text_printf(&path, "%s", place);
	}
	hr_put_file(path.at, directory || kind == HR_REPORT_HTML ? "w" : "a", &text);
	hd_text_free(&text);
	hd_text_free(&path);
}

void hr_observe_end(hr_observation *o, const hr_outcome *outcome)
{
	hd_diag diag = {0};
	for (unsigned i = 0; i < HR_TRACES_MAX; i++) {
		hd_trace_input(o->traces[i], outcome->file, outcome->source);
		hd_trace_message(o->traces[i], outcome->message);
		hd_trace_close(o->traces[i], &diag);
		hd_text_free(&o->trace_paths[i]);
	}
	hd_output_commit(&o->outputs, &diag);
	tell(&diag);
	if (hr_device.report)
		write_report(o, outcome);
	if (hr_device.summary)
		hr_summary_add(outcome);
	hd_profile_free(o->profile);
}
