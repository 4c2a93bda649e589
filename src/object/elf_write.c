#define _GNU_SOURCE /* memfd_create */
#include "object/elf.h"

#include <errno.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void put32(hd_text *out, uint32_t value)
{
	char bytes[4] = {(char)(value & 255), (char)(value >> 8 & 255), (char)(value >> 16 & 255), (char)(value >> 24)};
	hd_text_put(out, bytes, 4);
}

static void put64(hd_text *out, uint64_t value)
{
	put32(out, (uint32_t)value);
	put32(out, (uint32_t)(value >> 32));
}

/* Offset of a name in the string table; adds the name if it is new. */
static uint32_t name_of(hd_text *strings, const char *name)
{
	if (!name)
		return HD_ELF_NO_NAME;
	uint32_t at = (uint32_t)strings->n;
	hd_text_put(strings, name, strlen(name) + 1);
	return at;
}

static void put_program(const hd_object *object, hd_text *out, hd_text *strings)
{
	put32(out, HD_ELF_VERSION);
	put32(out, object->counters | object->split << 16);
	put32(out, object->geometry | (uint32_t)object->nonuniform << 31);
	put32(out, name_of(strings, object->config));
	put64(out, hd_object_machine_hash(object));
}

static void put_kernels(const hd_object *object, hd_text *kernels, hd_text *params, hd_text *strings)
{
	uint32_t first = 0;
	for (size_t i = 0; i < object->kernels.n; i++) {
		const hd_kernel *k = &object->kernels.at[i];
		const uint32_t row[HD_ELF_KERNEL_WORDS] = {name_of(strings, k->name),
		                                           k->entry,
		                                           k->registers,
		                                           k->shared_bytes,
		                                           k->local_bytes,
		                                           k->param_bytes,
		                                           k->max_threads,
		                                           k->required_block[0],
		                                           k->required_block[1],
		                                           k->required_block[2],
		                                           k->call_depth,
		                                           first,
		                                           (uint32_t)k->params.n,
		                                           k->priority,
		                                           (uint32_t)k->priority_step};
		for (unsigned w = 0; w < HD_ELF_KERNEL_WORDS; w++)
			put32(kernels, row[w]);
		first += (uint32_t)k->params.n;
		for (size_t p = 0; p < k->params.n; p++) {
			const hd_param *param = &k->params.at[p];
			put32(params, name_of(strings, param->name));
			put32(params, param->offset);
			put32(params, param->size);
			put32(params, param->align);
			put32(params, param->space);
			put32(params, param->pointer | (uint32_t)param->type << 1);
		}
	}
}

/* Writes the names and types from the source. A table stays empty when no row of it says anything. */
static void put_sources(const hd_object *object, hd_text *names, hd_text *types, hd_text *strings)
{
	bool any_name = false, any_type = false;
	for (size_t i = 0; i < object->kernels.n; i++) {
		const hd_kernel *k = &object->kernels.at[i];
		any_name |= k->source_name != NULL;
		for (size_t p = 0; p < k->params.n; p++)
			any_type |= k->params.at[p].source_type || k->params.at[p].element;
	}
	for (size_t i = 0; i < object->kernels.n; i++) {
		const hd_kernel *k = &object->kernels.at[i];
		if (any_name)
			put32(names, name_of(strings, k->source_name));
		for (size_t p = 0; p < k->params.n && any_type; p++) {
			put32(types, name_of(strings, k->params.at[p].source_type));
			put32(types, k->params.at[p].element);
		}
	}
}

/* The symbol table begins with the empty symbol. `text` and `data` are the numbers of the sections of functions and of variables. A managed variable
 * is a weak symbol: something else may provide its memory. */
static void put_symbols(const hd_object *object, uint16_t text, uint16_t data, hd_text *out, hd_text *strings)
{
	for (int i = 0; i < HD_ELF_SYMBOL_BYTES / 4; i++)
		put32(out, 0);
	for (size_t i = 0; i < object->functions.n; i++) {
		const hd_function *f = &object->functions.at[i];
		put32(out, name_of(strings, f->name ? f->name : ""));
		put32(out, (uint32_t)GELF_ST_INFO(STB_GLOBAL, STT_FUNC) | (uint32_t)text << 16);
		put64(out, (uint64_t)f->begin * hd_geometries[object->geometry].word_bytes);
		put64(out, (uint64_t)(f->end - f->begin) * hd_geometries[object->geometry].word_bytes);
	}
	for (size_t i = 0; i < object->variables.n; i++) {
		const hd_variable *v = &object->variables.at[i];
		put32(out, name_of(strings, v->name));
		put32(out, (uint32_t)GELF_ST_INFO(v->managed ? STB_WEAK : STB_GLOBAL, STT_OBJECT) | (uint32_t)data << 16);
		put64(out, v->offset);
		put64(out, v->size);
	}
}

