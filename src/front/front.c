/* Command lines of clang, and its messages. Our library supplies OpenCL's built-ins first, and libclc second: clang takes from each bitcode file
 * only symbols that are still undefined, so a definition of ours replaces libclc's. */
#include "front/front.h"
#include "front/children.h"
#include "front/data_files.h"
#include "front/memory_files.h"
#include "front/messages.h"
#include "front/source_traits.h"
#include "front/pad.h"
#include "front/process.h"
#include "front/relax.h"
#include "front/widen.h"

#include <unistd.h>

enum { SOURCE_LIMIT = 64 << 20, MODULE_LIMIT = 64 << 20, CHILD_ROUNDS = 32 /* runs of clang, which stops after 20 errors */ };

/* Where Debian and other distributions install libclc's file for the target. */
static const char *const libclc_places[] = {"/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc",
                                            "/usr/local/share/clc/nvptx64--nvidiacl.bc"};

typedef struct arguments {
	hd_arena arena;
	HD_VEC(char *) list;
} arguments;

static void add(arguments *a, const char *argument) { hd_vec_push(&a->list, hd_arena_strndup(&a->arena, argument, strlen(argument))); }

static void add_all(arguments *a, const char *const *list)
{
	for (; list && *list; list++)
		add(a, *list);
}

static void arguments_free(arguments *a)
{
	hd_vec_free(&a->list);
	hd_arena_free(&a->arena);
}

static const char *libclc_file(hd_diag *diag)
{
	const char *chosen = getenv("HEDDLE_LIBCLC");
	if (chosen) {
		if (access(chosen, R_OK) == 0)
			return chosen;
		hd_error(diag, (hd_pos){.file = chosen}, "cannot be read; HEDDLE_LIBCLC must name libclc's nvptx64--nvidiacl.bc");
		return NULL;
	}
	for (size_t i = 0; i < HD_COUNT(libclc_places); i++)
		if (access(libclc_places[i], R_OK) == 0)
			return libclc_places[i];
	hd_error(diag, (hd_pos){.file = libclc_places[0]},
	         "not found: OpenCL's built-in functions come from libclc; install the Debian package libclc-19");
	return NULL;
}

char *hd_front_clang(void)
{
	const char *chosen = getenv("HEDDLE_CLANG");
	char *path = hd_process_find(chosen ? chosen : "clang-19");
	return path || chosen ? path : hd_process_find("clang");
}

static char *clang_file(hd_diag *diag)
{
	const char *chosen = getenv("HEDDLE_CLANG");
	char *path = hd_front_clang();
	if (!path && chosen)
		hd_error(diag, (hd_pos){.file = chosen}, "not found or not executable; HEDDLE_CLANG must name a clang, version 19 or later");
	else if (!path)
		hd_error(diag, (hd_pos){.file = "clang-19"},
		         "not found in PATH: OpenCL C and CUDA are compiled by clang; install the Debian package clang-19 or set HEDDLE_CLANG");
	return path;
}

static void add_bitcode(arguments *a, const char *file)
{
	const char *const list[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file, NULL};
	add_all(a, list);
}

/* One run of clang gives PTX and, before the last pass that works on whole modules, the module with the names of parameters. */
static void add_module_text(arguments *a, bool cuda)
{
	static const char *const list[] = {"-mllvm", "-print-before=generic-to-nvvm", NULL};
	add_all(a, list);
	add(a, cuda ? "-fno-discard-value-names" : "-cl-kernel-arg-info");
}

/* Units are files of bitcode beside the source, or the source in LLVM's text form (-x ir). */
static bool links_units(const char *const *list)
{
	for (; list && *list; list++)
		if (strcmp(*list, "-mlink-bitcode-file") == 0 || strcmp(*list, "ir") == 0)
			return true;
	return false;
}

/* True when the arguments choose OpenCL C 3.0 or 2.0. */
static bool wants_opencl3(const char *const *list)
{
	for (; list && *list; list++)
		if (strncmp(*list, "-cl-std=CL3", 11) == 0 || strncmp(*list, "-cl-std=CL2", 11) == 0)
			return true;
	return false;
}

/* The extensions that clang switches on. OpenCL C 1.2 ignores the features of 3.0. Features that are functions alone are macros of
 * lib/heddle_opencl.h. */
#define HD_CLANG_EXTENSIONS                                                                                                       \
	"-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16,+cl_khr_subgroups,+__opencl_c_subgroups," \
	"+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,+__opencl_c_atomic_order_acq_rel,"          \
	"+__opencl_c_atomic_order_seq_cst,+__opencl_c_pipes,+__opencl_c_device_enqueue"

