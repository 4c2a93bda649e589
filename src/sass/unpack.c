/* Compressed entries of fat binaries. */
#include "sass/cubin.h"

#include <limits.h>
#include <lz4.h>
#include <zstd.h>

bool hd_sass_unpack(hd_sass_packing packing, const uint8_t *from, size_t n, uint8_t *to, size_t size)
{
	if (n > INT_MAX || size > INT_MAX)
		return false;
	if (packing == HD_SASS_PACKING_LZ4)
		return LZ4_decompress_safe((const char *)from, (char *)to, (int)n, (int)size) == (int)size;
	size_t got = ZSTD_decompress(to, size, from, n);
	return !ZSTD_isError(got) && got == size;
}
