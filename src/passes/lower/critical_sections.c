#include "passes/lower/critical_sections.h"

#include "passes/analysis/joins.h"

typedef struct finder {
	hd_ir_module *module;
	hd_ir_function *f;
	hd_bits meets; /* by function of the module: it needs its lanes together */
	/* Until the control flow changes */
	hd_joins joins;  /* for its dominators */
	uint32_t *order; /* reachable blocks in reverse post-order */
	uint32_t n;      /* of these */
	uint32_t *rank;  /* by block: its place in `order` */
	/* By virtual register: the number of its definitions, the last one, if it is an instruction, and its block */
	uint32_t *definitions, *where;
	const hd_ir_inst **definition;
	/* The loop and the section that are looked at */
	hd_bits body;    /* the loop's blocks */
	hd_bits decided; /* virtual registers whose values depend on what the loop waits for */
	HD_VEC(const hd_ir_inst *) awaited;
	hd_bits region; /* the section's blocks but its last */
	HD_VEC(uint32_t) todo;
} finder;

/* A section begins with block `entry` and ends before instruction `at` of block `end`. */
typedef struct section {
	uint32_t entry, end;
	size_t at;
} section;

/* Lanes need not be together for it. */
static bool runs_alone(const finder *s, const hd_ir_inst *inst)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	if (inst->op == HD_IR_CALLF)
		return inst->callee >= 0 && !hd_bits_has(&s->meets, (size_t)inst->callee);
	if (row->flags & (HD_OPF_FLOW | HD_OPF_CROSS))
		return false;
	return hd_op_accesses(row) || inst->op == HD_OP_MEMBAR || !(row->flags & HD_OPF_SIDE);
}

static bool all_run_alone(const finder *s, const hd_ir_block *block, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (!runs_alone(s, block->insts.at[k]))
			return false;
	return true;
}

static void find_functions_that_meet(finder *s)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < s->module->functions.n; i++) {
			const hd_ir_function *f = s->module->functions.at[i];
			for (size_t b = 0; b < f->blocks.n && !hd_bits_has(&s->meets, i); b++) {
				if (!all_run_alone(s, f->blocks.at[b], f->blocks.at[b]->insts.n)) {
					hd_bits_add(&s->meets, i);
					again = true;
				}
			}
		}
	}
}

static bool goes_back(const finder *s, uint32_t from, uint32_t header)
{
	return s->joins.dominator[from] != HD_NO_BLOCK && s->rank[from] >= s->rank[header] && hd_joins_dominates(&s->joins, header, from);
}

/* Adds to `found` the blocks from which a way leads to what stands in `todo`, up to those that are in it already. */
static void add_ways(finder *s, hd_bits *found)
{
	while (s->todo.n) {
		uint32_t b = s->todo.at[--s->todo.n];
		if (hd_bits_has(found, b))
			continue;
		hd_bits_add(found, b);
		const hd_ir_block *block = s->f->blocks.at[b];
		for (size_t i = 0; i < block->pred_blocks.n; i++)
			hd_vec_push(&s->todo, block->pred_blocks.at[i]);
	}
}

/* False if the block is the header of no loop. The function's first block counts as none: lanes come to it over no edge. */
static bool find_body(finder *s, uint32_t header)
{
	if (header == 0)
		return false;
	const hd_ir_block *block = s->f->blocks.at[header];
	hd_bits_clear(&s->body);
	hd_bits_add(&s->body, header);
	s->todo.n = 0;
	bool loop = false;
	for (size_t i = 0; i < block->pred_blocks.n; i++) {
		if (goes_back(s, block->pred_blocks.at[i], header)) {
			hd_vec_push(&s->todo, block->pred_blocks.at[i]);
			loop = true;
		}
	}
	add_ways(s, &s->body);
	return loop;
}

enum { COPIES = 8 }; /* that are followed: undefined registers can be copies of each other */

/* The value of which the operand is a copy, if it has one value wherever it is read; NULL if it has several. Loads have parameters as operands,
 * stores need copies. */
static const hd_opd *value_of(const finder *s, const hd_opd *o)
{
	for (unsigned i = 0; i < COPIES && hd_opd_is_register(o); i++) {
		if (s->definitions[o->reg] > 1)
			return NULL;
		const hd_ir_inst *def = s->definition[o->reg];
		if (!def || (def->op != HD_OP_MOV && def->op != HD_OP_MOV64) || def->guard.kind != HD_OPD_NONE || def->s[0].words != o->words ||
		    def->d[0].words != o->words)
			return o;
		o = &def->s[0];
	}
	return o;
}

