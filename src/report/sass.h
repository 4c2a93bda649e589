/* The result of the checker of real code as JSON and HTML (SA-7, SA-9; docs/sass.md has the schema). */
#ifndef HD_REPORT_SASS_H
#define HD_REPORT_SASS_H

#include "sass/proof.h"

/* Appends a document of schema heddle-sass-check-1. */
void hd_sass_report_json(hd_text *out, const char *file, const hd_sass_proof *proof);
/* Appends a page. */
void hd_sass_report_html(hd_text *out, const char *file, const hd_sass_proof *proof);

#endif
