#include "base/base.h"

#include "base/plain.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

void hd_panic_at(const char *file, int line, const char *format, ...)
{
	va_list args;
	fprintf(stderr, "%s:%d: internal error: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

void *hd_xmalloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);
	if (!p)
		hd_out_of_memory(bytes);
	return p;
}

void *hd_xcalloc(size_t count, size_t bytes)
{
	void *p = calloc(count ? count : 1, bytes ? bytes : 1);
	if (!p)
		hd_out_of_memory(bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes);
	return p;
}

void *hd_xrealloc(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p)
		hd_out_of_memory(bytes);
	return p;
}

char *hd_xstrdup(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(hd_xmalloc(n), text, n);
}

double hd_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool hd_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

const char *hd_grouped_digits(uint64_t value, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

void *hd_xaligned(size_t bytes)
{
	size_t rounded = (bytes + 63) & ~(size_t)63;
	void *p = aligned_alloc(64, rounded ? rounded : 64);
	if (!p)
		hd_out_of_memory(bytes);
	memset(p, 0, rounded ? rounded : 64);
	return p;
}

struct hd_arena_block {
	struct hd_arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

void *hd_arena_alloc(hd_arena *arena, size_t bytes)
{
	size_t need = (bytes + 15) & ~(size_t)15;
	struct hd_arena_block *block = arena->blocks;
	if (!block || block->size - block->used < need) {
		size_t size = hd_max_u64(need, 65536);
		block = hd_xcalloc(1, sizeof *block + size);
		block->size = size;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *p = block->bytes + block->used;
	block->used += need;
	return p;
}

char *hd_arena_strndup(hd_arena *arena, const char *text, size_t length)
{
	char *copy = hd_arena_alloc(arena, length + 1);
	memcpy(copy, text, length);
	return copy;
}

char *hd_arena_printf(hd_arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	hd_invariant(n >= 0, "bad format");
	char *text = hd_arena_alloc(arena, (size_t)n + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return text;
}

void hd_arena_free(hd_arena *arena)
{
	for (struct hd_arena_block *block = arena->blocks; block;) {
		struct hd_arena_block *next = block->next;
		free(block);
		block = next;
	}
	arena->blocks = NULL;
}

void *hd_vec_grow(void *at, size_t *cap, size_t element)
{
	size_t grown = *cap ? *cap * 2 : 8;
	hd_invariant(grown < SIZE_MAX / element, "vector too large");
	*cap = grown;
	return hd_xrealloc(at, grown * element);
}

hd_bits hd_bits_new(size_t bits) { return (hd_bits){.w = hd_xcalloc((bits + 63) / 64, 8), .bits = bits}; }

void hd_bits_free(hd_bits *set)
{
	free(set->w);
	*set = (hd_bits){0};
}

bool hd_bits_or(hd_bits *into, const hd_bits *from)
{
	uint64_t changed = 0;
	for (size_t i = 0; i < (into->bits + 63) / 64; i++) {
		changed |= from->w[i] & ~into->w[i];
		into->w[i] |= from->w[i];
	}
	return changed != 0;
}

size_t hd_bits_next(const hd_bits *set, size_t from)
{
	uint64_t above = UINT64_MAX << (from & 63); /* masks the first word only */
	for (size_t i = from >> 6; i < (set->bits + 63) / 64; i++, above = UINT64_MAX) {
		if (set->w[i] & above)
			return 64 * i + hd_lowest_bit(set->w[i] & above);
	}
	return set->bits;
}

void hd_bits_copy(hd_bits *into, const hd_bits *from) { memcpy(into->w, from->w, (into->bits + 63) / 64 * 8); }
void hd_bits_clear(hd_bits *set) { memset(set->w, 0, (set->bits + 63) / 64 * 8); }

static void text_reserve(hd_text *text, size_t more)
{
	if (text->cap - text->n > more)
		return;
	size_t cap = text->cap ? text->cap : 256;
	while (cap - text->n <= more)
		cap *= 2;
	text->at = hd_xrealloc(text->at, cap);
	text->cap = cap;
}

void hd_text_vprintf(hd_text *text, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	hd_invariant(n >= 0, "bad format");
	text_reserve(text, (size_t)n + 1);
	vsnprintf(text->at + text->n, (size_t)n + 1, format, again);
	va_end(again);
	text->n += (size_t)n;
}

void hd_text_printf(hd_text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_text_vprintf(text, format, args);
	va_end(args);
}

void hd_text_put(hd_text *text, const char *bytes, size_t n)
{
	text_reserve(text, n + 1);
	memcpy(text->at + text->n, bytes, n);
	text->n += n;
	text->at[text->n] = '\0';
}

void hd_text_free(hd_text *text)
{
	free(text->at);
	*text = (hd_text){0};
}

unsigned hd_edit_distance(const char *a, const char *b)
{
	/* Row i has the distances of a's first i characters from the beginnings of b; three rows are in use at a time. */
	unsigned rows[3][HD_DISTANCE_MAX];
	size_t n = strlen(b), i = 0;
	if (n >= HD_DISTANCE_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= n; j++)
		rows[0][j] = j;
	for (; a[i]; i++) {
		const unsigned *before = rows[(i + 2) % 3], *last = rows[i % 3];
		unsigned *row = rows[(i + 1) % 3];
		row[0] = last[0] + 1;
		for (size_t j = 0; j < n; j++) {
			row[j + 1] = hd_min_u32(hd_min_u32(last[j + 1], row[j]) + 1, last[j] + (a[i] != b[j]));
			if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
				row[j + 1] = hd_min_u32(row[j + 1], before[j - 1] + 1);
		}
	}
	return rows[i % 3][n];
}

hd_number hd_read_number(const char *text, size_t n, uint64_t maximum, uint64_t *value)
{
	uint64_t sum = 0;
	bool hexadecimal = n > 2 && text[0] == '0' && (text[1] | 32) == 'x', overflow = false;
	unsigned base = hexadecimal ? 16 : 10;
	if (!n)
		return HD_NUMBER_MISSING;
	for (size_t i = hexadecimal ? 2 : 0; i < n; i++) {
		char c = text[i];
		unsigned digit = c >= '0' && c <= '9'                 ? (unsigned)(c - '0')
		                 : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a') + 10
		                                                      : 16;
		if (digit >= base)
			return HD_NUMBER_BAD;
		overflow = overflow || sum > (UINT64_MAX - digit) / base;
		sum = sum * base + digit;
	}
	*value = sum;
	return overflow || sum > maximum ? HD_NUMBER_LARGE : HD_NUMBER_GOOD;
}

bool hd_take_number(const char **at, uint64_t maximum, uint64_t *value)
{
	size_t n = strspn(*at, "0123456789abcdefABCDEFxX");
	bool good = hd_read_number(*at, n, maximum, value) == HD_NUMBER_GOOD;
	*at += n;
	return good;
}

void hd_suggest(hd_suggestion *suggestion, const char *candidate)
{
	const char *word = suggestion->word;
	size_t length = strlen(word), letters = length - strspn(word, "-");
	if (length >= HD_DISTANCE_MAX || letters < 2)
		return;
	bool beginning = letters > 2 && strncmp(word, candidate, length) == 0;
	unsigned distance = beginning ? 1 : hd_edit_distance(word, candidate);
	if ((suggestion->nearest && distance >= suggestion->distance) || distance > (letters + 1) / 3)
		return;
	suggestion->nearest = candidate;
	suggestion->distance = distance;
}

char *hd_suggestion_text(const hd_suggestion *suggestion)
{
	hd_text text = {0};
	if (suggestion->nearest)
		hd_text_printf(&text, ", did you mean %s?", suggestion->nearest);
	return text.at ? text.at : hd_xstrdup("");
}

static void diag_position(hd_text *text, hd_pos pos)
{
	if (pos.file)
		hd_text_printf(text, "%s:", pos.file);
	if (pos.file && pos.line)
		hd_text_printf(text, "%u:", pos.line);
	if (pos.file && pos.line && pos.column)
		hd_text_printf(text, "%u:", pos.column);
	hd_text_printf(text, "%serror: ", pos.file ? " " : "");
}

/* Names from files and whole words of the command line are parts of messages: they are kept short, and do not control the terminal. */
static void make_presentable(hd_text *text, size_t begin)
{
	if (text->n - begin > HD_MESSAGE_MAX) {
		text->n = begin + HD_MESSAGE_MAX;
		hd_text_put(text, " ...", 4);
	}
	hd_text_make_plain(text, begin);
}

void hd_error(hd_diag *diag, hd_pos pos, const char *format, ...)
{
	if (diag->errors++ >= HD_DIAG_MAX)
		return;
	va_list args;
	size_t begin = diag->text.n;
	diag_position(&diag->text, pos);
	va_start(args, format);
	hd_text_vprintf(&diag->text, format, args);
	va_end(args);
	make_presentable(&diag->text, begin);
	hd_text_put(&diag->text, "\n", 1);
}

void hd_diag_free(hd_diag *diag)
{
	hd_text_free(&diag->text);
	*diag = (hd_diag){0};
}

char *hd_read_file(const char *path, size_t limit, size_t *size, hd_diag *diag)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : fopen(path, "rb");
	if (!file) {
		hd_error(diag, (hd_pos){.file = path}, "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	hd_text text = {0};
	char chunk[65536];
	size_t n;
	struct stat status;
	bool ok = fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) || (uintmax_t)status.st_size <= limit;
	if (!ok) /* a sparse file of a terabyte is refused without a look at its bytes */
		hd_error(diag, (hd_pos){.file = path}, "is larger than the limit of %zu bytes", limit);
	while (ok && (n = fread(chunk, 1, sizeof chunk, file)) > 0) {
		if (n > limit - text.n) {
			hd_error(diag, (hd_pos){.file = path}, "is larger than the limit of %zu bytes", limit);
			ok = false;
		} else {
			hd_text_put(&text, chunk, n);
		}
	}
	if (ok && ferror(file)) {
		hd_error(diag, (hd_pos){.file = path}, "cannot be read: %s", strerror(errno));
		ok = false;
	}
	if (!standard)
		fclose(file);
	if (!ok) {
		hd_text_free(&text);
		return NULL;
	}
	if (!text.at)
		hd_text_put(&text, "", 0);
	*size = text.n;
	return text.at;
}
