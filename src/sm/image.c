#include "sm/image.h"
#include "sass/cubin.h"
#include "sass/instruction.h"

#include <inttypes.h>

enum {
	INFO_FRAME = 0x11,
	INFO_STACK = 0x12,
	INFO_PARAMETER = 0x17,
	INFO_PARAMETERS_AT = 0x0a,
	INFO_PARAMETERS_SIZE = 0x19,
	INFO_THREADS_MOST = 0x05,
	INFO_THREADS = 0x10,
	FORMAT_SIZED = 4,
	SECTION_INFO = 0x70000000,
	SECTION_SYMBOLS = 2,
	SECTION_RELA = 4,
	SECTION_REL = 9,
	RELOCATION_32 = 1,
	RELOCATION_64 = 2,
	RELOCATION_GENERIC_32 = 3, /* a generic address: that of global memory here */
	RELOCATION_GENERIC_64 = 4,
	PARAMETERS_MOST = 4096,
	VARIABLES_MOST = 1 << 28,
	STACK_MOST = 1 << 19, /* bytes a thread, as CUDA has it */
};

typedef struct reading {
	hd_elf elf;
	hd_sm_image *image;
	hd_memory *memory;
	hd_diag *diag;
	const hd_elf_section *symbols;
	uint64_t *address; /* of each section in memory; 0: it has none */
} reading;

static uint64_t number_at(const reading *r, uint64_t at, unsigned n) { return hd_sass_read(r->elf.file.bytes + at, n); }
static bool damaged(const reading *r, uint64_t at, const char *what, const char *name)
{
	return hd_sass_damaged(&r->elf.file, at, r->diag, "%s of %s", what, name);
}

static const char *name_of(const reading *r, uint64_t symbol)
{
	uint64_t at = r->symbols->offset + symbol * HD_ELF_SYMBOL, place = number_at(r, at, 4);
	if (r->symbols->link >= r->elf.n || place >= r->elf.sections[r->symbols->link].size)
		return "";
	const hd_elf_section *strings = &r->elf.sections[r->symbols->link];
	const char *text = (const char *)r->elf.file.bytes + strings->offset + place;
	return memchr(text, 0, (size_t)(strings->size - place)) ? text : "";
}

static hd_sm_kernel *kernel_of(const reading *r, const char *name, hd_kernel **described)
{
	for (size_t i = 0; i < r->image->object->kernels.n; i++)
		if (strcmp(r->image->kernels[i].function->name, name) == 0) {
			*described = &r->image->object->kernels.at[i];
			return &r->image->kernels[i];
		}
	return NULL;
}

static bool parameter(const reading *r, uint64_t at, hd_kernel *k)
{
	hd_param param = {.offset = (uint32_t)number_at(r, at + 6, 2), .size = (uint32_t)number_at(r, at + 8, 4) >> 18, .align = 1};
	uint32_t place = (uint32_t)number_at(r, at + 4, 2);
	if (param.size == 0 || place >= PARAMETERS_MOST || param.offset + param.size > HD_PARAM_BYTES_MAX)
		return damaged(r, at, "a parameter", k->name);
	while (k->params.n <= place)
		hd_vec_push(&k->params, (hd_param){0});
	char name[24];
	snprintf(name, sizeof name, "%u", place + 1);
	free(k->params.at[place].name);
	param.name = hd_xstrdup(name);
	k->params.at[place] = param;
	return true;
}

static bool attribute(const reading *r, unsigned what, unsigned value, uint64_t at, uint64_t size, hd_sm_kernel *own, hd_kernel *k)
{
	switch (what) {
	case INFO_PARAMETER:
		return size < 12 || parameter(r, at, k);
	case INFO_PARAMETERS_AT:
		if (size >= 8) {
			own->param_at = (uint32_t)number_at(r, at + 4, 2);
			own->param_bytes = (uint32_t)number_at(r, at + 6, 2);
		}
		return true;
	case INFO_PARAMETERS_SIZE:
		own->param_bytes = value;
		return true;
	case INFO_THREADS_MOST:
	case INFO_THREADS:
		for (unsigned i = 0; size >= 12 && i < 3; i++)
			if (what == INFO_THREADS)
				k->required_block[i] = (uint32_t)number_at(r, at + 4 * i, 4);
		if (size >= 12 && what == INFO_THREADS_MOST) {
			uint64_t most = number_at(r, at, 4) * number_at(r, at + 4, 4);
			k->max_threads = (uint32_t)hd_min_u64(most > 1024 ? 1024 : most * number_at(r, at + 8, 4), 1024);
		}
		return true;
	default:
		return true;
	}
}

