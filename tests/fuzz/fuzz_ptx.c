/* Any text as PTX: read, or refused with a message. A small module that is read must compile to a valid object, or be refused, too. Large modules are
 * only read: a compilation takes a hundred times as long as the reader, and the target `chain` compiles them. */
#include "fuzz.h"

#include "passes/passes.h"
#include "ptx/ptx.h"

enum { SMALL = 64 }; /* instructions */

static size_t instructions(const hd_ir_module *module)
{
	size_t n = 0;
	for (size_t f = 0; f < module->functions.n; f++)
		for (size_t b = 0; b < module->functions.at[f]->blocks.n; b++)
			n += module->functions.at[f]->blocks.at[b]->insts.n;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	char *text = hd_xmalloc(size + 1); /* a file's text ends in NUL, as hd_read_file gives it */
	memcpy(text, bytes, size);
	text[size] = '\0';
	hd_ir_module *module = hd_ptx_read(text, size, "fuzz.ptx", &diag);
	hd_invariant((module == NULL) == (diag.errors > 0), "a result and %u errors", diag.errors);
	if (module && instructions(module) <= SMALL) {
		hd_compile_options options = {.machine = &machine};
		hd_object *object = hd_compile_module(module, &options, &diag);
		hd_invariant((object == NULL) == (diag.errors > 0), "an object and %u errors: %s", diag.errors, diag.text.at ? diag.text.at : "");
		if (object) {
			hd_invariant(hd_object_validate(object, "fuzz.ptx", &diag), "not valid: %s", diag.text.at);
			hd_object_free(object);
		}
	}
	if (module)
		hd_ir_module_free(module);
	free(text);
	hd_diag_free(&diag);
	return 0;
}
