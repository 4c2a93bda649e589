/* YAML as far as a machine description needs it: mappings of mappings of scalars, read from libyaml's events so that every complaint has its
 * line and column. Sequences, aliases, tags, several documents and duplicate keys are refused. */
#ifndef HD_CONFIG_YAML_H
#define HD_CONFIG_YAML_H

#include "base/base.h"

/* Called in the order of the file, for a scalar with its value, and for a mapping that begins with value NULL. `path` is dotted
 * ("latency.alu.interval"). Reports what it does not like to diag itself; false leaves out the rest of that mapping. */
typedef bool hd_yaml_fn(void *context, const char *path, const char *value, hd_pos key, hd_pos at, hd_diag *diag);

/* False when anything was wrong. Hostile text is safe: depth, path length and the number of keys are bounded. */
bool hd_yaml_read(const char *text, size_t size, const char *file, hd_yaml_fn *fn, void *context, hd_diag *diag);

#endif
