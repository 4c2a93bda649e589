/* A register is called divergent at a point where lanes that execute together may hold different values in it.
 *
 *  1. Divergent are thread and lane numbers, results of atomics and shuffles, values from local memory, arguments of functions. Uniform are
 *     constants, kernel parameters, CTA numbers, votes, and values that a uniform address is loaded from. Registers are zero when a kernel begins.
 *  2. A result is divergent if an operand or the guard is. Under a guard the old value stays in some lanes, so a divergent old value counts, too.
 *  3. Lanes that a divergent branch has separated come together after different ways, at its joins (joins.h). There, everything that a block in
 *     between writes is divergent. This includes loops that lanes leave after different numbers of iterations.
 *
 * Between a divergent branch and its joins, each side runs on its own; so a loop inside of `if (i < n)` can be uniform. The
 * analysis is repeated until nothing changes. Registers only become divergent, never uniform, so it ends. */
#include "passes/analysis/uniformity.h"

#include "passes/analysis/resources.h"

typedef hd_resource_set set;

_Static_assert(HD_RES_COUNT <= 8 * sizeof(set), "a bit for each resource");

static inline bool has(const set *s, unsigned i) { return s->words[i >> 6] >> (i & 63) & 1; }
static inline void add(set *s, unsigned i) { s->words[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void del(set *s, unsigned i) { s->words[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }

/* True: `into` changed. */
static bool join(set *into, const set *from)
{
	uint64_t added = 0;
	for (unsigned i = 0; i < HD_COUNT(into->words); i++) {
		added |= from->words[i] & ~into->words[i];
		into->words[i] |= from->words[i];
	}
	return added != 0;
}

static const set everything = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void add_written(set *to, const hd_ir_inst *inst, const hd_machine *machine, const set *written)
{
	hd_resource_use a;
	hd_resource_use_of(inst, false, machine, &a);
	for (unsigned i = 0; i < a.n_writes; i++)
		add(to, a.writes[i]);
	if (inst->op == HD_OP_CALL)
		join(to, &written[inst->callee]);
	if (inst->op == HD_OP_CALLX)
		join(to, &everything);
}

hd_resource_set *hd_written_resources(const hd_ir_module *module, const hd_machine *machine)
{
	set *written = hd_xcalloc(module->functions.n + 1, sizeof *written);
	for (bool again = true; again;) {
		again = false;
		for (size_t f = 0; f < module->functions.n; f++) {
			set now = {{0}};
			const hd_ir_function *function = module->functions.at[f];
			for (size_t b = 0; b < function->blocks.n; b++)
				for (size_t i = 0; i < function->blocks.at[b]->insts.n; i++)
					add_written(&now, function->blocks.at[b]->insts.at[i], machine, written);
			again |= join(&written[f], &now);
		}
	}
	return written;
}

/* Is the result different in each lane, whatever the operands are? */
static bool always_divergent(const hd_ir_inst *inst)
{
	return inst->op == HD_OP_S2R ? hd_sreg_differs(inst->sub) : hd_ops[inst->op].flags & HD_OPF_DIFFERS;
}

/* All lanes that take part in a vote get one result, whatever the predicate is in each. It is divergent only if they disagree who takes part. */
static bool vote_divergent(const set *divergent, const hd_ir_inst *inst)
{
	bool members = inst->s[0].kind == HD_OPD_REG && inst->s[0].reg != HD_RZ && has(divergent, inst->s[0].reg);
	bool guard = inst->guard.kind == HD_OPD_PRED && inst->guard.reg < HD_PREDS && has(divergent, HD_RES_PRED + inst->guard.reg);
	return members || guard;
}

static void step(set *divergent, const hd_ir_inst *inst, const hd_machine *machine, const set *written)
{
	hd_resource_use a;
	if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX) {
		add_written(divergent, inst, machine, written);
		return;
	}
	hd_resource_use_of(inst, false, machine, &a);
	bool vote = inst->op == HD_OP_VOTE || inst->op == HD_OP_BALLOT;
	bool result = always_divergent(inst) || (vote && vote_divergent(divergent, inst));
	for (unsigned i = 0; i < a.n_reads && !vote; i++)
		result |= has(divergent, a.reads[i]);
	for (unsigned i = 0; i < a.n_writes; i++) {
		if (result)
			add(divergent, a.writes[i]);
		else if (inst->guard.kind == HD_OPD_NONE)
			del(divergent, a.writes[i]);
	}
}

/* Working memory with a place for each block. */
typedef struct search {
	uint32_t *queue;
	bool *seen;
} search;

/* Collects the values that the blocks on the ways from the branch of b to its join `meet` write. */
static void written_between(const hd_ir_function *f, const hd_machine *machine, const set *written, uint32_t b, uint32_t meet, search *own, set *out)
{
	size_t n = 0;
	uint32_t *queue = own->queue;
	bool *seen = own->seen;
	memset(seen, 0, f->blocks.n * sizeof *seen);
	queue[n++] = b;
	for (bool first = true; n; first = false) {
		const hd_ir_block *block = f->blocks.at[queue[--n]];
		for (size_t i = 0; i < block->insts.n && !first; i++)
			add_written(out, block->insts.at[i], machine, written);
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t to = block->succ.at[s];
			if (to == meet || seen[to])
				continue;
			seen[to] = true;
			queue[n++] = to;
		}
	}
}

static bool branch_divergent(const hd_ir_block *block, const set *divergent)
{
	return block->term == HD_TERM_BRANCH && block->pred.kind == HD_OPD_PRED && block->pred.reg < HD_PREDS &&
	       has(divergent, HD_RES_PRED + block->pred.reg);
}

void hd_find_divergent_branches(const hd_ir_function *f, const hd_machine *machine, const hd_resource_set *written, const hd_joins *joins,
                                hd_bits *divergent)
{
	hd_bits meet = hd_bits_new(f->blocks.n + 1);
	uint32_t n = (uint32_t)f->blocks.n;
	set *in = hd_xcalloc((size_t)n + 1, sizeof *in); /* divergent resources at the beginning of each block */
	search own = {.queue = hd_xcalloc((size_t)n + 1, sizeof *own.queue), .seen = hd_xcalloc((size_t)n + 1, sizeof *own.seen)};
	if (n && !f->kernel)
		in[0] = everything;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < n; b++) {
			const hd_ir_block *block = f->blocks.at[b];
			set now = in[b];
			for (size_t i = 0; i < block->insts.n; i++)
				step(&now, block->insts.at[i], machine, written);
			for (size_t s = 0; s < block->succ.n; s++)
				again |= join(&in[block->succ.at[s]], &now);
			if (!branch_divergent(block, &now) || hd_bits_has(divergent, b))
				continue;
			hd_bits_add(divergent, b);
			hd_bits_clear(&meet);
			hd_joins_of(joins, b, &meet);
			for (size_t at = hd_bits_next(&meet, 0); at < n; at = hd_bits_next(&meet, at + 1)) {
				set between = {{0}};
				written_between(f, machine, written, b, (uint32_t)at, &own, &between);
				again |= join(&in[at], &between);
			}
		}
	}
	hd_bits_free(&meet);
	free(own.queue);
	free(in);
	free(own.seen);
}
