/* Kernels of a program and their parameters (heddle/heddle.h). */
#include "api/state.h"
#include "base/source_name.h"

unsigned heddle_kernel_count(const heddle *h) { return h->object ? (unsigned)h->object->kernels.n : 0; }

static void describe_kernel(const hd_kernel *from, heddle_kernel *to)
{
	*to = (heddle_kernel){.name = from->name,
	                      .source_name = hd_kernel_name(from),
	                      .registers = from->registers,
	                      .shared_bytes = from->shared_bytes,
	                      .local_bytes = from->local_bytes,
	                      .n_params = (uint32_t)from->params.n};
}

bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel)
{
	if (index >= heddle_kernel_count(h))
		return false;
	describe_kernel(&h->object->kernels.at[index], kernel);
	return true;
}

/* Kernels for which a name in the source stands: those whose name it is, otherwise those whose name it leaves parts out of. The last one in *found.
 */
static unsigned count_source_names(const hd_object *object, const char *name, hd_name_match least, const hd_kernel **found)
{
	unsigned n = 0;
	for (size_t i = 0; i < object->kernels.n; i++) {
		const hd_kernel *k = &object->kernels.at[i];
		char *full = hd_kernel_signature(k);
		if (hd_source_name_match(name, full) >= least) {
			*found = k;
			n++;
		}
		free(full);
	}
	return n;
}

/* The kernel of a symbol, or of a name in the source; with NULL the first one. *n is the number of kernels that have the name. */
static const hd_kernel *kernel_of(const hd_object *object, const char *name, unsigned *n)
{
	const hd_kernel *kernel = hd_object_kernel(object, name);
	*n = kernel != NULL;
	if (!kernel && name && !(*n = count_source_names(object, name, HD_NAME_WHOLE, &kernel)))
		*n = count_source_names(object, name, HD_NAME_PART, &kernel);
	return *n == 1 ? kernel : NULL;
}

/* "NAME, NAME" of the kernels for which `name` stands; NULL: of all. */
static void put_kernels(const hd_object *object, const char *name, hd_text *out)
{
	enum { SHOWN = 20 };
	unsigned n = 0;
	for (size_t i = 0; i < object->kernels.n; i++) {
		char *full = hd_kernel_signature(&object->kernels.at[i]);
		if ((!name || hd_source_name_match(name, full)) && n++ < SHOWN)
			hd_text_printf(out, "%s%s", n > 1 ? ", " : "", hd_kernel_name(&object->kernels.at[i]));
		free(full);
	}
	if (n > SHOWN)
		hd_text_printf(out, " and %u more", n - SHOWN);
}

const hd_kernel *hd_api_kernel(heddle *h, const char *name)
{
	if (!hd_api_has_program(h))
		return NULL;
	unsigned n;
	const hd_kernel *kernel = kernel_of(h->object, name, &n);
	if (!h->object->kernels.n) {
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel");
	} else if (n > 1) {
		hd_text names = {0};
		put_kernels(h->object, name, &names);
		hd_error(&h->diag, (hd_pos){0}, "the program has %u kernels '%s', expected one of %s", n, name, names.at);
		hd_text_free(&names);
	} else if (!kernel) {
		hd_suggestion suggestion = {.word = name};
		hd_text names = {0};
		hd_arena arena = {0};
		put_kernels(h->object, NULL, &names);
		for (size_t i = 0; i < h->object->kernels.n; i++)
			hd_source_name_suggest(&suggestion, hd_kernel_name(&h->object->kernels.at[i]), &arena);
		char *hint = hd_suggestion_text(&suggestion);
		hd_error(&h->diag, (hd_pos){0}, "the program has no kernel '%s'%s expected one of %s", name, *hint ? hint : ",", names.at);
		free(hint);
		hd_arena_free(&arena);
		hd_text_free(&names);
	}
	return kernel;
}

bool hd_api_find_kernel(heddle *h, const char **name)
{
	const hd_kernel *kernel = hd_api_kernel(h, *name);
	if (kernel && *name)
		*name = kernel->name;
	return kernel != NULL;
}

bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel)
{
	const hd_kernel *found = hd_api_kernel(h, name);
	if (found)
		describe_kernel(found, kernel);
	return found != NULL;
}

bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param)
{
	unsigned n;
	const hd_kernel *found = h->object ? kernel_of(h->object, kernel, &n) : NULL;
	if (!found || index >= found->params.n)
		return false;
	const hd_param *from = &found->params.at[index];
	*param = (heddle_param){.name = from->name,
	                        .size = from->size,
	                        .pointer = from->pointer,
	                        .local = from->pointer && from->space == HD_SPACE_SHARED,
	                        .type = from->source_type,
	                        .element = from->element ? hd_element_names[from->element] : NULL};
	return true;
}
