/* Heddle reads no JSON. It writes names from outside into JSON, such as those of kernels and files: any text gives JSON that a parser takes, and
 * ASCII text comes back unchanged. */
#include "fuzz.h"

#include "base/base.h"
#include "report/json_string.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = hd_xmalloc(size + 1);
	bool ascii = true;
	memcpy(text, bytes, size);
	text[size] = '\0';
	for (const char *at = text; *at; at++)
		ascii = ascii && (unsigned char)*at < 0x80;
	json_t *object = json_object();
	json_object_set_new(object, "name", hd_json_string(text));
	char *written = json_dumps(object, 0);
	hd_invariant(written, "a name that cannot be written");
	json_error_t error;
	json_t *again = json_loads(written, 0, &error);
	hd_invariant(again, "what was written is no JSON: %s", error.text);
	const char *back = json_string_value(json_object_get(again, "name"));
	hd_invariant(back && (!ascii || strcmp(back, text) == 0), "the name has changed");
	json_decref(again);
	json_decref(object);
	free(written);
	free(text);
	return 0;
}