/* Whether the arguments are for the language of the source. */
static bool check_language(const char *path, bool cuda, const hd_front_options *options, hd_diag *diag)
{
	const char *const *word = options ? options->arguments : NULL;
	while (cuda && word && *word && strncmp(*word, "-cl-std=", 8) != 0)
		word++;
	if (cuda && word && *word)
		hd_error(diag, (hd_pos){.file = path}, "is CUDA; a version of OpenCL C (%s) is for .cl files", *word + sizeof "-cl-std=" - 1);
	return !cuda || !word || !*word;
}

/* `header` is included before the source. */
static void add_language(arguments *a, bool cuda, const char *header)
{
	/* Arguments of printf are not to go through memory: the reader takes their sizes from the call (src/ptx/print.c). */
	static const char *const opencl_list[] = {"-mllvm",
	                                          "-expand-variadics-override=disable",
	                                          "-target",
	                                          "nvptx64-nvidia-nvcl",
	                                          "-march=sm_70",
	                                          "-x",
	                                          "cl",
	                                          "-cl-std=CL1.2",
	                                          "-cl-no-stdinc",
	                                          "-Xclang",
	                                          "-finclude-default-header",
	                                          "-Xclang",
	                                          "-fdeclare-opencl-builtins",
	                                          "-Xclang",
	                                          HD_CLANG_EXTENSIONS,
	                                          "-include",
	                                          NULL};
	/* Without a CUDA installation clang does not know the PTX version, nor which functions make a launch. Shuffles and votes need a version with
	 * their .sync forms. */
	static const char *const cuda_list[] = {"-x",
	                                        "cuda",
	                                        "--cuda-device-only",
	                                        "--cuda-gpu-arch=sm_70",
	                                        "-nocudainc",
	                                        "-nocudalib",
	                                        "-std=c++17",
	                                        "-Xclang",
	                                        "-target-feature",
	                                        "-Xclang",
	                                        "+ptx64",
	                                        "-Xclang",
	                                        "-target-sdk-version=11.5",
	                                        "-Wno-unknown-cuda-version",
	                                        "-Wno-unknown-attributes",
	                                        "-include",
	                                        NULL};
	add_all(a, cuda ? cuda_list : opencl_list);
	add(a, header);
}

static char *run(const char *path, arguments *a, const hd_memory_files *files, bool writes, size_t *size, hd_text *module, hd_diag *diag)
{
	hd_process_limits limits;
	hd_process_result result;
	const char *failure = NULL;
	if (!hd_limits_read(&limits, diag))
		return NULL;
	hd_process process = {.argv = a->list.at, .limits = &limits, .files = files->fds.at, .n_files = files->fds.n};
	process.messages_max = module ? MODULE_LIMIT : HD_PROCESS_MESSAGES_MAX;
	if (hd_process_run(&process, &result, &failure)) {
		if (module)
			hd_cut_module(&result.err, module);
		return hd_take_result(path, a->list.at[0], &limits, &result, writes, size, diag);
	}
	hd_error(diag, (hd_pos){.file = a->list.at[0]}, "cannot be run: %s", failure);
	return NULL;
}

static char *run_clang(const char *path, arguments *a, const hd_memory_files *files, size_t *size, hd_text *module, hd_diag *diag)
{
	return run(path, a, files, true, size, module, diag);
}

/* Whether there is a source, and one that is not too large. clang reports a missing file only after errors in its options. */
static bool check_source(const char *path, const hd_front_options *options, hd_source_traits *traits, hd_diag *diag)
{
	size_t size = 0;
	if (options && options->n_files) {
		*traits = hd_source_traits_of(options->files[0].bytes, options->files[0].size);
		return true;
	}
	char *source = hd_read_file(path, SOURCE_LIMIT, &size, diag);
	if (source)
		*traits = hd_source_traits_of(source, size);
	free(source);
	return source != NULL;
}

/* The least that this run of clang reads. */
static hd_source_traits traits_of_run(hd_source_traits traits, bool cuda, const hd_front_options *options)
{
	const char *const *word = options ? options->arguments : NULL;
	/* Units that are linked call what they like, and nothing is compiled then. */
	if (!cuda && links_units(word))
		return (hd_source_traits){.library = HD_LIBRARY_ALL, .opencl3 = true, .queues = true, .half = true};
	traits.half = traits.half && !cuda;
	bool opencl3 = wants_opencl3(options ? options->arguments : NULL);
	traits.opencl3 = traits.half || (traits.opencl3 && opencl3);
	traits.queues = traits.queues && opencl3;
	if (traits.half)
		traits.library = HD_LIBRARY_ALL;
	if (cuda && traits.library < HD_LIBRARY_SCALARS)
		traits.library = HD_LIBRARY_SCALARS;
	return traits;
}

