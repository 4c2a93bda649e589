#include "api/arguments.h"
#include "launch/launch.h"

enum { SHARED_MAX = 1 << 24 /* the window of shared memory */ };

static const char *describe(const heddle_arg *arg)
{
	switch (arg->kind) {
	case HEDDLE_ARG_INTEGER:
		return arg->size == 8 ? "a 64-bit integer" : "a 32-bit integer";
	case HEDDLE_ARG_FLOAT:
		return arg->size == 8 ? "a 64-bit float" : "a 32-bit float";
	case HEDDLE_ARG_POINTER:
		return "a pointer";
	case HEDDLE_ARG_LOCAL:
		return "local memory";
	case HEDDLE_ARG_BYTES:
		break;
	}
	return "a structure";
}

/* "(uint n, const float *x)"; "" when no type is known. */
static char *signature(const hd_kernel *kernel)
{
	hd_text text = {0};
	for (size_t i = 0; i < kernel->params.n; i++) {
		const hd_param *param = &kernel->params.at[i];
		const char *type = param->source_type;
		if (!type) {
			hd_text_free(&text);
			return hd_xstrdup("");
		}
		bool pointer = *type && type[strlen(type) - 1] == '*';
		hd_text_printf(&text, "%s%s%s%s", i ? ", " : " (", type, pointer ? "" : " ", param->name);
	}
	if (text.n)
		hd_text_printf(&text, ")");
	return text.at ? text.at : hd_xstrdup("");
}

static void expected(const hd_param *param, char text[64])
{
	if (param->pointer && param->space == HD_SPACE_SHARED)
		snprintf(text, 64, "a pointer to local memory");
	else if (param->pointer)
		snprintf(text, 64, "a pointer");
	else
		snprintf(text, 64, "%s of %u bytes",
		         param->type == HD_PARAM_FLOAT     ? "a float"
		         : param->type == HD_PARAM_INTEGER ? "an integer"
		                                           : "a value",
		         param->size);
}

static bool fits(const hd_param *param, const heddle_arg *arg)
{
	if (param->pointer && param->space == HD_SPACE_SHARED)
		return arg->kind == HEDDLE_ARG_LOCAL;
	if (arg->kind == HEDDLE_ARG_POINTER || arg->kind == HEDDLE_ARG_LOCAL)
		return param->size == 8 && (arg->kind == HEDDLE_ARG_POINTER || !param->pointer || param->space == HD_SPACE_NONE);
	/* A 64-bit integer may stand for a pointer: null, or an address that the caller computed. */
	if (param->pointer)
		return arg->kind == HEDDLE_ARG_INTEGER && arg->size == param->size;
	if ((param->type == HD_PARAM_FLOAT && arg->kind == HEDDLE_ARG_INTEGER) || (param->type == HD_PARAM_INTEGER && arg->kind == HEDDLE_ARG_FLOAT))
		return false;
	if (arg->kind == HEDDLE_ARG_INTEGER && arg->size == 4)
		return param->size <= 4; /* char and short parameters take the low bytes */
	return arg->size == param->size;
}

static uint32_t align16(uint32_t bytes) { return (bytes + 15) & ~15u; }

bool hd_arguments_bind(const hd_kernel *kernel, const heddle_arg *args, uint32_t n_args, uint8_t *bytes, uint32_t *dynamic_shared, hd_diag *diag)
{
	unsigned before = diag->errors;
	uint32_t first = align16(kernel->shared_bytes), local = 0;
	memset(bytes, 0, kernel->param_bytes);
	if (n_args != kernel->params.n) {
		char *list = signature(kernel);
		hd_error(diag, (hd_pos){0}, "kernel '%s' has %zu parameter%s%s, got %u argument%s", hd_kernel_name(kernel), kernel->params.n,
		         kernel->params.n == 1 ? "" : "s", list, n_args, n_args == 1 ? "" : "s");
		free(list);
		return false;
	}
	for (uint32_t i = 0; i < n_args; i++) {
		const hd_param *param = &kernel->params.at[i];
		const heddle_arg *arg = &args[i];
		uint64_t value = arg->bits;
		hd_invariant(param->offset <= kernel->param_bytes && param->size <= kernel->param_bytes - param->offset,
		             "parameter %u of '%s' lies outside", i, hd_kernel_name(kernel));
		if (!fits(param, arg)) {
			char text[64];
			expected(param, text);
			hd_error(diag, (hd_pos){0}, "argument %u of kernel '%s' is %s, expected %s for parameter '%s'%s%s%s", i + 1,
			         hd_kernel_name(kernel), describe(arg), text, param->name, param->source_type ? " (" : "",
			         param->source_type ? param->source_type : "", param->source_type ? ")" : "");
			continue;
		}
		if (arg->kind == HEDDLE_ARG_LOCAL) {
			value = hd_shared_argument(param, first + local, arg->size);
			if (arg->size > SHARED_MAX || value - first + arg->size > SHARED_MAX - 16) {
				hd_error(diag, (hd_pos){0}, "argument %u of kernel '%s': local memory of more than %d bytes", i + 1,
				         hd_kernel_name(kernel), SHARED_MAX);
				continue;
			}
			/* A generic pointer needs the base of the window; a .shared pointer is an offset. */
			local = (uint32_t)(value - first + arg->size);
		}
		if (arg->kind == HEDDLE_ARG_BYTES) {
			memcpy(bytes + param->offset, arg->bytes, param->size);
			continue;
		}
		for (uint32_t b = 0; b < param->size && b < 8; b++)
			bytes[param->offset + b] = (uint8_t)(value >> (8 * b));
	}
	*dynamic_shared = local;
	return diag->errors == before;
}
