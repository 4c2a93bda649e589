/* Control flow, barriers, and operations across the lanes of a warp. */
#include "ptx/lower.h"

void ptx_do_bra(ptx_fn *fn, const ptx_inst *inst)
{
	(void)ptx_mod_used(fn, PTX_M_UNI);
	ptx_end_jump(fn, ptx_label(fn, &inst->opds[0]));
}

/* brx.idx index, table */
void ptx_do_brx(ptx_fn *fn, const ptx_inst *inst)
{
	const ptx_symbol *symbol = inst->opds[1].sym;
	(void)ptx_mod_used(fn, PTX_M_UNI);
	if (!ptx_mod_used(fn, PTX_M_IDX) || !symbol || symbol->kind != PTX_SYM_TABLE) {
		ptx_wrong(fn, inst->opds[1].pos, "expected brx.idx and the name of a .branchtargets list");
		return;
	}
	const ptx_table *table = (const ptx_table *)symbol;
	hd_opd index = ptx_source(fn, &inst->opds[0], PTX_U32);
	if (index.kind != HD_OPD_REG) {
		hd_opd copy = ptx_temp(fn, 1);
		ptx_move(fn, copy, index);
		index = copy;
	}
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	for (size_t i = 0; i < table->labels.n; i++) {
		uint32_t to = ptx_label(fn, &table->labels.at[i]);
		hd_vec_push(&block->succ, to);
	}
	block->index = index;
	ptx_end(fn, HD_TERM_SWITCH);
}

void ptx_do_ret(ptx_fn *fn, const ptx_inst *inst)
{
	(void)inst;
	(void)ptx_mod_used(fn, PTX_M_UNI);
	ptx_end(fn, fn->kernel ? HD_TERM_EXIT : HD_TERM_RET);
}

void ptx_do_exit(ptx_fn *fn, const ptx_inst *inst)
{
	(void)inst;
	ptx_end(fn, HD_TERM_EXIT);
}

void ptx_do_trap(ptx_fn *fn, const ptx_inst *inst)
{
	(void)inst;
	ptx_end(fn, HD_TERM_TRAP);
}

/* A policy for the second level, which has none: any value. */
void ptx_do_createpolicy(ptx_fn *fn, const ptx_inst *inst)
{
	memset(fn->used, 0xff, sizeof fn->used);
	hd_opd d = ptx_dest(fn, &inst->opds[0], PTX_B64);
	if (d.kind != HD_OPD_NONE)
		ptx_move(fn, d, ptx_imm64(0));
}

/* elect.sync d|p, members: the lowest member, and whether this lane is it. */
void ptx_do_elect(ptx_fn *fn, const ptx_inst *inst)
{
	const ptx_opd *pair = &inst->opds[0];
	ptx_mod_used(fn, PTX_M_SYNC);
	if (pair->kind != PTX_O_PAIR) {
		ptx_wrong(fn, pair->pos, "expected two destinations, d|p");
		return;
	}
	hd_opd members = ptx_source(fn, &inst->opds[1], PTX_B32), lane = ptx_temp(fn, 1);
	if (ptx_gathers(fn, members))
		ptx_wait_for(fn, members, members);
	hd_opd others = ptx_make1(fn, HD_OP_NOT, 1, members), less = ptx_make2(fn, HD_OP_IADD, 1, members, ptx_imm(UINT32_MAX));
	hd_opd below = ptx_make2(fn, HD_OP_AND, 1, less, others);
	hd_opd lowest = ptx_make1(fn, HD_OP_POPC, 1, below);
	ptx_emit(fn, HD_OP_S2R, 1, 0)->d[0] = lane;
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	block->insts.at[block->insts.n - 1]->sub = HD_SREG_LANEID;
	hd_opd own = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, lane, lowest);
	if (pair->list[0].kind != PTX_O_SINK) {
		hd_opd d = ptx_dest(fn, &pair->list[0], PTX_B32);
		if (d.kind != HD_OPD_NONE)
			ptx_move(fn, d, lowest);
	}
	ptx_move(fn, ptx_dest_pred(fn, &pair->list[1]), own);
}

