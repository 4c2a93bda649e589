/* How evenly the pipelines are used over time (MI-16). */
#ifndef HD_EVENNESS_H
#define HD_EVENNESS_H

#include "config/machine.h"
#include "launch/launch.h"

/* The fairness index of Jain, Chiu and Hawe (DEC-TR-301, 1984) over spans of HD_ENTRY_SPAN cycles in which a core held a warp. Let x(p, t) be the
 * cycles for which the entry of pipe p is taken in span t, and N the number of spans of all schedulers. The figure is
 *
 *     sum over p of (sum over t of x(p, t))^2 / N   divided by   sum over p and t of x(p, t)^2.
 *
 * It is 1 if each pipe is used the same in every span, and k / N if all use falls evenly into k spans. 0 for a run in which nothing entered a pipe.
 */
double hd_evenness(const hd_machine *machine, const hd_stats *stats);

#endif
