/* .debug_line of a cubin: DWARF 2, as ptxas writes it with -lineinfo. Each sequence begins with an address that a relocation ties to a function. */
#include "sass/cubin.h"
#include "sass/instruction.h"

enum {
	OP_EXTENDED,
	OP_COPY,
	OP_ADVANCE_PC,
	OP_ADVANCE_LINE,
	OP_SET_FILE,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC = 9,
	EXTENDED_END = 1,
	EXTENDED_SET_ADDRESS = 2,
	SYMBOL_SECTION = 6, /* st_shndx in a symbol */
};

typedef struct program {
	const hd_elf *elf;
	hd_sass_cubin *cubin;
	hd_arena *arena;
	hd_diag *diag;
	const hd_elf_section *section, *relocations;
	uint64_t at, end; /* in the file */
	HD_VEC(const char *) directories;
	HD_VEC(const char *) files;
	uint8_t lengths[256]; /* operands of the standard opcodes */
	unsigned step, range, base;
	int line_base;
	/* the state machine */
	hd_sass_function *function;
	uint64_t address;
	uint64_t line, file;
	size_t next_relocation;
	size_t *capacity; /* of each function's rows */
	bool good;
} program;

static bool fail(program *p, const char *what)
{
	if (p->good)
		hd_sass_damaged(&p->elf->file, p->at, p->diag, "the line table %s", what);
	p->good = false;
	return false;
}

static uint64_t fixed(program *p, unsigned n)
{
	if (!p->good || p->end - p->at < n) {
		fail(p, "is cut off");
		return 0;
	}
	uint64_t value = hd_sass_read(p->elf->file.bytes + p->at, n);
	p->at += n;
	return value;
}

static uint64_t variable(program *p)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		unsigned byte = (unsigned)fixed(p, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 127) << shift;
		if (!p->good || !(byte & 128))
			return value;
	}
}

