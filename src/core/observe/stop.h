/* The end of a run at a fault, and the place of the fault. */
#ifndef HD_CORE_STOP_H
#define HD_CORE_STOP_H

#include "core/state.h"

typedef struct hd_stop {
	hd_trap_kind kind;
	unsigned scheduler, warp;
	uint32_t pc;
	unsigned lane;
	char *text; /* becomes the trap's; may be NULL */
} hd_stop;

/* Stops the run and fills in the place. The first trap of a cycle counts. */
void hd_core_stop(hd_core *core, uint64_t now, const hd_stop *stop);
void hd_core_fill_place(const hd_core *core, uint64_t now, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, hd_trap *trap);
/* Appends the word, function and source line of an instruction. */
void hd_core_print_place(const hd_core *core, uint32_t pc, hd_text *text);
/* diagnosis.c: a line for each place at which lanes of the warp wait. */
void hd_core_print_waiting(const hd_core *core, const hd_warp_flow *flow, hd_text *text);

#endif
