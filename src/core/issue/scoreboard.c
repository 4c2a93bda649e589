#include "core/issue/scoreboard.h"

static uint8_t order_of(const hd_inst *inst)
{
	const hd_op_info *info = &hd_ops[inst->op];
	uint8_t pipe = info->pipe == HD_PIPE_LATOM ? HD_NEEDS_LATOM : 0;
	switch (inst->op) {
	case HD_OP_BAR:
		return HD_NEEDS_FENCE;
	case HD_OP_MEMBAR:
	case HD_OP_LAUNCH:
	case HD_OP_QPUSH: /* one count is for accesses and for what a barrier waits for beside them, so these wait for their like, too */
		return HD_NEEDS_FENCE | HD_NEEDS_ACCESS | HD_NEEDS_SHARED;
	case HD_OP_LDG:
	case HD_OP_STG:
	case HD_OP_ATOMG:
	case HD_OP_CASG:
		return HD_NEEDS_ACCESS;
	case HD_OP_LDC:
	case HD_OP_LDK:
	case HD_OP_LDL:
	case HD_OP_STL: /* no other thread sees them */
		return 0;
	default: /* accesses through the generic windows may reach shared memory */
		return info->flags & HD_OPF_MEM ? (uint8_t)(HD_NEEDS_ACCESS | HD_NEEDS_SHARED | pipe) : 0;
	}
}

static void mark(const hd_use *uses, unsigned n, uint64_t mask[HD_SCORE_WORDS])
{
	for (unsigned i = 0; i < n; i++) {
		unsigned first = uses[i].words ? uses[i].reg : (unsigned)HD_SCORE_PREDICATES + uses[i].reg;
		for (unsigned word = 0; word < (uses[i].words ? uses[i].words : 1u); word++)
			mask[(first + word) / 64] |= UINT64_C(1) << (first + word) % 64;
	}
}

void hd_needs_of(const hd_inst *inst, hd_needs *needs)
{
	hd_use uses[HD_MAX_USES];
	*needs = (hd_needs){.order = order_of(inst)};
	mark(uses, hd_inst_reads(inst, uses), needs->reads);
	mark(uses, hd_inst_writes(inst, uses), needs->writes);
}

void hd_scoreboard_init(hd_scoreboard *board, uint32_t consumers)
{
	memset(board, 0, sizeof *board);
	board->limit = consumers && consumers < UINT16_MAX ? (uint16_t)consumers : UINT16_MAX;
}

bool hd_scoreboard_ready(const hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	uint64_t clash = 0;
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		clash |= (needs->reads[i] | needs->writes[i]) & board->writing[warp][i];
		clash |= needs->writes[i] & board->reading[warp][i];
		clash |= needs->reads[i] & board->full[warp][i];
	}
	if (clash)
		return false;
	if (!needs->order)
		return true;
	if (needs->order & HD_NEEDS_FENCE && board->accesses[warp])
		return false;
	return !(needs->order & HD_NEEDS_SHARED) || !board->shared[warp][!(needs->order & HD_NEEDS_LATOM)];
}

void hd_scoreboard_issue(hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		board->writing[warp][i] |= needs->writes[i];
		board->reading[warp][i] |= needs->reads[i];
		for (uint64_t left = needs->reads[i]; left; left &= left - 1) {
			if (++board->readers[warp][i * 64 + hd_lowest_bit(left)] == board->limit)
				board->full[warp][i] |= left & -left;
		}
	}
	if (needs->order & HD_NEEDS_ACCESS)
		board->accesses[warp]++;
	if (needs->order & HD_NEEDS_SHARED)
		board->shared[warp][(needs->order & HD_NEEDS_LATOM) != 0]++;
}

void hd_scoreboard_read(hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		board->full[warp][i] &= ~needs->reads[i];
		for (uint64_t left = needs->reads[i]; left; left &= left - 1) {
			uint16_t *readers = &board->readers[warp][i * 64 + hd_lowest_bit(left)];
			hd_invariant(*readers > 0, "warp slot %u reads what nobody is known to read", warp);
			if (!--*readers)
				board->reading[warp][i] &= ~(left & -left);
		}
	}
}

void hd_scoreboard_written(hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	/* A register has at most one pending write, because the next write waits for it. */
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++)
		board->writing[warp][i] &= ~needs->writes[i];
}

void hd_scoreboard_done(hd_scoreboard *board, unsigned warp, const hd_needs *needs)
{
	if (needs->order & HD_NEEDS_ACCESS) {
		hd_invariant(board->accesses[warp] > 0, "warp slot %u ends an access that never began", warp);
		board->accesses[warp]--;
	}
	if (needs->order & HD_NEEDS_SHARED)
		board->shared[warp][(needs->order & HD_NEEDS_LATOM) != 0]--;
}
