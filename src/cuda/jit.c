/* Modules as programs load them: with options of the compiler, from memory and from files. Both interfaces have the same numbers for the options. */
#include "cuda/state.h"

#include <time.h>

enum { /* what of the options means something here, and how many there are */
       WALL_TIME = 2,
       INFO_LOG_BUFFER,
       INFO_LOG_SIZE,
       ERROR_LOG_BUFFER,
       ERROR_LOG_SIZE,
       N_OPTIONS = 35,
};

cudaError_t hu_jit_read(hu_jit *j, unsigned n, const int *options, void *const *first, void **values)
{
	*j = (hu_jit){.info = NULL};
	clock_gettime(CLOCK_MONOTONIC, &j->begin);
	if (n && (!options || !values))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		if ((unsigned)options[i] >= N_OPTIONS)
			return cudaErrorInvalidValue;
		if (options[i] == INFO_LOG_BUFFER)
			j->info = first[i];
		else if (options[i] == ERROR_LOG_BUFFER)
			j->errors = first[i];
		else if (options[i] == INFO_LOG_SIZE)
			j->info_at = &values[i], j->info_size = (size_t)(uint32_t)(uintptr_t)first[i];
		else if (options[i] == ERROR_LOG_SIZE)
			j->errors_at = &values[i], j->errors_size = (size_t)(uint32_t)(uintptr_t)first[i];
		else if (options[i] == WALL_TIME)
			j->time_at = &values[i];
	}
	return cudaSuccess;
}

/* As much of the text as fits, with a zero at the end. */
static void put(char *to, size_t size, void **at, const char *text)
{
	size_t n = to && size ? strlen(text) : 0;
	n = n < size ? n : size ? size - 1 : 0;
	if (to && size) {
		memcpy(to, text, n);
		to[n] = '\0';
	}
	if (at)
		*at = (void *)(uintptr_t)n;
}

void hu_jit_write(const hu_jit *j, char *log)
{
	struct timespec end;
	put(j->info, j->info_size, j->info_at, "");
	put(j->errors, j->errors_size, j->errors_at, log ? log : "");
	if (log && !(j->errors && j->errors_size))
		fputs(log, stderr);
	clock_gettime(CLOCK_MONOTONIC, &end);
	float ms = (float)((double)(end.tv_sec - j->begin.tv_sec) * 1e3 + (double)(end.tv_nsec - j->begin.tv_nsec) * 1e-6);
	if (j->time_at)
		memcpy(j->time_at, &ms, sizeof ms);
	free(log);
}

cudaError_t hu_jit_load(void *module, const void *image, size_t size, bool of_context, unsigned n, const int *options, void **values)
{
	hu_jit j;
	char *log = NULL;
	hu_module *made = NULL;
	cudaError_t error = module && image ? hu_jit_read(&j, n, options, values, values) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	error = hu_module_load(image, size, of_context, &log, &made);
	hu_jit_write(&j, log);
	if (error == cudaSuccess)
		memcpy(module, &made, sizeof made);
	return error;
}

char *hu_read_file(const char *path, size_t *size)
{
	enum { STEP = 1 << 16, MOST = 1 << 30 };
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	size_t n = 0, got = 1;
	while (file && got && n < MOST) {
		char *more = realloc(bytes, n + STEP + 1);
		if (!more)
			break;
		bytes = more;
		n += got = fread(bytes + n, 1, STEP, file);
		bytes[n] = '\0';
	}
	if (file)
		fclose(file);
	*size = n;
	return bytes;
}

cudaError_t hu_jit_load_file(void *module, const char *path, bool of_context, unsigned n, const int *options, void **values)
{
	size_t size;
	if (!module || !path)
		return cudaErrorInvalidValue;
	char *bytes = hu_read_file(path, &size);
	cudaError_t error = bytes ? hu_jit_load(module, bytes, size, of_context, n, options, values) : cudaErrorFileNotFound;
	free(bytes);
	return error;
}
