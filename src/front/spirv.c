#include "front/spirv.h"
#include "front/memory_files.h"
#include "front/process.h"
#include "front/retarget.h"

enum { MAGIC = 0x07230203, SWAPPED = 0x03022307, HEADER = 5, IDS_MAX = 1 << 22 /* a limit of the format */, FILE_LIMIT = 64 << 20 };
/* Operations and operands of the format's table. */
enum { TYPE_BOOL = 20, TYPE_INT = 21, TYPE_FLOAT = 22, SPEC_TRUE = 48, SPEC_FALSE = 49, SPEC_CONSTANT = 50, MEMORY_MODEL = 14, DECORATE = 71 };
enum { PHYSICAL64 = 2, OPENCL = 2, SPEC_ID = 1 };

char *hd_spirv_translator(void)
{
	const char *chosen = getenv("HEDDLE_LLVM_SPIRV");
	char *path = hd_process_find(chosen ? chosen : "llvm-spirv-14");
	return path || chosen ? path : hd_process_find("llvm-spirv");
}

bool hd_spirv_available(void)
{
	char *path = hd_spirv_translator();
	free(path);
	return path != NULL;
}

/* -- words ------------------------------------------------------------------------------------------------------------------------------------- */
static uint32_t operation(uint32_t word) { return word & 0xffff; }
static uint32_t length(uint32_t word) { return word >> 16; }

static bool copy_words(hd_spirv *module, const uint8_t *bytes, size_t size)
{
	uint32_t magic = 0;
	if (size >= 4)
		memcpy(&magic, bytes, 4);
	if ((magic != MAGIC && magic != SWAPPED) || size % 4 || size < sizeof(uint32_t) * HEADER)
		return false;
	for (size_t i = 0; i < size; i += 4) {
		uint32_t word;
		memcpy(&word, bytes + i, 4);
		if (magic == SWAPPED)
			word = word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
		hd_vec_push(&module->words, word);
	}
	return true;
}

static bool check_instructions(const hd_spirv *module, hd_pos pos, hd_diag *diag)
{
	const uint32_t *words = module->words.at;
	bool model = false;
	for (size_t i = HEADER; i < module->words.n; i += length(words[i])) {
		size_t n = length(words[i]);
		if (!n || n > module->words.n - i) {
			hd_error(diag, pos, "is no SPIR-V: the instruction at word %zu has %zu words, expected 1 to %zu", i, n, module->words.n - i);
			return false;
		}
		if (operation(words[i]) == MEMORY_MODEL) {
			model = n == 3 && words[i + 1] == PHYSICAL64 && words[i + 2] == OPENCL;
			if (!model)
				break;
		}
	}
	if (!model)
		hd_error(diag, pos, "is no SPIR-V for this device, expected OpMemoryModel Physical64 OpenCL");
	return model;
}

bool hd_spirv_read(hd_spirv *module, const void *bytes, size_t size, hd_pos pos, hd_diag *diag)
{
	*module = (hd_spirv){0};
	if (size > FILE_LIMIT || !copy_words(module, bytes, size)) {
		hd_error(diag, pos, "is no SPIR-V, expected its number 0x07230203, a header, and whole words, %d MiB at most", FILE_LIMIT >> 20);
		return false;
	}
	uint32_t version = module->words.at[1], ids = module->words.at[3];
	if ((version & 0xff0000ff) || (version >> 16) != 1 || (version >> 8 & 0xff) > HD_SPIRV_NEWEST_READ) {
		hd_error(diag, pos, "has the SPIR-V version %u.%u, expected 1.0 to 1.%d", version >> 16, version >> 8 & 0xff, HD_SPIRV_NEWEST_READ);
		return false;
	}
	if (!ids || ids > IDS_MAX) {
		hd_error(diag, pos, "has ids up to %u, expected at most %d", ids, IDS_MAX);
		return false;
	}
	return check_instructions(module, pos, diag);
}

void hd_spirv_free(hd_spirv *module) { hd_vec_free(&module->words); }

/* The next instruction from word *i on with an operation of first to last and `least` words; *i moves behind it. 0: none. */
static size_t next(const hd_spirv *module, size_t *i, uint32_t first, uint32_t last, size_t least)
{
	while (*i < module->words.n) {
		size_t found = *i;
		uint32_t word = module->words.at[found];
		*i += length(word);
		if (operation(word) >= first && operation(word) <= last && length(word) >= least)
			return found;
	}
	return 0;
}

/* By id: where the scalar specialization constant is, and the bits of a scalar type or constant (1 for a bool). 0: there is none. One pass finds all,
 * because a module may have a million of each. */
typedef struct scalars {
	size_t n;
	uint32_t *place;
	uint8_t *bits;
} scalars;

