/* The state of a core's units in each cycle, for launch/units.h. A core without a watcher has no part of this in its cycle: a watched core replaces
 * the functions of its issue and queue stages by those of this unit, which call the original ones, and the rest hangs on core->observed. */
#ifndef HD_CORE_UNITS_H
#define HD_CORE_UNITS_H

#include "core/state.h"
#include "launch/units.h"

/* Begins to watch a new core, whose functions and schedulers are set. */
void hd_units_attach(hd_core *core, hd_unit_watch *watch);
/* Frees core->view; nothing without a watcher. */
void hd_units_detach(hd_core *core);
/* Cycle `now` is over: fills in the state and calls the watcher, in the cycles that it watches. Returns the first later cycle that it wants to see,
 * UINT64_MAX = none. */
uint64_t hd_units_cycle(hd_core *core, uint64_t now);
/* Before the scheduler picks a warp, or loses a slot for want of one: notes who can be picked, and why the others cannot, once in a cycle. */
void hd_units_turn(hd_core *core, const hd_scheduler *s, uint64_t now);
/* An instruction has read its operands in this cycle. */
void hd_units_reading(hd_core *core, const hd_scheduler *s, const hd_reading *reading, const hd_slot *slot, const hd_sent *reader);
/* Words (a mask) are written to registers from first->reg on in cycle `now`. */
void hd_units_written(hd_core *core, unsigned scheduler, const hd_unit_write *first, unsigned words, uint64_t now);

#endif
