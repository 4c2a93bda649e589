/* The registers that begin as zeros because a thread may read them before it has written them, by kernel: the others need no clearing, and short
 * kernels would spend more time on that than on their instructions. The usual analysis of liveness, backwards, for one thread: a write under a guard
 * does not count. An instruction that reads another lane's register reads that of an active lane (semantics/vector_lanes.c), which has come the same
 * way. A call leads to its target and behind itself, as a branch does, and a return nowhere: what is read behind a call is live before it, whatever
 * the subroutine writes. Where an indirect branch or call is reached, all registers of the program begin as zeros. */
#include "interp/state.h"

/* Registers that an instruction reads, and those that it writes for every thread that comes by. */
typedef struct effect {
	hd_oracle_registers reads, writes, live; /* live: before the instruction */
	bool seen;
} effect;

static void add(hd_oracle_registers *set, unsigned first, unsigned words)
{
	for (unsigned i = first; i < first + words && i < HD_RZ; i++)
		set->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void describe(effect *e, const hd_oracle_op *op)
{
	hd_use uses[HD_MAX_USES];
	unsigned n = hd_inst_reads(op->inst, uses);
	for (unsigned i = 0; i < n; i++)
		add(&e->reads, uses[i].reg, uses[i].words);
	n = op->always ? hd_inst_writes(op->inst, uses) : 0;
	for (unsigned i = 0; i < n; i++)
		add(&e->writes, uses[i].reg, uses[i].words);
}

static bool branches(const hd_oracle_op *op) { return op->inst->op == HD_OP_BRA || op->inst->op == HD_OP_BRK || op->inst->op == HD_OP_CALL; }

/* Marks what is reached from `entry`. False: it cannot be known, or a word is no instruction. *lowest, *highest: of these words. */
static bool reach(const hd_oracle *o, uint32_t entry, effect *at, uint32_t *lowest, uint32_t *highest)
{
	uint32_t *waiting = hd_xmalloc((2 * (size_t)o->n_ops + 1) * sizeof *waiting), n = 0;
	bool known = true;
	*lowest = *highest = entry;
	waiting[n++] = entry;
	while (n && known) {
		uint32_t word = waiting[--n];
		const hd_oracle_op *op = word < o->n_ops ? &o->ops[word] : NULL;
		if (!op || op->kind == HD_ORACLE_BAD || at[word].seen)
			continue; /* a bad word is a trap */
		at[word].seen = true;
		describe(&at[word], op);
		*lowest = hd_min_u32(*lowest, word);
		*highest = hd_max_u32(*highest, word);
		known = op->inst->op != HD_OP_BRX && op->inst->op != HD_OP_CALLX;
		if (branches(op))
			waiting[n++] = (uint32_t)op->inst->imm;
		if (hd_falls_through(op->inst))
			waiting[n++] = op->next;
	}
	free(waiting);
	return known;
}

/* One step of the analysis. True when it found something new. */
static bool flow_back(const hd_oracle *o, effect *at, uint32_t word)
{
	static const hd_oracle_registers none = {{0}};
	const hd_oracle_op *op = &o->ops[word];
	uint32_t target = (uint32_t)op->inst->imm;
	const hd_oracle_registers *next = hd_falls_through(op->inst) && op->next < o->n_ops ? &at[op->next].live : &none;
	const hd_oracle_registers *there = branches(op) && target < o->n_ops ? &at[target].live : &none;
	effect *e = &at[word];
	bool changed = false;
	for (unsigned i = 0; i < HD_COUNT(none.bits); i++) {
		uint64_t live = e->reads.bits[i] | ((next->bits[i] | there->bits[i]) & ~e->writes.bits[i]);
		changed |= live != e->live.bits[i];
		e->live.bits[i] = live;
	}
	return changed;
}

static hd_oracle_registers zeros_from(const hd_oracle *o, uint32_t entry)
{
	effect *at = hd_xcalloc(o->n_ops, sizeof *at);
	uint32_t lowest, highest;
	hd_oracle_registers zeros = {{0}};
	if (reach(o, entry, at, &lowest, &highest)) {
		for (bool changed = true; changed;) {
			changed = false;
			for (uint32_t word = highest + 1; word-- > lowest;)
				if (at[word].seen)
					changed |= flow_back(o, at, word);
		}
		zeros = at[entry].live;
	} else {
		add(&zeros, 0, o->n_registers);
	}
	free(at);
	return zeros;
}

const hd_oracle_registers *hd_oracle_zeros(hd_oracle *o, uint32_t entry)
{
	for (size_t i = 0; i < o->zeros.n; i++)
		if (o->zeros.at[i].entry == entry)
			return &o->zeros.at[i].registers;
	hd_vec_push(&o->zeros, ((hd_oracle_entry){.entry = entry, .registers = zeros_from(o, entry)}));
	return &o->zeros.at[o->zeros.n - 1].registers;
}
