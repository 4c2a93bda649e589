#include "object/elf.h"

#include <gelf.h>

/* One section's bytes inside the file; zeroed when the file has none. */
typedef struct part {
	const unsigned char *at;
	size_t size;
	bool seen;
} part;

enum {
	TEXT,
	DATA,
	PROGRAM,
	MACHINE,
	KERNELS,
	PARAMS,
	KERNEL_NAMES,
	TYPES,
	TARGETS,
	ORDERS,
	HINT_TABLE,
	LITERALS,
	RELOCS,
	FILES,
	LINES,
	STRINGS,
	SYMBOLS,
	PARTS
};
static const struct {
	const char *name;
	uint32_t type, row; /* bytes of a row */
} kinds[PARTS] = {
    [TEXT] = {".text", SHT_PROGBITS, 8},
    [DATA] = {".data", SHT_PROGBITS, 1},
    [PROGRAM] = {".heddle.program", SHT_PROGBITS, 4}, /* one row, which has another length in another version */
    [MACHINE] = {".heddle.machine", SHT_PROGBITS, 1},
    [KERNELS] = {".heddle.kernels", SHT_PROGBITS, 4 * HD_ELF_KERNEL_WORDS},
    [PARAMS] = {".heddle.params", SHT_PROGBITS, 4 * HD_ELF_PARAM_WORDS},
    [KERNEL_NAMES] = {".heddle.names", SHT_PROGBITS, 4},
    [TYPES] = {".heddle.types", SHT_PROGBITS, 4 * HD_ELF_TYPE_WORDS},
    [TARGETS] = {".heddle.targets", SHT_PROGBITS, 4},
    [ORDERS] = {".heddle.orders", SHT_PROGBITS, 4 * HD_ELF_ORDER_WORDS},
    [HINT_TABLE] = {".heddle.hints", SHT_PROGBITS, 1},
    [LITERALS] = {".heddle.literals", SHT_PROGBITS, 4},
    [RELOCS] = {".heddle.relocs", SHT_PROGBITS, 4 * HD_ELF_RELOC_WORDS},
    [FILES] = {".heddle.files", SHT_PROGBITS, 4},
    [LINES] = {".heddle.lines", SHT_PROGBITS, 4 * HD_ELF_LINE_WORDS},
    [STRINGS] = {".strtab", SHT_STRTAB, 1},
    [SYMBOLS] = {".symtab", SHT_SYMTAB, HD_ELF_SYMBOL_BYTES},
};

typedef struct reader {
	const unsigned char *bytes;
	size_t size;
	hd_pos pos;
	hd_diag *diag;
	part parts[PARTS];
	hd_object *object;
	size_t name_bytes; /* of all names so far */
} reader;

/* Bounds the sum of all names, because many rows may point to one long name. */
enum { NAME_BYTES_MAX = 65535, NAMES_BYTES_MAX = 1 << 26, DATA_MAX = 1 << 28 };

static bool fail(reader *r, const char *what)
{
	hd_error(r->diag, r->pos, "%s", what);
	return false;
}

/* Takes a section with a known name and ignores any other. */
static bool take_section(reader *r, Elf *elf, Elf_Scn *scn, size_t names)
{
	GElf_Shdr shdr;
	if (!gelf_getshdr(scn, &shdr))
		return fail(r, "has a damaged section header");
	const char *name = elf_strptr(elf, names, shdr.sh_name);
	if (!name)
		return fail(r, "has a section without a name");
	for (int i = 0; i < PARTS; i++) {
		part *p = &r->parts[i];
		if (strcmp(name, kinds[i].name) != 0)
			continue;
		if (p->seen || shdr.sh_type != kinds[i].type || shdr.sh_offset > r->size || shdr.sh_size > r->size - shdr.sh_offset ||
		    shdr.sh_size % kinds[i].row != 0) {
			hd_error(r->diag, r->pos, "section %s is damaged: it comes twice, is of another type, lies outside the file or is cut off",
			         name);
			return false;
		}
		*p = (part){.at = r->bytes + shdr.sh_offset, .size = shdr.sh_size, .seen = true};
	}
	return true;
}