/* Stacks are in .nv.info, by symbol; the rest is in .nv.info.KERNEL. */
static bool read_info(const reading *r, const hd_elf_section *s)
{
	hd_kernel *k = NULL;
	hd_sm_kernel *own = strncmp(s->name, ".nv.info.", 9) == 0 ? kernel_of(r, s->name + 9, &k) : NULL;
	for (uint64_t at = s->offset, end = s->offset + s->size; end - at >= 4;) {
		unsigned format = (unsigned)number_at(r, at, 1), what = (unsigned)number_at(r, at + 1, 1), value = (unsigned)number_at(r, at + 2, 2);
		uint64_t size = format == FORMAT_SIZED ? value : 0;
		if (size > end - at - 4)
			return damaged(r, at, "an attribute", s->name);
		if (own && !attribute(r, what, value, at + 4, size, own, k))
			return false;
		uint64_t symbol = size >= 8 ? number_at(r, at + 4, 4) : UINT64_MAX;
		if (!own && (what == INFO_STACK || what == INFO_FRAME) && r->symbols && symbol < r->symbols->size / HD_ELF_SYMBOL) {
			hd_kernel *of = NULL;
			hd_sm_kernel *stack = kernel_of(r, name_of(r, symbol), &of);
			if (stack)
				stack->stack_bytes = hd_max_u32(stack->stack_bytes, (uint32_t)number_at(r, at + 8, 4));
		}
		at += 4 + size;
	}
	return true;
}

static bool ends(const char *name, const char *begin, const char *end)
{
	size_t n = strlen(begin);
	return strncmp(name, begin, n) == 0 && strcmp(name + n, end) == 0;
}

/* Sections that belong to one kernel. */
static bool read_sections_of(const reading *r, hd_sm_kernel *own, hd_kernel *k)
{
	for (size_t i = 0; i < r->elf.n; i++) {
		const hd_elf_section *s = &r->elf.sections[i];
		if (ends(s->name, ".nv.shared.", k->name)) {
			if (s->memory > HD_WINDOW_BYTES)
				return damaged(r, s->header, "the size", s->name);
			k->shared_bytes = (uint32_t)s->memory;
		} else if (ends(s->name, ".nv.constant2.", k->name) && s->size <= HD_SM_BANK_BYTES) {
			own->pool = hd_xmalloc(s->size + 1);
			memcpy(own->pool, r->elf.file.bytes + s->offset, s->size);
			own->pool_bytes = (uint32_t)s->size;
		}
	}
	k->shared_bytes = hd_max_u32(k->shared_bytes, hd_sm_reserved_shared(r->image->cubin->architecture));
	for (size_t i = 0; i < k->params.n; i++)
		if (!k->params.at[i].name)
			return damaged(r, 0, "a parameter", k->name);
	k->param_bytes = own->param_bytes;
	for (size_t i = 0; i < k->params.n; i++)
		k->param_bytes = hd_max_u32(k->param_bytes, k->params.at[i].offset + k->params.at[i].size);
	if (own->param_at + k->param_bytes > HD_SM_BANK_BYTES)
		return damaged(r, 0, "the parameters", k->name);
	k->local_bytes = own->stack_bytes;
	return own->stack_bytes <= STACK_MOST || damaged(r, 0, "the stack", k->name);
}

static void describe_kernels(reading *r)
{
	hd_sm_image *image = r->image;
	image->kernels = hd_xcalloc(image->cubin->n_functions + 1, sizeof *image->kernels);
	for (size_t i = 0; i < image->cubin->n_functions; i++) {
		const hd_sass_function *f = &image->cubin->functions[i];
		if (!f->kernel)
			continue;
		image->kernels[image->object->kernels.n] =
		    (hd_sm_kernel){.function = f, .number = (uint32_t)i, .param_at = image->cubin->architecture >= 90 ? 0x210 : 0x160};
		hd_vec_push(&image->object->kernels, (hd_kernel){.name = hd_xstrdup(f->name),
		                                                 .source_name = strcmp(f->name, f->pretty) ? hd_xstrdup(f->pretty) : NULL,
		                                                 .registers = f->registers});
	}
}

