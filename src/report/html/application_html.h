/* All launches of a program on one page: a row a launch, sums for each kernel, a time line, and a section for each launch. */
#ifndef HD_APPLICATION_HTML_H
#define HD_APPLICATION_HTML_H

#include "report/energy.h"
#include "report/roofline.h"

enum { HD_APPLICATION_MOST = 2000 /* launches with a row and a section; later ones are part of the sums only */ };

typedef struct hd_application_launch {
	uint32_t number; /* in the program, from 0 */
	unsigned kernel; /* which of the application's kernels */
	uint32_t grid[3], block[3];
	const char *result; /* hd_report_result */
	hd_stats stats;
} hd_application_launch;

typedef struct hd_application_kernel {
	const char *name;
	uint64_t launches, failed;
	hd_stats stats; /* sums over all its launches */
	double seconds; /* of the host */
} hd_application_kernel;

typedef struct hd_application {
	const char *title; /* the machine */
	const hd_machine *machine;
	bool functional;
	const hd_application_kernel *kernels; /* n_kernels, in the order of the table */
	size_t n_kernels;
	const hd_application_launch *launches; /* n_launches, as they began */
	size_t n_launches;
	uint64_t all_launches;       /* n_launches, and those that have no row */
	const hd_ceilings *ceilings; /* for a roofline with a point for each launch and kernel; NULL: none */
} hd_application;

void hd_application_html(const hd_application *application, hd_text *out);

#endif
