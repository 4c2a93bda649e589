/* The proof of last-use flags. Three conditions hold for each register of the flagged operand.
 *
 * - An instruction of the same block makes the value, for at least the lanes of the reader. No flow instruction lies between them, so no lane joins.
 * - Every reader between them enters before the flagged reader, by the order of its pipe.
 * - No lane reads the register later, on any way that a lane can go, before the register is written again for all of its lanes.
 *
 * The machine drops no value of a lane that does not read with the flag. So it suffices to follow the ways of a lane: lanes on the other side of a
 * branch keep their own values.
 *
 * The search runs forward from the flag, register by register. It enters called functions and continues behind the calls of the function that ends.
 * It assumes no calling convention. */
#include "check/last_use.h"

/* A search visits a block at most twice: once as a part of the flag's function and of the functions to which it returns, and once as a part of a
 * called function. The return of a called function needs no search, because the place behind the call is visited anyway. */
typedef struct search {
	const hd_code_graph *g;
	bool *seen;      /* by number: a block, or n + a block as a part of a called function */
	uint32_t *stack; /* numbers that are still to be visited */
	uint32_t top;
} search;

static bool in_range(const hd_use *use, unsigned reg) { return use->words && reg >= use->reg && reg < (unsigned)use->reg + use->words; }

static bool writes_predicate(const hd_inst *inst, unsigned predicate)
{
	hd_use uses[HD_MAX_USES];
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
		if (!uses[n].words && uses[n].reg == predicate)
			return true;
	return false;
}

/* The first reader in the words [from, end of block), 0 = none. `*killed` is true when all lanes get a new value before. A guarded write gives some
 * lanes a new value, and a reader with the same guard reads only this value. */
static uint32_t reader_in(const search *s, uint32_t block, uint32_t from, unsigned reg, bool *killed)
{
	const hd_inst *part = NULL;
	*killed = !hd_spend_steps(s->g, s->g->begin[block + 1] - from);
	for (uint32_t word = from; word < s->g->begin[block + 1]; word++) {
		hd_use uses[HD_MAX_USES];
		const hd_inst *inst = &s->g->insts[word];
		if (hd_is_scheduling_word(s->g, word))
			continue;
		bool covered = part && inst->guard == part->guard && inst->guard_neg == part->guard_neg;
		for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
			if (in_range(&uses[n], reg) && !covered)
				return word;
		bool writes = false;
		for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
			writes |= in_range(&uses[n], reg);
		if (writes && hd_is_unguarded(inst)) {
			*killed = true;
			return 0;
		}
		if (writes)
			part = inst;
		if (part && writes_predicate(inst, part->guard))
			part = NULL;
	}
	return 0;
}

static void visit(search *s, uint32_t block, bool callee)
{
	uint32_t number = block + (callee ? s->g->n : 0);
	if (block >= s->g->n || s->seen[number])
		return;
	s->seen[number] = true;
	s->stack[s->top++] = number;
}

static const hd_inst *last_of(const hd_code_graph *g, uint32_t block) { return &g->insts[hd_block_last(g, block)]; }

/* Visits the block behind every call that may call `function`. */
static void visit_callers(search *s, uint32_t function)
{
	bool indirectly = function != UINT32_MAX && hd_may_call(s->g, function);
	if (!hd_spend_steps(s->g, s->g->n))
		return;
	for (uint32_t b = 0; b + 1 < s->g->n; b++) {
		const hd_inst *inst = last_of(s->g, b);
		bool directly = inst->op == HD_OP_CALL && s->g->function[hd_block_at(s->g, (uint32_t)inst->imm)] == function;
		if (directly || (indirectly && inst->op == HD_OP_CALLX))
			visit(s, b + 1, false);
	}
}

/* Visits the blocks to which a lane can go from the end of a block. */
static void follow(search *s, uint32_t block, bool callee)
{
	const hd_code_graph *g = s->g;
	const hd_inst *inst = last_of(g, block);
	size_t at = 0;
	bool listed = inst->op == HD_OP_BRX || inst->op == HD_OP_CALLX;
	if (!hd_spend_steps(g, listed ? g->object->targets.n * (inst->op == HD_OP_CALLX ? g->object->functions.n : 1) : 1))
		return;
	switch (inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
		if (!hd_is_never(inst))
			visit(s, hd_block_at(g, (uint32_t)inst->imm), callee);
		break;
	case HD_OP_BRX:
		for (uint32_t target; (target = hd_next_listed_target(g, block, &at)) != UINT32_MAX;)
			visit(s, target, callee);
		break;
	case HD_OP_CALL:
		visit(s, hd_block_at(g, (uint32_t)inst->imm), true);
		break;
	case HD_OP_CALLX:
		for (uint32_t i = 0; i < g->object->functions.n; i++)
			if (hd_may_call(g, i))
				visit(s, hd_function_entry(g, i), true);
		break;
	case HD_OP_RET:
		if (!callee && !hd_is_never(inst))
			visit_callers(s, g->function[block]);
		break;
	default:
		break;
	}
	if (hd_falls_through(inst))
		visit(s, block + 1, callee);
}

