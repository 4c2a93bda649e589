#define _GNU_SOURCE /* fopencookie */
#include "trace/gzip.h"

#include "base/base.h"

#define ZLIB_CONST /* input that zlib does not write to */
#include <zlib.h>

/* windowBits 15 is the largest window, 16 more asks for a gzip head, in which zlib writes no time. */
enum { BUFFER = 1 << 16, WINDOW = 15 + 16, MEMORY = 8, LEVEL = 6 };

typedef struct gzip {
	z_stream stream;
	FILE *out;
	unsigned char buffer[BUFFER];
} gzip;

/* Compresses the stream's input, as far as zlib wants to. False when `out` does not take it. */
static bool compress_input(gzip *g, int flush)
{
	do {
		g->stream.next_out = g->buffer;
		g->stream.avail_out = BUFFER;
		int status = deflate(&g->stream, flush);
		hd_invariant(status != Z_STREAM_ERROR, "deflate: the state is broken");
		size_t n = BUFFER - g->stream.avail_out;
		if (fwrite(g->buffer, 1, n, g->out) != n)
			return false;
	} while (g->stream.avail_out == 0);
	return true;
}

static ssize_t put(void *cookie, const char *bytes, size_t n)
{
	gzip *g = cookie;
	size_t taken = n < UINT32_MAX / 2 ? n : UINT32_MAX / 2;
	g->stream.next_in = (const unsigned char *)bytes;
	g->stream.avail_in = (uInt)taken;
	return compress_input(g, Z_NO_FLUSH) ? (ssize_t)taken : 0;
}

static int end(void *cookie)
{
	gzip *g = cookie;
	g->stream.next_in = NULL;
	g->stream.avail_in = 0;
	bool ok = compress_input(g, Z_FINISH);
	deflateEnd(&g->stream);
	free(g);
	return ok ? 0 : EOF;
}

FILE *hd_gzip_open(FILE *out)
{
	gzip *g = hd_xcalloc(1, sizeof *g);
	g->out = out;
	if (deflateInit2(&g->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		return NULL;
	}
	FILE *stream = fopencookie(g, "w", (cookie_io_functions_t){.write = put, .close = end});
	if (!stream) {
		deflateEnd(&g->stream);
		free(g);
	}
	return stream;
}