typedef struct section {
	const char *name;
	hd_text bytes;
	uint32_t type, align, entry;
	uint64_t flags;
} section;

enum {
	TEXT = 0,
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
	NAMES,
	SECTIONS
};

static void fill(const hd_object *object, section s[SECTIONS])
{
	hd_text *strings = &s[STRINGS].bytes;
	hd_text_put(strings, "", 1);
	for (size_t i = 0; i < object->code.n; i++) {
		put32(&s[TEXT].bytes, (uint32_t)object->code.at[i]);
		if (hd_geometries[object->geometry].word_bytes == 8)
			put32(&s[TEXT].bytes, (uint32_t)(object->code.at[i] >> 32));
	}
	if (object->data.n)
		hd_text_put(&s[DATA].bytes, (const char *)object->data.at, object->data.n);
	put_program(object, &s[PROGRAM].bytes, strings);
	if (object->machine)
		hd_text_put(&s[MACHINE].bytes, object->machine, strlen(object->machine));
	put_kernels(object, &s[KERNELS].bytes, &s[PARAMS].bytes, strings);
	put_sources(object, &s[KERNEL_NAMES].bytes, &s[TYPES].bytes, strings);
	for (size_t i = 0; i < object->targets.n; i++)
		put32(&s[TARGETS].bytes, object->targets.at[i]);
	for (size_t i = 0; i < object->orders.n; i++) {
		put32(&s[ORDERS].bytes, object->orders.at[i].first);
		put32(&s[ORDERS].bytes, object->orders.at[i].second);
	}
	if (object->hint_table.n)
		hd_text_put(&s[HINT_TABLE].bytes, (const char *)object->hint_table.at, object->hint_table.n);
	for (size_t i = 0; i < object->literals.n; i++)
		put32(&s[LITERALS].bytes, object->literals.at[i]);
	for (size_t i = 0; i < object->relocs.n; i++) {
		put32(&s[RELOCS].bytes, object->relocs.at[i].offset);
		put32(&s[RELOCS].bytes, 0);
		put64(&s[RELOCS].bytes, (uint64_t)object->relocs.at[i].addend);
	}
	for (size_t i = 0; i < object->files.n; i++)
		put32(&s[FILES].bytes, name_of(strings, object->files.at[i]));
	for (size_t i = 0; i < object->lines.n; i++) {
		const hd_line *line = &object->lines.at[i];
		put32(&s[LINES].bytes, line->word);
		put32(&s[LINES].bytes, line->file);
		put32(&s[LINES].bytes, line->column);
		put32(&s[LINES].bytes, line->line);
	}
	/* .text is the first section, number 1, if the object has code, and .data the next one. */
	if (object->functions.n || object->variables.n)
		put_symbols(object, object->code.n ? 1 : SHN_ABS, object->code.n ? 2 : 1, &s[SYMBOLS].bytes, strings);
}

/* Nothing of the object is outside input, so libelf fails for lack of memory alone. */
#define ELF_OK(condition) ((condition) ? (void)0 : hd_out_of_memory(0))

/* Adds the sections that are not empty, in order. The last one is the table of section names. */
static void add_sections(Elf *elf, section s[SECTIONS])
{
	uint32_t names[SECTIONS] = {0}, number = 0, strings_number = 0;
	hd_text_put(&s[NAMES].bytes, "", 1);
	for (int i = 0; i < SECTIONS; i++) {
		if (s[i].bytes.n) {
			names[i] = (uint32_t)s[NAMES].bytes.n;
			hd_text_put(&s[NAMES].bytes, s[i].name, strlen(s[i].name) + 1);
			strings_number = i <= STRINGS ? strings_number + 1 : strings_number;
		}
	}
	for (int i = 0; i < SECTIONS; i++) {
		if (!s[i].bytes.n)
			continue;
		/* Without memory for the section's header, libelf (0.188) sets the error and still returns a section, which cannot be used. */
		elf_errno();
		Elf_Scn *scn = elf_newscn(elf);
		ELF_OK(scn && elf_errno() == 0);
		number++;
		Elf_Data *data = elf_newdata(scn);
		ELF_OK(data);
		/* All contents are plain bytes, symbols included: they are already in the byte order of the file. */
		*data =
		    (Elf_Data){.d_buf = s[i].bytes.at, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT, .d_size = s[i].bytes.n, .d_align = s[i].align};
		GElf_Shdr shdr;
		ELF_OK(gelf_getshdr(scn, &shdr));
		shdr.sh_name = names[i];
		shdr.sh_type = s[i].type;
		shdr.sh_flags = s[i].flags;
		shdr.sh_entsize = s[i].entry;
		shdr.sh_link = i == SYMBOLS ? strings_number : 0;
		shdr.sh_info = i == SYMBOLS ? 1 : 0; /* first symbol that is not local */
		ELF_OK(gelf_update_shdr(scn, &shdr));
	}
	GElf_Ehdr ehdr;
	ELF_OK(gelf_getehdr(elf, &ehdr));
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr.e_type = ET_REL;
	ehdr.e_machine = HD_ELF_MACHINE;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_shstrndx = (uint16_t)number;
	ELF_OK(gelf_update_ehdr(elf, &ehdr));
}