static void add_type(scalars *s, const uint32_t *words)
{
	uint32_t bits = operation(words[0]) == TYPE_BOOL ? 1 : length(words[0]) > 2 ? words[2] : 0;
	if (words[1] < s->n && (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64))
		s->bits[words[1]] = (uint8_t)bits;
}

static void add_constant(scalars *s, const uint32_t *words, size_t place)
{
	if (words[1] >= s->n || words[2] >= s->n)
		return;
	uint8_t bits = s->bits[words[1]];
	bool is_bool = operation(words[0]) != SPEC_CONSTANT;
	size_t literals = length(words[0]) - 3;
	if (is_bool ? bits == 1 : bits > 1 && literals == (bits == 64 ? 2 : 1)) {
		s->place[words[2]] = (uint32_t)place;
		s->bits[words[2]] = bits;
	}
}

static scalars find_scalars(const hd_spirv *module)
{
	scalars s = {.n = module->words.at[3]};
	s.place = hd_xcalloc(s.n, sizeof *s.place);
	s.bits = hd_xcalloc(s.n, sizeof *s.bits);
	size_t i = HEADER, found;
	while ((found = next(module, &i, TYPE_BOOL, SPEC_CONSTANT, 2))) {
		const uint32_t *words = &module->words.at[found];
		if (operation(words[0]) <= TYPE_FLOAT)
			add_type(&s, words);
		else if (operation(words[0]) >= SPEC_TRUE && length(words[0]) > 2)
			add_constant(&s, words, found);
	}
	return s;
}

static void free_scalars(scalars *s)
{
	free(s->place);
	free(s->bits);
}

/* The next constant with the number `id`, from *i on: its place. 0: there is none. */
static size_t next_constant(const hd_spirv *module, const scalars *s, size_t *i, uint32_t id, uint32_t *bits)
{
	size_t found;
	while ((found = next(module, i, DECORATE, DECORATE, 4))) {
		const uint32_t *words = &module->words.at[found];
		if (words[2] == SPEC_ID && words[3] == id && words[1] < s->n && s->place[words[1]]) {
			*bits = s->bits[words[1]];
			return s->place[words[1]];
		}
	}
	return 0;
}

size_t hd_spirv_constant_size(const hd_spirv *module, uint32_t id)
{
	scalars s = find_scalars(module);
	size_t i = HEADER;
	uint32_t bits = 0;
	bool found = next_constant(module, &s, &i, id, &bits) != 0;
	free_scalars(&s);
	return found ? (bits + 7) / 8 : 0;
}

void hd_spirv_specialize(hd_spirv *module, uint32_t id, const void *value)
{
	scalars s = find_scalars(module);
	size_t i = HEADER, place = 0;
	uint32_t bits = 0, size = 0;
	while ((place = next_constant(module, &s, &i, id, &bits))) {
		uint32_t *words = &module->words.at[place], literal[2] = {0};
		/* All that are given the value have the first one's size: the caller asked for it. */
		size = size ? size : (bits + 7) / 8;
		if ((bits + 7) / 8 != size)
			continue;
		memcpy(literal, value, size);
		if (bits == 1) {
			words[0] = length(words[0]) << 16 | (literal[0] ? SPEC_TRUE : SPEC_FALSE);
			continue;
		}
		words[3] = literal[0];
		if (bits == 64)
			words[4] = literal[1];
	}
	free_scalars(&s);
}

/* -- translation ------------------------------------------------------------------------------------------------------------------------------- */
/* The first line of what the translator wrote before its end. An assertion's line names a place in its source first. */
static void put_reason(const hd_text *err, const char *path, const char *otherwise, hd_diag *diag)
{
	static const char mark[] = "Assertion `";
	const char *text = err->n ? err->at : "", *at = strstr(text, mark);
	text = at ? at + sizeof mark - 1 : text;
	size_t n = at ? strcspn(text, "'\n") : strcspn(text, "\n");
	bool known = n && strncmp(text, "PLEASE submit", 13) != 0;
	hd_error(diag, (hd_pos){.file = path}, "llvm-spirv does not translate it: %.*s", known ? (int)(n < 300 ? n : 300) : (int)strlen(otherwise),
	         known ? text : otherwise);
}

static bool take_bitcode(hd_process_result *result, const char *path, const hd_process_limits *limits, hd_text *bitcode, hd_diag *diag)
{
	bool ok = result->limit == HD_PROCESS_LIMIT_NONE && !result->signal && result->status == 0 && result->out.n;
	if (ok) {
		*bitcode = result->out;
		result->out = (hd_text){0};
	} else if (result->limit != HD_PROCESS_LIMIT_NONE) {
		hd_limits_error(diag, (hd_pos){.file = path}, "llvm-spirv", result->limit, limits);
	} else {
		put_reason(&result->err, path, result->signal ? "it was ended by a signal" : "it wrote no message", diag);
	}
	hd_process_result_free(result);
	return ok;
}

