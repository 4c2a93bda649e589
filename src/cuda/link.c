/* The linker of the driver interface. Its image has the texts of PTX one after the other, which the PTX reader takes for units that it links. */
#include "cuda/state.h"

struct CUlinkState_st {
	hr_object object;
	hd_text text;
	HD_VEC(int) options;
	HD_VEC(void *) first; /* their values at the beginning: each call writes into the program's */
	void **values;        /* the program's, which it keeps until the end */
};

static void destroy(void *object)
{
	hu_link *link = object;
	hd_text_free(&link->text);
	hd_vec_free(&link->options);
	hd_vec_free(&link->first);
}

hu_link *hu_link_new(unsigned n, const int *options, void **values)
{
	hu_link *link = hr_new(NULL, HU_LINK_KIND, sizeof *link, destroy);
	for (unsigned i = 0; i < n; i++) {
		hd_vec_push(&link->options, options[i]);
		hd_vec_push(&link->first, values[i]);
	}
	link->values = values;
	return link;
}

unsigned hu_link_options(const hu_link *link, const int **options, void *const **first, void ***values)
{
	*options = link->options.at;
	*first = link->first.at;
	*values = link->values;
	return (unsigned)link->options.n;
}

bool hu_link_is(const void *link) { return hr_is(link, HU_LINK_KIND); }
bool hu_link_free(hu_link *link) { return hr_release(link, HU_LINK_KIND); }

cudaError_t hu_link_add(hu_link *link, const void *image, size_t size, char **log)
{
	char *text;
	cudaError_t error = hu_image_text(image, size, &text, log);
	if (error == cudaSuccess)
		hd_text_printf(&link->text, "%s\n", text);
	free(text);
	return error;
}

cudaError_t hu_link_end(hu_link *link, char **log, void **image, size_t *size)
{
	hu_module *module = NULL;
	if (!link->text.n)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_module_load(link->text.at, link->text.n, false, log, &module);
	if (error != cudaSuccess)
		return error;
	hu_module_free(module);
	*image = link->text.at;
	*size = link->text.n + 1;
	return cudaSuccess;
}
