/* The path of the file from which this driver was loaded. Only this unit of the driver needs more than POSIX. */
#define _GNU_SOURCE
#include "opencl/driver.h"

#include <dlfcn.h>

const char *hc_driver_file(void)
{
	Dl_info info;
	return dladdr(&hc_platform, &info) ? info.dli_fname : NULL;
}
