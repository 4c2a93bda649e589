/* The energy of a run by unit, computed from the counters after the run. Each event costs some picojoules (section `energy` of the machine
 * description). The sums are in femtojoules, so they are exact and the same on every host. energy.def says which unit counts which events. */
#ifndef HD_ENERGY_H
#define HD_ENERGY_H

#include "config/machine.h"
#include "launch/launch.h"

typedef enum hd_energy_unit {
#define UNIT(name, group, doc) HD_ENERGY_##name,
#include "report/energy.def"
	HD_ENERGY_UNITS
} hd_energy_unit;

/* Groups of units, for charts and shares. */
typedef enum hd_energy_group {
#define GROUP(name, doc) HD_ENERGY_GROUP_##name,
#include "report/energy.def"
	HD_ENERGY_GROUPS
} hd_energy_group;

extern const char *const hd_energy_names[HD_ENERGY_UNITS], *const hd_energy_docs[HD_ENERGY_UNITS];
extern const char *const hd_energy_group_docs[HD_ENERGY_GROUPS];
extern const hd_energy_group hd_energy_group_of[HD_ENERGY_UNITS];

typedef struct hd_energy {
	uint64_t fj[HD_ENERGY_UNITS];
} hd_energy;

/* The energy of `count` events of `price` fJ in a unit. Units of the group `registers` have the factor energy.register_file_scale, in percent. */
uint64_t hd_energy_price(const hd_machine *machine, hd_energy_unit unit, uint64_t price, uint64_t count);
/* All zero for a functional run, which has no cycles. */
hd_energy hd_energy_of(const hd_machine *machine, const hd_stats *stats);
/* Sum over the units. */
uint64_t hd_energy_total(const hd_energy *energy);
uint64_t hd_energy_of_group(const hd_energy *energy, hd_energy_group group);
/* The dynamic energy of the register file: reads and writes, forwarding and compensation registers. */
uint64_t hd_energy_registers(const hd_energy *energy);

/* Energy over time. Step i is the energy of cycles i * interval + 1 to (i + 1) * interval. The last step ends with the run. The steps of a unit sum
 * to its energy in the run. A register write counts in the step in which the write controller settles it, which may be a few cycles late. */
typedef struct hd_energy_series {
	const hd_machine *machine;
	uint64_t interval; /* cycles; machine->energy_interval */
	uint64_t cycles;   /* cycle in which the last step ends */
	size_t most;       /* largest number of steps; a further step merges every two steps into one and doubles the interval; 0 = no limit */
	hd_energy so_far;  /* sum of the steps */
	HD_VEC(hd_energy) steps;
} hd_energy_series;

/* Makes an empty series for a run on `machine`, which must outlive it. With energy.interval = 0 there are no steps, or with most > 0 at most `most`
 * steps for a picture. */
void hd_energy_series_begin(hd_energy_series *series, const hd_machine *machine, size_t most);
/* A hd_run_options.sample. `context` is the series, `stats` the counters after `cycle`. The caller also calls it at the end of the run with the final
 * counters, which makes the last step. It does nothing when no cycle has passed since the previous step. */
void hd_energy_series_sample(void *context, uint64_t cycle, const hd_stats *stats);
void hd_energy_series_free(hd_energy_series *series);

#endif
