/* Fat binaries, and the host's ELF files around them. */
#include "sass/container.h"
#include "base/source_name.h"
#include "sass/cubin.h"

#include <inttypes.h>

/* Memory of one entry. */
typedef struct entry_memory {
	hd_arena arena;
	uint8_t *plain; /* the bytes of a compressed entry */
	uint64_t size;  /* of `plain` */
} entry_memory;

struct hd_sass_binary {
	HD_VEC(hd_sass_cubin) cubins;
	HD_VEC(entry_memory) memory;
	size_t damaged;
	hd_suggestion suggestion;
	hd_arena names; /* of the suggestion */
};

typedef struct opening {
	hd_sass_binary *file;
	hd_sass_span whole;
	const hd_sass_selection *selection; /* NULL: everything, and nothing may be damaged */
	entry_memory entry;                 /* of the current one */
	uint64_t unpacked;                  /* bytes that are kept */
	size_t entries, others;             /* all; those of other architectures */
	hd_diag *diag;
} opening;

enum {
	FAT_MAGIC = 0xba55ed50,
	FAT_HEADER = 16,
	FAT_ENTRY = 64,
	KIND_PTX = 1,
	KIND_CUBIN = 2,
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	MACHINE_AT = 18,
	REST_MAX = 64, /* bytes that fill the place of an entry */
};

typedef struct fat_entry {
	uint64_t at; /* in the file */
	unsigned kind, architecture;
	uint64_t header, size, packed, flags, plain;
} fat_entry;

static bool starts_with_elf(const uint8_t *bytes, size_t size) { return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0; }
static bool starts_with_fat(const uint8_t *bytes, size_t size) { return size >= 4 && hd_sass_read(bytes, 4) == FAT_MAGIC; }

static bool holds_fat(const hd_elf_section *section)
{
	return strcmp(section->name, ".nv_fatbin") == 0 || strcmp(section->name, "__nv_relfatbin") == 0;
}

bool hd_sass_binary_is(const uint8_t *bytes, size_t size)
{
	static const unsigned machines[] = {HD_ELF_CUDA, 62 /* x86-64 */, 183 /* AArch64 */, 21 /* PowerPC */};
	if (!starts_with_elf(bytes, size))
		return starts_with_fat(bytes, size);
	for (size_t i = 0; i < HD_COUNT(machines) && size >= MACHINE_AT + 2; i++)
		if (hd_sass_read(bytes + MACHINE_AT, 2) == machines[i])
			return true;
	return false;
}

bool hd_sass_selected(const hd_sass_selection *s, const hd_sass_cubin *cubin, const hd_sass_function *f)
{
	if (s->architecture && cubin->architecture != s->architecture)
		return false;
	return !s->kernel || strcmp(s->kernel, f->name) == 0 || hd_source_name_match(s->kernel, f->pretty) ||
	       hd_source_name_match(s->kernel, f->signature);
}

static bool is_wanted(const opening *o, unsigned architecture)
{
	return !o->selection || !o->selection->architecture || architecture == o->selection->architecture;
}

static bool wanted(opening *o, unsigned architecture)
{
	o->entries++;
	o->others += !is_wanted(o, architecture);
	return is_wanted(o, architecture);
}

/* Keeps the nearest name alone. */
static void suggest(hd_sass_binary *file, const char *name)
{
	hd_arena arena = {0};
	hd_suggestion s = file->suggestion;
	hd_source_name_suggest(&s, name, &arena);
	if (s.nearest != file->suggestion.nearest) {
		s.nearest = hd_arena_strndup(&arena, s.nearest, strlen(s.nearest));
		file->suggestion = s;
		hd_arena_free(&file->names);
		file->names = arena;
	} else {
		hd_arena_free(&arena);
	}
}

static bool has_selected(const opening *o, const hd_sass_cubin *cubin)
{
	bool found = !o->selection || !o->selection->kernel;
	for (size_t i = 0; i < cubin->n_functions && !found; i++)
		found = hd_sass_selected(o->selection, cubin, &cubin->functions[i]);
	for (size_t i = 0; i < cubin->n_functions && !found; i++)
		suggest(o->file, cubin->functions[i].pretty);
	return found;
}

static void give_back(entry_memory *entry)
{
	free(entry->plain);
	hd_arena_free(&entry->arena);
	*entry = (entry_memory){0};
}

static bool add_cubin(opening *o, hd_sass_span bytes, uint64_t at, bool compressed)
{
	hd_sass_cubin cubin = {.file_offset = at, .compressed = compressed};
	if (!hd_sass_cubin_read(&cubin, bytes, &o->entry.arena, o->diag))
		return false;
	if (!has_selected(o, &cubin))
		return true;
	hd_vec_push(&o->file->cubins, cubin);
	hd_vec_push(&o->file->memory, o->entry);
	o->unpacked += o->entry.size;
	o->entry = (entry_memory){0};
	return true;
}

