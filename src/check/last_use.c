/* Proof of last-use flags. In a block (no flow instruction inside, no lane joins) the flagged operand's value must have been made, whole, by an
 * instruction of the same pipe for at least the same lanes; all that read it in between must enter before the one with the flag, by the pipe's order;
 * and behind it no instruction may read any of the registers before it is written again for all lanes that are there, on any physical path.
 *
 * Forward from the flag, not backward liveness: a search for a reader, register by register. */
#include "check/last_use.h"

typedef struct search {
	const hd_code_graph *g;
	bool *seen; /* blocks */
	uint32_t *stack;
} search;

static bool in_range(const hd_use *use, unsigned reg) { return use->words && reg >= use->reg && reg < (unsigned)use->reg + use->words; }
static bool ends_here(const hd_inst *inst)
{
	return inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX || inst->op == HD_OP_RET || inst->op == HD_OP_BRX;
}

/* What instruction `word` does to register `reg`: 1 reads it or hands it to code that may, -1 writes it for all lanes there, 0 neither. */
static int touches(const hd_inst *inst, unsigned reg)
{
	hd_use uses[HD_MAX_USES];
	if (ends_here(inst))
		return 1;
	for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
		if (in_range(&uses[n], reg))
			return 1;
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
		if (in_range(&uses[n], reg) && inst->guard == HD_PT && !inst->guard_neg)
			return -1;
	return 0;
}

/* First reader in words [from, end of block), `*killed` when there is a definition before any. */
static uint32_t reader_in(const search *s, uint32_t block, uint32_t from, unsigned reg, bool *killed)
{
	*killed = false;
	for (uint32_t word = from; word < s->g->begin[block + 1]; word++) {
		int what = hd_is_scheduling_word(s->g, word) ? 0 : touches(&s->g->insts[word], reg);
		if (what > 0)
			return word;
		if (what < 0) {
			*killed = true;
			return 0;
		}
	}
	return 0;
}

/* Word of an instruction that may read `reg` behind `word`; 0 = none. */
static uint32_t later_reader(search *s, uint32_t block, uint32_t word, unsigned reg)
{
	const hd_code_graph *g = s->g;
	hd_use uses[HD_MAX_USES];
	const hd_inst *inst = &g->insts[word];
	uint32_t top = 0;
	bool killed;
	/* The instruction itself may write the register anew. */
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
		if (in_range(&uses[n], reg) && inst->guard == HD_PT && !inst->guard_neg)
			return 0;
	uint32_t reader = reader_in(s, block, word + 1, reg, &killed);
	if (reader || killed)
		return reader;
	memset(s->seen, 0, (g->n + 1) * sizeof *s->seen);
	for (uint32_t at = block;;) {
		for (uint32_t e = g->succ_first[at]; e < g->succ_first[at + 1]; e++) {
			uint32_t next = g->succ[e];
			if (!s->seen[next]) {
				s->seen[next] = true;
				s->stack[top++] = next;
			}
		}
		for (;;) {
			if (!top)
				return 0;
			at = s->stack[--top];
			reader = reader_in(s, at, g->begin[at], reg, &killed);
			if (reader)
				return reader;
			if (!killed)
				break;
		}
	}
}

/* The instruction that keeps the flag on registers reg.. of `word` from being right within the block: 0 = none. */
static uint32_t wrong_producer(const hd_code_graph *g, uint32_t block, uint32_t word, unsigned reg, unsigned words)
{
	const hd_inst *inst = &g->insts[word];
	unsigned pipe = hd_ops[inst->op].pipe;
	bool guard_changed = false;
	if (pipe >= HD_PIPE_LATOM) /* nothing is forwarded there, and it may be sent again */
		return word;
	for (uint32_t w = word; w-- > g->begin[block];) {
		if (hd_is_scheduling_word(g, w))
			continue;
		const hd_inst *p = &g->insts[w];
		hd_use uses[HD_MAX_USES];
		if (hd_ops[p->op].pipe == HD_PIPE_FLOW)
			return w;
		for (unsigned n = hd_inst_writes(p, uses); n-- > 0;) {
			guard_changed |= !uses[n].words && inst->guard != HD_PT && uses[n].reg == inst->guard;
			if (!uses[n].words || uses[n].reg >= reg + words || reg >= (unsigned)uses[n].reg + uses[n].words)
				continue;
			bool whole = uses[n].reg == reg && uses[n].words == words && hd_ops[p->op].pipe == pipe;
			bool all = inst->guard == HD_PT && !inst->guard_neg;
			bool alike = inst->guard == p->guard && inst->guard_neg == p->guard_neg && !guard_changed;
			return whole && (all || alike) ? 0 : w;
		}
		for (unsigned n = hd_inst_reads(p, uses); n-- > 0;)
			if (uses[n].words && uses[n].reg < reg + words && reg < (unsigned)uses[n].reg + uses[n].words && hd_ops[p->op].pipe != pipe)
				return w;
	}
	return word; /* made before the block: other lanes may have it, too */
}

uint64_t hd_check_last_uses(const hd_code_graph *g, void (*object_to)(void *context, uint32_t word, uint32_t other, int reg), void *context)
{
	search s = {g, hd_xcalloc((size_t)g->n + 1, sizeof *s.seen), hd_xcalloc((size_t)g->n + 1, sizeof *s.stack)};
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
				uint32_t other = wrong_producer(g, b, word, uses[n].reg, uses[n].words);
				for (unsigned r = 0; r < uses[n].words && !other; r++)
					other = later_reader(&s, b, word, uses[n].reg + r);
				if (other)
					object_to(context, word, other, uses[n].reg);
			}
		}
	}
	free(s.seen);
	free(s.stack);
	return flags;
}
