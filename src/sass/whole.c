/* Wrong bytes must not hide code of a file that is then called proven (SA-12). */
#include "sass/cubin.h"

enum {
	EXECUTABLE_SECTION = 4,
	EXECUTABLE_SEGMENT = 1,
	SEGMENT_LOAD = 1,
	PROGRAM_HEADER = 56,
	HOLE = 128 /* the alignment of code, and its least size */
};

typedef struct piece {
	uint64_t begin, end;
} piece;

static uint64_t field(const hd_elf *elf, uint64_t offset, unsigned n) { return hd_sass_read(elf->file.bytes + offset, n); }

bool hd_elf_segments(hd_elf *elf, hd_diag *diag)
{
	uint64_t table = field(elf, 32, 8);
	elf->segments = (size_t)field(elf, 56, 2);
	if (!elf->segments)
		return true;
	if (field(elf, 54, 2) != PROGRAM_HEADER || !hd_sass_within(table, (uint64_t)elf->segments * PROGRAM_HEADER, elf->file.size))
		return hd_sass_damaged(&elf->file, 32, diag, "the table of segments lies outside of the file");
	for (size_t i = 0; i < elf->segments; i++) {
		uint64_t at = table + i * PROGRAM_HEADER;
		if (!hd_sass_within(field(elf, at + 8, 8), field(elf, at + 32, 8), elf->file.size))
			return hd_sass_damaged(&elf->file, at, diag, "a segment lies outside of the file");
	}
	return true;
}

uint64_t hd_elf_end(const hd_elf *elf)
{
	uint64_t end = field(elf, 40, 8) + (uint64_t)elf->n * HD_ELF_SECTION, segments = field(elf, 32, 8) + (uint64_t)elf->segments * PROGRAM_HEADER;
	if (elf->segments && segments > end)
		end = segments;
	for (size_t i = 0; i < elf->n; i++)
		if (elf->sections[i].offset + elf->sections[i].size > end)
			end = elf->sections[i].offset + elf->sections[i].size;
	return end;
}

static int by_begin(const void *left, const void *right)
{
	const piece *a = left, *b = right;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Executable segments consist of sections: no section of code is missing. */
static bool check_segments(const hd_elf *elf, const piece *pieces, size_t n, hd_diag *diag)
{
	uint64_t table = field(elf, 32, 8);
	for (size_t i = 0; i < elf->segments; i++) {
		uint64_t at = table + i * PROGRAM_HEADER, pos = field(elf, at + 8, 8), end = pos + field(elf, at + 32, 8);
		if (field(elf, at, 4) != SEGMENT_LOAD || !(field(elf, at + 4, 4) & EXECUTABLE_SEGMENT))
			continue;
		for (size_t k = 0; k < n && pos < end; k++) {
			if (pieces[k].end <= pos)
				continue;
			if (pieces[k].begin > pos && pieces[k].begin - pos >= HOLE)
				break;
			pos = pieces[k].end;
		}
		if (pos < end)
			return hd_sass_damaged(&elf->file, pos, diag, "no section names these bytes, which are executed");
	}
	return true;
}

bool hd_elf_code_is_whole(const hd_elf *elf, bool (*is_code)(const hd_elf_section *), hd_diag *diag)
{
	for (size_t i = 0; i < elf->n; i++) {
		const hd_elf_section *s = &elf->sections[i];
		bool named = strncmp(s->name, ".text.", 6) == 0, executed = s->flags & EXECUTABLE_SECTION && s->size;
		if ((named || executed) && !is_code(s))
			return hd_sass_damaged(&elf->file, s->header, diag, "section %s is not code, or has no function's name", s->name);
	}
	if (elf->segments > elf->n) /* bounds the work; a cubin has three or four */
		return hd_sass_damaged(&elf->file, 56, diag, "the file has more segments than sections");
	piece *pieces = hd_xcalloc(elf->n + 1, sizeof *pieces);
	for (size_t i = 0; i < elf->n; i++)
		pieces[i] = (piece){elf->sections[i].offset, elf->sections[i].offset + elf->sections[i].size};
	uint64_t table = field(elf, 32, 8);
	pieces[elf->n] = (piece){table, table + (uint64_t)elf->segments * PROGRAM_HEADER};
	qsort(pieces, elf->n + 1, sizeof *pieces, by_begin);
	bool good = check_segments(elf, pieces, elf->n + 1, diag);
	free(pieces);
	return good;
}
