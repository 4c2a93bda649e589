#include "explore/units.h"

struct hd_units {
	hd_blocks *blocks;
	const hd_machine *machine;
	const hd_program *program;
};

hd_units *hd_units_new(hd_blocks *blocks, const hd_machine *machine, const hd_program *program)
{
	hd_units *u = hd_xcalloc(1, sizeof *u);
	*u = (hd_units){.blocks = blocks, .machine = machine, .program = program};
	return u;
}

void hd_units_event(hd_units *u, const hd_trace_event *e, bool detailed) { (void)u, (void)e, (void)detailed; }

void hd_units_end(hd_units *u) { free(u); }
