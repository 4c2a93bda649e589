/* The axes of a plan as they are read: keys with asterisks, ranges, settings; and the points of a list. */
#ifndef HD_STUDY_AXES_H
#define HD_STUDY_AXES_H

#include "study/plan.h"

/* Adds a value, or the values of a range, to an axis; the axis is made if it is new. False and errors in diag. */
bool hd_axes_add(hd_plan *plan, const char *name, const char *value, hd_pos key, hd_pos at, hd_diag *diag);
/* Adds a point of a list: words AXIS=VALUE. */
bool hd_axes_point(hd_plan *plan, const char *words, hd_pos at, hd_diag *diag);
/* NULL: there is no axis of this name. */
hd_axis *hd_axes_find(hd_plan *plan, const char *name);
/* Gives the plan its axis `machine`, which is the first one. */
void hd_axes_begin(hd_plan *plan);

#endif
