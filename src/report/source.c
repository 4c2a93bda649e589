#include "report/source.h"

#include <sys/stat.h>

static const char *base_of(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

/* The name of a source file. The names come from an object, which could name any file, such as a key, to bring it into a report. */
static bool is_source(const char *path)
{
	static const char *const endings[] = {".cl", ".clh", ".cu", ".cuh", ".h", ".hpp", ".hh", ".c", ".cpp", ".inc", ".ptx", ".hasm"};
	for (unsigned i = 0; i < HD_COUNT(endings); i++)
		if (hd_ends_with(path, endings[i]))
			return true;
	return false;
}

char *hd_source_read(const char *path, const hd_input *input)
{
	bool is_input = input->path && strcmp(base_of(path), base_of(input->path)) == 0;
	if (is_input && input->text)
		return strlen(input->text) <= HD_LISTED_MAX ? hd_xstrdup(input->text) : NULL;
	const char *candidates[] = {is_source(path) ? path : NULL, is_input ? input->path : NULL};
	char *text = NULL;
	for (unsigned i = 0; i < HD_COUNT(candidates) && !text; i++) {
		hd_diag diag = {0};
		struct stat info;
		size_t size;
		if (candidates[i] && stat(candidates[i], &info) == 0 && S_ISREG(info.st_mode))
			text = hd_read_file(candidates[i], HD_LISTED_MAX, &size, &diag);
		hd_diag_free(&diag);
	}
	return text;
}
