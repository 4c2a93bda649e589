#include "api/build.h"

#include "base/output.h"
#include "front/front.h"
#include "front/source_names.h"
#include "front/spirv.h"
#include "ir/ir.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

#include <errno.h>

typedef enum source_kind { SOURCE_NONE, SOURCE_C, SOURCE_SPIRV, SOURCE_PTX, SOURCE_ASSEMBLY, SOURCE_OBJECT } source_kind;

/* SOURCE_NONE after an error, also for options of clang where clang has nothing to do. */
static source_kind kind_of(const char *path, const hd_build_options *options, hd_diag *diag)
{
	static const struct {
		const char *ending;
		source_kind kind;
	} endings[] = {{".cl", SOURCE_C},    {".cu", SOURCE_C},          {".spv", SOURCE_SPIRV},
	               {".ptx", SOURCE_PTX}, {".hasm", SOURCE_ASSEMBLY}, {".hko", SOURCE_OBJECT}};
	for (unsigned i = 0; i < HD_COUNT(endings); i++) {
		if (!hd_ends_with(path, endings[i].ending))
			continue;
		if (endings[i].kind <= SOURCE_SPIRV || !options->arguments || !options->arguments[0])
			return endings[i].kind;
		hd_error(diag, (hd_pos){.file = path}, "is compiled already, so option %s has no effect", options->arguments[0]);
		return SOURCE_NONE;
	}
	hd_error(diag, (hd_pos){.file = path}, "has an unknown ending, expected a name that ends in .cl, .cu, .spv, .ptx, .hasm or .hko");
	return SOURCE_NONE;
}

/* The content of the file: NULL and an error in diag on failure. The caller frees. */
static char *read_source(const char *path, const hd_build_options *options, size_t *size, hd_diag *diag)
{
	if (!options->text)
		return hd_read_file(path, HD_SOURCE_MAX, size, diag);
	if (options->text_size > HD_SOURCE_MAX) {
		hd_error(diag, (hd_pos){.file = path}, "the text has %zu bytes, expected at most %d", options->text_size, HD_SOURCE_MAX);
		return NULL;
	}
	char *copy = hd_xcalloc(options->text_size + 1, 1);
	memcpy(copy, options->text, options->text_size);
	*size = options->text_size;
	return copy;
}

/* The text behind a line that gives it the name. clang knows a source in memory by a number alone. */
static void name_text(hd_text *out, const char *path, const hd_build_options *options)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	size_t skip = options->text_size >= 3 && memcmp(options->text, byte_order_mark, 3) == 0 ? 3 : 0;
	hd_text_printf(out, "#line 1 \"");
	for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
		if (*at == '"' || *at == '\\')
			hd_text_printf(out, "\\%c", *at);
		else
			hd_text_printf(out, "%c", *at < ' ' ? '?' : *at);
	}
	hd_text_printf(out, "\"\n");
	hd_text_put(out, options->text + skip, options->text_size - skip);
}

static char *compile_spirv(const char *path, const hd_build_options *options, const hd_front_options *front, size_t *size, hd_diag *diag)
{
	size_t n = 0;
	char *bytes = read_source(path, options, &n, diag), *ptx = bytes ? hd_spirv_compile(path, bytes, n, front, size, diag) : NULL;
	free(bytes);
	return ptx;
}

/* `module_text` may be NULL, as in hd_front_options. */
static char *read_ptx(const char *path, source_kind kind, const hd_build_options *options, size_t *size, hd_text *module_text, hd_diag *diag)
{
	if (kind == SOURCE_PTX)
		return read_source(path, options, size, diag);
	if (options->stage)
		options->stage(options->stage_context, "clang", 1, 1, 0);
	hd_text named = {0};
	if (options->text && kind != SOURCE_SPIRV)
		name_text(&named, path, options);
	const hd_memory_file in_memory = {.name = "source", .bytes = named.at, .size = named.n};
	hd_front_options front = {.arguments = options->arguments,
	                          .debug_lines = true,
	                          .nonuniform = options->nonuniform,
	                          .races = options->machine && options->machine->compile_races,
	                          .files = options->text ? &in_memory : options->files,
	                          .n_files = options->text ? 1 : options->n_files,
	                          .module_text = module_text};
	char *ptx = kind == SOURCE_SPIRV ? compile_spirv(path, options, &front, size, diag) : hd_front_compile(path, &front, size, diag);
	hd_text_free(&named);
	return ptx;
}

