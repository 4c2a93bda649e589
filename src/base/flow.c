#include "base/flow.h"

void hd_flow_solve(const hd_flow_graph *g, const hd_forward *f)
{
	bool *dirty = hd_xcalloc((size_t)g->n + 1, sizeof *dirty);
	for (uint32_t b = 0; b < g->n; b++)
		dirty[b] = !f->begins || f->begins(f->analysis, b);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < g->n; b++) {
			if (!dirty[b])
				continue;
			if (!hd_flow_spend(g, 1)) {
				free(dirty);
				return;
			}
			dirty[b] = false;
			f->run(f->analysis, b);
			for (uint32_t s = g->succ_first[b]; s < g->succ_first[b + 1]; s++) {
				uint32_t next = g->succ[s];
				if (!f->join(f->analysis, b, next))
					continue;
				dirty[next] = true;
				again |= next <= b;
			}
		}
	}
	free(dirty);
}
