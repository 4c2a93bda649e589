/* Any bytes as SPIR-V: refused with a message, or read; every specialization constant of small numbers is then set. The same bytes as LLVM's text of
 * a module: what comes out is a text. */
#include "fuzz.h"

#include "front/retarget.h"
#include "front/spirv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_spirv module;
	bool ok = hd_spirv_read(&module, bytes, size, (hd_pos){.file = "fuzz.spv"}, &diag);
	hd_invariant(ok == (diag.errors == 0), "a result and %u errors", diag.errors);
	for (uint32_t id = 0; ok && id < 16; id++) {
		const uint8_t value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
		size_t constant = hd_spirv_constant_size(&module, id);
		hd_invariant(constant <= sizeof value, "a constant of %zu bytes", constant);
		hd_spirv_specialize(&module, id, value);
		hd_invariant(hd_spirv_constant_size(&module, id) == constant, "another size than %zu", constant);
	}
	hd_spirv_free(&module);
	hd_diag_free(&diag);
	char *text = hd_xmalloc(size + 1); /* clang's output ends in NUL */
	memcpy(text, bytes, size);
	text[size] = '\0';
	char *unit = hd_retarget(text);
	hd_invariant(strlen(unit) <= 64 * size + 64, "%zu bytes become %zu", size, strlen(unit));
	free(unit);
	free(text);
	return 0;
}
