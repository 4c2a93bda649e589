// The harness of the programs of corners: checks, and a list of cases, each of which runs in a process of its own.
#ifndef CORNERS_H
#define CORNERS_H

#include <cstdio>
#include <cstring>

#define GOOD(call)                                                                                 \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "%d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error)); \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define IS(call, expected)                                                                                                 \
	do {                                                                                                               \
		cudaError_t error = (call);                                                                                \
		if (error != expected) {                                                                                   \
			fprintf(stderr, "%d: %s: %s, expected %s\n", __LINE__, #call, cudaGetErrorName(error), #expected); \
			return 1;                                                                                          \
		}                                                                                                          \
	} while (0)
#undef TRUE
#define TRUE(condition)                                                    \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
			return 1;                                          \
		}                                                          \
	} while (0)

struct corner {
	const char *name;
	int (*run)();
};
#define CASE(name)          \
	{                   \
#name, name \
	}

// Without an argument: the names of all cases.
template <size_t N> static int corners(int argc, char **argv, const corner (&cases)[N])
{
	for (const auto &c : cases) {
		if (argc < 2)
			puts(c.name);
		else if (!strcmp(argv[1], c.name))
			return c.run();
	}
	return argc < 2 ? 0 : 2;
}

#endif