/* The address as a value and a distance from it: clang adds the distance for an atomic operation, and a store beside it has an offset. */
static const hd_opd *base_of(const finder *s, const hd_ir_inst *inst, uint64_t *distance)
{
	const hd_opd *o = value_of(s, &inst->s[0]);
	*distance = (uint64_t)(int64_t)inst->offset;
	for (unsigned i = 0; i < COPIES && o && hd_opd_is_register(o); i++) {
		const hd_ir_inst *def = s->definition[o->reg];
		if (!def || (def->op != HD_OP_IADD && def->op != HD_OP_IADD64) || def->guard.kind != HD_OPD_NONE || def->s[1].kind != HD_OPD_IMM ||
		    def->d[0].words != o->words)
			break;
		const hd_opd *next = value_of(s, &def->s[0]);
		if (!next)
			break;
		*distance += def->op == HD_OP_IADD ? (uint64_t)(int64_t)(int32_t)def->s[1].imm : def->s[1].imm;
		o = next;
	}
	return o;
}

static bool same_address(const finder *s, const hd_ir_inst *a, const hd_ir_inst *b)
{
	uint64_t from_x, from_y;
	const hd_opd *x = base_of(s, a, &from_x), *y = base_of(s, b, &from_y);
	return x && y && from_x == from_y && x->kind == y->kind && x->words == y->words && x->sub == y->sub && x->reg == y->reg && x->imm == y->imm;
}

/* Sees what other lanes write to an address that stays the same in the loop. */
static bool may_wait(const finder *s, const hd_ir_inst *inst)
{
	if (!hd_ir_sees_others(inst))
		return false;
	const hd_opd *address = value_of(s, &inst->s[0]);
	/* Defined in the loop, it is another address in each turn. */
	return address && (!hd_opd_is_register(address) || !hd_bits_has(&s->body, s->where[address->reg]));
}

static bool is_decided(const finder *s, const hd_opd *o) { return hd_opd_is_register(o) && hd_bits_has(&s->decided, o->reg); }

/* Blocks that are tried as the end of a section; accesses at which a loop may wait; sections of a function. What has more is no program that somebody
 * wrote, and stays as it is, so that compiling takes a bounded time. */
enum { LONGEST = 256, AWAITED = 64, SECTIONS = 200 };

/* Finds what the loop waits for, and what depends on it. */
static bool waits(finder *s)
{
	s->awaited.n = 0;
	hd_bits_clear(&s->decided);
	for (bool again = true, first = true; again; first = false) {
		again = false;
		for (size_t b = hd_bits_next(&s->body, 0); b < s->body.bits; b = hd_bits_next(&s->body, b + 1)) {
			const hd_ir_insts *insts = &s->f->blocks.at[b]->insts;
			for (size_t k = 0; k < insts->n; k++) {
				const hd_ir_inst *inst = insts->at[k];
				bool depends = is_decided(s, &inst->guard);
				if (first && may_wait(s, inst)) {
					hd_vec_push(&s->awaited, inst);
					depends = true;
				}
				for (unsigned i = 0; i < inst->ns && !depends; i++)
					depends = is_decided(s, &inst->s[i]);
				for (unsigned d = 0; d < inst->nd && depends; d++) {
					if (!hd_opd_is_register(&inst->d[d]) || hd_bits_has(&s->decided, inst->d[d].reg))
						continue;
					hd_bits_add(&s->decided, inst->d[d].reg);
					again = true;
				}
			}
		}
	}
	return s->awaited.n > 0 && s->awaited.n <= AWAITED;
}

/* Is it an access to an address at which the loop waits? */
static bool waits_there(const finder *s, const hd_ir_inst *inst)
{
	if (!hd_op_accesses(hd_ir_info(inst->op)))
		return false;
	for (size_t i = 0; i < s->awaited.n; i++)
		if (same_address(s, s->awaited.at[i], inst))
			return true;
	return false;
}

static bool releases(const finder *s, const hd_ir_inst *inst) { return (hd_ir_info(inst->op)->flags & HD_OPF_STORE) && waits_there(s, inst); }

