/* Names and types of kernels and their parameters as the source has them. PTX calls a parameter scale_param_0 and has no types of elements. */
#ifndef HD_FRONT_SOURCE_NAMES_H
#define HD_FRONT_SOURCE_NAMES_H

#include "ir/ir.h"

/* Gives the kernels and functions of `module` the names of the source, and the parameters of kernels their names and types, as far as they can be
 * known: from mangled names, and from `text`, what hd_front_compile put into hd_front_options.module_text (NULL: the source is PTX). What cannot be
 * known stays as it is. */
void hd_front_name_sources(hd_ir_module *module, const char *text);
/* The type that a pointer of this C type points to: "const float *" and "float4 *" to f32. HD_ELEMENT_UNKNOWN for a value, a structure, or a pointer
 * to pointers. */
hd_element hd_front_element(const char *type);

#endif
