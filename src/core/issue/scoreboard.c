#include "core/issue/scoreboard.h"

static uint8_t order_of(const hd_inst *inst)
{
	const hd_op_info *info = &hd_ops[inst->op];
	/* One count is for accesses and for what a barrier waits for beside them, so these wait for their like, too. */
	if (info->flags & HD_OPF_FENCE)
		return HD_SCORE_FENCE | (info->flags & HD_OPF_MEM ? HD_SCORE_ACCESS | HD_SCORE_SHARED : 0);
	if (!hd_op_accesses_common(info))
		return 0;
	/* Accesses through the generic windows may reach shared memory. */
	return HD_SCORE_ACCESS | (hd_op_space(info) == HD_SPACE_GLOBAL ? 0 : HD_SCORE_SHARED) | (info->pipe == HD_PIPE_LATOM ? HD_SCORE_LATOM : 0);
}

static void mark(const hd_use *uses, unsigned n, uint64_t mask[HD_SCORE_WORDS])
{
	for (unsigned i = 0; i < n; i++) {
		unsigned first = uses[i].words ? uses[i].reg : (unsigned)HD_SCORE_PREDICATES + uses[i].reg;
		for (unsigned word = 0; word < (uses[i].words ? uses[i].words : 1u); word++)
			mask[(first + word) / 64] |= UINT64_C(1) << (first + word) % 64;
	}
}

void hd_footprint_of(const hd_inst *inst, hd_footprint *footprint)
{
	hd_use uses[HD_MAX_USES];
	*footprint = (hd_footprint){.order = order_of(inst)};
	mark(uses, hd_inst_reads(inst, uses), footprint->reads);
	mark(uses, hd_inst_writes(inst, uses), footprint->writes);
}

void hd_scoreboard_init(hd_scoreboard *board, uint32_t consumers)
{
	memset(board, 0, sizeof *board);
	board->limit = consumers && consumers < UINT16_MAX ? (uint16_t)consumers : UINT16_MAX;
}

bool hd_scoreboard_ready(const hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	uint64_t clash = 0;
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		clash |= (footprint->reads[i] | footprint->writes[i]) & board->writing[warp][i];
		clash |= footprint->writes[i] & board->reading[warp][i];
		clash |= footprint->reads[i] & board->full[warp][i];
	}
	if (clash)
		return false;
	if (!footprint->order)
		return true;
	if (footprint->order & HD_SCORE_FENCE && board->accesses[warp])
		return false;
	return !(footprint->order & HD_SCORE_SHARED) || !board->shared[warp][!(footprint->order & HD_SCORE_LATOM)];
}

void hd_scoreboard_issue(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		board->writing[warp][i] |= footprint->writes[i];
		board->reading[warp][i] |= footprint->reads[i];
		for (uint64_t left = footprint->reads[i]; left; left &= left - 1) {
			if (++board->readers[warp][i * 64 + hd_lowest_bit(left)] == board->limit)
				board->full[warp][i] |= left & -left;
		}
	}
	if (footprint->order & HD_SCORE_ACCESS)
		board->accesses[warp]++;
	if (footprint->order & HD_SCORE_SHARED)
		board->shared[warp][(footprint->order & HD_SCORE_LATOM) != 0]++;
}

void hd_scoreboard_read(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		board->full[warp][i] &= ~footprint->reads[i];
		for (uint64_t left = footprint->reads[i]; left; left &= left - 1) {
			uint16_t *readers = &board->readers[warp][i * 64 + hd_lowest_bit(left)];
			hd_invariant(*readers > 0, "warp slot %u reads what nobody is known to read", warp);
			if (!--*readers)
				board->reading[warp][i] &= ~(left & -left);
		}
	}
}

void hd_scoreboard_written(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	/* A register has at most one pending write, because the next write waits for it. */
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++)
		board->writing[warp][i] &= ~footprint->writes[i];
}

void hd_scoreboard_done(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	if (footprint->order & HD_SCORE_ACCESS) {
		hd_invariant(board->accesses[warp] > 0, "warp slot %u ends an access that never began", warp);
		board->accesses[warp]--;
	}
	if (footprint->order & HD_SCORE_SHARED)
		board->shared[warp][(footprint->order & HD_SCORE_LATOM) != 0]--;
}
