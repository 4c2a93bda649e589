/* Energy of a run, by unit, from what it counted: picojoule an event (section `energy` of the machine description), in femtojoule so that sums
 * are exact and the same everywhere. Nothing is computed while the machine runs. energy.def says which unit counts what. */
#ifndef HD_ENERGY_H
#define HD_ENERGY_H

#include "config/machine.h"
#include "launch/launch.h"

typedef enum hd_energy_unit {
#define UNIT(name, doc) HD_ENERGY_##name,
#define EVENT(...)
#include "report/energy.def"
#undef UNIT
#undef EVENT
	HD_ENERGY_UNITS
} hd_energy_unit;

extern const char *const hd_energy_names[HD_ENERGY_UNITS], *const hd_energy_docs[HD_ENERGY_UNITS];

typedef struct hd_energy {
	uint64_t fj[HD_ENERGY_UNITS];
} hd_energy;

/* All zero for a functional run, which has no cycles. */
hd_energy hd_energy_of(const hd_machine *machine, const hd_stats *stats);
/* Sum over the units. */
uint64_t hd_energy_total(const hd_energy *energy);
/* Reads and writes of the register file, forwarding and compensation registers: its dynamic energy. */
uint64_t hd_energy_registers(const hd_energy *energy);

/* Energy over time. Step i is what was spent in cycles i * interval + 1 to (i + 1) * interval; the last step ends with the run. The steps of a unit
 * sum to its energy in the run. A register write counts in the step in which the write controller settles it, which may be a few cycles late. */
typedef struct hd_energy_series {
	const hd_machine *machine;
	uint64_t interval; /* cycles; machine->energy_interval */
	uint64_t cycles;   /* in which the last step ends */
	size_t most;       /* steps; when there would be more, two become one and the interval doubles. 0 = no limit */
	hd_energy so_far;  /* sum of the steps */
	HD_VEC(hd_energy) steps;
} hd_energy_series;

/* Empty, for a run on `machine`, which outlives it. With energy.interval = 0 there are no steps, or (most > 0) at most `most`, for a picture. */
void hd_energy_series_begin(hd_energy_series *series, const hd_machine *machine, size_t most);
/* A hd_run_options.sample: `context` is the series; `stats` the counters as they are after `cycle`. Also to be called with those of the whole run at
 * its end, for the last step; does nothing when no cycle has passed since the step before. */
void hd_energy_series_sample(void *context, uint64_t cycle, const hd_stats *stats);
void hd_energy_series_free(hd_energy_series *series);

#endif
