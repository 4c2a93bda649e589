/* The heat of a run as JSON: the object `heat` of a report (docs/reports.md, "The annotated listing"). */
#ifndef HD_HEAT_JSON_H
#define HD_HEAT_JSON_H

#include "report/heat.h"

#include <jansson.h>

/* The counts of one row. `slots` and `cycles` are those of the run. The caller owns the object. */
json_t *hd_heat_counts_json(const hd_profile_row *row, uint64_t slots, uint64_t cycles);
/* The heat's profile must not be NULL. The caller owns the object. */
json_t *hd_heat_json(const hd_heat *heat);

#endif
