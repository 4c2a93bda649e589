/* Cases that are processes of their own, because what they leave behind stays in a process: errors, contexts, a device. A case returns true when all
 * went well, and its words are those that it must write to standard error. Include cmocka.h first. */
#ifndef HD_TEST_CUDA_APART_H
#define HD_TEST_CUDA_APART_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a case: says which condition does not hold, and ends the case. */
#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			return false;                                                   \
		}                                                                       \
	} while (0)

/* Starts a case. `reads` is the descriptor with its standard error, for apart_finish. */
static inline pid_t apart_start(bool (*body)(void), int *reads)
{
	int ends[2];
	fflush(NULL);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 2);
		close(ends[0]);
		exit(body() ? 0 : 1);
	}
	close(ends[1]);
	*reads = ends[0];
	return child;
}

/* Waits for the end of a case, and shows what it said when it failed or `show` is set. */
static inline void apart_finish(pid_t child, int reads, const char *words, bool show)
{
	char said[4096];
	int status;
	size_t n = 0;
	for (ssize_t got; n + 1 < sizeof said && (got = read(reads, said + n, sizeof said - 1 - n)) > 0;)
		n += (size_t)got;
	said[n] = '\0';
	close(reads);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !strstr(said, words))
		fail_msg("status %d, standard error has '%s', expected '%s'", status, said, words);
	if (show)
		print_message("%s", said);
}

static inline void apart(bool (*body)(void), const char *words)
{
	int reads;
	pid_t child = apart_start(body, &reads);
	apart_finish(child, reads, words, false);
}

#endif
