#include "families.h"

#include "machines.h"

#define O(id) (1u << TINY_##id)

enum {
	ALU = O(XOR) | O(IMUL),
	MEMORY = O(LDS) | O(LDG) | O(STS) | O(ATOMS),
	ALL = ALU | O(I2F) | O(SEL) | O(ISETP) | MEMORY,
	SOME = O(XOR) | O(I2F) | O(ISETP) | O(LDS) | O(STS) | O(ATOMS),
	FEW = O(XOR) | O(I2F) | O(LDS) | O(STS),
};

#define EACH(ops)                            \
	{                                    \
		ops, ops, ops, ops, ops, ops \
	}
#define OPS(...)            \
	{                   \
		__VA_ARGS__ \
	}

const family families[] = {
#define FAMILY(name, what, length, ops, must, guards, shared, hints, machines, flags, sequences, programs, full) \
	{name, what, length, ops, must, guards, shared, hints, machines, flags, {sequences, programs}, full},
#include "families.def"
#undef FAMILY
};
const unsigned n_families = HD_COUNT(families);
