/* A cubin as a list of functions. */
#include "sass/cubin.h"
#include "sass/instruction.h"

#include <inttypes.h>

enum {
	SECTION_PROGRAM = 1,
	SECTION_SYMBOLS = 2,
	SECTION_RELA = 4,
	SECTION_REL = 9,
	SECTION_INFO = 0x70000000, /* .nv.info and .nv.info.FUNCTION */
	SYMBOL_FUNCTION = 2,
	OTHER_ENTRY = 0x10, /* st_other: a kernel */
	INFO_BRANCH_TARGETS = 0x34,
	INFO_REGISTERS = 0x2f, /* of .nv.info: the symbol of a function, and its registers */
	INFO_SIZED = 4,        /* format of an attribute with a size in bytes */
	REST_MAX = 64,         /* bytes that fill the place of an entry */
	CUDA_13_ABI = 8,
	CUDA_13_OSABI = 0x41,
};

typedef struct reading {
	hd_elf elf;
	hd_sass_cubin *cubin;
	hd_arena *arena;
	hd_diag *diag;
	size_t *sections;              /* of each function */
	size_t *relocations, *targets; /* of each function: how many there is room for */
	size_t *functions;             /* of each section, from 1; 0: it is no function's */
} reading;

static const uint8_t *bytes_at(const reading *r, uint64_t offset) { return r->elf.file.bytes + offset; }
static uint64_t number_at(const reading *r, uint64_t offset, unsigned n) { return hd_sass_read(bytes_at(r, offset), n); }

/* .note.nv.cuinfo has the toolkit behind the note's header and name; older files have it as the ELF file's version. */
static unsigned toolkit_of(const reading *r)
{
	const hd_elf_section *note = hd_elf_find(&r->elf, ".note.nv.cuinfo");
	if (note && note->size >= 32)
		return (unsigned)number_at(r, note->offset + 28, 4);
	return r->elf.version > 1 ? r->elf.version : 0;
}

static unsigned architecture_of(const hd_elf *elf)
{
	bool recent = elf->osabi == CUDA_13_OSABI || elf->abi >= CUDA_13_ABI;
	return recent ? elf->flags >> 8 & 0xff : elf->flags & 0xff;
}

static bool is_code(const hd_elf_section *section)
{
	return section->type == SECTION_PROGRAM && strncmp(section->name, ".text.", 6) == 0 && section->name[6];
}

static bool read_functions(reading *r)
{
	hd_sass_cubin *cubin = r->cubin;
	size_t n = 0;
	for (size_t i = 0; i < r->elf.n; i++)
		n += is_code(&r->elf.sections[i]);
	cubin->functions = hd_arena_alloc(r->arena, (n + 1) * sizeof *cubin->functions);
	r->sections = hd_arena_alloc(r->arena, (n + 1) * sizeof *r->sections);
	r->relocations = hd_arena_alloc(r->arena, (n + 1) * sizeof *r->relocations);
	r->targets = hd_arena_alloc(r->arena, (n + 1) * sizeof *r->targets);
	r->functions = hd_arena_alloc(r->arena, (r->elf.n + 1) * sizeof *r->functions);
	for (size_t i = 0; i < r->elf.n; i++) {
		const hd_elf_section *section = &r->elf.sections[i];
		if (!is_code(section))
			continue;
		if (section->size % HD_SASS_BYTES)
			return hd_sass_damaged(&r->elf.file, section->header, r->diag, "section %s is no whole number of instructions",
			                       section->name);
		r->sections[cubin->n_functions] = i;
		hd_sass_function *f = &cubin->functions[cubin->n_functions++];
		r->functions[i] = cubin->n_functions;
		*f = (hd_sass_function){.name = section->name + 6,
		                        .code = bytes_at(r, section->offset),
		                        .size = section->size,
		                        .file_offset = section->offset,
		                        .registers = section->info >> 24};
		hd_sass_names(f->name, r->arena, &f->pretty, &f->signature);
	}
	hd_sass_tell_apart(cubin, r->arena);
	return true;
}

static hd_sass_function *function_of_section(const reading *r, size_t section)
{
	return section < r->elf.n && r->functions[section] ? &r->cubin->functions[r->functions[section] - 1] : NULL;
}

