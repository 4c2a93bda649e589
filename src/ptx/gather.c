/* Operations of the lanes that a mask names (.sync), from sm_70 on: the lanes meet in whatever branches they are.
 *
 * Lanes that run together at the operation need nothing for it, and mostly all do. Where a branch has such operations on both of its sides, lanes may
 * have to meet from both (ptx_find_gathering). Then every such operation of the function gathers its lanes with `wsync`, and takes their values one
 * by one with `xlane`; a second `wsync` keeps them until everybody has them. */
#include "ptx/lower.h"

/* -- where lanes have to gather ------------------------------------------------------------------------------------------------------------- */

#define NOWHERE UINT32_MAX
enum {
	SIDES = 32,        /* of a branch; further targets count as the last side */
	STEPS = 100000000, /* beyond so many, lanes gather, which is never wrong */
};

typedef struct finder {
	const hd_ir_module *ir;
	const hd_ir_function *f;
	const bool *meets; /* by function: it has such an operation, or calls one that has */
	uint32_t n;        /* blocks; the end of the function counts as one more */
	uint32_t *after;   /* by block: the first block to which every way from it leads; NOWHERE = none */
	uint32_t *rank;    /* by block: its place on the ways back from the end */
	uint32_t *order;   /* the blocks in that order */
	uint32_t *queue, found, steps;
	uint32_t *sides; /* by block: the sides of the branch from which it can be reached */
	bool *syncs;     /* by block */
} finder;

static bool calls_one(const finder *s, const hd_ir_inst *inst)
{
	bool any = false;
	for (size_t i = 0; inst->callee < 0 && i < s->ir->functions.n; i++)
		any |= s->ir->functions.at[i]->address_taken && s->meets[i];
	return inst->callee < 0 ? any : s->meets[inst->callee];
}

static bool has_one(const finder *s, const hd_ir_block *block)
{
	bool found = block->syncs;
	for (size_t i = 0; i < block->insts.n && !found; i++)
		found = block->insts.at[i]->op == HD_IR_CALLF && calls_one(s, block->insts.at[i]);
	return found;
}

/* The ways back from the end, in reverse post-order. */
static void find_order(finder *s)
{
	size_t *at = hd_xcalloc((size_t)s->n + 1, sizeof *at);
	uint32_t left = s->n + 1, depth = 0;
	memset(s->rank, 0xff, ((size_t)s->n + 1) * sizeof *s->rank);
	s->queue[depth++] = s->n;
	s->rank[s->n] = 0;
	while (depth) {
		uint32_t b = s->queue[depth - 1], next = NOWHERE;
		const hd_ir_block *block = b < s->n ? s->f->blocks.at[b] : NULL;
		for (size_t count = block ? block->pred_blocks.n : s->n; next == NOWHERE && at[b] < count; at[b]++) {
			uint32_t to = block ? block->pred_blocks.at[at[b]] : (uint32_t)at[b];
			if (s->rank[to] == NOWHERE && (block || !s->f->blocks.at[to]->succ.n))
				next = to;
		}
		if (next == NOWHERE) {
			s->order[--left] = b;
			depth--;
		} else {
			s->rank[next] = 0;
			s->queue[depth++] = next;
		}
	}
	s->found = s->n + 1 - left;
	memmove(s->order, s->order + left, s->found * sizeof *s->order);
	for (uint32_t i = 0; i < s->found; i++)
		s->rank[s->order[i]] = i;
	free(at);
}

static uint32_t common(const finder *s, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (s->rank[a] > s->rank[b])
			a = s->after[a];
		else
			b = s->after[b];
	}
	return a;
}

static void find_after(finder *s)
{
	find_order(s);
	memset(s->after, 0xff, ((size_t)s->n + 1) * sizeof *s->after);
	s->after[s->n] = s->n;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 1; i < s->found; i++) {
			const hd_ir_block *block = s->f->blocks.at[s->order[i]];
			uint32_t best = block->succ.n ? NOWHERE : s->n;
			for (size_t k = 0; k < block->succ.n; k++) {
				uint32_t to = s->rank[block->succ.at[k]] == NOWHERE ? s->n : block->succ.at[k]; /* a loop without an end */
				if (s->after[to] != NOWHERE)
					best = best == NOWHERE ? to : common(s, best, to);
			}
			again |= s->after[s->order[i]] != best;
			s->after[s->order[i]] = best;
		}
	}
}