/* Adds the source: a file, or the first of those in memory, after the overlay that names them. False and an error in diag on failure. */
static bool add_source(arguments *a, const char *path, const hd_front_options *options, hd_memory_files *files, hd_diag *diag)
{
	if (!options || !options->n_files) {
		/* A name that begins with a dash must not become an option. */
		add(a, path[0] == '-' ? hd_arena_printf(&a->arena, "./%s", path) : path);
		return true;
	}
	if (!hd_memory_files_open(files, options->files, options->n_files, HD_PROCESS_FIRST_FILE, diag))
		return false;
	add(a, "-ivfsoverlay");
	add(a, hd_arena_printf(&a->arena, "/proc/self/fd/%zu", HD_PROCESS_FIRST_FILE + options->n_files));
	add(a, HD_MEMORY_SOURCE);
	return true;
}

/* The files that clang reads beside the source. */
typedef struct library {
	char *clang, *header, *folder; /* folder: of heddle_device.h */
	char *core, *builtins;
	char *range, *opencl3, *queue, *half; /* NULL if the program does not need them */
	char *scalars;                        /* NULL: there is no such file, libclc serves */
	char *device;                         /* CUDA: the functions that clang's headers call */
	const char *libclc;
} library;

static void library_free(library *l)
{
	free(l->clang);
	free(l->header);
	free(l->folder);
	free(l->core);
	free(l->builtins);
	free(l->scalars);
	free(l->range);
	free(l->opencl3);
	free(l->queue);
	free(l->half);
	free(l->device);
}

/* A file that need not be there. HEDDLE_LIBCLC replaces all of libclc. */
static char *scalars_file(void)
{
	hd_diag quiet = {0};
	char *file = getenv("HEDDLE_LIBCLC") ? NULL : hd_data_file("heddle_scalars.bc", &quiet);
	hd_diag_free(&quiet);
	return file;
}

static bool library_find(library *l, bool cuda, hd_source_traits traits, const hd_front_options *options, hd_diag *diag)
{
	bool nonuniform = !cuda && options && !options->without_builtins && options->nonuniform;
	bool ok = (l->clang = clang_file(diag)) && (l->builtins = hd_data_file("heddle_builtins.bc", diag)) &&
	          (l->core = hd_data_file("heddle_core.bc", diag)) && (l->libclc = libclc_file(diag)) &&
	          (!nonuniform || (l->range = hd_data_file("heddle_range.bc", diag))) && (l->opencl3 = hd_data_file("heddle_opencl3.bc", diag)) &&
	          (l->queue = hd_data_file("heddle_queue.bc", diag)) && (!traits.half || (l->half = hd_data_file("heddle_half.bc", diag))) &&
	          (!cuda || (l->device = hd_data_file("heddle_libdevice.bc", diag))) &&
	          (l->header = hd_data_file(cuda ? "heddle_cuda.h" : "heddle_opencl.h", diag)) && (l->folder = hd_data_file("heddle_device.h", diag));
	if (ok)
		*strrchr(l->folder, '/') = '\0';
	l->scalars = scalars_file();
	return ok;
}

/* Files whose functions replace those of others come first. So do those that call functions of others. */
static void add_library(arguments *a, const library *l, const hd_source_traits *traits)
{
	if (l->range)
		add_bitcode(a, l->range);
	if (l->device)
		add_bitcode(a, l->device);
	if (l->half)
		add_bitcode(a, l->half);
	if (traits->queues)
		add_bitcode(a, l->queue);
	if (traits->opencl3)
		add_bitcode(a, l->opencl3);
	add_bitcode(a, traits->library == HD_LIBRARY_CORE ? l->core : l->builtins);
	if (traits->library >= HD_LIBRARY_SCALARS)
		add_bitcode(a, traits->library == HD_LIBRARY_SCALARS && l->scalars ? l->scalars : l->libclc);
}

