/* PD-1, PD-33: what the geometries `front`, `compact` and `plain` have no room for. */
#include "config/machine.h"
#include "../test.h"

TEST(what_has_no_room_is_refused)
{
	static const struct {
		const char *settings, *message; /* NULL: taken */
	} rows[] = {
	    {"predecode: {geometry: front}\nfence: {counters: 16}\n", NULL},
	    {"predecode: {geometry: front, fifo: 2}\n", NULL},
	    {"predecode: {geometry: front, carrier: instruction}\n", "predecode.geometry cannot be `front` with predecode.carrier `instruction`"},
	    {"predecode: {geometry: compact}\n", NULL},
	    {"predecode: {geometry: compact, carrier: none}\n", NULL},
	    {"predecode: {geometry: compact}\nfence: {counters: 7}\n", "fence.counters is 7, expected at most 6"},
	    {"predecode: {geometry: compact, carrier: instruction}\n", "predecode.geometry cannot be `compact` with predecode.carrier"},
	    {"multi_issue: {window: 1}\npredecode: {geometry: compact, carrier: register}\n",
	     "predecode.geometry cannot be `compact` with predecode.carrier"},
	    {"predecode: {geometry: plain, carrier: none}\n", NULL},
	    {"predecode: {geometry: plain, carrier: instruction}\n", NULL},
	    {"multi_issue: {window: 1}\npredecode: {geometry: plain, carrier: register}\n", NULL},
	    {"predecode: {geometry: plain, carrier: ahead, fifo: 8}\n", NULL},
	    {"predecode: {geometry: plain, carrier: none}\nfence: {counters: 7}\n", "fence.counters is 7, expected at most 6"},
	    {"predecode: {geometry: plain}\n", "predecode.geometry cannot be `plain` with predecode.carrier `line`"},
	    {"predecode: {geometry: compact, fifo: 2}\n", "predecode.geometry cannot be `compact` with predecode.fifo"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		bool taken = hd_machine_read(&machine, rows[i].settings, strlen(rows[i].settings), "test", &diag);
		if (taken != !rows[i].message || (!taken && !strstr(diag.text.at, rows[i].message)))
			fail_msg("row %u: %s", i, diag.text.at ? diag.text.at : "taken");
		hd_diag_free(&diag);
	}
}
