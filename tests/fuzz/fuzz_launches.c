/* Any text as the file of `heddle run --launches`: understood, or refused with a message. The file is not placed in device memory, because a list may
 * name files. The list is a file in memory: a disk's would be most of the time. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include "cli/grid_list.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static int file;
	static char path[64];
	if (!file) {
		file = memfd_create("launches", 0);
		hd_invariant(file > 0, "no file in memory");
		snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	}
	bool ready = ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size;
	hd_invariant(ready, "the file in memory cannot be written");
	hd_grid_list_file list = {0};
	hd_grid_list_parse(&list, path);
	hd_grid_list_free(&list);
	return 0;
}
