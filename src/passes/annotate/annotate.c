#include "passes/annotate/annotate.h"

#include "passes/annotate/counters.h"
#include "passes/annotate/delays.h"
#include "passes/annotate/hint_writes.h"
#include "passes/annotate/hints.h"
#include "passes/annotate/last_use.h"
#include "passes/annotate/pass_by.h"
#include "passes/annotate/priorities.h"
#include "passes/annotate/serial.h"
#include "passes/annotate/waiting_branches.h"

static void annotate_function(hd_ir_module *module, hd_ir_function *function, const hd_hazard_index *index, const hd_machine *machine)
{
	hd_assign_counters(index, machine);
	hd_insert_waiting_branches(module, function);
	hd_place_delays(function, machine);
	if (machine->last_use_flags)
		hd_mark_last_uses(function, machine);
	hd_mark_pass_by(function, machine);
	hd_choose_priorities(function, machine);
	hd_choose_hints(function, machine);
	hd_place_hint_writes(module, function, machine);
}

bool hd_pass_annotate(hd_ir_module *module, const hd_pass_context *context)
{
	hd_machine *machine = context->machine;
	size_t n = module->functions.n;
	if (context->serial) {
		for (size_t i = 0; i < n; i++) {
			hd_annotate_serial(module->functions.at[i], machine);
			hd_insert_waiting_branches(module, module->functions.at[i]);
		}
		return true;
	}
	/* All functions first: they have one split of the counters. */
	hd_hazard_index *index = hd_xcalloc(n + 1, sizeof *index);
	for (size_t i = 0; i < n; i++) {
		hd_insert_places_to_wait(module, module->functions.at[i]);
		hd_ir_link(module->functions.at[i]);
		hd_ir_loops(module->functions.at[i]);
		index[i] = hd_hazard_index_new(module->functions.at[i], machine);
	}
	if (machine->fence_split == HD_SPLIT_PROGRAM && machine->fence_high_latency)
		machine->fence_high_latency = hd_choose_split(index, n, machine);
	for (size_t i = 0; i < n; i++) {
		annotate_function(module, module->functions.at[i], &index[i], machine);
		hd_hazard_index_free(&index[i]);
	}
	free(index);
	return true;
}
