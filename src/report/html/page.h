/* Parts that the HTML pages share: the head with its style, escaped text, and the colours of the causes. A page is one self-contained file. */
#ifndef HD_REPORT_PAGE_H
#define HD_REPORT_PAGE_H

#include "launch/trace.h"

/* The colour of a column. Column HD_STALL_COUNT is "used": a slot in which an instruction issued. */
const char *hd_page_colour(unsigned column);
const char *hd_page_cause(unsigned column); /* with blanks, for people */

void hd_page_begin(hd_text *out, const char *title);
void hd_page_end(hd_text *out);
void hd_page_escape(hd_text *out, const char *text);
/* Writes a legend of the columns whose sum is not zero. */
void hd_page_legend(hd_text *out, const uint64_t sum[HD_STALL_COUNT + 1]);
/* Prints an energy in femtojoule with at most three digits before the point, in microjoule or millijoule. */
void hd_page_energy(char *text, size_t size, uint64_t fj);

#endif
