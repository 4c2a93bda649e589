/* Loads of which it is not known yet whether their value is used. clang lets every lane load what one of them needs, and selects afterwards; a lane
 * that throws the value away has read nothing in its program, so an observer hears of a load when its value is used.
 *
 * A value is used by an instruction that reads it, or what was computed from it, and passes it on: to memory, another lane, a guard, an address. A
 * selection of something else does not use it. Nor is a load held back over what orders accesses: it counts before a barrier, fence or strong access
 * of its lane. So the observer sees it between the same two of them, which is all that happens-before distinguishes.
 *
 * A value that a shuffle takes from a lane that is absent, or not named, is followed in the same way, and through further shuffles, as reductions
 * throw it away. */
#include "interp/state.h"

enum {
	LOOK_AHEAD = 64,
	SPREAD = 16, /* a value from which so many others were computed is taken for used */
};

/* Registers and predicates that hold the value, or what was computed from it. */
typedef hd_oracle_value value;

static void add(value *v, const hd_use *use, bool there)
{
	if (!use->words)
		v->predicates = (uint8_t)(there ? v->predicates | 1u << use->reg : v->predicates & ~(1u << use->reg));
	for (unsigned reg = use->reg; reg < use->reg + use->words && reg < HD_REGISTERS; reg++) {
		uint64_t bit = UINT64_C(1) << reg % 64, *word = &v->registers.bits[reg / 64];
		*word = there ? *word | bit : *word & ~bit;
	}
}

static bool has(const value *v, const hd_use *use)
{
	bool found = !use->words && v->predicates >> use->reg & 1;
	for (unsigned reg = use->reg; reg < use->reg + use->words && reg < HD_REGISTERS; reg++)
		found |= v->registers.bits[reg / 64] >> reg % 64 & 1;
	return found;
}

/* How many there are. */
static unsigned count(const value *v)
{
	unsigned n = (unsigned)__builtin_popcount(v->predicates);
	for (unsigned i = 0; i < HD_COUNT(v->registers.bits); i++)
		n += (unsigned)__builtin_popcountll(v->registers.bits[i]);
	return n;
}

static void write_results(value *v, const hd_inst *inst, bool there)
{
	hd_use uses[HD_MAX_USES];
	unsigned n = hd_inst_writes(inst, uses);
	for (unsigned i = 0; i < n; i++)
		add(v, &uses[i], there);
}

/* The operands that hold it: bits of hd_use.operand. */
static unsigned operands_with(const value *v, const hd_inst *inst)
{
	hd_use uses[HD_MAX_USES];
	unsigned n = hd_inst_reads(inst, uses), found = 0;
	for (unsigned i = 0; i < n; i++)
		found |= has(v, &uses[i]) ? 1u << uses[i].operand : 0;
	return found;
}

/* The result is a function of the lane's own operands. */
static bool computes(const hd_oracle_op *op) { return op->kind == HD_ORACLE_PURE && !(hd_ops[op->inst->op].flags & HD_OPF_CROSS); }

static bool chooses(const hd_inst *inst) { return inst->op == HD_OP_SEL || inst->op == HD_OP_SEL64 || inst->op == HD_OP_PLOP; }

static bool orders(const hd_oracle_op *op)
{
	const hd_inst *inst = op->inst;
	const hd_op_info *info = &hd_ops[inst->op];
	bool memory = op->kind == HD_ORACLE_WATCHED || op->kind == HD_ORACLE_MEMORY;
	return info->flags & HD_OPF_FENCE || (memory && (info->flags & HD_OPF_ATOMIC || inst->mod == HD_CACHE_VOLATILE));
}

/* Whether some lanes that execute the load may use its value, and others not. The code behind it says otherwise where it uses the value, or throws it
 * away, before the next instruction of the flow unit; to be added to a sum counts as use. */
static bool is_doubtful(const hd_oracle *o, const hd_oracle_op *load)
{
	value v = {0};
	write_results(&v, load->inst, true);
	const hd_oracle_op *op = load;
	for (unsigned n = 0; n < LOOK_AHEAD && op->next < o->n_ops; n++) {
		op = &o->ops[op->next];
		if (op->kind == HD_ORACLE_BAD || op->kind == HD_ORACLE_NOP)
			continue;
		value results = {0};
		unsigned read = operands_with(&v, op->inst);
		if (read && (!op->always || chooses(op->inst)))
			return true;
		if ((read && !computes(op)) || orders(op) || op->inst->op == HD_OP_EXIT)
			return false;
		if (op->kind == HD_ORACLE_FLOW)
			return true;
		write_results(&results, op->inst, true);
		write_results(&v, op->inst, read != 0);
		if (read && operands_with(&results, op->inst) & ~read)
			return false; /* a sum */
		if (!count(&v))
			return false;
	}
	return false;
}