static bool find_sections(reader *r)
{
	/* libelf requires writable bytes. */
	char *copy = hd_xmalloc(r->size);
	memcpy(copy, r->bytes, r->size);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(copy, r->size);
	GElf_Ehdr ehdr;
	size_t names = 0;
	bool ok = true;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		ok = fail(r, "is not a kernel object: not an ELF file");
	else if (ehdr.e_machine != HD_ELF_MACHINE || gelf_getclass(elf) != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	         ehdr.e_type != ET_REL)
		ok = fail(r, "is not a kernel object: an ELF file for another machine");
	else if (elf_getshdrstrndx(elf, &names) != 0)
		ok = fail(r, "is a damaged kernel object: no names of sections");
	for (Elf_Scn *scn = NULL; ok && (scn = elf_nextscn(elf, scn)) != NULL;)
		ok = take_section(r, elf, scn, names);
	if (ok && !r->parts[PROGRAM].seen)
		ok = fail(r, "is a damaged kernel object: no section .heddle.program");
	elf_end(elf);
	free(copy);
	return ok;
}

/* A copy of a name of the string table, which the caller frees; NULL and an error when it is not inside the table. */
static char *name_at(reader *r, uint32_t offset, const char *of)
{
	const part *strings = &r->parts[STRINGS];
	const unsigned char *end = offset < strings->size ? memchr(strings->at + offset, 0, strings->size - offset) : NULL;
	size_t length = end ? (size_t)(end - (strings->at + offset)) : 0;
	if (!end || length > NAME_BYTES_MAX || length > NAMES_BYTES_MAX - r->name_bytes) {
		hd_error(r->diag, r->pos, "is damaged: the name of %s is too long or lies outside the table of names", of);
		return NULL;
	}
	r->name_bytes += length;
	return hd_xstrdup((const char *)strings->at + offset);
}

static uint32_t word(const part *p, size_t row_words, size_t row, size_t index) { return hd_elf_get32(p->at + 4 * (row * row_words + index)); }

static bool read_program(reader *r)
{
	const part *p = &r->parts[PROGRAM];
	uint32_t version = p->size >= 4 ? word(p, HD_ELF_PROGRAM_WORDS, 0, 0) : HD_ELF_VERSION;
	if (version != HD_ELF_VERSION) {
		hd_error(r->diag, r->pos, "is a kernel object of version %u of the format, expected version %d: compile it anew", version,
		         HD_ELF_VERSION);
		return false;
	}
	if (p->size != 4 * HD_ELF_PROGRAM_WORDS)
		return fail(r, "is damaged: section .heddle.program is of another size");
	r->object->counters = word(p, HD_ELF_PROGRAM_WORDS, 0, 1) & 0xffff;
	r->object->split = word(p, HD_ELF_PROGRAM_WORDS, 0, 1) >> 16;
	r->object->geometry = word(p, HD_ELF_PROGRAM_WORDS, 0, 2) & 0x7fffffff;
	r->object->nonuniform = word(p, HD_ELF_PROGRAM_WORDS, 0, 2) >> 31;
	uint32_t config = word(p, HD_ELF_PROGRAM_WORDS, 0, 3);
	if (config != HD_ELF_NO_NAME)
		r->object->config = name_at(r, config, "the machine");
	return config == HD_ELF_NO_NAME || r->object->config;
}

/* Of a word of code. The geometry is checked later: hd_object_validate. */
static unsigned word_bytes(const reader *r)
{
	return r->object->geometry < HD_GEOMETRY_COUNT ? hd_geometries[r->object->geometry].word_bytes : sizeof(uint64_t);
}

/* The number in the program's row must be that of the text, because others may trust it. */
static bool read_machine(reader *r)
{
	const part *text = &r->parts[MACHINE];
	uint64_t number = hd_elf_get64(r->parts[PROGRAM].at + 16);
	if (text->size > HD_MACHINE_TEXT_MAX || (text->size && memchr(text->at, 0, text->size)))
		return fail(r, "is damaged: section .heddle.machine is too long or no text");
	if (text->seen) {
		r->object->machine = hd_xmalloc(text->size + 1);
		memcpy(r->object->machine, text->at, text->size);
		r->object->machine[text->size] = '\0';
	}
	return number == hd_object_machine_hash(r->object) || fail(r, "is damaged: section .heddle.machine is not what the program's row says");
}

