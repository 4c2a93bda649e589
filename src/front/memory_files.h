/* Files for clang that are in memory alone. Nothing of them lies in a folder, so nothing stays there, however this process ends.
 *
 * Each file is an open descriptor (memfd_create) that clang inherits. An overlay of clang's file system (-ivfsoverlay) gives the files names in a
 * folder that does not exist, or the names of files that they hide. */
#ifndef HD_MEMORY_FILES_H
#define HD_MEMORY_FILES_H

#include "base/base.h"

/* The folder in which clang sees the files. */
#define HD_MEMORY_FOLDER "/heddle-program"

typedef struct hd_memory_file {
	const char *name; /* below HD_MEMORY_FOLDER; may have folders of its own. From the root: hides the file of that name */
	const char *bytes;
	size_t size;
} hd_memory_file;

/* Open descriptors: one for each file, then the overlay. Zeroed = empty. */
typedef struct hd_memory_files {
	HD_VEC(int) fds;
} hd_memory_files;

/* Makes the files. `first` is the number that the first descriptor will have in clang. False and an error in `diag` on failure. The caller calls
 * hd_memory_files_close in both cases. */
bool hd_memory_files_open(hd_memory_files *files, const hd_memory_file *list, size_t n, unsigned first, hd_diag *diag);
void hd_memory_files_close(hd_memory_files *files);

#endif
