/* One core: schedulers with their warps, queues and pipelines, and the units that they share: instruction cache, load/store unit, shared memory. */
#ifndef HD_CORE_H
#define HD_CORE_H

#include "core/observe/diagnosis.h"
#include "core/residency/ctas.h"

/* `l15` is the second instruction cache of the core's cluster. */
hd_core *hd_core_new(const hd_context *context, uint32_t number, hd_core_size size, hd_icache *l15);
void hd_core_free(hd_core *core);

/* Simulates one cycle. In a window of time the tick can stop before it is complete (hd_requests.stops); the next call for the cycle goes on
 * where it stopped. It also accounts for the cycles since the last call, in which nothing could happen. False: trap. */
bool hd_core_tick(hd_core *core, uint64_t now);
/* With memory.slices: takes the answers that the core knows from cycle `now` on, before the tick of that cycle. Sets the core's signal. */
void hd_core_answers(hd_core *core, uint64_t now);
/* With memory.slices: a line of instructions that a core of the cluster has asked for is there in cycle `there`, which is to come. */
void hd_core_line(hd_core *core, uint64_t number, uint64_t there);
/* Before cycle `end`, with which a window is over: memory instructions whose requests are priced are done when the answers say, and what the window
 * held back goes on. Sets the core's signal. */
void hd_core_answer(hd_core *core, uint64_t end);
/* Where the core leaves its packets; NULL without hd_context.packets. */
hd_outbox *hd_core_outbox(hd_core *core);
/* Adds the skipped cycles before `now` to the statistics, and the core's own counts to those of the context. Call it at the end of a run, or between
 * two cycles, where `now` is the next cycle. */
void hd_core_finish(hd_core *core, uint64_t now);

#endif
