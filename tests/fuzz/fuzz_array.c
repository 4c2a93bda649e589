/* Any bytes as a .npy file: an array, or a message. */
#include "fuzz.h"

#include "api/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_npy array;
	bool ok = hd_npy_parse((const char *)bytes, size, "fuzz.npy", &array, &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	hd_npy_free(&array);
	hd_diag_free(&diag);
	return 0;
}
