/* `heddle cudart -- PROGRAM ...`: runs a program of CUDA with the libraries of this installation. */
#include "cli/cli.h"

#include "cli/cuda_paths.h"

#include <errno.h>
#include <unistd.h>

/* The folder of this program, or NULL. */
static char *own_folder(void)
{
	enum { ROOM = 4096 };
	char *path = hd_xcalloc(ROOM, 1), *slash;
	if (readlink("/proc/self/exe", path, ROOM - 1) > 0 && (slash = strrchr(path, '/'))) {
		*slash = '\0';
		return path;
	}
	free(path);
	return NULL;
}

void hd_cudart_folders(hd_text *to)
{
	static const char *const of_build[] = {"src/cuda/13", "src/cuda/12", "src/cuda"};
	char *folder = own_folder();
	hd_text path = {0};
	for (size_t i = 0; folder && i < HD_COUNT(of_build); i++) {
		path.n = 0;
		hd_text_printf(&path, "%s/%s", folder, of_build[i]);
		if (access(path.at, X_OK) == 0)
			hd_text_printf(to, "%s%s", to->n ? ":" : "", path.at);
	}
	path.n = 0;
	hd_text_printf(&path, "%s/../" HEDDLE_LIBDIR "/heddle/cuda", folder ? folder : "/nowhere");
	if (!to->n)
		hd_text_printf(to, "%s", access(path.at, X_OK) == 0 ? path.at : HEDDLE_CUDA_LIBRARIES);
	hd_text_free(&path);
	free(folder);
}

int hd_cli_cudart(int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_CUDART, .argc = argc, .argv = argv};
	if (argc && strcmp(argv[0], "--") == 0) {
		argc--;
		argv++;
	} else if (argc && argv[0][0] == '-' && hd_options_next(&options) == HD_OPTION_REFUSED) {
		return HD_EXIT_USAGE;
	}
	if (!argc)
		return hd_usage("cudart: no program, expected `heddle cudart -- PROGRAM [ARGUMENT]...`");
	hd_text path = {0};
	const char *before = getenv("LD_LIBRARY_PATH");
	hd_cudart_folders(&path);
	if (before && *before)
		hd_text_printf(&path, ":%s", before);
	setenv("LD_LIBRARY_PATH", path.at, 1);
	hd_text_free(&path);
	execvp(argv[0], argv);
	return hd_usage("cudart: %s cannot be started: %s", argv[0], strerror(errno));
}
