/* The ceilings of a machine, measured: micro-kernels are compiled for it and run on it. */
#ifndef HD_CEILINGS_H
#define HD_CEILINGS_H

#include "config/machine.h"
#include "report/roofline.h"

/* Each micro-kernel runs twice, with different amounts of work; the ceiling is the difference of the work by that of the cycles, so what begins and
 * ends a run does not count. Levels of memory are read, written, and both, and the best of them counts. It takes some seconds of the host on large
 * machines. False and an error in `diag` if the machine cannot run them. */
bool hd_ceilings_measure(const hd_machine *machine, hd_ceilings *ceilings, hd_diag *diag);

#endif