/* The plain bytes of a compressed entry, or NULL and an error. */
static const uint8_t *unpack(opening *o, const fat_entry *entry)
{
	uint64_t body = entry->at + entry->header;
	if (entry->packed == 0 || entry->packed > entry->size || entry->size - entry->packed >= REST_MAX) {
		hd_sass_damaged(&o->whole, entry->at, o->diag, "a compressed entry does not fit its place");
		return NULL;
	}
	if (entry->plain == 0 || entry->plain > HD_SASS_ENTRY_MAX || entry->plain / HD_SASS_RATIO_MAX > entry->packed ||
	    entry->plain > HD_SASS_FILE_MAX - o->unpacked) {
		hd_sass_damaged(&o->whole, entry->at, o->diag, "an entry of %" PRIu64 " bytes would become %" PRIu64 " bytes", entry->packed,
		                entry->plain);
		return NULL;
	}
	hd_sass_packing packing = entry->flags & FLAG_ZSTD ? HD_SASS_PACKING_ZSTD : HD_SASS_PACKING_LZ4;
	o->entry.plain = hd_xmalloc((size_t)entry->plain);
	o->entry.size = entry->plain;
	if (hd_sass_unpack(packing, o->whole.bytes + body, (size_t)entry->packed, o->entry.plain, (size_t)entry->plain))
		return o->entry.plain;
	hd_sass_damaged(&o->whole, body, o->diag, "the compressed bytes of an entry are damaged");
	return NULL;
}

static bool read_cubin_entry(opening *o, const fat_entry *entry)
{
	const uint8_t *bytes = o->whole.bytes + entry->at + entry->header;
	size_t size = (size_t)entry->size;
	bool compressed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
	const char *name = hd_arena_printf(&o->entry.arena, "%s(0x%" PRIx64 ")", o->whole.name, entry->at);
	if (compressed) {
		bytes = unpack(o, entry);
		size = (size_t)entry->plain;
	}
	return bytes && add_cubin(o, (hd_sass_span){bytes, size, name}, compressed ? entry->at : entry->at + entry->header, compressed);
}

/* Whether an entry that is not called a cubin is one, or has something behind its text. */
static bool hides_code(opening *o, const fat_entry *entry)
{
	const uint8_t *bytes = o->whole.bytes + entry->at + entry->header;
	size_t size = (size_t)entry->size;
	if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
		bytes = unpack(o, entry);
		size = (size_t)entry->plain;
		if (!bytes)
			return true;
	}
	const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
	if (!starts_with_elf(bytes, size) && (entry->kind != KIND_PTX || !end || bytes + size - end < REST_MAX))
		return false;
	hd_sass_damaged(&o->whole, entry->at, o->diag, "an entry of kind %u is no text of PTX", entry->kind);
	return true;
}

static bool read_entry(opening *o, const fat_entry *entry)
{
	if (entry->kind != KIND_CUBIN && is_wanted(o, entry->architecture) && hides_code(o, entry))
		return false;
	if (entry->kind == KIND_PTX) {
		o->entries++;
		hd_sass_cubin cubin = {.name = o->whole.name, .architecture = entry->architecture, .file_offset = entry->at, .ptx_only = true};
		hd_vec_push(&o->file->cubins, cubin);
		return true;
	}
	if (entry->kind != KIND_CUBIN) /* later toolkits have kinds without machine code */
		return true;
	return !wanted(o, entry->architecture) || read_cubin_entry(o, entry);
}

/* The error is in `diag`. False when it ends the reading of the file. */
static bool go_on_behind_damage(opening *o)
{
	o->file->damaged++;
	return o->selection != NULL;
}

/* The entries of one fat binary in [at, end). Behind an entry without a place in it no other can be found. */
static bool read_entries(opening *o, uint64_t at, uint64_t end)
{
	while (at < end) {
		if (end - at < FAT_ENTRY) {
			hd_sass_damaged(&o->whole, at, o->diag, "a fat binary ends inside of an entry's header");
			return go_on_behind_damage(o);
		}
		const uint8_t *h = o->whole.bytes + at;
		fat_entry entry = {.at = at,
		                   .kind = (unsigned)hd_sass_read(h, 2),
		                   .header = hd_sass_read(h + 4, 4),
		                   .size = hd_sass_read(h + 8, 8),
		                   .packed = hd_sass_read(h + 16, 4),
		                   .architecture = (unsigned)hd_sass_read(h + 28, 4),
		                   .flags = hd_sass_read(h + 40, 8),
		                   .plain = hd_sass_read(h + 56, 8)};
		if (entry.header < FAT_ENTRY || !hd_sass_within(entry.header, entry.size, end - at)) {
			hd_sass_damaged(&o->whole, at, o->diag, "an entry lies outside of its fat binary");
			return go_on_behind_damage(o);
		}
		bool read = read_entry(o, &entry);
		give_back(&o->entry);
		if (!read && !go_on_behind_damage(o))
			return false;
		at += entry.header + entry.size;
	}
	return true;
}

