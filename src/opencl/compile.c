/* Compiles OpenCL C to kernel objects: the program's options, clang's files, and the cache. */
#include "opencl/driver.h"

#include "api/build.h"
#include "front/front.h"
#include "front/data_files.h"
#include "front/process.h"
#include "heddle/heddle.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MAX = 1 << 20 };

/* -- options -------------------------------------------------------------------------------------------------------------------------------- */
typedef struct words {
	hd_arena arena;
	HD_VEC(char *) list;
} words;

static void add(words *w, const char *word) { hd_vec_push(&w->list, hd_arena_strndup(&w->arena, word, strlen(word))); }

static void words_free(words *w)
{
	hd_vec_free(&w->list);
	hd_arena_free(&w->arena);
}

/* Splits a text at blanks. Double quotes keep blanks together. A backslash keeps the next character. */
static void split(words *w, const char *text)
{
	while (*text) {
		hd_text word = {0};
		bool quoted = false;
		text += strspn(text, " \t\n\r");
		if (!*text)
			break;
		for (; *text && (quoted || !strchr(" \t\n\r", *text)); text++) {
			if (*text == '"')
				quoted = !quoted;
			else if (*text == '\\' && text[1])
				hd_text_put(&word, ++text, 1);
			else
				hd_text_put(&word, text, 1);
		}
		add(w, word.at ? word.at : "");
		hd_text_free(&word);
	}
}

/* The promise that all work-groups have one size. It also goes to clang, which notes it in the units of a program. */
static const char uniform_size[] = "-cl-uniform-work-group-size";

