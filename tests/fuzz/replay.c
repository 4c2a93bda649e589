/* Calls a fuzz target with every file named on the command line, and with every prefix of the small ones. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { PREFIXES_BELOW = 512 };

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		fprintf(stderr, "%s: cannot be opened\n", path);
		return 1;
	}
	size_t cap = 1 << 20, size;
	uint8_t *bytes = malloc(cap);
	size = fread(bytes, 1, cap, file);
	fclose(file);
	for (size_t n = size < PREFIXES_BELOW ? 0 : size; n <= size; n++) {
		/* A copy of the very size, so that the sanitizer sees a read beyond it. */
		uint8_t *copy = malloc(n ? n : 1);
		for (size_t i = 0; i < n; i++)
			copy[i] = bytes[i];
		LLVMFuzzerTestOneInput(copy, n);
		free(copy);
	}
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;
	for (int i = 1; i < argc; i++)
		failed += replay(argv[i]);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	printf("%d inputs\n", argc - 1);
	return failed != 0;
}