/* Hints: prefetches, sleeps, events, priorities. */
void ptx_do_nothing(ptx_fn *fn, const ptx_inst *inst)
{
	(void)inst;
	memset(fn->used, 0xff, sizeof fn->used);
}

/* -- barriers -------------------------------------------------------------------------------------------------------------------------- */

static void membar_warp(ptx_fn *fn)
{
	ptx_emit(fn, HD_OP_MEMBAR, 0, 0);
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	block->insts.at[block->insts.n - 1]->sub = HD_SCOPE_WARP;
}

static void bar(ptx_fn *fn, const ptx_opd *number, const ptx_opd *threads, bool arrive)
{
	if (number->kind != PTX_O_INT || number->imm > 15) {
		ptx_wrong(fn, number->pos, "expected the number of a barrier, a constant from 0 to 15");
		return;
	}
	hd_opd count = threads ? ptx_source(fn, threads, PTX_U32) : ptx_none();
	hd_ir_inst *emitted = ptx_emit(fn, HD_OP_BAR, 0, 1);
	emitted->mod = arrive;
	emitted->offset = (int32_t)number->imm;
	emitted->s[0] = count;
}

/* bar.red.{popc.u32,and.pred,or.pred} d, barrier, {threads,} {!}p: a word of shared memory collects the predicates. The first barrier waits for
 * threads that still read the word of the previous reduction, the second until the word is initialised, the third for all contributions. */
static void bar_red(ptx_fn *fn, const ptx_inst *inst)
{
	bool popc = ptx_mod_used(fn, PTX_M_POPC), all = ptx_mod_used(fn, PTX_M_AND), any = ptx_mod_used(fn, PTX_M_OR);
	const ptx_opd *threads = inst->nopds > 3 ? &inst->opds[2] : NULL;
	hd_opd word = ptx_imm(fn->lw->ast->reduction->offset);
	if (inst->nopds < 3 || popc + all + any != 1) {
		ptx_wrong(fn, fn->pos, "expected one of .popc .and .or, and three or four operands");
		return;
	}
	ptx_type_at(fn, 0, popc ? PTX_SET(U32) : PTX_SET(PRED));
	hd_opd p = ptx_pred(fn, &inst->opds[inst->nopds - 1]), mine = ptx_temp(fn, 1), result = ptx_temp(fn, 1);
	ptx_select(fn, mine, ptx_imm(1), ptx_imm(0), p);
	bar(fn, &inst->opds[1], threads, false);
	hd_ir_inst *begin = ptx_emit(fn, HD_OP_STS, 0, 2);
	begin->sub = HD_SIZE_32;
	begin->s[0] = word;
	begin->s[1] = ptx_imm(all);
	bar(fn, &inst->opds[1], threads, false);
	ptx_emit2(fn, HD_OP_ATOMS, ptx_none(), word, mine)->sub = (uint8_t)((popc ? HD_ATOM_ADD : all ? HD_ATOM_AND : HD_ATOM_OR) | HD_ATOM_U32 << 4);
	bar(fn, &inst->opds[1], threads, false);
	ptx_emit1(fn, HD_OP_LDS, result, word)->sub = HD_SIZE_32;
	if (popc) {
		ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_U32), result);
		return;
	}
	hd_opd d = ptx_dest_pred(fn, &inst->opds[0]);
	if (d.kind != HD_OPD_NONE)
		ptx_emit2(fn, HD_OP_ISETP, d, result, ptx_imm(0))->sub = HD_CMP_NE;
}

