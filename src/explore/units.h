/* What the units of the cores hold in each traced cycle, as blocks of a page (docs/explorer.md). */
#ifndef HD_EXPLORE_UNITS_H
#define HD_EXPLORE_UNITS_H

#include "config/machine.h"
#include "explore/block.h"
#include "launch/trace.h"

typedef struct hd_units hd_units;

/* Blocks go to `blocks`, which outlives the units, as machine and program do. */
hd_units *hd_units_new(hd_blocks *blocks, const hd_machine *machine, const hd_program *program);
/* Each event of the run. `detailed`: the page shows its cycle and its warp in detail. */
void hd_units_event(hd_units *units, const hd_trace_event *event, bool detailed);
/* Writes the rest and frees the units. */
void hd_units_end(hd_units *units);

#endif
