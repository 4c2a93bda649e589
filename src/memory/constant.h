/* The constant cache of a core (PD-21). It holds lines of the launch's constant bank and of constant variables, and the second level fills it. It
 * holds tags only. Values are in the bank and in hd_memory, and nothing writes them during the launch. The load/store unit and the decoder share the
 * cache. Constant loads are served one address a cycle (lanes with one address are one access). The decoder holds an instruction until its constant
 * operand is present.
 *
 * It is the uniform first cache of a core (PD-37): uniform loads of read-only data (`ldu` of PTX) are constant loads, too. With fetch.l15_constants
 * the L1.5 cache of the cluster stands behind it, before the second level. */
#ifndef HD_CONSTANT_H
#define HD_CONSTANT_H

#include "memory/icache.h"
#include "memory/memory.h"

typedef struct hd_constants hd_constants;

/* NULL when the machine has none (memory.constant_bytes = 0). */
hd_constants *hd_constants_new(const hd_machine *machine, hd_l2 *l2);
/* Puts an L1.5 cache, whose lines have `line_bytes` bytes and come after `latency` cycles, between the cache and the second level (PD-37). The L1.5
 * belongs to the caller. `constants` may be NULL. */
void hd_constants_behind(hd_constants *constants, hd_icache *l15, uint32_t line_bytes, uint32_t latency);
void hd_constants_free(hd_constants *constants);
/* Looks up the line of `address` in cycle `now`. Requests it from the second level on a miss. Returns the cycle from which the line is present, which
 * is `now` for a hit. */
uint64_t hd_constants_line(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);
/* The same for a decoder, which repeats the look-up each cycle until the line is present. It counts a miss when it requests the line, and a hit when
 * the line is present. */
uint64_t hd_constants_operand(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);

/* The same for a unit that refuses an instruction until the line is present (PD-26). It counts a miss, and no hit. */
uint64_t hd_constants_request(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);

/* The address of a byte of a bank in the address space of the caches. */
static inline uint64_t hd_constants_bank(const hd_bank *bank, uint64_t offset)
{
	return (UINT64_C(1) << 58) + (uint64_t)bank->id * HD_BANK_MAX + offset;
}

#endif
