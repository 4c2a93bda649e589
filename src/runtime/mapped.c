/* Mappings at the same addresses in each run. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "runtime/mapped.h"

#include "launch/launch.h"

#include <sys/mman.h>

/* The kernel of the host puts a mapping at this address or, if something is there, elsewhere above HD_SHARED_BASE. */
#define FIRST_HINT (HD_SHARED_BASE + (UINT64_C(1) << 40))
enum { PAGE = 4096 };

static size_t mapped(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

void *hr_map(uint64_t *hint, size_t size)
{
	uint64_t at = FIRST_HINT + *hint;
	*hint += mapped(size) + PAGE;
	void *bytes = mmap((void *)(uintptr_t)at, mapped(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return bytes == MAP_FAILED ? NULL : bytes;
}

void hr_unmap(void *bytes, size_t size) { munmap(bytes, mapped(size)); }
