/* Registers: each virtual register gets a place in the physical file where it meets no other one's ranges. Occupation is a set of positions a
 * physical register, so holes in ranges are used. In the order of first definitions; when nothing is free, whoever is cheapest to keep in memory
 * among those in the way is spilled, and the function is done again: it ends, as what spilling makes lives for one instruction. */
#include "passes/allocate.h"
#include "passes/intervals.h"
#include "passes/passes.h"

enum { MAX_ROUNDS = 60, REGISTERS = 256, MIN_REGISTERS = 16 };

typedef struct assigner {
	hd_allocation *a;
	hd_intervals in;
	hd_bits taken[REGISTERS + HD_PREDS]; /* positions; predicates behind the registers */
	uint32_t *hint;                      /* by virtual register: a copy partner + 1 */
	uint32_t *order, n_order;
	uint32_t next;                       /* where the search for a register begins */
	uint32_t used;                       /* highest register so far + 1 */
	bool any_spilled;
} assigner;

static bool is_predicate(const assigner *s, uint32_t v) { return s->a->f->vregs.at[v].words == 0; }

static bool range_free(const hd_bits *taken, uint32_t from, uint32_t to)
{
	for (uint32_t p = from; p <= to;) {
		uint64_t word = taken->w[p >> 6] >> (p & 63);
		uint32_t here = 64 - (p & 63), rest = to - p + 1;
		uint32_t n = here < rest ? here : rest;
		if (n < 64)
			word &= (UINT64_C(1) << n) - 1;
		if (word)
			return false;
		p += n;
	}
	return true;
}

static void range_set(hd_bits *taken, uint32_t from, uint32_t to, bool value)
{
	for (uint32_t p = from; p <= to; p++) {
		if (value)
			hd_bits_add(taken, p);
		else
			hd_bits_del(taken, p);
	}
}

static bool fits(const assigner *s, uint32_t v, uint32_t reg)
{
	unsigned words = s->a->f->vregs.at[v].words ? s->a->f->vregs.at[v].words : 1;
	for (unsigned w = 0; w < words; w++) {
		for (size_t i = 0; i < s->in.of[v].n; i++) {
			if (!range_free(&s->taken[reg + w], s->in.of[v].at[i].from, s->in.of[v].at[i].to))
				return false;
		}
	}
	return true;
}

static void occupy(assigner *s, uint32_t v, uint32_t reg, bool value)
{
	unsigned words = s->a->f->vregs.at[v].words ? s->a->f->vregs.at[v].words : 1;
	for (unsigned w = 0; w < words; w++) {
		for (size_t i = 0; i < s->in.of[v].n; i++)
			range_set(&s->taken[reg + w], s->in.of[v].at[i].from, s->in.of[v].at[i].to, value);
	}
}

/* Registers lo..hi-1 of its kind. */
static void bounds(const assigner *s, uint32_t v, uint32_t *lo, uint32_t *hi)
{
	*lo = is_predicate(s, v) ? REGISTERS : s->a->stack ? HD_STACK_POINTER + 1 : 0;
	*hi = is_predicate(s, v) ? REGISTERS + s->a->predicates : s->a->limit;
}

static bool find(assigner *s, uint32_t v, uint16_t *reg)
{
	unsigned words = s->a->f->vregs.at[v].words ? s->a->f->vregs.at[v].words : 1;
	uint32_t lo, hi;
	bounds(s, v, &lo, &hi);
	uint32_t partner = s->hint[v];
	if (partner && s->a->info.at[partner - 1].reg != HD_NOT_FIXED && is_predicate(s, v) == is_predicate(s, partner - 1)) {
		uint32_t r = s->a->info.at[partner - 1].reg;
		if (r >= lo && r + words <= hi && r % words == 0 && fits(s, v, r)) {
			*reg = (uint16_t)r;
			return true;
		}
	}
	/* Round and round inside what costs no occupancy, so that a register rests before it is used again; then upwards. */
	uint32_t inner = hi < s->a->aim || is_predicate(s, v) ? hi : s->a->aim;
	uint32_t start = is_predicate(s, v) ? lo : s->next >= inner || s->next < lo ? lo : s->next;
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t from = pass == 0 ? start : lo, to = pass == 0 ? inner : start + words;
		for (uint32_t r = (from + words - 1) / words * words; r + words <= to && r + words <= inner; r += words) {
			if (fits(s, v, r)) {
				*reg = (uint16_t)r;
				return true;
			}
		}
	}
	for (uint32_t r = (inner > words ? inner - words + 1 : 0) / words * words; r + words <= hi; r += words) {
		if (r >= lo && fits(s, v, r)) {
			*reg = (uint16_t)r;
			return true;
		}
	}
	return false;
}

