#ifndef HD_CRITICAL_SECTIONS_H
#define HD_CRITICAL_SECTIONS_H

#include "passes/pass.h"

/* Lanes that hold a lock run before the lanes of their warp that wait for it (RC-17).
 *
 * Resume counters and the stack run the lowest address first and let lanes meet behind a loop. A lane that has taken a lock would wait there for
 * lanes that cannot take it. So a critical section moves into the loop that waits:
 *
 *     h:  old = cas(lock); if (old) goto h;          h:     old = cas(lock); if (old) { again = true; goto latch; }
 *         section; release(lock);              ->           section; release(lock); again = false;
 *         rest                                       latch: if (again) goto h;
 *                                                           rest
 *
 * A loop *waits* at an address when an atomic operation or a volatile load of that address, which does not change in the loop, decides about leaving
 * it. The section begins where those lanes leave to, and where lanes come that need not wait at all. It ends behind the first store or atomic
 * operation to such an address, or where all ways from there meet when this one lies on some of them only. Other loops that look alike lose time but
 * no values, as lanes may run in any order: sections with barriers, operations across lanes, and calls that may lead to them stay where they are.
 *
 * A function keeps what it has beyond 200 sections, and loops that wait at more than 64 accesses: compiling takes a bounded time.
 *
 * Requires: no .switch; virtual registers; addresses that are equal are the same operand (simplify), which legalise does not keep. */
bool hd_pass_critical_sections(hd_ir_module *module, const hd_pass_context *context);

#endif