/* One fat binary behind the other in [at, end), with zeros between them. */
static bool read_fat(opening *o, uint64_t at, uint64_t end)
{
	while (at < end) {
		const uint8_t *h = o->whole.bytes + at;
		if (end - at < 4 || hd_sass_read(h, 4) == 0) {
			uint64_t step = end - at < 4 ? end - at : 4;
			if (hd_sass_read(h, (unsigned)step))
				return hd_sass_damaged(&o->whole, at, o->diag, "there is no fat binary here");
			at += step;
			continue;
		}
		if (!starts_with_fat(h, (size_t)(end - at)))
			return hd_sass_damaged(&o->whole, at, o->diag, "there is no fat binary here");
		if (end - at < FAT_HEADER)
			return hd_sass_damaged(&o->whole, at, o->diag, "a fat binary ends inside of its header");
		uint64_t header = hd_sass_read(h + 6, 2), size = hd_sass_read(h + 8, 8);
		if (header < FAT_HEADER || !hd_sass_within(header, size, end - at))
			return hd_sass_damaged(&o->whole, at, o->diag, "a fat binary of %" PRIu64 " bytes is cut off", size);
		if (!read_entries(o, at + header, at + header + size))
			return false;
		at += header + size;
	}
	return true;
}

static bool read_host(opening *o, const hd_elf *elf)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < elf->n; i++) {
		const hd_elf_section *section = &elf->sections[i];
		if (!holds_fat(section))
			continue;
		sum += section->size;
		if (sum > elf->file.size)
			return hd_sass_damaged(&o->whole, section->header, o->diag, "the sections have more bytes than the file");
		if (!read_fat(o, section->offset, section->offset + section->size))
			return false;
	}
	return true;
}

static bool read_elf(opening *o)
{
	hd_elf elf;
	if (!hd_elf_read(&elf, o->whole, o->diag))
		return false;
	bool cubin = elf.machine == HD_ELF_CUDA, good;
	if (cubin) {
		good = add_cubin(o, o->whole, 0, false);
		give_back(&o->entry);
		if (o->file->cubins.n == 0) /* damaged, or without the kernel */
			o->entries++;
		else if (!wanted(o, o->file->cubins.at[0].architecture))
			o->file->cubins.n = 0;
	} else {
		good = read_host(o, &elf);
	}
	free(elf.sections);
	return good;
}

/* Nothing was read, and no error says why. */
static bool complain_about_none(const opening *o)
{
	if (o->others && o->others == o->entries)
		return hd_sass_damaged(&o->whole, 0, o->diag, "none of the %zu entries is for sm_%u", o->entries, o->selection->architecture);
	return hd_sass_damaged(&o->whole, 0, o->diag, "the file holds no machine code for a GPU");
}

hd_sass_binary *hd_sass_binary_open_for(const uint8_t *bytes, size_t size, const char *name, const hd_sass_selection *selection, hd_diag *diag)
{
	hd_sass_binary *file = hd_xcalloc(1, sizeof *file);
	opening o = {.file = file, .whole = {bytes, size, name}, .selection = selection, .diag = diag};
	file->suggestion.word = selection ? selection->kernel : NULL;
	bool good;
	if (starts_with_elf(bytes, size))
		good = read_elf(&o);
	else if (starts_with_fat(bytes, size))
		good = read_fat(&o, 0, size);
	else
		good = hd_sass_damaged(&o.whole, 0, diag, "this is neither a cubin, nor a fat binary, nor an ELF file with one");
	bool left_out = o.entries > o.others && !file->damaged; /* entries without the kernel */
	if (good && file->cubins.n == 0 && !left_out)
		good = !file->damaged && complain_about_none(&o);
	if (good)
		return file;
	hd_sass_binary_free(file);
	return NULL;
}

hd_sass_binary *hd_sass_binary_open(const uint8_t *bytes, size_t size, const char *name, hd_diag *diag)
{
	return hd_sass_binary_open_for(bytes, size, name, NULL, diag);
}

void hd_sass_binary_free(hd_sass_binary *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->memory.n; i++)
		give_back(&file->memory.at[i]);
	hd_vec_free(&file->memory);
	hd_vec_free(&file->cubins);
	hd_arena_free(&file->names);
	free(file);
}

size_t hd_sass_binary_damaged(const hd_sass_binary *file) { return file->damaged; }
hd_suggestion hd_sass_binary_suggestion(const hd_sass_binary *file) { return file->suggestion; }
size_t hd_sass_binary_count(const hd_sass_binary *file) { return file->cubins.n; }
const hd_sass_cubin *hd_sass_binary_cubin(const hd_sass_binary *file, size_t index) { return &file->cubins.at[index]; }
