/* Constant cache of a core (PD-21): lines of the launch's constant bank and of constant variables, filled from the second level. It holds tags only;
 * values live in the bank and in hd_memory, and nobody writes them during the launch. Shared by the load/store unit, whose constant loads serve one
 * address a cycle (lanes at one address are one access), and the decoder, which keeps an instruction back until its constant operand is there. */
#ifndef HD_CONSTANT_H
#define HD_CONSTANT_H

#include "memory/memory.h"

typedef struct hd_constants hd_constants;

/* NULL when the machine has none (memory.constant_bytes = 0). */
hd_constants *hd_constants_new(const hd_machine *machine, hd_l2 *l2);
void hd_constants_free(hd_constants *constants);
/* The line of `address` is wanted in cycle `now`: the cycle from which it is there, `now` for a hit; asked of the second level on a miss. */
uint64_t hd_constants_line(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);
/* The same for a decoder that asks again each cycle until the line is there: a hit counts when it is, a miss when it was asked for. */
uint64_t hd_constants_operand(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);

/* Place of a bank's byte in the address space of the caches. */
static inline uint64_t hd_constants_bank(const hd_bank *bank, uint64_t offset)
{
	return (UINT64_C(1) << 58) + (uint64_t)bank->id * HD_BANK_MAX + offset;
}

#endif
