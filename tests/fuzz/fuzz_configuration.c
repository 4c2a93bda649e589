/* Any text as a machine description: valid, or a message. A valid one reads back from its own print. */
#include "fuzz.h"

#include "config/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_machine machine, again;
	bool ok = hd_machine_read(&machine, (const char *)bytes, size, "fuzz.yaml", &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	if (ok) {
		hd_text text = {0};
		hd_machine_print(&machine, &text);
		hd_invariant(hd_machine_read(&again, text.at, text.n, "again.yaml", &diag), "%s", diag.text.at);
		hd_invariant(memcmp(&machine, &again, sizeof machine) == 0, "printing changed the machine");
		hd_text_free(&text);
	}
	hd_diag_free(&diag);
	return 0;
}
