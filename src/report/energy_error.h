/* The uncertainty of the energy of a run. energy.def gives every price a standard uncertainty, in percent, and the cause of its error.
 *
 * How they combine: prices of one cause come from the same source or the same calibration, so their errors are taken to be the same (fully
 * correlated) and add up. Errors of different causes are taken to be independent, so their squares add up. With the energy E(p) of the events of
 * price p in a set of units, and its uncertainty u(p):
 *
 *     error(set) = sqrt(sum over causes c of (sum over prices p of c of u(p) x E(p))^2)
 *
 * This is one standard deviation. It is relative to the prices in use: a price that is changed with --set keeps its percentage. The prices of
 * registers, lanes and instructions were calibrated together against the energy of whole instructions, which is better known than its parts, so the
 * error of a sum over them is rather too large than too small. */
#ifndef HD_ENERGY_ERROR_H
#define HD_ENERGY_ERROR_H

#include "report/energy.h"

typedef enum hd_energy_cause {
#define CAUSE(name, doc) HD_ENERGY_CAUSE_##name,
#include "report/energy.def"
	HD_ENERGY_CAUSES
} hd_energy_cause;

/* The rise of each unit's energy when the prices of a cause rise by their uncertainty, in femtojoules. */
typedef struct hd_energy_error {
	double fj[HD_ENERGY_UNITS][HD_ENERGY_CAUSES];
} hd_energy_error;

/* A set of units. */
typedef uint64_t hd_energy_set;
hd_energy_set hd_energy_set_of(hd_energy_unit unit);
hd_energy_set hd_energy_set_of_group(hd_energy_group group);
hd_energy_set hd_energy_set_of_all(void);

/* All zero for a functional run. */
hd_energy_error hd_energy_error_of(const hd_machine *machine, const hd_stats *stats);
/* The error of the sum over a set of units, in femtojoules, rounded. */
uint64_t hd_energy_error_sum(const hd_energy_error *error, hd_energy_set set);
/* The error of the ratio a / b of the energies of two runs, each with its error. Both runs have the same errors of prices, so much of them cancels
 * out: the ratio of a run to itself has no error. 0 when an energy is 0. */
double hd_energy_error_ratio(uint64_t a, const hd_energy_error *error_a, uint64_t b, const hd_energy_error *error_b);

/* The table's row of a key of section `energy`, by its name there: percent and cause. False if there is none. */
bool hd_energy_price_of(const char *key, unsigned *percent, hd_energy_cause *cause);
extern const char *const hd_energy_cause_names[HD_ENERGY_CAUSES], *const hd_energy_cause_docs[HD_ENERGY_CAUSES];

#endif