/* The word of an instruction behind `word` that may read `reg`, 0 = none. */
static uint32_t later_reader(search *s, uint32_t block, uint32_t word, unsigned reg)
{
	const hd_code_graph *g = s->g;
	hd_use uses[HD_MAX_USES];
	const hd_inst *inst = &g->insts[word];
	bool killed;
	/* The instruction itself may overwrite the register. */
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
		if (in_range(&uses[n], reg) && hd_is_unguarded(inst))
			return 0;
	uint32_t reader = reader_in(s, block, word + 1, reg, &killed);
	if (reader || killed)
		return reader;
	if (!hd_spend_steps(g, g->n / 16))
		return 0;
	memset(s->seen, 0, 2 * (size_t)g->n * sizeof *s->seen);
	s->top = 0;
	follow(s, block, false);
	while (s->top) {
		uint32_t number = s->stack[--s->top], at = number % g->n;
		reader = reader_in(s, at, g->begin[at], reg, &killed);
		if (reader)
			return reader;
		if (!killed)
			follow(s, at, number >= g->n);
	}
	return 0;
}

/* The word that makes the flag on register `reg` of `word` wrong within the block, 0 = none. */
static uint32_t wrong_producer(const hd_code_graph *g, const hd_machine *machine, uint32_t block, uint32_t word, unsigned reg)
{
	const hd_inst *inst = &g->insts[word];
	unsigned pipe = hd_machine_op_pipe(machine, inst->op);
	bool guard_changed = false;
	if (pipe >= HD_PIPE_FLOW) /* these pipes have no forwarding paths */
		return word;
	for (uint32_t w = word; w-- > g->begin[block] && hd_spend_steps(g, 1);) {
		if (hd_is_scheduling_word(g, w))
			continue;
		const hd_inst *p = &g->insts[w];
		hd_use uses[HD_MAX_USES];
		if (hd_ops[p->op].pipe == HD_PIPE_FLOW)
			return w;
		for (unsigned n = hd_inst_writes(p, uses); n-- > 0;) {
			guard_changed |= !uses[n].words && inst->guard != HD_PT && uses[n].reg == inst->guard;
			if (!in_range(&uses[n], reg))
				continue;
			bool all = hd_is_unguarded(inst);
			bool alike = inst->guard == p->guard && inst->guard_neg == p->guard_neg && !guard_changed;
			return all || alike ? 0 : w;
		}
		for (unsigned n = hd_inst_reads(p, uses); n-- > 0;)
			if (in_range(&uses[n], reg) && hd_machine_op_pipe(machine, p->op) != pipe)
				return w;
	}
	return word; /* made before the block: other lanes may have it, too */
}

uint64_t hd_check_last_uses(const hd_code_graph *g, const hd_machine *machine,
                            void (*object_to)(void *context, uint32_t word, uint32_t other, int reg), void *context)
{
	search s = {g, hd_xcalloc(2 * (size_t)g->n + 1, sizeof *s.seen), hd_xcalloc(2 * (size_t)g->n + 1, sizeof *s.stack), 0};
	uint64_t flags = 0;
	for (uint32_t b = 0; b < g->n; b++) {
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
			const hd_inst *inst = &g->insts[word];
			if (hd_is_scheduling_word(g, word) || !inst->last_use)
				continue;
			hd_use uses[HD_MAX_USES];
			for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;) {
				if (uses[n].operand > 2 || !uses[n].words || !(inst->last_use >> uses[n].operand & 1))
					continue;
				flags++;
				uint32_t other = 0;
				for (unsigned r = 0; r < uses[n].words && !other; r++) {
					other = wrong_producer(g, machine, b, word, uses[n].reg + r);
					other = other ? other : later_reader(&s, b, word, uses[n].reg + r);
				}
				if (other)
					object_to(context, word, other, uses[n].reg);
			}
		}
	}
	free(s.seen);
	free(s.stack);
	return flags;
}
