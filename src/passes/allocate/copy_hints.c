#include "passes/allocate/copy_hints.h"

#include "passes/analysis/loop_weight.h"

static bool is_copy(const hd_ir_inst *inst)
{
	return (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG && inst->d[0].kind == HD_OPD_REG;
}

static int compare_hints(const void *left, const void *right)
{
	const hd_copy_hint *a = left, *b = right;
	if (a->vreg != b->vreg)
		return a->vreg < b->vreg ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->other != b->other ? (a->other < b->other ? -1 : 1) : (a->delta > b->delta) - (a->delta < b->delta);
}

hd_copy_hints hd_copy_hints_new(const hd_ir_function *f)
{
	hd_copy_hints hints = {0};
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		uint32_t weight = hd_loop_weight(block);
		for (size_t k = 0; k < block->insts.n; k++) {
			const hd_ir_inst *inst = block->insts.at[k];
			if (!is_copy(inst))
				continue;
			int32_t delta = (int32_t)inst->s[0].sub - inst->d[0].sub;
			hd_vec_push(&hints.all, (hd_copy_hint){inst->d[0].reg, inst->s[0].reg, weight, delta});
			hd_vec_push(&hints.all, (hd_copy_hint){inst->s[0].reg, inst->d[0].reg, weight, -delta});
		}
	}
	if (hints.all.n)
		qsort(hints.all.at, hints.all.n, sizeof *hints.all.at, compare_hints);
	hints.first = hd_xcalloc(f->vregs.n + 2, sizeof *hints.first);
	for (uint32_t v = 0, i = 0; v <= f->vregs.n; v++) {
		while (i < hints.all.n && hints.all.at[i].vreg < v)
			i++;
		hints.first[v] = i;
	}
	return hints;
}

void hd_copy_hints_free(hd_copy_hints *hints)
{
	hd_vec_free(&hints->all);
	free(hints->first);
	*hints = (hd_copy_hints){0};
}
