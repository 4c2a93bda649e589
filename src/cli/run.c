/* heddle run: build, place the arguments, launch, write outputs and report. */
#include "cli/launching.h"
#include "cli/progress.h"

#include "report/html.h"

typedef struct running {
	const char *config, *report, *listing;
	hd_profile *profile; /* NULL unless something asks for it */
	hd_launching launching;
} running;

static bool parse_report(running *r, const char *path)
{
	bool known = strcmp(path, "-") == 0 || hd_ends_in(path, ".txt") || hd_ends_in(path, ".json") || hd_ends_in(path, ".html");
	if (!known)
		hd_usage("run: --report cannot be '%s', expected a file that ends in .txt, .json or .html, or -", path);
	r->report = path;
	return known;
}

static bool parse_own(running *r, hd_options *options)
{
	const char *value;
	if (hd_options_is(options, "--functional")) {
		r->launching.launch.functional = true;
		return true;
	}
	if (!hd_options_is(options, "--config") && !hd_options_is(options, "--report") && !hd_options_is(options, "--trace") &&
	    !hd_options_is(options, "--listing")) {
		hd_options_unknown(options);
		return false;
	}
	bool config = hd_options_is(options, "--config"), report = hd_options_is(options, "--report");
	bool listing = hd_options_is(options, "--listing");
	if (!(value = hd_options_value(options)))
		return false;
	if (report)
		return parse_report(r, value);
	if (config)
		r->config = value;
	else if (listing)
		r->listing = value;
	else
		hd_usage("run: --trace is not part of this version");
	return config || listing;
}

static bool parse(running *r, int argc, char **argv)
{
	hd_options options = {.argc = argc, .argv = argv, .command = "run"};
	while (hd_options_next(&options)) {
		hd_taken taken = hd_launching_option(&r->launching, &options);
		if (taken == HD_REFUSED || (taken == HD_NOT_MINE && !parse_own(r, &options)))
			return false;
	}
	if (!r->launching.input)
		hd_usage("run: no input, expected a .cl, .cu, .ptx, .hasm or .hko file");
	return r->launching.input != NULL;
}

static bool report(const running *r, heddle *h)
{
	hd_text page = {0};
	bool ok = true;
	if (r->listing) {
		hd_profile_listing(r->profile, r->launching.input, &page);
		ok = hd_put_text(r->listing, page.at, page.n, hd_api_diag(h));
		hd_text_free(&page);
	}
	if (!r->report)
		return ok;
	bool html = hd_ends_in(r->report, ".html");
	char *text = heddle_report(h, hd_ends_in(r->report, ".json") ? HEDDLE_JSON : HEDDLE_TEXT);
	if (text && html)
		hd_report_html(text, r->launching.input, r->profile, &page);
	ok &= text && hd_put_text(r->report, html ? page.at : text, html ? page.n : strlen(text), hd_api_diag(h));
	hd_text_free(&page);
	free(text);
	return ok;
}

/* What counts instruction by instruction costs time, and is there only when somebody wants to see it. */
static bool watch(running *r, heddle *h)
{
	bool functional = r->launching.launch.functional;
	if (r->listing && functional) {
		hd_usage("run: --listing counts issue slots, which a --functional run has none of");
		return false;
	}
	if (!functional && (r->listing || (r->report && hd_ends_in(r->report, ".html")))) {
		r->profile = hd_profile_new(hd_api_machine(h), hd_api_program(h));
		hd_api_watch(h, &r->profile->trace);
	}
	return true;
}

static int run(running *r, heddle *h)
{
	hd_progress progress;
	hd_launching *launching = &r->launching;
	if (!hd_launching_build(launching, r->config, h) || !hd_launching_place(launching, h) || !watch(r, h))
		return HD_EXIT_USAGE;
	launching->launch.poll = hd_progress_poll;
	launching->launch.context = &progress;
	hd_progress_begin(&progress, launching->launch.functional);
	heddle_status status = heddle_run(h, &launching->launch);
	hd_progress_end(&progress);
	size_t n;
	const char *printed = heddle_printed(h, &n);
	fwrite(printed, 1, n, stdout);
	if (status == HEDDLE_BAD_INPUT)
		return HD_EXIT_USAGE;
	if (status == HEDDLE_DONE && !(hd_launching_fetch(launching, h) && hd_launching_save(launching, hd_api_diag(h))))
		return HD_EXIT_USAGE;
	if (!report(r, h))
		return HD_EXIT_USAGE;
	return status == HEDDLE_DONE ? HD_EXIT_DONE : status == HEDDLE_FAULT ? HD_EXIT_FAULT : HD_EXIT_INTERRUPTED;
}

int hd_cli_run(int argc, char **argv)
{
	running r = {.launching.command = "run"};
	int status = HD_EXIT_USAGE;
	if (parse(&r, argc, argv)) {
		heddle *h = heddle_new();
		status = run(&r, h);
		fputs(heddle_messages(h), stderr);
		hd_profile_free(r.profile);
		heddle_free(h);
	}
	hd_launching_free(&r.launching);
	return status;
}
