/* Any text as the LLVM text form of a program, from which the OpenCL driver takes argument information and block sizes. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fuzz.h"

#include "opencl/driver.h"

#include <sys/mman.h>

enum { PAGE = 1 << 16, TEXT_MAX = 1 << 24 };

/* Memory that ends where no memory is, so that a read beyond the text fails without a sanitizer, too. */
static char *text_at_the_end(const uint8_t *bytes, size_t size)
{
	static char *end;
	if (!end) {
		char *begin = mmap(NULL, TEXT_MAX + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		hd_invariant(begin != MAP_FAILED && mprotect(begin + TEXT_MAX, PAGE, PROT_NONE) == 0, "no memory");
		end = begin + TEXT_MAX;
	}
	memcpy(end - size - 1, bytes, size);
	end[-1] = '\0';
	return end - size - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size >= TEXT_MAX)
		return 0;
	char *text = text_at_the_end(bytes, size), source[] = "";
	struct _cl_program program = {.source = source};
	hd_vec_push(&program.units, (hc_unit){.text = text});
	hc_argument_info(&program, "k");
	hc_argument_info_free(&program);
	hd_object *object = hd_object_new();
	hd_vec_push(&object->kernels, (hd_kernel){.name = hd_xstrdup("k")});
	hc_required_blocks(text, object);
	hd_object_free(object);
	hd_vec_free(&program.units);
	return 0;
}
