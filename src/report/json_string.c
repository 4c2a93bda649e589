#include "report/json_string.h"

#include "base/base.h"

json_t *hd_json_string(const char *text)
{
	json_t *value = json_string(text);
	if (value)
		return value;
	char *copy = hd_xstrdup(text);
	for (char *at = copy; *at; at++) {
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	}
	value = json_string(copy);
	free(copy);
	return value;
}

void hd_json_set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		hd_out_of_memory(0);
}

void hd_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		hd_out_of_memory(0);
}

char *hd_json_dump(const json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);
	if (!text)
		hd_out_of_memory(0);
	return text;
}
