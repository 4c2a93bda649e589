/* The summary of a process (HEDDLE_SUMMARY): a row for each kernel. */
#ifndef HR_SUMMARY_H
#define HR_SUMMARY_H

#include "runtime/observe.h"

void hr_summary_add(const hr_outcome *outcome);

#endif
