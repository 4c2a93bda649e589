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