static bool read_code_and_data(reader *r)
{
	const part *text = &r->parts[TEXT], *data = &r->parts[DATA];
	unsigned each = word_bytes(r);
	if (text->size / each > HD_MAX_CODE || data->size > DATA_MAX)
		return fail(r, "has more code or data than a program may have");
	for (size_t i = 0; i < text->size; i += each)
		hd_vec_push(&r->object->code, each == 8 ? hd_elf_get64(text->at + i) : hd_elf_get32(text->at + i));
	for (size_t i = 0; i < data->size; i++)
		hd_vec_push(&r->object->data, data->at[i]);
	const part *targets = &r->parts[TARGETS], *orders = &r->parts[ORDERS], *literals = &r->parts[LITERALS], *relocs = &r->parts[RELOCS];
	const part *hints = &r->parts[HINT_TABLE];
	if (hints->size && hints->size != hd_object_table_size(r->object))
		return fail(r, "is damaged: section .heddle.hints is of another size");
	for (size_t i = 0; i < hints->size; i++)
		hd_vec_push(&r->object->hint_table, hints->at[i]);
	for (size_t i = 0; i < targets->size / 4; i++)
		hd_vec_push(&r->object->targets, word(targets, 1, i, 0));
	for (size_t i = 0; i < orders->size / (4 * HD_ELF_ORDER_WORDS); i++)
		hd_vec_push(&r->object->orders, (hd_ordered){word(orders, HD_ELF_ORDER_WORDS, i, 0), word(orders, HD_ELF_ORDER_WORDS, i, 1)});
	for (size_t i = 0; i < literals->size / 4; i++)
		hd_vec_push(&r->object->literals, word(literals, 1, i, 0));
	for (size_t i = 0; i < relocs->size / (4 * HD_ELF_RELOC_WORDS); i++) {
		const unsigned char *row = relocs->at + 4 * HD_ELF_RELOC_WORDS * i;
		hd_vec_push(&r->object->relocs, (hd_reloc){.offset = hd_elf_get32(row), .addend = (int64_t)hd_elf_get64(row + 8)});
	}
	return true;
}

static bool read_params(reader *r, hd_kernel *kernel, uint32_t first, uint32_t n)
{
	const part *p = &r->parts[PARAMS];
	size_t have = p->size / (4 * HD_ELF_PARAM_WORDS);
	if (first > have || n > have - first)
		return fail(r, "is damaged: a kernel's parameters lie outside their table");
	for (uint32_t i = first; i < first + n; i++) {
		uint32_t space = word(p, HD_ELF_PARAM_WORDS, i, 4), kind = word(p, HD_ELF_PARAM_WORDS, i, 5);
		if (space > HD_SPACE_LOCAL || kind >> 1 >= HD_PARAM_TYPES)
			return fail(r, "is damaged: a parameter of an unknown kind");
		char *name = name_at(r, word(p, HD_ELF_PARAM_WORDS, i, 0), "a parameter");
		if (!name)
			return false;
		hd_vec_push(&kernel->params, (hd_param){.name = name,
		                                        .offset = word(p, HD_ELF_PARAM_WORDS, i, 1),
		                                        .size = word(p, HD_ELF_PARAM_WORDS, i, 2),
		                                        .align = word(p, HD_ELF_PARAM_WORDS, i, 3),
		                                        .space = (uint8_t)space,
		                                        .pointer = (uint8_t)(kind & 1),
		                                        .type = (uint8_t)(kind >> 1)});
	}
	return true;
}

static bool read_kernels(reader *r)
{
	const part *p = &r->parts[KERNELS];
	uint32_t next = 0; /* parameters lie in the order of their kernels, so that no two kernels share one */
	for (size_t i = 0; i < p->size / (4 * HD_ELF_KERNEL_WORDS); i++) {
		uint32_t w[HD_ELF_KERNEL_WORDS];
		for (unsigned k = 0; k < HD_ELF_KERNEL_WORDS; k++)
			w[k] = word(p, HD_ELF_KERNEL_WORDS, i, k);
		char *name = name_at(r, w[0], "a kernel");
		if (!name)
			return false;
		hd_vec_push(&r->object->kernels, (hd_kernel){.name = name,
		                                             .entry = w[1],
		                                             .registers = w[2],
		                                             .shared_bytes = w[3],
		                                             .local_bytes = w[4],
		                                             .param_bytes = w[5],
		                                             .max_threads = w[6],
		                                             .required_block = {w[7], w[8], w[9]},
		                                             .call_depth = w[10],
		                                             .priority = w[13],
		                                             .priority_step = (int32_t)w[14]});
		if (w[11] != next)
			return fail(r, "is damaged: a kernel's parameters are out of order");
		if (!read_params(r, &r->object->kernels.at[i], w[11], w[12]))
			return false;
		next += w[12];
	}
	return true;
}

/* A name that may be unknown: then *name stays NULL. */
static bool optional_name(reader *r, uint32_t offset, const char *of, char **name)
{
	if (offset == HD_ELF_NO_NAME)
		return true;
	*name = name_at(r, offset, of);
	return *name != NULL;
}