/* LLVM's bitcode for SPIR. Of the forms that the translator has for SPIR-V's operations, OpenCL C 2.0's keeps orders and scopes. */
static bool run_translator(const hd_spirv *module, const char *path, hd_text *bitcode, hd_diag *diag)
{
	char *program = hd_spirv_translator();
	char *argv[] = {program,
	                (char[]){"-r"},
	                (char[]){"--spirv-target-env=CL2.0"},
	                (char[]){"--spirv-gen-kernel-arg-name-md"},
	                (char[]){"/proc/self/fd/3"},
	                (char[]){"-o"},
	                (char[]){"-"},
	                NULL};
	hd_memory_file file = {.name = "module.spv", .bytes = (const char *)module->words.at, .size = module->words.n * sizeof(uint32_t)};
	hd_memory_files files = {0};
	hd_process_limits limits;
	hd_process_result result;
	const char *failure = NULL;
	bool ok = false;
	if (!program)
		hd_error(diag, (hd_pos){.file = path},
		         "is SPIR-V, and llvm-spirv is not there; install the Debian package llvm-spirv-14 or set HEDDLE_LLVM_SPIRV");
	if (program && hd_limits_read(&limits, diag) && hd_memory_files_open(&files, &file, 1, HD_PROCESS_FIRST_FILE, diag)) {
		hd_process process = {.argv = argv, .limits = &limits, .files = files.fds.at, .n_files = files.fds.n};
		if (hd_process_run(&process, &result, &failure))
			ok = take_bitcode(&result, path, &limits, bitcode, diag);
		else
			hd_error(diag, (hd_pos){.file = program}, "cannot be run: %s", failure);
	}
	hd_memory_files_close(&files);
	free(program);
	return ok;
}

char *hd_spirv_translate(const hd_spirv *module, const char *path, hd_diag *diag)
{
	static const char *const how[] = {
	    "-x", "ir", "-Wno-unused-command-line-argument", "-Wno-override-module", "-emit-llvm", "-Xclang", "-disable-llvm-passes", NULL};
	hd_text bitcode = {0};
	char *text = NULL, *unit = NULL;
	if (run_translator(module, path, &bitcode, diag)) {
		hd_memory_file file = {.name = "module.cl", .bytes = bitcode.at, .size = bitcode.n};
		hd_front_options options = {.arguments = how, .without_builtins = true, .files = &file, .n_files = 1};
		size_t size;
		text = hd_front_compile(file.name, &options, &size, diag);
	}
	hd_text_free(&bitcode);
	if (text)
		unit = hd_retarget(text);
	free(text);
	return unit;
}

/* Bitcode of a unit's text. */
static char *assemble(const char *unit, size_t *size, hd_diag *diag)
{
	static const char *const how[] = {
	    "-x", "ir", "-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes", "-Xclang", "-emit-llvm-bc", NULL};
	hd_memory_file file = {.name = "unit.cl", .bytes = unit, .size = strlen(unit)};
	hd_front_options options = {.arguments = how, .without_builtins = true, .files = &file, .n_files = 1};
	return hd_front_compile(file.name, &options, size, diag);
}

static char *compile_unit(const char *unit, const hd_front_options *options, size_t *size, hd_diag *diag)
{
	/* clang links a unit into a source, here an empty one. */
	static const char *const link[] = {"-Xclang", "-mlink-bitcode-file", "-Xclang", HD_MEMORY_FOLDER "/unit.cl"};
	HD_VEC(const char *) arguments = {0};
	hd_memory_file files[2] = {{.name = "empty.cl", .bytes = "\n", .size = 1}, {.name = "unit.cl"}};
	hd_front_options linking = options ? *options : (hd_front_options){.debug_lines = true};
	for (const char *const *word = linking.arguments; word && *word; word++)
		hd_vec_push(&arguments, *word);
	for (size_t i = 0; i < HD_COUNT(link); i++)
		hd_vec_push(&arguments, link[i]);
	hd_vec_push(&arguments, NULL);
	char *bytes = assemble(unit, &files[1].size, diag), *ptx = NULL;
	files[1].bytes = bytes;
	linking.arguments = arguments.at;
	linking.files = files;
	linking.n_files = HD_COUNT(files);
	if (bytes)
		ptx = hd_front_compile("empty.cl", &linking, size, diag);
	free(bytes);
	hd_vec_free(&arguments);
	return ptx;
}

char *hd_spirv_compile(const char *path, const void *bytes, size_t n, const hd_front_options *options, size_t *size, hd_diag *diag)
{
	char *unit = NULL, *ptx = NULL;
	hd_spirv module = {0};
	if (hd_spirv_read(&module, bytes, n, (hd_pos){.file = path}, diag))
		unit = hd_spirv_translate(&module, path, diag);
	if (unit)
		ptx = compile_unit(unit, options, size, diag);
	free(unit);
	hd_spirv_free(&module);
	return ptx;
}
