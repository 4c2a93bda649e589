/* Operands for tests of operations. */
#ifndef HD_TEST_OPERAND_H
#define HD_TEST_OPERAND_H

#include "base/base.h"

/* Operands that find mistakes: small numbers, ends of ranges, floats of every kind, and anything. */
static inline uint64_t any_operand(uint64_t *seed)
{
	static const uint64_t edges[] = {0,
	                                 1,
	                                 2,
	                                 3,
	                                 31,
	                                 32,
	                                 33,
	                                 63,
	                                 64,
	                                 65,
	                                 127,
	                                 128,
	                                 255,
	                                 256,
	                                 0x7f,
	                                 0x80,
	                                 0x7fff,
	                                 0x8000,
	                                 0xffff,
	                                 0x7fffffff,
	                                 0x80000000,
	                                 0xffffffff,
	                                 0x3f800000,
	                                 0xbf800000,
	                                 0x3f000000,
	                                 0x40490fdb,
	                                 0x7f800000,
	                                 0xff800000,
	                                 0x7fc00000,
	                                 0x7f800001,
	                                 0x00000001,
	                                 0x007fffff,
	                                 0x00800000,
	                                 0x807fffff,
	                                 0x7f7fffff,
	                                 0x4b800000,
	                                 0x4f000000,
	                                 0x4effffff,
	                                 0x5f000000,
	                                 0xcf000000,
	                                 0x47800000,
	                                 0x477fe000,
	                                 0x477ff000,
	                                 0x38800000,
	                                 0x33000000,
	                                 0x33000001,
	                                 0x3c00,
	                                 0x7bff,
	                                 0x7c00,
	                                 0x7e00,
	                                 0xfc00,
	                                 0x0400,
	                                 0x03ff,
	                                 0x8000,
	                                 0x7fffffffffffffff,
	                                 0x8000000000000000,
	                                 0xffffffffffffffff,
	                                 0x3ff0000000000000,
	                                 0xbff0000000000000,
	                                 0x3fe0000000000000,
	                                 0x4330000000000000,
	                                 0x43e0000000000000,
	                                 0xc3e0000000000000,
	                                 0x43f0000000000000,
	                                 0x41e0000000000000,
	                                 0x41dfffffffc00000,
	                                 0x7ff0000000000000,
	                                 0xfff0000000000000,
	                                 0x7ff8000000000000,
	                                 0x7ff0000000000001,
	                                 0x000fffffffffffff,
	                                 0x0010000000000000,
	                                 0x7fefffffffffffff,
	                                 0x47efffffe0000000,
	                                 0x47efffffefffffff,
	                                 0x47effffff0000000,
	                                 0x36a0000000000000,
	                                 0x3690000000000001,
	                                 0x380fffffe0000000,
	                                 0x00000000ffffffff,
	                                 0xffffffff00000000};
	uint64_t r = hd_random(seed), x = hd_random(seed);
	switch (r % 10) {
	case 0:
	case 1:
	case 2:
		return edges[x % HD_COUNT(edges)];
	case 3:
		return edges[x % HD_COUNT(edges)] ^ (uint64_t)1 << (x >> 32 & 63);
	case 4:
		return x >> (r >> 32 & 63);
	case 5:
		return (uint64_t)((int64_t)x >> (r >> 32 & 63));
	case 6: /* floats near one another */
		return (x & 0x807fffff) | (uint64_t)(120 + (r >> 32) % 40) << 23;
	case 7:
		return (x & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1000 + (r >> 32) % 100) << 52;
	default:
		return x;
	}
}

#endif
