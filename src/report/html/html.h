/* A run as one self-contained HTML page: summary, issue slots, charts over time, warps, memory, energy, source listing, all counters. */
#ifndef HD_REPORT_HTML_H
#define HD_REPORT_HTML_H

#include "report/profile.h"
#include "report/report.h"

/* The page shows time, warps and lines if the report has a profile. */
void hd_report_html(const hd_report *report, hd_text *out);

/* -- its parts --------------------------------------------------------------------------------------------------------------------------------- */
/* html_time.c: charts over the cycles of the run, and the timeline of warps. */
void hd_html_over_time(const hd_report *report, const hd_profile *profile, hd_text *out);
void hd_html_warps(const hd_report *report, const hd_profile *profile, hd_text *out);
/* html_listing.c */
void hd_html_listing(const hd_report *report, const hd_profile *profile, hd_text *out);

/* Colours of the groups of units of the energy, for charts. */
extern const char *const hd_html_energy_colours[HD_ENERGY_GROUPS];

#endif
