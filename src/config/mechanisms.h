/* The five mechanisms as switches. The preset of a mechanism defines it: the keys of the mechanism are those that the preset changes in the baseline.
 * There is no second list. */
#ifndef HD_MECHANISMS_H
#define HD_MECHANISMS_H

#include "config/machine.h"

enum { HD_MECHANISMS = 5 };
/* The names of the presets that add one mechanism each to the baseline: "fence", "predecode", "minrc", "multi-issue", "last-use". */
extern const char *const hd_mechanism_names[HD_MECHANISMS];

/* Sets the keys of a mechanism to the values of its preset (on) or of the baseline (off). */
void hd_mechanism_switch(hd_machine *machine, unsigned mechanism, bool on);
/* Makes the baseline with the mechanisms in `set` (bit 0: the first), named "baseline+fence+..." */
void hd_mechanism_subset(hd_machine *machine, unsigned set);

/* Makes a preset with mechanisms added and removed. The name is a preset's name followed by any number of +MECHANISM or -MECHANISM:
 * "baseline+fence+minrc", "heddle-last-use". For any other text it returns false and changes nothing. */
bool hd_mechanism_compose(hd_machine *machine, const char *name);

#endif