/* Variables lie in device memory: initialized ones, then the others. Bank 3 lies there, too, so that it has addresses. */
static bool place_variables(reading *r)
{
	const hd_elf_section *parts[2] = {hd_elf_find(&r->elf, ".nv.global.init"), hd_elf_find(&r->elf, ".nv.global")};
	uint64_t bytes = 0, at[2] = {0};
	for (unsigned i = 0; i < 2; i++)
		if (parts[i]) {
			bytes = (bytes + 255) & ~UINT64_C(255);
			at[i] = bytes;
			bytes += hd_min_u64(parts[i]->memory, VARIABLES_MOST + 1);
		}
	if (bytes > VARIABLES_MOST)
		return damaged(r, parts[1] ? parts[1]->header : parts[0]->header, "the size", "the variables");
	if (bytes && !(r->image->variables = hd_memory_alloc(r->memory, bytes, "the module's variables")))
		return damaged(r, 0, "no room for the variables", r->image->cubin->name);
	for (unsigned i = 0; i < 2; i++)
		if (parts[i]) {
			r->address[parts[i] - r->elf.sections] = r->image->variables + at[i];
			if (parts[i]->size)
				memcpy(hd_memory_at(r->memory, r->image->variables + at[i], parts[i]->size), r->elf.file.bytes + parts[i]->offset,
				       parts[i]->size);
		}
	const hd_elf_section *bank3 = hd_elf_find(&r->elf, ".nv.constant3"), *bank4 = hd_elf_find(&r->elf, ".nv.constant4");
	if ((bank3 && bank3->size > HD_SM_BANK_BYTES) || (bank4 && bank4->size > HD_SM_BANK_BYTES))
		return damaged(r, 0, "the size of a constant bank", r->image->cubin->name);
	if (bank3 && bank3->size) {
		r->image->constants_bytes = (uint32_t)bank3->size;
		r->image->constants = hd_memory_alloc(r->memory, bank3->size, "the module's constants");
		if (!r->image->constants)
			return damaged(r, 0, "no room for the constants", r->image->cubin->name);
		memcpy(hd_memory_at(r->memory, r->image->constants, bank3->size), r->elf.file.bytes + bank3->offset, bank3->size);
		r->address[bank3 - r->elf.sections] = r->image->constants;
	}
	if (bank4) {
		r->image->addresses = hd_xmalloc(bank4->size + 1);
		memcpy(r->image->addresses, r->elf.file.bytes + bank4->offset, bank4->size);
		r->image->addresses_bytes = (uint32_t)bank4->size;
	}
	return true;
}

/* The address that a symbol stands for. */
static bool value_of(reading *r, uint64_t symbol, uint64_t *value)
{
	uint64_t at = r->symbols->offset + symbol * HD_ELF_SYMBOL;
	size_t section = (size_t)number_at(r, at + 6, 2);
	*value = number_at(r, at + 8, 8);
	if (section == 0) {
		for (size_t i = 0; i < r->image->outside.n; i++)
			if (strcmp(r->image->outside.at[i], name_of(r, symbol)) == 0) {
				*value = HD_SM_OUTSIDE + 16 * i;
				return true;
			}
		*value = HD_SM_OUTSIDE + 16 * r->image->outside.n;
		hd_vec_push(&r->image->outside, hd_xstrdup(name_of(r, symbol)));
		return true;
	}
	if (section >= r->elf.n)
		return damaged(r, at, "the section", name_of(r, symbol));
	if (r->address[section]) {
		*value += r->address[section];
		return true;
	}
	for (size_t f = 0; f < r->image->cubin->n_functions; f++)
		if (ends(r->elf.sections[section].name, ".text.", r->image->cubin->functions[f].name)) {
			*value += HD_SM_CODE + f * HD_SM_CODE_STEP;
			return true;
		}
	return true; /* a section that is not loaded: nothing of a kernel asks for its address */
}

