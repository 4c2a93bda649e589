/* Images of modules in memory of the program, whose size nobody has said: what they are, and the text of PTX in them. */
#define _DEFAULT_SOURCE /* mincore */
#include "cuda/state.h"

#include "cuda/fatbin.h"

#include <sys/mman.h>
#include <unistd.h>

enum { FATBIN_HEADER = 16, IMAGE_MAX = 1 << 30 };

/* How many of the bytes there are memory of the program, so that a damaged size or a text without an end is an error and not the program's end. */
static size_t mapped(const void *at, size_t most)
{
	enum { STEP = 256 };
	unsigned char in_core[STEP];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0, before = (uintptr_t)at % page;
	while (n < most + before) {
		size_t pages = (most + before - n + page - 1) / page;
		pages = pages < STEP ? pages : STEP;
		if (pages > 1 && mincore((void *)((uintptr_t)at - before + n), pages * page, in_core) != 0)
			pages = 1; /* how far it goes, page by page */
		if (pages == 1 && mincore((void *)((uintptr_t)at - before + n), page, in_core) != 0)
			break;
		n += pages * page;
	}
	n = n > before ? n - before : 0;
	return n < most ? n : most;
}

static uint32_t word(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }

static char *copy_of(const char *text, size_t n)
{
	char *copy = hd_xcalloc(n + 1, 1);
	memcpy(copy, text, n);
	return copy;
}

static cudaError_t refuse(hd_diag *diag, cudaError_t error, const char *why)
{
	hd_error(diag, (hd_pos){.file = "image"}, "%s", why);
	return error;
}

static cudaError_t of_fatbin(const uint8_t *bytes, size_t size, char **text, hd_diag *diag)
{
	hu_fatbin fatbin;
	size_t whole = size == SIZE_MAX ? mapped(bytes, IMAGE_MAX) : size;
	bool good = hu_fatbin_read(&fatbin, bytes, whole, "image", diag);
	const hu_ptx *best = good ? hu_fatbin_choose(&fatbin, HU_MAJOR * 10 + HU_MINOR) : NULL;
	if (best)
		*text = copy_of(best->text.at ? best->text.at : "", best->text.n);
	hu_fatbin_free(&fatbin);
	if (!good)
		return cudaErrorInvalidKernelImage;
	return best
	           ? cudaSuccess
	           : refuse(diag, cudaErrorNoKernelImageForDevice, "the fat binary has machine code of another device and no PTX, build it with PTX");
}

static cudaError_t of_text(const char *bytes, size_t size, char **text, hd_diag *diag)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	if (size != SIZE_MAX) {
		n = strnlen(bytes, size);
	} else {
		for (size_t room = mapped(bytes, page - (uintptr_t)bytes % page); n < IMAGE_MAX; room += mapped(bytes + n, page)) {
			n += strnlen(bytes + n, room - n);
			if (n < room)
				break;
			if (!mapped(bytes + n, page))
				return refuse(diag, cudaErrorInvalidKernelImage, "the text has no zero at its end");
		}
	}
	if (!n)
		return refuse(diag, cudaErrorInvalidKernelImage, "the text is empty");
	*text = copy_of(bytes, n);
	return cudaSuccess;
}

/* Reads no further than the bytes are equal: a short text may lie there. */
static bool begins(const uint8_t *bytes, size_t known, const char *with)
{
	size_t i = 0;
	while (i < 4 && i < known && bytes[i] == (uint8_t)with[i])
		i++;
	return i == 4;
}

static cudaError_t text_of(const uint8_t *bytes, size_t size, char **text, hd_diag *diag)
{
	size_t known = size < FATBIN_HEADER ? size : mapped(bytes, FATBIN_HEADER);
	if (known >= FATBIN_HEADER && begins(bytes, known, "\xb1\x43\x62\x46")) {
		uint64_t inner = word(bytes + 8) | (uint64_t)word(bytes + 12) << 32;
		bytes = (const uint8_t *)(uintptr_t)inner;
		size = SIZE_MAX;
		known = bytes ? mapped(bytes, FATBIN_HEADER) : 0;
	}
	if (!known)
		return refuse(diag, cudaErrorInvalidKernelImage, "there is no image at this address");
	if (begins(bytes, known, "\x50\xed\x55\xba"))
		return of_fatbin(bytes, size, text, diag);
	if (begins(bytes, known, "\177ELF"))
		return refuse(diag, cudaErrorNoKernelImageForDevice, "the image is machine code of another device, this one takes PTX");
	return of_text((const char *)bytes, size, text, diag);
}

cudaError_t hu_image_text(const void *image, size_t size, char **text, char **log)
{
	hd_diag diag = {0};
	*text = NULL;
	cudaError_t error = text_of(image, size, text, &diag);
	*log = diag.text.n ? copy_of(diag.text.at, diag.text.n) : NULL;
	hd_diag_free(&diag);
	return error;
}
