/* The constant cache of a core (PD-21). It holds lines of the launch's constant bank and of constant variables, and the second level fills it. It
 * holds tags only. Values are in the bank and in hd_memory, and nothing writes them during the launch. The load/store unit and the decoder share the
 * cache. Constant loads are served one address a cycle (lanes with one address are one access). The decoder holds an instruction until its constant
 * operand is present.
 *
 * It is the uniform first cache of a core (PD-37): uniform loads of read-only data (`ldu` of PTX) are constant loads, too. With fetch.l15_constants
 * the L1.5 cache of the cluster stands behind it, before the second level.
 *
 * A miss buffer keeps the lines that instructions wait for. It has entries for each warp slot of the core, its reader number. The line that a reader
 * waits for stays there until the instruction takes it, even when other readers have driven the line out of the cache in the meantime. So each
 * instruction makes progress with its own fill, however small the cache is. An entry serves its reader alone. */
#ifndef HD_CONSTANT_H
#define HD_CONSTANT_H

#include "memory/icache.h"
#include "memory/memory.h"

typedef struct hd_constants hd_constants;

/* `readers`: warp slots of the core. NULL when the machine has none (memory.constant_bytes = 0). */
hd_constants *hd_constants_new(const hd_machine *machine, hd_l2 *l2, uint32_t readers);
/* Puts an L1.5 cache, whose lines have `line_bytes` bytes and come after `latency` cycles, between the cache and the second level (PD-37). The L1.5
 * belongs to the caller. `constants` may be NULL. */
void hd_constants_behind(hd_constants *constants, hd_icache *l15, uint32_t line_bytes, uint32_t latency);
/* Requests for constant variables to the second level go through `mmu` (PD-38), which outlives the cache. `constants` may be NULL. */
void hd_constants_translate(hd_constants *constants, hd_mmu *mmu);
void hd_constants_free(hd_constants *constants);
/* Looks up the line of `address` in cycle `now`. Requests it from the second level on a miss. Returns the cycle from which the line is present, which
 * is `now` for a hit. */
uint64_t hd_constants_line(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);
/* The same for a decoder or an entry of a pipe, which repeats the look-up until the line is present. It counts a miss when it requests the line, and
 * a hit when the line is present. A line that is not present gets an entry of the reader in the miss buffer. The entry stays until hd_constants_take.
 */
uint64_t hd_constants_operand(hd_constants *constants, unsigned reader, uint64_t now, uint64_t address, hd_stats *stats);
/* The reader's instruction goes on and does not look up the line again: its entry in the miss buffer, if there is one, is free. */
void hd_constants_take(hd_constants *constants, unsigned reader, uint64_t address);
/* Another warp begins in the reader's slot. */
void hd_constants_forget(hd_constants *constants, unsigned reader);

/* The same for a unit that refuses an instruction until the line is present (PD-26). It counts a miss, and no hit. */
uint64_t hd_constants_request(hd_constants *constants, uint64_t now, uint64_t address, hd_stats *stats);

/* The address of a byte of a bank in the address space of the caches. */
static inline uint64_t hd_constants_bank(const hd_bank *bank, uint64_t offset)
{
	_Static_assert(HD_BANK_MAX <= 1 << 16, "banks do not overlap");
	return (UINT64_C(1) << 58) + ((uint64_t)bank->id << 16) + offset;
}

#endif
