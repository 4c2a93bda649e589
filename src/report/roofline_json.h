/* A roofline as JSON: the object `roofline` of a report (docs/reports.md, "Roofline"). */
#ifndef HD_ROOFLINE_JSON_H
#define HD_ROOFLINE_JSON_H

#include "report/roofline.h"

#include <jansson.h>

/* The caller owns the object. */
json_t *hd_roofline_json(const hd_ceilings *ceilings, const hd_roofline_point *point);

#endif
