/* Any text as the file of `heddle run --launches`: understood, or refused with a message. The file is not placed in device memory, because a list may
 * name files. */
#include "fuzz.h"

#include "cli/grid_list.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static FILE *file;
	static char path[64];
	if (!file) {
		file = tmpfile();
		hd_invariant(file, "no temporary file");
		snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	}
	rewind(file);
	bool ready = ftruncate(fileno(file), 0) == 0 && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
	hd_invariant(ready, "the temporary file cannot be written");
	hd_grid_list_file list = {0};
	hd_grid_list_parse(&list, path);
	hd_grid_list_free(&list);
	return 0;
}
