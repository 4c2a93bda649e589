/* Converts kernel arguments to the bytes of the parameter bank and checks them against the kernel's parameters. */
#ifndef HD_API_ARGUMENTS_H
#define HD_API_ARGUMENTS_H

#include "base/base.h"
#include "heddle/heddle.h"
#include "object/object.h"

/* Fills `bytes` (kernel->param_bytes bytes). Local arguments follow the static shared memory, one after the other, each aligned to 16 bytes.
 * *dynamic_shared receives the number of bytes that they need. On failure it returns false and adds an error for each wrong argument to diag. */
bool hd_arguments_bind(const hd_kernel *kernel, const heddle_arg *args, uint32_t n_args, uint8_t *bytes, uint32_t *dynamic_shared, hd_diag *diag);

#endif