void hd_oracle_find_doubtful(hd_oracle *o)
{
	for (uint32_t word = 0; word < o->n_ops; word++) {
		hd_oracle_op *op = &o->ops[word];
		bool load = op->kind == HD_ORACLE_WATCHED && hd_ops[op->inst->op].format == HD_F_LD && op->inst->mod != HD_CACHE_VOLATILE;
		op->doubtful = load && is_doubtful(o, op);
	}
}

/* -- while it runs ------------------------------------------------------------------------------------------------------------------------------ */

/* The observer hears of the load of these lanes. */
static void report(hd_oracle *o, hd_oracle_doubt *d, uint32_t lanes)
{
	d->lanes &= ~lanes;
	for (; lanes; lanes &= lanes - 1) {
		d->event.lane = hd_lowest_bit(lanes);
		d->event.address = d->address[d->event.lane];
		o->order->event(o->order, &d->event);
	}
}

static bool of_shuffle(const hd_oracle_doubt *d) { return d->event.kind == HD_ORDER_SHUFFLE; }

/* The value is in too many places to be followed. */
static void give_up(hd_oracle *o, hd_oracle_doubt *d, uint32_t lanes)
{
	if (of_shuffle(d))
		d->lanes &= ~lanes;
	else
		report(o, d, lanes);
}

/* A doubt for these lanes of `d` alone; `d` keeps the others. NULL: there is none, or no room. */
static hd_oracle_doubt *split(hd_oracle *o, hd_oracle_doubt *d, uint32_t lanes)
{
	if (lanes == d->lanes || !lanes)
		return lanes ? d : NULL;
	if (o->n_doubts == HD_ORACLE_DOUBTS) {
		give_up(o, d, lanes);
		return NULL;
	}
	hd_oracle_doubt *part = &o->doubts[o->n_doubts++];
	*part = *d;
	part->lanes = lanes;
	d->lanes &= ~lanes;
	return part;
}

void hd_oracle_doubt_access(hd_oracle *o, const hd_oracle_op *op, const hd_order_event *e, const uint64_t *address, uint32_t lanes)
{
	if (o->n_doubts == HD_ORACLE_DOUBTS) { /* the oldest makes room */
		give_up(o, &o->doubts[0], o->doubts[0].lanes);
		o->doubts[0] = o->doubts[--o->n_doubts];
	}
	hd_oracle_doubt *d = &o->doubts[o->n_doubts++];
	*d = (hd_oracle_doubt){.lanes = lanes, .event = *e};
	write_results(&d->value, op->inst, true);
	memcpy(d->address, address, sizeof d->address);
}

/* The lane from which a shuffle brings its value to each lane. */
static hd_vec32 sources(const hd_oracle_op *op, const hd_oracle_warp *w)
{
	hd_vec32 own, source;
	const uint32_t at = 0, all = UINT32_MAX, *predicates = w->predicates;
	for (uint32_t lane = 0; lane < HD_LANES; lane++)
		own.v[lane] = lane;
	hd_sem_team team = {.n = 1, .at = &at, .mask = &all, .alive = &all, .predicates = (uint32_t *const *)&predicates, .a = &own, .d = &source};
	team.b = hd_oracle_source(op, w, 1);
	team.c = hd_oracle_source(op, w, 2);
	team.p = HD_PT;
	op->fn(op->inst, &team);
	return source;
}

/* The lanes of `run` whose source is one of `from`. */
static uint32_t brought(const hd_vec32 *source, uint32_t run, uint32_t from)
{
	uint32_t lanes = 0;
	for (uint32_t rest = run; rest; rest &= rest - 1)
		lanes |= from >> source->v[hd_lowest_bit(rest)] & 1 ? rest & -rest : 0;
	return lanes;
}

/* The lanes of `run` that do not name their source. */
static uint32_t unnamed(const hd_oracle_warp *w, const hd_vec32 *source, uint32_t run)
{
	uint32_t lanes = 0;
	for (uint32_t rest = run, lane; rest; rest &= rest - 1) {
		lane = hd_lowest_bit(rest);
		lanes |= w->named.v[lane] >> source->v[lane] & 1 ? 0 : rest & -rest;
	}
	return lanes;
}

static void begin_shuffled(hd_oracle *o, const hd_oracle_op *op, hd_order_event e, uint32_t lanes)
{
	if (!lanes || o->n_doubts == HD_ORACLE_DOUBTS)
		return;
	hd_oracle_doubt *d = &o->doubts[o->n_doubts++];
	*d = (hd_oracle_doubt){.lanes = lanes, .event = e};
	write_results(&d->value, op->inst, true);
}