static hd_ir_module *read_module(const char *path, source_kind kind, const hd_build_options *options, hd_diag *diag)
{
	size_t size;
	hd_text module_text = {0};
	char *ptx = read_ptx(path, kind, options, &size, &module_text, diag);
	if (!ptx) {
		hd_text_free(&module_text);
		return NULL;
	}
	/* The message says that its line is one of clang's PTX and not one of the source. `--emit ptx` shows the PTX. */
	hd_text name = {0};
	hd_text_printf(&name, "%s%s", path, kind == SOURCE_PTX ? "" : " (as PTX)");
	hd_ir_module *module = hd_ptx_read(ptx, size, name.at, diag);
	if (module)
		hd_front_name_sources(module, module_text.at);
	hd_text_free(&module_text);
	hd_text_free(&name);
	free(ptx);
	return module;
}

static hd_object *compile(const char *path, source_kind kind, const hd_build_options *options, hd_diag *diag)
{
	hd_ir_module *module = read_module(path, kind, options, diag);
	if (!module)
		return NULL;
	hd_compile_options compile = {.machine = options->machine,
	                              .serial = options->serial,
	                              .dump_after = options->dump_after,
	                              .dump = options->dump,
	                              .stage = options->stage,
	                              .stage_context = options->stage_context};
	hd_object *object = hd_compile_module(module, &compile, diag);
	hd_ir_module_free(module);
	return object;
}

static bool known_pass(const char *name, const char *path, hd_diag *diag)
{
	hd_text names = {0};
	hd_suggestion suggestion = {.word = name};
	for (size_t i = 0; hd_pass_name(i); i++) {
		if (strcmp(hd_pass_name(i), name) == 0) {
			hd_text_free(&names);
			return true;
		}
		hd_suggest(&suggestion, hd_pass_name(i));
		hd_text_printf(&names, "%s%s", i ? ", " : "", hd_pass_name(i));
	}
	char *hint = hd_suggestion_text(&suggestion);
	hd_error(diag, (hd_pos){.file = path}, "there is no pass '%s'%s expected one of %s", name, *hint ? hint : ",", names.at);
	free(hint);
	hd_text_free(&names);
	return false;
}

hd_object *hd_build(const char *path, const hd_build_options *options, hd_diag *diag)
{
	source_kind kind = kind_of(path, options, diag);
	if (kind == SOURCE_NONE)
		return NULL;
	if (options->dump_after && !known_pass(options->dump_after, path, diag))
		return NULL;
	if (kind == SOURCE_C || kind == SOURCE_SPIRV || kind == SOURCE_PTX)
		return compile(path, kind, options, diag);
	size_t size;
	char *bytes = read_source(path, options, &size, diag);
	if (!bytes)
		return NULL;
	hd_object *object =
	    kind == SOURCE_OBJECT ? hd_object_read((const unsigned char *)bytes, size, path, diag) : hd_assemble(bytes, size, path, diag);
	free(bytes);
	return object;
}

bool hd_object_save(const hd_object *object, const char *path, hd_diag *diag)
{
	size_t size;
	unsigned char *bytes = hd_object_write(object, &size);
	if (!bytes) {
		hd_error(diag, (hd_pos){.file = path}, "the object cannot be made: %s", strerror(errno));
		return false;
	}
	bool ok = hd_write_file(path, bytes, size, diag);
	free(bytes);
	return ok;
}

bool hd_build_compiles(const char *path)
{
	hd_diag unused = {0};
	source_kind kind = kind_of(path, &(hd_build_options){0}, &unused);
	hd_diag_free(&unused);
	return kind == SOURCE_C || kind == SOURCE_SPIRV || kind == SOURCE_PTX;
}

bool hd_build_stage(const char *path, hd_stage stage, const hd_build_options *options, hd_text *out, hd_diag *diag)
{
	source_kind kind = kind_of(path, options, diag);
	if (kind == SOURCE_NONE)
		return false;
	if (kind == SOURCE_ASSEMBLY || kind == SOURCE_OBJECT) {
		hd_error(diag, (hd_pos){.file = path}, "has no %s: it is %s", stage == HD_STAGE_PTX ? "PTX" : "IR",
		         kind == SOURCE_OBJECT ? "an object already" : "assembly already");
		return false;
	}
	if (stage == HD_STAGE_PTX) {
		size_t size;
		char *ptx = read_ptx(path, kind, options, &size, NULL, diag);
		if (!ptx)
			return false;
		hd_text_put(out, ptx, size);
		free(ptx);
		return true;
	}
	hd_invariant(stage == HD_STAGE_IR, "stage %d has no text", stage);
	hd_ir_module *module = read_module(path, kind, options, diag);
	if (!module)
		return false;
	hd_ir_print(module, out);
	hd_ir_module_free(module);
	return true;
}
