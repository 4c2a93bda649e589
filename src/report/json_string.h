/* Converts text from outside, such as the name of a kernel or of a file, to a JSON string. */
#ifndef HD_REPORT_JSON_STRING_H
#define HD_REPORT_JSON_STRING_H

#include <jansson.h>

/* Returns a new reference. JSON is UTF-8: if `text` is not, each byte above 0x7f becomes a question mark. */
json_t *hd_json_string(const char *text);

#endif
