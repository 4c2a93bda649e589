/* The five mechanisms as switches. What a mechanism is, in keys, is what its preset changes of the baseline: there is no second list. */
#ifndef HD_MECHANISMS_H
#define HD_MECHANISMS_H

#include "config/machine.h"

enum { HD_MECHANISMS = 5 };
/* Names of the presets that add one each to the baseline: "fence", "predecode", "minrc", "multi-issue", "last-use". */
extern const char *const hd_mechanism_names[HD_MECHANISMS];

/* Gives the mechanism's keys the values of its preset, or (off) those of the baseline. */
void hd_mechanism_switch(hd_machine *machine, unsigned mechanism, bool on);
/* The baseline with the mechanisms in `set` (bit 0: the first); called "baseline+fence+..." */
void hd_mechanism_subset(hd_machine *machine, unsigned set);

/* A preset's name followed by +MECHANISM or -MECHANISM, any number of them: "baseline+fence+minrc", "heddle-last-use". False and nothing
 * changed if it is not of that form. */
bool hd_mechanism_compose(hd_machine *machine, const char *name);

#endif