static int64_t variable_signed(program *p)
{
	uint64_t value = 0;
	for (unsigned shift = 0;;) {
		unsigned byte = (unsigned)fixed(p, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (!p->good || !(byte & 128)) {
			if (shift < 64 && byte & 64)
				value |= UINT64_MAX << shift;
			return (int64_t)value;
		}
	}
}

static const char *text(program *p)
{
	const char *at = (const char *)p->elf->file.bytes + p->at;
	const char *end = p->good ? memchr(at, 0, (size_t)(p->end - p->at)) : NULL;
	if (!end) {
		fail(p, "has a name that does not end");
		return "";
	}
	p->at += (uint64_t)(end - at) + 1;
	return at;
}

static void read_names(program *p)
{
	for (const char *name = text(p); p->good && *name; name = text(p))
		hd_vec_push(&p->directories, name);
	for (const char *name = text(p); p->good && *name; name = text(p)) {
		uint64_t directory = variable(p);
		variable(p); /* time */
		variable(p); /* size */
		bool in_one = *name != '/' && directory && directory <= p->directories.n;
		hd_vec_push(&p->files, in_one ? hd_arena_printf(p->arena, "%s/%s", p->directories.at[directory - 1], name) : name);
	}
}

static void add_row(program *p)
{
	hd_sass_function *f = p->function;
	if (!f || p->address >= f->size)
		return;
	size_t *capacity = &p->capacity[f - p->cubin->functions];
	if (f->n_lines == *capacity) {
		*capacity = *capacity * 2 + 8;
		hd_sass_line *grown = hd_arena_alloc(p->arena, *capacity * sizeof *grown);
		if (f->n_lines)
			memcpy(grown, f->lines, f->n_lines * sizeof *grown);
		f->lines = grown;
	}
	const char *file = p->file && p->file <= p->files.n ? p->files.at[p->file - 1] : "";
	f->lines[f->n_lines++] = (hd_sass_line){.offset = p->address, .file = file, .line = (uint32_t)p->line};
}

/* The function that a relocation of `place`, an offset in the section, names. */
static void relocate(program *p, uint64_t place)
{
	const hd_elf_section *table = p->relocations;
	p->function = NULL;
	if (!table || table->link >= p->elf->n)
		return;
	const hd_elf_section *symbols = &p->elf->sections[table->link];
	uint64_t size = table->type == 4 ? 24 : 16, n = table->size / size;
	/* Relocations are in the order of their places; one search a sequence would read a hostile file's again and again. */
	for (size_t tried = 0; tried < n; tried++, p->next_relocation++) {
		const uint8_t *entry = p->elf->file.bytes + table->offset + p->next_relocation % n * size;
		if (hd_sass_read(entry, 8) != place)
			continue;
		uint64_t symbol = hd_sass_read(entry + 8, 8) >> 32;
		if (symbol >= symbols->size / HD_ELF_SYMBOL)
			return;
		const uint8_t *s = p->elf->file.bytes + symbols->offset + symbol * HD_ELF_SYMBOL;
		uint64_t section = hd_sass_read(s + SYMBOL_SECTION, 2);
		p->address += hd_sass_read(s + 8, 8);
		for (size_t i = 0; i < p->cubin->n_functions; i++)
			if (section < p->elf->n && p->cubin->functions[i].code == p->elf->file.bytes + p->elf->sections[section].offset)
				p->function = &p->cubin->functions[i];
		return;
	}
}

static void extended(program *p)
{
	uint64_t length = variable(p), start = p->at;
	if (!p->good || length == 0 || length > p->end - p->at) {
		fail(p, "has an opcode that is cut off");
		return;
	}
	unsigned code = (unsigned)fixed(p, 1);
	if (code == EXTENDED_END) {
		p->function = NULL;
		p->address = 0;
		p->line = p->file = 1;
	} else if (code == EXTENDED_SET_ADDRESS && length == 9) {
		uint64_t place = p->at - p->section->offset;
		p->address = fixed(p, 8);
		relocate(p, place);
	}
	p->at = start + length;
}

static void opcode(program *p)
{
	unsigned code = (unsigned)fixed(p, 1);
	if (code >= p->base) {
		code -= p->base;
		p->address += (uint64_t)(code / p->range) * p->step;
		p->line += (uint64_t)((int64_t)p->line_base + (int64_t)(code % p->range));
		add_row(p);
		return;
	}
	switch (code) {
	case OP_EXTENDED:
		extended(p);
		break;
	case OP_COPY:
		add_row(p);
		break;
	case OP_ADVANCE_PC:
		p->address += variable(p) * p->step;
		break;
	case OP_ADVANCE_LINE:
		p->line += (uint64_t)variable_signed(p);
		break;
	case OP_SET_FILE:
		p->file = variable(p);
		break;
	case OP_CONST_ADD_PC:
		p->address += (uint64_t)((255 - p->base) / p->range) * p->step;
		break;
	case OP_FIXED_ADVANCE_PC:
		p->address += fixed(p, 2);
		break;
	default:
		for (unsigned i = 0; i < p->lengths[code]; i++)
			variable(p);
	}
}

/* One unit: a header and a program up to its length. */
static void unit(program *p, uint64_t section_end)
{
	p->end = section_end;
	uint64_t length = fixed(p, 4);
	if (!p->good || length > section_end - p->at) {
		fail(p, "is cut off");
		return;
	}
	p->end = p->at + length;
	unsigned version = (unsigned)fixed(p, 2);
	uint64_t header = fixed(p, 4), code = p->at + header;
	if (!p->good || version < 2 || version > 4 || header > p->end - p->at) {
		fail(p, "has a header that is not understood");
		return;
	}
	p->step = (unsigned)fixed(p, 1);
	if (version >= 4)
		fixed(p, 1);
	fixed(p, 1);
	p->line_base = (int8_t)fixed(p, 1);
	p->range = (unsigned)fixed(p, 1);
	p->base = (unsigned)fixed(p, 1);
	if (p->good && (p->range == 0 || p->base == 0))
		fail(p, "has a header that is not understood");
	for (unsigned i = 1; p->good && i < p->base; i++)
		p->lengths[i] = (uint8_t)fixed(p, 1);
	p->directories.n = p->files.n = 0;
	read_names(p);
	p->at = code;
	p->address = 0;
	p->line = p->file = 1;
	p->function = NULL;
	while (p->good && p->at < p->end)
		opcode(p);
}

static int by_offset(const void *a, const void *b)
{
	const hd_sass_line *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

bool hd_sass_lines_read(const hd_elf *elf, hd_sass_cubin *cubin, hd_arena *arena, hd_diag *diag)
{
	program p = {.elf = elf, .cubin = cubin, .arena = arena, .diag = diag, .good = true};
	p.section = hd_elf_find(elf, ".debug_line");
	if (!p.section || p.section->size == 0)
		return true;
	p.relocations = hd_elf_find(elf, ".rel.debug_line");
	if (!p.relocations)
		p.relocations = hd_elf_find(elf, ".rela.debug_line");
	p.capacity = hd_xcalloc(cubin->n_functions + 1, sizeof *p.capacity);
	p.at = p.section->offset;
	while (p.good && p.at < p.section->offset + p.section->size)
		unit(&p, p.section->offset + p.section->size);
	for (size_t i = 0; i < cubin->n_functions; i++)
		if (cubin->functions[i].n_lines)
			qsort(cubin->functions[i].lines, cubin->functions[i].n_lines, sizeof(hd_sass_line), by_offset);
	free(p.capacity);
	hd_vec_free(&p.directories);
	hd_vec_free(&p.files);
	return p.good;
}
