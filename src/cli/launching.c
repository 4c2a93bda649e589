#include "cli/launching.h"

enum { OPERANDS_MAX = 1024 };

/* "X", "X,Y" or "X,Y,Z". */
static bool parse_sizes(const hd_options *options, const char *option, const char *text, uint64_t minimum, uint64_t maximum, uint64_t sizes[3])
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
	return hd_options_refuse(options, "%s cannot be '%s', expected X[,Y[,Z]] with numbers from %llu to %llu", option, text,
	                         (unsigned long long)minimum, (unsigned long long)maximum);
}

/* --grid and --block. */
static bool parse_extent(const hd_options *options, const char *option, const char *text, uint64_t maximum, uint32_t extent[3])
{
	uint64_t sizes[3] = {1, 1, 1};
	if (!parse_sizes(options, option, text, 1, maximum, sizes))
		return false;
	for (int i = 0; i < 3; i++)
		extent[i] = (uint32_t)sizes[i];
	return true;
}

static bool parse_operand(hd_launching *r, const hd_options *options, const char *text)
{
	hd_diag diag = {0};
	hd_operand operand;
	if (r->operands.n == OPERANDS_MAX)
		return hd_options_refuse(options, "more than %d arguments", OPERANDS_MAX);
	hd_pos pos = {options->file, options->line, options->columns ? options->columns[options->at - 1] : 0};
	bool ok = hd_operand_parse(text, pos, &operand, &diag);
	hd_vec_push(&r->operands, operand);
	hd_flush(&diag);
	for (size_t i = 0; ok && operand.output && i + 1 < r->operands.n; i++)
		if (r->operands.at[i].output && strcmp(r->operands.at[i].output, operand.output) == 0)
			return hd_options_refuse(options, "two arguments write to %s", operand.output);
	return ok;
}

static bool parse_max_cycles(hd_launching *r, const hd_options *options, const char *text)
{
	return (hd_parse_number(text, UINT64_MAX, &r->launch.max_cycles) && r->launch.max_cycles != 0) ||
	       hd_options_refuse(options, "--max-cycles cannot be '%s', expected a number above 0", text);
}

static bool parse_shared(hd_launching *r, const hd_options *options, const char *text)
{
	uint64_t number = 0;
	if (!hd_parse_number(text, 1 << 24, &number))
		return hd_options_refuse(options, "--shared cannot be '%s', expected a number of bytes, at most %d", text, 1 << 24);
	r->launch.dynamic_shared = (uint32_t)number;
	return true;
}

hd_taken hd_launching_option(hd_launching *r, const hd_options *options, hd_option_id option)
{
	const char *value = options->value;
	bool ok = true;
	switch (option) {
	case HD_OPTION_KERNEL:
		r->launch.kernel = value;
		break;
	case HD_OPTION_ARG:
		ok = parse_operand(r, options, value);
		break;
	case HD_OPTION_MAX_CYCLES:
		ok = parse_max_cycles(r, options, value);
		break;
	case HD_OPTION_SHARED:
		ok = parse_shared(r, options, value);
		break;
	case HD_OPTION_GRID:
		ok = parse_extent(options, "--grid", value, INT32_MAX, r->launch.grid);
		break;
	case HD_OPTION_BLOCK:
		ok = parse_extent(options, "--block", value, 1024, r->launch.block);
		break;
	case HD_OPTION_ANY_TYPE:
		r->any_type = true;
		break;
	case HD_OPTION_UNPROVEN:
		r->unproven = true;
		break;
	case HD_OPTION_OFFSET:
		ok = parse_sizes(options, "--offset", value, 0, UINT64_MAX, r->launch.offset);
		break;
	default:
		return hd_program_option(&r->program, options, option);
	}
	return ok ? HD_TAKEN : HD_REFUSED;
}

bool hd_launching_build(hd_launching *r, const char *config, heddle *h)
{
	const hd_program_options *program = &r->program;
	heddle_build_options build = {.serial = program->serial, .arguments = program->arguments, .unproven = r->unproven};
	bool ok = !config || heddle_config(h, config);
	for (size_t i = 0; ok && i < program->settings.n; i++)
		ok = heddle_set(h, program->settings.at[i]);
	hd_api_want_kernel(h, r->launch.kernel);
	return ok && heddle_build(h, program->input, &build);
}

/* Compares arrays with what the kernel's pointers point to. A wrong number of arguments is for hd_arguments_bind to refuse. */
static bool check_types(const hd_launching *r, const hd_kernel *kernel, heddle *h)
{
	bool ok = true;
	for (size_t i = 0; !r->any_type && kernel->params.n == r->operands.n && i < r->operands.n; i++)
		ok &= hd_operand_matches(&r->operands.at[i], kernel, &kernel->params.at[i], hd_api_diag(h));
	return ok;
}

bool hd_launching_place(hd_launching *r, heddle *h)
{
	if (!hd_api_find_kernel(h, &r->launch.kernel))
		return false;
	const hd_kernel *kernel = hd_object_kernel(hd_api_program(h)->object, r->launch.kernel);
	for (size_t i = 0; i < r->operands.n; i++) {
		if (!hd_operand_place(&r->operands.at[i], (unsigned)i + 1, i < kernel->params.n ? kernel->params.at[i].name : NULL, h))
			return false;
		hd_vec_push(&r->args, r->operands.at[i].arg);
	}
	r->launch.args = r->args.at;
	r->launch.n_args = (uint32_t)r->args.n;
	return check_types(r, kernel, h);
}

bool hd_launching_fetch(hd_launching *r, heddle *h)
{
	bool ok = true;
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_fetch(&r->operands.at[i], h);
	return ok;
}

bool hd_launching_save(const hd_launching *r, hd_output_set *outputs, hd_diag *diag)
{
	bool ok = true;
	for (size_t i = 0; ok && i < r->operands.n; i++)
		ok = hd_operand_save(&r->operands.at[i], outputs, diag);
	return ok;
}

void hd_launching_free(hd_launching *r)
{
	for (size_t i = 0; i < r->operands.n; i++)
		hd_operand_free(&r->operands.at[i]);
	hd_vec_free(&r->operands);
	hd_vec_free(&r->args);
	hd_program_options_free(&r->program);
}
