#include "passes/analysis/physical_cfg.h"

static bool ends_with(const hd_ir_block *block, unsigned op) { return block->insts.n && block->insts.at[block->insts.n - 1]->op == op; }

/* Blocks at whose start parked threads can wait: targets of forward branches and jumps, the block behind a backward branch (RC-3, RC-4, RC-5), and
 * the block behind a `sync`, `bsync` or `yield` (RC-16). */
static hd_bits resume_points(const hd_ir_function *f)
{
	hd_bits resume = hd_bits_new(f->blocks.n + 1);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		bool backward = ends_with(block, HD_OP_SYNC) || ends_with(block, HD_OP_BSYNC) || ends_with(block, HD_OP_YIELD);
		for (size_t i = 0; i < block->succ.n; i++) {
			if (block->succ.at[i] > b)
				hd_bits_add(&resume, block->succ.at[i]);
			else
				backward = true;
		}
		if (backward)
			hd_bits_add(&resume, b + 1);
	}
	return resume;
}

/* Adds the resume points among the blocks from `from` to before `to`. */
static void add_resume_points(hd_bits *successors, const hd_bits *resume, uint32_t from, uint32_t to)
{
	for (size_t x = hd_bits_next(resume, from); x < to; x = hd_bits_next(resume, x + 1))
		hd_bits_add(successors, x);
}

static void find_successors(const hd_ir_function *f, const hd_machine *machine, const hd_bits *resume, uint32_t b, hd_bits *successors)
{
	const hd_ir_block *block = f->blocks.at[b];
	uint32_t n = (uint32_t)f->blocks.n, furthest = b; /* resume points before this block can come first */
	bool ends = block->term == HD_TERM_EXIT || block->term == HD_TERM_RET || ends_with(block, HD_OP_EXIT);
	hd_bits_clear(successors);
	for (size_t i = 0; i < block->succ.n; i++) {
		hd_bits_add(successors, block->succ.at[i]);
		furthest = hd_max_u32(furthest, block->succ.at[i]);
	}
	/* A baseline (RC-16) may take up any side that waits, wherever it lies. */
	bool stack = machine->divergence_mode == HD_DIV_STACK && (ends_with(block, HD_OP_SYNC) || ends_with(block, HD_OP_BRK));
	bool barriers = machine->divergence_mode == HD_DIV_BARRIERS && (ends_with(block, HD_OP_BSYNC) || ends_with(block, HD_OP_YIELD));
	if (stack || barriers || (ends && machine->divergence_mode != HD_DIV_RESUME))
		add_resume_points(successors, resume, 0, n);
	/* A warp whose lanes stop looping at a backward branch goes on at the next address. */
	add_resume_points(successors, resume, b + 1, ends ? n : furthest);
}

hd_physical_cfg hd_physical_cfg_new(const hd_ir_function *f, const hd_machine *machine)
{
	uint32_t n = (uint32_t)f->blocks.n;
	hd_physical_cfg graph = {.blocks = n, .first_edge = hd_xcalloc((size_t)n + 1, sizeof(uint32_t))};
	HD_VEC(uint32_t) to = {0};
	hd_bits resume = resume_points(f), successors = hd_bits_new((size_t)n + 1);
	for (uint32_t b = 0; b < n; b++) {
		graph.first_edge[b] = (uint32_t)to.n;
		find_successors(f, machine, &resume, b, &successors);
		for (size_t x = hd_bits_next(&successors, 0); x < n; x = hd_bits_next(&successors, x + 1))
			hd_vec_push(&to, (uint32_t)x);
	}
	graph.first_edge[n] = (uint32_t)to.n;
	graph.to = to.at;
	hd_bits_free(&resume);
	hd_bits_free(&successors);
	return graph;
}

void hd_physical_cfg_free(hd_physical_cfg *graph)
{
	free(graph->first_edge);
	free(graph->to);
	*graph = (hd_physical_cfg){0};
}
