#include "core/issue/scoreboard.h"
#include "core/issue/window_rows.h"

/* The meaning of a pre-decode byte. The configuration defines the hint `default` (PD-4). */
static hd_meaning meaning(const hd_machine *m, unsigned hint, unsigned number)
{
	static const uint8_t of_default[] = {HD_HINT_DELAY, HD_HINT_WAIT, HD_HINT_HOLD_MEM, HD_HINT_MAY_REPLAY};
	unsigned initial = m->predecode_default_hint == HD_DEFAULT_WAIT || !m->predecode_default_delay ? 1 : m->predecode_default_delay;
	/* With a window the warp's next instruction is not at the PC. A hint about two consecutive instructions then counts as a delay. */
	bool row = !hd_machine_has_window(m);
	hd_meaning out = {.delay = (uint8_t)(number ? number : 1)};
	if (hint == HD_HINT_DELAY && !number && row && m->predecode_consecutive)
		out.effects = HD_EFFECT_NEXT;
	if (hint == HD_HINT_DEFAULT || hint >= HD_HINT_COUNT) {
		hint = of_default[m->predecode_default_hint];
		number = m->predecode_default_delay;
		out.delay = (uint8_t)initial;
	}
	switch (hint) {
	case HD_HINT_WAIT:
		out.delay = 1;
		out.wait = (uint8_t)number;
		break;
	case HD_HINT_PAIR:
		out.effects = row && m->predecode_pair && m->predecode_issue_width > 1 ? HD_EFFECT_PAIR : 0;
		if (out.effects && m->predecode_strict_pairs && !number)
			out.effects |= HD_EFFECT_STRICT;
		break;
	case HD_HINT_HOLD:
	case HD_HINT_HOLD_REPLAY:
	case HD_HINT_HOLD_MEM:
	case HD_HINT_HOLD_REPLAY_MEM:
		if (!row || !m->predecode_hold)
			break;
		out.effects = HD_EFFECT_HOLD;
		if (hint == HD_HINT_HOLD_REPLAY || hint == HD_HINT_HOLD_REPLAY_MEM)
			out.effects |= HD_EFFECT_PASS_REPLAY;
		if (hint == HD_HINT_HOLD || hint == HD_HINT_HOLD_REPLAY)
			out.effects |= HD_EFFECT_WAIT_MEMORY;
		break;
	case HD_HINT_BOOST:
	case HD_HINT_LOWER:
		out.delay = (uint8_t)initial;
		if (!row || !m->predecode_boost || !number)
			break;
		out.effects = hint == HD_HINT_BOOST ? HD_EFFECT_BOOST : HD_EFFECT_LOWER;
		out.cycles = (uint8_t)number;
		break;
	case HD_HINT_MAY_REPLAY:
		out.effects = m->predecode_replay ? HD_EFFECT_REPLAY : 0;
		break;
	default:
		break;
	}
	return out;
}

/* True for the two hints whose number is no delay and no wait, but the duration of another priority (PD-9). */
static bool changes_priority(unsigned hint) { return hint == HD_HINT_BOOST || hint == HD_HINT_LOWER; }

/* The meaning of an entry of the scheduling word. Two hints hold together (PD-24, docs/timing.md): the longer delay and the longer wait count. Beside
 * another hint, boost and lower have no delay of their own. Of boost and lower the second one counts. */
static hd_meaning meaning_of_entry(const hd_machine *m, unsigned bytes)
{
	unsigned hint = bytes >> 4 & 15, other = bytes >> 12;
	hd_meaning first = meaning(m, hint, bytes & 15);
	if (other == HD_HINT_DEFAULT)
		return first;
	hd_meaning second = meaning(m, other, bytes >> 8 & 15);
	uint8_t first_delay = changes_priority(hint) && !changes_priority(other) ? 0 : first.delay;
	uint8_t second_delay = changes_priority(other) ? 0 : second.delay;
	if (second.cycles)
		first.effects &= (uint16_t) ~(HD_EFFECT_BOOST | HD_EFFECT_LOWER);
	return (hd_meaning){.delay = (uint8_t)hd_max_u32(first_delay, second_delay),
	                    .wait = (uint8_t)hd_max_u32(first.wait, second.wait),
	                    .effects = (uint16_t)(first.effects | second.effects),
	                    .cycles = second.cycles ? second.cycles : first.cycles};
}