/* Called after read_kernels. */
static bool read_sources(reader *r)
{
	const part *names = &r->parts[KERNEL_NAMES], *types = &r->parts[TYPES];
	size_t row = 0, have = types->size / (4 * HD_ELF_TYPE_WORDS);
	if (names->size && names->size / 4 != r->object->kernels.n)
		return fail(r, "is damaged: section .heddle.names has another number of rows than there are kernels");
	if (have && r->parts[PARAMS].size / (4 * HD_ELF_PARAM_WORDS) != have)
		return fail(r, "is damaged: section .heddle.types has another number of rows than there are parameters");
	for (size_t i = 0; i < r->object->kernels.n; i++) {
		hd_kernel *k = &r->object->kernels.at[i];
		if (names->size && !optional_name(r, word(names, 1, i, 0), "a kernel in the source", &k->source_name))
			return false;
		for (size_t p = 0; p < k->params.n && have; p++, row++) {
			hd_param *param = &k->params.at[p];
			uint32_t element = word(types, HD_ELF_TYPE_WORDS, row, 1);
			if (element >= HD_ELEMENTS)
				return fail(r, "is damaged: a parameter points to elements of an unknown type");
			param->element = (uint8_t)element;
			if (!optional_name(r, word(types, HD_ELF_TYPE_WORDS, row, 0), "a type", &param->source_type))
				return false;
		}
	}
	return true;
}

static bool read_variable(reader *r, const unsigned char *symbol)
{
	uint64_t offset = hd_elf_get64(symbol + 8), size = hd_elf_get64(symbol + 16);
	if (offset > UINT32_MAX || size > UINT32_MAX)
		return fail(r, "is damaged: a variable lies outside the data");
	char *name = name_at(r, hd_elf_get32(symbol), "a variable");
	if (name)
		hd_vec_push(
		    &r->object->variables,
		    (hd_variable){.name = name, .offset = (uint32_t)offset, .size = (uint32_t)size, .managed = ELF64_ST_BIND(symbol[4]) == STB_WEAK});
	return name != NULL;
}

static bool read_symbols(reader *r)
{
	const part *p = &r->parts[SYMBOLS];
	uint64_t each = word_bytes(r);
	for (size_t at = HD_ELF_SYMBOL_BYTES; at < p->size; at += HD_ELF_SYMBOL_BYTES) {
		if (ELF64_ST_TYPE(p->at[at + 4]) == STT_OBJECT) {
			if (!read_variable(r, p->at + at))
				return false;
			continue;
		}
		uint64_t begin = hd_elf_get64(p->at + at + 8), bytes = hd_elf_get64(p->at + at + 16);
		uint64_t first = begin / each, words = bytes / each;
		if (begin % each != 0 || bytes % each != 0 || first > HD_MAX_CODE || words > HD_MAX_CODE - first)
			return fail(r, "is damaged: a function lies outside the code");
		char *name = name_at(r, hd_elf_get32(p->at + at), "a function");
		if (!name)
			return false;
		hd_vec_push(&r->object->functions, (hd_function){.name = name, .begin = (uint32_t)first, .end = (uint32_t)(first + words)});
	}
	return true;
}

static bool read_lines(reader *r)
{
	const part *files = &r->parts[FILES], *lines = &r->parts[LINES];
	if (files->size / 4 > UINT16_MAX)
		return fail(r, "is damaged: more source files than can be named");
	for (size_t i = 0; i < files->size / 4; i++) {
		char *name = name_at(r, word(files, 1, i, 0), "a source file");
		if (!name)
			return false;
		hd_vec_push(&r->object->files, name);
	}
	for (size_t i = 0; i < lines->size / (4 * HD_ELF_LINE_WORDS); i++) {
		uint32_t file = word(lines, HD_ELF_LINE_WORDS, i, 1), column = word(lines, HD_ELF_LINE_WORDS, i, 2);
		if (file > UINT16_MAX || column > UINT16_MAX)
			return fail(r, "is damaged: a line of an unknown file");
		hd_vec_push(&r->object->lines, (hd_line){.word = word(lines, HD_ELF_LINE_WORDS, i, 0),
		                                         .file = (uint16_t)file,
		                                         .column = (uint16_t)column,
		                                         .line = word(lines, HD_ELF_LINE_WORDS, i, 3)});
	}
	return true;
}

hd_object *hd_object_read(const unsigned char *bytes, size_t size, const char *file, hd_diag *diag)
{
	reader r = {.bytes = bytes, .size = size, .pos = {.file = file}, .diag = diag, .object = hd_object_new()};
	if (size < sizeof(Elf64_Ehdr))
		fail(&r, "is not a kernel object: too short");
	else if (find_sections(&r) && read_program(&r) && read_machine(&r) && read_code_and_data(&r) && read_kernels(&r) && read_sources(&r) &&
	         read_symbols(&r) && read_lines(&r) && hd_object_validate(r.object, file, diag))
		return r.object;
	hd_object_free(r.object);
	return NULL;
}
