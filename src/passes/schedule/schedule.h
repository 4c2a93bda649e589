#ifndef HD_SCHEDULE_H
#define HD_SCHEDULE_H

#include "passes/pass.h"

/* List scheduling inside blocks. Cycle by cycle, the ready instruction with the longest critical path to the end of the block comes next. A
 * pipe that takes an instruction only every few cycles is busy in between, so
 * instructions of other pipes come into the gaps, unless it reads from forwarding paths. Before allocation, while more words are live than cost no
 * occupancy, the instruction that lowers register pressure most comes next instead. After allocation, where it costs no cycle, one that reads from
 * forwarding paths does (forwarding.h). Requires: no branch is an instruction. */
bool hd_pass_schedule(hd_ir_module *module, const hd_pass_context *context);

#endif