static void add_options(arguments *a, const library *l, bool cuda, const hd_front_options *options, const hd_source_traits *traits)
{
	/* The back end has no function for the division of 128 bits; LLVM writes a loop then, as for its conversions. */
	static const char *const common[] = {"-Wno-linker-warnings",
	                                     "-fno-color-diagnostics",
	                                     "-fno-crash-diagnostics",
	                                     "-O2",
	                                     "-mllvm",
	                                     "-expand-div-rem-bits=64",
	                                     "-mllvm",
	                                     "-expand-fp-convert-bits=64",
	                                     NULL};
	static const char *const output[] = {"-S", "-o", "-", NULL};
	add(a, l->clang);
	add_language(a, cuda, l->header);
	if (traits->gnu_inline)
		add(a, "-fgnu89-inline");
	if (traits->inlined) {
		add(a, "-mllvm");
		add(a, "-force-remove-attribute=noinline");
		add(a, "-mllvm");
		add(a, "-force-attribute=alwaysinline");
	}
	/* #include <heddle_device.h> */
	add(a, "-isystem");
	add(a, l->folder);
	if (cuda) {
		add(a, "-isystem");
		add(a, hd_arena_printf(&a->arena, "%s/cuda", l->folder));
	}
	add_all(a, common);
	if (!cuda && options && options->races)
		add(a, "-DHEDDLE_RACES");
	/* Line directives without debug sections: Heddle reads only .loc. */
	if (!options || options->debug_lines)
		add(a, "-gline-directives-only");
	if (options && options->module_text)
		add_module_text(a, cuda);
	hd_front_words words = {0};
	hd_front_relax(options ? options->arguments : NULL, cuda, &words);
	hd_vec_push(&words, NULL);
	add_all(a, words.at);
	hd_vec_free(&words);
	if (traits->unoptimised)
		add(a, "-O0");
	/* The built-ins follow the units that the arguments may name, because they define what those leave undefined. */
	if (!options || !options->without_builtins)
		add_library(a, l, traits);
	add_all(a, output);
}

/* Adds the messages of a run to those before it. */
static void take_all(hd_diag *messages, hd_diag *diag)
{
	if (messages->text.n)
		hd_text_put(&diag->text, messages->text.at, messages->text.n);
	diag->errors += messages->errors;
	diag->warnings += messages->warnings;
	hd_diag_free(messages);
}

/* Opens files in memory for a run: `first`, if there is one, and those that launches in device code have changed. */
static bool open_files(arguments *a, hd_memory_files *files, const hd_memory_file *first, const hd_children *children, hd_diag *diag)
{
	hd_memory_file_list list = {0};
	if (first)
		hd_vec_push(&list, *first);
	hd_children_list(children, &a->arena, &list);
	bool ok = !list.n || hd_memory_files_open(files, list.at, list.n, HD_PROCESS_FIRST_FILE, diag);
	if (ok && children->files.n) {
		add(a, "-ivfsoverlay");
		add(a, hd_arena_printf(&a->arena, "/proc/self/fd/%zu", HD_PROCESS_FIRST_FILE + list.n));
	}
	hd_vec_free(&list);
	return ok;
}

/* The inputs of a compilation, for one run of clang. */
typedef struct task {
	const char *path;
	const library *library;
	const hd_front_options *options;
	const hd_source_traits *traits;
	const hd_memory_file *image;
	size_t *size;
} task;

/* Runs clang until it objects to no launch in device code any more. */
static char *run_until_known(char *(*once)(const task *t, const hd_children *children, hd_diag *diag), const task *t, hd_diag *diag)
{
	bool cuda = hd_ends_with(t->path, ".cu") && (!t->options || !t->options->n_files);
	hd_children children = {0};
	char *result = NULL;
	for (unsigned round = 0; round < CHILD_ROUNDS; round++) {
		hd_diag messages = {0};
		result = once(t, &children, &messages);
		bool again = !result && cuda && messages.text.n && round + 1 < CHILD_ROUNDS && hd_children_learn(&children, messages.text.at);
		if (!again) {
			take_all(&messages, diag);
			break;
		}
		hd_diag_free(&messages);
	}
	hd_children_free(&children);
	return result;
}

static char *compile_once(const task *t, const hd_children *children, hd_diag *diag)
{
	arguments a = {0};
	hd_memory_files files = {0};
	char *ptx = NULL;
	add_options(&a, t->library, hd_ends_with(t->path, ".cu"), t->options, t->traits);
	if (open_files(&a, &files, NULL, children, diag) && add_source(&a, t->path, t->options, &files, diag)) {
		hd_vec_push(&a.list, NULL);
		ptx = run_clang(t->path, &a, &files, t->size, t->options ? t->options->module_text : NULL, diag);
	}
	hd_memory_files_close(&files);
	arguments_free(&a);
	return ptx;
}

