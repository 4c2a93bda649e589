#include "example.h"

/* The file's name without its ending, and its text. */
static const char *const texts[][2] = {
#define SOURCE(name, text) {name, text},
#include "example_sources.inc"
};

const char *ex_source_text(const char *source)
{
	const char *base = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
	size_t length = strcspn(base, ".");
	for (size_t i = 0; i < HD_COUNT(texts); i++)
		if (strlen(texts[i][0]) == length && memcmp(texts[i][0], base, length) == 0 && strcmp(base + length, ".cl") == 0)
			return texts[i][1];
	return NULL;
}
