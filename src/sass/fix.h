/* The least control fields that the checker proves (SA-8).
 *
 *   M1  Within a block each instruction issues as early as the distances allow. Distances from block to block keep what they have behind the block of
 * the first instruction; only that block's part gets shorter. M2  The stalls of branches, barriers and DEPBAR stay, because registers are not all
 * that they are for. M3  A bit of a wait mask goes where no register needs it, if the instruction touches no memory, is no branch and is no barrier.
 * In a large function not all are tried. M4  The checker proves what comes out. Blocks on the way of a finding get their old fields back, until it is
 * proven. */
#ifndef HD_SASS_FIX_H
#define HD_SASS_FIX_H

#include "sass/container.h"
#include "sass/proof.h"

/* Changes the control fields of `code`, which is proven with these options, and of nothing else. The result is proven, too, under no more
 * assumptions. Returns the cycles of stalls that were taken away, all blocks counted once. */
uint64_t hd_sass_fix_code(hd_sass_code *code, const hd_sass_options *options);
/* The cycles that hd_sass_fix_code would take away. */
uint64_t hd_sass_cycles_won(const hd_sass_code *code, const hd_sass_options *options);

/* Fixes the functions of a file that the selection takes. `bytes`: a copy of the file, in which control fields change. False and an error in `diag`
 * when one of them is not proven, or when an entry is compressed; the bytes have not changed then. */
bool hd_sass_fix_file(const hd_sass_binary *binary, const char *name, const hd_sass_proof_options *options, uint8_t *bytes, size_t size,
                      uint64_t *won, hd_diag *diag);

#endif
