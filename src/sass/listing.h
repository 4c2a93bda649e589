/* Machine code as text: a line an instruction, with address, control fields and source line (SA-1, SA-2, SA-3). */
#ifndef HD_SASS_LISTING_H
#define HD_SASS_LISTING_H

#include "sass/proof.h"

/* Appends the functions that the selection takes, entry by entry; entries that have PTX only are named. `name` is the file's, for messages. Returns
 * false and an error in `diag` when the selection takes nothing. `unknown` is raised by the instructions that the table does not know. */
bool hd_sass_list(const hd_sass_binary *binary, const char *name, const hd_sass_selection *selection, hd_text *text, uint64_t *unknown,
                  hd_diag *diag);

#endif
