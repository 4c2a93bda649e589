/* heddle run: build, place the arguments, launch, write outputs and report. */
#include "cli/cli.h"
#include "cli/operands.h"
#include "cli/progress.h"

enum { OPERANDS_MAX = 1024 };

typedef struct running {
	const char *input, *config, *report;
	heddle_launch launch;
	heddle_build_options build;
	HD_VEC(const char *) settings;
	HD_VEC(hd_operand) operands;
	HD_VEC(heddle_arg) args;
	const char *arguments[HD_CLANG_ARGUMENTS_MAX + 1];
	unsigned n_arguments;
} running;

static bool ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);
	return n > m && strcmp(text + n - m, ending) == 0;
}

/* "X", "X,Y" or "X,Y,Z". */
static bool parse_sizes(const char *option, const char *text, uint64_t minimum, uint64_t maximum, uint64_t sizes[3])
{
	char part[24];
	const char *at = text;
	unsigned n = 0;
	for (bool more = true; more; n++) {
		size_t length = strcspn(at, ",");
		if (n == 3 || length == 0 || length >= sizeof part)
			break;
		memcpy(part, at, length);
		part[length] = '\0';
		if (!hd_parse_number(part, maximum, &sizes[n]) || sizes[n] < minimum)
			break;
		at += length;
		more = *at == ',';
		at += more;
		if (!more && *at == '\0')
			return true;
	}
	hd_usage("run: %s cannot be '%s', expected X[,Y[,Z]] with numbers from %llu to %llu", option, text, (unsigned long long)minimum,
	         (unsigned long long)maximum);
	return false;
}

static bool parse_size_option(running *r, const char *option, const char *text)
{
	uint64_t sizes[3] = {1, 1, 1};
	if (strcmp(option, "--offset") == 0)
		return parse_sizes(option, text, 0, UINT64_MAX, r->launch.offset);
	bool grid = strcmp(option, "--grid") == 0;
	if (!parse_sizes(option, text, 1, grid ? INT32_MAX : 1024, sizes))
		return false;
	for (int i = 0; i < 3; i++)
		(grid ? r->launch.grid : r->launch.block)[i] = (uint32_t)sizes[i];
	return true;
}

static bool parse_report(running *r, const char *path)
{
	if (ends_in(path, ".html")) {
		hd_usage("run: --report: HTML is not part of this version, expected a file that ends in .txt or .json, or -");
		return false;
	}
	if (strcmp(path, "-") != 0 && !ends_in(path, ".txt") && !ends_in(path, ".json")) {
		hd_usage("run: --report cannot be '%s', expected a file that ends in .txt or .json, or -", path);
		return false;
	}
	r->report = path;
	return true;
}

static bool parse_operand(running *r, const char *text)
{
	hd_diag diag = {0};
	hd_operand operand;
	if (r->operands.n == OPERANDS_MAX) {
		hd_usage("run: more than %d arguments", OPERANDS_MAX);
		return false;
	}
	bool ok = hd_operand_parse(text, &operand, &diag);
	hd_vec_push(&r->operands, operand);
	hd_flush(&diag);
	for (size_t i = 0; ok && operand.output && i + 1 < r->operands.n; i++) {
		if (r->operands.at[i].output && strcmp(r->operands.at[i].output, operand.output) == 0) {
			hd_usage("run: two arguments write to %s", operand.output);
			return false;
		}
	}
	return ok;
}

/* An option with a value. False after a message. */
static bool parse_value(running *r, const char *name, const char *value)
{
	uint64_t number;
	if (strcmp(name, "--kernel") == 0) {
		r->launch.kernel = value;
	} else if (strcmp(name, "--config") == 0) {
		r->config = value;
	} else if (strcmp(name, "--set") == 0) {
		hd_vec_push(&r->settings, value);
	} else if (strcmp(name, "--arg") == 0) {
		return parse_operand(r, value);
	} else if (strcmp(name, "--report") == 0) {
		return parse_report(r, value);
	} else if (strcmp(name, "--trace") == 0) {
		hd_usage("run: --trace is not part of this version");
		return false;
	} else if (strcmp(name, "--max-cycles") == 0) {
		if (!hd_parse_number(value, UINT64_MAX, &r->launch.max_cycles) || r->launch.max_cycles == 0) {
			hd_usage("run: --max-cycles cannot be '%s', expected a number above 0", value);
			return false;
		}
	} else if (strcmp(name, "--shared") == 0) {
		if (!hd_parse_number(value, 1 << 24, &number)) {
			hd_usage("run: --shared cannot be '%s', expected a number of bytes", value);
			return false;
		}
		r->launch.dynamic_shared = (uint32_t)number;
	} else {
		return parse_size_option(r, name, value);
	}
	return true;
}

