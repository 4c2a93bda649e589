#include "cli/operands.h"

#include <errno.h>
#include <math.h>

/* The name of a type of array elements, as hd_npy_type takes it. */
static const char types[] = "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64";

/* Says what is wrong with an argument, and what was expected. False. */
static bool HD_PRINTF(3, 4) bad(const hd_operand *operand, hd_diag *diag, const char *format, ...)
{
	va_list args;
	hd_text what = {0}, name = {0};
	va_start(args, format);
	hd_text_vprintf(&what, format, args);
	va_end(args);
	hd_text_printf(&name, "--arg %.200s", operand->text);
	if (operand->pos.file)
		hd_error(diag, operand->pos, "%s: %s", name.at, what.at);
	else
		hd_error(diag, (hd_pos){.file = name.at}, "%s", what.at);
	hd_text_free(&what);
	hd_text_free(&name);
	return false;
}

/* A number from 0 to `maximum`. `what` names it in messages. */
static bool take_number(const hd_operand *operand, hd_diag *diag, const char *what, const char *text, size_t n, uint64_t maximum, uint64_t *value)
{
	unsigned long long most = maximum;
	switch (hd_read_number(text, n, maximum, value)) {
	case HD_NUMBER_MISSING:
		return bad(operand, diag, "%s is missing, expected a whole number from 0 to %llu", what, most);
	case HD_NUMBER_BAD:
		return bad(operand, diag, "%s '%.*s' is no whole number, expected one from 0 to %llu, decimal or hexadecimal (0x1f)", what,
		           (int)hd_min_u64(n, 100), text, most);
	case HD_NUMBER_LARGE:
		return bad(operand, diag, "%s %.*s is too large, expected at most %llu", what, (int)hd_min_u64(n, 100), text, most);
	case HD_NUMBER_GOOD:
		break;
	}
	return true;
}

static bool take_signed(const hd_operand *operand, hd_diag *diag, const char *text, unsigned bits, int64_t *value)
{
	uint64_t digits = 0, most = (UINT64_C(1) << (bits - 1)) - 1;
	bool negative = text[0] == '-';
	hd_number number = hd_read_number(text + negative, strlen(text + negative), most + negative, &digits);
	if (number == HD_NUMBER_GOOD)
		return *value = negative ? (int64_t)(0 - digits) : (int64_t)digits, true;
	return bad(operand, diag, "%s%s, expected a whole number from -%llu to %llu, decimal or hexadecimal (0x1f)",
	           number == HD_NUMBER_MISSING ? "the number" : text,
	           number == HD_NUMBER_MISSING ? " is missing"
	           : number == HD_NUMBER_BAD   ? " is no whole number"
	                                       : " is out of range",
	           (unsigned long long)most + 1, (unsigned long long)most);
}

static bool parse_integer(const char *rest, hd_operand *operand, hd_diag *diag)
{
	bool wide = operand->text[1] == '6';
	int64_t value = 0;
	uint64_t plain;
	if (operand->text[0] == 'i') {
		if (!take_signed(operand, diag, rest, wide ? 64 : 32, &value))
			return false;
		operand->arg = wide ? heddle_i64(value) : heddle_i32((int32_t)value);
		return true;
	}
	if (*rest == '-')
		return bad(operand, diag, "%s is negative, expected a number from 0; i%d: takes negative ones", rest, wide ? 64 : 32);
	if (!take_number(operand, diag, "the number", rest, strlen(rest), wide ? UINT64_MAX : UINT32_MAX, &plain))
		return false;
	operand->arg = wide ? heddle_u64(plain) : heddle_u32((uint32_t)plain);
	return true;
}

/* C's notations: 2.5, 1e-3, 0x1.8p1, inf, nan. */
static bool parse_float(const char *rest, hd_operand *operand, hd_diag *diag)
{
	char *end = NULL;
	bool wide = operand->text[1] == '6';
	double d = wide ? strtod(rest, &end) : (double)strtof(rest, &end);
	if (!*rest)
		return bad(operand, diag, "the number is missing, expected one such as 2.5, 1e-3 or 0x1.8p1");
	if (*end || strchr(" \t\n\v\f\r", *rest))
		return bad(operand, diag, "'%s' is no number, expected one such as 2.5, 1e-3 or 0x1.8p1", rest);
	if (isinf(d) && !strpbrk(rest, "iI"))
		return bad(operand, diag, "%s is too large, expected at most %s", rest, wide ? "1.8e308" : "3.4e38; f64: has a wider range");
	operand->arg = wide ? heddle_f64(d) : heddle_f32((float)d);
	return true;
}

