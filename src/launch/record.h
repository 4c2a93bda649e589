/* A recorder of units: who learns what goes into and out of the units of one scheduler in each cycle of a timed run (HW-4). rtl/run.py replays it on
 * the hardware description. record.def lists the events. The machine calls `event` when a recorder is set, and does nothing otherwise. A recorder
 * never changes what the machine does.
 *
 * A run with a recorder examines everything in every cycle (hd_run_options.tick_every_cycle), so that no cycle of a unit is missing. */
#ifndef HD_RECORD_H
#define HD_RECORD_H

#include "base/base.h"

typedef enum hd_record_kind {
#define HD_RECORD(name, values, text) HD_RECORD_##name,
#include "launch/record.def"
	HD_RECORD_COUNT,
} hd_record_kind;

enum { HD_RECORD_VALUES_MAX = 64 };

typedef struct hd_recorder {
	uint32_t core, scheduler; /* whose units are recorded */
	/* `values` are n values in the order of the row in record.def. */
	void (*event)(struct hd_recorder *recorder, hd_record_kind kind, const uint64_t *values, unsigned n);
} hd_recorder;

#endif
