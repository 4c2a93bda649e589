/* Runs clang as a process on OpenCL C and CUDA sources. */
#ifndef HD_FRONT_H
#define HD_FRONT_H

#include "base/base.h"
#include "front/memory_files.h"

typedef struct hd_front_options {
	const char *const *arguments; /* extra arguments for clang (-D, -I, -cl-...), NULL-terminated, or NULL */
	bool debug_lines;             /* -gline-directives-only: PTX names the source lines */
	bool without_builtins;        /* no built-in library is linked in: the caller links this unit later */
	bool nonuniform;              /* OpenCL C: work-groups may have several sizes, so functions read the range's words in the bank */
	bool races;                   /* OpenCL C: the code tells the race detector of copies by work-groups */
	/* If there are any, the first is the source, which `path` only names, and clang finds the others in the folder HD_MEMORY_FOLDER. */
	const hd_memory_file *files;
	size_t n_files;
	/* Receives LLVM's text of the module that the PTX is made of, for hd_front_name_sources; empty when clang does not print it. May be NULL. */
	hd_text *module_text;
} hd_front_options;

/* The path of clang, which the caller frees; NULL if it is not there. */
char *hd_front_clang(void);

/* clang's output for an OpenCL C (.cl) or CUDA (.cu) file: PTX text, or LLVM bitcode or preprocessed text when `arguments` request these.
 * options = NULL: no extra arguments, debug lines, built-in library. Bounds hold for clang (limits.h). Returns *size bytes, which the caller frees;
 * NULL on failure. clang's own messages are appended to diag. */
char *hd_front_compile(const char *path, const hd_front_options *options, size_t *size, hd_diag *diag);

/* The host's code of a CUDA file, compiled: an object file, *size bytes, which the caller frees. `image`: the fat binary that the program registers
 * before main(). C and C++ sources are taken, too; they have no image. NULL and errors in diag on failure. */
char *hd_front_host_object(const char *path, const hd_front_options *options, const void *image, size_t image_size, size_t *size, hd_diag *diag);
/* Links a program of object files in memory, then of the files and options in `arguments` (NULL-terminated). False and errors in diag on failure. */
bool hd_front_link(const hd_memory_file *objects, size_t n, const char *const *arguments, const char *output, hd_diag *diag);

#endif
