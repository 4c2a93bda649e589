#include "object/object.h"

const char *const hd_element_names[HD_ELEMENTS] = {
    [HD_ELEMENT_UNKNOWN] = "", [HD_ELEMENT_I8] = "i8",   [HD_ELEMENT_I16] = "i16", [HD_ELEMENT_I32] = "i32",
    [HD_ELEMENT_I64] = "i64",  [HD_ELEMENT_U8] = "u8",   [HD_ELEMENT_U16] = "u16", [HD_ELEMENT_U32] = "u32",
    [HD_ELEMENT_U64] = "u64",  [HD_ELEMENT_F16] = "f16", [HD_ELEMENT_F32] = "f32", [HD_ELEMENT_F64] = "f64",
};

hd_element hd_element_find(const char *name, size_t length)
{
	for (unsigned e = HD_ELEMENT_UNKNOWN + 1; e < HD_ELEMENTS; e++)
		if (strlen(hd_element_names[e]) == length && memcmp(hd_element_names[e], name, length) == 0)
			return e;
	return HD_ELEMENT_UNKNOWN;
}

hd_object *hd_object_new(void) { return hd_xcalloc(1, sizeof(hd_object)); }

void hd_object_free(hd_object *object)
{
	if (!object)
		return;
	for (size_t i = 0; i < object->kernels.n; i++) {
		hd_kernel *kernel = &object->kernels.at[i];
		for (size_t p = 0; p < kernel->params.n; p++) {
			free(kernel->params.at[p].name);
			free(kernel->params.at[p].source_type);
		}
		hd_vec_free(&kernel->params);
		free(kernel->name);
		free(kernel->source_name);
	}
	for (size_t i = 0; i < object->functions.n; i++)
		free(object->functions.at[i].name);
	for (size_t i = 0; i < object->variables.n; i++)
		free(object->variables.at[i].name);
	for (size_t i = 0; i < object->files.n; i++)
		free(object->files.at[i]);
	hd_vec_free(&object->code);
	hd_vec_free(&object->kernels);
	hd_vec_free(&object->functions);
	hd_vec_free(&object->targets);
	hd_vec_free(&object->orders);
	hd_vec_free(&object->hint_table);
	hd_vec_free(&object->literals);
	hd_vec_free(&object->data);
	hd_vec_free(&object->relocs);
	hd_vec_free(&object->variables);
	hd_vec_free(&object->files);
	hd_vec_free(&object->lines);
	free(object->config);
	free(object->machine);
	free(object);
}

uint64_t hd_object_machine_hash(const hd_object *object) { return object->machine ? hd_hash(HD_HASH, object->machine, strlen(object->machine)) : 0; }

const hd_kernel *hd_object_kernel(const hd_object *object, const char *name)
{
	for (size_t i = 0; i < object->kernels.n; i++) {
		if (!name || strcmp(object->kernels.at[i].name, name) == 0)
			return &object->kernels.at[i];
	}
	return NULL;
}

