/* Opcode -> handler. */
#include "ptx/lower.h"

static const ptx_opcode opcodes[] = {
#define X(name, handler, least, most) {name, ptx_do_##handler, least, most},
    PTX_OPCODES(X)
#undef X
};

/* Instructions for hardware that the machine does not have, in the words of a message. */
static const struct {
	const char *name, *what;
} absent[] = {
    {"clusterlaunchcontrol", "clusters of thread blocks"},
    {"cp", "asynchronous copies"},
    {"getctarank", "clusters of thread blocks"},
    {"istypep", "textures and surfaces"},
    {"ldmatrix", "tensor instructions"},
    {"mapa", "clusters of thread blocks"},
    {"mbarrier", "barriers in shared memory"},
    {"mma", "tensor instructions"},
    {"movmatrix", "tensor instructions"},
    {"multimem", "memory of several devices"},
    {"setmaxnreg", "registers that warps pass on to each other"},
    {"stmatrix", "tensor instructions"},
    {"suld", "surfaces"},
    {"suq", "surfaces"},
    {"sured", "surfaces"},
    {"sust", "surfaces"},
    {"tcgen05", "tensor instructions"},
    {"tensormap", "asynchronous copies of tensors"},
    {"tex", "textures"},
    {"tld4", "textures"},
    {"txq", "textures"},
    {"wgmma", "tensor instructions"},
    {"wmma", "tensor instructions"},
};

const char *ptx_absent(const char *name)
{
	for (size_t i = 0; i < HD_COUNT(absent); i++)
		if (strcmp(name, absent[i].name) == 0)
			return absent[i].what;
	return NULL;
}

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