/* TYPE:COUNT at `text`; what follows it in *rest ("" or ":..."). `form` is for messages. */
static bool take_extent(hd_operand *operand, hd_diag *diag, const char *text, const char *form, const char **rest)
{
	size_t type = strcspn(text, ":"), count = text[type] == ':' ? strcspn(text + type + 1, ":") : 0;
	hd_npy *array = &operand->content;
	if (!type || text[type] != ':')
		return bad(operand, diag, "%s missing, expected %s", type ? "COUNT is" : "TYPE and COUNT are", form);
	if (!hd_npy_type(text, type, &array->kind, &array->bytes))
		return bad(operand, diag, "there is no type '%.*s', expected %s", (int)hd_min_u64(type, 100), text, types);
	uint64_t most = HD_NPY_MAX / array->bytes;
	hd_text what = {0};
	hd_text_printf(&what, "COUNT of %.*s", (int)type, text);
	bool ok = take_number(operand, diag, what.at, text + type + 1, count, most, &array->count);
	hd_text_free(&what);
	*rest = text + type + 1 + count;
	array->dims = 1;
	array->shape[0] = array->count;
	return ok;
}

static void fill_random(hd_npy *array, uint64_t seed)
{
	for (uint64_t i = 0; i < array->count; i++) {
		uint64_t bits = hd_random(&seed);
		uint8_t *at = array->data + i * array->bytes;
		if (array->kind != 'f') {
			memcpy(at, &bits, array->bytes); /* every value is as likely */
		} else if (array->bytes == 8) {
			double d = (double)(bits >> 11) * 0x1p-53;
			memcpy(at, &d, sizeof d);
		} else {
			float f = (float)(bits >> 40) * 0x1p-24f;
			memcpy(at, &f, sizeof f);
		}
	}
}

static bool parse_made(const char *rest, hd_operand *operand, hd_diag *diag)
{
	bool random = operand->text[0] == 'r';
	const char *form = random ? "rand:TYPE:COUNT:SEED, as in rand:f32:4096:1" : "zero:TYPE:COUNT, as in zero:f32:4096";
	hd_npy *array = &operand->content;
	uint64_t seed = 0;
	operand->array = true;
	if (!take_extent(operand, diag, rest, form, &rest))
		return false;
	if (!random)
		return !*rest || bad(operand, diag, "'%s' behind COUNT, expected %s", rest, form);
	if (array->kind == 'f' && array->bytes == 2)
		return bad(operand, diag, "there are no random f16, expected f32 f64 i8 i16 i32 i64 u8 u16 u32 or u64");
	if (!*rest)
		return bad(operand, diag, "SEED is missing, expected %s", form);
	if (!take_number(operand, diag, "SEED", rest + 1, strlen(rest + 1), UINT64_MAX, &seed))
		return false;
	operand->random = random;
	operand->seed = seed;
	return true;
}

static bool parse_output(const char *rest, hd_operand *operand, hd_diag *diag)
{
	static const char form[] = "out:FILE.npy:TYPE:COUNT, as in out:c.npy:f32:4096";
	/* From the right, because the file's name may hold colons. */
	const char *count = strrchr(rest, ':'), *type = count;
	hd_npy last;
	while (type && type > rest && *--type != ':')
		;
	operand->array = true;
	if (count && hd_npy_type(count + 1, strlen(count + 1), &last.kind, &last.bytes))
		return bad(operand, diag, "COUNT is missing, expected %s", form);
	if (!type || *type != ':')
		return bad(operand, diag, "%s missing, expected %s", *rest ? "TYPE and COUNT are" : "FILE.npy, TYPE and COUNT are", form);
	if (type == rest)
		return bad(operand, diag, "FILE.npy is missing, expected %s", form);
	if (!take_extent(operand, diag, type + 1, form, &count))
		return false;
	operand->output = hd_xstrdup(rest);
	operand->output[type - rest] = '\0';
	return true;
}

static bool parse_local(const char *rest, hd_operand *operand, hd_diag *diag)
{
	uint64_t bytes;
	if (!take_number(operand, diag, "BYTES", rest, strlen(rest), 1 << 24, &bytes))
		return false;
	operand->arg = heddle_local((uint32_t)bytes);
	return true;
}

static bool parse_file(const char *rest, hd_operand *operand, hd_diag *diag)
{
	if (!*rest)
		return bad(operand, diag, "FILE.npy is missing, expected in:FILE.npy or inout:FILE.npy");
	operand->array = true;
	operand->input = rest;
	if (operand->text[2] == 'o')
		operand->output = hd_xstrdup(rest);
	return true;
}

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }

static bool parse_bytes(const char *rest, hd_operand *operand, hd_diag *diag)
{
	size_t n = strlen(rest);
	if (!n || n % 2 || n / 2 > sizeof operand->value)
		return bad(operand, diag, "%zu digits, expected two for each of 1 to %zu bytes, as the bytes lie in memory", n,
		           sizeof operand->value);
	for (size_t i = 0; i < n; i++) {
		int digit = hex_digit(rest[i]);
		if (digit < 0)
			return bad(operand, diag, "'%c' is no hexadecimal digit, expected 0-9 and a-f", rest[i]);
		operand->value[i / 2] = (uint8_t)(operand->value[i / 2] << 4 | digit);
	}
	operand->arg = heddle_bytes(NULL, (uint32_t)(n / 2)); /* where they are is known when the operand stays where it is */
	return true;
}

