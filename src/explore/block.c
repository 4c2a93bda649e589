#include "explore/block.h"

#define ZLIB_CONST /* input that zlib does not write to */
#include <zlib.h>

enum { LEVEL = 6, LINE = 3 * 4096 /* bytes that are written at a time; divisible by 3 */ };

const char *const hd_block_names[HD_BLOCK_KINDS] = {"code", "level", "warps", "tile", "units", "index"};

static size_t base64(char *to, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *at = to;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
		*at++ = digits[word >> 18];
		*at++ = digits[word >> 12 & 63];
		*at++ = i + 1 < n ? digits[word >> 6 & 63] : '=';
		*at++ = i + 2 < n ? digits[word & 63] : '=';
	}
	return (size_t)(at - to);
}

static void put_text(hd_blocks *blocks, const char *text, size_t n)
{
	fwrite(text, 1, n, blocks->out);
	blocks->written += n;
}

void hd_block_put(hd_blocks *blocks, hd_block_row row, const void *bytes, size_t n)
{
	static const char begin[] = "<script type=\"text/plain\" class=\"block\">", end[] = "</script>\n";
	char line[LINE / 3 * 4];
	uLongf size = compressBound((uLong)n);
	unsigned char *compressed = hd_xmalloc(size);
	int status = compress2(compressed, &size, bytes, (uLong)n, LEVEL);
	hd_invariant(status == Z_OK, "compress2: %d", status);
	put_text(blocks, begin, sizeof begin - 1);
	for (size_t i = 0; i < size; i += LINE)
		put_text(blocks, line, base64(line, compressed + i, size - i < LINE ? size - i : LINE));
	put_text(blocks, end, sizeof end - 1);
	free(compressed);
	if (row.kind != HD_BLOCK_INDEX)
		hd_vec_push(&blocks->rows, row);
}

void hd_blocks_free(hd_blocks *blocks) { hd_vec_free(&blocks->rows); }

void hd_put_number(hd_text *bytes, uint64_t value)
{
	char digits[10];
	size_t n = 0;
	for (; value >= 128; value >>= 7)
		digits[n++] = (char)((value & 127) | 128);
	digits[n++] = (char)value;
	hd_text_put(bytes, digits, n);
}

void hd_put_change(hd_text *bytes, uint64_t value, uint64_t before)
{
	uint64_t change = value - before;
	hd_put_number(bytes, change >> 63 ? ~(change << 1) : change << 1);
}
