#include "object/object.h"

hd_object *hd_object_new(void) { return hd_xcalloc(1, sizeof(hd_object)); }

void hd_object_free(hd_object *object)
{
	if (!object)
		return;
	for (size_t i = 0; i < object->kernels.n; i++) {
		hd_kernel *kernel = &object->kernels.at[i];
		for (size_t p = 0; p < kernel->params.n; p++)
			free(kernel->params.at[p].name);
		hd_vec_free(&kernel->params);
		free(kernel->name);
	}
	for (size_t i = 0; i < object->functions.n; i++)
		free(object->functions.at[i].name);
	for (size_t i = 0; i < object->files.n; i++)
		free(object->files.at[i]);
	hd_vec_free(&object->code);
	hd_vec_free(&object->kernels);
	hd_vec_free(&object->functions);
	hd_vec_free(&object->targets);
	hd_vec_free(&object->literals);
	hd_vec_free(&object->data);
	hd_vec_free(&object->relocs);
	hd_vec_free(&object->files);
	hd_vec_free(&object->lines);
	free(object->config);
	free(object);
}

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
	for (size_t i = 0; i < object->functions.n; i++) {
		if (word >= object->functions.at[i].begin && word < object->functions.at[i].end)
			return &object->functions.at[i];
	}
	return NULL;
}
