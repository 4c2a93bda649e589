/* The part of YAML that a machine description needs: mappings of mappings of scalars. It is read from libyaml's events, so every error has its line
 * and column. Sequences, aliases, tags, several documents and duplicate keys are errors. */
#ifndef HD_CONFIG_YAML_H
#define HD_CONFIG_YAML_H

#include "base/base.h"

/* The reader calls it in the order of the file: for a scalar with its value, and at the beginning of a mapping with value NULL. `path` is dotted
 * ("latency.alu.interval"). The callback adds its own errors to diag. False skips the rest of that mapping. */
typedef bool hd_yaml_fn(void *context, const char *path, const char *value, hd_pos key, hd_pos at, hd_diag *diag);

/* False when there was any error. Safe for untrusted text: depth, path length and the number of keys are bounded. */
bool hd_yaml_read(const char *text, size_t size, const char *file, hd_yaml_fn *fn, void *context, hd_diag *diag);
/* The same for a study: a value may also be a sequence of scalars, each of which is passed on with the path of its key, and keys may contain dots and
 * asterisks. */
bool hd_yaml_read_lists(const char *text, size_t size, const char *file, hd_yaml_fn *fn, void *context, hd_diag *diag);

#endif
