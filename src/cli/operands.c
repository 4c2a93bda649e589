#include "cli/operands.h"

#include <errno.h>
#include <math.h>

static bool bad(const hd_operand *operand, hd_diag *diag, const char *expected)
{
	hd_text text = {0};
	hd_text_printf(&text, "--arg %.200s", operand->text);
	hd_error(diag, (hd_pos){.file = text.at}, "is no argument, expected %s", expected);
	hd_text_free(&text);
	return false;
}

static bool signed_number(const char *text, int64_t minimum, int64_t maximum, int64_t *value)
{
	uint64_t digits;
	bool negative = text[0] == '-';
	if (!hd_parse_number(text + negative, negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, &digits))
		return false;
	*value = negative ? (int64_t)(0 - digits) : (int64_t)digits;
	return *value >= minimum && *value <= maximum;
}

static bool parse_integer(const char *rest, hd_operand *operand, hd_diag *diag)
{
	int64_t value;
	uint64_t plain;
	switch (operand->text[0] == 'i' ? operand->text[1] : 'u') {
	case '3':
		if (!signed_number(rest, INT32_MIN, INT32_MAX, &value))
			return bad(operand, diag, "i32: with a whole number from -2147483648 to 2147483647");
		operand->arg = heddle_i32((int32_t)value);
		return true;
	case '6':
		if (!signed_number(rest, INT64_MIN, INT64_MAX, &value))
			return bad(operand, diag, "i64: with a whole number of 64 bits");
		operand->arg = heddle_i64(value);
		return true;
	default:
		if (operand->text[1] == '3') {
			if (!hd_parse_number(rest, UINT32_MAX, &plain))
				return bad(operand, diag, "u32: with a whole number from 0 to 4294967295");
			operand->arg = heddle_u32((uint32_t)plain);
			return true;
		}
		if (!hd_parse_number(rest, UINT64_MAX, &plain))
			return bad(operand, diag, "u64: with a whole number from 0 to 18446744073709551615");
		operand->arg = heddle_u64(plain);
		return true;
	}
}

static bool parse_float(const char *rest, hd_operand *operand, hd_diag *diag)
{
	char *end;
	bool wide = operand->text[1] == '6';
	float f = strtof(rest, &end);
	double d = wide ? strtod(rest, &end) : 0;
	if (!*rest || *end || *rest == ' ')
		return bad(operand, diag, wide ? "f64: with a number" : "f32: with a number");
	operand->arg = wide ? heddle_f64(d) : heddle_f32(f);
	return true;
}

/* "f32:4096" at `text`; what follows it in *rest ("" or ":..."). */
static bool parse_extent(const char *text, hd_npy *array, const char **rest)
{
	size_t name = strcspn(text, ":");
	if (text[name] != ':' || !hd_npy_type(text, name, &array->kind, &array->bytes))
		return false;
	const char *digits = text + name + 1;
	size_t n = strcspn(digits, ":");
	char number[24];
	if (n == 0 || n >= sizeof number)
		return false;
	memcpy(number, digits, n);
	number[n] = '\0';
	*rest = digits + n;
	array->dims = 1;
	if (!hd_parse_number(number, HD_NPY_MAX / array->bytes, &array->count))
		return false;
	array->shape[0] = array->count;
	return true;
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
	const char *expected = random ? "rand:TYPE:COUNT:SEED, as in rand:f32:4096:1 (types f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)"
	                              : "zero:TYPE:COUNT, as in zero:f32:4096 (types f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)";
	uint64_t seed = 0;
	operand->array = true;
	if (!parse_extent(rest, &operand->content, &rest))
		return bad(operand, diag, expected);
	if (random ? *rest != ':' || !hd_parse_number(rest + 1, UINT64_MAX, &seed) : *rest != '\0')
		return bad(operand, diag, expected);
	if (random && operand->content.kind == 'f' && operand->content.bytes == 2)
		return bad(operand, diag, expected);
	operand->random = random;
	operand->seed = seed;
	return true;
}

static bool parse_output(const char *rest, hd_operand *operand, hd_diag *diag)
{
	/* From the right, as the file's name may hold colons. */
	const char *count = strrchr(rest, ':'), *type = count;
	while (type && type > rest && *--type != ':')
		;
	operand->array = true;
	if (!type || type == rest || *type != ':' || !parse_extent(type + 1, &operand->content, &count))
		return bad(operand, diag, "out:FILE.npy:TYPE:COUNT, as in out:c.npy:f32:4096 (types f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)");
	operand->output = hd_xstrdup(rest);
	operand->output[type - rest] = '\0';
	return true;
}

static bool parse_local(const char *rest, hd_operand *operand, hd_diag *diag)
{
	uint64_t bytes;
	if (!hd_parse_number(rest, 1 << 24, &bytes))
		return bad(operand, diag, "local: with a number of bytes, at most 16777216");
	operand->arg = heddle_local((uint32_t)bytes);
	return true;
}

static bool parse_file(const char *rest, hd_operand *operand, hd_diag *diag)
{
	if (!*rest)
		return bad(operand, diag, "in:FILE.npy or inout:FILE.npy");
	operand->array = true;
	operand->input = rest;
	if (operand->text[2] == 'o')
		operand->output = hd_xstrdup(rest);
	return true;
}

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static bool parse_bytes(const char *rest, hd_operand *operand, hd_diag *diag)
{
	size_t n = strlen(rest);
	if (!n || n % 2 || n / 2 > sizeof operand->value)
		return bad(operand, diag, "bytes: with up to 128 bytes, two digits 0-9 a-f each, as they lie in memory");
	for (size_t i = 0; i < n; i++) {
		int digit = hex_digit(rest[i]);
		if (digit < 0)
			return bad(operand, diag, "bytes: with digits 0-9 a-f");
		operand->value[i / 2] = (uint8_t)(operand->value[i / 2] << 4 | digit);
	}
	operand->arg = heddle_bytes(NULL, (uint32_t)(n / 2)); /* where they are is known when the operand stays where it is */
	return true;
}

bool hd_operand_parse(const char *text, hd_operand *operand, hd_diag *diag)
{
	static const struct {
		const char *prefix;
		bool (*parse)(const char *rest, hd_operand *operand, hd_diag *diag);
	} kinds[] = {{"i32:", parse_integer}, {"u32:", parse_integer}, {"i64:", parse_integer}, {"u64:", parse_integer}, {"f32:", parse_float},
	             {"f64:", parse_float},   {"in:", parse_file},     {"inout:", parse_file},  {"out:", parse_output},  {"zero:", parse_made},
	             {"rand:", parse_made},   {"local:", parse_local}, {"bytes:", parse_bytes}};
	*operand = (hd_operand){.text = text};
	for (unsigned i = 0; i < HD_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i].prefix);
		if (strncmp(text, kinds[i].prefix, n) == 0)
			return kinds[i].parse(text + n, operand, diag);
	}
	return bad(operand, diag, "i32: u32: i64: u64: f32: f64: in: out: inout: zero: rand: local: or bytes:");
}

bool hd_operand_place(hd_operand *operand, unsigned number, heddle *h)
{
	if (operand->arg.kind == HEDDLE_ARG_BYTES)
		operand->arg.bytes = operand->value;
	if (!operand->array)
		return true;
	if (operand->input && !hd_npy_read(operand->input, &operand->content, hd_api_diag(h)))
		return false;
	hd_text name = {0};
	hd_text_printf(&name, "argument %u (%.200s)", number, operand->text);
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