void ptx_do_bar(ptx_fn *fn, const ptx_inst *inst)
{
	if (ptx_mod_used(fn, PTX_M_CLUSTER)) {
		ptx_wrong(fn, fn->pos, "the machine has no clusters of thread blocks");
		return;
	}
	if (inst->nopds == 0) {
		ptx_wrong(fn, fn->pos, "expected the number of a barrier");
		return;
	}
	if (ptx_has(inst, PTX_M_RED)) {
		(void)ptx_mod_used(fn, PTX_M_RED);
		(void)ptx_mod_used(fn, PTX_M_ALIGNED);
		(void)ptx_mod_used(fn, PTX_M_CTA);
		bar_red(fn, inst);
		return;
	}
	bool sync = ptx_mod_used(fn, PTX_M_SYNC), arrive = ptx_mod_used(fn, PTX_M_ARRIVE), warp = ptx_mod_used(fn, PTX_M_WARP);
	(void)ptx_mod_used(fn, PTX_M_ALIGNED);
	(void)ptx_mod_used(fn, PTX_M_CTA);
	if (warp && sync && inst->nopds == 1) {
		/* Lanes that run together only need the order of their memory accesses. */
		hd_opd members = ptx_source(fn, &inst->opds[0], PTX_U32);
		membar_warp(fn);
		if (ptx_gathers(fn, members))
			ptx_wait_for(fn, members, ptx_imm(0));
		return;
	}
	if (sync == arrive || warp || inst->nopds > 2 || (arrive && inst->nopds != 2)) {
		ptx_wrong(fn, fn->pos, "expected .sync with one or two operands or .arrive with two");
		return;
	}
	bar(fn, &inst->opds[0], inst->nopds > 1 ? &inst->opds[1] : NULL, arrive);
}

/* -- across lanes ------------------------------------------------------------------------------------------------------------------------- */

/* The vote of the members that came to the last gathering. */
static void vote_of(ptx_fn *fn, hd_opd d, hd_opd votes, bool all, bool any)
{
	hd_opd some = ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, votes, ptx_imm(0));
	hd_opd every = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, votes, ptx_make1(fn, HD_OP_XLANE, 1, ptx_imm(HD_LANES)));
	if (any || all)
		ptx_move(fn, d, any ? some : every);
	else
		ptx_plop2(fn, d, some, every, 0x9); /* both or neither */
}

/* vote.mode.pred p, {!}a; vote.ballot.b32 d, {!}a; with .sync a member mask follows. */
void ptx_do_vote(ptx_fn *fn, const ptx_inst *inst)
{
	bool sync = ptx_mod_used(fn, PTX_M_SYNC), ballot = ptx_mod_used(fn, PTX_M_BALLOT);
	bool all = ptx_mod_used(fn, PTX_M_ALL), any = ptx_mod_used(fn, PTX_M_ANY), uni = ptx_mod_used(fn, PTX_M_UNI);
	if (ballot + all + any + uni != 1 || inst->nopds != (sync ? 3 : 2)) {
		ptx_wrong(fn, fn->pos, "expected one of .all .any .uni .ballot, and %u operands", sync ? 3 : 2);
		return;
	}
	ptx_type_at(fn, 0, ballot ? PTX_SET(B32) : PTX_SET(PRED));
	hd_opd p = ptx_pred(fn, &inst->opds[1]);
	hd_opd members = sync ? ptx_source(fn, &inst->opds[2], PTX_U32) : ptx_imm(UINT32_MAX);
	hd_opd d = ballot ? ptx_dest(fn, &inst->opds[0], PTX_B32) : ptx_dest_pred(fn, &inst->opds[0]);
	if (sync && ptx_gathers(fn, members)) {
		/* The members that have come are known again when all of them vote. */
		hd_opd votes = ptx_gather_ballot(fn, p, members);
		if (d.kind != HD_OPD_NONE && ballot)
			ptx_move(fn, d, votes);
		else if (d.kind != HD_OPD_NONE)
			vote_of(fn, d, votes, all, any);
		return;
	}
	ptx_emit2(fn, ballot ? HD_OP_BALLOT : HD_OP_VOTE, d, members, p)->mod = any ? HD_VOTE_ANY : uni ? HD_VOTE_UNI : HD_VOTE_ALL;
}

void ptx_do_activemask(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type_at(fn, 0, PTX_SET(B32));
	hd_opd d = ptx_dest(fn, &inst->opds[0], PTX_B32);
	ptx_emit(fn, HD_OP_ACTMASK, 1, 0)->d[0] = d;
}

