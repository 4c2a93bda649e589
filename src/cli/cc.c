/* heddle cc: a CUDA program of host code and kernels, by clang alone (docs/cuda.md). */
#define _GNU_SOURCE /* readlink */
#include "cli/cli.h"

#include "api/build.h"
#include "base/demangle.h"
#include "cli/cuda_paths.h"
#include "front/data_files.h"
#include "front/front.h"
#include "front/source_traits.h"

#include <ctype.h>
#include <unistd.h>

/* The library that the program is linked with. */
#define LIBRARY "libcudart.so.12"
#define DRIVER "libcuda.so.1"

enum { ARCHITECTURE = 70, ARGUMENTS_MAX = 256, NVCC_OPTIONS = 6 };

typedef struct building {
	hd_program_options program;     /* -D, -U, -I */
	const char *nvcc[NVCC_OPTIONS]; /* words for the device's code, or NULL */
	const char *optimize;           /* of the host's code */
	HD_VEC(const char *) shared;    /* words behind `--` that the device's code takes, too */
	const char *output;
	bool object_only;
	bool linked; /* the device's code of the sources is linked: one calls what another has */
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

/* A source: its device code and its object file. */
typedef struct unit {
	const char *path;
	char *ptx; /* NULL: it has none */
	size_t size;
	hd_text id;
	hd_memory_file object;
} unit;

typedef const char *arguments[HD_CLANG_ARGUMENTS_MAX + ARGUMENTS_MAX + NVCC_OPTIONS + 7];

/* The arguments of both of clang's tasks. */
static size_t common(const building *b, unit *u, arguments words)
{
	size_t n = 0;
	for (unsigned i = 0; i < b->program.n_arguments; i++)
		words[n++] = b->program.arguments[i];
	if (b->linked && hd_ends_with(u->path, ".cu")) {
		/* Names of its own for what is static in the source. */
		u->id.n = 0;
		hd_text_printf(&u->id, "-cuid=%s", u->path);
		for (char *at = u->id.at + sizeof "-cuid"; *at; at++)
			*at = isalnum((unsigned char)*at) ? *at : '_';
		words[n++] = "-fgpu-rdc";
		words[n++] = u->id.at; /* clang's driver hands it to the device's task alone, */
		words[n++] = "-Xclang";
		words[n++] = u->id.at; /* this is for the host's */
	}
	words[n] = NULL;
	return n;
}

static bool compile_device(const building *b, unit *u, hd_diag *diag)
{
	arguments words;
	size_t n = common(b, u, words);
	for (size_t i = 0; i < NVCC_OPTIONS; i++)
		if (b->nvcc[i])
			words[n++] = b->nvcc[i];
	for (size_t i = 0; i < b->shared.n; i++)
		words[n++] = b->shared.at[i];
	words[n] = NULL;
	hd_front_options options = {.arguments = words, .debug_lines = true};
	free(u->ptx);
	u->ptx = hd_front_compile(u->path, &options, &u->size, diag);
	return u->ptx != NULL;
}

static bool compile_host(const building *b, unit *u, hd_diag *diag)
{
	arguments words;
	size_t n = common(b, u, words), size = 0;
	hd_text image = {0};
	hd_front_options options = {.arguments = words, .debug_lines = true};
	if (u->ptx)
		make_image(u->ptx, u->size, &image);
	if (b->optimize)
		words[n++] = b->optimize;
	for (const char *const *word = b->rest; *word && n < HD_COUNT(words) - 1; word++)
		if (!is_for_linker(*word))
			words[n++] = *word;
	words[n] = NULL;
	char *object = hd_front_host_object(u->path, &options, image.at, image.n, &size, diag);
	hd_text_free(&image);
	u->object = (hd_memory_file){.name = u->path, .bytes = object, .size = size};
	return object != NULL;
}

/* -- device code of several sources -----------------------------------------------------------------------------------------------------------------
 */

static bool lacks(const unit *u)
{
	size_t n;
	const char *at = u->ptx;
	return u->ptx && hd_front_undefined(u->ptx, &at, &n);
}

static bool has(const unit *units, size_t n_units, const char *name, size_t n)
{
	static const char *const ends[] = {"(", " ", "[", ";", ",", "\n"};
	for (size_t i = 0; i < n_units; i++) {
		const char *at = units[i].ptx;
		while (at && (at = strstr(at, "\n.visible ")) != NULL) {
			const char *line = ++at, *end = line + strcspn(line, "\n"), *found = line;
			while ((found = strstr(found, name)) && found < end) {
				found += n;
				for (size_t k = 0; k < HD_COUNT(ends); k++)
					if (*found == *ends[k])
						return true;
			}
		}
	}
	return false;
}

/* Names what no source defines. */
static bool name_missing(const unit *units, size_t n_units, const char *advice, hd_diag *diag)
{
	unsigned before = diag->errors;
	for (size_t i = 0; i < n_units; i++) {
		size_t n;
		const char *at = units[i].ptx, *found;
		while (at && (found = hd_front_undefined(units[i].ptx, &at, &n))) {
			hd_demangled plain = {0};
			char name[512];
			snprintf(name, sizeof name, "%.*s", (int)n, found);
			if (has(units, n_units, name, strlen(name)))
				continue;
			bool mangled = hd_demangle(name, &plain);
			hd_error(diag, (hd_pos){.file = units[i].path}, "device code uses %s, which %s",
			         mangled ? hd_demangled_signature(&plain, &plain.arena) : name, advice);
			if (mangled)
				hd_demangled_free(&plain);
		}
	}
	return diag->errors > before;
}

/* Whether the units' code is whole, as the program will find it. */
static bool check_linked(const unit *units, size_t n, const char *advice, hd_diag *diag)
{
	hd_text text = {0};
	hd_diag messages = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	for (size_t i = 0; i < n; i++)
		if (units[i].ptx)
			hd_text_printf(&text, "%s\n", units[i].ptx);
	hd_build_options options = {.machine = &machine, .text = text.at, .text_size = text.n};
	hd_object *object = hd_build("program.ptx", &options, &messages);
	if (!object && !name_missing(units, n, advice, diag)) {
		hd_text_put(&diag->text, messages.text.at, messages.text.n);
		diag->errors += messages.errors;
	}
	hd_diag_free(&messages);
	hd_text_free(&text);
	hd_object_free(object);
	return object != NULL;
}

/* Adds the units of an object file to the list: what it calls before main. */
static void find_units(const char *bytes, size_t size, hd_text *list)
{
	static const char mark[] = "__cudaRegisterLinkedBinary";
	for (const char *at = bytes, *end = bytes + size; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1));) {
		at += sizeof mark - 1;
		size_t n = 0;
		while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '_'))
			n++;
		hd_text name = {0};
		hd_text_printf(&name, "U(%.*s)", (int)n, at);
		if (n && !(list->n && strstr(list->at, name.at)))
			hd_text_printf(list, "%s ", name.at);
		hd_text_free(&name);
	}
}

