/* Hint registers (PD-25): with predecode.carrier: register, each warp has two special registers for pre-decode data. The instruction `hints` writes
 * one of them with the bytes of four instructions further on. The scheduler reads them when an instruction becomes the warp's next, and again when
 * the instruction issues. An instruction for which no register holds a byte in that cycle has the hint `default`.
 *
 * `hints` takes the register that was written longer ago. From its issue on that register holds nothing, until it is written,
 * hd_machine_hints_written cycles later (docs/timing.md, "Hint registers"). */
#ifndef HD_CORE_HINT_REGISTERS_H
#define HD_CORE_HINT_REGISTERS_H

#include "core/code.h"

enum { HD_HINT_REGISTERS = 2, HD_HINTS_OF_REGISTER = 4 };

typedef struct hd_hint_register {
	uint64_t from;  /* first cycle in which it can be read */
	uint32_t first; /* number of the first of its four instructions (hd_instruction_number) */
	uint32_t bytes; /* one for each instruction, low byte first */
	bool used;      /* `hints` has taken it */
} hd_hint_register;

/* The registers of the warps of a scheduler. */
typedef struct hd_hint_registers {
	hd_hint_register of[HD_WARP_SLOTS][HD_HINT_REGISTERS]; /* the one that was taken last comes first */
} hd_hint_registers;

/* The registers of a warp that begins are empty. */
void hd_hints_clear(hd_hint_registers *registers, unsigned warp);
/* `hints` issues: takes a register for the four instructions from number `first` on. It can be read from cycle `from` on. */
void hd_hints_write(hd_hint_registers *registers, unsigned warp, uint32_t first, uint32_t bytes, uint64_t from);
/* The byte that a register holds in cycle `now` for the instruction `number`; of two, the one that was taken last. False: none. */
bool hd_hints_find(const hd_hint_registers *registers, unsigned warp, uint32_t number, uint64_t now, unsigned *byte);

#endif