bool hd_object_line(const hd_object *object, uint32_t word, const char **file, uint32_t *line, uint32_t *column)
{
	const hd_line *best = NULL;
	size_t lo = 0, hi = object->lines.n;
	while (lo < hi) {
		size_t middle = (lo + hi) / 2;
		if (object->lines.at[middle].word <= word) {
			best = &object->lines.at[middle];
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	if (!best || best->line == 0 || best->file >= object->files.n)
		return false;
	*file = object->files.at[best->file];
	*line = best->line;
	*column = best->column;
	return true;
}

const hd_function *hd_object_function(const hd_object *object, uint32_t word)
{
	size_t lo = 0, hi = object->functions.n; /* `hi` is one above the last function that begins at or before the word */
	while (lo < hi) {
		size_t middle = (lo + hi) / 2;
		if (object->functions.at[middle].begin <= word)
			lo = middle + 1;
		else
			hi = middle;
	}
	/* An empty function may begin where another function does. */
	for (; lo > 0 && object->functions.at[lo - 1].begin <= word; lo--) {
		if (word < object->functions.at[lo - 1].end)
			return &object->functions.at[lo - 1];
		if (object->functions.at[lo - 1].begin < object->functions.at[lo - 1].end)
			break;
	}
	return NULL;
}

bool hd_kernel_is_block(const char *name)
{
	static const char middle[] = "_block_invoke", end[] = "_kernel";
	const char *at = NULL;
	for (const char *next = strncmp(name, "__", 2) == 0 ? name : NULL; next && (next = strstr(next, middle)); next++)
		at = next;
	if (!at)
		return false;
	at += sizeof middle - 1;
	if (at[0] == '_' && at[1] >= '0' && at[1] <= '9')
		at += 1 + strspn(at + 1, "0123456789");
	return strcmp(at, end) == 0;
}

char *hd_kernel_signature(const hd_kernel *kernel)
{
	hd_text text = {0};
	const char *name = hd_kernel_name(kernel);
	size_t n = strlen(name);
	bool known = n && name[n - 1] != ')'; /* overloads have it in their names */
	for (size_t i = 0; i < kernel->params.n; i++)
		known &= kernel->params.at[i].source_type != NULL;
	hd_text_printf(&text, "%s%s", name, known ? "(" : "");
	for (size_t i = 0; known && i < kernel->params.n; i++)
		hd_text_printf(&text, "%s%s", i ? ", " : "", kernel->params.at[i].source_type);
	hd_text_printf(&text, "%s", known ? ")" : "");
	return text.at;
}

hd_kernel hd_kernel_copy(const hd_kernel *kernel)
{
	hd_kernel copy = *kernel;
	copy.name = kernel->name ? hd_xstrdup(kernel->name) : NULL;
	copy.source_name = kernel->source_name ? hd_xstrdup(kernel->source_name) : NULL;
	copy.params.at = NULL;
	copy.params.n = copy.params.cap = 0;
	for (size_t i = 0; i < kernel->params.n; i++) {
		hd_param p = kernel->params.at[i];
		p.name = hd_xstrdup(p.name ? p.name : "");
		p.source_type = p.source_type ? hd_xstrdup(p.source_type) : NULL;
		hd_vec_push(&copy.params, p);
	}
	return copy;
}

uint32_t hd_function_first(const hd_object *object, const hd_function *function)
{
	uint32_t word = function->begin;
	while (word < function->end && !hd_object_begins(object, word))
		word++;
	return word;
}

static unsigned short_hint(const hd_object *object, unsigned number)
{
	return object->hint_table.n == HD_SHORT_HINTS ? object->hint_table.at[number] : number ? HD_HINT_DELAY << 4 | number : HD_HINT_DEFAULT << 4;
}

unsigned hd_object_short_hint(const hd_object *object, unsigned byte)
{
	unsigned number = 0;
	while (number < HD_SHORT_HINTS && short_hint(object, number) != byte)
		number++;
	return number;
}

static bool is_short(const hd_object *object, uint32_t word)
{
	return hd_is_compact(object->geometry) && hd_line_length(object->geometry, object->code.at, word) == 1;
}

unsigned hd_object_hint(const hd_object *object, uint32_t word)
{
	unsigned entry = hd_line_hint(object->geometry, object->code.at, word);
	return is_short(object, word) ? short_hint(object, entry) : entry;
}

bool hd_object_put_hint(hd_object *object, uint32_t word, unsigned bytes)
{
	unsigned entry = is_short(object, word) ? hd_object_short_hint(object, bytes) : bytes;
	if (is_short(object, word) && entry == HD_SHORT_HINTS)
		return false;
	hd_line_put_hint(object->geometry, object->code.at, word, entry);
	return true;
}

bool hd_function_is_kernel(const hd_object *object, const hd_function *function)
{
	for (size_t i = 0; i < object->kernels.n; i++)
		if (object->kernels.at[i].entry >= function->begin && object->kernels.at[i].entry < function->end)
			return true;
	return false;
}

static bool is_listed(const hd_object *object, uint32_t word)
{
	size_t lo = 0, hi = object->targets.n;
	while (lo < hi) {
		size_t middle = (lo + hi) / 2;
		if (object->targets.at[middle] == word)
			return true;
		if (object->targets.at[middle] < word)
			lo = middle + 1;
		else
			hi = middle;
	}
	return false;
}

bool hd_object_indirect_target(const hd_object *object, uint32_t from, uint32_t to, bool call)
{
	if (!is_listed(object, to))
		return false;
	const hd_function *function = hd_object_function(object, to);
	if (!call)
		return function == hd_object_function(object, from);
	return function && hd_function_first(object, function) == to && !hd_function_is_kernel(object, function);
}