/* The object file that links the device's code of the others, if they ask for it. False after an error. */
static bool link_device(const building *b, const unit *units, size_t n, hd_memory_file *object, hd_diag *diag)
{
	hd_text list = {0};
	for (size_t i = 0; i < n; i++)
		find_units(units[i].object.bytes, units[i].object.size, &list);
	for (size_t i = 0; i < b->inputs.n; i++) {
		hd_diag quiet = {0};
		size_t size = 0;
		char *bytes = hd_ends_with(b->inputs.at[i], ".o") ? hd_read_file(b->inputs.at[i], SIZE_MAX >> 1, &size, &quiet) : NULL;
		if (bytes)
			find_units(bytes, size, &list);
		free(bytes);
		hd_diag_free(&quiet);
	}
	*object = (hd_memory_file){0};
	char *source = list.n ? hd_data_file("heddle_linked.c", diag) : NULL;
	bool ok = !list.n || source;
	if (source) {
		hd_text macro = {0};
		hd_text_printf(&macro, "-DHEDDLE_UNITS=%s", list.at);
		const char *words[] = {macro.at, NULL};
		hd_front_options options = {.arguments = words};
		object->name = "units.o";
		object->bytes = hd_front_host_object(source, &options, NULL, 0, &object->size, diag);
		ok = object->bytes != NULL;
		hd_text_free(&macro);
	}
	free(source);
	hd_text_free(&list);
	return ok;
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

/* The device's code of all sources. Where one lacks what another may have, they are compiled as units that are linked. */
static bool compile_devices(building *b, unit *units, size_t n, hd_diag *diag)
{
	static const char nowhere[] = "no source of the program defines",
	                  alone[] = "it does not define; give all sources at once, or -- -fgpu-rdc for each of them";
	bool ok = true, whole = true;
	for (size_t i = 0; i < n && ok; i++) {
		ok = !hd_ends_with(units[i].path, ".cu") || compile_device(b, &units[i], diag);
		whole = whole && !lacks(&units[i]);
	}
	if (!ok || whole || (b->linked && (b->object_only || n < b->inputs.n)))
		return ok;
	if (!b->object_only && !b->linked) {
		b->linked = true;
		return compile_devices(b, units, n, diag);
	}
	return check_linked(units, n, b->object_only ? alone : nowhere, diag);
}

static void build(building *b, hd_diag *diag)
{
	unit *units = hd_xcalloc(b->inputs.n, sizeof *units);
	hd_memory_file *objects = hd_xcalloc(b->inputs.n + 1, sizeof *objects);
	size_t n = 0, n_objects;
	for (size_t i = 0; i < b->inputs.n; i++)
		if (is_source(b->inputs.at[i]))
			units[n++].path = b->inputs.at[i];
	bool ok = compile_devices(b, units, n, diag);
	for (size_t i = 0; i < n && ok; i++) {
		ok = compile_host(b, &units[i], diag);
		objects[i] = units[i].object;
	}
	if (ok && b->object_only) {
		hd_write_file(b->output, objects[0].bytes, objects[0].size, diag);
	} else if (ok && link_device(b, units, n, &objects[n], diag)) {
		n_objects = n + (objects[n].bytes != NULL);
		link_program(b, objects, n_objects, diag);
	}
	for (size_t i = 0; i <= n; i++)
		free((void *)(uintptr_t)objects[i].bytes);
	for (size_t i = 0; i < n; i++) {
		hd_text_free(&units[i].id);
		free(units[i].ptx);
	}
	free(units);
	free(objects);
}

/* The device's task of clang takes those words behind `--` that are about the language and arithmetic. */
static void share(building *b)
{
	static const char *const both[] = {"-D", "-U", "-I", "-i", "-f", "-std=", "-W", "-w"}, *const pairs[] = {"-D",         "-U",       "-I",
	                                                                                                         "-include",   "-isystem", "-iquote",
	                                                                                                         "-idirafter", "-imacros"};
	for (const char *const *word = b->rest; *word; word++) {
		bool pair = false, taken = false;
		if (strcmp(*word, "-Xarch_device") == 0 && word[1]) {
			hd_vec_push(&b->shared, *++word);
			continue;
		}
		for (size_t i = 0; i < HD_COUNT(both); i++)
			taken = taken || strncmp(*word, both[i], strlen(both[i])) == 0;
		for (size_t i = 0; i < HD_COUNT(pairs); i++)
			pair = pair || strcmp(*word, pairs[i]) == 0;
		if (!taken || is_for_linker(*word) || strncmp(*word, "-fcf-protection", 15) == 0) {
			word += (strcmp(*word, "-Xclang") == 0 || strcmp(*word, "-mllvm") == 0 || strcmp(*word, "-Xarch_host") == 0) &&
			        word[1]; /* its value is for the host, too */
			continue;
		}
		hd_vec_push(&b->shared, *word);
		if (pair && word[1])
			hd_vec_push(&b->shared, *++word);
	}
	if (b->shared.n)
		hd_vec_push(&b->shared, "-Qunused-arguments"); /* the host's task speaks of them */
}

/* Takes nvcc's options: of the device's arithmetic, and -O of the host's code. */
static hd_taken nvcc_option(building *b, const hd_options *options, hd_option_id id)
{
	static const struct {
		hd_option_id id;
		const char *words[5]; /* for each value */
	} rows[NVCC_OPTIONS] = {{HD_OPTION_FAST_MATH, {"-use_fast_math"}},
	                        {HD_OPTION_FMAD, {"-fmad=false", "-fmad=true"}},
	                        {HD_OPTION_FTZ, {"-ftz=false", "-ftz=true"}},
	                        {HD_OPTION_PREC_DIV, {"-prec-div=false", "-prec-div=true"}},
	                        {HD_OPTION_PREC_SQRT, {"-prec-sqrt=false", "-prec-sqrt=true"}},
	                        {HD_OPTION_OPTIMIZE, {"-O0", "-O1", "-O2", "-O3"}}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		const hd_option_row *row = &hd_option_rows[id];
		if (id != rows[i].id)
			continue;
		const char **slot = id == HD_OPTION_OPTIMIZE ? &b->optimize : &b->nvcc[i];
		*slot = NULL;
		for (const char *const *word = rows[i].words; *word && !*slot; word++)
			if (row->kind == HD_VALUE_NONE || strcmp(*word + strcspn(*word, "=O") + 1, options->value) == 0)
				*slot = *word;
		return *slot ? HD_TAKEN
		             : (hd_refuse_choice("cc", row->name, options->value, row->value, id == HD_OPTION_OPTIMIZE ? "0 to 3" : "true or false"),
		                HD_REFUSED);
	}
	return HD_NOT_MINE;
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
		else if (nvcc_option(b, &options, id) == HD_REFUSED || hd_program_option(&b->program, &options, id) == HD_REFUSED)
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

/* clang reads -use_fast_math as -u se_fast_math, and -odir as -o dir. */
static bool check_rest(const char *const *word)
{
	for (; *word; word++) {
		if (strncmp(*word, "-use", 4) == 0 || strncmp(*word, "-o", 2) == 0 || strcmp(*word, "-c") == 0) {
			hd_usage("cc: %s stands behind --, where clang's options are; `heddle cc --help` lists those in front of it", *word);
			return false;
		}
	}
	return true;
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
	for (const char *const *word = b.rest; *word; word++)
		b.linked = b.linked || strcmp(*word, "-fgpu-rdc") == 0;
	if (rest.n > ARGUMENTS_MAX) {
		hd_usage("cc: more than %d words behind --", ARGUMENTS_MAX);
	} else if (check_rest(b.rest) && parse(&b, own, argv)) {
		share(&b);
		build(&b, &diag);
		status = hd_flush(&diag);
	}
	hd_vec_free(&rest);
	hd_vec_free(&b.shared);
	hd_vec_free(&b.inputs);
	hd_program_options_free(&b.program);
	return status;
}
