/* The cover of each dependence of a function: the answer to "why is this field not needed?" (SA-11).
 *
 *   C1  A pair is two accesses to one register of which one writes, on a way that control can take. Each pair has one row.
 *   C2  A pair that several waits cover names the first of them.
 *   C3  Of accesses that differ in nothing but the time the later one stands for all (S7 of pending.h). */
#ifndef HD_SASS_COVER_H
#define HD_SASS_COVER_H

#include "sass/check.h"

/* The rows of a function, in order of the first instruction. Appends them; the caller frees the list. Returns the verdict. */
hd_sass_verdict hd_sass_covers_find(hd_sass_cover_list *covers, const hd_sass_code *code, const hd_sass_options *options);

typedef HD_VEC(uint32_t) hd_sass_places;
/* The instructions that raise one of the counters of `mask` for an access that can be outstanding when control comes to instruction `at`, in order,
 * each once; also those whose access an earlier wait has ended. Appends. */
void hd_sass_outstanding(hd_sass_places *producers, const hd_sass_code *code, uint32_t at, unsigned mask);

/* "RAW on R4 at 0x0130: the wait of 0x0120" */
void hd_sass_cover_print(hd_text *text, const hd_sass_code *code, const hd_sass_cover *cover);

#endif
