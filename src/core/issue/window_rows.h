/* Dependences inside a candidate window (MI-5). They are computed once, when the program is loaded: one word for each instruction and kind of
 * dependence, with bit j for the instruction j + 1 places before. In each cycle the hardware shifts the set of unsent instructions and compares.
 *
 * The comparison covers the registers and predicates that two instructions of one warp read and write, the fence counters that they raise and wait
 * for, and their pipes. It does not cover instructions in flight. */
#ifndef HD_CORE_WINDOW_ROWS_H
#define HD_CORE_WINDOW_ROWS_H

#include "core/code.h"

/* Dependences of one static instruction on the 31 before it (MI-5). */
typedef struct hd_window_row {
	uint32_t after;  /* instructions that must have been sent, or are sent in this cycle (MI-6) */
	uint32_t behind; /* instructions that must have been sent in an earlier cycle: they use the same pipe, or wait for the counter that this
	                    instruction raises */
	uint32_t next;   /* as in hd_static */
	uint32_t alone;  /* address of the first instruction, this one or a later one, that is sent alone (MI-9) */
	/* Bit i: this instruction lets the instruction i places later be sent before it (before), or in the same cycle (with). */
	uint32_t before, with;
} hd_window_row;

/* A row for every address of `code`. */
hd_window_row *hd_window_rows(const hd_code *code, const hd_machine *machine);
/* True for instructions that are sent alone, when everything before them has been sent (MI-9). */
static inline bool hd_is_sent_alone(const hd_static *row)
{
	return row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP || row->kind == HD_KIND_BAD;
}
/* The bit of the fence counter that the instruction raises; 0 = none. */
static inline uint32_t hd_own_counter(const hd_static *row) { return row->primary ? 1u << (row->primary - 1) : 0; }

#endif
