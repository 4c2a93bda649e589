#include "api/npy.h"

#include <errno.h>

enum { HEADER_MAX = 1 << 16 /* bytes */ };

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
	if (!seen_type || !seen_order || !seen_shape) {
		hd_error(diag, pos, "has an incomplete .npy header, expected descr, fortran_order and shape");
		return false;
	}
	if (array->count <= HD_NPY_MAX / array->bytes)
		return true;
	hd_error(diag, pos, "has %llu elements of %u bytes, expected at most %zu bytes", (unsigned long long)array->count, array->bytes, HD_NPY_MAX);
	return false;
}

/* Where the dictionary begins, and how long it is. False for a file that is none. */
static bool prefix(const char *bytes, size_t size, const char *file, size_t *begin, size_t *length, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	const unsigned char *b = (const unsigned char *)bytes;
	if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
		hd_error(diag, pos, "is no .npy file");
		return false;
	}
	if (b[6] < 1 || b[6] > 3) {
		hd_error(diag, pos, "is a .npy file of version %u, expected 1, 2 or 3", b[6]);
		return false;
	}
	*begin = b[6] == 1 ? 10 : 12;
	*length = (size_t)b[8] | (size_t)b[9] << 8;
	if (b[6] > 1 && size >= 12)
		*length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
	if (size < *begin || *length > HEADER_MAX) {
		hd_error(diag, pos, size < *begin ? "is cut off in its header" : "has a header of more than %d bytes", HEADER_MAX);
		return false;
	}
	return true;
}

static bool wrong_size(const hd_npy *array, const char *file, const char *more, uint64_t have, hd_diag *diag)
{
	hd_error(diag, (hd_pos){.file = file}, "has %s%llu bytes of data, expected %llu for %llu elements of %u bytes", more,
	         (unsigned long long)have, (unsigned long long)(array->count * array->bytes), (unsigned long long)array->count, array->bytes);
	return false;
}

bool hd_npy_parse(const char *bytes, size_t size, const char *file, hd_npy *array, hd_diag *diag)
{
	size_t begin, length;
	*array = (hd_npy){0};
	if (!prefix(bytes, size, file, &begin, &length, diag))
		return false;
	if (length > size - begin) {
		hd_error(diag, (hd_pos){.file = file}, "is cut off in its header");
		return false;
	}
	cursor c = {bytes + begin, bytes + begin + length};
	if (!header(&c, file, array, diag))
		return false;
	uint64_t have = size - begin - length, want = array->count * array->bytes;
	if (have != want)
		return wrong_size(array, file, "", have, diag);
	array->data = hd_xmalloc(want);
	memcpy(array->data, bytes + begin + length, want);
	return true;
}

/* Appends up to `n` bytes of the file. Memory grows with the bytes that are there, not with those that a header promises. */
static void append(FILE *file, uint64_t n, hd_text *text)
{
	char chunk[65536];
	size_t got = 1;
	for (; n && got; n -= got) {
		got = fread(chunk, 1, hd_min_u64(n, sizeof chunk), file);
		hd_text_put(text, chunk, got);
	}
}

/* Reads no byte beyond what the header promises but one, so that a file without an end ends here. */
static bool read_stream(FILE *file, const char *path, hd_npy *array, hd_diag *diag)
{
	hd_text head = {0}, data = {0};
	size_t begin, length;
	append(file, 12, &head);
	bool ok = !ferror(file) && prefix(head.at ? head.at : "", head.n, path, &begin, &length, diag);
	if (ok) {
		append(file, begin + length > head.n ? begin + length - head.n : 0, &head);
		ok = head.n >= begin + length;
		if (!ok)
			hd_error(diag, (hd_pos){.file = path}, "is cut off in its header");
	}
	cursor c = ok ? (cursor){head.at + begin, head.at + begin + length} : (cursor){0};
	ok = ok && header(&c, path, array, diag);
	if (ok) {
		uint64_t want = array->count * array->bytes;
		hd_text_put(&data, head.at + begin + length, head.n - begin - length); /* of a header of less than two bytes */
		append(file, want - hd_min_u64(want, data.n), &data);
		bool more = data.n > want || (data.n == want && fgetc(file) != EOF);
		ok = data.n == want && !more;
		if (!ok && !ferror(file))
			wrong_size(array, path, more ? "more than " : "", more ? want : data.n, diag);
	}
	hd_text_free(&head);
	if (ok)
		array->data = (uint8_t *)data.at;
	else
		hd_text_free(&data);
	return ok;
}

bool hd_npy_read(const char *path, hd_npy *array, hd_diag *diag)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : fopen(path, "rb");
	*array = (hd_npy){0};
	if (!file) {
		hd_error(diag, (hd_pos){.file = path}, "cannot be opened: %s", strerror(errno));
		return false;
	}
	unsigned before = diag->errors;
	errno = 0;
	bool ok = read_stream(file, path, array, diag);
	if (ferror(file) && diag->errors == before)
		hd_error(diag, (hd_pos){.file = path}, "cannot be read: %s", strerror(errno));
	if (!standard)
		fclose(file);
	return ok && diag->errors == before;
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
