/* What all active lanes have alike. A register is called divergent where lanes that execute together may hold different values in it:
 *
 *  1. Thread numbers, lane numbers, results of atomics and shuffles, local memory, arguments of functions are divergent; constants, parameters, CTA
 *     numbers, votes, and loads from an address that is not divergent are not. Registers are zero when a kernel begins.
 *  2. A result is divergent if an operand or the guard is; under a guard the old value counts, too.
 *  3. Lanes that a divergent branch has separated come together where its sides meet, and have been different ways: what any block between writes is
 *     divergent there. That holds for loops, too, which lanes leave after different numbers of turns.
 *
 * On the way from a divergent branch to the meeting place a side runs on its own, so that a loop inside of `if (i < n)` can be uniform. All is
 * repeated until nothing changes; registers only become divergent. */
#include "passes/analysis/uniformity.h"

#include "passes/analysis/resources.h"

_Static_assert(HD_RES_COUNT <= 5 * 64, "a bit for each resource");

typedef hd_written set;

static inline bool has(const set *s, unsigned i) { return s->set[i >> 6] >> (i & 63) & 1; }
static inline void add(set *s, unsigned i) { s->set[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void del(set *s, unsigned i) { s->set[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }

static bool join(set *into, const set *from)
{
	uint64_t fresh = 0;
	for (unsigned i = 0; i < HD_COUNT(into->set); i++) {
		fresh |= from->set[i] & ~into->set[i];
		into->set[i] |= from->set[i];
	}
	return fresh != 0;
}

static const set everything = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void add_written(set *to, const hd_ir_inst *inst, const hd_machine *machine, const set *written)
{
	hd_accesses a;
	hd_accesses_of(inst, machine, &a);
	for (unsigned i = 0; i < a.n_writes; i++)
		add(to, a.writes[i]);
	if (inst->op == HD_OP_CALL)
		join(to, &written[inst->callee]);
	if (inst->op == HD_OP_CALLX)
		join(to, &everything);
}

hd_written *hd_module_written(const hd_ir_module *module, const hd_machine *machine)
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

/* Different for each lane whatever the operands are. */
static bool differs(const hd_ir_inst *inst)
{
	switch (inst->op) {
	case HD_OP_S2R:
		return inst->sub == HD_SREG_TIDX || inst->sub == HD_SREG_TIDY || inst->sub == HD_SREG_TIDZ || inst->sub == HD_SREG_LANEID ||
		       (inst->sub >= HD_SREG_LANEMASK_EQ && inst->sub <= HD_SREG_LANEMASK_GT);
	case HD_OP_SHFLP:
	case HD_OP_MATCHANY:
	case HD_OP_MATCHANY64:
	case HD_OP_LD: /* the address may be one of local memory */
	case HD_OP_LDL:
		return true;
	default:
		return hd_ops[inst->op].format == HD_F_ATOM || hd_ops[inst->op].format == HD_F_CAS;
	}
}

static void step(set *divergent, const hd_ir_inst *inst, const hd_machine *machine, const set *written)
{
	hd_accesses a;
	if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX) {
		add_written(divergent, inst, machine, written);
		return;
	}
	hd_accesses_of(inst, machine, &a);
	bool any = differs(inst);
	/* A vote is the same for all that take part, if they agree who does: its predicate does not matter. */
	bool vote = inst->op == HD_OP_VOTE || inst->op == HD_OP_BALLOT;
	for (unsigned i = 0; i < a.n_reads && !vote; i++)
		any |= has(divergent, a.reads[i]);
	if (vote)
		any |= inst->s[0].kind == HD_OPD_REG && inst->s[0].reg != HD_RZ && has(divergent, inst->s[0].reg);
	if (vote && inst->guard.kind == HD_OPD_PRED)
		any |= inst->guard.reg < HD_PREDS && has(divergent, HD_RES_PRED + inst->guard.reg);
	for (unsigned i = 0; i < a.n_writes; i++) {
		if (any)
			add(divergent, a.writes[i]);
		else if (inst->guard.kind == HD_OPD_NONE)
			del(divergent, a.writes[i]);
	}
}

/* What the blocks on the ways from the branch of b to its meeting place write. */
static void written_between(const hd_ir_function *f, const hd_machine *machine, const set *written, uint32_t b, uint32_t meet, uint32_t *queue,
                            bool *seen, set *out)
{
	size_t n = 0;
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

static bool branch_differs(const hd_ir_block *block, const set *divergent)
{
	return block->term == HD_TERM_BRANCH && block->pred.kind == HD_OPD_PRED && block->pred.reg < HD_PREDS &&
	       has(divergent, HD_RES_PRED + block->pred.reg);
}

void hd_find_divergent(const hd_ir_function *f, const hd_machine *machine, const hd_written *written, const uint32_t *meet, hd_bits *divergent)
{
	uint32_t n = (uint32_t)f->blocks.n, *queue = hd_xcalloc((size_t)n + 1, sizeof *queue);
	set *at = hd_xcalloc((size_t)n + 1, sizeof *at); /* at the beginning of each block */
	bool *seen = hd_xcalloc((size_t)n + 1, sizeof *seen);
	if (n && !f->kernel)
		at[0] = everything;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < n; b++) {
			const hd_ir_block *block = f->blocks.at[b];
			set now = at[b];
			for (size_t i = 0; i < block->insts.n; i++)
				step(&now, block->insts.at[i], machine, written);
			for (size_t s = 0; s < block->succ.n; s++)
				again |= join(&at[block->succ.at[s]], &now);
			if (!branch_differs(block, &now) || hd_bits_has(divergent, b))
				continue;
			hd_bits_add(divergent, b);
			if (meet[b] < n) {
				set between = {{0}};
				written_between(f, machine, written, b, meet[b], queue, seen, &between);
				again |= join(&at[meet[b]], &between);
			}
		}
	}
	free(queue);
	free(at);
	free(seen);
}
