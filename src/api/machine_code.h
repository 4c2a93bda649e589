/* Programs that are machine code of real GPUs (SR-9): their files, and what a heddle has of one. */
#ifndef HD_API_MACHINE_CODE_H
#define HD_API_MACHINE_CODE_H

#include "heddle/heddle.h"
#include "launch/launch.h"

/* The bytes of a file. A regular file of at most 4 GiB is mapped, so what nobody looks at is not read. Anything else is read, at most 1 GiB. */
typedef struct hd_machine_code_file {
	const uint8_t *bytes;
	size_t size;
	bool mapped;
} hd_machine_code_file;
/* False and an error in `diag`. */
bool hd_machine_code_open(hd_machine_code_file *file, const char *path, hd_diag *diag);
void hd_machine_code_close(hd_machine_code_file *file);

/* Whether the file is machine code of a real GPU, or a host's file that may have it: by its first bytes, and by its name (.cubin, .fatbin) where it
 * is a pipe. */
bool hd_is_machine_code(const char *path);

/* The machine code that a heddle runs. */
typedef struct hd_machine_code hd_machine_code;
/* Reads the file, or `size` bytes of `text` that it names. Of several entries it is the one of the newest architecture that has `kernel` (NULL: any),
 * and none of the others is read. NULL and an error. */
hd_machine_code *hd_machine_code_new(const char *path, const char *text, size_t size, const char *kernel, hd_memory *memory, hd_diag *diag);
void hd_machine_code_free(hd_machine_code *code, hd_memory *memory);
/* Kernels and parameters; no code is in it. */
hd_object *hd_machine_code_object(const hd_machine_code *code);
/* Runs a launch without time. False and errors when an instruction has no meaning: nothing ran. */
bool hd_machine_code_run(const hd_machine_code *code, const hd_launch *launch, hd_memory *memory, const heddle_launch *from, hd_stats *stats,
                         hd_trap *trap, hd_diag *diag);

#endif
