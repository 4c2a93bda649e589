/* Any text as the compiler's IR: a valid module, or a message. A module reads back from its own print. */
#include "fuzz.h"

#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	char *text = hd_xmalloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	hd_ir_module *module = hd_ir_parse(text, size, "fuzz.ir", &diag);
	hd_invariant((module == NULL) == (diag.errors > 0), "a module and %u errors", diag.errors);
	if (module) {
		hd_text once = {0}, twice = {0};
		hd_ir_print(module, &once);
		hd_ir_module *again = hd_ir_parse(once.at ? once.at : "", once.n, "again.ir", &diag);
		hd_invariant(again, "what was printed cannot be read: %s", diag.text.at);
		hd_ir_print(again, &twice);
		hd_invariant(once.n == twice.n && (!once.n || memcmp(once.at, twice.at, once.n) == 0), "printing changed the module");
		hd_ir_module_free(again);
		hd_ir_module_free(module);
		hd_text_free(&once);
		hd_text_free(&twice);
	}
	free(text);
	hd_diag_free(&diag);
	return 0;
}
