/* fuzz-NAME-mutations FIRST COUNT FILE...: calls a fuzz target with COUNT inputs made from the files, the first from seed FIRST. The same seed and
 * files give the same input everywhere. Text (files that are it) is changed by words and lines, so that most of it still means something; everything
 * else by bytes and 32-bit words. A seed that breaks something is printed before it is tried, by FUZZ_SHOW=1; FUZZ_KEEP=FILE keeps the input. */
#include "fuzz.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZE_MAX_ = 1 << 17, CHANGES = 6 };

typedef struct input {
	uint8_t *bytes;
	size_t n;
	bool text;
} input;

static size_t any(uint64_t *seed, size_t n) { return n ? (size_t)(hd_random(seed) >> 11) % n : 0; }

static void replace(input *in, size_t at, size_t old, const void *bytes, size_t n)
{
	if (at > in->n || old > in->n - at || in->n - old + n > SIZE_MAX_)
		return;
	uint8_t *copy = hd_xmalloc(n + 1);
	memcpy(copy, bytes, n); /* it may be part of the input */
	memmove(in->bytes + at + n, in->bytes + at + old, in->n - at - old);
	memcpy(in->bytes + at, copy, n);
	in->n += n - old;
	free(copy);
}

static bool in_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '$' || c == '.';
}

/* The word at or behind a random place: *n = 0 when there is none. */
static size_t pick_word(const input *in, uint64_t *seed, size_t *n)
{
	size_t at = any(seed, in->n);
	while (at < in->n && !in_word(in->bytes[at]))
		at++;
	while (at > 0 && in_word(in->bytes[at - 1]))
		at--;
	for (*n = 0; at + *n < in->n && in_word(in->bytes[at + *n]);)
		++*n;
	return at;
}

static size_t pick_line(const input *in, uint64_t *seed, size_t *n)
{
	size_t at = any(seed, in->n);
	while (at > 0 && in->bytes[at - 1] != '\n')
		at--;
	for (*n = 0; at + *n < in->n && in->bytes[at + *n] != '\n';)
		++*n;
	*n += at + *n < in->n;
	return at;
}

/* The kind of a word, as far as its letters tell: "%rd", "$L", "ld.", digits. */
static size_t kind_of(const uint8_t *word, size_t n)
{
	size_t k = 0;
	while (k < n && k < 4 && !(word[k] >= '0' && word[k] <= '9'))
		k++;
	return k;
}

/* A word for another of its kind, so that the file mostly still means something. */
static void change_alike(input *in, const input *other, uint64_t *seed)
{
	size_t n, m, at = pick_word(in, seed, &n);
	size_t kind = kind_of(in->bytes + at, n);
	for (unsigned tries = 0; n && tries < 60; tries++) {
		const input *source = tries % 4 == 3 ? other : in;
		size_t from = pick_word(source, seed, &m);
		if (m == 0 || kind_of(source->bytes + from, m) != kind || memcmp(source->bytes + from, in->bytes + at, kind) != 0 ||
		    (m == n && memcmp(source->bytes + from, in->bytes + at, n) == 0))
			continue;
		replace(in, at, n, source->bytes + from, m);
		return;
	}
}

/* A line takes another one's place, that one stays; or it goes. Lines with a label, a brace or a directive are left alone. */
static void change_line(input *in, uint64_t *seed)
{
	for (unsigned tries = 0; tries < 20; tries++) {
		size_t n, m, at = pick_line(in, seed, &n), from = pick_line(in, seed, &m);
		if (n < 3 || m < 3 || in->bytes[at] != '\t' || in->bytes[from] != '\t' || in->bytes[at + 1] == '.' || in->bytes[from + 1] == '.')
			continue;
		if (any(seed, 3))
			replace(in, at, any(seed, 2) ? n : 0, in->bytes + from, m);
		else
			replace(in, at, n, "", 0);
		return;
	}
}