static bool overlap(const hd_intervals *in, uint32_t v, uint32_t w)
{
	size_t i = 0, k = 0;
	while (i < in->of[v].n && k < in->of[w].n) {
		const hd_range *x = &in->of[v].at[i], *y = &in->of[w].at[k];
		if (x->from <= y->to && y->from <= x->to)
			return true;
		if (x->to < y->to)
			i++;
		else
			k++;
	}
	return false;
}

static uint64_t length(const hd_intervals *in, uint32_t v)
{
	uint64_t sum = 1;
	for (size_t i = 0; i < in->of[v].n; i++)
		sum += in->of[v].at[i].to - in->of[v].at[i].from + 1;
	return sum;
}

/* The less, the better a candidate for memory. */
static uint64_t worth(const assigner *s, uint32_t v)
{
	const hd_vreg_info *info = &s->a->info.at[v];
	uint64_t weight = info->remake ? info->weight : 2ull * info->weight;
	return weight * 1024 / length(&s->in, v);
}

static void spill(assigner *s, uint32_t v)
{
	s->a->info.at[v].spilled = true;
	s->a->info.at[v].reg = HD_NOT_FIXED;
	s->any_spilled = true;
}

static void place(assigner *s, uint32_t v)
{
	hd_vreg_info *info = &s->a->info.at[v];
	uint16_t reg;
	while (!find(s, v, &reg)) {
		uint32_t victim = UINT32_MAX;
		uint64_t least = info->tiny ? UINT64_MAX : worth(s, v);
		for (uint32_t w = 0; w < s->in.vregs; w++) {
			const hd_vreg_info *other = &s->a->info.at[w];
			if (w == v || other->tiny || other->reg == HD_NOT_FIXED || is_predicate(s, w) != is_predicate(s, v) || !overlap(&s->in, v, w))
				continue;
			uint64_t its = worth(s, w);
			if (its < least) {
				least = its;
				victim = w;
			}
		}
		if (victim == UINT32_MAX) {
			hd_invariant(!info->tiny, "no register for %%%u of %s with %u registers", v, s->a->f->name, s->a->limit);
			spill(s, v);
			return;
		}
		occupy(s, victim, s->a->info.at[victim].reg, false);
		spill(s, victim);
	}
	info->reg = reg;
	occupy(s, v, reg, true);
	if (!is_predicate(s, v)) {
		uint32_t end = reg + s->a->f->vregs.at[v].words;
		s->next = end;
		s->used = end > s->used ? end : s->used;
	}
}

static void add_weight(hd_allocation *a, const hd_opd *o, uint32_t weight)
{
	if (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED)
		a->info.at[o->reg].weight += weight;
}

/* Weights, copy partners, and definitions that can be repeated. */
static void survey(assigner *s)
{
	hd_allocation *a = s->a;
	hd_ir_function *f = a->f;
	uint32_t *definitions = hd_xcalloc(f->vregs.n + 1, sizeof *definitions);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		hd_vreg_info *info = &a->info.at[v];
		info->weight = 0;
		info->remake = NULL;
		info->reg = info->fixed;
	}
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		uint32_t depth = block->loop_depth < 6 ? block->loop_depth : 6, weight = 1u << 3 * depth;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++) {
				add_weight(a, &inst->s[i], weight);
				/* A part of it cannot be made again alone. */
				if (inst->s[i].kind == HD_OPD_REG && inst->s[i].words != f->vregs.at[inst->s[i].reg].words)
					definitions[inst->s[i].reg] += 2;
			}
			add_weight(a, &inst->guard, weight);
			for (unsigned i = 0; i < inst->nd; i++) {
				if (inst->d[i].kind != HD_OPD_REG && inst->d[i].kind != HD_OPD_PRED)
					continue;
				add_weight(a, &inst->d[i], weight);
				definitions[inst->d[i].reg]++;
				bool constant = inst->op == HD_OP_MOVI || ((inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_CONST);
				if (constant && inst->guard.kind == HD_OPD_NONE && inst->d[i].words == f->vregs.at[inst->d[i].reg].words)
					a->info.at[inst->d[i].reg].remake = inst;
			}
			if ((inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG) {
				s->hint[inst->d[0].reg] = inst->s[0].reg + 1;
				if (!s->hint[inst->s[0].reg])
					s->hint[inst->s[0].reg] = inst->d[0].reg + 1;
			}
		}
		add_weight(a, &block->pred, weight);
	}
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		if (definitions[v] != 1)
			a->info.at[v].remake = NULL;
	}
	free(definitions);
}

