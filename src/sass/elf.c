/* The little of ELF that cubins and the files around them need. libelf is not used here: it checks less than hostile files ask for, and messages
 * could not name an offset. */
#include "sass/cubin.h"

#include <inttypes.h>

bool hd_sass_damaged(const hd_sass_span *file, uint64_t offset, hd_diag *diag, const char *format, ...)
{
	hd_text text = {0};
	va_list args;
	va_start(args, format);
	hd_text_vprintf(&text, format, args);
	va_end(args);
	hd_error(diag, (hd_pos){.file = file->name}, "offset 0x%" PRIx64 ": %s", offset, text.at);
	hd_text_free(&text);
	return false;
}

uint64_t hd_sass_read(const uint8_t *at, unsigned n)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static uint64_t field(const hd_elf *elf, uint64_t offset, unsigned n) { return hd_sass_read(elf->file.bytes + offset, n); }

/* A string of a table of strings that ends inside of the table; NULL: it does not. */
static const char *string_at(const hd_elf *elf, const hd_elf_section *table, uint64_t at)
{
	if (at >= table->size)
		return NULL;
	const char *text = (const char *)elf->file.bytes + table->offset + at;
	return memchr(text, 0, (size_t)(table->size - at)) ? text : NULL;
}

static bool read_section(hd_elf *elf, hd_elf_section *section, uint64_t header, hd_diag *diag)
{
	/* Of a file that is not linked, the vendor's sections of uninitialized memory have types of their own. */
	enum { NOBITS = 8, CUDA_GLOBAL = 0x70000007, CUDA_LOCAL = 0x70000009, CUDA_SHARED = 0x7000000a };
	*section = (hd_elf_section){.header = header,
	                            .type = (uint32_t)field(elf, header + 4, 4),
	                            .flags = field(elf, header + 8, 8),
	                            .offset = field(elf, header + 24, 8),
	                            .size = field(elf, header + 32, 8),
	                            .link = (uint32_t)field(elf, header + 40, 4),
	                            .info = (uint32_t)field(elf, header + 44, 4),
	                            .entry = field(elf, header + 56, 8),
	                            .name = ""};
	section->memory = section->size;
	if (section->type == 0 || section->type == NOBITS || section->type == CUDA_GLOBAL || section->type == CUDA_LOCAL ||
	    section->type == CUDA_SHARED) {
		section->offset = 0;
		section->size = 0;
	}
	if (!hd_sass_within(section->offset, section->size, elf->file.size))
		return hd_sass_damaged(&elf->file, header, diag, "a section lies outside of the file");
	return true;
}

static bool read_sections(hd_elf *elf, uint64_t table, size_t names, hd_diag *diag)
{
	for (size_t i = 0; i < elf->n; i++)
		if (!read_section(elf, &elf->sections[i], table + i * HD_ELF_SECTION, diag))
			return false;
	for (size_t i = 0; i < elf->n; i++) {
		hd_elf_section *section = &elf->sections[i];
		section->name = string_at(elf, &elf->sections[names], field(elf, section->header, 4));
		if (!section->name)
			return hd_sass_damaged(&elf->file, section->header, diag, "the name of a section does not end");
	}
	return true;
}

bool hd_elf_read(hd_elf *elf, hd_sass_span file, hd_diag *diag)
{
	static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
	*elf = (hd_elf){.file = file};
	if (file.size < HD_ELF_HEADER)
		return hd_sass_damaged(&file, file.size, diag, "the file ends inside of its header");
	if (memcmp(file.bytes, magic, sizeof magic) != 0)
		return hd_sass_damaged(&file, 0, diag, "this is no ELF file of 64 bits in little-endian order");
	elf->osabi = file.bytes[7];
	elf->abi = file.bytes[8];
	elf->machine = (unsigned)field(elf, 18, 2);
	elf->version = (unsigned)field(elf, 20, 4);
	elf->flags = (unsigned)field(elf, 48, 4);
	uint64_t table = field(elf, 40, 8);
	size_t n = (size_t)field(elf, 60, 2), names = (size_t)field(elf, 62, 2);
	if (n == 0 || table == 0)
		return hd_sass_damaged(&file, 40, diag, "the file has no sections");
	if (field(elf, 58, 2) != HD_ELF_SECTION || !hd_sass_within(table, (uint64_t)n * HD_ELF_SECTION, file.size))
		return hd_sass_damaged(&file, 40, diag, "the table of sections lies outside of the file");
	if (names >= n)
		return hd_sass_damaged(&file, 62, diag, "there is no section of names");
	elf->n = n;
	elf->sections = hd_xcalloc(n, sizeof *elf->sections);
	if (hd_elf_segments(elf, diag) && read_sections(elf, table, names, diag))
		return true;
	free(elf->sections);
	elf->sections = NULL;
	return false;
}

const hd_elf_section *hd_elf_find(const hd_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->n; i++)
		if (strcmp(elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	return NULL;
}