/* False and errno if the host refuses the file's bytes, as with a limit of the size of files. */
static bool write_sections(int fd, section s[SECTIONS])
{
	ELF_OK(elf_version(EV_CURRENT) != EV_NONE);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ELF_OK(elf);
	ELF_OK(gelf_newehdr(elf, ELFCLASS64));
	add_sections(elf, s);
	errno = 0;
	bool ok = elf_update(elf, ELF_C_WRITE) >= 0;
	int why = errno;
	elf_end(elf);
	errno = why ? why : EIO;
	return ok;
}

/* NULL and errno if the file cannot be read. */
static unsigned char *read_back(int fd, size_t *size)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return NULL;
	*size = (size_t)status.st_size;
	unsigned char *bytes = hd_xmalloc(*size);
	for (size_t done = 0; done < *size;) {
		ssize_t n = pread(fd, bytes + done, *size - done, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int why = n < 0 ? errno : EIO;
			free(bytes);
			errno = why;
			return NULL;
		}
		done += (size_t)n;
	}
	return bytes;
}

unsigned char *hd_object_write(const hd_object *object, size_t *size)
{
	section s[SECTIONS] = {
	    [TEXT] = {".text", {0}, SHT_PROGBITS, 64, 0, SHF_ALLOC | SHF_EXECINSTR},
	    [DATA] = {".data", {0}, SHT_PROGBITS, 16, 0, SHF_ALLOC | SHF_WRITE},
	    [PROGRAM] = {".heddle.program", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_PROGRAM_WORDS, 0},
	    [MACHINE] = {".heddle.machine", {0}, SHT_PROGBITS, 1, 0, 0},
	    [KERNELS] = {".heddle.kernels", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_KERNEL_WORDS, 0},
	    [PARAMS] = {".heddle.params", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_PARAM_WORDS, 0},
	    [KERNEL_NAMES] = {".heddle.names", {0}, SHT_PROGBITS, 4, 4, 0},
	    [TYPES] = {".heddle.types", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_TYPE_WORDS, 0},
	    [TARGETS] = {".heddle.targets", {0}, SHT_PROGBITS, 4, 4, 0},
	    [ORDERS] = {".heddle.orders", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_ORDER_WORDS, 0},
	    [HINT_TABLE] = {".heddle.hints", {0}, SHT_PROGBITS, 1, 1, 0},
	    [LITERALS] = {".heddle.literals", {0}, SHT_PROGBITS, 4, 4, 0},
	    [RELOCS] = {".heddle.relocs", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_RELOC_WORDS, 0},
	    [FILES] = {".heddle.files", {0}, SHT_PROGBITS, 4, 4, 0},
	    [LINES] = {".heddle.lines", {0}, SHT_PROGBITS, 4, 4 * HD_ELF_LINE_WORDS, 0},
	    [STRINGS] = {".strtab", {0}, SHT_STRTAB, 1, 0, 0},
	    [SYMBOLS] = {".symtab", {0}, SHT_SYMTAB, 8, HD_ELF_SYMBOL_BYTES, 0},
	    [NAMES] = {".shstrtab", {0}, SHT_STRTAB, 1, 0, 0},
	};
	fill(object, s);
	/* libelf writes only to files. This file exists in memory alone. */
	int fd = memfd_create("heddle-object", MFD_CLOEXEC);
	unsigned char *bytes = fd >= 0 && write_sections(fd, s) ? read_back(fd, size) : NULL;
	int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	for (int i = 0; i < SECTIONS; i++)
		hd_text_free(&s[i].bytes);
	return bytes;
}
