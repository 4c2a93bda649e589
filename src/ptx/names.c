/* Spellings: suffix tables and the interner. */
#include "ptx/ast.h"

const ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = {"none", 0, 'N'},
#define TYPE(id, spelling, width, letter) [PTX_##id] = {spelling, width, #letter[0]},
#define MOD(...)
#include "ptx/names.def"
#undef TYPE
#undef MOD
};

const char *const ptx_mod_names[PTX_MOD_COUNT] = {
#define TYPE(...)
#define MOD(id, spelling) [PTX_M_##id] = spelling,
#include "ptx/names.def"
#undef TYPE
#undef MOD
};

static bool same(const char *word, size_t length, const char *name) { return strlen(name) == length && memcmp(word, name, length) == 0; }

ptx_type ptx_find_type(const char *word, size_t length)
{
	for (unsigned i = 1; i < PTX_TYPE_COUNT; i++)
		if (same(word, length, ptx_types[i].name))
			return (ptx_type)i;
	return PTX_NONE;
}

ptx_mod ptx_find_mod(const char *word, size_t length)
{
	/* `.shared::cta` is `.shared`; `.L1::no_allocate`, `.L2::128B` and similar suffixes are hints. */
	if (same(word, length, "shared::cta"))
		return PTX_M_SHARED;
	if (length > 4 && (memcmp(word, "L1::", 4) == 0 || memcmp(word, "L2::", 4) == 0))
		return word[1] == '1' ? PTX_M_L1 : PTX_M_L2;
	for (unsigned i = 0; i < PTX_MOD_COUNT; i++)
		if (same(word, length, ptx_mod_names[i]))
			return (ptx_mod)i;
	return PTX_MOD_COUNT;
}

static void grow(ptx_module *module)
{
	uint32_t cap = module->names_cap ? module->names_cap * 2 : 1024;
	ptx_name **names = hd_xcalloc(cap, sizeof(ptx_name *));
	for (uint32_t i = 0; i < module->names_cap; i++) {
		ptx_name *name = module->names[i];
		if (!name)
			continue;
		uint32_t at = name->hash & (cap - 1);
		while (names[at])
			at = (at + 1) & (cap - 1);
		names[at] = name;
	}
	free(module->names);
	module->names = names;
	module->names_cap = cap;
}

ptx_name *ptx_intern(ptx_module *module, const char *text, size_t length)
{
	uint64_t bits = hd_hash(HD_HASH, text, length);
	uint32_t hash = (uint32_t)(bits ^ bits >> 32);
	if (module->names_n * 2 >= module->names_cap)
		grow(module);
	uint32_t at = hash & (module->names_cap - 1);
	for (; module->names[at]; at = (at + 1) & (module->names_cap - 1)) {
		ptx_name *name = module->names[at];
		if (name->hash != hash || name->length != length || memcmp(name->text, text, length) != 0)
			continue;
		if (!name->retired)
			return name;
		name->text = hd_arena_printf(&module->arena, "%s$%u", name->text, module->units);
		name->length = (uint32_t)strlen(name->text);
	}
	ptx_name *name = hd_arena_alloc(&module->arena, sizeof *name);
	name->text = hd_arena_strndup(&module->arena, text, length);
	name->length = (uint32_t)length;
	name->hash = hash;
	module->names[at] = name;
	module->names_n++;
	return name;
}

void *ptx_grow(ptx_module *module, void *at, size_t *cap, size_t element)
{
	size_t grown = *cap ? *cap * 2 : 4;
	hd_invariant(grown < SIZE_MAX / 2 / element, "vector too large");
	void *fresh = hd_arena_alloc(&module->arena, grown * element);
	if (*cap)
		memcpy(fresh, at, *cap * element);
	*cap = grown;
	return fresh;
}