/* Makes room for `more` elements behind `n`. What was allocated before stays in the arena: growth by halves bounds it. */
static void *room(hd_arena *arena, void *old, size_t n, size_t more, size_t *capacity, size_t element)
{
	if (n + more <= *capacity)
		return old;
	*capacity = (n + more) * 2;
	void *grown = hd_arena_alloc(arena, *capacity * element);
	if (n)
		memcpy(grown, old, n * element);
	return grown;
}

static const char *string_at(const reading *r, size_t table, uint64_t at)
{
	if (table >= r->elf.n || at >= r->elf.sections[table].size)
		return "";
	const hd_elf_section *s = &r->elf.sections[table];
	const char *text = (const char *)bytes_at(r, s->offset + at);
	return memchr(text, 0, (size_t)(s->size - at)) ? text : "";
}

/* The size that a table's entries have; 0 and an error when they do not fit it. */
static uint64_t entry_size(const reading *r, const hd_elf_section *section, uint64_t expected)
{
	if (section->entry == expected && section->size % expected == 0)
		return expected;
	hd_sass_damaged(&r->elf.file, section->header, r->diag, "entries of section %s have a wrong size", section->name);
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int label_by_offset(const void *a, const void *b)
{
	const hd_sass_label *x = a, *y = b;
	int order = (x->offset > y->offset) - (x->offset < y->offset);
	return order ? order : strcmp(x->name, y->name);
}

static bool read_symbol(reading *r, const hd_elf_section *table, uint64_t at)
{
	unsigned type = (unsigned)number_at(r, at + 4, 1) & 15, other = (unsigned)number_at(r, at + 5, 1);
	hd_sass_function *f = function_of_section(r, (size_t)number_at(r, at + 6, 2));
	if (type != SYMBOL_FUNCTION || number_at(r, at + 6, 2) == 0)
		return true;
	if (!f)
		return hd_sass_damaged(&r->elf.file, at, r->diag, "a function lies in no section of code");
	uint64_t value = number_at(r, at + 8, 8), size = number_at(r, at + 16, 8);
	const char *name = string_at(r, table->link, number_at(r, at, 4));
	if (!hd_sass_within(value, size, f->size))
		return hd_sass_damaged(&r->elf.file, at, r->diag, "symbol %s lies outside of its section", name);
	if (value == 0 && other & OTHER_ENTRY)
		f->kernel = true;
	f->labels[f->n_labels++] = (hd_sass_label){.name = name, .offset = value, .size = size};
	return true;
}

static bool read_symbols(reading *r)
{
	for (size_t i = 0; i < r->elf.n; i++) {
		const hd_elf_section *table = &r->elf.sections[i];
		if (table->type != SECTION_SYMBOLS)
			continue;
		if (!entry_size(r, table, HD_ELF_SYMBOL))
			return false;
		size_t *counts = hd_arena_alloc(r->arena, (r->elf.n + 1) * sizeof *counts);
		for (uint64_t at = table->offset; at < table->offset + table->size; at += HD_ELF_SYMBOL) {
			size_t section = (size_t)number_at(r, at + 6, 2);
			counts[section < r->elf.n ? section : r->elf.n]++;
		}
		for (size_t f = 0; f < r->cubin->n_functions; f++) {
			hd_sass_function *function = &r->cubin->functions[f];
			function->labels = hd_arena_alloc(r->arena, (counts[r->sections[f]] + 1) * sizeof *function->labels);
			function->n_labels = 0;
		}
		for (uint64_t at = table->offset; at < table->offset + table->size; at += HD_ELF_SYMBOL)
			if (!read_symbol(r, table, at))
				return false;
		break; /* a file has one table of symbols */
	}
	for (size_t f = 0; f < r->cubin->n_functions; f++)
		if (r->cubin->functions[f].n_labels)
			qsort(r->cubin->functions[f].labels, r->cubin->functions[f].n_labels, sizeof(hd_sass_label), label_by_offset);
	return true;
}

static const char *symbol_name(const reading *r, const hd_elf_section *relocations, uint64_t index)
{
	if (relocations->link >= r->elf.n)
		return "";
	const hd_elf_section *table = &r->elf.sections[relocations->link];
	if (table->type != SECTION_SYMBOLS || index >= table->size / HD_ELF_SYMBOL)
		return "";
	return string_at(r, table->link, number_at(r, table->offset + index * HD_ELF_SYMBOL, 4));
}

static int relocation_by_offset(const void *a, const void *b)
{
	const hd_sass_relocation *x = a, *y = b;
	int order = by_offset(&x->offset, &y->offset);
	return order ? order : (x->type > y->type) - (x->type < y->type);
}

static bool read_relocations(reading *r, const hd_elf_section *table)
{
	bool with_addend = table->type == SECTION_RELA;
	uint64_t size = with_addend ? 24 : 16;
	hd_sass_function *f = function_of_section(r, table->info);
	if (!f)
		return true;
	if (!entry_size(r, table, size))
		return false;
	size_t n = (size_t)(table->size / size), before = f->n_relocations;
	hd_sass_relocation *all = room(r->arena, f->relocations, before, n, &r->relocations[f - r->cubin->functions], sizeof *all);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = table->offset + i * size, info = number_at(r, at + 8, 8), offset = number_at(r, at, 8);
		if (offset >= f->size)
			return hd_sass_damaged(&r->elf.file, at, r->diag, "a relocation lies outside of function %s", f->name);
		all[before + i] = (hd_sass_relocation){.offset = offset,
		                                       .type = (uint32_t)(info & UINT32_MAX),
		                                       .symbol = symbol_name(r, table, info >> 32),
		                                       .addend = with_addend ? (int64_t)number_at(r, at + 16, 8) : 0};
	}
	f->relocations = all;
	f->n_relocations = before + n;
	return true;
}

