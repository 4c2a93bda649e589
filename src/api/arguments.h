/* Converts kernel arguments to the bytes of the parameter bank, checked against the kernel's parameters. */
#ifndef HD_API_ARGUMENTS_H
#define HD_API_ARGUMENTS_H

#include "base/base.h"
#include "heddle/heddle.h"
#include "object/object.h"

/* Fills `bytes` (kernel->param_bytes of them). Local arguments lie one after the other behind the static shared memory, each aligned to 16;
 * *dynamic_shared receives the number of bytes that they need. False and one error for each wrong argument in diag otherwise. */
bool hd_arguments_bind(const hd_kernel *kernel, const heddle_arg *args, uint32_t n_args, uint8_t *bytes, uint32_t *dynamic_shared, hd_diag *diag);

#endif