/* The number of instructions up to the first release and with it; 0 without one. */
static size_t find_release(const finder *s, const hd_ir_block *block)
{
	for (size_t k = 0; k < block->insts.n; k++)
		if (releases(s, block->insts.at[k]))
			return k + 1;
	return 0;
}

/* Is every way into the block one from `from`? */
static bool entered_from(const hd_ir_block *block, const hd_bits *from)
{
	for (size_t i = 0; i < block->pred_blocks.n; i++)
		if (!hd_bits_has(from, block->pred_blocks.at[i]))
			return false;
	return true;
}

/* Makes s->region all blocks on ways from `entry` that do not come to `end`. True if lanes get there, and to `end`, by `entry` alone and may run
 * apart there. *released: one of the blocks has a release. */
static bool find_region(finder *s, uint32_t entry, uint32_t end, bool *released)
{
	*released = false;
	hd_bits_clear(&s->region);
	s->todo.n = 0;
	if (entry != end)
		hd_vec_push(&s->todo, entry);
	while (s->todo.n) {
		uint32_t b = s->todo.at[--s->todo.n];
		const hd_ir_block *block = s->f->blocks.at[b];
		if (hd_bits_has(&s->region, b))
			continue;
		if (hd_bits_has(&s->body, b) || !all_run_alone(s, block, block->insts.n))
			return false;
		hd_bits_add(&s->region, b);
		*released |= find_release(s, block) != 0;
		for (size_t i = 0; i < block->succ.n; i++)
			if (block->succ.at[i] != end)
				hd_vec_push(&s->todo, block->succ.at[i]);
	}
	for (size_t b = hd_bits_next(&s->region, 0); b < s->region.bits; b = hd_bits_next(&s->region, b + 1))
		if (b != entry && !entered_from(s->f->blocks.at[b], &s->region))
			return false;
	return entry == end || entered_from(s->f->blocks.at[end], &s->region);
}

/* Does a way lead to `end` from each block of the region that has a release? */
static bool releases_lead_to(finder *s, uint32_t end)
{
	hd_bits found = hd_bits_new(s->f->blocks.n);
	bool all = true;
	s->todo.n = 0;
	hd_vec_push(&s->todo, end);
	while (s->todo.n) {
		const hd_ir_block *block = s->f->blocks.at[s->todo.at[--s->todo.n]];
		for (size_t i = 0; i < block->pred_blocks.n; i++) {
			uint32_t b = block->pred_blocks.at[i];
			if (!hd_bits_has(&s->region, b) || hd_bits_has(&found, b))
				continue;
			hd_bits_add(&found, b);
			hd_vec_push(&s->todo, b);
		}
	}
	for (size_t b = hd_bits_next(&s->region, 0); b < s->region.bits; b = hd_bits_next(&s->region, b + 1))
		all &= hd_bits_has(&found, b) || !find_release(s, s->f->blocks.at[b]);
	hd_bits_free(&found);
	return all;
}

/* Do all ways into the section come from the loop, or from a first try before it? */
static bool entered_with_lock(const finder *s, uint32_t entry)
{
	const hd_ir_block *block = s->f->blocks.at[entry];
	for (size_t i = 0; i < block->pred_blocks.n; i++) {
		const hd_ir_insts *insts = &s->f->blocks.at[block->pred_blocks.at[i]]->insts;
		bool tries = hd_bits_has(&s->body, block->pred_blocks.at[i]);
		for (size_t k = 0; k < insts->n && !tries; k++)
			tries = waits_there(s, insts->at[k]);
		if (!tries)
			return false;
	}
	return true;
}

static bool find_end(finder *s, uint32_t entry, section *found)
{
	uint32_t below[LONGEST], n = 0; /* the first blocks that `entry` dominates, in reverse post-order */
	bool any = false, released;
	if (!entered_with_lock(s, entry))
		return false;
	hd_bits_clear(&s->region);
	for (uint32_t i = s->rank[entry]; i < s->n && n < LONGEST; i++) {
		uint32_t b = s->order[i];
		if (b != entry && !hd_bits_has(&s->region, s->joins.dominator[b]))
			continue;
		hd_bits_add(&s->region, b);
		below[n++] = b;
		any |= find_release(s, s->f->blocks.at[b]) != 0;
	}
	for (uint32_t i = 0; i < n && any; i++) {
		if (!find_region(s, entry, below[i], &released) || (released && !releases_lead_to(s, below[i])))
			continue;
		*found = (section){entry, below[i], released ? 0 : find_release(s, s->f->blocks.at[below[i]])};
		if (released || found->at)
			return all_run_alone(s, s->f->blocks.at[below[i]], found->at);
	}
	return false;
}

