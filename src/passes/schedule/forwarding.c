#include "passes/schedule/forwarding.h"

enum { SOURCES = 3 };

#define NO_PRODUCER UINT32_MAX

/* By source operand: the instruction of the block that wrote exactly its registers and can forward them; else NO_PRODUCER. */
typedef struct forwarded_sources {
	uint32_t producer[SOURCES];
	uint8_t words[SOURCES];
} forwarded_sources;

struct hd_forwarding {
	forwarded_sources *sources; /* of each instruction */
	uint32_t *readers;          /* of each instruction's result: reads that have not issued */
	uint32_t *until;   /* of each instruction: first cycle in which a reader finds the result in the register file alone; 0: not issued */
	uint32_t *latency; /* of each instruction */
	uint32_t reach;    /* cycles for which a result is on forwarding paths and in compensation registers */
};

/* Who wrote each register of the file last. */
typedef struct writers {
	uint32_t producer[HD_REGISTERS];
	uint8_t words[HD_REGISTERS]; /* of the value that begins in this register; 0 = none begins here */
} writers;

static bool forwards(const hd_machine *machine, const hd_ir_inst *inst)
{
	return inst->op < HD_OP_COUNT && hd_machine_forwards(machine, hd_machine_op_pipe(machine, inst->op));
}

static bool can_forward(const hd_machine *machine, const hd_ir_inst *producer, const hd_ir_inst *reader)
{
	return forwards(machine, reader) && forwards(machine, producer) &&
	       (machine->last_use_across || hd_machine_op_pipe(machine, reader->op) == hd_machine_op_pipe(machine, producer->op));
}

static void add_write(writers *w, const hd_opd *o, uint32_t producer)
{
	unsigned first = o->reg + o->sub;
	if (!hd_opd_is_physical(o))
		return;
	for (unsigned r = first; r < first + o->words; r++) {
		w->producer[r] = producer;
		w->words[r] = 0;
	}
	w->words[first] = o->words;
}

/* The instruction that wrote exactly the operand's registers; NO_PRODUCER if none of the block did. */
static uint32_t producer_of(const writers *w, const hd_opd *o)
{
	unsigned first = o->reg + o->sub;
	uint32_t producer = w->producer[first];
	if (producer == NO_PRODUCER || w->words[first] != o->words)
		return NO_PRODUCER;
	for (unsigned r = first; r < first + o->words; r++)
		if (w->producer[r] != producer)
			return NO_PRODUCER;
	return producer;
}

static void find_sources(hd_forwarding *f, const hd_machine *machine, const hd_ir_block *block, const writers *w, uint32_t i)
{
	const hd_ir_inst *inst = block->insts.at[i];
	for (unsigned s = 0; s < SOURCES; s++) {
		f->sources[i].producer[s] = NO_PRODUCER;
		if (s >= inst->ns || !hd_opd_is_physical(&inst->s[s]))
			continue;
		uint32_t producer = producer_of(w, &inst->s[s]);
		if (producer == NO_PRODUCER)
			continue;
		f->readers[producer]++;
		if (!can_forward(machine, block->insts.at[producer], inst))
			continue;
		f->sources[i].producer[s] = producer;
		f->sources[i].words[s] = inst->s[s].words;
	}
}

hd_forwarding *hd_forwarding_new(const hd_machine *machine, const hd_ir_block *block)
{
	uint32_t n = (uint32_t)block->insts.n, reach = hd_machine_reach(machine);
	if (!machine->last_use_schedule || !machine->last_use_flags || !reach)
		return NULL;
	hd_forwarding *f = hd_xcalloc(1, sizeof *f);
	writers w = {.words = {0}};
	f->sources = hd_xcalloc(n, sizeof *f->sources);
	f->readers = hd_xcalloc(n, sizeof *f->readers);
	f->until = hd_xcalloc(n, sizeof *f->until);
	f->latency = hd_xcalloc(n, sizeof *f->latency);
	f->reach = reach;
	memset(w.producer, 0xff, sizeof w.producer);
	for (uint32_t i = 0; i < n; i++) {
		const hd_ir_inst *inst = block->insts.at[i];
		f->latency[i] = inst->op < HD_OP_COUNT ? hd_machine_class_latency(machine, (hd_class)hd_ops[inst->op].klass) : 0;
		find_sources(f, machine, block, &w, i);
		for (unsigned d = 0; d < inst->nd; d++)
			add_write(&w, &inst->d[d], i);
	}
	return f;
}

void hd_forwarding_free(hd_forwarding *f)
{
	if (!f)
		return;
	free(f->sources);
	free(f->readers);
	free(f->until);
	free(f->latency);
	free(f);
}

void hd_forwarding_issue(hd_forwarding *f, uint32_t inst, uint32_t cycle)
{
	f->until[inst] = cycle + f->latency[inst] + f->reach;
	for (unsigned s = 0; s < SOURCES; s++) {
		uint32_t producer = f->sources[inst].producer[s];
		if (producer != NO_PRODUCER && f->readers[producer])
			f->readers[producer]--;
	}
}

unsigned hd_forwarding_gain(const hd_forwarding *f, uint32_t inst, uint32_t cycle)
{
	unsigned gain = 0;
	for (unsigned s = 0; s < SOURCES; s++) {
		uint32_t producer = f->sources[inst].producer[s];
		if (producer != NO_PRODUCER && cycle < f->until[producer])
			gain += f->sources[inst].words[s] * (f->readers[producer] == 1 ? 2 : 1);
	}
	return gain;
}
