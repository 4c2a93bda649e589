/* Builds a kernel object from a source file of any kind, for the command, the public interface and the tests. */
#ifndef HD_API_BUILD_H
#define HD_API_BUILD_H

#include "config/machine.h"
#include "front/memory_files.h"
#include "object/object.h"
#include "passes/passes.h"

typedef enum hd_stage { HD_STAGE_PTX, HD_STAGE_IR, HD_STAGE_OBJECT } hd_stage;

typedef struct hd_build_options {
	const hd_machine *machine;
	bool serial;
	const char *const *arguments; /* for clang, NULL-terminated, or NULL */
	const char *dump_after;       /* a pass's name, or NULL */
	hd_text *dump;                /* receives the IR after that pass */
	bool nonuniform;              /* OpenCL C: work-groups may have several sizes; the object says so */
	const hd_memory_file *files;  /* a source for clang that is in memory, and what it includes (hd_front_options) */
	size_t n_files;
	const char *text; /* the content of the file, text_size bytes, which `path` only names; NULL: the file is read */
	size_t text_size;
	hd_stage_call *stage; /* called before each step, or NULL */
	void *stage_context;
} hd_build_options;

/* Largest source file or object that is read. */
enum { HD_SOURCE_MAX = 256 << 20 };

/* Builds a .cl, .cu, .spv, .ptx, .hasm or .hko file. The end of its name says which. NULL and errors in diag on failure. */
hd_object *hd_build(const char *path, const hd_build_options *options, hd_diag *diag);
/* Writes the object to a file. False and an error in diag on failure. */
bool hd_object_save(const hd_object *object, const char *path, hd_diag *diag);
/* True when hd_build compiles a file of this name, for the machine that it is given; false when the file is an object or assembly, or no source. */
bool hd_build_compiles(const char *path);
/* Appends the text of an earlier stage: PTX of .cl and .cu (and .ptx itself), or the lowered IR of these. False and errors in diag for other files.
 */
bool hd_build_stage(const char *path, hd_stage stage, const hd_build_options *options, hd_text *out, hd_diag *diag);

#endif
