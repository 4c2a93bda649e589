#include "report/json_string.h"

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

json_t *hd_json_timed(bool functional, json_t *value)
{
	if (functional)
		json_decref(value);
	return functional ? json_null() : value;
}

json_t *hd_json_counter(bool functional, const char *group, const char *name, uint64_t value)
{
	static const char *const of_slots[] = {"cycles", "issue_slots", "slots_used"};
	bool timed = strcmp(group, "stall") == 0;
	for (unsigned i = 0; i < HD_COUNT(of_slots) && strcmp(group, "run") == 0; i++)
		timed |= strcmp(name, of_slots[i]) == 0;
	return hd_json_timed(functional && timed, json_integer((json_int_t)value));
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

static int put(const char *bytes, size_t n, void *context)
{
	hd_text_put(context, bytes, n);
	return 0;
}

void hd_json_dump(const json_t *value, size_t flags, hd_text *out)
{
	/* json_dumps of jansson 2.14 loses characters of keys when its own buffer cannot grow. */
	if (json_dump_callback(value, put, out, flags) != 0)
		hd_out_of_memory(0);
	hd_text_put(out, "\n", 1);
}
