#include "graphics/graphics.h"

enum { STORED_MOST = 65535 }; /* bytes of a stored block of deflate */

static void put(hd_text *out, const void *bytes, size_t n) { hd_text_put(out, bytes, n); }

static void put_u32(hd_text *out, uint32_t value)
{
	const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
	put(out, bytes, sizeof bytes);
}

static uint32_t crc_of(const char *bytes, size_t n)
{
	uint32_t crc = ~0u;
	for (size_t i = 0; i < n; i++) {
		crc ^= (uint8_t)bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* A chunk: length, four letters, contents, check sum. */
static void put_chunk(hd_text *out, const char *kind, const hd_text *contents)
{
	put_u32(out, (uint32_t)contents->n);
	size_t from = out->n;
	put(out, kind, 4);
	if (contents->n)
		put(out, contents->at, contents->n);
	put_u32(out, crc_of(out->at + from, out->n - from));
}

static uint32_t adler_of(const hd_text *text)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < text->n; i++) {
		a = (a + (uint8_t)text->at[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

/* The lines of the picture, each behind a byte that says that it is not filtered, as blocks that are stored as they are. */
static void put_lines(hd_text *out, const uint8_t *pixels, uint32_t width, uint32_t height)
{
	hd_text lines = {0}, stream = {0};
	for (uint32_t y = 0; y < height; y++) {
		put(&lines, "", 1);
		put(&lines, pixels + (size_t)y * width * 4, (size_t)width * 4);
	}
	put(&stream, "\x78\x01", 2);
	for (size_t at = 0; at < lines.n; at += STORED_MOST) {
		size_t n = lines.n - at < STORED_MOST ? lines.n - at : STORED_MOST;
		const uint8_t head[5] = {at + n == lines.n, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};
		put(&stream, head, sizeof head);
		put(&stream, lines.at + at, n);
	}
	put_u32(&stream, adler_of(&lines));
	put_chunk(out, "IDAT", &stream);
	hd_text_free(&lines);
	hd_text_free(&stream);
}

hd_text ex_png(const uint8_t *pixels, uint32_t width, uint32_t height)
{
	static const uint8_t form[5] = {8, 6, 0, 0, 0}; /* eight bits, with alpha, no other choice */
	hd_text out = {0}, head = {0};
	put(&out, "\x89PNG\r\n\x1a\n", 8);
	put_u32(&head, width);
	put_u32(&head, height);
	put(&head, form, sizeof form);
	put_chunk(&out, "IHDR", &head);
	put_lines(&out, pixels, width, height);
	put_chunk(&out, "IEND", &(hd_text){0});
	hd_text_free(&head);
	return out;
}
