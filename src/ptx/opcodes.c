/* Opcode -> handler. */
#include "ptx/lower.h"

static const ptx_opcode opcodes[] = {
#define X(name, handler, least, most) {name, ptx_do_##handler, least, most},
    PTX_OPCODES(X)
#undef X
};

const ptx_opcode *ptx_find_opcode(const char *name)
{
	size_t low = 0, high = HD_COUNT(opcodes);
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(name, opcodes[middle].name);
		if (order == 0)
			return &opcodes[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
