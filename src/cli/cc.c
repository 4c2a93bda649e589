/* heddle cc: a CUDA program of host code and kernels, by clang alone (docs/cuda.md). */
#define _GNU_SOURCE /* readlink */
#include "cli/cli.h"

#include "cli/cuda_paths.h"
#include "front/front.h"

#include <unistd.h>

/* The library that the program is linked with. */
#define LIBRARY "libcudart.so.12"
#define DRIVER "libcuda.so.1"

enum { ARCHITECTURE = 70, ARGUMENTS_MAX = 256 };

typedef struct building {
	hd_program_options program; /* -D, -U, -I */
	const char *output;
	bool object_only;
	HD_VEC(const char *) inputs;
	const char *const *rest; /* for clang, NULL-terminated */
} building;

/* A fat binary with one text of PTX: a header of 16 bytes, the entry's header of 64, and the text. */
static void make_image(const char *ptx, size_t size, hd_text *image)
{
	enum { HEADER = 16, ENTRY = 64, KIND_PTX = 1 };
	uint64_t body = (size + 1 + 7) & ~UINT64_C(7);
	uint8_t head[HEADER + ENTRY] = {0};
	uint32_t magic = 0xba55ed50, entry_size = ENTRY, architecture = ARCHITECTURE;
	uint16_t version = 1, header_size = HEADER, kind = KIND_PTX, entry_version = 0x0101;
	uint64_t total = ENTRY + body, flags = 0x11; /* 64-bit addresses, Linux */
	memcpy(head, &magic, 4);
	memcpy(head + 4, &version, 2);
	memcpy(head + 6, &header_size, 2);
	memcpy(head + 8, &total, 8);
	memcpy(head + HEADER, &kind, 2);
	memcpy(head + HEADER + 2, &entry_version, 2);
	memcpy(head + HEADER + 4, &entry_size, 4);
	memcpy(head + HEADER + 8, &body, 8);
	memcpy(head + HEADER + 28, &architecture, 4);
	memcpy(head + HEADER + 40, &flags, 8);
	hd_text_put(image, (const char *)head, sizeof head);
	hd_text_put(image, ptx, size);
	for (uint64_t at = size; at < body; at++)
		hd_text_put(image, "", 1);
}

static bool is_source(const char *path)
{
	static const char *const ends[] = {".cu", ".c", ".cc", ".cpp", ".cxx"};
	for (size_t i = 0; i < HD_COUNT(ends); i++)
		if (hd_ends_with(path, ends[i]))
			return true;
	return false;
}

/* Words behind `--` that a compilation takes, too: not those of the linker, which would be warned of. */
static bool is_for_linker(const char *word) { return strncmp(word, "-l", 2) == 0 || strncmp(word, "-L", 2) == 0 || strncmp(word, "-Wl,", 4) == 0; }

/* The object file of a source; empty after an error. */
static hd_memory_file compile(const building *b, const char *path, hd_diag *diag)
{
	const char *words[HD_CLANG_ARGUMENTS_MAX + ARGUMENTS_MAX + 1];
	size_t n = 0, size = 0, ptx_size = 0;
	hd_text image = {0};
	bool cuda = hd_ends_with(path, ".cu");
	for (unsigned i = 0; i < b->program.n_arguments; i++)
		words[n++] = b->program.arguments[i];
	words[n] = NULL;
	hd_front_options options = {.arguments = words, .debug_lines = true};
	if (cuda) {
		char *ptx = hd_front_compile(path, &options, &ptx_size, diag);
		if (!ptx)
			return (hd_memory_file){0};
		make_image(ptx, ptx_size, &image);
		free(ptx);
	}
	for (const char *const *word = b->rest; *word && n < HD_COUNT(words) - 1; word++)
		if (!is_for_linker(*word))
			words[n++] = *word;
	words[n] = NULL;
	char *object = hd_front_host_object(path, &options, image.at, image.n, &size, diag);
	hd_text_free(&image);
	return (hd_memory_file){.name = path, .bytes = object, .size = size};
}

/* The folder with Heddle's libcudart.so: beside this program in a build folder, or in the installation around it. The caller frees. */
static char *library_folder(hd_diag *diag)
{
	static const char *const places[] = {"/src/cuda/12", "/../" HEDDLE_LIBDIR "/heddle/cuda", "/../lib/heddle/cuda"};
	char own[4096];
	const char *chosen = getenv("HEDDLE_CUDART");
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
	own[length > 0 ? length : 0] = '\0';
	if (strrchr(own, '/'))
		*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < (chosen ? 1 : HD_COUNT(places) + 1); i++) {
		hd_text path = {0};
		if (chosen)
			hd_text_printf(&path, "%s/" LIBRARY, chosen);
		else
			hd_text_printf(&path, "%s%s/" LIBRARY, i < HD_COUNT(places) ? own : HEDDLE_CUDA_LIBRARIES,
			               i < HD_COUNT(places) ? places[i] : "");
		if (access(path.at, R_OK) == 0) {
			*strrchr(path.at, '/') = '\0';
			return path.at;
		}
		hd_text_free(&path);
	}
	hd_error(diag, (hd_pos){.file = LIBRARY}, "not found in %s; HEDDLE_CUDART names the folder that holds it, and -c writes an object file",
	         chosen ? chosen : "Heddle's installation");
	return NULL;
}

