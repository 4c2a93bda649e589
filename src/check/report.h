/* Findings: collected, and as text. */
#ifndef HD_CHECK_REPORT_H
#define HD_CHECK_REPORT_H

#include "check/check.h"

/* Adds a finding; NULL when these two instructions have one already, or when the report is full (it is then counted only). */
hd_finding *hd_report_add(hd_check_report *report, hd_hazard_kind kind, uint32_t producer, uint32_t consumer, int resource, uint32_t missing);

#endif
