/* Machines on which random programs are compiled, proven and run. */
#ifndef HD_STRESS_MACHINES_H
#define HD_STRESS_MACHINES_H

#include "config/machine.h"

typedef struct stress_machine {
	const char *name;
	const char *settings[12]; /* KEY=VALUE, to NULL */
	bool serial;              /* the program is compiled in serial mode */
	bool narrow;              /* some pipes take less than 32 lanes in a cycle */
} stress_machine;

extern const stress_machine stress_machines[];
extern const unsigned stress_machine_count;

/* False, and a message, if a setting is none. */
bool stress_machine_load(const stress_machine *description, hd_machine *machine, hd_diag *diag);
/* Any latencies, counters, queues, carrier and issue width. `single`: with a window of 1, else one of 2 to 8; `narrow`: some pipes take 4, 8 or 16
 * lanes a cycle. *settings: as options of the command. */
void stress_machine_random(uint64_t seed, bool single, bool narrow, hd_machine *machine, hd_text *settings);

#endif
