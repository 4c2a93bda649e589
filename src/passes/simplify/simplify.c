#include "passes/simplify/simplify.h"

#include "passes/simplify/common_subexpressions.h"
#include "passes/simplify/control_flow.h"
#include "passes/simplify/dead_code.h"
#include "passes/simplify/peephole.h"

enum { MAX_ROUNDS = 4 }; /* a round sees what the one before made possible; more than two are rare */

static void simplify_function(hd_ir_module *module, hd_ir_function *function)
{
	hd_simplifier s = {.module = module, .function = function, .changed = true};
	for (unsigned round = 0; s.changed && round < MAX_ROUNDS; round++) {
		s.changed = hd_simplify_control_flow(function);
		s.values = hd_values_new(function);
		for (uint32_t i = 0; i < s.values.reachable; i++) {
			hd_ir_block *block = function->blocks.at[s.values.order[i]];
			for (size_t k = 0; k < block->insts.n; k++)
				hd_simplify_inst(&s, block->insts.at[k]);
			if (block->term == HD_TERM_BRANCH)
				hd_simplify_predicate(&s, &block->pred);
		}
		hd_merge_common_subexpressions(&s);
		hd_values_free(&s.values);
		hd_remove_dead_code(function);
	}
}

bool hd_pass_simplify(hd_ir_module *module, const hd_pass_context *context)
{
	(void)context;
	for (size_t f = 0; f < module->functions.n; f++)
		simplify_function(module, module->functions.at[f]);
	return true;
}
