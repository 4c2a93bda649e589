/* Launches and pushes of running kernels at the memory stage (PD-19). */
#ifndef HD_CORE_SPAWN_H
#define HD_CORE_SPAWN_H

#include "core/state.h"

/* Performs LAUNCH or QPUSH, one lane after the other. The contract is that of hd_lsu_access. */
bool hd_core_spawn(hd_core *core, hd_cta *cta, uint64_t now, const hd_access *access, hd_access_result *result, hd_trap *trap);

#endif