/* Records of an address, a zero, a count and as many targets, each of 32 bits. */
static bool read_targets(reading *r, hd_sass_function *f, uint64_t at, uint64_t size)
{
	uint64_t end = at + size;
	while (at < end) {
		if (end - at < 12 || number_at(r, at + 8, 4) > (end - at - 12) / 4)
			return hd_sass_damaged(&r->elf.file, at, r->diag, "a table of branch targets of function %s is cut off", f->name);
		size_t n = (size_t)number_at(r, at + 8, 4);
		uint64_t *targets = hd_arena_alloc(r->arena, (n + 1) * sizeof *targets);
		for (size_t i = 0; i < n; i++) {
			targets[i] = number_at(r, at + 12 + 4 * i, 4);
			if (targets[i] >= f->size || targets[i] % HD_SASS_BYTES)
				return hd_sass_damaged(&r->elf.file, at + 12 + 4 * i, r->diag, "a branch target of function %s is no instruction",
				                       f->name);
		}
		hd_sass_targets *all = room(r->arena, f->targets, f->n_targets, 1, &r->targets[f - r->cubin->functions], sizeof *all);
		all[f->n_targets] = (hd_sass_targets){.offset = number_at(r, at, 4), .at = targets, .n = n};
		f->targets = all;
		f->n_targets++;
		at += 12 + 4 * (uint64_t)n;
	}
	return true;
}

/* The function that a symbol of .nv.info names. */
static hd_sass_function *function_of_symbol(const reading *r, const hd_elf_section *info, uint64_t symbol)
{
	if (info->link >= r->elf.n)
		return NULL;
	const hd_elf_section *table = &r->elf.sections[info->link];
	if (table->type != SECTION_SYMBOLS || symbol >= table->size / HD_ELF_SYMBOL)
		return NULL;
	return function_of_section(r, (size_t)number_at(r, table->offset + symbol * HD_ELF_SYMBOL + 6, 2));
}

/* Attributes: a format byte, a number, and 16 bits that are a value or the size of what follows. */
static bool read_info(reading *r, const hd_elf_section *section)
{
	hd_sass_function *f = function_of_section(r, section->info);
	uint64_t at = section->offset, end = section->offset + section->size;
	bool of_all = strcmp(section->name, ".nv.info") == 0;
	if (!f && !of_all)
		return true;
	while (end - at >= 4) {
		unsigned format = (unsigned)number_at(r, at, 1), attribute = (unsigned)number_at(r, at + 1, 1);
		uint64_t size = format == INFO_SIZED ? number_at(r, at + 2, 2) : 0;
		if (size > end - at - 4)
			return hd_sass_damaged(&r->elf.file, at, r->diag, "an attribute of section %s is cut off", section->name);
		hd_sass_function *named =
		    of_all && attribute == INFO_REGISTERS && size == 8 ? function_of_symbol(r, section, number_at(r, at + 4, 4)) : NULL;
		if (named)
			named->registers = (uint32_t)number_at(r, at + 8, 4);
		if (f && attribute == INFO_BRANCH_TARGETS && format == INFO_SIZED && !read_targets(r, f, at + 4, size))
			return false;
		at += 4 + size;
	}
	if (at != end)
		return hd_sass_damaged(&r->elf.file, at, r->diag, "section %s ends inside of an attribute", section->name);
	return true;
}

