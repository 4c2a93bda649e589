/* Files that Heddle brings along: the library of built-in functions and the headers of its front ends (lib/ in the source). */
#ifndef HD_FRONT_DATA_FILES_H
#define HD_FRONT_DATA_FILES_H

#include "base/base.h"

/* The path of a file, which can be read; the caller frees. NULL and an error in `diag` if there is none.
 *
 * With HEDDLE_DATA set, the file is in that folder and nowhere else. Otherwise the first of these folders that has it counts, beginning at the folder
 * of the program or library that holds this code:
 *   1. in a build folder: lib/ of the build and of the source. A build folder that was moved has them at the same places beside it.
 *   2. installed: ../share/heddle and ../../share/heddle, so that an installation can be moved;
 *   3. the folder for which the installation was configured.
 * An installed program never looks into the folder in which it was built: somebody else may have put files there. */
char *hd_data_file(const char *name, hd_diag *diag);

#endif
