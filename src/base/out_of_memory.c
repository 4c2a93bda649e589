/* A file of its own: the linker takes it from the static library only if the program has no definition of its own. */
#include "base/base.h"

void hd_out_of_memory(size_t bytes)
{
	fprintf(stderr,
	        bytes ? "heddle: error: the host is out of memory (%zu bytes were asked for)\n" : "heddle: error: the host is out of memory\n",
	        bytes);
	abort();
}