static bool parse(running *r, int argc, char **argv)
{
	static const char *const with_value[] = {"--kernel",     "--config", "--set",  "--arg",   "--report", "--trace",
	                                         "--max-cycles", "--shared", "--grid", "--block", "--offset"};
	hd_options options = {.argc = argc, .argv = argv, .command = "run"};
	while (hd_options_next(&options)) {
		const char *name = NULL;
		for (unsigned i = 0; i < HD_COUNT(with_value); i++) {
			if (hd_options_is(&options, with_value[i]))
				name = with_value[i];
		}
		if (name) {
			const char *value = hd_options_value(&options);
			if (!value || !parse_value(r, name, value))
				return false;
		} else if (hd_options_is(&options, "--functional")) {
			r->launch.functional = true;
		} else if (hd_options_is(&options, "--serial")) {
			r->build.serial = true;
		} else if (hd_options_clang(&options, r->arguments, &r->n_arguments, HD_CLANG_ARGUMENTS_MAX)) {
			continue;
		} else if (!hd_options_word(&options)) {
			hd_options_unknown(&options);
			return false;
		} else if (r->input) {
			hd_usage("run: one input at a time, got %s and %s", r->input, options.word);
			return false;
		} else {
			r->input = options.word;
		}
	}
	if (!r->input)
		hd_usage("run: no input, expected a .cl, .cu, .ptx, .hasm or .hko file");
	return r->input != NULL;
}

static bool build(running *r, heddle *h)
{
	r->build.arguments = r->arguments;
	bool ok = !r->config || heddle_config(h, r->config);
	for (size_t i = 0; ok && i < r->settings.n; i++)
		ok = heddle_set(h, r->settings.at[i]);
	return ok && heddle_build(h, r->input, &r->build);
}

static bool place(running *r, heddle *h)
{
	for (size_t i = 0; i < r->operands.n; i++) {
		if (!hd_operand_place(&r->operands.at[i], (unsigned)i + 1, h))
			return false;
		hd_vec_push(&r->args, r->operands.at[i].arg);
	}
	r->launch.args = r->args.at;
	r->launch.n_args = (uint32_t)r->args.n;
	return true;
}

/* All outputs are fetched before the first file is written. */
static bool save(running *r, heddle *h)
{
	bool ok = true;
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_fetch(&r->operands.at[i], h);
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_save(&r->operands.at[i], hd_api_diag(h));
	return ok;
}

static bool report(const running *r, heddle *h)
{
	if (!r->report)
		return true;
	char *text = heddle_report(h, ends_in(r->report, ".json") ? HEDDLE_JSON : HEDDLE_TEXT);
	bool ok = text && hd_put_text(r->report, text, strlen(text), hd_api_diag(h));
	free(text);
	return ok;
}

static int run(running *r, heddle *h)
{
	hd_progress progress;
	if (!build(r, h) || !place(r, h))
		return HD_EXIT_USAGE;
	r->launch.poll = hd_progress_poll;
	r->launch.context = &progress;
	hd_progress_begin(&progress, r->launch.functional);
	heddle_status status = heddle_run(h, &r->launch);
	hd_progress_end(&progress);
	if (status == HEDDLE_BAD_INPUT)
		return HD_EXIT_USAGE;
	if ((status == HEDDLE_DONE && !save(r, h)) || !report(r, h))
		return HD_EXIT_USAGE;
	return status == HEDDLE_DONE ? HD_EXIT_DONE : status == HEDDLE_FAULT ? HD_EXIT_FAULT : HD_EXIT_INTERRUPTED;
}

int hd_cli_run(int argc, char **argv)
{
	running r = {0};
	int status = HD_EXIT_USAGE;
	if (parse(&r, argc, argv)) {
		heddle *h = heddle_new();
		status = run(&r, h);
		fputs(heddle_messages(h), stderr);
		heddle_free(h);
	}
	for (size_t i = 0; i < r.operands.n; i++)
		hd_operand_free(&r.operands.at[i]);
	hd_vec_free(&r.operands);
	hd_vec_free(&r.args);
	hd_vec_free(&r.settings);
	return status;
}
