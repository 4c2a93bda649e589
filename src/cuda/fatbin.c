/* Fat binaries: a header, then entries, each with a header of its own. All numbers are little-endian. */
#include "cuda/fatbin.h"

#include "sass/cubin.h"

enum {
	MAGIC = 0xba55ed50,
	HEADER = 16,
	ENTRY = 64,
	KIND_PTX = 1,
	KIND_CODE = 2,
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	TEXT_MAX = 256 << 20, /* bytes of one text */
	RATIO_MAX = 4096,     /* a text may grow so many times by decompression */
};

typedef struct entry {
	unsigned kind;
	uint32_t header, packed, architecture;
	uint64_t size, flags, plain;
	const uint8_t *body;
} entry;

static uint64_t number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static bool damaged(hd_diag *diag, const char *name, const char *what)
{
	hd_error(diag, (hd_pos){.file = name}, "the fat binary is damaged: %s", what);
	return false;
}

static bool unpack(const entry *e, hu_ptx *ptx, const char *name, hd_diag *diag)
{
	if (e->packed == 0 || e->packed > e->size)
		return damaged(diag, name, "a compressed text does not fit its place");
	if (e->plain == 0 || e->plain > TEXT_MAX || e->plain / RATIO_MAX > e->packed)
		return damaged(diag, name, "a compressed text would become too large");
	uint8_t *plain = hd_xmalloc((size_t)e->plain);
	hd_sass_packing packing = e->flags & FLAG_ZSTD ? HD_SASS_PACKING_ZSTD : HD_SASS_PACKING_LZ4;
	bool good = hd_sass_unpack(packing, e->body, e->packed, plain, (size_t)e->plain);
	if (good)
		hd_text_put(&ptx->text, (const char *)plain, strnlen((const char *)plain, (size_t)e->plain));
	free(plain);
	return good || damaged(diag, name, "the compressed bytes of a text are damaged");
}

static bool add_text(hu_fatbin *fatbin, const entry *e, const char *name, hd_diag *diag)
{
	hu_ptx ptx = {.architecture = e->architecture};
	bool good = true;
	if (e->flags & (FLAG_LZ4 | FLAG_ZSTD))
		good = unpack(e, &ptx, name, diag);
	else if (e->size > TEXT_MAX)
		good = damaged(diag, name, "a text is too large");
	else /* zeros fill the place */
		hd_text_put(&ptx.text, (const char *)e->body, strnlen((const char *)e->body, (size_t)e->size));
	if (good)
		hd_vec_push(&fatbin->texts, ptx);
	else
		hd_text_free(&ptx.text);
	return good;
}

/* The entries of one fat binary. */
static bool read_entries(hu_fatbin *fatbin, const uint8_t *at, uint64_t size, const char *name, hd_diag *diag)
{
	while (size) {
		if (size < ENTRY)
			return damaged(diag, name, "it ends inside of an entry's header");
		entry e = {.kind = (unsigned)number(at, 2),
		           .header = (uint32_t)number(at + 4, 4),
		           .size = number(at + 8, 8),
		           .packed = (uint32_t)number(at + 16, 4),
		           .architecture = (uint32_t)number(at + 28, 4),
		           .flags = number(at + 40, 8),
		           .plain = number(at + 56, 8)};
		if (e.header < ENTRY || e.header > size || e.size > size - e.header)
			return damaged(diag, name, "an entry lies outside of it");
		e.body = at + e.header;
		fatbin->machine_code += e.kind == KIND_CODE;
		if (e.kind == KIND_PTX && !add_text(fatbin, &e, name, diag))
			return false;
		at += e.header + e.size;
		size -= e.header + e.size;
	}
	return true;
}

bool hu_fatbin_read(hu_fatbin *fatbin, const uint8_t *bytes, size_t size, const char *name, hd_diag *diag)
{
	*fatbin = (hu_fatbin){.machine_code = 0};
	if (size < HEADER || number(bytes, 4) != MAGIC)
		return damaged(diag, name, "it does not begin as one");
	uint64_t header = number(bytes + 6, 2), body = number(bytes + 8, 8);
	if (header < HEADER || header > size || body > size - header)
		return damaged(diag, name, "it is cut off");
	return read_entries(fatbin, bytes + header, body, name, diag);
}

void hu_fatbin_free(hu_fatbin *fatbin)
{
	for (size_t i = 0; i < fatbin->texts.n; i++)
		hd_text_free(&fatbin->texts.at[i].text);
	hd_vec_free(&fatbin->texts);
}

const hu_ptx *hu_fatbin_choose(const hu_fatbin *fatbin, uint32_t architecture)
{
	const hu_ptx *best = NULL;
	for (size_t i = 0; i < fatbin->texts.n; i++) {
		const hu_ptx *one = &fatbin->texts.at[i];
		bool fits = one->architecture <= architecture, best_fits = best && best->architecture <= architecture;
		if (!best || (fits && (!best_fits || one->architecture > best->architecture)) ||
		    (!fits && !best_fits && one->architecture < best->architecture))
			best = one;
	}
	return best;
}
