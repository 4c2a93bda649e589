/* LU-1: integer division and remainder are exact (docs/compiler.md). */
#include "expand_rig.h"

static uint64_t random_integer(uint64_t *seed, unsigned bits)
{
	uint64_t r = hd_random(seed), width = hd_random(seed) % bits + 1, kind = hd_random(seed) % 4;
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, value = r & mask;
	if (kind == 0)
		value = mask + 1 - r % 3; /* around a power of two */
	if (kind == 1)
		value = 0 - (r & mask); /* small negatives */
	return bits == 64 ? value : (uint32_t)value;
}

static uint64_t integer_result(unsigned op, uint64_t a, uint64_t b)
{
	int32_t sa = (int32_t)(uint32_t)a, sb = (int32_t)(uint32_t)b;
	int64_t la = (int64_t)a, lb = (int64_t)b;
	switch (op) {
	case HD_IR_UDIV:
		return b ? (uint32_t)a / (uint32_t)b : UINT32_MAX;
	case HD_IR_UREM:
		return b ? (uint32_t)a % (uint32_t)b : (uint32_t)a;
	case HD_IR_SDIV:
		return (uint32_t)(sb == -1 ? (int32_t)(0u - (uint32_t)sa) : sa / sb);
	case HD_IR_SREM:
		return (uint32_t)(sb == -1 ? 0 : sa % sb);
	case HD_IR_UDIV64:
		return b ? a / b : UINT64_MAX;
	case HD_IR_UREM64:
		return b ? a % b : a;
	case HD_IR_SDIV64:
		return lb == -1 ? 0 - a : (uint64_t)(la / lb);
	default:
		return lb == -1 ? 0 : (uint64_t)(la % lb);
	}
}

TEST(test_LU_1_integer_division)
{
	for (unsigned op = HD_IR_UDIV; op <= HD_IR_SREM64; op++) {
		unsigned words = op >= HD_IR_UDIV64 ? 2 : 1;
		bool with_sign = op == HD_IR_SDIV || op == HD_IR_SREM || op == HD_IR_SDIV64 || op == HD_IR_SREM64;
		uint64_t seed = op;
		program p = build(op, 0, words, 2);
		for (unsigned round = 0; round < 8000; round++) {
			for (unsigned i = 0; i < HD_LANES; i++) {
				uint64_t b = random_integer(&seed, 32 * words), a = random_integer(&seed, 32 * words);
				if (round % 4 == 1) /* around a multiple: where corrections decide */
					a = b * random_integer(&seed, 16) - hd_random(&seed) % 3 + 1;
				set(&p, 0, i, words == 2 ? a : (uint32_t)a);
				set(&p, 1, i, b == 0 && with_sign ? 1 : b);
			}
			run(&p);
			for (unsigned i = 0; i < HD_LANES; i++) {
				uint64_t a = get(&p, 0, i, words), b = get(&p, 1, i, words), got = get(&p, 2, i, words),
				         want = integer_result(op, a, b);
				if (got != want)
					fail_msg("%s of %llx, %llx: %llx, expected %llx", hd_ir_info(op)->mnemonic, (unsigned long long)a,
					         (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
			}
		}
		release(&p);
	}
}
