/* Copies, constants, address arithmetic, common values, dead code, blocks: worthwhile and safe on an IR that is not SSA. Everything rests on
 * registers that are values in the sense of simplify.h; others are left as they are. */
#include "passes/simplify/simplify.h"

enum { MAX_ROUNDS = 4 }; /* each round sees what the one before uncovered; more than two are rare */

static void simplify_function(hd_ir_module *module, hd_ir_function *function)
{
	hd_simplifier s = {.module = module, .function = function};
	s.changed = true;
	for (unsigned round = 0; s.changed && round < MAX_ROUNDS; round++) {
		s.changed = hd_simplify_blocks(module, function);
		hd_simplify_facts(&s);
		for (uint32_t i = 0; i < s.reachable; i++) {
			hd_ir_block *block = function->blocks.at[s.order[i]];
			for (size_t k = 0; k < block->insts.n; k++)
				hd_simplify_inst(&s, block->insts.at[k]);
			if (block->term == HD_TERM_BRANCH)
				hd_simplify_pred(&s, &block->pred);
		}
		hd_simplify_common(&s);
		hd_simplify_facts_free(&s);
		hd_simplify_dead(function);
	}
}

bool hd_pass_simplify(hd_ir_module *module, hd_diag *diag)
{
	(void)diag; /* cannot fail */
	for (size_t f = 0; f < module->functions.n; f++)
		simplify_function(module, module->functions.at[f]);
	return true;
}
