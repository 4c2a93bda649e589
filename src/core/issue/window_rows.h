/* Dependences inside a candidate window (MI-5), worked out once, when the program is loaded: one word an instruction and kind of dependence, bit j
 * for the instruction j + 1 places before. A cycle shifts what is not sent along and compares.
 *
 * What is compared: the registers and predicates that two instructions of one warp read and write, the fence counters that they raise and wait for,
 * and their pipes. Instructions in flight are compared with nothing. */
#ifndef HD_CORE_WINDOW_ROWS_H
#define HD_CORE_WINDOW_ROWS_H

#include "core/code.h"

/* What a window needs to know of one static instruction: its dependences on the 31 before it (MI-5). */
typedef struct hd_window_row {
	uint32_t after;  /* they were sent, or are sent in this cycle (MI-6) */
	uint32_t behind; /* they were sent in an earlier cycle: same pipe; waiting for the counter that this one raises */
	uint32_t next;   /* as in hd_static */
	uint32_t alone;  /* address of the first one from here on that is sent alone (MI-9) */
	/* Bit i: the instruction i places behind may be sent, as far as this one is concerned, before it, or in the cycle in which it is. */
	uint32_t before, with;
} hd_window_row;

/* A row for every address of `code`. */
hd_window_row *hd_window_rows(const hd_code *code, const hd_machine *machine);
/* Sent alone, when everything before has been sent (MI-9). */
static inline bool hd_is_sent_alone(const hd_static *row)
{
	return row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP || row->kind == HD_KIND_BAD;
}

#endif