/* `global == generic` casts the generic pointer. Where it is one to local memory, LLVM folds the two casts into one that it has no code for. */
static const char uncast[] = "Cannot cast between two non-generic address spaces";

/* clang 19 has no code for a call that passes or returns two elements of a byte each (char2), or wrong code, and gives itself away by either. */
static bool passes_bytes(const char *ptx, const hd_diag *messages)
{
	static const char variable[] = ".param .align 2 .b8 ";
	if (!ptx)
		return messages->text.n && strstr(messages->text.at, "Copy one register into another with a different width");
	for (const char *at = ptx; (at = strstr(at, variable));) {
		at += sizeof variable - 1;
		at += strcspn(at, "[\n");
		if (strncmp(at, "[2]", 3) == 0)
			return true;
	}
	return false;
}

static char *compile(const char *path, const library *l, const hd_front_options *options, const hd_source_traits *traits, size_t *size, hd_diag *diag)
{
	hd_source_traits again = *traits;
	task t = {.path = path, .library = l, .options = options, .traits = traits, .size = size};
	hd_diag messages = {0};
	char *ptx = run_until_known(compile_once, &t, &messages);
	again.unoptimised = !ptx && messages.text.n && strstr(messages.text.at, uncast); /* nothing is folded then */
	again.inlined = !hd_ends_with(path, ".cu") && passes_bytes(ptx, &messages);
	if (again.unoptimised || again.inlined) {
		free(ptx);
		hd_diag_free(&messages);
		if (options && options->module_text)
			hd_text_free(options->module_text);
		t.traits = &again;
		ptx = run_until_known(compile_once, &t, &messages);
	}
	take_all(&messages, diag);
	return ptx;
}

/* NULL and *missing if the PTX lacks functions, as if nothing had been done. Who sets *missing to false takes the PTX as it is. */
static char *try_compile(const char *path, const library *l, const hd_front_options *options, const hd_source_traits *traits, size_t *size,
                         bool *missing, hd_diag *diag)
{
	hd_diag messages = {0};
	char *ptx = compile(path, l, options, traits, size, &messages);
	/* A call of a function that is not there is not inlined. */
	*missing = *missing && (ptx ? hd_ptx_lacks_functions(ptx) : passes_bytes(NULL, &messages));
	if (*missing) {
		free(ptx);
		ptx = NULL;
		if (options && options->module_text)
			hd_text_free(options->module_text);
		hd_diag_free(&messages);
	} else {
		take_all(&messages, diag);
	}
	return ptx;
}

static char *compile_source(const char *path, const hd_front_options *options, size_t *size, hd_diag *diag)
{
	bool cuda = hd_ends_with(path, ".cu");
	hd_source_traits traits = {0};
	library l = {0};
	char *ptx = NULL;
	if (!cuda && !hd_ends_with(path, ".cl")) {
		hd_error(diag, (hd_pos){.file = path}, "is not a source file for clang, expected a name that ends in .cl or .cu");
		return NULL;
	}
	if (!check_language(path, cuda, options, diag) || !check_source(path, options, &traits, diag))
		return NULL;
	traits = traits_of_run(traits, cuda, options);
	if (library_find(&l, cuda, traits, options, diag)) {
		bool opencl3 = traits.opencl3 || (options && wants_opencl3(options->arguments));
		bool plain = options && options->without_builtins, missing = !plain;
		if (plain || traits.library != HD_LIBRARY_ALL || traits.opencl3 != opencl3 || traits.queues != opencl3)
			ptx = try_compile(path, &l, options, &traits, size, &missing, diag);
		if (missing) {
			traits.library = HD_LIBRARY_ALL;
			traits.opencl3 = traits.queues = opencl3;
			missing = !cuda && !links_units(options ? options->arguments : NULL);
			ptx = try_compile(path, &l, options, &traits, size, &missing, diag);
		}
		if (missing) {
			traits.gnu_inline = true;
			ptx = compile(path, &l, options, &traits, size, diag);
		}
	}
	library_free(&l);
	return ptx;
}

