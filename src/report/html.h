/* A run as one HTML page that needs nothing else: summary, where the slots went, over time, and line by line. */
#ifndef HD_REPORT_HTML_H
#define HD_REPORT_HTML_H

#include "report/profile.h"
#include "report/report.h"

/* `text` is the report as text; `title` the file that was built; profile may be NULL (a functional run). */
void hd_report_html(const char *text, const char *title, const hd_profile *profile, hd_text *out);

#endif
