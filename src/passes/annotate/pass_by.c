#include "passes/annotate/pass_by.h"

/* TRACE: how far the simulation follows the program. ROUNDS: a mark leaves room for other values, so the marks are revised. */
enum { TRACE = 512, ROUNDS = 3, MOST_ENTRIES = 20 };

typedef struct entry {
	uint32_t reg;   /* HD_RZ = free */
	uint32_t maker; /* place in the trace */
	uint64_t used;
} entry;

typedef struct outcome {
	uint32_t hits, evicted; /* words */
} outcome;

typedef struct simulation {
	hd_ir_inst *trace[TRACE];
	outcome of[TRACE];
	uint32_t n, own; /* `own` instructions belong to the block, the others follow it */
	entry at[MOST_ENTRIES];
	uint32_t entries;
	uint64_t clock;
} simulation;

/* The block that follows most often: the way back to the beginning of a loop, or else the deeper loop. */
static const hd_ir_block *likely_successor(const hd_ir_function *function, const hd_ir_block *block)
{
	const hd_ir_block *best = NULL;
	for (size_t e = 0; e < block->succ.n; e++) {
		const hd_ir_block *to = function->blocks.at[block->succ.at[e]];
		if (to == block)
			return to;
		if (!best || to->loop_depth > best->loop_depth)
			best = to;
	}
	return best;
}

static void follow(simulation *s, const hd_ir_function *function, const hd_ir_block *block)
{
	s->n = s->own = 0;
	for (const hd_ir_block *at = block; at && s->n < TRACE; at = likely_successor(function, at)) {
		if (at->insts.n == 0 && at != block)
			break;
		for (size_t i = 0; i < at->insts.n && s->n < TRACE; i++) {
			hd_ir_inst *inst = at->insts.at[i];
			if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX || inst->op == HD_OP_RET)
				return; /* other code displaces the values */
			s->trace[s->n++] = inst;
			s->own += at == block && s->own == i;
		}
	}
}

static entry *find(simulation *s, uint32_t reg)
{
	for (unsigned i = 0; i < s->entries; i++)
		if (s->at[i].reg == reg)
			return &s->at[i];
	return NULL;
}

static entry *least_recently_used(simulation *s)
{
	entry *least = &s->at[0];
	for (unsigned i = 1; i < s->entries; i++)
		if (s->at[i].used < least->used)
			least = &s->at[i];
	return least;
}

static void read_operands(simulation *s, const hd_ir_inst *inst)
{
	for (unsigned k = 0; k < inst->ns; k++) {
		for (unsigned w = 0; hd_opd_is_physical(&inst->s[k]) && w < inst->s[k].words; w++) {
			entry *e = find(s, inst->s[k].reg + inst->s[k].sub + w);
			if (!e)
				continue;
			s->of[e->maker].hits++;
			e->used = s->clock;
			if (inst->s[k].last_use)
				e->reg = HD_RZ;
		}
	}
}

static bool passes_by(const hd_ir_inst *inst) { return inst->release && !inst->primary; }

static void write_results(simulation *s, const hd_ir_inst *inst, uint32_t place)
{
	for (unsigned k = 0; k < inst->nd; k++) {
		for (unsigned w = 0; hd_opd_is_physical(&inst->d[k]) && w < inst->d[k].words; w++) {
			uint32_t reg = inst->d[k].reg + inst->d[k].sub + w;
			entry *e = find(s, reg);
			if (passes_by(inst)) {
				if (e)
					e->reg = HD_RZ;
				continue;
			}
			e = e ? e : find(s, HD_RZ);
			if (!e) {
				e = least_recently_used(s);
				s->of[e->maker].evicted++;
			}
			*e = (entry){reg, place, s->clock};
		}
	}
}

static void simulate(simulation *s)
{
	memset(s->of, 0, sizeof s->of);
	for (unsigned i = 0; i < s->entries; i++)
		s->at[i] = (entry){.reg = HD_RZ};
	for (uint32_t i = 0; i < s->n; i++) {
		s->clock++;
		read_operands(s, s->trace[i]);
		write_results(s, s->trace[i], i);
	}
}

/* Femtojoule that a read from the buffer saves, and that a stay in it costs until the value is written to the register file. */
static void prices(const hd_machine *m, uint64_t *saved, uint64_t *cost)
{
	uint64_t entries = hd_max_u32(m->last_use_compensation / hd_machine_compensation_share(m), 1);
	uint64_t read = m->energy_compensation_read + entries * m->energy_compensation_read_entry;
	uint64_t less = m->energy_forward + read;
	*cost = m->energy_forward + m->energy_compensation_write + entries * m->energy_compensation_write_entry + read;
	if (m->last_use_last_result)
		*cost += m->energy_last_result_write + m->energy_last_result_read;
	*saved = m->energy_register_read > less ? m->energy_register_read - less : 0;
}

/* Can the word of this instruction carry the mark? A movi has an immediate there, and the release of a primary means something else. */
static bool can_pass_by(const hd_ir_inst *inst)
{
	return inst->op < HD_OP_COUNT && inst->op != HD_OP_MOVI && !inst->primary && inst->nd && hd_opd_is_physical(&inst->d[0]) &&
	       hd_ops[inst->op].pipe < HD_PIPE_FLOW;
}

void hd_mark_pass_by(hd_ir_function *function, const hd_machine *machine)
{
	uint64_t saved, cost;
	if (!hd_machine_has_operand_buffer(machine))
		return;
	simulation *s = hd_xcalloc(1, sizeof *s);
	/* Slots that share registers rarely need all of them at a time, so each is taken to have them all. */
	s->entries = machine->last_use_compensation + machine->last_use_last_result;
	prices(machine, &saved, &cost);
	for (size_t b = 0; b < function->blocks.n; b++) {
		const hd_ir_block *block = function->blocks.at[b];
		follow(s, function, block);
		for (unsigned round = 0; round < ROUNDS; round++) {
			simulate(s);
			for (uint32_t i = 0; i < s->own; i++)
				if (can_pass_by(s->trace[i]) && s->of[i].evicted && s->of[i].hits * saved < s->of[i].evicted * cost)
					s->trace[i]->release = 1;
		}
	}
	free(s);
}
