/* Parts that the HTML pages share: the head with its style, escaped text, and the colours of the causes. A page is one self-contained file. */
#ifndef HD_REPORT_PAGE_H
#define HD_REPORT_PAGE_H

#include "launch/trace.h"

/* The colour of a column. Column HD_STALL_COUNT is "used": a slot in which an instruction issued. */
const char *hd_page_colour(unsigned column);
const char *hd_page_cause(unsigned column); /* with blanks, for people */

void hd_page_begin(hd_text *out, const char *title);
void hd_page_end(hd_text *out);
/* Writes text from outside. Bytes that are no UTF-8, and control characters, become U+FFFD. */
void hd_page_escape(hd_text *out, const char *text);
/* Begins a picture, which is as wide as the screen. `width` is about 1000, and letters are larger on a narrow screen: 27 units there instead of 12.
 * Letters of the class `wide` or `small` are not there on it, letters of the class `narrow` only there. They are black or white with the screen;
 * shapes take the classes `frame`, `tick` and `mark`, which follow it too. */
void hd_page_picture(hd_text *out, unsigned width, unsigned height, const char *label);
/* The same for a narrow screen alone: `width` is about 480, and letters have 14 units. Its other picture is in an element of the class `wide`. */
void hd_page_phone_picture(hd_text *out, unsigned width, unsigned height, const char *label);
void hd_page_picture_end(hd_text *out);
/* A row of a chart of bars, in a <div class="rows">: its name, a bar of `length` (0 to 1) of the room, a number, a share (0 to 1) and the meaning.
 * Number and meaning are HTML. */
void hd_page_row(hd_text *out, const char *name, double length, const char *colour, const char *number, double share, const char *meaning);
/* A chart of bars: the issue slots that were used, and those that were lost, by cause. */
void hd_page_slots(hd_text *out, const hd_stats *stats);
/* Writes a legend of the columns whose sum is not zero. */
void hd_page_legend(hd_text *out, const uint64_t sum[HD_STALL_COUNT + 1]);
/* Prints an energy in femtojoule with at most three digits before the point, in microjoule or millijoule. */
void hd_page_energy(char *text, size_t size, uint64_t fj);

#endif
