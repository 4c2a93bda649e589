/* `heddle run --launches FILE`: the grids of one run, a line each, as docs/grids.md describes them. */
#ifndef HD_CLI_GRID_LIST_H
#define HD_CLI_GRID_LIST_H

#include "cli/launch_list.h"
#include "cli/launching.h"

typedef struct hd_grid_line hd_grid_line;

typedef struct hd_grid_list_file {
	hd_launch_list list;
	hd_grid_line *lines; /* n */
	heddle_grid *grids;  /* as the library wants them, after hd_grid_list_place */
	unsigned n;
} hd_grid_list_file;

/* Reads and understands the file. False after a message. */
bool hd_grid_list_parse(hd_grid_list_file *file, const char *path);
/* Arrays into device memory, in the order of the lines; `whole` is the launch that says what concerns the run. */
bool hd_grid_list_place(hd_grid_list_file *file, heddle *h, const heddle_launch *whole);
bool hd_grid_list_fetch(hd_grid_list_file *file, heddle *h);
bool hd_grid_list_save(const hd_grid_list_file *file, hd_output_set *outputs, hd_diag *diag);
/* Appends the outputs of all lines. */
void hd_grid_list_result(const hd_grid_list_file *file, heddle *h, hd_text *out);
void hd_grid_list_free(hd_grid_list_file *file);

#endif