void ptx_do_match(ptx_fn *fn, const ptx_inst *inst)
{
	bool any = ptx_mod_used(fn, PTX_M_ANY), all = ptx_mod_used(fn, PTX_M_ALL);
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(B32) | PTX_SET(B64));
	const ptx_opd *into = &inst->opds[0], *second = NULL;
	bool sync = ptx_mod_used(fn, PTX_M_SYNC);
	if (any == all) {
		ptx_wrong(fn, fn->pos, "expected .any or .all");
		return;
	}
	if (all && into->kind == PTX_O_PAIR) {
		second = &into->list[1];
		into = &into->list[0];
	}
	hd_opd a = ptx_source(fn, &inst->opds[1], type), members = ptx_source(fn, &inst->opds[2], PTX_U32), d = ptx_temp(fn, 1);
	bool wide = type == PTX_B64;
	if (sync && ptx_gathers(fn, members)) {
		hd_opd same = ptx_gather_equal(fn, wide ? ptx_part(a, 0, 1) : a, members);
		if (wide)
			same = ptx_make2(fn, HD_OP_AND, 1, same, ptx_gather_equal(fn, ptx_part(a, 1, 1), members));
		hd_opd everyone = ptx_make1(fn, HD_OP_XLANE, 1, ptx_imm(HD_LANES));
		if (all)
			ptx_select(fn, d, members, ptx_imm(0), ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, same, everyone));
		else
			ptx_move(fn, d, same);
	} else {
		ptx_emit2(fn, all ? (wide ? HD_OP_MATCHALL64 : HD_OP_MATCHALL) : wide ? HD_OP_MATCHANY64 : HD_OP_MATCHANY, d, a, members);
	}
	if (second) {
		hd_opd p = ptx_dest_pred(fn, second);
		if (p.kind != HD_OPD_NONE)
			ptx_emit2(fn, HD_OP_ISETP, p, d, ptx_imm(0))->sub = HD_CMP_NE;
	}
	ptx_store_wide(fn, into, d, PTX_B32, true); /* clang 14 has 64 bits for the mask of .b64 */
}

/* shfl.mode.b32 d{|p}, a, b, c. With .sync a member mask follows; the lanes that execute the instruction are its members. */
void ptx_do_shfl(ptx_fn *fn, const ptx_inst *inst)
{
	bool sync = ptx_mod_used(fn, PTX_M_SYNC);
	bool up = ptx_mod_used(fn, PTX_M_UP), down = ptx_mod_used(fn, PTX_M_DOWN), bfly = ptx_mod_used(fn, PTX_M_BFLY),
	     idx = ptx_mod_used(fn, PTX_M_IDX);
	const ptx_opd *into = &inst->opds[0], *second = NULL;
	ptx_type_at(fn, 0, PTX_SET(B32));
	if (up + down + bfly + idx != 1 || inst->nopds != (sync ? 5 : 4)) {
		ptx_wrong(fn, fn->pos, "expected one of .up .down .bfly .idx, and %u operands", sync ? 5 : 4);
		return;
	}
	if (into->kind == PTX_O_PAIR) {
		second = &into->list[1];
		into = &into->list[0];
	}
	hd_opd x[3];
	for (unsigned i = 0; i < 3; i++)
		x[i] = ptx_source(fn, &inst->opds[1 + i], PTX_B32);
	hd_opd members = sync ? ptx_source(fn, &inst->opds[4], PTX_U32) : ptx_none();
	uint8_t mode = up ? HD_SHFL_UP : down ? HD_SHFL_DOWN : bfly ? HD_SHFL_BFLY : HD_SHFL_IDX;
	if (sync && ptx_gathers(fn, members)) {
		hd_opd p = second ? ptx_dest_pred(fn, second) : ptx_none();
		ptx_gather_shuffle(fn, mode, x, members, ptx_dest(fn, into, PTX_B32), p);
		return;
	}
	/* The predicate is written first, because the value's register may be one of the sources. */
	if (second)
		ptx_emit3(fn, HD_OP_SHFLP, ptx_dest_pred(fn, second), x[0], x[1], x[2])->mod = mode;
	ptx_emit3(fn, HD_OP_SHFL, ptx_dest(fn, into, PTX_B32), x[0], x[1], x[2])->mod = mode;
}
