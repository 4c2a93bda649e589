#include "core/scoreboard.h"
#include "core/window.h"

void hd_code_hint(const hd_machine *machine, const hd_slot *slot, uint8_t *delay, uint8_t *wait)
{
	unsigned initial = machine->predecode_default_delay ? machine->predecode_default_delay : 1;
	unsigned nibble = slot->predecode & 15;
	*delay = (uint8_t)initial;
	*wait = 0;
	if (machine->predecode_carrier == HD_CARRIER_NONE) {
		/* Baseline: nothing is known before the full decode, hints included. */
		*delay = 1;
		*wait = (uint8_t)machine->predecode_decode_cycles;
		return;
	}
	if (machine->predecode_carrier == HD_CARRIER_INSTRUCTION) {
		/* Three bits: 0 = default, else a delay of so many cycles. */
		if (slot->inst.hint3)
			*delay = slot->inst.hint3;
		return;
	}
	switch (slot->predecode >> 4) {
	case HD_HINT_DELAY:
		*delay = (uint8_t)(nibble ? nibble : 1);
		break;
	case HD_HINT_WAIT:
		*wait = (uint8_t)nibble;
		break;
	case HD_HINT_HOLD:
	case HD_HINT_HOLD_REPLAY:
	case HD_HINT_HOLD_MEM:
	case HD_HINT_HOLD_REPLAY_MEM:
	case HD_HINT_BOOST:
	case HD_HINT_MAY_REPLAY:
		/* These carry a delay besides; keeping it can only be too long. */
		if (nibble > initial)
			*delay = (uint8_t)nibble;
		break;
	default:
		break;
	}
}

static hd_kind kind_of(const hd_slot *slot)
{
	const hd_op_info *info = &hd_ops[slot->inst.op];
	if (slot->is_ss)
		return HD_KIND_BAD;
	if (info->pipe >= HD_PIPE_COUNT)
		return HD_KIND_NOP;
	if (info->flags & HD_OPF_FLOW)
		return HD_KIND_FLOW;
	if (info->flags & HD_OPF_MEM)
		return HD_KIND_MEMORY;
	return slot->inst.op == HD_OP_S2R ? HD_KIND_SREG : HD_KIND_PURE;
}

static void count_registers(hd_code *code, hd_static *row, const hd_inst *inst)
{
	hd_use uses[HD_MAX_USES];
	for (unsigned pass = 0; pass < 2; pass++) {
		unsigned n = pass ? hd_inst_writes(inst, uses) : hd_inst_reads(inst, uses);
		for (unsigned i = 0; i < n; i++) {
			uint32_t end = uses[i].words ? (uint32_t)uses[i].reg + uses[i].words : 0;
			if (end > code->registers)
				code->registers = end;
			if (pass)
				row->writes = (uint8_t)(row->writes + uses[i].words);
			else
				row->reads = (uint8_t)(row->reads + uses[i].words);
		}
	}
}

/* The scoreboard alone keeps the order. What remains is the time that a machine without pre-decode data needs to decode. */
static void ignore_annotations(const hd_machine *machine, hd_static *row)
{
	row->primary = row->by_read = 0;
	row->at_issue = row->at_queue = 0;
	row->delay = 1;
	row->wait = machine->predecode_carrier == HD_CARRIER_NONE ? row->wait : 0;
}

hd_code *hd_code_new(const hd_machine *machine, const hd_program *program, bool window)
{
	hd_code *code = hd_xcalloc(1, sizeof *code);
	uint32_t high = hd_machine_high_mask(machine);
	code->n_words = program->n_slots;
	code->slots = program->slots;
	code->registers = 1;
	code->at = hd_xcalloc((size_t)code->n_words + HD_LINE_WORDS, sizeof *code->at);
	if (machine->fence_mode == HD_DEP_SCOREBOARD)
		code->needs = hd_xcalloc((size_t)code->n_words + HD_LINE_WORDS, sizeof *code->needs);
	for (uint32_t pc = 0; pc < code->n_words + HD_LINE_WORDS; pc++) {
		hd_static *row = &code->at[pc];
		*row = (hd_static){.next = hd_after(machine->predecode_geometry, pc),
		                   .kind = HD_KIND_BAD,
		                   .pipe = HD_PIPE_NONE,
		                   .delay = 1,
		                   .latency = 1,
		                   .interval = 1};
		if (pc >= code->n_words || program->slots[pc].is_ss)
			continue;
		const hd_slot *slot = &program->slots[pc];
		const hd_timing *timing = &machine->latency[slot->klass];
		row->kind = (uint8_t)kind_of(slot);
		row->pipe = slot->pipe;
		row->klass = slot->klass;
		row->latency = (uint16_t)(timing->latency ? timing->latency : 1);
		row->interval = (uint16_t)(timing->interval ? timing->interval : 1);
		row->primary = slot->inst.primary;
		row->by_read = slot->inst.release;
		row->at_issue = (uint16_t)(slot->inst.wait & (row->kind == HD_KIND_NOP ? 0xffff : high));
		row->at_queue = (uint16_t)(slot->inst.wait & ~row->at_issue);
		if (row->kind == HD_KIND_NOP)
			row->primary = 0; /* nothing of it is ever outstanding */
		hd_code_hint(machine, slot, &row->delay, &row->wait);
		row->constant = slot->inst.ksel && !slot->imm && machine->memory_constant_bytes;
		row->word = slot->inst.ksel == 1 ? slot->inst.a : slot->inst.ksel == 2 ? slot->inst.b : slot->inst.c;
		count_registers(code, row, &slot->inst);
		if (code->needs) {
			hd_needs_of(&slot->inst, &code->needs[pc]);
			ignore_annotations(machine, row);
		}
	}
	if (window)
		code->window = hd_window_rows(code);
	return code;
}

void hd_code_free(hd_code *code)
{
	if (code) {
		free(code->at);
		free(code->needs);
		free(code->window);
	}
	free(code);
}
