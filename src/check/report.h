/* Collects findings and prints them. */
#ifndef HD_CHECK_REPORT_H
#define HD_CHECK_REPORT_H

#include "check/check.h"

/* Adds a finding. Returns NULL when the two instructions already have a finding, or when the report is full. A full report still counts the finding.
 */
hd_finding *hd_report_add(hd_check_report *report, hd_hazard_kind kind, uint32_t producer, uint32_t consumer, int resource, uint32_t missing);

#endif