static void take_clobbers(assigner *s)
{
	const hd_ir_function *f = s->a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			if (inst->op != HD_OP_CALL && inst->op != HD_OP_CALLX)
				continue;
			uint32_t position = s->in.block_first[b] + 2 * (uint32_t)k + 1;
			for (uint32_t r = 0; r < REGISTERS + HD_PREDS; r++) {
				bool hit = true;
				if (inst->op == HD_OP_CALL) {
					const hd_clobber *c = &s->a->clobbers[inst->callee];
					hit = r < REGISTERS ? c->registers[r >> 6] >> (r & 63) & 1 : c->predicates >> (r - REGISTERS) & 1;
				}
				if (hit)
					hd_bits_add(&s->taken[r], position);
			}
		}
	}
}

typedef struct start {
	uint32_t v, from, words;
} start;

static int compare_first(const void *left, const void *right)
{
	const start *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->v < b->v ? -1 : a->v > b->v;
}

/* One round: true when everything has a register. */
static bool round_of(hd_allocation *a, uint32_t *used)
{
	hd_ir_function *f = a->f;
	assigner s = {.a = a, .in = hd_intervals_new(f)};
	for (unsigned r = 0; r < REGISTERS + HD_PREDS; r++)
		s.taken[r] = hd_bits_new((size_t)s.in.positions + 64);
	s.hint = hd_xcalloc(f->vregs.n + 1, sizeof *s.hint);
	survey(&s);
	take_clobbers(&s);
	start *order = hd_xcalloc(f->vregs.n + 1, sizeof *order);
	size_t n = 0;
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		if (s.in.of[v].n == 0)
			continue;
		if (a->info.at[v].fixed != HD_NOT_FIXED) {
			if (a->info.at[v].fixed != HD_RZ)
				occupy(&s, v, a->info.at[v].fixed, true);
			uint32_t end = a->info.at[v].fixed == HD_RZ ? 0 : a->info.at[v].fixed + f->vregs.at[v].words;
			s.used = end > s.used ? end : s.used;
			continue;
		}
		order[n++] = (start){v, s.in.of[v].at[0].from, f->vregs.at[v].words};
	}
	qsort(order, n, sizeof *order, compare_first);
	for (size_t i = 0; i < n; i++)
		place(&s, order[i].v);
	*used = s.used;
	for (unsigned r = 0; r < REGISTERS + HD_PREDS; r++)
		hd_bits_free(&s.taken[r]);
	hd_intervals_free(&s.in);
	free(s.hint);
	free(order);
	return !s.any_spilled;
}

static void apply(const hd_allocation *a, hd_opd *o)
{
	if (o->kind == HD_OPD_PRED) {
		uint16_t reg = a->info.at[o->reg].reg;
		o->reg = reg == HD_NOT_FIXED ? HD_PT : reg - REGISTERS;
	} else if (o->kind == HD_OPD_REG) {
		uint16_t reg = a->info.at[o->reg].reg;
		o->reg = reg == HD_NOT_FIXED ? HD_RZ : reg == HD_RZ ? HD_RZ : (uint32_t)reg + o->sub;
		o->sub = 0;
	}
}