/* True for known options without an effect here: debugging, permissions that the compiler does not use, and properties that always hold. */
static bool without_effect(const char *word)
{
	static const char *const names[] = {"-g",
	                                    "-cl-opt-disable",
	                                    "-cl-denorms-are-zero",
	                                    "-cl-fp32-correctly-rounded-divide-sqrt",
	                                    "-cl-strict-aliasing",
	                                    "-cl-no-subgroup-ifp",
	                                    "-create-library",
	                                    "-enable-link-options"};
	for (size_t i = 0; i < HD_COUNT(names); i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

static bool for_clang(const char *word)
{
	static const char *const names[] = {"-cl-single-precision-constant",
	                                    "-cl-mad-enable",
	                                    "-cl-no-signed-zeros",
	                                    "-cl-unsafe-math-optimizations",
	                                    "-cl-finite-math-only",
	                                    "-cl-fast-relaxed-math",
	                                    "-cl-kernel-arg-info",
	                                    uniform_size,
	                                    "-w",
	                                    "-Werror"};
	for (size_t i = 0; i < HD_COUNT(names); i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

/* Adds clang's arguments for a language version. False for a word that is no version. */
static bool language(words *out, const char *word)
{
	static const char *const names[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		if (strcmp(word, names[i]) == 0) {
			if (out)
				add(out, word);
			return true;
		}
	}
	return false;
}

/* True when a program that is built with these options takes work-groups of several sizes: OpenCL C 2.0 or 3.0, without the promise not to. */
static bool takes_nonuniform(const char *options)
{
	words in = {0};
	bool version = false, uniform = false;
	split(&in, options ? options : "");
	for (size_t i = 0; i < in.list.n; i++) {
		version = version || strcmp(in.list.at[i], "-cl-std=CL2.0") == 0 || strcmp(in.list.at[i], "-cl-std=CL3.0") == 0;
		uniform = uniform || strcmp(in.list.at[i], uniform_size) == 0;
	}
	words_free(&in);
	return version && !uniform;
}

/* The same for a program that is linked. clang notes on each kernel of a unit whether its size is uniform. */
static bool links_nonuniform(const hc_source *source)
{
	bool some = false;
	for (size_t i = 0; i < source->n_units; i++) {
		if (strstr(source->units[i].text, "\"uniform-work-group-size\"=\"true\""))
			return false;
		some = some || strstr(source->units[i].text, "\"uniform-work-group-size\"=\"false\"");
	}
	return some && !(source->options && strstr(source->options, uniform_size));
}

/* Translates the program's options for clang. False for an unknown option. `out` may be NULL. */
static bool translate(words *out, const char *options)
{
	words in = {0};
	bool ok = true;
	split(&in, options ? options : "");
	for (size_t i = 0; i < in.list.n && ok; i++) {
		const char *word = in.list.at[i];
		if (strncmp(word, "-D", 2) == 0 || strncmp(word, "-I", 2) == 0) {
			if (!word[2] && i + 1 == in.list.n) {
				ok = false;
				break;
			}
			if (out)
				add(out, word[2] ? word : hd_arena_printf(&out->arena, "%s%s", word, in.list.at[i + 1]));
			i += !word[2];
		} else if (for_clang(word)) {
			if (out)
				add(out, word);
		} else {
			ok = without_effect(word) || language(out, word);
		}
	}
	words_free(&in);
	return ok;
}

cl_int hc_options_check(const char *options, cl_int error) { return translate(NULL, options) ? CL_SUCCESS : error; }

/* -- files for clang, in memory alone ----------------------------------------------------------------------------------------------------------- */
static const char program_name[] = "program.cl";
/* A line marker: messages and line tables name the program, whose file has no name. */
static const char program_line[] = "# 1 \"program.cl\"\n";

/* Adds a header. False for a name that leaves the folder. */
static bool put_header(hd_memory_file *file, const char *name, const char *text, hd_diag *diag)
{
	if (!*name || *name == '/' || strstr(name, "..")) {
		hd_error(diag, (hd_pos){.file = name}, "is no name for a header, expected a path without '..'");
		return false;
	}
	*file = (hd_memory_file){.name = name, .bytes = text, .size = strlen(text)};
	return true;
}

/* Appends `text` to `log` without the name of the folder that clang sees. */
static void put_without_folder(hd_text *log, const char *text)
{
	size_t n = strlen(HD_MEMORY_FOLDER);
	while (text && *text && log->n < LOG_MAX) {
		const char *at = strstr(text, HD_MEMORY_FOLDER);
		hd_text_put(log, text, at ? (size_t)(at - text) : strlen(text));
		if (!at)
			break;
		text = at + n;
		text += *text == '/';
	}
}

/* -- the key of the cache ----------------------------------------------------------------------------------------------------------------------- */
/* True when the text names files that the object depends on. */
static bool includes(const char *text) { return strstr(text, "include") || strstr(text, "import"); }

/* Everything on which the object depends. `expanded` is the text after the preprocessor, if the text includes files. */
static bool make_key(const hc_source *source, const char *expanded, hd_text *key)
{
	if ((!expanded && includes(source->text)) || !hr_cache_key(key))
		return false;
	hd_machine_print(&hr_device.machine, key);
	hd_text_printf(key, "options %s\nlinking %d\n%s", source->options ? source->options : "", source->linking, source->text);
	for (size_t i = 0; i < source->n_units; i++)
		hd_text_printf(key, "\nunit %zu\n%s", i, source->units[i].text);
	if (expanded)
		hd_text_printf(key, "\nexpanded\n%s", expanded);
	return true;
}

/* -- runs --------------------------------------------------------------------------------------------------------------------------------------- */
typedef struct job {
	hd_arena arena; /* of file names and contents */
	HD_VEC(hd_memory_file) files;
	words arguments;
	hd_diag diag;
	bool ok;
} job;

/* Gives all functions except kernels internal linkage. A program of one unit has no other callers, so clang need not compile functions that no kernel
 * calls (libraries in source form have hundreds). */
static char *internalised(const char *text)
{
	static const char external[] = "define dso_local ", internal[] = "define internal ";
	hd_text out = {0};
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), head = sizeof external - 1;
		const char *mark = strncmp(line, external, head) == 0 ? strstr(line, "!kernel_arg_addr_space") : line;
		bool change = !mark || mark > line + n;
		hd_text_put(&out, change ? internal : line, change ? sizeof internal - 1 : n + (line[n] == '\n'));
		if (change)
			hd_text_put(&out, line + head, n - head + (line[n] == '\n'));
		line += n + (line[n] == '\n');
	}
	return out.at;
}

/* Adds a unit's bitcode as a file of the job. A unit that came as a binary is text, and another run of clang makes bitcode of it. */
static bool put_unit(job *j, const hc_unit *unit, size_t number)
{
	static const char *const how[] = {
	    "-x", "ir", "-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes", "-Xclang", "-emit-llvm-bc", NULL};
	hd_memory_file file = {.name = hd_arena_printf(&j->arena, "unit%zu.cl", number), .bytes = unit->text, .size = strlen(unit->text)};
	hd_front_options options = {.arguments = how, .without_builtins = true, .files = &file, .n_files = 1};
	size_t n = unit->bitcode.n;
	char *bytes = n ? NULL : hd_front_compile(file.name, &options, &n, &j->diag);
	if (!n || (!bytes && !unit->bitcode.n))
		return false;
	file.bytes = hd_arena_strndup(&j->arena, bytes ? bytes : unit->bitcode.at, n);
	file.size = n;
	hd_vec_push(&j->files, file);
	free(bytes);
	return true;
}

/* clang links units into a source that it compiles, here an empty one. A unit cannot be the source: clang links no built-in function into a source in
 * LLVM's form. */
static void prepare_link(job *j, const hc_source *source)
{
	for (size_t i = 0; i < source->n_units && j->ok; i++) {
		hc_unit alone = {.text = source->n_units == 1 ? internalised(source->units[i].text) : NULL};
		j->ok = put_unit(j, alone.text ? &alone : &source->units[i], i);
		free(alone.text);
		add(&j->arguments, "-Xclang");
		add(&j->arguments, "-mlink-bitcode-file");
		add(&j->arguments, "-Xclang");
		add(&j->arguments, hd_arena_printf(&j->arena, HD_MEMORY_FOLDER "/unit%zu.cl", i));
	}
}

static void prepare(job *j, const hc_source *source)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *text = source->text;
	text += strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
	char *marked = hd_arena_printf(&j->arena, "%s%s", program_line, text);
	j->ok = true;
	hd_vec_push(&j->files, (hd_memory_file){.name = program_name, .bytes = marked, .size = strlen(marked)});
	add(&j->arguments, "-fdebug-compilation-dir=" HD_MEMORY_FOLDER);
	for (size_t i = 0; i < source->n_headers && j->ok; i++) {
		hd_memory_file header;
		j->ok = put_header(&header, source->names[i], source->headers[i], &j->diag);
		if (j->ok)
			hd_vec_push(&j->files, header);
	}
	if (source->n_headers)
		add(&j->arguments, "-I" HD_MEMORY_FOLDER);
	if (source->linking) {
		prepare_link(j, source);
	} else {
		add(&j->arguments, "-D__OPENCL_VERSION__=300");
		j->ok = translate(&j->arguments, source->options) && j->ok;
	}
}

static void finish(job *j, hd_text *log)
{
	put_without_folder(log, j->diag.text.at);
	hd_vec_free(&j->files);
	hd_arena_free(&j->arena);
	hd_diag_free(&j->diag);
	words_free(&j->arguments);
}

/* Adds reqd_work_group_size, which clang's PTX lacks. If the text uses it, it comes from the metadata. */
static void add_required_blocks(hd_object *object, const hc_source *source)
{
	static const char word[] = "reqd_work_group_size";
	for (size_t i = 0; i < source->n_units; i++)
		hc_required_blocks(source->units[i].text, object);
	if (source->n_units || !strstr(source->text, word))
		return;
	hd_text log = {0};
	char *ir = hc_compile_text(source, &log);
	if (ir)
		hc_required_blocks(ir, object);
	free(ir);
	hd_text_free(&log);
}

/* The text after the preprocessor, or NULL. This takes a fraction of the time of a build. */
static char *expand(const hc_source *source)
{
	static const char *const how[] = {"-E", "-w"};
	job j = {0};
	size_t n;
	prepare(&j, source);
	for (size_t i = 0; i < HD_COUNT(how); i++)
		add(&j.arguments, how[i]);
	hd_vec_push(&j.arguments.list, NULL);
	hd_front_options options = {
	    .arguments = (const char *const *)j.arguments.list.at, .without_builtins = true, .files = j.files.at, .n_files = j.files.n};
	char *text = j.ok ? hd_front_compile(program_name, &options, &n, &j.diag) : NULL;
	hd_text ignored = {0};
	finish(&j, &ignored);
	hd_text_free(&ignored);
	return text;
}

hd_object *hc_compile(const hc_source *source, hd_text *log)
{
	hd_text key = {0};
	char *expanded = hr_device.cache && includes(source->text) ? expand(source) : NULL;
	bool keyed = make_key(source, expanded, &key);
	free(expanded);
	hd_object *object = keyed ? hr_cache_load(&key, log) : NULL;
	if (!object) {
		job j = {0};
		prepare(&j, source);
		hd_vec_push(&j.arguments.list, NULL);
		hd_build_options options = {.machine = &hr_device.machine,
		                            .arguments = (const char *const *)j.arguments.list.at,
		                            .nonuniform = source->linking ? links_nonuniform(source) : takes_nonuniform(source->options),
		                            .files = j.files.at,
		                            .n_files = j.files.n};
		if (j.ok)
			object = hd_build(program_name, &options, &j.diag);
		if (object) {
			object->nonuniform = options.nonuniform;
			add_required_blocks(object, source);
		}
		for (size_t i = 0; object && i < object->files.n; i++) {
			hd_text name = {0};
			put_without_folder(&name, object->files.at[i]);
			free(object->files.at[i]);
			object->files.at[i] = hd_xstrdup(name.at ? name.at : "");
			hd_text_free(&name);
		}
		finish(&j, log);
		if (object && keyed) {
			size_t n;
			unsigned char *bytes = hd_object_write(object, &n);
			if (bytes)
				hr_cache_store(&key, log, bytes, n);
			free(bytes);
		}
	}
	hd_text_free(&key);
	return object;
}

/* Runs clang for a module without the built-in functions and without any pass. With `dump`, what comes out is bitcode, and the text is in `dump`.
 * With `inlines` there is no attribute noinline. */
static char *compile_module(const hc_source *source, bool inlines, hd_text *dump, size_t *size, hd_text *log)
{
	static const char *const text[] = {"-emit-llvm", "-Xclang", "-disable-llvm-passes"};
	static const char *const both[] = {"-Xclang", "-emit-llvm-bc", "-Xclang", "-disable-llvm-passes", "-mllvm", "-print-before-all"};
	job j = {0};
	char *bytes = NULL;
	prepare(&j, source);
	for (size_t i = 0; i < (dump ? HD_COUNT(both) : HD_COUNT(text)); i++)
		add(&j.arguments, dump ? both[i] : text[i]);
	add(&j.arguments, "-cl-kernel-arg-info");
	if (inlines) {
		add(&j.arguments, "-Dnoinline=");
		add(&j.arguments, "-D__noinline__=");
	}
	hd_vec_push(&j.arguments.list, NULL);
	hd_front_options options = {.arguments = (const char *const *)j.arguments.list.at,
	                            .debug_lines = dump != NULL,
	                            .without_builtins = true,
	                            .races = hr_device.races,
	                            .files = j.files.at,
	                            .n_files = j.files.n,
	                            .module_text = dump};
	if (j.ok)
		bytes = hd_front_compile(program_name, &options, size, &j.diag);
	finish(&j, log);
	return bytes;
}

char *hc_compile_text(const hc_source *source, hd_text *log)
{
	size_t n;
	return compile_module(source, false, NULL, &n, log);
}

static const char dropped[] = "\ndefine available_externally ";

/* `inline` alone makes no function in C99, but one that any unit may have of its own is what programs expect. True if the module had one. */
static bool keep_inline_functions(char **text)
{
	static const char kept[] = "\ndefine linkonce_odr ";
	hd_text out = {0};
	const char *at = *text, *found;
	for (; (found = strstr(at, dropped)); at = found + sizeof dropped - 1)
		hd_text_printf(&out, "%.*s%s", (int)(found - at), at, kept);
	if (at == *text)
		return false;
	hd_text_put(&out, at, strlen(at));
	free(*text);
	*text = out.at;
	return true;
}

static size_t count_inline_functions(const char *text)
{
	size_t n = 0;
	for (; text && (text = strstr(text, dropped)); text++)
		n++;
	return n;
}

/* False for a word that no text of the program has. Files of folders that the options name are not read. */
static bool may_have(const hc_source *source, const char *word)
{
	const char *options = source->options ? source->options : "";
	bool found = strstr(source->text, word) || strstr(options, word) || (includes(source->text) && strstr(options, "-I"));
	for (size_t i = 0; i < source->n_headers && !found; i++)
		found = strstr(source->headers[i], word) != NULL;
	return found;
}

/* clang keeps no body of a function that is `inline` alone and noinline. A unit that may have one is compiled without noinline, too. */
static void find_inline_functions(const hc_source *source, hd_text *dump)
{
	hd_text other = {0}, ignored = {0};
	size_t n;
	if (!may_have(source, "noinline"))
		return;
	free(compile_module(source, true, &other, &n, &ignored));
	if (count_inline_functions(other.at) > count_inline_functions(dump->at)) {
		hd_text was = *dump;
		*dump = other;
		other = was;
	}
	hd_text_free(&other);
	hd_text_free(&ignored);
}

bool hc_compile_unit(const hc_source *source, hc_unit *unit, hd_text *log)
{
	hd_text dump = {0};
	size_t n = 0;
	char *bytes = compile_module(source, false, &dump, &n, log);
	if (bytes)
		find_inline_functions(source, &dump);
	/* The first line is LLVM's title. */
	const char *text = bytes && dump.n ? strchr(dump.at, '\n') : NULL;
	*unit = (hc_unit){.text = text ? hd_xstrdup(text + 1) : NULL};
	/* The bitcode has the functions as they were. */
	if (text && !keep_inline_functions(&unit->text))
		hd_text_put(&unit->bitcode, bytes, n);
	else if (bytes && !text)
		hd_text_printf(log, "clang printed no module, expected one before its last pass\n");
	hd_text_free(&dump);
	free(bytes);
	return text != NULL;
}

void hc_unit_free(hc_unit *unit)
{
	free(unit->text);
	hd_text_free(&unit->bitcode);
}