/* The section of the loop that find_body and waits have found. */
static bool find_section(finder *s, section *found)
{
	for (size_t b = hd_bits_next(&s->body, 0); b < s->body.bits; b = hd_bits_next(&s->body, b + 1)) {
		const hd_ir_block *block = s->f->blocks.at[b];
		if (block->term != HD_TERM_BRANCH || !is_decided(s, &block->pred))
			continue;
		for (size_t i = 0; i < 2; i++)
			if (!hd_bits_has(&s->body, block->succ.at[i]) && find_end(s, block->succ.at[i], found))
				return true;
	}
	return false;
}

static void set_predicate(finder *s, hd_ir_block *block, uint32_t predicate, bool value)
{
	hd_ir_inst *inst = hd_ir_inst_new(s->module, HD_OP_PLOP, 1, 3);
	inst->sub = value ? 0xff : 0;
	inst->d[0] = hd_opd_pred(predicate, false);
	inst->loc = block->loc;
	hd_vec_push(&block->insts, inst);
}

/* Makes the new block branch to `yes` where the predicate holds, and to `no` elsewhere. */
static void branch(hd_ir_block *block, uint32_t predicate, uint32_t yes, uint32_t no, hd_ir_loc loc)
{
	block->term = HD_TERM_BRANCH;
	block->pred = hd_opd_pred(predicate, false);
	block->loc = loc;
	hd_vec_push(&block->succ, yes);
	hd_vec_push(&block->succ, no);
}

static void redirect(hd_ir_block *block, uint32_t from, uint32_t to)
{
	for (size_t k = 0; k < block->succ.n; k++)
		if (block->succ.at[k] == from)
			block->succ.at[k] = to;
}

/* Leads the edges into the loop to `to` that come from outside over `header`, which `direct` tells where they led. */
static void enter_by(finder *s, uint32_t to, uint32_t header, uint32_t direct, bool value)
{
	const hd_ir_block *target = s->f->blocks.at[to];
	for (size_t i = 0; i < target->pred_blocks.n; i++) {
		uint32_t from = target->pred_blocks.at[i];
		if (hd_bits_has(&s->body, from))
			continue;
		uint32_t edge = hd_ir_block_new(s->module, s->f);
		hd_ir_block *block = s->f->blocks.at[edge];
		block->loc = s->f->blocks.at[from]->loc;
		block->term = HD_TERM_JUMP;
		hd_vec_push(&block->succ, header);
		set_predicate(s, block, direct, value);
		redirect(s->f->blocks.at[from], to, edge);
	}
}

static void move_into_loop(finder *s, uint32_t header, section at)
{
	hd_ir_function *f = s->f;
	hd_ir_block *last = f->blocks.at[at.end];
	uint32_t again = hd_ir_vreg_new(f, 0), latch = hd_ir_block_new(s->module, f), behind = hd_ir_block_new(s->module, f), first = header;
	/* Lanes that need not wait enter the loop where the others do, because lanes that come to a loop at several places need not meet. */
	bool direct = !entered_from(f->blocks.at[at.entry], &s->body);
	uint32_t straight = direct ? hd_ir_vreg_new(f, 0) : 0;
	if (direct) {
		first = hd_ir_block_new(s->module, f);
		branch(f->blocks.at[first], straight, at.entry, header, last->loc);
	}
	branch(f->blocks.at[latch], again, first, behind, last->loc);
	hd_ir_block *rest = f->blocks.at[behind];
	for (size_t i = 0; i < f->blocks.at[header]->pred_blocks.n; i++) {
		uint32_t b = f->blocks.at[header]->pred_blocks.at[i];
		if (!goes_back(s, b, header))
			continue;
		set_predicate(s, f->blocks.at[b], again, true);
		redirect(f->blocks.at[b], header, latch);
	}
	for (size_t k = at.at; k < last->insts.n; k++)
		hd_vec_push(&rest->insts, last->insts.at[k]);
	last->insts.n = at.at;
	rest->term = last->term;
	rest->pred = last->pred;
	rest->loc = last->loc;
	for (size_t k = 0; k < last->succ.n; k++)
		hd_vec_push(&rest->succ, last->succ.at[k]);
	set_predicate(s, last, again, false);
	last->term = HD_TERM_JUMP;
	last->pred = (hd_opd){0};
	last->succ.n = 0;
	hd_vec_push(&last->succ, latch);
	if (direct) {
		set_predicate(s, f->blocks.at[latch], straight, false);
		enter_by(s, header, first, straight, false);
		enter_by(s, at.entry, first, straight, true);
	}
}

