/* Standard error of a part of a test. */
#ifndef CAPTURED_H
#define CAPTURED_H

#include <unistd.h>

typedef struct capture {
	FILE *file;
	int before; /* the previous standard error */
} capture;

static inline void capture_open(capture *c)
{
	c->file = tmpfile();
	assert_non_null(c->file);
	c->before = dup(STDERR_FILENO);
}

static inline void capture_begin(const capture *c) { dup2(fileno(c->file), STDERR_FILENO); }
static inline void capture_end(const capture *c) { dup2(c->before, STDERR_FILENO); }

/* The standard error since the last call; the caller frees. */
static inline char *captured(const capture *c)
{
	long n = lseek(fileno(c->file), 0, SEEK_END);
	char *bytes = calloc(1, (size_t)n + 1);
	assert_int_equal(pread(fileno(c->file), bytes, (size_t)n, 0), n);
	assert_int_equal(ftruncate(fileno(c->file), 0), 0);
	lseek(fileno(c->file), 0, SEEK_SET);
	return bytes;
}

static inline void capture_close(const capture *c)
{
	close(c->before);
	fclose(c->file);
}

#endif
