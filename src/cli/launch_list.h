/* A file of launches: one a line, written as on the command line. `#` begins a comment, quotes keep words together, empty lines count for nothing.
 * Which words a launch takes is up to who reads it (compare, run): cli/launching.h has what they share. */
#ifndef HD_CLI_LAUNCH_LIST_H
#define HD_CLI_LAUNCH_LIST_H

#include "cli/cli.h"

enum { HD_LAUNCHES_MAX = 1000, HD_LAUNCH_WORDS_MAX = 2048 };

typedef struct hd_launch_line {
	uint32_t number; /* of the line in the file; 0: from the command line */
	char *title;     /* the words with blanks between them */
	char **words;
	uint32_t *columns; /* of the words in the file; NULL: from the command line */
	int n_words;
} hd_launch_line;

typedef struct hd_launch_list {
	const char *path;
	char *text; /* what the words lie in */
	HD_VEC(hd_launch_line) lines;
} hd_launch_list;

/* Cuts a line into at most HD_LAUNCH_WORDS_MAX words, in place, with the column of each. False: a quote without its partner, or too many words. */
bool hd_launch_list_cut(char *line, char **words, uint32_t *columns, int *n);
/* Reads a file (its name must outlive the list); at least one launch. False and errors with line numbers in diag. */
bool hd_launch_list_read(hd_launch_list *list, const char *path, hd_diag *diag);
/* One launch from words, which must outlive the list. */
void hd_launch_list_add(hd_launch_list *list, uint32_t number, char *const *words, const uint32_t *columns, int n);
/* To walk through the words of a line. */
hd_options hd_launch_list_options(const hd_launch_list *list, const hd_launch_line *line, hd_command command);
/* Gives the errors without a position, from byte `from` of diag's text, the position of a line of a list. */
void hd_launch_list_place(hd_diag *diag, size_t from, const char *file, uint32_t line);
void hd_launch_list_free(hd_launch_list *list);

#endif
