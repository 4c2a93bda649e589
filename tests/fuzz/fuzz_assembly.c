/* Any text as assembly: an object, or a message. asm(disasm(asm(x))) is asm(x). */
#include "fuzz.h"

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	char *text = hd_xmalloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	hd_object *object = hd_assemble(text, size, "fuzz.hasm", &diag);
	hd_invariant((object == NULL) == (diag.errors > 0), "an object and %u errors", diag.errors);
	if (object) {
		hd_text once = {0}, twice = {0};
		hd_disassemble(object, &once);
		hd_object *again = hd_assemble(once.at, once.n, "again.hasm", &diag);
		hd_invariant(again, "what was disassembled cannot be assembled: %s", diag.text.at);
		hd_disassemble(again, &twice);
		hd_invariant(once.n == twice.n && memcmp(once.at, twice.at, once.n) == 0, "assembling changed the program");
		hd_object_free(again);
		hd_object_free(object);
		hd_text_free(&once);
		hd_text_free(&twice);
	}
	free(text);
	hd_diag_free(&diag);
	return 0;
}