hd_meaning hd_code_hint(const hd_machine *machine, const hd_slot *slot)
{
	/* The baseline knows nothing about an instruction before the full decode, not even hints. */
	if (machine->predecode_carrier == HD_CARRIER_NONE)
		return (hd_meaning){.delay = 1, .wait = (uint8_t)machine->predecode_decode_cycles};
	if (hd_machine_decodes_ahead(machine))
		return (hd_meaning){.delay = 1};
	if (machine->predecode_carrier == HD_CARRIER_REGISTER) /* while no register holds its byte */
		return meaning(machine, HD_HINT_DEFAULT, 0);
	if (hd_machine_has_hint_table(machine))
		return meaning(machine, slot->by_table >> 4, slot->by_table & 15);
	if (machine->predecode_carrier == HD_CARRIER_INSTRUCTION) /* three bits: 0 = default, otherwise a delay of that many cycles */
		return meaning(machine, slot->inst.hint3 ? HD_HINT_DELAY : HD_HINT_DEFAULT, slot->inst.hint3);
	return meaning_of_entry(machine, slot->predecode);
}

/* True when a unit of the machine can refuse the instruction (PD-16, PD-26). */
static bool can_be_refused(const hd_machine *machine, const hd_static *row)
{
	uint32_t pipes = hd_machine_refusing(machine) | hd_machine_replaying_stages(machine);
	return row->kind <= HD_KIND_MEMORY && pipes >> row->pipe & 1;
}

/* Gives the row of an instruction the effects of a hint that the instruction can have. */
static void take_hint(const hd_machine *machine, hd_static *row, hd_meaning hint)
{
	uint16_t never = can_be_refused(machine, row) ? 0 : HD_EFFECT_REPLAY;
	row->delay = hint.delay;
	row->wait = hint.wait;
	if (row->effects & HD_EFFECT_PRIORITY) { /* a boost or lower has no place in the row of setprio */
		row->effects = (uint16_t)((hint.effects & ~(never | HD_EFFECT_BOOST | HD_EFFECT_LOWER)) | HD_EFFECT_PRIORITY);
		return;
	}
	row->effects = hint.effects & (uint16_t)~never;
	row->cycles = (uint8_t)hint.cycles;
	if (row->effects & HD_EFFECT_REPLAY && machine->predecode_refuse_constants)
		row->constant = 0; /* the pipe looks for the constant in place of the decoder (PD-26) */
}

void hd_code_take_byte(const hd_machine *machine, unsigned byte, hd_static *row) { take_hint(machine, row, meaning(machine, byte >> 4, byte & 15)); }

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

/* Only the scoreboard keeps registers in order. The decode time of a machine without pre-decode data remains. */
static void ignore_annotations(const hd_machine *machine, hd_static *row)
{
	row->primary = row->by_read = row->early = 0;
	row->at_issue = row->at_queue = 0;
	row->delay = 1;
	row->effects &= HD_EFFECT_PRIORITY;
	row->cycles = row->effects ? row->cycles : 0;
	row->wait = machine->predecode_carrier == HD_CARRIER_NONE ? row->wait : 0;
}

bool hd_code_pairs(const hd_static *first, const hd_static *second)
{
	uint32_t raised = first->primary ? 1u << (first->primary - 1) : 0, raises = second->primary ? 1u << (second->primary - 1) : 0;
	return first->kind <= HD_KIND_MEMORY && second->kind != HD_KIND_BAD && first->pipe != second->pipe && !second->wait &&
	       !(second->effects & HD_EFFECT_WAIT_MEMORY) && !(raised & second->at_issue) && !(first->at_queue & raises);
}

/* RC-21 */
static uint32_t *find_flags(const hd_code *code)
{
	uint32_t n = code->n_words + HD_LINE_WORDS, *meets = hd_xcalloc(n, sizeof *meets);
	for (uint32_t pc = n, next = UINT32_MAX; pc-- > 0; meets[pc] = next)
		if (pc < code->n_words && !code->slots[pc].is_ss && code->slots[pc].inst.hint3 & HD_MEETS)
			next = pc;
	return meets;
}

/* A load whose order is invisible: not volatile, and no atomic. */
static bool plain_load(const hd_inst *inst) { return hd_ops[inst->op].format == HD_F_LD && inst->mod != HD_CACHE_VOLATILE; }

/* The space of an access as replays order it. HD_SPACE_NONE: it may be any space. */
static hd_space space_of(const hd_inst *inst)
{
	const hd_op_info *info = &hd_ops[inst->op];
	bool volatile_ = inst->mod == HD_CACHE_VOLATILE && hd_op_accesses_common(info);
	return info->flags & HD_OPF_ATOMIC || volatile_ || inst->op == HD_OP_LDK ? HD_SPACE_NONE : hd_op_space(info);
}

/* Where the access stands in the order of its warp's accesses. */
static uint8_t order_of(const hd_inst *inst) { return (uint8_t)(space_of(inst) | (plain_load(inst) ? HD_ORDER_PLAIN : 0)); }

