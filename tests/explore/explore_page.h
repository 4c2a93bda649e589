/* A page of the explorer read back: its text and its blocks. */
#ifndef HD_TESTS_EXPLORE_PAGE_H
#define HD_TESTS_EXPLORE_PAGE_H

#include "base/base.h"

#include <stdio.h>
#include <zlib.h>

enum { EXPLORE_BLOCK_MAX = 1 << 26 };

typedef struct explore_bytes {
	char *bytes; /* with a 0 behind them */
	size_t n;
} explore_bytes;

typedef struct explore_page {
	char *text;
	size_t n;
	HD_VEC(explore_bytes) blocks;
} explore_page;

static inline unsigned explore_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	return c == '=' ? 0 : (unsigned)(strchr(digits, c) - digits);
}

static inline explore_bytes explore_inflate(const char *base64, size_t n)
{
	unsigned char *packed = hd_xmalloc(n / 4 * 3 + 1);
	for (size_t i = 0; i < n / 4; i++) {
		const char *at = base64 + 4 * i;
		uint32_t word = explore_digit(at[0]) << 18 | explore_digit(at[1]) << 12 | explore_digit(at[2]) << 6 | explore_digit(at[3]);
		packed[3 * i] = (unsigned char)(word >> 16);
		packed[3 * i + 1] = (unsigned char)(word >> 8);
		packed[3 * i + 2] = (unsigned char)word;
	}
	size_t padding = (n && base64[n - 1] == '=') + (n > 1 && base64[n - 2] == '=');
	uLongf size = EXPLORE_BLOCK_MAX;
	explore_bytes block = {.bytes = hd_xmalloc(EXPLORE_BLOCK_MAX)};
	uLong used = (uLong)(n / 4 * 3 - padding);
	assert_int_equal(uncompress2((Bytef *)block.bytes, &size, packed, &used), Z_OK);
	assert_int_equal(used, n / 4 * 3 - padding); /* nothing is behind the stream */
	free(packed);
	block.bytes = hd_xrealloc(block.bytes, size + 1);
	block.bytes[size] = '\0';
	block.n = size;
	return block;
}

/* Reads and closes the file. */
static inline explore_page explore_read(FILE *file)
{
	static const char begin[] = "<script type=\"text/plain\" class=\"block\">";
	explore_page page = {0};
	fseek(file, 0, SEEK_END);
	page.n = (size_t)ftell(file);
	rewind(file);
	page.text = hd_xmalloc(page.n + 1);
	assert_int_equal(fread(page.text, 1, page.n, file), page.n);
	page.text[page.n] = '\0';
	fclose(file);
	for (const char *at = page.text; (at = strstr(at, begin)) != NULL;) {
		at += sizeof begin - 1;
		hd_vec_push(&page.blocks, explore_inflate(at, strcspn(at, "<")));
	}
	return page;
}

static inline void explore_release(explore_page *page)
{
	for (size_t i = 0; i < page->blocks.n; i++)
		free(page->blocks.at[i].bytes);
	hd_vec_free(&page->blocks);
	free(page->text);
}

static inline uint64_t explore_number(const char *bytes, size_t *at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	for (;; shift += 7) {
		uint64_t byte = (unsigned char)bytes[(*at)++];
		value |= (byte & 127) << shift;
		if (byte < 128)
			return value;
	}
}

static inline uint64_t explore_change(const char *bytes, size_t *at, uint64_t before)
{
	uint64_t value = explore_number(bytes, at);
	return before + (value & 1 ? ~(value >> 1) : value >> 1);
}

#endif
