/* ST-5: a study as one self-contained page. */
#ifndef HD_STUDY_PAGE_H
#define HD_STUDY_PAGE_H

#include "study/sheet.h"

typedef struct hd_study_page {
	const hd_sheet *sheet; /* figure 0 is what effects and heat maps show; 1 to n_pareto are those of the front */
	unsigned n_pareto;     /* 2 or 3 */
	int heat[2];           /* axes of the heat map; -1: those that interact most */
	const char *sql;       /* a query whose rows are a table; NULL: none */
} hd_study_page;

/* Appends the page. False and an error in diag when a query fails. */
bool hd_study_html(const hd_study_page *page, hd_store *store, hd_text *out, hd_diag *diag);

#endif
