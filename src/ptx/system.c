/* Functions that CUDA's compilers leave to the device: vprintf, malloc, free, __assertfail. lib/heddle_system.cu has them, as PTX that Heddle's build
 * makes of it. A program that declares one of them gets that text, and the name becomes another one of ours (`.alias`). */
#include "ptx/parser.h"

static const char text[] =
#define SYSTEM(name, ptx) ptx
#include "ptx/system_text.h"
#undef SYSTEM
    ;

static ptx_func *function_of(ptx_module *module, const char *name)
{
	const ptx_symbol *symbol = ptx_intern(module, name, strlen(name))->symbol;
	return symbol && symbol->kind == PTX_SYM_FUNC ? (ptx_func *)symbol : NULL;
}

void ptx_add_system(ptx_module *module, hd_diag *diag)
{
	static const char *const names[][2] = {
	    {"vprintf", "__heddle_vprintf"}, {"malloc", "__heddle_malloc"}, {"free", "__heddle_free"}, {"__assertfail", "__heddle_assertfail"}};
	bool parsed = false;
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		ptx_func *func = function_of(module, names[i][0]);
		if (!func || func->defined || func->alias)
			continue;
		if (!parsed)
			ptx_parse(module, text, sizeof text - 1, diag);
		parsed = true;
		func->alias = function_of(module, names[i][1]);
	}
}