bool hd_operand_parse(const char *text, hd_pos pos, hd_operand *operand, hd_diag *diag)
{
	static const struct {
		const char *prefix;
		bool (*parse)(const char *rest, hd_operand *operand, hd_diag *diag);
	} kinds[] = {{"i32:", parse_integer}, {"u32:", parse_integer}, {"i64:", parse_integer}, {"u64:", parse_integer}, {"f32:", parse_float},
	             {"f64:", parse_float},   {"in:", parse_file},     {"inout:", parse_file},  {"out:", parse_output},  {"zero:", parse_made},
	             {"rand:", parse_made},   {"local:", parse_local}, {"bytes:", parse_bytes}};
	*operand = (hd_operand){.text = text, .pos = pos};
	for (unsigned i = 0; i < HD_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i].prefix);
		if (strncmp(text, kinds[i].prefix, n) == 0)
			return kinds[i].parse(text + n, operand, diag);
	}
	hd_text form = {0};
	hd_text_put(&form, text, strcspn(text, ":"));
	hd_text_printf(&form, ":");
	hd_suggestion suggestion = {.word = form.at};
	for (unsigned i = 0; i < HD_COUNT(kinds); i++)
		hd_suggest(&suggestion, kinds[i].prefix);
	char *hint = hd_suggestion_text(&suggestion);
	bad(operand, diag, "%s is no form of an argument%s expected i32: u32: i64: u64: f32: f64: in: out: inout: zero: rand: local: or bytes:",
	    strchr(text, ':') ? form.at
	    : *text           ? "a word without a colon"
	                      : "an empty word",
	    *hint ? hint : ",");
	hd_text_free(&form);
	free(hint);
	return false;
}

bool hd_operand_place(hd_operand *operand, unsigned number, const char *parameter, heddle *h)
{
	if (operand->arg.kind == HEDDLE_ARG_BYTES)
		operand->arg.bytes = operand->value;
	if (!operand->array)
		return true;
	if (operand->input && !hd_npy_read(operand->input, &operand->content, hd_api_diag(h)))
		return false;
	hd_text name = {0};
	hd_text_printf(&name, "argument %u%s%.200s (%.200s)", number, parameter ? ", " : "", parameter ? parameter : "", operand->text);
	uint64_t bytes = operand->content.count * operand->content.bytes;
	/* Without content it begins as zeros, as device memory does. */
	uint64_t address = operand->content.data ? heddle_buffer(h, name.at, operand->content.data, bytes) : heddle_alloc(h, name.at, bytes);
	hd_text_free(&name);
	operand->arg = heddle_pointer(address);
	if (!address || !operand->random)
		return address != 0;
	hd_npy made = operand->content;
	made.data = hd_xmalloc(bytes);
	fill_random(&made, operand->seed);
	bool ok = heddle_write(h, address, made.data, bytes);
	free(made.data);
	return ok;
}

static bool is_float(hd_element element) { return element >= HD_ELEMENT_F16; }

bool hd_operand_matches(const hd_operand *operand, const hd_kernel *kernel, const hd_param *param, hd_diag *diag)
{
	static const uint8_t sizes[HD_ELEMENTS] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
	const hd_npy *array = &operand->content;
	uint8_t bytes = sizes[param->element];
	/* Whoever takes bytes takes all. Arrays of signed and unsigned integers are equal in memory, and NumPy users mix them. */
	if (!array->bytes || bytes <= 1 || (array->bytes == bytes && (array->kind == 'f') == is_float(param->element)))
		return true;
	char have[8];
	snprintf(have, sizeof have, "%c%u", array->kind, array->bytes * 8u);
	return bad(operand, diag, "an array of %s, expected %s for parameter '%s'%s%s%s of kernel '%s'; --any-type passes it as it is",
	           array->kind == 'b' ? "bool" : have, hd_element_names[param->element], param->name, param->source_type ? " (" : "",
	           param->source_type ? param->source_type : "", param->source_type ? ")" : "", hd_kernel_name(kernel));
}

bool hd_operand_fetch(hd_operand *operand, heddle *h)
{
	if (!operand->output)
		return true;
	uint64_t bytes = operand->content.count * operand->content.bytes;
	if (!operand->content.data)
		operand->content.data = hd_xmalloc(bytes);
	return heddle_read(h, operand->arg.bits, operand->content.data, bytes);
}

bool hd_operand_save(const hd_operand *operand, hd_output_set *outputs, hd_diag *diag)
{
	return !operand->output || hd_npy_write(outputs, operand->output, &operand->content, diag);
}

void hd_operand_free(hd_operand *operand)
{
	free(operand->output);
	hd_npy_free(&operand->content);
}
