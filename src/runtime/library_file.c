/* The path of the file from which this library was loaded. Only this unit needs more than POSIX. */
#define _GNU_SOURCE
#include "runtime/library_file.h"

#include "runtime/setting.h"

#include <dlfcn.h>

const char *hr_library_file(void)
{
	Dl_info info;
	return dladdr(&hr_device, &info) ? info.dli_fname : NULL;
}
