/* Parts of JSON documents. jansson reports a lack of memory by its results; these functions end the process then (hd_out_of_memory), so that no
 * document lacks a part. */
#ifndef HD_REPORT_JSON_STRING_H
#define HD_REPORT_JSON_STRING_H

#include "base/base.h"

#include <jansson.h>

/* Returns a new reference. JSON is UTF-8: if `text` is not, each byte above 0x7f becomes a question mark. */
json_t *hd_json_string(const char *text);
/* A counter of stats.def. Null: a functional run has no cycles and no issue slots to count. */
json_t *hd_json_counter(bool functional, const char *group, const char *name, uint64_t value);
/* A figure of time; null for a functional run. */
json_t *hd_json_timed(bool functional, json_t *value);
/* Give away their reference to `value`. */
void hd_json_set(json_t *object, const char *key, json_t *value);
void hd_json_append(json_t *array, json_t *value);
/* Appends the document and the end of its last line. */
void hd_json_dump(const json_t *value, size_t flags, hd_text *out);

#endif
