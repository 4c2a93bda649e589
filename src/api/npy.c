#include "api/npy.h"

/* A cursor in the header: a Python dictionary literal such as
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
typedef struct cursor {
	const char *at, *end;
} cursor;

static void blanks(cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
		c->at++;
}

static bool take(cursor *c, const char *text)
{
	size_t n = strlen(text);
	blanks(c);
	if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0)
		return false;
	c->at += n;
	return true;
}

/* A quoted string of up to 31 characters. */
static bool string(cursor *c, char text[32])
{
	char quote = take(c, "'") ? '\'' : take(c, "\"") ? '"' : 0;
	size_t n = 0;
	if (!quote)
		return false;
	while (c->at < c->end && *c->at != quote && n < 31)
		text[n++] = *c->at++;
	text[n] = '\0';
	if (c->at == c->end || *c->at != quote)
		return false;
	c->at++;
	return true;
}

static bool shape(cursor *c, hd_npy *array)
{
	array->dims = 0;
	array->count = 1;
	if (!take(c, "("))
		return false;
	while (!take(c, ")")) {
		blanks(c);
		uint64_t value = 0;
		const char *first = c->at;
		for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
			value = value * 10 + (uint64_t)(*c->at - '0');
			if (value > HD_NPY_MAX)
				return false;
		}
		if (c->at == first || array->dims == HD_NPY_DIMS)
			return false;
		/* A zero in the shape means no elements, whatever the other sizes are. */
		if (value && array->count > HD_NPY_MAX / value)
			return false;
		array->count *= value;
		array->shape[array->dims++] = value;
		if (!take(c, ",") && !(take(c, ")") && (c->at--, true)))
			return false;
	}
	return true;
}

static bool type_of(const char *text, hd_npy *array)
{
	if ((text[0] != '<' && text[0] != '|' && text[0] != '=') || !text[1] || !strchr("fiub", text[1]) || !text[2] || text[3])
		return false;
	array->kind = text[1];
	array->bytes = (uint8_t)(text[2] - '0');
	if (array->kind == 'b')
		return array->bytes == 1;
	if (array->kind == 'f')
		return array->bytes == 2 || array->bytes == 4 || array->bytes == 8;
	return array->bytes == 1 || array->bytes == 2 || array->bytes == 4 || array->bytes == 8;
}

/* Parses the dictionary. False with an error that names the wrong entry. */
static bool header(cursor *c, const char *file, hd_npy *array, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	char key[32], text[32];
	bool seen_type = false, seen_order = false, seen_shape = false;
	if (!take(c, "{")) {
		hd_error(diag, pos, "has a damaged .npy header, expected a dictionary");
		return false;
	}
	while (!take(c, "}")) {
		if (!string(c, key) || !take(c, ":")) {
			hd_error(diag, pos, "has a damaged .npy header, expected a key");
			return false;
		}
		if (strcmp(key, "descr") == 0) {
			if (!string(c, text) || !type_of(text, array)) {
				hd_error(diag, pos,
				         "has elements of an unsupported type, expected little-endian f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 or b1");
				return false;
			}
			seen_type = true;
		} else if (strcmp(key, "fortran_order") == 0) {
			if (take(c, "True")) {
				hd_error(diag, pos, "is in Fortran order, expected C order (numpy.ascontiguousarray)");
				return false;
			}
			if (!take(c, "False")) {
				hd_error(diag, pos, "has a damaged .npy header, expected fortran_order to be False");
				return false;
			}
			seen_order = true;
		} else if (strcmp(key, "shape") == 0) {
			if (!shape(c, array)) {
				hd_error(diag, pos, "has a damaged shape, or one of more than %d dimensions or %zu elements", HD_NPY_DIMS,
				         HD_NPY_MAX);
				return false;
			}
			seen_shape = true;
		} else {
			hd_error(diag, pos, "has the unknown key '%s' in its .npy header", key);
			return false;
		}
		take(c, ",");
	}
	if (!seen_type || !seen_order || !seen_shape)
		hd_error(diag, pos, "has an incomplete .npy header, expected descr, fortran_order and shape");
	return seen_type && seen_order && seen_shape;
}

bool hd_npy_parse(const char *bytes, size_t size, const char *file, hd_npy *array, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	const unsigned char *b = (const unsigned char *)bytes;
	*array = (hd_npy){0};
	if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
		hd_error(diag, pos, "is no .npy file");
		return false;
	}
	if (b[6] < 1 || b[6] > 3) {
		hd_error(diag, pos, "is a .npy file of version %u, expected 1, 2 or 3", b[6]);
		return false;
	}
	size_t begin = b[6] == 1 ? 10 : 12, length = (size_t)b[8] | (size_t)b[9] << 8;
	if (b[6] > 1 && size >= 12)
		length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
	if (size < begin || length > size - begin) {
		hd_error(diag, pos, "is cut off in its header");
		return false;
	}
	cursor c = {bytes + begin, bytes + begin + length};
	if (!header(&c, file, array, diag))
		return false;
	uint64_t have = size - begin - length, want = array->count * array->bytes;
	if (have != want) {
		hd_error(diag, pos, "has %llu bytes of data, expected %llu for %llu elements of %u bytes", (unsigned long long)have,
		         (unsigned long long)want, (unsigned long long)array->count, array->bytes);
		return false;
	}
	array->data = hd_xmalloc(want);
	memcpy(array->data, bytes + begin + length, want);
	return true;
}

bool hd_npy_read(const char *path, hd_npy *array, hd_diag *diag)
{
	size_t size;
	*array = (hd_npy){0};
	char *bytes = hd_read_file(path, HD_NPY_MAX, &size, diag);
	if (!bytes)
		return false;
	bool ok = hd_npy_parse(bytes, size, path, array, diag);
	free(bytes);
	return ok;
}

bool hd_npy_write(hd_output_set *outputs, const char *path, const hd_npy *array, hd_diag *diag)
{
	hd_text text = {0};
	hd_text_put(&text, "\x93NUMPY\x01\x00\x00\x00", 10);
	hd_text_printf(&text, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (", array->bytes == 1 ? '|' : '<', array->kind, array->bytes);
	for (uint32_t i = 0; i < array->dims; i++)
		hd_text_printf(&text, "%llu,%s", (unsigned long long)array->shape[i], i + 1 < array->dims ? " " : "");
	hd_text_printf(&text, "), }");
	while ((text.n + 1) % 64)
		hd_text_put(&text, " ", 1);
	hd_text_put(&text, "\n", 1);
	text.at[8] = (char)((text.n - 10) & 255);
	text.at[9] = (char)((text.n - 10) >> 8);
	hd_text_put(&text, (const char *)array->data, array->count * array->bytes);
	bool ok = hd_output_put(outputs, path, text.at, text.n, diag);
	hd_text_free(&text);
	return ok;
}

void hd_npy_free(hd_npy *array)
{
	free(array->data);
	*array = (hd_npy){0};
}

bool hd_npy_type(const char *name, size_t length, char *kind, uint8_t *bytes)
{
	static const char *const names[] = {"f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
			*kind = name[0];
			*bytes = (uint8_t)(atoi(name + 1) / 8);
			return true;
		}
	}
	return false;
}
