/* LLVM's text of a module, as clang prints it: functions, and the metadata of OpenCL's kernels. */
#ifndef HD_FRONT_MODULE_TEXT_H
#define HD_FRONT_MODULE_TEXT_H

#include "base/base.h"

typedef struct hd_module_text {
	const char *text, *metadata; /* all of it; where its first metadata node may begin */
} hd_module_text;

hd_module_text hd_module_text_of(const char *text);
/* The next line that defines a function: the first one with `line` NULL. NULL when there is none. */
const char *hd_module_text_define(const hd_module_text *module, const char *line);
/* The symbol that a `define` line defines; the caller frees. */
char *hd_module_text_symbol(const char *line);
/* The metadata node that `key` ("!kernel_arg_type") names in the line, at its opening brace; NULL if the line has no such key. */
const char *hd_module_text_node(const hd_module_text *module, const char *line, const char *key);
/* Item `index` of a node of strings, "" past its end; the caller frees. `list` may be NULL. */
char *hd_module_text_string(const char *list, size_t index);
/* Item `index` of a node of `i32 N`; false past the end. `list` may be NULL. */
bool hd_module_text_number(const char *list, size_t index, unsigned *number);

#endif
