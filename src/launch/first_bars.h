/* Which `bar` lanes can come to first from each instruction (RC-17). A barrier of the CTA counts warps, and a warp arrives with the lanes that
 * execute the `bar`. Resume counters run the lowest address first. So lanes of the warp that wait above a `bar`, and can come back to it, come too
 * late: the barrier would let go without them. The compiler places no code so, but assembly and other compilers may (docs/divergence.md). */
#ifndef HD_FIRST_BARS_H
#define HD_FIRST_BARS_H

#include "launch/launch.h"

#define HD_NO_BAR UINT32_MAX

/* By word: the lowest address of a `bar` to which lanes that go on there can come before any other `bar`; HD_NO_BAR: they can come to none. NULL when
 * the program has no `bar`. The caller frees it. Calls are followed, and an indirect branch or call may go to each target that it is allowed; a
 * return is not followed. It takes time in proportion to the program's length. */
uint32_t *hd_first_bars_new(const hd_program *program);

/* Appends what is wrong: `lanes` come to the `bar` at `pc` while `waiting` wait at `where`. */
void hd_first_bars_explain(const hd_program *program, uint32_t pc, uint32_t lanes, uint32_t waiting, uint32_t where, hd_text *out);

#endif
