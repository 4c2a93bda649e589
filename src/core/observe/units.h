/* The state of a core's units in each cycle, for launch/units.h. A core without a watcher has no part of this in its cycle: a watched core replaces
 * the functions of its issue and queue stages by those of this unit, which call the original ones, and subscribes to events. */
#ifndef HD_CORE_UNITS_H
#define HD_CORE_UNITS_H

#include "core/observe/observers.h"
#include "launch/units.h"

/* Begins to watch a new core, whose functions and schedulers are set. */
void hd_units_attach(hd_core *core, hd_unit_watch *watch);

#endif
