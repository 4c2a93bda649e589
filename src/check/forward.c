#include "check/forward.h"

void hd_forward_solve(const hd_code_graph *g, const hd_forward *f)
{
	hd_flow_solve(&(hd_flow_graph){.n = g->n, .succ_first = g->succ_first, .succ = g->succ, .steps = g->steps}, f);
}