static bool relocate(reading *r, const hd_elf_section *table, const hd_elf_section *target, uint8_t *bytes)
{
	bool with_addend = table->type == SECTION_RELA;
	uint64_t size = with_addend ? 24 : 16;
	for (uint64_t at = table->offset; r->symbols && table->size >= size && at <= table->offset + table->size - size; at += size) {
		uint64_t offset = number_at(r, at, 8), info = number_at(r, at + 8, 8), symbol = info >> 32, value = 0;
		unsigned type = (unsigned)(info & UINT32_MAX), width = type & 1 ? 4 : 8;
		if (type < RELOCATION_32 || type > RELOCATION_GENERIC_64)
			return hd_sass_damaged(&r->elf.file, at, r->diag, "relocation of kind 0x%x in section %s has no meaning", type, target->name);
		if (!hd_sass_within(offset, width, target->size) || symbol >= r->symbols->size / HD_ELF_SYMBOL)
			return damaged(r, at, "a relocation", target->name);
		if (!value_of(r, symbol, &value))
			return false;
		value += with_addend ? number_at(r, at + 16, 8) : hd_sass_read(bytes + offset, width);
		for (unsigned i = 0; i < width; i++)
			bytes[offset + i] = (uint8_t)(value >> 8 * i);
	}
	return true;
}

static bool read_relocations(reading *r)
{
	for (size_t i = 0; i < r->elf.n; i++) {
		const hd_elf_section *s = &r->elf.sections[i];
		if ((s->type != SECTION_REL && s->type != SECTION_RELA) || s->info >= r->elf.n)
			continue;
		const hd_elf_section *target = &r->elf.sections[s->info];
		uint8_t *bytes = NULL;
		if (strcmp(target->name, ".nv.constant4") == 0)
			bytes = r->image->addresses;
		else if (r->address[s->info] && target->size)
			bytes = hd_memory_at(r->memory, r->address[s->info], target->size);
		if (bytes && !relocate(r, s, target, bytes))
			return false;
	}
	return true;
}

static bool read(reading *r)
{
	for (size_t i = 0; i < r->elf.n; i++)
		if (r->elf.sections[i].type == SECTION_SYMBOLS && !r->symbols)
			r->symbols = &r->elf.sections[i];
	describe_kernels(r);
	for (size_t i = 0; i < r->elf.n; i++)
		if (r->elf.sections[i].type == SECTION_INFO && !read_info(r, &r->elf.sections[i]))
			return false;
	for (size_t i = 0; i < r->image->object->kernels.n; i++)
		if (!read_sections_of(r, &r->image->kernels[i], &r->image->object->kernels.at[i]))
			return false;
	return place_variables(r) && read_relocations(r);
}

hd_sm_image *hd_sm_image_new(const hd_sass_cubin *cubin, hd_memory *memory, hd_diag *diag)
{
	reading r = {.memory = memory, .diag = diag, .image = hd_xcalloc(1, sizeof *r.image)};
	r.image->cubin = cubin;
	r.image->object = hd_object_new();
	if (!hd_elf_read(&r.elf, (hd_sass_span){cubin->bytes, cubin->size, cubin->name}, diag)) {
		hd_sm_image_free(r.image, memory);
		return NULL;
	}
	r.address = hd_xcalloc(r.elf.n + 1, sizeof *r.address);
	bool good = read(&r);
	free(r.address);
	free(r.elf.sections);
	if (good)
		return r.image;
	hd_sm_image_free(r.image, memory);
	return NULL;
}

void hd_sm_image_free(hd_sm_image *image, hd_memory *memory)
{
	if (!image)
		return;
	for (size_t i = 0; image->kernels && i < image->object->kernels.n; i++)
		free(image->kernels[i].pool);
	if (image->variables)
		hd_memory_release(memory, image->variables);
	if (image->constants)
		hd_memory_release(memory, image->constants);
	for (size_t i = 0; i < image->outside.n; i++)
		free(image->outside.at[i]);
	hd_vec_free(&image->outside);
	hd_object_free(image->object);
	free(image->kernels);
	free(image->addresses);
	free(image);
}

/* The windows of shared and local memory are those of our own code: their bases are a choice of the driver. */
void hd_sm_fill_bank(const hd_sm_kernel *kernel, const hd_launch *launch, uint32_t local_bytes, uint8_t *bytes)
{
	for (unsigned i = 0; i < 3; i++) {
		hd_store_word(bytes + 4 * i, launch->block[i]);
		hd_store_word(bytes + 0xc + 4 * i, launch->grid[i]);
	}
	hd_store_word(bytes + 0x1c, HD_WINDOW_SHARED >> 32);
	hd_store_word(bytes + 0x24, HD_WINDOW_LOCAL >> 32);
	hd_store_word(bytes + 0x28, local_bytes); /* the stack grows down */
	if (launch->kernel->param_bytes)
		memcpy(bytes + kernel->param_at, launch->params, launch->kernel->param_bytes);
}
