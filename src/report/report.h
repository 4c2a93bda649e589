/* Reports of a run: text for people, JSON for scripts. Everything outside `host` depends only on the program, its input and the machine, so two runs
 * give the same bytes there. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "device/device.h"
#include "report/energy.h"
#include "report/profile.h"
#include "report/roofline.h"
#include "sanitizer/races.h"
#include "sanitizer/sanitizer.h"

typedef struct hd_report {
	const hd_machine *machine;
	const char *settings; /* keys that the caller changed, separated by blanks; "" = none */
	const hd_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;  /* bytes of a CTA, dynamic shared memory included */
	bool functional;        /* the interpreter ran, without time */
	const char *result;     /* how the run ended, in one word: hd_report_result */
	hd_occupancy occupancy; /* of a core, in timed runs */
	const char *message;    /* the trap's text; "" when there was none */
	const hd_stats *stats;
	const hd_energy_series *energy; /* energy over time; NULL or empty: the report has the total alone */
	const hd_violations *hazards;   /* the sanitizer's violations in a run of `program`; NULL: the sanitizer was off */
	const hd_races_found *races;    /* the data races of a functional run of `program`; NULL: the race detector was off */
	const hd_program *program;
	hd_input input;       /* what was built, for the listing */
	hd_profile *profile;  /* counts by line, which the report then shows; NULL: none */
	const hd_task *grids; /* n_grids tasks, when several grids were launched together */
	const hd_task_result *results;
	uint32_t n_grids;
	const hd_ceilings *ceilings; /* of the machine, for a roofline; NULL: none */
	/* host */
	double seconds;
	uint64_t peak_rss_bytes;
} hd_report;

/* One word for the end of a run: "done", "address", "deadlock", ... */
const char *hd_report_result(hd_trap_kind kind);

void hd_report_text(const hd_report *report, hd_text *out);
void hd_report_json(const hd_report *report, hd_text *out);

#endif
