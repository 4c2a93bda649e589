/* Reports of a run: text for people, JSON for scripts. Everything outside `host` depends on the program, its input and the machine
 * alone, so two runs give the same bytes there. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "device/device.h"
#include "report/energy.h"
#include "sanitizer/sanitizer.h"

typedef struct hd_report {
	const hd_machine *machine;
	const char *settings; /* single keys changed on top of the configuration, blank-separated; "" = none */
	const hd_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;  /* of a CTA, dynamic ones included */
	bool functional;        /* the interpreter ran: no time */
	const char *result;     /* "done", or in one word how it ended: hd_report_result */
	hd_occupancy occupancy; /* of a core; of timed runs */
	const char *message;    /* the trap's text; "" when there was none */
	const hd_stats *stats;
	const hd_energy_series *energy; /* over time; NULL or empty: the total alone */
	const hd_violations *hazards;   /* what the sanitizer found, in a run of `program`; NULL: it did not watch */
	const hd_program *program;
	const hd_task *grids; /* n_grids, when several were launched together */
	const hd_task_result *results;
	uint32_t n_grids;
	/* host */
	double seconds;
	uint64_t peak_rss_bytes;
} hd_report;

/* One word for a way to end: "done", "address", "deadlock", ... */
const char *hd_report_result(hd_trap_kind kind);

void hd_report_text(const hd_report *report, hd_text *out);
void hd_report_json(const hd_report *report, hd_text *out);

#endif