hd_code *hd_code_new(const hd_machine *machine, const hd_program *program, bool window)
{
	hd_code *code = hd_xcalloc(1, sizeof *code);
	uint32_t high = hd_machine_high_mask(machine);
	code->n_words = program->n_slots;
	code->slots = program->slots;
	code->first_bars = program->first_bars;
	code->registers = 1;
	code->at = hd_xaligned(((size_t)code->n_words + HD_LINE_WORDS) * sizeof *code->at);
	if (hd_machine_has_scoreboard(machine))
		code->footprint = hd_xcalloc((size_t)code->n_words + HD_LINE_WORDS, sizeof *code->footprint);
	for (uint32_t pc = 0; pc < code->n_words + HD_LINE_WORDS; pc++) {
		hd_static *row = &code->at[pc];
		*row = (hd_static){.next = hd_after(machine->predecode_geometry, pc),
		                   .kind = HD_KIND_BAD,
		                   .pipe = HD_PIPE_NONE,
		                   .delay = 1,
		                   .latency = 1,
		                   .interval = 1,
		                   .room = 1,
		                   .passes = 1};
		if (pc >= code->n_words || program->slots[pc].is_ss)
			continue;
		const hd_slot *slot = &program->slots[pc];
		row->next = hd_object_after(program->object, pc);
		row->room =
		    (uint8_t)(hd_instruction_number(machine->predecode_geometry, row->next) - hd_instruction_number(machine->predecode_geometry, pc));
		row->kind = (uint8_t)kind_of(slot);
		row->pipe = (uint8_t)hd_machine_pipe(machine, (hd_class)slot->klass);
		row->klass = slot->klass;
		uint32_t latency = hd_machine_class_latency(machine, (hd_class)slot->klass);
		row->latency = (uint16_t)(latency ? latency : 1);
		row->late = (uint8_t)(slot->dwords ? hd_machine_late(machine) : 0);
		row->order = row->kind == HD_KIND_MEMORY ? order_of(&slot->inst) : 0;
		row->passes = (uint8_t)hd_machine_passes(machine, (hd_pipe)row->pipe);
		row->interval = (uint16_t)hd_machine_interval(machine, (hd_class)slot->klass);
		row->primary = slot->inst.primary;
		row->by_read = slot->inst.release;
		row->at_issue = (uint16_t)(slot->inst.wait & (row->kind == HD_KIND_NOP ? 0xffff : high));
		row->at_queue = (uint16_t)(slot->inst.wait & ~row->at_issue);
		if (row->kind == HD_KIND_NOP)
			row->primary = 0; /* a nop is never outstanding */
		row->early = machine->fence_early && row->primary && !row->by_read && high >> (row->primary - 1) & 1 && row->kind <= HD_KIND_SREG &&
		             row->latency > 1;
		if (slot->inst.op == HD_OP_SETPRIO) {
			row->effects = HD_EFFECT_PRIORITY;
			row->cycles = slot->inst.a;
		}
		row->writes_hints = slot->inst.op == HD_OP_HINTS;
		row->constant = slot->inst.ksel && !slot->imm && machine->memory_constant_bytes;
		take_hint(machine, row, hd_code_hint(machine, slot));
		row->word = slot->inst.ksel == 1 ? slot->inst.a : slot->inst.ksel == 2 ? slot->inst.b : slot->inst.c;
		count_registers(code, row, &slot->inst);
		code->syncs |= slot->inst.op == HD_OP_WSYNC || slot->inst.op == HD_OP_XLANE;
		if (code->footprint) {
			hd_footprint_of(&slot->inst, &code->footprint[pc]);
			ignore_annotations(machine, row);
		}
	}
	for (uint32_t pc = 0; pc < code->n_words; pc++) {
		hd_static *row = &code->at[pc];
		row->effects &= window ? HD_EFFECT_REPLAY | HD_EFFECT_PRIORITY : 0xffff;
		if (row->effects & HD_EFFECT_PAIR && !hd_code_pairs(row, &code->at[row->next]))
			row->effects &= (uint16_t) ~(HD_EFFECT_PAIR | HD_EFFECT_STRICT);
		code->replays |= (row->effects & HD_EFFECT_REPLAY) != 0 || row->writes_hints;
	}
	if (window)
		code->window = hd_window_rows(code, machine);
	if (hd_machine_pops_by_flag(machine))
		code->meets = find_flags(code);
	return code;
}

void hd_code_free(hd_code *code)
{
	if (code) {
		free(code->at);
		free(code->footprint);
		free(code->meets);
		free(code->window);
	}
	free(code);
}