static void change_text(input *in, const input *other, uint64_t *seed)
{
	static const char *const numbers[] = {"0",
	                                      "1",
	                                      "-1",
	                                      "2147483647",
	                                      "2147483648",
	                                      "4294967295",
	                                      "4294967296",
	                                      "7",
	                                      "255",
	                                      "256",
	                                      "65536",
	                                      "9223372036854775807",
	                                      "18446744073709551616",
	                                      "0x",
	                                      "1e9",
	                                      "0f7F800000",
	                                      "0xffffffff",
	                                      "1024",
	                                      "33",
	                                      "8193",
	                                      "100000"};
	static const char *const marks[] = {"{",  "}",  "(",  ")",  ";",  ":", ",", "[", "]", "@", "!",
	                                    "\"", "\\", "//", "/*", "\n", "<", ">", ".", "%", "+", "-"};
	size_t n, m, at = pick_word(in, seed, &n), from;
	const char *word;
	switch (any(seed, 9)) {
	case 0: /* another word of the same kind of file */
		from = pick_word(other, seed, &m);
		replace(in, at, n, other->bytes + from, m);
		break;
	case 1:
	case 2: /* a word of this file: registers, labels, operations */
		from = pick_word(in, seed, &m);
		replace(in, at, n, in->bytes + from, m);
		break;
	case 3:
		word = numbers[any(seed, HD_COUNT(numbers))];
		replace(in, at, n, word, strlen(word));
		break;
	case 4:
		word = marks[any(seed, HD_COUNT(marks))];
		replace(in, any(seed, in->n), any(seed, 2), word, strlen(word));
		break;
	case 5: /* a line twice, elsewhere, or from another file */
		from = pick_line(in, seed, &m);
		at = pick_line(in, seed, &n);
		replace(in, at, 0, in->bytes + from, m);
		break;
	case 6:
		from = pick_line(other, seed, &m);
		at = pick_line(in, seed, &n);
		replace(in, at, any(seed, 2) ? n : 0, other->bytes + from, m);
		break;
	case 7:
		at = pick_line(in, seed, &n);
		replace(in, at, n, "", 0);
		break;
	default:
		replace(in, at, n, "", 0);
		break;
	}
}

static void change_bytes(input *in, const input *other, uint64_t *seed)
{
	static const uint32_t words[] = {0, 1, 7, 8, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000, 0x1000000};
	size_t at = any(seed, in->n), n = any(seed, 64), from = any(seed, other->n);
	uint32_t word = words[any(seed, HD_COUNT(words))];
	uint8_t bit = (uint8_t)(1u << any(seed, 8));
	switch (any(seed, 6)) {
	case 0:
	case 1:
		if (at < in->n)
			in->bytes[at] ^= bit;
		break;
	case 2:
	case 3:
		at &= ~(size_t)3;
		if (in->n - at >= 4)
			memcpy(in->bytes + at, &word, 4);
		break;
	case 4:
		replace(in, at, n < in->n - at ? n : 0, other->bytes + from, n < other->n - from ? n : 0);
		break;
	default:
		replace(in, at, any(seed, 8) ? 0 : in->n - at, "\0\0\0\0", any(seed, 5));
		break;
	}
}

static bool read_all(const char *path, input *in)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return false;
	in->bytes = hd_xmalloc(SIZE_MAX_);
	in->n = fread(in->bytes, 1, SIZE_MAX_, file);
	in->text = !memchr(in->bytes, 0, in->n);
	fclose(file);
	return true;
}

static void keep(const char *path, const uint8_t *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");
	if (file) {
		fwrite(bytes, 1, n, file);
		fclose(file);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
	unsigned files = (unsigned)argc - 3;
	input *seeds = hd_xcalloc(files, sizeof *seeds), in = {.bytes = hd_xmalloc(SIZE_MAX_)};
	for (unsigned i = 0; i < files; i++) {
		if (!read_all(argv[i + 3], &seeds[i])) {
			fprintf(stderr, "%s: cannot be opened\n", argv[i + 3]);
			return 2;
		}
	}
	for (uint64_t k = first; k < first + count; k++) {
		uint64_t seed = k * 7919 + 1;
		const input *base = &seeds[any(&seed, files)], *other = &seeds[any(&seed, files)];
		memcpy(in.bytes, base->bytes, base->n);
		in.n = base->n;
		bool gentle = any(&seed, 4) != 0;
		for (size_t changes = 1 + any(&seed, gentle ? 3 : CHANGES); changes > 0; changes--) {
			if (base->text && gentle && any(&seed, 3))
				change_alike(&in, other, &seed);
			else if (base->text && gentle)
				change_line(&in, &seed);
			else if (base->text)
				change_text(&in, other, &seed);
			else if (gentle && any(&seed, 2))
				in.bytes[any(&seed, in.n)] ^= (uint8_t)(1u << any(&seed, 8));
			else
				change_bytes(&in, other, &seed);
		}
		if (getenv("FUZZ_SHOW"))
			fprintf(stderr, "%llu\n", (unsigned long long)k);
		if (getenv("FUZZ_KEEP"))
			keep(getenv("FUZZ_KEEP"), in.bytes, in.n);
		/* A copy of the very size, so that the sanitizer sees a read beyond it. */
		uint8_t *copy = hd_xmalloc(in.n ? in.n : 1);
		memcpy(copy, in.bytes, in.n);
		LLVMFuzzerTestOneInput(copy, in.n);
		free(copy);
	}
	for (unsigned i = 0; i < files; i++)
		free(seeds[i].bytes);
	free(seeds);
	free(in.bytes);
	printf("%llu inputs\n", (unsigned long long)count);
	return 0;
}
