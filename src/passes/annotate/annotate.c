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

static void link_function(hd_ir_function *function)
{
	hd_ir_link(function);
	hd_ir_loops(function);
}

/* Fence counters for all functions. The functions have one split of the counters. */
static void assign_counters(hd_ir_module *module, hd_machine *machine)
{
	size_t n = module->functions.n;
	hd_hazard_index *index = hd_xcalloc(n + 1, sizeof *index);
	for (size_t i = 0; i < n; i++) {
		hd_insert_places_to_wait(module, module->functions.at[i]);
		link_function(module->functions.at[i]);
		index[i] = hd_hazard_index_new(module->functions.at[i], machine);
	}
	if (machine->fence_split == HD_SPLIT_PROGRAM && machine->fence_high_latency)
		machine->fence_high_latency = hd_choose_split(index, n, machine);
	for (size_t i = 0; i < n; i++) {
		hd_assign_counters(&index[i], machine);
		hd_insert_waiting_branches(module, module->functions.at[i]);
		hd_hazard_index_free(&index[i]);
	}
	free(index);
}

static void annotate_function(hd_ir_module *module, hd_ir_function *function, const hd_machine *machine)
{
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
	/* Beside a scoreboard counters have no effect, and a branch that waits for one would only cost its issue. */
	if (hd_machine_has_scoreboard(machine)) {
		for (size_t i = 0; i < n; i++)
			link_function(module->functions.at[i]);
	} else {
		assign_counters(module, machine);
	}
	for (size_t i = 0; i < n; i++)
		hd_place_delays(module->functions.at[i], machine);
	if (machine->last_use_flags)
		hd_mark_last_uses(module, machine);
	for (size_t i = 0; i < n; i++)
		annotate_function(module, module->functions.at[i], machine);
	return true;
}