static void apply_all(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		size_t kept = 0;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++)
				apply(a, &inst->s[i]);
			for (unsigned i = 0; i < inst->nd; i++)
				apply(a, &inst->d[i]);
			apply(a, &inst->guard);
			bool itself = (inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_REG && inst->s[0].reg == inst->d[0].reg;
			if (!itself)
				block->insts.at[kept++] = inst;
		}
		block->insts.n = kept;
		apply(a, &block->pred);
	}
	for (size_t i = 0; i < f->results.n; i++)
		apply(a, &f->results.at[i]);
}

static void collect_clobbers(const hd_ir_function *f, const hd_clobber *clobbers, hd_clobber *out)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->nd; i++) {
				const hd_opd *d = &inst->d[i];
				if (d->kind == HD_OPD_PRED && d->reg < HD_PREDS)
					out->predicates |= (uint8_t)(1u << d->reg);
				for (uint32_t r = d->reg; d->kind == HD_OPD_REG && d->reg != HD_RZ && r < d->reg + d->words; r++)
					out->registers[r >> 6] |= UINT64_C(1) << (r & 63);
			}
			const hd_clobber *c = inst->op == HD_OP_CALL ? &clobbers[inst->callee] : NULL;
			for (unsigned w = 0; w < 4; w++)
				out->registers[w] |= inst->op == HD_OP_CALLX ? UINT64_MAX : c ? c->registers[w] : 0;
			out->predicates |= inst->op == HD_OP_CALLX ? 0x7f : c ? c->predicates : 0;
		}
	}
}

/* Registers that the widest block allows a thread. */
static uint32_t register_limit(const hd_ir_module *module, const hd_machine *machine)
{
	uint32_t threads = 1;
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_kernel *k = &module->functions.at[i]->info;
		uint32_t required = k->required_block[0] * k->required_block[1] * k->required_block[2];
		uint32_t wants = required ? required : k->max_threads;
		threads = wants > threads ? wants : threads;
	}
	uint32_t warps = (threads + HD_LANES - 1) / HD_LANES, limit = machine->machine_registers / (warps * HD_LANES);
	limit = limit > HD_RZ ? HD_RZ : limit;
	return limit < MIN_REGISTERS ? MIN_REGISTERS : limit;
}

bool hd_allocate_limited(hd_ir_module *module, const hd_machine *machine, uint32_t limit, uint32_t predicates, hd_diag *diag)
{
	size_t n = module->functions.n;
	bool *recursive, ok = true, stack = hd_module_needs_stack(module);
	uint32_t *order = hd_call_order(module, &recursive);
	hd_clobber *clobbers = hd_xcalloc(n + 1, sizeof *clobbers);
	for (size_t i = 0; i < n; i++) {
		if (recursive[i])
			clobbers[i] = (hd_clobber){.registers = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, .predicates = 0x7f};
	}
	uint32_t aim = machine->machine_registers / (machine->machine_schedulers * machine->machine_warps * HD_LANES);
	for (size_t i = 0; i < n && ok; i++) {
		hd_ir_function *f = module->functions.at[order[i]];
		hd_allocation a = {.module = module, .f = f, .clobbers = clobbers, .limit = limit, .predicates = predicates, .aim = aim < 24 ? 24 : aim, .stack = stack, .stack_pointer = UINT32_MAX, .zero = UINT32_MAX};
		hd_ir_link(f);
		hd_ir_loops(f);
		hd_lower_calls(&a);
		uint32_t used = 0;
		for (unsigned round = 0; ok && !round_of(&a, &used); round++) {
			hd_invariant(round < MAX_ROUNDS, "allocation of %s does not end", f->name);
			hd_rewrite_spills(&a);
		}
		hd_text why = {0};
		hd_invariant(!ok || hd_verify_allocation(&a, &why), "%s", why.at);
		if (ok)
			apply_all(&a);
		f->allocated = ok;
		f->registers = used;
		if (!recursive[order[i]])
			collect_clobbers(f, clobbers, &clobbers[order[i]]);
		hd_vec_free(&a.info);
	}
	ok = ok && hd_finish_frames(module, stack, diag);
	free(order);
	free(recursive);
	free(clobbers);
	return ok;
}

bool hd_pass_allocate(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	return hd_allocate_limited(module, machine, register_limit(module, machine), HD_PREDS, diag);
}