static void find_definitions(finder *s)
{
	for (size_t i = 0; i < s->f->params.n; i++)
		s->definitions[s->f->params.at[i].reg]++;
	for (size_t b = 0; b < s->f->blocks.n; b++) {
		const hd_ir_insts *insts = &s->f->blocks.at[b]->insts;
		for (size_t k = 0; k < insts->n; k++) {
			for (unsigned d = 0; d < insts->at[k]->nd; d++) {
				const hd_opd *o = &insts->at[k]->d[d];
				if (!hd_opd_is_register(o))
					continue;
				s->definitions[o->reg]++;
				s->definition[o->reg] = insts->at[k];
				s->where[o->reg] = (uint32_t)b;
			}
		}
	}
}

/* Computes all that depends on the present control flow. */
static void look_at(finder *s)
{
	size_t n = s->f->blocks.n;
	hd_ir_link(s->f);
	s->joins = hd_joins_new(s->f);
	s->order = hd_ir_rpo(s->f, &s->n);
	s->rank = hd_xcalloc(n + 1, sizeof *s->rank);
	for (uint32_t i = 0; i < s->n; i++)
		s->rank[s->order[i]] = i;
	s->body = hd_bits_new(n);
	s->region = hd_bits_new(n);
	s->decided = hd_bits_new(s->f->vregs.n + 1);
	s->definitions = hd_xcalloc(s->f->vregs.n + 1, sizeof *s->definitions);
	s->where = hd_xcalloc(s->f->vregs.n + 1, sizeof *s->where);
	s->definition = hd_xcalloc(s->f->vregs.n + 1, sizeof *s->definition);
	find_definitions(s);
}

static void forget(finder *s)
{
	hd_joins_free(&s->joins);
	free(s->order);
	free(s->rank);
	hd_bits_free(&s->body);
	hd_bits_free(&s->region);
	hd_bits_free(&s->decided);
	free(s->definitions);
	free(s->where);
	free(s->definition);
}

static bool any_sees_others(const hd_ir_function *f)
{
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
			if (hd_ir_sees_others(f->blocks.at[b]->insts.at[k]))
				return true;
	return false;
}

/* Outer loops come first: a loop that reads until the lock seems free goes with the one around it, which takes the lock. */
static void change_function(finder *s)
{
	uint32_t n, *headers = hd_ir_rpo(s->f, &n);
	hd_bits done = hd_bits_new(s->f->blocks.n);
	look_at(s);
	for (uint32_t i = 0, sections = 0; i < n && sections < SECTIONS; i++) {
		section found;
		if (hd_bits_has(&done, headers[i]) || !find_body(s, headers[i]) || !waits(s) || !find_section(s, &found))
			continue;
		for (uint32_t k = i; k < n; k++)
			if (hd_bits_has(&s->body, headers[k]))
				hd_bits_add(&done, headers[k]);
		move_into_loop(s, headers[i], found);
		sections++;
		forget(s);
		look_at(s);
	}
	forget(s);
	hd_bits_free(&done);
	free(headers);
}

bool hd_pass_critical_sections(hd_ir_module *module, const hd_pass_context *context)
{
	(void)context;
	finder s = {.module = module, .meets = hd_bits_new(module->functions.n + 1)};
	find_functions_that_meet(&s);
	for (size_t i = 0; i < module->functions.n; i++) {
		s.f = module->functions.at[i];
		if (any_sees_others(s.f))
			change_function(&s);
	}
	hd_bits_free(&s.meets);
	hd_vec_free(&s.todo);
	hd_vec_free(&s.awaited);
	return true;
}