char *hd_front_compile(const char *path, const hd_front_options *options, size_t *size, hd_diag *diag)
{
	hd_text module = {0};
	hd_diag messages = {0};
	hd_front_options with = options ? *options : (hd_front_options){.debug_lines = true};
	if (!with.module_text && !with.without_builtins)
		with.module_text = &module;
	char *ptx = compile_source(path, &with, size, &messages);
	const char *bare = with.module_text && with.module_text->n ? with.module_text->at : NULL;
	char *text = bare ? hd_front_mend_module(bare) : NULL;
	const char *mode = hd_ends_with(path, ".cu") ? hd_front_quotient(with.arguments) : NULL;
	if (bare && mode) {
		char *mended = hd_front_mend_quotients(text ? text : bare, mode);
		free(text);
		text = mended;
	}
	if (text) {
		if (!ptx) /* of the back end, which had this module as it was */
			hd_diag_free(&messages);
		free(ptx);
		ptx = hd_front_compile_module(text, hd_ends_with(path, ".cu"), size, &messages);
	}
	take_all(&messages, diag);
	free(text);
	hd_text_free(&module);
	return ptx ? hd_front_mend_loads(ptx, size) : NULL;
}

/* -- the host's side of CUDA programs --------------------------------------------------------------------------------------------------------- */

/* Code that any program and library can be linked of, with line numbers for debuggers. */
static void add_host(arguments *a, const char *path, const library *l, const hd_front_options *options, bool image)
{
	/* Signed integers wrap, as programs find them with the vendor's compiler. */
	static const char *const common[] = {"-O2", "-fwrapv", "-fPIC", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-isystem", NULL};
	static const char *const cuda[] = {"-x",
	                                   "cuda",
	                                   "--cuda-host-only",
	                                   "-nocudainc",
	                                   "-nocudalib",
	                                   "-std=c++17",
	                                   "-Xclang",
	                                   "-target-sdk-version=11.5",
	                                   "-Wno-unknown-cuda-version",
	                                   "-include",
	                                   NULL};
	static const char *const embed[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", HD_MEMORY_SOURCE, NULL};
	add(a, l->clang);
	if (hd_ends_with(path, ".cu")) {
		add_all(a, cuda);
		add(a, l->header);
	}
	add_all(a, common);
	add(a, hd_arena_printf(&a->arena, "%s/cuda", l->folder));
	add_all(a, options ? options->arguments : NULL);
	if (image)
		add_all(a, embed);
	add(a, "-c");
	add(a, path[0] == '-' ? hd_arena_printf(&a->arena, "./%s", path) : path);
	add(a, "-o");
	add(a, "-");
}

static char *host_once(const task *t, const hd_children *children, hd_diag *diag)
{
	arguments a = {0};
	hd_memory_files files = {0};
	char *object = NULL;
	add_host(&a, t->path, t->library, t->options, t->image != NULL);
	if (open_files(&a, &files, t->image, children, diag)) {
		hd_vec_push(&a.list, NULL);
		object = run_clang(t->path, &a, &files, t->size, NULL, diag);
	}
	hd_memory_files_close(&files);
	arguments_free(&a);
	return object;
}

char *hd_front_host_object(const char *path, const hd_front_options *options, const void *image, size_t image_size, size_t *size, hd_diag *diag)
{
	hd_memory_file file = {.name = "image.fatbin", .bytes = image, .size = image_size};
	library l = {0};
	char *object = NULL;
	if ((l.clang = clang_file(diag)) && (l.header = hd_data_file("heddle_cuda.h", diag)) && (l.folder = hd_data_file("heddle_device.h", diag))) {
		*strrchr(l.folder, '/') = '\0';
		task t = {.path = path, .library = &l, .options = options, .image = image ? &file : NULL, .size = size};
		object = run_until_known(host_once, &t, diag);
	}
	library_free(&l);
	return object;
}

bool hd_front_link(const hd_memory_file *objects, size_t n, const char *const *list, const char *output, hd_diag *diag)
{
	hd_memory_files files = {0};
	arguments a = {0};
	char *clang = clang_file(diag);
	unsigned before = diag->errors;
	bool ok = clang && hd_memory_files_open(&files, objects, n, HD_PROCESS_FIRST_FILE, diag);
	if (ok) {
		size_t size;
		add(&a, clang);
		add(&a, "--driver-mode=g++");
		for (size_t i = 0; i < n; i++)
			add(&a, hd_arena_printf(&a.arena, "/proc/self/fd/%zu", HD_PROCESS_FIRST_FILE + i));
		add_all(&a, list);
		add(&a, "-o");
		add(&a, output);
		hd_vec_push(&a.list, NULL);
		free(run(output, &a, &files, false, &size, NULL, diag));
		ok = diag->errors == before;
	}
	hd_memory_files_close(&files);
	arguments_free(&a);
	free(clang);
	return ok;
}
