/* Memory of the host whose address is its device address, too: shared virtual memory of OpenCL, managed and pinned memory of CUDA. */
#ifndef HR_MAPPED_H
#define HR_MAPPED_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory above HD_SHARED_BASE, in whole pages, or NULL. *hint is 0 before the first call and changes with each: where nothing is in the way,
 * addresses, and with them simulated times, are the same in each run. The caller guards the hint. */
void *hr_map(uint64_t *hint, size_t size);
void hr_unmap(void *bytes, size_t size);

#endif
