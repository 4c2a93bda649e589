/* A roofline as a picture and a table, for pages of a run and of an application. */
#ifndef HD_HTML_ROOFLINE_H
#define HD_HTML_ROOFLINE_H

#include "report/roofline.h"

/* Both axes are logarithmic: operations a byte, operations a cycle. Each point is there twice: by bytes of DRAM (full) and of the second level (a
 * ring). Below is a table with all levels. */
void hd_html_roofline(const hd_ceilings *ceilings, const hd_roofline_point *points, size_t n, hd_text *out);

#endif