/* Do lanes that the branch of a block separates come to different operations before they are together again? */
static bool separates(finder *s, uint32_t branch)
{
	const hd_ir_block *from = s->f->blocks.at[branch];
	uint32_t n = 0, all = 0;
	bool apart = false;
	for (size_t side = 0; side < from->succ.n; side++) {
		uint32_t bit = 1u << hd_min_u32((uint32_t)side, SIDES - 1), first = from->succ.at[side];
		uint32_t begin = n;
		for (size_t k = 0; k < side && first != NOWHERE; k++)
			first = from->succ.at[k] == first ? NOWHERE : first;
		if (first == NOWHERE || first == s->after[branch] || first == branch)
			continue;
		/* A block is in the queue once for each side that reaches it. */
		s->sides[first] |= bit;
		s->queue[n++] = first;
		for (uint32_t i = begin; i < n; i++) {
			const hd_ir_block *block = s->f->blocks.at[s->queue[i]];
			all |= s->syncs[s->queue[i]] ? bit : 0;
			for (size_t k = 0; k < block->succ.n && s->steps < STEPS; k++, s->steps++) {
				uint32_t to = block->succ.at[k];
				if (to == s->after[branch] || to == branch || s->sides[to] & bit)
					continue;
				s->sides[to] |= bit;
				s->queue[n++] = to;
			}
		}
		if (side >= SIDES - 1)
			break;
	}
	for (uint32_t i = 0; i < n; i++)
		apart |= s->syncs[s->queue[i]] && all & ~s->sides[s->queue[i]];
	while (n)
		s->sides[s->queue[--n]] = 0;
	return apart || s->steps >= STEPS;
}

static bool function_separates(const hd_ir_module *ir, const bool *meets, hd_ir_function *f)
{
	uint32_t n = (uint32_t)f->blocks.n, count = 0;
	size_t room = (size_t)n + 1;
	bool apart = false;
	finder s = {.ir = ir, .f = f, .meets = meets, .n = n, .syncs = hd_xcalloc(room, sizeof *s.syncs)};
	for (uint32_t b = 0; b < n; b++)
		count += s.syncs[b] = has_one(&s, f->blocks.at[b]);
	if (count > 1) {
		uint32_t *words = hd_xcalloc(room, (4 + SIDES) * sizeof *words);
		s.after = words;
		s.rank = words + room;
		s.order = words + 2 * room;
		s.sides = words + 3 * room;
		s.queue = words + 4 * room;
		hd_ir_link(f);
		find_after(&s);
		for (uint32_t b = 0; b < n && !apart; b++)
			apart = f->blocks.at[b]->succ.n > 1 && separates(&s, b);
		free(words);
	}
	free(s.syncs);
	return apart;
}

/* By function: it has such an operation, or calls a function that has one. */
static bool *find_meeting(const hd_ir_module *ir)
{
	bool *meets = hd_xcalloc(ir->functions.n + 1, sizeof *meets);
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < ir->functions.n; i++) {
			finder s = {.ir = ir, .meets = meets};
			bool found = meets[i];
			for (size_t b = 0; b < ir->functions.at[i]->blocks.n && !found; b++)
				found = has_one(&s, ir->functions.at[i]->blocks.at[b]);
			again |= found != meets[i];
			meets[i] = found;
		}
	}
	return meets;
}

bool *ptx_find_gathering(const hd_ir_module *ir)
{
	bool *meets = find_meeting(ir), *gathers = hd_xcalloc(ir->functions.n + 1, sizeof *gathers);
	for (size_t i = 0; i < ir->functions.n; i++)
		gathers[i] = meets[i] && function_separates(ir, meets, ir->functions.at[i]);
	/* And so do the functions that they call. */
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < ir->functions.n; i++) {
			const hd_ir_function *f = ir->functions.at[i];
			for (size_t b = 0; gathers[i] && b < f->blocks.n; b++)
				for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
					const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
					for (size_t to = 0; inst->op == HD_IR_CALLF && to < ir->functions.n; to++) {
						bool called = inst->callee < 0 ? ir->functions.at[to]->address_taken : (size_t)inst->callee == to;
						again |= called && meets[to] && !gathers[to];
						gathers[to] |= called && meets[to];
					}
				}
		}
	}
	free(meets);
	return gathers;
}

/* -- operations ------------------------------------------------------------------------------------------------------------------------------- */

bool ptx_gathers(ptx_fn *fn, hd_opd members)
{
	fn->f->blocks.at[fn->block]->syncs = fn->lw->volta;
	if (fn->gathers) { /* the others may come later */
		hd_opd here = ptx_temp(fn, 1);
		ptx_emit(fn, HD_OP_ACTMASK, 1, 0)->d[0] = here;
		members = ptx_make2(fn, HD_OP_AND, 1, here, members);
	}
	if (fn->lw->volta)
		ptx_emit1(fn, HD_IR_MEMBERS, ptx_none(), members)->nd = 0;
	return fn->gathers;
}

void ptx_wait_for(ptx_fn *fn, hd_opd members, hd_opd value) { ptx_emit2(fn, HD_OP_WSYNC, ptx_none(), members, value)->nd = 0; }

