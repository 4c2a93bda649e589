/* Streams that compress: what comes out is what went in, in every size, and a stream that cannot be written says so at its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../test.h"
#include <zlib.h>

#include "trace/gzip.h"

enum { LARGE = 1 << 20 };

/* A file without a name that is there until it is closed. */
static FILE *fresh(void)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	return file;
}

static size_t size_of(FILE *file)
{
	assert_int_equal(fflush(file), 0);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	return (size_t)ftell(file);
}

/* Writes `n` bytes in pieces, reads them back, and returns the compressed size. */
static size_t round_trip(const char *bytes, size_t n, size_t piece)
{
	FILE *file = fresh(), *stream = hd_gzip_open(file);
	assert_non_null(stream);
	for (size_t at = 0; at < n; at += piece)
		assert_int_equal(fwrite(bytes + at, 1, n - at < piece ? n - at : piece, stream), n - at < piece ? n - at : piece);
	assert_int_equal(fclose(stream), 0);
	size_t size = size_of(file);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	gzFile in = gzdopen(dup(fileno(file)), "rb");
	char *back = malloc(n + 1);
	assert_non_null(back);
	assert_int_equal(gzread(in, back, (unsigned)n + 1), n);
	assert_memory_equal(back, bytes, n);
	assert_int_equal(gzclose(in), Z_OK);
	free(back);
	fclose(file);
	return size;
}

TEST(what_goes_in_comes_out)
{
	char *noise = malloc(LARGE), *text = malloc(LARGE);
	uint32_t seed = 1;
	for (size_t i = 0; i < LARGE; i++) {
		seed = seed * 1664525u + 1013904223u;
		noise[i] = (char)(seed >> 24);
		text[i] = "trace of a run\n"[i % 15];
	}
	assert_int_equal(round_trip(text, 0, 1), 20); /* head and end alone */
	round_trip(text, 1, 1);
	/* Noise does not become smaller, so its output fills the buffer many times. */
	assert_true(round_trip(noise, LARGE, 1000) > LARGE);
	assert_true(round_trip(noise, LARGE, LARGE) > LARGE);
	assert_true(round_trip(text, LARGE, 77) < LARGE / 100);
	free(noise);
	free(text);
}

/* Two files of the same content have the same bytes: no name and no time is in them. */
TEST(equal_contents_make_equal_files)
{
	char bytes[2][64];
	size_t n[2];
	for (unsigned i = 0; i < 2; i++) {
		FILE *file = fresh(), *stream = hd_gzip_open(file);
		fputs("the same", stream);
		assert_int_equal(fclose(stream), 0);
		rewind(file);
		n[i] = fread(bytes[i], 1, sizeof bytes[i], file);
		fclose(file);
	}
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(bytes[0], bytes[1], n[0]);
	assert_memory_equal(bytes[0] + 4, "\0\0\0\0", 4); /* the time */
}

TEST(a_stream_that_cannot_be_written_says_so)
{
	char name[] = "/tmp/heddle-gzip-XXXXXX";
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	close(fd);
	FILE *file = fopen(name, "r"), *stream = hd_gzip_open(file);
	unlink(name);
	assert_non_null(stream);
	assert_int_equal(setvbuf(file, NULL, _IONBF, 0), 0);
	fputs("text", stream);
	assert_int_equal(fclose(stream), EOF);
	fclose(file);
}