/* The library of the driver interface: beside that of the runtime interface, or above it in a build folder. */
static bool find_driver(const char *library, hd_text *path)
{
	static const char *const places[] = {"", "/.."};
	for (size_t i = 0; i < HD_COUNT(places); i++) {
		path->n = 0;
		hd_text_printf(path, "%s%s/" DRIVER, library, places[i]);
		if (access(path->at, R_OK) == 0)
			return true;
	}
	return false;
}

static bool link_program(const building *b, const hd_memory_file *objects, size_t n, hd_diag *diag)
{
	HD_VEC(const char *) words = {0};
	hd_text folder = {0}, runpath = {0}, driver = {0};
	char *library = library_folder(diag);
	if (!library)
		return false;
	hd_text_printf(&folder, "-L%s", library);
	hd_text_printf(&runpath, "-Wl,-rpath,%s:%s/..", library, library);
	for (size_t i = 0; i < b->inputs.n; i++)
		if (!is_source(b->inputs.at[i]))
			hd_vec_push(&words, b->inputs.at[i]);
	for (const char *const *word = b->rest; *word; word++)
		hd_vec_push(&words, *word);
	hd_vec_push(&words, folder.at);
	hd_vec_push(&words, "-l:" LIBRARY);
	if (find_driver(library, &driver)) {
		hd_vec_push(&words, "-Wl,--push-state,--as-needed"); /* where the program uses it */
		hd_vec_push(&words, driver.at);
		hd_vec_push(&words, "-Wl,--pop-state");
	}
	hd_vec_push(&words, runpath.at);
	hd_vec_push(&words, NULL);
	bool ok = hd_front_link(objects, n, words.at, b->output, diag);
	hd_vec_free(&words);
	hd_text_free(&folder);
	hd_text_free(&runpath);
	hd_text_free(&driver);
	free(library);
	return ok;
}

static void build(const building *b, hd_diag *diag)
{
	hd_memory_file *objects = hd_xcalloc(b->inputs.n, sizeof *objects);
	size_t n = 0;
	bool ok = true;
	for (size_t i = 0; i < b->inputs.n && ok; i++) {
		if (!is_source(b->inputs.at[i]))
			continue;
		objects[n] = compile(b, b->inputs.at[i], diag);
		ok = objects[n].bytes != NULL;
		n += ok;
	}
	if (ok && b->object_only)
		hd_write_file(b->output, objects[0].bytes, objects[0].size, diag);
	else if (ok)
		link_program(b, objects, n, diag);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)objects[i].bytes);
	free(objects);
}

static bool parse(building *b, int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_CC, .argc = argc, .argv = argv};
	for (;;) {
		hd_option_id id = hd_options_next(&options);
		if (id == HD_OPTION_END)
			break;
		if (id == HD_OPTION_REFUSED)
			return false;
		if (id == HD_OPTION_WORD)
			hd_vec_push(&b->inputs, options.value);
		else if (id == HD_OPTION_OUTPUT)
			b->output = options.value;
		else if (id == HD_OPTION_OBJECT_ONLY)
			b->object_only = true;
		else if (hd_program_option(&b->program, &options, id) == HD_REFUSED)
			return false;
	}
	if (!b->inputs.n)
		hd_usage("cc: no input, expected a .cu file");
	else if (!b->output)
		hd_usage("cc: no output, expected -o OUT");
	else if (b->object_only && (b->inputs.n != 1 || !is_source(b->inputs.at[0])))
		hd_usage("cc: -c takes one source file");
	return b->inputs.n && b->output && (!b->object_only || (b->inputs.n == 1 && is_source(b->inputs.at[0])));
}

int hd_cli_cc(int argc, char **argv)
{
	building b = {0};
	hd_diag diag = {0};
	int own = 0, status = HD_EXIT_USAGE;
	HD_VEC(const char *) rest = {0};
	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	for (int i = own + 1; i < argc; i++)
		hd_vec_push(&rest, argv[i]);
	hd_vec_push(&rest, NULL);
	b.rest = rest.at;
	if (rest.n > ARGUMENTS_MAX) {
		hd_usage("cc: more than %d words behind --", ARGUMENTS_MAX);
	} else if (parse(&b, own, argv)) {
		build(&b, &diag);
		status = hd_flush(&diag);
	}
	hd_vec_free(&rest);
	hd_vec_free(&b.inputs);
	hd_program_options_free(&b.program);
	return status;
}
