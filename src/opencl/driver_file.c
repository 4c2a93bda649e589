/* Path of the file that this driver was loaded from. The only unit of the driver that needs more than POSIX. */
#define _GNU_SOURCE
#include "opencl/driver.h"

#include <dlfcn.h>

const char *hc_driver_file(void)
{
	Dl_info info;
	return dladdr(&hc_platform, &info) ? info.dli_fname : NULL;
}
