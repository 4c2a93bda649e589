#include "api/machine_code.h"
#include "base/plain.h"
#include "sass/proof.h"
#include "sass/instruction.h"
#include "sm/sm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 1 << 30 };                    /* bytes */
static const off_t MAPPED_MAX = (off_t)4 << 30; /* the zeros of a sparse file take time, too */

struct hd_machine_code {
	hd_machine_code_file file;
	hd_sass_binary *binary;
	hd_sm_image *image;
};

bool hd_is_machine_code(const char *path)
{
	uint8_t head[64];
	struct stat info;
	if (hd_ends_with(path, ".cubin") || hd_ends_with(path, ".fatbin"))
		return true;
	/* A pipe can be read once, and its reader comes later. */
	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return false;
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(head, 1, sizeof head, file) : 0;
	if (file)
		fclose(file);
	return hd_sass_binary_is(head, n);
}

bool hd_machine_code_open(hd_machine_code_file *file, const char *path, hd_diag *diag)
{
	struct stat info;
	bool regular = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode); /* a pipe can be opened once */
	int fd = regular ? open(path, O_RDONLY) : -1;
	void *at = MAP_FAILED;
	*file = (hd_machine_code_file){0};
	if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 && info.st_size <= MAPPED_MAX)
		at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at != MAP_FAILED)
		*file = (hd_machine_code_file){at, (size_t)info.st_size, true};
	else
		file->bytes = (const uint8_t *)hd_read_file(path, regular ? (size_t)MAPPED_MAX : READ_MAX, &file->size, diag);
	return file->bytes;
}

void hd_machine_code_close(hd_machine_code_file *file)
{
	if (file->mapped)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	else
		free((void *)(uintptr_t)file->bytes);
}

/* The entry of the newest architecture that has a kernel that was asked for. */
static const hd_sass_cubin *newest(const hd_sass_binary *binary, const hd_sass_selection *selection)
{
	const hd_sass_cubin *best = NULL;
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		bool has = false;
		for (size_t f = 0; f < cubin->n_functions; f++)
			has |= cubin->functions[f].kernel && hd_sass_selected(selection, cubin, &cubin->functions[f]);
		if (has && (!best || cubin->architecture > best->architecture))
			best = cubin;
	}
	return best;
}

/* Architectures that the decoder knows, the newest first. */
static const hd_sass_cubin *open_entry(hd_machine_code *code, const char *path, const char *kernel, hd_diag *diag)
{
	unsigned n = 0;
	while (hd_sass_architectures[n])
		n++;
	while (n--) {
		hd_sass_selection selection = {.architecture = hd_sass_architectures[n], .kernel = kernel};
		hd_diag none = {0}; /* a file need not have code for every architecture */
		code->binary = hd_sass_binary_open_for(code->file.bytes, code->file.size, path, &selection, &none);
		hd_diag_free(&none);
		const hd_sass_cubin *cubin = code->binary ? newest(code->binary, &selection) : NULL;
		if (cubin)
			return cubin;
		hd_sass_binary_free(code->binary);
	}
	/* What is wrong: with the file, or with the name. */
	hd_sass_selection any = {.kernel = kernel};
	code->binary = hd_sass_binary_open_for(code->file.bytes, code->file.size, path, &any, diag);
	if (code->binary && !diag->errors)
		hd_sass_none_selected(code->binary, path, &any, false, diag);
	return NULL;
}

hd_machine_code *hd_machine_code_new(const char *path, const char *text, size_t size, const char *kernel, hd_memory *memory, hd_diag *diag)
{
	hd_machine_code *code = hd_xcalloc(1, sizeof *code);
	bool opened = true;
	if (text) {
		uint8_t *copy = hd_xmalloc(size + 1);
		memcpy(copy, text, size);
		code->file = (hd_machine_code_file){.bytes = copy, .size = size};
	} else {
		opened = hd_machine_code_open(&code->file, path, diag);
	}
	const hd_sass_cubin *cubin = opened ? open_entry(code, path, kernel, diag) : NULL;
	code->image = cubin ? hd_sm_image_new(cubin, memory, diag) : NULL;
	if (code->image)
		return code;
	hd_machine_code_free(code, memory);
	return NULL;
}

void hd_machine_code_free(hd_machine_code *code, hd_memory *memory)
{
	if (!code)
		return;
	hd_sm_image_free(code->image, memory);
	hd_sass_binary_free(code->binary);
	hd_machine_code_close(&code->file);
	free(code);
}

hd_object *hd_machine_code_object(const hd_machine_code *code) { return code->image->object; }

bool hd_machine_code_run(const hd_machine_code *code, const hd_launch *launch, hd_memory *memory, const heddle_launch *from, hd_stats *stats,
                         hd_trap *trap, hd_diag *diag)
{
	hd_sm_options options = {.max_instructions = from->max_cycles, .poll = from->poll, .context = from->context};
	hd_sm_code *ready = hd_sm_code_new(code->image, (size_t)(launch->kernel - code->image->object->kernels.at), diag);
	if (!ready)
		return false;
	hd_sm_run(ready, launch, memory, &options, stats, trap);
	hd_sm_code_free(ready);
	return true;
}
