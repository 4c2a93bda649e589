// The end of every program here: one line, and the exit status.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECKED(call)                                                                                  \
	do {                                                                                           \
		cudaError_t error = (call);                                                            \
		if (error != cudaSuccess) {                                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
			exit(2);                                                                       \
		}                                                                                      \
	} while (0)

static inline int verdict(long wrong)
{
	if (wrong)
		printf("wrong: %ld\n", wrong);
	else
		printf("right\n");
	return wrong != 0;
}