void hd_oracle_doubt_shuffle(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_warp *w, uint32_t mask, uint32_t pc)
{
	const hd_vec32 source = sources(op, w);
	for (uint32_t i = 0, n = o->n_doubts; i < n; i++) {
		hd_oracle_doubt *d = &o->doubts[i];
		if (!of_shuffle(d) || d->event.warp != w->number)
			continue;
		if (operands_with(&d->value, op->inst) & 1)
			begin_shuffled(o, op, d->event, brought(&source, mask, d->lanes));
		if ((d = split(o, d, mask & d->lanes)))
			write_results(&d->value, op->inst, false);
	}
	begin_shuffled(o, op, (hd_order_event){.kind = HD_ORDER_SHUFFLE, .pc = pc, .warp = w->number, .mask = mask},
	               brought(&source, mask, ~mask) | unnamed(w, &source, mask));
}

/* The lanes of `run` whose result depends on the value. */
static uint32_t depend(const value *v, const hd_oracle_op *op, const uint32_t *predicates, uint32_t run)
{
	const hd_inst *inst = op->inst;
	unsigned read = operands_with(v, inst);
	if (!read || !chooses(inst) || read >> 3 & 1)
		return read ? run : 0;
	if (inst->op != HD_OP_PLOP) {
		uint32_t first = predicates[inst->sub & 7] ^ (0u - (inst->sub >> 3 & 1));
		return read >> 5 & 1 ? run : run & ((read & 1 ? first : 0) | (read >> 1 & 1 ? ~first : 0));
	}
	/* Of the table's three inputs, those that hold the value may be either. */
	const uint8_t input[3] = {inst->sub2 & 15, inst->sub2 >> 4, inst->b};
	uint32_t can_be[2] = {0};
	for (unsigned k = 0; k < 8; k++) {
		uint32_t possible = UINT32_MAX;
		for (unsigned i = 0; i < 3; i++) {
			uint32_t p = predicates[input[i] & 7] ^ (0u - (input[i] >> 3 & 1));
			bool any = (input[i] & 7) < HD_PREDS && v->predicates >> (input[i] & 7) & 1;
			possible &= any ? UINT32_MAX : k >> (2 - i) & 1 ? p : ~p;
		}
		can_be[inst->sub >> k & 1] |= possible;
	}
	return run & can_be[0] & can_be[1];
}

static void settle(hd_oracle *o, hd_oracle_doubt *d, const hd_oracle_op *op, const hd_oracle_warp *w, uint32_t active)
{
	const uint32_t *predicates = w->predicates;
	bool late = orders(op) && !of_shuffle(d);
	uint32_t run = active & (predicates[op->guard] ^ (0u - op->guard_flip));
	active &= d->lanes;
	if (!op->always && d->value.predicates >> op->guard & 1)
		report(o, d, active);
	if (of_shuffle(d) && op->inst->op == HD_OP_SHFL && operands_with(&d->value, op->inst) <= 1)
		return; /* hd_oracle_doubt_shuffle */
	run &= d->lanes;
	uint32_t use = depend(&d->value, op, predicates, run);
	if (late || (use && !computes(op)))
		(op->inst->op == HD_OP_STL ? give_up : report)(o, d, late ? run : use);
	if (op->inst->op == HD_OP_EXIT)
		d->lanes &= ~run;
	hd_oracle_doubt *uses = split(o, d, use & d->lanes);
	if (uses) {
		write_results(&uses->value, op->inst, true);
		if (count(&uses->value) > SPREAD)
			give_up(o, uses, uses->lanes);
	}
	hd_oracle_doubt *others = split(o, d, uses == d ? 0 : run & ~use & d->lanes);
	if (others)
		write_results(&others->value, op->inst, false);
}

/* Most instructions neither name a register that holds the value nor order accesses. */
static bool concerns(const hd_oracle_op *op, const value *v)
{
	uint64_t shared = v->predicates;
	for (unsigned i = 0; i < HD_COUNT(v->registers.bits); i++)
		shared |= v->registers.bits[i] & op->names.bits[i];
	return shared || op->kind != HD_ORACLE_PURE;
}

void hd_oracle_settle(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list)
{
	uint32_t n = o->n_doubts;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < list->n && concerns(op, &o->doubts[i].value); k++)
			if (list->warp[k]->number == o->doubts[i].event.warp && list->mask[k] & o->doubts[i].lanes)
				settle(o, &o->doubts[i], op, list->warp[k], list->mask[k]);
	for (uint32_t i = 0; i < o->n_doubts; i++) /* turns of the loop that removed one come again */
		if (!o->doubts[i].lanes || !count(&o->doubts[i].value))
			o->doubts[i--] = o->doubts[--o->n_doubts];
}
