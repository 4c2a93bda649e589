#include "passes/analysis/physical_cfg.h"

/* Blocks at whose start parked threads can wait: targets of forward branches and jumps, and what follows a backward branch (RC-3, RC-4, RC-5). */
static bool is_sync(const hd_ir_block *block) { return block->insts.n && block->insts.at[block->insts.n - 1]->op == HD_OP_SYNC; }

static hd_bits resume_points(const hd_ir_function *f)
{
	hd_bits resume = hd_bits_new(f->blocks.n + 1);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		bool backward = false;
		if (is_sync(block))
			hd_bits_add(&resume, b);
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

hd_physical hd_physical_new(const hd_ir_function *f, const hd_machine *machine)
{
	uint32_t n = (uint32_t)f->blocks.n;
	hd_physical graph = {.blocks = n, .first = hd_xcalloc((size_t)n + 1, sizeof(uint32_t))};
	HD_VEC(uint32_t) to = {0};
	hd_bits resume = resume_points(f);
	hd_bits out = hd_bits_new((size_t)n + 1);
	for (uint32_t b = 0; b < n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		graph.first[b] = (uint32_t)to.n;
		hd_bits_clear(&out);
		uint32_t furthest = b; /* resume points up to here can come first */
		for (size_t i = 0; i < block->succ.n; i++) {
			uint32_t target = block->succ.at[i];
			hd_bits_add(&out, target);
			furthest = target > furthest ? target : furthest;
		}
		if (block->term == HD_TERM_EXIT || block->term == HD_TERM_RET)
			furthest = n;
		/* The baseline's stack (RC-16) may take up any side that waits, wherever it lies. */
		bool anywhere = machine->divergence_mode == HD_DIV_STACK && (is_sync(block) || furthest == n);
		for (uint32_t x = 0; anywhere && x < n; x++) {
			if (hd_bits_has(&resume, x))
				hd_bits_add(&out, x);
		}
		/* A warp that stops looping at a backward branch goes to the next address. */
		for (uint32_t x = b + 1; x < furthest && x < n; x++) {
			if (hd_bits_has(&resume, x))
				hd_bits_add(&out, x);
		}
		for (uint32_t x = 0; x < n; x++) {
			if (hd_bits_has(&out, x))
				hd_vec_push(&to, x);
		}
	}
	graph.first[n] = (uint32_t)to.n;
	graph.to = to.at;
	hd_bits_free(&resume);
	hd_bits_free(&out);
	return graph;
}

void hd_physical_free(hd_physical *graph)
{
	free(graph->first);
	free(graph->to);
	*graph = (hd_physical){0};
}
