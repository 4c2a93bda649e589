/* The five mechanisms as switches. The preset of a mechanism defines it: its keys are those that the preset changes of the baseline. There is no
 * second list. */
#ifndef HD_MECHANISMS_H
#define HD_MECHANISMS_H

#include "config/machine.h"

enum { HD_MECHANISMS = 5 };
/* Names of the presets that add one mechanism each to the baseline: "fence", "predecode", "minrc", "multi-issue", "last-use". */
extern const char *const hd_mechanism_names[HD_MECHANISMS];

/* Gives the keys of a mechanism the values of its preset, or (off) those of the baseline. */
void hd_mechanism_switch(hd_machine *machine, unsigned mechanism, bool on);
/* The baseline with the mechanisms in `set` (bit 0: the first), named "baseline+fence+..." */
void hd_mechanism_subset(hd_machine *machine, unsigned set);

/* A preset's name followed by any number of +MECHANISM or -MECHANISM: "baseline+fence+minrc", "heddle-last-use". For any other text it returns
 * false and changes nothing. */
bool hd_mechanism_compose(hd_machine *machine, const char *name);

#endif