/* Sections that lie over each other would be read many times: what is read is bounded by the file's size. */
static bool check_overlap(const reading *r)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->elf.n; i++) {
		sum += r->elf.sections[i].size;
		if (sum > r->elf.file.size)
			return hd_sass_damaged(&r->elf.file, r->elf.sections[i].header, r->diag, "the sections have more bytes than the file");
	}
	return true;
}

static bool read_rest(reading *r)
{
	for (size_t i = 0; i < r->elf.n; i++) {
		const hd_elf_section *section = &r->elf.sections[i];
		bool relocations = section->type == SECTION_REL || section->type == SECTION_RELA;
		if (relocations && !read_relocations(r, section))
			return false;
		if (section->type == SECTION_INFO && !read_info(r, section))
			return false;
	}
	for (size_t i = 0; i < r->cubin->n_functions; i++) {
		hd_sass_function *f = &r->cubin->functions[i];
		if (f->n_relocations)
			qsort(f->relocations, f->n_relocations, sizeof *f->relocations, relocation_by_offset);
		if (f->n_targets)
			qsort(f->targets, f->n_targets, sizeof *f->targets, by_offset); /* the offset is the first member */
	}
	return hd_sass_lines_read(&r->elf, r->cubin, r->arena, r->diag);
}

/* A file with more than it names may have lost names. */
static bool check_end(const reading *r)
{
	uint64_t end = hd_elf_end(&r->elf);
	if (r->elf.file.size - end >= REST_MAX)
		return hd_sass_damaged(&r->elf.file, end, r->diag, "there are bytes behind the end of the cubin");
	return true;
}

bool hd_sass_cubin_read(hd_sass_cubin *cubin, hd_sass_span file, hd_arena *arena, hd_diag *diag)
{
	reading r = {.cubin = cubin, .arena = arena, .diag = diag};
	if (!hd_elf_read(&r.elf, file, diag))
		return false;
	cubin->name = file.name;
	cubin->bytes = file.bytes;
	cubin->size = file.size;
	bool good = r.elf.machine == HD_ELF_CUDA || hd_sass_damaged(&file, 18, diag, "the ELF file is for machine %u, not for CUDA", r.elf.machine);
	if (good) {
		cubin->architecture = architecture_of(&r.elf);
		cubin->toolkit = toolkit_of(&r);
		good = check_overlap(&r) && hd_elf_code_is_whole(&r.elf, is_code, diag) && check_end(&r) && read_functions(&r) && read_symbols(&r) &&
		       read_rest(&r);
	}
	free(r.elf.sections);
	return good;
}

bool hd_sass_constant(const hd_sass_cubin *cubin, const hd_sass_function *function, unsigned bank, uint64_t offset, unsigned bytes, uint64_t *value)
{
	hd_elf elf;
	hd_diag diag = {0};
	char name[32];
	bool found = false;
	snprintf(name, sizeof name, ".nv.constant%u", bank);
	size_t length = strlen(name);
	if (bytes == 0 || bytes > 8 || !cubin->bytes || !hd_elf_read(&elf, (hd_sass_span){cubin->bytes, cubin->size, cubin->name}, &diag)) {
		hd_diag_free(&diag);
		return false;
	}
	for (size_t i = 0; i < elf.n && !found; i++) {
		const hd_elf_section *s = &elf.sections[i];
		bool of_all = strcmp(s->name, name) == 0;
		bool of_it = strncmp(s->name, name, length) == 0 && s->name[length] == '.' && strcmp(s->name + length + 1, function->name) == 0;
		found = (of_all || of_it) && hd_sass_within(offset, bytes, s->size);
		if (found)
			*value = hd_sass_read(elf.file.bytes + s->offset + offset, bytes);
	}
	free(elf.sections);
	hd_diag_free(&diag);
	return found;
}
