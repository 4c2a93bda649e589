#define _GNU_SOURCE /* dladdr1, realpath */
#include "front/data_files.h"

#include "front/paths.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 4 }; /* build/tests/ROOM/test */

/* The absolute path of the file that holds this code: a program, or a shared library. NULL if it cannot be found. */
static char *own_path(void)
{
	static const char here;
	struct link_map *map = NULL;
	Dl_info info;
	bool library = dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name;
	return realpath(library ? map->l_name : "/proc/self/exe", NULL);
}

/* The text of a path `folder` followed by `more` if it has the file, otherwise NULL. */
static char *file_in(const char *folder, const char *more, const char *name)
{
	hd_text path = {0};
	hd_text_printf(&path, "%s%s/%s", folder, more, name);
	if (access(path.at, R_OK) == 0)
		return path.at;
	hd_text_free(&path);
	return NULL;
}

/* The build folder around the code, which was moved: the nearest folder with a build.ninja. NULL if there is none. A folder in which others may write
 * is none, nor is one above it. */
static char *build_folder(const char *folder)
{
	char *at = hd_xmalloc(strlen(folder) + 1);
	strcpy(at, folder);
	for (unsigned level = 0; level < LEVELS; level++) {
		struct stat status;
		char *ninja = file_in(at, "", "build.ninja"), *slash = strrchr(at, '/');
		bool is_build = ninja != NULL;
		free(ninja);
		if (stat(at, &status) != 0 || (status.st_mode & S_IWOTH))
			break;
		if (is_build)
			return at;
		if (!slash || slash == at)
			break;
		*slash = '\0';
	}
	free(at);
	return NULL;
}

static bool lies_in(const char *folder, const char *root)
{
	size_t n = strlen(root);
	return strncmp(folder, root, n) == 0 && (folder[n] == '/' || folder[n] == '\0');
}

/* `folder`: of the code, absolute. */
static char *find(const char *folder, const char *name)
{
	static const char *const installed[] = {"/../share/heddle", "/../../share/heddle"};
	char *found = NULL;
	if (lies_in(folder, HEDDLE_BUILD_ROOT)) {
		found = file_in(HEDDLE_BUILD_ROOT, "/lib", name);
		return found ? found : file_in(HEDDLE_SOURCE_LIB, "", name);
	}
	char *build = build_folder(folder);
	if (build) {
		found = file_in(build, "/lib", name);
		found = found ? found : file_in(build, "/../lib", name);
		free(build);
	}
	for (size_t i = 0; !found && i < HD_COUNT(installed); i++)
		found = file_in(folder, installed[i], name);
	return found ? found : file_in(HEDDLE_INSTALLED_LIB, "", name);
}

char *hd_data_file(const char *name, hd_diag *diag)
{
	const char *chosen = getenv("HEDDLE_DATA");
	char *own = chosen ? NULL : own_path(), *slash = own ? strrchr(own, '/') : NULL, *found = NULL;
	if (chosen) {
		found = file_in(chosen, "", name);
	} else if (slash) {
		*slash = '\0';
		found = find(own, name);
	}
	if (!found && chosen)
		hd_error(diag, (hd_pos){.file = name}, "not found in %s, the value of HEDDLE_DATA", chosen);
	else if (!found)
		hd_error(diag, (hd_pos){.file = name}, "not found in %s/../share/heddle nor in %s; set HEDDLE_DATA to the folder that holds it",
		         own ? own : ".", HEDDLE_INSTALLED_LIB);
	free(own);
	return found;
}
