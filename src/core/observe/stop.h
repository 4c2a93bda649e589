/* The end of a run at a fault, and the place of the fault. */
#ifndef HD_CORE_STOP_H
#define HD_CORE_STOP_H

#include "core/state.h"

/* Stops the run and fills in the place. `text` (may be NULL) becomes the trap's text. The first trap of a cycle counts. */
void hd_core_stop(hd_core *core, uint64_t now, hd_trap_kind kind, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, char *text);
void hd_core_fill_place(const hd_core *core, uint64_t now, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, hd_trap *trap);
/* Appends the word, function and source line of an instruction. */
void hd_core_print_place(const hd_core *core, uint32_t pc, hd_text *text);
/* diagnosis.c: a line for each place at which lanes of the warp wait. */
void hd_core_print_waiting(const hd_core *core, const hd_warp_flow *flow, hd_text *text);

#endif
