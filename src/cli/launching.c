#include "cli/launching.h"

enum { OPERANDS_MAX = 1024 };

bool hd_ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);
	return n > m && strcmp(text + n - m, ending) == 0;
}

/* "X", "X,Y" or "X,Y,Z". */
static bool parse_sizes(const char *command, const char *option, const char *text, uint64_t minimum, uint64_t maximum, uint64_t sizes[3])
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
	hd_usage("%s: %s cannot be '%s', expected X[,Y[,Z]] with numbers from %llu to %llu", command, option, text, (unsigned long long)minimum,
	         (unsigned long long)maximum);
	return false;
}

static bool parse_size_option(hd_launching *r, const char *option, const char *text)
{
	uint64_t sizes[3] = {1, 1, 1};
	if (strcmp(option, "--offset") == 0)
		return parse_sizes(r->command, option, text, 0, UINT64_MAX, r->launch.offset);
	bool grid = strcmp(option, "--grid") == 0;
	if (!parse_sizes(r->command, option, text, 1, grid ? INT32_MAX : 1024, sizes))
		return false;
	for (int i = 0; i < 3; i++)
		(grid ? r->launch.grid : r->launch.block)[i] = (uint32_t)sizes[i];
	return true;
}

static bool parse_operand(hd_launching *r, const char *text)
{
	hd_diag diag = {0};
	hd_operand operand;
	if (r->operands.n == OPERANDS_MAX) {
		hd_usage("%s: more than %d arguments", r->command, OPERANDS_MAX);
		return false;
	}
	bool ok = hd_operand_parse(text, &operand, &diag);
	hd_vec_push(&r->operands, operand);
	hd_flush(&diag);
	for (size_t i = 0; ok && operand.output && i + 1 < r->operands.n; i++) {
		if (r->operands.at[i].output && strcmp(r->operands.at[i].output, operand.output) == 0) {
			hd_usage("%s: two arguments write to %s", r->command, operand.output);
			return false;
		}
	}
	return ok;
}

/* An option with a value. False after a message. */
static bool parse_value(hd_launching *r, const char *name, const char *value)
{
	uint64_t number;
	if (strcmp(name, "--kernel") == 0) {
		r->launch.kernel = value;
	} else if (strcmp(name, "--set") == 0) {
		hd_vec_push(&r->settings, value);
	} else if (strcmp(name, "--arg") == 0) {
		return parse_operand(r, value);
	} else if (strcmp(name, "--max-cycles") == 0) {
		if (!hd_parse_number(value, UINT64_MAX, &r->launch.max_cycles) || r->launch.max_cycles == 0) {
			hd_usage("%s: --max-cycles cannot be '%s', expected a number above 0", r->command, value);
			return false;
		}
	} else if (strcmp(name, "--shared") == 0) {
		if (!hd_parse_number(value, 1 << 24, &number)) {
			hd_usage("%s: --shared cannot be '%s', expected a number of bytes", r->command, value);
			return false;
		}
		r->launch.dynamic_shared = (uint32_t)number;
	} else {
		return parse_size_option(r, name, value);
	}
	return true;
}

hd_taken hd_launching_option(hd_launching *r, hd_options *options)
{
	static const char *const with_value[] = {"--kernel", "--set", "--arg", "--max-cycles", "--shared", "--grid", "--block", "--offset"};
	for (unsigned i = 0; i < HD_COUNT(with_value); i++) {
		if (hd_options_is(options, with_value[i])) {
			const char *value = hd_options_value(options);
			return value && parse_value(r, with_value[i], value) ? HD_TAKEN : HD_REFUSED;
		}
	}
	if (hd_options_is(options, "--serial")) {
		r->build.serial = true;
		return HD_TAKEN;
	}
	if (hd_options_clang(options, r->arguments, &r->n_arguments, HD_CLANG_ARGUMENTS_MAX))
		return HD_TAKEN;
	if (!hd_options_word(options))
		return HD_NOT_MINE;
	if (r->input) {
		hd_usage("%s: one input at a time, got %s and %s", r->command, r->input, options->word);
		return HD_REFUSED;
	}
	r->input = options->word;
	return HD_TAKEN;
}

bool hd_launching_build(hd_launching *r, const char *config, heddle *h)
{
	r->build.arguments = r->arguments;
	bool ok = !config || heddle_config(h, config);
	for (size_t i = 0; ok && i < r->settings.n; i++)
		ok = heddle_set(h, r->settings.at[i]);
	return ok && heddle_build(h, r->input, &r->build);
}

bool hd_launching_place(hd_launching *r, heddle *h)
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

bool hd_launching_fetch(hd_launching *r, heddle *h)
{
	bool ok = true;
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_fetch(&r->operands.at[i], h);
	return ok;
}

bool hd_launching_save(const hd_launching *r, hd_diag *diag)
{
	bool ok = true;
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_save(&r->operands.at[i], diag);
	return ok;
}

void hd_launching_free(hd_launching *r)
{
	for (size_t i = 0; i < r->operands.n; i++)
		hd_operand_free(&r->operands.at[i]);
	hd_vec_free(&r->operands);
	hd_vec_free(&r->args);
	hd_vec_free(&r->settings);
}