static hd_opd lane_number(ptx_fn *fn)
{
	hd_opd lane = ptx_temp(fn, 1);
	ptx_emit(fn, HD_OP_S2R, 1, 0)->d[0] = lane;
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	block->insts.at[block->insts.n - 1]->sub = HD_SREG_LANEID;
	return lane;
}

void ptx_gather(ptx_fn *fn, ptx_gathering how, unsigned op, hd_opd value, hd_opd members, hd_opd total)
{
	uint32_t loop = ptx_new_block(fn), done = ptx_new_block(fn);
	hd_opd own = ptx_temp(fn, 1), named = ptx_temp(fn, 1), rest = ptx_temp(fn, 1);
	ptx_move(fn, own, value); /* the result may be an operand's register */
	ptx_move(fn, named, members);
	ptx_wait_for(fn, named, own);
	ptx_emit1(fn, HD_OP_XLANE, rest, ptx_imm(HD_LANES));
	ptx_begin_block(fn, loop);
	hd_opd lane = ptx_make1(fn, HD_OP_FLOU, 1, rest), bit = ptx_make2(fn, HD_OP_SHL, 1, ptx_imm(1), lane);
	hd_opd theirs = ptx_make1(fn, HD_OP_XLANE, 1, lane);
	if (how == PTX_GATHER_EQUAL) {
		hd_opd add = ptx_temp(fn, 1);
		ptx_select(fn, add, bit, ptx_imm(0), ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, theirs, own));
		ptx_emit2(fn, HD_OP_OR, total, total, add);
	} else {
		ptx_emit2(fn, op, total, total, theirs);
	}
	ptx_emit2(fn, HD_OP_XOR, rest, rest, bit);
	ptx_end_branch(fn, ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, rest, ptx_imm(0)), loop, done);
	ptx_begin_block(fn, done);
	ptx_wait_for(fn, named, own); /* others may not have taken the value yet */
}

hd_opd ptx_gather_equal(ptx_fn *fn, hd_opd value, hd_opd members)
{
	hd_opd total = ptx_temp(fn, 1);
	ptx_move(fn, total, ptx_imm(0));
	ptx_gather(fn, PTX_GATHER_EQUAL, 0, value, members, total);
	return total;
}

hd_opd ptx_gather_ballot(ptx_fn *fn, hd_opd p, hd_opd members)
{
	hd_opd total = ptx_temp(fn, 1), value = ptx_temp(fn, 1);
	hd_opd bit = ptx_make2(fn, HD_OP_SHL, 1, ptx_imm(1), lane_number(fn));
	ptx_select(fn, value, bit, ptx_imm(0), p);
	ptx_move(fn, total, ptx_imm(0));
	ptx_gather(fn, PTX_GATHER_COMBINE, HD_OP_OR, value, members, total);
	return total;
}

/* The lane whose value shfl takes: PTX's rules for b and c. */
static hd_opd source_lane(ptx_fn *fn, uint8_t mode, hd_opd b, hd_opd c, hd_opd in_range)
{
	hd_opd lane = lane_number(fn), by = ptx_make2(fn, HD_OP_AND, 1, b, ptx_imm(31)), to;
	if (mode == HD_SHFL_UP)
		to = ptx_make2(fn, HD_OP_ISUB, 1, lane, by);
	else if (mode == HD_SHFL_DOWN)
		to = ptx_make2(fn, HD_OP_IADD, 1, lane, by);
	else if (mode == HD_SHFL_BFLY)
		to = ptx_make2(fn, HD_OP_XOR, 1, lane, by);
	else {
		hd_opd segment = ptx_extract(fn, c, 8, 5, false);
		to = ptx_make3(fn, HD_OP_BITSEL, 1, lane, by, segment);
	}
	hd_opd from = ptx_temp(fn, 1);
	ptx_select(fn, from, to, lane, in_range);
	return from;
}

void ptx_gather_shuffle(ptx_fn *fn, uint8_t mode, const hd_opd x[3], hd_opd members, hd_opd d, hd_opd p)
{
	hd_opd in_range = ptx_temp(fn, 0), own = ptx_temp(fn, 1), named = ptx_temp(fn, 1);
	ptx_emit3(fn, HD_OP_SHFLP, in_range, x[0], x[1], x[2])->mod = mode; /* a matter of lane numbers alone */
	hd_opd from = source_lane(fn, mode, x[1], x[2], in_range);
	ptx_move(fn, own, x[0]);
	ptx_move(fn, named, members);
	ptx_wait_for(fn, named, own);
	ptx_emit1(fn, HD_OP_XLANE, d.kind == HD_OPD_NONE ? ptx_temp(fn, 1) : d, from);
	ptx_wait_for(fn, named, own);
	if (p.kind != HD_OPD_NONE)
		ptx_move(fn, p, in_range);
}
