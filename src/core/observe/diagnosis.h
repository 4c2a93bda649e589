/* What the warps of a core wait for, in words. */
#ifndef HD_CORE_DIAGNOSIS_H
#define HD_CORE_DIAGNOSIS_H

#include "core/context.h"

/* Appends lines of text about what each warp of a core with CTAs waits for. *trap receives the place of a waiting warp, if there is one. */
void hd_core_explain(const hd_core *core, uint64_t now, hd_trap *trap, hd_text *text);
/* Fills in the place of any warp, for a run that is stopped from outside. False when the core has no warp. */
bool hd_core_place(const hd_core *core, hd_trap *trap);

#endif
