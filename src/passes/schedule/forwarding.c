#include "passes/schedule/forwarding.h"

enum { REGISTERS = 256, SOURCES = 3, NOBODY = UINT32_MAX };

/* A source operand's value, made in the block by an instruction that wrote exactly its registers; NOBODY: some other. */
typedef struct use {
	uint32_t of[SOURCES];
	uint8_t words[SOURCES];
} use;

struct hd_near {
	use *uses;
	uint32_t *readers; /* of each instruction's value: reads not issued yet */
	uint32_t *until;   /* first cycle in which a reader finds it nowhere but in the register file; 0: not issued */
	uint32_t *latency;
	uint32_t reach;
};

static bool is_register(const hd_opd *o) { return o->kind == HD_OPD_REG && o->reg != HD_RZ; }

static bool forwards(const hd_machine *machine, const hd_ir_inst *inst)
{
	return inst->op < HD_OP_COUNT && hd_ops[inst->op].pipe < (machine->last_use_across ? HD_PIPE_FLOW : HD_PIPE_LATOM);
}

/* Makes `writer` the maker of the operand's registers; the value is known by the first of them. */
static void write(uint32_t maker[REGISTERS], uint8_t words[REGISTERS], const hd_opd *o, uint32_t writer)
{
	for (unsigned r = o->reg + o->sub; is_register(o) && r < o->reg + o->sub + o->words; r++) {
		maker[r] = writer;
		words[r] = 0;
	}
	if (is_register(o))
		words[o->reg + o->sub] = o->words;
}

static bool same_maker(const uint32_t maker[REGISTERS], unsigned first, unsigned words)
{
	for (unsigned r = first; r < first + words; r++)
		if (maker[r] != maker[first])
			return false;
	return true;
}

hd_near *hd_near_new(const hd_machine *machine, const hd_ir_block *block)
{
	uint32_t n = (uint32_t)block->insts.n, reach = machine->last_use_path_b + machine->last_use_path_a + machine->last_use_compensation;
	if (!machine->last_use_schedule || !machine->last_use_flags || !reach)
		return NULL;
	hd_near *near = hd_xcalloc(1, sizeof *near);
	uint32_t maker[REGISTERS];
	uint8_t words[REGISTERS] = {0}; /* of the value that begins there */
	near->uses = hd_xcalloc(n, sizeof *near->uses);
	near->readers = hd_xcalloc(n, sizeof *near->readers);
	near->until = hd_xcalloc(n, sizeof *near->until);
	near->latency = hd_xcalloc(n, sizeof *near->latency);
	near->reach = reach;
	memset(maker, 0xff, sizeof maker);
	for (uint32_t i = 0; i < n; i++) {
		const hd_ir_inst *inst = block->insts.at[i];
		near->latency[i] = inst->op < HD_OP_COUNT ? machine->latency[hd_ops[inst->op].klass].latency : 0;
		for (unsigned s = 0; s < SOURCES; s++) {
			near->uses[i].of[s] = NOBODY;
			if (s >= inst->ns || !is_register(&inst->s[s]))
				continue;
			unsigned first = inst->s[s].reg + inst->s[s].sub;
			uint32_t from = maker[first];
			if (from == NOBODY || words[first] != inst->s[s].words || !same_maker(maker, first, words[first]))
				continue;
			const hd_ir_inst *writer = block->insts.at[from];
			near->readers[from]++;
			if (!forwards(machine, inst) || !forwards(machine, writer) ||
			    (!machine->last_use_across && hd_ops[inst->op].pipe != hd_ops[writer->op].pipe))
				continue;
			near->uses[i].of[s] = from;
			near->uses[i].words[s] = inst->s[s].words;
		}
		for (unsigned d = 0; d < inst->nd; d++)
			write(maker, words, &inst->d[d], i);
	}
	return near;
}

void hd_near_free(hd_near *near)
{
	if (!near)
		return;
	free(near->uses);
	free(near->readers);
	free(near->until);
	free(near->latency);
	free(near);
}

void hd_near_issue(hd_near *near, uint32_t inst, uint32_t cycle)
{
	near->until[inst] = cycle + near->latency[inst] + near->reach;
	for (unsigned s = 0; s < SOURCES; s++) {
		uint32_t of = near->uses[inst].of[s];
		if (of != NOBODY && near->readers[of])
			near->readers[of]--;
	}
}

unsigned hd_near_gain(const hd_near *near, uint32_t inst, uint32_t cycle)
{
	unsigned gain = 0;
	for (unsigned s = 0; s < SOURCES; s++) {
		uint32_t of = near->uses[inst].of[s];
		if (of != NOBODY && cycle < near->until[of])
			gain += near->uses[inst].words[s] * (near->readers[of] == 1 ? 2 : 1);
	}
	return gain;
}
