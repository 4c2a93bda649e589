/* The tables of a study: its key `tables` (docs/studies.md), evaluated on the results in a file, as Markdown. */
#ifndef HD_STUDY_TABLE_H
#define HD_STUDY_TABLE_H

#include "study/plan.h"
#include "study/store.h"

/* Whether all columns of a study's tables are expressions over results. False and errors in diag, with the place of each. A study with one machine
 * has no tables that could be looked at. */
bool hd_table_check(const hd_plan *plan, hd_diag *diag);

/* Appends a table of the study of this name, or whose number begins so (NULL: the last one); table NULL: all of its tables, each below its name.
 * False and an error in diag: there is no such study or table, or a column is no expression over the results. */
bool hd_table_markdown(hd_store *store, const char *study, const char *table, hd_text *out, hd_diag *diag);

#endif
