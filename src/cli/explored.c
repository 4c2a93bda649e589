#include "cli/explored.h"

#include "explore/page.h"

#include <errno.h>

bool hd_explored_begin(hd_explored *run, heddle *h, const char *input, const hd_trace_limits *limits)
{
	static const char name[] = "a run of the page";
	run->part = tmpfile();
	if (!run->part) {
		hd_error(hd_api_diag(h), (hd_pos){.file = name}, "no temporary file: %s", strerror(errno));
		return false;
	}
	run->file = hd_trace_open(HD_TRACE_EXPLORE_PART, run->part, name, limits, hd_api_machine(h), hd_api_program(h), hd_api_diag(h));
	hd_trace_input(run->file, input, NULL);
	if (run->file)
		hd_api_watch(h, hd_trace_watcher(run->file));
	return run->file != NULL;
}

bool hd_explored_end(hd_explored *run, heddle *h)
{
	hd_report report;
	if (hd_api_report(h, &report))
		hd_trace_message(run->file, report.message);
	bool ok = hd_trace_close(run->file, hd_api_diag(h));
	run->file = NULL;
	hd_api_watch(h, NULL);
	return ok;
}

static bool copy(FILE *from, FILE *to)
{
	char bytes[1 << 16];
	rewind(from);
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
		fwrite(bytes, 1, n, to);
	return !ferror(from);
}

bool hd_explored_page(const hd_explored *const *runs, unsigned n, const char *title, const char *path, hd_output_set *outputs, hd_diag *diag)
{
	FILE *out = hd_output_open(outputs, path, diag);
	if (!out)
		return false;
	bool ok = true;
	hd_explore_begin(out, title);
	for (unsigned i = 0; i < n; i++)
		ok = copy(runs[i]->part, out) && ok;
	hd_explore_end(out);
	if (!ok)
		hd_error(diag, (hd_pos){.file = path}, "a run of the page cannot be read back: %s", strerror(errno));
	return ok;
}

void hd_explored_free(hd_explored *run)
{
	if (run->part)
		fclose(run->part);
	run->part = NULL;
}
